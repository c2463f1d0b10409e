//! The cost of a cold lookup: windows of the file and bytes of memory, not time.
//!
//! A page fault of a memory map loads a window of 64 KiB, so the number of distinct windows is the
//! cost of a cold lookup. Keys are drawn over all landmarks by a fixed seed; the files are those of
//! the default profile.

use coconut_codec::compile::{CompileOptions, compile};
use coconut_codec::read::file::DocumentFile;
use coconut_tests::generate::{Random, checkpoint, package, provider_schema, terraform_state};
use stats_alloc::Region;
use std::collections::BTreeSet;

use super::{ALLOCATOR, ALONE};

/// Bytes loaded by a page fault of a map, on Linux by default.
const WINDOW: u64 = 64 << 10;

/// The promised limits. Two windows are for the landmark offsets: version 1 reads them to check
/// whether a slot leads to a landmark (§10.3), and a first guess may be in the window before or
/// after.
const MOST_WINDOWS: usize = 10;
const MOST_BYTES: usize = 4 << 10;

fn windows(file: &DocumentFile<&[u8]>) -> usize {
    let windows: BTreeSet<u64> = file
        .touched_ranges()
        .into_iter()
        .flat_map(|range| range.start / WINDOW..=(range.end - 1) / WINDOW)
        .collect();
    windows.len()
}

/// Opens the file afresh for each of some keys, and looks one level into the value.
fn assert_cheap(name: &str, text: &str) {
    let compiled = compile(text.as_bytes(), &CompileOptions::default()).expect("the text compiles");
    let bytes = &compiled.bytes[..];
    let whole = DocumentFile::from_data(bytes).expect("it opens");
    let count = whole.view().landmark_count().expect("it has an index") as usize;
    let mut random = Random::new(5);
    let (mut most_windows, mut most_bytes) = (0, 0);
    for _ in 0..300 {
        let ordinal = u32::try_from(random.below(count)).expect("an ordinal");
        let landmark = whole.view().landmark(ordinal).expect("it is there").expect("it is there");
        let key = landmark.key().expect("it has a key").into_owned();
        let lookup = || {
            let file = DocumentFile::from_data(bytes).expect("it opens");
            let region = Region::new(ALLOCATOR);
            let found = file.view().get_all(&key).expect("the lookup works");
            let value = found[0].value().expect("it has a value");
            std::hint::black_box(value.content().expect("it can be read"));
            (region.change().bytes_allocated, windows(&file))
        };
        // A test that ends at that time also allocates, in its own thread: the lower of two results
        // is that of the lookup.
        let (first, second) = (lookup(), lookup());
        most_bytes = most_bytes.max(first.0.min(second.0));
        most_windows = most_windows.max(first.1);
    }
    println!(
        "{name}: {} bytes, at most {most_windows} windows and {most_bytes} bytes of memory",
        bytes.len()
    );
    assert!(most_windows <= MOST_WINDOWS, "{name}: {most_windows} windows");
    assert!(most_bytes < MOST_BYTES, "{name}: {most_bytes} bytes allocated");
}

#[test]
fn a_cold_get_touches_few_windows_and_allocates_little() {
    let _alone = ALONE.lock();
    assert_cheap("checkpoint of 1,000", &checkpoint(1000));
    assert_cheap("checkpoint of 20,000", &checkpoint(20_000));
    assert_cheap("state of 1,200", &terraform_state(1200));
    assert_cheap("schema of 600", &provider_schema(600));
    assert_cheap("package of 1,000", &package(1000));
    let Some(corpus) = coconut_tests::corpus() else { return };
    for path in [
        "tf-provider-schema/tool-made/aws-5.100.0.provider-schema.json",
        "tfplan/tool-made/driftctl-configs-x10.plan.json",
        "pulumi/tests__testdata__codegen__kubernetes-3.7.2.json",
        "coconut/coconut/cmd__cocojs__tests__output__basic__lambdas__Cocopack.json",
    ] {
        let text = std::fs::read_to_string(corpus.join(path)).expect("a file of the corpus");
        assert_cheap(path, &text);
    }
}
