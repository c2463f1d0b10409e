//! Sources and destinations of bytes: memory, maps, pages of a file, private directories.
//!
//! Nothing here knows what a document is, except that its blocks have checksums.

pub(crate) mod checksum;
#[cfg(feature = "tooling")]
pub mod expand;
#[cfg(not(feature = "tooling"))]
pub(crate) mod expand;
pub mod input;
pub(crate) mod lock;
#[cfg(feature = "map")]
pub mod map;
#[cfg(all(feature = "cache", unix))]
pub(crate) mod own_file;
pub mod paged;
#[cfg(feature = "tooling")]
pub mod pipe;
#[cfg(not(feature = "tooling"))]
pub(crate) mod pipe;
#[cfg(feature = "cache")]
pub(crate) mod private_dir;
pub mod replace;
mod stored;

pub(crate) use stored::Bytes;
