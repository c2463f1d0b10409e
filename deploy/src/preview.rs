//! §25.8 Previews: the steps that a deployment would do, as far as they are known before.

use crate::environment::Environment;
use crate::error::DeployError;
use crate::pool::Pool;
use crate::program::{Known, Program, Wanted, is_unknown, resolved};
use crate::provider::{CallError, Properties, Providers};
use crate::run::{Options, needs_call};
use crate::state::{ResourceState, State};
use crate::step::{Examined, Need, Question};
use coconut_format::Value;
use coconut_format::graph::UnknownType;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

coconut_format::named! {
    /// The action of a [`Step`].
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum Action, ALL {
        /// Creates the resource.
        Create = "create";
        /// Changes the resource in place.
        Update = "update";
        /// Replaces the resource.
        Replace = "replace";
        /// Deletes the resource.
        Delete = "delete";
        /// The resource is as it is wanted.
        Same = "same";
        /// Removes the resource from the state without a call.
        Forget = "forget";
        /// Leaves the resource as it is, because it is protected or unresolved.
        Refuse = "refuse";
    }
    /// The name.
    pub fn as_str;
}

/// A step that a deployment would do.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step {
    /// The action.
    pub action: Action,
    /// The URN of the resource.
    pub urn: String,
    /// Its type.
    pub type_token: String,
    /// Its id, if it exists.
    pub id: Option<String>,
    /// The inputs that differ from those of the state.
    pub changed: Vec<String>,
    /// The reason, or the message of the provider that refuses the inputs.
    pub reason: Option<String>,
}

/// The steps that a deployment would do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Preview {
    /// The steps in a possible order: each after those on which it depends, deletions last.
    pub steps: Vec<Step>,
    /// The reason why more steps may follow: the program waits for a value.
    pub unfinished: Option<String>,
    /// The resources that a provider refuses, with its message.
    pub failed: Vec<(String, String)>,
}

impl Preview {
    /// Whether a deployment would change anything, or would fail.
    pub fn has_changes(&self) -> bool {
        let changes = |step: &Step| step.action != Action::Same;
        self.unfinished.is_some() || !self.failed.is_empty() || self.steps.iter().any(changes)
    }

    /// The number of steps with an action.
    pub fn count(&self, action: Action) -> usize {
        self.steps.iter().filter(|step| step.action == action).count()
    }
}

/// Finds the steps that [`deploy`](crate::deploy()) would do. Checks and compares with the
/// providers. Changes nothing and writes no file.
///
/// A value that is only known after a deployment is unknown in the requests. So a resource that
/// depends on a new one may turn out to be the same.
///
/// # Errors
/// The same as those of a deployment before its first step.
pub fn preview(
    environment: &Environment,
    program: &mut dyn Program,
    providers: &Providers,
    options: &Options,
) -> Result<Preview, DeployError> {
    let state = environment.state();
    let mut is_configured = false;
    let mut decided: HashMap<String, Step> = HashMap::new();
    let mut preview = Preview::default();
    let mut known = Known::new();
    loop {
        let wanted = program.resources(&known).map_err(DeployError::Program)?;
        preview.unfinished = program.suspension();
        let is_missing = |one: &&Wanted| !one.is_component && providers.of(&one.type_token).is_none();
        if let Some(one) = wanted.iter().find(is_missing) {
            return Err(DeployError::no_provider(&one.urn, &one.type_token));
        }
        if !std::mem::replace(&mut is_configured, true) {
            providers.configure().map_err(DeployError::refused)?;
        }
        let before = known.len();
        examine(environment, &wanted, providers, options, &mut decided, &mut preview, &mut known)?;
        // Outputs of resources that stay as they are may complete others.
        let waits = preview.unfinished.is_some() || wanted.iter().any(|one| !decided.contains_key(&one.urn));
        if known.len() > before && waits {
            continue;
        }
        // The rest depends on values that are not known before.
        let order: Vec<String> = wanted.iter().map(|one| one.urn.clone()).collect();
        let rest = |one: &Wanted| !decided.contains_key(&one.urn) && !preview.has_failed(&one.urn);
        let rest: Vec<Wanted> = wanted.into_iter().filter(rest).collect();
        examine_rest(environment, &rest, providers, options, &mut decided, &mut preview)?;
        let found = order.iter().filter_map(|urn| decided.remove(urn));
        preview.steps.extend(found);
        let wanted: HashSet<&str> = order.iter().map(String::as_str).collect();
        if preview.unfinished.is_none() {
            preview.steps.extend(deletions(state, &wanted));
        }
        return Ok(preview);
    }
}

impl Preview {
    fn has_failed(&self, urn: &str) -> bool {
        self.failed.iter().any(|(failed, _)| failed == urn)
    }
}

/// Examines the resources whose inputs are known and whose relations are decided, until none is
/// left. Those that stay as they are become known.
fn examine(
    environment: &Environment,
    wanted: &[Wanted],
    providers: &Providers,
    options: &Options,
    decided: &mut HashMap<String, Step>,
    preview: &mut Preview,
    known: &mut Known,
) -> Result<(), DeployError> {
    let mut waiting: Vec<&Wanted> = wanted.iter().filter(|one| !decided.contains_key(&one.urn)).collect();
    loop {
        let is_ready = |one: &&Wanted| {
            !one.waits()
                && one.relations().all(|urn| decided.contains_key(urn))
                && !preview.has_failed(&one.urn)
        };
        let (ready, rest): (Vec<&Wanted>, Vec<&Wanted>) = waiting.into_iter().partition(is_ready);
        if ready.is_empty() {
            return Ok(());
        }
        for (urn, step) in ask(environment, &ready, providers, options, decided, preview)? {
            if step.action == Action::Same
                && let Some(live) = environment.state().live(&urn)
            {
                known.insert(urn.clone(), (live.id().map(str::to_owned), live.outputs().to_vec()));
            }
            decided.insert(urn, step);
        }
        waiting = rest;
    }
}

/// Examines resources with inputs that stay unknown, each after those on which it depends.
fn examine_rest(
    environment: &Environment,
    rest: &[Wanted],
    providers: &Providers,
    options: &Options,
    decided: &mut HashMap<String, Step>,
    preview: &mut Preview,
) -> Result<(), DeployError> {
    let mut waiting: Vec<&Wanted> = rest.iter().collect();
    while !waiting.is_empty() {
        let open: HashSet<&str> = waiting.iter().map(|one| one.urn.as_str()).collect();
        let is_ready = |one: &&Wanted| !one.relations().any(|urn| open.contains(urn));
        let (mut ready, mut later): (Vec<&Wanted>, Vec<&Wanted>) =
            waiting.iter().partition(|one| is_ready(one));
        if ready.is_empty() {
            std::mem::swap(&mut ready, &mut later);
        }
        decided.extend(ask(environment, &ready, providers, options, decided, preview)?);
        waiting = later;
    }
    Ok(())
}

/// Asks the providers about resources, several at a time.
fn ask(
    environment: &Environment,
    ready: &[&Wanted],
    providers: &Providers,
    options: &Options,
    decided: &HashMap<String, Step>,
    preview: &mut Preview,
) -> Result<Vec<(String, Step)>, DeployError> {
    let state = environment.state();
    let mut pool: Pool<Result<Examined, CallError>> = Pool::new();
    let mut running: BTreeMap<u64, &Wanted> = BTreeMap::new();
    let mut steps = Vec::with_capacity(ready.len());
    let mut next = ready.iter().enumerate();
    loop {
        while running.len() < options.parallelism.max(1) {
            let Some((number, wanted)) = next.next() else { break };
            let old = state.live(&wanted.urn).cloned();
            let is_open = state.unresolved().iter().any(|one| one.intent.urn == wanted.urn);
            if is_open {
                let step = step_of(Action::Refuse, wanted, old.as_ref(), Vec::new());
                let reason = Some("an operation on it is unresolved".to_owned());
                steps.push((wanted.urn.clone(), Step { reason, ..step }));
                continue;
            }
            if wanted.is_component {
                let action = if old.is_some() { Action::Same } else { Action::Create };
                steps.push((wanted.urn.clone(), step_of(action, wanted, old.as_ref(), Vec::new())));
                continue;
            }
            let provider = providers.of(&wanted.type_token);
            let provider =
                provider.ok_or_else(|| DeployError::no_provider(&wanted.urn, &wanted.type_token))?.clone();
            let question = Question {
                replaced: state.replaced(&wanted.urn),
                urn: wanted.urn.clone(),
                type_token: wanted.type_token.clone(),
                inputs: inputs_before(wanted, state, decided),
                is_forced: false,
                old,
                environment: environment.name(),
            };
            let busy = running.len();
            running.insert(number as u64, wanted);
            pool.run(number as u64, busy, move || question.ask(&*provider));
        }
        if running.is_empty() {
            return Ok(steps);
        }
        if options.interrupt.is_requested() {
            return Err(DeployError::Program("interrupted".to_owned()));
        }
        let Some((number, answer)) = pool.wait(Duration::from_millis(100)) else { continue };
        let Some(wanted) = running.remove(&number) else { continue };
        let answer = answer.unwrap_or_else(|| Err(CallError::rejected("the provider has panicked")));
        match answer {
            Err(error) => preview.failed.push((wanted.urn.clone(), error.message)),
            Ok(examined) => {
                let old = state.live(&wanted.urn);
                steps.push((wanted.urn.clone(), decide(wanted, old, &examined)));
            }
        }
    }
}

/// The inputs with the ids that are known. Those of resources that will be created are unknown.
fn inputs_before(wanted: &Wanted, state: &State, decided: &HashMap<String, Step>) -> Properties {
    let unknown = UnknownType::String.sentinel();
    let id_of = |urn: &str| {
        let stays = decided.get(urn).is_none_or(|step| matches!(step.action, Action::Same | Action::Update));
        let live = state.live(urn).filter(|_| stays);
        match live {
            Some(live) => live.id().unwrap_or(urn).to_owned(),
            None => unknown.to_owned(),
        }
    };
    wanted.inputs.iter().map(|(key, value)| (key.clone(), resolved(value, &id_of))).collect()
}

fn step_of(action: Action, wanted: &Wanted, old: Option<&ResourceState>, changed: Vec<String>) -> Step {
    Step {
        action,
        urn: wanted.urn.clone(),
        type_token: wanted.type_token.clone(),
        id: old.filter(|old| !old.is_gone()).and_then(ResourceState::id).map(str::to_owned),
        changed,
        reason: None,
    }
}

fn decide(wanted: &Wanted, old: Option<&ResourceState>, examined: &Examined) -> Step {
    let Examined { inputs, need } = examined;
    let changed = old.map(|old| differing(old.inputs(), inputs)).unwrap_or_default();
    let is_protected = |old: &ResourceState| old.is_protected() && wanted.protect != Some(false);
    let (action, reason) = match (need, old) {
        (Need::Nothing, _) => (Action::Same, None),
        (Need::Update, Some(old)) => {
            (Action::Update, old.is_unready().then_some("its initialization failed"))
        }
        (Need::Replace { .. }, Some(old)) if is_protected(old) => {
            (Action::Refuse, Some("it is protected, and would have to be replaced"))
        }
        (Need::Replace { deletes_first }, Some(_)) => {
            (Action::Replace, deletes_first.then_some("it is deleted first"))
        }
        (Need::Create, Some(old)) if old.is_gone() => {
            (Action::Create, Some("the old one was already deleted"))
        }
        _ => (Action::Create, None),
    };
    Step { reason: reason.map(str::to_owned), ..step_of(action, wanted, old, changed) }
}

/// The names of the properties that differ, in the order of the new ones.
pub(crate) fn differing(old: &[(String, Value)], new: &[(String, Value)]) -> Vec<String> {
    let find = |all: &[(String, Value)], key: &str| {
        all.iter().find(|(name, _)| name == key).map(|(_, value)| value.clone())
    };
    let changed =
        new.iter().filter(|(key, value)| find(old, key).as_ref() != Some(value) || is_unknown(value));
    let gone = old.iter().filter(|(key, _)| find(new, key).is_none());
    changed.chain(gone).map(|(key, _)| key.clone()).collect()
}

/// The entries of the state that the program does not want, dependents first.
fn deletions(state: &State, wanted: &HashSet<&str>) -> Vec<Step> {
    let all: Vec<&ResourceState> = state.resources().collect();
    let leaves = |one: &&&ResourceState| one.is_condemned() || !wanted.contains(one.urn());
    let step = |one: &&ResourceState| {
        let (action, reason) = match one {
            one if one.is_protected() && !one.is_condemned() && needs_call(one) => {
                (Action::Refuse, Some("it is protected"))
            }
            one if one.is_gone() => (Action::Forget, Some("it was already deleted")),
            one if one.is_external() => (Action::Forget, Some("it was only read")),
            one if one.is_retained() => (Action::Forget, Some("it is retained")),
            one if !needs_call(one) => (Action::Forget, None),
            one if one.is_condemned() => (Action::Delete, Some("it was replaced")),
            _ => (Action::Delete, None),
        };
        Step {
            action,
            urn: one.urn().to_owned(),
            type_token: one.type_token().to_owned(),
            id: one.id().map(str::to_owned),
            changed: Vec::new(),
            reason: reason.map(str::to_owned),
        }
    };
    all.iter().rev().filter(leaves).map(step).collect()
}
