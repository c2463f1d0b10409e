//! §16.3 Modes of lists and rules of places, as options of jd.

use super::{check, value};
use crate::differences::file;
use coconut_codec::compile::CompileOptions;
use coconut_codec::text::SourceFormat;
use coconut_diff::value::{ListMode, PlacePattern};
use coconut_diff::{Diff, Options, Side, Strict};
use coconut_format::Value;
use coconut_testing::testdata;
use std::collections::BTreeSet;
use std::fs;

/// The options of a case.
#[derive(Default)]
struct Asked {
    lists: Vec<(PlacePattern, ListMode)>,
    /// Places that do not count, or the only ones that count.
    off: Vec<PlacePattern>,
    only: Vec<PlacePattern>,
}

fn place(path: &[Value], rest: &str) -> PlacePattern {
    let steps: String = path.iter().filter_map(Value::as_str).map(|step| format!("/{step}")).collect();
    PlacePattern::parse(&format!("{steps}{rest}")).expect("it is a place")
}

/// The options of a case. `None` if one of them has no counterpart.
fn asked(options: &[Value]) -> Option<Asked> {
    let mut asked = Asked::default();
    for option in options {
        let (path, words) = match (option.get("@"), option.get("^")) {
            (Some(path), Some(words)) => (path.as_list()?, words.as_list()?),
            _ => (&[][..], std::slice::from_ref(option)),
        };
        // An option without a path applies to all lists.
        let of_lists = if path.is_empty() { place(path, "/**") } else { place(path, "") };
        for word in words {
            match word.as_str() {
                Some("SET") => asked.lists.push((of_lists.clone(), ListMode::Set)),
                Some("MULTISET") => asked.lists.push((of_lists.clone(), ListMode::Multiset)),
                Some("DIFF_OFF") if path.is_empty() => {}
                Some("DIFF_OFF") => asked.off.push(place(path, "")),
                Some("DIFF_ON") => asked.only.push(place(path, "")),
                _ => {
                    let keys = word.get("keys").and_then(Value::as_list).filter(|keys| !keys.is_empty())?;
                    let keys = keys.iter().map(|key| Some(key.as_str()?.to_owned().into()));
                    asked.lists.push((of_lists.clone(), ListMode::Key(keys.collect::<Option<_>>()?)));
                }
            }
        }
    }
    Some(asked)
}

/// The removed and added values, as JSON.
fn expected(case: &Value) -> Vec<String> {
    let lines: Vec<&str> = match case.get("expected_output").and_then(Value::as_str) {
        Some(text) => text.lines().collect(),
        None => {
            let groups = case.get("accepted_lines").and_then(Value::as_list).unwrap_or_default();
            groups
                .iter()
                .flat_map(|group| group.as_list().unwrap_or_default())
                .filter_map(Value::as_str)
                .collect()
        }
    };
    let mut rows: Vec<String> = lines
        .into_iter()
        .filter(|line| line.starts_with("- ") || line.starts_with("+ "))
        .map(|line| format!("{}{:?}", &line[..1], value(&line.as_bytes()[2..])))
        .collect();
    rows.sort();
    rows
}

fn found(case: &Value, asked: &Asked) -> Vec<String> {
    let document = |side: &str| {
        let text = case.get(side).and_then(Value::as_str).expect("a case has two documents");
        let options = CompileOptions { format: Some(SourceFormat::Json), ..CompileOptions::default() };
        file(text.as_bytes(), &options)
    };
    let (old, new) = (document("content_a"), document("content_b"));
    let (old, new) = (Side::read(old.view()).expect("good"), Side::read(new.view()).expect("good"));
    let strict = Strict { forms: true, ..Strict::default() };
    let options = Options { lists: asked.lists.clone(), strict, ..Options::default() };
    let mut diff = Diff::of(&old, &new, &options).expect("they can be compared");
    let mut rows = Vec::new();
    for change in diff.front().expect("they can be compared") {
        let pointer = &change.difference.pointer;
        let is_off = asked.off.iter().any(|place| place.covers(pointer));
        let is_only = asked.only.is_empty() || asked.only.iter().any(|place| place.covers(pointer));
        if !change.counts || is_off || !is_only {
            continue;
        }
        let (old, new) = (change.difference.revealed_old(), change.difference.revealed_new());
        for (sign, side) in [("-", old), ("+", new)] {
            rows.extend(side.map(|(node, _)| format!("{sign}{:?}", node.to_value())));
        }
    }
    rows.sort();
    rows
}

#[test]
fn options_of_jd_have_counterparts() {
    let Some(folder) = testdata("1-diff/jd") else { return };
    let cases = value(&fs::read(folder.join("options.json")).expect("the suite can be read"));
    let (mut met, mut not_met) = (0, BTreeSet::new());
    for case in cases.as_list().expect("a suite is a list") {
        let name = case.get("name").and_then(Value::as_str).expect("a case has a name");
        let options = case.get("options").and_then(Value::as_list).unwrap_or_default();
        let found = asked(options).map(|asked| found(case, &asked));
        match found.as_ref() == Some(&expected(case)) {
            true => met += 1,
            false => {
                eprintln!("{name}: {found:?}, and not {:?}", expected(case));
                not_met.insert(name.to_owned());
            }
        }
    }
    check("jd-options", met, &not_met);
}
