//! Tests with other programs: git and file(1). Each test is skipped if its program is not
//! installed.

use crate::fixtures;
use crate::runs::{run, stdout_of};
use std::fs;
use std::path::Path;
use std::process::Command;

/// The output of a program, or `None` if it cannot be run. The tool is found by its name.
fn program(directory: &Path, name: &str, arguments: &[&str]) -> Option<String> {
    let tools = Path::new(env!("CARGO_BIN_EXE_coco-inspect")).parent().expect("a file lies in a directory");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([tools.to_owned()].into_iter().chain(std::env::split_paths(&path)));
    let mut command = Command::new(name);
    command.current_dir(directory).args(arguments).env("PATH", path.expect("the paths hold no separator"));
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    let Ok(output) = command.output() else {
        coconut_testing::skip(name);
        return None;
    };
    assert!(output.status.success(), "{name} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn git_shows_a_diff_of_two_documents_as_text() {
    let directory = tempfile::tempdir().expect("there is a place for temporary files");
    let directory = directory.path();
    let git = |arguments: &[&str]| program(directory, "git", arguments);
    if git(&["init", "--quiet"]).is_none() {
        return;
    }
    fs::write(directory.join(".gitattributes"), "*.txt text").unwrap();
    let first = stdout_of(directory, &["git-setup"]);
    assert_eq!(first.lines().next(), Some(".gitattributes: *.coco -text diff=coco"));
    assert_eq!(stdout_of(directory, &["git-setup"]), "nothing to do\n");
    let attributes = fs::read_to_string(directory.join(".gitattributes")).unwrap();
    assert_eq!(attributes, "*.txt text\n*.coco -text diff=coco\n");

    let text = String::from_utf8(fixtures::source("stack.json")).unwrap();
    fs::write(directory.join("stack.coco"), fixtures::compiled(text.as_bytes())).unwrap();
    git(&["add", "."]);
    let changed = text.replace("10.0.1.0/24", "10.0.2.0/24");
    fs::write(directory.join("stack.coco"), fixtures::compiled(changed.as_bytes())).unwrap();
    let diff = git(&["diff", "--no-color"]).expect("git was there before");
    let changes: Vec<&str> =
        diff.lines().filter(|line| line.starts_with(['+', '-']) && !line.contains("stack.coco")).collect();
    assert_eq!(changes, ["-          cidrBlock: \"10.0.1.0/24\"", "+          cidrBlock: \"10.0.2.0/24\"",]);
    assert!(!diff.contains("canary"));

    // An unreadable file becomes a line, and the others are shown.
    let whole = fs::read(directory.join("stack.coco")).unwrap();
    fs::write(directory.join("cut.coco"), &whole[..whole.len() / 2]).unwrap();
    git(&["add", "."]);
    let diff = git(&["diff", "--no-color", "--cached"]).expect("git ends well");
    assert!(diff.contains("\n+(it cannot be read)\n"), "{diff}");
    assert!(diff.contains("cidrBlock: \"10.0.2.0/24\""), "{diff}");
}

#[test]
fn a_line_that_a_later_one_undoes_is_added_once_more() {
    let directory = tempfile::tempdir().expect("there is a place for temporary files");
    let directory = directory.path();
    if program(directory, "git", &["init", "--quiet"]).is_none() {
        return;
    }
    let path = directory.join(".gitattributes");
    let line = "*.coco -text diff=coco\n";
    stdout_of(directory, &["git-setup"]);
    for undone in ["* text eol=crlf\n", "*.coco !diff\n", "[attr]binary -diff\n*.c* binary\n"] {
        fs::write(&path, format!("{line}{undone}")).unwrap();
        assert_eq!(stdout_of(directory, &["git-setup"]), format!(".gitattributes: {line}"), "{undone}");
        assert_eq!(fs::read_to_string(&path).unwrap(), format!("{line}{undone}{line}"));
        assert_eq!(stdout_of(directory, &["git-setup"]), "nothing to do\n", "{undone}");
    }
    // Lines that do not override it, and a setting that no line of this file can override.
    fs::write(&path, format!("{line}*.txt text\n# the end\n")).unwrap();
    assert_eq!(stdout_of(directory, &["git-setup"]), "nothing to do\n");
    fs::write(directory.join(".git/info/attributes"), "* text\n").unwrap();
    fs::write(&path, format!("*.txt text\n{line}# the end\n")).unwrap();
    assert_eq!(stdout_of(directory, &["git-setup"]), "nothing to do\n");
}

#[test]
#[cfg(unix)]
fn a_link_in_place_of_the_attributes_is_refused() {
    let directory = tempfile::tempdir().expect("there is a place for temporary files");
    let directory = directory.path();
    if program(directory, "git", &["init", "--quiet"]).is_none() {
        return;
    }
    fs::write(directory.join("attributes"), "").unwrap();
    std::os::unix::fs::symlink("attributes", directory.join(".gitattributes")).unwrap();
    let output = run(directory, &["git-setup"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    let expected = "cannot change the file: it is a link, through which git reads no attributes";
    assert!(said.contains(expected) && said.contains(".gitattributes"), "{said}");
    assert_eq!(fs::read(directory.join("attributes")).unwrap(), b"");
}

#[test]
#[cfg(unix)]
fn a_repository_whose_name_ends_in_blanks_is_itself() {
    use std::os::unix::ffi::OsStrExt;
    let directory = tempfile::tempdir().expect("there is a place for temporary files");
    for name in [&b"re "[..], b"re\n", b"re\t\n\n", b"r\xe9"] {
        let (name, other) = (std::ffi::OsStr::from_bytes(name), directory.path().join("re"));
        let repository = directory.path().join(name);
        // Not all file systems accept all names.
        if fs::create_dir(&repository).is_err() {
            continue;
        }
        if program(&repository, "git", &["init", "--quiet"]).is_none() {
            return;
        }
        fs::create_dir_all(&other).unwrap();
        stdout_of(&repository, &["git-setup"]);
        let attributes = fs::read_to_string(repository.join(".gitattributes")).unwrap();
        assert_eq!(attributes, "*.coco -text diff=coco\n", "{name:?}");
        assert_eq!(fs::read_dir(&other).unwrap().count(), 0, "{name:?}");
    }
}

#[test]
fn git_goes_on_after_a_file_that_cannot_be_compared() {
    let directory = tempfile::tempdir().expect("there is a place for temporary files");
    let stack = fixtures::source("stack.json");
    fs::write(directory.path().join("old.json"), &stack).unwrap();
    fs::write(directory.path().join("new.json"), "{\n<<<<<<< ours\n").unwrap();
    let compare = |old: &str, new: &str| {
        let output =
            run(directory.path(), &["diff", "--git", "s.json", old, "1", "100644", new, "2", "100644"]);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (exit, shown, said) = compare("old.json", "new.json");
    assert_eq!((exit, said.as_str()), (Some(0), ""));
    let why = "s.json → s.json: cannot be compared by meaning: new:2:1: ";
    assert!(shown.starts_with(why) && shown.lines().count() == 2, "{shown}");
    assert!(shown.contains("\n    no lines are shown: they may hold secrets; "), "{shown}");
    let (exit, shown, said) = compare("/dev/null", "old.json");
    assert_eq!((exit, said.as_str()), (Some(0), ""));
    assert!(shown.starts_with("/dev/null → s.json\n+ ") && shown.ends_with("\n6 created\n"), "{shown}");
}

#[test]
fn git_that_cannot_be_run_or_refuses_is_named() {
    let directory = tempfile::tempdir().expect("there is a place for temporary files");
    let setup = |path: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_coco-inspect"));
        command.current_dir(&directory).arg("git-setup").env("PATH", path);
        let output = command.output().expect("the tool is built and can be run");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (exit, said) = setup(directory.path());
    assert_eq!(exit, Some(2), "{said}");
    assert!(said.starts_with("error[GIT]: cannot run git: "), "{said}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let git = directory.path().join("git");
        fs::write(&git, "#!/bin/sh\necho 'fatal: no such thing' >&2\nexit 128\n").unwrap();
        fs::set_permissions(&git, fs::Permissions::from_mode(0o755)).unwrap();
        let (exit, said) = setup(directory.path());
        assert_eq!(exit, Some(2), "{said}");
        assert!(
            said.starts_with("error[GIT]: git ") && said.contains(" failed: fatal: no such thing"),
            "{said}"
        );
    }
}

#[test]
#[cfg(unix)]
fn attributes_that_cannot_be_written_stay_as_they_were() {
    let directory = tempfile::tempdir().expect("there is a place for temporary files");
    let directory = directory.path();
    if program(directory, "git", &["init", "--quiet"]).is_none() {
        return;
    }
    let path = directory.join(".gitattributes");
    fs::write(&path, "*.txt text\n").unwrap();
    // No file may have any content, as on a full disk.
    let script = format!("ulimit -f 0; exec {} git-setup", env!("CARGO_BIN_EXE_coco-inspect"));
    let mut limited = Command::new("sh");
    let output = limited.current_dir(directory).args(["-c", &script]).output().expect("every Unix has it");
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    let expected = "error[FILE-WRITE]: cannot change the file: File too large";
    assert!(message.starts_with(expected), "{message}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "*.txt text\n");
    let files = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(files.filter(|name| name != ".git").collect::<Vec<_>>(), [".gitattributes"]);
}

#[test]
#[cfg(unix)]
fn a_pipe_in_place_of_the_attributes_is_not_waited_for() {
    let directory = tempfile::tempdir().expect("there is a place for temporary files");
    let directory = directory.path();
    if program(directory, "git", &["init", "--quiet"]).is_none() {
        return;
    }
    program(directory, "mkfifo", &[".gitattributes"]).expect("every Unix has it");
    let output = run(directory, &["git-setup"]);
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains("expected a regular file, found a pipe"), "{message}");
}

#[test]
fn file_recognises_documents_by_the_rule() {
    let directory = fixtures::directory("magic");
    fs::write(directory.join("coconut.magic"), stdout_of(&directory, &["magic"])).unwrap();
    let file = |name: &str| program(&directory, "file", &["-b", "-m", "coconut.magic", name]);
    let Some(said) = file("stack.coco") else { return };
    assert_eq!(said, "Coconut compiled document, document-type=cocogl, version=1\n");
    let said = file("text.coco").expect("file was there before");
    assert_eq!(said, "Coconut document as text, document-type=cocogl, version=1\n");
    let other = file("stack.json").expect("file was there before");
    assert!(!other.contains("Coconut"), "{other}");
    let mime = program(&directory, "file", &["-b", "--mime-type", "-m", "coconut.magic", "stack.coco"]);
    assert_eq!(mime.as_deref(), Some("application/vnd.coconut+msgpack\n"));
}
