//! Packs whose writer is killed at a system call, or gets an error from it.
//!
//! This program starts itself under `strace` as a worker, which prints each change after it is on
//! the disk.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use coconut_history::{Entry, Pack, Retention, Unlock};
use coconut_testing::missing;
use std::path::Path;
use std::process::{Command, Output};

/// The folder of a worker, and its task.
const FOLDER: &str = "COCONUT_HISTORY_WORKER";
const TASK: &str = "COCONUT_HISTORY_TASK";

const CALLS: [&str; 6] = ["pwrite64", "fdatasync", "fsync", "ftruncate", "unlink", "rename"];

/// Versions before the worker starts.
const BEFORE: u64 = 6;

fn text(n: u64) -> Vec<u8> {
    format!(
        r#"{{"vertices": {{"a": {{"type": "t", "n": {n}}}, "b": {{"type": "t", "text": "{}"}}}}}}"#,
        "x".repeat(300)
    )
    .into_bytes()
}

fn entry() -> Entry<'static> {
    Entry { source: "file", time: 1, ..Entry::default() }
}

/// The task of a worker. It prints a line after each change.
#[test]
fn worker() {
    let (Ok(folder), Ok(task)) = (std::env::var(FOLDER), std::env::var(TASK)) else { return };
    let folder = Path::new(&folder);
    let mut pack = match Pack::open(folder.join("s.cocohist")) {
        Ok(pack) => pack,
        Err(error) => return println!("\nrefused {} {error}", error.kind().code()),
    };
    let done = |result: Result<(), coconut_history::HistoryError>, what: &str| match result {
        Ok(()) => println!("\ndone {what}"),
        Err(error) => println!("\nrefused {} {error}", error.kind().code()),
    };
    match task.as_str() {
        "add" => {
            for n in BEFORE + 1..=BEFORE + 3 {
                done(pack.add(&text(n), &entry()).map(drop), &n.to_string());
            }
        }
        "lock" => {
            done(pack.lock("id", "{}", &entry()), "lock");
            done(pack.unlock(Unlock::Id("id"), &entry()).map(drop), "unlock");
        }
        "prune" => {
            let retention = Retention { last: 3, ..Retention::default() };
            done(pack.prune(&retention, &entry(), &mut |_| {}).map(drop), "prune");
        }
        _ => done(pack.backup(&folder.join("copy.cocohist")), "backup"),
    }
}

fn prepare(folder: &Path) {
    let mut pack = Pack::create(folder.join("s.cocohist")).unwrap();
    for n in 1..=BEFORE {
        pack.add(&text(n), &entry()).unwrap();
    }
}

fn run(task: &str, folder: &Path, inject: &str) -> Output {
    Command::new("strace")
        .args(["-f", "-qq", "-o", "/dev/null", "-e", &format!("trace={}", CALLS.join(",")), "-e", inject])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "worker", "--nocapture", "--test-threads=1"])
        .env(FOLDER, folder)
        .env(TASK, task)
        .output()
        .unwrap()
}

fn can_trace() -> bool {
    let is_there = Command::new("strace").args(["-qq", "-o", "/dev/null", "true"]).status();
    let can = is_there.is_ok_and(|status| status.success());
    if !can {
        missing("strace that may trace");
    }
    can
}

/// The changes that the worker reported as done.
fn reported(output: &Output) -> Vec<String> {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().filter_map(|line| line.strip_prefix("done ")).map(str::to_owned).collect()
}

/// Checks a pack after its writer: whole, with all that was reported, and at most one change more.
fn check(task: &str, folder: &Path, done: &[String], case: &str) {
    let name = folder.join("s.cocohist");
    let mut pack = Pack::open(&name).unwrap_or_else(|error| panic!("{case}: {error}"));
    pack.verify(None, &mut |_| {}).unwrap_or_else(|error| panic!("{case}: {error}"));
    let versions = pack.versions().unwrap();
    for version in versions.iter().filter(|version| version.slot.is_some()) {
        assert_eq!(pack.text(version.n).unwrap(), text(version.n), "{case}");
    }
    let acknowledged = done.iter().filter_map(|line| line.parse::<u64>().ok()).max().unwrap_or(BEFORE);
    let newest = versions.last().unwrap().n;
    assert!(
        (acknowledged..=acknowledged + 1).contains(&newest),
        "{case}: {newest}, acknowledged {acknowledged}"
    );
    let texts = versions.iter().filter(|version| version.slot.is_some()).count();
    match task {
        "prune" => {
            assert!(texts == 3 || texts == 6 && done.is_empty(), "{case}: {texts} texts");
        }
        "lock" => {
            let is_held = pack.holder().unwrap().is_some();
            assert!(!is_held || done.len() < 2, "{case}");
        }
        "backup" => {
            let copy = folder.join("copy.cocohist");
            assert!(copy.exists() || done.is_empty(), "{case}");
            if copy.exists() {
                assert_eq!(Pack::open_read_only(&copy).unwrap().versions().unwrap(), versions, "{case}");
            }
        }
        _ => {}
    }
    // The next writer goes on.
    let _ = pack.unlock(Unlock::Blind, &entry()).unwrap();
    pack.add(&text(newest + 1), &entry()).unwrap_or_else(|error| panic!("{case}: {error}"));
}

#[test]
fn no_kill_loses_what_was_acknowledged() {
    if std::env::var_os(FOLDER).is_some() || !can_trace() {
        return;
    }
    let mut kills = 0;
    for task in ["add", "lock", "prune", "backup"] {
        for call in CALLS {
            // In a process with several threads, each kill ends all of them.
            for when in 1.. {
                let folder = tempfile::tempdir().unwrap();
                prepare(folder.path());
                let output = run(task, folder.path(), &format!("inject={call}:signal=KILL:when={when}"));
                let is_killed = !output.status.success();
                check(task, folder.path(), &reported(&output), &format!("{task}: kill at {call} {when}"));
                if !is_killed {
                    break;
                }
                kills += 1;
            }
        }
    }
    assert!(kills >= 30, "{kills} kills");
}

#[test]
fn no_error_of_the_disk_loses_a_version() {
    if std::env::var_os(FOLDER).is_some() || !can_trace() {
        return;
    }
    let (mut errors, mut full) = (0, 0);
    for (call, error) in
        [("pwrite64", "ENOSPC"), ("pwrite64", "EIO"), ("fdatasync", "EIO"), ("pwrite64", "EDQUOT")]
    {
        for when in 1.. {
            let folder = tempfile::tempdir().unwrap();
            prepare(folder.path());
            let output = run("add", folder.path(), &format!("inject={call}:error={error}:when={when}"));
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            let refused: Vec<&str> = text.lines().filter(|line| line.starts_with("refused ")).collect();
            let pack = Pack::open(folder.path().join("s.cocohist")).unwrap();
            pack.verify(None, &mut |_| {}).unwrap_or_else(|error| panic!("{call} {when}: {error}"));
            let (stored, done) = (pack.versions().unwrap().len() as u64, reported(&output).len() as u64);
            assert_eq!(stored, BEFORE + done, "{call} {error} {when}");
            if refused.is_empty() {
                break;
            }
            // SQLite reports some calls on its index of the log as other errors.
            full += refused.iter().filter(|line| line.starts_with("refused HIST-FULL")).count();
            errors += 1;
        }
    }
    assert!(errors >= 10 && full >= 5, "{errors} errors, {full} times no room");
}
