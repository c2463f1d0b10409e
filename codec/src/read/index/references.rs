//! Finds the references between landmarks by walking a document (§8.6). Needed if its index lacks
//! edges, or to verify them.

use crate::index::{Index, Reference, Target};
use crate::limits;
use crate::read::file::DocumentView;
use crate::read::view::Same;
use crate::read::view::node::WatchedView;
use crate::wire::ids::Ordinal;
use coconut_format::error::{DecodeError, ErrorKind};
use coconut_format::landmark::{LandmarkRule, State, Visited, Walk};
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// The part of an index to build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Keys, classes and places, to list landmarks and look them up.
    Landmarks,
    /// Also the edges, which may require visiting most values: all edges, or stopping after more
    /// than `most_edges`.
    WithEdges { most_edges: usize },
}

impl Index {
    /// Builds the index of a compiled document from its values alone.
    ///
    /// Walks a shared value once for each state in which it occurs, because equal findings count
    /// once. Refuses the document if more than `most` visits are needed.
    pub(crate) fn of_document(
        document: DocumentView<'_>,
        extent: Extent,
        most: u64,
    ) -> Result<Index, DecodeError> {
        let rule = document.header().rule()?;
        let mut index = Index::landmarks_of(document, most)?;
        let most_edges = match extent {
            Extent::WithEdges { most_edges } if !rule.edges().is_empty() => most_edges,
            _ => return Ok(index),
        };
        let references = references_of(document, rule, &index, most, most_edges)?;
        let limit = limits::max_edges(document.data.len());
        index.add_edges(&references, limit, most_edges).map_err(|too_much| too_much.at(document))?;
        Ok(index)
    }
}

/// Targets of references, each with the number of its pattern.
type Ends = Vec<(Target, u8)>;

/// Returns the references between the landmarks of `index`, sorted and distinct. If there are too
/// many, the result may be partial, with more than `most_edges` references.
///
/// A shared value is walked once for each state in which it occurs. It refers to the same targets
/// for each landmark around it. Without a landmark around it, it refers to nothing. Drops dangling
/// references. `looked_at` counts values and references, with a limit of `most` in total.
fn references_of(
    document: DocumentView<'_>,
    rule: &LandmarkRule,
    index: &Index,
    most: u64,
    most_edges: usize,
) -> Result<Vec<Reference>, DecodeError> {
    let (fault, looked_at) = (Cell::new(None), Cell::new(0));
    let root = WatchedView::new(document.root(), &fault).counting(&looked_at);
    let shared = RefCell::new(Shared::default());
    let gate = |node: WatchedView<'_>, state, owner: Option<u32>| {
        let Some(same) = root.watch(node.view.same_everywhere()) else { return false };
        match (same, owner) {
            (None, _) => true,
            (Some(same), Some(owner)) => shared.borrow_mut().enter((same, state), Ordinal(owner)),
            // No edge begins there, and a shared value contains no landmark.
            (Some(_), None) => false,
        }
    };
    let mut edges = Distinct::default();
    // At most one entry is stored per byte of the file.
    let mut room = document.data.len();
    for visited in Walk::new(rule, root).entering(gate) {
        let shared = &mut *shared.borrow_mut();
        shared.leave(visited.depth, &mut edges, &mut room);
        refuse_much(document, &visited, &looked_at, most)?;
        for (number, edge) in visited.edges.iter().enumerate() {
            // The first is covered by the cost of the visit, but a string can contain very many.
            if number > 0 {
                looked_at.set(looked_at.get().saturating_add(1));
                refuse_much(document, &visited, &looked_at, most)?;
            }
            let Some(reference) = index.reference(Ordinal(edge.source), &edge, rule) else { continue };
            looked_at.set(looked_at.get().saturating_add(1));
            match shared.open.last_mut() {
                Some(open) => open.ends.push((reference.to, reference.kind)),
                None => edges.push(reference),
            }
        }
        match shared.entered.take() {
            Some(Entered::First { key, owner }) => {
                shared.open.push(Open { key, owner, depth: visited.depth, ends: Distinct::default() });
            }
            Some(Entered::Again { key, owner, ended }) => {
                let ends = ended.or_else(|| shared.known.get(&key).cloned()).unwrap_or_default();
                looked_at.set(looked_at.get().saturating_add(ends.len() as u64));
                shared.add(&ends, owner, &mut edges);
            }
            None => {}
        }
        if edges.least > most_edges {
            break;
        }
    }
    shared.borrow_mut().leave(0, &mut edges, &mut room);
    let edges = edges.into_sorted();
    match fault.take() {
        Some(error) => Err(error),
        None => Ok(edges),
    }
}

fn refuse_much(
    document: DocumentView<'_>,
    visited: &Visited<'_, WatchedView<'_>>,
    looked_at: &Cell<u64>,
    most: u64,
) -> Result<(), DecodeError> {
    if looked_at.get() > most {
        return Err(ErrorKind::Work { limit: most }.at(document.root().offset()));
    }
    if visited.depth >= limits::DEPTH as usize && visited.node.view.kind()?.is_container() {
        return Err(ErrorKind::Depth { limit: limits::DEPTH.into() }.at(visited.node.view.offset()));
    }
    Ok(())
}

/// A shared value, and the state in which it occurs.
type Key = (Same, State);

/// The references found in shared values.
#[derive(Default)]
struct Shared {
    /// The last value passed to the gate, until that value is visited.
    entered: Option<Entered>,
    /// The values being walked or already known.
    begun: HashSet<Key>,
    open: Vec<Open>,
    known: HashMap<Key, Rc<Ends>>,
}

enum Entered {
    First {
        key: Key,
        owner: Ordinal,
    },
    Again {
        key: Key,
        owner: Ordinal,
        /// Its targets, if it ended after the gate was called and they are not in `known`.
        ended: Option<Rc<Ends>>,
    },
}

/// A shared value being walked.
struct Open {
    key: Key,
    owner: Ordinal,
    depth: usize,
    ends: Distinct<(Target, u8)>,
}

impl Shared {
    /// Returns whether the value must be walked.
    fn enter(&mut self, key: Key, owner: Ordinal) -> bool {
        let is_first = self.begun.insert(key);
        self.entered = Some(match is_first {
            true => Entered::First { key, owner },
            false => Entered::Again { key, owner, ended: None },
        });
        is_first
    }

    /// Ends the values that do not contain one at `depth`.
    fn leave(&mut self, depth: usize, edges: &mut Distinct<Reference>, room: &mut usize) {
        while let Some(Open { key, owner, ends, .. }) = self.open.pop_if(|open| open.depth >= depth) {
            let ends = Rc::new(ends.into_sorted());
            self.add(&ends, owner, edges);
            match room.checked_sub(ends.len()) {
                Some(left) => {
                    *room = left;
                    self.known.insert(key, ends);
                }
                // The value is walked again if it occurs again, unless the gate was already called
                // for it.
                None => {
                    self.begun.remove(&key);
                    if let Some(Entered::Again { key: same, ended, .. }) = &mut self.entered
                        && *same == key
                    {
                        *ended = Some(ends);
                    }
                }
            }
        }
    }

    /// Adds the targets of a shared value to the value or landmark around it.
    fn add(&mut self, ends: &[(Target, u8)], from: Ordinal, edges: &mut Distinct<Reference>) {
        match self.open.last_mut() {
            Some(open) => ends.iter().for_each(|&end| open.ends.push(end)),
            None => ends.iter().for_each(|&(to, kind)| edges.push(Reference { from, to, kind })),
        }
    }
}

/// A set of distinct items, in memory for twice that many.
struct Distinct<T> {
    items: Vec<T>,
    /// The minimum number of distinct items.
    least: usize,
}

impl<T> Default for Distinct<T> {
    fn default() -> Self {
        Distinct { items: Vec::new(), least: 0 }
    }
}

impl<T: Ord> Distinct<T> {
    const FEW: usize = 1 << 16;

    fn push(&mut self, item: T) {
        if self.items.len() >= Self::FEW.max(2 * self.least) {
            self.items.sort_unstable();
            self.items.dedup();
            self.least = self.items.len();
        }
        self.items.push(item);
    }

    fn into_sorted(mut self) -> Vec<T> {
        self.items.sort_unstable();
        self.items.dedup();
        self.items
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::{CompileOptions, LandmarkChoice, compile};
    use crate::read::file::DocumentFile;

    const FEW: usize = 65_536;

    #[test]
    fn duplicates_are_dropped_whenever_the_items_double() {
        let mut same = Distinct::default();
        (0..FEW).for_each(|_| same.push(7));
        assert_eq!((same.items.len(), same.least), (FEW, 0));
        same.push(7);
        assert_eq!((same.items.len(), same.least), (2, 1));
        assert_eq!(same.into_sorted(), [7]);

        let mut distinct = Distinct::default();
        (0..2 * FEW).rev().for_each(|n| distinct.push(n));
        assert_eq!((distinct.items.len(), distinct.least), (2 * FEW, FEW));
        distinct.push(0);
        assert_eq!((distinct.items.len(), distinct.least), (2 * FEW + 1, 2 * FEW));
        assert_eq!(distinct.into_sorted(), (0..2 * FEW).collect::<Vec<_>>());
    }

    #[test]
    fn no_more_edges_are_made_beyond_the_limit() {
        // Each of 300 landmarks refers to all of them, and to one of 300 others.
        let item = |n| format!(r#"{{"id": "x", "needs": ["x", "y{n}"]}}, {{"id": "y{n}"}}"#);
        let items: Vec<String> = (0..300).map(item).collect();
        let text = format!(r#"{{"items": [{}]}}"#, items.join(","));
        let rule = LandmarkRule::parse(&["/items/*[id]"], None, &["needs=0/needs/*"]).unwrap();
        let options =
            CompileOptions { landmarks: LandmarkChoice::Rule(rule.clone()), ..CompileOptions::default() };
        let file = DocumentFile::from_data(compile(text.as_bytes(), &options).unwrap().bytes).unwrap();
        let mut index = Index::landmarks_of(file.view(), u64::MAX).unwrap();
        let mut count = |most_edges| {
            let references = references_of(file.view(), &rule, &index, u64::MAX, most_edges).unwrap();
            assert_eq!(references.len(), 600);
            index.add_edges(&references, usize::MAX, most_edges).unwrap();
            index.edges.as_ref().unwrap()[0].edges.len()
        };
        // Edges are built row by row.
        assert_eq!([219 * 301 - 1, 219 * 301, 90_300].map(&mut count), [219 * 301, 220 * 301, 300 * 301]);
    }

    #[test]
    fn each_name_of_a_string_counts_as_a_visit() {
        // 1,000 dangling references, in one of about five values. Its bytes also count.
        let text = format!(r#"{{"items": [{{"id": "x", "s": "{}"}}]}}"#, "${a}".repeat(1000));
        let rule = LandmarkRule::parse(&["/items/*[id]"], None, &["e=0/s<{"]).unwrap();
        let options =
            CompileOptions { landmarks: LandmarkChoice::Rule(rule.clone()), ..CompileOptions::default() };
        let file = DocumentFile::from_data(compile(text.as_bytes(), &options).unwrap().bytes).unwrap();
        let index = Index::landmarks_of(file.view(), u64::MAX).unwrap();
        let find = |most| references_of(file.view(), &rule, &index, most, limits::EDGES);
        assert_eq!(find(1200), Ok(vec![]));
        assert_eq!(find(1000).unwrap_err().kind(), ErrorKind::Work { limit: 1000 });
    }

    #[test]
    fn the_search_for_references_ends_beyond_the_limit() {
        // Each of 300 landmarks refers to each of them.
        let names: Vec<String> = (0..300).map(|n| format!(r#""{n}""#)).collect();
        let needs = names.join(",");
        let items: Vec<String> =
            names.iter().map(|name| format!(r#"{{"id": {name}, "needs": [{needs}]}}"#)).collect();
        let text = format!(r#"{{"items": [{}]}}"#, items.join(","));
        let rule = LandmarkRule::parse(&["/items/*[id]"], None, &["needs=0/needs/*"]).unwrap();
        let options =
            CompileOptions { landmarks: LandmarkChoice::Rule(rule.clone()), ..CompileOptions::default() };
        let file = DocumentFile::from_data(compile(text.as_bytes(), &options).unwrap().bytes).unwrap();
        let index = Index::landmarks_of(file.view(), u64::MAX).unwrap();
        let count =
            |most_edges| references_of(file.view(), &rule, &index, u64::MAX, most_edges).unwrap().len();
        // Counted when there is no room for the next edge, from landmark 219. The list is shared,
        // so all edges of one landmark are added at once.
        assert_eq!([FEW - 9, FEW - 1, FEW].map(count), [219 * 300, 219 * 300, 300 * 300]);
    }
}
