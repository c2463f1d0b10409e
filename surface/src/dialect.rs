//! §20.2 The forms of packages and schemas.

/// The form of a package or schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// A Coconut 2017 package (§12).
    CocoPack,
    /// A Pulumi package schema.
    Pulumi,
    /// The output of `terraform providers schema -json`.
    Terraform,
    /// A resource type of the CloudFormation registry, or a list of them.
    CloudFormation,
    /// The definitions of a Kubernetes API in OpenAPI.
    KubernetesOpenApi,
    /// Custom resource definitions of Kubernetes.
    KubernetesCrd,
}

impl Dialect {
    /// All dialects, in the order in which a document is matched.
    pub const ALL: [Dialect; 6] = [
        Dialect::Terraform,
        Dialect::CloudFormation,
        Dialect::KubernetesOpenApi,
        Dialect::KubernetesCrd,
        Dialect::CocoPack,
        Dialect::Pulumi,
    ];

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Dialect::CocoPack => "cocopack",
            Dialect::Pulumi => "pulumi-schema",
            Dialect::Terraform => "terraform-provider-schema",
            Dialect::CloudFormation => "cloudformation-registry",
            Dialect::KubernetesOpenApi => "kubernetes-openapi",
            Dialect::KubernetesCrd => "kubernetes-crd",
        }
    }

    /// A description of a document in this form.
    pub fn described(self) -> &'static str {
        match self {
            Dialect::CocoPack => "the package",
            Dialect::Pulumi => "the Pulumi schema",
            Dialect::Terraform => "the Terraform provider schema",
            Dialect::CloudFormation => "the CloudFormation resource type",
            Dialect::KubernetesOpenApi => "the OpenAPI document",
            Dialect::KubernetesCrd => "the resource definition",
        }
    }
}
