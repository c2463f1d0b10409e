//! §16.3 The information of schemas for a comparison of resources, by type and place.

use crate::value::{ListKind, PlaceFacts, Schema, Shapes};
use coconut_format::pointer;
use coconut_surface::Dialect;
use coconut_surface::{Definition, Direction, Member, Members, Package, Role, Type, TypeId};
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

/// The schemas of the resources of a document.
#[derive(Debug)]
pub struct Described<'a>(Vec<One<'a>>);

/// One schema, indexed by names.
#[derive(Debug)]
struct One<'a> {
    package: Package<'a>,
    /// The numbers of the definitions of resources.
    resources: HashMap<String, usize>,
    /// The numbers of the definitions to which types refer.
    types: HashMap<String, usize>,
    has_secrets: bool,
    /// Cached results: whether these contain a secret.
    known: RefCell<HashMap<Part, bool>>,
}

/// A value that contains other values.
#[derive(Clone, Copy)]
enum Below {
    Members(Members),
    Items(Option<ListKind>, TypeId),
    Values(TypeId),
}

/// The values that may contain secrets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Part {
    Type(TypeId),
    Members(Members),
}

/// The maximum number of references followed to resolve a type.
const MOST_REFERENCES: usize = 64;

/// The places of properties in resources: the first steps, where `*` is any, and whether these are
/// inputs or outputs.
const SECTIONS: [(&[&str], Option<Direction>); 13] = [
    (&["inputs"], Some(Direction::In)),
    (&["outputs"], Some(Direction::Out)),
    (&["properties"], None),
    (&["Properties"], None),
    (&["attributes"], None),
    (&["values"], None),
    (&["instances", "*", "attributes"], None),
    (PRIMARY, None),
    (DEPOSED, None),
    (FLAT, None),
    (FLAT_OF_INSTANCE, None),
    (&["change", "before"], None),
    (&["change", "after"], None),
];

const PRIMARY: &[&str] = &["primary", "attributes"];
const DEPOSED: &[&str] = &["deposed", "*", "attributes"];
const FLAT: &[&str] = &["instances", "*", "attributes_flat"];
const FLAT_OF_INSTANCE: &[&str] = &["attributes_flat"];

/// Places at which one key contains all steps to a value, as in `rule.0.port`.
const FLAT_SECTIONS: [&[&str]; 4] = [PRIMARY, DEPOSED, FLAT, FLAT_OF_INSTANCE];

/// The last step in such a key, which leads to the number of items or entries.
const COUNTS: [&str; 2] = ["#", "%"];

impl<'a> Described<'a> {
    /// Creates it from all of these schemas. The first that defines a type describes it.
    pub fn new(packages: Vec<Package<'a>>) -> Described<'a> {
        Described(packages.into_iter().map(One::new).collect())
    }

    /// Whether schemas of this dialect describe the resources of a document.
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
        self.0.iter().any(|one| one.package.has_secrets())
    }

    fn at(&self, token: &str, place: &str) -> Option<PlaceFacts> {
        let (one, definition) = self.of_type(token)?;
        let keys: Vec<Cow<'_, str>> = pointer::keys(place)?.collect();
        let (section, direction) = section(&keys)?;
        let mut keys = keys.get(section.len()..)?.to_vec();
        let is_flat = FLAT_SECTIONS.contains(&section) && one.unfold(&mut keys, definition.members);
        let is_count = is_flat && keys.pop_if(|last| COUNTS.contains(&&**last)).is_some();
        let mut below = Some(Below::Members(definition.members));
        let mut facts = PlaceFacts {
            partly: one.partly(below, Part::Members(definition.members)),
            ..PlaceFacts::default()
        };
        for key in &keys {
            let of = match below {
                Some(Below::Members(members)) => {
                    let member = one.member(members, key, direction)?;
                    facts.is_secret |= member.is_secret;
                    facts.replaces |= member.replaces;
                    facts.is_computed = one.is_computed(members, member);
                    member.type_id
                }
                Some(Below::Items(_, of) | Below::Values(of)) => of,
                // The keys of a map may contain dots.
                None if is_flat => break,
                None => return None,
            };
            below = one.below(of);
            facts.partly = one.partly(below, Part::Type(of));
        }
        facts.partly = facts.partly.filter(|_| !is_count);
        facts.list = match below {
            Some(Below::Items(list, _)) => list,
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
        let has_secrets = package.has_secrets();
        One { package, resources, types, has_secrets, known: RefCell::default() }
    }

    /// Splits the first key into steps if it is not the name of a member.
    fn unfold(&self, keys: &mut Vec<Cow<'_, str>>, members: Members) -> bool {
        let [key] = &keys[..] else { return false };
        if !key.contains('.') || self.member(members, key, None).is_some() {
            return false;
        }
        *keys = key.split('.').map(|step| Cow::Owned(step.to_owned())).collect();
        true
    }

    /// If a value may contain secrets, the shapes in which they occur.
    fn partly(&self, below: Option<Below>, part: Part) -> Option<Shapes> {
        if !self.holds_secrets(part) {
            return None;
        }
        let mut shapes = Shapes::default();
        match below {
            Some(Below::Members(_) | Below::Values(_)) => shapes.has_objects = true,
            Some(Below::Items(..)) => shapes.has_lists = true,
            None => {}
        }
        let Part::Type(of) = part else { return Some(shapes) };
        if let Type::Union(types) = self.package.type_of(of) {
            let types = self.package.union(types);
            let is_scalar = |of: &&TypeId| matches!(self.package.type_of(**of), Type::Scalar(_));
            let scalars = types.iter().filter(is_scalar).count();
            // The value does not show which of several types applies.
            if types.len() - scalars > 1 {
                shapes = Shapes::default();
            }
            shapes.has_scalars = scalars > 0;
        }
        Some(shapes)
    }

    fn holds_secrets(&self, start: Part) -> bool {
        if !self.has_secrets {
            return false;
        }
        let mut known = self.known.borrow_mut();
        let (mut seen, mut pending) = (HashSet::from([start]), vec![start]);
        while let Some(part) = pending.pop() {
            let mut each = |part| {
                if seen.insert(part) {
                    pending.push(part);
                }
            };
            let is_found = match known.get(&part) {
                Some(known) => *known,
                None => self.parts_of(part, &mut each),
            };
            if is_found {
                known.insert(start, true);
                return true;
            }
        }
        known.extend(seen.into_iter().map(|part| (part, false)));
        false
    }

    /// Calls `each` for its parts. Returns whether one of them is secret itself.
    fn parts_of(&self, part: Part, each: &mut dyn FnMut(Part)) -> bool {
        let of = match part {
            Part::Type(of) => of,
            Part::Members(members) => {
                let members = self.package.members(members);
                members.iter().for_each(|member| each(Part::Type(member.type_id)));
                return members.iter().any(|member| member.is_secret);
            }
        };
        match self.package.type_of(of) {
            Type::List(part) | Type::Set(part) | Type::Map(part) => each(Part::Type(*part)),
            Type::Object(members) => each(Part::Members(*members)),
            Type::Reference(token) => {
                let number = self.types.get(&**token);
                if let Some(definition) = number.and_then(|number| self.package.definitions.get(*number)) {
                    each(definition.value.map_or(Part::Members(definition.members), Part::Type));
                }
            }
            Type::Union(types) => self.package.union(types).iter().for_each(|of| each(Part::Type(*of))),
            Type::Scalar(_) | Type::Enum(..) | Type::Other(_) => {}
        }
        false
    }

    /// The member with a name. Inputs and outputs of a resource can be separate members.
    fn member(&self, members: Members, name: &str, wanted: Option<Direction>) -> Option<&Member<'a>> {
        let mut named = self.package.members(members).iter().filter(|member| member.name == name);
        let first = named.next()?;
        let is_wanted = |member: &&Member<'a>| wanted.is_none_or(|wanted| member.direction == wanted);
        Some(std::iter::once(first).chain(named).find(is_wanted).unwrap_or(first))
    }

    /// Whether the provider fills it, at least if it is not given.
    fn is_computed(&self, members: Members, member: &Member<'a>) -> bool {
        let settable = |other: &Member<'a>| other.name == member.name && other.direction.is_in();
        member.is_computed || !member.direction.is_in() && !self.package.members(members).iter().any(settable)
    }

    /// The children of a value of this type.
    fn below(&self, mut of: TypeId) -> Option<Below> {
        for _ in 0..MOST_REFERENCES {
            of = match self.package.type_of(of) {
                Type::List(part) => return Some(Below::Items(self.kind_of_lists(), *part)),
                Type::Set(part) => return Some(Below::Items(Some(ListKind::Set), *part)),
                Type::Map(part) => return Some(Below::Values(*part)),
                Type::Object(members) => return Some(Below::Members(*members)),
                Type::Reference(token) => {
                    let definition = self.package.definitions.get(*self.types.get(&**token)?)?;
                    match definition.value {
                        Some(value) => value,
                        None => return Some(Below::Members(definition.members)),
                    }
                }
                // A property can also be given as a string or as a value of another resource.
                Type::Union(types) => {
                    let is_plain = |of: &&TypeId| !matches!(self.package.type_of(**of), Type::Scalar(_));
                    *self.package.union(types).iter().find(is_plain)?
                }
                Type::Scalar(_) | Type::Enum(..) | Type::Other(_) => return None,
            };
        }
        None
    }

    /// Only Terraform schemas always distinguish lists from sets.
    fn kind_of_lists(&self) -> Option<ListKind> {
        (self.package.dialect == Dialect::Terraform).then_some(ListKind::Ordered)
    }
}

/// The steps that lead to the properties, and the kind of these properties.
fn section(keys: &[Cow<'_, str>]) -> Option<(&'static [&'static str], Option<Direction>)> {
    SECTIONS.into_iter().find(|(steps, _)| {
        keys.len() >= steps.len() && steps.iter().zip(keys).all(|(step, key)| *step == "*" || *step == key)
    })
}
