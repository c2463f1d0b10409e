//! Packages of registries: the lock file that names them, and the place of their documents.
//!
//! ```json
//! {"version": 1, "packages": {"aws": {
//!   "reference": "oci://hub.example/acme/aws:1.2.0", "version": "1.2.0",
//!   "manifest": "sha256:…", "layer": "sha256:…", "document": "sha256:…"}}}
//! ```
//!
//! A package that the lock file names is found there and nowhere else, whatever other places have.
//! A load never waits for a network: the document must be in the cache.

use super::error::LoadErrorKind;
use super::lock_fault::LockFault;
use super::workspace_file::own_file;
use crate::cache::{Cache, hub_cache, hub_layer};
use crate::compile::{CompileOptions, compile};
use crate::read::file::DocumentFile;
use coconut_format::Value;
use coconut_format::names::{PackageReference, SemanticVersion, VersionSpec};
use std::path::{Path, PathBuf};

/// The name of the lock file.
pub const LOCK_FILE: &str = "coco.lock";

/// The version of its form.
pub const LOCK_VERSION: u64 = 1;

/// A package of the lock file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LockedPackage {
    /// The path of its document.
    pub(super) path: PathBuf,
    /// The SHA-256 of its document.
    pub(super) sha_256: [u8; 32],
}

/// The nearest lock file in `start` and the directories around it.
pub(super) fn lock_file_around(start: &Path) -> Option<PathBuf> {
    let start = std::path::absolute(start).ok()?;
    let paths = start.ancestors().map(|directory| directory.join(LOCK_FILE));
    paths.into_iter().find(|path| path.symlink_metadata().is_ok())
}

/// The package in the lock file at `lock`. `None` if the file does not have it, or does not exist.
///
/// `cache` is the directory of the cache, that of the user without one.
pub(super) fn find(
    lock: &Path,
    cache: Option<&Path>,
    package: &PackageReference,
) -> Result<Option<LockedPackage>, LoadErrorKind> {
    let fail = |fault| LoadErrorKind::Locked { package: package.to_string(), lock: lock.to_owned(), fault };
    let invalid = |what: &str| fail(LockFault::Invalid { what: what.to_owned() });
    let Some(file) = own_file(lock) else { return Ok(None) };
    let text = file.bytes.map_err(|reason| invalid(&reason.to_string()))?;
    let value = read(&text).map_err(|what| invalid(&what))?;
    if value.get("version") != Some(&Value::Integer(LOCK_VERSION.into())) {
        return Err(invalid("it has another version than 1"));
    }
    let packages = value.get("packages").ok_or_else(|| invalid("it has no `packages`"))?;
    let Some(entry) = packages.get(package.name.as_str()) else { return Ok(None) };
    let member = |name: &str| entry.get(name).and_then(Value::as_str);
    let wrong = || invalid(&format!("the entry of `{}` is not complete", package.name.as_str()));
    let (reference, layer) = member("reference").zip(member("layer")).ok_or_else(wrong)?;
    let digits = layer.strip_prefix("sha256:").ok_or_else(wrong)?;
    let sha_256 = digest(digits).ok_or_else(wrong)?;
    if let (Some(wanted), Some(locked)) = (&package.version, member("version"))
        && !admits(wanted, locked)
    {
        let (wanted, locked) = (wanted.to_string(), locked.to_owned());
        return Err(fail(LockFault::Version { wanted, locked }));
    }
    let missing = || fail(LockFault::Missing { reference: reference.to_owned() });
    let of_user = Cache::for_user();
    let cache = cache.or_else(|| of_user.path()).ok_or_else(missing)?;
    let path = hub_layer(&hub_cache(cache), digits);
    match path.is_file() {
        true => Ok(Some(LockedPackage { path, sha_256 })),
        false => Err(missing()),
    }
}

/// The error for a package that is not in the lock file.
pub(super) fn unknown(lock: Option<&Path>, package: &PackageReference) -> LoadErrorKind {
    let lock = lock.map_or_else(|| PathBuf::from(LOCK_FILE), Path::to_owned);
    LoadErrorKind::Locked { package: package.to_string(), lock, fault: LockFault::Unknown }
}

/// Whether the locked version is a requested one. A commit and a version that is not semantic
/// cannot be compared, so they are.
fn admits(wanted: &VersionSpec, locked: &str) -> bool {
    let Ok(version) = SemanticVersion::parse(locked) else { return true };
    match wanted {
        VersionSpec::Latest | VersionSpec::Commit(_) => true,
        VersionSpec::Exact(exact) => *exact == version,
        VersionSpec::Range(range) => range.admits(&version),
    }
}

fn read(text: &[u8]) -> Result<Value, String> {
    let compiled = compile(text, &CompileOptions::default()).map_err(|error| error.to_string())?;
    let file = DocumentFile::from_data(compiled.bytes).map_err(|error| error.to_string())?;
    file.view().root().to_value().map_err(|error| error.to_string())
}

fn digest(digits: &str) -> Option<[u8; 32]> {
    let mut digest = [0; 32];
    if digits.len() != 64 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    for (byte, pair) in digest.iter_mut().zip(digits.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(digest)
}
