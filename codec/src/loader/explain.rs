//! Explains what a load would do, without doing it.

use super::cache_state::CacheState;
use super::error::{LoadError, LoadErrorKind};
use super::fallback::Fallback;
use super::freshness::digest_file;
use super::origin::Proof;
use super::plan::Choice;
use super::search::Site;
use super::{Loader, Request};
use coconut_format::names::PackageReference;
use std::path::Path;

/// The plan of a load, explained.
#[derive(Clone, Debug)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
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

coconut_format::named! {
    /// The form that a load takes its document from.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
    pub enum LoadPath {
        /// The cache.
        Cache = "cache";
        /// A precompiled document.
        Precompiled = "precompiled";
        /// The source, which is compiled.
        Source = "source";
        /// Nowhere: the load fails.
        None = "none";
    }
    /// The word for this path: `cache`, `precompiled`, `source` or `none`.
    pub fn name;
}

impl Explanation {
    /// The proof that the chosen form is fresh, or the way the chosen source was identified. `None`
    /// if the load would fail.
    pub fn proof(&self) -> Option<Proof> {
        self.proof.or(self.source.map(|(_, proof)| proof))
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
