//! An open file (§5): its storage and a checked frame.

mod open_error;

pub use open_error::{OpenError, OpenErrorKind};

use crate::bytes::Bytes;
use crate::bytes::checksum::Blocks;
use crate::bytes::input::read;
use crate::bytes::paged::PagedFile;
use crate::limits;
use crate::msgpack::{Cursor, utf8};
use crate::read::view::{ShapeFacts, ValueView};
use crate::wire::directory::{Directory, Entry, Part};
#[cfg(feature = "graphs")]
use crate::wire::edges::EdgeTables;
use crate::wire::header::{Header, HeaderPlaces};
use crate::wire::ids::SharedId;
#[cfg(feature = "serde")]
use crate::wire::ids::StringId;
use crate::wire::keys::{KeyIndex, LANDMARK_DIGEST, bucket_bits};
use crate::wire::landmarks::LandmarkTables;
use crate::wire::offsets::Items;
use crate::wire::table::{Table, offset_width};
use crate::wire::trailer::{TRAILER, Trailer, WRONG_BLOCKS, WRONG_COVER};
use coconut_format::envelope::{Encoding, EnvelopeView};
use coconut_format::error::{DecodeError, ErrorKind};
use coconut_format::limits::ENVELOPE_LIMIT;
use coconut_format::signature;
use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// A compiled document: its bytes, and the facts found by opening them.
///
/// The storage is a parameter: a `Vec<u8>`, a slice, a memory map, a reference-counted buffer.
/// Opening reads the envelope, the header and the end of the file. Everything else is read, and its
/// checksums compared, on request. [`view`](DocumentFile::view) returns cheap views.
///
/// A document can be shared between threads (`Send`, `Sync`, `'static` as its storage is). A clone
/// costs a clone of its storage: a counter with `bytes::map::SharedBytes` or an `Arc<[u8]>`, a copy
/// with a `Vec`. Accessors of a [`PagedFile`] read from the file, so they block.
#[derive(Clone)]
pub struct DocumentFile<D> {
    data: D,
    /// Shared by clones, which have the same bytes.
    frame: Arc<Frame>,
}

impl<D: Storage> fmt::Debug for DocumentFile<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.view().describe("DocumentFile", f)
    }
}

/// The storage of a [`DocumentFile`]: memory (any `AsRef<[u8]>`), or a [`PagedFile`].
pub trait Storage {
    #[doc(hidden)]
    fn stored(&self) -> Bytes<'_>;
}

impl<D: AsRef<[u8]>> Storage for D {
    #[inline]
    fn stored(&self) -> Bytes<'_> {
        Bytes::Whole(self.as_ref())
    }
}

impl Storage for PagedFile {
    #[inline]
    fn stored(&self) -> Bytes<'_> {
        Bytes::Paged(self)
    }
}

impl DocumentFile<Vec<u8>> {
    /// Reads the file at `path` into memory ([`read`]) and opens it.
    ///
    /// This is always safe, and the fastest way to open a small file. For lookups in a large file,
    /// use [`open_paged`](DocumentFile::open_paged). A file that nothing writes to can be mapped
    /// (`bytes::map::MappedFile::map`, which is `unsafe`), and passed to
    /// [`from_data`](DocumentFile::from_data).
    ///
    /// ```
    /// use coconut_codec::{Document, to_vec};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("ports.coco");
    /// std::fs::write(&path, to_vec(&[80, 443])?)?;
    /// let file = Document::open(&path)?;
    /// assert_eq!(file.to_json()?, "[80,443]");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn open(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        let path = path.as_ref();
        let bytes = read(path).map_err(|error| OpenError::new(path, OpenErrorKind::Io(error)))?;
        DocumentFile::from_data(bytes).map_err(|error| OpenError::new(path, OpenErrorKind::Decode(error)))
    }
}

impl DocumentFile<PagedFile> {
    /// Opens the file at `path` for a few lookups, and reads only what they need ([`PagedFile`]).
    ///
    /// ```
    /// use coconut_codec::{CompileOptions, Document, compile};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("state.coco");
    /// let source = br#"{"vertices": {"web": {"port": 80}, "db": {"port": 5432}}}"#;
    /// std::fs::write(&path, compile(source, &CompileOptions::default())?.bytes)?;
    /// let file = Document::open_paged(&path)?;
    /// assert_eq!(file.value("db/port")?.expect("it exists").as_u64()?, Some(5432));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn open_paged(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        let path = path.as_ref();
        let file = PagedFile::open(path).map_err(|error| OpenError::new(path, OpenErrorKind::Io(error)))?;
        DocumentFile::from_paged(file).map_err(|kind| OpenError::new(path, kind))
    }

    /// Like [`from_data`](Self::from_data), and reports failed reads separately from missing
    /// content.
    pub(crate) fn from_paged(file: PagedFile) -> Result<Self, OpenErrorKind> {
        match Frame::open(file.stored()) {
            Ok(frame) => Ok(DocumentFile { data: file, frame: Arc::new(frame) }),
            Err(error) => Err(file.into_fault().map_or(OpenErrorKind::Decode(error), OpenErrorKind::Io)),
        }
    }
}

impl<D: Storage> DocumentFile<D> {
    /// Opens the bytes of a file (§10.1, level *open*).
    ///
    /// With a typical header, this costs some microseconds and less than 4 KiB of memory, whatever
    /// the size of the file. The largest possible header, 64 KiB, costs a few milliseconds and 4
    /// MiB. A file without offset tables (profile `transport`) also costs a pass over its tables of
    /// strings, shapes and shared values.
    ///
    /// ```
    /// use coconut_codec::{Document, to_vec};
    ///
    /// let bytes = to_vec(&["a", "b"])?;
    /// assert_eq!(Document::from_data(&bytes[..])?.to_json()?, r#"["a","b"]"#);
    /// let error = Document::from_data(&bytes[..9]).expect_err("it is cut short");
    /// assert_eq!(error.class(), coconut_codec::format::explain::ErrorClass::Damaged);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_data(data: D) -> Result<Self, DecodeError> {
        let frame = Arc::new(Frame::open(data.stored())?);
        Ok(DocumentFile { data, frame })
    }

    /// Returns a view, which is cheap to copy and pass on.
    pub fn view(&self) -> DocumentView<'_> {
        DocumentView { data: self.data.stored(), frame: &self.frame }
    }

    /// Returns the header (§5.3).
    pub fn header(&self) -> &Header {
        &self.frame.header
    }

    /// Returns the number of bytes inspected so far: the end of the file, and the blocks whose
    /// checksums were compared. A file without a block table is inspected whole when it is opened.
    pub fn touched_bytes(&self) -> u64 {
        let length = self.data.stored().len() as u64;
        match &self.frame.blocks {
            Some(blocks) => {
                length.saturating_sub(self.frame.trailer.covered_from).saturating_add(blocks.verified_bytes())
            }
            None => length,
        }
    }

    /// Returns the ranges of the file that have been inspected so far, counted as in
    /// [`touched_bytes`](Self::touched_bytes). A memory map needed pages for these ranges.
    pub fn touched_ranges(&self) -> Vec<Range<u64>> {
        let length = self.data.stored().len() as u64;
        match &self.frame.blocks {
            Some(blocks) => {
                let mut ranges: Vec<_> = blocks.verified_ranges().collect();
                ranges.push(self.frame.trailer.covered_from..length);
                ranges
            }
            None => std::iter::once(0..length).collect(),
        }
    }

    /// Returns the storage.
    pub fn data(&self) -> &D {
        &self.data
    }

    /// Returns the storage.
    pub fn into_data(self) -> D {
        self.data
    }
}

/// A borrowed document: two words, `Copy`.
///
/// Unlike a [`DocumentFile`], it owns nothing. Unlike a [`ValueView`], it represents the whole
/// file.
#[derive(Clone, Copy)]
pub struct DocumentView<'a> {
    pub(crate) data: Bytes<'a>,
    pub(crate) frame: &'a Frame,
}

impl fmt::Debug for DocumentView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.describe("DocumentView", f)
    }
}

impl DocumentView<'_> {
    /// Writes the facts that `Debug` shows about a document, in a line of bounded length.
    fn describe(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let header = self.header();
        let document_type: String = header.document_type.chars().take(SHOWN_NAME).collect();
        f.debug_struct(name)
            .field("bytes", &self.data.len())
            .field("document_type", &document_type)
            .field("profile", &header.profile)
            .finish()
    }
}

/// Maximum number of characters of a document type that `Debug` shows.
const SHOWN_NAME: usize = 40;

/// The number of leading bytes that hold the envelope and the signature. Errors about them have
/// offsets in this range.
const HEAD: usize = ENVELOPE_LIMIT + 64;

/// The facts found by opening a file.
pub(crate) struct Frame {
    pub(crate) header: Header,
    pub(crate) header_range: Range<usize>,
    pub(crate) header_places: HeaderPlaces,
    pub(crate) envelope_length: usize,
    pub(crate) trailer: Trailer,
    pub(crate) directory: Directory,
    pub(crate) blocks: Option<Blocks>,
    pub(crate) strings: Items,
    pub(crate) shapes: Items,
    pub(crate) shared: Items,
    pub(crate) root: Entry,
    /// Created on first use.
    pub(crate) shape_facts: OnceLock<ShapeFacts>,
    /// The index without edges of a file that has no index tables, created on first use.
    pub(crate) made_index: OnceLock<crate::read::index::Made>,
    /// The same index with edges.
    #[cfg(feature = "graphs")]
    pub(crate) made_graph: OnceLock<crate::index::Index>,
}

/// The facts known about a file before its header is read: the places of its parts, and their
/// checksums.
pub(crate) struct Outline {
    payload: usize,
    header_start: usize,
    trailer: Trailer,
    pub(crate) directory: Directory,
    pub(crate) blocks: Option<Blocks>,
}

impl Outline {
    /// Runs steps 1 to 6 of §10.3 in the specified order, so each kind of damage gets its own
    /// error.
    pub(crate) fn open<'a>(data: Bytes<'a>) -> Result<(Outline, EnvelopeView<'a>), DecodeError> {
        let envelope = EnvelopeView::parse(data.head(HEAD))?;
        if envelope.encoding() != Encoding::Msgpack {
            return Err(ErrorKind::SourceText.at(envelope.length() as u64));
        }
        let payload = envelope.length();
        let header_start = read_signature(data, payload)?;
        let trailer = Trailer::read(data, payload)?;
        let directory = Directory::read(data, &trailer, payload)?;
        check_table_lengths(&directory, trailer.wide)?;
        let blocks = open_blocks(data, &trailer, &directory)?;
        if let Some(blocks) = &blocks {
            blocks.ensure(&data, 0, header_start)?;
        }
        Ok((Outline { payload, header_start, trailer, directory, blocks }, envelope))
    }
}

impl Frame {
    /// Opens a file (§10.3): first the outline, then the header.
    fn open(data: Bytes<'_>) -> Result<Frame, DecodeError> {
        let (outline, envelope) = Outline::open(data)?;
        let Outline { payload, header_start, trailer, directory, blocks } = outline;
        let end = directory.start.min(header_start.saturating_add(limits::HEADER_BYTES));
        let mut cursor = Cursor::new(data, header_start, end, blocks.as_ref());
        let (header, places) = Header::read(&mut cursor).map_err(|error| match error.kind() {
            ErrorKind::Short { .. } | ErrorKind::Count { .. } if end < directory.start => {
                let limit = limits::HEADER_BYTES as u64;
                ErrorKind::EnvelopeLimit { what: "bytes of its header", limit }.at(end as u64)
            }
            _ => error,
        })?;
        let header_range = header_start..cursor.position();
        compare_with_envelope(&header, &envelope, &places)?;
        for entry in &directory.entries {
            if entry.start < header_range.end {
                let at = directory.place_of(entry.part, trailer.wide);
                return Err(ErrorKind::PartRange { part: entry.part.0 }.at(at));
            }
        }
        let items = |part, table| Items::open(&directory, (part, table), trailer.wide);
        Ok(Frame {
            strings: items(Part::STRINGS, Part::STRING_OFFSETS),
            shapes: items(Part::SHAPES, Part::SHAPE_OFFSETS),
            shared: items(Part::SHARED, Part::SHARED_OFFSETS),
            root: *directory.get(Part::ROOT).expect("the directory has all four elements"),
            envelope_length: payload,
            header,
            header_range,
            header_places: places,
            trailer,
            directory,
            blocks,
            shape_facts: OnceLock::new(),
            made_index: OnceLock::new(),
            #[cfg(feature = "graphs")]
            made_graph: OnceLock::new(),
        })
    }
}

/// Reads the payload's array header and the signature (§5.2). Returns the start of the header.
fn read_signature(data: Bytes<'_>, payload: usize) -> Result<usize, DecodeError> {
    let head = data.head(HEAD);
    let bytes = head.get(payload..).unwrap_or_default();
    let array_header = match bytes.first() {
        None => return Err(ErrorKind::Short { needed: 1, available: 0 }.at(payload as u64)),
        Some(0x90..=0x9f) => 1,
        Some(0xdc) => 3,
        Some(0xdd) => 5,
        Some(_) => {
            let no_array = ErrorKind::PayloadForm { expected: "array" }.at(payload as u64);
            return Err(signature::conversion_in(bytes, payload as u64).unwrap_or(no_array));
        }
    };
    signature::check_signature(bytes, array_header, payload as u64)?;
    let mut cursor = Cursor::new(data, payload, data.len(), None);
    const ELEMENTS: u32 = 7;
    if cursor.array_header()? < ELEMENTS {
        return Err(ErrorKind::PayloadForm { expected: "array of seven elements" }.at(payload as u64));
    }
    Ok(payload + array_header + signature::SIGNATURE.len())
}

/// Opens the block checksums (§7.2), if the file has them.
fn open_blocks(
    data: Bytes<'_>,
    trailer: &Trailer,
    directory: &Directory,
) -> Result<Option<Blocks>, DecodeError> {
    let at_trailer = (data.len() - TRAILER) as u64;
    let (entry, size) = match (directory.get(Part::BLOCK_TABLE), trailer.blocks) {
        (Some(entry), Some(size)) => (entry, size),
        (None, None) if trailer.covered_from == 0 => return Ok(None),
        (None, None) => return Err(WRONG_COVER.at(at_trailer)),
        (Some(_), None) | (None, Some(_)) => return Err(WRONG_BLOCKS.at(at_trailer)),
    };
    let at = directory.place_of(Part::BLOCK_TABLE, trailer.wide);
    let expected = size.sums_of(entry.start);
    let found = entry.end - entry.start;
    if found != expected {
        let (expected, found) = (expected as u64, found as u64);
        return Err(ErrorKind::PartLength { part: Part::BLOCK_TABLE.0, expected, found }.at(at));
    }
    if trailer.covered_from != entry.end as u64 {
        return Err(WRONG_COVER.at(at_trailer));
    }
    if entry.end + size.sums_of(found) > directory.start {
        return Err(ErrorKind::PartRange { part: Part::BLOCK_TABLE.0 }.at(at));
    }
    Ok(Some(Blocks::new(entry.start, entry.end, size)))
}

fn compare_with_envelope(
    header: &Header,
    envelope: &EnvelopeView<'_>,
    places: &HeaderPlaces,
) -> Result<(), DecodeError> {
    let mismatch = |key, at| Err(ErrorKind::HeaderMismatch { key }.at(at));
    if !envelope.is_document_type(&header.document_type) {
        return mismatch("document-type", places.document_type);
    }
    if header.version != envelope.version() {
        return mismatch("version", places.version);
    }
    Ok(())
}

/// Checks the table lengths that follow from the directory alone (§5.8).
fn check_table_lengths(directory: &Directory, wide: bool) -> Result<(), DecodeError> {
    let length = |part: Part| directory.get(part).map(|entry| entry.end - entry.start);
    let check = |part, width, expected| check_table_length(directory, wide, part, width, expected);
    let offset = offset_width(wide);
    let slot = if wide { 16 } else { 8 };
    let landmarks = length(Part::LANDMARK_OFFSETS).map(|length| length / offset);
    for part in [Part::STRING_OFFSETS, Part::SHAPE_OFFSETS, Part::SHARED_OFFSETS, Part::LANDMARK_OFFSETS] {
        check(part, offset, None)?;
    }
    if let Some(count) = landmarks.filter(|&count| count > limits::LANDMARKS) {
        let (count, limit) = (count as u64, limits::LANDMARKS as u64);
        let at = directory.place_of(Part::LANDMARK_OFFSETS, wide);
        return Err(ErrorKind::TooMany { what: "landmarks", count, limit }.at(at));
    }
    let times = |width: usize| landmarks.map(|count| count * width);
    check(Part::LANDMARK_CLASSES, 1, times(1))?;
    check(Part::LANDMARK_TREE, 8, times(8))?;
    check(Part::KEY_BUCKETS, 4, landmarks.map(|count| ((1 << bucket_bits(count)) + 1) * 4))?;
    check(Part::KEY_SLOTS, slot, times(slot))?;
    check(Part::LANDMARK_DIGESTS, LANDMARK_DIGEST, times(LANDMARK_DIGEST))?;
    let directions = [
        (Part::DEPENDENCY_STARTS, Part::DEPENDENCY_TARGETS, Part::DEPENDENCY_KINDS),
        (Part::DEPENDENT_STARTS, Part::DEPENDENT_TARGETS, Part::DEPENDENT_KINDS),
    ];
    for (starts, targets, kinds) in directions {
        let shared = times(8).filter(|shared| length(starts) == Some(*shared));
        check(starts, 4, shared.or(landmarks.map(|count| (count + 1) * 4)))?;
        check(targets, 4, None)?;
        if let Some(count) = length(targets).map(|length| length / 4).filter(|&count| count > limits::EDGES) {
            let (count, limit) = (count as u64, limits::EDGES as u64);
            return Err(
                ErrorKind::TooMany { what: "edges", count, limit }.at(directory.place_of(targets, wide))
            );
        }
        check(kinds, 1, length(targets).map(|length| length / 4))?;
    }
    Ok(())
}

/// Refuses a table whose length differs from `expected` or is not a multiple of `width`.
#[inline(never)]
fn check_table_length(
    directory: &Directory,
    wide: bool,
    part: Part,
    width: usize,
    expected: Option<usize>,
) -> Result<(), DecodeError> {
    let Some(found) = directory.get(part).map(|entry| entry.end - entry.start) else { return Ok(()) };
    let expected = expected.unwrap_or(found / width * width);
    if found == expected {
        return Ok(());
    }
    let kind = ErrorKind::PartLength { part: part.0, expected: expected as u64, found: found as u64 };
    Err(kind.at(directory.place_of(part, wide)))
}

impl<'a> DocumentView<'a> {
    /// Returns the header (§5.3).
    pub fn header(&self) -> &'a Header {
        &self.frame.header
    }

    /// Returns the whole file. Reads missing parts of a paged file. The result is empty if that
    /// fails ([`PagedFile::fault`]).
    pub fn bytes(&self) -> &'a [u8] {
        self.data.get(0..self.data.len()).unwrap_or_default()
    }

    /// Returns the envelope (§2).
    pub fn envelope(&self) -> Result<EnvelopeView<'a>, DecodeError> {
        EnvelopeView::parse(self.data.head(HEAD))
    }

    /// Returns the length of the file in bytes, without reading it.
    pub fn length(&self) -> usize {
        self.data.len()
    }

    /// Returns the root value, which is not read yet.
    ///
    /// ```
    /// use coconut_codec::{CompileOptions, Document, compile};
    ///
    /// let source = br#"{"vertices":{"web":{"port":80,"tags":["a","b"]},"db":{"port":5432}}}"#;
    /// let file = Document::from_data(compile(source, &CompileOptions::default())?.bytes)?;
    /// let names = file.view().root().field("vertices")?.expect("it exists");
    /// assert_eq!(names.as_object()?.map(|names| names.len()), Some(2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn root(&self) -> ValueView<'a> {
        let root = &self.frame.root;
        ValueView::at(*self, root.start, root.start, root.end, SharedId::NO_BOUND)
    }

    /// Returns whether the file has an index of its landmarks (§8). A lookup in a file without one
    /// first searches all of it.
    pub fn has_index(&self) -> bool {
        self.landmark_tables().is_some()
    }

    pub(crate) fn blocks(&self) -> Option<&'a Blocks> {
        self.frame.blocks.as_ref()
    }

    pub(crate) fn cursor(&self, start: usize, end: usize) -> Cursor<'a> {
        Cursor::new(self.data, start, end, self.blocks())
    }

    #[inline]
    pub(crate) fn table(&self, part: Part) -> Option<Table<'a>> {
        self.frame.directory.get(part).map(|entry| Table::new(self.data, self.blocks(), entry))
    }

    /// Returns the span of an element.
    pub(crate) fn element(&self, part: Part) -> Range<usize> {
        self.frame.directory.get(part).expect("the directory has all four elements").range()
    }

    /// Checks that the parts that hold the values follow the header and each other (§10.4).
    pub(crate) fn check_adjacent(&self) -> Result<(), DecodeError> {
        let mut end = self.frame.header_range.end;
        for part in Part::ELEMENTS {
            let element = self.element(part);
            let count = element.start.saturating_sub(end) as u64;
            if element.start != end {
                return Err(ErrorKind::TrailingBytes { count }.at(end as u64));
            }
            end = element.end;
        }
        Ok(())
    }

    /// Returns string `id` of the table (§5.4), which the reference at `at` names.
    pub(crate) fn string(&self, id: u64, at: usize) -> Result<&'a str, DecodeError> {
        match self.near_string(id).and_then(utf8) {
            Some(text) => Ok(text),
            None => self.string_cursor(id, at)?.str(),
        }
    }

    /// Returns the bytes of string `id`, not yet checked as UTF-8, if the usual short form precedes
    /// them. Otherwise [`string_cursor`](Self::string_cursor) finds the string or reports the
    /// error.
    #[inline]
    pub(crate) fn near_string(&self, id: u64) -> Option<&'a [u8]> {
        self.frame.strings.near_string(self.data, self.blocks(), u32::try_from(id).ok()?)
    }

    /// Returns the strings from string `id` on, each with its id and not yet checked as UTF-8.
    #[cfg(feature = "serde")]
    pub(crate) fn near_strings(&self, id: StringId) -> impl Iterator<Item = (StringId, &'a [u8])> {
        let near = self.frame.strings.near_strings(self.data, self.blocks(), id.0);
        near.map(|(id, bytes)| (StringId(id), bytes))
    }

    /// Returns a cursor at string `id` of the table, which the reference at `at` names.
    #[inline(never)]
    pub(crate) fn string_cursor(&self, id: u64, at: usize) -> Result<Cursor<'a>, DecodeError> {
        let found = match u32::try_from(id) {
            Ok(id) => self.frame.strings.find(self.data, self.blocks(), id)?,
            Err(_) => None,
        };
        match found {
            Some(cursor) => Ok(cursor),
            None => {
                let count = self.frame.strings.count(self.data, self.blocks())?.into();
                Err(ErrorKind::StringRange { id, count }.at(at as u64))
            }
        }
    }

    /// Returns the landmark tables, if the file has them.
    pub(crate) fn landmark_tables(&self) -> Option<LandmarkTables<'a>> {
        Some(LandmarkTables {
            root: self.frame.root.range(),
            offsets: self.table(Part::LANDMARK_OFFSETS)?,
            classes: self.table(Part::LANDMARK_CLASSES),
            tree: self.table(Part::LANDMARK_TREE),
            wide: self.frame.trailer.wide,
        })
    }

    /// Returns the key index, if the file has it.
    #[inline]
    pub(crate) fn key_index(&self) -> Option<KeyIndex<'a>> {
        let (buckets, slots) = (self.table(Part::KEY_BUCKETS)?, self.table(Part::KEY_SLOTS)?);
        Some(KeyIndex { root: self.frame.root.range(), buckets, slots, wide: self.frame.trailer.wide })
    }

    /// Returns the edges from each landmark and those to each, if the file has all six tables.
    #[cfg(feature = "graphs")]
    pub(crate) fn edge_tables(&self) -> Option<[EdgeTables<'a>; 2]> {
        let landmarks = self.landmark_tables()?.count() as usize;
        let tables = |starts, targets, kinds| {
            let (starts, targets, kinds) = (self.table(starts)?, self.table(targets)?, self.table(kinds)?);
            Some(EdgeTables { is_shared: starts.len(4) == 2 * landmarks, starts, targets, kinds })
        };
        let [starts, targets, kinds, back_starts, back_targets, back_kinds] = Part::EDGES;
        Some([tables(starts, targets, kinds)?, tables(back_starts, back_targets, back_kinds)?])
    }
}
