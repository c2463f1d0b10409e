//! Names of Pulumi schemas.

use crate::model::{Definition, Role};
use crate::write::legal::legal_name;
use crate::write::named::Named;

/// `aws:s3/bucket:Bucket` is the class `Bucket` of the module `s3` if the schema drops the last
/// part of modules, otherwise of `s3/bucket`.
pub(crate) fn named(definition: &Definition<'_>) -> Named {
    if definition.role == Role::Provider {
        let name = if definition.token == "config" { "Config" } else { "Provider" };
        return Named::of("index", name);
    }
    let name = definition.token.rsplit(':').next().unwrap_or(&definition.token);
    Named::of(&definition.module, legal_name(name))
}
