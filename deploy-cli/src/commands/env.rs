//! `env`: makes, lists, shows, settles and removes environments.

use crate::failure::OrFail;
use crate::passphrase;
use crate::place::{self, Place};
use crate::providers;
use crate::settings::{self, Settings};
use crate::shown::name_of;
use clap::{Args, Subcommand};
use coconut_codec::durable::backup_of;
use coconut_deploy::{DeployError, Environment, ResourceState, State, Unresolved, resolve};
use coconut_format::Value;
use coconut_report::json::{list, number, object, optional, report, text};
use coconut_report::style::{BAD, STRONG};
use coconut_report::{Exit, Failure, code};
use coconut_shell::Console;
use coconut_shell::console::visible;
use coconut_shell::open::{self, Access};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Make, list, show and remove environments; settle unresolved operations
#[derive(Debug, Subcommand)]
pub(crate) enum Env {
    New(New),
    Ls(Ls),
    Show(Show),
    Resolve(Resolve),
    Rm(Rm),
}

impl Env {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        match self {
            Env::New(new) => new.run(console),
            Env::Ls(ls) => ls.run(console),
            Env::Show(show) => show.run(console),
            Env::Resolve(resolve) => resolve.run(console),
            Env::Rm(rm) => rm.run(console),
        }
    }
}

/// Make an environment
///
/// Writes an empty snapshot, or adopts a state: an export or a checkpoint of Pulumi. The file with
/// the ending `.settings.json` beside it has the package and the configuration.
#[derive(Debug, Args)]
pub(crate) struct New {
    /// The environment: a name or a path
    #[arg(value_name = "ENV")]
    environment: String,
    /// The package that `deploy` runs
    #[arg(long, value_name = "PROGRAM")]
    package: Option<PathBuf>,
    /// Adopt the resources of this state
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
}

impl New {
    fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        let place = Place::of(&self.environment)?;
        if place.exists() {
            let message = format!("there is already an environment `{}`", place.name());
            let failure = Failure::new(Exit::Usage, code::FILE_EXISTS, message);
            return Err(failure.in_file(&place.snapshot.to_string_lossy()));
        }
        let state = match &self.from {
            None => State::empty(),
            Some(path) => {
                let opened = open::open(path, Access::Whole, console)?;
                let value =
                    opened.view().to_value().map_err(|error| Failure::from(error).in_file(&opened.name))?;
                State::adopted(value)
                    .map_err(DeployError::from)
                    .or_fail()
                    .map_err(|failure| failure.in_file(&opened.name))?
            }
        };
        if let Some(folder) = place.snapshot.parent() {
            fs::create_dir_all(folder).map_err(|error| Failure::writing(folder, &error))?;
        }
        let count = state.resources().count();
        let mut environment = Environment::create(&place.snapshot, state).or_fail()?;
        passphrase::unlock(&mut environment)?;
        if let Some(package) = &self.package {
            // A name stays a name. A path is that of a file, wherever the next command runs.
            let package = match package.exists() {
                true => std::path::absolute(package).unwrap_or_else(|_| package.clone()),
                false => package.clone(),
            };
            Settings::with_package(&package.to_string_lossy()).write(&place)?;
        }
        match console.json {
            true => console.print_json(&report(
                "env new",
                [("path", text(place.snapshot.to_string_lossy())), ("resources", number(count as u64))],
            ))?,
            false => console.line(&visible(&format!("{}  {count} resources", place.snapshot.display())))?,
        }
        Ok(Exit::Good)
    }
}

/// List the environments of the project
#[derive(Debug, Args)]
pub(crate) struct Ls {}

impl Ls {
    fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        let mut rows = Vec::new();
        for place in place::all(&place::folder())? {
            let state = Environment::read(&place.snapshot).or_fail()?;
            rows.push((place, state));
        }
        if console.json {
            let rows = list(&rows, |(place, state)| {
                object([
                    ("name", text(place.name())),
                    ("path", text(place.snapshot.to_string_lossy())),
                    ("resources", number(state.resources().count() as u64)),
                    ("unresolved", number(state.unresolved().len() as u64)),
                ])
            });
            console.print_json(&report("env ls", [("environments", rows)]))?;
            return Ok(Exit::Good);
        }
        for (place, state) in &rows {
            let name = console.paint(STRONG, &place.name());
            let mut line = format!("{name}  {} resources", state.resources().count());
            if !state.unresolved().is_empty() {
                let open = format!("{} unresolved", state.unresolved().len());
                line.push_str(&format!(", {}", console.paint(BAD, &open)));
            }
            console.line(&line)?;
        }
        Ok(Exit::Good)
    }
}

/// Show the resources of an environment with their states
///
/// The state is the snapshot and the journal together, also while a deployment runs: its running
/// operations are unresolved in it. `coco ls`, `get`, `diff` and `graph` of the snapshot's path see
/// the same.
///
/// Exits with 1 if operations are unresolved.
#[derive(Debug, Args)]
pub(crate) struct Show {
    /// The environment: a name or a path
    #[arg(value_name = "ENV")]
    environment: String,
}

impl Show {
    fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        let place = Place::existing(&self.environment)?;
        let state = Environment::read(&place.snapshot).or_fail()?;
        let package = Settings::of(&place)?.package();
        let package = package.map(|package| package.to_string_lossy().into_owned());
        if console.json {
            let resources = list(state.resources(), |resource| {
                object([
                    ("urn", text(resource.urn())),
                    ("type", text(resource.type_token())),
                    ("id", optional(resource.id())),
                    ("states", list(states(resource), text)),
                ])
            });
            let unresolved = list(state.unresolved(), open_json);
            console.print_json(&report(
                "env show",
                [
                    ("name", text(place.name())),
                    ("path", text(place.snapshot.to_string_lossy())),
                    ("package", optional(package)),
                    ("resources", resources),
                    ("unresolved", unresolved),
                ],
            ))?;
        } else {
            console.line(&visible(&format!("{}", place.snapshot.display())))?;
            if let Some(package) = package {
                console.line(&visible(&format!("package {package}")))?;
            }
            for resource in state.resources() {
                let mut line = format!("{} {}", resource.type_token(), name_of(resource.urn()));
                line.push_str(&resource.id().map(|id| format!("  {id}")).unwrap_or_default());
                let marks = states(resource);
                let mut line = visible(&line);
                if !marks.is_empty() {
                    line.push_str(&format!("  {}", console.paint(BAD, &marks.join(", "))));
                }
                console.line(&line)?;
            }
            show_open(&state, console)?;
        }
        Ok(if state.unresolved().is_empty() { Exit::Good } else { Exit::Negative })
    }
}

/// §25.9 The names of the states of a resource that are not the usual one.
fn states(resource: &ResourceState) -> Vec<&'static str> {
    let all = [
        (resource.is_unready(), "unready"),
        (resource.is_condemned(), "replaced"),
        (resource.is_gone(), "pending"),
        (resource.is_protected(), "protected"),
        (resource.is_external(), "external"),
    ];
    all.into_iter().filter(|(is_set, _)| *is_set).map(|(_, name)| name).collect()
}

fn open_json(one: &Unresolved) -> Value {
    object([
        ("operation", text(one.intent.operation.as_str())),
        ("urn", text(&one.intent.urn)),
        ("type", text(&one.intent.type_token)),
        ("id", optional(one.intent.id.as_deref())),
        ("inputs", list(&one.intent.inputs, |(name, _)| text(name))),
        ("message", optional(one.message.as_deref())),
    ])
}

fn show_open(state: &State, console: &mut Console) -> Result<(), Failure> {
    for one in state.unresolved() {
        let mut line = format!("unresolved {} {}", one.intent.operation.as_str(), one.intent.urn);
        line.push_str(&one.intent.id.as_ref().map(|id| format!("  {id}")).unwrap_or_default());
        line.push_str(&one.message.as_ref().map(|message| format!(": {message}")).unwrap_or_default());
        let line = console.paint(BAD, &line);
        console.line(&line)?;
    }
    Ok(())
}

/// Settle operations whose outcome is not known
///
/// `URN=ID` says that the resource exists: it is read and enters the state. `URN=absent` says that
/// it does not exist: the next deployment creates it. Without arguments, lists the unresolved
/// operations with the names of their inputs.
///
/// Exits with 1 if some are left.
#[derive(Debug, Args)]
pub(crate) struct Resolve {
    /// The environment: a name or a path
    #[arg(value_name = "ENV")]
    environment: String,
    /// `URN=ID`, or `URN=absent`
    #[arg(value_name = "URN=ID")]
    answers: Vec<String>,
}

impl Resolve {
    fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        let place = Place::existing(&self.environment)?;
        let mut answers = Vec::with_capacity(self.answers.len());
        for answer in &self.answers {
            let split = answer.split_once('=').filter(|(urn, id)| !urn.is_empty() && !id.is_empty());
            answers.push(split.ok_or_else(|| Failure::usage("expected URN=ID or URN=absent"))?);
        }
        if answers.is_empty() {
            let state = Environment::read(&place.snapshot).or_fail()?;
            return left(&state, console);
        }
        let settings = Settings::of(&place)?;
        let mut environment = Environment::open(&place.snapshot).or_fail()?;
        passphrase::unlock(&mut environment)?;
        for (urn, id) in answers {
            let id = Some(id).filter(|id| *id != "absent");
            let is_there = providers::with(&settings, &place.name(), |providers| {
                resolve(&mut environment, urn, id, providers)
            })
            .or_fail()?;
            if let (Some(id), false) = (id, is_there) {
                console.warn(
                    None,
                    &visible(&format!(
                        "the provider has no resource with the id `{id}`; `{urn}` does not exist"
                    )),
                );
            }
        }
        left(environment.state(), console)
    }
}

fn left(state: &State, console: &mut Console) -> Result<Exit, Failure> {
    match console.json {
        true => {
            let unresolved = list(state.unresolved(), open_json);
            console.print_json(&report("env resolve", [("unresolved", unresolved)]))?;
        }
        false => {
            for one in state.unresolved() {
                let names: Vec<&str> = one.intent.inputs.iter().map(|(name, _)| name.as_str()).collect();
                let line =
                    format!("{} {}  {}", one.intent.operation.as_str(), one.intent.urn, names.join(", "));
                console.line(&visible(&line))?;
            }
            console.line(&format!("{} unresolved", state.unresolved().len()))?;
        }
    }
    Ok(if state.unresolved().is_empty() { Exit::Good } else { Exit::Negative })
}

/// Remove the files of an environment that has no resources
///
/// An environment with resources is refused: `coco destroy` deletes them. With `--forget`, the
/// files are removed and the resources stay, without a file that names them.
#[derive(Debug, Args)]
pub(crate) struct Rm {
    /// The environment: a name or a path
    #[arg(value_name = "ENV")]
    environment: String,
    /// Remove the files although resources exist
    #[arg(long)]
    forget: bool,
}

impl Rm {
    fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        let place = Place::existing(&self.environment)?;
        let environment = Environment::open(&place.snapshot).or_fail()?;
        let state = environment.state();
        let left = state.resources().count() + state.unresolved().len();
        if left > 0 && !self.forget {
            let message = format!("the environment names {left} resources");
            let failure = Failure::new(Exit::Usage, code::DEPLOY_STATE, message);
            let hint = "delete them with `coco destroy`, or leave them without a file with `--forget`";
            return Err(failure.in_file(&place.snapshot.to_string_lossy()).with_hint(hint));
        }
        remove(&place.snapshot)?;
        for path in ["journal", settings::ENDING].map(|ending| place.file(ending)) {
            remove(&path)?;
        }
        remove(&backup_of(&place.snapshot))?;
        drop(environment);
        remove(&place.file("lock"))?;
        console.note(&format!("removed {}", place.snapshot.display()));
        Ok(Exit::Good)
    }
}

fn remove(path: &Path) -> Result<(), Failure> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Failure::writing(path, &error)),
        _ => Ok(()),
    }
}
