//! From JSON text to a file, and from memory to a file.

use super::Job;
use crate::documents::Document;
use crate::measure::{Contender, Sample};
use coconut_codec::Profile;
use coconut_codec::compile::{CompileOptions, compile, read_source, writer_options};
use coconut_codec::text::SourceFormat;
use coconut_codec::write::Writer;

/// Text to a file of profile `full`, with its index and checksums.
pub(crate) fn full(document: &Document) -> Job<'_> {
    let contenders = vec![
        Contender::new("coconut", "parses, shares, indexes, checksums, two SHA-256", || {
            let text = document.text();
            move || Sample::of(|| compile(&text, &CompileOptions::default()).expect("JSON").bytes)
        }),
        Contender::new("serde_json, parse only", "a `Value` that keeps the order", || {
            let text = document.text();
            move || Sample::of(|| serde_json::from_slice::<serde_json::Value>(&text).expect("JSON"))
        }),
        Contender::new("serde_json to rmp-serde", "parses, and writes its tree as msgpack", || {
            let text = document.text();
            move || {
                Sample::of(|| {
                    let tree: serde_json::Value = serde_json::from_slice(&text).expect("JSON");
                    rmp_serde::to_vec_named(&tree).expect("a vector takes all")
                })
            }
        }),
        Contender::new("sonic-rs, parse only", "its `Value`, an arena", || {
            let text = document.text();
            move || Sample::of(|| sonic_rs::from_slice::<sonic_rs::Value>(&text).expect("JSON"))
        }),
    ];
    let goals = vec![("serde_json, parse only", 1.0 / 2.0, 1.0 / 1.2)];
    Job { name: "compile", document, ours: "coconut", contenders, goals, items: None }
}

/// A tree in memory to a file of profile `plain`, with its index and checksums.
pub(crate) fn plain(document: &Document) -> Job<'_> {
    let contenders = vec![
        Contender::new("coconut", "from an `Interned`: index, checksums and document digest included", || {
            let (interned, _) = read_source(&document.text(), SourceFormat::Json).expect("JSON");
            let options = CompileOptions { profile: Profile::Plain, ..CompileOptions::default() };
            let writer = Writer::new(writer_options(&interned, &options, None));
            move || Sample::of(|| writer.to_bytes(&interned).expect("within the limits"))
        }),
        Contender::new("rmp-serde named", "from a `serde_json::Value`: nothing but the values", || {
            let tree: serde_json::Value = serde_json::from_slice(&document.text()).expect("JSON");
            move || Sample::of(|| rmp_serde::to_vec_named(&tree).expect("a vector takes all"))
        }),
        Contender::new("serde_json", "from a `serde_json::Value`: nothing but the values", || {
            let tree: serde_json::Value = serde_json::from_slice(&document.text()).expect("JSON");
            move || Sample::of(|| serde_json::to_vec(&tree).expect("a vector takes all"))
        }),
    ];
    Job {
        name: "encode plain",
        document,
        ours: "coconut",
        contenders,
        goals: vec![("rmp-serde named", 1.2, 1.5)],
        items: None,
    }
}
