//! Instruction counts. They are the same on a busy machine, so a regression shows without a quiet
//! one.
//!
//! Each job of this project runs under `valgrind --tool=callgrind` once with one run and once with
//! three. A run is half of the difference, so the start of the process does not count. Valgrind
//! offers neither AVX-512 nor the SHA instructions, so figures of different jobs are not
//! comparable.

use crate::documents::Document;
use crate::jobs::{self, Job};
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Hash tables are seeded at random, which moves the counts by some thousandths.
const TOLERANCE: f64 = 0.02;

fn baseline_path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("instructions.tsv")
}

/// Counts, and compares with the committed baseline or replaces it. Fails if a job takes more than
/// before.
pub(crate) fn compare(document: &Document, resources: usize, bless: bool) -> Result<()> {
    let text = fs::read_to_string(baseline_path()).unwrap_or_default();
    let lines = text.lines().filter_map(|line| line.split_once('\t'));
    let before: BTreeMap<&str, u64> =
        lines.filter_map(|(job, count)| Some((job, count.parse().ok()?))).collect();
    let mut after = String::new();
    let mut worse = Vec::new();
    for job in jobs::all(document, Some(resources)) {
        let count = count(&job)?;
        let change = before.get(job.name).map(|&before| count as f64 / before as f64 - 1.0);
        let shown = change.map_or("new".to_owned(), |change| format!("{:+.1} %", 100.0 * change));
        println!("{:14} {count:>14} {shown}", job.name);
        after += &format!("{}\t{count}\n", job.name);
        worse.extend(change.filter(|&change| change > TOLERANCE).map(|_| job.name));
    }
    if bless {
        return Ok(fs::write(baseline_path(), after)?);
    }
    if !worse.is_empty() {
        bail!("more instructions than before: {}", worse.join(", "));
    }
    Ok(())
}

fn count(job: &Job<'_>) -> Result<u64> {
    // Effects of the very first run, such as an entry of the cache, are not part of a run.
    let warmed = Command::new(env::current_exe()?)
        .args(["run", job.name, &job.document.name, job.ours, "1"])
        .status()
        .context("cannot start itself")?;
    anyhow::ensure!(warmed.success(), "`{}` cannot be run", job.name);
    Ok(collected(job, 3)?.saturating_sub(collected(job, 1)?) / 2)
}

fn collected(job: &Job<'_>, runs: u32) -> Result<u64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(env::current_exe()?)
        .args(["run", job.name, &job.document.name, job.ours, &runs.to_string()])
        .output()
        .context("cannot start valgrind")?;
    let text = String::from_utf8_lossy(&output.stderr);
    let line = text.lines().find_map(|line| line.split_once("Collected :"));
    let (_, count) = line.with_context(|| format!("valgrind counted nothing: {text}"))?;
    Ok(count.trim().parse()?)
}

/// The child process of [`collected`].
pub(crate) fn run(job: Job<'_>, name: &str, runs: u32) -> Result<()> {
    let contender = job.contenders.into_iter().find(|contender| contender.name == name);
    let mut run = (contender.context("no such contender")?.prepare)();
    (0..runs).for_each(|_| {
        run();
    });
    Ok(())
}
