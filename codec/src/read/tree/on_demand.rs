//! One tree of a document, for several questions about all of it.

use super::Tree;
use crate::read::file::DocumentView;
use coconut_format::error::DecodeError;
use std::cell::OnceCell;

/// The tree of a document, built when it is first needed.
///
/// Building it can take a third of the time of an answer, and not every answer needs it.
#[derive(Debug)]
pub struct TreeOnDemand<'a> {
    document: DocumentView<'a>,
    tree: OnceCell<Tree<'a>>,
}

impl<'a> TreeOnDemand<'a> {
    /// The tree of `document`. Reads nothing yet.
    pub fn new(document: DocumentView<'a>) -> TreeOnDemand<'a> {
        TreeOnDemand { document, tree: OnceCell::new() }
    }

    /// The document.
    pub fn document(&self) -> DocumentView<'a> {
        self.document
    }

    /// The tree. The first call reads the document, as [`DocumentView::tree`] does.
    pub fn get(&self) -> Result<&Tree<'a>, DecodeError> {
        match self.tree.get() {
            Some(tree) => Ok(tree),
            None => {
                let tree = self.document.tree()?;
                Ok(self.tree.get_or_init(|| tree))
            }
        }
    }
}
