//! §16 Differences between two documents, and between two graphs.
//!
//! `compare` finds the differences between two values, place by place. Graphs take three steps:
//! `pair` pairs the old and new resources, `Sameness` finds the unchanged pairs, and `compare`
//! finds the changes in the others.

mod align;
mod apply;
mod class;
mod compare;
mod described;
mod identity;
mod items;
mod list;
pub(crate) mod options;
mod patch;
mod places;
mod same;
mod typed;
mod unknown;

pub use align::{common, gaps};
pub use apply::{PatchError, PatchErrorKind, apply_merge_patch, apply_patch};
pub use class::Class;
pub use class::{ClassRules, Scope};
pub use compare::{Action, Difference, ItemPlace};
pub use compare::{Along, Comparison, Marks, NullRule, Without, compare, compare_at};
pub use described::{ListKind, PlaceFacts, Schema, SchemaOf, Shapes};
pub use identity::Evidence;
pub use identity::{Identical, InstanceOf, Pairing, SameResource, Unit, pair};
pub use items::ItemRuns;
pub use list::ListMode;
pub use list::{Alignment, ListRules, ListStep, align};
pub use options::Moves;
pub use patch::{Operation, merge_patch, operations};
pub use places::{NotAPlace, PlacePattern};
pub use same::{Sameness, Strictness, TooMuchWork, Tree};

#[cfg(test)]
mod tests {
    use super::class::{ClassRules, Scope};
    use super::compare::{Comparison, Marks, NullRule, compare};
    use super::list::ListRules;
    use super::*;
    use coconut_format::value::Value;

    fn text(text: &str) -> Value {
        Value::String(text.to_owned())
    }

    fn object(entries: &[(&str, Value)]) -> Value {
        Value::Object(entries.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect())
    }

    fn integer(number: u64) -> Value {
        Value::Integer(number.into())
    }

    /// `+`, `-` or `~` and the place, for each difference other than the order of keys.
    fn marks(old: &Value, new: &Value, nulls: NullRule) -> Vec<String> {
        let scope = Scope::default();
        let (classes, lists) = (ClassRules::of(&scope), ListRules::of(&scope, &[]));
        let comparison = Comparison {
            classes: &classes,
            usual: Class::Value,
            lists: &lists,
            nulls,
            has_blocks: false,
            schema: None,
            without: None,
        };
        let mut sameness = Sameness::new(Strictness::VALUES, 10_000);
        let mut found = Vec::new();
        let marks = (Marks::NONE, Marks::NONE);
        compare((Some(old), Some(new)), marks, &comparison, &mut sameness, &mut |difference| {
            if difference.class != Class::Order {
                found.push(format!("{}{}", difference.action.sign(), difference.pointer));
            }
        })
        .expect("there is little to compare");
        found
    }

    #[test]
    fn a_null_equals_a_missing_entry_if_the_rule_allows_it() {
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
