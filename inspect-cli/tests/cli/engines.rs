//! The results of `diff --events` for the events of an engine, compared with the output of the
//! engine. The cases are not part of the repository, and are skipped if they are absent.
//!
//! `cases/events-not-met.tsv` lists the cases that differ, with the reason. It may only shrink.

use crate::runs::run;
use coconut_testing::testdata;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

const NOT_MET: &str = include_str!("../cases/events-not-met.tsv");

/// The text without the marks of colours.
fn uncoloured(text: &str) -> String {
    let mut pieces = text.split("<{%");
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        plain.push_str(piece.split_once("%}>").map_or(piece, |(_, rest)| rest));
    }
    plain
}

/// The engine's output for each resource, as a sign of this tool.
fn printed(text: &str) -> BTreeMap<String, &'static str> {
    let mut words: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut last = None;
    for line in uncoloured(text).lines() {
        if let Some(urn) = line.trim().strip_prefix("[urn=").and_then(|rest| rest.strip_suffix(']')) {
            let word: Option<String> = last.take();
            words.entry(urn.to_owned()).or_default().extend(word);
        } else if let Some((_, word)) = line.split_once(": (")
            && let Some((word, _)) = word.split_once(')')
        {
            last = Some(word.to_owned());
        }
    }
    let sign = |words: &BTreeSet<String>| {
        let is = |names: &[&str]| words.iter().any(|word| names.iter().any(|name| word.starts_with(name)));
        match words.iter().any(|word| word.contains("replace")) {
            true => Some("-/+"),
            // A resource that is read is in the state from then on.
            false if is(&["create", "import", "read"]) => Some("+"),
            false if is(&["delete", "discard"]) => Some("-"),
            false if is(&["update"]) => Some("~"),
            false => None,
        }
    };
    words.into_iter().filter_map(|(urn, words)| Some((urn, sign(&words)?))).collect()
}

/// The result of the tool. The engine has no sign for a move.
fn found(events: &Path) -> BTreeMap<String, &'static str> {
    let folder = events.parent().expect("events are in a folder");
    let file = events.to_string_lossy();
    let output = run(folder, &["diff", "--events", &file, "--as", "json"]);
    let report: Value = serde_json::from_slice(&output.stdout).expect("a report is JSON");
    let mut found = BTreeMap::new();
    for resource in report["resources"].as_array().into_iter().flatten() {
        let changes = resource["changes"].as_array().into_iter().flatten();
        let counted: Vec<&Value> = changes.filter(|change| change["counts"] == true).collect();
        // Below a stack, the engine prints its outputs without a sign.
        let is_output =
            |change: &&Value| change["pointer"].as_str().is_some_and(|at| at.starts_with("/outputs"));
        if resource["type"] == "pulumi:pulumi:Stack"
            && resource["action"] == "changed"
            && counted.iter().all(is_output)
        {
            continue;
        }
        let counts = !counted.is_empty();
        let sign = match resource["action"].as_str() {
            Some("created") => "+",
            Some("deleted") => "-",
            Some("replaced") => "-/+",
            Some("moved") if !counts => continue,
            _ => "~",
        };
        let mut insert = |key: &str| {
            if let Some(key) = resource[key].as_str() {
                found.insert(key.to_owned(), sign);
            }
        };
        insert("key");
        if sign == "-/+" {
            insert("old_key");
        }
    }
    found
}

#[test]
fn events_of_an_engine_match_its_output() {
    let Some(folder) = testdata("1-diff/pulumi-lifecycle") else { return };
    let (mut met, mut not_met) = (0, BTreeMap::new());
    for entry in fs::read_dir(&folder).expect("the cases can be listed") {
        let case = entry.expect("the cases can be listed").path();
        let text = fs::read_to_string(case.join("diff.stdout.txt")).expect("a case can be read");
        let (printed, found) = (printed(&text), found(&case.join("eventstream.json")));
        match printed == found {
            true => met += 1,
            false => {
                let differs = |(key, sign): (&String, &&str)| printed.get(key) != Some(sign);
                let name = case.file_name().map(|name| name.to_string_lossy().into_owned());
                let more: Vec<_> = found.iter().filter(|&(key, sign)| differs((key, sign))).collect();
                not_met.insert(name.unwrap_or_default(), format!("{more:?} and not {printed:?}"));
            }
        }
    }
    let listed: BTreeSet<&str> = NOT_MET.lines().skip(1).filter_map(|row| row.split('\t').next()).collect();
    let new: Vec<_> = not_met.iter().filter(|(name, _)| !listed.contains(name.as_str())).collect();
    assert!(new.is_empty(), "{met} met, and these are not: {new:#?}");
    let stale: Vec<_> = listed.iter().filter(|name| !not_met.contains_key(**name)).collect();
    assert!(stale.is_empty(), "these are met now, and need no row: {stale:#?}");
}

#[test]
fn events_of_the_display_match_its_output() {
    let Some(folder) = testdata("1-diff/pulumi-display") else { return };
    let mut count = 0;
    for name in ["json-yaml", "not-truncated"] {
        for entry in fs::read_dir(folder.join(name)).expect("the cases can be listed") {
            let case = entry.expect("the cases can be listed").path();
            if case.extension().is_none_or(|extension| extension != "json") {
                continue;
            }
            let text =
                fs::read_to_string(case.with_extension("json.stdout.txt")).expect("a case can be read");
            let (mut printed, mut found) = (printed(&text), found(&case));
            // The rest of an earlier replacement is deleted, which the engine calls a replacement.
            if case.ends_with("failed-stacks-dont-rewrite-operations.json") {
                let urn = "urn:pulumi:dev::test::pulumi-python:dynamic:Resource::test-r";
                assert_eq!((printed.remove(urn), found.remove(urn)), (Some("-/+"), Some("-")));
            }
            // The meaning of a text has not changed.
            if name == "json-yaml" {
                assert_eq!((printed.len(), found.len()), (1, 0), "{}", case.display());
                printed.clear();
            }
            assert_eq!(found, printed, "{}", case.display());
            count += 1;
        }
    }
    assert!(count >= 9, "{count} cases");
}

#[test]
fn changed_outputs_of_a_stack_are_reported() {
    let Some(folder) = testdata("1-diff/pulumi-lifecycle") else { return };
    let found = |name: &str| {
        let output = run(
            &folder.join(name),
            &["diff", "--events", "eventstream.json", "--type", "pulumi:pulumi:Stack"],
        );
        String::from_utf8(output.stdout).expect("what the tool prints is UTF-8")
    };
    let text = found("167086d1-TestStackOutputsProgramError_1");
    assert!(text.contains("    ~ outputs.first = \"step 0\" → \"step 1\"\n1 changed\n"), "{text}");
}
