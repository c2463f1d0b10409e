//! The parts of an open file as listed in its directory (§5.8), for tools that show the layout of a
//! file.

use crate::read::file::DocumentView;
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
    /// Whether a program that does not know it must omit it when rewriting the file.
    pub is_dropped_on_rewrite: bool,
    /// Its bytes in the file.
    pub span: Range<u64>,
    /// The number of strings, shapes or shared values in it; `None` for other parts.
    pub items: Option<u32>,
}

impl DocumentView<'_> {
    /// Returns the parts in the order of their numbers. Costs only reading the counts of the
    /// elements.
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

    /// Returns the number of bytes from the start of the file to the payload (§2).
    pub fn envelope_length(&self) -> u64 {
        self.frame.envelope_length as u64
    }
}

#[cfg(test)]
mod tests {
    use crate::compile::{CompileOptions, compile};
    use crate::read::file::DocumentFile;

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
}
