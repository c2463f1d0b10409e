//! The files that the peers read: each document in each peer's own format.

use crate::checkpoint::{Checkpoint, Indexed};
use crate::documents::Document;
use anyhow::Result;
use coconut_codec::Profile;
use coconut_codec::compile::{CompileOptions, compile};
use std::fs;

/// Creates the default form of this project.
pub(crate) fn make_own(document: &Document, form: &str, profile: Profile) -> Result<()> {
    let options = CompileOptions { profile, ..CompileOptions::default() };
    document.remake(form, || Ok(compile(&document.text(), &options)?.bytes))?;
    Ok(())
}

/// Creates the forms that every document has.
pub(crate) fn make(document: &Document) -> Result<()> {
    make_own(document, "coco", Profile::Full)?;
    make_own(document, "plain.coco", Profile::Plain)?;
    make_own(document, "transport.coco", Profile::Transport)?;
    let text = document.text();
    document.make("msgpack", || {
        let value: serde_json::Value = serde_json::from_slice(&text)?;
        Ok(rmp_serde::to_vec_named(&value)?)
    })?;
    document.make("cbor", || {
        let value: serde_json::Value = serde_json::from_slice(&text)?;
        let mut bytes = Vec::new();
        ciborium::into_writer(&value, &mut bytes)?;
        Ok(bytes)
    })?;
    document.make("flexbuffers", || {
        let value: serde_json::Value = serde_json::from_slice(&text)?;
        Ok(flexbuffers::to_vec(&value)?)
    })?;
    Ok(())
}

/// Creates the forms of formats that require the types: only checkpoints have some.
pub(crate) fn make_typed(document: &Document) -> Result<()> {
    let text = document.text();
    let read = || serde_json::from_slice::<Checkpoint>(&text);
    document.make("postcard", || Ok(postcard::to_stdvec(&read()?)?))?;
    document.make("bincode", || Ok(bincode::serde::encode_to_vec(&read()?, bincode::config::standard())?))?;
    document.make("rkyv", || {
        let document = read()?;
        let resources = (0..).zip(&document.checkpoint.latest.resources);
        let by_urn = resources.map(|(number, resource)| (resource.urn.clone(), number)).collect();
        Ok(rkyv::to_bytes::<rkyv::rancor::Error>(&Indexed { document, by_urn })?.to_vec())
    })?;
    make_database(document, &read()?)
}

/// One row a resource, its JSON as the body.
fn make_database(document: &Document, checkpoint: &Checkpoint) -> Result<()> {
    let path = document.path("sqlite");
    if path.exists() {
        return Ok(());
    }
    let unfinished = document.path("sqlite.unfinished");
    let mut database = rusqlite::Connection::open(&unfinished)?;
    database.execute("CREATE TABLE resource (urn TEXT PRIMARY KEY, body TEXT) WITHOUT ROWID", ())?;
    let transaction = database.transaction()?;
    {
        let mut insert = transaction.prepare("INSERT INTO resource VALUES (?, ?)")?;
        for resource in &checkpoint.checkpoint.latest.resources {
            insert.execute((&resource.urn, serde_json::to_string(resource)?))?;
        }
    }
    transaction.commit()?;
    drop(database);
    fs::rename(unfinished, path)?;
    Ok(())
}
