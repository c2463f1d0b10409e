//! The edges between landmarks (§8.6), from the references to their keys.

use super::instances::Instances;
use super::rows::{Lists, reversed};
use super::{Index, Most, TooMuch};
use crate::wire::edges::{CheckedEdges, Rows};
use crate::wire::ids::Ordinal;
use coconut_format::landmark::{FoundEdge, LandmarkRule, Landmarks, Reading};
use coconut_format::node::Node;

/// A reference from a landmark to all landmarks that it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Reference {
    pub(crate) from: Ordinal,
    pub(crate) to: Target,
    /// The number of the edge pattern.
    pub(crate) kind: u8,
}

/// The landmarks that a reference leads to, in one number. Two references of one kind that differ
/// have different targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Target(u32);

/// A [`Target`] taken apart.
enum Named {
    /// All landmarks with the key of this one, which is the first of them.
    Key(Ordinal),
    /// The outermost landmarks with the key of this one.
    Outermost(Ordinal),
    /// The outermost landmarks with the key of this number without instance keys.
    Configured(u32),
}

impl Target {
    /// There are at most 2^24 landmarks (§9.8), so two bits are free.
    fn of(named: &Named) -> Target {
        let (number, form) = match *named {
            Named::Key(first) => (first.0, 0),
            Named::Outermost(first) => (first.0, 1),
            Named::Configured(number) => (number, 2),
        };
        Target(number << 2 | form)
    }

    fn named(self) -> Named {
        let number = self.0 >> 2;
        match self.0 & 3 {
            0 => Named::Key(Ordinal(number)),
            1 => Named::Outermost(Ordinal(number)),
            _ => Named::Configured(number),
        }
    }
}

impl Index {
    /// Builds the index of the landmarks and edges that a rule finds in a tree. `offset_of` returns
    /// the start of a landmark. At most `most_edges` are allowed.
    ///
    /// Refuses an index whose memory would be out of proportion to the document, before it is built
    /// (§9).
    pub(crate) fn of<'a, N: Node<'a>>(
        found: Landmarks<'a, N>,
        offset_of: impl Fn(N) -> u64,
        most_edges: usize,
    ) -> Result<Index, TooMuch> {
        Index::within(Most { edges: most_edges, ..Most::default() }, found, offset_of)
    }

    /// Does the same with other limits.
    pub(super) fn within<'a, N: Node<'a>>(
        most: Most,
        found: Landmarks<'a, N>,
        offset_of: impl Fn(N) -> u64,
    ) -> Result<Index, TooMuch> {
        let mut index = Index::landmarks_within(most, &found, offset_of)?;
        if !found.rule().edges().is_empty() {
            let rule = found.rule().clone();
            index.add_edges(&resolve(&found.into_edges(), &rule, &index), most.edges, most.edges)?;
        }
        Ok(index)
    }

    /// The edges by the landmark that they start at.
    pub(crate) fn checked_edges(&self) -> &CheckedEdges<'static> {
        self.checked_edges.get_or_init(|| {
            let edges = self.edges.as_ref().map(|[edges, _]| edges);
            CheckedEdges::of(edges.unwrap_or(&Rows::none(self.len())))
        })
    }

    /// A reference of landmark `from`. `None` if it leads to no landmark. `rule` is that of the
    /// document.
    ///
    /// Duplicates are removed before each reference is expanded to its landmarks.
    pub(crate) fn reference(
        &self,
        from: Ordinal,
        found: &FoundEdge<'_>,
        rule: &LandmarkRule,
    ) -> Option<Reference> {
        let reading = rule.edges().get(usize::from(found.number))?.reading();
        let configured = match reading {
            Reading::Instances => self.instances().number(&self.keys, found.target).map(Named::Configured),
            _ => None,
        };
        let named = configured.or_else(|| {
            let first = *self.with_key(found.target).first()?;
            Some(if *reading == Reading::Instances { Named::Outermost(first) } else { Named::Key(first) })
        });
        named.map(|named| Reference { from, to: Target::of(&named), kind: found.number })
    }

    /// The landmarks that a reference leads to, ascending.
    fn targets(&self, target: Target) -> &[Ordinal] {
        match target.named() {
            Named::Key(first) => self.by_key().of_ordinal(first),
            Named::Outermost(first) => self.instances().with_key(self.by_key().number_of(first)),
            Named::Configured(number) => self.instances().configured(number),
        }
    }

    fn instances(&self) -> &Instances {
        self.instances.get_or_init(|| Instances::of(&self.keys, self.by_key(), &self.parents))
    }

    /// Adds the edges of distinct and sorted references. Refuses more than `limit` in distinct rows
    /// of one direction, before they are made. If there are more than `most`, some may be missing.
    pub(crate) fn add_edges(
        &mut self,
        references: &[Reference],
        limit: usize,
        most: usize,
    ) -> Result<(), TooMuch> {
        // Landmarks with the same references have the same edges.
        let (mut lists, mut list_of) = (Lists::new(), Vec::with_capacity(self.len()));
        let (mut left, mut list): (_, Vec<(Target, u8)>) = (references, Vec::new());
        for ordinal in (0..).map(Ordinal).take(self.len()) {
            let own = left.iter().take_while(|reference| reference.from == ordinal).count();
            let (own, after) = left.split_at(own);
            left = after;
            list.clear();
            list.extend(own.iter().map(|reference| (reference.to, reference.kind)));
            list_of.push(lists.number(&list));
        }
        let edges = |&(to, kind): &(Target, u8)| self.targets(to).iter().map(move |&to| (to, kind));
        TooMuch::check("edges", lists.items.iter().map(|item| edges(item).len() as u64).sum(), limit as u64)?;
        let (mut rows, mut row) = (Lists::new(), Vec::new());
        let row_of_list = lists.each().map(|list| {
            row.clear();
            if rows.items.len() <= most {
                row.extend(list.iter().flat_map(edges));
                // Two references may lead to one landmark.
                row.sort_unstable();
                row.dedup();
            }
            rows.number(&row)
        });
        let row_of_list: Vec<u32> = row_of_list.collect();
        let rows = rows.into_rows(list_of.iter().map(|&list| row_of_list[list as usize]).collect());
        let reversed = reversed(&rows, limit as u64)?;
        self.edges = Some([rows, reversed]);
        Ok(())
    }
}

/// The distinct references between landmarks: each leads to every landmark with its key.
pub(super) fn resolve(found: &[FoundEdge<'_>], rule: &LandmarkRule, index: &Index) -> Vec<Reference> {
    let references = found.iter().filter_map(|edge| index.reference(Ordinal(edge.source), edge, rule));
    let mut references: Vec<Reference> = references.collect();
    references.sort_unstable();
    references.dedup();
    references
}
