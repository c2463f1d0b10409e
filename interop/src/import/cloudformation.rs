//! CloudFormation templates: `cloudformation-1`.
//!
//! | in a template | edge |
//! |---|---|
//! | `DependsOn` | `depends-on` |
//! | `{"Ref": "Name"}` | `reference` |
//! | `{"Fn::GetAtt": ["Name", "Arn"]}`, `{"Fn::GetAtt": "Name.Arn"}` | `reference` |
//! | `{"Fn::Sub": "…${Name.Arn}…"}`, also in a list with names of its own | `reference` |
//! | `{"Fn::ImportValue": "net-vpc"}`, to the references of the exported output | `reference` |
//!
//! Parameters and pseudo parameters (`AWS::Region`) are not resources. The results of macros are
//! unknown, so nothing is reported as missing if there is a macro.

use super::draft::{Described, Draft};
use super::{EdgeKind, ImportError, ImportFindingKind, Missing, Source, World, each};
use coconut_format::graph::{substitutions, until_dot};
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

/// A template, and the names to which its references may lead.
struct Template<'a, N> {
    /// The numbers of the resources, with their values and places.
    resources: Vec<(u32, N, String)>,
    numbers: HashMap<&'a str, u32>,
    others: HashSet<&'a str>,
    /// Whether a macro may create other names.
    is_open: bool,
}

/// The name in a reference.
enum Name<'a> {
    /// A resource, a parameter or a pseudo parameter of the template.
    Local(&'a str, EdgeKind),
    /// An output that a template exports under this name.
    Export(&'a str),
}

pub(super) fn import<'a, N: Node<'a>>(
    sources: &[Source<'_, N>],
    draft: &mut Draft<'a, '_, N>,
) -> Result<(), ImportError> {
    let mut templates = Vec::new();
    each(sources, draft, |world, draft| {
        templates.push(template(world, draft)?);
        Ok(())
    })?;
    // By the name of an export, the resources to which its output refers.
    let mut exports: HashMap<&'a str, Vec<u32>> = HashMap::new();
    for (template, source) in templates.iter().zip(sources) {
        for (_, output) in source.root.get("Outputs").into_iter().flat_map(Node::entries) {
            let name = output.get("Export").and_then(|export| export.get("Name")?.as_str());
            let (Some(name), Some(value)) = (name, output.get("Value")) else { continue };
            let exported = exports.entry(name).or_default();
            references(vec![(value, String::new())], draft, |name, _, _| {
                if let Name::Local(name, _) = name {
                    exported.extend(template.numbers.get(name));
                }
                Ok(())
            })?;
        }
    }
    for template in &templates {
        for (number, resource, pointer) in &template.resources {
            follow((*number, *resource, pointer), template, &exports, draft)?;
        }
    }
    Ok(())
}

/// Adds the resources of a template.
fn template<'a, N: Node<'a>>(
    world: World<'_, N>,
    draft: &mut Draft<'a, '_, N>,
) -> Result<Template<'a, N>, ImportError> {
    let root = world.root;
    let mut template = Template {
        resources: Vec::new(),
        numbers: HashMap::new(),
        others: root.get("Parameters").into_iter().flat_map(Node::entries).map(|(name, _)| name).collect(),
        is_open: root.get("Transform").is_some(),
    };
    for (name, resource) in root.get("Resources").into_iter().flat_map(Node::entries) {
        let mut pointer = String::from("/Resources");
        push_key(&mut pointer, name);
        let Some(resource_type) = type_of(resource) else {
            let what = format!("`{name}` without `Type`");
            draft.finding(ImportFindingKind::NoResource, what, world.number, pointer)?;
            // `Fn::ForEach` and `Fn::Transform` create resources from it.
            template.is_open |= name.starts_with("Fn::");
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
        template.numbers.insert(name, number);
        template.resources.push((number, resource, pointer));
    }
    Ok(template)
}

/// Adds the edges of a resource: its number, its value and its place. The place of a reference is
/// relative to its resource.
fn follow<'a, N: Node<'a>>(
    (number, resource, pointer): (u32, N, &str),
    template: &Template<'a, N>,
    exports: &HashMap<&'a str, Vec<u32>>,
    draft: &mut Draft<'a, '_, N>,
) -> Result<(), ImportError> {
    let to = |name: Name<'a>, at: &str, draft: &mut Draft<'a, '_, N>| match name {
        // An export of a template that is not imported is not missing.
        Name::Export(name) => {
            let exported = exports.get(name).into_iter().flatten();
            exported.into_iter().try_for_each(|&found| draft.edge(number, EdgeKind::Reference, found))
        }
        Name::Local(name, kind) => match template.numbers.get(name) {
            Some(&found) => draft.edge(number, kind, found),
            None if template.is_open || template.others.contains(name) || name.contains("::") => Ok(()),
            None => draft.missing(Missing {
                from: number,
                kind,
                name: name.to_owned(),
                at: format!("{pointer}{at}"),
                is_optional: false,
            }),
        },
    };
    if let Some(listed) = resource.get("DependsOn") {
        for one in listed.as_str().into_iter().chain(listed.items().filter_map(Node::as_str)) {
            to(Name::Local(one, EdgeKind::DependsOn), "/DependsOn", draft)?;
        }
    }
    let fields = resource.entries().filter(|(field, _)| *field != "DependsOn" && *field != "Type");
    references(fields.map(|(field, value)| (value, step("", field))).collect(), draft, to)
}

/// Passes each reference in these values to `met`, with its place.
fn references<'a, N: Node<'a>>(
    mut pending: Vec<(N, String)>,
    draft: &mut Draft<'a, '_, N>,
    mut met: impl FnMut(Name<'a>, &str, &mut Draft<'a, '_, N>) -> Result<(), ImportError>,
) -> Result<(), ImportError> {
    let local = |name| Name::Local(name, EdgeKind::Reference);
    while let Some((value, at)) = pending.pop() {
        draft.work(1)?;
        let only = value.entries().next().filter(|_| value.width() == 1);
        match only {
            Some(("Ref", name)) => {
                if let Some(name) = name.as_str() {
                    met(local(name), &step(&at, "Ref"), draft)?;
                }
            }
            Some(("Fn::GetAtt", place)) => {
                let first = place.as_str().or_else(|| place.items().next()?.as_str());
                if let Some(name) = first.map(until_dot) {
                    met(local(name), &step(&at, "Fn::GetAtt"), draft)?;
                }
            }
            Some(("Fn::ImportValue", name)) if name.as_str().is_some() => {
                if let Some(name) = name.as_str() {
                    met(Name::Export(name), &step(&at, "Fn::ImportValue"), draft)?;
                }
            }
            // Names to which `Fn::Sub` assigns values are known only below it.
            Some(("Fn::Sub", substituted)) => {
                let text = substituted.as_str().or_else(|| substituted.items().next()?.as_str());
                let own = substituted.items().nth(1);
                for name in text.into_iter().flat_map(substitutions) {
                    if own.is_none_or(|own| own.get(name).is_none()) {
                        met(local(until_dot(name)), &step(&at, "Fn::Sub"), draft)?;
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

fn step(at: &str, key: &str) -> String {
    let mut at = at.to_owned();
    push_key(&mut at, key);
    at
}
