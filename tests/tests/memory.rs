//! §9 The memory cost of a small hostile file.
//!
//! This program holds all tests that count bytes. Its allocator counts for the whole process, so
//! one test runs at a time.

mod cold_get;
mod verify_at_scale;

use coconut_codec::compile::{CompileOptions, LandmarkChoice, compile};
use coconut_codec::event::{EventSink, SinkError, ValueSink};
use coconut_codec::read::file::DocumentFile;
use coconut_codec::read::stream::Budget;
use coconut_codec::read::verify::verify_document;
use coconut_codec::text::json::{self, JsonOptions};
use coconut_codec::text::yaml::{self, YamlOptions};
use coconut_codec::write::interner::Interner;
use coconut_format::Value;
use coconut_format::landmark::{Dialect, LandmarkRule};
use coconut_format::verify::verify_graph;
use coconut_tests::crafted::{Crafted, array, integer, string};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;
use std::sync::Mutex;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Shapes of 128 slots of a byte each, and shapes that nest a hundred of them: each of those slots
/// describes in three bytes what takes 257 steps to write.
fn shapes_in_shapes() -> Crafted {
    const FLAT: usize = 20_000;
    const NESTING: usize = 800;
    const NESTED: i64 = 100;
    let keys: Vec<Vec<u8>> = (0..128).map(|key| string(&format!("k{key}"))).collect();
    let flat = [array(128), (0..128).collect()].concat();
    let mut nesting = array(100);
    for inner in 0..NESTED {
        nesting.extend([&[0x92][..], &integer(inner), &integer(inner)].concat());
    }
    let mut crafted = Crafted::full(&[0xc0]);
    crafted.strings = [array(128), keys.concat()].concat();
    crafted.shapes = [array(FLAT + NESTING), flat.repeat(FLAT), nesting.repeat(NESTING)].concat();
    crafted
}

/// Locked by the test that runs.
static ALONE: Mutex<()> = Mutex::new(());

#[test]
fn shapes_in_shapes_take_memory_in_proportion() {
    // A slot of a byte takes 72 in memory and two steps of 12 to write, and a growing list is
    // allocated twice over.
    const MOST_PER_BYTE: usize = 150;
    let _alone = ALONE.lock();
    let file = DocumentFile::from_data(shapes_in_shapes().to_bytes()).expect("the frame is right");
    let mut sink = ValueSink::new();
    let region = Region::new(ALLOCATOR);
    file.view().stream(&mut sink, Budget::default()).expect("a good document");
    let allocated = region.change().bytes_allocated;
    assert_eq!(sink.finish(), Some(Value::Null));
    let length = file.data().len();
    assert!(allocated < MOST_PER_BYTE * length, "{allocated} bytes for {length}");
}

#[test]
fn empty_shapes_take_memory_in_proportion() {
    const SHAPES: usize = 1 << 20;
    let _alone = ALONE.lock();
    let mut crafted = Crafted::full(&[0xc0]);
    crafted.shapes = [array(SHAPES), vec![0x90; SHAPES]].concat();
    let file = DocumentFile::from_data(crafted.to_bytes()).expect("the frame is right");
    let view = file.view();
    let reads: [(&str, usize, &dyn Fn()); 3] = [
        ("values", 48, &|| view.check_values().expect("good values")),
        ("tree", 48, &|| drop(view.tree().expect("good values"))),
        ("stream", 80, &|| view.stream(&mut ValueSink::new(), Budget::default()).expect("good values")),
    ];
    for (name, most, read) in reads {
        let region = Region::new(ALLOCATOR);
        read();
        let allocated = region.change().bytes_allocated;
        assert!(allocated < most * SHAPES + 100_000, "{name}: {allocated} bytes for {SHAPES} shapes");
    }
}

#[test]
fn empty_shared_values_take_memory_in_proportion() {
    const SHARED: usize = 1 << 20;
    let _alone = ALONE.lock();
    let mut crafted = Crafted::full(&[0xc0]);
    crafted.shared = [array(SHARED), vec![0x90; SHARED]].concat();
    let file = DocumentFile::from_data(crafted.to_bytes()).expect("the frame is right");
    let view = file.view();
    let reads: [(&str, usize, &dyn Fn()); 2] = [
        ("values", 32, &|| view.check_values().expect("good values")),
        ("stream", 32, &|| view.stream(&mut ValueSink::new(), Budget::default()).expect("good values")),
    ];
    for (name, most, read) in reads {
        let region = Region::new(ALLOCATOR);
        read();
        let allocated = region.change().bytes_allocated;
        assert!(allocated < most * SHARED + 100_000, "{name}: {allocated} bytes for {SHARED} shared values");
    }
}

/// Sends `rows` rows of distinct values, and returns the bytes of memory that they take.
fn live_after(interner: &mut Interner, rows: std::ops::Range<u64>) -> Result<isize, SinkError> {
    let region = Region::new(ALLOCATOR);
    for number in rows {
        interner.begin_object()?;
        interner.key("name")?;
        interner.string(&format!("row number {number}"))?;
        interner.key("load")?;
        interner.float(number as f64 + 0.5)?;
        interner.key("size")?;
        interner.integer((number << 32).into())?;
        interner.end_object()?;
    }
    let change = region.change();
    let freed = change.bytes_deallocated as isize;
    Ok(change.bytes_allocated as isize - freed)
}

#[test]
fn rows_take_memory_in_proportion_up_to_the_limit_of_the_caller() {
    const ROWS: u64 = 100_000;
    // Vectors and tables double, so they can be twice the size of their contents.
    const MOST_PER_ROW: isize = 400;
    const LIMIT: usize = 10 << 20;
    let _alone = ALONE.lock();
    let mut interner = Interner::new();
    interner.begin_list().unwrap();
    let live = live_after(&mut interner, 0..ROWS).unwrap();
    assert!((50..MOST_PER_ROW).contains(&(live / ROWS as isize)), "{live} bytes for {ROWS} rows");
    // Equal rows take four bytes each.
    let again = live_after(&mut interner, 0..ROWS).unwrap();
    assert!(again <= 16 * ROWS as isize, "{again} bytes for {ROWS} equal rows");
    interner.end_list().unwrap();
    assert_eq!(interner.finish().unwrap().container_count() as u64, ROWS + 1);

    let mut limited = Interner::new().within(LIMIT);
    limited.begin_list().unwrap();
    let region = Region::new(ALLOCATOR);
    let mut row = 0;
    let refusal = loop {
        match live_after(&mut limited, row..row + 1) {
            Ok(_) => row += 1,
            Err(refusal) => break refusal,
        }
    };
    let change = region.change();
    let live = change.bytes_allocated - change.bytes_deallocated;
    assert_eq!((&refusal, refusal.code()), (&SinkError::Memory { limit: LIMIT }, "LIM-COUNT"));
    assert!((LIMIT / 2..3 * LIMIT).contains(&live), "{live} bytes at row {row}");
    // An error is final.
    assert_eq!(limited.null(), Err(SinkError::Failed));
    // Values outside all tables count, too.
    let mut limited = Interner::new().within(LIMIT);
    limited.begin_list().unwrap();
    let taken = (0..).take_while(|_| limited.null().is_ok()).count();
    assert!((LIMIT / 5..LIMIT / 4).contains(&taken), "{taken} values");
}

#[test]
fn a_long_header_takes_memory_in_proportion() {
    let _alone = ALONE.lock();
    for key in ["optional", "patterns"] {
        let text = if key == "optional" { "" } else { "/a" };
        let mut crafted = Crafted::full(&[0xc0]);
        let texts = vec![rmpv::Value::from(text); 64_000 / (text.len() + 1)];
        crafted.set(key, rmpv::Value::Array(texts));
        let bytes = crafted.to_bytes();
        let region = Region::new(ALLOCATOR);
        let opened = DocumentFile::from_data(&bytes[..]);
        let allocated = region.change().bytes_allocated;
        assert_eq!(opened.as_ref().map(|file| file.header().rule().is_ok()), Ok(key == "optional"));
        assert!(allocated < MOST_OF_A_HEADER * 64 * 1024, "{key}: {allocated} bytes");
    }
}

/// Bytes of memory for each byte of a header, with growing lists counted for each growth.
const MOST_OF_A_HEADER: usize = 64;

#[test]
fn long_keys_that_nest_take_memory_in_proportion() {
    const LEVELS: usize = 500;
    const KEY: usize = 10_000;
    // The complete input and output, with growing lists; full keys are 250 times the file.
    const MOST_PER_BYTE: usize = 12;
    let _alone = ALONE.lock();
    let open = (0..LEVELS).map(|level| format!("{{\"{level:0KEY$}\":")).collect::<String>();
    let text = format!("{open}null{}", "}".repeat(LEVELS));
    let rule = LandmarkRule::parse(&["(/*)*/*"], Some("/"), &[]).expect("a rule");
    let options = CompileOptions { landmarks: LandmarkChoice::Rule(rule), ..CompileOptions::default() };
    let region = Region::new(ALLOCATOR);
    let compiled = compile(text.as_bytes(), &options).expect("a good document").bytes;
    let written = region.change().bytes_allocated;
    let file = DocumentFile::from_data(&compiled[..]).expect("it opens");
    assert_eq!(file.view().landmark_count(), Ok(500));
    let region = Region::new(ALLOCATOR);
    file.view().check_integrity().expect("a good file");
    let verified = region.change().bytes_allocated;
    for (what, allocated) in [("written", written), ("verified", verified)] {
        assert!(allocated < MOST_PER_BYTE * text.len(), "{what}: {allocated} bytes for {}", text.len());
    }
}

/// A state of one resource, whose long key is before its instances. The instances refer to one
/// another in circles of two, and to missing ones.
fn instances_of_one_resource(name: usize, circles: usize) -> String {
    let key = format!("t.{}", "n".repeat(name));
    let instance = |n: usize| {
        // There are few of these, since each has the long key once more.
        let to = if n < 4 { format!("{key}[{}]", n ^ 1) } else { format!("gone.{}", n % 50) };
        format!(r#"{{"index_key":{n},"dependencies":["{to}"]}}"#)
    };
    let instances: Vec<String> = (0..2 * circles).map(instance).collect();
    let resource = format!(
        r#"{{"mode":"managed","type":"t","name":"{}","instances":[{}]}}"#,
        &key[2..],
        instances.join(",")
    );
    format!(r#"{{"version":4,"terraform_version":"1","resources":[{resource}]}}"#)
}

#[test]
fn a_graph_of_long_keys_that_nest_is_verified_with_memory_in_proportion() {
    // Full keys are a thousand times the source.
    const INSTANCES: usize = 8_000;
    const NAME: usize = 100_000;
    // All allocations, including growing lists and texts of findings.
    const MOST_PER_BYTE: usize = 40;
    let _alone = ALONE.lock();
    let text = instances_of_one_resource(NAME, INSTANCES / 2);
    let mut sink = ValueSink::new();
    json::read(text.as_bytes(), &mut sink, &JsonOptions::default()).expect("good JSON");
    let value = sink.finish().expect("one document");
    let dialect = Dialect::of(&value).expect("a state");
    let region = Region::new(ALLOCATOR);
    let found = verify_graph(&value, dialect);
    let of_source = region.change().bytes_allocated;
    // Two circles, and all that refer to missing resources.
    assert_eq!(found.len(), 2 + INSTANCES - 4);
    let compiled = compile(text.as_bytes(), &CompileOptions::default()).expect("a good document").bytes;
    let file = DocumentFile::from_data(&compiled[..]).expect("it opens");
    let region = Region::new(ALLOCATOR);
    let located = verify_document(file.view(), &[]).expect("a good file");
    let of_compiled = region.change().bytes_allocated;
    assert!(located.into_iter().map(|located| located.finding).eq(found));
    for (what, allocated) in [("a source", of_source), ("a compiled file", of_compiled)] {
        assert!(allocated < MOST_PER_BYTE * text.len(), "{what}: {allocated} bytes for {}", text.len());
    }
}

/// Records the peak of allocated memory at each write.
struct Held<'a> {
    region: &'a Region<'static, System>,
    most: usize,
}

impl std::io::Write for Held<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let change = self.region.change();
        self.most = self.most.max(change.bytes_allocated - change.bytes_deallocated);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn yaml_of_many_small_values_takes_memory_in_proportion() {
    // A value of two bytes takes 48, in a list that may have twice as much room, and there may be a
    // second copy of the text.
    const MOST_PER_BYTE: usize = 50;
    const VALUES: usize = 500_000;
    let _alone = ALONE.lock();
    let flow = "a,".repeat(VALUES);
    let texts = [
        format!("[{flow}]\n"),
        format!("# a\n---\n[{flow}]"),
        format!("k: [{flow}]\n"),
        format!("{{k: [{flow}]}}"),
        "- a\n".repeat(VALUES),
        "- 'é'\n".repeat(VALUES),
        "- !!str \"é\"\n".repeat(VALUES),
        "- |\n a\n".repeat(VALUES),
        "- {é: é}\n".repeat(VALUES),
    ];
    for text in texts {
        let region = Region::new(ALLOCATOR);
        let mut printer = json::Printer::new(Held { region: &region, most: 0 }, json::JsonStyle::Minified);
        yaml::read(text.as_bytes(), &mut printer, &YamlOptions::default()).expect("good YAML");
        let most = printer.finish().expect("all is taken").most;
        let beginning: String = text.chars().take(16).collect();
        assert!(most < MOST_PER_BYTE * text.len(), "{beginning:?}: {most} bytes for {}", text.len());
    }
}
