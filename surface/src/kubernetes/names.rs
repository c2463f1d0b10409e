//! Names of Kubernetes: OpenAPI definitions and custom resource definitions.

use crate::model::Definition;
use crate::write::legal::legal_name;
use crate::write::named::Named;

/// The prefix before the group in the names of OpenAPI definitions.
const BEFORE_GROUPS: [&str; 5] = [
    "io.k8s.api.",
    "io.k8s.apimachinery.pkg.apis.",
    "io.k8s.apimachinery.pkg.",
    "io.k8s.kube-aggregator.pkg.apis.",
    "io.k8s.apiextensions-apiserver.pkg.apis.",
];

/// `io.k8s.api.apps.v1.Deployment` is the class `Deployment` of the module `apps/v1`.
pub(crate) fn named_in_openapi(definition: &Definition<'_>) -> Named {
    let token = &*definition.token;
    let rest = BEFORE_GROUPS.iter().find_map(|before| token.strip_prefix(before)).unwrap_or(token);
    let (module, name) = rest.rsplit_once('.').unwrap_or(("", rest));
    Named::of(module.replace('.', "/"), legal_name(name))
}

/// `acme.example/v1:Disk` is the class `Disk` of the module `acme.example/v1`.
pub(crate) fn named_resource(definition: &Definition<'_>) -> Named {
    let (module, name) = definition.token.rsplit_once(':').unwrap_or(("", &definition.token));
    Named::of(module, legal_name(name))
}
