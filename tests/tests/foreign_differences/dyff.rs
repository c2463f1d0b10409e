//! §16.3 Pairs of documents of dyff, and its output for them.

use super::check;
use crate::differences::file;
use coconut_codec::compile::CompileOptions;
use coconut_codec::text::SourceFormat;
use coconut_diff::value::Action;
use coconut_diff::{Diff, Happened, Options, Side};
use coconut_format::pointer;
use coconut_format::{DecodeError, Node as _};
use coconut_testing::testdata;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The number of changes of each kind to an entry or item with this name, or to a whole document.
type Said = BTreeMap<(&'static str, String), usize>;

/// The text without colour codes.
fn uncoloured(text: &str) -> String {
    let mut pieces = text.split('\u{1b}');
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        plain.push_str(piece.split_once('m').map_or(piece, |(_, rest)| rest));
    }
    plain
}

/// The last name in a path. Names may have dots, too.
fn last_name(path: &str) -> String {
    path.rsplit(['.', '/']).next().unwrap_or_default().to_owned()
}

const WORDS: [&str; 6] = ["one", "two", "three", "four", "five", "six"];

/// The output of dyff.
fn printed(text: &str) -> Said {
    let mut said = Said::new();
    let text = uncoloured(text);
    let mut lines = text.lines().peekable();
    let (mut path, mut about) = (String::new(), String::new());
    while let Some(line) = lines.next() {
        let is_path = !line.starts_with([' ', '+', '-']) && !line.is_empty();
        if is_path {
            let (place, document) = line.split_once("  (").unwrap_or((line, ""));
            (path, about) = (last_name(place), last_name(document.trim_end_matches(')')));
            continue;
        }
        let mut add = |action, name: &str, count| {
            *said.entry((action, name.to_owned())).or_default() += count;
        };
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["±", "value" | "type" | "certificate", ..] => add("update", &path, 1),
            ["⇆", ..] => add("reorder", &path, 1),
            [_, _, "document", what] => {
                add(if what.starts_with("added") { "add" } else { "remove" }, &about, 1);
            }
            [_, count, "map", _, what] => {
                let action = if what.starts_with("added") { "add" } else { "remove" };
                let count = WORDS.iter().position(|word| *word == count).map_or(0, |at| at + 1);
                let entry = |line: &&str| line.trim_start().split_once(':').map(|(name, _)| name.to_owned());
                let indent = |line: &str| line.len() - line.trim_start().len();
                let first = lines.peek().map_or(0, |line| indent(line));
                let mut names = Vec::new();
                while let Some(line) = lines.next_if(|line| !line.trim().is_empty()) {
                    names.extend(entry(&line).filter(|_| indent(line) == first && !line.contains('│')));
                }
                assert_eq!(names.len(), count, "{names:?}");
                names.iter().for_each(|name| add(action, name, 1));
            }
            // Removed and added values are listed next to each other.
            [_, _, "list", ..] => {
                for four in words.windows(4).filter(|four| four[1] == "list") {
                    let count = WORDS.iter().position(|word| *word == four[0]).map_or(0, |at| at + 1);
                    add(if four[3] == "added:" { "add" } else { "remove" }, &path, count);
                }
            }
            _ => {}
        }
    }
    said
}

/// Our result.
fn found(old: &Path, new: &Path) -> Said {
    let document = |path: &Path| {
        let options = CompileOptions { format: Some(SourceFormat::Yaml), ..CompileOptions::default() };
        file(&fs::read(path).expect("a case can be read"), &options)
    };
    let (old, new) = (document(old), document(new));
    let (old, new) = (Side::read(old.view()).expect("good"), Side::read(new.view()).expect("good"));
    let mut diff = Diff::of(&old, &new, &Options::default()).expect("they can be compared");
    let mut said = Said::new();
    let mut add = |action: Action, pointer: &str| {
        let names = pointer::keys(pointer).expect("it is a pointer");
        let is_index = |name: &str| name.bytes().all(|byte| byte.is_ascii_digit());
        let name = names.filter(|name| !is_index(name)).last();
        let name = name.map_or_else(|| "(root level)".to_owned(), |name| last_name(&name));
        *said.entry((action.name(), name)).or_default() += 1;
    };
    for change in diff.front().expect("they can be compared") {
        // For dyff, the order of keys is not a difference.
        let is_object =
            change.difference.revealed_new().is_some_and(|(node, _)| node.entries().next().is_some());
        if change.difference.action != Action::Reorder || !is_object {
            add(change.difference.action, &change.difference.pointer);
        }
    }
    diff.for_each(&mut |resource| {
        match resource.happened {
            Happened::Created => add(Action::Add, &format!("/{}", last_name(&resource.key))),
            Happened::Deleted => add(Action::Remove, &format!("/{}", last_name(&resource.key))),
            _ => resource
                .changes
                .iter()
                .filter(|change| change.counts)
                .for_each(|change| add(change.difference.action, &change.difference.pointer)),
        }
        Ok::<(), DecodeError>(())
    })
    .expect("they can be compared");
    said
}

#[test]
fn documents_differ_as_dyff_prints_it() {
    let Some(folder) = testdata("1-diff/dyff") else { return };
    let cases = [
        ("colors", "dyff.expected"),
        ("issues/issue-225", "expected-dyff-spruce.human"),
        ("issues/issue-89", "expected-dyff-spruce.human"),
        ("kubernetes/configmaps", "expected-dyff-spruce.human"),
        ("kubernetes/multi-docs-file-level", "expected-dyff.human"),
        ("kubernetes/rename", "expected-dyff.human"),
        ("testbed", "expected-dyff-spruce.human"),
    ];
    let (mut met, mut not_met) = (0, BTreeSet::new());
    for (case, expected) in cases {
        let folder = folder.join(case);
        let expected = fs::read_to_string(folder.join(expected)).expect("a case can be read");
        let name = if folder.join("from.yml").exists() { "yml" } else { "yaml" };
        let found = found(&folder.join(format!("from.{name}")), &folder.join(format!("to.{name}")));
        let expected = printed(&expected);
        match found == expected {
            true => met += 1,
            false => {
                eprintln!("{case}: {found:?}\nand not {expected:?}");
                not_met.insert(case.to_owned());
            }
        }
    }
    check("dyff", met, &not_met);
}
