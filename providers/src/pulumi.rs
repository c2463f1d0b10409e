//! Plug-ins that speak `pulumirpc.ResourceProvider`.

mod calls;
mod connection;
mod engine;
mod find;
/// For servers in tests. It is outside of the promise of versions.
#[doc(hidden)]
pub mod messages;
mod methods;
mod value;

use crate::error::LaunchError;
use crate::grpc::Failure;
use crate::log::Log;
use crate::process::Outlet;
use crate::redaction::sentence;
use coconut_deploy::{CallError, Diff, Properties};
use coconut_format::Value;
use connection::{Connection, Features};
pub use find::{Source, find};
use messages as m;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;
use tonic::Code;
use value::{Contents, Encoder, Unknowns};

/// How a provider is started and called.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Launch {
    /// The name of the provider: the package of its types.
    pub name: String,
    /// The way to reach it.
    pub source: Source,
    /// The working directory. Absent for that of the process.
    pub directory: Option<PathBuf>,
    /// The name of the project, `coconut` by default.
    pub project: String,
    /// The name of the stack, `dev` by default: that of the environment.
    pub stack: String,
    /// Further variables of the environment.
    pub variables: Vec<(String, String)>,
    /// The time for a start, 60 s by default.
    pub start_time: Duration,
    /// The time for one call, 60 minutes by default. A deployment has its own, shorter limit.
    pub call_time: Duration,
    /// The time that a cancelled call, and a stopped process, has before the process is killed; 5 s
    /// by default.
    pub grace: Duration,
    /// Receives the lines of the provider.
    pub log: Log,
}

impl Launch {
    /// A launch with the defaults.
    pub fn new(name: &str, source: Source) -> Launch {
        Launch {
            name: name.to_owned(),
            source,
            directory: None,
            project: "coconut".to_owned(),
            stack: "dev".to_owned(),
            variables: Vec::new(),
            start_time: Duration::from_secs(60),
            call_time: Duration::from_secs(3600),
            grace: Duration::from_secs(5),
            log: Log::default(),
        }
    }

    /// The URN of the resource that stands for the provider.
    fn provider_urn(&self) -> String {
        let Launch { stack, project, name, .. } = self;
        format!("urn:pulumi:{stack}::{project}::pulumi:providers:{name}::default")
    }
}

/// Starts a provider and agrees with it on the form of calls.
///
/// # Errors
/// Fails if the program cannot be started, ends, prints no port, or does not answer in time.
pub fn launch(launch: Launch) -> Result<PulumiProvider, LaunchError> {
    let outlet = Outlet { log: launch.log.clone(), redaction: Arc::default() };
    let connection = Arc::new(Connection::open(&launch, &outlet)?);
    let current = Mutex::new(Current { connection, configuration: None, restarts: 0 });
    Ok(PulumiProvider { launch, outlet, current })
}

/// A running provider of Pulumi's protocol.
///
/// It implements [`coconut_deploy::Provider`]:
///
/// * A provider that has ended is started and configured again by the next call, at most ten times.
///   A call without effect is then repeated. A creation, change or deletion is not: its outcome
///   is not known.
/// * After [`cancel`](coconut_deploy::Provider::cancel), calls have [`Launch::grace`] to end. Then
///   the process is killed.
/// * Messages have no secrets that were sent or received, and no control characters. Tracebacks are
///   reduced to their sentence; all lines go to the log.
/// * Calls of a preview are never sent. Providers that do not know them would create resources.
pub struct PulumiProvider {
    launch: Launch,
    outlet: Outlet,
    current: Mutex<Current>,
}

impl std::fmt::Debug for PulumiProvider {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PulumiProvider").field("name", &self.launch.name).finish_non_exhaustive()
    }
}

/// The connection of the moment.
struct Current {
    connection: Arc<Connection>,
    configuration: Option<Properties>,
    restarts: u32,
}

impl PulumiProvider {
    /// The version that the provider states, or an empty text.
    pub fn version(&self) -> String {
        self.current().connection.version.clone()
    }

    /// The schema of the provider as JSON text. `None` if it has none, like dynamic providers.
    ///
    /// # Errors
    /// Fails if the call fails.
    pub fn schema(&self) -> Result<Option<String>, CallError> {
        let request = |_: &Features| Ok(m::GetSchemaRequest { version: 0 });
        match self.call::<_, m::GetSchemaResponse>(methods::GET_SCHEMA, request) {
            Ok((reply, _)) => Ok(Some(reply.schema)),
            Err(CallFailure::Answered(failure)) if failure.is_unimplemented() => Ok(None),
            Err(failure) => Err(self.error(failure)),
        }
    }

    /// Compares two configurations. If `replaces` of the result is not empty, all resources of the
    /// provider must be replaced.
    ///
    /// # Errors
    /// Fails if the call fails. A provider that does not know the call finds no difference that
    /// forces a replacement.
    pub fn diff_configuration(
        &self,
        old: &[(String, Value)],
        new: &[(String, Value)],
    ) -> Result<Diff, CallError> {
        self.learn(&[old, new]);
        let request = |features: &Features| {
            let encoder = features.encoder(Contents::Sent, Unknowns::Allowed);
            let [old, new] = [encoder.properties(old)?, encoder.properties(new)?];
            Ok(m::DiffRequest {
                id: "default".to_owned(),
                urn: self.launch.provider_urn(),
                olds: Some(old.clone()),
                old_inputs: Some(old),
                news: Some(new),
                name: "default".to_owned(),
                type_token: format!("pulumi:providers:{}", self.launch.name),
                ..m::DiffRequest::default()
            })
        };
        match self.call(methods::DIFF_CONFIG, request) {
            Ok((reply, _)) => Ok(calls::diff_of(&reply)),
            Err(CallFailure::Answered(failure)) if self.is_missing(&failure) => Ok(Diff::default()),
            Err(failure) => Err(self.error(failure)),
        }
    }

    /// Stops the provider: requests its end, and kills it after [`Launch::grace`]. Running calls
    /// fail then. A later call starts it again.
    ///
    /// A program that exits while calls run must call this: a thread that waits for an answer keeps
    /// the provider from being dropped.
    pub fn stop(&self) {
        let connection = Arc::clone(&self.current().connection);
        connection.stop();
    }

    fn current(&self) -> MutexGuard<'_, Current> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn try_current(&self) -> Option<MutexGuard<'_, Current>> {
        match self.current.try_lock() {
            Ok(current) => Some(current),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Adds the secrets of values that are sent to those that no text may contain.
    fn learn(&self, properties: &[&[(String, Value)]]) {
        for (_, value) in properties.iter().copied().flatten() {
            value::each_secret(value, &mut |secret| self.outlet.redaction.add(secret));
        }
    }

    /// Whether the provider does not have the method. Some say so with another code.
    fn is_missing(&self, failure: &Failure) -> bool {
        let message = &failure.message;
        match (&*self.launch.name, failure.code) {
            (_, Code::Unimplemented) => true,
            ("pulumi-nodejs", Code::Internal) => true,
            ("kubernetes", Code::Unknown) => {
                message.contains("Unimplemented")
                    || message.contains("cannot unmarshal string into Go value of type struct")
            }
            _ => false,
        }
    }

    fn error(&self, failure: CallFailure) -> CallError {
        let shown = |text: &str| self.outlet.redaction.shown(text);
        let with_effect = |failure: &Failure, message: String| match failure.may_have_effect() {
            true => CallError::unclear(message),
            false => CallError::rejected(message),
        };
        match failure {
            CallFailure::Value(error) => CallError::rejected(shown(&format!("property {error}"))),
            CallFailure::Launch(error) => {
                CallError::rejected(format!("the provider cannot be started again: {error}"))
            }
            CallFailure::Answered(failure) if failure.message.is_empty() => {
                let message = format!("the provider has answered {:?} without a message", failure.code);
                with_effect(&failure, message)
            }
            CallFailure::Answered(failure) => {
                let message = shown(sentence(&failure.message));
                with_effect(&failure, message)
            }
            CallFailure::Lost(failure, end) => {
                let reason = end.unwrap_or_else(|| shown(&failure.message));
                with_effect(&failure, format!("the provider has not answered: {reason}"))
            }
        }
    }
}

/// Stops the process, even if a call still has the connection.
impl Drop for PulumiProvider {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The failure of a call, before it becomes a text.
enum CallFailure {
    /// A value cannot be sent. The call was not made.
    Value(value::ValueError),
    /// The provider has ended, and does not start again. The call was not made.
    Launch(LaunchError),
    Answered(Failure),
    /// There was no answer; how the process has ended, if it has.
    Lost(Failure, Option<String>),
}

impl From<value::ValueError> for CallFailure {
    fn from(error: value::ValueError) -> CallFailure {
        CallFailure::Value(error)
    }
}

impl Features {
    fn encoder(&self, contents: Contents, unknowns: Unknowns) -> Encoder {
        Encoder { accepts: self.accepts, contents, unknowns }
    }
}
