//! `coco cache clean`: nothing of it.

use super::{cache, failed, report_removed};
use clap::Args;
use coco_inspect::{Console, Exit, Failure};

/// Remove everything from the cache
///
/// Removes what this version of the layout has written, the quarantine included, and no other file. What other
/// processes have loaded stays loaded. Files that cannot be removed are reported and skipped; exit code 2.
#[derive(Debug, Args)]
pub(crate) struct Clean {}

impl Clean {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        report_removed(console, "cache-clean", cache().clean().map_err(failed)?)
    }
}
