//! Open documents, and the ways to open one.

use crate::error::Fault;
use coconut_codec::Loader;
use coconut_codec::bytes::expand::{Compression, expanded};
use coconut_codec::bytes::paged::PagedFile;
use coconut_codec::bytes::pipe::read_any;
use coconut_codec::cache::{Cache, DocumentBytes};
use coconut_codec::loader::{LoadError, LoadErrorKind, Loaded};
use coconut_codec::read::file::{DocumentFile, DocumentView, OpenErrorKind};
use coconut_codec::secrets::{HiddenKeys, Redaction};
use coconut_format::error::{DecodeError, ErrorKind};
use coconut_report::recognised::compiled;
use coconut_report::source::Source;
use coconut_report::{Exit, Failure};
use coconut_shell::open::{Stored, name_of};
use std::borrow::Cow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// An open document, shared by all values of it.
pub(crate) struct Opened {
    /// The name for messages.
    pub(crate) name: String,
    file: File,
    /// Whether secrets may be shown.
    pub(crate) reveal: bool,
    /// The place where it was found: `file`, `memory`, or the form that the loader used.
    pub(crate) origin: &'static str,
    /// The compiled forms that were not used, with the reasons.
    pub(crate) notes: Vec<String>,
    /// The size of the source, if it is one.
    source_size: Option<u64>,
    /// Whether secrets were searched in a landmark.
    was_searched: AtomicBool,
    redaction: OnceLock<Result<Arc<Redaction>, DecodeError>>,
    hidden: OnceLock<Result<HiddenKeys, DecodeError>>,
}

enum File {
    Paged(DocumentFile<PagedFile>),
    Held(DocumentFile<DocumentBytes>),
}

impl Opened {
    fn new(name: String, file: File, reveal: bool, origin: &'static str) -> Opened {
        let (redaction, hidden) = (OnceLock::new(), OnceLock::new());
        let (notes, was_searched) = (Vec::new(), AtomicBool::new(false));
        Opened { name, file, reveal, origin, notes, source_size: None, was_searched, redaction, hidden }
    }

    /// The document.
    pub(crate) fn view(&self) -> DocumentView<'_> {
        match &self.file {
            File::Paged(file) => file.view(),
            File::Held(file) => file.view(),
        }
    }

    /// The document, and the facts of its file.
    pub(crate) fn source(&self) -> Source<'_> {
        let (view, is_text) = (self.view(), self.source_size.is_some());
        let size = self.source_size.unwrap_or(view.length() as u64);
        Source { name: &self.name, view, size, is_text }
    }

    /// Whether this was asked before: a program that looks up one landmark needs no search of the
    /// whole document.
    pub(crate) fn was_searched(&self) -> bool {
        self.was_searched.swap(true, Ordering::Relaxed)
    }

    /// The places of all secrets, which are searched once.
    pub(crate) fn redaction(&self) -> Result<&Arc<Redaction>, DecodeError> {
        let search = || Redaction::of_document(self.view(), self.reveal).map(Arc::new);
        self.redaction.get_or_init(search).as_ref().map_err(Clone::clone)
    }

    /// The keys that must not be shown.
    pub(crate) fn hidden_keys(&self) -> Result<&HiddenKeys, DecodeError> {
        let search = || HiddenKeys::of(self.view(), self.redaction()?);
        self.hidden.get_or_init(search).as_ref().map_err(Clone::clone)
    }

    /// A failure of this document, with its name.
    pub(crate) fn failed(&self, failure: impl Into<Failure>) -> Fault {
        self.changed().unwrap_or_else(|| failure.into().in_file(&self.name)).into()
    }

    /// The reason if the file could not be read, or was changed. The decoder only sees damage.
    pub(crate) fn changed(&self) -> Option<Failure> {
        let File::Paged(file) = &self.file else { return None };
        let path = Path::new(&self.name);
        let change = file.data().change().map(|error| Failure::reading(path, &error));
        change.or_else(|| file.data().fault().map(|error| Failure::reading(path, error)))
    }

    /// Does work that reads most of the document by views. These trust its offset tables, which are
    /// compared first.
    pub(crate) fn whole<T>(&self, work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Fault> {
        let checked = self.view().check_offset_tables().map_err(Failure::from);
        checked.and_then(|()| work()).map_err(|failure| self.failed(failure))
    }
}

/// Opens a file.
pub(crate) fn opened(path: &Path, reveal: bool, cache: bool) -> Result<Opened, Fault> {
    let name = name_of(path);
    let error = match DocumentFile::open_paged(path) {
        Ok(file) => return Ok(Opened::new(name, File::Paged(file), reveal, "file")),
        Err(error) => match error.source {
            OpenErrorKind::Io(error) => return Err(Fault::system(path, error)),
            OpenErrorKind::Decode(error) => error,
        },
    };
    // The text after an envelope is compiled, and a compressed file may be a document or a source.
    let is_read = [ErrorKind::SourceText].contains(&error.kind()) || error.kind().code() == "ENV-COMPRESSED";
    match Stored::at(path) {
        Stored::Neither(error) => Err(Failure::from(error).in_file(&name).into()),
        Stored::Document if !is_read => Err(Failure::from(error).in_file(&name).into()),
        Stored::Source if cache => {
            let loader = Loader::builder().cache(Cache::for_user()).build();
            let loaded = loader.load_file(path).map_err(|error| of_loading(&name, &error, reveal))?;
            Ok(of_loaded(name, loaded, reveal))
        }
        _ => {
            let bytes = read_any(path).map_err(|error| Fault::system(path, error))?;
            in_memory(&name, &bytes, reveal)
        }
    }
}

/// Opens the bytes of a document or a source, which may be compressed.
pub(crate) fn in_memory(name: &str, bytes: &[u8], reveal: bool) -> Result<Opened, Fault> {
    let text = match Compression::of(bytes) {
        None => Cow::Borrowed(bytes),
        Some(_) => expanded(bytes).map_err(|error| Fault::system(Path::new(name), error))?,
    };
    let compiled = compiled(name, &text, reveal)?;
    let source_size = compiled.is_some().then_some(bytes.len() as u64);
    let bytes = compiled.unwrap_or_else(|| text.into_owned());
    let file = DocumentFile::from_data(DocumentBytes::from(bytes));
    let file = file.map_err(|error| Failure::from(error).in_file(name))?;
    let opened = Opened::new(name.to_owned(), File::Held(file), reveal, "memory");
    Ok(Opened { source_size, ..opened })
}

pub(crate) fn of_loaded(name: String, loaded: Loaded, reveal: bool) -> Opened {
    let notes = loaded.fallbacks.iter().map(ToString::to_string).collect();
    let source_size = loaded.document.header().source.as_ref().map(|source| source.bytes);
    let origin = loaded.origin.name();
    Opened { notes, source_size, ..Opened::new(name, File::Held(loaded.document), reveal, origin) }
}

pub(crate) fn of_loading(name: &str, error: &LoadError, reveal: bool) -> Fault {
    match &*error.kind {
        LoadErrorKind::Source { path, text, error } => {
            Failure::compiling(&name_of(path), text, error, reveal).into()
        }
        LoadErrorKind::Decode { path, error } => Failure::from(error.clone()).in_file(&name_of(path)).into(),
        kind => Failure::new(Exit::Negative, kind.code(), kind.to_string()).in_file(name).into(),
    }
}
