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
    /// For each shape that was met: for each value of a record whether its slot is an integer slot, and how
    /// many levels of nested objects are around it.
    flat: Vec<Option<Box<[FlatSlot]>>>,
    /// Whether some large object has a key twice.
    repeats_a_key: bool,
}

#[derive(Clone, Copy)]
struct FlatSlot {
    is_integer: bool,
    levels: u16,
}

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
    Record(u32),
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
            flat: tables.shapes.iter().map(|_| None).collect(),
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
    /// that the values of each lie together.
    fn value(&mut self, cursor: &mut Cursor<'a>, bound: u32) -> Result<Built, DecodeError> {
        if let Some(node) = self.read(cursor, false, bound, 0)? {
            return Ok(Built { node, depth: 0 });
        }
        loop {
            let open = self.stack.last_mut().expect("the value's own container is open");
            let Some(left) = open.left.checked_sub(1) else {
                let open = self.stack.pop().expect("it was there");
                let node = self.close(&open, cursor.position())?;
                let depth = open.deepest;
                match self.stack.last_mut() {
                    Some(around) => {
                        around.deepest = around.deepest.max(depth);
                        self.values.push(node);
                        continue;
                    }
                    None => return Ok(Built { node, depth }),
                }
            };
            open.left = left;
            let (level, kind, first_value) = (open.level, open.kind, open.first_value);
            let node = match kind {
                OpenKind::List => self.read(cursor, false, bound, level)?,
                OpenKind::Object => {
                    let key = self.key(cursor, first_value)?;
                    self.values.push(key);
                    self.read(cursor, false, bound, level)?
                }
                OpenKind::Record(shape) => {
                    let position = self.values.len() - first_value;
                    let slot = self.flat_slot(shape, position);
                    self.read(cursor, slot.is_integer, bound, level + u32::from(slot.levels))?
                }
            };
            self.values.extend(node);
        }
    }

    /// A scalar, or `None` when a container was opened. `level` is that of the container around it.
    #[inline]
    fn read(
        &mut self,
        cursor: &mut Cursor<'a>,
        is_integer: bool,
        bound: u32,
        level: u32,
    ) -> Result<Option<Node>, DecodeError> {
        let at = cursor.position();
        let plain = self.tables.plain;
        Ok(Some(match cursor.token()? {
            Token::Unsigned(number) if is_integer || plain => Node::Unsigned(number),
            Token::Unsigned(id) => match u32::try_from(id) {
                Ok(short) if (short as usize) < self.tables.strings.len() => Node::String(short),
                _ => return Err(self.tables.string(id, at).map(drop).expect_err("the id is out of range")),
            },
            Token::Str(bytes) => self.text(cursor, bytes, at)?,
            Token::Negative(number) if is_integer || plain => Node::Negative(number),
            Token::Negative(number) => self.shared(number, bound, level, at)?,
            Token::Nil => Node::Null,
            Token::Bool(value) => Node::Bool(value),
            Token::Array(count) => {
                self.open_array(cursor, count, level, at)?;
                return Ok(None);
            }
            Token::Map(count) if plain => {
                self.open(OpenKind::Object, count, level, at)?;
                return Ok(None);
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
    ) -> Result<(), DecodeError> {
        if self.tables.plain {
            return self.open(OpenKind::List, count, level, at);
        }
        match crate::decode::array(cursor, self.tables, count, at)? {
            Step::List(count) => self.open(OpenKind::List, count, level, at),
            Step::Object(count) => self.open(OpenKind::Object, count, level, at),
            Step::Record(id) => {
                let shape = self.tables.shape(id);
                let deepest = level.saturating_add(1).saturating_add(shape.implied_levels);
                let width = shape.width;
                self.open(OpenKind::Record(id), width, level, at)?;
                self.reach(deepest, at)
            }
            _ => Err(ErrorKind::ValueForm.at(at as u64)),
        }
    }

    fn open(&mut self, kind: OpenKind, left: u32, around: u32, at: usize) -> Result<(), DecodeError> {
        let level = around.saturating_add(1);
        if let OpenKind::Record(shape) = kind {
            self.flatten(shape);
        }
        self.stack.push(Open { left, first_value: self.values.len(), kind, level, deepest: level });
        self.reach(level, at)
    }

    /// Notes that a level was reached, and refuses it beyond the limit.
    fn reach(&mut self, level: u32, at: usize) -> Result<(), DecodeError> {
        if level > limits::DEPTH {
            return Err(ErrorKind::Depth { limit: limits::DEPTH.into() }.at(at as u64));
        }
        if let Some(open) = self.stack.last_mut() {
            open.deepest = open.deepest.max(level);
        }
        Ok(())
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
            OpenKind::Record(shape) => Node::Record { shape, first },
        })
    }

    fn shared(&mut self, number: i64, bound: u32, level: u32, at: usize) -> Result<Node, DecodeError> {
        let id = u64::from_ne_bytes((!number).to_ne_bytes());
        let built = u32::try_from(id)
            .ok()
            .filter(|&id| id < bound)
            .and_then(|id| self.shared.get(id as usize).copied());
        let Some(built) = built else {
            return Err(ErrorKind::SharedRange { id, count: bound.into() }.at(at as u64));
        };
        self.reach(level.saturating_add(built.depth), at)?;
        Ok(built.node)
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

    fn flatten(&mut self, shape: u32) {
        let done = self.flat.get(shape as usize).is_some_and(Option::is_some);
        if done {
            return;
        }
        let mut flat = Vec::new();
        let mut stack = vec![(shape, 0u16, 0usize)];
        while let Some((id, levels, next)) = stack.pop() {
            let slots = self.tables.valued(self.tables.shape(id));
            for (position, slot) in slots.iter().enumerate().skip(next) {
                match *slot {
                    ValuedSlot::Plain => flat.push(FlatSlot { is_integer: false, levels }),
                    ValuedSlot::Integer => flat.push(FlatSlot { is_integer: true, levels }),
                    ValuedSlot::Nested(inner) => {
                        stack.push((id, levels, position + 1));
                        stack.push((inner, levels.saturating_add(1), 0));
                        break;
                    }
                }
            }
        }
        if let Some(slot) = self.flat.get_mut(shape as usize) {
            *slot = Some(flat.into_boxed_slice());
        }
    }

    #[inline]
    fn flat_slot(&self, shape: u32, position: usize) -> FlatSlot {
        let flat = self.flat.get(shape as usize).and_then(Option::as_deref).unwrap_or_default();
        flat.get(position).copied().unwrap_or(FlatSlot { is_integer: false, levels: 0 })
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
