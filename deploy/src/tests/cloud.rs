//! A provider in memory.

use crate::{
    CallError, CheckRequest, Checked, Created, Diff, DiffRequest, Existing, Live, Properties, Provider,
    Updated,
};
use coconut_format::Value;
use std::collections::BTreeMap;
use std::sync::Mutex;

#[derive(Clone, Debug)]
pub(super) struct Thing {
    pub(super) urn: String,
    pub(super) inputs: Properties,
}

#[derive(Debug, Default)]
struct Contents {
    things: BTreeMap<String, Thing>,
    made: u64,
    log: Vec<String>,
    /// The fault of the next call of a kind for a name.
    faults: BTreeMap<String, &'static str>,
}

/// Things with a `size` that can change, a `kind` that replaces, and a `zone` that replaces after a
/// deletion. Other inputs are references; a new value of `on` replaces after a deletion, too.
#[derive(Debug, Default)]
pub(super) struct Cloud(Mutex<Contents>);

impl Cloud {
    pub(super) fn things(&self) -> BTreeMap<String, Thing> {
        self.0.lock().unwrap().things.clone()
    }

    /// The calls that changed something, since the last question: `create a`.
    pub(super) fn log(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap().log)
    }

    /// Lets the next call fail: `create a`. The fault is one of those in [`Cloud::call`].
    pub(super) fn fail(&self, call: &str, fault: &'static str) {
        self.0.lock().unwrap().faults.insert(call.to_owned(), fault);
    }

    pub(super) fn remove(&self, id: &str) {
        self.0.lock().unwrap().things.remove(id);
    }

    /// Runs a call that changes something, with its fault.
    fn call<T>(
        &self,
        name: &str,
        urn: &str,
        effect: impl FnOnce(&mut Contents) -> T,
    ) -> Result<T, CallError> {
        let call = format!("{name} {}", super::name_of(urn));
        let fault = self.0.lock().unwrap().faults.remove(&call);
        match fault {
            Some("rejected") => return Err(CallError::rejected("no")),
            Some("unclear before") => return Err(CallError::unclear("transport error")),
            Some("panic before") => panic!("a fault"),
            Some("hang") => loop {
                std::thread::park();
            },
            _ => {}
        }
        let mut contents = self.0.lock().unwrap();
        contents.log.push(call);
        let result = effect(&mut contents);
        drop(contents);
        match fault {
            Some("unclear after") => Err(CallError::unclear("transport error")),
            Some("panic after") => panic!("a fault"),
            _ => Ok(result),
        }
    }

    fn has_init_error(&self, inputs: &[(String, Value)]) -> Vec<String> {
        let is_one = inputs.iter().any(|(key, value)| key == "ready" && matches!(value, Value::Bool(false)));
        if is_one { vec!["not ready".to_owned()] } else { Vec::new() }
    }
}

fn outputs(id: &str, inputs: &[(String, Value)]) -> Properties {
    let mut outputs = inputs.to_vec();
    outputs.push(("address".to_owned(), format!("10.{id}").into()));
    outputs
}

impl Provider for Cloud {
    fn configure(&self, _: &[(String, Value)]) -> Result<(), CallError> {
        Ok(())
    }

    fn check(&self, request: &CheckRequest<'_>) -> Result<Checked, CallError> {
        let is_bad = request.new_inputs.iter().any(|(key, _)| key == "bad");
        let failures = if is_bad { vec![("bad".to_owned(), "is bad".to_owned())] } else { Vec::new() };
        Ok(Checked { inputs: request.new_inputs.to_vec(), failures })
    }

    fn diff(&self, request: &DiffRequest<'_>) -> Result<Diff, CallError> {
        let value = |of: &[(String, Value)], key: &str| {
            of.iter().find(|(name, _)| name == key).map(|(_, value)| value.clone())
        };
        let differs = |key: &&str| value(request.resource.inputs, key) != value(request.new_inputs, key);
        let mut keys: Vec<&str> = request.resource.inputs.iter().map(|(key, _)| key.as_str()).collect();
        keys.extend(request.new_inputs.iter().map(|(key, _)| key.as_str()));
        keys.sort_unstable();
        keys.dedup();
        let changed: Vec<&str> = keys.into_iter().filter(differs).collect();
        let replaces: Vec<String> = changed
            .iter()
            .filter(|key| ["kind", "zone", "on"].contains(key))
            .map(|key| (*key).to_owned())
            .collect();
        let deletes_first = replaces.iter().any(|key| key != "kind");
        Ok(Diff { has_changes: Some(!changed.is_empty()), replaces, deletes_first })
    }

    fn create(&self, urn: &str, _: &str, inputs: &[(String, Value)]) -> Result<Created, CallError> {
        let id = self.call("create", urn, |contents| {
            contents.made += 1;
            let id = contents.made.to_string();
            contents.things.insert(id.clone(), Thing { urn: urn.to_owned(), inputs: inputs.to_vec() });
            id
        })?;
        let outputs = outputs(&id, inputs);
        Ok(Created { id, outputs, init_errors: self.has_init_error(inputs) })
    }

    fn read(&self, resource: &Existing<'_>) -> Result<Option<Live>, CallError> {
        let thing = self.things().remove(resource.id);
        Ok(thing.map(|thing| Live {
            id: resource.id.to_owned(),
            outputs: outputs(resource.id, &thing.inputs),
            inputs: Some(thing.inputs),
        }))
    }

    fn update(&self, resource: &Existing<'_>, inputs: &[(String, Value)]) -> Result<Updated, CallError> {
        let is_there = self.call("update", resource.urn, |contents| {
            let thing = contents.things.get_mut(resource.id);
            thing.map(|thing| thing.inputs = inputs.to_vec()).is_some()
        })?;
        match is_there {
            true => Ok(Updated {
                outputs: outputs(resource.id, inputs),
                init_errors: self.has_init_error(inputs),
            }),
            false => Err(CallError::rejected("it does not exist")),
        }
    }

    fn delete(&self, resource: &Existing<'_>) -> Result<(), CallError> {
        let is_there = self.call("delete", resource.urn, |contents| {
            let removed = contents.things.remove(resource.id);
            // Things go with the one that holds them.
            let inside = |thing: &Thing| {
                thing.inputs.iter().any(|(key, value)| key == "in" && value.as_str() == Some(resource.id))
            };
            contents.things.retain(|_, thing| !inside(thing));
            removed.is_some()
        })?;
        if is_there { Ok(()) } else { Err(CallError::rejected("it does not exist")) }
    }

    fn cancel(&self) {}
}
