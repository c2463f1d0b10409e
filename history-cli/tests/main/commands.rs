//! The commands of `coco-history`, run as a user runs them.

use coconut_testing::{missing, testdata};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

fn run(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_coco-history"))
        .args(arguments)
        .current_dir(folder)
        .env("USER", "ada")
        .output()
        .unwrap()
}

/// Standard output and the exit code.
fn result(folder: &Path, arguments: &[&str]) -> (String, i32) {
    let output = run(folder, arguments);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(!text.contains("hunter"), "a secret is shown by {arguments:?}: {text}");
    (text, output.status.code().unwrap())
}

fn good(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(!text.contains("hunter"), "a secret is shown by {arguments:?}: {text}");
    text
}

/// The code of the failure, and the exit code.
fn failure(folder: &Path, arguments: &[&str]) -> (String, i32) {
    let output = run(folder, arguments);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!text.contains("hunter"), "a secret is shown by {arguments:?}: {text}");
    let code = text.split(['[', ']']).nth(1).unwrap_or_default().to_owned();
    (code, output.status.code().unwrap())
}

fn state(serial: u64, size: u64) -> String {
    format!(
        r#"{{"version": 4, "terraform_version": "1.11.4", "serial": {serial}, "lineage": "a", "outputs": {{}}, "resources": [
  {{"mode": "managed", "type": "db", "name": "main", "provider": "p", "instances": [{{"attributes":
    {{"size": {size}, "password": "hunter{serial}"}}, "sensitive_attributes": [[{{"type": "get_attr", "value": "password"}}]]}}]}},
  {{"mode": "managed", "type": "net", "name": "web", "provider": "p", "instances": [{{"attributes": {{"cidr": "10.0.0.0/8"}}}}]}}]}}
"#
    )
}

/// A folder with three versions of a state, and a pack of them.
fn shop() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (n, size) in [(1, 10), (2, 10), (3, 20)] {
        fs::write(folder.path().join(format!("{n}.tfstate")), state(n, size)).unwrap();
    }
    good(folder.path(), &["add", "s.cocohist", "1.tfstate", "2.tfstate", "3.tfstate", "--label", "live"]);
    folder
}

#[test]
fn versions_are_listed_with_what_they_change() {
    let folder = shop();
    let list = good(folder.path(), &["ls", "s.cocohist"]);
    let lines: Vec<&str> = list.lines().collect();
    assert_eq!(lines.len(), 3, "{list}");
    assert!(
        lines[0].contains("      3  ") && lines[0].contains("2 resources  serial 3  ada  [live]"),
        "{list}"
    );
    assert!(lines[2].contains("+"), "{list}");
    let json = good(folder.path(), &["ls", "s.cocohist", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (json["versions"][2]["n"].as_u64(), json["versions"][2]["resources"].as_u64()),
        (Some(3), Some(2))
    );
    assert!(good(folder.path(), &["ls", "s.cocohist", "--sizes"]).contains("bytes, stored"));
}

#[test]
fn a_resource_is_followed_through_time() {
    let folder = shop();
    let log = good(folder.path(), &["log", "s.cocohist", "db.main"]);
    let starts: Vec<&str> = log.lines().map(|line| &line[..8]).collect();
    assert_eq!(starts, ["~      3", "~      2", "+      1"], "{log}");
    assert!(log.contains("  ada"), "{log}");
    assert_eq!(good(folder.path(), &["log", "s.cocohist", "net.web"]).lines().count(), 1);
    let patch = good(folder.path(), &["log", "s.cocohist", "db.main", "--patch"]);
    assert!(patch.contains("size = 10 → 20") && !patch.contains("net.web"), "{patch}");
    assert_eq!(failure(folder.path(), &["log", "s.cocohist", "db.mian"]), ("KEY-MISSING".to_owned(), 1));
}

#[test]
fn differences_and_values_have_no_secrets() {
    let folder = shop();
    let (diff, exit) = result(folder.path(), &["diff", "s.cocohist"]);
    assert!(diff.contains("size = 10 → 20") && exit == 1, "{diff}");
    let (diff, exit) = result(folder.path(), &["diff", "s.cocohist@1", "@serial:3", "--stat"]);
    assert!(diff.contains('1') && exit == 1, "{diff}");
    assert_eq!(result(folder.path(), &["diff", "s.cocohist@live", "@~0"]).1, 0);
    let shown = good(folder.path(), &["get", "s.cocohist@~1", "db.main"]);
    assert!(shown.contains("\"size\": 10") && shown.contains("[secret]"), "{shown}");
    assert_eq!(good(folder.path(), &["get", "s.cocohist", "db.main/instances/0/attributes/size"]), "20\n");
    assert!(good(folder.path(), &["show", "s.cocohist@1"]).contains("\"lineage\": \"a\""));
    let revealed = run(folder.path(), &["get", "s.cocohist", "db.main", "--reveal"]);
    assert!(String::from_utf8_lossy(&revealed.stdout).contains("hunter3"));
    assert_eq!(failure(folder.path(), &["get", "s.cocohist@9", "db.main"]), ("HIST-REV".to_owned(), 1));
    assert_eq!(failure(folder.path(), &["get", "s.cocohist", "db.other"]), ("KEY-MISSING".to_owned(), 1));
    assert_eq!(failure(folder.path(), &["ls", "1.tfstate"]), ("HIST-PACK".to_owned(), 2));
}

#[test]
fn exact_texts_are_exported() {
    let folder = shop();
    good(folder.path(), &["export", "s.cocohist@2", "-o", "out.json"]);
    assert_eq!(fs::read_to_string(folder.path().join("out.json")).unwrap(), state(2, 10));
    good(folder.path(), &["export", "s.cocohist", "--all", "all"]);
    assert_eq!(fs::read_to_string(folder.path().join("all/000003")).unwrap(), state(3, 20));
    let piped = run(folder.path(), &["export", "s.cocohist@1"]);
    assert_eq!(String::from_utf8_lossy(&piped.stdout), state(1, 10));
}

#[test]
fn refusals_have_codes() {
    let folder = shop();
    let add = |arguments: &[&str]| failure(folder.path(), &[&["add", "s.cocohist"], arguments].concat());
    fs::write(folder.path().join("other"), state(9, 1).replace("\"a\"", "\"b\"")).unwrap();
    fs::write(folder.path().join("broken"), "{\"a\": ").unwrap();
    fs::write(folder.path().join("old"), state(3, 1)).unwrap();
    assert_eq!(add(&["2.tfstate"]), ("HIST-STALE".to_owned(), 2));
    assert_eq!(add(&["old"]), ("HIST-STALE".to_owned(), 2));
    assert_eq!(add(&["other"]), ("HIST-LINEAGE".to_owned(), 2));
    assert_eq!(add(&["broken"]), ("SRC-JSON".to_owned(), 4));
    assert_eq!(add(&["none"]), ("FILE-READ".to_owned(), 2));
    assert_eq!(add(&["other", "--if-newest", &"0".repeat(64)]), ("HIST-CHANGED".to_owned(), 2));
    assert!(good(folder.path(), &["add", "s.cocohist", "other", "--force"]).starts_with("version 4: "));
    assert!(good(folder.path(), &["add", "s.cocohist", "other"]).starts_with("version 4 is the same"));
    // No pack is made for a file that cannot be read.
    assert_eq!(failure(folder.path(), &["add", "new.cocohist", "none"]).1, 2);
    assert!(!folder.path().join("new.cocohist").exists());
}

#[test]
fn a_pack_is_verified_restored_and_thinned_out() {
    let folder = shop();
    let whole = good(folder.path(), &["verify", "s.cocohist"]);
    let chain = whole.trim().rsplit(' ').next().unwrap().to_owned();
    assert!(whole.starts_with("3 versions, 3 texts: whole, chain "), "{whole}");
    good(folder.path(), &["verify", "s.cocohist", "--expect", &chain[..20]]);
    assert_eq!(
        failure(folder.path(), &["verify", "s.cocohist", "--expect", &"0".repeat(20)]),
        ("HIST-CHAIN".to_owned(), 1)
    );
    let (dry, exit) = result(folder.path(), &["restore", "s.cocohist@1", "--dry-run"]);
    assert!(dry.contains("size = 20 → 10") && exit == 1, "{dry}");
    good(folder.path(), &["restore", "s.cocohist@1"]);
    good(folder.path(), &["export", "s.cocohist", "-o", "restored"]);
    assert_eq!(
        fs::read_to_string(folder.path().join("restored")).unwrap(),
        state(1, 10).replace("serial\": 1", "serial\": 4")
    );
    good(folder.path(), &["label", "s.cocohist@2", "second"]);
    assert_eq!(failure(folder.path(), &["prune", "s.cocohist"]).1, 2);
    let line = "would remove 1 (3 stay)\n";
    assert_eq!(good(folder.path(), &["prune", "s.cocohist", "--keep-last", "1", "--dry-run"]), line);
    assert_eq!(good(folder.path(), &["prune", "s.cocohist", "--keep-last", "1"]), "removed 1 (3 stay)\n");
    assert_eq!(failure(folder.path(), &["show", "s.cocohist@1"]), ("HIST-REV".to_owned(), 1));
    // The chain still has the digest of before.
    good(folder.path(), &["verify", "s.cocohist", "--expect", &chain]);
    good(folder.path(), &["label", "s.cocohist", "second", "--delete"]);
    good(folder.path(), &["backup", "s.cocohist", "copy.cocohist"]);
    assert_eq!(
        failure(folder.path(), &["backup", "s.cocohist", "copy.cocohist"]),
        ("FILE-WRITE".to_owned(), 2)
    );
    fs::write(
        folder.path().join("piped.cocohist"),
        run(folder.path(), &["backup", "s.cocohist", "-"]).stdout,
    )
    .unwrap();
    for copy in ["copy.cocohist", "piped.cocohist"] {
        assert_eq!(good(folder.path(), &["ls", copy]), good(folder.path(), &["ls", "s.cocohist"]));
    }
}

#[test]
fn the_history_of_a_repository_is_imported() {
    let folder = tempfile::tempdir().unwrap();
    let git = |arguments: &[&str]| {
        let identity =
            ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "commit.gpgsign=false"];
        let status = Command::new("git").args(identity).args(arguments).current_dir(folder.path()).output();
        status.is_ok_and(|output| output.status.success())
    };
    if !git(&["init", "-q"]) {
        missing("git");
        return;
    }
    for (n, size) in [(1, 10), (2, 20), (3, 30)] {
        fs::write(folder.path().join("s.tfstate"), state(n, size)).unwrap();
        assert!(git(&["add", "s.tfstate"]) && git(&["commit", "-q", "-m", "x"]));
    }
    assert_eq!(
        good(folder.path(), &["import", "git", "p.cocohist", ".", "s.tfstate"]),
        "3 new versions from 3\n"
    );
    let list = good(folder.path(), &["ls", "p.cocohist"]);
    assert!(list.lines().all(|line| line.contains("Ada <ada@example.com>")), "{list}");
    assert_eq!(good(folder.path(), &["import", "git", "q.cocohist", ".", "s.tfstate"]).lines().count(), 1);
    assert_eq!(failure(folder.path(), &["import", "git", "r.cocohist", ".", "none"]), ("GIT".to_owned(), 2));
}

#[test]
fn a_folder_of_backups_is_imported_by_serial_number() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("backups")).unwrap();
    for (name, n) in [("z", 1), ("a", 3), ("m", 2)] {
        fs::write(folder.path().join("backups").join(name), state(n, n)).unwrap();
    }
    assert_eq!(good(folder.path(), &["import", "dir", "p.cocohist", "backups"]), "3 new versions from 3\n");
    assert!(
        good(folder.path(), &["get", "p.cocohist@2", "db.main/instances/0/attributes/size"]).starts_with('2')
    );
}

/// The size of a series of versions, and that each is returned byte for byte.
fn series(archive: &str, expected: usize, most: u64) {
    let Some(archive) = testdata(&format!("6-history/{archive}")) else { return };
    let folder = tempfile::tempdir().unwrap();
    let unpack = format!("zstd -dcq --long=31 '{}' | tar x", archive.display());
    let unpacked = Command::new("sh").args(["-c", &unpack]).current_dir(folder.path()).status();
    if !unpacked.is_ok_and(|status| status.success()) {
        missing("zstd and tar");
        return;
    }
    let inner = fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
    let mut files: Vec<_> = fs::read_dir(&inner).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert_eq!(files.len(), expected);
    let mut arguments = vec!["add", "p.cocohist"];
    arguments.extend(files.iter().map(|file| file.to_str().unwrap()));
    good(folder.path(), &arguments);
    good(folder.path(), &["export", "p.cocohist", "--all", "out"]);
    for (n, file) in (1..).zip(&files) {
        let exported = fs::read(folder.path().join(format!("out/{n:06}"))).unwrap();
        assert!(exported == fs::read(file).unwrap(), "version {n}");
    }
    let size = fs::metadata(folder.path().join("p.cocohist")).unwrap().len();
    assert!(size <= most, "{size} bytes, at most {most}");
}

#[test]
#[ignore = "minutes without optimization; with `--run-ignored all` after a release build, seconds"]
fn sixty_states_of_three_thousand_resources_are_small() {
    series("checkpoint-3000-60-versions.tar.zst", 60, 1_700_000);
}

#[test]
#[ignore = "minutes without optimization; with `--run-ignored all` after a release build, seconds"]
fn sixty_versions_of_a_schema_are_small() {
    series("kubernetes-schema-61-versions.tar.zst", 61, 800_000);
}
