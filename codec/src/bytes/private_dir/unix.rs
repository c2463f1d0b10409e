//! Directories by descriptor. Owner, mode and kind are checked at every step.

use super::{DirectoryFault, Missing, PrivateFile};
use crate::bytes::input::is_on_network;
use rustix::fs::{Access, AtFlags, CWD, Dir, Mode, OFlags};
use rustix::io::Errno;
use std::ffi::{CStr, CString};
use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The bits that let other users write.
const OTHERS_WRITE: u32 = 0o022;
const WORLD_WRITES: u32 = 0o002;
const STICKY: u32 = 0o1000;
const PERMISSIONS: u32 = 0o7777;

/// A directory of this user, held open.
#[derive(Debug)]
pub(crate) struct Directory {
    file: File,
    path: PathBuf,
}

impl Directory {
    /// Opens the root directory.
    ///
    /// Follows links in the path if they belong to this user or the administrator. Refuses the
    /// directory if another user could replace a directory in the path.
    pub(crate) fn open_root(path: &Path, missing: Missing) -> Result<Option<Directory>, DirectoryFault> {
        for ancestor in path.ancestors() {
            match fs::symlink_metadata(ancestor) {
                Ok(metadata) if metadata.is_symlink() => check_link(ancestor, &metadata)?,
                Ok(metadata) => check_ancestor(ancestor, path, &metadata)?,
                Err(error) if is_missing(&error) => {}
                Err(error) => return DirectoryFault::io("inspect", ancestor, Err(error)),
            }
        }
        let real = match fs::canonicalize(path) {
            Ok(real) => real,
            Err(error) if is_missing(&error) && missing == Missing::Create => {
                DirectoryFault::io("create", path, create_private(path))?;
                DirectoryFault::io("resolve", path, fs::canonicalize(path))?
            }
            Err(error) if is_missing(&error) => return Ok(None),
            Err(error) => return DirectoryFault::io("resolve", path, Err(error)),
        };
        for ancestor in real.ancestors().skip(1) {
            let metadata = DirectoryFault::io("inspect", ancestor, fs::symlink_metadata(ancestor))?;
            check_ancestor(ancestor, &real, &metadata)?;
        }
        let Some(directory) = open_directory(CWD, &real, &real)? else {
            // It existed a moment ago.
            return match missing {
                Missing::Create => DirectoryFault::io("open", &real, Err(Errno::NOENT)),
                Missing::Leave => Ok(None),
            };
        };
        match is_on_network(&directory.file) {
            true => Err(DirectoryFault::Network { path: real }),
            false => Ok(Some(directory)),
        }
    }

    /// Opens a directory in this one, never through a link.
    pub(crate) fn open(&self, name: &str, missing: Missing) -> Result<Option<Directory>, DirectoryFault> {
        let path = self.path.join(name);
        if let Some(directory) = open_directory(&self.file, name.as_ref(), &path)? {
            return Ok(Some(directory));
        }
        if missing == Missing::Leave {
            return Ok(None);
        }
        match rustix::fs::mkdirat(&self.file, name, Mode::RWXU) {
            // The umask of the process may have removed permissions from it.
            Ok(()) => {
                let mode = rustix::fs::chmodat(&self.file, name, Mode::RWXU, AtFlags::empty());
                DirectoryFault::io("create", &path, mode)?;
            }
            // Another process was faster, with the same result.
            Err(Errno::EXIST) => {}
            Err(error) => return DirectoryFault::io("create", &path, Err(error)),
        }
        match open_directory(&self.file, name.as_ref(), &path)? {
            Some(directory) => Ok(Some(directory)),
            None => DirectoryFault::io("open", &path, Err(Errno::NOENT)),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a file of this user for reading. Does not wait for the other end of a pipe.
    pub(crate) fn read(&self, name: &str) -> Result<Option<PrivateFile>, DirectoryFault> {
        let path = self.path.join(name);
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = match rustix::fs::openat(&self.file, name, flags, Mode::empty()) {
            Ok(descriptor) => File::from(descriptor),
            Err(Errno::NOENT) => return Ok(None),
            Err(error) if is_link_error(error) => return Err(DirectoryFault::Symlink { path }),
            // The error of open for a socket.
            Err(Errno::NXIO) => return Err(DirectoryFault::WrongKind { path, expected: "regular file" }),
            Err(error) => return DirectoryFault::io("open", &path, Err(error)),
        };
        let metadata = DirectoryFault::io("inspect", &path, file.metadata())?;
        if !metadata.is_file() {
            return Err(DirectoryFault::WrongKind { path, expected: "regular file" });
        }
        check_ours(&path, &metadata)?;
        Ok(Some(PrivateFile { file, path, metadata }))
    }

    /// Creates a file that only this process can write to, and only while it is open.
    pub(crate) fn create(&self, name: &str) -> Result<File, DirectoryFault> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&self.file, name, flags, Mode::RUSR);
        // The umask of the process may have removed permissions from it.
        let file = file.and_then(|file| rustix::fs::fchmod(&file, Mode::RUSR).map(|()| file));
        DirectoryFault::io("create", &self.path.join(name), file).map(File::from)
    }

    /// Opens or creates an empty lock file.
    pub(crate) fn open_lock(&self, name: &str) -> Result<File, DirectoryFault> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let path = self.path.join(name);
        const MODE: Mode = Mode::RUSR.union(Mode::WUSR);
        match rustix::fs::openat(&self.file, name, flags, MODE) {
            Err(error) if is_link_error(error) => Err(DirectoryFault::Symlink { path }),
            opened => {
                // The umask of the process may have removed permissions from it.
                let opened = opened.and_then(|file| rustix::fs::fchmod(&file, MODE).map(|()| file));
                DirectoryFault::io("open", &path, opened).map(File::from)
            }
        }
    }

    /// Renames a file or directory, and replaces the one of that name.
    pub(crate) fn rename(
        &self,
        name: &str,
        target: &Directory,
        new_name: &str,
    ) -> Result<(), DirectoryFault> {
        let rename = || rustix::fs::renameat(&self.file, name, &target.file, new_name);
        let renamed = match rename() {
            // A file cannot replace a directory, nor a directory a file or a directory that is not
            // empty.
            Err(Errno::ISDIR | Errno::NOTDIR | Errno::NOTEMPTY | Errno::EXIST) => {
                target.remove(new_name)?;
                rename()
            }
            renamed => renamed,
        };
        DirectoryFault::io("rename", &target.path.join(new_name), renamed)
    }

    /// Removes a file, or a directory with its content. Returns whether it existed.
    pub(crate) fn remove(&self, name: &str) -> Result<bool, DirectoryFault> {
        let c_name = CString::new(name).expect("names in the cache hold no NUL");
        match remove_at(&self.file, &c_name) {
            Ok(()) => Ok(true),
            Err(Errno::NOENT) => Ok(false),
            Err(error) => DirectoryFault::io("remove", &self.path.join(name), Err(error)),
        }
    }

    /// The names in it, in the order of the file system. Cache names are ASCII, so names that are
    /// not UTF-8 are omitted.
    pub(crate) fn names(&self) -> Result<Vec<String>, DirectoryFault> {
        let entries = DirectoryFault::io("list", &self.path, Dir::read_from(&self.file))?;
        let mut names = Vec::new();
        for entry in entries {
            let entry = DirectoryFault::io("list", &self.path, entry)?;
            match entry.file_name().to_str() {
                Ok("." | "..") | Err(_) => {}
                Ok(name) => names.push(name.to_owned()),
            }
        }
        Ok(names)
    }

    /// Whether `file` still has a name.
    pub(crate) fn is_linked(&self, file: &File) -> Result<bool, DirectoryFault> {
        DirectoryFault::io("inspect", &self.path, file.metadata()).map(|metadata| metadata.nlink() > 0)
    }
}

/// Limits of removing a directory that has the name of a file. A larger one is probably in use.
const MOST_BELOW: u32 = 100_000;
const DEEPEST_BELOW: u32 = 64;

/// The handling of the content of a directory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Clearing {
    /// Check whether it may be removed.
    Look,
    Remove,
}

/// Removes a file, or a directory with its content. Follows no link.
///
/// A directory stays as it is if it exceeds the limits. It also stays if anything in it is mounted,
/// marked as unchangeable, or may not be removed by this user.
fn remove_at(parent: &File, name: &CStr) -> rustix::io::Result<()> {
    let refusal = match rustix::fs::unlinkat(parent, name, AtFlags::empty()) {
        // The errors of Linux and of POSIX for a directory.
        Err(refusal @ (Errno::ISDIR | Errno::PERM)) => refusal,
        removed => return removed,
    };
    let directory = open_below(parent, name)?.ok_or(refusal)?;
    for clearing in [Clearing::Look, Clearing::Remove] {
        clear(&directory, clearing, &mut { MOST_BELOW }, DEEPEST_BELOW)?;
    }
    rustix::fs::unlinkat(parent, name, AtFlags::REMOVEDIR)
}

/// Opens a directory. `None` if `name` is something else. An error if either is mounted there or
/// cannot be removed.
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

/// The mount of a file or directory in `parent`, or of `parent` itself. A second mount of a file
/// system has the same device, so the device is not enough. Zero if the system does not report it.
///
/// A file marked as unchangeable (`chattr +i`, `+a`) is an error, because neither it nor its
/// content can be removed.
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

/// Visits the content of a directory, at most `left` names in `levels` levels.
fn clear(directory: &File, clearing: Clearing, left: &mut u32, levels: u32) -> rustix::io::Result<()> {
    if clearing == Clearing::Remove {
        // The directory may be read-only. If its mode cannot be changed, the next step fails.
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
            // Another process was faster.
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

/// Refuses a directory in which these names cannot be removed: a directory of another user without
/// write permission. Where users may remove only their own files (as in `/tmp`), also one with a
/// file of another user. A directory of this user gets the mode that it needs.
fn check_removal(directory: &File, names: &[CString]) -> rustix::io::Result<()> {
    let user = rustix::process::geteuid();
    let found = rustix::fs::fstat(directory)?;
    if found.st_uid == user.as_raw() {
        return Ok(());
    }
    // The system knows the permissions of the administrator, access control lists, and read-only
    // mounts.
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

/// Opens `name` as a directory of this user. `None` if there is none.
fn open_directory(
    parent: impl rustix::fd::AsFd,
    name: &Path,
    path: &Path,
) -> Result<Option<Directory>, DirectoryFault> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = match rustix::fs::openat(&parent, name, flags, Mode::empty()) {
        Ok(descriptor) => File::from(descriptor),
        Err(Errno::NOENT) => return Ok(None),
        // For a link, Linux says "not a directory" here; other systems say "too many links".
        Err(error) if is_link_error(error) || error == Errno::NOTDIR => {
            let path = path.to_owned();
            let stat = rustix::fs::statat(&parent, name, AtFlags::SYMLINK_NOFOLLOW);
            let is_link = stat.is_ok_and(|stat| {
                rustix::fs::FileType::from_raw_mode(stat.st_mode) == rustix::fs::FileType::Symlink
            });
            return Err(match is_link {
                true => DirectoryFault::Symlink { path },
                false => DirectoryFault::WrongKind { path, expected: "directory" },
            });
        }
        Err(error) => return DirectoryFault::io("open", path, Err(error)),
    };
    check_ours(path, &DirectoryFault::io("inspect", path, file.metadata())?)?;
    Ok(Some(Directory { file, path: path.to_owned() }))
}

/// Creates a directory, and missing ones above it, for the owner alone.
fn create_private(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
    const OWNER_ALONE: u32 = 0o700;
    let mut missing: Vec<&Path> = path
        .ancestors()
        .take_while(|path| fs::symlink_metadata(path).is_err_and(|error| is_missing(&error)))
        .collect();
    // Nothing is missing if this is a dangling link. The link is then the error.
    if missing.is_empty() {
        missing.push(path);
    }
    for path in missing.into_iter().rev() {
        match fs::DirBuilder::new().mode(OWNER_ALONE).create(path) {
            // The umask of the process may have removed permissions from it.
            Ok(()) => fs::set_permissions(path, fs::Permissions::from_mode(OWNER_ALONE))?,
            // Another process was faster. What it made is checked when it is opened.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Refuses anything that other users own or may write to.
fn check_ours(path: &Path, metadata: &Metadata) -> Result<(), DirectoryFault> {
    let expected = rustix::process::geteuid().as_raw();
    let (path, owner, mode) = (path.to_owned(), metadata.uid(), metadata.mode() & PERMISSIONS);
    if owner != expected {
        return Err(DirectoryFault::Owner { path, owner, expected });
    }
    match mode & OTHERS_WRITE {
        0 => Ok(()),
        _ => Err(DirectoryFault::Mode { path, mode }),
    }
}

/// A link in the path may belong to this user or the administrator: both could write here anyway.
fn check_link(path: &Path, metadata: &Metadata) -> Result<(), DirectoryFault> {
    let expected = rustix::process::geteuid().as_raw();
    match metadata.uid() {
        owner if owner == expected || owner == 0 => Ok(()),
        owner => Err(DirectoryFault::Owner { path: path.to_owned(), owner, expected }),
    }
}

/// A directory in the path to `root` may belong to any user, but not every user may be able to
/// replace its content.
fn check_ancestor(path: &Path, root: &Path, metadata: &Metadata) -> Result<(), DirectoryFault> {
    let mode = metadata.mode() & PERMISSIONS;
    match path != root && mode & WORLD_WRITES != 0 && mode & STICKY == 0 {
        true => Err(DirectoryFault::Mode { path: path.to_owned(), mode }),
        false => Ok(()),
    }
}

fn is_missing(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
}

fn is_link_error(error: Errno) -> bool {
    // FreeBSD has a separate error number for this.
    error == Errno::LOOP || error == Errno::MLINK
}
