//! The plan of a raised program: its resources in order, each with a class and a name.

use super::expression::Expression;
use super::nodes::{is_name, name_like};
use super::stub::{Classes, option_of};
use super::{RaiseFinding, RaiseFindingKind as Kind};
use crate::naming::{alloc_of, qualified_type, urn_of};
use crate::placement::{DEPENDENCIES_KEY, KEYS, PARENT_KEY, PROVIDER_KEY, TYPE_KEY, URN_KEY};
use crate::property::Property;
use crate::rules::{ProviderRules, fallback_name};
use crate::script::{is_global, is_identifier};
use crate::snapshot::{OldRelations, OldResource, Snapshot, UnknownPlace, reference_of};
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
    fn urn(&self, parent: Option<&str>, ty: &str, name: &str) -> String {
        let Home { scheme, environment, package, module } = self;
        urn_of(scheme, environment, &alloc_of(scheme, package, module), &qualified_type(parent, ty), name)
    }

    /// The token of a variable of the program.
    pub(super) fn variable(&self, name: &str) -> String {
        format!("{}:{}:{name}", self.package, self.module)
    }
}

/// The module of the program for types that are not tokens of classes.
const TYPES: &str = "types";

/// A resource of the program.
pub(super) struct DraftResource<'s> {
    pub(super) urn: &'s str,
    /// Its class, by number.
    pub(super) class: usize,
    pub(super) variable: String,
    pub(super) name: String,
    pub(super) inputs: &'s [(String, Json)],
    pub(super) unknowns: &'s [UnknownPlace],
    /// Its type, if the class does not have its name.
    pub(super) ty: Option<&'s str>,
    /// Whether its URN does not follow from its class, name and parent.
    pub(super) keeps_urn: bool,
    /// The positions of related resources, which come before it.
    pub(super) parent: Option<usize>,
    pub(super) provider: Option<usize>,
    pub(super) dependencies: Vec<usize>,
}

/// The form of a raised program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProgramForm {
    Package,
    Text,
}

pub(super) struct Draft<'s> {
    pub(super) form: ProgramForm,
    pub(super) home: Home,
    pub(super) classes: Classes,
    /// The resources, each after those it refers to if such an order exists.
    pub(super) resources: Vec<DraftResource<'s>>,
    /// The positions of resources in that order, by URN.
    pub(super) places: HashMap<&'s str, usize>,
    pub(super) findings: Vec<RaiseFinding>,
}

impl<'s> Draft<'s> {
    pub(super) fn of(snapshot: &'s Snapshot, form: ProgramForm) -> Draft<'s> {
        let mut home = home_of(&snapshot.resources);
        if form == ProgramForm::Text {
            // The default module of sources.
            "index".clone_into(&mut home.module);
        }
        let mut draft = Draft {
            form,
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
            draft.add(resource, class, &mut variables);
        }
        draft.name_classes();
        draft
    }

    /// Adds a resource. Those related to it come before it, unless they form a circle.
    fn add(&mut self, resource: &'s OldResource, class: usize, variables: &mut Variables) {
        let OldResource { urn, ty, inputs, unknowns, relations, .. } = resource;
        let mut dangling = HashSet::new();
        let mut place = |urn: &'s String| {
            let found = self.places.get(urn.as_str()).copied();
            if found.is_none() {
                dangling.insert(urn.as_str());
            }
            found
        };
        let OldRelations { parent, provider, dependencies } = relations;
        let parent = parent.as_ref().and_then(&mut place);
        let provider = provider.as_ref().and_then(&mut place);
        let dependencies: Vec<usize> = dependencies.iter().filter_map(&mut place).collect();
        if !dangling.is_empty() {
            let text = format!(
                "dependencies on resources that are missing or do not come before it: {}",
                dangling.len()
            );
            self.finding(urn, Kind::Dependencies, text);
        }
        let ty = (self.classes.token(class) != ty).then_some(ty.as_str());
        let name = Urn::parse(urn).map_or(urn.as_str(), Urn::name).to_owned();
        let parent_urn = parent.map(|parent| self.resources[parent].urn);
        let made = self.home.urn(parent_urn, ty.unwrap_or(self.classes.token(class)), &name);
        let variable = variables.make(&name, &self.home, &self.classes);
        self.places.insert(urn, self.resources.len());
        let resource = DraftResource {
            urn,
            class,
            variable,
            name,
            inputs,
            unknowns,
            ty,
            keeps_urn: made != *urn,
            parent,
            provider,
            dependencies,
        };
        for (key, _) in resource.options() {
            self.classes.add_option(class, key);
        }
        self.resources.push(resource);
    }

    /// The options of the constructor, by name.
    pub(super) fn options(&self, at: usize) -> Vec<(String, Expression)> {
        let options = self.resources[at].options().into_iter();
        options.map(|(key, value)| (option_of(key).to_owned(), value)).collect()
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
            if resource.marks.is_condemned {
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
        let is_class = match TokenParts::parse(&resource.ty) {
            Ok(TokenParts::ModuleMember { package, module, member }) => {
                self.form == ProgramForm::Package || self.is_writable(package, module, member)
            }
            _ => false,
        };
        let token = match is_class {
            true => resource.ty.clone(),
            false => format!("{}:{TYPES}:{}", self.home.package, type_name(&resource.ty)),
        };
        let class = self.classes.number(&token);
        for (key, _) in &resource.inputs {
            match KEYS.contains(&key.as_str()) {
                true => {
                    let text = format!("its property `{key}` is left out");
                    self.finding(&resource.urn, Kind::Value, text);
                }
                false => self.classes.add_property(class, key),
            }
        }
        class
    }

    /// Whether sources can declare or import a class: its modules are files.
    fn is_writable(&self, package: &str, module: &str, class: &str) -> bool {
        let is_visible = |name: &str| name.split('/').all(|part| !part.starts_with('.'));
        let is_own = package == self.home.package;
        let has_ending = [".ts", ".js", ".d"].iter().any(|ending| module.ends_with(ending));
        is_identifier(class)
            && is_visible(package)
            && is_visible(module)
            && !(is_own && (has_ending || is_global(class)))
    }

    /// A class gets a property for names, unless other properties determine the names of all its
    /// resources.
    fn name_classes(&mut self) {
        let rules = ProviderRules::default();
        let mut counts = HashMap::new();
        // A resource with an explicit URN needs no name.
        for resource in self.resources.iter().filter(|resource| !resource.keeps_urn) {
            let mut texts: Vec<_> = resource
                .inputs
                .iter()
                .filter_map(|(key, value)| {
                    Some((key.as_str().into(), Property::Text(value.as_str()?.into())))
                })
                .collect();
            let token = resource.type_in_graph(self);
            let made = rules.name(token, &mut texts).unwrap_or_else(|| fallback_name(token, &mut counts));
            if made != resource.name {
                self.classes.keep_names(resource.class);
            }
        }
    }
}

impl DraftResource<'_> {
    /// The type in the graph.
    pub(super) fn type_in_graph<'d>(&'d self, draft: &'d Draft<'_>) -> &'d str {
        self.ty.unwrap_or(draft.classes.token(self.class))
    }

    /// The properties of its place in the graph, other than its name.
    fn options(&self) -> Vec<(&'static str, Expression)> {
        let resource = |at: Option<usize>| at.map(Expression::Resource);
        let dependencies = || self.dependencies.iter().copied().map(Expression::Resource).collect();
        let options = [
            (PARENT_KEY, resource(self.parent)),
            (PROVIDER_KEY, resource(self.provider)),
            (DEPENDENCIES_KEY, (!self.dependencies.is_empty()).then(|| Expression::List(dependencies()))),
            (TYPE_KEY, self.ty.map(Expression::text)),
            (URN_KEY, self.keeps_urn.then(|| Expression::text(self.urn))),
        ];
        options.into_iter().filter_map(|(key, value)| Some((key, value?))).collect()
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
        let OldRelations { parent, provider, dependencies } = &resource.relations;
        needs.extend(parent.iter().chain(provider).chain(dependencies).map(String::as_str));
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

/// The class for a type that is no token. Every program can declare it.
fn type_name(ty: &str) -> String {
    let name = name_like(ty);
    if is_identifier(&name) && !is_global(&name) { name } else { format!("{name}_") }
}
