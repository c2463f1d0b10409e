//! One landmark of a file (§8.2–§8.6): its key, its value, and its edges.

use super::SearchMeter;
use crate::bounded_debug::bounded_debug;
use crate::limits;
use crate::msgpack::{Cursor, Token};
use crate::read::file::DocumentView;
use crate::read::view::{Content, ValueView};
use crate::wire::directory::Part;
use crate::wire::header::Profile;
use crate::wire::ids::{Ordinal, SharedId};
use coconut_format::error::{DecodeError, ErrorKind};
use coconut_format::landmark::{KeyField, KeyRule};
use std::borrow::Cow;
use std::cmp::Ordering;

const OFFSETS: u8 = Part::LANDMARK_OFFSETS.0;

/// A value in a file that can be looked up by key. `Copy`; does not read the value itself.
#[derive(Clone, Copy)]
pub struct LandmarkView<'a> {
    pub(super) document: DocumentView<'a>,
    pub(super) offset: usize,
    pub(super) ordinal: Ordinal,
}

bounded_debug!(LandmarkView<'_>, |landmark| ordinal: landmark.ordinal.0, offset: landmark.offset);

impl<'a> LandmarkView<'a> {
    /// Returns the document that the landmark belongs to.
    pub fn document(&self) -> DocumentView<'a> {
        self.document
    }

    /// Returns the start of the landmark in the file (§8.2): of its key if it has one, otherwise of
    /// its value.
    pub fn offset(&self) -> u64 {
        self.offset as u64
    }

    /// Returns its position in document order, from 0.
    pub fn ordinal(&self) -> Result<u32, DecodeError> {
        Ok(self.ordinal.0)
    }

    /// Returns the number of its pattern in the header's rule.
    pub fn class(&self) -> Result<u8, DecodeError> {
        match self.document.landmark_tables() {
            Some(tables) => tables.class(self.ordinal, self.document.header().rule()?.patterns().len()),
            None => {
                let classes = &self.document.made_index()?.classes;
                Ok(classes.get(self.ordinal.index()).copied().unwrap_or_default())
            }
        }
    }

    /// Returns the innermost landmark around it.
    pub fn parent(&self) -> Result<Option<LandmarkView<'a>>, DecodeError> {
        match self.document.parent_of(self.ordinal)? {
            Some(parent) => self.document.landmark(parent.0),
            None => Ok(None),
        }
    }

    /// Returns whether it contains another landmark.
    pub fn has_children(&self) -> Result<bool, DecodeError> {
        Ok(self.document.end_of(self.ordinal)? > self.ordinal.next())
    }

    /// Returns the landmarks directly inside it, in document order.
    pub fn children(&self) -> Result<Vec<LandmarkView<'a>>, DecodeError> {
        let end = self.document.end_of(self.ordinal)?;
        let mut children = Vec::new();
        let mut next = self.ordinal.next();
        while next < end {
            children.extend(self.document.landmark(next.0)?);
            next = self.document.end_of(next)?;
        }
        Ok(children)
    }

    /// Returns its value. An entry of an object begins at its key, which is a string or an id. An
    /// object never begins with either, and every landmark with a key from its fields is an object.
    ///
    /// ```
    /// use coconut_codec::{CompileOptions, Document, compile};
    ///
    /// let source = br#"{"vertices":{"web":{"port":80,"tags":["a","b"]},"db":{"port":5432}}}"#;
    /// let file = Document::from_data(compile(source, &CompileOptions::default())?.bytes)?;
    /// assert_eq!(file.require("db")?.value()?.to_json()?, r#"{"port":5432}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn value(&self) -> Result<ValueView<'a>, DecodeError> {
        let root = &self.document.frame.root;
        if !root.range().contains(&self.offset) {
            return Err(ErrorKind::IndexRange { table: Part::LANDMARK_OFFSETS.0 }.at(self.offset as u64));
        }
        let mut cursor = self.document.cursor(self.offset, root.end);
        // Decided by the token, not its first byte: an id in a signed form means the same id
        // (§3.3).
        let position = match cursor.token()? {
            Token::Str(_) | Token::Unsigned(_) => cursor.position(),
            _ => self.offset,
        };
        Ok(ValueView::at(self.document, self.offset, position, root.end, SharedId::NO_BOUND))
    }

    /// Returns its own key, without those of its parents. Costs a walk over the part of the value
    /// before the key. For the keys of all landmarks, use [`DocumentView::keys`].
    pub fn own_key(&self) -> Result<Cow<'a, str>, DecodeError> {
        self.own_key_within(&SearchMeter::of(self.document))
    }

    pub(super) fn own_key_within(&self, meter: &SearchMeter) -> Result<Cow<'a, str>, DecodeError> {
        let patterns = self.document.header().rule()?.patterns();
        if let [pattern] = patterns {
            return self.key_by(pattern.key(), meter);
        }
        match patterns.get(usize::from(self.class()?)) {
            Some(pattern) => self.key_by(pattern.key(), meter),
            // The rule has no patterns, but the tables declare landmarks.
            None => Err(self.has_no_key()),
        }
    }

    fn key_by(&self, rule: &KeyRule, meter: &SearchMeter) -> Result<Cow<'a, str>, DecodeError> {
        let key = self.any_key_by(rule, meter)?;
        meter.find_landmark();
        meter.step_over(key.len());
        meter.check()?;
        Ok(key)
    }

    fn any_key_by(&self, rule: &KeyRule, meter: &SearchMeter) -> Result<Cow<'a, str>, DecodeError> {
        let missing = || self.has_no_key();
        match rule {
            KeyRule::Name => {
                let root = &self.document.frame.root;
                if !root.range().contains(&self.offset) {
                    return Err(missing());
                }
                let key =
                    ValueView::at(self.document, self.offset, self.offset, root.end, SharedId::NO_BOUND);
                match key.content()? {
                    Content::String(text) => Ok(Cow::Borrowed(text)),
                    _ => Err(missing()),
                }
            }
            KeyRule::Field(field) => {
                let of_record = match field.name() {
                    Some(name) => self.field_of_record(name, meter)?,
                    None => None,
                };
                match of_record {
                    Some(RecordText::Inline(cursor, bytes)) => cursor.text(bytes).map(Cow::Borrowed),
                    Some(RecordText::Id(id, at)) => self.document.string(id, at).map(Cow::Borrowed),
                    None => self.field_of_object(field, meter),
                }
            }
            template => {
                let key = crate::read::index::key_of(template, self.value()?, meter.looked_at())?;
                key.map(Cow::Owned).ok_or_else(missing)
            }
        }
    }

    /// Returns the error that the tables point to a place without a keyed landmark. Its offset is
    /// that of the entry in the landmark offsets.
    #[cold]
    pub(super) fn has_no_key(&self) -> DecodeError {
        ErrorKind::IndexDiffers { table: OFFSETS }.at(self.place_of_offset())
    }

    /// Whether `error` is [`has_no_key`](Self::has_no_key).
    #[cold]
    pub(super) fn is_no_key(&self, error: &DecodeError) -> bool {
        matches!(error.kind(), ErrorKind::IndexDiffers { table: OFFSETS })
            && error.offset() == self.place_of_offset()
    }

    /// Returns the place of its entry in the landmark offsets.
    fn place_of_offset(&self) -> u64 {
        let tables = self.document.landmark_tables();
        tables.map_or(self.offset as u64, |tables| tables.place_of_offset(self.ordinal))
    }

    /// Compares its own key with `key`, bytewise.
    fn compare_own_key(&self, key: &str, meter: &SearchMeter) -> Result<Ordering, DecodeError> {
        if let [pattern] = self.document.header().rule()?.patterns()
            && let KeyRule::Field(field) = pattern.key()
            && let Some(name) = field.name()
            && let Some(found) = self.field_of_record(name, meter)?
            && found.bytes(self.document)? == key.as_bytes()
        {
            meter.find_landmark();
            meter.step_over(key.len());
            meter.check()?;
            return Ok(Ordering::Equal);
        }
        Ok(self.own_key_within(meter)?.as_bytes().cmp(key.as_bytes()))
    }

    /// Returns the string under `field` of a list item that is a record. Uses a single cursor,
    /// because lookups spend most of their time here. Returns `None` for other items, or if the
    /// file has several patterns.
    fn field_of_record(
        &self,
        field: &str,
        meter: &SearchMeter,
    ) -> Result<Option<RecordText<'a>>, DecodeError> {
        let document = self.document;
        let root = &document.frame.root;
        let header = document.header();
        let fits = header.rule()?.patterns().len() == 1 && header.profile != Profile::Plain;
        if !fits || !root.range().contains(&self.offset) {
            return Ok(None);
        }
        let mut cursor = document.cursor(self.offset, root.end);
        let Some(count) = cursor.array_count()? else { return Ok(None) };
        let at = cursor.position();
        let shape = match cursor.short_id() {
            Some(shape) => shape.into(),
            None => match cursor.token()? {
                Token::Unsigned(shape) => shape,
                _ => return Ok(None),
            },
        };
        if count.checked_sub(1) != Some(document.shape_width(shape, at)?) {
            return Ok(None);
        }
        let Some(position) = document.key_position(shape, field, at)? else { return Ok(None) };
        // The key is often the first value.
        if position > 0 {
            cursor.skip(position.into())?;
        }
        let at = cursor.position();
        meter.step_over(at.saturating_sub(self.offset));
        if let Some(id) = cursor.short_id() {
            return Ok(Some(RecordText::Id(id.into(), at)));
        }
        match cursor.token()? {
            Token::Str(bytes) => Ok(Some(RecordText::Inline(cursor, bytes))),
            Token::Unsigned(id) => Ok(Some(RecordText::Id(id, at))),
            _ => Ok(None),
        }
    }

    fn field_of_object(&self, field: &KeyField, meter: &SearchMeter) -> Result<Cow<'a, str>, DecodeError> {
        let mut value = self.value()?;
        for step in field.steps() {
            let Content::Object(object) = value.content()? else { return Err(self.has_no_key()) };
            value = object.get_counting(step, meter.looked_at())?.ok_or_else(|| self.has_no_key())?;
        }
        match value.content()? {
            Content::String(text) => Ok(Cow::Borrowed(text)),
            _ => Err(self.has_no_key()),
        }
    }

    /// Returns its full key: own keys from the outside in, with the rule's join between them.
    ///
    /// ```
    /// use coconut_codec::{CompileOptions, Document, compile};
    ///
    /// let source = br#"{"vertices":{"web":{"port":80,"tags":["a","b"]},"db":{"port":5432}}}"#;
    /// let file = Document::from_data(compile(source, &CompileOptions::default())?.bytes)?;
    /// let first = file.view().landmark(0)?.expect("there are two");
    /// assert_eq!(first.key()?, "web");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn key(&self) -> Result<Cow<'a, str>, DecodeError> {
        self.key_within(&SearchMeter::of(self.document))
    }

    /// Like [`key`](Self::key), for the keys of several landmarks: `meter` limits their total cost
    /// (§9).
    #[doc(hidden)]
    pub fn key_within(&self, meter: &SearchMeter) -> Result<Cow<'a, str>, DecodeError> {
        let Some(join) = self.document.header().rule()?.join() else { return self.own_key_within(meter) };
        let mut parts = self.key_parts(meter)?;
        if let [own] = &mut parts[..] {
            return Ok(std::mem::take(own));
        }
        let length = parts.iter().map(|part| part.len() + join.len()).fold(0, usize::saturating_add);
        if length > limits::STRING_BYTES {
            let (length, limit) = (length as u64, limits::STRING_BYTES as u64);
            return Err(ErrorKind::StringLength { length, limit }.at(self.offset as u64));
        }
        Ok(Cow::Owned(parts.join(join)))
    }

    /// Returns the own keys of the landmarks around it and its own, from the outside in.
    fn key_parts(&self, meter: &SearchMeter) -> Result<Vec<Cow<'a, str>>, DecodeError> {
        let mut parts = vec![self.own_key_within(meter)?];
        let mut around = self.parent()?;
        while let Some(parent) = around {
            // A crafted table can declare any number of parents. A document has at most one per
            // level.
            if parts.len() > limits::DEPTH as usize {
                return Err(ErrorKind::IndexRange { table: Part::LANDMARK_TREE.0 }.at(self.offset as u64));
            }
            parts.push(parent.own_key_within(meter)?);
            around = parent.parent()?;
        }
        parts.reverse();
        Ok(parts)
    }

    /// Compares its full key with `key`, bytewise.
    pub(super) fn compare_key(&self, key: &str, meter: &SearchMeter) -> Result<Ordering, DecodeError> {
        match self.document.header().rule()?.join() {
            Some(join) => Ok(compare_joined(&self.key_parts(meter)?, join, key)),
            None => self.compare_own_key(key, meter),
        }
    }
}

/// A string in a record, not yet checked as UTF-8.
enum RecordText<'a> {
    /// Its bytes, and the cursor after it.
    Inline(Cursor<'a>, &'a [u8]),
    /// Its id in the string table, and the offset of that id.
    Id(u64, usize),
}

impl<'a> RecordText<'a> {
    #[inline]
    fn bytes(&self, document: DocumentView<'a>) -> Result<&'a [u8], DecodeError> {
        match *self {
            RecordText::Inline(_, bytes) => Ok(bytes),
            RecordText::Id(id, at) => match document.near_string(id) {
                Some(bytes) => Ok(bytes),
                None => document.string_cursor(id, at)?.str_bytes(),
            },
        }
    }
}

/// Compares `parts`, with `join` between them, with `key`. Allocates nothing.
fn compare_joined(parts: &[Cow<'_, str>], join: &str, key: &str) -> Ordering {
    let mut rest = key.as_bytes();
    for (index, part) in parts.iter().enumerate() {
        let separator = if index > 0 { join } else { "" };
        for piece in [separator.as_bytes(), part.as_bytes()] {
            let (head, tail) = rest.split_at(piece.len().min(rest.len()));
            let ordering = piece.cmp(head);
            if ordering.is_ne() {
                return ordering;
            }
            rest = tail;
        }
    }
    match rest {
        [] => Ordering::Equal,
        _ => Ordering::Less,
    }
}

#[cfg(test)]
mod tests;
