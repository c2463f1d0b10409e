//! §23.7 A copy of a pack, while others write.

use crate::error::{HistoryError, HistoryErrorKind};
use crate::pack::Pack;
use crate::schema::private_file;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

impl Pack {
    /// Writes a copy to a new file. The copy is one state of the pack, whatever others write. It
    /// appears when it is whole and on the disk.
    ///
    /// A copy by the tools of the system may lack the newest versions, which are in the log beside
    /// the file.
    ///
    /// # Errors
    ///
    /// An error if the file exists; `HIST-FULL`. Then no file is left.
    pub fn backup(&self, copy: &Path) -> Result<(), HistoryError> {
        self.in_file(self.copied(copy))
    }

    fn copied(&self, copy: &Path) -> Result<(), HistoryErrorKind> {
        if fs::symlink_metadata(copy).is_ok() {
            return Err(std::io::Error::from(std::io::ErrorKind::AlreadyExists).into());
        }
        let draft = draft_of(copy);
        let _ = fs::remove_file(&draft);
        let written = self.written(&draft).and_then(|()| Ok(fs::rename(&draft, copy)?));
        if written.is_err() {
            let _ = fs::remove_file(&draft);
        }
        written?;
        let folder = copy.parent().filter(|folder| !folder.as_os_str().is_empty());
        Ok(File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?)
    }

    fn written(&self, draft: &Path) -> Result<(), HistoryErrorKind> {
        private_file(draft)?;
        self.connection().backup("main", draft, None::<fn(rusqlite::backup::Progress)>)?;
        // With this mode, a copy in a folder without write permission can be read.
        let copy = rusqlite::Connection::open(draft)?;
        copy.query_row("PRAGMA journal_mode = DELETE", [], |row| row.get::<_, String>(0))?;
        drop(copy);
        Ok(File::open(draft)?.sync_all()?)
    }
}

fn draft_of(copy: &Path) -> PathBuf {
    let mut name = copy.as_os_str().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    name.into()
}
