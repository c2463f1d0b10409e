//! `find`: finds the places of a text.

mod needle;
mod occurrences;

use clap::Args;
use coconut_codec::read::file::DocumentView;
use coconut_codec::read::tree::TextScope;
use coconut_codec::secrets::{HiddenKeys, Redaction};
use coconut_format::Value;
use coconut_format::numerals::grouped;
use coconut_format::truncated::Truncated;
use coconut_report::failure::{Exit, Failure};
use coconut_report::glob::Glob;
use coconut_report::json::{members, number, optional, report, text};
use coconut_report::name_filter::{NameFilter, described};
use coconut_report::select::{numbered, type_of};
use coconut_report::streamed::Report;
use coconut_shell::console::{BAD, Console, DIM, STRONG, visible};
use coconut_shell::open::{Documents, Opened, Stored};
use coconut_shell::sources::{Marks, Sources};
use needle::Needle;
use occurrences::{Landmarks, Occurrence, Occurrences, Part};
use std::cell::Cell;
use std::ffi::{OsStr, OsString};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Find a text in values and keys
///
/// Prints one line for each match, in document order: the key of the innermost landmark around it,
/// followed by the JSON pointer from there, and the text. `get` accepts this key and pointer.
/// `(key)` marks a match in a key. Numbers, `true`, `false` and `null` are not searched. Secret
/// text is found only with --reveal. Exits with 1 if nothing matches.
#[derive(Args, Debug)]
#[command(after_long_help = include_str!("../../tests/help/find.trycmd"))]
pub struct Find {
    /// The text to find, then documents, sources or folders
    ///
    /// `-` is standard input. More texts may follow the first. The last argument is always a file,
    /// and so is any other argument that names an existing file. With --text, all arguments are
    /// files.
    #[arg(value_name = "ARGUMENT", required = true)]
    texts_and_files: Vec<OsString>,

    /// Find this text, or another one of these (repeatable)
    #[arg(long = "text", short = 'e', value_name = "TEXT", allow_hyphen_values = true)]
    texts: Vec<String>,

    /// Match only whole words
    #[arg(long, short)]
    word: bool,

    /// Treat TEXT as a regular expression
    ///
    /// `^` and `$` match the beginning and the end of a text.
    #[arg(long, short = 'E')]
    regex: bool,

    /// Ignore case
    #[arg(long, short)]
    ignore_case: bool,

    /// Search only keys of objects
    #[arg(long, conflicts_with = "values")]
    keys: bool,

    /// Search only values
    #[arg(long)]
    values: bool,

    /// Search only landmarks with a matching key (repeatable)
    ///
    /// A pattern or a text, as for `ls`.
    #[arg(long, value_name = "PATTERN")]
    key: Vec<String>,

    /// Search only resources of this type (repeatable)
    ///
    /// The whole type, its last part, or a pattern.
    #[arg(long = "type", value_name = "TYPE")]
    types: Vec<String>,

    /// Print only the number of matches
    #[arg(long, short)]
    count: bool,

    /// Stop after this many matches in a file
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
}

/// The maximum number of characters shown before the match, and in all.
const SHOWN_BEFORE: usize = 40;
const SHOWN: usize = 120;

impl Find {
    pub(super) fn run(&self, documents: &dyn Documents, console: &mut Console) -> Result<Exit, Failure> {
        let (texts, files) = self.texts_and_files(documents)?;
        let needle = Needle::new(&texts, self.regex, self.word, self.ignore_case)?;
        let within = Within::of(&self.key, &self.types)?;
        let exit = Sources::of(documents, &files).each_opened(
            documents,
            console,
            Marks::Column,
            |opened, console| self.search(opened, (&needle, &within), console),
        )?;
        if exit == Exit::Negative && !within.is_met.get() {
            console.note(&format!("no landmark has {}", described(&self.key, &self.types)));
        } else if exit == Exit::Negative && !console.json {
            console.note(&format!("no text matches `{}`", Truncated(&texts.join("` or `"))));
        }
        Ok(exit)
    }

    /// Separates the texts from the files.
    fn texts_and_files(&self, documents: &dyn Documents) -> Result<(Vec<String>, Vec<PathBuf>), Failure> {
        let is_file = |argument: &OsStr| {
            let path = Path::new(argument);
            path == Path::new("-")
                || path.exists()
                || documents.is_folder(path)
                || Stored::is_called_like_one(path)
        };
        let files = |arguments: &[OsString]| arguments.iter().map(PathBuf::from).collect();
        if !self.texts.is_empty() {
            return Ok((self.texts.clone(), files(&self.texts_and_files)));
        }
        let (texts, rest) = match &self.texts_and_files[..] {
            [] | [_] => {
                let failure = Failure::usage("expected a text and a file, found one argument");
                return Err(failure.with_hint("the text comes first: `find TEXT FILE`"));
            }
            // As with `get`, the files may come first.
            [before @ .., last] if is_file(&before[0]) && !is_file(last) => {
                (std::slice::from_ref(last), before)
            }
            all => {
                let more = all[1..all.len() - 1].iter().take_while(|argument| !is_file(argument)).count();
                all.split_at(1 + more)
            }
        };
        let as_text = |argument: &OsString| match argument.to_str() {
            Some(text) => Ok(text.to_owned()),
            None => Err(Failure::usage("the text is not UTF-8")),
        };
        Ok((texts.iter().map(as_text).collect::<Result<_, _>>()?, files(rest)))
    }

    fn search(
        &self,
        opened: &Opened,
        (needle, within): (&Needle, &Within),
        console: &mut Console,
    ) -> Result<Exit, Failure> {
        let document = opened.view();
        let tree = document.tree()?;
        let redaction = Redaction::of_tree(document, &tree, console.reveal)?;
        let scope = TextScope { keys: !self.values, values: !self.keys };
        let search = tree.search(scope, |text| needle.matches(text));
        let found = Occurrences::new(document, &tree, &search, scope, redaction.places());
        within.meet(document, &redaction)?;
        let mut tally = Tally { limit: self.limit.unwrap_or(u64::MAX), ..Tally::default() };
        let mut each =
            |show: &mut dyn FnMut(&mut Landmarks<'_>, &Occurrence<'_, '_>) -> Result<(), Failure>| {
                found.each(|landmarks, occurrence| {
                    if !within.has(landmarks) {
                        return Ok(ControlFlow::Continue(()));
                    }
                    let next = tally.add();
                    if next.is_continue() && !self.count {
                        show(landmarks, occurrence)?;
                    }
                    Ok(next)
                })
            };
        if console.json && !self.count {
            let mut report = Report::begin(console, "find", [("file", text(&opened.name))])?;
            report.begin_list("places")?;
            each(&mut |landmarks, occurrence| report.item(&item(landmarks, occurrence)?))?;
            report.end_list()?;
            report.member("count", &number(tally.count))?;
            report.member("truncated", &Value::Bool(tally.is_cut))?;
            report.end()?;
            return Ok(tally.exit());
        }
        each(&mut |landmarks, occurrence| console.line(&line(landmarks, occurrence, needle, console)?))?;
        if console.json {
            let members = [
                ("file", text(&opened.name)),
                ("count", number(tally.count)),
                ("truncated", Value::Bool(tally.is_cut)),
            ];
            console.print_json(&report("find", members))?;
        } else if self.count {
            console.line(&tally.count.to_string())?;
        } else if tally.is_cut {
            console.note(&format!("{}: stopped after {}", opened.name, grouped(tally.count)));
        }
        Ok(tally.exit())
    }
}

/// The landmarks to search in.
struct Within {
    keys: Vec<Glob>,
    types: NameFilter,
    /// Whether a document contains a landmark with such a key, and one with such a type.
    is_met: Cell<bool>,
}

impl Within {
    fn of(keys: &[String], types: &[String]) -> Result<Within, Failure> {
        let keys = keys.iter().map(|key| Glob::new(key)).collect::<Result<_, _>>()?;
        Ok(Within { keys, types: NameFilter::of_types(types)?, is_met: Cell::new(false) })
    }

    fn is_all(&self) -> bool {
        self.keys.is_empty() && self.types.is_all()
    }

    fn is_key(&self, key: &str) -> bool {
        self.keys.is_empty() || self.keys.iter().any(|glob| glob.matches(key))
    }

    /// Records whether this document contains anything to search.
    fn meet(&self, document: DocumentView<'_>, redaction: &Redaction) -> Result<(), Failure> {
        let (mut has_key, mut has_type) = (self.is_all(), self.is_all());
        if !self.is_met.get() && !self.is_all() {
            let hidden = HiddenKeys::of(document, redaction)?;
            let mut keys = document.keys()?;
            while let Some((landmark, key)) = keys.read_next()?.filter(|_| !has_key || !has_type) {
                has_key = has_key || self.is_key(hidden.shown(landmark, key)?);
                has_type = has_type || self.types.is_all() || self.types.has(&type_of(landmark)?);
            }
        }
        self.is_met.set(self.is_met.get() || has_key && has_type);
        Ok(())
    }

    fn has(&self, landmarks: &Landmarks<'_>) -> bool {
        let has = self.is_all() || landmarks.any(|key| self.is_key(key), |name| self.types.has(name));
        self.is_met.set(self.is_met.get() || has);
        has
    }
}

/// The number of places so far.
#[derive(Default)]
struct Tally {
    count: u64,
    limit: u64,
    is_cut: bool,
}

impl Tally {
    fn add(&mut self) -> ControlFlow<()> {
        if self.count >= self.limit {
            self.is_cut = true;
            return ControlFlow::Break(());
        }
        self.count += 1;
        ControlFlow::Continue(())
    }

    fn exit(&self) -> Exit {
        if self.count > 0 || self.is_cut { Exit::Good } else { Exit::Negative }
    }
}

/// A place on one line.
fn line(
    landmarks: &mut Landmarks<'_>,
    occurrence: &Occurrence<'_, '_>,
    needle: &Needle,
    console: &Console,
) -> Result<String, Failure> {
    let mut line = match landmarks.innermost(occurrence.pointer)? {
        Some((key, number)) => console.paint(STRONG, &numbered(key, number)),
        None => String::new(),
    };
    line.push_str(&visible(landmarks.within(occurrence.pointer)));
    let shown = format!("\"{}\"", excerpt(occurrence.text, needle, console));
    line.push_str(&match occurrence.part {
        Part::Key => format!("  {} {shown}", console.paint(DIM, "(key)")),
        Part::Value => format!("  {shown}"),
    });
    Ok(line)
}

/// The text around the first match, with all matches in it marked.
fn excerpt(text: &str, needle: &Needle, console: &Console) -> String {
    let first = needle.first(text);
    let before = text[..first.start].char_indices().rev().nth(SHOWN_BEFORE - 1);
    let is_short = text.chars().nth(SHOWN).is_none();
    let start = if is_short { 0 } else { before.map_or(0, |(at, _)| at) };
    let end = text[start..].char_indices().nth(SHOWN).map_or(text.len(), |(at, _)| start + at);
    let mut shown = String::from(if start > 0 { "…" } else { "" });
    let mut at = start;
    for found in needle.all(text).into_iter().filter(|found| console.is_coloured() && !found.is_empty()) {
        if found.start < at || found.end > end {
            continue;
        }
        shown.push_str(&visible(&text[at..found.start]));
        shown.push_str(&console.paint(BAD, &text[found.clone()]));
        at = found.end;
    }
    shown.push_str(&visible(&text[at..end]));
    shown.push_str(if end < text.len() { "…" } else { "" });
    shown
}

/// The schema is `schemas/find.json`.
fn item(landmarks: &mut Landmarks<'_>, occurrence: &Occurrence<'_, '_>) -> Result<Value, Failure> {
    let (key, own_number) = match landmarks.innermost(occurrence.pointer)? {
        Some((key, number)) => (Some(key.to_owned()), number),
        None => (None, None),
    };
    Ok(members([
        ("key", Some(optional(key))),
        ("number", own_number.map(|own| number(u64::from(own)))),
        ("pointer", Some(text(landmarks.within(occurrence.pointer)))),
        ("path", Some(text(occurrence.pointer))),
        ("in", Some(text(if occurrence.part == Part::Key { "key" } else { "value" }))),
        ("text", Some(text(occurrence.text))),
    ]))
}
