//! Files of a workspace that configure how its documents are read.

use super::dot_directory::{DOT_DIRECTORY, is_trusted_directory};
use super::fallback::FallbackReason;
use super::precompiled::{open_own, unreadable};
use std::io::Read as _;
use std::path::{self, Path, PathBuf};

/// Maximum number of bytes of such a file.
const MOST_BYTES: u64 = 1 << 20;

/// A file in the `.coconut` of a directory.
#[derive(Clone, Debug)]
pub struct WorkspaceFile {
    /// Its path.
    pub path: PathBuf,
    /// Its bytes, or the reason why it is not used.
    pub bytes: Result<Vec<u8>, FallbackReason>,
}

/// The nearest file `.coconut/NAME` in `start` and the directories around it.
///
/// A `.coconut` that belongs to another user does not count, as for [workspaces](super::SearchPath)
/// themselves. The file is read only if no user other than this one and the administrator can have
/// written it. This is checked on the open file. A file above 1 MiB is not read either.
pub fn workspace_file(start: &Path, name: &str) -> Option<WorkspaceFile> {
    let start = path::absolute(start).ok()?;
    let folders = start.ancestors().map(|directory| directory.join(DOT_DIRECTORY));
    let mut paths = folders.filter(|folder| is_trusted_directory(folder)).map(|folder| folder.join(name));
    let path = paths.find(|path| path.symlink_metadata().is_ok())?;
    let bytes = read(&path);
    Some(WorkspaceFile { path, bytes })
}

/// The file with this path, if there is one. It is read only under the conditions of
/// [`workspace_file`].
pub fn own_file(path: &Path) -> Option<WorkspaceFile> {
    path.symlink_metadata().ok()?;
    let path = path::absolute(path).ok()?;
    let bytes = read(&path);
    Some(WorkspaceFile { path, bytes })
}

fn read(path: &Path) -> Result<Vec<u8>, FallbackReason> {
    let (file, _) = open_own(path)?;
    let mut bytes = Vec::new();
    let read = file.take(MOST_BYTES + 1).read_to_end(&mut bytes);
    let length = read.map_err(|error| unreadable(path, &error))?;
    match length as u64 > MOST_BYTES {
        true => Err(unreadable(path, &std::io::ErrorKind::FileTooLarge.into())),
        false => Ok(bytes),
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, lchown};

    const STRANGER: u32 = 54_321;

    fn mode(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    /// The file `.coconut/a`, which only this user can write, and the directory `start` beside the
    /// `.coconut`.
    fn place() -> (tempfile::TempDir, PathBuf, PathBuf) {
        let root = tempfile::tempdir().unwrap();
        let (folder, start) = (root.path().join("above/.coconut"), root.path().join("above/start"));
        fs::create_dir_all(&folder).unwrap();
        fs::create_dir_all(&start).unwrap();
        let file = folder.join("a");
        fs::write(&file, "text").unwrap();
        mode(&folder, 0o755);
        mode(&file, 0o644);
        (root, file, start)
    }

    #[test]
    fn the_nearest_file_counts() {
        let (_root, above, start) = place();
        assert!(workspace_file(&start, "none").is_none());
        let found = workspace_file(&start, "a").unwrap();
        assert_eq!((found.path, found.bytes.unwrap()), (above, b"text".to_vec()));
        // A workspace without the file does not hide the file of a parent directory.
        fs::create_dir(start.join(".coconut")).unwrap();
        assert_eq!(workspace_file(&start, "a").unwrap().bytes.unwrap(), b"text");
        let near = start.join(".coconut/a");
        fs::write(&near, "near").unwrap();
        mode(&start.join(".coconut"), 0o755);
        mode(&near, 0o644);
        assert_eq!(workspace_file(&start, "a").unwrap().bytes.unwrap(), b"near");
    }

    #[test]
    fn a_file_that_others_may_write_is_found_and_not_read() {
        let (_root, file, start) = place();
        let code = || workspace_file(&start, "a").unwrap().bytes.unwrap_err().code();
        mode(&file, 0o666);
        assert_eq!(code(), "LOAD-MODE");
        mode(&file, 0o644);
        mode(file.parent().unwrap(), 0o777);
        assert_eq!(code(), "LOAD-MODE");
        mode(file.parent().unwrap(), 0o755);
        fs::write(&file, vec![b' '; 1 << 20]).unwrap();
        assert!(workspace_file(&start, "a").unwrap().bytes.is_ok());
        fs::write(&file, vec![b' '; (1 << 20) + 1]).unwrap();
        assert_eq!(code(), "LOAD-READ");
    }

    #[test]
    fn a_file_that_is_looked_for_at_one_place_has_to_be_ones_own() {
        let (_root, file, start) = place();
        assert_eq!(own_file(&file).unwrap().bytes.unwrap(), b"text");
        assert!(own_file(&start.join("a")).is_none());
        mode(&file, 0o666);
        assert_eq!(own_file(&file).unwrap().bytes.unwrap_err().code(), "LOAD-MODE");
    }

    #[test]
    fn the_file_of_a_stranger_is_refused_and_the_folder_of_one_is_passed_over() {
        let (_root, file, start) = place();
        if lchown(&file, Some(STRANGER), None).is_err() {
            coconut_testing::skip("right to give files to another user");
            return;
        }
        assert_eq!(workspace_file(&start, "a").unwrap().bytes.unwrap_err().code(), "LOAD-OWNER");
        lchown(file.parent().unwrap(), Some(STRANGER), None).unwrap();
        assert!(workspace_file(&start, "a").is_none());
    }
}
