//! The calls of a deployment, with their deadlines.

use super::{Options, Run};
use crate::intent::{Intent, Operation};
use crate::interrupt::Interrupt;
use crate::journal::Record;
use crate::pool::Pool;
use crate::provider::{CallError, Created, Effect, Provider, Updated};
use crate::state::{ResourceState, Unresolved};
use crate::step::{Examined, answered, existing};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The answer to a call.
#[derive(Debug)]
pub(super) enum Answer {
    Examined(Result<Examined, CallError>),
    Created(Result<Created, CallError>),
    Updated(Result<Updated, CallError>),
    Deleted(Result<(), CallError>),
}

/// The reason of a call.
#[derive(Debug)]
pub(super) enum Purpose {
    /// The questions about the wanted resource of this URN.
    Examine(String),
    /// An operation.
    Apply(Box<Apply>),
}

/// An operation whose intention is written.
#[derive(Clone, Debug)]
pub(super) struct Apply {
    pub(super) seq: u64,
    pub(super) intent: Intent,
    /// The resource afterwards, without the answer of the provider. After a deletion, `None` unless
    /// it waits for its replacement.
    pub(super) after: Option<ResourceState>,
    /// The resource before.
    pub(super) before: Option<ResourceState>,
}

struct Call {
    provider: Arc<dyn Provider>,
    purpose: Purpose,
    /// The end of the time. After the first one, the call is cancelled.
    deadline: Instant,
    is_cancelled: bool,
}

/// The calls that run.
pub(super) struct Calls {
    pool: Pool<Answer>,
    running: BTreeMap<u64, Call>,
    last: u64,
    timeout: Duration,
    grace: Duration,
    interrupt: Interrupt,
    /// Whether the running calls were asked to end.
    is_interrupted: bool,
}

impl Calls {
    pub(super) fn new(options: &Options) -> Calls {
        // Later instants may not exist.
        const LONGEST: Duration = Duration::from_secs(365 * 24 * 3600);
        let [timeout, grace] = [options.timeout, options.grace].map(|time| time.min(LONGEST));
        Calls {
            pool: Pool::new(),
            running: BTreeMap::new(),
            last: 0,
            timeout,
            grace,
            interrupt: options.interrupt.clone(),
            is_interrupted: false,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.running.len()
    }

    pub(super) fn start(
        &mut self,
        provider: &Arc<dyn Provider>,
        purpose: Purpose,
        call: impl FnOnce(&dyn Provider) -> Answer + Send + 'static,
    ) {
        self.last += 1;
        let busy = self.running.len();
        let deadline = Instant::now() + self.timeout;
        let running = Call { provider: Arc::clone(provider), purpose, deadline, is_cancelled: false };
        self.running.insert(self.last, running);
        let provider = Arc::clone(provider);
        self.pool.run(self.last, busy, move || call(&*provider));
    }

    /// Waits until a call ends. Returns it, and all others that have ended by then. Empty if no
    /// call runs.
    pub(super) fn wait_all(&mut self) -> Vec<(Purpose, Result<Answer, String>)> {
        let mut ended: Vec<_> = self.wait().into_iter().collect();
        while let Some((number, answer)) = self.pool.wait(Duration::ZERO) {
            ended.extend(self.taken(number, answer));
        }
        ended
    }

    /// Asks the running calls to end, if that is requested. They are waited for as before.
    fn pass_interrupt_on(&mut self) {
        if self.is_interrupted || !self.interrupt.is_requested() {
            return;
        }
        self.is_interrupted = true;
        let mut asked: Vec<&Arc<dyn Provider>> = Vec::new();
        for call in self.running.values() {
            if !asked.iter().any(|one| Arc::ptr_eq(one, &call.provider)) {
                call.provider.cancel();
                asked.push(&call.provider);
            }
        }
    }

    fn taken(&mut self, number: u64, answer: Option<Answer>) -> Option<(Purpose, Result<Answer, String>)> {
        // The answer of a call that was given up comes too late.
        let call = self.running.remove(&number)?;
        Some((call.purpose, answer.ok_or_else(|| "the provider has panicked".to_owned())))
    }

    /// Waits until a call ends, by itself or by its deadline. `None` if no call runs. The answer is
    /// absent if the provider has not answered, with the reason.
    pub(super) fn wait(&mut self) -> Option<(Purpose, Result<Answer, String>)> {
        loop {
            let next = self.running.values().map(|call| call.deadline).min()?;
            self.pass_interrupt_on();
            let time = next.saturating_duration_since(Instant::now()).min(INTERRUPT_STEP);
            if let Some((number, answer)) = self.pool.wait(time) {
                match self.taken(number, answer) {
                    Some(ended) => return Some(ended),
                    None => continue,
                }
            }
            let now = Instant::now();
            let Some((&number, call)) = self.running.iter_mut().find(|(_, call)| call.deadline <= now) else {
                continue;
            };
            if !call.is_cancelled {
                (call.is_cancelled, call.deadline) = (true, now + self.grace);
                call.provider.cancel();
                continue;
            }
            let call = self.running.remove(&number)?;
            self.pool.give_up_one();
            let reason = format!("no answer within {:?}, and none after a request to cancel", self.timeout);
            return Some((call.purpose, Err(reason)));
        }
    }
}

/// The time between two looks at the request to end.
const INTERRUPT_STEP: Duration = Duration::from_millis(100);

/// The result of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    Done,
    Failed,
}

impl Run<'_> {
    /// Waits until all calls have ended. Their answers count.
    pub(super) fn finish_calls(&mut self) {
        while let Some((purpose, answer)) = self.calls.wait() {
            if let Purpose::Apply(apply) = purpose {
                self.ended(*apply, answer);
            }
        }
    }

    /// Makes the call of an operation whose intention is written.
    pub(super) fn apply(&mut self, provider: &Arc<dyn Provider>, apply: Apply) {
        let Apply { intent, before, .. } = apply.clone();
        self.calls.start(provider, Purpose::Apply(Box::new(apply)), move |provider| {
            match (intent.operation, before) {
                (operation, _) if operation.is_create() => {
                    Answer::Created(provider.create(&intent.urn, &intent.type_token, &intent.inputs))
                }
                (Operation::Update, Some(before)) => {
                    Answer::Updated(provider.update(&existing(&before), &intent.inputs))
                }
                (_, Some(before)) => Answer::Deleted(provider.delete(&existing(&before))),
                (_, None) => Answer::Deleted(Err(CallError::rejected("the resource is not in the state"))),
            }
        });
    }

    /// Writes the end of an operation, and changes the state.
    pub(super) fn ended(&mut self, apply: Apply, answer: Result<Answer, String>) -> Ended {
        let Apply { seq, intent, after, before } = apply;
        let has_key = self.environment.has_key();
        let result = match answer {
            Err(message) => Err(CallError::unclear(message)),
            Ok(Answer::Created(Ok(created))) if created.id.is_empty() => {
                Err(CallError::unclear("the provider has created a resource without an id"))
            }
            Ok(Answer::Created(result)) => result.map(|created| {
                let after = after.expect("a created resource has a state");
                Some(answered(after, Some(&created.id), created.outputs, &created.init_errors, has_key))
            }),
            Ok(Answer::Updated(result)) => result.map(|updated| {
                // The old inputs are compared again in the next run.
                let kept = before.filter(|_| !updated.init_errors.is_empty()).or(after);
                Some(answered(
                    kept.expect("a resource"),
                    None,
                    updated.outputs,
                    &updated.init_errors,
                    has_key,
                ))
            }),
            Ok(Answer::Deleted(result)) => result.map(|()| after),
            Ok(Answer::Examined(_)) => Err(CallError::unclear("the answer is to another question")),
        };
        match result {
            Ok(state) => {
                self.record(&Record::Done { seq, state: state.clone() });
                let errors = state.as_ref().filter(|state| state.is_unready());
                let errors = errors.and_then(|state| state.field("initErrors")?.as_list());
                let message: Option<Vec<&str>> =
                    errors.map(|all| all.iter().filter_map(|one| one.as_str()).collect());
                if let Some(message) = message {
                    let text = format!("the resource exists, but is not ready: {}", message.join("; "));
                    self.fail(&intent.urn, Some(intent.operation), &text, false);
                }
                let is_ready = state.as_ref().is_none_or(|state| !state.is_unready());
                self.environment.state_mut().end(&intent, state);
                *self.outcome.done.entry(intent.operation).or_default() += 1;
                if is_ready { Ended::Done } else { Ended::Failed }
            }
            Err(CallError { effect, message }) => {
                let is_open = effect == Effect::Unknown;
                self.fail(&intent.urn, Some(intent.operation), &message, is_open);
                if is_open {
                    self.record(&Record::Open { seq, message: message.clone() });
                    let unresolved = Unresolved { intent, message: Some(message) };
                    self.environment.state_mut().unresolved.push(unresolved);
                } else {
                    self.record(&Record::Failed { seq, message });
                }
                Ended::Failed
            }
        }
    }
}
