//! `coco cache ls`: lists the cache.

use super::{cache, failed};
use crate::numbers::size;
use clap::Args;
use coco_inspect::console::visible;
use coco_inspect::json::{self, list, number, object, optional, report, text};
use coco_inspect::{Console, Exit, Failure};
use coconut_codec::cache::{EntryFault, EntryKey, EntryReport, EntryResult};
use coconut_format::Value;
use std::time::SystemTime;

/// List the entries of the cache
///
/// Prints one line per entry: the start of its key, its size, the days since it was last used, its
/// type, and its name.
#[derive(Debug, Args)]
pub(crate) struct Ls {}

impl Ls {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        let entries = cache().entries().map_err(failed)?;
        let bytes =
            entries.iter().filter_map(|(_, entry)| entry.as_ref().ok()).map(|entry| entry.bytes).sum();
        if console.json {
            let entries = list(&entries, |(key, entry)| to_json(*key, entry));
            json::print(console, &report("cache-ls", [("entries", entries), ("bytes", number(bytes))]))?;
            return Ok(Exit::Good);
        }
        let count = entries.len();
        let lines: String = entries.iter().map(|(key, entry)| line(*key, entry)).collect();
        console.print(&lines)?;
        console.note(&format!("{count} entries, {}", size(bytes)));
        Ok(Exit::Good)
    }
}

fn line(key: EntryKey, entry: &EntryResult) -> String {
    let key = &key.to_string()[..12];
    match entry {
        Ok(EntryReport { bytes, used, document_type, name, .. }) => {
            let age = used.and_then(|used| SystemTime::now().duration_since(used).ok());
            let days = age.map_or(0, |age| age.as_secs() / (24 * 60 * 60));
            let (document_type, name) = (visible(document_type), visible(name.as_deref().unwrap_or("-")));
            format!("{key}  {:>8}  {days:>4} d  {document_type:<9}  {name}\n", size(*bytes))
        }
        Err(fault) => format!("{key}  {}\n", code_of(fault)),
    }
}

/// If the entry cannot be used, everything except the key and the fault is `null`.
fn to_json(key: EntryKey, entry: &EntryResult) -> Value {
    let known = entry.as_ref().ok();
    let used = known.and_then(|entry| entry.used?.duration_since(SystemTime::UNIX_EPOCH).ok());
    let source = known.and_then(|entry| entry.source.as_ref());
    object([
        ("key", text(key.to_string())),
        ("bytes", known.map_or(Value::Null, |entry| number(entry.bytes))),
        // Seconds since 1970, to the day.
        ("used", used.map_or(Value::Null, |used| number(used.as_secs()))),
        ("document_type", optional(known.map(|entry| &*entry.document_type))),
        ("name", optional(known.and_then(|entry| entry.name.as_deref()))),
        ("producer", optional(known.map(|entry| &*entry.producer))),
        ("source_bytes", source.map_or(Value::Null, |source| number(source.bytes))),
        ("fault", optional(entry.as_ref().err().map(code_of))),
    ])
}

/// The code of the fault of an entry.
pub(super) fn code_of(fault: &EntryFault) -> &'static str {
    match fault {
        EntryFault::File(fault) => fault.code(),
        EntryFault::Document(error) => error.kind().code(),
    }
}
