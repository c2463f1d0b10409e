//! §7 Every byte is covered: damage of any kind is noticed, named as what it is, and placed where it is.

use coconut_codec::compile::{CompileOptions, compile};
use coconut_codec::file::DocumentFile;
use coconut_codec::integrity::check_checksums;
use coconut_codec::source::ValueSink;
use coconut_codec::stream::{Budget, StreamError};
use coconut_format::envelope::EnvelopeView;
use coconut_format::{DecodeError, ErrorKind, Value};
use coconut_tests::checksums::{BLOCK, TRAILER, parts};
use coconut_tests::generate::{checkpoint, urn};
use coconut_tests::vectors::vectors;

/// Small files that have every structure between them. Each gets every change of every byte.
const SELECTED: [&str; 9] = [
    "value-null",
    "value-shared-ids",
    "record-nested-twice",
    "index-edges",
    "index-tree-deep",
    "payload-plain",
    "payload-transport",
    "payload-wide",
    "sum-small-block-table",
];

/// A good file, and where its regions lie.
struct Good {
    name: String,
    bytes: Vec<u8>,
    /// Where the envelope ends.
    envelope: usize,
    /// Where the signature ends.
    signature: usize,
    /// Where the block table and the root table begin; the trailer covers the rest, or everything.
    blocks: Option<(usize, usize)>,
    trailer: usize,
}

impl Good {
    fn new(name: &str, bytes: Vec<u8>) -> Good {
        let envelope = EnvelopeView::parse(&bytes).expect("a good file").length();
        let signature =
            bytes.windows(8).position(|window| window == b"\x89CC\r\n\x1a\n\0").expect("a good file") + 8;
        let blocks = parts(&bytes).into_iter().find(|place| place.part == 64);
        let blocks = blocks.map(|place| (place.bytes.start, place.bytes.end));
        let trailer = bytes.len() - TRAILER;
        let name = name.to_owned();
        Good { name, bytes, envelope, signature, blocks, trailer }
    }

    fn selected() -> Vec<Good> {
        let all = vectors("good");
        let named =
            |name: &&str| all.iter().find(|vector| vector.name == **name).expect("a vector of this name");
        SELECTED.iter().map(named).map(|vector| Good::new(&vector.name, vector.bytes.clone())).collect()
    }

    /// Where the checksum that covers byte `at` begins.
    fn sum_of(&self, at: usize) -> usize {
        match self.blocks {
            None => 0,
            Some((table, _)) if at < table => at / BLOCK * BLOCK,
            Some((table, root)) if at < root => table + (at - table) / BLOCK * BLOCK,
            Some((_, root)) => root,
        }
    }

    /// Whether `error` is what a change of byte `at` should be called.
    fn is_named(&self, error: &DecodeError, at: usize) -> bool {
        let code = error.kind().code();
        let is_sum = code == "SUM-MISMATCH" && error.offset() == self.sum_of(at) as u64;
        let of_trailer = at.checked_sub(self.trailer);
        match of_trailer {
            Some(0..=7) => code == "TRL-LENGTH" && error.offset() == self.trailer as u64,
            // A sum that begins elsewhere is another sum, or beyond the end.
            Some(8..=15) => matches!(code, "SUM-MISMATCH" | "PRT-RANGE"),
            Some(20..=23) => code == "TRL-MAGIC",
            Some(_) => is_sum,
            None if at < self.envelope => is_sum || code.starts_with("ENV-") || code == "LIM-HEADER",
            None if at < self.signature => is_sum || matches!(code, "ENV-SIGNATURE" | "ENV-EOL" | "PAY-FORM"),
            None => is_sum,
        }
    }
}

/// What the full check of a file says: on opening, or afterwards. The checksums alone say the same of damage.
fn refused(bytes: &[u8]) -> Option<DecodeError> {
    let refused = match DocumentFile::from_data(bytes) {
        Err(error) => Some(error),
        Ok(file) => file.view().check_integrity().err(),
    };
    assert_eq!(check_checksums(bytes).err(), refused);
    refused
}

#[test]
fn every_other_value_of_every_byte_is_noticed_and_named() {
    let mut changes = 0;
    for good in Good::selected() {
        assert_eq!(refused(&good.bytes), None, "{}", good.name);
        let mut bytes = good.bytes.clone();
        for at in 0..bytes.len() {
            for change in 1..=255 {
                bytes[at] = good.bytes[at] ^ change;
                let Some(error) = refused(&bytes) else {
                    panic!("{}: byte {at} was changed by {change:#04x}, and nobody noticed", good.name);
                };
                assert!(
                    good.is_named(&error, at),
                    "{}: byte {at} changed by {change:#04x}: {error}",
                    good.name
                );
                changes += 1;
            }
            bytes[at] = good.bytes[at];
        }
    }
    assert!(changes > 500_000, "{changes} changes");
}

#[test]
fn every_truncation_is_noticed_and_named() {
    for good in Good::selected() {
        for length in 0..good.bytes.len() {
            let error = refused(&good.bytes[..length]).expect("a file without its end");
            let code = error.kind().code();
            let is_named = match length {
                0 => code == "ENV-EMPTY",
                _ if length < good.envelope => code.starts_with("ENV-"),
                _ if length < good.signature => matches!(code, "MSG-SHORT" | "ENV-SIGNATURE"),
                _ => code == "TRL-MAGIC",
            };
            assert!(is_named, "{}: cut at {length}: {error}", good.name);
        }
    }
}

#[test]
fn every_inserted_or_deleted_byte_is_noticed() {
    for good in Good::selected() {
        for at in 0..good.bytes.len() {
            let (head, tail) = good.bytes.split_at(at);
            let without = [head, &tail[1..]].concat();
            let with = [0x00, b'\n', b' ', 0x90, 0xff].map(|byte| [head, &[byte], tail].concat());
            for bytes in with.iter().chain([&without]) {
                let Some(error) = refused(bytes) else {
                    panic!("{}: a byte came or went at {at}, and nobody noticed", good.name);
                };
                if (good.signature..=good.trailer - 1).contains(&at) {
                    let moved = (bytes.len() - TRAILER) as u64;
                    assert_eq!(
                        (error.kind().code(), error.offset()),
                        ("TRL-LENGTH", moved),
                        "{} at {at}",
                        good.name
                    );
                }
            }
        }
    }
}

#[test]
fn two_bytes_in_each_others_place_are_noticed() {
    for good in Good::selected() {
        for at in 1..good.bytes.len() {
            let mut bytes = good.bytes.clone();
            bytes.swap(at - 1, at);
            assert!(
                bytes == good.bytes || refused(&bytes).is_some(),
                "{}: bytes {} and {at}",
                good.name,
                at - 1
            );
        }
    }
}

fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        match rest.strip_prefix(from) {
            Some(after) => {
                out.extend_from_slice(to);
                rest = after;
            }
            None => {
                out.push(rest[0]);
                rest = &rest[1..];
            }
        }
    }
    out
}

#[test]
fn text_conversions_are_called_that() {
    for good in Good::selected() {
        let conversions = [
            ("LF to CR LF", replaced(&good.bytes, b"\n", b"\r\n")),
            ("LF to CR LF, where none was", replaced(&replaced(&good.bytes, b"\r\n", b"\n"), b"\n", b"\r\n")),
            ("CR LF to LF", replaced(&good.bytes, b"\r\n", b"\n")),
            ("CR to LF", replaced(&good.bytes, b"\r", b"\n")),
            ("seven bits", good.bytes.iter().map(|byte| byte & 0x7f).collect()),
        ];
        for (conversion, bytes) in conversions {
            let error = refused(&bytes).expect("a converted file");
            assert!(
                matches!(error.kind(), ErrorKind::TextConversion { .. }),
                "{}: {conversion}: {error}",
                good.name
            );
        }
    }
}

#[test]
fn zeroed_sectors_are_noticed() {
    const SECTOR: usize = 512;
    let mut files = Good::selected();
    files.push(several_blocks());
    for good in files {
        for start in (0..good.bytes.len()).step_by(SECTOR) {
            let end = good.bytes.len().min(start + SECTOR);
            let mut bytes = good.bytes.clone();
            bytes[start..end].fill(0);
            if bytes == good.bytes {
                continue;
            }
            let error = refused(&bytes).expect("a file with a hole");
            let is_named = match start {
                0 => error.kind() == ErrorKind::Zeroed,
                _ if end > good.trailer => {
                    error.kind().code() == "TRL-MAGIC" || error.kind().code() == "TRL-LENGTH"
                }
                // What the trailer covers is compared first.
                _ => {
                    let sum = good
                        .blocks
                        .filter(|&(_, root)| end > root)
                        .map_or(good.sum_of(start), |(_, root)| root);
                    (error.kind().code(), error.offset()) == ("SUM-MISMATCH", sum as u64)
                }
            };
            assert!(is_named, "{}: {start} to {end}: {error}", good.name);
        }
    }
}

/// A file of some dozens of blocks with an index.
fn several_blocks() -> Good {
    let compiled = compile(checkpoint(500).as_bytes(), &CompileOptions::default()).expect("a good document");
    let good = Good::new("checkpoint", compiled.bytes);
    assert!(good.bytes.len() > 8 * BLOCK, "{} bytes", good.bytes.len());
    good
}

#[test]
fn the_first_damaged_block_is_the_one_that_is_named() {
    let good = several_blocks();
    let (table, _) = good.blocks.expect("it is large enough for blocks");
    for first in (good.signature..good.bytes.len()).step_by(509) {
        for bit in [0, 7] {
            let mut bytes = good.bytes.clone();
            bytes[first] ^= 1 << bit;
            // A second one, in the last block of the content.
            bytes[table - 1] ^= 1;
            let error = refused(&bytes).expect("a damaged file");
            assert!(good.is_named(&error, first.min(table - 1)) || first >= table, "byte {first}: {error}");
        }
    }
}

/// The value of a key.
fn get(bytes: &[u8], key: &str) -> Result<Value, DecodeError> {
    let file = DocumentFile::from_data(bytes)?;
    let found = file.view().get_all(key)?;
    let landmark = found.first().expect("a key that a damaged file denies is a wrong answer");
    let mut sink = ValueSink::new();
    match landmark.value()?.stream(&mut sink, Budget::default()) {
        Ok(()) => Ok(sink.finish().expect("one value")),
        Err(StreamError::Decode(error)) => Err(error),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn a_lookup_notices_damage_in_the_blocks_it_touches_and_in_no_others() {
    let good = several_blocks();
    let (table, _) = good.blocks.expect("it is large enough for blocks");
    for number in [0, 250, 499] {
        let key = urn(number);
        let value = get(&good.bytes, &key).expect("a good file");
        let file = DocumentFile::from_data(&good.bytes[..]).expect("a good file");
        let landmark = file.view().get_all(&key).expect("a good file")[0];
        let span = landmark.value().and_then(|value| value.span()).expect("a good file");
        let (mut noticed, mut unnoticed) = (0, 0);
        for block in 0..table.div_ceil(BLOCK) {
            let start = block * BLOCK;
            let mut bytes = good.bytes.clone();
            bytes[(start + 100).min(table - 1)] ^= 0x10;
            let is_touched = start < usize::try_from(span.end).expect("in memory")
                && usize::try_from(span.start).expect("in memory") < start + BLOCK;
            match get(&bytes, &key) {
                Ok(found) => {
                    assert!(!is_touched, "the value of {key} lies in block {block}, which is damaged");
                    assert!(found == value, "another value from a damaged file");
                    unnoticed += 1;
                }
                // The envelope is read before its checksum is compared.
                Err(error) if block == 0 => assert!(good.is_named(&error, 100), "{error}"),
                Err(error) => {
                    let found = (error.kind().code(), error.offset());
                    assert_eq!(found, ("SUM-MISMATCH", start as u64), "{key} with block {block} damaged");
                    noticed += 1;
                }
            }
        }
        assert!(noticed > 0 && unnoticed > noticed, "{key}: {noticed} blocks touched, {unnoticed} not");
    }
}

#[test]
fn reading_all_notices_damage_in_every_block() {
    let good = several_blocks();
    let root = parts(&good.bytes).into_iter().find(|place| place.part == 4).expect("a root").bytes.end;
    for start in (0..root).step_by(BLOCK) {
        let at = (start + 200).min(root - 1);
        let mut bytes = good.bytes.clone();
        bytes[at] ^= 1;
        let refused = |error: DecodeError| assert!(good.is_named(&error, at), "byte {at}: {error}");
        match DocumentFile::from_data(&bytes[..]) {
            Err(error) => refused(error),
            Ok(file) => {
                let mut sink = ValueSink::new();
                match file.view().stream(&mut sink, Budget::default()) {
                    Err(StreamError::Decode(error)) => refused(error),
                    other => panic!("byte {at}: {other:?}"),
                }
                refused(file.view().tree().map(drop).expect_err("a damaged file"));
                refused(file.view().check_values().expect_err("a damaged file"));
                refused(file.view().check_blocks().expect_err("a damaged file"));
                refused(check_checksums(&bytes).expect_err("a damaged file"));
            }
        }
    }
}
