//! Sources and destinations of bytes: memory, maps, pages of a file, private directories.
//!
//! Nothing here knows what a document is, except that its blocks have checksums.

pub(crate) mod checksum;
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub mod expand;
#[cfg(all(feature = "cache", not(feature = "tooling")))]
pub(crate) mod expand;
pub mod input;
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub mod large;
#[cfg(feature = "verify")]
pub(crate) mod lock;
#[cfg(feature = "map")]
pub mod map;
#[cfg(all(feature = "cache", unix))]
pub(crate) mod own_file;
pub mod paged;
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub mod pipe;
#[cfg(all(feature = "cache", not(feature = "tooling")))]
pub(crate) mod pipe;
#[cfg(feature = "cache")]
pub(crate) mod private_dir;
#[cfg(any(feature = "verify", feature = "write"))]
pub mod replace;
mod stored;

pub(crate) use stored::Bytes;
