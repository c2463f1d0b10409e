//! Lookup of landmarks by key (§8.5).

#[cfg(feature = "tooling")]
mod dangling;
#[cfg(feature = "graphs")]
mod edges;
mod found;
mod indexed;
#[cfg(feature = "graphs")]
mod indexed_way;
#[cfg(feature = "graphs")]
mod joined;
mod landmark;
mod listing;
mod meter;
#[cfg(feature = "tooling")]
mod named;
mod table;
mod ways;

#[cfg(feature = "tooling")]
#[doc(hidden)]
pub use dangling::{DanglingReference, DanglingReferences};
#[cfg(feature = "graphs")]
pub use edges::EdgeView;
pub use found::LookupError;
pub use indexed::IndexedDocument;
pub use landmark::LandmarkView;
pub use listing::Keys;
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub use meter::SearchMeter;
#[cfg(not(feature = "tooling"))]
pub(crate) use meter::SearchMeter;
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub use named::{Named, NamedBy};
pub use table::KeyTable;
#[cfg(all(feature = "secrets", not(feature = "tooling")))]
pub(crate) use ways::Step;
#[cfg(not(feature = "tooling"))]
pub(crate) use ways::Ways;
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub use ways::{Step, Ways};

use crate::limits;
use crate::read::file::DocumentView;
use crate::read::index::Made;
use crate::wire::directory::Part;
use crate::wire::ids::Ordinal;
use crate::wire::keys::{KeyIndex, LANDMARK_DIGEST, hash};
use crate::wire::landmarks::{LandmarkTables, end_by_parents};
use coconut_format::error::{DecodeError, ErrorKind};
use std::cell::Cell;
use std::fmt;
use std::ops::ControlFlow;

/// Splits user input into candidate pairs of a key and a JSON pointer into its landmark's value.
/// The longest key comes first, because keys may contain slashes.
///
/// An empty key is never a candidate: input that begins with `/` and is not a key is a pointer from
/// the root. To name a landmark with an empty key, use its pointer.
#[doc(hidden)]
pub fn key_and_pointer(name: &str) -> impl Iterator<Item = (&str, &str)> {
    let slashes = name.rmatch_indices('/').map(|(at, _)| at);
    std::iter::once(name.len()).chain(slashes).filter(|&at| at > 0).map(|at| name.split_at(at))
}

/// The digest of a landmark's key and value (part 37): the first bytes of a SHA-256.
#[doc(hidden)]
pub type LandmarkDigest = [u8; LANDMARK_DIGEST];

/// The result of [`DocumentView::get_unique`].
#[derive(Clone)]
pub enum Lookup<'a> {
    /// No landmark has the key.
    Missing,
    /// Exactly one landmark has the key.
    Found(LandmarkView<'a>),
    /// Several landmarks have the key, listed in document order. To choose one, qualify the key by
    /// class.
    Ambiguous(Vec<LandmarkView<'a>>),
}

impl fmt::Debug for Lookup<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Lookup::Missing => f.write_str("Missing"),
            Lookup::Found(landmark) => f.debug_tuple("Found").field(landmark).finish(),
            Lookup::Ambiguous(all) => write!(f, "Ambiguous({} landmarks)", all.len()),
        }
    }
}

impl<'a> DocumentView<'a> {
    /// Returns all landmarks whose full key is `key`, in document order.
    ///
    /// With an index, the number of steps hardly depends on the size of the file: see the figures
    /// at [`get`](Self::get). In files larger than the processor caches, a lookup also waits for
    /// memory. With 1,000,000 resources, a key took 320 to 580 ns.
    ///
    /// Reading the touched pages costs extra. Without an index (small files, profile `transport`),
    /// the first lookup walks the document. With the feature `graphs`, the keys then stay in
    /// memory. Without it, each lookup reads all of them.
    ///
    /// ```
    /// use coconut_codec::{CompileOptions, Document, compile};
    ///
    /// let source = br#"{"vertices":{"web":{"port":80,"tags":["a","b"]},"db":{"port":5432}}}"#;
    /// let file = Document::from_data(compile(source, &CompileOptions::default())?.bytes)?;
    /// assert_eq!(file.view().get_all("web")?.len(), 1);
    /// assert!(file.view().get_all("cache")?.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn get_all(&self, key: &str) -> Result<Vec<LandmarkView<'a>>, DecodeError> {
        let mut found = Vec::new();
        self.find(key, |landmark| found.push(landmark))?;
        Ok(found)
    }

    /// Returns the landmark whose full key is `key`, or reports that there are none or several.
    ///
    /// Costs the same as [`get_all`](Self::get_all). A [`KeyTable`], made by
    /// [`key_table`](Self::key_table), answers four to twenty-five times as fast. It pays if a
    /// program requests at least about as many keys as the open file has.
    pub fn get_unique(&self, key: &str) -> Result<Lookup<'a>, DecodeError> {
        let mut first = None;
        let mut others = Vec::new();
        self.find(key, |landmark| match first {
            None => first = Some(landmark),
            Some(_) => others.push(landmark),
        })?;
        Ok(match first {
            None => Lookup::Missing,
            Some(landmark) if others.is_empty() => Lookup::Found(landmark),
            Some(landmark) => {
                others.insert(0, landmark);
                Lookup::Ambiguous(others)
            }
        })
    }

    fn find(&self, key: &str, mut each: impl FnMut(LandmarkView<'a>)) -> Result<(), DecodeError> {
        // Also for a key that no slot has.
        self.header().rule()?;
        if let Some(index) = self.key_index() {
            return self.find_indexed(&index, key, |landmark| {
                each(landmark);
                ControlFlow::Continue(())
            });
        }
        #[cfg(feature = "graphs")]
        if self.landmark_tables().is_none() {
            let index = self.made_index()?;
            index.with_key(key).iter().for_each(|&ordinal| each(self.made_landmark(index, ordinal)));
            return Ok(());
        }
        let mut keys = self.keys()?;
        while let Some((landmark, other)) = keys.read_next()? {
            if other == key {
                each(landmark);
            }
        }
        Ok(())
    }

    fn find_indexed(
        &self,
        index: &KeyIndex<'_>,
        key: &str,
        mut each: impl FnMut(LandmarkView<'a>) -> ControlFlow<()>,
    ) -> Result<(), DecodeError> {
        // In an unverified file, all slots may point to one place, with its key arbitrarily far
        // from there.
        let meter = SearchMeter::of(*self);
        let Some(tables) = self.landmark_tables() else { return Ok(()) };
        let compared = Cell::new(None);
        let differs = |slot| ErrorKind::IndexDiffers { table: Part::KEY_SLOTS.0 }.at(index.place_of(slot));
        let compare = |slot, offset| {
            let landmark = self.landmark_of_slot(&tables, index, slot, offset)?;
            compared.set(Some(landmark));
            let order =
                landmark.compare_key(key, &meter).map_err(|error| match landmark.is_no_key(&error) {
                    true => differs(slot),
                    false => error,
                })?;
            // Another key has the same hash, or the slot belongs to another landmark.
            if order.is_ne() && hash(&landmark.key_within(&meter)?) != hash(key) {
                return Err(differs(slot));
            }
            Ok(order)
        };
        let each = |_| compared.take().map_or(ControlFlow::Continue(()), &mut each);
        index.each_with_key(hash(key), compare, each)
    }

    /// Returns the landmark of a slot, which has this offset. It must be one of the landmark
    /// tables.
    pub(crate) fn landmark_of_slot(
        &self,
        tables: &LandmarkTables<'_>,
        index: &KeyIndex<'_>,
        slot: usize,
        offset: usize,
    ) -> Result<LandmarkView<'a>, DecodeError> {
        match tables.ordinal_at(offset)? {
            Some(ordinal) => Ok(LandmarkView { document: *self, offset, ordinal }),
            None => Err(ErrorKind::IndexRange { table: Part::KEY_SLOTS.0 }.at(index.place_of(slot))),
        }
    }

    /// Returns the error that the key index lacks a key. Use it if listing the keys after a miss
    /// finds the requested key. `None` for a file without a key index, whose keys are found by
    /// listing them.
    pub fn missed_key(&self) -> Option<DecodeError> {
        let slots = self.frame.directory.get(Part::KEY_SLOTS)?;
        Some(ErrorKind::IndexDiffers { table: Part::KEY_SLOTS.0 }.at(slots.start as u64))
    }

    /// Returns the landmarks in the order of the key index, each with its digest (part 37). `None`
    /// if the file has no digests.
    ///
    /// A digest covers key and value, so two landmarks with equal digests need not be compared. But
    /// the digest is only a claim of the file until the file is [verified](crate::read::integrity).
    /// Never rely on it in an untrusted file.
    #[doc(hidden)]
    pub fn unverified_digests(
        &self,
    ) -> Option<impl Iterator<Item = Result<(LandmarkView<'a>, LandmarkDigest), DecodeError>> + use<'a>> {
        let (document, digests) = (*self, self.table(Part::LANDMARK_DIGESTS)?);
        let (index, tables) = (self.key_index()?, self.landmark_tables()?);
        Some((0..index.count()).map(move |slot| {
            document.header().rule()?;
            let landmark = document.landmark_of_slot(&tables, &index, slot, index.offset(slot)?)?;
            Ok((landmark, digests.entry(slot)?))
        }))
    }

    /// Returns whether some landmark in this index has the full key `key`.
    pub(crate) fn has_key(&self, index: &KeyIndex<'_>, key: &str) -> Result<bool, DecodeError> {
        let mut has_key = false;
        self.find_indexed(index, key, |_| {
            has_key = true;
            ControlFlow::Break(())
        })?;
        Ok(has_key)
    }

    /// Returns the number of landmarks.
    ///
    /// ```
    /// use coconut_codec::{CompileOptions, Document, compile};
    ///
    /// let source = br#"{"vertices":{"web":{"port":80,"tags":["a","b"]},"db":{"port":5432}}}"#;
    /// let file = Document::from_data(compile(source, &CompileOptions::default())?.bytes)?;
    /// assert_eq!(file.view().landmark_count()?, 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn landmark_count(&self) -> Result<u32, DecodeError> {
        self.header().rule()?;
        match self.landmark_tables() {
            Some(tables) => Ok(tables.count()),
            None => Ok(u32::try_from(self.made_index()?.len()).unwrap_or(u32::MAX)),
        }
    }

    /// Returns landmark `ordinal` in document order.
    pub fn landmark(&self, ordinal: u32) -> Result<Option<LandmarkView<'a>>, DecodeError> {
        self.header().rule()?;
        let Some(tables) = self.landmark_tables() else {
            let index = self.made_index()?;
            return Ok(
                ((ordinal as usize) < index.len()).then(|| self.made_landmark(index, Ordinal(ordinal)))
            );
        };
        match ordinal < tables.count() {
            true => self.indexed_landmark(&tables, Ordinal(ordinal)).map(Some),
            false => Ok(None),
        }
    }

    /// Returns landmark `ordinal` of a file that has these tables.
    #[inline]
    fn indexed_landmark(
        &self,
        tables: &LandmarkTables<'_>,
        ordinal: Ordinal,
    ) -> Result<LandmarkView<'a>, DecodeError> {
        let offset = tables.offset(ordinal)?;
        Ok(LandmarkView { document: *self, offset, ordinal })
    }

    /// Iterates over all landmarks in document order. Reads only the tables. To get their keys too,
    /// use [`keys`](Self::keys).
    ///
    /// ```
    /// use coconut_codec::{CompileOptions, Document, compile};
    ///
    /// let source = br#"{"vertices":{"web":{"port":80,"tags":["a","b"]},"db":{"port":5432}}}"#;
    /// let file = Document::from_data(compile(source, &CompileOptions::default())?.bytes)?;
    /// let mut keys = Vec::new();
    /// for landmark in file.view().landmarks()? {
    ///     keys.push(landmark?.key()?.into_owned());
    /// }
    /// assert_eq!(keys, ["web", "db"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn landmarks(
        &self,
    ) -> Result<impl Iterator<Item = Result<LandmarkView<'a>, DecodeError>> + use<'a>, DecodeError> {
        let document = *self;
        let count = self.landmark_count()?;
        let tables = self.landmark_tables();
        Ok((0..count).filter_map(move |ordinal| match &tables {
            Some(tables) => Some(document.indexed_landmark(tables, Ordinal(ordinal))),
            None => document.landmark(ordinal).transpose(),
        }))
    }

    /// Returns the ordinal of the landmark around landmark `ordinal`.
    pub(crate) fn parent_of(&self, ordinal: Ordinal) -> Result<Option<Ordinal>, DecodeError> {
        match self.landmark_tables() {
            Some(tables) => tables.parent(ordinal),
            None => Ok(self.made_index()?.parents.get(ordinal.index()).copied().flatten()),
        }
    }

    /// Returns the first ordinal after `ordinal` that is not inside it.
    pub(crate) fn end_of(&self, ordinal: Ordinal) -> Result<Ordinal, DecodeError> {
        match self.landmark_tables() {
            Some(tables) => tables.end(ordinal),
            None => Ok(end_by_parents(&self.made_index()?.parents, ordinal)),
        }
    }

    /// Returns whether landmark `inner` is `outer` or inside it. Reads one entry of a table, or one
    /// parent per level.
    pub(crate) fn is_within(&self, inner: Ordinal, outer: Ordinal) -> Result<bool, DecodeError> {
        if let Some(tables) = self.landmark_tables() {
            return Ok((outer..tables.end(outer)?).contains(&inner));
        }
        let mut around = Some(inner);
        while let Some(at) = around.filter(|&at| at > outer) {
            around = self.parent_of(at)?;
        }
        Ok(around == Some(outer))
    }

    /// Returns whether some landmark is inside another.
    pub(crate) fn has_nested_landmarks(&self) -> Result<bool, DecodeError> {
        match self.landmark_tables() {
            Some(tables) => Ok(tables.tree.is_some()),
            None => Ok(self.made_index()?.parents.iter().any(Option::is_some)),
        }
    }

    /// Returns the landmarks found by walking the document.
    fn made_index(&self) -> Result<&'a Made, DecodeError> {
        #[cfg(feature = "graphs")]
        if let Some(index) = self.frame.made_graph.get() {
            return Ok(index);
        }
        let place = &self.frame.made_index;
        if let Some(index) = place.get() {
            return Ok(index);
        }
        let index = Made::landmarks_of(*self, limits::search_budget(self.data.len()))?;
        Ok(place.get_or_init(|| index))
    }

    /// Returns a landmark of an index that was built from this document.
    pub(crate) fn made_landmark(&self, index: &Made, ordinal: Ordinal) -> LandmarkView<'a> {
        let offset = index.offsets.get(ordinal.index()).copied().unwrap_or_default();
        let offset = usize::try_from(offset).unwrap_or(usize::MAX);
        LandmarkView { document: *self, offset, ordinal }
    }
}

#[cfg(test)]
mod tests;
