//! The bad inputs of `tests/cases/bad-inputs.tsv` through the tools: exit code, code and place. The
//! source is used instead of a bad compiled form.
//!
//! The tools are in the folder above this program, where a build of the workspace puts them.

use coconut_tests::bad_inputs::{Reader, SOURCE, cases, prepared};
use coconut_tests::missing;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The tool of this name, if it was built.
fn tool(name: &str) -> Option<PathBuf> {
    let this = std::env::current_exe().expect("this program is a file");
    let directory = this.parent().and_then(Path::parent).expect("tests lie below the tools");
    let path = directory.join(name).with_extension(std::env::consts::EXE_EXTENSION);
    if !path.exists() {
        missing(&format!("{}, which `cargo build --workspace` makes", path.display()));
        return None;
    }
    Some(path)
}

/// The exit code, standard output and standard error.
fn run(tool: &Path, folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(tool);
    command.current_dir(folder).env("COCONUT_CACHE_DIR", folder.join("cache")).env("HOME", folder);
    let output = command.args(arguments).output().expect("the tool runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().expect("it is not killed"), text(&output.stdout), text(&output.stderr))
}

#[test]
fn every_bad_input_has_its_exit_code_and_its_name() {
    let [Some(coco), Some(inspect)] = ["coco", "coco-inspect"].map(tool) else { return };
    let folder = tempfile::tempdir().expect("a folder can be made");
    let mut faults = Vec::new();
    for case in cases() {
        let (bytes, reader) = prepared(&case.recipe);
        let name = format!("bad.{}", reader.extension());
        fs::write(folder.path().join(&name), &bytes).expect("a file can be written");
        let place = match reader {
            Reader::Compiled => format!("byte {}", case.place()),
            Reader::Json | Reader::Yaml => format!("{name}:{}", case.place()),
        };
        let has_envelope = reader == Reader::Compiled && bytes.starts_with(b"application/vnd.coconut");
        let by_code = match case.code() {
            "accepted" => 0,
            // The JSON form has an envelope, and this tool reads it.
            "ENV-TEXT" if has_envelope => 0,
            code if code.starts_with("LIM-") => 7,
            _ => 1,
        };
        let runs: [(&Path, &[&str], i32); 3] = [
            (&coco, &["get", &name, "", "--no-cache"], case.get),
            (&coco, &["check", &name], case.verify),
            (&inspect, &["verify", "--deep", &name], by_code),
        ];
        // The tools read these compressed forms, and report faults inside them.
        let is_expanded = bytes.starts_with(b"\x1f\x8b") || bytes.starts_with(b"\x28\xb5\x2f\xfd");
        for (tool, arguments, expected) in runs {
            let expected = if is_expanded { 2 } else { expected };
            let is_inspect = *tool == inspect;
            if is_inspect && reader != Reader::Compiled {
                continue;
            }
            let (exit, out, error) = run(tool, folder.path(), arguments);
            let said = format!("{out}{error}");
            // An empty file is an interrupted write, whatever type its name declares.
            let (code, place) = match bytes.is_empty() {
                true => ("ENV-EMPTY", format!("{name}, byte 0")),
                false if is_expanded => ("FILE-READ", name.clone()),
                false => (case.code(), place.clone()),
            };
            let is_named = said.contains(code) && said.contains(&place);
            if exit != expected || !(exit == 0 || is_named) {
                faults.push(format!("{}\t{}\t{exit}\t{said}", case.name, arguments[0]));
            }
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn a_source_answers_in_place_of_every_bad_compiled_form() {
    let Some(coco) = tool("coco") else { return };
    let folder = tempfile::tempdir().expect("a folder can be made");
    let write =
        |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).expect("a file can be written");
    fs::create_dir_all(folder.path().join(".coconut/bin")).expect("a folder can be made");
    write("p.json", SOURCE.as_bytes());
    let (_, expected, _) = run(&coco, folder.path(), &["get", "p.json", "", "--no-cache", "--compact"]);
    assert_eq!(expected, "{\"name\":\"good\",\"list\":[1,\"two\",null]}\n");
    for case in cases() {
        let (bytes, reader) = prepared(&case.recipe);
        if reader != Reader::Compiled {
            continue;
        }
        write(".coconut/bin/p.coco", &bytes);
        let (exit, out, error) = run(&coco, folder.path(), &["get", "p.json", "", "--no-cache", "--compact"]);
        assert_eq!((exit, &out), (0, &expected), "{}: {error}", case.name);
        match &*case.load {
            "used" => assert_eq!(error, "", "{}", case.name),
            reason => {
                assert!(error.starts_with(&format!("warning[{reason}]: ")), "{}: {error}", case.name);
                assert!(error.ends_with("= the source is used instead\n"), "{}: {error}", case.name);
            }
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn no_terminal_gets_a_compiled_document() {
    let Some(coco) = tool("coco") else { return };
    let folder = tempfile::tempdir().expect("a folder can be made");
    fs::write(folder.path().join("p.json"), SOURCE).expect("a file can be written");
    // A program that provides a terminal to another one.
    let line = format!("{} pack build p.json -o -", coco.display());
    let mut command = Command::new("script");
    command.env("NO_COLOR", "1");
    let Ok(output) = command.current_dir(folder.path()).args(["-qec", &line, "/dev/null"]).output() else {
        missing("script, of util-linux");
        return;
    };
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(
        said.contains("error[TERMINAL]: a compiled document is binary, and standard output is a terminal"),
        "{said}"
    );
    assert!(!said.contains("vnd.coconut"), "{said}");
}
