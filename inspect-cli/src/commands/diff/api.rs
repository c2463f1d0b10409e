//! `diff --api`: shows the breaking changes in a new version of a package or schema (§20).

use super::filter::Filter;
use super::markdown;
use super::text::ignored;
use super::{Diff, FailOn, Form, json};
use crate::console::{Console, visible};
use crate::failure::{Exit, Failure};
use crate::json::{number, object, optional, text};
use crate::name_filter::{NameFilter, described};
use crate::open::{Access, Documents, Opened};
use crate::streamed::Report;
use clap::{Args, ValueEnum};
use coconut_codec::read::tree::Tree;
use coconut_codec::read::view::WatchedView;
use coconut_format::Value;
use coconut_surface::{
    self as surface, ApiError, Change, Comparison, Dialect, Level, Package, Renames, Severity,
};
use std::borrow::Cow;
use std::cell::Cell;
use std::fmt::Write as _;
use std::path::PathBuf;

/// The options for packages and schemas.
#[derive(Args, Debug)]
#[command(next_help_heading = "Packages")]
pub(super) struct ApiOptions {
    /// Report what a new package or schema breaks
    ///
    /// This is the default if both files are packages or schemas.
    #[arg(long, conflicts_with_all = ["exact", "key", "types", "paths", "only", "lists", "schemas", "moves", "no_moves", "full"], hide_short_help = true)]
    api: bool,

    /// Compare packages or schemas as values, like other documents
    #[arg(long, conflicts_with = "api", hide_short_help = true)]
    values: bool,

    /// Changes that count
    #[arg(long, value_name = "LEVEL", default_value = "exact", hide_short_help = true)]
    api_level: LevelName,

    /// Metadata of a Terraform bridge, which records renamed tokens
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    api_names: Option<PathBuf>,
}

/// The users for whom a change counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LevelName {
    /// Every difference
    Exact,
    /// Changes that stop programs from compiling, and all of `wire`
    Source,
    /// Changes that stop programs or stored values from working
    Wire,
}

impl LevelName {
    fn level(self) -> Level {
        match self {
            LevelName::Exact => Level::Exact,
            LevelName::Source => Level::Source,
            LevelName::Wire => Level::Wire,
        }
    }
}

/// The tree of a document. Its model reads most values several times, and a tree keeps them
/// decoded.
pub(super) fn tree(opened: &Opened) -> Result<Tree<'_>, Failure> {
    let tree = opened.view().tree();
    if let Some(failure) = opened.read_fault() {
        return Err(failure.in_file(&opened.name));
    }
    tree.map_err(|error| Failure::from(error).in_file(&opened.name))
}

/// Compares two packages or schemas. `None` if the documents are compared as values.
pub(super) fn run(
    diff: &Diff,
    (old, new): (&Opened, &Opened),
    filter: &Filter,
    documents: &dyn Documents,
    console: &mut Console,
) -> Result<Option<Exit>, Failure> {
    let is_requested = diff.api.api;
    if !is_requested && !is_automatic(diff, old, new)? {
        return Ok(None);
    }
    let trees = (tree(old)?, tree(new)?);
    let (before, after) = (surface::read(trees.0.root()), surface::read(trees.1.root()));
    // A project without exports is a package, too.
    let is_empty_package =
        |read: &Result<Package<'_>, ApiError>| matches!(read, Err(ApiError::Empty(Dialect::CocoPack)));
    if !is_requested && is_empty_package(&before) && is_empty_package(&after) {
        return Ok(None);
    }
    let refused = |error: &ApiError, opened: &Opened| refuse(error, opened);
    let before = before.map_err(|error| refused(&error, old))?;
    let after = after.map_err(|error| refused(&error, new))?;
    // A name that no definition has is searched as a value, which gives the existing names.
    let keys = NameFilter::of_keys(diff.key().map(Cow::into_owned).as_slice())?;
    if !is_requested && ![&before, &after].into_iter().any(|package| has_one(package, &keys)) {
        return Ok(None);
    }
    for opened in [old, new].into_iter().filter(|opened| !has_only_definitions(opened)) {
        let name = visible(&opened.name);
        console.warn(None, &format!("{name}: only definitions are compared, and it has other objects, too"));
    }
    // A schema, and the package made from it.
    let (before, after) = match before.dialect == after.dialect {
        true => (before, after),
        false => (before.restored(), after.restored()),
    };
    if before.dialect != after.dialect {
        let names = (before.dialect.name(), after.dialect.name());
        let message = format!("a {} cannot be compared with a {}", names.0, names.1);
        // A package keeps the names of its schema. Pulumi has different names, which only that form
        // has.
        let is_of_pulumi = |package: &Package<'_>| package.dialect == Dialect::Pulumi;
        let hint = match (is_of_pulumi(&before), is_of_pulumi(&after)) {
            (false, false) => "`coco convert --to cocopack` makes packages of both, which can be compared",
            (true, _) => "compare with the result of `coco convert NEW --to pulumi-schema`",
            (_, true) => "compare with the result of `coco convert OLD --to pulumi-schema`",
        };
        return Err(Failure::usage(message).in_file(&new.name).with_hint(hint));
    }
    let dictionary = match &diff.api.api_names {
        Some(path) => Some(documents.open(path, Access::Whole, console)?),
        None => None,
    };
    let of_names = Cell::new(None);
    let renames = match &dictionary {
        None => Renames::default(),
        Some(opened) => {
            Renames::of_bridge(WatchedView::new(opened.view().root(), &of_names)).ok_or_else(|| {
                let failure = Failure::usage("the document is not metadata of a Terraform bridge");
                failure
                    .in_file(&opened.name)
                    .with_hint("it has `auto-aliasing` with `resources` and `datasources`")
            })?
        }
    };
    let found = surface::compare(&before, &after, &renames, diff.api.api_level.level());
    let answer = Answer { diff, old: (old, &before), new: (new, &after), found: &found };
    let changes = answer.changes(filter)?;
    answer.print(&changes, console)?;
    Ok(Some(answer.exit(&changes)))
}

/// Whether a document is a package or schema, or contains definitions of one next to other objects.
pub(super) fn has_definitions(opened: &Opened) -> bool {
    let fault = Cell::new(None);
    Dialect::of(WatchedView::new(opened.view().root(), &fault)).is_some()
}

/// Whether a document is a package or schema, without other objects.
fn has_only_definitions(opened: &Opened) -> bool {
    let fault = Cell::new(None);
    let root = WatchedView::new(opened.view().root(), &fault);
    Dialect::of(root).is_some_and(|dialect| dialect.is_all_of(root))
}

/// Whether the documents are compared by their definitions, although that was not requested.
fn is_automatic(diff: &Diff, old: &Opened, new: &Opened) -> Result<bool, Failure> {
    if !may_be_automatic(diff) || !has_only_definitions(old) || !has_only_definitions(new) {
        return Ok(false);
    }
    let of_resources = [
        ("--type", !diff.types.is_empty()),
        ("--path", !diff.paths.is_empty()),
        ("--only", !diff.only.is_empty()),
        ("--ignore-datatypes", diff.ignore_datatypes),
        ("--list", !diff.lists.is_empty()),
        ("--schema", !diff.schemas.is_empty()),
        ("--moves", !diff.moves.is_empty()),
        ("--no-moves", diff.no_moves),
        ("--full", diff.full),
    ];
    let given = of_resources.iter().find(|(_, is_given)| *is_given);
    if let Some((option, _)) = given.filter(|_| diff.git.is_empty()) {
        let message = format!("`{option}` is for changes of values, and these are packages or schemas");
        let hint = "`--key` selects definitions; with `--values`, values are compared";
        return Err(Failure::usage(message).in_file(&new.name).with_hint(hint));
    }
    let is_value = |opened: &Opened, key: &str| !matches!(super::way(opened, key), Ok(None));
    Ok(diff.key().is_none_or(|key| !is_value(old, &key) && !is_value(new, &key)))
}

/// Whether all options apply to definitions.
fn may_be_automatic(diff: &Diff) -> bool {
    !diff.exact && !diff.api.values && !matches!(diff.form, Form::Patch | Form::MergePatch)
}

/// Whether a package has a definition with such a name.
fn has_one(package: &Package<'_>, keys: &NameFilter) -> bool {
    keys.is_all() || package.definitions.iter().any(|definition| keys.has(&definition.token))
}

/// Whether both are packages, but export nothing that could break.
pub(super) fn are_empty_packages(diff: &Diff, (old, new): (&Opened, &Opened)) -> bool {
    let is_package = |opened: &Opened| opened.view().header().document_type == "cocopack";
    may_be_automatic(diff) && diff.key().is_none() && is_package(old) && is_package(new)
}

pub(super) fn refuse(error: &ApiError, opened: &Opened) -> Failure {
    let code = error.rule().map_or(coconut_format::code::SOURCE, |rule| rule.id);
    Failure::new(Exit::Decode, code, error.to_string()).in_file(&opened.name).with_hint(error.hint())
}

/// The reported changes, and the number of omitted ones.
struct Told<'c> {
    changes: Vec<&'c Change>,
    ignored: usize,
    rules: usize,
}

/// The request and its results.
struct Answer<'o> {
    diff: &'o Diff,
    old: (&'o Opened, &'o Package<'o>),
    new: (&'o Opened, &'o Package<'o>),
    found: &'o Comparison,
}

impl Answer<'_> {
    /// The changes of the requested definitions, without ignored ones.
    fn changes(&self, filter: &Filter) -> Result<Told<'_>, Failure> {
        let mut wanted = self.diff.keys.clone();
        wanted.extend(self.diff.key().map(Cow::into_owned));
        let keys = NameFilter::of_keys(&wanted)?;
        if !has_one(self.old.1, &keys) && !has_one(self.new.1, &keys) {
            let message = format!("no definition of either document has {}", described(&wanted, &[]));
            return Err(Failure::negative(crate::code::KEY_MISSING, message)
                .in_file(&self.new.0.name)
                .with_hint("`*` matches any text"));
        }
        let wanted = self.found.changes.iter().filter(|change| keys.has(&change.token));
        let (ignored, changes): (Vec<_>, Vec<_>) = wanted.partition(|change| filter.ignores(change));
        Ok(Told { changes, ignored: ignored.len(), rules: filter.used_rules() })
    }

    fn print(&self, changes: &Told<'_>, console: &mut Console) -> Result<(), Failure> {
        let form = if console.json && self.diff.form == Form::Text { Form::Json } else { self.diff.form };
        match form {
            Form::Text => self.print_text(changes, console),
            Form::Json => self.print_json(changes, console),
            Form::Jsonl => self.print_lines(changes, console),
            Form::Markdown => self.print_markdown(changes, console),
            Form::Patch | Form::MergePatch => {
                Err(Failure::usage("a patch contains values, not the changes that break users")
                    .with_hint("omit --api"))
            }
        }
    }

    /// Some of the changes, and the number of the others.
    fn shown<'c>(&self, changes: &'c [&'c Change]) -> (&'c [&'c Change], usize) {
        let shown = if self.diff.stat { 0 } else { changes.len().min(self.diff.max_changes) };
        let left = if self.diff.stat { 0 } else { changes.len() - shown + self.found.left_out };
        (&changes[..shown], left)
    }

    fn print_text(&self, changes: &Told<'_>, console: &mut Console) -> Result<(), Failure> {
        let (shown, left) = self.shown(&changes.changes);
        if self.diff.name_only {
            let mut last = None;
            for change in shown.iter().filter(|change| last.replace(&change.token) != Some(&change.token)) {
                let worst = shown.iter().filter(|other| other.token == change.token);
                let worst = worst.map(|other| other.severity).max().unwrap_or(change.severity);
                console.line(&format!("{} {}", sign(worst), visible(&change.token)))?;
            }
            return Ok(());
        }
        let version =
            |package: &Package<'_>| package.version.map_or(String::new(), |version| format!(" {version}"));
        if !self.diff.stat {
            let title = format!(
                "{}{} → {}{}",
                visible(&self.old.0.name),
                visible(&version(self.old.1)),
                visible(&self.new.0.name),
                visible(&version(self.new.1))
            );
            console.line(&title)?;
        }
        let mut last = None;
        for change in shown {
            if last.replace(&change.token) != Some(&change.token) {
                console.line(&visible(&change.token))?;
            }
            console.line(&format!("  {}", self.line(change)))?;
        }
        if left > 0 {
            console.line(&format!("… {left} more"))?;
        }
        console.line(&summary(changes, self.found))
    }

    /// A change in one line, without its token.
    fn line(&self, change: &Change) -> String {
        let mut line = format!("{} {}", sign(change.severity), change.severity.name());
        if let Some(place) = change.place.name() {
            let _ = write!(line, " {place}");
        }
        if let Some(member) = &change.member {
            let _ = write!(line, ".{}", visible(member));
        }
        let message = visible(&super::lines::cut(&change.message(), self.diff.width.max(40) * 2));
        let _ = write!(line, ": {message} [{}]", change.rule.id);
        line
    }

    fn print_json(&self, changes: &Told<'_>, console: &mut Console) -> Result<(), Failure> {
        let (shown, left) = self.shown(&changes.changes);
        let mut report = Report::begin(console, "diff-api", self.head())?;
        report.begin_list("changes")?;
        for change in shown {
            report.item(&change_json(change))?;
        }
        report.end_list()?;
        report.member("summary", &self.summary_json(changes, left))?;
        report.end()
    }

    fn print_lines(&self, changes: &Told<'_>, console: &mut Console) -> Result<(), Failure> {
        let (shown, left) = self.shown(&changes.changes);
        for change in shown {
            console.print_json(&change_json(change))?;
        }
        let Value::Object(mut members) = object(self.head()) else { return Ok(()) };
        members.push(("summary".to_owned(), self.summary_json(changes, left)));
        console.print_json(&Value::Object(members))
    }

    fn head(&self) -> [(&'static str, Value); 3] {
        let of = |(opened, package): (&Opened, &Package<'_>)| {
            let Value::Object(mut members) = json::document(opened) else { return Value::Null };
            members.push(("form".to_owned(), text(package.dialect.name())));
            members.push(("package".to_owned(), text(&*package.name)));
            members.push(("version".to_owned(), optional(package.version)));
            Value::Object(members)
        };
        let level = self.diff.api.api_level.level().name();
        [("old", of(self.old)), ("new", of(self.new)), ("level", text(level))]
    }

    fn summary_json(&self, changes: &Told<'_>, left: usize) -> Value {
        let mut members: Vec<(String, Value)> = counts(changes, self.found)
            .into_iter()
            .map(|(severity, count)| (severity.name().to_owned(), number(count as u64)))
            .collect();
        members.push(("ignored".to_owned(), number(changes.ignored as u64)));
        members.push(("not_listed".to_owned(), number(left as u64)));
        Value::Object(members)
    }

    fn print_markdown(&self, changes: &Told<'_>, console: &mut Console) -> Result<(), Failure> {
        let (shown, mut left) = self.shown(&changes.changes);
        let names = (markdown::code(&self.old.0.name), markdown::code(&self.new.0.name));
        let mut page = format!("{} → {}: {}\n", names.0, names.1, summary(changes, self.found));
        if !shown.is_empty() {
            page.push_str("\n| level | what | where | change |\n|---|---|---|---|\n");
        }
        for (index, change) in shown.iter().enumerate() {
            let place = change.place.name().unwrap_or_default();
            let member = change
                .member
                .as_deref()
                .map_or(String::new(), |member| format!(" {}", markdown::code(member)));
            let message = markdown::plain(&super::lines::cut(&change.message(), self.diff.width.max(40) * 2));
            let row = format!(
                "| {} | {} | {place}{member} | {message} ({}) |\n",
                change.severity.name(),
                markdown::code(&change.token),
                change.rule.id
            );
            if page.len() + row.len() > markdown::MOST_BYTES - markdown::END_BYTES {
                left += shown.len() - index;
                break;
            }
            page.push_str(&row);
        }
        if left > 0 {
            let _ = write!(page, "\n{left} more do not fit into a comment.\n");
        }
        console.print(&page)
    }

    /// The worst of the requested changes.
    fn exit(&self, changes: &Told<'_>) -> Exit {
        let counts = counts(changes, self.found);
        let has = |severity| !counts.contains(&(severity, 0));
        let has_rule = |is_it: fn(&str) -> bool| changes.changes.iter().any(|change| is_it(change.rule.id));
        let fails = self.diff.fail_on.iter().any(|what| match what {
            FailOn::Any | FailOn::Changed => Severity::ALL.into_iter().any(has),
            FailOn::Breaking => has(Severity::Breaking),
            FailOn::Warning => has(Severity::Breaking) || has(Severity::Warning),
            FailOn::Deleted => has_rule(|rule| rule.ends_with("-GONE")),
            FailOn::Created => has_rule(|rule| rule.ends_with("-ADDED")),
            FailOn::Moved => has_rule(|rule| rule == "API-RENAMED"),
            FailOn::None | FailOn::Replaced | FailOn::Forgotten => false,
        });
        // git expects another exit code for a fault.
        if fails && self.diff.git.is_empty() { Exit::Negative } else { Exit::Good }
    }
}

/// The number of changes of each severity. Without a selection, changes that are not listed count,
/// too.
fn counts(changes: &Told<'_>, found: &Comparison) -> Vec<(Severity, usize)> {
    let is_all = changes.changes.len() == found.changes.len();
    let count = |severity| match is_all {
        true => found.count(severity),
        false => changes.changes.iter().filter(|change| change.severity == severity).count(),
    };
    Severity::ALL.into_iter().map(|severity| (severity, count(severity))).collect()
}

fn summary(changes: &Told<'_>, found: &Comparison) -> String {
    let words: Vec<String> = counts(changes, found)
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(severity, count)| format!("{count} {}", severity.name()))
        .collect();
    let mut text = match words.is_empty() {
        true => "no changes".to_owned(),
        false => words.join(", "),
    };
    text.push_str(&ignored(changes.ignored, changes.rules));
    text
}

fn sign(severity: Severity) -> char {
    match severity {
        Severity::Breaking => '!',
        Severity::Warning => '~',
        Severity::Compatible => '=',
        Severity::Info => '+',
    }
}

fn change_json(change: &Change) -> Value {
    let texts = |value: &Option<String>| optional(value.as_deref());
    object([
        ("level", text(change.severity.name())),
        ("breaking", Value::Bool(change.severity == Severity::Breaking)),
        ("rule", text(change.rule.id)),
        ("role", optional(change.role.map(surface::Role::name))),
        ("token", text(&change.token)),
        ("new_token", texts(&change.new_token)),
        ("location", optional(change.place.name())),
        ("member", texts(&change.member)),
        ("new_member", texts(&change.new_member)),
        ("old", texts(&change.old)),
        ("new", texts(&change.new)),
        ("document", text(if change.is_new() { "new" } else { "old" })),
        ("pointer", text(&change.pointer)),
        ("message", text(change.message())),
    ])
}
