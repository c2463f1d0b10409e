//! The size of a document in each form.

use crate::documents::Document;
use crate::report::Size;
use anyhow::Result;

const FORMS: [(&str, &str); 14] = [
    ("JSON, minified", "json"),
    ("coconut", "coco"),
    ("coconut plain", "plain.coco"),
    ("coconut transport", "transport.coco"),
    ("msgpack, named", "msgpack"),
    ("CBOR", "cbor"),
    ("flexbuffers", "flexbuffers"),
    ("postcard", "postcard"),
    ("bincode", "bincode"),
    ("rkyv, with its index", "rkyv"),
    ("SQLite", "sqlite"),
    ("rkyv, sorted rows", "rkyv.rows"),
    ("FlatBuffers", "flatbuffers"),
    ("Cap'n Proto", "capnp"),
];

/// All forms that the document has, and two of them after zstd -3.
pub(crate) fn of(document: &Document) -> Result<Vec<Size>> {
    let json = document.size("json");
    let size = |form, bytes: u64, whole: u64| Size {
        document: document.name.clone(),
        form,
        bytes,
        of_json: bytes as f64 / whole as f64,
    };
    let made = FORMS.into_iter().filter(|(_, form)| document.path(form).exists());
    let mut sizes: Vec<Size> = made.map(|(name, form)| size(name, document.size(form), json)).collect();
    if !document.path("transport.coco").exists() {
        return Ok(sizes);
    }
    let packed = |form| Ok::<u64, std::io::Error>(zstd::bulk::compress(&document.map(form), 3)?.len() as u64);
    let packed_json = packed("json")?;
    sizes.push(size("JSON, zstd -3", packed_json, packed_json));
    sizes.push(size("transport, zstd -3", packed("transport.coco")?, packed_json));
    Ok(sizes)
}
