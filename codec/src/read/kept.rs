//! The content of an open file that this version does not know (§5.14), for the file that is made
//! from it.

use crate::read::file::DocumentView;
use crate::wire::directory::FLAG_DROP_ON_REWRITE;
use crate::wire::kept::{Kept, KeptPart};
use coconut_format::error::DecodeError;

impl DocumentView<'_> {
    /// Returns the content of the file that this version does not know (§5.14), for the file that
    /// is made from it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Checksum`](coconut_format::ErrorKind::Checksum) if such a part is damaged.
    pub fn kept(&self) -> Result<Kept, DecodeError> {
        let header = self.header();
        let mut kept = Kept { optional: header.optional.clone(), ..Kept::default() };
        for entry in self.frame.directory.entries.iter().filter(|entry| !entry.part.is_known()) {
            if entry.flags & FLAG_DROP_ON_REWRITE != 0 {
                kept.dropped.push(entry.part.0);
                continue;
            }
            if let Some(blocks) = self.blocks() {
                blocks.ensure(&self.data, entry.start, entry.end)?;
            }
            let bytes = self.data.get(entry.range()).unwrap_or_default().to_vec();
            kept.parts.push(KeptPart { number: entry.part.0, flags: entry.flags, bytes });
        }
        let range = self.frame.header_range.clone();
        kept.read_keys(self.cursor(range.start, range.end), self.data)?;
        if header.rule().is_err() {
            kept.rule = Some((header.rule_text.clone(), header.landmarks));
        }
        Ok(kept)
    }
}
