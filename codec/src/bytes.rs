//! Where bytes come from and go to: memory, maps, pages of a file, private directories.
//!
//! Nothing here knows what a document is, except that its blocks have checksums.

pub(crate) mod checksum;
pub mod input;
pub mod map;
pub mod paged;
pub(crate) mod private_dir;
pub mod replace;
mod stored;

pub(crate) use stored::Bytes;
