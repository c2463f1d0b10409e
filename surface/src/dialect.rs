//! §20.2 The forms of packages and schemas.

coconut_format::named! {
    /// The form of a package or schema.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Dialect {
        /// A Coconut 2017 package (§12).
        CocoPack = "cocopack", "the package";
        /// A Pulumi package schema.
        Pulumi = "pulumi-schema", "the Pulumi schema";
        /// The output of `terraform providers schema -json`.
        Terraform = "terraform-provider-schema", "the Terraform provider schema";
        /// A resource type of the CloudFormation registry, or a list of them.
        CloudFormation = "cloudformation-registry", "the CloudFormation resource type";
        /// The definitions of a Kubernetes API in OpenAPI.
        KubernetesOpenApi = "kubernetes-openapi", "the OpenAPI document";
        /// Custom resource definitions of Kubernetes.
        KubernetesCrd = "kubernetes-crd", "the resource definition";
    }
    /// The name in reports.
    pub fn name;
    /// A description of a document in this form.
    pub fn described;
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
}
