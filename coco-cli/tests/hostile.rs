//! Names, keys and options that would change what a terminal shows are escaped in all messages.

use std::fs;
use std::process::Command;

/// A line that imitates one of the tool, and characters that terminals and layouts interpret or
/// hide.
const HOSTILE: &str = "x\nFORGED\r\u{1b}[31m\u{7f}\u{85}\u{9b}m\u{ad}\u{202e}\u{2066}\u{feff}\u{e0041}y";

/// The fault in text for users.
fn faults_of(text: &str) -> Vec<String> {
    let hidden = text.chars().filter(|c| *c != '\n' && HOSTILE.contains(*c) && !c.is_ascii_graphic());
    let mut faults: Vec<String> = hidden.map(|c| format!("has {c:?}")).collect();
    faults
        .extend(text.lines().filter(|line| line.starts_with("FORGED")).map(|line| format!("line {line:?}")));
    faults.truncate(1);
    faults
}

#[test]
fn no_message_has_a_line_of_its_arguments_or_of_a_document() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| format!("{HOSTILE}{name}");
    let quoted = serde_json::to_string(HOSTILE).unwrap();
    let good = format!(r#"{{{quoted}: {{"type": {quoted}}}, "b": {{"type": "t"}}}}"#);
    fs::write(folder.path().join(file(".json")), good).unwrap();
    fs::write(folder.path().join(file("bad.json")), format!(r#"{{{quoted}: {{{quoted}: tru}}}}"#)).unwrap();
    fs::write(folder.path().join(file("twice.json")), format!(r#"{{{quoted}: 1, {quoted}: 2}}"#)).unwrap();
    let package = format!(
        r#"{{"name": {quoted}, "modules": {{{quoted}: {{"members": {{{quoted}: {{"kind": {quoted}}}}}}}}}}}"#
    );
    fs::write(folder.path().join("Cocopack.json"), package).unwrap();
    let (good, bad, twice, absent) =
        (file(".json"), file("bad.json"), file("twice.json"), file("absent.json"));
    let compiled = file(".coco");
    let option = format!("--{HOSTILE}");
    let commands: &[&[&str]] = &[
        &["pack", "build", &good, "--landmarks", "/*", "-o", &compiled],
        &["get", &compiled, "xy"],
        &["get", &compiled, "FORGED"],
        &["get", &compiled, HOSTILE],
        &["get", &compiled, "b", &option],
        &["get", &good, HOSTILE],
        &["get", &good, "b", "--class", HOSTILE],
        &["get", &absent, "b"],
        &["get", &bad, "b"],
        &["get", &twice, "b"],
        &["get", HOSTILE, "b"],
        &["ls", &compiled, HOSTILE],
        &["ls", &compiled, "--type", HOSTILE],
        &["deps", &compiled, HOSTILE],
        &["dump", &compiled, "--path", HOSTILE],
        &["dump", &compiled, "--as", HOSTILE],
        &["info", &compiled, &bad],
        &["stat", &compiled, "--by", HOSTILE],
        &["verify", &compiled, "--against", &bad],
        &["explain", HOSTILE],
        &["schema", HOSTILE],
        &["completions", HOSTILE],
        &[HOSTILE],
        &[&option],
        &["pack", HOSTILE],
        &["pack", "build", &bad],
        &["pack", "build", &good, "-o", HOSTILE, "--profile", HOSTILE],
        &["pack", "build", &good, "--landmarks", HOSTILE],
        &["pack", "build", &good, &bad, "-o", &compiled],
        &["pack", "build", &good, "-o", &good],
        &["pack", "unpack", &compiled, "-o", &file("out.json")],
        &["pack", "unpack", &compiled, "-o", &good],
        &["pack", "repack", &compiled, "-o", &file("converted.coco")],
        &["check", &good, &bad, &twice, "Cocopack.json"],
        &["check", &good, "--with", &bad],
        &["pack", "eval", "Cocopack.json"],
        &["plan", "Cocopack.json", "--against", &compiled],
        &["import", &good, "--from", HOSTILE],
        &["import", &good],
        &["cache", "warm", &good, &bad, HOSTILE],
        &["cache", "explain", &good],
        &["cache", "explain", HOSTILE],
        &["cache", "ls"],
        &["cache", "prune", "--older-than", HOSTILE],
    ];
    let mut faults = Vec::new();
    for arguments in commands {
        for json in [false, true] {
            let mut command = Command::new(env!("CARGO_BIN_EXE_coco"));
            command
                .current_dir(folder.path())
                .args(*arguments)
                .env("COCONUT_CACHE_DIR", folder.path().join(file("cache")));
            let output = if json { command.arg("--json") } else { &mut command }.output().unwrap();
            let (message, shown) =
                (String::from_utf8_lossy(&output.stderr), String::from_utf8_lossy(&output.stdout));
            let found = match json {
                // JSON is for machines, one report a line.
                true => message.lines().filter(|line| !line.starts_with('{')).map(str::to_owned).collect(),
                // The output of `get` and `dump` is the document.
                false if matches!(arguments[0], "get" | "dump") => faults_of(&message),
                false => faults_of(&format!("{message}{shown}")),
            };
            faults
                .extend(found.iter().map(|fault| format!("{arguments:?}, json {json}: {fault}: {message}")));
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}
