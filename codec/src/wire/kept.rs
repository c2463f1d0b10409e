//! §5.14 Rewriters: the parts and header keys of a file that its rewriter does not know, and passes
//! on.

use crate::bytes::Bytes;
use crate::msgpack::{Cursor, Token};
use crate::wire::directory::FLAG_ELEMENT;
use crate::wire::header::{HeaderRule, is_known_key};
use coconut_format::error::DecodeError;

/// The content of a file that this version does not know, for the file that is made from it.
///
/// [`DocumentView::kept`](crate::read::file::DocumentView::kept) collects it. The options of a
/// writer take it.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    pub(crate) parts: Vec<KeptPart>,
    pub(crate) key_names: Vec<String>,
    /// These keys and their values.
    pub(crate) key_bytes: Vec<u8>,
    /// Unknown features that a reader may ignore.
    pub(crate) optional: Vec<String>,
    /// A rule that this version does not understand, and the number of its landmarks.
    pub(crate) rule: Option<(HeaderRule, u64)>,
    pub(crate) dropped: Vec<u8>,
}

/// A part that this version does not know.
#[derive(Clone, Debug)]
pub(crate) struct KeptPart {
    pub(crate) number: u8,
    pub(crate) flags: u8,
    pub(crate) bytes: Vec<u8>,
}

impl KeptPart {
    pub(crate) fn is_element(&self) -> bool {
        self.flags & FLAG_ELEMENT != 0
    }
}

impl Kept {
    /// The same for a changed document: without what the header says of the old one. Parts that
    /// depend on the document are never kept.
    #[must_use]
    pub fn of_changed(self) -> Kept {
        Kept { parts: self.parts, dropped: self.dropped, ..Kept::default() }
    }

    /// The numbers of the kept parts.
    pub fn parts(&self) -> impl Iterator<Item = u8> {
        self.parts.iter().map(|part| part.number)
    }

    /// The numbers of the parts that are to be dropped on rewriting.
    pub fn dropped_parts(&self) -> &[u8] {
        &self.dropped
    }

    /// The names of the header keys that only the same document keeps.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.key_names.iter().map(String::as_str)
    }

    /// The number and the bytes of these keys with their values.
    pub(crate) fn entries(&self) -> (usize, &[u8]) {
        (self.key_names.len(), &self.key_bytes)
    }

    /// Collects the unknown keys of a header of `file`, at whose map the cursor is.
    pub(crate) fn read_keys(&mut self, mut cursor: Cursor<'_>, file: Bytes<'_>) -> Result<(), DecodeError> {
        let Token::Map(count) = cursor.token()? else { return Ok(()) };
        for _ in 0..count {
            let start = cursor.position();
            let key = cursor.str()?;
            cursor.skip(1)?;
            if !is_known_key(key) {
                self.key_names.push(key.to_owned());
                self.key_bytes.extend_from_slice(file.get(start..cursor.position()).unwrap_or_default());
            }
        }
        Ok(())
    }
}
