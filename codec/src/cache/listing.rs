//! Lists the entries of the cache, and verifies them.

use super::fault::CacheFault;
use super::key::{EntryKey, Identity};
use super::layout::{Bucket, Layout};
use super::seal::Seal;
use super::source_stamp::SourceStamp;
use super::{Cache, DocumentBytes};
use crate::bytes::private_dir::Missing;
use crate::read::file::DocumentFile;
use crate::read::view::Content;
use crate::wire::header::SourceRecord;
use coconut_format::error::DecodeError;
use std::collections::HashMap;
use std::time::SystemTime;

/// One entry, as its header describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct EntryReport {
    /// Its key, which is also its file name.
    pub key: EntryKey,
    /// Bytes of its file.
    pub bytes: u64,
    /// The day of its last use.
    pub used: Option<SystemTime>,
    /// The document type.
    pub document_type: String,
    /// The name in the document, at `/name`.
    pub name: Option<String>,
    /// The library that wrote it.
    pub producer: String,
    /// The source that it was compiled from.
    pub source: Option<SourceRecord>,
    /// The recorded files that it was loaded for, sorted by path.
    pub sources: Vec<CachedSource>,
}

/// A file that an entry was loaded for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CachedSource {
    /// Its path. Bytes that are not UTF-8 are replaced.
    pub path: String,
    /// Base, name and version of the requested package.
    pub package: Option<String>,
}

/// The result of [`Cache::verify`].
#[derive(Clone, Debug, Default)]
pub struct VerifyReport {
    /// Number of good entries.
    pub good: u64,
    /// Bad entries, which are in quarantine now.
    pub bad: Vec<(EntryKey, EntryFault)>,
    /// Entries that could not be read, which stay where they are.
    pub unread: Vec<(EntryKey, CacheFault)>,
}

/// The description of an entry, or its fault.
pub type EntryResult = Result<EntryReport, EntryFault>;

/// The faults of an entry.
#[derive(Clone, Debug, PartialEq)]
pub enum EntryFault {
    /// The file is bad.
    File(CacheFault),
    /// The document in it is bad.
    Document(DecodeError),
}

impl Cache {
    /// All entries, sorted by key, each with its description or its fault. Opens each entry, and
    /// reads the header and the name of its document.
    #[doc(hidden)]
    pub fn entries(&self) -> Result<Vec<(EntryKey, EntryResult)>, CacheFault> {
        let Some(layout) = self.layout(Missing::Leave)? else { return Ok(Vec::new()) };
        let mut entries = Vec::new();
        let mut sources = sources(&layout);
        for key in keys(&layout)? {
            match open(&layout, &key) {
                // It was removed after it was listed.
                Ok(None) => {}
                Ok(Some(entry)) => {
                    let sources = sources.remove(&key).unwrap_or_default();
                    entries.push((key, describe(key, &entry, sources)));
                }
                Err(fault) => entries.push((key, Err(EntryFault::File(fault)))),
            }
        }
        Ok(entries)
    }

    /// Checks every entry completely, and moves the bad ones to quarantine.
    #[doc(hidden)]
    pub fn verify(&self) -> Result<VerifyReport, CacheFault> {
        let mut report = VerifyReport::default();
        let Some(layout) = self.layout(Missing::Leave)? else { return Ok(report) };
        for key in keys(&layout)? {
            let fault = match open(&layout, &key) {
                Ok(None) => continue,
                Ok(Some(entry)) => match check(&entry) {
                    Ok(()) => {
                        report.good += 1;
                        continue;
                    }
                    Err(error) => EntryFault::Document(error),
                },
                Err(fault) if fault.is_proof() => EntryFault::File(fault),
                Err(fault) => {
                    report.unread.push((key, fault));
                    continue;
                }
            };
            self.quarantine(&key);
            report.bad.push((key, fault));
        }
        Ok(report)
    }
}

/// An entry whose inputs are not known.
struct OpenEntry {
    document: DocumentBytes,
    bytes: u64,
    used: Option<SystemTime>,
}

/// The keys of all entries, sorted.
pub(super) fn keys(layout: &Layout) -> Result<Vec<EntryKey>, CacheFault> {
    let mut keys = Vec::new();
    let faults = layout.for_each_shard(Bucket::Entries, |shard| {
        keys.extend(shard.names()?.iter().filter_map(|name| EntryKey::parse(name)));
        Ok(())
    });
    keys.sort_unstable();
    faults.into_iter().next().map_or(Ok(keys), Err)
}

/// The files that entries were loaded for, by the stamps of these files. Skips stamps that cannot
/// be read.
fn sources(layout: &Layout) -> HashMap<EntryKey, Vec<CachedSource>> {
    let mut sources: HashMap<EntryKey, Vec<CachedSource>> = HashMap::new();
    let _ = layout.for_each_shard(Bucket::Stamps, |shard| {
        for name in shard.names()? {
            let Ok(Some(file)) = shard.read(&name) else { continue };
            let Ok((stamp, Some(owner))) = SourceStamp::read_with_owner(&file) else { continue };
            let identity = Identity::of_text(&owner.package);
            let key = stamp.entry_inputs(&identity).key();
            let package = Some(owner.package).filter(|package| !package.is_empty());
            sources.entry(key).or_default().push(CachedSource { path: owner.path, package });
        }
        Ok(())
    });
    sources.values_mut().for_each(|sources| sources.sort_unstable());
    sources
}

fn open(layout: &Layout, key: &EntryKey) -> Result<Option<OpenEntry>, CacheFault> {
    let name = key.to_string();
    let Some(shard) = layout.shard(Bucket::Entries, &name, Missing::Leave)? else { return Ok(None) };
    let Some(file) = shard.read(&name)? else { return Ok(None) };
    let (bytes, used) = (file.metadata().len(), file.metadata().modified().ok());
    let seal = Seal::read(&file)?;
    if seal.key != key.0 {
        return Err(CacheFault::Swapped { path: file.path().to_owned(), what: "key" });
    }
    let document = DocumentBytes::from_entry(file, seal.length)?;
    Ok(Some(OpenEntry { document, bytes, used }))
}

fn check(entry: &OpenEntry) -> Result<(), DecodeError> {
    DocumentFile::from_data(entry.document.as_ref())?.view().check_integrity().map(drop)
}

fn describe(key: EntryKey, entry: &OpenEntry, sources: Vec<CachedSource>) -> Result<EntryReport, EntryFault> {
    let file = DocumentFile::from_data(entry.document.as_ref()).map_err(EntryFault::Document)?;
    let name = file.view().root().pointer("/name").map_err(EntryFault::Document)?;
    let name = match name.map(|name| name.content()).transpose().map_err(EntryFault::Document)? {
        Some(Content::String(name)) => Some(name.to_owned()),
        _ => None,
    };
    let header = file.header();
    Ok(EntryReport {
        key,
        bytes: entry.bytes,
        used: entry.used,
        document_type: header.document_type.clone(),
        name,
        producer: header.producer.clone(),
        source: header.source.clone(),
        sources,
    })
}
