//! §23.7 Removal of old texts.

use crate::delta::base_of;
use crate::entry::Entry;
use crate::error::{HistoryError, HistoryErrorKind};
use crate::pack::Pack;
use crate::records::version_of;
use crate::slots::write_blob_at;
use crate::texts::Texts;
use crate::time::DAY;
use crate::version::{Version, signed};
use rusqlite::{Transaction, params};
use std::collections::BTreeSet;

/// The versions whose texts stay. A text stays if any rule keeps it. The newest and those with a
/// label always stay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retention {
    /// The newest versions, so many. Of the versions of one run, only the last counts.
    pub last: usize,
    /// The newest version of each of so many days (UTC) with versions.
    pub daily: usize,
    /// The newest version of each of so many weeks (from Monday, UTC) with versions.
    pub weekly: usize,
}

/// The result of a removal.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pruned {
    /// The versions whose texts are removed.
    pub removed: Vec<u64>,
    /// The versions whose texts stay.
    pub kept: Vec<u64>,
}

impl Pack {
    /// The texts that [`Pack::prune`] would remove.
    ///
    /// # Errors
    ///
    /// An error if the rules keep nothing.
    pub fn would_prune(&self, retention: &Retention) -> Result<Pruned, HistoryError> {
        let chosen = || chosen(&self.versions_with_texts()?, &self.labelled()?, retention);
        self.in_file(chosen())
    }

    /// Removes old texts, in one transaction. The records of these versions stay, so the chain of
    /// digests can still be verified, and changes of keys move to the next version that stays.
    ///
    /// Costs one decompression and one compression for each version that stays. Then the file is
    /// rewritten, which needs as much room as the file has; without it, the file keeps its size.
    ///
    /// # Errors
    ///
    /// An error if the rules keep nothing; `HIST-DAMAGED` if a text that stays cannot be read. Then
    /// nothing changes.
    pub fn prune(
        &mut self,
        retention: &Retention,
        entry: &Entry<'_>,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Pruned, HistoryError> {
        let pruned = self.change(|transaction| {
            let versions = with_texts(transaction)?;
            let pruned = chosen(&versions, &labelled(transaction)?, retention)?;
            if pruned.removed.is_empty() {
                return Ok(pruned);
            }
            rewrite_texts(transaction, &versions, &pruned, progress)?;
            for &n in &pruned.removed {
                move_changes(transaction, n, &pruned.kept)?;
            }
            let first = versions.iter().find(|version| pruned.kept.contains(&version.n));
            transaction.execute(
                "DELETE FROM event WHERE kind IN ('lock', 'unlock') AND time < ?1",
                [first.map_or(i64::MIN, |first| first.time)],
            )?;
            let note = format!("{} texts removed, {} kept", pruned.removed.len(), pruned.kept.len());
            crate::lock::record(transaction, "prune", None, entry, Some(&note))?;
            Ok(pruned)
        })?;
        if !pruned.removed.is_empty() {
            // The removal is done. Without room for a second file, this one only keeps its size.
            let _ = self.connection().execute_batch("VACUUM");
            let _ = self.checkpoint();
        }
        Ok(pruned)
    }

    fn versions_with_texts(&self) -> Result<Vec<Version>, HistoryErrorKind> {
        with_texts(self.connection())
    }

    fn labelled(&self) -> Result<BTreeSet<u64>, HistoryErrorKind> {
        labelled(self.connection())
    }
}

fn with_texts(connection: &rusqlite::Connection) -> Result<Vec<Version>, HistoryErrorKind> {
    let sql = "SELECT n, slot, len, sha256, prev, chain, time, source, serial, lineage, lock_id, who, operation, client, \
               forced, dialect, resources, is_empty, 0 FROM version WHERE slot IS NOT NULL ORDER BY n";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([], version_of)?;
    Ok(rows.collect::<Result<Vec<_>, _>>()?)
}

fn labelled(connection: &rusqlite::Connection) -> Result<BTreeSet<u64>, HistoryErrorKind> {
    let mut statement = connection.prepare_cached("SELECT n FROM label")?;
    let rows = statement.query_map([], |row| Ok(row.get::<_, i64>(0)?.unsigned_abs()))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Applies the rules.
fn chosen(
    versions: &[Version],
    labelled: &BTreeSet<u64>,
    retention: &Retention,
) -> Result<Pruned, HistoryErrorKind> {
    if *retention == Retention::default() {
        return Err(HistoryErrorKind::KeepsNothing);
    }
    let mut kept: BTreeSet<u64> =
        versions.iter().map(|version| version.n).filter(|n| labelled.contains(n)).collect();
    kept.extend(versions.last().map(|version| version.n));
    let ends_run = |position: usize, version: &Version| {
        let next = versions.get(position + 1);
        version.lock_id.is_none() || next.is_none_or(|next| next.lock_id != version.lock_id)
    };
    let ends = || versions.iter().enumerate().rev().filter(|(at, version)| ends_run(*at, version));
    kept.extend(ends().take(retention.last).map(|(_, version)| version.n));
    // 1970 began on a Thursday.
    for (most, length, shift) in [(retention.daily, DAY, 0), (retention.weekly, 7 * DAY, 3 * DAY)] {
        let mut seen = BTreeSet::new();
        for version in versions.iter().rev() {
            let period = (version.time.saturating_add(shift)).div_euclid(length);
            if seen.len() < most && seen.insert(period) {
                kept.insert(version.n);
            }
        }
    }
    let removed = versions.iter().map(|version| version.n).filter(|n| !kept.contains(n)).collect();
    Ok(Pruned { removed, kept: kept.into_iter().collect() })
}

/// Writes the texts that stay into new slots. Until the old ones are removed, these have negative
/// numbers.
fn rewrite_texts(
    transaction: &Transaction<'_>,
    versions: &[Version],
    pruned: &Pruned,
    progress: &mut dyn FnMut(u64),
) -> Result<(), HistoryErrorKind> {
    let (mut old, mut new) = (Texts::default(), Texts::default());
    let stay = versions.iter().filter(|version| pruned.kept.binary_search(&version.n).is_ok());
    let mut slots = Vec::new();
    for (slot, version) in (0u64..).zip(stay) {
        let Some(old_slot) = version.slot else { continue };
        let text = old
            .of_slot(transaction, old_slot)
            .map_err(|kind| crate::slots::naming(kind, version.n))?
            .to_vec();
        use sha2::Digest as _;
        if <[u8; 32]>::from(sha2::Sha256::digest(&text)) != version.sha_256 {
            return Err(crate::slots::another_text(version.n));
        }
        let base = base_of(slot);
        write_blob_at(transaction, -1 - signed(slot), base, &text, |base| {
            Ok(new.held(base).unwrap_or_default().to_vec())
        })?;
        new.push(slot, text);
        slots.push((version.n, slot));
        progress(version.n);
    }
    transaction.execute("DELETE FROM blob WHERE slot >= 0", [])?;
    transaction.execute("UPDATE version SET slot = NULL", [])?;
    let mut update = transaction.prepare_cached("UPDATE version SET slot = ?2 WHERE n = ?1")?;
    let mut move_blob = transaction.prepare_cached("UPDATE blob SET slot = ?1 WHERE slot = ?2")?;
    for (n, slot) in slots {
        move_blob.execute([signed(slot), -1 - signed(slot)])?;
        update.execute([signed(n), signed(slot)])?;
    }
    Ok(())
}

/// Moves the changes of a version to the next one that stays, and removes those that are undone
/// there.
fn move_changes(transaction: &Transaction<'_>, n: u64, kept: &[u64]) -> Result<(), HistoryErrorKind> {
    let Some(&next) = kept.iter().find(|&&stays| stays > n) else { return Ok(()) };
    let (n, next) = (signed(n), signed(next));
    transaction.execute(
        "DELETE FROM change WHERE n = ?1 AND EXISTS \
         (SELECT 1 FROM change later WHERE later.key = change.key AND later.n > ?1 AND later.n <= ?2)",
        params![n, next],
    )?;
    transaction.execute("UPDATE change SET n = ?2 WHERE n = ?1", params![n, next])?;
    transaction.execute(
        "DELETE FROM change WHERE n = ?1 AND digest IS (SELECT before.digest FROM change before \
         WHERE before.key = change.key AND before.n < ?1 ORDER BY before.n DESC LIMIT 1)",
        [next],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(n: u64, day: i64, lock: Option<&str>) -> Version {
        let lock_id = lock.map(str::to_owned);
        Version { n, time: day * DAY, lock_id, slot: Some(n), ..Version::default() }
    }

    #[test]
    fn a_version_stays_if_any_rule_keeps_it() {
        // 1970-01-05 was a Monday: day 4.
        let days = [0, 0, 3, 4, 10, 11, 11];
        let versions: Vec<Version> = (1..).zip(days).map(|(n, day)| version(n, day, None)).collect();
        let kept = |retention| chosen(&versions, &BTreeSet::from([2]), &retention).unwrap().kept;
        let nothing = Retention::default();
        assert!(matches!(chosen(&versions, &BTreeSet::new(), &nothing), Err(HistoryErrorKind::KeepsNothing)));
        assert_eq!(kept(Retention { last: 1, ..nothing }), [2, 7]);
        assert_eq!(kept(Retention { last: 3, ..nothing }), [2, 5, 6, 7]);
        assert_eq!(kept(Retention { daily: 2, ..nothing }), [2, 5, 7]);
        assert_eq!(kept(Retention { weekly: 3, ..nothing }), [2, 3, 5, 7]);
        assert_eq!(kept(Retention { last: 100, ..nothing }), [1, 2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn of_a_run_only_the_last_version_counts() {
        let locks = ["a", "a", "a", "b", "b", "c"];
        let versions: Vec<Version> = (1..).zip(locks).map(|(n, lock)| version(n, 0, Some(lock))).collect();
        let pruned = chosen(&versions, &BTreeSet::new(), &Retention { last: 3, ..Retention::default() });
        assert_eq!(pruned.unwrap(), Pruned { removed: vec![1, 2, 4], kept: vec![3, 5, 6] });
    }
}
