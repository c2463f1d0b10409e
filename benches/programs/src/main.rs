//! Runs the same jobs in Coconut and in other embedded languages, in turns:
//! `cargo run --release -- [ROUNDS]` in this folder.

mod cold;
mod ours;
mod peers;

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A job, in the form of each contender.
#[cfg_attr(not(all(feature = "rhai", feature = "boa")), expect(dead_code, reason = "a peer is left out"))]
struct Job {
    name: &'static str,
    package: &'static str,
    starlark: &'static str,
    rhai: &'static str,
    boa: &'static str,
    python: &'static str,
    result: &'static str,
}

const JOBS: [Job; 3] = [
    Job {
        name: "150,049 calls (fib 24)",
        package: include_str!("../programs/fib.cocopack.json"),
        starlark: include_str!("../programs/fib.star"),
        rhai: include_str!("../programs/fib.rhai"),
        boa: include_str!("../programs/fib.js"),
        python: include_str!("../programs/fib.py"),
        result: "46368",
    },
    Job {
        name: "1,000,000 rounds of a loop",
        package: include_str!("../programs/loop.cocopack.json"),
        starlark: include_str!("../programs/loop.star"),
        rhai: include_str!("../programs/loop.rhai"),
        boa: include_str!("../programs/loop.js"),
        python: include_str!("../programs/loop.py"),
        result: "2999997",
    },
    Job {
        name: "200,000 objects in a list",
        package: include_str!("../programs/objects.cocopack.json"),
        starlark: include_str!("../programs/objects.star"),
        rhai: include_str!("../programs/objects.rhai"),
        boa: include_str!("../programs/objects.js"),
        python: include_str!("../programs/objects.py"),
        result: "200000",
    },
];

/// The contenders that are compiled in, starlark-rust second.
fn contenders() -> Vec<(&'static str, fn(&Job) -> peers::Run)> {
    let mut all: Vec<(&str, fn(&Job) -> peers::Run)> =
        vec![("coconut", |job| ours::run(job.package)), ("starlark", |job| peers::starlark(job.starlark))];
    #[cfg(feature = "rhai")]
    all.push(("rhai", |job| peers::rhai(job.rhai)));
    #[cfg(feature = "boa")]
    all.push(("boa", |job| peers::boa(job.boa)));
    all.push(("python", |job| peers::python(job.python)));
    all
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let first = arguments.next().map(|first| first.to_string_lossy().into_owned());
    if first.as_deref() == Some("cold") {
        println!("{}", cold::run(&arguments.map(PathBuf::from).collect::<Vec<_>>())?);
        return Ok(());
    }
    let rounds: usize = first.map_or(Ok(7), |rounds| rounds.parse())?;
    println!("median of {rounds} rounds, in milliseconds of the processor; in parentheses, to starlark-rust");
    let contenders = contenders();
    for job in JOBS {
        let mut times: BTreeMap<&str, Vec<Duration>> = BTreeMap::new();
        // One more round warms the caches.
        for round in 0..=rounds {
            for (name, run) in &contenders {
                let (took, result) = run(&job)?;
                if result.trim_end_matches(".0") != job.result {
                    return Err(format!("{}: {name} says {result}, not {}", job.name, job.result).into());
                }
                if round > 0 {
                    times.entry(*name).or_default().push(took);
                }
            }
        }
        let median = |name: &str| ours::median(&mut times.get(name).cloned().unwrap_or_default());
        let starlark = median("starlark");
        let cells: Vec<String> = contenders
            .iter()
            .map(|(name, _)| (name, median(name)))
            .map(|(name, took)| format!("{name} {took:.1} ({:.2})", took / starlark))
            .collect();
        println!("{}: {}", job.name, cells.join(", "));
    }
    println!("{}", ours::plan(rounds)?);
    match std::env::var_os("COCONUT_GOLDEN") {
        Some(golden) => println!("{}", cold::measure(Path::new(&golden), rounds)?),
        None => println!("no cold process: COCONUT_GOLDEN names no folder"),
    }
    Ok(())
}
