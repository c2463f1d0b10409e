//! §5.1 The file: envelope, elements, tables, checksums.

use super::ancestors::Ancestors;
use super::digest::{Digests, write_canonical};
use super::emit::Emitter;
use super::numbering::Numbering;
use super::output::{KEPT, Output};
use super::shapes::Shapes;
use super::sharing::Sharing;
use super::{Tuning, WriteError};
use crate::bytes::checksum::{BlockSize, block_table};
use crate::index::{Index, TooMuch};
use crate::limits;
use crate::msgpack::marker::FIXARRAY;
use crate::msgpack::put_array_header;
use crate::wire::directory::{Directory, Entry, FLAG_CRITICAL, FLAG_ELEMENT, Part};
use crate::wire::header::Header;
use crate::wire::ids::Ordinal;
use crate::wire::kept::Kept;
use crate::wire::keys;
use crate::wire::landmarks::{LandmarkRow, classes_table, has_classes, has_tree, offsets_table, tree_table};
use crate::wire::offsets::{SHAPE_STRIDE, SHAPE_TABLE_FROM, TABLE_FROM, choose_stride, put_table};
use crate::wire::trailer::{TRAILER, Trailer};
use crate::write::interner::Interned;
use coconut_format::envelope::Envelope;
use coconut_format::landmark::OwnKeys;
use coconut_format::signature::SIGNATURE;
use std::io::Write;

/// Offsets of the items of an element with ids, and the part for the table of these offsets.
struct Items {
    table: Part,
    offsets: Vec<u64>,
    /// Bytes of the element.
    length: usize,
}

/// Result of [`put_elements`].
struct Elements {
    items: [Items; 3],
    entries: Vec<Entry>,
    /// Offset of each landmark in the file, by ordinal.
    landmarks: Vec<u64>,
}

/// §4 Appends the four elements of the document to `out`, in the encoding of profiles `full` and
/// `transport`.
///
/// They are written to their final place, since they make up most of a file.
fn put_elements<'w>(
    out: Output<'w>,
    document: &Interned,
    ancestors: &Ancestors,
    tuning: &Tuning,
) -> (Output<'w>, Elements) {
    let sharing = Sharing::choose(document, ancestors, tuning);
    let shapes = Shapes::choose(document, ancestors, &sharing, tuning);
    let numbering = Numbering::choose(document, ancestors, &sharing, &shapes, tuning);
    drop(sharing);
    let mut emitter = Emitter::new(document, ancestors, &shapes, &numbering, out);
    let mut entries = Vec::new();
    let items = [
        put_items(
            &mut emitter,
            &mut entries,
            (Part::STRINGS, Part::STRING_OFFSETS),
            &numbering.strings,
            Emitter::text,
        ),
        put_items(
            &mut emitter,
            &mut entries,
            (Part::SHAPES, Part::SHAPE_OFFSETS),
            &numbering.shapes,
            Emitter::shape,
        ),
        put_items(
            &mut emitter,
            &mut entries,
            (Part::SHARED, Part::SHARED_OFFSETS),
            &numbering.shared,
            Emitter::entry,
        ),
    ];
    let start = emitter.out.len();
    emitter.root();
    let Emitter { out, landmarks, .. } = emitter;
    entries.push(element_entry(Part::ROOT, start, out.len()));
    (out, Elements { items, entries, landmarks })
}

/// Writes an array with the output of `emit` for each of `ids`.
fn put_items<'p, 'w, T: Copy>(
    emitter: &mut Emitter<'p, 'w>,
    entries: &mut Vec<Entry>,
    (part, table): (Part, Part),
    ids: &[T],
    emit: impl Fn(&mut Emitter<'p, 'w>, T),
) -> Items {
    let start = emitter.out.len();
    put_array_header(&mut emitter.out.bytes, ids.len());
    let mut offsets = Vec::with_capacity(ids.len());
    for &id in ids {
        offsets.push(emitter.out.len() as u64);
        emit(emitter, id);
        emitter.out.pass_on();
    }
    let end = emitter.out.len();
    entries.push(element_entry(part, start, end));
    Items { table, offsets, length: end - start }
}

/// A table, and the fields of its directory entry other than the place.
struct TablePart {
    part: Part,
    flags: u8,
    stride: u16,
    bytes: Vec<u8>,
}

impl TablePart {
    /// A table with all possible entries.
    fn dense(part: Part, bytes: Vec<u8>) -> TablePart {
        TablePart { part, flags: 0, stride: 0, bytes }
    }
}

/// The whole file of a document of profile `plain`. The digest is that of its root (§4.7).
///
/// The root is written to its final place. Copying it there would take as long as writing it.
pub(crate) fn plain_file(
    (envelope, kept): (&Envelope, &Kept),
    header: Header,
    document: &Interned,
    ancestors: &Ancestors,
    (index, digests): (Index, Option<Digests<'_>>),
    tuning: &Tuning,
) -> Result<Vec<u8>, WriteError> {
    let index = IndexPlan::of(index, digests, tuning);
    let mut out = Vec::with_capacity(document.text_size() + 4096);
    put_beginning(&mut out, envelope, &header, kept);
    let mut entries = Vec::new();
    for element in [Part::STRINGS, Part::SHAPES, Part::SHARED] {
        let start = out.len();
        out.push(FIXARRAY);
        entries.push(element_entry(element, start, out.len()));
    }
    let start = out.len();
    let (mut out, landmarks, digest) = write_canonical(document, ancestors, out);
    entries.push(element_entry(Part::ROOT, start, out.len()));
    // The length of a digest is fixed, and so is that of everything before the root.
    let header = Header { digest, ..header };
    let mut beginning = Vec::new();
    put_beginning(&mut beginning, envelope, &header, kept);
    out[..beginning.len()].copy_from_slice(&beginning);
    let wide = tuning.wide || out.len() as u64 * 2 > u64::from(u32::MAX);
    let index = index.of_file(out.len(), digests);
    let tables = index.map(|index| index.tables(&landmarks, wide)).unwrap_or_default();
    let mut output = Output::in_memory(0);
    output.bytes = out;
    put_kept_elements(&mut output, &mut entries, kept);
    finish(output, entries, (kept, tables), wide, tuning)
}

/// The whole file of a document of the other profiles: its bytes, unless `to` receives them.
pub(super) fn file(
    (envelope, kept): (&Envelope, &Kept),
    header: &Header,
    document: &Interned,
    ancestors: &Ancestors,
    (index, digests): (Index, Option<Digests<'_>>),
    tuning: &Tuning,
    to: Option<&mut dyn Write>,
) -> Result<Vec<u8>, WriteError> {
    let index = IndexPlan::of(index, digests, tuning);
    let mut out = match to {
        // Without a block table, the checksum of the trailer covers the whole file.
        Some(to) if tuning.blocks_from <= KEPT => Output::passing_to(to, block_size(tuning)),
        // More than most files need, but memory is used only where it is written. A growing buffer
        // is copied, so that two exist for a while. Reserving reduces the memory for compiling a
        // graph of 20,000 resources from 71 to 67 MB.
        _ => Output::in_memory(document.text_size() + 4 * document.child_count() + 4096),
    };
    put_beginning(&mut out.bytes, envelope, header, kept);
    let (mut out, Elements { items, mut entries, landmarks }) =
        put_elements(out, document, ancestors, tuning);
    // The tables are far smaller than the data they index, so this bounds the file.
    let wide = tuning.wide || out.len() as u64 * 2 > u64::from(u32::MAX);
    // The largest and least used tables first, so that the parts that a lookup needs are near the
    // trailer.
    let index = index.of_file(out.len(), digests);
    let has_index = index.is_some();
    let mut tables = index.map(|index| index.tables(&landmarks, wide)).unwrap_or_default();
    for Items { table, offsets, length } in items {
        let (from, stride) = match table {
            Part::SHAPE_OFFSETS if has_index => (SHAPE_TABLE_FROM, SHAPE_STRIDE),
            Part::SHAPE_OFFSETS => (TABLE_FROM, SHAPE_STRIDE),
            _ => (TABLE_FROM, choose_stride(offsets.len(), length)),
        };
        // A file without an index is read whole, and the reader then computes the offsets.
        if offsets.len() >= from && tuning.index_from < usize::MAX {
            let mut bytes = Vec::new();
            put_table(&offsets, stride, wide, &mut bytes);
            tables.push(TablePart { stride, ..TablePart::dense(table, bytes) });
        }
    }
    put_kept_elements(&mut out, &mut entries, kept);
    finish(out, entries, (kept, tables), wide, tuning)
}

/// §5.14 Writes the elements of later versions after the root.
fn put_kept_elements(out: &mut Output<'_>, entries: &mut Vec<Entry>, kept: &Kept) {
    for part in kept.parts.iter().filter(|part| part.is_element()) {
        let start = out.len();
        out.bytes.extend_from_slice(&part.bytes);
        entries.push(Entry { part: Part(part.number), flags: part.flags, stride: 0, start, end: out.len() });
    }
}

/// Writes the bytes before the elements of the document.
fn put_beginning(out: &mut Vec<u8>, envelope: &Envelope, header: &Header, kept: &Kept) {
    envelope.write(out);
    put_array_header(out, 7 + kept.parts.iter().filter(|part| part.is_element()).count());
    out.extend_from_slice(&SIGNATURE);
    header.write(kept.entries(), out);
}

fn element_entry(part: Part, start: usize, end: usize) -> Entry {
    Entry { part, flags: FLAG_CRITICAL | FLAG_ELEMENT, stride: 0, start, end }
}

/// Contents of the index tables, except the offsets of landmarks.
///
/// They are known before the landmarks are written. Keys and edges would take several times as much
/// memory: a tenth of the peak for a schema that is mostly prose.
struct IndexParts {
    edges: Vec<TablePart>,
    /// See [`keys::slot_order`].
    keys: Vec<(u32, Ordinal)>,
    /// The digests of landmarks, if they are requested.
    digests: Option<Vec<u8>>,
    classes: Vec<u8>,
    parents: Vec<Option<Ordinal>>,
}

/// Whether a file gets an index.
enum IndexPlan {
    Yes(Box<IndexParts>),
    /// Only if the file becomes so short that a reader could not find that many edges in it.
    IfShort(Box<Index>),
    No,
}

impl IndexPlan {
    fn of(index: Index, digests: Option<Digests<'_>>, tuning: &Tuning) -> IndexPlan {
        let edges = index.most_edges();
        match index.len() >= tuning.index_from {
            true => IndexPlan::Yes(Box::new(IndexParts::of(index, digests))),
            false if edges > limits::max_edges_to_find(0) => IndexPlan::IfShort(Box::new(index)),
            false => IndexPlan::No,
        }
    }

    /// The index of a file whose elements end at `length`.
    fn of_file(self, length: usize, digests: Option<Digests<'_>>) -> Option<IndexParts> {
        match self {
            IndexPlan::Yes(parts) => Some(*parts),
            IndexPlan::IfShort(index) => {
                let edges = index.most_edges();
                (edges > limits::max_edges_to_find(length)).then(|| IndexParts::of(*index, digests))
            }
            IndexPlan::No => None,
        }
    }
}

impl IndexParts {
    fn of(index: Index, digests: Option<Digests<'_>>) -> IndexParts {
        let mut tables = Vec::new();
        if let Some(directions @ [forward, _]) = &index.edges
            && !forward.edges.is_empty()
        {
            let bytes = directions.iter().flat_map(|rows| rows.tables(rows.are_shorter_shared(), usize::MAX));
            let parts = Part::EDGES.into_iter().zip(bytes);
            tables.extend(parts.map(|(part, bytes)| TablePart::dense(part, bytes)));
            // The dependents come first in the file.
            tables.rotate_left(3);
        }
        let keys = index.slot_order();
        let digests = digests
            .map(|digests| digests.table(&keys, |ordinal| index.keys.whole_key(ordinal.0).into_owned()));
        IndexParts { edges: tables, keys, digests, classes: index.classes, parents: index.parents }
    }

    /// The tables, with the landmarks at these offsets.
    fn tables(self, offsets: &[u64], wide: bool) -> Vec<TablePart> {
        let IndexParts { edges: mut tables, keys, digests, classes, parents } = self;
        assert_eq!(offsets.len(), classes.len(), "the ancestors and the rule find the same landmarks");
        let rows: Vec<LandmarkRow> = offsets
            .iter()
            .zip(&classes)
            .zip(&parents)
            .map(|((&offset, &class), &parent)| LandmarkRow { offset, class, parent })
            .collect();
        tables.extend(digests.map(|digests| TablePart::dense(Part::LANDMARK_DIGESTS, digests)));
        if has_classes(&rows) {
            tables.push(TablePart::dense(Part::LANDMARK_CLASSES, classes_table(&rows)));
        }
        if has_tree(&rows) {
            tables.push(TablePart::dense(Part::LANDMARK_TREE, tree_table(&rows)));
        }
        tables.push(TablePart::dense(Part::LANDMARK_OFFSETS, offsets_table(&rows, wide)));
        let (buckets, slots) = keys::tables_in_order(&keys, offsets, wide);
        tables.push(TablePart::dense(Part::KEY_SLOTS, slots));
        tables.push(TablePart::dense(Part::KEY_BUCKETS, buckets));
        tables
    }
}

/// Adds the last element: tables, checksums, directory and trailer.
fn finish(
    mut out: Output<'_>,
    mut entries: Vec<Entry>,
    (kept, mut tables): (&Kept, Vec<TablePart>),
    wide: bool,
    tuning: &Tuning,
) -> Result<Vec<u8>, WriteError> {
    let kept = kept.parts.iter().filter(|part| !part.is_element());
    tables.extend(kept.map(|part| TablePart {
        flags: part.flags,
        ..TablePart::dense(Part(part.number), part.bytes.clone())
    }));
    let plan = Plan::fitting(out.len(), &tables, &entries, wide, tuning);
    let (count, limit) = (plan.entries(wide) as u64, limits::DIRECTORY_ENTRIES as u64);
    TooMuch::check("directory entries", count, limit)?;
    put_bin_header(&mut out.bytes, plan.length());
    for (table, &start) in tables.iter().zip(&plan.starts) {
        out.pad_to(start);
        out.bytes.extend_from_slice(&table.bytes);
        let &TablePart { part, flags, stride, .. } = table;
        entries.push(Entry { part, flags, stride, start, end: out.len() });
    }
    let mut covered_from = 0;
    if let Some(blocks) = plan.blocks {
        out.pad_to(blocks);
        let table = out.sums(plan.size);
        let root = block_table(&table, plan.size);
        let end = blocks + table.len();
        entries.push(Entry { part: Part::BLOCK_TABLE, flags: 0, stride: 0, start: blocks, end });
        out.bytes.extend_from_slice(&table);
        covered_from = out.len() as u64;
        out.bytes.extend_from_slice(&root);
    }
    out.pad_to(plan.directory);
    Directory::write(&mut entries, wide, &mut out.bytes);
    let directory_entries = u16::try_from(entries.len()).expect("a file has few parts");
    let blocks = plan.blocks.map(|_| plan.size);
    Trailer { covered_from, directory_entries, wide, blocks }.write(out.passed(), &mut out.bytes);
    debug_assert_eq!(out.len(), plan.end);
    out.finish()
}

/// The size of the checksummed blocks.
fn block_size(tuning: &Tuning) -> BlockSize {
    BlockSize::of_bits(tuning.block_bits).unwrap_or(BlockSize::PAGE)
}

/// Places of everything in the last element, for a given start of its body.
struct Plan {
    body: usize,
    starts: Vec<usize>,
    /// The start of the block table.
    blocks: Option<usize>,
    /// The size of its blocks.
    size: BlockSize,
    directory: usize,
    end: usize,
}

impl Plan {
    /// Returns the plan whose length matches the header before its body.
    ///
    /// Because of alignment, a body may fit neither of two headers. Additional padding then makes
    /// it fit the longer one.
    fn fitting(at: usize, tables: &[TablePart], entries: &[Entry], wide: bool, tuning: &Tuning) -> Plan {
        let headers = [(2, 0..=0xff), (3, 0x100..=0xffff), (5, 0x1_0000..=usize::MAX)];
        [0, 8]
            .into_iter()
            .flat_map(|padding| headers.iter().map(move |header| (padding, header)))
            .find_map(|(padding, (header, lengths))| {
                let plan = Plan::new(at + header, padding, tables, entries, wide, tuning);
                lengths.contains(&plan.length()).then_some(plan)
            })
            .expect("eight bytes more are enough for the longer header")
    }

    fn new(
        body: usize,
        padding: usize,
        tables: &[TablePart],
        entries: &[Entry],
        wide: bool,
        tuning: &Tuning,
    ) -> Plan {
        let mut at = body + padding;
        let mut starts = Vec::with_capacity(tables.len());
        for table in tables {
            at = at.next_multiple_of(8);
            starts.push(at);
            at += table.bytes.len();
        }
        let mut blocks = None;
        let size = block_size(tuning);
        let mut count = entries.len() + tables.len();
        if at >= tuning.blocks_from {
            at = at.next_multiple_of(8);
            blocks = Some(at);
            let table = size.sums_of(at);
            at += table + size.sums_of(table);
            count += 1;
        }
        let directory = at.next_multiple_of(8);
        let end = directory + count * entry_width(wide) + TRAILER;
        Plan { body, starts, blocks, size, directory, end }
    }

    fn length(&self) -> usize {
        self.end - self.body
    }

    /// The number of entries of the directory.
    fn entries(&self, wide: bool) -> usize {
        (self.end - TRAILER - self.directory) / entry_width(wide)
    }
}

/// The bytes of an entry of the directory.
fn entry_width(wide: bool) -> usize {
    if wide { 20 } else { 12 }
}

fn put_bin_header(out: &mut Vec<u8>, length: usize) {
    use crate::msgpack::marker::{BIN_8, BIN_16, BIN_32};
    let length = u32::try_from(length).expect("tables are far below 2^32 bytes");
    let [_, _, b2, b3] = length.to_be_bytes();
    match length {
        0..=0xff => out.extend_from_slice(&[BIN_8, b3]),
        0x100..=0xffff => out.extend_from_slice(&[BIN_16, b2, b3]),
        _ => {
            out.push(BIN_32);
            out.extend_from_slice(&length.to_be_bytes());
        }
    }
}
