//! Back to JSON text.

use super::Job;
use crate::documents::Document;
use crate::measure::{Contender, Sample};
use coconut_codec::read::file::DocumentFile;
use coconut_codec::text::json::{JsonStyle, Printer};
use coconut_codec::read::stream::Budget;
use std::io;

/// The job on any document. All write to a sink that discards, in pieces if they can.
pub(crate) fn job(document: &Document) -> Job<'_> {
    let contenders = vec![
        Contender::new("coconut", "from the file, blocks checked, no tree", || {
            let bytes = document.map("coco");
            move || {
                Sample::of(|| {
                    let file = DocumentFile::from_data(&bytes[..]).expect("a good file");
                    let mut printer = Printer::new(io::sink(), JsonStyle::Minified);
                    file.view().stream(&mut printer, Budget::default()).expect("a good file");
                    printer.finish().expect("a sink takes all")
                })
            }
        }),
        Contender::new("serde_json, of a tree", "from a `Value` that is there already", || {
            let tree: serde_json::Value = serde_json::from_slice(&document.text()).expect("JSON");
            let mut out = Vec::new();
            move || {
                Sample::of(|| {
                    out.clear();
                    serde_json::to_writer(&mut out, &tree).expect("a vector takes all");
                })
            }
        }),
        Contender::new("sonic-rs, of a tree", "from a `Value` that is there already", || {
            let tree: sonic_rs::Value = sonic_rs::from_slice(&document.text()).expect("JSON");
            let mut out = Vec::new();
            move || {
                Sample::of(|| {
                    out.clear();
                    sonic_rs::to_writer(&mut out, &tree).expect("a vector takes all");
                })
            }
        }),
        Contender::new("sonic-rs, of the text", "parses, and prints its tree", || {
            let text = document.text();
            let mut out = Vec::new();
            move || {
                Sample::of(|| {
                    let tree: sonic_rs::Value = sonic_rs::from_slice(&text).expect("JSON");
                    out.clear();
                    sonic_rs::to_writer(&mut out, &tree).expect("a vector takes all");
                })
            }
        }),
        Contender::new("rmp-serde to serde_json", "transcoded value by value, no tree", || {
            let bytes = document.map("msgpack");
            move || {
                Sample::of(|| {
                    let mut reader = rmp_serde::Deserializer::from_read_ref(&bytes[..]);
                    let mut writer = serde_json::Serializer::new(io::BufWriter::new(io::sink()));
                    serde_transcode::transcode(&mut reader, &mut writer).expect("msgpack");
                })
            }
        }),
    ];
    let goals = vec![("serde_json, of a tree", 1.3, 2.0)];
    Job { name: "dump", document, ours: "coconut", contenders, goals, items: None }
}
