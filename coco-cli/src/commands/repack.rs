//! `coco pack repack`: writes compiled documents with other profiles and encodings.

use super::build::profiles;
use super::unpack::Hash;
use crate::destination::{Content, Destination, WriteOptions};
use crate::form::{Maker, Makes, note_dropped};
use clap::Args;
use clap::builder::TypedValueParser;
use coconut_codec::Profile;
use coconut_codec::compile::{CompileOptions, writer_options};
use coconut_codec::event::SinkError;
use coconut_codec::read::stream::{Budget, StreamError};
use coconut_codec::text::json::{JsonStyle, Printer};
use coconut_codec::write::interner::Interner;
use coconut_codec::write::{Kept, Writer, WriterOptions};
use coconut_format::ErrorKind;
use coconut_format::envelope::{Encoding, Envelope};
use coconut_format::numerals::hex;
use coconut_report::{Exit, Failure};
use coconut_shell::Console;
use coconut_shell::choice::choice_of;
use coconut_shell::open::{Opened, open_document};
use sha2::{Digest, Sha256};
use std::io::Write;
use std::path::{Path, PathBuf};

const MAKER: Maker = Maker { command: "coco pack repack", makes: Makes::Compiled };

/// Rewrite documents with another profile or encoding
///
/// Writes the same document with another profile, or as text with an envelope. Document type,
/// landmark rule, dialect and the record of the source are kept, and so are parts and header keys
/// that this version does not know. A note reports parts that must be omitted.
///
/// The text form of a document has only its type and its values. A note reports what else is lost.
/// When the text is compiled, its landmarks are detected from the content, and the text is recorded
/// as its source.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../tests/help/pack-repack.trycmd"))]
pub(crate) struct Repack {
    /// Compiled documents; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Output file or folder; `-` is standard output
    ///
    /// It is a folder if it ends in `/`, if such a folder exists, or if there are several
    /// documents.
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Storage profile
    #[arg(long, value_name = "PROFILE", default_value = "full", value_parser = profiles())]
    profile: Profile,
    /// Encoding of the payload
    #[arg(long, value_name = "ENCODING", default_value = "msgpack", conflicts_with = "profile",
        value_parser = encodings())]
    encoding: Encoding,
    #[command(flatten)]
    write: WriteOptions,
}

/// The encodings of the payload after the envelope.
fn encodings() -> impl TypedValueParser<Value = Encoding> {
    choice_of(&[
        (Encoding::Msgpack, "msgpack", "The compiled form"),
        (Encoding::Json, "json", "JSON text with a digest, for people and for text-only channels"),
    ])
}

impl Repack {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        let name = |file: &Path| file.file_name().map_or_else(|| file.to_owned(), PathBuf::from);
        let named: Vec<(&Path, PathBuf)> = self.files.iter().map(|file| (&**file, name(file))).collect();
        let keeps_last = self.write.durable && self.encoding == Encoding::Msgpack;
        let destinations = Destination::of_all(&self.output, &named, keeps_last)?;
        if let ([(only, _)], false) = (&destinations[..], self.output.is_dir()) {
            // Text with an envelope is a Coconut document, not JSON.
            MAKER.form(only, None)?;
        }
        let results = self
            .files
            .iter()
            .zip(&destinations)
            .map(|(file, (to, kept))| self.repack(file, to, kept.as_ref(), console));
        let failures: Vec<Failure> = results.filter_map(Result::err).collect();
        Ok(console.report(&failures))
    }

    fn repack(
        &self,
        file: &Path,
        destination: &Destination,
        kept: Option<&Failure>,
        console: &mut Console,
    ) -> Result<(), Failure> {
        let content = match self.encoding {
            Encoding::Msgpack => Content::Binary,
            Encoding::Json => Content::Text,
        };
        // Text with an envelope is a Coconut document, so it may replace the same files as a binary
        // one.
        let replaced = if *destination == Destination::Stdout { content } else { Content::Binary };
        destination.check(replaced, self.write)?;
        let opened = &open_document(file, console.reveal)?;
        let failed = |error| Failure::from(error).in_file(&opened.name);
        refuse_unknown_features(opened)?;
        let unknown = opened.view().kept().map_err(failed)?;
        let is_kept = self.encoding == Encoding::Msgpack;
        note_dropped(&opened.name, &unknown, is_kept, console);
        match self.encoding {
            Encoding::Msgpack => {
                destination.write_bytes(content, self.write, kept, &self.compiled(opened, unknown)?)
            }
            Encoding::Json => {
                for part in unknown.parts() {
                    console.note(&format!("{}: the text form does not keep part {part}", opened.name));
                }
                note_what_text_lacks(opened, console)?;
                // Printed twice instead of kept: the text of a small file can be larger than the
                // memory.
                let envelope = text_envelope(opened)?;
                destination.write(content, self.write, |out| {
                    let written =
                        out.write_all(&envelope).map_err(|error| SinkError::Output(error.to_string()));
                    let printed = written.map_err(StreamError::from).and_then(|()| print(opened, out));
                    printed.map_err(|error| Failure::from(error).in_file(&opened.name))
                })
            }
        }
    }

    /// The document in the requested profile.
    fn compiled(&self, opened: &Opened, kept: Kept) -> Result<Vec<u8>, Failure> {
        let (view, header) = (opened.view(), opened.view().header());
        let length = view.bytes().len();
        let failed = |failure: Failure| failure.in_file(&opened.name);
        let mut interner = Interner::new().read_from(length);
        let budget = match self.profile {
            Profile::Plain => Budget::held(length as u64),
            Profile::Full | Profile::Transport => Budget::default(),
        };
        view.stream(&mut interner, budget).map_err(|error| failed(error.into()))?;
        // A small file with shared landmarks becomes a large one, which repeats each of them.
        if header.rule().is_ok() {
            view.check_landmarks().map_err(|error| failed(error.into()))?;
        }
        let options = WriterOptions {
            profile: self.profile,
            // `kept` has a rule that this version does not understand.
            rule: header.rule().cloned().unwrap_or_default(),
            dialect: header.dialect.clone(),
            source: header.source.clone(),
            kept,
            ..WriterOptions::new(&header.document_type)
        };
        let bytes = Writer::new(options).to_bytes(&interner.finish()?);
        bytes.map_err(|error| failed(Failure::from(&error)))
    }
}

/// §5.3 Refuses features that must be known to write the file again.
fn refuse_unknown_features(opened: &Opened) -> Result<(), Failure> {
    match &opened.view().header().requires_write[..] {
        [] => Ok(()),
        features => {
            let hint = format!("use a version that knows {}", features.join(", "));
            let failure = Failure::from(ErrorKind::RequiredFeature.at(opened.view().root().offset()));
            Err(failure.in_file(&opened.name).with_hint(hint))
        }
    }
}

/// §2.4 Records the losses: a rule that the content does not imply, and the record of the source.
fn note_what_text_lacks(opened: &Opened, console: &mut Console) -> Result<(), Failure> {
    if opened.is_text() {
        return Ok(());
    }
    let (view, header) = (opened.view(), opened.view().header());
    let mut interner = Interner::new().read_from(view.bytes().len());
    view.stream(&mut interner, Budget::default())
        .map_err(|error| Failure::from(error).in_file(&opened.name))?;
    let options =
        CompileOptions { document_type: Some(header.document_type.clone()), ..CompileOptions::default() };
    let found = writer_options(&interner.finish()?, &options, None);
    let mut lacks = Vec::new();
    if header.rule_text != found.rule {
        lacks.push("its landmark rule");
    }
    if found.dialect != header.dialect {
        lacks.push("its dialect");
    }
    if header.source.is_some() {
        lacks.push("the record of its source");
    }
    if !lacks.is_empty() {
        let (name, lacks) = (&opened.name, lacks.join(" and "));
        console.note(&format!("{name}: the text form does not keep {lacks}"));
    }
    Ok(())
}

/// §2.4 The envelope of the document as text.
fn text_envelope(opened: &Opened) -> Result<Vec<u8>, Failure> {
    let mut digest = Hash(Sha256::new());
    print(opened, &mut digest).map_err(|error| Failure::from(error).in_file(&opened.name))?;
    let envelope = Envelope::new(&opened.view().header().document_type, Encoding::Json)
        .and_then(|envelope| {
            envelope.with_parameter("digest", &format!("sha-256:{}", hex(&digest.0.finalize())))
        })
        .expect("the document type was read from an envelope, and a digest has plain characters only");
    Ok(envelope.to_bytes())
}

fn print(opened: &Opened, out: impl Write) -> Result<(), StreamError> {
    let mut printer = Printer::new(out, JsonStyle::Pretty { indent: 2 }).with_final_newline();
    opened.view().stream(&mut printer, Budget::default())?;
    printer.finish().map(drop).map_err(|error| SinkError::Output(error.to_string()).into())
}
