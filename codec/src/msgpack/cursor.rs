//! §3.3 Reading: a cursor that knows its offset in the whole file.

use super::marker as m;
use super::short::TakeShort;
use crate::bytes::Bytes;
use crate::bytes::checksum::Blocks;
use crate::bytes::paged::PagedFile;
use coconut_format::error::{DecodeError, ErrorKind};

/// One msgpack token. Containers are represented by their counts; their items follow as separate
/// tokens.
///
/// The wide tag keeps the fields at word boundaries; see [`Form`](crate::wire::value::Form).
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(u64)]
pub(crate) enum Token<'a> {
    Nil,
    Bool(bool),
    /// Any non-negative integer.
    Unsigned(u64),
    /// Any negative integer.
    Negative(i64),
    Float(f64),
    /// The bytes of a string, not yet checked as UTF-8; see [`Cursor::text`].
    Str(&'a [u8]),
    Bin(&'a [u8]),
    Array(u32),
    Map(u32),
    /// An extension of 1, 2, 4 or 8 bytes, in the form for exactly that length.
    Ext(i8, &'a [u8]),
    /// Any other extension: not used by this version.
    OtherExt(i8, &'a [u8]),
}

impl Token<'_> {
    /// One word for error messages.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Token::Nil => "nil",
            Token::Bool(_) => "bool",
            Token::Unsigned(_) | Token::Negative(_) => "integer",
            Token::Float(_) => "float",
            Token::Str(_) => "string",
            Token::Bin(_) => "bytes",
            Token::Array(_) => "array",
            Token::Map(_) => "map",
            Token::Ext(..) | Token::OtherExt(..) => "extension",
        }
    }
}

/// Reads tokens of a span of a file, and reports offsets in the whole file.
///
/// `data` is the file, or the piece of it in memory that begins at `base`. `position`, `ready` and
/// `end` count from there.
///
/// Bytes before `ready` belong to blocks whose checksum was verified (or there are no block
/// checksums). A read after it takes the slow path once per block. The check costs the hot path
/// nothing, because it is the same as the bounds check.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'a> {
    data: &'a [u8],
    base: usize,
    position: usize,
    ready: usize,
    end: usize,
    blocks: Option<&'a Blocks>,
    /// The source of other pieces.
    file: Option<&'a PagedFile>,
}

impl<'a> Cursor<'a> {
    /// A cursor over `start..end` that verifies each checksum block before its bytes are used.
    ///
    /// An `end` beyond that of `data` is reduced to it.
    #[inline]
    pub(crate) fn new(data: Bytes<'a>, start: usize, end: usize, blocks: Option<&'a Blocks>) -> Self {
        let end = end.min(data.len());
        let position = start.min(end);
        match data {
            Bytes::Whole(data) => {
                // Most cursors of a lookup begin in blocks that were verified before.
                let ready = blocks.map_or(end, |blocks| blocks.verified_until(position).min(end));
                Cursor { data, base: 0, position, ready, end, blocks, file: None }
            }
            Bytes::Paged(file) => Cursor::in_pieces(file, position, end, blocks),
        }
    }

    /// A cursor in the piece in memory if the block at `position` was verified, otherwise without a
    /// piece.
    fn in_pieces(file: &'a PagedFile, position: usize, end: usize, blocks: Option<&'a Blocks>) -> Self {
        let ready = blocks.map_or(end, |blocks| blocks.verified_until(position).min(end));
        let at_hand = if ready > position { file.at_hand(position) } else { None };
        let (data, base) = at_hand.unwrap_or((&[], position));
        let within = |place: usize| place.saturating_sub(base);
        Cursor {
            data,
            base,
            position: within(position),
            ready: within(ready).min(data.len()).max(within(position)),
            end: within(end),
            blocks,
            file: Some(file),
        }
    }

    /// A cursor over all of `data`, without checksums.
    #[cfg(test)]
    pub(crate) fn unchecked(data: &'a [u8]) -> Self {
        Cursor::new(Bytes::Whole(data), 0, data.len(), None)
    }

    /// The start of the next token, in bytes from the start of the file.
    #[inline]
    pub(crate) fn position(&self) -> usize {
        // Both are in the file, whose length is a `usize`.
        self.base.wrapping_add(self.position)
    }

    /// A cursor at another offset of the same span.
    pub(crate) fn at(&self, position: usize) -> Self {
        Cursor::new(self.bytes(), position, self.end(), self.blocks)
    }

    /// The end of the span.
    pub(crate) fn end(&self) -> usize {
        self.base.wrapping_add(self.end)
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.position >= self.end
    }

    /// Moves to the end of the span.
    #[cfg(feature = "serde")]
    pub(crate) fn exhaust(&mut self) {
        self.position = self.end;
    }

    /// The next bytes, up to the end of the verified blocks.
    #[inline]
    pub(crate) fn ready(&self) -> Option<&'a [u8]> {
        self.data.get(self.position..self.ready)
    }

    /// Skips `length` bytes that the caller has inspected.
    #[inline]
    pub(crate) fn advance(&mut self, length: usize) {
        self.position = self.position.saturating_add(length);
    }

    /// Moves back to the start of the last token read, which was one byte long.
    #[inline]
    pub(crate) fn step_back(&mut self) {
        self.position = self.position.saturating_sub(1);
    }

    fn left(&self) -> u64 {
        self.end.saturating_sub(self.position) as u64
    }

    /// Makes the next `count` bytes readable, or reports them as missing or damaged.
    #[cold]
    #[inline(never)]
    fn prepare(&mut self, count: usize) -> Result<(), DecodeError> {
        let wanted = self.position.checked_add(count).filter(|&wanted| wanted <= self.end);
        let Some(wanted) = wanted else { return Err(self.short_of(count)) };
        let wanted = self.base.wrapping_add(wanted);
        let ready = match self.blocks {
            Some(blocks) => blocks.ensure(&self.bytes(), self.position(), wanted)?.min(self.end()),
            None => self.end(),
        };
        if let Some(file) = self.file {
            let (position, end) = (self.position(), self.end());
            let Some((data, base)) = file.around(position..wanted) else {
                let kind = ErrorKind::Short { needed: count as u64, available: 0 };
                return Err(kind.at(position as u64));
            };
            self.data = data;
            self.base = base;
            self.position = position.saturating_sub(base);
            self.end = end.saturating_sub(base);
        }
        self.ready = ready.saturating_sub(self.base).min(self.data.len());
        Ok(())
    }

    fn bytes(&self) -> Bytes<'a> {
        self.file.map_or(Bytes::Whole(self.data), Bytes::Paged)
    }

    /// Reads the next `count` bytes.
    #[inline]
    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], DecodeError> {
        if self.ready.saturating_sub(self.position) < count {
            self.prepare(count)?;
        }
        let start = self.position;
        let stop = start.saturating_add(count);
        match self.data.get(start..stop) {
            Some(bytes) => {
                self.position = stop;
                Ok(bytes)
            }
            None => Err(self.short_of(count)),
        }
    }

    #[cold]
    #[inline(never)]
    fn short_of(&self, count: usize) -> DecodeError {
        ErrorKind::Short { needed: count as u64, available: self.left() }.at(self.position() as u64)
    }

    #[inline]
    fn take_array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let bytes = self.take(N)?;
        bytes.try_into().map_err(|_| self.short_of(N))
    }

    /// Returns the next byte without moving.
    #[inline]
    pub(crate) fn peek(&mut self) -> Result<u8, DecodeError> {
        if self.position >= self.ready {
            self.prepare(1)?;
        }
        match self.data.get(self.position) {
            Some(&byte) => Ok(byte),
            None => Err(self.short_of(1)),
        }
    }

    /// Reads the next token. An item of an array or map takes at least a byte. So a count above the
    /// number of remaining bytes is refused here, before any allocation depends on it.
    pub(crate) fn token(&mut self) -> Result<Token<'a>, DecodeError> {
        let at = self.position();
        let [first] = self.take_array::<1>()?;
        // Most tokens of a document are one byte or a short string, so these come first.
        if first <= m::POSITIVE_FIXINT_MAX {
            return Ok(Token::Unsigned(first.into()));
        }
        if first >= m::NEGATIVE_FIXINT {
            return Ok(Token::Negative(first.cast_signed().into()));
        }
        if first & 0xf0 == m::FIXARRAY {
            return self.array(at, u32::from(first & 0x0f));
        }
        if first & 0xe0 == m::FIXSTR {
            return Ok(Token::Str(self.take(usize::from(first & 0x1f))?));
        }
        if first == m::STR_8 {
            return Ok(Token::Str(self.sized_8()?));
        }
        self.wide_token(at, first)
    }

    /// Reads the rest of a token whose first byte [`token`](Self::token) does not handle. A
    /// separate function, because it needs more registers.
    #[inline(never)]
    fn wide_token(&mut self, at: usize, first: u8) -> Result<Token<'a>, DecodeError> {
        let number = match first {
            m::UINT_8 | m::INT_8 | m::BIN_8 | m::EXT_8 => self.number(1)?,
            m::UINT_16 | m::INT_16 | m::BIN_16 | m::STR_16 | m::ARRAY_16 | m::MAP_16 | m::EXT_16 => {
                self.number(2)?
            }
            m::UINT_32 | m::INT_32 | m::BIN_32 | m::STR_32 | m::ARRAY_32 | m::MAP_32 | m::EXT_32 => {
                self.number(4)?
            }
            m::UINT_64 | m::INT_64 | m::FLOAT_64 => self.number(8)?,
            _ => 0,
        };
        // A length or count has at most 32 bits.
        let length = usize::try_from(number).unwrap_or(usize::MAX);
        let count = u32::try_from(number).unwrap_or(u32::MAX);
        Ok(match first {
            0x80..=0x8f => return self.map(at, u32::from(first & 0x0f)),
            m::NIL => Token::Nil,
            m::FALSE => Token::Bool(false),
            m::TRUE => Token::Bool(true),
            m::BIN_8 | m::BIN_16 | m::BIN_32 => Token::Bin(self.take(length)?),
            m::STR_16 | m::STR_32 => Token::Str(self.take(length)?),
            m::FLOAT_64 => Token::Float(f64::from_bits(number)),
            m::UINT_8 | m::UINT_16 | m::UINT_32 | m::UINT_64 => Token::Unsigned(number),
            m::INT_8 => signed(number, 8),
            m::INT_16 => signed(number, 16),
            m::INT_32 => signed(number, 32),
            m::INT_64 => signed(number, 64),
            m::ARRAY_16 | m::ARRAY_32 => return self.array(at, count),
            m::MAP_16 | m::MAP_32 => return self.map(at, count),
            m::FIXEXT_1 => self.ext(1)?,
            m::FIXEXT_2 => self.ext(2)?,
            m::FIXEXT_4 => self.ext(4)?,
            m::FIXEXT_8 => self.ext(8)?,
            m::FIXEXT_16 => self.other_ext(16)?,
            m::EXT_8 | m::EXT_16 | m::EXT_32 => self.other_ext(length)?,
            m::FLOAT_32 => {
                return Err(ErrorKind::Type { expected: "float 64", found: "float 32" }.at(at as u64));
            }
            m::RESERVED => return Err(ErrorKind::ReservedByte.at(at as u64)),
            _ => unreachable!("`token` takes all other first bytes"),
        })
    }

    /// Reads an unsigned number of 1, 2, 4 or 8 bytes.
    #[inline(never)]
    fn number(&mut self, width: usize) -> Result<u64, DecodeError> {
        Ok(match *self.take(width)? {
            [a] => a.into(),
            [a, b] => u16::from_be_bytes([a, b]).into(),
            [a, b, c, d] => u32::from_be_bytes([a, b, c, d]).into(),
            [a, b, c, d, e, f, g, h] => u64::from_be_bytes([a, b, c, d, e, f, g, h]),
            _ => unreachable!("there are four widths"),
        })
    }

    fn array(&mut self, at: usize, count: u32) -> Result<Token<'a>, DecodeError> {
        self.believe(at, count.into(), count)?;
        Ok(Token::Array(count))
    }

    fn map(&mut self, at: usize, count: u32) -> Result<Token<'a>, DecodeError> {
        self.believe(at, u64::from(count).saturating_mul(2), count)?;
        Ok(Token::Map(count))
    }

    #[inline]
    fn believe(&self, at: usize, least_bytes: u64, declared: u32) -> Result<(), DecodeError> {
        if least_bytes > self.left() {
            return Err(self.too_few(at, declared));
        }
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn too_few(&self, at: usize, declared: u32) -> DecodeError {
        ErrorKind::Count { declared: declared.into(), available: self.left() }.at(at as u64)
    }

    fn sized_8(&mut self) -> Result<&'a [u8], DecodeError> {
        let [length] = self.take_array()?;
        self.take(length.into())
    }

    fn ext(&mut self, length: usize) -> Result<Token<'a>, DecodeError> {
        let [code] = self.take_array()?;
        Ok(Token::Ext(code.cast_signed(), self.take(length)?))
    }

    fn other_ext(&mut self, length: usize) -> Result<Token<'a>, DecodeError> {
        let [code] = self.take_array()?;
        Ok(Token::OtherExt(code.cast_signed(), self.take(length)?))
    }

    /// Reads the next token, which must be a string, as text.
    pub(crate) fn str(&mut self) -> Result<&'a str, DecodeError> {
        let bytes = self.str_bytes()?;
        self.text(bytes)
    }

    /// Reads the next token, which must be a string, and returns its bytes, which may not be UTF-8.
    pub(crate) fn str_bytes(&mut self) -> Result<&'a [u8], DecodeError> {
        let at = self.position();
        match self.token()? {
            Token::Str(bytes) => Ok(bytes),
            other => Err(ErrorKind::Type { expected: "string", found: other.name() }.at(at as u64)),
        }
    }

    /// Reads the next token, which must be an array, and returns its count.
    #[inline]
    pub(crate) fn array_header(&mut self) -> Result<u32, DecodeError> {
        if let Ok(count) = self.short(ArrayCount) {
            return Ok(count);
        }
        let at = self.position();
        match self.token()? {
            Token::Array(count) => Ok(count),
            other => Err(ErrorKind::Type { expected: "array", found: other.name() }.at(at as u64)),
        }
    }

    /// Returns `bytes`, those of the string token that was just read, as text.
    #[inline]
    pub(crate) fn text(&self, bytes: &'a [u8]) -> Result<&'a str, DecodeError> {
        utf8(bytes).ok_or_else(|| self.utf8_error(bytes))
    }

    #[cold]
    fn utf8_error(&self, bytes: &[u8]) -> DecodeError {
        let valid = std::str::from_utf8(bytes).err().map_or(0, |error| error.valid_up_to());
        let start = self.position().saturating_sub(bytes.len());
        ErrorKind::Utf8.at(start.saturating_add(valid) as u64)
    }

    /// Skips the next `count` values, whatever they contain. Needs no stack, because it only counts
    /// the remaining values.
    pub(crate) fn skip(&mut self, count: u64) -> Result<(), DecodeError> {
        let mut pending = count;
        loop {
            pending = self.skip_ready(pending);
            // The fast way ends at the end of the span, the next block, a rare form or an error.
            let Some(rest) = pending.checked_sub(1) else { return Ok(()) };
            let more = match self.token()? {
                Token::Array(count) => u64::from(count),
                Token::Map(count) => u64::from(count).saturating_mul(2),
                _ => 0,
            };
            pending = rest.saturating_add(more);
        }
    }

    /// The string after the next `steps` values, which may not be UTF-8, and the length of those
    /// values in bytes. `None` unless all of that is in verified bytes and in common forms. Then
    /// use [`skip`](Self::skip) and [`str`](Self::str), which also report errors.
    #[inline]
    pub(crate) fn near_string(mut self, steps: u64) -> Option<(&'a [u8], usize)> {
        let start = self.position;
        if self.skip_ready(steps) > 0 {
            return None;
        }
        let way = self.position.saturating_sub(start);
        self.short_str_bytes().map(|bytes| (bytes, way))
    }

    /// Reads the next token if it is a string of up to 255 bytes in verified bytes, which may not
    /// be UTF-8. Otherwise reads nothing.
    #[inline]
    pub(crate) fn short_str_bytes(&mut self) -> Option<&'a [u8]> {
        self.short(StringBytes).ok()
    }

    /// Reads the next token. Returns its count if it is an array, otherwise `None`.
    #[inline]
    pub(crate) fn array_count(&mut self) -> Result<Option<u32>, DecodeError> {
        if let Ok(count) = self.short(ArrayCount) {
            return Ok(Some(count));
        }
        match self.token()? {
            Token::Array(count) => Ok(Some(count)),
            _ => Ok(None),
        }
    }

    /// Reads the next token if it is an id of up to 32 bits in verified bytes. Otherwise reads
    /// nothing.
    #[inline]
    pub(crate) fn short_id(&mut self) -> Option<u32> {
        let (id, length) = leading_id(self.ready()?)?;
        self.advance(length);
        Some(id)
    }

    /// Skips values by their first bytes alone, until the verified bytes or the common forms end.
    /// Returns the number of remaining values.
    ///
    /// A lookup skips far more than it decodes. This takes a nanosecond per token; `token` takes
    /// three.
    #[inline]
    fn skip_ready(&mut self, mut pending: u64) -> u64 {
        let ready = self.data.get(..self.ready).unwrap_or_default();
        let mut position = self.position;
        while pending > 0 {
            let Some(&first) = ready.get(position) else { break };
            let (length, values) = EXTENTS.get(usize::from(first)).copied().unwrap_or((RARE, 0));
            let length = match (length, ready.get(position.saturating_add(1))) {
                (RARE, _) | (SIZED_8, None) => break,
                (SIZED_8, Some(&length)) => usize::from(length).saturating_add(2),
                _ => usize::from(length),
            };
            let next = position.saturating_add(length);
            let rest = pending.wrapping_sub(1).saturating_add(values.into());
            if next > ready.len() || usize::from(values) > self.end.saturating_sub(next) {
                break;
            }
            (position, pending) = (next, rest);
        }
        self.position = position;
        pending
    }
}

/// Returns `bytes` as text.
///
/// Programs that read whole documents use a much faster check for long texts. Its code takes 5 kB,
/// so programs that only look keys up use the check of the standard library.
#[inline]
pub(crate) fn utf8(bytes: &[u8]) -> Option<&str> {
    #[cfg(feature = "whole")]
    let text = simdutf8::basic::from_utf8(bytes).ok();
    #[cfg(not(feature = "whole"))]
    let text = std::str::from_utf8(bytes).ok();
    text
}

/// The id of up to 32 bits at the start of `bytes`, and its length in bytes.
#[inline]
fn leading_id(bytes: &[u8]) -> Option<(u32, usize)> {
    let (&first, rest) = bytes.split_first()?;
    Some(match first {
        0..=m::POSITIVE_FIXINT_MAX => (first.into(), 1),
        m::UINT_8 => ((*rest.first()?).into(), 2),
        m::UINT_16 => (u16::from_be_bytes(*rest.first_chunk()?).into(), 3),
        m::UINT_32 => (u32::from_be_bytes(*rest.first_chunk()?), 5),
        _ => return None,
    })
}

struct StringBytes;

impl<'a> TakeShort<'a> for StringBytes {
    type Value = &'a [u8];

    #[inline]
    fn string(self, bytes: &'a [u8]) -> Result<&'a [u8], Self> {
        Ok(bytes)
    }
}

struct ArrayCount;

impl TakeShort<'_> for ArrayCount {
    type Value = u32;

    #[inline]
    fn array(self, count: u32) -> Result<u32, Self> {
        Ok(count)
    }
}

/// In [`EXTENTS`]: the byte after the first is the number of bytes that follow.
const SIZED_8: u8 = 0xfe;
/// In [`EXTENTS`]: left to [`Cursor::token`].
const RARE: u8 = 0xff;

/// For each first byte of a token: the length of the token, and the number of following values that
/// belong to it.
#[cfg_attr(
    not(test),
    expect(clippy::indexing_slicing, reason = "the compiler computes it, and would refuse a fault")
)]
static EXTENTS: [(u8, u8); 256] = {
    let mut extents = [(RARE, 0); 256];
    let mut first = 0u8;
    loop {
        extents[first as usize] = match first {
            0..=m::POSITIVE_FIXINT_MAX | m::NEGATIVE_FIXINT.. => (1, 0),
            0x80..=0x8f => (1, 2 * (first & 0x0f)),
            0x90..=0x9f => (1, first & 0x0f),
            0xa0..=0xbf => (1 + (first & 0x1f), 0),
            m::NIL | m::FALSE | m::TRUE => (1, 0),
            m::STR_8 | m::BIN_8 => (SIZED_8, 0),
            m::UINT_8 | m::INT_8 => (2, 0),
            m::UINT_16 | m::INT_16 | m::FIXEXT_1 => (3, 0),
            m::FIXEXT_2 => (4, 0),
            m::UINT_32 | m::INT_32 => (5, 0),
            m::FIXEXT_4 => (6, 0),
            m::UINT_64 | m::INT_64 | m::FLOAT_64 => (9, 0),
            m::FIXEXT_8 => (10, 0),
            _ => (RARE, 0),
        };
        if first == u8::MAX {
            break extents;
        }
        first += 1;
    }
};

/// The token for a signed number of this many bits.
fn signed<'a>(number: u64, bits: u32) -> Token<'a> {
    let unused = u64::BITS.saturating_sub(bits);
    let signed = (number << unused).cast_signed() >> unused;
    match u64::try_from(signed) {
        Ok(number) => Token::Unsigned(number),
        Err(_) => Token::Negative(signed),
    }
}

#[cfg(test)]
mod tests;
