//! `diff --schema`: the information of schemas about resources that differ.

use super::api::refuse;
use coconut_codec::read::tree::Tree;
use coconut_diff::Described;
use coconut_diff::ResourceChange;
use coconut_report::failure::Failure;
use coconut_shell::console::{Console, visible};
use coconut_shell::open::{Access, Documents, Opened};
use coconut_surface::read;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Opens the schemas of resources.
pub(super) fn open_schemas(
    paths: &[PathBuf],
    documents: &dyn Documents,
    console: &mut Console,
) -> Result<Vec<Opened>, Failure> {
    paths.iter().map(|path| documents.open(path, Access::Whole, console)).collect()
}

/// The information of schemas about resources.
pub(super) fn described<'o>(opened: &'o [Opened], trees: &'o [Tree<'o>]) -> Result<Described<'o>, Failure> {
    let packages = opened.iter().zip(trees).map(|(opened, tree)| {
        let package = read(tree.root()).map_err(|error| refuse(&error, opened))?;
        match Described::takes(package.dialect) {
            true => Ok(package),
            false => {
                let text = format!("{} says nothing of `--schema`", package.dialect.described());
                let hint =
                    "name a Pulumi or Terraform schema, types of the CloudFormation registry, or a package";
                Err(Failure::usage(text).in_file(&opened.name).with_hint(hint))
            }
        }
    });
    Ok(Described::new(packages.collect::<Result<_, Failure>>()?))
}

/// The types of differing resources that no schema defines.
#[derive(Debug, Default)]
pub(super) struct UnknownTypes(BTreeSet<String>);

/// The maximum number of types named in a warning.
const MOST_NAMED: usize = 5;

impl UnknownTypes {
    pub(super) fn add(&mut self, resource: &ResourceChange<'_>) {
        if let (Some(false), Some(token)) = (resource.is_described, resource.resource_type) {
            self.0.insert(token.to_owned());
        }
    }

    pub(super) fn warn(&self, console: &mut Console) {
        if self.0.is_empty() {
            return;
        }
        let named: Vec<String> =
            self.0.iter().take(MOST_NAMED).map(|token| format!("`{}`", visible(token))).collect();
        let more = match self.0.len().saturating_sub(MOST_NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let text = format!("no schema has the types {}{more}", named.join(", "));
        console.warn(None, &text.replace("types `", if self.0.len() == 1 { "type `" } else { "types `" }));
    }
}
