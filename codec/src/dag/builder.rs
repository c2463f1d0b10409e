//! Events in, [`Dag`] out.

use super::{
    CONTAINER, Container, Dag, FALSE, FLOAT, Handle, KeyListIndex, KeyLists, NULL, Numbered, SMALL, STRING,
    StringIndex, Strings, TAG_SHIFT, TRUE, WIDE,
};
use crate::event::{EventSink, SinkError};
use crate::limits;
use coconut_format::Integer;
use foldhash::fast::RandomState;
use hashbrown::{HashMap, HashTable};
use std::hash::BuildHasher;

/// Interns a stream of events into a [`Dag`].
///
/// Costs one hash and one comparison per string value and per container. Keys mostly cost a comparison only: an
/// object is expected to have the keys that the object before it in the same place had. Memory is that of the
/// distinct parts plus the open containers. Duplicate keys, floats that are not finite, strings and nesting
/// beyond the limits are refused.
pub struct Builder {
    strings: Strings,
    key_lists: KeyLists,
    containers: Vec<Container>,
    container_table: HashTable<Numbered>,
    children: Vec<Handle>,
    floats: Vec<u64>,
    float_index: HashMap<u64, u32, RandomState>,
    wide: Vec<Integer>,
    wide_index: HashMap<Integer, u32, RandomState>,
    hasher: RandomState,
    /// Finished values of all open containers.
    values: Vec<Handle>,
    /// Keys of all open objects.
    keys: Vec<StringIndex>,
    frames: Vec<Frame>,
    /// For every key of every known key list, the key list that the object under it had last.
    hints: Vec<Option<KeyListIndex>>,
    depth: u32,
    depth_limit: u32,
}

/// An open container.
struct Frame {
    first_value: usize,
    first_key: usize,
    is_object: bool,
    /// The key list this object has so far, if it goes on as the last one did.
    expected: Option<KeyListIndex>,
    /// The key list of the last object directly inside.
    last_child: Option<KeyListIndex>,
}

impl Default for Builder {
    fn default() -> Self {
        Builder::new()
    }
}

impl Builder {
    /// A builder with the default nesting limit (§9).
    pub fn new() -> Self {
        Builder::with_depth_limit(limits::DEPTH)
    }

    /// A builder that refuses documents of more than `depth_limit` levels.
    pub fn with_depth_limit(depth_limit: u32) -> Self {
        Builder {
            strings: Strings::new(),
            key_lists: KeyLists::new(),
            containers: Vec::new(),
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
        }
    }

    /// The document, once all its events have been received.
    ///
    /// # Panics
    ///
    /// When the stream of events did not hold exactly one whole value; that is the promise of its sender.
    pub fn finish(mut self) -> Dag {
        assert!(self.frames.is_empty() && self.values.len() == 1, "the events of one whole document");
        let root = self.values.pop().expect("one value is there");
        Dag {
            strings: self.strings.finished(),
            key_lists: self.key_lists.finished(),
            containers: self.containers,
            children: self.children,
            floats: self.floats,
            wide: self.wide,
            root,
            depth: self.depth,
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

    /// The key list that an object beginning here probably has.
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
            // Each key was compared as it came, see `key`.
            return Ok(expected);
        }
        let list = self.key_lists.intern(keys)?;
        self.hints.resize(self.key_lists.key_count(), None);
        Ok(list)
    }

    fn intern_container(&mut self, first: usize, keys: Option<KeyListIndex>) -> Result<Handle, SinkError> {
        let Builder { containers, container_table, children, hasher, values, .. } = self;
        let new = &values[first..];
        let hash = hasher.hash_one((keys, new));
        let is_same = |index: u32| {
            let Container { first_child, count, keys: known } = containers[index as usize];
            known == keys && children[first_child..first_child + count as usize] == *new
        };
        if let Some(known) = container_table.find(hash, |known| known.hash == hash && is_same(known.index)) {
            return Ok(Handle::new(CONTAINER, known.index.into()));
        }
        let index = u32::try_from(containers.len())
            .map_err(|_| SinkError::TooMany { what: "distinct containers" })?;
        let count =
            u32::try_from(new.len()).map_err(|_| SinkError::TooMany { what: "items in one container" })?;
        container_table.insert_unique(hash, Numbered { hash, index }, |known| known.hash);
        containers.push(Container { first_child: children.len(), count, keys });
        children.extend_from_slice(new);
        Ok(Handle::new(CONTAINER, index.into()))
    }

    fn push(&mut self, handle: Handle) {
        self.values.push(handle);
    }

    fn check_length(text: &str, limit: usize) -> Result<(), SinkError> {
        if text.len() > limit {
            return Err(SinkError::StringLength { length: text.len(), limit });
        }
        Ok(())
    }
}

impl EventSink for Builder {
    fn null(&mut self) -> Result<(), SinkError> {
        self.push(Handle::new(NULL, 0));
        Ok(())
    }

    fn bool(&mut self, value: bool) -> Result<(), SinkError> {
        self.push(Handle::new(if value { TRUE } else { FALSE }, 0));
        Ok(())
    }

    fn integer(&mut self, value: Integer) -> Result<(), SinkError> {
        let handle = match value.as_u64() {
            Some(n) if n >> TAG_SHIFT == 0 => Handle::new(SMALL, n),
            _ => {
                let next = u32::try_from(self.wide.len());
                let next = next.map_err(|_| SinkError::TooMany { what: "distinct integers" })?;
                let wide = &mut self.wide;
                let index = *self.wide_index.entry(value).or_insert_with(|| {
                    wide.push(value);
                    next
                });
                Handle::new(WIDE, index.into())
            }
        };
        self.push(handle);
        Ok(())
    }

    fn float(&mut self, value: f64) -> Result<(), SinkError> {
        if !value.is_finite() {
            return Err(SinkError::NonFinite);
        }
        let next = u32::try_from(self.floats.len());
        let next = next.map_err(|_| SinkError::TooMany { what: "distinct floats" })?;
        let floats = &mut self.floats;
        let index = *self.float_index.entry(value.to_bits()).or_insert_with(|| {
            floats.push(value.to_bits());
            next
        });
        self.push(Handle::new(FLOAT, index.into()));
        Ok(())
    }

    fn string(&mut self, value: &str) -> Result<(), SinkError> {
        Self::check_length(value, limits::STRING_BYTES)?;
        let index = self.strings.intern(value)?;
        self.push(Handle::new(STRING, index.0.into()));
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
        let frame = self.frames.last_mut().expect("a key stands in an object");
        let position = self.keys.len() - frame.first_key;
        if let Some(expected) = frame.expected {
            if let Some(&next) = self.key_lists.keys(expected).get(position)
                && self.strings.get(next) == key
            {
                self.keys.push(next);
                return Ok(());
            }
            frame.expected = None;
        }
        Self::check_length(key, limits::KEY_BYTES)?;
        let index = self.strings.intern(key)?;
        self.keys.push(index);
        Ok(())
    }

    fn end_object(&mut self) -> Result<(), SinkError> {
        self.end()
    }
}
