//! A whole document in memory (§4), with shared values still shared.
//!
//! A [`Tree`] is the fast way to load everything: one array of 8-byte nodes, strings borrowed from
//! the file, one node per *stored* value. A provider schema that expands to 758,000 values has
//! about ten thousand nodes. Dropping the tree frees only a few buffers.
//!
//! ```
//! use coconut_codec::compile::{CompileOptions, compile};
//! use coconut_codec::read::file::DocumentFile;
//!
//! let source = br#"{"ports":{"http":80},"name":"web"}"#;
//! let file = DocumentFile::from_data(compile(source, &CompileOptions::default())?.bytes)?;
//! let tree = file.view().tree()?;
//! assert_eq!(tree.root().get("name").and_then(|name| name.as_str()), Some("web"));
//! assert!(tree.root().get("ports").is_some_and(|ports| ports.get("https").is_none()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod build;
mod decoded;
mod node;
#[cfg(feature = "tooling")]
mod on_demand;
mod search;
#[cfg(feature = "tooling")]
mod twins;

#[cfg(feature = "tooling")]
#[doc(hidden)]
pub use on_demand::TreeOnDemand;
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub use twins::Twins;

use crate::bounded_debug::bounded_debug;
use crate::bytes::Bytes;
use crate::msgpack::{Cursor, Token};
use crate::read::file::DocumentView;
use crate::read::tables::{SlotForm, TreeTables};
use crate::wire::ids::ShapeId;
use crate::wire::shapes::SlotKind;
use crate::wire::value::{self, ext_integer};
use coconut_format::error::DecodeError;
use coconut_format::node::{Kind, Node as FormatNode};
use coconut_format::{Integer, Value};
use node::{Form, Node};
use std::borrow::Cow;
use std::slice;

pub use decoded::DecodedDocument;
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub use search::{TextScope, TextSearch};

/// A document decoded completely.
///
/// Unlike a [`ValueView`](crate::read::view::ValueView), it has read and checked everything, so its
/// accessors cannot fail. Unlike a [`Value`], it owns no strings and does not expand shared values.
///
/// Memory: 8 bytes per stored value and 8 more per container. The tables take 16 bytes per string,
/// 40 per shape, and 64 per slot of a shape. Reading temporarily takes 8 more per shape and 16 per
/// shared value. While slots are read, they take up to three times their memory.
pub struct Tree<'a> {
    tables: TreeTables<'a>,
    /// The whole file. Checked nodes refer to its strings in place and its wide numbers.
    data: &'a [u8],
    /// Containers are runs of nodes, each preceded by its header.
    nodes: Cow<'a, [Node]>,
    /// The number of nodes that are headers of containers, not values.
    headers: usize,
    /// Nodes before this one belong to shared values.
    first_of_root: usize,
    root: Node,
}

bounded_debug!(Tree<'_>, |tree| stored_nodes: tree.stored_nodes(), strings: tree.tables.count_strings());

impl<'a> DocumentView<'a> {
    /// Reads the whole document (§10.1, level *decode*).
    ///
    /// Costs one pass over the stored bytes. Needs no budget, because shared values stay shared.
    ///
    /// ```
    /// use coconut_codec::{CompileOptions, Document, compile};
    ///
    /// let source = br#"{"vertices":{"web":{"port":80,"tags":["a","b"]},"db":{"port":5432}}}"#;
    /// let file = Document::from_data(compile(source, &CompileOptions::default())?.bytes)?;
    /// let tree = file.view().tree()?;
    /// let db = tree.root().get("vertices").and_then(|all| all.get("db"));
    /// let port = db.and_then(|db| db.get("port"));
    /// assert_eq!(port.map(|port| port.to_value()), Some(5432u64.into()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn tree(&self) -> Result<Tree<'a>, DecodeError> {
        build::build(*self)
    }
}

impl<'a> Tree<'a> {
    /// Returns the root value.
    pub fn root(&self) -> TreeValue<'_, 'a> {
        TreeValue { tree: self, place: Place::Node(self.root) }
    }

    /// Copies the document into owned values and expands shared values. The caller must know that
    /// the result is small enough. Otherwise use [`DocumentView::to_value`], which has a budget.
    pub fn to_value(&self) -> Value {
        self.root().to_value()
    }

    /// Returns the number of stored values: containers, scalars, references and keys in place. A
    /// shared value counts once, even if it is never referenced. Each reference to it also counts.
    pub fn stored_nodes(&self) -> usize {
        self.nodes.len() - self.headers
    }

    /// Returns the size in bytes of the array of nodes, which grows with the number of [stored
    /// values](Self::stored_nodes). It takes at most 16 bytes per stored value.
    pub fn arena_bytes(&self) -> usize {
        let room = match &self.nodes {
            Cow::Owned(nodes) => nodes.capacity(),
            Cow::Borrowed(nodes) => nodes.len(),
        };
        room * size_of::<Node>()
    }
}

/// Most texts are short, and most short ones ASCII, which the standard library checks faster.
const SHORT_TEXT: usize = 128;

/// Returns the bytes of the string with its token at `offset` in `data`.
#[inline]
fn text_at(data: &[u8], offset: usize) -> &[u8] {
    let short = match data.get(offset..) {
        Some([first @ 0xa0..=0xbf, rest @ ..]) => rest.get(..usize::from(first & 0x1f)),
        Some([0xd9, length, rest @ ..]) => rest.get(..usize::from(*length)),
        _ => None,
    };
    short.unwrap_or_else(|| long_text_at(data, offset))
}

#[inline(never)]
fn long_text_at(data: &[u8], offset: usize) -> &[u8] {
    match Cursor::new(Bytes::Whole(data), offset, data.len(), None).token() {
        Ok(Token::Str(bytes)) => bytes,
        _ => unreachable!("a text node was created from a string"),
    }
}

/// A value of a [`Tree`]. `Copy`, and its accessors need no further reading.
#[derive(Clone, Copy)]
pub struct TreeValue<'t, 'a> {
    tree: &'t Tree<'a>,
    place: Place,
}

bounded_debug!(TreeValue<'_, '_>, |value| kind: value.content().kind());

#[derive(Clone, Copy)]
enum Place {
    Node(Node),
    /// An object of this shape. Its values begin at node `first`.
    Nested {
        shape: ShapeId,
        first: usize,
    },
    /// The constant of a slot.
    Constant {
        slot: usize,
    },
}

/// The content of a [`TreeValue`], one level deep.
pub type TreeContent<'t, 'a> = value::Content<'a, TreeList<'t, 'a>, TreeObject<'t, 'a>>;

impl<'t, 'a> TreeValue<'t, 'a> {
    /// Returns the content, one level deep.
    pub fn content(self) -> TreeContent<'t, 'a> {
        let tree = self.tree;
        match self.place {
            Place::Nested { shape, first } => {
                TreeContent::Object(TreeObject { tree, entries: ObjectEntries::Record { shape, first } })
            }
            Place::Constant { slot } => tree.constant(slot),
            Place::Node(node) => match node.form() {
                Form::Null => TreeContent::Null,
                Form::Bool(value) => TreeContent::Bool(value),
                Form::Unsigned(value) => TreeContent::Integer(value.into()),
                Form::Number(offset) => tree.number(offset),
                Form::StringId(id) => TreeContent::String(tree.tables.string(id)),
                Form::Text(offset) => TreeContent::String(tree.text(offset)),
                Form::List(header) => {
                    let count = tree.node(header).count();
                    TreeContent::List(TreeList { tree, nodes: tree.run(header + 1, count) })
                }
                Form::Object(header) => {
                    let nodes = tree.run(header + 1, 2 * tree.node(header).count());
                    TreeContent::Object(TreeObject { tree, entries: ObjectEntries::InPlace(nodes) })
                }
                Form::Record(header) => {
                    let entries =
                        ObjectEntries::Record { shape: tree.node(header).shape(), first: header + 1 };
                    TreeContent::Object(TreeObject { tree, entries })
                }
            },
        }
    }

    /// Returns the value under `key`, if this is an object that has it.
    pub fn get(self, key: &str) -> Option<TreeValue<'t, 'a>> {
        match self.content() {
            TreeContent::Object(object) => object.get(key),
            _ => None,
        }
    }

    /// The number of this value in its document, if it is a container that only one place has.
    /// Costs nothing.
    #[cfg(feature = "tooling")]
    #[doc(hidden)]
    pub fn number_in_root(self) -> Option<usize> {
        let Place::Node(node) = self.place else { return None };
        match node.form() {
            Form::List(header) | Form::Object(header) | Form::Record(header) => {
                header.checked_sub(self.tree.first_of_root)
            }
            _ => None,
        }
    }

    /// The number of this value in its document, if it is a container that several places may
    /// share: below [`Tree::stored_nodes`] plus the number of containers. Costs nothing.
    #[cfg(feature = "tooling")]
    #[doc(hidden)]
    pub fn shared_number(self) -> Option<usize> {
        let Place::Node(node) = self.place else { return None };
        match node.form() {
            Form::List(header) | Form::Object(header) | Form::Record(header) => {
                Some(header).filter(|&header| self.tree.is_stored_once(header))
            }
            _ => None,
        }
    }

    /// Copies this value into owned values, without recursion.
    pub fn to_value(self) -> Value {
        let mut stack: Vec<Partial<'t, 'a>> = Vec::new();
        let mut next = self;
        loop {
            let mut done = match next.content() {
                TreeContent::Null => Value::Null,
                TreeContent::Bool(value) => Value::Bool(value),
                TreeContent::Integer(value) => Value::Integer(value),
                TreeContent::Float(value) => Value::Float(value),
                TreeContent::String(text) => Value::String(text.to_owned()),
                TreeContent::List(list) if list.is_empty() => Value::List(Vec::new()),
                TreeContent::Object(object) if object.is_empty() => Value::Object(Vec::new()),
                TreeContent::List(list) => {
                    stack.push(Partial::List(Vec::with_capacity(list.len()), list, 0));
                    next = list.get(0).expect("it is not empty");
                    continue;
                }
                TreeContent::Object(object) => {
                    let mut entries = object.iter();
                    let (key, value) = entries.next().expect("it is not empty");
                    stack.push(Partial::Object(Vec::with_capacity(object.len()), key, entries));
                    next = value;
                    continue;
                }
            };
            loop {
                match stack.pop() {
                    None => return done,
                    Some(Partial::List(mut items, list, index)) => {
                        items.push(done);
                        match list.get(index + 1) {
                            Some(item) => {
                                stack.push(Partial::List(items, list, index + 1));
                                next = item;
                                break;
                            }
                            None => done = Value::List(items),
                        }
                    }
                    Some(Partial::Object(mut entries, key, mut rest)) => {
                        entries.push((key.to_owned(), done));
                        match rest.next() {
                            Some((key, value)) => {
                                stack.push(Partial::Object(entries, key, rest));
                                next = value;
                                break;
                            }
                            None => done = Value::Object(entries),
                        }
                    }
                }
            }
        }
    }

    /// Returns the text, if this is a string.
    pub fn as_str(self) -> Option<&'a str> {
        match self.content() {
            TreeContent::String(text) => Some(text),
            _ => None,
        }
    }
}

impl<'a> Tree<'a> {
    #[inline]
    fn run(&self, first: usize, count: usize) -> &[Node] {
        &self.nodes[first..first + count]
    }

    #[inline]
    fn node(&self, index: usize) -> Node {
        self.nodes[index]
    }

    /// Whether the container with this header belongs to a shared value.
    fn is_stored_once(&self, header: usize) -> bool {
        header < self.first_of_root
    }

    fn text(&self, offset: usize) -> &'a str {
        let bytes = text_at(self.data, offset);
        let text = match bytes.len() {
            ..SHORT_TEXT => std::str::from_utf8(bytes).ok(),
            _ => simdutf8::basic::from_utf8(bytes).ok(),
        };
        text.expect("it was checked when the tree was read")
    }

    /// Returns the number with its token at `offset`.
    fn number(&self, offset: usize) -> TreeContent<'_, 'a> {
        match Cursor::new(Bytes::Whole(self.data), offset, self.data.len(), None).token() {
            Ok(Token::Unsigned(number)) => TreeContent::Integer(number.into()),
            Ok(Token::Negative(number)) => TreeContent::Integer(number.into()),
            Ok(Token::Float(number)) => TreeContent::Float(number),
            Ok(Token::Ext(code, body)) => {
                let integer = ext_integer(code, body).expect("it was checked when the tree was read");
                TreeContent::Integer(integer)
            }
            _ => unreachable!("a number node was created from a number"),
        }
    }

    fn constant(&self, slot: usize) -> TreeContent<'_, 'a> {
        match self.tables.slot(slot).form {
            SlotForm::Constant(value::Form::StringId(id)) => {
                TreeContent::String(self.tables.string(id.index()))
            }
            SlotForm::Constant(form) => form.scalar().unwrap_or(TreeContent::Null),
            _ => TreeContent::Null,
        }
    }
}

/// A container being copied.
enum Partial<'t, 'a> {
    List(Vec<Value>, TreeList<'t, 'a>, usize),
    Object(Vec<(String, Value)>, &'a str, TreeEntries<'t, 'a>),
}

/// A list of a [`Tree`].
#[derive(Clone, Copy)]
pub struct TreeList<'t, 'a> {
    tree: &'t Tree<'a>,
    nodes: &'t [Node],
}

bounded_debug!(TreeList<'_, '_>, |list| items: list.len());

impl<'t, 'a> TreeList<'t, 'a> {
    /// Returns the number of items.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns item `index`.
    pub fn get(&self, index: usize) -> Option<TreeValue<'t, 'a>> {
        let node = *self.nodes.get(index)?;
        Some(TreeValue { tree: self.tree, place: Place::Node(node) })
    }

    /// Iterates over the items in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = TreeValue<'t, 'a>> + use<'t, 'a> {
        let tree = self.tree;
        self.nodes.iter().map(move |&node| TreeValue { tree, place: Place::Node(node) })
    }
}

/// An object of a [`Tree`].
#[derive(Clone, Copy)]
pub struct TreeObject<'t, 'a> {
    tree: &'t Tree<'a>,
    entries: ObjectEntries<'t>,
}

bounded_debug!(TreeObject<'_, '_>, |object| entries: object.len());

#[derive(Clone, Copy)]
enum ObjectEntries<'t> {
    InPlace(&'t [Node]),
    Record { shape: ShapeId, first: usize },
}

impl<'t, 'a> TreeObject<'t, 'a> {
    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        match self.entries {
            ObjectEntries::InPlace(nodes) => nodes.len() / 2,
            ObjectEntries::Record { shape, .. } => self.tree.tables.slot_range(shape).len(),
        }
    }

    /// Returns whether the object is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the value under `key`. Linear in the number of entries. In a record, does not read
    /// the values before it.
    pub fn get(&self, key: &str) -> Option<TreeValue<'t, 'a>> {
        match self.entries {
            ObjectEntries::InPlace(_) => self.iter().find(|(k, _)| *k == key).map(|(_, value)| value),
            ObjectEntries::Record { shape, first } => {
                let slot = self.tree.tables.find(shape, key)?;
                Some(self.slot_value(slot, first))
            }
        }
    }

    fn slot_value(&self, slot: usize, first: usize) -> TreeValue<'t, 'a> {
        let tree = self.tree;
        let (form, before) = tree.tables.place(slot);
        let at = first + before as usize;
        let place = match form {
            SlotKind::Plain | SlotKind::Integer => Place::Node(tree.node(at)),
            SlotKind::Nested(shape) => Place::Nested { shape, first: at },
            SlotKind::Constant(()) => Place::Constant { slot },
        };
        TreeValue { tree, place }
    }

    /// Iterates over the entries in document order.
    pub fn iter(&self) -> TreeEntries<'t, 'a> {
        let source = match self.entries {
            ObjectEntries::InPlace(nodes) => EntrySource::InPlace(nodes.chunks_exact(2)),
            ObjectEntries::Record { shape, first } => {
                EntrySource::Record { slots: self.tree.tables.slot_range(shape), first }
            }
        };
        TreeEntries { object: *self, source }
    }
}

/// The entries of a [`TreeObject`].
#[derive(Clone)]
pub struct TreeEntries<'t, 'a> {
    object: TreeObject<'t, 'a>,
    source: EntrySource<'t>,
}

bounded_debug!(TreeEntries<'_, '_>, |entries| object: entries.object);

#[derive(Clone)]
enum EntrySource<'t> {
    InPlace(slice::ChunksExact<'t, Node>),
    Record { slots: std::ops::Range<usize>, first: usize },
}

impl<'t, 'a> Iterator for TreeEntries<'t, 'a> {
    type Item = (&'a str, TreeValue<'t, 'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let tree = self.object.tree;
        match &mut self.source {
            EntrySource::InPlace(pairs) => match pairs.next()? {
                &[key, value] => {
                    let key = TreeValue { tree, place: Place::Node(key) }.as_str()?;
                    Some((key, TreeValue { tree, place: Place::Node(value) }))
                }
                _ => None,
            },
            EntrySource::Record { slots, first } => {
                let slot = slots.next()?;
                Some((tree.tables.key(slot), self.object.slot_value(slot, *first)))
            }
        }
    }
}

impl<'t> FormatNode<'t> for TreeValue<'t, 't> {
    fn kind(self) -> Kind {
        match self.place {
            // Does not read texts.
            Place::Node(node) => match node.form() {
                Form::Null => Kind::Null,
                Form::Bool(_) => Kind::Bool,
                Form::Unsigned(_) => Kind::Integer,
                Form::Number(_) => self.content().kind(),
                Form::StringId(_) | Form::Text(_) => Kind::String,
                Form::List(_) => Kind::List,
                Form::Object(_) | Form::Record(_) => Kind::Object,
            },
            Place::Nested { .. } => Kind::Object,
            Place::Constant { .. } => self.content().kind(),
        }
    }

    fn as_bool(self) -> Option<bool> {
        match self.content() {
            TreeContent::Bool(value) => Some(value),
            _ => None,
        }
    }

    fn as_integer(self) -> Option<Integer> {
        match self.content() {
            TreeContent::Integer(value) => Some(value),
            _ => None,
        }
    }

    fn as_float(self) -> Option<f64> {
        match self.content() {
            TreeContent::Float(value) => Some(value),
            _ => None,
        }
    }

    fn as_str(self) -> Option<&'t str> {
        TreeValue::as_str(self)
    }

    fn get(self, key: &str) -> Option<Self> {
        TreeValue::get(self, key)
    }

    fn entries(self) -> impl Iterator<Item = (&'t str, Self)> + 't {
        let object = match self.content() {
            TreeContent::Object(object) => Some(object.iter()),
            _ => None,
        };
        object.into_iter().flatten()
    }

    fn items(self) -> impl Iterator<Item = Self> + 't {
        let list = match self.content() {
            TreeContent::List(list) => Some(list.iter()),
            _ => None,
        };
        list.into_iter().flatten()
    }

    fn width(self) -> usize {
        match self.content() {
            TreeContent::List(list) => list.len(),
            TreeContent::Object(object) => object.len(),
            _ => 0,
        }
    }

    fn stored_once_as(self) -> Option<usize> {
        let Place::Node(node) = self.place else { return None };
        let header = match node.form() {
            Form::List(header) | Form::Object(header) | Form::Record(header) => header,
            _ => return None,
        };
        self.tree.is_stored_once(header).then_some(header)
    }
}
