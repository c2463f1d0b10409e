//! §16 Differences between two documents, and between two graphs.
//!
//! [`differences`] compares two trees place by place. Graphs take three steps: `pair` finds which
//! resources are the same, [`Sameness`] which of those did not change, and `compare` says what
//! changed in the others.

mod align;
mod apply;
mod class;
mod compare;
mod identity;
mod list;
mod patch;
mod places;
mod same;
mod typed;

#[cfg(feature = "tooling")]
pub use align::{common, gaps};
pub use apply::{PatchError, PatchErrorKind, apply_merge_patch, apply_patch};
pub use class::Class;
#[cfg(feature = "tooling")]
pub use class::{ClassRules, Scope};
pub use compare::{Action, Finding, ItemPlace};
#[cfg(feature = "tooling")]
pub use compare::{Along, Comparison, Marks, Without, compare, compare_at};
pub use identity::{Evidence, Moves};
#[cfg(feature = "tooling")]
pub use identity::{Identical, InstanceOf, Pairing, SameResource, Unit, pair};
pub use list::ListMode;
#[cfg(feature = "tooling")]
pub use list::{Alignment, ListRules, ListStep, align};
pub use patch::{Operation, merge_patch, operations};
pub use places::{NotAPlace, PlacePattern};
#[cfg(feature = "tooling")]
pub use same::Tree;
pub use same::{Sameness, Strictness, TooMuchWork};

use same::is_same_scalar;

use std::collections::{HashMap, HashSet};

use crate::landmark::Trail;
use crate::node::{Kind, Node};
use crate::pointer::Pointer;

/// A difference at one place of two documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference<N, M> {
    /// The JSON pointer of the place, the same in both documents.
    pub path: String,
    /// The change there.
    pub change: Change<N, M>,
}

/// The change at a place, from the old document to the new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change<N, M> {
    /// Only the new document has a value.
    Added(M),
    /// Only the old document has a value.
    Removed(N),
    /// Both documents have a value, and the values differ.
    Updated(N, M),
}

/// Whether `null` is a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NullRule {
    /// `null` differs from a missing entry.
    IsValue,
    /// `null` equals a missing entry, as in the snapshots of 2017.
    IsMissing,
}

/// Every place where `old` and `new` differ, in the order of the old document. In each object,
/// entries that only the new document has come last.
///
/// Objects are compared by key, in any order. Lists are compared index by index, without a search
/// for moved items. Scalars are compared exactly: `1` differs from `1.0`, and `0.0` from `-0.0`.
/// Does not recurse. Costs a walk over both documents.
pub fn differences<'a, N: Node<'a>, M: Node<'a>>(old: N, new: M, nulls: NullRule) -> Vec<Difference<N, M>> {
    let is_there = |kind: Kind| kind != Kind::Null || nulls == NullRule::IsValue;
    let mut found = Vec::new();
    let mut pointer = Pointer::root();
    let mut pending = vec![Pending { depth: 0, trail: Trail::Root, old: Some(old), new: Some(new) }];
    while let Some(Pending { depth, trail, old, new }) = pending.pop() {
        pointer.truncate(usize::saturating_sub(depth, 1));
        trail.push_to(&mut pointer);
        let old = old.filter(|old| is_there(old.kind()));
        let new = new.filter(|new| is_there(new.kind()));
        let change = match (old, new) {
            (None, None) => continue,
            (None, Some(new)) => Change::Added(new),
            (Some(old), None) => Change::Removed(old),
            (Some(old), Some(new)) if old.kind() != new.kind() => Change::Updated(old, new),
            (Some(old), Some(new)) => {
                let first = pending.len();
                match old.kind() {
                    Kind::Object => push_entries(old, new, depth + 1, &mut pending),
                    Kind::List => push_items(old, new, depth + 1, &mut pending),
                    _ if is_same_scalar(old, new) => {}
                    _ => {
                        found.push(Difference { path: (&pointer).into(), change: Change::Updated(old, new) });
                    }
                }
                // The last one in `pending` is compared first.
                pending[first..].reverse();
                continue;
            }
        };
        found.push(Difference { path: (&pointer).into(), change });
    }
    found
}

/// The values at one place that are still to be compared.
struct Pending<'a, N, M> {
    depth: usize,
    trail: Trail<'a>,
    old: Option<N>,
    new: Option<M>,
}

fn push_entries<'a, N: Node<'a>, M: Node<'a>>(
    old: N,
    new: M,
    depth: usize,
    pending: &mut Vec<Pending<'a, N, M>>,
) {
    let pair = |key, old, new| Pending { depth, trail: Trail::Entry(key), old, new };
    // Nearly always both have the same keys in the same order, and no table is needed.
    let is_aligned =
        old.width() == new.width() && old.entries().zip(new.entries()).all(|(old, new)| old.0 == new.0);
    if is_aligned {
        pending.extend(
            old.entries().zip(new.entries()).map(|((key, old), (_, new))| pair(key, Some(old), Some(new))),
        );
        return;
    }
    let of_new: HashMap<&str, M> = new.entries().collect();
    pending.extend(old.entries().map(|(key, value)| pair(key, Some(value), of_new.get(key).copied())));
    let of_old: HashSet<&str> = old.entries().map(|(key, _)| key).collect();
    let added = new.entries().filter(|(key, _)| !of_old.contains(key));
    pending.extend(added.map(|(key, value)| pair(key, None, Some(value))));
}

fn push_items<'a, N: Node<'a>, M: Node<'a>>(
    old: N,
    new: M,
    depth: usize,
    pending: &mut Vec<Pending<'a, N, M>>,
) {
    let (mut old, mut new) = (old.items(), new.items());
    for index in 0.. {
        let (old, new) = (old.next(), new.next());
        if old.is_none() && new.is_none() {
            return;
        }
        pending.push(Pending { depth, trail: Trail::Item(index), old, new });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Value;

    fn text(text: &str) -> Value {
        Value::String(text.to_owned())
    }

    fn object(entries: &[(&str, Value)]) -> Value {
        Value::Object(entries.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect())
    }

    fn integer(number: u64) -> Value {
        Value::Integer(number.into())
    }

    /// `+`, `-` or `~` and the place, for each difference.
    fn marks(old: &Value, new: &Value, nulls: NullRule) -> Vec<String> {
        let mark = |change: &Change<_, _>| match change {
            Change::Added(_) => '+',
            Change::Removed(_) => '-',
            Change::Updated(..) => '~',
        };
        let found = differences(old, new, nulls);
        found.iter().map(|difference| format!("{}{}", mark(&difference.change), difference.path)).collect()
    }

    #[test]
    fn a_null_is_as_good_as_missing_where_the_rule_says_so() {
        let null = Value::Null;
        let old = object(&[
            ("a2", null.clone()),
            ("b", text("bbb")),
            ("c1", integer(6767)),
            ("c2", null.clone()),
            ("d1", Value::Bool(true)),
            ("d2", Value::Bool(false)),
        ]);
        let new = object(&[
            ("a1", text("x")),
            ("a2", text("y")),
            ("b", integer(89)),
            ("c1", integer(6767)),
            ("c2", null.clone()),
            ("d2", null),
        ]);
        assert_eq!(marks(&old, &new, NullRule::IsMissing), ["+/a2", "~/b", "-/d1", "-/d2", "+/a1"]);
        assert_eq!(marks(&old, &new, NullRule::IsValue), ["~/a2", "~/b", "-/d1", "~/d2", "+/a1"]);
    }

    #[test]
    fn lists_are_compared_index_by_index() {
        let old = Value::List(vec![text("element one"), integer(2), Value::Bool(true)]);
        let new = Value::List(vec![text("element 1"), integer(2)]);
        assert_eq!(marks(&old, &new, NullRule::IsValue), ["~/0", "-/2"]);
        assert_eq!(marks(&new, &old, NullRule::IsValue), ["~/0", "+/2"]);
    }

    #[test]
    fn an_empty_list_is_not_null() {
        let old = object(&[("a", Value::Null)]);
        let new = object(&[("a", Value::List(Vec::new()))]);
        assert_eq!(marks(&old, &new, NullRule::IsMissing), ["+/a"]);
    }

    #[test]
    fn the_order_of_keys_makes_no_difference() {
        let old = object(&[("a", integer(1)), ("b", integer(2))]);
        let new = object(&[("b", integer(2)), ("a", integer(3))]);
        assert_eq!(marks(&old, &new, NullRule::IsValue), ["~/a"]);
        assert_eq!(marks(&new, &new, NullRule::IsValue), [""; 0]);
    }

    #[test]
    fn kinds_and_the_sign_of_zero_make_a_difference() {
        let same = |a: Value, b: Value| marks(&a, &b, NullRule::IsValue).is_empty();
        assert!(!same(integer(1), Value::Float(1.0)));
        assert!(!same(Value::Float(0.0), Value::Float(-0.0)));
        assert!(same(Value::Float(0.5), Value::Float(0.5)));
        assert!(!same(text("1"), integer(1)));
    }

    #[test]
    fn places_are_pointers_and_come_in_document_order() {
        let old = object(&[("x/y", object(&[("a", integer(1)), ("b", integer(1))])), ("z", integer(1))]);
        let new = object(&[("x/y", object(&[("a", integer(2)), ("b", integer(2))])), ("z", integer(2))]);
        assert_eq!(marks(&old, &new, NullRule::IsValue), ["~/x~1y/a", "~/x~1y/b", "~/z"]);
        assert_eq!(marks(&integer(1), &integer(2), NullRule::IsValue), ["~"]);
    }
}
