//! Command transcripts. Those in `commands/` are the examples in the help texts; those in `behaviour/` are rules that
//! people rely on: what is refused, what is printed, which exit code. `TRYCMD=overwrite` blesses them.

#[test]
fn transcripts_are_true() {
    trycmd::TestCases::new().case("tests/commands/*.md").case("tests/behaviour/*.md");
}
