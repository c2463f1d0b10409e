//! Valid whole files, and errors for changed files with repaired checksums.

use super::*;
use crate::bytes::checksum::BLOCK;
use crate::compile::{CompileOptions, LandmarkChoice, compile, compile_tuned};
use crate::crafted::{Crafted, repair};
use crate::limits;
use crate::read::file::DocumentFile;
use crate::wire::directory::Directory;
use crate::wire::header::Profile;
use crate::wire::landmarks::NO_PARENT;
use crate::write::Tuning;
use coconut_format::error::FormRule;
use coconut_format::landmark::LandmarkRule;
use sha2::{Digest, Sha256};

const PATTERNS: [&str; 2] = ["/groups/*", "/groups/*/members/*[id]"];

/// Returns groups of one member each. Each member needs the member of the next group. The file has
/// two landmarks per group, a tree of landmarks, and edges.
fn grouped(groups: usize, profile: Profile) -> Vec<u8> {
    let group = |n: usize| {
        let next = (n + 1) % groups;
        format!(
            r#""g{n}": {{"members": [{{"id": "a", "n": {n}, "needs": "g{next}/a"}}], "list": [0.5, null, {{}}]}}"#
        )
    };
    let all: Vec<String> = (0..groups).map(group).collect();
    let text = format!(r#"{{"groups": {{{}}}}}"#, all.join(","));
    let rule = LandmarkRule::parse(&PATTERNS, Some("/"), &["needs=1/needs"]).unwrap();
    let options =
        CompileOptions { profile, landmarks: LandmarkChoice::Rule(rule), ..CompileOptions::default() };
    compile(text.as_bytes(), &options).unwrap().bytes
}

/// Verifies a file after this change, with repaired checksums.
fn changed(file: &[u8], at: usize, bytes: &[u8]) -> Result<Integrity, DecodeError> {
    let mut file = file.to_vec();
    file[at..at + bytes.len()].copy_from_slice(bytes);
    repair(&mut file);
    DocumentFile::from_data(file).and_then(|file| file.view().check_integrity())
}

fn open(file: &[u8]) -> DocumentFile<&[u8]> {
    DocumentFile::from_data(file).unwrap()
}

#[test]
fn a_whole_file_passes_verification() {
    for (groups, profile) in [1, 10, 300].into_iter().flat_map(|n| Profile::ALL.map(|profile| (n, profile))) {
        let bytes = grouped(groups, profile);
        let file = open(&bytes);
        let has_blocks = groups == 300 && profile != Profile::Transport;
        assert_eq!(file.view().blocks().is_some(), has_blocks);
        let expected = Integrity {
            values: 2 + 10 * groups as u64,
            depth: 5,
            landmarks: 2 * groups as u64,
            digest: file.view().header().digest,
        };
        assert_eq!(file.view().check_integrity(), Ok(expected), "{groups} groups, {}", profile.name());
        assert_eq!((file.view().check_blocks(), file.view().check_values()), (Ok(()), Ok(())));
        assert_eq!(check_checksums(&bytes), Ok(()));
    }
}

#[test]
fn any_changed_byte_after_the_header_is_detected() {
    for profile in Profile::ALL {
        let bytes = grouped(9, profile);
        let (start, end) = {
            let frame = open(&bytes);
            let frame = frame.view().frame;
            (frame.header_range.end, frame.directory.start)
        };
        for at in start..end {
            for change in [0x01, 0x80] {
                let found = changed(&bytes, at, &[bytes[at] ^ change]);
                assert!(found.is_err(), "byte {at} ^ {change:#x}, {}", profile.name());
            }
        }
    }
}

#[test]
fn a_damaged_block_is_found_wherever_it_is() {
    let good = grouped(300, Profile::Full);
    let end = open(&good).view().frame.directory.start;
    for at in [BLOCK, 3 * BLOCK - 1, end / 2] {
        let mut bytes = good.clone();
        bytes[at] ^= 1;
        let error = open(&bytes).view().check_blocks().unwrap_err();
        assert_eq!(check_checksums(&bytes), Err(error.clone()));
        assert!(matches!(error.kind(), ErrorKind::Checksum { .. }), "{error}");
        assert_eq!(error.offset(), (at / BLOCK * BLOCK) as u64);
    }
}

#[test]
fn a_fault_in_the_values_is_found_by_check_values_alone() {
    let crafted = Crafted::of(Profile::Full, b"\x05");
    let [.., root] = crafted.elements();
    let error = ErrorKind::StringRange { id: 5, count: 0 }.at(root as u64);
    assert_eq!(crafted.file().view().check_values(), Err(error));
}

#[test]
fn a_landmark_without_a_place_of_its_own_is_found_by_check_landmarks_alone() {
    let check = |root: &[u8]| {
        let rule = LandmarkRule::parse(&["/a/*"], None, &[]).unwrap();
        let mut crafted = Crafted::with_rule(rule, root);
        // A shape of one key, and an object with one key.
        crafted.shapes = b"\x91\x91\xa1x".to_vec();
        crafted.shared = b"\x91\x93\xc2\xa1x\xc0".to_vec();
        let [.., shared, root] = crafted.elements();
        (crafted.file().view().check_landmarks(), shared as u64, root as u64)
    };
    let (found, ..) = check(b"\x93\xc2\xa1a\x93\xc2\xa1x\xc0");
    assert_eq!(found, Ok(()), "and the file has no table of it");
    let form = ErrorKind::ValueForm { rule: FormRule::Landmark };
    let (found, shared, _) = check(b"\x93\xc2\xa1a\xff");
    assert_eq!(found, Err(form.at(shared + 3)));
    let (found, _, root) = check(b"\x93\xc2\xa1a\x92\x00\xc0");
    assert_eq!(found, Err(form.at(root + 6)));
}

#[test]
fn wrong_claims_of_the_header_are_reported() {
    let bytes = grouped(9, Profile::Full);
    let file = open(&bytes);
    let places = &file.view().frame.header_places;
    for (key, at, claim) in
        [("values", places.values, 91), ("depth", places.depth, 4), ("landmarks", places.landmarks, 17)]
    {
        let error = ErrorKind::HeaderField { key }.at(at);
        assert_eq!(changed(&bytes, usize::try_from(at).unwrap(), &[claim]), Err(error));
    }
    // A msgpack bin of 32 bytes.
    let last = usize::try_from(places.digest).unwrap() + 33;
    let error = ErrorKind::DigestDiffers.at(places.digest);
    assert_eq!(changed(&bytes, last, &[!bytes[last]]), Err(error));
}

/// Checks the elements of a file.
fn elements(crafted: &Crafted) -> Result<(), DecodeError> {
    crafted.file().view().check_elements()
}

fn full(root: &[u8]) -> Crafted {
    Crafted::of(Profile::Full, root)
}

#[test]
fn elements_follow_each_other_in_their_shortest_forms() {
    assert_eq!(elements(&full(b"\xc0")), Ok(()));
    let not_canonical = |at: usize| Err(ErrorKind::NotCanonical.at(at as u64));
    for (root, at) in
        [(&b"\xcc\x05"[..], 0), (b"\x92\xc0\xd9\x01a", 2), (b"\xd0\x05", 0), (b"\xd3\0\0\0\x01\0\0\0\0", 0)]
    {
        let crafted = full(root);
        let [.., start] = crafted.elements();
        assert_eq!(elements(&crafted), not_canonical(start + at), "{root:02x?}");
    }
    for root in [&b"\xd0\x80"[..], b"\xcc\x80", b"\xd3\x80\0\0\0\0\0\0\0", b"\xcf\x80\0\0\0\0\0\0\0"] {
        assert_eq!(elements(&full(root)), Ok(()), "{root:02x?}");
    }
    let long = b"\xdc\0\x01\x91\xc0".to_vec();
    let mut crafted = full(b"\xc0");
    crafted.shared = long.clone();
    assert_eq!(elements(&crafted), not_canonical(crafted.elements()[2]));
    let mut crafted = full(b"\xc0");
    crafted.shapes = long.clone();
    assert_eq!(elements(&crafted), not_canonical(crafted.elements()[1]));
    let mut crafted = full(b"\xc0");
    crafted.strings = long;
    assert_eq!(elements(&crafted), not_canonical(crafted.elements()[0]));
}

/// Checks the elements of a file after a change of its bytes.
fn elements_changed(crafted: &Crafted, change: impl FnOnce(&mut Vec<u8>)) -> Result<(), DecodeError> {
    let mut bytes = crafted.bytes();
    change(&mut bytes);
    repair(&mut bytes);
    DocumentFile::from_data(bytes).unwrap().view().check_elements()
}

#[test]
fn unknown_elements_are_counted_too() {
    let payload = full(b"\xc0").file().view().frame.envelope_length;
    let miscounted =
        Err(ErrorKind::PayloadForm { expected: "array header that counts its elements" }.at(payload as u64));
    for others in 0..4u8 {
        let mut crafted = full(b"\xc0");
        crafted.others = (0..others).map(|n| (100 + n, vec![0x91, n])).collect();
        for count in 7..12 {
            let expected = if count == 7 + others { Ok(()) } else { miscounted.clone() };
            let found = elements_changed(&crafted, |bytes| bytes[payload] = 0x90 | count);
            assert_eq!(found, expected, "{count} with {others} others");
        }
    }
}

#[test]
fn bytes_between_elements_are_reported() {
    let trailing = |count, at: usize| Err(ErrorKind::TrailingBytes { count }.at(at as u64));
    // An element with three bytes more than its one value.
    let mut crafted = full(b"\xc0");
    crafted.others = vec![(100, b"\x91\x05\xc0\xc0\xc0".to_vec())];
    let [.., root] = crafted.elements();
    assert_eq!(elements(&crafted), trailing(3, root + 3));
    // The directory lists only the first of two bytes of strings.
    let mut crafted = full(b"\xc0");
    crafted.strings = b"\x90\x90".to_vec();
    let [strings, ..] = crafted.elements();
    let directory = crafted.file().view().frame.directory.start;
    let mut bytes = crafted.bytes();
    bytes[directory + 8] = 1;
    repair(&mut bytes);
    // Decoding sees it, too.
    let file = DocumentFile::from_data(bytes).unwrap();
    assert_eq!(file.view().check_values(), trailing(1, strings + 1));
}

#[test]
fn the_last_element_holds_the_rest_of_the_file() {
    for tables in [0, 40] {
        let mut crafted = full(b"\xc0");
        crafted.tables = vec![(100, 0, vec![0; 4 * tables])];
        let [.., root] = crafted.elements();
        let (last, length) = (root + 1, crafted.bytes().len() - root - 1);
        assert_eq!(elements(&crafted), Ok(()));
        let trailing = Err(ErrorKind::TrailingBytes { count: length as u64 }.at(last as u64));
        let no_bytes = elements_changed(&crafted, |bytes| bytes[last] = 0xc0);
        assert_eq!(no_bytes, trailing);
        let too_few = elements_changed(&crafted, |bytes| bytes[last + 1] -= 1);
        assert_eq!(too_few, trailing);
    }
    // A length of two bytes, although one is enough.
    let crafted = full(b"\xc0");
    let [.., root] = crafted.elements();
    let (mut bytes, body) = crafted.with_bin_header(&[0xc5, 0, 0]);
    bytes[body - 1] = u8::try_from(bytes.len() - body).unwrap();
    repair(&mut bytes);
    let found = DocumentFile::from_data(bytes).unwrap().view().check_elements();
    assert_eq!(found, Err(ErrorKind::NotCanonical.at(root as u64 + 1)));
}

#[test]
fn only_zero_bytes_are_allowed_between_tables() {
    // The second file has four bytes between the checksum of its block table and its directory.
    let with_gap = (300..).step_by(20).map(|groups| grouped(groups, Profile::Full)).find(|bytes| {
        let file = open(bytes);
        let blocks = file.view().frame.directory.get(Part::BLOCK_TABLE).unwrap();
        (blocks.end - blocks.start).is_multiple_of(8)
    });
    for bytes in [grouped(9, Profile::Full), with_gap.unwrap()] {
        let file = open(&bytes);
        let frame = file.view().frame;
        let mut is_covered = vec![false; bytes.len()];
        for entry in &frame.directory.entries {
            is_covered[entry.range()].fill(true);
        }
        let body = frame.root.end + 3;
        is_covered[..body].fill(true);
        is_covered[frame.directory.start..].fill(true);
        if let Some(blocks) = frame.directory.get(Part::BLOCK_TABLE) {
            assert!(blocks.end - blocks.start < BLOCK, "whose checksums are one number");
            is_covered[blocks.end..blocks.end + 4].fill(true);
            assert_eq!(frame.directory.start, blocks.end + 8);
        }
        let gaps: Vec<usize> = (0..bytes.len()).filter(|&at| !is_covered[at]).collect();
        assert!(gaps.len() > 10, "{gaps:?}");
        for at in gaps {
            assert_eq!(changed(&bytes, at, &[1]), Err(ErrorKind::Padding.at(at as u64)));
        }
    }
}

#[test]
fn the_checksums_of_a_long_block_table_are_no_gap() {
    let text = format!(r#"["{}"]"#, "x".repeat(1025 * BLOCK));
    let bytes = compile(text.as_bytes(), &CompileOptions::default()).unwrap().bytes;
    let file = open(&bytes);
    let blocks = file.view().frame.directory.get(Part::BLOCK_TABLE).unwrap();
    assert!(blocks.end - blocks.start > BLOCK, "which has two blocks of its own");
    assert_eq!(file.view().check_integrity().map(|found| found.values), Ok(2));
}

/// Checks the offset table of a file with three strings. The offset of an error, and the returned
/// offset of the directory entry, are relative to the table.
fn with_strings(stride: u16, table: &[usize]) -> (Result<(), DecodeError>, u64) {
    let mut crafted = full(b"\xc0");
    crafted.strings = b"\x93\xa1a\xa1b\xa1c".to_vec();
    let [strings, ..] = crafted.elements();
    let entries = table.iter().flat_map(|&offset| u32::try_from(strings + offset).unwrap().to_le_bytes());
    crafted.tables = vec![(Part::STRING_OFFSETS.0, stride, entries.collect())];
    let file = crafted.file();
    let view = file.view();
    let directory = view.frame.directory.place_of(Part::STRING_OFFSETS, false);
    let table = view.frame.directory.get(Part::STRING_OFFSETS).unwrap().start;
    let found = view.check_offset_tables();
    (found.map_err(|error| error.kind().at(error.offset() - table as u64)), directory - table as u64)
}

#[test]
fn offset_tables_lead_to_the_items() {
    assert_eq!(with_strings(0, &[1, 3, 5]).0, Ok(()));
    assert_eq!(with_strings(1, &[1, 5]).0, Ok(()));
    let part = Part::STRING_OFFSETS.0;
    let length = |found| ErrorKind::PartLength { part, expected: 12, found };
    for table in [&[1, 3][..], &[1, 3, 5, 7]] {
        let (found, directory) = with_strings(0, table);
        assert_eq!(found, Err(length(4 * table.len() as u64).at(directory)));
    }
    let differs = |at| Err(ErrorKind::IndexDiffers { table: part }.at(at));
    assert_eq!(with_strings(0, &[1, 3, 6]).0, differs(8));
    assert_eq!(with_strings(0, &[1, 3, 7]).0, differs(8), "although it leads outside");
    assert_eq!(with_strings(0, &[0, 3, 5]).0, differs(0));
    assert_eq!(with_strings(0, &[1, 2, 7]).0, differs(4));
}

#[test]
fn a_changed_index_entry_is_reported() {
    let bytes = grouped(9, Profile::Full);
    let file = open(&bytes);
    let directory = &file.view().frame.directory;
    let start = |part: Part| directory.get(part).unwrap().start;
    let differs = |part: Part, at: usize| Err(ErrorKind::IndexDiffers { table: part.0 }.at(at as u64));
    // The width of an entry, and an entry that leads elsewhere if its lowest bit changes.
    let tables = [
        (Part::LANDMARK_OFFSETS, 4, 2),
        (Part::LANDMARK_CLASSES, 1, 4),
        (Part::LANDMARK_TREE, 8, 3),
        (Part::KEY_BUCKETS, 4, 1),
        (Part::DEPENDENCY_STARTS, 4, 3),
        (Part::DEPENDENCY_TARGETS, 4, 3),
        (Part::DEPENDENT_TARGETS, 4, 3),
    ];
    for (part, width, entry) in tables {
        let at = start(part) + width * entry;
        let wrong = bytes[at] ^ 1;
        assert_eq!(changed(&bytes, at, &[wrong]), differs(part, at), "{}", part.name());
        let first = if bytes[at] == 0x7f { 1 } else { 0 };
        let nowhere = changed(&bytes, at, &vec![0x7f; width.min(4)]);
        assert_eq!(nowhere, differs(part, at + first), "{}, which leads nowhere", part.name());
    }
    let kinds = start(Part::DEPENDENCY_KINDS) + 3;
    assert_eq!(changed(&bytes, kinds, &[1]), differs(Part::DEPENDENCY_KINDS, kinds));
    let slot = start(Part::KEY_SLOTS) + 8 * 3;
    assert_eq!(changed(&bytes, slot, &[!bytes[slot]]), differs(Part::KEY_SLOTS, slot));
    assert_eq!(changed(&bytes, slot + 4, &[0x7f; 4]), differs(Part::KEY_SLOTS, slot + 4));
}

#[test]
fn the_search_for_edges_is_limited_by_their_longest_table() {
    let of_landmarks = |count: u32, profile| {
        let rule = LandmarkRule::parse(&["/*[id]"], None, &["e=0/to/*"]).unwrap();
        let item = |n| format!(r#"{{"id": "x", "to": ["x", "y{n}"]}}, {{"id": "y{n}"}}"#);
        let items: Vec<String> = (0..count).map(item).collect();
        let text = format!("[{}]", items.join(","));
        let options =
            CompileOptions { profile, landmarks: LandmarkChoice::Rule(rule), ..CompileOptions::default() };
        let file = DocumentFile::from_data(compile(text.as_bytes(), &options).unwrap().bytes).unwrap();
        file.view().extent_of_index()
    };
    assert_eq!(of_landmarks(40, Profile::Transport), Extent::Landmarks);
    assert_eq!(of_landmarks(40, Profile::Full), Extent::WithEdges { most_edges: 1 << 20 });
    // Each of 520 landmarks refers to all of them and to another, in 4 bytes per edge.
    assert_eq!(of_landmarks(520, Profile::Full), Extent::WithEdges { most_edges: 520 * 521 * 4 });
}

#[test]
fn a_file_has_the_tables_that_its_rule_makes() {
    let check = |patterns: &[&str], edges: &[&str], tables: &[(Part, &[u8])]| {
        let rule = LandmarkRule::parse(patterns, None, edges).unwrap();
        let mut crafted = Crafted::with_rule(rule, b"\x95\xc2\xa1a\x93\xc2\xa1x\xc0\xa1b\x90");
        let [.., root] = crafted.elements();
        let offset = u32::try_from(root + 6).unwrap().to_le_bytes();
        crafted.tables = vec![(Part::LANDMARK_OFFSETS.0, 0, offset.to_vec())];
        crafted.tables.extend(tables.iter().map(|(part, bytes)| (part.0, 0, bytes.to_vec())));
        let file = crafted.file();
        let index = Index::of_document(
            file.view(),
            Extent::WithEdges { most_edges: limits::EDGES },
            limits::SEARCH_MIN,
        )
        .unwrap();
        let found = file.view().check_index(&index);
        let directory = &file.view().frame.directory;
        let starts = tables.iter().map(|(part, _)| directory.get(*part).unwrap().start);
        // Without tables, the start of the directory.
        let starts = starts.chain([directory.start]).map(|start| start as u64);
        (found, starts.collect::<Vec<_>>())
    };
    let differs = |part: Part, at: u64| Err(ErrorKind::IndexDiffers { table: part.0 }.at(at));
    let class: (Part, &[u8]) = (Part::LANDMARK_CLASSES, &[0]);
    assert_eq!(check(&["/a/*"], &[], &[]).0, Ok(()));
    assert_eq!(check(&["/a/*"], &[], &[class]).0, Ok(()), "classes may be present if all are 0");
    assert_eq!(check(&["/c/*", "/a/*"], &[], &[(class.0, &[1])]).0, Ok(()));
    let (found, starts) = check(&["/c/*", "/a/*"], &[], &[class]);
    assert_eq!(found, differs(class.0, starts[0]));
    let (found, directory) = check(&["/c/*", "/a/*"], &[], &[]);
    assert_eq!(found, differs(class.0, directory[0]), "without classes all are 0");
    let flat = [NO_PARENT.0, 1].map(u32::to_le_bytes).concat();
    assert_eq!(check(&["/a/*"], &[], &[(Part::LANDMARK_TREE, &flat)]).0, Ok(()), "so may parents");
    // No edges start or end at the landmark: tables of starts, and empty ones.
    let all = Part::EDGES.map(|part| {
        let is_starts = matches!(part, Part::DEPENDENCY_STARTS | Part::DEPENDENT_STARTS);
        (part, if is_starts { &[0; 8][..] } else { &[] })
    });
    assert_eq!(check(&["/a/*"], &["e=0/x"], &all).0, Ok(()));
    assert_eq!(check(&["/a/*"], &["e=0/x"], &[]).0, Ok(()));
    assert_eq!(check(&["/a/*"], &[], &all).0, Ok(()), "a rule without edges makes none");
}

#[test]
fn absent_tables_say_that_there_is_nothing() {
    let bytes = grouped(9, Profile::Full);
    let without = |parts: &[Part]| {
        let mut bytes = bytes.clone();
        let directory = open(&bytes).view().frame.directory.clone();
        let kept: Vec<Entry> =
            directory.entries.iter().copied().filter(|entry| !parts.contains(&entry.part)).collect();
        // Their bytes are not padding, which would be found first.
        for entry in directory.entries.iter().filter(|entry| parts.contains(&entry.part)) {
            bytes[entry.range()].fill(0);
        }
        let start = directory.start + 12 * (directory.entries.len() - kept.len());
        bytes[directory.start..start].fill(0);
        let (mut table, mut kept) = (Vec::new(), kept);
        Directory::write(&mut kept, false, &mut table);
        bytes[start..start + table.len()].copy_from_slice(&table);
        let end = bytes.len() - TRAILER;
        bytes[end + 16..end + 18].copy_from_slice(&u16::try_from(kept.len()).unwrap().to_le_bytes());
        repair(&mut bytes);
        (open(&bytes).view().check_integrity().map(drop), start as u64)
    };
    for (parts, first) in [
        (&[Part::LANDMARK_CLASSES][..], Part::LANDMARK_CLASSES),
        (&[Part::LANDMARK_TREE], Part::LANDMARK_TREE),
        (&Part::EDGES, Part::DEPENDENCY_STARTS),
    ] {
        let (found, directory) = without(parts);
        assert_eq!(found, Err(ErrorKind::IndexDiffers { table: first.0 }.at(directory)), "{}", first.name());
    }
    assert_eq!(without(&[Part::KEY_BUCKETS, Part::KEY_SLOTS]).0, Ok(()), "a key index may be absent");
}

/// Landmarks in each other, of equal values and of scalars, with a key of each profile.
fn with_digests(profile: Profile) -> Vec<u8> {
    let rule = LandmarkRule::parse(&["/g/*", "/g/*/m/*"], Some("/"), &[]).unwrap();
    let text = br#"{"g": {"a": {"m": {"x": 1, "y": [1, "s", {"k": [1, "s"]}]}, "t": [1, "s"]},
        "b": {"m": {"x": 1}, "t": [1, "s"]}, "c": "s"}}"#;
    let landmarks = LandmarkChoice::Rule(rule);
    let options = CompileOptions { profile, landmarks, digests: true, ..CompileOptions::default() };
    compile(text, &options).unwrap().bytes
}

#[test]
fn landmark_digests_are_those_of_key_and_value() {
    let mut all: Vec<Vec<(String, [u8; 16])>> = Vec::new();
    for profile in [Profile::Full, Profile::Plain] {
        let bytes = with_digests(profile);
        let file = open(&bytes);
        file.view().check_integrity().unwrap();
        let digests = file.view().unverified_digests().unwrap().map(|pair| {
            let (landmark, digest) = pair.unwrap();
            (landmark.key().unwrap().into_owned(), digest)
        });
        all.push(digests.collect());
    }
    assert_eq!(all[0], all[1], "whatever the profile");
    let of = |key: &str| all[0].iter().find(|(other, _)| other == key).unwrap().1;
    let expected = |key: &str, value: &[u8]| {
        let length = u32::try_from(key.len()).unwrap().to_le_bytes();
        let digest = Sha256::digest([&length[..], key.as_bytes(), value].concat());
        <[u8; 16]>::try_from(&digest[..16]).unwrap()
    };
    assert_eq!(all[0].len(), 6);
    assert_eq!(of("c"), expected("c", b"\xa1s"));
    assert_eq!(of("a/x"), expected("a/x", b"\x01"));
    assert_eq!(of("a/y"), expected("a/y", b"\x93\x01\xa1s\x81\xa1k\x92\x01\xa1s"));
    assert_eq!(of("b"), expected("b", b"\x82\xa1m\x81\xa1x\x01\xa1t\x92\x01\xa1s"));
}

#[test]
fn a_landmark_digest_that_differs_is_reported_at_its_byte() {
    let bytes = with_digests(Profile::Full);
    let table = open(&bytes).view().frame.directory.get(Part::LANDMARK_DIGESTS).unwrap().range();
    assert_eq!(table.len(), 6 * 16);
    for at in [table.start, table.start + 3 * 16 + 5, table.end - 1] {
        let differs = ErrorKind::IndexDiffers { table: Part::LANDMARK_DIGESTS.0 };
        assert_eq!(changed(&bytes, at, &[!bytes[at]]), Err(differs.at(at as u64)));
    }
}

#[test]
fn a_file_has_landmark_digests_only_on_request_and_with_an_index() {
    let has = |options: &CompileOptions| {
        let bytes = compile(br#"{"vertices": {"a": {}, "b": {}}}"#, options).unwrap().bytes;
        open(&bytes).view().unverified_digests().is_some()
    };
    let digests = CompileOptions { digests: true, ..CompileOptions::default() };
    let transport = CompileOptions { profile: Profile::Transport, ..digests.clone() };
    assert_eq!([&CompileOptions::default(), &digests, &transport].map(has), [false, true, false]);
}

#[test]
fn blocks_may_have_any_of_the_sizes() {
    let text = format!(r#"["{}"]"#, "x".repeat(70_000));
    for bits in [12, 13, 16, 20] {
        let tuning = Tuning { block_bits: bits, ..Tuning::default() };
        let bytes = compile_tuned(text.as_bytes(), &CompileOptions::default(), tuning).unwrap();
        let file = open(&bytes);
        assert_eq!(bytes[bytes.len() - 9], bits);
        let table = file.view().frame.directory.get(Part::BLOCK_TABLE).unwrap().range();
        assert_eq!(table.len(), table.start.div_ceil(1 << bits) * 4);
        assert_eq!(file.view().check_integrity().map(|found| found.values), Ok(2));
        for at in [0, 69_000, table.start - 1, table.start] {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            let Err(error) = DocumentFile::from_data(damaged).and_then(|file| file.view().check_blocks())
            else {
                panic!("byte {at}")
            };
            let block = if at < table.start { at >> bits << bits } else { table.start };
            // The envelope is judged before its block.
            let is_checksum =
                matches!(error.kind(), ErrorKind::Checksum { .. }) && error.offset() == block as u64;
            assert!(is_checksum || at == 0, "{error}, block {block}");
        }
    }
}

#[test]
fn the_digest_is_that_of_plain_msgpack() {
    let text = br#"{"a": [1, -1, 2.5, null, true, "s"], "b": {}}"#;
    let file = compile(text, &CompileOptions::default()).unwrap().bytes;
    let plain = b"\x82\xa1a\x96\x01\xff\xcb\x40\x04\0\0\0\0\0\0\xc0\xc3\xa1s\xa1b\x80";
    let digest = <[u8; 32]>::from(Sha256::digest(plain));
    assert_eq!(open(&file).view().check_integrity().map(|found| found.digest), Ok(digest));
}
