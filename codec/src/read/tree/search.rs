//! Searches a tree (§4) for values that contain a matching text.
//!
//! Each string of the table is compared once, however often it occurs, and each shape once for its
//! keys and constants. Then one pass over the stored nodes marks the containers of matches. A
//! shared value is visited once, so the cost does not depend on the expanded size.

use super::node::{Form, Node};
use super::{Place, Tree, TreeContent, TreeValue};
use crate::read::tables::{ShapeSlot, SlotForm};
use crate::wire::ids::ShapeId;
use crate::wire::value;

/// The texts that a search compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextScope {
    /// Keys of objects.
    pub keys: bool,
    /// Strings that are values.
    pub values: bool,
}

/// The result of [`Tree::search`].
pub struct TextSearch<'t, 'a, F> {
    tree: &'t Tree<'a>,
    scope: TextScope,
    matches: F,
    /// Whether string `id` of the table matches.
    strings: Vec<bool>,
    /// For each shape, whether every record of it has a match, whatever its values.
    shapes: Vec<bool>,
    /// For the header of each container, whether it was visited and whether it has a match.
    passed: Bits,
    holds: Bits,
}

impl<'a> Tree<'a> {
    /// Finds the values with matching texts. Costs a comparison for each stored text, a pass over
    /// the stored nodes, and two bits of memory for each node.
    #[doc(hidden)]
    pub fn search<F: Fn(&str) -> bool>(&self, scope: TextScope, matches: F) -> TextSearch<'_, 'a, F> {
        let strings = (0..self.tables.count_strings()).map(|id| matches(self.tables.string(id))).collect();
        let bits = || Bits::of_length(self.nodes.len());
        let mut search = TextSearch {
            tree: self,
            scope,
            matches,
            strings,
            shapes: Vec::with_capacity(self.tables.shapes().len()),
            passed: bits(),
            holds: bits(),
        };
        for id in (0..).map(ShapeId).take(self.tables.shapes().len()) {
            let holds = self.tables.slot_range(id).any(|slot| search.is_in_slot(&self.tables.slot(slot)));
            search.shapes.push(holds);
        }
        search.pass(self.root);
        search
    }
}

/// A container that is being visited.
struct Open {
    header: usize,
    next: usize,
    end: usize,
    /// Whether its nodes are pairs of key and value.
    has_keys: bool,
    holds: bool,
}

impl<'t, 'a, F: Fn(&str) -> bool> TextSearch<'t, 'a, F> {
    /// Returns whether `value` is a matching text, or has a matching key or text at any depth.
    pub fn holds(&self, value: TreeValue<'t, 'a>) -> bool {
        match value.place {
            Place::Node(node) => self.holds_node(node),
            Place::Nested { shape, first } => self.holds_nested(shape, first),
            Place::Constant { slot } => self.is_constant_match(&self.tree.tables.slot(slot).form),
        }
    }

    /// Returns whether a key or a text matches, in or out of scope.
    pub fn matches(&self, text: &str) -> bool {
        (self.matches)(text)
    }

    /// Returns whether this value itself is a matching text.
    pub fn is_match(&self, value: TreeValue<'t, 'a>) -> bool {
        matches!(value.content(), TreeContent::String(_)) && self.holds(value)
    }

    fn holds_node(&self, node: Node) -> bool {
        match node.form() {
            Form::StringId(id) => self.scope.values && self.strings.get(id).copied().unwrap_or_default(),
            Form::Text(offset) => self.scope.values && (self.matches)(self.tree.text(offset)),
            Form::List(header) | Form::Object(header) | Form::Record(header) => self.holds.has(header),
            Form::Null | Form::Bool(_) | Form::Unsigned(_) | Form::Number(_) => false,
        }
    }

    fn holds_nested(&self, shape: ShapeId, first: usize) -> bool {
        let width = self.tree.tables.shapes()[shape.index()].width as usize;
        self.is_in_shape(shape) || self.tree.run(first, width).iter().any(|&node| self.holds_node(node))
    }

    /// Returns whether every record of this shape has a match.
    fn is_in_shape(&self, shape: ShapeId) -> bool {
        self.shapes.get(shape.index()).copied().unwrap_or_default()
    }

    fn is_in_slot(&self, slot: &ShapeSlot<'_>) -> bool {
        let is_key = || match slot.key_id {
            Some(id) => self.strings.get(id.index()).copied().unwrap_or_default(),
            None => (self.matches)(slot.key),
        };
        self.scope.keys && is_key()
            || match slot.form {
                // A shape nests only shapes before it.
                SlotForm::Nested(inner) => self.is_in_shape(inner),
                ref form => self.is_constant_match(form),
            }
    }

    fn is_constant_match(&self, form: &SlotForm<'_>) -> bool {
        self.scope.values
            && match form {
                SlotForm::Constant(value::Form::StringId(id)) => {
                    self.strings.get(id.index()).copied().unwrap_or_default()
                }
                SlotForm::Constant(value::Form::String(text)) => (self.matches)(text),
                _ => false,
            }
    }

    /// Marks `root` and all containers in it. A container is done when everything in it is done.
    fn pass(&mut self, root: Node) {
        let mut around: Vec<Open> = Vec::new();
        let Some(mut open) = self.open(root) else { return };
        loop {
            if let Some(inner) = self.advance(&mut open) {
                around.push(std::mem::replace(&mut open, inner));
                continue;
            }
            self.passed.set(open.header);
            if open.holds {
                self.holds.set(open.header);
            }
            let Some(mut outer) = around.pop() else { return };
            outer.holds |= open.holds;
            open = outer;
        }
    }

    /// Advances to the next unvisited container, or to the end.
    fn advance(&mut self, open: &mut Open) -> Option<Open> {
        while open.next < open.end {
            if open.has_keys && (open.end - open.next).is_multiple_of(2) {
                open.holds |= self.is_key(self.tree.nodes[open.next]);
                open.next += 1;
                continue;
            }
            let node = self.tree.nodes[open.next];
            open.next += 1;
            match self.open(node) {
                Some(inner) => return Some(inner),
                None => open.holds |= self.holds_node(node),
            }
        }
        None
    }

    fn is_key(&self, node: Node) -> bool {
        self.scope.keys
            && match node.form() {
                Form::StringId(id) => self.strings.get(id).copied().unwrap_or_default(),
                Form::Text(offset) => (self.matches)(self.tree.text(offset)),
                _ => false,
            }
    }

    /// Opens an unvisited container.
    fn open(&self, node: Node) -> Option<Open> {
        let tree = self.tree;
        let (header, width, has_keys, holds) = match node.form() {
            Form::List(header) => (header, tree.nodes[header].count(), false, false),
            Form::Object(header) => (header, 2 * tree.nodes[header].count(), true, false),
            Form::Record(header) => {
                let shape = tree.nodes[header].shape();
                (header, tree.tables.shapes()[shape.index()].width as usize, false, self.is_in_shape(shape))
            }
            _ => return None,
        };
        let next = header + 1;
        (!self.passed.has(header)).then_some(Open { header, next, end: next + width, has_keys, holds })
    }
}

/// A bit for each node.
struct Bits(Vec<u64>);

impl Bits {
    fn of_length(length: usize) -> Bits {
        Bits(vec![0; length.div_ceil(64)])
    }

    fn has(&self, index: usize) -> bool {
        self.0.get(index / 64).is_some_and(|word| word >> (index % 64) & 1 == 1)
    }

    fn set(&mut self, index: usize) {
        if let Some(word) = self.0.get_mut(index / 64) {
            *word |= 1 << (index % 64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Profile;
    use crate::compile::{CompileOptions, compile};
    use crate::read::file::DocumentFile;
    use coconut_format::node::Node as _;

    const ALL: TextScope = TextScope { keys: true, values: true };

    /// Records with constants and nested objects, a shared list, keys in place.
    fn text() -> String {
        let item = |n: usize| {
            format!(
                r#"{{"name":"item {n}","kind":"widget","inner":{{"unit":"metre","size":{n}}},
                    "shared":["one","two",{{"three":"four"}}],"k{n}":[[],{{}},null,"end {n}"]}}"#
            )
        };
        let items: Vec<String> = (0..30).map(item).collect();
        format!(r#"{{"items":[{}],"last":"needle"}}"#, items.join(","))
    }

    /// Returns whether the value contains a match, by visiting all of it.
    fn expected(value: TreeValue<'_, '_>, scope: TextScope, text: &str) -> bool {
        match value.content() {
            TreeContent::String(found) => scope.values && found.contains(text),
            TreeContent::List(list) => list.iter().any(|item| expected(item, scope, text)),
            TreeContent::Object(object) => object
                .iter()
                .any(|(key, value)| scope.keys && key.contains(text) || expected(value, scope, text)),
            _ => false,
        }
    }

    /// Compares the search with that for each value.
    fn agrees<'t, 'a, F: Fn(&str) -> bool>(
        search: &TextSearch<'t, 'a, F>,
        value: TreeValue<'t, 'a>,
        text: &str,
    ) -> usize {
        assert_eq!(search.holds(value), expected(value, search.scope, text), "{text}");
        let inner = match value.content() {
            TreeContent::List(list) => list.iter().collect(),
            TreeContent::Object(object) => object.iter().map(|(_, value)| value).collect(),
            _ => Vec::new(),
        };
        1 + inner.into_iter().map(|value| agrees(search, value, text)).sum::<usize>()
    }

    #[test]
    fn a_value_holds_what_a_walk_over_it_finds() {
        for profile in Profile::ALL {
            let options = CompileOptions { profile, ..CompileOptions::default() };
            let bytes = compile(text().as_bytes(), &options).unwrap().bytes;
            let file = DocumentFile::from_data(&bytes[..]).unwrap();
            let tree = file.view().tree().unwrap();
            for searched in
                ["needle", "item 7", "widget", "kind", "unit", "metre", "four", "three", "k29", "", "no"]
            {
                for (keys, values) in [(true, true), (true, false), (false, true), (false, false)] {
                    let search = tree.search(TextScope { keys, values }, |text| text.contains(searched));
                    let visited = agrees(&search, tree.root(), searched);
                    assert_eq!(visited, 3 + 30 * 16);
                }
            }
        }
    }

    #[test]
    fn a_string_of_the_table_is_compared_once() {
        let text = format!("[{}]", vec![r#"{"a":"the same text"}"#; 1000].join(","));
        let bytes = compile(text.as_bytes(), &CompileOptions::default()).unwrap().bytes;
        let file = DocumentFile::from_data(&bytes[..]).unwrap();
        let tree = file.view().tree().unwrap();
        let compared = std::cell::Cell::new(0);
        let search = tree.search(ALL, |text| {
            compared.set(compared.get() + 1);
            text == "the same text"
        });
        assert!(search.holds(tree.root()));
        assert!(compared.get() < 10, "{} comparisons", compared.get());
        assert_eq!(tree.root().width(), 1000);
    }
}
