//! §4 Lazy views: values where they lie in the file.
//!
//! A view is a place and what must be known to read there. It owns nothing, is `Copy`, and decodes one level
//! when asked. Strings are borrowed from the file. Nothing is remembered between calls except which checksum
//! blocks were compared, so asking twice costs twice; who reads a document whole wants a [`Tree`](crate::read::tree)
//! or [`stream`](crate::read::stream).

pub(crate) mod node;
mod object;
mod shape;

pub use node::WatchedView;
pub use object::{Entries, ObjectView};
pub(crate) use shape::ShapeFacts;

use crate::msgpack::{Cursor, Token};
use crate::read::decode::SlotForm;
use crate::read::file::DocumentView;
use crate::wire::header::Profile;
use crate::wire::shapes::read_shape_header;
use coconut_format::Integer;
use coconut_format::error::{DecodeError, ErrorKind, FormRule};
use coconut_format::node::Kind;
use coconut_format::pointer;
use std::ops::Range;

/// A value in a file, not yet read.
///
/// Unlike a [`Content`] it has decoded nothing; unlike a [`Value`](coconut_format::Value) it owns nothing.
#[derive(Clone, Copy, Debug)]
pub struct ValueView<'a> {
    document: DocumentView<'a>,
    /// Where the entry begins that holds the value: at its key, if it has one before it.
    entry: usize,
    position: usize,
    /// End of the part.
    end: usize,
    /// §4.4 Shared values from this id on cannot be referred to here.
    bound: u32,
    form: Form,
}

/// What the bytes at a position are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// A value.
    Value,
    /// A value in an integer slot (§6.3).
    IntegerSlot,
    /// The values of an object of this shape, without header.
    Nested(u32),
}

/// What has the same content wherever it is met in a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Same {
    /// The shared value with this id.
    Shared(u32),
    /// An object of which its shape, with this id, says everything.
    Shape(u32),
}

/// A value, read one level deep.
#[derive(Clone, Copy, Debug)]
pub enum Content<'a> {
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
    /// A list, its items not yet read.
    List(ListView<'a>),
    /// An object, its entries not yet read.
    Object(ObjectView<'a>),
}

impl Content<'_> {
    fn kind(&self) -> Kind {
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

impl<'a> ValueView<'a> {
    pub(crate) fn at(
        document: DocumentView<'a>,
        entry: usize,
        position: usize,
        end: usize,
        bound: u32,
    ) -> Self {
        ValueView { document, entry, position, end, bound, form: Form::Value }
    }

    /// The document that the value belongs to.
    pub fn document(&self) -> DocumentView<'a> {
        self.document
    }

    /// The same value, seen for as long as `document`, which is that of the view.
    pub(crate) fn in_document(self, document: DocumentView<'_>) -> ValueView<'_> {
        let ValueView { entry, position, end, bound, form, .. } = self;
        ValueView { document, entry, position, end, bound, form }
    }

    /// Where the value's own bytes begin in the file. A reference lies elsewhere than what it stands for.
    pub fn offset(&self) -> u64 {
        self.position as u64
    }

    /// Where the entry begins that holds the value: at the key in front of it, if there is one.
    pub(crate) fn entry(&self) -> usize {
        self.entry
    }

    /// The bytes of the value in the file. Costs a walk over them.
    pub fn span(&self) -> Result<Range<u64>, DecodeError> {
        let mut cursor = self.cursor();
        match self.form {
            Form::Nested(shape) => {
                let width = self.document.shape_width(shape.into(), self.position)?;
                cursor.skip(width.into())?;
            }
            _ => cursor.skip(1)?,
        }
        Ok(self.position as u64..cursor.position() as u64)
    }

    fn cursor(&self) -> Cursor<'a> {
        self.document.cursor(self.position, self.end)
    }

    /// Whether this is the whole document.
    #[cfg(feature = "serde")]
    pub(crate) fn is_root(&self) -> bool {
        self.position == self.document.frame.root.start
    }

    /// Where a walk that consumes the value begins: a cursor at it, how it is written, and the shared value from
    /// which on none can be referred to.
    pub(crate) fn walk(&self) -> (Cursor<'a>, SlotForm<'a>, u32) {
        let form = match self.form {
            Form::Value => SlotForm::Plain,
            Form::IntegerSlot => SlotForm::Integer,
            Form::Nested(shape) => SlotForm::Nested(shape),
        };
        (self.cursor(), form, self.bound)
    }

    /// Reads one level. Follows references, so the content of a shared value is that value's content.
    pub fn content(&self) -> Result<Content<'a>, DecodeError> {
        if let Form::Nested(shape) = self.form {
            let header = self.document.shape(shape.into(), self.position)?;
            return Ok(Content::Object(ObjectView::nested(*self, header)));
        }
        let mut cursor = self.cursor();
        let token = cursor.token()?;
        if self.document.header().profile == Profile::Plain {
            return self.plain_content(cursor, token);
        }
        match token {
            Token::Unsigned(id) if self.form == Form::Value => {
                self.document.string(id, self.position).map(Content::String)
            }
            Token::Negative(number) if self.form == Form::Value => self.shared(number),
            Token::Unsigned(number) => Ok(Content::Integer(number.into())),
            Token::Negative(number) => Ok(Content::Integer(number.into())),
            Token::Array(count) => self.array(cursor, count),
            other => scalar(&cursor, other, self.position),
        }
    }

    /// What kind of value it is, mostly by its first bytes: a walk asks this of every value, and a string that is not
    /// asked for more need not be looked up in its table. So what a string or an object refers to is not read, and
    /// may be missing.
    pub(crate) fn kind(&self) -> Result<Kind, DecodeError> {
        if let Form::Nested(_) = self.form {
            return Ok(Kind::Object);
        }
        let mut cursor = self.cursor();
        let is_plain = self.document.header().profile == Profile::Plain;
        let by_first_bytes = match (is_plain, cursor.token()?) {
            (false, Token::Unsigned(_)) if self.form == Form::Value => Some(Kind::String),
            (false, Token::Array(0)) => Some(Kind::List),
            (false, Token::Array(_)) => match cursor.token()? {
                Token::Nil => Some(Kind::List),
                Token::Unsigned(_) => Some(Kind::Object),
                _ => None,
            },
            _ => None,
        };
        match by_first_bytes {
            Some(kind) => Ok(kind),
            None => self.content().map(|content| content.kind()),
        }
    }

    /// What this value has the content of, if others can have it too.
    pub(crate) fn same_everywhere(&self) -> Result<Option<Same>, DecodeError> {
        let of_shape = |shape, at| {
            let is_whole = self.document.shape_width(shape, at)? == 0;
            Ok(u32::try_from(shape).ok().filter(|_| is_whole).map(Same::Shape))
        };
        if let Form::Nested(shape) = self.form {
            return of_shape(shape.into(), self.position);
        }
        if self.form != Form::Value || self.document.header().profile == Profile::Plain {
            return Ok(None);
        }
        let mut cursor = self.cursor();
        match cursor.token()? {
            Token::Negative(number) => {
                // A shared value refers to those before it: its bound is its id.
                let target = self.document.shared_value(number, self.bound, self.position)?;
                Ok(Some(Same::Shared(target.bound)))
            }
            Token::Array(1) => {
                let at = cursor.position();
                match cursor.token()? {
                    Token::Unsigned(shape) => of_shape(shape, at),
                    _ => Ok(None),
                }
            }
            _ => Ok(None),
        }
    }

    /// §4.6 Ordinary msgpack.
    fn plain_content(&self, cursor: Cursor<'a>, token: Token<'a>) -> Result<Content<'a>, DecodeError> {
        let position = cursor.position();
        match token {
            Token::Unsigned(number) => Ok(Content::Integer(number.into())),
            Token::Negative(number) => Ok(Content::Integer(number.into())),
            Token::Array(count) => Ok(Content::List(ListView { first: self.moved(position), count })),
            Token::Map(count) => Ok(Content::Object(ObjectView::entries(self.moved(position), count))),
            Token::Ext(code, body) | Token::OtherExt(code, body) => {
                let length = body.len() as u64;
                Err(ErrorKind::Extension { code, length }.at(self.position as u64))
            }
            other => scalar(&cursor, other, self.position),
        }
    }

    /// §4.4 What a reference stands for.
    fn shared(&self, number: i64) -> Result<Content<'a>, DecodeError> {
        let target = self.document.shared_value(number, self.bound, self.position)?;
        let mut cursor = target.cursor();
        match cursor.token()? {
            Token::Array(count) => target.array(cursor, count),
            _ => Err(ErrorKind::ValueForm { rule: FormRule::Shared }.at(target.position as u64)),
        }
    }

    /// §4.5 The forms of lists and objects. The cursor is behind the array header.
    fn array(&self, mut cursor: Cursor<'a>, count: u32) -> Result<Content<'a>, DecodeError> {
        let Some(rest) = count.checked_sub(1) else {
            return Ok(Content::List(ListView { first: self.moved(cursor.position()), count: 0 }));
        };
        let at = cursor.position();
        match cursor.token()? {
            Token::Nil => Ok(Content::List(ListView { first: self.moved(cursor.position()), count: rest })),
            Token::Bool(false) if rest % 2 == 0 => {
                Ok(Content::Object(ObjectView::entries(self.moved(cursor.position()), rest / 2)))
            }
            Token::Unsigned(shape) => {
                let header = self.document.shape(shape, at)?;
                let width = self.document.shape_width(shape, at)?;
                if width != rest {
                    let (expected, found) = (width.into(), rest.into());
                    return Err(ErrorKind::ShapeArity { expected, found }.at(self.position as u64));
                }
                Ok(Content::Object(ObjectView::nested(self.moved(cursor.position()), header)))
            }
            _ => Err(ErrorKind::ValueForm { rule: FormRule::Array }.at(self.position as u64)),
        }
    }

    /// The value at another position of the same part.
    fn moved(&self, position: usize) -> Self {
        ValueView { entry: position, position, form: Form::Value, ..*self }
    }

    /// The value under `key`; `None` if there is none, or this is no object.
    pub fn field(&self, key: &str) -> Result<Option<ValueView<'a>>, DecodeError> {
        match self.content()? {
            Content::Object(object) => object.get(key),
            _ => Ok(None),
        }
    }

    /// The text, if this is a string.
    pub fn text(&self) -> Result<Option<&'a str>, DecodeError> {
        match self.content()? {
            Content::String(text) => Ok(Some(text)),
            _ => Ok(None),
        }
    }

    /// The value that a JSON pointer (RFC 6901) leads to from here; `None` if there is none, or if `pointer` is none: one is empty
    /// or begins with `/`. Less strictly than there, a `~` before anything but `0` and `1` is itself.
    pub fn pointer(&self, pointer: &str) -> Result<Option<ValueView<'a>>, DecodeError> {
        let Some(keys) = pointer::keys(pointer) else { return Ok(None) };
        let mut value = *self;
        for key in keys {
            let next = match value.content()? {
                Content::Object(object) => object.get(&key)?,
                Content::List(list) => list.named(&key)?.map(|(_, item)| item),
                _ => None,
            };
            match next {
                Some(next) => value = next,
                None => return Ok(None),
            }
        }
        Ok(Some(value))
    }
}

/// A scalar that is written the same everywhere.
fn scalar<'a>(cursor: &Cursor<'a>, token: Token<'a>, at: usize) -> Result<Content<'a>, DecodeError> {
    match token {
        Token::Nil => Ok(Content::Null),
        Token::Bool(value) => Ok(Content::Bool(value)),
        Token::Float(value) if value.is_finite() => Ok(Content::Float(value)),
        Token::Float(_) => Err(ErrorKind::NonFinite.at(at as u64)),
        Token::Str(bytes) => cursor.text(bytes).map(Content::String),
        Token::Ext(code, body) => ext_integer(code, body, at).map(Content::Integer),
        Token::OtherExt(code, body) => {
            Err(ErrorKind::Extension { code, length: body.len() as u64 }.at(at as u64))
        }
        other => Err(ErrorKind::Type { expected: "value", found: other.name() }.at(at as u64)),
    }
}

/// §4.3 An integer outside of integer slots.
pub(crate) fn ext_integer(code: i8, body: &[u8], at: usize) -> Result<Integer, DecodeError> {
    use crate::msgpack::marker::{EXT_SIGNED, EXT_UNSIGNED};
    let wrong = || ErrorKind::Extension { code, length: body.len() as u64 }.at(at as u64);
    let widened = |fill: u8| -> Option<[u8; 8]> {
        let mut bytes = [fill; 8];
        if !matches!(body.len(), 1 | 2 | 4 | 8) {
            return None;
        }
        bytes.get_mut(8 - body.len()..)?.copy_from_slice(body);
        Some(bytes)
    };
    match code {
        EXT_UNSIGNED => Ok(u64::from_be_bytes(widened(0).ok_or_else(wrong)?).into()),
        EXT_SIGNED => {
            let number = i64::from_be_bytes(widened(0xff).ok_or_else(wrong)?);
            let is_negative = body.first().is_some_and(|first| first & 0x80 != 0);
            match is_negative {
                true => Ok(number.into()),
                false => Err(ErrorKind::IntegerForm.at(at as u64)),
            }
        }
        _ => Err(wrong()),
    }
}

impl<'a> DocumentView<'a> {
    /// §4.4 The shared value that the reference `number` at `at` stands for. It refers only to those before it.
    pub(crate) fn shared_value(
        &self,
        number: i64,
        bound: u32,
        at: usize,
    ) -> Result<ValueView<'a>, DecodeError> {
        let id = u64::from_ne_bytes((!number).to_ne_bytes());
        let items = &self.frame.shared;
        match u32::try_from(id) {
            Ok(id) if id < bound => {
                let position = self.shared_cursor(id, at)?.position();
                Ok(ValueView::at(*self, position, position, items.end, id))
            }
            _ => {
                let count = items.count(self.data, self.blocks())?.min(bound).into();
                Err(ErrorKind::SharedRange { id, count }.at(at as u64))
            }
        }
    }

    /// A cursor at shared value `id`, which the reference at `at` names.
    pub(crate) fn shared_cursor(&self, id: u32, at: usize) -> Result<Cursor<'a>, DecodeError> {
        let items = &self.frame.shared;
        match items.find(self.data, self.blocks(), id)? {
            Some(cursor) => Ok(cursor),
            None => {
                let count = items.count(self.data, self.blocks())?.into();
                Err(ErrorKind::SharedRange { id: id.into(), count }.at(at as u64))
            }
        }
    }

    /// §6.1 Shape `id`, which the reference at `at` names.
    pub(crate) fn shape(&self, id: u64, at: usize) -> Result<shape::ShapeHeader<'a>, DecodeError> {
        if let Ok(id) = u32::try_from(id)
            && let Some(mut cursor) = self.frame.shapes.find(self.data, self.blocks(), id)?
        {
            let slots = read_shape_header(&mut cursor)?;
            return Ok(shape::ShapeHeader { id, slots, cursor });
        }
        let count = self.frame.shapes.count(self.data, self.blocks())?.into();
        Err(ErrorKind::ShapeRange { id, count }.at(at as u64))
    }
}

/// A list in a file, its items not yet read.
#[derive(Clone, Copy, Debug)]
pub struct ListView<'a> {
    /// The first item, or where it would be.
    first: ValueView<'a>,
    count: u32,
}

impl<'a> ListView<'a> {
    /// How many items there are: the claim of its header, at most one per byte left.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The items in order. An error ends the iteration.
    pub fn items(&self) -> Items<'a> {
        Items { next: self.first, unread: 0, left: self.count }
    }

    /// Item `index`; costs a walk over those before it.
    pub fn get(&self, index: usize) -> Result<Option<ValueView<'a>>, DecodeError> {
        if index >= self.len() {
            return Ok(None);
        }
        let mut cursor = self.first.cursor();
        cursor.skip(index as u64)?;
        Ok(Some(self.first.moved(cursor.position())))
    }

    /// The item that a segment of a JSON pointer names, and its number: `0`, or digits of which the first is not zero.
    pub fn named(&self, segment: &str) -> Result<Option<(usize, ValueView<'a>)>, DecodeError> {
        let is_number = segment.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number || segment.len() > 1 && segment.starts_with('0') {
            return Ok(None);
        }
        let Ok(index) = segment.parse() else { return Ok(None) };
        Ok(self.get(index)?.map(|item| (index, item)))
    }
}

/// The items of a [`ListView`].
#[derive(Clone, Debug)]
pub struct Items<'a> {
    next: ValueView<'a>,
    /// 1 when `next` is the item that was given last, which is stepped over only when there is one behind it.
    unread: u32,
    left: u32,
}

impl Items<'_> {
    /// Where the item begins that was given last.
    pub(crate) fn reached(&self) -> usize {
        self.next.position
    }
}

impl<'a> Iterator for Items<'a> {
    type Item = Result<ValueView<'a>, DecodeError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let mut cursor = self.next.cursor();
        if let Err(error) = cursor.skip(self.unread.into()) {
            self.left = 0;
            return Some(Err(error));
        }
        self.next = self.next.moved(cursor.position());
        self.unread = 1;
        Some(Ok(self.next))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.left as usize))
    }
}

#[cfg(test)]
mod tests;
