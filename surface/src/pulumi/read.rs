//! §20.2 Pulumi package schemas.
//!
//! The schema lists inputs and outputs of a resource separately; the model has one member for each.

mod rest;

pub use rest::PULUMI_TYPE_KEYS;

use crate::dialect::Dialect;
use crate::error::ApiError;
use crate::literal::Literal;
use crate::model::{Definition, Direction, Member, NamedValue, Role, Scalar};
use crate::read::draft::Draft;
use crate::read::fields::{entries, is, text, texts};
use crate::read::schema::{Named, Reader, base_of};
use crate::settings::{Setting, SettingKind};
use coconut_format::node::{Kind, Node};
use std::borrow::Cow;
use std::collections::HashSet;

/// References to built-in types.
const WELL_KNOWN: [(&str, Scalar); 5] = [
    ("pulumi.json#/Any", Scalar::Any),
    ("pulumi.json#/Json", Scalar::String),
    ("pulumi.json#/Asset", Scalar::Asset),
    ("pulumi.json#/Archive", Scalar::Archive),
    ("pulumi.json#/Map", Scalar::Any),
];

/// The maximum number of function arguments that are sorted. Real functions have ten.
const MOST_ARGUMENTS: usize = 256;

pub(crate) fn is_schema<'a, N: Node<'a>>(root: N) -> bool {
    let has_tokens = |key| {
        let first = entries(root, key).next();
        first.is_some_and(|(token, value)| token.contains(':') && value.kind() == Kind::Object)
    };
    let is_program = root.get("runtime").is_some() || root.get("modules").is_some();
    is(root, "name", Kind::String)
        && !is_program
        && (["resources", "types", "functions"].into_iter().any(has_tokens)
            || (is(root, "language", Kind::Object)
                && ["config", "provider"].into_iter().any(|key| is(root, key, Kind::Object))))
}

pub(crate) fn read<'a, N: Node<'a>>(root: N, rest_left: Option<usize>) -> Result<Draft<'a>, ApiError> {
    let mut draft = Draft::new(Dialect::Pulumi, text(root, "name").unwrap_or_default());
    draft.rest_left = rest_left;
    draft.package.version = text(root, "version");
    draft.package.language = root.get("language").map(Literal::of);
    draft.package.rest = rest::of_schema(&mut draft, root)?;
    let format = root.get("meta").and_then(|meta| text(meta, "moduleFormat")).unwrap_or_default();
    let kinds = [("pluginDownloadURL", SettingKind::Plugin), ("parameterization", SettingKind::Plugin)];
    for (key, kind) in kinds {
        let values = root.get(key).map(Literal::of);
        draft.package.settings.extend(values.map(|value| Setting::new(kind, key, value)));
    }
    if !format.is_empty() {
        let modules = Setting::new(SettingKind::Modules, "", Literal::Text(format));
        draft.package.settings.push(modules);
    }
    // The only format in use drops the last part of the module.
    let drops_part = format.contains("/[^/]*)");
    if let Some(config) = root.get("config") {
        let place = (draft.place(""), [Some("config"), None]);
        let mut definition = Definition::new(Role::Provider, "config", place);
        // The key of the required variables has the former name of the variables.
        let mut members = bag(&mut draft, config, "variables", "defaults", Direction::In, "config")?;
        let required: HashSet<&str> = texts(config, "required").collect();
        members.iter_mut().for_each(|member| member.is_required |= required.contains(member.name));
        definition.members = draft.members(members)?;
        definition.rest = rest::of_config(&mut draft, config)?;
        draft.define(definition);
    }
    if let Some(provider) = root.get("provider") {
        let place = (draft.place(""), [Some("provider"), None]);
        let mut definition = Definition::new(Role::Provider, "provider", place);
        read_definition(&mut draft, provider, &mut definition)?;
        draft.define(definition);
    }
    for (section, role) in [("types", Role::Type), ("resources", Role::Class), ("functions", Role::Function)]
    {
        let place = draft.place(&format!("/{section}"));
        for (token, schema) in entries(root, section) {
            let mut definition = Definition::new(role, token, (place, [Some(token), None]));
            definition.module = Cow::Borrowed(module_of(token, drops_part));
            read_definition(&mut draft, schema, &mut definition)?;
            draft.define(definition);
        }
    }
    Ok(draft)
}

fn read_definition<'a, N: Node<'a>>(
    draft: &mut Draft<'a>,
    schema: N,
    definition: &mut Definition<'a>,
) -> Result<(), ApiError> {
    definition.doc = text(schema, "description");
    definition.deprecated = text(schema, "deprecationMessage");
    definition.language = schema.get("language").map(Literal::of);
    match definition.role {
        Role::Class | Role::Provider => read_resource(draft, schema, definition)?,
        Role::Function => read_function(draft, schema, definition)?,
        Role::Type | Role::Variable => read_type(draft, schema, definition)?,
    }
    definition.rest = rest::of_definition(draft, schema, definition)?;
    Ok(())
}

/// The module of a token, without the part for its member.
fn module_of(token: &str, drops_part: bool) -> &str {
    let module = token.split(':').nth(1).unwrap_or_default();
    match module.rsplit_once('/') {
        Some((module, _)) if drops_part => module,
        _ => module,
    }
}

/// The members of one list, with the names of the required ones.
fn bag<'a, N: Node<'a>>(
    draft: &mut Draft<'a>,
    schema: N,
    key: &str,
    required: &str,
    direction: Direction,
    token: &str,
) -> Result<Vec<Member<'a>>, ApiError> {
    let Some(properties) = schema.get(key) else { return Ok(Vec::new()) };
    let required: HashSet<&str> = texts(schema, required).collect();
    let mut members = reader(draft, token).members(properties, &required, 0)?;
    members.iter_mut().for_each(|member| member.direction = direction);
    rest::of_members(draft, properties, direction, &mut members)?;
    Ok(members)
}

fn reader<'d, 'a>(draft: &'d mut Draft<'a>, token: &'d str) -> Reader<'d, 'a, fn(&'a str) -> Named<'a>> {
    Reader { draft, named, of_plain_object: Scalar::String, token }
}

/// The target of a reference. The token of another package is kept with the path to its schema.
fn named(reference: &str) -> Named<'_> {
    let well_known = WELL_KNOWN.iter().find(|(known, _)| *known == reference);
    if let Some((_, scalar)) = well_known {
        return Named::Scalar(*scalar);
    }
    let local = reference.strip_prefix("#/types/").or_else(|| reference.strip_prefix("#/resources/"));
    match local {
        // Tokens are escaped as in URLs.
        Some(token) if token.contains('%') => {
            Named::Token(Cow::Owned(token.replace("%2F", "/").replace("%2f", "/")))
        }
        Some(token) => Named::Token(Cow::Borrowed(token)),
        None => Named::Token(Cow::Borrowed(reference)),
    }
}

fn read_resource<'a, N: Node<'a>>(
    draft: &mut Draft<'a>,
    schema: N,
    definition: &mut Definition<'a>,
) -> Result<(), ApiError> {
    let token = &definition.token;
    let mut members = bag(draft, schema, "inputProperties", "requiredInputs", Direction::In, token)?;
    members.extend(bag(draft, schema, "properties", "required", Direction::Out, token)?);
    definition.members = draft.members(members)?;
    definition.is_component = schema.get("isComponent").and_then(Node::as_bool) == Some(true);
    let methods = entries(schema, "methods");
    definition.methods = methods.filter_map(|(name, token)| Some((name, token.as_str()?))).collect();
    if let Some(state) = schema.get("stateInputs") {
        let members = bag(draft, state, "properties", "required", Direction::In, &definition.token)?;
        definition.state = draft.members(members)?;
    }
    // An alias is an object with a token; in the newest schemas it is the token.
    let aliases = schema.get("aliases").into_iter().flat_map(Node::items);
    definition.aliases = aliases.filter_map(|alias| alias.as_str().or_else(|| text(alias, "type"))).collect();
    Ok(())
}

fn read_function<'a, N: Node<'a>>(
    draft: &mut Draft<'a>,
    schema: N,
    definition: &mut Definition<'a>,
) -> Result<(), ApiError> {
    let token = &definition.token;
    let mut members = Vec::new();
    if let Some(inputs) = schema.get("inputs") {
        members = bag(draft, inputs, "properties", "required", Direction::In, token)?;
    }
    // `outputs` is a bag, or any type in the newer form.
    for key in ["outputs", "returnType"] {
        let Some(outputs) = schema.get(key) else { continue };
        match outputs.get("properties") {
            Some(_) => members.extend(bag(draft, outputs, "properties", "required", Direction::Out, token)?),
            None if outputs.width() > 0 => definition.value = Some(reader(draft, token).type_of(outputs, 0)?),
            None => {}
        }
    }
    definition.is_positional = schema.get("multiArgumentInputs").is_some();
    // The order of arguments follows the order of their names.
    let order: Vec<&str> = texts(schema, "multiArgumentInputs").collect();
    if definition.is_positional && order.len() <= MOST_ARGUMENTS {
        let place = |name: &str| order.iter().position(|one| *one == name).unwrap_or(order.len());
        members.sort_by_cached_key(|member| (member.direction.is_out(), place(member.name)));
    }
    definition.members = draft.members(members)?;
    Ok(())
}

fn read_type<'a, N: Node<'a>>(
    draft: &mut Draft<'a>,
    schema: N,
    definition: &mut Definition<'a>,
) -> Result<(), ApiError> {
    if let Some(values) = schema.get("enum") {
        let value = |item: N| item.get("value").or_else(|| item.get("name")).map(Literal::of);
        let named = |item: N| {
            let said = |key| text(item, key).filter(|text| !text.is_empty());
            let (name, doc, deprecated) = (said("name"), said("description"), said("deprecationMessage"));
            let is_said = [name, doc, deprecated].iter().any(Option::is_some);
            let value = item.get("value").map(Literal::of).filter(|_| is_said)?;
            Some(NamedValue { value, name, doc, deprecated })
        };
        definition.named_values = values.items().filter_map(named).collect();
        let values: Vec<Literal<'a>> = values.items().filter_map(value).collect();
        let base = match text(schema, "type") {
            Some("integer") => Scalar::Integer,
            Some("number") => Scalar::Number,
            Some("boolean") => Scalar::Bool,
            Some("string") => Scalar::String,
            _ => base_of(&values),
        };
        definition.value = Some(draft.enumeration(base, values)?);
        return Ok(());
    }
    let members = bag(draft, schema, "properties", "required", Direction::Both, &definition.token)?;
    if members.is_empty() && !matches!(text(schema, "type"), Some("object") | None) {
        definition.value = Some(reader(draft, &definition.token).type_of(schema, 0)?);
    }
    definition.members = draft.members(members)?;
    Ok(())
}
