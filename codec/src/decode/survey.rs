//! §9.2 How large a document becomes when it is expanded, found out before it is.
//!
//! Every stored byte is visited once; shared values are measured in the order of their ids, which is also the
//! order in which they depend on each other. All forms are checked on the way, so what follows a survey can
//! rely on them.

use super::keys::DistinctKeys;
use super::tables::{ValuedSlot, nothing_left};
use super::{Step, Tables, key, plain_step, step};
use crate::file::DocumentView;
use crate::limits;
use crate::msgpack::Cursor;
use crate::wire::directory::Part;
use coconut_format::error::{DecodeError, ErrorKind};

/// What a value expands to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Size {
    /// Values, itself included.
    pub(crate) values: u64,
    /// Levels.
    pub(crate) depth: u32,
    /// Bytes of its strings and keys, and one for each other scalar and container: a lower bound of any text.
    pub(crate) text: u64,
}

/// What a survey finds out.
#[derive(Debug)]
pub(crate) struct Survey {
    /// Size of the document.
    pub(crate) root: Size,
    /// Where each shared value begins.
    pub(crate) shared: Vec<usize>,
}

impl Survey {
    /// Measures and checks the shared part and the root. Refuses depths beyond the limit.
    pub(crate) fn of(document: DocumentView<'_>, tables: &Tables<'_>) -> Result<Survey, DecodeError> {
        let mut surveyor = Surveyor { tables, shared: Vec::new(), stack: Vec::new() };
        let (mut cursor, count) = document.frame.shared.first(document.data, document.blocks())?;
        let mut shared = Vec::with_capacity(count as usize);
        for id in 0..count {
            let start = cursor.position();
            if !matches!(cursor.peek()?, 0x90..=0x9f | 0xdc | 0xdd) {
                return Err(ErrorKind::ValueForm.at(start as u64));
            }
            let size = surveyor.measure(&mut cursor, id)?;
            surveyor.shared.push(size);
            shared.push(start);
        }
        nothing_left(&cursor)?;
        let part = document.element(Part::ROOT);
        let mut cursor = document.cursor(part.start, part.end);
        let root = surveyor.measure(&mut cursor, count)?;
        nothing_left(&cursor)?;
        Ok(Survey { root, shared })
    }

    /// Refuses what expands to more than `values` values or `bytes` bytes.
    pub(crate) fn check(&self, values: u64, bytes: u64, at: usize) -> Result<(), DecodeError> {
        if self.root.values > values {
            return Err(ErrorKind::Nodes { count: self.root.values, limit: values }.at(at as u64));
        }
        if self.root.text > bytes {
            return Err(ErrorKind::Bytes { count: self.root.text, limit: bytes }.at(at as u64));
        }
        Ok(())
    }
}

struct Surveyor<'t, 'a> {
    tables: &'t Tables<'a>,
    /// Sizes of the shared values so far.
    shared: Vec<Size>,
    stack: Vec<Open<'t, 'a>>,
}

/// A container of which something is left.
struct Open<'t, 'a> {
    left: usize,
    /// Where it begins; for a nested object, its record.
    at: usize,
    kind: OpenKind<'t, 'a>,
}

enum OpenKind<'t, 'a> {
    List,
    Object(DistinctKeys<'a>),
    Record(&'t [ValuedSlot]),
}

impl<'t, 'a> Surveyor<'t, 'a> {
    /// The size of the value at the cursor, which is left behind it.
    fn measure(&mut self, cursor: &mut Cursor<'a>, bound: u32) -> Result<Size, DecodeError> {
        let mut size = Size::default();
        self.value(cursor, false, bound, &mut size)?;
        while let Some(open) = self.stack.last_mut() {
            let Some(left) = open.left.checked_sub(1) else {
                self.stack.pop();
                continue;
            };
            open.left = left;
            let at = open.at;
            match &mut open.kind {
                OpenKind::List => self.value(cursor, false, bound, &mut size)?,
                OpenKind::Object(keys) => {
                    let key_at = cursor.position();
                    let key = key(cursor, self.tables, self.tables.plain)?;
                    check_length(key.len(), limits::KEY_BYTES, key_at)?;
                    size.text = size.text.saturating_add(key.len() as u64);
                    if !keys.insert(key) {
                        return Err(ErrorKind::DuplicateKey.at(key_at as u64));
                    }
                    self.value(cursor, false, bound, &mut size)?;
                }
                OpenKind::Record(slots) => {
                    let Some((slot, rest)) = slots.split_first() else { continue };
                    *slots = rest;
                    match *slot {
                        ValuedSlot::Plain => self.value(cursor, false, bound, &mut size)?,
                        ValuedSlot::Integer => self.value(cursor, true, bound, &mut size)?,
                        ValuedSlot::Nested(inner) => {
                            let slots = self.tables.valued(self.tables.shape(inner));
                            self.open(OpenKind::Record(slots), slots.len(), at, &mut size)?;
                        }
                    }
                }
            }
        }
        Ok(size)
    }

    fn value(
        &mut self,
        cursor: &mut Cursor<'a>,
        integer_slot: bool,
        bound: u32,
        size: &mut Size,
    ) -> Result<(), DecodeError> {
        let at = cursor.position();
        let step = match self.tables.plain {
            true => plain_step(cursor)?,
            false => step(cursor, self.tables, integer_slot, bound)?,
        };
        size.values = size.values.saturating_add(1);
        size.text = size.text.saturating_add(1);
        match step {
            Step::Null | Step::Bool(_) | Step::Integer(_) | Step::Float(_) => {}
            Step::String(text) => {
                check_length(text.len(), limits::STRING_BYTES, at)?;
                size.text = size.text.saturating_add(text.len() as u64);
            }
            Step::StringId(id) => {
                size.text = size.text.saturating_add(self.tables.strings[id as usize].len() as u64);
            }
            Step::Shared(id) => {
                let inner = self.shared[id as usize];
                // The reference itself was counted above as the container that it stands for.
                size.values = size.values.saturating_add(inner.values - 1);
                size.text = size.text.saturating_add(inner.text - 1);
                self.reach(inner.depth, at, size)?;
            }
            Step::List(count) => self.open(OpenKind::List, count as usize, at, size)?,
            Step::Object(count) => {
                self.open(OpenKind::Object(DistinctKeys::default()), count as usize, at, size)?;
            }
            Step::Record(shape) => self.open_record(shape, at, size)?,
        }
        Ok(())
    }

    fn open(
        &mut self,
        kind: OpenKind<'t, 'a>,
        left: usize,
        at: usize,
        size: &mut Size,
    ) -> Result<(), DecodeError> {
        self.reach(1, at, size)?;
        self.stack.push(Open { left, at, kind });
        Ok(())
    }

    /// Opens the values of a record. What its shape implies, with all that is nested in it, is counted at once:
    /// it can be astronomical without any value of the record.
    fn open_record(&mut self, shape: u32, at: usize, size: &mut Size) -> Result<(), DecodeError> {
        let tables = self.tables;
        let shape = tables.shape(shape);
        size.values = size.values.saturating_add(shape.implied_values);
        size.text = size.text.saturating_add(shape.implied_text);
        self.reach(shape.implied_levels.saturating_add(1), at, size)?;
        let slots = tables.valued(shape);
        self.open(OpenKind::Record(slots), slots.len(), at, size)
    }

    /// Notes that the value at `at` has `levels` levels of its own.
    fn reach(&self, levels: u32, at: usize, size: &mut Size) -> Result<(), DecodeError> {
        let open = u32::try_from(self.stack.len()).unwrap_or(u32::MAX);
        let depth = open.saturating_add(levels);
        if depth > limits::DEPTH {
            return Err(ErrorKind::Depth { limit: limits::DEPTH.into() }.at(at as u64));
        }
        size.depth = size.depth.max(depth);
        Ok(())
    }
}

fn check_length(length: usize, limit: usize, at: usize) -> Result<(), DecodeError> {
    match length > limit {
        true => Err(ErrorKind::StringLength { length: length as u64, limit: limit as u64 }.at(at as u64)),
        false => Ok(()),
    }
}
