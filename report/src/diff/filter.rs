//! The selection of differences to show: selections and rules.

use super::ignore::{IgnoreRule, keys_of};
use super::shown::{is_changed_too, is_forgotten, plain_text};
use crate::failure::Failure;
use crate::name_filter::NameFilter;
use coconut_codec::read::tree::TreeValue;
use coconut_diff::value::{Action, Class, Difference, PlacePattern};
use coconut_diff::{Change, Happened, Masks, Planned, ResourceChange, Side};
use coconut_surface as surface;

/// The differences that a caller asks for.
#[derive(Debug, Default)]
pub struct Selection<'s> {
    /// Keys of resources, or patterns of keys. Empty for all.
    pub keys: &'s [String],
    /// Types of resources, or patterns of types. Empty for all.
    pub types: &'s [String],
    /// Patterns of places, as JSON pointers with `*` and `**`. Empty for all.
    pub paths: &'s [String],
    /// Sorts of changes. Empty for all.
    pub only: &'s [Sort],
    /// Rules about differences that do not matter.
    pub rules: Vec<IgnoreRule>,
    /// Whether a string that spells the number or boolean of the other side is no difference.
    pub ignores_datatypes: bool,
    /// Whether resources without a change that counts are kept.
    pub is_full: bool,
}

coconut_format::named! {
    /// A sort of resources that changed.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Sort, ALL {
        /// New resources.
        Created = "created", "";
        /// Resources that are gone.
        Deleted = "deleted", "";
        /// Resources that became others.
        Replaced = "replaced", "";
        /// Resources with another key.
        Moved = "moved", "";
        /// Resources with other values, also if they moved.
        Changed = "changed", "";
        /// Resources that a plan keeps and no longer manages.
        Forgotten = "forgotten", "Kept, but no longer managed";
        /// Resources with other edges.
        Edges = "edges", "";
    }
    /// The name.
    pub fn name;
    /// The meaning, for a help, if the name is not enough.
    pub fn meaning;
}

/// Selects differences, and counts those that it leaves out.
#[derive(Debug)]
pub struct Filter {
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
    pub ignored: usize,
    /// Resources that differ only in parts that do not count.
    pub metadata_only: usize,
    /// The secrets of the compared documents.
    pub(super) masks: Option<Masks>,
    /// The values that may still be visited to find places in what came or went as a whole.
    left_to_visit: u64,
}

/// The values that are visited to find places in what came or went as a whole. Shared values may be
/// visited again.
const MOST_VISITED: u64 = 1 << 26;

impl Filter {
    /// A filter for this selection. Fails with the code `USAGE` for a malformed pattern.
    pub fn new(selection: Selection<'_>) -> Result<Filter, Failure> {
        let paths = selection.paths.iter().map(|text| {
            PlacePattern::parse(text).map_err(|_| Failure::usage(format!("`{text}` is not a JSON pointer")))
        });
        Ok(Filter {
            keys: NameFilter::of_keys(selection.keys)?,
            types: NameFilter::of_types(selection.types)?,
            paths: paths.collect::<Result<_, _>>()?,
            only: selection.only.to_vec(),
            rules: selection.rules,
            shows_all: selection.is_full,
            ignores_datatypes: selection.ignores_datatypes,
            other_datatypes: 0,
            ignored: 0,
            metadata_only: 0,
            masks: None,
            left_to_visit: MOST_VISITED,
        })
    }

    /// The rules that matched no difference.
    pub fn unused_rules(&self) -> impl Iterator<Item = &str> {
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

    /// Whether a rule matches a difference of values. Every rule is evaluated.
    pub(super) fn ignores_value(&self, resource: Option<&ResourceChange<'_>>, change: &Change<'_>) -> bool {
        let of_resource = resource
            .map_or(0, |resource| self.rules.iter().filter(|rule| rule.has_resource(resource)).count());
        of_resource + self.rules.iter().filter(|rule| rule.has_change(resource, change)).count() > 0
    }

    /// Whether only some resources are selected.
    pub fn selects_resources(&self) -> bool {
        !self.keys.is_all() || !self.types.is_all()
    }

    /// Whether a document contains a selected resource, whether it differs or not.
    pub fn has_one_of(&self, side: &Side<'_>) -> bool {
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
            if !self.paths.is_empty() && !self.is_at_path(&change.difference) {
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

    /// Whether a pattern matches the place of a difference, a place around it, or one in a value
    /// that came or went as a whole.
    fn is_at_path(&mut self, difference: &Difference<TreeValue<'_, '_>, TreeValue<'_, '_>>) -> bool {
        let Difference { pointer, old_pointer, action, is_secret, .. } = difference;
        let (old, new) = (difference.revealed_old().copied(), difference.revealed_new().copied());
        if self.paths.iter().any(|path| path.covers(pointer)) {
            return true;
        }
        if *is_secret && old.is_some() && new.is_some() {
            // It only changed, and its contents are not shown.
            return false;
        }
        let Some(masks) = self.masks.as_ref().filter(|_| *action != Action::Reorder) else { return false };
        let [of_old, of_new] = masks.secrets();
        let old = old.map(|value| (old_pointer.as_ref().unwrap_or(pointer), value, of_old));
        let new = new.map(|value| (pointer, value, of_new));
        old.into_iter().chain(new).any(|(pointer, value, secrets)| {
            self.paths.iter().any(|path| path.is_in(pointer, value, secrets, &mut self.left_to_visit))
        })
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
    let values = change.difference.revealed_old().zip(change.difference.revealed_new());
    let Some((&(old, _), &(new, _))) = values else { return false };
    let is_text = |node: TreeValue<'_, '_>| node.as_str().is_some();
    !change.difference.is_secret
        && is_text(old) != is_text(new)
        && plain_text(old).is_some_and(|text| Some(text) == plain_text(new))
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
