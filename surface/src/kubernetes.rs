//! Kubernetes: OpenAPI definitions and custom resource definitions.

pub(crate) mod names;
pub(crate) mod read;
