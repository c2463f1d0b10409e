//! The tests of `coco-history`, as one program.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "main/browser.rs"]
mod browser;
#[path = "main/client.rs"]
mod client;
#[path = "main/commands.rs"]
mod commands;
#[path = "main/guide.rs"]
mod guide;
#[path = "main/real.rs"]
mod real;
#[path = "main/replay.rs"]
mod replay;
#[path = "main/serve.rs"]
mod serve;
#[path = "main/tls.rs"]
mod tls;
#[path = "main/transcripts.rs"]
mod transcripts;
