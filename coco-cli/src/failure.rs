//! Why a command failed, as a message, as JSON, and as an exit code.

use crate::screen::on_one_line;
use coconut_codec::cache::CacheFault;
use coconut_codec::compile::CompileError;
use coconut_codec::durable::{self, DurableError};
use coconut_codec::event::SinkError;
use coconut_codec::loader::{LoadError, LoadErrorKind};
use coconut_codec::read::stream::StreamError;
use coconut_codec::text::{Position, SourceError, SourceFormat};
use coconut_codec::write::WriteError;
use coconut_format::envelope::EnvelopeView;
use coconut_format::truncated::Truncated;
use coconut_format::{DecodeError, ErrorKind};
use serde::Serialize;
use std::io;
use std::path::Path;
use std::process::ExitCode;

/// How a command ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Also when the reader of standard output went away: nobody is there to be told.
    Good,
    /// Not found, ambiguous, out of date.
    Negative,
    /// Wrong usage, or a file that cannot be read or written.
    Usage,
    /// A source or a compiled document that is not well formed.
    Undecodable,
    /// A limit of depth, size or count.
    Limit,
}

impl Exit {
    pub(crate) fn number(self) -> u8 {
        match self {
            Exit::Good => 0,
            Exit::Negative => 1,
            Exit::Usage => 2,
            Exit::Undecodable => 4,
            Exit::Limit => 7,
        }
    }

    pub(crate) fn code(self) -> ExitCode {
        ExitCode::from(self.number())
    }

    /// The exit of a document in which something with this code is wrong.
    fn of_document(code: &str) -> Exit {
        match code.starts_with("LIM-") || matches!(code, "SRC-DEPTH" | "SRC-YAML-AHEAD" | "SRC-YAML-EXPAND") {
            true => Exit::Limit,
            false => Exit::Undecodable,
        }
    }
}

/// Codes of what is wrong outside of documents, those that `coco-inspect` has, too, from the format crate. `coco explain` knows them
/// like all others.
pub(crate) mod code {
    pub(crate) use coconut_format::code::{
        FILE_READ, FILE_WRITE, KEY_AMBIGUOUS, KEY_MISSING, OUTPUT, PATH_MISSING, SOURCE, USAGE,
    };

    /// Something is in the way that would be lost.
    pub(crate) const FILE_EXISTS: &str = "FILE-EXISTS";
    /// Binary output would go to a terminal.
    pub(crate) const TERMINAL: &str = "TERMINAL";
    /// No error and no rule has the code.
    pub(crate) const CODE_MISSING: &str = "CODE-MISSING";
    /// An output is missing, or not byte for byte what its source makes.
    pub(crate) const STALE: &str = "STALE";
    /// The original text cannot be made from the document.
    pub(crate) const NO_ORIGINAL: &str = "NO-ORIGINAL";
    /// Those of this tool alone.
    #[cfg(test)]
    pub(crate) const OWN: &[&str] = &[FILE_EXISTS, TERMINAL, CODE_MISSING, STALE, NO_ORIGINAL];
}

/// Why something was not done.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Failure {
    code: &'static str,
    message: String,
    #[serde(serialize_with = "exit_number")]
    exit: Exit,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", flatten)]
    place: Option<Box<Place>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

/// Where in a file something is wrong.
#[derive(Clone, Debug, Serialize)]
struct Place {
    /// Byte of the file, from 0.
    offset: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    /// JSON pointer of the value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pointer: Option<String>,
    /// The message with the lines of the source, for people.
    #[serde(skip)]
    rendering: Option<String>,
}

fn exit_number<S: serde::Serializer>(exit: &Exit, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u8(exit.number())
}

impl Failure {
    fn new(exit: Exit, code: &'static str, message: impl Into<String>) -> Failure {
        Failure { code, message: message.into(), exit, file: None, place: None, hint: None }
    }

    /// The command line asks for what cannot be.
    pub(crate) fn usage(message: impl Into<String>) -> Failure {
        Failure::new(Exit::Usage, code::USAGE, message)
    }

    /// The answer is no.
    pub(crate) fn negative(code: &'static str, message: impl Into<String>) -> Failure {
        Failure::new(Exit::Negative, code, message)
    }

    /// Something stands in the way that must not be lost, or binary would go to a terminal.
    pub(crate) fn refused(code: &'static str, message: impl Into<String>) -> Failure {
        Failure::new(Exit::Usage, code, message)
    }

    /// A document that is not what it says.
    pub(crate) fn undecodable(code: &'static str, message: impl Into<String>) -> Failure {
        Failure::new(Exit::Undecodable, code, message)
    }

    pub(crate) fn reading(path: &Path, error: &io::Error) -> Failure {
        Failure::new(Exit::Usage, code::FILE_READ, format!("cannot read: {error}"))
            .in_file(&path.to_string_lossy())
    }

    pub(crate) fn writing(path: &Path, error: &io::Error) -> Failure {
        Failure::new(Exit::Usage, code::FILE_WRITE, format!("cannot write: {error}"))
            .in_file(&path.to_string_lossy())
    }

    /// Why the snapshot `file` was not written.
    pub(crate) fn snapshot(file: &str, error: &DurableError) -> Failure {
        let failure = match error {
            DurableError::Damaged(error) => return Failure::decoding(file, error),
            DurableError::Io { operation, path, error } => {
                let failure =
                    Failure::new(Exit::Usage, DurableError::IO, format!("cannot {operation}: {error}"));
                // Where the last good document is kept may be something in the way.
                if *path == durable::backup_of(Path::new(file)) {
                    let hint = "the last good document is kept under this name: move away what has it";
                    return failure.in_file(&path.to_string_lossy()).with_hint(hint);
                }
                failure
            }
            refused => Failure::refused(refused.code(), refused.to_string())
                .with_hint("name another file with -o, or use --force"),
        };
        failure.in_file(file)
    }

    /// Standard output does not take what is printed. A reader who went away wants no message.
    pub(crate) fn printing(error: &io::Error) -> Failure {
        let failure = Failure::new(Exit::Usage, code::OUTPUT, format!("cannot write: {error}"))
            .in_file("standard output");
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure { exit: Exit::Good, ..failure },
            _ => failure,
        }
    }

    /// What is wrong with the bytes of `file`.
    pub(crate) fn decoding(file: &str, error: &DecodeError) -> Failure {
        let kind = error.kind();
        let mut failure = Failure::new(Exit::of_document(kind.code()), kind.code(), kind.to_string());
        let pointer = error.path().map(|path| Truncated(path).to_string());
        let offset = error.offset();
        failure.place = Some(Box::new(Place { offset, line: None, column: None, pointer, rendering: None }));
        failure.hint = match kind {
            ErrorKind::ByteOrderMark => Some("remove the first bytes up to `application/`".to_owned()),
            _ => None,
        };
        failure.in_file(file)
    }

    /// What is wrong with `text`, the source that is called `file`.
    pub(crate) fn compiling(file: &str, text: &[u8], error: &CompileError) -> Failure {
        match error {
            CompileError::Source(error) => Failure::source(file, text, error),
            CompileError::Write(error) => Failure::encoding(file, error),
            CompileError::Unsupported(_) => {
                Failure::undecodable(code::SOURCE, error.to_string()).in_file(file)
            }
        }
    }

    fn source(file: &str, text: &[u8], error: &SourceError) -> Failure {
        let Position { offset, line, column } = error.at();
        let place = Place {
            offset,
            line: Some(line),
            column: Some(column),
            pointer: Some(Truncated(error.path()).to_string()),
            rendering: Some(error.render(file, text)),
        };
        Failure {
            place: Some(Box::new(place)),
            hint: error.hint().map(str::to_owned),
            ..Failure::new(Exit::of_document(error.code()), error.code(), error.kind().to_string())
        }
        .in_file(file)
    }

    /// Why the document of `file` cannot be written.
    pub(crate) fn encoding(file: &str, error: &WriteError) -> Failure {
        let failure = match error.code() {
            None => Failure::usage(error.to_string()),
            Some(code) => Failure::new(Exit::Limit, code, error.to_string()),
        };
        failure.in_file(file)
    }

    /// Why the document of `file` could not be read to its end.
    pub(crate) fn streaming(file: &str, error: &StreamError) -> Failure {
        match error {
            StreamError::Decode(error) => Failure::decoding(file, error),
            StreamError::Sink(error) => {
                let exit = match error {
                    SinkError::Output(_) => Exit::Usage,
                    _ => Exit::of_document(error.code()),
                };
                Failure::new(exit, error.code(), error.to_string()).in_file(file)
            }
        }
    }

    /// Why the package or source `name` could not be loaded.
    pub(crate) fn loading(name: &str, error: &LoadError) -> Failure {
        // A file is called what the command line calls it.
        let shown = |path: &Path| match std::path::absolute(name) {
            Ok(named) if named == path => name.to_owned(),
            _ => path.to_string_lossy().into_owned(),
        };
        let failure = match &*error.kind {
            LoadErrorKind::Source { path, text, error } => {
                let file = shown(path);
                match EnvelopeView::recognise_no_text(text, SourceFormat::of_name(&file).is_some()) {
                    Some(error) => Failure::decoding(&file, &error),
                    None => Failure::compiling(&file, text, error),
                }
            }
            LoadErrorKind::Decode { path, error } => Failure::decoding(&shown(path), error),
            kind @ LoadErrorKind::Read(_) => Failure::new(Exit::Usage, kind.code(), kind.to_string()),
            kind @ LoadErrorKind::WrongPackage { .. } => {
                Failure::undecodable(kind.code(), kind.to_string()).in_file(name)
            }
            kind @ LoadErrorKind::NotFound { near, .. } if near.is_empty() && Path::new(name).is_dir() => {
                Failure::negative(kind.code(), kind.to_string()).in_file(name).with_hint(
                    "there is a folder of this name: name a file in it, or its parent with --workspace",
                )
            }
            kind => Failure::negative(kind.code(), kind.to_string()).in_file(name),
        };
        let reasons: Vec<String> = error.fallbacks.iter().map(ToString::to_string).collect();
        match reasons.is_empty() {
            true => failure,
            false => failure.with_hint(format!("before that: {}", reasons.join("; "))),
        }
    }

    /// Why the cache could not be used, for a command that is about nothing else.
    pub(crate) fn cache(fault: &CacheFault) -> Failure {
        Failure::new(Exit::Usage, fault.code(), fault.to_string())
    }

    pub(crate) fn in_file(mut self, file: &str) -> Failure {
        self.file = Some(file.to_owned());
        self
    }

    /// With advice: an imperative without a full stop.
    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Failure {
        self.hint = Some(hint.into());
        self
    }

    /// The same as the answer to whether the document is whole, and not as an obstacle. A limit is none: it does not say
    /// whether something is wrong.
    pub(crate) fn into_answer(mut self) -> Failure {
        if self.exit == Exit::Undecodable {
            self.exit = Exit::Negative;
        }
        self
    }

    pub(crate) fn exit(&self) -> Exit {
        self.exit
    }

    pub(crate) fn code(&self) -> &'static str {
        self.code
    }

    /// The message without its code, several lines where there is a place to show. Not yet safe to print.
    pub(crate) fn text(&self) -> String {
        if let Some(rendering) = self.place.as_ref().and_then(|place| place.rendering.as_deref()) {
            let after_code = rendering.strip_prefix(self.code).and_then(|rest| rest.strip_prefix(": "));
            return after_code.unwrap_or(rendering).trim_end().to_owned();
        }
        let mut text = self.message.clone();
        if let Some(file) = &self.file {
            text.push_str(&format!("\n --> {}", on_one_line(file)));
        }
        if let Some(Place { offset, pointer, .. }) = self.place.as_deref() {
            text.push_str(&format!(", byte {offset}"));
            if let Some(pointer) = pointer.as_deref().filter(|pointer| !pointer.is_empty()) {
                text.push_str(&format!(", in {pointer}"));
            }
        }
        if let Some(hint) = &self.hint {
            text.push_str(&format!("\n  = {hint}"));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coconut_codec::compile::{CompileOptions, compile};

    #[test]
    fn what_a_receiver_refuses_has_the_code_and_the_exit_that_the_other_tool_gives_it() {
        let cases = [
            (SinkError::DuplicateKey { first: 0, second: 1 }, "SINK", Exit::Undecodable),
            (SinkError::NonFinite, "SINK", Exit::Undecodable),
            (SinkError::Depth { limit: 1 }, "LIM-DEPTH", Exit::Limit),
            (SinkError::StringLength { length: 2, limit: 1 }, "LIM-STRING", Exit::Limit),
            (SinkError::TooMany { what: "values" }, "LIM-COUNT", Exit::Limit),
            (SinkError::Output("full".to_owned()), "OUTPUT", Exit::Usage),
        ];
        for (error, code, exit) in cases {
            let failure = Failure::streaming("a.coco", &StreamError::Sink(error));
            assert_eq!((failure.code(), failure.exit()), (code, exit));
        }
        let refused = CompileError::Unsupported(SourceFormat::Yaml);
        let failure = Failure::compiling("a.yaml", b"", &refused);
        assert_eq!((failure.code(), failure.exit()), ("SOURCE", Exit::Undecodable));
    }

    #[test]
    fn of_a_long_path_the_beginning_is_shown() {
        let long = "k".repeat(1 << 20);
        let shown = format!("/{}… (1048577 bytes)", "k".repeat(1023));
        let text = format!(r#"{{"{long}":[1 2]}}"#);
        let source = compile(text.as_bytes(), &CompileOptions::default()).expect_err("a comma is missing");
        let failures = [
            Failure::decoding("a.coco", &ErrorKind::Utf8.at(7).below(&format!("/{long}"))),
            Failure::compiling("a.json", text.as_bytes(), &source),
        ];
        for failure in failures {
            assert!(failure.text().contains(&format!(", in {shown}\n")) || failure.text().ends_with(&shown));
            assert!(failure.text().len() < 2000, "{} bytes", failure.text().len());
            let json = serde_json::to_value(&failure).expect("it is JSON");
            assert_eq!(json.get("pointer").and_then(|pointer| pointer.as_str()), Some(&*shown));
        }
    }
}
