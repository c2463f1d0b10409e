//! §6, §6.1–§6.3 Shapes and records: the key lists of records, and the form of each value.
//!
//! ```text
//! slot   key              plain       the next value
//!        [key]            integer     the next value; plain integers are integers
//!        [key, t]         nested      an object of shape t, its values next, without header
//!        [key, nil, c]    constant    c, nothing in the record
//! ```
//!
//! `write::emit` writes them, because it owns the strings and shapes of a document.

use super::ids::ShapeId;
use super::value::{Text, read_text};
use crate::msgpack::{Cursor, Token, marker};
use coconut_format::error::{DecodeError, ErrorKind, FormRule};
use std::convert::Infallible;

/// One slot as stored in the file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawSlot<'a> {
    pub(crate) key: Text<'a>,
    pub(crate) kind: SlotKind,
}

/// A slot of which only the key was read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlotHead<'a> {
    pub(crate) key: Text<'a>,
    /// Offset of the key.
    pub(crate) key_at: usize,
    /// Offset of the slot.
    at: usize,
    /// Number of items of its array, or 0 if the slot is only the key.
    items: u32,
}

/// The form of a slot's value. `C` is the data of a constant, which is a scalar. For a slot that
/// was just read, it is the offset of the constant in the file (see [`Cursor::at`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SlotKind<C = usize> {
    #[default]
    Plain,
    Integer,
    Nested(ShapeId),
    Constant(C),
}

/// The form of a value that is in a record, and therefore not a constant.
pub(crate) type ValueSlot = SlotKind<Infallible>;

/// Reads the header of a shape, and returns the number of slots.
pub(crate) fn read_shape_header(cursor: &mut Cursor<'_>) -> Result<u32, DecodeError> {
    let at = cursor.position();
    cursor.array_count()?.ok_or_else(|| ErrorKind::ShapeForm.at(at as u64))
}

/// Reads the next slot of shape `shape`.
///
/// Inlined with the functions it calls: returning the slot through memory stalls on store
/// forwarding. Without inlining, reading one resource of a file takes 3 % more instructions.
#[inline(always)]
pub(crate) fn read_slot<'a>(cursor: &mut Cursor<'a>, shape: ShapeId) -> Result<RawSlot<'a>, DecodeError> {
    let head = read_slot_head(cursor)?;
    Ok(RawSlot { key: head.key, kind: head.read_kind(cursor, shape)? })
}

/// Reads the next slot up to its key.
#[inline(always)]
pub(crate) fn read_slot_head<'a>(cursor: &mut Cursor<'a>) -> Result<SlotHead<'a>, DecodeError> {
    let at = cursor.position();
    let is_array = matches!(cursor.peek()?, 0x90..=0x9f | 0xdc | 0xdd);
    let items = if is_array { cursor.array_header()? } else { 0 };
    if is_array && !(1..=3).contains(&items) {
        return Err(ErrorKind::ShapeForm.at(at as u64));
    }
    let key_at = cursor.position();
    let key = match cursor.short_id() {
        Some(id) => Text::Id(id.into(), key_at),
        None => read_key(cursor, at)?,
    };
    Ok(SlotHead { key, key_at, at, items })
}

impl<'a> SlotHead<'a> {
    /// Reads the rest of a slot of shape `shape`. A nested shape must have a lower id, so nesting
    /// ends.
    #[inline(always)]
    pub(crate) fn read_kind(self, cursor: &mut Cursor<'a>, shape: ShapeId) -> Result<SlotKind, DecodeError> {
        let form = || ErrorKind::ShapeForm.at(self.at as u64);
        match self.items {
            0 => Ok(SlotKind::Plain),
            1 => Ok(SlotKind::Integer),
            2 => {
                let id_at = cursor.position();
                let id = match cursor.short_id() {
                    Some(id) => id.into(),
                    None => match cursor.token()? {
                        Token::Unsigned(id) => id,
                        _ => return Err(form()),
                    },
                };
                match ShapeId::of(id) {
                    Some(id) if id < shape => Ok(SlotKind::Nested(id)),
                    _ => Err(ErrorKind::ShapeRange { id, count: shape.into() }.at(id_at as u64)),
                }
            }
            _ => {
                if cursor.peek()? != marker::NIL {
                    cursor.token()?;
                    return Err(form());
                }
                cursor.advance(1);
                let at = cursor.position();
                read_constant(cursor)?;
                Ok(SlotKind::Constant(at))
            }
        }
    }
}

/// Reads the key of the slot at `slot`. If the key is not a string, the slot is invalid. A narrow
/// float is always refused as such (§3.1).
#[inline(never)]
fn read_key<'a>(cursor: &mut Cursor<'a>, slot: usize) -> Result<Text<'a>, DecodeError> {
    let at = cursor.position();
    match read_text(cursor) {
        Err(error)
            if matches!(error.kind(), ErrorKind::Type { .. })
                && !matches!(cursor.at(at).peek(), Ok(marker::FLOAT_32)) =>
        {
            Err(ErrorKind::ShapeForm.at(slot as u64))
        }
        key => key,
    }
}

/// Skips a constant, which must be a scalar. Most are ids.
fn read_constant(cursor: &mut Cursor<'_>) -> Result<(), DecodeError> {
    let at = cursor.position();
    if cursor.short_id().is_some() {
        return Ok(());
    }
    match cursor.token()? {
        Token::Array(_) | Token::Map(_) | Token::Negative(_) | Token::Bin(_) => {
            Err(ErrorKind::ValueForm { rule: FormRule::Constant }.at(at as u64))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slots(bytes: &[u8], shape: u32) -> Result<Vec<RawSlot<'_>>, DecodeError> {
        let mut cursor = Cursor::unchecked(bytes);
        let count = read_shape_header(&mut cursor)?;
        (0..count).map(|_| read_slot(&mut cursor, ShapeId(shape))).collect()
    }

    #[test]
    fn reads_the_four_kinds_of_slot() {
        let bytes = b"\x94\x05\x91\xa1x\x92\xa1y\x02\x93\xa1z\xc0\xc3";
        let slots = slots(bytes, 3).unwrap();
        assert!(matches!(slots[0], RawSlot { key: Text::Id(5, 1), kind: SlotKind::Plain }));
        assert!(matches!(slots[1], RawSlot { key: Text::Inline("x"), kind: SlotKind::Integer, .. }));
        assert!(matches!(
            slots[2],
            RawSlot { key: Text::Inline("y"), kind: SlotKind::Nested(ShapeId(2)), .. }
        ));
        assert!(matches!(slots[3].kind, SlotKind::Constant(13)) && bytes[13] == 0xc3);
    }

    #[test]
    fn a_shape_nests_only_lower_ones() {
        let error = slots(b"\x91\x92\xa1y\x03", 3).unwrap_err();
        assert_eq!(error, ErrorKind::ShapeRange { id: 3, count: 3 }.at(4));
        let error = slots(b"\x91\x92\xa1y\xcf\0\0\0\x01\0\0\0\0", 3).unwrap_err();
        assert_eq!(error, ErrorKind::ShapeRange { id: 1 << 32, count: 3 }.at(4));
        assert!(matches!(slots(b"\x91\x92\x05\x02", 3).unwrap()[0].kind, SlotKind::Nested(ShapeId(2))));
        for id in [3, 4] {
            let error = slots(&[0x91, 0x92, 5, id], 3).unwrap_err();
            assert_eq!(error, ErrorKind::ShapeRange { id: id.into(), count: 3 }.at(3));
        }
    }

    #[test]
    fn a_constant_is_a_scalar() {
        for constant in [&b"\x90"[..], b"\x80", b"\xff", b"\xc4\0"] {
            let bytes = [b"\x91\x93\xa1z\xc0", constant].concat();
            assert_eq!(
                slots(&bytes, 0).unwrap_err(),
                ErrorKind::ValueForm { rule: FormRule::Constant }.at(5),
                "{constant:02x?}"
            );
        }
    }

    #[test]
    fn a_constant_is_skipped() {
        let slots = slots(b"\x92\x93\xa1z\xc0\xd9\x01s\x07", 0).unwrap();
        assert!(matches!(slots[0].kind, SlotKind::Constant(5)));
        assert!(matches!(slots[1], RawSlot { key: Text::Id(7, 8), kind: SlotKind::Plain }));
    }

    #[test]
    fn a_slot_has_the_offset_of_its_key() {
        let at = |bytes: &[u8]| read_slot_head(&mut Cursor::unchecked(bytes)).map(|head| head.key_at);
        assert_eq!((at(b"\xa1x"), at(b"\x91\xa1x"), at(b"\xdc\0\x01\xa1x")), (Ok(0), Ok(1), Ok(3)));
    }

    #[test]
    fn refuses_other_forms() {
        assert_eq!(slots(b"\xc0", 0).unwrap_err(), ErrorKind::ShapeForm.at(0));
        assert_eq!(slots(b"\x91\xc0", 0).unwrap_err(), ErrorKind::ShapeForm.at(1));
        assert_eq!(slots(b"\x91\x90", 0).unwrap_err(), ErrorKind::ShapeForm.at(1));
        assert_eq!(slots(b"\x91\x94\xa1z\xc0\x01\x01", 0).unwrap_err(), ErrorKind::ShapeForm.at(1));
        assert_eq!(slots(b"\x91\x93\xa1z\xc2\x01", 0).unwrap_err(), ErrorKind::ShapeForm.at(1));
        assert_eq!(slots(b"\x91\x92\xa1z\xc0", 0).unwrap_err(), ErrorKind::ShapeForm.at(1));
    }

    #[test]
    fn a_key_that_is_not_text_or_is_cut_has_its_own_error() {
        assert_eq!(slots(b"\x91\x91\xa1\xff", 0).unwrap_err(), ErrorKind::Utf8.at(3));
        let short = ErrorKind::Short { needed: 2, available: 1 };
        assert_eq!(slots(b"\x91\x91\xa2x", 0).unwrap_err(), short.at(3));
        let found = ErrorKind::Type { expected: "string", found: "nil" };
        assert_eq!(read_text(&mut Cursor::unchecked(b"\xc0")).map(drop), Err(found.at(0)));
    }
}
