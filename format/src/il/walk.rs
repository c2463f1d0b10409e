//! §13.1 Walking a tree without recursion.

use super::{Field, FieldSpec, Fields, SyntaxNode};
use crate::pointer::Pointer;

/// One event of a [`SyntaxWalk`].
#[derive(Clone, Copy, Debug)]
pub enum WalkEvent<'a> {
    /// A node is entered; its children come next.
    Enter(&'a SyntaxNode),
    /// All children of the node have been left.
    Leave(&'a SyntaxNode),
}

/// A walk over a tree: every node is entered and left once.
///
/// The children of a node come in the order of the list of kinds, whatever order the document has.
/// That is the order of evaluation (a loop's `init` before its `body`). Skips values that are not
/// nodes. The stack is on the heap, with one frame per level.
#[derive(Debug)]
pub struct SyntaxWalk<'a> {
    stack: Vec<Frame<'a>>,
    pointer: Pointer,
    root: Option<&'a SyntaxNode>,
}

#[derive(Debug)]
struct Frame<'a> {
    node: &'a SyntaxNode,
    name: &'a str,
    /// The depth of the pointer at this node.
    depth: usize,
    /// The field being visited, those after it, and the index of its next item.
    field: Option<&'static FieldSpec>,
    later_fields: Fields,
    item: usize,
}

impl<'a> SyntaxWalk<'a> {
    /// A walk over `root` and everything below it.
    pub fn new(root: &'a SyntaxNode) -> SyntaxWalk<'a> {
        SyntaxWalk { stack: Vec::new(), pointer: Pointer::root(), root: Some(root) }
    }

    /// The JSON pointer, from the root of the walk, of the node entered or left last.
    pub fn pointer(&self) -> &Pointer {
        &self.pointer
    }

    /// The name of the innermost node that was entered but not left. It is its key in the map or
    /// object above it, or the key of the list for an item. Empty for the root.
    pub fn name(&self) -> &'a str {
        self.stack.last().map_or("", |frame| frame.name)
    }

    /// Whether the node just entered is the first on its path deeper than `levels` levels (§9.1).
    /// The root of the walk is one level.
    pub(crate) fn passes(&self, levels: usize) -> bool {
        let around = self.stack.iter().rev().nth(1).map_or(0, |frame| frame.depth);
        around < levels && self.pointer.depth() >= levels
    }

    fn enter(&mut self, name: &'a str, node: &'a SyntaxNode) -> WalkEvent<'a> {
        let mut later_fields = node.kind().fields();
        let field = later_fields.next();
        self.stack.push(Frame { node, name, depth: self.pointer.depth(), field, later_fields, item: 0 });
        WalkEvent::Enter(node)
    }
}

impl<'a> Iterator for SyntaxWalk<'a> {
    type Item = WalkEvent<'a>;

    fn next(&mut self) -> Option<WalkEvent<'a>> {
        if let Some(root) = self.root.take() {
            return Some(self.enter("", root));
        }
        // The previous step may have left a child, whose pointer is then still in place.
        let frame = self.stack.last_mut()?;
        self.pointer.truncate(frame.depth);
        match frame.next_child(&mut self.pointer) {
            Some((name, child)) => Some(self.enter(name, child)),
            None => self.stack.pop().map(|frame| WalkEvent::Leave(frame.node)),
        }
    }
}

impl<'a> Frame<'a> {
    /// The next child with its name. Pushes its place onto `pointer`.
    fn next_child(&mut self, pointer: &mut Pointer) -> Option<(&'a str, &'a SyntaxNode)> {
        while let Some(spec) = self.field {
            let item = self.item;
            self.item += 1;
            match self.node.get(spec.key) {
                Some(Field::Node(child)) if item == 0 => {
                    pointer.push_key(spec.key);
                    return Some((spec.key, child));
                }
                Some(Field::List(items)) if item < items.len() => {
                    if let Field::Node(child) = &items[item] {
                        pointer.push_key(spec.key);
                        pointer.push_index(item);
                        return Some((spec.key, child));
                    }
                }
                Some(Field::Map(entries)) if item < entries.len() => {
                    if let (name, Field::Node(child)) = &entries[item] {
                        pointer.push_key(spec.key);
                        pointer.push_key(name);
                        return Some((name, child));
                    }
                }
                _ => {
                    self.field = self.later_fields.next();
                    self.item = 0;
                }
            }
        }
        None
    }
}
