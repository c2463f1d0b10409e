//! Types of members in a Pulumi schema, and values of enums.

use crate::literal::Literal;
use crate::model::{Definition, NamedValue, Role, Scalar, Type, TypeId};
use crate::pulumi::write::{Schema, escaped};
use crate::write::type_text::value_of;
use crate::write::writer::Output;
use coconut_codec::event::{SinkError, push};

impl<'p, 'a> Schema<'p, 'a> {
    /// The keys of a type.
    pub(crate) fn write_type_of(
        &mut self,
        out: &mut Output<'_>,
        definition: &'p Definition<'a>,
        name: &str,
        id: TypeId,
    ) -> Result<(), SinkError> {
        let package = self.package;
        match package.type_of(id) {
            Type::Scalar(scalar) => write_scalar(out, *scalar),
            Type::List(of) => {
                out.text("type", "array")?;
                out.object("items", |out| self.write_type_of(out, definition, name, *of))
            }
            Type::Set(of) => {
                self.lost(definition, Some(name), "the kind `set`");
                out.text("type", "array")?;
                out.object("items", |out| self.write_type_of(out, definition, name, *of))
            }
            Type::Map(of) => {
                out.text("type", "object")?;
                out.object("additionalProperties", |out| self.write_type_of(out, definition, name, *of))
            }
            Type::Reference(token) => match self.by_token.get(&**token).copied() {
                Some(found) if found.role == Role::Provider => out.text("$ref", "#/provider"),
                Some(found) => {
                    self.referred.insert(&found.token);
                    let section = if found.role == Role::Class { "resources" } else { "types" };
                    let reference = format!("#/{section}/{}", escaped(&self.tokens.get(token)));
                    out.text("$ref", &reference)
                }
                // A path to the schema of another package remains one in the schema.
                None if token.contains("#/") => out.text("$ref", token),
                // It led nowhere in the schema, either.
                None if self.is_restored && token.split(':').count() == 3 => {
                    out.text("$ref", &format!("#/types/{}", escaped(token)))
                }
                None => {
                    self.lost(definition, Some(name), "the type of another package");
                    write_scalar(out, Scalar::Any)
                }
            },
            Type::Union(types) => {
                let is_null = |of: &TypeId| matches!(package.type_of(*of), Type::Scalar(Scalar::Null));
                let types: Vec<TypeId> =
                    package.union(types).iter().copied().filter(|of| !is_null(of)).collect();
                match types[..] {
                    [] => write_scalar(out, Scalar::Any),
                    [one] => self.write_type_of(out, definition, name, one),
                    _ => {
                        out.0.key("oneOf")?;
                        out.0.begin_list()?;
                        for of in types {
                            out.item(|out| self.write_type_of(out, definition, name, of))?;
                        }
                        out.0.end_list()
                    }
                }
            }
            Type::Enum(base, values) => {
                let token = self.enum_token(definition, name, (*base, package.values(values)));
                let reference = format!("#/types/{}", escaped(&token));
                out.text("$ref", &reference)
            }
            Type::Object(_) | Type::Other(_) => {
                self.lost(definition, Some(name), "the type");
                write_scalar(out, Scalar::Any)
            }
        }
    }
}

fn write_scalar(out: &mut Output<'_>, scalar: Scalar) -> Result<(), SinkError> {
    match scalar {
        Scalar::Any | Scalar::Null => out.text("$ref", "pulumi.json#/Any"),
        Scalar::Asset => out.text("$ref", "pulumi.json#/Asset"),
        Scalar::Archive => out.text("$ref", "pulumi.json#/Archive"),
        Scalar::Bool => out.text("type", "boolean"),
        Scalar::Integer | Scalar::Number | Scalar::String => out.text("type", scalar.name()),
    }
}

pub(crate) fn write_enum(
    out: &mut Output<'_>,
    base: Scalar,
    values: &[Literal<'_>],
    named: &[NamedValue<'_>],
) -> Result<(), SinkError> {
    let word = match base {
        Scalar::Bool => "boolean",
        Scalar::Integer | Scalar::Number => base.name(),
        _ => "string",
    };
    out.text("type", word)?;
    out.0.key("enum")?;
    out.0.begin_list()?;
    for value in values {
        out.item(|out| {
            let said = named.iter().find(|one| one.value == *value);
            out.optional("name", said.and_then(|said| said.name))?;
            out.0.key("value")?;
            push(&value_of(value), out.0)?;
            out.optional("description", said.and_then(|said| said.doc))?;
            out.optional("deprecationMessage", said.and_then(|said| said.deprecated))
        })?;
    }
    out.0.end_list()
}
