//! Files with instructions: filters and rules. They may contain anything, or come with a folder.

use std::fs;
#[cfg(unix)]
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// The exit status, and the text on standard error.
fn run(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_coco-inspect"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    let output = command.output().expect("the tool is built and can be run");
    (output.status.code(), String::from_utf8(output.stderr).expect("messages are UTF-8"))
}

/// A folder with two documents that differ.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    fs::write(folder.path().join("a.json"), r#"{"a": 1}"#).expect("a file can be written");
    fs::write(folder.path().join("b.json"), r#"{"a": 2}"#).expect("a file can be written");
    folder
}

#[cfg(unix)]
#[test]
fn a_device_is_not_a_filter_and_has_no_rules() {
    let folder = folder();
    for arguments in
        [&["query", "-n", "-f", "/dev/zero"][..], &["diff", "a.json", "b.json", "--ignore-from", "/dev/zero"]]
    {
        let (status, said) = run(folder.path(), arguments);
        assert_eq!(status, Some(2), "{said}");
        assert!(said.contains("FILE-READ") && said.contains("found a device"), "{said}");
    }
}

#[cfg(unix)]
#[test]
fn a_filter_in_a_pipe_is_read_once() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_coco-inspect"));
    command.args(["query", "-n", "-f", "/dev/stdin"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("the tool is built and can be run");
    let mut pipe = child.stdin.take().expect("it is a pipe");
    pipe.write_all(b"[1, 2] | add").expect("the filter is short");
    drop(pipe);
    let output = child.wait_with_output().expect("it was started here");
    assert_eq!((output.status.code(), output.stdout), (Some(0), b"3\n".to_vec()));
}

#[cfg(unix)]
#[test]
fn a_link_to_rules_is_not_followed_unless_it_is_named() {
    let folder = folder();
    let elsewhere = tempfile::tempdir().expect("a folder can be made");
    let rules = elsewhere.path().join("rules");
    fs::write(&rules, "::/a\nCANARY\n").expect("a file can be written");
    std::os::unix::fs::symlink(&rules, folder.path().join(".cocodiff")).expect("a link can be made");
    let (status, said) = run(folder.path(), &["diff", "a.json", "b.json"]);
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("a link is not followed here") && said.contains("--ignore-from FILE"), "{said}");
    assert!(!said.contains("CANARY"), "{said}");
    let (status, said) = run(folder.path(), &["diff", "a.json", "b.json", "--ignore-from", ".cocodiff"]);
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("line 2 is not a rule") && !said.contains("CANARY"), "{said}");
    fs::write(&rules, "# what does not count\n\n::/a\n").expect("a file can be written");
    let (status, said) = run(folder.path(), &["diff", "a.json", "b.json", "--ignore-from", ".cocodiff"]);
    assert_eq!((status, said.as_str()), (Some(0), ""));
}

#[cfg(unix)]
#[test]
fn rules_that_others_may_write_are_passed_over_unless_they_are_named() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = folder();
    let rules = folder.path().join(".cocodiff");
    fs::write(&rules, "::/a\n").expect("a file can be written");
    let (status, said) = run(folder.path(), &["diff", "a.json", "b.json"]);
    assert_eq!((status, said.as_str()), (Some(0), ""));
    fs::set_permissions(&rules, fs::Permissions::from_mode(0o666)).expect("the file is ours");
    let (status, said) = run(folder.path(), &["diff", "a.json", "b.json"]);
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("warning[LOAD-MODE]") && said.contains("--ignore-from FILE"), "{said}");
    let (status, said) = run(folder.path(), &["diff", "a.json", "b.json", "--ignore-from", ".cocodiff"]);
    assert_eq!((status, said.as_str()), (Some(0), ""));
}

#[test]
fn a_malformed_rule_is_named_by_its_line_number() {
    let folder = folder();
    fs::write(folder.path().join(".cocodiff"), "# first\n\n  CANARY  \n").expect("a file can be written");
    let (status, said) = run(folder.path(), &["diff", "a.json", "b.json"]);
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("line 3 is not a rule") && said.contains(".cocodiff"), "{said}");
    assert!(!said.contains("CANARY"), "{said}");
}

#[test]
fn a_place_without_a_list_is_warned_about() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let compose = |ports: &str| {
        format!("services:\n  web:\n    image: nginx\n    ports: [{ports}]\n  db:\n    image: postgres\n")
    };
    for (name, ports) in [("a.yaml", "\"80\", \"443\""), ("b.yaml", "\"443\", \"80\", \"90\"")] {
        fs::write(folder.path().join(name), compose(ports)).expect("a file can be written");
    }
    let said_of = |place: &str| run(folder.path(), &["diff", "a.yaml", "b.yaml", "--list", place]).1;
    let said = said_of("/services/web/ports=set");
    assert!(said.contains("there is no list for `--list /services/web/ports=set`"), "{said}");
    assert_eq!(said_of("/ports=set"), "");
    assert_eq!(said_of("/**/ports=set"), "");
}
