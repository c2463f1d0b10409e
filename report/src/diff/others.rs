//! §20.5 The values that differ without a change of the surface.

use super::filter::Filter;
use crate::failure::Failure;
use crate::name_filter::NameFilter;
use coconut_diff::{Change, Diff, Happened, ResourceChange};
use coconut_format::pointer;
use coconut_surface::{self as surface, Comparison, Package};
use std::collections::HashMap;

/// The differing values that no change of the surface explains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Others {
    /// Those that count.
    pub differing: usize,
    /// Orders, and notes of tools.
    pub notes: usize,
}

impl Others {
    /// Counts the differences of the values that no change in `surface` explains: in the
    /// definitions with such keys, or in all of both documents.
    ///
    /// # Errors
    ///
    /// Fails if a document is damaged, or comparing the values takes too long.
    pub fn of(
        values: &mut Diff<'_>,
        surface: &Comparison,
        packages: [&Package<'_>; 2],
        keys: &NameFilter,
        filter: &Filter,
    ) -> Result<Others, Failure> {
        let explained = Explained::of(surface);
        let places: Vec<String> = packages.into_iter().flat_map(|package| places(package, keys)).collect();
        let is_selected =
            |place: &str| keys.is_all() || places.iter().any(|around| below(place, around).is_some());
        let mut others = Others::default();
        let mut count = |change: &Change<'_>, resource: Option<&ResourceChange<'_>>, places: [&str; 2]| {
            let difference = &change.difference;
            let new_place = format!("{}{}", places[1], difference.pointer);
            let old = difference.old_pointer.as_ref().unwrap_or(&difference.pointer);
            let old_place = format!("{}{old}", places[0]);
            if !is_selected(&new_place) && !is_selected(&old_place) {
                return;
            }
            if filter.ignores_value(resource, change) {
                return;
            }
            if !change.counts {
                others.notes += 1;
                return;
            }
            let texts = [difference.revealed_old(), difference.revealed_new()]
                .map(|side| side.and_then(|(node, _)| node.as_str()));
            let is_explained = [&old_place, &new_place]
                .into_iter()
                .any(|place| explained.has(place, &texts.into_iter().flatten().collect::<Vec<_>>()));
            others.differing += usize::from(!is_explained);
        };
        let mut whole = 0;
        for change in values.front()? {
            count(&change, None, ["", ""]);
        }
        let mut resources = Vec::new();
        values.for_each(&mut |resource| {
            resources.push(resource);
            Ok::<(), Failure>(())
        })?;
        for resource in &resources {
            let [old, new] = values.places(resource.positions);
            let place = new.as_ref().or(old.as_ref()).cloned().unwrap_or_default();
            let places = [old.as_deref().unwrap_or(&place), new.as_deref().unwrap_or(&place)];
            for change in &resource.changes {
                count(change, Some(resource), places);
            }
            let is_whole = resource.changes.is_empty() && resource.happened != Happened::Changed;
            let edges = resource.edges_added.len() + resource.edges_removed.len();
            if is_selected(&place) && !explained.has(&place, &[]) {
                whole += usize::from(is_whole) + edges;
            }
        }
        others.differing += whole;
        Ok(others)
    }
}

/// The places of the definitions with such keys.
fn places(package: &Package<'_>, keys: &NameFilter) -> Vec<String> {
    let selected = package.definitions.iter().filter(|one| !keys.is_all() && keys.has(&one.token));
    selected.map(|one| around(&package.pointer(one)).to_owned()).collect()
}

/// The place of a definition with all its parts. The versions of a Kubernetes kind share some.
fn around(pointer: &str) -> &str {
    match pointer.strip_suffix("/versions") {
        Some(outer) if outer.ends_with("/spec") => outer,
        _ => pointer,
    }
}

/// The part of a place that is below another one.
fn below<'p>(place: &'p str, around: &str) -> Option<&'p str> {
    place.strip_prefix(around).filter(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The changes of a surface, by the places of their definitions.
struct Explained<'c>(HashMap<String, Vec<&'c surface::Change>>);

impl<'c> Explained<'c> {
    fn of(surface: &'c Comparison) -> Explained<'c> {
        let mut by_place: HashMap<String, Vec<&surface::Change>> = HashMap::new();
        for change in &surface.changes {
            let place = around(&change.pointer);
            // Under its new name, a definition is beside its old place.
            if let (Some(token), Some((beside, _))) = (&change.new_token, place.rsplit_once('/')) {
                let mut renamed = beside.to_owned();
                pointer::push_key(&mut renamed, token);
                by_place.entry(renamed).or_default().push(change);
            }
            by_place.entry(place.to_owned()).or_default().push(change);
        }
        Explained(by_place)
    }

    /// Whether a change explains a difference at this place between these texts.
    fn has(&self, place: &str, texts: &[&str]) -> bool {
        let ends = place.match_indices('/').map(|(at, _)| at).chain([place.len()]);
        ends.into_iter().any(|end| {
            let Some(changes) = place.get(..end).and_then(|around| self.0.get(around)) else { return false };
            let rest: Vec<String> = pointer::keys(&place[end..])
                .map(|keys| keys.map(std::borrow::Cow::into_owned).collect())
                .unwrap_or_default();
            changes.iter().any(|change| explains(change, &rest, texts))
        })
    }
}

/// Whether a change explains a difference at these keys inside its definition.
fn explains(change: &surface::Change, rest: &[String], texts: &[&str]) -> bool {
    let of_rule = change.rule.values;
    let has_key = |keys: &[String]| of_rule.is_empty() || keys.iter().any(|key| of_rule.contains(&&**key));
    let Some(member) = &change.member else {
        let is_whole = change.role.is_some() && (change.is_new() || change.rule.id.ends_with("-GONE"));
        return match change.role {
            Some(_) if of_rule.is_empty() => is_whole || !rest.is_empty(),
            _ => !of_rule.is_empty() && has_key(&rest[..rest.len().min(2)]),
        };
    };
    let names = [Some(member), change.new_member.as_ref()];
    names.into_iter().flatten().any(|path| {
        let mut left = path.as_str();
        for (index, key) in rest.iter().enumerate() {
            if left.is_empty() {
                return has_key(&rest[index..]);
            }
            left = entered(left, key);
        }
        // Lists of required, read-only and other members contain their names or pointers.
        match left.is_empty() {
            true => of_rule.is_empty() || rest.last().is_some_and(|last| of_rule.contains(&&**last)),
            false => texts.iter().any(|text| text.split('/').fold(left, entered).is_empty()),
        }
    })
}

/// The path of a member that is left below an object with this key.
fn entered<'p>(path: &'p str, key: &str) -> &'p str {
    let Some(rest) = path.strip_prefix(key) else { return path };
    if key.is_empty() || !(rest.is_empty() || rest.starts_with(['.', '[', '{'])) {
        return path;
    }
    let mut rest = rest;
    while let Some(inner) = rest.strip_prefix("[*]").or_else(|| rest.strip_prefix("{*}")) {
        rest = inner;
    }
    rest.strip_prefix('.').unwrap_or(rest)
}
