//! Everything into memory, ready for random access.

use super::Job;
use crate::documents::Document;
use crate::measure::{Contender, Sample};
use crate::tree::BorrowedTree;
use coconut_codec::read::file::DocumentFile;

/// The job on any document.
pub(crate) fn job(document: &Document) -> Job<'_> {
    let contenders = vec![
        Contender::new(
            "coconut",
            "checks all blocks; nodes of 8 bytes, shared parts shared, strings in the file",
            || {
                let bytes = document.map("coco");
                move || {
                    // A file caches its checked blocks, so each run opens its own.
                    let file = DocumentFile::from_data(&bytes[..]).expect("a good file");
                    Sample::of(|| file.view().tree().expect("a good file"))
                }
            },
        ),
        Contender::new("serde_json", "a `Value` that keeps the order; owned strings", || {
            let text = document.text();
            move || Sample::of(|| serde_json::from_slice::<serde_json::Value>(&text).expect("JSON"))
        }),
        Contender::new("sonic-rs", "its `Value`, an arena", || {
            let text = document.text();
            move || Sample::of(|| sonic_rs::from_slice::<sonic_rs::Value>(&text).expect("JSON"))
        }),
        Contender::new("simd-json", "its borrowed value, and the copy of the text that it needs", || {
            let text = document.text();
            let (mut copy, mut buffers) = (Vec::new(), simd_json::Buffers::new(text.len()));
            move || {
                Sample::of(|| {
                    copy.clear();
                    copy.extend_from_slice(&text);
                    simd_json::to_borrowed_value_with_buffers(&mut copy, &mut buffers).map(drop)
                })
            }
        }),
        Contender::new("rmp-serde borrowed", "a tree with borrowed strings", || {
            let bytes = document.map("msgpack");
            move || Sample::of(|| rmp_serde::from_slice::<BorrowedTree<'_>>(&bytes).expect("msgpack"))
        }),
        Contender::new("rmp-serde owned", "a `serde_json::Value`", || {
            let bytes = document.map("msgpack");
            move || Sample::of(|| rmp_serde::from_slice::<serde_json::Value>(&bytes).expect("msgpack"))
        }),
        Contender::new("ciborium", "a `serde_json::Value`", || {
            let bytes = document.map("cbor");
            move || Sample::of(|| ciborium::from_reader::<serde_json::Value, _>(&bytes[..]).expect("CBOR"))
        }),
        Contender::new("flexbuffers", "a `serde_json::Value`", || {
            let bytes = document.map("flexbuffers");
            move || Sample::of(|| flexbuffers::from_slice::<serde_json::Value>(&bytes).expect("flexbuffers"))
        }),
    ];
    Job {
        name: "load",
        document,
        ours: "coconut",
        contenders,
        goals: vec![("serde_json", 8.0, 12.0), ("sonic-rs", 2.0, 3.0), ("rmp-serde borrowed", 2.5, 5.0)],
        items: None,
    }
}
