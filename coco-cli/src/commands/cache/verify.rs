//! `coco cache verify`: checks every entry.

use super::ls::code_of;
use super::{cache, failed};
use clap::Args;
use coconut_codec::cache::VerifyReport;
use coconut_report::json::{list, number, object, report, text};
use coconut_report::{Exit, Failure};
use coconut_shell::Console;

/// Check every entry of the cache
///
/// Compares all checksums, tables and digests. Damaged entries go into quarantine; their sources
/// are used until they are compiled again. Exits with 1 if any entry is damaged.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../../tests/help/cache.trycmd"))]
pub(crate) struct Verify {}

impl Verify {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        let VerifyReport { good, bad, unread } = cache().verify().map_err(failed)?;
        let is_good = bad.is_empty() && unread.is_empty();
        let bad: Vec<_> = bad.iter().map(|(key, fault)| (key.to_string(), code_of(fault))).collect();
        let unread: Vec<_> = unread.iter().map(|(key, fault)| (key.to_string(), fault.code())).collect();
        if console.json {
            let entry =
                |(key, code): &(String, &'static str)| object([("key", text(key)), ("code", text(*code))]);
            let members =
                [("good", number(good)), ("bad", list(&bad, entry)), ("unread", list(&unread, entry))];
            console.print_json(&report("cache-verify", members))?;
        } else {
            for (key, code) in &bad {
                console.warn(Some(code), &format!("entry {key} is in quarantine now"));
            }
            for (key, code) in &unread {
                console.warn(Some(code), &format!("entry {key} cannot be read"));
            }
            console.note(&format!("{good} good, {} bad, {} not readable", bad.len(), unread.len()));
        }
        Ok(if is_good { Exit::Good } else { Exit::Negative })
    }
}
