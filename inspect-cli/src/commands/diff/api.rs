//! `diff --api`: shows the breaking changes in a new version of a package or schema (§20).

use super::{Diff, FailOn, Form, named};
use clap::Args;
use clap::builder::TypedValueParser;
use coconut_codec::read::tree::Tree;
use coconut_codec::read::view::WatchedView;
use coconut_diff::value::Moves;
use coconut_diff::{Diff as Comparison, Side, is_same_document};
use coconut_report::diff::{Filter, Others, Surfaces, Told, has_one};
use coconut_report::failure::{Exit, Failure};
use coconut_report::name_filter::NameFilter;
use coconut_shell::choice::choice_of;
use coconut_shell::console::{Console, visible};
use coconut_shell::open::{Access, Documents, Opened};
use coconut_surface::{self as surface, ApiError, Dialect, Level, Package, Renames, Severity};
use std::borrow::Cow;
use std::cell::Cell;
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

    /// Compare packages or schemas both ways: what the new one breaks, and then the values
    #[arg(long, conflicts_with_all = ["api", "values"], hide_short_help = true)]
    api_and_values: bool,

    /// Changes that count
    #[arg(long, value_name = "LEVEL", default_value = "exact", hide_short_help = true,
        value_parser = levels())]
    api_level: Level,

    /// Metadata of a Terraform bridge, which records renamed tokens
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    api_names: Option<PathBuf>,
}

/// The users for whom a change counts.
fn levels() -> impl TypedValueParser<Value = Level> {
    choice_of(&[
        (Level::Exact, "exact", "Every difference"),
        (Level::Source, "source", "Changes that stop programs from compiling, and all of `wire`"),
        (Level::Wire, "wire", "Changes that stop programs or stored values from working"),
    ])
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
    let is_one_form = before.dialect == after.dialect;
    let (before, after) = match is_one_form {
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
    let found = surface::compare(&before, &after, &renames, diff.api.api_level);
    let mut wanted = diff.keys.clone();
    wanted.extend(diff.key().map(Cow::into_owned));
    if !is_one_form {
        let message = "only the members of a schema and a package are compared, not settings and other values\n  \
                       = to compare these, make a package of the schema: `coco convert --to cocopack`";
        console.warn(None, message);
    }
    let shows_values = !is_requested && (diff.api.api_and_values || !diff.git.is_empty());
    let others = match is_one_form && !shows_values {
        true => Some(others(diff, (old, new), &found, [&before, &after], &wanted, filter, console)?),
        false => None,
    };
    let answer = Surfaces {
        old: (named(old), &before),
        new: (named(new), &after),
        found: &found,
        level: diff.api.api_level,
        others,
    };
    let changes = answer.changes(&wanted, filter)?;
    if shows_values {
        let is_for_people = !console.json && diff.form == Form::Text && !diff.stat && !diff.name_only;
        if is_for_people && !changes.changes.is_empty() {
            answer.write(&changes, &diff.shape(console), console)?;
        }
        return Ok(None);
    }
    if matches!(diff.form, Form::Patch | Form::MergePatch) {
        return Err(Failure::usage("a patch contains values, not the changes that break users")
            .with_hint("omit --api"));
    }
    answer.write(&changes, &diff.shape(console), console)?;
    if let Some(more) = answer.more().filter(|_| diff.name_only) {
        console.warn(None, &more);
    }
    Ok(Some(exit(diff, &answer, &changes)))
}

/// The values that differ and that no change of the surface explains.
fn others(
    diff: &Diff,
    (old_file, new_file): (&Opened, &Opened),
    found: &surface::Comparison,
    packages: [&Package<'_>; 2],
    wanted: &[String],
    filter: &Filter,
    console: &Console,
) -> Result<Others, Failure> {
    if is_same_document(old_file.view(), new_file.view()) {
        return Ok(Others::default());
    }
    let in_file = |opened: &Opened, error| Failure::from(error).in_file(&opened.name);
    let [old, new] = Side::read_both(old_file.view(), new_file.view());
    let old = old.map_err(|error| in_file(old_file, error))?;
    let new = new.map_err(|error| in_file(new_file, error))?;
    let mut options = diff.options(false, console)?;
    options.moves = Moves::NONE;
    let mut values = Comparison::of(&old, &new, &options).map_err(|error| in_file(new_file, error))?;
    let keys = NameFilter::of_keys(wanted)?;
    Others::of(&mut values, found, packages, &keys, filter).map_err(|failure| failure.in_file(&new_file.name))
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

/// Whether both are packages, but export nothing that could break.
pub(super) fn are_empty_packages(diff: &Diff, (old, new): (&Opened, &Opened)) -> bool {
    let is_package = |opened: &Opened| opened.view().header().document_type == "cocopack";
    may_be_automatic(diff) && diff.key().is_none() && is_package(old) && is_package(new)
}

pub(super) fn refuse(error: &ApiError, opened: &Opened) -> Failure {
    let code = error.rule().map_or(coconut_format::code::SOURCE, |rule| rule.id);
    Failure::new(Exit::Decode, code, error.to_string()).in_file(&opened.name).with_hint(error.hint())
}

/// The worst of the requested changes.
fn exit(diff: &Diff, answer: &Surfaces<'_>, changes: &Told<'_>) -> Exit {
    let counts = answer.counts(changes);
    let has = |severity| !counts.contains(&(severity, 0));
    let has_rule = |is_it: fn(&str) -> bool| changes.changes.iter().any(|change| is_it(change.rule.id));
    // Values count unless only the surface is requested, or only some changes of it.
    let is_of_values = !diff.fail_on.is_empty() || !diff.api.api && diff.api.api_level == Level::Exact;
    let differ = is_of_values && answer.others.is_some_and(|others| others.differing > 0);
    let fails = diff.fail_on().iter().any(|what| match what {
        FailOn::Any | FailOn::Changed => differ || Severity::ALL.into_iter().any(has),
        FailOn::Breaking => has(Severity::Breaking),
        FailOn::Warning => has(Severity::Breaking) || has(Severity::Warning),
        FailOn::Deleted => has_rule(|rule| rule.ends_with("-GONE")),
        FailOn::Created => has_rule(|rule| rule.ends_with("-ADDED")),
        FailOn::Moved => has_rule(|rule| rule == "API-RENAMED"),
        FailOn::None | FailOn::Replaced | FailOn::Forgotten => false,
    });
    // git expects another exit code for a fault.
    if fails && diff.git.is_empty() { Exit::Negative } else { Exit::Good }
}
