//! All texts of a pack in the order of their slots, each decompressed once.

use crate::error::HistoryErrorKind;
use crate::slots::frame_of_slot;
use rusqlite::Connection;

/// Texts that later slots refer to. Slots only refer to slots whose number is a beginning of their
/// own in binary, so a stack with one text for each set bit is enough.
#[derive(Default)]
pub(crate) struct Texts(Vec<(u64, Vec<u8>)>);

impl Texts {
    /// The text in a slot. Fast if the slots are requested in ascending order.
    pub(crate) fn of_slot(&mut self, connection: &Connection, slot: u64) -> Result<&[u8], HistoryErrorKind> {
        let mut frames = Vec::new();
        let mut next = Some(slot);
        while let Some(slot) = next {
            if self.drop_until(slot) {
                break;
            }
            let frame = frame_of_slot(connection, slot)?;
            next = frame.base;
            frames.push((slot, frame));
        }
        for (slot, frame) in frames.into_iter().rev() {
            let base = frame.base.and_then(|base| self.0.iter().rfind(|(held, _)| *held == base));
            let text = frame.text(base.map_or(&[], |(_, text)| text))?;
            self.0.push((slot, text));
        }
        Ok(self.0.last().map_or(&[], |(_, text)| text))
    }

    /// Keeps a text that was just written into a slot.
    pub(crate) fn push(&mut self, slot: u64, text: Vec<u8>) {
        self.0.push((slot, text));
    }

    /// A text that is held.
    pub(crate) fn held(&mut self, slot: u64) -> Option<&[u8]> {
        self.drop_until(slot).then(|| self.0.last().map(|(_, text)| text.as_slice())).flatten()
    }

    /// Drops the texts of higher slots, which no later slot refers to. Returns whether that of this
    /// slot is on top.
    fn drop_until(&mut self, slot: u64) -> bool {
        match self.0.iter().rposition(|(held, _)| *held == slot) {
            Some(at) => {
                self.0.truncate(at + 1);
                true
            }
            None => {
                self.0.retain(|(held, _)| *held < slot);
                false
            }
        }
    }
}
