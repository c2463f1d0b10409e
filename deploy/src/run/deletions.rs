//! §25.4 Deletions: what the program does not want, dependents first.

use super::calls::{Apply, Ended, Purpose};
use super::wanted::{Rounds, intent_of, needs_call};
use super::{Run, SkipReason};
use crate::intent::{Entry, Operation};
use crate::journal::Record;
use crate::state::ResourceState;
use std::collections::{HashMap, HashSet};

/// The entries that leave the state, and their order.
struct Leaving {
    all: Vec<ResourceState>,
    /// For each, the entries that it must wait for: those that depend on it.
    open: Vec<usize>,
    /// For each, the entries on which it depends.
    uses: Vec<Vec<usize>>,
    /// For each, those that it takes with it.
    carried: Vec<Vec<usize>>,
    is_carried: Vec<bool>,
}

impl Run<'_> {
    /// Deletes level by level. A level has the entries on which nothing depends any more.
    pub(super) fn delete(&mut self, rounds: &Rounds) {
        let mut leaving = self.leaving(rounds);
        let mut is_left = vec![true; leaving.all.len()];
        let mut level = leaving.free(&is_left);
        while !level.is_empty() && self.broken.is_none() && !self.is_stopping {
            level.iter().for_each(|at| is_left[*at] = false);
            let gone = self.delete_level(&leaving, level);
            for at in gone {
                for used in std::mem::take(&mut leaving.uses[at]) {
                    leaving.open[used] -= 1;
                }
            }
            level = leaving.free(&is_left);
        }
        if self.broken.is_some() {
            return;
        }
        for at in (0..leaving.all.len()).filter(|at| is_left[*at]) {
            let urn = leaving.all[at].urn().to_owned();
            let user = leaving.user_of(at).map(|user| leaving.all[user].urn().to_owned());
            let reason = match (self.is_stopping, user) {
                (false, Some(user)) => SkipReason::Relation(user),
                _ => SkipReason::Stopped,
            };
            self.skip(&urn, reason);
        }
    }

    /// The entries that nothing keeps. Others are reported.
    fn leaving(&mut self, rounds: &Rounds) -> Leaving {
        let (mut all, mut staying): (Vec<ResourceState>, Vec<ResourceState>) = self
            .environment
            .state()
            .resources()
            .cloned()
            .partition(|resource| resource.is_condemned() || !rounds.has(resource.urn()));
        let mut skipped = Vec::new();
        all.retain(|resource| {
            let condemned = resource.is_condemned().then(|| resource.id());
            let reason = if self.is_unresolved(resource.urn(), condemned) {
                SkipReason::Unresolved
            } else if resource.is_protected() && !resource.is_condemned() && needs_call(resource) {
                SkipReason::Protected
            } else {
                return true;
            };
            skipped.push((resource.urn().to_owned(), reason));
            staying.push(resource.clone());
            false
        });
        // What a staying resource depends on stays, too.
        loop {
            let mut used: HashMap<&str, &str> = HashMap::new();
            for user in &staying {
                // The new state of a resource that is done refers to live resources alone.
                let is_old = user.is_condemned() || !rounds.has(user.urn()) || rounds.is_lost(user.urn());
                for urn in user.relations() {
                    if is_old || rounds.has(urn) {
                        used.insert(urn, user.urn());
                    }
                }
            }
            let is_free = |resource: &ResourceState| match used.get(resource.urn()) {
                None => true,
                // The replaced one is needed only by what has not been changed.
                Some(user) => resource.is_condemned() && rounds.has(user) && !rounds.is_lost(user),
            };
            let (free, bound): (Vec<_>, Vec<_>) = all.into_iter().partition(is_free);
            for resource in &bound {
                let user = used.get(resource.urn()).copied().unwrap_or_default();
                skipped.push((resource.urn().to_owned(), SkipReason::Relation(user.to_owned())));
            }
            all = free;
            if bound.is_empty() {
                break;
            }
            staying.extend(bound);
        }
        self.outcome.skipped.extend(skipped);
        Leaving::new(all)
    }

    /// Deletes the entries of one level at the same time. Those that are gone afterwards.
    fn delete_level(&mut self, leaving: &Leaving, level: Vec<usize>) -> Vec<usize> {
        let mut gone = Vec::new();
        let mut calls: Vec<Apply> = Vec::new();
        for at in level {
            let resource = &leaving.all[at];
            if leaving.is_carried[at] {
                // It is deleted by the one that takes it along, which may wait for this.
                gone.push(at);
            } else if needs_call(resource) {
                let operation = match resource.is_condemned() {
                    true => Operation::DeleteReplaced,
                    false => Operation::Delete,
                };
                let carried = leaving.carried[at].iter().map(|at| leaving.all[*at].entry()).collect();
                let intent = intent_of(operation, resource, carried);
                calls.push(Apply { seq: 0, intent, after: None, before: Some(resource.clone()) });
            } else if self.record(&Record::Forget { entry: resource.entry() }) {
                self.environment.state_mut().forget(&resource.entry());
                self.outcome.forgotten += 1;
                gone.push(at);
            }
        }
        let index: HashMap<Entry, usize> =
            leaving.all.iter().enumerate().map(|(at, resource)| (resource.entry(), at)).collect();
        let mut calls = calls.into_iter();
        loop {
            self.is_stopping |= self.options.interrupt.is_requested();
            let free = self.options.parallelism.max(1).saturating_sub(self.calls.len());
            let next: Vec<Apply> = match self.broken.is_some() || self.is_stopping {
                true => Vec::new(),
                false => calls.by_ref().take(free).collect(),
            };
            self.begin(next);
            let ended = self.calls.wait_all();
            if ended.is_empty() {
                break;
            }
            for (purpose, answer) in ended {
                let Purpose::Apply(apply) = purpose else { continue };
                let entry = apply.before.as_ref().map(ResourceState::entry);
                let carried = apply.intent.carried.len();
                if self.ended(*apply, answer) == Ended::Done {
                    self.outcome.forgotten += carried;
                    gone.extend(entry.and_then(|entry| index.get(&entry).copied()));
                }
            }
        }
        gone
    }
}

impl Leaving {
    fn new(all: Vec<ResourceState>) -> Leaving {
        let mut by_urn: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, resource) in all.iter().enumerate() {
            by_urn.entry(resource.urn()).or_default().push(at);
        }
        let (mut open, mut uses) = (vec![0; all.len()], vec![Vec::new(); all.len()]);
        for (at, resource) in all.iter().enumerate() {
            let used: HashSet<usize> = resource
                .relations()
                .filter(|urn| *urn != resource.urn())
                .flat_map(|urn| by_urn.get(urn).into_iter().flatten().copied())
                .collect();
            for used in used {
                open[used] += 1;
                uses[at].push(used);
            }
        }
        let mut carried = vec![Vec::new(); all.len()];
        let carriers: Vec<Option<usize>> = (0..all.len()).map(|at| carrier(&all, &by_urn, at)).collect();
        for (at, around) in carriers.iter().enumerate() {
            if let Some(around) = around {
                carried[*around].push(at);
            }
        }
        let is_carried = carriers.iter().map(Option::is_some).collect();
        Leaving { open, uses, carried, is_carried, all }
    }

    /// The entries that wait for nothing.
    fn free(&self, is_left: &[bool]) -> Vec<usize> {
        (0..self.all.len()).filter(|at| is_left[*at] && self.open[*at] == 0).collect()
    }

    /// An entry that is left and depends on this one.
    fn user_of(&self, at: usize) -> Option<usize> {
        (0..self.all.len()).find(|user| self.uses[*user].contains(&at))
    }
}

/// The outermost entry that takes this one with it when it is deleted (`deletedWith`). `None` if it
/// is deleted by itself, and in a circle.
fn carrier(all: &[ResourceState], by_urn: &HashMap<&str, Vec<usize>>, at: usize) -> Option<usize> {
    let around = |at: usize| {
        // Only one that is certain to be deleted by a call.
        match by_urn.get(all[at].deleted_with()?)?[..] {
            [around] if around != at && needs_call(&all[around]) => Some(around),
            _ => None,
        }
    };
    if !needs_call(&all[at]) {
        return None;
    }
    let mut outermost = around(at)?;
    for _ in 0..all.len() {
        match around(outermost) {
            Some(next) => outermost = next,
            None => return Some(outermost),
        }
    }
    None
}
