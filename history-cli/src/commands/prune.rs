//! `prune`: removes old texts.

use super::progress::bar;
use crate::failure::OrFail;
use crate::named::entry_now;
use clap::Args;
use coconut_history::{Pack, Retention};
use coconut_report::json::{list, number, report};
use coconut_report::{Exit, Failure};
use coconut_shell::Console;
use std::path::PathBuf;

/// Remove the texts of old versions
///
/// A version stays if any rule keeps it. The newest, and those with labels, always stay. Of the
/// versions of one run, the inner ones are removed first. The records of removed versions stay, so
/// `ls` and `verify` still have them.
#[derive(Args, Debug)]
#[command(after_long_help = include_str!("../../tests/help/keep.trycmd"))]
pub(crate) struct Prune {
    /// The history pack
    pack: PathBuf,
    /// Keep the newest N runs or versions
    #[arg(long, value_name = "N", default_value_t = 0)]
    keep_last: usize,
    /// Keep the newest version of each of N days with versions
    #[arg(long, value_name = "N", default_value_t = 0)]
    keep_daily: usize,
    /// Keep the newest version of each of N weeks with versions
    #[arg(long, value_name = "N", default_value_t = 0)]
    keep_weekly: usize,
    /// Only show what would be removed
    #[arg(long)]
    dry_run: bool,
}

impl Prune {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        let retention = Retention { last: self.keep_last, daily: self.keep_daily, weekly: self.keep_weekly };
        let pruned = match self.dry_run {
            true => Pack::open_read_only(&self.pack).or_fail()?.would_prune(&retention).or_fail()?,
            false => {
                let mut pack = Pack::open(&self.pack).or_fail()?;
                let kept = pack.would_prune(&retention).or_fail()?.kept.len();
                let bar = bar(kept as u64, console);
                let pruned = pack.prune(&retention, &entry_now("file"), &mut |_| bar.inc(1));
                bar.finish_and_clear();
                pruned.or_fail()?
            }
        };
        if console.json {
            let members = [("removed", list(pruned.removed, number)), ("kept", list(pruned.kept, number))];
            console.print_json(&report("history prune", members))?;
            return Ok(Exit::Good);
        }
        let removed: Vec<String> = pruned.removed.iter().map(u64::to_string).collect();
        let verb = if self.dry_run { "would remove" } else { "removed" };
        match removed.is_empty() {
            true => console.line(&format!("nothing to remove, {} versions stay", pruned.kept.len()))?,
            false => {
                let line = format!("{verb} {} ({} stay)", removed.join(", "), pruned.kept.len());
                console.line(&line)?;
            }
        }
        Ok(Exit::Good)
    }
}
