//! §8.5 The keys of all landmarks in memory, for programs that ask an open file for many.
//!
//! ```text
//! places    by the hash of each key: u32   where its record begins, in units of 8 bytes
//! records   u64 offset   u32 ordinal   u32 length   key   0 to 7 bytes up to the next
//! ```
//!
//! A lookup waits for memory twice: for the place, and for the record, which has the key to compare and the answer side
//! by side. Places are as small as they can be, so that those of 100,000 keys stay in the caches; the hash beside each,
//! which would save a look at one record in ten, makes them so much larger that it costs more than it saves.

use super::{LandmarkView, Lookup};
use crate::file::DocumentView;
use crate::limits;
use coconut_format::error::DecodeError;
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use std::hash::{BuildHasher, Hasher};

/// The full keys of all landmarks of a document, in memory.
///
/// Answers what [`get_unique`](DocumentView::get_unique) and [`get_all`](DocumentView::get_all) answer, without a look at
/// the file, in about the time of a hash map: a fifth to a twentieth of theirs. What is found knows its
/// [ordinal](LandmarkView::ordinal). Its value is read from the file as ever, and the checksums of its blocks are compared then.
///
/// Costs one pass over all [`keys`](DocumentView::keys), 0.1 to 0.3 µs for each, and memory: some 28 bytes for each key, beside
/// its text. That pays from about twice as many lookups as there are keys in a small file, and half as many in a large one.
///
/// Of a file that was never [verified](crate::integrity), whose index need not be that of the document, the table has
/// the keys that the landmarks have; a lookup without it has the slots of the index to go by.
///
/// ```
/// use coconut_codec::compile::{CompileOptions, compile};
/// use coconut_codec::file::DocumentFile;
/// use coconut_codec::lookup::Lookup;
/// use coconut_codec::view::Content;
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
#[derive(Debug)]
pub struct KeyTable<'a> {
    document: DocumentView<'a>,
    /// Seeded at random, so that no document can be made whose keys all collide.
    hasher: RandomState,
    places: HashTable<u32>,
    records: Records,
    /// Of keys that several landmarks have: all landmarks but the first, by ordinal of the first, then in document order.
    namesakes: Vec<Namesake>,
}

/// A landmark whose key another has before it.
#[derive(Clone, Copy, Debug)]
struct Namesake {
    offset: u64,
    ordinal: u32,
    /// Ordinal of the first with that key.
    first: u32,
}

impl<'a> DocumentView<'a> {
    /// Reads the keys of all landmarks into a [`KeyTable`].
    ///
    /// # Errors
    ///
    /// Those of [`Keys::read_next`](super::Keys::read_next).
    pub fn key_table(&self) -> Result<KeyTable<'a>, DecodeError> {
        let hasher = RandomState::default();
        // Believed: a file has four bytes or more for each landmark that it claims.
        let mut places = HashTable::with_capacity(self.landmark_count()? as usize);
        let mut records = Records(Vec::new());
        let mut namesakes = Vec::new();
        let mut keys = self.keys()?;
        while let Some((landmark, key)) = keys.read_next()? {
            let (key, ordinal) = (key.as_bytes(), landmark.ordinal()?);
            let is_same = |&place: &u32| records.at(place).is_some_and(|record| record.has_key(key));
            let hash_again = |&place: &u32| records.at(place).map_or(0, |record| hash(&hasher, record.key()));
            match places.entry(hash(&hasher, key), is_same, hash_again) {
                Entry::Vacant(entry) => {
                    entry.insert(records.push(landmark.offset(), ordinal, key));
                }
                Entry::Occupied(entry) => {
                    let first = records.at(*entry.get()).map_or(ordinal, |record| record.ordinal);
                    namesakes.push(Namesake { offset: landmark.offset(), ordinal, first });
                }
            }
        }
        records.0.shrink_to_fit();
        // Stable: the others of one key stay in document order.
        namesakes.sort_by_key(|namesake| namesake.first);
        namesakes.shrink_to_fit();
        Ok(KeyTable { document: *self, hasher, places, records, namesakes })
    }
}

impl<'a> KeyTable<'a> {
    /// All landmarks whose full key is `key`, in document order.
    pub fn get_all(&self, key: &str) -> Vec<LandmarkView<'a>> {
        match self.get_unique(key) {
            Lookup::Missing => Vec::new(),
            Lookup::Found(landmark) => vec![landmark],
            Lookup::Ambiguous(landmarks) => landmarks,
        }
    }

    /// The one landmark whose full key is `key`; or none, or which they are.
    #[inline]
    pub fn get_unique(&self, key: &str) -> Lookup<'a> {
        let key = key.as_bytes();
        let is_same = |&place: &u32| self.records.at(place).is_some_and(|record| record.has_key(key));
        let place = self.places.find(hash(&self.hasher, key), is_same);
        let Some(first) = place.and_then(|&place| self.records.at(place)) else { return Lookup::Missing };
        // Most documents have no key twice.
        match self.namesakes.is_empty() {
            true => Lookup::Found(self.landmark(first.offset, first.ordinal)),
            false => self.with_namesakes(first.offset, first.ordinal),
        }
    }

    /// What has the key of landmark `ordinal`, the first with that key.
    #[inline(never)]
    fn with_namesakes(&self, offset: u64, ordinal: u32) -> Lookup<'a> {
        let first = self.landmark(offset, ordinal);
        let start = self.namesakes.partition_point(|namesake| namesake.first < ordinal);
        let others = self.namesakes.iter().skip(start).take_while(|namesake| namesake.first == ordinal);
        let others = others.map(|namesake| self.landmark(namesake.offset, namesake.ordinal));
        let all: Vec<_> = std::iter::once(first).chain(others).collect();
        match all.len() {
            1 => Lookup::Found(first),
            _ => Lookup::Ambiguous(all),
        }
    }

    #[inline]
    fn landmark(&self, offset: u64, ordinal: u32) -> LandmarkView<'a> {
        // It was a `usize` when the record was made.
        let offset = usize::try_from(offset).unwrap_or(usize::MAX);
        LandmarkView { document: self.document, offset, ordinal: Some(ordinal) }
    }

    /// Bytes of memory that the table holds.
    pub fn memory_bytes(&self) -> usize {
        let namesakes = self.namesakes.capacity() * size_of::<Namesake>();
        size_of::<Self>() + self.places.allocation_size() + self.records.0.capacity() + namesakes
    }
}

/// The hash of a key, which needs no mark behind it: nothing else is hashed with it.
#[inline]
fn hash(hasher: &RandomState, key: &[u8]) -> u64 {
    let mut hasher = hasher.build_hasher();
    hasher.write(key);
    hasher.finish()
}

/// Records of different lengths, one after the other.
#[derive(Debug)]
struct Records(Vec<u8>);

/// Bytes that a record begins at a multiple of: 32 bits then count all that there may be.
const UNIT: usize = 8;

/// Bytes of a record before its key.
const HEAD: usize = 16;

const _: () = {
    let most = limits::FULL_KEY_BYTES + (limits::LANDMARKS * (HEAD + UNIT - 1)) as u64;
    assert!(most / UNIT as u64 <= u32::MAX as u64);
};

/// One record, and the bytes behind it.
struct Record<'r> {
    offset: u64,
    ordinal: u32,
    length: u32,
    rest: &'r [u8],
}

impl Records {
    /// Appends a record. Returns its place.
    fn push(&mut self, offset: u64, ordinal: u32, key: &[u8]) -> u32 {
        let start = self.0.len().next_multiple_of(UNIT);
        self.0.resize(start, 0);
        self.0.extend_from_slice(&offset.to_le_bytes());
        self.0.extend_from_slice(&ordinal.to_le_bytes());
        let length = u32::try_from(key.len()).expect("a key has 256 MiB at most");
        self.0.extend_from_slice(&length.to_le_bytes());
        self.0.extend_from_slice(key);
        u32::try_from(start / UNIT).expect("keys have 4 GiB at most together")
    }

    #[inline]
    fn at(&self, place: u32) -> Option<Record<'_>> {
        let (head, rest) = self.0.get(place as usize * UNIT..)?.split_first_chunk::<HEAD>()?;
        let (offset, head) = head.split_first_chunk()?;
        let (ordinal, length) = head.split_first_chunk()?;
        let (offset, ordinal) = (u64::from_le_bytes(*offset), u32::from_le_bytes(*ordinal));
        Some(Record { offset, ordinal, length: u32::from_le_bytes(*length.first_chunk()?), rest })
    }
}

impl<'r> Record<'r> {
    #[inline]
    fn key(&self) -> &'r [u8] {
        self.rest.get(..self.length as usize).unwrap_or_default()
    }

    #[inline]
    fn has_key(&self, key: &[u8]) -> bool {
        self.length as usize == key.len() && self.key() == key
    }
}

#[cfg(test)]
mod tests;
