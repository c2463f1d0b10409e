//! `deploy`: makes the resources of an environment as a program wants them.

use super::running::{RunOptions, answer, note_cut};
use crate::failure::OrFail;
use crate::passphrase;
use crate::place::Place;
use crate::program::ProgramOptions;
use crate::providers;
use crate::settings::Settings;
use crate::shown::{Shown, show_preview};
use clap::Args;
use coconut_deploy::{Environment, Record, deploy, preview};
use coconut_report::{Exit, Failure};
use coconut_shell::Console;

/// Make the resources of an environment as a program wants them
///
/// Runs the program, compares its resources with the state, and calls providers: creates (`+`),
/// updates (`~`), replaces (`±`) and deletes (`-`). Each call is written to the journal before it
/// is made. On a terminal, shows the steps first and asks.
///
/// With `-n`, only shows the steps: providers check and compare, and nothing is changed.
///
/// The first interrupt finishes the running calls. A second one ends the process at once; calls
/// that had begun are unresolved then.
///
/// Exits with 0 if everything is as wanted, with 1 if `-n` finds steps, and with 5 if a step failed
/// or its outcome is not known. A program that fails exits with 4, or with 7 if it exceeds a limit.
#[derive(Debug, Args)]
pub(crate) struct Deploy {
    /// The environment: a name or a path
    #[arg(value_name = "ENV")]
    environment: String,
    #[command(flatten)]
    program: ProgramOptions,
    /// Show the steps without doing them
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    run: RunOptions,
}

impl Deploy {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        let place = Place::existing(&self.environment)?;
        let settings = Settings::of(&place)?;
        let mut program = self.program.open(&place.name(), &settings)?;
        let options = self.run.options();
        let mut environment = Environment::open(&place.snapshot).or_fail()?;
        note_cut(&environment, console);
        passphrase::unlock(&mut environment)?;
        let is_asked = !self.yes && !console.json && console.is_terminal();
        if self.dry_run || is_asked {
            let found = providers::with(&settings, &place.name(), |providers| {
                preview(&environment, &mut program, providers, &options)
            });
            let found = match (found, program.failure.take()) {
                (Err(_), Some(failure)) => return Err(failure),
                (found, _) => found.or_fail()?,
            };
            let shown = show_preview(&found, console)?;
            if self.dry_run || !found.has_changes() {
                return Ok(shown);
            }
            if answer("deploy? [y/N]").is_some_and(|answer| !["y", "yes"].contains(&answer.as_str())) {
                return Ok(Exit::Negative);
            }
        }
        let mut shown = Shown::new(console);
        let outcome = providers::with(&settings, &place.name(), |providers| {
            let report = &mut |record: &Record| shown.record(record);
            deploy(&mut environment, &mut program, providers, &options, report)
        });
        match (outcome, program.failure.take()) {
            (Err(_), Some(failure)) => Err(failure),
            (Err(error), None) => Err(self.run.failure(&error)),
            (Ok(outcome), _) => shown.finish(&outcome, &self.environment),
        }
    }
}
