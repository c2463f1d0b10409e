//! `coco cache`: what is kept of sources that were compiled once.

mod clean;
mod dir;
mod explain;
mod limits;
mod ls;
mod prune;
mod verify;
mod warm;

use crate::failure::{Exit, Failure};
use crate::screen::Screen;
use clap::Subcommand;
use coconut_codec::cache::{Cache, CacheFault, PruneReport};
use serde::Serialize;

/// What can be done with the cache.
#[derive(Debug, Subcommand)]
pub(crate) enum CacheCommand {
    Dir(dir::Dir),
    Ls(ls::Ls),
    Warm(warm::Warm),
    Explain(explain::Explain),
    Verify(verify::Verify),
    Prune(prune::Prune),
    Clean(clean::Clean),
}

/// What was removed, and what is left.
#[derive(Serialize)]
struct RemovedJson {
    format_version: u32,
    removed: u64,
    removed_bytes: u64,
    kept: u64,
    kept_bytes: u64,
}

impl CacheCommand {
    pub(crate) fn run(self, screen: &Screen) -> Result<Exit, Failure> {
        match self {
            CacheCommand::Dir(dir) => dir.run(screen),
            CacheCommand::Ls(ls) => ls.run(screen),
            CacheCommand::Warm(warm) => warm.run(screen),
            CacheCommand::Explain(explain) => explain.run(screen),
            CacheCommand::Verify(verify) => verify.run(screen),
            CacheCommand::Prune(prune) => prune.run(screen),
            CacheCommand::Clean(clean) => clean.run(screen),
        }
    }
}

/// The cache of the user, as all commands use it.
fn cache() -> Cache {
    Cache::for_user()
}

/// Here the cache itself is what was asked for, so that its faults are failures.
fn failed(fault: CacheFault) -> Failure {
    Failure::cache(&fault)
}

/// Says what was removed, and what could not be.
fn report_removed(screen: &Screen, report: PruneReport) -> Result<Exit, Failure> {
    use crate::numbers::size;
    use crate::screen::FORMAT_VERSION;
    let PruneReport { removed, removed_bytes, kept, kept_bytes, failed: count, faults } = report;
    if screen.is_json() {
        let format_version = FORMAT_VERSION;
        screen.print_json(&RemovedJson { format_version, removed, removed_bytes, kept, kept_bytes })?;
    } else {
        let (removed_size, kept_size) = (size(removed_bytes), size(kept_bytes));
        screen
            .note(&format!("removed {removed} files, {removed_size}; {kept} entries are left, {kept_size}"));
    }
    let more = count - faults.len() as u64;
    let mut failures: Vec<Failure> = faults.into_iter().map(failed).collect();
    if let Some(last) = failures.pop_if(|_| more > 0) {
        failures.push(last.with_hint(format!("{more} more could not be removed")));
    }
    Ok(screen.report(&failures))
}
