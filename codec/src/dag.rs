//! §4 A document in memory with equal parts stored once.
//!
//! [`Builder`] receives events and interns what it receives: a string, a key list or a subtree that was seen
//! before costs a hash and a comparison, and no memory. What comes out, a [`Dag`], is the input of the writer:
//! sharing in the file is chosen among the sharing found here.

mod builder;
mod intern;
mod node;

pub use builder::Builder;
use intern::Numbered;
pub(crate) use intern::{KeyLists, Strings};
pub(crate) use node::DagNode;

use coconut_format::Integer;
use std::num::NonZeroU32;

/// A value of a [`Dag`]: small values are in the handle, the others are an index into the dag's arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Handle(u64);

/// What a [`Handle`] stands for.
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

/// Index of a distinct list or object. A container's children have smaller indices than the container.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ContainerIndex(pub(crate) u32);

/// Index of a distinct sequence of keys. One more than the index is stored: a [`Container`] takes 16 bytes then, where
/// an `Option` that cannot use the zero makes it 24.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct KeyListIndex(NonZeroU32);

impl KeyListIndex {
    /// `None` when there are more than can be numbered.
    pub(crate) fn at(position: usize) -> Option<KeyListIndex> {
        let number = u32::try_from(position).ok()?.checked_add(1)?;
        NonZeroU32::new(number).map(KeyListIndex)
    }

    pub(crate) fn position(self) -> usize {
        self.0.get() as usize - 1
    }
}

const TAG_SHIFT: u32 = 56;
const PAYLOAD: u64 = (1 << TAG_SHIFT) - 1;
const NULL: u64 = 0;
const FALSE: u64 = 1;
const TRUE: u64 = 2;
/// A non-negative integer below 2^56.
const SMALL: u64 = 3;
/// An index into `wide`, of an integer that needs more.
const WIDE: u64 = 4;
const FLOAT: u64 = 5;
const STRING: u64 = 6;
const CONTAINER: u64 = 7;

impl Handle {
    const fn new(tag: u64, payload: u64) -> Handle {
        Handle(tag << TAG_SHIFT | payload)
    }

    /// The container, when this is one.
    pub(crate) fn container(self) -> Option<ContainerIndex> {
        (self.0 >> TAG_SHIFT == CONTAINER).then(|| ContainerIndex(self.index()))
    }

    /// The string, when this is one.
    pub(crate) fn string(self) -> Option<StringIndex> {
        (self.0 >> TAG_SHIFT == STRING).then(|| StringIndex(self.index()))
    }

    pub(crate) fn is_integer(self) -> bool {
        matches!(self.0 >> TAG_SHIFT, SMALL | WIDE)
    }

    #[expect(clippy::cast_possible_truncation, reason = "payloads of indices are made from u32")]
    fn index(self) -> u32 {
        (self.0 & PAYLOAD) as u32
    }
}

/// A list or object: where its children lie, and its keys.
#[derive(Clone, Copy)]
struct Container {
    first_child: usize,
    count: u32,
    keys: Option<KeyListIndex>,
}

/// A whole document in memory, every distinct string, key list and subtree once.
///
/// Unlike a [`Value`](coconut_format::Value) it cannot be changed, and its memory is that of the *distinct*
/// parts: a provider schema of 758,000 values takes 22,000 containers here.
pub struct Dag {
    pub(crate) strings: Strings,
    pub(crate) key_lists: KeyLists,
    containers: Vec<Container>,
    children: Vec<Handle>,
    floats: Vec<u64>,
    wide: Vec<Integer>,
    root: Handle,
    /// Levels of the deepest value; a scalar root has none.
    depth: u32,
}

impl Dag {
    pub(crate) fn root(&self) -> Handle {
        self.root
    }

    /// Levels of nesting: 0 for a scalar, 1 for a list or object of scalars.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// How many distinct lists and objects there are.
    pub fn container_count(&self) -> usize {
        self.containers.len()
    }

    /// Children of all distinct containers together.
    pub(crate) fn child_count(&self) -> usize {
        self.children.len()
    }

    pub(crate) fn containers(&self) -> impl DoubleEndedIterator<Item = ContainerIndex> + use<> {
        (0..u32::try_from(self.containers.len()).expect("the builder numbers containers in u32"))
            .map(ContainerIndex)
    }

    pub(crate) fn children(&self, index: ContainerIndex) -> &[Handle] {
        let container = &self.containers[index.0 as usize];
        &self.children[container.first_child..container.first_child + container.count as usize]
    }

    /// The key list of an object; `None` for a list.
    pub(crate) fn key_list(&self, index: ContainerIndex) -> Option<KeyListIndex> {
        self.containers[index.0 as usize].keys
    }

    /// The keys of an object, in order; `None` for a list.
    pub(crate) fn keys(&self, index: ContainerIndex) -> Option<&[StringIndex]> {
        self.key_list(index).map(|keys| self.key_lists.keys(keys))
    }

    /// The value under `key` when `index` is an object that has it.
    pub(crate) fn get(&self, index: ContainerIndex, key: &str) -> Option<Handle> {
        let keys = self.keys(index)?;
        let at = keys.iter().position(|&k| self.strings.get(k) == key)?;
        self.children(index).get(at).copied()
    }

    pub(crate) fn text(&self, index: StringIndex) -> &str {
        self.strings.get(index)
    }

    /// The bytes of a text, for those that only copy it: not cut at characters, which takes longer than a copy.
    #[inline]
    pub(crate) fn text_bytes(&self, index: StringIndex) -> &[u8] {
        self.strings.bytes(index)
    }

    /// The first `N` bytes from where a text begins, whether all are of it or not. `None` of some of the last.
    #[inline]
    pub(crate) fn text_window<const N: usize>(&self, index: StringIndex) -> Option<&[u8; N]> {
        self.strings.window(index)
    }

    /// Bytes of all distinct strings together.
    pub(crate) fn text_size(&self) -> usize {
        self.strings.size()
    }

    /// Bytes of a string, which itself is not touched.
    pub(crate) fn text_length(&self, index: StringIndex) -> usize {
        self.strings.range(index).len()
    }

    pub(crate) fn kind(&self, handle: Handle) -> Kind {
        let payload = handle.0 & PAYLOAD;
        match handle.0 >> TAG_SHIFT {
            NULL => Kind::Null,
            FALSE => Kind::Bool(false),
            TRUE => Kind::Bool(true),
            SMALL => Kind::Integer(payload.into()),
            WIDE => Kind::Integer(self.wide[handle.index() as usize]),
            FLOAT => Kind::Float(f64::from_bits(self.floats[handle.index() as usize])),
            STRING => Kind::String(StringIndex(handle.index())),
            _ => Kind::Container(ContainerIndex(handle.index())),
        }
    }
}
