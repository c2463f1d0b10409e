//! `destroy`: deletes all resources of an environment.

use super::running::{RunOptions, answer, note_cut};
use crate::failure::OrFail;
use crate::passphrase;
use crate::place::Place;
use crate::providers;
use crate::settings::Settings;
use crate::shown::{Shown, show_preview};
use clap::Args;
use coconut_deploy::{Environment, Record, Wanted, deploy, preview};
use coconut_report::{Exit, Failure};
use coconut_shell::Console;

/// Delete all resources of an environment
///
/// Resources are deleted before those on which they depend. A protected one stays, with all that it
/// depends on. The environment itself stays; `coco env rm` removes it.
///
/// On a terminal, asks for the name of the environment. Elsewhere, `--yes` is required.
///
/// Exits as `deploy` does.
#[derive(Debug, Args)]
pub(crate) struct Destroy {
    /// The environment: a name or a path
    #[arg(value_name = "ENV")]
    environment: String,
    /// Show the steps without doing them
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    run: RunOptions,
}

impl Destroy {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        let place = Place::existing(&self.environment)?;
        let settings = Settings::of(&place)?;
        let options = self.run.options();
        let mut environment = Environment::open(&place.snapshot).or_fail()?;
        note_cut(&environment, console);
        passphrase::unlock(&mut environment)?;
        let mut nothing: Vec<Wanted> = Vec::new();
        if self.dry_run {
            let found = providers::with(&settings, &place.name(), |providers| {
                preview(&environment, &mut nothing, providers, &options)
            });
            return show_preview(&found.or_fail()?, console);
        }
        if !self.yes {
            let name = place.name();
            let question = format!("this deletes all resources of `{name}`; type its name to go on:");
            match answer(&question) {
                Some(answer) if answer == name => {}
                Some(_) => return Ok(Exit::Negative),
                None => return Err(Failure::usage("without a terminal, `destroy` needs `--yes`")),
            }
        }
        let mut shown = Shown::new(console);
        let outcome = providers::with(&settings, &place.name(), |providers| {
            let report = &mut |record: &Record| shown.record(record);
            deploy(&mut environment, &mut nothing, providers, &options, report)
        });
        match outcome {
            Err(error) => Err(self.run.failure(&error)),
            Ok(outcome) => shown.finish(&outcome, &self.environment),
        }
    }
}
