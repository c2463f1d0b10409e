//! Command transcripts. Those in `commands/` are the examples in the help texts; those in `behaviour/` are rules that
//! people rely on: what is refused, what is printed, which exit code. `TRYCMD=overwrite` blesses them.

#[test]
fn examples_in_the_help_texts_are_true() {
    run("tests/commands/*.md");
}

#[test]
fn rules_that_people_rely_on_are_true() {
    run("tests/behaviour/*.md");
}

/// Each set has a cache of its own, since its transcripts say what is in it.
fn run(transcripts: &str) {
    let cache = tempfile::tempdir().expect("a temporary folder can be made");
    let cases = trycmd::TestCases::new();
    cases.env("COCONUT_CACHE_DIR", cache.path().to_string_lossy());
    cases.case(transcripts).run();
}
