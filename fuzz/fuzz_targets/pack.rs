//! Foreign packs: a pack with changed bytes is refused, or its texts are those that were stored.
//! Each four bytes of the input are a place and a byte. The smoke test is that of damaged pages in
//! `history/tests/pack.rs`.

#![no_main]

use coconut_history::{Entry, Pack};
use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

/// A folder, the bytes of a pack, and its texts.
static STORED: LazyLock<(PathBuf, Vec<u8>, Vec<Vec<u8>>)> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("coconut-fuzz-pack-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("there is a folder for temporary files");
    let file = folder.join("stored.cocohist");
    let _ = fs::remove_file(&file);
    let mut pack = Pack::create(&file).expect("a pack can be created");
    let texts: Vec<Vec<u8>> = (1..=9).map(text).collect();
    for text in &texts {
        pack.add(text, &Entry { source: "file", who: Some("ada"), ..Entry::default() })
            .expect("it is stored");
    }
    pack.label(3, "third", &Entry::default()).expect("it gets a label");
    pack.lock("one", r#"{"ID":"one","Who":"ada@host"}"#, &Entry::default()).expect("it is locked");
    pack.checkpoint().expect("nobody else reads");
    drop(pack);
    (folder, fs::read(&file).expect("it can be read"), texts)
});

fn text(serial: u64) -> Vec<u8> {
    let resources: Vec<String> = (0..12)
        .map(|number| {
            format!(
                r#"{{"mode":"managed","type":"t","name":"x{number}","provider":"p","instances":[{{"attributes":{{"size":{}}}}}]}}"#,
                number * serial
            )
        })
        .collect();
    format!(
        r#"{{"version":4,"terraform_version":"1","serial":{serial},"lineage":"a","outputs":{{}},"resources":[{}]}}"#,
        resources.join(",")
    )
    .into_bytes()
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let (folder, stored, texts) = &*STORED;
    let mut bytes = stored.clone();
    for edit in data.chunks_exact(4) {
        let place = usize::from(edit[0]) << 16 | usize::from(edit[1]) << 8 | usize::from(edit[2]);
        let length = bytes.len();
        bytes[place % length] = edit[3];
    }
    let file = folder.join("changed.cocohist");
    for suffix in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(folder.join(format!("changed.cocohist{suffix}")));
    }
    fs::write(&file, &bytes).expect("it can be written");
    let Ok(mut pack) = Pack::open(&file) else { return };
    for version in pack.versions().unwrap_or_default() {
        if let Ok(text) = pack.text(version.n) {
            let at = usize::try_from(version.n).unwrap_or(usize::MAX);
            let known = at.checked_sub(1).and_then(|at| texts.get(at));
            // A record may be changed with its digest, so a text may be that of another version.
            assert!(
                known == Some(&text) || texts.contains(&text),
                "version {at} has a text that was never stored"
            );
        }
    }
    let _ = (pack.labels(), pack.holder(), pack.events(50), pack.change_counts(), pack.diff(1, 9));
    for key in pack.keys().unwrap_or_default().iter().take(20) {
        let _ = pack.log(key);
    }
    let _ = pack.verify(None, &mut |_| {});
    let _ = pack.add(&text(10), &Entry { lock_id: Some("one"), ..Entry::default() });
});
