//! Hashing the canonical value stream (§4.7), for whole documents and for landmarks.

use crate::event::SinkError;
use crate::msgpack::{
    put_array_header, put_bool, put_float, put_map_header, put_nil, put_plain_integer, put_str,
};
use crate::read::stream::{CountedSink, StreamError, ValueStreams, ViewSink};
use crate::read::tables::Tables;
use crate::read::view::Content;
use crate::replay::Replay;
use crate::wire::ids::StringId;
use crate::wire::value::Form;
use coconut_format::error::DecodeError;
use coconut_format::node::Kind;
use sha2::{Digest, Sha256};

/// Hashes the canonical value stream (§4.7).
pub(crate) struct Canonical {
    hasher: Sha256,
    piece: Vec<u8>,
    /// The number of times that pieces were hashed.
    hashed: u64,
    /// Numbered runs of events.
    runs: Replay<()>,
    open_runs: Vec<OpenRun>,
}

/// A run being written.
struct OpenRun {
    number: u64,
    start: usize,
    /// [`Canonical::hashed`] at the beginning of the run. A run can be kept only while all of its
    /// bytes are in the current piece.
    hashed: u64,
}

impl Canonical {
    pub(crate) fn new() -> Canonical {
        Canonical {
            hasher: Sha256::new(),
            piece: Vec::new(),
            hashed: 0,
            runs: Replay::new(),
            open_runs: Vec::new(),
        }
    }

    /// Hashes what precedes the value of a landmark with this full key (§8.8).
    pub(crate) fn landmark(&mut self, key: &str) {
        let length = u32::try_from(key.len()).expect("a full key has 256 MiB at most");
        self.piece.extend_from_slice(&length.to_le_bytes());
        self.piece.extend_from_slice(key.as_bytes());
        self.flush_if_large();
    }

    /// Hashes the value that begins at `start`.
    pub(crate) fn value(&mut self, streams: &ValueStreams<'_, '_>, start: usize) -> Result<(), DecodeError> {
        match streams.value(start, self) {
            Ok(()) => Ok(()),
            Err(StreamError::Decode(error)) => Err(error),
            Err(StreamError::Sink(_)) => unreachable!("a hasher refuses nothing"),
        }
    }

    fn flush_if_large(&mut self) {
        if self.piece.len() > 1 << 16 {
            self.flush();
        }
    }

    fn flush(&mut self) {
        self.hasher.update(&self.piece);
        self.piece.clear();
        self.hashed += 1;
    }

    /// The digest of everything hashed since the previous one.
    pub(crate) fn take(&mut self) -> [u8; 32] {
        self.flush();
        self.hasher.finalize_reset().into()
    }
}

impl ViewSink for Canonical {
    fn value(&mut self, content: &Content<'_>) -> Result<(), SinkError> {
        match *content {
            Content::Null => put_nil(&mut self.piece),
            Content::Bool(value) => put_bool(&mut self.piece, value),
            Content::Integer(value) => put_plain_integer(&mut self.piece, value),
            Content::Float(value) => put_float(&mut self.piece, value),
            Content::String(text) => put_str(&mut self.piece, text),
            Content::List(list) => put_array_header(&mut self.piece, list.len()),
            Content::Object(object) => put_map_header(&mut self.piece, object.len()),
        }
        self.flush_if_large();
        Ok(())
    }

    fn key(&mut self, key: &str) -> Result<(), SinkError> {
        put_str(&mut self.piece, key);
        Ok(())
    }

    fn end(&mut self, _: Kind) -> Result<(), SinkError> {
        Ok(())
    }
}

impl CountedSink for Canonical {
    fn scalar(&mut self, form: &Form<'_>, tables: &Tables<'_>) -> Result<(), SinkError> {
        match *form {
            Form::Null => put_nil(&mut self.piece),
            Form::Bool(value) => put_bool(&mut self.piece, value),
            Form::Integer(value) => put_plain_integer(&mut self.piece, value),
            Form::Float(value) => put_float(&mut self.piece, value),
            Form::String(text) => put_str(&mut self.piece, text),
            Form::StringId(id) => put_str(&mut self.piece, tables.strings[id.index()]),
            Form::Shared(_) | Form::List(_) | Form::Object(_) | Form::Record(_) => {}
        }
        self.flush_if_large();
        Ok(())
    }

    fn begin_list(&mut self, count: u32) -> Result<(), SinkError> {
        put_array_header(&mut self.piece, count as usize);
        Ok(())
    }

    fn end_list(&mut self) -> Result<(), SinkError> {
        Ok(())
    }

    fn begin_object(&mut self, count: u32) -> Result<(), SinkError> {
        put_map_header(&mut self.piece, count as usize);
        Ok(())
    }

    fn key(&mut self, key: &str, _: Option<StringId>) -> Result<(), SinkError> {
        put_str(&mut self.piece, key);
        Ok(())
    }

    fn end_object(&mut self) -> Result<(), SinkError> {
        Ok(())
    }

    /// Repeats a run that was written before, because a small file can represent a very large
    /// number of runs.
    fn begin_run(&mut self, number: u64) -> Result<bool, SinkError> {
        self.flush_if_large();
        if self.runs.copy(number, &mut self.piece, |()| true).is_some() {
            return Ok(true);
        }
        self.open_runs.push(OpenRun { number, start: self.piece.len(), hashed: self.hashed });
        Ok(false)
    }

    fn end_run(&mut self) {
        let run = self.open_runs.pop().expect("the caller ends only what it began");
        if run.hashed == self.hashed {
            self.runs.keep(run.number, &self.piece[run.start..], ());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_canonical_stream_is_hashed_in_pieces() {
        for (length, left) in [(0, 0), (1, 1), (1 << 16, 1 << 16), ((1 << 16) + 1, 0)] {
            let mut canonical = Canonical { piece: vec![7; length], ..Canonical::new() };
            canonical.flush_if_large();
            assert_eq!(canonical.piece.len(), left);
            assert_eq!(canonical.take(), <[u8; 32]>::from(Sha256::digest(vec![7; length])));
        }
    }

    #[test]
    fn a_repeated_run_is_hashed_as_it_was_written() {
        // The inner run has 3 more bytes before it than the outer one.
        for (length, is_kept) in [(3, true), ((1 << 16) - 3, true), ((1 << 16) - 2, false), (1 << 18, false)]
        {
            let mut canonical = Canonical { piece: vec![7; 5], ..Canonical::new() };
            assert_eq!(canonical.begin_run(9), Ok(false));
            canonical.piece.extend(vec![8; length - 2]);
            assert_eq!(canonical.begin_run(1), Ok(false));
            canonical.piece.extend([9; 2]);
            canonical.end_run();
            canonical.end_run();
            let runs = [1, 9].map(|number| canonical.begin_run(number));
            let once = [&vec![8; length - 2][..], &[9; 2]].concat();
            assert_eq!(runs, [Ok(true), Ok(is_kept)], "{length} bytes");
            let again = if is_kept { &once[..] } else { &[] };
            let all = [&[7; 5][..], &once, &[9; 2], again].concat();
            assert_eq!(canonical.take(), <[u8; 32]>::from(Sha256::digest(all)), "{length} bytes");
        }
    }
}
