//! `coco cache prune`: less of it.

use super::limits::{parse_age, parse_size};
use super::{cache, failed, report_removed};
use crate::failure::{Exit, Failure};
use crate::screen::Screen;
use clap::Args;
use coconut_codec::cache::PruneLimits;
use std::time::Duration;

/// Remove what was not used for long
///
/// Without limits, removes only what killed processes left. What other processes have loaded stays loaded. What cannot
/// be removed is reported, does not keep the rest, and ends with 2.
#[derive(Debug, Args)]
pub(crate) struct Prune {
    /// Remove what was not used for so long: `90m`, `12h`, `30d`
    #[arg(long, value_name = "AGE", value_parser = parse_age)]
    older_than: Option<Duration>,
    /// Remove what was not used for longest, until no more than this is left: `500MB`, `2GiB`
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    max_size: Option<u64>,
}

impl Prune {
    pub(crate) fn run(self, screen: &Screen) -> Result<Exit, Failure> {
        let limits = PruneLimits { older_than: self.older_than, max_bytes: self.max_size };
        report_removed(screen, cache().prune(limits).map_err(failed)?)
    }
}
