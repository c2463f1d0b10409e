//! `diff`: shows the differences between two documents.

mod api;
mod before_after;
mod git;
mod patch;
mod rules;
mod schemas;

use clap::{Args, ValueEnum};
use coconut_codec::read::tree::TreeValue;
use coconut_codec::read::view::WatchedView;
use coconut_diff::value::{ListMode, Moves, PlacePattern};
use coconut_diff::{
    Diff as Comparison, Happened, Options, ResourceChange, Side, Strict, is_of_unknown_kind, is_same_document,
};
use coconut_format::landmark::Trail;
use coconut_format::node::{Kind, Node};
use coconut_report::diff::{self as report, Counted, Filter, NamedDocument, Selection, Shape, Sort};
use coconut_report::failure::{Exit, Failure};
use coconut_report::name_filter::described;
use coconut_report::select::{Classes, Need, select_one};
use coconut_shell::choice::choice;
use coconut_shell::console::{Console, visible};
use coconut_shell::open::{Access, Both, Documents, Opened, open_both};
use schemas::UnknownTypes;
use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Show what changed between two documents
///
/// Compares resources by meaning. Their keys, aliases and ids decide which are the same, lists are
/// compared by their meaning, and metadata of tools does not count. Documents of an unknown kind
/// are compared value by value. There, the order of items and the form of numbers count, unless
/// `--list` states otherwise. With KEY, only that value is compared, named as for `get`.
///
/// For two packages or schemas, reports what the new one breaks. `explain` lists the rules.
///
/// Exits with 0 if nothing differs and with 1 if something does. Secrets are hidden. Values that
/// are not known yet do not count as differences.
#[derive(Args, Debug)]
#[command(after_long_help = include_str!("../../tests/help/diff.trycmd"))]
pub struct Diff {
    /// The old document or source; with --plan or --events, a KEY
    #[arg(required_unless_present_any = ["plan", "events", "git"])]
    old: Option<PathBuf>,

    /// The new document or source
    #[arg(required_unless_present_any = ["plan", "events", "git"])]
    new: Option<PathBuf>,

    /// Compare only this value: a key, a JSON pointer, or both
    #[arg(value_name = "KEY[/POINTER]")]
    key: Option<String>,

    /// Compare before and after of a Terraform plan (JSON)
    #[arg(long, value_name = "PLAN", conflicts_with_all = ["new", "events"], help_heading = "Comparison")]
    plan: Option<PathBuf>,

    /// Show what had changed outside Terraform before the plan
    #[arg(long, requires = "plan", help_heading = "Comparison", hide_short_help = true)]
    drift: bool,

    /// Compare before and after of a Pulumi preview
    ///
    /// The file contains the events of a Pulumi engine, or a preview as JSON.
    #[arg(long, value_name = "FILE", conflicts_with = "new", help_heading = "Comparison")]
    events: Option<PathBuf>,

    /// The arguments with which git runs a command for `git diff`
    #[arg(long, num_args = 1..=9, hide = true, conflicts_with_all = ["old", "plan", "events"])]
    git: Vec<PathBuf>,

    /// Output format; --json means `json`
    #[arg(long = "as", value_name = "FORM", default_value = "text")]
    form: Form,

    /// Print only how many resources changed
    #[arg(long, conflicts_with = "name_only")]
    stat: bool,

    /// Print only the sign and key of each changed resource
    #[arg(long)]
    name_only: bool,

    /// Count every difference
    ///
    /// Order, forms of numbers, and metadata of tools then count, too.
    #[arg(long)]
    exact: bool,

    /// Only resources with this key (repeatable)
    ///
    /// The whole key, its last part, or a pattern.
    #[arg(long = "key", value_name = "KEY", help_heading = "Selection")]
    keys: Vec<String>,

    /// Only resources of this type (repeatable)
    ///
    /// The whole type, its last part, or a pattern.
    #[arg(long = "type", value_name = "TYPE", help_heading = "Selection")]
    types: Vec<String>,

    /// Only changes at these places (repeatable)
    ///
    /// A JSON pointer in which `*` matches one step, and `**` any number of them.
    #[arg(long = "path", value_name = "POINTER-GLOB", help_heading = "Selection")]
    paths: Vec<String>,

    /// Only these kinds of changes (comma-separated)
    ///
    /// `changed` includes moved resources that also changed.
    #[arg(long, value_name = "WHAT", value_delimiter = ',', help_heading = "Selection",
        value_parser = choice(&Sort::ALL, Sort::name, Sort::meaning))]
    only: Vec<Sort>,

    /// Ignore changes that match a rule (repeatable)
    ///
    /// A rule has the form `TYPE[KEY]::/PLACE=VALUE`, or `RULE[TOKEN]` for packages.
    #[arg(long = "ignore", value_name = "RULE", help_heading = "Selection")]
    ignore: Vec<String>,

    /// Ignore changes between a string and the number or boolean it spells
    #[arg(long, help_heading = "Selection", hide_short_help = true)]
    ignore_datatypes: bool,

    /// Read rules from a file (default: `.cocodiff`)
    ///
    /// The file has one rule per line. Without this option, `.cocodiff` is read if it exists.
    #[arg(long, value_name = "FILE", help_heading = "Selection", hide_short_help = true)]
    ignore_from: Option<PathBuf>,

    /// Warn about rules that match nothing
    #[arg(long, help_heading = "Selection", hide_short_help = true)]
    strict_ignores: bool,

    /// Whether a value that is not known yet counts as a difference
    #[arg(
        long,
        value_name = "HOW",
        default_value = "usual",
        help_heading = "Comparison",
        hide_short_help = true
    )]
    unknown: Severity,

    /// Whether a re-encrypted secret counts as a difference
    #[arg(
        long,
        value_name = "HOW",
        default_value = "usual",
        help_heading = "Comparison",
        hide_short_help = true
    )]
    secrets: Severity,

    /// How to compare the lists at a place
    ///
    /// MODE is index, ordered, set, multiset, key:NAME or ordered:NAME.
    #[arg(long = "list", value_name = "PLACE=MODE", help_heading = "Comparison", hide_short_help = true)]
    lists: Vec<String>,

    /// Schema of the resources (repeatable)
    ///
    /// It states which lists are sets, and which properties are secret or computed or require
    /// replacement. FILE is a Pulumi schema, the output of `terraform providers schema -json`,
    /// types of the CloudFormation registry, or a package.
    #[arg(long = "schema", value_name = "FILE", help_heading = "Comparison")]
    schemas: Vec<PathBuf>,

    /// Show moved resources as deleted and created
    #[arg(long, conflicts_with = "moves", help_heading = "Comparison", hide_short_help = true)]
    no_moves: bool,

    /// Evidence that a resource with another key is the same
    ///
    /// Default: alias and id, or else digest.
    #[arg(
        long,
        value_name = "EVIDENCE",
        value_delimiter = ',',
        help_heading = "Comparison",
        hide_short_help = true
    )]
    moves: Vec<Evidence>,

    /// In a patch, test each old value before changing it
    #[arg(long, help_heading = "Display", hide_short_help = true)]
    patch_tests: bool,

    /// Show everything
    ///
    /// Also shows differences that do not count, and the entries of created and deleted resources.
    #[arg(long)]
    full: bool,

    /// Truncate values to this many characters
    #[arg(long, value_name = "N", default_value_t = 100, help_heading = "Display", hide_short_help = true)]
    width: usize,

    /// Unchanged lines to show around the changed lines of a string
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Display", hide_short_help = true)]
    context: usize,

    /// Print at most this many changes; all of them are counted
    ///
    /// Default: 10000 for text and Markdown, and all for JSON and `--name-only`.
    #[arg(long, value_name = "N", help_heading = "Display", hide_short_help = true)]
    max_changes: Option<usize>,

    /// Changes that make the exit code 1 (comma-separated) [default: any]
    ///
    /// `changed` includes moved resources that also changed.
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    fail_on: Vec<FailOn>,

    #[command(flatten)]
    api: api::ApiOptions,
}

/// The form of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// Text for people
    Text,
    /// One JSON report
    Json,
    /// A line of JSON for each resource, and then the summary
    Jsonl,
    /// A JSON Patch (RFC 6902) that turns OLD into NEW
    Patch,
    /// A JSON Merge Patch (RFC 7396) that turns OLD into NEW
    MergePatch,
    /// A table and folded details, for pull requests
    Markdown,
}

/// The differences that set the exit code to 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FailOn {
    None,
    Any,
    Created,
    Deleted,
    Replaced,
    Moved,
    Changed,
    /// Kept, but no longer managed
    Forgotten,
    /// For packages: changes that break their users
    Breaking,
    /// For packages: changes that break their users or change behaviour
    Warning,
}

/// Whether what may be no difference counts as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Severity {
    /// It does not count
    Usual,
    /// It counts
    Strict,
}

/// Evidence that a resource has moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Evidence {
    Alias,
    Id,
    Digest,
}

impl Diff {
    pub(super) fn run(&self, documents: &dyn Documents, console: &mut Console) -> Result<Exit, Failure> {
        match self.git.is_empty() {
            true => self.answer(documents, console),
            false => git::run(self, documents, console),
        }
    }

    fn answer(&self, documents: &dyn Documents, console: &mut Console) -> Result<Exit, Failure> {
        self.check_options()?;
        let mut filter = self.filter(console)?;
        // A selection is searched in equal documents, too.
        let is_whole = self.key().is_none() && !filter.selects_resources() && !self.is_patch();
        let both = self.files().filter(|_| is_whole);
        let (is_known_same, old, new) = match both.and_then(|(a, b)| open_both(a, b, console.reveal)) {
            Some(Both::Same(old, new)) => (true, old, new),
            Some(Both::Other(old, new)) => (false, old, new),
            None => self.open(documents, console).map(|(old, new)| (false, old, new))?,
        };
        if let Some(exit) = api::run(self, (&old, &new), &filter, documents, console)? {
            self.warn_of_rules(&filter, console);
            return Ok(exit);
        }
        self.check_types(&old, &new)?;
        let is_of_packages = |what: &FailOn| matches!(what, FailOn::Breaking | FailOn::Warning);
        if self.fail_on.iter().any(is_of_packages) && !api::are_empty_packages(self, (&old, &new)) {
            let hint = match api::has_definitions(&old) && api::has_definitions(&new) {
                true => "use `--fail-on any`, or `--api` to compare only definitions",
                false => "use `--fail-on any`",
            };
            let text = "`--fail-on breaking` and `warning` are for packages and schemas, and these documents are compared as values";
            return Err(Failure::usage(text).in_file(&new.name).with_hint(hint));
        }
        if self.is_patch() {
            let schemas = schemas::open_schemas(&self.schemas, documents, console)?;
            return self.print_patch(&old, &new, &schemas, console);
        }
        let is_same = is_known_same || is_whole && is_same_document(old.view(), new.view());
        if is_same && !is_known_same {
            old.view().check_blocks().map_err(|error| Failure::from(error).in_file(&old.name))?;
        }
        let counted = match is_same {
            true => {
                let shape = self.shape(console);
                self.documents(&old, &new).write_equal(&mut filter, &shape, console)?
            }
            false => {
                let schemas = schemas::open_schemas(&self.schemas, documents, console)?;
                self.compare((&old, &new), &schemas, &mut filter, console)?
            }
        };
        self.warn_of_rules(&filter, console);
        if counted.not_shown > 0 && !self.stat && (self.name_only || console.json || self.form != Form::Text)
        {
            let count = counted.not_shown;
            console.warn(None, &format!("{count} changes are not listed (--max-changes)"));
        }
        Ok(self.exit(&counted))
    }

    fn filter(&self, console: &mut Console) -> Result<Filter, Failure> {
        Filter::new(Selection {
            keys: &self.keys,
            types: &self.types,
            paths: &self.paths,
            only: &self.only,
            rules: rules::of(&self.ignore, self.ignore_from.as_deref(), console)?,
            ignores_datatypes: self.ignore_datatypes,
            is_full: self.full,
        })
    }

    fn shape(&self, console: &Console) -> Shape {
        Shape {
            form: match self.form {
                Form::Text if console.json => report::Form::Json,
                Form::Text | Form::Patch | Form::MergePatch => report::Form::Text,
                Form::Json => report::Form::Json,
                Form::Jsonl => report::Form::Jsonl,
                Form::Markdown => report::Form::Markdown,
            },
            only_summary: self.stat,
            only_names: self.name_only,
            is_full: self.full,
            width: self.width,
            context: self.context,
            max_changes: self.max_changes.unwrap_or_else(|| self.usual_max_changes(console)),
            reveals: console.reveal,
            is_coloured: console.is_coloured(),
        }
    }

    /// The usual maximum: lists for people end at some point, and those for scripts are whole.
    fn usual_max_changes(&self, console: &Console) -> usize {
        let is_for_people = matches!(self.form, Form::Text | Form::Markdown) && !console.json;
        if is_for_people && !self.name_only { Shape::default().max_changes } else { usize::MAX }
    }

    fn documents<'d>(&self, old: &'d Opened, new: &'d Opened) -> report::Documents<'d> {
        report::Documents { old: named(old), new: named(new), are_parts: self.key().is_some() }
    }

    fn warn_of_rules(&self, filter: &Filter, console: &mut Console) {
        for rule in filter.unused_rules().filter(|_| self.strict_ignores) {
            console.warn(None, &format!("no difference matches `{rule}`"));
        }
    }

    /// The differences that set the exit code to 1.
    fn fail_on(&self) -> &[FailOn] {
        if self.fail_on.is_empty() { &[FailOn::Any] } else { &self.fail_on }
    }

    /// The value to compare. If one file is both documents, it is the only argument.
    fn key(&self) -> Option<Cow<'_, str>> {
        match (&self.old, self.plan.is_some() || self.events.is_some()) {
            (Some(key), true) => Some(key.to_string_lossy()),
            _ => self.key.as_deref().map(Cow::Borrowed),
        }
    }

    /// The two files to compare, unless another option names them.
    fn files(&self) -> Option<(&Path, &Path)> {
        let is_of_two = self.plan.is_none() && self.events.is_none() && self.git.is_empty();
        Some((self.old.as_deref().filter(|_| is_of_two)?, self.new.as_deref()?))
    }

    fn is_patch(&self) -> bool {
        matches!(self.form, Form::Patch | Form::MergePatch)
    }

    /// Refuses options that have no meaning together.
    fn check_options(&self) -> Result<(), Failure> {
        if self.fail_on.len() > 1 && self.fail_on.contains(&FailOn::None) {
            return Err(Failure::usage("`--fail-on none` cannot be used with another word"));
        }
        // The parser does not check this together with OLD and NEW.
        if self.drift && self.plan.is_none() {
            return Err(Failure::usage("`--drift` needs a plan").with_hint("use `--plan PLAN --drift`"));
        }
        if !self.is_patch() {
            return match self.patch_tests {
                true => Err(Failure::usage("`--patch-tests` needs a patch").with_hint("use `--as patch`")),
                false => Ok(()),
            };
        }
        if self.key().is_some() {
            return Err(Failure::usage("a patch covers whole documents; omit the key"));
        }
        let selections = [
            ("--key", !self.keys.is_empty()),
            ("--type", !self.types.is_empty()),
            ("--path", !self.paths.is_empty()),
            ("--only", !self.only.is_empty()),
            ("--ignore", !self.ignore.is_empty()),
            ("--ignore-from", self.ignore_from.is_some()),
            ("--ignore-datatypes", self.ignore_datatypes),
            ("--stat", self.stat),
            ("--name-only", self.name_only),
            ("--full", self.full),
            ("--strict-ignores", self.strict_ignores),
            ("--list", !self.lists.is_empty()),
            ("--moves", !self.moves.is_empty()),
            ("--no-moves", self.no_moves),
            ("--unknown", self.unknown == Severity::Strict),
            ("--secrets", self.secrets == Severity::Strict),
        ];
        match selections.iter().find(|(_, is_there)| *is_there) {
            Some((name, _)) => Err(Failure::usage(format!("a patch covers whole documents; omit `{name}`"))),
            None => Ok(()),
        }
    }

    fn open(&self, documents: &dyn Documents, console: &mut Console) -> Result<(Opened, Opened), Failure> {
        if let Some(plan) = &self.plan {
            let plan = documents.open(plan, Access::Whole, console)?;
            return before_after::of_plan(&plan, self.drift, console);
        }
        if let Some([old, new]) = git::versions(&self.git) {
            return Ok((open_for_git(documents, &old, console)?, open_for_git(documents, &new, console)?));
        }
        if let Some(events) = &self.events {
            return before_after::of_events(&documents.open(events, Access::Whole, console)?);
        }
        let (Some(old), Some(new)) = (&self.old, &self.new) else {
            return Err(Failure::usage("two documents are needed"));
        };
        if old == new && old.as_os_str() == "-" {
            return Err(Failure::usage("only one document can come from standard input"));
        }
        let access = if self.key().is_some() { Access::Lookup } else { Access::Whole };
        let mut open = |path| open_or_nothing(documents, path, access, console);
        Ok((open(old)?, open(new)?))
    }

    /// A package and a graph have nothing in common.
    fn check_types(&self, old: &Opened, new: &Opened) -> Result<(), Failure> {
        let of = |opened: &Opened| opened.view().header().document_type.clone();
        match (of(old), of(new)) {
            _ if !self.git.is_empty() || old.is_nothing || new.is_nothing => Ok(()),
            (a, b) if a != b && [&a, &b].iter().any(|name| *name == "cocopack") => {
                let text = format!("a `{a}` cannot be compared with a `{b}`");
                Err(Failure::usage(text).in_file(&new.name))
            }
            _ => Ok(()),
        }
    }

    fn compare(
        &self,
        (old_file, new_file): (&Opened, &Opened),
        schemas: &[Opened],
        filter: &mut Filter,
        console: &mut Console,
    ) -> Result<Counted, Failure> {
        let side = |opened: &Opened| -> Result<(), Failure> {
            opened.read_fault().map_or(Ok(()), |fault| Err(fault.in_file(&opened.name)))
        };
        let in_file = |opened: &Opened, error| Failure::from(error).in_file(&opened.name);
        let [old, new] = Side::read_both(old_file.view(), new_file.view());
        let old = old.map_err(|error| in_file(old_file, error))?;
        let new = new.map_err(|error| in_file(new_file, error))?;
        side(old_file)?;
        side(new_file)?;
        self.check_selection(filter, [&old, &new]).map_err(|failure| failure.in_file(&new_file.name))?;
        let is_plain = is_of_unknown_kind(old_file.view()) && is_of_unknown_kind(new_file.view());
        let options = self.options(is_plain, console)?;
        warn_of_states([&old, &new], console);
        warn_of_keys(&options, [&old, &new], console);
        let trees = schemas.iter().map(api::tree).collect::<Result<Vec<_>, _>>()?;
        let described = schemas::described(schemas, &trees)?;
        let mut diff = match self.key() {
            None => Comparison::of(&old, &new, &options),
            Some(key) => {
                let key = &*key;
                let (before, after) = (way(old_file, key)?, way(new_file, key));
                let (before, after) = match (before, after) {
                    (before, Ok(after)) => (before, after),
                    (_, Err(failure)) => return Err(failure),
                };
                if before.is_none() && after.is_none() {
                    return Err(missing(old_file, key));
                }
                let sides = ((&old, before.as_deref()), (&new, after.as_deref()));
                Comparison::of_values(sides.0, sides.1, key, &options)
            }
        }
        .map_err(|error| in_file(new_file, error))?;
        if !schemas.is_empty() {
            diff.describe(&described).map_err(|error| in_file(new_file, error))?;
        }
        self.warn_of_places(&diff, &options, console);
        let mut unknown = UnknownTypes::default();
        let (shape, documents) = (self.shape(console), self.documents(old_file, new_file));
        let seen = &mut |resource: &ResourceChange<'_>| unknown.add(resource);
        let counted = documents.write(&mut diff, filter, &shape, console, seen)?;
        unknown.warn(console);
        Ok(counted)
    }

    /// An empty selection would hide every difference. Git asks about any file.
    fn check_selection(&self, filter: &Filter, sides: [&Side<'_>; 2]) -> Result<(), Failure> {
        let is_whole = self.key().is_none() && self.git.is_empty() && filter.selects_resources();
        match is_whole && !sides.iter().any(|side| filter.has_one_of(side)) {
            true => Err(nothing_has(self)),
            false => Ok(()),
        }
    }

    fn options(&self, is_plain: bool, console: &Console) -> Result<Options, Failure> {
        let lists = self.lists.iter().map(|text| {
            // A place may have this sign, and so may a mode.
            let mut splits = text.rmatch_indices('=').map(|(at, _)| (&text[..at], &text[at + 1..]));
            let parsed = splits
                .find_map(|(place, mode)| Some((PlacePattern::parse(place).ok()?, ListMode::parse(mode)?)));
            parsed.ok_or_else(|| {
                let text = format!("`{text}` is not PLACE=MODE");
                Failure::usage(text).with_hint("for instance `/inputs/rules=set` or `/**/ports=key:name`")
            })
        });
        let has = |evidence| self.moves.contains(&evidence);
        let usual = match (&self.plan, &self.events) {
            // A plan records all moves, deletions and creations. So does an engine, which creates
            // an alias for each move.
            (None, None) => Moves::USUAL,
            _ => Moves { by_alias: true, ..Moves::NONE },
        };
        let moves = match (self.no_moves, self.moves.is_empty()) {
            (true, _) => Moves::NONE,
            (false, true) => usual,
            (false, false) => Moves {
                by_alias: has(Evidence::Alias),
                by_id: has(Evidence::Id),
                by_digest: Some(has(Evidence::Digest)),
                ..Moves::NONE
            },
        };
        let moves = Moves { as_planned: self.plan.is_some(), ..moves };
        Ok(Options {
            is_exact: self.exact,
            moves,
            lists: lists.collect::<Result<_, _>>()?,
            // A place in a created or deleted resource is found by its entries.
            is_full: self.full || !self.paths.is_empty(),
            reveals: console.reveal,
            strict: Strict {
                unknowns: self.unknown == Severity::Strict,
                secrets: self.secrets == Severity::Strict,
                forms: is_plain,
            },
        })
    }

    /// Warns of places given for lists that do not refer to a list.
    fn warn_of_places(&self, diff: &Comparison<'_>, options: &Options, console: &mut Console) {
        // If the forms differ, places begin at the parts that both forms have.
        if !diff.has_one_form() {
            return;
        }
        for (text, (place, _)) in self.lists.iter().zip(&options.lists) {
            if !diff.has_list_at(place) {
                let message = format!(
                    "there is no list for `--list {}`\n  = places begin at a resource, like the places in the answer",
                    visible(text)
                );
                console.warn(None, &message);
            }
        }
    }

    /// A patch does not distinguish kinds of changes.
    fn exit_of_patch(&self) -> Exit {
        if self.fail_on == [FailOn::None] { Exit::Good } else { Exit::Negative }
    }

    fn exit(&self, counted: &Counted) -> Exit {
        let fails = self.fail_on().iter().any(|what| match what {
            FailOn::None | FailOn::Breaking | FailOn::Warning => false,
            FailOn::Any => counted.is_any(),
            FailOn::Created => counted.of(Happened::Created) > 0,
            FailOn::Deleted => counted.of(Happened::Deleted) > 0,
            FailOn::Replaced => counted.of(Happened::Replaced) > 0,
            FailOn::Moved => counted.of(Happened::Moved) > 0,
            FailOn::Forgotten => counted.forgotten > 0,
            FailOn::Changed => counted.of(Happened::Changed) + counted.moved_and_changed + counted.front > 0,
        });
        // Git treats any exit code other than 0 as a failure.
        if fails && self.git.is_empty() { Exit::Negative } else { Exit::Good }
    }
}

/// Opens a version of a file. Git has no content for a missing one, and shows empty files, too.
fn open_for_git(
    documents: &dyn Documents,
    version: &git::Version<'_>,
    console: &mut Console,
) -> Result<Opened, Failure> {
    version.check_is_file()?;
    match open_or_nothing(documents, version.file, Access::Whole, console) {
        Err(failure) if failure.code() == "ENV-EMPTY" => before_after::nothing(version.name()),
        opened => {
            let mut opened = opened?;
            opened.name = version.name();
            Ok(opened)
        }
    }
}

/// Opens a document. A YAML file without any document counts as missing, and so does `/dev/null`.
fn open_or_nothing(
    documents: &dyn Documents,
    path: &Path,
    access: Access,
    console: &mut Console,
) -> Result<Opened, Failure> {
    let is_yaml = path.extension().is_some_and(|ending| ending == "yaml" || ending == "yml");
    let named = || path.to_string_lossy().into_owned();
    if path == Path::new(git::NOTHING) {
        return before_after::nothing(named());
    }
    match documents.open(path, access, console) {
        Err(failure) if failure.code() == "SRC-YAML-EMPTY" || (is_yaml && failure.code() == "ENV-EMPTY") => {
            before_after::nothing(named())
        }
        Ok(opened) if is_yaml && holds_nulls(&opened) => before_after::nothing(named()),
        opened => opened.map_err(Failure::into_no_answer),
    }
}

/// The maximum number of documents inspected to decide whether a stream is empty.
const MOST_EMPTY: usize = 1024;

/// Whether each document of a stream is empty.
fn holds_nulls(opened: &Opened) -> bool {
    let fault = Cell::new(None);
    let root = WatchedView::new(opened.view().root(), &fault);
    let is_empty = match root.kind() {
        Kind::Null => true,
        Kind::List => {
            (1..=MOST_EMPTY).contains(&root.width()) && root.items().all(|item| item.kind() == Kind::Null)
        }
        _ => false,
    };
    is_empty && fault.take().is_none()
}

fn named(opened: &Opened) -> NamedDocument<'_> {
    NamedDocument { name: &opened.name, view: opened.view(), is_missing: opened.is_nothing }
}

/// The failure of a selection without results.
fn nothing_has(diff: &Diff) -> Failure {
    let message = format!("no resource of either document has {}", described(&diff.keys, &diff.types));
    let hint = "`ls --long` lists keys and types; `*` matches any text";
    Failure::negative(coconut_report::code::KEY_MISSING, message).with_hint(hint)
}

/// Warns of keys of items that no item has.
fn warn_of_keys(options: &Options, sides: [&Side<'_>; 2], console: &mut Console) {
    for (_, mode) in &options.lists {
        let keys = mode.keys();
        if !keys.is_empty() && !sides.iter().any(|side| has_item_with(side.root(), keys)) {
            console.warn(None, &format!("no item of a list has the key of `{mode}`"));
        }
    }
}

/// Warns if two states of Terraform are not an old and a new one of the same deployment. Their
/// lineages and serials are notes of a tool, which do not count.
fn warn_of_states(sides: [&Side<'_>; 2], console: &mut Console) {
    let is_state =
        |side: &&Side<'_>| side.dialect_name().is_some_and(|name| name.starts_with("terraform-state"));
    if !sides.iter().all(is_state) {
        return;
    }
    let text = |side: &Side<'_>| Some(side.root().get("lineage")?.as_str()?.to_owned());
    let [old, new] = sides.map(|side| text(side).filter(|lineage| !lineage.is_empty()));
    if old.is_some() && new.is_some() && old != new {
        console.warn(None, "the states have different lineages: they are not of one deployment");
        return;
    }
    let serial = |side: &Side<'_>| side.root().get("serial")?.as_integer()?.as_u64();
    let [old, new] = sides.map(serial);
    if let Some((old, new)) = old.zip(new).filter(|(old, new)| old > new) {
        console.warn(
            None,
            &format!("the serial goes backwards, from {old} to {new}: the new state is the older one"),
        );
    }
}

/// Whether an item of a list has all of these entries.
fn has_item_with(root: TreeValue<'_, '_>, keys: &[Cow<'_, str>]) -> bool {
    let mut seen = HashSet::new();
    let mut pending = vec![root];
    while let Some(value) = pending.pop() {
        // Shared values can occur any number of times.
        if value.stored_once_as().is_some_and(|stored| !seen.insert(stored)) {
            continue;
        }
        for item in value.items() {
            // Without an entry that may be missing.
            let mut needed = keys.iter().filter(|key| !key.contains('='));
            if needed.all(|key| Node::get(item, key).is_some()) {
                return true;
            }
            pending.push(item);
        }
        pending.extend(value.entries().map(|(_, below)| below).filter(|below| below.kind().is_container()));
    }
    false
}

/// The path to the value with this name, if the document has it.
fn way<'o>(opened: &'o Opened, key: &str) -> Result<Option<Vec<Trail<'o>>>, Failure> {
    match select_one(opened.view(), key, Classes::ALL, Need::Way) {
        Ok(selected) => Ok(Some(selected.way.iter().map(|(trail, _)| *trail).collect())),
        Err(failure) if failure.code() == coconut_report::code::KEY_MISSING => Ok(None),
        Err(failure) if failure.code() == coconut_report::code::PATH_MISSING => Ok(None),
        Err(failure) => Err(opened.read_fault().unwrap_or(failure).in_file(&opened.name)),
    }
}

/// The failure of a document without a value of this name.
fn missing(opened: &Opened, key: &str) -> Failure {
    let failure = match select_one(opened.view(), key, Classes::ALL, Need::Way) {
        Err(failure) => failure,
        Ok(_) => Failure::negative(coconut_report::code::KEY_MISSING, "no landmark has the key"),
    };
    failure.in_file(&opened.name)
}
