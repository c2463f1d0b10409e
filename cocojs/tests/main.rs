//! Tests of the compiler and its program.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "main/compatible.rs"]
mod compatible;
#[path = "main/faults.rs"]
mod faults;
#[path = "main/locked.rs"]
mod locked;
#[path = "main/mutants.rs"]
mod mutants;
#[path = "main/origins.rs"]
mod origins;
#[path = "main/page.rs"]
mod page;
#[path = "main/programs.rs"]
mod programs;
#[path = "main/raised.rs"]
mod raised;
#[path = "main/transcripts.rs"]
mod transcripts;
