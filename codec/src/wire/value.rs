//! §4 Values: the forms that a value has in a file, in both directions.
//!
//! ```text
//! null, false, true   nil, false, true
//! float               float 64
//! string              str, or a non-negative integer: its id in the string table
//! integer             extension 1 or 2 (§4.3); in an integer slot a plain integer too (§6.3)
//! shared value i      the negative integer −1 − i (§4.4)
//! list                [] or [nil, items …]
//! object              [false, key, value …], or a record: [shape id, values …] (§6.2)
//! ```
//!
//! Profile `plain` uses none of these: its values are ordinary msgpack (§4.6).

use super::ids::{ShapeId, SharedId, StringId};
use crate::msgpack::{
    Cursor, Token, marker as m, put_array_header, put_bool, put_negative, put_nil, put_unsigned,
};
use coconut_format::Integer;
use coconut_format::error::{DecodeError, ErrorKind, FormRule};
use coconut_format::node::Kind;
use std::fmt;

/// A value, read one level deep.
///
/// Lists are an `L` and objects an `O`. See [`view::Content`](crate::read::view::Content) and
/// [`tree::TreeContent`](crate::read::tree::TreeContent).
#[derive(Clone, Copy)]
pub enum Content<'a, L, O> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number without fraction.
    Integer(Integer),
    /// Any other number, finite.
    Float(f64),
    /// A text, borrowed from the file.
    String(&'a str),
    /// A list.
    List(L),
    /// An object.
    Object(O),
}

impl<L: fmt::Debug, O: fmt::Debug> fmt::Debug for Content<'_, L, O> {
    /// Shows the kind and the length. The content itself may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Content::Null | Content::Bool(_) | Content::Integer(_) | Content::Float(_) => {
                fmt::Debug::fmt(&self.kind(), f)
            }
            Content::String(text) => write!(f, "String({} bytes)", text.len()),
            Content::List(list) => fmt::Debug::fmt(list, f),
            Content::Object(object) => fmt::Debug::fmt(object, f),
        }
    }
}

impl<L, O> Content<'_, L, O> {
    pub(crate) fn kind(&self) -> Kind {
        match self {
            Content::Null => Kind::Null,
            Content::Bool(_) => Kind::Bool,
            Content::Integer(_) => Kind::Integer,
            Content::Float(_) => Kind::Float,
            Content::String(_) => Kind::String,
            Content::List(_) => Kind::List,
            Content::Object(_) => Kind::Object,
        }
    }
}

/// The form of a value: a scalar with its content, or the head of a container.
///
/// The wide tag keeps the fields at word boundaries. Copies of a layout packed around a byte stall
/// the processor: they took a third of the time of reading a document.
#[derive(Clone, Copy, Debug)]
#[repr(u64)]
pub(crate) enum Form<'a> {
    Null,
    Bool(bool),
    Integer(Integer),
    Float(f64),
    /// A string in place.
    String(&'a str),
    StringId(StringId),
    Shared(SharedId),
    /// With the number of items.
    List(u32),
    /// With the number of entries, keys in place.
    Object(u32),
    Record(ShapeId),
}

impl<'a> Form<'a> {
    /// The value, if it is a scalar in place.
    #[inline]
    pub(crate) fn scalar<L, O>(self) -> Option<Content<'a, L, O>> {
        match self {
            Form::Null => Some(Content::Null),
            Form::Bool(value) => Some(Content::Bool(value)),
            Form::Integer(value) => Some(Content::Integer(value)),
            Form::Float(value) => Some(Content::Float(value)),
            Form::String(text) => Some(Content::String(text)),
            Form::StringId(_) | Form::Shared(_) | Form::List(_) | Form::Object(_) | Form::Record(_) => None,
        }
    }
}

/// The items that ids in values refer to, for reading values.
pub(crate) trait References<'a> {
    /// Whether values are those of profile `plain` (§4.6), which has no references.
    fn is_plain(&self) -> bool;

    /// The string of the reference `id` at `at`: its text, or its id.
    fn string_form(&self, id: u64, at: usize) -> Result<Form<'a>, DecodeError>;

    /// The text of the reference `id` at `at`.
    fn text(&self, id: u64, at: usize) -> Result<&'a str, DecodeError>;

    /// The number of values in a record of shape `id`, which is named at `at`.
    fn record_width(&self, id: u64, at: usize) -> Result<u32, DecodeError>;

    /// The number of shared values below `bound`, for errors.
    fn shared_count(&self, bound: SharedId) -> Result<u32, DecodeError> {
        Ok(bound.0)
    }
}

/// Reads a scalar, the head of a container, or a reference.
///
/// After the head of a container the cursor is at its first item, key or value. A reference to a
/// shared value must be below `bound`. In an integer slot of a record, a plain integer is an
/// integer, so there are no references (§6.3).
#[inline]
pub(crate) fn read<'a, R: References<'a>>(
    cursor: &mut Cursor<'a>,
    references: &R,
    is_integer_slot: bool,
    bound: SharedId,
) -> Result<Form<'a>, DecodeError> {
    if references.is_plain() {
        return read_plain(cursor);
    }
    let at = cursor.position();
    match cursor.token() {
        Ok(Token::Unsigned(number)) if is_integer_slot => Ok(Form::Integer(number.into())),
        Ok(Token::Negative(number)) if is_integer_slot => Ok(Form::Integer(number.into())),
        Ok(Token::Unsigned(id)) => references.string_form(id, at),
        Ok(Token::Negative(number)) => shared_id(number, references, bound, at).map(Form::Shared),
        Ok(Token::Array(count)) => container(cursor, references, count, at),
        Ok(ref other) => scalar(cursor, other, at),
        Err(error) => Err(error),
    }
}

/// §4.6 Reads the next value of profile `plain`.
#[inline]
fn read_plain<'a>(cursor: &mut Cursor<'a>) -> Result<Form<'a>, DecodeError> {
    let at = cursor.position();
    match cursor.token() {
        Ok(Token::Unsigned(number)) => Ok(Form::Integer(number.into())),
        Ok(Token::Negative(number)) => Ok(Form::Integer(number.into())),
        Ok(Token::Array(count)) => Ok(Form::List(count)),
        Ok(Token::Map(count)) => Ok(Form::Object(count)),
        Ok(Token::Ext(code, body)) => Err(extension(code, body).at(at as u64)),
        Ok(ref other) => scalar(cursor, other, at),
        Err(error) => Err(error),
    }
}

/// §4.2 A scalar that is written the same everywhere.
#[inline]
fn scalar<'a>(cursor: &Cursor<'a>, token: &Token<'a>, at: usize) -> Result<Form<'a>, DecodeError> {
    match *token {
        Token::Nil => Ok(Form::Null),
        Token::Bool(value) => Ok(Form::Bool(value)),
        Token::Float(value) if value.is_finite() => Ok(Form::Float(value)),
        Token::Float(_) => Err(ErrorKind::NonFinite.at(at as u64)),
        Token::Str(bytes) => cursor.text(bytes).map(Form::String),
        Token::Ext(code, body) => match ext_integer(code, body) {
            Ok(integer) => Ok(Form::Integer(integer)),
            Err(kind) => Err(kind.at(at as u64)),
        },
        Token::OtherExt(code, body) => Err(extension(code, body).at(at as u64)),
        other => Err(ErrorKind::Type { expected: "value", found: other.name() }.at(at as u64)),
    }
}

/// §4.5 The forms of lists and objects. The cursor is after the array header.
#[inline]
fn container<'a, R: References<'a>>(
    cursor: &mut Cursor<'a>,
    references: &R,
    count: u32,
    at: usize,
) -> Result<Form<'a>, DecodeError> {
    let Some(rest) = count.checked_sub(1) else { return Ok(Form::List(0)) };
    let head = cursor.position();
    match cursor.token() {
        Ok(Token::Nil) => Ok(Form::List(rest)),
        Ok(Token::Bool(false)) if rest % 2 == 0 => Ok(Form::Object(rest / 2)),
        Ok(Token::Unsigned(id)) => {
            let expected = references.record_width(id, head)?;
            if expected != rest {
                let (expected, found) = (expected.into(), rest.into());
                return Err(ErrorKind::ShapeArity { expected, found }.at(at as u64));
            }
            Ok(Form::Record(ShapeId::of(id).expect("a shape with this id was found")))
        }
        Ok(_) => Err(ErrorKind::ValueForm { rule: FormRule::Array }.at(at as u64)),
        Err(error) => Err(error),
    }
}

/// §4.4 The shared value denoted by the negative integer `reference` at `at`.
pub(crate) fn shared_id<'a>(
    reference: i64,
    references: &impl References<'a>,
    bound: SharedId,
    at: usize,
) -> Result<SharedId, DecodeError> {
    let id = SharedId::named_by(reference);
    match SharedId::of(id) {
        Some(short) if short < bound => Ok(short),
        _ => {
            let count = references.shared_count(bound)?.into();
            Err(ErrorKind::SharedRange { id, count }.at(at as u64))
        }
    }
}

/// §4.4 Refuses a shared value that is not a list or object. The cursor is before it.
///
/// Reads the whole token, not only its first byte. So a truncated form is reported as such (§3.3).
pub(crate) fn check_shared(mut cursor: Cursor<'_>) -> Result<(), DecodeError> {
    let at = cursor.position();
    match cursor.token() {
        Ok(Token::Array(_)) => Ok(()),
        Ok(_) => Err(ErrorKind::ValueForm { rule: FormRule::Shared }.at(at as u64)),
        Err(error) => Err(error),
    }
}

/// §4.2 A string: by id, or in place.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Text<'a> {
    /// The id as it was read, and the offset of the reference.
    Id(u64, usize),
    /// The text itself.
    Inline(&'a str),
}

/// §4.2 Reads a string or a string id.
#[inline]
pub(crate) fn read_text<'a>(cursor: &mut Cursor<'a>) -> Result<Text<'a>, DecodeError> {
    let at = cursor.position();
    if let Some(id) = cursor.short_id() {
        return Ok(Text::Id(id.into(), at));
    }
    match cursor.token()? {
        Token::Unsigned(id) => Ok(Text::Id(id, at)),
        Token::Str(bytes) => Ok(Text::Inline(cursor.text(bytes)?)),
        other => Err(ErrorKind::Type { expected: "string", found: other.name() }.at(at as u64)),
    }
}

/// §4.5 Reads the key before a value.
#[inline]
pub(crate) fn read_key<'a>(
    cursor: &mut Cursor<'a>,
    references: &impl References<'a>,
) -> Result<Text<'a>, DecodeError> {
    match references.is_plain() {
        true => cursor.str().map(Text::Inline),
        false => read_text(cursor),
    }
}

impl<'a> Text<'a> {
    /// The text, looked up if it was written as an id.
    #[inline]
    pub(crate) fn resolve(self, references: &impl References<'a>) -> Result<&'a str, DecodeError> {
        match self {
            Text::Inline(text) => Ok(text),
            Text::Id(id, at) => references.text(id, at),
        }
    }
}

/// §9 Refuses a string or key at `at` that is longer than its limit.
pub(crate) fn check_length(length: usize, limit: usize, at: usize) -> Result<(), DecodeError> {
    if length > limit { Err(too_long(length, limit, at)) } else { Ok(()) }
}

#[cold]
pub(crate) fn too_long(length: usize, limit: usize, at: usize) -> DecodeError {
    ErrorKind::StringLength { length: length as u64, limit: limit as u64 }.at(at as u64)
}

/// §4.3 The extension types of integers: non-negative, and negative.
const UNSIGNED: i8 = 1;
const SIGNED: i8 = 2;

/// §4.3 The integer of an extension.
#[inline]
pub(crate) fn ext_integer(code: i8, body: &[u8]) -> Result<Integer, ErrorKind> {
    let is_negative = code == SIGNED && body.first().is_some_and(|first| first & 0x80 != 0);
    let fill = if is_negative { u64::MAX } else { 0 };
    let number = body.iter().fold(fill, |number, &byte| number << 8 | u64::from(byte));
    match (code, body.len()) {
        (UNSIGNED, 1 | 2 | 4 | 8) => Ok(number.into()),
        (SIGNED, 1 | 2 | 4 | 8) if is_negative => Ok(number.cast_signed().into()),
        (SIGNED, 1 | 2 | 4 | 8) => Err(ErrorKind::IntegerForm),
        _ => Err(extension(code, body)),
    }
}

fn extension(code: i8, body: &[u8]) -> ErrorKind {
    ErrorKind::Extension { code, length: body.len() as u64 }
}

/// §4.3 Writes an integer as an extension, with the smallest body that can hold it.
pub(crate) fn put_ext_integer(out: &mut Vec<u8>, value: Integer) {
    let width = ext_width(value);
    let (code, bytes) = match (value.as_u64(), value.as_i64()) {
        (Some(number), _) => (UNSIGNED, number.to_be_bytes()),
        (None, number) => (SIGNED, number.unwrap_or(i64::MIN).to_be_bytes()),
    };
    let marker = match width {
        1 => m::FIXEXT_1,
        2 => m::FIXEXT_2,
        4 => m::FIXEXT_4,
        _ => m::FIXEXT_8,
    };
    out.extend_from_slice(&[marker, code.cast_unsigned()]);
    out.extend_from_slice(bytes.get(8usize.saturating_sub(width)..).unwrap_or_default());
}

/// §4.3 The smallest of the widths 1, 2, 4 and 8 that can hold an integer.
pub(crate) fn ext_width(value: Integer) -> usize {
    // A negative number needs as many bits as its complement, and one for the sign.
    let bits = match (value.as_u64(), value.as_i64()) {
        (Some(number), _) => u64::BITS.wrapping_sub(number.leading_zeros()),
        (None, number) => u64::BITS.wrapping_sub(number.unwrap_or(i64::MIN).leading_ones()).wrapping_add(1),
    };
    match bits {
        0..=8 => 1,
        9..=16 => 2,
        17..=32 => 4,
        _ => 8,
    }
}

/// §4.2 Writes a reference to a string.
pub(crate) fn put_string_id(out: &mut Vec<u8>, id: StringId) {
    put_unsigned(out, id.into());
}

/// §4.4 Writes a reference to a shared value.
pub(crate) fn put_shared(out: &mut Vec<u8>, id: SharedId) {
    put_negative(out, id.reference());
}

/// §4.5 Writes the head of a list, which precedes its items.
pub(crate) fn put_list_head(out: &mut Vec<u8>, count: usize) {
    if count == 0 {
        return put_array_header(out, 0);
    }
    put_array_header(out, count.saturating_add(1));
    put_nil(out);
}

/// §4.5 Writes the head of an object with keys in place, which precedes its keys and values.
pub(crate) fn put_object_head(out: &mut Vec<u8>, count: usize) {
    put_array_header(out, count.saturating_mul(2).saturating_add(1));
    put_bool(out, false);
}

/// §6.2 Writes the head of a record, which precedes its values.
pub(crate) fn put_record_head(out: &mut Vec<u8>, shape: ShapeId, width: usize) {
    put_array_header(out, width.saturating_add(1));
    put_shape_id(out, shape);
}

/// §6.1 Writes the id of a shape.
pub(crate) fn put_shape_id(out: &mut Vec<u8>, id: ShapeId) {
    put_unsigned(out, id.into());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes_of(put: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
        let mut out = Vec::new();
        put(&mut out);
        out
    }

    #[test]
    fn shared_references_are_negative_numbers() {
        assert_eq!(bytes_of(|o| put_shared(o, SharedId(0))), [0xff]);
        assert_eq!(bytes_of(|o| put_shared(o, SharedId(31))), [0xe0]);
        assert_eq!(bytes_of(|o| put_shared(o, SharedId(32))), [0xd0, 0xdf]);
        assert_eq!(bytes_of(|o| put_shared(o, SharedId(128))), [0xd1, 0xff, 0x7f]);
    }

    #[test]
    fn integers_outside_slots_are_extensions() {
        assert_eq!(bytes_of(|o| put_ext_integer(o, 0u64.into())), [0xd4, 1, 0]);
        assert_eq!(bytes_of(|o| put_ext_integer(o, 443u64.into())), [0xd5, 1, 1, 0xbb]);
        assert_eq!(bytes_of(|o| put_ext_integer(o, (-1i64).into())), [0xd4, 2, 0xff]);
        assert_eq!(
            bytes_of(|o| put_ext_integer(o, u64::MAX.into())),
            [0xd7, 1, 255, 255, 255, 255, 255, 255, 255, 255]
        );
        assert_eq!(bytes_of(|o| put_ext_integer(o, i64::MIN.into())), [0xd7, 2, 128, 0, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn an_integer_has_the_smallest_body_that_holds_it_and_is_read_back() {
        let ends = [0, 7, 8, 15, 16, 31, 32, 62, 63].map(|bits| 1i64.checked_shl(bits).unwrap());
        let signed = ends.into_iter().flat_map(|end| [end.wrapping_sub(1), end, end.wrapping_neg(), !end]);
        let integers = signed.map(Integer::from).chain([u64::MAX, 1 << 63].map(Integer::from));
        for integer in integers {
            let bytes = bytes_of(|out| put_ext_integer(out, integer));
            let number = i128::from(integer);
            let fits = |bits: u32| match number < 0 {
                true => number >= -(1i128 << (bits - 1)),
                false => number < 1i128 << bits,
            };
            let width = [1, 2, 4, 8].into_iter().find(|width| fits(8 * width)).unwrap() as usize;
            assert_eq!((ext_width(integer), bytes.len()), (width, width + 2), "{number}");
            let mut cursor = Cursor::unchecked(&bytes);
            let Ok(Token::Ext(code, body)) = cursor.token() else { panic!("{bytes:02x?}") };
            assert_eq!(ext_integer(code, body), Ok(integer), "{number}");
        }
    }

    #[test]
    fn an_integer_extension_has_1_2_4_or_8_bytes() {
        for length in 0..=17usize {
            let body = [&[0x80][..], &[0; 16]].concat();
            let body = &body[..length];
            let extension = |code| Err(ErrorKind::Extension { code, length: length as u64 });
            let (unsigned, signed) = match length {
                1 => (Ok(0x80u64.into()), Ok((-0x80i64).into())),
                2 => (Ok(0x8000u64.into()), Ok((-0x8000i64).into())),
                4 => (Ok(0x8000_0000u64.into()), Ok(i64::from(i32::MIN).into())),
                8 => (Ok((1u64 << 63).into()), Ok(i64::MIN.into())),
                _ => (extension(1), extension(2)),
            };
            assert_eq!(ext_integer(1, body), unsigned, "{length}");
            assert_eq!(ext_integer(2, body), signed, "{length}");
            assert_eq!(ext_integer(3, body), extension(3), "{length}");
        }
    }

    #[test]
    fn a_negative_integer_is_negative_and_may_be_longer_than_needed() {
        assert_eq!(ext_integer(2, &[0x7f]), Err(ErrorKind::IntegerForm));
        assert_eq!(ext_integer(2, &[0, 0xff]), Err(ErrorKind::IntegerForm));
        assert_eq!(ext_integer(1, &[0, 0, 0, 5]), Ok(5u64.into()));
        assert_eq!(ext_integer(2, &[0xff, 0xfe]), Ok((-2i64).into()));
    }

    #[test]
    fn the_head_of_a_container_identifies_it() {
        assert_eq!(bytes_of(|out| put_list_head(out, 0)), [0x90]);
        assert_eq!(bytes_of(|out| put_list_head(out, 2)), [0x93, 0xc0]);
        assert_eq!(bytes_of(|out| put_object_head(out, 0)), [0x91, 0xc2]);
        assert_eq!(bytes_of(|out| put_object_head(out, 2)), [0x95, 0xc2]);
        assert_eq!(bytes_of(|out| put_record_head(out, ShapeId(200), 2)), [0x93, 0xcc, 200]);
    }
}
