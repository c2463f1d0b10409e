//! A document together with a table of its keys (§8.5).

use super::found::one_of;
use super::table::Table;
use super::{KeyTable, LandmarkView, Lookup, LookupError};
use crate::read::file::{DocumentFile, DocumentView, Storage};
use coconut_format::error::DecodeError;
use std::fmt;
use std::sync::Arc;

/// A document together with the table of its keys.
///
/// Unlike a [`KeyTable`], it borrows nothing, so a server can keep it in an `Arc` and share it
/// between threads. A request needs only a clone of the `Arc`.
///
/// ```
/// use coconut_codec::{CompileOptions, Document, compile};
/// use std::sync::Arc;
///
/// let source = br#"{"vertices": {"web": {"port": 80}, "db": {"port": 5432}}}"#;
/// let file = Document::from_data(compile(source, &CompileOptions::default())?.bytes)?;
/// let current = Arc::new(file.with_keys()?);
///
/// let request = Arc::clone(&current);
/// let answer = std::thread::spawn(move || {
///     let web = request.get("web").expect("one landmark has the key")?;
///     web.value().ok()?.pointer("/port").ok()??.as_u64().ok()?
/// });
/// assert_eq!(answer.join().expect("it does not panic"), Some(80));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct IndexedDocument<D> {
    file: DocumentFile<D>,
    table: Arc<Table>,
}

impl<D: Storage> fmt::Debug for IndexedDocument<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IndexedDocument").field("file", &self.file).finish_non_exhaustive()
    }
}

impl<D: Clone> Clone for IndexedDocument<D> {
    fn clone(&self) -> Self {
        IndexedDocument { file: self.file.clone(), table: Arc::clone(&self.table) }
    }
}

impl<D: Storage> DocumentFile<D> {
    /// Reads the keys of all landmarks, and keeps the table beside the document.
    ///
    /// Costs and errors are the same as for [`DocumentView::key_table`].
    ///
    /// ```
    /// use coconut_codec::{CompileOptions, Document, compile};
    ///
    /// let source = br#"{"vertices":{"web":{"port":80,"tags":["a","b"]},"db":{"port":5432}}}"#;
    /// let file = Document::from_data(compile(source, &CompileOptions::default())?.bytes)?;
    /// let file = file.with_keys()?;
    /// assert_eq!(file.get("db")?.expect("it exists").value()?.to_json()?, r#"{"port":5432}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_keys(self) -> Result<IndexedDocument<D>, DecodeError> {
        let table = self.view().key_table()?.into_table();
        Ok(IndexedDocument { file: self, table })
    }
}

impl<D: Storage> IndexedDocument<D> {
    /// Returns the landmark whose full key is `key`, or `None` if there is none. Does not read the
    /// file; takes about as long as a hash map.
    ///
    /// # Errors
    ///
    /// Those of [`DocumentView::get`].
    pub fn get(&self, key: &str) -> Result<Option<LandmarkView<'_>>, LookupError> {
        match self.keys().get_unique(key) {
            Lookup::Missing => Ok(None),
            Lookup::Found(landmark) => Ok(Some(landmark)),
            Lookup::Ambiguous(all) => one_of(self.view(), key, all),
        }
    }

    /// Returns the table, for looking up all landmarks with a key.
    pub fn keys(&self) -> KeyTable<'_> {
        KeyTable::with_table(self.view(), Arc::clone(&self.table))
    }

    /// Returns a view of the document.
    pub fn view(&self) -> DocumentView<'_> {
        self.file.view()
    }

    /// Returns the document.
    pub fn file(&self) -> &DocumentFile<D> {
        &self.file
    }

    /// Returns the document without the table.
    pub fn into_file(self) -> DocumentFile<D> {
        self.file
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::{CompileOptions, compile};

    #[test]
    fn a_table_beside_its_document_gives_the_answers_of_the_document() {
        let source = br#"{"vertices": {"a": {"n": 1}, "b": {"n": 2}}}"#;
        let bytes = compile(source, &CompileOptions::default()).unwrap().bytes;
        let indexed = DocumentFile::from_data(bytes).unwrap().with_keys().unwrap();
        let copy = indexed.clone();
        drop(indexed);
        for key in ["a", "b", "c"] {
            let found = copy.get(key).unwrap().map(|landmark| landmark.offset());
            assert_eq!(found, copy.view().get(key).unwrap().map(|landmark| landmark.offset()), "{key}");
        }
        assert_eq!(copy.keys().get_all("b").len(), 1);
        assert_eq!(copy.into_file().header().landmarks, 2);
    }
}
