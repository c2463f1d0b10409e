//! A directory for every rule: `tests/cases/verify/<rule>/{good,bad}*.json`.
//!
//! A good package has only notes. A bad one has exactly the findings in the `.expected` file beside
//! it, one per line: rule, a space, JSON pointer. Packages in `dependencies/` are passed to the
//! verification. `COCONUT_BLESS=1` writes the `.expected` files, to be read before they are
//! committed.

use std::fs;
use std::path::{Path, PathBuf};

use coconut_format::il::SyntaxKind;
use coconut_format::pointer;
use coconut_format::verify::PACKAGE_RULES;
use coconut_format::verify::{Severity, verify_package};
use coconut_format::{Package, Value};

use coconut_testing::oracle;

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/cases/verify");

/// Rules without a violating file here, with the reason.
const WITHOUT_FILES: &[(&str, &str)] = &[
    ("TREE-DEPTH", "readers refuse such a file; a unit test of `verify` builds one in memory"),
    ("TREE-MORE", "such a file has megabytes; a unit test of `verify` builds one in memory"),
];

#[test]
fn every_rule_has_a_good_and_a_bad_case() {
    for rule in PACKAGE_RULES {
        let excused = WITHOUT_FILES.iter().any(|(id, _)| *id == rule.id);
        let has_both = ["good", "bad"].iter().all(|prefix| !cases(rule.id, prefix).is_empty());
        assert!(has_both != excused, "{}", rule.id);
    }
}

#[test]
fn every_case_directory_belongs_to_a_rule() {
    for directory in entries(Path::new(CASES)) {
        let name = directory.file_name().unwrap().to_str().unwrap();
        let is_package_rule = PACKAGE_RULES.iter().any(|rule| rule.id == name);
        assert!(is_package_rule || coconut_format::verify::Rule::by_id(name).is_some(), "{name}");
    }
}

#[test]
fn good_cases_have_no_findings() {
    for rule in PACKAGE_RULES {
        for path in cases(rule.id, "good") {
            let found = findings(rule.id, &path, Severity::Warning);
            assert_eq!(found, "", "{}", path.display());
        }
    }
}

#[test]
fn bad_cases_have_exactly_the_expected_findings() {
    for rule in PACKAGE_RULES {
        for path in cases(rule.id, "bad") {
            let found = findings(rule.id, &path, Severity::Note);
            let expected_path = path.with_extension("expected");
            if std::env::var_os("COCONUT_BLESS").is_some() {
                fs::write(&expected_path, &found).unwrap();
            }
            let expected = fs::read_to_string(&expected_path).unwrap_or_default();
            assert_eq!(found, expected, "{}", path.display());
            assert!(found.contains(rule.id), "{} does not break its rule", path.display());
        }
    }
}

/// `RULE /pointer` for every finding with at least the severity `least`.
fn findings(rule: &str, path: &Path, least: Severity) -> String {
    let dependencies: Vec<Package> =
        entries(&Path::new(CASES).join(rule).join("dependencies")).iter().map(|path| package(path)).collect();
    let dependencies: Vec<&Package> = dependencies.iter().collect();
    let findings = verify_package(&package(path), &dependencies);
    let serious = findings.iter().filter(|finding| finding.severity() >= least);
    serious
        .map(|finding| format!("{} {}", finding.rule.id, finding.path).trim_end().to_owned() + "\n")
        .collect()
}

fn package(path: &Path) -> Package {
    let text = fs::read(path).expect("a case that was just listed");
    let value = oracle::read(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Package::from_value(value).unwrap_or_else(|_| panic!("{}: not an object", path.display()))
}

/// The JSON files of a rule that begin with `prefix`, sorted.
fn cases(rule: &str, prefix: &str) -> Vec<PathBuf> {
    let mut files = entries(&Path::new(CASES).join(rule));
    files.retain(|path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with(prefix) && name.ends_with(".json")
    });
    files
}

/// The contents of a directory, sorted; empty if there is no such directory.
fn entries(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a readable entry").path()).collect();
    paths.sort();
    paths
}

/// Every kind may occur in every place of a hostile document: reading keeps it, and verification
/// terminates.
#[test]
fn any_kind_in_any_place_is_read_and_verified() {
    let mut step = 0;
    for rule in PACKAGE_RULES {
        for path in cases(rule.id, "") {
            let text = fs::read_to_string(&path).expect("a case that was just listed");
            let tags: Vec<usize> =
                text.match_indices("\"kind\": \"").map(|(at, tag)| at + tag.len()).collect();
            for start in tags {
                let end = start + text[start..].find('"').expect("a closing quote");
                // Five kinds for each place and others for the next, so that all combinations
                // occur.
                for _ in 0..5 {
                    step += 1;
                    let kind = SyntaxKind::ALL[(step * 7) % SyntaxKind::ALL.len()];
                    let changed = format!("{}{kind}{}", &text[..start], &text[end..]);
                    let value = oracle::read(changed.as_bytes()).expect("JSON as before");
                    let package = Package::from_value(value.clone()).expect("an object");
                    assert_eq!(package.to_value(), value, "{}", path.display());
                    let findings = verify_package(&package, &[&package]);
                    assert!(findings.iter().all(|finding| has_place(&value, &finding.path)), "{findings:#?}");
                }
            }
        }
    }
    assert!(step > 1_000, "{step} changes");
}

/// Whether the JSON pointer has a target in the document.
fn has_place(document: &Value, pointer: &str) -> bool {
    let mut place = Some(document);
    for key in pointer::keys(pointer).expect("a pointer") {
        place = place.and_then(|value| match value.as_list() {
            Some(items) => key.parse::<usize>().ok().and_then(|index| items.get(index)),
            None => value.get(&key),
        });
    }
    place.is_some()
}
