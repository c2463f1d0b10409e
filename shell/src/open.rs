//! Opens files. All reading of documents and sources is here.

use crate::console::Console;
use crate::pcore::{StreamFacts, compile_stream, is_stream as is_pcore, read_stream};
use crate::rules::Rules;
use clap::Args;
use coconut_codec::bytes::expand::{Compression, expanded};
use coconut_codec::bytes::input::{open_regular, read_pipe};
use coconut_codec::bytes::large::read_large;
use coconut_codec::bytes::paged::PagedFile;
use coconut_codec::bytes::pipe::read_any;
use coconut_codec::compile::{CompileOptions, LandmarkChoice, compile, compile_enveloped, compile_value};
use coconut_codec::read::file::OpenErrorKind;
use coconut_codec::read::file::{DocumentFile, DocumentView};
use coconut_codec::read::same_file::is_same_file;
use coconut_codec::read::view::Content;
use coconut_codec::text::yaml::is_stream;
use coconut_codec::text::{EnvelopedSource, SourceFormat};
use coconut_deploy::{DeployError, Environment};
use coconut_format::envelope::{Encoding, EnvelopeView};
use coconut_format::error::{DecodeError, ErrorKind};
use coconut_format::limits::ENVELOPE_LIMIT;
use coconut_format::numerals::hex;
use coconut_pcore::{Recognition, recognise};
pub use coconut_report::failure::name_of;
use coconut_report::failure::{Exit, Failure};
use coconut_report::recognised::stand_in;
pub use coconut_report::recognised::{begins_with_media_type, is_document, source_format};
use coconut_report::source::Source;
use sha2::{Digest as _, Sha256};
use std::fmt;
use std::fs;
use std::io::{self, Read as _};
use std::ops::Deref;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// A way to find documents. Each tool has one, with arguments of its own.
///
/// Commands take it as `&dyn Documents`, so each is compiled once, not again for each tool.
pub trait Documents: Sync {
    /// Opens a document or a source.
    fn open(&self, argument: &Path, access: Access, console: &mut Console) -> Result<Opened, Failure>;

    /// Whether an argument stands for the files in a folder.
    fn is_folder(&self, argument: &Path) -> bool {
        argument.is_dir()
    }
}

/// The parts of a document that a command needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// The header and the list of landmarks. Also opens a text that was changed.
    Outline,
    /// A few values. Damage may show when a value is used, before anything is printed.
    Lookup,
    /// The whole document. Output is written while reading.
    Whole,
}

/// Documents are files. Sources are compiled in memory.
#[derive(Args, Clone, Copy, Debug)]
pub struct Files {}

impl Documents for Files {
    fn open(&self, argument: &Path, access: Access, console: &mut Console) -> Result<Opened, Failure> {
        open(argument, access, console)
    }
}

/// The bytes of a file, in memory. Only entries of the private cache are mapped.
pub struct Storage(Box<dyn AsRef<[u8]>>);

impl Storage {
    /// Wraps these bytes.
    pub fn new(bytes: impl AsRef<[u8]> + 'static) -> Storage {
        Storage(Box::new(bytes))
    }
}

impl fmt::Debug for Storage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.len())
    }
}

impl AsRef<[u8]> for Storage {
    fn as_ref(&self) -> &[u8] {
        (*self.0).as_ref()
    }
}

impl Deref for Storage {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.as_ref()
    }
}

/// An open document and its origin.
#[derive(Debug)]
pub struct Opened {
    /// The name for messages.
    pub name: String,
    document: Document,
    origin: Origin,
    /// The time to compile it, if it was compiled now.
    pub compiled: Option<Duration>,
    started: Instant,
    /// Whether another form of the document can be used if this one is damaged.
    pub is_replaceable: bool,
    /// Whether its text is several documents, if the text was seen.
    is_stream: Option<bool>,
    /// The first two characters of its text, without white space, if the text was seen.
    beginning: Option<[u8; 2]>,
    /// Whether it stands for a missing document.
    pub is_nothing: bool,
    /// The facts of a stream of Pcore, if it was opened as one.
    pub pcore: Option<Box<StreamFacts>>,
    /// The bytes of such a stream.
    stream_bytes: Option<u64>,
}

#[derive(Debug)]
enum Document {
    Held(DocumentFile<Storage>),
    Paged(DocumentFile<PagedFile>),
}

/// The origin of a document.
#[derive(Debug)]
enum Origin {
    /// A compiled document.
    Compiled,
    /// This file in the text encoding.
    Text(Storage),
    /// A source.
    Source,
}

impl Opened {
    fn new(name: &str, bytes: Storage, origin: Origin) -> Result<Opened, DecodeError> {
        Ok(Opened {
            name: name.to_owned(),
            document: Document::Held(DocumentFile::from_data(bytes)?),
            origin,
            compiled: None,
            started: Instant::now(),
            is_replaceable: false,
            is_stream: None,
            beginning: None,
            is_nothing: false,
            pcore: None,
            stream_bytes: None,
        })
    }

    /// The compiled form of a source. `compiled` is the compile time, if it was compiled now.
    pub fn of_source(
        name: &str,
        bytes: Storage,
        compiled: Option<Duration>,
        is_replaceable: bool,
    ) -> Result<Opened, Failure> {
        let opened = Opened::new(name, bytes, Origin::Source);
        let opened = opened.map_err(|error| Failure::from(error).in_file(name))?;
        Ok(Opened { compiled, is_replaceable, ..opened })
    }

    /// A compiled document that is read piece by piece.
    pub fn of_paged(name: &str, file: DocumentFile<PagedFile>) -> Opened {
        Opened {
            name: name.to_owned(),
            document: Document::Paged(file),
            origin: Origin::Compiled,
            compiled: None,
            started: Instant::now(),
            is_replaceable: false,
            is_stream: None,
            beginning: None,
            is_nothing: false,
            pcore: None,
            stream_bytes: None,
        }
    }

    /// The document.
    pub fn view(&self) -> DocumentView<'_> {
        match &self.document {
            Document::Held(file) => file.view(),
            Document::Paged(file) => file.view(),
        }
    }

    /// Fails if a value of a compiled file cannot be read, as a walk of the file does, or if an
    /// offset table leads elsewhere than such a walk. For commands that read most of a document by
    /// views, in an order of their own. What was compiled or verified here has no such fault.
    pub fn check_whole(&self) -> Result<(), DecodeError> {
        match self.origin {
            Origin::Compiled => {
                self.view().check_values()?;
                self.view().check_offset_tables()
            }
            Origin::Text(_) | Origin::Source => Ok(()),
        }
    }

    /// The document and the facts of its file.
    pub fn source(&self) -> Source<'_> {
        Source { name: &self.name, view: self.view(), size: self.size(), is_text: self.is_text() }
    }

    /// Warns of findings about its source, if it was opened by its source.
    pub fn warn_of_source(&self, console: &mut Console) {
        if let (Origin::Source, Some(source)) = (&self.origin, &self.view().header().source) {
            console.warn_of_source(&self.name, &source.findings);
        }
    }

    /// The size of the opened file: of the source, if there is one.
    pub fn size(&self) -> u64 {
        if let Some(bytes) = self.stream_bytes {
            return bytes;
        }
        match (&self.origin, &self.view().header().source) {
            (Origin::Text(text), _) => text.len() as u64,
            (Origin::Source, Some(source)) => source.bytes,
            _ => self.document_bytes(),
        }
    }

    /// The size of the compiled form.
    pub fn document_bytes(&self) -> u64 {
        match &self.document {
            Document::Held(file) => file.data().len() as u64,
            Document::Paged(file) => file.data().len() as u64,
        }
    }

    /// The number of bytes of the compiled form read so far.
    pub fn touched_bytes(&self) -> u64 {
        match &self.document {
            Document::Held(file) => file.touched_bytes(),
            Document::Paged(file) => file.touched_bytes(),
        }
    }

    /// The time since it was opened.
    pub fn age(&self) -> Duration {
        self.started.elapsed()
    }

    /// Whether the compiled document exists only in memory.
    pub fn is_text(&self) -> bool {
        !matches!(self.origin, Origin::Compiled)
    }

    /// §17.2 Whether YAML output of the document is a stream: it is a list, and its items were
    /// separate documents.
    ///
    /// A compiled document does not record this about its source. Without the source, Kubernetes
    /// objects are treated as separate documents, and all other items are not.
    pub fn is_stream(&self) -> bool {
        let (view, header) = (self.view(), self.view().header());
        let Some(source) = header.source.as_ref().filter(|source| source.format == SourceFormat::Yaml.name())
        else {
            return false;
        };
        let is_list =
            view.root().content().is_ok_and(|root| matches!(root, Content::List(list) if list.len() > 1));
        let text = || {
            let text = read(Path::new(&self.name)).ok().filter(|_| matches!(self.origin, Origin::Source))?;
            (<[u8; 32]>::from(Sha256::digest(&text[..])) == source.sha_256).then(|| is_stream(&text))
        };
        let is_of_objects = || header.dialect.as_deref() == Some("kubernetes");
        is_list && self.is_stream.or_else(text).unwrap_or_else(is_of_objects)
    }

    /// §17.2 Whether the items of its root were separate documents of its text, in any format.
    ///
    /// Without the text, those of JSON Lines are known by the name of the file.
    pub fn has_several_documents(&self) -> bool {
        let (view, header) = (self.view(), self.view().header());
        let is_json = header.source.as_ref().is_some_and(|source| source.format == SourceFormat::Json.name());
        if !is_json {
            return self.is_stream();
        }
        let Ok(Content::List(list)) = view.root().content() else { return false };
        let first = list.items().next().and_then(|item| item.ok()?.content().ok());
        let text = || {
            matches!(self.origin, Origin::Source).then_some(())?;
            read(Path::new(&self.name)).ok().map(|text| beginning_of(&text))
        };
        match self.beginning.or_else(text) {
            Some([b'{', _]) => true,
            // A list of lists begins with two brackets.
            Some([b'[', second]) => second != b'[' && matches!(first, Some(Content::List(_))),
            Some(_) => false,
            None => is_json_lines(&self.name),
        }
    }

    /// The envelope of the file, if it has one.
    pub fn envelope(&self) -> Result<Option<EnvelopeView<'_>>, DecodeError> {
        match &self.origin {
            Origin::Text(text) => EnvelopeView::parse(text).map(Some),
            Origin::Compiled => self.view().envelope().map(Some),
            Origin::Source => Ok(None),
        }
    }

    /// The error of reading a part of the file, or of a file that was changed since it was opened.
    /// To the decoder, such bytes only appear missing or damaged.
    pub fn read_fault(&self) -> Option<Failure> {
        let Document::Paged(file) = &self.document else { return None };
        let failure = |error: &io::Error| Failure::reading(Path::new(&self.name), error);
        let change = file.data().change();
        change.as_ref().or_else(|| file.data().fault()).map(failure)
    }

    /// §2.4 Compares a file in the text encoding with the digest in its envelope. `false` if there
    /// is no digest, or the file is not text.
    pub fn check_text(&self) -> Result<bool, Failure> {
        let Origin::Text(bytes) = &self.origin else { return Ok(false) };
        let source = EnvelopedSource::open(bytes)?;
        match source.check_digest() {
            Err(error) if error.kind() == ErrorKind::DigestDiffers => {
                let recorded = source.envelope().parameter("digest").unwrap_or_default().into_owned();
                let found = format!("sha-256:{}", hex(&Sha256::digest(source.text())));
                Err(Failure::from(error).with_sides(recorded, found))
            }
            checked => Ok(checked?.is_some()),
        }
    }
}

/// The first two characters of a text that are neither white space nor a byte order mark.
fn beginning_of(text: &[u8]) -> [u8; 2] {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let mut characters = text.iter().copied().filter(|byte| !byte.is_ascii_whitespace());
    [characters.next().unwrap_or(0), characters.next().unwrap_or(0)]
}

/// Whether a compiled file has the name of one made from JSON Lines.
fn is_json_lines(name: &str) -> bool {
    let name = name.strip_suffix(".coco").unwrap_or(name);
    let name = name.strip_suffix(".gz").or(name.strip_suffix(".zst")).unwrap_or(name);
    name.ends_with(".jsonl") || name.ends_with(".ndjson")
}

fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Reads a file, a named pipe, or standard input, and decompresses it if it is a compressed source.
///
/// Refuses devices, because some never end. The whole content is then in memory, so it cannot
/// change under a command that prints for a long time.
pub fn read(path: &Path) -> Result<Storage, Failure> {
    let bytes = match is_standard_input(path) {
        true => read_pipe(io::stdin().lock()),
        false => read_any(path),
    };
    let text = bytes.and_then(|bytes| match Compression::of(&bytes) {
        None => Ok(bytes),
        Some(_) => expanded(&bytes).map(Vec::from),
    });
    text.map(Storage::new).map_err(|error| Failure::reading(path, &error))
}

/// Reads a text with instructions, such as a filter or rules: a file or a named pipe.
///
/// Refuses devices, and waits for a limited time for a pipe without a writer.
pub fn read_text(path: &Path) -> Result<String, Failure> {
    let text = read_any(path).and_then(|bytes| {
        String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8"))
    });
    text.map_err(|error| Failure::reading(path, &error))
}

/// The kind of content at a path, by its file type, name and first bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stored {
    /// A file that is not a Coconut document.
    Source,
    /// A file that is meant to be a Coconut document of either encoding.
    Document,
    /// A stream of Pcore (§24.7).
    Pcore,
    /// A file that is neither, and the reason.
    Neither(DecodeError),
    /// Anything else: a pipe, or something unreadable.
    Otherwise,
}

impl Stored {
    /// File extensions of documents and of sources.
    const EXTENSIONS: [&str; 9] = ["coco", "gz", "json", "jsonl", "ndjson", "tfstate", "yaml", "yml", "zst"];

    /// Whether a path has the name of a document or a source.
    pub fn is_called_like_one(path: &Path) -> bool {
        let extension = path.extension().and_then(|extension| extension.to_str());
        extension.is_some_and(|extension| Stored::EXTENSIONS.contains(&extension))
    }

    /// Reads only the beginning of a file.
    pub fn at(path: &Path) -> Stored {
        // Opening anything else could block, and reading it would consume bytes.
        if is_standard_input(path) || !fs::metadata(path).is_ok_and(|metadata| metadata.is_file()) {
            return Stored::Otherwise;
        }
        let mut beginning = Vec::new();
        let read = open_regular(path)
            .and_then(|(file, _)| file.take(ENVELOPE_LIMIT as u64).read_to_end(&mut beginning));
        let name = path.to_string_lossy();
        if let Some(error) = stand_in(&beginning) {
            return Stored::Neither(error);
        }
        match read {
            Err(_) => Stored::Otherwise,
            Ok(_) if is_document(&name, &beginning) => Stored::Document,
            Ok(_) if Compression::of(&beginning).is_some() => Stored::Source,
            Ok(_) if is_pcore_file(path, &beginning) => Stored::Pcore,
            Ok(_) => source_format(&name, &beginning, None).map_or_else(Stored::Neither, |_| Stored::Source),
        }
    }
}

/// Opens a document or a source to show its contents. Refuses a text that was changed, as for
/// damaged blocks.
pub fn open(path: &Path, access: Access, console: &mut Console) -> Result<Opened, Failure> {
    let reveal = console.reveal;
    match Stored::at(path) {
        // The whole file is not read only to look at its beginning.
        Stored::Neither(error) => return Err(Failure::from(error).in_file(&name_of(path))),
        Stored::Document if has_journal(path) => return open_environment(path),
        Stored::Document => match open_paged(path, access, reveal) {
            Ok(opened) if access != Access::Whole || opened.is_text() => return Ok(opened),
            Ok(_) => {}
            // It is read and decompressed, if possible.
            Err(failure) if failure.code() == "ENV-COMPRESSED" => {}
            Err(failure) => return Err(failure),
        },
        Stored::Source | Stored::Pcore | Stored::Otherwise => {}
    }
    let (name, bytes) = (name_of(path), read(path)?);
    match is_document(&name, &bytes) {
        true => open_for(bytes, &name, access, reveal),
        false => {
            let landmarks = Rules::of_process(console)?.landmarks_of(path);
            if is_pcore(&bytes) {
                return open_pcore(&bytes, &name, landmarks);
            }
            let opened = open_source(&bytes, &name, landmarks, reveal)?;
            opened.warn_of_source(console);
            Ok(opened)
        }
    }
}

/// Whether the journal of a deployment is beside a snapshot (§25.1).
fn has_journal(path: &Path) -> bool {
    const HEAD: &[u8] = b"{\"journal\":";
    let mut beginning = [0; 9 + HEAD.len()];
    let read =
        fs::File::open(path.with_extension("journal")).and_then(|mut file| file.read_exact(&mut beginning));
    read.is_ok() && beginning.ends_with(HEAD)
}

/// Opens the state of an environment: its snapshot and the journal beside it, compiled in memory.
fn open_environment(path: &Path) -> Result<Opened, Failure> {
    let (name, started) = (name_of(path), Instant::now());
    let failed = |error: DeployError| {
        let failure = Failure::new(Exit::Decode, error.code(), error.to_string());
        failure.in_file(&name)
    };
    let document = Environment::read(path).map_err(failed)?.to_document();
    let compiled = compile_value(&document, &CompileOptions::default());
    let compiled = compiled.map_err(|error| failed(DeployError::Compile(error)))?;
    Opened::of_source(&name, Storage::new(compiled.bytes), Some(started.elapsed()), false)
}

/// Whether a file is a stream of Pcore. Only for JSON, more than its beginning is needed.
fn is_pcore_file(path: &Path, beginning: &[u8]) -> bool {
    match recognise(beginning) {
        Recognition::Other => false,
        Recognition::Stream => true,
        Recognition::PerhapsJson => read(path).is_ok_and(|bytes| is_pcore(&bytes)),
    }
}

/// Opens a stream of Pcore, compiled in memory.
pub fn open_pcore(bytes: &[u8], name: &str, landmarks: LandmarkChoice) -> Result<Opened, Failure> {
    let started = Instant::now();
    let stream = read_stream(bytes, name, None)?;
    let facts = StreamFacts::of(&stream);
    let options = CompileOptions { landmarks, ..CompileOptions::default() };
    let compiled = compile_stream(&stream, name, &options)?;
    let opened = Opened::of_source(name, Storage::new(compiled), Some(started.elapsed()), false)?;
    Ok(Opened { pcore: Some(Box::new(facts)), stream_bytes: Some(bytes.len() as u64), ..opened })
}

/// Opens the bytes of a document. An outline may belong to a text that was changed.
fn open_for(bytes: Storage, name: &str, access: Access, reveal: bool) -> Result<Opened, Failure> {
    match access {
        Access::Outline => open_bytes(bytes, name, reveal),
        Access::Lookup | Access::Whole => open_checked(bytes, name, reveal),
    }
}

/// Opens a document, and refuses a source or a text that was changed.
pub fn open_document(path: &Path, reveal: bool) -> Result<Opened, Failure> {
    open_checked(read(path)?, &name_of(path), reveal)
}

/// Does the same as [`open_document`] for bytes in memory.
pub fn open_checked(bytes: Storage, name: &str, reveal: bool) -> Result<Opened, Failure> {
    let opened = open_bytes(bytes, name, reveal)?;
    opened.check_text().map_err(|failure| failure.in_file(name))?;
    Ok(opened)
}

/// Opens the bytes of a document. Compiles a file in the text encoding in memory, so all commands
/// use one form.
pub fn open_bytes(bytes: Storage, name: &str, reveal: bool) -> Result<Opened, Failure> {
    let in_file = |error: DecodeError| Failure::from(error).in_file(name);
    let started = Instant::now();
    let compiled = match EnvelopedSource::open(&bytes) {
        Ok(source) if source.envelope().encoding() == Encoding::Json => {
            compile_enveloped(&source, &CompileOptions::default())
                .map_err(|error| Failure::compiling(name, &bytes, &error, reveal))?
        }
        _ => return Opened::new(name, bytes, Origin::Compiled).map_err(in_file),
    };
    let took = started.elapsed();
    let opened = Opened::new(name, Storage::new(compiled.bytes), Origin::Text(bytes)).map_err(in_file)?;
    Ok(Opened { compiled: Some(took), ..opened })
}

/// Compiles a source in memory.
pub fn open_source(
    bytes: &[u8],
    name: &str,
    landmarks: LandmarkChoice,
    reveal: bool,
) -> Result<Opened, Failure> {
    let format = source_format(name, bytes, None).map_err(|error| Failure::from(error).in_file(name))?;
    let started = Instant::now();
    let compiled =
        compile(bytes, &CompileOptions { format: Some(format), landmarks, ..CompileOptions::default() })
            .map_err(|error| Failure::compiling(name, bytes, &error, reveal))?;
    let opened = Opened::of_source(name, Storage::new(compiled.bytes), Some(started.elapsed()), false)?;
    let is_stream = Some(format == SourceFormat::Yaml && is_stream(bytes));
    Ok(Opened { is_stream, beginning: Some(beginning_of(bytes)), ..opened })
}

/// Opens a compiled document. Reads only the pages that a lookup needs.
fn open_paged(path: &Path, access: Access, reveal: bool) -> Result<Opened, Failure> {
    let (name, started) = (name_of(path), Instant::now());
    let file = match DocumentFile::open_paged(path) {
        Ok(file) => file,
        Err(error) => match error.source {
            OpenErrorKind::Io(error) => return Err(Failure::reading(path, &error)),
            // Text after an envelope must be compiled, so all of it is read.
            OpenErrorKind::Decode(error) if error.kind() == ErrorKind::SourceText => {
                return open_for(read(path)?, &name, access, reveal);
            }
            OpenErrorKind::Decode(error) => return Err(Failure::from(error).in_file(&name)),
        },
    };
    Ok(Opened { started, ..Opened::of_paged(&name, file) })
}

/// Two compiled documents.
pub enum Both {
    /// They are equal byte for byte, and undamaged. Neither is in memory.
    Same(Opened, Opened),
    /// Anything else.
    Other(Opened, Opened),
}

/// Opens two compiled documents to compare them. After `None`, open them one by one.
pub fn open_both(old: &Path, new: &Path, reveal: bool) -> Option<Both> {
    if [old, new].iter().any(|path| Stored::at(path) != Stored::Document || has_journal(path)) {
        return None;
    }
    let open = |path| open_paged(path, Access::Lookup, reveal).ok();
    let (a, b) = (open(old)?, open(new)?);
    match (&a.document, &b.document) {
        (Document::Paged(old), Document::Paged(new)) if is_same_file(old, new) => {
            return Some(Both::Same(a, b));
        }
        (Document::Paged(_), Document::Paged(_)) => {}
        _ => return None,
    }
    // Most of the reading time is spent in the kernel, which finds memory for it.
    let (read, name) = (|path: &Path| read_large(path).ok(), name_of);
    let [of_old, of_new] = thread::scope(|scope| {
        let of_old = thread::Builder::new().spawn_scoped(scope, || read(old));
        let of_new = read(new);
        [of_old.map_or_else(|_| read(old), |of_old| of_old.join().unwrap_or_default()), of_new]
    });
    let open = |path, bytes| open_for(Storage::new(bytes), &name(path), Access::Whole, reveal).ok();
    Some(Both::Other(open(old, of_old?)?, open(new, of_new?)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::GlobalOptions;
    use coconut_report::Exit;
    use std::fs::File;

    #[test]
    fn a_digest_of_another_form_is_distinguished_from_that_of_another_text() {
        let envelope = "application/vnd.coconut+json; document-type=document; version=1; digest=";
        let zeros = format!("sha-256:{:064}", 0);
        for (digest, code) in [("sha-256:00", "ENV-SYNTAX"), (&*zeros, "DIG-DIFFERS")] {
            let bytes = format!("{envelope}{digest}\n\n[1]").into_bytes();
            let failure = open_checked(Storage::new(bytes), "a.coco", false).unwrap_err();
            assert_eq!((failure.code(), failure.exit()), (code, Exit::Decode), "{digest}");
        }
    }

    #[test]
    fn a_change_of_a_file_read_in_pieces_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.coco");
        let document = |word: &str| {
            let resources: Vec<String> =
                (0..2000).map(|n| format!(r#""{n}": {{"a": "{word} {n}"}}"#)).collect();
            let source = format!(r#"{{"resources": {{{}}}}}"#, resources.join(","));
            compile(source.as_bytes(), &CompileOptions::default()).unwrap().bytes
        };
        fs::write(&path, document("old")).unwrap();
        // A change must get another time, however coarse the clock is.
        let before = std::time::SystemTime::UNIX_EPOCH;
        File::options().write(true).open(&path).unwrap().set_modified(before).unwrap();
        let opened = open(&path, Access::Lookup, &mut Console::new(&GlobalOptions::default())).unwrap();
        assert!(opened.read_fault().is_none());
        fs::write(&path, document("new")).unwrap();
        assert!(opened.view().check_blocks().is_err(), "parts of both");
        assert_eq!(opened.read_fault().map(|fault| fault.code()), Some("IO-CHANGED"));
    }

    #[test]
    fn an_empty_file_is_empty_whatever_it_is_called() {
        for name in ["a.json", "a.yaml", "a.tfstate", "a", "a.coco"] {
            let bytes = Storage::new(Vec::new());
            let failure = match is_document(name, &bytes) {
                true => open_checked(bytes, name, false),
                false => open_source(&bytes, name, LandmarkChoice::Detect, false),
            };
            assert_eq!(failure.unwrap_err().code(), "ENV-EMPTY", "{name}");
        }
    }
}
