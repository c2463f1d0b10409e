//! Types that threads may share and send to each other.

use coconut_codec::bytes::map::{MappedFile, SharedBytes};
use coconut_codec::bytes::paged::PagedFile;
use coconut_codec::cache::{Cache, CacheFault, DocumentBytes};
use coconut_codec::compile::{CompileError, CompileOptions, Compiled};
use coconut_codec::durable::DurableError;
use coconut_codec::loader::{Explanation, LoadError, Loaded, Loader};
use coconut_codec::read::file::{DocumentFile, DocumentView, OpenError};
use coconut_codec::read::graph::GraphView;
use coconut_codec::read::lookup::{IndexedDocument, LandmarkView};
use coconut_codec::read::package::PackView;
use coconut_codec::read::stream::StreamError;
use coconut_codec::read::tree::{DecodedDocument, Tree};
use coconut_codec::read::view::{ListView, ObjectView, ValueView};
use coconut_codec::serde::{DeserializeError, SerializeError};
use coconut_codec::text::SourceError;
use coconut_codec::write::interner::Interned;
use coconut_codec::write::{WriteError, Writer};
use coconut_eval::{EvalError, Options, Outcome, Plan, Snapshot};
use coconut_format::landmark::LandmarkRule;
use coconut_format::names::PackageReference;
use coconut_format::verify::Finding;
use coconut_format::{DecodeError, Package, Value};
use std::sync::Arc;

/// Does not compile for a type that cannot be sent or shared.
fn is_free<T: Send + Sync>() {}

#[test]
fn documents_are_shared_between_threads() {
    is_free::<DocumentFile<Vec<u8>>>();
    is_free::<DocumentFile<MappedFile>>();
    is_free::<DocumentFile<PagedFile>>();
    is_free::<DocumentFile<SharedBytes>>();
    is_free::<DocumentFile<DocumentBytes>>();
    is_free::<DocumentView<'_>>();
    is_free::<ValueView<'_>>();
    is_free::<ListView<'_>>();
    is_free::<ObjectView<'_>>();
    is_free::<LandmarkView<'_>>();
    is_free::<PackView<'_>>();
    is_free::<GraphView<'_>>();
    is_free::<Tree<'_>>();
    is_free::<IndexedDocument<PagedFile>>();
    is_free::<DecodedDocument<Vec<u8>>>();
    is_free::<DecodedDocument<PagedFile>>();
}

/// The state that a server keeps next to its file: it borrows nothing.
#[test]
fn companions_of_a_document_live_as_long_as_they_are_wanted() {
    fn is_owned<T: Send + Sync + Clone + 'static>() {}
    is_owned::<DocumentFile<Vec<u8>>>();
    is_owned::<DocumentFile<SharedBytes>>();
    is_owned::<DocumentFile<Arc<[u8]>>>();
    is_owned::<IndexedDocument<Arc<[u8]>>>();
    is_owned::<DecodedDocument<Arc<[u8]>>>();
}

#[test]
fn writers_of_documents_are_shared_between_threads() {
    is_free::<Value>();
    is_free::<Package>();
    is_free::<Interned>();
    is_free::<Writer>();
    is_free::<CompileOptions>();
    is_free::<Compiled>();
    is_free::<LandmarkRule>();
    is_free::<PackageReference>();
    is_free::<Loader>();
    is_free::<Loaded>();
    is_free::<Explanation>();
    is_free::<Cache>();
}

#[test]
fn errors_are_handed_to_other_threads() {
    is_free::<DecodeError>();
    is_free::<Finding>();
    is_free::<SourceError>();
    is_free::<StreamError>();
    is_free::<CompileError>();
    is_free::<WriteError>();
    is_free::<OpenError>();
    is_free::<LoadError>();
    is_free::<CacheFault>();
    is_free::<DurableError>();
    is_free::<SerializeError>();
    is_free::<DeserializeError>();
    is_free::<coconut_codec::Error>();
    is_free::<EvalError>();
}

#[test]
fn results_of_an_evaluation_are_handed_to_other_threads() {
    is_free::<Outcome>();
    is_free::<Plan>();
    is_free::<Snapshot>();
    is_free::<Options>();
}
