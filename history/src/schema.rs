//! §23.2 The tables of a pack, and the settings of its connection.

use crate::error::HistoryErrorKind;
use crate::limits::{BUSY_MILLISECONDS, SCHEMA, TEXT};
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};
use std::fs::{self, File};
use std::path::Path;
use std::time::Duration;

/// §23.2 `application_id`: `CocH` as a big-endian number.
pub(crate) const APPLICATION: i64 = 0x436f_6348;

/// §23.2 The size of a page in bytes. Patches are small, so small pages waste less.
const PAGE: u32 = 1024;

/// §23.2 The statements that create the tables, in the order of `sqlite_schema`.
pub(crate) const TABLES: [&str; 8] = [
    "CREATE TABLE version (n INTEGER PRIMARY KEY, slot INTEGER, len INTEGER NOT NULL, sha256 BLOB NOT NULL, \
     prev BLOB NOT NULL, chain BLOB NOT NULL, time INTEGER NOT NULL, source TEXT NOT NULL, serial INTEGER, \
     lineage TEXT, lock_id TEXT, who TEXT, operation TEXT, client TEXT, forced INTEGER NOT NULL, dialect TEXT, \
     resources INTEGER, is_empty INTEGER NOT NULL) STRICT",
    "CREATE TABLE blob (slot INTEGER PRIMARY KEY, base INTEGER, len INTEGER NOT NULL, z BLOB NOT NULL) STRICT",
    "CREATE TABLE key (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, digest BLOB) STRICT",
    "CREATE TABLE change (key INTEGER NOT NULL, n INTEGER NOT NULL, digest BLOB, PRIMARY KEY (key, n)) \
     STRICT, WITHOUT ROWID",
    "CREATE TABLE label (name TEXT PRIMARY KEY, n INTEGER NOT NULL) STRICT, WITHOUT ROWID",
    "CREATE TABLE lock (one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL, info TEXT NOT NULL, \
     time INTEGER NOT NULL, account TEXT, address TEXT) STRICT",
    "CREATE TABLE event (id INTEGER PRIMARY KEY, time INTEGER NOT NULL, kind TEXT NOT NULL, n INTEGER, \
     lock_id TEXT, account TEXT, address TEXT, note TEXT) STRICT",
    "CREATE INDEX blind_unlock ON event (n) WHERE kind = 'blind-unlock'",
];

/// Creates the file with its tables, or opens it if it exists.
pub(crate) fn create(path: &Path) -> Result<Connection, HistoryErrorKind> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    refuse_network(folder)?;
    let is_new = match private_file(path) {
        Ok(_) => true,
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => fs::metadata(path)?.len() == 0,
        Err(error) => return Err(error.into()),
    };
    if !is_new {
        return open(path);
    }
    let mut connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.pragma_update(None, "page_size", PAGE)?;
    settle(&connection, false)?;
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    // Another process may have been faster.
    if transaction.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0))? == 0 {
        for table in TABLES {
            transaction.execute(table, [])?;
        }
        transaction.pragma_update(None, "application_id", APPLICATION)?;
        transaction.pragma_update(None, "user_version", SCHEMA)?;
    }
    transaction.commit()?;
    // The file alone is a pack from here on.
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    File::open(folder)?.sync_all()?;
    check(&connection)?;
    Ok(connection)
}

/// Opens a pack for reading and writing.
pub(crate) fn open(path: &Path) -> Result<Connection, HistoryErrorKind> {
    refuse_network(path)?;
    check_beginning(path)?;
    let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    settle(&connection, false)?;
    check(&connection)?;
    Ok(connection)
}

/// Opens a pack for reading. A pack in a folder without write permission can be read if no process
/// has it open for writing.
pub(crate) fn open_read_only(path: &Path) -> Result<Connection, HistoryErrorKind> {
    refuse_network(path)?;
    check_beginning(path)?;
    let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    settle(&connection, true)?;
    check(&connection)?;
    Ok(connection)
}

/// Creates a file that only its owner can read, and fails if it exists. SQLite gives its other
/// files the same mode.
pub(crate) fn private_file(path: &Path) -> std::io::Result<File> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn connect(path: &Path, access: OpenFlags) -> Result<Connection, HistoryErrorKind> {
    Ok(Connection::open_with_flags(path, access | OpenFlags::SQLITE_OPEN_NO_MUTEX)?)
}

/// Sets what protects from files of foreign origin, and what makes a commit durable.
fn settle(connection: &Connection, is_read_only: bool) -> Result<(), HistoryErrorKind> {
    connection.busy_timeout(Duration::from_millis(BUSY_MILLISECONDS))?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    let longest = i32::try_from(TEXT).unwrap_or(i32::MAX);
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, longest)?;
    connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 1)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "mmap_size", 0)?;
    if !is_read_only {
        connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get::<_, String>(0))?;
        connection.pragma_update(None, "synchronous", "FULL")?;
    }
    Ok(())
}

/// Whether the file begins as a pack, before SQLite reads it.
fn check_beginning(path: &Path) -> Result<(), HistoryErrorKind> {
    use std::io::Read as _;
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(HistoryErrorKind::NotAPack);
    }
    let mut beginning = Vec::new();
    File::open(path)?.take(100).read_to_end(&mut beginning)?;
    let application = beginning.get(68..72).and_then(|bytes| <[u8; 4]>::try_from(bytes).ok());
    let has_log = || {
        let mut log = path.as_os_str().to_owned();
        log.push("-wal");
        fs::metadata(log).is_ok_and(|log| log.len() > 0)
    };
    match (beginning.starts_with(b"SQLite format 3\0"), application.map(u32::from_be_bytes)) {
        (true, Some(application)) if i64::from(application) == APPLICATION => Ok(()),
        // The first transaction is still in the log.
        (true, Some(0)) if has_log() => Ok(()),
        (false, _) if beginning.is_empty() && has_log() => Ok(()),
        _ => Err(HistoryErrorKind::NotAPack),
    }
}

/// Refuses other applications, later schemas, and tables, views or triggers that are not those of a
/// pack.
fn check(connection: &Connection) -> Result<(), HistoryErrorKind> {
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    if number("application_id")? != APPLICATION {
        return Err(HistoryErrorKind::NotAPack);
    }
    match number("user_version")? {
        SCHEMA => {}
        found if found > SCHEMA => return Err(HistoryErrorKind::Newer { found }),
        _ => return Err(HistoryErrorKind::NotAPack),
    }
    let mut statement =
        connection.prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid")?;
    let found: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    match found.iter().map(String::as_str).eq(TABLES) {
        true => Ok(()),
        false => Err(HistoryErrorKind::Damaged {
            versions: Vec::new(),
            what: "its tables are not those of a history pack".to_owned(),
        }),
    }
}

/// Refuses file systems of several hosts: the log of SQLite needs memory that all processes share.
#[cfg(target_os = "linux")]
fn refuse_network(path: &Path) -> Result<(), HistoryErrorKind> {
    let found = rustix::fs::statfs(path).map_err(std::io::Error::from)?;
    match network_name(found.f_type as u64 & 0xffff_ffff) {
        Some(name) => Err(HistoryErrorKind::NetworkFileSystem(name)),
        None => Ok(()),
    }
}

#[cfg(not(target_os = "linux"))]
fn refuse_network(_: &Path) -> Result<(), HistoryErrorKind> {
    Ok(())
}

/// The file systems of networks, by their magic numbers in `statfs(2)`.
#[cfg(target_os = "linux")]
fn network_name(magic: u64) -> Option<&'static str> {
    Some(match magic {
        0x6969 => "NFS",
        0x517b | 0xff53_4d42 | 0xfe53_4d42 => "SMB",
        0x5346_414f => "AFS",
        0x00c3_6400 => "Ceph",
        0x0bd0_0bd0 => "Lustre",
        _ => return None,
    })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn file_systems_of_networks_are_refused_by_name() {
        assert_eq!(
            [0x6969, 0xfe53_4d42, 0xef53, 0x0102_1994].map(network_name),
            [Some("NFS"), Some("SMB"), None, None]
        );
        let error = HistoryErrorKind::NetworkFileSystem("NFS");
        assert_eq!(error.code(), "HIST-NETFS");
    }
}
