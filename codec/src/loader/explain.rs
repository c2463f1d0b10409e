//! Explains what a load would do, without doing it.

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

/// The plan of a load, explained.
#[derive(Clone, Debug)]
#[cfg_attr(not(feature = "tooling"), non_exhaustive)]
pub struct Explanation {
    /// The files of the package.
    pub site: Site,
    /// SHA-256 of the source, and the way it was determined.
    pub source: Option<([u8; 32], Proof)>,
    /// The state of the cache for the source.
    pub cache: CacheState,
    /// The path that a load would take.
    pub path: LoadPath,
    /// The compiled forms that would not be used, with the reasons.
    pub fallbacks: Vec<Fallback>,
    /// The proof that the chosen compiled form is fresh.
    proof: Option<Proof>,
}

/// The form that a load takes its document from.
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
    /// The word for this path: `cache`, `precompiled`, `source` or `none`.
    pub fn name(self) -> &'static str {
        match self {
            LoadPath::Cache => "cache",
            LoadPath::Precompiled => "precompiled",
            LoadPath::Source => "source",
            LoadPath::None => "none",
        }
    }
}

/// The state of the cache for a source.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(not(feature = "tooling"), non_exhaustive)]
pub enum CacheState {
    /// The entry for this load.
    Hit {
        /// Its file.
        entry: PathBuf,
    },
    /// An entry was made from this source before, with other inputs.
    Stale {
        /// The inputs that differ.
        differs: Vec<Input>,
    },
    /// Nothing was ever made from this source.
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
    /// The options of compiling it.
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
    /// The proof that the chosen form is fresh, or the way the chosen source was identified. `None`
    /// if the load would fail.
    pub fn proof(&self) -> Option<Proof> {
        self.proof.or(self.source.map(|(_, proof)| proof))
    }
}

impl CacheState {
    /// The word for this state: `hit`, `stale`, `miss`, `removed`, `refused`, `off` or
    /// `unavailable`.
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
    /// Explains what [`load`](Loader::load) would do. Writes nothing, compiles nothing, moves
    /// nothing.
    ///
    /// Does not predict faults that occur only when the cache is written.
    pub fn explain(&self, package: &PackageReference) -> Result<Explanation, LoadError> {
        self.explain_request(&self.find(package)?)
    }

    /// Explains what [`load_file`](Loader::load_file) would do.
    pub fn explain_file(&self, path: &Path) -> Result<Explanation, LoadError> {
        self.explain_request(&self.request_of_file(path)?)
    }

    fn explain_request(&self, request: &Request) -> Result<Explanation, LoadError> {
        let plan = self.plan(request)?;
        let source = match (plan.source, &request.site.source) {
            // A load that only compiles does not need the digest, but the caller may.
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
