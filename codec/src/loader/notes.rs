//! Results of planning that a load carries out.

use super::Loader;
use super::fallback::{Fallback, FallbackReason};
use crate::cache::{Cache, CacheFault, EntryKey, Identity, SourceStamp};
use std::path::{Path, PathBuf};

/// The faults found while planning, and the resulting actions.
#[derive(Default)]
pub(super) struct Notes {
    pub(super) fallbacks: Vec<Fallback>,
    /// Stamps to record in the cache.
    pub(super) stamps: Vec<(PathBuf, SourceStamp)>,
    /// Entries that are proven bad, for quarantine.
    pub(super) bad: Vec<EntryKey>,
}

impl Loader {
    /// Carries out the recorded actions. Returns the fallbacks, including new ones.
    pub(super) fn carry_out(&self, identity: &Identity, notes: Notes) -> Vec<Fallback> {
        let Notes { mut fallbacks, stamps, bad } = notes;
        if let Some(cache) = self.cache() {
            bad.iter().for_each(|key| cache.quarantine(key));
            for (path, stamp) in &stamps {
                if let Err(fault) = cache.record(path, identity, stamp) {
                    note_fault(cache, fault, &mut fallbacks);
                }
            }
        }
        fallbacks
    }
}

impl Notes {
    /// Notes an entry that is not used. One that is proven bad goes into quarantine.
    pub(super) fn refuse(&mut self, fallback: Fallback, key: EntryKey) {
        if fallback.reason.is_proof() {
            self.bad.push(key);
        }
        // A cache that cannot be used at all was noted when the stamp of the source was read.
        let is_known = match &fallback.reason {
            FallbackReason::Cache(fault) => is_known(&self.fallbacks, fault),
            _ => false,
        };
        if !is_known {
            self.fallbacks.push(fallback);
        }
    }
}

/// Adds a fault of the cache, unless it was already recorded.
pub(super) fn note_fault(cache: &Cache, fault: CacheFault, fallbacks: &mut Vec<Fallback>) {
    if !is_known(fallbacks, &fault) {
        let binary = cache.path().unwrap_or(Path::new("")).to_owned();
        fallbacks.push(Fallback { binary, reason: FallbackReason::Cache(fault) });
    }
}

fn is_known(fallbacks: &[Fallback], fault: &CacheFault) -> bool {
    fallbacks.iter().any(|known| known.reason.is_fault(fault))
}
