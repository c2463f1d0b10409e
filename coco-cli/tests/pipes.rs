//! Tests readers that close the pipe, and outputs that are full.

#![cfg(unix)]

use std::fs::{self, File};
use std::io::{Read, Write};
use std::process::{Command, Stdio};

const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/shop.checkpoint.json");

fn coco(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_coco"));
    command.args(arguments).env("COCONUT_CACHE_DIR", concat!(env!("CARGO_TARGET_TMPDIR"), "/pipes-cache"));
    command
}

#[test]
fn a_reader_who_goes_away_is_not_a_failure() {
    // More than fits in a pipe, so the writer is still running.
    for arguments in
        [&["get", EXAMPLE, ""][..], &["get", EXAMPLE, "", "--json"], &["get", EXAMPLE, "", "--as", "yaml"]]
    {
        let mut child = coco(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut first = [0; 1];
        child.stdout.take().unwrap().read_exact(&mut first).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments:?}");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let compiled = folder.path().join("shop.coco");
    let compiled = compiled.to_str().unwrap();
    assert!(coco(&["pack", "build", EXAMPLE, "-q", "-o", compiled]).status().unwrap().success());
    let full = || Stdio::from(File::options().write(true).open("/dev/full").unwrap());
    let cases = [
        (coco(&["get", compiled, ""]).stdout(full()).output().unwrap(), "OUTPUT", "standard output"),
        (coco(&["pack", "unpack", compiled]).stdout(full()).output().unwrap(), "OUTPUT", "standard output"),
        (
            coco(&["pack", "build", EXAMPLE, "-o", "-"]).stdout(full()).output().unwrap(),
            "OUTPUT",
            "standard output",
        ),
        (coco(&["pack", "unpack", compiled, "-o", "/dev/full"]).output().unwrap(), "FILE-WRITE", "/dev/full"),
    ];
    for (output, code, name) in cases {
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}");
        let expected =
            format!("error[{code}]: cannot write: No space left on device (os error 28)\n --> {name}\n");
        assert_eq!(message, expected);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_device_is_neither_a_source_nor_a_document() {
    let of_devices = [
        &["get", "/dev/zero", "a"][..],
        &["get", "/dev/zero", ""],
        &["pack", "build", "/dev/zero", "-o", "-"],
        &["pack", "unpack", "/dev/zero"],
        &["pack", "repack", "/dev/zero", "-o", "-"],
        &["check", "/dev/zero"],
        &["pack", "build", EXAMPLE, "--check", "-o", "/dev/zero"],
    ];
    for arguments in of_devices {
        let output = coco(arguments).output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(message.contains("FILE-READ") && message.contains("found a"), "{arguments:?}: {message}");
    }
}

#[test]
fn a_named_pipe_is_read_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let path = pipe.clone();
    let writer = std::thread::spawn(move || fs::write(path, r#"{"a": 1}"#).unwrap());
    let output = coco(&["get", pipe.to_str().unwrap(), "/a"]).output().unwrap();
    writer.join().unwrap();
    assert_eq!((output.status.code(), &output.stdout[..]), (Some(0), &b"1\n"[..]));
}

/// A pipe is created by a shell for `<(command)`, even if the command is slow, or prints nothing.
#[cfg(target_os = "linux")]
#[test]
fn a_pipe_that_a_shell_made_is_read_to_its_end() {
    let bash = |line: &str| {
        let line = line.replace("coco ", "$COCO ");
        let mut command = Command::new("bash");
        command.env("COCO", env!("CARGO_BIN_EXE_coco"));
        command
            .args(["-c", &line])
            .env("COCONUT_CACHE_DIR", concat!(env!("CARGO_TARGET_TMPDIR"), "/pipes-cache"));
        command.output().expect("there is a shell")
    };
    for line in [
        r#"coco get <(echo '{"a": 1}') /a"#,
        r#"coco get <(sleep 0.2; echo '{"a":'; sleep 0.2; echo '1}') /a"#,
        r#"echo '{"a": 1}' | coco get - /a"#,
        r#"echo '{"a": 1}' | coco get /dev/stdin /a"#,
    ] {
        let output = bash(line);
        assert_eq!((output.status.code(), &output.stdout[..]), (Some(0), &b"1\n"[..]), "{line}: {output:?}");
    }
    let output = bash("coco get <(true) /a");
    assert!(String::from_utf8_lossy(&output.stderr).contains("ENV-EMPTY"), "{output:?}");
    let output = bash(&format!("coco pack build {EXAMPLE} -q -o >(head -c 11)"));
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn a_pipe_whose_other_end_never_comes_is_given_up() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["in.json", "out.coco"] {
        assert!(Command::new("mkfifo").arg(folder.path().join(name)).status().unwrap().success());
    }
    let commands = [
        &["get", "in.json", "/a"][..],
        &["pack", "build", "in.json", "-o", "-"],
        &["check", "in.json"],
        &["check", EXAMPLE, "--with", "in.json"],
        &["pack", "unpack", "in.json"],
        &["pack", "repack", "in.json", "-o", "-"],
        &["pack", "build", EXAMPLE, "-o", "out.coco"],
    ];
    // All at the same time, since each waits some seconds.
    let children = commands.map(|arguments| {
        let mut command = coco(arguments);
        command.current_dir(folder.path()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    });
    for (child, arguments) in children.into_iter().zip(commands) {
        let output = child.wait_with_output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr);
        let expected = match arguments.last() {
            Some(&"out.coco") => "error[FILE-WRITE]: cannot write: nothing reads from the pipe\n --> ",
            _ => "error[FILE-READ]: cannot read: nothing writes to the pipe\n --> in.json",
        };
        assert!(message.contains(expected), "{arguments:?}: {message}");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn unnamed_pipes_are_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("a.json");
    fs::write(&source, r#"{"a": 1}"#).unwrap();
    for name in ["b.json", "c.yaml", "Coconut.json", "a.coco.lock", ".coconut"] {
        assert!(Command::new("mkfifo").arg(folder.path().join(name)).status().unwrap().success());
    }
    for arguments in [&["pack", "build", "."][..], &["check", "."], &["cache", "warm", "."]] {
        let output = coco(arguments).current_dir(folder.path()).output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {message}");
    }
    // Also in place of a compiled file, and of a durable one.
    let compiled = folder.path().join("a.coco");
    fs::remove_file(&compiled).unwrap();
    assert!(Command::new("mkfifo").arg(&compiled).status().unwrap().success());
    let output = coco(&["get", "a.json", "/a"]).current_dir(folder.path()).output().unwrap();
    assert_eq!(output.stdout, b"1\n", "{}", String::from_utf8_lossy(&output.stderr));
}

/// The remains of a document may be text, but are not a source.
#[test]
fn a_document_that_is_cut_short_is_never_compiled() {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| coco(arguments).current_dir(folder.path()).output().unwrap();
    assert_eq!(run(&["pack", "build", EXAMPLE, "-q", "-o", "a.coco"]).status.code(), Some(0));
    let whole = fs::read(folder.path().join("a.coco")).unwrap();
    for length in 1..100 {
        fs::write(folder.path().join("cut.coco"), &whole[..length]).unwrap();
        for arguments in [
            &["pack", "build", "cut.coco", "-o", "b.coco"][..],
            &["pack", "build", "cut.coco", "-o", "folder/"],
            &["cache", "warm", "cut.coco"],
            &["get", "cut.coco", ""],
        ] {
            let output = run(arguments);
            let is_good = output.status.code() == Some(0) && length < "application/vnd.coconut".len();
            assert!(!is_good, "{arguments:?} of {length} bytes: {output:?}");
        }
    }
    fs::write(folder.path().join("cut.coco"), &whole[..12]).unwrap();
    let output = run(&["pack", "build", "cut.coco", "-o", "b.coco"]);
    let expected =
        "error[ENV-NOBLANK]: no blank line after the envelope\n --> cut.coco, byte 12\n  = is it cut short";
    assert_eq!(output.status.code(), Some(4));
    assert!(String::from_utf8_lossy(&output.stderr).contains(expected), "{output:?}");
}

/// A file with a hole costs nothing to create, and reading it would take forever.
#[cfg(target_os = "linux")]
#[test]
fn a_file_that_claims_to_be_huge_is_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    for (name, beginning, code) in [("zeros.json", "", "ENV-ZERO"), ("hole.json", "{", "FILE-READ")] {
        fs::write(folder.path().join(name), beginning).unwrap();
        let file = File::options().write(true).open(folder.path().join(name)).unwrap();
        if file.set_len(1 << 40).is_err() {
            eprintln!("note: no files with holes can be made here");
            return;
        }
        for arguments in
            [&["get", name, "/a"][..], &["cache", "warm", name], &["pack", "build", name, "-o", "-"]]
        {
            let output = coco(arguments).current_dir(folder.path()).output().unwrap();
            let message = String::from_utf8_lossy(&output.stderr);
            let is_load = message.contains("LOAD-READ") && code == "FILE-READ";
            let is_long = message.contains("FILE-READ") && arguments[0] == "pack";
            assert!(message.contains(code) || is_load || is_long, "{arguments:?}: {message}");
            assert_ne!(output.status.code(), Some(0), "{arguments:?}");
        }
    }
}

#[test]
fn a_folder_that_cannot_be_written_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let blocked = folder.path().join("blocked");
    fs::write(&blocked, "a file where a folder should be").unwrap();
    let out = blocked.join("shop.coco");
    let output = coco(&["pack", "build", EXAMPLE, "-q", "-o", out.to_str().unwrap()]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("error[FILE-WRITE]: cannot write: "));
    assert_eq!(fs::read(&blocked).unwrap(), b"a file where a folder should be");
}

/// Limits files to 1024 bytes, or 512 if the shell counts as POSIX does.
#[test]
fn a_limit_of_file_sizes_is_a_full_disk() {
    let folder = tempfile::tempdir().unwrap();
    let items: Vec<String> = (0..2000).map(|item| format!("\"item {item}\"")).collect();
    fs::write(folder.path().join("a.json"), format!("[{}]", items.join(","))).unwrap();
    assert!(
        coco(&["pack", "build", "a.json", "-q", "-o", "b.coco"])
            .current_dir(folder.path())
            .status()
            .unwrap()
            .success()
    );
    let limited = |arguments: &str| {
        let line = format!("ulimit -f 1 || exit 99; exec {} {arguments}", env!("CARGO_BIN_EXE_coco"));
        let mut command = Command::new("sh");
        let command = command.args(["-c", &line]).current_dir(folder.path());
        command.env("COCONUT_CACHE_DIR", folder.path().join("cache")).output().unwrap()
    };
    let said = limited("get a.json /1999");
    if said.status.code() == Some(99) {
        eprintln!("note: no limit of file sizes can be set here");
        return;
    }
    let message = String::from_utf8_lossy(&said.stderr);
    assert_eq!((said.status.code(), &said.stdout[..]), (Some(0), &b"\"item 1999\"\n"[..]), "{said:?}");
    assert!(message.starts_with("warning[CACHE-IO]: cannot write "), "{message}");
    assert!(message.contains("File too large (os error 27)"), "{message}");
    for (code, arguments, name) in [
        ("FILE-WRITE", "pack build a.json -o c.coco", "c.coco"),
        ("SNAP-IO", "pack build a.json -o c.coco --durable", "c.coco"),
        ("FILE-WRITE", "pack repack b.coco -o c.coco", "c.coco"),
        ("SNAP-IO", "pack repack b.coco -o c.coco --durable", "c.coco"),
        ("FILE-WRITE", "pack repack b.coco -o c.coco --encoding json", "c.coco"),
        ("FILE-WRITE", "pack unpack b.coco -o c.json", "c.json"),
    ] {
        let said = limited(&format!("{arguments} -q"));
        let message = String::from_utf8_lossy(&said.stderr);
        // The name of the temporary file follows, which is random.
        let beginning = format!("error[{code}]: cannot write: File too large (os error 27)");
        assert!(message.starts_with(&beginning), "{arguments}: {message}");
        assert!(message.ends_with(&format!("\n --> {name}\n")), "{arguments}: {message}");
        assert_eq!(said.status.code(), Some(2), "{arguments}");
    }
    let names =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    assert_eq!(names, ["a.json", "b.coco", "cache"]);
    assert_eq!(fs::read_dir(folder.path().join("cache/v1/new")).unwrap().count(), 0);
}

#[test]
fn a_manual_page_is_written_completely_or_stays_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    assert!(coco(&["man", "-o", "pages"]).current_dir(folder.path()).status().unwrap().success());
    let pages = folder.path().join("pages");
    let names: Vec<_> = fs::read_dir(&pages).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(names.contains(&pages.join("coco-pack-build.1")));
    names.iter().for_each(|page| fs::write(page, "old").unwrap());
    let script = format!("ulimit -f 1; exec {} man -o pages", env!("CARGO_BIN_EXE_coco"));
    let output = Command::new("sh").current_dir(folder.path()).args(["-c", &script]).output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("\n --> pages/coco"), "{message}");
    for page in &names {
        let text = fs::read_to_string(page).unwrap();
        assert!(text == "old" || text.contains(".SH NAME") && text.ends_with('\n'), "{}", page.display());
    }
    assert_eq!(fs::read_to_string(pages.join("coco-pack-build.1")).unwrap(), "old");
    assert_eq!(fs::read_dir(&pages).unwrap().count(), names.len());
}

/// No system can give a thread a stack of this size.
#[test]
fn without_threads_one_does_the_work() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.json", "b.json", "c.json"] {
        fs::write(folder.path().join(name), format!(r#"{{"name": "{name}"}}"#)).unwrap();
    }
    for arguments in [
        &["pack", "build", "a.json", "b.json", "c.json", "-o", "out/", "-q"][..],
        &["pack", "build", "a.json", "-o", "one.coco", "-q", "-j", "3000"],
        &["cache", "warm", ".", "-q", "-j", "3000"],
    ] {
        let mut command = coco(arguments);
        command.current_dir(folder.path()).env("RUST_MIN_STACK", (1u64 << 46).to_string());
        let output = command.env("COCONUT_CACHE_DIR", folder.path().join("cache")).output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), &*message), (Some(0), ""), "{arguments:?}");
    }
    assert_eq!(fs::read_dir(folder.path().join("out")).unwrap().count(), 3);
}

#[test]
fn a_truncated_map_ends_the_tool_with_a_message() {
    let mut child = coco(&["get", "-", "a"]).stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    // More than fits in a pipe: when the rest has been read, the process has started long ago.
    input.write_all(&[b' '; 1 << 20]).unwrap();
    let kill =
        Command::new("sh").args(["-c", "kill -s BUS \"$0\"", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    // A process that the signal does not end, ends with its input.
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "error: a file became shorter while it was being read (something truncated it in place); run again\n"
    );
}
