//! The index of walked documents, and the limits on the walk.

use super::scan::Scan;
use super::*;
use crate::crafted::Crafted;
use crate::index::Index;
use crate::wire::ids::Ordinal;
use coconut_format::error::ErrorKind;
use coconut_format::landmark::{LandmarkRule, OwnKeys};

/// Returns the keys of the index built for a root by this rule, in a file with these shared values.
/// Also returns the start of the root.
fn made(pattern: &str, shared: &[u8], root: &[u8]) -> (Result<Vec<String>, DecodeError>, u64) {
    made_within(pattern, shared, root, limits::SEARCH_MIN)
}

/// Like [`made`], with at most `most` visited values.
fn made_within(
    pattern: &str,
    shared: &[u8],
    root: &[u8],
    most: u64,
) -> (Result<Vec<String>, DecodeError>, u64) {
    let mut crafted = Crafted::with_rule(LandmarkRule::parse(&[pattern], None, &[]).unwrap(), root);
    crafted.shared = shared.to_vec();
    let [.., root] = crafted.elements();
    let file = crafted.file();
    check_scan(file.view(), most);
    let index = Index::of_document(file.view(), Extent::WithEdges { most_edges: limits::EDGES }, most);
    let all = |keys: &crate::index::FullKeys| {
        (0u32..).take(keys.len()).map(|ordinal| keys.whole_key(ordinal).into_owned()).collect()
    };
    (index.map(|index| all(&index.keys)), root as u64)
}

/// Checks that a scan finds and refuses what an index of all landmarks does.
fn check_scan(document: DocumentView<'_>, most: u64) {
    let scanned = Scan::landmarks_of(document, most).map(|scan| (scan.offsets, scan.classes, scan.parents));
    let made = Index::landmarks_of(document, most).map(|index| (index.offsets, index.classes, index.parents));
    assert_eq!(scanned, made);
}

#[test]
fn landmarks_are_searched_on_512_levels() {
    for levels in [511, 512, 513] {
        let root = [&[0x92, 0xc0].repeat(levels - 1)[..], &[0x91, 0xc0]].concat();
        let (found, at) = made("(/*)*[name]", &[0x90], &root);
        // The list that is too deep, after the headers of those around it.
        let too_deep = ErrorKind::Depth { limit: 512 }.at(at + 2 * 512);
        let expected = if levels > 512 { Err(too_deep) } else { Ok(Vec::new()) };
        assert_eq!(found, expected, "{levels} levels");
    }
    let scalar = [&[0x92, 0xc0].repeat(512)[..], &[0xc3]].concat();
    assert_eq!(made("(/*)*[name]", &[0x90], &scalar).0, Ok(Vec::new()), "a scalar is no level");
}

#[test]
fn values_that_expand_exponentially_are_walked_once_for_landmarks() {
    // Shared values. Each is a list of the previous one twice.
    let mut shared = vec![0xdc, 0, 32, 0x92, 0xc0, 0xc0];
    for id in 0..31u8 {
        shared.extend_from_slice(&[0x93, 0xc0, !id, !id]);
    }
    // An object of `a` and `b`. `a` is an object with a key `k`, and `b` is the last shared value.
    let root = b"\x95\xc2\xa1a\x93\xc2\xa1k\xc0\xa1b\xe0";
    assert_eq!(made("/a/*", &shared, root).0, Ok(vec!["k".to_owned()]));
    assert_eq!(made("(/*)*[name]", &shared, root).0, Ok(Vec::new()));
    // The entries of both objects, visited by the walk and once more for a `name`, and the items of
    // each shared value.
    let looked_at = 2 * (2 + 1) + (1 + 2 * 31);
    assert_eq!(made_within("(/*)*[name]", &shared, root, looked_at).0, Ok(Vec::new()));
    let (found, at) = made_within("(/*)*[name]", &shared, root, looked_at - 1);
    assert_eq!(found, Err(ErrorKind::Work { limit: looked_at - 1 }.at(at)));
}

#[test]
fn skipped_bytes_and_key_texts_count_as_work() {
    #[track_caller]
    fn check(pattern: &str, root: &[u8], found: &[&str], looked_at: u64) {
        let keys: Vec<String> = found.iter().map(|&key| key.to_owned()).collect();
        assert_eq!(made_within(pattern, &[0x90], root, looked_at).0, Ok(keys));
        let (refused, at) = made_within(pattern, &[0x90], root, looked_at - 1);
        let kind = ErrorKind::Work { limit: looked_at - 1 };
        assert_eq!(refused, Err(kind.at(at)));
    }
    let text = "x".repeat(64);
    let long = [b"\xd9\x40", text.as_bytes()].concat();
    // Two items. The first has 68 bytes.
    let list = [b"\x93\xc0\xdc\x00\x41", &[0xc0; 65][..], b"\xc0"].concat();
    check("/*[name]", &list, &[], 2 + 2);
    // One entry. Its key has 64 bytes after a header of two.
    let object = [b"\x93\xc2", &long[..], b"\xc0"].concat();
    check("/*/y", &object, &[], 1 + 4);
    // One item. A field is looked up twice in it, and its 64 bytes are taken twice, for a key of
    // 128 bytes.
    let list = [b"\x92\xc0\x93\xc2\xa1a", &long[..]].concat();
    check("/*[{a}{a}]", &list, &[&text.repeat(2)], 1 + 2 * (1 + 2) + 4);
}

#[test]
fn repeated_shared_values_are_visited_once() {
    // 2^10 values from 30 bytes.
    let mut shared = vec![0x9a, 0x92, 0xc0, 0xc0];
    for id in 0..9u8 {
        shared.extend_from_slice(&[0x93, 0xc0, !id, !id]);
    }
    assert_eq!(made("(/*)*[name]", &shared, b"\xf6").0, Ok(Vec::new()));
}

#[test]
fn a_walk_stores_at_most_one_visited_value_per_byte_of_the_file() {
    // Twenty entries that are the same list, which contains a hundred lists twice. Each entry is
    // another place for the rule.
    let (keys, inner) = (b'a'..=b't', 100u8);
    let patterns: Vec<String> = keys.clone().map(|key| format!("/{}/*/*", char::from(key))).collect();
    let references: Vec<u8> = (0..inner).flat_map(|id| [0xd0, !id]).collect();
    let list = [&[0xdc, 0, 2 * inner + 1, 0xc0][..], &references, &references].concat();
    let entries: Vec<u8> = keys.clone().flat_map(|key| [0xa1, key, 0xd0, !inner]).collect();
    let root = [&[0xdc, 0, 41, 0xc2][..], &entries].concat();
    let mut crafted = Crafted::with_rule(LandmarkRule::parse(&patterns, None, &[]).unwrap(), &root);
    crafted.shared = [&[0xdc, 0, inner + 1][..], &b"\x92\xc0\xc0".repeat(inner.into()), &list].concat();
    let file = crafted.file();

    // The root, the lists, and the lists inside them. The latter are visited again when there is no
    // room left to store them.
    let (mut room, mut again) = (file.data().len() as u64, 0);
    for _ in keys {
        room = room.saturating_sub(1 + u64::from(inner));
        again += if room == 0 { u64::from(inner) } else { 0 };
    }
    assert!(again > 500, "{again}");
    let looked_at = 20 + 20 * 3 * u64::from(inner) + again;
    let made = |most| {
        check_scan(file.view(), most);
        Index::of_document(file.view(), Extent::Landmarks, most).map(|index| index.len())
    };
    assert_eq!(made(looked_at), Ok(0));
    let limit = looked_at - 1;
    let too_much = ErrorKind::Work { limit };
    assert_eq!(made(limit), Err(too_much.at(file.view().root().offset())));
}

/// Returns the edges of a graph of `count` vertices that all have one shared value. That value is a
/// list of these references, and a list of that list twice. At most `most` values may be visited.
fn edges_among(
    count: u8,
    references: &[u8],
    most: u64,
    most_edges: usize,
) -> Result<Vec<(u32, u32)>, DecodeError> {
    let list = [&[0xdc, 0, u8::try_from(references.len()).unwrap() + 1, 0xc0][..], references].concat();
    let vertices: Vec<u8> = (0..count).flat_map(|key| [0xcc, key, 0x93, 0xc2, 0xa1, b'd', 0xfe]).collect();
    let root = [&[0x93, 0xc2, 0xa1, b'v', 0xdc, 0, 2 * count + 1, 0xc2][..], &vertices].concat();
    let rule = LandmarkRule::parse(&["/v/*"], None, &["e=0/d(/*)*"]).unwrap();
    let mut crafted = Crafted::with_rule(rule, &root);
    let names: Vec<u8> = (0..=count).flat_map(|name| [0xa1, b'0' + name]).collect();
    crafted.strings = [&[0xdc, 0, count + 1][..], &names].concat();
    crafted.shared = [&[0x92][..], &list, &[0x93, 0xc0, 0xff, 0xff]].concat();
    let file = crafted.file();
    let index = Index::of_document(file.view(), Extent::WithEdges { most_edges }, most)?;
    Ok(listed(&index).iter().map(|&(from, to, _)| (from, to)).collect())
}

#[test]
fn a_shared_value_has_the_same_references_for_every_landmark_around_it() {
    let every = |to: &[u32]| -> Vec<(u32, u32)> {
        (0..20).flat_map(|from| to.iter().map(move |&to| (from, to))).collect()
    };
    let all = limits::EDGES;
    assert_eq!(edges_among(20, &[3, 1, 3], u64::MAX, all), Ok(every(&[1, 3])));
    assert_eq!(edges_among(20, &[20, 20], u64::MAX, all), Ok(vec![]), "no vertex has that key");
}

/// Returns the edges that this rule makes of a root, in a file with these shared values.
fn edges_of_root(patterns: &[&str], edges: &[&str], shared: &[u8], root: &[u8]) -> Vec<(u32, u32, u8)> {
    let mut crafted = Crafted::with_rule(LandmarkRule::parse(patterns, None, edges).unwrap(), root);
    crafted.shared = shared.to_vec();
    let extent = Extent::WithEdges { most_edges: limits::EDGES };
    let index = Index::of_document(crafted.file().view(), extent, u64::MAX).unwrap();
    listed(&index)
}

/// Returns where each edge starts, where it leads to, and its kind.
fn listed(index: &Index) -> Vec<(u32, u32, u8)> {
    let ends = |from| index.edges.as_ref().unwrap()[0].of(Ordinal(from));
    let ordinals = (0..).take(index.len());
    ordinals.flat_map(|from| ends(from).iter().map(move |&(to, kind)| (from, to.0, kind))).collect()
}

#[test]
fn a_shared_value_first_met_outside_a_landmark_keeps_its_references() {
    // Two objects have the same list. Only the second has a key.
    let root = b"\x95\xc2\xa1x\x93\xc2\xa1d\xff\xa1y\x95\xc2\xa2id\xa1k\xa1d\xff";
    let found = edges_of_root(&["/*[id]"], &["e=0/d(/*)*"], b"\x91\x92\xc0\xa1k", root);
    assert_eq!(found, [(0, 0, 0)]);
}

#[test]
fn a_shared_value_without_room_to_store_it_keeps_its_references() {
    // 90 landmarks are the same list of references to all of them, in 32 kinds each. That is more
    // than the bytes of the file.
    let keys: Vec<u8> = (0..90).flat_map(|key| [0xa1, b' ' + key]).collect();
    let list = [&b"\x91\xdc\0\x5b\xc0"[..], &keys].concat();
    let entries: Vec<u8> = keys.chunks(2).flat_map(|key| [key[0], key[1], 0xff]).collect();
    let root = [&b"\xdc\0\xb5\xc2"[..], &entries].concat();
    let found = edges_of_root(&["/*"], &["e=0/*"; 32], &list, &root);
    let every =
        (0..90).flat_map(|from| (0..90).flat_map(move |to| (0..32).map(move |kind| (from, to, kind))));
    assert_eq!(found, every.collect::<Vec<_>>());
}

#[test]
fn references_in_shared_values_are_visited_once_for_all_landmarks() {
    // The root, the vertices, and the values in each; the two lists, one of which occurs twice.
    let walked = 1 + 20 + 20 + 2 + 100;
    // Dangling references, and references to one vertex, which is found once in the list.
    assert_eq!(edges_among(20, &[20; 100], walked, limits::EDGES), Ok(vec![]));
    let edges = edges_among(20, &[7; 100], walked + 100 + 1 + 19, limits::EDGES).unwrap();
    assert_eq!(edges, (0..20).map(|from| (from, 7)).collect::<Vec<_>>());
    // Targets also count: 100 in the list, and one for each other landmark with the list.
    for most in [walked + 50, walked + 110] {
        let error = edges_among(20, &[7; 100], most, limits::EDGES).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Work { limit: most });
    }
    let error = edges_among(20, &[20; 100], walked - 1, limits::EDGES).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Work { limit: walked - 1 });
}

#[test]
fn references_are_searched_on_512_levels() {
    // The root and the vertex are two levels.
    for (lists, is_good) in [(510, true), (511, false)] {
        let nested = [&[0x92, 0xc0].repeat(lists - 1)[..], &[0x91, 0xc0]].concat();
        let root = [&b"\x93\xc2\xa1a\x93\xc2\xa1d"[..], &nested].concat();
        let rule = LandmarkRule::parse(&["/*"], None, &["e=0/d(/*)*"]).unwrap();
        let crafted = Crafted::with_rule(rule, &root);
        let file = crafted.file();
        let extent = Extent::WithEdges { most_edges: limits::EDGES };
        let index = Index::of_document(file.view(), extent, u64::MAX);
        let innermost = file.view().root().offset() + root.len() as u64 - 2;
        let too_deep = ErrorKind::Depth { limit: limits::DEPTH.into() }.at(innermost);
        assert_eq!(index.err(), (!is_good).then_some(too_deep), "{lists} lists");
    }
}

#[test]
fn a_rule_without_edges_makes_no_list_of_edges() {
    for (edges, expected) in [(&[][..], None), (&["e=0/d"], Some(0))] {
        let rule = LandmarkRule::parse(&["/*"], None, edges).unwrap();
        let crafted = Crafted::with_rule(rule, b"\x93\xc2\xa1a\xc0");
        let extent = Extent::WithEdges { most_edges: limits::EDGES };
        let index = Index::of_document(crafted.file().view(), extent, u64::MAX).unwrap();
        assert_eq!(index.edges.map(|[edges, _]| edges.edges.len()), expected);
    }
}

#[test]
fn a_walk_has_the_value_limit_of_a_stream() {
    // Nested lists. Each holds the previous one twice; the first holds two nulls.
    for (levels, count) in [(27u8, (1 << 28) - 1), (28, (1u64 << 29) - 1)] {
        let reference = |id: u8| 0u8.wrapping_sub(id);
        let mut crafted = Crafted::with_rule(LandmarkRule::default(), &[reference(levels)]);
        let lists = (1..levels).flat_map(|id| [0x93, 0xc0, reference(id), reference(id)]);
        crafted.shared = [0xdc, 0, levels, 0x93, 0xc0, 0xc0, 0xc0].into_iter().chain(lists).collect();
        let file = crafted.file();
        let limit = limits::STREAM_VALUES;
        let too_many = Err(ErrorKind::Nodes { count, limit }.at(file.view().root().offset()));
        let expected = if count > limit { too_many } else { Ok(()) };
        assert_eq!(check_expansion(file.view()), expected, "{levels} levels");
    }
}

#[test]
fn a_walk_has_the_text_limit_of_a_stream() {
    // 2^26 strings of 254 bytes, stored as two, with the lists around them: 16 GiB and not one byte
    // more.
    let text = [&[0xd9, 254][..], &[b'x'; 254]].concat();
    let reference = |id: u8| 0u8.wrapping_sub(id);
    let lists = (1..26).flat_map(|id| [0x93, 0xc0, reference(id), reference(id)]);
    let shared: Vec<u8> =
        [&[0xdc, 0, 26, 0x93, 0xc0][..], &text, &text].concat().into_iter().chain(lists).collect();
    let limit = limits::STREAM_BYTES;
    for (root, count) in [
        (&[reference(26)][..], limit - 1),
        (&[0x92, 0xc0, reference(26)], limit),
        (&[0x93, 0xc0, reference(26), 0xc3], limit + 1),
    ] {
        let mut crafted = Crafted::with_rule(LandmarkRule::default(), root);
        crafted.shared.clone_from(&shared);
        let file = crafted.file();
        let too_many = Err(ErrorKind::Bytes { count, limit }.at(file.view().root().offset()));
        let expected = if count > limit { too_many } else { Ok(()) };
        assert_eq!(check_expansion(file.view()), expected, "{count} bytes");
    }
}
