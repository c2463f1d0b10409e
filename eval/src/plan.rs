//! §19.10 Plans: the steps of a deployment that would change a snapshot into the result of a
//! program.

use crate::machine::{Host, Known, RegisteredResource};
use crate::naming::Naming;
use crate::options::Options;
use crate::outcome::Outcome;
use crate::placement::Relations;
use crate::property::{Property, is_same};
use crate::snapshot::{OldResource, Snapshot, reference_of};
use coconut_format::Value as Json;
use coconut_format::location::Location;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

coconut_format::named! {
    /// The operation of a step.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum Operation {
        /// Keeps the resource, which already matches the program.
        Same = "same";
        /// Creates a resource.
        Create = "create";
        /// Changes a resource in place.
        Update = "update";
        /// Creates the replacement of a resource that cannot be changed.
        CreateReplacement = "create-replacement";
        /// Puts the replacement in the place of the old resource.
        Replace = "replace";
        /// Removes a resource that was replaced.
        DeleteReplaced = "delete-replaced";
        /// Removes a resource that is no longer in the program.
        Delete = "delete";
    }
    /// The name.
    pub fn as_str;
}

/// A step of a [`Plan`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PlanStep {
    /// The operation.
    pub operation: Operation,
    /// The URN of the resource.
    pub urn: String,
    /// Its type.
    pub type_token: String,
    /// Its id, if it already has one.
    pub id: Option<String>,
    /// The changed properties.
    pub changed: Vec<String>,
    /// The changed properties that force a replacement.
    pub replacing: Vec<String>,
    /// The place where the program constructs it.
    pub location: Option<Location>,
}

/// The steps of a deployment, in a possible order of execution.
#[derive(Clone, Debug)]
pub struct Plan {
    steps: Vec<PlanStep>,
    outcome: Option<Outcome>,
}

impl Plan {
    /// The steps. Each resource comes after those that it refers to. Deletions come last, in the
    /// reverse order of the snapshot.
    pub fn steps(&self) -> &[PlanStep] {
        &self.steps
    }

    /// The evaluation behind the plan, if the plan was made from a program.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    /// Whether any step changes anything.
    pub fn has_changes(&self) -> bool {
        self.steps.iter().any(|step| step.operation != Operation::Same)
    }

    /// The number of resources with this operation.
    pub fn count(&self, operation: Operation) -> usize {
        self.steps.iter().filter(|step| step.operation == operation).count()
    }

    /// Compares a graph with a snapshot. The graph may come from an evaluation or from a document.
    pub fn between(graph: &Snapshot, snapshot: &Snapshot, options: &Options) -> Plan {
        let mut planner = Planner::new(snapshot, Naming::new(options));
        let current = || graph.resources.iter().filter(|resource| !resource.is_condemned);
        let numbers: HashMap<&str, u32> =
            (0..).zip(current()).map(|(at, resource): (u32, &OldResource)| (&*resource.urn, at)).collect();
        let mut all: Vec<RegisteredResource> = Vec::new();
        for resource in current() {
            let properties = resource
                .inputs
                .iter()
                .map(|(key, value)| (Rc::from(key.as_str()), Property::of(value, &numbers)))
                .collect();
            all.push(RegisteredResource {
                urn: resource.urn.as_str().into(),
                ty: resource.ty.as_str().into(),
                properties,
                relations: Relations::default(),
                id: None,
                location: None,
            });
        }
        for at in 0..all.len() {
            planner.compare(&all, at);
        }
        planner.finish(None)
    }
}

/// Plans resource by resource, while the program runs.
pub(crate) struct Planner<'s> {
    naming: Naming,
    old: &'s [OldResource],
    old_by_urn: HashMap<&'s str, usize>,
    steps: Vec<PlanStep>,
    /// For each new resource, its id if it is known now.
    ids: Vec<Option<String>>,
    /// Whether each new resource keeps its old counterpart.
    stays: Vec<bool>,
    /// Old resources that are kept.
    kept: HashSet<usize>,
    replaced: HashSet<usize>,
}

impl<'s> Planner<'s> {
    pub(crate) fn new(snapshot: &'s Snapshot, naming: Naming) -> Planner<'s> {
        let old = &snapshot.resources;
        let current = old.iter().enumerate().filter(|(_, resource)| !resource.is_condemned);
        Planner {
            naming,
            old,
            old_by_urn: current.map(|(at, resource)| (&*resource.urn, at)).collect(),
            steps: Vec::new(),
            ids: Vec::new(),
            stays: Vec::new(),
            kept: HashSet::new(),
            replaced: HashSet::new(),
        }
    }

    pub(crate) fn finish(mut self, outcome: Option<Outcome>) -> Plan {
        // Dependents were created after their dependencies, and are deleted before them.
        for (at, resource) in self.old.iter().enumerate().rev() {
            let operation = match (self.kept.contains(&at), self.replaced.contains(&at)) {
                (true, _) => continue,
                (false, true) => Operation::DeleteReplaced,
                (false, false) => Operation::Delete,
            };
            self.steps.push(PlanStep {
                operation,
                urn: resource.urn.clone(),
                type_token: resource.ty.clone(),
                id: resource.id.clone(),
                changed: Vec::new(),
                replacing: Vec::new(),
                location: None,
            });
        }
        Plan { steps: self.steps, outcome }
    }

    /// The names of changed properties, in the order of the new ones.
    fn changed(
        &self,
        old: &OldResource,
        new: &RegisteredResource,
        all: &[RegisteredResource],
    ) -> Vec<String> {
        let refers = |old: &Json, number: u32| {
            let number = number as usize;
            match (old, reference_of(old)) {
                // A resource that comes later is not decided yet. This happens only for graphs from
                // files.
                (_, Some(urn)) => {
                    all.get(number).is_some_and(|new| *urn == *new.urn)
                        && self.stays.get(number) != Some(&false)
                }
                (Json::String(id), None) => {
                    self.ids.get(number).is_some_and(|known| known.as_deref() == Some(id))
                }
                _ => false,
            }
        };
        let mut changed = Vec::new();
        let olds: HashMap<&str, &Json> =
            old.inputs.iter().map(|(key, value)| (key.as_str(), value)).collect();
        let news: HashSet<&str> = new.properties.iter().map(|(key, _)| &**key).collect();
        let defaults = self.naming.rules.defaults(&new.ty);
        for (key, value) in &new.properties {
            let default = defaults.iter().find(|(name, _)| **name == **key).map(|(_, value)| value);
            let old = olds.get(&**key).copied();
            // A property that the program omits has its default.
            let is_default = value.is_absent() && default.is_some() && old == default;
            if !is_default && !is_same(old, Some(value), &refers) {
                changed.push(key.to_string());
            }
        }
        for (key, value) in &old.inputs {
            let is_there = news.contains(key.as_str());
            let is_default = defaults.iter().any(|(name, default)| name == key && default == value);
            if !is_there && !is_default && !matches!(value, Json::Null) {
                changed.push(key.clone());
            }
        }
        changed
    }
}

impl Host for Planner<'_> {
    fn urn(
        &mut self,
        alloc: &str,
        parent: Option<&str>,
        ty: &str,
        name: Option<&str>,
        properties: &mut [(Rc<str>, Property)],
    ) -> String {
        self.naming.urn(alloc, parent, ty, name, properties)
    }

    fn registered(&mut self, all: &[RegisteredResource]) -> Known {
        match all.len().checked_sub(1) {
            Some(last) => self.compare(all, last),
            None => Known::default(),
        }
    }
}

impl Planner<'_> {
    /// The steps for the new resource at this index. Those before it are already decided.
    fn compare(&mut self, all: &[RegisteredResource], new: usize) -> Known {
        let new = &all[new];
        let step = |operation, id: Option<String>, changed: &[String], replacing: &[String]| PlanStep {
            operation,
            urn: new.urn.to_string(),
            type_token: new.ty.to_string(),
            id,
            changed: changed.to_vec(),
            replacing: replacing.to_vec(),
            location: new.location.clone(),
        };
        let Some(&at) = self.old_by_urn.get(&*new.urn) else {
            self.steps.push(step(Operation::Create, None, &[], &[]));
            self.ids.push(None);
            self.stays.push(false);
            return Known::default();
        };
        let old = &self.old[at];
        let changed = self.changed(old, new, all);
        let replacing: Vec<String> =
            changed.iter().filter(|key| self.naming.rules.replaces(&new.ty, key)).cloned().collect();
        let id = old.id.clone();
        let known = if changed.is_empty() {
            self.steps.push(step(Operation::Same, id.clone(), &[], &[]));
            Known { id: id.clone(), outputs: old.outputs.clone() }
        } else if replacing.is_empty() {
            self.steps.push(step(Operation::Update, id.clone(), &changed, &[]));
            Known { id: id.clone(), outputs: Vec::new() }
        } else {
            self.steps.push(step(Operation::CreateReplacement, None, &changed, &replacing));
            self.steps.push(step(Operation::Replace, id, &changed, &replacing));
            self.replaced.insert(at);
            self.ids.push(None);
            self.stays.push(false);
            return Known::default();
        };
        self.kept.insert(at);
        self.ids.push(id);
        self.stays.push(true);
        known
    }
}
