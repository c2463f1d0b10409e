//! §25.4 A deployment: the order of the steps, and the records around each call.

mod calls;
mod deletions;
mod wanted;

use crate::cipher::has_secret;
use crate::environment::Environment;
use crate::error::DeployError;
use crate::intent::{Intent, Operation};
use crate::interrupt::Interrupt;
use crate::journal::{Record, WriteError};
use crate::program::Program;
use crate::provider::Providers;
use crate::resolve;
use crate::state::State;
use calls::Calls;
use coconut_format::Value;
use std::collections::HashMap;
use std::time::Duration;
pub(crate) use wanted::needs_call;

/// The options of a deployment.
#[derive(Clone, Debug)]
pub struct Options {
    /// The maximum number of calls at a time; at least 1.
    pub parallelism: usize,
    /// Whether resources that do not depend on a failed one go on.
    pub continues_on_error: bool,
    /// The time after which a call is cancelled.
    pub timeout: Duration,
    /// The time that a cancelled call has to end. After it, its outcome is not known.
    pub grace: Duration,
    /// Whether an intention waits for the disk. Without this, a power failure may lose intentions
    /// whose calls were made; the end of the process alone loses none.
    pub synchronizes: bool,
    /// The length in bytes from which the journal is folded in the middle of a run: no call begins
    /// until the running ones have ended.
    pub journal_bytes: u64,
    /// The request to end the deployment in order.
    pub interrupt: Interrupt,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            parallelism: 10,
            continues_on_error: false,
            timeout: Duration::from_secs(30 * 60),
            grace: Duration::from_secs(5),
            synchronizes: true,
            journal_bytes: 64 << 20,
            interrupt: Interrupt::default(),
        }
    }
}

/// The result of a deployment that came to its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outcome {
    /// The number of resources that did not need a call that changes them.
    pub same: usize,
    /// The number of operations that were done. A replacement is a creation and a deletion.
    pub done: HashMap<Operation, usize>,
    /// The number of resources that left the state without a call.
    pub forgotten: usize,
    /// The operations that failed.
    pub failed: Vec<Failed>,
    /// The resources that were left as they are, with the reason.
    pub skipped: Vec<(String, SkipReason)>,
    /// The reason why the program did not come to its end. Nothing is deleted then.
    pub unfinished: Option<String>,
    /// Whether the end was requested by [`Interrupt`].
    pub is_interrupted: bool,
}

/// An operation that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Failed {
    /// The URN of the resource.
    pub urn: String,
    /// The operation. Absent if the resource was refused before.
    pub operation: Option<Operation>,
    /// The message of the provider.
    pub message: String,
    /// Whether the operation may have had an effect. It is unresolved then.
    pub is_open: bool,
}

/// The reason why a resource was left as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SkipReason {
    /// An operation on it is unresolved.
    Unresolved,
    /// It is protected.
    Protected,
    /// It depends on this resource, or this one on it, and that one failed or was skipped.
    Relation(String),
    /// The deployment ended at the first error.
    Stopped,
}

impl Outcome {
    /// Whether the state is as the program wants it.
    pub fn is_complete(&self) -> bool {
        self.failed.is_empty() && self.skipped.is_empty() && self.unfinished.is_none() && !self.is_interrupted
    }

    /// The number of operations of a kind that were done.
    pub fn count(&self, operation: Operation) -> usize {
        self.done.get(&operation).copied().unwrap_or_default()
    }
}

/// Makes the environment as the program wants it.
///
/// First settles unfinished updates and deletions by reading the resources. Unresolved creations
/// stay unresolved, and their resources are skipped. `report` receives each record after it was
/// written. An empty program deletes everything.
///
/// At the end, also with failed steps, the journal becomes part of the snapshot. If nothing had to
/// be done, no file is written.
///
/// # Errors
/// Fails before any step if the program or a provider fails, a provider is missing or a value is
/// secret. Fails in the middle if the journal cannot be written: see
/// [`DeployError::JournalWrite`]. Failures of steps are in the [`Outcome`].
pub fn deploy(
    environment: &mut Environment,
    program: &mut dyn Program,
    providers: &Providers,
    options: &Options,
    report: &mut dyn FnMut(&Record),
) -> Result<Outcome, DeployError> {
    if !environment.has_key() {
        refuse_secrets(environment.state())?;
    }
    for resource in environment.state().resources() {
        let needs_provider = !resource.is_component() && !resource.is_external() && !resource.is_gone();
        if needs_provider && providers.of(resource.type_token()).is_none() {
            return Err(DeployError::no_provider(resource.urn(), resource.type_token()));
        }
    }
    let mut rounds = wanted::Rounds::first(program, environment, providers)?;
    providers.configure().map_err(DeployError::refused)?;
    resolve::settle(environment, providers, report)?;
    let mut run = Run {
        environment,
        providers,
        options,
        report,
        calls: Calls::new(options),
        outcome: Outcome::default(),
        broken: None,
        is_stopping: false,
    };
    let result = run.want(&mut rounds, program);
    run.finish_calls();
    run.is_stopping |= options.interrupt.is_requested();
    run.outcome.unfinished = rounds.suspension().map(str::to_owned);
    let is_whole = run.outcome.unfinished.is_none() && !run.is_stopping && run.broken.is_none();
    if result.is_ok() && is_whole {
        run.delete(&rounds);
    }
    run.outcome.is_interrupted = options.interrupt.is_requested();
    let (outcome, broken) = (run.outcome, run.broken);
    match broken {
        Some(error) => {
            let error = error.into_deploy(environment.state());
            // The snapshot may be smaller than the journal. If it cannot be written either, the
            // caller has the state.
            if matches!(error, DeployError::JournalWrite { .. }) {
                let _ = environment.compact();
            }
            return Err(error);
        }
        None if environment.has_journal() => {
            let ended = environment.append(&Record::End);
            ended.map_err(|error| error.into_deploy(environment.state()))?;
            report(&Record::End);
        }
        None => {}
    }
    environment.compact()?;
    result.map(|()| outcome)
}

fn refuse_secrets(state: &State) -> Result<(), DeployError> {
    for resource in state.resources() {
        refuse_secret(resource.urn(), resource.inputs())?;
        refuse_secret(resource.urn(), resource.outputs())?;
    }
    Ok(())
}

pub(crate) fn refuse_secret(urn: &str, properties: &[(String, Value)]) -> Result<(), DeployError> {
    match properties.iter().find(|(_, value)| has_secret(value)) {
        Some((property, _)) => {
            Err(DeployError::Secret { urn: urn.to_owned(), property: property.to_owned() })
        }
        None => Ok(()),
    }
}

/// A deployment on its way.
struct Run<'r> {
    environment: &'r mut Environment,
    providers: &'r Providers,
    options: &'r Options,
    report: &'r mut dyn FnMut(&Record),
    calls: Calls,
    outcome: Outcome,
    /// The first record that was not written. No call begins afterwards.
    broken: Option<WriteError>,
    is_stopping: bool,
}

impl Run<'_> {
    /// Appends a record, and reports it. Whether it was written.
    fn record(&mut self, record: &Record) -> bool {
        if self.broken.is_none() {
            match self.environment.append(record) {
                Ok(()) => (self.report)(record),
                Err(error) => self.broken = Some(error),
            }
        }
        self.broken.is_none()
    }

    /// Writes the intentions and waits for the disk once. The numbers of those whose calls may be
    /// made.
    fn intend(&mut self, intents: &[Intent]) -> Vec<u64> {
        let mut numbers = Vec::with_capacity(intents.len());
        for intent in intents {
            let seq = self.environment.next_seq();
            if !self.record(&Record::Begin { seq, intent: intent.clone() }) {
                return Vec::new();
            }
            numbers.push(seq);
        }
        if self.options.synchronizes
            && let Err(error) = self.environment.synchronize()
        {
            self.broken = Some(error);
            return Vec::new();
        }
        numbers
    }

    fn fail(&mut self, urn: &str, operation: Option<Operation>, message: &str, is_open: bool) {
        let failed = Failed { urn: urn.to_owned(), operation, message: message.to_owned(), is_open };
        self.outcome.failed.push(failed);
        self.is_stopping |= !self.options.continues_on_error;
    }

    fn skip(&mut self, urn: &str, reason: SkipReason) {
        self.outcome.skipped.push((urn.to_owned(), reason));
    }

    /// Whether an operation on the entry is unresolved.
    fn is_unresolved(&self, urn: &str, condemned: Option<Option<&str>>) -> bool {
        self.environment.state().unresolved().iter().any(|one| {
            let intent = &one.intent;
            let is_condemned = intent.operation == Operation::DeleteReplaced;
            intent.urn == urn
                && match condemned {
                    None => !is_condemned,
                    Some(id) => is_condemned && intent.id.as_deref() == id,
                }
        })
    }
}
