//! Tests that `dump` prints the document that was compiled.

use crate::fixtures;
use crate::runs::{run, stdout_of};
use coconut_codec::Profile;
use coconut_codec::compile::{CompileOptions, compile};
use coconut_codec::event::ValueSink;
use coconut_codec::text::{SourceFormat, json, yaml};
use coconut_format::Value;
use std::fs;
use std::path::Path;

fn read(text: &[u8], format: SourceFormat) -> Value {
    let mut sink = ValueSink::new();
    let read = match format {
        SourceFormat::Json => json::read(text, &mut sink, &json::JsonOptions::default()),
        SourceFormat::Yaml => yaml::read(text, &mut sink, &yaml::YamlOptions::default()),
    };
    read.unwrap_or_else(|error| panic!("{}", error.render("text", text)));
    sink.finish().expect("a text that was read is one whole document")
}

/// Compiles `text` in every profile, and compares the output in every notation with it.
fn assert_dumps_are_equal(directory: &Path, text: &[u8], name: &str) {
    let format = SourceFormat::of_text(text);
    let expected = read(text, format);
    for profile in Profile::ALL {
        let options = CompileOptions { profile, ..CompileOptions::default() };
        let bytes = compile(text, &options).unwrap_or_else(|error| panic!("{name}: {error}")).bytes;
        fs::write(directory.join("case.coco"), bytes).expect("the target directory can be written");
        let dump = |arguments: &[&str]| {
            stdout_of(directory, &[&["dump", "case.coco", "--reveal"], arguments].concat()).into_bytes()
        };
        // A diff of whole documents would be less useful than the name of the file.
        assert!(read(&dump(&[]), SourceFormat::Json) == expected, "{name} differs");
        assert!(read(&dump(&["--compact"]), SourceFormat::Json) == expected, "{name} differs when compact");
        assert!(read(&dump(&["--as", "yaml"]), SourceFormat::Yaml) == expected, "{name} differs as YAML");
    }
}

#[test]
fn dumps_of_the_fixtures_are_equal_to_their_sources() {
    let directory = fixtures::directory("round trips");
    for name in ["stack.json", "state.json", "greeter.yaml"] {
        assert_dumps_are_equal(&directory, &fixtures::source(name), name);
    }
}

#[test]
fn dumps_keep_numbers_and_text_exactly() {
    let directory = fixtures::directory("exact");
    let text = r#"{"u": 18446744073709551615, "i": -9223372036854775808, "f": [1.0, 1, -0.0, 5e-324, 1e300],
        "s": ["", "\u0000\u001b\u009b\u202e", "é\ud83d\ude00", "a\nb", "no", "1.10"], "": {"a/b~c": null}, "deep": [[[[[{}]]]]]}"#;
    assert_dumps_are_equal(&directory, text.as_bytes(), "numbers and text");
    assert_dumps_are_equal(&directory, b"\"a scalar\"", "a scalar");
}

/// One file in this many of the corpus is tested, to save time.
const SAMPLE: usize = 37;

#[test]
fn dumps_of_real_documents_are_equal_to_their_sources() {
    let Some(corpus) = coconut_testing::corpus() else { return };
    let index = fs::read_to_string(corpus.join("INDEX.tsv")).expect("a corpus has an index");
    let directory = fixtures::directory("corpus");
    let mut count = 0;
    for row in index.lines().skip(1).step_by(SAMPLE) {
        let name = row.split('\t').next().unwrap_or_default();
        let text = fs::read(corpus.join(name)).expect("the index names files that are there");
        if text.len() > 1 << 20 || compile(&text, &CompileOptions::default()).is_err() {
            continue;
        }
        assert_dumps_are_equal(&directory, &text, name);
        count += 1;
    }
    assert!(count > 10, "only {count} files of the corpus could be compared");
}

#[test]
fn a_document_can_be_read_from_a_pipe() {
    use std::io::Write as _;
    use std::process::{Command, Stdio};
    let directory = fixtures::directory("pipe");
    let mut command = Command::new(env!("CARGO_BIN_EXE_coco-inspect"));
    command.args(["ls", "-", "item-39?"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("the tool can be run");
    let bytes = fs::read(directory.join("catalog.coco")).expect("it is a fixture");
    child.stdin.take().expect("it is piped").write_all(&bytes).expect("the tool reads it");
    let output = child.wait_with_output().expect("the tool ends");
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 10);
}

#[test]
fn a_reader_that_goes_away_is_not_a_failure() {
    use std::io::Read as _;
    use std::process::{Command, Stdio};
    let directory = fixtures::directory("closed pipe");
    let mut command = Command::new(env!("CARGO_BIN_EXE_coco-inspect"));
    command
        .current_dir(&directory)
        .args(["dump", "catalog.coco"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("the tool can be run");
    let mut first = [0];
    child.stdout.take().expect("it is piped").read_exact(&mut first).expect("the tool prints something");
    let output = child.wait_with_output().expect("the tool ends");
    assert!(output.status.success(), "{}", output.status);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn colour_comes_only_when_it_is_wanted() {
    let directory = fixtures::directory("colour");
    let plain = stdout_of(&directory, &["info", "stack.coco"]);
    assert!(!plain.contains('\u{1b}'));
    assert!(stdout_of(&directory, &["info", "stack.coco", "--color", "always"]).contains("\u{1b}[1mtype"));
    let never = run(&directory, &["info", "nowhere", "--color", "never"]);
    assert!(!String::from_utf8_lossy(&never.stderr).contains('\u{1b}'));
}

#[test]
fn control_characters_are_escaped_in_keys_and_messages() {
    let directory = fixtures::directory("escapes");
    let text = "{\"vertices\": {\"\\u001b[31mred\\u202e\": {\"type\": \"t\"}}}";
    fs::write(directory.join("e.coco"), fixtures::compiled(text.as_bytes()))
        .expect("the directory can be written");
    assert_eq!(stdout_of(&directory, &["ls", "e.coco"]), "\\u{1b}[31mred\\u{202e}\n");
    let output = run(&directory, &["get", "e.coco", "\u{1b}[31mrad\u{202e}"]);
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(
        message.contains("\\u{1b}[31mred\\u{202e}") && !message.contains(['\u{1b}', '\u{202e}']),
        "{message}"
    );
}

#[test]
fn control_characters_are_escaped_in_reports() {
    let directory = fixtures::directory("json-escapes");
    let key = "\u{9b}31mred\u{202e}\u{7f}";
    let text =
        format!("{{\"vertices\": {{\"{key}\": {{\"type\": \"t\", \"r\": {{\"#ref\": \"{key}\"}}}}}}}}");
    fs::write(directory.join("e.coco"), fixtures::compiled(text.as_bytes()))
        .expect("the directory can be written");
    let mut wrong = Vec::new();
    for (arguments, exit) in [
        (&["ls", "e.coco"][..], 0),
        (&["stat", "e.coco", "--sizes"], 0),
        (&["deps", "e.coco", key], 0),
        (&["rdeps", "e.coco", key], 0),
        (&["get", "e.coco", "\u{9b}rad\u{202e}"], 1),
        (&["info", "\u{9b}\u{202e}"], 2),
    ] {
        let output = run(&directory, &[arguments, &["--json"]].concat());
        assert_eq!(output.status.code(), Some(exit), "{arguments:?}");
        let printed = String::from_utf8([output.stdout, output.stderr].concat()).expect("it is UTF-8");
        assert!(printed.contains("\\u202e"), "{arguments:?}: {printed}");
        if printed.contains(['\u{9b}', '\u{202e}', '\u{7f}']) {
            wrong.push(arguments.join(" "));
        }
    }
    assert_eq!(wrong, [""; 0]);
}
