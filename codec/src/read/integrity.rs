//! Level *verify* (§10.1): checks that the file is complete, and that everything in it matches the
//! document.
//!
//! ```
//! use coconut_codec::compile::{CompileOptions, compile};
//! use coconut_codec::read::file::DocumentFile;
//!
//! let compiled = compile(br#"{"port":80}"#, &CompileOptions::default())?;
//! let file = DocumentFile::from_data(compiled.bytes)?;
//! file.view().check_blocks()?;
//! let whole = file.view().check_integrity()?;
//! assert_eq!((whole.values, whole.depth), (2, 1));
//! assert_eq!(whole.digest, file.header().digest);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::bytes::Bytes;
use crate::bytes::checksum::Blocks;
use crate::index::Index;
use crate::limits;
use crate::msgpack::{Cursor, Token, shortest_length};
use crate::read::canonical::Canonical;
use crate::read::file::{DocumentView, Frame, Outline};
use crate::read::index::{Extent, check_expansion};
use crate::read::measure::{Size, Sizes, Survey};
use crate::read::stream::{Budget, ValueStreams};
use crate::read::tables::Tables;
use crate::wire::directory::{Entry, Part};
use crate::wire::edges::Rows;
use crate::wire::header::Profile;
use crate::wire::keys;
use crate::wire::keys::LANDMARK_DIGEST;
use crate::wire::landmarks::{LandmarkRow, classes_table, has_classes, has_tree, offsets_table, tree_table};
use crate::wire::trailer::{TRAILER, WRONG_DIRECTORY};
use crate::wire::value::{ext_integer, ext_width};
use coconut_format::error::{DecodeError, ErrorKind};
use coconut_format::landmark::OwnKeys;
use std::ops::Range;

/// The facts found by verifying a whole file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Integrity {
    /// The number of values of the expanded document.
    pub values: u64,
    /// The number of levels of the document.
    pub depth: u32,
    /// The number of landmarks.
    pub landmarks: u64,
    /// The computed document digest.
    pub digest: [u8; 32],
}

/// Compares every checksum in `file`. Interprets only the bytes needed to find the checksums
/// (§10.3, steps 1 to 6, and then all blocks).
///
/// Use this to check whether a copy or a cache entry is complete. A file that passes can still
/// contain errors of its writer.
///
/// Costs a pass over the file at about the speed of memory, and half as much as opening it. In a
/// file of 8 kB, opening is most of the cost. The header and its landmark rule are not read.
///
/// # Errors
///
/// The errors of opening for envelope, signature, trailer and directory, and
/// [`ErrorKind::Checksum`] at the first block that differs.
///
/// ```
/// # use coconut_codec::compile::{CompileOptions, compile};
/// use coconut_codec::read::integrity::check_checksums;
///
/// let mut file = compile(br#"{"port":80}"#, &CompileOptions::default())?.bytes;
/// assert!(check_checksums(&file).is_ok());
/// *file.last_mut().expect("it is not empty") ^= 1;
/// assert!(check_checksums(&file).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check_checksums(file: &[u8]) -> Result<(), DecodeError> {
    let data = Bytes::Whole(file);
    let (Outline { directory, blocks, .. }, _) = Outline::open(data)?;
    check_all(data, blocks.as_ref(), directory.start)
}

/// Compares the checksums of all blocks. The directory begins at `directory`.
fn check_all(data: Bytes<'_>, blocks: Option<&Blocks>, directory: usize) -> Result<(), DecodeError> {
    match blocks {
        Some(blocks) => blocks.ensure(&data, 0, directory).map(drop),
        // Opening has compared the single checksum, which covers everything.
        None => Ok(()),
    }
}

/// Returns whether a checksum is that of a block of zeros, of any allowed block size (§7.2). A
/// block that was never written reads as zeros.
#[doc(hidden)]
pub fn is_sum_of_zeros(sum: u32) -> bool {
    let zeros = [0; 1 << 12];
    let mut hasher = crc32fast::Hasher::new();
    let mut hashed = 0usize;
    (12..=20).any(|bits| {
        while hashed < 1 << bits {
            hasher.update(&zeros);
            hashed += zeros.len();
        }
        hasher.clone().finalize() == sum
    })
}

impl DocumentView<'_> {
    /// Compares the checksum of every block. Costs one pass over the file at about the speed of
    /// memory.
    pub fn check_blocks(&self) -> Result<(), DecodeError> {
        check_all(self.data, self.blocks(), self.frame.directory.start)
    }

    /// Reads every stored value once (§10.1, level *decode*), without building anything.
    pub fn check_values(&self) -> Result<(), DecodeError> {
        let tables = Tables::read(*self)?;
        Survey::of(*self, &tables).map(drop)
    }

    /// Checks that each landmark has a place of its own (§8.2), whatever the tables claim. A writer
    /// of the same document gives each landmark its own place. For a file that shares landmarks,
    /// its output would be disproportionately large.
    ///
    /// Costs a pass over the stored values, and a walk that collects the landmarks.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::ValueForm`] at a landmark in a record or in a shared value, and all read
    /// errors.
    pub fn check_landmarks(&self) -> Result<(), DecodeError> {
        check_expansion(*self)?;
        Index::of_document(*self, Extent::Landmarks, u64::MAX).map(drop)
    }

    /// Checks everything that can be checked without the source (§10.1, level *verify*): checksums,
    /// forms, padding, tables, claims, digest. Costs a few passes over the file and one over the
    /// expanded document. Takes memory for its index.
    ///
    /// ```
    /// use coconut_codec::{Document, to_vec};
    ///
    /// let mut bytes = to_vec(&["a", "b"])?;
    /// let checked = Document::from_data(&bytes[..])?.view().check_integrity()?;
    /// assert_eq!((checked.values, checked.depth), (3, 1));
    ///
    /// // One flipped bit is found, here or by opening.
    /// let middle = bytes.len() / 2;
    /// bytes[middle] ^= 1;
    /// let file = Document::from_data(&bytes[..]);
    /// assert!(file.and_then(|file| file.view().check_integrity()).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn check_integrity(&self) -> Result<Integrity, DecodeError> {
        self.check_blocks()?;
        let tables = Tables::read(*self)?;
        let survey = Survey::of(*self, &tables)?;
        self.check_elements()?;
        self.check_offset_tables()?;
        let budget = Budget::default();
        survey.check(budget.values, budget.bytes, self.frame.root.start)?;
        // The survey has bounded the work.
        let index = Index::of_document(*self, self.extent_of_index(), u64::MAX)?;
        self.check_index(&index)?;
        self.check_landmark_digests(&index, &tables, &survey)?;
        self.check_edges(&index)?;
        let (header, places) = (self.header(), &self.frame.header_places);
        let claims = [
            ("values", header.values == survey.root.values, places.values),
            ("depth", header.depth == survey.root.depth, places.depth),
            ("landmarks", header.landmarks == index.len() as u64, places.landmarks),
        ];
        if let Some((key, _, at)) = claims.iter().find(|(_, holds, _)| !holds) {
            return Err(ErrorKind::HeaderField { key }.at(*at));
        }
        let digest = self.digest(&tables, &survey)?;
        if digest != header.digest {
            return Err(ErrorKind::DigestDiffers.at(places.digest));
        }
        let Survey { root, .. } = survey;
        Ok(Integrity { values: root.values, depth: root.depth, landmarks: index.len() as u64, digest })
    }

    /// Returns the part of the index needed to compare the tables with it. Small files can
    /// represent any number of edges. Without an index, no edges are compared. If the document has
    /// more edges than the tables of the file, a part of them is enough.
    fn extent_of_index(&self) -> Extent {
        const FEW_EDGES: usize = 1 << 20;
        let length = |part: &Part| self.frame.directory.get(*part).map_or(0, |table| table.range().len());
        let bytes = Part::EDGES.iter().map(length).max().unwrap_or_default();
        match self.frame.directory.get(Part::LANDMARK_OFFSETS) {
            Some(_) => Extent::WithEdges { most_edges: bytes.clamp(FEW_EDGES, limits::EDGES) },
            None => Extent::Landmarks,
        }
    }

    /// Checks that the digests of landmarks are those of their keys and values (§8.8). The values
    /// of nested landmarks are hashed once for each landmark around them. So they are measured
    /// together beforehand, and the limits of a stream apply to their total.
    fn check_landmark_digests(
        &self,
        index: &Index,
        tables: &Tables<'_>,
        survey: &Survey,
    ) -> Result<(), DecodeError> {
        let Some(entry) = self.frame.directory.get(Part::LANDMARK_DIGESTS) else { return Ok(()) };
        let found = self.data.get(entry.range()).unwrap_or_default();
        let streams = ValueStreams::new(*self, tables, survey);
        let mut canonical = Canonical::new();
        let (mut sizes, mut all) = (Sizes::new(*self), Size::default());
        let slots = (entry.start..).step_by(LANDMARK_DIGEST).zip(found.chunks(LANDMARK_DIGEST));
        for ((_, ordinal), (at, found)) in index.slot_order().into_iter().zip(slots) {
            let value = self.made_landmark(index, ordinal).value()?;
            let size = sizes.of(value)?;
            all.add(size.values, size.text);
            all.check(limits::STREAM_VALUES, limits::STREAM_BYTES, self.frame.root.start)?;
            canonical.landmark(&index.keys.whole_key(ordinal.0));
            let start = value.offset();
            canonical.value(&streams, usize::try_from(start).unwrap_or(usize::MAX))?;
            let digest = canonical.take();
            if let Some(first) = found.iter().zip(digest).position(|(found, expected)| *found != expected) {
                let differs = ErrorKind::IndexDiffers { table: Part::LANDMARK_DIGESTS.0 };
                return Err(differs.at((at + first) as u64));
            }
        }
        Ok(())
    }

    /// Computes the document digest (§4.7) from the values.
    fn digest(&self, tables: &Tables<'_>, survey: &Survey) -> Result<[u8; 32], DecodeError> {
        let mut canonical = Canonical::new();
        let streams = ValueStreams::new(*self, tables, survey);
        canonical.value(&streams, self.element(Part::ROOT).start)?;
        Ok(canonical.take())
    }

    /// Checks that the elements follow each other in their shortest forms (§5.1), as recorded in
    /// the directory. The element of the tables comes last and extends to the end of the file.
    fn check_elements(&self) -> Result<(), DecodeError> {
        let payload = self.frame.envelope_length;
        let mut cursor = self.cursor(payload, self.data.len());
        let count = cursor.array_header()?;
        check_shortest(&mut self.cursor(payload, self.data.len()), 1, false)?;
        let header = &self.frame.header_range;
        check_shortest(&mut self.cursor(header.start, header.end), u64::MAX, false)?;
        let elements = Part::ELEMENTS.map(|part| self.element(part));
        // In profile `plain`, an extension is never a value (§4.6).
        let has_integers = self.header().profile != Profile::Plain;
        for element in elements {
            check_shortest(&mut self.cursor(element.start, element.end), u64::MAX, has_integers)?;
        }
        let mut position = self.frame.root.end;
        // Signature, header, four parts and the tables. The directory lists further elements.
        let mut elements = 7;
        let entries = self.frame.directory.entries.iter();
        let mut others: Vec<&Entry> = entries.filter(|entry| !Part::ELEMENTS.contains(&entry.part)).collect();
        others.sort_by_key(|entry| (entry.start, entry.end));
        let mut tables = Vec::new();
        for entry in others {
            if entry.start != position || !entry.is_element() {
                tables.push(entry);
                continue;
            }
            let mut cursor = self.cursor(entry.start, entry.end);
            cursor.skip(1)?;
            let count = (entry.end - cursor.position()) as u64;
            if count > 0 {
                return Err(ErrorKind::TrailingBytes { count }.at(cursor.position() as u64));
            }
            position = entry.end;
            elements += 1;
        }
        // A table in place of the element that holds the tables.
        if let Some(entry) = tables.first().filter(|entry| entry.start <= position) {
            let at = self.frame.directory.place_of(entry.part, self.frame.trailer.wide);
            return Err(ErrorKind::PartRange { part: entry.part.0 }.at(at));
        }
        let mut cursor = self.cursor(position, self.data.len());
        match cursor.token() {
            Ok(token @ Token::Bin(body)) if cursor.is_at_end() => {
                check_token(token, position, cursor.position())?;
                self.check_gaps(self.data.len() - body.len(), &tables)?;
            }
            _ => {
                let count = (self.data.len() - position) as u64;
                return Err(ErrorKind::TrailingBytes { count }.at(position as u64));
            }
        }
        match count == elements {
            true => Ok(()),
            false => Err(ErrorKind::PayloadForm { expected: "array header that counts its elements" }
                .at(payload as u64)),
        }
    }

    /// Checks that the last element holds the tables in sequence (§5.8), with only zero bytes
    /// between them, and that no table is elsewhere. The body of the element begins at `body`.
    /// `tables` are in the order of their places.
    fn check_gaps(&self, body: usize, tables: &[&Entry]) -> Result<(), DecodeError> {
        let Frame { directory, trailer, .. } = self.frame;
        let (mut covered, mut is_last) = (body, false);
        for entry in tables {
            if entry.start < covered || entry.is_element() || is_last {
                let at = directory.place_of(entry.part, trailer.wide);
                return Err(ErrorKind::PartRange { part: entry.part.0 }.at(at));
            }
            self.check_padding(covered..entry.start)?;
            covered = entry.end;
            if let (Part::BLOCK_TABLE, Some(blocks)) = (entry.part, self.blocks()) {
                covered += blocks.size().sums_of(entry.range().len());
                is_last = true;
            }
        }
        if directory.start < covered {
            return Err(WRONG_DIRECTORY.at((self.data.len() - TRAILER) as u64));
        }
        self.check_padding(covered..directory.start)
    }

    fn check_padding(&self, gap: Range<usize>) -> Result<(), DecodeError> {
        let bytes = self.data.get(gap.clone()).unwrap_or_default();
        match bytes.iter().position(|&byte| byte != 0) {
            Some(at) => Err(ErrorKind::Padding.at((gap.start + at) as u64)),
            None => Ok(()),
        }
    }

    /// Checks that the index tables are those implied by the document (§8.7). An absent table means
    /// that there is nothing to record: only class 0, no parents, no edges.
    fn check_index(&self, index: &Index) -> Result<(), DecodeError> {
        if self.frame.directory.get(Part::LANDMARK_OFFSETS).is_none() {
            return Ok(());
        }
        let wide = self.frame.trailer.wide;
        let rows: Vec<LandmarkRow> = index
            .offsets
            .iter()
            .zip(&index.classes)
            .zip(&index.parents)
            .map(|((&offset, &class), &parent)| LandmarkRow { offset, class, parent })
            .collect();
        self.compare_table(Part::LANDMARK_OFFSETS, &offsets_table(&rows, wide))?;
        self.refuse_absence(Part::LANDMARK_CLASSES, has_classes(&rows))?;
        self.compare_table(Part::LANDMARK_CLASSES, &classes_table(&rows))?;
        self.refuse_absence(Part::LANDMARK_TREE, has_tree(&rows))?;
        self.compare_table(Part::LANDMARK_TREE, &tree_table(&rows))?;
        let (buckets, slots) = keys::tables_in_order(&index.slot_order(), &index.offsets, wide);
        self.compare_table(Part::KEY_BUCKETS, &buckets)?;
        self.compare_table(Part::KEY_SLOTS, &slots)
    }

    /// Checks the same for the edges, which come after the landmark digests.
    fn check_edges(&self, index: &Index) -> Result<(), DecodeError> {
        if self.frame.directory.get(Part::LANDMARK_OFFSETS).is_none() {
            return Ok(());
        }
        let has_edges = index.edges.as_ref().is_some_and(|[edges, _]| !edges.edges.is_empty());
        self.refuse_absence(Part::DEPENDENCY_STARTS, has_edges)?;
        let Some(tables) = self.edge_tables() else { return Ok(()) };
        let none = [Rows::none(index.len()), Rows::none(index.len())];
        let rows = index.edges.as_ref().unwrap_or(&none).iter().zip(tables);
        let expected = rows.flat_map(|(rows, tables)| rows.tables(tables.is_shared, tables.count()));
        Part::EDGES.into_iter().zip(expected).try_for_each(|(part, bytes)| self.compare_table(part, &bytes))
    }

    /// Refuses a file without a table that its document needs.
    fn refuse_absence(&self, part: Part, is_needed: bool) -> Result<(), DecodeError> {
        let directory = &self.frame.directory;
        match is_needed && directory.get(part).is_none() {
            true => Err(ErrorKind::IndexDiffers { table: part.0 }.at(directory.start as u64)),
            false => Ok(()),
        }
    }
}

/// Checks that the next `count` tokens, or all up to the end, have the forms that a writer chooses
/// (§3.3). An integer extension must have the shortest body for its number (§4.3). Any other
/// extension keeps its length.
fn check_shortest(cursor: &mut Cursor<'_>, count: u64, has_integers: bool) -> Result<(), DecodeError> {
    let mut left = count;
    while left > 0 && !cursor.is_at_end() {
        let start = cursor.position();
        let is_signed = matches!(cursor.peek()?, 0xd0..=0xd3);
        let token = cursor.token()?;
        // A non-negative number has its own form, even if that is not shorter.
        if is_signed && matches!(token, Token::Unsigned(_)) {
            return Err(ErrorKind::NotCanonical.at(start as u64));
        }
        match token {
            Token::Ext(code, body)
                if has_integers
                    && ext_integer(code, body).is_ok_and(|integer| ext_width(integer) < body.len()) =>
            {
                return Err(ErrorKind::NotCanonical.at(start as u64));
            }
            _ => check_token(token, start, cursor.position())?,
        }
        left -= 1;
    }
    Ok(())
}

fn check_token(token: Token<'_>, start: usize, end: usize) -> Result<(), DecodeError> {
    match shortest_length(&token) == end - start {
        true => Ok(()),
        false => Err(ErrorKind::NotCanonical.at(start as u64)),
    }
}

#[cfg(test)]
mod tests;
