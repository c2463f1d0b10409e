//! `coco pack unpack`: converts compiled documents back into source text.

use super::build::FormatName;
use crate::destination::{Content, Destination, WriteOptions};
use clap::Args;
use coco_inspect::open::{Opened, open_document};
use coco_inspect::{Console, Exit, Failure, code};
use coconut_codec::compile::source_name;
use coconut_codec::event::SinkError;
use coconut_codec::read::file::DocumentView;
use coconut_codec::read::stream::{Budget, StreamError};
use coconut_codec::text::json::{self, JsonStyle};
use coconut_codec::text::{SourceFormat, yaml};
use sha2::{Digest, Sha256};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Convert compiled documents back to JSON or YAML
///
/// Prints exactly the value that was compiled. White space, comments and the spelling of numbers
/// are not kept in compiled documents. Packages are printed like those of the compilers of 2017,
/// with four blanks and a line end; everything else with two blanks. --original finds the layout of
/// the source, and fails if it cannot be reproduced.
///
/// Objects of Kubernetes that were several documents of YAML are that again. All other documents
/// of a source are a list in YAML, as they are in JSON.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../tests/commands/pack-unpack.md"))]
pub(crate) struct Unpack {
    /// Compiled documents; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Output file, or folder if it ends in `/`, is one, or there are several documents (default:
    /// standard output)
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Language of the text (default: YAML if OUT ends in `.yaml` or `.yml`, else JSON)
    #[arg(long = "as", value_name = "LANGUAGE", conflicts_with = "LayoutOptions")]
    language: Option<FormatName>,
    #[command(flatten)]
    layout: LayoutOptions,
    #[command(flatten)]
    write: WriteOptions,
}

/// Options for the white space of the text.
#[derive(Clone, Copy, Debug, Args)]
#[group(multiple = false)]
struct LayoutOptions {
    /// Blanks per level
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=16))]
    indent: Option<u8>,
    /// No white space at all
    #[arg(long)]
    compact: bool,
    /// The text of the source, byte for byte, proved by its digest in the document
    #[arg(long)]
    original: bool,
}

/// The layout of a document as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TextLayout {
    Json { style: JsonStyle, final_newline: bool },
    Yaml { is_stream: bool },
}

impl Unpack {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        let results = self.files.iter().zip(self.destinations()?);
        let results = results.map(|(file, destination)| self.unpack(file, &destination, console));
        let failures: Vec<Failure> = results.filter_map(Result::err).collect();
        Ok(console.report(&failures))
    }

    fn unpack(&self, file: &Path, destination: &Destination, console: &mut Console) -> Result<(), Failure> {
        destination.check(Content::Text, self.write)?;
        let opened = open_document(file, console.reveal)?;
        let layout = self.layout(&opened)?;
        destination.write(Content::Text, self.write, |out| {
            stream(opened.view(), layout, out).map_err(|error| Failure::from(error).in_file(&opened.name))
        })?;
        if let Destination::File(path) = destination {
            console.note(&format!("{} -> {}", opened.name, path.display()));
        }
        Ok(())
    }

    fn destinations(&self) -> Result<Vec<Destination>, Failure> {
        let Some(output) = &self.output else { return Ok(vec![Destination::Stdout; self.files.len()]) };
        let format = self.format();
        let named = self.files.iter().map(|file| (&**file, source_name(file, format)));
        let destinations = Destination::of_all(output, &named.collect::<Vec<_>>(), false)?;
        Ok(destinations.into_iter().map(|(destination, _)| destination).collect())
    }

    /// The language that is requested, or else that of the name of the output. Layouts are of JSON.
    fn format(&self) -> SourceFormat {
        let LayoutOptions { indent, compact, original } = self.layout;
        let extension = self.output.as_deref().and_then(Path::extension);
        let is_yaml = extension.is_some_and(|extension| extension == "yaml" || extension == "yml");
        match self.language {
            Some(language) => language.format(),
            None if is_yaml && indent.is_none() && !compact && !original => SourceFormat::Yaml,
            None => SourceFormat::Json,
        }
    }

    fn layout(&self, opened: &Opened) -> Result<TextLayout, Failure> {
        let LayoutOptions { indent, compact, original } = self.layout;
        if self.format() == SourceFormat::Yaml {
            return Ok(TextLayout::Yaml { is_stream: opened.is_stream() });
        }
        if original {
            return original_layout(&opened.name, opened.view());
        }
        let is_package = opened.view().header().document_type == "cocopack";
        let style = match indent {
            _ if compact => JsonStyle::Minified,
            Some(indent) => JsonStyle::Pretty { indent },
            None => JsonStyle::Pretty { indent: if is_package { 4 } else { 2 } },
        };
        Ok(TextLayout::Json { style, final_newline: !compact })
    }
}

/// Prints the whole document.
fn stream(view: DocumentView<'_>, layout: TextLayout, out: impl Write) -> Result<(), StreamError> {
    let finished = match layout {
        TextLayout::Json { style, final_newline } => {
            let printer = json::Printer::new(out, style);
            let mut printer = if final_newline { printer.with_final_newline() } else { printer };
            view.stream(&mut printer, Budget::default())?;
            printer.finish().map(drop)
        }
        TextLayout::Yaml { is_stream } => {
            let mut printer = match is_stream {
                true => yaml::YamlPrinter::of_stream(out),
                false => yaml::YamlPrinter::new(out),
            };
            view.stream(&mut printer, Budget::default())?;
            printer.finish().map(drop)
        }
    };
    finished.map_err(|error| SinkError::Output(error.to_string()).into())
}

/// The layout whose text has the digest of the source. Tries the usual layouts of programs.
fn original_layout(name: &str, view: DocumentView<'_>) -> Result<TextLayout, Failure> {
    let failed = |message: &str| Err(Failure::negative(code::NO_ORIGINAL, message).in_file(name));
    let Some(source) = &view.header().source else {
        return failed("the document does not say what it was made from");
    };
    if source.format != "json" {
        return failed("the source was YAML, whose comments and styles are not kept");
    }
    let styles = [2, 4, 1, 3, 8].map(|indent| JsonStyle::Pretty { indent });
    for style in std::iter::once(JsonStyle::Minified).chain(styles) {
        for final_newline in [true, false] {
            let layout = TextLayout::Json { style, final_newline };
            let mut hash = Hash(Sha256::new());
            stream(view, layout, &mut hash).map_err(|error| Failure::from(error).in_file(name))?;
            if <[u8; 32]>::from(hash.0.finalize()) == source.sha_256 {
                return Ok(layout);
            }
        }
    }
    failed("the source had a layout or a spelling that is not kept")
}

/// The SHA-256 of the written bytes.
pub(super) struct Hash(pub(super) Sha256);

impl Write for Hash {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
