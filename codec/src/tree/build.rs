//! Reading a document into a [`Tree`].

use super::{Node, Tree};
use crate::decode::{Step, Survey, Tables, ValuedSlot, nothing_left};
use crate::file::DocumentView;
use crate::limits;
use crate::msgpack::{Cursor, Token};
use crate::view::ext_integer;
use crate::wire::directory::Part;
use coconut_format::error::{DecodeError, ErrorKind};
use foldhash::fast::RandomState;
use hashbrown::HashSet;

pub(super) fn build(document: DocumentView<'_>) -> Result<Tree<'_>, DecodeError> {
    let tables = Tables::read(document)?;
    match Builder::read_document(document, &tables) {
        Ok(Loaded { root, texts, nodes, repeats_a_key: false }) => Ok(Tree { texts, nodes, root, tables }),
        // Keys of large objects were compared late, if at all: the survey knows which fault is the first.
        Ok(Loaded { root, texts, nodes, .. }) => {
            Survey::of(document, &tables)?;
            Ok(Tree { texts, nodes, root, tables })
        }
        Err(error) => {
            Survey::of(document, &tables)?;
            Err(error)
        }
    }
}

/// What becomes a [`Tree`].
struct Loaded<'a> {
    root: Node,
    texts: Vec<&'a [u8]>,
    nodes: Vec<Node>,
    /// Whether some large object has a key twice.
    repeats_a_key: bool,
}

/// A finished value with its levels.
#[derive(Clone, Copy)]
struct Built {
    node: Node,
    depth: u32,
}

struct Builder<'t, 'a> {
    tables: &'t Tables<'a>,
    texts: Vec<&'a [u8]>,
    nodes: Vec<Node>,
    /// Finished values of open containers.
    values: Vec<Node>,
    stack: Vec<Open>,
    shared: Vec<Built>,
    /// For each shape that was met, where its values begin in `flat_slots`.
    flat: Vec<Option<usize>>,
    flat_slots: Vec<FlatSlot>,
    /// Whether some large object has a key twice.
    repeats_a_key: bool,
}

/// What is to be known of one value of a record to read it.
#[derive(Clone, Copy)]
struct FlatSlot {
    is_integer: bool,
    /// Levels of nested objects around it.
    levels: u16,
}

/// A container of which something is left.
struct Open {
    left: u32,
    first_value: usize,
    kind: OpenKind,
    /// Levels from here to the root of what is being read: the container and what nests it.
    level: u32,
    /// Deepest level reached inside, in the same count.
    deepest: u32,
}

#[derive(Clone, Copy)]
enum OpenKind {
    List,
    Object,
    Record {
        shape: u32,
        /// The slot of the next value.
        slot: usize,
    },
}

/// What stood at the cursor.
enum Read {
    /// All of a value.
    Node(Node),
    /// The head of a container.
    Open(Open),
}

impl<'t, 'a> Builder<'t, 'a> {
    fn read_document(document: DocumentView<'a>, tables: &'t Tables<'a>) -> Result<Loaded<'a>, DecodeError> {
        let mut builder = Builder {
            tables,
            texts: tables.strings.iter().map(|text| text.as_bytes()).collect(),
            nodes: Vec::new(),
            values: Vec::new(),
            stack: Vec::new(),
            shared: Vec::new(),
            flat: vec![None; tables.shapes.len()],
            flat_slots: Vec::new(),
            repeats_a_key: false,
        };
        let (mut cursor, count) = document.frame.shared.first(document.data, document.blocks())?;
        for id in 0..count {
            let start = cursor.position();
            if !matches!(cursor.peek()?, 0x90..=0x9f | 0xdc | 0xdd) {
                return Err(ErrorKind::ValueForm.at(start as u64));
            }
            let node = builder.value(&mut cursor, id)?;
            builder.shared.push(node);
        }
        nothing_left(&cursor)?;
        let root = document.element(Part::ROOT);
        let mut cursor = document.cursor(root.start, root.end);
        let root = builder.value(&mut cursor, count)?;
        nothing_left(&cursor)?;
        let Builder { texts, nodes, repeats_a_key, .. } = builder;
        Ok(Loaded { root: root.node, texts, nodes, repeats_a_key })
    }

    /// The value at the cursor, which is left behind it. Containers inside are finished innermost first, so
    /// that the values of each lie together. The innermost is in hand, not on the stack.
    fn value(&mut self, cursor: &mut Cursor<'a>, bound: u32) -> Result<Built, DecodeError> {
        let mut depth = 0;
        let mut open = match self.read(cursor, false, bound, 0, &mut depth)? {
            Read::Node(node) => return Ok(Built { node, depth }),
            Read::Open(open) => open,
        };
        loop {
            if let Some(inner) = self.fill(&mut open, cursor, bound)? {
                self.stack.push(std::mem::replace(&mut open, inner));
                continue;
            }
            let node = self.close(&open, cursor.position())?;
            let depth = open.deepest;
            match self.stack.pop() {
                Some(around) => open = around,
                None => return Ok(Built { node, depth }),
            }
            open.deepest = open.deepest.max(depth);
            self.values.push(node);
        }
    }

    /// Reads values of a container up to the next container in it, which is returned, or to its end.
    #[inline]
    fn fill(
        &mut self,
        open: &mut Open,
        cursor: &mut Cursor<'a>,
        bound: u32,
    ) -> Result<Option<Open>, DecodeError> {
        while let Some(left) = open.left.checked_sub(1) {
            open.left = left;
            let slot = match &mut open.kind {
                OpenKind::List => FlatSlot { is_integer: false, levels: 0 },
                OpenKind::Object => {
                    let key = self.key(cursor, open.first_value)?;
                    self.values.push(key);
                    FlatSlot { is_integer: false, levels: 0 }
                }
                OpenKind::Record { slot, .. } => {
                    *slot += 1;
                    self.flat_slots[*slot - 1]
                }
            };
            let level = open.level + u32::from(slot.levels);
            match self.read(cursor, slot.is_integer, bound, level, &mut open.deepest)? {
                Read::Node(node) => self.values.push(node),
                Read::Open(inner) => return Ok(Some(inner)),
            }
        }
        Ok(None)
    }

    /// Reads what stands at the cursor. `level` is that of the container around it, and `deepest` is raised to
    /// the levels of a shared value.
    #[inline]
    fn read(
        &mut self,
        cursor: &mut Cursor<'a>,
        is_integer: bool,
        bound: u32,
        level: u32,
        deepest: &mut u32,
    ) -> Result<Read, DecodeError> {
        let at = cursor.position();
        let plain = self.tables.plain;
        Ok(Read::Node(match cursor.token()? {
            Token::Unsigned(number) if is_integer || plain => Node::Unsigned(number),
            Token::Unsigned(id) => match u32::try_from(id) {
                Ok(short) if (short as usize) < self.tables.strings.len() => Node::String(short),
                _ => return Err(self.tables.string(id, at).map(drop).expect_err("the id is out of range")),
            },
            Token::Str(bytes) => self.text(cursor, bytes, at)?,
            Token::Negative(number) if is_integer || plain => Node::Negative(number),
            Token::Negative(number) => {
                let built = self.shared(number, bound, at)?;
                let level = level.saturating_add(built.depth);
                check_level(level, at)?;
                *deepest = level.max(*deepest);
                built.node
            }
            Token::Nil => Node::Null,
            Token::Bool(value) => Node::Bool(value),
            Token::Array(count) => return self.open_array(cursor, count, level, at).map(Read::Open),
            Token::Map(count) if plain => {
                return self.open(OpenKind::Object, count, level, at).map(Read::Open);
            }
            Token::Float(value) if value.is_finite() => Node::Float(value),
            Token::Float(_) => return Err(ErrorKind::NonFinite.at(at as u64)),
            Token::Ext(code, body) if !plain => integer(ext_integer(code, body, at)?),
            Token::Ext(code, body) | Token::OtherExt(code, body) => {
                return Err(ErrorKind::Extension { code, length: body.len() as u64 }.at(at as u64));
            }
            other => {
                return Err(ErrorKind::Type { expected: "value", found: other.name() }.at(at as u64));
            }
        }))
    }

    fn open_array(
        &mut self,
        cursor: &mut Cursor<'a>,
        count: u32,
        level: u32,
        at: usize,
    ) -> Result<Open, DecodeError> {
        if self.tables.plain {
            return self.open(OpenKind::List, count, level, at);
        }
        match crate::decode::array(cursor, self.tables, count, at)? {
            Step::List(count) => self.open(OpenKind::List, count, level, at),
            Step::Object(count) => self.open(OpenKind::Object, count, level, at),
            Step::Record(id) => {
                let shape = self.tables.shape(id);
                let (width, implied_levels) = (shape.width, shape.implied_levels);
                let slot = self.flatten(id);
                let mut open = self.open(OpenKind::Record { shape: id, slot }, width, level, at)?;
                open.deepest = open.level.saturating_add(implied_levels);
                check_level(open.deepest, at)?;
                Ok(open)
            }
            _ => Err(ErrorKind::ValueForm.at(at as u64)),
        }
    }

    fn open(&self, kind: OpenKind, left: u32, around: u32, at: usize) -> Result<Open, DecodeError> {
        let level = around.saturating_add(1);
        check_level(level, at)?;
        Ok(Open { left, first_value: self.values.len(), kind, level, deepest: level })
    }

    fn close(&mut self, open: &Open, at: usize) -> Result<Node, DecodeError> {
        let first = self.nodes.len();
        let count = self.values.len() - open.first_value;
        if matches!(open.kind, OpenKind::Object) && count > 2 * FEW_KEYS {
            self.repeats_a_key |= self.repeats_a_key_from(open.first_value);
        }
        self.nodes.extend(self.values.drain(open.first_value..));
        let too_many = || {
            let (count, limit) = (first as u64 + count as u64, u32::MAX.into());
            ErrorKind::TooMany { what: "stored values", count, limit }.at(at as u64)
        };
        let first = u32::try_from(first).map_err(|_| too_many())?;
        let count = u32::try_from(count).map_err(|_| too_many())?;
        Ok(match open.kind {
            OpenKind::List => Node::List { first, count },
            OpenKind::Object => Node::Object { first, count: count / 2 },
            OpenKind::Record { shape, .. } => Node::Record { shape, first },
        })
    }

    fn shared(&self, number: i64, bound: u32, at: usize) -> Result<Built, DecodeError> {
        let id = u64::from_ne_bytes((!number).to_ne_bytes());
        let built = u32::try_from(id)
            .ok()
            .filter(|&id| id < bound)
            .and_then(|id| self.shared.get(id as usize).copied());
        built.ok_or_else(|| ErrorKind::SharedRange { id, count: bound.into() }.at(at as u64))
    }

    /// A string that is not in the table. Checked here once, by a look at its bytes where they are ASCII.
    #[inline]
    fn text(&mut self, cursor: &Cursor<'a>, bytes: &'a [u8], at: usize) -> Result<Node, DecodeError> {
        if !is_ascii(bytes) {
            cursor.text(bytes)?;
        }
        if bytes.len() > limits::STRING_BYTES {
            let (length, limit) = (bytes.len() as u64, limits::STRING_BYTES as u64);
            return Err(ErrorKind::StringLength { length, limit }.at(at as u64));
        }
        let index = u32::try_from(self.texts.len()).map_err(|_| {
            let (count, limit) = (self.texts.len() as u64, u32::MAX.into());
            ErrorKind::TooMany { what: "strings", count, limit }.at(at as u64)
        })?;
        self.texts.push(bytes);
        Ok(Node::String(index))
    }

    /// A key in front of its value, which none of those before it in its object is.
    fn key(&mut self, cursor: &mut Cursor<'a>, first_value: usize) -> Result<Node, DecodeError> {
        let at = cursor.position();
        let key = match cursor.token()? {
            Token::Str(bytes) => {
                if bytes.len() > limits::KEY_BYTES {
                    let (length, limit) = (bytes.len() as u64, limits::KEY_BYTES as u64);
                    return Err(ErrorKind::StringLength { length, limit }.at(at as u64));
                }
                self.text(cursor, bytes, at)?
            }
            Token::Unsigned(id) if !self.tables.plain => {
                let length = self.tables.string(id, at)?.len();
                if length > limits::KEY_BYTES {
                    let (length, limit) = (length as u64, limits::KEY_BYTES as u64);
                    return Err(ErrorKind::StringLength { length, limit }.at(at as u64));
                }
                Node::String(u32::try_from(id).unwrap_or(u32::MAX))
            }
            other => {
                return Err(ErrorKind::Type { expected: "string", found: other.name() }.at(at as u64));
            }
        };
        match self.is_repeated(key, first_value) {
            true => Err(ErrorKind::DuplicateKey.at(at as u64)),
            false => Ok(key),
        }
    }

    fn is_repeated(&self, key: Node, first_value: usize) -> bool {
        let bytes_of = |node: &Node| match node {
            Node::String(index) => self.texts.get(*index as usize).copied(),
            _ => None,
        };
        let key = bytes_of(&key);
        // A large object is looked at when it closes.
        let before = self.values.get(first_value..).unwrap_or_default();
        before.len() <= 2 * FEW_KEYS && before.iter().step_by(2).any(|other| bytes_of(other) == key)
    }

    fn repeats_a_key_from(&self, first_value: usize) -> bool {
        let values = self.values.get(first_value..).unwrap_or_default();
        let mut seen: HashSet<&[u8], RandomState> =
            HashSet::with_capacity_and_hasher(values.len() / 2, RandomState::default());
        values.iter().step_by(2).any(|key| match key {
            Node::String(index) => !seen.insert(self.texts[*index as usize]),
            _ => false,
        })
    }

    /// Where the values of a shape begin in `flat_slots`.
    #[inline]
    fn flatten(&mut self, shape: u32) -> usize {
        match self.flat[shape as usize] {
            Some(first) => first,
            None => self.flatten_first(shape),
        }
    }

    fn flatten_first(&mut self, shape: u32) -> usize {
        let first = self.flat_slots.len();
        let mut stack = vec![(shape, 0u16, 0usize)];
        while let Some((id, levels, next)) = stack.pop() {
            let slots = self.tables.valued(self.tables.shape(id));
            for (position, slot) in slots.iter().enumerate().skip(next) {
                match *slot {
                    ValuedSlot::Plain => self.flat_slots.push(FlatSlot { is_integer: false, levels }),
                    ValuedSlot::Integer => self.flat_slots.push(FlatSlot { is_integer: true, levels }),
                    ValuedSlot::Nested(inner) => {
                        stack.push((id, levels, position + 1));
                        stack.push((inner, levels.saturating_add(1), 0));
                        break;
                    }
                }
            }
        }
        self.flat[shape as usize] = Some(first);
        first
    }
}

/// Refuses a level beyond the limit.
#[inline]
fn check_level(level: u32, at: usize) -> Result<(), DecodeError> {
    match level > limits::DEPTH {
        true => Err(ErrorKind::Depth { limit: limits::DEPTH.into() }.at(at as u64)),
        false => Ok(()),
    }
}

/// Keys up to which each is compared with each.
const FEW_KEYS: usize = 16;

fn integer(value: coconut_format::Integer) -> Node {
    match (value.as_u64(), value.as_i64()) {
        (Some(number), _) => Node::Unsigned(number),
        (None, number) => Node::Negative(number.unwrap_or_default()),
    }
}

/// Whether all bytes are ASCII: 4 ns for a short string, where a UTF-8 check takes 15.
#[inline]
fn is_ascii(bytes: &[u8]) -> bool {
    let mut chunks = bytes.chunks_exact(8);
    let mut high = 0u64;
    for chunk in &mut chunks {
        let chunk: [u8; 8] = chunk.try_into().expect("chunks of eight");
        high |= u64::from_ne_bytes(chunk);
    }
    let rest = chunks.remainder().iter().fold(0, |high, byte| high | byte);
    high & 0x8080_8080_8080_8080 == 0 && rest & 0x80 == 0
}
