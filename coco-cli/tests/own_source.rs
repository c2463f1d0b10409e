//! Tests that no source is replaced by its result, however either is spelled and whatever is
//! forced.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use coconut_codec::durable::left_overs_of;
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const TEXT: &str = r#"{"a": 1}"#;

fn coco(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_coco"));
    command.current_dir(folder).env("COCONUT_CACHE_DIR", folder.join("cache"));
    command.args(line.split(' ')).stdin(Stdio::null());
    command
}

/// `a.json`, links to it and to its folder, and its result `b.coco`.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.json"), TEXT).unwrap();
    symlink("a.json", folder.path().join("l.json")).unwrap();
    symlink(".", folder.path().join("here")).unwrap();
    assert!(coco(folder.path(), "pack build a.json -q -o b.coco").status().unwrap().success());
    symlink("b.coco", folder.path().join("l.coco")).unwrap();
    folder
}

fn said(output: &Output) -> (Option<i32>, String) {
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn a_source_is_not_replaced_whatever_it_is_called() {
    let folder = folder();
    let compiled = fs::read(folder.path().join("b.coco")).unwrap();
    for (line, source) in [
        ("pack build a.json -o a.json", "a.json"),
        ("pack build a.json -o ./a.json", "a.json"),
        ("pack build a.json -o new/../a.json", "a.json"),
        ("pack build a.json -o l.json", "a.json"),
        ("pack build a.json -o l.json --durable", "a.json"),
        ("pack build l.json -o a.json", "l.json"),
        ("pack build here/a.json -o a.json", "here/a.json"),
        ("pack build a.json -o here/a.json", "a.json"),
        ("pack repack b.coco --encoding json -o b.coco", "b.coco"),
        ("pack repack b.coco --profile plain -o ./b.coco", "b.coco"),
        ("pack repack b.coco --profile plain -o .", "b.coco"),
        ("pack repack b.coco --profile plain -o here/", "b.coco"),
        ("pack repack l.coco -o b.coco --durable", "l.coco"),
        ("pack unpack b.coco -o ./b.coco", "b.coco"),
        ("pack unpack b.coco -o l.coco", "b.coco"),
        ("pack unpack here/b.coco -o b.coco", "here/b.coco"),
        ("recover b.coco -o b.coco", "b.coco"),
        ("recover l.coco -o here/b.coco --durable", "l.coco"),
        ("convert b.coco --to cocogl -o ./b.coco", "b.coco"),
        ("convert l.json a.json --to cocopack -o a.json", "l.json"),
    ] {
        let expected = format!(
            "error[USAGE]: `{source}` would be replaced by its own result\n  = name another file with -o\n"
        );
        let output = coco(folder.path(), &format!("{line} --force -q")).output().unwrap();
        assert_eq!(said(&output), (Some(2), expected), "{line}");
        assert_eq!(fs::read(folder.path().join("a.json")).unwrap(), TEXT.as_bytes(), "{line}");
        assert_eq!(fs::read(folder.path().join("b.coco")).unwrap(), compiled, "{line}");
    }
}

#[test]
fn a_source_of_another_is_not_replaced_either() {
    let folder = folder();
    fs::create_dir(folder.path().join("out")).unwrap();
    fs::write(folder.path().join("out/a.coco"), TEXT).unwrap();
    for (line, message) in [
        (
            "pack build a.json out/a.coco -o out",
            "`a.json` and `out/a.coco` would all be compiled to `out/a.coco`",
        ),
        (
            "pack build here/a.json out/a.coco -o here/out",
            "`here/a.json` and `out/a.coco` would all be compiled to `here/out/a.coco`",
        ),
        (
            "pack build a.json here/out/a.coco -o ./out",
            "`a.json` and `here/out/a.coco` would all be compiled to `./out/a.coco`",
        ),
    ] {
        let output = coco(folder.path(), &format!("{line} --force -q")).output().unwrap();
        let (exit, said) = said(&output);
        assert_eq!(exit, Some(2), "{line}");
        assert!(said.starts_with(&format!("error[USAGE]: {message}\n")), "{line}: {said}");
        assert_eq!(fs::read(folder.path().join("out/a.coco")).unwrap(), TEXT.as_bytes(), "{line}");
    }
    // `l.coco` in `out` also leads to the converted file, but not to its destination.
    fs::copy(folder.path().join("b.coco"), folder.path().join("c.coco")).unwrap();
    symlink("../c.coco", folder.path().join("out/l.coco")).unwrap();
    let output =
        coco(folder.path(), "pack repack c.coco l.coco --encoding json -o out/ -q").output().unwrap();
    let expected =
        "error[USAGE]: `c.coco` would be replaced by the result of `l.coco`\n  = name another file with -o\n";
    assert_eq!(said(&output), (Some(2), expected.to_owned()));
    assert!(!folder.path().join("out/c.coco").exists());
}

#[test]
fn the_file_of_standard_input_is_not_replaced() {
    let folder = folder();
    let compiled = fs::read(folder.path().join("b.coco")).unwrap();
    fs::hard_link(folder.path().join("a.json"), folder.path().join("c.json")).unwrap();
    for (line, input, named) in [
        ("pack build - -o a.json", "a.json", "a.json"),
        ("pack build - -o here/l.json --durable", "a.json", "here/l.json"),
        // The name it was opened by is unknown.
        ("pack build - -o c.json", "a.json", "c.json"),
        ("pack repack - --profile plain -o b.coco", "b.coco", "b.coco"),
        ("pack unpack - -o l.coco", "b.coco", "l.coco"),
    ] {
        let expected = format!(
            "error[USAGE]: `{named}` is standard input, and would be replaced by its own result\n  = name another file with -o\n"
        );
        let mut command = coco(folder.path(), &format!("{line} --force -q"));
        let output = command.stdin(File::open(folder.path().join(input)).unwrap()).output().unwrap();
        assert_eq!(said(&output), (Some(2), expected), "{line}");
        assert_eq!(fs::read(folder.path().join("a.json")).unwrap(), TEXT.as_bytes(), "{line}");
        assert_eq!(fs::read(folder.path().join("b.coco")).unwrap(), compiled, "{line}");
    }
    // A different file is made, and replaced.
    for line in ["pack build - -o d.coco -q", "pack build - -o d.coco --force -q"] {
        let mut command = coco(folder.path(), line);
        let output = command.stdin(File::open(folder.path().join("a.json")).unwrap()).output().unwrap();
        assert_eq!(said(&output), (Some(0), String::new()), "{line}");
        assert_eq!(fs::read(folder.path().join("d.coco")).unwrap(), compiled, "{line}");
    }
}

#[test]
fn a_source_with_another_name_keeps_its_content_under_that() {
    let folder = folder();
    fs::hard_link(folder.path().join("a.json"), folder.path().join("link")).unwrap();
    let output = coco(folder.path(), "pack build a.json -o link --force -q").output().unwrap();
    assert_eq!(said(&output), (Some(0), String::new()));
    assert_eq!(fs::read(folder.path().join("a.json")).unwrap(), TEXT.as_bytes());
    assert_eq!(
        fs::read(folder.path().join("link")).unwrap(),
        fs::read(folder.path().join("b.coco")).unwrap()
    );
}

#[test]
fn a_source_that_is_called_in_two_ways_is_compiled_once() {
    let folder = folder();
    let output = coco(folder.path(), "pack build a.json ./a.json here/a.json --json").output().unwrap();
    assert_eq!(said(&output), (Some(0), String::new()));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["documents"].as_array().map(Vec::len), Some(1), "{report}");
}

#[test]
fn the_last_good_document_does_not_replace_a_source_or_a_file_that_is_not_a_document() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    fs::copy(path("b.coco"), path("c.coco")).unwrap();
    fs::write(path("c.coco.bak"), r#"{"a": 2}"#).unwrap();
    fs::create_dir(path("d")).unwrap();
    fs::copy(path("b.coco"), path("d/c.coco.bak")).unwrap();
    for (line, lost) in [
        ("pack build c.coco.bak -o c.coco", "c.coco.bak"),
        ("pack build here/c.coco.bak -o c.coco", "here/c.coco.bak"),
        ("pack repack c.coco d/c.coco.bak -o .", "./c.coco.bak"),
    ] {
        let output = coco(folder.path(), &format!("{line} --durable --force -q")).output().unwrap();
        let result = if line.ends_with('.') { "./c.coco" } else { "c.coco" };
        let expected = format!(
            "error[USAGE]: `{lost}` would be replaced by the backup of `{result}`\n  = name another file with -o\n"
        );
        assert_eq!(said(&output), (Some(2), expected), "{line}");
    }
    let standard_input = File::open(path("c.coco.bak")).unwrap();
    let mut command = coco(folder.path(), "pack build - -o c.coco --durable --force -q");
    let expected = "error[USAGE]: standard input would be replaced by the backup of `c.coco`\n  = name another file with -o\n";
    assert_eq!(said(&command.stdin(standard_input).output().unwrap()), (Some(2), expected.to_owned()));

    let output = coco(folder.path(), "pack build a.json -o c.coco --durable -q --type x").output().unwrap();
    let expected = "error[FILE-EXISTS]: the backup `c.coco.bak` exists and is not a Coconut document\n --> c.coco\n  = move it away, name another file with -o, or use --force\n";
    assert_eq!(said(&output), (Some(2), expected.to_owned()));
    assert_eq!(fs::read(path("c.coco")).unwrap(), fs::read(path("b.coco")).unwrap());
    assert_eq!(fs::read_to_string(path("c.coco.bak")).unwrap(), r#"{"a": 2}"#);

    // If the document is damaged, the source is the backup, and stays.
    fs::copy(path("b.coco"), path("c.coco.bak")).unwrap();
    let bytes = fs::read(path("b.coco")).unwrap();
    fs::write(path("c.coco"), &bytes[..bytes.len() - 1]).unwrap();
    let output = coco(folder.path(), "pack repack c.coco.bak -o c.coco --durable -q").output().unwrap();
    assert_eq!(said(&output), (Some(0), String::new()));
    assert_eq!(fs::read(path("c.coco")).unwrap(), bytes);
    assert_eq!(fs::read(path("c.coco.bak")).unwrap(), bytes);

    // A second run replaces nothing, whatever file has the name.
    for (source, result) in [("c.coco.bak", "c.coco"), ("e.coco.bak", "e.coco")] {
        fs::write(path("e.coco.bak"), TEXT).unwrap();
        for run in 1..=2 {
            let command = if source == "c.coco.bak" { "repack" } else { "build" };
            let line = format!("pack {command} {source} -o {result} --durable -q");
            assert_eq!(
                said(&coco(folder.path(), &line).output().unwrap()),
                (Some(0), String::new()),
                "{run}: {line}"
            );
        }
        fs::write(path("e.coco.bak"), r#"{"a": 2}"#).unwrap();
    }
    let output = coco(folder.path(), "pack build e.coco.bak -o e.coco --durable -q").output().unwrap();
    let expected = "error[USAGE]: `e.coco.bak` would be replaced by the backup of `e.coco`\n  = name another file with -o\n";
    assert_eq!(said(&output), (Some(2), expected.to_owned()));
    assert_eq!(fs::read_to_string(path("e.coco.bak")).unwrap(), r#"{"a": 2}"#);
    fs::write(path("c.coco.bak"), "a note").unwrap();
    let output = coco(folder.path(), "pack repack b.coco -o c.coco --durable -q").output().unwrap();
    assert_eq!(said(&output), (Some(0), String::new()));
    assert_eq!(fs::read_to_string(path("c.coco.bak")).unwrap(), "a note");

    // A link in its place is replaced, and the target of the link stays.
    fs::remove_file(path("c.coco.bak")).unwrap();
    symlink("a.json", path("c.coco.bak")).unwrap();
    let output = coco(folder.path(), "pack build a.json -o c.coco --durable -q --type x").output().unwrap();
    assert_eq!(said(&output), (Some(0), String::new()));
    assert_eq!(fs::read_to_string(path("a.json")).unwrap(), TEXT);
    assert_eq!(fs::read(path("c.coco.bak")).unwrap(), bytes);

    fs::write(path("c.coco.bak"), "").unwrap();
    fs::copy(path("b.coco"), path("c.coco")).unwrap();
    let output = coco(folder.path(), "pack build a.json -o c.coco --durable -q --type x").output().unwrap();
    assert_eq!(said(&output), (Some(0), String::new()));
    assert_eq!(fs::read(path("c.coco.bak")).unwrap(), bytes, "what is empty is replaced");
}

#[test]
fn no_source_and_no_result_is_removed_as_a_leftover_of_a_killed_run() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    let bytes = fs::read(path("b.coco")).unwrap();
    fs::copy(path("b.coco"), path("c.coco")).unwrap();
    for rest in left_overs_of(&path("c.coco")) {
        let name = rest.file_name().unwrap().to_str().unwrap();
        fs::write(&rest, &bytes).unwrap();
        let _ = fs::remove_file(path("latest.coco"));
        symlink(name, path("latest.coco")).unwrap();
        let refused = |lost: &str, result: &str| {
            let expected = format!("error[USAGE]: {lost} would be deleted as a temporary file of `{result}`");
            (Some(2), format!("{expected}\n  = name another file with -o\n"))
        };
        for source in [format!("here/{name}"), "latest.coco".to_owned(), "-".to_owned()] {
            let mut command = coco(folder.path(), &format!("pack repack {source} -o c.coco --durable -q"));
            let lost = if source == "-" { "standard input".to_owned() } else { format!("`{source}`") };
            let output = command.stdin(File::open(&rest).unwrap()).output().unwrap();
            assert_eq!(said(&output), refused(&lost, "c.coco"));
            assert_eq!(fs::read(&rest).unwrap(), bytes);
        }
        // For another file it is not a temporary file, nor is a link with the name.
        let line = format!("pack repack {name} -o d.coco --durable -q");
        assert_eq!(said(&coco(folder.path(), &line).output().unwrap()), (Some(0), String::new()));
        fs::remove_file(&rest).unwrap();
        symlink("b.coco", &rest).unwrap();
        let line = format!("pack repack {name} -o c.coco --durable -q");
        assert_eq!(said(&coco(folder.path(), &line).output().unwrap()), (Some(0), String::new()));
        assert_eq!(fs::read(&rest).unwrap(), bytes);

        let line = format!("pack repack {name} c.coco -o out/ --durable -q");
        let output = coco(folder.path(), &line).output().unwrap();
        assert_eq!(said(&output), refused(&format!("`out/{name}`"), "out/c.coco"));
        assert!(!path("out").exists());
    }
    // A result written through such a link stays, and so does a source that is another name of a
    // temporary file.
    let [_, rest] = left_overs_of(&path("out/c.coco"));
    let name = rest.file_name().unwrap().to_str().unwrap();
    fs::create_dir(path("out")).unwrap();
    symlink("through.coco", &rest).unwrap();
    let line = format!("pack repack {name} c.coco -o out/ --durable -q");
    assert_eq!(said(&coco(folder.path(), &line).output().unwrap()), (Some(0), String::new()));
    assert_eq!(fs::read(path("out/through.coco")).unwrap(), bytes);
    assert!(rest.is_symlink());
    fs::remove_dir_all(path("out")).unwrap();

    let [_, rest] = left_overs_of(&path("c.coco"));
    fs::remove_file(&rest).unwrap();
    fs::copy(path("b.coco"), &rest).unwrap();
    fs::hard_link(&rest, path("copy.coco")).unwrap();
    for source in ["copy.coco", "here/copy.coco"] {
        let line = format!("pack repack {source} -o c.coco --durable -q");
        assert_eq!(said(&coco(folder.path(), &line).output().unwrap()), (Some(0), String::new()));
        assert_eq!(fs::read(path("copy.coco")).unwrap(), bytes);
        let _ = fs::remove_file(&rest);
        fs::hard_link(path("copy.coco"), &rest).unwrap();
    }
    let source = format!("here/{}", rest.file_name().unwrap().display());
    let output =
        coco(folder.path(), &format!("pack repack {source} -o c.coco --durable -q")).output().unwrap();
    let expected = format!("error[USAGE]: `{source}` would be deleted as a temporary file of `c.coco`");
    assert_eq!(said(&output), (Some(2), format!("{expected}\n  = name another file with -o\n")));
    fs::remove_file(&rest).unwrap();

    // A file whose name begins with the name of another is a normal file.
    let name = "c.coco.new-0123456789abcdef";
    fs::copy(path("b.coco"), path(name)).unwrap();
    for line in [format!("{name} -o c.coco"), format!("{name} c.coco -o out/")] {
        let output = coco(folder.path(), &format!("pack repack {line} --durable -q")).output().unwrap();
        assert_eq!(said(&output), (Some(0), String::new()));
    }
    assert_eq!(fs::read(path(name)).unwrap(), bytes);
    assert_eq!(fs::read(path("out").join(name)).unwrap(), bytes);
}

#[test]
fn a_file_in_the_way_of_the_last_good_document_is_named() {
    let folder = folder();
    fs::create_dir(folder.path().join("b.coco.bak")).unwrap();
    fs::write(folder.path().join("c.json"), r#"{"c": 1}"#).unwrap();
    let before = fs::read(folder.path().join("b.coco")).unwrap();
    for name in ["b.coco", "l.coco", "here/b.coco"] {
        let output =
            coco(folder.path(), &format!("pack build c.json -q --durable -o {name}")).output().unwrap();
        let (exit, said) = said(&output);
        assert_eq!(exit, Some(2), "{said}");
        assert!(said.starts_with("error[SNAP-IO]: cannot rename: "), "{said}");
        assert!(said.contains("/b.coco.bak\n  = the backup needs this name"), "{said}");
        assert_eq!(fs::read(folder.path().join("b.coco")).unwrap(), before);
    }
}
