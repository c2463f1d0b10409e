//! §9.9 Edges: the cost of references to one key shared by many landmarks.

use super::*;
use coconut_codec::compile::compile_tuned;
use coconut_codec::write::Tuning;
use coconut_tests::is_deep;

/// A rule for the items of a list, which share one key and refer to it.
const NEEDS: (&[&str], &[&str]) = (&["/*[id]"], &["needs=0/needs(/*)*"]);

#[test]
fn references_to_a_key_of_many_landmarks_make_16_edges_for_each_byte_or_4_mi() {
    let rule = LandmarkRule::parse(NEEDS.0, None, NEEDS.1).expect("a rule");
    // A repeated reference counts once.
    let item = r#"{"id":"x","needs":["x","x"]}"#;
    for (count, padding, expected) in [
        (2048, 0usize, Ok(1 << 22)),
        (2049, 0, Err(1 << 22)),
        // 16 * 262,401 = 4,198,416 and 2049 * 2049 = 4,198,401.
        (2049, 262_401, Ok(2049 * 2049)),
        (2049, 262_400, Err(16 * 262_400)),
    ] {
        let text = format!("[{}]", vec![item; count].join(","));
        let text = format!("{text}{}", " ".repeat(padding.saturating_sub(text.len())));
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
                assert_eq!((dependencies(0), dependencies(last)), (count, count));
                assert_eq!(count * count, edges);
            }
            (Err(CompileError::Write(error)), Err(limit)) => {
                assert_eq!(error, WriteError::TooMany { what: "edges", count: 2049 * 2049, limit });
                assert_eq!(error.to_string(), format!("4198401 edges, the limit is {limit}"));
            }
            (compiled, expected) => panic!("{count}: {:?} is not {expected:?}", compiled.map(drop)),
        }
    }
}

#[test]
fn a_file_without_index_keeps_its_edges_if_a_reader_would_not_find_as_many() {
    let rule = LandmarkRule::parse(NEEDS.0, None, NEEDS.1).expect("a rule");
    let item = r#"{"id":"x","needs":["x"]}"#;
    for profile in [Profile::Transport, Profile::Plain] {
        // 1448 * 1448 = 2,096,704 and 1449 * 1449 = 2,099,601, of which 2,097,152 are half of what
        // a reader may find.
        for (count, padding, has_edges) in
            [(1448, 0, false), (1449, 0, true), (2048, 0, true), (2049, 262_401, true)]
        {
            // Each of these takes seconds. The last is the one at the limit.
            if count >= 2048 && (profile, count) != (Profile::Transport, 2049) && !is_deep() {
                continue;
            }
            let text = format!("[{}]", vec![item; count].join(","));
            let text = format!("{text}{}", " ".repeat(usize::saturating_sub(padding, text.len())));
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
            assert_eq!(first.dependencies().map(|edges| edges.len()), Ok(count), "{count}, {profile:?}");
            assert_eq!(file.view().check_integrity().map(drop), Ok(()), "{count}, {profile:?}");
        }
    }
}

#[test]
fn a_file_with_one_key_for_many_landmarks_is_refused_when_its_edges_are_read() {
    for (count, is_good) in [(2048, true), (2049, false)] {
        let item = [&[0x95, FALSE][..], &string("id"), &string("x"), &string("needs"), &string("x")].concat();
        let mut crafted = Crafted::full(&[&array(count + 1)[..], &[NIL], &item.repeat(count)].concat());
        crafted.set_rule(NEEDS.0, None, NEEDS.1);
        let (edges, limit) = ((count * count) as u64, 1 << 22);
        let too_many =
            ErrorKind::TooMany { what: "edges", count: edges, limit }.at(crafted.root_start() as u64);
        let dependencies = {
            let file = open(&crafted);
            let first = file.view().landmark(0).expect("it is found").expect("it is there");
            first.dependencies().map(|edges| edges.len())
        };
        assert_eq!(dependencies, if is_good { Ok(count) } else { Err(too_many.clone()) });
        // An index without tables of edges, to compare the found edges with.
        crafted.tables = vec![(32, 0, vec![0; 4 * count])];
        let checked = open(&crafted).view().check_integrity().map(drop);
        match is_good {
            true => assert!(checked.is_err_and(|error| error != too_many), "its tables lack all edges"),
            false => assert_eq!(checked, Err(too_many)),
        }
    }
}
