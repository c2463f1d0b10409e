//! Command transcripts. Those in `commands/` are the examples in the help texts; those in `behaviour/` are rules that
//! people rely on: what is refused, what is printed, which exit code. `TRYCMD=overwrite` blesses them.

#[test]
fn transcripts_are_true() {
    let cache = tempfile::tempdir().expect("a temporary folder can be made");
    let cases = trycmd::TestCases::new();
    cases.env("COCONUT_CACHE_DIR", cache.path().to_string_lossy());
    cases.case("tests/commands/*.md").case("tests/behaviour/*.md").run();
}
