//! §16 Cases of other tools: their expected results, and the list of results that differ. The cases
//! are not part of the repository, and are skipped if they are absent.
//!
//! `cases/differences-not-met.tsv` lists the cases that differ, with the reason. It may only
//! shrink. Plans and events are cases of the tool, `inspect-cli/tests/cli/engines.rs`. The files of
//! tf-summarize and helm-diff contain no expected results.

mod bridge;
mod dyff;
mod jd;
mod kubernetes;
mod puppet;

use coconut_codec::compile::{CompileOptions, compile};
use coconut_codec::event::{ValueSink, push};
use coconut_codec::read::file::DocumentFile;
use coconut_codec::text::SourceFormat;
use coconut_codec::text::json::{self, JsonOptions, JsonStyle, Printer};
use coconut_diff::value::{Sameness, Strictness, apply_merge_patch, apply_patch, merge_patch, operations};
use coconut_format::Value;
use coconut_testing::testdata;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const NOT_MET: &str = include_str!("../cases/differences-not-met.tsv");

/// Fails unless exactly the listed cases are not met.
#[track_caller]
fn check(suite: &str, met: usize, not_met: &BTreeSet<String>) {
    let rows = NOT_MET.lines().skip(1).filter_map(|row| row.strip_prefix(suite)?.strip_prefix('\t'));
    let listed: BTreeSet<String> = rows.filter_map(|row| Some(row.split('\t').next()?.to_owned())).collect();
    let new: Vec<_> = not_met.difference(&listed).collect();
    assert!(new.is_empty(), "{met} met, and these are not: {new:#?}");
    let stale: Vec<_> = listed.difference(not_met).collect();
    assert!(stale.is_empty(), "these are met now, and need no row: {stale:#?}");
}

fn value(text: &[u8]) -> Value {
    let mut sink = ValueSink::new();
    json::read(text, &mut sink, &JsonOptions::default()).expect("a case is JSON");
    sink.finish().expect("one value")
}

fn text(value: &Value) -> Vec<u8> {
    let mut printer = Printer::new(Vec::new(), JsonStyle::Minified);
    push(value, &mut printer).expect("memory takes all");
    printer.finish().expect("memory takes all")
}

fn is_same(a: &Value, b: &Value) -> bool {
    Sameness::new(Strictness::default(), u64::MAX).is_same(a, b) == Ok(true)
}

#[test]
fn patches_of_the_suite_for_json_patch_are_applied_as_it_says() {
    let Some(folder) = testdata("1-diff/json-patch-tests") else { return };
    let (mut met, mut not_met) = (0, BTreeSet::new());
    for name in ["tests.json", "spec_tests.json"] {
        let cases = value(&fs::read(folder.join(name)).expect("the suite can be read"));
        for (n, case) in cases.as_list().expect("a suite is a list").iter().enumerate() {
            let (Some(document), Some(patch)) = (case.get("doc"), case.get("patch")) else { continue };
            if case.get("disabled").is_some() {
                continue;
            }
            let is_met = match (apply_patch(document, patch), case.get("expected")) {
                (Ok(found), Some(expected)) => is_same(&found, expected),
                (Ok(_), None) => case.get("error").is_none(),
                (Err(_), _) => case.get("error").is_some(),
            };
            match is_met {
                true => met += 1,
                false => drop(not_met.insert(format!("{name}:{n}"))),
            }
        }
    }
    assert!(met > 100, "{met}");
    check("json-patch-tests", met, &not_met);
}

/// Documents of dyff, Kubernetes and Puppet that are before and after each other.
fn pairs_of_files(folder: &Path) -> Vec<(Value, Value)> {
    let mut found = Vec::new();
    for (path, _) in bridge::cases(folder, &["from.", "-config", "-old.json", "-1.json"]) {
        let others =
            [("from.", "to."), ("-config", "-live"), ("-old.json", "-new.json"), ("-1.json", "-2.json")];
        let other = others.iter().map(|(old, new)| path.replacen(old, new, 1));
        let other = other.filter(|other| *other != path).find(|other| folder.join(other).exists());
        let read = |name: &str| {
            let text = fs::read(folder.join(name)).expect("a case can be read");
            let options = CompileOptions { format: Some(SourceFormat::Yaml), ..CompileOptions::default() };
            // An empty file is not a document here.
            let compiled = compile(&text, &options).ok()?.bytes;
            let file = DocumentFile::from_data(compiled).expect("it was just written");
            Some(file.view().tree().expect("it was just written").root().to_value())
        };
        if let Some((old, new)) = other.and_then(|other| Some((read(&path)?, read(&other)?))) {
            found.push((new.clone(), old.clone()));
            found.push((old, new));
        }
    }
    found
}

#[test]
fn pairs_of_other_tools_have_patches() {
    let Some(folder) = testdata("1-diff") else { return };
    let mut pairs = Vec::new();
    let jd = value(&fs::read(folder.join("jd/core.json")).expect("the suite can be read"));
    for case in jd.as_list().expect("a suite is a list") {
        let side = |key: &str| {
            let text = case.get(key).and_then(Value::as_str)?;
            let mut sink = ValueSink::new();
            json::read(text.as_bytes(), &mut sink, &JsonOptions::default()).ok()?;
            sink.finish()
        };
        pairs.extend(side("content_a").zip(side("content_b")));
    }
    let tests = value(&fs::read(folder.join("json-patch-tests/tests.json")).expect("the suite can be read"));
    for case in tests.as_list().expect("a suite is a list") {
        pairs.extend(case.get("doc").cloned().zip(case.get("expected").cloned()));
    }
    pairs.extend(pairs_of_files(&folder));
    assert!(pairs.len() > 130, "{}", pairs.len());
    for (old, new) in &pairs {
        let mut sameness = Sameness::new(Strictness::VALUES, u64::MAX);
        let found = operations(old, new, &mut sameness).expect("it is small");
        let patch = found.iter().map(|operation| {
            let op = match (operation.old, operation.new) {
                (None, _) => "add",
                (_, None) => "remove",
                _ => "replace",
            };
            let text = |text: &str| Value::String(text.to_owned());
            let mut entries = vec![("op".to_owned(), text(op)), ("path".to_owned(), text(&operation.path))];
            entries.extend(operation.new.map(|new| ("value".to_owned(), new.clone())));
            Value::Object(entries)
        });
        let patched = apply_patch(old, &Value::List(patch.collect())).expect("it was made for this");
        assert!(sameness.is_same(&patched, new) == Ok(true), "{old:?} {new:?}");
        let mut copy = |_: &str, value: &Value| Ok::<_, coconut_diff::value::TooMuchWork>(value.clone());
        if let Ok(Ok(patch)) = merge_patch(old, new, &mut sameness, &mut copy) {
            assert!(sameness.is_same(&apply_merge_patch(old, &patch), new) == Ok(true), "{old:?} {new:?}");
        }
    }
}
