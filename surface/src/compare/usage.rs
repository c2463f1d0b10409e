//! §20.3 Whether the types of a package are given, read, or both.

use crate::compare::assign::Side;
use crate::model::{Definition, Direction, Member, Role, Type, TypeId};
use std::collections::HashSet;

/// Whether something is given and whether it is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Use {
    is_given: bool,
    is_read: bool,
}

impl Use {
    pub(crate) fn or(self, other: Use) -> Use {
        Use { is_given: self.is_given || other.is_given, is_read: self.is_read || other.is_read }
    }

    /// The direction; both, if no use is known.
    pub(crate) fn direction(self) -> Direction {
        match (self.is_given, self.is_read) {
            (true, false) => Direction::In,
            (false, true) => Direction::Out,
            _ => Direction::Both,
        }
    }
}

/// The use of each type of a package, derived from the members of classes and functions.
pub(crate) struct Usage {
    given: HashSet<String>,
    read: HashSet<String>,
}

impl Usage {
    pub(crate) fn of(side: &Side<'_, '_>) -> Usage {
        // The output of an input is the given value, unless the provider fills it.
        let is_read = |member: &Member<'_>| match member.direction {
            Direction::Out => true,
            Direction::Both => member.is_computed,
            Direction::In => false,
        };
        Usage {
            given: reached(side, true, |member| member.direction.is_in()),
            read: reached(side, false, is_read),
        }
    }

    pub(crate) fn of_token(&self, definition: &Definition<'_>) -> Use {
        let token = &*definition.token;
        Use { is_given: self.given.contains(token), is_read: self.read.contains(token) }
    }
}

/// The tokens of types reachable from members that are given, or that are read.
fn reached(side: &Side<'_, '_>, is_given: bool, is_wanted: impl Fn(&Member<'_>) -> bool) -> HashSet<String> {
    let package = side.package;
    let mut tokens = HashSet::new();
    let mut seen: HashSet<TypeId> = HashSet::new();
    let mut pending: Vec<TypeId> = Vec::new();
    let wanted = |members: &[Member<'_>], pending: &mut Vec<TypeId>| {
        pending.extend(members.iter().filter(|member| is_wanted(member)).map(|member| member.type_id));
    };
    for definition in package.definitions.iter().filter(|definition| definition.role != Role::Type) {
        wanted(package.members(definition.members), &mut pending);
        // A result is read; a variable can also be set.
        pending.extend(definition.value.filter(|_| !is_given || definition.role == Role::Variable));
    }
    // Members of a given or read object have the same use, unless they have the other direction.
    let inner = |members: &[Member<'_>], pending: &mut Vec<TypeId>| {
        let goes = |one: Direction| if is_given { one.is_in() } else { one.is_out() };
        pending.extend(members.iter().filter(|member| goes(member.direction)).map(|member| member.type_id));
    };
    while let Some(id) = pending.pop() {
        if !seen.insert(id) {
            continue;
        }
        match package.type_of(id) {
            Type::List(of) | Type::Set(of) | Type::Map(of) => pending.push(*of),
            Type::Union(types) => pending.extend(package.union(types)),
            Type::Object(members) => inner(package.members(*members), &mut pending),
            Type::Reference(token) => {
                let is_first = tokens.insert(token.to_string());
                if let Some(number) = side.index.referred(token).filter(|_| is_first) {
                    let definition = &package.definitions[number];
                    pending.extend(definition.value);
                    inner(package.members(definition.members), &mut pending);
                }
            }
            Type::Scalar(_) | Type::Enum(..) | Type::Other(_) => {}
        }
    }
    tokens
}
