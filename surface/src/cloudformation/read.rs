//! §20.2 Resource types of the CloudFormation registry: one, or a list of them.

use crate::dialect::Dialect;
use crate::error::ApiError;
use crate::literal::Literal;
use crate::model::{Definition, Direction, Member, Members, Package, Role, Scalar, Type, TypeId};
use crate::read::draft::Draft;
use crate::read::fields::{entries, is, text, texts};
use crate::read::schema::{Named, Parts, Reader, inherit};
use crate::settings::{Setting, SettingKind};
use coconut_format::limits::MAX_TYPE_DEPTH;
use coconut_format::node::{Kind, Node};
use coconut_format::pointer;
use std::borrow::Cow;
use std::collections::HashMap;

/// The lists of pointers to properties, and the effect of each list on its properties.
const MARKS: [(&str, Mark); 4] = [
    ("readOnlyProperties", Mark::ReadOnly),
    ("writeOnlyProperties", Mark::WriteOnly),
    ("createOnlyProperties", Mark::CreateOnly),
    ("deprecatedProperties", Mark::Deprecated),
];

/// The keys of a type that have fields in the model.
const OF_TYPE: [&str; 9] = [
    "typeName",
    "description",
    "properties",
    "required",
    "definitions",
    "readOnlyProperties",
    "writeOnlyProperties",
    "createOnlyProperties",
    "deprecatedProperties",
];

#[derive(Clone, Copy)]
enum Mark {
    ReadOnly,
    WriteOnly,
    CreateOnly,
    Deprecated,
}

/// The resource types in a document; visits at most this many items of a list.
pub(crate) fn types<'a, N: Node<'a>>(root: N, most: usize) -> impl Iterator<Item = N> {
    let one = (root.kind() == Kind::Object).then_some(root).into_iter();
    one.chain(root.items().take(most)).filter(|node| is_type(*node))
}

fn is_type<'a, N: Node<'a>>(node: N) -> bool {
    is(node, "typeName", Kind::String)
        && (is(node, "properties", Kind::Object) || is(node, "primaryIdentifier", Kind::List))
}

/// Whether each item of the document is a type.
pub(crate) fn has_only_types<'a, N: Node<'a>>(root: N) -> bool {
    root.items().all(is_type)
}

pub(crate) fn read<'a, N: Node<'a>>(root: N, rest_left: Option<usize>) -> Result<Draft<'a>, ApiError> {
    let first = types(root, usize::MAX).next().and_then(|first| text(first, "typeName")).unwrap_or_default();
    let mut draft = Draft::new(Dialect::CloudFormation, first.split("::").next().unwrap_or_default());
    draft.rest_left = rest_left;
    let is_list = root.kind() == Kind::List;
    for (index, schema) in types(root, usize::MAX).enumerate() {
        let place = if is_list { format!("/{index}") } else { String::new() };
        // Equal references have one type, so shared values are read once.
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
    let definitions: Definitions<'a, N> = entries(schema, "definitions").collect();
    let members = read_members(draft, &definitions, schema, name)?;
    class.members = draft.members(members)?;
    class.rest = draft.rest_of(schema, |key, _| OF_TYPE.contains(&key))?;
    class.settings = settings(schema);
    draft.define(class);
    let place = draft.place(&format!("{place}/definitions"));
    for (key, of) in entries(schema, "definitions") {
        let token = token_of(name, key);
        let mut definition = Definition::new(Role::Type, token, (place, [Some(key), None]));
        definition.module = Cow::Borrowed(module);
        definition.doc = text(of, "description");
        definition.settings = Parts::of(of).settings();
        if of.get("properties").is_some_and(|properties| properties.width() > 0) {
            let members = read_members(draft, &definitions, of, name)?;
            definition.members = draft.members(members)?;
        } else {
            definition.value = Some(reader(draft, name).type_of(of, 0)?);
        }
        draft.define(definition);
    }
    let mut marked = Marked::of(&mut draft.package, first);
    for (key, mark) in MARKS {
        for pointer in texts(schema, key) {
            marked.set(pointer, mark);
        }
    }
    Ok(())
}

/// The facts about a resource type.
fn settings<'a, N: Node<'a>>(schema: N) -> Vec<Setting<'a>> {
    let mut settings = Parts::of(schema).settings();
    let mut set = |kind, name: &'a str, value| settings.push(Setting::new(kind, name, value));
    for (key, value) in schema.entries() {
        match key {
            "primaryIdentifier" => set(SettingKind::Identifier, "", Literal::of(value)),
            "handlers" => {
                for (name, handler) in value.entries() {
                    set(SettingKind::Handler, name, Literal::of(handler));
                }
            }
            "taggable" if value.as_bool() == Some(false) => {
                set(SettingKind::NotTaggable, "", Literal::Bool(true));
            }
            "tagging" => {
                for (name, value) in value.entries() {
                    match (name, value.as_bool()) {
                        ("taggable", Some(false)) => set(SettingKind::NotTaggable, "", Literal::Bool(true)),
                        ("taggable", _) => {}
                        _ => set(SettingKind::Tagging, name, Literal::of(value)),
                    }
                }
            }
            "conditionalCreateOnlyProperties" => {
                for pointer in value.items().filter_map(Node::as_str) {
                    set(SettingKind::MayReplace, pointer, Literal::Bool(true));
                }
            }
            "replacementStrategy" => set(SettingKind::Replacement, "", Literal::of(value)),
            _ => {}
        }
    }
    settings
}

/// The definitions of a resource type by their keys. Any property may refer to one of them.
type Definitions<'a, N> = HashMap<&'a str, N>;

/// The token of a type defined by a resource type.
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

/// The members of a schema. A member that refers to a string with bounds gets the bounds.
fn read_members<'a, N: Node<'a>>(
    draft: &mut Draft<'a>,
    definitions: &Definitions<'a, N>,
    of: N,
    name: &str,
) -> Result<Vec<Member<'a>>, ApiError> {
    let Some(properties) = of.get("properties") else { return Ok(Vec::new()) };
    let mut members = reader(draft, name).members(properties, &texts(of, "required").collect(), 0)?;
    for (member, (_, schema)) in members.iter_mut().zip(properties.entries()) {
        let referred = text(schema, "$ref").and_then(|reference| reference.strip_prefix("#/definitions/"));
        let Some(referred) = referred.and_then(|key| definitions.get(key)) else { continue };
        inherit(&mut member.facets, Parts::of(*referred).facets(draft)?);
    }
    Ok(members)
}

/// The properties of a resource type that are being marked.
struct Marked<'d, 'a> {
    types: &'d [Type<'a>],
    /// The definitions of the resource type. The first is the resource itself.
    definitions: &'d [Definition<'a>],
    members: &'d mut [Member<'a>],
    /// Numbers of definitions by their tokens.
    by_token: HashMap<&'d str, usize>,
    /// Numbers of members by their names, for each object on the path of a pointer.
    by_name: HashMap<Members, HashMap<&'a str, usize>>,
}

impl<'d, 'a> Marked<'d, 'a> {
    fn of(package: &'d mut Package<'a>, first: usize) -> Marked<'d, 'a> {
        let Package { types, definitions, members, .. } = package;
        let definitions = definitions.get(first..).unwrap_or_default();
        let mut by_token = HashMap::new();
        for (number, definition) in definitions.iter().enumerate() {
            by_token.entry(&*definition.token).or_insert(number);
        }
        Marked { types, definitions, members, by_token, by_name: HashMap::new() }
    }

    /// Marks the property at the end of a pointer, which leads through types of the resource type.
    fn set(&mut self, pointer: &str, mark: Mark) {
        let Some(keys) = pointer::keys(pointer) else { return };
        let is_name = |key: &Cow<'_, str>| !matches!(&**key, "*" | "items" | "properties");
        let mut keys = keys.skip(1).filter(is_name).peekable();
        let Some(mut members) = self.definitions.first().map(|class| class.members) else { return };
        while let Some(key) = keys.next() {
            let Some(number) = self.member(members, &key) else { return };
            let Some(member) = self.members.get_mut(number) else { return };
            if keys.peek().is_some() {
                let of = member.type_id;
                members = self.members_of(of);
                continue;
            }
            match mark {
                Mark::ReadOnly => member.direction = Direction::Out,
                Mark::WriteOnly => member.direction = Direction::In,
                Mark::CreateOnly => member.replaces = true,
                Mark::Deprecated => member.deprecated = Some(""),
            }
        }
    }

    /// The number of the first member of this name.
    fn member(&mut self, of: Members, name: &str) -> Option<usize> {
        let all = &*self.members;
        let by_name = self.by_name.entry(of).or_insert_with(|| {
            let mut by_name = HashMap::new();
            for number in of.range() {
                by_name.entry(all.get(number).map_or("", |member| member.name)).or_insert(number);
            }
            by_name
        });
        by_name.get(name).copied()
    }

    /// The members of an object type, or of the object inside a list or a reference.
    fn members_of(&self, mut of: TypeId) -> Members {
        // Stops at a type that refers to itself.
        for _ in 0..MAX_TYPE_DEPTH {
            match self.types.get(of.0 as usize) {
                Some(Type::List(item) | Type::Set(item) | Type::Map(item)) => of = *item,
                Some(Type::Object(members)) => return *members,
                Some(Type::Reference(token)) => {
                    let found = self.by_token.get(&**token).and_then(|&number| self.definitions.get(number));
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
}
