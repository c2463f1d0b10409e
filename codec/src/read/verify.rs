//! Verifies compiled documents (§14). Each finding has its offset in the file.
//!
//! ```
//! use coconut_codec::compile::{CompileOptions, compile};
//! use coconut_codec::read::file::DocumentFile;
//! use coconut_codec::read::verify::verify_document;
//!
//! let source = br##"{"package": "p", "vertices": {
//!     "a": {"type": "t", "properties": {"b": {"#ref": "c"}}}
//! }}"##;
//! let compiled = compile(source, &CompileOptions::default())?;
//! let file = DocumentFile::from_data(&compiled.bytes[..])?;
//!
//! let findings = verify_document(file.view(), &[])?;
//! let located = &findings[0];
//! assert_eq!(located.finding.rule.id, "GRF-REF");
//! assert_eq!(&*located.finding.path, "/vertices/a/properties/b/#ref");
//! assert!(compiled.bytes[located.offset as usize..].starts_with(b"\xa1c"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod indexed_graph;
mod places;

use crate::read::file::DocumentView;
use crate::read::index::check_expansion;
use crate::read::view::node::find_value;
use coconut_format::Package;
use coconut_format::error::DecodeError;
use coconut_format::landmark::Dialect;
use coconut_format::verify::{Finding, Listed, verify_as_package, verify_graph};
use indexed_graph::IndexedGraph;

/// A finding, and the offset of the value that it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct LocatedFinding {
    /// The broken rule, and the path of the value in the document.
    pub finding: Finding,
    /// In bytes from the start of the file. For a value that is stored once for several places,
    /// this is the offset of the reference.
    pub offset: u64,
}

/// Serializes an object with `finding` and `offset`.
#[cfg(feature = "serde")]
impl serde::Serialize for LocatedFinding {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap as _;
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("finding", &self.finding)?;
        map.serialize_entry("offset", &self.offset)?;
        map.end()
    }
}

impl Listed for LocatedFinding {
    fn text_bytes(&self) -> usize {
        self.finding.text_bytes()
    }
}

/// Returns all findings about a package or a graph, in the order of
/// [`verify_package`](coconut_format::verify::verify_package) and [`verify_graph`]. There are no
/// rules for documents without a [dialect](Dialect).
///
/// Names in a package may lead into `dependencies`. A package becomes a tree of owned values.
///
/// A graph with an index is verified in place. It takes at most 64 bytes of memory per resource,
/// and none for its properties. The index is trusted: for untrusted files, see
/// [`check_integrity`](DocumentView::check_integrity).
///
/// # Errors
///
/// Fails if the document cannot be read or expands to more than a stream may have (§9.2). Also
/// fails for a package that expands to more than values held in memory may have
/// ([`DocumentView::to_value`]).
pub fn verify_document(
    document: DocumentView<'_>,
    dependencies: &[&Package],
) -> Result<Vec<LocatedFinding>, DecodeError> {
    check_expansion(document)?;
    match dialect_of(document)? {
        Some(dialect) => verify_bounded(document, dialect, dependencies),
        None => Ok(Vec::new()),
    }
}

/// Like [`verify_document`], for a document that should have this `dialect`, whatever its content.
///
/// # Errors
///
/// The errors of [`verify_document`].
#[doc(hidden)]
pub fn verify_document_as(
    document: DocumentView<'_>,
    dialect: &'static Dialect,
    dependencies: &[&Package],
) -> Result<Vec<LocatedFinding>, DecodeError> {
    check_expansion(document)?;
    verify_bounded(document, dialect, dependencies)
}

/// Verifies a document whose expansion is known to be within the limits.
fn verify_bounded(
    document: DocumentView<'_>,
    dialect: &'static Dialect,
    dependencies: &[&Package],
) -> Result<Vec<LocatedFinding>, DecodeError> {
    let root = document.root();
    if dialect.document_type == "cocopack" {
        return places::located(root, verify_as_package(document.to_value()?, dependencies));
    }
    if dialect.document_type != "cocogl" {
        return Ok(Vec::new());
    }
    match IndexedGraph::of(document, dialect)? {
        Some(graph) => graph.verify(),
        None => places::located(root, verify_graph(document.tree()?.root(), dialect)),
    }
}

/// Returns the dialect detected from the content of a document, or otherwise the one in its header.
///
/// # Errors
///
/// Fails if the values that determine the dialect cannot be read.
#[doc(hidden)]
pub fn dialect_of(document: DocumentView<'_>) -> Result<Option<&'static Dialect>, DecodeError> {
    let mut shown = None;
    find_value(document.root(), |root| {
        shown = Dialect::of(root);
        None
    })?;
    let header = document.header();
    Ok(shown.or_else(|| match header.document_type.as_str() {
        "cocopack" => Dialect::named("package"),
        _ => header.dialect.as_deref().and_then(Dialect::named),
    }))
}

/// Returns whether references in the document may lead out of it.
fn is_open(document: DocumentView<'_>, dialect: &Dialect) -> Result<bool, DecodeError> {
    let mut is_open = false;
    find_value(document.root(), |root| {
        is_open = dialect.is_open(root);
        None
    })?;
    Ok(is_open)
}

/// Returns whether the landmark rule of the header is that of the dialect. If so, the index covers
/// the same landmarks as the dialect's rules.
fn has_rule_of(document: DocumentView<'_>, dialect: &Dialect) -> Result<bool, DecodeError> {
    let mut is_same = false;
    find_value(document.root(), |root| {
        is_same = document.header().rule_text == dialect.rule(root);
        None
    })?;
    Ok(is_same)
}
