//! §5.8 The parts of an open file, as its directory lists them: for tools that show where the bytes are.

use crate::decode::{Survey, Tables};
use crate::file::DocumentView;
use crate::wire::checksum::Blocks;
use crate::wire::directory::{FLAG_CRITICAL, FLAG_DROP_ON_REWRITE, Part};
use coconut_format::error::DecodeError;
use std::ops::Range;

/// A part of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartView {
    /// Its number in the registry.
    pub number: u8,
    /// Its name; `unknown` for a part of a later version.
    pub name: &'static str,
    /// Whether a reader that does not know it must refuse the file.
    pub is_critical: bool,
    /// Whether a program that does not know it must leave it out when it rewrites the file.
    pub is_dropped_on_rewrite: bool,
    /// Its bytes in the file.
    pub span: Range<u64>,
    /// How many strings, shapes or shared values it holds; `None` for other parts.
    pub items: Option<u32>,
}

impl DocumentView<'_> {
    /// The parts in the order of their numbers. Costs nothing but the counts of the elements.
    pub fn parts(&self) -> Result<Vec<PartView>, DecodeError> {
        let frame = self.frame;
        let entries = frame.directory.entries.iter();
        let parts = entries.map(|entry| {
            let items = match entry.part {
                Part::STRINGS => Some(&frame.strings),
                Part::SHAPES => Some(&frame.shapes),
                Part::SHARED => Some(&frame.shared),
                _ => None,
            };
            Ok(PartView {
                number: entry.part.0,
                name: entry.part.name(),
                is_critical: entry.flags & FLAG_CRITICAL != 0,
                is_dropped_on_rewrite: entry.flags & FLAG_DROP_ON_REWRITE != 0,
                span: entry.start as u64..entry.end as u64,
                items: items.map(|items| items.count(self.data, self.blocks())).transpose()?,
            })
        });
        parts.collect()
    }

    /// Bytes from the start of the file to the payload (§2).
    pub fn envelope_length(&self) -> u64 {
        self.frame.envelope_length as u64
    }

    /// Compares all checksums of the file that opening it has not compared yet (§7.2), in order of offset.
    ///
    /// Costs a pass over the bytes. A file without a block table was compared whole when it was opened.
    pub fn check_checksums(&self) -> Result<(), DecodeError> {
        let check = |blocks: &Blocks| blocks.ensure(self.data, 0, self.data.len());
        self.blocks().map(check).transpose().map(|_| ())
    }

    /// Reads the whole document once, each shared value once, and refuses what is not well formed (§10.1, level
    /// *decode*). The expanded document is never produced, so there is no budget.
    pub fn check_values(&self) -> Result<(), DecodeError> {
        let tables = Tables::read(*self)?;
        Survey::of(*self, &tables).map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use crate::compile::{CompileOptions, compile};
    use crate::file::DocumentFile;
    use crate::wire::checksum::BLOCK;
    use coconut_format::ErrorKind;

    /// A document of more than 16 KiB, so that it has a block table.
    fn large() -> Vec<u8> {
        let entries: Vec<String> = (0..3000).map(|n| format!("\"key {n}\":\"value {n}\"")).collect();
        let text = format!("{{{}}}", entries.join(","));
        compile(text.as_bytes(), &CompileOptions::default()).unwrap().bytes
    }

    #[test]
    fn elements_have_counts_and_tables_have_none() {
        let bytes = compile(br#"{"a":["x","x"]}"#, &CompileOptions::default()).unwrap().bytes;
        let file = DocumentFile::from_data(&bytes[..]).unwrap();
        let parts = file.view().parts().unwrap();
        let names: Vec<_> = parts.iter().map(|part| (part.number, part.name, part.items.is_some())).collect();
        assert_eq!(
            names,
            [(1, "strings", true), (2, "shapes", true), (3, "shared", true), (4, "root", false)]
        );
        assert!(parts.iter().all(|part| part.is_critical && !part.is_dropped_on_rewrite));
    }

    #[test]
    fn a_changed_byte_in_a_block_that_nobody_read_is_found() {
        let mut bytes = large();
        let changed = bytes.len() / 2;
        bytes[changed] ^= 1;
        let file = DocumentFile::from_data(&bytes[..]).expect("opening touches the ends only");
        let error = file.view().check_checksums().unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Checksum { .. }));
        assert_eq!(error.offset(), (changed / BLOCK * BLOCK) as u64);
        bytes[changed] ^= 1;
        assert_eq!(DocumentFile::from_data(&bytes[..]).unwrap().view().check_checksums(), Ok(()));
    }
}
