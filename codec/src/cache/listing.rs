//! Lists the entries of the cache, and verifies them.

use super::fault::CacheFault;
use super::key::EntryKey;
use super::layout::{Bucket, Layout};
use super::seal::Seal;
use super::{Cache, DocumentBytes};
use crate::bytes::private_dir::Missing;
use crate::read::file::DocumentFile;
use crate::read::view::Content;
use crate::wire::header::SourceRecord;
use coconut_format::error::DecodeError;
use std::time::SystemTime;

/// One entry, as its header describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct EntryReport {
    /// Its key, which is also its file name.
    pub key: EntryKey,
    /// Bytes of its file.
    pub bytes: u64,
    /// When it was last used, to the day.
    pub used: Option<SystemTime>,
    /// The document type.
    pub document_type: String,
    /// The name in the document, at `/name`.
    pub name: Option<String>,
    /// The library that wrote it.
    pub producer: String,
    /// The source that it was compiled from.
    pub source: Option<SourceRecord>,
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

/// The description of an entry, or what is wrong with it.
pub type EntryResult = Result<EntryReport, EntryFault>;

/// What is wrong with an entry.
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
    pub fn entries(&self) -> Result<Vec<(EntryKey, EntryResult)>, CacheFault> {
        let Some(layout) = self.layout(Missing::Leave)? else { return Ok(Vec::new()) };
        let mut entries = Vec::new();
        for key in keys(&layout)? {
            match open(&layout, &key) {
                // It was removed after it was listed.
                Ok(None) => {}
                Ok(Some(entry)) => entries.push((key, describe(key, &entry))),
                Err(fault) => entries.push((key, Err(EntryFault::File(fault)))),
            }
        }
        Ok(entries)
    }

    /// Checks every entry completely, and moves the bad ones to quarantine.
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

fn describe(key: EntryKey, entry: &OpenEntry) -> Result<EntryReport, EntryFault> {
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
    })
}
