//! §5.1 The file: envelope, elements, tables, checksums.

use super::Layout;
use super::digest::write_canonical;
use super::emit::Emitter;
use super::numbering::Numbering;
use super::shapes::Shapes;
use super::sharing::Sharing;
use super::spine::Spine;
use crate::dag::Dag;
use crate::index::Index;
use crate::msgpack::marker::FIXARRAY;
use crate::msgpack::{put_array_header, put_str};
use crate::wire::checksum::block_table;
use crate::wire::directory::{Directory, Entry, FLAG_CRITICAL, Part};
use crate::wire::header::Header;
use crate::wire::landmarks::{LandmarkRow, classes_table, offsets_table, tree_table};
use crate::wire::offsets::{SHAPE_STRIDE, SHAPE_TABLE_FROM, TABLE_FROM, choose_stride, put_table};
use crate::wire::trailer::{TRAILER, Trailer};
use crate::wire::{edges, keys};
use coconut_format::envelope::Envelope;
use coconut_format::signature::SIGNATURE;

/// Bytes of the four elements that hold the document, with offsets relative to each.
pub(crate) struct Elements {
    strings: Items,
    shapes: Items,
    shared: Items,
    root: Vec<u8>,
    landmarks: Vec<u64>,
}

/// An element that is an array of items with ids.
struct Items {
    bytes: Vec<u8>,
    offsets: Vec<u64>,
}

impl Items {
    /// The array of what `emit` writes for each of `items`.
    fn write<T>(items: impl ExactSizeIterator<Item = T>, mut emit: impl FnMut(T, &mut Vec<u8>)) -> Items {
        let mut bytes = Vec::new();
        put_array_header(&mut bytes, items.len());
        let mut offsets = Vec::with_capacity(items.len());
        for item in items {
            offsets.push(bytes.len() as u64);
            emit(item, &mut bytes);
        }
        Items { bytes, offsets }
    }
}

impl Elements {
    /// §4 The forms of profiles `full` and `transport`.
    pub(crate) fn shared(dag: &Dag, spine: &Spine, layout: &Layout) -> Elements {
        let sharing = Sharing::choose(dag, spine, layout);
        let shapes = Shapes::choose(dag, spine, &sharing, layout);
        let numbering = Numbering::choose(dag, spine, &sharing, &shapes, layout);
        let mut emitter = Emitter::new(dag, spine, &sharing, &shapes, &numbering);
        let strings = Items::write(numbering.strings.iter(), |&string, out| put_str(out, dag.text(string)));
        let shape_items = Items::write(numbering.shapes.iter(), |&shape, out| {
            std::mem::swap(&mut emitter.out, out);
            emitter.shape(shape);
            std::mem::swap(&mut emitter.out, out);
        });
        let shared = Items::write(numbering.shared.iter(), |&container, out| {
            std::mem::swap(&mut emitter.out, out);
            emitter.entry(container);
            std::mem::swap(&mut emitter.out, out);
        });
        emitter.root();
        let Emitter { out: root, landmarks, .. } = emitter;
        Elements { strings, shapes: shape_items, shared, root, landmarks }
    }

    fn len(&self) -> usize {
        self.strings.bytes.len() + self.shapes.bytes.len() + self.shared.bytes.len() + self.root.len()
    }
}

/// A table and what the directory says of it beside its place.
struct TablePart {
    part: Part,
    stride: u16,
    bytes: Vec<u8>,
}

/// The whole file of a document of profile `plain`, whose root is what its digest is of (§4.7).
///
/// The root is written where it stays: to put it together elsewhere and to copy it would take as long as writing it.
pub(crate) fn plain_file(
    envelope: &Envelope,
    header: Header,
    dag: &Dag,
    spine: &Spine,
    index: &Index,
    layout: &Layout,
) -> Vec<u8> {
    let mut out = Vec::with_capacity(dag.text_size() + 4096);
    put_beginning(&mut out, envelope, &header);
    let mut entries = Vec::new();
    for element in [Part::STRINGS, Part::SHAPES, Part::SHARED] {
        push_element(&mut out, &mut entries, element, &[FIXARRAY]);
    }
    let start = out.len();
    let (mut out, landmarks, digest) = write_canonical(dag, spine, out);
    entries.push(Entry { part: Part::ROOT, flags: FLAG_CRITICAL, stride: 0, start, end: out.len() });
    // A digest has the same length whatever it is, and so has what lies before the root.
    let header = Header { digest, ..header };
    let mut beginning = Vec::new();
    put_beginning(&mut beginning, envelope, &header);
    out[..beginning.len()].copy_from_slice(&beginning);
    let wide = layout.wide || out.len() as u64 * 2 > u64::from(u32::MAX);
    let tables = match index.len() >= layout.index_from {
        true => index_tables(&header, index, &landmarks, wide),
        false => Vec::new(),
    };
    finish(out, entries, tables, wide, layout)
}

/// The whole file of a document of the other profiles.
pub(crate) fn file(
    envelope: &Envelope,
    header: &Header,
    elements: &Elements,
    index: &Index,
    layout: &Layout,
) -> Vec<u8> {
    let mut out = Vec::with_capacity(elements.len() + elements.len() / 8 + 1024);
    put_beginning(&mut out, envelope, header);
    // The tables are far smaller than what they index, so this bounds the file.
    let wide = layout.wide || (out.len() + elements.len()) as u64 * 2 > u64::from(u32::MAX);
    let mut entries = Vec::new();
    let mut tables = Vec::new();
    let items = [
        (&elements.strings, Part::STRINGS, Part::STRING_OFFSETS),
        (&elements.shapes, Part::SHAPES, Part::SHAPE_OFFSETS),
        (&elements.shared, Part::SHARED, Part::SHARED_OFFSETS),
    ];
    for (items, element, table) in items {
        let base = out.len();
        push_element(&mut out, &mut entries, element, &items.bytes);
        let (from, stride) = match table {
            Part::SHAPE_OFFSETS if index.len() >= layout.index_from => (SHAPE_TABLE_FROM, SHAPE_STRIDE),
            Part::SHAPE_OFFSETS => (TABLE_FROM, SHAPE_STRIDE),
            _ => (TABLE_FROM, choose_stride(items.offsets.len(), items.bytes.len())),
        };
        // Without an index a file is for reading whole, and then the offsets are made while reading.
        if items.offsets.len() >= from && layout.index_from < usize::MAX {
            let offsets: Vec<u64> = items.offsets.iter().map(|offset| offset + base as u64).collect();
            let mut bytes = Vec::new();
            put_table(&offsets, stride, wide, &mut bytes);
            tables.push(TablePart { part: table, stride, bytes });
        }
    }
    let base = out.len() as u64;
    push_element(&mut out, &mut entries, Part::ROOT, &elements.root);
    if index.len() >= layout.index_from {
        let offsets: Vec<u64> = elements.landmarks.iter().map(|offset| offset + base).collect();
        // The largest and least used tables first, so that what a lookup touches lies near the trailer.
        let mut all = index_tables(header, index, &offsets, wide);
        all.append(&mut tables);
        tables = all;
    }
    finish(out, entries, tables, wide, layout)
}

/// What comes before the elements that hold the document.
fn put_beginning(out: &mut Vec<u8>, envelope: &Envelope, header: &Header) {
    envelope.write(out);
    put_array_header(out, 7);
    out.extend_from_slice(&SIGNATURE);
    header.write(out);
}

fn push_element(out: &mut Vec<u8>, entries: &mut Vec<Entry>, part: Part, bytes: &[u8]) {
    let start = out.len();
    out.extend_from_slice(bytes);
    entries.push(Entry { part, flags: FLAG_CRITICAL, stride: 0, start, end: out.len() });
}

fn index_tables(header: &Header, index: &Index, offsets: &[u64], wide: bool) -> Vec<TablePart> {
    assert_eq!(offsets.len(), index.len(), "the spine and the rule find the same landmarks");
    let table = |part, bytes| TablePart { part, stride: 0, bytes };
    let mut tables = Vec::new();
    if let Some(forward) = &index.edges {
        let directions = [
            (&index.reversed_edges, [Part::DEPENDENT_STARTS, Part::DEPENDENT_TARGETS, Part::DEPENDENT_KINDS]),
            (forward, [Part::DEPENDENCY_STARTS, Part::DEPENDENCY_TARGETS, Part::DEPENDENCY_KINDS]),
        ];
        for (edges, parts) in directions {
            let bytes = edges::tables(edges, index.len());
            tables.extend(parts.into_iter().zip(bytes).map(|(part, bytes)| table(part, bytes)));
        }
    }
    let rows: Vec<LandmarkRow> = offsets
        .iter()
        .zip(&index.classes)
        .zip(&index.parents)
        .map(|((&offset, &class), &parent)| LandmarkRow { offset, class, parent })
        .collect();
    if header.rule.patterns().len() > 1 {
        tables.push(table(Part::LANDMARK_CLASSES, classes_table(&rows)));
    }
    let tree = tree_table(&rows);
    if !tree.is_empty() {
        tables.push(table(Part::LANDMARK_TREE, tree));
    }
    tables.push(table(Part::LANDMARK_OFFSETS, offsets_table(&rows, wide)));
    let full_keys: Vec<&str> = index.keys.iter().map(String::as_str).collect();
    let (buckets, slots) = keys::tables(&full_keys, offsets, wide);
    tables.push(table(Part::KEY_SLOTS, slots));
    tables.push(table(Part::KEY_BUCKETS, buckets));
    tables
}

/// Adds the last element: tables, checksums, directory and trailer.
fn finish(
    mut out: Vec<u8>,
    mut entries: Vec<Entry>,
    tables: Vec<TablePart>,
    wide: bool,
    layout: &Layout,
) -> Vec<u8> {
    let plan = Plan::fitting(out.len(), &tables, &entries, wide, layout);
    put_bin_header(&mut out, plan.length());
    for (table, &start) in tables.iter().zip(&plan.starts) {
        out.resize(start, 0);
        out.extend_from_slice(&table.bytes);
        let (part, stride, end) = (table.part, table.stride, out.len());
        entries.push(Entry { part, flags: 0, stride, start, end });
    }
    let mut covered_from = 0;
    if let Some(blocks) = plan.blocks {
        out.resize(blocks, 0);
        let table = block_table(&out);
        let root = block_table(&table);
        let end = blocks + table.len();
        entries.push(Entry { part: Part::BLOCK_TABLE, flags: 0, stride: 0, start: blocks, end });
        out.extend_from_slice(&table);
        covered_from = out.len() as u64;
        out.extend_from_slice(&root);
    }
    out.resize(plan.directory, 0);
    Directory::write(&mut entries, wide, &mut out);
    let directory_entries = u16::try_from(entries.len()).expect("a file has few parts");
    Trailer { covered_from, directory_entries, wide }.write(&mut out);
    debug_assert_eq!(out.len(), plan.end);
    out
}

/// Where everything in the last element lies, given where its body begins.
struct Plan {
    body: usize,
    starts: Vec<usize>,
    blocks: Option<usize>,
    directory: usize,
    end: usize,
}

impl Plan {
    /// The plan whose length needs just the header that lies before its body. Alignment can make a body fit
    /// neither of two headers; then more padding brings it to the longer one.
    fn fitting(at: usize, tables: &[TablePart], entries: &[Entry], wide: bool, layout: &Layout) -> Plan {
        let headers = [(2, 0..=0xff), (3, 0x100..=0xffff), (5, 0x1_0000..=usize::MAX)];
        [0, 8]
            .into_iter()
            .flat_map(|padding| headers.iter().map(move |header| (padding, header)))
            .find_map(|(padding, (header, lengths))| {
                let plan = Plan::new(at + header, padding, tables, entries, wide, layout);
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
        layout: &Layout,
    ) -> Plan {
        let mut at = body + padding;
        let mut starts = Vec::with_capacity(tables.len());
        for table in tables {
            at = at.next_multiple_of(8);
            starts.push(at);
            at += table.bytes.len();
        }
        let mut blocks = None;
        let mut count = entries.len() + tables.len();
        if at >= layout.blocks_from {
            at = at.next_multiple_of(8);
            blocks = Some(at);
            let table = at.div_ceil(crate::wire::checksum::BLOCK) * 4;
            at += table + table.div_ceil(crate::wire::checksum::BLOCK) * 4;
            count += 1;
        }
        let directory = at.next_multiple_of(8);
        let width = if wide { 20 } else { 12 };
        Plan { body, starts, blocks, directory, end: directory + count * width + TRAILER }
    }

    fn length(&self) -> usize {
        self.end - self.body
    }
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
