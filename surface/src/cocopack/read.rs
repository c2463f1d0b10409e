//! §20.2 Coconut 2017 packages (§12). The extension key (§12.1) holds the parts for which their
//! format has no field.

use crate::dialect::Dialect;
use crate::error::ApiError;
use crate::literal::Literal;
use crate::model::{
    Bounds, Definition, Direction, Export, Facets, Member, NamedValue, Role, Scalar, Type, TypeId,
};
use crate::read::draft::{Draft, Shape, check_depth};
use crate::read::fields::{entries, is, text};
use crate::read::schema::base_of;
use crate::settings::{Setting, SettingKind, digest};
use coconut_format::node::{Kind, Node};
use coconut_format::package::EXTENSION;
use coconut_format::pointer::Pointer;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

pub(crate) fn is_package<'a, N: Node<'a>>(root: N) -> bool {
    is(root, "name", Kind::String) && is(root, "modules", Kind::Object) && root.get("resources").is_none()
}

pub(crate) fn read<'a, N: Node<'a>>(root: N, rest_left: Option<usize>) -> Result<Draft<'a>, ApiError> {
    let name = text(root, "name").unwrap_or_default();
    let mut draft = Draft::new(Dialect::CocoPack, name);
    draft.rest_left = rest_left;
    if let Some(extension) = root.get(EXTENSION) {
        read_about(&mut draft, name, extension)?;
    }
    let mut states = Vec::new();
    for (module, node) in entries(root, "modules") {
        draft.package.modules.push(module);
        for (export, node) in entries(node, "exports") {
            let token = token_text(node.get("referent")).or_else(|| text(node, "token"));
            draft.package.exports.push(Export { module, name: export, token: token.unwrap_or_default() });
        }
    }
    let shown: HashSet<&str> = draft.package.exports.iter().map(|export| export.token).collect();
    for (module, node) in entries(root, "modules") {
        let mut pointer = Pointer::root();
        ["modules", module, "members"].into_iter().for_each(|step| pointer.push_key(step));
        let place = draft.place(pointer.as_str());
        for (key, member) in entries(node, "members") {
            let token = format!("{name}:{module}:{key}");
            let is_public = text(member, "access") == Some("public");
            if has_program(member) {
                let body = Setting::new(SettingKind::Body, token.clone(), digest(member));
                draft.package.settings.push(body);
            }
            if is_public || shown.contains(&*token) || shown.contains(key) {
                read_member(&mut draft, module, key, token, member, place)?;
                let state = member.get(EXTENSION).and_then(|extension| text(extension, "state"));
                states.extend(state.map(|state| (draft.package.definitions.len() - 1, state)));
            }
        }
    }
    set_states(&mut draft, &states);
    Ok(draft)
}

/// Whether a member of a module has statements: itself, or one of its methods.
fn has_program<'a, N: Node<'a>>(member: N) -> bool {
    member.get("body").is_some() || entries(member, "members").any(|(_, one)| one.get("body").is_some())
}

/// The package's record of the schema it was made from.
fn read_about<'a, N: Node<'a>>(draft: &mut Draft<'a>, name: &'a str, extension: N) -> Result<(), ApiError> {
    let dialect = text(extension, "dialect");
    let dialect = Dialect::ALL.into_iter().find(|known| dialect == Some(known.name()));
    let origin = text(extension, "origin").unwrap_or(name);
    draft.package.made_of = dialect.map(|dialect| (dialect, origin));
    draft.package.version = text(extension, "version");
    if let Some(schema) = extension.get("schema") {
        draft.package.language = schema.get("language").map(Literal::of);
        draft.package.rest = draft.rest_of(schema, |_, _| false)?;
    }
    Ok(())
}

/// The members of the record used to look up the resources of a class.
fn set_states(draft: &mut Draft<'_>, states: &[(usize, &str)]) {
    if states.is_empty() {
        return;
    }
    let definitions = &mut draft.package.definitions;
    let records = definitions.iter().filter(|definition| definition.role == Role::Type);
    let records: HashMap<String, _> = records.map(|one| (one.token.to_string(), one.members)).collect();
    for (number, token) in states {
        if let (Some(definition), Some(members)) = (definitions.get_mut(*number), records.get(*token)) {
            definition.state = *members;
        }
    }
}

/// The text of a token, which was a string before it became a node.
fn token_text<'a, N: Node<'a>>(node: Option<N>) -> Option<&'a str> {
    let node = node?;
    node.as_str().or_else(|| text(node, "tok"))
}

fn read_member<'a, N: Node<'a>>(
    draft: &mut Draft<'a>,
    module: &'a str,
    key: &'a str,
    token: String,
    node: N,
    place: u32,
) -> Result<(), ApiError> {
    let is_record = ["record", "interface"].into_iter().any(|flag| is_true(node, flag));
    let is_provider = node.get(EXTENSION).is_some_and(|extension| is_true(extension, "provider"));
    let role = match text(node, "kind") {
        Some("Class") if is_record => Role::Type,
        Some("Class") if is_provider => Role::Provider,
        Some("Class") => Role::Class,
        Some("ModuleMethod") => Role::Function,
        Some("ModuleProperty") => Role::Variable,
        _ => return Ok(()),
    };
    let mut definition = Definition::new(role, token, (place, [Some(key), None]));
    definition.module = Cow::Borrowed(module);
    definition.doc = text(node, "description");
    definition.base = token_text(node.get("extends"));
    let extension = node.get(EXTENSION);
    definition.deprecated = extension.and_then(|extension| text(extension, "deprecated"));
    definition.origin = extension.and_then(|extension| text(extension, "origin"));
    if let Some(extension) = extension {
        read_facets(draft, &mut definition, extension)?;
    }
    match role {
        Role::Function => {
            read_function(draft, node, &mut definition)?;
            // A function of a schema has its arguments by name, unless declared otherwise.
            let is_positional = extension.is_some_and(|extension| is_true(extension, "positional"));
            definition.is_positional = definition.origin.is_none() || is_positional;
        }
        Role::Variable => definition.value = Some(read_variable(draft, node, &definition.token)?),
        _ => read_class(draft, node, &mut definition)?,
    }
    draft.define(definition);
    Ok(())
}

/// §12.1 The facets of a definition.
fn read_facets<'a, N: Node<'a>>(
    draft: &mut Draft<'a>,
    definition: &mut Definition<'a>,
    extension: N,
) -> Result<(), ApiError> {
    for (key, value) in extension.entries() {
        match key {
            "aliases" => definition.aliases = value.items().filter_map(Node::as_str).collect(),
            "methods" => {
                let methods = value.entries();
                definition.methods =
                    methods.filter_map(|(name, token)| Some((name, token.as_str()?))).collect();
            }
            "values" => definition.named_values = value.items().map(named_value).collect(),
            "schema" => {
                definition.is_component = is_true(value, "isComponent");
                definition.language = value.get("language").map(Literal::of);
                definition.rest = draft.rest_of(value, |_, _| false)?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn named_value<'a, N: Node<'a>>(node: N) -> NamedValue<'a> {
    let value = node.get("value").map_or(Literal::Null, Literal::of);
    let [name, doc, deprecated] = ["name", "description", "deprecated"].map(|key| text(node, key));
    NamedValue { value, name, doc, deprecated }
}

fn is_true<'a, N: Node<'a>>(node: N, key: &str) -> bool {
    node.get(key).and_then(Node::as_bool) == Some(true)
}

/// The properties of a class are its members. Its methods are separate functions.
fn read_class<'a, N: Node<'a>>(
    draft: &mut Draft<'a>,
    node: N,
    definition: &mut Definition<'a>,
) -> Result<(), ApiError> {
    let mut members = Vec::new();
    for (key, member) in entries(node, "members") {
        if !matches!(text(member, "access"), Some("public" | "protected")) && !is_true(member, "primary") {
            continue;
        }
        if text(member, "kind") == Some("ClassProperty") {
            members.push(read_property(draft, key, member, &definition.token)?);
        } else if text(member, "kind") == Some("ClassMethod") {
            let (place, [class, _]) = definition.place;
            // A pointer to the class is precise enough for a member.
            let mut method = Definition::new(
                Role::Function,
                format!("{}:{key}", definition.token),
                (place, [class, None]),
            );
            method.module = definition.module.clone();
            method.doc = text(member, "description");
            read_function(draft, member, &mut method)?;
            draft.define(method);
        }
    }
    definition.members = draft.members(members)?;
    if let Some(of) = node.get(EXTENSION).and_then(|extension| extension.get("type")) {
        definition.value = Some(extension_type(draft, of, 0, &definition.token)?);
    }
    Ok(())
}

fn read_function<'a, N: Node<'a>>(
    draft: &mut Draft<'a>,
    node: N,
    definition: &mut Definition<'a>,
) -> Result<(), ApiError> {
    let mut members = Vec::new();
    for parameter in node.get("parameters").into_iter().flat_map(Node::items) {
        let name = parameter.get("name").and_then(|name| text(name, "ident")).unwrap_or_default();
        let mut member = read_property(draft, name, parameter, &definition.token)?;
        member.direction = Direction::In;
        members.push(member);
    }
    definition.members = draft.members(members)?;
    definition.is_positional = true;
    if let Some(token) = token_text(node.get("returnType")) {
        definition.value = Some(type_token(draft, token, 0, &definition.token)?);
    }
    Ok(())
}

fn read_variable<'a, N: Node<'a>>(draft: &mut Draft<'a>, node: N, token: &str) -> Result<TypeId, ApiError> {
    match node.get(EXTENSION).and_then(|extension| extension.get("type")) {
        Some(of) => extension_type(draft, of, 0, token),
        None => match token_text(node.get("type")) {
            Some(of) => type_token(draft, of, 0, token),
            None => Ok(Scalar::Any.id()),
        },
    }
}

fn read_property<'a, N: Node<'a>>(
    draft: &mut Draft<'a>,
    name: &'a str,
    node: N,
    token: &str,
) -> Result<Member<'a>, ApiError> {
    let mut member = Member::new(name, read_variable(draft, node, token)?);
    let default = node.get("default").map(Literal::of);
    member.is_required = !is_true(node, "optional") && default.is_none();
    // A primary property is set by the expression that constructs the object.
    let is_output = is_true(node, "readonly") && !is_true(node, "primary");
    member.direction = if is_output { Direction::Out } else { Direction::Both };
    member.doc = text(node, "description");
    let mut facets = Facets { default, ..Facets::default() };
    let extension = node.get(EXTENSION);
    if let Some(extension) = extension {
        read_extension(draft, &mut member, &mut facets, extension)?;
    }
    member.facets = (facets != Facets::default()).then(|| Box::new(facets));
    if let Some(output) = extension.and_then(|extension| extension.get("output")) {
        member.output = Some(Box::new(read_output(draft, &member, output, token)?));
    }
    Ok(member)
}

/// §12.1 The attributes of a property when read, if they differ from those when given.
fn read_output<'a, N: Node<'a>>(
    draft: &mut Draft<'a>,
    given: &Member<'a>,
    output: N,
    token: &str,
) -> Result<Member<'a>, ApiError> {
    let mut member = given.as_output();
    let mut facets = given.facets.as_deref().cloned().unwrap_or_default();
    for (key, value) in output.entries() {
        match key {
            "type" => member.type_id = extension_type(draft, value, 0, token)?,
            "description" => member.doc = value.as_str(),
            "default" => facets.rest.retain(|(key, _)| key != "default"),
            "schema" => {
                facets.language = None;
                facets.rest.retain(|(key, _)| key == "default");
            }
            _ => {}
        }
    }
    read_extension(draft, &mut member, &mut facets, output)?;
    if output.get("default").is_some_and(|default| default.kind() == Kind::Null) {
        facets.default = None;
    }
    member.direction = Direction::Out;
    member.facets = (facets != Facets::default()).then(|| Box::new(facets));
    Ok(member)
}

/// §12.1 The facets of a member.
fn read_extension<'a, N: Node<'a>>(
    draft: &mut Draft<'a>,
    member: &mut Member<'a>,
    facets: &mut Facets<'a>,
    extension: N,
) -> Result<(), ApiError> {
    for (key, value) in extension.entries() {
        let truth = value.as_bool() == Some(true);
        match key {
            "direction" => {
                member.direction = match value.as_str() {
                    Some("in") => Direction::In,
                    Some("out") => Direction::Out,
                    _ => Direction::Both,
                }
            }
            "optional" => member.is_required = !truth,
            "computed" => member.is_computed = truth,
            "secret" => member.is_secret = truth,
            "replaces" => member.replaces = truth,
            "plain" => member.is_plain = truth,
            "origin" => facets.origin = value.as_str(),
            "schema" if value.kind() == Kind::Object => {
                facets.language = value.get("language").map(Literal::of);
                facets.rest.extend(draft.rest_of(value, |_, _| false)?);
            }
            "deprecated" => member.deprecated = value.as_str(),
            "default" => {
                facets.default = Some(Literal::of(value));
                if value.kind().is_container() && draft.rest_left.is_some() {
                    facets.rest.push((key.to_owned(), draft.carried(value)?));
                }
            }
            "value" => facets.value = bounds(value),
            "length" => facets.length = bounds(value),
            "items" => facets.items = bounds(value),
            "pattern" => facets.pattern = value.as_str(),
            _ => {}
        }
    }
    Ok(())
}

fn bounds<'a, N: Node<'a>>(node: N) -> Bounds {
    let bound = |key| {
        let value = node.get(key)?;
        value.as_float().or_else(|| value.as_integer().map(|number| i128::from(number) as f64))
    };
    Bounds { min: bound("min"), max: bound("max") }
}

/// §12.1 A type of the extension: a word, or an object with one key.
fn extension_type<'a, N: Node<'a>>(
    draft: &mut Draft<'a>,
    node: N,
    depth: usize,
    token: &str,
) -> Result<TypeId, ApiError> {
    check_depth(depth, token)?;
    if let Some(word) = node.as_str() {
        let scalar = Scalar::ALL.into_iter().find(|scalar| scalar.name() == word);
        return Ok(scalar.unwrap_or(Scalar::Any).id());
    }
    let Some((key, part)) = node.entries().next() else { return Ok(Scalar::Any.id()) };
    match key {
        "list" => {
            let of = extension_type(draft, part, depth + 1, token)?;
            draft.shaped(Shape::List, of)
        }
        "set" => {
            let of = extension_type(draft, part, depth + 1, token)?;
            draft.shaped(Shape::Set, of)
        }
        "map" => {
            let of = extension_type(draft, part, depth + 1, token)?;
            draft.shaped(Shape::Map, of)
        }
        "union" => {
            let mut types = Vec::new();
            for one in part.items() {
                types.push(extension_type(draft, one, depth + 1, token)?);
            }
            draft.union(types)
        }
        "enum" => {
            let values: Vec<Literal<'a>> = part.items().map(Literal::of).collect();
            let of = text(node, "of").and_then(|word| Scalar::ALL.into_iter().find(|one| one.name() == word));
            draft.enumeration(of.unwrap_or_else(|| base_of(&values)), values)
        }
        "ref" => match part.as_str() {
            Some(token) => draft.add(Type::Reference(Cow::Borrowed(token))),
            None => Ok(Scalar::Any.id()),
        },
        _ => Ok(Scalar::Any.id()),
    }
}

/// §11.2 The type of a type token. Pointers and functions are kept as written.
fn type_token<'a>(draft: &mut Draft<'a>, of: &'a str, depth: usize, token: &str) -> Result<TypeId, ApiError> {
    check_depth(depth, token)?;
    if let Some(item) = of.strip_prefix("[]") {
        let item = type_token(draft, item, depth + 1, token)?;
        return draft.shaped(Shape::List, item);
    }
    if let Some(value) = of.strip_prefix("map[string]") {
        let value = type_token(draft, value, depth + 1, token)?;
        return draft.shaped(Shape::Map, value);
    }
    match of {
        "string" => Ok(Scalar::String.id()),
        "number" => Ok(Scalar::Number.id()),
        "bool" => Ok(Scalar::Bool.id()),
        "null" => Ok(Scalar::Null.id()),
        "dynamic" | "any" => Ok(Scalar::Any.id()),
        "object" => draft.shaped(Shape::Map, Scalar::Any.id()),
        _ if of.starts_with(['*', '(']) || of.starts_with("map[") => draft.add(Type::Other(of)),
        _ => draft.add(Type::Reference(Cow::Borrowed(of))),
    }
}
