//! A pack: one SQLite file with all versions of one document.

use crate::error::{HistoryError, HistoryErrorKind};
use crate::facts;
use crate::records;
use crate::schema;
use crate::slots::{another_text, naming, text_of_slot};
use crate::version::{Version, signed};
use coconut_codec::read::file::DocumentFile;
use coconut_format::Value;
use rusqlite::{Connection, Params, Transaction, TransactionBehavior};
use sha2::{Digest as _, Sha256};
use std::fmt;
use std::path::{Path, PathBuf};

/// All versions of one document, in one file.
///
/// Several processes may open it. One of them writes at a time, and the others wait for at most
/// five seconds. Reading never waits. Every change is one transaction, which is on the disk when
/// the call returns.
pub struct Pack {
    connection: Connection,
    file: PathBuf,
    identity: Option<(u64, u64)>,
}

impl fmt::Debug for Pack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pack").field("file", &self.file).finish_non_exhaustive()
    }
}

impl Pack {
    /// Creates a pack, or opens it if the file exists. Only its owner may read a new file.
    ///
    /// # Errors
    ///
    /// Those of [`Pack::open`].
    pub fn create(file: impl Into<PathBuf>) -> Result<Pack, HistoryError> {
        Pack::with(file.into(), schema::create)
    }

    /// Opens a pack for reading and writing.
    ///
    /// # Errors
    ///
    /// `HIST-PACK` for other files, `HIST-NEWER` for those of later tools, `HIST-DAMAGED` if its
    /// tables are not those of a pack, `HIST-NETFS` on file systems of networks.
    pub fn open(file: impl Into<PathBuf>) -> Result<Pack, HistoryError> {
        Pack::with(file.into(), schema::open)
    }

    /// Opens a pack for reading.
    ///
    /// # Errors
    ///
    /// Those of [`Pack::open`].
    pub fn open_read_only(file: impl Into<PathBuf>) -> Result<Pack, HistoryError> {
        Pack::with(file.into(), schema::open_read_only)
    }

    fn with(
        file: PathBuf,
        open: fn(&Path) -> Result<Connection, HistoryErrorKind>,
    ) -> Result<Pack, HistoryError> {
        let opened = open(&file).and_then(|connection| Ok((connection, identity(&file)?)));
        match opened {
            Ok((connection, identity)) => Ok(Pack { connection, file, identity }),
            Err(kind) => Err(HistoryError::new(kind, &file)),
        }
    }

    /// The file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    pub(crate) fn in_file<T>(&self, result: Result<T, HistoryErrorKind>) -> Result<T, HistoryError> {
        result.map_err(|kind| HistoryError::new(kind, &self.file))
    }

    /// Runs `change` in one transaction, which is on the disk when this returns. An error undoes
    /// it.
    pub(crate) fn change<T>(
        &mut self,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, HistoryErrorKind>,
    ) -> Result<T, HistoryError> {
        let Pack { connection, file, identity: known } = self;
        let run = || {
            if identity(file).ok().flatten() != *known {
                return Err(HistoryErrorKind::Replaced);
            }
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let result = change(&transaction)?;
            transaction.commit()?;
            Ok(result)
        };
        run().map_err(|kind| HistoryError::new(kind, file))
    }

    /// All versions, the oldest first. Those whose texts were removed have no slot.
    pub fn versions(&self) -> Result<Vec<Version>, HistoryError> {
        self.in_file(records::all(&self.connection))
    }

    /// The newest version.
    pub fn newest(&self) -> Result<Option<Version>, HistoryError> {
        self.in_file(records::newest(&self.connection))
    }

    pub(crate) fn version_where(
        &self,
        condition: &str,
        parameters: impl Params,
    ) -> Result<Option<Version>, HistoryErrorKind> {
        records::version_where(&self.connection, condition, parameters)
    }

    /// The exact text of a version. Costs one patch for each set bit of its slot.
    ///
    /// # Errors
    ///
    /// `HIST-REV` if there is no such version or its text was removed; `HIST-DAMAGED` if its
    /// SHA-256 is another one. A wrong text is never returned.
    pub fn text(&self, n: u64) -> Result<Vec<u8>, HistoryError> {
        self.in_file(self.text_of(n))
    }

    fn text_of(&self, n: u64) -> Result<Vec<u8>, HistoryErrorKind> {
        let version = self.version_where("n = ?1", [signed(n)])?.ok_or_else(|| {
            HistoryErrorKind::Revision { name: n.to_string(), reason: "there is no such version" }
        })?;
        let slot = version.slot.ok_or(HistoryErrorKind::Pruned(n))?;
        let text = text_of_slot(&self.connection, slot).map_err(|kind| naming(kind, n))?;
        match <[u8; 32]>::from(Sha256::digest(&text)) == version.sha_256 {
            true => Ok(text),
            false => Err(another_text(n)),
        }
    }

    /// A version as a document. Costs [`Pack::text`] and one compilation.
    ///
    /// # Errors
    ///
    /// Those of [`Pack::text`].
    pub fn document(&self, n: u64) -> Result<DocumentFile<Vec<u8>>, HistoryError> {
        self.in_file(self.text_of(n).and_then(|text| facts::compiled(&text, false)))
    }

    /// The value of a key in a version. Its secrets are not hidden.
    ///
    /// # Errors
    ///
    /// Those of [`Pack::text`].
    pub fn get(&self, n: u64, key: &str) -> Result<Option<Value>, HistoryError> {
        let document = self.document(n)?;
        let value = || {
            let found = document.view().get_all(key)?;
            Ok(found.first().map(|landmark| landmark.value()?.to_value()).transpose()?)
        };
        self.in_file(value())
    }

    /// Ends the log of SQLite: afterwards, the file alone is the whole pack.
    ///
    /// # Errors
    ///
    /// `HIST-BUSY` if another process reads or writes.
    pub fn checkpoint(&self) -> Result<(), HistoryError> {
        let sql = "PRAGMA wal_checkpoint(TRUNCATE)";
        let is_busy = self.connection.query_row(sql, [], |row| row.get::<_, bool>(0));
        self.in_file(match is_busy {
            Ok(false) => Ok(()),
            Ok(true) => Err(HistoryErrorKind::Busy),
            Err(error) => Err(error.into()),
        })
    }
}

/// Device and number of a file, by which a replaced one is recognised.
#[cfg(unix)]
fn identity(file: &Path) -> Result<Option<(u64, u64)>, HistoryErrorKind> {
    use std::os::unix::fs::MetadataExt as _;
    let metadata = std::fs::metadata(file)?;
    Ok(Some((metadata.dev(), metadata.ino())))
}

#[cfg(not(unix))]
fn identity(_: &Path) -> Result<Option<(u64, u64)>, HistoryErrorKind> {
    Ok(None)
}
