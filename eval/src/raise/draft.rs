//! The plan of a raised program: its resources in order, each with a class and a name.

use super::nodes::{is_name, name_like};
use super::stub::Classes;
use super::{RaiseFinding, RaiseFindingKind as Kind};
use crate::naming::{alloc_of, urn_of};
use crate::property::Property;
use crate::rules::{NAME_KEY, ProviderRules, fallback_name};
use crate::snapshot::{OldResource, Snapshot, UnknownPlace, reference_of};
use coconut_format::Value as Json;
use coconut_format::names::{PackageName, TokenParts};
use coconut_format::urn::{Scheme, Urn};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

/// The location named by the URNs of a graph, which becomes that of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Home {
    pub(super) scheme: String,
    pub(super) environment: String,
    pub(super) package: String,
    pub(super) module: String,
}

impl Home {
    /// The URN that an evaluation of the program gives.
    fn urn(&self, ty: &str, name: &str) -> String {
        let Home { scheme, environment, package, module } = self;
        urn_of(scheme, environment, &alloc_of(scheme, package, module), ty, name)
    }

    /// The token of a variable of the program.
    pub(super) fn variable(&self, name: &str) -> String {
        format!("{}:{}:{name}", self.package, self.module)
    }
}

/// A resource of the program.
pub(super) struct DraftResource<'s> {
    pub(super) urn: &'s str,
    /// Its class, by number.
    pub(super) class: usize,
    pub(super) variable: String,
    pub(super) name: String,
    pub(super) inputs: &'s [(String, Json)],
    pub(super) unknowns: &'s [UnknownPlace],
}

pub(super) struct Draft<'s> {
    pub(super) home: Home,
    pub(super) classes: Classes,
    /// The resources, each after those it refers to if such an order exists.
    pub(super) resources: Vec<DraftResource<'s>>,
    /// The positions of resources in that order, by URN.
    pub(super) places: HashMap<&'s str, usize>,
    pub(super) findings: Vec<RaiseFinding>,
}

impl<'s> Draft<'s> {
    pub(super) fn of(snapshot: &'s Snapshot) -> Draft<'s> {
        let home = home_of(&snapshot.resources);
        let mut draft = Draft {
            classes: Classes::new(&home.scheme),
            home,
            resources: Vec::new(),
            places: HashMap::new(),
            findings: Vec::new(),
        };
        let kept = draft.kept(&snapshot.resources);
        let ordered = in_order(&kept);
        // A variable must not have the name of a class, so all classes are named first.
        let classes: Vec<usize> = ordered.iter().map(|resource| draft.class_of(resource)).collect();
        let mut variables = Variables::default();
        for (resource, class) in ordered.into_iter().zip(classes) {
            let name = draft.name_of(resource, class);
            draft.note_besides(resource);
            draft.places.insert(&resource.urn, draft.resources.len());
            let variable = variables.make(&name, &draft.home, &draft.classes);
            let OldResource { urn, inputs, unknowns, .. } = resource;
            draft.resources.push(DraftResource { urn, class, variable, name, inputs, unknowns });
        }
        draft.name_classes();
        draft
    }

    pub(super) fn finding(&mut self, urn: &str, kind: Kind, text: String) {
        self.findings.push(RaiseFinding { urn: urn.to_owned(), kind, text });
    }

    /// The resources that a program can create: one for each URN, without those about to be
    /// deleted.
    fn kept(&mut self, all: &'s [OldResource]) -> Vec<&'s OldResource> {
        let mut seen = HashSet::new();
        let mut kept = Vec::with_capacity(all.len());
        for resource in all {
            if resource.is_condemned {
                self.finding(
                    &resource.urn,
                    Kind::LeftOut,
                    "left out: it is only waiting to be deleted".to_owned(),
                );
            } else if !seen.insert(&*resource.urn) {
                self.finding(
                    &resource.urn,
                    Kind::LeftOut,
                    "left out: an earlier resource has this URN".to_owned(),
                );
            } else {
                kept.push(resource);
            }
        }
        kept
    }

    /// The class of a resource, extended by the properties of this one.
    fn class_of(&mut self, resource: &OldResource) -> usize {
        let is_class = matches!(TokenParts::parse(&resource.ty), Ok(TokenParts::ModuleMember { .. }));
        let token = match is_class {
            true => resource.ty.clone(),
            false => {
                let token = format!("{}:{}:{}", self.home.package, self.home.module, name_like(&resource.ty));
                let text = format!("its type `{}` is not a class; it becomes `{token}`", resource.ty);
                self.finding(&resource.urn, Kind::Type, text);
                token
            }
        };
        let class = self.classes.number(&token);
        for (key, _) in &resource.inputs {
            match key.as_str() {
                NAME_KEY => {
                    self.finding(
                        &resource.urn,
                        Kind::Value,
                        format!("its property `{NAME_KEY}` is left out"),
                    );
                }
                key => self.classes.add_property(class, key),
            }
        }
        class
    }

    /// The name in the URN. Adds a finding if an evaluation gives another URN.
    fn name_of(&mut self, resource: &OldResource, class: usize) -> String {
        let Ok(urn) = Urn::parse(&resource.urn) else {
            self.finding(
                &resource.urn,
                Kind::Urn,
                "its key is not a URN; it becomes the name in one".to_owned(),
            );
            return resource.urn.clone();
        };
        let made = self.home.urn(self.classes.token(class), urn.name());
        if made != resource.urn {
            let reason = if urn.qualified_type() != urn.type_token() {
                "has the types of its parents, which a program cannot express"
            } else if self.home != home_of_urn(urn) {
                "has another environment or module than the first resource"
            } else {
                "has a module or a type that the program cannot have"
            };
            self.finding(&resource.urn, Kind::Urn, format!("its URN {reason}; it becomes `{made}`"));
        }
        urn.name().to_owned()
    }

    /// Dependencies that the properties do not show are missing from the program.
    fn note_besides(&mut self, resource: &OldResource) {
        let mut named = HashSet::new();
        resource.inputs.iter().for_each(|(_, value)| references(value, &mut named));
        let missing = resource.besides.iter().filter(|urn| !named.contains(urn.as_str())).count();
        if missing > 0 {
            let text = format!("dependencies that its properties do not show: {missing}");
            self.finding(&resource.urn, Kind::Dependencies, text);
        }
    }

    /// A class gets a property for names, unless other properties determine the names of all its
    /// resources.
    fn name_classes(&mut self) {
        let rules = ProviderRules::default();
        let mut counts = HashMap::new();
        for resource in &self.resources {
            let mut texts: Vec<_> = resource
                .inputs
                .iter()
                .filter_map(|(key, value)| {
                    Some((key.as_str().into(), Property::Text(value.as_str()?.into())))
                })
                .collect();
            let token = self.classes.token(resource.class);
            let made = rules.name(token, &mut texts).unwrap_or_else(|| fallback_name(token, &mut counts));
            if made != resource.name {
                self.classes.keep_names(resource.class);
            }
        }
    }
}

/// The URNs to which a value refers. Recursion is bounded by the levels of a document.
fn references<'v>(value: &'v Json, found: &mut HashSet<&'v str>) {
    if let Some(urn) = reference_of(value) {
        found.insert(urn);
        return;
    }
    match value {
        Json::List(items) => items.iter().for_each(|item| references(item, found)),
        Json::Object(entries) => entries.iter().for_each(|(_, value)| references(value, found)),
        _ => {}
    }
}

fn home_of(resources: &[OldResource]) -> Home {
    let urn = resources.iter().find_map(|resource| Urn::parse(&resource.urn).ok());
    urn.map_or_else(
        || Home {
            scheme: "coconut".into(),
            environment: "dev".into(),
            package: "graph".into(),
            module: "index".into(),
        },
        home_of_urn,
    )
}

fn home_of_urn(urn: Urn<'_>) -> Home {
    let scheme = urn.scheme().prefix().trim_start_matches("urn:").trim_end_matches(':');
    let (package, module) = match (urn.scheme(), TokenParts::parse(urn.allocation())) {
        (Scheme::Pulumi, _) | (_, Err(_)) => (urn.allocation(), "index"),
        (_, Ok(TokenParts::Module { package, module })) => (package, module),
        (_, Ok(_)) => (urn.allocation(), "index"),
    };
    // Current project names may contain any characters.
    let package = match PackageName::parse(package) {
        Ok(_) => package.to_owned(),
        Err(_) => name_like(package),
    };
    Home {
        scheme: scheme.to_owned(),
        environment: urn.namespace().to_owned(),
        package,
        module: module.to_owned(),
    }
}

/// Sorts each resource after those it refers to, otherwise in the order of the graph. The first
/// resource of a circle comes first.
fn in_order<'s>(resources: &[&'s OldResource]) -> Vec<&'s OldResource> {
    let numbers: HashMap<&str, usize> =
        resources.iter().enumerate().map(|(at, resource)| (&*resource.urn, at)).collect();
    let mut needed_by = vec![Vec::new(); resources.len()];
    let mut missing = vec![0; resources.len()];
    for (at, resource) in resources.iter().enumerate() {
        let mut needs = HashSet::new();
        resource.inputs.iter().for_each(|(_, value)| references(value, &mut needs));
        needs.extend(resource.unknowns.iter().flat_map(|unknown| &unknown.sources).map(String::as_str));
        for of in needs.iter().filter_map(|urn| numbers.get(urn)).filter(|of| **of != at) {
            needed_by[*of].push(at);
            missing[at] += 1;
        }
    }
    let mut ready: BinaryHeap<Reverse<usize>> =
        (0..resources.len()).filter(|at| missing[*at] == 0).map(Reverse).collect();
    let mut is_done = vec![false; resources.len()];
    let mut ordered = Vec::with_capacity(resources.len());
    let mut first_open = 0;
    while ordered.len() < resources.len() {
        let at = ready.pop().map(|Reverse(at)| at).unwrap_or_else(|| {
            while is_done[first_open] {
                first_open += 1;
            }
            first_open
        });
        if std::mem::replace(&mut is_done[at], true) {
            continue;
        }
        ordered.push(resources[at]);
        for &next in &needed_by[at] {
            missing[next] -= 1;
            if missing[next] == 0 && !is_done[next] {
                ready.push(Reverse(next));
            }
        }
    }
    ordered
}

/// Names of variables of the program.
#[derive(Default)]
struct Variables {
    taken: HashSet<String>,
    /// The last number used for each repeated name.
    numbers: HashMap<String, u64>,
}

impl Variables {
    /// A variable for a resource with this name, distinct from all names in the module of the
    /// program.
    fn make(&mut self, name: &str, home: &Home, classes: &Classes) -> String {
        let stem = if is_name(name) { name.to_owned() } else { name_like(name) };
        let mut variable = stem.clone();
        while classes.has(&home.package, &home.module, &variable) || self.taken.contains(&variable) {
            let number = self.numbers.entry(stem.clone()).or_insert(1);
            *number += 1;
            variable = format!("{stem}_{number}");
        }
        self.taken.insert(variable.clone());
        variable
    }
}
