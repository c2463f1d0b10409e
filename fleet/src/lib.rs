//! A second cache level: compiled documents in an object store, created by one machine and used by
//! many.
//!
//! ```text
//! LOCATION/v1/ab/ab12… (64 digits)   a document and its seal, under its key in every cache
//! ```
//!
//! The key is a digest of the source, the options, the package, the version of the format and that
//! of the library (`EntryInputs` of `coconut-codec`). So an object never changes its meaning, and
//! machines with different versions use different objects. A listing of the store reveals no
//! package names. A fetched object is untrusted: it must be sealed for exactly this key, and is
//! verified completely before it enters the cache. Otherwise it is refused with a reason.
//!
//! A load never waits for the fleet. `Fleet::pull` fills the cache before a load, within a
//! deadline: when a machine is set up, in the hook before a deploy, or in a thread of a
//! long-running program. A document that has not arrived by then is compiled from its source, as
//! without a fleet, and the reason is returned. After the first failure that concerns more than one
//! object, the fleet is not used again. So an unavailable fleet costs one deadline, whatever the
//! number of documents.
//!
//! ```
//! # #[cfg(feature = "local")] {
//! use coconut_codec::cache::Cache;
//! use coconut_codec::loader::{Loader, Origin};
//! use coconut_fleet::{Fleet, FleetOptions, Outcome};
//!
//! # let folder = tempfile::tempdir()?;
//! # let folder = folder.path();
//! # std::fs::create_dir(folder.join("fleet"))?;
//! # let url = format!("file://{}", folder.join("fleet").display());
//! let source = folder.join("aws.json");
//! std::fs::write(&source, r#"{"resources": {"ec2": {}}}"#)?;
//! let fleet = Fleet::open(&url, FleetOptions::default())?;
//!
//! // One machine compiles and publishes, on purpose.
//! let builder = Loader::builder().cache(Cache::for_workspace(&folder.join("builder"))).build();
//! let request = builder.remote_request_for_file(&source)?.expect("a source and a cache");
//! let before = fleet.pull(&builder, &request);
//! assert!(matches!(before, Outcome::Absent));
//! builder.load_file(&source)?;
//! fleet.publisher().publish(&builder, &request, &before).expect("a writable directory");
//!
//! // The others compile no more.
//! let other = Loader::builder().cache(Cache::for_workspace(&folder.join("other"))).build();
//! let request = other.remote_request_for_file(&source)?.expect("a source and a cache");
//! assert!(matches!(fleet.pull(&other, &request), Outcome::Found { .. }));
//! assert!(matches!(other.load_file(&source)?.origin, Origin::Cached { .. }));
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`RemoteObject`] reads one object of such a store, whatever it is, in ranges.
//!
//! # Features
//!
//! `local` for directories (`file:///…`) and `memory:///`, without network code; `http`, `aws`,
//! `gcp` and `azure`, each for its kind of store. None is on by default. Without any of them the
//! crate is empty.

#![forbid(unsafe_code)]
#![cfg(feature = "local")]

mod object;
mod publisher;
mod store;
mod transfer;

pub use object::RemoteObject;
pub use publisher::{Published, Publisher};

use coconut_codec::loader::{Fallback, FallbackReason, FleetFault, Loader, RemoteRequest};
use object_store::ObjectStore;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use transfer::Transfers;

/// Deadlines and the size limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FleetOptions {
    /// The time limit for one document, including the connection: 500 ms.
    pub deadline: Duration,
    /// The time limit for publishing one document: 30 s, since only the publisher waits.
    pub publish_deadline: Duration,
    /// The maximum size in bytes of a fetched object, which is held in memory once: 1 GiB.
    pub max_bytes: u64,
}

impl Default for FleetOptions {
    fn default() -> Self {
        FleetOptions {
            deadline: Duration::from_millis(500),
            publish_deadline: Duration::from_secs(30),
            max_bytes: 1 << 30,
        }
    }
}

/// An object store with compiled documents. Only reads; see [`Fleet::publisher`]. Can be shared
/// between threads.
#[derive(Debug)]
pub struct Fleet {
    location: String,
    transfers: Transfers,
    options: FleetOptions,
    /// The reason why it is not used any more.
    lost: Mutex<Option<FleetFault>>,
}

/// The outcome of a request to the fleet for one document.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub enum Outcome {
    /// No request: the cache has the document.
    Present,
    /// The fleet has the document, which was verified.
    Found {
        /// The number of fetched bytes.
        bytes: u64,
    },
    /// The fleet does not have the document.
    Absent,
    /// The fleet could not be used: the source will be compiled.
    Passed(Fallback),
}

impl Outcome {
    /// The name of the outcome: `present`, `found`, `absent` or `passed`.
    pub fn name(&self) -> &'static str {
        match self {
            Outcome::Present => "present",
            Outcome::Found { .. } => "found",
            Outcome::Absent => "absent",
            Outcome::Passed(_) => "passed",
        }
    }

    /// The message about it, to report with the fallbacks of the load that follows.
    pub fn fallback(&self) -> Option<&Fallback> {
        match self {
            Outcome::Passed(fallback) => Some(fallback),
            _ => None,
        }
    }

    /// Whether the object in the fleet does not match its name.
    fn is_refusal(&self) -> bool {
        self.fallback().is_some_and(|fallback| !matches!(fallback.reason, FallbackReason::Fleet(_)))
    }
}

impl Fleet {
    /// Opens the fleet at a URL: `file:///path`, `memory:///`, and with their features
    /// `https://host/path`, `s3://bucket/path`, `gs://bucket/path`, `az://container/path`. Does not
    /// connect yet, but a directory must exist.
    ///
    /// Credentials and regions come from the usual variables (`AWS_…`, `GOOGLE_…`, `AZURE_…`),
    /// never from the URL, which appears in messages.
    pub fn open(url: &str, options: FleetOptions) -> Result<Fleet, FleetFault> {
        let (location, store, prefix) = store::open(url, &options)?;
        let transfers = Transfers::new(Arc::<dyn ObjectStore>::from(store), prefix)?;
        Ok(Fleet { location, transfers, options, lost: Mutex::new(None) })
    }

    /// The URL, as it appears in messages.
    pub fn location(&self) -> &str {
        &self.location
    }

    /// Fetches a document into the cache of `loader`, unless the cache already has it.
    pub fn pull(&self, loader: &Loader, request: &RemoteRequest) -> Outcome {
        self.ask(loader, request, |entry, object| loader.insert_verified(request, entry, object.as_ref()))
    }

    /// Returns the result that [`pull`](Fleet::pull) would have. Fetches and verifies the document,
    /// too, but leaves the cache unchanged.
    pub fn look(&self, loader: &Loader, request: &RemoteRequest) -> Outcome {
        self.ask(loader, request, |entry, object| loader.examine(request, entry, object.as_ref()).map(drop))
    }

    /// Returns a publisher. The credentials decide whether it is allowed to write.
    pub fn publisher(&self) -> Publisher<'_> {
        Publisher::new(self)
    }

    fn ask(
        &self,
        loader: &Loader,
        request: &RemoteRequest,
        take: impl FnOnce(&[u8], &PathBuf) -> Result<(), FallbackReason>,
    ) -> Outcome {
        if loader.holds(request) {
            return Outcome::Present;
        }
        let object = self.object(request);
        let fetched = self.unless_lost(|| {
            self.transfers.fetch(request.key(), self.options.max_bytes, self.options.deadline)
        });
        match fetched {
            Ok(None) => Outcome::Absent,
            Ok(Some(entry)) => match take(&entry, &object) {
                Ok(()) => Outcome::Found { bytes: entry.len() as u64 },
                Err(reason) => Outcome::Passed(Fallback::new(object, reason)),
            },
            Err(fault) => Outcome::Passed(self.fallback(fault, object)),
        }
    }

    /// The URL of the object of a document, as it appears in messages.
    fn object(&self, request: &RemoteRequest) -> PathBuf {
        let path = transfer::path_below(&request.key().to_string());
        PathBuf::from(format!("{}/{path}", self.location.trim_end_matches('/')))
    }

    /// Runs `work` with the fleet, unless the fleet failed before.
    fn unless_lost<T>(&self, work: impl FnOnce() -> Result<T, FleetFault>) -> Result<T, FleetFault> {
        if let Some(fault) = self.lock_lost().clone() {
            return Err(fault);
        }
        work().inspect_err(|fault| {
            if !fault.is_about_object() {
                // The first reason is kept, also for threads that were waiting at the same time.
                self.lock_lost().get_or_insert_with(|| fault.clone());
            }
        })
    }

    /// The fault as a reason to compile the source.
    fn fallback(&self, fault: FleetFault, object: PathBuf) -> Fallback {
        let is_about_object = fault.is_about_object();
        let fault = match &*self.lock_lost() {
            Some(first) if !is_about_object => first.clone(),
            _ => fault,
        };
        let binary = if is_about_object { object } else { PathBuf::from(&self.location) };
        Fallback::new(binary, FallbackReason::Fleet(fault))
    }

    fn lock_lost(&self) -> std::sync::MutexGuard<'_, Option<FleetFault>> {
        // The value is replaced as a whole, so a panic elsewhere leaves it complete.
        self.lost.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
