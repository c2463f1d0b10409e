//! Checks every byte against the checksums.

use super::Job;
use crate::documents::Document;
use crate::measure::{Contender, Sample};
use coconut_codec::read::file::DocumentFile;
use coconut_codec::read::integrity::check_checksums;

/// The job on any document.
pub(crate) fn job(document: &Document) -> Job<'_> {
    let contenders = vec![
        Contender::new("coconut, blocks", "every checksum of the file", || {
            let bytes = document.map("coco");
            move || Sample::of(|| check_checksums(&bytes).expect("a good file"))
        }),
        Contender::new(
            "coconut, open and blocks",
            "the same of a file that is opened, header and rule read",
            || {
                let bytes = document.map("coco");
                move || {
                    Sample::of(|| {
                        let file = DocumentFile::from_data(&bytes[..]).expect("a good file");
                        file.view().check_blocks().expect("a good file");
                    })
                }
            },
        ),
        Contender::new("crc32fast", "one checksum over the same map", || {
            let bytes = document.map("coco");
            move || Sample::of(|| crc32fast::hash(&bytes))
        }),
        Contender::new("coconut, verify", "every rule: forms, index built again, digest", || {
            let bytes = document.map("coco");
            move || {
                Sample::of(|| {
                    let file = DocumentFile::from_data(&bytes[..]).expect("a good file");
                    file.view().check_integrity().expect("a good file")
                })
            }
        }),
        Contender::new("serde_json, ignore", "parses the text, keeps nothing", || {
            let text = document.text();
            move || Sample::of(|| serde_json::from_slice::<serde::de::IgnoredAny>(&text).expect("JSON"))
        }),
    ];
    let goals = vec![("crc32fast", 0.6, 0.85)];
    Job { name: "check", document, ours: "coconut, blocks", contenders, goals, items: None }
}
