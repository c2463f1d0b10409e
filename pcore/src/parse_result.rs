//! §24.8 The content of an XPP file: a syntax tree, and diagnostics of its parser.
//!
//! The RFC says that the stream of an XPP file is a parse result, but no program ever wrote one. So
//! these forms are accepted:
//!
//! * a `Puppet::AST::Program`: a syntax tree without diagnostics;
//! * a hash, or an object whose type ends in `ParseResult`, with a syntax tree under `ast` or
//!   `program`, and lists of diagnostics under `issues`, `diagnostics`, `errors` and `warnings`.

use crate::limits;
use crate::rich::Definitions;
use crate::tape::{Stream, Tag, place};
use std::borrow::Cow;

const PROGRAM: &str = "Puppet::AST::Program";
const LOCATOR: &str = "Puppet::AST::Locator";
const PREFIX: &str = "Puppet::AST::";

coconut_format::named! {
    /// The severity of a diagnostic.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum DiagnosticSeverity, ALL {
        /// The source has no meaning.
        Error = "error";
        /// The source is probably not what its author meant, or will have no meaning.
        Warning = "warning";
    }
    /// The name in answers.
    pub fn name;
}

/// A message of a parser about its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The severity. Everything but `error` is a warning.
    pub severity: DiagnosticSeverity,
    /// The code of the parser: `ILLEGAL_NAME`.
    pub issue_code: Option<String>,
    /// The message.
    pub message: String,
    /// The file of the source.
    pub file: Option<String>,
    /// The line in it, from 1.
    pub line: Option<u64>,
    /// The column in it, from 1.
    pub column: Option<u64>,
}

/// A parse result in short.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseResult {
    /// The number of nodes of the syntax tree. `None` without one, if there were errors.
    pub nodes: Option<u64>,
    /// The file from which it was parsed.
    pub file: Option<String>,
    /// The bytes of its source text.
    pub source_bytes: Option<u64>,
    /// The types of the definitions in it, and how often each occurs, by name.
    pub definitions: Vec<(String, u64)>,
    /// The diagnostics, in their order.
    pub diagnostics: Vec<Diagnostic>,
}

impl ParseResult {
    /// The parse result in a stream. `None` if it holds something else.
    ///
    /// Lists at most 1,000 diagnostics. Costs one pass.
    pub fn of<'s>(stream: &'s Stream<'s>) -> Option<ParseResult> {
        let [root] = stream.values[..] else { return None };
        let mut result = ParseResult {
            nodes: None,
            file: None,
            source_bytes: None,
            definitions: Vec::new(),
            diagnostics: Vec::new(),
        };
        let mut definitions = Definitions::new(stream);
        if !is_program(stream, root) {
            let members = members(stream, root, &mut definitions);
            let is_named = stream.entry(root).tag() == Tag::Object
                && stream.header(stream.entry(root)).0.ends_with("ParseResult");
            let is_list = |name: &&str| {
                members
                    .iter()
                    .any(|(key, at)| key == name && stream.entry(stream.resolved(*at)).tag() == Tag::Array)
            };
            let ast = members.iter().find(|(key, _)| matches!(&**key, "ast" | "program"));
            let has_program = ast.is_some_and(|(_, at)| is_program(stream, stream.resolved(*at)));
            let is_xpp =
                stream.envelope().and_then(|envelope| envelope.parameter("document-type")) == Some("xpp");
            let has_lists = LISTS.iter().any(|(name, _)| is_list(name));
            if !(has_program || has_lists && (is_named || is_xpp || ast.is_some())) {
                return None;
            }
            for (key, severity) in LISTS {
                for (_, list) in members.iter().filter(|(name, _)| name == key) {
                    result.read_list(stream, stream.resolved(*list), *severity, &mut definitions);
                }
            }
        }
        result.read_tree(stream);
        Some(result)
    }

    fn read_tree(&mut self, stream: &Stream<'_>) {
        let mut counts: Vec<(&str, u64)> = Vec::new();
        let mut nodes = 0;
        let mut has_program = false;
        for (at, entry) in stream.tape.iter().enumerate() {
            if entry.tag() != Tag::Object {
                continue;
            }
            let (name, count) = stream.header(*entry);
            let Some(short) = name.strip_prefix(PREFIX) else { continue };
            has_program |= short == "Program";
            if name == LOCATOR {
                if count >= 2 && self.file.is_none() {
                    let text = stream.resolved(place(at) + 1);
                    self.source_bytes = text_at(stream, text).map(|text| text.len() as u64);
                    self.file = text_at(stream, stream.end_of(place(at) + 1)).map(Cow::into_owned);
                }
                continue;
            }
            nodes += 1;
            if !(short.ends_with("Definition") || short == "TypeAlias" || short == "TypeMapping") {
                continue;
            }
            match counts.iter_mut().find(|(known, _)| *known == short) {
                Some((_, count)) => *count += 1,
                None => counts.push((short, 1)),
            }
        }
        // The locator of 4.8 is an object whose type follows, but its file is in the program, too.
        if has_program && self.file.is_none() {
            self.read_old_program(stream);
        }
        counts.sort_unstable();
        self.definitions = counts.into_iter().map(|(name, count)| (name.to_owned(), count)).collect();
        self.nodes = has_program.then_some(nodes);
    }

    /// The source of a program of 4.8: `source_text` and `source_ref`, after body and definitions.
    fn read_old_program(&mut self, stream: &Stream<'_>) {
        let program = stream
            .tape
            .iter()
            .position(|entry| entry.tag() == Tag::Object && stream.header(*entry) == (PROGRAM, 7));
        let Some(program) = program else { return };
        let text = stream.end_of(stream.end_of(place(program) + 1));
        self.source_bytes = text_at(stream, text).map(|text| text.len() as u64);
        self.file = text_at(stream, stream.end_of(text)).map(Cow::into_owned);
    }

    fn read_list<'s>(
        &mut self,
        stream: &'s Stream<'s>,
        list: u32,
        severity: Option<DiagnosticSeverity>,
        definitions: &mut Definitions<'s>,
    ) {
        let entry = stream.entry(list);
        if entry.tag() != Tag::Array {
            return;
        }
        let mut at = list + 1;
        for _ in 0..entry.count() {
            if self.diagnostics.len() == limits::DIAGNOSTICS {
                return;
            }
            let members = members(stream, stream.resolved(at), definitions);
            at = stream.end_of(at);
            let get = |names: &[&str]| {
                let found = members.iter().find(|(key, _)| names.contains(&&**key));
                found.map(|(_, at)| stream.resolved(*at))
            };
            let text = |names: &[&str]| get(names).and_then(|at| text_at(stream, at)).map(Cow::into_owned);
            let number = |names: &[&str]| {
                let entry = stream.entry(get(names)?);
                let number = (entry.tag() == Tag::Integer).then(|| entry.small_integer());
                number.and_then(|number| u64::try_from(number).ok())
            };
            let own = text(&["severity", "level"]);
            let severity = severity.unwrap_or(match own.as_deref() {
                Some("error") => DiagnosticSeverity::Error,
                _ => DiagnosticSeverity::Warning,
            });
            self.diagnostics.push(Diagnostic {
                severity,
                issue_code: text(&["issue_code", "code"]),
                message: text(&["message", "text"]).unwrap_or_default(),
                file: text(&["file"]),
                line: number(&["line"]),
                column: number(&["pos", "column"]),
            });
        }
    }
}

/// The lists of diagnostics, and the severity of all in one.
const LISTS: &[(&str, Option<DiagnosticSeverity>)] = &[
    ("issues", None),
    ("diagnostics", None),
    ("errors", Some(DiagnosticSeverity::Error)),
    ("warnings", Some(DiagnosticSeverity::Warning)),
];

fn is_program(stream: &Stream<'_>, at: u32) -> bool {
    stream.entry(at).tag() == Tag::Object && stream.header(stream.entry(at)).0 == PROGRAM
}

/// A text or a symbol.
fn text_at<'s>(stream: &'s Stream<'s>, at: u32) -> Option<Cow<'s, str>> {
    let entry = stream.entry(stream.resolved(at));
    let is_text = matches!(entry.tag(), Tag::Str | Tag::Symbol);
    is_text.then(|| String::from_utf8_lossy(stream.bytes(entry)))
}

/// The entries of a hash, or the attributes of an object, with their places. The attributes of a
/// parse result and of a diagnostic have the order of these names.
fn members<'s>(
    stream: &'s Stream<'s>,
    at: u32,
    definitions: &mut Definitions<'s>,
) -> Vec<(Cow<'s, str>, u32)> {
    let entry = stream.entry(at);
    let mut next = at + 1;
    match entry.tag() {
        Tag::Map => {
            let mut members = Vec::new();
            for _ in 0..entry.count().min(limits::MEMBERS as u64) {
                let value = stream.end_of(next);
                if let Some(key) = text_at(stream, next) {
                    members.push((key, value));
                }
                next = stream.end_of(value);
            }
            members
        }
        Tag::Object => {
            let (name, count) = stream.header(entry);
            let names: &[&str] = match name {
                _ if name.ends_with("ParseResult") => &["ast", "issues"],
                _ => &["severity", "issue_code", "message", "file", "line", "pos"],
            };
            let mut members = Vec::new();
            for name in names.iter().take(count as usize) {
                members.push((Cow::Borrowed(*name), next));
                next = stream.end_of(next);
            }
            members
        }
        Tag::TypedObject => {
            let names = definitions.names_of(stream.resolved(next));
            let mut members = Vec::new();
            for name in names.iter().take(entry.items().min(limits::MEMBERS)) {
                next = stream.end_of(next);
                members.push((Cow::Borrowed(*name), next));
            }
            members
        }
        _ => Vec::new(),
    }
}
