//! §25.3 Replay of a journal.

use super::{Progress, Record, VERSION, value_of};
use crate::error::DeployError;
use crate::state::State;
use coconut_format::Value;
use std::path::Path;

/// The first record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// SHA-256 of the snapshot that the journal continues, in hexadecimal.
    pub(crate) base: Option<String>,
}

/// The result of a replay.
#[derive(Debug)]
pub(crate) struct Replay {
    pub(crate) state: State,
    /// The number of records after the head.
    pub(crate) records: u64,
    /// The number of the last operation.
    pub(crate) last: u64,
    /// The length of the good lines in bytes.
    pub(crate) good: u64,
}

/// The head of a journal, and the length of its line. `None` if not even the head is whole: then no
/// call was made.
pub(crate) fn head(path: &Path, bytes: &[u8]) -> Result<Option<(Head, usize)>, DeployError> {
    let Some((value, length)) = first_line(bytes) else { return Ok(None) };
    let version = match value.get("journal") {
        Some(Value::Integer(number)) => number.as_u64(),
        _ => None,
    };
    match version {
        Some(VERSION) => {}
        Some(found) if found > VERSION => {
            return Err(DeployError::NewerJournal { path: path.to_owned(), found });
        }
        _ => {
            let reason = "the first record is not a head";
            return Err(DeployError::Journal { path: path.to_owned(), offset: 0, reason });
        }
    }
    let base = value.get("base").and_then(Value::as_str).map(str::to_owned);
    Ok(Some((Head { base }, length)))
}

/// The first line, and its length with LF.
fn first_line(bytes: &[u8]) -> Option<(Value, usize)> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    Some((value_of(&bytes[..end])?, end + 1))
}

/// Applies the records from `offset` on to a state. A damaged end is cut; a damaged record before a
/// good one is an error.
pub(crate) fn replay(path: &Path, bytes: &[u8], offset: usize, state: State) -> Result<Replay, DeployError> {
    let damaged =
        |offset: usize, reason| DeployError::Journal { path: path.to_owned(), offset: offset as u64, reason };
    let mut progress = Progress::new(state);
    let (mut at, mut records) = (offset, 0);
    while let Some((value, length)) = first_line(&bytes[at..]) {
        let record =
            Record::from_value(&value).ok_or_else(|| damaged(at, "the record is of no known kind"))?;
        progress.apply(record).map_err(|reason| damaged(at, reason))?;
        (at, records) = (at + length, records + 1);
    }
    // A power failure may damage all lines that were not synchronized, but none before them.
    let mut rest = bytes[at..].split(|byte| *byte == b'\n').skip(1);
    if rest.any(|line| value_of(line).is_some()) {
        return Err(damaged(at, "the checksum is wrong, and later records are good"));
    }
    let (state, last) = progress.finish();
    Ok(Replay { state, records, last, good: at as u64 })
}
