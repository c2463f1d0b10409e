//! Streams of Pcore in all commands: they are recognised, their secrets are hidden, and they are
//! written back.

use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// `[sensitive "canary", /a.b/, "x", "x"]`: the last item is an inner reference.
const SECRET: &[u8] = b"\xd4\x10\x04\xc7\x00\x14\xa6canary\xd6\x30\xa3a.b\xa1x\xd4\x00\x02";

/// `["a", timestamp, "b", "b"]`, in which the last item is another one for pcore-java.
const AMBIGUOUS: &[u8] = b"\xd4\x10\x04\xd5\x33\x00\x05\xa1a\xa1b\xd4\x00\x01";

/// A parse result with an error and a warning, and without a syntax tree.
const RESULT: &str = r#"[[17,2,"ast",null,"issues",[16,2,[17,5,"severity","error","message","Syntax error at '}'",
    "issue_code","SYNTAX_ERROR","file","site.pp","line",3],
    [17,4,"severity","warning","message","Unquoted","line",7,"pos",2]]]]"#;

fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let put =
        |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).expect("it can be written");
    put("secret.pcore", SECRET);
    put("ambiguous.pcore", AMBIGUOUS);
    let envelope = "application/vnd.puppet.pcore+json; document-type=xpp; version=1\n\n";
    put("site.xpp", format!("{envelope}{RESULT}").as_bytes());
    put("scalar.pcore", b"\xa1x");
    put("cut.pcore", &SECRET[..9]);
    folder
}

/// The exit code, the output and the messages of a command.
fn coco(folder: &Path, line: &str) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_coco"));
    command.current_dir(folder).env("COCONUT_CACHE_DIR", folder.join("cache")).args(line.split(' '));
    let output = command.output().expect("the tool runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("it is UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_stream_is_read_by_the_commands_that_read_documents() {
    let folder = folder();
    let run = |line: &str| coco(folder.path(), line);
    assert_eq!(run("get secret.pcore /1/__pvalue --raw"), (Some(0), "a.b\n".into(), String::new()));
    let (code, output, _) = run("dump secret.pcore --compact --reveal");
    let document =
        r#"[{"__ptype":"Sensitive","__pvalue":"canary"},{"__ptype":"Regexp","__pvalue":"a.b"},"x","x"]"#;
    assert_eq!((code, output.trim_end()), (Some(0), document));
    let (code, output, _) = run("info secret.pcore");
    assert!(code == Some(0) && output.contains("Pcore in msgpack, as ruby-5.4 writes it"), "{output}");
}

#[test]
fn a_secret_of_a_stream_is_hidden() {
    let folder = folder();
    for line in [
        "dump secret.pcore",
        "dump secret.pcore --as yaml",
        "dump secret.pcore --as wire",
        "--json dump secret.pcore --as wire",
        "dump cut.pcore --as wire",
        "get secret.pcore /0",
        "find canary secret.pcore",
        "stat secret.pcore",
        "info secret.pcore",
        "check secret.pcore",
    ] {
        let (_, output, errors) = coco(folder.path(), line);
        // `find` repeats its pattern.
        if !line.starts_with("find") {
            assert!(!output.contains("canary") && !errors.contains("canary"), "{line}\n{output}{errors}");
        }
    }
    let (_, output, _) = coco(folder.path(), "dump secret.pcore --as wire --reveal");
    assert!(output.contains("canary"), "{output}");
}

#[test]
fn the_listing_has_codes_and_slots() {
    let folder = folder();
    let (code, output, _) = coco(folder.path(), "dump secret.pcore --as wire --reveal");
    let expected = "\
offset    value  code      inner  outer  meaning
00000000      0  0x10                 0  array of 4
00000003      1  0x14                      sensitive
00000006      2                0             string \"canary\"
0000000d      3  0x30          1      1    regexp \"a.b\"
00000013      4                2           string \"x\"
00000015      5  0x00                      inner slot 2: string \"x\"
";
    assert_eq!((code, &*output), (Some(0), expected));
}

#[test]
fn an_imported_stream_is_written_back() {
    let folder = folder();
    let run = |line: &str| coco(folder.path(), line);
    let (code, output, errors) = run("import pcore secret.pcore -o secret.coco");
    assert_eq!(
        (code, &*output),
        (Some(0), "secret.coco: 6 values, 0 shared, as ruby-5.4 writes them\n"),
        "{errors}"
    );
    let (code, _, errors) = run("convert secret.coco --to pcore --dialect ruby-5.4 -o again.pcore");
    assert_eq!(code, Some(0), "{errors}");
    assert_eq!(fs::read(folder.path().join("again.pcore")).expect("it is there"), SECRET);
    let (code, output, errors) = run("convert secret.coco --to pcore-json -o -");
    assert_eq!(
        (code, output.trim_end()),
        (Some(0), r#"[[16,4,[20],"canary",[48,"a.b"],"x"],[0,2]]"#),
        "{errors}"
    );
    // A scalar alone is only a stream if it is named as one.
    assert_eq!(run("get scalar.pcore /").0, Some(4));
    assert_eq!(run("import pcore scalar.pcore -o scalar.json").0, Some(0));
    assert_eq!(fs::read_to_string(folder.path().join("scalar.json")).expect("it is there"), "\"x\"\n");
}

#[test]
fn an_ambiguous_stream_needs_a_dialect() {
    let folder = folder();
    let run = |line: &str| coco(folder.path(), line);
    let (code, _, errors) = run("dump ambiguous.pcore");
    assert_eq!(code, Some(4), "{errors}");
    assert!(errors.contains("error[PCO-AMBIGUOUS]") && errors.contains("java-0.1"), "{errors}");
    for (dialect, last) in [("ruby-5.4", "\"b\"]"), ("java-0.1", "\"a\"]")] {
        let (code, _, errors) =
            run(&format!("import pcore ambiguous.pcore --dialect {dialect} -o out.json --force"));
        assert_eq!(code, Some(0), "{errors}");
        let text = fs::read_to_string(folder.path().join("out.json")).expect("it is there");
        let text: String = text.split_whitespace().collect();
        assert!(text.ends_with(last), "{dialect}: {text}");
    }
}

#[test]
fn diagnostics_of_a_parser_are_shown_and_checked() {
    let folder = folder();
    let run = |line: &str| coco(folder.path(), line);
    let (code, output, errors) = run("info site.xpp");
    assert_eq!(code, Some(0), "{errors}");
    for line in [
        "parameter    document-type=xpp",
        "syntax tree  none",
        "diagnostics  1 error, 1 warning",
        "             error at site.pp:3: Syntax error at '}' (SYNTAX_ERROR)",
        "             warning at line 7:2: Unquoted",
    ] {
        assert!(output.contains(line), "{line}\n{output}");
    }
    let (code, output, _) = run("check site.xpp");
    assert_eq!(code, Some(1), "{output}");
    assert!(output.contains("error[XPP-ERROR]") && output.contains("warning[XPP-WARNING]"), "{output}");
    assert!(output.contains("1 document checked: 1 error, 1 warning, 0 notes"), "{output}");
}

#[test]
fn a_damaged_stream_is_refused_with_its_place() {
    let folder = folder();
    let (code, _, errors) = coco(folder.path(), "dump cut.pcore");
    assert_eq!(code, Some(4), "{errors}");
    assert!(errors.contains("error[PCO-COUNT]") && errors.contains("byte 3"), "{errors}");
}
