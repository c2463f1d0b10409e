//! Directories by descriptor, with owner, mode and kind compared at every step.

use super::{Missing, PrivateFile};
use crate::bytes::input::is_on_network;
use crate::cache::CacheFault;
use rustix::fs::{Access, AtFlags, CWD, Dir, Mode, OFlags};
use rustix::io::Errno;
use std::ffi::{CStr, CString};
use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Nobody else may write.
const OTHERS_WRITE: u32 = 0o022;
const WORLD_WRITES: u32 = 0o002;
const STICKY: u32 = 0o1000;
const PERMISSIONS: u32 = 0o7777;

/// A directory of ours that is held open.
#[derive(Debug)]
pub(crate) struct Directory {
    file: File,
    path: PathBuf,
}

impl Directory {
    /// Opens the directory that holds everything else.
    ///
    /// Links on the way to it are followed if they are ours or the administrator's. Where another user could put
    /// something in place of a directory on the way, it is refused.
    pub(crate) fn open_root(path: &Path, missing: Missing) -> Result<Option<Directory>, CacheFault> {
        for ancestor in path.ancestors() {
            match fs::symlink_metadata(ancestor) {
                Ok(metadata) if metadata.is_symlink() => check_link(ancestor, &metadata)?,
                Ok(metadata) => check_ancestor(ancestor, path, &metadata)?,
                Err(error) if is_missing(&error) => {}
                Err(error) => return CacheFault::io("inspect", ancestor, Err(error)),
            }
        }
        let real = match fs::canonicalize(path) {
            Ok(real) => real,
            Err(error) if is_missing(&error) && missing == Missing::Create => {
                CacheFault::io("create", path, create_private(path))?;
                CacheFault::io("resolve", path, fs::canonicalize(path))?
            }
            Err(error) if is_missing(&error) => return Ok(None),
            Err(error) => return CacheFault::io("resolve", path, Err(error)),
        };
        for ancestor in real.ancestors().skip(1) {
            let metadata = CacheFault::io("inspect", ancestor, fs::symlink_metadata(ancestor))?;
            check_ancestor(ancestor, &real, &metadata)?;
        }
        let Some(directory) = open_directory(CWD, &real, &real)? else {
            // It was there a moment ago.
            return match missing {
                Missing::Create => CacheFault::io("open", &real, Err(Errno::NOENT)),
                Missing::Leave => Ok(None),
            };
        };
        match is_on_network(&directory.file) {
            true => Err(CacheFault::Network { path: real }),
            false => Ok(Some(directory)),
        }
    }

    /// Opens a directory in this one, never through a link.
    pub(crate) fn open(&self, name: &str, missing: Missing) -> Result<Option<Directory>, CacheFault> {
        let path = self.path.join(name);
        if let Some(directory) = open_directory(&self.file, name.as_ref(), &path)? {
            return Ok(Some(directory));
        }
        if missing == Missing::Leave {
            return Ok(None);
        }
        match rustix::fs::mkdirat(&self.file, name, Mode::RWXU) {
            // Another process was faster, which is as good.
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return CacheFault::io("create", &path, Err(error)),
        }
        match open_directory(&self.file, name.as_ref(), &path)? {
            Some(directory) => Ok(Some(directory)),
            None => CacheFault::io("open", &path, Err(Errno::NOENT)),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a file of ours for reading. Does not wait for the other end of a pipe.
    pub(crate) fn read(&self, name: &str) -> Result<Option<PrivateFile>, CacheFault> {
        let path = self.path.join(name);
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = match rustix::fs::openat(&self.file, name, flags, Mode::empty()) {
            Ok(descriptor) => File::from(descriptor),
            Err(Errno::NOENT) => return Ok(None),
            Err(error) if is_link_error(error) => return Err(CacheFault::Symlink { path }),
            // What open says about a socket.
            Err(Errno::NXIO) => return Err(CacheFault::WrongKind { path, expected: "regular file" }),
            Err(error) => return CacheFault::io("open", &path, Err(error)),
        };
        let metadata = CacheFault::io("inspect", &path, file.metadata())?;
        if !metadata.is_file() {
            return Err(CacheFault::WrongKind { path, expected: "regular file" });
        }
        check_ours(&path, &metadata)?;
        Ok(Some(PrivateFile { file, path, metadata }))
    }

    /// Makes a file that only this process can write to, and nobody afterwards.
    pub(crate) fn create(&self, name: &str) -> Result<File, CacheFault> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let descriptor = rustix::fs::openat(&self.file, name, flags, Mode::RUSR);
        CacheFault::io("create", &self.path.join(name), descriptor).map(File::from)
    }

    /// Opens or makes a file that has no content and is only locked.
    pub(crate) fn open_lock(&self, name: &str) -> Result<File, CacheFault> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let path = self.path.join(name);
        match rustix::fs::openat(&self.file, name, flags, Mode::RUSR | Mode::WUSR) {
            Err(error) if is_link_error(error) => Err(CacheFault::Symlink { path }),
            opened => CacheFault::io("open", &path, opened).map(File::from),
        }
    }

    /// Gives a file another name, in place of what has it now: a directory, too.
    pub(crate) fn rename(&self, name: &str, target: &Directory, new_name: &str) -> Result<(), CacheFault> {
        let rename = || rustix::fs::renameat(&self.file, name, &target.file, new_name);
        let renamed = match rename() {
            // Of a file and a directory neither takes the place of the other, nor does one of a directory that holds something.
            Err(Errno::ISDIR | Errno::NOTDIR | Errno::NOTEMPTY | Errno::EXIST) => {
                target.remove(new_name)?;
                rename()
            }
            renamed => renamed,
        };
        CacheFault::io("rename", &target.path.join(new_name), renamed)
    }

    /// Removes a name. Says whether it was there. If it is that of a directory, what is in that goes first.
    pub(crate) fn remove(&self, name: &str) -> Result<bool, CacheFault> {
        let c_name = CString::new(name).expect("names in the cache hold no NUL");
        match remove_at(&self.file, &c_name) {
            Ok(()) => Ok(true),
            Err(Errno::NOENT) => Ok(false),
            Err(error) => CacheFault::io("remove", &self.path.join(name), Err(error)),
        }
    }

    /// The names in it, in the order of the file system. Names of ours are ASCII; others are left out.
    pub(crate) fn names(&self) -> Result<Vec<String>, CacheFault> {
        let entries = CacheFault::io("list", &self.path, Dir::read_from(&self.file))?;
        let mut names = Vec::new();
        for entry in entries {
            let entry = CacheFault::io("list", &self.path, entry)?;
            match entry.file_name().to_str() {
                Ok("." | "..") | Err(_) => {}
                Ok(name) => names.push(name.to_owned()),
            }
        }
        Ok(names)
    }

    /// Whether `file` still has a name.
    pub(crate) fn is_linked(&self, file: &File) -> Result<bool, CacheFault> {
        CacheFault::io("inspect", &self.path, file.metadata()).map(|metadata| metadata.nlink() > 0)
    }
}

/// How much is removed of a directory that stands in place of a file, and how deep. Where there is more, somebody keeps it.
const MOST_BELOW: u32 = 100_000;
const DEEPEST_BELOW: u32 = 64;

/// What to do with what is in a directory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Clearing {
    /// Only see whether it may be removed.
    Look,
    Remove,
}

/// Removes a file, or a directory and what is in it. Follows no link. Where a directory has more than is removed, or anything
/// in it is mounted or marked as unchangeable, or lies where we may not remove it, it stays as it is.
fn remove_at(parent: &File, name: &CStr) -> rustix::io::Result<()> {
    let refusal = match rustix::fs::unlinkat(parent, name, AtFlags::empty()) {
        // What Linux says of a directory, and what POSIX does.
        Err(refusal @ (Errno::ISDIR | Errno::PERM)) => refusal,
        removed => return removed,
    };
    let directory = open_below(parent, name)?.ok_or(refusal)?;
    for clearing in [Clearing::Look, Clearing::Remove] {
        clear(&directory, clearing, &mut { MOST_BELOW }, DEEPEST_BELOW)?;
    }
    rustix::fs::unlinkat(parent, name, AtFlags::REMOVEDIR)
}

/// Opens a directory. `None` if `name` is that of something else, and an error if either is mounted there or cannot be removed.
fn open_below(parent: &File, name: &CStr) -> rustix::io::Result<Option<File>> {
    if mount_of(parent, name)? != mount_of(parent, c"")? {
        return Err(Errno::XDEV);
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let directory = match rustix::fs::openat(parent, name, flags, Mode::empty()) {
        Err(Errno::NOTDIR | Errno::LOOP) => return Ok(None),
        opened => File::from(opened?),
    };
    let is_mounted = rustix::fs::fstat(&directory)?.st_dev != rustix::fs::fstat(parent)?.st_dev;
    if is_mounted { Err(Errno::XDEV) } else { Ok(Some(directory)) }
}

/// The mount that a file or directory in `parent`, or that itself, is seen through: what is mounted in a second place is on the
/// same device. Zero where the system does not say. What is marked so that nobody may change it is an error (`chattr +i`, `+a`):
/// it could not be removed, nor could what is in it.
#[cfg(target_os = "linux")]
fn mount_of(parent: &File, name: &CStr) -> rustix::io::Result<u64> {
    use rustix::fs::{StatxAttributes, StatxFlags, statx};
    const FIXED: StatxAttributes = StatxAttributes::IMMUTABLE.union(StatxAttributes::APPEND);
    let flags = AtFlags::EMPTY_PATH | AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT;
    match statx(parent, name, flags, StatxFlags::MNT_ID) {
        Err(Errno::NOSYS) => Ok(0),
        Ok(found) if found.stx_attributes.intersects(FIXED) => Err(Errno::PERM),
        found => found.map(|found| found.stx_mnt_id),
    }
}

#[cfg(not(target_os = "linux"))]
fn mount_of(_: &File, _: &CStr) -> rustix::io::Result<u64> {
    Ok(0)
}

/// Goes through what is in a directory, up to `left` names in `levels`.
fn clear(directory: &File, clearing: Clearing, left: &mut u32, levels: u32) -> rustix::io::Result<()> {
    if clearing == Clearing::Remove {
        // It may be one that nobody writes to. Where that cannot be changed, the next step says so.
        let _ = rustix::fs::fchmod(directory, Mode::RWXU);
    }
    let mut names = Vec::new();
    for entry in Dir::read_from(directory)? {
        let entry = entry?;
        if !matches!(entry.file_name().to_bytes(), b"." | b"..") {
            *left = left.checked_sub(1).ok_or(Errno::NOTEMPTY)?;
            names.push(entry.file_name().to_owned());
        }
    }
    if clearing == Clearing::Look && !names.is_empty() {
        check_removal(directory, &names)?;
    }
    for name in names {
        let flags = match open_below(directory, &name) {
            // Somebody else was faster.
            Err(Errno::NOENT) => continue,
            Ok(None) => AtFlags::empty(),
            Ok(Some(below)) => {
                clear(&below, clearing, left, levels.checked_sub(1).ok_or(Errno::NOTEMPTY)?)?;
                AtFlags::REMOVEDIR
            }
            Err(error) => return Err(error),
        };
        if clearing == Clearing::Remove {
            match rustix::fs::unlinkat(directory, &name, flags) {
                Ok(()) | Err(Errno::NOENT) => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(())
}

/// Refuses a directory in which these names could not be removed: one of another user that we may not write to, or, where each
/// may only remove what is his (as in `/tmp`), with something of another user in it. Ours gets the mode that it needs.
fn check_removal(directory: &File, names: &[CString]) -> rustix::io::Result<()> {
    let user = rustix::process::geteuid();
    let found = rustix::fs::fstat(directory)?;
    if found.st_uid == user.as_raw() {
        return Ok(());
    }
    // The rights of the administrator, lists of rights, and what is mounted read-only are known to the system.
    rustix::fs::accessat(directory, c".", Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS)?;
    if Mode::from_raw_mode(found.st_mode).contains(Mode::SVTX) && !user.is_root() {
        for name in names {
            match rustix::fs::statat(directory, name, AtFlags::SYMLINK_NOFOLLOW) {
                Err(Errno::NOENT) => {}
                found if found?.st_uid == user.as_raw() => {}
                _ => return Err(Errno::PERM),
            }
        }
    }
    Ok(())
}

/// Opens `name` as a directory of ours. `None` if there is nothing.
fn open_directory(
    parent: impl rustix::fd::AsFd,
    name: &Path,
    path: &Path,
) -> Result<Option<Directory>, CacheFault> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = match rustix::fs::openat(&parent, name, flags, Mode::empty()) {
        Ok(descriptor) => File::from(descriptor),
        Err(Errno::NOENT) => return Ok(None),
        // Linux says "not a directory" of a link here, others "too many links".
        Err(error) if is_link_error(error) || error == Errno::NOTDIR => {
            let path = path.to_owned();
            let stat = rustix::fs::statat(&parent, name, AtFlags::SYMLINK_NOFOLLOW);
            let is_link = stat.is_ok_and(|stat| {
                rustix::fs::FileType::from_raw_mode(stat.st_mode) == rustix::fs::FileType::Symlink
            });
            return Err(match is_link {
                true => CacheFault::Symlink { path },
                false => CacheFault::WrongKind { path, expected: "directory" },
            });
        }
        Err(error) => return CacheFault::io("open", path, Err(error)),
    };
    check_ours(path, &CacheFault::io("inspect", path, file.metadata())?)?;
    Ok(Some(Directory { file, path: path.to_owned() }))
}

/// Makes a directory and those above it that are missing, for the owner alone.
fn create_private(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Refuses what belongs to others, or what they may write to.
fn check_ours(path: &Path, metadata: &Metadata) -> Result<(), CacheFault> {
    let expected = rustix::process::geteuid().as_raw();
    let (path, owner, mode) = (path.to_owned(), metadata.uid(), metadata.mode() & PERMISSIONS);
    if owner != expected {
        return Err(CacheFault::Owner { path, owner, expected });
    }
    match mode & OTHERS_WRITE {
        0 => Ok(()),
        _ => Err(CacheFault::Mode { path, mode }),
    }
}

/// A link on the way may be ours or the administrator's: both could write here anyway.
fn check_link(path: &Path, metadata: &Metadata) -> Result<(), CacheFault> {
    let expected = rustix::process::geteuid().as_raw();
    match metadata.uid() {
        owner if owner == expected || owner == 0 => Ok(()),
        owner => Err(CacheFault::Owner { path: path.to_owned(), owner, expected }),
    }
}

/// A directory on the way to `root` may be anyone's, but not a place where everybody can exchange what lies in it.
fn check_ancestor(path: &Path, root: &Path, metadata: &Metadata) -> Result<(), CacheFault> {
    let mode = metadata.mode() & PERMISSIONS;
    match path != root && mode & WORLD_WRITES != 0 && mode & STICKY == 0 {
        true => Err(CacheFault::Mode { path: path.to_owned(), mode }),
        false => Ok(()),
    }
}

fn is_missing(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
}

fn is_link_error(error: Errno) -> bool {
    // FreeBSD has a number of its own for it.
    error == Errno::LOOP || error == Errno::MLINK
}
