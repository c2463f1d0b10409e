//! Peak memory: each contender once more, alone in a process.

use crate::jobs::Job;
use anyhow::{Context, Result, bail};
use std::process::Command;
use std::{env, fs};

/// The peak of resident memory while contender `name` of a job runs once, in KiB. Mapped files
/// count as far as they are touched.
pub(crate) fn peak(job: &Job<'_>, name: &str) -> Result<u64> {
    let output = Command::new(env::current_exe()?)
        .args(["memory", job.name, &job.document.name, name])
        .output()
        .context("cannot start this program again")?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8(output.stdout)?.trim().parse()?)
}

/// The child process of [`peak`].
pub(crate) fn run_once(job: Job<'_>, name: &str) -> Result<u64> {
    let contender = job.contenders.into_iter().find(|contender| contender.name == name);
    let mut run = (contender.context("no such contender")?.prepare)();
    // Forgets the peak of the preparations.
    fs::write("/proc/self/clear_refs", "5").context("only Linux tells peaks")?;
    run();
    let status = fs::read_to_string("/proc/self/status")?;
    let line =
        status.lines().find_map(|line| line.strip_prefix("VmHWM:")).context("only Linux tells peaks")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}
