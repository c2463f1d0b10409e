//! Deployments against a provider in memory, with crashes at each write.

mod cloud;
mod crashes;
mod faults;
mod files;
mod live;
mod steps;

use crate::{
    DeployError, Environment, Options, Outcome, Properties, Providers, ResourceState, State, Wanted, deploy,
    resolve,
};
use cloud::Cloud;
use coconut_format::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const TYPE: &str = "cloud:index:Thing";

fn urn(name: &str) -> String {
    format!("urn:pulumi:dev::p::{TYPE}::{name}")
}

fn name_of(urn: &str) -> &str {
    urn.rsplit("::").next().unwrap_or(urn)
}

fn thing(name: &str, inputs: &[(&str, Value)]) -> Wanted {
    let inputs = inputs.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
    Wanted { urn: urn(name), type_token: TYPE.to_owned(), inputs, ..Wanted::default() }
}

fn reference(name: &str) -> Value {
    Value::from_iter([("#ref", Value::from(urn(name)))])
}

/// A folder with an environment, and the provider that survives the crashes of its callers.
struct World {
    folder: tempfile::TempDir,
    cloud: Arc<Cloud>,
}

impl World {
    fn new() -> World {
        World { folder: tempfile::tempdir().unwrap(), cloud: Arc::new(Cloud::default()) }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("dev.coco")
    }

    fn providers(&self) -> Providers {
        Providers::new().with("cloud", Arc::clone(&self.cloud) as Arc<_>, Vec::new())
    }

    fn open(&self) -> Environment {
        Environment::open(&self.path()).unwrap()
    }

    fn read(&self) -> State {
        Environment::read(&self.path()).unwrap()
    }

    fn run(&self, environment: &mut Environment, program: &[Wanted]) -> Result<Outcome, DeployError> {
        let options = Options { parallelism: 4, ..Options::default() };
        deploy(environment, &mut program.to_vec(), &self.providers(), &options, &mut |_| {})
    }

    /// A run that goes on after errors.
    fn run_all(&self, program: &[Wanted]) -> Outcome {
        let options = Options { parallelism: 4, continues_on_error: true, ..Options::default() };
        deploy(&mut self.open(), &mut program.to_vec(), &self.providers(), &options, &mut |_| {}).unwrap()
    }

    /// A run without failures.
    fn deployed(&self, program: &[Wanted]) -> Outcome {
        let outcome = self.run(&mut self.open(), program).unwrap();
        assert!(outcome.is_complete(), "{outcome:?}");
        outcome
    }

    /// Finds the outcome of each unresolved creation, as a person with a console of the cloud does.
    fn resolve_all(&self) {
        let mut environment = self.open();
        let open: Vec<String> =
            environment.state().unresolved().iter().map(|one| one.intent.urn.clone()).collect();
        for urn in open {
            let known = ids(environment.state());
            let made =
                self.cloud.things().into_iter().find(|(id, thing)| thing.urn == urn && !known.contains(id));
            let id = made.map(|(id, _)| id);
            let is_there = resolve(&mut environment, &urn, id.as_deref(), &self.providers()).unwrap();
            assert_eq!(is_there, id.is_some());
        }
    }

    /// Every thing has a name in the state, and every name a thing, except where the state itself
    /// says that it does not know.
    fn assert_law(&self, state: &State, context: &str) {
        let things = self.cloud.things();
        let known = ids(state);
        let mut open: BTreeMap<&str, usize> = BTreeMap::new();
        let mut maybe_gone: BTreeSet<&str> = BTreeSet::new();
        for one in state.unresolved() {
            match one.intent.operation.is_create() {
                true => *open.entry(&one.intent.urn).or_default() += 1,
                false => {
                    maybe_gone.extend(one.intent.id.as_deref());
                    maybe_gone.extend(one.intent.carried.iter().filter_map(|entry| entry.id.as_deref()));
                }
            }
        }
        for (id, thing) in &things {
            if !known.contains(id) {
                let left = open.get_mut(thing.urn.as_str());
                let left = left.unwrap_or_else(|| panic!("{context}: nothing names {id}, {}", thing.urn));
                *left = left.checked_sub(1).unwrap_or_else(|| panic!("{context}: two of {}", thing.urn));
            }
        }
        for id in known.iter().filter(|id| !maybe_gone.contains(id.as_str())) {
            assert!(things.contains_key(id), "{context}: {id} is in the state, and does not exist");
        }
    }

    /// The cloud has what the program wants, and nothing else.
    fn assert_is(&self, program: &[Wanted], context: &str) {
        let state = self.read();
        self.assert_law(&state, context);
        assert!(state.unresolved().is_empty(), "{context}");
        let found: Vec<String> = self.cloud.things().into_values().map(|thing| thing.urn).collect();
        let found: BTreeSet<String> = found
            .iter()
            .cloned()
            .inspect(|urn| {
                assert_eq!(found.iter().filter(|other| *other == urn).count(), 1, "{context}: two of {urn}");
            })
            .collect();
        let wanted: BTreeSet<String> = program.iter().map(|wanted| wanted.urn.clone()).collect();
        assert_eq!(found, wanted, "{context}");
        for wanted in program {
            let resource = state.live(&wanted.urn).expect(context);
            let plain = |(_, value): &&(String, Value)| !matches!(value, Value::Object(_));
            for (key, value) in wanted.inputs.iter().filter(plain) {
                let thing = &self.cloud.things()[resource.id().unwrap()];
                assert_eq!(value_of(&thing.inputs, key), Some(value), "{context}: {}", wanted.urn);
            }
        }
        assert_order(&state, context);
    }
}

/// Each resource is after those on which it depends, and there is one live resource of a URN.
fn assert_order(state: &State, context: &str) {
    let document = State::from_document(state.to_document()).unwrap();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for resource in document.resources() {
        for used in resource.relations() {
            assert!(seen.contains(used), "{context}: {} is before {used}", resource.urn());
        }
        if !resource.is_condemned() {
            assert!(seen.insert(resource.urn()), "{context}: {} is twice", resource.urn());
        }
    }
}

fn value_of<'p>(properties: &'p Properties, key: &str) -> Option<&'p Value> {
    properties.iter().find(|(name, _)| name == key).map(|(_, value)| value)
}

/// The ids of the resources that exist according to the state.
fn ids(state: &State) -> BTreeSet<String> {
    let exists = |one: &&ResourceState| !one.is_gone() && !one.is_external() && !one.is_component();
    state.resources().filter(exists).filter_map(|one| one.id().map(str::to_owned)).collect()
}

fn journal_of(path: &Path) -> PathBuf {
    path.with_extension("journal")
}
