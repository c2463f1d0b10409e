//! The tests of all packages together, in one program: each program costs a link.
//!
//! Two are separate programs. `memory` counts the allocations of its process, and `cache_faults`
//! runs itself again as many workers.

mod agreement;
mod api;
mod bad_inputs;
mod boundaries;
mod codes;
mod corpus_round_trip;
mod damage;
mod damage_typed;
mod debug;
mod differences;
mod errors;
mod exact_differences;
mod findings;
mod foreign_differences;
mod frozen;
mod fuzz_smoke;
mod graphs;
mod hostile_round_trip;
mod limits;
mod loader;
mod loader_explained;
mod passed_over;
mod programs;
mod proportion;
mod proportion_of_sources;
mod readers;
mod readme;
mod regions;
mod threads;
mod tidy;
mod tools;
mod vectors;
mod verify_mutations;
mod yaml_packages;
