//! The systems whose documents can be imported.

coconut_format::named! {
    /// A system whose documents can be imported.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum System, ALL {
        /// Objects of a Kubernetes cluster: one, a `List`, or a list of documents.
        Kubernetes = "kubernetes", "kubernetes-1", "Kubernetes objects with `apiVersion`, `kind` and `metadata`";
        /// A Terraform plan as JSON.
        Plan = "plan", "plan-1", "a Terraform plan as JSON";
        /// A Compose file.
        Compose = "compose", "compose-1", "a Compose file with `services`";
        /// A Puppet catalog.
        Puppet = "puppet", "puppet-1", "a Puppet catalog with `resources` of a `type` and a `title`";
        /// A Terraform state of version 3 or 4.
        TerraformState = "terraform-state", "terraform-state-1", "a Terraform state of version 3 or 4";
        /// A CloudFormation template.
        CloudFormation = "cloudformation", "cloudformation-1", "a CloudFormation template with `Resources`";
    }
    /// The name in commands and documents.
    pub fn name;
    /// The name of the procedure that finds the edges. It changes whenever the edges may change.
    pub fn inference;
    /// A description of this system's documents, to follow "expected".
    pub fn described;
}
