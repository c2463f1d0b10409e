//! §9 Large limits: one below each, at it, and one above. Also small files with large claims.

use coconut_codec::limits;
use coconut_codec::read::file::DocumentFile;
use coconut_codec::read::stream::{Budget, StreamError};
use coconut_codec::serde::{DeserializeErrorKind, Limits, Reader, from_view};
use coconut_format::ErrorKind;
use coconut_tests::counter::Counter;
use coconut_tests::crafted::{Crafted, array, integer, string};
use serde::Deserialize;

const NIL: u8 = 0xc0;

fn open(crafted: &Crafted) -> DocumentFile<Vec<u8>> {
    DocumentFile::from_data(crafted.to_bytes()).expect("the frame of a crafted file is right")
}

#[test]
fn shapes_are_counted_before_they_are_read() {
    for (count, is_good) in [(limits::SHAPES - 1, true), (limits::SHAPES, true), (limits::SHAPES + 1, false)]
    {
        let mut crafted = Crafted::full(&[NIL]);
        let at = crafted.strings_start() + crafted.strings.len();
        crafted.shapes = array(count);
        crafted.shapes.resize(crafted.shapes.len() + count, 0x90);
        let (what, limit) = ("shapes", limits::SHAPES as u64);
        let refused = ErrorKind::TooMany { what, count: limit + 1, limit }.at(at as u64);
        assert_eq!(
            open(&crafted).view().check_values().err(),
            (!is_good).then_some(refused),
            "{count} shapes"
        );
    }
}

#[test]
fn slots_are_counted_before_they_are_read() {
    for (count, is_counted) in [(limits::SLOTS - 1, true), (limits::SLOTS, true), (limits::SLOTS + 1, false)]
    {
        let mut crafted = Crafted::full(&[NIL]);
        crafted.strings = [&[0x91][..], &string("k")].concat();
        let at = (crafted.strings_start() + crafted.strings.len()) as u64;
        // All have the key of string 0, so the second one is wrong when it is read.
        crafted.shapes = [&[0x91][..], &array(count)].concat();
        let first = crafted.shapes.len() as u64;
        crafted.shapes.resize(crafted.shapes.len() + count, 0);
        let (what, limit) = ("slots of shapes", limits::SLOTS as u64);
        let expected = match is_counted {
            true => ErrorKind::DuplicateKey.at(at + first + 1),
            false => ErrorKind::TooMany { what, count: limit + 1, limit }.at(at + 1),
        };
        assert_eq!(open(&crafted).view().check_values(), Err(expected), "{count} slots");
    }
}

#[test]
fn rust_values_have_128_levels_and_no_more() {
    let limit = limits::SERDE_DEPTH;
    assert_eq!(limit, 128);
    for (levels, is_good) in [(limit - 1, true), (limit, true), (limit + 1, false)] {
        let mut root = [0x92, NIL].repeat(levels as usize - 1);
        root.extend([0x91, NIL]);
        let crafted = Crafted::full(&root);
        let file = open(&crafted);
        let read = from_view::<serde_json::Value>(file.view().root());
        // After the head of the list that is too deep.
        let at = crafted.root_start() as u64 + 2 * (u64::from(limit) + 1);
        let kind = read.err().map(|error| error.kind().clone());
        let refused = DeserializeErrorKind::Decode(ErrorKind::Depth { limit: limit.into() }.at(at));
        assert_eq!(kind, (!is_good).then_some(refused), "{levels} levels");
    }
}

#[test]
fn held_values_have_256_mebibytes_of_text_or_16_bytes_for_each_byte_of_the_file() {
    let (bytes, values) = (limits::HELD_BYTES, limits::TREE_VALUES);
    assert_eq!((bytes, values, limits::HELD_PER_BYTE), (1 << 28, 1 << 26, 16));
    let even = bytes / limits::HELD_PER_BYTE;
    assert_eq!(Budget::held(0), Budget { values, bytes });
    assert_eq!(Budget::held(even - 1), Budget { values, bytes });
    assert_eq!(Budget::held(even), Budget { values, bytes });
    assert_eq!(Budget::held(even + 1), Budget { values, bytes: bytes + 16 });
    assert_eq!(Budget::held(values), Budget { values, bytes: 16 * values });
    assert_eq!(Budget::held(values + 1), Budget { values: values + 1, bytes: 16 * values + 16 });
    assert_eq!(Budget::held(u64::MAX), Budget { values: u64::MAX, bytes: u64::MAX });
    for length in [0, even - 1, even, even + 1, u64::MAX] {
        let Budget { values, bytes } = Budget::held(length);
        let depth = limits::SERDE_DEPTH;
        assert_eq!(Limits::held(length), Limits { depth, values, bytes }, "serde for {length} bytes");
    }
}

#[test]
fn a_stream_has_16_gibibytes_of_text_and_no_more() {
    // 2^26 strings of 254 bytes, with the lists around them.
    let levels = 26;
    let text = string(&"x".repeat(254));
    let mut shared = [&array(levels)[..], &[0x93, NIL], &text, &text].concat();
    for id in 1..levels {
        shared.extend([0x93, NIL]);
        shared.extend(integer(-(id as i64)).repeat(2));
    }
    let reference = integer(-(levels as i64));
    let limit = limits::STREAM_BYTES;
    for (head, tail, count) in
        [(&[][..], &[][..], limit - 1), (&[0x92, NIL], &[], limit), (&[0x93, NIL], &[0xc3], limit + 1)]
    {
        let mut crafted = Crafted::full(&[head, &reference, tail].concat());
        crafted.shared.clone_from(&shared);
        let file = open(&crafted);
        // Streaming the accepted document would take minutes, so the check in advance is used, with
        // one value too few.
        let values = (1 << 27) - 1 + (head.len() / 2 + tail.len()) as u64;
        let budget = Budget { values: values - 1, ..Budget::default() };
        let mut counter = Counter::default();
        let error = file.view().stream(&mut counter, budget).expect_err("there is one value too many");
        let StreamError::Decode(error) = error else { panic!("{error}") };
        assert_eq!(
            (error.kind(), counter.values),
            (ErrorKind::Nodes { count: values, limit: values - 1 }, 0)
        );
        let result = file.view().check_integrity().map(drop).map_err(|error| error.kind());
        match count > limit {
            true => assert_eq!(result, Err(ErrorKind::Bytes { count, limit })),
            false => assert!(!matches!(result, Err(ErrorKind::Bytes { .. })), "{count} bytes: {result:?}"),
        }
    }
}

/// A refused document is refused after visiting each stored value once, and nothing is emitted.
#[test]
fn a_file_of_412_bytes_that_expands_to_2_to_the_40_is_refused_by_its_stored_values() {
    // Each list contains the previous one four times: the fewest bytes for this many values.
    let levels = 20;
    let mut shared = [&array(levels)[..], &[0x94], &[NIL; 4]].concat();
    for id in 1..levels {
        shared.extend([0x95, NIL]);
        shared.extend(integer(-(id as i64)).repeat(4));
    }
    let mut crafted = Crafted::full(&integer(-(levels as i64)));
    crafted.shared = shared;
    crafted.set("producer", "x".into());
    let bytes = crafted.to_bytes();
    assert!(bytes.len() <= 412, "{} bytes", bytes.len());
    let file = open(&crafted);
    let mut counter = Counter::default();
    let streamed = file.view().stream(&mut counter, Budget::default());
    let (count, limit) = ((13 * (1 << 38) - 1) / 3, limits::STREAM_VALUES);
    assert!(count > 1 << 40);
    let refused = ErrorKind::Nodes { count, limit }.at(crafted.root_start() as u64);
    assert_eq!((streamed, counter.values), (Err(StreamError::Decode(refused.clone())), 0));
    assert_eq!(file.view().check_integrity().map(drop), Err(refused));
    assert_eq!(file.view().check_values(), Ok(()), "each stored value is read once");
    assert_eq!(file.view().tree().map(|tree| tree.stored_nodes()), Ok(1 + 20 + 3 + 4 * 19));
}

/// 20 MB of null: found lazily, and read up to the budget, not one value further.
#[test]
fn twenty_million_nulls_are_counted() {
    const COUNT: usize = 20_000_000;
    let crafted = Crafted::plain(&[&array(COUNT)[..], &vec![NIL; COUNT]].concat());
    let file = open(&crafted);
    let root = file.view().root();
    let before = file.touched_bytes();
    assert_eq!(root.pointer("/5").map(|value| value.is_some()), Ok(true));
    assert!(file.touched_bytes() - before <= 8192, "{} bytes", file.touched_bytes() - before);
    let values = COUNT as u64 + 1;
    let mut counter = Counter::default();
    assert_eq!(file.view().stream(&mut counter, Budget { values, ..Budget::default() }), Ok(()));
    assert_eq!(counter.values, values);
    let mut counter = Counter::default();
    let refused = ErrorKind::Nodes { count: values, limit: values - 1 }.at(crafted.root_start() as u64);
    let streamed = file.view().stream(&mut counter, Budget { values: values - 1, ..Budget::default() });
    assert_eq!((streamed, counter.values), (Err(StreamError::Decode(refused)), 0));
    /// Accepts everything and keeps nothing.
    struct Unkept;
    impl<'de> Deserialize<'de> for Unkept {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            <()>::deserialize(deserializer).map(|()| Unkept)
        }
    }
    let read = |values| {
        let reader = Reader::new(file.view()).with_limits(Limits { values, ..Limits::default() });
        reader.read::<Vec<Unkept>>(root).map(|all| all.len()).map_err(|error| error.to_string())
    };
    assert_eq!(read(values), Ok(COUNT));
    let error = read(values - 1).expect_err("one too many");
    assert!(error.starts_with("LIM-NODES: expands to 20000001 values, the limit is 20000000"), "{error}");
}
