//! The tests of `coco-deploy`, as one program. They run `examples/files.rs`, the same tool with a
//! provider whose resources are files.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "main/crashes.rs"]
mod crashes;
#[path = "main/foreign.rs"]
mod foreign;
#[path = "main/life.rs"]
mod life;
#[path = "main/rounds.rs"]
mod rounds;
#[path = "main/secrets.rs"]
mod secrets;
#[path = "main/world.rs"]
mod world;
