//! Tests the cost of documents with many keys: memory only for the parts shown at a time, and no
//! lines that grow with the document.

use crate::fixtures::compiled;
use crate::runs::{run, stdout_of};
use coconut_codec::Profile;
use coconut_codec::compile::{CompileOptions, LandmarkChoice, compile, read_source, writer_options};
use coconut_codec::read::stream::Budget;
use coconut_codec::text::SourceFormat;
use coconut_codec::write::{Tuning, Writer};
use coconut_format::landmark::LandmarkRule;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A directory for this `user` alone, with the compiled form of `text` in it.
fn directory_with(user: &str, text: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(user);
    fs::create_dir_all(&directory).expect("the target directory can be written");
    fs::write(directory.join("graph.coco"), compiled(text.as_bytes())).expect("so can be what is in it");
    directory
}

/// A graph of `count` vertices, each with these properties.
fn graph(count: usize, properties: impl Fn(usize) -> String) -> String {
    let vertex = |n: usize| format!(r#""r{n}":{{"type":"t","properties":{}}}"#, properties(n));
    let vertices: Vec<String> = (0..count).map(vertex).collect();
    format!(r#"{{"package":"p","vertices":{{{}}}}}"#, vertices.join(","))
}

#[test]
fn a_long_chain_of_dependencies_is_drawn_in_short_lines() {
    const LENGTH: usize = 3000;
    let text = graph(LENGTH, |n| match n + 1 {
        LENGTH => "{}".to_owned(),
        next => format!(r##"{{"d":{{"#ref":"r{next}"}}}}"##),
    });
    let directory = directory_with("chain", &text);
    let drawn = stdout_of(&directory, &["deps", "graph.coco", "r0", "--limit", "3000"]);
    let lines: Vec<&str> = drawn.lines().collect();
    assert_eq!(lines.len(), LENGTH + 1);
    assert_eq!(lines[1], "└── r1");
    assert_eq!(lines[33], format!("{}└── r33", "    ".repeat(32)));
    assert_eq!(lines[34], format!("(1 level) {}└── r34", "    ".repeat(32)));
    assert_eq!(lines[2999], format!("(2966 levels) {}└── r2999", "    ".repeat(32)));
    assert_eq!(lines[3000], "it depends on 2,999 resources, 1 directly, the farthest 2999 edges away");
}

/// A landmark first reached on a long path can also be near, and then so are those after it.
#[test]
fn everything_within_the_depth_is_shown_once_at_its_nearest_place() {
    let refers_to = [&[][..], &["r0"], &["r0", "r1"], &["r2"], &["r3"]];
    let text = graph(refers_to.len(), |n| {
        let ends = refers_to[n].iter().map(|end| format!(r##""{end}":{{"#ref":"{end}"}}"##));
        format!("{{{}}}", ends.collect::<Vec<_>>().join(","))
    });
    let directory = directory_with("depth", &text);
    let shown = |depth: &str| -> Vec<String> {
        let drawn = stdout_of(&directory, &["rdeps", "graph.coco", "r0", "--depth", depth]);
        let rows = drawn.lines().filter(|line| line.contains("── "));
        rows.map(|line| line.trim_start_matches("│   ").to_owned()).collect()
    };
    assert_eq!(shown("0"), [""; 0]);
    assert_eq!(shown("1"), ["├── r1", "└── r2"]);
    assert_eq!(shown("2"), ["├── r1", "└── r2", "    └── r3"]);
    assert_eq!(shown("3"), ["├── r1", "└── r2", "    └── r3", "        └── r4"]);
    assert_eq!(shown("100000000000"), shown("3"));
    let list = stdout_of(&directory, &["rdeps", "graph.coco", "r0", "--list"]);
    assert_eq!(list, "r1\nr2\nr3\nr4\n");
    assert_eq!(stdout_of(&directory, &["rdeps", "graph.coco", "r0", "--count"]), "4\n");
}

/// Runs the tool with `kib` of address space.
#[cfg(target_os = "linux")]
fn output_within(kib: usize, directory: &Path, arguments: &str) -> Output {
    let script = format!("ulimit -v {kib} && exec {} {arguments}", env!("CARGO_BIN_EXE_coco-inspect"));
    let mut command = Command::new("sh");
    command.current_dir(directory).args(["-c", &script]).output().expect("there is a shell")
}

/// The output of the tool.
#[cfg(target_os = "linux")]
fn stdout_within(kib: usize, directory: &Path, arguments: &str) -> String {
    let output = output_within(kib, directory, arguments);
    assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("what the tool prints is UTF-8")
}

/// A file of less than four kilobytes, in which 800 resources of one URN all depend on it.
#[test]
#[cfg(target_os = "linux")]
fn many_edges_of_a_small_file_take_some_bytes_each() {
    const SAME: usize = 800;
    let resource = |name: &str| {
        format!(
            r#"{{"urn":"urn:pulumi:s::p::t::{name}","custom":true,"type":"t","dependencies":["urn:pulumi:s::p::t::same"]}}"#
        )
    };
    let resources = [vec![resource("first")], vec![resource("same"); SAME]].concat().join(",");
    let text = format!(
        r#"{{"version":3,"checkpoint":{{"stack":"o/p/s","latest":{{"manifest":{{}},"resources":[{resources}]}}}}}}"#
    );
    let directory = directory_with("edges", &text);
    let options = CompileOptions { profile: Profile::Transport, ..CompileOptions::default() };
    let compiled = compile(text.as_bytes(), &options).expect("it is a document").bytes;
    assert!(compiled.len() < 4096, "{}", compiled.len());
    fs::write(directory.join("graph.coco"), compiled).expect("the directory can be written");
    for depth in ["", "--depth 1000"] {
        let ask = |how: &str| {
            stdout_within(
                100_000,
                &directory,
                &format!("deps graph.coco urn:pulumi:s::p::t::first {how} {depth}"),
            )
        };
        assert_eq!(ask("--count"), format!("{SAME}\n"));
        assert_eq!(ask("--list").lines().last(), Some(&*format!("urn:pulumi:s::p::t::same#{SAME}")));
        assert_eq!(ask("--json").matches("\"kind\":").count(), SAME + SAME * SAME);
    }
}

/// A file without block checksums, in which every second resource has all edges, because the starts
/// of its ranges go back again and again.
#[cfg(target_os = "linux")]
fn with_all_edges_at_every_second(text: &str) -> Vec<u8> {
    const STARTS: [u8; 2] = [40, 43];
    const TARGETS: [u8; 2] = [41, 44];
    const TRAILER: usize = 28;
    const ENTRY: usize = 12;
    let (interned, _) = read_source(text.as_bytes(), SourceFormat::Json).expect("it is JSON");
    let options = writer_options(&interned, &CompileOptions::default(), None);
    let mut tuning = Tuning::default();
    tuning.blocks_from = usize::MAX;
    let mut file = Writer::new(options).tuned(tuning).to_bytes(&interned).expect("it is within the limits");
    let trailer = file.len() - TRAILER;
    let entries = usize::from(u16::from_le_bytes([file[trailer + 16], file[trailer + 17]]));
    let directory = file[trailer - entries * ENTRY..trailer].to_vec();
    let number = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().expect("four bytes")) as usize;
    for entry in directory.chunks(ENTRY) {
        let (start, length) = (number(&entry[4..8]), number(&entry[8..]));
        if TARGETS.contains(&entry[0]) {
            // The other resources have none.
            (start..start + length).step_by(4).for_each(|place| file[place] &= !1);
        }
        if !STARTS.contains(&entry[0]) {
            continue;
        }
        let edges: [u8; 4] = file[start + length - 4..start + length].try_into().expect("the last start");
        for place in (start..start + length).step_by(4) {
            let is_even = (place - start).is_multiple_of(8);
            file[place..place + 4].copy_from_slice(if is_even { &[0; 4] } else { &edges });
        }
    }
    let end = file.len() - 4;
    let checksum = crc32fast::hash(&file[..end]).to_le_bytes();
    file[end..].copy_from_slice(&checksum);
    file
}

#[test]
#[cfg(target_os = "linux")]
fn a_tree_has_no_more_edges_than_the_file_whatever_its_tables_say() {
    const COUNT: usize = 6000;
    let text = graph(COUNT, |n| format!(r##"{{"d":{{"#ref":"r{}"}}}}"##, (n + 2) % COUNT));
    let directory = directory_with("all-edges", &text);
    let file = with_all_edges_at_every_second(&text);
    assert!(file.len() < 300_000, "{} bytes", file.len());
    fs::write(directory.join("graph.coco"), file).expect("the directory can be written");
    for arguments in ["deps graph.coco r0", "rdeps graph.coco r0 --depth 3", "deps graph.coco r0 --json"] {
        // With all of them, a tree has 18 million edges.
        let output = output_within(60_000, &directory, arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("IDX-DIFFERS"), "{arguments}: {said}");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(4), 0), "{arguments}: {said}");
    }
}

#[test]
fn to_count_keys_no_secrets_are_looked_for() {
    // More secrets than are kept in memory, because each level repeats all lists of the previous
    // one.
    let secret = r#"{"4dabf18193072939515e22adb298388d":"1b47061264138c4ac30d75fd1eb44270","plaintext":"x"}"#;
    let text = (0..19).fold(secret.to_owned(), |below, _| format!("[{below},{below}]"));
    let directory = directory_with("count", &format!(r#"{{"a":{text}}}"#));
    assert_eq!(stdout_of(&directory, &["ls", "graph.coco", "--count"]), "0\n");
    for arguments in [&["ls", "graph.coco"][..], &["ls", "graph.coco", "--count", "a"]] {
        assert_eq!(run(&directory, arguments).status.code(), Some(7), "{arguments:?}");
    }
}

/// Two thousand landmarks, and a secret next to them, in 480 objects of one entry that all have the
/// same long key.
#[test]
#[cfg(target_os = "linux")]
fn a_long_path_to_many_landmarks_is_followed_once_to_find_its_secrets() {
    const LEVELS: usize = 480;
    let secret =
        r#""4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "plaintext": "x""#;
    let entries: Vec<String> = (0..2000).map(|n| format!(r#""e{n}": {n}"#)).collect();
    let around = format!(r#"{{"{}":"#, "l".repeat(60_000)).repeat(LEVELS);
    let end = "}".repeat(LEVELS);
    let text = format!(r#"{around}{{"s": {{{secret}}}, "e": {{{}}}}}{end}"#, entries.join(","));
    let rule = LandmarkRule::parse(&["(/*)*/e/*"], None, &[]).expect("the rule is well formed");
    let options = CompileOptions { landmarks: LandmarkChoice::Rule(rule), ..CompileOptions::default() };
    let compiled = compile(text.as_bytes(), &options).expect("it is a document").bytes;
    assert!(compiled.len() < 150_000, "{} bytes", compiled.len());
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("long-way");
    fs::create_dir_all(&directory).expect("the target directory can be written");
    fs::write(directory.join("graph.coco"), compiled).expect("so can be what is in it");
    for (arguments, lines) in [("ls", 2000), ("dump --as jsonl", 2000), ("stat --by landmark --limit 1", 8)] {
        // Following it for each landmark means hashing 58 GB. Once takes a command 0.05 s.
        let script =
            format!("ulimit -t 3 && exec {} {arguments} graph.coco", env!("CARGO_BIN_EXE_coco-inspect"));
        let output = Command::new("sh").current_dir(&directory).args(["-c", &script]).output();
        let output = output.expect("there is a shell");
        assert!(output.status.success(), "{arguments}: {:?}", output.status);
        assert_eq!(output.stdout.iter().filter(|&&byte| byte == b'\n').count(), lines, "{arguments}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_long_pattern_is_looked_for_in_one_pass() {
    let entries: Vec<String> =
        (0..40).map(|n| format!(r#""{}{n}": {{"n": {n}}}"#, "a".repeat(60_000))).collect();
    let rule = LandmarkRule::parse(&["/*"], None, &[]).expect("the rule is well formed");
    let options = CompileOptions { landmarks: LandmarkChoice::Rule(rule), ..CompileOptions::default() };
    let compiled =
        compile(format!("{{{}}}", entries.join(",")).as_bytes(), &options).expect("it is a document").bytes;
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("long-pattern");
    fs::create_dir_all(&directory).expect("the target directory can be written");
    fs::write(directory.join("keys.coco"), compiled).expect("so can be what is in it");
    for (end, matching) in [("b", 0), ("39", 1)] {
        // Comparing it with each place of each key means comparing 36 billion characters.
        let pattern = format!("*{}{end}", "a".repeat(29_000));
        let tool = env!("CARGO_BIN_EXE_coco-inspect");
        let script = format!("ulimit -t 3 && exec {tool} ls keys.coco --count '{pattern}*'");
        let output = Command::new("sh").current_dir(&directory).args(["-c", &script]).output();
        let output = output.expect("there is a shell");
        assert_eq!(String::from_utf8_lossy(&output.stdout), format!("{matching}\n"), "{:?}", output.status);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn long_reports_are_written_as_they_come() {
    const COUNT: usize = 100_000;
    let directory = directory_with("long-reports", &graph(COUNT, |_| r##"{"d":{"#ref":"r0"}}"##.to_owned()));
    let file = fs::metadata(directory.join("graph.coco")).expect("it was written").len();
    assert!(file < 8_000_000, "{file} bytes");
    // The file, and the memory of any run. As a tree, the list of all keys would be another 60 MB.
    let listed = stdout_within(40_000, &directory, "ls --json graph.coco");
    assert_eq!(listed.matches("\"ordinal\"").count(), COUNT);
    assert!(listed.ends_with("],\"count\":100000,\"truncated\":false}\n"));
    // A few words for each edge that is still to be shown, and nothing for the shown ones.
    let drawn = stdout_within(60_000, &directory, "rdeps --json graph.coco r0");
    assert_eq!(drawn.matches("\"kind\":\"ref\",\"depth\":1}").count(), COUNT);
    assert!(drawn.contains("\"count\":99999,"));
}

/// The vector of this name, in a directory for this `user` alone.
fn directory_with_vector(user: &str, name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../spec/vectors").join(name);
    let text = fs::read_to_string(path).expect("the vector is part of the repository");
    let digits: String = text.lines().filter_map(|line| line.split('#').next()).collect();
    let digits: Vec<u8> = digits.bytes().filter(u8::is_ascii_hexdigit).collect();
    let byte =
        |pair: &[u8]| u8::from_str_radix(&String::from_utf8_lossy(pair), 16).expect("hexadecimal digits");
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(user);
    fs::create_dir_all(&directory).expect("the target directory can be written");
    let bytes: Vec<u8> = digits.chunks(2).map(byte).collect();
    fs::write(directory.join("vector.coco"), bytes).expect("so can be what is in it");
    directory
}

#[test]
fn nothing_is_printed_of_a_value_that_expands_to_too_much() {
    const ROOT: u64 = (1 << 41) - 1;
    const ITEM: u64 = (1 << 40) - 1;
    let directory = directory_with_vector("expands", "bad/limit-nodes.hex");
    let length = fs::metadata(directory.join("vector.coco")).expect("it was written").len();
    let cases: [(&[&str], u64, u64); 12] = [
        (&["dump"], ROOT, 395),
        (&["dump", "--path", "/1"], ITEM, 393),
        (&["dump", "--path", "/1", "--as", "yaml"], ITEM, 393),
        (&["get", ""], ROOT, 395),
        (&["get", "", "--as", "yaml"], ROOT, 395),
        (&["get", "", "--json"], ROOT, 395),
        (&["get", "", "--all"], ROOT, 395),
        (&["get", "/0"], ITEM, 391),
        (&["get", "/0", "--as", "yaml"], ITEM, 391),
        (&["get", "/1", "--json"], ITEM, 393),
        (&["get", "/1", "--all"], ITEM, 393),
        (&["get", "/1", "--reveal"], ITEM, 393),
    ];
    for (arguments, values, offset) in cases {
        let mut command = Command::new(env!("CARGO_BIN_EXE_coco-inspect"));
        command.current_dir(&directory).args([arguments[0], "vector.coco"]).args(&arguments[1..]);
        let mut tool = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it is built");
        // The output up to the limit would be gigabytes.
        let (mut printed, stdout) = (Vec::new(), tool.stdout.take().expect("it is a pipe"));
        stdout.take(100).read_to_end(&mut printed).expect("a pipe can be read");
        assert_eq!(String::from_utf8_lossy(&printed), "", "{arguments:?}");
        let output = tool.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(7), "{arguments:?}");
        let said = String::from_utf8(output.stderr).expect("what the tool says is UTF-8");
        // `get` holds its output in memory until everything is read.
        let budget = if arguments[0] == "get" { Budget::held(length) } else { Budget::default() };
        let message = format!("expands to {values} values, the limit is {}", budget.values);
        let place = match arguments.contains(&"--json") {
            true => format!(
                "\"code\":\"LIM-NODES\",\"message\":\"{message}\",\"exit\":7,\"file\":\"vector.coco\",\"offset\":{offset}}}"
            ),
            false => format!("error[LIM-NODES]: {message}\n --> vector.coco, byte {offset}\n"),
        };
        assert!(said.contains(&place), "{arguments:?}: {said}");
    }
}

/// To find the difference, values are compared in memory, and a small file can have any number of
/// them.
#[test]
#[cfg(target_os = "linux")]
fn a_document_that_expands_to_very_much_differs_from_its_source_without_a_place() {
    let item = format!("[{}0]", "0,".repeat(99));
    let text = format!("[{}0]", format!("{item},").repeat(20_000));
    let directory = directory_with("differs", &text);
    fs::write(directory.join("other.json"), "[]").expect("the directory can be written");
    let output = output_within(200_000, &directory, "verify graph.coco --against other.json");
    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("the document differs from other.json") && said.contains("too large when expanded"),
        "{said}"
    );
}
