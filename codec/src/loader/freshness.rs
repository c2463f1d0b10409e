//! Identifies a source: by its content, by its metadata, or by trust.

use super::Loader;
use super::notes::{Notes, note_fault};
use super::origin::Proof;
use crate::bytes::expand::{Compression, expanded};
use crate::bytes::input::{is_on_network, open_regular};
use crate::bytes::pipe::check_length;
use crate::cache::{FileFacts, Identity, SourceStamp, now, options_digest};
use crate::write::PRODUCER;
use sha2::{Digest, Sha256};
use std::fs;
use std::io::{self, Read};
use std::path::Path;

/// The policy by which a compiled form proves that it is not older than its source.
///
/// Cost of a load that finds its entry, with one lookup, compared with parsing the same source
/// (processor time on a shared machine; `benches/peers/run --only "warm load"`):
///
/// | source | `Stat`, `Trust` | `Content` | serde_json | Python `json` | Node `JSON.parse` |
/// | --- | --- | --- | --- | --- | --- |
/// | checkpoint, 0.17 MB | 32 µs | 0.13 ms | 0.80 ms | 0.64 ms | 0.43 ms |
/// | checkpoint, 1.7 MB | 34 µs | 1.0 ms | 9.0 ms | 11 ms | 6.7 ms |
/// | provider schema, 13.6 MB | 37 µs | 8.2 ms | 70 ms | 376 ms | 78 ms |
/// | checkpoint, 35 MB | 43 µs | 20 ms | 180 ms | 381 ms | 150 ms |
///
/// A precompiled document beside its source is verified at each load, whatever the policy, because
/// no earlier check is trusted. That takes a pass over its *expanded* values. For the provider
/// schema with `Content` this takes 20 ms; compiling takes 56 ms. For 7.5 MB of rows that have
/// nothing in common it takes 40 ms of 47 ms. So it helps most at the first start, and with
/// repetitive documents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum Freshness {
    /// By the SHA-256 of the source, computed at every load. Never stale; costs 0.6 ms per
    /// megabyte.
    #[default]
    Content,
    /// By the metadata of the source, if the source was unchanged for two seconds
    /// before it was last hashed, and otherwise by its SHA-256.
    ///
    /// Wrong only if a file changes while its inode, its size and both its times stay the same. A
    /// program can cause that by writing to the disk below the file system, or through a map whose
    /// changes are not written out yet.
    Stat,
    /// No check: the last compiled form of the source is used, whatever the source is now.
    Trust,
}

/// The digest of a file, and the way it was determined.
#[derive(Clone, Copy, Debug)]
pub(super) struct SourceDigest {
    pub(super) digest: [u8; 32],
    pub(super) proof: Proof,
}

impl Loader {
    /// Identifies the file at `path`, and opens it only if the policy demands it. Also returns the
    /// stamp of the file in the cache.
    pub(super) fn identify(
        &self,
        path: &Path,
        identity: &Identity,
        notes: &mut Notes,
    ) -> io::Result<(SourceDigest, Option<SourceStamp>)> {
        let seen = match self.cache().map(|cache| (cache, cache.source_stamp(path, identity))) {
            Some((_, Ok(seen))) => seen,
            Some((cache, Err(fault))) => {
                note_fault(cache, fault, &mut notes.fallbacks);
                None
            }
            None => None,
        };
        if let Some(known) = self.identify_closed(path, seen.as_ref())? {
            return Ok((known, seen));
        }
        let Digested { digest, begun, facts } = digest_file(path)?;
        if let Some(facts) = facts {
            let options = options_digest(&self.options_for(path));
            let stamp = SourceStamp { facts, begun, digest, options, producer: PRODUCER.to_owned() };
            if seen.as_ref().is_none_or(|seen| says_more(&stamp, seen)) {
                notes.stamps.push((path.to_owned(), stamp));
            }
        }
        Ok((SourceDigest { digest, proof: Proof::Digest }, seen))
    }

    /// Identifies the file without opening it, if the policy and the stamp allow that.
    fn identify_closed(&self, path: &Path, seen: Option<&SourceStamp>) -> io::Result<Option<SourceDigest>> {
        let Some(seen) = seen else { return Ok(None) };
        let proof = match self.freshness {
            Freshness::Content => return Ok(None),
            Freshness::Trust => Proof::Trusted,
            Freshness::Stat => match FileFacts::new(&fs::metadata(path)?) {
                Some(facts) if seen.proves(&facts) => Proof::Stat,
                _ => return Ok(None),
            },
        };
        Ok(Some(SourceDigest { digest: seen.digest, proof }))
    }
}

/// Whether a stamp is better than the previous one: the two differ in more than the time, or only
/// this one is settled.
fn says_more(stamp: &SourceStamp, seen: &SourceStamp) -> bool {
    let is_same = SourceStamp { begun: stamp.begun, ..seen.clone() } == *stamp;
    !is_same || (stamp.is_settled() && !seen.is_settled())
}

/// A file that was hashed.
pub(super) struct Digested {
    pub(super) digest: [u8; 32],
    /// The time when reading began, in nanoseconds since 1970.
    begun: i64,
    /// Absent if the file changed meanwhile, or if its file system is not reliable.
    facts: Option<FileFacts>,
}

/// Hashes the text of a file. Costs a pass over it and 128 KiB of memory, and all of its bytes and
/// text if it is compressed (§17.3).
pub(super) fn digest_file(path: &Path) -> io::Result<Digested> {
    let (mut hasher, mut begins, mut compressed) = (Sha256::new(), true, None);
    let (begun, facts) = read_watched(path, |piece| {
        if std::mem::take(&mut begins) {
            compressed = Compression::of(piece).map(|_| Vec::new());
        }
        match &mut compressed {
            Some(bytes) => bytes.extend_from_slice(piece),
            None => hasher.update(piece),
        }
    })?;
    if let Some(bytes) = compressed {
        hasher.update(expanded(&bytes)?);
    }
    Ok(Digested { digest: hasher.finalize().into(), begun, facts })
}

/// Reads a file in pieces. Returns the time when that began, and the metadata of the file if it did
/// not change.
fn read_watched(path: &Path, mut each: impl FnMut(&[u8])) -> io::Result<(i64, Option<FileFacts>)> {
    const PIECE: usize = 128 << 10;
    let (mut file, metadata) = open_regular(path)?;
    check_length(&metadata)?;
    let begun = now();
    let before = FileFacts::new(&metadata);
    let mut piece = vec![0; PIECE];
    loop {
        match file.read(&mut piece) {
            Ok(0) => break,
            Ok(length) => each(&piece[..length]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let after = FileFacts::new(&file.metadata()?);
    let is_reliable = before == after && !is_on_network(&file);
    Ok((begun, before.filter(|_| is_reliable)))
}
