//! Rows of a known form, for peers that have a schema: a name, by which they are sorted, and five
//! fields more.

use crate::documents::Document;
use crate::rows_capnp as cp;
use crate::rows_flatbuffers as fb;
use anyhow::Result;
use capnp::message::{Builder, HeapAllocator};
use coconut_tests::generate::Random;
use rkyv::rancor::Error as RkyvError;
use rusqlite::Connection;
use serde::{Deserialize, Serialize};
use std::fs;

/// The document with this number of rows.
pub(crate) const NAME: &str = "rows-10000";
pub(crate) const COUNT: usize = 10_000;

/// The data that every peer writes, and the result of a lookup.
#[derive(
    Clone, Debug, PartialEq, Serialize, Deserialize, rkyv::Archive, rkyv::Serialize, rkyv::Deserialize,
)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) region: String,
    pub(crate) port: u32,
    pub(crate) enabled: bool,
    pub(crate) note: String,
}

/// The name of a row.
pub(crate) fn name(number: usize) -> String {
    format!("service-{number:05}")
}

/// The rows, the same on every machine.
pub(crate) fn rows() -> Vec<Row> {
    let mut random = Random::new(1);
    let mut row = |number| Row {
        name: name(number),
        kind: ["web", "worker", "queue", "store", "gateway"][random.below(5)].to_owned(),
        region: ["eu-west-1", "eu-central-1", "us-east-1", "us-west-2"][random.below(4)].to_owned(),
        port: 8000 + u32::try_from(random.below(1000)).expect("below 1000"),
        enabled: random.below(4) > 0,
        note: format!("owned by team {}, see ticket {}", random.below(40), random.below(100_000)),
    };
    (0..COUNT).map(&mut row).collect()
}

/// Creates the forms that only these rows have.
pub(crate) fn make_forms(document: &Document) -> Result<()> {
    let rows = rows();
    document.remake("coco", || Ok(coconut_codec::to_vec(&rows)?))?;
    document.make("rkyv.rows", || Ok(to_rkyv(&rows).to_vec()))?;
    document.make("flatbuffers", || Ok(to_flatbuffers(&rows)))?;
    document.make("capnp", || Ok(to_capnp(&rows)))?;
    if !document.path("sqlite").exists() {
        let unfinished = document.path("sqlite.unfinished");
        fill_database(Connection::open(&unfinished)?, &rows)?;
        fs::rename(unfinished, document.path("sqlite"))?;
    }
    Ok(())
}

pub(crate) fn to_rkyv(rows: &Vec<Row>) -> rkyv::util::AlignedVec {
    rkyv::to_bytes::<RkyvError>(rows).expect("rows can be written")
}

pub(crate) fn to_flatbuffers(rows: &[Row]) -> Vec<u8> {
    let mut builder = flatbuffers::FlatBufferBuilder::new();
    let mut made = Vec::with_capacity(rows.len());
    for row in rows {
        let args = fb::RowArgs {
            name: Some(builder.create_string(&row.name)),
            // Few and repeated: the builder stores each once.
            kind: Some(builder.create_shared_string(&row.kind)),
            region: Some(builder.create_shared_string(&row.region)),
            port: row.port,
            enabled: row.enabled,
            note: Some(builder.create_string(&row.note)),
        };
        made.push(fb::Row::create(&mut builder, &args));
    }
    let rows = Some(builder.create_vector(&made));
    let root = fb::Rows::create(&mut builder, &fb::RowsArgs { rows });
    builder.finish(root, None);
    builder.finished_data().to_vec()
}

pub(crate) fn to_capnp(rows: &[Row]) -> Vec<u8> {
    // One segment of about the needed size.
    let words = u32::try_from(rows.len() * 20).expect("few rows");
    let mut message = Builder::new(HeapAllocator::new().first_segment_words(words));
    let count = u32::try_from(rows.len()).expect("few rows");
    let mut list = message.init_root::<cp::rows::Builder<'_>>().init_rows(count);
    for (number, row) in (0..).zip(rows) {
        let mut made = list.reborrow().get(number);
        made.set_name(&row.name);
        made.set_kind(&row.kind);
        made.set_region(&row.region);
        made.set_port(row.port);
        made.set_enabled(row.enabled);
        made.set_note(&row.note);
    }
    capnp::serialize::write_message_to_words(&message)
}

pub(crate) fn fill_database(mut database: Connection, rows: &[Row]) -> Result<Connection> {
    let columns = "name TEXT PRIMARY KEY, kind TEXT, region TEXT, port INTEGER, enabled INTEGER, note TEXT";
    database.execute(&format!("CREATE TABLE row ({columns}) WITHOUT ROWID"), ())?;
    let transaction = database.transaction()?;
    {
        let mut insert = transaction.prepare("INSERT INTO row VALUES (?, ?, ?, ?, ?, ?)")?;
        for row in rows {
            insert.execute((&row.name, &row.kind, &row.region, row.port, row.enabled, &row.note))?;
        }
    }
    transaction.commit()?;
    Ok(database)
}
