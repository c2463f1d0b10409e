//! What a second cache level is asked for, and how its answers get into the cache.
//!
//! ```text
//! Loader::remote_request ──▶ key ──▶ the store, wherever it is ──▶ bytes ──▶ Loader::insert_verified ──▶ cache ──▶ Loader::load
//! ```
//!
//! The loader itself asks nobody: a load that misses compiles its source and waits for no network. The crate
//! `coconut-fleet` goes this way before, for instance when a machine is set up, and within a deadline.

use super::error::{LoadError, LoadErrorKind};
use super::fallback::FallbackReason;
use super::plan::Notes;
use super::{Loader, Request, open};
use crate::cache::{DocumentBytes, EntryKey, seal, unseal};
use crate::codes::codes;
use coconut_format::names::PackageReference;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The entry that a load would look for in the cache.
#[derive(Clone, Debug)]
pub struct RemoteRequest {
    request: Request,
    source: PathBuf,
    digest: [u8; 32],
    key: EntryKey,
}

impl RemoteRequest {
    /// Its key: a digest of everything that the entry depends on, and so the same on every machine. It has no text
    /// of a user in it.
    pub fn key(&self) -> EntryKey {
        self.key
    }

    /// The source that would be compiled.
    pub fn source(&self) -> &Path {
        &self.source
    }
}

impl Loader {
    /// The entry that [`load`](Loader::load) would look for, whether or not it is there. `None` where it would look
    /// for none: without a cache, without a source, or with compiled forms switched off.
    ///
    /// Costs what the freshness policy costs: a pass of SHA-256 over the source, or a look at its metadata.
    pub fn remote_request(&self, package: &PackageReference) -> Result<Option<RemoteRequest>, LoadError> {
        self.remote_request_of(self.find(package)?)
    }

    /// The entry that [`load_file`](Loader::load_file) would look for.
    pub fn remote_request_for_file(&self, path: &Path) -> Result<Option<RemoteRequest>, LoadError> {
        self.remote_request_of(self.request_of_file(path)?)
    }

    fn remote_request_of(&self, request: Request) -> Result<Option<RemoteRequest>, LoadError> {
        let Some(source) = request.site.source.clone().filter(|_| self.cache().is_some()) else {
            return Ok(None);
        };
        // The load that follows meets the same faults, and reports them.
        let mut notes = Notes::default();
        let identified = self.identify(&source, &request.identity, &mut notes);
        let fallbacks = self.carry_out(&request.identity, notes);
        let (known, _) =
            identified.map_err(|error| LoadErrorKind::reading(&source, &error).after(fallbacks))?;
        let digest = known.digest;
        let key = self.source_inputs(&request.identity, &source, digest).key();
        Ok(Some(RemoteRequest { request, source, digest, key }))
    }

    /// Whether the cache has the entry, in a state that a load would use. Moves nothing: what is wrong with an entry is
    /// told by the load that meets it, unless [`insert_verified`](Loader::insert_verified) has replaced it by then.
    pub fn holds(&self, remote: &RemoteRequest) -> bool {
        let inputs = self.source_inputs(&remote.request.identity, &remote.source, remote.digest);
        matches!(self.entry(&remote.request, &inputs), Ok(Some(_)))
    }

    /// Puts an entry that was made elsewhere into the cache, if it is what is wanted. `place` is what it is called
    /// in a fault.
    ///
    /// Its seal, all its checksums, tables and digests, its name, and the options that it was compiled with are
    /// compared first. What cannot be seen without compiling is whether it says what its source says: whoever may
    /// write where it came from is trusted with that.
    pub fn insert_verified(
        &self,
        remote: &RemoteRequest,
        entry: &[u8],
        place: &Path,
    ) -> Result<(), FallbackReason> {
        let document = self.examine(remote, entry, place)?;
        let Some(cache) = self.cache() else { return Ok(()) };
        let inputs = self.source_inputs(&remote.request.identity, &remote.source, remote.digest);
        cache.put(&inputs, document).map_err(FallbackReason::Cache)
    }

    /// Whether [`insert_verified`](Loader::insert_verified) would take the entry: the document in it, or why not.
    pub fn examine<'e>(
        &self,
        remote: &RemoteRequest,
        entry: &'e [u8],
        place: &Path,
    ) -> Result<&'e [u8], FallbackReason> {
        let inputs = self.source_inputs(&remote.request.identity, &remote.source, remote.digest);
        let bytes = unseal(&inputs, entry, place).map_err(FallbackReason::Cache)?;
        let document = open(DocumentBytes::from(bytes.to_vec()), &remote.request, &inputs)?;
        document.view().check_integrity().map_err(FallbackReason::Damaged)?;
        self.compare_options(document.view())?;
        Ok(bytes)
    }

    /// The entry of the cache as other machines may [`insert_verified`](Loader::insert_verified) it, checked completely; `None` where
    /// the cache has none.
    pub fn export(&self, remote: &RemoteRequest) -> Result<Option<Vec<u8>>, FallbackReason> {
        let inputs = self.source_inputs(&remote.request.identity, &remote.source, remote.digest);
        let found = self.entry(&remote.request, &inputs).inspect_err(|reason| {
            if let (true, Some(cache)) = (reason.is_proof(), self.cache()) {
                cache.quarantine(&remote.key);
            }
        });
        let Some(document) = found? else { return Ok(None) };
        // Damage here would be damage everywhere.
        document.view().check_integrity().map_err(FallbackReason::Damaged)?;
        Ok(Some(seal(&inputs, document.data().as_ref())))
    }
}

/// Why a fleet was not used. Never an error of the program: the source is used instead.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FleetFault {
    /// Its location is none, or of a kind that this program was built without.
    Location {
        /// What is wrong with it.
        what: String,
    },
    /// It has not answered in time.
    Deadline {
        /// For how long it was waited for.
        waited: Duration,
    },
    /// It cannot be reached, failed, or broke off in the middle of an answer.
    Unavailable {
        /// What was said about it.
        what: String,
    },
    /// We may not read there, or not write.
    Denied,
    /// An object is larger than any document should be, and was not fetched.
    TooLarge {
        /// Bytes of the object, or as many as came before it was stopped.
        found: u64,
        /// How many are accepted.
        limit: u64,
    },
}

impl FleetFault {
    codes! {
        /// The codes of all faults.
        CODES;
        /// The stable code of the reason.
        code;
        FleetFault::Location { .. } => "FLEET-LOCATION",
        FleetFault::Deadline { .. } => "FLEET-DEADLINE",
        FleetFault::Unavailable { .. } => "FLEET-UNAVAILABLE",
        FleetFault::Denied => "FLEET-DENIED",
        FleetFault::TooLarge { .. } => "FLEET-SIZE";
    }

    /// Whether it is about one object, so that others may be asked for.
    pub fn is_about_object(&self) -> bool {
        matches!(self, FleetFault::TooLarge { .. })
    }
}

impl fmt::Display for FleetFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FleetFault::Location { what } => write!(f, "the location of the fleet is of no use: {what}"),
            FleetFault::Deadline { waited } => {
                write!(f, "the fleet has not answered within {} ms", waited.as_millis())
            }
            FleetFault::Unavailable { what } => write!(f, "the fleet is not available: {what}"),
            FleetFault::Denied => write!(f, "the fleet refuses access"),
            FleetFault::TooLarge { found, limit } => {
                write!(f, "the object has {found} bytes, at most {limit} are accepted")
            }
        }
    }
}

impl std::error::Error for FleetFault {}
