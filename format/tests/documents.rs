//! Tests packages in files: the corpus of real ones, and a case for every rule.

mod corpus;
mod real_packages;
mod verify_cases;
