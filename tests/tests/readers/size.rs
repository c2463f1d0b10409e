//! How long the readers in other languages are. A reader that has grown is no longer an afternoon's
//! work.
//!
//! Lines of code are those with more than comments, documentation and white space. What *reads* is
//! all that goes from the first byte of a file to a value of its document, §2 to §7: levels *open*
//! and *touch* of §10.1.

use super::repository;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Characters in a line, so that few lines are not long ones.
const LINE: usize = 110;

/// Lines of code of what reads.
const READING: usize = 600;

struct Reader {
    folders: &'static [&'static str],
    extension: &'static str,
    /// The modules that read.
    reading: &'static [&'static str],
    /// Lines of code of everything that is installed, the command included.
    all: usize,
    is_comment: fn(&str) -> bool,
    /// What begins and ends documentation.
    documentation: (&'static str, &'static str),
}

#[test]
fn the_python_reader_is_small() {
    assert_is_small(&Reader {
        folders: &["python/coconut_reader"],
        extension: "py",
        reading: &["errors", "envelope", "cursor", "file", "values"],
        all: 1_922,
        is_comment: |line| line.starts_with('#'),
        documentation: ("\"\"\"", "\"\"\""),
    });
}

#[test]
fn the_javascript_reader_is_small() {
    assert_is_small(&Reader {
        folders: &["js/src", "js/bin"],
        extension: "js",
        reading: &["errors", "envelope", "checksums", "cursor", "file", "values"],
        all: 2_098,
        is_comment: |line| line.starts_with("//"),
        documentation: ("/*", "*/"),
    });
}

fn assert_is_small(reader: &Reader) {
    let mut lines = BTreeMap::new();
    let folders = reader.folders.iter().map(|folder| repository().join("spec/readers").join(folder));
    for entry in folders.flat_map(|folder| fs::read_dir(folder).expect("the folder of a reader")) {
        let path = entry.expect("an entry of a folder").path();
        if path.extension().is_some_and(|extension| extension == reader.extension) {
            let text = fs::read_to_string(&path).expect("source is text");
            let long = text.lines().position(|line| line.chars().count() > LINE);
            assert_eq!(long, None, "{} has a line of more than {LINE} characters", path.display());
            lines.insert(stem(&path), lines_of_code(&text, reader));
        }
    }
    let reading: usize = reader.reading.iter().map(|module| lines[*module]).sum();
    assert!(reading <= READING, "{reading} lines of code read, at most {READING} should: {lines:?}");
    let all: usize = lines.values().sum();
    assert!(all <= reader.all, "{all} lines of code, at most {} should be there: {lines:?}", reader.all);
}

fn stem(path: &Path) -> String {
    path.file_stem().expect("a file has a name").to_string_lossy().into_owned()
}

fn lines_of_code(text: &str, reader: &Reader) -> usize {
    let (begin, end) = reader.documentation;
    let mut is_documentation = false;
    let is_code = |line: &&str| {
        let line = line.trim();
        if is_documentation {
            is_documentation = !line.ends_with(end);
            return false;
        }
        if let Some(rest) = line.strip_prefix(begin) {
            is_documentation = !rest.ends_with(end);
            return false;
        }
        !line.is_empty() && !(reader.is_comment)(line)
    };
    text.lines().filter(is_code).count()
}

#[test]
fn lines_of_code_are_counted_without_comments_and_documentation() {
    let reader = Reader {
        folders: &[],
        extension: "js",
        reading: &[],
        all: 0,
        is_comment: |line| line.starts_with("//"),
        documentation: ("/*", "*/"),
    };
    let text = "// comment\n/** one line */\n/**\n * several\n */\n\n  code(); // with a comment\n}\n";
    assert_eq!(lines_of_code(text, &reader), 2);
}
