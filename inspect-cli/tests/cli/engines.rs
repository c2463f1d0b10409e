//! What `diff --events` says of the events of an engine, beside what the engine itself printed. The
//! cases are not part of the repository, and are skipped where they are absent.
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

/// What the engine said of each resource, as a sign of this tool.
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
            // What is read is in the state from then on.
            false if is(&["create", "import", "read"]) => Some("+"),
            false if is(&["delete", "discard"]) => Some("-"),
            false if is(&["update"]) => Some("~"),
            false => None,
        }
    };
    words.into_iter().filter_map(|(urn, words)| Some((urn, sign(&words)?))).collect()
}

/// What the tool finds. The engine has no sign for a move.
fn found(folder: &Path) -> BTreeMap<String, &'static str> {
    let output = run(folder, &["diff", "--events", "eventstream.json", "--as", "json"]);
    let report: Value = serde_json::from_slice(&output.stdout).expect("a report is JSON");
    let mut found = BTreeMap::new();
    for resource in report["resources"].as_array().into_iter().flatten() {
        let counts =
            resource["changes"].as_array().into_iter().flatten().any(|change| change["counts"] == true);
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
fn events_of_an_engine_say_what_the_engine_prints() {
    let Some(folder) = testdata("1-diff/pulumi-lifecycle") else { return };
    let (mut met, mut not_met) = (0, BTreeMap::new());
    for entry in fs::read_dir(&folder).expect("the cases can be listed") {
        let case = entry.expect("the cases can be listed").path();
        let text = fs::read_to_string(case.join("diff.stdout.txt")).expect("a case can be read");
        let (printed, found) = (printed(&text), found(&case));
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
