//! §24 Streams of Pcore: a stream that is read has a document, which is the document of the stream
//! that is made of it.

use coconut_codec::event::ValueSink;
use coconut_format::Value;
use coconut_pcore::{Dialect, Stream, WriteOptions, is_json_stream, list_tokens, recognise};

/// A stream from any bytes. The first byte chooses the dialect.
pub fn pcore(data: &[u8]) {
    let Some((&first, bytes)) = data.split_first() else { return };
    let dialect = Dialect::ALL.get(usize::from(first % 8)).copied();
    recognise(bytes);
    is_json_stream(bytes);
    let mut tokens = 0;
    let fault = list_tokens(bytes, dialect, &mut |_| tokens += 1);
    let Ok(stream) = Stream::read(bytes, dialect) else {
        assert!(fault.is_some(), "the listing of {bytes:02x?} has no fault");
        return;
    };
    assert_eq!((fault, tokens), (None, stream.len()), "the listing of {bytes:02x?}");
    // The document may have more levels than a stream.
    let Some(document) = document_of(&stream) else { return };
    // Maps of msgpack may have the members of rich data with any content.
    if stream.is_plain() {
        return;
    }
    let rich = Stream::from_rich(&document, stream.dialect()).expect("it is rich data");
    assert_eq!(document_of(&rich).as_ref(), Some(&document), "the document of {bytes:02x?}");
    // Integers above 2^63, for example, are only read.
    let options = WriteOptions { encoding: stream.encoding(), ..WriteOptions::of(&rich) };
    if let Ok(written) = rich.to_bytes(&options) {
        let again = Stream::read(&written, Some(stream.dialect())).expect("we read what we write");
        assert_eq!(document_of(&again), document_of(&rich), "the stream of {bytes:02x?}");
    }
}

fn document_of(stream: &Stream<'_>) -> Option<Value> {
    let mut sink = ValueSink::new();
    stream.push(&mut sink).ok()?;
    sink.finish()
}
