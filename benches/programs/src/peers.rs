//! The peers: each runs the text of a job, and returns its time.

use cpu_time::ThreadTime;
use starlark::environment::{Globals, Module};
use starlark::eval::Evaluator;
use starlark::syntax::{AstModule, Dialect};
use std::process::Command;
use std::time::Duration;

pub(crate) type Run = Result<(Duration, String), Box<dyn std::error::Error>>;

/// starlark-rust.
pub(crate) fn starlark(source: &str) -> Run {
    let wrong = |error: starlark::Error| format!("starlark: {error}");
    let ast = AstModule::parse("job.star", source.to_owned(), &Dialect::Standard).map_err(wrong)?;
    let globals = Globals::standard();
    let start = ThreadTime::now();
    // Its objects are dropped within the measured time, as ours are.
    let value = Module::with_temp_heap(|module| -> Result<String, Box<dyn std::error::Error>> {
        let value = Evaluator::new(&module).eval_module(ast, &globals).map_err(wrong)?;
        Ok(value.to_string())
    })?;
    Ok((start.elapsed(), value))
}

/// Rhai.
#[cfg(feature = "rhai")]
pub(crate) fn rhai(source: &str) -> Run {
    let engine = rhai::Engine::new();
    let ast = engine.compile(source)?;
    let start = ThreadTime::now();
    let value = engine.eval_ast::<i64>(&ast)?;
    Ok((start.elapsed(), value.to_string()))
}

/// Boa.
#[cfg(feature = "boa")]
pub(crate) fn boa(source: &str) -> Run {
    use boa_engine::{Context, Source};
    let mut context = Context::default();
    let start = ThreadTime::now();
    let value = context.eval(Source::from_bytes(source)).map_err(|error| format!("boa: {error}"))?;
    Ok((start.elapsed(), value.display().to_string()))
}

/// The Python of this machine, which times itself.
pub(crate) fn python(source: &str) -> Run {
    let script = format!(
        "import time\nstart = time.process_time()\n{source}\ntook = time.process_time() - start\nprint(took, result)"
    );
    let output = Command::new("python3").arg("-c").arg(script).output()?;
    let text = String::from_utf8(output.stdout)?;
    let (took, value) = text.trim().split_once(' ').ok_or("python3 printed nothing")?;
    Ok((Duration::from_secs_f64(took.parse()?), value.to_owned()))
}
