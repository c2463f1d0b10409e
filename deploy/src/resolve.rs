//! §25.5 Operations whose outcome is not known, settled by reading the resource.

use crate::environment::Environment;
use crate::error::DeployError;
use crate::intent::{Intent, Operation};
use crate::journal::Record;
use crate::provider::{Existing, Live, Providers};
use crate::state::ResourceState;
use crate::step::answered;
use coconut_format::Value;

/// Settles the unresolved creation of a URN: with `id`, the resource is read and enters the state;
/// without, it does not exist. Returns whether there is such a resource.
///
/// # Errors
/// Fails if no creation of the URN is unresolved, the provider cannot read the resource, or the
/// journal cannot be written. Nothing is changed then.
pub fn resolve(
    environment: &mut Environment,
    urn: &str,
    id: Option<&str>,
    providers: &Providers,
) -> Result<bool, DeployError> {
    let all = environment.state().unresolved().iter().map(|one| &one.intent);
    let intent = all.filter(|intent| intent.operation.is_create()).find(|intent| intent.urn == urn);
    let intent = intent.cloned().ok_or_else(|| DeployError::NotUnresolved(urn.to_owned()))?;
    let state = match id {
        None => None,
        Some(id) => read_configured(&intent, id, providers)?.map(|live| {
            let old = environment.state().live(urn);
            let mut state = old.cloned().unwrap_or_else(|| ResourceState::new(urn, &intent.type_token));
            state.set("pendingReplacement", None);
            state.set("inputs", Some(Value::Object(live.inputs.unwrap_or_else(|| intent.inputs.clone()))));
            answered(state, Some(&live.id), live.outputs, &[], environment.has_key())
        }),
    };
    let is_there = state.is_some();
    let record = Record::Settle { intent, state };
    write(environment, record)?;
    environment.compact()?;
    Ok(is_there)
}

/// Settles unfinished updates and deletions.
pub(crate) fn settle(
    environment: &mut Environment,
    providers: &Providers,
    report: &mut dyn FnMut(&Record),
) -> Result<(), DeployError> {
    let all = environment.state().unresolved().iter().map(|one| one.intent.clone());
    let open: Vec<Intent> = all.filter(|intent| !intent.operation.is_create()).collect();
    for intent in open {
        let id = intent.id.clone().unwrap_or_default();
        let live = read(&intent, &id, providers)?;
        let is_condemned = intent.operation == Operation::DeleteReplaced;
        let entry = environment.state().resources().find(|resource| {
            let is_one = resource.urn() == intent.urn && resource.is_condemned() == is_condemned;
            is_one && (!is_condemned || resource.id() == intent.id.as_deref())
        });
        // The old inputs are compared with the new ones again, so a half update is repeated.
        let state = live.and_then(|live| entry.cloned().map(|state| (state, live)));
        let state = state
            .map(|(state, live)| answered(state, Some(&live.id), live.outputs, &[], environment.has_key()));
        let record = Record::Settle { intent, state };
        write(environment, record.clone())?;
        report(&record);
    }
    Ok(())
}

/// Writes the record, and changes the state.
fn write(environment: &mut Environment, record: Record) -> Result<(), DeployError> {
    let written = environment.append(&record);
    written.map_err(|error| error.into_deploy(environment.state()))?;
    if let Record::Settle { intent, state } = record {
        environment.state_mut().settle(&intent, state);
    }
    Ok(())
}

fn read_configured(intent: &Intent, id: &str, providers: &Providers) -> Result<Option<Live>, DeployError> {
    let Intent { urn, type_token, .. } = intent;
    // Only then may the others be prepared.
    providers.of(type_token).ok_or_else(|| DeployError::no_provider(urn, type_token))?;
    providers.configure().map_err(DeployError::refused)?;
    read(intent, id, providers)
}

fn read(intent: &Intent, id: &str, providers: &Providers) -> Result<Option<Live>, DeployError> {
    let Intent { urn, type_token, inputs, .. } = intent;
    let provider = providers.of(type_token).ok_or_else(|| DeployError::no_provider(urn, type_token))?;
    let resource = Existing { urn, type_token, id, inputs, outputs: &[] };
    let read = provider.read(&resource);
    let live = read.map_err(|error| DeployError::Read { urn: urn.clone(), message: error.message })?;
    Ok(live.filter(|live| !live.id.is_empty()))
}
