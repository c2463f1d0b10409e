//! §20.1 The model.

use crate::dialect::Dialect;
use crate::literal::Literal;
use crate::rest::{self, Rest};
use crate::settings::Setting;
use coconut_format::pointer::Pointer;
use coconut_format::value::Value;
use std::borrow::Cow;
use std::ops::Range;

/// The surface of a package: the parts visible to its users.
#[derive(Clone, Debug)]
pub struct Package<'a> {
    /// The form of the document.
    pub dialect: Dialect,
    /// The name: the last part of a provider's address, a group of Kubernetes, `AWS`.
    pub name: Cow<'a, str>,
    /// The version, if the document has it.
    pub version: Option<&'a str>,
    /// The source of a Coconut 2017 package, and its name there.
    pub made_of: Option<(Dialect, &'a str)>,
    /// Settings for languages, in a Pulumi schema.
    pub language: Option<Literal<'a>>,
    /// Facts that are compared as a whole, with the names of their subjects.
    pub settings: Vec<Setting<'a>>,
    /// Further parts of the document, if they were requested.
    pub rest: Rest,
    /// Modules that the document names. In other dialects they follow from the tokens.
    pub modules: Vec<&'a str>,
    /// Names visible to other packages, in Coconut 2017 packages.
    pub exports: Vec<Export<'a>>,
    /// Classes, functions and types in document order.
    pub definitions: Vec<Definition<'a>>,
    pub(crate) members: Vec<Member<'a>>,
    pub(crate) types: Vec<Type<'a>>,
    pub(crate) type_lists: Vec<TypeId>,
    pub(crate) literals: Vec<Literal<'a>>,
    /// Pointers of the objects that contain the definitions.
    pub(crate) places: Vec<String>,
}

/// A name that a module exports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Export<'a> {
    /// The module.
    pub module: &'a str,
    /// The name in it.
    pub name: &'a str,
    /// The token to which it refers.
    pub token: &'a str,
}

impl Export<'_> {
    /// The token to which it refers, from outside of its module in `package`.
    pub(crate) fn target(&self, package: &Package<'_>) -> Cow<'_, str> {
        match self.token.contains(':') {
            true => Cow::Borrowed(self.token),
            false => Cow::Owned(format!("{}:{}:{}", package.name, self.module, self.token)),
        }
    }
}

coconut_format::named! {
    /// The role of a definition.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Role {
        /// The configuration of the provider.
        Provider = "provider";
        /// A resource class, or any other class of a Coconut 2017 package.
        Class = "class";
        /// A function, a method or a data source.
        Function = "function";
        /// A type to which members refer by name.
        Type = "type";
        /// A variable of a module.
        Variable = "variable";
    }
    /// The word in reports.
    pub fn name;
}

/// A class, a function or a type.
#[derive(Clone, Debug)]
pub struct Definition<'a> {
    /// The role.
    pub role: Role,
    /// The name in its own dialect: `aws:s3/bucket:Bucket`, `aws_s3_bucket`, `AWS::S3::Bucket`.
    pub token: Cow<'a, str>,
    /// The module of the token.
    pub module: Cow<'a, str>,
    /// The members: properties of a class or type, parameters and results of a function.
    pub members: Members,
    /// The type for which a name stands if it is not an object, or the result of a function.
    pub value: Option<TypeId>,
    /// Whether parameters are positional.
    pub is_positional: bool,
    /// Methods of a class in a Pulumi schema: the name, and the token of the function.
    pub methods: Vec<(&'a str, &'a str)>,
    /// The values of an enum in a Pulumi schema that have a name or a description.
    pub named_values: Vec<NamedValue<'a>>,
    /// Whether a resource of a Pulumi schema is a component.
    pub is_component: bool,
    /// Settings for languages, in a Pulumi schema.
    pub language: Option<Literal<'a>>,
    /// Facts that are compared as a whole.
    pub settings: Vec<Setting<'a>>,
    /// Further parts of the definition, if they were requested.
    pub rest: Rest,
    /// Inputs for looking up a resource of a Pulumi schema, other than its id.
    pub state: Members,
    /// Former tokens.
    pub aliases: Vec<&'a str>,
    /// The base class.
    pub base: Option<&'a str>,
    /// In a package made from a schema: the token there.
    pub origin: Option<&'a str>,
    /// The reason for its deprecation; empty without a reason.
    pub deprecated: Option<&'a str>,
    /// The description.
    pub doc: Option<&'a str>,
    /// The number of the containing object, and the steps from there.
    pub(crate) place: (u32, [Option<&'a str>; 2]),
}

coconut_format::named! {
    /// Whether a member is given by the user, returned by the provider, or both.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Direction {
        /// Only given.
        In = "in";
        /// Only read.
        Out = "out";
        /// Given and read.
        Both = "both";
    }
    /// The word in reports.
    pub fn name;
}

impl Direction {
    /// Whether a user can set it.
    pub fn is_in(self) -> bool {
        self != Direction::Out
    }

    /// Whether a user can read it.
    pub fn is_out(self) -> bool {
        self != Direction::In
    }
}

/// A value of an enum with its attributes.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedValue<'a> {
    /// The value.
    pub value: Literal<'a>,
    /// The name used by programs.
    pub name: Option<&'a str>,
    /// The description.
    pub doc: Option<&'a str>,
    /// The reason for its deprecation.
    pub deprecated: Option<&'a str>,
}

/// A property, a parameter or a part of a result.
#[derive(Clone, Debug)]
pub struct Member<'a> {
    /// The name in its own dialect.
    pub name: &'a str,
    /// Whether it is given, read, or both.
    pub direction: Direction,
    /// Whether it must be given. For a read-only member: whether it is always present.
    pub is_required: bool,
    /// Whether the provider fills it if it is not given.
    pub is_computed: bool,
    /// Whether tools hide its value.
    pub is_secret: bool,
    /// Whether its value must be known when given, so it cannot be the output of a resource.
    pub is_plain: bool,
    /// Whether a change replaces the resource.
    pub replaces: bool,
    /// The type.
    pub type_id: TypeId,
    /// The reason for its deprecation; empty without a reason.
    pub deprecated: Option<&'a str>,
    /// The description.
    pub doc: Option<&'a str>,
    /// Attributes that few members have.
    pub facets: Option<Box<Facets<'a>>>,
    /// In a package made from a schema: the attributes when read, if they differ from those when
    /// given.
    pub output: Option<Box<Member<'a>>>,
}

impl Member<'_> {
    /// The value of the document under a key for which the model has no field.
    pub fn rest(&self, key: &str) -> Option<&Value> {
        self.facets.as_deref().and_then(|facets| rest::get(&facets.rest, key))
    }
}

impl<'a> Member<'a> {
    /// The attributes when read of a member that is both given and read.
    pub fn as_read(&self) -> Member<'a> {
        self.output.as_deref().map_or_else(|| self.as_output(), Member::clone)
    }

    /// The same member, unless it has separate attributes when read.
    pub(crate) fn as_output(&self) -> Member<'a> {
        Member {
            direction: Direction::Out,
            is_required: self.is_required || self.is_computed,
            is_computed: false,
            // A change of the input replaces the resource; a change of the output does not.
            replaces: false,
            output: None,
            ..self.clone()
        }
    }
}

impl Definition<'_> {
    /// The value of the document under a key for which the model has no field.
    pub fn rest(&self, key: &str) -> Option<&Value> {
        rest::get(&self.rest, key)
    }
}

/// A default and bounds of a member.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facets<'a> {
    /// The value used if none is given.
    pub default: Option<Literal<'a>>,
    /// The minimum and the maximum of a number.
    pub value: Bounds,
    /// The minimum and the maximum length of a string.
    pub length: Bounds,
    /// The minimum and the maximum number of items or entries.
    pub items: Bounds,
    /// The regular expression that a string must match.
    pub pattern: Option<&'a str>,
    /// Settings for languages, in a Pulumi schema.
    pub language: Option<Literal<'a>>,
    /// In a package made from a schema: the name there, if it differs.
    pub origin: Option<&'a str>,
    /// Facts that are compared as a whole.
    pub settings: Vec<Setting<'a>>,
    /// Further parts of the member, if they were requested.
    pub rest: Rest,
}

/// A minimum and a maximum.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bounds {
    /// The minimum.
    pub min: Option<f64>,
    /// The maximum.
    pub max: Option<f64>,
}

/// Consecutive members, by number. The empty range has no members.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Members {
    pub(crate) first: u32,
    pub(crate) end: u32,
}

impl Members {
    pub(crate) fn range(self) -> Range<usize> {
        self.first as usize..self.end as usize
    }

    /// Whether there are no members.
    pub fn is_empty(self) -> bool {
        self.first == self.end
    }

    /// The number of members.
    pub fn len(self) -> usize {
        self.range().len()
    }
}

/// The number of a type in its package.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TypeId(pub(crate) u32);

coconut_format::named! {
    /// A type that has no parts.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Scalar, ALL {
        /// Any value.
        Any = "any";
        /// Only null.
        Null = "null";
        /// True or false.
        Bool = "bool";
        /// An integer.
        Integer = "integer";
        /// A number.
        Number = "number";
        /// A string.
        String = "string";
        /// A file.
        Asset = "asset";
        /// A folder, or an archive of one.
        Archive = "archive";
    }
    /// The word in reports.
    pub fn name;
}

impl Scalar {
    /// Its number in each package.
    pub fn id(self) -> TypeId {
        TypeId(self as u32)
    }
}

/// A type. Its parts are [`TypeId`]s of the same package.
#[derive(Clone, Debug, PartialEq)]
pub enum Type<'a> {
    /// A type without parts.
    Scalar(Scalar),
    /// Items in an order.
    List(TypeId),
    /// Items without an order.
    Set(TypeId),
    /// Values by name.
    Map(TypeId),
    /// Members by name.
    Object(Members),
    /// A definition of this package, or of another one, by token.
    Reference(Cow<'a, str>),
    /// One of several types.
    Union(Range<u32>),
    /// One of several values.
    Enum(Scalar, Range<u32>),
    /// A type of the 2017 language without an equivalent in schemas: a pointer, a function.
    Other(&'a str),
}

impl<'a> Package<'a> {
    /// The members with these numbers.
    pub fn members(&self, members: Members) -> &[Member<'a>] {
        self.members.get(members.range()).unwrap_or_default()
    }

    /// Whether any member is a secret. Visits all members.
    pub fn has_secrets(&self) -> bool {
        self.members.iter().any(|member| member.is_secret)
    }

    /// The type with this number.
    pub fn type_of(&self, id: TypeId) -> &Type<'a> {
        self.types.get(id.0 as usize).unwrap_or(&Type::Scalar(Scalar::Any))
    }

    /// The types of a union.
    pub fn union(&self, range: &Range<u32>) -> &[TypeId] {
        self.type_lists.get(range.start as usize..range.end as usize).unwrap_or_default()
    }

    /// The values of an enum.
    pub fn values(&self, range: &Range<u32>) -> &[Literal<'a>] {
        self.literals.get(range.start as usize..range.end as usize).unwrap_or_default()
    }

    /// The values of an enum as shown in reports, and as names; empty for any other type.
    pub(crate) fn enum_texts(&self, id: TypeId) -> Vec<(String, String)> {
        let Type::Enum(_, values) = self.type_of(id) else { return Vec::new() };
        let name = |value: &Literal<'a>| match value {
            Literal::Text(text) => (*text).to_owned(),
            other => other.to_string(),
        };
        self.values(values).iter().map(|value| (value.to_string(), name(value))).collect()
    }

    /// The definitions of one role, in document order.
    pub fn of_role(&self, role: Role) -> impl Iterator<Item = &Definition<'a>> {
        self.definitions.iter().filter(move |definition| definition.role == role)
    }

    /// The JSON pointer of a definition in its document.
    pub fn pointer(&self, definition: &Definition<'a>) -> String {
        let (place, steps) = definition.place;
        let mut pointer = Pointer::root();
        for step in steps.into_iter().flatten() {
            pointer.push_key(step);
        }
        format!("{}{pointer}", self.places.get(place as usize).map_or("", |place| place))
    }

    /// The number of members and types in the model.
    pub fn size(&self) -> (usize, usize) {
        (self.members.len(), self.types.len())
    }
}
