//! Tests the documented exit codes: every command that reads a document or a source, for every
//! fault.

use std::fs;
use std::path::Path;
use std::process::Command;

/// A faulty input, and the exit code of each command for it.
struct Case {
    file: &'static str,
    /// `pack build`, which skips compiled documents without reading them.
    build: i32,
    /// `pack unpack` and `pack repack`, which accept only compiled documents.
    unpack: i32,
    /// `get`, which accepts documents and sources.
    get: i32,
    /// `coco check`, which answers whether the document is good.
    verify: i32,
}

const CASES: [Case; 9] = [
    Case { file: "good.json", build: 0, unpack: 4, get: 0, verify: 0 },
    Case { file: "good.coco", build: 0, unpack: 0, get: 0, verify: 0 },
    Case { file: "cut.coco", build: 0, unpack: 4, get: 4, verify: 1 },
    Case { file: "magic.coco", build: 0, unpack: 4, get: 4, verify: 1 },
    Case { file: "long.coco", build: 0, unpack: 7, get: 7, verify: 7 },
    Case { file: "broken.json", build: 4, unpack: 4, get: 4, verify: 4 },
    Case { file: "deep.json", build: 7, unpack: 4, get: 7, verify: 7 },
    Case { file: "deep.yaml", build: 7, unpack: 4, get: 7, verify: 7 },
    Case { file: "nowhere.json", build: 2, unpack: 2, get: 2, verify: 2 },
];

fn coco(directory: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_coco"));
    command.current_dir(directory).env("COCONUT_CACHE_DIR", directory.join("cache"));
    let output = command.args(arguments).output().expect("the tool runs");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Colours follow the options, whatever the environment requests, even if only the help is printed.
#[test]
fn colours_are_those_that_the_line_asks_for() {
    let is_coloured = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_coco"));
        command.args(arguments).env_remove("NO_COLOR").env("CLICOLOR_FORCE", "1");
        let output = command.output().expect("the tool runs");
        output.stdout.contains(&0x1b) || output.stderr.contains(&0x1b)
    };
    for line in [&["--help"][..], &["--nonsense"], &["get", "nowhere.json"]] {
        assert!(is_coloured(line), "{line:?}");
        for color in [&["--color", "never"][..], &["--color=never"]] {
            assert!(!is_coloured(&[color, line].concat()), "{color:?} {line:?}");
        }
    }
}

#[test]
fn every_command_ends_with_the_exit_code_of_the_fault() {
    let directory = tempfile::tempdir().expect("a directory can be made");
    let directory = directory.path();
    let write = |name: &str, bytes: &[u8]| fs::write(directory.join(name), bytes).expect("it can be written");
    write("good.json", br#"{"a": 1}"#);
    write("broken.json", br#"{"a" 1}"#);
    write("deep.json", "[".repeat(600).as_bytes());
    write(
        "deep.yaml",
        (0..600).map(|level| format!("{}- \n", " ".repeat(level))).collect::<String>().as_bytes(),
    );
    assert_eq!(coco(directory, &["pack", "build", "good.json", "-o", "good.coco"]).0, Some(0));
    let good = fs::read(directory.join("good.coco")).expect("it was written");
    write("cut.coco", &good[..good.len() - 9]);
    let signature = good.windows(3).position(|bytes| bytes == b"CC\r").expect("it has a signature");
    let mut magic = good.clone();
    magic[signature] ^= 1;
    write("magic.coco", &magic);
    let envelope = "application/vnd.coconut+msgpack; document-type=document; version=1; x=";
    write("long.coco", format!("{envelope}{}\n\n", "x".repeat(4096)).as_bytes());
    let mut wrong = Vec::new();
    for Case { file, build, unpack, get, verify } in CASES {
        let runs: [(&[&str], i32); 5] = [
            (&["pack", "build", file, "-o", "out/", "--force"], build),
            (&["pack", "unpack", file, "-o", "out.json", "--force"], unpack),
            (&["pack", "repack", file, "-o", "converted.coco", "--force"], unpack),
            (&["get", file, "/a"], get),
            (&["check", file], verify),
        ];
        for (arguments, expected) in runs {
            let (exit, said) = coco(directory, arguments);
            if exit != Some(expected) {
                wrong.push(format!("{arguments:?}: {exit:?}, not {expected}: {said}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// `pack build` must be able to compile everything that `coco check` accepts.
#[test]
fn a_source_beyond_the_limits_of_documents_is_not_good() {
    let directory = tempfile::tempdir().expect("a directory can be made");
    let directory = directory.path();
    let key = "k".repeat((64 << 10) + 1);
    let sources = [
        ("key.json", format!("{{\"a\": [],\n \"{key}\": 1}}"), "key.json:2:2"),
        ("key.yaml", format!("a: []\n? {key}\n: 1\n"), "key.yaml:2:3"),
    ];
    for (file, text, place) in sources {
        fs::write(directory.join(file), text).expect("it can be written");
        let built = coco(directory, &["pack", "build", file, "-o", "out.coco"]);
        let first = "error[LIM-STRING]: a string of 65537 bytes, the limit is 65536\n";
        assert!(built.1.starts_with(&format!("{first} --> {place}")), "{}", &built.1[..200]);
        assert_eq!(built.0, Some(7));
        assert_eq!(coco(directory, &["check", file]), built, "{file}");
        assert_eq!(coco(directory, &["check", "--with", file, file]), built, "{file}");
    }
}

/// Sources in gzip and zstd are read as their contents, and damaged ones are reported as damaged.
#[test]
fn compressed_sources_are_read() {
    let directory = tempfile::tempdir().expect("a directory can be made");
    let directory = directory.path();
    let gzip: &[u8] = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xab\x56\x4a\x54\xb2\x52\x30\xac\xe5\x02\x00\xfa\xa1\x47\x5c\x09\x00\x00\x00";
    let zstd: &[u8] =
        b"\x28\xb5\x2f\xfd\x04\x58\x49\x00\x00\x7b\x22\x61\x22\x3a\x20\x31\x7d\x0a\x33\x87\xdf\xc3";
    for (name, bytes) in [("a.json.gz", gzip), ("b.json.zst", zstd), ("c", gzip), ("d.json", zstd)] {
        fs::write(directory.join(name), bytes).expect("it can be written");
        let path = format!("./{name}");
        assert_eq!(coco(directory, &["get", &path, "/a"]), (Some(0), String::new()), "{name}");
        let (code, errors) = coco(directory, &["get", &path, "/b"]);
        assert!(code == Some(1) && errors.starts_with("error[PATH-MISSING]"), "{name}: {errors}");
        fs::write(directory.join(name), &bytes[..bytes.len() - 6]).expect("it can be written");
        let (code, errors) = coco(directory, &["get", &path, "/a"]);
        assert!(
            code == Some(2)
                && errors.starts_with("error[LOAD-READ]")
                && errors.contains("compressed data are damaged"),
            "{name}: {errors}"
        );
    }
}

/// A file with a known format is reported by its name, whatever was expected and however it is
/// read.
#[test]
fn a_file_that_is_neither_a_document_nor_a_source_is_reported_by_its_kind() {
    let directory = tempfile::tempdir().expect("a directory can be made");
    let directory = directory.path();
    fs::write(directory.join("good.json"), r#"{"a": 1}"#).expect("it can be written");
    assert_eq!(coco(directory, &["pack", "build", "good.json", "-o", "good"]).0, Some(0));
    let good = fs::read(directory.join("good")).expect("it was written");
    let payload = good.windows(2).position(|bytes| bytes == b"\n\n").expect("it has a blank line") + 2;
    let cases: [(&str, &[u8]); 10] = [
        ("ENV-COMPRESSED", b"\xfd7zXZ\0\0\x04"),
        ("ENV-COMPRESSED", b"BZh91AY&SY: text"),
        ("ENV-COMPRESSED", b"PK\x03\x04\x14\0"),
        ("ENV-ZERO", &[0; 4096]),
        ("ENV-RAW", &good[payload..]),
        ("ENV-RAW", b"\x82\xa1a\x01\xa1b\xc0"),
        ("ENV-FOREIGN", b"application/vnd.example+msgpack; document-type=xpp; version=1\n\n\x93"),
        ("ENV-BOM", &[b"\xef\xbb\xbf", &good[..]].concat()),
        ("ENV-START", &[b"\n", &good[..]].concat()),
        ("ENV-EMPTY", b""),
    ];
    for (code, bytes) in cases {
        for name in ["a.coco", "b", "c.json", "d.yaml", "-"] {
            let expected = &format!("error[{code}]: ");
            // A compiled document that is not a document counts as damaged, which is an answer.
            let is_document = name == "a.coco" || matches!(code, "ENV-BOM" | "ENV-START");
            let damaged = if is_document { 1 } else { 4 };
            if name != "-" {
                fs::write(directory.join(name), bytes).expect("it can be written");
            }
            let runs: [(&[&str], i32); 4] = [
                (&["get", name, "/a"], 4),
                (&["get", name, ""], 4),
                (&["check", name], damaged),
                (&["pack", "build", name, "-o", "out.coco", "--force"], 4),
            ];
            for (arguments, exit) in runs {
                let (found, said) = coco_reading(directory, arguments, bytes);
                assert!(said.starts_with(expected), "{code}: {arguments:?}: {said}");
                assert_eq!(found, Some(exit), "{code}: {arguments:?}: {said}");
            }
        }
    }
}

/// Runs the tool with these bytes as its standard input.
fn coco_reading(directory: &Path, arguments: &[&str], input: &[u8]) -> (Option<i32>, String) {
    let path = directory.join("standard input");
    fs::write(&path, input).expect("it can be written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_coco"));
    command.current_dir(directory).env("COCONUT_CACHE_DIR", directory.join("cache"));
    let input = fs::File::open(path).expect("it was written");
    let output = command.args(arguments).stdin(input).output().expect("the tool runs");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Shared landmarks represent many times the bytes of their file, and a writer must repeat each of
/// them.
#[test]
fn documents_that_share_landmarks_are_not_converted() {
    let directory = tempfile::tempdir().expect("a directory can be made");
    let vector = concat!(env!("CARGO_MANIFEST_DIR"), "/../spec/vectors/bad/index-place-shared.hex");
    let vector = fs::read_to_string(vector).expect("it is part of the repository");
    let digits: String = vector.lines().filter_map(|line| line.split('#').next()).collect();
    let bytes = digits.split_whitespace().map(|pair| u8::from_str_radix(pair, 16).expect("two digits"));
    fs::write(directory.path().join("shared.coco"), bytes.collect::<Vec<_>>()).expect("it can be written");
    for profile in ["full", "transport", "plain"] {
        let arguments = ["pack", "repack", "shared.coco", "--profile", profile, "-o", "out.coco"];
        let (exit, said) = coco(directory.path(), &arguments);
        assert_eq!(exit, Some(4), "{said}");
        assert!(
            said.starts_with("error[VAL-FORM]: malformed value: a landmark must not be in a record or a shared value\n --> shared.coco, byte 228"),
            "{said}"
        );
    }
    assert!(!directory.path().join("out.coco").exists());
}

/// A compiled form of an older text does not replace an unreadable source, and the message gives
/// its location.
#[test]
#[cfg(unix)]
fn the_older_form_of_a_source_that_cannot_be_read_is_named() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let folder = folder.path();
    fs::write(folder.join("s.json"), r#"{"a": 1}"#).expect("a file can be written");
    assert_eq!(coco(folder, &["pack", "build", "s.json", "-q"]), (Some(0), String::new()));
    fs::write(folder.join("s.json"), r#"{"a":"#).expect("a file can be written");
    let (exit, said) = coco(folder, &["get", "s.json", "/a"]);
    let path = folder.join("s.coco").display().to_string();
    let note = format!("  = {path} has an older text of it, and can be read by its own name\n");
    assert_eq!(exit, Some(4), "{said}");
    assert!(
        said.starts_with("error[SRC-JSON]: the text ends before `}` closes the `{`\n --> s.json:1:6"),
        "{said}"
    );
    assert!(said.contains("  = add the missing bracket, or restore the lost end of the file\n"), "{said}");
    assert!(said.ends_with(&note), "{said}");
    let (_, said) = coco(folder, &["get", "s.json", "/a", "--json"]);
    assert!(
        said.contains(r#""hint":"add the missing bracket, or restore the lost end of the file""#),
        "{said}"
    );
    assert!(said.contains(&format!(r#""attempts":["LOAD-STALE: {path}: "#)), "{said}");
    assert_eq!(coco(folder, &["get", "s.coco", "/a"]).0, Some(0));
}

/// A small file can represent any number of values, and a patch needs all of them in memory.
#[test]
fn a_document_that_expands_to_very_much_is_not_patched() {
    let folder = tempfile::tempdir().unwrap();
    let list = |item: &str, count: usize| format!("[{}]", vec![item; count].join(","));
    let text = list(&list(&list("0", 110), 110), 400);
    fs::write(folder.path().join("a.json"), text).unwrap();
    fs::write(folder.path().join("patch.json"), r#"[{"op": "add", "path": "/-", "value": 1}]"#).unwrap();
    let coco = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_coco"));
        command.current_dir(folder.path()).args(arguments).env("COCONUT_CACHE_DIR", folder.path());
        command.output().unwrap()
    };
    assert!(coco(&["pack", "build", "a.json", "-q"]).status.success());
    let size = fs::metadata(folder.path().join("a.coco")).unwrap().len();
    assert!(size < 2000, "{size}");
    let output = coco(&["patch", "a.coco", "patch.json", "-o", "b.json"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.starts_with("error[LIM-NODES]: expands to 4884401 values, the limit is 4194304"), "{said}");
    assert_eq!(output.status.code(), Some(7));
    assert!(!folder.path().join("b.json").exists());
}

/// The bytes of a vector of the specification.
fn vector(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../spec/vectors").join(name).with_extension("hex");
    let text = fs::read_to_string(path).expect("it is part of the repository");
    let digits: String = text.lines().filter_map(|line| line.split('#').next()).collect();
    let pairs = digits.split_whitespace().map(|pair| u8::from_str_radix(pair, 16).expect("two digits"));
    pairs.collect()
}

/// §5.12 A rule that this version does not understand prevents only lookups.
#[test]
fn a_newer_rule_prevents_only_lookups() {
    let directory = tempfile::tempdir().expect("a directory can be made");
    let directory = directory.path();
    for (file, name) in
        [("a.coco", "rule-template-filter"), ("b.coco", "rule-indexed"), ("wrong.coco", "rule-no-key")]
    {
        fs::write(directory.join(file), vector(&format!("bad/{name}"))).expect("it can be written");
    }
    fs::write(directory.join("p.json"), r#"{"a": 2}"#).expect("it can be written");
    for file in ["a.coco", "b.coco", "wrong.coco"] {
        for arguments in [
            &["get", file, "/a"][..],
            &["get", file, ""],
            &["diff", file, file],
            &["dump", file],
            &["query", ".a", file],
            &["info", file],
            &["stat", file],
            &["verify", file, "--fast"],
            &["patch", file, "p.json"],
            &["recover", file, "-o", "-"],
            &["pack", "unpack", file, "-o", "-"],
        ] {
            let (exit, said) = coco(directory, arguments);
            assert_eq!(exit, Some(0), "{arguments:?}: {said}");
        }
        for profile in ["full", "transport", "plain"] {
            let arguments = ["pack", "repack", file, "--profile", profile, "-o", "out.coco", "--force"];
            let (exit, said) = coco(directory, &arguments);
            assert_eq!((exit, &*said), (Some(0), ""), "{file}");
            assert_eq!(coco(directory, &["diff", file, "out.coco"]).0, Some(0));
            let code = if file == "wrong.coco" { "LMK-RULE" } else { "LMK-NEWER" };
            let (exit, said) = coco(directory, &["get", "out.coco", "a"]);
            assert_eq!(exit, Some(4), "{said}");
            assert!(said.starts_with(&format!("error[{code}]")), "{said}");
        }
        assert_eq!(coco(directory, &["diff", file, "p.json"]).0, Some(1));
    }
}

/// §5.14 Commands that make a file from a file keep its unknown parts.
#[test]
fn unknown_parts_and_keys_are_kept_or_named() {
    let directory = tempfile::tempdir().expect("a directory can be made");
    let directory = directory.path();
    fs::write(directory.join("tables.coco"), vector("good/payload-later-tables")).expect("it can be written");
    fs::write(directory.join("keys.coco"), vector("good/payload-header-unknown-keys"))
        .expect("it can be written");
    fs::write(directory.join("p.json"), r#"{"b": 2}"#).expect("it can be written");
    let dropped: String = [31, 255]
        .map(|part| {
            format!("tables.coco: part {part} is unknown to this version and left out, as it requests\n")
        })
        .concat();
    let makers: [&[&str]; 3] = [
        &["pack", "repack", "tables.coco", "-o", "out.coco", "--force"],
        &["patch", "tables.coco", "p.json", "-o", "out.coco", "--force"],
        &["recover", "tables.coco", "-o", "out.coco", "--force"],
    ];
    for arguments in makers {
        let (exit, said) = coco(directory, arguments);
        assert_eq!(exit, Some(0), "{said}");
        assert!(said.contains(&dropped), "{arguments:?}: {said}");
        let bytes = fs::read(directory.join("out.coco")).expect("it was written");
        let file = coconut_codec::read::file::DocumentFile::from_data(bytes).expect("it can be read");
        let parts: Vec<u8> = file.view().kept().expect("it is whole").parts().collect();
        assert_eq!(parts, [5, 19, 46, 63, 65, 128], "{arguments:?}");
        assert_eq!(coco(directory, &["verify", "out.coco", "--deep"]).0, Some(0));
    }
    let of_text = ["pack", "repack", "tables.coco", "--encoding", "json", "-o", "out.coco", "--force"];
    assert!(coco(directory, &of_text).1.contains("the text form does not keep part 19\n"));
    assert_eq!(
        coco(directory, &["pack", "repack", "keys.coco", "-o", "out.coco", "--force"]),
        (Some(0), String::new())
    );
    let (_, said) = coco(directory, &["patch", "keys.coco", "p.json", "-o", "out.coco", "--force"]);
    assert!(
        said.contains("keys.coco: the header key `x-float` is unknown to this version and left out\n"),
        "{said}"
    );
}
