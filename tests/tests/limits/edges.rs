//! §9.9 Edges: the cost of references to one key shared by many landmarks.

use super::*;
use coconut_codec::compile::compile_tuned;
use coconut_codec::write::Tuning;
use coconut_tests::is_deep;

/// A rule for the items of a list, of which many share one key and refer to it.
const NEEDS: (&[&str], &[&str]) = (&["/*[id]"], &["needs=0/needs(/*)*"]);

/// `count` items that refer to their common key, and each to another item, so that each has a row
/// of its own. A repeated reference counts once.
fn items(count: usize, padding: usize) -> String {
    let one = |n| format!(r#"{{"id":"x","needs":["x","x","y{n}"]}}"#);
    let other = |n| format!(r#"{{"id":"y{n}"}}"#);
    let items: Vec<String> = (0..count).map(one).chain((0..count).map(other)).collect();
    let text = format!("[{}]", items.join(","));
    format!("{text}{}", " ".repeat(padding.saturating_sub(text.len())))
}

#[test]
fn references_to_a_key_of_many_landmarks_make_16_edges_for_each_byte_or_4_mi() {
    let rule = LandmarkRule::parse(NEEDS.0, None, NEEDS.1).expect("a rule");
    for (count, padding, expected) in [
        (2047, 0, Ok(2047 * 2048)),
        (2048, 0, Err(1 << 22)),
        // 16 * 262,272 = 2048 * 2049 = 4,196,352.
        (2048, 262_272, Ok(2048 * 2049)),
        (2048, 262_271, Err(16 * 262_271)),
    ] {
        let text = items(count, padding);
        let options =
            CompileOptions { landmarks: LandmarkChoice::Rule(rule.clone()), ..CompileOptions::default() };
        let compiled = compile(text.as_bytes(), &options);
        match (compiled, expected) {
            (Ok(compiled), Ok(edges)) => {
                let file = DocumentFile::from_data(&compiled.bytes[..]).expect("it opens");
                let dependencies = |ordinal| {
                    let landmark = file.view().landmark(ordinal).expect("a good index").expect("it is there");
                    landmark.dependencies().expect("good edges").len()
                };
                let last = u32::try_from(count - 1).expect("few");
                assert_eq!((dependencies(0), dependencies(last)), (count + 1, count + 1));
                assert_eq!(count * (count + 1), edges);
            }
            (Err(CompileError::Write(error)), Err(limit)) => {
                assert_eq!(error, WriteError::TooMany { what: "edges", count: 2048 * 2049, limit });
                assert_eq!(error.to_string(), format!("4196352 edges, the limit is {limit}"));
            }
            (compiled, expected) => panic!("{count}: {:?} is not {expected:?}", compiled.map(drop)),
        }
    }
}

#[test]
fn a_file_without_index_keeps_its_edges_if_a_reader_would_not_find_as_many() {
    let rule = LandmarkRule::parse(NEEDS.0, None, NEEDS.1).expect("a rule");
    for profile in [Profile::Transport, Profile::Plain] {
        // 1447 * 1448 = 2,095,256 and 1448 * 1449 = 2,098,152, of which 2,097,152 are half of what
        // a reader may find.
        for (count, padding, has_edges) in
            [(1447, 0, false), (1448, 0, true), (2047, 0, true), (2048, 262_272, true)]
        {
            // Each of these takes seconds. The last is the one at the limit.
            if count >= 2047 && (profile, count) != (Profile::Transport, 2048) && !is_deep() {
                continue;
            }
            let text = items(count, padding);
            let options = CompileOptions {
                landmarks: LandmarkChoice::Rule(rule.clone()),
                profile,
                ..CompileOptions::default()
            };
            let mut tuning = Tuning::default();
            tuning.index_from = usize::MAX;
            let bytes = compile_tuned(text.as_bytes(), &options, tuning).expect("few edges for a source");
            let edges = parts(&bytes).iter().any(|place| place.part == 41);
            assert_eq!(edges, has_edges, "{count}, {profile:?}");
            let file = DocumentFile::from_data(&bytes[..]).expect("it opens");
            let first = file.view().landmark(0).expect("it is found").expect("it is there");
            assert_eq!(first.dependencies().map(|edges| edges.len()), Ok(count + 1), "{count}, {profile:?}");
            assert_eq!(file.view().check_integrity().map(drop), Ok(()), "{count}, {profile:?}");
        }
    }
}

#[test]
fn a_file_with_one_key_for_many_landmarks_is_refused_when_its_edges_are_read() {
    for (count, is_good) in [(2047, true), (2048, false)] {
        let item = |n| {
            let needs = [&[0x93, NIL][..], &string("x"), &string(&format!("y{n}"))].concat();
            [&[0x95, FALSE][..], &string("id"), &string("x"), &string("needs"), &needs].concat()
        };
        let other = |n| [&[0x93, FALSE][..], &string("id"), &string(&format!("y{n}"))].concat();
        let items: Vec<u8> = (0..count).flat_map(item).chain((0..count).flat_map(other)).collect();
        let mut crafted = Crafted::full(&[&array(2 * count + 1)[..], &[NIL], &items].concat());
        crafted.set_rule(NEEDS.0, None, NEEDS.1);
        let (edges, limit) = ((count * (count + 1)) as u64, 1 << 22);
        let too_many =
            ErrorKind::TooMany { what: "edges", count: edges, limit }.at(crafted.root_start() as u64);
        let dependencies = {
            let file = open(&crafted);
            let first = file.view().landmark(0).expect("it is found").expect("it is there");
            first.dependencies().map(|edges| edges.len())
        };
        assert_eq!(dependencies, if is_good { Ok(count + 1) } else { Err(too_many.clone()) });
        // An index without tables of edges, to compare the found edges with.
        crafted.tables = vec![(32, 0, vec![0; 8 * count])];
        let checked = open(&crafted).view().check_integrity().map(drop);
        match is_good {
            true => assert!(checked.is_err_and(|error| error != too_many), "its tables lack all edges"),
            false => assert_eq!(checked, Err(too_many)),
        }
    }
}
