//! The tests of `coco-hub`, as one program.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "main/access.rs"]
mod access;
#[path = "main/cache.rs"]
mod cache;
#[path = "main/copies.rs"]
mod copies;
#[path = "main/faults.rs"]
mod faults;
#[path = "main/hostile.rs"]
mod hostile;
#[path = "main/layouts.rs"]
mod layouts;
#[path = "main/lock.rs"]
mod lock;
#[path = "main/proxy.rs"]
mod proxy;
#[path = "main/registry.rs"]
mod registry;
#[path = "main/remote.rs"]
mod remote;
#[path = "main/running.rs"]
mod running;
#[path = "main/signatures.rs"]
mod signatures;
#[path = "main/tls.rs"]
mod tls;
#[path = "main/transcripts.rs"]
mod transcripts;
