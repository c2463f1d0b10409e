//! §20.1 A model under construction: the lists of members and types, and caches of values already
//! read.

use crate::dialect::Dialect;
use crate::error::ApiError;
use crate::literal::Literal;
use crate::model::{Definition, Member, Members, Package, Role, Scalar, Type, TypeId};
use crate::rest::Rest;
use coconut_format::limits::MAX_TYPE_DEPTH;
use coconut_format::node::{Kind, Node};
use coconut_format::value::Value;
use std::borrow::Cow;
use std::collections::HashMap;

/// A type with one part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Shape {
    List,
    Set,
    Map,
}

/// A package that a reader fills.
pub(crate) struct Draft<'a> {
    pub(crate) package: Package<'a>,
    /// Existing lists, sets and maps.
    shaped: HashMap<(Shape, TypeId), TypeId>,
    /// Existing objects.
    objects: HashMap<Members, TypeId>,
    /// Types of stored values, which occur many times but are read once.
    known_types: HashMap<(usize, u8), TypeId>,
    /// Members of stored values.
    known_members: HashMap<(usize, u8), Members>,
    /// The remaining number of values that may be carried, if they are carried at all.
    pub(crate) rest_left: Option<usize>,
}

impl<'a> Draft<'a> {
    pub(crate) fn new(dialect: Dialect, name: impl Into<Cow<'a, str>>) -> Draft<'a> {
        let package = Package {
            dialect,
            name: name.into(),
            version: None,
            made_of: None,
            language: None,
            settings: Vec::new(),
            rest: Vec::new(),
            modules: Vec::new(),
            exports: Vec::new(),
            definitions: Vec::new(),
            members: Vec::new(),
            types: Scalar::ALL.into_iter().map(Type::Scalar).collect(),
            type_lists: Vec::new(),
            literals: Vec::new(),
            places: Vec::new(),
        };
        let (shaped, objects, known_types, known_members) = Default::default();
        Draft { package, shaped, objects, known_types, known_members, rest_left: None }
    }

    /// The package, unless it is empty.
    pub(crate) fn finish(self) -> Result<Package<'a>, ApiError> {
        let has_api = self.package.definitions.iter().any(|one| one.role != Role::Provider);
        if has_api || !self.package.exports.is_empty() {
            Ok(self.package)
        } else {
            Err(ApiError::Empty(self.package.dialect))
        }
    }

    pub(crate) fn add(&mut self, of: Type<'a>) -> Result<TypeId, ApiError> {
        let number = number(self.package.types.len())?;
        self.package.types.push(of);
        Ok(TypeId(number))
    }

    /// A list, set or map of a type. Each exists only once.
    pub(crate) fn shaped(&mut self, shape: Shape, of: TypeId) -> Result<TypeId, ApiError> {
        if let Some(&known) = self.shaped.get(&(shape, of)) {
            return Ok(known);
        }
        let id = self.add(match shape {
            Shape::List => Type::List(of),
            Shape::Set => Type::Set(of),
            Shape::Map => Type::Map(of),
        })?;
        self.shaped.insert((shape, of), id);
        Ok(id)
    }

    /// The union of types: the type itself if there is one, any type if there is none.
    pub(crate) fn union(&mut self, mut of: Vec<TypeId>) -> Result<TypeId, ApiError> {
        let mut kept = 0;
        for index in 0..of.len() {
            // The lists are short: `oneOf` has two to ten items.
            if !of[..kept.min(64)].contains(&of[index]) {
                of.swap(kept, index);
                kept += 1;
            }
        }
        of.truncate(kept);
        match of[..] {
            [] => Ok(Scalar::Any.id()),
            [one] => Ok(one),
            _ => {
                let first = number(self.package.type_lists.len())?;
                self.package.type_lists.extend(of);
                let end = number(self.package.type_lists.len())?;
                self.add(Type::Union(first..end))
            }
        }
    }

    pub(crate) fn enumeration(
        &mut self,
        base: Scalar,
        values: impl IntoIterator<Item = Literal<'a>>,
    ) -> Result<TypeId, ApiError> {
        let first = number(self.package.literals.len())?;
        self.package.literals.extend(values);
        let end = number(self.package.literals.len())?;
        self.add(Type::Enum(base, first..end))
    }

    pub(crate) fn members(&mut self, members: Vec<Member<'a>>) -> Result<Members, ApiError> {
        if members.is_empty() {
            return Ok(Members::default());
        }
        let first = number(self.package.members.len())?;
        self.package.members.extend(members);
        Ok(Members { first, end: number(self.package.members.len())? })
    }

    pub(crate) fn object(&mut self, members: Vec<Member<'a>>) -> Result<TypeId, ApiError> {
        let members = self.members(members)?;
        self.add(Type::Object(members))
    }

    /// An object with existing members. Members belong to one object, so its number follows from
    /// theirs.
    pub(crate) fn object_of(&mut self, members: Members) -> Result<TypeId, ApiError> {
        if let Some(&known) = self.objects.get(&members) {
            return Ok(known);
        }
        let id = self.add(Type::Object(members))?;
        self.objects.insert(members, id);
        Ok(id)
    }

    /// The type that `read` returns for a node. A shared node is read once. `context` distinguishes
    /// readings of one node.
    pub(crate) fn once<N: Node<'a>>(
        &mut self,
        node: N,
        context: u8,
        read: impl FnOnce(&mut Self) -> Result<TypeId, ApiError>,
    ) -> Result<TypeId, ApiError> {
        let Some(stored) = node.stored_once_as() else { return read(self) };
        if let Some(&known) = self.known_types.get(&(stored, context)) {
            return Ok(known);
        }
        let id = read(self)?;
        self.known_types.insert((stored, context), id);
        Ok(id)
    }

    /// Forgets the readings of stored values, because references have a new meaning from here on.
    pub(crate) fn forget(&mut self) {
        self.known_types.clear();
        self.known_members.clear();
    }

    /// The type of a stored value that was already read.
    pub(crate) fn known(&self, stored: usize, context: u8) -> Option<TypeId> {
        self.known_types.get(&(stored, context)).copied()
    }

    /// Records the type of a stored value.
    pub(crate) fn remember(&mut self, stored: usize, context: u8, id: TypeId) {
        self.known_types.insert((stored, context), id);
    }

    /// Like [`once`](Self::once), for members.
    pub(crate) fn members_once<N: Node<'a>>(
        &mut self,
        node: N,
        context: u8,
        read: impl FnOnce(&mut Self) -> Result<Members, ApiError>,
    ) -> Result<Members, ApiError> {
        let Some(stored) = node.stored_once_as() else { return read(self) };
        if let Some(&known) = self.known_members.get(&(stored, context)) {
            return Ok(known);
        }
        let members = read(self)?;
        self.known_members.insert((stored, context), members);
        Ok(members)
    }

    /// The number of an object that contains definitions.
    pub(crate) fn place(&mut self, pointer: &str) -> u32 {
        if self.package.places.last().is_none_or(|last| last != pointer) {
            self.package.places.push(pointer.to_owned());
        }
        u32::try_from(self.package.places.len() - 1).unwrap_or(u32::MAX)
    }

    pub(crate) fn define(&mut self, definition: Definition<'a>) {
        self.package.definitions.push(definition);
    }
}

fn number(length: usize) -> Result<u32, ApiError> {
    u32::try_from(length).map_err(|_| ApiError::TooLarge)
}

/// Refuses types that nest too deep, so that no visitor can exhaust the stack.
pub(crate) fn check_depth(depth: usize, token: &str) -> Result<(), ApiError> {
    if depth > MAX_TYPE_DEPTH {
        return Err(ApiError::TooDeep { token: token.to_owned() });
    }
    Ok(())
}

impl<'a> Definition<'a> {
    /// An empty definition.
    pub(crate) fn new(
        role: Role,
        token: impl Into<Cow<'a, str>>,
        place: (u32, [Option<&'a str>; 2]),
    ) -> Definition<'a> {
        Definition {
            role,
            token: token.into(),
            module: Cow::Borrowed(""),
            members: Members::default(),
            value: None,
            is_positional: false,
            methods: Vec::new(),
            named_values: Vec::new(),
            is_component: false,
            language: None,
            settings: Vec::new(),
            rest: Vec::new(),
            state: Members::default(),
            aliases: Vec::new(),
            base: None,
            origin: None,
            deprecated: None,
            doc: None,
            place,
        }
    }
}

impl<'a> Member<'a> {
    /// A member that is given and read, without further attributes.
    pub(crate) fn new(name: &'a str, type_id: TypeId) -> Member<'a> {
        Member {
            name,
            direction: crate::model::Direction::Both,
            is_required: false,
            is_computed: false,
            is_secret: false,
            is_plain: false,
            replaces: false,
            type_id,
            deprecated: None,
            doc: None,
            facets: None,
            output: None,
        }
    }
}

/// The maximum number of carried values. Shared values count at each use.
pub(crate) const MOST_VALUES: usize = 1 << 22;

impl Draft<'_> {
    /// The unknown entries of an object, if such entries are carried.
    pub(crate) fn rest_of<'n, N: Node<'n>>(
        &mut self,
        node: N,
        is_known: impl Fn(&str, N) -> bool,
    ) -> Result<Rest, ApiError> {
        let mut rest = Rest::new();
        if self.rest_left.is_none() {
            return Ok(rest);
        }
        for (key, value) in node.entries() {
            if !is_known(key, value) {
                rest.push((key.to_owned(), self.carried(value)?));
            }
        }
        Ok(rest)
    }

    /// An owned copy of a value. Recurses once per level; a document has at most 512 (§9.1).
    pub(crate) fn carried<'n, N: Node<'n>>(&mut self, node: N) -> Result<Value, ApiError> {
        let left = self.rest_left.unwrap_or_default();
        self.rest_left = Some(left.checked_sub(1).ok_or(ApiError::TooLarge)?);
        Ok(match node.kind() {
            Kind::List => Value::List(node.items().map(|item| self.carried(item)).collect::<Result<_, _>>()?),
            Kind::Object => {
                let mut entries = Vec::with_capacity(node.width().min(64));
                for (key, value) in node.entries() {
                    entries.push((key.to_owned(), self.carried(value)?));
                }
                Value::Object(entries)
            }
            Kind::Bool => node.as_bool().map_or(Value::Null, Value::Bool),
            Kind::Integer => node.as_integer().map_or(Value::Null, Value::Integer),
            Kind::Float => node.as_float().map_or(Value::Null, Value::Float),
            Kind::String => node.as_str().map_or(Value::Null, |text| Value::String(text.to_owned())),
            Kind::Null => Value::Null,
        })
    }
}
