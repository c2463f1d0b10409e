//! Shares one compile among concurrent loads of the same source.
//!
//! ```text
//! the first thread:        locks the entry ▶ compiles ▶ puts it into the cache ▶ unlocks
//! other threads:           wait in memory ............................. ▶ take it from either
//! other processes:         wait for the lock of the entry ............. ▶ take it from the cache
//! ```
//!
//! This only saves work. A load that has waited too long, or in vain, compiles the source itself.

use super::fallback::Fallback;
use super::freshness::SourceDigest;
use super::origin::Origin;
use super::{LoadError, Loaded, Loader, Request, compare_names};
use crate::cache::{DocumentBytes, EntryInputs, EntryKey, Maker};
use crate::read::file::DocumentFile;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The time to wait for another compile of the same source, and the additional time per MiB of the
/// source. Compiling a MiB takes about 8 ms on an idle machine.
const PATIENCE: Duration = Duration::from_secs(5);
const PATIENCE_PER_MIB: Duration = Duration::from_millis(250);

/// The sources that a loader is compiling.
#[derive(Default)]
pub(super) struct Turns {
    open: Mutex<HashMap<EntryKey, Arc<Turn>>>,
}

/// A source that a thread is compiling.
#[derive(Default)]
struct Turn {
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Default)]
struct State {
    has_ended: bool,
    /// The compiled document, unless compiling failed.
    document: Option<Document>,
}

type Document = DocumentFile<DocumentBytes>;

/// The role of a thread among those that load the same source.
pub(super) enum Place<'t> {
    /// The first, for which the others wait.
    First(First<'t>),
    /// A thread that has waited, with the result of the first.
    After(Option<Document>),
}

/// The first thread. The others wait until this is dropped.
pub(super) struct First<'t> {
    turns: &'t Turns,
    key: EntryKey,
    turn: Arc<Turn>,
}

impl Turns {
    /// Joins the threads that are loading the source of this entry, and waits for the first of
    /// them.
    pub(super) fn join(&self, key: EntryKey, patience: Duration) -> Place<'_> {
        let turn = match lock(&self.open).entry(key) {
            Entry::Vacant(place) => {
                let turn = Arc::clone(place.insert(Arc::default()));
                return Place::First(First { turns: self, key, turn });
            }
            Entry::Occupied(place) => Arc::clone(place.get()),
        };
        let state = lock(&turn.state);
        let waited = turn.ended.wait_timeout_while(state, patience, |state| !state.has_ended);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        Place::After(state.document.clone())
    }
}

impl First<'_> {
    /// Passes the document to the waiting threads.
    fn leave(&self, document: &Document) {
        lock(&self.turn.state).document = Some(document.clone());
    }
}

impl Drop for First<'_> {
    fn drop(&mut self) {
        lock(&self.turns.open).remove(&self.key);
        lock(&self.turn.state).has_ended = true;
        self.turn.ended.notify_all();
    }
}

/// Locked data is changed in one step, so a panic leaves nothing half done.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Loader {
    /// Compiles the source with a known digest, unless another thread or process is doing so or has
    /// just done it.
    pub(super) fn load_in_turn(
        &self,
        request: &Request,
        source: &Path,
        known: SourceDigest,
        fallbacks: Vec<Fallback>,
    ) -> Result<Loaded, LoadError> {
        let inputs = self.source_inputs(&request.identity, source, known.digest);
        let (begun, patience) = (Instant::now(), self.patience_for(source));
        let key = inputs.key();
        let place = self.turns.join(key, patience);
        let _maker = match &place {
            Place::First(_) => self.maker(&key, patience.saturating_sub(begun.elapsed())),
            Place::After(_) => None,
        };
        // It did not exist before. A faulty one is not reported: the load compiles anyway.
        if let Ok(Some((document, origin))) = self.cached(request, &inputs, source, known.proof) {
            return Ok(Loaded { document, origin, fallbacks, request: request.clone() });
        }
        match place {
            Place::First(first) => {
                let loaded = self.load_source(request, source, fallbacks)?;
                first.leave(&loaded.document);
                Ok(loaded)
            }
            Place::After(Some(document)) if is_for(&document, request, &inputs) => {
                let origin = Origin::Source { source: source.to_owned(), stored: false };
                Ok(Loaded { document, origin, fallbacks, request: request.clone() })
            }
            Place::After(_) => self.load_source(request, source, fallbacks),
        }
    }

    fn maker(&self, key: &EntryKey, patience: Duration) -> Option<Maker> {
        self.cache()?.maker(key, patience)
    }

    fn patience_for(&self, source: &Path) -> Duration {
        self.patience.unwrap_or_else(|| {
            let bytes = std::fs::metadata(source).map_or(0, |metadata| metadata.len());
            PATIENCE + PATIENCE_PER_MIB * u32::try_from(bytes >> 20).unwrap_or(u32::MAX >> 8)
        })
    }
}

/// Whether a document compiled by another thread is the one that this load would compile. The
/// source may have changed since it was identified.
fn is_for(document: &Document, request: &Request, inputs: &EntryInputs<'_>) -> bool {
    let record = document.header().source.as_ref();
    record.is_some_and(|record| record.sha_256 == inputs.digest)
        && compare_names(document.view(), request).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::Identity;
    use crate::compile::{CompileOptions, compile};
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    const LONG: Duration = Duration::from_secs(600);

    fn key() -> EntryKey {
        EntryInputs { identity: &Identity::File, digest: [1; 32], options: [2; 32] }.key()
    }

    fn document() -> Document {
        let bytes = compile(b"{}", &CompileOptions::default()).unwrap().bytes;
        Document::from_data(DocumentBytes::from(bytes)).unwrap()
    }

    /// Joins in 8 threads while another thread is the first. When all of them wait, calls `end`.
    /// Returns their results.
    fn wait_in_threads(turns: &Turns, end: impl FnOnce(First<'_>)) -> Vec<Option<Document>> {
        let Place::First(first) = turns.join(key(), LONG) else { panic!("nobody else is there") };
        thread::scope(|scope| {
            let join = || match turns.join(key(), LONG) {
                Place::First(_) => panic!("another is the first"),
                Place::After(document) => document,
            };
            let waiting: Vec<_> = (0..8).map(|_| scope.spawn(join)).collect();
            // Each holds the turn while it waits, and so do the map and the first.
            while Arc::strong_count(&first.turn) < 10 {
                thread::yield_now();
            }
            end(first);
            waiting.into_iter().map(|thread| thread.join().unwrap()).collect()
        })
    }

    #[test]
    fn threads_that_wait_share_the_document_of_the_first() {
        let (turns, document) = (Turns::default(), document());
        let got = wait_in_threads(&turns, |first| first.leave(&document));
        let bytes = |document: &Document| document.data().as_ref().as_ptr();
        assert!(got.iter().all(|got| got.as_ref().map(bytes) == Some(bytes(&document))));
        assert!(lock(&turns.open).is_empty());
        assert!(matches!(turns.join(key(), LONG), Place::First(_)), "a later one waits for nobody");
    }

    #[test]
    fn threads_do_not_wait_for_one_that_has_failed_or_panicked() {
        let turns = Turns::default();
        assert!(wait_in_threads(&turns, |first| drop(first)).iter().all(Option::is_none));
        let panics = |first: First<'_>| {
            let panics = move || -> () {
                let _first = first;
                panic!("as a thread that dies");
            };
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(panics)).unwrap_err();
        };
        assert!(wait_in_threads(&turns, panics).iter().all(Option::is_none));
    }

    #[test]
    fn nobody_waits_longer_than_the_patience() {
        let turns = Turns::default();
        let _first = turns.join(key(), LONG);
        assert!(matches!(turns.join(key(), Duration::ZERO), Place::After(None)));
    }

    #[test]
    fn loads_without_a_cache_wait_for_each_other_too() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("a.json");
        std::fs::write(&source, r#"{"a": 1}"#).unwrap();
        let loader = Loader::builder().patience(LONG).build();
        let inputs = loader.source_inputs(
            &Identity::File,
            &source,
            super::super::freshness::digest_file(&source).unwrap().digest,
        );
        // This test is the first, and hands over its result.
        let Place::First(first) = loader.turns.join(inputs.key(), LONG) else { panic!("nobody else") };
        let (compiled, count) = (loader.load_file_alone(&source), AtomicUsize::new(0));
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let loaded = loader.load_file(&source).unwrap();
                    let (here, there) = (loaded.document.data().as_ref(), compiled.data().as_ref());
                    assert_eq!(here.as_ptr(), there.as_ptr());
                    assert!(matches!(loaded.origin, Origin::Source { stored: false, .. }));
                    count.fetch_add(1, Ordering::Relaxed);
                });
            }
            while Arc::strong_count(&first.turn) < 10 {
                thread::yield_now();
            }
            first.leave(&compiled);
            drop(first);
        });
        assert_eq!(count.into_inner(), 8);
    }

    #[test]
    fn a_document_of_another_state_of_the_source_is_not_taken() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("a.json");
        std::fs::write(&source, r#"{"a": 1}"#).unwrap();
        let loader = Loader::builder().build();
        let request = loader.request_of_file(&source).unwrap();
        let compiled = loader.load_file_alone(&source);
        let known = compiled.header().source.as_ref().unwrap().sha_256;
        let inputs = |digest| loader.source_inputs(&Identity::File, &source, digest);
        assert!(is_for(&compiled, &request, &inputs(known)));
        assert!(!is_for(&compiled, &request, &inputs([7; 32])));
    }

    impl Loader {
        fn load_file_alone(&self, source: &Path) -> Document {
            let request = self.request_of_file(source).unwrap();
            self.load_source(&request, source, Vec::new()).unwrap().document
        }
    }
}
