//! A provider from its start to its end: launch, handshake, configuration.

use super::engine::Engine;
use super::find::Source;
use super::value::Accepts;
use super::{Launch, messages as m, methods};
use crate::error::LaunchError;
use crate::grpc::{Failure, runtime, unary};
use crate::process::{Outlet, Process};
use crate::redaction::sentence;
use prost::Message;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tonic::transport::{Channel, Endpoint};

/// The time between two attempts to connect.
const STEP: Duration = Duration::from_millis(10);

/// The abilities that the provider and the engine have agreed on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Features {
    pub(crate) accepts: Accepts,
    /// Whether they come from a handshake. Otherwise, `Configure` has them.
    pub(crate) is_settled: bool,
    /// Whether the configuration has unknown values, so that the provider is not configured.
    pub(crate) is_unconfigured: bool,
}

/// A connection to a provider.
pub(crate) struct Connection {
    channel: Channel,
    /// Absent for a provider that was running before.
    process: Option<Process>,
    features: Mutex<Features>,
    pub(crate) version: String,
    /// The calls that run. A call after a cancellation is of the next generation.
    pub(crate) running: AtomicU64,
    /// Whether the process was stopped or has failed. It is not used again.
    is_over: AtomicBool,
    engine: Engine,
}

impl Connection {
    pub(crate) fn open(launch: &Launch, outlet: &Outlet) -> Result<Connection, LaunchError> {
        let engine = Engine::start(outlet.clone()).map_err(LaunchError::System)?;
        let (process, port) = match &launch.source {
            Source::Port(port) => (None, *port),
            Source::Program { program, arguments } => {
                let mut command = Command::new(program);
                command.args(arguments).arg(engine.address());
                if let Some(directory) = &launch.directory {
                    command.current_dir(directory);
                }
                command
                    .env("PULUMI_PROJECT", &launch.project)
                    .env("PULUMI_NODEJS_PROJECT", &launch.project)
                    .env("PULUMI_STACK", &launch.stack)
                    .env("PULUMI_NODEJS_STACK", &launch.stack)
                    .env("PULUMI_CONFIG", "{}")
                    .envs(launch.variables.iter().map(|(name, value)| (name, value)));
                let (process, line) = Process::start(command, outlet, launch.start_time, launch.grace)?;
                let text = without_progress(&line);
                let Some(port) = text.trim().parse::<u16>().ok().filter(|port| *port > 0) else {
                    let line = outlet.redaction.shown(&line);
                    let program = process.program().clone();
                    process.kill();
                    return Err(LaunchError::Address { program, line });
                };
                (Some(process), port)
            }
        };
        let channel = connect(port, process.as_ref(), launch)?;
        let mut connection = Connection {
            channel,
            process,
            features: Mutex::default(),
            version: String::new(),
            running: AtomicU64::new(0),
            is_over: AtomicBool::new(false),
            engine,
        };
        connection.shake_hands(launch, outlet)?;
        Ok(connection)
    }

    /// Agrees on features, and gets the version.
    fn shake_hands(&mut self, launch: &Launch, outlet: &Outlet) -> Result<(), LaunchError> {
        let failed = |method: &'static str, failure: &Failure| LaunchError::Call {
            method,
            message: outlet.redaction.shown(sentence(&failure.message)),
        };
        let address = self.engine.address();
        let folder = match &launch.source {
            Source::Program { program, .. } => program.parent().map(|folder| folder.display().to_string()),
            Source::Port(_) => None,
        };
        // A server that ran before has no directory of a plug-in.
        let handshake = m::HandshakeRequest {
            engine_address: address.clone(),
            root_directory: folder.clone(),
            program_directory: folder,
            configure_with_urn: true,
            accepts_byte_string: true,
            ..m::HandshakeRequest::default()
        };
        let time = launch.start_time;
        match self.call::<_, m::HandshakeResponse>(methods::HANDSHAKE, handshake, time) {
            Ok(reply) => {
                let accepts = Accepts {
                    secrets: reply.accept_secrets,
                    resources: reply.accept_resources,
                    bytes: reply.accepts_byte_string,
                };
                self.set_features(Features { accepts, is_settled: true, is_unconfigured: false });
            }
            Err(failure) if failure.is_unimplemented() => {}
            Err(failure) => return Err(failed("Handshake", &failure)),
        }
        if matches!(launch.source, Source::Port(_)) {
            match self.call::<_, m::Empty>(methods::ATTACH, m::PluginAttach { address }, time) {
                Ok(_) => {}
                Err(failure) if failure.is_unimplemented() => {}
                Err(failure) => return Err(failed("Attach", &failure)),
            }
        }
        match self.call::<_, m::PluginInfo>(methods::GET_PLUGIN_INFO, m::Empty {}, time) {
            Ok(info) => self.version = outlet.redaction.shown(&info.version),
            Err(failure) if failure.is_unimplemented() => {}
            Err(failure) => return Err(failed("GetPluginInfo", &failure)),
        }
        Ok(())
    }

    pub(crate) fn features(&self) -> Features {
        *self.features.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    pub(crate) fn set_features(&self, features: Features) {
        *self.features.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = features;
    }

    /// Calls a method, and waits for its end.
    pub(crate) fn call<M, R>(&self, path: &'static str, message: M, time: Duration) -> Result<R, Failure>
    where
        M: Message + 'static,
        R: Message + Default + 'static,
    {
        self.running.fetch_add(1, Ordering::SeqCst);
        let runtime = runtime().expect("the connection was made with it");
        let result = runtime.block_on(unary(&self.channel, path, message, time));
        self.running.fetch_sub(1, Ordering::SeqCst);
        result
    }

    /// Sends a request without waiting for the answer.
    pub(crate) fn send<M: Message + 'static>(&self, path: &'static str, message: M, time: Duration) {
        let channel = self.channel.clone();
        let runtime = runtime().expect("the connection was made with it");
        // The answer has no content, and a provider may not have the method.
        runtime.spawn(async move { drop(unary::<M, m::Empty>(&channel, path, message, time).await) });
    }

    /// Whether calls can be made. A process that was there before is always tried.
    pub(crate) fn is_alive(&self) -> bool {
        let has_ended = || self.process.as_ref().is_some_and(|process| process.exited().is_some());
        !self.is_over.load(Ordering::SeqCst) && !has_ended()
    }

    /// How the process has ended, if it ends now.
    pub(crate) fn end(&self) -> Option<String> {
        let process = self.process.as_ref()?;
        process.wait(Duration::from_secs(1)).then(|| match process.exited() {
            Some(status) => {
                let lines = process.last_lines();
                let said =
                    lines.iter().rev().take(3).rev().map(String::as_str).collect::<Vec<_>>().join(" | ");
                let said = if said.is_empty() { said } else { format!("; its last lines: {said}") };
                format!("its process has ended ({status}){said}")
            }
            None => "its process has ended".to_owned(),
        })
    }

    pub(crate) fn stop(&self) {
        if let Some(process) = &self.process {
            self.is_over.store(true, Ordering::SeqCst);
            process.stop();
        }
    }

    /// Ends the process by force.
    pub(crate) fn kill(&self) {
        if let Some(process) = &self.process {
            self.is_over.store(true, Ordering::SeqCst);
            process.kill();
        }
    }
}

/// Connects to a port of this machine.
fn connect(port: u16, process: Option<&Process>, launch: &Launch) -> Result<Channel, LaunchError> {
    let address = format!("http://127.0.0.1:{port}");
    let end = Instant::now() + launch.start_time;
    let endpoint = Endpoint::from_shared(address.clone()).expect("it is an address");
    let runtime = runtime().map_err(LaunchError::System)?;
    loop {
        if let Ok(channel) = runtime.block_on(endpoint.connect()) {
            return Ok(channel);
        }
        if let Some(process) = process.filter(|process| process.exited().is_some()) {
            return Err(process.ended_early());
        }
        if Instant::now() >= end {
            return Err(LaunchError::Silent { provider: address, time: launch.start_time });
        }
        std::thread::sleep(STEP);
    }
}

/// The line without the marks of progress that .NET prints for terminals: `ESC ] 9 ; 4 … BEL`.
fn without_progress(line: &str) -> String {
    const START: &str = "\u{1b}]9;4;";
    let (mut rest, mut result) = (line, String::new());
    while let Some((before, after)) = rest.split_once(START) {
        result.push_str(before);
        let end = after.find("\u{7}").map(|at| at + 1);
        let end = end.or_else(|| after.find("\u{1b}\\").map(|at| at + 2)).unwrap_or(after.len());
        rest = &after[end..];
    }
    result + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_read_between_marks_of_progress() {
        let line = "\u{1b}]9;4;3;\u{7}\u{1b}]9;4;0;\u{1b}\\50051";
        assert_eq!(without_progress(line), "50051");
        assert_eq!(without_progress("50051"), "50051");
    }
}
