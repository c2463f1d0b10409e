//! `refresh`: compares the state with what exists.

use super::running::{RunOptions, note_cut};
use crate::failure::OrFail;
use crate::passphrase;
use crate::place::Place;
use crate::providers;
use crate::settings::Settings;
use crate::shown::name_of;
use clap::Args;
use coconut_deploy::{Accept, Drift, Environment, Refreshed, refresh};
use coconut_report::json::{list, number, object, optional, report, text};
use coconut_report::style::BAD;
use coconut_report::{Exit, Failure, code};
use coconut_shell::Console;
use coconut_shell::console::visible;

/// Compare an environment with what exists
///
/// Reads every managed resource, and prints those that differ from the state (`~`) or do not exist
/// any more (`-`), with the properties that differ. Then the state has the outputs as they are, and
/// the next deployment makes the resources as the program wants them.
///
/// With `--accept`, the live values are the wanted ones: the state has the inputs as they are, too.
/// The program must then be changed, or the next deployment returns to its values.
///
/// Exits with 0 if nothing differs, with 1 if something does, and with 5 if a resource cannot be
/// read.
#[derive(Debug, Args)]
pub(crate) struct Refresh {
    /// The environment: a name or a path
    #[arg(value_name = "ENV")]
    environment: String,
    /// Change nothing
    #[arg(short = 'n', long, conflicts_with = "accept")]
    dry_run: bool,
    /// Take the live values as the wanted ones
    #[arg(long)]
    accept: bool,
    #[command(flatten)]
    run: RunOptions,
}

impl Refresh {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        let place = Place::existing(&self.environment)?;
        let settings = Settings::of(&place)?;
        let options = self.run.options();
        let mut environment = Environment::open(&place.snapshot).or_fail()?;
        note_cut(&environment, console);
        passphrase::unlock(&mut environment)?;
        let accept = match (self.dry_run, self.accept) {
            (true, _) => Accept::Nothing,
            (false, true) => Accept::All,
            (false, false) => Accept::Outputs,
        };
        let refreshed = providers::with(&settings, &place.name(), |providers| {
            refresh(&mut environment, providers, &options, accept, &mut |_| {})
        });
        let refreshed = refreshed.map_err(|error| self.run.failure(&error))?;
        show(&refreshed, console)?;
        if let [(urn, message), ..] = &refreshed.failed[..] {
            let message = format!("cannot read `{}`: {message}", name_of(urn));
            return Err(Failure::new(Exit::Run, code::DEPLOY_STEPS, message));
        }
        Ok(if refreshed.drifts.is_empty() { Exit::Good } else { Exit::Negative })
    }
}

fn show(refreshed: &Refreshed, console: &mut Console) -> Result<(), Failure> {
    let gone = refreshed.drifts.iter().filter(|drift| drift.after.is_none()).count();
    let changed = refreshed.drifts.len() - gone;
    if console.json {
        let drifts = list(&refreshed.drifts, |drift| {
            object([
                ("urn", text(drift.before.urn())),
                ("type", text(drift.before.type_token())),
                ("id", optional(drift.before.id())),
                ("exists", drift.after.is_some().into()),
                ("inputs", list(&drift.inputs, text)),
                ("outputs", list(&drift.outputs, text)),
            ])
        });
        let failed = list(&refreshed.failed, |(urn, message)| {
            object([("urn", text(urn)), ("message", text(message))])
        });
        let read = number(refreshed.read as u64);
        return console
            .print_json(&report("refresh", [("drifts", drifts), ("failed", failed), ("read", read)]));
    }
    for drift in &refreshed.drifts {
        console.line(&visible(&line(drift)))?;
    }
    for (urn, message) in &refreshed.failed {
        let line = console.paint(BAD, &format!("! {}: {message}", name_of(urn)));
        console.line(&line)?;
    }
    console.line(&format!("{} read, {changed} changed, {gone} gone", refreshed.read))
}

fn line(drift: &Drift) -> String {
    let (ty, name) = (drift.before.type_token(), name_of(drift.before.urn()));
    if drift.after.is_none() {
        return format!("- {ty} {name}  does not exist");
    }
    let outputs = drift.outputs.iter().filter(|name| !drift.inputs.contains(name));
    let names: Vec<&str> = drift.inputs.iter().chain(outputs).map(String::as_str).collect();
    format!("~ {ty} {name}  {}", names.join(", "))
}
