//! §25.4 The wanted resources: created, changed and replaced in the order of their dependencies.

use super::calls::{Answer, Apply, Ended, Purpose};
use super::{Run, SkipReason, refuse_secret};
use crate::cipher::has_secret;
use crate::environment::Environment;
use crate::error::DeployError;
use crate::intent::{Intent, Operation};
use crate::journal::Record;
use crate::program::{Known, Program, Wanted, is_unknown, resolved};
use crate::provider::{DiffRequest, Properties, Providers};
use crate::state::ResourceState;
use crate::step::{Examined, Need, Question, described, existing, fresh};
use coconut_format::Value;
use coconut_format::graph::UnknownType;
use std::collections::{BTreeSet, HashMap, HashSet};

/// The progress of a wanted resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Waiting,
    Sent,
    Done,
    /// It failed, or was skipped.
    Lost,
}

struct Node {
    wanted: Wanted,
    phase: Phase,
    /// Indices of the nodes on which it depends.
    relations: Vec<usize>,
}

/// The wanted resources, as the last round of the program gave them.
pub(super) struct Rounds {
    nodes: Vec<Node>,
    by_urn: HashMap<String, usize>,
    /// Resources that were finished since the last round.
    news: usize,
    /// Resources of the last round with unknown inputs.
    unknown: usize,
    replaced: HashSet<String>,
    /// The reason why the program did not come to its end.
    suspension: Option<String>,
}

impl Rounds {
    pub(super) fn first(
        program: &mut dyn Program,
        environment: &Environment,
        providers: &Providers,
    ) -> Result<Rounds, DeployError> {
        let mut rounds = Rounds {
            nodes: Vec::new(),
            by_urn: HashMap::new(),
            news: 0,
            unknown: 0,
            replaced: HashSet::new(),
            suspension: None,
        };
        rounds.again(program, environment, providers)?;
        Ok(rounds)
    }

    /// Runs the program with everything that is known.
    fn again(
        &mut self,
        program: &mut dyn Program,
        environment: &Environment,
        providers: &Providers,
    ) -> Result<(), DeployError> {
        let state = environment.state();
        let done = self.nodes.iter().filter(|node| node.phase == Phase::Done);
        let known: Known = done
            .filter_map(|node| state.live(&node.wanted.urn))
            .map(|state| (state.urn().to_owned(), (state.id().map(str::to_owned), state.outputs().to_vec())))
            .collect();
        let all = program.resources(&known).map_err(DeployError::Program)?;
        let mut by_urn = HashMap::with_capacity(all.len());
        for (at, wanted) in all.iter().enumerate() {
            if by_urn.insert(wanted.urn.clone(), at).is_some() {
                return Err(DeployError::Program(format!("two resources have the URN `{}`", wanted.urn)));
            }
            if !environment.has_key() {
                refuse_secret(&wanted.urn, &wanted.inputs)?;
            }
            if !wanted.is_component && providers.of(&wanted.type_token).is_none() {
                return Err(DeployError::no_provider(&wanted.urn, &wanted.type_token));
            }
        }
        let mut nodes = Vec::with_capacity(all.len());
        for wanted in all {
            let mut relations = Vec::new();
            for urn in wanted.relations() {
                let found = by_urn.get(urn).copied().ok_or_else(|| {
                    let text = format!("`{}` refers to `{urn}`, which is not in the program", wanted.urn);
                    DeployError::Program(text)
                })?;
                relations.push(found);
            }
            let before = self.by_urn.get(&wanted.urn).map(|at| &self.nodes[*at]);
            let phase = before.map_or(Phase::Waiting, |before| before.phase);
            if let Some(before) = before.filter(|before| before.phase != Phase::Waiting)
                && before.wanted != wanted
            {
                return Err(changed_mind(&wanted.urn));
            }
            nodes.push(Node { wanted, phase, relations });
        }
        let is_sent = |node: &&Node| node.phase != Phase::Waiting;
        if let Some(node) =
            self.nodes.iter().filter(is_sent).find(|node| !by_urn.contains_key(&node.wanted.urn))
        {
            return Err(changed_mind(&node.wanted.urn));
        }
        self.suspension = program.suspension();
        self.unknown = nodes.iter().filter(|node| node.wanted.waits()).count();
        (self.nodes, self.by_urn, self.news) = (nodes, by_urn, 0);
        Ok(())
    }

    pub(super) fn suspension(&self) -> Option<&str> {
        self.suspension.as_deref()
    }

    /// Whether another round may name more resources, or more of their inputs.
    fn needs_another(&self) -> bool {
        self.news > 0 && (self.suspension.is_some() || (self.unknown > 0 && self.ready().1 > 0))
    }

    /// Whether the program wants a resource of this URN.
    pub(super) fn has(&self, urn: &str) -> bool {
        self.by_urn.contains_key(urn)
    }

    /// Whether the resource of this URN failed or was skipped.
    pub(super) fn is_lost(&self, urn: &str) -> bool {
        self.by_urn.get(urn).is_some_and(|at| self.nodes[*at].phase == Phase::Lost)
    }

    /// The nodes that wait for no other node, and the number of those among them with unknown
    /// inputs, which are left out.
    fn ready(&self) -> (BTreeSet<usize>, usize) {
        let is_ready = |node: &Node| {
            node.phase == Phase::Waiting
                && node.relations.iter().all(|at| self.nodes[*at].phase == Phase::Done)
        };
        let all = self.nodes.iter().enumerate().filter(|(_, node)| is_ready(node));
        let (waiting, ready): (Vec<_>, Vec<_>) = all.partition(|(_, node)| node.wanted.waits());
        (ready.into_iter().map(|(at, _)| at).collect(), waiting.len())
    }

    /// The nodes that depend on each node.
    fn users(&self) -> Vec<Vec<usize>> {
        let mut users = vec![Vec::new(); self.nodes.len()];
        for (at, node) in self.nodes.iter().enumerate() {
            node.relations.iter().for_each(|used| users[*used].push(at));
        }
        users
    }
}

fn changed_mind(urn: &str) -> DeployError {
    DeployError::Program(format!(
        "the program wants `{urn}` in another form after values became known; a resource must not depend on \
         whether a value is known"
    ))
}

impl Run<'_> {
    /// Does all steps but deletions.
    pub(super) fn want(&mut self, rounds: &mut Rounds, program: &mut dyn Program) -> Result<(), DeployError> {
        let mut users = rounds.users();
        let (mut ready, _) = rounds.ready();
        // Replacements that need a deletion first. They run alone, so that no resource that is
        // deleted with them is being changed.
        let mut first: Vec<(usize, Examined)> = Vec::new();
        let mut finished: Vec<usize> = Vec::new();
        loop {
            for at in std::mem::take(&mut finished) {
                rounds.news += 1;
                for &user in &users[at] {
                    let node = &rounds.nodes[user];
                    let is_free = node.relations.iter().all(|at| rounds.nodes[*at].phase == Phase::Done);
                    if node.phase == Phase::Waiting && is_free && !node.wanted.waits() {
                        ready.insert(user);
                    }
                }
            }
            self.is_stopping |= self.options.interrupt.is_requested();
            let is_halted = self.is_stopping || self.broken.is_some();
            let is_full = self.environment.journal_bytes() > self.options.journal_bytes;
            if is_full && self.calls.len() == 0 && self.broken.is_none() {
                self.environment.compact()?;
                continue;
            }
            if !is_halted && !is_full && first.is_empty() {
                while self.calls.len() < self.options.parallelism.max(1) {
                    let Some(at) = ready.pop_first() else { break };
                    if self.send(rounds, at)? {
                        finished.push(at);
                    }
                    if self.broken.is_some() {
                        break;
                    }
                }
                if !finished.is_empty() {
                    continue;
                }
                if ready.is_empty() && rounds.needs_another() {
                    rounds.again(program, self.environment, self.providers)?;
                    users = rounds.users();
                    ready = rounds.ready().0;
                    continue;
                }
            }
            if self.calls.len() == 0 {
                match first.pop().filter(|_| !is_halted) {
                    Some((at, examined)) => {
                        self.replace_after_deletion(rounds, at, examined);
                        continue;
                    }
                    None => break,
                }
            }
            // Intentions that are ready together share one wait for the disk.
            let mut intended: Vec<Apply> = Vec::new();
            for (purpose, answer) in self.calls.wait_all() {
                let urn = match &purpose {
                    Purpose::Apply(apply) => apply.intent.urn.as_str(),
                    Purpose::Examine(urn) => urn,
                };
                let Some(at) = rounds.by_urn.get(urn).copied() else { continue };
                match self.answered(rounds, at, purpose, answer) {
                    Decision::Done => {
                        rounds.nodes[at].phase = Phase::Done;
                        finished.push(at);
                    }
                    Decision::Apply(apply) => intended.push(*apply),
                    Decision::First(examined) => first.push((at, examined)),
                    Decision::Lost => self.lose(rounds, at, &users),
                    Decision::Stopped => {
                        rounds.nodes[at].phase = Phase::Lost;
                        let urn = rounds.nodes[at].wanted.urn.clone();
                        self.skip(&urn, SkipReason::Stopped);
                    }
                }
            }
            self.begin(intended);
        }
        self.close(rounds);
        Ok(())
    }

    /// Takes the answer to a question, or to an operation.
    fn answered(
        &mut self,
        rounds: &mut Rounds,
        at: usize,
        purpose: Purpose,
        answer: Result<Answer, String>,
    ) -> Decision {
        let urn = match purpose {
            Purpose::Apply(apply) => {
                return match self.ended(*apply, answer) {
                    Ended::Done => Decision::Done,
                    Ended::Failed => Decision::Lost,
                };
            }
            Purpose::Examine(urn) => urn,
        };
        let examined = match answer {
            Ok(Answer::Examined(Ok(examined))) => Ok(examined),
            Ok(Answer::Examined(Err(error))) => Err(error.message),
            Ok(_) => Err("the answer is to another question".to_owned()),
            Err(message) => Err(message),
        };
        match examined {
            Err(message) => {
                self.fail(&urn, None, &message, false);
                Decision::Lost
            }
            Ok(_) if self.is_stopping || self.broken.is_some() => Decision::Stopped,
            // A provider may mark values of its own.
            Ok(examined)
                if !self.environment.has_key()
                    && examined.inputs.iter().any(|(_, value)| has_secret(value)) =>
            {
                self.fail(&urn, None, "an input is secret, and there is no key to encrypt it with", false);
                Decision::Lost
            }
            Ok(examined) => self.decide(rounds, at, examined),
        }
    }

    /// Writes the intentions, and makes their calls.
    pub(super) fn begin(&mut self, intended: Vec<Apply>) {
        let intents: Vec<Intent> = intended.iter().map(|apply| apply.intent.clone()).collect();
        if intents.is_empty() {
            return;
        }
        let numbers = self.intend(&intents);
        for (seq, mut apply) in numbers.into_iter().zip(intended) {
            if let Some(provider) = self.providers.of(&apply.intent.type_token) {
                apply.seq = seq;
                self.apply(provider, apply);
            }
        }
    }

    /// Reports the resources that were never sent.
    fn close(&mut self, rounds: &mut Rounds) {
        if self.broken.is_some() {
            return;
        }
        let is_stopped = self.is_stopping;
        for at in 0..rounds.nodes.len() {
            let node = &mut rounds.nodes[at];
            if node.phase != Phase::Waiting {
                continue;
            }
            node.phase = Phase::Lost;
            let urn = node.wanted.urn.clone();
            let unknown = node.wanted.inputs.iter().find(|(_, value)| is_unknown(value));
            let message = match unknown {
                Some((key, _)) => format!("the value of `{key}` never becomes known"),
                None => "it depends on itself, or on a resource that does".to_owned(),
            };
            match is_stopped {
                true => self.skip(&urn, SkipReason::Stopped),
                false => self.fail(&urn, None, &message, false),
            }
        }
    }

    /// Marks a node as lost, and all that depend on it.
    fn lose(&mut self, rounds: &mut Rounds, at: usize, users: &[Vec<usize>]) {
        rounds.nodes[at].phase = Phase::Lost;
        let mut open = vec![at];
        while let Some(at) = open.pop() {
            for &user in &users[at] {
                if rounds.nodes[user].phase == Phase::Waiting {
                    rounds.nodes[user].phase = Phase::Lost;
                    let because = SkipReason::Relation(rounds.nodes[at].wanted.urn.clone());
                    let urn = rounds.nodes[user].wanted.urn.clone();
                    self.skip(&urn, because);
                    open.push(user);
                }
            }
        }
    }

    /// Asks the provider about a node. A component needs no provider: then the node is done.
    fn send(&mut self, rounds: &mut Rounds, at: usize) -> Result<bool, DeployError> {
        let urn = rounds.nodes[at].wanted.urn.clone();
        if self.is_unresolved(&urn, None) {
            self.skip(&urn, SkipReason::Unresolved);
            let users = rounds.users();
            self.lose(rounds, at, &users);
            return Ok(false);
        }
        let (state, wanted) = (self.environment.state(), &rounds.nodes[at].wanted);
        let id_of = |urn: &str| {
            let id = state.live(urn).and_then(ResourceState::id);
            // A component has no id.
            id.unwrap_or(urn).to_owned()
        };
        let resolve = |(key, value): &(String, Value)| (key.clone(), resolved(value, &id_of));
        let inputs: Properties = wanted.inputs.iter().map(resolve).collect();
        let old = state.live(&urn).cloned();
        let provider = self.providers.of(&wanted.type_token);
        let Some(provider) = provider.filter(|_| !wanted.is_component) else {
            let state = old.clone().unwrap_or_else(|| fresh(wanted, None));
            let state = described(state, wanted, &inputs);
            self.set_if_changed(old.as_ref(), state);
            rounds.nodes[at].phase = Phase::Done;
            return Ok(self.broken.is_none());
        };
        let is_inside =
            |old: &ResourceState| old.deleted_with().is_some_and(|around| rounds.replaced.contains(around));
        let question = Question {
            replaced: state.replaced(&urn),
            urn: urn.clone(),
            type_token: wanted.type_token.clone(),
            inputs,
            is_forced: old.as_ref().is_some_and(is_inside),
            old,
            environment: self.environment.name(),
        };
        rounds.nodes[at].phase = Phase::Sent;
        self.calls
            .start(provider, Purpose::Examine(urn), move |provider| Answer::Examined(question.ask(provider)));
        Ok(false)
    }

    fn set_if_changed(&mut self, old: Option<&ResourceState>, state: ResourceState) {
        self.outcome.same += usize::from(old.is_some());
        if old != Some(&state) {
            self.record(&Record::Set { state: state.clone() });
            self.environment.state_mut().set(state);
        }
    }

    fn decide(&mut self, rounds: &mut Rounds, at: usize, examined: Examined) -> Decision {
        let wanted = rounds.nodes[at].wanted.clone();
        let old = self.environment.state().live(&wanted.urn).cloned();
        let Examined { inputs, need } = &examined;
        let is_protected = |old: &ResourceState| old.is_protected() && wanted.protect != Some(false);
        let operation = match (need, &old) {
            (Need::Nothing, Some(old)) => {
                self.set_if_changed(Some(old), described(old.clone(), &wanted, inputs));
                return if self.broken.is_none() { Decision::Done } else { Decision::Lost };
            }
            (Need::Update, Some(_)) => Operation::Update,
            (Need::Replace { .. }, Some(old)) if is_protected(old) => {
                self.fail(&wanted.urn, None, "it is protected, and would have to be replaced", false);
                return Decision::Lost;
            }
            (Need::Replace { deletes_first: true }, Some(_)) => return Decision::First(examined),
            (Need::Replace { .. } | Need::Create, Some(_)) => Operation::CreateReplacement,
            (_, None) => Operation::Create,
        };
        if operation == Operation::CreateReplacement {
            rounds.replaced.insert(wanted.urn.clone());
        }
        Decision::Apply(Box::new(apply_of(operation, &wanted, old, inputs)))
    }

    /// Deletes a resource and all that would be replaced with it, then creates the replacement.
    fn replace_after_deletion(&mut self, rounds: &mut Rounds, at: usize, examined: Examined) {
        let users = rounds.users();
        let urn = rounds.nodes[at].wanted.urn.clone();
        let doomed = match self.doomed(&urn) {
            Ok(doomed) => doomed,
            Err(message) => {
                self.fail(&urn, None, &message, false);
                return self.lose(rounds, at, &users);
            }
        };
        for entry in doomed.into_iter().rev() {
            let Some(before) = self.environment.state().live(&entry).cloned() else { continue };
            let mut after = before.clone();
            after.set("pendingReplacement", Some(true.into()));
            let provider = self.providers.of(before.type_token()).filter(|_| needs_call(&before));
            let Some(provider) = provider else {
                // There is nothing to delete, or it outlives its entry.
                self.record(&Record::Set { state: after.clone() });
                self.environment.state_mut().set(after);
                continue;
            };
            let intent = intent_of(Operation::DeleteFirst, &before, Vec::new());
            let Some(&seq) = self.intend(std::slice::from_ref(&intent)).first() else { return };
            self.apply(provider, Apply { seq, intent, after: Some(after), before: Some(before) });
            let Some((Purpose::Apply(apply), answer)) = self.calls.wait() else { return };
            if self.ended(*apply, answer) == Ended::Failed {
                return self.lose(rounds, at, &users);
            }
        }
        let wanted = rounds.nodes[at].wanted.clone();
        let old = self.environment.state().live(&urn).cloned();
        rounds.replaced.insert(urn);
        self.begin(vec![apply_of(Operation::CreateReplacement, &wanted, old, &examined.inputs)]);
    }

    /// The URNs of a resource and of the live ones that would be replaced if it was, each after one
    /// on which it depends.
    fn doomed(&self, urn: &str) -> Result<Vec<String>, String> {
        let mut all = vec![urn.to_owned()];
        let mut seen: HashSet<String> = all.iter().cloned().collect();
        let mut at = 0;
        while let Some(current) = all.get(at).cloned() {
            at += 1;
            for user in self.environment.state().resources() {
                let is_user =
                    !user.is_condemned() && !user.is_gone() && !user.is_component() && !user.is_external();
                if !is_user || seen.contains(user.urn()) || !user.relations().any(|urn| urn == current) {
                    continue;
                }
                let unknown = || Value::from(UnknownType::String.sentinel());
                let news: Properties = user
                    .inputs()
                    .iter()
                    .map(|(key, value)| {
                        (key.clone(), if user.depends(key, &all) { unknown() } else { value.clone() })
                    })
                    .collect();
                let Some(provider) = self.providers.of(user.type_token()) else { continue };
                let request = DiffRequest { resource: existing(user), new_inputs: &news };
                let diff = provider.diff(&request).map_err(|error| error.message)?;
                if diff.replaces.is_empty() {
                    continue;
                }
                if user.is_protected() {
                    return Err(format!("`{}` would have to be replaced, too, and is protected", user.urn()));
                }
                seen.insert(user.urn().to_owned());
                all.push(user.urn().to_owned());
            }
        }
        Ok(self.in_order(all))
    }

    /// Sorts URNs so that each is after those on which it depends.
    fn in_order(&self, urns: Vec<String>) -> Vec<String> {
        let set: HashSet<&str> = urns.iter().map(String::as_str).collect();
        let state = self.environment.state();
        let mut placed: HashSet<&str> = HashSet::new();
        let mut order: Vec<String> = Vec::with_capacity(urns.len());
        while order.len() < urns.len() {
            let before = order.len();
            for urn in &urns {
                let used = state.live(urn).into_iter().flat_map(ResourceState::relations);
                let mut used = used.filter(|used| *used != urn && set.contains(used));
                if !placed.contains(urn.as_str()) && used.all(|used| placed.contains(used)) {
                    placed.insert(urn);
                    order.push(urn.clone());
                }
            }
            if order.len() == before {
                // A circle has no order.
                order.extend(urns.iter().filter(|urn| !placed.contains(urn.as_str())).cloned());
            }
        }
        order
    }
}

/// Whether the deletion of a resource calls its provider.
pub(crate) fn needs_call(resource: &ResourceState) -> bool {
    !resource.is_component() && !resource.is_external() && !resource.is_gone() && !resource.is_retained()
}

/// The intention of an operation on a resource that exists.
pub(super) fn intent_of(
    operation: Operation,
    resource: &ResourceState,
    carried: Vec<crate::intent::Entry>,
) -> Intent {
    Intent {
        operation,
        urn: resource.urn().to_owned(),
        type_token: resource.type_token().to_owned(),
        id: resource.id().map(str::to_owned),
        inputs: resource.inputs().to_vec(),
        carried,
    }
}

/// The next thing to do for a node.
enum Decision {
    /// Nothing: it is as it is wanted.
    Done,
    Apply(Box<Apply>),
    /// It is replaced after its deletion.
    First(Examined),
    /// It has failed.
    Lost,
    /// Nothing begins any more.
    Stopped,
}

fn apply_of(operation: Operation, wanted: &Wanted, old: Option<ResourceState>, inputs: &Properties) -> Apply {
    let is_update = operation == Operation::Update;
    let state = match old.clone().filter(|_| is_update) {
        Some(old) => old,
        None => fresh(wanted, old.as_ref()),
    };
    let id = old.as_ref().filter(|_| is_update).and_then(ResourceState::id).map(str::to_owned);
    let intent = Intent {
        operation,
        urn: wanted.urn.clone(),
        type_token: wanted.type_token.clone(),
        id,
        inputs: inputs.clone(),
        carried: Vec::new(),
    };
    Apply { seq: 0, intent, after: Some(described(state, wanted, inputs)), before: old }
}
