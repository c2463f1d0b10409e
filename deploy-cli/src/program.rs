//! §25.7 The program of a deployment: a package, run again in each round.

use crate::settings::Settings;
use clap::Args;
use coconut_codec::cache::Cache;
use coconut_codec::event::ValueSink;
use coconut_codec::loader::{LoadError, Loader, SearchPath};
use coconut_codec::text::json::{self, JsonOptions};
use coconut_deploy::{Known, Program, Wanted};
use coconut_eval::{
    EvalError, EvalErrorKind, Evaluator, LoadedPackage, LoaderPackages, Options, Outcome, PackageSource,
    Packages, SourceError,
};
use coconut_format::Value;
use coconut_format::names::PackageUrl;
use coconut_report::{Exit, Failure};
use coconut_shell::console::visible;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The inputs of a program.
#[derive(Clone, Debug, Args)]
pub(crate) struct ProgramOptions {
    /// The package: a source, a compiled document, or a name (default: that of the environment)
    #[arg(value_name = "PROGRAM")]
    program: Option<PathBuf>,
    /// Set a variable of a module or class (repeatable)
    ///
    /// VALUE is JSON if it is a scalar, and otherwise a string. Settings of the environment come
    /// before.
    #[arg(long, value_name = "TOKEN=VALUE", value_parser = setting, help_heading = "Program")]
    config: Vec<(String, Value)>,
    /// Set an argument of `.main` (repeatable)
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting, help_heading = "Program")]
    arg: Vec<(String, Value)>,
    /// A package that the program may use (repeatable)
    ///
    /// Other packages are found by name.
    #[arg(long, value_name = "PATH", help_heading = "Program")]
    with: Vec<PathBuf>,
}

/// `NAME=VALUE`. A value that is a JSON scalar is used as such, any other is a string.
fn setting(argument: &str) -> Result<(String, Value), String> {
    let (name, value) = argument.split_once('=').ok_or("expected NAME=VALUE")?;
    let mut sink = ValueSink::new();
    let read = json::read(value.as_bytes(), &mut sink, &JsonOptions::default());
    let value = match (read, sink.finish()) {
        (Ok(_), Some(scalar)) if !matches!(scalar, Value::List(_) | Value::Object(_)) => scalar,
        _ => Value::from(value),
    };
    Ok((name.to_owned(), value))
}

/// A package that is run in rounds.
pub(crate) struct PackageProgram {
    packages: ProgramPackages,
    options: Options,
    /// The resources on which each one was found to depend. A value that is computed from outputs
    /// does not show its sources once it is known.
    dependencies: BTreeMap<String, Vec<String>>,
    suspension: Option<String>,
    /// The output of the program that was printed.
    printed: usize,
    /// The failure of the last round.
    pub(crate) failure: Option<Failure>,
}

impl ProgramOptions {
    /// The program for an environment of this name.
    pub(crate) fn open(&self, environment: &str, settings: &Settings) -> Result<PackageProgram, Failure> {
        let Some(program) = self.program.clone().or_else(|| settings.package()) else {
            let message = "the environment has no package";
            return Err(
                Failure::usage(message).with_hint("name the package, as in `coco deploy ENV shop.coco`")
            );
        };
        let loader = || {
            Loader::builder().search(SearchPath::for_user(Path::new("."))).cache(Cache::for_user()).build()
        };
        let packages = ProgramPackages::open(loader, &program, &self.with)?;
        let mut options = Options::default();
        options.scheme = "pulumi".to_owned();
        options.environment = environment.to_owned();
        options.configuration = settings.configuration().to_vec();
        for (token, value) in &self.config {
            options.configuration.retain(|(other, _)| other != token);
            options.configuration.push((token.clone(), value.clone()));
        }
        options.arguments.clone_from(&self.arg);
        Ok(PackageProgram {
            packages,
            options,
            dependencies: BTreeMap::new(),
            suspension: None,
            printed: 0,
            failure: None,
        })
    }
}

impl PackageProgram {
    fn wanted(&mut self, outcome: &Outcome) -> Vec<Wanted> {
        let wanted = |resource: coconut_eval::Resource<'_>| {
            let parent = resource.parent().map(str::to_owned);
            let known = self.dependencies.entry(resource.urn().to_owned()).or_default();
            for urn in resource.dependencies().filter(|urn| parent.as_deref() != Some(*urn)) {
                if !known.iter().any(|other| other == urn) {
                    known.push(urn.to_owned());
                }
            }
            let inputs = match resource.properties() {
                Value::Object(inputs) => inputs,
                _ => Vec::new(),
            };
            Wanted {
                urn: resource.urn().to_owned(),
                type_token: resource.type_token().to_owned(),
                inputs,
                parent,
                dependencies: known.clone(),
                ..Wanted::default()
            }
        };
        outcome.resources().map(wanted).collect()
    }

    /// Prints what the program prints. A later round prints the same first.
    fn print_log(&mut self, log: &str) {
        if let Some(news) = log.get(self.printed..).filter(|news| !news.is_empty()) {
            let mut error = std::io::stderr().lock();
            for line in news.lines() {
                // There is nothing left to do if standard error cannot be written.
                let _ = writeln!(error, "{}", visible(line));
            }
            self.printed = log.len();
        }
    }
}

impl Program for PackageProgram {
    fn resources(&mut self, known: &Known) -> Result<Vec<Wanted>, String> {
        let name = self.packages.main.name().to_owned();
        match Evaluator::new(&self.packages).round(&name, &self.options, known) {
            Ok(round) => {
                self.print_log(round.outcome.log());
                self.suspension = round.suspension.map(|suspension| match suspension.location {
                    Some(location) => format!("the program waits for a value at {location}"),
                    None => "the program waits for a value".to_owned(),
                });
                Ok(self.wanted(&round.outcome))
            }
            Err(error) => {
                self.print_log(error.log());
                self.failure = Some(failed(&error, &self.packages.file));
                Err(error.to_string())
            }
        }
    }

    fn suspension(&self) -> Option<String> {
        self.suspension.clone()
    }
}

fn failed(error: &EvalError, file: &str) -> Failure {
    let exit = match error.kind() {
        EvalErrorKind::Limit { .. } => Exit::Limit,
        EvalErrorKind::Arguments(_) | EvalErrorKind::Configuration { .. } => Exit::Usage,
        _ => Exit::Decode,
    };
    let lines = error.trace().iter().map(|frame| {
        let place = frame.location.as_ref().map(|location| format!(" ({location})")).unwrap_or_default();
        visible(&format!("at {}{place}", frame.function))
    });
    let values = error.trace().iter().map(|frame| Value::from(frame.function.as_str())).collect();
    Failure::new(exit, error.code(), error.to_string()).in_file(file).with_list(
        "trace",
        values,
        lines.collect(),
    )
}

type Loaded = Rc<dyn PackageSource>;

/// The packages of a run: the program, those given with `--with`, and those found by name.
struct ProgramPackages {
    /// The name of the program's file.
    file: String,
    main: Loaded,
    given: Vec<Loaded>,
    found: LoaderPackages,
    /// Found packages. They declare the required versions of others.
    declaring: RefCell<Vec<Loaded>>,
}

impl ProgramPackages {
    fn open(
        loader: impl Fn() -> Loader,
        program: &Path,
        with: &[PathBuf],
    ) -> Result<ProgramPackages, Failure> {
        let found = LoaderPackages::new(loader());
        let main = load(found.loader(), program)?;
        let given = with.iter().map(|path| load(found.loader(), path)).collect::<Result<_, _>>()?;
        let file = program.to_string_lossy().into_owned();
        Ok(ProgramPackages { file, main, given, found, declaring: RefCell::default() })
    }

    fn reference(&self, name: &str) -> String {
        let declaring = self.declaring.borrow();
        let mut all = std::iter::once(&self.main).chain(&*declaring);
        let declared = all.find_map(|package| package.dependency(name));
        match declared.as_deref().map(PackageUrl::parse) {
            Some(Ok(PackageUrl::Package(reference))) => reference.to_string(),
            _ => name.to_owned(),
        }
    }
}

impl Packages for ProgramPackages {
    fn package(&self, name: &str) -> Result<Option<Rc<dyn PackageSource + '_>>, SourceError> {
        let known = std::iter::once(&self.main).chain(&self.given).find(|package| package.name() == name);
        if let Some(known) = known {
            return Ok(Some(Rc::clone(known) as _));
        }
        let reference = self.reference(name);
        if !matches!(PackageUrl::parse(&reference), Ok(PackageUrl::Package(_))) {
            return Ok(None);
        }
        match self.found.loader().load(reference.as_str()) {
            Ok(loaded) => {
                let package: Loaded = Rc::new(LoadedPackage::new(loaded.document)?);
                self.declaring.borrow_mut().push(Rc::clone(&package));
                Ok(Some(package as _))
            }
            Err(error) if error.kind.code() == "LOAD-NOTFOUND" => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// The package in a file, or of a name.
fn load(loader: &Loader, program: &Path) -> Result<Loaded, Failure> {
    let name = program.to_string_lossy();
    let in_file = |failure: Failure| failure.in_file(&name);
    if program.is_dir() {
        let failure = Failure::usage("a folder is not a package");
        return Err(in_file(failure.with_hint(format!("`coco build {name} -o FILE` compiles its program"))));
    }
    let is_path = program.exists() || program.is_absolute() || program.extension().is_some();
    let loaded = match (is_path, PackageUrl::parse(&name)) {
        (false, Ok(PackageUrl::Package(reference))) => loader.load(&reference),
        _ => loader.load_file(program),
    };
    let of_load = |error: LoadError| {
        let exit = if error.kind.code() == "LOAD-NOTFOUND" { Exit::Negative } else { Exit::Decode };
        in_file(Failure::new(exit, error.kind.code(), error.kind.to_string()))
    };
    let package = LoadedPackage::new(loaded.map_err(of_load)?.document);
    let package = package.map_err(|error| in_file(Failure::usage(error.to_string())))?;
    Ok(Rc::new(package))
}
