//! What a load would do, and why, without doing it.

use super::error::{LoadError, LoadErrorKind};
use super::fallback::{Fallback, FallbackReason};
use super::freshness::{SourceDigest, digest_file};
use super::origin::Proof;
use super::precompiled::binary_inputs;
use super::search::Site;
use super::{CompiledForms, Loader, Request, open, producer};
use crate::cache::{CacheFault, SourceStamp};
use coconut_format::names::PackageReference;
use std::path::{Path, PathBuf};

/// What a load would do.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// What there is of the package.
    pub site: Site,
    /// SHA-256 of the source, and how it is known.
    pub source: Option<([u8; 32], Proof)>,
    /// What the cache has.
    pub cache: CacheState,
    /// The path that a load would take: `cache`, `precompiled`, `source`, or `none` where it would fail.
    pub path: &'static str,
    /// The compiled forms that would be passed over, and why.
    pub fallbacks: Vec<Fallback>,
}

/// What the cache has for a source.
#[derive(Clone, Debug, PartialEq)]
pub enum CacheState {
    /// The entry that is wanted.
    Hit {
        /// Its file.
        entry: PathBuf,
    },
    /// An entry was made of this source before, from other inputs.
    Stale {
        /// Which inputs differ.
        differs: Vec<Input>,
    },
    /// Nothing was ever made of this source.
    Miss,
    /// The source was looked at on behalf of exactly these inputs, and there is no entry: it was removed since, or could
    /// not be made or kept.
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
    /// How the form that would be used is known to be fresh, or how the source is known that would be; `None` where
    /// nothing would be used.
    pub fn proof(&self) -> Option<Proof> {
        match (self.source, self.path) {
            (Some((_, proof)), _) => Some(proof),
            (None, "none") => None,
            (None, _) => Some(Proof::SourceAbsent),
        }
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

impl Loader {
    /// What [`load`](Loader::load) would do. Writes nothing, compiles nothing, moves nothing.
    pub fn explain(&self, package: &PackageReference) -> Result<Explanation, LoadError> {
        self.explain_request(&self.find(package)?)
    }

    /// What [`load_file`](Loader::load_file) would do.
    pub fn explain_file(&self, path: &Path) -> Result<Explanation, LoadError> {
        self.explain_request(&self.request_of_file(path)?)
    }

    fn explain_request(&self, request: &Request) -> Result<Explanation, LoadError> {
        let site = request.site.clone();
        let mut fallbacks = Vec::new();
        let (known, cache) = match &request.site.source {
            Some(source) => {
                let (known, state) = self.look_up(request, source)?;
                (Some(known), state)
            }
            None if self.cache().is_none() => (None, CacheState::Off),
            None => (None, self.look_up_binaries(request)),
        };
        if let CacheState::Refused(reason) = &cache {
            let binary = self.cache().and_then(|cache| cache.path()).unwrap_or(Path::new("")).to_owned();
            fallbacks.push(Fallback { binary, reason: reason.clone() });
        }
        let path = match &cache {
            CacheState::Hit { .. } => "cache",
            _ => self.path_without_cache(request, known.as_ref(), &mut fallbacks),
        };
        let source = known.map(|known| (known.digest, known.proof));
        Ok(Explanation { site, source, cache, path, fallbacks })
    }

    /// What the cache has for a source that is there.
    fn look_up(&self, request: &Request, source: &Path) -> Result<(SourceDigest, CacheState), LoadError> {
        let reading = |error: std::io::Error| LoadErrorKind::reading(source, &error).after(Vec::new());
        let seen = self.cache().map(|cache| cache.source_stamp(source, &request.identity));
        let known = seen.as_ref().and_then(|seen| seen.as_ref().ok()?.as_ref());
        let known = match self.identify_closed(source, known).map_err(reading)? {
            Some(known) => known,
            None => {
                SourceDigest { digest: digest_file(source).map_err(reading)?.digest, proof: Proof::Digest }
            }
        };
        let state = match (self.cache(), &seen) {
            (Some(cache), Some(seen)) => {
                let inputs = self.source_inputs(&request.identity, source, known.digest);
                match cache.get(&inputs) {
                    Ok(Some(bytes)) => match open(bytes, request, &inputs) {
                        Ok(_) => {
                            CacheState::Hit { entry: cache.entry_path(&inputs.key()).unwrap_or_default() }
                        }
                        Err(reason) => CacheState::Refused(reason),
                    },
                    Err(fault) if fault.is_about_entry() => CacheState::Refused(FallbackReason::Cache(fault)),
                    Err(fault) => CacheState::Unavailable(fault),
                    Ok(None) => match seen {
                        Ok(Some(seen)) => compare(seen, known.digest, inputs.options),
                        _ => CacheState::Miss,
                    },
                }
            }
            _ => CacheState::Off,
        };
        Ok((known, state))
    }

    /// What the cache has of the precompiled documents of a package without a source, which stand for themselves where
    /// the policy lets them.
    fn look_up_binaries(&self, request: &Request) -> CacheState {
        let Some(cache) = self.cache().filter(|_| self.stands_for_itself()) else { return CacheState::Miss };
        for binary in &request.site.binaries {
            let seen = cache.source_stamp(binary, &request.identity).ok().flatten();
            let known = self.identify_closed(binary, seen.as_ref()).ok().flatten();
            let digest = known.map(|known| known.digest);
            let Some(digest) = digest.or_else(|| Some(digest_file(binary).ok()?.digest)) else { continue };
            let inputs = binary_inputs(&request.identity, digest);
            let kept = cache.get(&inputs).ok().flatten();
            if kept.is_some_and(|bytes| open(bytes, request, &inputs).is_ok()) {
                return CacheState::Hit { entry: cache.entry_path(&inputs.key()).unwrap_or_default() };
            }
            // The first that is good is used.
            if self.judge_precompiled(request, binary, None).is_ok() {
                return CacheState::Miss;
            }
        }
        CacheState::Miss
    }

    fn path_without_cache(
        &self,
        request: &Request,
        known: Option<&SourceDigest>,
        fallbacks: &mut Vec<Fallback>,
    ) -> &'static str {
        if self.compiled_forms != CompiledForms::Ignore {
            for binary in &request.site.binaries {
                match self.judge_precompiled(request, binary, known) {
                    Ok(()) => return "precompiled",
                    Err(reason) => fallbacks.push(Fallback { binary: binary.clone(), reason }),
                }
            }
        }
        match (self.compiled_forms, &request.site.source) {
            (CompiledForms::Require, _) | (_, None) => "none",
            (_, Some(_)) => "source",
        }
    }
}

/// What became of the entry that was made of a source before.
fn compare(seen: &SourceStamp, digest: [u8; 32], options: [u8; 32]) -> CacheState {
    let inputs = [
        (Input::Source, seen.digest != digest),
        (Input::Options, seen.options != options),
        (Input::Producer, seen.producer != producer()),
    ];
    let differs: Vec<Input> =
        inputs.into_iter().filter_map(|(input, differs)| differs.then_some(input)).collect();
    match differs.is_empty() {
        true => CacheState::Removed,
        false => CacheState::Stale { differs },
    }
}
