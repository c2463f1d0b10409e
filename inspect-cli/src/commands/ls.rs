//! `ls`: lists the keys of a document.

use clap::Args;
use coconut_codec::read::file::DocumentView;
use coconut_codec::read::lookup::LandmarkView;
use coconut_codec::secrets::{HiddenKeys, Redaction};
use coconut_format::Value;
use coconut_format::error::DecodeError;
use coconut_format::numerals::grouped;
use coconut_format::truncated::Truncated;
use coconut_report::failure::{Exit, Failure};
use coconut_report::glob::Glob;
use coconut_report::json::{self, number, text};
use coconut_report::name_filter::NameFilter;
use coconut_report::select::{Classes, KeyNumbers, numbered, type_of, word_of};
use coconut_report::streamed::Report;
use coconut_shell::console::{Console, DIM, visible};
use coconut_shell::open::{Documents, Opened, Stored};
use coconut_shell::sources::{Marks, Sources};
use std::path::{Path, PathBuf};

/// List the keys that can be looked up
///
/// Prints one key per line, in document order, in the form that `get` accepts. If several landmarks
/// share a key, each has its number, as in `KEY#2`. On a terminal, and with --long, the class comes
/// first if there are several classes. Reads only keys, unless the document marks something as
/// secret: then values are read, too, because keys from secrets are hidden. Exits with 1 if GLOB
/// matches nothing.
#[derive(Args, Debug)]
#[command(after_long_help = include_str!("../../tests/help/ls.trycmd"))]
pub struct Ls {
    /// Documents, sources or folders; `-` is standard input
    ///
    /// The last of several arguments is GLOB, unless a file or folder has this name or another
    /// argument follows `--`.
    #[arg(value_name = "FILE", required_unless_present = "glob")]
    files: Vec<PathBuf>,

    /// Only keys that match this pattern or contain this text
    ///
    /// `*` matches any text, `?` one character, `[a-c]` one of these characters, and `{a,b}` either
    /// text. A GLOB with none of these matches every key that contains it.
    ///
    /// Keys can contain brackets, so `[…]` also matches itself. `--` is needed only before a
    /// pattern that is also the name of a file.
    #[arg(last = true)]
    glob: Vec<String>,

    /// Ignore case in GLOB
    #[arg(long, short)]
    ignore_case: bool,

    /// Only landmarks of this class
    ///
    /// A number, a word or a pattern, as `info` shows them.
    #[arg(long, value_name = "N|NAME")]
    class: Option<String>,

    /// Only resources of this type (repeatable)
    ///
    /// The whole type, its last part, or a pattern.
    #[arg(long = "type", value_name = "TYPE")]
    types: Vec<String>,

    /// Print the class before each key, and the type after it
    #[arg(long, short, conflicts_with = "count")]
    long: bool,

    /// Print only the number of keys
    #[arg(long)]
    count: bool,

    /// Print at most this many keys
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
}

impl Ls {
    pub(super) fn run(&self, documents: &dyn Documents, console: &mut Console) -> Result<Exit, Failure> {
        let (files, glob) = self.files_and_glob(documents)?;
        let exit = Sources::of(documents, &files).each_opened(
            documents,
            console,
            Marks::Column,
            |opened, console| self.list(opened, glob, console),
        )?;
        if exit == Exit::Negative {
            self.note_of_nothing(glob, console);
        }
        Ok(exit)
    }

    /// Separates the pattern from the files.
    fn files_and_glob(&self, documents: &dyn Documents) -> Result<(Vec<PathBuf>, Option<&str>), Failure> {
        let named = |path: &Path| path.as_os_str() == "-" || path.exists() || documents.is_folder(path);
        match (&self.files[..], &self.glob[..]) {
            ([files @ .., last], []) if !files.is_empty() && !named(last) => {
                let glob = last.to_str();
                let glob = glob.ok_or_else(|| Failure::usage("the pattern is not UTF-8"))?;
                Ok((files.to_vec(), Some(glob)))
            }
            (files, []) => Ok((files.to_vec(), None)),
            // As elsewhere, `--` may come before files that begin with `-`.
            ([], [file]) => Ok((vec![PathBuf::from(file)], None)),
            ([], [files @ .., glob]) => Ok((files.iter().map(PathBuf::from).collect(), Some(glob))),
            (files, [glob]) => Ok((files.to_vec(), Some(glob))),
            (_, [_, other, ..]) => {
                let message = format!("expected one pattern after `--`, found `{}` too", Truncated(other));
                Err(Failure::usage(message).with_hint("`{a,b}` matches either of two patterns"))
            }
        }
    }

    fn list(&self, opened: &Opened, glob: Option<&str>, console: &mut Console) -> Result<Exit, Failure> {
        let document = opened.view();
        let rule = document.header().rule()?;
        // A plain count shows no key. With a pattern, hidden keys must be excluded from the
        // comparison.
        let redaction = match self.count && glob.is_none() {
            true => Redaction::default(),
            false => Redaction::of_document(document, console.reveal)?,
        };
        let wanted = Selection {
            classes: Classes::named(document, self.class.as_deref())?,
            glob: glob.map(|glob| Glob::with_case(glob, self.ignore_case)).transpose()?,
            types: NameFilter::of_types(&self.types)?,
            limit: self.limit,
            hidden: HiddenKeys::of(document, &redaction)?,
        };
        let words: Vec<String> = rule.patterns().iter().map(word_of).collect();
        let is_long = self.long || (console.is_terminal() && words.len() > 1);
        let mut numbers = KeyNumbers::default();
        let Found { count, is_cut } = match (self.count, console.json) {
            (true, _) => wanted.each(document, |_, _, _| Ok(()))?,
            (false, true) => {
                return report_rows(opened, &wanted, &words, console).map(|found| self.exit(found, glob));
            }
            (false, false) => {
                let width = words.iter().map(String::len).max().unwrap_or_default();
                wanted.each(document, |landmark, key, class| {
                    // Hidden keys cannot be used for lookups, with or without a number.
                    let number = match wanted.hidden.has(landmark)? {
                        true => None,
                        false => numbers.of(landmark, key)?,
                    };
                    let key = visible(&numbered(key, number));
                    let word = words.get(usize::from(class)).map_or("", String::as_str);
                    if !is_long {
                        return console.line(&key);
                    }
                    let word = console.paint(DIM, &format!("{word:<width$}"));
                    if !self.long {
                        return console.line(&format!("{word} {key}"));
                    }
                    let type_name = console.paint(DIM, &type_of(landmark)?);
                    console.line(&format!("{word} {key}  {type_name}"))
                })?
            }
        };
        if console.json {
            let name = ("file", text(&opened.name));
            let members = [name, ("count", number(count)), ("truncated", Value::Bool(is_cut))];
            console.print_json(&json::report("ls", members))?;
        } else if self.count {
            console.line(&count.to_string())?;
        } else if is_cut {
            let all = grouped(document.landmark_count()?.into());
            let note = format!("... stopped after {}; the document has {all} landmarks", grouped(count));
            match console.is_one_of_several() {
                true => console.note(&format!("{}: {note}", opened.name)),
                false => {
                    let note = console.paint(DIM, &note);
                    console.line(&note)?;
                }
            }
        }
        Ok(self.exit(Found { count, is_cut }, glob))
    }

    /// An empty document is an answer. A pattern, type or class without a match is not.
    fn exit(&self, found: Found, glob: Option<&str>) -> Exit {
        let is_question = glob.is_some() || self.class.is_some() || !self.types.is_empty();
        match found.count == 0 && is_question {
            true => Exit::Negative,
            false => Exit::Good,
        }
    }

    /// Reports which names match nothing.
    fn note_of_nothing(&self, glob: Option<&str>, console: &mut Console) {
        let wanted = match (glob, &self.class) {
            (Some(glob), _) => format!("`{}`", Truncated(glob)),
            (None, _) if !self.types.is_empty() => format!("type `{}`", Truncated(&self.types.join("`, `"))),
            (None, Some(class)) => format!("class `{}`", Truncated(class)),
            (None, None) => return,
        };
        console.note(&format!("no key matches {wanted}"));
        if glob.is_some_and(|glob| Stored::is_called_like_one(Path::new(glob))) && self.glob.is_empty() {
            console.note("there is no file of this name, so it is a pattern for keys");
        }
    }
}

/// The landmarks to list.
struct Selection {
    classes: Classes,
    glob: Option<Glob>,
    types: NameFilter,
    limit: Option<u64>,
    hidden: HiddenKeys,
}

/// The number of listed landmarks, and whether there are more.
#[derive(Clone, Copy)]
struct Found {
    count: u64,
    is_cut: bool,
}

impl Selection {
    /// Passes each landmark to `list`, with its full key and its class.
    fn each<'a>(
        &self,
        document: DocumentView<'a>,
        mut list: impl FnMut(LandmarkView<'a>, &str, u8) -> Result<(), Failure>,
    ) -> Result<Found, Failure> {
        let mut count = 0;
        let mut keys = document.keys()?;
        while let Some((landmark, key)) = keys.read_next()? {
            let class = landmark.class()?;
            let key = self.hidden.shown(landmark, key)?;
            if !self.classes.contains(class) || self.glob.as_ref().is_some_and(|glob| !glob.matches(key)) {
                continue;
            }
            if !self.types.is_all() && !self.types.has(&type_of(landmark)?) {
                continue;
            }
            if self.limit.is_some_and(|limit| count >= limit) {
                return Ok(Found { count, is_cut: true });
            }
            count += 1;
            list(landmark, key, class)?;
        }
        Ok(Found { count, is_cut: false })
    }
}

fn report_rows(
    opened: &Opened,
    wanted: &Selection,
    words: &[String],
    console: &mut Console,
) -> Result<Found, Failure> {
    let mut numbers = KeyNumbers::default();
    let mut report = Report::begin(console, "ls", [("file", text(&opened.name))])?;
    report.begin_list("landmarks")?;
    let found = wanted.each(opened.view(), |landmark, key, class| {
        let number = match wanted.hidden.has(landmark)? {
            true => None,
            false => numbers.of(landmark, key)?,
        };
        report.item(&row(landmark, key, number, words.get(usize::from(class)).map_or("", String::as_str))?)
    })?;
    report.end_list()?;
    report.member("count", &number(found.count))?;
    report.member("truncated", &Value::Bool(found.is_cut))?;
    report.end()?;
    Ok(found)
}

/// The members of a landmark. The number is there if several landmarks have its key.
fn row(
    landmark: LandmarkView<'_>,
    key: &str,
    own_number: Option<u32>,
    word: &str,
) -> Result<Value, DecodeError> {
    let parent = landmark.parent()?.map(|parent| parent.ordinal()).transpose()?;
    let members = [
        ("ordinal", Some(number(u64::from(landmark.ordinal()?)))),
        ("key", Some(text(key))),
        ("number", own_number.map(|own| number(u64::from(own)))),
        ("class", Some(number(u64::from(landmark.class()?)))),
        ("name", Some(text(word))),
        ("parent", Some(parent.map_or(Value::Null, |parent| number(u64::from(parent))))),
        ("offset", Some(number(landmark.offset()))),
    ];
    let known = members.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
    Ok(Value::Object(known.collect()))
}
