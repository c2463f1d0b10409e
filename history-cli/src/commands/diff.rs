//! `diff`: shows what changed between two versions.

use crate::named::{Named, version_in};
use crate::shown::{Opened, differs, write_diff};
use clap::Args;
use coconut_report::diff::{Form, Shape};
use coconut_report::{Exit, Failure};
use coconut_shell::Console;

/// Show what changed between two versions
///
/// Without NEW, compares a version with the newest one; without a revision, the newest with the one
/// before. Resources are compared by meaning, as by `coco diff`.
///
/// Exits with 0 if nothing differs and with 1 if something does. Secrets are hidden.
#[derive(Args, Debug)]
#[command(after_long_help = include_str!("../../tests/help/look.trycmd"))]
pub(crate) struct Diff {
    /// The old version: PACK@REV; PACK alone for the one before the newest
    #[arg(value_name = "PACK[@REV]")]
    old: String,
    /// The new version: @REV of the same pack, or PACK@REV
    new: Option<String>,
    /// Only resources with this key (repeatable)
    #[arg(long = "key", value_name = "KEY")]
    keys: Vec<String>,
    /// Print only how many resources changed
    #[arg(long)]
    stat: bool,
}

impl Diff {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        console.page_output();
        let mut old = Named::parse(&self.old);
        let is_step = old.revision.is_none() && self.new.is_none();
        if is_step {
            old.revision = Some("~1".to_owned());
        }
        let (pack, old_version) = old.open()?;
        let new = match self.new.as_deref() {
            None => Opened::version(&pack, &version_in(&pack, None)?)?,
            Some(new) => match new.strip_prefix('@') {
                Some(revision) => Opened::version(&pack, &version_in(&pack, Some(revision))?)?,
                None => {
                    let (other, version) = Named::parse(new).open()?;
                    Opened::version(&other, &version)?
                }
            },
        };
        let old = Opened::version(&pack, &old_version)?;
        let shape = Shape { only_summary: self.stat, ..shape(console) };
        let counted = write_diff(&old, &new, &self.keys, &shape, console)?;
        Ok(if differs(&counted) { Exit::Negative } else { Exit::Good })
    }
}

/// The form of differences for this output.
pub(super) fn shape(console: &Console) -> Shape {
    Shape {
        form: if console.json { Form::Json } else { Form::Text },
        reveals: console.reveal,
        is_coloured: console.is_coloured(),
        ..Shape::default()
    }
}
