//! Decides which form a load uses. [`Loader::load`] carries the plan out, and [`Loader::explain`]
//! describes it.
//!
//! Planning only reads. The plan records what is to be written.

use super::cache_state::{CacheState, Input};
use super::error::{LoadError, LoadErrorKind};
use super::fallback::{Fallback, FallbackReason};
use super::freshness::SourceDigest;
use super::notes::Notes;
use super::origin::{Origin, Proof};
use super::{CompiledForms, Loader, Request, open};
use crate::cache::{DocumentBytes, EntryInputs, EntryKey, SourceStamp};
use crate::read::file::DocumentFile;
use crate::write::PRODUCER;
use std::path::{Path, PathBuf};

/// The steps of a load.
pub(super) struct Plan<'r> {
    /// The source that is there, unless compiled forms are ignored.
    pub(super) source: Option<SourceDigest>,
    /// The state of the cache for the source.
    pub(super) cache: CacheState,
    pub(super) choice: Choice<'r>,
    pub(super) notes: Notes,
}

/// The origin of the document.
pub(super) enum Choice<'r> {
    /// An entry of the cache.
    Cached(DocumentFile<DocumentBytes>, Origin),
    /// A precompiled document, verified, to be used where it is.
    Precompiled { document: DocumentFile<DocumentBytes>, binary: PathBuf, proof: Proof },
    /// The source, compiled.
    Source(&'r Path),
    /// Nothing can be used.
    Nothing(LoadErrorKind),
}

impl Loader {
    /// Chooses the origin of the document.
    pub(super) fn plan<'r>(&self, request: &'r Request) -> Result<Plan<'r>, LoadError> {
        let cache = if self.cache().is_some() { CacheState::Miss } else { CacheState::Off };
        let choice = match self.choose_source(request) {
            Ok(source) => Choice::Source(source),
            Err(kind) => Choice::Nothing(kind),
        };
        let mut plan = Plan { source: None, cache, choice, notes: Notes::default() };
        if let Some(used) = &request.site.source {
            plan.notes.fallbacks.extend(request.site.others.iter().map(|other| Fallback {
                binary: other.clone(),
                reason: FallbackReason::OtherSource { used: used.clone() },
            }));
        }
        // A document of a registry has no source that could replace it.
        let is_locked = request.site.locked.is_some();
        if (self.compiled_forms != CompiledForms::Ignore || is_locked)
            && let Some(choice) = self.choose_compiled(request, &mut plan)?
        {
            plan.choice = choice;
        }
        Ok(plan)
    }

    /// The source, for a load without a good compiled form.
    pub(super) fn choose_source<'r>(&self, request: &'r Request) -> Result<&'r Path, LoadErrorKind> {
        match (self.compiled_forms, &request.site.source) {
            (CompiledForms::Require, _) => Err(LoadErrorKind::BinaryRequired),
            (_, None) => Err(LoadErrorKind::SourceAbsent { path: request.source.clone() }),
            (_, Some(source)) => Ok(source),
        }
    }

    /// The first compiled form that is good: the entry of the source, then precompiled documents.
    fn choose_compiled<'r>(
        &self,
        request: &'r Request,
        plan: &mut Plan<'r>,
    ) -> Result<Option<Choice<'r>>, LoadError> {
        if let Some(source) = &request.site.source {
            let (known, seen) = match self.identify(source, &request.identity, &mut plan.notes) {
                Ok(identified) => identified,
                Err(error) => {
                    let fallbacks = std::mem::take(&mut plan.notes.fallbacks);
                    return Err(LoadErrorKind::reading(source, &error).after(fallbacks));
                }
            };
            plan.source = Some(known);
            let inputs = self.source_inputs(&request.identity, source, known.digest);
            if let Some(choice) = self.choose_entry(request, &inputs, source, known.proof, plan) {
                return Ok(Some(choice));
            }
            if let (CacheState::Miss, Some(seen)) = (&plan.cache, &seen) {
                plan.cache = compare(seen, &inputs);
            }
        }
        if self.compiled_forms == CompiledForms::Cached && request.site.locked.is_none() {
            return Ok(None);
        }
        for binary in &request.site.binaries {
            match self.choose_precompiled(request, binary, plan.source) {
                Ok(choice) => return Ok(Some(choice)),
                Err(reason) => {
                    plan.notes.fallbacks.push(Fallback { binary: binary.clone(), reason });
                }
            }
        }
        Ok(None)
    }

    /// The entry for these inputs, which were made from the file at `from`.
    fn choose_entry<'r>(
        &self,
        request: &Request,
        inputs: &EntryInputs<'_>,
        from: &Path,
        proof: Proof,
        plan: &mut Plan<'_>,
    ) -> Option<Choice<'r>> {
        match self.cached(request, inputs, from, proof) {
            Ok(cached) => {
                let (document, origin) = cached?;
                plan.cache = CacheState::Hit { entry: origin.path().to_owned() };
                Some(Choice::Cached(document, origin))
            }
            Err(reason) => {
                plan.cache = CacheState::from(&reason);
                let binary = self.entry_path(&inputs.key());
                plan.notes.refuse(Fallback { binary, reason }, inputs.key());
                None
            }
        }
    }

    /// The document of the entry for these inputs, which were made from the file at `from`.
    pub(super) fn cached(
        &self,
        request: &Request,
        inputs: &EntryInputs<'_>,
        from: &Path,
        proof: Proof,
    ) -> Result<Option<(DocumentFile<DocumentBytes>, Origin)>, FallbackReason> {
        let document = self.entry(request, inputs)?;
        Ok(document.map(|document| {
            let (key, from) = (inputs.key(), from.to_owned());
            (document, Origin::Cached { entry: self.entry_path(&key), key, from, proof })
        }))
    }

    fn entry_path(&self, key: &EntryKey) -> PathBuf {
        self.cache().and_then(|cache| cache.entry_path(key)).unwrap_or_default()
    }

    /// The entry for these inputs, opened and compared with the request.
    pub(super) fn entry(
        &self,
        request: &Request,
        inputs: &EntryInputs<'_>,
    ) -> Result<Option<DocumentFile<DocumentBytes>>, FallbackReason> {
        let Some(cache) = self.cache() else { return Ok(None) };
        match cache.get(inputs).map_err(FallbackReason::Cache)? {
            Some(bytes) => open(bytes, request, inputs).map(Some),
            None => Ok(None),
        }
    }
}

/// Determines the state of the entry that was made from a source before.
fn compare(seen: &SourceStamp, inputs: &EntryInputs<'_>) -> CacheState {
    let inputs = [
        (Input::Source, seen.digest != inputs.digest),
        (Input::Options, seen.options != inputs.options),
        (Input::Producer, seen.producer != PRODUCER),
    ];
    let differs: Vec<Input> =
        inputs.into_iter().filter_map(|(input, differs)| differs.then_some(input)).collect();
    match differs.is_empty() {
        true => CacheState::Removed,
        false => CacheState::Stale { differs },
    }
}
