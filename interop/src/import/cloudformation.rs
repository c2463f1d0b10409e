//! CloudFormation templates: `cloudformation-1`.
//!
//! | in a template | edge |
//! |---|---|
//! | `DependsOn` | `depends-on` |
//! | `{"Ref": "Name"}` | `reference` |
//! | `{"Fn::GetAtt": ["Name", "Arn"]}`, `{"Fn::GetAtt": "Name.Arn"}` | `reference` |
//! | `{"Fn::Sub": "…${Name.Arn}…"}`, also in a list with names of its own | `reference` |
//!
//! Parameters and pseudo parameters (`AWS::Region`) are not resources. The results of macros are
//! unknown, so nothing is reported as missing if there is a macro.

use super::draft::{Described, Draft};
use super::{EdgeKind, ImportError, ImportFindingKind, Missing, World};
use coconut_format::landmark::Dialect;
use coconut_format::node::{Kind, Node};
use coconut_format::pointer::push_key;
use std::collections::{HashMap, HashSet};

/// Whether a document is a template. One without a resource of its own is, too: `Fn::ForEach` and
/// macros make resources, and others are not finished.
pub(super) fn is_template<'a, N: Node<'a>>(root: N) -> bool {
    let resources = root.get("Resources").filter(|resources| resources.kind() == Kind::Object);
    resources.is_some_and(|resources| resources.entries().any(|(_, resource)| type_of(resource).is_some()))
        || Dialect::named("cloudformation").is_some_and(|dialect| dialect.recognises(root))
}

fn type_of<'a, N: Node<'a>>(resource: N) -> Option<&'a str> {
    resource.get("Type")?.as_str()
}

/// The names to which references may lead.
struct Names<'a> {
    resources: HashMap<&'a str, u32>,
    others: HashSet<&'a str>,
    /// Whether a macro may create other names.
    is_open: bool,
}

pub(super) fn import<'a, N: Node<'a>>(
    world: World<'_, N>,
    draft: &mut Draft<'a, '_, N>,
) -> Result<(), ImportError> {
    let root = world.root;
    let mut names = Names {
        resources: HashMap::new(),
        others: root.get("Parameters").into_iter().flat_map(Node::entries).map(|(name, _)| name).collect(),
        is_open: root.get("Transform").is_some(),
    };
    let mut resources = Vec::new();
    for (name, resource) in root.get("Resources").into_iter().flat_map(Node::entries) {
        let mut pointer = String::from("/Resources");
        push_key(&mut pointer, name);
        let Some(resource_type) = type_of(resource) else {
            let what = format!("`{name}` without `Type`");
            draft.finding(ImportFindingKind::NoResource, what, world.number, pointer)?;
            // `Fn::ForEach` and `Fn::Transform` create resources from it.
            names.is_open |= name.starts_with("Fn::");
            continue;
        };
        let number = draft.resource(Described {
            key: name.to_owned(),
            pointer: pointer.clone(),
            source: world.number,
            value: resource,
            allocation: if world.name.is_empty() { "template" } else { world.name },
            resource_type,
            name,
            id: None,
        })?;
        names.resources.insert(name, number);
        resources.push((number, resource, pointer));
    }
    for (number, resource, pointer) in resources {
        follow(number, resource, &pointer, &names, draft)?;
    }
    Ok(())
}

/// Adds the edges of a resource. The place of a reference is relative to its resource.
fn follow<'a, N: Node<'a>>(
    number: u32,
    resource: N,
    pointer: &str,
    names: &Names<'a>,
    draft: &mut Draft<'a, '_, N>,
) -> Result<(), ImportError> {
    let to = |name: &str, kind: EdgeKind, at: &str, draft: &mut Draft<'a, '_, N>| match names
        .resources
        .get(name)
    {
        Some(&found) => draft.edge(number, kind, found),
        None if names.is_open || names.others.contains(name) || name.contains("::") => Ok(()),
        None => draft.missing(Missing {
            from: number,
            kind,
            name: name.to_owned(),
            at: format!("{pointer}{at}"),
            is_optional: false,
        }),
    };
    if let Some(listed) = resource.get("DependsOn") {
        for one in listed.as_str().into_iter().chain(listed.items().filter_map(Node::as_str)) {
            to(one, EdgeKind::DependsOn, "/DependsOn", draft)?;
        }
    }
    // Names to which `Fn::Sub` assigns values are known only below it.
    let mut pending: Vec<(N, String)> = resource
        .entries()
        .filter(|(field, _)| *field != "DependsOn" && *field != "Type")
        .map(|(field, value)| (value, step("", field)))
        .collect();
    while let Some((value, at)) = pending.pop() {
        draft.work(1)?;
        let only = value.entries().next().filter(|_| value.width() == 1);
        match only {
            Some(("Ref", name)) => {
                if let Some(name) = name.as_str() {
                    to(name, EdgeKind::Reference, &step(&at, "Ref"), draft)?;
                }
            }
            Some(("Fn::GetAtt", place)) => {
                let first = place.as_str().or_else(|| place.items().next()?.as_str());
                if let Some(name) = first.map(until_dot) {
                    to(name, EdgeKind::Reference, &step(&at, "Fn::GetAtt"), draft)?;
                }
            }
            Some(("Fn::Sub", substituted)) => {
                let text = substituted.as_str().or_else(|| substituted.items().next()?.as_str());
                let own = substituted.items().nth(1);
                for name in text.into_iter().flat_map(substitutions) {
                    if own.is_none_or(|own| own.get(name).is_none()) {
                        to(until_dot(name), EdgeKind::Reference, &step(&at, "Fn::Sub"), draft)?;
                    }
                }
                pending.extend(own.map(|own| (own, step(&step(&at, "Fn::Sub"), "1"))));
            }
            _ => {
                let containers = value.entries().filter(|(_, inner)| inner.kind().is_container());
                pending.extend(containers.map(|(key, inner)| (inner, step(&at, key))));
                let containers = value.items().enumerate().filter(|(_, inner)| inner.kind().is_container());
                pending.extend(containers.map(|(index, inner)| (inner, format!("{at}/{index}"))));
            }
        }
    }
    Ok(())
}

/// The resources of a template, each with a name that every `Fn::Sub` in it which contains the
/// name gives a value. The rule of the dialect finds such a name as an edge, because a rule sees
/// only one string. Visits at most `left` values.
pub fn given_names<'a, N: Node<'a>>(template: N, mut left: u64) -> Vec<(&'a str, &'a str)> {
    let mut given = Vec::new();
    for (key, resource) in template.get("Resources").into_iter().flat_map(Node::entries) {
        let (mut own_names, mut others) = (Vec::new(), HashSet::new());
        let mut pending = vec![resource];
        while let Some(value) = pending.pop() {
            let Some(rest) = left.checked_sub(1) else { return Vec::new() };
            left = rest;
            if let Some(substituted) = value.get("Fn::Sub").filter(|list| list.kind() == Kind::List)
                && let Some(text) = substituted.items().next().and_then(Node::as_str)
            {
                let own = substituted.items().nth(1);
                for name in substitutions(text) {
                    match own.is_some_and(|own| own.get(name).is_some()) {
                        true => own_names.push(until_dot(name)),
                        false => drop(others.insert(until_dot(name))),
                    }
                }
            } else if let Some(text) = value.get("Fn::Sub").and_then(Node::as_str) {
                others.extend(substitutions(text).map(until_dot));
            }
            let below = value.entries().map(|(_, inner)| inner).chain(value.items());
            pending.extend(below.filter(|inner| inner.kind().is_container()));
        }
        own_names.sort_unstable();
        own_names.dedup();
        given.extend(own_names.into_iter().filter(|name| !others.contains(name)).map(|name| (key, name)));
    }
    given
}

/// The names in `${…}`. A text that begins with `!` is not a name.
fn substitutions(text: &str) -> impl Iterator<Item = &str> {
    text.split("${")
        .skip(1)
        .filter_map(|rest| rest.split_once('}'))
        .map(|(name, _)| name.trim())
        .filter(|name| !name.starts_with('!') && !name.is_empty())
}

fn until_dot(text: &str) -> &str {
    text.split_once('.').map_or(text, |(name, _)| name)
}

fn step(at: &str, key: &str) -> String {
    let mut at = at.to_owned();
    push_key(&mut at, key);
    at
}
