//! Findings of fuzzing, each with the rule that was broken. The smoke test replays all files of
//! `fuzz/findings`.

use coconut_codec::bytes::paged::PagedFile;
use coconut_codec::compile::{CompileOptions, LandmarkChoice, compile};
use coconut_codec::event::EventSink;
use coconut_codec::event::ValueSink;
use coconut_codec::read::file::DocumentFile;
use coconut_codec::read::stream::{Budget, StreamError};
use coconut_codec::write::interner::Interner;
use coconut_codec::write::{Writer, WriterOptions};
use coconut_format::ErrorKind;
use coconut_format::landmark::LandmarkRule;
use coconut_tests::crafted::{Crafted, array, string};
use coconut_tests::fuzz_bodies::BODIES;
use std::fs;
use std::path::Path;

/// Gives a finding to the body that found it.
fn replay(target: &str, name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/findings").join(target).join(name);
    let (_, body) = BODIES.iter().find(|(body, _)| *body == target).expect("a body of this name");
    body(&fs::read(path).expect("the finding is in the repository"));
}

#[test]
fn a_tree_reports_the_first_of_two_faults_of_a_large_object() {
    replay("elements", "two-faults-in-a-large-object");
    // Twenty keys, the third again at the end, followed by a value that no file has.
    let mut root = [array(1 + 2 * 21), vec![0xc2]].concat();
    for key in 0..20 {
        root.extend([string(&format!("k{key:02}")), vec![0xc0]].concat());
    }
    let again = root.len();
    root.extend([string("k02"), vec![0xc1]].concat());
    let crafted = Crafted::full(&root);
    let file = DocumentFile::from_data(crafted.to_bytes()).expect("the frame is right");
    let expected = ErrorKind::DuplicateKey.at((crafted.root_start() + again) as u64);
    assert_eq!(file.view().tree().map(drop), Err(expected.clone()));
    let stream = file.view().stream(&mut ValueSink::new(), Budget::default());
    assert_eq!(stream, Err(StreamError::Decode(expected)));
}

#[test]
fn a_lookup_through_slots_that_are_not_sorted_finds_the_one_of_another_key() {
    replay("index", "slots-that-are-not-sorted");
    // Three landmarks `a`, and between their slots one of `b`, with the hash of `a`.
    let mut crafted = Crafted::full(b"\x99\xc2\xa1a\xc0\xa1b\xc0\xa1a\xc0\xa1a\xc0");
    crafted.set_rule(&["/*"], None, &[]);
    let at = u32::try_from(crafted.root_start()).expect("a small file");
    let hash = crc32fast::hash(b"a").to_le_bytes();
    let offsets = [at + 2, at + 5, at + 8, at + 11].map(u32::to_le_bytes);
    let slots = offsets.map(|offset| [hash, offset].concat()).concat();
    let buckets = [0u32, 4].map(u32::to_le_bytes).concat();
    crafted.tables = vec![(32, 0, offsets.concat()), (35, 0, buckets), (36, 0, slots)];
    let file = DocumentFile::from_data(crafted.to_bytes()).expect("the frame is right");
    let bytes = file.data();
    let slot = offsets.map(u32::from_le_bytes).map(|offset| [hash, offset.to_le_bytes()].concat());
    let at = bytes.windows(8).position(|window| window == slot[1]).expect("the slot of `b`");
    let differs = ErrorKind::IndexDiffers { table: 36 }.at(at as u64);
    assert_eq!(file.view().get_all("a").map(|found| found.len()), Err(differs));
}

#[test]
fn a_package_without_landmarks_is_reported_whatever_the_case_of_its_type() {
    replay("transcode", "package-in-another-case");
    let options = WriterOptions::new("Cocopack");
    let mut document = Interner::new();
    document.begin_object().and_then(|()| document.end_object()).expect("an empty object");
    let bytes = Writer::new(options).to_bytes(&document.finish().unwrap()).expect("an empty object");
    let file = DocumentFile::from_data(bytes).expect("a file just written");
    assert!(file.header().rule_text.is_empty(), "{:?}", file.header().rule_text);
    assert_eq!(file.view().check_integrity().map(|integrity| integrity.landmarks), Ok(0));
}

#[test]
fn edges_in_shared_values_belong_to_the_landmarks_only() {
    replay("documents", "edges-of-what-was-met-without-a-landmark");
    // The list is first visited without a landmark around it.
    let text = r#"{"x":{"a":["long enough to be shared"]},"y":{"a":["long enough to be shared"],"name":"long enough to be shared"}}"#;
    let rule = LandmarkRule::parse(&["/*[name]"], None, &["to=0/a/*"]).expect("a rule");
    let options = CompileOptions { landmarks: LandmarkChoice::Rule(rule), ..CompileOptions::default() };
    let compiled = compile(text.as_bytes(), &options).expect("a good source");
    let file = DocumentFile::from_data(compiled.bytes).expect("a file just written");
    assert_eq!(file.view().check_integrity().map(|integrity| integrity.landmarks), Ok(1));
    let found = file.view().get_all("long enough to be shared").expect("a file just written");
    assert_eq!(found[0].dependencies().map(|edges| edges.len()), Ok(1));
}

#[test]
fn a_file_that_is_read_by_the_piece_is_refused_for_a_part_that_ends_before_it_begins() {
    replay("paged", "checksums-from-behind-the-trailer");
    let mut bytes = Crafted::full(&[0xc0]).to_bytes();
    // Covered from the checksum itself on.
    let (at, end) = (bytes.len() - 20, bytes.len() as u64);
    bytes[at..at + 8].copy_from_slice(&end.to_le_bytes());
    let whole = DocumentFile::from_data(&bytes[..]).map(drop).expect_err("no byte is covered");
    let folder = tempfile::tempdir().expect("a directory for temporary files");
    let path = folder.path().join("file");
    fs::write(&path, &bytes).expect("the directory is ours");
    let file = PagedFile::open(&path).expect("it was just written");
    assert_eq!(DocumentFile::from_data(file).map(drop), Err(whole));
}

#[test]
fn an_index_built_in_memory_finds_no_other_key_if_tables_lie() {
    replay("lookup", "classes-that-lie-beside-keys-that-are-missing");
}

#[test]
fn results_of_an_index_built_in_memory_have_their_key_if_parents_lie() {
    replay("lookup", "parents-that-lie-beside-keys-that-are-missing");
    // Two modules with a member `m` each; the tables say that both members are in the first, and
    // have no keys.
    let mut root = vec![0x95, 0xc2];
    let mut offsets = Vec::new();
    for module in ["a", "b"] {
        offsets.push(root.len());
        root.extend([string(module), vec![0x93, 0xc2]].concat());
        offsets.push(root.len());
        root.extend([string("m"), vec![0xc0]].concat());
    }
    let mut crafted = Crafted::full(&root);
    crafted.set_rule(&["/*", "/*/*"], Some(":"), &[]);
    let start = crafted.root_start();
    let offset = |at: &usize| u32::try_from(start + at).expect("a small file").to_le_bytes();
    let tree: [(u32, u32); 4] = [(u32::MAX, 4), (0, 2), (u32::MAX, 4), (0, 4)];
    let tree = tree.iter().flat_map(|(parent, end)| [parent.to_le_bytes(), end.to_le_bytes()].concat());
    crafted.tables = vec![
        (32, 0, offsets.iter().flat_map(offset).collect()),
        (33, 0, vec![0, 1, 0, 1]),
        (34, 0, tree.collect()),
    ];
    let bytes = crafted.to_bytes();
    let file = DocumentFile::from_data(&bytes[..]).expect("the frame is right");
    let error = file.view().get_all("b:m").expect_err("its parent is neither before nor around it");
    assert_eq!(file.view().get_all("a:m").map(drop), Err(error.clone()), "without an index all are listed");
    assert_eq!(error.kind(), ErrorKind::IndexDiffers { table: 34 });
    let last_entry = [0u32.to_le_bytes(), 4u32.to_le_bytes()].concat();
    let at = usize::try_from(error.offset()).expect("a small file");
    assert_eq!(bytes[at..at + 8], last_entry);
}

#[test]
fn a_file_that_ends_in_its_array_header_is_short_at_its_end() {
    replay("open", "ends-in-its-array-header");
    let envelope = b"application/vnd.coconut+msgpack; document-type=dt; version=1\n\n";
    for header in [&b"\xdc"[..], b"\xdc\x01", b"\xdd\0\0\0"] {
        let bytes = [envelope, header].concat();
        let error = DocumentFile::from_data(&bytes[..]).map(drop).expect_err("no signature is there");
        assert_eq!(error, ErrorKind::Short { needed: 10, available: 0 }.at(bytes.len() as u64));
    }
}

#[test]
fn an_entry_of_the_cache_may_differ_outside_its_document() {
    replay("cache_entry", "another-text-in-the-header");
}
