//! A node of a package's tree in a file (§13.1).

use super::children::Children;
use crate::bounded_debug::bounded_debug;
use crate::read::view::{Content, ValueView};
use coconut_format::error::DecodeError;
use coconut_format::il::SyntaxKind;
use coconut_format::location::Position;

/// A node of the tree. Its kind is known, but its fields are not read yet. `Copy`.
///
/// Unlike a [`SyntaxNode`](coconut_format::il::SyntaxNode), it owns nothing and caches nothing:
/// each call reads the keys of the node again. Explicit nulls count as absent, as in every dialect.
/// The paths in its errors start at the node.
#[derive(Clone, Copy)]
pub struct IlView<'a> {
    value: ValueView<'a>,
    kind: SyntaxKind,
}

bounded_debug!(IlView<'_>, |node| kind: node.kind, offset: node.value.offset());

/// The location of a node in the source of a package.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct LocationView<'a> {
    /// The source file, as named by the compiler.
    pub file: Option<&'a str>,
    /// The position of the first character.
    pub start: Position,
    /// The position after the last character.
    pub end: Option<Position>,
}

bounded_debug!(LocationView<'_>, |location| start: location.start, end: location.end);

impl<'a> IlView<'a> {
    /// Returns the value as a node, if it is an object with a `kind` from the list of kinds
    /// (§13.4).
    pub fn of(value: ValueView<'a>) -> Result<Option<IlView<'a>>, DecodeError> {
        let tag = match value.field("kind")? {
            Some(tag) => tag.text().map_err(|error| error.below("/kind"))?,
            None => None,
        };
        Ok(tag.and_then(SyntaxKind::from_tag).map(|kind| IlView { value, kind }))
    }

    /// Returns an object as a node of `kind`, which follows from its place.
    pub(super) fn record(value: ValueView<'a>, kind: SyntaxKind) -> IlView<'a> {
        IlView { value, kind }
    }

    /// Returns the kind.
    pub fn kind(self) -> SyntaxKind {
        self.kind
    }

    /// Returns the offset of the node in the file.
    pub fn offset(self) -> u64 {
        self.value.offset()
    }

    /// Returns the object itself, for fields in document order and for fields without an accessor.
    pub fn view(self) -> ValueView<'a> {
        self.value
    }

    /// Iterates over all nodes directly below this one, in the order of evaluation. Fields come in
    /// the order of the list of kinds. The items and entries of a field come in document order.
    pub fn children(self) -> Children<'a> {
        Children::of(self)
    }

    /// Returns the value under `key`.
    pub fn value(self, key: &str) -> Result<Option<ValueView<'a>>, DecodeError> {
        let Some(value) = self.value.field(key)? else { return Ok(None) };
        match value.content().map_err(|error| error.below(&pointer_to(key)))? {
            Content::Null => Ok(None),
            _ => Ok(Some(value)),
        }
    }

    /// Returns the node under `key`.
    pub fn node(self, key: &str) -> Result<Option<IlView<'a>>, DecodeError> {
        match self.value(key)? {
            Some(value) => IlView::of(value).map_err(|error| error.below(&pointer_to(key))),
            None => Ok(None),
        }
    }

    /// Iterates over the nodes in the list under `key`, in order.
    pub fn nodes(
        self,
        key: &str,
    ) -> Result<impl Iterator<Item = Result<IlView<'a>, DecodeError>> + use<'a>, DecodeError> {
        let list = match self.value(key)?.map(|value| value.content()).transpose()? {
            Some(Content::List(list)) => Some(list.items()),
            _ => None,
        };
        let items = list.into_iter().flatten();
        Ok(items.filter_map(|item| item.and_then(IlView::of).transpose()))
    }

    /// Iterates over the nodes in the map under `key` with their names, in order: the members of a
    /// module or class.
    pub fn entries(
        self,
        key: &str,
    ) -> Result<impl Iterator<Item = Result<(&'a str, IlView<'a>), DecodeError>> + use<'a>, DecodeError> {
        let object = match self.value(key)?.map(|value| value.content()).transpose()? {
            Some(Content::Object(object)) => Some(object.iter()),
            _ => None,
        };
        let entries = object.into_iter().flatten();
        Ok(entries.filter_map(|entry| {
            let named = entry.and_then(|(name, value)| Ok(IlView::of(value)?.map(|node| (name, node))));
            named.transpose()
        }))
    }

    /// Returns the string under `key`.
    pub fn text(self, key: &str) -> Result<Option<&'a str>, DecodeError> {
        match self.value(key)? {
            Some(value) => value.text().map_err(|error| error.below(&pointer_to(key))),
            None => Ok(None),
        }
    }

    /// Returns whether the value under `key` is `true`. Every flag of the format is `false` if
    /// absent.
    pub fn flag(self, key: &str) -> Result<bool, DecodeError> {
        let content = self.value(key)?.map(|value| value.content()).transpose()?;
        Ok(matches!(content, Some(Content::Bool(true))))
    }

    /// Returns the text of the token or identifier under `key`, in each form of the dialects: a
    /// node, an object with `tok`, or a string.
    pub fn token(self, key: &str) -> Result<Option<&'a str>, DecodeError> {
        let Some(value) = self.value(key)? else { return Ok(None) };
        let object = match value.content()? {
            Content::String(text) => return Ok(Some(text)),
            Content::Object(object) => object,
            _ => return Ok(None),
        };
        for part in ["tok", "ident"] {
            if let Some(text) = object.get(part)? {
                return text.text();
            }
        }
        Ok(None)
    }

    /// Returns the location in the source, if it is given in the regular form.
    pub fn location(self) -> Result<Option<LocationView<'a>>, DecodeError> {
        let Some(location) = self.value("loc")? else { return Ok(None) };
        let Some(start) = position(location.field("start")?)? else { return Ok(None) };
        let file = match location.field("file")? {
            Some(file) => file.text()?,
            None => None,
        };
        Ok(Some(LocationView { file, start, end: position(location.field("end")?)? }))
    }
}

fn position(value: Option<ValueView<'_>>) -> Result<Option<Position>, DecodeError> {
    let Some(value) = value else { return Ok(None) };
    let mut numbers = [None, None];
    for (number, key) in numbers.iter_mut().zip(["line", "column"]) {
        if let Some(Content::Integer(found)) = value.field(key)?.map(|field| field.content()).transpose()? {
            *number = found.as_u64().and_then(|found| u32::try_from(found).ok());
        }
    }
    match numbers {
        [Some(line), Some(column)] => Ok(Some(Position { line, column })),
        _ => Ok(None),
    }
}

/// Returns the pointer to the field `key`, which the list of kinds or a caller names.
pub(super) fn pointer_to(key: &str) -> String {
    let mut pointer = coconut_format::pointer::Pointer::root();
    pointer.push_key(key);
    (&pointer).into()
}
