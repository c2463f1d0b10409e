//! The list of skipped tests in a run.
//!
//! A test that does less than it could adds a line to a file. The last program of `coconut-tests`,
//! and `.ci/run`, print the file as one line.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::PathBuf;

/// Names the file of the list. `.ci/run` sets it, for all its steps.
const LIST: &str = "COCONUT_SKIPPED";

/// Records that a test did less than it could, because there is no `what`.
///
/// # Panics
///
/// If the list cannot be written.
pub fn skip(what: &str) {
    eprintln!("skipped: no {what}");
    if let Some(list) = list() {
        let file = File::options().create(true).append(true).open(&list);
        let written = file.and_then(|mut file| file.write_all(format!("{what}\n").as_bytes()));
        written.unwrap_or_else(|error| panic!("{}: {error}", list.display()));
    }
}

/// The same for something that a complete run must have: if `COCONUT_COMPLETE` is set, as in
/// `.ci/run`, the test fails.
///
/// # Panics
///
/// If the variable is set, or if the list cannot be written.
pub fn missing(what: &str) {
    assert!(std::env::var_os("COCONUT_COMPLETE").is_none(), "there is no {what}");
    skip(what);
}

/// The list as one line, with the number of tests for each reason. The list is empty afterwards.
///
/// Returns `None` if `.ci/run` prints the list, and if no list can be kept.
pub fn take() -> Option<String> {
    if std::env::var_os(LIST).is_some() {
        return None;
    }
    let list = list()?;
    let text = fs::read_to_string(&list).unwrap_or_default();
    // Without a skipped test there is no file.
    let _ = fs::remove_file(&list);
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for line in text.lines() {
        *reasons.entry(line).or_default() += 1;
    }
    let reasons: Vec<String> = reasons.iter().map(|(what, tests)| format!("no {what} ({tests})")).collect();
    Some(if reasons.is_empty() { "nothing".to_owned() } else { reasons.join("; ") })
}

/// The file of the list: one for each run of `cargo test`, which starts all programs of tests.
fn list() -> Option<PathBuf> {
    if let Some(list) = std::env::var_os(LIST) {
        return Some(PathBuf::from(list));
    }
    #[cfg(unix)]
    {
        let this = std::env::current_exe().ok()?;
        Some(this.with_file_name(format!("skipped-{}", std::os::unix::process::parent_id())))
    }
    #[cfg(not(unix))]
    None
}
