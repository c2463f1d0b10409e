//! Builds an [`Interned`] from events.

use super::{
    CONTAINER, FALSE, FLOAT, Handle, Interned, KeyListIndex, KeyLists, NULL, Numbered, STRING, StringIndex,
    Strings, TRUE, WIDE,
};
use crate::event::{EventSink, SinkError};
use crate::limits;
use coconut_format::Integer;
use foldhash::fast::RandomState;
use hashbrown::{HashMap, HashTable};
use std::hash::BuildHasher;

/// Interns a stream of events into an [`Interned`].
///
/// Costs one hash and one comparison per string value and per container. Keys usually cost only a
/// comparison: an object is expected to have the keys of the previous object in the same place.
/// Memory holds the distinct parts plus the open containers. Refuses duplicate keys, non-finite
/// floats, and strings and nesting beyond the limits. Also refuses events in the wrong order, and
/// every event after a refused one.
///
/// ```
/// use coconut_codec::event::{EventSink, SinkError};
/// use coconut_codec::write::interner::Interner;
///
/// let mut interner = Interner::new();
/// interner.begin_object()?;
/// let expected = "a key or `end_object`";
/// assert_eq!(interner.null(), Err(SinkError::Order { expected }));
/// assert_eq!(interner.key("a"), Err(SinkError::Failed));
/// assert_eq!(interner.finish().err(), Some(SinkError::Failed));
/// # Ok::<(), SinkError>(())
/// ```
pub struct Interner {
    strings: Strings,
    key_lists: KeyLists,
    container_bounds: Vec<u32>,
    container_keys: Vec<Option<KeyListIndex>>,
    container_table: HashTable<Numbered>,
    children: Vec<Handle>,
    floats: Vec<u64>,
    float_index: HashMap<u64, Handle, RandomState>,
    wide: Vec<Integer>,
    wide_index: HashMap<Integer, Handle, RandomState>,
    hasher: RandomState,
    /// Finished values of all open containers.
    values: Vec<Handle>,
    /// Keys of all open objects.
    keys: Vec<StringIndex>,
    frames: Vec<Frame>,
    /// The events that may come next.
    next: Next,
    /// For every key of every known key list, the key list of the latest object under it.
    hints: Vec<Option<KeyListIndex>>,
    depth: u32,
    depth_limit: u32,
    /// Bytes of the source, or 0 if unknown.
    source_bytes: usize,
    memory_limit: usize,
}

/// The events that may come next. [`Next::Failed`] while an event is received, so that an error is
/// final.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// The root value.
    Root,
    /// An item, or the end of the list.
    Item,
    /// A key, or the end of the object.
    Key,
    /// The value of a key.
    Value,
    /// Nothing: the document is complete.
    Nothing,
    /// Nothing: an event was refused.
    Failed,
}

impl Next {
    #[cold]
    fn refusal(self) -> SinkError {
        let expected = match self {
            Next::Root => "a value",
            Next::Item => "an item or `end_list`",
            Next::Key => "a key or `end_object`",
            Next::Value => "the value of a key",
            Next::Nothing => "no further event",
            Next::Failed => return SinkError::Failed,
        };
        SinkError::Order { expected }
    }
}

/// An open container.
struct Frame {
    first_value: usize,
    first_key: usize,
    is_object: bool,
    /// The key list that this object will have if it continues like the previous one.
    expected: Option<KeyListIndex>,
    /// The key list of the last object directly inside.
    last_child: Option<KeyListIndex>,
}

impl Default for Interner {
    fn default() -> Self {
        Interner::new()
    }
}

impl Interner {
    /// An interner with the default nesting limit (§9).
    pub fn new() -> Self {
        Interner::with_depth_limit(limits::DEPTH)
    }

    /// An interner that refuses documents of more than `depth_limit` levels.
    pub fn with_depth_limit(depth_limit: u32) -> Self {
        Interner {
            strings: Strings::new(),
            key_lists: KeyLists::new(),
            container_bounds: vec![0],
            container_keys: Vec::new(),
            container_table: HashTable::new(),
            children: Vec::new(),
            floats: Vec::new(),
            float_index: HashMap::default(),
            wide: Vec::new(),
            wide_index: HashMap::default(),
            hasher: RandomState::default(),
            values: Vec::new(),
            keys: Vec::new(),
            frames: Vec::new(),
            next: Next::Root,
            hints: Vec::new(),
            depth: 0,
            depth_limit,
            source_bytes: 0,
            memory_limit: usize::MAX,
        }
    }

    /// Refuses documents whose distinct parts take more than about `bytes` bytes of memory, with
    /// [`SinkError::Memory`].
    ///
    /// Nothing is written before the last event, so the whole document is in memory. For rows from
    /// an external source, set a limit. Writing takes about half as much memory in addition, plus
    /// the bytes of the file.
    #[must_use]
    pub fn within(self, bytes: usize) -> Interner {
        Interner { memory_limit: bytes, ..self }
    }

    /// Reserves memory for the document of a source text of `bytes` bytes.
    ///
    /// Most texts need less, but memory is used only where it is written. A growing vector is
    /// copied and leaves holes.
    pub(crate) fn for_text(mut self, bytes: usize) -> Self {
        const MOST: usize = 64 << 20;
        let bytes = bytes.min(MOST);
        self.strings.reserve(bytes);
        self.children.reserve(bytes / 8);
        self.container_bounds.reserve(bytes / 32);
        self.container_keys.reserve(bytes / 32);
        self
    }

    /// Sets the number of bytes that the document is read from. The limit of edges is in proportion
    /// to it (§9.9).
    pub fn read_from(self, bytes: usize) -> Self {
        Interner { source_bytes: bytes, ..self }
    }

    /// The document, once all its events have been received.
    ///
    /// # Errors
    ///
    /// [`SinkError::Failed`] if an event was refused, and [`SinkError::Order`] if the events are
    /// not one complete value.
    pub fn finish(mut self) -> Result<Interned, SinkError> {
        let root = self.values.pop().filter(|_| self.next == Next::Nothing);
        let root = root.ok_or_else(|| self.next.refusal())?;
        Ok(Interned {
            strings: self.strings.finished(),
            key_lists: self.key_lists.finished(),
            bounds: self.container_bounds,
            keys: self.container_keys,
            children: self.children,
            floats: self.floats,
            wide: self.wide,
            root,
            depth: self.depth,
            source_bytes: self.source_bytes,
        })
    }

    /// Accepts a value if one is allowed here, and returns the state after it.
    #[inline]
    fn take_value(&mut self) -> Result<Next, SinkError> {
        let after = match self.next {
            Next::Root => Next::Nothing,
            Next::Item => Next::Item,
            Next::Value => Next::Key,
            Next::Key | Next::Nothing | Next::Failed => return Err(self.refuse()),
        };
        self.next = Next::Failed;
        Ok(after)
    }

    /// Refuses an event, and all events after it.
    #[cold]
    fn refuse(&mut self) -> SinkError {
        let refusal = self.next.refusal();
        self.next = Next::Failed;
        refusal
    }

    fn begin(&mut self, is_object: bool) -> Result<(), SinkError> {
        self.take_value()?;
        let level = u32::try_from(self.frames.len() + 1).unwrap_or(u32::MAX);
        if level > self.depth_limit {
            return Err(SinkError::Depth { limit: self.depth_limit });
        }
        self.depth = self.depth.max(level);
        let expected = if is_object { self.expected_keys() } else { None };
        self.frames.push(Frame {
            first_value: self.values.len(),
            first_key: self.keys.len(),
            is_object,
            expected,
            last_child: None,
        });
        self.next = if is_object { Next::Key } else { Next::Item };
        Ok(())
    }

    /// The likely key list of an object that begins here.
    fn expected_keys(&self) -> Option<KeyListIndex> {
        let parent = self.frames.last()?;
        let known = parent.expected.filter(|_| parent.is_object);
        let position = self.keys.len() - parent.first_key;
        known
            .and_then(|keys| self.hints[self.key_lists.start(keys) + position.checked_sub(1)?])
            .or(parent.last_child)
    }

    fn end(&mut self, open: Next) -> Result<(), SinkError> {
        if self.next != open {
            return Err(self.refuse());
        }
        self.next = Next::Failed;
        let frame = self.frames.pop().expect("a container is open where its end may come");
        let keys = if frame.is_object {
            let keys = self.end_keys(&frame)?;
            self.keys.truncate(frame.first_key);
            if let Some(parent) = self.frames.last_mut() {
                parent.last_child = Some(keys);
                if let (true, Some(list)) = (parent.is_object, parent.expected) {
                    let position = self.keys.len() - parent.first_key - 1;
                    let slot = self.key_lists.start(list) + position;
                    self.hints[slot] = Some(keys);
                }
            }
            Some(keys)
        } else {
            None
        };
        let handle = self.intern_container(frame.first_value, keys)?;
        self.check_memory()?;
        self.values.truncate(frame.first_value);
        self.values.push(handle);
        self.next = match self.frames.last() {
            None => Next::Nothing,
            Some(around) if around.is_object => Next::Key,
            Some(_) => Next::Item,
        };
        Ok(())
    }

    fn end_keys(&mut self, frame: &Frame) -> Result<KeyListIndex, SinkError> {
        let keys = &self.keys[frame.first_key..];
        if let Some(expected) = frame.expected
            && self.key_lists.keys(expected).len() == keys.len()
        {
            // Each key was compared on arrival; see `key`.
            return Ok(expected);
        }
        let list = self.key_lists.intern(keys, &self.strings)?;
        self.hints.resize(self.key_lists.key_count(), None);
        Ok(list)
    }

    fn intern_container(&mut self, first: usize, keys: Option<KeyListIndex>) -> Result<Handle, SinkError> {
        let Interner { container_bounds: bounds, container_keys, container_table, children, .. } = self;
        let new = &self.values[first..];
        let hash = Numbered::short_hash(self.hasher.hash_one((keys, new)));
        let is_same = |index: u32| {
            let index = index as usize;
            container_keys[index] == keys
                && children[bounds[index] as usize..bounds[index + 1] as usize] == *new
        };
        if let Some(known) = Numbered::find(container_table, hash, is_same) {
            return Ok(CONTAINER.at(known).expect("it was numbered before"));
        }
        let handle = CONTAINER.next(container_keys.len(), "distinct containers")?;
        let index = CONTAINER.index(handle).expect("it is one");
        let end = u32::try_from(children.len() + new.len());
        let end = end.map_err(|_| SinkError::TooMany { what: "items in distinct containers" })?;
        Numbered { hash, index }.insert(container_table);
        container_keys.push(keys);
        children.extend_from_slice(new);
        bounds.push(end);
        Ok(handle)
    }

    fn push(&mut self, handle: Handle, after: Next) -> Result<(), SinkError> {
        self.values.push(handle);
        self.check_memory()?;
        self.next = after;
        Ok(())
    }

    /// Refuses documents beyond the memory limit of the caller.
    #[inline]
    fn check_memory(&self) -> Result<(), SinkError> {
        match self.memory_limit {
            usize::MAX => Ok(()),
            limit if self.memory() <= limit => Ok(()),
            limit => Err(SinkError::Memory { limit }),
        }
    }

    /// Approximate memory in bytes, without the spare capacity of vectors and tables.
    #[cold]
    fn memory(&self) -> usize {
        const CONTAINER: usize = size_of::<u32>() + size_of::<Option<KeyListIndex>>() + size_of::<Numbered>();
        const FLOAT: usize = size_of::<u64>() + size_of::<(u64, Handle)>();
        const WIDE: usize = size_of::<Integer>() + size_of::<(Integer, Handle)>();
        let sizes = [
            self.strings.memory(),
            CONTAINER * self.container_keys.len(),
            size_of::<Handle>() * (self.children.len() + self.values.len()),
            size_of::<StringIndex>() * (self.keys.len() + 2 * self.key_lists.key_count()),
            FLOAT * self.floats.len(),
            WIDE * self.wide.len(),
        ];
        sizes.into_iter().fold(0, usize::saturating_add)
    }
}

impl EventSink for Interner {
    fn null(&mut self) -> Result<(), SinkError> {
        let after = self.take_value()?;
        self.push(NULL, after)
    }

    fn bool(&mut self, value: bool) -> Result<(), SinkError> {
        let after = self.take_value()?;
        self.push(if value { TRUE } else { FALSE }, after)
    }

    fn integer(&mut self, value: Integer) -> Result<(), SinkError> {
        let after = self.take_value()?;
        let handle = match Handle::of_integer(value) {
            Some(handle) => handle,
            None => match self.wide_index.get(&value) {
                Some(&known) => known,
                None => {
                    let handle = WIDE.next(self.wide.len(), "distinct integers")?;
                    self.wide.push(value);
                    self.wide_index.insert(value, handle);
                    handle
                }
            },
        };
        self.push(handle, after)
    }

    fn float(&mut self, value: f64) -> Result<(), SinkError> {
        let after = self.take_value()?;
        if !value.is_finite() {
            return Err(SinkError::NonFinite);
        }
        let handle = match self.float_index.get(&value.to_bits()) {
            Some(&known) => known,
            None => {
                let handle = FLOAT.next(self.floats.len(), "distinct floats")?;
                self.floats.push(value.to_bits());
                self.float_index.insert(value.to_bits(), handle);
                handle
            }
        };
        self.push(handle, after)
    }

    fn string(&mut self, value: &str) -> Result<(), SinkError> {
        let after = self.take_value()?;
        SinkError::check_string(value)?;
        let index = self.strings.intern(value)?;
        let handle = STRING.at(index.0).ok_or(SinkError::TooMany { what: "distinct strings" })?;
        self.push(handle, after)
    }

    fn begin_list(&mut self) -> Result<(), SinkError> {
        self.begin(false)
    }

    fn end_list(&mut self) -> Result<(), SinkError> {
        self.end(Next::Item)
    }

    fn begin_object(&mut self) -> Result<(), SinkError> {
        self.begin(true)
    }

    fn key(&mut self, key: &str) -> Result<(), SinkError> {
        if self.next != Next::Key {
            return Err(self.refuse());
        }
        self.next = Next::Failed;
        let frame = self.frames.last_mut().expect("an object is open where a key may come");
        let position = self.keys.len() - frame.first_key;
        if let Some(expected) = frame.expected {
            if let Some(&next) = self.key_lists.keys(expected).get(position)
                && self.strings.bytes(next) == key.as_bytes()
            {
                self.keys.push(next);
                self.next = Next::Value;
                return Ok(());
            }
            frame.expected = None;
        }
        SinkError::check_key(key)?;
        let index = self.strings.intern(key)?;
        self.check_memory()?;
        self.keys.push(index);
        self.next = Next::Value;
        Ok(())
    }

    fn end_object(&mut self) -> Result<(), SinkError> {
        self.end(Next::Key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Event = fn(&mut Interner) -> Result<(), SinkError>;

    const NULL_EVENT: Event = |sink| sink.null();
    const KEY: Event = |sink| sink.key("a");
    const LIST: Event = |sink| sink.begin_list();
    const END_LIST: Event = |sink| sink.end_list();
    const OBJECT: Event = |sink| sink.begin_object();
    const END_OBJECT: Event = |sink| sink.end_object();

    #[test]
    fn refuses_every_wrong_order_and_everything_after_it() {
        let cases: [(&[Event], &[Event], &str); 6] = [
            (&[], &[KEY, END_LIST, END_OBJECT], "a value"),
            (&[LIST], &[KEY, END_OBJECT], "an item or `end_list`"),
            (&[OBJECT], &[NULL_EVENT, LIST, OBJECT, END_LIST], "a key or `end_object`"),
            (&[OBJECT, KEY], &[KEY, END_LIST, END_OBJECT], "the value of a key"),
            (&[OBJECT, KEY, NULL_EVENT], &[NULL_EVENT, END_LIST], "a key or `end_object`"),
            (&[LIST, END_LIST], &[NULL_EVENT, KEY, LIST, OBJECT, END_LIST, END_OBJECT], "no further event"),
        ];
        for (before, wrong, expected) in cases {
            for (number, event) in wrong.iter().enumerate() {
                let mut interner = Interner::new();
                before.iter().for_each(|event| event(&mut interner).unwrap());
                assert_eq!(event(&mut interner), Err(SinkError::Order { expected }), "event {number}");
                for event in [NULL_EVENT, KEY, LIST, END_LIST, OBJECT, END_OBJECT] {
                    assert_eq!(event(&mut interner), Err(SinkError::Failed));
                }
                assert_eq!(interner.finish().err(), Some(SinkError::Failed));
            }
        }
    }

    #[test]
    fn refuses_everything_after_a_duplicate_key() {
        let mut interner = Interner::new();
        let events = [OBJECT, KEY, NULL_EVENT, KEY, NULL_EVENT];
        events.iter().for_each(|event| event(&mut interner).unwrap());
        assert_eq!(
            interner.end_object(),
            Err(SinkError::DuplicateKey { key: "a".into(), first: 0, second: 1 })
        );
        assert_eq!(interner.null(), Err(SinkError::Failed));
        assert_eq!(interner.finish().err(), Some(SinkError::Failed));
    }

    #[test]
    fn an_unfinished_document_is_refused() {
        for (events, expected) in [
            (&[][..], "a value"),
            (&[LIST][..], "an item or `end_list`"),
            (&[OBJECT, KEY][..], "the value of a key"),
        ] {
            let mut interner = Interner::new();
            events.iter().for_each(|event| event(&mut interner).unwrap());
            assert_eq!(interner.finish().err(), Some(SinkError::Order { expected }));
        }
    }
}
