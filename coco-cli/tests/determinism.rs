//! Tests that the bytes of a document depend only on source, options and version.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples");

fn coco(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_coco"));
    command.current_dir(folder).arg("--quiet");
    command
}

/// All files below `folder` by their relative paths.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| (path.strip_prefix(folder).unwrap().to_owned(), fs::read(&path).unwrap())).collect()
}

/// Copies the examples, twelve times each, so several workers have work.
fn many_sources(folder: &Path) {
    for name in ["point.cocopack.json", "shop.checkpoint.json"] {
        let content = fs::read(Path::new(EXAMPLES).join(name)).unwrap();
        for copy in 0..12 {
            fs::write(folder.join(format!("{copy}-{name}")), &content).unwrap();
        }
    }
}

#[track_caller]
fn builds(command: &mut Command, out: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let built = files(out);
    assert_eq!(built.len(), 24);
    built
}

#[test]
fn documents_do_not_depend_on_workers_folder_locale_or_time_zone() {
    let (sources, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    many_sources(sources.path());
    let build = |folder: &Path, source: &Path, jobs: &str, name: &str, variables: &[(&str, &str)]| {
        let out = out.path().join(name);
        let mut command = coco(folder);
        command.args(["pack", "build", "--jobs", jobs]).arg(source).arg("-o").arg(out.join(""));
        command.envs(variables.iter().copied());
        builds(&mut command, &out)
    };
    let expected = build(sources.path(), Path::new("."), "1", "one", &[]);
    let elsewhere = Path::new(env!("CARGO_MANIFEST_DIR"));
    let strange =
        [("TZ", "Asia/Kathmandu"), ("LANG", "tr_TR.UTF-8"), ("LC_ALL", "de_DE.UTF-8"), ("USER", "x")];
    for (name, jobs, variables) in [("two", "2", &[][..]), ("many", "13", &strange[..])] {
        let found = build(elsewhere, sources.path(), jobs, name, variables);
        assert!(found == expected, "`{name}` differs");
    }
}

#[cfg(unix)]
#[test]
fn the_umask_sets_the_read_permissions_of_results() {
    use std::os::unix::fs::PermissionsExt;
    let (sources, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    many_sources(sources.path());
    let build = |umask: &str| {
        let out = out.path().join(umask);
        let script = format!("umask {umask}; exec \"$@\"");
        let mut command = Command::new("sh");
        command.args(["-c", &script, "sh", env!("CARGO_BIN_EXE_coco"), "--quiet", "pack", "build"]);
        command.arg(sources.path()).arg("-o").arg(out.join(""));
        (builds(&mut command, &out), out)
    };
    let (open, open_folder) = build("022");
    let (closed, closed_folder) = build("077");
    assert!(open == closed);
    let mode = |folder: &Path| {
        fs::metadata(folder.join("0-point.cocopack.coco")).unwrap().permissions().mode() & 0o777
    };
    assert_eq!((mode(&open_folder), mode(&closed_folder)), (0o644, 0o600));
}

#[test]
fn a_document_that_was_converted_there_and_back_is_the_same_file() {
    let out = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        let status = coco(out.path()).args(arguments).status().unwrap();
        assert!(status.success(), "{arguments:?}");
    };
    for example in ["shop.checkpoint", "point.cocopack"] {
        let source = format!("{EXAMPLES}/{example}.json");
        run(&["pack", "build", &source, "-o", "full.coco"]);
        run(&["pack", "repack", "full.coco", "--profile", "transport", "-o", "transport.coco"]);
        run(&["pack", "repack", "transport.coco", "--profile", "plain", "-o", "plain.coco"]);
        run(&["pack", "repack", "plain.coco", "--profile", "full", "-o", "again.coco"]);
        let read = |name: &str| fs::read(out.path().join(name)).unwrap();
        assert!(read("full.coco") == read("again.coco"), "{example}");
        run(&["pack", "unpack", "plain.coco", "--original", "--force", "-o", "source.json"]);
        assert!(read("source.json") == fs::read(&source).unwrap(), "{example}");
    }
}
