//! `coco cache prune`: removes old entries.

use super::limits::{parse_age, parse_size};
use super::{cache, failed, report_removed};
use clap::Args;
use coconut_codec::cache::PruneLimits;
use coconut_report::{Exit, Failure};
use coconut_shell::Console;
use std::time::Duration;

/// Remove entries not used recently
///
/// Without limits, removes only files left by killed processes. Documents that other processes have
/// loaded stay loaded. Files that cannot be removed are reported and skipped, and the exit code is
/// 2.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../../tests/help/cache.trycmd"))]
pub(crate) struct Prune {
    /// Remove entries not used for this long: `90m`, `12h`, `30d`
    #[arg(long, value_name = "AGE", value_parser = parse_age)]
    older_than: Option<Duration>,
    /// Remove the least recently used entries until the rest fits: `500MB`, `2GiB`
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    max_size: Option<u64>,
}

impl Prune {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        let limits = PruneLimits { older_than: self.older_than, max_bytes: self.max_size };
        report_removed(console, "cache-prune", cache().prune(limits).map_err(failed)?)
    }
}
