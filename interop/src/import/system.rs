//! The systems whose documents can be imported.

/// A system whose documents can be imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum System {
    /// Objects of a Kubernetes cluster: one, a `List`, or a list of documents.
    Kubernetes,
    /// A Terraform plan as JSON.
    Plan,
    /// A Compose file.
    Compose,
    /// A Puppet catalog.
    Puppet,
    /// A Terraform state of version 3 or 4.
    TerraformState,
    /// A CloudFormation template.
    CloudFormation,
}

impl System {
    /// All systems.
    pub const ALL: [System; 6] = [
        System::Kubernetes,
        System::Plan,
        System::Compose,
        System::Puppet,
        System::TerraformState,
        System::CloudFormation,
    ];

    /// The name in commands and documents.
    pub fn name(self) -> &'static str {
        match self {
            System::Kubernetes => "kubernetes",
            System::Plan => "plan",
            System::Compose => "compose",
            System::Puppet => "puppet",
            System::TerraformState => "terraform-state",
            System::CloudFormation => "cloudformation",
        }
    }

    /// The name of the procedure that finds the edges. It changes whenever the edges may change.
    pub fn inference(self) -> &'static str {
        match self {
            System::Kubernetes => "kubernetes-1",
            System::Plan => "plan-1",
            System::Compose => "compose-1",
            System::Puppet => "puppet-1",
            System::TerraformState => "terraform-state-1",
            System::CloudFormation => "cloudformation-1",
        }
    }

    /// A description of this system's documents, to follow "expected".
    pub fn described(self) -> &'static str {
        match self {
            System::Kubernetes => "Kubernetes objects with `apiVersion`, `kind` and `metadata`",
            System::Plan => "a Terraform plan as JSON",
            System::Compose => "a Compose file with `services`",
            System::Puppet => "a Puppet catalog with `resources` of a `type` and a `title`",
            System::TerraformState => "a Terraform state of version 3 or 4",
            System::CloudFormation => "a CloudFormation template with `Resources`",
        }
    }
}
