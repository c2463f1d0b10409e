//! Tests each rule of the cache directory separately.

use super::listing::EntryFault;
use super::*;
use rustix::fs::{CWD, Mode, mkfifoat};
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown, lchown, symlink};

const STRANGER: u32 = 54_321;

fn inputs(number: u8) -> EntryInputs<'static> {
    EntryInputs { identity: &Identity::File, digest: [number; 32], options: [0; 32] }
}

/// A cache with one entry, whose document is `one`.
struct Fixture {
    folder: tempfile::TempDir,
}

impl Fixture {
    fn new() -> Fixture {
        let fixture = Fixture { folder: tempfile::tempdir().unwrap() };
        fixture.cache().put(&inputs(1), b"one").unwrap();
        fixture
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("cache")
    }

    /// A new cache each time, so that nothing is open yet.
    fn cache(&self) -> Cache {
        Cache::new(self.root())
    }

    fn entry(&self) -> PathBuf {
        self.cache().entry_path(&inputs(1).key()).unwrap()
    }

    /// Root, version, bucket, shard and entry.
    fn chain(&self) -> [PathBuf; 5] {
        let entry = self.entry();
        let [shard, bucket, version, root] =
            [1, 2, 3, 4].map(|n| entry.ancestors().nth(n).unwrap().to_owned());
        [root, version, bucket, shard, entry]
    }

    fn get(&self) -> Result<Option<Vec<u8>>, CacheFault> {
        self.cache().get(&inputs(1)).map(|bytes| bytes.map(|bytes| bytes.as_ref().to_vec()))
    }

    /// The code of the fault, or the content.
    fn outcome(&self) -> Result<Option<Vec<u8>>, &'static str> {
        self.get().map_err(|fault| fault.code())
    }

    fn names_in(&self, bucket: &str) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.root().join("v1").join(bucket)) else { return Vec::new() };
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }
}

/// Only the administrator can change the owner of a file.
fn can_chown() -> bool {
    let is_root = rustix::process::geteuid().is_root();
    if !is_root {
        coconut_testing::skip("right to give files to another user");
    }
    is_root
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

#[test]
fn what_is_put_is_found_and_nothing_else() {
    let fixture = Fixture::new();
    assert_eq!(fixture.get(), Ok(Some(b"one".to_vec())));
    assert_eq!(fixture.cache().get(&inputs(2)).unwrap().map(|_| ()), None);
    fixture.cache().put(&inputs(1), b"other").unwrap();
    assert_eq!(fixture.get(), Ok(Some(b"other".to_vec())));
}

#[test]
fn what_another_process_puts_is_found_by_one_that_looked_when_only_half_was_there() {
    let fixture = Fixture::new();
    let entries = fixture.root().join("v1/entries");
    let elsewhere = fixture.folder.path().join("elsewhere");
    fs::rename(&entries, &elsewhere).unwrap();
    let early = fixture.cache();
    assert!(early.get(&inputs(1)).unwrap().is_none());
    fs::rename(&elsewhere, &entries).unwrap();
    assert_eq!(early.get(&inputs(1)).unwrap().unwrap().as_ref(), b"one");
}

#[test]
fn directories_and_files_are_made_for_the_owner_alone() {
    let fixture = Fixture::new();
    let modes = fixture.chain().map(|path| fs::metadata(path).unwrap().permissions().mode() & 0o7777);
    assert_eq!(modes, [0o700, 0o700, 0o700, 0o700, 0o400]);
    let tag = fs::read_to_string(fixture.root().join("v1/CACHEDIR.TAG")).unwrap();
    assert!(tag.starts_with("Signature: 8a477f597d28d172789f06886806bc55\n"), "{tag}");
}

/// Otherwise backup programs would skip other files there.
#[test]
fn a_folder_that_was_there_before_is_not_called_a_cache() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("letter"), "mine").unwrap();
    set_mode(folder.path(), 0o700);
    let cache = Cache::new(folder.path());
    cache.put(&inputs(1), b"one").unwrap();
    cache.clean().unwrap();
    let entries = fs::read_dir(folder.path()).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["letter", "v1"]);
}

#[test]
fn a_file_with_another_name_is_refused_and_replaced() {
    let fixture = Fixture::new();
    let other = fixture.folder.path().join("other name");
    fs::hard_link(fixture.entry(), &other).unwrap();
    assert_eq!(fixture.outcome(), Err("CACHE-LINKS"));
    let report = fixture.cache().verify().unwrap();
    assert_eq!((report.good, report.bad.len()), (0, 1));
    fixture.cache().put(&inputs(1), b"one").unwrap();
    assert_eq!(fixture.get(), Ok(Some(b"one".to_vec())));
    assert_eq!(fs::metadata(&other).unwrap().permissions().mode() & 0o7777, 0o400);
}

/// Set in the child process of the test below, to the path of its cache.
const UMASK: &str = "COCONUT_TEST_UMASK";

/// A umask removes permissions from new files, even for their owner. It applies to the whole
/// process.
#[test]
fn a_mask_takes_no_right_from_the_owner() {
    if let Some(path) = std::env::var_os(UMASK) {
        rustix::process::umask(Mode::from_raw_mode(0o777));
        let cache = Cache::new(PathBuf::from(path).join("above/cache"));
        cache.put(&inputs(1), b"one").unwrap();
        cache.prune(PruneLimits::default()).unwrap();
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let name = "cache::tests::a_mask_takes_no_right_from_the_owner";
    let child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(UMASK, folder.path())
        .output()
        .unwrap();
    assert!(child.status.success(), "{child:?}");
    let mode = |path: &str| {
        let path = folder.path().join("above/cache").join(path);
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    };
    let directories = ["..", "", "v1", "v1/entries", "v1/stamps", "v1/new"].map(mode);
    assert_eq!(directories, [0o700; 6]);
    assert_eq!((mode("v1/lock"), mode("v1/CACHEDIR.TAG")), (0o600, 0o400));
    let key = inputs(1).key().to_string();
    assert_eq!(mode(&format!("v1/entries/{}", &key[..2])), 0o700);
    assert_eq!(mode(&format!("v1/entries/{}/{key}", &key[..2])), 0o400);
}

#[test]
fn looking_for_something_makes_no_directory() {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::new(folder.path().join("cache"));
    assert!(cache.get(&inputs(1)).unwrap().is_none());
    assert_eq!(cache.prune(PruneLimits::default()), Ok(PruneReport::default()));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn refuses_what_belongs_to_another_user_at_every_level() {
    if !can_chown() {
        return;
    }
    for level in 0..5 {
        let fixture = Fixture::new();
        chown(&fixture.chain()[level], Some(STRANGER), None).unwrap();
        assert_eq!(fixture.outcome(), Err("CACHE-OWNER"), "level {level}");
    }
}

#[test]
fn refuses_what_others_may_write_to_at_every_level() {
    for level in 0..5 {
        for mode in [0o777, 0o770, 0o720, 0o702] {
            let fixture = Fixture::new();
            let path = &fixture.chain()[level];
            set_mode(path, mode);
            assert_eq!(fixture.outcome(), Err("CACHE-MODE"), "level {level}, mode {mode:o}");
            let path = path.clone();
            assert_eq!(fixture.get(), Err(CacheFault::Mode { path, mode }));
        }
    }
}

#[test]
fn accepts_what_others_may_only_read() {
    let fixture = Fixture::new();
    for path in fixture.chain() {
        set_mode(&path, 0o755);
    }
    assert_eq!(fixture.get(), Ok(Some(b"one".to_vec())));
}

#[test]
fn follows_no_link_inside() {
    for level in 1..5 {
        let fixture = Fixture::new();
        let path = fixture.chain()[level].clone();
        let moved = fixture.folder.path().join("moved");
        fs::rename(&path, &moved).unwrap();
        symlink(&moved, &path).unwrap();
        assert_eq!(fixture.get(), Err(CacheFault::Symlink { path }), "level {level}");
    }
}

#[test]
fn follows_our_own_link_to_the_cache_and_nobody_elses() {
    for to_parent in [false, true] {
        let fixture = Fixture::new();
        let moved = fixture.folder.path().join("moved");
        fs::create_dir(&moved).unwrap();
        fs::rename(fixture.root(), moved.join("cache")).unwrap();
        let (link, target, path) = match to_parent {
            false => (fixture.root(), moved.join("cache"), fixture.root()),
            true => {
                let link = fixture.folder.path().join("link");
                (link.clone(), moved.clone(), link.join("cache"))
            }
        };
        symlink(target, &link).unwrap();
        assert!(Cache::new(&path).get(&inputs(1)).unwrap().is_some());
        if can_chown() {
            lchown(&link, Some(STRANGER), None).unwrap();
            let expected = rustix::process::geteuid().as_raw();
            let fault = CacheFault::Owner { path: link, owner: STRANGER, expected };
            assert_eq!(Cache::new(&path).get(&inputs(1)).unwrap_err(), fault);
        }
    }
}

#[test]
fn refuses_a_place_where_everybody_can_exchange_the_cache() {
    let fixture = Fixture::new();
    set_mode(fixture.folder.path(), 0o777);
    assert_eq!(fixture.outcome(), Err("CACHE-MODE"));
    set_mode(fixture.folder.path(), 0o1777);
    assert_eq!(fixture.get(), Ok(Some(b"one".to_vec())));
}

#[test]
fn writes_nothing_into_a_directory_that_it_refuses() {
    let fixture = Fixture::new();
    set_mode(&fixture.root(), 0o777);
    assert_eq!(fixture.cache().put(&inputs(2), b"two").unwrap_err().code(), "CACHE-MODE");
    set_mode(&fixture.root(), 0o700);
    assert!(fixture.cache().get(&inputs(2)).unwrap().is_none());
}

#[test]
fn refuses_what_is_no_file_without_waiting_and_heals_by_the_next_put() {
    let make: [fn(&Path); 3] = [
        |path| mkfifoat(CWD, path, Mode::RWXU).unwrap(),
        |path| drop(std::os::unix::net::UnixListener::bind(path).unwrap()),
        |path| fs::create_dir(path).unwrap(),
    ];
    for make in make {
        let fixture = Fixture::new();
        let path = fixture.entry();
        fs::remove_file(&path).unwrap();
        // The path of a socket must be short.
        let short = fixture.folder.path().join("s");
        make(&short);
        fs::rename(short, &path).unwrap();
        assert_eq!(fixture.get(), Err(CacheFault::WrongKind { path, expected: "regular file" }));
        fixture.cache().quarantine(&inputs(1).key());
        fixture.cache().put(&inputs(1), b"one").unwrap();
        assert_eq!(fixture.get(), Ok(Some(b"one".to_vec())));
    }
}

/// Puts a directory in place of a file. It holds a file, a link and directories, one of them
/// read-only.
fn make_full_directory(path: &Path, linked: &Path) {
    let _ = fs::remove_file(path);
    fs::create_dir_all(path.join("a/b")).unwrap();
    fs::write(path.join("a/b/file"), "text").unwrap();
    symlink(linked, path.join("a/link")).unwrap();
    symlink(linked.parent().unwrap(), path.join("folder")).unwrap();
    set_mode(&path.join("a/b"), 0o500);
    set_mode(path, 0o500);
}

#[test]
fn a_full_directory_in_place_of_a_file_is_healed_by_the_next_put() {
    let fixture = Fixture::new();
    let linked = fixture.folder.path().join("kept/linked");
    fs::create_dir(linked.parent().unwrap()).unwrap();
    fs::write(&linked, "untouched").unwrap();
    let (cache, key) = (fixture.cache(), inputs(1).key());
    // Without the quarantine, with it, and with a directory of that name in the quarantine.
    for in_quarantine in [None, Some(false), Some(true)] {
        make_full_directory(&fixture.entry(), &linked);
        let kept = fixture.root().join("v1/quarantine").join(key.to_string());
        if in_quarantine == Some(true) {
            let _ = cache.clean();
            make_full_directory(&fixture.entry(), &linked);
            make_full_directory(&kept, &linked);
        }
        assert_eq!(fixture.outcome(), Err("CACHE-KIND"));
        if in_quarantine.is_some() {
            cache.quarantine(&key);
            assert_eq!(fixture.outcome(), Ok(None), "{in_quarantine:?}");
        }
        cache.put(&inputs(1), b"one").unwrap();
        assert_eq!(fixture.outcome(), Ok(Some(b"one".to_vec())), "{in_quarantine:?}");
    }
    let (path, identity) = (Path::new("/source"), Identity::File);
    let facts = FileFacts::new(&fs::metadata(&linked).unwrap()).unwrap();
    let stamp =
        SourceStamp { facts, begun: now(), digest: [1; 32], options: [0; 32], producer: "test".to_owned() };
    cache.record(path, &identity, &stamp).unwrap();
    make_full_directory(&Bucket::Stamps.path(&fixture.root(), &key::stamp_name(path, &identity)), &linked);
    assert_eq!(cache.source_stamp(path, &identity).unwrap_err().code(), "CACHE-KIND");
    cache.record(path, &identity, &stamp).unwrap();
    assert_eq!(cache.source_stamp(path, &identity), Ok(Some(stamp)));
    assert_eq!(fs::read_to_string(&linked).unwrap(), "untouched");
}

#[test]
fn full_directories_in_place_of_files_are_cleaned_and_pruned() {
    let fixture = Fixture::new();
    let linked = fixture.folder.path().join("kept/linked");
    fs::create_dir(linked.parent().unwrap()).unwrap();
    fs::write(&linked, "untouched").unwrap();
    let limits = PruneLimits { older_than: Some(Duration::from_secs(1)), max_bytes: None };
    make_full_directory(&fixture.entry(), &linked);
    let report = PruneReport { removed: 1, ..PruneReport::default() };
    assert_eq!(fixture.cache().prune(limits), Ok(report.clone()));
    for bucket in [Bucket::Entries, Bucket::Stamps, Bucket::Quarantine] {
        let path = bucket.path(&fixture.root(), &inputs(1).key().to_string());
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        set_mode(path.parent().unwrap(), 0o700);
        make_full_directory(&path, &linked);
        assert_eq!(fixture.cache().clean(), Ok(report.clone()), "{bucket:?}");
        assert!(!path.exists());
    }
    assert_eq!(fs::read_to_string(&linked).unwrap(), "untouched");
}

/// A directory in place of a file, too deep to be removed. Returns its innermost directory.
fn make_deep_directory(path: &Path) -> PathBuf {
    let deepest = path.join("a/".repeat(66));
    fs::create_dir_all(&deepest).unwrap();
    deepest
}

#[test]
fn a_directory_that_is_too_deep_is_reported_and_stays() {
    let fixture = Fixture::new();
    fs::remove_file(fixture.entry()).unwrap();
    let deepest = make_deep_directory(&fixture.entry());
    let beside = ["0", "b"].map(|name| fixture.entry().join(name));
    for folder in &beside {
        fs::create_dir(folder).unwrap();
        fs::write(folder.join("kept"), "text").unwrap();
    }
    let report = fixture.cache().clean().unwrap();
    assert_eq!((report.removed, report.failed, report.faults[0].code()), (0, 1, "CACHE-IO"));
    assert!(report.faults[0].to_string().starts_with("cannot remove "), "{}", report.faults[0]);
    assert!(deepest.exists());
    assert!(beside.iter().all(|folder| folder.join("kept").exists()), "all of it stays");
}

/// Continues only where files can be mounted and marked, which needs root.
#[test]
#[cfg(target_os = "linux")]
fn a_directory_with_a_file_that_cannot_be_removed_is_reported_and_stays() {
    use std::process::Command;
    let fixture = Fixture::new();
    fs::remove_file(fixture.entry()).unwrap();
    let names = ["a", "b", "c/d", "e/f"].map(|name| fixture.entry().join(name));
    for name in &names {
        fs::create_dir_all(name.parent().unwrap()).unwrap();
        fs::write(name, "text").unwrap();
    }
    let run = |program: &str, arguments: &[&std::ffi::OsStr]| {
        Command::new(program).args(arguments).output().is_ok_and(|output| output.status.success())
    };
    for name in &names {
        for (make, undo) in [
            (("chattr", "+i"), ("chattr", "-i")),
            (("chattr", "+a"), ("chattr", "-a")),
            (("mount", "--bind"), ("umount", "")),
        ] {
            let mut arguments = vec![make.1.as_ref(), name.as_os_str()];
            if make.0 == "mount" {
                arguments.push(name.as_os_str());
            }
            if !run(make.0, &arguments) {
                continue;
            }
            let report = fixture.cache().clean().unwrap();
            let arguments: Vec<_> =
                [undo.1.as_ref(), name.as_os_str()].into_iter().filter(|part| !part.is_empty()).collect();
            assert!(run(undo.0, &arguments), "{undo:?}");
            assert_eq!((report.removed, report.failed), (0, 1), "{make:?} {name:?}");
            assert!(report.faults[0].to_string().starts_with("cannot remove "), "{}", report.faults[0]);
            assert!(names.iter().all(|name| name.exists()), "all of it stays: {make:?} {name:?}");
        }
    }
    assert_eq!(fixture.cache().clean().unwrap().removed, 1);
}

/// Runs this test again as another user, which only root may do.
#[test]
#[cfg(target_os = "linux")]
fn a_directory_with_something_in_it_of_another_user_is_reported_and_stays() {
    use std::process::Command;
    const FOLDER: &str = "COCONUT_TEST_FOREIGN";
    const NOBODY: &str = "65534";
    if let Some(root) = std::env::var_os(FOLDER) {
        let report = Cache::new(PathBuf::from(root)).clean().unwrap();
        let faults: Vec<String> = report.faults.iter().map(CacheFault::to_string).collect();
        println!("removed {} failed {} {faults:?}", report.removed, report.failed);
        return;
    }
    if !can_chown() {
        return;
    }
    let fixture = Fixture::new();
    fs::remove_file(fixture.entry()).unwrap();
    let give = |user: &str, path: &Path| {
        assert!(Command::new("chown").args(["-R", user]).arg(path).status().unwrap().success());
    };
    let clean_as_nobody = || {
        let mut command = Command::new("setpriv");
        command.args(["--reuid", NOBODY, "--clear-groups"]).arg(std::env::current_exe().unwrap());
        let name = "cache::tests::a_directory_with_something_in_it_of_another_user_is_reported_and_stays";
        command.args(["--exact", name, "--nocapture"]).env(FOLDER, fixture.root());
        let output = command.output().ok()?;
        let text = String::from_utf8(output.stdout).unwrap();
        let line = text.lines().find_map(|line| line.find("removed ").map(|at| line[at..].to_owned()));
        line.filter(|_| output.status.success())
    };
    let files = ["a/1", "k/2", "z/3", "f"].map(|name| fixture.entry().join(name));
    for foreign in ["a", "k", "z"] {
        for mode in [0o755, 0o1777] {
            for file in &files {
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                fs::write(file, "text").unwrap();
            }
            give(NOBODY, fixture.folder.path());
            give("0", &fixture.entry().join(foreign));
            set_mode(&fixture.entry().join(foreign), mode);
            let Some(said) = clean_as_nobody() else {
                coconut_testing::skip("setpriv that may run this program");
                return;
            };
            assert!(said.starts_with("removed 0 failed 1 [\"cannot remove "), "{foreign} {mode:o}: {said}");
            assert!(files.iter().all(|file| file.exists()), "all of it stays: {foreign} {mode:o}");
        }
    }
    // To remove an empty directory, only its parent must be writable.
    for name in ["a", "k", "z"] {
        give("0", &fixture.entry().join(name));
        fs::remove_dir_all(fixture.entry().join(name)).unwrap();
        fs::create_dir(fixture.entry().join(name)).unwrap();
    }
    assert_eq!(clean_as_nobody().as_deref(), Some("removed 1 failed 0 []"));
    assert!(!fixture.entry().exists());
}

#[test]
fn a_link_in_place_of_an_entry_is_replaced_and_not_followed() {
    let fixture = Fixture::new();
    let target = fixture.folder.path().join("target");
    fs::write(&target, "untouched").unwrap();
    fs::remove_file(fixture.entry()).unwrap();
    symlink(&target, fixture.entry()).unwrap();
    fixture.cache().put(&inputs(1), b"one").unwrap();
    assert_eq!(fixture.get(), Ok(Some(b"one".to_vec())));
    assert_eq!(fs::read_to_string(target).unwrap(), "untouched");
}

#[test]
fn what_killed_processes_left_is_swept_and_what_is_being_written_is_not() {
    let fixture = Fixture::new();
    let new = fixture.root().join("v1/new");
    const BUSY: &str = "2-0-0123456789abcdef";
    fs::write(new.join("1-0-fedcba9876543210"), "half").unwrap();
    let foreign = ["1-0", "1-0-ab-", "1-0-left", "1-2-ABCDEF", "2024-01-15", "a.txt", "x-0-0123456789abcdef"];
    foreign.iter().for_each(|name| fs::write(new.join(name), "somebody's").unwrap());
    let busy = File::create(new.join(BUSY)).unwrap();
    busy.lock().unwrap();
    fixture.cache().put(&inputs(2), b"two").unwrap();
    assert!(!new.join("1-0-fedcba9876543210").exists());
    assert!(new.join(BUSY).exists());
    drop(busy);
    fixture.cache().put(&inputs(2), b"two").unwrap();
    let mut names = fixture.names_in("new");
    names.sort();
    assert_eq!(names, foreign);
}

/// Longer than any test takes.
const PATIENT: Duration = Duration::from_secs(600);

#[test]
fn an_entry_has_one_maker_at_a_time() {
    let fixture = Fixture::new();
    let (one, other) = (inputs(1).key(), inputs(2).key());
    let maker = fixture.cache().maker(&one, PATIENT).expect("nobody else makes it");
    assert_eq!(fixture.names_in("new"), [one.to_string()]);
    assert!(fixture.cache().maker(&one, Duration::ZERO).is_none());
    assert!(fixture.cache().maker(&other, PATIENT).is_some(), "other entries do not wait");
    // A put of another process does not remove a held lock.
    fixture.cache().put(&inputs(2), b"two").unwrap();
    assert_eq!(fixture.names_in("new"), [one.to_string()]);
    drop(maker);
    assert_eq!(fixture.names_in("new"), [""; 0]);
    assert!(fixture.cache().maker(&one, PATIENT).is_some());
}

#[test]
fn who_has_waited_for_a_maker_makes_nothing_again() {
    let fixture = Fixture::new();
    let key = inputs(1).key();
    let path = fixture.root().join("v1/new").join(key.to_string());
    let maker = fixture.cache().maker(&key, PATIENT).unwrap();
    // As a process that has opened the file and waits for its lock.
    let waiting = File::open(&path).unwrap();
    drop(maker);
    waiting.lock().unwrap();
    assert_eq!((waiting.metadata().unwrap().len(), path.exists()), (1, false));
    std::thread::scope(|scope| {
        let maker = fixture.cache().maker(&key, PATIENT).unwrap();
        let waits = scope.spawn(|| fixture.cache().maker(&key, PATIENT).is_none());
        drop(maker);
        // If it came late, it was the next one.
        let _ = waits.join().unwrap();
    });
    assert_eq!(fixture.names_in("new"), [""; 0]);
}

#[test]
fn a_maker_that_was_killed_keeps_nobody_waiting() {
    let fixture = Fixture::new();
    let key = inputs(1).key();
    let path = fixture.root().join("v1/new").join(key.to_string());
    for content in ["", "1"] {
        fs::write(&path, content).unwrap();
        assert!(fixture.cache().maker(&key, PATIENT).is_some());
        assert!(!path.exists());
        // That entry is not made again, but the file is removed nevertheless.
        fs::write(&path, content).unwrap();
        fixture.cache().put(&inputs(2), b"two").unwrap();
        assert!(!path.exists());
    }
}

#[test]
fn what_is_no_file_in_place_of_the_lock_of_an_entry_keeps_nobody_waiting() {
    let fixture = Fixture::new();
    let key = inputs(1).key();
    let path = fixture.root().join("v1/new").join(key.to_string());
    fs::create_dir(&path).unwrap();
    assert!(fixture.cache().maker(&key, PATIENT).is_none());
    fs::remove_dir(&path).unwrap();
    let target = fixture.folder.path().join("target");
    fs::write(&target, "untouched").unwrap();
    symlink(&target, &path).unwrap();
    assert!(fixture.cache().maker(&key, PATIENT).is_none());
    assert_eq!(fs::read_to_string(target).unwrap(), "untouched");
}

#[test]
fn a_cache_that_was_removed_while_it_was_open_is_made_again() {
    let fixture = Fixture::new();
    let cache = fixture.cache();
    assert!(cache.get(&inputs(1)).unwrap().is_some());
    fs::remove_dir_all(fixture.root()).unwrap();
    assert!(cache.get(&inputs(1)).unwrap().is_none());
    cache.put(&inputs(1), b"again").unwrap();
    assert_eq!(fixture.get(), Ok(Some(b"again".to_vec())));
}

#[test]
fn the_quarantine_keeps_the_last_sixteen() {
    let fixture = Fixture::new();
    let cache = fixture.cache();
    for number in 0..20 {
        cache.put(&inputs(number), b"bad").unwrap();
        cache.quarantine(&inputs(number).key());
    }
    assert_eq!(fixture.names_in("quarantine").len(), 16);
    assert_eq!(cache.entries().unwrap(), []);
}

#[test]
fn a_directory_in_the_quarantine_does_not_let_it_grow() {
    let fixture = Fixture::new();
    let cache = fixture.cache();
    let directory = fixture.root().join("v1/quarantine").join(inputs(99).key().to_string());
    fs::create_dir(directory).unwrap();
    fs::create_dir(fixture.root().join("v1/quarantine/other")).unwrap();
    for number in 0..20 {
        cache.put(&inputs(number), b"bad").unwrap();
        cache.quarantine(&inputs(number).key());
    }
    assert_eq!(fixture.names_in("quarantine").len(), 17, "sixteen, and what has no name of ours");
}

#[test]
fn prunes_what_was_not_used_for_longest() {
    let fixture = Fixture::new();
    let cache = fixture.cache();
    let now = SystemTime::now();
    for number in 1..=4 {
        cache.put(&inputs(number), &[0; 872]).unwrap();
        let path = cache.entry_path(&inputs(number).key()).unwrap();
        let used = now - Duration::from_secs(3600 * u64::from(number));
        File::open(path).unwrap().set_modified(used).unwrap();
    }
    let present = || [1, 2, 3, 4].map(|number| cache.get(&inputs(number)).unwrap().is_some());
    let limits = PruneLimits { older_than: Some(Duration::from_secs(3600 * 4 - 60)), max_bytes: None };
    let report =
        PruneReport { removed: 1, removed_bytes: 1000, kept: 3, kept_bytes: 3000, ..PruneReport::default() };
    assert_eq!(cache.prune(limits), Ok(report));
    assert_eq!(present(), [true, true, true, false]);
    let report =
        PruneReport { removed: 2, removed_bytes: 2000, kept: 1, kept_bytes: 1000, ..PruneReport::default() };
    assert_eq!(cache.prune(PruneLimits { older_than: None, max_bytes: Some(1999) }), Ok(report));
    assert_eq!(present(), [true, false, false, false]);
}

#[test]
fn a_use_is_noted_once_a_day() {
    let fixture = Fixture::new();
    let used = || fs::metadata(fixture.entry()).unwrap().modified().unwrap();
    let set = |age: u64| {
        let time = SystemTime::now() - Duration::from_secs(age);
        File::open(fixture.entry()).unwrap().set_modified(time).unwrap();
        time
    };
    let recent = set(3600);
    fixture.get().unwrap();
    assert_eq!(used(), recent);
    let old = set(3600 * 25);
    fixture.get().unwrap();
    assert!(used() > old + Duration::from_secs(3600 * 24));
}

#[test]
fn cleaning_removes_what_is_ours_and_nothing_else() {
    let fixture = Fixture::new();
    let foreign = fixture.entry().with_file_name("README");
    fs::write(&foreign, "not ours").unwrap();
    let cache = fixture.cache();
    cache.put(&inputs(2), b"bad").unwrap();
    cache.quarantine(&inputs(2).key());
    assert_eq!(cache.clean().unwrap().removed, 2);
    assert!(foreign.exists());
    assert_eq!(cache.entries().unwrap(), []);
    assert_eq!(fixture.names_in("quarantine"), [""; 0]);
}

#[test]
fn what_cannot_be_removed_does_not_keep_the_rest() {
    // Each case names the expected report.
    let in_the_way: [fn(&Path) -> &'static str; 2] = [
        |entry| {
            make_deep_directory(entry);
            "CACHE-IO"
        },
        |entry| {
            let shard = entry.parent().unwrap();
            fs::remove_dir(shard).unwrap();
            symlink("elsewhere", shard).unwrap();
            "CACHE-SYMLINK"
        },
    ];
    for put_in_the_way in in_the_way {
        for remove in [Cache::clean, |cache: &Cache| {
            cache.prune(PruneLimits { older_than: Some(Duration::ZERO), max_bytes: None })
        }] {
            let fixture = Fixture::new();
            let cache = fixture.cache();
            // One shard is visited before it, the other after it.
            let others = (2..=255).map(inputs).filter(|other| other.key().0[0] != inputs(1).key().0[0]);
            let others: Vec<_> = others.collect();
            others.iter().for_each(|other| cache.put(other, b"other").unwrap());
            fs::remove_file(fixture.entry()).unwrap();
            let code = put_in_the_way(&fixture.entry());
            let report = remove(&cache).unwrap();
            let codes: Vec<_> = report.faults.iter().map(CacheFault::code).collect();
            assert_eq!((&codes[..], report.failed), (&[code][..], 1));
            assert_eq!((report.removed, report.kept), (others.len() as u64, 0), "{code}");
            assert!(others.iter().all(|other| matches!(cache.get(other), Ok(None))), "{code}");
        }
    }
}

#[test]
fn each_of_what_cannot_be_removed_is_reported_up_to_a_hundred() {
    let fixture = Fixture::new();
    let cache = fixture.cache();
    let path = |number| cache.entry_path(&inputs(number).key()).unwrap();
    // A refused shard, and refused entries in other shards.
    let shard = path(2).parent().unwrap().to_owned();
    symlink("elsewhere", &shard).unwrap();
    let entries: Vec<_> = (3..=255).map(path).filter(|entry| !entry.starts_with(&shard)).collect();
    entries.iter().for_each(|entry| drop(make_deep_directory(entry)));
    let report = cache.clean().unwrap();
    let failed = 1 + entries.len() as u64;
    assert_eq!((report.removed, report.failed, report.faults.len()), (1, failed, 100));
    assert!(report.faults.iter().all(|fault| ["CACHE-SYMLINK", "CACHE-IO"].contains(&fault.code())));
}

#[test]
fn a_link_in_place_of_the_lock_is_refused() {
    let fixture = Fixture::new();
    let path = fixture.root().join("v1/lock");
    symlink("elsewhere", &path).unwrap();
    assert_eq!(fixture.cache().clean(), Err(CacheFault::Symlink { path }));
}

#[test]
fn pruning_leaves_the_work_to_a_process_that_holds_the_lock() {
    let fixture = Fixture::new();
    let lock = fixture.root().join("v1/lock");
    let held = File::create(&lock).unwrap();
    held.lock().unwrap();
    assert_eq!(fixture.cache().clean(), Err(CacheFault::Locked { path: lock }));
    assert_eq!(fixture.get(), Ok(Some(b"one".to_vec())), "readers do not wait");
}

#[test]
fn verifying_moves_aside_what_is_proven_bad() {
    let fixture = Fixture::new();
    let cache = fixture.cache();
    let good = crate::compile::compile(b"{}", &crate::compile::CompileOptions::default()).unwrap();
    cache.put(&inputs(2), &good.bytes).unwrap();
    let report = cache.verify().unwrap();
    assert_eq!((report.good, report.bad.len(), report.unread.len()), (1, 1, 0));
    let (key, fault) = &report.bad[0];
    assert_eq!(*key, inputs(1).key());
    assert!(matches!(fault, EntryFault::Document(error) if error.kind().code() == "ENV-START"), "{fault:?}");
    assert_eq!(fixture.names_in("quarantine"), [inputs(1).key().to_string()]);
    let entries = cache.entries().unwrap();
    assert_eq!(entries.len(), 1);
    assert_eq!(entries[0].1.as_ref().unwrap().document_type, "document");
}
