//! Declarations for editors, in TypeScript. They are only written.

pub(crate) mod write;
