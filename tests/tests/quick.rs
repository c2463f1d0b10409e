//! The tests of all packages together that take seconds: run them after each change.
//!
//! The tests that take minutes are in `heavy`. Two more are separate programs. `memory` counts the
//! allocations of its process, and `cache_faults` runs itself again as many workers.

mod agreement;
mod api;
mod codes;
mod debug;
mod errors;
mod findings;
mod frozen;
mod graphs;
mod loader;
mod loader_explained;
mod passed_over;
mod readme;
mod regions;
mod threads;
mod tidy;
mod vectors;
mod verify_mutations;
mod yaml_packages;
