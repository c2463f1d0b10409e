//! §11.2, §12.1 Types as type tokens, and as facets if a token has less information.

use crate::literal::Literal;
use crate::model::{Members, Package, Role, Scalar, Type, TypeId};
use crate::write::names::Names;
use crate::write::numbers::Numbers;
use coconut_format::Value;
use coconut_format::names::TypeToken;

/// The maximum length of a chain of names for types.
const MOST_STEPS: usize = 64;

/// A type in the target.
#[derive(Clone, Debug)]
pub(crate) struct Typed {
    /// The type token.
    pub(crate) token: String,
    /// The type of the extension.
    facet: Value,
    /// Whether the token has less information.
    needs_facet: bool,
}

impl Typed {
    pub(crate) fn of_token(token: String) -> Typed {
        let facet = one("ref", Value::String(token.clone()));
        Typed { token, facet, needs_facet: false }
    }

    fn word(token: &str, facet: &str, needs_facet: bool) -> Typed {
        Typed { token: token.to_owned(), facet: Value::String(facet.to_owned()), needs_facet }
    }

    /// The type of the extension, if the token has less information.
    pub(crate) fn facet(&self) -> Option<&Value> {
        self.needs_facet.then_some(&self.facet)
    }

    /// The type of the extension.
    pub(crate) fn full(&self) -> &Value {
        &self.facet
    }
}

fn one(key: &str, value: Value) -> Value {
    Value::Object(vec![(key.to_owned(), value)])
}

/// Writes types of one package.
pub(crate) struct Types<'t, 'p, 'a> {
    pub(crate) package: &'p Package<'a>,
    pub(crate) numbers: &'t Numbers,
    pub(crate) package_name: &'t str,
    pub(crate) names: &'t mut Names,
    /// The remaining number of type parts. A few named types can expand to many parts.
    pub(crate) parts_left: &'t mut usize,
    /// Plans a record for the members of an object, and returns its token.
    pub(crate) record: &'t mut dyn FnMut(Members, &mut Names) -> String,
}

impl Types<'_, '_, '_> {
    /// The type with this number; `None` if it has too many parts.
    pub(crate) fn typed(&mut self, id: TypeId) -> Option<Typed> {
        self.at(id, 0)
    }

    fn at(&mut self, id: TypeId, depth: usize) -> Option<Typed> {
        *self.parts_left = self.parts_left.checked_sub(1)?;
        if depth > MOST_STEPS * 2 {
            return Some(Typed::word("dynamic", "any", false));
        }
        Some(match self.package.type_of(id) {
            Type::Scalar(scalar) => of_scalar(*scalar),
            Type::List(of) => {
                let of = self.at(*of, depth + 1)?;
                Typed { token: format!("[]{}", of.token), facet: one("list", of.facet), ..of }
            }
            Type::Set(of) => {
                let of = self.at(*of, depth + 1)?;
                Typed { token: format!("[]{}", of.token), facet: one("set", of.facet), needs_facet: true }
            }
            Type::Map(of) => {
                let of = self.at(*of, depth + 1)?;
                Typed { token: format!("map[string]{}", of.token), facet: one("map", of.facet), ..of }
            }
            Type::Object(members) => Typed::of_token((self.record)(*members, self.names)),
            Type::Reference(token) => self.reference(token, depth)?,
            Type::Union(types) => self.union(self.package.union(types), depth)?,
            Type::Enum(base, values) => {
                let values = self.package.values(values);
                *self.parts_left = self.parts_left.checked_sub(values.len())?;
                let values = values.iter().map(value_of).collect();
                let facet = Value::Object(vec![
                    ("enum".to_owned(), Value::List(values)),
                    ("of".to_owned(), Value::String(base.name().to_owned())),
                ]);
                Typed { token: of_scalar(*base).token, facet, needs_facet: true }
            }
            Type::Other(text) => match TypeToken::parse(text) {
                Ok(_) => Typed::word(text, "any", false),
                Err(_) => Typed::word("dynamic", "any", false),
            },
        })
    }

    /// A definition by its name in the package. One that stands for another type is named next to
    /// that type.
    fn reference(&mut self, token: &str, depth: usize) -> Option<Typed> {
        let Some(number) = self.names.find(token) else {
            let facet = one("ref", Value::String(token.to_owned()));
            return Some(Typed { token: "dynamic".to_owned(), facet, needs_facet: true });
        };
        let named = self.names.get(number);
        let name = format!("{}:{}:{}", self.package_name, named.module, named.name);
        let token = match self.names.scalar(number) {
            Some(scalar) => of_scalar(scalar).token,
            None => {
                let own = self.numbers.own(number).and_then(|own| self.package.definitions.get(own));
                let own = own.filter(|definition| definition.role == Role::Type);
                let Some(value) = own.and_then(|definition| definition.value) else {
                    return Some(Typed::of_token(name));
                };
                self.at(value, depth + 2)?.token
            }
        };
        Some(Typed { token, facet: one("ref", Value::String(name)), needs_facet: true })
    }

    /// The token shared by all types of a union, otherwise `dynamic`.
    fn union(&mut self, types: &[TypeId], depth: usize) -> Option<Typed> {
        let types: Vec<Typed> = types.iter().map(|&of| self.at(of, depth + 1)).collect::<Option<_>>()?;
        // Null converts to every type (§14.5).
        let mut tokens = types.iter().map(|of| &of.token).filter(|token| *token != "null");
        let token = match tokens.next() {
            Some(first) if tokens.all(|token| token == first) => first.clone(),
            _ => "dynamic".to_owned(),
        };
        let of = types.into_iter().map(|of| of.facet).collect();
        Some(Typed { token, facet: one("union", Value::List(of)), needs_facet: true })
    }
}

fn of_scalar(scalar: Scalar) -> Typed {
    match scalar {
        Scalar::Any => Typed::word("dynamic", "any", false),
        Scalar::Null => Typed::word("null", "null", false),
        Scalar::Bool => Typed::word("bool", "bool", false),
        Scalar::Integer => Typed::word("number", "integer", true),
        Scalar::Number => Typed::word("number", "number", false),
        Scalar::String => Typed::word("string", "string", false),
        Scalar::Asset => Typed::word("dynamic", "asset", true),
        Scalar::Archive => Typed::word("dynamic", "archive", true),
    }
}

/// A literal as a value. The contents of a list or an object are kept as a text.
pub(crate) fn value_of(literal: &Literal<'_>) -> Value {
    match literal {
        Literal::Null => Value::Null,
        Literal::Bool(truth) => Value::Bool(*truth),
        Literal::Integer(number) => Value::Integer(*number),
        Literal::Float(number) => Value::Float(*number),
        Literal::Text(text) => Value::String((*text).to_owned()),
        Literal::Composite(text) => Value::String(text.clone()),
    }
}
