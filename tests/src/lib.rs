//! Tests that need the whole project; see the files in `tests/tests/`.

#![forbid(unsafe_code)]
