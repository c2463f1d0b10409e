//! `coco cache clean`: removes everything from the cache.

use super::{cache, failed, report_removed};
use clap::Args;
use coconut_report::{Exit, Failure};
use coconut_shell::Console;

/// Remove everything from the cache
///
/// Removes all files of this version of the cache layout, including the quarantine, and no other
/// file. Documents that other processes have loaded stay loaded. Files that cannot be removed are
/// reported and skipped, and the exit code is 2.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../../tests/help/cache.trycmd"))]
pub(crate) struct Clean {}

impl Clean {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        report_removed(console, "cache-clean", cache().clean().map_err(failed)?)
    }
}
