//! Lazy views (§4): values read in place, one level at a time.
//!
//! A view is an offset plus the context needed to read there. It owns nothing, is `Copy`, and
//! decodes one level on request. Strings are borrowed from the file. Views remember verified
//! checksum blocks and the slots of frequent shapes, but no values. So repeating a call repeats the
//! work. To read a whole document, use a `Tree` or `stream` (feature `whole`).

mod equal;
mod fields;
pub(crate) mod node;
mod object;
mod shape;
mod slots;
mod typed;

pub use fields::Fields;
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub use node::WatchedView;
#[cfg(all(feature = "secrets", not(feature = "tooling")))]
pub(crate) use node::WatchedView;
#[cfg(test)]
pub(crate) use object::LONG_TEXT;
#[cfg(feature = "whole")]
pub(crate) use object::LongTexts;
pub use object::{Entries, ObjectView};
pub(crate) use shape::ShapeFacts;

use crate::bounded_debug::bounded_debug;
use crate::msgpack::{Cursor, Token};
use crate::read::file::DocumentView;
use crate::wire::header::Profile;
use crate::wire::ids::{ShapeId, SharedId, StringId};
use crate::wire::shapes::{SlotKind, ValueSlot};
use crate::wire::value::{self, Form, References, check_shared, shared_id};
use coconut_format::error::{DecodeError, ErrorKind};
use coconut_format::node::Kind;
use coconut_format::pointer;
use std::ops::Range;

/// A value in a file, not yet read.
///
/// Unlike a [`Content`], it has decoded nothing. Unlike a [`Value`](coconut_format::Value), it owns
/// nothing.
#[derive(Clone, Copy)]
pub struct ValueView<'a> {
    document: DocumentView<'a>,
    /// The start of the entry that contains the value: its key, if a key precedes it.
    entry: usize,
    position: usize,
    /// End of the part.
    end: usize,
    /// Shared values from this id on cannot be referenced here (§4.4).
    bound: SharedId,
    /// The form in which the value is written.
    slot: ValueSlot,
}

bounded_debug!(ValueView<'_>, |view| offset: view.position);

/// The place of a value in its document, without the document.
///
/// For programs that keep values longer than a borrow allows, for instance beside an `Rc` of their
/// document. [`DocumentView::value_at`] recreates the view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct ValuePlace {
    position: usize,
    end: usize,
    bound: SharedId,
    slot: ValueSlot,
}

/// The identity of a value that has the same content at each of its places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Same {
    /// The shared value with this id.
    Shared(SharedId),
    /// An object described completely by the shape with this id.
    Shape(ShapeId),
}

/// A value, read one level deep.
pub type Content<'a> = value::Content<'a, ListView<'a>, ObjectView<'a>>;

impl<'a> ValueView<'a> {
    pub(crate) fn at(
        document: DocumentView<'a>,
        entry: usize,
        position: usize,
        end: usize,
        bound: SharedId,
    ) -> Self {
        ValueView { document, entry, position, end, bound, slot: SlotKind::Plain }
    }

    /// Returns the document that the value belongs to.
    pub fn document(&self) -> DocumentView<'a> {
        self.document
    }

    /// Returns the same value with the lifetime of `document`, which is the view's own document.
    pub(crate) fn in_document(self, document: DocumentView<'_>) -> ValueView<'_> {
        let ValueView { entry, position, end, bound, slot, .. } = self;
        ValueView { document, entry, position, end, bound, slot }
    }

    /// Returns the place of the value. Its document recreates the same view from it.
    #[doc(hidden)]
    pub fn place(&self) -> ValuePlace {
        ValuePlace { position: self.position, end: self.end, bound: self.bound, slot: self.slot }
    }

    /// Returns the offset of the value's own bytes in the file. For a reference, this is the offset
    /// of the reference, not of its target.
    pub fn offset(&self) -> u64 {
        self.position as u64
    }

    /// Returns the start of the entry that contains the value: its key, if a key precedes it.
    pub(crate) fn entry(&self) -> usize {
        self.entry
    }

    /// Returns the bytes of the value in the file. Costs a walk over them.
    pub fn span(&self) -> Result<Range<u64>, DecodeError> {
        let mut cursor = self.cursor();
        match self.slot {
            SlotKind::Nested(shape) => {
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

    /// Returns whether this is the root value.
    pub(crate) fn is_root(&self) -> bool {
        self.position == self.document.frame.root.start
    }

    /// Returns the start of a walk that consumes the value: a cursor, its slot, and the first
    /// shared value that it must not reference.
    pub(crate) fn walk(&self) -> (Cursor<'a>, ValueSlot, SharedId) {
        (self.cursor(), self.slot, self.bound)
    }

    /// Reads one level. References are followed, so a shared value returns its own content.
    pub fn content(&self) -> Result<Content<'a>, DecodeError> {
        if let SlotKind::Nested(shape) = self.slot {
            let header = self.document.shape(shape.into(), self.position)?;
            return Ok(Content::Object(ObjectView::nested(*self, header)));
        }
        let mut cursor = self.cursor();
        let is_integer = self.slot == SlotKind::Integer;
        match value::read(&mut cursor, &self.document, is_integer, self.bound)? {
            Form::Shared(id) => {
                let target = self.document.shared_value(id, self.position)?;
                check_shared(target.cursor())?;
                target.content()
            }
            form => self.opened(form, cursor.position()),
        }
    }

    /// Returns the content that begins with `form`. The rest of it begins at `next`.
    fn opened(&self, form: Form<'a>, next: usize) -> Result<Content<'a>, DecodeError> {
        match form {
            Form::StringId(id) => self.document.string(id.into(), self.position).map(Content::String),
            Form::List(count) => Ok(Content::List(ListView { first: self.moved(next), count })),
            Form::Object(count) => Ok(Content::Object(ObjectView::entries(self.moved(next), count))),
            Form::Record(shape) => {
                let header = self.document.shape(shape.into(), self.position)?;
                Ok(Content::Object(ObjectView::nested(self.moved(next), header)))
            }
            scalar => Ok(scalar.scalar().expect("references are followed before")),
        }
    }

    /// Returns the kind of the value, usually from its first bytes alone. A walk requests the kind
    /// of every value, and most strings need no lookup for that. So the target of a string or
    /// object reference is not read, and may be missing.
    pub(crate) fn kind(&self) -> Result<Kind, DecodeError> {
        if let SlotKind::Nested(_) = self.slot {
            return Ok(Kind::Object);
        }
        let mut cursor = self.cursor();
        let is_plain = self.document.header().profile == Profile::Plain;
        let by_first_bytes = match (is_plain, cursor.token()?) {
            (false, Token::Unsigned(_)) if self.slot == SlotKind::Plain => Some(Kind::String),
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

    /// Returns the identity of this value, if other values can have the same content.
    pub(crate) fn same_everywhere(&self) -> Result<Option<Same>, DecodeError> {
        let of_shape = |shape, at| {
            let is_whole = self.document.shape_width(shape, at)? == 0;
            Ok(ShapeId::of(shape).filter(|_| is_whole).map(Same::Shape))
        };
        if let SlotKind::Nested(shape) = self.slot {
            return of_shape(shape.into(), self.position);
        }
        if self.slot != SlotKind::Plain || self.document.header().profile == Profile::Plain {
            return Ok(None);
        }
        let mut cursor = self.cursor();
        match cursor.token()? {
            Token::Negative(number) => {
                let id = shared_id(number, &self.document, self.bound, self.position)?;
                self.document.shared_cursor(id, self.position)?;
                Ok(Some(Same::Shared(id)))
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

    /// Returns the value at another position of the same part.
    fn moved(&self, position: usize) -> Self {
        ValueView { entry: position, position, slot: SlotKind::Plain, ..*self }
    }

    /// Returns the value under `key`, or `None` if there is no such key or this is not an object.
    ///
    /// ```
    /// use coconut_codec::{CompileOptions, Document, compile};
    ///
    /// let source = br#"{"vertices":{"web":{"port":80,"tags":["a","b"]},"db":{"port":5432}}}"#;
    /// let file = Document::from_data(compile(source, &CompileOptions::default())?.bytes)?;
    /// let web = file.require("web")?.value()?;
    /// assert_eq!(web.field("port")?.expect("it exists").as_u64()?, Some(80));
    /// assert!(web.field("size")?.is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn field(&self, key: &str) -> Result<Option<ValueView<'a>>, DecodeError> {
        match self.content()? {
            Content::Object(object) => object.get(key),
            _ => Ok(None),
        }
    }

    /// Returns the text, if this is a string.
    pub fn text(&self) -> Result<Option<&'a str>, DecodeError> {
        match self.content()? {
            Content::String(text) => Ok(Some(text)),
            _ => Ok(None),
        }
    }

    /// Returns the value at a JSON pointer (RFC 6901) relative to this value. Returns `None` if
    /// there is no such value, or if `pointer` is neither empty nor begins with `/`. Unlike in the
    /// RFC, a `~` not followed by `0` or `1` denotes itself.
    ///
    /// ```
    /// use coconut_codec::{CompileOptions, Document, compile};
    ///
    /// let source = br#"{"vertices":{"web":{"port":80,"tags":["a","b"]},"db":{"port":5432}}}"#;
    /// let file = Document::from_data(compile(source, &CompileOptions::default())?.bytes)?;
    /// let tag = file.view().root().pointer("/vertices/web/tags/1")?.expect("it exists");
    /// assert_eq!(tag.as_str()?, Some("b"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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

impl<'a> DocumentView<'a> {
    /// Returns the value at a place of this document. With a place of another document, the value
    /// is an arbitrary one, or reading it fails.
    #[doc(hidden)]
    pub fn value_at(&self, place: ValuePlace) -> ValueView<'a> {
        let ValuePlace { position, end, bound, slot } = place;
        ValueView { document: *self, entry: position, position, end, bound, slot }
    }

    /// Returns shared value `id` (§4.4), which the reference at `at` names. Shared value `id`
    /// refers only to earlier ones.
    fn shared_value(&self, id: SharedId, at: usize) -> Result<ValueView<'a>, DecodeError> {
        let position = self.shared_cursor(id, at)?.position();
        Ok(ValueView::at(*self, position, position, self.frame.shared.end, id))
    }

    /// Returns a cursor at shared value `id`, which the reference at `at` names.
    pub(crate) fn shared_cursor(&self, id: SharedId, at: usize) -> Result<Cursor<'a>, DecodeError> {
        let items = &self.frame.shared;
        match items.find(self.data, self.blocks(), id.0)? {
            Some(cursor) => Ok(cursor),
            None => {
                let count = items.count(self.data, self.blocks())?.into();
                Err(ErrorKind::SharedRange { id: id.into(), count }.at(at as u64))
            }
        }
    }
}

impl<'a> References<'a> for DocumentView<'a> {
    #[inline]
    fn is_plain(&self) -> bool {
        self.header().profile == Profile::Plain
    }

    /// Returns only the id: some readers cache the texts of ids.
    #[inline]
    fn string_form(&self, id: u64, at: usize) -> Result<Form<'a>, DecodeError> {
        match StringId::of(id) {
            Some(id) => Ok(Form::StringId(id)),
            None => self.string(id, at).map(Form::String),
        }
    }

    fn text(&self, id: u64, at: usize) -> Result<&'a str, DecodeError> {
        self.string(id, at)
    }

    #[inline]
    fn record_width(&self, id: u64, at: usize) -> Result<u32, DecodeError> {
        self.shape_width(id, at)
    }

    #[cold]
    fn shared_count(&self, bound: SharedId) -> Result<u32, DecodeError> {
        Ok(self.frame.shared.count(self.data, self.blocks())?.min(bound.0))
    }
}

/// A list in a file, with items not yet read.
#[derive(Clone, Copy)]
pub struct ListView<'a> {
    /// The first item, or its position if the list is empty.
    first: ValueView<'a>,
    count: u32,
}

bounded_debug!(ListView<'_>, |list| offset: list.first.position, items: list.count);

impl<'a> ListView<'a> {
    /// Returns the number of items as stated in the list header. It is at most one per remaining
    /// byte.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Returns whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Iterates over the items in order. An error ends the iteration.
    pub fn items(&self) -> Items<'a> {
        Items { next: self.first, unread: 0, left: self.count }
    }

    /// Returns item `index`. Costs a walk over the items before it.
    pub fn get(&self, index: usize) -> Result<Option<ValueView<'a>>, DecodeError> {
        if index >= self.len() {
            return Ok(None);
        }
        let mut cursor = self.first.cursor();
        cursor.skip(index as u64)?;
        Ok(Some(self.first.moved(cursor.position())))
    }

    /// Returns the item that a segment of a JSON pointer names, and its index. The segment is `0`,
    /// or digits without a leading zero.
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
#[derive(Clone)]
pub struct Items<'a> {
    next: ValueView<'a>,
    /// 1 if `next` is the item returned last. That item is skipped only if another one follows.
    unread: u32,
    left: u32,
}

bounded_debug!(Items<'_>, |items| offset: items.next.position, left: items.left);

impl Items<'_> {
    /// Returns the start of the item returned last.
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
