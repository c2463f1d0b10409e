//! Transcripts of the tool: the expected output, compared with the real one.
//!
//! `tests/help/*.trycmd` are also the examples in the help of each command;
//! `tests/transcripts/*.trycmd` are the rest. They run in a separate directory below the target
//! directory, next to documents compiled from `tests/fixtures`. `TRYCMD=overwrite` writes the
//! current output to the source tree, for review.

use crate::fixtures;

use std::fs;
use std::path::Path;

const FOLDERS: [&str; 2] = ["help", "transcripts"];

#[test]
fn transcripts_are_as_recorded() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let directory = fixtures::directory("transcripts");
    // The commands of a transcript run in the directory of this process; no other test relies on
    // it.
    std::env::set_current_dir(&directory).expect("the directory was just made");
    let cases = trycmd::TestCases::new();
    cases.register_bin("coco-inspect", Path::new(env!("CARGO_BIN_EXE_coco-inspect")));
    cases.env("NO_COLOR", "1");
    cases.insert_var("[VERSION]", env!("CARGO_PKG_VERSION")).expect("the name is well formed");
    let made = std::process::Command::new("git").args(["init", "--quiet", "repository"]).status();
    let has_git = made.is_ok_and(|status| status.success());
    let mut copies = Vec::new();
    for folder in FOLDERS {
        fs::create_dir(directory.join(folder)).expect("the target directory can be written");
        for entry in fs::read_dir(tests.join(folder)).expect("the folder is part of the repository") {
            let file = Path::new(folder).join(entry.expect("the folder can be read").file_name());
            if file.ends_with("git-setup.trycmd") && !has_git {
                coconut_testing::skip("git");
                continue;
            }
            fs::copy(tests.join(&file), directory.join(&file)).expect("the target directory can be written");
            copies.push(file);
        }
        cases.case(directory.join(folder).join("*.trycmd"));
    }
    assert!(copies.len() > 10, "few transcripts: {copies:?}");
    // When transcripts are overwritten, failures are expected.
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| cases.run()));
    if std::env::var("TRYCMD").is_ok_and(|mode| mode == "overwrite") {
        for file in copies {
            fs::copy(directory.join(&file), tests.join(&file)).expect("the source tree can be written");
        }
    }
    if let Err(panic) = result {
        std::panic::resume_unwind(panic);
    }
}
