//! §16.3 Schemas as a comparison of resources asks them: by type and place.

use super::model::{Definition, Direction, Member, Members, Package, Role, Type, TypeId};
use super::read::Dialect;
use crate::diff::{ListKind, PlaceFacts, Schema};
use crate::pointer;
use std::borrow::Cow;
use std::collections::HashMap;

/// The schemas of the resources of a document.
#[derive(Debug)]
pub struct Described<'a>(Vec<One<'a>>);

/// One schema, by the names of what is in it.
#[derive(Debug)]
struct One<'a> {
    package: Package<'a>,
    /// The numbers of the definitions of resources.
    resources: HashMap<String, usize>,
    /// The numbers of definitions that types refer to.
    types: HashMap<String, usize>,
}

/// A value that has others in it.
enum Below {
    Members(Members),
    Parts(Option<ListKind>, TypeId),
}

/// References that are followed to find out what a type is.
const MOST_REFERENCES: usize = 64;

/// Where resources have their properties: the first steps of a place, where `*` is any, and whether
/// these are what was given or what came back.
const SECTIONS: [(&[&str], Option<Direction>); 10] = [
    (&["inputs"], Some(Direction::In)),
    (&["outputs"], Some(Direction::Out)),
    (&["properties"], None),
    (&["Properties"], None),
    (&["attributes"], None),
    (&["values"], None),
    (&["instances", "*", "attributes"], None),
    (&["primary", "attributes"], None),
    (&["change", "before"], None),
    (&["change", "after"], None),
];

impl<'a> Described<'a> {
    /// All of these schemas. The first that has a type describes it.
    pub fn new(packages: Vec<Package<'a>>) -> Described<'a> {
        Described(packages.into_iter().map(One::new).collect())
    }

    /// Whether schemas of this dialect say what is in the resources of a document.
    pub fn takes(dialect: Dialect) -> bool {
        !matches!(dialect, Dialect::KubernetesOpenApi | Dialect::KubernetesCrd)
    }

    fn of_type(&self, token: &str) -> Option<(&One<'a>, &Definition<'a>)> {
        self.0.iter().find_map(|one| {
            let number = *one.resources.get(token)?;
            Some((one, one.package.definitions.get(number)?))
        })
    }
}

impl Schema for Described<'_> {
    fn has_type(&self, token: &str) -> bool {
        self.of_type(token).is_some()
    }

    fn has_secrets(&self) -> bool {
        self.0.iter().any(|one| one.package.members.iter().any(|member| member.is_secret))
    }

    fn at(&self, token: &str, place: &str) -> Option<PlaceFacts> {
        let (one, definition) = self.of_type(token)?;
        let keys: Vec<Cow<'_, str>> = pointer::keys(place)?.collect();
        let (steps, direction) = section(&keys)?;
        let mut below = Some(Below::Members(definition.members));
        let mut facts = PlaceFacts::default();
        for key in keys.get(steps..).filter(|keys| !keys.is_empty())? {
            let of = match below? {
                Below::Members(members) => {
                    let member = one.member(members, key, direction)?;
                    facts.is_secret |= member.is_secret;
                    facts.replaces |= member.replaces;
                    facts.is_computed = one.is_computed(members, member);
                    member.type_id
                }
                Below::Parts(_, of) => of,
            };
            below = one.below(of);
        }
        facts.list = match below {
            Some(Below::Parts(list, _)) => list,
            _ => None,
        };
        Some(facts)
    }
}

impl<'a> One<'a> {
    fn new(package: Package<'a>) -> One<'a> {
        let (mut resources, mut types) = (HashMap::new(), HashMap::new());
        for (number, definition) in package.definitions.iter().enumerate() {
            let token = definition.token.to_string();
            match definition.role {
                Role::Class => {
                    let other = definition.origin.into_iter().chain(definition.aliases.iter().copied());
                    for other in other {
                        resources.entry(other.to_owned()).or_insert(number);
                    }
                    types.entry(token.clone()).or_insert(number);
                    resources.insert(token, number);
                }
                Role::Function if token.starts_with("data.") => drop(resources.insert(token, number)),
                Role::Provider if package.dialect == Dialect::Pulumi && token == "provider" => {
                    resources.insert(format!("pulumi:providers:{}", package.name), number);
                }
                Role::Type => drop(types.insert(token, number)),
                _ => {}
            }
        }
        One { package, resources, types }
    }

    /// The member of a name. Inputs and outputs of a resource can be two members.
    fn member(&self, members: Members, name: &str, wanted: Option<Direction>) -> Option<&Member<'a>> {
        let mut named = self.package.members(members).iter().filter(|member| member.name == name);
        let first = named.next()?;
        let is_wanted = |member: &&Member<'a>| wanted.is_none_or(|wanted| member.direction == wanted);
        Some(std::iter::once(first).chain(named).find(is_wanted).unwrap_or(first))
    }

    /// Whether the provider fills it, perhaps where nobody gives it.
    fn is_computed(&self, members: Members, member: &Member<'a>) -> bool {
        let settable = |other: &Member<'a>| other.name == member.name && other.direction.is_in();
        member.is_computed || !member.direction.is_in() && !self.package.members(members).iter().any(settable)
    }

    /// What is below a value of this type.
    fn below(&self, mut of: TypeId) -> Option<Below> {
        for _ in 0..MOST_REFERENCES {
            of = match self.package.type_of(of) {
                Type::List(part) => return Some(Below::Parts(self.kind_of_lists(), *part)),
                Type::Set(part) => return Some(Below::Parts(Some(ListKind::Set), *part)),
                Type::Map(part) => return Some(Below::Parts(None, *part)),
                Type::Object(members) => return Some(Below::Members(*members)),
                Type::Reference(token) => {
                    let definition = self.package.definitions.get(*self.types.get(&**token)?)?;
                    match definition.value {
                        Some(value) => value,
                        None => return Some(Below::Members(definition.members)),
                    }
                }
                // A property can also be given as a text or as what another resource has.
                Type::Union(types) => {
                    let is_plain = |of: &&TypeId| !matches!(self.package.type_of(**of), Type::Scalar(_));
                    *self.package.union(types).iter().find(is_plain)?
                }
                Type::Scalar(_) | Type::Enum(..) | Type::Other(_) => return None,
            };
        }
        None
    }

    /// Only schemas of Terraform tell lists from sets always.
    fn kind_of_lists(&self) -> Option<ListKind> {
        (self.package.dialect == Dialect::Terraform).then_some(ListKind::Ordered)
    }
}

/// How many steps lead to the properties, and which these are.
fn section(keys: &[Cow<'_, str>]) -> Option<(usize, Option<Direction>)> {
    let found = SECTIONS.iter().find(|(steps, _)| {
        keys.len() >= steps.len() && steps.iter().zip(keys).all(|(step, key)| *step == "*" || *step == key)
    });
    found.map(|(steps, direction)| (steps.len(), *direction))
}
