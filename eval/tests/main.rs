//! Programs of 2017 and their results, as the engines of that time gave them.
//!
//! They are read as `coconut_testing::golden` says. Where our rules differ from the engines'
//! (§19.11), the row in this file says so.

#[path = "main/cases.rs"]
mod cases;
#[path = "main/golden.rs"]
mod golden;
#[path = "main/own.rs"]
mod own;
#[path = "main/plans.rs"]
mod plans;
#[path = "main/programs.rs"]
mod programs;
#[path = "main/raising.rs"]
mod raising;
