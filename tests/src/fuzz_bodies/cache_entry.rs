//! A file of the cache directory with arbitrary bytes: the loader returns the content of the source
//! in any case.

use super::BUDGET;
use crate::checksums::repair;
use crate::generate::Random;
use coconut_codec::cache::Cache;
use coconut_codec::event::ValueSink;
use coconut_codec::loader::{Freshness, Loader, Origin, ReadError, SearchPath};
use coconut_codec::read::file::DocumentView;
use coconut_codec::read::stream::StreamError;
use coconut_format::names::{PackageReference, PackageUrl};
use coconut_format::{DecodeError, Value};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Bytes of the seal after the document of an entry, and the offset of its own checksum in it.
const SEAL: usize = 128;
const SEAL_CHECKSUM: usize = 124;
/// The offset of the document's length in the seal.
const SEAL_LENGTH: usize = 8;

/// The maximum number of entries in a quarantine.
const QUARANTINED: usize = 16;

/// The target that the bytes overwrite.
enum Attack {
    /// The whole entry.
    Entry,
    /// The document, with its checksums and the seal adjusted.
    Document,
    /// Some bytes of the document, with its checksums adjusted.
    Patch,
    /// The seal, with its own checksum adjusted.
    Seal,
    /// Some bytes of an entry that is large enough to be mapped.
    Mapped,
    /// The stamp of the source, which lets a load skip opening the source.
    Stamp,
}

/// Whatever the cache contains, a load returns the document of the source, and a good entry
/// replaces a bad one.
pub fn cache_entry(data: &[u8]) {
    let Some((&first, rest)) = data.split_first() else { return };
    let attack = match first % 6 {
        0 => Attack::Entry,
        1 => Attack::Document,
        2 => Attack::Seal,
        3 => Attack::Mapped,
        4 => Attack::Patch,
        _ => Attack::Stamp,
    };
    PACKAGES.with(|[small, large]| match attack {
        Attack::Mapped => large.hold_against(&attack, rest),
        _ => small.hold_against(&attack, rest),
    });
}

thread_local! {
    /// Created once: each run leaves a good cache, or the body has failed.
    static PACKAGES: [Package; 2] = [Package::new(small_source()), Package::new(large_source())];
}

fn small_source() -> String {
    r#"{"name": "p", "modules": {"m": {"members": {"a": {"kind": "ModuleProperty", "n": 1}, "b": [true, "b"]}}}}"#
        .to_owned()
}

/// Texts with nothing in common, so that the document is above 64 KiB, too.
fn large_source() -> String {
    let mut random = Random::new(3);
    let texts: Vec<String> = (0..24)
        .map(|_| (0..200).map(|_| format!("{:016x}", random.next())).collect())
        .map(|text: String| format!("\"{text}\""))
        .collect();
    format!(r#"{{"name": "p", "texts": [{}]}}"#, texts.join(","))
}

/// A package with a separate cache.
struct Package {
    folder: TempDir,
    value: Value,
    /// The good entry and the good stamp.
    entry: (PathBuf, Vec<u8>),
    stamp: PathBuf,
}

impl Package {
    fn new(source: String) -> Package {
        let folder = tempfile::tempdir().expect("a directory for temporary files");
        let package = folder.path().join("p");
        fs::create_dir(&package).expect("an empty directory");
        fs::write(package.join("Cocopack.json"), source).expect("an empty directory");
        let loaded = loader(folder.path(), Freshness::Content).read(&reference(), value_of);
        let (value, _) = loaded.expect("the source is good");
        let only_file = |bucket: &str| -> PathBuf {
            let files = files_below(&folder.path().join("cache/v1").join(bucket));
            let [file] = &files[..] else { panic!("not one file in `{bucket}`: {files:?}") };
            file.clone()
        };
        let (entry, stamp) = (only_file("entries"), only_file("stamps"));
        let bytes = fs::read(&entry).expect("it was just written");
        Package { value, entry: (entry, bytes), stamp, folder }
    }

    fn hold_against(&self, attack: &Attack, rest: &[u8]) {
        let (entry, good) = &self.entry;
        let document = &good[..good.len() - SEAL];
        let mut seal = good[document.len()..].to_vec();
        match attack {
            Attack::Entry => plant(entry, rest),
            Attack::Document => {
                let mut document = rest.to_vec();
                repair(&mut document);
                seal[SEAL_LENGTH..SEAL_LENGTH + 8].copy_from_slice(&(document.len() as u64).to_le_bytes());
                plant(entry, &[document, sealed(seal)].concat());
            }
            Attack::Seal => {
                let length = rest.len().min(SEAL_CHECKSUM);
                seal[..length].copy_from_slice(&rest[..length]);
                plant(entry, &[document, &sealed(seal)].concat());
            }
            Attack::Patch => {
                let mut document = document.to_vec();
                patch(&mut document, rest);
                repair(&mut document);
                plant(entry, &[document, seal].concat());
            }
            Attack::Mapped => {
                let mut changed = good.clone();
                patch(&mut changed, rest);
                plant(entry, &changed);
            }
            Attack::Stamp => plant(&self.stamp, rest),
        }
        self.assert_read(attack);
        self.assert_mended();
    }

    fn assert_read(&self, attack: &Attack) {
        let is_repaired = matches!(attack, Attack::Document | Attack::Patch);
        let loader = loader(self.folder.path(), Freshness::Stat);
        let read = loader.read(&reference(), |view| {
            if is_repaired {
                // Matching checksums prove nothing, so the digest has to show the difference.
                view.check_integrity()?;
            }
            value_of(view)
        });
        let (value, loaded) = match read {
            Ok(read) => read,
            Err(error) => {
                // The abilities of a hostile author with write access to the private cache:
                // reaching a limit.
                let is_limit =
                    matches!(&error, ReadError::Get(error) if error.kind().code().starts_with("LIM-"));
                assert!(is_repaired && is_limit, "the source is good: {error}");
                fs::remove_file(&self.entry.0).expect("it is there");
                return;
            }
        };
        assert_eq!(value, self.value, "from {}", loaded.origin.name());
        if is_repaired && matches!(loaded.origin, Origin::Cached { .. }) {
            // It passed the full check: only parts outside the document differ, such as the name of
            // its producer.
            fs::remove_file(&self.entry.0).expect("it is there");
            return;
        }
        let is_bad_entry = matches!(loaded.origin, Origin::Source { .. });
        assert!(!is_bad_entry || !loaded.fallbacks.is_empty(), "an entry was skipped without a reason");
        let quarantined = files_below(&self.folder.path().join("cache/v1/quarantine")).len();
        assert!(quarantined <= QUARANTINED, "{quarantined} entries in quarantine");
        assert!(!is_bad_entry || quarantined > 0, "a bad entry is not in quarantine");
    }

    /// The next load finds a good entry and has no fallback.
    fn assert_mended(&self) {
        let loader = loader(self.folder.path(), Freshness::Content);
        let (value, loaded) = loader.read(&reference(), value_of).expect("the source is good");
        assert_eq!(value, self.value, "from {}", loaded.origin.name());
        if let Origin::Cached { .. } = loaded.origin {
            assert_eq!(loaded.fallbacks, []);
        }
        let bytes = fs::read(&self.entry.0).expect("it was put there, or is what it was");
        assert!(bytes == self.entry.1, "the entry is not the one that the source gives");
    }
}

fn loader(folder: &Path, freshness: Freshness) -> Loader {
    let search = SearchPath::default().workspace(folder);
    Loader::builder().search(search).cache(Cache::new(folder.join("cache"))).freshness(freshness).build()
}

fn reference() -> PackageReference {
    match PackageUrl::parse("p") {
        Ok(PackageUrl::Package(reference)) => reference,
        other => panic!("a name of a package: {other:?}"),
    }
}

fn value_of(view: DocumentView<'_>) -> Result<Value, DecodeError> {
    let mut sink = ValueSink::new();
    match view.stream(&mut sink, BUDGET) {
        Ok(()) => Ok(sink.finish().expect("a stream that succeeds is one document")),
        Err(StreamError::Decode(error)) => Err(error),
        Err(StreamError::Sink(error)) => panic!("a value takes any event: {error}"),
    }
}

/// Overwrites bytes: the first three give the place, the rest is the content.
fn patch(bytes: &mut [u8], rest: &[u8]) {
    let Some((place, over)) = rest.split_first_chunk::<3>() else { return };
    let at = u32::from_le_bytes([place[0], place[1], place[2], 0]) as usize % bytes.len();
    let length = over.len().min(bytes.len() - at);
    bytes[at..at + length].copy_from_slice(&over[..length]);
}

/// A seal with its own checksum.
fn sealed(mut seal: Vec<u8>) -> Vec<u8> {
    let sum = crc32fast::hash(&seal[..SEAL_CHECKSUM]).to_le_bytes();
    seal[SEAL_CHECKSUM..].copy_from_slice(&sum);
    seal
}

/// Replaces a file as the cache would: private and read-only.
fn plant(path: &Path, bytes: &[u8]) {
    if path.exists() {
        fs::remove_file(path).expect("the directory is ours");
    }
    fs::write(path, bytes).expect("the directory is ours");
    fs::set_permissions(path, fs::Permissions::from_mode(0o400)).expect("the file is ours");
}

fn files_below(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let paths = entries.map(|entry| entry.expect("the directory is ours").path());
    paths.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}
