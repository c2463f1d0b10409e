//! The forms of resource graphs, and how the form of a source is recognised.

use coconut_format::Integer;
use coconut_format::landmark::Dialect;
use coconut_format::node::{Kind, Node};

coconut_format::named! {
    /// The form of a source.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Form, ALL {
        /// A Coconut 2017 graph (§15) of any dialect.
        CocoGl = "cocogl";
        /// The output of `pulumi stack export`.
        PulumiExport = "pulumi-export";
        /// The file in which Pulumi keeps a stack.
        PulumiCheckpoint = "pulumi-checkpoint";
        /// A checkpoint of version 0.
        PulumiEnvironment = "pulumi-environment";
        /// A bare deployment without a wrapper.
        PulumiDeployment = "pulumi-deployment";
        /// A Terraform state of version 4.
        TerraformState = "terraform-state";
        /// A Terraform state of version 1 to 3.
        OldTerraformState = "terraform-state-3";
        /// The output of `terraform show -json` for a state.
        TerraformShow = "terraform-show";
    }
    /// The name in documents and in reports.
    pub fn name;
}

coconut_format::named! {
    /// The form of a result.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Target {
        /// A Coconut 2017 graph (§15).
        CocoGl = "cocogl";
        /// The input of `pulumi stack import`.
        PulumiExport = "pulumi-export";
        /// The file in which Pulumi keeps a stack.
        PulumiCheckpoint = "pulumi-checkpoint";
        /// The input of `pulumi import --file`.
        PulumiImport = "pulumi-import";
        /// A Terraform state of version 4.
        TerraformState = "terraform-state";
        /// The output of `terraform show -json` for a state.
        TerraformShow = "terraform-show";
    }
    /// The name used by commands.
    pub fn name;
}

impl Form {
    /// The form of a document that is a resource graph.
    pub fn of<'a, N: Node<'a>>(root: N) -> Option<Form> {
        if root.kind() != Kind::Object {
            return None;
        }
        let is = |node: N, key: &str, kind: Kind| node.get(key).is_some_and(|value| value.kind() == kind);
        let nothing_or_list =
            |key: &str| root.get(key).is_none_or(|value: N| matches!(value.kind(), Kind::List | Kind::Null));
        if is(root, "checkpoint", Kind::Object) {
            return Some(Form::PulumiCheckpoint);
        }
        if is(root, "deployment", Kind::Object) {
            return Some(Form::PulumiExport);
        }
        if root.get("latest").is_some_and(|latest| is(latest, "resources", Kind::List)) {
            return Some(Form::PulumiEnvironment);
        }
        // A shown plan stores its prior state under another key, next to its changes.
        if is(root, "format_version", Kind::String)
            && is(root, "values", Kind::Object)
            && root.get("planned_values").is_none()
        {
            return Some(Form::TerraformShow);
        }
        match root.get("version").and_then(Node::as_integer).and_then(Integer::as_u64) {
            Some(1..=3) if is(root, "modules", Kind::List) => return Some(Form::OldTerraformState),
            Some(4) if nothing_or_list("resources") && root.get("format_version").is_none() => {
                return Some(Form::TerraformState);
            }
            _ => {}
        }
        match Dialect::of(root)?.name {
            "pulumi-deployment" if is(root, "resources", Kind::List) => Some(Form::PulumiDeployment),
            "coconut-snapshot" | "coconut-environment" | "mugl-snapshot" | "mugl-graph" => Some(Form::CocoGl),
            _ => None,
        }
    }

    /// Whether this is a Pulumi document.
    pub(super) fn is_pulumi(self) -> bool {
        self.deployment_path().is_some()
    }

    /// The keys that lead to Pulumi's deployment.
    pub(super) fn deployment_path(self) -> Option<&'static [&'static str]> {
        match self {
            Form::PulumiExport => Some(&["deployment"]),
            Form::PulumiCheckpoint => Some(&["checkpoint", "latest"]),
            Form::PulumiEnvironment => Some(&["latest"]),
            Form::PulumiDeployment => Some(&[]),
            Form::CocoGl | Form::TerraformState | Form::OldTerraformState | Form::TerraformShow => None,
        }
    }
}

impl Target {
    /// Whether a source of this form already has the target's form.
    pub(super) fn is(self, form: Form) -> bool {
        matches!(
            (self, form),
            (Target::CocoGl, Form::CocoGl)
                | (Target::PulumiExport, Form::PulumiExport)
                | (Target::PulumiCheckpoint, Form::PulumiCheckpoint)
                | (Target::TerraformState, Form::TerraformState)
                | (Target::TerraformShow, Form::TerraformShow)
        )
    }
}
