//! `coco cache ls`: what is in the cache.

use super::{cache, failed};
use crate::failure::{Exit, Failure};
use crate::numbers::size;
use crate::screen::{FORMAT_VERSION, Screen, on_one_line};
use clap::Args;
use coconut_codec::cache::{EntryFault, EntryKey, EntryReport, EntryResult};
use serde::Serialize;
use std::time::{Duration, SystemTime};

/// List what is in the cache
///
/// One line for each entry: the beginning of its key, its size, the days since it was last used, its type, and what
/// it calls itself.
#[derive(Debug, Args)]
pub(crate) struct Ls {}

#[derive(Serialize)]
struct LsJson {
    format_version: u32,
    entries: Vec<EntryJson>,
    bytes: u64,
}

/// An entry; of one that cannot be used only the key and what is wrong with it.
#[derive(Serialize)]
struct EntryJson {
    key: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    /// Seconds since 1970, to the day.
    #[serde(skip_serializing_if = "Option::is_none")]
    used: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    document_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    producer: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<&'static str>,
}

impl Ls {
    pub(crate) fn run(self, screen: &Screen) -> Result<Exit, Failure> {
        let entries = cache().entries().map_err(failed)?;
        let bytes =
            entries.iter().filter_map(|(_, entry)| entry.as_ref().ok()).map(|entry| entry.bytes).sum();
        if screen.is_json() {
            let entries = entries.into_iter().map(|(key, entry)| json(key, entry)).collect();
            screen.print_json(&LsJson { format_version: FORMAT_VERSION, entries, bytes })?;
            return Ok(Exit::Good);
        }
        let count = entries.len();
        let lines: String = entries.iter().map(|(key, entry)| line(*key, entry)).collect();
        screen.print(&lines)?;
        screen.note(&format!("{count} entries, {}", size(bytes)));
        Ok(Exit::Good)
    }
}

fn line(key: EntryKey, entry: &EntryResult) -> String {
    let key = &key.to_string()[..12];
    match entry {
        Ok(EntryReport { bytes, used, document_type, name, .. }) => {
            let age = used.and_then(|used| SystemTime::now().duration_since(used).ok());
            let days = age.map_or(0, |age| age.as_secs() / (24 * 60 * 60));
            let (document_type, name) =
                (on_one_line(document_type), on_one_line(name.as_deref().unwrap_or("-")));
            format!("{key}  {:>8}  {days:>4} d  {document_type:<9}  {name}\n", size(*bytes))
        }
        Err(fault) => format!("{key}  {}\n", code_of(fault)),
    }
}

fn json(key: EntryKey, entry: EntryResult) -> EntryJson {
    let key = key.to_string();
    let (report, fault) = match entry {
        Ok(report) => (Some(report), None),
        Err(fault) => (None, Some(code_of(&fault))),
    };
    let since_1970 = |time: SystemTime| time.duration_since(SystemTime::UNIX_EPOCH).ok();
    let used = report.as_ref().and_then(|report| report.used).and_then(since_1970);
    EntryJson {
        key,
        bytes: report.as_ref().map(|report| report.bytes),
        used: used.map(|used: Duration| used.as_secs()),
        document_type: report.as_ref().map(|report| report.document_type.clone()),
        name: report.as_ref().and_then(|report| report.name.clone()),
        producer: report.as_ref().map(|report| report.producer.clone()),
        source_bytes: report.and_then(|report| report.source).map(|source| source.bytes),
        fault,
    }
}

/// The code of what is wrong with an entry.
pub(super) fn code_of(fault: &EntryFault) -> &'static str {
    match fault {
        EntryFault::File(fault) => fault.code(),
        EntryFault::Document(error) => error.kind().code(),
    }
}
