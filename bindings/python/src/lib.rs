//! The native module of the package `coconut_format` for Python.
//!
//! Each file has one part of its interface. The answers are those of the tools: made, and masked,
//! by `coconut-report`, `coconut-query`, `coconut-diff` and `coconut-picture`. Work on documents
//! runs without the lock of the interpreter.
//!
//! | file | of Python |
//! |---|---|
//! | `opening` | `open`, `from_bytes`, `load`; `opened` does it |
//! | `document` | `Document`, `Landmark` |
//! | `value` | `Object`, `List`: values that are read when they are used |
//! | `decode`, `objects` | documents and values as objects of Python |
//! | `answers` | `deps`, `rdeps`, `impact`, `find`, `query`, `info` |
//! | `compare` | `diff` |
//! | `drawing` | `graph` |
//! | `make` | `compile`, `dumps`, `convert` |
//! | `error` | failures as exceptions |

#![forbid(unsafe_code)]

mod answers;
mod compare;
mod decode;
mod document;
mod drawing;
mod error;
mod make;
mod objects;
mod opened;
mod opening;
mod value;

/// The functions and classes.
///
/// All objects are immutable and may be shared by threads, so an interpreter without a global lock
/// keeps it off.
#[pyo3::pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use super::answers::run_filter;
    #[pymodule_export]
    use super::compare::{Diff, diff};
    #[pymodule_export]
    use super::document::{Document, Landmark};
    #[pymodule_export]
    use super::make::{Conversion, compile, convert, dumps};
    #[pymodule_export]
    use super::opening::{from_bytes, load, open};
    #[pymodule_export]
    use super::value::{List, Object};
}
