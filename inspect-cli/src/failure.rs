//! Why a run did not do what was asked, for people and for machines.

use crate::code;
use crate::json::{number, object, text};
use coconut_codec::compile::CompileError;
use coconut_codec::event::SinkError;
use coconut_codec::read::stream::StreamError;
use coconut_codec::text::SourceError;
use coconut_format::Value;
use coconut_format::error::{DecodeError, ErrorKind};
use coconut_format::truncated::Truncated;
use std::fmt::Write as _;
use std::io;
use std::process::ExitCode;

/// How a run ends. The numbers are documented, and agree with those of `diff`, `grep` and `fq` where these have any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// All went well, and the answer is yes.
    Good = 0,
    /// All went well, and the answer is no: nothing found, a file is damaged.
    Negative = 1,
    /// The command line is wrong, or a file cannot be read or written.
    Usage = 2,
    /// A file cannot be decoded.
    Decode = 4,
    /// A limit was hit.
    Limit = 7,
}

impl Exit {
    /// The exit of a document in which something with this code is wrong.
    fn of_document(code: &str) -> Exit {
        match code.starts_with("LIM-") || matches!(code, "SRC-DEPTH" | "SRC-YAML-AHEAD" | "SRC-YAML-EXPAND") {
            true => Exit::Limit,
            false => Exit::Decode,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// What went wrong, and where.
#[derive(Clone, Debug)]
pub(crate) struct Failure(Box<Facts>);

#[derive(Clone, Debug)]
struct Facts {
    exit: Exit,
    /// Stable, for machines: one of the registry `errors.tsv`, or one of [`code`].
    code: String,
    message: String,
    file: Option<String>,
    /// Byte in the file.
    offset: Option<u64>,
    /// JSON pointer in the document.
    path: Option<String>,
    expected: Option<String>,
    found: Option<String>,
    /// Whether the message says both.
    is_said: bool,
    /// What to do about it.
    hint: Option<String>,
    /// Further lines for people, and members for machines: candidates, near keys.
    details: Vec<(&'static str, Vec<Value>)>,
    lines: Vec<String>,
}

impl Failure {
    /// A failure with no place yet.
    pub(crate) fn new(exit: Exit, code: &str, message: impl Into<String>) -> Failure {
        Failure(Box::new(Facts {
            exit,
            code: code.to_owned(),
            message: message.into(),
            file: None,
            offset: None,
            path: None,
            expected: None,
            found: None,
            is_said: false,
            hint: None,
            details: Vec::new(),
            lines: Vec::new(),
        }))
    }

    /// A question that the document answers with no.
    pub(crate) fn negative(code: &str, message: impl Into<String>) -> Failure {
        Failure::new(Exit::Negative, code, message)
    }

    /// A command line that cannot be followed.
    pub(crate) fn usage(message: impl Into<String>) -> Failure {
        Failure::new(Exit::Usage, code::USAGE, message)
    }

    /// How the run ends.
    pub(crate) fn exit(&self) -> Exit {
        self.0.exit
    }

    /// The same failure, in this file.
    #[must_use]
    pub(crate) fn in_file(mut self, name: &str) -> Failure {
        self.0.file.get_or_insert_with(|| name.to_owned());
        self
    }

    /// The same failure, with advice.
    #[must_use]
    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Failure {
        self.0.hint = Some(hint.into());
        self
    }

    /// The same failure, at the value of a JSON pointer.
    #[must_use]
    pub(crate) fn at_path(mut self, pointer: impl Into<String>) -> Failure {
        self.0.path = Some(pointer.into());
        self
    }

    /// The same failure, with both sides of a mismatch.
    #[must_use]
    pub(crate) fn with_sides(mut self, expected: impl Into<String>, found: impl Into<String>) -> Failure {
        self.0.expected = Some(expected.into());
        self.0.found = Some(found.into());
        self
    }

    /// The same failure with a list under it: `values` in JSON, `lines` for people.
    #[must_use]
    pub(crate) fn with_list(mut self, name: &'static str, values: Vec<Value>, lines: Vec<String>) -> Failure {
        self.0.details.push((name, values));
        self.0.lines.extend(lines);
        self
    }

    /// The same failure of a document that has secrets and cannot be read: the code and the place, and none of its text.
    #[must_use]
    pub(crate) fn without_texts(mut self) -> Failure {
        self.0.message = "the text cannot be read; it may hold secrets, and none of it is shown".to_owned();
        (self.0.path, self.0.hint) = (None, None);
        self
    }

    /// The failure as people read it, several lines without the last line end. Nothing is escaped yet but line ends: names of
    /// files and texts of documents must not look like lines of this tool.
    pub(crate) fn to_lines(&self) -> String {
        let flat = |text: &str| text.replace('\n', "\\n");
        let mut out = format!("{}: {}", self.0.code, flat(&self.0.message));
        let cut = |text: &str| flat(&Truncated(text).to_text());
        let mut place = String::new();
        if let Some(file) = &self.0.file {
            let _ = write!(place, "{file}");
        }
        if let Some(offset) = self.0.offset {
            let comma = if place.is_empty() { "" } else { ", " };
            let _ = write!(place, "{comma}byte {offset}");
        }
        if let Some(path) = &self.0.path {
            let comma = if place.is_empty() { "" } else { ", " };
            let _ = write!(place, "{comma}in `{}`", Truncated(path));
        }
        if !place.is_empty() {
            let _ = write!(out, "\n  --> {}", flat(&place));
        }
        if let (Some(expected), Some(found), false) = (&self.0.expected, &self.0.found, self.0.is_said) {
            let _ = write!(out, "\n  expected {}\n  found    {}", cut(expected), cut(found));
        }
        for line in &self.0.lines {
            let _ = write!(out, "\n    {}", cut(line));
        }
        if let Some(hint) = &self.0.hint {
            let _ = write!(out, "\n  = {}", flat(hint));
        }
        out
    }

    /// The failure as machines read it. The schema is `schemas/error.json`.
    pub(crate) fn to_value(&self) -> Value {
        let mut error = vec![
            ("code".to_owned(), text(&self.0.code)),
            ("message".to_owned(), text(&self.0.message)),
            ("exit".to_owned(), number(self.0.exit as u64)),
        ];
        let texts = [
            ("file", &self.0.file),
            ("path", &self.0.path),
            ("expected", &self.0.expected),
            ("found", &self.0.found),
            ("hint", &self.0.hint),
        ];
        for (key, value) in texts {
            error.extend(value.as_ref().map(|value| (key.to_owned(), text(Truncated(value).to_text()))));
        }
        error.extend(self.0.offset.map(|offset| ("offset".to_owned(), number(offset))));
        for (key, values) in &self.0.details {
            error.push(((*key).to_owned(), Value::List(values.iter().map(excerpt_of).collect())));
        }
        object([("format_version", number(1u64)), ("error", Value::Object(error))])
    }
}

/// A value in a list of a failure, with the beginnings of its texts.
fn excerpt_of(value: &Value) -> Value {
    match value {
        Value::String(whole) => text(Truncated(whole).to_text()),
        Value::Object(entries) => {
            Value::Object(entries.iter().map(|(key, value)| (key.clone(), excerpt_of(value))).collect())
        }
        other => other.clone(),
    }
}

impl From<DecodeError> for Failure {
    fn from(error: DecodeError) -> Failure {
        let kind = error.kind();
        let exit = Exit::of_document(kind.code());
        let mut failure = Failure::new(exit, kind.code(), kind.to_string());
        failure.0.offset = Some(error.offset());
        failure.0.path = error.path().map(str::to_owned);
        match kind {
            ErrorKind::Checksum { expected, found } => {
                failure = failure.with_sides(format!("{expected:#010x}"), format!("{found:#010x}"));
            }
            ErrorKind::Length { declared: expected, actual: found }
            | ErrorKind::PartLength { expected, found, .. } => {
                failure = failure.with_sides(format!("{expected} bytes"), format!("{found} bytes"));
            }
            ErrorKind::Short { needed: expected, available: found } => {
                failure = failure.with_sides(format!("{expected} bytes"), format!("{found} bytes"));
            }
            ErrorKind::ShapeArity { expected, found } => {
                failure = failure.with_sides(format!("{expected} values"), format!("{found} values"));
            }
            ErrorKind::Type { expected, found } => failure = failure.with_sides(expected, found),
            _ => {}
        }
        failure.0.is_said = true;
        failure.0.hint = hint(kind).map(str::to_owned);
        failure
    }
}

/// What to do about damage, where it is not part of the message.
fn hint(kind: ErrorKind) -> Option<&'static str> {
    match kind {
        ErrorKind::Checksum { .. } | ErrorKind::Trailer { .. } | ErrorKind::Length { .. } => Some(
            "make the file again from its source; `coco-inspect dump --as wire` shows what can be read of it",
        ),
        ErrorKind::ByteOrderMark => Some("remove the first bytes up to `application/`"),
        ErrorKind::NotAnEnvelope | ErrorKind::NoBlankLine => Some("is this the file that you mean?"),
        _ => None,
    }
}

impl From<StreamError> for Failure {
    fn from(error: StreamError) -> Failure {
        match error {
            StreamError::Decode(error) => error.into(),
            StreamError::Sink(error) => error.into(),
        }
    }
}

impl From<SinkError> for Failure {
    fn from(error: SinkError) -> Failure {
        let exit = match error {
            SinkError::Output(_) => Exit::Usage,
            _ => Exit::of_document(error.code()),
        };
        Failure::new(exit, error.code(), error.to_string())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::new(Exit::Usage, code::OUTPUT, format!("cannot write: {error}"))
    }
}

impl From<SourceError> for Failure {
    fn from(error: SourceError) -> Failure {
        let place = error.at();
        let message = format!("{} at line {}, column {}", error.kind(), place.line, place.column);
        let exit = Exit::of_document(error.code());
        let mut failure = Failure::new(exit, error.code(), message);
        failure.0.offset = Some(place.offset);
        failure.0.path = Some(error.path().to_owned()).filter(|path| !path.is_empty());
        failure.0.hint = error.hint().map(str::to_owned);
        failure
    }
}

impl From<CompileError> for Failure {
    fn from(error: CompileError) -> Failure {
        match error {
            CompileError::Source(error) => error.into(),
            CompileError::Write(error) => match error.code() {
                None => Failure::usage(error.to_string()),
                Some(code) => Failure::new(Exit::Limit, code, error.to_string()),
            },
            CompileError::Unsupported(_) => Failure::new(Exit::Decode, code::SOURCE, error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_of_a_name_or_a_document_is_a_line_of_its_own() {
        let failure = Failure::negative(code::KEY_MISSING, "no `a\nb`")
            .in_file("c\nd")
            .at_path("/e\nf")
            .with_sides("g\nh", "i\nj")
            .with_list("near", Vec::new(), vec!["k\nl".to_owned()])
            .with_hint("m\nn");
        let lines = [
            r"KEY-MISSING: no `a\nb`",
            r"  --> c\nd, in `/e\nf`",
            r"  expected g\nh",
            r"  found    i\nj",
            r"    k\nl",
            r"  = m\nn",
        ];
        assert_eq!(failure.to_lines().lines().collect::<Vec<_>>(), lines);
    }

    #[test]
    fn of_a_long_text_the_beginning_is_shown() {
        let long = "k".repeat(1 << 20);
        let candidate = object([("pointer", text(long.as_str()))]);
        let failure = Failure::negative(code::KEY_AMBIGUOUS, "2 landmarks")
            .at_path(long.as_str())
            .with_sides(long.as_str(), long.as_str())
            .with_list("candidates", vec![candidate, text(long.as_str())], vec![long.clone()]);
        let shown = format!("{}… (1048576 bytes)", "k".repeat(1024));
        let lines = [
            "KEY-AMBIGUOUS: 2 landmarks".to_owned(),
            format!("  --> in `{shown}`"),
            format!("  expected {shown}"),
            format!("  found    {shown}"),
            format!("    {shown}"),
        ];
        assert_eq!(failure.to_lines().lines().collect::<Vec<_>>(), lines);
        let value = failure.to_value();
        let error = value.get("error").expect("it is one");
        for key in ["path", "expected", "found"] {
            assert_eq!(error.get(key).and_then(Value::as_str), Some(&*shown), "{key}");
        }
        let candidates = Value::List(vec![object([("pointer", text(&shown))]), text(&shown)]);
        assert_eq!(error.get("candidates"), Some(&candidates));
    }

    #[test]
    fn too_many_values_are_a_limit() {
        let failure = Failure::from(SinkError::TooMany { what: "values to be measured" });
        assert_eq!((failure.exit(), failure.0.code.as_str()), (Exit::Limit, "LIM-COUNT"));
    }
}
