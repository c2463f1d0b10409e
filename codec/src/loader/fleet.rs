//! Requests to a second cache level, and the checks before its answers enter the cache.
//!
//! ```text
//! Loader::remote_request ──▶ key ──▶ the store ──▶ bytes ──▶ Loader::insert_verified
//! Loader::load ◀── cache ◀───────────────────────────────────────────┘
//! ```
//!
//! The loader itself sends no request: a load that misses compiles its source and waits for no
//! network. The crate `coconut-fleet` fetches entries beforehand, within a deadline, for instance
//! when a machine is set up.

use super::error::{LoadError, LoadErrorKind};
use super::fallback::FallbackReason;
use super::notes::Notes;
use super::{Loader, Request, open};
use crate::cache::{DocumentBytes, EntryKey, seal, unseal};
use coconut_format::names::PackageReference;
use std::path::{Path, PathBuf};

/// The entry that a load would look up in the cache.
#[derive(Clone, Debug)]
pub struct RemoteRequest {
    request: Request,
    source: PathBuf,
    digest: [u8; 32],
    key: EntryKey,
}

impl RemoteRequest {
    /// Its key: a digest of everything that the entry depends on, so it is the same on every
    /// machine. It contains no user data.
    pub fn key(&self) -> EntryKey {
        self.key
    }

    /// The source that would be compiled.
    pub fn source(&self) -> &Path {
        &self.source
    }
}

#[doc(hidden)]
impl Loader {
    /// The entry that [`load`](Loader::load) would look up, whether or not it exists. `None` if it
    /// would look up none: without a cache, without a source, or if compiled forms are ignored.
    ///
    /// Costs what the freshness policy costs: a pass of SHA-256 over the source, or reading its
    /// metadata.
    pub fn remote_request(&self, package: &PackageReference) -> Result<Option<RemoteRequest>, LoadError> {
        self.remote_request_of(self.find(package)?)
    }

    /// The entry that [`load_file`](Loader::load_file) would look up.
    pub fn remote_request_for_file(&self, path: &Path) -> Result<Option<RemoteRequest>, LoadError> {
        self.remote_request_of(self.request_of_file(path)?)
    }

    fn remote_request_of(&self, request: Request) -> Result<Option<RemoteRequest>, LoadError> {
        let Some(source) = request.site.source.clone().filter(|_| self.cache().is_some()) else {
            return Ok(None);
        };
        // The load that follows encounters the same faults and reports them.
        let mut notes = Notes::default();
        let identified = self.identify(&source, &request.identity, &mut notes);
        let fallbacks = self.carry_out(&request.identity, notes);
        let (known, _) =
            identified.map_err(|error| LoadErrorKind::reading(&source, &error).after(fallbacks))?;
        let digest = known.digest;
        let key = self.source_inputs(&request.identity, &source, digest).key();
        Ok(Some(RemoteRequest { request, source, digest, key }))
    }

    /// Whether the cache has the entry, in a state that a load would use. Moves nothing. A load
    /// that finds a bad entry reports it, unless [`insert_verified`](Loader::insert_verified) has
    /// replaced it by then.
    pub fn holds(&self, remote: &RemoteRequest) -> bool {
        let inputs = self.source_inputs(&remote.request.identity, &remote.source, remote.digest);
        matches!(self.entry(&remote.request, &inputs), Ok(Some(_)))
    }

    /// Puts an entry from another machine into the cache, if it is the requested one. A fault names
    /// the entry `place`.
    ///
    /// Its seal, all its checksums, tables and digests, its name and its options are checked first.
    /// Only compiling could prove that it matches its source. In this the writers of the store are
    /// trusted.
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

    /// The document in the entry if [`insert_verified`](Loader::insert_verified) would accept it,
    /// otherwise the reason.
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
        self.compare_options(document.view(), &remote.source)?;
        Ok(bytes)
    }

    /// The entry of the cache, checked completely, for [`insert_verified`](Loader::insert_verified)
    /// on other machines. `None` if the cache has none.
    pub fn export(&self, remote: &RemoteRequest) -> Result<Option<Vec<u8>>, FallbackReason> {
        let inputs = self.source_inputs(&remote.request.identity, &remote.source, remote.digest);
        let found = self.entry(&remote.request, &inputs).inspect_err(|reason| {
            if let (true, Some(cache)) = (reason.is_proof(), self.cache()) {
                cache.quarantine(&remote.key);
            }
        });
        let Some(document) = found? else { return Ok(None) };
        // Damage here would spread to every machine.
        document.view().check_integrity().map_err(FallbackReason::Damaged)?;
        Ok(Some(seal(&inputs, document.data().as_ref())))
    }
}
