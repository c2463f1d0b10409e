//! A fleet in a directory: the objects a reader accepts and those it refuses.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use coconut_codec::Profile;
use coconut_codec::cache::{Cache, CacheFault, EntryInputs, Identity, options_digest};
use coconut_codec::compile::{CompileOptions, compile};
use coconut_codec::loader::{Fallback, FallbackReason, FleetFault, Loader, Origin, RemoteRequest};
use coconut_codec::read::file::DocumentFile;
use coconut_codec::text::SourceFormat;
use coconut_fleet::{Fleet, FleetOptions, Outcome, Published};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const SOURCE: &str = r#"{"resources": {"ec2/instance:Instance": {"type": "aws", "size": 3}}}"#;

/// A directory with a fleet, a source, and machines with separate caches.
struct Place {
    folder: TempDir,
    fleet: Fleet,
    source: PathBuf,
}

impl Place {
    fn new() -> Place {
        Place::with(FleetOptions::default())
    }

    fn with(options: FleetOptions) -> Place {
        let folder = tempfile::tempdir().unwrap();
        let objects = folder.path().join("fleet");
        fs::create_dir(&objects).unwrap();
        let fleet = Fleet::open(&format!("file://{}", objects.display()), options).unwrap();
        let source = folder.path().join("secret name.json");
        fs::write(&source, SOURCE).unwrap();
        Place { folder, fleet, source }
    }

    fn machine(&self, name: &str) -> Loader {
        Loader::builder().cache(Cache::new(self.folder.path().join(name))).build()
    }

    fn request(&self, machine: &Loader) -> RemoteRequest {
        machine.remote_request_for_file(&self.source).unwrap().unwrap()
    }

    fn pull(&self, machine: &Loader) -> Outcome {
        self.fleet.pull(machine, &self.request(machine))
    }

    /// Compiles the source on a machine and publishes it. Returns the path of the object.
    fn publish(&self, machine: &Loader) -> PathBuf {
        let (request, before) = (self.request(machine), self.pull(machine));
        machine.load_file(&self.source).unwrap();
        let published = self.fleet.publisher().publish(machine, &request, &before).unwrap();
        assert!(matches!(published, Published::Written { .. }), "{published:?}");
        self.object(machine)
    }

    fn object(&self, machine: &Loader) -> PathBuf {
        let key = self.request(machine).key().to_string();
        self.folder.path().join("fleet").join("v1").join(&key[..2]).join(key)
    }

    /// Pulls, and checks three things: the object was refused, no part of it is in the cache, and
    /// the source gives the same result as without a fleet.
    #[track_caller]
    fn refusal(&self, machine: &Loader, what: &str) -> Fallback {
        let Outcome::Passed(fallback) = self.pull(machine) else { panic!("{what}: it was accepted") };
        assert_eq!(machine.cache().unwrap().entries().unwrap(), [], "{what}");
        let loaded = machine.load_file(&self.source).unwrap();
        assert!(matches!(loaded.origin, Origin::Source { stored: true, .. }), "{what}: {:?}", loaded.origin);
        assert_eq!(loaded.fallbacks, [], "{what}");
        assert!(loaded.document.data().as_ref() == compiled(SOURCE, Profile::Full), "{what}");
        machine.cache().unwrap().clean().unwrap();
        fallback
    }
}

fn options(profile: Profile) -> CompileOptions {
    CompileOptions { format: Some(SourceFormat::Json), profile, ..CompileOptions::default() }
}

fn compiled(source: &str, profile: Profile) -> Vec<u8> {
    compile(source.as_bytes(), &options(profile)).unwrap().bytes
}

/// All files in a folder and its subfolders.
fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let entries = entries.map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[test]
fn a_document_compiled_by_one_machine_is_found_by_the_others() {
    let place = Place::new();
    place.publish(&place.machine("one"));
    let other = place.machine("other");
    assert!(matches!(place.pull(&other), Outcome::Found { bytes } if bytes > 128));
    assert_eq!(place.pull(&other), Outcome::Present);
    let loaded = other.load_file(&place.source).unwrap();
    assert!(matches!(loaded.origin, Origin::Cached { .. }), "{:?}", loaded.origin);
    assert!(loaded.document.data().as_ref() == compiled(SOURCE, Profile::Full));
}

#[test]
fn looking_takes_nothing_and_pulling_writes_nothing() {
    let place = Place::new();
    let machine = place.machine("one");
    assert_eq!(place.pull(&machine), Outcome::Absent);
    machine.load_file(&place.source).unwrap();
    assert_eq!(place.pull(&machine), Outcome::Present);
    assert_eq!(files(&place.folder.path().join("fleet")), Vec::<PathBuf>::new());
    place.publish(&place.machine("two"));
    let other = place.machine("other");
    assert!(matches!(place.fleet.look(&other, &place.request(&other)), Outcome::Found { .. }));
    assert_eq!(other.cache().unwrap().entries().unwrap(), []);
}

#[test]
fn names_of_objects_have_no_text_of_a_user() {
    let place = Place::new();
    let object = place.publish(&place.machine("one"));
    assert_eq!(files(&place.folder.path().join("fleet")), std::slice::from_ref(&object));
    let name = object.file_name().unwrap().to_str().unwrap();
    assert!(name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit()), "{name}");
}

#[test]
fn an_existing_object_is_not_written_again_unless_it_was_refused() {
    let place = Place::new();
    let one = place.machine("one");
    let object = place.publish(&one);
    let good = fs::read(&object).unwrap();
    let publish =
        |before: &Outcome| place.fleet.publisher().publish(&one, &place.request(&one), before).unwrap();
    assert_eq!(publish(&Outcome::Present), Published::Present);
    fs::write(&object, "something else").unwrap();
    assert_eq!(publish(&Outcome::Present), Published::Present);
    let refused = place.pull(&place.machine("two"));
    let bytes = good.len() as u64;
    assert_eq!(publish(&refused), Published::Written { bytes });
    assert!(fs::read(&object).unwrap() == good);
}

#[test]
fn an_object_that_is_cut_off_anywhere_is_refused() {
    let place = Place::new();
    let object = place.publish(&place.machine("one"));
    let good = fs::read(&object).unwrap();
    let machine = place.machine("other");
    for length in (0..good.len()).rev() {
        fs::write(&object, &good[..length]).unwrap();
        let Fallback { binary, reason } = place.refusal(&machine, &format!("{length} bytes"));
        assert!(matches!(reason, FallbackReason::Cache(CacheFault::Seal { .. })), "{length} bytes: {reason}");
        assert!(binary.to_string_lossy().starts_with("file:///"), "{}", binary.display());
        assert!(binary.ends_with(object.file_name().unwrap()), "{}", binary.display());
    }
}

#[test]
fn an_object_with_any_byte_changed_is_refused() {
    let place = Place::new();
    let object = place.publish(&place.machine("one"));
    let good = fs::read(&object).unwrap();
    let machine = place.machine("other");
    for position in 0..good.len() {
        let mut changed = good.clone();
        changed[position] ^= 1 << (position % 8);
        fs::write(&object, &changed).unwrap();
        let fallback = place.refusal(&machine, &format!("byte {position}"));
        assert!(!matches!(fallback.reason, FallbackReason::Fleet(_)), "byte {position}: {fallback}");
    }
}

#[test]
fn an_object_under_the_key_of_another_is_refused() {
    let place = Place::new();
    let machine = place.machine("one");
    let object = place.object(&machine);
    let other = Place::new();
    fs::write(&other.source, r#"{"resources": {"other": 1}}"#).unwrap();
    fs::create_dir_all(object.parent().unwrap()).unwrap();
    fs::copy(other.publish(&other.machine("one")), &object).unwrap();
    let reason = place.refusal(&machine, "another source").reason;
    assert!(matches!(reason, FallbackReason::Cache(CacheFault::Swapped { what: "source", .. })), "{reason}");
}

/// Writes an object that is sealed for the request and holds this document.
fn forge(place: &Place, document: &[u8]) {
    let forger = Cache::new(place.folder.path().join("forger"));
    let header = DocumentFile::from_data(compiled(SOURCE, Profile::Full)).unwrap().header().clone();
    let inputs = EntryInputs {
        identity: &Identity::File,
        digest: header.source.unwrap().sha_256,
        options: options_digest(&options(Profile::Full)),
    };
    forger.put(&inputs, document).unwrap();
    let object = place.object(&place.machine("any"));
    fs::create_dir_all(object.parent().unwrap()).unwrap();
    fs::copy(forger.entry_path(&inputs.key()).unwrap(), object).unwrap();
}

#[test]
fn a_document_of_another_source_under_a_right_seal_is_refused() {
    let place = Place::new();
    forge(&place, &compiled(r#"{"resources": {"other": 1}}"#, Profile::Full));
    let reason = place.refusal(&place.machine("one"), "another source").reason;
    assert!(matches!(reason, FallbackReason::Stale { .. }), "{reason}");
}

#[test]
fn a_document_made_with_other_options_under_a_right_seal_is_refused() {
    let place = Place::new();
    forge(&place, &compiled(SOURCE, Profile::Plain));
    let reason = place.refusal(&place.machine("one"), "another profile").reason;
    let expected = FallbackReason::Profile { expected: Profile::Full, found: Profile::Plain };
    assert_eq!(reason, expected);
}

#[test]
fn a_non_document_under_a_correct_seal_is_refused() {
    let place = Place::new();
    forge(&place, SOURCE.as_bytes());
    let reason = place.refusal(&place.machine("one"), "a source").reason;
    assert_eq!(reason.code(), "ENV-TEXT");
}

#[test]
fn an_object_that_is_too_large_is_not_fetched_and_the_others_are() {
    let place = Place::with(FleetOptions { max_bytes: 100, ..FleetOptions::default() });
    let object = place.publish(&place.machine("one"));
    let machine = place.machine("other");
    let fallback = place.refusal(&machine, "too large");
    let found = fs::metadata(&object).unwrap().len();
    assert_eq!(fallback.reason, FallbackReason::Fleet(FleetFault::TooLarge { found, limit: 100 }));
    fs::remove_file(object).unwrap();
    assert_eq!(place.pull(&machine), Outcome::Absent);
}

#[cfg(unix)]
#[test]
fn a_fleet_that_does_not_answer_costs_one_deadline() {
    let deadline = Duration::from_millis(150);
    let place = Place::with(FleetOptions { deadline, ..FleetOptions::default() });
    let machine = place.machine("one");
    let object = place.object(&machine);
    fs::create_dir_all(object.parent().unwrap()).unwrap();
    // Opening a pipe for reading waits for a writer.
    let made = std::process::Command::new("mkfifo").arg(&object).status().unwrap();
    assert!(made.success());
    let before = Instant::now();
    let first = place.refusal(&machine, "a pipe");
    assert!(before.elapsed() >= deadline);
    assert_eq!(first.reason, FallbackReason::Fleet(FleetFault::Deadline { waited: deadline }));
    assert_eq!(first.binary.to_string_lossy(), place.fleet.location());
    // The fleet is not used again, so its response no longer counts.
    fs::remove_file(&object).unwrap();
    assert_eq!(place.refusal(&machine, "afterwards"), first);
    let error = place.fleet.publisher().publish(&machine, &place.request(&machine), &Outcome::Absent);
    assert_eq!(error, Ok(Published::Absent), "the cache was cleaned");
}

#[test]
fn there_is_no_request_without_a_cache_or_compiled_forms() {
    use coconut_codec::loader::CompiledForms;
    let place = Place::new();
    assert!(Loader::builder().build().remote_request_for_file(&place.source).unwrap().is_none());
    let off = Loader::builder()
        .cache(Cache::new(place.folder.path().join("off")))
        .compiled_forms(CompiledForms::Ignore);
    assert!(off.build().remote_request_for_file(&place.source).unwrap().is_none());
    let absent = place.folder.path().join("absent.json");
    assert!(place.machine("one").remote_request_for_file(&absent).unwrap().is_none());
}

/// Set in the child process of the test below.
const WITHOUT_THREADS: &str = "COCONUT_TEST_WITHOUT_THREADS";

#[test]
#[cfg(unix)]
fn without_threads_a_fleet_cannot_be_opened_and_nothing_panics() {
    if std::env::var_os(WITHOUT_THREADS).is_some() {
        let folder = tempfile::tempdir().unwrap();
        let location = format!("file://{}", folder.path().display());
        let fault = Fleet::open(&location, FleetOptions::default()).map(drop).unwrap_err();
        assert!(matches!(fault, FleetFault::Unavailable { .. }), "{fault}");
        return;
    }
    let name = "without_threads_a_fleet_cannot_be_opened_and_nothing_panics";
    // One thread runs its test itself. No system grants another thread a stack of this size.
    let child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture", "--test-threads=1"])
        .env(WITHOUT_THREADS, "1")
        .env("RUST_MIN_STACK", (1u64 << 46).to_string())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&child.stderr);
    assert!(child.status.success() && !said.contains("panicked"), "{child:?}");
}
