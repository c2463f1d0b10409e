//! Documents that must survive: written so that a power failure leaves the old one or the new one.
//!
//! The cache is for what can be made again, and never waits for the disk. A snapshot cannot be made again: the
//! record of a deployment, a graph that was exported before a migration. [`write()`] waits until the disk has it,
//! keeps the last good one as `NAME.bak`, and does not replace a newer one by accident.
//!
//! ```text
//! .coco-new-…  written ─▶ fsync ─▶ NAME also called NAME.bak ─▶ renamed to NAME ─▶ fsync of the directory
//! ```
//!
//! At every moment `NAME` is the old file or the new one, whole. What stands for `…` follows from `NAME`, so that the next
//! writer of that finds what one left that was killed, and looks at no other file. A writer holds a lock of its directory and
//! one of what it makes; what is locked is no left-over, whatever became of the directory.

mod place;
#[cfg(test)]
mod tests;

use crate::read::file::DocumentFile;
use crate::read::view::Content;
use coconut_format::error::{DecodeError, ErrorKind};
use coconut_format::hex::Hex;
use place::{Making, Place};
use sha2::{Digest, Sha256};
use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long other writers of the directory are waited for: many times what one of them needs.
const LOCK_TIMEOUT: Duration = Duration::from_secs(60);

/// What follows the name of a file in that of its last good one.
const BACKUP: &str = ".bak";

/// What the names of a file in the making and of the other name of the one that is kept begin with, before 16 digits.
const LEFT_OVER: [&str; 2] = [".coco-new-", ".coco-bak-"];

/// Which file may be replaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Replace {
    /// None that is known to be newer: written for a later version of the format, or with a greater number at
    /// `/serial` and the same `/lineage`, as Terraform counts its states.
    #[default]
    IfNotNewer,
    /// The one with this SHA-256, and no other: the one that was read before the change.
    IfUnchanged([u8; 32]),
    /// None: there must not be one.
    IfAbsent,
    /// Any.
    Always,
}

/// What a snapshot replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Where the file is that was replaced, if it was good and another one: `NAME.bak`.
    pub backup: Option<PathBuf>,
}

/// Why a snapshot was not written. The file is what it was; where only the directory could not be synchronised, it is the new
/// one, and may be the old one again after a power failure.
#[derive(Debug)]
#[non_exhaustive]
pub enum DurableError {
    /// What is to be written is no whole document.
    Damaged(DecodeError),
    /// The file is newer.
    Newer {
        /// What shows it.
        what: &'static str,
        /// Its number in the file.
        found: u64,
        /// Its number in what is to be written.
        new: u64,
    },
    /// The file is not the one that was expected: somebody else wrote it meanwhile.
    Changed {
        /// SHA-256 of the file; absent where there is none.
        found: Option<[u8; 32]>,
    },
    /// A system call failed.
    Io {
        /// What was to be done.
        operation: &'static str,
        /// To what.
        path: PathBuf,
        /// Why it failed.
        error: io::Error,
    },
}

/// Writes `document` to `path` and waits until the disk has it.
///
/// Costs a check of the whole document, a read of the file that is replaced, and three waits for the disk.
/// Two processes that write to one directory do it one after the other, where directories can be locked; one that
/// holds the directory for a minute is an error. Where they cannot, and on file systems of other machines, nothing is removed that
/// a writer left who was killed. A directory that takes the place of another one while that is waited for is the one that is
/// written to; where it does so later, that is an error.
pub fn write(path: &Path, document: &[u8], replace: Replace) -> Result<Written, DurableError> {
    write_within(LOCK_TIMEOUT, path, document, replace)
}

/// Where a file that is written to `path` comes to lie: a link stays, and what it leads to is replaced, or made.
pub fn target_of(path: &Path) -> PathBuf {
    /// As many as Linux follows.
    const LINKS: usize = 40;
    if let Ok(target) = fs::canonicalize(path) {
        return target;
    }
    let mut target = path.to_owned();
    for _ in 0..LINKS {
        match fs::read_link(&target) {
            Ok(next) => target = target.parent().unwrap_or(Path::new("")).join(next),
            Err(_) => return target,
        }
    }
    path.to_owned()
}

/// Where [`write()`] keeps the file that it replaces at `path`, if [`is_kept`]: `NAME.bak` beside what a link leads to.
pub fn backup_of(path: &Path) -> PathBuf {
    beside(&target_of(path), BACKUP)
}

/// Whether [`write()`] would keep what is at `path` now, when it writes anything else than that: whether it is a whole document.
/// `document` is what it would write, if that is known. Costs a check of all of the file.
pub fn is_kept(path: &Path, document: Option<&[u8]>) -> bool {
    let old = crate::bytes::input::read(target_of(path));
    old.is_ok_and(|old| document.is_none_or(|document| document != old) && is_good(&old))
}

/// What [`write()`] to `path` removes if it is a regular file, since a writer that was killed leaves it: beside what a link
/// leads to, and named by a digest of its name.
pub fn left_overs_of(path: &Path) -> [PathBuf; 2] {
    let target = target_of(path);
    let digest = Sha256::digest(target.file_name().unwrap_or_default().as_encoded_bytes());
    LEFT_OVER.map(|beginning| target.with_file_name(format!("{beginning}{}", Hex(&digest[..8]))))
}

fn write_within(
    lock_timeout: Duration,
    path: &Path,
    document: &[u8],
    replace: Replace,
) -> Result<Written, DurableError> {
    write_with(lock_timeout, path, document, replace, &mut |_| {})
}

/// How far a writer is, for tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// The directory is open, and not locked yet.
    Opened,
    /// It is locked, and the one that the path names.
    Locked,
    /// The new file is written, and has not its name yet.
    Made,
}

/// [`write_within`], with a chance for tests to change something at each step.
fn write_with(
    lock_timeout: Duration,
    path: &Path,
    document: &[u8],
    replace: Replace,
    reached: &mut dyn FnMut(Step),
) -> Result<Written, DurableError> {
    let new = DocumentFile::from_data(document).map_err(DurableError::Damaged)?;
    new.view().check_integrity().map_err(DurableError::Damaged)?;
    let place = Place::lock(path, lock_timeout, &mut || reached(Step::Opened))?;
    reached(Step::Locked);
    let target = place.target();
    let [left_over, link] = left_overs_of(target);
    let link = place.cleared(&link);
    let old = match crate::bytes::input::read(target) {
        Ok(old) => Some(old),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(failed("read", target)(error)),
    };
    compare(old.as_deref(), &new, replace)?;
    let replaced = fs::metadata(target).ok();
    let making = place.make(&left_over, replaced.as_ref()).map_err(failed("create", &left_over))?;
    let swapped = write_and_swap(&place, &making, &link, document, old.as_deref(), reached);
    if swapped.is_err() {
        making.remove();
    }
    let backup = swapped?;
    place.synchronise().map_err(failed("synchronise", place.directory()))?;
    Ok(Written { backup })
}

fn write_and_swap(
    place: &Place,
    making: &Making,
    link: &Path,
    document: &[u8],
    old: Option<&[u8]>,
    reached: &mut dyn FnMut(Step),
) -> Result<Option<PathBuf>, DurableError> {
    making.file().write_all(document).map_err(failed("write", making.path()))?;
    making.file().sync_all().map_err(failed("synchronise", making.path()))?;
    reached(Step::Made);
    place.check().map_err(failed("rename", place.target()))?;
    // A damaged file does not push out the good one that is kept already, and neither does the same once more.
    let backup = match old.is_some_and(|old| old != document && is_good(old)) {
        true => Some(keep(place, link)?),
        false => None,
    };
    place.check().and_then(|()| making.rename(place.target())).map_err(failed("rename", place.target()))?;
    Ok(backup)
}

/// Makes a file that is to replace another one: who may not read that may not read this one either, from the beginning. It
/// gets the owner of the other one, too, where the system lets this process give files away.
pub(crate) fn create_beside(path: &Path, replaced: Option<&fs::Metadata>) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    let Some(replaced) = replaced else { return options.open(path) };
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, OpenOptionsExt, fchown};
        let file = options.mode(0o600).open(path)?;
        let made = file.metadata()?;
        if (made.uid(), made.gid()) != (replaced.uid(), replaced.gid()) {
            // Only the administrator may. Then the file is that of who replaced it, as with any other program.
            let _ = fchown(&file, Some(replaced.uid()), Some(replaced.gid()));
        }
        file.set_permissions(replaced.permissions())?;
        Ok(file)
    }
    #[cfg(not(unix))]
    {
        let file = options.open(path)?;
        file.set_permissions(replaced.permissions())?;
        Ok(file)
    }
}

/// Makes the file at the place also known as `NAME.bak`, by way of `link`, so that both names are there all the time.
fn keep(place: &Place, link: &Path) -> Result<PathBuf, DurableError> {
    let target = place.target();
    let backup = beside(target, BACKUP);
    let renamed = match fs::hard_link(target, link) {
        Ok(()) => {
            let renamed = fs::rename(link, &backup);
            // Renaming one name of a file to another of its names does nothing, and leaves both.
            let _ = fs::remove_file(link);
            renamed
        }
        // Some file systems have one name for each file.
        Err(_) => {
            let copied = copy(place, target, link).map_err(failed("copy", link))?;
            let renamed = copied.rename(&backup);
            if renamed.is_err() {
                copied.remove();
            }
            renamed
        }
    };
    renamed.map(|()| backup.clone()).map_err(failed("rename", &backup))
}

fn copy(place: &Place, from: &Path, to: &Path) -> io::Result<Making> {
    let mut from = File::open(from)?;
    let copied = place.make(to, Some(&from.metadata()?))?;
    let written = io::copy(&mut from, &mut copied.file()).and_then(|_| copied.file().sync_all());
    if written.is_err() {
        copied.remove();
    }
    written.map(|()| copied)
}

/// Refuses to replace what the caller does not want replaced.
fn compare(old: Option<&[u8]>, new: &DocumentFile<&[u8]>, replace: Replace) -> Result<(), DurableError> {
    let digest = |bytes: &[u8]| -> [u8; 32] { Sha256::digest(bytes).into() };
    match (replace, old) {
        (Replace::Always, _) | (Replace::IfNotNewer | Replace::IfAbsent, None) => Ok(()),
        (Replace::IfAbsent, Some(old)) => Err(DurableError::Changed { found: Some(digest(old)) }),
        (Replace::IfUnchanged(expected), Some(old)) if digest(old) == expected => Ok(()),
        (Replace::IfUnchanged(_), old) => Err(DurableError::Changed { found: old.map(digest) }),
        (Replace::IfNotNewer, Some(old)) => refuse_newer(old, new),
    }
}

fn refuse_newer(old: &[u8], new: &DocumentFile<&[u8]>) -> Result<(), DurableError> {
    let old = match DocumentFile::from_data(old) {
        Ok(old) => old,
        Err(error) => {
            return match error.kind() {
                ErrorKind::NewerVersion { found, supported } => {
                    Err(DurableError::Newer { what: "version of the format", found, new: supported })
                }
                // A damaged file is what a snapshot is for.
                _ => Ok(()),
            };
        }
    };
    let (Some(found), Some(serial)) = (serial(&old), serial(new)) else { return Ok(()) };
    match found > serial && lineage(&old) == lineage(new) {
        true => Err(DurableError::Newer { what: "serial", found, new: serial }),
        false => Ok(()),
    }
}

/// The number at `/serial`; damage there means that there is none.
fn serial(file: &DocumentFile<&[u8]>) -> Option<u64> {
    match file.view().root().pointer("/serial").ok()??.content().ok()? {
        Content::Integer(number) => number.as_u64(),
        _ => None,
    }
}

fn lineage(file: &DocumentFile<&[u8]>) -> Option<String> {
    match file.view().root().pointer("/lineage").ok()??.content().ok()? {
        Content::String(text) => Some(text.to_owned()),
        _ => None,
    }
}

fn is_good(bytes: &[u8]) -> bool {
    DocumentFile::from_data(bytes).is_ok_and(|file| file.view().check_integrity().is_ok())
}

/// `path` with something behind its name.
fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    PathBuf::from(name)
}

/// A name beside `target` that nothing has: not longer for a long one.
pub(crate) fn unused_beside(target: &Path) -> PathBuf {
    target.with_file_name(format!(".coco-{:016x}", RandomState::new().hash_one(target)))
}

fn failed(operation: &'static str, path: &Path) -> impl FnOnce(io::Error) -> DurableError {
    let path = path.to_owned();
    move |error| DurableError::Io { operation, path, error }
}

impl DurableError {
    /// The code of a system call that failed.
    pub const IO: &'static str = "SNAP-IO";

    /// The codes of all errors but those of damage, which are the document's own.
    pub const CODES: &'static [&'static str] = &["SNAP-NEWER", "SNAP-CHANGED", DurableError::IO];

    /// The stable code, for machines.
    pub fn code(&self) -> &'static str {
        match self {
            DurableError::Damaged(error) => error.kind().code(),
            DurableError::Newer { .. } => "SNAP-NEWER",
            DurableError::Changed { .. } => "SNAP-CHANGED",
            DurableError::Io { .. } => DurableError::IO,
        }
    }
}

impl fmt::Display for DurableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DurableError::Damaged(error) => error.fmt(f),
            DurableError::Newer { what, found, new } => {
                write!(f, "the file has {what} {found}, what would replace it has {new}")
            }
            DurableError::Changed { found: Some(_) } => {
                write!(f, "the file is not the one that was expected: it was written meanwhile")
            }
            DurableError::Changed { found: None } => write!(f, "the file that was expected is not there"),
            DurableError::Io { operation, path, error } => {
                write!(f, "cannot {operation} {}: {error}", path.display())
            }
        }
    }
}

impl std::error::Error for DurableError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            DurableError::Damaged(error) => Some(error),
            DurableError::Io { error, .. } => Some(error),
            _ => None,
        }
    }
}
