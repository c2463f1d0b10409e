//! The policies of the loader, end to end: the form it uses, and the reasons for skipping others.
//! The result is always that of the source alone.

#![cfg(unix)]

use coconut_codec::Profile;
use coconut_codec::cache::{Cache, FileFacts, Identity, SourceStamp};
use coconut_codec::compile::{CompileOptions, LandmarkChoice, compile};
use coconut_codec::loader::{
    CacheState, CompiledForms, Freshness, Input, LoadError, LoadErrorKind, LoadPath, Loaded, Loader,
    LoaderBuilder, Origin, Proof, ReadError, SearchPath,
};
use coconut_codec::read::file::{DocumentFile, DocumentView};
use coconut_codec::read::lookup::Lookup;
use coconut_codec::read::view::Content;
use coconut_format::names::{PackageReference, PackageUrl};
use coconut_tests::checksums::repair;
use coconut_tests::generate;
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub(super) const SOURCE: &str =
    r#"{"name": "aws", "modules": {"ec2": {"members": {"a": {"kind": "ModuleProperty"}}}}}"#;

/// A workspace with one package and a cache.
pub(super) struct Deploy {
    folder: tempfile::TempDir,
}

impl Deploy {
    pub(super) fn new(source: &str) -> Deploy {
        let deploy = Deploy { folder: tempfile::tempdir().unwrap() };
        fs::create_dir_all(deploy.package().join(".coconut/bin")).unwrap();
        set_mode(&deploy.package().join(".coconut/bin"), 0o755);
        deploy.edit(source);
        deploy
    }

    fn package(&self) -> PathBuf {
        self.folder.path().join("aws")
    }

    pub(super) fn source(&self) -> PathBuf {
        self.package().join("Cocopack.json")
    }

    pub(super) fn binary(&self) -> PathBuf {
        self.package().join(".coconut/bin/Cocopack.coco")
    }

    pub(super) fn cache_path(&self) -> PathBuf {
        self.folder.path().join("cache")
    }

    fn cache(&self) -> Cache {
        Cache::new(self.cache_path())
    }

    pub(super) fn edit(&self, source: &str) {
        fs::write(self.source(), source).unwrap();
    }

    pub(super) fn precompile(&self, source: &str, options: &CompileOptions) {
        self.put_binary(&compile(source.as_bytes(), options).unwrap().bytes);
    }

    /// Writes the precompiled document with owner-only permissions, whatever the umask.
    fn put_binary(&self, bytes: &[u8]) {
        fs::write(self.binary(), bytes).unwrap();
        set_mode(&self.binary(), 0o644);
    }

    pub(super) fn builder(&self) -> LoaderBuilder {
        Loader::builder().search(self.search()).cache(self.cache())
    }

    pub(super) fn search(&self) -> SearchPath {
        SearchPath::default().workspace(self.folder.path())
    }

    pub(super) fn load(&self) -> Loaded {
        load(&self.builder().build())
    }

    /// The one file in the entries of the cache.
    fn entry(&self) -> PathBuf {
        let [entry] = <[PathBuf; 1]>::try_from(files_below(&self.cache_path().join("v1/entries"))).unwrap();
        entry
    }

    /// Changes the one entry, against its mode.
    pub(super) fn damage_entry(&self, change: impl FnOnce(&mut Vec<u8>)) {
        let entry = self.entry();
        let mut bytes = fs::read(&entry).unwrap();
        change(&mut bytes);
        fs::remove_file(&entry).unwrap();
        fs::write(&entry, bytes).unwrap();
        fs::set_permissions(&entry, fs::Permissions::from_mode(0o400)).unwrap();
    }

    fn quarantined(&self) -> usize {
        files_below(&self.cache_path().join("v1/quarantine")).len()
    }

    /// Records that the source was digested long after it was written, without the wait.
    fn settle(&self) {
        let identity = Identity::from(&reference("aws"));
        let mut stamp = self.cache().source_stamp(&self.source(), &identity).unwrap().expect("it was loaded");
        stamp.facts = FileFacts::new(&fs::metadata(self.source()).unwrap()).unwrap();
        stamp.begun += 3_600_000_000_000;
        self.cache().record(&self.source(), &identity, &stamp).unwrap();
    }
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// A document with the content of `said`, which claims to be compiled from the source `claimed`.
fn forged(said: &str, claimed: &str) -> Vec<u8> {
    let mut bytes = compile(said.as_bytes(), &CompileOptions::default()).unwrap().bytes;
    let at = bytes.windows(32).position(|window| window == sha_256(said)).expect("it is in the header");
    bytes[at..at + 32].copy_from_slice(&sha_256(claimed));
    repair(&mut bytes);
    bytes
}

/// SHA-256 of a source.
fn sha_256(source: &str) -> [u8; 32] {
    let compiled = compile(source.as_bytes(), &CompileOptions::default()).unwrap();
    DocumentFile::from_data(compiled.bytes).unwrap().header().source.as_ref().unwrap().sha_256
}

pub(super) fn reference(text: &str) -> PackageReference {
    match PackageUrl::parse(text).unwrap() {
        PackageUrl::Package(reference) => reference,
        PackageUrl::Any => panic!("`{text}` names no package"),
    }
}

fn load(loader: &Loader) -> Loaded {
    loader.load(&reference("aws")).unwrap()
}

fn fail(loader: &Loader) -> LoadError {
    loader.load(&reference("aws")).unwrap_err()
}

pub(super) fn files_below(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files.extend(files_below(&path)),
            false => files.push(path),
        }
    }
    files
}

/// SHA-256 over the canonical values of the compiled `source`: equal for equal documents.
fn digest_of(source: &str) -> [u8; 32] {
    let compiled = compile(source.as_bytes(), &CompileOptions::default()).unwrap();
    DocumentFile::from_data(compiled.bytes).unwrap().header().digest
}

#[track_caller]
fn assert_is(loaded: &Loaded, source: &str) {
    assert_eq!(loaded.document.view().check_integrity().unwrap().digest, digest_of(source));
}

fn codes(loaded: &Loaded) -> Vec<&'static str> {
    loaded.fallbacks.iter().map(|fallback| fallback.reason.code()).collect()
}

/// `SOURCE` with another letter at one place, and the same length.
pub(super) fn other_source(letter: char) -> String {
    SOURCE.replace(r#""a":"#, &format!(r#""{letter}":"#))
}

#[test]
fn the_first_load_compiles_and_the_second_finds_the_entry() {
    let deploy = Deploy::new(SOURCE);
    let first = deploy.load();
    assert_eq!(first.origin, Origin::Source { source: deploy.source(), stored: true });
    let second = deploy.load();
    assert_eq!((second.origin.name(), second.origin.proof()), ("cache", Some(Proof::Digest)));
    assert_eq!(second.origin.path(), deploy.entry());
    assert_eq!(first.document.view().bytes(), second.document.view().bytes());
    assert_eq!((codes(&first), codes(&second)), (vec![], vec![]));
}

#[test]
fn a_file_is_loaded_by_its_path_like_a_package() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.yaml");
    fs::write(&path, "serial: 3\nresources: []\n").unwrap();
    let loader = Loader::builder().cache(Cache::for_workspace(folder.path())).build();
    assert_eq!(loader.load_file(&path).unwrap().origin.name(), "source");
    let loaded = loader.load_file(&path).unwrap();
    assert_eq!(loaded.origin.name(), "cache");
    let serial = loaded.document.view().root().pointer("/serial").unwrap().unwrap();
    assert!(matches!(serial.content().unwrap(), Content::Integer(number) if number.as_u64() == Some(3)));
}

/// Longer than any test takes.
const PATIENT: Duration = Duration::from_secs(600);

/// Loads the package in 8 threads that begin together, each with a loader of `loaders`.
fn load_in_threads(loaders: &[&Loader; 8]) -> Vec<Loaded> {
    let barrier = std::sync::Barrier::new(8);
    std::thread::scope(|scope| {
        let threads = loaders.map(|loader| {
            scope.spawn(|| {
                barrier.wait();
                load(loader)
            })
        });
        threads.map(|thread| thread.join().unwrap()).into()
    })
}

#[test]
fn threads_that_load_the_same_source_compile_it_once() {
    for _ in 0..8 {
        let deploy = Deploy::new(SOURCE);
        let shared = deploy.builder().patience(PATIENT).build();
        let own = std::array::from_fn::<_, 8, _>(|_| deploy.builder().patience(PATIENT).build());
        for (source, loaders) in [(SOURCE.to_owned(), [&shared; 8]), (other_source('b'), own.each_ref())] {
            deploy.edit(&source);
            let loaded = load_in_threads(&loaders);
            let compiles = loaded.iter().filter(|loaded| loaded.origin.name() == "source").count();
            let cached = loaded.iter().filter(|loaded| loaded.origin.name() == "cache").count();
            assert_eq!((compiles, cached), (1, 7));
            for loaded in &loaded {
                assert_is(loaded, &source);
                assert_eq!(codes(loaded), [""; 0]);
            }
        }
    }
}

#[test]
fn a_load_waits_no_longer_than_its_patience_for_a_maker_of_the_entry() {
    let deploy = Deploy::new(SOURCE);
    let loader = deploy.builder().patience(Duration::ZERO).build();
    let key = loader.remote_request(&reference("aws")).unwrap().unwrap().key();
    let lock = deploy.cache_path().join("v1/new").join(key.to_string());
    let hangs = File::create(&lock).unwrap();
    hangs.lock().unwrap();
    let loaded = load(&loader);
    assert_eq!(loaded.origin, Origin::Source { source: deploy.source(), stored: true });
    assert_eq!(codes(&loaded), [""; 0]);
    // It dies, and its file remains.
    deploy.cache().clean().unwrap();
    File::create(&lock).unwrap();
    drop(hangs);
    assert_eq!(load(&deploy.builder().patience(PATIENT).build()).origin.name(), "source");
    assert_eq!(files_below(&deploy.cache_path().join("v1/new")), [""; 0].map(PathBuf::from));
}

#[test]
fn names_that_differ_in_case_only_are_two_packages() {
    let deploy = Deploy::new(SOURCE);
    let loud = deploy.folder.path().join("AWS");
    fs::create_dir(&loud).unwrap();
    fs::write(loud.join("Cocopack.json"), SOURCE.replace("aws", "AWS")).unwrap();
    let loader = deploy.builder().build();
    for _ in 0..2 {
        assert_is(&load(&loader), SOURCE);
        assert_is(&loader.load(&reference("AWS")).unwrap(), &SOURCE.replace("aws", "AWS"));
    }
}

#[test]
fn edits_that_keep_size_and_time_are_seen() {
    let time = std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    // `.ci/long` requests more.
    let edits = std::env::var("COCONUT_EDITS").map_or(100, |number| number.parse().unwrap());
    for freshness in [Freshness::Content, Freshness::Stat] {
        let deploy = Deploy::new(SOURCE);
        let loader = deploy.builder().freshness(freshness).build();
        for letter in ('a'..='z').cycle().take(edits) {
            let source = other_source(letter);
            deploy.edit(&source);
            File::options().write(true).open(deploy.source()).unwrap().set_modified(time).unwrap();
            assert_is(&load(&loader), &source);
        }
    }
}

#[test]
fn a_settled_stamp_does_not_hide_an_edit_that_keeps_size_and_time() {
    let deploy = Deploy::new(SOURCE);
    let loader = deploy.builder().freshness(Freshness::Stat).build();
    for letter in ['b', 'c', 'd', 'e'] {
        assert_eq!(load(&loader).origin.name(), if letter == 'b' { "source" } else { "cache" });
        deploy.settle();
        assert_eq!(load(&loader).origin.proof(), Some(Proof::Stat));
        // A stamp is settled two seconds after a change, so two changes never have the same time.
        std::thread::sleep(Duration::from_millis(50));
        let time = fs::metadata(deploy.source()).unwrap().modified().unwrap();
        deploy.edit(&other_source(letter));
        File::options().write(true).open(deploy.source()).unwrap().set_modified(time).unwrap();
        let loaded = load(&loader);
        assert_eq!(loaded.origin.name(), "source");
        assert_is(&loaded, &other_source(letter));
    }
}

#[test]
fn a_settled_stamp_does_not_hide_another_file_of_the_same_name() {
    let replace: [fn(&Deploy, &Path); 2] = [
        |deploy, other| fs::rename(other, deploy.source()).unwrap(),
        |deploy, other| {
            fs::remove_file(deploy.source()).unwrap();
            std::os::unix::fs::symlink(other, deploy.source()).unwrap();
        },
    ];
    for replace in replace {
        let deploy = Deploy::new(SOURCE);
        let loader = deploy.builder().freshness(Freshness::Stat).build();
        let other = deploy.folder.path().join("other.json");
        fs::write(&other, other_source('b')).unwrap();
        let time = fs::metadata(deploy.source()).unwrap().modified().unwrap();
        File::options().write(true).open(&other).unwrap().set_modified(time).unwrap();
        load(&loader);
        deploy.settle();
        assert_eq!(load(&loader).origin.proof(), Some(Proof::Stat));
        replace(&deploy, &other);
        assert_is(&load(&loader), &other_source('b'));
    }
}

#[test]
fn a_source_is_left_closed_once_it_is_older_than_the_racy_window() {
    let deploy = Deploy::new(SOURCE);
    let loader = deploy.builder().freshness(Freshness::Stat).build();
    assert_eq!(load(&loader).origin.name(), "source");
    std::thread::sleep(coconut_codec::cache::RACY_WINDOW + Duration::from_millis(100));
    assert_eq!(
        load(&loader).origin.proof(),
        Some(Proof::Digest),
        "the first stamp was too young to prove anything"
    );
    assert_eq!(load(&loader).origin.proof(), Some(Proof::Stat));
    deploy.edit(&other_source('b'));
    assert_is(&load(&loader), &other_source('b'));
}

#[test]
fn a_clock_that_was_set_back_makes_no_stamp_settled() {
    let deploy = Deploy::new(SOURCE);
    let loader = deploy.builder().freshness(Freshness::Stat).build();
    load(&loader);
    let identity = Identity::from(&reference("aws"));
    let seen = deploy.cache().source_stamp(&deploy.source(), &identity).unwrap().unwrap();
    let early = SourceStamp { begun: seen.begun - 3_600_000_000_000, ..seen };
    deploy.cache().record(&deploy.source(), &identity, &early).unwrap();
    assert_eq!(load(&loader).origin.proof(), Some(Proof::Digest));
}

#[test]
fn trust_does_not_read_the_source_and_reports_it() {
    let deploy = Deploy::new(SOURCE);
    deploy.load();
    deploy.edit(&other_source('b'));
    let loaded = load(&deploy.builder().freshness(Freshness::Trust).build());
    assert_eq!(loaded.origin.proof(), Some(Proof::Trusted));
    assert_is(&loaded, SOURCE);
    assert_is(&deploy.load(), &other_source('b'));
}

#[test]
fn a_compiled_form_never_hides_a_source_that_became_invalid() {
    for freshness in [Freshness::Content, Freshness::Stat] {
        let deploy = Deploy::new(SOURCE);
        deploy.precompile(SOURCE, &CompileOptions::default());
        let loader = deploy.builder().freshness(freshness).build();
        load(&loader);
        deploy.edit(r#"{"name": "aws", "modules": }"#);
        let error = fail(&loader);
        assert_eq!(error.kind.code(), "SRC-JSON");
        assert_eq!(error.fallbacks[0].reason.code(), "LOAD-STALE");
    }
}

#[test]
fn a_precompiled_document_replaces_its_source_and_is_not_cached() {
    let deploy = Deploy::new(SOURCE);
    deploy.precompile(SOURCE, &CompileOptions::default());
    for _ in 0..2 {
        let loaded = deploy.load();
        assert_eq!(loaded.origin, Origin::Precompiled { binary: deploy.binary(), proof: Proof::Digest });
        assert!(!loaded.origin.is_cached());
        assert_is(&loaded, SOURCE);
    }
    assert_eq!(files_below(&deploy.cache_path().join("v1/entries")), [""; 0].map(PathBuf::from));
}

#[test]
fn a_document_compiled_elsewhere_is_used_for_its_own_path_only() {
    let said = other_source('b');
    for forms in [CompiledForms::Use, CompiledForms::Require] {
        for freshness in [Freshness::Content, Freshness::Stat, Freshness::Trust] {
            let deploy = Deploy::new(SOURCE);
            deploy.put_binary(&forged(&said, SOURCE));
            let loader = deploy.builder().compiled_forms(forms).freshness(freshness).build();
            let believed = load(&loader);
            assert_eq!(believed.origin.name(), "precompiled", "{forms:?} {freshness:?}");
            assert_is(&believed, &said);
            // The same package and the same source elsewhere, with the same cache.
            let other = Deploy::new(SOURCE);
            let loader = Loader::builder().search(other.search()).cache(deploy.cache()).build();
            assert_is(&load(&loader), SOURCE);
            assert_is(&loader.load_file(&other.source()).unwrap(), SOURCE);
            // An entry that was compiled here has priority over it.
            assert_eq!(deploy.load().origin.name(), "cache");
            assert_is(&deploy.load(), SOURCE);
        }
    }
}

#[test]
fn without_precompiled_documents_the_cache_and_the_source_are_used() {
    let deploy = Deploy::new(SOURCE);
    deploy.put_binary(&forged(&other_source('b'), SOURCE));
    let loader = deploy.builder().compiled_forms(CompiledForms::Cached).build();
    for origin in ["source", "cache"] {
        assert_eq!(loader.explain(&reference("aws")).unwrap().path.name(), origin);
        let loaded = load(&loader);
        assert_eq!((loaded.origin.name(), codes(&loaded)), (origin, vec![]));
        assert_is(&loaded, SOURCE);
    }
}

#[test]
fn a_precompiled_document_that_others_can_write_or_that_is_no_file_is_passed_over() {
    let binary = compile(SOURCE.as_bytes(), &CompileOptions::default()).unwrap().bytes;
    let refused = |prepare: &dyn Fn(&Deploy), code: &str| {
        let deploy = Deploy::new(SOURCE);
        deploy.put_binary(&binary);
        prepare(&deploy);
        let explained = deploy.builder().build().explain(&reference("aws")).unwrap();
        assert_eq!((explained.path, explained.fallbacks[0].reason.code()), (LoadPath::Source, code));
        let loaded = deploy.load();
        assert_eq!((loaded.origin.name(), codes(&loaded)), ("source", vec![code]));
        fs::remove_dir_all(deploy.cache_path()).unwrap();
        let error = fail(&deploy.builder().compiled_forms(CompiledForms::Require).build());
        assert_eq!((error.kind.code(), error.fallbacks[0].reason.code()), ("LOAD-REQUIRED", code));
        let folder = deploy.binary().parent().unwrap().to_owned();
        set_mode(&folder, 0o755);
    };
    let folder = |deploy: &Deploy| deploy.binary().parent().unwrap().to_owned();
    refused(&|deploy| set_mode(&deploy.binary(), 0o666), "LOAD-MODE");
    refused(&|deploy| set_mode(&folder(deploy), 0o1777), "LOAD-MODE");
    refused(&|deploy| set_mode(&folder(deploy), 0o775), "LOAD-MODE");
    let replace = |deploy: &Deploy, program: &str| {
        fs::remove_file(deploy.binary()).unwrap();
        let made = std::process::Command::new(program).arg(deploy.binary()).status().unwrap();
        assert!(made.success());
    };
    refused(&|deploy| replace(deploy, "mkdir"), "LOAD-READ");
    refused(&|deploy| replace(deploy, "mkfifo"), "LOAD-READ");
    let stranger = Some(54_321);
    if std::os::unix::fs::chown(Deploy::new(SOURCE).source(), stranger, None).is_err() {
        coconut_testing::skip("right to give files to another user");
        return;
    }
    refused(&|deploy| std::os::unix::fs::chown(deploy.binary(), stranger, None).unwrap(), "LOAD-OWNER");
    refused(&|deploy| std::os::unix::fs::chown(folder(deploy), stranger, None).unwrap(), "LOAD-OWNER");
}

#[test]
fn a_precompiled_document_that_shows_no_dialect_has_the_rule_that_its_content_gives() {
    let entries: Vec<_> = (0..20).map(|number| format!(r#""key {number}": {number}"#)).collect();
    let with_landmarks = format!(r#"{{"name": "aws", "things": {{{}}}}}"#, entries.join(", "));
    for source in [r#"{"name": "aws", "list": [1, 2]}"#, &with_landmarks] {
        let deploy = Deploy::new(source);
        deploy.precompile(source, &CompileOptions::default());
        assert_eq!(deploy.load().origin.name(), "precompiled", "{source}");
    }
    let deploy = Deploy::new(&with_landmarks);
    let options = CompileOptions { landmarks: LandmarkChoice::None, ..CompileOptions::default() };
    deploy.precompile(&with_landmarks, &options);
    let loaded = deploy.load();
    assert_eq!((loaded.origin.name(), codes(&loaded)), ("source", vec!["LOAD-RULE"]));
}

#[test]
fn a_precompiled_document_that_differs_from_its_source_is_skipped_with_a_reason() {
    let options = CompileOptions::default;
    let cases: [(&str, &str, CompileOptions); 3] = [
        ("LOAD-STALE", &other_source('b'), options()),
        ("LOAD-PROFILE", SOURCE, CompileOptions { profile: Profile::Plain, ..options() }),
        ("LOAD-RULE", SOURCE, CompileOptions { landmarks: LandmarkChoice::None, ..options() }),
    ];
    for (code, source, options) in cases {
        let deploy = Deploy::new(SOURCE);
        deploy.precompile(source, &options);
        let loaded = deploy.load();
        assert_eq!((loaded.origin.name(), codes(&loaded)), ("source", vec![code]));
        assert_is(&loaded, SOURCE);
    }
}

#[test]
fn a_damaged_precompiled_document_is_passed_over_wherever_the_damage_is() {
    let whole = compile(SOURCE.as_bytes(), &CompileOptions::default()).unwrap().bytes;
    for position in (0..whole.len()).step_by(3) {
        let deploy = Deploy::new(SOURCE);
        let mut damaged = whole.clone();
        damaged[position] ^= 0x04;
        deploy.put_binary(&damaged);
        let loaded = load(&deploy.builder().build());
        assert_eq!(loaded.origin.name(), "source", "byte {position}");
        assert_eq!(loaded.fallbacks.len(), 1, "byte {position}");
        assert_is(&loaded, SOURCE);
    }
}

#[test]
fn without_its_source_a_precompiled_document_needs_trust_or_a_requirement() {
    let deploy = Deploy::new(SOURCE);
    deploy.precompile(SOURCE, &CompileOptions::default());
    fs::remove_file(deploy.source()).unwrap();
    let error = fail(&deploy.builder().build());
    assert_eq!((error.kind.code(), error.fallbacks[0].reason.code()), ("LOAD-NOSOURCE", "LOAD-NOSOURCE"));
    let binary = error.fallbacks[0].binary.display();
    assert_eq!(error.kind.to_string(), format!("{binary}: source file not found"));
    let absent = deploy.builder().build().load_file(Path::new("absent.json")).unwrap_err();
    assert_eq!(absent.to_string(), "absent.json: source file not found");
    for builder in [
        deploy.builder().compiled_forms(CompiledForms::Require),
        deploy.builder().freshness(Freshness::Trust),
    ] {
        let loader = builder.build();
        for _ in 0..2 {
            let explained = loader.explain(&reference("aws")).unwrap();
            let loaded = load(&loader);
            assert_eq!(loaded.origin.proof(), Some(Proof::SourceAbsent));
            assert_eq!(
                (explained.path.name(), explained.proof()),
                (loaded.origin.name(), loaded.origin.proof())
            );
            assert_is(&loaded, SOURCE);
        }
        assert_eq!(load(&loader).origin.name(), "precompiled");
        assert_eq!(files_below(&deploy.cache_path().join("v1/entries")), [""; 0].map(PathBuf::from));
    }
}

#[test]
fn a_corrupt_binary_without_a_source_gives_both_errors() {
    let deploy = Deploy::new(SOURCE);
    fs::remove_file(deploy.source()).unwrap();
    deploy.put_binary(b"");
    let error = fail(&deploy.builder().freshness(Freshness::Trust).build());
    assert_eq!((error.kind.code(), error.fallbacks[0].reason.code()), ("LOAD-NOSOURCE", "ENV-EMPTY"));
}

#[test]
fn switched_off_no_compiled_form_is_read_or_written() {
    let deploy = Deploy::new(SOURCE);
    fs::write(deploy.binary(), b"not even looked at").unwrap();
    let loaded = load(&deploy.builder().compiled_forms(CompiledForms::Ignore).build());
    assert_eq!(loaded.origin, Origin::Source { source: deploy.source(), stored: false });
    assert_eq!(codes(&loaded), [""; 0]);
    assert!(!deploy.cache_path().exists());
}

#[test]
fn required_binaries_never_compile() {
    let deploy = Deploy::new(SOURCE);
    let required = || deploy.builder().compiled_forms(CompiledForms::Require).build();
    assert_eq!(fail(&required()).kind.code(), "LOAD-REQUIRED");
    deploy.load();
    assert_eq!(load(&required()).origin.name(), "cache");
    deploy.edit(&other_source('b'));
    assert_eq!(fail(&required()).kind.code(), "LOAD-REQUIRED");
}

#[test]
fn a_required_binary_of_other_options_does_not_stand_for_the_source_afterwards() {
    let options = CompileOptions::default;
    let others = [
        CompileOptions { profile: Profile::Plain, ..options() },
        CompileOptions { landmarks: LandmarkChoice::None, ..options() },
    ];
    for other in others {
        let deploy = Deploy::new(SOURCE);
        deploy.precompile(SOURCE, &other);
        let required = deploy.builder().compiled_forms(CompiledForms::Require).build();
        assert_eq!(load(&required).origin.name(), "precompiled");
        assert_eq!(deploy.load().origin.name(), "source", "{other:?}");
    }
}

#[test]
fn a_pipe_is_not_a_source_and_is_not_waited_for() {
    let deploy = Deploy::new(SOURCE);
    let pipe = deploy.folder.path().join("pipe.json");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for forms in [CompiledForms::Use, CompiledForms::Ignore] {
        let loader = deploy.builder().compiled_forms(forms).build();
        for error in [loader.load_file(&pipe).unwrap_err(), loader.explain_file(&pipe).unwrap_err()] {
            let LoadErrorKind::Read(fault) = &*error.kind else { panic!("{error}") };
            assert_eq!(
                fault.to_string(),
                format!("cannot read {}: it is not a regular file", pipe.display())
            );
        }
    }
}

#[test]
fn a_name_that_no_file_can_have_is_one_of_a_package_that_is_not_there() {
    let deploy = Deploy::new(SOURCE);
    let error = deploy.builder().build().load(&reference(&"a".repeat(300))).unwrap_err();
    assert_eq!(error.kind.code(), "LOAD-NOTFOUND");
}

#[test]
fn a_source_of_another_name_is_not_the_package() {
    let deploy = Deploy::new(&SOURCE.replace("aws", "gcp"));
    let error = fail(&deploy.builder().build());
    assert!(matches!(*error.kind, LoadErrorKind::WrongPackage { .. }), "{error}");
    assert_eq!(error.kind.code(), "LOAD-NAME");
}

#[test]
fn a_damaged_entry_is_replaced_and_kept_aside() {
    type Damage = (&'static str, fn(&mut Vec<u8>));
    let damages: [Damage; 6] = [
        ("CACHE-SEAL", |bytes| bytes.clear()),
        ("CACHE-SEAL", |bytes| bytes.truncate(bytes.len() / 2)),
        ("CACHE-SEAL", |bytes| bytes.fill(0)),
        ("CACHE-SEAL", |bytes| {
            let last = bytes.len() - 1;
            bytes[last] ^= 1;
        }),
        ("ENV-FOREIGN", |bytes| bytes[0] = b'b'),
        ("ENV-ZERO", |bytes| {
            let seal = bytes.len() - 128;
            bytes[..seal].fill(0);
        }),
    ];
    for (code, damage) in damages {
        let deploy = Deploy::new(SOURCE);
        deploy.load();
        deploy.damage_entry(damage);
        let loaded = deploy.load();
        assert_eq!((loaded.origin.name(), codes(&loaded)), ("source", vec![code]));
        assert_is(&loaded, SOURCE);
        assert_eq!(deploy.quarantined(), 1);
        let healed = deploy.load();
        assert_eq!((healed.origin.name(), codes(&healed)), ("cache", vec![]));
    }
}

#[test]
fn an_entry_under_the_name_of_another_is_refused() {
    let deploy = Deploy::new(SOURCE);
    deploy.load();
    let first = deploy.entry();
    deploy.edit(&other_source('b'));
    deploy.load();
    let entries = files_below(&deploy.cache_path().join("v1/entries"));
    let second = entries.iter().find(|&entry| *entry != first).unwrap();
    fs::rename(&first, second).unwrap();
    let loaded = deploy.load();
    assert_eq!((loaded.origin.name(), codes(&loaded)), ("source", vec!["CACHE-SWAPPED"]));
    assert_is(&loaded, &other_source('b'));
}

#[test]
fn damage_that_shows_only_in_use_leads_back_to_the_source() {
    let source = generate::checkpoint(400);
    let source = source.replacen('{', r#"{"name":"aws","#, 1);
    let deploy = Deploy::new(&source);
    let urn = generate::urn(200);
    deploy.load();
    let length = fs::metadata(deploy.entry()).unwrap().len();
    assert!(length > 64 << 10, "{length} bytes would not be mapped");
    let get = |document: DocumentView<'_>| {
        let Lookup::Found(landmark) = document.get_unique(&urn)? else { panic!("it is there") };
        landmark.value()?.pointer("/id")?.map(|id| id.to_value()).transpose()
    };
    let loader = deploy.builder().build();
    let (expected, loaded) = loader.read(&reference("aws"), get).unwrap();
    assert_eq!((loaded.origin.name(), codes(&loaded)), ("cache", vec![]));
    drop(loaded);
    deploy.damage_entry(|bytes| {
        // Everything except the ends, which opening reads.
        let range = 8192..bytes.len() - 16384;
        bytes[range].iter_mut().for_each(|byte| *byte ^= 0x20);
    });
    let (value, loaded) = loader.read(&reference("aws"), get).unwrap();
    assert_eq!(value, expected);
    assert_eq!((loaded.origin.name(), codes(&loaded)), ("source", vec!["SUM-MISMATCH"]));
    assert_eq!(deploy.quarantined(), 1);
    let (_, loaded) = loader.read(&reference("aws"), get).unwrap();
    assert_eq!((loaded.origin.name(), codes(&loaded)), ("cache", vec![]));
}

#[test]
fn the_error_of_the_caller_comes_back_and_harms_no_entry() {
    let deploy = Deploy::new(SOURCE);
    let loader = deploy.builder().build();
    loader.load("aws").unwrap();
    let failed = loader.read("aws", |_| Err::<(), _>("no such class"));
    assert!(matches!(failed, Err(ReadError::Get("no such class"))));
    assert_eq!((loader.load("aws").unwrap().origin.name(), deploy.quarantined()), ("cache", 0));
    let error = loader.load("*").unwrap_err();
    assert_eq!(error.code(), "LOAD-REFERENCE");
    assert_eq!(error.to_string(), "not a reference to a package: expected a name at byte 0 of `*`");
}

#[test]
fn a_document_outlives_its_loader_and_its_entry() {
    let source = generate::checkpoint(400).replacen('{', r#"{"name":"aws","#, 1);
    let deploy = Deploy::new(&source);
    deploy.load();
    let loaded = deploy.load();
    assert_eq!(loaded.origin.name(), "cache");
    let bytes = loaded.document.data().clone();
    drop(loaded);
    let report = deploy.cache().clean().unwrap();
    assert_eq!(report.removed, 2, "one entry and one stamp");
    let document = DocumentFile::from_data(bytes).unwrap();
    assert_eq!(document.view().check_integrity().unwrap().digest, digest_of(&source));
}

#[test]
#[cfg(target_os = "linux")]
fn an_entry_that_is_mapped_twice_costs_its_pages_once() {
    let deploy = Deploy::new(&generate::checkpoint(4000).replacen('{', r#"{"name":"aws","#, 1));
    deploy.load();
    let (first, second) = (deploy.load(), deploy.load());
    for loaded in [&first, &second] {
        assert_eq!(loaded.origin.name(), "cache");
        loaded.document.view().check_integrity().expect("it is whole, and every page of it is touched");
    }
    let size = first.document.data().as_ref().len() as u64 / 1024;
    let cache = deploy.cache_path();
    let mapped = memory_of_maps(&cache.to_string_lossy());
    assert!(mapped.resident >= 2 * size, "{mapped:?} of twice {size} KiB");
    assert!(mapped.proportional <= mapped.resident / 2 + 8, "{mapped:?}: pages are not shared");
    assert_eq!(mapped.copied, 0, "{mapped:?}");
}

/// The size in KiB of this process's maps of files in a folder.
#[cfg(target_os = "linux")]
#[derive(Debug, Default)]
struct MappedMemory {
    resident: u64,
    /// Each page divided by the number of its maps, in this and other processes.
    proportional: u64,
    /// Pages that no longer equal those of the file.
    copied: u64,
}

#[cfg(target_os = "linux")]
fn memory_of_maps(folder: &str) -> MappedMemory {
    let mut memory = MappedMemory::default();
    let mut is_below = false;
    for line in fs::read_to_string("/proc/self/smaps").expect("Linux has it").lines() {
        let mut words = line.split_whitespace();
        let (name, figure) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        if !name.ends_with(':') {
            is_below = line.contains(folder);
        } else if is_below {
            let kib: u64 = figure.parse().unwrap_or_default();
            match name {
                "Rss:" => memory.resident += kib,
                "Pss:" => memory.proportional += kib,
                "Anonymous:" => memory.copied += kib,
                _ => {}
            }
        }
    }
    memory
}

#[test]
fn a_cache_that_others_may_write_to_is_left_alone_and_reported_once() {
    let deploy = Deploy::new(SOURCE);
    fs::create_dir(deploy.cache_path()).unwrap();
    fs::set_permissions(deploy.cache_path(), fs::Permissions::from_mode(0o777)).unwrap();
    for _ in 0..2 {
        let loaded = deploy.load();
        assert_eq!((loaded.origin.name(), codes(&loaded)), ("source", vec!["CACHE-MODE"]));
        assert_is(&loaded, SOURCE);
    }
    assert_eq!(fs::read_dir(deploy.cache_path()).unwrap().count(), 0);
}

#[test]
fn a_document_not_kept_by_a_refused_cache_is_not_reported_as_cached() {
    let deploy = Deploy::new(SOURCE);
    assert!(deploy.load().origin.is_cached());
    fs::set_permissions(deploy.cache_path(), fs::Permissions::from_mode(0o777)).unwrap();
    let loaded = deploy.load();
    assert_eq!((loaded.origin.name(), loaded.origin.is_cached()), ("source", false));
    deploy.precompile(SOURCE, &CompileOptions::default());
    for freshness in [Freshness::Content, Freshness::Trust] {
        let loaded = load(&deploy.builder().freshness(freshness).build());
        assert_eq!(
            (loaded.origin.name(), loaded.origin.is_cached(), codes(&loaded)),
            ("precompiled", false, vec!["CACHE-MODE"])
        );
    }
}

#[test]
fn directories_in_place_of_files_of_the_cache_are_reported_once() {
    let deploy = Deploy::new(SOURCE);
    for bucket in ["stamps", "entries"] {
        // The second time, a directory has the name in the quarantine, too.
        for _ in 0..2 {
            deploy.load();
            let files = files_below(&deploy.cache_path().join("v1").join(bucket));
            let [file] = &files[..] else { panic!("{files:?}") };
            fs::remove_file(file).unwrap();
            fs::create_dir_all(file.join("a/b")).unwrap();
            fs::write(file.join("a/file"), "text").unwrap();
            let codes: Vec<_> = (0..3).map(|_| codes(&deploy.load()).len()).collect();
            assert_eq!(codes, [1, 0, 0], "{bucket}");
        }
    }
    let report = Cache::new(deploy.cache_path()).clean().unwrap();
    assert_eq!((report.failed, files_below(&deploy.cache_path().join("v1/entries")).len()), (0, 0));
    assert_eq!(fs::read_dir(deploy.cache_path().join("v1/quarantine")).unwrap().count(), 0);
}

#[test]
fn a_cache_that_cannot_be_made_is_reported_once() {
    let deploy = Deploy::new(SOURCE);
    fs::write(deploy.cache_path(), "a file in its place").unwrap();
    let loaded = deploy.load();
    assert_eq!((loaded.origin.name(), codes(&loaded)), ("source", vec!["CACHE-KIND"]));
    let relative = deploy.builder().cache(Cache::new("relative")).build();
    let loaded = load(&relative);
    assert_eq!(codes(&loaded), ["CACHE-RELATIVE"]);
    assert_eq!(
        loaded.fallbacks[0].reason.to_string(),
        "the cache directory relative is a relative path, expected an absolute one"
    );
}

#[test]
fn explains_a_load_without_doing_it() {
    let deploy = Deploy::new(SOURCE);
    let explain = |builder: LoaderBuilder| builder.build().explain(&reference("aws")).unwrap();
    let missed = explain(deploy.builder());
    assert_eq!((&missed.cache, missed.path), (&CacheState::Miss, LoadPath::Source));
    assert!(!deploy.cache_path().exists());
    assert_eq!(explain(deploy.builder().compiled_forms(CompiledForms::Ignore)).cache, CacheState::Off);

    deploy.load();
    let hit = explain(deploy.builder());
    assert_eq!((&hit.cache, hit.path), (&CacheState::Hit { entry: deploy.entry() }, LoadPath::Cache));
    let plain = CompileOptions { profile: Profile::Plain, ..CompileOptions::default() };
    let other = explain(deploy.builder().options(plain));
    assert_eq!(other.cache, CacheState::Stale { differs: vec![Input::Options] });

    deploy.edit(&other_source('b'));
    let stale = explain(deploy.builder());
    assert_eq!(
        (&stale.cache, stale.path),
        (&CacheState::Stale { differs: vec![Input::Source] }, LoadPath::Source)
    );
    deploy.precompile(&other_source('b'), &CompileOptions::default());
    assert_eq!(explain(deploy.builder()).path, LoadPath::Precompiled);

    deploy.edit(SOURCE);
    fs::remove_file(deploy.entry()).unwrap();
    let removed = explain(deploy.builder());
    assert_eq!((&removed.cache, removed.path), (&CacheState::Removed, LoadPath::Source));
    assert_eq!(removed.fallbacks[0].reason.code(), "LOAD-STALE");
}
