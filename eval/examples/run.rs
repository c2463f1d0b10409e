//! Runs the program in a JSON file, and prints its result and cost:
//! `cargo run --release -p coconut-eval --example run -- PACK [OTHER…]`.

#![expect(clippy::print_stdout, reason = "the example prints its result")]

use coconut_codec::event::ValueSink;
use coconut_codec::text::json::{self, JsonOptions};
use coconut_eval::{Evaluator, Options, PackageList};
use coconut_format::Package;
use std::error::Error;
use std::time::Instant;

fn package(path: &str) -> Result<Package, Box<dyn Error>> {
    let mut sink = ValueSink::new();
    json::read(&std::fs::read(path)?, &mut sink, &JsonOptions::default())?;
    let value = sink.finish().ok_or("the document ends early")?;
    Package::from_value(value).map_err(|_| "it is not a package".into())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut packages = PackageList::new();
    let mut name = None;
    for path in std::env::args().skip(1) {
        let package = package(&path)?;
        name = name.or_else(|| package.name().map(str::to_owned));
        packages.add(package);
    }
    let name = name.ok_or("name the file of a package")?;
    let start = Instant::now();
    let outcome = Evaluator::new(&packages).evaluate(&name, &Options::default())?;
    let took = start.elapsed();
    println!("{:?}, {} resources", outcome.result(), outcome.resources().count());
    println!("{} steps, {} bytes, {took:?}", outcome.steps(), outcome.heap_bytes());
    Ok(())
}
