//! Small programs, written as JSON.
