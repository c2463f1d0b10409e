//! Properties that must hold for any bytes: one function for each target of `fuzz/`, with a smoke
//! test on stable.
//!
//! Each body takes bytes and panics when a property does not hold. Bytes may be refused, but two
//! readers may not report different contents of one file.

mod agreement;
#[cfg(unix)]
mod cache_entry;
mod deserialize;
mod documents;
mod elements;
mod envelope;
mod evaluate;
mod index;
mod lookup;
mod msgpack;
mod paged;
mod pcore;
mod sources;
mod views;

use coconut_codec::event::ValueSink;
use coconut_codec::read::file::DocumentFile;
use coconut_codec::read::stream::{Budget, Meter, StreamError};
use coconut_format::{ErrorKind, Value};

pub use agreement::{integrity, open, transcode, tree};
#[cfg(unix)]
pub use cache_entry::cache_entry;
pub use deserialize::deserialize;
pub use documents::documents;
pub use elements::elements;
pub use envelope::envelope;
pub use evaluate::evaluate;
pub use index::index;
pub use lookup::lookup;
pub use msgpack::msgpack;
pub use paged::paged;
pub use pcore::pcore;
pub use sources::{json, yaml};
pub use views::views;

/// A property of bytes.
pub type Body = fn(&[u8]);

/// All bodies, by the names of their targets.
pub const BODIES: &[(&str, Body)] = &[
    ("envelope", envelope),
    ("open", open),
    ("views", views),
    ("tree", tree),
    ("integrity", integrity),
    ("lookup", lookup),
    ("deserialize", deserialize),
    ("transcode", transcode),
    ("elements", elements),
    ("msgpack", msgpack),
    ("documents", documents),
    ("index", index),
    ("paged", paged),
    ("pcore", pcore),
    ("json", json),
    ("yaml", yaml),
    ("evaluate", evaluate),
    #[cfg(unix)]
    ("cache_entry", cache_entry),
];

/// Enough for any document of a fuzzer, and small enough for many runs a second.
const BUDGET: Budget = Budget { values: 20_000, bytes: 1 << 20 };

/// The file in the input of a fuzzer. An odd first byte asks for repaired checksums, which a fuzzer
/// cannot guess.
fn file_of(data: &[u8]) -> Option<Vec<u8>> {
    let (&first, rest) = data.split_first()?;
    let mut file = rest.to_vec();
    if first % 2 == 1 {
        crate::checksums::repair(&mut file);
    }
    Some(file)
}

/// The whole document of a file, by streaming it.
fn streamed(file: &DocumentFile<Vec<u8>>) -> Result<Value, StreamError> {
    let mut sink = ValueSink::new();
    file.view().stream(&mut sink, BUDGET)?;
    Ok(sink.finish().expect("a stream that succeeds is one document"))
}

/// The same through lazy views, level by level. A meter first computes whether they exceed the
/// budget.
fn viewed(file: &DocumentFile<Vec<u8>>) -> Result<Value, StreamError> {
    let mut sink = ValueSink::new();
    let root = file.view().root();
    let foreseen = Meter::new(file.view(), BUDGET).value(root);
    let result = root.stream(&mut sink, BUDGET);
    assert!(foreseen.is_ok() || result.is_err(), "{foreseen:?} of what can be streamed");
    let is_over = result.as_ref().is_err_and(is_budget);
    assert!(foreseen.is_err() || !is_over, "what is foreseen to be within the budget ended in {result:?}");
    result?;
    Ok(sink.finish().expect("a stream that succeeds is one document"))
}

/// Whether a document was refused for its expanded size. The limit depends on the reader.
fn is_budget(error: &StreamError) -> bool {
    match error {
        StreamError::Decode(error) => {
            matches!(error.kind(), ErrorKind::Nodes { .. } | ErrorKind::Bytes { .. })
        }
        StreamError::Sink(_) => false,
    }
}
