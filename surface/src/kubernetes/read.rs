//! §20.2 Kubernetes: OpenAPI documents, and custom resource definitions.
//!
//! Controllers set everything below `status`, so it is read-only.

use crate::dialect::Dialect;
use crate::error::ApiError;
use crate::literal::Literal;
use crate::model::{Definition, Direction, Member, Role, Scalar};
use crate::read::draft::Draft;
use crate::read::fields::{is, text, texts};
use crate::read::schema::{Named, Parts, Reader};
use crate::settings::{Setting, SettingKind};
use coconut_format::node::{Kind, Node};
use std::borrow::Cow;

/// The sections with definitions in OpenAPI 2 and 3: their keys, and the prefix of a reference into
/// them.
const SECTIONS: [(&[&str], &str); 2] =
    [(&["definitions"], "#/definitions/"), (&["components", "schemas"], "#/components/schemas/")];

/// The maximum nesting of lists of resources.
const MOST_LISTS: usize = 8;

/// The definitions of an OpenAPI document, with the keys of their section.
pub(crate) fn definitions<'a, N: Node<'a>>(root: N) -> Option<(N, &'static [&'static str])> {
    let is_openapi = root.get("swagger").is_some() || root.get("openapi").is_some();
    let section = |keys: &[&str]| keys.iter().try_fold(root, |node, key| node.get(key));
    let found = SECTIONS.into_iter().find_map(|(keys, _)| Some((section(keys)?, keys)));
    found.filter(|(node, _)| is_openapi && node.kind() == Kind::Object)
}

/// The custom resource definitions in a document: one, a list, or lists of kind `List`. Visits at
/// most this many items of each list.
pub(crate) fn resource_definitions<'a, N: Node<'a>>(root: N, most: usize) -> impl Iterator<Item = N> {
    objects(root, most).filter(|node| is_definition(*node))
}

fn is_definition<'a, N: Node<'a>>(node: N) -> bool {
    text(node, "kind") == Some("CustomResourceDefinition") && is(node, "spec", Kind::Object)
}

/// Whether each object is a definition. Empty documents of a manifest are ignored.
pub(crate) fn has_only_definitions<'a, N: Node<'a>>(root: N) -> bool {
    let mut objects = objects(root, usize::MAX).filter(|node| node.kind() != Kind::Null);
    objects.all(is_definition)
}

/// The objects in a document: one, those of a list, or of lists of kind `List`.
fn objects<'a, N: Node<'a>>(root: N, most: usize) -> impl Iterator<Item = N> {
    let mut pending = vec![(root, 0)];
    std::iter::from_fn(move || {
        loop {
            let (node, depth) = pending.pop()?;
            let items = if node.kind() == Kind::List { Some(node) } else { node.get("items") };
            match items.filter(|items| items.kind() == Kind::List && depth < MOST_LISTS) {
                None => return Some(node),
                Some(items) => {
                    let first = pending.len();
                    pending.extend(items.items().take(most).map(|item| (item, depth + 1)));
                    pending[first..].reverse();
                }
            }
        }
    })
}

pub(crate) fn read_openapi<'a, N: Node<'a>>(
    root: N,
    rest_left: Option<usize>,
) -> Result<Draft<'a>, ApiError> {
    let info = root.get("info");
    let title = info.and_then(|info| text(info, "title")).unwrap_or("kubernetes");
    let mut draft = Draft::new(Dialect::KubernetesOpenApi, title);
    draft.rest_left = rest_left;
    draft.package.version = info.and_then(|info| text(info, "version"));
    let Some((definitions, keys)) = definitions(root) else { return Ok(draft) };
    let place = draft.place(&keys.iter().map(|key| format!("/{key}")).collect::<String>());
    for (token, schema) in definitions.entries() {
        // A kind defined here has one group and version. Options of requests belong to all groups.
        let is_kind = schema.get("x-kubernetes-group-version-kind").is_some_and(|kinds| kinds.width() == 1);
        let role = if is_kind { Role::Class } else { Role::Type };
        let mut definition = Definition::new(role, token, (place, [Some(token), None]));
        definition.module = Cow::Borrowed(token.rsplit_once('.').map_or("", |(module, _)| module));
        read_schema(&mut draft, schema, &mut definition)?;
        draft.define(definition);
    }
    Ok(draft)
}

pub(crate) fn read_resource_definitions<'a, N: Node<'a>>(
    root: N,
    rest_left: Option<usize>,
) -> Result<Draft<'a>, ApiError> {
    let group = |one: N| one.get("spec").and_then(|spec| text(spec, "group")).unwrap_or_default();
    let name = resource_definitions(root, usize::MAX).next().map(group).unwrap_or_default();
    let mut draft = Draft::new(Dialect::KubernetesCrd, name);
    draft.rest_left = rest_left;
    for (index, one) in resource_definitions(root, usize::MAX).enumerate() {
        let Some(spec) = one.get("spec") else { continue };
        let group = text(spec, "group").unwrap_or_default();
        let kind = spec.get("names").and_then(|names| text(names, "kind")).unwrap_or_default();
        let place =
            draft.place(&if root.kind() == Kind::List { format!("/{index}/spec") } else { "/spec".into() });
        // Before `v1`, one schema applied to all versions, and one version could be outside the
        // list.
        let common = spec.get("validation").and_then(|validation| validation.get("openAPIV3Schema"));
        let versions = spec.get("versions").into_iter().flat_map(Node::items);
        let versions: Vec<(&'a str, Option<N>, bool, Option<N>)> = versions
            .map(|version| {
                let own = version.get("schema").and_then(|schema| schema.get("openAPIV3Schema"));
                let is_deprecated = version.get("deprecated").and_then(Node::as_bool) == Some(true);
                (text(version, "name").unwrap_or_default(), own.or(common), is_deprecated, Some(version))
            })
            .collect();
        let alone =
            text(spec, "version").filter(|_| versions.is_empty()).map(|name| (name, common, false, None));
        for (version, schema, is_deprecated, node) in versions.into_iter().chain(alone) {
            let token = format!("{group}/{version}:{kind}");
            let mut definition = Definition::new(Role::Class, token, (place, [Some("versions"), None]));
            definition.module = Cow::Owned(format!("{group}/{version}"));
            definition.deprecated = is_deprecated.then_some("");
            definition.rest = draft
                .rest_of(spec, |key, _| matches!(key, "group" | "versions" | "version" | "validation"))?;
            definition.settings = settings(spec, node);
            if let Some(schema) = schema {
                read_schema(&mut draft, schema, &mut definition)?;
            }
            draft.define(definition);
        }
    }
    Ok(draft)
}

/// The facts about a kind and one of its versions. Before `v1`, the kind has those of its versions.
fn settings<'a, N: Node<'a>>(spec: N, version: Option<N>) -> Vec<Setting<'a>> {
    let mut settings = Vec::new();
    let mut set = |kind, name: &'a str, value: N| settings.push(Setting::new(kind, name, Literal::of(value)));
    for (key, value) in spec.entries() {
        match key {
            "scope" => set(SettingKind::Scope, "", value),
            "conversion" => set(SettingKind::Conversion, "", value),
            "preserveUnknownFields" if value.as_bool() == Some(true) => set(SettingKind::Open, key, value),
            _ => {}
        }
    }
    for (key, value) in spec.get("names").into_iter().flat_map(Node::entries) {
        match key {
            "kind" => {}
            "plural" => set(SettingKind::Plural, "", value),
            "shortNames" | "categories" => {
                value.items().filter_map(Node::as_str).for_each(|name| set(SettingKind::Name, name, value));
            }
            _ => set(SettingKind::Name, key, value),
        }
    }
    let parts = |key: &str| version.and_then(|version| version.get(key)).or(spec.get(key));
    for (name, value) in parts("subresources").into_iter().flat_map(Node::entries) {
        set(SettingKind::Subresource, name, value);
    }
    for column in parts("additionalPrinterColumns").into_iter().flat_map(Node::items) {
        set(SettingKind::Column, text(column, "name").unwrap_or_default(), column);
    }
    for (key, value) in version.into_iter().flat_map(Node::entries) {
        match (key, value.as_bool()) {
            ("served", Some(false)) => set(SettingKind::NotServed, "", value),
            ("storage", Some(true)) => set(SettingKind::Storage, "", value),
            _ => {}
        }
    }
    for setting in &mut settings {
        // The list that contains the name is not its content.
        let is_name = setting.kind == SettingKind::Name && matches!(setting.value, Literal::Composite(_));
        if is_name || setting.kind == SettingKind::NotServed {
            setting.value = Literal::Bool(true);
        }
    }
    settings
}

fn read_schema<'a, N: Node<'a>>(
    draft: &mut Draft<'a>,
    schema: N,
    definition: &mut Definition<'a>,
) -> Result<(), ApiError> {
    definition.doc = text(schema, "description");
    definition.settings.extend(Parts::of(schema).settings());
    let rest = draft.rest_of(schema, |key, _| !key.starts_with("x-kubernetes-"))?;
    definition.rest.extend(rest);
    let mut reader = Reader { draft, named, of_plain_object: Scalar::Any, token: &definition.token };
    let Some(properties) = schema.get("properties").filter(|properties| properties.width() > 0) else {
        definition.value = Some(reader.type_of(schema, 0)?);
        return Ok(());
    };
    let mut members: Vec<Member<'a>> = reader.members(properties, &texts(schema, "required").collect(), 0)?;
    if definition.role == Role::Class {
        for status in members.iter_mut().filter(|member| member.name == "status") {
            status.direction = Direction::Out;
        }
    }
    definition.members = draft.members(members)?;
    Ok(())
}

fn named(reference: &str) -> Named<'_> {
    let local = SECTIONS.iter().find_map(|(_, start)| reference.strip_prefix(start));
    Named::Token(Cow::Borrowed(local.unwrap_or(reference)))
}
