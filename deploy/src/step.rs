//! §25.4 The step of one resource: the questions to its provider, and the state afterwards.

use crate::cipher::has_secret;
use crate::program::{Wanted, references};
use crate::provider::{CallError, CheckRequest, DiffRequest, Existing, Properties, Provider};
use crate::state::ResourceState;
use coconut_format::Value;
use sha2::{Digest, Sha256};
use std::collections::HashSet;

/// The answers of a provider about a wanted resource.
#[derive(Clone, Debug)]
pub(crate) struct Examined {
    /// The checked inputs.
    pub(crate) inputs: Properties,
    pub(crate) need: Need,
}

/// The operation that a resource needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    Create,
    Nothing,
    Update,
    Replace { deletes_first: bool },
}

/// A wanted resource, and the one that exists.
pub(crate) struct Question {
    pub(crate) urn: String,
    pub(crate) type_token: String,
    /// Without references.
    pub(crate) inputs: Properties,
    pub(crate) old: Option<ResourceState>,
    /// Whether it is replaced in any case.
    pub(crate) is_forced: bool,
    pub(crate) environment: String,
    /// The number of its replacements that wait to be deleted.
    pub(crate) replaced: usize,
}

impl Question {
    /// Asks the provider. Nothing changes.
    pub(crate) fn ask(&self, provider: &dyn Provider) -> Result<Examined, CallError> {
        let old = self.old.as_ref().filter(|old| !old.is_gone() && !old.is_external());
        let Some(old) = old.filter(|_| !self.is_forced) else {
            let need = match old {
                Some(_) => Need::Replace { deletes_first: false },
                None => Need::Create,
            };
            return Ok(Examined { inputs: self.check(provider, None)?, need });
        };
        let inputs = self.check(provider, Some(old.inputs()))?;
        let diff = provider.diff(&DiffRequest { resource: existing(old), new_inputs: &inputs })?;
        if !diff.replaces.is_empty() {
            let inputs = self.check(provider, None)?;
            return Ok(Examined { inputs, need: Need::Replace { deletes_first: diff.deletes_first } });
        }
        let has_changes = diff.has_changes.unwrap_or_else(|| inputs != old.inputs());
        let need = if has_changes || old.is_unready() { Need::Update } else { Need::Nothing };
        Ok(Examined { inputs, need })
    }

    fn check(
        &self,
        provider: &dyn Provider,
        old_inputs: Option<&[(String, Value)]>,
    ) -> Result<Properties, CallError> {
        let checked = provider.check(&CheckRequest {
            urn: &self.urn,
            type_token: &self.type_token,
            old_inputs,
            new_inputs: &self.inputs,
            seed: self.seed(old_inputs.is_none()),
        })?;
        match checked.failures.is_empty() {
            true => Ok(checked.inputs),
            false => {
                let lines = checked.failures.iter().map(|(property, reason)| match property.is_empty() {
                    true => reason.clone(),
                    false => format!("`{property}`: {reason}"),
                });
                Err(CallError::rejected(lines.collect::<Vec<_>>().join("; ")))
            }
        }
    }

    /// Depends on the environment, the URN and the resource of the URN, so that another attempt has
    /// the same seed, and a replacement has another.
    fn seed(&self, is_new: bool) -> [u8; 32] {
        let id = self.old.as_ref().filter(|_| is_new).and_then(ResourceState::id).unwrap_or_default();
        let parts = [&self.environment, &self.urn, id, &self.replaced.to_string()];
        let mut digest = Sha256::new();
        for part in parts {
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part);
        }
        digest.finalize().into()
    }
}

/// A resource of a state as its provider knows it.
pub(crate) fn existing(resource: &ResourceState) -> Existing<'_> {
    Existing {
        urn: resource.urn(),
        type_token: resource.type_token(),
        id: resource.id().unwrap_or_default(),
        inputs: resource.inputs(),
        outputs: resource.outputs(),
    }
}

/// Marks of a replaced resource that its replacement has, too, because programs cannot set them.
const INHERITED: [&str; 6] =
    ["protect", "retainOnDelete", "deletedWith", "provider", "customTimeouts", "additionalSecretOutputs"];

/// The replacement or the first resource of a URN, without what its provider answers.
pub(crate) fn fresh(wanted: &Wanted, old: Option<&ResourceState>) -> ResourceState {
    let mut state = ResourceState::new(&wanted.urn, &wanted.type_token);
    for key in INHERITED {
        if let Some(value) = old.and_then(|old| old.field(key)) {
            state.set(key, Some(value.clone()));
        }
    }
    state
}

/// The state with what the program says about the resource.
pub(crate) fn described(
    mut state: ResourceState,
    wanted: &Wanted,
    inputs: &[(String, Value)],
) -> ResourceState {
    let list = |urns: &[&str]| -> Value { urns.iter().map(|urn| Value::from(*urn)).collect() };
    let by_property: Vec<(&str, Value)> = wanted
        .inputs
        .iter()
        .map(|(key, value)| (key.as_str(), distinct(references(value))))
        .filter(|(_, found)| !found.is_empty())
        .map(|(key, found)| (key, list(&found)))
        .collect();
    let referred = wanted.inputs.iter().flat_map(|(_, value)| references(value));
    let all = distinct(referred.chain(wanted.dependencies.iter().map(String::as_str)));
    if wanted.is_component {
        state.set("custom", Some(false.into()));
    }
    state.set("inputs", Some(Value::Object(inputs.to_vec())));
    state.set("parent", wanted.parent.as_deref().map(Value::from));
    state.set("dependencies", (!all.is_empty()).then(|| list(&all)));
    state.set("propertyDependencies", (!by_property.is_empty()).then(|| Value::from_iter(by_property)));
    if let Some(protect) = wanted.protect {
        state.set("protect", Some(protect.into()));
    }
    state
}

fn distinct<'u>(urns: impl IntoIterator<Item = &'u str>) -> Vec<&'u str> {
    let mut seen = HashSet::new();
    urns.into_iter().filter(|urn| seen.insert(*urn)).collect()
}

/// The state with the answer of a provider. Without a key to encrypt it with, a property with a
/// secret is left out; `additionalSecretOutputs` then has its name.
pub(crate) fn answered(
    mut state: ResourceState,
    id: Option<&str>,
    outputs: Properties,
    init_errors: &[String],
    has_key: bool,
) -> ResourceState {
    if let Some(id) = id {
        state.set("id", Some(id.into()));
    }
    let (secret, open): (Properties, Properties) =
        outputs.into_iter().partition(|(_, value)| !has_key && has_secret(value));
    state.set("outputs", Some(Value::Object(open)));
    if !secret.is_empty() {
        let known = state.field("additionalSecretOutputs").and_then(Value::as_list).unwrap_or_default();
        let mut names = known.to_vec();
        for (name, _) in secret {
            if !names.iter().any(|known| known.as_str() == Some(&name)) {
                names.push(name.into());
            }
        }
        state.set("additionalSecretOutputs", Some(Value::List(names)));
    }
    let errors = init_errors.iter().map(|error| Value::from(error.as_str()));
    state.set("initErrors", (!init_errors.is_empty()).then(|| errors.collect()));
    state
}
