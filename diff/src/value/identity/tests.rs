use super::*;
use crate::value::Strictness;
use coconut_format::value::Value;

fn text(text: &str) -> Value {
    Value::String(text.to_owned())
}

fn urn(name: &str) -> String {
    format!("urn:pulumi:s::p::t:m:T::{name}")
}

/// A resource with this name and id. `!` before the name marks it for deletion, and `<` after it
/// precedes its aliases.
fn resource(name: &str, id: &str) -> (String, Value) {
    let (plain, is_condemned) = name.strip_prefix('!').map_or((name, false), |plain| (plain, true));
    let (plain, aliases) = plain.split_once('<').unwrap_or((plain, ""));
    let aliases = aliases.split(',').filter(|alias| !alias.is_empty()).map(|alias| text(&urn(alias)));
    let value = Value::Object(vec![
        ("urn".into(), text(&urn(plain))),
        ("type".into(), text("t:m:T")),
        ("id".into(), text(id)),
        ("delete".into(), Value::Bool(is_condemned)),
        ("inputs".into(), Value::Object(vec![("x".into(), text(&format!("content of {id}")))])),
        ("aliases".into(), Value::List(aliases.collect())),
    ]);
    (urn(plain), value)
}

fn units(resources: &[(String, Value)]) -> Vec<Unit<'_, &Value>> {
    resources
        .iter()
        .map(|(key, node)| Unit { key: Cow::Borrowed(key), class: 0, container: 0, node, instance_of: None })
        .collect()
}

fn paired(old: &[(&str, &str)], new: &[(&str, &str)], moves: Moves) -> String {
    let make = |all: &[(&str, &str)]| all.iter().map(|(name, id)| resource(name, id)).collect::<Vec<_>>();
    let (old, new) = (make(old), make(new));
    let mut sameness = Sameness::new(Strictness::default(), 1 << 20);
    let mut identical = |old: &Unit<'_, &Value>, new: &Unit<'_, &Value>| Ok(old.node == new.node);
    let found = pair(&units(&old), &units(&new), moves, &mut identical, &mut sameness).unwrap();
    let mut words: Vec<String> = Vec::new();
    for same in &found.same {
        let anew = if same.is_made_anew { "!" } else { "" };
        words.push(format!("{}{}{anew}{}", same.old, &same.why.name()[..1], same.new));
    }
    words.extend(found.created.iter().map(|n| format!("+{n}")));
    words.extend(found.deleted.iter().map(|n| format!("-{n}")));
    words.extend(found.ambiguous.iter().map(|n| format!("?{n}")));
    words.extend(found.retired.iter().map(|n| format!("x{n}")));
    words.join(" ")
}

#[test]
fn equal_keys_are_one_resource_and_equal_ones_pair_in_order() {
    let old = [("a", "1"), ("b", "2"), ("c", "3")];
    let new = [("d", "4"), ("c", "9"), ("a", "1")];
    assert_eq!(paired(&old, &new, Moves::USUAL), "2k1 0k2 +0 -1");
    let twice = [("a", "1"), ("a", "2")];
    assert_eq!(paired(&twice, &[("a", "2")], Moves::USUAL), "1k0 -0");
    assert_eq!(paired(&twice, &[("a", "3")], Moves::USUAL), "0k0 -1");
    assert_eq!(paired(&twice, &twice, Moves::USUAL), "0k0 1k1");
}

#[test]
fn condemned_resources_pair_with_each_other() {
    let (alive, replaced) = ([("a", "1")], [("a", "2"), ("!a", "1")]);
    assert_eq!(paired(&alive, &replaced, Moves::USUAL), "0k0 x1");
    // Nothing was replaced, or something else was.
    assert_eq!(paired(&[("a", "2")], &replaced, Moves::USUAL), "0k0 +1");
    assert_eq!(paired(&[("a", "3")], &replaced, Moves::USUAL), "0k0 +1");
    // One is replaced once.
    let twice = [("a", "2"), ("!a", "1"), ("!a", "1")];
    assert_eq!(paired(&alive, &twice, Moves::USUAL), "0k0 +2 x1");
    let three = [("!a", "1"), ("!a", "2"), ("!a", "3"), ("a", "4")];
    assert_eq!(paired(&three, &three[1..], Moves::USUAL), "1k0 2k1 3k2 -0");
    // It is created again while the old one is still waiting.
    assert_eq!(paired(&[("!a", "1")], &[("a", "2")], Moves::USUAL), "0k!0");
    assert_eq!(paired(&[("!a", "1")], &[("a", "2"), ("!a", "1")], Moves::USUAL), "0k1 +0");
}

#[test]
fn an_alias_moves_a_resource_once() {
    assert_eq!(paired(&[("a", "")], &[("b<a", "")], Moves::USUAL), "0a0");
    assert_eq!(paired(&[("a", "")], &[("c<b,a", "")], Moves::USUAL), "0a0");
    // It still exists.
    assert_eq!(paired(&[("a", "")], &[("a", ""), ("b<a", "")], Moves::USUAL), "0k0 +1");
    assert_eq!(paired(&[("a", "")], &[("b<a", ""), ("c<a", "")], Moves::USUAL), "+0 +1 -0 ?0 ?1");
    assert_eq!(paired(&[("a", "")], &[("b<a", "")], Moves::NONE), "+0 -0");
}

#[test]
fn an_id_moves_a_resource_if_only_one_has_it() {
    assert_eq!(paired(&[("a", "i")], &[("b", "i")], Moves::USUAL), "0i0");
    assert_eq!(
        paired(&[("a", "true"), ("b", "true")], &[("c", "true"), ("b", "true")], Moves::USUAL),
        "1k1 +0 -0"
    );
    assert_eq!(paired(&[("a", "")], &[("b", "")], Moves { by_digest: Some(false), ..Moves::USUAL }), "+0 -0");
}

#[test]
fn a_placeholder_is_not_an_id() {
    let other = |id| vec![("b", id)];
    for id in ["none", "-", "static"] {
        assert_eq!(
            paired(&[("a", id)], &other(id), Moves { by_digest: Some(false), ..Moves::USUAL }),
            "+0 -0"
        );
    }
    assert_eq!(paired(&[("a", "none-1")], &other("none-1"), Moves::USUAL), "0i0");
}

#[test]
fn content_moves_a_resource_if_none_has_an_id() {
    assert_eq!(paired(&[("a", "")], &[("b", "")], Moves::USUAL), "0d0");
    assert_eq!(paired(&[("a", ""), ("b", "")], &[("c", "")], Moves::USUAL), "+0 -0 -1 ?0");
}

/// Comparing all pairs exceeded the limit at ordinary sizes.
#[test]
fn any_number_of_resources_is_renamed_in_steps_for_each() {
    let make = |prefix: &str, content: fn(usize) -> usize| -> Vec<(String, Value)> {
        let named = |n: usize| {
            let (key, Value::Object(mut entries)) = resource(&format!("{prefix}{n}"), "") else {
                unreachable!("it is an object")
            };
            entries[4].1 = Value::Object(vec![("x".into(), text(&content(n).to_string()))]);
            (key, Value::Object(entries))
        };
        (0..2_000).map(named).collect()
    };
    let pair_all = |content: fn(usize) -> usize| {
        let (old, new) = (make("old", content), make("new", content));
        let mut sameness = Sameness::new(Strictness::default(), 100_000);
        let mut identical = |old: &Unit<'_, &Value>, new: &Unit<'_, &Value>| Ok(old.node == new.node);
        pair(&units(&old), &units(&new), Moves::USUAL, &mut identical, &mut sameness).unwrap()
    };
    let moved = pair_all(|n| n);
    assert!(moved.same.iter().all(|same| same.old == same.new && same.why == Evidence::Digest));
    assert_eq!((moved.same.len(), moved.ambiguous.len()), (2_000, 0));
    let alike = pair_all(|_| 0);
    assert_eq!((alike.same.len(), alike.created.len(), alike.ambiguous.len()), (0, 2_000, 2_000));
}

#[test]
fn parts_of_an_alias_replace_those_of_the_key() {
    let own = Urn::parse("urn:pulumi:s::p::a:b:C$t:m:T::new").unwrap();
    let alias = |entries: &[(&str, Value)]| {
        let entries = entries.iter().map(|(key, value)| ((*key).to_owned(), value.clone()));
        alias_of_parts(&Value::Object(entries.collect()), own).unwrap()
    };
    assert_eq!(alias(&[("name", text("old"))]), "urn:pulumi:s::p::a:b:C$t:m:T::old");
    assert_eq!(alias(&[("noParent", Value::Bool(true))]), "urn:pulumi:s::p::t:m:T::new");
    assert_eq!(
        alias(&[("parent", text("urn:pulumi:s::p::x:y:Z::q")), ("project", text("o"))]),
        "urn:pulumi:s::o::x:y:Z$t:m:T::new"
    );
}
