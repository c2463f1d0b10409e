//! Measures the time to build the model of a schema (§20): from its compiled file, and as part of
//! it.
//!
//! ```text
//! cargo run --profile dist -p coconut-surface --example model -- SCHEMA [RUNS]
//! ```
//!
//! Prints the median of the wall-clock times. On Linux it also prints the mean processor time,
//! which other programs hardly affect. See `benches/model/README.md`.

#![expect(clippy::print_stdout, reason = "the result")]

use coconut_codec::compile::{CompileOptions, compile};
use coconut_codec::read::file::DocumentFile;
use coconut_surface as surface;
use std::error::Error;
use std::time::{Duration, Instant};

/// The measured operation. Its result depends on all of the work.
type Step = fn(&[u8]) -> Result<usize, Box<dyn Error>>;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("name a schema: JSON, or compiled")?;
    let runs = arguments.next().map_or(Ok(21), |runs| runs.parse::<usize>())?;
    let bytes = std::fs::read(&path)?;
    let bytes = match bytes.starts_with(b"application/vnd.coconut") {
        true => bytes,
        false => compile(&bytes, &CompileOptions::default())?.bytes,
    };
    println!("{path}: {} bytes compiled, {runs} runs", bytes.len());
    let steps: [(&str, Step); 3] =
        [("open", opened), ("open, tree", with_tree), ("open, tree, model", with_model)];
    for (name, step) in steps {
        let (mut times, before) = (Vec::with_capacity(runs), on_processor());
        for _ in 0..runs.max(1) {
            let started = Instant::now();
            std::hint::black_box(step(&bytes)?);
            times.push(started.elapsed());
        }
        let spent = on_processor().zip(before).map(|(after, before)| after.saturating_sub(before));
        times.sort_unstable();
        let milliseconds = |time: Duration| time.as_secs_f64() * 1000.0;
        print!("{name:<18} median {:6.2} ms", milliseconds(times[times.len() / 2]));
        match spent.zip(u32::try_from(times.len()).ok()) {
            Some((spent, runs)) => println!(", of the processor {:6.2} ms", milliseconds(spent / runs)),
            None => println!(),
        }
    }
    let file = DocumentFile::from_data(&bytes[..])?;
    let tree = file.view().tree()?;
    let package = surface::read(tree.root())?;
    let (members, types) = package.size();
    println!("{} definitions, {members} members, {types} types", package.definitions.len());
    Ok(())
}

/// The processor time used by this process.
fn on_processor() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

fn opened(bytes: &[u8]) -> Result<usize, Box<dyn Error>> {
    Ok(DocumentFile::from_data(bytes)?.view().bytes().len())
}

fn with_tree(bytes: &[u8]) -> Result<usize, Box<dyn Error>> {
    let file = DocumentFile::from_data(bytes)?;
    let tree = file.view().tree()?;
    Ok(coconut_format::Node::width(tree.root()))
}

fn with_model(bytes: &[u8]) -> Result<usize, Box<dyn Error>> {
    let file = DocumentFile::from_data(bytes)?;
    let tree = file.view().tree()?;
    Ok(surface::read(tree.root())?.definitions.len())
}
