//! §6.1 Shapes: the key lists of records, and how each value is written.
//!
//! ```text
//! slot   key              plain       the next value
//!        [key]            integer     the next value; plain integers are integers
//!        [key, t]         nested      an object of shape t, its values next, without header
//!        [key, nil, c]    constant    c, nothing in the record
//! ```
//!
//! The writing side is `write::emit`, which has the strings and shapes of a document at hand.

use super::ids::ShapeId;
use super::value::{Text, read_text};
use crate::msgpack::{Cursor, Token, leading_id, marker};
use coconut_format::error::{DecodeError, ErrorKind, FormRule};
use std::convert::Infallible;

/// One slot, as its bytes say.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawSlot<'a> {
    pub(crate) key: Text<'a>,
    pub(crate) kind: SlotKind,
}

/// A slot of which the key was read, and what follows it was not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlotHead<'a> {
    pub(crate) key: Text<'a>,
    /// Where the key stands.
    pub(crate) key_at: usize,
    /// Where the slot begins.
    at: usize,
    /// Items of its array; none if it is the key alone.
    items: u32,
}

/// How the value of a slot is written. `C` is what is known of a constant, which is a scalar: as the
/// slot is read, its place in the file (see [`Cursor::at`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SlotKind<C = usize> {
    #[default]
    Plain,
    Integer,
    Nested(ShapeId),
    Constant(C),
}

/// How a value is written that is in a record, and so no constant.
pub(crate) type ValueSlot = SlotKind<Infallible>;

/// The header of a shape: how many slots follow.
pub(crate) fn read_shape_header(cursor: &mut Cursor<'_>) -> Result<u32, DecodeError> {
    let at = cursor.position();
    cursor.array_count()?.ok_or_else(|| ErrorKind::ShapeForm.at(at as u64))
}

/// The next slot of shape `shape`.
#[inline(always)]
pub(crate) fn read_slot<'a>(cursor: &mut Cursor<'a>, shape: ShapeId) -> Result<RawSlot<'a>, DecodeError> {
    match short_slot(cursor, shape) {
        Some(slot) => Ok(slot),
        None => read_any_slot(cursor, shape),
    }
}

/// The next slot if it has the form that nearly all have: its key an id, its constant short, and all of it in verified
/// bytes. Otherwise nothing is read.
///
/// Apart from the other forms, and put into its reader: a slot that is returned in memory and taken apart there waits for its
/// own stores. One resource of a file takes 3 % less cycles so.
#[inline(always)]
fn short_slot<'a>(cursor: &mut Cursor<'a>, shape: ShapeId) -> Option<RawSlot<'a>> {
    let ready = cursor.ready()?;
    let first = *ready.first()?;
    let head = usize::from(matches!(first, 0x91..=0x93));
    let (id, length) = leading_id(ready.get(head..)?)?;
    let key = Text::Id(id.into(), cursor.position().wrapping_add(head));
    let mut end = head.wrapping_add(length);
    let kind = match first {
        0x91 => SlotKind::Integer,
        0x92 => {
            let (inner, length) = leading_id(ready.get(end..)?)?;
            end = end.wrapping_add(length);
            SlotKind::Nested(Some(ShapeId(inner)).filter(|&inner| inner < shape)?)
        }
        0x93 => {
            let (&nil, constant) = ready.get(end..)?.split_first()?;
            let constant_at = end.wrapping_add(1);
            end = constant_at.wrapping_add(short_scalar_length(constant).filter(|_| nil == marker::NIL)?);
            SlotKind::Constant(cursor.position().wrapping_add(constant_at))
        }
        _ => SlotKind::Plain,
    };
    cursor.advance(end);
    Some(RawSlot { key, kind })
}

/// How many bytes the scalar has that `bytes` begin with, if it is an id, null, a truth value, a
/// marked integer of up to 32 bits, or a string of up to 31 bytes.
#[inline(always)]
fn short_scalar_length(bytes: &[u8]) -> Option<usize> {
    let length = match *bytes.first()? {
        0..=marker::POSITIVE_FIXINT_MAX | marker::NIL | marker::FALSE | marker::TRUE => 1,
        first @ 0xa0..=0xbf => usize::from(first & 0x1f).wrapping_add(1),
        marker::UINT_8 => 2,
        marker::UINT_16 | marker::FIXEXT_1 => 3,
        marker::FIXEXT_2 => 4,
        marker::UINT_32 => 5,
        marker::FIXEXT_4 => 6,
        _ => return None,
    };
    (length <= bytes.len()).then_some(length)
}

#[inline(never)]
fn read_any_slot<'a>(cursor: &mut Cursor<'a>, shape: ShapeId) -> Result<RawSlot<'a>, DecodeError> {
    let head = read_slot_head(cursor)?;
    Ok(RawSlot { key: head.key, kind: head.read_kind(cursor, shape)? })
}

/// The next slot up to its key.
#[inline]
pub(crate) fn read_slot_head<'a>(cursor: &mut Cursor<'a>) -> Result<SlotHead<'a>, DecodeError> {
    let at = cursor.position();
    let is_array = matches!(cursor.peek()?, 0x90..=0x9f | 0xdc | 0xdd);
    let items = if is_array { cursor.array_header()? } else { 0 };
    if is_array && !(1..=3).contains(&items) {
        return Err(ErrorKind::ShapeForm.at(at as u64));
    }
    let (key, key_at) = read_key(cursor, at)?;
    Ok(SlotHead { key, key_at, at, items })
}

impl<'a> SlotHead<'a> {
    /// What follows the key, of a slot of shape `shape`. A nested shape must have a lower id, so nesting ends.
    #[inline]
    pub(crate) fn read_kind(self, cursor: &mut Cursor<'a>, shape: ShapeId) -> Result<SlotKind, DecodeError> {
        let form = || ErrorKind::ShapeForm.at(self.at as u64);
        match self.items {
            0 => Ok(SlotKind::Plain),
            1 => Ok(SlotKind::Integer),
            2 => {
                let id_at = cursor.position();
                let Token::Unsigned(id) = cursor.token()? else { return Err(form()) };
                match ShapeId::of(id) {
                    Some(id) if id < shape => Ok(SlotKind::Nested(id)),
                    _ => Err(ErrorKind::ShapeRange { id, count: shape.into() }.at(id_at as u64)),
                }
            }
            _ => {
                if cursor.token()? != Token::Nil {
                    return Err(form());
                }
                let at = cursor.position();
                read_constant(cursor)?;
                Ok(SlotKind::Constant(at))
            }
        }
    }
}

/// The key of the slot at `slot`; a key that is no string makes it no slot. A narrow float is refused as such wherever it stands (§3.1).
fn read_key<'a>(cursor: &mut Cursor<'a>, slot: usize) -> Result<(Text<'a>, usize), DecodeError> {
    let at = cursor.position();
    match read_text(cursor) {
        Ok(key) => Ok((key, at)),
        Err(error)
            if matches!(error.kind(), ErrorKind::Type { .. })
                && cursor.at(at).peek() != Ok(marker::FLOAT_32) =>
        {
            Err(ErrorKind::ShapeForm.at(slot as u64))
        }
        Err(error) => Err(error),
    }
}

/// Steps over a constant, which must be a scalar.
fn read_constant(cursor: &mut Cursor<'_>) -> Result<(), DecodeError> {
    let at = cursor.position();
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

    /// A slot as text, and where the cursor is behind it.
    fn read_by<'a>(
        read: impl FnOnce(&mut Cursor<'a>, ShapeId) -> Result<RawSlot<'a>, DecodeError>,
        bytes: &'a [u8],
    ) -> Result<(String, usize), DecodeError> {
        let mut cursor = Cursor::unchecked(bytes);
        let slot = read(&mut cursor, ShapeId(70_000))?;
        Ok((format!("{slot:?}"), cursor.position()))
    }

    /// What stands before the key of a slot, or might.
    const HEADS: [&[u8]; 7] = [&[], &[0x90], &[0x91], &[0x92], &[0x93], &[0x94], &[0xdc, 0, 2]];

    proptest::proptest! {
        #[test]
        fn a_short_slot_is_what_it_is_the_long_way(
            head in proptest::sample::select(HEADS.map(<[u8]>::to_vec).to_vec()),
            key in token(),
            nil in proptest::sample::select(vec![vec![], vec![0xc0], vec![0xc2]]),
            last in token(),
            cut in 0usize..4,
        ) {
            let mut bytes = [head, key, nil, last, vec![0xc0]].concat();
            bytes.truncate(bytes.len().saturating_sub(cut));
            proptest::prop_assert_eq!(read_by(read_slot, &bytes), read_by(read_any_slot, &bytes), "{:02x?}", bytes);
        }
    }

    /// Any first byte, or one of those that slots have, with some bytes behind it.
    fn token() -> impl proptest::strategy::Strategy<Value = Vec<u8>> {
        use proptest::prelude::*;
        let common = proptest::sample::select(vec![
            0, 5, 0x7f, 0xcc, 0xcd, 0xce, 0xcf, 0xa0, 0xa3, 0xbf, 0xc0, 0xc2, 0xc3, 0xd4, 0xd5, 0xd6, 0xd7,
            0xd9, 0x90, 0xff,
        ]);
        (prop_oneof![4 => common, 1 => any::<u8>()], proptest::collection::vec(0u8..4, 0..34))
            .prop_map(|(first, rest)| [vec![first], rest].concat())
    }

    #[test]
    fn a_shape_nests_only_lower_ones() {
        let error = slots(b"\x91\x92\xa1y\x03", 3).unwrap_err();
        assert_eq!(error, ErrorKind::ShapeRange { id: 3, count: 3 }.at(4));
        let error = slots(b"\x91\x92\xa1y\xcf\0\0\0\x01\0\0\0\0", 3).unwrap_err();
        assert_eq!(error, ErrorKind::ShapeRange { id: 1 << 32, count: 3 }.at(4));
        // Of the form that is read without a detour.
        assert!(matches!(slots(b"\x91\x92\x05\x02", 3).unwrap()[0].kind, SlotKind::Nested(ShapeId(2))));
        for id in [3, 4] {
            let error = slots(&[0x91, 0x92, 5, id], 3).unwrap_err();
            assert_eq!(error, ErrorKind::ShapeRange { id: id.into(), count: 3 }.at(3));
        }
    }

    #[test]
    fn slots_of_the_common_form_are_read_without_a_detour() {
        let short = |bytes: &[u8]| {
            let mut cursor = Cursor::unchecked(bytes);
            let slot = short_slot(&mut cursor, ShapeId(3))?;
            Some((format!("{:?} {:?}", slot.key, slot.kind), cursor.position()))
        };
        let read = |slot: &str, end| Some((slot.to_owned(), end));
        assert_eq!(short(b"\x05"), read("Id(5, 0) Plain", 1));
        assert_eq!(short(b"\xcd\x01\0"), read("Id(256, 0) Plain", 3));
        assert_eq!(short(b"\x91\x05"), read("Id(5, 1) Integer", 2));
        assert_eq!(short(b"\x92\xcc\x80\x02"), read("Id(128, 1) Nested(ShapeId(2))", 4));
        assert_eq!(short(b"\x93\x05\xc0\xa1x"), read("Id(5, 1) Constant(3)", 5));
        for other in [&b"\xa1x"[..], b"\x92\x05\x03", b"\x93\x05\xc2\x01", b"\x93\x05\xc0\x90", b"\x94\x05"] {
            assert_eq!(short(other), None, "{other:02x?}");
        }
    }

    #[test]
    fn a_short_scalar_has_the_bytes_that_its_first_one_says() {
        let lengths: [(&[u8], usize); 9] = [
            (&[0, 0x7f, 0xa0, 0xc0, 0xc2, 0xc3], 1),
            (&[0xa1, 0xcc], 2),
            (&[0xa2, 0xcd, 0xd4], 3),
            (&[0xa3, 0xd5], 4),
            (&[0xce], 5),
            (&[0xd6], 6),
            (&[0xb0], 17),
            (&[0xbf], 32),
            // Of no scalar, or of one that is not short.
            (&[0x80, 0x90, 0xc1, 0xc4, 0xc7, 0xca, 0xcb, 0xcf, 0xd0, 0xd3, 0xd7, 0xd8, 0xd9, 0xe0, 0xff], 40),
        ];
        for (firsts, length) in lengths {
            for &first in firsts {
                let bytes = [&[first][..], &[0; 40]].concat();
                let expected = Some(length).filter(|&length| length < 40);
                assert_eq!(short_scalar_length(&bytes), expected, "{first:02x}");
                assert_eq!(short_scalar_length(&bytes[..length]), expected, "{first:02x}, nothing behind it");
                assert_eq!(short_scalar_length(&bytes[..length - 1]), None, "{first:02x}, cut");
            }
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
    fn a_constant_is_stepped_over() {
        let slots = slots(b"\x92\x93\xa1z\xc0\xd9\x01s\x07", 0).unwrap();
        assert!(matches!(slots[0].kind, SlotKind::Constant(5)));
        assert!(matches!(slots[1], RawSlot { key: Text::Id(7, 8), kind: SlotKind::Plain }));
    }

    #[test]
    fn a_slot_knows_where_its_key_stands() {
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
    fn a_key_that_is_no_text_or_is_cut_is_a_fault_of_its_own() {
        assert_eq!(slots(b"\x91\x91\xa1\xff", 0).unwrap_err(), ErrorKind::Utf8.at(3));
        let short = ErrorKind::Short { needed: 2, available: 1 };
        assert_eq!(slots(b"\x91\x91\xa2x", 0).unwrap_err(), short.at(3));
        let found = ErrorKind::Type { expected: "string", found: "nil" };
        assert_eq!(read_text(&mut Cursor::unchecked(b"\xc0")).map(drop), Err(found.at(0)));
    }
}
