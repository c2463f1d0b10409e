//! Our side: packages, and the jobs with separate bounds.

use coconut_codec::event::ValueSink;
use coconut_codec::text::json::{self, JsonOptions};
use coconut_eval::{Evaluator, Options, PackageList, Plan, Snapshot};
use coconut_format::{Package, Value};
use cpu_time::ThreadTime;
use std::error::Error;
use std::time::Duration;

fn parse(text: &str) -> Result<Value, Box<dyn Error>> {
    let mut sink = ValueSink::new();
    json::read(text.as_bytes(), &mut sink, &JsonOptions::default())?;
    sink.finish().ok_or_else(|| "the document ends early".into())
}

/// The time of an evaluation, with its lowering, and its result.
pub(crate) fn run(package: &str) -> Result<(Duration, String), Box<dyn Error>> {
    let package = Package::from_value(parse(package)?).map_err(|_| "it is no package")?;
    let name = package.name().unwrap_or_default().to_owned();
    let mut packages = PackageList::new();
    packages.add(package);
    let start = ThreadTime::now();
    let outcome = Evaluator::new(&packages).evaluate(&name, &Options::default())?;
    let took = start.elapsed();
    match outcome.result() {
        Value::Integer(integer) => Ok((took, integer.to_string())),
        other => Err(format!("the result is {other:?}").into()),
    }
}

/// Resources of the plan.
const RESOURCES: usize = 10_000;

/// In milliseconds.
pub(crate) fn median(times: &mut [Duration]) -> f64 {
    times.sort_unstable();
    times.get(times.len() / 2).map_or(f64::NAN, |took| took.as_secs_f64() * 1_000.0)
}

/// A job that no peer has.
pub(crate) fn plan(rounds: usize) -> Result<String, Box<dyn Error>> {
    let resource = |at: usize, size: usize| {
        let before = at.checked_sub(1).map_or_else(String::new, |before| {
            format!(r##", "before": {{"#ref": "urn:coconut:dev::p:index::p:index:R::r{before}"}}"##)
        });
        format!(
            r#""urn:coconut:dev::p:index::p:index:R::r{at}": {{"type": "p:index:R", "id": "{at}", "properties":
                {{"name": "r{at}", "size": {size}, "tags": {{"a": "b", "c": [1, 2, 3]}}{before}}}}}"#
        )
    };
    let graph = |changed: usize| {
        let all: Vec<String> =
            (0..RESOURCES).map(|at| resource(at, usize::from(at % 100 == changed))).collect();
        parse(&format!(r#"{{"package": "p", "resources": {{{}}}}}"#, all.join(",\n")))
    };
    let (new, old) = (Snapshot::from_value(&graph(7)?)?, Snapshot::from_value(&graph(8)?)?);
    let mut times = Vec::new();
    for _ in 0..=rounds {
        let start = ThreadTime::now();
        let plan = Plan::between(&new, &old, &Options::default());
        times.push(start.elapsed());
        if plan.steps().len() != RESOURCES {
            return Err(format!("the plan has {} steps", plan.steps().len()).into());
        }
    }
    Ok(format!("plan of {RESOURCES} resources: {:.1} (100 at most)", median(&mut times)))
}
