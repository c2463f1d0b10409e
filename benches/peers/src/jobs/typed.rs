//! Everything into the types of a user: with owned strings, and with strings borrowed from the
//! input.

use super::Job;
use crate::checkpoint::{ArchivedIndexed, Borrowed, Checkpoint, Indexed};
use crate::documents::Document;
use crate::measure::{Contender, Sample};
use coconut_codec::read::file::DocumentFile;
use coconut_codec::serde::from_view;
use rkyv::rancor::Error as RkyvError;
use std::cell::OnceCell;

/// The job on a checkpoint.
pub(crate) fn job(document: &Document) -> Job<'_> {
    let contenders = vec![
        Contender::new("coconut", "checks all blocks", || {
            let bytes = document.map("coco");
            move || {
                Sample::of(|| {
                    let file = DocumentFile::from_data(&bytes[..]).expect("a good file");
                    from_view::<Checkpoint>(file.view().root()).expect("a checkpoint")
                })
            }
        }),
        Contender::new("serde_json", "", || {
            let text = document.text();
            move || Sample::of(|| serde_json::from_slice::<Checkpoint>(&text).expect("JSON"))
        }),
        Contender::new("sonic-rs", "", || {
            let text = document.text();
            move || Sample::of(|| sonic_rs::from_slice::<Checkpoint>(&text).expect("JSON"))
        }),
        Contender::new("simd-json", "with the copy of the text that it needs", || {
            let text = document.text();
            let (mut copy, mut buffers) = (Vec::new(), simd_json::Buffers::new(text.len()));
            move || {
                Sample::of(|| {
                    copy.clear();
                    copy.extend_from_slice(&text);
                    simd_json::serde::from_slice_with_buffers::<Checkpoint>(&mut copy, &mut buffers)
                        .expect("JSON")
                })
            }
        }),
        Contender::new("rmp-serde named", "", || {
            let bytes = document.map("msgpack");
            move || Sample::of(|| rmp_serde::from_slice::<Checkpoint>(&bytes).expect("msgpack"))
        }),
        Contender::new("ciborium", "", || {
            let bytes = document.map("cbor");
            move || Sample::of(|| ciborium::from_reader::<Checkpoint, _>(&bytes[..]).expect("CBOR"))
        }),
        Contender::new("postcard", "not self-describing", || {
            let bytes = document.map("postcard");
            move || Sample::of(|| postcard::from_bytes::<Checkpoint>(&bytes).expect("postcard"))
        }),
        Contender::new("bincode", "not self-describing", || {
            let bytes = document.map("bincode");
            let config = bincode::config::standard();
            move || {
                Sample::of(|| {
                    bincode::serde::decode_from_slice::<Checkpoint, _>(&bytes, config).expect("bincode").0
                })
            }
        }),
        Contender::new("rkyv checked", "not self-describing; with its index", || {
            let bytes = document.map("rkyv");
            move || Sample::of(|| rkyv::from_bytes::<Indexed, RkyvError>(&bytes).expect("rkyv").document)
        }),
        Contender::new("rkyv unchecked", "not self-describing; checks nothing", || {
            let bytes = document.map("rkyv");
            move || {
                Sample::of(|| {
                    // SAFETY: the file was written by this program. This peer takes that risk.
                    let root = unsafe { rkyv::access_unchecked::<ArchivedIndexed>(&bytes) };
                    rkyv::deserialize::<Checkpoint, RkyvError>(&root.document).expect("rkyv")
                })
            }
        }),
    ];
    let goals = vec![("serde_json", 2.0, 3.0), ("rmp-serde named", 1.15, 1.5)];
    Job { name: "load typed", document, ours: "coconut", contenders, goals, items: None }
}

/// The job on a checkpoint, for callers that keep the input as long as the result. Only peers whose
/// input marks strings take part.
pub(crate) fn borrowed_job(document: &Document) -> Job<'_> {
    let contenders = vec![
        Contender::new("coconut", "checks all blocks; strings of the file", || {
            let bytes = document.map("coco");
            move || {
                let file = OnceCell::new();
                Sample::of(|| {
                    let file = file.get_or_init(|| DocumentFile::from_data(&bytes[..]).expect("a good file"));
                    from_view::<Checkpoint<Borrowed<'_>>>(file.view().root()).expect("a checkpoint")
                })
            }
        }),
        Contender::new("serde_json", "strings of the text, except those with escapes", || {
            let text = document.text();
            move || Sample::of(|| serde_json::from_slice::<Checkpoint<Borrowed<'_>>>(&text).expect("JSON"))
        }),
        Contender::new("sonic-rs", "strings of the text, except those with escapes", || {
            let text = document.text();
            move || Sample::of(|| sonic_rs::from_slice::<Checkpoint<Borrowed<'_>>>(&text).expect("JSON"))
        }),
        Contender::new("simd-json", "strings of the copy of the text that it needs", || {
            let text = document.text();
            let (mut copy, mut buffers) = (Vec::new(), simd_json::Buffers::new(text.len()));
            move || {
                Sample::of(|| {
                    copy.clear();
                    copy.extend_from_slice(&text);
                    simd_json::serde::from_slice_with_buffers::<Checkpoint<Borrowed<'_>>>(
                        &mut copy,
                        &mut buffers,
                    )
                    .expect("JSON")
                })
            }
        }),
        Contender::new("rmp-serde named", "strings of the file", || {
            let bytes = document.map("msgpack");
            move || Sample::of(|| rmp_serde::from_slice::<Checkpoint<Borrowed<'_>>>(&bytes).expect("msgpack"))
        }),
        Contender::new("postcard", "not self-describing; strings of the file", || {
            let bytes = document.map("postcard");
            move || Sample::of(|| postcard::from_bytes::<Checkpoint<Borrowed<'_>>>(&bytes).expect("postcard"))
        }),
    ];
    let goals = vec![("serde_json", 2.0, 3.0), ("rmp-serde named", 1.15, 1.5)];
    Job { name: "load borrowed", document, ours: "coconut", contenders, goals, items: None }
}
