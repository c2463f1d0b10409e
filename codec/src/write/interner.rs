//! A document in memory with equal parts stored once (§4).
//!
//! An [`Interner`] receives events and interns strings, key lists and subtrees. A repeated part
//! costs a hash and a comparison, and no memory. The result, an [`Interned`], is the input of the
//! writer. From the sharing found here, the writer chooses the sharing in the file.

mod events;
mod intern;
mod node;

pub use events::Interner;
use intern::Numbered;
pub(crate) use intern::{KeyLists, Strings};
pub(crate) use node::InternedNode;

use crate::bounded_debug::bounded_debug;
use crate::event::SinkError;
use crate::limits;
use coconut_format::Integer;
use std::num::NonZeroU32;

/// A value of an [`Interned`]: either a small value, or an index into the arrays of the document.
///
/// ```text
/// 0nnn…           an integer below 2^31
/// 1000 0000 … k   null, false or true
/// 1001 iiii…      an integer of `wide`
/// 1010 iiii…      a float of `floats`
/// 110i iiii…      a string
/// 111i iiii…      a list or object
/// ```
///
/// Takes four bytes instead of eight: children of containers are most of a document, and most of
/// the hashed bytes. There are more indices than values allowed in a stream
/// ([`STREAM_VALUES`](limits::STREAM_VALUES)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Handle(u32);

/// The value of a [`Handle`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    Null,
    Bool(bool),
    Integer(Integer),
    Float(f64),
    String(StringIndex),
    Container(ContainerIndex),
}

/// Index of a distinct string, in order of first appearance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct StringIndex(pub(crate) u32);

/// Index of a distinct list or object. A container's children have smaller indices than the
/// container.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ContainerIndex(pub(crate) u32);

/// Index of a distinct sequence of keys. Stored plus one, so that an `Option` of it takes no more
/// memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct KeyListIndex(NonZeroU32);

impl KeyListIndex {
    /// `None` if there are more than can be numbered.
    pub(crate) fn at(position: usize) -> Option<KeyListIndex> {
        let number = u32::try_from(position).ok()?.checked_add(1)?;
        NonZeroU32::new(number).map(KeyListIndex)
    }

    pub(crate) fn position(self) -> usize {
        self.0.get() as usize - 1
    }
}

const INTEGER_BITS: u32 = 31;
const NULL: Handle = Handle(0x8000_0000);
const FALSE: Handle = Handle(0x8000_0001);
const TRUE: Handle = Handle(0x8000_0002);
const WIDE: Tag = Tag { bits: 0b1001, width: 4 };
const FLOAT: Tag = Tag { bits: 0b1010, width: 4 };
const STRING: Tag = Tag { bits: 0b110, width: 3 };
const CONTAINER: Tag = Tag { bits: 0b111, width: 3 };

const _: () = assert!(limits::STREAM_VALUES <= 1 << (u32::BITS - WIDE.width));

/// The first bits of all handles of one kind.
#[derive(Clone, Copy)]
struct Tag {
    bits: u32,
    width: u32,
}

impl Tag {
    /// The handle for this index, if there is one.
    #[inline]
    fn at(self, index: u32) -> Option<Handle> {
        let shift = u32::BITS - self.width;
        (index >> shift == 0).then_some(Handle(self.bits << shift | index))
    }

    /// The handle of the next value after `count` of its kind.
    fn next(self, count: usize, what: &'static str) -> Result<Handle, SinkError> {
        let handle = u32::try_from(count).ok().and_then(|index| self.at(index));
        handle.ok_or(SinkError::TooMany { what })
    }

    /// The index of a handle of this kind.
    #[inline]
    fn index(self, handle: Handle) -> Option<u32> {
        let shift = u32::BITS - self.width;
        (handle.0 >> shift == self.bits).then_some(handle.0 & ((1 << shift) - 1))
    }
}

impl Handle {
    /// The handle of an integer, if it fits.
    #[inline]
    fn of_integer(value: Integer) -> Option<Handle> {
        let value = u32::try_from(value.as_u64()?).ok()?;
        (value >> INTEGER_BITS == 0).then_some(Handle(value))
    }

    /// The container, if this is a container.
    pub(crate) fn container(self) -> Option<ContainerIndex> {
        CONTAINER.index(self).map(ContainerIndex)
    }

    /// The string, if this is a string.
    pub(crate) fn string(self) -> Option<StringIndex> {
        STRING.index(self).map(StringIndex)
    }

    pub(crate) fn is_integer(self) -> bool {
        self.0 >> INTEGER_BITS == 0 || WIDE.index(self).is_some()
    }
}

/// A whole document in memory, with each distinct string, key list and subtree stored once.
///
/// Unlike a [`Value`](coconut_format::Value), it cannot be changed. Its memory is that of the
/// *distinct* parts: a provider schema of 758,000 values takes 22,000 containers.
pub struct Interned {
    pub(crate) strings: Strings,
    pub(crate) key_lists: KeyLists,
    /// The children of container `i` are in `children` from bound `i` to bound `i + 1`.
    bounds: Vec<u32>,
    /// The key list of each container; `None` for a list.
    keys: Vec<Option<KeyListIndex>>,
    children: Vec<Handle>,
    floats: Vec<u64>,
    wide: Vec<Integer>,
    root: Handle,
    /// Levels of the deepest value; 0 for a scalar root.
    depth: u32,
    /// Bytes of the source, or 0 if unknown.
    source_bytes: usize,
}

bounded_debug!(Interned, |document| containers: document.container_count(), depth: document.depth());

impl Interned {
    pub(crate) fn root(&self) -> Handle {
        self.root
    }

    /// Levels of nesting: 0 for a scalar, 1 for a list or object of scalars.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// Number of distinct lists and objects.
    pub fn container_count(&self) -> usize {
        self.keys.len()
    }

    /// Number of children of all distinct containers together.
    pub(crate) fn child_count(&self) -> usize {
        self.children.len()
    }

    pub(crate) fn containers(&self) -> impl DoubleEndedIterator<Item = ContainerIndex> + use<> {
        (0..u32::try_from(self.keys.len()).expect("the interner numbers containers in u32"))
            .map(ContainerIndex)
    }

    #[inline]
    pub(crate) fn children(&self, index: ContainerIndex) -> &[Handle] {
        let index = index.0 as usize;
        &self.children[self.bounds[index] as usize..self.bounds[index + 1] as usize]
    }

    /// The key list of an object; `None` for a list.
    pub(crate) fn key_list(&self, index: ContainerIndex) -> Option<KeyListIndex> {
        self.keys[index.0 as usize]
    }

    /// The keys of an object, in order; `None` for a list.
    #[inline]
    pub(crate) fn keys(&self, index: ContainerIndex) -> Option<&[StringIndex]> {
        self.key_list(index).map(|keys| self.key_lists.keys(keys))
    }

    /// The value under `key`, if `index` is an object that has it.
    pub(crate) fn get(&self, index: ContainerIndex, key: &str) -> Option<Handle> {
        let keys = self.keys(index)?;
        let at = keys.iter().position(|&k| self.text_bytes(k) == key.as_bytes())?;
        self.children(index).get(at).copied()
    }

    pub(crate) fn text(&self, index: StringIndex) -> &str {
        self.strings.get(index)
    }

    /// The bytes of a text, for copying. Cutting them at character boundaries would take longer
    /// than the copy.
    #[inline]
    pub(crate) fn text_bytes(&self, index: StringIndex) -> &[u8] {
        self.strings.bytes(index)
    }

    /// See [`Strings::short`].
    #[inline]
    pub(crate) fn short_text<const N: usize>(&self, index: StringIndex) -> Option<(usize, &[u8; N])> {
        self.strings.short(index)
    }

    /// Bytes of all distinct strings together.
    pub(crate) fn text_size(&self) -> usize {
        self.strings.size()
    }

    /// Bytes of the source, or of the distinct parts if that is more: at least a byte for each
    /// value.
    pub(crate) fn size(&self) -> usize {
        self.source_bytes.max(self.text_size().saturating_add(self.child_count()))
    }

    /// Bytes of a string. Does not read the string itself.
    pub(crate) fn text_length(&self, index: StringIndex) -> usize {
        self.strings.range(index).len()
    }

    #[inline]
    pub(crate) fn kind(&self, handle: Handle) -> Kind {
        if let Some(index) = handle.string() {
            Kind::String(index)
        } else if let Some(index) = handle.container() {
            Kind::Container(index)
        } else if handle.0 >> INTEGER_BITS == 0 {
            Kind::Integer(u64::from(handle.0).into())
        } else if let Some(index) = WIDE.index(handle) {
            Kind::Integer(self.wide[index as usize])
        } else if let Some(index) = FLOAT.index(handle) {
            Kind::Float(f64::from_bits(self.floats[index as usize]))
        } else {
            match handle {
                NULL => Kind::Null,
                handle => Kind::Bool(handle == TRUE),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::EventSink;

    #[test]
    fn a_handle_denotes_the_value_that_was_sent() {
        let integers = [0u64, 1, (1 << 31) - 1, 1 << 31, u64::from(u32::MAX), 1 << 56, u64::MAX];
        let integers = integers.map(Integer::from).into_iter().chain([-1i64, i64::MIN].map(Integer::from));
        let mut kinds = vec![Kind::Null, Kind::Bool(false), Kind::Bool(true), Kind::Float(0.5)];
        kinds.extend([Kind::String(StringIndex(0)), Kind::String(StringIndex(1))]);
        kinds.extend(integers.map(Kind::Integer));
        let mut interner = Interner::new();
        interner.begin_list().unwrap();
        // A repeated value has the same handle again.
        for kind in kinds.iter().chain(&kinds) {
            match *kind {
                Kind::Null => interner.null(),
                Kind::Bool(value) => interner.bool(value),
                Kind::Integer(value) => interner.integer(value),
                Kind::Float(value) => interner.float(value),
                Kind::String(StringIndex(index)) => interner.string(["a", "b"][index as usize]),
                Kind::Container(_) => unreachable!("the list has no containers"),
            }
            .unwrap();
        }
        interner.end_list().unwrap();
        let document = interner.finish().unwrap();
        let children = document.children(document.root().container().unwrap());
        assert_eq!(children.iter().map(|&child| document.kind(child)).collect::<Vec<_>>(), kinds.repeat(2));
        let (first, second) = children.split_at(kinds.len());
        assert_eq!(first, second);
        let is_integer = |kind: &Kind| matches!(kind, Kind::Integer(_));
        let found: Vec<bool> = first.iter().map(|child| child.is_integer()).collect();
        assert_eq!(found, kinds.iter().map(is_integer).collect::<Vec<_>>());
    }

    #[test]
    fn what_a_tag_cannot_number_is_too_many() {
        for (tag, most) in [(WIDE, 1 << 28), (FLOAT, 1 << 28), (STRING, 1 << 29), (CONTAINER, 1 << 29)] {
            let last = tag.next(most - 1, "things").unwrap();
            assert_eq!(tag.index(last), u32::try_from(most - 1).ok());
            assert_eq!(tag.next(most, "things"), Err(SinkError::TooMany { what: "things" }));
        }
    }
}
