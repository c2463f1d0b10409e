//! Decodes a document into a [`Tree`].
//!
//! Three readers decode values: this one, [`value::read`](crate::wire::value::read) and the
//! [walk](crate::read::walk). This one checks everything in one pass, but does not record faults.
//! On a fault it stops, and the [`Survey`] finds the first fault and its position. So valid
//! documents pay nothing for error reports. A pass that could report them took twice the
//! instructions.

use super::node::{Form, Node};
use super::{Tree, text_at};
use crate::bytes::Bytes;
use crate::limits;
use crate::msgpack::{Cursor, TakeShort, Token};
use crate::read::file::DocumentView;
use crate::read::measure::Survey;
use crate::read::short::{Head, TakeHead, short_shared_id};
use crate::read::tables::{FlatSlots, Tables, TreeTables};
use crate::wire::directory::Part;
use crate::wire::distinct_keys::FEW_KEYS;
use crate::wire::ids::{SharedId, StringId};
use crate::wire::value::ext_integer;
use coconut_format::error::{DecodeError, ErrorKind, FormRule};
use foldhash::fast::RandomState;
use hashbrown::HashSet;
use std::borrow::Cow;
use std::ops::Range;

pub(super) fn build(document: DocumentView<'_>) -> Result<Tree<'_>, DecodeError> {
    let (tables, data) = (Tables::read(document)?, document.bytes());
    let mut builder = Builder::new(document, data, &tables);
    match builder.read_document(document) {
        Some(root) => {
            let Builder { nodes, headers, first_of_root, .. } = builder;
            let (nodes, tables) = (Cow::Owned(nodes), TreeTables::Read(tables));
            Ok(Tree { data, nodes, headers, first_of_root, root, tables })
        }
        None => {
            Survey::of(document, &tables)?;
            // The survey found no fault, so the file changed in between.
            Err(ErrorKind::ValueForm { rule: FormRule::Array }.at(document.frame.root.start as u64))
        }
    }
}

struct Builder<'t, 'a> {
    tables: &'t Tables<'a>,
    data: &'a [u8],
    nodes: Vec<Node>,
    /// The number of nodes that are headers of containers, not values.
    headers: usize,
    /// The end of the nodes of shared values.
    first_of_root: usize,
    /// The largest number of nodes that the bytes of the document can produce.
    most_nodes: usize,
    /// Containers around the innermost open one.
    around: Vec<Open>,
    slots: FlatSlots,
    /// The first keys of each open object with keys in place, at most [`FEW_KEYS`] per object.
    keys: Vec<&'a [u8]>,
}

/// A finished value and its number of levels.
#[derive(Clone, Copy, Debug)]
struct Built {
    node: Node,
    depth: u32,
}

/// Finished shared values. Some documents have more of them than resources, so they take ten bytes
/// each instead of sixteen.
#[derive(Debug, Default)]
struct SharedValues {
    nodes: Vec<Node>,
    depths: Vec<u16>,
}

impl SharedValues {
    fn with_room_for(count: usize) -> SharedValues {
        SharedValues { nodes: Vec::with_capacity(count), depths: Vec::with_capacity(count) }
    }

    /// Values are never deeper than the limit.
    fn push(&mut self, built: Built) -> Option<()> {
        self.depths.push(u16::try_from(built.depth).ok()?);
        self.nodes.push(built.node);
        Some(())
    }

    #[inline]
    fn get(&self, index: usize) -> Option<Built> {
        let (&node, &depth) = (self.nodes.get(index)?, self.depths.get(index)?);
        Some(Built { node, depth: depth.into() })
    }
}

/// A container with nodes that are not filled yet.
struct Open {
    /// The node of the next value, or of the key before it.
    next: usize,
    end: usize,
    /// The slot of the next value.
    slot: usize,
    /// The distance to the next slot: one in a record. All values outside records use the same
    /// slot.
    stride: usize,
    /// The node of the first key, for an object with keys in place.
    first_key: Option<usize>,
    /// The number of levels from here to the root of the value being read.
    level: u32,
}

impl Open {
    /// Fills the node of the next value.
    #[inline]
    fn put(&mut self, node: Node, nodes: &mut [Node]) {
        nodes[self.next] = node;
        self.next += 1;
        self.slot += self.stride;
    }
}

impl<'t, 'a> Builder<'t, 'a> {
    fn new(document: DocumentView<'a>, data: &'a [u8], tables: &'t Tables<'a>) -> Self {
        let bytes = document.element(Part::ROOT).len() + document.element(Part::SHARED).len();
        Builder {
            tables,
            data,
            // A value of a real document has 3 to 5 bytes. Unused capacity is returned untouched.
            nodes: Vec::with_capacity(bytes / 3),
            headers: 0,
            first_of_root: 0,
            // A value takes at least one byte. The header of an empty list adds a node without a
            // byte of its own.
            most_nodes: 2 * bytes,
            around: Vec::new(),
            slots: FlatSlots::new(tables),
            keys: Vec::new(),
        }
    }

    /// Reads the shared values and the root, and returns the root.
    fn read_document(&mut self, document: DocumentView<'a>) -> Option<Node> {
        let mut cursor = self.verified(document, Part::SHARED)?;
        let count = cursor.array_header().ok()?;
        let shared = match self.tables.plain {
            // No value refers to them in profile `plain` (§4.6).
            true => {
                cursor.skip(count.into()).ok()?;
                SharedValues::default()
            }
            false => self.read_shared(&mut cursor, count)?,
        };
        cursor.is_at_end().then_some(())?;
        self.first_of_root = self.nodes.len();
        let mut cursor = self.verified(document, Part::ROOT)?;
        let root = self.value(&mut cursor, &shared)?;
        self.nodes.shrink_to_fit();
        cursor.is_at_end().then_some(root.node)
    }

    fn read_shared(&mut self, cursor: &mut Cursor<'a>, count: u32) -> Option<SharedValues> {
        let mut shared = SharedValues::with_room_for(count as usize);
        for _ in 0..count {
            if !matches!(cursor.peek().ok()?, 0x90..=0x9f | 0xdc | 0xdd) {
                return None;
            }
            let built = self.value(cursor, &shared)?;
            shared.push(built)?;
        }
        Some(shared)
    }

    /// Returns a cursor over a part, after comparing the checksums of all its blocks.
    fn verified(&self, document: DocumentView<'a>, part: Part) -> Option<Cursor<'a>> {
        let Range { start, end } = document.element(part);
        let data = Bytes::Whole(self.data);
        if let Some(blocks) = document.blocks() {
            blocks.ensure(&data, start, end).ok()?;
        }
        Some(Cursor::new(data, start, end, None))
    }

    /// Reads the value at the cursor and moves the cursor past it. The value can refer only to
    /// these shared values.
    ///
    /// A container gets all its nodes when it is opened, and they are filled in order. The
    /// innermost container is a local variable, not on the stack.
    fn value(&mut self, behind: &mut Cursor<'a>, shared: &SharedValues) -> Option<Built> {
        // A local copy without a reference to it, so that it stays in registers.
        let mut cursor = *behind;
        let top = self.nodes.len();
        self.nodes.push(Node::NULL);
        let mut open =
            Open { next: top, end: top + 1, slot: FlatSlots::ANY, stride: 0, first_key: None, level: 0 };
        let mut depth = 0;
        loop {
            if open.next == open.end {
                match self.finish(&open)? {
                    Some(around) => open = around,
                    None => break,
                }
                continue;
            }
            if let Some(first) = open.first_key {
                let take = TakeKey { offset: cursor.position(), tables: self.tables };
                let (key, text) = match cursor.short(take) {
                    Ok(taken) => taken,
                    Err(_) => {
                        let (taken, length) = self.long_key(cursor)?;
                        cursor.advance(length);
                        taken
                    }
                };
                self.note_key(text, (open.next - first) / 2)?;
                self.nodes[open.next] = key;
                open.next += 1;
            }
            let slot = self.slots.get(open.slot);
            let level = open.level + u32::from(slot.levels);
            let take = TakeValue {
                offset: cursor.position(),
                is_integer: slot.is_integer,
                strings: self.tables.strings.len(),
            };
            let taken = match cursor.short(take) {
                Ok(taken) => taken,
                Err(_) => {
                    let (taken, length) = long(self.tables, cursor, slot.is_integer)?;
                    cursor.advance(length);
                    taken
                }
            };
            let head = match taken {
                Taken::Array(0) => Head::List(0),
                Taken::Array(count) if self.tables.plain => Head::List(count),
                Taken::Array(count) => {
                    match cursor.short(TakeHead { tables: self.tables, rest: count - 1 }) {
                        Ok(head) => head,
                        Err(take) => {
                            let (head, length) = take.long(cursor)?;
                            cursor.advance(length);
                            head
                        }
                    }
                }
                Taken::Map(count) => Head::Object(count),
                Taken::Shared(id) => {
                    let built = shared.get(id.index())?;
                    depth = checked(level.saturating_add(built.depth))?.max(depth);
                    open.put(built.node, &mut self.nodes);
                    continue;
                }
                Taken::Node(node) => {
                    open.put(node, &mut self.nodes);
                    continue;
                }
            };
            let (node, inner) = self.open(head, level, &mut depth)?;
            open.put(node, &mut self.nodes);
            self.around.push(std::mem::replace(&mut open, inner));
        }
        *behind = cursor;
        Some(Built { node: self.nodes[top], depth })
    }

    /// Closes a full container. Returns the container around it, if there is one.
    #[inline]
    fn finish(&mut self, open: &Open) -> Option<Option<Open>> {
        if let Some(first) = open.first_key {
            let noted = FEW_KEYS.min((open.end - first) / 2);
            self.keys.truncate(self.keys.len() - noted);
            if self.repeats_a_key(first, open.end) {
                return None;
            }
        }
        Some(self.around.pop())
    }

    /// Creates the nodes of a container that is `around` levels below the top. Raises `depth` to
    /// the level that the container reaches.
    #[inline]
    fn open(&mut self, head: Head, around: u32, depth: &mut u32) -> Option<(Node, Open)> {
        let header = self.nodes.len();
        let first = header + 1;
        let level = around + 1;
        let mut levels = level;
        let any = Open { next: first, end: first, slot: FlatSlots::ANY, stride: 0, first_key: None, level };
        let (node, count, open) = match head {
            Head::List(count) => (Node::list(header), count, Open { end: first + count as usize, ..any }),
            Head::Object(count) => {
                let end = first + 2 * count as usize;
                (Node::object(header), count, Open { end, first_key: Some(first), ..any })
            }
            Head::Record(id) => {
                let shape = self.tables.shape(id);
                levels = level.saturating_add(shape.implied_levels);
                let (slot, end) = (self.slots.of_shape(id, self.tables), first + shape.width as usize);
                (Node::record(header), id.0, Open { end, slot, stride: 1, ..any })
            }
            Head::Shared(_) => unreachable!("a reference opens nothing"),
        };
        *depth = checked(levels)?.max(*depth);
        // A count beyond the number of possible nodes is refused.
        if open.end > self.most_nodes {
            return None;
        }
        self.headers += 1;
        self.nodes.push(Node::header(count));
        self.nodes.resize(open.end, Node::NULL);
        Some((node, open))
    }

    /// Reads a key that [`TakeKey`] declined, and returns the length of its token.
    #[inline(never)]
    fn long_key(&self, mut cursor: Cursor<'a>) -> Option<((Node, &'a [u8]), usize)> {
        let at = cursor.position();
        let taken = match cursor.token().ok()? {
            Token::Str(text) if is_text(text) => (Node::text(at), text),
            Token::Unsigned(id) if !self.tables.plain => {
                let id = StringId::of(id)?;
                (Node::string_id(id), self.tables.strings.get(id.index())?.as_bytes())
            }
            _ => return None,
        };
        (taken.1.len() <= limits::KEY_BYTES).then_some((taken, cursor.position() - at))
    }

    /// Records a key of the innermost object. Returns `None` if one of the `before` keys before it
    /// is equal.
    #[inline]
    fn note_key(&mut self, key: &'a [u8], before: usize) -> Option<()> {
        // The keys of a large object are compared when all of them are read.
        if before < FEW_KEYS {
            let first = self.keys.len() - before;
            if self.keys[first..].contains(&key) {
                return None;
            }
            self.keys.push(key);
        }
        Some(())
    }

    /// Returns whether these nodes are a large object with a duplicate key.
    #[inline(never)]
    fn repeats_a_key(&self, first: usize, end: usize) -> bool {
        let nodes = &self.nodes[first..end];
        if nodes.len() <= 2 * FEW_KEYS {
            return false;
        }
        let mut seen: HashSet<&[u8], RandomState> =
            HashSet::with_capacity_and_hasher(nodes.len() / 2, RandomState::default());
        nodes.iter().step_by(2).any(|&key| !seen.insert(self.key_text(key)))
    }

    fn key_text(&self, key: Node) -> &'a [u8] {
        match key.form() {
            Form::StringId(id) => self.tables.strings[id].as_bytes(),
            Form::Text(at) => text_at(self.data, at),
            _ => unreachable!("the nodes of keys are strings"),
        }
    }
}

/// Reads a value that [`TakeValue`] declined, and returns the length of its token. Null and
/// booleans are never declined.
#[inline(never)]
fn long<'a>(tables: &Tables<'a>, mut cursor: Cursor<'a>, is_integer: bool) -> Option<(Taken, usize)> {
    let at = cursor.position();
    let plain = tables.plain;
    let taken = match cursor.token().ok()? {
        Token::Unsigned(number) if is_integer => Taken::Node(Node::integer(number.into(), at)),
        Token::Negative(_) if is_integer => Taken::Node(Node::number(at)),
        Token::Unsigned(id) if id < tables.strings.len() as u64 => {
            Taken::Node(Node::string_id(StringId::of(id)?))
        }
        Token::Negative(number) => Taken::Shared(SharedId::of(SharedId::named_by(number))?),
        Token::Float(value) if value.is_finite() => Taken::Node(Node::number(at)),
        Token::Ext(code, body) if !plain => Taken::Node(Node::integer(ext_integer(code, body).ok()?, at)),
        Token::Str(bytes) if is_text(bytes) => Taken::Node(Node::text(at)),
        Token::Array(count) => Taken::Array(count),
        Token::Map(count) if plain => Taken::Map(count),
        _ => return None,
    };
    Some((taken, cursor.position() - at))
}

/// The token taken at a cursor.
enum Taken {
    Node(Node),
    /// A reference to the shared value with this id.
    Shared(SharedId),
    Array(u32),
    Map(u32),
}

/// Takes keys, which are scalars of two kinds.
struct TakeKey<'t, 'a> {
    offset: usize,
    tables: &'t Tables<'a>,
}

impl<'a> TakeShort<'a> for TakeKey<'_, 'a> {
    type Value = (Node, &'a [u8]);

    #[inline]
    fn unsigned(self, id: u16) -> Result<Self::Value, Self> {
        match self.tables.strings.get(usize::from(id)) {
            Some(text) if !self.tables.plain && text.len() <= limits::KEY_BYTES => {
                Ok((Node::string_id(StringId(id.into())), text.as_bytes()))
            }
            _ => Err(self),
        }
    }

    #[inline]
    fn string(self, bytes: &'a [u8]) -> Result<Self::Value, Self> {
        match is_text(bytes) {
            true => Ok((Node::text(self.offset), bytes)),
            false => Err(self),
        }
    }
}

/// Takes values.
struct TakeValue {
    offset: usize,
    is_integer: bool,
    /// The number of strings in the table.
    strings: usize,
}

impl<'a> TakeShort<'a> for TakeValue {
    type Value = Taken;

    #[inline]
    fn null(self) -> Result<Taken, Self> {
        Ok(Taken::Node(Node::NULL))
    }

    #[inline]
    fn bool(self, value: bool) -> Result<Taken, Self> {
        Ok(Taken::Node(Node::bool(value)))
    }

    #[inline]
    fn unsigned(self, number: u16) -> Result<Taken, Self> {
        match self.is_integer {
            true => Ok(Taken::Node(Node::small(number))),
            false if usize::from(number) < self.strings => {
                Ok(Taken::Node(Node::string_id(StringId(number.into()))))
            }
            false => Err(self),
        }
    }

    #[inline]
    fn string(self, bytes: &'a [u8]) -> Result<Taken, Self> {
        match is_text(bytes) {
            true => Ok(Taken::Node(Node::text(self.offset))),
            false => Err(self),
        }
    }

    #[inline]
    fn negative(self, number: i16) -> Result<Taken, Self> {
        match self.is_integer {
            true => Ok(Taken::Node(Node::number(self.offset))),
            false => Ok(Taken::Shared(short_shared_id(number))),
        }
    }

    #[inline]
    fn array(self, count: u32) -> Result<Taken, Self> {
        Ok(Taken::Array(count))
    }
}

/// Returns the level, unless it is beyond the limit.
#[inline]
fn checked(level: u32) -> Option<u32> {
    (level <= limits::DEPTH).then_some(level)
}

/// Returns whether the bytes are UTF-8 and within the length limit. Short ASCII texts take a faster
/// check.
#[inline]
fn is_text(bytes: &[u8]) -> bool {
    if bytes.len() < 64 && bytes.is_ascii() {
        return true;
    }
    bytes.len() <= limits::STRING_BYTES && simdutf8::basic::from_utf8(bytes).is_ok()
}

#[cfg(test)]
mod tests;
