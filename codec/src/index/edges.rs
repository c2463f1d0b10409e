//! The edges between landmarks (§8.6), from the references to their keys.

use super::instances::Instances;
use super::{Index, Most, TooMuch};
use crate::wire::edges::{CheckedEdges, Edge, reversed};
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
            let edges = resolve(&found.into_edges(), &rule, &index, most.edges)?;
            index.reversed_edges = reversed(&edges);
            index.edges = Some(edges);
        }
        Ok(index)
    }

    /// The edges by the landmark that they start at.
    pub(crate) fn checked_edges(&self) -> &CheckedEdges<'static> {
        let edges = self.edges.as_deref().unwrap_or_default();
        self.checked_edges.get_or_init(|| CheckedEdges::of(edges, self.len()))
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

    /// The number of edges of distinct references. If a landmark refers to another by two different
    /// texts, once with and once without instance keys, that edge counts twice.
    pub(crate) fn count_of_edges(&self, references: &[Reference]) -> u64 {
        if self.has_one_target_each() {
            return references.len() as u64;
        }
        references.iter().map(|reference| self.targets(reference.to).len() as u64).sum()
    }

    /// The edges of distinct references in their order, sorted: all of them, or more than `most`.
    pub(crate) fn edges_of(&self, references: Vec<Reference>, most: usize) -> Vec<Edge> {
        let edge = |reference: Reference, to| Edge { from: reference.from, to, kind: reference.kind };
        if self.has_one_target_each() {
            let first = |reference: Reference| Some(edge(reference, *self.targets(reference.to).first()?));
            return references.into_iter().filter_map(first).collect();
        }
        let of_each_source = references.chunk_by(|one, other| one.from == other.from);
        let edges_to =
            |&reference: &Reference| self.targets(reference.to).iter().map(move |&to| edge(reference, to));
        sorted_within_groups(of_each_source.map(|of_one| of_one.iter().flat_map(edges_to)), most)
    }

    /// Whether each reference leads to one landmark, and no two to the same.
    fn has_one_target_each(&self) -> bool {
        self.by_key().has_distinct_keys() && self.instances.get().is_none()
    }
}

/// The items of all groups, sorted and distinct within each group. Stops after the group in which
/// there are more than `most`.
///
/// Each step touches the items of one group only, so the time is linear in the number of groups.
fn sorted_within_groups<T: Ord + Clone>(
    groups: impl Iterator<Item = impl Iterator<Item = T>>,
    most: usize,
) -> Vec<T> {
    let (mut all, mut of_one) = (Vec::new(), Vec::new());
    for group in groups {
        if all.len() > most {
            break;
        }
        of_one.extend(group);
        of_one.sort_unstable();
        of_one.dedup();
        all.append(&mut of_one);
    }
    all
}

/// The edges between landmarks: a reference leads to every landmark with its key. Refuses more than
/// `most`, counted before they are made.
pub(super) fn resolve(
    found: &[FoundEdge<'_>],
    rule: &LandmarkRule,
    index: &Index,
    most: usize,
) -> Result<Vec<Edge>, TooMuch> {
    let references = found.iter().filter_map(|edge| index.reference(Ordinal(edge.source), edge, rule));
    let mut references: Vec<Reference> = references.collect();
    references.sort_unstable();
    references.dedup();
    TooMuch::check("edges", index.count_of_edges(&references), most as u64)?;
    Ok(index.edges_of(references, most))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::cmp::Ordering;

    thread_local!(static COMPARED: Cell<usize> = const { Cell::new(0) });

    /// A number that counts how often numbers are compared.
    #[derive(Clone, Debug)]
    struct Counted(usize);

    impl Ord for Counted {
        fn cmp(&self, other: &Counted) -> Ordering {
            COMPARED.set(COMPARED.get() + 1);
            self.0.cmp(&other.0)
        }
    }

    impl PartialOrd for Counted {
        fn partial_cmp(&self, other: &Counted) -> Option<Ordering> {
            Some(self.cmp(other))
        }
    }

    impl PartialEq for Counted {
        fn eq(&self, other: &Counted) -> bool {
            self.cmp(other).is_eq()
        }
    }

    impl Eq for Counted {}

    #[test]
    fn twice_the_groups_take_twice_the_comparisons() {
        let compared = |count: usize| {
            let groups =
                (0..count).map(|n| [3 * n + 2, 3 * n, 3 * n + 2, 3 * n + 1].into_iter().map(Counted));
            COMPARED.set(0);
            let all = sorted_within_groups(groups, usize::MAX);
            let steps = COMPARED.get();
            assert!(all.iter().map(|item| item.0).eq(0..3 * count));
            steps
        };
        let [once, twice] = [1_000, 2_000].map(compared);
        assert_eq!(2 * once, twice);
    }

    #[test]
    fn groups_after_the_limit_are_not_visited() {
        let groups = (0..10).map(|n| [Counted(n)].into_iter());
        assert_eq!(sorted_within_groups(groups, 3).len(), 4);
    }
}
