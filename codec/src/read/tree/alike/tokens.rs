//! Compares the next values of two files (§4) by one token of each.

use super::super::build::is_text;
use super::{Same, Step};
use crate::msgpack::{Cursor, Token, marker as m};
use crate::read::tables::SlotForm;
use crate::wire::ids::SharedId;
use crate::wire::value::{Form, ext_integer};
use coconut_format::Integer;

impl<'a> Step<'_, 'a> {
    /// Reads the next values, up to the headers of arrays.
    #[inline]
    pub(super) fn same(&mut self, cursors: &mut [Cursor<'a>; 2], is_integer: [bool; 2]) -> Option<Same> {
        let [old, new] = cursors;
        let (a, b) = (old.ready()?, new.ready()?);
        let (&first, &other) = (a.first()?, b.first()?);
        // Most values are short, and begin with the same byte in both.
        let length = match first {
            _ if first != other => return self.same_token(cursors, is_integer),
            0..=m::POSITIVE_FIXINT_MAX => {
                self.same_number(first.into(), other.into(), is_integer)?;
                1
            }
            m::UINT_8 => {
                self.same_number((*a.get(1)?).into(), (*b.get(1)?).into(), is_integer)?;
                2
            }
            m::UINT_16 => {
                let number = |bytes: &[u8]| Some(u16::from_be_bytes(*bytes.get(1..)?.first_chunk()?));
                self.same_number(number(a)?.into(), number(b)?.into(), is_integer)?;
                3
            }
            m::NIL | m::FALSE | m::TRUE => 1,
            0xa0..=0xbf => same_bytes(a, b, 1, usize::from(first & 0x1f))?,
            m::STR_8 if a.get(1) == b.get(1) => same_bytes(a, b, 2, usize::from(*a.get(1)?))?,
            0x90..=0x9f => {
                old.advance(1);
                new.advance(1);
                return Some(Same::Arrays([u32::from(first & 0x0f); 2]));
            }
            _ => return self.same_token(cursors, is_integer),
        };
        old.advance(length);
        new.advance(length);
        Some(Same::Scalar)
    }

    /// Compares two numbers: integers or ids of strings.
    #[inline]
    fn same_number(&mut self, old: u64, new: u64, is_integer: [bool; 2]) -> Option<()> {
        let is_same = match is_integer {
            [true, true] => old == new,
            [false, false] => self.is_same_text(old, new)?,
            _ => false,
        };
        is_same.then_some(())
    }

    fn is_same_text(&mut self, old: u64, new: u64) -> Option<bool> {
        let [old, new] = [usize::try_from(old).ok()?, usize::try_from(new).ok()?];
        let [of_old, of_new] = self.sides.map(|side| side.tables.strings.len());
        if old >= of_old || new >= of_new {
            return None;
        }
        self.names.is_same_text(old, new).ok()
    }

    fn same_token(&mut self, cursors: &mut [Cursor<'a>; 2], is_integer: [bool; 2]) -> Option<Same> {
        let [old, new] = cursors;
        let (a, b) = (old.token().ok()?, new.token().ok()?);
        let is_same = match (integer(a, is_integer[0]), integer(b, is_integer[1])) {
            (Some(a), Some(b)) => a == b,
            (None, None) => match (a, b) {
                (Token::Array(a), Token::Array(b)) => return Some(Same::Arrays([a, b])),
                (Token::Unsigned(a), Token::Unsigned(b)) => self.is_same_text(a, b)?,
                (Token::Negative(a), Token::Negative(b)) => {
                    let [a, b] = [a, b].map(|reference| SharedId::of(SharedId::named_by(reference)));
                    return Some(Same::References([a?, b?]));
                }
                (Token::Nil, Token::Nil) => true,
                (Token::Float(a), Token::Float(b)) => a.to_bits() == b.to_bits() && a.is_finite(),
                (Token::Str(a), Token::Str(b)) => {
                    self.names.spend(a.len() / 32).ok()?;
                    a == b && is_text(a)
                }
                // A text that occurs several times in a file is in its table.
                (Token::Str(a), Token::Unsigned(b)) => self.is_text_of(1, b, a)?,
                (Token::Unsigned(a), Token::Str(b)) => self.is_text_of(0, a, b)?,
                _ => false,
            },
            _ => false,
        };
        is_same.then_some(Same::Scalar)
    }

    /// Reads a value of one side, in an integer slot or not. It must be the constant of this slot
    /// of the other side.
    pub(super) fn constant(
        &mut self,
        cursor: &mut Cursor<'a>,
        (side, is_integer): (usize, bool),
        slot: usize,
    ) -> Option<()> {
        let tables = &self.sides[1 - side].tables;
        let SlotForm::Constant(constant) = tables.slot(slot).form else { return None };
        let token = cursor.token().ok()?;
        let is_same = match (constant, token) {
            (Form::Integer(a), token) => integer(token, is_integer) == Some(a),
            (Form::Null, Token::Nil) => true,
            (Form::Bool(a), Token::Bool(b)) => a == b,
            (Form::Float(a), Token::Float(b)) => a.to_bits() == b.to_bits(),
            (Form::StringId(a), Token::Str(b)) => tables.strings[a.index()].as_bytes() == b,
            (Form::String(a), Token::Str(b)) => a.as_bytes() == b,
            (_, Token::Unsigned(_)) if is_integer => false,
            (Form::StringId(a), Token::Unsigned(b)) => {
                let a = a.index() as u64;
                let (old, new) = if side == 0 { (b, a) } else { (a, b) };
                self.is_same_text(old, new)?
            }
            (Form::String(a), Token::Unsigned(b)) => {
                self.names.spend(a.len() / 32).ok()?;
                self.is_text_of(side, b, a.as_bytes())?
            }
            _ => false,
        };
        is_same.then_some(())
    }

    fn is_text_of(&self, n: usize, id: u64, text: &[u8]) -> Option<bool> {
        let strings = &self.sides[n].tables.strings;
        strings.get(usize::try_from(id).ok()?).map(|other| other.as_bytes() == text)
    }
}

/// Compares texts of this length that begin at `start`. Returns their ends.
#[inline]
fn same_bytes(old: &[u8], new: &[u8], start: usize, length: usize) -> Option<usize> {
    let end = start + length;
    let (text, other) = (old.get(start..end)?, new.get(start..end)?);
    (text == other && is_text(text)).then_some(end)
}

/// The integer value of a token, if it is an integer.
fn integer(token: Token<'_>, is_integer_slot: bool) -> Option<Integer> {
    match token {
        Token::Unsigned(number) if is_integer_slot => Some(number.into()),
        Token::Negative(number) if is_integer_slot => Some(number.into()),
        Token::Ext(code, body) => ext_integer(code, body).ok(),
        _ => None,
    }
}
