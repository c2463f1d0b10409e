//! Documents that are read in place, with a few requests.
//!
//! A lookup needs the two ends of a file, and some tens of its blocks, which are in a few places.
//! So pieces of 16 KiB are read, and pieces beside each other with one request. Every block is
//! compared with its checksum when it is used. Pieces of a layer are kept by its digest:
//!
//! ```text
//! CACHE/hub-v1/parts/ab12…/0000002c    the piece 44 of the layer with this digest
//! ```
//!
//! Only a whole layer can be compared with its digest, so these pieces are only ever used for
//! lookups, and never become a document of the cache.

use crate::cache::{Held, LayerCache};
use crate::error::{HubError, HubErrorKind};
use crate::hub::{Found, Hub};
use crate::limits;
use crate::manifest::Descriptor;
use crate::network::Network;
use crate::reference::Place;
use crate::registry::{Part, Repository};
use coconut_codec::PagedFile;
use coconut_codec::bytes::paged::Ranges;
use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The number of bytes of a piece.
const PIECE: usize = 16 << 10;

/// The end of a file that is read at once: trailer, directory, checksums and tables.
const TAIL: usize = 64 << 10;

/// After so many requests, each reads twice as much as the one before.
const SMALL_REQUESTS: u64 = 16;

/// A document that is read in place, and what was read of it.
#[derive(Clone, Debug)]
pub struct Remote {
    state: Arc<Mutex<State>>,
    length: usize,
}

#[derive(Debug)]
struct State {
    source: Source,
    pieces: BTreeMap<usize, Vec<u8>>,
    kept: Option<(LayerCache, Descriptor)>,
    /// Without the lock, pieces that are removed meanwhile are only read again.
    _held: Option<Held>,
    reading: Reading,
    fault: Option<HubError>,
    sends_no_parts: bool,
}

/// The work of reading a document in place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Requests for parts of the document.
    pub requests: u64,
    /// Bytes that were received.
    pub bytes: u64,
    /// Whether pieces from an earlier lookup were used.
    pub used_kept: bool,
}

/// The place of a document.
#[derive(Debug)]
enum Source {
    Layer { network: Arc<Network>, place: Place, blob: Descriptor },
    Object { place: String, object: coconut_fleet::RemoteObject },
}

impl Remote {
    /// The layer of a document, which is not fetched. Costs no request.
    pub(crate) fn of_layer(
        network: Arc<Network>,
        found: &Found,
        cache: Option<&LayerCache>,
    ) -> Option<Remote> {
        let blob = found.layer.clone();
        let kept = cache.map(|cache| (cache.clone(), blob.clone()));
        let place = found.reference.place.clone();
        Remote::new(blob.size, Source::Layer { network, place, blob }, kept)
    }

    fn new(length: u64, source: Source, kept: Option<(LayerCache, Descriptor)>) -> Option<Remote> {
        let length = usize::try_from(length).ok()?;
        let (pieces, reading) = (BTreeMap::new(), Reading::default());
        let held = kept.as_ref().and_then(|(cache, blob)| cache.use_parts(blob.digest).ok());
        let state = State { source, pieces, kept, _held: held, reading, fault: None, sends_no_parts: false };
        Some(Remote { state: Arc::new(Mutex::new(state)), length })
    }

    /// The document as storage. Reads nothing yet.
    pub fn file(&self) -> PagedFile {
        PagedFile::of_ranges(Box::new(self.clone()))
    }

    /// The work so far.
    pub fn reading(&self) -> Reading {
        self.lock().reading
    }

    /// The first failed request. To a decoder, such bytes only appear missing.
    pub fn take_fault(&self) -> Option<HubError> {
        self.lock().fault.take()
    }

    /// Removes the pieces of earlier lookups, which may be damaged.
    pub fn forget(&self) {
        if let Some((cache, blob)) = &self.lock().kept {
            cache.remove_parts(blob.digest);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A piece is added as a whole, so a panic elsewhere leaves the state complete.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ranges for Remote {
    fn len(&self) -> usize {
        self.length
    }

    fn read(&self, range: Range<usize>) -> io::Result<Vec<u8>> {
        let mut state = self.lock();
        state.read(range, self.length).map_err(|error| {
            let text = error.to_string();
            state.fault.get_or_insert(error);
            io::Error::other(text)
        })
    }
}

impl State {
    fn read(&mut self, range: Range<usize>, length: usize) -> Result<Vec<u8>, HubError> {
        let mut wanted = range.start / PIECE..range.end.div_ceil(PIECE);
        if range.end == length {
            wanted.start = wanted.start.min(length.saturating_sub(TAIL) / PIECE);
        }
        let mut at = wanted.start;
        while at < wanted.end {
            if self.has(at) {
                at += 1;
                continue;
            }
            let mut end = at + 1;
            while end < wanted.end && !self.has(end) {
                end += 1;
            }
            let more = self.reading.requests.saturating_sub(SMALL_REQUESTS).min(20);
            end = end.max(at + (1usize << more)).min(length.div_ceil(PIECE));
            self.fetch(at..end, length)?;
            at = end;
        }
        let mut bytes = Vec::with_capacity(range.len());
        for at in range.start / PIECE..range.end.div_ceil(PIECE) {
            let piece = self.pieces.get(&at).map(Vec::as_slice).unwrap_or_default();
            let from = range.start.saturating_sub(at * PIECE);
            let to = (range.end - at * PIECE).min(piece.len());
            bytes.extend_from_slice(piece.get(from..to).unwrap_or_default());
        }
        Ok(bytes)
    }

    /// Whether a piece is in memory, now.
    fn has(&mut self, at: usize) -> bool {
        if self.pieces.contains_key(&at) {
            return true;
        }
        let kept = self.kept.as_ref().and_then(|(cache, blob)| cache.part(blob, at, PIECE));
        match kept {
            Some(piece) => {
                self.reading.used_kept = true;
                self.pieces.insert(at, piece);
                true
            }
            None => false,
        }
    }

    fn fetch(&mut self, pieces: Range<usize>, length: usize) -> Result<(), HubError> {
        let range = pieces.start * PIECE..(pieces.end * PIECE).min(length);
        self.reading.requests += 1;
        let wide = range.start as u64..range.end as u64;
        let bytes = match &self.source {
            Source::Object { place, object } => {
                object.read(wide).map_err(|fault| HubError::new(place, HubErrorKind::Object(fault)))?
            }
            Source::Layer { network, place, blob } => {
                let Place::Registry { host, repository } = place else { return Ok(()) };
                let repository = Repository { network, host, name: repository };
                match repository.part(blob, wide)? {
                    Part::Bytes(bytes) => bytes,
                    Part::Whole => {
                        self.sends_no_parts = true;
                        let what = "the whole layer instead of a part".to_owned();
                        return Err(HubError::new(place, HubErrorKind::Answer { what }));
                    }
                }
            }
        };
        self.reading.bytes += bytes.len() as u64;
        for (at, piece) in (pieces.start..).zip(bytes.chunks(PIECE)) {
            if let Some((cache, blob)) = &self.kept {
                // Without room for it, it is read again next time.
                let _ = cache.put_part(blob, at, piece);
            }
            self.pieces.insert(at, piece.to_vec());
        }
        Ok(())
    }
}

impl Hub {
    /// A document of a registry, to be read in place. Costs a request, for the end of the file.
    /// `None` if the registry sends no parts.
    ///
    /// # Errors
    /// Fails if the layer cannot be read.
    pub fn remote(&self, found: &Found) -> Result<Option<Remote>, HubError> {
        let network = self.network()?.clone();
        let remote = Remote::of_layer(network, found, self.options().cache.as_ref());
        let Some(remote) = remote.filter(|remote| remote.length > 0) else { return Ok(None) };
        let end = remote.length.saturating_sub(1)..remote.length;
        let mut state = remote.lock();
        let read = state.read(end, remote.length);
        if state.sends_no_parts {
            return Ok(None);
        }
        drop(state);
        read.map(|_| Some(remote))
    }

    /// An object of a store, to be read in place: `s3://`, `gs://`, `az://`, `https://`. Costs a
    /// request.
    ///
    /// # Errors
    /// Fails if there is no such object, or if it is larger than the limit.
    pub fn object(&self, url: &str) -> Result<Remote, HubError> {
        let fault = |fault| HubError::new(url, HubErrorKind::Object(fault));
        let options = coconut_fleet::FleetOptions { deadline: self.options().patience, ..Default::default() };
        let object = coconut_fleet::RemoteObject::open(url, options).map_err(fault)?;
        let absent = || HubError::new(url, HubErrorKind::Absent { what: "object of this name".to_owned() });
        let object = object.ok_or_else(absent)?;
        let (found, limit) = (object.length(), self.options().max_bytes);
        if found > limit {
            return Err(HubError::new(url, HubErrorKind::Limit { found, limit }));
        }
        let remote = Remote::new(found, Source::Object { place: url.to_owned(), object }, None);
        remote.ok_or_else(|| HubError::new(url, HubErrorKind::Limit { found, limit: limits::LAYER_BYTES }))
    }
}
