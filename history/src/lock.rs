//! §23.6 The lock of a pack, and the events that are not versions.

use crate::entry::Entry;
use crate::error::{HistoryError, HistoryErrorKind};
use crate::limits;
use crate::pack::Pack;
use crate::records::newest;
use crate::version::signed;
use coconut_codec::compile::{CompileOptions, compile};
use coconut_codec::read::file::DocumentFile;
use rusqlite::{Connection, OptionalExtension as _, Transaction, params};

/// The lock of a pack. It is kept until it is freed: there is no expiry.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lock {
    /// The ID.
    pub id: String,
    /// All information, as it was sent.
    pub info: String,
    /// The time, in milliseconds since 1970 UTC.
    pub time: i64,
    /// The account of the server.
    pub account: Option<String>,
    /// The address of the client.
    pub address: Option<String>,
}

/// The facts of a lock that versions record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LockFacts {
    /// The ID.
    pub id: Option<String>,
    /// The user.
    pub who: Option<String>,
    /// The operation.
    pub operation: Option<String>,
    /// The version of the client.
    pub client: Option<String>,
}

impl LockFacts {
    /// Reads the information that a client sends: a JSON object of strings. `None` for other texts.
    pub fn parse(info: &str) -> Option<LockFacts> {
        let options = CompileOptions::default().format(coconut_codec::text::SourceFormat::Json);
        let compiled = compile(info.as_bytes(), &options).ok()?;
        let document = DocumentFile::from_data(compiled.bytes).ok()?;
        let object = document.view().root().as_object().ok()??;
        let text = |key: &str| {
            let text = object.get(key).ok()??.as_str().ok()??;
            (!text.is_empty()).then(|| text.to_owned())
        };
        Some(LockFacts {
            id: text("ID"),
            who: text("Who"),
            operation: text("Operation"),
            client: text("Version"),
        })
    }
}

impl Lock {
    /// The facts of its information.
    pub fn facts(&self) -> LockFacts {
        LockFacts::parse(&self.info).unwrap_or_default()
    }

    pub(crate) fn refusal(&self) -> HistoryErrorKind {
        HistoryErrorKind::Locked { id: self.id.clone(), info: self.info.clone() }
    }
}

/// The lock that an unlock is meant for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unlock<'u> {
    /// The one with this ID.
    Id(&'u str),
    /// Any, because the client does not send the ID. Labels the next version.
    Blind,
    /// None: an unlock without an ID is refused.
    BlindRefused,
}

/// Something that happened to a pack.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event {
    /// The time, in milliseconds since 1970 UTC.
    pub time: i64,
    /// `lock`, `unlock`, `blind-unlock`, `refused`, `forced`, `label`, `unlabel`, `prune`,
    /// `restore`.
    pub kind: String,
    /// The version that it concerns. For `blind-unlock`, the next one.
    pub n: Option<u64>,
    /// The ID of the lock.
    pub lock_id: Option<String>,
    /// The account of the server.
    pub account: Option<String>,
    /// The address of the client.
    pub address: Option<String>,
    /// The details.
    pub note: Option<String>,
}

impl Pack {
    /// Takes the lock. To take it twice with the same ID is no error, because the first answer may
    /// have been lost.
    ///
    /// # Errors
    ///
    /// `HIST-LOCKED` with the information of the holder.
    pub fn lock(&mut self, id: &str, info: &str, entry: &Entry<'_>) -> Result<(), HistoryError> {
        if info.len() > limits::LOCK_INFO {
            return self.in_file(Err(HistoryErrorKind::TooLong { length: info.len() as u64 }));
        }
        self.change(|transaction| match holder(transaction)? {
            Some(holder) if same_text(&holder.id, id) => Ok(()),
            Some(holder) => Err(holder.refusal()),
            None => {
                let sql =
                    "INSERT INTO lock (one, id, info, time, account, address) VALUES (1, ?1, ?2, ?3, ?4, ?5)";
                transaction.execute(sql, params![id, info, entry.time, entry.account, entry.address])?;
                record(transaction, "lock", None, &Entry { lock_id: Some(id), ..entry.clone() }, None)
            }
        })
    }

    /// Frees the lock. Returns the one that was held. To free it twice is no error, because the
    /// first answer may have been lost.
    ///
    /// # Errors
    ///
    /// `HIST-LOCKED` with the information of the holder.
    pub fn unlock(&mut self, unlock: Unlock<'_>, entry: &Entry<'_>) -> Result<Option<Lock>, HistoryError> {
        self.change(|transaction| {
            let Some(holder) = holder(transaction)? else { return Ok(None) };
            let kind = match unlock {
                Unlock::Id(id) if same_text(&holder.id, id) => "unlock",
                Unlock::Id(_) => return Err(holder.refusal()),
                Unlock::BlindRefused => return Err(HistoryErrorKind::BlindUnlock { info: holder.info }),
                Unlock::Blind => "blind-unlock",
            };
            transaction.execute("DELETE FROM lock", [])?;
            // The next version gets a label.
            let next = newest(transaction)?.map_or(1, |newest| newest.n + 1);
            let n = (kind == "blind-unlock").then_some(next);
            record(transaction, kind, n, &Entry { lock_id: Some(&holder.id), ..entry.clone() }, None)?;
            Ok(Some(holder))
        })
    }

    /// The lock, if it is held.
    pub fn holder(&self) -> Result<Option<Lock>, HistoryError> {
        self.in_file(holder(self.connection()))
    }

    /// The newest events, the newest first.
    pub fn events(&self, most: u32) -> Result<Vec<Event>, HistoryError> {
        let events = || {
            let sql =
                "SELECT time, kind, n, lock_id, account, address, note FROM event ORDER BY id DESC LIMIT ?1";
            let mut statement = self.connection().prepare_cached(sql)?;
            let rows = statement.query_map([most], |row| {
                Ok(Event {
                    time: row.get(0)?,
                    kind: row.get(1)?,
                    n: row.get::<_, Option<i64>>(2)?.map(i64::unsigned_abs),
                    lock_id: row.get(3)?,
                    account: row.get(4)?,
                    address: row.get(5)?,
                    note: row.get(6)?,
                })
            })?;
            Ok(rows.collect::<Result<Vec<_>, _>>()?)
        };
        self.in_file(events())
    }
}

/// Appends an event.
pub(crate) fn record(
    transaction: &Transaction<'_>,
    kind: &str,
    n: Option<u64>,
    entry: &Entry<'_>,
    note: Option<&str>,
) -> Result<(), HistoryErrorKind> {
    let sql = "INSERT INTO event (time, kind, n, lock_id, account, address, note) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    transaction.prepare_cached(sql)?.execute(params![
        entry.time,
        kind,
        n.map(signed),
        entry.lock_id,
        entry.account,
        entry.address,
        note
    ])?;
    Ok(())
}

pub(crate) fn holder(connection: &Connection) -> Result<Option<Lock>, HistoryErrorKind> {
    let mut statement = connection.prepare_cached("SELECT id, info, time, account, address FROM lock")?;
    let lock = statement.query_row([], |row| {
        Ok(Lock {
            id: row.get(0)?,
            info: row.get(1)?,
            time: row.get(2)?,
            account: row.get(3)?,
            address: row.get(4)?,
        })
    });
    Ok(lock.optional()?)
}

/// Compares two secrets in a time that does not depend on where they differ.
pub fn same_text(a: &str, b: &str) -> bool {
    let differences = a.bytes().zip(b.bytes()).fold(0, |found, (a, b)| found | (a ^ b));
    std::hint::black_box(differences) == 0 && a.len() == b.len()
}
