//! The selection of differences to show: selections and rules.

use super::ignore::{EXAMPLES, IgnoreRule, keys_of};
use super::shown::{is_changed_too, is_forgotten, plain_text};
use super::{Diff, Sort};
use crate::console::{Console, visible};
use crate::failure::Failure;
use crate::name_filter::NameFilter;
use crate::open::read_text;
use coconut_codec::loader::{WorkspaceFile, own_file};
use coconut_codec::read::tree::TreeValue;
use coconut_diff::value::{Class, PlacePattern};
use coconut_diff::{Change, Happened, Planned, ResourceChange, Side};
use coconut_surface as surface;
use std::path::Path;

/// The default file of rules.
const RULES: &str = ".cocodiff";

/// Selections and rules of a command line.
pub(super) struct Filter {
    keys: NameFilter,
    types: NameFilter,
    paths: Vec<PlacePattern>,
    only: Vec<Sort>,
    rules: Vec<IgnoreRule>,
    shows_all: bool,
    ignores_datatypes: bool,
    /// Differences that only change the datatype.
    other_datatypes: usize,
    /// Differences described by a rule.
    pub(super) ignored: usize,
    /// Resources that differ only in parts that do not count.
    pub(super) metadata_only: usize,
}

impl Filter {
    pub(super) fn of(diff: &Diff, console: &mut Console) -> Result<Filter, Failure> {
        let paths = diff.paths.iter().map(|text| {
            PlacePattern::parse(text).map_err(|_| Failure::usage(format!("`{text}` is not a JSON pointer")))
        });
        let mut rules = Vec::new();
        for text in &diff.ignore {
            rules.push(IgnoreRule::parse(text)?);
        }
        match &diff.ignore_from {
            Some(path) => add_rules(path, &read_text(path)?, &mut rules)?,
            None => add_usual_rules(&mut rules, console)?,
        }
        Ok(Filter {
            keys: NameFilter::of_keys(&diff.keys)?,
            types: NameFilter::of_types(&diff.types)?,
            paths: paths.collect::<Result<_, _>>()?,
            only: diff.only.clone(),
            rules,
            shows_all: diff.full,
            ignores_datatypes: diff.ignore_datatypes,
            other_datatypes: 0,
            ignored: 0,
            metadata_only: 0,
        })
    }

    /// The rules that matched no difference.
    pub(super) fn unused_rules(&self) -> impl Iterator<Item = &str> {
        self.rules.iter().filter(|rule| rule.uses.get() == 0).map(|rule| rule.text.as_str())
    }

    /// The number of rules that matched a difference.
    pub(super) fn used_rules(&self) -> usize {
        self.rules.iter().filter(|rule| rule.uses.get() > 0).count() + usize::from(self.other_datatypes > 0)
    }

    /// Whether a rule matches a change of a definition. Every rule is evaluated.
    pub(super) fn ignores(&self, change: &surface::Change) -> bool {
        self.rules.iter().filter(|rule| rule.has_definition(change)).count() > 0
    }

    /// Whether only some resources are selected.
    pub(super) fn selects_resources(&self) -> bool {
        !self.keys.is_all() || !self.types.is_all()
    }

    /// Whether a document contains a selected resource, whether it differs or not.
    pub(super) fn has_one_of(&self, side: &Side<'_>) -> bool {
        let mut resources = side.resources();
        resources.any(|(key, type_name)| self.keys.has(&key) && self.types.has(type_name.unwrap_or_default()))
    }

    /// The remaining changes outside resources.
    pub(super) fn front<'t>(&mut self, changes: Vec<Change<'t>>) -> Vec<Change<'t>> {
        if self.selects_resources() || !self.only.is_empty() {
            return Vec::new();
        }
        self.changes(None, changes)
    }

    fn changes<'t>(
        &mut self,
        resource: Option<&ResourceChange<'t>>,
        changes: Vec<Change<'t>>,
    ) -> Vec<Change<'t>> {
        let mut left = Vec::with_capacity(changes.len());
        for change in changes {
            let pointer = &change.difference.pointer;
            if !self.paths.is_empty() && !self.paths.iter().any(|path| path.covers(pointer)) {
                continue;
            }
            if self.ignores_datatypes && is_other_datatype(&change) {
                self.ignored += 1;
                self.other_datatypes += 1;
                continue;
            }
            // Every rule is evaluated, so that each knows whether it was needed.
            let hits = self.rules.iter().filter(|rule| rule.has_change(resource, &change)).count();
            if hits > 0 {
                self.ignored += 1;
                continue;
            }
            left.push(change);
        }
        left
    }

    /// The remaining changes of a resource.
    pub(super) fn resource<'t>(&mut self, mut resource: ResourceChange<'t>) -> Option<ResourceChange<'t>> {
        let has_key = keys_of(&resource).any(|name| self.keys.has(name));
        if !has_key || !self.types.has(resource.resource_type.unwrap_or_default()) {
            return None;
        }
        if self.rules.iter().filter(|rule| rule.has_resource(&resource)).count() > 0 {
            self.ignored += 1;
            return None;
        }
        let counted = resource.counts();
        let changes = std::mem::take(&mut resource.changes);
        resource.changes = self.changes(Some(&resource), changes);
        // The values that become known later were in omitted values.
        let is_unknown =
            |change: &Change<'_>| matches!(change.difference.class, Class::Unknown | Class::Secret);
        if resource.planned == Some(Planned::UpdateUnknown) && !resource.changes.iter().any(is_unknown) {
            resource.planned = None;
        }
        if !self.paths.is_empty() {
            // They have no place.
            resource.edges_added.clear();
            resource.edges_removed.clear();
        }
        let is_whole = resource.happened != Happened::Changed;
        if !self.paths.is_empty() && resource.changes.is_empty() {
            return None;
        }
        if !resource.counts() {
            if counted {
                // Only parts that do not count remain.
                return None;
            }
            self.metadata_only += 1;
            if !self.shows_all {
                return None;
            }
        }
        let is_wanted = self.only.is_empty() || self.only.iter().any(|sort| is_of(*sort, &resource));
        (is_wanted && (is_whole || !resource.changes.is_empty() || resource.counts())).then_some(resource)
    }
}

/// Whether a string on one side spells the number or boolean on the other.
fn is_other_datatype(change: &Change<'_>) -> bool {
    let Some(((old, _), (new, _))) = change.difference.old.zip(change.difference.new) else { return false };
    let is_text = |node: TreeValue<'_, '_>| node.as_str().is_some();
    !change.difference.is_secret
        && is_text(old) != is_text(new)
        && plain_text(old).is_some_and(|text| Some(text) == plain_text(new))
}

/// Adds the rules of the default file.
///
/// A link there is not followed, because it comes with the folder and may lead to files that the
/// user did not name. A file that other users may have written is ignored, because it could hide
/// differences.
fn add_usual_rules(rules: &mut Vec<IgnoreRule>, console: &mut Console) -> Result<(), Failure> {
    let path = Path::new(RULES);
    match path.symlink_metadata() {
        Ok(metadata) if metadata.is_file() => {
            let Some(WorkspaceFile { bytes, .. }) = own_file(path) else { return Ok(()) };
            match bytes.map(String::from_utf8) {
                Ok(Ok(text)) => add_rules(path, &text, rules),
                Ok(Err(_)) => Err(Failure::usage("it is not UTF-8").in_file(RULES)),
                Err(reason) => {
                    let text = visible(&reason.to_string());
                    let hint = "its rules are not used; name it to use them: `--ignore-from FILE`";
                    console.warn(Some(reason.code()), &format!("{text}\n --> {RULES}\n  = {hint}"));
                    Ok(())
                }
            }
        }
        Ok(metadata) if metadata.is_symlink() => Err(Failure::usage("a link is not followed here")
            .in_file(RULES)
            .with_hint("name the file of rules: `--ignore-from FILE`")),
        _ => Ok(()),
    }
}

/// Adds the rules of a file. The text of a malformed line is not shown, because the file may not be
/// the one that the user means.
fn add_rules(path: &Path, text: &str, rules: &mut Vec<IgnoreRule>) -> Result<(), Failure> {
    for (number, line) in (1..).zip(text.lines().map(str::trim)) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let rule = IgnoreRule::parse(line).map_err(|_| {
            let failure = Failure::usage(format!("line {number} is not a rule"));
            failure.in_file(&path.to_string_lossy()).with_hint(EXAMPLES)
        })?;
        rules.push(rule);
    }
    Ok(())
}

fn is_of(sort: Sort, resource: &ResourceChange<'_>) -> bool {
    match sort {
        Sort::Created => resource.happened == Happened::Created,
        Sort::Deleted => resource.happened == Happened::Deleted,
        Sort::Replaced => resource.happened == Happened::Replaced,
        Sort::Moved => resource.happened == Happened::Moved,
        Sort::Changed => resource.happened == Happened::Changed || is_changed_too(resource),
        Sort::Forgotten => is_forgotten(resource),
        Sort::Edges => !resource.edges_added.is_empty() || !resource.edges_removed.is_empty(),
    }
}
