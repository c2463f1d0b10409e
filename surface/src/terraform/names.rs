//! Names of Terraform provider schemas.

use crate::model::{Definition, Role};
use crate::write::legal::{legal_name, pascal};
use crate::write::named::Named;

/// The prefix before the type in a token, and before the name of the resulting function.
const FUNCTIONS: [(&str, &str); 4] =
    [("data.", "get"), ("ephemeral.", "open"), ("list.", "list"), ("action.", "run")];

/// `aws_s3_bucket` is the class `Bucket` of the module `s3`, and `data.aws_s3_bucket` the function
/// `getBucket` there. The part after the provider is the module if a part follows.
pub(crate) fn named(definition: &Definition<'_>) -> Named {
    let token = &*definition.token;
    match definition.role {
        Role::Provider => return Named::of("index", "Provider"),
        Role::Class | Role::Function | Role::Type | Role::Variable => {}
    }
    if let Some(function) = token.strip_prefix("provider::") {
        let name = function.rsplit("::").next().unwrap_or(function);
        return Named::of("index", legal_name(name));
    }
    let found = FUNCTIONS.iter().find_map(|(before, verb)| Some((token.strip_prefix(before)?, *verb)));
    let (kind, verb) = found.unwrap_or((token, ""));
    let rest = kind.split_once('_').map_or(kind, |(_, rest)| rest);
    let rest = rest.strip_prefix(&*definition.module).and_then(|rest| rest.strip_prefix('_')).unwrap_or(rest);
    Named::of(&definition.module, format!("{verb}{}", pascal(rest)))
}
