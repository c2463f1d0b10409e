//! Tests that both tools behave in the same way. The transcripts of `coco-inspect` hold for `coco`,
//! and the same command gives the same output, byte for byte.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "../../inspect-cli/tests/cli/fixtures.rs"]
mod fixtures;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const INSPECT_TESTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../inspect-cli/tests");

/// Transcripts that differ by intent: the list of schemas, and the command that git runs.
const OF_ONE_TOOL: [&str; 3] = ["schema.trycmd", "git-setup.trycmd", "json.trycmd"];

#[test]
fn the_transcripts_of_the_other_tool_are_true_of_this_one() {
    let directory = fixtures::directory("shared transcripts");
    for folder in ["help", "transcripts"] {
        fs::create_dir(directory.join(folder)).unwrap();
        for entry in fs::read_dir(Path::new(INSPECT_TESTS).join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap();
            if OF_ONE_TOOL.iter().any(|other| name == *other) {
                continue;
            }
            let transcript = fs::read_to_string(&path)
                .unwrap()
                .replace("$ coco-inspect ", "$ coco ")
                .replace("Usage: coco-inspect ", "Usage: coco ")
                .replace("\"coco-inspect dump", "\"coco dump");
            fs::write(directory.join(folder).join(name), transcript).unwrap();
        }
    }
    // The commands of a transcript run in the directory of this process. The other test sets its
    // own.
    std::env::set_current_dir(&directory).unwrap();
    let cases = trycmd::TestCases::new();
    cases.env("NO_COLOR", "1").env("COCONUT_CACHE_DIR", directory.join("cache").to_string_lossy());
    cases.insert_var("[VERSION]", env!("CARGO_PKG_VERSION")).unwrap();
    cases.case(directory.join("help/*.trycmd")).case(directory.join("transcripts/*.trycmd"));
    cases.run();
}

fn run(tool: &Path, directory: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(tool);
    command.current_dir(directory).args(arguments).env("COCONUT_CACHE_DIR", directory.join("cache"));
    let mut output = command.output().unwrap();
    // A usage error quotes the command with the name of the tool.
    let errors = String::from_utf8_lossy(&output.stderr).replace("`coco-inspect ", "`coco ");
    output.stderr = errors.into_bytes();
    output
}

#[test]
fn both_tools_answer_the_same_question_with_the_same_bytes() {
    // A build of the workspace puts the other tool next to this one.
    let inspect = Path::new(env!("CARGO_BIN_EXE_coco"))
        .with_file_name("coco-inspect")
        .with_extension(std::env::consts::EXE_EXTENSION);
    if !inspect.exists() {
        assert!(std::env::var_os("COCONUT_COMPLETE").is_none(), "{} is not built", inspect.display());
        println!("skipped: {} is not built", inspect.display());
        return;
    }
    let directory = fixtures::directory("agreement");
    fs::write(directory.join("empty.json"), "").unwrap();
    fs::write(directory.join("broken-text.json"), r#"{"a" 1}"#).unwrap();
    let secret =
        r#"{"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "plaintext": canary"#;
    fs::write(directory.join("broken-secret.json"), secret).unwrap();
    let stack = fs::read(directory.join("stack.coco")).unwrap();
    fs::write(directory.join("mark.coco"), [b"\xef\xbb\xbf", &stack[..]].concat()).unwrap();
    fs::write(directory.join("mark"), [b"\xef\xbb\xbf", &stack[..]].concat()).unwrap();
    let db = fixtures::DB;
    let vpc = "urn:pulumi:prod::shop::aws:ec2/vpc:Vpc::network";
    let mut questions: Vec<Vec<&str>> = Vec::new();
    for file in ["stack.coco", "stack.json", "text.coco"] {
        for key in [vpc, db, "/checkpoint/latest/resources/4/inputs", "urn:pulumi:nothing", "/nothing", ""] {
            for options in [
                &[][..],
                &["--all"],
                &["--raw"],
                &["--as", "yaml"],
                &["--class", "resources"],
                &["--class", "0"],
            ] {
                questions.push([&["get", file, key], options].concat());
            }
        }
        questions.extend([
            vec!["ls", file],
            vec!["deps", file, vpc],
            vec!["rdeps", file, vpc],
            vec!["dump", file],
        ]);
        questions.push(vec!["info", file]);
        questions.push(vec!["stat", file, "--sizes"]);
    }
    for file in ["state.coco", "state.json"] {
        for key in ["/outputs", "/outputs/token/value", "aws_db_instance.db"] {
            questions.extend([
                vec!["get", file, key],
                vec!["get", file, key, "--raw"],
                vec!["get", file, key, "--reveal"],
            ]);
        }
    }
    for file in ["greeter.yaml", "greeter.coco", "catalog.json", "catalog.coco"] {
        questions.extend([
            vec!["get", file, "/"],
            vec!["get", file, "greeter:index:greet"],
            vec!["get", file, "item-7"],
        ]);
    }
    for file in [
        "empty.json",
        "broken-text.json",
        "broken-secret.json",
        "mark.coco",
        "mark",
        "cut.coco",
        "broken.coco",
        "longer.coco",
        "converted.coco",
        "nowhere.json",
        "nowhere.coco",
        ".",
    ] {
        questions.extend([
            vec!["get", file, "/a"],
            vec!["get", file, ""],
            vec!["ls", file],
            vec!["verify", file],
        ]);
    }
    questions.extend([
        vec!["explain", "SRC-JSON"],
        vec!["explain", "nothing"],
        vec!["magic"],
        vec!["schema", "get"],
    ]);
    let mut wrong = Vec::new();
    for question in questions {
        for json in [&[][..], &["--json"]] {
            // The refusal names commands of which one tool has more.
            if question == ["magic"] && !json.is_empty() {
                continue;
            }
            let arguments = [&question[..], json].concat();
            let [ours, theirs] = [Path::new(env!("CARGO_BIN_EXE_coco")), &inspect]
                .map(|tool| run(tool, &directory, &arguments));
            if ours != theirs {
                wrong.push(format!("{arguments:?}:\n{ours:?}\n{theirs:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
