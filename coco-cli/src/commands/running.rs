//! Code shared by `coco pack eval` and `coco plan`: packages by name, options, and the output of a
//! program.

use super::check::program_lines;
use crate::loading::{Packages as Loading, Subject};
use clap::Args;
use coconut_codec::event::ValueSink;
use coconut_codec::read::package::PackView;
use coconut_codec::text::json::{self, JsonOptions};
use coconut_eval::{
    EvalError, EvalErrorKind, Options, Outcome, PackageSource, Packages, ProviderRules, SourceError,
    ViewedPackage,
};
use coconut_format::Value;
use coconut_format::il::SyntaxNode;
use coconut_format::location::Location;
use coconut_format::names::PackageUrl;
use coconut_report::json::{number, object, text};
use coconut_report::{Exit, Failure, code};
use coconut_shell::Console;
use coconut_shell::console::visible;
use coconut_shell::open::{Access, Documents, Opened};
use std::cell::RefCell;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The maximum number of trace frames shown, in addition to the last one.
const FIRST_FRAMES: usize = 8;

/// The inputs of a program.
#[derive(Clone, Debug, Args)]
pub(crate) struct ProgramOptions {
    /// Set a variable of a module or class (repeatable)
    ///
    /// VALUE is JSON if it is a scalar, and otherwise a string.
    #[arg(long, value_name = "TOKEN=VALUE", value_parser = setting, help_heading = "Program")]
    config: Vec<(String, Value)>,
    /// Set an argument of `.main` (repeatable)
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting, help_heading = "Program")]
    arg: Vec<(String, Value)>,
    /// Environment in each URN (default: `dev`)
    ///
    /// With a snapshot, the default is its environment.
    #[arg(long, value_name = "NAME", help_heading = "Program")]
    environment: Option<String>,
    /// Scheme of each URN (default: `coconut`)
    ///
    /// With a snapshot, the default is its scheme.
    #[arg(long, value_name = "NAME", value_parser = ["coconut", "lumi", "pulumi"], help_heading = "Program", hide_short_help = true)]
    scheme: Option<String>,
    /// Rules of providers
    ///
    /// They define the names of resources, and which changes replace them.
    #[arg(long, value_name = "FILE", help_heading = "Program")]
    rules: Option<PathBuf>,
    /// A package that the program may use (repeatable)
    ///
    /// Other packages are found by name.
    #[arg(long, value_name = "PATH", help_heading = "Program")]
    with: Vec<PathBuf>,
    /// Show where the program constructs each resource
    #[arg(long)]
    trace: bool,
    /// Show where the program has the value of a property
    ///
    /// KEY is the URN of a resource or its name, and POINTER a JSON pointer into its properties.
    /// Shows the line of the literal or expression that has the value. If it cannot be followed so
    /// far, shows the nearest line that is certain.
    #[arg(long, value_names = ["KEY", "/POINTER"], num_args = 2, hide_short_help = true)]
    explain: Vec<String>,
    /// Report how much work the program did
    #[arg(long)]
    stats: bool,
}

/// The place of a value in a program.
pub(crate) struct Explained {
    what: String,
    location: Option<Location>,
}

/// `NAME=VALUE`. A value that is a JSON scalar is used as such, any other is a string.
fn setting(argument: &str) -> Result<(String, Value), String> {
    let (name, value) = argument.split_once('=').ok_or("expected NAME=VALUE")?;
    let mut sink = ValueSink::new();
    let read = json::read(value.as_bytes(), &mut sink, &JsonOptions::default());
    let value = match (read, sink.finish()) {
        (Ok(_), Some(scalar)) if !matches!(scalar, Value::List(_) | Value::Object(_)) => scalar,
        _ => text(value),
    };
    Ok((name.to_owned(), value))
}

impl ProgramOptions {
    /// The options of an evaluation. `naming` has the scheme and the environment of a snapshot.
    pub(crate) fn options(
        &self,
        naming: Option<(String, String)>,
        loading: &Loading,
        console: &mut Console,
    ) -> Result<Options, Failure> {
        let mut options = Options::default();
        if let Some((scheme, environment)) = naming {
            (options.scheme, options.environment) = (scheme, environment);
        }
        if let Some(environment) = &self.environment {
            options.environment.clone_from(environment);
        }
        if let Some(scheme) = &self.scheme {
            options.scheme.clone_from(scheme);
        }
        options.configuration.clone_from(&self.config);
        options.arguments.clone_from(&self.arg);
        if let Some(path) = &self.rules {
            let opened = loading.open(path, Access::Whole, console)?;
            let value =
                opened.view().to_value().map_err(|error| Failure::from(error).in_file(&opened.name))?;
            options.rules = ProviderRules::from_value(&value)
                .map_err(|error| Failure::usage(error.to_string()).in_file(&opened.name))?;
        }
        Ok(options)
    }

    /// The packages that a program may name, with its own first.
    pub(crate) fn packages<'c>(
        &self,
        program: Opened,
        loading: &'c Loading,
        console: &'c mut Console,
    ) -> Result<Found<'c>, Failure> {
        let name = program.name.clone();
        let program = OpenedPackage::new(program)?;
        let mut given = Vec::with_capacity(self.with.len());
        for path in &self.with {
            given.push(Rc::new(OpenedPackage::new(loading.open(path, Access::Lookup, console)?)?));
        }
        let (program, found) = (Rc::new(program), RefCell::default());
        Ok(Found { file: name, program, given, found, loading, console: RefCell::new(console) })
    }

    /// The place of the value that `--explain` names.
    pub(crate) fn explained(
        &self,
        outcome: &Outcome,
        found: &Found<'_>,
    ) -> Result<Option<Explained>, Failure> {
        let [key, pointer] = &self.explain[..] else { return Ok(None) };
        let is_named = |urn: &str| urn == key || urn.rsplit("::").next() == Some(key.as_str());
        let mut named = outcome.resources().filter(|resource| is_named(resource.urn()));
        let missing = |what: String| Failure::negative(code::KEY_MISSING, what).in_file(&found.file);
        let Some(resource) = named.next() else {
            return Err(missing(format!("the program constructs no resource `{}`", visible(key))));
        };
        if named.next().is_some() {
            let message = format!("`{}` is the name of several resources; give the URN", visible(key));
            return Err(Failure::usage(message).in_file(&found.file));
        }
        let properties = resource.properties();
        let mut keys = coconut_format::pointer::keys(pointer).into_iter().flatten();
        let value = keys.try_fold(&properties, |value, key| match value {
            Value::List(items) => items.get(key.parse::<usize>().ok()?),
            value => value.get(&key),
        });
        if value.is_none() {
            let urn = visible(resource.urn());
            return Err(missing(format!("`{urn}` has no value at `{}`", visible(pointer))));
        }
        let location = coconut_eval::origin(found, found.name(), resource, pointer);
        let location = location.map_err(|error| Failure::usage(error.to_string()).in_file(&found.file))?;
        Ok(Some(Explained { what: format!("{}{pointer}", resource.urn()), location }))
    }

    /// Prints the output of a program, its notes, and the information requested by options.
    pub(crate) fn show(
        &self,
        outcome: &Outcome,
        explained: Option<&Explained>,
        file: &str,
        console: &mut Console,
    ) {
        print_log(outcome.log());
        let mut error = std::io::stderr().lock();
        if self.trace {
            for resource in outcome.resources() {
                let place =
                    place(resource.location()).map(|place| format!(" at {place}")).unwrap_or_default();
                let _ = writeln!(error, "{}", visible(&format!("{}{place}", resource.urn())));
            }
        }
        if let Some(Explained { what, location }) = explained {
            let text = match location {
                Some(location) => said_at(what, Some(location), file),
                None => visible(&format!("{what}: the package has no locations")),
            };
            let _ = writeln!(error, "{text}");
        }
        drop(error);
        for note in outcome.notes() {
            console.warn(None, &said_at(&note.text, note.location.as_ref(), file));
        }
        if self.stats {
            let (steps, bytes, modules) = (outcome.steps(), outcome.heap_bytes(), outcome.modules());
            console.note(&format!(
                "{steps} steps, {bytes} bytes of objects and texts, {modules} modules decoded"
            ));
        }
    }
}

/// Prints the output of a program.
fn print_log(log: &str) {
    let mut error = BufWriter::new(std::io::stderr().lock());
    for line in log.lines() {
        // There is nothing left to do if standard error cannot be written.
        let _ = writeln!(error, "{}", visible(line));
    }
}

/// A message, its place in the program, and the line there if the program is next to the package.
fn said_at(message: &str, location: Option<&Location>, file: &str) -> String {
    let mut text = visible(message);
    if let Some(location) = location {
        text.push_str(&format!("\n --> {}", visible(&location.to_string())));
        for line in program_lines(file, location).into_iter().flatten() {
            text.push_str(&format!("\n  | {line}"));
        }
    }
    text
}

pub(crate) fn place(location: Option<&Location>) -> Option<String> {
    location.map(ToString::to_string)
}

/// Prints the output of a program that failed, and makes the failure. `refused` is the exit code if
/// the program itself is at fault.
pub(crate) fn failed(error: &EvalError, file: &str, refused: Exit) -> Failure {
    print_log(error.log());
    let exit = match error.kind() {
        EvalErrorKind::Limit { .. } => Exit::Limit,
        EvalErrorKind::Package { .. } => Exit::Decode,
        EvalErrorKind::Arguments(_) | EvalErrorKind::Configuration { .. } => Exit::Usage,
        _ => refused,
    };
    let mut lines = Vec::new();
    let frames = error.trace().len();
    for (at, frame) in error.trace().iter().enumerate() {
        if at == FIRST_FRAMES && frames > FIRST_FRAMES + 1 {
            lines.push("…".to_owned());
        }
        if at >= FIRST_FRAMES && at + 1 < frames {
            continue;
        }
        let place = place(frame.location.as_ref()).map(|place| format!(" ({place})")).unwrap_or_default();
        lines.push(visible(&format!("at {}{place}", frame.function)));
        let shown = frame.location.as_ref().filter(|_| at == 0);
        let source = shown.and_then(|location| program_lines(file, location));
        lines.extend(source.into_iter().flatten().map(|line| format!("  | {line}")));
    }
    let values = error.trace().iter().map(|frame| {
        let line = |position: u32| number(u64::from(position));
        let location = frame.location.as_ref().map_or(Value::Null, |location| {
            object([
                ("file", location.file.as_deref().map_or(Value::Null, text)),
                ("line", line(location.start.line)),
                ("column", line(location.start.column)),
            ])
        });
        object([("function", text(&*frame.function)), ("location", location)])
    });
    Failure::new(exit, error.code(), error.to_string()).in_file(file).with_list(
        "trace",
        values.collect(),
        lines,
    )
}

/// A package in an open document. Only the modules that a program uses are decoded.
struct OpenedPackage {
    opened: Opened,
    name: String,
}

impl OpenedPackage {
    fn new(opened: Opened) -> Result<OpenedPackage, Failure> {
        let no_package = || Failure::usage("not a package: it has no modules").in_file(&opened.name);
        let view = PackView::of(opened.view()).ok_or_else(no_package)?;
        let name = view.name().map_err(|error| Failure::from(error).in_file(&opened.name))?;
        let name = name.unwrap_or_default().to_owned();
        Ok(OpenedPackage { opened, name })
    }

    fn viewed(&self) -> Result<ViewedPackage<'_>, SourceError> {
        ViewedPackage::new(PackView::of(self.opened.view()).ok_or("it is no package")?)
    }
}

impl PackageSource for OpenedPackage {
    fn name(&self) -> &str {
        &self.name
    }

    fn alias(&self, name: &str) -> Option<String> {
        self.viewed().ok()?.alias(name)
    }

    fn module(&self, name: &str) -> Result<Option<SyntaxNode>, SourceError> {
        self.viewed()?.module(name)
    }

    fn dependency(&self, name: &str) -> Option<String> {
        self.viewed().ok()?.dependency(name)
    }
}

/// Packages of a run: the program, those given with `--with`, and those found by the loader.
pub(crate) struct Found<'c> {
    /// The name of the program's file.
    pub(crate) file: String,
    program: Rc<OpenedPackage>,
    given: Vec<Rc<OpenedPackage>>,
    /// Packages found by the loader. They declare the required versions of others.
    found: RefCell<Vec<Rc<OpenedPackage>>>,
    loading: &'c Loading,
    console: RefCell<&'c mut Console>,
}

impl Found<'_> {
    /// The name of the program's package.
    pub(crate) fn name(&self) -> &str {
        &self.program.name
    }

    /// The reference to a package: that of the first package that declares the dependency.
    fn reference(&self, name: &str) -> String {
        let found = self.found.borrow();
        let mut all = std::iter::once(&self.program).chain(&*found);
        let declared = all.find_map(|package| package.dependency(name));
        match declared.as_deref().map(PackageUrl::parse) {
            Some(Ok(PackageUrl::Package(reference))) => reference.to_string(),
            _ => name.to_owned(),
        }
    }
}

impl Packages for Found<'_> {
    fn package(&self, name: &str) -> Result<Option<Rc<dyn PackageSource + '_>>, SourceError> {
        if name == self.program.name {
            return Ok(Some(Rc::clone(&self.program) as _));
        }
        if let Some(given) = self.given.iter().find(|package| package.name == name) {
            return Ok(Some(Rc::clone(given) as _));
        }
        let reference = self.reference(name);
        let is_name = matches!(PackageUrl::parse(&reference), Ok(PackageUrl::Package(_)));
        if !is_name || !matches!(Subject::of(Path::new(&reference)), Subject::Package(_)) {
            return Ok(None);
        }
        let mut console = self.console.borrow_mut();
        let opened = match self.loading.open(Path::new(&reference), Access::Lookup, &mut console) {
            Ok(opened) => opened,
            Err(failure) if failure.code() == "LOAD-NOTFOUND" => return Ok(None),
            Err(failure) => return Err(on_one_line(&failure).into()),
        };
        let package = Rc::new(OpenedPackage::new(opened).map_err(|failure| on_one_line(&failure))?);
        self.found.borrow_mut().push(Rc::clone(&package));
        Ok(Some(package))
    }
}

/// The message of a failure and its place, to be part of another message.
fn on_one_line(failure: &Failure) -> String {
    let text = failure.to_lines();
    let mut lines = text.lines();
    let message = lines.next().unwrap_or_default().to_owned();
    match lines.next().and_then(|line| line.trim_start().strip_prefix("--> ")) {
        Some(place) => format!("{message}, at {place}"),
        None => message,
    }
}
