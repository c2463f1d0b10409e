//! `coco cache verify`: is everything in the cache whole?

use super::ls::code_of;
use super::{cache, failed};
use crate::failure::{Exit, Failure};
use crate::screen::{FORMAT_VERSION, Screen};
use clap::Args;
use serde::Serialize;

/// Check every entry of the cache
///
/// Compares all checksums, tables and digests. What is proven bad goes into quarantine; the source is used until it
/// is compiled again. Exits with 1 if anything was bad.
#[derive(Debug, Args)]
pub(crate) struct Verify {}

#[derive(Serialize)]
struct VerifyJson {
    format_version: u32,
    good: u64,
    bad: Vec<EntryJson>,
    unread: Vec<EntryJson>,
}

#[derive(Serialize)]
struct EntryJson {
    key: String,
    code: &'static str,
}

impl Verify {
    pub(crate) fn run(self, screen: &Screen) -> Result<Exit, Failure> {
        let report = cache().verify().map_err(failed)?;
        let is_good = report.bad.is_empty() && report.unread.is_empty();
        let entry = |key: &dyn ToString, code| EntryJson { key: key.to_string(), code };
        let bad: Vec<EntryJson> = report.bad.iter().map(|(key, fault)| entry(key, code_of(fault))).collect();
        let unread: Vec<EntryJson> =
            report.unread.iter().map(|(key, fault)| entry(key, fault.code())).collect();
        if screen.is_json() {
            let (format_version, good) = (FORMAT_VERSION, report.good);
            screen.print_json(&VerifyJson { format_version, good, bad, unread })?;
        } else {
            for EntryJson { key, code } in &bad {
                screen.warn(code, &format!("entry {key} is in quarantine now"));
            }
            for EntryJson { key, code } in &unread {
                screen.warn(code, &format!("entry {key} cannot be read"));
            }
            let good = report.good;
            screen.note(&format!("{good} good, {} bad, {} not readable", bad.len(), unread.len()));
        }
        Ok(if is_good { Exit::Good } else { Exit::Negative })
    }
}
