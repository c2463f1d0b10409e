//! Tests the help of every command, and that the shared options mean the same in each of them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The size of `-h`: one small terminal.
const ROWS: usize = 40;
const COLUMNS: usize = 80;

fn coco(folder: &Path, line: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_coco"));
    command.current_dir(folder).env("COCONUT_CACHE_DIR", folder.join("cache")).stdin(Stdio::null());
    command.args(line.split(' ')).output().unwrap()
}

fn help(command: &str, option: &str) -> String {
    let line = format!("{command} {option}");
    let output = coco(Path::new("."), line.trim_start());
    assert_eq!(output.status.code(), Some(0), "{line}");
    String::from_utf8(output.stdout).unwrap()
}

/// The commands that the help of `command` lists.
fn commands_below(command: &str) -> Vec<String> {
    let help = help(command, "--help");
    let has_commands = command.is_empty() || help.contains("\nCommands:\n");
    let listing = help.split("\nOptions:").next().unwrap().split("\nArguments:").next().unwrap();
    let names = listing.lines().filter(|_| has_commands).filter_map(|line| {
        let (name, about) = line.strip_prefix("  ")?.split_once("  ")?;
        let is_name = name.chars().all(|c| c.is_ascii_lowercase() || c == '-') && !about.trim().is_empty();
        (is_name && !name.is_empty() && name != "help").then(|| name.to_owned())
    });
    names.map(|name| format!("{command} {name}").trim_start().to_owned()).collect()
}

/// All commands, each with all its words.
fn commands() -> Vec<String> {
    let outer = commands_below("");
    let inner: Vec<String> = outer.iter().flat_map(|command| commands_below(command)).collect();
    assert!(outer.len() > 25 && inner.len() > 10, "{outer:?} {inner:?}");
    [outer, inner].concat()
}

#[test]
fn short_help_fits_a_small_terminal_and_begins_with_examples() {
    let mut wrong = Vec::new();
    for command in [vec![String::new()], commands()].concat() {
        let help = help(&command, "-h");
        let rows = help.lines().count();
        let columns = help.lines().map(|line| line.chars().count()).max().unwrap();
        if rows > ROWS || columns > COLUMNS {
            wrong.push(format!("`coco {command} -h` has {rows} rows and {columns} columns"));
        }
        let examples = help.find("\nExamples:\n");
        let options = help.find("\nOptions:\n").unwrap();
        // These two have only subcommands.
        let has_examples = !["cache", "pack"].contains(&command.as_str());
        if examples.is_none_or(|at| at > options) && has_examples {
            wrong.push(format!("`coco {command} -h` does not begin with examples"));
        }
        let own = help.lines().filter(|line| !line.starts_with("  coco "));
        for line in own {
            let option = line.trim_start().trim_start_matches("-q, ").split(' ').next().unwrap();
            if ["--no-cache", "--freshness", "--json", "--paging", "--quiet"].contains(&option) {
                wrong.push(format!("`coco {command} -h` shows {option}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The global options, as a command line has them.
const GLOBAL: [&str; 5] = ["--json", "--reveal", "--quiet", "--color never", "--paging never"];

/// Every command with arguments for it, and the global options that it refuses.
const REFUSED: [(&str, &str, &[&str]); 51] = [
    ("get", "a.json /x", &[]),
    ("ls", "s.json", &[]),
    ("deps", "s.json A", &[]),
    ("diff", "a.json a.json", &[]),
    ("query", ".x a.json", &[]),
    ("info", "a.json", &[]),
    ("find", "one a.json", &[]),
    ("rdeps", "s.json A", &[]),
    ("path", "s.json A B", &[]),
    ("impact", "s.json A", &[]),
    ("cycles", "s.json", &[]),
    ("roots", "s.json", &[]),
    ("leaves", "s.json", &[]),
    ("orphans", "s.json", &[]),
    ("graph", "s.json", &["--paging"]),
    ("dump", "a.json", &[]),
    ("stat", "a.json", &[]),
    ("plan", "s.json --against s.json", &["--paging"]),
    ("patch", "a.json patch.json", &["--paging"]),
    ("import", "terraform-state nowhere.tfstate -o out.coco", &["--paging"]),
    ("convert", "nowhere.tfstate --to cocogl -o out.coco", &["--paging"]),
    ("check", "a.json", &["--paging"]),
    ("compile", "nowhere -o out.coco", &["--paging"]),
    ("verify", "a.json", &["--paging"]),
    // Their program decides what it accepts.
    ("mcp", "nowhere", &["--json", "--reveal", "--paging"]),
    ("history", "ls nowhere", &[]),
    ("serve", "unlock --root nowhere a b", &[]),
    ("hub", "ls nowhere", &[]),
    ("env", "show nowhere", &[]),
    ("deploy", "nowhere", &[]),
    ("destroy", "nowhere", &[]),
    ("refresh", "nowhere", &[]),
    ("import-live", "nowhere a:b:C d", &[]),
    ("recover", "a.coco -o out.json --force", &["--paging"]),
    ("git-setup", "nowhere", &["--reveal", "--paging"]),
    ("explain", "SRC-JSON", &["--reveal"]),
    ("schema", "", &["--reveal"]),
    ("magic", "", &["--json", "--reveal", "--paging"]),
    ("completions", "bash", &["--json", "--reveal", "--paging"]),
    ("man", "", &["--json", "--reveal", "--paging"]),
    ("pack build", "a.json -o out.coco", &["--paging"]),
    ("pack unpack", "a.coco", &["--paging"]),
    ("pack repack", "a.coco -o out.coco", &["--paging"]),
    ("pack eval", "a.json", &["--paging"]),
    ("graph raise", "a.json -o out.json", &["--paging"]),
    ("cache dir", "", &["--reveal", "--paging"]),
    ("cache ls", "", &["--reveal", "--paging"]),
    ("cache warm", "a.json", &["--paging"]),
    ("cache explain", "a.json", &["--paging"]),
    ("cache verify", "", &["--reveal", "--paging"]),
    ("cache prune", "", &["--reveal", "--paging"]),
];

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("a.json", r#"{"x": "one"}"#);
    write("patch.json", "[]");
    let resources = r#"[{"urn": "urn:pulumi:s::p::t:A::A", "type": "t:A", "dependencies": ["urn:pulumi:s::p::t:B::B"]},
        {"urn": "urn:pulumi:s::p::t:B::B", "type": "t:B"}]"#;
    write(
        "s.json",
        &format!(
            r#"{{"version": 3, "checkpoint": {{"stack": "s", "latest": {{"resources": {resources}}}}}}}"#
        ),
    );
    assert!(coco(folder.path(), "pack build a.json -q -o a.coco").status.success());
    folder
}

#[test]
fn short_help_names_all_commands_in_groups() {
    let help = help("", "-h");
    let of_others = help.split("\n\n").find(|part| part.starts_with("Look:"));
    assert_eq!(
        of_others,
        Some(
            "Look:      info, find, rdeps, path, impact, cycles, roots, leaves, orphans,\n           \
             graph, dump, stat\nCompare:   plan, patch\nMake:      pack, compile, import, convert\nKeep:      \
             check, verify, recover, cache, git-setup, history, serve, mcp\nDeploy:    env, deploy, destroy, refresh, import-live\nShare:     hub\nAbout:     explain, schema, magic, completions, \
             man, help"
        )
    );
}

#[test]
fn options_of_all_commands_are_asked_of_each_command() {
    let asked: BTreeSet<&str> = REFUSED.iter().map(|(command, ..)| *command).collect();
    let known: BTreeSet<String> = commands().into_iter().collect();
    let missing: Vec<&String> = known.iter().filter(|command| !asked.contains(command.as_str())).collect();
    // `clean` is asked by hand below, since it would remove what others list.
    assert_eq!(missing, ["cache", "cache clean", "pack"]);
}

#[test]
fn an_option_without_effect_is_refused_and_any_other_is_accepted() {
    let folder = folder();
    let (mut wrong, clean) = (Vec::new(), [("cache clean", "", &["--reveal", "--paging"][..])]);
    for (command, arguments, refused) in REFUSED.iter().copied().chain(clean) {
        let line = format!("{command} {arguments}").trim_end().to_owned();
        let usual = coco(folder.path(), &line).status.code();
        for option in GLOBAL {
            let name = option.split(' ').next().unwrap();
            // The place of an option is not important.
            for line in [format!("{line} {option}"), format!("{option} {line}")] {
                let output = coco(folder.path(), &line);
                let errors = String::from_utf8_lossy(&output.stderr);
                let expected =
                    format!("error[USAGE]: `{name}` has no effect on `coco {command}`\n  = it works with ");
                let is_refused = match name {
                    "--json" => errors.contains(&format!("`--json` has no effect on `coco {command}`")),
                    _ => errors.starts_with(&expected),
                };
                let code = output.status.code();
                let is_right = match refused.contains(&name) {
                    true => is_refused && code == Some(2) && output.stdout.is_empty(),
                    false => !is_refused && code == usual,
                };
                if !is_right {
                    wrong.push(format!("{line}: exit {code:?}, usually {usual:?}: {errors}"));
                }
            }
        }
        let help = help(command, "--help");
        for option in GLOBAL {
            let name = option.split(' ').next().unwrap();
            let is_shown = help
                .lines()
                .any(|line| line.trim_start().trim_start_matches("-q, ").split(' ').next() == Some(name));
            if is_shown == refused.contains(&name) {
                wrong.push(format!("`coco {command} --help` shows {name}: {is_shown}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_refusal_names_the_commands_that_accept_the_option() {
    let errors = |line: &str| String::from_utf8(coco(Path::new("."), line).stderr).unwrap();
    assert_eq!(
        errors("verify a --paging always"),
        "error[USAGE]: `--paging` has no effect on `coco verify`\n  = it works with `info`, `ls`, `get`, `dump`, \
         `find`, `query`, `stat`, `deps`, `rdeps`, `diff`, `path`, `impact`, `cycles`, `roots`, `leaves`, \
         `orphans`, `explain`, `schema`, `history`, `serve`, `hub`, `env`, `deploy`, `destroy`, `refresh`, \
         `import-live`\n"
    );
    let report = errors("magic --json");
    assert!(report.starts_with(r#"{"format_version":2,"errors":[{"code":"USAGE","message":"`--json` has no effect on `coco magic`"#), "{report}");
    assert!(report.contains("all commands except `mcp`, `magic`, `completions`, `man`"), "{report}");
}

#[test]
fn dump_refuses_options_of_another_format() {
    let folder = folder();
    for (options, message) in [
        ("--as yaml --indent 4", "`--indent` and `--compact` are only for `--as json`"),
        ("--as wire --compact", "`--indent` and `--compact` are only for `--as json`"),
        ("--bytes 1..2", "`--bytes` is only for `--as wire`"),
        ("--as wire --bytes 2..1", "expected two ascending offsets, such as `0x11c..0x134`"),
        ("--as wire --bytes 1..2 --path /x", "cannot be used with"),
        ("--as jsonl --path /x", "`--as jsonl` prints landmarks; omit `--path`"),
        ("--class 0", "`--class` is only for `--as jsonl`"),
    ] {
        let output = coco(folder.path(), &format!("dump a.json {options}"));
        assert_eq!(output.status.code(), Some(2), "{options}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(message), "{options}: {output:?}");
    }
}
