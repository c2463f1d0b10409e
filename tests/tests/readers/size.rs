//! The length of the readers in other languages. A reader that has grown is more than an
//! afternoon's work.
//!
//! Lines of code are those with more than comments, documentation and white space. The code that
//! *reads* goes from the first byte of a file to a value of its document, §2 to §7: levels *open*
//! and *touch* of §10.1.

use super::repository;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

struct Reader {
    folders: &'static [&'static str],
    extension: &'static str,
    /// Characters in a line, so that few lines are not long ones.
    line: usize,
    /// The modules that read, and their lines of code.
    reading: &'static [&'static str],
    read: usize,
    /// Lines of code of everything that is installed, including the command.
    all: usize,
    is_comment: fn(&str) -> bool,
    /// The beginning and the end of documentation.
    documentation: (&'static str, &'static str),
}

#[test]
fn the_python_reader_is_small() {
    assert_is_small(&Reader {
        folders: &["python/coconut_reader"],
        extension: "py",
        line: 110,
        reading: &["errors", "envelope", "cursor", "file", "values"],
        read: 600,
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
        line: 110,
        reading: &["errors", "envelope", "checksums", "cursor", "file", "values"],
        read: 600,
        all: 2_098,
        is_comment: |line| line.starts_with("//"),
        documentation: ("/*", "*/"),
    });
}

/// The code here goes on to lookups by the tables, §8.2 to §8.7. Lines of closing brackets alone do
/// not count, since `gofmt` gives one to each block.
#[test]
fn the_go_reader_is_small() {
    assert_is_small(&Reader {
        folders: &["go", "go/cmd/coconut-go"],
        extension: "go",
        line: 120,
        reading: &["errors", "cursor", "envelope", "file", "header", "elements", "value", "index"],
        read: 1_200,
        all: 3_900,
        is_comment: |line| line.starts_with("//") || line.chars().all(|each| ")]},".contains(each)),
        documentation: ("/*", "*/"),
    });
}

fn assert_is_small(reader: &Reader) {
    let mut lines = BTreeMap::new();
    let folders = reader.folders.iter().map(|folder| repository().join("spec/readers").join(folder));
    for entry in folders.flat_map(|folder| fs::read_dir(folder).expect("the folder of a reader")) {
        let path = entry.expect("an entry of a folder").path();
        let is_test = stem(&path).ends_with("_test");
        if !is_test && path.extension().is_some_and(|extension| extension == reader.extension) {
            let text = fs::read_to_string(&path).expect("source is text");
            let long = text.lines().position(|line| line.chars().count() > reader.line);
            assert_eq!(long, None, "{} has a line of more than {} characters", path.display(), reader.line);
            lines.insert(stem(&path), lines_of_code(&text, reader));
        }
    }
    let reading: usize = reader.reading.iter().map(|module| lines[*module]).sum();
    let most = reader.read;
    assert!(reading <= most, "{reading} lines of code read, at most {most} should: {lines:?}");
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
        line: 110,
        reading: &[],
        read: 0,
        all: 0,
        is_comment: |line| line.starts_with("//"),
        documentation: ("/*", "*/"),
    };
    let text = "// comment\n/** one line */\n/**\n * several\n */\n\n  code(); // with a comment\n}\n";
    assert_eq!(lines_of_code(text, &reader), 2);
}
