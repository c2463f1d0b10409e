//! A document together with its tree (§4).

use super::Tree;
use super::node::Node;
use crate::read::file::{DocumentFile, DocumentView, Storage};
use crate::read::tables::{KeptTables, TreeTables};
use coconut_format::error::DecodeError;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// A document that is decoded once.
///
/// Unlike a [`Tree`], it borrows nothing, so a server can keep it in an `Arc` and share it between
/// threads. Each request takes a [`tree`](Self::tree) from it, which costs nothing.
///
/// Memory: that of the tree, and a copy of the strings shared by several places.
///
/// ```
/// use coconut_codec::{CompileOptions, Document, compile};
/// use std::sync::Arc;
///
/// let source = br#"{"name": "web", "ports": [80, 443]}"#;
/// let file = Document::from_data(compile(source, &CompileOptions::default())?.bytes)?;
/// let current = Arc::new(file.with_tree()?);
///
/// let request = Arc::clone(&current);
/// let answer = std::thread::spawn(move || {
///     let tree = request.tree();
///     tree.root().get("name").and_then(|name| name.as_str()).map(str::to_owned)
/// });
/// assert_eq!(answer.join().expect("it does not panic").as_deref(), Some("web"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct DecodedDocument<D> {
    file: DocumentFile<D>,
    kept: Arc<Kept>,
}

/// The owned parts of a tree.
struct Kept {
    tables: KeptTables,
    nodes: Vec<Node>,
    headers: usize,
    first_of_root: usize,
    root: Node,
}

impl<D: Storage> fmt::Debug for DecodedDocument<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DecodedDocument").field("file", &self.file).finish_non_exhaustive()
    }
}

impl<D: Clone> Clone for DecodedDocument<D> {
    fn clone(&self) -> Self {
        DecodedDocument { file: self.file.clone(), kept: Arc::clone(&self.kept) }
    }
}

impl<D: Storage> DocumentFile<D> {
    /// Reads the whole document, and keeps its tree beside it.
    ///
    /// Costs and errors are those of [`DocumentView::tree`]. Also copies the table of strings.
    ///
    /// ```
    /// use coconut_codec::{CompileOptions, Document, compile};
    ///
    /// let source = br#"{"vertices":{"web":{"port":80,"tags":["a","b"]},"db":{"port":5432}}}"#;
    /// let file = Document::from_data(compile(source, &CompileOptions::default())?.bytes)?;
    /// let file = file.with_tree()?;
    /// assert_eq!(file.tree().root().to_value(), file.view().to_value()?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_tree(self) -> Result<DecodedDocument<D>, DecodeError> {
        let Tree { tables, nodes, headers, first_of_root, root, .. } = self.view().tree()?;
        let tables = KeptTables::of(tables.read());
        let kept = Arc::new(Kept { tables, nodes: nodes.into_owned(), headers, first_of_root, root });
        Ok(DecodedDocument { file: self, kept })
    }
}

impl<D: Storage> DecodedDocument<D> {
    /// Returns the tree. Reads and copies nothing.
    pub fn tree(&self) -> Tree<'_> {
        let Kept { tables, nodes, headers, first_of_root, root } = &*self.kept;
        Tree {
            tables: TreeTables::Kept(tables),
            data: self.file.view().bytes(),
            nodes: Cow::Borrowed(nodes),
            headers: *headers,
            first_of_root: *first_of_root,
            root: *root,
        }
    }

    /// Returns a view of the document.
    pub fn view(&self) -> DocumentView<'_> {
        self.file.view()
    }

    /// Returns the document.
    pub fn file(&self) -> &DocumentFile<D> {
        &self.file
    }

    /// Returns the document without the tree.
    pub fn into_file(self) -> DocumentFile<D> {
        self.file
    }
}

#[cfg(test)]
mod tests {
    use crate::compile::{CompileOptions, compile};
    use crate::crafted::repair;
    use crate::read::file::DocumentFile;

    /// Texts of the table and in place, keys of shapes and in place, constants, nested objects,
    /// shared values, numbers of all widths.
    const SOURCE: &str = r#"{
        "rows": [
            {"kind": "row", "tags": {"team": "a", "owner": "x"}, "n": 1, "on": true, "none": null},
            {"kind": "row", "tags": {"team": "b", "owner": "x"}, "n": -2, "on": true, "none": null},
            {"kind": "row", "tags": {"team": "a", "owner": "y"}, "n": 18446744073709551615, "on": true, "none": null},
            {"kind": "row", "tags": {"team": "c", "owner": "y"}, "n": 1.5, "on": true, "none": null}
        ],
        "once": ["a text that is stored where it is", 1e300, -9223372036854775808],
        "twice": [[1, 2, {"a": [3, 4]}, "x"], [1, 2, {"a": [3, 4]}, "x"]],
        "empty": [{}, [], ""],
        "kind": "row"
    }"#;

    #[test]
    fn a_kept_tree_has_the_values_of_one_that_was_read() {
        let bytes = compile(SOURCE.as_bytes(), &CompileOptions::default()).unwrap().bytes;
        let file = DocumentFile::from_data(bytes).unwrap();
        let read = file.view().tree().unwrap();
        let decoded = file.clone().with_tree().unwrap();
        let copy = decoded.clone();
        drop(decoded);
        let kept = copy.tree();
        assert_eq!(kept.to_value(), read.to_value());
        assert_eq!(format!("{kept:?}"), format!("{read:?}"));
        assert_eq!((kept.stored_nodes(), kept.arena_bytes()), (read.stored_nodes(), read.arena_bytes()));
        let row = kept.root().get("rows").unwrap().content();
        let crate::read::tree::TreeContent::List(rows) = row else { panic!("{row:?}") };
        let team = rows.get(3).unwrap().get("tags").unwrap().get("team").unwrap().as_str();
        assert_eq!((team, rows.get(0).unwrap().get("kind").unwrap().as_str()), (Some("c"), Some("row")));
        assert!(rows.get(0).unwrap().get("team").is_none());
        assert_eq!(copy.into_file().view().to_json(), file.view().to_json());
    }

    #[test]
    fn a_damaged_document_has_no_tree_to_keep() {
        let mut bytes = compile(SOURCE.as_bytes(), &CompileOptions::default()).unwrap().bytes;
        let file = DocumentFile::from_data(bytes.clone()).unwrap();
        let at = usize::try_from(file.view().root().offset()).expect("a small offset");
        drop(file);
        bytes[at] = 0xc1;
        repair(&mut bytes);
        let file = DocumentFile::from_data(bytes).unwrap();
        let expected = file.view().tree().unwrap_err();
        assert_eq!(file.with_tree().unwrap_err(), expected);
    }
}
