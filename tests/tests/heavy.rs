//! The tests of all packages together that take minutes: limits that only large documents reach,
//! every byte of a file changed, every file of the corpus, and the readers in other languages.

mod bad_inputs;
mod boundaries;
mod corpus_round_trip;
mod damage;
mod damage_typed;
mod differences;
mod exact_differences;
mod foreign_differences;
mod fuzz_smoke;
mod hostile_round_trip;
mod limits;
mod programs;
mod proportion;
mod proportion_of_sources;
mod readers;
mod tools;
