//! §20.2 Resource types of the CloudFormation registry: one, or a list of them.

use super::{entries, is, text, texts};
use crate::api::draft::Draft;
use crate::api::error::ApiError;
use crate::api::model::{Definition, Direction, Member, Members, Package, Role, Scalar, Type, TypeId};
use crate::api::read::Dialect;
use crate::api::schema::{Named, Parts, Reader, inherit};
use crate::node::{Kind, Node};
use crate::pointer;
use std::borrow::Cow;

/// The lists of pointers to properties, and what a property in them is.
const MARKS: [(&str, Mark); 4] = [
    ("readOnlyProperties", Mark::ReadOnly),
    ("writeOnlyProperties", Mark::WriteOnly),
    ("createOnlyProperties", Mark::CreateOnly),
    ("deprecatedProperties", Mark::Deprecated),
];

#[derive(Clone, Copy)]
enum Mark {
    ReadOnly,
    WriteOnly,
    CreateOnly,
    Deprecated,
}

/// The resource types in a document, among so many items of a list.
pub(super) fn types<'a, N: Node<'a>>(root: N, most: usize) -> impl Iterator<Item = N> {
    let one = (root.kind() == Kind::Object).then_some(root).into_iter();
    one.chain(root.items().take(most)).filter(|node| is_type(*node))
}

fn is_type<'a, N: Node<'a>>(node: N) -> bool {
    is(node, "typeName", Kind::String)
        && (is(node, "properties", Kind::Object) || is(node, "primaryIdentifier", Kind::List))
}

/// Whether each item of the document is a type.
pub(super) fn has_only_types<'a, N: Node<'a>>(root: N) -> bool {
    root.items().all(is_type)
}

pub(super) fn read<'a, N: Node<'a>>(root: N, rest_left: Option<usize>) -> Result<Draft<'a>, ApiError> {
    let first = types(root, usize::MAX).next().and_then(|first| text(first, "typeName")).unwrap_or_default();
    let mut draft = Draft::new(Dialect::CloudFormation, first.split("::").next().unwrap_or_default());
    draft.rest_left = rest_left;
    let is_list = root.kind() == Kind::List;
    for (index, schema) in types(root, usize::MAX).enumerate() {
        let place = if is_list { format!("/{index}") } else { String::new() };
        // References are of one type, so what is stored once is read once for each of them.
        draft.forget();
        read_resource(&mut draft, schema, &place)?;
    }
    Ok(draft)
}

fn read_resource<'a, N: Node<'a>>(draft: &mut Draft<'a>, schema: N, place: &str) -> Result<(), ApiError> {
    let name = text(schema, "typeName").unwrap_or_default();
    let module = name.split("::").nth(1).unwrap_or_default();
    let first = draft.package.definitions.len();
    let mut class = Definition::new(Role::Class, name, (draft.place(place), [None, None]));
    class.module = Cow::Borrowed(module);
    class.doc = text(schema, "description");
    let members = read_members(draft, schema, schema, name)?;
    class.members = draft.members(members)?;
    draft.define(class);
    let place = draft.place(&format!("{place}/definitions"));
    for (key, of) in entries(schema, "definitions") {
        let token = token_of(name, key);
        let mut definition = Definition::new(Role::Type, token, (place, [Some(key), None]));
        definition.module = Cow::Borrowed(module);
        definition.doc = text(of, "description");
        if of.get("properties").is_some_and(|properties| properties.width() > 0) {
            let members = read_members(draft, schema, of, name)?;
            definition.members = draft.members(members)?;
        } else {
            definition.value = Some(reader(draft, name).type_of(of, 0)?);
        }
        draft.define(definition);
    }
    for (key, mark) in MARKS {
        for pointer in texts(schema, key) {
            set_mark(draft, first, pointer, mark);
        }
    }
    Ok(())
}

/// The token of a type that a resource type defines.
fn token_of(name: &str, key: &str) -> String {
    format!("{name}.{key}")
}

fn reader<'d, 'a>(draft: &'d mut Draft<'a>, name: &'d str) -> Reader<'d, 'a, impl Fn(&'a str) -> Named<'a>> {
    let named = move |reference: &'a str| {
        let local = reference.strip_prefix("#/definitions/");
        Named::Token(local.map_or(Cow::Borrowed(reference), |key| token_of(name, key).into()))
    };
    Reader { draft, named, of_plain_object: Scalar::Any, token: name }
}

/// The members of a schema. One that refers to a text with bounds has the bounds.
fn read_members<'a, N: Node<'a>>(
    draft: &mut Draft<'a>,
    root: N,
    of: N,
    name: &str,
) -> Result<Vec<Member<'a>>, ApiError> {
    let Some(properties) = of.get("properties") else { return Ok(Vec::new()) };
    let mut members = reader(draft, name).members(properties, &texts(of, "required").collect(), 0)?;
    for (member, (_, schema)) in members.iter_mut().zip(properties.entries()) {
        let referred = text(schema, "$ref").and_then(|reference| reference.strip_prefix("#/definitions/"));
        let Some(referred) = referred.and_then(|key| root.get("definitions")?.get(key)) else { continue };
        inherit(&mut member.facets, Parts::of(referred).facets());
    }
    Ok(members)
}

/// Marks the property that a pointer leads to, through types of the resource type.
fn set_mark(draft: &mut Draft<'_>, first: usize, pointer: &str, mark: Mark) {
    let Some(keys) = pointer::keys(pointer) else { return };
    let is_name = |key: &Cow<'_, str>| !matches!(&**key, "*" | "items" | "properties");
    let keys: Vec<Cow<'_, str>> = keys.skip(1).filter(is_name).collect();
    let package = &mut draft.package;
    let Some(mut members) = package.definitions.get(first).map(|class| class.members) else { return };
    for (index, key) in keys.iter().enumerate() {
        let there = package.members.get_mut(members.range()).unwrap_or_default();
        let Some(member) = there.iter_mut().find(|member| member.name == *key) else { return };
        if index + 1 == keys.len() {
            match mark {
                Mark::ReadOnly => member.direction = Direction::Out,
                Mark::WriteOnly => member.direction = Direction::In,
                Mark::CreateOnly => member.replaces = true,
                Mark::Deprecated => member.deprecated = Some(""),
            }
            return;
        }
        let of = member.type_id;
        members = members_of(package, first, of);
    }
}

/// The members of the object that a type is, is a list of, or refers to.
fn members_of(package: &Package<'_>, first: usize, mut of: TypeId) -> Members {
    // A type that refers to itself is left after as many steps as there are definitions.
    for _ in first..package.definitions.len() + 8 {
        match package.type_of(of) {
            Type::List(item) | Type::Set(item) | Type::Map(item) => of = *item,
            Type::Object(members) => return *members,
            Type::Reference(token) => {
                let found = package.definitions[first..].iter().find(|one| one.token == *token);
                match found.map(|found| (found.value, found.members)) {
                    Some((Some(value), _)) => of = value,
                    Some((None, members)) => return members,
                    None => break,
                }
            }
            _ => break,
        }
    }
    Members::default()
}
