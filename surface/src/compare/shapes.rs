//! §20.3 Comparing the types of a member.

use crate::compare::assign::lacking;
use crate::compare::finding::{Change, Place};
use crate::compare::{Comparer, Site};
use crate::model::{Direction, Type, TypeId};
use crate::print::type_text;
use crate::rules::{self, ApiRule, Severity};

/// Two types that are still to be compared, with the path to them.
struct Pending {
    path: Option<String>,
    old: TypeId,
    new: TypeId,
}

impl<'p> Comparer<'p, '_, '_> {
    /// Reports the changes of a type. Descends into lists, maps and objects, so that each change is
    /// reported at its place.
    pub(crate) fn compare_types(
        &mut self,
        site: Site<'p, '_>,
        place: Place,
        path: Option<String>,
        (old, new): (TypeId, TypeId),
        usage: Direction,
    ) {
        let mut pending = vec![Pending { path, old, new }];
        while let Some(Pending { path, old, new }) = pending.pop() {
            if self.relations.is_same(old, new) {
                continue;
            }
            let (old_package, new_package) = (self.relations.old.package, self.relations.new.package);
            let below = |step: &str| Some(format!("{}{step}", path.as_deref().unwrap_or_default()));
            match (old_package.type_of(old), new_package.type_of(new)) {
                (Type::List(old), Type::List(new)) | (Type::Set(old), Type::Set(new)) => {
                    pending.push(Pending { path: below("[*]"), old: *old, new: *new });
                }
                (Type::Map(old), Type::Map(new)) => {
                    pending.push(Pending { path: below("{*}"), old: *old, new: *new });
                }
                (Type::Object(old), Type::Object(new)) => {
                    // Objects nest as deep as types: at most 64 levels.
                    self.compare_members(site, Some((place, path.as_deref())), (*old, *new), usage);
                }
                (Type::Enum(old_base, old_values), Type::Enum(new_base, new_values))
                    if old_base == new_base =>
                {
                    let (old_values, new_values) =
                        (old_package.values(old_values), new_package.values(new_values));
                    for (rule, values) in [
                        (&rules::API_ENUM_GONE, lacking(old_values, new_values)),
                        (&rules::API_ENUM_ADDED, lacking(new_values, old_values)),
                    ] {
                        for value in values {
                            let (path, value) = (path.clone(), Some(value.to_string()));
                            self.report(rule, severity(rule, usage), || Change {
                                place,
                                member: path,
                                old: value.clone().filter(|_| rule.id == rules::API_ENUM_GONE.id),
                                new: value.filter(|_| rule.id == rules::API_ENUM_ADDED.id),
                                ..site.change(rule)
                            });
                        }
                    }
                }
                _ => {
                    if let Some((old, new)) =
                        self.compare_shape(site, place, path.as_deref(), (old, new), usage)
                    {
                        pending.push(Pending { path: below("[*]"), old, new });
                    }
                }
            }
        }
    }

    /// Reports a change between one value and a list, or between a list and a set; otherwise that
    /// the type changed. Returns the item types if they must be compared, too.
    fn compare_shape(
        &mut self,
        site: Site<'p, '_>,
        place: Place,
        path: Option<&str>,
        (old, new): (TypeId, TypeId),
        usage: Direction,
    ) -> Option<(TypeId, TypeId)> {
        let items = self.list_shape(old, new);
        let (rule, severity) = match items {
            Some(_) => (&rules::API_LIST_SHAPE, Severity::Breaking),
            None => {
                let fits_in = || self.relations.widens(old, new);
                let fits_out = || self.relations.narrows(old, new);
                let is_compatible = match usage {
                    Direction::In => fits_in(),
                    Direction::Out => fits_out(),
                    Direction::Both => fits_in() && fits_out(),
                };
                let severity = if is_compatible { Severity::Compatible } else { Severity::Breaking };
                (&rules::API_TYPE, severity)
            }
        };
        let old_text = type_text(self.relations.old.package, old);
        let new_text = type_text(self.relations.new.package, new);
        self.report(rule, severity, || Change {
            place,
            member: path.map(str::to_owned),
            old: Some(old_text),
            new: Some(new_text),
            ..site.change(rule)
        });
        items
    }

    /// The items of two types that differ in shape: in having one value or many, or in having an
    /// order.
    pub(crate) fn list_shape(&self, old: TypeId, new: TypeId) -> Option<(TypeId, TypeId)> {
        let (old_package, new_package) = (self.relations.old.package, self.relations.new.package);
        let related = |old: TypeId, new: TypeId| {
            let both_objects = matches!(
                (old_package.type_of(old), new_package.type_of(new)),
                (Type::Object(_), Type::Object(_))
            );
            both_objects
                || self.relations.is_same(old, new)
                || self.relations.widens(old, new)
                || self.relations.narrows(old, new)
        };
        match (old_package.type_of(old), new_package.type_of(new)) {
            (Type::List(old), Type::Set(new)) | (Type::Set(old), Type::List(new)) => Some((*old, *new)),
            (Type::List(item) | Type::Set(item), _) if related(*item, new) => Some((*item, new)),
            (_, Type::List(item) | Type::Set(item)) if related(old, *item) => Some((old, *item)),
            _ => None,
        }
    }
}

/// The severity of a change for something used in this direction: that of inputs, unless it is only
/// read. If it is both, the more severe one.
pub(crate) fn severity(rule: &'static ApiRule, usage: Direction) -> Severity {
    match usage {
        Direction::In => rule.severity,
        Direction::Out => rule.of_outputs,
        Direction::Both => rule.severity.max(rule.of_outputs),
    }
}
