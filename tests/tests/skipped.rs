//! Prints the skipped tests of the previous programs in one line. Cargo runs it as the last program
//! of this package.

fn main() {
    // Some runners ask each program for its tests first. It has none.
    if std::env::args().any(|argument| argument == "--list") {
        return;
    }
    if let Some(skipped) = coconut_testing::skipped::take() {
        println!("skipped: {skipped}");
    }
}
