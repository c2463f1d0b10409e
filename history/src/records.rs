//! §23.2 The records of versions.

use crate::error::HistoryErrorKind;
use crate::version::{Version, signed};
use rusqlite::{Connection, OptionalExtension as _, Params, Row, Transaction, params};

/// The columns of a version, as [`version_of`] reads them.
const SELECT: &str = "SELECT v.n, v.slot, v.len, v.sha256, v.prev, v.chain, v.time, v.source, v.serial, v.lineage, \
     v.lock_id, v.who, v.operation, v.client, v.forced, v.dialect, v.resources, v.is_empty, \
     coalesce((SELECT length(b.z) FROM blob b WHERE b.slot = v.slot), 0) FROM version v";

pub(crate) fn all(connection: &Connection) -> Result<Vec<Version>, HistoryErrorKind> {
    let mut statement = connection.prepare_cached(&format!("{SELECT} ORDER BY v.n"))?;
    let rows = statement.query_map([], version_of)?;
    Ok(rows.collect::<Result<Vec<_>, _>>()?)
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

pub(crate) fn insert(transaction: &Transaction<'_>, version: &Version) -> Result<(), HistoryErrorKind> {
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
