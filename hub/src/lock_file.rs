//! `coco.lock`: which documents the names of packages stand for.
//!
//! The loader of packages reads it, too (`codec/src/loader/locked.rs`). It is JSON, sorted by name,
//! with one member a line, so that a review shows what changed.

use crate::digest::Digest;
use crate::error::{HubError, HubErrorKind};
use crate::hub::{Found, Hub, Pulled};
use crate::reference::{Place, Reference};
use coconut_codec::bytes::replace::replace;
use coconut_codec::loader::{LOCK_VERSION, own_file};
use coconut_codec::read::file::DocumentFile;
use coconut_format::names::{PackageReference, SemanticVersion, VersionSpec};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// The content of a lock file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockFile {
    version: u64,
    /// The packages, by name.
    pub packages: BTreeMap<String, LockedArtifact>,
}

/// A package in a lock file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedArtifact {
    /// The reference, with its tag.
    pub reference: String,
    /// The version that the package states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The digest of the manifest.
    pub manifest: Digest,
    /// The digest of the layer with the document.
    pub layer: Digest,
    /// The document digest (§4.7).
    pub document: Digest,
}

/// The difference between a lock file and the registries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LockState {
    /// The tag leads to the locked manifest.
    Same,
    /// The tag leads to another manifest now.
    Moved(Digest),
    /// The tag does not exist any more.
    Gone,
}

impl Default for LockFile {
    fn default() -> LockFile {
        LockFile { version: LOCK_VERSION, packages: BTreeMap::new() }
    }
}

impl LockFile {
    /// Reads a lock file. `None` if there is none.
    ///
    /// # Errors
    /// Fails if it is malformed, of another version, or if other users may write to it.
    pub fn read(path: &Path) -> Result<Option<LockFile>, HubError> {
        let invalid = |what: String| HubError::new(path.display(), HubErrorKind::LockFile { what });
        let Some(file) = own_file(path) else { return Ok(None) };
        let text = file.bytes.map_err(|reason| invalid(reason.to_string()))?;
        let lock: LockFile = serde_json::from_slice(&text).map_err(|error| invalid(error.to_string()))?;
        match lock.version {
            LOCK_VERSION => Ok(Some(lock)),
            other => Err(invalid(format!("it has the version {other}, and this tool reads {LOCK_VERSION}"))),
        }
    }

    /// Writes the file, completely or not at all.
    ///
    /// # Errors
    /// Fails if it cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), HubError> {
        let mut text = serde_json::to_vec_pretty(self).expect("texts and numbers can be written");
        text.push(b'\n');
        replace(path, &text).map_err(|error| HubError::io("write", path, error))
    }

    /// The package to which this reference leads: the one with the same reference, or with the same
    /// digest.
    ///
    /// # Errors
    /// Fails if no package has this reference, or if the reference has another digest.
    pub fn locked(&self, reference: &Reference) -> Result<Reference, HubError> {
        let text = reference.without_digest().to_string();
        let fail = |expected: String| {
            let found = reference.to_string();
            HubError::new(&text, HubErrorKind::Locked { expected, found })
        };
        let same = self.packages.values().find(|package| package.reference == text);
        let by_digest = || {
            let place = reference.place.to_string();
            let is_same = |package: &&LockedArtifact| {
                reference.tag.is_none()
                    && reference.digest == Some(package.manifest)
                    && package.reference.starts_with(&place)
            };
            self.packages.values().find(is_same)
        };
        let package = same.or_else(by_digest).ok_or_else(|| fail(String::new()))?;
        match reference.digest.is_none_or(|digest| digest == package.manifest) {
            true => Ok(reference.at(package.manifest)),
            false => Err(fail(package.manifest.to_string())),
        }
    }
}

impl LockedArtifact {
    /// The entry of a fetched document. `reference` is as the user wrote it.
    pub fn of(reference: &Reference, pulled: &Pulled) -> LockedArtifact {
        LockedArtifact {
            reference: reference.without_digest().to_string(),
            version: text_at(pulled, "/version"),
            manifest: pulled.found.reference.digest.unwrap_or(pulled.found.layer.digest),
            layer: pulled.found.layer.digest,
            document: pulled.document_digest,
        }
    }

    /// The locked document, with its digest.
    ///
    /// # Errors
    /// Fails if the reference is not valid.
    pub fn parse(&self) -> Result<Reference, HubError> {
        Ok(Reference::parse_place(&self.reference)?.at(self.manifest))
    }

    /// Refuses a document other than the locked one.
    ///
    /// # Errors
    /// Fails if a digest differs.
    pub fn check(&self, pulled: &Pulled) -> Result<(), HubError> {
        let pairs = [(self.layer, pulled.found.layer.digest), (self.document, pulled.document_digest)];
        match pairs.into_iter().find(|(locked, found)| locked != found) {
            None => Ok(()),
            Some((locked, found)) => {
                let (expected, found) = (locked.to_string(), found.to_string());
                Err(HubError::new(&self.reference, HubErrorKind::Locked { expected, found }))
            }
        }
    }
}

impl Hub {
    /// Compares a locked package with its tag now. Costs one request.
    ///
    /// # Errors
    /// Fails if the registry cannot be asked.
    pub fn lock_state(&self, locked: &LockedArtifact) -> Result<LockState, HubError> {
        let reference = Reference::parse_place(&locked.reference)?;
        if reference.tag.is_none() {
            return Ok(LockState::Same);
        }
        match self.resolve(&reference) {
            Ok(received) if received.digest == locked.manifest => Ok(LockState::Same),
            // A release has its documents below the index.
            Ok(received) => {
                let found = self.find(&reference.at(received.digest));
                let is_in = |found: &Found| found.reference.digest == Some(locked.manifest);
                match found.is_ok_and(|found| found.iter().any(is_in)) {
                    true => Ok(LockState::Same),
                    false => Ok(LockState::Moved(received.digest)),
                }
            }
            Err(error) if matches!(error.kind(), HubErrorKind::Absent { .. }) => Ok(LockState::Gone),
            Err(error) => Err(error),
        }
    }

    /// The newest tag of a dependency's repository that its version admits. The base of the
    /// reference is the host; without one, the repository is below `hub`.
    ///
    /// # Errors
    /// Fails without a host, or if no tag is such a version.
    pub fn newest(&self, package: &PackageReference, hub: Option<&Reference>) -> Result<Reference, HubError> {
        let name = package.name.as_str();
        let text = match (&package.base, hub) {
            (Some(base), _) => format!("oci://{}/{name}", base.trim_end_matches('/')),
            (None, Some(hub)) => match &hub.place {
                Place::Layout(_) => hub.place.to_string(),
                Place::Registry { .. } => format!("{}/{name}", hub.place),
            },
            (None, None) => {
                let (what, hint) =
                    ("it has no host", "`--hub oci://HOST/PREFIX` sets one for all such names");
                return Err(HubError::new(package, HubErrorKind::Reference { what, hint }));
            }
        };
        let repository = Reference::parse_place(&text)?;
        let admits = |version: &SemanticVersion| match &package.version {
            None | Some(VersionSpec::Latest) => version.pre_release.is_none(),
            Some(VersionSpec::Exact(exact)) => exact == version,
            // A version before a release is used only if it is named.
            Some(VersionSpec::Range(range)) => version.pre_release.is_none() && range.admits(version),
            Some(VersionSpec::Commit(_)) => false,
        };
        let mut newest: Option<(SemanticVersion, String)> = None;
        for tag in self.tags(&repository)? {
            let Ok(version) = SemanticVersion::parse(tag.strip_prefix('v').unwrap_or(&tag)) else { continue };
            let is_newer = newest.as_ref().is_none_or(|(known, _)| version.precedence(known).is_gt());
            if admits(&version) && is_newer {
                newest = Some((version, tag));
            }
        }
        match newest {
            Some((_, tag)) => Ok(Reference { tag: Some(tag), ..repository }),
            None => {
                let what = format!("tag with a version for `{package}`");
                Err(HubError::new(repository, HubErrorKind::Absent { what }))
            }
        }
    }
}

/// The name that a package states.
pub fn package_name(pulled: &Pulled) -> Option<String> {
    text_at(pulled, "/name")
}

fn text_at(pulled: &Pulled, pointer: &str) -> Option<String> {
    // It is verified, so it can be read.
    let file = DocumentFile::from_data(&pulled.bytes[..]).ok()?;
    let value = file.value(pointer).ok()??;
    value.as_str().ok()?.map(str::to_owned)
}
