//! Every package that the Coconut 2017 compilers left behind.

use std::collections::BTreeMap;

use coconut_format::il::{Field, PackageDialect, SyntaxKind, SyntaxWalk, WalkEvent};
use coconut_format::names::{ModuleToken, Token, TypeToken};
use coconut_format::verify::{Severity, verify_package};
use coconut_format::{Package, Value};

use super::corpus;

#[test]
fn every_real_package_encodes_to_the_document_it_came_from() {
    for row in corpus::packages() {
        let document = row.read();
        let package = Package::from_value(document.clone()).expect("an object");
        assert_eq!(package.to_value(), document, "{}", row.file);
    }
}

#[test]
fn every_real_package_consists_of_listed_fields_of_their_types() {
    for row in corpus::packages() {
        let package = row.package();
        let mut walk = SyntaxWalk::new(package.root());
        while let Some(step) = walk.next() {
            let WalkEvent::Enter(node) = step else { continue };
            for (key, field) in node.fields() {
                let place = format!("{}{} {}", row.file, walk.pointer().as_str(), key.as_str());
                let spec = node.spec(key.as_str()).unwrap_or_else(|| panic!("{place}: not listed"));
                let is_null = matches!(field, Field::Value(Value::Null));
                assert!(is_null || !spec.era_of(field).is_empty(), "{place}: {} ", field.phrase());
            }
        }
    }
}

#[test]
fn the_forms_of_a_real_package_show_its_dialect() {
    for row in corpus::packages() {
        let dialects = row.package().dialects();
        let Some(dialect) = row.dialect() else { continue };
        // The index uses dates, and on this day the compilers changed from P2 to P3.
        let is_day_of_change = row.file.contains("/2017-02-13_") && dialects.contains(PackageDialect::P2);
        assert!(
            dialects.contains(dialect) || is_day_of_change,
            "{}: is of {dialect}, its forms are of {dialects}",
            row.file
        );
    }
}

#[test]
fn no_node_of_a_real_package_stays_undecoded() {
    for row in corpus::packages() {
        let package = row.package();
        for step in SyntaxWalk::new(package.root()) {
            let WalkEvent::Enter(node) = step else { continue };
            for (key, field) in node.fields() {
                let is_node = matches!(field, Field::Value(value) if value.get("kind").is_some());
                assert!(!is_node, "{}: `{}` of a `{}`", row.file, key.as_str(), node.kind());
            }
        }
    }
}

#[test]
fn real_packages_have_no_errors_but_the_known_ones() {
    let rows = corpus::packages();
    let known: BTreeMap<(&str, &str), usize> = include_str!("known_breaches.tsv")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| match line.split('\t').collect::<Vec<_>>()[..] {
            [file, rule, count, reason] if !reason.is_empty() => ((file, rule), count.parse().unwrap()),
            _ => panic!("file, rule, count and reason: {line}"),
        })
        .collect();
    let mut found: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.expected_error.is_empty()) {
        let findings = verify_package(&row.package(), &[]);
        for finding in findings.iter().filter(|finding| finding.severity() == Severity::Error) {
            *found.entry((&row.file, finding.rule.id)).or_default() += 1;
        }
    }
    assert!(rows.is_empty() || found == known, "found {found:#?}, known {known:#?}");
}

#[test]
fn real_packages_have_the_errors_that_the_original_toolchain_found() {
    for row in corpus::packages().iter().filter(|row| !row.expected_error.is_empty()) {
        let numbers = row.expected_error.split("error ").skip(1);
        let numbers: Vec<u16> = numbers.filter_map(|rest| rest.get(..3)?.parse().ok()).collect();
        assert!(!numbers.is_empty(), "{}: no number in `{}`", row.file, row.expected_error);
        let findings = verify_package(&row.package(), &[]);
        for number in numbers {
            let is_found = findings.iter().any(|finding| finding.rule.original.contains(&number));
            assert!(is_found, "{}: {number} is not among {findings:?}", row.file);
        }
    }
}

#[test]
fn every_token_of_a_real_package_parses_and_prints_as_it_was() {
    for row in corpus::packages() {
        let package = row.package();
        for step in SyntaxWalk::new(package.root()) {
            let WalkEvent::Enter(node) = step else { continue };
            let Some(text) = node.text("tok") else { continue };
            let printed = match node.kind() {
                SyntaxKind::TypeToken => TypeToken::parse(text).map(|token| token.to_string()),
                SyntaxKind::ModuleToken if text.contains(':') => {
                    ModuleToken::parse(text).map(|token| token.to_string())
                }
                _ => Token::parse(text).map(|token| token.to_string()),
            };
            assert_eq!(printed.as_deref(), Ok(text), "{}", row.file);
        }
    }
}
