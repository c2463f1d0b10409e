//! §5.12 Files of version 1 remain readable forever: those of `tests/frozen`, which never change.

use coconut_codec::Profile;
use coconut_codec::compile::{CompileOptions, compile_tuned};
use coconut_codec::read::file::DocumentFile;
use coconut_codec::read::lookup::Lookup;
use coconut_codec::write::Tuning;
use coconut_testing::oracle;
use std::fs;
use std::path::{Path, PathBuf};

/// The way in which a file was written. A variant unknown here was written by another version, and
/// is only read.
fn options(variant: &str) -> Option<(CompileOptions, Tuning)> {
    let (mut options, mut tuning) = (CompileOptions::default(), Tuning::default());
    match variant {
        "full" => {}
        "plain" => options.profile = Profile::Plain,
        "transport" => options.profile = Profile::Transport,
        "digests" => options.digests = true,
        "blocks" => tuning.block_bits = 13,
        "indexed" => {
            // All tables, however few entries they have.
            tuning.index_from = 1;
            options.digests = true;
        }
        _ => return None,
    }
    Some((options, tuning))
}

const VARIANTS: [&str; 6] = ["full", "plain", "transport", "digests", "blocks", "indexed"];

/// The writer of the files. Another version may write other bytes.
const PRODUCER: &str = "coconut 0.1.0";

/// Documents for which the writer now chooses another landmark rule (§15.1). Their files have the
/// old one, and remain readable. `cloudformation-outputs` has files with the new rule.
const OTHER_RULE: [&str; 1] = ["cloudformation"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("frozen")
}

/// The files with this extension, named without it, in the order of names.
fn names(extension: &str) -> Vec<String> {
    let files = fs::read_dir(folder()).expect("the folder of frozen files");
    let names = files.map(|file| file.expect("a file").file_name().into_string().expect("a plain name"));
    let mut names: Vec<String> =
        names.filter_map(|name| name.strip_suffix(extension).map(str::to_owned)).collect();
    names.sort();
    names
}

#[test]
fn every_frozen_file_is_read_with_its_values() {
    let files = names(".coco");
    assert!(files.len() >= 48, "{}", files.len());
    for name in files {
        let (document, _) = name.rsplit_once('.').expect("NAME.VARIANT");
        let text = fs::read(folder().join(format!("{document}.json"))).expect("its document");
        let expected = oracle::read(&text).expect("it is JSON");
        let file = DocumentFile::from_data(fs::read(folder().join(format!("{name}.coco"))).expect("a file"));
        let file = file.unwrap_or_else(|error| panic!("{name}: {error}"));
        let view = file.view();
        view.check_integrity().unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(view.to_value().expect(&name), expected, "{name}");
        let mut keys = 0;
        for landmark in view.landmarks().expect(&name) {
            let landmark = landmark.expect(&name);
            let key = landmark.key().expect(&name);
            match view.get_unique(&key).expect(&name) {
                Lookup::Found(found) => {
                    assert_eq!(
                        found.ordinal().expect(&name),
                        landmark.ordinal().expect(&name),
                        "{name}: {key}"
                    );
                }
                Lookup::Ambiguous(_) => {}
                Lookup::Missing => panic!("{name}: {key} is listed, and not found"),
            }
            keys += 1;
        }
        assert_eq!(keys as u64, view.header().landmarks, "{name}");
    }
}

#[test]
fn a_writer_of_the_same_version_writes_the_same_bytes() {
    for document in names(".json") {
        let text = fs::read(folder().join(format!("{document}.json"))).expect("a document");
        for variant in VARIANTS {
            let (options, tuning) = options(variant).expect("it is known");
            let bytes = compile_tuned(&text, &options, tuning);
            let bytes = bytes.unwrap_or_else(|error| panic!("{document}: {error}"));
            let path = folder().join(format!("{document}.{variant}.coco"));
            if !path.exists() && std::env::var_os("COCONUT_BLESS").is_some() {
                fs::write(&path, &bytes).expect("the folder can be written to");
            }
            let frozen =
                fs::read(&path).expect("a frozen file; COCONUT_BLESS=1 writes those that are missing");
            let file = DocumentFile::from_data(&bytes[..]).expect("it was just written");
            if file.view().header().producer == PRODUCER && !OTHER_RULE.contains(&&*document) {
                assert!(
                    bytes == frozen,
                    "{document}.{variant}: the writer writes other bytes than before: raise the version"
                );
            }
        }
    }
}
