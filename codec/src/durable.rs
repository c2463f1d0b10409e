//! Durable writes: a power failure leaves the old document or the new one.
//!
//! The cache holds documents that can be rebuilt, and never waits for the disk. Use this module for
//! documents that cannot be rebuilt: the record of a deployment, or a graph exported before a
//! migration. [`write()`] waits until the disk has the document, keeps the last good one as
//! `NAME.bak`, and does not replace a newer one by accident.
//!
//! ```text
//! .coco-new-…  written ─▶ fsync ─▶ NAME also called NAME.bak ─▶ renamed to NAME ─▶ fsync of folder
//! ```
//!
//! At every moment `NAME` is the complete old file or the complete new one. The `…` follows from
//! `NAME`, so the next writer of `NAME` finds the left-overs of a killed one, and visits no other
//! file. A writer locks its directory and its draft. A locked file is not a left-over, even if the
//! directory was replaced.

mod place;
#[cfg(test)]
mod tests;

use crate::bytes::input;
use crate::bytes::replace::{Draft, target_of};
use crate::read::file::DocumentFile;
use crate::read::view::Content;
use coconut_format::error::{DecodeError, ErrorKind};
use coconut_format::hex::Hex;
use place::Place;
use sha2::{Digest, Sha256};
use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The time to wait for other writers of the directory: many times what one of them needs.
const LOCK_TIMEOUT: Duration = Duration::from_secs(60);

/// The suffix of the last good file.
const BACKUP: &str = ".bak";

/// The prefix of the draft's name and of the kept file's second name. 16 digits follow.
const LEFT_OVER: [&str; 2] = [".coco-new-", ".coco-bak-"];

/// The file that may be replaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum Replace {
    /// Any that is not known to be newer. A newer one was written for a later version of the
    /// format, or has the same `/lineage` and a greater `/serial` (the counter of Terraform
    /// states).
    #[default]
    IfNotNewer,
    /// Only a file with this SHA-256: the one that was read before the change.
    IfUnchanged([u8; 32]),
    /// None: the file must not exist.
    IfAbsent,
    /// Any.
    Always,
}

/// The result of a durable write.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Written {
    /// The path of the replaced file, if it was good and different: `NAME.bak`.
    pub backup: Option<PathBuf>,
}

/// The reason why a document was not written. The file is unchanged, with one exception. If only
/// synchronising the directory failed, the file is the new one, but may be the old one after a
/// power failure.
#[derive(Debug)]
#[non_exhaustive]
pub enum DurableError {
    /// The new content is not a complete document.
    Damaged(DecodeError),
    /// The file is newer.
    Newer {
        /// The evidence.
        what: &'static str,
        /// The number in the file.
        found: u64,
        /// The number in the new document.
        new: u64,
    },
    /// The file needs a newer reader than this one, so it may be newer.
    NewerFile(DecodeError),
    /// The file is not the expected one: another program wrote it meanwhile.
    Changed {
        /// SHA-256 of the file; absent if there is no file.
        found: Option<[u8; 32]>,
    },
    /// A system call failed.
    Io {
        /// The operation.
        operation: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The kind of failure.
        error: io::Error,
    },
}

/// Writes `document` to `path` and waits until the disk has it.
///
/// Costs a check of the whole document, a read of the replaced file, and three waits for the disk.
///
/// Processes write to a directory one after another, if it can be locked. If another process holds
/// the directory for a minute, that is an error. Without locks, and on network file systems, the
/// left-overs of killed writers are not removed.
///
/// If the directory is replaced while this waits for the lock, the new one is written to. If it is
/// replaced later, that is an error.
pub fn write(path: &Path, document: &[u8], replace: Replace) -> Result<Written, DurableError> {
    write_within(LOCK_TIMEOUT, path, document, replace)
}

/// The path where [`write()`] keeps the replaced file, if [`is_kept`]: `NAME.bak`, beside the
/// target of a link.
#[doc(hidden)]
pub fn backup_of(path: &Path) -> PathBuf {
    backup_beside(&target_of(path))
}

fn backup_beside(target: &Path) -> PathBuf {
    let mut name = OsString::from(target);
    name.push(BACKUP);
    PathBuf::from(name)
}

/// Whether [`write()`] would keep the current file at `path`: it is a complete document that
/// differs from `document`, the new content if known. Verifies the whole file.
#[doc(hidden)]
pub fn is_kept(path: &Path, document: Option<&[u8]>) -> bool {
    let old = input::read(target_of(path));
    old.is_ok_and(|old| document.is_none_or(|document| document != old) && is_good(&old))
}

/// The two temporary files that an interrupted [`write()`] to `path` may have left. The next
/// `write` removes them if they are regular files. They are beside the target of a link, and named
/// by a digest of its name.
#[doc(hidden)]
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

/// The progress of a writer, for tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// The directory is open, and not locked yet.
    Opened,
    /// The directory is locked, and the path still leads to it.
    Locked,
    /// The draft is written, but does not have its name yet.
    Made,
}

/// [`write_within`], which lets tests change something at each step.
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
    let old = match input::read(target) {
        Ok(old) => Some(old),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(failed("read", target)(error)),
    };
    compare(old.as_deref(), &new, replace)?;
    let replaced = fs::metadata(target).ok();
    let draft = place.draft(&left_over, replaced.as_ref()).map_err(failed("create", &left_over))?;
    let backup = write_and_swap(&place, draft, &link, document, old.as_deref(), reached)?;
    place.synchronise().map_err(failed("synchronise", place.directory()))?;
    Ok(Written { backup })
}

fn write_and_swap(
    place: &Place,
    draft: Draft,
    link: &Path,
    document: &[u8],
    old: Option<&[u8]>,
    reached: &mut dyn FnMut(Step),
) -> Result<Option<PathBuf>, DurableError> {
    draft.file().write_all(document).map_err(failed("write", draft.path()))?;
    draft.file().sync_all().map_err(failed("synchronise", draft.path()))?;
    reached(Step::Made);
    place.check().map_err(failed("rename", place.target()))?;
    // Neither a damaged file nor an equal one replaces the good file that is already kept.
    let backup = match old.is_some_and(|old| old != document && is_good(old)) {
        true => Some(keep(place, link)?),
        false => None,
    };
    place.check().and_then(|()| draft.rename(place.target())).map_err(failed("rename", place.target()))?;
    Ok(backup)
}

/// Gives the current file the second name `NAME.bak`, through the temporary name `link`. Both names
/// always exist.
fn keep(place: &Place, link: &Path) -> Result<PathBuf, DurableError> {
    let target = place.target();
    let backup = backup_beside(target);
    let renamed = match fs::hard_link(target, link) {
        Ok(()) => {
            let renamed = fs::rename(link, &backup);
            // Renaming a file to another of its own names does nothing, and leaves both.
            let _ = fs::remove_file(link);
            renamed
        }
        // Some file systems allow one name for each file.
        Err(_) => copy(place, target, link).map_err(failed("copy", link))?.rename(&backup),
    };
    renamed.map(|()| backup.clone()).map_err(failed("rename", &backup))
}

fn copy(place: &Place, from: &Path, to: &Path) -> io::Result<Draft> {
    let mut from = File::open(from)?;
    let copied = place.draft(to, Some(&from.metadata()?))?;
    io::copy(&mut from, &mut copied.file())?;
    copied.file().sync_all()?;
    Ok(copied)
}

/// Refuses to replace a file that the caller does not want replaced.
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
                kind if kind.is_newer() => Err(DurableError::NewerFile(error)),
                // A durable write repairs a damaged file.
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

/// The number at `/serial`. `None` if it is damaged.
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

fn failed(operation: &'static str, path: &Path) -> impl FnOnce(io::Error) -> DurableError {
    let path = path.to_owned();
    move |error| DurableError::Io { operation, path, error }
}

impl DurableError {
    /// The code of a system call that failed.
    pub const IO: &'static str = "SNAP-IO";

    /// The codes of all errors, except those of damaged documents.
    pub const CODES: &'static [&'static str] = &["SNAP-NEWER", "SNAP-CHANGED", DurableError::IO];

    /// The stable code, for machines.
    pub fn code(&self) -> &'static str {
        match self {
            DurableError::Damaged(error) => error.kind().code(),
            DurableError::Newer { .. } | DurableError::NewerFile(_) => "SNAP-NEWER",
            DurableError::Changed { .. } => "SNAP-CHANGED",
            DurableError::Io { .. } => DurableError::IO,
        }
    }
}

coconut_format::explained!(DurableError);

impl fmt::Display for DurableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DurableError::Damaged(error) => error.fmt(f),
            DurableError::Newer { what, found, new } => {
                write!(f, "the file has {what} {found}, the new document has {new}")
            }
            DurableError::NewerFile(error) => write!(f, "the file is newer: {error}"),
            DurableError::Changed { found: Some(_) } => {
                write!(f, "the file was changed by another program in the meantime")
            }
            DurableError::Changed { found: None } => write!(f, "the expected file does not exist"),
            DurableError::Io { operation, path, error } => {
                write!(f, "cannot {operation} {}: {error}", path.display())
            }
        }
    }
}

impl std::error::Error for DurableError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        // The message already contains the text of the cause.
        match self {
            DurableError::Io { error, .. } => error.source(),
            _ => None,
        }
    }
}
