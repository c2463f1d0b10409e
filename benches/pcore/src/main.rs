//! Reads and writes the streams in folders, several times: `cargo run --release -- FOLDER…`.

use coconut_codec::write::interner::Interner;
use coconut_pcore::{Stream, WriteOptions};
use cpu_time::ProcessTime;
use peak_alloc::PeakAlloc;
use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::time::Duration;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const ROUNDS: usize = 40;

fn main() -> Result<(), Box<dyn Error>> {
    let mut files = Vec::new();
    for folder in std::env::args().skip(1) {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "msgpack") {
                files.push(fs::read(path)?);
            }
        }
    }
    let bytes: usize = files.iter().map(Vec::len).sum();
    println!("{} streams, {bytes} bytes", files.len());
    let mut tokens = 0;
    let mut worst = 0.0_f64;
    for file in &files {
        MEMORY.reset_peak_usage();
        let before = MEMORY.current_usage();
        let stream = Stream::read(file, None)?;
        let peak = MEMORY.peak_usage() - before;
        tokens += stream.len();
        // The file itself is in memory, too.
        if file.len() >= 16 << 10 {
            worst = worst.max(1.0 + peak as f64 / file.len() as f64);
        }
    }
    println!("{tokens} values; peak of memory {worst:.2} times a file of 16 KiB or more");
    let report = |name: &str, time: Duration| {
        let rate = (bytes * ROUNDS) as f64 / time.as_secs_f64() / 1e6;
        println!("{name:28} {rate:8.1} MB/s");
    };
    report("read", timed(|| {
        for file in &files {
            black_box(Stream::read(file, None).expect("it was read before"));
        }
    }));
    report("read to a document", timed(|| {
        for file in &files {
            let stream = Stream::read(file, None).expect("it was read before");
            let mut interner = Interner::new();
            stream.push(&mut interner).expect("it is a document");
            black_box(interner.finish().expect("it is whole"));
        }
    }));
    let streams = files.iter().map(|file| Stream::read(file, None)).collect::<Result<Vec<_>, _>>()?;
    report("write", timed(|| {
        for stream in &streams {
            black_box(stream.to_bytes(&WriteOptions::of(stream)).expect("it can be written"));
        }
    }));
    Ok(())
}

/// The processor time of all rounds, after one to warm up.
fn timed(mut work: impl FnMut()) -> Duration {
    work();
    let start = ProcessTime::now();
    (0..ROUNDS).for_each(|_| work());
    start.elapsed()
}
