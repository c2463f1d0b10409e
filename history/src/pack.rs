//! A pack: one SQLite file with all versions of one document.

use crate::delta::{base_of, compress, decompress};
use crate::error::{HistoryError, HistoryErrorKind};
use crate::facts::{self, ENCRYPTED, Facts, KeyDigest};
use crate::limits;
use crate::lock::same_text;
use crate::revision::is_label;
use crate::schema;
use crate::version::{Version, signed};
use coconut_codec::read::file::DocumentFile;
use coconut_format::Value;
use coconut_format::numerals::hex;
use rusqlite::{Connection, OptionalExtension as _, Params, Row, Transaction, TransactionBehavior, params};
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
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

/// The origin of a new version, and the conditions under which it is stored.
#[derive(Clone, Debug, Default)]
pub struct Entry<'e> {
    /// The time, in milliseconds since 1970 UTC.
    pub time: i64,
    /// The way it comes: `file`, `http`, `git`, `restore`.
    pub source: &'e str,
    /// The ID of the lock under which it is written.
    pub lock_id: Option<&'e str>,
    /// The user. Under a lock, the user of the lock if this is `None`.
    pub who: Option<&'e str>,
    /// The operation. Under a lock, that of the lock if this is `None`.
    pub operation: Option<&'e str>,
    /// The version of the client. Under a lock, that of the lock if this is `None`.
    pub client: Option<&'e str>,
    /// The account of the server that writes.
    pub account: Option<&'e str>,
    /// The address of the client.
    pub address: Option<&'e str>,
    /// A label for the new version.
    pub label: Option<&'e str>,
    /// The SHA-256 that the newest text must have.
    pub if_newest: Option<[u8; 32]>,
    /// Set the rules of serial numbers and lineages aside.
    pub force: bool,
    /// Refuse the text without a lock.
    pub needs_lock: bool,
    /// Refuse a text that is not a state.
    pub is_state: bool,
}

/// The result of [`Pack::add`].
#[derive(Clone, Debug)]
pub enum Added {
    /// A new version was stored.
    New(Version),
    /// The newest version has the same text, so nothing was stored.
    Same(Version),
}

impl Added {
    /// The newest version.
    pub fn version(&self) -> &Version {
        match self {
            Added::New(version) | Added::Same(version) => version,
        }
    }
}

/// A change of one key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyAction {
    /// The version before does not have the key.
    Created,
    /// The value differs from that of the version before.
    Changed,
    /// This version does not have the key.
    Deleted,
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

    /// Stores a text as the newest version, unless the newest has the same text.
    ///
    /// Costs one compilation, one patch, and a commit. Memory: the text, its base, and the compiled
    /// form.
    ///
    /// # Errors
    ///
    /// In this order: a text that is too long, cannot be compiled, or is not the requested state;
    /// the lock is held by another, or not held; another version is the newest; the lineage or the
    /// serial number does not fit; the disk. A refusal is recorded as an event, and nothing else
    /// changes.
    pub fn add(&mut self, text: &[u8], entry: &Entry<'_>) -> Result<Added, HistoryError> {
        let length = text.len() as u64;
        if length > limits::TEXT {
            return self.in_file(Err(HistoryErrorKind::TooLong { length }));
        }
        if let Some(label) = entry.label {
            self.in_file(check_label(label))?;
        }
        let facts = Facts::of(text).and_then(|facts| match missing_member(&facts) {
            Some(member) if entry.is_state => Err(HistoryErrorKind::NotAState(member)),
            _ => Ok(facts),
        });
        let facts = self.in_file(facts)?;
        let sha_256: [u8; 32] = Sha256::digest(text).into();
        let added = self.change(|transaction| {
            let outcome = checked(transaction, &facts, sha_256, entry)?;
            match outcome {
                Checked::Same(version) => Ok(Ok(Added::Same(version))),
                Checked::Refused(kind) => {
                    let note = format!("{}: {kind}", kind.code());
                    crate::lock::record(transaction, "refused", None, entry, Some(&note))?;
                    Ok(Err(kind))
                }
                Checked::Accepted { newest, forced, holder } => {
                    let version =
                        stored(transaction, text, &facts, sha_256, entry, newest.as_ref(), forced, holder)?;
                    Ok(Ok(Added::New(version)))
                }
            }
        })?;
        self.in_file(added)
    }

    /// All versions, the oldest first. Those whose texts were removed have no slot.
    pub fn versions(&self) -> Result<Vec<Version>, HistoryError> {
        let versions = || {
            let mut statement = self.connection.prepare_cached(&format!("{SELECT} ORDER BY v.n"))?;
            let rows = statement.query_map([], version_of)?;
            Ok(rows.collect::<Result<Vec<_>, _>>()?)
        };
        self.in_file(versions())
    }

    /// The newest version.
    pub fn newest(&self) -> Result<Option<Version>, HistoryError> {
        self.in_file(newest(&self.connection))
    }

    pub(crate) fn version_where(
        &self,
        condition: &str,
        parameters: impl Params,
    ) -> Result<Option<Version>, HistoryErrorKind> {
        version_where(&self.connection, condition, parameters)
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

    /// The versions that changed a key, the oldest first. Costs one search in an index.
    pub fn log(&self, key: &str) -> Result<Vec<(u64, KeyAction)>, HistoryError> {
        let log = || {
            let sql = "SELECT n, digest IS NULL FROM change \
                       WHERE key = (SELECT id FROM key WHERE name = ?1) ORDER BY n";
            let mut statement = self.connection.prepare_cached(sql)?;
            let rows =
                statement.query_map([key], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, bool>(1)?)))?;
            let mut is_there = false;
            let mut found = Vec::new();
            for row in rows {
                let (n, is_gone) = row?;
                let action = match (is_there, is_gone) {
                    (_, true) => KeyAction::Deleted,
                    (false, false) => KeyAction::Created,
                    (true, false) => KeyAction::Changed,
                };
                is_there = !is_gone;
                found.push((n.unsigned_abs(), action));
            }
            Ok(found)
        };
        self.in_file(log())
    }

    /// The keys of which any version has a value, in alphabetical order.
    pub fn keys(&self) -> Result<Vec<String>, HistoryError> {
        let keys = || {
            let mut statement = self.connection.prepare_cached("SELECT name FROM key ORDER BY name")?;
            let rows = statement.query_map([], |row| row.get(0))?;
            Ok(rows.collect::<Result<Vec<_>, _>>()?)
        };
        self.in_file(keys())
    }

    /// The keys that differ between two versions, in alphabetical order. Reads no text.
    pub fn diff(&self, old: u64, new: u64) -> Result<Vec<(String, KeyAction)>, HistoryError> {
        let at = "(SELECT c.digest FROM change c WHERE c.key = k.id AND c.n <= ?N ORDER BY c.n DESC LIMIT 1)";
        let sql = format!(
            "SELECT name, a, b FROM (SELECT k.name AS name, {} AS a, {} AS b FROM key k) \
             WHERE a IS NOT b ORDER BY name",
            at.replace("?N", "?1"),
            at.replace("?N", "?2")
        );
        let diff = || {
            let mut statement = self.connection.prepare_cached(&sql)?;
            let rows = statement.query_map([signed(old), signed(new)], |row| {
                let sides = (row.get::<_, Option<KeyDigest>>(1)?, row.get::<_, Option<KeyDigest>>(2)?);
                let action = match sides {
                    (None, _) => KeyAction::Created,
                    (_, None) => KeyAction::Deleted,
                    _ => KeyAction::Changed,
                };
                Ok((row.get(0)?, action))
            })?;
            Ok(rows.collect::<Result<Vec<_>, _>>()?)
        };
        self.in_file(diff())
    }

    /// The number of created, changed and deleted keys of each version, in the order of versions.
    pub fn change_counts(&self) -> Result<HashMap<u64, [u64; 3]>, HistoryError> {
        let counts = || {
            let sql = "SELECT n, digest IS NULL, lag(digest) OVER (PARTITION BY key ORDER BY n) IS NULL FROM change";
            let mut statement = self.connection.prepare_cached(sql)?;
            let mut rows = statement.query([])?;
            let mut counts = HashMap::<u64, [u64; 3]>::new();
            while let Some(row) = rows.next()? {
                let (n, is_gone, is_new) =
                    (row.get::<_, i64>(0)?, row.get::<_, bool>(1)?, row.get::<_, bool>(2)?);
                let counts = counts.entry(n.unsigned_abs()).or_default();
                let [created, changed, deleted] = counts;
                *(match (is_gone, is_new) {
                    (true, _) => deleted,
                    (false, true) => created,
                    (false, false) => changed,
                }) += 1;
            }
            Ok(counts)
        };
        self.in_file(counts())
    }

    /// Gives a version a label, which another one loses if it has it.
    ///
    /// # Errors
    ///
    /// `HIST-REV` if there is no such version, or the label has the form of another name.
    pub fn label(&mut self, n: u64, label: &str, entry: &Entry<'_>) -> Result<(), HistoryError> {
        self.in_file(check_label(label))?;
        self.change(|transaction| {
            if version_where(transaction, "n = ?1", [signed(n)])?.is_none() {
                let reason = "there is no such version";
                return Err(HistoryErrorKind::Revision { name: n.to_string(), reason });
            }
            set_label(transaction, n, label)?;
            crate::lock::record(transaction, "label", Some(n), entry, Some(label))
        })
    }

    /// Removes a label. Returns whether there was one.
    pub fn unlabel(&mut self, label: &str, entry: &Entry<'_>) -> Result<bool, HistoryError> {
        self.change(|transaction| {
            let removed = transaction.execute("DELETE FROM label WHERE name = ?1", [label])?;
            if removed > 0 {
                crate::lock::record(transaction, "unlabel", None, entry, Some(label))?;
            }
            Ok(removed > 0)
        })
    }

    /// All labels with their versions, in alphabetical order.
    pub fn labels(&self) -> Result<Vec<(String, u64)>, HistoryError> {
        let labels = || {
            let mut statement = self.connection.prepare_cached("SELECT name, n FROM label ORDER BY name")?;
            let rows =
                statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?.unsigned_abs())))?;
            Ok(rows.collect::<Result<Vec<_>, _>>()?)
        };
        self.in_file(labels())
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

/// The result of all checks before a version is stored.
enum Checked {
    Same(Version),
    Refused(HistoryErrorKind),
    Accepted { newest: Option<Version>, forced: bool, holder: Option<crate::lock::Lock> },
}

/// §23.6 Decides about a text. The order of the checks is part of the section.
fn checked(
    transaction: &Transaction<'_>,
    facts: &Facts,
    sha_256: [u8; 32],
    entry: &Entry<'_>,
) -> Result<Checked, HistoryErrorKind> {
    let holder = crate::lock::holder(transaction)?;
    let fault = match (&holder, entry.lock_id) {
        (Some(holder), Some(id)) if same_text(&holder.id, id) => None,
        (Some(holder), _) => Some(holder.refusal()),
        (None, Some(_)) => Some(HistoryErrorKind::LockLost),
        (None, None) => entry.needs_lock.then_some(HistoryErrorKind::LockRequired),
    };
    if let Some(fault) = fault {
        return Ok(Checked::Refused(fault));
    }
    let newest = newest(transaction)?;
    if let Some(expected) = entry.if_newest
        && newest.as_ref().map(|newest| newest.sha_256) != Some(expected)
    {
        let newest = newest.map(|newest| hex(&newest.sha_256)).unwrap_or_default();
        return Ok(Checked::Refused(HistoryErrorKind::Changed { newest }));
    }
    let Some(newest) = newest else { return Ok(Checked::Accepted { newest: None, forced: false, holder }) };
    if newest.sha_256 == sha_256 && newest.slot.is_some() {
        return Ok(Checked::Same(newest));
    }
    let fault = match (&newest.lineage, &facts.lineage, newest.serial, facts.serial) {
        _ if newest.is_empty => None,
        (Some(stored), Some(coming), ..) if stored != coming => {
            Some(HistoryErrorKind::Lineage { stored: stored.clone(), coming: coming.clone() })
        }
        (_, _, Some(stored), Some(coming)) if coming <= stored => {
            Some(HistoryErrorKind::Stale { stored, coming })
        }
        _ => None,
    };
    Ok(match fault {
        Some(fault) if !entry.force => Checked::Refused(fault),
        fault => Checked::Accepted { newest: Some(newest), forced: fault.is_some(), holder },
    })
}

#[expect(clippy::too_many_arguments, reason = "the parts of one step, which only `add` takes")]
fn stored(
    transaction: &Transaction<'_>,
    text: &[u8],
    facts: &Facts,
    sha_256: [u8; 32],
    entry: &Entry<'_>,
    newest: Option<&Version>,
    forced: bool,
    holder: Option<crate::lock::Lock>,
) -> Result<Version, HistoryErrorKind> {
    let last: Option<i64> = transaction.query_row("SELECT max(slot) FROM blob", [], |row| row.get(0))?;
    let slot = last.map_or(0, |last| last.unsigned_abs() + 1);
    let stored = write_blob(transaction, slot, text, |base| text_of_slot(transaction, base))?;
    let info = holder.as_ref().map(crate::lock::Lock::facts).unwrap_or_default();
    let owned = |given: Option<&str>, of_lock: Option<String>| given.map(str::to_owned).or(of_lock);
    let mut version = Version {
        n: newest.map_or(1, |newest| newest.n + 1),
        slot: Some(slot),
        length: text.len() as u64,
        sha_256,
        previous: newest.map(|newest| newest.chain).unwrap_or_default(),
        chain: [0; 32],
        time: entry.time,
        source: entry.source.to_owned(),
        serial: facts.serial,
        lineage: facts.lineage.clone(),
        lock_id: entry.lock_id.map(str::to_owned),
        who: owned(entry.who, info.who),
        operation: owned(entry.operation, info.operation),
        client: owned(entry.client, info.client),
        forced,
        dialect: facts.dialect.clone(),
        resources: facts.resources,
        is_empty: facts.is_empty,
        stored,
    };
    version.chain = version.chain_of(&version.previous);
    insert(transaction, &version)?;
    write_changes(transaction, version.n, facts)?;
    if let Some(label) = entry.label {
        set_label(transaction, version.n, label)?;
    }
    if forced {
        let replaced = newest.map(|newest| hex(&newest.sha_256)).unwrap_or_default();
        crate::lock::record(
            transaction,
            "forced",
            Some(version.n),
            entry,
            Some(&format!("replaces {replaced}")),
        )?;
    }
    crate::lock::label_after_blind_unlock(transaction, version.n)?;
    Ok(version)
}

/// Compresses a text into a slot. Returns the stored bytes.
pub(crate) fn write_blob(
    transaction: &Transaction<'_>,
    slot: u64,
    text: &[u8],
    base_text: impl FnOnce(u64) -> Result<Vec<u8>, HistoryErrorKind>,
) -> Result<u64, HistoryErrorKind> {
    write_blob_at(transaction, signed(slot), base_of(slot), text, base_text)
}

/// As [`write_blob`], in a row with another number.
pub(crate) fn write_blob_at(
    transaction: &Transaction<'_>,
    row: i64,
    base: Option<u64>,
    text: &[u8],
    base_text: impl FnOnce(u64) -> Result<Vec<u8>, HistoryErrorKind>,
) -> Result<u64, HistoryErrorKind> {
    /// A patch that is larger than this part of the text may be larger than the text alone.
    const PART: usize = 16;
    let mut best = None;
    if let Some(base) = base {
        // A version that was damaged later costs its successors only their base.
        if let Ok(base_text) = base_text(base) {
            best = Some((Some(signed(base)), compress(&base_text, text)?));
        }
    }
    if best.as_ref().is_none_or(|(_, patch)| patch.len() > text.len() / PART) {
        let whole = compress(b"", text)?;
        if best.as_ref().is_none_or(|(_, patch)| whole.len() <= patch.len()) {
            best = Some((None, whole));
        }
    }
    let (base, stored) = best.unwrap_or_default();
    transaction
        .prepare_cached("INSERT INTO blob (slot, base, len, z) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![row, base, signed(text.len() as u64), stored])?;
    Ok(stored.len() as u64)
}

/// The text in a slot.
pub(crate) fn text_of_slot(connection: &Connection, slot: u64) -> Result<Vec<u8>, HistoryErrorKind> {
    let mut frames = Vec::new();
    let mut next = Some(slot);
    while let Some(slot) = next {
        let frame = frame_of_slot(connection, slot)?;
        next = frame.base;
        frames.push(frame);
    }
    let mut text = Vec::new();
    for frame in frames.iter().rev() {
        text = frame.text(&text)?;
    }
    Ok(text)
}

/// A stored text.
pub(crate) struct Frame {
    pub(crate) base: Option<u64>,
    length: u64,
    stored: Vec<u8>,
}

impl Frame {
    pub(crate) fn text(&self, base: &[u8]) -> Result<Vec<u8>, HistoryErrorKind> {
        decompress(base, &self.stored, self.length).map_err(|error| HistoryErrorKind::Damaged {
            versions: Vec::new(),
            what: format!("a text cannot be decompressed: {error}"),
        })
    }
}

pub(crate) fn frame_of_slot(connection: &Connection, slot: u64) -> Result<Frame, HistoryErrorKind> {
    let mut statement = connection.prepare_cached("SELECT base, len, z FROM blob WHERE slot = ?1")?;
    let frame = statement.query_row([signed(slot)], |row| {
        let base: Option<i64> = row.get(0)?;
        Ok(Frame {
            base: base.map(i64::unsigned_abs),
            length: row.get::<_, i64>(1)?.unsigned_abs(),
            stored: row.get(2)?,
        })
    })?;
    let wrong = |what: &str| HistoryErrorKind::Damaged { versions: Vec::new(), what: what.to_owned() };
    if frame.length > limits::TEXT {
        return Err(wrong("the recorded length of a text is beyond the limit"));
    }
    match frame.base {
        // No other base is possible, so a chain of patches always ends.
        Some(base) if Some(base) != base_of(slot) => Err(wrong("a text has the wrong base")),
        _ => Ok(frame),
    }
}

pub(crate) fn naming(kind: HistoryErrorKind, n: u64) -> HistoryErrorKind {
    match kind {
        HistoryErrorKind::Damaged { versions, what } if versions.is_empty() => {
            HistoryErrorKind::Damaged { versions: vec![n], what }
        }
        other => other,
    }
}

pub(crate) fn another_text(n: u64) -> HistoryErrorKind {
    HistoryErrorKind::Damaged {
        versions: vec![n],
        what: "a text has another SHA-256 than its record".to_owned(),
    }
}

/// The member of a state that a text does not have.
fn missing_member(facts: &Facts) -> Option<&'static str> {
    match (facts.has_version, facts.serial, &facts.lineage) {
        (false, ..) => Some("version"),
        (_, None, _) => Some("serial"),
        (.., None) => Some("lineage"),
        _ => None,
    }
}

fn check_label(label: &str) -> Result<(), HistoryErrorKind> {
    let reason = "a label begins with a letter, has at most 64 letters, digits, `.`, `_`, `-` and `/`, \
                  and is not the beginning of a digest";
    match is_label(label) {
        true => Ok(()),
        false => Err(HistoryErrorKind::Revision { name: label.to_owned(), reason }),
    }
}

pub(crate) fn set_label(transaction: &Transaction<'_>, n: u64, label: &str) -> Result<(), HistoryErrorKind> {
    transaction
        .execute("INSERT OR REPLACE INTO label (name, n) VALUES (?1, ?2)", params![label, signed(n)])?;
    Ok(())
}

/// Writes which keys a version changes.
fn write_changes(transaction: &Transaction<'_>, n: u64, facts: &Facts) -> Result<(), HistoryErrorKind> {
    // An encrypted state has keys, but they cannot be read.
    if facts.dialect.as_deref() == Some(ENCRYPTED) {
        return Ok(());
    }
    let mut known = HashMap::<String, (i64, Option<KeyDigest>)>::new();
    let mut statement = transaction.prepare_cached("SELECT name, id, digest FROM key")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        known.insert(row.get(0)?, (row.get(1)?, row.get(2)?));
    }
    let mut insert = transaction.prepare_cached("INSERT INTO key (name, digest) VALUES (?1, ?2)")?;
    let mut update = transaction.prepare_cached("UPDATE key SET digest = ?2 WHERE id = ?1")?;
    let mut change = transaction.prepare_cached("INSERT INTO change (key, n, digest) VALUES (?1, ?2, ?3)")?;
    for (key, digest) in &facts.keys {
        let id = match known.remove(key) {
            Some((_, Some(before))) if before == *digest => continue,
            Some((id, _)) => {
                update.execute(params![id, digest])?;
                id
            }
            None => insert.insert(params![key, digest])?,
        };
        change.execute(params![id, signed(n), digest])?;
    }
    for (id, _) in known.into_values().filter(|(_, digest)| digest.is_some()) {
        update.execute(params![id, None::<KeyDigest>])?;
        change.execute(params![id, signed(n), None::<KeyDigest>])?;
    }
    Ok(())
}

/// The columns of a version, as [`version_of`] reads them.
const SELECT: &str = "SELECT v.n, v.slot, v.len, v.sha256, v.prev, v.chain, v.time, v.source, v.serial, v.lineage, \
     v.lock_id, v.who, v.operation, v.client, v.forced, v.dialect, v.resources, v.is_empty, \
     coalesce((SELECT length(b.z) FROM blob b WHERE b.slot = v.slot), 0) FROM version v";

pub(crate) fn version_of(row: &Row<'_>) -> rusqlite::Result<Version> {
    let number = |column: usize| Ok::<_, rusqlite::Error>(row.get::<_, i64>(column)?.unsigned_abs());
    let optional =
        |column: usize| Ok::<_, rusqlite::Error>(row.get::<_, Option<i64>>(column)?.map(i64::unsigned_abs));
    Ok(Version {
        n: number(0)?,
        slot: optional(1)?,
        length: number(2)?,
        sha_256: row.get(3)?,
        previous: row.get(4)?,
        chain: row.get(5)?,
        time: row.get(6)?,
        source: row.get(7)?,
        serial: optional(8)?,
        lineage: row.get(9)?,
        lock_id: row.get(10)?,
        who: row.get(11)?,
        operation: row.get(12)?,
        client: row.get(13)?,
        forced: row.get(14)?,
        dialect: row.get(15)?,
        resources: optional(16)?,
        is_empty: row.get(17)?,
        stored: number(18)?,
    })
}

fn insert(transaction: &Transaction<'_>, version: &Version) -> Result<(), HistoryErrorKind> {
    let sql = "INSERT INTO version (n, slot, len, sha256, prev, chain, time, source, serial, lineage, lock_id, who, \
               operation, client, forced, dialect, resources, is_empty) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)";
    transaction.prepare_cached(sql)?.execute(params![
        signed(version.n),
        version.slot.map(signed),
        signed(version.length),
        version.sha_256,
        version.previous,
        version.chain,
        version.time,
        version.source,
        version.serial.map(signed),
        version.lineage,
        version.lock_id,
        version.who,
        version.operation,
        version.client,
        version.forced,
        version.dialect,
        version.resources.map(signed),
        version.is_empty,
    ])?;
    Ok(())
}

pub(crate) fn version_where(
    connection: &Connection,
    condition: &str,
    parameters: impl Params,
) -> Result<Option<Version>, HistoryErrorKind> {
    let mut statement = connection.prepare_cached(&format!("{SELECT} WHERE {condition}"))?;
    Ok(statement.query_row(parameters, version_of).optional()?)
}

pub(crate) fn newest(connection: &Connection) -> Result<Option<Version>, HistoryErrorKind> {
    version_where(connection, "v.n = (SELECT max(n) FROM version)", [])
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
