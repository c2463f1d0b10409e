//! A table of the keys of all landmarks (§8.5) in memory, for programs with many lookups in an open
//! file.
//!
//! ```text
//! places    by the hash of each key: u32   where its record begins, in units of 8 bytes
//! records   u64 offset   u32 ordinal   u32 length   key   0 to 7 bytes up to the next
//! ```
//!
//! Any number of keys can begin with one long key. So a key of 256 bytes or more that begins with
//! the key of the landmark around it is stored in parts. Instead of the key, the record stores the
//! place of the record with that other key, and its own key. A long own key is stored once, and the
//! record stores its position among the long own keys.
//!
//! ```text
//! in parts  u32 place   u32 length of the own key   own key, or u64 where it begins
//! ```
//!
//! A lookup waits for memory twice: for the place, and for the record, which stores the key to
//! compare beside the answer. Places are as small as possible, so those of 100,000 keys stay in the
//! caches. A hash beside each place would save one record access in ten. But it would enlarge the
//! places so much that it would cost more than it saves.

use super::{LandmarkView, Lookup};
use crate::bounded_debug::bounded_debug;
use crate::limits;
use crate::read::file::DocumentView;
use crate::wire::ids::Ordinal;
use coconut_format::error::DecodeError;
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;

/// The full keys of all landmarks of a document, in memory.
///
/// Gives the same answers as [`get_unique`](DocumentView::get_unique) and
/// [`get_all`](DocumentView::get_all), without reading the file. It takes about the time of a hash
/// map: a quarter to a twenty-fifth of theirs. A found landmark has its
/// [ordinal](LandmarkView::ordinal). Its value is read from the file as usual, and its checksums
/// are compared then.
///
/// Costs one pass over all [`keys`](DocumentView::keys), 0.1 to 0.3 µs per key. Takes about 28
/// bytes of memory per key plus its text; nested keys of 256 bytes or more are stored in parts. The
/// table pays off from about twice as many lookups as keys in a small file, and half as many in a
/// large file.
///
/// In a file that was never verified (`read::integrity`), the index may not match the document. The
/// table then has the actual keys of the landmarks. A lookup without the table depends on the slots
/// of the index.
///
/// ```
/// use coconut_codec::compile::{CompileOptions, compile};
/// use coconut_codec::read::file::DocumentFile;
/// use coconut_codec::read::lookup::Lookup;
/// use coconut_codec::read::view::Content;
///
/// let source = br#"{"vertices":{"web":{"port":80},"db":{"port":5432}}}"#;
/// let compiled = compile(source, &CompileOptions::default())?;
/// let file = DocumentFile::from_data(&compiled.bytes[..])?;
///
/// let keys = file.view().key_table()?;
/// let Lookup::Found(web) = keys.get_unique("web") else { panic!("it is there once") };
/// assert!(matches!(web.value()?.content()?, Content::Object(object) if object.len() == 1));
/// assert!(matches!(keys.get_unique("cache"), Lookup::Missing));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct KeyTable<'a> {
    document: DocumentView<'a>,
    table: Arc<Table>,
}

/// The table without its document.
pub(super) struct Table {
    /// Seeded at random, so a document cannot be crafted with keys that all collide.
    hasher: RandomState,
    places: HashTable<u32>,
    records: Records,
    /// For keys of several landmarks: all landmarks except the first, by ordinal of the first, then
    /// in document order.
    duplicates: Vec<Duplicate>,
}

bounded_debug!(KeyTable<'_>, |table| keys: table.table.places.len(), bytes: table.memory_bytes());

/// A landmark with the same key as an earlier one.
#[derive(Clone, Copy, Debug)]
struct Duplicate {
    offset: u64,
    ordinal: Ordinal,
    /// Ordinal of the first landmark with that key.
    first: Ordinal,
}

impl<'a> DocumentView<'a> {
    /// Reads the keys of all landmarks into a [`KeyTable`].
    ///
    /// # Errors
    ///
    /// The errors of [`Keys::read_next`](super::Keys::read_next).
    pub fn key_table(&self) -> Result<KeyTable<'a>, DecodeError> {
        let hasher = RandomState::default();
        // Trusted: a file has at least four bytes for each landmark that it declares.
        let mut places = HashTable::with_capacity(self.landmark_count()? as usize);
        let join = self.header().rule()?.join().unwrap_or_default().as_bytes();
        let mut records = Records { bytes: Vec::new(), long: Vec::new(), join: join.into() };
        let mut known = LongKeys::default();
        let mut duplicates = Vec::new();
        // The landmarks around the last one, outermost first, and the last one itself, with the
        // places of their keys.
        let mut open: Vec<(Ordinal, u32)> = Vec::new();
        let is_nested = self.has_nested_landmarks()? && self.header().rule()?.join().is_some();
        let mut keys = self.keys()?;
        while let Some((landmark, key, around)) = keys.read_next_within()? {
            let (key, ordinal) = (key.as_bytes(), landmark.ordinal);
            while open.pop_if(|(other, _)| around.is_none_or(|(around, _)| *other != around)).is_some() {}
            let is_same = |&place: &u32| records.has_key(place, key);
            let hash_again = |&place: &u32| hash(&hasher, &records.key(place));
            let place = match places.entry(hash(&hasher, key), is_same, hash_again) {
                Entry::Vacant(entry) => {
                    let above = open.last().zip(around).filter(|_| key.len() >= IN_PARTS_FROM);
                    let own = above.and_then(|(_, (_, length))| key.get(length + join.len()..));
                    let place = match above.zip(own) {
                        Some((((_, above), _), own)) => {
                            let parts = (*above, own);
                            records.push_parts(landmark.offset(), ordinal, key.len(), parts, &mut known)
                        }
                        None => records.push(landmark.offset(), ordinal, key),
                    };
                    *entry.insert(place).get()
                }
                Entry::Occupied(entry) => {
                    let first = records.at(*entry.get()).map_or(ordinal, |record| record.ordinal);
                    duplicates.push(Duplicate { offset: landmark.offset(), ordinal, first });
                    *entry.get()
                }
            };
            if is_nested {
                open.push((ordinal, place));
            }
        }
        records.bytes.shrink_to_fit();
        records.long.shrink_to_fit();
        // A stable sort keeps landmarks with the same key in document order.
        duplicates.sort_by_key(|duplicate| duplicate.first);
        duplicates.shrink_to_fit();
        Ok(KeyTable { document: *self, table: Arc::new(Table { hasher, places, records, duplicates }) })
    }
}

impl<'a> KeyTable<'a> {
    pub(super) fn with_table(document: DocumentView<'a>, table: Arc<Table>) -> KeyTable<'a> {
        KeyTable { document, table }
    }

    pub(super) fn into_table(self) -> Arc<Table> {
        self.table
    }

    /// Returns all landmarks whose full key is `key`, in document order.
    pub fn get_all(&self, key: &str) -> Vec<LandmarkView<'a>> {
        match self.get_unique(key) {
            Lookup::Missing => Vec::new(),
            Lookup::Found(landmark) => vec![landmark],
            Lookup::Ambiguous(landmarks) => landmarks,
        }
    }

    /// Returns the landmark whose full key is `key`, or reports that there is none or several.
    #[inline]
    pub fn get_unique(&self, key: &str) -> Lookup<'a> {
        let key = key.as_bytes();
        let is_same = |&place: &u32| self.table.records.at(place).is_some_and(|record| record.has_key(key));
        let place = self.table.places.find(hash(&self.table.hasher, key), is_same);
        let Some(first) = place.and_then(|&place| self.table.records.at(place)) else {
            return self.get_in_parts(key);
        };
        // Most documents have no duplicate keys.
        match self.table.duplicates.is_empty() {
            true => Lookup::Found(self.landmark(first.offset, first.ordinal)),
            false => self.with_duplicates(first.offset, first.ordinal),
        }
    }

    /// Looks up a key stored in parts. Runs last, so keys of ordinary length are not delayed.
    #[inline(never)]
    fn get_in_parts(&self, key: &[u8]) -> Lookup<'a> {
        if key.len() < IN_PARTS_FROM {
            return Lookup::Missing;
        }
        let place = self
            .table
            .places
            .find(hash(&self.table.hasher, key), |&place| self.table.records.has_key(place, key));
        match place.and_then(|&place| self.table.records.at(place)) {
            Some(first) => self.with_duplicates(first.offset, first.ordinal),
            None => Lookup::Missing,
        }
    }

    /// Returns the landmarks with the key of landmark `ordinal`, the first with that key.
    #[inline(never)]
    fn with_duplicates(&self, offset: u64, ordinal: Ordinal) -> Lookup<'a> {
        let first = self.landmark(offset, ordinal);
        let start = self.table.duplicates.partition_point(|duplicate| duplicate.first < ordinal);
        let others =
            self.table.duplicates.iter().skip(start).take_while(|duplicate| duplicate.first == ordinal);
        let others = others.map(|duplicate| self.landmark(duplicate.offset, duplicate.ordinal));
        let all: Vec<_> = std::iter::once(first).chain(others).collect();
        match all.len() {
            1 => Lookup::Found(first),
            _ => Lookup::Ambiguous(all),
        }
    }

    #[inline]
    fn landmark(&self, offset: u64, ordinal: Ordinal) -> LandmarkView<'a> {
        // The offset was a `usize` when the record was made.
        let offset = usize::try_from(offset).unwrap_or(usize::MAX);
        LandmarkView { document: self.document, offset, ordinal }
    }

    /// Returns the memory size of the table in bytes.
    pub fn memory_bytes(&self) -> usize {
        let duplicates = self.table.duplicates.capacity() * size_of::<Duplicate>();
        let records = self.table.records.bytes.capacity() + self.table.records.long.capacity();
        size_of::<Table>() + self.table.places.allocation_size() + records + duplicates
    }
}

/// Returns the hash of a key. No end mark is hashed, because nothing else is hashed with the key.
#[inline]
fn hash(hasher: &RandomState, key: &[u8]) -> u64 {
    let mut hasher = hasher.build_hasher();
    hasher.write(key);
    hasher.finish()
}

/// Records of different lengths, stored in sequence.
struct Records {
    bytes: Vec<u8>,
    /// Long own keys of records in parts.
    long: Vec<u8>,
    /// The separator between the key of a landmark and the own key that follows it.
    join: Box<[u8]>,
}

/// The position of each long own key, and its length in bytes.
#[derive(Default)]
struct LongKeys {
    places: HashTable<(usize, usize)>,
    hasher: RandomState,
}

/// Minimum length in bytes of a key stored in parts, if it begins with another key. Keys of real
/// documents are shorter. Comparing a key in parts waits for memory once more per part.
const IN_PARTS_FROM: usize = 256;

/// Minimum length in bytes of an own key that is stored once, however many keys end with it.
const LONG_KEY: usize = 64;

/// Flag in the length of a record: its key is stored in parts.
const IN_PARTS: u32 = 1 << 31;

/// Alignment of records in bytes. With it, 32 bits can address the largest possible table.
const UNIT: usize = 8;

/// Bytes of a record before its key.
const HEAD: usize = 16;

const _: () = {
    let most = limits::FULL_KEY_BYTES + (limits::LANDMARKS * (HEAD + UNIT - 1)) as u64;
    assert!(most / UNIT as u64 <= u32::MAX as u64);
};

/// One record, and the bytes after it.
struct Record<'r> {
    offset: u64,
    ordinal: Ordinal,
    length: u32,
    rest: &'r [u8],
}

impl Records {
    /// Appends a record and returns its place.
    fn push(&mut self, offset: u64, ordinal: Ordinal, key: &[u8]) -> u32 {
        let place = self.push_head(offset, ordinal, length_of(key.len()));
        self.bytes.extend_from_slice(key);
        place
    }

    /// Appends a record with a key of `length` bytes in parts: the place of the key that it begins
    /// with, and the own key. Returns its place.
    fn push_parts(
        &mut self,
        offset: u64,
        ordinal: Ordinal,
        length: usize,
        (above, own): (u32, &[u8]),
        known: &mut LongKeys,
    ) -> u32 {
        let place = self.push_head(offset, ordinal, IN_PARTS | length_of(length));
        self.bytes.extend_from_slice(&above.to_le_bytes());
        self.bytes.extend_from_slice(&length_of(own.len()).to_le_bytes());
        match own.len() < LONG_KEY {
            true => self.bytes.extend_from_slice(own),
            false => {
                let start = known.start_of(own, &mut self.long) as u64;
                self.bytes.extend_from_slice(&start.to_le_bytes());
            }
        }
        place
    }

    fn push_head(&mut self, offset: u64, ordinal: Ordinal, length: u32) -> u32 {
        let start = self.bytes.len().next_multiple_of(UNIT);
        self.bytes.resize(start, 0);
        self.bytes.extend_from_slice(&offset.to_le_bytes());
        self.bytes.extend_from_slice(&ordinal.0.to_le_bytes());
        self.bytes.extend_from_slice(&length.to_le_bytes());
        u32::try_from(start / UNIT).expect("keys have 4 GiB at most together")
    }

    /// Returns whether the record at `place` has this key, in parts or not.
    fn has_key(&self, place: u32, mut key: &[u8]) -> bool {
        let Some(mut record) = self.at(place) else { return false };
        while let Some((above, own)) = self.parts(&record) {
            if (record.length & !IN_PARTS) as usize != key.len() {
                return false;
            }
            let before = key.strip_suffix(own).and_then(|before| before.strip_suffix(&*self.join));
            let (Some(before), Some(above)) = (before, self.at(above)) else { return false };
            (record, key) = (above, before);
        }
        record.has_key(key)
    }

    /// Returns the key of the record at `place`.
    #[cold]
    fn key(&self, place: u32) -> Vec<u8> {
        let mut parts = Vec::new();
        let mut record = self.at(place);
        while let Some((above, own)) = record.as_ref().and_then(|record| self.parts(record)) {
            parts.extend([own, &self.join]);
            record = self.at(above);
        }
        parts.extend(record.map(|record| record.key()));
        parts.reverse();
        parts.concat()
    }

    /// Returns the parts of a record in parts: the place of the key that its key begins with, and
    /// the own key.
    fn parts<'r>(&'r self, record: &Record<'r>) -> Option<(u32, &'r [u8])> {
        if record.length & IN_PARTS == 0 {
            return None;
        }
        let (above, rest) = record.rest.split_first_chunk()?;
        let (length, rest) = rest.split_first_chunk()?;
        let length = u32::from_le_bytes(*length) as usize;
        let own = match length < LONG_KEY {
            true => rest.get(..length)?,
            false => {
                let start = usize::try_from(u64::from_le_bytes(*rest.first_chunk()?)).ok()?;
                self.long.get(start..)?.get(..length)?
            }
        };
        Some((u32::from_le_bytes(*above), own))
    }

    #[inline]
    fn at(&self, place: u32) -> Option<Record<'_>> {
        let (head, rest) = self.bytes.get(place as usize * UNIT..)?.split_first_chunk::<HEAD>()?;
        let (offset, head) = head.split_first_chunk()?;
        let (ordinal, length) = head.split_first_chunk()?;
        let (offset, ordinal) = (u64::from_le_bytes(*offset), Ordinal(u32::from_le_bytes(*ordinal)));
        Some(Record { offset, ordinal, length: u32::from_le_bytes(*length.first_chunk()?), rest })
    }
}

impl<'r> Record<'r> {
    /// Returns the key, unless it is stored in parts.
    #[inline]
    fn key(&self) -> &'r [u8] {
        self.rest.get(..self.length as usize).unwrap_or_default()
    }

    /// Returns whether the record stores this key in one piece.
    #[inline]
    fn has_key(&self, key: &[u8]) -> bool {
        self.length as usize == key.len() && self.key() == key
    }
}

fn length_of(length: usize) -> u32 {
    u32::try_from(length).expect("a key has 256 MiB at most")
}

impl LongKeys {
    /// Returns the position of `own` in `texts`. Appends it if it is missing.
    fn start_of(&mut self, own: &[u8], texts: &mut Vec<u8>) -> usize {
        let text_at = |&(start, length): &(usize, usize)| &texts[start..start + length];
        let hash_of = |place: &(usize, usize)| hash(&self.hasher, text_at(place));
        match self.places.entry(hash(&self.hasher, own), |place| text_at(place) == own, hash_of) {
            Entry::Occupied(entry) => entry.get().0,
            Entry::Vacant(entry) => {
                let start = texts.len();
                entry.insert((start, own.len()));
                texts.extend_from_slice(own);
                start
            }
        }
    }
}

#[cfg(test)]
mod tests;
