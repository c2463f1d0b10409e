//! What `coco-inspect` prints, for people and for machines, and what it never prints.

mod fixtures;
mod integrations;
mod proportion;
mod reports;
mod round_trips;
mod runs;
mod schema_check;
mod secrets;
#[cfg(unix)]
mod signals;
mod transcripts;
