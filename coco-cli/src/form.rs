//! The form of a result: one rule for every command that makes a document.
//!
//! `--as FORM` decides. Otherwise the extension of the name given with `-o` does: [`ENDINGS`] lists
//! the extensions of text forms, and every other name gets the compiled form. Standard output,
//! devices and pipes have no extension, and get JSON if the command can write it.

mod lines;
mod printer;

use crate::destination::{Content, Destination};
use clap::Args;
use clap::builder::TypedValueParser;
use coconut_codec::compile::{CompileOptions, compile_value, writer_options};
use coconut_codec::event::push;
use coconut_codec::write::interner::Interner;
use coconut_codec::write::{Kept, Writer, WriterOptions};
use coconut_format::Value;
use coconut_report::Failure;
use coconut_shell::Console;
use coconut_shell::choice::choice_of;
use coconut_shell::console::visible;
use std::io::Write;
use std::path::Path;

pub(crate) use printer::{Layout, TextPrinter};

/// The form of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// The compiled form.
    Compiled,
    Text(Language),
}

/// The language of a document as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    Json,
    /// JSON Lines: a list of several items has one line for each item.
    Lines,
    Yaml,
}

/// The extensions of text files. A file with any other name is compiled.
pub(crate) const ENDINGS: [(&str, Language); 6] = [
    ("json", Language::Json),
    ("tfstate", Language::Json),
    ("jsonl", Language::Lines),
    ("ndjson", Language::Lines),
    ("yaml", Language::Yaml),
    ("yml", Language::Yaml),
];

/// Extensions of compressed files. Results are not compressed.
const COMPRESSED: [&str; 2] = ["gz", "zst"];

/// The option that decides the form.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct FormOptions {
    /// Form of the result (default: by the ending of its name)
    ///
    /// A name that ends in `.json` or `.tfstate` gets JSON, one in `.jsonl` JSON Lines, one in
    /// `.yaml` YAML, and any other a compiled document. Standard output (`-`) gets JSON.
    #[arg(long = "as", value_name = "FORM", value_parser = forms())]
    pub(crate) form: Option<Form>,
}

/// A command that creates documents, and its possible forms.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Maker {
    /// The words of the command.
    pub(crate) command: &'static str,
    pub(crate) makes: Makes,
}

/// The possible forms of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Makes {
    Every,
    Compiled,
    Text,
}

impl Maker {
    /// A command that can create every form.
    pub(crate) const fn of_every(command: &'static str) -> Maker {
        Maker { command, makes: Makes::Every }
    }

    /// The form of the result at `destination`. Refuses a form that this command cannot create.
    pub(crate) fn form(&self, destination: &Destination, chosen: Option<Form>) -> Result<Form, Failure> {
        let named = match (chosen, destination) {
            (Some(form), _) => form,
            (None, Destination::File(path)) if !destination.is_stream() => named_form(path)?,
            (None, _) if self.makes == Makes::Compiled => Form::Compiled,
            (None, _) => Form::Text(Language::Json),
        };
        let is_possible = match (self.makes, named) {
            (Makes::Every, _) => true,
            (Makes::Compiled, form) => form == Form::Compiled,
            (Makes::Text, form) => form != Form::Compiled,
        };
        if is_possible {
            return Ok(named);
        }
        let possible = match self.makes {
            Makes::Compiled => "compiled documents only",
            Makes::Text | Makes::Every => "JSON, JSON Lines or YAML",
        };
        let (command, found) = (self.command, named.described());
        let failure = match chosen {
            Some(_) => Failure::usage(format!("`{command}` makes {possible}, not {found}")),
            None => {
                let name = destination.name();
                Failure::usage(format!("`{name}` names {found}, and `{command}` makes {possible}"))
            }
        };
        Err(failure.with_hint(match self.makes {
            Makes::Compiled => "end the name in `.coco`; `coco pack unpack` makes text of a compiled document",
            Makes::Text | Makes::Every => {
                "end the name in `.json`, `.jsonl` or `.yaml`, or choose with `--as`; `coco pack repack` makes \
                 compiled documents"
            }
        }))
    }
}

/// The form for the extension of a name.
fn named_form(path: &Path) -> Result<Form, Failure> {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    if COMPRESSED.iter().any(|other| ending.eq_ignore_ascii_case(other)) {
        let message = format!("`{}` names a compressed file, and results are not compressed", path.display());
        return Err(Failure::usage(message).with_hint("omit that ending, and compress the file later"));
    }
    let language = ENDINGS.iter().find(|(other, _)| ending.eq_ignore_ascii_case(other));
    Ok(language.map_or(Form::Compiled, |&(_, language)| Form::Text(language)))
}

impl Language {
    /// The extension of file names in this language.
    pub(crate) fn ending(self) -> &'static str {
        match self {
            Language::Json => "json",
            Language::Lines => "jsonl",
            Language::Yaml => "yaml",
        }
    }

    /// Whether the extension of the name belongs to this language.
    pub(crate) fn is_named_by(self, path: &Path) -> bool {
        named_form(path).is_ok_and(|form| form == Form::Text(self))
    }
}

impl Form {
    /// The kind of content, which decides which files it may replace and how a terminal shows it.
    pub(crate) fn content(self) -> Content {
        match self {
            Form::Compiled => Content::Binary,
            Form::Text(_) => Content::Text,
        }
    }

    fn described(self) -> &'static str {
        match self {
            Form::Compiled => "a compiled document",
            Form::Text(Language::Json) => "JSON",
            Form::Text(Language::Lines) => "JSON Lines",
            Form::Text(Language::Yaml) => "YAML",
        }
    }

    /// A value in this form. Its compiled form records no source, because it was not made from a
    /// text.
    ///
    /// `options` are those of the compiled form, and `layout` is that of text.
    pub(crate) fn of_value(
        self,
        value: &Value,
        layout: Layout,
        options: &CompileOptions,
    ) -> Result<Vec<u8>, Failure> {
        match self {
            Form::Compiled => {
                let compiled = compile_value(value, options);
                Ok(compiled.map_err(|error| Failure::compiling("the result", b"", &error, false))?.bytes)
            }
            Form::Text(language) => {
                let several = matches!(value, Value::List(items) if items.len() > 1);
                // A single document would be read as that document, and an empty one as null.
                let layout = Layout { is_stream: layout.is_stream && several, ..layout };
                let mut text = Vec::new();
                language.print(&mut text, layout, |printer| push(value, printer).map_err(Failure::from))?;
                Ok(text)
            }
        }
    }
}

/// §5.14 The compiled form of a document made from a file, with what the file has that this version
/// does not know. The options are those of [`Form::of_value`].
pub(crate) fn rewritten(value: &Value, options: &CompileOptions, kept: Kept) -> Result<Vec<u8>, Failure> {
    let mut interner = Interner::new();
    push(value, &mut interner)?;
    let document = interner.finish()?;
    let options = WriterOptions { kept, ..writer_options(&document, options, None) };
    Writer::new(options).to_bytes(&document).map_err(|error| Failure::from(&error))
}

/// Reports the content of a file that this version does not know and does not keep: parts to be
/// dropped on rewriting, and header keys if the document has changed.
pub(crate) fn note_dropped(name: &str, kept: &Kept, is_same: bool, console: &mut Console) {
    for part in kept.dropped_parts() {
        console.note(&format!("{name}: part {part} is unknown to this version and left out, as it requests"));
    }
    for key in kept.keys().filter(|_| !is_same) {
        console.note(&format!(
            "{name}: the header key `{}` is unknown to this version and left out",
            visible(key)
        ));
    }
}

impl Language {
    /// Prints the document pushed by `push`.
    pub(crate) fn print<W: Write, E: From<coconut_codec::event::SinkError>>(
        self,
        out: W,
        layout: Layout,
        push: impl FnOnce(&mut TextPrinter<W>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut printer = TextPrinter::new(out, self, layout);
        push(&mut printer)?;
        Ok(printer.finish()?)
    }
}

fn forms() -> impl TypedValueParser<Value = Form> {
    choice_of(&[
        (Form::Compiled, "compiled", ""),
        (Form::Text(Language::Json), "json", ""),
        (Form::Text(Language::Lines), "jsonl", ""),
        (Form::Text(Language::Yaml), "yaml", ""),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use coconut_shell::folders::SOURCES;
    use std::path::PathBuf;

    #[test]
    fn every_ending_of_a_source_is_that_of_a_form() {
        for ending in SOURCES {
            assert!(ENDINGS.iter().any(|(known, _)| known == ending), "{ending}");
        }
        assert_eq!(ENDINGS.len(), SOURCES.len());
    }

    #[test]
    fn endings_have_any_case() {
        let form = |name: &str| named_form(Path::new(name)).unwrap();
        assert_eq!(form("A.JSON"), Form::Text(Language::Json));
        assert_eq!(form("a.Yml"), Form::Text(Language::Yaml));
        assert_eq!(form("json"), Form::Compiled);
        assert_eq!(form(".json"), Form::Compiled);
    }

    #[test]
    fn an_option_decides_against_the_name() {
        let to = Destination::File(PathBuf::from("a.yaml"));
        let every = Maker::of_every("coco patch");
        assert_eq!(every.form(&to, None).unwrap(), Form::Text(Language::Yaml));
        assert_eq!(every.form(&to, Some(Form::Compiled)).unwrap(), Form::Compiled);
        assert_eq!(every.form(&Destination::Stdout, None).unwrap(), Form::Text(Language::Json));
    }
}
