//! Resource types of the CloudFormation registry.

pub(crate) mod names;
pub(crate) mod read;
