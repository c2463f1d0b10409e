//! Programs from 2017 and their results, as recorded from the engines of that time.
//!
//! `coconut_testing::golden` describes how they are read. If our rules differ from those of the
//! engines (§19.11), the row in this file records it.

#[path = "main/assets.rs"]
mod assets;
#[path = "main/cases.rs"]
mod cases;
#[path = "main/golden.rs"]
mod golden;
#[path = "main/keys.rs"]
mod keys;
#[path = "main/own.rs"]
mod own;
#[path = "main/plans.rs"]
mod plans;
#[path = "main/programs.rs"]
mod programs;
#[path = "main/raising.rs"]
mod raising;
#[path = "main/stand_in.rs"]
mod stand_in;
