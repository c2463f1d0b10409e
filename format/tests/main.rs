//! The tests that need more than this crate, in one program to save linking time.

mod documents;
mod edges_against_petgraph;
mod landmark_rules;
