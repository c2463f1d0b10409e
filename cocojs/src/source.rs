//! Source files: texts, and lines and columns in them.

use oxc_span::Span;

/// A line and a column, both from 1. Columns are UTF-16 units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The number of the line.
    pub line: u32,
    /// The number of the UTF-16 unit in the line.
    pub column: u32,
}

/// The largest source file, in bytes. The parser is recursive, and takes up to 1 KiB of the stack
/// for each byte, apart from brackets.
pub(crate) const LARGEST_FILE: usize = 1 << 20;

/// The maximum number of open brackets. The parser takes up to 4 KiB of the stack for each.
const MOST_BRACKETS: u32 = 4096;

/// The offset of the first bracket that is nested deeper than the parser can read. Brackets in
/// strings and comments count, too.
pub(crate) fn too_deep(text: &str) -> Option<usize> {
    let mut open = 0u32;
    text.bytes().position(|byte| {
        match byte {
            b'(' | b'[' | b'{' => open += 1,
            b')' | b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        open > MOST_BRACKETS
    })
}

/// A text with the offsets of its lines.
#[derive(Debug)]
pub(crate) struct Source<'a> {
    /// The path relative to the package, with `/`.
    pub(crate) path: &'a str,
    pub(crate) text: &'a str,
    line_starts: Vec<u32>,
    is_ascii: bool,
}

impl<'a> Source<'a> {
    pub(crate) fn new(path: &'a str, text: &'a str) -> Source<'a> {
        let mut line_starts = vec![0];
        let bytes = text.as_bytes();
        for (offset, byte) in bytes.iter().enumerate() {
            let ends = match byte {
                b'\n' => true,
                b'\r' => bytes.get(offset + 1) != Some(&b'\n'),
                // U+2028 and U+2029 end lines in this language.
                0xa8 | 0xa9 => offset >= 2 && bytes[offset - 2..offset] == [0xe2, 0x80],
                _ => false,
            };
            if ends {
                line_starts.push(u32::try_from(offset + 1).unwrap_or(u32::MAX));
            }
        }
        Source { path, text, line_starts, is_ascii: text.is_ascii() }
    }

    /// Whether the compiler adds the module, and no file has it.
    pub(crate) fn is_made_up(&self) -> bool {
        self.path.starts_with('.')
    }

    /// The offset of a position.
    pub(crate) fn offset(&self, position: Position) -> u32 {
        let start = position.line.checked_sub(1).and_then(|line| self.line_starts.get(line as usize));
        let Some(start) = start.copied() else { return 0 };
        let mut units = 1;
        let line = self.text.get(start as usize..).unwrap_or_default();
        for (offset, character) in line.char_indices() {
            if units >= position.column || character == '\n' {
                return start + u32::try_from(offset).unwrap_or(0);
            }
            units += if character.len_utf16() == 2 { 2 } else { 1 };
        }
        u32::try_from(self.text.len()).unwrap_or(u32::MAX)
    }

    pub(crate) fn position(&self, offset: u32) -> Position {
        let line = self.line_starts.partition_point(|start| *start <= offset).max(1);
        let start = self.line_starts[line - 1];
        let column = match self.is_ascii {
            true => offset.saturating_sub(start),
            false => self.units(start, offset),
        };
        Position { line: u32::try_from(line).unwrap_or(u32::MAX), column: column + 1 }
    }

    fn units(&self, start: u32, end: u32) -> u32 {
        let text = self.text.get(start as usize..end as usize).unwrap_or_default();
        text.chars().map(|character| if character.len_utf16() == 2 { 2 } else { 1 }).sum()
    }

    pub(crate) fn slice(&self, span: Span) -> &'a str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }
}
