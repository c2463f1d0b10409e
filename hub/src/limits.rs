//! Limits of size and time.

use std::time::Duration;

/// The maximum size of a manifest or an index in bytes, which the specification of registries
/// recommends.
pub const MANIFEST_BYTES: u64 = 4 << 20;

/// The default maximum size of a layer in bytes.
pub const LAYER_BYTES: u64 = 1 << 30;

/// The maximum number of tags that are listed.
pub const TAGS: usize = 10_000;

/// The maximum number of manifests that one reference leads to.
pub const MANIFESTS: usize = 4096;

/// The maximum number of artifacts about a manifest that are read for signatures.
pub const REFERRERS: usize = 64;

/// The maximum size of a signature in bytes.
pub const SIGNATURE_BYTES: u64 = 4096;

/// The maximum size of an answer with a token, a page of tags or an error.
pub(crate) const ANSWER_BYTES: u64 = 1 << 20;

/// The maximum number of redirects of one request.
pub(crate) const REDIRECTS: u32 = 5;

/// The maximum number of times that a broken transfer is continued.
pub(crate) const CONTINUATIONS: u32 = 3;

/// The time limit for a connection.
pub(crate) const CONNECT: Duration = Duration::from_secs(10);

/// The default time limit for an answer without a layer, and for the next bytes of a layer.
pub const ANSWER: Duration = Duration::from_secs(30);

/// A layer gets one more second for each of these bytes.
pub(crate) const BYTES_A_SECOND: u64 = 64 << 10;
