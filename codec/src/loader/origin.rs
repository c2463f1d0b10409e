//! The origin of a document.

use crate::cache::EntryKey;
use std::path::{Path, PathBuf};

/// The origin of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum Origin {
    /// From the cache.
    Cached {
        /// The entry.
        entry: PathBuf,
        /// Its key.
        key: EntryKey,
        /// The source.
        from: PathBuf,
        /// The proof that it is fresh.
        proof: Proof,
    },
    /// From a precompiled document, verified completely and used where it is. It never enters the
    /// cache.
    Precompiled {
        /// The document.
        binary: PathBuf,
        /// The proof that it is fresh.
        proof: Proof,
    },
    /// From its source.
    Source {
        /// The source.
        source: PathBuf,
        /// Whether the next load will find it in the cache.
        stored: bool,
    },
}

coconut_format::named! {
    /// The proof that a compiled form is fresh.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
    pub enum Proof {
        /// The source has the digest that it was made from.
        Digest = "digest";
        /// By its metadata, the source was not touched since it was hashed. It was not opened.
        Stat = "stat";
        /// It was not compared with its source, by the policy.
        Trusted = "trusted";
        /// There is no source to compare it with.
        SourceAbsent = "source-absent";
        /// It has the digest in the lock file.
        Locked = "locked";
    }
    /// The word for this proof: `digest`, `stat`, `trusted`, `source-absent` or `locked`.
    pub fn name;
}

impl Origin {
    /// The file that the bytes came from.
    pub fn path(&self) -> &Path {
        match self {
            Origin::Cached { entry, .. } => entry,
            Origin::Precompiled { binary, .. } => binary,
            Origin::Source { source, .. } => source,
        }
    }

    /// The proof that it is fresh. The source itself needs none.
    pub fn proof(&self) -> Option<Proof> {
        match self {
            Origin::Cached { proof, .. } | Origin::Precompiled { proof, .. } => Some(*proof),
            Origin::Source { .. } => None,
        }
    }

    /// Whether the next load will find it in the cache.
    pub fn is_cached(&self) -> bool {
        match self {
            Origin::Cached { .. } => true,
            Origin::Precompiled { .. } => false,
            Origin::Source { stored, .. } => *stored,
        }
    }

    /// The word for this origin: `cache`, `precompiled` or `source`.
    pub fn name(&self) -> &'static str {
        match self {
            Origin::Cached { .. } => "cache",
            Origin::Precompiled { .. } => "precompiled",
            Origin::Source { .. } => "source",
        }
    }
}
