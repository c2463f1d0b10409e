//! Files that a program overwrites in place while the tool shows them.

use coconut_codec::compile::{CompileOptions, compile};
use std::fs::{self, OpenOptions};
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// Its output is larger than a pipe, and all such documents have the same length.
fn document(word: &str) -> Vec<u8> {
    assert_eq!(word.len(), 3);
    let resources: Vec<String> = (0..4000)
        .map(|n| {
            format!(r#""urn {n:05}": {{"type": "t", "inputs": {{"a": "{word} {n:05}"}}, "to": ["{word}"]}}"#)
        })
        .collect();
    let source = format!(r#"{{"resources": {{{}}}}}"#, resources.join(","));
    compile(source.as_bytes(), &CompileOptions::default()).expect("a good source").bytes
}

fn overwrite(path: &Path, bytes: &[u8]) {
    let file = OpenOptions::new().write(true).open(path).expect("nothing holds the writer up");
    file.write_all_at(bytes, 0).expect("it is not longer than before");
}

/// Reads the first bytes of the output, overwrites the file, and reads the rest.
#[track_caller]
fn shown_while_it_changes(arguments: &[&str], new: impl Fn(usize) -> Vec<u8>) -> (Option<i32>, Vec<u8>) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("a.coco");
    let old = document("old");
    fs::write(&path, &old).expect("a file can be written");
    let mut child = Command::new(env!("CARGO_BIN_EXE_coco-inspect"))
        .args(arguments)
        .arg(&path)
        .stdout(Stdio::piped())
        .spawn()
        .expect("the tool is built and can be run");
    let mut output = child.stdout.take().expect("it is a pipe");
    let mut shown = vec![0; 500];
    output.read_exact(&mut shown).expect("it shows more than that");
    overwrite(&path, &new(old.len()));
    output.read_to_end(&mut shown).expect("a pipe can be read");
    (child.wait().expect("it was started here").code(), shown)
}

#[test]
fn the_output_shows_the_file_as_it_was_opened() {
    let commands: [&[&str]; 6] = [
        &["dump"],
        &["dump", "--as", "yaml"],
        &["dump", "--as", "jsonl"],
        &["dump", "--as", "wire"],
        &["ls"],
        &["dump", "--json"],
    ];
    for arguments in commands {
        let (exit, expected) = shown_while_it_changes(arguments, |_| document("old"));
        assert_eq!(exit, Some(0), "{arguments:?}");
        let changes: [&dyn Fn(usize) -> Vec<u8>; 3] =
            [&|_| document("new"), &|length| vec![0xff; length], &|length| vec![0; length]];
        for (number, change) in changes.into_iter().enumerate() {
            let (exit, shown) = shown_while_it_changes(arguments, change);
            assert_eq!(exit, Some(0), "{arguments:?}, change {number}");
            assert_eq!(shown.len(), expected.len(), "{arguments:?}, change {number}");
            let places = |bytes: &[u8]| bytes.windows(3).filter(|window| *window == b"new").count();
            assert_eq!(places(&shown), 0, "{arguments:?}, change {number}");
        }
    }
}

#[test]
fn a_writer_is_not_held_up_by_a_reader_that_pauses() {
    // Opening the file for writing would wait for a lease to end.
    let (exit, _) = shown_while_it_changes(&["dump"], |length| vec![0xff; length]);
    assert_eq!(exit, Some(0));
}
