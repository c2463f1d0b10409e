//! Runs the examples in the help of each command. `TRYCMD=overwrite` blesses them.

#[test]
fn commands_print_what_their_help_shows() {
    let cache = tempfile::tempdir().unwrap();
    let cases = trycmd::TestCases::new();
    cases.env("COCONUT_CACHE_DIR", cache.path().to_string_lossy());
    cases.case("tests/help/*.trycmd").run();
}
