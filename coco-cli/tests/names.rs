//! Tests the text and the number of messages: for names that look like messages, packages without a
//! source, and an unusable cache.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

fn coco(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_coco"));
    command
        .current_dir(folder)
        .args(arguments)
        .env("COCONUT_CACHE_DIR", folder.join("cache"))
        .env("HOME", folder);
    command.output().unwrap()
}

/// The exit code and the text of standard error.
fn said(output: &Output) -> (Option<i32>, &str) {
    (output.status.code(), std::str::from_utf8(&output.stderr).unwrap())
}

#[test]
fn a_name_with_a_line_end_does_not_look_like_a_message() {
    let folder = tempfile::tempdir().unwrap();
    let name = "a\nerror[OK]: all is well\u{1b}[2J.json";
    let shown = "a\\nerror[OK]: all is well\\u{1b}[2J.json";
    let (got, warmed) =
        (coco(folder.path(), &["get", name, ""]), coco(folder.path(), &["cache", "warm", "-q", name]));
    let expected =
        format!("error[FILE-READ]: cannot read: No such file or directory (os error 2)\n --> {shown}\n");
    assert_eq!(said(&got), (Some(2), &expected[..]));
    assert_eq!(
        said(&warmed),
        (Some(1), &format!("error[LOAD-NOSOURCE]: source file not found\n --> {shown}\n")[..])
    );

    fs::create_dir(folder.path().join(name)).unwrap();
    let warmed = coco(folder.path(), &["cache", "explain", name]);
    let expected = format!(
        "error[LOAD-READ]: cannot read {}/{shown}: it is not a regular file\n",
        folder.path().display()
    );
    assert_eq!(said(&warmed), (Some(2), &expected[..]));
}

#[test]
fn a_document_has_one_line_in_the_list_whatever_it_calls_itself() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.json"), r#"{"name": "a\nb\u001b[2J"}"#).unwrap();
    assert_eq!(said(&coco(folder.path(), &["cache", "warm", "a.json", "-q"])), (Some(0), ""));
    let listed = coco(folder.path(), &["cache", "ls", "-q"]);
    let text = String::from_utf8(listed.stdout).unwrap();
    let source = folder.path().join("a.json");
    assert!(text.ends_with(&format!("  a\\nb\\u{{1b}}[2J  {}\n", source.display())), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
}

#[test]
fn an_unwritable_cache_is_reported_once() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.json", "b.json", "c.json"] {
        fs::write(folder.path().join(name), format!(r#"{{"name": "{name}"}}"#)).unwrap();
    }
    // No file may have any content, as on a full disk.
    let full = concat!("trap '' XFSZ; ulimit -f 0; exec ", env!("CARGO_BIN_EXE_coco"), " cache warm *.json");
    let mut command = Command::new("sh");
    command
        .current_dir(folder.path())
        .args(["-c", full])
        .env("COCONUT_CACHE_DIR", folder.path().join("cache"));
    let output = command.output().unwrap();
    let (code, text) = said(&output);
    assert_eq!((code, text.matches("warning[CACHE-IO]: cannot write ").count()), (Some(1), 1), "{text}");
    assert!(text.contains("\n3 loaded, 3 of them compiled, in "), "{text}");
}

#[test]
fn that_a_binary_could_not_be_compared_with_its_source_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let package = folder.path().join(".coconut/packs/a");
    fs::create_dir_all(&package).unwrap();
    fs::write(folder.path().join("a.json"), r#"{"name": "a", "modules": {}}"#).unwrap();
    let binary = package.join("Cocopack.coco");
    let build = ["pack", "build", "a.json", "-q", "-o", binary.to_str().unwrap()];
    assert_eq!(said(&coco(folder.path(), &build)), (Some(0), ""));
    let got = coco(folder.path(), &["get", "a", "/name", "--require-binary"]);
    let expected = format!("there is no source to compare {} with\n", binary.display());
    assert_eq!(said(&got), (Some(0), &expected[..]));
    assert_eq!(got.stdout, b"\"a\"\n");
    let explained = coco(folder.path(), &["cache", "explain", "a", "--freshness", "trust", "--json"]);
    let report: serde_json::Value = serde_json::from_slice(&explained.stdout).unwrap();
    assert_eq!((&report["used"], &report["proof"]), (&"precompiled".into(), &"source-absent".into()));
}

#[test]
fn a_document_that_could_not_be_kept_is_not_reported_as_cached() {
    let folder = tempfile::tempdir().unwrap();
    let package = folder.path().join(".coconut/packs/a");
    fs::create_dir_all(&package).unwrap();
    fs::write(package.join("Cocopack.json"), r#"{"name": "a", "modules": {}}"#).unwrap();
    let build =
        ["pack", "build", ".coconut/packs/a/Cocopack.json", "-q", "-o", ".coconut/packs/a/Cocopack.coco"];
    assert_eq!(said(&coco(folder.path(), &build)), (Some(0), ""));
    let warm = |home: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_coco"));
        command.current_dir(folder.path()).args(["cache", "warm", "--json", "a"]).env_clear();
        let output = command.env("COCONUT_CACHE_DIR", home).output().unwrap();
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let document = &report["documents"][0];
        let code = document["fallbacks"][0]["code"].as_str().map(str::to_owned);
        (output.status.code(), document["origin"].clone(), document["cached"].clone(), code)
    };
    let cache = folder.path().join("cache");
    fs::create_dir(&cache).unwrap();
    fs::set_permissions(&cache, fs::Permissions::from_mode(0o777)).unwrap();
    let refused = |code: &str| (Some(1), "source".into(), false.into(), Some(code.to_owned()));
    assert_eq!(warm(cache.to_str().unwrap()), refused("CACHE-MODE"));
    assert_eq!(warm("relative"), refused("CACHE-HOME"));
    fs::set_permissions(&cache, fs::Permissions::from_mode(0o700)).unwrap();
    for origin in ["source", "cache"] {
        assert_eq!(warm(cache.to_str().unwrap()), (Some(0), origin.into(), true.into(), None));
    }
}

#[test]
fn files_that_cannot_be_removed_are_reported_and_the_others_are_removed() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a", "b", "c"] {
        fs::write(folder.path().join(format!("{name}.json")), format!(r#"{{"name": "{name}"}}"#)).unwrap();
    }
    assert_eq!(
        said(&coco(folder.path(), &["cache", "warm", "-q", "a.json", "b.json", "c.json"])),
        (Some(0), "")
    );
    let listed = coco(folder.path(), &["cache", "ls", "--json"]);
    let report: serde_json::Value = serde_json::from_slice(&listed.stdout).unwrap();
    let entries = report["entries"].as_array().unwrap();
    let paths: Vec<_> = entries[..2]
        .iter()
        .map(|entry| {
            let key = entry["key"].as_str().unwrap();
            folder.path().join("cache/v1/entries").join(&key[..2]).join(key)
        })
        .collect();
    for path in &paths {
        fs::remove_file(path).unwrap();
        // More than is removed of foreign folders.
        fs::create_dir_all(path.join("a/".repeat(66))).unwrap();
    }
    let cleaned = coco(folder.path(), &["cache", "clean"]);
    let (code, text) = said(&cleaned);
    assert_eq!(code, Some(2));
    assert!(text.starts_with("removed 4 files, ") && text.contains("; 0 entries are left, 0 B\n"), "{text}");
    for path in &paths {
        assert!(text.contains(&format!("error[CACHE-IO]: cannot remove {}: ", path.display())), "{text}");
    }
}
