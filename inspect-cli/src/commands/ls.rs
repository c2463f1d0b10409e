//! `ls`: lists the keys of a document.

use clap::Args;
use coconut_format::truncated::Truncated;
use coconut_report::answers::ls::{Columns, Found, Keys, LsQuestion};
use coconut_report::failure::{Exit, Failure};
use coconut_shell::console::{Console, DIM};
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
        let question = LsQuestion {
            glob,
            ignore_case: self.ignore_case,
            class: self.class.as_deref(),
            types: &self.types,
            limit: self.limit,
            only_count: self.count,
        };
        let keys = Keys::of(opened.source(), &question, console.reveal)?;
        if console.json {
            return Ok(self.exit(keys.write_json(console)?, glob));
        }
        if self.count {
            let found = keys.count()?;
            console.line(&found.count.to_string())?;
            return Ok(self.exit(found, glob));
        }
        let columns = match (self.long, console.is_terminal() && keys.has_classes()) {
            (true, _) => Columns::All,
            (false, true) => Columns::Classes,
            (false, false) => Columns::Keys,
        };
        let found = keys.write_text(columns, &mut console.text())?;
        if let Some(note) = keys.cut_note(found)? {
            match console.is_one_of_several() {
                true => console.note(&format!("{}: {note}", opened.name)),
                false => console.text().styled(DIM, &note)?,
            }
        }
        Ok(self.exit(found, glob))
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
