//! Opening files: the one place that touches the file system to read a document.

use crate::code;
use crate::commands::hex;
use crate::failure::{Exit, Failure};
use crate::redact::names_secrets;
use coconut_codec::bytes::input::read_pipe;
use coconut_codec::bytes::map::MappedFile;
use coconut_codec::compile::{CompileOptions, compile_enveloped};
use coconut_codec::read::file::{DocumentFile, DocumentView};
use coconut_codec::text::EnvelopedSource;
use coconut_format::envelope::Encoding;
use coconut_format::error::ErrorKind;
use sha2::{Digest as _, Sha256};
use std::ops::Deref;
use std::path::Path;

/// Where the bytes of a file are kept.
#[derive(Debug)]
pub(crate) enum Storage {
    /// In the page cache: one value of a large file costs the pages that it lies in.
    File(MappedFile),
    /// In memory: what came by standard input, or was compiled.
    Memory(Vec<u8>),
}

impl AsRef<[u8]> for Storage {
    fn as_ref(&self) -> &[u8] {
        match self {
            Storage::File(file) => file.as_ref(),
            Storage::Memory(bytes) => bytes,
        }
    }
}

impl Deref for Storage {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.as_ref()
    }
}

/// A document that can be read, and what it was read from.
#[derive(Debug)]
pub(crate) struct Opened {
    /// The name for messages.
    pub(crate) name: String,
    file: DocumentFile<Storage>,
    /// The file itself, where that was a text that had to be compiled first.
    text: Option<Storage>,
}

impl Opened {
    /// The document.
    pub(crate) fn view(&self) -> DocumentView<'_> {
        self.file.view()
    }

    /// The bytes of the file as they are on disk.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.text.as_deref().unwrap_or(self.file.data())
    }

    /// Whether the file holds text, so that the compiled document exists only in memory.
    pub(crate) fn is_text(&self) -> bool {
        self.text.is_some()
    }

    /// §2.4 Holds a file in the text encoding to the digest in its envelope. `false` where there is none, or no text.
    pub(crate) fn check_text(&self) -> Result<bool, Failure> {
        let Some(bytes) = &self.text else { return Ok(false) };
        let source = EnvelopedSource::open(bytes)?;
        match source.check_digest() {
            Err(error) if error.kind() == ErrorKind::DigestDiffers => {
                let recorded = source.envelope().parameter("digest").unwrap_or_default().into_owned();
                let found = format!("sha-256:{}", hex(&Sha256::digest(source.text())));
                let message = "the text is not the one that the envelope's `digest` was made of";
                let failure = Failure::new(Exit::Decode, ErrorKind::DigestDiffers.code(), message);
                Err(failure.with_sides(recorded, found))
            }
            checked => Ok(checked?.is_some()),
        }
    }
}

/// The name of a file for messages.
pub(crate) fn name_of(path: &Path) -> String {
    match is_standard_input(path) {
        true => "standard input".to_owned(),
        false => path.display().to_string(),
    }
}

fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The bytes of a file, or of standard input.
pub(crate) fn read(path: &Path) -> Result<Storage, Failure> {
    let bytes = match is_standard_input(path) {
        true => read_pipe(std::io::stdin().lock()).map(Storage::Memory),
        false => MappedFile::open(path).map(Storage::File),
    };
    bytes.map_err(|error| {
        let message = format!("cannot read the file: {error}");
        Failure::new(Exit::Usage, code::FILE_READ, message).in_file(&name_of(path))
    })
}

/// Whether bytes are meant to be a Coconut document, and not source text: an editor may have put something before the envelope.
pub(crate) fn begins_like_a_document(bytes: &[u8]) -> bool {
    const MEDIA_TYPE: &[u8] = b"application/vnd.coconut";
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    bytes.get(..MEDIA_TYPE.len()).is_some_and(|beginning| beginning.eq_ignore_ascii_case(MEDIA_TYPE))
}

/// Opens a document, to show what is in it. A text that was changed is refused, as damaged blocks are.
pub(crate) fn open(path: &Path) -> Result<Opened, Failure> {
    let opened = open_as_it_is(path)?;
    opened.check_text().map_err(|failure| failure.in_file(&opened.name))?;
    Ok(opened)
}

/// Opens a document. A file in the text encoding is compiled in memory, so that all commands know one form only.
pub(crate) fn open_as_it_is(path: &Path) -> Result<Opened, Failure> {
    let name = name_of(path);
    open_bytes(read(path)?, &name).map_err(|failure| failure.in_file(&name))
}

/// Opens the bytes of a file.
pub(crate) fn open_bytes(bytes: Storage, name: &str) -> Result<Opened, Failure> {
    let text = match EnvelopedSource::open(&bytes) {
        Ok(source) if source.envelope().encoding() == Encoding::Json => Some(compile_text(&bytes, &source)?),
        _ => None,
    };
    let (compiled, text) = match text {
        Some(compiled) => (compiled, Some(bytes)),
        None => (bytes, None),
    };
    let file = DocumentFile::from_data(compiled).map_err(|error| {
        let failure = Failure::from(error.clone());
        match error.kind() {
            ErrorKind::SourceText => failure.with_hint("or use `jq`, which reads source text as it is"),
            _ => failure,
        }
    })?;
    Ok(Opened { name: name.to_owned(), file, text })
}

fn compile_text(bytes: &[u8], source: &EnvelopedSource<'_>) -> Result<Storage, Failure> {
    let compiled = compile_enveloped(source, &CompileOptions::default()).map_err(|error| {
        let failure = Failure::from(error);
        match names_secrets(bytes) {
            true => failure.without_texts(),
            false => failure,
        }
    })?;
    Ok(Storage::Memory(compiled.bytes))
}
