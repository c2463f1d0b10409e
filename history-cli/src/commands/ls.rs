//! `ls`: lists the versions of a pack.

use crate::failure::OrFail;
use clap::Args;
use coconut_format::Value;
use coconut_format::numerals::{grouped, hex};
use coconut_history::{Lock, Pack, Version, time};
use coconut_report::json::{list, number, object, optional, optional_number, report, text};
use coconut_report::safe::visible;
use coconut_report::style::{DIM, STRONG};
use coconut_report::{Exit, Failure};
use coconut_shell::Console;
use std::collections::HashMap;
use std::path::PathBuf;

/// List the versions of a pack
///
/// The newest comes first. Columns: number, time (UTC), created, changed and deleted keys,
/// resources, serial number, user, operation, labels.
#[derive(Args, Debug)]
#[command(after_long_help = include_str!("../../tests/help/add.trycmd"))]
pub(crate) struct Ls {
    /// The history pack
    pack: PathBuf,
    /// Show the sizes of texts, and of what is stored for them
    #[arg(long)]
    sizes: bool,
    /// Show one line for each run: the versions written under one lock
    #[arg(long)]
    runs: bool,
}

/// The versions of one run, the newest last.
struct Run<'v> {
    versions: Vec<&'v Version>,
}

impl Ls {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        console.page_output();
        let pack = Pack::open_read_only(&self.pack).or_fail()?;
        if console.json {
            console.print_json(&listing(&pack)?)?;
            return Ok(Exit::Good);
        }
        let versions = pack.versions().or_fail()?;
        let counts = pack.change_counts().or_fail()?;
        let labels = labels(&pack)?;
        if let Some(lock) = pack.holder().or_fail()? {
            let who = lock.facts().who.unwrap_or_else(|| "?".to_owned());
            let line = format!(
                "locked by {} since {}: {}",
                visible(&who),
                time::to_text(lock.time),
                visible(&lock.id)
            );
            console.line(&console.paint(STRONG, &line))?;
        }
        for run in runs(&versions, self.runs).iter().rev() {
            let line = self.line(run, &counts, &labels, console);
            console.line(&line)?;
        }
        Ok(Exit::Good)
    }

    fn line(
        &self,
        run: &Run<'_>,
        counts: &HashMap<u64, [u64; 3]>,
        labels: &HashMap<u64, Vec<String>>,
        console: &Console,
    ) -> String {
        let (Some(first), Some(last)) = (run.versions.first(), run.versions.last()) else {
            return String::new();
        };
        let number = match first.n == last.n {
            true => last.n.to_string(),
            false => format!("{}-{}", first.n, last.n),
        };
        let sum = |at: usize| -> u64 {
            let of = |version: &&Version| {
                counts.get(&version.n).map_or(0, |counts| counts.get(at).copied().unwrap_or(0))
            };
            run.versions.iter().map(of).sum()
        };
        let changes = match last.dialect.as_deref() {
            Some("encrypted") => "encrypted".to_owned(),
            _ => format!("+{} ~{} -{}", sum(0), sum(1), sum(2)),
        };
        let mut line = format!("{number:>7}  {}  {changes:<12}", time::to_text(last.time));
        let mut column = |text: String| {
            line.push_str("  ");
            line.push_str(&text);
        };
        if let Some(resources) = last.resources {
            column(format!("{} resources", grouped(resources)));
        }
        if self.sizes {
            let stored: u64 = run.versions.iter().map(|version| version.stored).sum();
            column(format!("{} bytes, stored {}", grouped(last.length), grouped(stored)));
        }
        if let Some(serial) = last.serial {
            column(format!("serial {serial}"));
        }
        for text in [&last.who, &last.operation].into_iter().flatten() {
            column(visible(text));
        }
        if run.versions.iter().any(|version| version.forced) {
            column("forced".to_owned());
        }
        if last.slot.is_none() {
            column(console.paint(DIM, "removed"));
        }
        for label in run.versions.iter().filter_map(|version| labels.get(&version.n)).flatten() {
            column(console.paint(STRONG, &format!("[{label}]")));
        }
        line
    }
}

/// The versions in runs; each alone if they are not to be grouped.
fn runs(versions: &[Version], grouped: bool) -> Vec<Run<'_>> {
    let mut runs: Vec<Run<'_>> = Vec::new();
    for version in versions {
        let before = runs.last_mut().filter(|run| {
            let last = run.versions.last();
            grouped && version.lock_id.is_some() && last.is_some_and(|last| last.lock_id == version.lock_id)
        });
        match before {
            Some(run) => run.versions.push(version),
            None => runs.push(Run { versions: vec![version] }),
        }
    }
    runs
}

/// The labels of each version.
pub(crate) fn labels(pack: &Pack) -> Result<HashMap<u64, Vec<String>>, Failure> {
    let mut labels = HashMap::<u64, Vec<String>>::new();
    for (label, n) in pack.labels().or_fail()? {
        labels.entry(n).or_default().push(label);
    }
    Ok(labels)
}

/// The report of all versions.
pub(crate) fn listing(pack: &Pack) -> Result<Value, Failure> {
    let (counts, labels) = (pack.change_counts().or_fail()?, labels(pack)?);
    let versions = list(&pack.versions().or_fail()?, |version| in_json(version, &counts, &labels));
    let lock = lock_in_json(pack.holder().or_fail()?.as_ref());
    Ok(report("history ls", [("versions", versions), ("lock", lock)]))
}

/// A lock in a report; null if there is none.
pub(crate) fn lock_in_json(lock: Option<&Lock>) -> Value {
    let Some(lock) = lock else { return Value::Null };
    let facts = lock.facts();
    object([
        ("id", text(lock.id.as_str())),
        ("time", text(time::to_text(lock.time))),
        ("who", optional(facts.who)),
        ("operation", optional(facts.operation)),
    ])
}

/// A version in a report.
pub(crate) fn in_json(
    version: &Version,
    counts: &HashMap<u64, [u64; 3]>,
    labels: &HashMap<u64, Vec<String>>,
) -> Value {
    let [created, changed, deleted] = counts.get(&version.n).copied().unwrap_or_default();
    object([
        ("n", number(version.n)),
        ("time", text(time::to_text(version.time))),
        ("source", text(version.source.as_str())),
        ("serial", optional_number(version.serial)),
        ("lineage", optional(version.lineage.as_deref())),
        ("lock_id", optional(version.lock_id.as_deref())),
        ("who", optional(version.who.as_deref())),
        ("operation", optional(version.operation.as_deref())),
        ("client", optional(version.client.as_deref())),
        ("forced", Value::Bool(version.forced)),
        ("dialect", optional(version.dialect.as_deref())),
        ("resources", optional_number(version.resources)),
        ("created", number(created)),
        ("changed", number(changed)),
        ("deleted", number(deleted)),
        ("bytes", number(version.length)),
        ("stored", number(version.stored)),
        ("is_removed", Value::Bool(version.slot.is_none())),
        ("sha256", text(hex(&version.sha_256))),
        ("chain", text(hex(&version.chain))),
        ("labels", list(labels.get(&version.n).into_iter().flatten(), |label| text(label.as_str()))),
    ])
}
