//! The forms of resource graphs, and how a source shows which one it is.

use coconut_format::Integer;
use coconut_format::landmark::Dialect;
use coconut_format::node::{Kind, Node};

/// The form of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The graph of 2017 (§15), of any of its dialects.
    CocoGl,
    /// What `pulumi stack export` prints.
    PulumiExport,
    /// The file in which Pulumi keeps a stack.
    PulumiCheckpoint,
    /// A checkpoint of version 0.
    PulumiEnvironment,
    /// A deployment without anything around it.
    PulumiDeployment,
    /// A Terraform state of version 4.
    TerraformState,
    /// A Terraform state of version 1 to 3.
    OldTerraformState,
    /// What `terraform show -json` prints of a state.
    TerraformShow,
}

/// The form of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The graph of 2017 (§15).
    CocoGl,
    /// What `pulumi stack import` reads.
    PulumiExport,
    /// The file in which Pulumi keeps a stack.
    PulumiCheckpoint,
    /// What `pulumi import --file` reads.
    PulumiImport,
    /// A Terraform state of version 4.
    TerraformState,
    /// What `terraform show -json` prints of a state.
    TerraformShow,
}

impl Form {
    /// All of them.
    pub const ALL: [Form; 8] = [
        Form::CocoGl,
        Form::PulumiExport,
        Form::PulumiCheckpoint,
        Form::PulumiEnvironment,
        Form::PulumiDeployment,
        Form::TerraformState,
        Form::OldTerraformState,
        Form::TerraformShow,
    ];

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
        // A plan that is shown has the state before it elsewhere, and the changes beside it.
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

    /// The name in documents and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Form::CocoGl => "cocogl",
            Form::PulumiExport => "pulumi-export",
            Form::PulumiCheckpoint => "pulumi-checkpoint",
            Form::PulumiEnvironment => "pulumi-environment",
            Form::PulumiDeployment => "pulumi-deployment",
            Form::TerraformState => "terraform-state",
            Form::OldTerraformState => "terraform-state-3",
            Form::TerraformShow => "terraform-show",
        }
    }

    /// Whether this is a document of Pulumi.
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
    /// The name in commands.
    pub fn name(self) -> &'static str {
        match self {
            Target::CocoGl => "cocogl",
            Target::PulumiExport => "pulumi-export",
            Target::PulumiCheckpoint => "pulumi-checkpoint",
            Target::PulumiImport => "pulumi-import",
            Target::TerraformState => "terraform-state",
            Target::TerraformShow => "terraform-show",
        }
    }

    /// Whether a source of this form is of the target's form already.
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
