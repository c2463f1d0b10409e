//! §12.1 The parts of a Pulumi schema for which the model has no field, kept for translations.
//!
//! Types are carried unchanged if the model has less information: a reference next to a type, a
//! discriminator, a constant.

use crate::error::ApiError;
use crate::literal::Literal;
use crate::model::{Definition, Direction, Facets, Member, Role};
use crate::read::draft::Draft;
use crate::read::fields::{text, texts};
use crate::rest::Rest;
use coconut_format::node::{Kind, Node};
use std::collections::HashSet;

/// The keys of a Pulumi schema that define the type of a member.
pub const PULUMI_TYPE_KEYS: [&str; 8] =
    ["type", "$ref", "items", "additionalProperties", "oneOf", "discriminator", "const", "enum"];

/// The keys of a schema that have fields in the model.
const OF_SCHEMA: [&str; 7] = ["name", "version", "config", "provider", "types", "resources", "functions"];

/// The maximum depth to which types are followed to see whether the model covers them.
const MOST_LEVELS: usize = 64;

pub(crate) fn of_schema<'a, N: Node<'a>>(draft: &mut Draft<'a>, root: N) -> Result<Rest, ApiError> {
    draft.rest_of(root, |key, _| OF_SCHEMA.contains(&key))
}

/// The rest of the configuration. The key of required variables has its former name.
pub(crate) fn of_config<'a, N: Node<'a>>(draft: &mut Draft<'a>, config: N) -> Result<Rest, ApiError> {
    draft.rest_of(config, |key, _| matches!(key, "variables" | "defaults"))
}

pub(crate) fn of_definition<'a, N: Node<'a>>(
    draft: &mut Draft<'a>,
    schema: N,
    definition: &Definition<'a>,
) -> Result<Rest, ApiError> {
    if draft.rest_left.is_none() {
        return Ok(Rest::new());
    }
    let mut rest = draft.rest_of(schema, |key, value| match (key, definition.role) {
        ("description" | "deprecationMessage" | "properties", _) => true,
        ("type", Role::Type) => says_type(schema, definition),
        ("enum", Role::Type) => has_known_values(schema, definition),
        ("items" | "additionalProperties" | "oneOf" | "discriminator" | "$ref", Role::Type) => false,
        ("required", Role::Class | Role::Provider | Role::Type) => has_all(schema, "properties", key),
        ("type", _) => value.as_str() == Some("object"),
        ("inputProperties" | "methods", Role::Class | Role::Provider) => true,
        ("requiredInputs", Role::Class | Role::Provider) => has_all(schema, "inputProperties", key),
        ("aliases", Role::Class | Role::Provider) => {
            value.items().all(|alias| alias.width() == 1 && text(alias, "type").is_some())
        }
        ("stateInputs", Role::Class | Role::Provider) => says_bag(value),
        ("inputs" | "outputs", Role::Function) => says_bag(value),
        ("multiArgumentInputs", Role::Function) => has_order(schema),
        _ => false,
    })?;
    // For a bag, only the parts outside its members.
    for (key, value) in &mut rest {
        let bag = schema.get(key).filter(|bag| bag.get("properties").is_some());
        if let Some(bag) = bag
            && matches!(&**key, "stateInputs" | "inputs" | "outputs" | "returnType")
            && let coconut_format::Value::Object(entries) = value
        {
            entries.retain(|(key, value)| match &**key {
                "properties" => false,
                "required" => !has_all(bag, "properties", key),
                "type" => value.as_str() != Some("object"),
                _ => true,
            });
        }
    }
    Ok(rest)
}

/// Adds to members the parts of their schemas outside the model.
pub(crate) fn of_members<'a, N: Node<'a>>(
    draft: &mut Draft<'a>,
    properties: N,
    direction: Direction,
    members: &mut [Member<'a>],
) -> Result<(), ApiError> {
    if draft.rest_left.is_none() {
        return Ok(());
    }
    for (member, (_, schema)) in members.iter_mut().zip(properties.entries()) {
        let rest = of_member(draft, schema, direction)?;
        if !rest.is_empty() {
            let facets = member.facets.get_or_insert_with(|| Box::new(Facets::default()));
            facets.rest.extend(rest);
        }
    }
    Ok(())
}

fn of_member<'a, N: Node<'a>>(
    draft: &mut Draft<'a>,
    schema: N,
    direction: Direction,
) -> Result<Rest, ApiError> {
    let package = draft.package.name.clone();
    let is_type_said = is_plain_type(schema, &package, true, MOST_LEVELS);
    let replaces = direction != Direction::Out && schema.get("replaceOnChanges").is_none();
    draft.rest_of(schema, |key, value| match key {
        "description" | "deprecationMessage" => value.as_str().is_some(),
        "secret" | "plain" => value.as_bool() == Some(true),
        "willReplaceOnChanges" => replaces && value.as_bool() == Some(true),
        // Lists and objects are carried by the reader of types.
        "default" => value.kind() != Kind::Null,
        _ => is_type_said && PULUMI_TYPE_KEYS.contains(&key),
    })
}

/// Whether the model covers a type completely. `is_member` allows the additional keys of a member.
fn is_plain_type<'a, N: Node<'a>>(schema: N, package: &str, is_member: bool, levels: usize) -> bool {
    let mut keys = schema.entries().map(|(key, _)| key);
    let is_known = |key: &str| PULUMI_TYPE_KEYS.contains(&key);
    let count = schema.entries().filter(|(key, _)| is_known(key)).count();
    if levels == 0 || (!is_member && !keys.all(is_known)) {
        return false;
    }
    let part = |key: &str| {
        let part = schema.get(key).filter(|part| part.kind() == Kind::Object);
        part.is_some_and(|part| is_plain_type(part, package, false, levels - 1))
    };
    match (text(schema, "type"), count) {
        (Some("boolean" | "integer" | "number" | "string"), 1) => true,
        (Some("array"), 2) => part("items"),
        (Some("object"), 2) => part("additionalProperties"),
        (None, 1) => match (text(schema, "$ref"), schema.get("oneOf")) {
            (Some(reference), _) => is_plain_reference(reference, package),
            (None, Some(options)) => {
                let words: Vec<&str> = options.items().filter_map(|option| text(option, "type")).collect();
                let distinct: HashSet<&str> = words.iter().copied().collect();
                options.width() > 1
                    && distinct.len() == words.len()
                    && options.items().all(|option| is_plain_type(option, package, false, levels - 1))
            }
            (None, None) => false,
        },
        _ => false,
    }
}

/// Whether writing a reference again gives the same text: to a built-in type, to a definition of
/// this package, or to another schema.
fn is_plain_reference(reference: &str, package: &str) -> bool {
    if let Some(well_known) = reference.strip_prefix("pulumi.json#/") {
        return matches!(well_known, "Any" | "Asset" | "Archive");
    }
    let local = ["#/types/", "#/resources/"].iter().find_map(|start| reference.strip_prefix(start));
    let mut escapes = reference.split('%').skip(1);
    match local {
        // Only the reference says the section if there is no such definition.
        Some(_) if reference.starts_with("#/resources/") => false,
        Some(token) => {
            token.strip_prefix(package).is_some_and(|rest| rest.starts_with(':'))
                && escapes.all(|rest| rest.starts_with("2F") || rest.starts_with("2f"))
        }
        None => reference.contains("#/"),
    }
}

/// Whether the type of a definition follows from its other keys.
fn says_type<'a, N: Node<'a>>(schema: N, definition: &Definition<'a>) -> bool {
    match definition.value {
        None => text(schema, "type") == Some("object"),
        Some(_) => schema.get("enum").is_some() && has_known_values(schema, definition),
    }
}

/// Whether the model covers all values of an enum.
fn has_known_values<'a, N: Node<'a>>(schema: N, definition: &Definition<'a>) -> bool {
    let mut values = schema.get("enum").into_iter().flat_map(Node::items);
    // A name belongs to one value, so two equal ones would get the same.
    let mut seen = HashSet::new();
    let mut is_new = |value: N| {
        value.get("value").map(Literal::of).is_some_and(|literal| seen.insert(format!("{literal:?}")))
    };
    let is_known = |key: &str| matches!(key, "name" | "description" | "value" | "deprecationMessage");
    definition.value.is_some()
        && matches!(text(schema, "type"), Some("boolean" | "integer" | "number" | "string"))
        && values.all(|value| {
            let has_value = value.get("value").is_some_and(|value| !value.kind().is_container());
            has_value && value.entries().all(|(key, _)| is_known(key)) && is_new(value)
        })
}

/// Whether the members of a bag cover it completely.
fn says_bag<'a, N: Node<'a>>(bag: N) -> bool {
    bag.entries().all(|(key, value)| match key {
        "properties" => value.width() > 0,
        "required" => has_all(bag, "properties", key),
        "type" => value.as_str() == Some("object"),
        _ => false,
    }) && bag.get("properties").is_some()
}

/// Whether all names in a list belong to members, each once.
fn has_all<'a, N: Node<'a>>(schema: N, members: &str, names: &str) -> bool {
    let members = schema.get(members);
    let mut seen = HashSet::new();
    let count = schema.get(names).map_or(0, |names: N| names.width());
    texts(schema, names)
        .all(|name| seen.insert(name) && members.is_some_and(|members| members.get(name).is_some()))
        && seen.len() == count
}

/// Whether the list of arguments of a function names each of its inputs once.
fn has_order<'a, N: Node<'a>>(schema: N) -> bool {
    let Some(inputs) = schema.get("inputs").and_then(|inputs| inputs.get("properties")) else { return false };
    let arguments = schema.get("multiArgumentInputs");
    let mut seen = HashSet::new();
    let names = arguments.into_iter().flat_map(Node::items);
    let is_each_one = names
        .map(|name| name.as_str().filter(|name| inputs.get(name).is_some()))
        .all(|name| name.is_some_and(|name| seen.insert(name)));
    is_each_one && !seen.is_empty() && seen.len() == inputs.width()
}
