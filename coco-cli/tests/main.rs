//! The tests of `coco` as a program, in one program: each program costs a link.

mod determinism;
mod exits;
mod fleet;
mod large;
mod names;
mod own_source;
mod pipes;
mod schemas;
mod transcripts;
