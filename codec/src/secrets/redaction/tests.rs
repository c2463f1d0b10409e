//! Tests the output for documents with secrets, and the cost of finding these.

use super::*;
use crate::compile::{CompileOptions, LandmarkChoice, compile};
use crate::event::ValueSink;
use crate::read::file::DocumentFile;
use crate::read::stream::Budget;
use crate::read::view::{Content, ValueView};
use crate::secrets::words::all_words;
use crate::text::json::{JsonStyle, Printer};
use coconut_format::ErrorKind;
use coconut_format::graph::SIGNATURE_KEY;
use coconut_format::landmark::DIALECTS;

/// A source of the tests of `coco-inspect`.
fn fixture(name: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../inspect-cli/tests/fixtures/");
    std::fs::read(format!("{folder}{name}")).unwrap()
}

fn with_document(text: &[u8], check: impl FnOnce(DocumentView<'_>)) {
    let bytes = compile(text, &CompileOptions::default()).unwrap().bytes;
    check(DocumentFile::from_data(&bytes[..]).unwrap().view());
}

/// The paths to this value and to all values below it, with their pointers.
fn ways<'a>(value: ValueView<'a>, way: &[Step<'a>], pointer: &str, out: &mut Vec<(String, Vec<Step<'a>>)>) {
    out.push((pointer.to_owned(), way.to_vec()));
    let mut enter = |trail, value: ValueView<'a>| {
        let mut pointer = pointer.to_owned();
        match trail {
            Trail::Entry(key) => push_key(&mut pointer, key),
            Trail::Item(index) => push_index(&mut pointer, index),
            Trail::Root => {}
        }
        ways(value, &[way, &[(trail, value)]].concat(), &pointer, out);
    };
    match value.content().unwrap() {
        Content::List(list) => {
            list.items().enumerate().for_each(|(index, item)| enter(Trail::Item(index), item.unwrap()));
        }
        Content::Object(object) => object.iter().for_each(|entry| {
            let (key, value) = entry.unwrap();
            enter(Trail::Entry(key), value);
        }),
        _ => {}
    }
}

/// Searching along the path to one value must find the same secrets as searching the whole
/// document.
fn assert_ways_agree_with_the_whole(text: &[u8], secrets: usize) {
    with_document(text, |document| {
        let whole = Redaction::of_document(document, false).unwrap();
        let mut all = Vec::new();
        ways(document.root(), &[], "", &mut all);
        for landmark in document.landmarks().unwrap() {
            let landmark = landmark.unwrap();
            let Some(way) = landmark.indexed_way().unwrap() else { continue };
            let along = Redaction::of_value_in(document, Some(landmark), &way, false).unwrap();
            let ends_at = |end: &Vec<Step<'_>>| end.last().map(|(_, value)| value.offset());
            let (own, _) = all.iter().find(|(_, other)| ends_at(other) == ends_at(&way)).unwrap();
            for (pointer, _) in all.iter().filter(|(pointer, _)| pointer.starts_with(own)) {
                assert_eq!(along.hides(pointer), whole.hides(pointer), "{pointer} by the index");
            }
        }
        let mut hidden = 0;
        for (pointer, way) in &all {
            let along = Redaction::of_value(document, way, false).unwrap();
            assert_eq!(along.hides(pointer), whole.hides(pointer), "{pointer}");
            hidden += usize::from(whole.hides(pointer));
        }
        assert_eq!(hidden, secrets);
    });
}

#[test]
fn a_value_of_a_checkpoint_hides_the_secrets_of_the_checkpoint() {
    assert_ways_agree_with_the_whole(&fixture("stack.json"), 2);
}

#[test]
fn a_value_of_a_state_hides_the_secrets_of_the_state() {
    assert_ways_agree_with_the_whole(&fixture("state.json"), 3);
}

#[test]
fn a_secret_of_pulumi_in_a_state_is_found_without_other_secrets() {
    let outputs = format!(r#"{{"stack":{{"type":"x","value":{{"key":{}}}}}}}"#, signed("canary"));
    let state = r#""version":4,"terraform_version":"1.9.0","serial":1,"lineage":"l","resources":[]"#;
    assert_ways_agree_with_the_whole(format!(r#"{{{state},"outputs":{outputs}}}"#).as_bytes(), 1);
}

#[test]
fn a_value_of_a_plan_hides_the_secrets_of_the_plan() {
    let declared = r#"{"s":{"default":"canary","sensitive":true},"o":{"default":"x"}}"#;
    let module = format!(r#"{{"m":{{"source":"./m","module":{{"variables":{declared}}}}}}}"#);
    let root = format!(r#"{{"variables":{declared},"module_calls":{module}}}"#);
    let given = r#"{"s":{"value":"canary"},"o":{"value":"x"}}"#;
    let plan = format!(
        r#"{{"format_version":"1.2","terraform_version":"1.9.0","variables":{given},"planned_values":{{}},
        "resource_changes":[],"configuration":{{"root_module":{root}}}}}"#
    );
    assert_ways_agree_with_the_whole(plan.as_bytes(), 3);
}

#[test]
fn a_header_that_names_another_dialect_reveals_nothing() {
    for (text, secrets) in [(fixture("stack.json"), 2), (fixture("state.json"), 3)] {
        for dialect in DIALECTS {
            let landmarks = LandmarkChoice::Dialect(dialect);
            let options = CompileOptions { landmarks, ..CompileOptions::default() };
            let bytes = compile(&text, &options).unwrap().bytes;
            let file = DocumentFile::from_data(&bytes[..]).unwrap();
            assert_eq!(file.view().header().dialect.as_deref(), Some(dialect.name));
            let redaction = Redaction::of_document(file.view(), false).unwrap();
            let mut sink = redaction.sink(&[], ValueSink::new());
            file.view().stream(&mut sink, Budget::default()).unwrap();
            let printed = format!("{:?}", sink.into_inner().finish().unwrap());
            assert_eq!(printed.matches("[secret]").count(), secrets, "{}", dialect.name);
            assert!(!printed.contains("canary"), "{}", dialect.name);
        }
    }
}

#[test]
fn secrets_of_configuration_are_found_without_other_secrets() {
    let text = br#"{"config": {"a:b": {"secure": "v1:x"}}, "latest": {"resources": [{"urn": "u"}]}}"#;
    assert_ways_agree_with_the_whole(text, 1);
}

#[test]
fn a_document_with_too_many_secrets_is_refused() {
    // Builds as many lists as levels are needed to reach 2^19 secrets; each level doubles the one
    // before.
    let secret = format!(r#"{{"{SIGNATURE_KEY}":"1b47061264138c4ac30d75fd1eb44270","plaintext":"x"}}"#);
    let text = (0..19).fold(secret, |below, _| format!("[{below},{below}]"));
    with_document(text.as_bytes(), |document| {
        assert!(document.length() < 2000);
        let error = Redaction::of_document(document, false).unwrap_err();
        let (count, limit) = ((1 << 20) + 1, 1 << 20);
        assert_eq!(error.kind(), ErrorKind::TooMany { what: "steps to secrets", count, limit });
    });
}

/// An object with `secret` `2^levels` times, each next to a value without secrets of more than
/// `2^levels` texts.
fn secrets_beside_others(secret: &str, levels: u32) -> String {
    let twice =
        |below: String, level: u32| format!(r#"{{"level":{level},"l":{below},"k":"k","r":[{below}]}}"#);
    let beside = (0..levels).fold(r#"{"leaf":"of some length","at":{"line":1}}"#.to_owned(), twice);
    let pair = format!(r#"[{secret},{beside},[{beside}]]"#);
    (0..levels).fold(pair, twice)
}

fn signed(plaintext: &str) -> String {
    format!(r#"{{"{SIGNATURE_KEY}":"1b47061264138c4ac30d75fd1eb44270","plaintext":"{plaintext}"}}"#)
}

#[test]
fn shared_values_next_to_a_secret_are_printed_unchanged() {
    for levels in 0..6 {
        let [text, expected] =
            ["x", SECRET].map(|plaintext| secrets_beside_others(&signed(plaintext), levels));
        with_document(text.as_bytes(), |document| {
            let redaction = Redaction::of_document(document, false).unwrap();
            let mut sink = redaction.sink(&[], Printer::new(Vec::new(), JsonStyle::Minified));
            document.stream(&mut sink, Budget::default()).unwrap();
            let printed = String::from_utf8(sink.into_inner().finish().unwrap()).unwrap();
            assert_eq!(printed, expected, "{levels} levels");
        });
    }
}

/// The number of values visited by a search in the whole document as a tree, of which there may be
/// `limit`.
fn searched(document: DocumentView<'_>, limit: u64) -> Result<(PathSet, u64), DecodeError> {
    let (tree, visited) = (document.tree()?, Cell::new(0));
    let dialects = dialects_of(document, tree.root());
    let places =
        Search { document, limit }.secrets((tree.root(), Whole), &dialects, &visited, &all_words())?;
    Ok((places, visited.get()))
}

#[test]
fn what_is_shared_beside_a_secret_is_searched_once() {
    let levels = 6;
    let text = secrets_beside_others(&signed("x"), levels);
    with_document(text.as_bytes(), |document| {
        // 64 secrets in containers of some values each. The whole document has 300 values for each
        // of them.
        let (places, visited) = searched(document, 4000).unwrap();
        assert!(!places.is_empty());
        let mut sink = ValueSink::new();
        document.stream(&mut sink, Budget::default()).unwrap();
        let values = count(&sink.finish().unwrap());
        assert!(values > 10 * visited, "{values} values, {visited} visited");
    });
}

fn count(value: &Value) -> u64 {
    1 + match value {
        Value::List(items) => items.iter().map(count).sum(),
        Value::Object(entries) => entries.iter().map(|(_, value)| count(value)).sum(),
        _ => 0,
    }
}

#[test]
fn a_document_too_large_to_be_searched_is_refused() {
    with_document(br#"{"a": [1, 2, 3, 4]}"#, |document| {
        assert_eq!(searched(document, 4).unwrap_err().kind(), ErrorKind::Work { limit: 4 });
    });
}

/// The number of values visited by a search for secrets in the whole document, in a tree and along
/// a path.
fn visited_in(text: &str) -> [u64; 2] {
    let mut counts = [0; 2];
    with_document(text.as_bytes(), |document| {
        let (fault, along) = (Cell::new(None), Cell::new(0));
        let root = WatchedView::new(document.root(), &fault).counting(&along);
        let part = Part::new(&[], &[]);
        let dialects = dialects_of(document, root);
        Search { document, limit: u64::MAX }.secrets((root, part), &dialects, &along, &all_words()).unwrap();
        counts = [searched(document, u64::MAX).unwrap().1, along.get()];
    });
    counts
}

#[test]
fn a_wide_object_that_is_shared_is_asked_for_a_signature_once() {
    let wide: Vec<String> = (0..400).map(|number| format!(r#""k{number}":{number}"#)).collect();
    let [few, many] = [3, 203]
        .map(|count| visited_in(&format!("[{}]", vec![format!("{{{}}}", wide.join(",")); count].join(","))));
    // One more item is one value of a tree for each of four walks. A view counts it once more.
    assert_eq!([many[0] - few[0], many[1] - few[1]], [4 * 200, 8 * 200]);
}

#[test]
fn one_long_text_counts_wherever_it_is_a_key_or_is_compared() {
    let long = "k".repeat(32_000);
    for pair in [format!(r#""{long}":1"#), format!(r#""{SIGNATURE_KEY}":"{long}""#)] {
        // Distinct numbers, so only the text is shared.
        let text = |count: u64| {
            let objects: Vec<String> = (0..count).map(|n| format!(r#"{{{pair},"n":{n}.5}}"#)).collect();
            visited_in(&format!("[{}]", objects.join(",")))
        };
        let ([few, few_along], [many, many_along]) = (text(3), text(13));
        assert!(many - few >= 10 * 1000, "{}", many - few);
        assert!(many_along - few_along >= 10 * 1000, "{}", many_along - few_along);
    }
}
