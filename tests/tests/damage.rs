//! §7 Every byte is covered: damage of any kind is noticed, and its error has the right kind and
//! place.

use coconut_codec::compile::{CompileOptions, compile};
use coconut_codec::event::ValueSink;
use coconut_codec::read::file::DocumentFile;
use coconut_codec::read::integrity::check_checksums;
use coconut_codec::read::stream::{Budget, StreamError};
use coconut_codec::serde::from_view;
use coconut_format::envelope::EnvelopeView;
use coconut_format::{DecodeError, ErrorKind, Value};
use coconut_tests::checksums::{BLOCK, TRAILER, parts};
use coconut_tests::generate::{checkpoint, urn};
use coconut_tests::is_deep;
use coconut_tests::vectors::vectors;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Files up to this length get every other value of every byte, and every byte in every place.
///
/// Longer ones get the values of one bit and a few more, and a few bytes. `.ci/deep` tests them
/// all.
const SMALL: usize = 320;

/// Longer files are not changed byte by byte.
const LONGEST: usize = 8192;

/// The changes of each byte in a file of `length` bytes.
fn changes(length: usize) -> Vec<u8> {
    match length <= SMALL || is_deep() {
        true => (1..=255).collect(),
        false => vec![1, 2, 4, 8, 16, 32, 64, 128, 0x55, 0xff],
    }
}

/// Runs `test` on every file of [`Good::all`], on two threads.
fn on_all(test: impl Fn(&Good) + Sync) {
    let (files, next) = (Good::all(), AtomicUsize::new(0));
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(good) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    test(good);
                }
            });
        }
    });
}

/// A good file and its regions.
struct Good {
    name: String,
    bytes: Vec<u8>,
    /// The end of the envelope.
    envelope: usize,
    /// The end of the signature.
    signature: usize,
    /// The start of the block table and of the root table. The trailer covers the rest, or
    /// everything.
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

    /// Every small good vector in the compiled form, except a few without all checksums.
    fn all() -> Vec<Good> {
        let is_compiled = |bytes: &[u8]| DocumentFile::from_data(bytes).is_ok();
        let is_whole = |bytes: &[u8]| refused(bytes).is_none();
        let all = vectors("good").into_iter().filter(|vector| vector.bytes.len() <= LONGEST);
        let all = all.filter(|vector| is_compiled(&vector.bytes) && is_whole(&vector.bytes));
        let all: Vec<Good> = all.map(|vector| Good::new(&vector.name, vector.bytes)).collect();
        assert!(all.len() > 190, "{} files", all.len());
        all
    }

    /// The start of the range whose checksum covers byte `at`.
    fn sum_of(&self, at: usize) -> usize {
        match self.blocks {
            None => 0,
            Some((table, _)) if at < table => at / BLOCK * BLOCK,
            Some((table, root)) if at < root => table + (at - table) / BLOCK * BLOCK,
            Some((_, root)) => root,
        }
    }

    /// Whether `error` names a change of byte `at`, of any length.
    fn is_named(&self, error: &DecodeError, at: usize) -> bool {
        let code = error.kind().code();
        let is_sum = code == "SUM-MISMATCH" && error.offset() == self.sum_of(at) as u64;
        let of_trailer = at.checked_sub(self.trailer);
        match of_trailer {
            Some(0..=7) => code == "TRL-LENGTH" && error.offset() == self.trailer as u64,
            // A sum that begins elsewhere is another sum, or is after the end.
            Some(8..=15) => matches!(code, "SUM-MISMATCH" | "TRL-FIELD"),
            Some(20..=23) => code == "TRL-MAGIC",
            Some(_) => is_sum,
            None if at < self.envelope => is_sum || self.is_of_start(error),
            None if at < self.signature => {
                is_sum || matches!(code, "ENV-SIGNATURE" | "ENV-EOL") || self.is_of_payload(error)
            }
            None => is_sum,
        }
    }

    /// Whether the envelope is invalid, or ends elsewhere, where no payload begins.
    fn is_of_start(&self, error: &DecodeError) -> bool {
        let code = error.kind().code();
        let is_no_payload = matches!(code, "PAY-FORM" | "MSG-SHORT" | "ENV-SIGNATURE" | "ENV-EOL");
        code.starts_with("ENV-") || code == "LIM-HEADER" || is_no_payload
    }

    /// Whether the array around the payload is missing, or has another count.
    fn is_of_payload(&self, error: &DecodeError) -> bool {
        let is_there =
            (self.envelope..=self.signature).contains(&usize::try_from(error.offset()).unwrap_or(0));
        matches!(error.kind().code(), "PAY-FORM" | "MSG-COUNT" | "MSG-SHORT") && is_there
    }

    /// Whether `error` is the right one for bytes that are changed from `at` on, at any place, and
    /// that then form another file.
    fn is_named_of(&self, error: &DecodeError, bytes: &[u8], at: usize) -> bool {
        let found = (error.kind().code(), error.offset());
        if at < self.envelope {
            return self.is_named(error, at) || found.0.starts_with("TRL-");
        }
        if at < self.signature && (self.is_named(error, at) || self.is_of_payload(error)) {
            return true;
        }
        let trailer = (bytes.len() - TRAILER) as u64;
        let (length, magic) = (&bytes[bytes.len() - TRAILER..][..8], &bytes[bytes.len() - 8..][..4]);
        if magic != b"COCO" {
            return found.0 == "TRL-MAGIC" && found.1 == trailer + 20;
        }
        if length != (bytes.len() as u64).to_le_bytes() {
            return found == ("TRL-LENGTH", trailer);
        }
        // An added or removed byte can leave the right length, or another place that is covered.
        self.is_named(error, at) || found == ("SUM-MISMATCH", self.sum_of(at) as u64)
    }
}

/// The error of the full check of a file, on opening or afterwards. A check of the checksums alone
/// has the same error.
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
    let changed = AtomicUsize::new(0);
    on_all(|good| {
        let mut bytes = good.bytes.clone();
        for at in 0..bytes.len() {
            for change in changes(good.bytes.len()) {
                bytes[at] = good.bytes[at] ^ change;
                let Some(error) = refused(&bytes) else {
                    panic!("{}: byte {at} was changed by {change:#04x}, and it was not noticed", good.name);
                };
                assert!(
                    good.is_named(&error, at),
                    "{}: byte {at} changed by {change:#04x}: {error}",
                    good.name
                );
                changed.fetch_add(1, Ordering::Relaxed);
            }
            bytes[at] = good.bytes[at];
        }
    });
    let changed = changed.into_inner();
    assert!(changed > 6_000_000, "{changed} changes");
}

#[test]
fn every_truncation_is_noticed_and_named() {
    on_all(|good| {
        for length in 0..good.bytes.len() {
            let error = refused(&good.bytes[..length]).expect("a file without its end");
            let code = error.kind().code();
            let is_named = match length {
                0 => code == "ENV-EMPTY",
                _ if length < good.envelope => code.starts_with("ENV-"),
                _ if length < good.signature => code == "ENV-SIGNATURE" || good.is_of_payload(&error),
                // A payload of many elements has fewer bytes after it than elements.
                _ => code == "TRL-MAGIC" || (code == "MSG-COUNT" && error.offset() == good.envelope as u64),
            };
            assert!(is_named, "{}: cut at {length}: {error}", good.name);
        }
    });
}

#[test]
fn every_inserted_or_deleted_byte_is_noticed_and_named() {
    on_all(|good| {
        let inserted: Vec<u8> = match good.bytes.len() <= SMALL || is_deep() {
            true => (0..=255).collect(),
            false => vec![0x00, b'\n', b' ', 0x90, 0xff],
        };
        for at in 0..=good.bytes.len() {
            let (head, tail) = good.bytes.split_at(at);
            let with = inserted.iter().map(|&byte| [head, &[byte], tail].concat());
            let without = tail.get(1..).map(|rest| [head, rest].concat());
            for bytes in with.chain(without) {
                let Some(error) = refused(&bytes) else {
                    panic!("{}: a byte came or went at {at}, and it was not noticed", good.name);
                };
                assert!(
                    good.is_named_of(&error, &bytes, at),
                    "{}: a byte came or went at {at}: {error}",
                    good.name
                );
            }
        }
    });
}

#[test]
fn two_bytes_in_each_others_place_are_noticed_and_named() {
    on_all(|good| {
        for at in 1..good.bytes.len() {
            let mut bytes = good.bytes.clone();
            bytes.swap(at - 1, at);
            if bytes == good.bytes {
                continue;
            }
            let Some(error) = refused(&bytes) else { panic!("{}: bytes {} and {at}", good.name, at - 1) };
            let is_named = good.is_named_of(&error, &bytes, at - 1) || good.is_named_of(&error, &bytes, at);
            assert!(is_named, "{}: bytes {} and {at}: {error}", good.name, at - 1);
        }
    });
}

/// The value of a file, in the default ways of reading: the root lazily, the whole as a stream, and
/// into Rust values.
type Values = (Result<Value, ()>, Result<Value, ()>, Result<serde_json::Value, ()>);

fn values(bytes: &[u8]) -> Values {
    let Ok(file) = DocumentFile::from_data(bytes) else { return (Err(()), Err(()), Err(())) };
    let (mut lazy, mut streamed) = (ValueSink::new(), ValueSink::new());
    let lazily = file.view().root().stream(&mut lazy, Budget::default());
    let whole = file.view().stream(&mut streamed, Budget::default());
    let value = |result: Result<(), StreamError>, sink: ValueSink| match result {
        Ok(()) => Ok(sink.finish().expect("one value")),
        Err(_) => Err(()),
    };
    let of_rust = from_view(file.view().root()).map_err(drop);
    (value(lazily, lazy), value(whole, streamed), of_rust)
}

/// Without a requested check: a file with one checksum is not opened, and a file with several never
/// yields a damaged value.
#[test]
fn opening_and_reading_yields_an_error_or_undamaged_values() {
    on_all(|good| {
        let expected = values(&good.bytes);
        let mut bytes = good.bytes.clone();
        for at in 0..bytes.len() {
            for change in changes(good.bytes.len()) {
                bytes[at] = good.bytes[at] ^ change;
                if good.blocks.is_none() {
                    let opened = DocumentFile::from_data(&bytes[..]);
                    assert!(opened.is_err(), "{}: opened with byte {at} changed by {change:#04x}", good.name);
                    continue;
                }
                let found = values(&bytes);
                let is_right = (found.0.is_err() || found.0 == expected.0)
                    && (found.1.is_err() || found.1 == expected.1)
                    && (found.2.is_err() || found.2 == expected.2);
                assert!(is_right, "{}: another value with byte {at} changed by {change:#04x}", good.name);
            }
            bytes[at] = good.bytes[at];
        }
    });
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
    on_all(|good| {
        // With unusual line ends, for instance folded ones, the converted text is not an envelope.
        let has_line_ends =
            good.bytes[..good.envelope - 1].contains(&b'\n') || good.bytes[..good.envelope].contains(&b'\r');
        // The same holds for one of the maximum length.
        let is_full = good.envelope == 4096;
        let conversions = [
            ("LF to CR LF", replaced(&good.bytes, b"\n", b"\r\n")),
            ("LF to CR LF, where none was", replaced(&replaced(&good.bytes, b"\r\n", b"\n"), b"\n", b"\r\n")),
            ("CR LF to LF", replaced(&good.bytes, b"\r\n", b"\n")),
            ("CR to LF", replaced(&good.bytes, b"\r", b"\n")),
            ("seven bits", good.bytes.iter().map(|byte| byte & 0x7f).collect()),
        ];
        for (conversion, bytes) in conversions {
            let error = refused(&bytes).expect("a converted file");
            let is_of_envelope = (has_line_ends || is_full) && good.is_of_start(&error);
            let is_named = matches!(error.kind(), ErrorKind::TextConversion { .. }) || is_of_envelope;
            assert!(is_named, "{}: {conversion}: {error}", good.name);
        }
    });
}

#[test]
fn zeroed_sectors_are_noticed() {
    const SECTOR: usize = 512;
    let mut files = Good::all();
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
                _ if start < good.envelope => good.is_of_start(&error),
                _ if start < good.signature => good.is_of_payload(&error),
                _ if end > good.trailer => good.is_named_of(&error, &bytes, start),
                // The part covered by the trailer is compared first.
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
