//! What `coco-inspect` prints, for people and for machines, and what it never prints.

mod fixtures;
mod transcripts;
