//! The tests that need more than this crate, in one program: each program costs a link.

mod documents;
mod edges_against_petgraph;
mod landmark_rules;
