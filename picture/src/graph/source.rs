//! The document of a picture.

use coconut_codec::read::file::DocumentView;

/// A document, and the facts of its file that a page shows.
#[derive(Clone, Copy, Debug)]
pub struct Source<'d> {
    /// The name of the file.
    pub name: &'d str,
    /// The document.
    pub view: DocumentView<'d>,
    /// The bytes of the file.
    pub size: u64,
    /// The bytes of the compiled form.
    pub document_bytes: u64,
}
