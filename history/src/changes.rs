//! §23.4 The keys that each version changed.

use crate::error::{HistoryError, HistoryErrorKind};
use crate::facts::{ENCRYPTED, Facts, KeyDigest};
use crate::pack::Pack;
use crate::version::signed;
use rusqlite::{Transaction, params};
use std::collections::HashMap;

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
    /// The versions that changed a key, the oldest first. Costs one search in an index.
    pub fn log(&self, key: &str) -> Result<Vec<(u64, KeyAction)>, HistoryError> {
        let log = || {
            let sql = "SELECT n, digest IS NULL FROM change \
                       WHERE key = (SELECT id FROM key WHERE name = ?1) ORDER BY n";
            let mut statement = self.connection().prepare_cached(sql)?;
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
            let mut statement = self.connection().prepare_cached("SELECT name FROM key ORDER BY name")?;
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
            let mut statement = self.connection().prepare_cached(&sql)?;
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
            let mut statement = self.connection().prepare_cached(sql)?;
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
}

/// Writes which keys a version changes.
pub(crate) fn write_changes(
    transaction: &Transaction<'_>,
    n: u64,
    facts: &Facts,
) -> Result<(), HistoryErrorKind> {
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
