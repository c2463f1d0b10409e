//! `coco pack unpack`: converts compiled documents back into source text.

use crate::destination::{Content, Destination, WriteOptions};
use crate::form::{Form, FormOptions, Language, Layout, Maker, Makes};
use clap::Args;
use coconut_codec::compile::source_name;
use coconut_codec::read::file::DocumentView;
use coconut_codec::read::stream::{Budget, StreamError};
use coconut_codec::text::SourceFormat;
use coconut_codec::text::json::JsonStyle;
use coconut_report::{Exit, Failure, code};
use coconut_shell::Console;
use coconut_shell::open::{Opened, open_document};
use sha2::{Digest, Sha256};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Convert compiled documents back to JSON or YAML
///
/// Prints exactly the value that was compiled. Compiled documents do not keep whitespace, comments
/// and the spelling of numbers. Packages are indented by four spaces, as the compilers of Coconut
/// 2017 do, and everything else by two. --original finds the layout of the source, and fails if the
/// source cannot be reproduced.
///
/// Kubernetes objects that were several YAML documents become several documents again. Any other
/// source with several documents becomes a list, in YAML as in JSON.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../tests/help/pack-unpack.trycmd"))]
pub(crate) struct Unpack {
    /// Compiled documents; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Output file or folder (default: standard output)
    ///
    /// It is a folder if it ends in `/`, if such a folder exists, or if there are several
    /// documents.
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    #[command(flatten)]
    form: FormOptions,
    #[command(flatten)]
    layout: LayoutOptions,
    #[command(flatten)]
    write: WriteOptions,
}

/// Options for the white space of JSON.
#[derive(Clone, Copy, Debug, Args)]
#[group(multiple = false)]
struct LayoutOptions {
    /// Spaces per level
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=16))]
    indent: Option<u8>,
    /// Print JSON without whitespace
    #[arg(long)]
    compact: bool,
    /// Reproduce the source, byte for byte
    ///
    /// The digest of the source in the document proves that the text is equal.
    #[arg(long)]
    original: bool,
}

impl Unpack {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        let results = self.files.iter().zip(self.destinations()?);
        let results =
            results.map(|(file, (destination, language))| self.unpack(file, &destination, language, console));
        let failures: Vec<Failure> = results.filter_map(Result::err).collect();
        Ok(console.report(&failures))
    }

    fn unpack(
        &self,
        file: &Path,
        destination: &Destination,
        language: Language,
        console: &mut Console,
    ) -> Result<(), Failure> {
        destination.check(Content::Text, self.write)?;
        let opened = open_document(file, console.reveal)?;
        let layout = self.layout(&opened)?;
        destination.write(Content::Text, self.write, |out| {
            stream(opened.view(), language, layout, out)
                .map_err(|error| Failure::from(error).in_file(&opened.name))
        })?;
        if let Destination::File(path) = destination {
            console.note(&format!("{} -> {}", opened.name, path.display()));
        }
        Ok(())
    }

    /// The destination of each document, and the language there.
    fn destinations(&self) -> Result<Vec<(Destination, Language)>, Failure> {
        let maker = Maker { command: "coco pack unpack", makes: Makes::Text };
        let language = |destination: Destination| match maker.form(&destination, self.form.form)? {
            Form::Text(language) if language != Language::Json && self.layout.is_some() => {
                let message = "--indent, --compact and --original are layouts of JSON";
                Err(Failure::usage(message).with_hint("end the name in `.json`, or use `--as json`"))
            }
            Form::Text(language) => Ok((destination, language)),
            Form::Compiled => unreachable!("it was refused"),
        };
        let Some(output) = &self.output else {
            return self.files.iter().map(|_| language(Destination::Stdout)).collect();
        };
        let named = self.files.iter().map(|file| (&**file, self.name_of(file)));
        let destinations = Destination::of_all(output, &named.collect::<Vec<_>>(), false)?;
        destinations.into_iter().map(|(destination, _)| language(destination)).collect()
    }

    /// The name of the text in a folder: that of its source, with an extension of the language.
    fn name_of(&self, file: &Path) -> PathBuf {
        let language = match self.form.form {
            Some(Form::Text(language)) => Some(language),
            // Its name is already that of a JSON file.
            _ if self.layout.is_some() => Some(Language::Json),
            _ => None,
        };
        let format = if language == Some(Language::Yaml) { SourceFormat::Yaml } else { SourceFormat::Json };
        let name = source_name(file, format);
        match language {
            Some(language) if !language.is_named_by(&name) => name.with_extension(language.ending()),
            _ => name,
        }
    }

    fn layout(&self, opened: &Opened) -> Result<Layout, Failure> {
        let LayoutOptions { indent, compact, original } = self.layout;
        if original {
            return original_layout(&opened.name, opened.view());
        }
        let is_package = opened.view().header().document_type == "cocopack";
        let style = match indent {
            _ if compact => JsonStyle::Minified,
            Some(indent) => JsonStyle::Pretty { indent },
            None => JsonStyle::Pretty { indent: if is_package { 4 } else { 2 } },
        };
        Ok(Layout { style, final_newline: !compact, is_stream: opened.is_stream() })
    }
}

impl LayoutOptions {
    fn is_some(self) -> bool {
        self.indent.is_some() || self.compact || self.original
    }
}

/// Prints the whole document.
fn stream(
    view: DocumentView<'_>,
    language: Language,
    layout: Layout,
    out: impl Write,
) -> Result<(), StreamError> {
    language.print(out, layout, |printer| view.stream(printer, Budget::default()))
}

/// The layout whose text has the digest of the source. Tries the usual layouts of programs.
fn original_layout(name: &str, view: DocumentView<'_>) -> Result<Layout, Failure> {
    let failed = |message: &str| Err(Failure::negative(code::NO_ORIGINAL, message).in_file(name));
    let Some(source) = &view.header().source else {
        return failed("the document does not record its source");
    };
    if source.format != "json" {
        return failed("the source was YAML, whose comments and styles are not kept");
    }
    let styles = [2, 4, 1, 3, 8].map(|indent| JsonStyle::Pretty { indent });
    for style in std::iter::once(JsonStyle::Minified).chain(styles) {
        for final_newline in [true, false] {
            let layout = Layout { style, final_newline, is_stream: false };
            let mut hash = Hash(Sha256::new());
            stream(view, Language::Json, layout, &mut hash)
                .map_err(|error| Failure::from(error).in_file(name))?;
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
