//! `coco cache ls`: lists the cache.

use super::{cache, failed};
use crate::numbers::size;
use clap::Args;
use coconut_codec::cache::{
    CachedSource, EntryFault, EntryKey, EntryReport, EntryResult, HubEntry, HubEntryKind,
};
use coconut_codec::read::file::DocumentFile;
use coconut_codec::read::view::Content;
use coconut_format::Value;
use coconut_report::json::{list, number, object, optional, report, text};
use coconut_report::{Exit, Failure};
use coconut_shell::Console;
use coconut_shell::console::visible;
use std::cmp::Reverse;
use std::time::SystemTime;

/// List the entries of the cache
///
/// Prints one line per entry, the last used first: the start of its key, its size, the days since
/// it was last used, its type, the package or the name in it, and the source. If the source has
/// changed since, the line has none. Documents of registries follow, by their SHA-256: whole ones,
/// and those of which parts were read in place.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../../tests/help/cache.trycmd"))]
pub(crate) struct Ls {}

impl Ls {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        let mut entries = cache().entries().map_err(failed)?;
        entries.sort_by_cached_key(|(_, entry)| order_of(entry));
        let mut of_hub = cache().hub_entries().map_err(failed)?;
        of_hub.retain(|entry| entry.kind != HubEntryKind::Manifest);
        of_hub.sort_by_key(|entry| Reverse(entry.used));
        let known = entries.iter().filter_map(|(_, entry)| entry.as_ref().ok());
        let bytes = known.map(|entry| entry.bytes).chain(of_hub.iter().map(|entry| entry.bytes)).sum();
        if console.json {
            let entries = list(&entries, |(key, entry)| to_json(*key, entry));
            let of_hub = list(&of_hub, hub_to_json);
            let members = [("entries", entries), ("registry", of_hub), ("bytes", number(bytes))];
            console.print_json(&report("cache-ls", members))?;
            return Ok(Exit::Good);
        }
        let count = entries.len() + of_hub.len();
        let lines = entries.iter().map(|(key, entry)| line(*key, entry));
        let lines: String = lines.chain(of_hub.iter().map(hub_line)).collect();
        console.print(&lines)?;
        let entries = if count == 1 { "1 entry".to_owned() } else { format!("{count} entries") };
        console.note(&format!("{entries}, {}", size(bytes)));
        Ok(Exit::Good)
    }
}

/// The last used entry is first, then by path. Entries that cannot be used are last.
fn order_of(entry: &EntryResult) -> (bool, Reverse<Option<u64>>, Option<String>) {
    let Ok(entry) = entry else { return (true, Reverse(None), None) };
    // The time of use is known to the day.
    let days = entry.used.and_then(|used| used.duration_since(SystemTime::UNIX_EPOCH).ok());
    let path = entry.sources.first().map(|source| source.path.clone());
    (false, Reverse(days.map(|since| since.as_secs() / DAY)), path)
}

const DAY: u64 = 24 * 60 * 60;

fn line(key: EntryKey, entry: &EntryResult) -> String {
    let key = &key.to_string()[..12];
    let EntryReport { bytes, used, document_type, name, sources, .. } = match entry {
        Ok(entry) => entry,
        Err(fault) => return format!("{key}  {}\n", code_of(fault)),
    };
    let days = days_since(*used);
    let package = sources.iter().find_map(|source| source.package.as_deref());
    let name = visible(package.or(name.as_deref()).unwrap_or("-"));
    let source = match &sources[..] {
        [] => "-".to_owned(),
        [only] => visible(&only.path),
        [first, others @ ..] => format!("{} and {} more", visible(&first.path), others.len()),
    };
    let document_type = visible(document_type);
    format!("{key}  {:>8}  {days:>4} d  {document_type:<9}  {name}  {source}\n", size(*bytes))
}

fn hub_line(entry: &HubEntry) -> String {
    let (digest, size) = (&entry.digits[..12], size(entry.bytes));
    let days = days_since(entry.used);
    let (document_type, name) = hub_names(entry);
    let document_type = document_type.as_deref().map_or_else(|| "-".to_owned(), visible);
    let name = name.as_deref().map_or_else(|| "-".to_owned(), visible);
    let place = if entry.kind == HubEntryKind::Parts { "parts from a registry" } else { "from a registry" };
    format!("{digest}  {size:>8}  {days:>4} d  {document_type:<9}  {name}  {place}\n")
}

/// The document type and the name in a document, if it is there as a whole and can be read.
fn hub_names(entry: &HubEntry) -> (Option<String>, Option<String>) {
    if entry.kind == HubEntryKind::Parts {
        return (None, None);
    }
    let Ok(file) = DocumentFile::open_paged(&entry.path) else { return (None, None) };
    let document_type = Some(file.header().document_type.clone());
    let name = file.view().root().pointer("/name").ok().flatten().and_then(|name| name.content().ok());
    let name = match name {
        Some(Content::String(name)) => Some(name.to_owned()),
        _ => None,
    };
    (document_type, name)
}

fn hub_to_json(entry: &HubEntry) -> Value {
    let (document_type, name) = hub_names(entry);
    let used = entry.used.and_then(|used| used.duration_since(SystemTime::UNIX_EPOCH).ok());
    object([
        ("sha256", text(&entry.digits)),
        ("bytes", number(entry.bytes)),
        ("used", used.map_or(Value::Null, |used| number(used.as_secs()))),
        ("document_type", optional(document_type.as_deref())),
        ("name", optional(name.as_deref())),
        ("is_whole", Value::Bool(entry.kind != HubEntryKind::Parts)),
        ("path", text(entry.path.display().to_string())),
    ])
}

fn days_since(used: Option<SystemTime>) -> u64 {
    let age = used.and_then(|used| SystemTime::now().duration_since(used).ok());
    age.map_or(0, |age| age.as_secs() / DAY)
}

/// If the entry cannot be used, everything except the key and the fault is `null`.
fn to_json(key: EntryKey, entry: &EntryResult) -> Value {
    let known = entry.as_ref().ok();
    let used = known.and_then(|entry| entry.used?.duration_since(SystemTime::UNIX_EPOCH).ok());
    let source = known.and_then(|entry| entry.source.as_ref());
    let sources = known.map_or(&[][..], |entry| &entry.sources);
    let of_source = |source: &CachedSource| {
        object([("path", text(&source.path)), ("package", optional(source.package.as_deref()))])
    };
    object([
        ("key", text(key.to_string())),
        ("bytes", known.map_or(Value::Null, |entry| number(entry.bytes))),
        // Seconds since 1970, to the day.
        ("used", used.map_or(Value::Null, |used| number(used.as_secs()))),
        ("document_type", optional(known.map(|entry| &*entry.document_type))),
        ("name", optional(known.and_then(|entry| entry.name.as_deref()))),
        ("producer", optional(known.map(|entry| &*entry.producer))),
        ("source_bytes", source.map_or(Value::Null, |source| number(source.bytes))),
        ("sources", list(sources, of_source)),
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
