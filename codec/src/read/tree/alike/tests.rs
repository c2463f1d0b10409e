use super::*;
use crate::compile::{CompileOptions, compile_tuned};
use crate::crafted::repair;
use crate::read::file::DocumentFile;
use crate::read::tree::{TreeValue, Twins};
use crate::write::Tuning;
use coconut_format::Value;

/// Resources with records, lists, integers, shared values, and objects that are not records.
fn document(changed: &[(usize, &str)]) -> String {
    let resource = |n: usize| {
        let more = changed.iter().find(|(number, _)| *number == n).map_or("1.5", |(_, text)| text);
        format!(
            r#""r{n}":{{"type":"a:b:C","name":"resource {n}","own key {n}":{{"x {n}":-{n},"y":[true,null,{n}]}},
            "tags":{{"Team":"core","Stage":"production"}},"n":{n},"more":{more},"text":"a text of some length, {n}"}}"#
        )
    };
    let resources: Vec<String> = (0..24).map(resource).collect();
    format!(r#"{{"package":"my/net:*","vertices":{{{}}}}}"#, resources.join(","))
}

fn bytes(text: &str, tuning: impl FnOnce(&mut Tuning)) -> Vec<u8> {
    let mut tuned = Tuning::default();
    tuning(&mut tuned);
    compile_tuned(text.as_bytes(), &CompileOptions::default(), tuned).unwrap()
}

fn file(text: &str) -> DocumentFile<Vec<u8>> {
    DocumentFile::from_data(bytes(text, |_| {})).unwrap()
}

/// Both trees, read together.
fn together<'a>(old: DocumentView<'a>, new: DocumentView<'a>) -> [Result<Tree<'a>, DecodeError>; 2] {
    match [Begun::to_compare(old), Begun::to_compare(new)] {
        [Ok(a), Ok(b)] => {
            let candidates = Candidates::of(&a, &b);
            let [of_old, of_new] = candidates.closing([false, true].map(|half| candidates.in_half(half)));
            [a.finish(of_old), b.finish(of_new)]
        }
        _ => [old.tree(), new.tree()],
    }
}

fn value(tree: Result<Tree<'_>, DecodeError>) -> Result<Value, DecodeError> {
    tree.map(|tree| tree.to_value())
}

/// Compares the result of reading together with that of reading separately.
fn assert_same(old: DocumentView<'_>, new: DocumentView<'_>, place: &str) {
    let [a, b] = together(old, new);
    assert_eq!(value(a), value(old.tree()), "{place}");
    assert_eq!(value(b), value(new.tree()), "{place}");
}

#[test]
fn what_both_documents_have_stays_closed_until_it_is_asked_for() {
    let (old, new) = (file(&document(&[])), file(&document(&[(3, "1.25"), (20, "[1,2]")])));
    let [a, b] = together(old.view(), new.view()).map(Result::unwrap);
    let resources = |tree: &Tree<'_>| tree.closed.in_root();
    assert_eq!((resources(&a), resources(&b)), (22, 22));
    let vertices = |tree: &'_ Tree<'_>| tree.root().get("vertices").unwrap().to_value();
    let (mut twins, all) = (Twins::new(&a, &b, 1 << 20), a.root().get("vertices").unwrap());
    for n in 0..24 {
        let key = format!("r{n}");
        let (old, new) = (all.get(&key).unwrap(), b.root().get("vertices").unwrap().get(&key).unwrap());
        // The key of a closed one is found without opening it, in whatever order.
        assert_eq!(old.get("name").and_then(TreeValue::as_str), Some(&*format!("resource {n}")));
        assert!(old.get("no such key").is_none());
        assert_eq!(old.get("n").unwrap().to_value(), Value::Integer((n as u64).into()));
        assert_eq!(twins.is_identical(old, new), Ok(![3, 20].contains(&n)), "{n}");
        assert_eq!(twins.is_identical(old, b.root().get("vertices").unwrap().get("r0").unwrap()), Ok(n == 0));
    }
    assert_eq!(vertices(&a), vertices(&old.view().tree().unwrap()));
    assert_eq!(vertices(&b), vertices(&new.view().tree().unwrap()));
    assert_eq!(twins.is_identical(a.root(), b.root()), Ok(false));
}

#[test]
fn documents_are_the_same_whatever_was_done_to_them() {
    let texts = [
        document(&[]),
        document(&[(0, "null"), (1, "\"1.5\""), (2, "{}"), (23, "-1")]),
        document(&[(5, r#"{"deep":[[[[[1]]]]]}"#)]),
        document(&[]).replace("core", "other"),
        document(&[]).replace("a:b:C", "a:b:D"),
        document(&[]).replacen(r#""r0""#, r#""r00""#, 1),
    ];
    let tunings: [fn(&mut Tuning); 5] = [
        |_| {},
        |tuning| tuning.shared_values = false,
        |tuning| (tuning.frequent_first, tuning.nested_slots) = (false, false),
        |tuning| (tuning.integer_slots, tuning.constant_slots) = (false, false),
        |tuning| (tuning.wide, tuning.string_min_uses) = (true, 9),
    ];
    for (n, old) in texts.iter().enumerate() {
        for (m, new) in texts.iter().enumerate() {
            for (k, tuning) in tunings.into_iter().enumerate() {
                let (old, new) = (file(old), DocumentFile::from_data(bytes(new, tuning)).unwrap());
                assert_same(old.view(), new.view(), &format!("{n} {m} {k}"));
                let [a, b] = together(old.view(), new.view()).map(Result::unwrap);
                let mut twins = Twins::new(&a, &b, 1 << 20);
                assert_eq!(twins.is_identical(a.root(), b.root()), Ok(n == m), "{n} {m} {k}");
            }
        }
    }
}

/// Also if both have the same damage, so that nothing differs.
#[test]
fn a_damaged_byte_is_found_as_it_always_was() {
    let text = document(&[(3, "1.25")]);
    let whole = bytes(&text, |_| {});
    let untouched = DocumentFile::from_data(&whole[..]).unwrap();
    let root = untouched.view().element(Part::ROOT);
    let mut refused = 0;
    for at in untouched.view().frame.header_range.end..whole.len() {
        let byte = [0x00, 0x93, 0xa1, 0xc1, 0xff][at % 5];
        let mut damaged = whole.clone();
        damaged[at] = byte;
        repair(&mut damaged);
        let Ok(file) = DocumentFile::from_data(&damaged[..]) else { continue };
        refused += usize::from(root.contains(&at) && file.view().tree().is_err());
        let place = format!("{byte:02x} at {at}");
        assert_same(file.view(), untouched.view(), &place);
        assert_same(untouched.view(), file.view(), &place);
        assert_same(file.view(), file.view(), &place);
    }
    assert!(refused > 200, "{refused}");
}

#[test]
fn an_index_may_say_anything() {
    let whole = bytes(&document(&[]), |_| {});
    let untouched = DocumentFile::from_data(&whole[..]).unwrap();
    let (root, slots) = (untouched.view().element(Part::ROOT), untouched.view().element(Part::KEY_SLOTS));
    for offset in root.start - 40..root.end + 40 {
        let mut lying = whole.clone();
        // Two landmarks begin at one place.
        for slot in [slots.start, slots.start + 8 * 7] {
            lying[slot + 4..slot + 8].copy_from_slice(&u32::try_from(offset).unwrap().to_le_bytes());
        }
        repair(&mut lying);
        let lying = DocumentFile::from_data(&lying[..]).unwrap();
        assert_same(lying.view(), untouched.view(), &offset.to_string());
        assert_same(lying.view(), lying.view(), &offset.to_string());
    }
}

/// Ways to store the same values. All of them share the same values.
const TUNINGS: [fn(&mut Tuning); 6] = [
    |_| {},
    |tuning| tuning.constant_slots = false,
    |tuning| tuning.nested_slots = false,
    |tuning| tuning.integer_slots = false,
    |tuning| (tuning.integer_slots, tuning.constant_slots) = (false, false),
    |tuning| (tuning.wide, tuning.string_min_uses, tuning.discriminators) = (true, 50, false),
];

/// Resources with the same keys. All have `usual` in two places, except for some.
fn uniform(usual: &str, others: &[(usize, &str)]) -> String {
    let resource = |n: usize| {
        let value = others.iter().find(|(number, _)| *number == n).map_or(usual, |(_, text)| text);
        format!(
            r#""r{n}":{{"type":"a:b:C","first":{value},"in":{{"port":{n},"value":{value},"deep":{{"name":"resource {n}","none":{{}}}}}},
            "text":"a text of some length, {n}"}}"#
        )
    };
    let resources: Vec<String> = (0..24).map(resource).collect();
    format!(r#"{{"package":"my/net:*","vertices":{{{}}}}}"#, resources.join(","))
}

#[test]
fn a_constant_of_one_file_can_be_a_value_of_each_record_of_the_other() {
    let long = format!("\"{}\"", "a long text that is not in the table ".repeat(4));
    let constants = ["null", "true", "7", "-70000", "18446744073709551615", "1.5", "\"core\"", &long];
    let other = "\"another\"";
    for constant in constants {
        let (plain, mixed) = (uniform(constant, &[]), uniform(constant, &[(3, other), (20, "7.5")]));
        for (n, of_plain) in TUNINGS.into_iter().enumerate() {
            for (m, of_mixed) in TUNINGS.into_iter().enumerate() {
                let place = format!("{constant} {n} {m}");
                let [plain, mixed] = [(&plain, of_plain), (&mixed, of_mixed)]
                    .map(|(text, tuning)| DocumentFile::from_data(bytes(text, tuning)).unwrap());
                for (old, new) in [(&plain, &mixed), (&mixed, &plain)] {
                    assert_same(old.view(), new.view(), &place);
                    let [a, b] = together(old.view(), new.view()).map(Result::unwrap);
                    assert_eq!((a.closed.in_root(), b.closed.in_root()), (22, 22), "{place}");
                }
            }
        }
    }
}

/// A constant is only the same as the same value, and at the same place.
#[test]
fn a_constant_is_nothing_else() {
    let values = ["null", "true", "false", "7", "7.0", "-1", "\"7\"", "\"\"", "[7]", "{}", r#"{"a":7}"#];
    for old in values {
        for new in values {
            let old_file = file(&uniform(old, &[]));
            // So that it is not a constant.
            let new_file = file(&uniform(new, &[(5, "\"5\""), (6, "\"6\"")]));
            for (a, b) in [(&old_file, &new_file), (&new_file, &old_file)] {
                assert_same(a.view(), b.view(), &format!("{old} {new}"));
                let [a, b] = together(a.view(), b.view()).map(Result::unwrap);
                let is_same = old == new;
                assert_eq!(a.closed.in_root(), if is_same { 22 } else { 0 }, "{old} {new}");
                assert_eq!(b.closed.in_root(), a.closed.in_root());
            }
        }
    }
}

mod properties {
    use super::*;
    use proptest::prelude::*;

    /// Optional entries of a resource, with their most frequent values.
    fn entry(key: &'static str) -> impl Strategy<Value = Option<(&'static str, String)>> {
        let values = prop::sample::select(vec![
            "7",
            "-1",
            "null",
            "true",
            "1.5",
            "\"core\"",
            "\"a text of some length\"",
            r#"{"a":1,"b":"x"}"#,
            r#"{"a":2,"b":"x"}"#,
            r#"{"a":1,"b":{"c":null}}"#,
            r#"{"b":"x","a":1}"#,
            r#"[1,{"a":3,"b":"y"}]"#,
            "[]",
            "{}",
        ]);
        prop_oneof![
            8 => Just(Some((key, "\"usual\"".to_owned()))),
            3 => values.prop_map(move |value| Some((key, value.to_owned()))),
            1 => Just(None),
        ]
    }

    /// Resources with nearly the same keys, in one of two orders.
    fn resource() -> impl Strategy<Value = String> {
        let entries = (entry("a"), entry("b"), entry("inputs"), entry("z"), prop::bool::weighted(0.1));
        entries.prop_map(|(a, b, inputs, z, is_reversed)| {
            let mut entries: Vec<_> = [a, b, inputs, z].into_iter().flatten().collect();
            if is_reversed {
                entries.reverse();
            }
            let entries: Vec<String> =
                entries.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
            format!(r#"{{"type":"a:b:C"{}{}}}"#, if entries.is_empty() { "" } else { "," }, entries.join(","))
        })
    }

    fn document(resources: &[String]) -> String {
        let resources: Vec<String> =
            resources.iter().enumerate().map(|(n, resource)| format!("\"r{n}\":{resource}")).collect();
        format!(r#"{{"package":"my/net:*","vertices":{{{}}}}}"#, resources.join(","))
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

        /// Files may differ in constants, nesting, integer slots or shapes. Reading together gives
        /// the same result as reading separately, and the same identical resources as comparing
        /// owned values.
        #[test]
        fn reading_in_step_changes_no_answer(
            old in prop::collection::vec(resource(), 20..40),
            others in prop::collection::vec((0usize..40, resource()), 0..12),
            tunings in (0..TUNINGS.len(), 0..TUNINGS.len()),
        ) {
            let mut new = old.clone();
            for (at, other) in others {
                if let Some(place) = new.get_mut(at) {
                    *place = other;
                }
            }
            let make = |resources: &[String], tuning: usize| {
                DocumentFile::from_data(bytes(&document(resources), TUNINGS[tuning])).unwrap()
            };
            let (old_file, new_file) = (make(&old, tunings.0), make(&new, tunings.1));
            assert_same(old_file.view(), new_file.view(), "random");
            let [a, b] = together(old_file.view(), new_file.view()).map(Result::unwrap);
            let mut twins = Twins::new(&a, &b, 1 << 20);
            let [all, others] = [&a, &b].map(|tree| tree.root().get("vertices").unwrap());
            for n in 0..old.len() {
                let key = format!("r{n}");
                let (x, y) = (all.get(&key).unwrap(), others.get(&key).unwrap());
                prop_assert_eq!(twins.is_identical(x, y), Ok(old[n] == new[n]), "{}", n);
            }
        }
    }
}
