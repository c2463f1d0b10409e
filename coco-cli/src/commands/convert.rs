//! `coco pack convert`: compiled documents into other profiles and encodings.

use super::build::ProfileName;
use crate::command_line::examples;
use crate::destination::{Content, Destination, WriteOptions};
use crate::document::{Document, Input, TextDigest};
use crate::failure::{Exit, Failure};
use crate::screen::Screen;
use clap::{Args, ValueEnum};
use coconut_codec::Profile;
use coconut_codec::compile::{CompileOptions, writer_options};
use coconut_codec::event::SinkError;
use coconut_codec::read::file::DocumentFile;
use coconut_codec::read::stream::{Budget, StreamError};
use coconut_codec::text::json::{JsonStyle, Printer};
use coconut_codec::write::interner::Interner;
use coconut_codec::write::{Tuning, Writer, WriterOptions};
use coconut_format::ErrorKind;
use coconut_format::envelope::{Encoding, Envelope};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Convert between profiles and encodings
///
/// Writes the same document with another profile, or as text with an envelope. Document type, landmark rule,
/// dialect and the record of the source stay; parts that this version does not know are left out, which is said.
///
/// A document as text holds its type and its values alone. What else the document had is said when the text is written. When that is
/// compiled, where landmarks lie is found in its content, and the text is recorded as its source.
#[derive(Debug, Args)]
#[command(after_long_help = examples(include_str!("../../tests/commands/pack-convert.md")))]
pub(crate) struct Convert {
    /// Compiled documents; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Output file, or folder if it ends in `/`, is one, or there are several documents; `-` is standard output
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// How values are written
    #[arg(long, value_name = "PROFILE", default_value = "full")]
    profile: ProfileName,
    /// What follows the envelope
    #[arg(long, value_name = "ENCODING", default_value = "msgpack", conflicts_with = "profile")]
    encoding: EncodingName,
    #[command(flatten)]
    write: WriteOptions,
}

/// What follows the envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum EncodingName {
    /// The compiled form
    Msgpack,
    /// JSON text with a digest, for people and for channels that cannot carry binary data
    Json,
}

impl Convert {
    pub(crate) fn run(self, screen: &Screen) -> Result<Exit, Failure> {
        let name = |file: &Path| file.file_name().map_or_else(|| file.to_owned(), PathBuf::from);
        let named: Vec<(&Path, PathBuf)> = self.files.iter().map(|file| (&**file, name(file))).collect();
        let keeps_last = self.write.durable && self.encoding == EncodingName::Msgpack;
        let destinations = Destination::of_all(&self.output, &named, keeps_last)?;
        let results = self
            .files
            .iter()
            .zip(&destinations)
            .map(|(file, (to, kept))| self.convert(file, to, kept.as_ref(), screen));
        let failures: Vec<Failure> = results.filter_map(Result::err).collect();
        Ok(screen.report(&failures))
    }

    fn convert(
        &self,
        file: &Path,
        destination: &Destination,
        kept: Option<&Failure>,
        screen: &Screen,
    ) -> Result<(), Failure> {
        let content = match self.encoding {
            EncodingName::Msgpack => Content::Binary,
            EncodingName::Json => Content::Text,
        };
        // Text with an envelope is a Coconut document, so it replaces what a binary one may replace.
        let replaced = if *destination == Destination::Stdout { content } else { Content::Binary };
        destination.check(replaced, self.write)?;
        let document = Input::read(file)?.into_compiled()?;
        let opened = document.open()?;
        refuse_unknown_features(&document, &opened)?;
        let parts = opened.view().parts().map_err(|error| document.undecodable(&error))?;
        for part in parts.iter().filter(|part| part.name == "unknown") {
            let number = part.number;
            screen.note(&format!("{}: part {number} is unknown to this version and left out", document.name));
        }
        match self.encoding {
            EncodingName::Msgpack => {
                destination.write_bytes(content, self.write, kept, &self.compiled(&document, &opened)?)
            }
            EncodingName::Json => {
                note_what_text_lacks(&document, &opened, screen)?;
                // It is printed twice, since the text of a small file can be larger than the memory.
                let envelope = text_envelope(&document, &opened)?;
                destination.write(content, self.write, |out| {
                    let written =
                        out.write_all(&envelope).map_err(|error| SinkError::Output(error.to_string()));
                    let printed = written.map_err(StreamError::from).and_then(|()| print(&opened, out));
                    printed.map_err(|error| Failure::streaming(&document.name, &error))
                })
            }
        }
    }

    /// The document in the profile that was asked for.
    fn compiled(&self, document: &Document, file: &DocumentFile<&[u8]>) -> Result<Vec<u8>, Failure> {
        let length = file.view().bytes().len();
        let mut interner = Interner::new().read_from(length);
        let budget = match self.profile.profile() {
            Profile::Plain => Budget::held(length as u64),
            Profile::Full | Profile::Transport => Budget::default(),
        };
        file.view()
            .stream(&mut interner, budget)
            .map_err(|error| Failure::streaming(&document.name, &error))?;
        // A small file that shares landmarks becomes a large one that has each in its place.
        file.view().check_landmarks().map_err(|error| document.undecodable(&error))?;
        let header = file.header();
        let options = WriterOptions {
            profile: self.profile.profile(),
            rule: header.rule.clone(),
            dialect: header.dialect.clone(),
            source: header.source.clone(),
            tuning: Tuning::default(),
            ..WriterOptions::new(&header.document_type)
        };
        let bytes = Writer::new(options).to_bytes(&interner.finish());
        bytes.map_err(|error| Failure::encoding(&document.name, &error))
    }
}

/// §5.3 What must be understood to write a file anew.
fn refuse_unknown_features(document: &Document, file: &DocumentFile<&[u8]>) -> Result<(), Failure> {
    match &file.header().requires_write[..] {
        [] => Ok(()),
        features => {
            let hint = format!("use a version that knows {}", features.join(", "));
            let payload = file.view().root().offset();
            Err(document.undecodable(&ErrorKind::RequiredFeature.at(payload)).with_hint(hint))
        }
    }
}

/// §2.4 Says what is lost for good: a rule that would not be found in the content, and what the document was made of.
fn note_what_text_lacks(
    document: &Document,
    file: &DocumentFile<&[u8]>,
    screen: &Screen,
) -> Result<(), Failure> {
    if document.was_compiled {
        return Ok(());
    }
    let header = file.header();
    let mut interner = Interner::new().read_from(file.view().bytes().len());
    file.view()
        .stream(&mut interner, Budget::default())
        .map_err(|error| Failure::streaming(&document.name, &error))?;
    let options =
        CompileOptions { document_type: Some(header.document_type.clone()), ..CompileOptions::default() };
    let found = writer_options(&interner.finish(), &options, None);
    let mut lacks = Vec::new();
    if found.rule != header.rule {
        lacks.push("its landmark rule");
    }
    if found.dialect != header.dialect {
        lacks.push("its dialect");
    }
    if header.source.is_some() {
        lacks.push("the record of its source");
    }
    if !lacks.is_empty() {
        let (name, lacks) = (&document.name, lacks.join(" and "));
        screen.note(&format!("{name}: a document as text has no place for {lacks}"));
    }
    Ok(())
}

/// §2.4 The envelope of the document as text.
fn text_envelope(document: &Document, file: &DocumentFile<&[u8]>) -> Result<Vec<u8>, Failure> {
    let mut digest = TextDigest::default();
    print(file, &mut digest).map_err(|error| Failure::streaming(&document.name, &error))?;
    let envelope = Envelope::new(&file.header().document_type, Encoding::Json)
        .and_then(|envelope| envelope.with_parameter("digest", &digest.parameter()))
        .expect("the document type was read from an envelope, and a digest has plain characters only");
    Ok(envelope.to_bytes())
}

fn print(file: &DocumentFile<&[u8]>, out: impl Write) -> Result<(), StreamError> {
    let mut printer = Printer::new(out, JsonStyle::Pretty { indent: 2 }).with_final_newline();
    file.view().stream(&mut printer, Budget::default())?;
    printer.finish().map(drop).map_err(|error| SinkError::Output(error.to_string()).into())
}
