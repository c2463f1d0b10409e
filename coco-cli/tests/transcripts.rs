//! Transcripts of the tool. `tests/help/*.trycmd` are also the examples in the help of each
//! command; `tests/transcripts/*.trycmd` are rules that users rely on: refusals, output, exit
//! codes. `TRYCMD=overwrite` blesses them.

use std::path::Path;

#[test]
fn examples_in_the_help_texts_are_true() {
    run("tests/help");
}

#[test]
fn rules_that_people_rely_on_are_true() {
    run("tests/transcripts");
}

/// Each transcript has its own cache, because some print its contents.
#[track_caller]
fn run(folder: &str) {
    let entries = Path::new(folder).read_dir().expect("the folder of transcripts is there");
    let paths = entries.map(|entry| entry.expect("an entry of a folder that was just opened").path());
    let transcripts: Vec<_> =
        paths.filter(|path| path.extension().is_some_and(|end| end == "trycmd")).collect();
    assert!(!transcripts.is_empty(), "{folder} has no transcripts");
    for transcript in transcripts {
        let cache = tempfile::tempdir().expect("a temporary folder can be made");
        let cases = trycmd::TestCases::new();
        cases.env("COCONUT_CACHE_DIR", cache.path().to_string_lossy());
        cases.case(transcript).run();
    }
}
