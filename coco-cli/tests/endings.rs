//! Tests that every command that creates a document has the same rule for the name of its result.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The kind of a file, from its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Compiled,
    Json,
    Lines,
    Yaml,
}

use Kind::{Compiled, Json, Lines, Yaml};

/// Each command line, with its words and its possible kinds.
const COMMANDS: [(&str, &str, &[Kind]); 9] = [
    ("coco pack build", "pack build list.json", &[Compiled]),
    ("coco pack repack", "pack repack list.coco", &[Compiled]),
    ("coco pack unpack", "pack unpack list.coco", &[Json, Lines, Yaml]),
    ("coco pack eval", "pack eval shop.cocopack.json --with coconut.cocopack.json", ALL),
    ("coco graph raise", "graph raise graph.json --stubs stubs", ALL),
    ("coco import", "import terraform-state state.json", ALL),
    ("coco convert", "convert state.json --to cocogl", ALL),
    ("coco patch", "patch list.json patch.json", ALL),
    ("coco recover", "recover list.coco", ALL),
];

const ALL: &[Kind] = &[Compiled, Json, Lines, Yaml];

/// Each extension, and its kind.
const ENDINGS: [(&str, Kind); 14] = [
    ("out.json", Json),
    ("out.JSON", Json),
    ("out.tfstate", Json),
    ("out.jsonl", Lines),
    ("out.ndjson", Lines),
    ("out.yaml", Yaml),
    ("out.yml", Yaml),
    ("out.coco", Compiled),
    ("out.cocopack.coco", Compiled),
    ("out.graph", Compiled),
    ("out.txt", Compiled),
    ("out.json.bak", Compiled),
    ("out", Compiled),
    (".json", Compiled),
];

const FORMS: [(&str, Kind); 4] = [("compiled", Compiled), ("json", Json), ("jsonl", Lines), ("yaml", Yaml)];

fn coco(folder: &Path, line: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_coco"));
    command.current_dir(folder).env("COCONUT_CACHE_DIR", folder.join("cache")).stdin(Stdio::null());
    command.args(line.split(' ')).output().unwrap()
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/help");
    for name in ["shop.cocopack.json", "coconut.cocopack.json"] {
        fs::copy(examples.join("pack-eval.in").join(name), path(name)).unwrap();
    }
    fs::copy(examples.join("graph-raise.in/shop.cocogl.json"), path("graph.json")).unwrap();
    fs::copy(examples.join("convert.in/web.tfstate"), path("state.json")).unwrap();
    fs::write(path("list.json"), r#"[{"a": 1}, {"b": [2, "three"]}]"#).unwrap();
    fs::write(path("patch.json"), "[]").unwrap();
    fs::create_dir(path("stubs")).unwrap();
    assert!(coco(folder.path(), "pack build list.json -q -o list.coco").status.success());
    folder
}

/// The kind of a result.
fn kind_of(bytes: &[u8], is_list: bool) -> Kind {
    if bytes.starts_with(b"application/vnd.coconut") {
        return Compiled;
    }
    let text = std::str::from_utf8(bytes).unwrap();
    let lines = text.lines().count();
    match text.as_bytes()[0] {
        b'{' if lines == if is_list { 2 } else { 1 } => Lines,
        b'[' | b'{' if lines > 1 => Json,
        _ => Yaml,
    }
}

fn described(kind: Kind) -> &'static str {
    match kind {
        Compiled => "a compiled document",
        Json => "JSON",
        Lines => "JSON Lines",
        Yaml => "YAML",
    }
}

fn possible(kinds: &[Kind]) -> &'static str {
    if kinds == [Compiled] { "compiled documents only" } else { "JSON, JSON Lines or YAML" }
}

/// Runs the command and compares the kind of the file, otherwise the message.
fn check(folder: &Path, line: &str, name: &str, expected: Result<Kind, String>) {
    let out = folder.join(name);
    let _ = fs::remove_file(&out);
    let output = coco(folder, &format!("{line} -o {name} --force"));
    let errors = String::from_utf8_lossy(&output.stderr);
    match expected {
        Ok(kind) => {
            let is_list = line.contains("list.");
            assert!(out.exists(), "{line} -o {name}: {errors}");
            assert_eq!(kind_of(&fs::read(&out).unwrap(), is_list), kind, "{line} -o {name}");
            let read = coco(folder, &format!("verify {name}"));
            // Text is a source with any name, except one of another language.
            if kind == Compiled || !(name.ends_with(".coco") || name.ends_with(".yaml") && kind == Lines) {
                assert_eq!(read.status.code(), Some(0), "{line} -o {name} cannot be read: {read:?}");
            }
        }
        Err(message) => {
            assert_eq!(output.status.code(), Some(2), "{line} -o {name}: {errors}");
            assert!(errors.starts_with(&format!("error[USAGE]: {message}\n")), "{line} -o {name}: {errors}");
            assert!(!out.exists(), "{line} -o {name}");
        }
    }
}

#[test]
fn an_extension_gives_one_form_in_every_command() {
    let folder = folder();
    for (command, line, kinds) in COMMANDS {
        for (name, kind) in ENDINGS {
            let expected = match kinds.contains(&kind) {
                true => Ok(kind),
                false => Err(format!(
                    "`{name}` names {}, and `{command}` makes {}",
                    described(kind),
                    possible(kinds)
                )),
            };
            check(folder.path(), line, name, expected);
        }
    }
}

#[test]
fn a_chosen_form_counts_more_than_the_name() {
    let folder = folder();
    for (command, line, kinds) in COMMANDS {
        for (form, kind) in FORMS {
            // Only one of these forms has an option, which is a different one.
            if kinds == [Compiled] {
                continue;
            }
            let expected = match kinds.contains(&kind) {
                true => Ok(kind),
                false => Err(format!("`{command}` makes {}, not {}", possible(kinds), described(kind))),
            };
            for name in ["out.yaml", "out.txt"] {
                check(folder.path(), &format!("{line} --as {form}"), name, expected.clone());
            }
        }
    }
}

#[test]
fn no_command_compresses_its_result() {
    let folder = folder();
    for (_, line, _) in COMMANDS {
        for name in ["out.json.gz", "out.coco.zst", "out.GZ"] {
            let message = format!("`{name}` names a compressed file, and results are not compressed");
            check(folder.path(), line, name, Err(message));
        }
    }
}

#[test]
fn standard_output_gets_json_if_the_command_can_make_it() {
    let folder = folder();
    for (_, line, kinds) in COMMANDS {
        for name in ["-", "/dev/stdout"] {
            if line.starts_with("graph raise") && name != "-" {
                continue;
            }
            let output = coco(folder.path(), &format!("{line} -o {name}"));
            let expected = if kinds.contains(&Json) { Json } else { Compiled };
            assert_eq!(kind_of(&output.stdout, line.contains("list.")), expected, "{line} -o {name}");
        }
    }
}

#[test]
fn a_result_in_a_missing_folder_is_refused_by_every_command() {
    let folder = folder();
    for (_, line, kinds) in COMMANDS {
        let name = if kinds.contains(&Compiled) { "nowhere/out.coco" } else { "nowhere/out.json" };
        let output = coco(folder.path(), &format!("{line} -o {name}"));
        let expected = format!(
            "error[FILE-WRITE]: there is no folder `nowhere`\n --> {name}\n  = create the folder first, or name another one\n"
        );
        assert_eq!(output.status.code(), Some(2), "{line}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), expected, "{line}");
    }
}

#[test]
fn standard_output_takes_no_report_beside_the_document() {
    let folder = folder();
    for (command, line, _) in COMMANDS {
        let output = coco(folder.path(), &format!("{line} -o - --json"));
        // The document of `pack eval` is the report. The others report nothing but errors.
        const WITHOUT_REPORT: [&str; 4] =
            ["coco pack eval", "coco pack repack", "coco pack unpack", "coco patch"];
        if WITHOUT_REPORT.contains(&command) {
            assert_eq!(output.status.code(), Some(0), "{line}");
            continue;
        }
        let errors = String::from_utf8_lossy(&output.stderr);
        let of_both = "standard output cannot take both the document and a report as JSON";
        let is_refused = errors.contains(of_both) || errors.contains("`--json` has no effect on");
        assert!(is_refused, "{line}: {errors}");
        assert_eq!((output.status.code(), &*output.stdout), (Some(2), &b""[..]), "{line}");
    }
}

#[test]
fn every_text_of_a_document_denotes_the_same_value() {
    let folder = folder();
    let value = |name: &str| coco(folder.path(), &format!("dump {name}")).stdout;
    let expected = value("list.coco");
    for (name, _) in ENDINGS.iter().filter(|(_, kind)| *kind != Compiled) {
        check(folder.path(), "pack unpack list.coco", name, Ok(kind_of_ending(name)));
        assert_eq!(value(name), expected, "{name}");
    }
}

fn kind_of_ending(name: &str) -> Kind {
    ENDINGS.iter().find(|(known, _)| *known == name).unwrap().1
}

#[test]
fn layouts_of_json_are_refused_for_other_languages() {
    let folder = folder();
    for layout in ["--compact", "--indent 4", "--original"] {
        let message = "--indent, --compact and --original are layouts of JSON".to_owned();
        let line = format!("pack unpack list.coco {layout}");
        check(folder.path(), &line, "out.yaml", Err(message.clone()));
        check(folder.path(), &format!("{line} --as jsonl"), "out.json", Err(message));
    }
}

#[test]
fn earlier_names_of_commands_name_the_new_ones() {
    let folder = folder();
    for (line, message, hint) in [
        ("pack convert list.coco -o x.coco", "`pack convert` is now `coco pack repack`", "`coco convert`"),
        (
            "pack convert list.json --to cocogl -o x",
            "`pack convert` is now `coco pack repack`",
            "use `coco convert`",
        ),
        ("pack convert", "`pack convert` is now `coco pack repack`", "`coco convert`"),
        ("pack verify list.json --deny warnings", "`pack verify` is now `coco check`", "`coco verify`"),
        ("pack verify --help", "`pack verify` is now `coco check`", "`coco verify`"),
    ] {
        let output = coco(folder.path(), line);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line}");
        assert!(errors.starts_with(&format!("error[USAGE]: {message}\n")), "{line}: {errors}");
        assert!(errors.contains(hint), "{line}: {errors}");
    }
}
