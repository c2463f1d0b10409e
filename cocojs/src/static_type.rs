//! Types, as far as they can be known without a type checker. Unknown is [`Type::Dynamic`].

use crate::ids::{ClassId, ModuleRef};
use std::rc::Rc;

/// The type of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Type<'a> {
    /// Unknown, `any`, or a type that packages cannot express.
    Dynamic,
    /// `null` or `undefined`.
    Null,
    Void,
    String,
    Number,
    Bool,
    /// `Object`.
    Object,
    /// An object literal or a type literal, with the types of its properties.
    Literal(Rc<Vec<(&'a str, Type<'a>)>>),
    /// An object whose properties all have one type.
    Index(Rc<Type<'a>>),
    Array(Rc<Type<'a>>),
    Tuple(Rc<Vec<Type<'a>>>),
    Map(Rc<(Type<'a>, Type<'a>)>),
    Function(Rc<Signature<'a>>),
    Instance(ClassId),
    /// A class as a value.
    Statics(ClassId),
    Module(ModuleRef),
    /// A type known by its token alone.
    Named(&'a str),
    /// At least two types, none a union. Use [`union`].
    Union(Rc<Vec<Type<'a>>>),
}

/// The type of a function.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Signature<'a> {
    pub(crate) parameters: Vec<ParameterType<'a>>,
    pub(crate) result: Type<'a>,
    /// Whether it is written as a type. Such types have no token.
    pub(crate) is_annotation: bool,
    /// Whether all parameters are known. Otherwise the arguments of calls are not checked.
    pub(crate) is_complete: bool,
    /// Whether it is a function of another package.
    pub(crate) is_foreign: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ParameterType<'a> {
    pub(crate) name: &'a str,
    pub(crate) ty: Type<'a>,
    pub(crate) is_optional: bool,
    pub(crate) is_rest: bool,
}

impl<'a> Type<'a> {
    pub(crate) fn array(element: Type<'a>) -> Type<'a> {
        Type::Array(Rc::new(element))
    }

    pub(crate) fn is_primitive(&self) -> bool {
        matches!(self, Type::String | Type::Number | Type::Bool)
    }

    /// The place of a type in a union. The type checker of 2017 numbered the types it met.
    fn rank(&self) -> u8 {
        match self {
            Type::Null => 0,
            Type::String => 1,
            Type::Number => 2,
            Type::Bool => 3,
            Type::Void => 4,
            _ => 5,
        }
    }

    /// The type without `null`.
    pub(crate) fn non_null(self) -> Type<'a> {
        match self {
            Type::Union(types) if types.contains(&Type::Null) => {
                union(types.iter().filter(|ty| **ty != Type::Null).cloned())
            }
            ty => ty,
        }
    }

    /// The type of a variable that is initialized with a value of this type.
    pub(crate) fn widened(self) -> Type<'a> {
        match self {
            Type::Null => Type::Dynamic,
            Type::Array(element) if *element == Type::Null => Type::array(Type::Dynamic),
            ty => ty,
        }
    }

    pub(crate) fn is_text(&self) -> bool {
        match self {
            Type::String => true,
            Type::Union(types) => types.iter().all(|ty| matches!(ty, Type::String | Type::Null)),
            _ => false,
        }
    }
}

/// The union of types.
pub(crate) fn union<'a>(types: impl IntoIterator<Item = Type<'a>>) -> Type<'a> {
    let mut members: Vec<Type<'a>> = Vec::new();
    for ty in types {
        match ty {
            Type::Dynamic => return Type::Dynamic,
            Type::Union(inner) => {
                for ty in inner.iter() {
                    if !members.contains(ty) {
                        members.push(ty.clone());
                    }
                }
            }
            ty if !members.contains(&ty) => members.push(ty),
            _ => {}
        }
    }
    members.sort_by_key(Type::rank);
    match members.len() {
        0 => Type::Null,
        1 => members.remove(0),
        _ => Type::Union(Rc::new(members)),
    }
}
