//! §10.1 The levels of one file agree.

use super::{file_of, is_budget, streamed, viewed};
use coconut_codec::read::file::DocumentFile;
use coconut_codec::read::integrity::check_checksums;
use coconut_codec::read::stream::StreamError;
use coconut_codec::write::interner::Interner;
use coconut_codec::write::{WriteError, Writer, WriterOptions, document_digest};
use coconut_format::{ErrorKind, Value};

/// A file that opens knows its blocks, and does not open without its last byte.
pub fn open(data: &[u8]) {
    let Some(bytes) = file_of(data) else { return };
    let length = bytes.len() as u64;
    let file = match DocumentFile::from_data(bytes) {
        Ok(file) => file,
        Err(error) => return assert!(error.offset() <= length, "{error} is after the end"),
    };
    let view = file.view();
    assert_eq!(view.header(), file.header());
    assert_eq!(check_checksums(file.data()), view.check_blocks());
    if let Err(error) = view.check_blocks() {
        assert!(matches!(error.kind(), ErrorKind::Checksum { .. }), "{error}");
        assert!(file.view().check_integrity().is_err());
    }
    let shorter = &file.data()[..file.data().len() - 1];
    assert!(DocumentFile::from_data(shorter).is_err(), "a cut file opens");
}

/// A tree and a stream contain one document, or refuse it for one reason.
pub fn tree(data: &[u8]) {
    let Some(Ok(file)) = file_of(data).map(DocumentFile::from_data) else { return };
    agree(&file);
}

/// A stream, a tree and the check of values agree on a file. Returns the document.
pub(super) fn agree(file: &DocumentFile<Vec<u8>>) -> Option<Value> {
    let stream = streamed(file);
    let tree = file.view().tree();
    let values = file.view().check_values();
    match &stream {
        Ok(value) => {
            let tree = tree.expect("what streams makes a tree");
            assert!(tree.to_value() == *value, "tree and stream");
            assert_eq!(values, Ok(()), "what streams is decoded");
        }
        Err(error) if is_budget(error) => {
            tree.expect("a tree needs no budget");
            assert_eq!(values, Ok(()), "decoding needs no budget");
        }
        Err(StreamError::Decode(error)) => {
            let refused = tree.map(|_| ()).expect_err("what a stream refuses makes no tree");
            assert_eq!(
                refused.kind(),
                error.kind(),
                "tree and stream at {} and {}",
                refused.offset(),
                error.offset()
            );
            assert_eq!(refused.offset(), error.offset(), "place of {error}");
            assert_eq!(values.as_ref(), Err(error), "what a stream refuses is refused");
        }
        Err(StreamError::Sink(error)) => panic!("a sink of values takes everything: {error}"),
    }
    stream.ok()
}

/// All readers agree on a file that passes the full check, and its header is right.
pub fn integrity(data: &[u8]) {
    let Some(Ok(file)) = file_of(data).map(DocumentFile::from_data) else { return };
    check(&file);
}

/// The full check of a file against all its readers.
pub(super) fn check(file: &DocumentFile<Vec<u8>>) {
    let stream = streamed(file);
    let integrity = match file.view().check_integrity() {
        Ok(integrity) => integrity,
        Err(_) => return,
    };
    let value = match stream {
        Ok(value) => value,
        Err(error) => return assert!(is_budget(&error), "verified, and then: {error}"),
    };
    assert!(viewed(file).as_ref() == Ok(&value), "lazy views of a verified file");
    let header = file.header();
    assert_eq!(
        (header.values, header.depth, header.digest),
        (integrity.values, integrity.depth, integrity.digest)
    );
    assert_eq!(header.landmarks, integrity.landmarks);
    assert_eq!(u64::from(file.view().landmark_count().expect("a verified file")), integrity.landmarks);
    assert_eq!(integrity.values, count(&value), "the values of a verified file");
    super::lookup::every_key_is_found(file);
}

/// Values of a document.
pub(super) fn count(value: &Value) -> u64 {
    let mut count = 0;
    let mut left = vec![value];
    while let Some(value) = left.pop() {
        count += 1;
        match value {
            Value::List(items) => left.extend(items),
            Value::Object(entries) => left.extend(entries.iter().map(|(_, value)| value)),
            _ => {}
        }
    }
    count
}

/// A document that was read can be written, reads back the same, and is then written to the same
/// bytes.
pub fn transcode(data: &[u8]) {
    let Some(Ok(file)) = file_of(data).map(DocumentFile::from_data) else { return };
    let header = file.header();
    let mut options = WriterOptions::new(&header.document_type);
    options.profile = header.profile;
    let Ok(rule) = header.rule() else { return };
    options.rule = rule.clone();
    let Some(once) = written(&file, &options) else { return };
    let again = DocumentFile::from_data(once).expect("a file just written");
    assert!(streamed(&again) == streamed(&file), "the document after a round trip");
    again.view().check_integrity().expect("a file just written");
    let twice = written(&again, &options).expect("a document that was written once");
    assert!(&twice == again.data(), "writing is stable");
}

fn written(file: &DocumentFile<Vec<u8>>, options: &WriterOptions) -> Option<Vec<u8>> {
    let mut interner = Interner::new();
    file.view().stream(&mut interner, super::BUDGET).ok()?;
    let interned = interner.finish().expect("one whole document");
    let bytes = match Writer::new(options.clone()).to_bytes(&interned) {
        Ok(bytes) => bytes,
        // A small document can have more edges than any file.
        Err(WriteError::TooMany { .. }) => return None,
        Err(error) => panic!("{error}"),
    };
    let written = DocumentFile::from_data(&bytes).expect("a file just written");
    assert_eq!(written.header().digest, document_digest(&interned));
    Some(bytes)
}
