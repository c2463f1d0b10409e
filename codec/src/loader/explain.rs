//! Says what a load would do, and why, without doing it.

use super::error::{LoadError, LoadErrorKind};
use super::fallback::{Fallback, FallbackReason};
use super::freshness::digest_file;
use super::origin::Proof;
use super::plan::Choice;
use super::search::Site;
use super::{Loader, Request};
use crate::cache::CacheFault;
use coconut_format::names::PackageReference;
use std::path::{Path, PathBuf};

/// What a load would do.
#[derive(Clone, Debug)]
#[cfg_attr(not(feature = "tooling"), non_exhaustive)]
pub struct Explanation {
    /// The files of the package.
    pub site: Site,
    /// SHA-256 of the source, and how it is known.
    pub source: Option<([u8; 32], Proof)>,
    /// What the cache has for the source.
    pub cache: CacheState,
    /// The path that a load would take.
    pub path: LoadPath,
    /// The compiled forms that would not be used, and why.
    pub fallbacks: Vec<Fallback>,
    /// How the chosen compiled form is known to be fresh.
    proof: Option<Proof>,
}

/// Where a load takes its document from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "tooling"), non_exhaustive)]
pub enum LoadPath {
    /// The cache.
    Cache,
    /// A precompiled document.
    Precompiled,
    /// The source, which is compiled.
    Source,
    /// Nowhere: the load fails.
    None,
}

impl LoadPath {
    /// The word for it: `cache`, `precompiled`, `source` or `none`.
    pub fn name(self) -> &'static str {
        match self {
            LoadPath::Cache => "cache",
            LoadPath::Precompiled => "precompiled",
            LoadPath::Source => "source",
            LoadPath::None => "none",
        }
    }
}

/// What the cache has for a source.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(not(feature = "tooling"), non_exhaustive)]
pub enum CacheState {
    /// The entry for this load.
    Hit {
        /// Its file.
        entry: PathBuf,
    },
    /// An entry was made of this source before, with other inputs.
    Stale {
        /// Which inputs differ.
        differs: Vec<Input>,
    },
    /// Nothing was ever made of this source.
    Miss,
    /// The cache has a stamp of the source for exactly these inputs, but no entry. The entry was
    /// removed, or could not be made or kept.
    Removed,
    /// An entry that cannot be used.
    Refused(FallbackReason),
    /// There is no cache, or it is switched off.
    Off,
    /// The cache cannot be used.
    Unavailable(CacheFault),
}

/// An input of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "tooling"), non_exhaustive)]
pub enum Input {
    /// The content of the source.
    Source,
    /// How it is compiled.
    Options,
    /// The version of this library, and with it that of the format.
    Producer,
}

impl Input {
    /// The word for it: `source`, `options` or `producer`.
    pub fn name(self) -> &'static str {
        match self {
            Input::Source => "source",
            Input::Options => "options",
            Input::Producer => "producer",
        }
    }
}

impl Explanation {
    /// How the chosen form is known to be fresh, or how the chosen source is known. `None` if the
    /// load would fail.
    pub fn proof(&self) -> Option<Proof> {
        self.proof.or(self.source.map(|(_, proof)| proof))
    }
}

impl CacheState {
    /// The word for it: `hit`, `stale`, `miss`, `removed`, `refused`, `off` or `unavailable`.
    pub fn name(&self) -> &'static str {
        match self {
            CacheState::Hit { .. } => "hit",
            CacheState::Stale { .. } => "stale",
            CacheState::Miss => "miss",
            CacheState::Removed => "removed",
            CacheState::Refused(_) => "refused",
            CacheState::Off => "off",
            CacheState::Unavailable(_) => "unavailable",
        }
    }
}

impl From<&FallbackReason> for CacheState {
    /// The state of a cache whose entry is not used for this reason.
    fn from(reason: &FallbackReason) -> CacheState {
        match reason {
            FallbackReason::Cache(fault) if !fault.is_about_entry() => CacheState::Unavailable(fault.clone()),
            reason => CacheState::Refused(reason.clone()),
        }
    }
}

impl Loader {
    /// Says what [`load`](Loader::load) would do. Writes nothing, compiles nothing, moves nothing.
    ///
    /// A fault that only writing to the cache shows is not foreseen.
    pub fn explain(&self, package: &PackageReference) -> Result<Explanation, LoadError> {
        self.explain_request(&self.find(package)?)
    }

    /// Says what [`load_file`](Loader::load_file) would do.
    pub fn explain_file(&self, path: &Path) -> Result<Explanation, LoadError> {
        self.explain_request(&self.request_of_file(path)?)
    }

    fn explain_request(&self, request: &Request) -> Result<Explanation, LoadError> {
        let plan = self.plan(request)?;
        let source = match (plan.source, &request.site.source) {
            // A load that only compiles has no use for the digest, but the caller may.
            (None, Some(path)) => {
                let digested = digest_file(path);
                let digested =
                    digested.map_err(|error| LoadErrorKind::reading(path, &error).after(Vec::new()))?;
                Some((digested.digest, Proof::Digest))
            }
            (known, _) => known.map(|known| (known.digest, known.proof)),
        };
        let (path, proof) = match plan.choice {
            Choice::Cached(_, origin) => (LoadPath::Cache, origin.proof()),
            Choice::Precompiled { proof, .. } => (LoadPath::Precompiled, Some(proof)),
            Choice::Source(_) => (LoadPath::Source, None),
            Choice::Nothing(_) => (LoadPath::None, None),
        };
        let (site, fallbacks) = (request.site.clone(), plan.notes.fallbacks);
        Ok(Explanation { site, source, cache: plan.cache, path, fallbacks, proof })
    }
}
