//! Compares the tables of a file with those that its content implies.

use crate::read::file::DocumentView;
use crate::wire::directory::Part;
use crate::wire::offsets::{Items, put_table};
use coconut_format::error::{DecodeError, ErrorKind};

impl DocumentView<'_> {
    /// Checks that the offset tables lead to the items (§5.9).
    ///
    /// A view of a string, shape or shared value relies on them, and a walk of the file does not.
    /// Costs a pass over the three parts, and 8 bytes of memory for each of their items.
    #[doc(hidden)]
    pub fn check_offset_tables(&self) -> Result<(), DecodeError> {
        let items: [(Part, &Items); 3] = [
            (Part::STRING_OFFSETS, &self.frame.strings),
            (Part::SHAPE_OFFSETS, &self.frame.shapes),
            (Part::SHARED_OFFSETS, &self.frame.shared),
        ];
        for (part, items) in items {
            let Some(entry) = self.frame.directory.get(part) else { continue };
            let offsets: Vec<u64> =
                items.all(self.data, self.blocks())?.into_iter().map(|offset| offset as u64).collect();
            let mut expected = Vec::new();
            put_table(&offsets, entry.stride, self.frame.trailer.wide, &mut expected);
            let (expected_length, found) = (expected.len() as u64, (entry.end - entry.start) as u64);
            if expected_length != found {
                let at = self.frame.directory.place_of(part, self.frame.trailer.wide);
                return Err(ErrorKind::PartLength { part: part.0, expected: expected_length, found }.at(at));
            }
            self.compare_table(part, &expected)?;
        }
        Ok(())
    }

    /// Compares a table, if the file has it, with its expected content.
    pub(crate) fn compare_table(&self, part: Part, expected: &[u8]) -> Result<(), DecodeError> {
        let Some(entry) = self.frame.directory.get(part) else { return Ok(()) };
        let found = self.data.get(entry.range()).unwrap_or_default();
        if found == expected {
            return Ok(());
        }
        let first = found.iter().zip(expected).position(|(a, b)| a != b);
        let at = entry.start + first.unwrap_or(found.len().min(expected.len()));
        Err(ErrorKind::IndexDiffers { table: part.0 }.at(at as u64))
    }
}
