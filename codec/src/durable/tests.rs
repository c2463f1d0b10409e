//! Tests of [`write`](super::write()).

use super::*;
use crate::compile::{CompileOptions, compile};

fn state(serial: u32, lineage: &str) -> Vec<u8> {
    let source = format!(r#"{{"serial": {serial}, "lineage": "{lineage}", "resources": []}}"#);
    compile(source.as_bytes(), &CompileOptions::default()).unwrap().bytes
}

fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.coco");
    (folder, path)
}

fn names(folder: &tempfile::TempDir) -> Vec<OsString> {
    let mut names: Vec<OsString> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    names
}

#[test]
fn keeps_the_last_good_one() {
    let (folder, path) = folder();
    let backup = folder.path().join("state.coco.bak");
    assert_eq!(write(&path, &state(1, "x"), Replace::default()).unwrap(), Written { backup: None });
    let second = write(&path, &state(2, "x"), Replace::default()).unwrap();
    assert_eq!(second, Written { backup: Some(backup.clone()) });
    write(&path, &state(2, "x"), Replace::default()).unwrap();
    write(&path, &state(3, "x"), Replace::default()).unwrap();
    assert_eq!(fs::read(&path).unwrap(), state(3, "x"));
    assert_eq!(fs::read(&backup).unwrap(), state(2, "x"));
    assert_eq!(names(&folder), ["state.coco", "state.coco.bak"]);
}

#[test]
#[cfg(unix)]
fn a_pipe_in_place_of_the_old_one_is_not_waited_for() {
    let (folder, path) = folder();
    rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::RWXU).unwrap();
    let error = write(&path, &state(1, "x"), Replace::default()).unwrap_err();
    let DurableError::Io { operation: "read", error, .. } = error else { panic!("{error}") };
    assert_eq!(error.to_string(), "expected a regular file, found a pipe, socket or device");
    assert_eq!(names(&folder), ["state.coco"]);
}

#[test]
fn a_damaged_file_does_not_push_out_the_good_one() {
    let (folder, path) = folder();
    write(&path, &state(1, "x"), Replace::default()).unwrap();
    write(&path, &state(2, "x"), Replace::default()).unwrap();
    let mut damaged = state(2, "x");
    let last = damaged.len() - 1;
    damaged[last] ^= 1;
    fs::write(&path, damaged).unwrap();
    assert_eq!(write(&path, &state(3, "x"), Replace::default()).unwrap(), Written { backup: None });
    assert_eq!(fs::read(folder.path().join("state.coco.bak")).unwrap(), state(1, "x"));
}

#[test]
fn the_same_once_more_does_not_push_out_the_good_one() {
    let (folder, path) = folder();
    for serial in [1, 2, 2] {
        write(&path, &state(serial, "x"), Replace::default()).unwrap();
    }
    assert_eq!(write(&path, &state(2, "x"), Replace::default()).unwrap(), Written { backup: None });
    assert_eq!(fs::read(&path).unwrap(), state(2, "x"));
    assert_eq!(fs::read(folder.path().join("state.coco.bak")).unwrap(), state(1, "x"));
}

#[test]
fn refuses_to_replace_a_newer_one_by_accident() {
    let (folder, path) = folder();
    write(&path, &state(7, "x"), Replace::default()).unwrap();
    let error = write(&path, &state(6, "x"), Replace::default()).unwrap_err();
    assert!(matches!(error, DurableError::Newer { what: "serial", found: 7, new: 6 }), "{error}");
    assert_eq!(fs::read(&path).unwrap(), state(7, "x"));
    assert_eq!(names(&folder), ["state.coco"]);
    write(&path, &state(6, "other"), Replace::default()).unwrap();
    write(&path, &state(5, "other"), Replace::Always).unwrap();
    assert_eq!(fs::read(&path).unwrap(), state(5, "other"));
}

#[test]
fn refuses_to_replace_a_file_of_a_later_version() {
    let (_folder, path) = folder();
    fs::write(&path, "application/vnd.coconut+msgpack; document-type=cocogl; version=9\n\n").unwrap();
    let error = write(&path, &state(1, "x"), Replace::default()).unwrap_err();
    let DurableError::Newer { what, found, new } = error else { panic!("{error}") };
    assert_eq!((what, found, new), ("version of the format", 9, 1));
}

#[test]
fn refuses_to_replace_a_file_that_needs_a_newer_reader() {
    let (_folder, path) = folder();
    let mut newer = state(1, "x");
    let flags = newer.len() - 28 + 18;
    newer[flags] |= 2;
    crate::crafted::repair(&mut newer);
    fs::write(&path, &newer).unwrap();
    let error = write(&path, &state(9, "x"), Replace::default()).unwrap_err();
    assert_eq!(error.code(), "SNAP-NEWER");
    let DurableError::NewerFile(error) = error else { panic!("{error}") };
    assert_eq!(error.kind(), ErrorKind::NewerFrame);
    assert_eq!(fs::read(&path).unwrap(), newer);
}

#[test]
fn replaces_only_the_file_that_was_read_before() {
    let (_folder, path) = folder();
    let digest = |bytes: &[u8]| -> [u8; 32] { Sha256::digest(bytes).into() };
    let first = state(1, "x");
    let error = write(&path, &first, Replace::IfUnchanged([0; 32])).unwrap_err();
    assert!(matches!(error, DurableError::Changed { found: None }), "{error}");
    write(&path, &first, Replace::IfAbsent).unwrap();
    let error = write(&path, &first, Replace::IfAbsent).unwrap_err();
    assert!(matches!(error, DurableError::Changed { found: Some(found) } if found == digest(&first)));
    write(&path, &state(2, "x"), Replace::IfUnchanged(digest(&first))).unwrap();
    let error = write(&path, &state(3, "x"), Replace::IfUnchanged(digest(&first))).unwrap_err();
    assert_eq!(error.code(), "SNAP-CHANGED");
    assert_eq!(fs::read(&path).unwrap(), state(2, "x"));
}

#[test]
fn writes_nothing_that_is_no_whole_document() {
    let (folder, path) = folder();
    let error = write(&path, b"{}", Replace::Always).unwrap_err();
    assert_eq!(error.code(), "ENV-TEXT");
    assert!(names(&folder).is_empty());
}

#[test]
#[cfg(unix)]
fn what_killed_writers_left_is_swept_and_nothing_else() {
    let (folder, path) = folder();
    let others = ["state.coco.new-0123456789abcdef", "state.coco.new-0123456789abcdef.bak"];
    let left_over = left_overs_of(&path).into_iter().chain(left_overs_of(&folder.path().join("other.coco")));
    let left_over: Vec<PathBuf> = left_over.collect();
    for path in left_over.iter().cloned().chain(others.map(|name| folder.path().join(name))) {
        fs::write(path, "half").unwrap();
    }
    write(&path, &state(1, "x"), Replace::default()).unwrap();
    write(&path, &state(2, "x"), Replace::default()).unwrap();
    assert_eq!(left_over.iter().map(|path| path.exists()).collect::<Vec<_>>(), [false, false, true, true]);
    assert_eq!(names(&folder)[2..], ["state.coco", "state.coco.bak", others[0], others[1]]);
}

#[test]
#[cfg(unix)]
fn what_is_no_file_stays_where_one_would_be_made() {
    let (folder, path) = folder();
    fs::write(folder.path().join("mine"), "mine").unwrap();
    let [new, link] = left_overs_of(&path);
    std::os::unix::fs::symlink("mine", &new).unwrap();
    std::os::unix::fs::symlink("nothing", &link).unwrap();
    for serial in [1, 2] {
        write(&path, &state(serial, "x"), Replace::default()).unwrap();
    }
    assert_eq!(fs::read(&path).unwrap(), state(2, "x"));
    assert_eq!(fs::read(backup_of(&path)).unwrap(), state(1, "x"));
    assert_eq!(fs::read_link(&new).unwrap(), Path::new("mine"));
    assert_eq!(fs::read_link(&link).unwrap(), Path::new("nothing"));
    assert_eq!(fs::read(folder.path().join("mine")).unwrap(), b"mine");
    assert_eq!(names(&folder).len(), 5);
}

#[test]
fn a_name_may_be_as_long_as_its_backup_lets_it_be() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a".repeat(251));
    for serial in [1, 2] {
        write(&path, &state(serial, "x"), Replace::default()).unwrap();
    }
    assert_eq!(fs::read(backup_of(&path)).unwrap(), state(1, "x"));
    assert_eq!(names(&folder).len(), 2);
}

#[test]
#[cfg(unix)]
fn a_link_that_leads_to_nothing_yet_stays_a_link() {
    let (folder, path) = folder();
    let (first, second) = (folder.path().join("first"), folder.path().join("second"));
    std::os::unix::fs::symlink("second", &first).unwrap();
    std::os::unix::fs::symlink("state.coco", &second).unwrap();
    write(&first, &state(1, "x"), Replace::default()).unwrap();
    assert!(fs::symlink_metadata(&first).unwrap().is_symlink());
    assert!(fs::symlink_metadata(&second).unwrap().is_symlink());
    assert_eq!(fs::read(&path).unwrap(), state(1, "x"));
}

#[test]
#[cfg(unix)]
fn a_directory_that_somebody_holds_is_not_waited_for_without_end() {
    let (folder, path) = folder();
    let held = File::open(folder.path()).unwrap();
    held.lock().unwrap();
    let error = write_within(Duration::ZERO, &path, &state(1, "x"), Replace::Always).unwrap_err();
    let DurableError::Io { operation, path: at, error } = error else { panic!("{error}") };
    assert_eq!((operation, at.as_path(), error.kind()), ("lock", folder.path(), io::ErrorKind::TimedOut));
    assert!(names(&folder).is_empty());
    drop(held);
    write_within(Duration::ZERO, &path, &state(1, "x"), Replace::Always).unwrap();
}

#[test]
#[cfg(unix)]
fn a_link_stays_and_modes_are_kept() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, path) = folder();
    write(&path, &state(1, "x"), Replace::default()).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    let link = folder.path().join("link");
    std::os::unix::fs::symlink("state.coco", &link).unwrap();
    write(&link, &state(2, "x"), Replace::default()).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read(&path).unwrap(), state(2, "x"));
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
}

/// Creates two folders; `exchange` swaps them.
#[cfg(unix)]
fn two_folders() -> (tempfile::TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let [out, other] = ["out", "other"].map(|name| folder.path().join(name));
    fs::create_dir(&out).unwrap();
    fs::create_dir(&other).unwrap();
    (folder, out, other)
}

#[cfg(unix)]
fn exchange(a: &Path, b: &Path) {
    let between = a.with_file_name("between");
    fs::rename(a, &between).unwrap();
    fs::rename(b, a).unwrap();
    fs::rename(between, b).unwrap();
}

#[cfg(unix)]
fn names_in(folder: &Path) -> Vec<OsString> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect()
}

#[cfg(unix)]
fn is_locked(path: &Path) -> bool {
    matches!(File::open(path).unwrap().try_lock(), Err(fs::TryLockError::WouldBlock))
}

#[test]
#[cfg(unix)]
fn a_directory_that_is_exchanged_while_it_is_waited_for_is_let_go() {
    type Exchange = fn(&Path, &Path);
    let through_a_link: Exchange = |link, other| {
        fs::remove_file(link).unwrap();
        std::os::unix::fs::symlink(other, link).unwrap();
    };
    for (is_link, exchanged) in [(false, exchange as Exchange), (true, through_a_link)] {
        let (folder, first, second) = two_folders();
        let out = match is_link {
            true => folder.path().join("link"),
            false => first.clone(),
        };
        if is_link {
            std::os::unix::fs::symlink(&first, &out).unwrap();
        }
        let mut steps = Vec::new();
        let written =
            write_with(LOCK_TIMEOUT, &out.join("a.coco"), &state(1, "x"), Replace::Always, &mut |step| {
                steps.push(step);
                match step {
                    Step::Opened if steps.len() == 1 => exchanged(&out, &second),
                    Step::Opened => {}
                    // Only the folder with the name is locked.
                    Step::Locked | Step::Made => {
                        assert!(is_locked(&out));
                        assert_eq!([&first, &second].map(|folder| is_locked(folder)), [!is_link, is_link]);
                    }
                }
            });
        assert_eq!(written.unwrap(), Written { backup: None });
        assert_eq!(steps, [Step::Opened, Step::Opened, Step::Locked, Step::Made]);
        assert_eq!(fs::read(out.join("a.coco")).unwrap(), state(1, "x"));
        let left = if is_link { first } else { second };
        assert_eq!((names_in(&out).len(), names_in(&left).len()), (1, 0));
    }
}

#[test]
#[cfg(unix)]
fn a_directory_that_is_always_exchanged_is_not_waited_for_without_end() {
    let (_folder, out, other) = two_folders();
    let error = write_with(Duration::ZERO, &out.join("a.coco"), &state(1, "x"), Replace::Always, &mut |_| {
        exchange(&out, &other);
    });
    let DurableError::Io { operation: "lock", error, .. } = error.unwrap_err() else { panic!() };
    assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    assert_eq!(error.to_string(), "the directory was exchanged for 0 s");
}

/// The second writer writes to a directory other than the one it has locked.
#[test]
#[cfg(unix)]
fn a_file_in_the_making_is_no_left_over_whatever_is_locked() {
    let (_folder, out, other) = two_folders();
    let path = out.join("a.coco");
    write(&path, &state(1, "x"), Replace::Always).unwrap();
    let [making, _] = left_overs_of(&path);
    let mut inner = None;
    let outer = write_with(LOCK_TIMEOUT, &path, &state(2, "x"), Replace::Always, &mut |step| {
        if step != Step::Made {
            return;
        }
        assert_eq!(fs::read(&making).unwrap(), state(2, "x"));
        exchange(&out, &other);
        let written =
            write_with(LOCK_TIMEOUT, &path, &state(3, "x"), Replace::Always, &mut |step| match step {
                Step::Opened => {}
                Step::Locked => exchange(&out, &other),
                Step::Made => {
                    assert_eq!(fs::read(&making).unwrap(), state(2, "x"));
                    assert_eq!(names_in(&out).len(), 3);
                }
            });
        inner = Some(written);
        assert_eq!(fs::read(&making).unwrap(), state(2, "x"));
    });
    assert_eq!(outer.unwrap(), Written { backup: Some(backup_of(&path)) });
    let Some(Err(DurableError::Io { operation: "rename", error, .. })) = inner else { panic!("{inner:?}") };
    assert_eq!(error.kind(), io::ErrorKind::ResourceBusy);
    assert_eq!(error.to_string(), "the directory was exchanged for another one meanwhile");
    assert_eq!(fs::read(&path).unwrap(), state(2, "x"));
    assert_eq!(fs::read(backup_of(&path)).unwrap(), state(1, "x"));
    assert_eq!((names_in(&out).len(), names_in(&other).len()), (2, 0));
}

#[test]
#[cfg(unix)]
fn what_was_exchanged_for_the_file_in_the_making_gets_no_name() {
    let (folder, path) = folder();
    write(&path, &state(1, "x"), Replace::default()).unwrap();
    let [making, _] = left_overs_of(&path);
    for content in [None, Some("half")] {
        let error = write_with(LOCK_TIMEOUT, &path, &state(2, "x"), Replace::default(), &mut |step| {
            if step == Step::Made {
                fs::remove_file(&making).unwrap();
                content.into_iter().for_each(|content| fs::write(&making, content).unwrap());
            }
        });
        let DurableError::Io { operation: "rename", path: at, error } = error.unwrap_err() else { panic!() };
        assert_eq!((at, error.kind()), (path.clone(), io::ErrorKind::ResourceBusy));
        assert_eq!(error.to_string(), "what was written for it was removed or replaced meanwhile");
        assert_eq!(fs::read(&path).unwrap(), state(1, "x"));
        assert_eq!(fs::read_to_string(&making).ok().as_deref(), content, "it is somebody else's");
    }
    assert_eq!(names(&folder).len(), 3);
}

#[test]
#[cfg(unix)]
fn what_is_locked_is_no_left_over() {
    let (folder, path) = folder();
    write(&path, &state(1, "x"), Replace::default()).unwrap();
    let left_over = left_overs_of(&path);
    let held = left_over.each_ref().map(|path| {
        fs::write(path, "half").unwrap();
        let file = File::open(path).unwrap();
        file.lock().unwrap();
        file
    });
    write(&path, &state(2, "x"), Replace::default()).unwrap();
    assert_eq!(left_over.each_ref().map(|path| fs::read(path).unwrap()), [b"half", b"half"]);
    assert_eq!(fs::read(backup_of(&path)).unwrap(), state(1, "x"));
    assert_eq!(names(&folder).len(), 4);
    drop(held);
    write(&path, &state(3, "x"), Replace::default()).unwrap();
    assert_eq!(names(&folder), ["state.coco", "state.coco.bak"]);
    assert_eq!(fs::read(&path).unwrap(), state(3, "x"));
}
