//! §9 Lookups in a small hostile file take time in proportion to its bytes, whatever its
//! references, tables and landmarks. A test whose work grew with the square would run for minutes.

use coconut_codec::compile::{CompileOptions, compile};
use coconut_codec::event::ValueSink;
use coconut_codec::limits;
use coconut_codec::read::file::DocumentFile;
use coconut_codec::read::stream::{Budget, StreamError};
use coconut_codec::read::verify::verify_document;
use coconut_codec::serde::{DeserializeErrorKind, from_view};
use coconut_format::error::FormRule;
use coconut_format::{DecodeError, ErrorKind, Value};
use coconut_tests::crafted::{Crafted, array, integer, string};

const NIL: u8 = 0xc0;
const FALSE: u8 = 0xc2;

/// The number of references in a document. Their square would take minutes.
const MANY: usize = 100_000;

fn open(crafted: &Crafted) -> DocumentFile<Vec<u8>> {
    DocumentFile::from_data(crafted.to_bytes()).expect("the frame of a crafted file is right")
}

/// The document through lazy views.
fn viewed(file: &DocumentFile<Vec<u8>>) -> Result<Value, StreamError> {
    let mut sink = ValueSink::new();
    file.view().root().stream(&mut sink, Budget::default())?;
    Ok(sink.finish().expect("a stream that succeeds is one document"))
}

/// A list of `count` times the value `item`.
fn list_of(count: usize, item: &[u8]) -> Vec<u8> {
    [&array(count + 1)[..], &[NIL], &item.repeat(count)].concat()
}

/// An object of [`MANY`] entries, none of which has the key `name`.
fn large_object() -> Vec<u8> {
    let mut object = [&array(1 + 2 * MANY)[..], &[FALSE]].concat();
    for key in 0..MANY {
        object.extend_from_slice(&string(&format!("k{key:06}")));
        object.push(NIL);
    }
    object
}

#[test]
fn a_shared_value_after_a_large_one_is_found_in_a_moment_each_time() {
    let empty = [0x91, NIL];
    // With few of them there is no table; with many, a reader builds one.
    for small in [1, 200] {
        let mut crafted = Crafted::full(&list_of(MANY, &integer(-2)));
        crafted.shared =
            [&array(1 + small)[..], &list_of(5 * MANY, &[NIL]), &empty.repeat(small)[..]].concat();
        let file = open(&crafted);
        let found = viewed(&file).expect("a good document");
        assert_eq!(found, Value::List(vec![Value::List(Vec::new()); MANY]), "{small} small values");
    }
}

#[test]
fn a_shape_after_a_large_one_is_found_in_a_moment_each_time() {
    let mut large = array(MANY);
    (0..MANY).for_each(|slot| large.extend_from_slice(&string(&format!("k{slot:06}"))));
    let mut crafted = Crafted::full(&list_of(MANY, &[0x92, 1, NIL]));
    crafted.shapes = [&array(2)[..], &large, &[0x91, 0xa1, b'v']].concat();
    let file = open(&crafted);
    let found = viewed(&file).expect("a good document");
    let object = Value::Object(vec![("v".to_owned(), Value::Null)]);
    assert_eq!(found, Value::List(vec![object; MANY]));
}

/// A file whose string 0 contains bytes of a long list, and whose offset table claims that string 0
/// begins there. Also the offset of that table entry.
fn misled_into_a_string() -> (Crafted, u64) {
    let inside = list_of(5 * MANY, &[NIL]);
    let mut text = vec![0xdb];
    text.extend_from_slice(&u32::try_from(inside.len()).expect("below 4 GiB").to_be_bytes());
    let mut crafted = Crafted::full(&list_of(MANY, &[1]));
    crafted.strings = [&array(2)[..], &text, &inside, &string("x")].concat();
    let sample = u32::try_from(crafted.strings_start() + 1 + text.len()).expect("a small file");
    crafted.tables = vec![(16, 3, sample.to_le_bytes().to_vec())];
    let file = crafted.to_bytes();
    let table = file.windows(4).rposition(|window| window == sample.to_le_bytes()).expect("the table");
    (crafted, table as u64)
}

#[test]
fn a_table_that_leads_into_the_middle_of_a_string_is_found_out() {
    let (crafted, table) = misled_into_a_string();
    let file = open(&crafted);
    // The table is believed until following it costs more than searching.
    let first = file.view().root().pointer("/0").expect("a list").expect("it has an item");
    assert_eq!(first.text(), Ok(Some("x")));
    let refused = ErrorKind::IndexDiffers { table: 16 }.at(table);
    assert_eq!(viewed(&file), Err(StreamError::Decode(refused.clone())));
    assert_eq!(first.text(), Err(refused), "and is not believed again");
}

#[test]
fn damage_elsewhere_in_an_element_hides_no_item_of_it() {
    const SMALL: usize = 3;
    let large = list_of(5000, &[NIL]);
    let mut crafted = Crafted::full(&list_of(100, &integer(-2)));
    // The last shared value, to which nothing refers, is cut short.
    crafted.shared = [&array(1 + SMALL)[..], &large, &[0x91, NIL, 0x91, NIL, 0xd9]].concat();
    let file = open(&crafted);
    assert_eq!(viewed(&file), Ok(Value::List(vec![Value::List(Vec::new()); 100])));
}

#[test]
fn repeated_searches_for_keys_in_one_object_are_refused() {
    let mut crafted = Crafted::full(&list_of(MANY, &integer(-1)));
    crafted.shared = [&array(1)[..], &large_object()].concat();
    crafted.set_rule(&["/*[name]"], None, &[]);
    let at = crafted.root_start() as u64;
    let limit = limits::SEARCH_PER_BYTE * crafted.to_bytes().len() as u64;
    let refused = ErrorKind::Work { limit }.at(at);
    assert_eq!(open(&crafted).view().landmark_count(), Err(refused));
}

#[test]
fn values_before_a_reference_in_a_shared_value_are_stepped_over_once() {
    // Each landmark contains the shared parts: a large list, followed by the target of its
    // reference.
    let mut crafted =
        Crafted::full(&list_of(MANY, &[&[0x93, FALSE][..], &string("s"), &integer(-1)].concat()));
    let large = list_of(5 * MANY, &[NIL]);
    let shared = [&[0x95, FALSE][..], &string("large"), &large, &string("to"), &string("x")].concat();
    crafted.shared = [&array(1)[..], &shared].concat();
    crafted.set_rule(&["/*[({name})]"], None, &["next=0/s/to"]);
    let file = open(&crafted);
    let first = file.view().landmark(0).expect("there are few to walk").expect("the first item");
    assert_eq!(first.dependencies().map(|edges| edges.len()), Ok(0), "none of them is `x`");
}

/// A file whose tables claim many times that a landmark begins at one object, whose key is its last
/// entry.
fn many_times_the_same_landmark() -> (Crafted, u32) {
    let large = list_of(5 * MANY, &[NIL]);
    let object = [&[0x95, FALSE][..], &string("large"), &large, &string("id"), &string("x")].concat();
    let mut crafted = Crafted::full(&[&[0x92, NIL][..], &object].concat());
    crafted.set_rule(&["/*[id]"], None, &[]);
    let at = u32::try_from(crafted.root_start() + 2).expect("a small file");
    (crafted, at)
}

fn too_much(crafted: &Crafted) -> DecodeError {
    let limit = limits::SEARCH_PER_BYTE * crafted.to_bytes().len() as u64;
    ErrorKind::Work { limit }.at(crafted.root_start() as u64)
}

#[test]
fn a_table_that_has_a_landmark_again_and_again_makes_no_endless_list() {
    let (mut crafted, at) = many_times_the_same_landmark();
    crafted.tables = vec![(32, 0, at.to_le_bytes().repeat(MANY))];
    let file = open(&crafted);
    assert_eq!(file.view().landmark_count().map(|count| count as usize), Ok(MANY));
    let mut keys = file.view().keys().expect("there is a table");
    let found = loop {
        match keys.read_next() {
            Ok(Some((_, key))) => assert_eq!(key, "x"),
            other => break other.map(drop),
        }
    };
    assert_eq!(found, Err(too_much(&crafted)));
}

#[test]
fn slots_that_lead_to_a_landmark_again_and_again_make_no_endless_lookup() {
    let (mut crafted, at) = many_times_the_same_landmark();
    let slot = [0x8cdc_1683_u32.to_le_bytes(), at.to_le_bytes()].concat();
    let slots = u32::try_from(MANY).expect("few");
    let buckets = (1 << MANY.div_ceil(4).next_power_of_two().trailing_zeros()) + 1;
    let bucket = |number: usize| if number > (0x8cdc_1683 >> 17) { slots } else { 0 };
    let buckets = (0..buckets).flat_map(|number| bucket(number).to_le_bytes()).collect();
    crafted.tables =
        vec![(32, 0, at.to_le_bytes().repeat(MANY)), (35, 0, buckets), (36, 0, slot.repeat(MANY))];
    let file = open(&crafted);
    assert_eq!(file.view().get_all("x").map(drop), Err(too_much(&crafted)));
    assert_eq!(file.view().get_all("y").map(|found| found.len()), Ok(0));
}

#[test]
fn landmarks_that_claim_to_be_in_many_others_cause_no_endless_lookup() {
    const LEVELS: u32 = 401;
    let mut crafted = Crafted::full(&[&[0x93, FALSE][..], &string("x"), &[NIL]].concat());
    crafted.set_rule(&["/*"], Some("/"), &[]);
    let at = u32::try_from(crafted.root_start() + 2).expect("a small file");
    let count = u32::try_from(MANY).expect("few");
    let parents = (0..count).map(|ordinal| ordinal.min(LEVELS).wrapping_sub(1));
    let tree = parents.flat_map(|parent| [parent, count]).flat_map(u32::to_le_bytes).collect();
    let slot = [0x22b0_7492_u32.to_le_bytes(), at.to_le_bytes()].concat();
    let buckets = (1 << MANY.div_ceil(4).next_power_of_two().trailing_zeros()) + 1;
    let bucket = |number: usize| if number > (0x22b0_7492 >> 17) { count } else { 0 };
    let buckets = (0..buckets).flat_map(|number| bucket(number).to_le_bytes()).collect();
    crafted.tables = vec![
        (32, 0, at.to_le_bytes().repeat(MANY)),
        (34, 0, tree),
        (35, 0, buckets),
        (36, 0, slot.repeat(MANY)),
    ];
    let file = open(&crafted);
    let key = vec!["x"; LEVELS as usize + 1].join("/");
    assert_eq!(file.view().get_all(&key).map(drop), Err(too_much(&crafted)));
}

#[test]
fn the_key_of_a_container_of_many_landmarks_is_read_once() {
    let modules: Vec<String> = (0..MANY).map(|n| format!(r#""m{n}":null"#)).collect();
    let text = format!(r#"{{"modules":{{{}}},"name":"p"}}"#, modules.join(","));
    let options = CompileOptions { document_type: Some("cocopack".to_owned()), ..CompileOptions::default() };
    let compiled = compile(text.as_bytes(), &options).expect("a good source");
    let file = DocumentFile::from_data(&compiled.bytes[..]).expect("it opens");
    let mut keys = file.view().keys().expect("it has tables");
    let mut found = Vec::new();
    while let Some((_, key)) = keys.read_next().expect("a good file") {
        found.push(key.to_owned());
    }
    assert_eq!((found.len(), &found[0][..], &found[MANY][..]), (1 + MANY, "p", "p:m99999"));
}

#[test]
fn entries_that_no_pattern_leads_into_are_passed_by_once() {
    let mut crafted = Crafted::full(&list_of(MANY, &integer(-1)));
    crafted.shared = [&array(1)[..], &large_object()].concat();
    crafted.set_rule(&["/*/name/*"], None, &[]);
    assert_eq!(open(&crafted).view().landmark_count(), Ok(0));
}

#[test]
fn a_walk_for_landmarks_ends_at_the_maximum_depth() {
    // Each level has a field after the next level, which must be skipped to find the name.
    let nested = |levels: usize| {
        let (open, close) = ([0x95, FALSE, 0xa0], [string("name"), string("x")].concat());
        let mut crafted = Crafted::full(&[&open.repeat(levels)[..], &[NIL], &close.repeat(levels)].concat());
        crafted.set_rule(&["(/*)*[name]"], None, &[]);
        crafted
    };
    for levels in [511, 512, 513, MANY] {
        let crafted = nested(levels);
        let too_deep = ErrorKind::Depth { limit: 512 }.at((crafted.root_start() + 3 * 512) as u64);
        let expected = if levels > 512 { Err(too_deep) } else { Ok(levels as u32) };
        assert_eq!(open(&crafted).view().landmark_count(), expected, "{levels} levels");
    }
}

#[test]
fn landmarks_in_shared_values_are_refused_before_they_are_collected() {
    // 2^24 objects with a name, in the same shared value.
    const LEVELS: usize = 24;
    let named = [&[0x93, FALSE][..], &string("name"), &string("x")].concat();
    let mut crafted = Crafted::full(&integer(-(LEVELS as i64)));
    crafted.shared = [&array(LEVELS)[..], &[0x93, NIL], &named, &named].concat();
    for id in 1..LEVELS {
        crafted.shared.extend_from_slice(&[0x93, NIL]);
        crafted.shared.extend_from_slice(&integer(-(id as i64)).repeat(2));
    }
    crafted.set_rule(&["(/*)*[name]"], None, &[]);
    let first = crafted.strings_start() + 2 + array(LEVELS).len() + 2;
    let file = open(&crafted);
    let counted = file.view().landmark_count();
    assert_eq!(counted, Err(ErrorKind::ValueForm { rule: FormRule::Landmark }.at(first as u64)));
}

/// A graph of `count` resources, each with these outputs and dependencies.
fn graph(count: usize, outputs: &str, dependencies: &str) -> Vec<u8> {
    let resource = |n: usize| {
        format!(
            r#"{{"urn":"urn:pulumi:a::b::t:i/n:T::r{n}","type":"t:i/n:T","outputs":{outputs},"dependencies":{dependencies}}}"#
        )
    };
    let resources: Vec<String> = (0..count).map(resource).collect();
    let text = format!(r#"{{"manifest":{{}},"resources":[{}]}}"#, resources.join(","));
    compile(text.as_bytes(), &CompileOptions::default()).expect("a good document").bytes
}

/// The rule of the first finding, the number of findings, and the text of the last one.
fn verified(bytes: &[u8]) -> (&'static str, usize, String) {
    let file = DocumentFile::from_data(bytes).expect("a file just written");
    let findings = verify_document(file.view(), &[]).expect("a good document");
    let (first, last) = (&findings[0].finding, &findings[findings.len() - 1].finding);
    (first.rule.id, findings.len(), last.to_string())
}

#[test]
fn a_long_list_of_findings_about_a_graph_is_cut_off() {
    const UNKNOWN: &str = r#""04da6b54-80e4-46f7-96ec-b56ff0331ba9""#;
    let more = |count: usize| {
        format!("error TREE-MORE at ``: there are more findings than can be listed: found {count} more")
    };
    // Few resources are verified as a tree, many through the index.
    for resources in [5, 50] {
        let each = 150_000 / resources;
        let unknown = graph(resources, &format!("[{}]", vec![UNKNOWN; each].join(",")), "[]");
        assert_eq!(verified(&unknown), ("GRF-UNKNOWN", 100_001, more(50_000)), "{resources} resources");
        let dangling = graph(resources, "[]", &format!("[{}]", vec![r#""x""#; each].join(",")));
        assert_eq!(verified(&dangling), ("GRF-REF", 100_001, more(50_000)), "{resources} resources");
    }
}

#[test]
fn findings_with_long_texts_are_cut_off_sooner() {
    // Each finding repeats a text of 1 MiB, which the file has once.
    let long = format!("\"{}\"", "x".repeat(1 << 20));
    for resources in [5, 50] {
        let each = 100 / resources;
        let dangling = graph(resources, "[]", &format!("[{}]", vec![&long[..]; each].join(",")));
        let last =
            "error TREE-MORE at ``: there are more findings than can be listed: found 37 more".to_owned();
        assert_eq!(verified(&dangling), ("GRF-REF", 63 + 1, last), "{resources} resources");
    }
}

#[test]
fn ignored_values_are_counted_as_often_as_they_are_shared() {
    #[derive(Debug, serde::Deserialize)]
    struct Nothing {}
    const TEXT: usize = 8 << 20;
    const NULLS: usize = 1000;
    let text = [&[0xdb][..], &(TEXT as u32).to_be_bytes(), &vec![b'x'; TEXT]].concat();
    let entries = [&[0xa1, b't'][..], &text, &[0xa0, NIL].repeat(NULLS)].concat();
    let mut crafted = Crafted::full(&list_of(MANY, &integer(-1)));
    crafted.shared = [&array(1)[..], &array(1 + 2 * (1 + NULLS)), &[FALSE], &entries].concat();
    let file = open(&crafted);
    let error = from_view::<Vec<Nothing>>(file.view().root()).expect_err("too much");
    let DeserializeErrorKind::Decode(refused) = error.kind() else { panic!("not {error}") };
    let limit = limits::IGNORED_VALUES;
    assert_eq!(refused.kind(), ErrorKind::Work { limit });
    // A value for each entry, and one for every 32 bytes of the text.
    let each = 1 + TEXT as u64 / limits::BYTES_PER_STEP + NULLS as u64;
    let whole = limit / each;
    assert_eq!(error.path(), format!("/{whole}/t"), "{error}");
}
