//! §14 Verification of compiled documents: every finding with its place in the file.
//!
//! ```
//! use coconut_codec::compile::{CompileOptions, compile};
//! use coconut_codec::file::DocumentFile;
//! use coconut_codec::verify::verify_document;
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

use crate::file::DocumentView;
use crate::index::check_expansion;
use crate::limits;
use crate::source::ValueSink;
use crate::stream::{Budget, StreamError};
use crate::watched::find_value;
use coconut_format::error::{DecodeError, ErrorKind};
use coconut_format::landmark::Dialect;
use coconut_format::verify::{Finding, verify_graph, verify_package};
use coconut_format::{Package, Value};
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

/// Everything that is wrong with a package or a graph, in the order of [`verify_package`] and [`verify_graph`].
/// Documents of other types have no rules.
///
/// Names in a package may lead into `dependencies`. A package is decoded whole. A graph with an index is verified
/// where it lies, with 64 bytes of memory a resource at most, and nothing for its properties. The index is believed:
/// see [`check_integrity`](DocumentView::check_integrity) for files from elsewhere.
///
/// # Errors
///
/// What keeps the document from being read, and what expands to more than a stream may have (§9.2).
pub fn verify_document(
    document: DocumentView<'_>,
    dependencies: &[&Package],
) -> Result<Vec<LocatedFinding>, DecodeError> {
    check_expansion(document)?;
    let dialect = dialect_of(document)?;
    match document.header().document_type.as_str() {
        "cocopack" => {
            let root = document.root();
            let package = Package::from_value(whole_value(document)?).map_err(|value| {
                ErrorKind::Type { expected: "object", found: value.kind_name() }.at(root.offset())
            })?;
            places::located(root, verify_package(&package, dependencies))
        }
        "cocogl" => match (dialect, IndexedGraph::of(document, dialect)?) {
            (_, Some(graph)) => graph.verify(),
            (Some(dialect), None) => {
                let tree = document.tree()?;
                places::located(document.root(), verify_graph(tree.root(), dialect))
            }
            (None, None) => Ok(Vec::new()),
        },
        _ => Ok(Vec::new()),
    }
}

/// The document as owned values, within the budget of those.
fn whole_value(document: DocumentView<'_>) -> Result<Value, DecodeError> {
    let mut sink = ValueSink::new();
    match document.stream(&mut sink, Budget { values: limits::TREE_VALUES, ..Budget::default() }) {
        Ok(()) => Ok(sink.finish().expect("a stream is one whole document")),
        Err(StreamError::Decode(error)) => Err(error),
        Err(StreamError::Sink(_)) => unreachable!("a sink of values refuses none"),
    }
}

/// The dialect that a document shows, whatever its header says.
fn dialect_of(document: DocumentView<'_>) -> Result<Option<&'static Dialect>, DecodeError> {
    let mut dialect = None;
    find_value(document.root(), |root| {
        dialect = Dialect::of(root);
        None
    })?;
    Ok(dialect)
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
