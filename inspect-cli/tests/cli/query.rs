//! Tests `query`: results like those of `jq`, limits against hostile filters, and no part of a
//! secret.

use crate::fixtures;
use crate::runs::{on_terminal, run, stdout_of};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const FILTERS: &str = include_str!("../cases/filters.jq");
const DIFFERING: &str = include_str!("../cases/filters-differing.tsv");
const HOSTILE: &str = include_str!("../cases/hostile-filters.tsv");

/// The documents used to compare results, unless all are requested.
const FEW: usize = 12;

#[test]
fn hostile_filters_end_with_the_code_of_their_limit() {
    let directory = fixtures::directory("hostile-filters");
    for row in HOSTILE.lines().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        let [options, filter, exit, code] = cells[..] else { panic!("four cells: {row}") };
        let options: Vec<&str> = options.split_whitespace().collect();
        let arguments = [&["query", "--json"], &options[..], &[filter, "plain.json"]].concat();
        let Output { status, stderr, .. } = run(&directory, &arguments);
        let stderr = String::from_utf8_lossy(&stderr);
        assert_eq!(status.code().map(|code| code.to_string()).as_deref(), Some(exit), "{row}: {stderr}");
        let report: Value =
            serde_json::from_str(&stderr).unwrap_or_else(|error| panic!("{row}: {error}: {stderr}"));
        assert_eq!(report["errors"][0]["code"], code, "{row}: {stderr}");
    }
}

#[test]
fn filters_that_are_nested_too_deeply_end_with_the_limit_of_the_stack() {
    let directory = fixtures::directory("nested-filters");
    fs::write(directory.join("deep.jq"), "[".repeat(3_000_000)).expect("the directory can be written");
    let output = run(&directory, &["query", "-f", "deep.jq", "plain.json"]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(7), "{stderr}");
    assert!(stderr.starts_with("error[LIM-QUERY-STACK]"), "{stderr}");
}

/// The options of `jq` for inputs and colours have its results.
#[test]
fn texts_events_and_colours_are_those_of_jq() {
    let directory = fixtures::directory("query-inputs");
    fs::write(directory.join("text.txt"), "a\nb b\n\n\u{e9}").expect("the directory can be written");
    fs::write(directory.join("small.json"), r#"{"a": ["x", null], "b": {}}"#)
        .expect("the directory can be written");
    for (arguments, expected) in [
        (&["-cR", ".", "text.txt"][..], "\"a\"\n\"b b\"\n\"\"\n\"\u{e9}\"\n"),
        (&["-cR", "-n", ".", "text.txt"], "null\n"),
        (&["-cRs", "length, .", "text.txt"], "8\n\"a\\nb b\\n\\n\u{e9}\"\n"),
        (&["-rR", "ascii_upcase", "text.txt", "text.txt"], "A\nB B\n\n\u{e9}A\nB B\n\n\u{e9}\n"),
        (
            &["-c", "--stream", ".", "small.json"],
            "[[\"a\",0],\"x\"]\n[[\"a\",1],null]\n[[\"a\",1]]\n[[\"b\"],{}]\n[[\"b\"]]\n",
        ),
        (&["-c", "--stream", "--limit", "1", "select(length == 1)[0]", "small.json"], "[\"a\",1]\n"),
        (
            &["-cC", ".", "small.json"],
            "{\u{1b}[1m\u{1b}[34m\"a\"\u{1b}[0m:[\u{1b}[32m\"x\"\u{1b}[0m,\u{1b}[2mnull\u{1b}[0m],\
             \u{1b}[1m\u{1b}[34m\"b\"\u{1b}[0m:{}}\n",
        ),
        (&["-c", "[.a[] | strings | test(\"\\\\p{Ll}\")]", "small.json"], "[true]\n"),
    ] {
        assert_eq!(stdout_of(&directory, &[&["query"], arguments].concat()), expected, "{arguments:?}");
    }
}

/// Filters that need no interpreter have the same results as with it.
#[test]
fn filters_run_without_the_interpreter_have_its_results() {
    let directory = fixtures::directory("direct-filters");
    for file in ["stack.coco", "state.coco", "plain.json", "secret-keys.coco"] {
        for filter in [
            ".",
            ".[]?",
            "keys",
            "length",
            ".checkpoint.latest.resources[]",
            ".checkpoint.latest.resources[]? | select(.type == \"aws:ec2/vpc:Vpc\") | .urn",
            ".checkpoint.latest.resources | length",
            ".checkpoint.latest.resources[-1].urn",
            ".resources[]? | select(.mode == \"managed\" and .type != null).instances[].attributes",
            ".resources[]?.instances[]?.attributes | select(.id | type == \"string\" | not)",
            ".version | select(. >= 3)",
            ".version.x",
            ".version[]",
            ".a.b.c[\"d\"][0]",
        ] {
            for options in [&["--as", "json"][..], &["-c", "--reveal"], &["--each"], &["--limit", "2"]] {
                let arguments = [&["query"], options, &[filter, file]].concat();
                // The interpreter has to run the filters that are unknown here.
                let general = format!("def same: .; {filter} | same");
                let with_it = [&["query"], options, &[&general, file]].concat();
                let (direct, general) = (run(&directory, &arguments), run(&directory, &with_it));
                assert_eq!(direct.status.code(), general.status.code(), "{arguments:?}");
                assert_eq!(
                    String::from_utf8_lossy(&direct.stdout),
                    String::from_utf8_lossy(&general.stdout),
                    "{arguments:?}"
                );
                assert_eq!(
                    String::from_utf8_lossy(&direct.stderr),
                    String::from_utf8_lossy(&general.stderr),
                    "{arguments:?}"
                );
            }
        }
    }
}

#[test]
fn results_of_several_files_are_one_table_and_one_stream() {
    let directory = fixtures::directory("several-tables");
    let all = |options: &[&str]| {
        let files = ["{size, ports: .ports[0]}", "plain.json", "plain.json"];
        stdout_of(&directory, &[&["query"], options, &files].concat())
    };
    assert_eq!(all(&["--table"]), "size  ports\n1     1\n1     1\n");
    assert_eq!(all(&["--as", "csv"]), "size,ports\n1,1\n1,1\n");
    assert_eq!(all(&["--as", "yaml"]), "size: 1\nports: 1\n---\nsize: 1\nports: 1\n");
    assert_eq!(
        all(&["--table", "--with-file"]),
        "plain.json\tsize  ports\nplain.json\t1     1\nplain.json\tsize  ports\nplain.json\t1     1\n"
    );
}

#[test]
fn halting_ends_the_run_with_its_code() {
    let directory = fixtures::directory("halting");
    for (filter, exit, stdout, stderr) in [
        ("1, halt, 2", 0, "1\n", ""),
        ("1, (\"bye\" | halt_error), 2", 5, "1\n", "bye"),
        ("halt_error(1)", 1, "", "{\"ports\":[1,2,3],\"size\":1}\n"),
    ] {
        let output = run(&directory, &["query", filter, "plain.json", "plain.json"]);
        assert_eq!(output.status.code(), Some(exit), "{filter}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), stdout, "{filter}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), stderr, "{filter}");
    }
}

/// A terminal must not interpret text from a filter or a document, whichever way it gets there.
#[test]
#[cfg(target_os = "linux")]
fn nothing_that_a_terminal_obeys_comes_from_a_filter() {
    const TEXT: &str = "a\u{1b}]0;b\u{7}\u{9b}31mc\u{202e}d\nerror[E]: e";
    let directory = fixtures::directory("query-on-terminal");
    let text = serde_json::json!({"x": TEXT, "l": [TEXT], TEXT: 1}).to_string();
    fs::write(directory.join("odd.json"), text).expect("the directory can be written");
    let escaped = r"a\u{1b}]0;b\u{7}\u{9b}31mc\u{202e}d\nerror[E]: e";
    let in_json = r#""a\u001b]0;b\u0007\u009b31mc\u202ed\nerror[E]: e""#;
    let lines = escaped.replace(r"\n", "\r\n");
    for (words, expected) in [
        ("'.x | stderr | empty'", escaped.to_owned()),
        ("'.x + \"\\n\" | stderr | empty'", format!("{escaped}\r\n")),
        ("--no-worker '.x | stderr | empty'", escaped.to_owned()),
        ("'.l | stderr | empty'", format!("[{in_json}]\r\n")),
        ("'.x | debug | empty'", format!("[\"DEBUG:\",{in_json}]\r\n")),
        ("'.x | halt_error'", escaped.to_owned()),
        ("'.x | error'", format!("error[QUERY-ERROR]: {escaped}\r\n --> odd.json\r\n")),
        ("-r .x", format!("{lines}\r\n")),
        ("-j .x", lines.clone()),
        ("-r -c .l", format!("[{in_json}]\r\n")),
        ("-r -c '.l | .[]?, .'", format!("{lines}\r\n[{in_json}]\r\n")),
        ("--tab .l", format!("[\r\n\t{in_json}\r\n]\r\n")),
        ("--table .l", format!("{escaped}\r\n")),
    ] {
        let words = format!("query --color never {words} odd.json");
        let Some(text) = on_terminal(&directory, &words, &[("PAGER", Path::new("cat"))]) else {
            return coconut_testing::skip("script");
        };
        assert_eq!(text, expected, "{words}");
    }
    for notation in ["yaml", "csv", "tsv", "jsonl", "table"] {
        for filter in [".x", ".l", "[.]", "to_entries", "[to_entries]"] {
            let words = format!("query --color never --as {notation} '{filter}' odd.json");
            let text =
                on_terminal(&directory, &words, &[("PAGER", Path::new("cat"))]).expect("it was there before");
            let obeyed = text.replace("\r\n", "").replace('\t', "");
            let obeyed = obeyed.contains(|c: char| c.is_control() || c == '\u{202e}');
            assert!(!obeyed, "{words}: {text:?}");
        }
    }
}

/// Results for a path into a secret are the same, whatever the secret contains.
#[test]
fn no_filter_can_read_the_contents_of_a_secret() {
    let directory = fixtures::directory("guessed-secrets");
    let answer = |filter: &str, key: &str| {
        let output = run(&directory, &["query", &filter.replace("KEY", key), "secret-keys.coco"]);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(key, "KEY");
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    for filter in [
        r#".s.plaintext."KEY""#,
        r#".s.plaintext."KEY".n"#,
        r#".s.plaintext."KEY"[0]"#,
        r#".s.plaintext | ."KEY""#,
        r#"landmark("/s/plaintext/KEY")"#,
        r#"landmark("/s/plaintext/KEY/n")"#,
        r#"landmark("KEY")"#,
        r#"landmark("KEY/n")"#,
        r#"try (landmark("/s/plaintext/KEY") | 1) catch 2"#,
        r#"try ("KEY" | deps) catch ."#,
        r#"try ("/s/plaintext/KEY" | rdeps) catch ."#,
        r#"try ("/s/plaintext/KEY/n" | [dependents]) catch ."#,
        r#"try paths_between("KEY"; "KEY") catch ."#,
    ] {
        assert_eq!(answer(filter, "canary-3"), answer(filter, "nobody-3"), "{filter}");
    }
    let secret = stdout_of(&directory, &["query", "landmark(\"/s/plaintext/none\")", "secret-keys.coco"]);
    assert_eq!(secret, "\"[secret]\"\n");
    for (one, other) in [
        (".s.plaintext", ".s | .plaintext"),
        (".s.plaintext.x", ".s | .plaintext | .x"),
        (".s.plaintext[0]", ".s | .plaintext | .[0]"),
        (".s.plaintext.\"canary-3\"", ".s.plaintext | .\"canary-3\""),
        (".s.plaintext.\"canary-3\".n", "def f: .; .s | .plaintext | f | .\"canary-3\" | .n"),
    ] {
        assert_eq!(answer(one, "KEY"), answer(other, "KEY"), "{one}");
    }
}

/// The output of a filter is passed on, even if it equals the message about the end of its process.
#[test]
fn texts_of_filters_are_passed_on_whatever_they_look_like() {
    let directory = fixtures::directory("forged-ends");
    let lines = "memory allocation of 5 bytes failed\n\nthread 'filter' (1) has overflowed its stack\n";
    let text = serde_json::json!(lines).to_string();
    for (filter, exit, expected) in [
        (format!("{text} | stderr | 1"), 0, lines.to_owned()),
        (format!("{text}, \"x\\n\", {text} | stderr"), 0, format!("{lines}x\n{lines}")),
        (format!("{text} | halt_error"), 5, lines.to_owned()),
    ] {
        let output = run(&directory, &["query", "-n", &filter]);
        assert_eq!(String::from_utf8_lossy(&output.stderr), expected, "{filter}");
        assert_eq!(output.status.code(), Some(exit), "{filter}");
    }
    let filter = format!("{text}, \"x\\n\" | stderr | def f: 1 + f; f");
    let output = run(&directory, &["query", "-n", &filter]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(7), "{stderr}");
    assert!(stderr.contains("error[LIM-QUERY-STACK]"), "{stderr}");
}

/// A reader that waits takes no time of the filter.
#[test]
#[cfg(target_os = "linux")]
fn a_slow_reader_does_not_end_the_filter() {
    use std::io::Read as _;
    use std::process::Stdio;
    use std::time::Duration;
    let directory = fixtures::directory("slow-reader");
    let mut command = Command::new(env!("CARGO_BIN_EXE_coco-inspect"));
    // More than a pipe holds.
    command.current_dir(&directory).args(["query", "--timeout", "1", "-rn", "(\"x\" * 300000), 1 | ., 2"]);
    let mut child = command.stdout(Stdio::piped()).spawn().expect("the tool is built");
    // However slow the machine is, the limit is exceeded by then.
    std::thread::sleep(Duration::from_millis(2500));
    let mut text = String::new();
    child.stdout.take().expect("it is a pipe").read_to_string(&mut text).expect("it is text");
    assert!(child.wait().expect("it ends").success());
    assert_eq!(text.len(), 300_000 + "\n2\n1\n2\n".len());
}

#[test]
fn several_keys_may_be_short_forms() {
    let directory = fixtures::directory("several-keys");
    let keys = |options: &[&str]| {
        stdout_of(&directory, &[&["query", "-r"], options, &["$key", "stack.coco"]].concat())
    };
    let (vpc, subnet) = (keys(&["--key", "Vpc::network"]), keys(&["--key", "Subnet::front"]));
    assert!(!vpc.is_empty() && !subnet.is_empty());
    assert_eq!(keys(&["--key", "Vpc::network", "--key", "Subnet::front"]), format!("{vpc}{subnet}"));
    assert_eq!(keys(&["--key", "Vpc::network", "--key", "nobody"]), vpc);
    let output = run(&directory, &["query", "--key", "nobody", "--key", "none", "$key", "stack.coco"]);
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_name_in_a_list_has_a_hint_to_its_items() {
    let directory = fixtures::directory("names-in-lists");
    fs::write(directory.join("list.json"), "[{\"a\": 1}]").expect("the directory can be written");
    for filter in [".a", ".[].a, .a", "def f: .a; f"] {
        let output = run(&directory, &["query", "-c", filter, "list.json"]);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(5), "{filter}: {stderr}");
        assert!(stderr.contains("Cannot index array with string (\"a\")"), "{filter}: {stderr}");
        assert!(stderr.contains("`.[]`") && stderr.contains("`--each`"), "{filter}: {stderr}");
    }
}

#[test]
fn slurped_documents_are_one_list() {
    let directory = fixtures::directory("slurped");
    let slurped = |options: &[&str], files: &[&str]| {
        stdout_of(&directory, &[&["query", "-c", "-s"], options, files].concat())
    };
    let two = ["plain.json", "plain.json"];
    assert_eq!(slurped(&["map(.size) | add"], &two), "2\n");
    assert_eq!(slurped(&["length"], &two), "2\n");
    assert_eq!(slurped(&[".[1].ports"], &two), "[1,2,3]\n");
    assert_eq!(slurped(&["."], &two[1..]), "[{\"ports\":[1,2,3],\"size\":1}]\n");
    let shown = slurped(&["[.[] | .. | strings]"], &["stack.coco", "secret-keys.coco"]);
    assert!(shown.contains("[secret]") && !shown.contains("canary"), "{shown}");
    let output = run(&directory, &["query", "-s", "--each", ".", "plain.json"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn no_filter_can_compute_with_a_secret() {
    let directory = fixtures::directory("secret-filters");
    for file in ["stack.coco", "state.coco", "secret-keys.coco", "secret-resource.coco"] {
        for filter in [
            ".",
            "..",
            "[.. | strings]",
            "[.. | strings | explode | implode]",
            "[.. | strings | test(\"anary\")] | any",
            "[paths] | tojson",
            "[.. | strings | select(contains(\"anary\"))]",
            "tojson, tostring, @base64, @json, @text",
            "[tostream]",
            "[.. | strings | ascii_upcase | ascii_downcase]",
            "[landmarks]",
            "[landmarks | key]",
            "[landmarks | (key, deps, rdeps)?]",
            "walk(.) | .. |= .",
            "[leaf_paths as $p | getpath($p)]",
            "[find(\"anary\")]",
            "to_entries, with_entries(.), keys, map_values(.)",
            "map(.)?, sort?, group_by(.)?, unique?",
            "\"\\(.)\", @sh \"\\(tojson)\", @uri \"\\(.)\"",
            ".[]?",
            ".checkpoint.latest.resources[]? | select(.inputs.password.plaintext != null) | .inputs.password",
            ".. | objects | .password? // empty | error(tojson)",
            "error",
            "debug, stderr | empty",
        ] {
            for options in [&["-r"][..], &["--each"], &["--json"], &["--as", "yaml"], &["--where", "/x=*"]] {
                let arguments = [&["query"], options, &[filter, file]].concat();
                let Output { stdout, stderr, .. } = run(&directory, &arguments);
                for text in [stdout, stderr] {
                    let text = String::from_utf8_lossy(&text).to_lowercase();
                    assert!(!text.contains("canary"), "{arguments:?}: {text}");
                    assert!(!filter.contains("test(") || !text.contains("true"), "{arguments:?}: {text}");
                }
            }
        }
    }
    let shown = stdout_of(
        &directory,
        &["query", "--reveal", "[.. | strings | select(contains(\"canary\"))] | length", "stack.coco"],
    );
    assert_ne!(shown, "0\n");
}

#[test]
fn a_condition_does_not_compare_secrets() {
    let directory = fixtures::directory("secret-conditions");
    let count = |options: &[&str]| {
        let arguments = [
            &["query", "-r", "--where", "/inputs/password/plaintext=*canary*"],
            options,
            &["$ordinal", "stack.coco"],
        ];
        stdout_of(&directory, &arguments.concat()).lines().count()
    };
    assert_eq!((count(&[]), count(&["--reveal"])), (0, 1));
}

/// Whether two values are the same for `jq`, whose numbers are all floats.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            let (one, other) = (one.as_f64().unwrap_or(f64::NAN), other.as_f64().unwrap_or(f64::NAN));
            one == other || (one - other).abs() <= one.abs() * 1e-12
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, one)| other.get(key).is_some_and(|other| is_same(one, other)))
        }
        _ => one == other,
    }
}

fn filters() -> Vec<&'static str> {
    FILTERS.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
}

/// Whether a filter is listed with a reason for results other than those of this version of `jq`.
fn is_allowed(filter: &str, version: &str) -> bool {
    let rows = DIFFERING.lines().skip(1).map(|row| row.split('\t').collect::<Vec<_>>());
    let fits = |row: &Vec<&str>| row[1] == filter && (row[0] == "*" || version.trim() == row[0]);
    rows.into_iter().any(|row| fits(&row))
}

#[test]
fn listed_differences_are_of_filters_that_are_compared() {
    for row in DIFFERING.lines().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        let [_, filter, reason] = cells[..] else { panic!("three cells: {row}") };
        assert!(filters().contains(&filter) && !reason.is_empty(), "{row}");
    }
}

/// One program that has the results of each filter, or `"failed"`, as a list.
fn all_in_one() -> String {
    let each: Vec<String> =
        filters().into_iter().map(|filter| format!("(try [{filter}] catch \"failed\")")).collect();
    format!("[{}]", each.join(",\n"))
}

/// The JSON documents of the corpus of a moderate size.
fn documents() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = coconut_testing::corpus().into_iter().collect();
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        let mut paths: Vec<PathBuf> = fs::read_dir(folder)
            .expect("it is a folder")
            .map(|entry| entry.expect("it can be read").path())
            .collect();
        paths.sort();
        for path in paths {
            let size = fs::metadata(&path).map_or(0, |metadata| metadata.len());
            let is_json =
                path.extension().is_some_and(|extension| extension == "json" || extension == "tfstate");
            if path.is_dir() {
                folders.push(path);
            } else if is_json && (2_000..100_000).contains(&size) {
                found.push(path);
            }
        }
    }
    found
}

/// The version of the `jq` of this machine, if there is one.
fn version_of_jq() -> Option<String> {
    let output = Command::new("jq").arg("--version").output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn results_are_those_of_jq() {
    assert!(filters().len() >= 200);
    let Some(version) = version_of_jq() else {
        coconut_testing::skip("jq");
        return;
    };
    let (mut documents, directory) = (documents(), fixtures::directory("jq"));
    if std::env::var_os("COCONUT_DEEP").is_none() {
        let step = (documents.len() / FEW).max(1);
        documents = documents.into_iter().step_by(step).collect();
    }
    documents.extend(["stack.json", "state.json", "plan.json"].map(|name| directory.join(name)));
    let program = directory.join("all.jq");
    fs::write(&program, all_in_one()).expect("the directory can be written");
    for document in documents {
        compare(&document, &program, &version);
    }
}

fn compare(document: &Path, program: &Path, version: &str) {
    // Some documents of the corpus are not JSON.
    if !Command::new("jq").arg("empty").arg(document).output().is_ok_and(|output| output.status.success()) {
        return;
    }
    let jq = Command::new("jq").arg("-c").arg("-f").args([program, document]).output().expect("it is there");
    let theirs: Value = serde_json::from_slice(&jq.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&jq.stderr)));
    let ours = Command::new(env!("CARGO_BIN_EXE_coco-inspect"))
        .args(["query", "--reveal", "-c", "-f"])
        .args([program, document])
        .output()
        .expect("the tool is built");
    let stderr = String::from_utf8_lossy(&ours.stderr);
    assert!(ours.status.success(), "{}: {stderr}", document.display());
    let ours: Value = serde_json::from_slice(&ours.stdout).expect("the result is JSON");
    for (at, filter) in filters().into_iter().enumerate().filter(|(_, filter)| !is_allowed(filter, version)) {
        let (ours, theirs) = (&ours[at], &theirs[at]);
        assert!(
            is_same(ours, theirs),
            "{filter}\non {}\nours:   {ours}\ntheirs: {theirs}",
            document.display()
        );
    }
}

/// A filter that reads all of a damaged document fails as `dump` does, in every notation and with
/// every selection, and prints no value that is not in the undamaged document.
#[test]
fn damage_is_reported_by_every_filter_and_notation_as_by_dump() {
    let directory = fixtures::directory("damaged-queries");
    let resources: Vec<String> =
        (0..1500).map(|n| format!(r#"{{"id": "i{n}", "v": "x{n}", "w": [{n}, {n}.5]}}"#)).collect();
    let good = fixtures::compiled(format!(r#"{{"items": [{}]}}"#, resources.join(",")).as_bytes());
    let lines = fixtures::compiled(format!("[{}]", resources.join(",")).as_bytes());
    assert!(good.len() > 8 << 12 && lines.len() > 8 << 12);
    let forms: [&[&str]; 12] = [
        &[],
        &["--json"],
        &["-e"],
        &["--as", "yaml"],
        &["--as", "csv"],
        &["--table"],
        &["--reveal", "-S", "-c"],
        &["--with-file", "-c"],
        &["--slurp"],
        &["--slurp", "--json"],
        &["--where", "/v=x*"],
        &["--where", "/w/1=*.5", "--json"],
    ];
    let asked = |name: &str, form: &[&str], filter: &str| {
        run(&directory, &[&["query"], form, &[filter, name]].concat())
    };
    let mut refused = 0;
    for (name, filters) in [
        ("a.coco", &[".", ".items", "[.]", ".items[]", ".items[1499].v"][..]),
        ("b.jsonl.coco", &[".", "[.]", ".v"]),
    ] {
        let file = if name == "a.coco" { &good } else { &lines };
        let undamaged = format!("good-{name}");
        fs::write(directory.join(&undamaged), file).expect("the directory can be written");
        for place in (1..8).map(|part| file.len() / 8 * part) {
            let mut bytes = file.clone();
            bytes[place] ^= 0x55;
            fs::write(directory.join(name), bytes).expect("the directory can be written");
            let dump = run(&directory, &["dump", name]);
            let message = String::from_utf8_lossy(&dump.stderr);
            let message = message.lines().take(2).collect::<Vec<_>>();
            for filter in filters {
                for form in forms {
                    let filter = match form.contains(&"--slurp") {
                        true => &format!(".[] | {filter}"),
                        false => *filter,
                    };
                    let query = asked(name, form, filter);
                    let stderr = String::from_utf8_lossy(&query.stderr);
                    let what = format!("{form:?} {filter} {name}, byte {place}: {stderr}");
                    if query.status.success() {
                        // It read no part that is damaged.
                        let right = asked(&undamaged, form, filter).stdout;
                        let right = String::from_utf8_lossy(&right).replace(&undamaged, name);
                        assert!(dump.status.success() || filter.len() > 10, "{what}");
                        assert_eq!(String::from_utf8_lossy(&query.stdout), right, "{what}");
                        continue;
                    }
                    if dump.status.success() {
                        // The damage is in a table of landmarks.
                        assert!(form.contains(&"--where"), "{what}");
                        continue;
                    }
                    refused += 1;
                    assert_eq!(query.status.code(), dump.status.code(), "{what}");
                    let is_same = match form.contains(&"--json") {
                        true => stderr.contains("SUM-MISMATCH"),
                        false => stderr.lines().take(2).eq(message.iter().copied()),
                    };
                    assert!(is_same, "{what} is not {message:?}");
                    assert!(!String::from_utf8_lossy(&query.stdout).contains("null"), "{what}");
                }
            }
        }
    }
    assert!(refused > 200, "{refused}");
}

/// The limit of steps also counts the values that are only printed.
#[test]
fn values_that_are_only_printed_take_steps() {
    let directory = fixtures::directory("printed-steps");
    fs::write(directory.join("q.json"), r#"{"a": [1, 2, {"b": [3, 4, 5, 6, 7, 8, 9, 10]}]}"#)
        .expect("it can be written");
    for form in [&["-c"][..], &["--json"], &["--as", "yaml"], &["--as", "csv"], &["--table"]] {
        for filter in [".", ".a", ".a[]", "[.]"] {
            let output =
                run(&directory, &[&["query", "--max-steps", "8"], form, &[filter, "q.json"]].concat());
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert!(stderr.contains("LIM-QUERY-STEPS"), "{form:?} {filter}: {stderr}");
            assert_eq!(output.status.code(), Some(7), "{form:?} {filter}");
            assert!(!String::from_utf8_lossy(&output.stdout).contains("null"), "{form:?} {filter}");
        }
    }
}

/// The text of a value may be stored once and occur very often, so it takes steps, too. So does the
/// indentation of nested values.
#[test]
fn long_texts_and_indentation_take_steps() {
    let directory = fixtures::directory("text-steps");
    let text = format!("[{}]", vec![format!("\"{}\"", "x".repeat(4_000)); 3_000].join(","));
    fs::write(directory.join("texts.coco"), fixtures::compiled(text.as_bytes())).expect("it can be written");
    let key = "k".repeat(4_000);
    let text = format!("[{}]", vec![format!("{{\"{key}\": 1}}"); 3_000].join(","));
    fs::write(directory.join("keys.coco"), fixtures::compiled(text.as_bytes())).expect("it can be written");
    let nested = format!("{}{}{}", "[".repeat(500), vec!["1"; 3_000].join(","), "]".repeat(500));
    fs::write(directory.join("nested.coco"), fixtures::compiled(nested.as_bytes()))
        .expect("it can be written");
    let forms = [&["--indent", "2"][..], &["--json"], &["--as", "csv"], &["--table"]];
    for (file, forms) in [("texts.coco", &forms[..]), ("keys.coco", &forms), ("nested.coco", &forms[..1])] {
        for form in forms {
            for (filter, steps, is_enough) in [(".", "20000", false), (".[]?", "500000", true)] {
                let limited = &["query", "--max-steps", steps, filter, file];
                let output = run(&directory, &[&limited[..], form].concat());
                let stderr = String::from_utf8_lossy(&output.stderr);
                assert_eq!(output.status.success(), is_enough, "{form:?} {filter} {file}: {stderr}");
                let said = stderr.contains("LIM-QUERY-STEPS");
                assert_eq!(said, !is_enough, "{form:?} {filter} {file}: {stderr}");
            }
        }
    }
}
