//! Tests that a team's landmark rules apply in all commands that read sources.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const RULES: &str = "\
[[rule]]
files = '*.inventory.json'
landmarks = '/hosts/*[name]'
edges = 'gateway=0/gateway'

[[rule]]
keys = ['racks', 'site']
landmarks = ['/racks/*']
";

const INVENTORY: &str = r#"{"hosts": [{"name": "gw"}, {"name": "web", "gateway": "gw"}]}"#;
const RACKS: &str = r#"{"site": "b", "racks": {"r1": {"units": 42}}}"#;

fn coco(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_coco"));
    command.current_dir(folder).env("COCONUT_CACHE_DIR", folder.join("cache"));
    command.args(line.split(' ')).stdin(Stdio::null()).env_remove("COCONUT_RULES");
    command
}

fn put(path: &Path, text: &str, mode: u32) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::set_permissions(path.parent().unwrap(), Permissions::from_mode(0o755)).unwrap();
    fs::write(path, text).unwrap();
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// A workspace with the rules, and two sources in a folder of it.
fn workspace() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    put(&folder.path().join(".coconut/rules.toml"), RULES, 0o644);
    put(&folder.path().join("in/a.inventory.json"), INVENTORY, 0o644);
    put(&folder.path().join("in/racks.json"), RACKS, 0o644);
    folder
}

fn said(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[track_caller]
fn assert_prints(command: &mut Command, expected: &str) {
    assert_eq!(
        said(&command.output().unwrap()),
        (Some(0), expected.to_owned(), String::new()),
        "{command:?}"
    );
}

#[test]
fn commands_that_read_sources_know_the_rules_of_the_workspace() {
    let workspace = workspace();
    let inside = workspace.path().join("in");
    assert_prints(&mut coco(&inside, "get a.inventory.json web/gateway"), "\"gw\"\n");
    assert_prints(&mut coco(&inside, "get a.inventory.json web/gateway --no-cache"), "\"gw\"\n");
    assert_prints(&mut coco(&inside, "ls a.inventory.json"), "gw\nweb\n");
    assert_prints(&mut coco(&inside, "rdeps a.inventory.json gw --list"), "web\n");
    assert_prints(&mut coco(&inside, "get racks.json r1/units"), "42\n");
    // The content of standard input decides, because it has no name.
    let mut piped = coco(&inside, "ls -");
    piped.stdin(fs::File::open(inside.join("racks.json")).unwrap());
    assert_prints(&mut piped, "r1\n");
}

#[test]
fn warmed_and_built_documents_have_the_landmarks_of_the_rules() {
    let workspace = workspace();
    let inside = workspace.path().join("in");
    assert_prints(&mut coco(&inside, "cache warm . -q"), "");
    let mut stats = coco(&inside, "cache explain a.inventory.json");
    let (exit, text, _) = said(&stats.output().unwrap());
    assert!(exit == Some(0) && text.contains("cache     hit"), "{text}");
    let rule = format!(
        "rule      {}:1, if it has no dialect\n",
        workspace.path().canonicalize().unwrap().join(".coconut/rules.toml").display()
    );
    assert!(text.contains(&rule), "{text}");
    // Other rules create another entry.
    let changed = RULES.replace("/hosts/*[name]", "/hosts/*[gateway]");
    put(&workspace.path().join(".coconut/rules.toml"), &changed, 0o644);
    let (_, text, _) = said(&coco(&inside, "cache explain a.inventory.json").output().unwrap());
    assert!(text.contains("cache     stale, another options"), "{text}");
    assert_prints(&mut coco(&inside, "ls a.inventory.json"), "gw\n");

    put(&workspace.path().join(".coconut/rules.toml"), RULES, 0o644);
    assert_prints(&mut coco(&inside, "pack build a.inventory.json racks.json -q"), "");
    // A compiled file next to its source is used, because it matches the rules.
    assert_prints(&mut coco(&inside, "get racks.coco r1/units"), "42\n");
    assert_prints(&mut coco(&inside, "ls a.inventory.json"), "gw\nweb\n");
    // The command line has priority over the rules.
    assert_prints(&mut coco(&inside, "pack build racks.json -q -o none.coco --landmarks none"), "");
    assert_eq!(said(&coco(&inside, "get none.coco r1").output().unwrap()).0, Some(1));
}

#[test]
fn the_variable_goes_before_the_workspace_and_errors_have_their_place() {
    let workspace = workspace();
    let inside = workspace.path().join("in");
    put(
        &workspace.path().join("other.toml"),
        "[[rule]]\nkeys = 'hosts'\nlandmarks = '/hosts/*[gateway]'\n",
        0o666,
    );
    let with = |line: &str| {
        let mut command = coco(&inside, line);
        command.env("COCONUT_RULES", "../other.toml");
        command
    };
    assert_prints(&mut with("ls a.inventory.json"), "gw\n");
    put(&workspace.path().join("other.toml"), "[[rule]]\nkeys = 'hosts'\nlandmarks = '/hosts/*)'\n", 0o644);
    let (exit, _, error) = said(&with("ls a.inventory.json").output().unwrap());
    assert_eq!(exit, Some(2));
    assert!(error.starts_with("error[RULES]: ") && error.contains("\n --> ../other.toml:3:"), "{error}");
    fs::remove_file(workspace.path().join("other.toml")).unwrap();
    let (exit, _, error) = said(&with("ls a.inventory.json").output().unwrap());
    assert_eq!(exit, Some(2));
    assert!(error.contains("`COCONUT_RULES` names this file"), "{error}");
}

#[test]
fn rules_that_others_may_write_are_refused_with_a_warning() {
    let workspace = workspace();
    let rules = workspace.path().join(".coconut/rules.toml");
    put(&rules, RULES, 0o666);
    let (exit, text, warning) = said(&coco(workspace.path(), "ls in/racks.json").output().unwrap());
    assert_eq!((exit, text.as_str()), (Some(0), ""));
    assert!(warning.starts_with("warning[LOAD-MODE]: other users may write to "), "{warning}");
    assert!(warning.contains("  = its landmark rules are not used\n"), "{warning}");
    put(&rules, RULES, 0o644);
    assert_prints(&mut coco(workspace.path(), "ls in/racks.json"), "r1\n");
}

#[test]
fn a_document_with_a_dialect_keeps_it_unless_the_rule_overrides_it() {
    let workspace = workspace();
    let state = r#"{"version":4,"terraform_version":"1","serial":1,"lineage":"l","outputs":{},"resources":[{"mode":"managed","type":"t","name":"n","instances":[]}]}"#;
    put(&workspace.path().join("a.tfstate"), state, 0o644);
    let rule = "[[rule]]\nfiles = '*.tfstate'\nlandmarks = '/resources/*[name]'\n";
    let rules = workspace.path().join(".coconut/rules.toml");
    put(&rules, rule, 0o644);
    assert_prints(&mut coco(workspace.path(), "ls a.tfstate"), "t.n\n");
    put(&rules, &format!("{rule}over-dialect = true\n"), 0o644);
    assert_prints(&mut coco(workspace.path(), "ls a.tfstate"), "n\n");
}
