//! The command line of `query`.

use super::worker::Limits;
use clap::Args;
use clap::builder::TypedValueParser;
use coconut_format::truncated::Truncated;
use coconut_query::{Notation, Style, Val};
use coconut_report::failure::Failure;
use coconut_shell::choice::choice_of;
use coconut_shell::console::Console;
use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::path::PathBuf;

#[derive(Args, Debug)]
pub(super) struct Options {
    /// The filter, then documents, sources or folders
    ///
    /// `-` is standard input, which is also read if there is no FILE.
    #[arg(value_name = "FILTER", required_unless_present_any = ["from_file", "args", "jsonargs"])]
    filter_and_files: Vec<OsString>,

    /// Read the filter from a file; all arguments are documents
    #[arg(long, short = 'f', value_name = "FILE")]
    from_file: Option<PathBuf>,

    /// Run the filter for each outermost landmark
    ///
    /// Its value is the input, and `$key`, `$file` and `$ordinal` are set.
    #[arg(long, help_heading = "Inputs")]
    each: bool,

    /// Only landmarks with this key (repeatable)
    ///
    /// The whole key, a short form, or a pattern with `*` and `?`.
    #[arg(long, value_name = "GLOB", help_heading = "Inputs")]
    pub(super) key: Vec<String>,

    /// Only landmarks of this type (repeatable)
    ///
    /// The whole type, its last part, or a pattern.
    #[arg(long = "type", value_name = "TYPE", help_heading = "Inputs")]
    pub(super) types: Vec<String>,

    /// Only landmarks with a value that matches a pattern (repeatable)
    ///
    /// For example, `/outputs/region=eu-*`.
    #[arg(long = "where", value_name = "POINTER=GLOB", help_heading = "Inputs", hide_short_help = true)]
    pub(super) conditions: Vec<String>,

    /// Run the filter once, with a list of all documents as input
    ///
    /// The functions for landmarks fail then.
    #[arg(long, short, help_heading = "Inputs",
        conflicts_with_all = ["each", "key", "types", "conditions", "null_input", "with_file"])]
    pub(super) slurp: bool,

    /// Read text instead of documents: each line is an input
    ///
    /// With `--slurp`, the whole text is one input.
    #[arg(long, short = 'R', help_heading = "Inputs", hide_short_help = true,
        conflicts_with_all = ["each", "key", "types", "conditions", "stream"])]
    pub(super) raw_input: bool,

    /// Run the filter for each path to a leaf of a document, as `tostream` gives them
    #[arg(long, help_heading = "Inputs", hide_short_help = true,
        conflicts_with_all = ["null_input", "slurp"])]
    pub(super) stream: bool,

    /// Run the filter once, with `null` as input
    #[arg(long, short, help_heading = "Inputs")]
    pub(super) null_input: bool,

    /// Set `$NAME` to a string
    #[arg(long, num_args = 2, value_names = ["NAME", "TEXT"], help_heading = "Inputs")]
    arg: Vec<String>,

    /// Set `$NAME` to a JSON value
    #[arg(long, num_args = 2, value_names = ["NAME", "JSON"], help_heading = "Inputs", hide_short_help = true)]
    argjson: Vec<String>,

    /// Set `$NAME` to the list of the JSON values in a file
    #[arg(long, num_args = 2, value_names = ["NAME", "FILE"], help_heading = "Inputs", hide_short_help = true)]
    slurpfile: Vec<String>,

    /// Set `$NAME` to the text of a file
    #[arg(long, num_args = 2, value_names = ["NAME", "FILE"], help_heading = "Inputs", hide_short_help = true)]
    rawfile: Vec<String>,

    /// The following arguments are strings in `$ARGS.positional`, not files
    ///
    /// If there is no FILTER before, the first of them is the filter.
    #[arg(long, num_args = 0.., value_name = "TEXT", help_heading = "Inputs", hide_short_help = true)]
    args: Vec<String>,

    /// The same for JSON values
    #[arg(long, num_args = 0.., value_name = "JSON", conflicts_with = "args", help_heading = "Inputs",
        hide_short_help = true)]
    jsonargs: Vec<String>,

    /// Output format
    #[arg(long = "as", value_name = "NOTATION", default_value = "json", help_heading = "Results",
        value_parser = notations())]
    notation: Notation,

    /// Print results as a table; the same as `--as table`
    #[arg(long, conflicts_with = "notation", help_heading = "Results", hide_short_help = true)]
    table: bool,

    /// Print strings without quotes
    #[arg(long, short, visible_alias = "raw-output", help_heading = "Results")]
    raw: bool,

    /// Print strings without quotes, and results without newlines between them
    #[arg(long, short, visible_alias = "join-output", help_heading = "Results", hide_short_help = true)]
    join: bool,

    /// Print each result on one line
    #[arg(long, short, visible_alias = "compact-output", help_heading = "Results")]
    compact: bool,

    /// Use colours; the same as `--color always`
    #[arg(long, short = 'C', help_heading = "Results", hide_short_help = true)]
    color_output: bool,

    /// Sort the keys of objects
    #[arg(long, short = 'S', help_heading = "Results", hide_short_help = true)]
    sort_keys: bool,

    /// Indent with tabs
    #[arg(long, conflicts_with = "compact", help_heading = "Results", hide_short_help = true)]
    tab: bool,

    /// Spaces per level
    #[arg(long, value_name = "N", conflicts_with_all = ["compact", "tab"], help_heading = "Results",
        value_parser = clap::value_parser!(u8).range(0..=8), hide_short_help = true)]
    indent: Option<u8>,

    /// Exit with 1 if the last result is false, null or missing
    #[arg(long, short, help_heading = "Results")]
    pub(super) exit_status: bool,

    /// Print the file name and a tab before each line
    #[arg(long, help_heading = "Results", hide_short_help = true)]
    pub(super) with_file: bool,

    /// Stop after this many results
    #[arg(long, value_name = "N", help_heading = "Results")]
    pub(super) limit: Option<u64>,

    /// Maximum number of steps for each input
    #[arg(
        long,
        value_name = "N",
        default_value_t = 50_000_000,
        help_heading = "Limits",
        hide_short_help = true
    )]
    pub(super) max_steps: u64,

    /// Maximum memory in addition to the document
    ///
    /// Does not apply to a filter that only selects.
    #[arg(long, value_name = "MIB", default_value_t = 1024, help_heading = "Limits", hide_short_help = true)]
    max_memory: u64,

    /// Maximum CPU time
    ///
    /// Does not apply to a filter that only selects.
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 60,
        help_heading = "Limits",
        hide_short_help = true
    )]
    timeout: u64,

    /// Run a trusted filter in this process, without limits on memory and time
    #[arg(long, help_heading = "Limits", hide_short_help = true)]
    pub(super) no_worker: bool,

    /// Be the process that runs the filter
    #[arg(long, hide = true)]
    pub(super) worker: bool,

    /// The errors of this process reach a terminal by a pipe
    #[arg(long, hide = true)]
    is_seen: bool,

    /// So does its output
    #[arg(long, hide = true)]
    is_shown: bool,

    /// Results have colours
    #[arg(long, hide = true)]
    is_coloured: bool,
}

impl Options {
    /// The text of the filter, and its files.
    pub(super) fn filter_and_files(&self) -> Result<(String, Vec<PathBuf>), Failure> {
        let (filter, files) = match (&self.from_file, &self.filter_and_files[..]) {
            (Some(file), files) => (coconut_shell::open::read_text(file)?, files),
            (None, [filter, files @ ..]) => {
                let filter = filter.to_str().ok_or_else(|| Failure::usage("the filter is not UTF-8"))?;
                (filter.to_owned(), files)
            }
            (None, []) if self.has_filter_in_arguments() => {
                let all = [&self.args[..], &self.jsonargs[..]].concat();
                (all.into_iter().next().unwrap_or_default(), &[][..])
            }
            (None, []) => return Err(Failure::usage("there is no filter")),
        };
        let mut files: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
        if files.is_empty() && !self.null_input {
            if std::io::stdin().is_terminal() {
                let failure = Failure::usage("there is no file to query");
                return Err(failure.with_hint("name a file after the filter, `-` for standard input"));
            }
            files.push(PathBuf::from("-"));
        }
        Ok((filter, files))
    }

    /// Whether the first argument of `--args` or `--jsonargs` is the filter.
    fn has_filter_in_arguments(&self) -> bool {
        let is_given = self.from_file.is_some() || !self.filter_and_files.is_empty();
        !is_given && (!self.args.is_empty() || !self.jsonargs.is_empty())
    }

    /// Whether the filter comes from a pipe, which can be read only once, by the process that runs
    /// it.
    pub(super) fn has_filter_in_pipe(&self) -> bool {
        let metadata = self.from_file.as_ref().map(std::fs::metadata);
        metadata.is_some_and(|metadata| metadata.is_ok_and(|metadata| !metadata.is_file()))
    }

    /// Whether the filter runs for landmarks, rather than documents.
    pub(super) fn is_each(&self) -> bool {
        self.each || !self.key.is_empty() || !self.types.is_empty() || !self.conditions.is_empty()
    }

    /// Whether standard error is a terminal, or leads to one.
    pub(super) fn is_seen(&self) -> bool {
        self.is_seen || std::io::stderr().is_terminal()
    }

    /// Whether the filter runs for a document as it is.
    pub(super) fn is_whole(&self) -> bool {
        !self.is_each() && !self.null_input && !self.slurp && !self.raw_input && !self.stream
    }

    pub(super) fn limits(&self) -> Limits {
        Limits { memory: self.max_memory, seconds: self.timeout }
    }

    pub(super) fn style(&self, console: &Console) -> Style {
        let indent = match (self.compact, self.tab, self.indent) {
            (true, ..) | (.., Some(0)) => None,
            (_, true, _) => Some("\t".to_owned()),
            (.., indent) => Some(" ".repeat(indent.unwrap_or(2).into())),
        };
        let notation = if self.table { Notation::Table } else { self.notation };
        // A worker forces colours for its errors.
        let is_coloured = if self.worker { self.is_coloured } else { console.is_coloured() };
        Style {
            notation,
            raw: self.raw || self.join,
            joined: self.join,
            sorts_keys: self.sort_keys,
            indent,
            is_safe: self.is_shown || console.is_terminal(),
            is_coloured: is_coloured || self.color_output,
        }
    }

    /// The names of the variables available to a filter, with their `$`.
    pub(super) fn variable_names(&self) -> Vec<String> {
        let names = self.pairs().map(|pair| format!("${}", pair.name));
        let own = ["$ARGS", "$file", "$key", "$ordinal"].map(str::to_owned);
        names.chain(own).collect()
    }

    /// The values of these variables, except the last three, which are set for each input.
    pub(super) fn variable_values(&self) -> Result<Vec<Val>, Failure> {
        let mut values = Vec::new();
        let mut named = Vec::new();
        for Pair { name, text, kind } in self.pairs() {
            let value = match kind {
                PairKind::Text => Val::text(text),
                PairKind::Json => parsed(name, text)?,
                PairKind::FileText => Val::text(coconut_shell::open::read_text(text.as_ref())?),
                PairKind::FileValues => values_of(text)?,
            };
            named.push((name.to_owned(), value.clone()));
            values.push(value);
        }
        let first = usize::from(self.has_filter_in_arguments());
        let texts = self.args.iter().skip(first).map(|text| Ok(Val::text(text)));
        let json = self.jsonargs.iter().skip(first).map(|text| parsed("ARGS.positional", text));
        let positional = texts.chain(json).collect::<Result<Vec<Val>, Failure>>()?;
        let arguments = [("positional", Val::list(positional)), ("named", Val::of_entries(named))];
        values.push(Val::of_entries(arguments.map(|(key, value)| (key.to_owned(), value))));
        Ok(values)
    }

    /// Each variable of the command line.
    fn pairs(&self) -> impl Iterator<Item = Pair<'_>> {
        let all = [
            (&self.arg, PairKind::Text),
            (&self.argjson, PairKind::Json),
            (&self.slurpfile, PairKind::FileValues),
            (&self.rawfile, PairKind::FileText),
        ];
        all.into_iter().flat_map(|(arguments, kind)| {
            arguments.chunks_exact(2).filter_map(move |pair| match pair {
                [name, text] => Some(Pair { name, text, kind }),
                _ => None,
            })
        })
    }
}

/// A variable of the command line, and the argument for its value.
struct Pair<'o> {
    name: &'o str,
    text: &'o str,
    kind: PairKind,
}

/// The meaning of the argument for a variable.
#[derive(Clone, Copy)]
enum PairKind {
    Text,
    Json,
    /// A file whose text is the value.
    FileText,
    /// A file with JSON values, which are the items of the value.
    FileValues,
}

/// The list of the JSON values in a file: one, or one on each line.
fn values_of(file: &str) -> Result<Val, Failure> {
    let text = coconut_shell::open::read_text(file.as_ref())?;
    let lines = || text.lines().filter(|line| !line.trim().is_empty()).map(Val::of_json).collect();
    let values = Val::of_json(&text).map(|value| vec![value]).or_else(lines);
    values.map(Val::list).ok_or_else(|| {
        let message = "expected a JSON value, or one on each line";
        Failure::usage(message).in_file(file).with_hint("`--rawfile` reads a file as text")
    })
}

fn parsed(name: &str, text: &str) -> Result<Val, Failure> {
    Val::of_json(text).ok_or_else(|| {
        let failure = Failure::usage(format!("the value of `${}` is not JSON", Truncated(name)));
        failure.with_hint("`--arg` sets a string")
    })
}

/// The notations of results.
fn notations() -> impl TypedValueParser<Value = Notation> {
    choice_of(&[
        (Notation::Json, "json", "Each result as indented JSON"),
        (Notation::Jsonl, "jsonl", "Each result on a line"),
        (Notation::Yaml, "yaml", "Each result as a document of YAML"),
        (Notation::Table, "table", "All results as rows in columns for people"),
        (Notation::Csv, "csv", "Each result as a row, with commas"),
        (Notation::Tsv, "tsv", "Each result as a row, with tabs"),
    ])
}
