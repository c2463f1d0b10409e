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
//! writer of that finds what one left that was killed, and looks at no other file.

use crate::file::DocumentFile;
use crate::input::is_on_network;
use crate::view::Content;
use coconut_format::error::{DecodeError, ErrorKind};
use sha2::{Digest, Sha256};
use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long other writers of the directory are waited for: many times what one of them needs.
const LOCK_TIMEOUT: Duration = Duration::from_secs(60);
const LOCK_INTERVAL: Duration = Duration::from_millis(20);

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
pub enum SnapshotError {
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
/// a writer left who was killed.
pub fn write(path: &Path, document: &[u8], replace: Replace) -> Result<Written, SnapshotError> {
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
    let old = crate::input::read(target_of(path));
    old.is_ok_and(|old| document.is_none_or(|document| document != old) && is_good(&old))
}

/// What [`write()`] to `path` removes if it is a regular file, since a writer that was killed leaves it: beside what a link
/// leads to, and named by a digest of its name.
pub fn left_overs_of(path: &Path) -> [PathBuf; 2] {
    let target = target_of(path);
    let digest = Sha256::digest(target.file_name().unwrap_or_default().as_encoded_bytes());
    let digits: String = digest[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    LEFT_OVER.map(|beginning| target.with_file_name(format!("{beginning}{digits}")))
}

fn write_within(
    lock_timeout: Duration,
    path: &Path,
    document: &[u8],
    replace: Replace,
) -> Result<Written, SnapshotError> {
    let new = DocumentFile::from_data(document).map_err(SnapshotError::Damaged)?;
    new.view().check_integrity().map_err(SnapshotError::Damaged)?;
    let target = target_of(path);
    let directory = match target.parent() {
        Some(directory) if !directory.as_os_str().is_empty() => directory.to_owned(),
        _ => PathBuf::from("."),
    };
    let lock = lock(&directory, lock_timeout).map_err(failed("lock", &directory))?;
    // On another machine there may be writers that do not see the lock.
    let is_alone = lock.as_ref().is_some_and(|directory| !is_on_network(directory));
    let [temporary, link] =
        left_overs_of(&target).map(|left_over| match is_alone && is_cleared(&left_over) {
            true => left_over,
            false => unused_beside(&target),
        });
    let old = match crate::input::read(&target) {
        Ok(old) => Some(old),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(failed("read", &target)(error)),
    };
    compare(old.as_deref(), &new, replace)?;
    let written = write_and_swap(&target, &temporary, &link, document, old.as_deref());
    if written.is_err() {
        // It has no other name, and is removed by the next write.
        let _ = fs::remove_file(&temporary);
    }
    let backup = written?;
    sync_directory(&directory).map_err(failed("synchronise", &directory))?;
    Ok(Written { backup })
}

fn write_and_swap(
    target: &Path,
    temporary: &Path,
    link: &Path,
    document: &[u8],
    old: Option<&[u8]>,
) -> Result<Option<PathBuf>, SnapshotError> {
    let metadata = fs::metadata(target).ok();
    let mut file = create_beside(temporary, metadata.as_ref()).map_err(failed("create", temporary))?;
    file.write_all(document).map_err(failed("write", temporary))?;
    file.sync_all().map_err(failed("synchronise", temporary))?;
    // A damaged file does not push out the good one that is kept already, and neither does the same once more.
    let backup = match old.is_some_and(|old| old != document && is_good(old)) {
        true => Some(keep(target, link)?),
        false => None,
    };
    fs::rename(temporary, target).map_err(failed("rename", target))?;
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

/// Makes the file at `target` also known as `NAME.bak`, by way of `link`, so that both names are there all the time.
fn keep(target: &Path, link: &Path) -> Result<PathBuf, SnapshotError> {
    let backup = beside(target, BACKUP);
    if fs::hard_link(target, link).is_err() {
        // Some file systems have one name for each file.
        copy(target, link).map_err(failed("copy", link))?;
    }
    let renamed = fs::rename(link, &backup);
    // Renaming one name of a file to another of its names does nothing, and leaves both; a copy is of no use without its name.
    let _ = fs::remove_file(link);
    match renamed {
        Ok(()) => Ok(backup),
        Err(error) => Err(failed("rename", &backup)(error)),
    }
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let mut from = File::open(from)?;
    let mut made = create_beside(to, Some(&from.metadata()?))?;
    io::copy(&mut from, &mut made)?;
    made.sync_all()
}

/// Refuses to replace what the caller does not want replaced.
fn compare(old: Option<&[u8]>, new: &DocumentFile<&[u8]>, replace: Replace) -> Result<(), SnapshotError> {
    let digest = |bytes: &[u8]| -> [u8; 32] { Sha256::digest(bytes).into() };
    match (replace, old) {
        (Replace::Always, _) | (Replace::IfNotNewer | Replace::IfAbsent, None) => Ok(()),
        (Replace::IfAbsent, Some(old)) => Err(SnapshotError::Changed { found: Some(digest(old)) }),
        (Replace::IfUnchanged(expected), Some(old)) if digest(old) == expected => Ok(()),
        (Replace::IfUnchanged(_), old) => Err(SnapshotError::Changed { found: old.map(digest) }),
        (Replace::IfNotNewer, Some(old)) => refuse_newer(old, new),
    }
}

fn refuse_newer(old: &[u8], new: &DocumentFile<&[u8]>) -> Result<(), SnapshotError> {
    let old = match DocumentFile::from_data(old) {
        Ok(old) => old,
        Err(error) => {
            return match error.kind() {
                ErrorKind::NewerVersion { found, supported } => {
                    Err(SnapshotError::Newer { what: "version of the format", found, new: supported })
                }
                // A damaged file is what a snapshot is for.
                _ => Ok(()),
            };
        }
    };
    let (Some(found), Some(serial)) = (serial(&old), serial(new)) else { return Ok(()) };
    match found > serial && lineage(&old) == lineage(new) {
        true => Err(SnapshotError::Newer { what: "serial", found, new: serial }),
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

/// Holds off other writers of snapshots. Where there are no locks the comparison is a moment older than the change, no
/// more; but who holds one for long may be about to write, or may hang, or may only want us to wait.
fn lock(directory: &Path, timeout: Duration) -> io::Result<Option<File>> {
    let Ok(directory) = File::open(directory) else { return Ok(None) };
    let begun = Instant::now();
    loop {
        match directory.try_lock() {
            Ok(()) => return Ok(Some(directory)),
            Err(TryLockError::WouldBlock) if begun.elapsed() < timeout => sleep(LOCK_INTERVAL),
            Err(TryLockError::WouldBlock) => {
                let text = format!("another process has held the directory for {} s", timeout.as_secs());
                return Err(io::Error::new(io::ErrorKind::TimedOut, text));
            }
            Err(TryLockError::Error(_)) => return Ok(None),
        }
    }
}

/// Removes what a writer left that was killed: who holds the lock is the only one who writes. Says whether the name is free. A
/// link stays, and so does what cannot be removed: then the name is of no use, and in nobody's way.
fn is_cleared(left_over: &Path) -> bool {
    if fs::symlink_metadata(left_over).is_ok_and(|found| found.is_file()) {
        // What comes of it is seen below.
        let _ = fs::remove_file(left_over);
    }
    fs::symlink_metadata(left_over).is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

/// A name beside `target` that nothing has: not longer for a long one.
pub(crate) fn unused_beside(target: &Path) -> PathBuf {
    target.with_file_name(format!(".coco-{:016x}", RandomState::new().hash_one(target)))
}

#[cfg(unix)]
fn sync_directory(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}

/// Elsewhere renaming is as durable as the file system makes it.
#[cfg(not(unix))]
fn sync_directory(_directory: &Path) -> io::Result<()> {
    Ok(())
}

fn failed(operation: &'static str, path: &Path) -> impl FnOnce(io::Error) -> SnapshotError {
    let path = path.to_owned();
    move |error| SnapshotError::Io { operation, path, error }
}

impl SnapshotError {
    /// The code of a system call that failed.
    pub const IO: &'static str = "SNAP-IO";

    /// The codes of all errors but those of damage, which are the document's own.
    pub const CODES: &'static [&'static str] = &["SNAP-NEWER", "SNAP-CHANGED", SnapshotError::IO];

    /// The stable code, for machines.
    pub fn code(&self) -> &'static str {
        match self {
            SnapshotError::Damaged(error) => error.kind().code(),
            SnapshotError::Newer { .. } => "SNAP-NEWER",
            SnapshotError::Changed { .. } => "SNAP-CHANGED",
            SnapshotError::Io { .. } => SnapshotError::IO,
        }
    }
}

impl fmt::Display for SnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SnapshotError::Damaged(error) => error.fmt(f),
            SnapshotError::Newer { what, found, new } => {
                write!(f, "the file has {what} {found}, what would replace it has {new}")
            }
            SnapshotError::Changed { found: Some(_) } => {
                write!(f, "the file is not the one that was expected: it was written meanwhile")
            }
            SnapshotError::Changed { found: None } => write!(f, "the file that was expected is not there"),
            SnapshotError::Io { operation, path, error } => {
                write!(f, "cannot {operation} {}: {error}", path.display())
            }
        }
    }
}

impl std::error::Error for SnapshotError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            SnapshotError::Damaged(error) => Some(error),
            SnapshotError::Io { error, .. } => Some(error),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::{CompileOptions, compile};

    fn state(serial: u32, lineage: &str) -> Vec<u8> {
        let source = format!(r#"{{"serial": {serial}, "lineage": "{lineage}", "resources": []}}"#);
        compile(source.as_bytes(), &CompileOptions::default()).unwrap().bytes
    }

    fn folder() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.coco");
        (folder, path)
    }

    fn names(folder: &tempfile::TempDir) -> Vec<OsString> {
        let mut names: Vec<OsString> =
            fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    }

    #[test]
    fn keeps_the_last_good_one() {
        let (folder, path) = folder();
        let backup = folder.path().join("state.coco.bak");
        assert_eq!(write(&path, &state(1, "x"), Replace::default()).unwrap(), Written { backup: None });
        let second = write(&path, &state(2, "x"), Replace::default()).unwrap();
        assert_eq!(second, Written { backup: Some(backup.clone()) });
        write(&path, &state(2, "x"), Replace::default()).unwrap();
        write(&path, &state(3, "x"), Replace::default()).unwrap();
        assert_eq!(fs::read(&path).unwrap(), state(3, "x"));
        assert_eq!(fs::read(&backup).unwrap(), state(2, "x"));
        assert_eq!(names(&folder), ["state.coco", "state.coco.bak"]);
    }

    #[test]
    #[cfg(unix)]
    fn a_pipe_in_place_of_the_old_one_is_not_waited_for() {
        let (folder, path) = folder();
        rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::RWXU).unwrap();
        let error = write(&path, &state(1, "x"), Replace::default()).unwrap_err();
        let SnapshotError::Io { operation: "read", error, .. } = error else { panic!("{error}") };
        assert_eq!(error.to_string(), "expected a regular file, found a pipe, socket or device");
        assert_eq!(names(&folder), ["state.coco"]);
    }

    #[test]
    fn a_damaged_file_does_not_push_out_the_good_one() {
        let (folder, path) = folder();
        write(&path, &state(1, "x"), Replace::default()).unwrap();
        write(&path, &state(2, "x"), Replace::default()).unwrap();
        let mut damaged = state(2, "x");
        let last = damaged.len() - 1;
        damaged[last] ^= 1;
        fs::write(&path, damaged).unwrap();
        assert_eq!(write(&path, &state(3, "x"), Replace::default()).unwrap(), Written { backup: None });
        assert_eq!(fs::read(folder.path().join("state.coco.bak")).unwrap(), state(1, "x"));
    }

    #[test]
    fn the_same_once_more_does_not_push_out_the_good_one() {
        let (folder, path) = folder();
        for serial in [1, 2, 2] {
            write(&path, &state(serial, "x"), Replace::default()).unwrap();
        }
        assert_eq!(write(&path, &state(2, "x"), Replace::default()).unwrap(), Written { backup: None });
        assert_eq!(fs::read(&path).unwrap(), state(2, "x"));
        assert_eq!(fs::read(folder.path().join("state.coco.bak")).unwrap(), state(1, "x"));
    }

    #[test]
    fn refuses_to_replace_a_newer_one_by_accident() {
        let (folder, path) = folder();
        write(&path, &state(7, "x"), Replace::default()).unwrap();
        let error = write(&path, &state(6, "x"), Replace::default()).unwrap_err();
        assert!(matches!(error, SnapshotError::Newer { what: "serial", found: 7, new: 6 }), "{error}");
        assert_eq!(fs::read(&path).unwrap(), state(7, "x"));
        assert_eq!(names(&folder), ["state.coco"]);
        write(&path, &state(6, "other"), Replace::default()).unwrap();
        write(&path, &state(5, "other"), Replace::Always).unwrap();
        assert_eq!(fs::read(&path).unwrap(), state(5, "other"));
    }

    #[test]
    fn refuses_to_replace_a_file_of_a_later_version() {
        let (_folder, path) = folder();
        fs::write(&path, "application/vnd.coconut+msgpack; document-type=cocogl; version=9\n\n").unwrap();
        let error = write(&path, &state(1, "x"), Replace::default()).unwrap_err();
        let SnapshotError::Newer { what, found, new } = error else { panic!("{error}") };
        assert_eq!((what, found, new), ("version of the format", 9, 0));
    }

    #[test]
    fn replaces_only_the_file_that_was_read_before() {
        let (_folder, path) = folder();
        let digest = |bytes: &[u8]| -> [u8; 32] { Sha256::digest(bytes).into() };
        let first = state(1, "x");
        let error = write(&path, &first, Replace::IfUnchanged([0; 32])).unwrap_err();
        assert!(matches!(error, SnapshotError::Changed { found: None }), "{error}");
        write(&path, &first, Replace::IfAbsent).unwrap();
        let error = write(&path, &first, Replace::IfAbsent).unwrap_err();
        assert!(matches!(error, SnapshotError::Changed { found: Some(found) } if found == digest(&first)));
        write(&path, &state(2, "x"), Replace::IfUnchanged(digest(&first))).unwrap();
        let error = write(&path, &state(3, "x"), Replace::IfUnchanged(digest(&first))).unwrap_err();
        assert_eq!(error.code(), "SNAP-CHANGED");
        assert_eq!(fs::read(&path).unwrap(), state(2, "x"));
    }

    #[test]
    fn writes_nothing_that_is_no_whole_document() {
        let (folder, path) = folder();
        let error = write(&path, b"{}", Replace::Always).unwrap_err();
        assert_eq!(error.code(), "ENV-TEXT");
        assert!(names(&folder).is_empty());
    }

    #[test]
    #[cfg(unix)]
    fn what_killed_writers_left_is_swept_and_nothing_else() {
        let (folder, path) = folder();
        let others = ["state.coco.new-0123456789abcdef", "state.coco.new-0123456789abcdef.bak"];
        let left_over =
            left_overs_of(&path).into_iter().chain(left_overs_of(&folder.path().join("other.coco")));
        let left_over: Vec<PathBuf> = left_over.collect();
        for path in left_over.iter().cloned().chain(others.map(|name| folder.path().join(name))) {
            fs::write(path, "half").unwrap();
        }
        write(&path, &state(1, "x"), Replace::default()).unwrap();
        write(&path, &state(2, "x"), Replace::default()).unwrap();
        assert_eq!(
            left_over.iter().map(|path| path.exists()).collect::<Vec<_>>(),
            [false, false, true, true]
        );
        assert_eq!(names(&folder)[2..], ["state.coco", "state.coco.bak", others[0], others[1]]);
    }

    #[test]
    #[cfg(unix)]
    fn what_is_no_file_stays_where_one_would_be_made() {
        let (folder, path) = folder();
        fs::write(folder.path().join("mine"), "mine").unwrap();
        let [new, link] = left_overs_of(&path);
        std::os::unix::fs::symlink("mine", &new).unwrap();
        std::os::unix::fs::symlink("nothing", &link).unwrap();
        for serial in [1, 2] {
            write(&path, &state(serial, "x"), Replace::default()).unwrap();
        }
        assert_eq!(fs::read(&path).unwrap(), state(2, "x"));
        assert_eq!(fs::read(backup_of(&path)).unwrap(), state(1, "x"));
        assert_eq!(fs::read_link(&new).unwrap(), Path::new("mine"));
        assert_eq!(fs::read_link(&link).unwrap(), Path::new("nothing"));
        assert_eq!(fs::read(folder.path().join("mine")).unwrap(), b"mine");
        assert_eq!(names(&folder).len(), 5);
    }

    #[test]
    fn a_name_may_be_as_long_as_its_backup_lets_it_be() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a".repeat(251));
        for serial in [1, 2] {
            write(&path, &state(serial, "x"), Replace::default()).unwrap();
        }
        assert_eq!(fs::read(backup_of(&path)).unwrap(), state(1, "x"));
        assert_eq!(names(&folder).len(), 2);
    }

    #[test]
    #[cfg(unix)]
    fn a_link_that_leads_to_nothing_yet_stays_a_link() {
        let (folder, path) = folder();
        let (first, second) = (folder.path().join("first"), folder.path().join("second"));
        std::os::unix::fs::symlink("second", &first).unwrap();
        std::os::unix::fs::symlink("state.coco", &second).unwrap();
        write(&first, &state(1, "x"), Replace::default()).unwrap();
        assert!(fs::symlink_metadata(&first).unwrap().is_symlink());
        assert!(fs::symlink_metadata(&second).unwrap().is_symlink());
        assert_eq!(fs::read(&path).unwrap(), state(1, "x"));
    }

    #[test]
    #[cfg(unix)]
    fn a_directory_that_somebody_holds_is_not_waited_for_without_end() {
        let (folder, path) = folder();
        let held = File::open(folder.path()).unwrap();
        held.lock().unwrap();
        let error = write_within(Duration::ZERO, &path, &state(1, "x"), Replace::Always).unwrap_err();
        let SnapshotError::Io { operation, path: at, error } = error else { panic!("{error}") };
        assert_eq!((operation, at.as_path(), error.kind()), ("lock", folder.path(), io::ErrorKind::TimedOut));
        assert!(names(&folder).is_empty());
        drop(held);
        write_within(Duration::ZERO, &path, &state(1, "x"), Replace::Always).unwrap();
    }

    #[test]
    #[cfg(unix)]
    fn a_link_stays_and_modes_are_kept() {
        use std::os::unix::fs::PermissionsExt;
        let (folder, path) = folder();
        write(&path, &state(1, "x"), Replace::default()).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("state.coco", &link).unwrap();
        write(&link, &state(2, "x"), Replace::default()).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&path).unwrap(), state(2, "x"));
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    }
}
