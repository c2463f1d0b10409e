//! Writes a generated document to standard output, for benchmarks of other programs:
//! `cargo run --release -p coconut-tests --example generate checkpoint 20000 > checkpoint.json`.

use coconut_tests::generate::{checkpoint, package, provider_schema, terraform_state};
use std::io::{self, Write};

fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let usage = || io::Error::other("usage: generate checkpoint|state|schema|package COUNT");
    let name = arguments.next().ok_or_else(usage)?;
    let count = arguments.next().and_then(|count| count.parse().ok()).ok_or_else(usage)?;
    let text = match name.as_str() {
        "checkpoint" => checkpoint(count),
        "state" => terraform_state(count),
        "schema" => provider_schema(count),
        "package" => package(count),
        _ => return Err(usage()),
    };
    io::stdout().lock().write_all(text.as_bytes())
}
