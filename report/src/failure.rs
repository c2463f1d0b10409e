//! Failures of a run, for people and for machines.

use crate::code;
use crate::json::{FORMAT_VERSION, number, object, text};
use crate::safe::visible;
use coconut_codec::compile::CompileError;
use coconut_codec::event::SinkError;
use coconut_codec::read::integrity::is_sum_of_zeros;
use coconut_codec::read::stream::StreamError;
use coconut_codec::secrets::names_secrets;
use coconut_codec::text::SourceError;
use coconut_codec::write::WriteError;
use coconut_format::Value;
use coconut_format::error::{DecodeError, ErrorKind};
use coconut_format::truncated::Truncated;
use std::fmt::{self, Write as _};
use std::io;
use std::path::Path;

/// The exit codes. They are documented, and agree with those of `diff`, `grep` and `fq` where these
/// define any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Success, and the answer is yes. Also used if the reader has closed the output.
    Good = 0,
    /// Success, and the answer is no: nothing found, or a file is damaged.
    Negative = 1,
    /// The command line is wrong, or a file cannot be read or written.
    Usage = 2,
    /// A filter cannot be compiled.
    Compile = 3,
    /// A file cannot be decoded.
    Decode = 4,
    /// A filter failed on the values it received.
    Run = 5,
    /// A limit was reached.
    Limit = 7,
}

impl Exit {
    /// The exit code of a process of this tool.
    pub fn of_number(number: i32) -> Option<Exit> {
        let all =
            [Exit::Good, Exit::Negative, Exit::Usage, Exit::Compile, Exit::Decode, Exit::Run, Exit::Limit];
        all.into_iter().find(|exit| i32::from(*exit as u8) == number)
    }

    /// The exit code for a document with an error of this code.
    pub(crate) fn of_document(code: &str) -> Exit {
        match code.starts_with("LIM-") || matches!(code, "SRC-DEPTH" | "SRC-YAML-AHEAD" | "SRC-YAML-EXPAND") {
            true => Exit::Limit,
            false => Exit::Decode,
        }
    }
}

/// The fault and its place.
#[derive(Clone, Debug)]
pub struct Failure(Box<Facts>);

#[derive(Clone, Debug)]
struct Facts {
    exit: Exit,
    /// The stable code for machines: one of the registry `errors.tsv`, or of [`code`].
    code: &'static str,
    message: String,
    file: Option<String>,
    /// Byte offset in the file.
    offset: Option<u64>,
    /// Line and column in a source.
    position: Option<(u32, u32)>,
    /// JSON pointer in the document.
    pointer: Option<String>,
    expected: Option<String>,
    found: Option<String>,
    /// Whether the message includes both sides.
    is_said: bool,
    /// Advice.
    hint: Option<String>,
    /// Lists for machines: candidates, similar keys.
    lists: Vec<(&'static str, Vec<Value>)>,
    /// The same lists for people.
    lines: Vec<String>,
    /// The message with the lines of the source, for people, safe to print.
    rendering: Option<String>,
}

/// The advice for a text beyond a limit.
pub const TOO_LARGE: &str =
    "text may expand to 64 MiB and 128 times the bytes of its file; decompress it first";

impl Failure {
    /// A failure without a place.
    pub fn new(exit: Exit, code: &'static str, message: impl Into<String>) -> Failure {
        Failure(Box::new(Facts {
            exit,
            code,
            message: message.into(),
            file: None,
            offset: None,
            position: None,
            pointer: None,
            expected: None,
            found: None,
            is_said: false,
            hint: None,
            lists: Vec::new(),
            lines: Vec::new(),
            rendering: None,
        }))
    }

    /// A negative answer of the document.
    pub fn negative(code: &'static str, message: impl Into<String>) -> Failure {
        Failure::new(Exit::Negative, code, message)
    }

    /// An incorrect command line.
    pub fn usage(message: impl Into<String>) -> Failure {
        Failure::new(Exit::Usage, code::USAGE, message)
    }

    /// A file cannot be read.
    pub fn reading(path: &Path, error: &io::Error) -> Failure {
        let text = error.to_string();
        let failure = match text.strip_prefix(code::IO_CHANGED).and_then(|text| text.strip_prefix(": ")) {
            Some(text) => Failure::new(Exit::Usage, code::IO_CHANGED, text),
            None if error.kind() == io::ErrorKind::FileTooLarge => {
                let failure = Failure::new(Exit::Limit, code::FILE_READ, format!("cannot read: {text}"));
                if text.contains("expand") { failure.with_hint(TOO_LARGE) } else { failure }
            }
            None => Failure::new(Exit::Usage, code::FILE_READ, format!("cannot read: {text}")),
        };
        failure.in_file(&name_of(path))
    }

    /// A file cannot be written.
    pub fn writing(path: &Path, error: &io::Error) -> Failure {
        Failure::new(Exit::Usage, code::FILE_WRITE, format!("cannot write: {error}"))
            .in_file(&path.to_string_lossy())
    }

    /// A failure to write standard output. A reader that has closed it needs no message.
    pub fn printing(error: &io::Error) -> Failure {
        let exit = match error.kind() {
            io::ErrorKind::BrokenPipe => Exit::Good,
            _ => Exit::Usage,
        };
        Failure::new(exit, code::OUTPUT, format!("cannot write: {error}")).in_file("standard output")
    }

    /// A failure to compile `text`, the source of this name. If the text names secrets, no part of
    /// it is shown unless `reveal`.
    pub fn compiling(name: &str, text: &[u8], error: &CompileError, reveal: bool) -> Failure {
        let failure = match error {
            CompileError::Source(error) => Failure::of_source(name, text, error, reveal),
            CompileError::Write(error) => Failure::from(error),
            CompileError::Values(error) => error.clone().into(),
            _ => Failure::new(Exit::Decode, code::SOURCE, error.to_string()),
        };
        failure.in_file(name)
    }

    fn of_source(name: &str, source: &[u8], error: &SourceError, reveal: bool) -> Failure {
        let place = error.at();
        let mut failure =
            Failure::new(Exit::of_document(error.code()), error.code(), error.kind().to_string());
        failure.0.offset = Some(place.offset);
        failure.0.position = Some((place.line, place.column));
        if !reveal && names_secrets(source) {
            failure.0.message =
                "the text cannot be read; it may hold secrets, and none of it is shown".to_owned();
            return failure.with_hint("use `--reveal` to see it");
        }
        failure.0.pointer = Some(error.path().to_owned()).filter(|path| !path.is_empty());
        failure.0.hint = error.hint().map(str::to_owned);
        failure.0.rendering = Some(error.render(name, source));
        failure
    }

    /// The same failure for a command whose negative answer is a failure, as a difference is.
    pub fn into_no_answer(mut self) -> Failure {
        if self.0.exit == Exit::Negative {
            self.0.exit = Exit::Usage;
        }
        self
    }

    /// The exit code.
    pub fn exit(&self) -> Exit {
        self.0.exit
    }

    /// Its code.
    pub fn code(&self) -> &'static str {
        self.0.code
    }

    /// The message alone.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The file concerned.
    pub fn file(&self) -> Option<&str> {
        self.0.file.as_deref()
    }

    /// Sets the file, unless it is set.
    #[must_use]
    pub fn in_file(mut self, name: &str) -> Failure {
        self.0.file.get_or_insert_with(|| name.to_owned());
        self
    }

    /// Sets the advice: an imperative without a full stop.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Failure {
        self.0.hint = Some(hint.into());
        self
    }

    /// Sets the place to the value at a JSON pointer.
    #[must_use]
    pub fn at_path(mut self, pointer: impl Into<String>) -> Failure {
        self.0.pointer = Some(pointer.into());
        self
    }

    /// Sets the offset in the file, in bytes.
    #[must_use]
    pub fn at_offset(mut self, offset: u64) -> Failure {
        self.0.offset = Some(offset);
        self
    }

    /// Sets the line and the column in the file.
    #[must_use]
    pub fn at_position(mut self, line: u32, column: u32) -> Failure {
        self.0.position = Some((line, column));
        self
    }

    /// Sets the text for people, which begins with the code and is shown instead of the message.
    #[must_use]
    pub fn with_rendering(mut self, rendering: String) -> Failure {
        self.0.rendering = Some(rendering);
        self
    }

    /// Sets both sides of a mismatch.
    #[must_use]
    pub fn with_sides(mut self, expected: impl Into<String>, found: impl Into<String>) -> Failure {
        self.0.expected = Some(expected.into());
        self.0.found = Some(found.into());
        self
    }

    /// Sets a list: `values` for JSON, `lines` for people.
    #[must_use]
    pub fn with_list(mut self, name: &'static str, values: Vec<Value>, lines: Vec<String>) -> Failure {
        self.0.lists.push((name, values));
        self.0.lines.extend(lines);
        self
    }

    /// One failure for several files, none of which has the requested item. Names similar keys in
    /// any of them.
    pub fn of_all(failures: Vec<Failure>) -> Option<Failure> {
        const SIMILAR: usize = 3;
        let count = failures.len();
        let mut failures = failures.into_iter();
        let first = failures.next()?;
        let message = match count {
            1 => first.0.message.clone(),
            _ => format!("{}, in any of {count} files", first.0.message),
        };
        let mut all = Failure::new(first.0.exit, first.0.code, message);
        let (mut values, mut lines): (Vec<Value>, Vec<String>) = (Vec::new(), Vec::new());
        for failure in std::iter::once(first).chain(failures) {
            let near = failure.0.lists.into_iter().filter(|(name, _)| *name == "near");
            for (value, line) in near.flat_map(|(_, values)| values).zip(failure.0.lines) {
                if values.len() < SIMILAR && !values.contains(&value) {
                    values.push(value);
                    lines.push(line);
                }
            }
        }
        if !values.is_empty() {
            all = all.with_list("near", values, lines).with_hint("similar keys:");
        }
        Some(all)
    }

    /// Sets the names that may be meant. If there are none, `otherwise` is the advice.
    #[must_use]
    pub fn similar_to(self, near: Vec<String>, otherwise: &str) -> Failure {
        match near.is_empty() {
            true => self.with_hint(otherwise),
            false => {
                self.with_hint("similar names:").with_list("near", near.iter().map(text).collect(), near)
            }
        }
    }

    /// Turns the failure into a negative answer to whether a document is undamaged. A limit is not
    /// an answer.
    #[must_use]
    pub fn into_answer(mut self) -> Failure {
        if self.0.exit == Exit::Decode {
            self.0.exit = Exit::Negative;
        }
        self
    }

    /// The failure as text, without its code and without the last line end. Safe to print.
    pub fn to_lines(&self) -> String {
        let facts = &*self.0;
        let cut = |text: &str| visible(&Truncated(text).to_text());
        if let Some(rendering) = &facts.rendering {
            let after_code = rendering.strip_prefix(facts.code).and_then(|rest| rest.strip_prefix(": "));
            let lines = after_code.unwrap_or(rendering).trim_end().lines().map(visible);
            let listed = facts.lines.iter().map(|line| format!("  = {}", cut(line)));
            return lines.chain(listed).collect::<Vec<_>>().join("\n");
        }
        let mut out = visible(&facts.message);
        let mut place = facts.file.as_deref().map(visible).unwrap_or_default();
        let comma = |place: &str| if place.is_empty() { "" } else { ", " };
        match (facts.position, facts.offset) {
            (Some((line, column)), _) => {
                let _ = write!(place, ":{line}:{column}");
            }
            (None, Some(offset)) => {
                let _ = write!(place, "{}byte {offset}", comma(&place));
            }
            (None, None) => {}
        }
        if let Some(pointer) = facts.pointer.as_deref().filter(|pointer| !pointer.is_empty()) {
            let _ = write!(place, "{}in {}", comma(&place), cut(pointer));
        }
        if !place.is_empty() {
            let _ = write!(out, "\n --> {place}");
        }
        if let (Some(expected), Some(found), false) = (&facts.expected, &facts.found, facts.is_said) {
            let _ = write!(out, "\n  expected {}\n  found    {}", cut(expected), cut(found));
        }
        if let Some(hint) = &facts.hint {
            let _ = write!(out, "\n  = {}", visible(hint));
        }
        for line in &facts.lines {
            let _ = write!(out, "\n    {}", cut(line));
        }
        out
    }

    /// The failure on one line: its place and its message. Safe to print.
    pub fn to_line(&self) -> String {
        let facts = &*self.0;
        let mut line = facts.file.as_deref().map(visible).unwrap_or_default();
        if let Some((row, column)) = facts.position {
            let _ = write!(line, ":{row}:{column}");
        }
        if !line.is_empty() {
            line.push_str(": ");
        }
        line.push_str(&visible(&facts.message));
        if let (None, Some(offset)) = (facts.position, facts.offset) {
            let _ = write!(line, ", at byte {offset}");
        }
        line
    }

    /// The failure as JSON: an item of `schemas/error.json`.
    pub fn to_value(&self) -> Value {
        let facts = &*self.0;
        let mut error = vec![
            ("code".to_owned(), text(facts.code)),
            ("message".to_owned(), text(&facts.message)),
            ("exit".to_owned(), number(facts.exit as u64)),
        ];
        let texts = [
            ("file", &facts.file),
            ("pointer", &facts.pointer),
            ("expected", &facts.expected),
            ("found", &facts.found),
            ("hint", &facts.hint),
        ];
        for (key, value) in texts {
            error.extend(value.as_ref().map(|value| (key.to_owned(), text(Truncated(value).to_text()))));
        }
        let (line, column) = facts.position.unzip();
        let numbers =
            [("offset", facts.offset), ("line", line.map(u64::from)), ("column", column.map(u64::from))];
        error.extend(numbers.into_iter().filter_map(|(key, value)| Some((key.to_owned(), number(value?)))));
        for (key, values) in &facts.lists {
            error.push(((*key).to_owned(), Value::List(values.iter().map(excerpt_of).collect())));
        }
        Value::Object(error)
    }
}

/// Its place and its message, on one line.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_line())
    }
}

impl std::error::Error for Failure {}

/// The name of a file for messages.
pub fn name_of(path: &Path) -> String {
    match path.as_os_str() == "-" {
        true => "standard input".to_owned(),
        false => path.to_string_lossy().into_owned(),
    }
}

/// A file that git leaves in place of one stored elsewhere.
pub const LFS_POINTER: &str = "a pointer of Git LFS to a file that is not here";

/// Text in an encoding that some shells and editors write.
pub const WIDE_TEXT: &str = "text in UTF-16";

/// Failures as one JSON object. The schema is `schemas/error.json`.
pub fn to_report(failures: &[Failure]) -> Value {
    let errors = failures.iter().map(Failure::to_value).collect();
    object([("format_version", number(FORMAT_VERSION)), ("errors", Value::List(errors))])
}

/// A value in a list of a failure, with its texts truncated.
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
        failure.0.pointer = error.path().map(str::to_owned);
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

/// Advice, if it is not part of the message.
fn hint(kind: ErrorKind) -> Option<&'static str> {
    match kind {
        _ if kind.is_newer() => Some("the file is not damaged; upgrade the tool, or use the source"),
        ErrorKind::Checksum { found, .. } if is_sum_of_zeros(found) => Some(
            "the block is all zeros: it was never written, or got lost; make the file again from its source",
        ),
        ErrorKind::Length { declared, actual } if actual > declared => {
            Some("something precedes the file that ends here, perhaps another file; take them apart")
        }
        ErrorKind::Checksum { .. } => Some(
            "make the file again from its source; `coco recover` writes what is whole of it, `dump --as wire` shows all that can be read",
        ),
        ErrorKind::Trailer { .. } | ErrorKind::Length { .. } => {
            Some("make the file again from its source; `dump --as wire` shows what can be read of it")
        }
        ErrorKind::ByteOrderMark => Some(
            "an editor has saved the file as text; make it again from its source. Only the three bytes EF BB BF \
             can be removed: a file that became UTF-16 is lost",
        ),
        ErrorKind::ForeignMediaType { known: LFS_POINTER } => Some("get the file with `git lfs pull`"),
        ErrorKind::ForeignMediaType { known: WIDE_TEXT } => Some("save it as UTF-8, or make it again"),
        ErrorKind::NotAnEnvelope => Some("is this the file that you mean?"),
        ErrorKind::NoBlankLine => Some(
            "is it cut short, or another file? a document begins with `application/vnd.coconut` and has a blank line after its first lines",
        ),
        _ => None,
    }
}

impl From<StreamError> for Failure {
    fn from(error: StreamError) -> Failure {
        if let StreamError::Decode(error) = error {
            return error.into();
        }
        if let StreamError::Sink(error) = error {
            return error.into();
        }
        Failure::new(Exit::of_document(error.code()), error.code(), error.to_string())
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
        Failure::printing(&error)
    }
}

impl From<&WriteError> for Failure {
    fn from(error: &WriteError) -> Failure {
        match error {
            WriteError::Envelope(_) => Failure::usage(error.to_string()),
            WriteError::Output(_) => Failure::new(Exit::Usage, error.code(), error.to_string()),
            _ => Failure::new(Exit::Limit, error.code(), error.to_string()),
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
            r"no `a\nb`",
            r" --> c\nd, in /e\nf",
            r"  expected g\nh",
            r"  found    i\nj",
            r"  = m\nn",
            r"    k\nl",
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
            "2 landmarks".to_owned(),
            format!(" --> in {shown}"),
            format!("  expected {shown}"),
            format!("  found    {shown}"),
            format!("    {shown}"),
        ];
        assert_eq!(failure.to_lines().lines().collect::<Vec<_>>(), lines);
        let value = failure.to_value();
        for key in ["pointer", "expected", "found"] {
            assert_eq!(value.get(key).and_then(Value::as_str), Some(&*shown), "{key}");
        }
        let candidates = Value::List(vec![object([("pointer", text(&shown))]), text(&shown)]);
        assert_eq!(value.get("candidates"), Some(&candidates));
    }

    #[test]
    fn every_file_for_a_newer_reader_gets_the_same_advice() {
        let newer = [
            ErrorKind::NewerVersion { found: 2, supported: 1 },
            ErrorKind::NewerFrame,
            ErrorKind::PartNewer { part: 32 },
            ErrorKind::PartCritical { part: 200 },
            ErrorKind::RequiredFeature,
        ];
        for kind in newer {
            let failure = Failure::from(kind.at(9));
            let advice = "the file is not damaged; upgrade the tool, or use the source";
            assert_eq!((failure.0.hint.as_deref(), failure.exit()), (Some(advice), Exit::Decode));
        }
        assert_eq!(Failure::from(ErrorKind::PartRange { part: 32 }.at(9)).0.hint, None);
    }

    #[test]
    fn a_refusal_of_a_sink_has_its_code_and_exit() {
        let cases = [
            (SinkError::DuplicateKey { key: "a".into(), first: 0, second: 1 }, "SINK", Exit::Decode),
            (SinkError::NonFinite, "SINK", Exit::Decode),
            (SinkError::Depth { limit: 1 }, "LIM-DEPTH", Exit::Limit),
            (SinkError::StringLength { length: 2, limit: 1 }, "LIM-STRING", Exit::Limit),
            (SinkError::TooMany { what: "values" }, "LIM-COUNT", Exit::Limit),
            (SinkError::Output("full".to_owned()), "OUTPUT", Exit::Usage),
        ];
        for (error, code, exit) in cases {
            let failure = Failure::from(error);
            assert_eq!((failure.code(), failure.exit()), (code, exit));
        }
    }
}
