//! `label`: names a version.

use crate::failure::OrFail;
use crate::named::{Named, entry_now, version_in};
use clap::Args;
use coconut_history::Pack;
use coconut_report::{Exit, Failure, code};
use coconut_shell::Console;

/// Name a version, or remove a name
///
/// `prune` keeps versions with labels. A label that another version has moves to this one.
#[derive(Args, Debug)]
#[command(after_long_help = include_str!("../../tests/help/keep.trycmd"))]
pub(crate) struct Label {
    /// The version: PACK or PACK@REV
    #[arg(value_name = "PACK[@REV]")]
    named: String,
    /// The label: letters, digits, `.`, `_`, `-` and `/`
    label: String,
    /// Remove the label
    #[arg(long)]
    delete: bool,
}

impl Label {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        let named = Named::parse(&self.named);
        let mut pack = Pack::open(&named.pack).or_fail()?;
        if self.delete {
            return match pack.unlabel(&self.label, &entry_now("file")).or_fail()? {
                true => Ok(Exit::Good),
                false => Err(Failure::negative(
                    code::KEY_MISSING,
                    format!("no version has the label `{}`", self.label),
                )),
            };
        }
        let version = version_in(&pack, named.revision.as_deref())?;
        pack.label(version.n, &self.label, &entry_now("file")).or_fail()?;
        console.note(&format!("version {} is `{}`", version.n, self.label));
        Ok(Exit::Good)
    }
}
