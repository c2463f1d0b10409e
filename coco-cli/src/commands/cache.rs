//! `coco cache`: inspects and manages the compile cache.

mod clean;
mod dir;
mod explain;
mod limits;
mod ls;
mod prune;
mod verify;
mod warm;

use crate::failure::of_cache;
use crate::numbers::size;
use clap::Subcommand;
use coconut_codec::cache::{Cache, CacheFault, PruneReport};
use coconut_report::json::{number, report};
use coconut_report::{Exit, Failure};
use coconut_shell::Console;

/// The commands for the cache.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum CacheCommand {
    Dir(dir::Dir),
    Ls(ls::Ls),
    Warm(warm::Warm),
    Explain(explain::Explain),
    Verify(verify::Verify),
    Prune(prune::Prune),
    Clean(clean::Clean),
}

impl CacheCommand {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        match self {
            CacheCommand::Dir(dir) => dir.run(console),
            CacheCommand::Ls(ls) => ls.run(console),
            CacheCommand::Warm(warm) => warm.run(console),
            CacheCommand::Explain(explain) => explain.run(console),
            CacheCommand::Verify(verify) => verify.run(console),
            CacheCommand::Prune(prune) => prune.run(console),
            CacheCommand::Clean(clean) => clean.run(console),
        }
    }
}

/// The user's cache, which all commands share.
fn cache() -> Cache {
    Cache::for_user()
}

/// Elsewhere, faults of the cache are warnings. These commands are about the cache, so here they
/// are failures.
fn failed(fault: CacheFault) -> Failure {
    of_cache(&fault)
}

/// Reports the removed files, and those that could not be removed.
fn report_removed(console: &mut Console, command: &str, removed: PruneReport) -> Result<Exit, Failure> {
    let PruneReport { removed, removed_bytes, kept, kept_bytes, failed: count, faults } = removed;
    if console.json {
        let members = [
            ("removed", number(removed)),
            ("removed_bytes", number(removed_bytes)),
            ("kept", number(kept)),
            ("kept_bytes", number(kept_bytes)),
        ];
        console.print_json(&report(command, members))?;
    } else {
        let (removed_size, kept_size) = (size(removed_bytes), size(kept_bytes));
        console
            .note(&format!("removed {removed} files, {removed_size}; {kept} entries are left, {kept_size}"));
    }
    let more = count - faults.len() as u64;
    let mut failures: Vec<Failure> = faults.into_iter().map(failed).collect();
    if let Some(last) = failures.pop_if(|_| more > 0) {
        failures.push(last.with_hint(format!("{more} more could not be removed")));
    }
    Ok(console.report(&failures))
}
