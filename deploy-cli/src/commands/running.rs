//! The options and the end of all commands that change an environment.

use crate::failure::{failure_of, unsaved};
use crate::interrupt;
use clap::Args;
use coconut_deploy::{DeployError, Environment, Options};
use coconut_report::Failure;
use coconut_shell::Console;
use coconut_shell::console::visible;
use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::time::Duration;

/// The options of a run.
#[derive(Clone, Debug, Args)]
pub(crate) struct RunOptions {
    /// Maximum number of calls at a time
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=1000), help_heading = "Run")]
    parallel: u16,
    /// Go on with what does not depend on a failed resource
    #[arg(long, help_heading = "Run")]
    continue_on_error: bool,
    /// Cancel a call after this time
    #[arg(long, value_name = "SECONDS", default_value_t = 1800, value_parser = clap::value_parser!(u64).range(1..=604_800), help_heading = "Run")]
    timeout: u64,
    /// Do not wait for the disk before a call
    ///
    /// The end of the process still loses nothing. A power failure may lose operations whose calls
    /// were made.
    #[arg(long, help_heading = "Run")]
    no_sync: bool,
    /// Write the state to this file if the journal cannot be written
    #[arg(long, value_name = "FILE", help_heading = "Run")]
    emergency_state: Option<PathBuf>,
}

impl RunOptions {
    pub(crate) fn options(&self) -> Options {
        Options {
            parallelism: self.parallel.into(),
            continues_on_error: self.continue_on_error,
            timeout: Duration::from_secs(self.timeout),
            synchronizes: !self.no_sync,
            interrupt: interrupt::of_process(),
            ..Options::default()
        }
    }

    /// The failure of a run. A state that no file has is written to the emergency file, or its
    /// resources to standard error.
    pub(crate) fn failure(&self, error: &DeployError) -> Failure {
        if let Some(state) = unsaved(error) {
            let written = self
                .emergency_state
                .as_ref()
                .is_some_and(|path| std::fs::write(path, format!("{}\n", state.to_document())).is_ok());
            let mut out = io::stderr().lock();
            for resource in state.resources().filter(|_| !written) {
                // There is nothing left to do if standard error cannot be written.
                let line = format!("{} {}", resource.urn(), resource.id().unwrap_or_default());
                let _ = writeln!(out, "{}", visible(&line));
            }
        }
        failure_of(error)
    }
}

/// Says what was mended when the environment was opened.
pub(crate) fn note_cut(environment: &Environment, console: &mut Console) {
    if let Some(bytes) = environment.cut() {
        console.note(&format!(
            "the journal had {bytes} bytes of an unfinished record at its end; they were cut off"
        ));
    }
}

/// Asks on a terminal. `None` if there is none.
pub(crate) fn answer(question: &str) -> Option<String> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return None;
    }
    let mut error = io::stderr().lock();
    write!(error, "{} ", visible(question)).and_then(|()| error.flush()).ok()?;
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line).ok()?;
    Some(line.trim().to_owned())
}
