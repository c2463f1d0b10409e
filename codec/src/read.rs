//! Reading: from the bytes of a file to answers.
//!
//! Open a [`mod@file`] first. A [`view`] reads lazily in place. A `tree` decodes everything once,
//! and a `stream` emits everything into a sink. A [`lookup`] finds one landmark of many.
//!
//! `wire::value` decodes one value. One `walk` visits whole documents. Its visitors measure them
//! (`measure`), stream them and show their `regions`. A `tree` has its own decoder, for speed. The
//! targets of ids in values come from `tables`, which are read whole, or from single lookups.

#[cfg(feature = "whole")]
mod canonical;
#[cfg(feature = "whole")]
mod compared;
pub mod file;
#[cfg(feature = "graphs")]
pub mod graph;
pub(crate) mod index;
#[cfg(feature = "verify")]
pub mod integrity;
#[cfg(feature = "write")]
mod kept;
pub mod lookup;
#[cfg(feature = "whole")]
pub(crate) mod measure;
#[cfg(feature = "packages")]
pub mod package;
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub mod parts;
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub mod regions;
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub mod same_file;
#[cfg(feature = "whole")]
pub(crate) mod short;
#[cfg(feature = "whole")]
pub mod stream;
#[cfg(feature = "whole")]
pub(crate) mod tables;
#[cfg(feature = "whole")]
pub mod tree;
#[cfg(feature = "verify")]
pub mod verify;
pub mod view;
#[cfg(feature = "whole")]
pub(crate) mod walk;
