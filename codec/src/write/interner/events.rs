//! Events in, [`Interned`] out.

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
/// Costs one hash and one comparison per string value and per container. Keys mostly cost a
/// comparison only: an object is expected to have the keys of the previous object in the same
/// place. Memory is that of the distinct parts plus the open containers. Refuses duplicate keys,
/// floats that are not finite, and strings and nesting beyond the limits.
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
    /// For every key of every known key list, the key list of the latest object under it.
    hints: Vec<Option<KeyListIndex>>,
    depth: u32,
    depth_limit: u32,
    /// Bytes of the source, or 0 if that is not known.
    source_bytes: usize,
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
            hints: Vec::new(),
            depth: 0,
            depth_limit,
            source_bytes: 0,
        }
    }

    /// Reserves memory for the document of a source text of `bytes` bytes.
    ///
    /// Most texts need less, but memory is used only as far as it is written. A vector that grows
    /// is copied, and leaves holes.
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
    /// # Panics
    ///
    /// If the events were not exactly one whole value, as the sender promises.
    pub fn finish(mut self) -> Interned {
        assert!(self.frames.is_empty() && self.values.len() == 1, "the events of one whole document");
        let root = self.values.pop().expect("one value is there");
        Interned {
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
        }
    }

    fn begin(&mut self, is_object: bool) -> Result<(), SinkError> {
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

    fn end(&mut self) -> Result<(), SinkError> {
        let frame = self.frames.pop().expect("an end follows its begin");
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
        self.values.truncate(frame.first_value);
        self.values.push(handle);
        Ok(())
    }

    fn end_keys(&mut self, frame: &Frame) -> Result<KeyListIndex, SinkError> {
        let keys = &self.keys[frame.first_key..];
        if let Some(expected) = frame.expected
            && self.key_lists.keys(expected).len() == keys.len()
        {
            // Each key was compared when it came, see `key`.
            return Ok(expected);
        }
        let list = self.key_lists.intern(keys)?;
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

    fn push(&mut self, handle: Handle) {
        self.values.push(handle);
    }
}

impl EventSink for Interner {
    fn null(&mut self) -> Result<(), SinkError> {
        self.push(NULL);
        Ok(())
    }

    fn bool(&mut self, value: bool) -> Result<(), SinkError> {
        self.push(if value { TRUE } else { FALSE });
        Ok(())
    }

    fn integer(&mut self, value: Integer) -> Result<(), SinkError> {
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
        self.push(handle);
        Ok(())
    }

    fn float(&mut self, value: f64) -> Result<(), SinkError> {
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
        self.push(handle);
        Ok(())
    }

    fn string(&mut self, value: &str) -> Result<(), SinkError> {
        SinkError::check_string(value)?;
        let index = self.strings.intern(value)?;
        self.push(STRING.at(index.0).ok_or(SinkError::TooMany { what: "distinct strings" })?);
        Ok(())
    }

    fn begin_list(&mut self) -> Result<(), SinkError> {
        self.begin(false)
    }

    fn end_list(&mut self) -> Result<(), SinkError> {
        self.end()
    }

    fn begin_object(&mut self) -> Result<(), SinkError> {
        self.begin(true)
    }

    fn key(&mut self, key: &str) -> Result<(), SinkError> {
        let frame = self.frames.last_mut().expect("a key is in an object");
        let position = self.keys.len() - frame.first_key;
        if let Some(expected) = frame.expected {
            if let Some(&next) = self.key_lists.keys(expected).get(position)
                && self.strings.bytes(next) == key.as_bytes()
            {
                self.keys.push(next);
                return Ok(());
            }
            frame.expected = None;
        }
        SinkError::check_key(key)?;
        let index = self.strings.intern(key)?;
        self.keys.push(index);
        Ok(())
    }

    fn end_object(&mut self) -> Result<(), SinkError> {
        self.end()
    }
}
