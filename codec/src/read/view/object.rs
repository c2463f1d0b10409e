//! Objects in each of their forms (§4.5, §6.2).

use super::ValueView;
use super::shape::ShapeHeader;
use super::slots::Search;
use crate::bounded_debug::bounded_debug;
use crate::limits;
use crate::msgpack::Cursor;
use crate::read::file::DocumentView;
use crate::wire::ids::ShapeId;
use crate::wire::shapes::read_slot;
use crate::wire::value::{Text, read_key};
use coconut_format::error::DecodeError;
use foldhash::fast::RandomState;
use hashbrown::HashMap;
use std::cell::Cell;

/// An object in a file, with entries not yet read.
///
/// Keys are distinct in a verified file. In a file that was never read whole, a key may occur
/// twice. [`get`](ObjectView::get) then returns the first.
#[derive(Clone, Copy)]
pub struct ObjectView<'a> {
    /// The first value of a record, or the first key.
    pub(super) first: ValueView<'a>,
    pub(super) keys: Keys<'a>,
}

bounded_debug!(ObjectView<'_>, |object| offset: object.first.position, entries: object.len());

#[derive(Clone, Copy)]
pub(super) enum Keys<'a> {
    /// One key precedes each value. Holds the number of entries.
    InPlace(u32),
    /// The keys are in the shape.
    Shape(ShapeHeader<'a>),
}

impl<'a> ObjectView<'a> {
    pub(super) fn entries(first: ValueView<'a>, count: u32) -> Self {
        ObjectView { first, keys: Keys::InPlace(count) }
    }

    pub(super) fn nested(first: ValueView<'a>, shape: ShapeHeader<'a>) -> Self {
        ObjectView { first, keys: Keys::Shape(shape) }
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        match self.keys {
            Keys::InPlace(count) => count as usize,
            Keys::Shape(shape) => shape.slots as usize,
        }
    }

    /// Returns whether the object is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns whether the keys are in a shape.
    pub(crate) fn is_record(&self) -> bool {
        matches!(self.keys, Keys::Shape(_))
    }

    /// Iterates over the entries in document order. An error ends the iteration.
    pub fn iter(&self) -> Entries<'a> {
        let cursor = self.first.cursor();
        let (keys, left) = match self.keys {
            Keys::InPlace(count) => (None, count),
            Keys::Shape(shape) => (Some((shape.cursor, shape.id)), shape.slots),
        };
        Entries { object: self.first, values: cursor, unread: 0, keys, left, long_keys: LongTexts::default() }
    }

    /// Returns the value under `key`. Costs a walk over the entries before it. If the key is
    /// missing, the walk covers everything except the last value.
    ///
    /// If records of one shape are searched often, its keys are kept with the places of their
    /// values. From then on, only the values before the wanted one are stepped over.
    pub fn get(&self, key: &str) -> Result<Option<ValueView<'a>>, DecodeError> {
        match self.search() {
            Some(search) => search.find(self.first, [key]).map(|[found]| found),
            None => self.get_counting(key, &Cell::new(0)),
        }
    }

    /// Like [`get`](Self::get), but adds the visited entries to `looked_at`. Their names and the
    /// skipped values add steps in proportion to the time they take.
    pub(crate) fn get_counting(
        &self,
        key: &str,
        looked_at: &Cell<u64>,
    ) -> Result<Option<ValueView<'a>>, DecodeError> {
        Ok(self.find(key, looked_at)?.map(|(_, value)| value))
    }

    /// Returns the entry `key` with its key borrowed from the file. Costs a walk over the entries
    /// before it.
    pub fn entry(&self, key: &str) -> Result<Option<(&'a str, ValueView<'a>)>, DecodeError> {
        self.find(key, &Cell::new(0))
    }

    /// Returns the kept slots of a record, if its shape is searched often.
    fn search(&self) -> Option<Search<'a>> {
        match self.keys {
            Keys::Shape(shape) => Search::of(self.first.document, shape),
            Keys::InPlace(_) => None,
        }
    }

    /// Returns the values under `keys`, in the order of `keys`.
    ///
    /// Costs one walk over the entries, while [`get`](Self::get) costs one for each key. The walk
    /// ends at the last key found.
    ///
    /// ```
    /// use coconut_codec::{CompileOptions, Document, compile};
    ///
    /// let source = br#"{"vertices":{"web":{"port":80,"tags":["a","b"]},"db":{"port":5432}}}"#;
    /// let file = Document::from_data(compile(source, &CompileOptions::default())?.bytes)?;
    /// let web = file.require("web")?.value()?.as_object()?.expect("it is an object");
    /// let [port, size] = web.get_many(["port", "size"])?;
    /// assert_eq!((port.expect("it exists").as_u64()?, size.is_none()), (Some(80), true));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn get_many<const N: usize>(
        &self,
        keys: [&str; N],
    ) -> Result<[Option<ValueView<'a>>; N], DecodeError> {
        if let Some(search) = self.search() {
            return search.find(self.first, keys);
        }
        let mut found = [None; N];
        let mut left = N;
        for entry in self.iter() {
            let (name, value) = entry?;
            let wanted = found.iter_mut().zip(keys).filter(|(place, key)| place.is_none() && *key == name);
            left -= wanted.map(|(place, _)| *place = Some(value)).count();
            if left == 0 {
                break;
            }
        }
        Ok(found)
    }

    fn find(
        &self,
        key: &str,
        looked_at: &Cell<u64>,
    ) -> Result<Option<(&'a str, ValueView<'a>)>, DecodeError> {
        let mut entries = self.iter();
        let start = entries.reached();
        let mut found = None;
        let mut sought = SoughtKey::new(key);
        let mut count = 0u64;
        while let Some(left) = entries.left.checked_sub(1) {
            entries.left = left;
            let (name, value) = entries.read()?;
            count += 1;
            if let Some(name) = sought.compare(name, self.first.document)? {
                found = Some((name, value));
                break;
            }
        }
        let bytes = sought.compared.saturating_add(entries.reached().saturating_sub(start) as u64);
        looked_at.set(looked_at.get().saturating_add(count + bytes / limits::BYTES_PER_STEP));
        Ok(found)
    }
}

/// Minimum length in bytes of the string-table texts that are cached. Any number of keys and values
/// can be the same text, which may be as long as the file. Reading a shorter text takes no longer
/// than caching it.
pub(crate) const LONG_TEXT: usize = 256;

/// One type for both caches here, so that a program contains its code once.
type TextsById<'a> = HashMap<u64, &'a str, RandomState>;

/// Cache of long texts by id, allocated with the first one.
#[derive(Clone, Default)]
pub(crate) struct LongTexts<'a> {
    /// Few objects have one, and a walk moves entries at every level.
    known: Option<Box<TextsById<'a>>>,
}

impl<'a> LongTexts<'a> {
    pub(crate) fn resolve(
        &mut self,
        text: Text<'a>,
        document: DocumentView<'a>,
    ) -> Result<&'a str, DecodeError> {
        let (id, at) = match text {
            Text::Inline(text) => return Ok(text),
            Text::Id(id, at) => (id, at),
        };
        if let Some(&text) = self.known.as_ref().and_then(|known| known.get(&id)) {
            return Ok(text);
        }
        let text = document.string(id, at)?;
        if text.len() >= LONG_TEXT {
            self.known.get_or_insert_default().insert(id, text);
        }
        Ok(text)
    }

    /// Returns the number of cached texts.
    #[cfg(test)]
    pub(crate) fn known(&self) -> Vec<(u64, &'a str)> {
        self.known.iter().flat_map(|known| known.iter().map(|(&id, &text)| (id, text))).collect()
    }
}

/// A requested key. Each long text is read and compared once.
pub(super) struct SoughtKey<'k> {
    key: &'k str,
    /// The ids of long texts that are other keys, without the texts. Allocated with the first one.
    others: Option<TextsById<'static>>,
    /// Total bytes of all texts read so far.
    compared: u64,
}

impl<'k> SoughtKey<'k> {
    pub(super) fn new(key: &'k str) -> SoughtKey<'k> {
        SoughtKey { key, others: None, compared: 0 }
    }

    /// Returns the key borrowed from the file, if `text` equals it.
    pub(super) fn compare<'a>(
        &mut self,
        text: Text<'a>,
        document: DocumentView<'a>,
    ) -> Result<Option<&'a str>, DecodeError> {
        let (name, id) = match text {
            Text::Inline(name) => (name, None),
            Text::Id(id, _) if self.others.as_ref().is_some_and(|others| others.contains_key(&id)) => {
                return Ok(None);
            }
            Text::Id(id, at) => (document.string(id, at)?, Some(id)),
        };
        self.compared = self.compared.saturating_add(name.len() as u64);
        if name == self.key {
            return Ok(Some(name));
        }
        if let Some(id) = id.filter(|_| name.len() >= LONG_TEXT) {
            self.others.get_or_insert_default().insert(id, "");
        }
        Ok(None)
    }
}

/// The entries of an [`ObjectView`].
#[derive(Clone)]
pub struct Entries<'a> {
    object: ValueView<'a>,
    values: Cursor<'a>,
    /// Values of the previous entry that are not yet skipped. They are skipped only if another
    /// entry follows, because the last entry is often nearly the whole document.
    unread: u32,
    /// Cursor over the slots of the shape, and the id of the shape.
    keys: Option<(Cursor<'a>, ShapeId)>,
    left: u32,
    /// Long texts that occurred as keys.
    long_keys: LongTexts<'a>,
}

bounded_debug!(Entries<'_>, |entries| offset: entries.values.position(), left: entries.left);

impl<'a> Entries<'a> {
    /// Returns the end of the values read so far.
    pub(crate) fn reached(&self) -> usize {
        self.values.position()
    }

    /// Reads the next entry. Its key may be an unread string of the table.
    fn read(&mut self) -> Result<(Text<'a>, ValueView<'a>), DecodeError> {
        self.values.skip(std::mem::take(&mut self.unread).into())?;
        let entry = self.values.position();
        let Some((slots, shape)) = &mut self.keys else {
            let key = read_key(&mut self.values, &self.object.document)?;
            let value = ValueView { entry, ..self.object.moved(self.values.position()) };
            self.unread = 1;
            return Ok((key, value));
        };
        let slot = read_slot(slots, *shape)?;
        let value = self.object.in_slot(entry, slot.kind, slots.end());
        self.unread = self.object.document.slot_width(slot.kind, entry)?;
        Ok((slot.key, value))
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = Result<(&'a str, ValueView<'a>), DecodeError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let document = self.object.document;
        let entry = self.read().and_then(|(key, value)| Ok((self.long_keys.resolve(key, document)?, value)));
        if entry.is_err() {
            self.left = 0;
        }
        Some(entry)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.left as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Content;
    use super::LONG_TEXT;
    use crate::crafted::Crafted;
    use crate::wire::header::Profile;

    #[test]
    fn entries_cache_long_key_texts_and_no_short_ones() {
        let [short, long] = [LONG_TEXT - 1, LONG_TEXT].map(|length| "k".repeat(length));
        // Each text is the key of two entries.
        let mut crafted = Crafted::of(Profile::Full, b"\x99\xc2\x00\xc0\x01\xc0\x00\xc0\x01\xc0");
        let texts = [b"\x92\xd9\xff", short.as_bytes(), b"\xda\x01\x00", long.as_bytes()];
        crafted.strings = texts.concat();
        let file = crafted.file();
        let Ok(Content::Object(object)) = file.view().root().content() else { panic!("an object") };
        let mut entries = object.iter();
        let keys: Vec<&str> = entries.by_ref().map(|entry| entry.unwrap().0).collect();
        assert_eq!(keys, [&short, &long, &short, &long]);
        assert_eq!(entries.long_keys.known(), [(1, long.as_str())]);
    }
}
