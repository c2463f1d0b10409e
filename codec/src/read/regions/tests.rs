use super::*;
use crate::bytes::checksum::BLOCK;
use crate::compile::{CompileOptions, compile};
use crate::wire::header::Profile;

/// Returns a document with nested records, shared values, all kinds of scalars, landmarks with
/// edges, an index, and a block table.
fn document() -> String {
    let resource = |n: u32| {
        let parent = if n == 0 { String::new() } else { format!(r#","parent":"r{}""#, n - 1) };
        format!(
            r#"{{"urn":"r{n}","inputs":{{"kind":"Kind","at":{{"line":{n},"column":-1}},"tags":["a","b",null,true,1.5]}}{parent}}}"#
        )
    };
    let resources: Vec<String> = (0..1500).map(resource).collect();
    format!(r#"{{"manifest":{{}},"resources":[{}],"empty":[[],{{}}]}}"#, resources.join(","))
}

fn bytes(profile: Profile) -> Vec<u8> {
    compile(document().as_bytes(), &CompileOptions { profile, ..CompileOptions::default() }).unwrap().bytes
}

/// Returns all pieces, after checking that they tile the file.
fn pieces(data: &[u8]) -> Vec<Piece> {
    dissected(data).0
}

fn dissected(data: &[u8]) -> (Vec<Piece>, Option<DecodeError>) {
    let mut pieces: Vec<Piece> = Vec::new();
    let fault = dissect(data, &mut |piece| {
        pieces.push(piece);
        Ok::<(), ()>(())
    })
    .unwrap();
    let mut next = 0;
    for piece in &pieces {
        assert_eq!(piece.span.start, next);
        assert!(!piece.span.is_empty());
        next = piece.span.end;
    }
    assert_eq!(next, data.len());
    (pieces, fault)
}

#[test]
fn every_byte_of_a_whole_file_is_accounted_for() {
    for profile in Profile::ALL {
        let bytes = bytes(profile);
        for piece in pieces(&bytes) {
            assert_eq!(piece.fault, None, "{piece:?}");
            assert_ne!(piece.meaning, "not accounted for", "{piece:?}");
        }
    }
}

#[test]
fn the_pieces_of_a_small_file_say_what_they_are() {
    let bytes = compile(br#"{"a": [1, "x", "x"]}"#, &CompileOptions::default()).unwrap().bytes;
    let said: Vec<String> = pieces(&bytes)
        .into_iter()
        .filter(|piece| piece.span.start > 60 && piece.level < 3)
        .map(|piece| match piece.content {
            Some(content) => format!("{} {content}", piece.meaning),
            None => piece.meaning,
        })
        .filter(|said| !said.starts_with("key `") && !said.contains("bytes"))
        .collect();
    assert!(said.contains(&"signature".to_owned()), "{said:?}");
    assert!(said.contains(&"value: list of 3".to_owned()), "{said:?}");
    assert!(said.contains(&"item: integer 1".to_owned()), "{said:?}");
    assert_eq!(said.last().map(String::as_str), Some("trailer: checksum"));
}

#[test]
fn a_file_cut_anywhere_is_tiled_and_says_that_it_is_cut() {
    let bytes = compile(br#"{"resources":[{"urn":"a","x":[1,2]},{"urn":"b"}]}"#, &CompileOptions::default())
        .unwrap()
        .bytes;
    for end in 0..bytes.len() {
        let (_, fault) = dissected(&bytes[..end]);
        assert_eq!(fault, DocumentFile::from_data(&bytes[..end]).err(), "cut at {end}");
    }
}

#[test]
fn pieces_in_a_damaged_block_are_marked_and_others_are_not() {
    let mut bytes = bytes(Profile::Full);
    let changed = 5000;
    bytes[changed] ^= 1;
    let pieces = pieces(&bytes);
    for piece in &pieces {
        let is_in_block = piece.span.start < 2 * BLOCK && piece.span.end > BLOCK;
        let is_its_checksum = piece.meaning.starts_with("block table 1:");
        if is_in_block || is_its_checksum {
            let fault = piece.fault.as_ref().unwrap_or_else(|| panic!("{piece:?}"));
            assert!(matches!(fault.kind(), ErrorKind::Checksum { .. }), "{piece:?}");
        }
    }
    let untouched = pieces.iter().filter(|piece| piece.span.end <= BLOCK);
    assert!(untouched.clone().count() > 10 && untouched.clone().all(|piece| piece.fault.is_none()));
}

#[test]
fn any_changed_byte_leaves_a_file_tiled() {
    let whole =
        compile(br#"{"resources":[{"urn":"a","x":[1,-2,0.5]},{"urn":"b"}]}"#, &CompileOptions::default())
            .unwrap()
            .bytes;
    for at in 0..whole.len() {
        for change in [0x01, 0x80, 0xff] {
            let mut bytes = whole.clone();
            bytes[at] ^= change;
            pieces(&bytes);
        }
    }
}
