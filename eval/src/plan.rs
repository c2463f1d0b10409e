//! §19.10 Plans: the steps of a deployment that would change a snapshot into the result of a
//! program.

mod deletions;

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
use std::sync::Arc;

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
        /// Reads a resource that the program does not manage.
        Read = "read";
        /// Reads a resource in the place of one that was managed.
        ReadReplacement = "read-replacement";
        /// Removes a resource that was only read from the state, and calls no provider.
        Discard = "discard";
        /// Does the same for a resource that has a replacement.
        DiscardReplaced = "discard-replaced";
        /// Removes a resource from the state that was deleted for a replacement, which is no longer
        /// in the program.
        RemovePendingReplace = "remove-pending-replace";
    }
    /// The name.
    pub fn as_str;
}

coconut_format::named! {
    /// The mark of a snapshot that decides a step (§15.5), apart from the properties.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum StepReason {
        /// The resource is protected, so the step is refused.
        Protected = "protected";
        /// The resource outlives its entry in the state, so no provider is called.
        Retained = "retained";
        /// The resource was only read.
        External = "external";
        /// The resource is a component, so no provider is called.
        Component = "component";
        /// The resource is deleted with another one. If both are removed, no provider is called for
        /// this one. If the other one is replaced, this one is, too.
        DeletedWith = "deleted-with";
        /// The last deployment deleted the resource, and did not create its replacement.
        PendingReplacement = "pending-replacement";
        /// The last deployment created the replacement, and did not delete the resource.
        PendingDeletion = "pending-deletion";
        /// The resource exists, but its initialization failed.
        InitErrors = "init-errors";
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
    /// The mark in the snapshot that decides the step, if the properties do not decide it alone.
    pub reason: Option<StepReason>,
    /// The place where the program constructs it.
    pub location: Option<Location>,
}

impl PlanStep {
    /// Whether a deployment refuses the step and leaves the resource as it is.
    pub fn is_refused(&self) -> bool {
        self.reason == Some(StepReason::Protected)
    }

    /// Whether the step only removes the resource from the state, and calls no provider.
    pub fn is_only_forgotten(&self) -> bool {
        match self.operation {
            Operation::Discard | Operation::DiscardReplaced | Operation::RemovePendingReplace => true,
            Operation::Delete | Operation::DeleteReplaced => matches!(
                self.reason,
                Some(StepReason::Retained | StepReason::Component | StepReason::DeletedWith)
            ),
            _ => false,
        }
    }
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

    /// The number of resources with this operation, without those for which it is refused.
    pub fn count(&self, operation: Operation) -> usize {
        self.steps.iter().filter(|step| step.operation == operation && !step.is_refused()).count()
    }

    /// The refused steps, one for each resource.
    pub fn refused(&self) -> impl Iterator<Item = &PlanStep> {
        // A refused replacement has two steps.
        let is_logical = |step: &&PlanStep| {
            !matches!(step.operation, Operation::CreateReplacement | Operation::ReadReplacement)
        };
        self.steps.iter().filter(|step| step.is_refused()).filter(is_logical)
    }

    /// Compares a graph with a snapshot. The graph may come from an evaluation or from a document.
    pub fn between(graph: &Snapshot, snapshot: &Snapshot, options: &Options) -> Plan {
        let mut planner = Planner::new(snapshot, Naming::new(options));
        let current = || graph.resources.iter().filter(|resource| !resource.marks.is_condemned);
        let numbers: HashMap<&str, u32> =
            (0..).zip(current()).map(|(at, resource): (u32, &OldResource)| (&*resource.urn, at)).collect();
        let mut all: Vec<RegisteredResource> = Vec::new();
        for resource in current() {
            let properties = resource
                .inputs
                .iter()
                .map(|(key, value)| (Arc::from(key.as_str()), Property::of(value, &numbers)))
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
        for (at, resource) in current().enumerate() {
            let wanted = Wanted {
                protect: resource.marks.protect,
                external: resource.marks.is_external.then_some(resource.id.as_deref()),
            };
            planner.compare(&all, at, &wanted);
        }
        planner.finish(None)
    }
}

/// The marks of a new resource. Programs have none.
#[derive(Clone, Copy, Debug, Default)]
struct Wanted<'g> {
    /// Whether the resource is protected. If absent, the mark of the old one stays.
    protect: Option<bool>,
    /// The id of a resource that is only read.
    external: Option<Option<&'g str>>,
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
    /// The URNs of the replaced ones.
    replaced_urns: HashSet<&'s str>,
}

impl<'s> Planner<'s> {
    pub(crate) fn new(snapshot: &'s Snapshot, naming: Naming) -> Planner<'s> {
        let old = &snapshot.resources;
        let current = old.iter().enumerate().filter(|(_, resource)| !resource.marks.is_condemned);
        Planner {
            naming,
            old,
            old_by_urn: current.map(|(at, resource)| (&*resource.urn, at)).collect(),
            steps: Vec::new(),
            ids: Vec::new(),
            stays: Vec::new(),
            kept: HashSet::new(),
            replaced: HashSet::new(),
            replaced_urns: HashSet::new(),
        }
    }

    pub(crate) fn finish(mut self, outcome: Option<Outcome>) -> Plan {
        // Dependents were created after their dependencies, and are deleted before them.
        let is_left = |at: usize| !self.kept.contains(&at);
        let carried = deletions::carried(self.old, &is_left, &self.replaced);
        for (at, resource) in self.old.iter().enumerate().rev().filter(|(at, _)| is_left(*at)) {
            let (operation, reason) = deletions::step(resource, self.replaced.contains(&at), carried[at]);
            self.steps.push(PlanStep {
                operation,
                urn: resource.urn.clone(),
                type_token: resource.ty.clone(),
                id: resource.id.clone(),
                changed: Vec::new(),
                replacing: Vec::new(),
                reason,
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
        properties: &mut [(Arc<str>, Property)],
    ) -> String {
        self.naming.urn(alloc, parent, ty, name, properties)
    }

    fn registered(&mut self, all: &[RegisteredResource]) -> Known {
        match all.len().checked_sub(1) {
            Some(last) => self.compare(all, last, &Wanted::default()),
            None => Known::default(),
        }
    }
}

impl<'s> Planner<'s> {
    /// The steps for the new resource at this index. Those before it are already decided.
    fn compare(&mut self, all: &[RegisteredResource], new: usize, wanted: &Wanted<'_>) -> Known {
        let new = &all[new];
        let Some(&at) = self.old_by_urn.get(&*new.urn) else {
            let created = match wanted.external {
                Some(_) => Operation::Read,
                None => Operation::Create,
            };
            self.push(new, created, None, &[], &[], None);
            return self.decided(None);
        };
        let (old, changed) = (&self.old[at], self.changed(&self.old[at], new, all));
        let replacing: Vec<String> =
            changed.iter().filter(|key| self.naming.rules.replaces(&new.ty, key)).cloned().collect();
        let id = old.id.clone();
        let forced = self.forced(old, wanted);
        if forced.is_some() || !replacing.is_empty() {
            // A resource that is gone, or was never managed, is not lost by a replacement.
            let is_protected = old.marks.protect == Some(true) && wanted.protect != Some(false);
            let is_lost = !old.marks.is_gone && !old.marks.is_external;
            let reason = if is_protected && is_lost { Some(StepReason::Protected) } else { forced };
            let created = match wanted.external {
                Some(_) => Operation::ReadReplacement,
                None => Operation::CreateReplacement,
            };
            self.push(new, created, None, &changed, &replacing, reason);
            self.push(new, Operation::Replace, id.clone(), &changed, &replacing, reason);
            if reason == Some(StepReason::Protected) {
                self.kept.insert(at);
                return self.decided(Some(Known { id, outputs: Vec::new() }));
            }
            self.replaced_urns.insert(&old.urn);
            // There is nothing to delete for a resource that is gone.
            let _ = if old.marks.is_gone { self.kept.insert(at) } else { self.replaced.insert(at) };
            return self.decided(None);
        }
        self.kept.insert(at);
        let is_read = wanted.external.is_some() && (!changed.is_empty() || !old.marks.is_external);
        let (operation, reason) = match (is_read, changed.is_empty()) {
            (true, _) => (Operation::Read, None),
            (false, true) if old.marks.is_unready => (Operation::Update, Some(StepReason::InitErrors)),
            (false, true) => (Operation::Same, None),
            (false, false) => (Operation::Update, None),
        };
        self.push(new, operation, id.clone(), &changed, &[], reason);
        let outputs = if operation == Operation::Same { old.outputs.clone() } else { Vec::new() };
        self.decided(Some(Known { id, outputs }))
    }

    /// The mark that forces a replacement, whatever the properties are.
    fn forced(&self, old: &OldResource, wanted: &Wanted<'_>) -> Option<StepReason> {
        let marks = &old.marks;
        let is_in_replaced =
            marks.deleted_with.as_deref().is_some_and(|urn| self.replaced_urns.contains(urn));
        let is_other = wanted.external.is_some_and(|id| id != old.id.as_deref());
        match wanted.external {
            _ if marks.is_gone => Some(StepReason::PendingReplacement),
            None if marks.is_external => Some(StepReason::External),
            Some(_) if is_other && !marks.is_external => Some(StepReason::External),
            None if is_in_replaced => Some(StepReason::DeletedWith),
            _ => None,
        }
    }

    fn push(
        &mut self,
        new: &RegisteredResource,
        operation: Operation,
        id: Option<String>,
        changed: &[String],
        replacing: &[String],
        reason: Option<StepReason>,
    ) {
        self.steps.push(PlanStep {
            operation,
            urn: new.urn.to_string(),
            type_token: new.ty.to_string(),
            id,
            changed: changed.to_vec(),
            replacing: replacing.to_vec(),
            reason,
            location: new.location.clone(),
        });
    }

    /// Ends the decision about a new resource. `kept` is known of an old one that stays.
    fn decided(&mut self, kept: Option<Known>) -> Known {
        self.stays.push(kept.is_some());
        let known = kept.unwrap_or_default();
        self.ids.push(known.id.clone());
        known
    }
}
