use super::*;
use crate::Profile;
use crate::compile::{CompileOptions, compile, compile_tuned};
use crate::read::file::DocumentFile;
use crate::write::Tuning;

fn file(text: &str, profile: Profile) -> DocumentFile<Vec<u8>> {
    let options = CompileOptions { profile, ..CompileOptions::default() };
    DocumentFile::from_data(compile(text.as_bytes(), &options).unwrap().bytes).unwrap()
}

/// Records with nested ones, constants, shared values and scalars of all kinds.
fn document(changed: &str) -> String {
    let record = |n: u32| {
        let last = if n == 39 { changed } else { "1.5" };
        format!(
            r#"{{"id":{n},"k":"constant","in":{{"a":[1,2,{{"b":"shared text of some length"}}],"n":{n}}},"f":{last},"t":"text {n}"}}"#
        )
    };
    let records: Vec<String> = (0..40).map(record).collect();
    format!(
        r#"[{}, [], {{}}, null, true, -5, 18446744073709551615, {{"x":[{}]}}]"#,
        records.join(","),
        records[3]
    )
}

#[test]
fn values_are_identical_whatever_the_profile_and_only_then() {
    let all = ["1.5", "1", "\"1.5\"", "null", "[1.5]", r#"{"a":1}"#].map(document);
    for (n, old) in all.iter().enumerate() {
        for (m, new) in all.iter().enumerate() {
            for profile in Profile::ALL {
                let (a, b) = (file(old, Profile::Full), file(new, profile));
                let (a, b) = (a.view().tree().unwrap(), b.view().tree().unwrap());
                let mut twins = Twins::new(&a, &b, 1 << 20);
                for _ in 0..2 {
                    assert_eq!(twins.is_identical(a.root(), b.root()), Ok(n == m), "{n} {m} {profile:?}");
                }
            }
        }
    }
}

#[test]
fn a_shape_that_begins_like_another_is_not_the_same() {
    let record = |n: u32, more: &str| format!(r#"{{"a":{n},"b":"{n}"{more}}}"#);
    let list = |more: &str| {
        let records: Vec<String> = (0..20).map(|n| record(n, more)).collect();
        format!("[{}]", records.join(","))
    };
    for (old, new) in [("", r#","c":[1]"#), (r#","c":[1]"#, ""), (r#","c":{"d":1}"#, r#","c":{"d":1,"e":2}"#)]
    {
        let (a, b) = (file(&list(old), Profile::Full), file(&list(new), Profile::Full));
        let (a, b) = (a.view().tree().unwrap(), b.view().tree().unwrap());
        assert_eq!(Twins::new(&a, &b, 1 << 20).is_identical(a.root(), b.root()), Ok(false));
    }
}

/// Both values are stored once, and the first waits while the second is found to differ.
#[test]
fn a_shared_value_beside_a_difference_stays_identical() {
    let document = |other: u32| {
        let [same, other] = [1, other].map(|n| format!(r#"["a text of some length {n}",[{n},2,3],null]"#));
        file(&format!("[[{same},{other}],{same},{other},{same},{other}]"), Profile::Full)
    };
    let (a, b) = (document(2), document(3));
    let (a, b) = (a.view().tree().unwrap(), b.view().tree().unwrap());
    let mut twins = Twins::new(&a, &b, 1 << 20);
    let (TreeContent::List(old), TreeContent::List(new)) = (a.root().content(), b.root().content()) else {
        panic!("both are lists");
    };
    let found: Vec<bool> =
        (0..5).map(|n| twins.is_identical(old.get(n).unwrap(), new.get(n).unwrap()).unwrap()).collect();
    assert_eq!(found, [false, true, false, true, false]);
}

#[test]
fn order_counts_and_work_is_limited() {
    let (a, b) = (file(r#"{"a":1,"b":2}"#, Profile::Full), file(r#"{"b":2,"a":1}"#, Profile::Full));
    let (a, b) = (a.view().tree().unwrap(), b.view().tree().unwrap());
    assert_eq!(Twins::new(&a, &b, 100).is_identical(a.root(), b.root()), Ok(false));
    assert_eq!(Twins::new(&a, &a, 0).is_identical(a.root(), a.root()), Err(TooMuchWork));
}

type Tune = fn(&mut Tuning);

/// A file that stores these values in a certain way.
fn tuned(text: &str, tuning: Tune) -> DocumentFile<Vec<u8>> {
    let mut tuned = Tuning::default();
    tuning(&mut tuned);
    let bytes = compile_tuned(text.as_bytes(), &CompileOptions::default(), tuned).unwrap();
    DocumentFile::from_data(bytes).unwrap()
}

/// Whether two documents are identical.
fn is_same(documents: [(&str, Tune); 2]) -> bool {
    let [old, new] = documents.map(|(text, tuning)| tuned(text, tuning));
    let (a, b) = (old.view().tree().unwrap(), new.view().tree().unwrap());
    Twins::new(&a, &b, 1 << 20).is_identical(a.root(), b.root()).unwrap()
}

/// The numbers of the resources that are identical.
fn same_resources(documents: [(&str, Tune); 2]) -> Vec<usize> {
    let [old, new] = documents.map(|(text, tuning)| tuned(text, tuning));
    let (a, b) = (old.view().tree().unwrap(), new.view().tree().unwrap());
    let mut twins = Twins::new(&a, &b, 1 << 20);
    let [all, others] = [&a, &b].map(|tree| tree.root().get("vertices").unwrap());
    let pairs = (0..).map_while(|n| Some((n, all.get(&format!("r{n}"))?, others.get(&format!("r{n}"))?)));
    pairs.filter(|&(_, old, new)| twins.is_identical(old, new).unwrap()).map(|(n, ..)| n).collect()
}

/// Resources with records, lists, integers, shared values, and objects that are not records.
fn graph(changed: &[(usize, &str)]) -> String {
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

#[test]
fn documents_are_the_same_whatever_was_done_to_them() {
    let texts = [
        graph(&[]),
        graph(&[(0, "null"), (1, "\"1.5\""), (2, "{}"), (23, "-1")]),
        graph(&[(5, r#"{"deep":[[[[[1]]]]]}"#)]),
        graph(&[]).replace("core", "other"),
        graph(&[]).replace("a:b:C", "a:b:D"),
        graph(&[]).replacen(r#""r0""#, r#""r00""#, 1),
    ];
    let tunings: [Tune; 5] = [
        |_| {},
        |tuning| tuning.shared_values = false,
        |tuning| (tuning.frequent_first, tuning.nested_slots) = (false, false),
        |tuning| (tuning.integer_slots, tuning.constant_slots) = (false, false),
        |tuning| (tuning.wide, tuning.string_min_uses) = (true, 9),
    ];
    for (n, old) in texts.iter().enumerate() {
        for (m, new) in texts.iter().enumerate() {
            for (k, tuning) in tunings.into_iter().enumerate() {
                assert_eq!(is_same([(old, TUNINGS[0]), (new, tuning)]), n == m, "{n} {m} {k}");
            }
        }
    }
}

/// Ways to store the same values. All of them share the same values.
const TUNINGS: [Tune; 6] = [
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
    let expected: Vec<usize> = (0..24).filter(|n| ![3, 20].contains(n)).collect();
    for constant in constants {
        let (plain, mixed) = (uniform(constant, &[]), uniform(constant, &[(3, "\"another\""), (20, "7.5")]));
        for (n, of_plain) in TUNINGS.into_iter().enumerate() {
            for (m, of_mixed) in TUNINGS.into_iter().enumerate() {
                let (plain, mixed) = ((&*plain, of_plain), (&*mixed, of_mixed));
                for pair in [[plain, mixed], [mixed, plain]] {
                    assert_eq!(same_resources(pair), expected, "{constant} {n} {m}");
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
            let plain = uniform(old, &[]);
            // So that it is not a constant.
            let mixed = uniform(new, &[(5, "\"5\""), (6, "\"6\"")]);
            let (plain, mixed) = ((&*plain, TUNINGS[0]), (&*mixed, TUNINGS[0]));
            for pair in [[plain, mixed], [mixed, plain]] {
                let expected = if old == new { 22 } else { 0 };
                assert_eq!(same_resources(pair).len(), expected, "{old} {new}");
            }
        }
    }
}

mod properties {
    use super::*;
    use proptest::prelude::*;

    /// Entries that a resource may have or not have, with what most have there.
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

        /// Whatever is a constant, nested, an integer slot or another shape in only one of two
        /// files, the same resources are identical as among the texts.
        #[test]
        fn the_same_resources_are_found_however_they_are_stored(
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
            let texts = [&old, &new].map(|resources| document(resources));
            let found = same_resources([(&texts[0], TUNINGS[tunings.0]), (&texts[1], TUNINGS[tunings.1])]);
            let expected: Vec<usize> = (0..old.len()).filter(|&n| old[n] == new[n]).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
