//! The directory of a workspace, and whom it must belong to.

use std::fs;
use std::path::Path;

/// The name of the directory.
pub(super) const DOT_DIRECTORY: &str = ".coconut";

/// Whether a directory, and the link to it if it is one, belongs to this user or the administrator.
pub(super) fn is_trusted_directory(found: &Path) -> bool {
    fs::symlink_metadata(found).is_ok_and(|link| is_trusted(&link))
        && fs::metadata(found).is_ok_and(|metadata| metadata.is_dir() && is_trusted(&metadata))
}

#[cfg(unix)]
fn is_trusted(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    [0, rustix::process::geteuid().as_raw()].contains(&metadata.uid())
}

#[cfg(not(unix))]
fn is_trusted(_metadata: &fs::Metadata) -> bool {
    true
}
