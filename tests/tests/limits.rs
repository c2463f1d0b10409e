//! §9 Limits: each at its value and above it, and the cost of hostile files.

use coconut_codec::Profile;
use coconut_codec::compile::{CompileError, CompileOptions, LandmarkChoice, compile};
use coconut_codec::event::EventSink as _;
use coconut_codec::limits;
use coconut_codec::read::file::DocumentFile;
use coconut_codec::read::file::OpenErrorKind;
use coconut_codec::read::stream::{Budget, Meter, StreamError};
use coconut_codec::read::verify::verify_document_as;
use coconut_codec::read::view::{Content, ValueView};
use coconut_codec::serde::{DeserializeErrorKind, from_view};
use coconut_codec::text::{SourceFormat, json, yaml};
use coconut_codec::write::interner::Interner;
use coconut_codec::write::{WriteError, Writer, WriterOptions};
use coconut_format::landmark::{Dialect, LandmarkRule};
use coconut_format::{DecodeError, ErrorKind};
use coconut_tests::checksums::{TRAILER, parts};
use coconut_tests::counter::Counter;
use coconut_tests::crafted::{Crafted, array, integer, string};
use coconut_tests::generate;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::thread;

mod edges;

const NIL: u8 = 0xc0;
const FALSE: u8 = 0xc2;

/// Far more levels than any stack here can hold.
const DEEP: usize = 10_000_000;

/// Runs `test` on a stack of 64 KiB.
fn on_a_small_stack(test: impl FnOnce() + Send + 'static) {
    let thread = thread::Builder::new().stack_size(64 << 10).spawn(test).expect("a thread");
    thread.join().expect("the test on the small stack");
}

fn open(crafted: &Crafted) -> DocumentFile<Vec<u8>> {
    DocumentFile::from_data(crafted.to_bytes()).expect("the frame of a crafted file is right")
}

/// The events of a stream, and its result.
fn streamed(file: &DocumentFile<Vec<u8>>, budget: Budget) -> (u64, Result<(), StreamError>) {
    let mut counter = Counter::default();
    let result = file.view().stream(&mut counter, budget);
    (counter.events, result)
}

/// The first item or entry of the first item or entry …, as deep as it goes.
fn first_of_all(root: ValueView<'_>) -> Result<usize, DecodeError> {
    let mut value = root;
    let mut levels = 0;
    loop {
        let inside = match value.content()? {
            Content::List(list) => list.get(0)?,
            Content::Object(object) => object.iter().next().transpose()?.map(|(_, value)| value),
            _ => None,
        };
        match inside {
            Some(inside) => value = inside,
            None => return Ok(levels),
        }
        levels += 1;
    }
}

/// Every way of reading a whole document that is too deep ends in this error, on a small stack.
fn assert_too_deep(crafted: Crafted, expected: DecodeError) {
    on_a_small_stack(move || {
        let file = open(&crafted);
        let view = file.view();
        let (events, stream) = streamed(&file, Budget::default());
        assert_eq!((events, stream), (0, Err(StreamError::Decode(expected.clone()))));
        assert_eq!(view.check_values(), Err(expected.clone()));
        assert_eq!(view.tree().map(drop), Err(expected.clone()));
        assert_eq!(view.check_integrity().map(drop), Err(expected));
    });
}

fn too_deep() -> ErrorKind {
    ErrorKind::Depth { limit: 512 }
}

#[test]
fn deep_lists_kill_no_stack() {
    let mut root = [0x92, NIL].repeat(DEEP);
    root.push(NIL);
    let crafted = Crafted::full(&root);
    let at = crafted.root_start() + 2 * 512;
    assert_too_deep(crafted, too_deep().at(at as u64));
}

#[test]
fn deep_objects_kill_no_stack() {
    let mut root = [0x93, FALSE, 0xa0].repeat(DEEP);
    root.push(NIL);
    let crafted = Crafted::full(&root);
    let at = crafted.root_start() + 3 * 512;
    assert_too_deep(crafted, too_deep().at(at as u64));
}

#[test]
fn deep_maps_of_profile_plain_kill_no_stack() {
    let mut root = [0x81, 0xa0].repeat(DEEP);
    root.push(NIL);
    let crafted = Crafted::plain(&root);
    let at = crafted.root_start() + 2 * 512;
    assert_too_deep(crafted, too_deep().at(at as u64));
}

#[test]
fn deep_shared_values_kill_no_stack() {
    const COUNT: usize = DEEP;
    let mut crafted = Crafted::full(&integer(-(COUNT as i64)));
    let mut shared = array(COUNT);
    shared.extend_from_slice(&[0x92, NIL, NIL]);
    let mut too_deep_at = 0;
    for id in 1..COUNT {
        shared.extend_from_slice(&[0x92, NIL]);
        if id == 512 {
            too_deep_at = crafted.strings_start() + 2 + shared.len();
        }
        shared.extend_from_slice(&integer(-(id as i64)));
    }
    crafted.shared = shared;
    assert_too_deep(crafted, too_deep().at(too_deep_at as u64));
}

#[test]
fn deep_shapes_kill_no_stack() {
    // Ten million take more than a gigabyte. `.ci/deep` sets that number.
    let count = std::env::var("COCONUT_SHAPES").map_or(DEEP / 10, |count| count.parse().expect("a number"));
    let mut crafted = Crafted::full(&[&[0x92][..], &integer(count as i64 - 1), &[NIL]].concat());
    let mut shapes = array(count);
    shapes.extend_from_slice(b"\x91\xa1k");
    for id in 0..count - 1 {
        shapes.extend_from_slice(b"\x91\x92\xa1k");
        shapes.extend_from_slice(&integer(id as i64));
    }
    crafted.shapes = shapes;
    let at = crafted.root_start();
    assert_too_deep(crafted, too_deep().at(at as u64));
}

/// The offset of the header of a file: after the signature.
fn header_start(bytes: &[u8]) -> usize {
    bytes.windows(10).position(|window| window == b"\xc4\x08\x89CC\r\n\x1a\n\0").expect("a signature") + 10
}

#[test]
fn a_deep_header_kills_no_stack() {
    on_a_small_stack(|| {
        for levels in [60_000, DEEP] {
            let mut deep = [0x91].repeat(levels);
            deep.push(NIL);
            let mut crafted = Crafted::full(&[NIL]);
            crafted.set("unknown", rmpv::Value::Binary(Vec::new()));
            let bytes = crafted.to_bytes();
            let at = bytes.windows(9).position(|window| window == b"\xa7unknown\xc4").expect("the key") + 8;
            // Parts are elsewhere now; the header is read before that is noticed.
            let mut longer = [&bytes[..at], &deep, &bytes[at + 2..]].concat();
            coconut_tests::checksums::repair(&mut longer);
            let error =
                DocumentFile::from_data(longer).map(drop).expect_err("its directory is of another file");
            match levels {
                DEEP => assert_eq!(error, long_header(&bytes)),
                _ => assert!(matches!(error.kind(), ErrorKind::PartRange { .. }), "{error}"),
            }
        }
    });
}

/// The error of a header that needs more bytes than it may have.
fn long_header(bytes: &[u8]) -> DecodeError {
    let limit = limits::HEADER_BYTES as u64;
    ErrorKind::EnvelopeLimit { what: "bytes of its header", limit }.at(header_start(bytes) as u64 + limit)
}

#[test]
fn a_header_of_64_kib_is_read_and_a_longer_one_is_not() {
    let file = |filling: usize| {
        let mut crafted = Crafted::full(&[NIL]);
        crafted.set("unknown", rmpv::Value::Binary(vec![0; filling]));
        let bytes = crafted.to_bytes();
        let length = crafted.strings_start() - header_start(&bytes);
        (bytes, length)
    };
    let written = |filling: usize| {
        let pattern = format!("/*[{}]", "k".repeat(filling));
        let rule = LandmarkRule::parse(&["/a", &pattern], None, &[]).expect("a rule");
        let mut interner = Interner::new();
        interner.null().expect("a document");
        Writer::new(WriterOptions { rule, ..WriterOptions::new("document") })
            .to_bytes(&interner.finish().expect("one whole document"))
    };
    const FILLING: usize = 60_000;
    let of_reader = file(FILLING).1 - FILLING;
    let open = |bytes: Vec<u8>| {
        DocumentFile::from_data(bytes).and_then(|file| file.header().rule().map(|rule| rule.patterns().len()))
    };
    let start = |bytes: &[u8]| header_start(bytes);
    let bytes = written(FILLING).expect("a header that is not too long");
    let strings = parts(&bytes).iter().find(|place| place.part == 1).expect("strings").bytes.start;
    let of_writer = strings - start(&bytes) - FILLING;
    for length in [limits::HEADER_BYTES - 1, limits::HEADER_BYTES, limits::HEADER_BYTES + 1] {
        let is_long = length > limits::HEADER_BYTES;
        let (bytes, found) = file(length - of_reader);
        assert_eq!(found, length);
        let expected = if is_long { Err(long_header(&bytes)) } else { Ok(0) };
        assert_eq!(open(bytes), expected, "{length} bytes");
        let refused = WriteError::LongHeader { length: length as u64, limit: limits::HEADER_BYTES as u64 };
        assert_eq!(refused.code(), "LIM-HEADER");
        let expected = if is_long { Err(refused) } else { Ok(Ok(2)) };
        assert_eq!(written(length - of_writer).map(open), expected, "{length} bytes written");
    }
}

#[test]
fn a_lazy_walk_goes_as_deep_as_the_file() {
    on_a_small_stack(|| {
        const LEVELS: usize = 2_000;
        let mut root = [0x92, NIL].repeat(LEVELS);
        root.push(NIL);
        let file = open(&Crafted::full(&root));
        assert_eq!(first_of_all(file.view().root()), Ok(LEVELS));
        assert_eq!(file.view().root().span().map(|span| span.end - span.start), Ok(2 * LEVELS as u64 + 1));
        let lazy = file.view().root().stream(&mut Counter::default(), Budget::default());
        assert!(matches!(&lazy, Err(StreamError::Decode(error)) if error.kind() == too_deep()), "{lazy:?}");
    });
}

#[test]
fn deep_json_kills_no_stack() {
    on_a_small_stack(|| {
        for (text, column) in [("[", 513), ("{\"a\":", 512 * 5 + 1)] {
            let text = text.repeat(DEEP / text.len());
            let error = json::read(text.as_bytes(), &mut Interner::new(), &json::JsonOptions::default())
                .expect_err("it is too deep");
            assert_eq!((error.code(), error.at().line, error.at().column), ("SRC-DEPTH", 1, column));
        }
    });
}

#[test]
fn deep_yaml_kills_no_stack() {
    on_a_small_stack(|| {
        for unit in ["[", "{a: ", "- ", "? "] {
            let text = unit.repeat(DEEP);
            let error = yaml::read(text.as_bytes(), &mut Interner::new(), &yaml::YamlOptions::default())
                .expect_err("it is too deep");
            assert!(["SRC-DEPTH", "SRC-YAML", "SRC-YAML-KEY"].contains(&error.code()), "{unit}: {error}");
        }
    });
}

#[test]
fn telling_the_format_of_a_deep_text_kills_no_stack() {
    on_a_small_stack(|| {
        assert_eq!(SourceFormat::of_text("[".repeat(DEEP).as_bytes()), SourceFormat::Json);
        assert_eq!(SourceFormat::of_text(("[".repeat(DEEP) + "a").as_bytes()), SourceFormat::Yaml);
    });
}

#[test]
fn depth_512_is_read_and_513_is_not() {
    for (levels, expected) in [(511, Ok(())), (512, Ok(())), (513, Err("SRC-DEPTH"))] {
        let text = "[".repeat(levels) + &"]".repeat(levels);
        let read = json::read(text.as_bytes(), &mut Interner::new(), &json::JsonOptions::default());
        assert_eq!(read.map(drop).map_err(|error| error.code()), expected, "{levels} levels of JSON");
        let mut root = [0x92, NIL].repeat(levels - 1);
        root.push(0x90);
        let crafted = Crafted::full(&root);
        let expected = match levels {
            513 => Err(too_deep().at((crafted.root_start() + 2 * 512) as u64)),
            _ => Ok(()),
        };
        let file = open(&crafted);
        assert_eq!(file.view().check_values(), expected, "{levels} levels");
        assert_eq!(file.view().tree().map(drop), expected, "{levels} levels as a tree");
    }
}

/// `levels` shared values, each a list that contains the previous one twice; about five bytes each.
fn doubling(levels: usize) -> Crafted {
    let mut shared = array(levels);
    shared.extend_from_slice(&[0x92, NIL, NIL]);
    for id in 1..levels {
        shared.extend_from_slice(&[0x93, NIL]);
        shared.extend_from_slice(&integer(-(id as i64)).repeat(2));
    }
    let mut crafted = Crafted::full(&integer(-(levels as i64)));
    crafted.shared = shared;
    let values = (3u64 << (levels - 1)) - 1;
    crafted.set("values", values.into());
    crafted.set("depth", (levels as u64).into());
    crafted
}

#[test]
fn a_small_file_that_expands_to_2_to_the_40_is_refused_without_output() {
    let crafted = doubling(40);
    assert!(crafted.to_bytes().len() < 600, "{} bytes", crafted.to_bytes().len());
    let file = open(&crafted);
    let at = crafted.root_start() as u64;
    let count = (3 << 39) - 1;
    let refused = |limit| ErrorKind::Nodes { count, limit }.at(at);
    let (events, result) = streamed(&file, Budget::default());
    assert_eq!((events, result), (0, Err(StreamError::Decode(refused(limits::STREAM_VALUES)))));
    assert_eq!(file.view().check_integrity(), Err(refused(limits::STREAM_VALUES)));
    assert_eq!(file.view().check_values(), Ok(()), "each stored value is read once");
    let tree = file.view().tree().expect("what is shared stays shared");
    // The root, the shared values, and their contents.
    assert_eq!(tree.stored_nodes(), 1 + 40 + 1 + 2 * 39);
}

#[test]
fn a_tree_takes_24_bytes_a_stored_value_at_most() {
    for text in [generate::checkpoint(50), generate::provider_schema(50), generate::package(50)] {
        for profile in Profile::ALL {
            let options = CompileOptions { profile, ..CompileOptions::default() };
            let compiled = compile(text.as_bytes(), &options).expect("a generated document");
            let file = DocumentFile::from_data(&compiled.bytes[..]).expect("it opens");
            let tree = file.view().tree().expect("a good file");
            let (bytes, values) = (tree.arena_bytes(), tree.stored_nodes());
            assert!(values > 1000, "{values} values");
            assert!(bytes >= 8 * values, "each value has a node: {bytes} bytes for {values}");
            assert!(bytes <= 24 * values, "{bytes} bytes for {values} values, profile {}", profile.name());
        }
    }
}

#[test]
fn the_budget_of_values_is_exact() {
    let file = open(&doubling(10));
    let values = (3 << 9) - 1;
    let budget = |values| Budget { values, ..Budget::default() };
    let (_, result) = streamed(&file, budget(values));
    assert_eq!(result, Ok(()));
    let (events, result) = streamed(&file, budget(values - 1));
    assert_eq!(events, 0);
    assert!(
        matches!(result, Err(StreamError::Decode(error)) if error.kind() == ErrorKind::Nodes { count: values, limit: values - 1 })
    );
    let root = file.view().root();
    assert_eq!(root.stream(&mut Counter::default(), budget(values)), Ok(()), "a lazy stream");
    let result = root.stream(&mut Counter::default(), budget(values - 1));
    assert!(
        matches!(result, Err(StreamError::Decode(error)) if matches!(error.kind(), ErrorKind::Nodes { .. }))
    );
}

/// The result of a meter for the first item of the root, and the offset of that item.
fn metered_first(file: &DocumentFile<Vec<u8>>) -> (Result<(), DecodeError>, u64) {
    let Ok(Content::List(list)) = file.view().root().content() else { panic!("the root is a list") };
    let first = list.get(0).expect("it can be read").expect("it is there");
    (Meter::new(file.view(), Budget::default()).value(first), first.offset())
}

#[test]
fn a_value_that_expands_to_2_to_the_39_is_foreseen_without_output() {
    let (result, at) = metered_first(&open(&doubling(40)));
    let (count, limit) = ((3 << 38) - 1, limits::STREAM_VALUES);
    assert_eq!(result, Err(ErrorKind::Nodes { count, limit }.at(at)));
}

#[test]
fn nested_shapes_that_describe_everything_are_foreseen() {
    const SHAPES: usize = 60;
    // Each contains the previous one twice, and the first contains a constant.
    let mut shapes = [array(SHAPES), vec![0x91, 0x93, 0xa1, b'c', NIL, FALSE]].concat();
    for id in 1..SHAPES {
        let inner = u8::try_from(id - 1).expect("few");
        shapes.extend_from_slice(&[0x92, 0x92, 0xa1, b'a', inner, 0x92, 0xa1, b'b', inner]);
    }
    let mut crafted = Crafted::full(&[0x92, NIL, 0x91, 59]);
    crafted.shapes = shapes;
    let (result, at) = metered_first(&open(&crafted));
    let (count, limit) = ((3 << 59) - 1, limits::STREAM_VALUES);
    assert_eq!(result, Err(ErrorKind::Nodes { count, limit }.at(at)));
}

#[test]
fn constants_of_many_records_are_foreseen_in_the_time_of_the_records() {
    const SLOTS: usize = 100_000;
    let mut slots = array(SLOTS + 1);
    for number in 0..SLOTS {
        slots.extend_from_slice(&[&[0x93][..], &string(&format!("c{number}")), &[NIL, NIL]].concat());
    }
    let records = [0x92, 0, NIL].repeat(SLOTS);
    let mut crafted = Crafted::full(&[&[0x92, NIL][..], &array(SLOTS + 1), &[NIL], &records].concat());
    crafted.shapes = [&[0x91][..], &slots, &string("value")].concat();
    let (result, at) = metered_first(&open(&crafted));
    let count = 1 + SLOTS as u64 * (1 + SLOTS as u64 + 1);
    assert_eq!(result, Err(ErrorKind::Nodes { count, limit: limits::STREAM_VALUES }.at(at)));
}

#[test]
fn a_long_chain_of_references_is_foreseen_on_a_small_stack() {
    const LENGTH: usize = 100_000;
    // Each shared value is a list of the previous one.
    let mut crafted = Crafted::full(&[&[0x92, NIL][..], &integer(-(LENGTH as i64))].concat());
    crafted.shared = [array(LENGTH), vec![0x92, NIL, NIL]].concat();
    for id in 1..LENGTH {
        crafted.shared.extend_from_slice(&[&[0x92, NIL][..], &integer(-(id as i64))].concat());
    }
    on_a_small_stack(move || {
        let (result, _) = metered_first(&open(&crafted));
        let error = result.expect_err("it is too deep");
        assert_eq!(error.kind(), too_deep());
    });
}

#[test]
fn repeated_strings_count_against_the_budget_of_bytes() {
    const REPEATED: usize = 100;
    let mut crafted = Crafted::full(&[&array(REPEATED + 1)[..], &[NIL], &[0; REPEATED]].concat());
    crafted.strings = [&[0x91][..], &string(&"x".repeat(1000))].concat();
    let file = open(&crafted);
    // One for the list, one and the text for each string.
    let bytes = 1 + REPEATED as u64 * 1001;
    let budget = |bytes| Budget { bytes, ..Budget::default() };
    assert_eq!(streamed(&file, budget(bytes)).1, Ok(()));
    let (events, result) = streamed(&file, budget(bytes - 1));
    let refused = ErrorKind::Bytes { count: bytes, limit: bytes - 1 }.at(crafted.root_start() as u64);
    assert_eq!((events, result), (0, Err(StreamError::Decode(refused))));
    let root = file.view().root();
    assert_eq!(root.stream(&mut Counter::default(), budget(bytes)), Ok(()), "a lazy stream");
    let result = root.stream(&mut Counter::default(), budget(bytes - 1));
    let last = (crafted.root_start() + 3 + REPEATED) as u64;
    let refused = ErrorKind::Bytes { count: bytes, limit: bytes - 1 }.at(last);
    assert_eq!(
        result,
        Err(StreamError::Decode(refused)),
        "a lazy stream ends at the string that is too much"
    );
}

#[test]
fn constants_count_against_the_budget_of_bytes() {
    const RECORDS: usize = 100;
    let record = [0x92, 0, NIL];
    let mut crafted = Crafted::full(&[&array(RECORDS + 1)[..], &[NIL], &record.repeat(RECORDS)].concat());
    let constant = string(&"x".repeat(1000));
    crafted.shapes = [b"\x91\x92\x93\xa1c\xc0", &constant[..], b"\xa1k"].concat();
    let file = open(&crafted);
    // One for the list; for each record one, two keys of one, the constant with its text, and null.
    let bytes = 1 + RECORDS as u64 * (1 + 2 + 1001 + 1);
    assert_eq!(streamed(&file, Budget { bytes, ..Budget::default() }).1, Ok(()));
    let (events, result) = streamed(&file, Budget { bytes: bytes - 1, ..Budget::default() });
    let refused = ErrorKind::Bytes { count: bytes, limit: bytes - 1 }.at(crafted.root_start() as u64);
    assert_eq!((events, result), (0, Err(StreamError::Decode(refused))));
}

#[test]
fn a_search_for_landmarks_visits_shared_values_once_whatever_the_number_of_references() {
    let mut crafted = doubling(40);
    crafted.set_rule(&["(/*)*[name]"], None, &["next=0(/*)*"]);
    let file = open(&crafted);
    assert_eq!(file.view().get_all("a").map(|found| found.len()), Ok(0));
    assert_eq!(file.view().landmark_count(), Ok(0));
}

#[test]
fn references_in_shared_values_are_found_once_for_each_landmark() {
    // Two landmarks, each with 2^40 copies of the first one's name in it.
    let mut crafted = doubling(40);
    let reference = integer(-40);
    crafted.root = [&[0x95, FALSE][..], &string("a"), &reference, &string("b"), &reference].concat();
    crafted.shared.splice(3..6, [&[0x93, NIL][..], &string("a"), &[NIL]].concat());
    crafted.set_rule(&["/*"], None, &["next=0(/*)*"]);
    let file = open(&crafted);
    for key in ["a", "b"] {
        let landmark = file.view().get_all(key).expect("a good file")[0];
        let edges = landmark.dependencies().expect("few distinct ones");
        let targets: Vec<_> = edges.iter().map(|edge| edge.landmark.ordinal()).collect();
        assert_eq!(targets, [Ok(0)], "of {key}");
    }
}

#[test]
fn a_rule_that_makes_something_new_of_all_it_meets_is_refused() {
    // The entries `a` on the last 25 levels are 2^25 states, each of them new.
    const LEVELS: usize = 40;
    let mut crafted = doubling(LEVELS);
    crafted.shared = array(LEVELS);
    crafted.shared.extend_from_slice(&[0x91, FALSE]);
    for id in 1..LEVELS {
        let below = integer(-(id as i64));
        crafted.shared.extend_from_slice(&[0x95, FALSE]);
        crafted.shared.extend_from_slice(&[string("a"), below.clone(), string("b"), below].concat());
    }
    crafted.set_rule(&[&format!("(/*)*/a{}[name]", "/*".repeat(25))], None, &[]);
    let file = open(&crafted);
    assert!(crafted.to_bytes().len() < 1000);
    let counted = file.view().landmark_count();
    let error = counted.expect_err("it is met in a new way each time");
    let (limit, at) = (limits::SEARCH_MIN, crafted.root_start() as u64);
    assert_eq!(error, ErrorKind::Work { limit }.at(at));
}

#[test]
fn parents_that_never_end_are_refused() {
    const COUNT: usize = 2_000;
    // One landmark that claims to be all of them, each inside the previous one.
    let key = string(&"k".repeat(1000));
    let mut crafted = Crafted::full(&[&[0x93, FALSE][..], &key, &[NIL]].concat());
    crafted.set_rule(&["(/*)*/*"], Some("/"), &[]);
    let at = u32::try_from(crafted.root_start() + 2).expect("a small file");
    let offsets: Vec<u8> = (0..COUNT).flat_map(|_| at.to_le_bytes()).collect();
    let count = u32::try_from(COUNT).expect("few");
    let tree: Vec<u8> =
        (0..count).flat_map(|n| [n.wrapping_sub(1).to_le_bytes(), count.to_le_bytes()]).flatten().collect();
    crafted.tables = vec![(32, 0, offsets), (34, 0, tree)];
    let file = open(&crafted);
    let last =
        file.view().landmark(count - 1).expect("it is in the table").expect("it is not behind the last");
    let refused = Err(ErrorKind::IndexRange { table: 34 }.at(u64::from(at)));
    assert_eq!(last.key().map(drop), refused);
    let mut keys = file.view().keys().expect("there are tables");
    let listed = std::iter::from_fn(|| keys.read_next().map(|found| found.map(drop)).transpose());
    let listed: Vec<_> = listed.take(600).collect();
    assert_eq!(listed.iter().position(|found| *found == refused), Some(513), "deeper than any document");
}

#[test]
fn a_parent_that_is_not_around_a_landmark_is_refused_in_a_listing() {
    let entries = [string("a"), vec![NIL], string("b"), vec![NIL], string("c"), vec![NIL]];
    let mut crafted = Crafted::full(&[&[0x97, FALSE][..], &entries.concat()].concat());
    crafted.set_rule(&["(/*)*/*"], Some("/"), &[]);
    let first = u32::try_from(crafted.root_start() + 2).expect("a small file");
    let offsets = [0, 3, 6].iter().flat_map(|at| (first + at).to_le_bytes()).collect();
    // The last one claims to be inside the first, and after the second, which is false.
    let rows = [(u32::MAX, 1), (u32::MAX, 2), (0, 3u32)];
    let tree = rows.into_iter().flat_map(|(parent, end)| [parent.to_le_bytes(), end.to_le_bytes()]);
    crafted.tables = vec![(32, 0, offsets), (34, 0, tree.flatten().collect())];
    let file = open(&crafted);
    let mut keys = file.view().keys().expect("there are tables");
    for expected in ["a", "b"] {
        let (landmark, key) = keys.read_next().expect("a good landmark").expect("it is not the last");
        assert_eq!((key, landmark.key().as_deref()), (expected, Ok(expected)));
    }
    let tree = parts(&crafted.to_bytes()).into_iter().find(|place| place.part == 34).expect("it has a tree");
    let refused = ErrorKind::IndexDiffers { table: 34 }.at((tree.bytes.start + 16) as u64);
    assert_eq!(keys.read_next().map(drop), Err(refused));
}

#[test]
fn full_keys_have_a_limit_together() {
    // 500 nested objects, each key 64 KiB and written once: full keys of 32 MiB, of all landmarks 8
    // GiB.
    const LEVELS: usize = 500;
    let mut root = [0x93, FALSE, 0].repeat(LEVELS);
    root.push(NIL);
    let mut crafted = Crafted::full(&root);
    crafted.strings = [&[0x91][..], &string(&"k".repeat(limits::KEY_BYTES))].concat();
    crafted.set_rule(&["(/*)*/*"], Some("/"), &[]);
    let error = open(&crafted).view().get_all("k").map(drop).expect_err("the index would take 8 GiB");
    let limit = limits::FULL_KEY_BYTES;
    assert!(
        matches!(error.kind(), ErrorKind::TooMany { what: "bytes of full keys", limit: found, .. } if found == limit),
        "{error}"
    );
}

#[test]
fn counts_are_not_believed() {
    for header in [[0xdd, 0xff, 0xff, 0xff, 0xff], [0xdf, 0xff, 0xff, 0xff, 0xff]] {
        let crafted = Crafted::plain(&header);
        let at = crafted.root_start() as u64;
        let expected = ErrorKind::Count { declared: 0xffff_ffff, available: 0 }.at(at);
        let file = open(&crafted);
        assert_eq!(file.view().check_values(), Err(expected.clone()));
        assert_eq!(file.view().tree().map(drop), Err(expected.clone()));
        assert_eq!(file.view().root().content().map(drop), Err(expected));
    }
    for header in [0xc6, 0xdb, 0xc9] {
        let crafted = Crafted::plain(&[header, 0xff, 0xff, 0xff, 0xff, 0, 0]);
        let error = open(&crafted).view().check_values().expect_err("it is not that long");
        assert!(matches!(error.kind(), ErrorKind::Short { needed: 0xffff_ffff, .. }), "{error}");
    }
}

#[test]
fn keys_of_64_kib_are_read_and_longer_ones_are_not() {
    for length in [limits::KEY_BYTES - 1, limits::KEY_BYTES, limits::KEY_BYTES + 1] {
        let key = "k".repeat(length);
        let text = format!("{{\"{key}\":1}}");
        let is_read = length <= limits::KEY_BYTES;
        let read = json::read(text.as_bytes(), &mut Interner::new(), &json::JsonOptions::default());
        assert_eq!(read.is_ok(), is_read, "a key of {length} in JSON");
        let refused = ErrorKind::StringLength { length: length as u64, limit: 65_536 };
        // In place, by id, and in a shape.
        let in_place = Crafted::full(&[&[0x93, FALSE][..], &string(&key), &[NIL]].concat());
        let mut by_id = Crafted::full(&[0x93, FALSE, 0, NIL]);
        by_id.strings = [&[0x91][..], &string(&key)].concat();
        let plain = Crafted::plain(&[&[0x81][..], &string(&key), &[NIL]].concat());
        let mut shape = Crafted::full(&[0x92, 0, NIL]);
        shape.shapes = [&[0x91, 0x91][..], &string(&key)].concat();
        let places = [
            in_place.root_start() + 2,
            by_id.root_start() + 2,
            plain.root_start() + 1,
            shape.strings_start() + 3,
        ];
        for (crafted, at) in [in_place, by_id, plain, shape].iter().zip(places) {
            let expected = if is_read { Ok(()) } else { Err(refused.at(at as u64)) };
            let file = open(crafted);
            assert_eq!(file.view().check_values(), expected, "a key of {length}");
            assert_eq!(file.view().tree().map(drop), expected, "a key of {length} in a tree");
        }
    }
}

#[test]
fn strings_of_256_mib_are_read_and_longer_ones_are_not() {
    for length in [limits::STRING_BYTES - 1, limits::STRING_BYTES, limits::STRING_BYTES + 1] {
        let refused = ErrorKind::StringLength { length: length as u64, limit: limits::STRING_BYTES as u64 };
        let mut text = vec![0xdb];
        text.extend_from_slice(&u32::try_from(length).expect("below 4 GiB").to_be_bytes());
        // Zero bytes are characters too.
        text.resize(5 + length, 0);
        let in_place = Crafted::full(&text);
        // A shape of one constant.
        let mut constant = Crafted::full(&[0x91, 0]);
        constant.shapes = [&[0x91, 0x91, 0x93, 0xa1, b'k', NIL][..], &text].concat();
        let mut in_the_table = Crafted::full(&[NIL]);
        in_the_table.strings = vec![0x91];
        in_the_table.strings.append(&mut text);
        let shapes_start = constant.strings_start() + constant.strings.len();
        let places = [in_place.root_start(), shapes_start + 6, in_the_table.strings_start() + 1];
        for (crafted, at) in [in_place, constant, in_the_table].into_iter().zip(places) {
            let file = open(&crafted);
            drop(crafted);
            let expected = match length > limits::STRING_BYTES {
                true => Err(refused.at(at as u64)),
                false => Ok(()),
            };
            assert_eq!(file.view().check_values(), expected, "{length} bytes at {at}");
        }
    }
}

#[test]
fn an_envelope_of_4096_bytes_is_read_and_a_longer_one_is_not() {
    let start = "application/vnd.coconut+msgpack; document-type=document; version=1; x=";
    for (length, expected) in [(4095, None), (4096, None), (4097, Some("LIM-HEADER"))] {
        let text = start.to_owned() + &"y".repeat(length - start.len() - 2) + "\n\n";
        let found = coconut_format::envelope::EnvelopeView::parse(text.as_bytes()).map(|view| view.length());
        match expected {
            None => assert_eq!(found, Ok(length)),
            Some(code) => assert_eq!(found.map_err(|error| error.kind().code()), Err(code)),
        }
    }
}

#[test]
fn a_directory_of_64_entries_is_read_and_a_longer_one_is_not() {
    const ELEMENTS: u8 = 4;
    for entries in [63, 64, 65] {
        let mut crafted = Crafted::full(&[NIL]);
        crafted.tables = (0..entries - ELEMENTS).map(|n| (128 + n, 0, Vec::new())).collect();
        let bytes = crafted.to_bytes();
        let at = (bytes.len() - TRAILER) as u64;
        let expected = match entries {
            65 => Err(ErrorKind::TooMany { what: "directory entries", count: 65, limit: 64 }.at(at)),
            _ => Ok(()),
        };
        assert_eq!(DocumentFile::from_data(bytes).map(drop), expected, "{entries} entries");
    }
}

#[test]
fn an_index_of_16_mi_landmarks_is_read_and_a_larger_one_is_not() {
    for landmarks in [limits::LANDMARKS - 1, limits::LANDMARKS, limits::LANDMARKS + 1] {
        let mut crafted = Crafted::full(&[NIL]);
        crafted.tables = vec![(32, 0, vec![0; 4 * landmarks])];
        let bytes = crafted.to_bytes();
        drop(crafted);
        // The entry of the table is the last one.
        let at = (bytes.len() - TRAILER - 12) as u64;
        let (count, limit) = (landmarks as u64, limits::LANDMARKS as u64);
        let expected = match landmarks > limits::LANDMARKS {
            true => Err(ErrorKind::TooMany { what: "landmarks", count, limit }.at(at)),
            false => Ok(()),
        };
        assert_eq!(DocumentFile::from_data(bytes).map(drop), expected, "{landmarks} landmarks");
    }
}

#[test]
fn a_package_that_becomes_a_tree_has_the_budget_of_trees() {
    // 3 × 2^22 values: a stream may have them, a tree of owned values of a small file may not.
    let crafted = doubling(23);
    let count = (3 << 22) - 1;
    assert!(count > limits::OWNED_VALUES && count < limits::STREAM_VALUES);
    let file = open(&crafted);
    let package = Dialect::named("package").expect("a dialect of the registry");
    let refused = ErrorKind::Nodes { count, limit: limits::OWNED_VALUES }.at(crafted.root_start() as u64);
    assert_eq!(verify_document_as(file.view(), package, &[]), Err(refused.clone()));
    assert_eq!(file.view().to_value().map(drop), Err(refused));
}

#[test]
fn documents_that_become_trees_together_share_a_budget() {
    let crafted = doubling(20);
    let file = open(&crafted);
    let count = (3 << 19) - 1;
    let mut left = Budget { values: 2 * count, bytes: u64::MAX };
    assert!(file.view().to_value_within(&mut left).is_ok());
    assert_eq!(left.values, count);
    left.values -= 1;
    let refused = ErrorKind::Nodes { count, limit: count - 1 }.at(crafted.root_start() as u64);
    assert_eq!(file.view().to_value_within(&mut left).map(drop), Err(refused));
    for (length, values) in [(0, 1 << 22), (1 << 16, 1 << 22), (1 << 18, 1 << 24), (1 << 30, 1 << 26)] {
        assert_eq!(Budget::owned(length), Budget { values, ..Budget::held(length) });
    }
}

#[test]
fn a_package_that_becomes_a_tree_has_the_budget_of_trees_for_its_text() {
    const LENGTH: usize = 1 << 20;
    let repeated = usize::try_from(limits::HELD_BYTES).expect("256 MiB") / LENGTH;
    let mut crafted = Crafted::full(&[&array(repeated + 1)[..], &[NIL], &vec![0; repeated]].concat());
    crafted.strings = [&[0x91][..], &string(&"x".repeat(LENGTH))].concat();
    let file = open(&crafted);
    // One for the list, one and the text for each string.
    let count = 1 + (repeated * (LENGTH + 1)) as u64;
    assert!(count > limits::HELD_BYTES && count < limits::STREAM_BYTES);
    let package = Dialect::named("package").expect("a dialect of the registry");
    let refused = ErrorKind::Bytes { count, limit: limits::HELD_BYTES }.at(crafted.root_start() as u64);
    assert_eq!(verify_document_as(file.view(), package, &[]), Err(refused.clone()));
    assert_eq!(file.view().to_value().map(drop), Err(refused));
}

#[test]
fn templates_of_32_pieces_are_read_and_longer_ones_are_not() {
    for pieces in [31, 32, 33] {
        // Those in parentheses count like the others.
        let pattern = format!("/*[{{f}}({})]", "{f}".repeat(pieces - 1));
        let mut crafted = Crafted::full(&[NIL]);
        crafted.set_rule(&["/a", &pattern], None, &[]);
        let bytes = crafted.to_bytes();
        let at =
            bytes.windows(pattern.len()).position(|text| text == pattern.as_bytes()).expect("the rule") - 2;
        let (what, count, limit) = ("pieces of a template", 33, limits::TEMPLATE_PIECES as u64);
        let expected = match pieces {
            33 => Err(ErrorKind::TooMany { what, count, limit }.at(at as u64)),
            _ => Ok(()),
        };
        let used = DocumentFile::from_data(bytes).and_then(|file| file.header().rule().map(drop));
        assert_eq!(used, expected, "{pieces} pieces");
        let rule = LandmarkRule::parse(&["/a", &pattern], None, &[]).expect("a rule");
        let mut interner = Interner::new();
        interner.null().expect("a document");
        let written = Writer::new(WriterOptions { rule, ..WriterOptions::new("document") })
            .to_bytes(&interner.finish().expect("one whole document"));
        let expected = match pieces {
            33 => Err(WriteError::TooMany { what, count, limit }),
            _ => Ok(()),
        };
        assert_eq!(written.map(drop), expected, "{pieces} pieces written");
    }
}

/// A file with this number of edges, all of them zeros that are not stored, and the offset of its
/// directory. Its kinds are missing.
fn with_edges(edges: usize) -> (tempfile::NamedTempFile, usize) {
    const ENTRY: usize = 12;
    let mut crafted = Crafted::full(&[NIL]);
    let starts = || vec![0; 4];
    crafted.tables = vec![(32, 0, Vec::new()), (40, 0, starts()), (43, 0, starts())];
    crafted.tables.extend([42, 44, 45, 41].map(|part| (part, 0, Vec::new())));
    let bytes = crafted.to_bytes();
    let targets = parts(&bytes).into_iter().find(|place| place.part == 41).expect("just made").bytes.start;
    let (content, rest) = bytes.split_at(bytes.len() - TRAILER - 11 * ENTRY);
    let length = 4 * edges;
    let directory = (targets + length).next_multiple_of(8);
    let mut end = rest.to_vec();
    let little = |number: usize| u32::try_from(number).expect("below 4 GiB").to_le_bytes();
    end[6 * ENTRY + 8..7 * ENTRY].copy_from_slice(&little(length));
    let trailer = 11 * ENTRY;
    let whole = (directory + end.len()) as u64;
    end[trailer..trailer + 8].copy_from_slice(&whole.to_le_bytes());
    end[trailer + 8..trailer + 16].copy_from_slice(&(directory as u64).to_le_bytes());
    let (covered, sum) = end.split_at_mut(trailer + TRAILER - 4);
    sum.copy_from_slice(&crc32fast::hash(covered).to_le_bytes());
    let mut file = tempfile::NamedTempFile::new().expect("a place for a file");
    file.write_all(content).expect("room for a small file");
    file.seek(SeekFrom::Start(directory as u64)).expect("files have holes");
    file.write_all(&end).expect("room for a small file");
    (file, directory)
}

#[test]
fn an_index_of_more_than_128_mi_edges_is_refused() {
    const TARGETS: usize = 6 * 12;
    const KINDS: usize = 7 * 12;
    for edges in [limits::EDGES - 1, limits::EDGES, limits::EDGES + 1] {
        let (file, directory) = with_edges(edges);
        let error = DocumentFile::open_paged(file.path()).map(drop).expect_err("its kinds are missing");
        let OpenErrorKind::Decode(error) = &error.source else { panic!("{error}") };
        let (count, limit) = (edges as u64, limits::EDGES as u64);
        let expected = match edges > limits::EDGES {
            true => ErrorKind::TooMany { what: "edges", count, limit }.at((directory + TARGETS) as u64),
            false => {
                ErrorKind::PartLength { part: 42, expected: count, found: 0 }.at((directory + KINDS) as u64)
            }
        };
        assert_eq!(*error, expected, "{edges} edges");
    }
}

/// Proportional time is a moment here, and quadratic time is minutes.
#[track_caller]
fn assert_whole(crafted: &Crafted) {
    let file = open(crafted);
    assert_eq!(file.view().check_values(), Ok(()));
    file.view().tree().expect("values that were checked");
}

#[test]
fn a_shape_of_many_slots_takes_time_in_proportion() {
    const SLOTS: usize = 200_000;
    let mut crafted = Crafted::full(&[NIL]);
    crafted.shapes = [&[0x91][..], &array(SLOTS)].concat();
    for slot in 0..SLOTS {
        crafted.shapes.extend_from_slice(&string(&format!("k{slot:06}")));
    }
    assert_whole(&crafted);
}

#[test]
fn records_of_many_constants_take_time_in_proportion() {
    const SLOTS: usize = 100_000;
    const RECORDS: usize = 1_000_000;
    let mut crafted =
        Crafted::full(&[&array(RECORDS + 1)[..], &[NIL], &[0x92, 0, NIL].repeat(RECORDS)].concat());
    crafted.shapes = [&[0x91][..], &array(SLOTS + 1), b"\xa1v"].concat();
    for slot in 0..SLOTS {
        crafted.shapes.push(0x93);
        crafted.shapes.extend_from_slice(&string(&format!("k{slot:06}")));
        crafted.shapes.extend_from_slice(&[NIL, NIL]);
    }
    assert_whole(&crafted);
}

#[test]
fn a_table_with_one_sample_takes_time_in_proportion() {
    const STRINGS: usize = 200_000;
    let last = integer(STRINGS as i64 - 1);
    let mut root = array(1 + STRINGS);
    root.push(NIL);
    root.extend(last.repeat(STRINGS));
    let mut crafted = Crafted::full(&root);
    crafted.strings = [array(STRINGS), vec![0xa0; STRINGS]].concat();
    let first = u32::try_from(crafted.strings_start() + 5).expect("a small file");
    crafted.tables = vec![(16, 30, first.to_le_bytes().to_vec())];
    let file = open(&crafted);
    assert_eq!(file.view().root().stream(&mut Counter::default(), Budget::default()), Ok(()));
}

#[test]
fn large_objects_take_time_in_proportion() {
    const KEYS: usize = 300_000;
    let mut root = [&array(1 + 2 * KEYS)[..], &[FALSE]].concat();
    for key in 0..KEYS {
        root.extend_from_slice(&string(&format!("k{key:06}")));
        root.push(NIL);
    }
    assert_whole(&Crafted::full(&root));
}

/// Two long texts of the string table, one of which is the key of every entry of a large object,
/// and a third that is not a key.
fn assert_long_keys_are_read_once(crafted: &mut Crafted, keys: usize) {
    let texts = ["a", "b", "c"].map(|last| "k".repeat(200_000) + last);
    crafted.strings = array(2);
    texts[..2].iter().for_each(|text| crafted.strings.extend(string(text)));
    let file = open(crafted);
    let root = file.view().root();
    let found = |key: &str| root.field(key).map(|value| value.is_some());
    assert_eq!(texts.each_ref().map(|text| found(text)), [Ok(true), Ok(true), Ok(false)]);
    let Ok(Content::Object(object)) = root.content() else { panic!("the root is an object") };
    let lengths = object.iter().map(|entry| entry.expect("a key and a value").0.len());
    assert_eq!(lengths.sum::<usize>(), keys * 200_001);
}

#[test]
fn keys_that_are_long_texts_of_the_table_are_read_once() {
    const KEYS: usize = 250_000;
    let entries = [0, NIL, 1, NIL].repeat(KEYS / 2);
    let mut in_place = Crafted::full(&[&array(1 + 2 * KEYS)[..], &[FALSE], &entries].concat());
    assert_long_keys_are_read_once(&mut in_place, KEYS);
    let mut record = Crafted::full(&[&array(1 + KEYS)[..], &[0], &[NIL].repeat(KEYS)].concat());
    record.shapes = [&[0x91][..], &array(KEYS), &[0, 1].repeat(KEYS / 2)].concat();
    assert_long_keys_are_read_once(&mut record, KEYS);
}

/// `count` keys of letters that all have one CRC-32: it is affine in the bits of its input, so
/// those of 64 letters that can be one of two give a space of at least 32 dimensions in which it
/// does not change.
fn colliding_keys(count: usize) -> Vec<String> {
    const LETTERS: usize = 64;
    const FLIP: u8 = b'a' ^ b'q';
    let base = [b'a'; LETTERS];
    let sum = |key: &[u8]| crc32fast::hash(key);
    // The letters to flip, and the effect on the sum: rows of a matrix over GF(2), brought to
    // echelon form.
    let mut rows: Vec<(u64, u32)> = (0..LETTERS)
        .map(|letter| {
            let mut key = base;
            key[letter] ^= FLIP;
            (1 << letter, sum(&key) ^ sum(&base))
        })
        .collect();
    let mut kernel = Vec::new();
    while let Some((flips, change)) = rows.pop() {
        if change == 0 {
            kernel.push(flips);
            continue;
        }
        let leading = 31 - change.leading_zeros();
        for row in rows.iter_mut().filter(|(_, other)| other >> leading & 1 == 1) {
            *row = (row.0 ^ flips, row.1 ^ change);
        }
    }
    (0..count)
        .map(|number| {
            let chosen = kernel.iter().enumerate().filter(|(bit, _)| number >> bit & 1 == 1);
            let flips = chosen.fold(0u64, |flips, (_, &other)| flips ^ other);
            (0..LETTERS)
                .map(|letter| char::from(base[letter] ^ if flips >> letter & 1 == 1 { FLIP } else { 0 }))
                .collect()
        })
        .collect()
}

#[test]
fn keys_that_collide_are_all_found() {
    const COUNT: usize = 5_000;
    let keys = colliding_keys(COUNT + 1);
    assert!(keys.iter().all(|key| crc32fast::hash(key.as_bytes()) == crc32fast::hash(keys[0].as_bytes())));
    let (absent, keys) = keys.split_last().expect("there are some");
    let entries: Vec<String> =
        keys.iter().zip(0..).map(|(key, n)| format!("\"{key}\":{{\"n\":{n}}}")).collect();
    let text = format!("{{\"r\":{{{}}}}}", entries.join(","));
    let rule = LandmarkRule::parse(&["/r/*"], None, &[]).expect("a rule");
    let options = CompileOptions { landmarks: LandmarkChoice::Rule(rule), ..CompileOptions::default() };
    let compiled = compile(text.as_bytes(), &options).expect("a good document");
    let file = DocumentFile::from_data(compiled.bytes).expect("a file just written");
    // Visiting each key with the same sum would take 25 million reads.
    for (key, n) in keys.iter().zip(0u64..) {
        let found = file.view().get_all(key).expect("a file just written");
        assert_eq!(found.len(), 1, "{key}");
        let value = found[0].value().and_then(|value| value.pointer("/n")).expect("a file just written");
        let content = value.expect("each has an `n`").content().expect("a file just written");
        assert!(matches!(content, Content::Integer(found) if found == n.into()), "{key}: {content:?}");
    }
    assert!(
        file.view().get_all(absent).is_ok_and(|found| found.is_empty()),
        "a key of the same sum is absent"
    );
}

#[test]
fn serde_refuses_a_long_key_at_the_same_place_as_a_stream() {
    let of = |length: usize| {
        let key = string(&"k".repeat(length));
        let in_place = Crafted::full(&[&[0x93, FALSE][..], &key, &[NIL]].concat());
        let mut by_id = Crafted::full(&[0x93, FALSE, 0, NIL]);
        by_id.strings = [&array(1)[..], &key].concat();
        let mut slot = Crafted::full(&[0x92, 0, NIL]);
        slot.shapes = [&array(1)[..], &array(1), &key].concat();
        let mut integer_slot = Crafted::full(&[0x92, 0, 1]);
        integer_slot.shapes = [&array(1)[..], &array(1), &array(1), &key].concat();
        [in_place, by_id, slot, integer_slot]
    };
    for (place, crafted) in of(limits::KEY_BYTES).iter().enumerate() {
        let file = open(crafted);
        let read = from_view::<serde_json::Value>(file.view().root()).expect("as long as is allowed");
        assert_eq!(read.as_object().map(serde_json::Map::len), Some(1), "place {place}");
    }
    for (place, crafted) in of(limits::KEY_BYTES + 1).iter().enumerate() {
        let file = open(crafted);
        let streamed = file.view().stream(&mut Counter::default(), Budget::default());
        let Err(StreamError::Decode(refused)) = streamed else { panic!("not {streamed:?}") };
        let (length, limit) = (limits::KEY_BYTES as u64 + 1, limits::KEY_BYTES as u64);
        assert_eq!(refused.kind(), ErrorKind::StringLength { length, limit }, "place {place}");
        let error = from_view::<serde_json::Value>(file.view().root()).expect_err("too long");
        assert_eq!(error.kind(), &DeserializeErrorKind::Decode(refused), "place {place}");
    }
}
