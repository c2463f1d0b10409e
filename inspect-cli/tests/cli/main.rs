//! Tests the output of `coco-inspect`, for users and for machines, and the texts that it must never
//! print.

mod answers;
mod browser;
#[cfg(unix)]
mod changes;
mod damaged;
mod diff_paths;
mod engines;
mod equal;
mod find;
mod fixtures;
mod instructions;
mod integrations;
mod lists;
mod mutations;
mod paging;
mod pictures;
mod plans;
mod proportion;
mod query;
mod questions;
mod reports;
mod round_trips;
mod runs;
mod schema_check;
mod secrets;
#[cfg(unix)]
mod signals;
mod transcripts;
