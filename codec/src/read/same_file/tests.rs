use super::*;
use crate::compile::{CompileOptions, compile_tuned};
use crate::crafted::repair;
use crate::write::Tuning;
use std::fs;
use std::path::{Path, PathBuf};

/// A document of this size, stored in this way.
fn document(resources: usize, change: impl FnOnce(&mut CompileOptions, &mut Tuning)) -> Vec<u8> {
    let resource = |n: usize| format!(r#""r{n}":{{"type":"a:b:C","text":"a text of some length, {n}"}}"#);
    let resources: Vec<String> = (0..resources).map(resource).collect();
    let text = format!(r#"{{"package":"my/net:*","vertices":{{{}}}}}"#, resources.join(","));
    let mut options = CompileOptions::default();
    let mut tuning = Tuning::default();
    change(&mut options, &mut tuning);
    compile_tuned(text.as_bytes(), &options, tuning).unwrap()
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    }
}

fn is_same(old: &Path, new: &Path) -> bool {
    let open = |path: &Path| DocumentFile::open_paged(path).unwrap();
    is_same_file(&open(old), &open(new))
}

#[test]
fn the_same_bytes_are_the_same_however_they_are_stored() {
    let folder = Folder::new();
    let ways: [fn(&mut CompileOptions, &mut Tuning); 4] = [
        |_, _| {},
        |_, tuning| tuning.block_bits = 20,
        |_, tuning| tuning.blocks_from = usize::MAX,
        |options, _| options.profile = crate::Profile::Plain,
    ];
    for (n, way) in ways.into_iter().enumerate() {
        for resources in [1, 300, 20_000] {
            let whole = document(resources, way);
            let (a, b) = (folder.write("a", &whole), folder.write("b", &whole));
            assert!(is_same(&a, &b) && is_same(&a, &a), "{n} {resources}");
            let other = folder.write("c", &document(resources + 1, way));
            assert!(!is_same(&a, &other) && !is_same(&other, &a), "{n} {resources}");
        }
    }
    // More than for one thread.
    assert!(document(100_000, |_, _| {}).len() > WORTH_A_THREAD);
    let whole = document(100_000, |_, _| {});
    assert!(is_same(&folder.write("a", &whole), &folder.write("b", &whole)));
}

/// Whatever the headers record.
#[test]
fn two_damaged_files_are_never_the_same() {
    let folder = Folder::new();
    for resources in [2000, 100_000] {
        let whole = document(resources, |_, _| {});
        let untouched = folder.write("untouched", &whole);
        let file = DocumentFile::from_data(&whole[..]).unwrap();
        let content = file.view().frame.blocks.as_ref().unwrap().content();
        // Opening a file reads the first blocks.
        let first = 2 * crate::bytes::checksum::BLOCK;
        for at in (0..40).map(|n| first + (content - 1 - first) * n / 39) {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x55;
            let (a, b) = (folder.write("a", &damaged), folder.write("b", &damaged));
            assert!(!is_same(&a, &b) && !is_same(&a, &a), "both at {at}");
            assert!(!is_same(&a, &untouched) && !is_same(&untouched, &a), "one at {at}");
            // A forged file has correct checksums and the old digest.
            repair(&mut damaged);
            let lying = folder.write("a", &damaged);
            assert!(!is_same(&lying, &untouched) && !is_same(&untouched, &lying), "lying at {at}");
        }
        // The checksums themselves.
        for at in [content, content + 5, whole.len() - 60] {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            let path = folder.write("a", &damaged);
            let is_same = DocumentFile::open_paged(&path).is_ok_and(|file| is_same_file(&file, &file));
            assert!(!is_same, "{at}");
        }
    }
}

#[test]
fn a_file_that_is_written_to_meanwhile_is_not_the_same() {
    let folder = Folder::new();
    for resources in [100, 2000] {
        let whole = document(resources, |_, _| {});
        let (a, b) = (folder.write("a", &whole), folder.write("b", &whole));
        let (old, new) = (DocumentFile::open_paged(&a).unwrap(), DocumentFile::open_paged(&b).unwrap());
        assert!(is_same_file(&old, &new));
        let file = fs::File::options().write(true).open(&b).unwrap();
        file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
        assert!(!is_same_file(&old, &new));
        file.set_len(1000).unwrap();
        assert!(!is_same_file(&old, &new));
    }
}
