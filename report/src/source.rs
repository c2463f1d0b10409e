//! The document that an answer is about.

use coconut_codec::read::file::DocumentView;

/// A document, and the facts of its file.
#[derive(Clone, Copy, Debug)]
pub struct Source<'d> {
    /// The name of the file.
    pub name: &'d str,
    /// The document.
    pub view: DocumentView<'d>,
    /// The bytes of the file.
    pub size: u64,
    /// Whether the file is text, and the compiled form exists only in memory.
    pub is_text: bool,
}

impl<'d> Source<'d> {
    /// A compiled document.
    pub fn new(name: &'d str, view: DocumentView<'d>) -> Source<'d> {
        Source { name, view, size: view.length() as u64, is_text: false }
    }

    /// The bytes of the compiled form.
    pub fn document_bytes(&self) -> u64 {
        self.view.length() as u64
    }
}
