//! §19.5 The result of an evaluation: a graph of resources.

use crate::heap::{Body, METHOD, Value};
use crate::machine::{Machine, RegisteredResource};
use crate::note::Note;
use crate::placement::Relations;
use crate::property::{Property, number_to_json};
use crate::text;
use coconut_format::Value as Json;
use coconut_format::location::Location;
use coconut_format::pointer::Pointer;
use std::sync::Arc;

/// The result of a program.
#[derive(Clone, Debug)]
pub struct Outcome {
    package: String,
    resources: Vec<RegisteredResource>,
    result: Json,
    variables: Json,
    log: String,
    notes: Vec<Note>,
    steps: u64,
    heap_bytes: usize,
    modules: usize,
}

/// A resource of an [`Outcome`].
#[derive(Clone, Copy, Debug)]
pub struct Resource<'o> {
    all: &'o [RegisteredResource],
    resource: &'o RegisteredResource,
}

impl<'o> Resource<'o> {
    /// The URN.
    pub fn urn(self) -> &'o str {
        &self.resource.urn
    }

    /// The type token.
    pub fn type_token(self) -> &'o str {
        &self.resource.ty
    }

    /// The place where the program constructs it.
    pub fn location(self) -> Option<&'o Location> {
        self.resource.location.as_ref()
    }

    /// The URN of its parent.
    pub fn parent(self) -> Option<&'o str> {
        self.resource.relations.parent.map(|at| &*self.all[at as usize].urn)
    }

    /// The URNs of the resources that it refers to or whose values it uses, without duplicates, in
    /// the order of the graph.
    pub fn dependencies(self) -> impl Iterator<Item = &'o str> {
        let mut found = Vec::new();
        self.resource.properties.iter().for_each(|(_, value)| value.resources(&mut found));
        let Relations { parent, provider, dependencies } = &self.resource.relations;
        found.extend(parent.iter().chain(provider).chain(dependencies));
        found.sort_unstable();
        found.dedup();
        let all = self.all;
        found.into_iter().map(move |at| &*all[at as usize].urn)
    }

    /// The properties, with references as `{"#ref": URN}` and unknown values as the texts of §15.7.
    pub fn properties(self) -> Json {
        Json::Object(self.present().map(|(key, value)| (key.to_string(), self.json(value))).collect())
    }

    fn present(self) -> impl Iterator<Item = &'o (Arc<str>, Property)> {
        self.resource.properties.iter().filter(|(_, value)| !value.is_absent())
    }

    /// The relations as entries of the resource in the graph.
    fn relations(self) -> impl Iterator<Item = (String, Json)> {
        let all = self.all;
        let to = move |at: &u32| reference(&all[*at as usize].urn);
        let Relations { parent, provider, dependencies } = &self.resource.relations;
        let one = |key: &str, at: &Option<u32>| at.as_ref().map(|at| (key.to_owned(), to(at)));
        let list = (!dependencies.is_empty())
            .then(|| ("dependencies".to_owned(), Json::List(dependencies.iter().map(to).collect())));
        [one("parent", parent), one("provider", provider), list].into_iter().flatten()
    }

    fn json(self, value: &Property) -> Json {
        value.to_json(&|at| reference(&self.all[at as usize].urn))
    }

    /// For each unknown value: its place, its type and the resources from which it comes.
    fn unknowns(self) -> Vec<Json> {
        let mut found = Vec::new();
        let mut pointer = Pointer::root();
        for (key, value) in &self.resource.properties {
            pointer.push_key(key);
            self.unknowns_in(value, &mut pointer, &mut found);
            pointer.pop();
        }
        found
    }

    /// Recursion is bounded by the levels of a property.
    fn unknowns_in(self, value: &Property, pointer: &mut Pointer, found: &mut Vec<Json>) {
        match value {
            Property::Unknown { ty, sources, .. } => {
                let sources = sources.iter().map(|at| reference(&self.all[*at as usize].urn)).collect();
                found.push(Json::Object(vec![
                    ("path".to_owned(), Json::String((&*pointer).into())),
                    ("type".to_owned(), Json::String(ty.to_string())),
                    ("sources".to_owned(), Json::List(sources)),
                ]));
            }
            Property::List(items) => {
                for (at, item) in items.iter().enumerate() {
                    pointer.push_index(at);
                    self.unknowns_in(item, pointer, found);
                    pointer.pop();
                }
            }
            Property::Object(entries) | Property::Asset(entries) => {
                for (key, value) in entries {
                    pointer.push_key(key);
                    self.unknowns_in(value, pointer, found);
                    pointer.pop();
                }
            }
            _ => {}
        }
    }
}

pub(crate) fn reference(urn: &str) -> Json {
    Json::Object(vec![("#ref".to_owned(), Json::String(urn.to_owned()))])
}

impl Outcome {
    pub(crate) fn of(package: &str, machine: Machine<'_>, result: Value) -> Outcome {
        let mut budget = SHOWN;
        let result = inspect(&machine, result, 0, &mut budget);
        let variables = variables(&machine, package);
        Outcome {
            package: package.to_owned(),
            result,
            variables,
            steps: machine.steps,
            heap_bytes: machine.heap.used(),
            modules: machine.program.modules.len(),
            resources: machine.resources,
            log: machine.log,
            notes: machine.notes,
        }
    }

    /// The resources in the order of their construction: each after those that it refers to.
    pub fn resources(&self) -> impl Iterator<Item = Resource<'_>> {
        self.resources.iter().map(|resource| Resource { all: &self.resources, resource })
    }

    /// The return value of `.main`, as JSON.
    pub fn result(&self) -> &Json {
        &self.result
    }

    /// The variables of the package's modules, as JSON. Objects have their type under `$type`.
    pub fn variables(&self) -> &Json {
        &self.variables
    }

    /// The output of the program.
    pub fn log(&self) -> &str {
        &self.log
    }

    /// Places where the graph may differ from the intent of the program.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// The number of executed instructions.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Bytes of all objects and strings created.
    pub fn heap_bytes(&self) -> usize {
        self.heap_bytes
    }

    /// The number of decoded modules, in all packages.
    pub fn modules(&self) -> usize {
        self.modules
    }

    /// The graph as a document of the dialect `coconut-snapshot` (§15.1). A resource with unknown
    /// values lists them under `unknowns`.
    pub fn graph(&self) -> Json {
        let resources = self.resources().map(|resource| {
            let mut entries = vec![("type".to_owned(), Json::String(resource.type_token().to_owned()))];
            if let Some(id) = &resource.resource.id {
                entries.push(("id".to_owned(), Json::String(id.clone())));
            }
            entries.extend(resource.relations());
            let properties = resource.properties();
            if properties.as_object().is_some_and(|entries| !entries.is_empty()) {
                entries.push(("properties".to_owned(), properties));
            }
            let unknowns = resource.unknowns();
            if !unknowns.is_empty() {
                entries.push(("unknowns".to_owned(), Json::List(unknowns)));
            }
            (resource.urn().to_owned(), Json::Object(entries))
        });
        Json::Object(vec![
            ("package".to_owned(), Json::String(self.package.clone())),
            ("resources".to_owned(), Json::Object(resources.collect())),
        ])
    }
}

/// The maximum nesting shown for a value.
const LEVELS: usize = 16;

/// The approximate maximum number of bytes shown. Values may share parts, so their texts can be far
/// longer than the values.
const SHOWN: usize = 4 << 20;

/// A value as JSON, for people and tests. Recursion ends after [`LEVELS`].
fn inspect(machine: &Machine<'_>, value: Value, depth: usize, budget: &mut usize) -> Json {
    let text = |text: &str| Json::String(text.to_owned());
    let bytes = match value {
        Value::Text(id) => machine.heap.text(id).len(),
        Value::Object(id) => machine.names.text(machine.heap.object(id).ty).len(),
        _ => 0,
    };
    match budget.checked_sub(bytes + 8) {
        Some(left) => *budget = left,
        None => return text("…"),
    }
    match value {
        Value::Empty | Value::Null | Value::Cell(_) => Json::Null,
        Value::Bool(flag) => Json::Bool(flag),
        Value::Number(number) if number.is_finite() => number_to_json(number),
        Value::Number(number) => Json::String(format!("<number {}>", text::number(number))),
        Value::Text(id) => text(machine.heap.text(id)),
        Value::Object(_) if depth >= LEVELS => text("…"),
        Value::Object(id) => {
            let object = machine.heap.object(id);
            let ty = machine.names.text(object.ty);
            let entry = |key: &str, value: Json| (key.to_owned(), value);
            match &object.body {
                Body::Array(items) => {
                    let items = items
                        .iter()
                        .map_while(|item| (*budget > 8).then(|| inspect(machine, *item, depth + 1, budget)));
                    let items = items.collect();
                    Json::Object(vec![entry("$type", text(ty)), entry("$items", Json::List(items))])
                }
                Body::Function(_) => Json::Object(vec![entry("$func", text(ty))]),
                Body::Unknown(_) => text("<unknown>"),
                Body::Plain => {
                    let mut entries = vec![entry("$type", text(ty))];
                    for property in object.properties.iter().filter(|property| property.flags & METHOD == 0) {
                        let name = machine.names.text(property.name);
                        let Some(left) = budget.checked_sub(name.len() + 8) else { break };
                        *budget = left;
                        entries.push((name.to_string(), inspect(machine, property.value, depth + 1, budget)));
                    }
                    Json::Object(entries)
                }
                _ => Json::String(format!("<{ty}>")),
            }
        }
    }
}

fn variables(machine: &Machine<'_>, package: &str) -> Json {
    let mut budget = SHOWN;
    let modules = machine.program.modules.iter().filter(|module| &*module.package == package);
    let mut entries: Vec<(String, Json)> = modules
        .map(|module| {
            let globals = machine.heap.object(module.globals).properties.iter();
            let data = globals.filter(|property| property.flags & (METHOD | crate::heap::CLASS) == 0);
            let values = data
                .map(|property| {
                    (
                        machine.names.text(property.name).to_string(),
                        inspect(machine, property.value, 0, &mut budget),
                    )
                })
                .collect();
            (module.token.to_string(), Json::Object(values))
        })
        .collect();
    entries.sort_by(|one, other| one.0.cmp(&other.0));
    Json::Object(entries)
}
