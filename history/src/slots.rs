//! §23.3 Texts in slots, each a patch of an earlier one.

use crate::delta::{base_of, compress, decompress};
use crate::error::HistoryErrorKind;
use crate::limits;
use crate::version::signed;
use rusqlite::{Connection, Transaction, params};

/// Compresses a text into a slot. Returns the stored bytes.
pub(crate) fn write_blob(
    transaction: &Transaction<'_>,
    slot: u64,
    text: &[u8],
    base_text: impl FnOnce(u64) -> Result<Vec<u8>, HistoryErrorKind>,
) -> Result<u64, HistoryErrorKind> {
    write_blob_at(transaction, signed(slot), base_of(slot), text, base_text)
}

/// As [`write_blob`], in a row with another number.
pub(crate) fn write_blob_at(
    transaction: &Transaction<'_>,
    row: i64,
    base: Option<u64>,
    text: &[u8],
    base_text: impl FnOnce(u64) -> Result<Vec<u8>, HistoryErrorKind>,
) -> Result<u64, HistoryErrorKind> {
    /// A patch that is larger than this part of the text may be larger than the text alone.
    const PART: usize = 16;
    let mut best = None;
    if let Some(base) = base {
        // A version that was damaged later costs its successors only their base.
        if let Ok(base_text) = base_text(base) {
            best = Some((Some(signed(base)), compress(&base_text, text)?));
        }
    }
    if best.as_ref().is_none_or(|(_, patch)| patch.len() > text.len() / PART) {
        let whole = compress(b"", text)?;
        if best.as_ref().is_none_or(|(_, patch)| whole.len() <= patch.len()) {
            best = Some((None, whole));
        }
    }
    let (base, stored) = best.unwrap_or_default();
    transaction
        .prepare_cached("INSERT INTO blob (slot, base, len, z) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![row, base, signed(text.len() as u64), stored])?;
    Ok(stored.len() as u64)
}

/// The text in a slot.
pub(crate) fn text_of_slot(connection: &Connection, slot: u64) -> Result<Vec<u8>, HistoryErrorKind> {
    let mut frames = Vec::new();
    let mut next = Some(slot);
    while let Some(slot) = next {
        let frame = frame_of_slot(connection, slot)?;
        next = frame.base;
        frames.push(frame);
    }
    let mut text = Vec::new();
    for frame in frames.iter().rev() {
        text = frame.text(&text)?;
    }
    Ok(text)
}

/// A stored text.
pub(crate) struct Frame {
    pub(crate) base: Option<u64>,
    length: u64,
    stored: Vec<u8>,
}

impl Frame {
    pub(crate) fn text(&self, base: &[u8]) -> Result<Vec<u8>, HistoryErrorKind> {
        decompress(base, &self.stored, self.length).map_err(|error| HistoryErrorKind::Damaged {
            versions: Vec::new(),
            what: format!("a text cannot be decompressed: {error}"),
        })
    }
}

pub(crate) fn frame_of_slot(connection: &Connection, slot: u64) -> Result<Frame, HistoryErrorKind> {
    let mut statement = connection.prepare_cached("SELECT base, len, z FROM blob WHERE slot = ?1")?;
    let frame = statement.query_row([signed(slot)], |row| {
        let base: Option<i64> = row.get(0)?;
        Ok(Frame {
            base: base.map(i64::unsigned_abs),
            length: row.get::<_, i64>(1)?.unsigned_abs(),
            stored: row.get(2)?,
        })
    })?;
    let wrong = |what: &str| HistoryErrorKind::Damaged { versions: Vec::new(), what: what.to_owned() };
    if frame.length > limits::TEXT {
        return Err(wrong("the recorded length of a text is beyond the limit"));
    }
    match frame.base {
        // No other base is possible, so a chain of patches always ends.
        Some(base) if Some(base) != base_of(slot) => Err(wrong("a text has the wrong base")),
        _ => Ok(frame),
    }
}

pub(crate) fn naming(kind: HistoryErrorKind, n: u64) -> HistoryErrorKind {
    match kind {
        HistoryErrorKind::Damaged { versions, what } if versions.is_empty() => {
            HistoryErrorKind::Damaged { versions: vec![n], what }
        }
        other => other,
    }
}

pub(crate) fn another_text(n: u64) -> HistoryErrorKind {
    HistoryErrorKind::Damaged {
        versions: vec![n],
        what: "a text has another SHA-256 than its record".to_owned(),
    }
}
