//! Names of resource types of the CloudFormation registry.

use crate::model::Definition;
use crate::write::legal::pascal;
use crate::write::named::Named;

/// `AWS::ECR::Repository` is the class `Repository` of the module `ECR`, and its definition `Tag`
/// the record `RepositoryTag` there.
pub(crate) fn named(definition: &Definition<'_>) -> Named {
    let mut parts = definition.token.splitn(3, "::").skip(2);
    let name = parts.next().unwrap_or(&definition.token);
    Named::of(&definition.module, pascal(name))
}
