//! `find`: finds the places of a text.

use clap::Args;
use coconut_codec::read::tree::TextScope;
use coconut_format::numerals::grouped;
use coconut_format::truncated::Truncated;
use coconut_report::answers::find::{FindQuestion, Landmarks, Needle, Occurrence, Part, Within};
use coconut_report::failure::{Exit, Failure};
use coconut_report::name_filter::described;
use coconut_report::select::numbered;
use coconut_shell::console::{BAD, Console, DIM, STRONG, visible};
use coconut_shell::open::{Documents, Opened, Stored};
use coconut_shell::sources::{Marks, Sources};
use std::ffi::{OsStr, OsString};
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
        let scope = TextScope { keys: !self.values, values: !self.keys };
        let limit = self.limit.unwrap_or(u64::MAX);
        let question = FindQuestion { needle: &needle, scope, within: &within, limit };
        let exit = Sources::of(documents, &files).each_opened(
            documents,
            console,
            Marks::Column,
            |opened, console| self.search(opened, &question, console),
        )?;
        if exit == Exit::Negative && !within.is_met() {
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
        question: &FindQuestion<'_>,
        console: &mut Console,
    ) -> Result<Exit, Failure> {
        let reveal = console.reveal;
        if console.json {
            return Ok(question.write_json(opened.source(), self.count, reveal, console)?.exit());
        }
        let found = question.each(opened.view(), reveal, &mut |landmarks, occurrence| match self.count {
            true => Ok(()),
            false => console.line(&line(landmarks, occurrence, question.needle, console)?),
        })?;
        if self.count {
            console.line(&found.count.to_string())?;
        } else if found.is_cut {
            console.note(&format!("{}: stopped after {}", opened.name, grouped(found.count)));
        }
        Ok(found.exit())
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
