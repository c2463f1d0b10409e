//! Documents that commands are given: a source, or a compiled file, from a path or from standard input.

use crate::failure::Failure;
use coconut_codec::bytes::input::{self, read_pipe};
use coconut_codec::compile::{CompileError, CompileOptions, Compiled, compile, compile_enveloped};
use coconut_codec::loader::{Loaded, Origin};
use coconut_codec::read::file::DocumentFile;
use coconut_codec::text::{EnvelopedSource, SourceFormat};
use coconut_format::envelope::{ENVELOPE_LIMIT, Encoding, EnvelopeView};
use coconut_format::hex::Hex;
use coconut_format::{DecodeError, ErrorKind};
use sha2::{Digest, Sha256};
use std::fs;
use std::io::{self, IsTerminal, Read};
use std::path::Path;

/// The bytes of a file and its name.
#[derive(Debug)]
pub(crate) struct Input {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

impl Input {
    /// Reads a file or a pipe; `-` is standard input.
    pub(crate) fn read(path: &Path) -> Result<Input, Failure> {
        if path.as_os_str() == "-" {
            let bytes = read_pipe(io::stdin().lock()).map_err(|error| Failure::reading(path, &error))?;
            return Ok(Input { name: "-".to_owned(), bytes });
        }
        let bytes = read_path(path).map_err(|error| Failure::reading(path, &error))?;
        Ok(Input { name: path.to_string_lossy().into_owned(), bytes })
    }

    /// Whether this is meant to be a Coconut document of either encoding, and not a source: by its name or by its first bytes.
    pub(crate) fn is_coconut(&self) -> bool {
        is_named_compiled(Path::new(&self.name)) || is_coconut(&self.bytes)
    }

    /// The format of the source: the one that was `named`, what the name of the file says, or what the text looks like. Refuses what
    /// is for sure no text, and says what it is.
    pub(crate) fn source_format(&self, named: Option<SourceFormat>) -> Result<SourceFormat, Failure> {
        let named = named.or_else(|| SourceFormat::of_name(&self.name));
        match EnvelopeView::recognise_no_text(&self.bytes, named.is_some()) {
            Some(error) => Err(Failure::decoding(&self.name, &error)),
            None => Ok(named.unwrap_or_else(|| SourceFormat::of_text(&self.bytes))),
        }
    }

    /// The document as a compiled one. A source is compiled, which `was_compiled` then tells.
    pub(crate) fn into_document(self) -> Result<Document, Failure> {
        if self.is_coconut() {
            return self.into_compiled();
        }
        let options = CompileOptions { format: Some(self.source_format(None)?), ..CompileOptions::default() };
        Document::of_compiled(self.name, &self.bytes, compile(&self.bytes, &options))
    }

    /// The document, which must not be a source.
    pub(crate) fn into_compiled(self) -> Result<Document, Failure> {
        let Input { name, bytes } = self;
        let source = EnvelopedSource::open(&bytes).map_err(|error| Failure::decoding(&name, &error))?;
        if source.envelope().encoding() == Encoding::Msgpack {
            return Ok(Document { name, bytes: DocumentBytes::Own(bytes), was_compiled: false });
        }
        check_digest(&name, &source)?;
        let compiled = compile_enveloped(&source, &CompileOptions::default());
        Document::of_compiled(name, &bytes, compiled)
    }
}

/// The content of a file, or what comes from a pipe or a terminal. Devices are refused: some never end. A pipe is waited for
/// where it was named; what was found in a folder was a file then, and is read as one or not at all.
fn read_path(path: &Path) -> io::Result<Vec<u8>> {
    if fs::metadata(path)?.is_file() {
        return input::read(path);
    }
    let mut file = fs::File::open(path)?;
    // It may be another by now.
    let metadata = file.metadata()?;
    if metadata.is_file() || metadata.is_dir() {
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        return Ok(bytes);
    }
    if !is_pipe(&metadata) && !file.is_terminal() {
        let text = "expected a file or a pipe, found a device";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    }
    read_pipe(file)
}

#[cfg(unix)]
fn is_pipe(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    metadata.file_type().is_fifo() || metadata.file_type().is_socket()
}

/// Elsewhere devices have names, and what is no file is a pipe.
#[cfg(not(unix))]
fn is_pipe(_: &fs::Metadata) -> bool {
    true
}

/// A compiled document with the name of the file that it came from.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) name: String,
    pub(crate) bytes: DocumentBytes,
    /// Whether it was made from text just now, and not read.
    pub(crate) was_compiled: bool,
}

/// The bytes of a compiled document.
#[derive(Debug)]
pub(crate) enum DocumentBytes {
    /// Read, or compiled just now.
    Own(Vec<u8>),
    /// From the loader, which may have mapped them.
    Loaded(coconut_codec::cache::DocumentBytes),
}

impl AsRef<[u8]> for DocumentBytes {
    fn as_ref(&self) -> &[u8] {
        match self {
            DocumentBytes::Own(bytes) => bytes,
            DocumentBytes::Loaded(bytes) => bytes.as_ref(),
        }
    }
}

impl Document {
    /// What the loader found for a package.
    pub(crate) fn of_loaded(name: String, loaded: &Loaded) -> Document {
        let was_compiled = matches!(loaded.origin, Origin::Source { .. });
        Document { name, bytes: DocumentBytes::Loaded(loaded.document.data().clone()), was_compiled }
    }

    /// What came of `text`.
    fn of_compiled(
        name: String,
        text: &[u8],
        compiled: Result<Compiled, CompileError>,
    ) -> Result<Document, Failure> {
        let compiled = compiled.map_err(|error| Failure::compiling(&name, text, &error))?;
        Ok(Document { name, bytes: DocumentBytes::Own(compiled.bytes), was_compiled: true })
    }

    /// Opens the document.
    pub(crate) fn open(&self) -> Result<DocumentFile<&[u8]>, Failure> {
        DocumentFile::from_data(self.bytes.as_ref()).map_err(|error| self.undecodable(&error))
    }

    /// What is wrong with the document.
    pub(crate) fn undecodable(&self, error: &DecodeError) -> Failure {
        Failure::decoding(&self.name, error)
    }
}

/// §2.4 Holds the text of a `+json` document to the digest in its envelope.
fn check_digest(name: &str, source: &EnvelopedSource<'_>) -> Result<(), Failure> {
    match source.check_digest() {
        Err(error) if error.kind() == ErrorKind::DigestDiffers => {
            let stated = source.envelope().parameter("digest").unwrap_or_default();
            let mut digest = TextDigest::default();
            digest.0.update(source.text());
            let found = digest.parameter();
            let message = format!("the text was changed: the envelope says {stated}, it is {found}");
            Err(Failure::undecodable(error.kind().code(), message).in_file(name))
        }
        checked => checked.map(drop).map_err(|error| Failure::decoding(name, &error)),
    }
}

/// The digest of the text of a `+json` document, which is written into it.
#[derive(Debug, Default)]
pub(crate) struct TextDigest(Sha256);

impl TextDigest {
    /// The value of the `digest` parameter.
    pub(crate) fn parameter(self) -> String {
        format!("sha-256:{}", Hex(&self.0.finalize()))
    }
}

impl io::Write for TextDigest {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What there is at a path, as far as its kind, its name and its first bytes tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stored {
    /// A file that is no Coconut document.
    Source,
    /// A file that is meant to be a Coconut document of either encoding.
    Document,
    /// A file that is neither for sure, and why.
    Neither(DecodeError),
    /// What can be read once, like a pipe, or not at all.
    Otherwise,
}

impl Stored {
    pub(crate) fn at(path: &Path) -> Stored {
        if !fs::metadata(path).is_ok_and(|metadata| metadata.is_file()) {
            return Stored::Otherwise;
        }
        if is_named_compiled(path) {
            return Stored::Document;
        }
        let mut beginning = Vec::new();
        let read = fs::File::open(path)
            .and_then(|file| file.take(ENVELOPE_LIMIT as u64).read_to_end(&mut beginning));
        if read.is_err() {
            return Stored::Otherwise;
        }
        if is_coconut(&beginning) {
            return Stored::Document;
        }
        let is_named = SourceFormat::of_name(&path.to_string_lossy()).is_some();
        EnvelopeView::recognise_no_text(&beginning, is_named).map_or(Stored::Source, Stored::Neither)
    }
}

/// Whether the name is that of a compiled document, whatever the file holds.
fn is_named_compiled(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("coco"))
}

/// Whether `bytes` begin like a Coconut document of either encoding.
pub(crate) fn is_coconut(bytes: &[u8]) -> bool {
    const MEDIA_TYPE: &[u8] = b"application/vnd.coconut";
    bytes.get(..MEDIA_TYPE.len()).is_some_and(|beginning| beginning.eq_ignore_ascii_case(MEDIA_TYPE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_of_another_form_is_told_from_that_of_another_text() {
        let envelope = "application/vnd.coconut+json; document-type=document; version=0; digest=";
        let zeros = format!("sha-256:{:064}", 0);
        let cases = [("sha-256:00", "ENV-SYNTAX", Some(envelope.len())), (&*zeros, "DIG-DIFFERS", None)];
        for (digest, code, offset) in cases {
            let bytes = format!("{envelope}{digest}\n\n[1]").into_bytes();
            let failure = Input { name: "a.coco".to_owned(), bytes }.into_compiled().unwrap_err();
            let json = serde_json::to_value(&failure).unwrap();
            assert_eq!((&json["code"], &json["exit"]), (&code.into(), &4.into()), "{digest}");
            assert_eq!(json.get("offset"), offset.map(serde_json::Value::from).as_ref(), "{digest}");
        }
    }
}
