//! Values of a tree that are decoded on request.
//!
//! Only a tree that was [read with another](super::alike) has them. Everything about them was
//! checked while both files were read in step.

use super::build::{self, FreshSlots, SharedValues};
#[cfg(feature = "tooling")]
use super::node::Form;
use super::node::Node;
use super::{Place, Tree, TreeValue};
use crate::bytes::Bytes;
use crate::msgpack::{Cursor, Token};
use crate::wire::ids::ShapeId;
use crate::wire::shapes::SlotKind;
use coconut_format::node::Kind;
use std::ops::Range;
use std::sync::{Mutex, OnceLock};

/// A container in a file that is known to be valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) start: usize,
    pub(super) end: usize,
    /// A number shared only with the identical value of the other file.
    pub(super) twin: u32,
    /// The number of its levels.
    pub(super) height: u16,
    pub(super) is_object: bool,
}

/// The closed values of a tree.
///
/// The nodes of an opened one have their own indexes after those of the tree, from twice the offset
/// of the value in the file. A value never has more nodes than twice its bytes.
#[derive(Debug, Default)]
pub(super) struct ClosedValues {
    /// In the order of the file. They do not overlap.
    all: Vec<Known>,
    /// The nodes of the opened values.
    opened: Opened,
    /// The shared values, which opened values refer to.
    shared: SharedValues,
    /// The place of the root part. The others are shared values.
    root: Range<usize>,
    /// A number shared only by two trees that were read together; 0 for others.
    together: u64,
    /// Kept from one opening to the next.
    slots: Mutex<FreshSlots>,
}

/// Runs of nodes, in pages created on first use: few values are opened.
#[derive(Debug, Default)]
struct Opened(Box<[OnceLock<Page>]>);

type Page = Box<[OnceLock<Box<[Node]>>]>;

/// Closed values of a page.
const PAGE: usize = 64;

impl Opened {
    fn none_of(count: usize) -> Opened {
        Opened((0..count.div_ceil(PAGE)).map(|_| OnceLock::new()).collect())
    }

    fn get(&self, number: usize) -> Option<&[Node]> {
        self.0[number / PAGE].get()?[number % PAGE].get().map(|nodes| &**nodes)
    }

    fn get_or_init(&self, number: usize, decode: impl FnOnce() -> Box<[Node]>) -> &[Node] {
        let page = self.0[number / PAGE].get_or_init(|| (0..PAGE).map(|_| OnceLock::new()).collect());
        page[number % PAGE].get_or_init(decode)
    }
}

impl ClosedValues {
    pub(super) fn new(
        all: Vec<Known>,
        shared: SharedValues,
        root: Range<usize>,
        together: u64,
    ) -> ClosedValues {
        let opened = Opened::none_of(all.len());
        ClosedValues { all, opened, shared, root, together, slots: Mutex::default() }
    }

    pub(super) fn kind(&self, number: usize) -> Kind {
        if self.all[number].is_object { Kind::Object } else { Kind::List }
    }

    /// The number shared with the identical value of the other tree.
    pub(super) fn twin(&self, number: usize) -> u32 {
        self.all[number].twin
    }

    /// The number of values in the root part.
    #[cfg(test)]
    pub(super) fn in_root(&self) -> usize {
        self.all.iter().filter(|known| !self.is_shared(known.start)).count()
    }

    fn is_shared(&self, offset: usize) -> bool {
        !self.root.contains(&offset)
    }
}

impl TreeValue<'_, '_> {
    /// The number of this value in its document, if it was closed while reading and occurs in only
    /// one place. Costs nothing.
    #[cfg(feature = "tooling")]
    pub fn number_of_closed(self) -> Option<usize> {
        match self.place {
            Place::Node(node) => self.tree.number_in_root(node),
            Place::Nested { .. } | Place::Constant { .. } => None,
        }
    }
}

impl<'a> Tree<'a> {
    /// Whether both trees were read together, so their closed values can be compared by number.
    pub(super) fn is_read_with(&self, other: &Tree<'_>) -> bool {
        self.closed.together != 0 && self.closed.together == other.closed.together
    }

    /// The number of a closed value that occurs in only one place of the document.
    #[cfg(feature = "tooling")]
    fn number_in_root(&self, node: Node) -> Option<usize> {
        let Form::Closed(number) = node.form() else { return None };
        (!self.closed.is_shared(self.closed.all[number].start)).then_some(number)
    }

    /// The index of the first node of a closed value that begins at this offset.
    fn first_of_closed(&self, start: usize) -> usize {
        self.nodes.len() + 2 * start
    }

    /// The header of a closed value, opened or not.
    pub(super) fn header_of_closed(&self, number: usize) -> usize {
        // The value itself is the first node.
        self.first_of_closed(self.closed.all[number].start) + 1
    }

    pub(super) fn is_in_closed_shared(&self, index: usize) -> bool {
        index.checked_sub(self.nodes.len()).is_some_and(|after| self.closed.is_shared(after / 2))
    }

    /// The node of a closed value. Decodes the value at the first call.
    pub(super) fn opened(&self, number: usize) -> Node {
        let known = self.closed.all[number];
        let nodes = self.closed.opened.get_or_init(number, || {
            let kept = self.closed.slots.lock().map(|mut kept| kept.take()).unwrap_or_default();
            let shared = &self.closed.shared;
            let base = self.first_of_closed(known.start);
            let (nodes, kept) =
                build::open(self.tables.read(), self.data, known.start..known.end, base, shared, kept);
            if let Ok(mut place) = self.closed.slots.lock() {
                *place = kept;
            }
            nodes
        });
        // It was valid when the tree was read. If the file has changed since, there are no nodes
        // here.
        nodes.first().copied().unwrap_or(Node::NULL)
    }

    /// Nodes of opened values.
    #[cold]
    #[inline(never)]
    pub(super) fn run_in_closed(&self, first: usize, count: usize) -> &[Node] {
        if count == 0 {
            return &[];
        }
        let after = first - self.nodes.len();
        let number = self.closed.all.partition_point(|known| known.start <= after / 2) - 1;
        let within = after - 2 * self.closed.all[number].start;
        let nodes = self.closed.opened.get(number).expect("an index of its nodes comes from opening it");
        &nodes[within..within + count]
    }

    /// The value under `key` of a closed value of the root part, if it can be found without opening
    /// the value. Most resources need only their key to be read.
    pub(super) fn find_in_closed(&self, number: usize, key: &str) -> Option<Option<TreeValue<'_, 'a>>> {
        let known = &self.closed.all[number];
        if self.closed.is_shared(known.start) || self.closed.opened.get(number).is_some() {
            return None;
        }
        // The key of a resource is nearly always a text, and the first value of a short record.
        if let Some([0x90..=0x9f, shape @ 0..=0x7f, 0xa0..=0xbf | 0xd9, ..]) =
            self.data.get(known.start..known.end)
        {
            let Some(slot) = self.tables.find(ShapeId((*shape).into()), key) else { return Some(None) };
            if let (SlotKind::Plain | SlotKind::Integer, 0) = self.tables.place(slot) {
                return Some(Some(TreeValue { tree: self, place: Place::Node(Node::text(known.start + 2)) }));
            }
        }
        let mut cursor = Cursor::new(Bytes::Whole(self.data), known.start, known.end, None);
        let count = cursor.array_header().ok()?;
        match cursor.token().ok()? {
            Token::Unsigned(shape) => self.find_in_record(cursor, ShapeId::of(shape)?, key),
            Token::Bool(false) => {
                for _ in 0..count / 2 {
                    let at = cursor.position();
                    let is_sought = match cursor.token().ok()? {
                        Token::Str(text) => text == key.as_bytes(),
                        Token::Unsigned(id) => self.tables.read().string(id, at).ok()? == key,
                        _ => return None,
                    };
                    if is_sought {
                        return self.scalar_in_closed(cursor, false).map(Some);
                    }
                    cursor.skip(1).ok()?;
                }
                Some(None)
            }
            _ => None,
        }
    }

    fn find_in_record(
        &self,
        mut cursor: Cursor<'a>,
        shape: ShapeId,
        key: &str,
    ) -> Option<Option<TreeValue<'_, 'a>>> {
        let Some(slot) = self.tables.find(shape, key) else { return Some(None) };
        let (form, before) = self.tables.place(slot);
        match form {
            SlotKind::Constant(()) => Some(Some(TreeValue { tree: self, place: Place::Constant { slot } })),
            SlotKind::Nested(_) => None,
            SlotKind::Plain | SlotKind::Integer => {
                cursor.skip(before.into()).ok()?;
                self.scalar_in_closed(cursor, matches!(form, SlotKind::Integer)).map(Some)
            }
        }
    }

    /// The value at the cursor, if it needs no nodes of its own.
    fn scalar_in_closed(&self, cursor: Cursor<'a>, is_integer: bool) -> Option<TreeValue<'_, 'a>> {
        let node = build::scalar(self.tables.read(), cursor, is_integer, &self.closed.shared)?;
        Some(TreeValue { tree: self, place: Place::Node(node) })
    }
}
