//! The rules of packs: versions, locks, refusals, retention, and other files.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use coconut_history::{Added, Entry, HistoryError, KeyAction, Pack, Retention, Unlock};
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

/// A state with one resource for each name.
fn state(serial: u64, lineage: &str, resources: &[(&str, u64)]) -> Vec<u8> {
    let resource = |(name, size): &(&str, u64)| {
        format!(
            r#"{{"mode": "managed", "type": "t", "name": "{name}", "provider": "p", "instances": [{{"attributes": {{"size": {size}}}}}]}}"#
        )
    };
    let resources: Vec<String> = resources.iter().map(resource).collect();
    format!(
        r#"{{"version": 4, "terraform_version": "1.11.4", "serial": {serial}, "lineage": "{lineage}", "outputs": {{}}, "resources": [{}]}}"#,
        resources.join(", ")
    )
    .into_bytes()
}

fn file() -> Entry<'static> {
    Entry { source: "file", time: 1_700_000_000_000, ..Entry::default() }
}

fn under(id: &str) -> Entry<'_> {
    Entry { source: "http", lock_id: Some(id), is_state: true, ..file() }
}

fn new_pack() -> (TempDir, Pack) {
    let folder = tempfile::tempdir().unwrap();
    let pack = Pack::create(folder.path().join("s.cocohist")).unwrap();
    (folder, pack)
}

fn code<T: std::fmt::Debug>(result: Result<T, HistoryError>) -> &'static str {
    result.unwrap_err().kind().code()
}

fn verify(pack: &Pack) {
    pack.verify(None, &mut |_| {}).unwrap();
}

#[test]
fn every_version_is_returned_byte_for_byte() {
    let (_folder, mut pack) = new_pack();
    let texts: Vec<Vec<u8>> = (1..=40).map(|n| state(n, "a", &[("x", n), ("y", n / 10)])).collect();
    for text in &texts {
        assert!(matches!(pack.add(text, &file()).unwrap(), Added::New(_)));
    }
    for (n, text) in (1..).zip(&texts) {
        assert_eq!(&pack.text(n).unwrap(), text);
    }
    let versions = pack.versions().unwrap();
    assert!(versions.iter().map(|version| version.n).eq(1..=40));
    assert_eq!((versions[0].serial, versions[0].resources), (Some(1), Some(2)));
    assert!(versions[20].stored < 120, "{}", versions[20].stored);
    verify(&pack);
    drop(pack);
    let name = _folder.path().join("s.cocohist");
    let again = Pack::open_read_only(&name).unwrap();
    assert_eq!(again.newest().unwrap().unwrap().n, 40);
    assert_eq!(code(Pack::open(_folder.path().join("missing"))), "FILE-READ");
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_read_a_pack() {
    use std::os::unix::fs::PermissionsExt as _;
    let (folder, mut pack) = new_pack();
    pack.add(&state(1, "a", &[]), &file()).unwrap();
    for entry in fs::read_dir(folder.path()).unwrap() {
        let entry = entry.unwrap();
        assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{:?}", entry.path());
    }
}

#[test]
fn the_history_of_a_key_has_the_versions_that_changed_it() {
    let (_folder, mut pack) = new_pack();
    for (n, resources) in
        [&[("x", 1)][..], &[("x", 1), ("y", 1)], &[("x", 2), ("y", 1)], &[("y", 1)], &[("x", 2)]]
            .into_iter()
            .enumerate()
    {
        pack.add(&state(n as u64 + 1, "a", resources), &file()).unwrap();
    }
    use KeyAction::{Changed, Created, Deleted};
    assert_eq!(pack.log("t.x").unwrap(), [(1, Created), (3, Changed), (4, Deleted), (5, Created)]);
    assert_eq!(pack.log("t.y").unwrap(), [(2, Created), (5, Deleted)]);
    assert_eq!(pack.log("t.z").unwrap(), []);
    let diff =
        |a, b| pack.diff(a, b).unwrap().into_iter().filter(|(key, _)| !key.contains('[')).collect::<Vec<_>>();
    assert_eq!(diff(1, 3), [("t.x".to_owned(), Changed), ("t.y".to_owned(), Created)]);
    assert_eq!(diff(3, 5), [("t.y".to_owned(), Deleted)]);
    assert_eq!(diff(2, 2), []);
    assert_eq!(pack.get(3, "t.x").unwrap().unwrap().get("name").unwrap().as_str(), Some("x"));
    assert!(pack.get(4, "t.x").unwrap().is_none());
}

#[test]
fn the_same_text_is_no_new_version() {
    let (_folder, mut pack) = new_pack();
    let text = state(1, "a", &[("x", 1)]);
    pack.add(&text, &file()).unwrap();
    assert!(matches!(pack.add(&text, &file()).unwrap(), Added::Same(version) if version.n == 1));
    assert_eq!(pack.versions().unwrap().len(), 1);
}

#[test]
fn serial_numbers_grow_and_a_lineage_stays() {
    let (_folder, mut pack) = new_pack();
    pack.add(&state(5, "a", &[("x", 1)]), &file()).unwrap();
    assert_eq!(code(pack.add(&state(5, "a", &[("x", 2)]), &file())), "HIST-STALE");
    assert_eq!(code(pack.add(&state(4, "a", &[("x", 2)]), &file())), "HIST-STALE");
    assert_eq!(code(pack.add(&state(9, "b", &[("x", 2)]), &file())), "HIST-LINEAGE");
    assert_eq!(pack.versions().unwrap().len(), 1);
    assert_eq!(pack.events(10).unwrap().iter().filter(|event| event.kind == "refused").count(), 3);
    let force = Entry { force: true, ..file() };
    assert!(!pack.add(&state(8, "a", &[("x", 2)]), &force).unwrap().version().forced);
    assert!(pack.add(&state(3, "b", &[("x", 2)]), &force).unwrap().version().forced);
    let forced = &pack.events(1).unwrap()[0];
    assert_eq!((forced.kind.as_str(), forced.n), ("forced", Some(3)));
    // Nothing is lost with an empty state.
    pack.add(&state(4, "b", &[]), &file()).unwrap();
    pack.add(&state(1, "c", &[("x", 1)]), &file()).unwrap();
    verify(&pack);
}

#[test]
fn only_a_state_is_stored_where_one_is_required() {
    let (_folder, mut pack) = new_pack();
    let entry = Entry { is_state: true, ..file() };
    let cases: [(&[u8], &str); 6] = [
        (b"{\"version\": 4, \"serial\": 1}", "HIST-STATE"),
        (b"{\"version\": 4, \"lineage\": \"a\", \"serial\": -1}", "HIST-STATE"),
        (b"{\"lineage\": \"a\", \"serial\": 1}", "HIST-STATE"),
        (b"[1]", "HIST-STATE"),
        (b"", "SRC-JSON"),
        (b"{\"a\": ", "SRC-JSON"),
    ];
    for (text, expected) in cases {
        assert_eq!(code(pack.add(text, &entry)), expected, "{}", String::from_utf8_lossy(text));
    }
    let encrypted =
        br#"{"serial": 3, "lineage": "a", "meta": {}, "encrypted_data": "AAAA", "encryption_version": "v0"}"#;
    pack.add(encrypted, &entry).unwrap();
    let newest = pack.newest().unwrap().unwrap();
    assert_eq!((newest.dialect.as_deref(), newest.is_empty), (Some("encrypted"), false));
    assert_eq!(pack.keys().unwrap(), [""; 0]);
    verify(&pack);
}

#[test]
fn a_lock_is_held_until_it_is_freed() {
    let (folder, mut pack) = new_pack();
    let info = |id: &str| {
        format!(
            r#"{{"ID": "{id}", "Operation": "OperationTypeApply", "Who": "ada@host", "Version": "1.11.4"}}"#
        )
    };
    pack.lock("one", &info("one"), &file()).unwrap();
    // The first answer may have been lost.
    pack.lock("one", &info("one"), &file()).unwrap();
    assert_eq!(code(pack.lock("two", &info("two"), &file())), "HIST-LOCKED");
    assert_eq!(code(pack.unlock(Unlock::Id("two"), &file())), "HIST-LOCKED");
    assert_eq!(code(pack.unlock(Unlock::BlindRefused, &file())), "HIST-LOCKED");
    assert_eq!(code(pack.add(&state(1, "a", &[("x", 1)]), &file())), "HIST-LOCKED");
    assert_eq!(code(pack.add(&state(1, "a", &[("x", 1)]), &under("two"))), "HIST-LOCKED");
    // Another process sees it, also after a restart.
    drop(pack);
    let mut pack = Pack::open(folder.path().join("s.cocohist")).unwrap();
    assert_eq!(pack.holder().unwrap().unwrap().info, info("one"));
    let version = pack.add(&state(1, "a", &[("x", 1)]), &under("one")).unwrap().version().clone();
    let facts = [version.lock_id, version.who, version.operation, version.client];
    let expected = ["one", "ada@host", "OperationTypeApply", "1.11.4"];
    assert_eq!(facts.map(Option::unwrap_or_default), expected);
    assert_eq!(pack.unlock(Unlock::Id("one"), &file()).unwrap().unwrap().id, "one");
    assert_eq!(pack.unlock(Unlock::Id("one"), &file()).unwrap(), None);
    let needs_lock = Entry { needs_lock: true, ..file() };
    assert_eq!(code(pack.add(&state(2, "a", &[("x", 2)]), &needs_lock)), "HIST-LOCKED");
}

#[test]
fn a_client_whose_lock_was_freed_by_force_cannot_write() {
    let (_folder, mut pack) = new_pack();
    pack.lock("dead", "{}", &file()).unwrap();
    assert_eq!(pack.unlock(Unlock::Blind, &file()).unwrap().unwrap().id, "dead");
    assert_eq!(code(pack.add(&state(1, "a", &[("x", 1)]), &under("dead"))), "HIST-LOCKED");
    pack.lock("next", "{}", &file()).unwrap();
    pack.add(&state(1, "a", &[("x", 1)]), &under("next")).unwrap();
    assert_eq!(code(pack.add(&state(2, "a", &[("x", 2)]), &under("dead"))), "HIST-LOCKED");
    pack.add(&state(2, "a", &[("x", 3)]), &under("next")).unwrap();
    // The first version after it has a label, and no other.
    assert_eq!(pack.labels().unwrap(), [("after-blind-unlock-1".to_owned(), 1)]);
    let kinds: Vec<String> = pack.events(20).unwrap().into_iter().rev().map(|event| event.kind).collect();
    assert_eq!(kinds, ["lock", "blind-unlock", "refused", "lock", "label", "refused"]);
}

#[test]
fn a_version_has_many_names() {
    let (_folder, mut pack) = new_pack();
    for n in 1..=5 {
        let entry = Entry { time: n * 86_400_000, ..file() };
        pack.add(&state(n.unsigned_abs() * 10, "a", &[("x", n.unsigned_abs())]), &entry).unwrap();
    }
    pack.label(2, "before-upgrade", &file()).unwrap();
    let n = |name: &str| pack.resolve(name).unwrap().n;
    let digest: String =
        pack.versions().unwrap()[3].sha_256.iter().map(|byte| format!("{byte:02x}")).collect();
    let chain: String = pack.versions().unwrap()[3].chain.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(
        [n("3"), n("~0"), n("~4"), n("@1970-01-04"), n("serial:20"), n("before-upgrade")],
        [3, 5, 1, 3, 2, 2]
    );
    assert_eq!([n(&digest[..8]), n(&chain[..12].to_uppercase()), n("2030-01-01")], [4, 4, 5]);
    for wrong in ["6", "0", "~5", "serial:11", "@1970-01-01", "unknown", "ffffffffff", "%", ""] {
        assert_eq!(code(pack.resolve(wrong)), "HIST-REV", "{wrong}");
    }
    assert_eq!(code(pack.label(9, "x", &file())), "HIST-REV");
    assert_eq!(code(pack.label(1, "deadbeef", &file())), "HIST-REV");
    assert!(pack.unlabel("before-upgrade", &file()).unwrap());
    assert!(!pack.unlabel("before-upgrade", &file()).unwrap());
}

#[test]
fn the_order_is_that_of_numbers_if_the_clock_goes_back() {
    let (_folder, mut pack) = new_pack();
    for (n, time) in [(1, 3000), (2, 1000), (3, 2000)] {
        pack.add(&state(n, "a", &[("x", n)]), &Entry { time, ..file() }).unwrap();
    }
    assert_eq!(pack.newest().unwrap().unwrap().n, 3);
    assert_eq!(pack.resolve("1970-01-01T00:00:01Z").unwrap().n, 2);
    verify(&pack);
}

#[test]
fn old_texts_are_removed_and_the_rest_stays() {
    let (folder, mut pack) = new_pack();
    // Large values that change, so that texts have a size.
    let text = |n: u64| state(n, "a", &[("x", n % 3), ("y", 7)]);
    for n in 1..=50 {
        pack.add(&text(n), &file()).unwrap();
    }
    pack.label(7, "keep-this", &file()).unwrap();
    let retention = Retention { last: 10, ..Retention::default() };
    let would = pack.would_prune(&retention).unwrap();
    let chain = pack.newest().unwrap().unwrap().chain;
    assert_eq!(pack.prune(&retention, &file(), &mut |_| {}).unwrap(), would);
    let kept: Vec<u64> = [7].into_iter().chain(41..=50).collect();
    assert_eq!(would.kept, kept);
    for n in 1..=50 {
        match kept.contains(&n) {
            true => assert_eq!(pack.text(n).unwrap(), text(n)),
            false => assert_eq!(code(pack.text(n)), "HIST-REV"),
        }
    }
    // All records are there, so the chain is whole.
    let verified = pack.verify(None, &mut |_| {}).unwrap();
    assert_eq!((verified.versions, verified.texts, verified.chain), (50, 11, chain));
    // What changed is now relative to the version before that stays: 7, 41, 42 …
    assert_eq!(pack.log("t.y").unwrap(), [(7, KeyAction::Created)]);
    assert_eq!(pack.log("t.x").unwrap().first(), Some(&(7, KeyAction::Created)));
    assert!(
        pack.log("t.x").unwrap()[1..]
            .iter()
            .all(|(n, action)| (41..=50).contains(n) && *action == KeyAction::Changed)
    );
    pack.add(&text(51), &file()).unwrap();
    assert_eq!(pack.newest().unwrap().unwrap().n, 51);
    assert_eq!(pack.prune(&retention, &file(), &mut |_| {}).unwrap().removed, [41]);
    verify(&pack);
    drop(pack);
    verify(&Pack::open_read_only(folder.path().join("s.cocohist")).unwrap());
}

#[test]
fn restoring_adds_a_version() {
    let (_folder, mut pack) = new_pack();
    let first = state(3, "a", &[("x", 1)]);
    pack.add(&first, &file()).unwrap();
    pack.add(&state(8, "a", &[("x", 2)]), &file()).unwrap();
    pack.lock("held", "{}", &file()).unwrap();
    assert_eq!(code(pack.restore(1, &file())), "HIST-LOCKED");
    pack.unlock(Unlock::Id("held"), &file()).unwrap();
    let restored = pack.restore(1, &file()).unwrap().version().clone();
    assert_eq!((restored.n, restored.serial, restored.source.as_str()), (3, Some(9), "restore"));
    let expected = String::from_utf8(first).unwrap().replace("\"serial\": 3", "\"serial\": 9");
    assert_eq!(String::from_utf8(pack.text(3).unwrap()).unwrap(), expected);
    assert!(matches!(pack.restore(3, &file()).unwrap(), Added::Same(version) if version.n == 3));
    verify(&pack);
}

#[test]
fn a_write_can_depend_on_the_newest_version() {
    let (_folder, mut pack) = new_pack();
    let none = Entry { if_newest: Some([7; 32]), ..file() };
    assert_eq!(code(pack.add(&state(1, "a", &[("x", 1)]), &none)), "HIST-CHANGED");
    let sha_256 = pack.add(&state(1, "a", &[("x", 1)]), &file()).unwrap().version().sha_256;
    let entry = Entry { if_newest: Some(sha_256), ..file() };
    pack.add(&state(2, "a", &[("x", 2)]), &entry).unwrap();
    assert_eq!(code(pack.add(&state(3, "a", &[("x", 3)]), &entry)), "HIST-CHANGED");
}

#[test]
fn a_backup_is_a_pack_and_replaces_nothing() {
    let (folder, mut pack) = new_pack();
    for n in 1..=5 {
        pack.add(&state(n, "a", &[("x", n)]), &file()).unwrap();
    }
    let copy = folder.path().join("copy.cocohist");
    pack.backup(&copy).unwrap();
    let copied = Pack::open_read_only(&copy).unwrap();
    assert_eq!(copied.versions().unwrap(), pack.versions().unwrap());
    verify(&copied);
    assert_eq!(code(pack.backup(&copy)), "FILE-READ");
    let names: Vec<PathBuf> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(!names.iter().any(|name| name.extension().is_some_and(|end| end == "part")), "{names:?}");
}

#[test]
fn two_writers_lose_nothing() {
    let (folder, pack) = new_pack();
    drop(pack);
    let name = folder.path().join("s.cocohist");
    std::thread::scope(|scope| {
        for writer in ["one", "two"] {
            let name = &name;
            scope.spawn(move || {
                let mut pack = Pack::open(name).unwrap();
                for n in 0..60 {
                    let text = format!("{{\"vertices\": {{\"{writer}\": {{\"type\": \"t\", \"n\": {n}}}}}}}");
                    assert!(matches!(pack.add(text.as_bytes(), &file()).unwrap(), Added::New(_)));
                }
            });
        }
    });
    let pack = Pack::open(&name).unwrap();
    assert!(pack.versions().unwrap().iter().map(|version| version.n).eq(1..=120));
    verify(&pack);
}

#[cfg(unix)]
#[test]
fn a_replaced_file_is_not_written_to() {
    let (folder, mut pack) = new_pack();
    pack.add(&state(1, "a", &[("x", 1)]), &file()).unwrap();
    let name = folder.path().join("s.cocohist");
    fs::rename(&name, folder.path().join("elsewhere")).unwrap();
    let error = pack.add(&state(2, "a", &[("x", 2)]), &file()).unwrap_err();
    assert_eq!(error.kind().to_string(), "the pack was replaced or deleted while it was open");
}

#[test]
fn other_files_are_not_packs() {
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().join("x");
    let mut header = b"SQLite format 3\0".to_vec();
    header.resize(4096, 0);
    for content in [&b"{\"a\": 1}"[..], b"SQLite format 3\0", &header, &[0; 5000]] {
        fs::write(&name, content).unwrap();
        assert_eq!(code(Pack::open(&name)), "HIST-PACK", "{}", content.len());
        assert_eq!(code(Pack::create(&name)), "HIST-PACK");
        assert_eq!(fs::read(&name).unwrap(), content);
    }
    assert_eq!(code(Pack::open(folder.path())), "HIST-PACK");
}

#[test]
fn a_pack_of_a_later_tool_or_with_other_tables_is_refused() {
    let (folder, pack) = new_pack();
    drop(pack);
    let name = folder.path().join("s.cocohist");
    let connection = rusqlite::Connection::open(&name).unwrap();
    connection.pragma_update(None, "user_version", 2).unwrap();
    drop(connection);
    assert_eq!(code(Pack::open(&name)), "HIST-NEWER");
    let connection = rusqlite::Connection::open(&name).unwrap();
    connection.pragma_update(None, "user_version", 1).unwrap();
    connection
        .execute_batch("CREATE TRIGGER evil AFTER INSERT ON version BEGIN DELETE FROM blob; END")
        .unwrap();
    drop(connection);
    assert_eq!(code(Pack::open(&name)), "HIST-DAMAGED");
}

#[test]
fn changed_records_and_texts_are_found() {
    let (folder, mut pack) = new_pack();
    for n in 1..=9 {
        pack.add(&state(n, "a", &[("x", n)]), &file()).unwrap();
    }
    let chain: String = pack.versions().unwrap()[4].chain.iter().map(|byte| format!("{byte:02x}")).collect();
    assert!(pack.verify(Some(&chain[..16]), &mut |_| {}).is_ok());
    assert_eq!(code(pack.verify(Some("0000000000"), &mut |_| {})), "HIST-CHAIN");
    drop(pack);
    let name = folder.path().join("s.cocohist");
    let original = fs::read(&name).unwrap();
    let cases = [
        ("UPDATE version SET who = 'eve' WHERE n = 4", "HIST-CHAIN", "broken at version 4"),
        ("UPDATE version SET time = 0 WHERE n = 9", "HIST-CHAIN", "broken at version 9"),
        ("DELETE FROM version WHERE n = 5", "HIST-CHAIN", "broken at version 6"),
        (
            "UPDATE blob SET z = (SELECT z FROM blob WHERE slot = 2) WHERE slot = 3",
            "HIST-DAMAGED",
            "affected versions: 4",
        ),
        ("UPDATE blob SET base = 7 WHERE slot = 5", "HIST-DAMAGED", "affected versions: 6"),
        ("UPDATE blob SET len = 4294967296 WHERE slot = 8", "HIST-DAMAGED", "affected versions: 9"),
        ("DELETE FROM blob WHERE slot = 4", "HIST-DAMAGED", "affected versions: 5, 6, 7, 8"),
        ("UPDATE key SET digest = zeroblob(16) WHERE id = 1", "HIST-DAMAGED", "the index of keys"),
    ];
    for (change, expected, message) in cases {
        fs::write(&name, &original).unwrap();
        rusqlite::Connection::open(&name).unwrap().execute_batch(change).unwrap();
        let error = Pack::open(&name).unwrap().verify(None, &mut |_| {}).unwrap_err();
        assert_eq!(error.kind().code(), expected, "{change}: {error}");
        assert!(error.to_string().contains(message), "{change}: {error}");
    }
}

#[test]
fn a_damaged_page_never_gives_a_wrong_text() {
    let (folder, mut pack) = new_pack();
    let text = |n: u64| state(n, "a", &[("x", n * 7919), ("y", n), ("z", n * n)]);
    for n in 1..=60 {
        pack.add(&text(n), &file()).unwrap();
    }
    drop(pack);
    let name = folder.path().join("s.cocohist");
    let original = fs::read(&name).unwrap();
    let pages = original.len() / 1024;
    let (mut found, mut lost) = (0, 0);
    for page in 0..pages {
        let mut damaged = original.clone();
        for byte in &mut damaged[page * 1024 + 200..page * 1024 + 900] {
            *byte ^= 0x5a;
        }
        fs::write(&name, &damaged).unwrap();
        let Ok(pack) = Pack::open_read_only(&name) else {
            found += 1;
            continue;
        };
        let unreadable: Vec<u64> = (1..=60)
            .filter(|&n| match pack.text(n) {
                Ok(read) => {
                    assert_eq!(read, text(n), "page {page}");
                    false
                }
                Err(_) => true,
            })
            .collect();
        lost += unreadable.len();
        match pack.verify(None, &mut |_| {}) {
            // The page has only events, free space or labels.
            Ok(_) => assert_eq!(unreadable, [0; 0], "page {page}"),
            Err(error) => {
                found += 1;
                let message = error.to_string();
                for n in unreadable {
                    let named = format!(" {n}");
                    assert!(
                        message.split([':', ',']).any(|part| part == named),
                        "page {page}: {n}: {message}"
                    );
                }
            }
        }
    }
    assert!(found > pages / 2 && lost > 0, "{found} of {pages}, {lost}");
}

#[test]
fn files_of_random_bytes_never_end_the_process() {
    let (folder, mut pack) = new_pack();
    for n in 1..=4 {
        pack.add(&state(n, "a", &[("x", n)]), &file()).unwrap();
    }
    drop(pack);
    let name = folder.path().join("s.cocohist");
    let original = fs::read(&name).unwrap();
    let mut seed = 0x2545_f491_4f6c_dd1du64;
    let mut random = move || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        usize::try_from(seed >> 33).unwrap()
    };
    for _ in 0..300 {
        let mut damaged = original.clone();
        for _ in 0..1 + random() % 20 {
            let at = random() % damaged.len();
            damaged[at] = random().to_le_bytes()[0];
        }
        damaged.truncate(original.len() - random() % 2 * (random() % original.len()));
        fs::write(&name, &damaged).unwrap();
        if let Ok(pack) = Pack::open_read_only(&name) {
            for n in 1..=4 {
                if let Ok(text) = pack.text(n) {
                    assert_eq!(text, state(n, "a", &[("x", n)]));
                }
            }
            let _ = (pack.verify(None, &mut |_| {}), pack.log("t.x"), pack.events(10), pack.holder());
        }
    }
}

#[test]
fn a_writer_waits_for_another_one_only_for_a_time() {
    let (folder, mut pack) = new_pack();
    pack.add(&state(1, "a", &[("x", 1)]), &file()).unwrap();
    let other = rusqlite::Connection::open(folder.path().join("s.cocohist")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(code(pack.add(&state(2, "a", &[("x", 2)]), &file())), "HIST-BUSY");
    // Reading goes on.
    assert_eq!(pack.text(1).unwrap(), state(1, "a", &[("x", 1)]));
    other.execute_batch("ROLLBACK").unwrap();
    pack.add(&state(2, "a", &[("x", 2)]), &file()).unwrap();
    let long = vec![b' '; usize::try_from(coconut_history::limits::TEXT).unwrap() + 1];
    assert_eq!(code(pack.add(&long, &file())), "HIST-TEXT");
}
