//! §19.1 Running a package.

use crate::error::{EvalError, EvalErrorKind};
use crate::heap::Value;
use crate::machine::{Host, Machine, Stop};
use crate::naming::{Naming, alloc_of};
use crate::options::Options;
use crate::outcome::Outcome;
use crate::packages::Packages;
use crate::plan::{Plan, Planner};
use crate::program::{Found, Program};
use crate::round::{KnownResources, Round, RoundHost, Suspension};
use crate::snapshot::Snapshot;
use crate::text;
use coconut_format::Value as Json;
use coconut_format::truncated::Truncated;
use std::sync::Arc;

/// Runs the packages of one set.
#[derive(Clone, Copy)]
pub struct Evaluator<'p> {
    packages: &'p dyn Packages,
}

impl std::fmt::Debug for Evaluator<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Evaluator").finish_non_exhaustive()
    }
}

impl<'p> Evaluator<'p> {
    /// Creates an evaluator for programs that may refer to these packages.
    pub fn new(packages: &'p dyn Packages) -> Evaluator<'p> {
        Evaluator { packages }
    }

    /// Runs the package of this name, and returns its graph.
    ///
    /// The same packages and options give the same outcome on every platform. Only the modules used
    /// by the program are decoded.
    ///
    /// # Errors
    /// Fails if the program has no entry, throws or exceeds a limit, and if a package cannot be
    /// read.
    pub fn evaluate(&self, package: &str, options: &Options) -> Result<Outcome, EvalError> {
        let mut host = Naming::new(options);
        self.run(package, options, &mut host)
    }

    /// Runs the package, and compares its resources with those of a snapshot.
    ///
    /// Unlike [`Evaluator::evaluate`], ids and outputs of unchanged resources have the values of
    /// the snapshot.
    ///
    /// # Errors
    /// The same as for [`Evaluator::evaluate`].
    pub fn plan(&self, package: &str, options: &Options, snapshot: &Snapshot) -> Result<Plan, EvalError> {
        let mut planner = Planner::new(snapshot, Naming::new(options));
        let outcome = self.run(package, options, &mut planner)?;
        Ok(planner.finish(Some(outcome)))
    }

    /// Runs the package for a deployment, with the values that are known so far.
    ///
    /// Where the program needs another value, for example in a condition, the round ends: no
    /// exception is thrown, and no placeholder is used. So the resources of a later round are those
    /// of an earlier one, and more.
    ///
    /// # Errors
    /// The same as for [`Evaluator::evaluate`].
    pub fn round(
        &self,
        package: &str,
        options: &Options,
        known: &KnownResources,
    ) -> Result<Round, EvalError> {
        let mut host = RoundHost { naming: Naming::new(options), known };
        let (outcome, suspension) = self.run_to_stop(package, options, &mut host)?;
        Ok(Round { outcome, suspension })
    }

    fn run(&self, package: &str, options: &Options, host: &mut dyn Host) -> Result<Outcome, EvalError> {
        self.run_to_stop(package, options, host).map(|(outcome, _)| outcome)
    }

    fn run_to_stop(
        &self,
        package: &str,
        options: &Options,
        host: &mut dyn Host,
    ) -> Result<(Outcome, Option<Suspension>), EvalError> {
        let mut machine = Machine::new(Program::new(self.packages), &options.limits, host);
        match run_in(&mut machine, package, options) {
            Ok(result) => Ok((Outcome::of(package, machine, result), None)),
            Err(stop) => {
                let kind = match stop {
                    Stop::Suspended => {
                        let location = machine.trace_now().into_iter().find_map(|frame| frame.location);
                        let outcome = Outcome::of(package, machine, Value::Null);
                        return Ok((outcome, Some(Suspension { location })));
                    }
                    Stop::Error(kind) => *kind,
                    Stop::Limit(limit) => EvalErrorKind::Limit { limit, value: options.limits.of(limit) },
                    Stop::Throw(value) => EvalErrorKind::Thrown(thrown_text(&machine, value)),
                };
                let trace = machine.take_trace();
                Err(EvalError::new(kind, trace, machine.log))
            }
        }
    }
}

/// The maximum length in bytes of a thrown value in an error.
const THROWN: usize = 2_000;

fn thrown_text(machine: &Machine<'_>, value: Value) -> String {
    match value {
        Value::Text(text) => machine.heap.text(text).chars().take(THROWN).collect(),
        other => text::condensed(&machine.heap, &machine.names, other, THROWN),
    }
}

fn run_in(machine: &mut Machine<'_>, package: &str, options: &Options) -> Result<Value, Stop> {
    let Some(module) = machine.find_module(package, ".default")? else {
        return Err(EvalErrorKind::NoDefaultModule.into());
    };
    let entry = machine.program.module(module);
    let name = entry.token.strip_prefix(&*entry.package).unwrap_or_default().trim_start_matches(':');
    let alloc = alloc_of(&options.scheme, &entry.package, name);
    let token = format!("{}:.main", entry.token);
    machine.alloc = alloc.into();
    let main = machine.names.number(&token);
    let Some(Found::Global { module, position }) = machine.find(main)? else {
        return Err(EvalErrorKind::NoMain.into());
    };
    let globals = machine.program.module(module).globals;
    let function = machine.heap.object(globals).properties.at(position as usize).value;
    let Value::Object(function) = function else { return Err(EvalErrorKind::NoMain.into()) };
    let crate::heap::Body::Function(closure) = &machine.heap.object(function).body else {
        return Err(EvalErrorKind::NoMain.into());
    };
    let function = closure.function;
    let arguments = arguments(machine, function, &options.arguments)?;
    configure(machine, &options.configuration)?;
    machine.run_module(module)?;
    machine.run_function(function, &arguments)
}

fn arguments(machine: &mut Machine<'_>, function: u32, given: &[(String, Json)]) -> Result<Vec<Value>, Stop> {
    let parameters = machine.program.function(function).parameters.clone();
    let mut values = Vec::with_capacity(parameters.len());
    for parameter in &parameters {
        let name = Arc::clone(machine.names.text(parameter.name));
        let Some((_, value)) = given.iter().find(|(other, _)| **other == *name) else {
            return Err(EvalErrorKind::Arguments(format!(
                "`.main` needs the argument `{}`",
                Truncated(&name)
            ))
            .into());
        };
        let value = machine.add_json(value)?;
        if let Some(ty) = parameter.ty
            && !machine.converts_argument(value, ty)?
        {
            let from = machine.type_of(value);
            let text = format!(
                "argument `{name}` is of type `{}`, not `{}`",
                machine.names.text(ty),
                machine.names.text(from)
            );
            return Err(EvalErrorKind::Arguments(text).into());
        }
        values.push(value);
    }
    let is_known =
        |name: &str| parameters.iter().any(|parameter| **machine.names.text(parameter.name) == *name);
    if let Some((name, _)) = given.iter().find(|(name, _)| !is_known(name)) {
        return Err(
            EvalErrorKind::Arguments(format!("`.main` has no parameter `{}`", Truncated(name))).into()
        );
    }
    Ok(values)
}

/// Sets variables by token, in the order of the tokens. Each module is initialized first; then the
/// given value replaces the variable's own.
fn configure(machine: &mut Machine<'_>, configuration: &[(String, Json)]) -> Result<(), Stop> {
    let mut sorted: Vec<&(String, Json)> = configuration.iter().collect();
    sorted.sort_by(|one, other| one.0.cmp(&other.0));
    for (token, value) in sorted {
        let failed =
            |reason: &str| EvalErrorKind::Configuration { token: token.clone(), reason: reason.to_owned() };
        if matches!(value, Json::List(_) | Json::Object(_)) {
            return Err(failed("a value is null, true, false, a number or a string").into());
        }
        let name = machine.names.number(token);
        let (holder, position) = match machine.find(name)? {
            Some(Found::Global { module, position }) => {
                machine.run_module(module)?;
                (machine.program.module(module).globals, position)
            }
            Some(Found::Static { class, position }) => {
                machine.run_class(class)?;
                (machine.program.class(class).statics, position)
            }
            Some(Found::Module(_) | Found::Class(_)) => {
                return Err(failed("it names a module or a class, not a variable of one").into());
            }
            None => return Err(failed("no module or class has such a variable").into()),
        };
        let value = machine.add_json(value)?;
        let property = machine.heap.object_mut(holder).properties.at_mut(position as usize);
        if property.flags & crate::heap::METHOD != 0 {
            return Err(failed("it names a function, not a variable").into());
        }
        property.value = value;
    }
    Ok(())
}
