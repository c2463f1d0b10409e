//! §20.1 The model.

use crate::dialect::Dialect;
use crate::literal::Literal;
use crate::rest::{self, Rest};
use coconut_format::pointer::Pointer;
use coconut_format::value::Value;
use std::borrow::Cow;
use std::ops::Range;

/// The surface of a package: what its users see.
#[derive(Clone, Debug)]
pub struct Package<'a> {
    /// The form of the document.
    pub dialect: Dialect,
    /// The name: the last part of a provider's address, a group of Kubernetes, `AWS`.
    pub name: Cow<'a, str>,
    /// The version, if the document has it.
    pub version: Option<&'a str>,
    /// What a package of 2017 was made of, and the name there.
    pub made_of: Option<(Dialect, &'a str)>,
    /// Settings for languages, in a Pulumi schema.
    pub language: Option<Literal<'a>>,
    /// What else the document says of the package, if it was read for that.
    pub rest: Rest,
    /// Modules that the document names itself. Those of other dialects follow from the tokens.
    pub modules: Vec<&'a str>,
    /// Names that other packages see, in packages of 2017.
    pub exports: Vec<Export<'a>>,
    /// Classes, functions and types in document order.
    pub definitions: Vec<Definition<'a>>,
    pub(crate) members: Vec<Member<'a>>,
    pub(crate) types: Vec<Type<'a>>,
    pub(crate) type_lists: Vec<TypeId>,
    pub(crate) literals: Vec<Literal<'a>>,
    /// Pointers of the objects that the definitions are in.
    pub(crate) places: Vec<String>,
}

/// A name that a module shows to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Export<'a> {
    /// The module.
    pub module: &'a str,
    /// The name in it.
    pub name: &'a str,
    /// The token of what it stands for.
    pub token: &'a str,
}

/// What a definition is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// The configuration of the provider.
    Provider,
    /// A class whose objects are resources, and any other class of a package of 2017.
    Class,
    /// A function, a method or a data source.
    Function,
    /// A type that members refer to by name.
    Type,
    /// A variable of a module.
    Variable,
}

impl Role {
    /// The word in reports.
    pub fn name(self) -> &'static str {
        match self {
            Role::Provider => "provider",
            Role::Class => "class",
            Role::Function => "function",
            Role::Type => "type",
            Role::Variable => "variable",
        }
    }
}

/// A class, a function or a type.
#[derive(Clone, Debug)]
pub struct Definition<'a> {
    /// What it is.
    pub role: Role,
    /// The name in its own dialect: `aws:s3/bucket:Bucket`, `aws_s3_bucket`, `AWS::S3::Bucket`.
    pub token: Cow<'a, str>,
    /// The module of the token.
    pub module: Cow<'a, str>,
    /// The members: properties of a class or type, parameters and results of a function.
    pub members: Members,
    /// The type that a name stands for if it is no object, or the result of a function.
    pub value: Option<TypeId>,
    /// Whether parameters are known by their order.
    pub is_positional: bool,
    /// Methods of a class of a Pulumi schema: the name, and the token of the function.
    pub methods: Vec<(&'a str, &'a str)>,
    /// What an enum of a Pulumi schema says of its values, of those of which it says anything.
    pub named_values: Vec<NamedValue<'a>>,
    /// Whether a resource of a Pulumi schema is made of others.
    pub is_component: bool,
    /// Settings for languages, in a Pulumi schema.
    pub language: Option<Literal<'a>>,
    /// What else the document says of it, if it was read for that.
    pub rest: Rest,
    /// What may be given to look up a resource of a Pulumi schema, beside its id.
    pub state: Members,
    /// Other tokens that it had.
    pub aliases: Vec<&'a str>,
    /// The class that it extends.
    pub base: Option<&'a str>,
    /// In a package that was made of a schema: the token there.
    pub origin: Option<&'a str>,
    /// Why it should not be used any more; empty without a reason.
    pub deprecated: Option<&'a str>,
    /// The description.
    pub doc: Option<&'a str>,
    /// The number of the object that it is in, and its steps there.
    pub(crate) place: (u32, [Option<&'a str>; 2]),
}

/// Whether a member is given by the user, comes back from the provider, or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Direction {
    /// Only given.
    In,
    /// Only read.
    Out,
    /// Given and read.
    Both,
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

    /// The word in reports.
    pub fn name(self) -> &'static str {
        match self {
            Direction::In => "in",
            Direction::Out => "out",
            Direction::Both => "both",
        }
    }
}

/// A value of an enum, and what is said of it.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedValue<'a> {
    /// The value.
    pub value: Literal<'a>,
    /// The name that programs use.
    pub name: Option<&'a str>,
    /// The description.
    pub doc: Option<&'a str>,
    /// Why it should not be used any more.
    pub deprecated: Option<&'a str>,
}

/// A property, a parameter or a part of a result.
#[derive(Clone, Debug)]
pub struct Member<'a> {
    /// The name in its own dialect.
    pub name: &'a str,
    /// Whether it is set, read, or both.
    pub direction: Direction,
    /// Whether it must be given. For one that is only read: whether it is always there.
    pub is_required: bool,
    /// Whether the provider fills it if nobody gives it.
    pub is_computed: bool,
    /// Whether tools hide its value.
    pub is_secret: bool,
    /// Whether it must be known when it is given, and cannot be the output of a resource.
    pub is_plain: bool,
    /// Whether a change makes a new resource in place of the old one.
    pub replaces: bool,
    /// The type.
    pub type_id: TypeId,
    /// Why it should not be used any more; empty without a reason.
    pub deprecated: Option<&'a str>,
    /// The description.
    pub doc: Option<&'a str>,
    /// What few members have.
    pub facets: Option<Box<Facets<'a>>>,
    /// In a package that was made of a schema: what is read, where more is said of it than of what
    /// is given.
    pub output: Option<Box<Member<'a>>>,
}

impl Member<'_> {
    /// What the document says of it under a key that the model has no field for.
    pub fn rest(&self, key: &str) -> Option<&Value> {
        self.facets.as_deref().and_then(|facets| rest::get(&facets.rest, key))
    }
}

impl<'a> Member<'a> {
    /// What is read of a property that is given and read.
    pub fn as_read(&self) -> Member<'a> {
        self.output.as_deref().map_or_else(|| self.as_output(), Member::clone)
    }

    /// The same, unless more is said of that.
    pub(crate) fn as_output(&self) -> Member<'a> {
        Member {
            direction: Direction::Out,
            is_required: self.is_required || self.is_computed,
            is_computed: false,
            // What is given replaces the resource, and not what comes back of it.
            replaces: false,
            output: None,
            ..self.clone()
        }
    }
}

impl Definition<'_> {
    /// What the document says of it under a key that the model has no field for.
    pub fn rest(&self, key: &str) -> Option<&Value> {
        rest::get(&self.rest, key)
    }
}

/// A default and bounds of a member.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facets<'a> {
    /// The value that is taken if none is given.
    pub default: Option<Literal<'a>>,
    /// The least and the greatest number.
    pub value: Bounds,
    /// The least and the greatest length of a text.
    pub length: Bounds,
    /// The least and the greatest number of items or entries.
    pub items: Bounds,
    /// The regular expression that a text matches.
    pub pattern: Option<&'a str>,
    /// Settings for languages, in a Pulumi schema.
    pub language: Option<Literal<'a>>,
    /// In a package that was made of a schema: the name there, if it is another.
    pub origin: Option<&'a str>,
    /// What else the document says of it, if it was read for that.
    pub rest: Rest,
}

/// The least and the greatest of something.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bounds {
    /// The least.
    pub min: Option<f64>,
    /// The greatest.
    pub max: Option<f64>,
}

/// Members that are together, by number. The empty range is the members of nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Members {
    pub(crate) first: u32,
    pub(crate) end: u32,
}

impl Members {
    pub(crate) fn range(self) -> Range<usize> {
        self.first as usize..self.end as usize
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.first == self.end
    }

    /// How many there are.
    pub fn len(self) -> usize {
        self.range().len()
    }
}

/// The number of a type in its package.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TypeId(pub(crate) u32);

/// A type that has no parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// Anything.
    Any,
    /// Only null.
    Null,
    /// True or false.
    Bool,
    /// A number without fraction.
    Integer,
    /// A number.
    Number,
    /// A text.
    String,
    /// A file.
    Asset,
    /// A folder, or an archive of one.
    Archive,
}

impl Scalar {
    /// All of them. Their numbers are their [`TypeId`]s in each package.
    pub(crate) const ALL: [Scalar; 8] = [
        Scalar::Any,
        Scalar::Null,
        Scalar::Bool,
        Scalar::Integer,
        Scalar::Number,
        Scalar::String,
        Scalar::Asset,
        Scalar::Archive,
    ];

    /// The word in reports.
    pub fn name(self) -> &'static str {
        match self {
            Scalar::Any => "any",
            Scalar::Null => "null",
            Scalar::Bool => "bool",
            Scalar::Integer => "integer",
            Scalar::Number => "number",
            Scalar::String => "string",
            Scalar::Asset => "asset",
            Scalar::Archive => "archive",
        }
    }

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
    /// A type of the language of 2017 that no schema has: a pointer, a function.
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

    /// The values of an enum as reports have them, and as names; nothing for any other type.
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

    /// How many members and types the model has.
    pub fn size(&self) -> (usize, usize) {
        (self.members.len(), self.types.len())
    }
}
