//! §20.2 Terraform provider schemas, the output of `terraform providers schema -json`.
//!
//! Such a schema does not record two things: whether a change replaces the resource, and the rules
//! of validators.

use crate::dialect::Dialect;
use crate::error::ApiError;
use crate::model::{Bounds, Definition, Direction, Facets, Member, Members, Role, Scalar, TypeId};
use crate::read::draft::{Draft, Shape, check_depth};
use crate::read::fields::{entries, is, text};
use coconut_format::node::{Kind, Node};
use std::borrow::Cow;

/// The sections of a provider: the key, the role, and the prefix before the type in a token.
const SECTIONS: [(&str, Role, &str); 5] = [
    ("resource_schemas", Role::Class, ""),
    ("data_source_schemas", Role::Function, "data."),
    ("ephemeral_resource_schemas", Role::Function, "ephemeral."),
    ("list_resource_schemas", Role::Function, "list."),
    ("action_schemas", Role::Function, "action."),
];

/// The words for scalar types.
const SCALARS: [(&str, Scalar); 4] = [
    ("string", Scalar::String),
    ("number", Scalar::Number),
    ("bool", Scalar::Bool),
    ("dynamic", Scalar::Any),
];

/// Keys found only in plans. Some plans contain the schemas of their providers.
const OF_PLANS: [&str; 5] =
    ["plan_format_version", "planned_values", "resource_changes", "resource_drift", "output_changes"];

/// Whether a document is a schema, rather than a plan that contains one.
pub(crate) fn is_schema<'a, N: Node<'a>>(root: N) -> bool {
    is(root, "provider_schemas", Kind::Object) && !OF_PLANS.iter().any(|key| root.get(key).is_some())
}

pub(crate) fn read<'a, N: Node<'a>>(root: N, rest_left: Option<usize>) -> Result<Draft<'a>, ApiError> {
    let mut addresses = entries(root, "provider_schemas").map(|(address, _)| address);
    let first = addresses.next().unwrap_or_default();
    let is_alone = addresses.next().is_none();
    let name = if is_alone { provider_name(first) } else { "" };
    let mut draft = Draft::new(Dialect::Terraform, name);
    draft.rest_left = rest_left;
    draft.package.version = text(root, "provider_version");
    for (address, provider) in entries(root, "provider_schemas") {
        read_provider(&mut draft, address, provider)?;
    }
    Ok(draft)
}

/// The last part of an address.
fn provider_name(address: &str) -> &str {
    address.rsplit('/').next().unwrap_or(address)
}

fn read_provider<'a, N: Node<'a>>(
    draft: &mut Draft<'a>,
    address: &'a str,
    provider: N,
) -> Result<(), ApiError> {
    let name = provider_name(address);
    let place = draft.place("/provider_schemas");
    if let Some(schema) = provider.get("provider") {
        let mut definition =
            Definition::new(Role::Provider, name, (place, [Some(address), Some("provider")]));
        read_schema(draft, schema, &mut definition)?;
        draft.define(definition);
    }
    for (section, role, prefix) in SECTIONS {
        let mut pointer = coconut_format::pointer::Pointer::root();
        ["provider_schemas", address, section].into_iter().for_each(|step| pointer.push_key(step));
        let place = draft.place(pointer.as_str());
        for (kind, schema) in entries(provider, section) {
            let token =
                if prefix.is_empty() { Cow::Borrowed(kind) } else { format!("{prefix}{kind}").into() };
            let mut definition = Definition::new(role, token, (place, [Some(kind), None]));
            definition.module = Cow::Borrowed(module_of(kind));
            read_schema(draft, schema, &mut definition)?;
            draft.define(definition);
        }
    }
    let mut pointer = coconut_format::pointer::Pointer::root();
    ["provider_schemas", address, "functions"].into_iter().for_each(|step| pointer.push_key(step));
    let place = draft.place(pointer.as_str());
    for (function, schema) in entries(provider, "functions") {
        let token = format!("provider::{name}::{function}");
        let mut definition = Definition::new(Role::Function, token, (place, [Some(function), None]));
        read_function(draft, schema, &mut definition)?;
        draft.define(definition);
    }
    Ok(())
}

/// The service in the name of a type: `s3` in `aws_s3_bucket`; empty for `aws_instance`.
fn module_of(kind: &str) -> &str {
    let mut parts = kind.splitn(3, '_');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(_), Some(module), Some(_)) => module,
        _ => "",
    }
}

fn read_schema<'a, N: Node<'a>>(
    draft: &mut Draft<'a>,
    schema: N,
    definition: &mut Definition<'a>,
) -> Result<(), ApiError> {
    // The version of the schema, used to upgrade states. The first one is 0.
    let is_first = |version: N| version.as_integer().is_some_and(|version| i128::from(version) == 0);
    definition.rest =
        draft.rest_of(schema, |key, value| key == "block" || (key == "version" && is_first(value)))?;
    let Some(block) = schema.get("block") else { return Ok(()) };
    definition.members = read_block(draft, block, 0, &definition.token)?;
    definition.doc = text(block, "description");
    let is_deprecated = block.get("deprecated").and_then(Node::as_bool) == Some(true);
    definition.deprecated = is_deprecated.then(|| text(block, "deprecation_message").unwrap_or(""));
    Ok(())
}

fn read_block<'a, N: Node<'a>>(
    draft: &mut Draft<'a>,
    block: N,
    depth: usize,
    token: &str,
) -> Result<Members, ApiError> {
    check_depth(depth, token)?;
    draft.members_once(block, 0, |draft| {
        let mut members = Vec::new();
        for (key, section) in block.entries() {
            match key {
                "attributes" => {
                    for (name, attribute) in section.entries() {
                        members.push(read_attribute(draft, name, attribute, depth, token)?);
                    }
                }
                "block_types" => {
                    for (name, nested) in section.entries() {
                        members.push(read_nested(draft, name, nested, depth, token)?);
                    }
                }
                _ => {}
            }
        }
        draft.members(members)
    })
}

fn read_attribute<'a, N: Node<'a>>(
    draft: &mut Draft<'a>,
    name: &'a str,
    attribute: N,
    depth: usize,
    token: &str,
) -> Result<Member<'a>, ApiError> {
    let mut member = Member::new(name, Scalar::Any.id());
    let (mut is_optional, mut is_write_only) = (false, false);
    for (key, value) in attribute.entries() {
        let truth = || value.as_bool() == Some(true);
        match key {
            "type" => member.type_id = read_type(draft, value, depth + 1, token)?,
            "nested_type" => {
                let members = read_block(draft, value, depth + 1, token)?;
                member.type_id = nest(draft, members, text(value, "nesting_mode"))?;
            }
            "description" => member.doc = value.as_str(),
            "required" => member.is_required = truth(),
            "optional" => is_optional = truth(),
            "computed" => member.is_computed = truth(),
            "sensitive" => member.is_secret = truth(),
            "write_only" => is_write_only = truth(),
            "deprecated" => member.deprecated = truth().then_some("").or(member.deprecated),
            "deprecation_message" => member.deprecated = value.as_str(),
            _ => {}
        }
    }
    member.direction = match (member.is_required || is_optional, is_write_only) {
        (_, true) => Direction::In,
        (true, _) => Direction::Both,
        (false, _) => Direction::Out,
    };
    Ok(member)
}

/// A block inside another one.
fn read_nested<'a, N: Node<'a>>(
    draft: &mut Draft<'a>,
    name: &'a str,
    nested: N,
    depth: usize,
    token: &str,
) -> Result<Member<'a>, ApiError> {
    let mut member = Member::new(name, Scalar::Any.id());
    let bound = |key| nested.get(key)?.as_integer().map(|number| i128::from(number) as f64);
    let items = Bounds { min: bound("min_items"), max: bound("max_items") };
    let mode = text(nested, "nesting_mode");
    member.is_required = items.min.is_some_and(|least| least > 0.0);
    if mode != Some("single") && items != Bounds::default() {
        member.facets = Some(Box::new(Facets { items, ..Facets::default() }));
    }
    if let Some(block) = nested.get("block") {
        let members = read_block(draft, block, depth + 1, token)?;
        member.type_id = nest(draft, members, mode)?;
        member.doc = text(block, "description");
        let is_deprecated = block.get("deprecated").and_then(Node::as_bool) == Some(true);
        member.deprecated = is_deprecated.then_some("");
    }
    Ok(member)
}

/// The members for a nesting mode.
fn nest<'a>(draft: &mut Draft<'a>, members: Members, mode: Option<&str>) -> Result<TypeId, ApiError> {
    let object = draft.object_of(members)?;
    match mode {
        Some("list") => draft.shaped(Shape::List, object),
        Some("set") => draft.shaped(Shape::Set, object),
        Some("map") => draft.shaped(Shape::Map, object),
        _ => Ok(object),
    }
}

/// A type: a word, or a list of a word and its parts.
fn read_type<'a, N: Node<'a>>(
    draft: &mut Draft<'a>,
    node: N,
    depth: usize,
    token: &str,
) -> Result<TypeId, ApiError> {
    check_depth(depth, token)?;
    if let Some(word) = node.as_str() {
        let known = SCALARS.iter().find(|(known, _)| *known == word);
        return Ok(known.map_or(Scalar::Any, |(_, scalar)| *scalar).id());
    }
    if node.kind() != Kind::List {
        return Ok(Scalar::Any.id());
    }
    draft.once(node, 0, |draft| {
        let mut items = node.items();
        let (word, part) = (items.next().and_then(Node::as_str), items.next());
        let Some(part) = part else { return Ok(Scalar::Any.id()) };
        match word {
            Some("list") => shaped(draft, Shape::List, part, depth, token),
            Some("set") => shaped(draft, Shape::Set, part, depth, token),
            Some("map") => shaped(draft, Shape::Map, part, depth, token),
            Some("object") => {
                let optional: Vec<&str> =
                    items.next().into_iter().flat_map(Node::items).filter_map(Node::as_str).collect();
                let mut members = Vec::with_capacity(part.width());
                for (name, of) in part.entries() {
                    let mut member = Member::new(name, read_type(draft, of, depth + 1, token)?);
                    member.is_required = !optional.contains(&name);
                    members.push(member);
                }
                draft.object(members)
            }
            // A tuple has a type for each position. The model allows each of them at any position.
            Some("tuple") => {
                let mut parts = Vec::with_capacity(part.width());
                for of in part.items() {
                    parts.push(read_type(draft, of, depth + 1, token)?);
                }
                let of = draft.union(parts)?;
                draft.shaped(Shape::List, of)
            }
            _ => Ok(Scalar::Any.id()),
        }
    })
}

fn shaped<'a, N: Node<'a>>(
    draft: &mut Draft<'a>,
    shape: Shape,
    part: N,
    depth: usize,
    token: &str,
) -> Result<TypeId, ApiError> {
    let of = read_type(draft, part, depth + 1, token)?;
    draft.shaped(shape, of)
}

fn read_function<'a, N: Node<'a>>(
    draft: &mut Draft<'a>,
    schema: N,
    definition: &mut Definition<'a>,
) -> Result<(), ApiError> {
    let mut members = Vec::new();
    let variadic = schema.get("variadic_parameter");
    let parameters = schema.get("parameters").into_iter().flat_map(Node::items);
    for (parameter, is_variadic) in parameters.map(|one| (one, false)).chain(variadic.map(|one| (one, true)))
    {
        let mut member = Member::new(text(parameter, "name").unwrap_or_default(), Scalar::Any.id());
        if let Some(of) = parameter.get("type") {
            member.type_id = read_type(draft, of, 0, &definition.token)?;
        }
        if is_variadic {
            member.type_id = draft.shaped(Shape::List, member.type_id)?;
        }
        member.direction = Direction::In;
        member.is_required = !is_variadic;
        member.doc = text(parameter, "description");
        members.push(member);
    }
    definition.members = draft.members(members)?;
    definition.is_positional = true;
    if let Some(result) = schema.get("return_type") {
        definition.value = Some(read_type(draft, result, 0, &definition.token)?);
    }
    definition.doc = text(schema, "description").or_else(|| text(schema, "summary"));
    definition.deprecated = text(schema, "deprecation_message");
    Ok(())
}
