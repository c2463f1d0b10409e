//! §25.8 Refreshing: the state compared with the resources as they are, and live resources that
//! enter the state.

use crate::environment::Environment;
use crate::error::DeployError;
use crate::journal::Record;
use crate::pool::Pool;
use crate::preview::differing;
use crate::provider::{CallError, Existing, Live, Properties, Providers};
use crate::run::{Options, needs_call};
use crate::state::ResourceState;
use crate::step::answered;
use coconut_format::Value;
use std::collections::BTreeMap;
use std::time::Duration;

/// The parts of live resources that enter the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accept {
    /// None: no file is written.
    Nothing,
    /// The outputs. The inputs stay, so the next deployment makes the resource as the program wants
    /// it.
    Outputs,
    /// The outputs, and the inputs if the provider returns them: the live values are the wanted
    /// ones.
    All,
}

/// A difference between the state and a live resource.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Drift {
    /// The resource in the state.
    pub before: ResourceState,
    /// The resource as it is. `None` if it does not exist.
    pub after: Option<ResourceState>,
    /// The inputs that differ.
    pub inputs: Vec<String>,
    /// The outputs that differ.
    pub outputs: Vec<String>,
}

/// The result of a refresh.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Refreshed {
    /// The number of resources that were read.
    pub read: usize,
    /// The differences, in the order of the state.
    pub drifts: Vec<Drift>,
    /// The resources that could not be read, with the message. They stay as they are.
    pub failed: Vec<(String, String)>,
}

/// Reads all managed resources, and compares them with the state.
///
/// # Errors
/// Fails if a provider is missing or refuses its configuration, and if the state cannot be written.
pub fn refresh(
    environment: &mut Environment,
    providers: &Providers,
    options: &Options,
    accept: Accept,
    report: &mut dyn FnMut(&Record),
) -> Result<Refreshed, DeployError> {
    let all: Vec<ResourceState> =
        environment.state().resources().filter(|one| is_read(one)).cloned().collect();
    for one in &all {
        if providers.of(one.type_token()).is_none() {
            return Err(DeployError::no_provider(one.urn(), one.type_token()));
        }
    }
    providers.configure().map_err(DeployError::refused)?;
    let answers = read_all(&all, providers, options);
    let mut refreshed = Refreshed { read: answers.len(), ..Refreshed::default() };
    for (at, answer) in answers {
        let before = all[at].clone();
        match answer {
            Err(error) => refreshed.failed.push((before.urn().to_owned(), error.message)),
            Ok(live) => refreshed.drifts.extend(drift(before, live, environment.has_key())),
        }
    }
    if accept != Accept::Nothing {
        for drift in &refreshed.drifts {
            write(environment, drift, accept, report)?;
        }
        environment.compact()?;
    }
    Ok(refreshed)
}

fn is_read(resource: &ResourceState) -> bool {
    let exists = !resource.is_component() && !resource.is_gone() && !resource.is_condemned();
    exists && (needs_call(resource) || resource.is_external() || resource.is_retained())
}

/// The answers by the position of the resource.
fn read_all(
    all: &[ResourceState],
    providers: &Providers,
    options: &Options,
) -> BTreeMap<usize, Result<Option<Live>, CallError>> {
    let mut pool: Pool<Result<Option<Live>, CallError>> = Pool::new();
    let (mut answers, mut next, mut busy) = (BTreeMap::new(), 0, 0);
    while answers.len() < all.len() {
        while busy < options.parallelism.max(1) && next < all.len() && !options.interrupt.is_requested() {
            let resource = all[next].clone();
            if let Some(provider) = providers.of(resource.type_token()).cloned() {
                pool.run(next as u64, busy, move || provider.read(&crate::step::existing(&resource)));
                busy += 1;
            }
            next += 1;
        }
        if busy == 0 {
            break;
        }
        let Some((number, answer)) = pool.wait(Duration::from_millis(100)) else { continue };
        let answer = answer.unwrap_or_else(|| Err(CallError::rejected("the provider has panicked")));
        busy -= 1;
        answers.insert(usize::try_from(number).unwrap_or(usize::MAX), answer);
    }
    answers
}

fn drift(before: ResourceState, live: Option<Live>, has_key: bool) -> Option<Drift> {
    let Some(live) = live.filter(|live| !live.id.is_empty()) else {
        return Some(Drift { before, after: None, inputs: Vec::new(), outputs: Vec::new() });
    };
    let mut after = answered(before.clone(), Some(&live.id), live.outputs, &[], has_key);
    if let Some(errors) = before.field("initErrors") {
        after.set("initErrors", Some(errors.clone()));
    }
    let outputs = differing(before.outputs(), after.outputs());
    let inputs = match live.inputs.filter(|inputs| !inputs.is_empty()) {
        Some(inputs) => {
            let found = differing(before.inputs(), &inputs);
            after.set("inputs", Some(Value::Object(inputs)));
            found
        }
        None => Vec::new(),
    };
    let is_same = outputs.is_empty() && inputs.is_empty() && before.id() == after.id();
    (!is_same).then_some(Drift { before, after: Some(after), inputs, outputs })
}

fn write(
    environment: &mut Environment,
    drift: &Drift,
    accept: Accept,
    report: &mut dyn FnMut(&Record),
) -> Result<(), DeployError> {
    let Some(after) = &drift.after else {
        let gone = drift.before.urn();
        let users: Vec<ResourceState> = environment
            .state()
            .resources()
            .filter(|user| user.urn() != gone && user.relations().any(|urn| urn == gone))
            .cloned()
            .collect();
        for user in users {
            let state = user.without_relation(gone);
            record(environment, Record::Set { state: state.clone() }, report)?;
            environment.state_mut().set(state);
        }
        record(environment, Record::Forget { entry: drift.before.entry() }, report)?;
        environment.state_mut().forget(&drift.before.entry());
        return Ok(());
    };
    let mut state = after.clone();
    if accept == Accept::Outputs {
        state.set("inputs", Some(Value::Object(drift.before.inputs().to_vec())));
    }
    record(environment, Record::Set { state: state.clone() }, report)?;
    environment.state_mut().set(state);
    Ok(())
}

fn record(
    environment: &mut Environment,
    record: Record,
    report: &mut dyn FnMut(&Record),
) -> Result<(), DeployError> {
    let written = environment.append(&record);
    written.map_err(|error| error.into_deploy(environment.state()))?;
    report(&record);
    Ok(())
}

/// Reads a live resource by its id, and adds it to the state. It is managed from then on. `None` if
/// it does not exist.
///
/// # Errors
/// Fails if the state has the URN, the provider is missing or cannot read the resource, and if the
/// state cannot be written.
pub fn import_live(
    environment: &mut Environment,
    urn: &str,
    type_token: &str,
    id: &str,
    providers: &Providers,
) -> Result<Option<ResourceState>, DeployError> {
    if environment.state().live(urn).is_some() {
        return Err(DeployError::Exists(urn.to_owned()));
    }
    let provider = providers.of(type_token).ok_or_else(|| DeployError::no_provider(urn, type_token))?;
    providers.configure().map_err(DeployError::refused)?;
    let none: Properties = Vec::new();
    let read = provider.read(&Existing { urn, type_token, id, inputs: &none, outputs: &none });
    let live = read.map_err(|error| DeployError::Read { urn: urn.to_owned(), message: error.message })?;
    let Some(live) = live.filter(|live| !live.id.is_empty()) else { return Ok(None) };
    let has_key = environment.has_key();
    let mut state = ResourceState::new(urn, type_token);
    let inputs = live.inputs.unwrap_or_else(|| live.outputs.clone());
    state.set("inputs", Some(Value::Object(inputs)));
    let state = answered(state, Some(&live.id), live.outputs, &[], has_key);
    record(environment, Record::Set { state: state.clone() }, &mut |_| {})?;
    environment.state_mut().set(state.clone());
    environment.compact()?;
    Ok(Some(state))
}
