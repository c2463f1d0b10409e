//! §5 A file as bytes: offset, hexadecimal digits, and meaning.
//!
//! ```
//! use coconut_codec::compile::{CompileOptions, compile};
//! use coconut_codec::read::file::DocumentFile;
//! use coconut_report::answers::wire::Wire;
//! use coconut_report::style::TextWriter;
//!
//! let file = DocumentFile::from_data(compile(b"[7]", &CompileOptions::default())?.bytes)?;
//! let wire = Wire::of(file.data(), Some(file.view()));
//! let mut text = Vec::new();
//! wire.write_text(&mut TextWriter::new(&mut text, false))?;
//! assert!(text.starts_with(b"00000000  "));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::failure::Failure;
use crate::json::{number, object, optional, text};
use crate::safe::visible;
use crate::streamed::Report;
use crate::style::{BAD, DIM, TextWriter};
use coconut_codec::read::file::DocumentView;
use coconut_codec::read::regions::{Piece, dissect};
use coconut_codec::secrets::{Redaction, SECRET};
use coconut_format::Value;
use coconut_format::error::DecodeError;
use coconut_format::numerals::hex;
use std::fmt::Write as _;
use std::io::Write;
use std::ops::Range;

/// Bytes per line.
const WIDTH: usize = 16;

/// The bytes of a file, which may be damaged.
///
/// All strings and numbers are left out if the document has secrets or may have some. Their bytes
/// do not show to which value they belong.
pub struct Wire<'b> {
    data: &'b [u8],
    /// The shown bytes, with the rest of the pieces that they are in.
    part: Range<usize>,
    hides: bool,
    /// Whether secrets could not be looked for. The damage may have changed one of the words that
    /// mark them.
    pub is_unreadable: bool,
}

impl<'b> Wire<'b> {
    /// The bytes of a file, and its document if it can be read.
    pub fn of(data: &'b [u8], document: Option<DocumentView<'_>>) -> Wire<'b> {
        let redaction = document.and_then(|document| Redaction::of_document(document, false).ok());
        let hides = redaction.as_ref().is_none_or(|redaction| !redaction.is_empty());
        Wire { data, part: 0..data.len(), hides, is_unreadable: redaction.is_none() }
    }

    /// The bytes of a file with its secrets.
    pub fn revealed(data: &'b [u8]) -> Wire<'b> {
        Wire { data, part: 0..data.len(), hides: false, is_unreadable: false }
    }

    /// Only the pieces that overlap this range of offsets.
    #[must_use]
    pub fn within(self, part: Range<usize>) -> Wire<'b> {
        Wire { part, ..self }
    }

    fn is_shown(&self, piece: &Piece) -> bool {
        piece.span.start < self.part.end && piece.span.end > self.part.start
    }

    /// Writes the bytes, for people.
    pub fn write_text(&self, out: &mut TextWriter<'_>) -> Result<(), Failure> {
        let mut last_fault = None;
        let fault = dissect(self.data, &mut |piece| {
            if !self.is_shown(&piece) {
                return Ok(());
            }
            if piece.fault != last_fault {
                write_fault(piece.fault.as_ref(), out)?;
                last_fault.clone_from(&piece.fault);
            }
            self.write_piece(&piece, out)
        })?;
        match fault == last_fault {
            true => Ok(()),
            false => write_fault(fault.as_ref(), out),
        }
    }

    fn write_piece(&self, piece: &Piece, out: &mut TextWriter<'_>) -> Result<(), Failure> {
        let bytes = &self.data[piece.span.clone()];
        let is_hidden = self.hides && piece.is_content;
        let mut meaning = format!("{:1$}{2}", "", 2 * piece.level.min(32) as usize, piece.meaning);
        if let Some(content) = self.content(piece) {
            let _ = write!(meaning, " {content}");
        }
        for (number, line) in bytes.chunks(WIDTH).enumerate() {
            let offset = out.paint(DIM, &format!("{:08x}", piece.span.start + number * WIDTH));
            let digit = |byte: &u8| if is_hidden { "··".to_owned() } else { format!("{byte:02x}") };
            let digits = line.iter().map(digit).collect::<Vec<_>>().join(" ");
            let line = match number {
                0 => format!("{offset}  {digits:<47}  {}", visible(&meaning)),
                _ => format!("{offset}  {digits}"),
            };
            out.line(line.trim_end())?;
        }
        Ok(())
    }

    fn content<'p>(&self, piece: &'p Piece) -> Option<&'p str> {
        piece.content.as_deref().map(|content| if self.hides { SECRET } else { content })
    }

    /// Writes the bytes, for machines. The schema is `schemas/dump-wire.json`.
    pub fn write_json(&self, name: &str, out: &mut dyn Write) -> Result<(), Failure> {
        let mut report = Report::begin(out, "dump", [("file", text(name))])?;
        report.begin_list("pieces")?;
        let fault = dissect(self.data, &mut |piece| match self.is_shown(&piece) {
            true => report.item(&self.row(&piece)),
            false => Ok(()),
        })?;
        report.end_list()?;
        report.member("fault", &optional(fault.map(|fault| fault.to_string())))?;
        report.end()
    }

    fn row(&self, piece: &Piece) -> Value {
        let is_shown = !(self.hides && piece.is_content);
        object([
            ("offset", number(piece.span.start as u64)),
            ("bytes", number(piece.span.len() as u64)),
            ("level", number(u64::from(piece.level))),
            ("meaning", text(&piece.meaning)),
            ("content", optional(self.content(piece))),
            ("hex", optional(is_shown.then(|| hex(&self.data[piece.span.clone()])))),
            ("fault", optional(piece.fault.as_ref().map(ToString::to_string))),
        ])
    }
}

/// Writes a line about the following bytes, or about the whole file at its end.
fn write_fault(fault: Option<&DecodeError>, out: &mut TextWriter<'_>) -> Result<(), Failure> {
    fault.map_or(Ok(()), |fault| out.styled(BAD, &format!("{:>8}  {fault}", "!")))
}
