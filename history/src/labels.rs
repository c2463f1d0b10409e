//! Labels: names that users give to versions.

use crate::entry::Entry;
use crate::error::{HistoryError, HistoryErrorKind};
use crate::lock::record;
use crate::pack::Pack;
use crate::records::version_where;
use crate::revision::is_label;
use crate::version::signed;
use rusqlite::{Transaction, params};

impl Pack {
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
            record(transaction, "label", Some(n), entry, Some(label))
        })
    }

    /// Removes a label. Returns whether there was one.
    pub fn unlabel(&mut self, label: &str, entry: &Entry<'_>) -> Result<bool, HistoryError> {
        self.change(|transaction| {
            let removed = transaction.execute("DELETE FROM label WHERE name = ?1", [label])?;
            if removed > 0 {
                record(transaction, "unlabel", None, entry, Some(label))?;
            }
            Ok(removed > 0)
        })
    }

    /// All labels with their versions, in alphabetical order.
    pub fn labels(&self) -> Result<Vec<(String, u64)>, HistoryError> {
        let labels = || {
            let mut statement =
                self.connection().prepare_cached("SELECT name, n FROM label ORDER BY name")?;
            let rows =
                statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?.unsigned_abs())))?;
            Ok(rows.collect::<Result<Vec<_>, _>>()?)
        };
        self.in_file(labels())
    }
}

pub(crate) fn check_label(label: &str) -> Result<(), HistoryErrorKind> {
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

/// Labels a version if the lock before it was freed without its ID.
pub(crate) fn label_after_blind_unlock(
    transaction: &Transaction<'_>,
    n: u64,
) -> Result<(), HistoryErrorKind> {
    let sql = "SELECT EXISTS (SELECT 1 FROM event WHERE kind = 'blind-unlock' AND n = ?1)";
    if !transaction.prepare_cached(sql)?.query_row([signed(n)], |row| row.get::<_, bool>(0))? {
        return Ok(());
    }
    let label = format!("after-blind-unlock-{n}");
    set_label(transaction, n, &label)?;
    record(transaction, "label", Some(n), &Entry::default(), Some(&label))
}
