//! Programs: any text is refused with a place, or becomes a package that verifies. The mutated
//! programs of `cocojs/tests/main/mutants.rs` are its smoke test.

#![no_main]

use cocojs::{Options, Target, build};
use coconut_codec::event::ValueSink;
use coconut_format::verify::{Severity, verify_as_package};
use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("coconut-fuzz-program-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("there is a folder for temporary files");
    fs::write(folder.join("Coconut.yaml"), "name: fuzzed\n").expect("it can be written");
    folder
});

libfuzzer_sys::fuzz_target!(|text: &str| {
    fs::write(FOLDER.join("index.ts"), text).expect("it can be written");
    for target in [Target::Current, Target::Lumi2017] {
        let mut sink = ValueSink::new();
        match build(&FOLDER, &Options { target, ..Options::default() }, &mut sink) {
            Err(faults) => {
                assert!(
                    !faults.is_empty() && faults.iter().all(|fault| !fault.message.is_empty()),
                    "{faults:?}"
                );
            }
            Ok(()) if target == Target::Current => {
                let package = sink.finish().expect("a package was built");
                let mut findings = verify_as_package(package, &[]);
                findings.retain(|finding| finding.severity() == Severity::Error);
                assert!(findings.is_empty(), "{findings:?}");
            }
            Ok(()) => {}
        }
    }
});
