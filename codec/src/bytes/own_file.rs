//! Files that only this user or the administrator can have written.
//!
//! ```text
//! folder     opened, then its owner and mode are checked
//! └── name   opened in that folder, never through a link; the same checks
//!            a link: its owner is checked, then its target is opened in the same way
//! ```
//!
//! All checks use open files. If another program later moves a folder or replaces it by a link, the
//! result stays valid.

use super::private_dir::DirectoryFault;
use rustix::fs::{AtFlags, CWD, Mode, OFlags};
use rustix::io::Errno;
use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The bits that let other users write. In a folder with the sticky bit they may add files.
const OTHERS_WRITE: u32 = 0o022;
const PERMISSIONS: u32 = 0o7777;

/// The user id of the administrator.
const ROOT: u32 = 0;

/// Maximum number of links followed in a row.
const LINKS: u32 = 8;

/// A folder is opened only to check it and to reach a file in it. Neither requires permission to
/// list it.
#[cfg(target_os = "linux")]
const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
#[cfg(not(target_os = "linux"))]
const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// Opens the regular file at `path`, if it and its folder belong to this user or the administrator,
/// and no other user may write to them. If it is a link, the same applies to its target. Does not
/// wait for the other end of a pipe.
pub(crate) fn open(path: &Path) -> Result<(File, Metadata), DirectoryFault> {
    let (mut from, mut way, mut shown) = (None::<File>, path.to_owned(), path.to_owned());
    for _ in 0..=LINKS {
        let Some(name) = way.file_name() else {
            return Err(DirectoryFault::WrongKind { path: shown, expected: "regular file" });
        };
        let folder_shown = shown.parent().unwrap_or(&shown).to_owned();
        let folder = open_folder(from.as_ref(), &way, &folder_shown)?;
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        match rustix::fs::openat(&folder, name, flags, Mode::empty()) {
            Ok(file) => return checked(File::from(file), shown),
            // FreeBSD has a separate error number for a link.
            Err(Errno::LOOP | Errno::MLINK) => {}
            // The error of open for a socket.
            Err(Errno::NXIO) => {
                return Err(DirectoryFault::WrongKind { path: shown, expected: "regular file" });
            }
            Err(error) => return DirectoryFault::io("open", &shown, Err(error)),
        }
        let link = rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW);
        check_owner(&shown, DirectoryFault::io("inspect", &shown, link)?.st_uid)?;
        let target = rustix::fs::readlinkat(&folder, name, Vec::new());
        let target = DirectoryFault::io("resolve", &shown, target)?;
        way = PathBuf::from(OsString::from_vec(target.into_bytes()));
        (from, shown) = (Some(folder), folder_shown.join(&way));
    }
    DirectoryFault::io("resolve", path, Err(Errno::LOOP))
}

/// Opens and checks the folder of `way`, a path relative to the folder `from`.
fn open_folder(from: Option<&File>, way: &Path, shown: &Path) -> Result<File, DirectoryFault> {
    let parent = match way.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let opened = match from {
        Some(from) => rustix::fs::openat(from, parent, FOLDER, Mode::empty()),
        None => rustix::fs::openat(CWD, parent, FOLDER, Mode::empty()),
    };
    let folder = File::from(DirectoryFault::io("open", shown, opened)?);
    let metadata = DirectoryFault::io("inspect", shown, folder.metadata())?;
    check_owner(shown, metadata.uid())?;
    check_mode(shown, metadata.mode())?;
    Ok(folder)
}

fn checked(file: File, path: PathBuf) -> Result<(File, Metadata), DirectoryFault> {
    let metadata = DirectoryFault::io("inspect", &path, file.metadata())?;
    if !metadata.is_file() {
        return Err(DirectoryFault::WrongKind { path, expected: "regular file" });
    }
    check_owner(&path, metadata.uid())?;
    check_mode(&path, metadata.mode())?;
    Ok((file, metadata))
}

fn check_owner(path: &Path, owner: u32) -> Result<(), DirectoryFault> {
    let expected = rustix::process::geteuid().as_raw();
    match owner == expected || owner == ROOT {
        true => Ok(()),
        false => Err(DirectoryFault::Owner { path: path.to_owned(), owner, expected }),
    }
}

fn check_mode(path: &Path, mode: u32) -> Result<(), DirectoryFault> {
    match mode & OTHERS_WRITE {
        0 => Ok(()),
        _ => Err(DirectoryFault::Mode { path: path.to_owned(), mode: mode & PERMISSIONS }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::io::Read;
    use std::os::unix::fs::{PermissionsExt, lchown, symlink};

    const STRANGER: u32 = 54_321;

    /// A folder `a` of mode 0755 with a file `f` of mode 0644 in it.
    fn place() -> (tempfile::TempDir, PathBuf) {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("a");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("f"), b"text").unwrap();
        set_mode(&folder, 0o755);
        set_mode(&folder.join("f"), 0o644);
        (root, folder)
    }

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    #[track_caller]
    fn assert_text(path: &Path) {
        let mut text = String::new();
        open(path).unwrap().0.read_to_string(&mut text).unwrap();
        assert_eq!(text, "text");
    }

    /// The kind of the fault, and its path.
    #[track_caller]
    fn fault(path: &Path) -> (&'static str, PathBuf) {
        match open(path).unwrap_err() {
            DirectoryFault::Owner { path, owner: STRANGER, .. } => ("owner", path),
            DirectoryFault::Mode { path, .. } => ("mode", path),
            DirectoryFault::WrongKind { path, .. } => ("kind", path),
            DirectoryFault::Io { path, .. } => ("io", path),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn others_may_write_neither_to_the_file_nor_to_its_folder() {
        let (_root, folder) = place();
        let file = folder.join("f");
        assert_text(&file);
        for mode in [0o664, 0o646] {
            set_mode(&file, mode);
            assert_eq!(fault(&file), ("mode", file.clone()), "{mode:o}");
        }
        set_mode(&file, 0o400);
        for mode in [0o775, 0o757, 0o1777] {
            set_mode(&folder, mode);
            assert_eq!(fault(&file), ("mode", folder.clone()), "{mode:o}");
        }
        // Without permission to list it.
        set_mode(&folder, 0o311);
        assert_text(&file);
        set_mode(&folder, 0o755);
    }

    #[test]
    fn what_belongs_to_a_stranger_is_refused() {
        let (_root, folder) = place();
        let (file, link) = (folder.join("f"), folder.join("l"));
        symlink("f", &link).unwrap();
        for (path, refused) in [(&file, &file), (&link, &link), (&folder, &file)] {
            if lchown(path, Some(STRANGER), None).is_err() {
                coconut_testing::skip("right to give files to another user");
                return;
            }
            assert_eq!(fault(refused), ("owner", path.clone()));
            lchown(path, Some(rustix::process::geteuid().as_raw()), None).unwrap();
            assert_text(refused);
        }
    }

    #[test]
    fn the_folder_of_the_target_of_a_link_is_checked_too() {
        let (root, folder) = place();
        let other = root.path().join("b");
        fs::create_dir(&other).unwrap();
        set_mode(&other, 0o755);
        for target in [PathBuf::from("../a/f"), folder.join("f")] {
            let link = other.join("l");
            let _ = fs::remove_file(&link);
            symlink(&target, &link).unwrap();
            assert_text(&link);
            set_mode(&folder, 0o777);
            assert_eq!(fault(&link), ("mode", other.join(&target).parent().unwrap().to_owned()));
            set_mode(&folder, 0o755);
        }
    }

    #[test]
    fn links_end_somewhere_at_a_file() {
        let (_root, folder) = place();
        symlink("l", folder.join("l")).unwrap();
        assert_eq!(fault(&folder.join("l")), ("io", folder.join("l")));
        symlink("..", folder.join("up")).unwrap();
        assert_eq!(fault(&folder.join("up")), ("kind", folder.join("..")));
        symlink("none", folder.join("dangling")).unwrap();
        assert_eq!(fault(&folder.join("dangling")), ("io", folder.join("none")));
        assert_eq!(fault(&folder), ("kind", folder.clone()));
    }
}
