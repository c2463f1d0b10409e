//! §20.3 Comparing the members of two definitions or objects.

use crate::compare::finding::{Change, Place};
use crate::compare::plural::differ_in_number;
use crate::compare::shapes::severity;
use crate::compare::{Comparer, Site};
use crate::literal::Literal;
use crate::model::{Bounds, Direction, Facets, Member, Members, Role, TypeId};
use crate::rules::{self, ApiRule, Severity};
use crate::settings;
use std::collections::HashMap;

/// A member with its path and its use at that place.
#[derive(Clone, Copy)]
struct Here<'s, 'p, 'a> {
    site: Site<'p, 'a>,
    place: Place,
    path: &'s str,
    usage: Direction,
}

impl Here<'_, '_, '_> {
    fn change(&self, rule: &'static ApiRule) -> Change {
        Change { place: self.place, member: Some(self.path.to_owned()), ..self.site.change(rule) }
    }
}

impl<'p> Comparer<'p, '_, '_> {
    /// Reports changes among members. `inside` is the place and the path of the containing object,
    /// or `None` for the members of the definition.
    pub(crate) fn compare_members(
        &mut self,
        site: Site<'p, '_>,
        inside: Option<(Place, Option<&str>)>,
        (old, new): (Members, Members),
        usage: Direction,
    ) {
        if self.relations.are_same_members(old, new) {
            return;
        }
        let old = self.relations.old.package.members(old);
        let new = self.relations.new.package.members(new);
        let old_by_name = by_name(old);
        let new_by_name = by_name(new);
        let mut is_matched = vec![false; new.len()];
        for member in old {
            let Some(direction) = within(member.direction, usage) else { continue };
            let path = path_of(inside, member.name);
            let place = inside.map_or_else(|| place_of(site.role, member.direction), |(place, _)| place);
            let here = Here { site, place, path: &path, usage: direction };
            let found = new_by_name.get(member.name).and_then(|of_name| {
                let of_name = of_name.iter().copied();
                of_name.clone().find(|&one| new[one].direction == member.direction).or_else(|| {
                    // A member in two lists counts as two members: each is compared within its
                    // list.
                    of_name.clone().find(|&one| shares(new[one].direction, member.direction))
                })
            });
            if let Some(number) = found {
                is_matched[number] = true;
                self.compare_member(here, member, &new[number]);
                continue;
            }
            let became_output = member.direction.is_in() && new_by_name.contains_key(member.name);
            if became_output && old_by_name.get(member.name).is_none_or(|of_name| of_name.len() == 1) {
                let number = new_by_name[member.name][0];
                is_matched[number] = true;
                self.report(&rules::API_NOT_SETTABLE, Severity::Breaking, || {
                    here.change(&rules::API_NOT_SETTABLE)
                });
                continue;
            }
            let is_free = |number: usize| !is_matched[number];
            let in_other_number = self.in_other_number(member, new, &old_by_name, is_free);
            match in_other_number {
                Some(number) => {
                    // A member that already had this name is compared with itself, too.
                    is_matched[number] = !old_by_name.contains_key(new[number].name);
                    self.report_other_number(here, inside, member, &new[number]);
                }
                None => {
                    let rule = gone(site.role, inside.is_some(), direction);
                    self.report(rule, rule.severity, || here.change(rule));
                }
            }
        }
        for (member, _) in new.iter().zip(is_matched).filter(|(_, is_matched)| !is_matched) {
            let Some(direction) = within(member.direction, usage) else { continue };
            let path = path_of(inside, member.name);
            let place = inside.map_or_else(|| place_of(site.role, member.direction), |(place, _)| place);
            let here = Here { site, place, path: &path, usage: direction };
            let must_be_given = member.is_required && direction.is_in();
            let rule = match must_be_given {
                true => &rules::API_REQUIRED_ADDED,
                false => added(site.role, inside.is_some(), direction),
            };
            self.report(rule, rule.severity, || here.change(rule));
        }
    }

    /// The new member whose name is the singular or plural of a removed one.
    fn in_other_number(
        &mut self,
        gone: &Member<'_>,
        new: &[Member<'_>],
        old_by_name: &HashMap<&str, Vec<usize>>,
        is_free: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        self.searches_left = self.searches_left.checked_sub(new.len() as u64)?;
        let find = |was_there: bool| {
            new.iter().enumerate().position(|(number, one)| {
                is_free(number)
                    && one.direction == gone.direction
                    && old_by_name.contains_key(one.name) == was_there
                    && differ_in_number(gone.name, one.name)
                    && self.are_related(gone.type_id, one.type_id)
            })
        };
        // Prefers an added member; otherwise an existing one that may have taken over its role.
        find(false).or_else(|| find(true))
    }

    /// Whether the types of two members are equal, except that one is a list of the other.
    fn are_related(&self, old: TypeId, new: TypeId) -> bool {
        self.relations.is_same(old, new) || self.list_shape(old, new).is_some()
    }

    /// Reports a member whose name changed between singular and plural.
    fn report_other_number(
        &mut self,
        here: Here<'_, 'p, '_>,
        inside: Option<(Place, Option<&str>)>,
        old: &Member<'_>,
        new: &Member<'_>,
    ) {
        let is_same = self.relations.is_same(old.type_id, new.type_id);
        let rule = if is_same { &rules::API_RENAMED } else { &rules::API_LIST_SHAPE };
        let text = |package, id| Some(crate::compare::type_text(package, id)).filter(|_| !is_same);
        let old_text = text(self.relations.old.package, old.type_id);
        let new_text = text(self.relations.new.package, new.type_id);
        self.report(rule, rule.severity, || Change {
            new_member: Some(path_of(inside, new.name)),
            old: old_text,
            new: new_text,
            ..here.change(rule)
        });
    }

    fn compare_member(&mut self, here: Here<'_, 'p, '_>, old: &Member<'_>, new: &Member<'_>) {
        if self.relations.is_same_member(old, new) {
            return;
        }
        let gave_up = |had: bool, has: bool| had && !has;
        let is_in = here.usage.is_in();
        if is_in && gave_up(old.direction.is_in(), new.direction.is_in()) {
            self.report(&rules::API_NOT_SETTABLE, Severity::Breaking, || {
                here.change(&rules::API_NOT_SETTABLE)
            });
        }
        if here.usage.is_out() && gave_up(old.direction.is_out(), new.direction.is_out()) {
            self.report(&rules::API_OUTPUT_GONE, Severity::Breaking, || here.change(&rules::API_OUTPUT_GONE));
        }
        let is_new = |has: bool, had: bool| has && !had;
        if is_new(new.direction.is_in(), old.direction.is_in()) && !new.is_required {
            self.report_simply(here, &rules::API_SETTABLE);
        }
        if is_new(new.direction.is_out(), old.direction.is_out()) {
            self.report_simply(here, &rules::API_READABLE);
        }
        self.compare_need(here, old, new);
        let was_filled = old.is_computed || old.direction == Direction::Out;
        if gave_up(old.is_computed, new.is_computed || !was_filled) && !new.is_required {
            self.report_simply(here, &rules::API_COMPUTED_GONE);
        }
        for (rule, happened) in [
            (&rules::API_SECRET_GONE, gave_up(old.is_secret, new.is_secret)),
            (&rules::API_SECRET_ADDED, gave_up(new.is_secret, old.is_secret)),
            (&rules::API_PLAIN, is_in && gave_up(new.is_plain, old.is_plain)),
            (&rules::API_PLAIN_GONE, is_in && gave_up(old.is_plain, new.is_plain)),
            (&rules::API_REPLACES, gave_up(new.replaces, old.replaces)),
            (&rules::API_REPLACES_GONE, gave_up(old.replaces, new.replaces)),
            (&rules::API_DOC, old.doc != new.doc),
            (&rules::API_LANGUAGE, language(old) != language(new)),
        ] {
            if happened {
                self.report_simply(here, rule);
            }
        }
        if old.deprecated.is_none() && new.deprecated.is_some() {
            let reason = new.deprecated.filter(|reason| !reason.is_empty()).map(str::to_owned);
            let rule = &rules::API_DEPRECATED;
            self.report(rule, rule.severity, || Change { new: reason, ..here.change(rule) });
        }
        // The output of an input is the given value, unless the provider fills it.
        let is_only_given = here.usage == Direction::Both && !old.is_computed && !new.is_computed;
        let usage = if is_only_given && here.site.role != Role::Type { Direction::In } else { here.usage };
        let here = Here { usage, ..here };
        self.compare_facets(here, old, new);
        let path = Some(here.path.to_owned());
        self.compare_types(here.site, here.place, path, (old.type_id, new.type_id), here.usage);
        if old.output.is_some() || new.output.is_some() {
            let here = Here { usage: Direction::Out, place: Place::Outputs, ..here };
            self.compare_member(here, &old.as_read(), &new.as_read());
        }
    }

    fn report_simply(&mut self, here: Here<'_, 'p, '_>, rule: &'static ApiRule) {
        self.report(rule, severity(rule, here.usage), || here.change(rule));
    }

    /// Whether a member is required.
    fn compare_need(&mut self, here: Here<'_, 'p, '_>, old: &Member<'_>, new: &Member<'_>) {
        // An optional input is filled by the provider, or has become one of the outputs.
        let is_in = here.usage.is_in() && new.direction.is_in();
        let rule = match (old.is_required, new.is_required) {
            (false, true) if is_in && old.is_computed && !new.is_computed => &rules::API_COMPUTED_TO_REQUIRED,
            (false, true) => &rules::API_OPTIONAL_TO_REQUIRED,
            (true, false) => &rules::API_REQUIRED_TO_OPTIONAL,
            _ => return,
        };
        let usage = match (is_in, here.usage.is_out()) {
            // A member that is both is present in the output, required or not, if it was given.
            (true, _) => Direction::In,
            (false, _) => Direction::Out,
        };
        // A type that is both given and read has both faults.
        let usage = if here.site.role == Role::Type { here.usage } else { usage };
        self.report(rule, severity(rule, usage), || here.change(rule));
    }

    fn compare_facets(&mut self, here: Here<'_, 'p, '_>, old: &Member<'_>, new: &Member<'_>) {
        let none = Facets::default();
        let old = old.facets.as_deref().unwrap_or(&none);
        let new = new.facets.as_deref().unwrap_or(&none);
        if old.default != new.default {
            let rule = &rules::API_DEFAULT;
            let (old, new) = (old.default.as_ref(), new.default.as_ref());
            self.report(rule, severity(rule, here.usage), || Change {
                old: Some(old.map_or("none".to_owned(), ToString::to_string)),
                new: Some(new.map_or("none".to_owned(), ToString::to_string)),
                ..here.change(rule)
            });
        }
        for (rule, from, to) in settings::changes(&old.settings, &new.settings) {
            let [old, new] = settings::texts(from, to);
            self.report(rule, severity(rule, here.usage), || Change { old, new, ..here.change(rule) });
        }
        let bounds = [("value", old.value, new.value), ("length", old.length, new.length)];
        for (what, old, new) in bounds.into_iter().chain([("items", old.items, new.items)]) {
            self.compare_bounds(here, what, old, new);
        }
        if old.pattern != new.pattern {
            let rule = if new.pattern.is_some() { &rules::API_PATTERN } else { &rules::API_BOUND_WIDENED };
            let (old, new) = (old.pattern.map(str::to_owned), new.pattern.map(str::to_owned));
            self.report(rule, severity(rule, here.usage), || Change { old, new, ..here.change(rule) });
        }
    }

    fn compare_bounds(&mut self, here: Here<'_, 'p, '_>, what: &str, old: Bounds, new: Bounds) {
        let rises = |from: Option<f64>, to: Option<f64>| match (from, to) {
            (_, None) => false,
            (None, Some(_)) => true,
            (Some(from), Some(to)) => to > from,
        };
        let opposite = |bound: Option<f64>| bound.map(|bound| -bound);
        let text = |name: &str, bound: Option<f64>| {
            Some(bound.map_or_else(|| format!("no {name} {what}"), |bound| format!("{name} {what} {bound}")))
        };
        let (old_max, new_max) = (opposite(old.max), opposite(new.max));
        for (rule, happened, name, old, new) in [
            (&rules::API_MIN_RAISED, rises(old.min, new.min), "least", old.min, new.min),
            (&rules::API_BOUND_WIDENED, rises(new.min, old.min), "least", old.min, new.min),
            (&rules::API_MAX_LOWERED, rises(old_max, new_max), "greatest", old.max, new.max),
            (&rules::API_BOUND_WIDENED, rises(new_max, old_max), "greatest", old.max, new.max),
        ] {
            if happened {
                self.report(rule, severity(rule, here.usage), || Change {
                    old: text(name, old),
                    new: text(name, new),
                    ..here.change(rule)
                });
            }
        }
    }
}

/// Settings for languages.
fn language<'m>(member: &'m Member<'_>) -> Option<&'m Literal<'m>> {
    member.facets.as_deref().and_then(|facets| facets.language.as_ref())
}

/// The numbers of members by name. Two lists of one definition may share a name.
fn by_name<'m>(members: &'m [Member<'_>]) -> HashMap<&'m str, Vec<usize>> {
    let mut numbers: HashMap<&str, Vec<usize>> = HashMap::with_capacity(members.len());
    for (number, member) in members.iter().enumerate() {
        numbers.entry(member.name).or_default().push(number);
    }
    numbers
}

fn path_of(inside: Option<(Place, Option<&str>)>, name: &str) -> String {
    match inside {
        Some((_, Some(path))) => format!("{path}.{name}"),
        _ => name.to_owned(),
    }
}

/// The direction of a member inside an object with one direction; `None` if it does not occur
/// there.
fn within(of: Direction, usage: Direction) -> Option<Direction> {
    match (of.is_in() && usage.is_in(), of.is_out() && usage.is_out()) {
        (true, true) => Some(Direction::Both),
        (true, false) => Some(Direction::In),
        (false, true) => Some(Direction::Out),
        (false, false) => None,
    }
}

/// Whether two members overlap in being given or being read.
fn shares(one: Direction, other: Direction) -> bool {
    (one.is_in() && other.is_in()) || (one.is_out() && other.is_out())
}

fn place_of(role: Role, direction: Direction) -> Place {
    match direction {
        _ if role == Role::Type => Place::Properties,
        Direction::In => Place::Inputs,
        Direction::Out => Place::Outputs,
        Direction::Both => Place::Properties,
    }
}

fn gone(role: Role, is_inside: bool, direction: Direction) -> &'static ApiRule {
    match direction {
        _ if role == Role::Type || is_inside => &rules::API_PROPERTY_GONE,
        Direction::Out => &rules::API_OUTPUT_GONE,
        Direction::In | Direction::Both => &rules::API_INPUT_GONE,
    }
}

fn added(role: Role, is_inside: bool, direction: Direction) -> &'static ApiRule {
    match direction {
        _ if role == Role::Type || is_inside => &rules::API_PROPERTY_ADDED,
        Direction::Out => &rules::API_OUTPUT_ADDED,
        Direction::In | Direction::Both => &rules::API_INPUT_ADDED,
    }
}
