//! Runs the examples in the help of each command.

#[test]
fn commands_print_what_their_help_shows() {
    trycmd::TestCases::new().case("tests/help/*.trycmd");
}
