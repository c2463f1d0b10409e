//! §20.3 Assignability: whether one type accepts all values of another.

use crate::compare::renames::{Index, Renames};
use crate::literal::Literal;
use crate::model::{Definition, Member, Members, Package, Scalar, Type, TypeId};
use coconut_format::limits::MAX_TYPE_DEPTH;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

/// The maximum number of type comparisons per package comparison. Unions of many types need many.
/// Beyond this, unequal types count as different.
const MOST_STEPS: u64 = 2_000_000;

/// One of the two compared packages, with its definitions by token.
pub(crate) struct Side<'p, 'a> {
    pub(crate) package: &'p Package<'a>,
    pub(crate) index: Index<'p>,
}

impl<'p, 'a> Side<'p, 'a> {
    pub(crate) fn of(package: &'p Package<'a>) -> Side<'p, 'a> {
        Side { package, index: Index::of(package) }
    }

    fn referred(&self, token: &str) -> Option<&'p Definition<'a>> {
        self.package.definitions.get(self.index.referred(token)?)
    }
}

/// Relations between types of two packages.
pub(crate) struct Relations<'p, 'a, 'b> {
    pub(crate) old: Side<'p, 'a>,
    pub(crate) new: Side<'p, 'b>,
    pub(crate) renames: Renames<'p>,
    same: RefCell<HashMap<(TypeId, TypeId), bool>>,
    steps_left: Cell<u64>,
}

impl<'p, 'a, 'b> Relations<'p, 'a, 'b> {
    pub(crate) fn new(old: &'p Package<'a>, new: &'p Package<'b>, renames: Renames<'p>) -> Self {
        let (old, new) = (Side::of(old), Side::of(new));
        Relations { old, new, renames, same: RefCell::default(), steps_left: Cell::new(MOST_STEPS) }
    }

    /// Whether two references lead to the same definition, in its old and its new version.
    pub(crate) fn is_same_token(&self, old: &str, new: &str) -> bool {
        let exists = |token: &str| self.new.index.referred(token).is_some();
        old == new || (!exists(old) && self.renames.of(old, exists) == Some(new))
    }

    /// Whether two types are equal, including all attributes of their members. References are equal
    /// by token: their targets are compared separately.
    pub(crate) fn is_same(&self, old: TypeId, new: TypeId) -> bool {
        let known = self.same.borrow().get(&(old, new)).copied();
        known.unwrap_or_else(|| {
            let is_same = self.is_same_type(old, new);
            self.same.borrow_mut().insert((old, new), is_same);
            is_same
        })
    }

    fn is_same_type(&self, old: TypeId, new: TypeId) -> bool {
        match (self.old.package.type_of(old), self.new.package.type_of(new)) {
            (Type::Scalar(old), Type::Scalar(new)) => old == new,
            (Type::List(old), Type::List(new))
            | (Type::Set(old), Type::Set(new))
            | (Type::Map(old), Type::Map(new)) => self.is_same(*old, *new),
            (Type::Object(old), Type::Object(new)) => self.are_same_members(*old, *new),
            (Type::Reference(old), Type::Reference(new)) => self.is_same_token(old, new),
            (Type::Union(old), Type::Union(new)) => {
                let (old, new) = (self.old.package.union(old), self.new.package.union(new));
                old.len() == new.len() && old.iter().zip(new).all(|(old, new)| self.is_same(*old, *new))
            }
            (Type::Enum(old_base, old), Type::Enum(new_base, new)) => {
                old_base == new_base && self.old.package.values(old) == self.new.package.values(new)
            }
            (Type::Other(old), Type::Other(new)) => old == new,
            _ => false,
        }
    }

    /// Whether members are equal and in the same order.
    pub(crate) fn are_same_members(&self, old: Members, new: Members) -> bool {
        let (old, new) = (self.old.package.members(old), self.new.package.members(new));
        old.len() == new.len() && old.iter().zip(new).all(|(old, new)| self.is_same_member(old, new))
    }

    pub(crate) fn is_same_member(&self, old: &Member<'_>, new: &Member<'_>) -> bool {
        let flags = |member: &Member<'_>| {
            let of_value = (member.is_computed, member.is_secret, member.is_plain, member.replaces);
            (member.direction, member.is_required, of_value)
        };
        old.name == new.name
            && flags(old) == flags(new)
            && old.doc == new.doc
            && old.deprecated == new.deprecated
            && old.facets == new.facets
            && self.is_same(old.type_id, new.type_id)
            && match (&old.output, &new.output) {
                (None, None) => true,
                (Some(old), Some(new)) => self.is_same_member(old, new),
                _ => false,
            }
    }

    /// Whether the new type accepts every value of the old one.
    pub(crate) fn widens(&self, old: TypeId, new: TypeId) -> bool {
        self.takes((&self.new, new), (&self.old, old), &|new, old| self.is_same_token(old, new), 0)
    }

    /// Whether the old type accepts every value of the new one.
    pub(crate) fn narrows(&self, old: TypeId, new: TypeId) -> bool {
        self.takes((&self.old, old), (&self.new, new), &|old, new| self.is_same_token(old, new), 0)
    }

    /// Whether `into` accepts every value of `from`. `is_same` receives their tokens in this order.
    fn takes(
        &self,
        (into, into_id): (&Side<'p, '_>, TypeId),
        (from, from_id): (&Side<'p, '_>, TypeId),
        is_same: &dyn Fn(&str, &str) -> bool,
        depth: usize,
    ) -> bool {
        let steps_left = self.steps_left.get();
        if depth > MAX_TYPE_DEPTH || steps_left == 0 {
            return false;
        }
        self.steps_left.set(steps_left - 1);
        let takes = |into_id, from_id| self.takes((into, into_id), (from, from_id), is_same, depth + 1);
        match (into.package.type_of(into_id), from.package.type_of(from_id)) {
            (Type::Scalar(Scalar::Any), _) => true,
            (Type::Scalar(into), Type::Scalar(from)) => into == from || is_wider(*into, *from),
            (Type::Reference(into), Type::Reference(from)) if is_same(into, from) => true,
            (_, Type::Union(types)) => from.package.union(types).iter().all(|one| takes(into_id, *one)),
            (Type::Union(types), _) => into.package.union(types).iter().any(|one| takes(*one, from_id)),
            (Type::Enum(_, into_values), Type::Enum(_, from_values)) => {
                let into = into.package.values(into_values);
                from.package.values(from_values).iter().all(|value| into.contains(value))
            }
            (Type::Scalar(into), Type::Enum(base, _)) => into == base || is_wider(*into, *base),
            (Type::List(into), Type::List(from))
            | (Type::Set(into), Type::Set(from))
            | (Type::Map(into), Type::Map(from)) => takes(*into, *from),
            (Type::Object(into_members), Type::Object(from_members)) => {
                let into = into.package.members(*into_members);
                let from = from.package.members(*from_members);
                members_take(into, from, takes)
            }
            (Type::Map(into), Type::Object(members)) => {
                from.package.members(*members).iter().all(|member| takes(*into, member.type_id))
            }
            (Type::Reference(token), _) => match into.referred(token) {
                Some(definition) => match definition.value {
                    Some(value) => takes(value, from_id),
                    None => object_of(from, from_id).is_some_and(|members| {
                        members_take(into.package.members(definition.members), members, takes)
                    }),
                },
                None => false,
            },
            (into_type, Type::Reference(token)) => match (from.referred(token), into_type) {
                (Some(definition), _) if definition.value.is_some() => {
                    definition.value.is_some_and(|value| takes(into_id, value))
                }
                (Some(definition), Type::Object(into_members)) => {
                    let from = from.package.members(definition.members);
                    members_take(into.package.members(*into_members), from, takes)
                }
                (Some(definition), Type::Map(of)) => {
                    from.package.members(definition.members).iter().all(|member| takes(*of, member.type_id))
                }
                _ => false,
            },
            (Type::Other(into), Type::Other(from)) => into == from,
            _ => false,
        }
    }
}

/// The members of an object, or of the target of a reference.
fn object_of<'s, 'a>(side: &'s Side<'_, 'a>, id: TypeId) -> Option<&'s [Member<'a>]> {
    match side.package.type_of(id) {
        Type::Object(members) => Some(side.package.members(*members)),
        Type::Reference(token) => {
            let definition = side.referred(token).filter(|definition| definition.value.is_none())?;
            Some(side.package.members(definition.members))
        }
        _ => None,
    }
}

/// Whether objects with the members `from` fit the members `into`: each one is known there and
/// fits, and no required member is missing.
fn members_take(into: &[Member<'_>], from: &[Member<'_>], takes: impl Fn(TypeId, TypeId) -> bool) -> bool {
    let given: HashMap<&str, &Member<'_>> = from.iter().map(|member| (member.name, member)).collect();
    let known: HashMap<&str, &Member<'_>> = into.iter().map(|member| (member.name, member)).collect();
    let fits =
        |member: &Member<'_>| known.get(member.name).is_some_and(|into| takes(into.type_id, member.type_id));
    let is_there = |member: &Member<'_>| given.get(member.name).is_some_and(|given| given.is_required);
    from.iter().all(fits) && into.iter().all(|member| !member.is_required || is_there(member))
}

/// Whether one scalar type accepts the values of another.
fn is_wider(into: Scalar, from: Scalar) -> bool {
    (into, from) == (Scalar::Number, Scalar::Integer)
}

/// The values of an enum that another one lacks.
pub(crate) fn lacking<'v, 'a>(of: &'v [Literal<'a>], other: &[Literal<'_>]) -> Vec<&'v Literal<'a>> {
    of.iter().filter(|value| !other.iter().any(|one| one == *value)).collect()
}
