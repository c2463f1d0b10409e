//! Describes every byte of a file (§5), for tools that show files.
//!
//! [`dissect`] cuts a file into pieces from front to back. It uses the same readers as everything
//! else: tokens from the cursor, shapes and tables from their modules. Each piece begins at the end
//! of the previous one, so the pieces tile even a damaged file. Unreadable bytes are also a piece,
//! with their error.
//!
//! ```
//! use coconut_codec::read::regions::dissect;
//! use coconut_codec::compile::{CompileOptions, compile};
//!
//! let bytes = compile(br#"{"a": 1}"#, &CompileOptions::default())?.bytes;
//! let mut next = 0;
//! dissect(&bytes, &mut |piece| {
//!     assert_eq!(piece.span.start, next);
//!     next = piece.span.end;
//!     Ok::<(), ()>(())
//! })
//! .expect("the closure accepts all pieces");
//! assert_eq!(next, bytes.len());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod elements;
mod tables;

use crate::bytes::Bytes;
use crate::bytes::checksum::BlockSize;
use crate::msgpack::{Cursor, Token};
use crate::read::file::DocumentFile;
use crate::wire::header::Header;
use coconut_format::envelope::{Encoding, EnvelopeView};
use coconut_format::error::{DecodeError, ErrorKind};
use coconut_format::signature;
use std::ops::Range;

/// A run of bytes with one meaning.
#[derive(Clone, Debug)]
pub struct Piece {
    /// The bytes in the file. Never empty.
    pub span: Range<usize>,
    /// The depth in the structure; 0 for the elements of the file.
    pub level: u32,
    /// The meaning of the bytes.
    pub meaning: String,
    /// The value, if the piece is a string or number of the document, or refers to one. It is
    /// separate from `meaning`, because it may have to be hidden.
    pub content: Option<String>,
    /// Whether the bytes are content of the document.
    pub is_content: bool,
    /// The reason why the bytes cannot be read or trusted.
    pub fault: Option<DecodeError>,
}

/// Cuts a file into pieces, in the order of their bytes. Returns the error if the file cannot be
/// opened or decoded (§10.1). Stops at the first error of `each`.
///
/// Costs some passes over the file. Takes memory for its strings and shapes. A file that cannot be
/// opened is read from front to back as far as possible. Bytes in blocks with a wrong checksum are
/// shown and marked.
pub fn dissect<E>(
    data: &[u8],
    each: &mut dyn FnMut(Piece) -> Result<(), E>,
) -> Result<Option<DecodeError>, E> {
    let (bad_blocks, block) = (Vec::new(), BlockSize::PAGE);
    let mut dissector = Dissector { data, at: 0, bad_blocks, block, each };
    let fault = dissector.file()?;
    dissector.unread(data.len(), fault.clone())?;
    assert_eq!(dissector.at, data.len(), "the pieces tile the file");
    Ok(fault)
}

struct Dissector<'a, 'e, E> {
    data: &'a [u8],
    /// The start of the next piece.
    at: usize,
    /// The blocks with a wrong checksum: the first byte and the error.
    bad_blocks: Vec<(usize, DecodeError)>,
    /// The size of the blocks.
    block: BlockSize,
    each: &'e mut dyn FnMut(Piece) -> Result<(), E>,
}

impl<'a, E> Dissector<'a, '_, E> {
    /// Emits a piece from the end of the previous one to `end`.
    fn piece(&mut self, end: usize, level: u32, meaning: impl Into<String>) -> Result<(), E> {
        self.emit(end, level, meaning.into(), None, false, None)
    }

    /// Emits a piece that is `content` of the document.
    fn content(
        &mut self,
        end: usize,
        level: u32,
        meaning: impl Into<String>,
        content: impl Into<String>,
    ) -> Result<(), E> {
        self.emit(end, level, meaning.into(), Some(content.into()), true, None)
    }

    /// Emits bytes that are unreadable or have no known meaning.
    fn unread(&mut self, end: usize, fault: Option<DecodeError>) -> Result<(), E> {
        let meaning = if fault.is_some() { "cannot be read" } else { "not accounted for" };
        self.emit(end, 0, meaning.into(), None, true, fault)
    }

    fn emit(
        &mut self,
        end: usize,
        level: u32,
        meaning: String,
        content: Option<String>,
        is_content: bool,
        fault: Option<DecodeError>,
    ) -> Result<(), E> {
        let span = self.at..end.min(self.data.len());
        if span.is_empty() {
            return Ok(());
        }
        self.at = span.end;
        let fault = fault.or_else(|| self.bad_block_in(&span));
        (self.each)(Piece { span, level, meaning, content, is_content, fault })
    }

    /// Returns the checksum error of a block that the span touches.
    fn bad_block_in(&self, span: &Range<usize>) -> Option<DecodeError> {
        let first = self.bad_blocks.partition_point(|(start, _)| start + self.block.bytes() <= span.start);
        let (start, error) = self.bad_blocks.get(first)?;
        (*start < span.end).then(|| error.clone())
    }

    /// Returns whether the next piece would begin before `end`.
    fn is_before(&self, end: usize) -> bool {
        self.at < end.min(self.data.len())
    }

    /// Returns a cursor that compares no checksums, because damage is shown, not refused.
    fn cursor(&self, end: usize) -> Cursor<'a> {
        Cursor::new(Bytes::Whole(self.data), self.at, end, None)
    }

    fn file(&mut self) -> Result<Option<DecodeError>, E> {
        let data = self.data;
        let envelope = match EnvelopeView::parse(data) {
            Ok(envelope) => envelope,
            Err(error) => return Ok(Some(error)),
        };
        let encoding = envelope.encoding();
        let said = format!(
            "envelope: {}, version {}, {}",
            envelope.document_type(),
            envelope.version(),
            encoding.suffix()
        );
        self.piece(envelope.length(), 0, said)?;
        if encoding == Encoding::Json {
            self.content(data.len(), 0, "text", "")?;
            return Ok(None);
        }
        let opened = DocumentFile::from_data(data);
        self.find_bad_blocks(opened.as_ref().ok());
        match (self.front(), opened) {
            (Err(Stop::Refused(error)), _) => Err(error),
            (Err(Stop::Unreadable(error)), opened) => Ok(Some(opened.err().unwrap_or(error))),
            (Ok(()), Ok(file)) => {
                self.elements(file.view())?;
                self.tables(file.view())?;
                Ok(file.view().check_values().err())
            }
            // Without trailer and directory, elements can still be read in sequence.
            (Ok(()), Err(error)) => {
                self.elements_in_order()?;
                Ok(Some(error))
            }
        }
    }

    /// Emits everything before the elements (§5.1 to §5.3).
    fn front(&mut self) -> Result<(), Stop<E>> {
        let mut cursor = self.cursor(self.data.len());
        let count = cursor.array_header()?;
        self.say(&cursor, 0, format!("payload: array of {count} elements"))?;
        let start = cursor.position();
        let Token::Bin(_) = cursor.token()? else {
            return Err(Stop::Unreadable(ErrorKind::PayloadForm { expected: "bytes" }.at(start as u64)));
        };
        let bytes = self.data.get(start..).unwrap_or_default();
        let fault = signature::check_signature(bytes, 0, start as u64).err();
        self.emit(cursor.position(), 0, "signature".into(), None, false, fault).map_err(Stop::Refused)?;
        let mut whole = cursor;
        let header = Header::read(&mut whole);
        self.header(&mut cursor, whole.position())?;
        header.map(drop).map_err(Stop::Unreadable)
    }

    /// Emits the header map (§5.3), entry by entry, up to `end`.
    fn header(&mut self, cursor: &mut Cursor<'a>, end: usize) -> Result<(), Stop<E>> {
        let start = cursor.position();
        let Token::Map(count) = cursor.token()? else {
            return Err(Stop::Unreadable(ErrorKind::PayloadForm { expected: "map" }.at(start as u64)));
        };
        self.say(cursor, 0, format!("header: map of {count} entries"))?;
        for _ in 0..count {
            if cursor.position() >= end {
                break;
            }
            let key = cursor.str()?;
            self.say(cursor, 1, format!("key `{key}`"))?;
            self.header_value(cursor)?;
        }
        Ok(())
    }

    fn header_value(&mut self, cursor: &mut Cursor<'a>) -> Result<(), Stop<E>> {
        let mut pending = 1u64;
        while pending > 0 {
            pending -= 1;
            let said = match cursor.token()? {
                Token::Array(count) => {
                    pending = pending.saturating_add(count.into());
                    format!("array of {count}")
                }
                Token::Map(count) => {
                    pending = pending.saturating_add(u64::from(count) * 2);
                    format!("map of {count} entries")
                }
                Token::Str(text) => format!("`{}`", cursor.text(text)?),
                Token::Bin(bytes) => format!("{} bytes", bytes.len()),
                Token::Unsigned(number) => number.to_string(),
                Token::Negative(number) => number.to_string(),
                other => other.name().to_owned(),
            };
            self.say(cursor, 2, said)?;
        }
        Ok(())
    }

    /// Compares the checksum of every block (§7.2), so that pieces in damaged blocks can be marked.
    fn find_bad_blocks(&mut self, file: Option<&DocumentFile<&[u8]>>) {
        let Some(blocks) = file.and_then(|file| file.view().blocks()) else { return };
        self.block = blocks.size();
        let mut position = 0;
        while position < self.data.len() {
            position = match blocks.ensure(&Bytes::Whole(self.data), position, position.saturating_add(1)) {
                Ok(end) => end.max(position.saturating_add(1)),
                Err(error) => {
                    // The error may be in a block of the block table, which covers the blocks from
                    // here on.
                    let start = self.block.start_of(position);
                    self.bad_blocks.push((start, error));
                    start.saturating_add(self.block.bytes())
                }
            };
        }
    }
}

/// The reason why a part of the walk ended early.
#[derive(Debug)]
enum Stop<E> {
    /// The rest of the file cannot be read.
    Unreadable(DecodeError),
    /// The receiver of the pieces returned an error.
    Refused(E),
}

impl<E> From<DecodeError> for Stop<E> {
    fn from(error: DecodeError) -> Self {
        Stop::Unreadable(error)
    }
}

#[cfg(test)]
mod tests;
