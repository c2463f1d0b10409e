//! §14 Verification of compiled documents: every finding with its place in the file.
//!
//! ```
//! use coconut_codec::compile::{CompileOptions, compile};
//! use coconut_codec::read::file::DocumentFile;
//! use coconut_codec::read::verify::verify_document;
//!
//! let source = br##"{"package": "p", "vertices": {"a": {"type": "t", "properties": {"b": {"#ref": "c"}}}}}"##;
//! let compiled = compile(source, &CompileOptions::default())?;
//! let file = DocumentFile::from_data(&compiled.bytes[..])?;
//!
//! let findings = verify_document(file.view(), &[])?;
//! let located = &findings[0];
//! assert_eq!((located.finding.rule.id, &*located.finding.path), ("GRF-REF", "/vertices/a/properties/b/#ref"));
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

/// A finding, and where in the file the value begins that it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocatedFinding {
    /// What is wrong, and where in the document.
    pub finding: Finding,
    /// In bytes from the start of the file. A value that is stored once for many places lies elsewhere than what
    /// refers to it; then this is where the reference is.
    pub offset: u64,
}

impl Listed for LocatedFinding {
    fn text_bytes(&self) -> usize {
        self.finding.text_bytes()
    }
}

/// Everything that is wrong with a package or a graph, in the order of
/// [`verify_package`](coconut_format::verify::verify_package) and [`verify_graph`].
/// Documents of no [dialect](Dialect) have no rules.
///
/// Names in a package may lead into `dependencies`. A package becomes a tree of owned values. A graph with an index is verified
/// where it lies, with 64 bytes of memory a resource at most, and nothing for its properties. The index is believed:
/// see [`check_integrity`](DocumentView::check_integrity) for files from elsewhere.
///
/// # Errors
///
/// What keeps the document from being read, and what expands to more than a stream may have (§9.2); a package that expands to more
/// than values held in memory may have ([`DocumentView::to_value`]).
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

/// As [`verify_document`], for a document that is meant to be of `dialect`, whatever it looks like.
///
/// # Errors
///
/// As there.
pub fn verify_document_as(
    document: DocumentView<'_>,
    dialect: &'static Dialect,
    dependencies: &[&Package],
) -> Result<Vec<LocatedFinding>, DecodeError> {
    check_expansion(document)?;
    verify_bounded(document, dialect, dependencies)
}

/// Verifies a document whose expansion is known to have bounds.
fn verify_bounded(
    document: DocumentView<'_>,
    dialect: &'static Dialect,
    dependencies: &[&Package],
) -> Result<Vec<LocatedFinding>, DecodeError> {
    let root = document.root();
    if dialect.document_type == "cocopack" {
        return places::located(root, verify_as_package(document.to_value()?, dependencies));
    }
    match IndexedGraph::of(document, dialect)? {
        Some(graph) => graph.verify(),
        None => places::located(root, verify_graph(document.tree()?.root(), dialect)),
    }
}

/// The dialect that a document shows, or, if it shows none, that its header claims.
///
/// # Errors
///
/// What keeps the values that tell the dialect from being read.
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

/// Whether the landmark rule of the header is that of the dialect: then the index is about what the rules are about.
fn has_rule_of(document: DocumentView<'_>, dialect: &Dialect) -> Result<bool, DecodeError> {
    let mut is_same = false;
    find_value(document.root(), |root| {
        is_same = dialect.rule(root) == document.header().rule;
        None
    })?;
    Ok(is_same)
}
