//! Fallbacks of the loader that need more than bad bytes: a compiled form with another producer,
//! source or type.

#![cfg(unix)]

use coconut_codec::cache::Cache;
use coconut_codec::compile::{CompileOptions, LandmarkChoice, compile};
use coconut_codec::loader::{LoadErrorKind, Loaded, Loader, SearchPath};
use coconut_codec::read::file::DocumentFile;
use coconut_codec::text::json;
use coconut_codec::write::interner::Interner;
use coconut_codec::write::{Writer, WriterOptions};
use coconut_format::landmark::LandmarkRule;
use coconut_format::names::{PackageReference, PackageUrl};
use coconut_tests::checksums::repair;
use std::fs;
use std::path::{Path, PathBuf};

const SOURCE: &str = r#"{"name": "aws", "version": "1.2.3", "n": 1}"#;

fn reference(text: &str) -> PackageReference {
    match PackageUrl::parse(text).expect("a good reference") {
        PackageUrl::Package(reference) => reference,
        PackageUrl::Any => panic!("`{text}` names no package"),
    }
}

/// A workspace with one package of this source, compiled to these bytes.
fn workspace(source: Option<&str>, compiled: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let binary = folder.path().join("aws/.coconut/bin/Cocopack.coco");
    fs::create_dir_all(binary.parent().expect("it is in a folder")).expect("a folder can be made");
    fs::write(&binary, compiled).expect("a file can be written");
    if let Some(source) = source {
        fs::write(folder.path().join("aws/Cocopack.json"), source).expect("a file can be written");
    }
    (folder, binary)
}

fn loader(folder: &Path) -> Loader {
    let search = SearchPath::default().workspace(folder);
    Loader::builder().search(search).cache(Cache::new(folder.join("cache"))).build()
}

fn compiled(source: &str) -> Vec<u8> {
    compile(source.as_bytes(), &CompileOptions::default()).expect("a good source").bytes
}

/// Asserts that the source was used, and that one compiled form was skipped for this reason.
#[track_caller]
fn assert_passed_over(loaded: &Loaded, binary: &Path, code: &str, message: &str) {
    let digest = DocumentFile::from_data(compiled(SOURCE)).expect("it is good").header().digest;
    assert_eq!(loaded.document.view().check_integrity().expect("it is whole").digest, digest);
    assert_eq!(loaded.origin.name(), "source");
    let [fallback] = &loaded.fallbacks[..] else { panic!("{:?}", loaded.fallbacks) };
    assert_eq!((&*fallback.binary, fallback.reason.code()), (binary, code));
    assert_eq!(fallback.reason.to_string(), message);
}

#[test]
fn a_compiled_form_without_a_source_record_is_skipped() {
    let mut interner = Interner::new();
    json::read(SOURCE.as_bytes(), &mut interner, &json::JsonOptions::default()).expect("a good source");
    let bytes = Writer::new(WriterOptions::new("document"))
        .to_bytes(&interner.finish().unwrap())
        .expect("it can be written");
    let (folder, binary) = workspace(Some(SOURCE), &bytes);
    let loaded = loader(folder.path()).load(&reference("aws")).expect("the source is good");
    let message = "it records no source, so another command made it; build it again, or give it another name";
    assert_passed_over(&loaded, &binary, "LOAD-NORECORD", message);
}

#[test]
fn a_compiled_form_of_another_version_is_skipped() {
    let mut bytes = compiled(SOURCE);
    let producer = DocumentFile::from_data(&bytes[..]).expect("it is good").header().producer.clone();
    let at =
        bytes.windows(producer.len()).position(|window| window == producer.as_bytes()).expect("it is there");
    bytes[at] ^= 0x20;
    repair(&mut bytes);
    let other = DocumentFile::from_data(&bytes[..]).expect("it is good").header().producer.clone();
    let (folder, binary) = workspace(Some(SOURCE), &bytes);
    let loaded = loader(folder.path()).load(&reference("aws")).expect("the source is good");
    let message = format!("it was made by `{other}`, expected `{producer}`");
    assert_passed_over(&loaded, &binary, "LOAD-PRODUCER", &message);
}

#[test]
fn another_version_of_the_package_is_passed_over_or_refused() {
    // A compiled form with a record of this source that states another version.
    let mut bytes = compiled(SOURCE);
    let at = bytes.windows(5).position(|window| window == b"1.2.3").expect("it is there");
    bytes[at..at + 5].copy_from_slice(b"1.2.4");
    repair(&mut bytes);
    let (folder, binary) = workspace(Some(SOURCE), &bytes);
    let loaded = loader(folder.path()).load(&reference("aws#1.2.3")).expect("the source is good");
    assert_passed_over(&loaded, &binary, "LOAD-VERSION", "it is version `1.2.4`, expected `1.2.3`");
    // The source does not have the requested version either.
    let error = loader(folder.path()).load(&reference("aws#1.2.5")).expect_err("there is none");
    assert_eq!(error.kind.code(), "LOAD-VERSION");
    let LoadErrorKind::WrongPackage { reason, .. } = &*error.kind else { panic!("{error}") };
    assert_eq!(reason.to_string(), "it is version `1.2.3`, expected `1.2.5`");
}

#[test]
fn a_second_source_of_a_package_is_named_by_every_load() {
    let (folder, _) = workspace(Some(SOURCE), b"");
    fs::remove_dir_all(folder.path().join("aws/.coconut")).expect("it was just made");
    let other = folder.path().join("aws/Cocopack.yaml");
    fs::write(&other, "name: aws\nversion: 1.2.3\nn: 2\n").expect("a file can be written");
    for origin in ["source", "cache"] {
        let explained = loader(folder.path()).explain(&reference("aws")).expect("it is there");
        let loaded = loader(folder.path()).load(&reference("aws")).expect("the source is good");
        assert_eq!(loaded.origin.name(), origin);
        for fallbacks in [&loaded.fallbacks, &explained.fallbacks] {
            let [fallback] = &fallbacks[..] else { panic!("{fallbacks:?}") };
            assert_eq!((&fallback.binary, fallback.reason.code()), (&other, "LOAD-OTHER"));
            let used = folder.path().join("aws/Cocopack.json");
            let text = format!("another source of the package takes precedence: {}", used.display());
            assert_eq!(fallback.reason.to_string(), text);
        }
    }
}

#[test]
fn a_source_that_cannot_be_written_is_an_error_of_compiling() {
    // Each of the second half names the key that the first half shares, and one of its own, so that
    // no two have the same edges: more than any reader would find.
    let count = 2100;
    let shared = (0..count).map(|n| format!(r#""e{n}": {{"name": "k"}}"#));
    let own = (0..count).map(|n| {
        let next = (n + 1) % count;
        format!(r#""o{n}": {{"name": "o{n}", "to": ["k", "o{next}"]}}"#)
    });
    let entries: Vec<String> = shared.chain(own).collect();
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("p.json");
    fs::write(&path, format!("{{{}}}", entries.join(","))).expect("a file can be written");
    let rule = LandmarkRule::parse(&["/*[name]"], None, &["e=0/to/*"]).expect("a good rule");
    let options = CompileOptions { landmarks: LandmarkChoice::Rule(rule), ..CompileOptions::default() };
    let error = Loader::builder().options(options).build().load_file(&path).expect_err("too many edges");
    assert_eq!(error.kind.code(), "LOAD-COMPILE");
    let message = error.to_string();
    assert!(message.contains("edges") && message.contains("4194304"), "{message}");
    assert!(message.starts_with(&*path.to_string_lossy()), "{message}");
}
