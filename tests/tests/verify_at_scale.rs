//! §15.9 The cost of verifying a graph by its index: bytes of memory a resource, and time.

use coconut_codec::compile::{CompileOptions, compile};
use coconut_codec::read::file::DocumentFile;
use coconut_codec::read::graph::GraphView;
use coconut_codec::read::verify::verify_document;
use coconut_format::error::ErrorKind;
use coconut_tests::generate::Random;
use std::fmt::Write;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use super::{ALLOCATOR, ALONE};

/// The promised limit.
const MOST_BYTES_A_RESOURCE: usize = 64;

/// A compiled deployment whose resources depend on three others each.
fn deployment(resources: usize) -> Vec<u8> {
    let mut random = Random::new(7);
    let mut text = String::from(r#"{"manifest":{},"resources":["#);
    for number in 0..resources {
        let comma = if number == 0 { "" } else { "," };
        write!(text, r#"{comma}{{"urn":"urn:pulumi:s::p::t:m:T::r{number}","type":"t:m:T","dependencies":["#)
            .expect("a string takes any text");
        for edge in 0..number.min(3) {
            let comma = if edge == 0 { "" } else { "," };
            write!(text, r#"{comma}"urn:pulumi:s::p::t:m:T::r{}""#, random.below(number))
                .expect("a string takes any text");
        }
        text.push_str("]}");
    }
    text.push_str("]}");
    compile(text.as_bytes(), &CompileOptions::default()).expect("the text compiles").bytes
}

fn bytes_in_use() -> usize {
    let stats = ALLOCATOR.stats();
    stats.bytes_allocated - stats.bytes_deallocated
}

/// Returns the result of `work`, and the peak of memory in use during it, less the memory in use
/// before. A second thread samples the number, and misses very short peaks.
fn with_most_bytes<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let (is_over, most) = (AtomicBool::new(false), AtomicUsize::new(0));
    thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                most.fetch_max(bytes_in_use(), Ordering::Relaxed);
            }
        });
        while most.load(Ordering::Relaxed) == 0 {
            thread::yield_now();
        }
        let before = bytes_in_use();
        most.store(before, Ordering::Relaxed);
        let result = work();
        is_over.store(true, Ordering::Relaxed);
        watcher.join().expect("the watcher only looks");
        (result, most.load(Ordering::Relaxed) - before)
    })
}

fn measure(resources: usize) {
    let bytes = deployment(resources);
    let file = DocumentFile::from_data(&bytes[..]).expect("it opens");
    let graph = GraphView::of(file.view()).expect("it is a graph");
    let order = || {
        let order = graph.in_dependency_order().expect("its tables are good");
        order.ordinals().filter(Result::is_ok).count()
    };
    let verify = || verify_document(file.view(), &[]).expect("it can be read");
    // The second thread slows the work down, so the time is measured first.
    let start = Instant::now();
    assert_eq!(order(), resources);
    let elapsed = start.elapsed();
    let before = bytes_in_use();
    let mut begun = graph.in_dependency_order().expect("its tables are good").ordinals();
    begun.by_ref().take(resources / 2).for_each(drop);
    let most = bytes_in_use() - before;
    drop(begun);
    println!(
        "order of {resources}: {elapsed:?}, {:.1} M edges/s, {:.1} bytes a resource",
        3.0 * resources as f64 / elapsed.as_secs_f64() / 1e6,
        most as f64 / resources as f64
    );
    assert!(
        (4 * resources..=16 * resources).contains(&most),
        "{most} bytes for the order of {resources} resources"
    );
    let start = Instant::now();
    assert_eq!(verify(), []);
    let elapsed = start.elapsed();
    let (_, most) = with_most_bytes(verify);
    println!("verifying {resources}: {elapsed:?}, {:.1} bytes a resource", most as f64 / resources as f64);
    assert!(most <= MOST_BYTES_A_RESOURCE * resources, "{most} bytes to verify {resources} resources");
}

#[test]
fn fifty_thousand_resources_need_little_memory() {
    let _alone = ALONE.lock();
    measure(50_000);
}

/// Between the instances of a counted module are n² edges, in two rows of n.
#[test]
fn edges_in_shared_rows_are_counted_before_they_are_followed() {
    let state = |instances: usize| {
        let mut text = String::from(r#"{"version":4,"terraform_version":"1.11.4","serial":1,"resources":["#);
        for number in 0..instances {
            for (name, to) in [("a", ""), ("b", r#","dependencies":["module.m.t.a"]"#)] {
                let comma = if number == 0 && name == "a" { "" } else { "," };
                write!(
                    text,
                    r#"{comma}{{"module":"module.m[{number}]","mode":"managed","type":"t","name":"{name}","#
                )
                .expect("a string takes any text");
                write!(text, r#""instances":[{{"attributes":{{}}{to}}}]}}"#)
                    .expect("a string takes any text");
            }
        }
        text.push_str("]}");
        compile(text.as_bytes(), &CompileOptions::default()).expect("the text compiles").bytes
    };
    let few = state(100);
    let file = DocumentFile::from_data(&few[..]).expect("it opens");
    assert_eq!(verify_document(file.view(), &[]).map(|findings| findings.len()), Ok(0));
    let many = state(11_586);
    let file = DocumentFile::from_data(&many[..]).expect("it opens");
    let (count, limit) = (11_586_u64.pow(2), 1 << 27);
    let too_many = ErrorKind::TooMany { what: "edges", count, limit };
    assert_eq!(verify_document(file.view(), &[]), Err(too_many.at(file.view().root().offset())));
}

#[test]
#[ignore = "takes a minute and two gigabytes to compile the document; run it alone, with --release"]
fn a_million_resources_are_verified_in_seconds() {
    measure(1_000_000);
}
