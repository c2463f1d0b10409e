//! Compiled documents beside their sources, made by another program.

use super::fallback::FallbackReason;
use super::freshness::{Freshness, SourceDigest};
use super::origin::Proof;
use super::plan::Choice;
use super::{CompiledForms, Loader, Request, compare_names};
#[cfg(unix)]
use crate::bytes::own_file;
use crate::bytes::paged::PagedFile;
use crate::cache::{DocumentBytes, IoFault, note_hub_use};
use crate::compile::{CompileOptions, LandmarkChoice, writer_options};
use crate::read::file::OpenErrorKind;
use crate::read::file::{DocumentFile, DocumentView};
use crate::read::index::dialect_rule;
use crate::read::stream::{Budget, StreamError};
use crate::read::view::node::WatchedView;
use crate::wire::header::Header;
use crate::write::PRODUCER;
use crate::write::interner::Interner;
use coconut_format::error::DecodeError;
use coconut_format::landmark::{AUTOMATIC_RULE, Dialect};
use sha2::{Digest, Sha256};
use std::cell::Cell;
use std::fs::{File, Metadata};
use std::io;
use std::path::Path;

impl Loader {
    /// The document at `binary`, if the policy lets it replace the source.
    ///
    /// It is used where it is, and only if its folder can be trusted as much as that of a source:
    /// see [`own_file`](crate::bytes::own_file). It never enters the cache. Nothing proves that its
    /// content matches its source, and a cache entry is used for every copy of its source.
    ///
    /// It is read and verified completely each time. It is never mapped.
    pub(super) fn choose_precompiled<'r>(
        &self,
        request: &'r Request,
        binary: &Path,
        source: Option<SourceDigest>,
    ) -> Result<Choice<'r>, FallbackReason> {
        let (document, proof) = match self.proof_needed(request, source)? {
            Needed::Source(known) => (self.read_precompiled(request, binary, Some(&known))?, known.proof),
            Needed::Nothing(proof) => (self.read_precompiled(request, binary, None)?, proof),
        };
        Ok(Choice::Precompiled { document, binary: binary.to_owned(), proof })
    }

    /// The comparison required by the policy and by the files that exist.
    fn proof_needed(
        &self,
        request: &Request,
        source: Option<SourceDigest>,
    ) -> Result<Needed, FallbackReason> {
        if request.site.locked.is_some() {
            return Ok(Needed::Nothing(Proof::Locked));
        }
        match (source, self.freshness, self.compiled_forms) {
            (Some(_), Freshness::Trust, _) => Ok(Needed::Nothing(Proof::Trusted)),
            (Some(known), ..) => Ok(Needed::Source(known)),
            (None, Freshness::Trust, _) | (None, _, CompiledForms::Require) => {
                Ok(Needed::Nothing(Proof::SourceAbsent))
            }
            (None, ..) => Err(FallbackReason::SourceAbsent),
        }
    }

    /// Reads and verifies.
    fn read_precompiled(
        &self,
        request: &Request,
        binary: &Path,
        source: Option<&SourceDigest>,
    ) -> Result<DocumentFile<DocumentBytes>, FallbackReason> {
        let expected = source.map(|known| &known.digest);
        let bytes = open_made_from(binary, expected)?.into_data().into_bytes();
        let bytes = bytes.map_err(|error| unreadable(binary, &error))?;
        if let Some(expected) = request.site.locked {
            let found: [u8; 32] = Sha256::digest(&bytes).into();
            if found != expected {
                return Err(FallbackReason::NotLocked { expected, found });
            }
            note_hub_use(binary);
        }
        let document =
            DocumentFile::from_data(DocumentBytes::from(bytes)).map_err(FallbackReason::Damaged)?;
        compare_names(document.view(), request)?;
        document.view().check_integrity().map_err(FallbackReason::Damaged)?;
        // The source gives the same document only if this version would compile it with the same
        // options.
        if source.is_some() && self.compiled_forms == CompiledForms::Use {
            self.compare_options(document.view(), &request.source)?;
        }
        Ok(document)
    }

    /// Refuses a document that this version would not produce from the source at this path with the
    /// options of this loader.
    pub(super) fn compare_options(
        &self,
        document: DocumentView<'_>,
        source: &Path,
    ) -> Result<(), FallbackReason> {
        let (header, options) = (document.header(), self.options_for(source));
        compare_producer(header)?;
        if header.profile != options.profile {
            let (expected, found) = (options.profile, header.profile);
            return Err(FallbackReason::Profile { expected, found });
        }
        let is_same = match landmarks_for(document, &options.landmarks).map_err(FallbackReason::Damaged)? {
            LandmarkChoice::Detect | LandmarkChoice::ByDocument(_) => {
                is_as_detected(document, &options, None)?
            }
            LandmarkChoice::Dialect(dialect) => is_as_detected(document, &options, Some(dialect))?,
            LandmarkChoice::Automatic => is_as_written(document, &options)?,
            LandmarkChoice::Rule(rule) => header.dialect.is_none() && header.rule_text == rule,
            LandmarkChoice::None => header.rule_text.is_empty(),
        };
        let wanted_type = options.document_type.as_ref();
        match is_same && wanted_type.is_none_or(|wanted| *wanted == header.document_type) {
            true => Ok(()),
            false => Err(FallbackReason::LandmarkRule),
        }
    }
}

/// The effect of a choice of landmarks on a document.
fn landmarks_for(document: DocumentView<'_>, choice: &LandmarkChoice) -> Result<LandmarkChoice, DecodeError> {
    let fault = Cell::new(None);
    let chosen = choice.for_root(WatchedView::new(document.root(), &fault));
    fault.take().map_or(Ok(chosen), Err)
}

/// Whether the document has the rule of the chosen or detected dialect.
fn is_as_detected(
    document: DocumentView<'_>,
    options: &CompileOptions,
    chosen: Option<&'static Dialect>,
) -> Result<bool, FallbackReason> {
    let Some((dialect, rule)) = dialect_rule(document, chosen).map_err(FallbackReason::Damaged)? else {
        return is_as_written(document, options);
    };
    let header = document.header();
    let document_type = options.document_type.as_deref().unwrap_or(dialect.document_type);
    Ok(header.rule_text == rule && header.document_type == document_type)
}

/// Whether the document has the rule that its content gives without a dialect.
///
/// That rule depends on the sizes of all values, so finding it takes as long as compiling. A header
/// that marks its rule as automatic is trusted, like its digest of the source. This leaves
/// documents without a rule that might have one.
fn is_as_written(document: DocumentView<'_>, options: &CompileOptions) -> Result<bool, FallbackReason> {
    let header = document.header();
    if header.dialect.as_deref() == Some(AUTOMATIC_RULE) {
        let expected = options.document_type.as_deref().unwrap_or("document");
        return Ok(header.document_type == expected && !header.rule_text.is_empty());
    }
    let mut interner = Interner::new();
    match document.stream(&mut interner, Budget::default()) {
        Ok(()) => {}
        Err(StreamError::Decode(error)) => return Err(FallbackReason::Damaged(error)),
        // A source never gives a document that cannot be written.
        Err(StreamError::Sink(_)) => return Ok(false),
    }
    let Ok(interned) = interner.finish() else { return Ok(false) };
    let expected = writer_options(&interned, options, None);
    let is_named_so = header.dialect == expected.dialect && header.document_type == expected.document_type;
    Ok(is_named_so && header.rule_text == expected.rule)
}

/// The thing that a precompiled document must be compared with.
enum Needed {
    /// The existing source.
    Source(SourceDigest),
    /// Nothing.
    Nothing(Proof),
}

/// Opens the document at `binary` piece by piece, if it was made from the source with this digest.
/// A stale one is detected by its header, and no more of it is read.
fn open_made_from(
    binary: &Path,
    source: Option<&[u8; 32]>,
) -> Result<DocumentFile<PagedFile>, FallbackReason> {
    let (file, metadata) = open_own(binary)?;
    let file = PagedFile::of(file, &metadata).map_err(|error| unreadable(binary, &error))?;
    let document = DocumentFile::from_paged(file).map_err(|error| match error {
        OpenErrorKind::Io(error) => unreadable(binary, &error),
        OpenErrorKind::Decode(error) => FallbackReason::Damaged(error),
    })?;
    if let Some(expected) = source {
        compare_source(document.header(), expected)?;
    }
    Ok(document)
}

/// Refuses a document that was not made from the source with this digest.
pub(super) fn compare_source(header: &Header, expected: &[u8; 32]) -> Result<(), FallbackReason> {
    match &header.source {
        Some(record) if record.sha_256 == *expected => Ok(()),
        Some(record) => Err(FallbackReason::Stale { expected: *expected, found: record.sha_256 }),
        None => Err(FallbackReason::NoSourceRecord),
    }
}

/// Refuses a document that another version of the library made.
pub(super) fn compare_producer(header: &Header) -> Result<(), FallbackReason> {
    match header.producer == PRODUCER {
        true => Ok(()),
        false => {
            let (expected, found) = (PRODUCER.to_owned(), header.producer.clone());
            Err(FallbackReason::Producer { expected, found })
        }
    }
}

/// Opens a file that only this user or the administrator can have written.
#[cfg(unix)]
pub(super) fn open_own(binary: &Path) -> Result<(File, Metadata), FallbackReason> {
    use crate::bytes::private_dir::DirectoryFault;
    own_file::open(binary).map_err(|fault| match fault {
        DirectoryFault::Owner { path, owner, expected } => FallbackReason::Owner { path, owner, expected },
        DirectoryFault::Mode { path, mode } => FallbackReason::Mode { path, mode },
        DirectoryFault::Io { path, error, .. } => unreadable(&path, &error),
        DirectoryFault::WrongKind { path, .. }
        | DirectoryFault::Symlink { path }
        | DirectoryFault::Network { path } => unreadable(&path, &io::ErrorKind::InvalidInput.into()),
    })
}

/// Other platforms have no owners and modes to compare.
#[cfg(not(unix))]
pub(super) fn open_own(_: &Path) -> Result<(File, Metadata), FallbackReason> {
    Err(FallbackReason::Platform)
}

pub(super) fn unreadable(binary: &Path, error: &io::Error) -> FallbackReason {
    FallbackReason::Unreadable(IoFault::new("read", binary, error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::{CompileOptions, compile};

    #[test]
    fn a_stale_document_is_found_out_by_its_header_alone() {
        let texts: Vec<String> = (0..100_000).map(|n| format!("\"text number {n}\"")).collect();
        let source = format!("[{}]", texts.join(","));
        let folder = tempfile::tempdir().unwrap();
        let binary = folder.path().join("a.coco");
        let bytes = compile(source.as_bytes(), &CompileOptions::default()).unwrap().bytes;
        std::fs::write(&binary, &bytes).unwrap();
        let digest: [u8; 32] = Sha256::digest(source.as_bytes()).into();
        let file = open_made_from(&binary, Some(&digest)).unwrap();
        assert!(
            bytes.len() > 1 << 20 && file.data().read_bytes() <= 64 << 10,
            "{}",
            file.data().read_bytes()
        );
        assert_eq!(file.into_data().into_bytes().unwrap(), bytes);
        // The same file beside another source.
        let stale = open_made_from(&binary, Some(&[1; 32])).unwrap_err();
        assert_eq!(stale, FallbackReason::Stale { expected: [1; 32], found: digest });
    }
}
