//! §16.3 The cases of the bridge between Terraform and Pulumi: values before and after, the
//! differences of sets by place, and those of lists as Terraform prints them.

use super::{check, text};
use crate::differences::{differences, file};
use coconut_codec::compile::CompileOptions;
use coconut_codec::text::SourceFormat;
use coconut_diff::value::{ListMode, PlacePattern};
use coconut_diff::{Diff, Options, Side};
use coconut_format::Value;
use coconut_testing::testdata;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the cases can be listed") {
        let path = entry.expect("the cases can be listed").path();
        match path.is_dir() {
            true => files(&path, found),
            false => found.push(path),
        }
    }
}

/// The cases whose name has one of these parts, by name.
pub(super) fn cases(folder: &Path, parts: &[&str]) -> BTreeMap<String, String> {
    let mut paths = Vec::new();
    files(folder, &mut paths);
    let named = paths.iter().map(|path| {
        let name = path.strip_prefix(folder).expect("it is in the folder").to_string_lossy().into_owned();
        (name, path)
    });
    named
        .filter(|(name, _)| parts.iter().any(|part| name.contains(part)))
        .map(|(name, path)| (name, fs::read_to_string(path).expect("a case can be read")))
        .collect()
}

/// The list of strings after this name in Go notation, or a note that there is none.
fn go_list(golden: &str, name: &str) -> Option<Vec<String>> {
    let (_, rest) = golden.split_once(&format!("{name}:")).expect("a case has two values");
    let rest = rest.trim_start();
    if rest.starts_with("nil") {
        return None;
    }
    let rest = rest.strip_prefix("&[]string{").expect("the values are lists of strings");
    let (list, _) = rest.split_once('}').expect("the list ends");
    Some(list.split('"').skip(1).step_by(2).map(str::to_owned).collect())
}

/// The place and the kind of each expected difference. Values computed by the provider are missing
/// in a case.
fn expected_of(golden: &str) -> BTreeMap<String, &'static str> {
    let mut found = BTreeMap::new();
    let Some((_, rest)) = golden.split_once("detailedDiff: map[string]interface{}{") else { return found };
    let pieces: Vec<&str> = rest.split("map[string]interface{}{").collect();
    for two in pieces.windows(2) {
        let before = two[0].trim_end().trim_end_matches(':').trim_end_matches('"');
        let (_, name) = before.rsplit_once('"').expect("an entry has a name");
        let (body, _) = two[1].split_once('}').expect("an entry ends");
        let kind = match body.split('"').nth(3).unwrap_or("ADD") {
            kind if kind.starts_with("DELETE") => "remove",
            kind if kind.starts_with("UPDATE") => "update",
            _ => "add",
        };
        let pointer = format!("/{}", name.replace(['[', '.'], "/").replace(']', ""));
        if !pointer.ends_with("/computed") && !pointer.ends_with("/default") {
            found.insert(pointer, kind);
        }
    }
    found
}

fn object(entries: Vec<(&str, Value)>) -> Value {
    Value::Object(entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

fn string(text: &str) -> Value {
    Value::String(text.to_owned())
}

/// A list in the form used by the resource of a case.
fn attribute(name: &str, list: Option<Vec<String>>) -> Vec<(&'static str, Value)> {
    let Some(list) = list else { return Vec::new() };
    let is_block = name.contains("block");
    let items = || Value::List(list.iter().map(|item| string(item)).collect());
    if name.contains("MaxItemsOne") {
        let one = list.first().map(|item| match is_block {
            true => object(vec![("nestedProp", string(item))]),
            false => string(item),
        });
        return one.map(|one| ("prop", one)).into_iter().collect();
    }
    let value = match name {
        _ if name.contains("/nested_set") || name.contains("/nested_list") => match list.is_empty() {
            true => Value::List(Vec::new()),
            false => Value::List(vec![object(vec![("nestedProps", items())])]),
        },
        _ if is_block => {
            Value::List(list.iter().map(|item| object(vec![("nestedProp", string(item))])).collect())
        }
        _ => items(),
    };
    vec![("props", value)]
}

/// A state with one resource.
fn state(attributes: Vec<(&'static str, Value)>) -> Vec<u8> {
    let number = |number: u64| Value::Integer(number.into());
    let attributes = [vec![("id", string("newid"))], attributes].concat();
    let instance = object(vec![("schema_version", number(0)), ("attributes", object(attributes))]);
    let resource = object(vec![
        ("mode", string("managed")),
        ("type", string("crossprovider_test_res")),
        ("name", string("example")),
        ("provider", string("provider[\"registry.terraform.io/hashicorp/crossprovider\"]")),
        ("instances", Value::List(vec![instance])),
    ]);
    text(&object(vec![
        ("version", number(4)),
        ("terraform_version", string("1.5.0")),
        ("serial", number(1)),
        ("lineage", string("")),
        ("outputs", object(Vec::new())),
        ("resources", Value::List(vec![resource])),
    ]))
}

fn json_options() -> CompileOptions {
    CompileOptions { format: Some(SourceFormat::Json), ..CompileOptions::default() }
}

fn place(pattern: &str) -> PlacePattern {
    PlacePattern::parse(pattern).expect("it is a place")
}

#[test]
fn sets_differ_as_the_bridge_to_terraform_says() {
    let Some(folder) = testdata("1-diff/bridge-detailed-diff/sdkv2") else { return };
    let options = Options {
        lists: vec![(place("/**/props"), ListMode::Set), (place("/**/nestedProps"), ListMode::Set)],
        ..Options::default()
    };
    let (mut met, mut not_met) = (0, BTreeSet::new());
    for (name, golden) in cases(&folder, &["DetailedDiffSet", "NestedSets"]) {
        let (mut old, new) = (go_list(&golden, "initialValue"), go_list(&golden, "changeValue"));
        // In the form of the state.
        if let Some(old) = old.as_mut().filter(|_| !name.contains("/nested_list")) {
            old.sort();
            old.dedup();
        }
        let is_alone = [&old, &new].iter().any(|list| list.as_ref().is_none_or(Vec::is_empty));
        let document = |list| file(&state(attribute(&name, list)), &json_options());
        let found = differences(&document(old), &document(new), &options).expect("they can be compared");
        let resources = found["changes"].as_array().expect("it is a list").iter();
        let rows = resources.flat_map(|resource| resource[1].as_array().expect("it is a list"));
        let mut found: BTreeMap<String, &str> = rows
            .filter(|row| row[1] == "value")
            .filter_map(|row| {
                let pointer = row[2].as_str()?.strip_prefix("/instances/0/attributes")?;
                Some((pointer.to_owned(), row[0].as_str()?))
            })
            .collect();
        let expected = expected_of(&golden);
        // For the bridge, a list without items is absent.
        if let Some(&kind) = expected.get("/props").filter(|_| is_alone)
            && !found.is_empty()
            && found.values().all(|found| *found == kind)
        {
            found = BTreeMap::from([("/props".to_owned(), kind)]);
        }
        match found == expected {
            true => met += 1,
            false => drop(not_met.insert(name)),
        }
    }
    assert!(met > 480, "{met} met, {not_met:#?}");
    check("bridge-sets", met, &not_met);
}

/// The number of times each text was removed and added.
type Leaves = BTreeMap<(char, String), usize>;

fn leaves_of(sign: char, value: &Value, found: &mut Leaves) {
    match value {
        Value::List(items) => items.iter().for_each(|item| leaves_of(sign, item, found)),
        Value::Object(entries) => entries.iter().for_each(|(_, below)| leaves_of(sign, below, found)),
        Value::String(text) => *found.entry((sign, text.clone())).or_default() += 1,
        _ => {}
    }
}

/// The texts that a plan prints with a sign.
fn printed(golden: &str) -> Leaves {
    let mut found = Leaves::new();
    let (_, rest) = golden.split_once("tfOut: `").expect("a case has the text of a plan");
    for line in rest.split('`').next().into_iter().flat_map(str::lines) {
        let line = line.split(" # forces").next().unwrap_or_default().trim().trim_end_matches(',');
        let Some((sign, rest)) = line.split_once(' ') else { continue };
        let (name, value) = rest.split_once(" = ").map_or(("", rest), |(name, value)| (name.trim(), value));
        if !["+", "-", "~"].contains(&sign) || ["id", "computed", "default"].contains(&name) {
            continue;
        }
        let mut add = |sign: char, text: &str| {
            let text = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
            text.into_iter().for_each(|text| *found.entry((sign, text.to_owned())).or_default() += 1);
        };
        match (sign, value.split_once(" -> ")) {
            ("+", None) => add('+', value),
            ("-", None) => add('-', value),
            ("-", Some((old, _))) => add('-', old),
            (_, Some((old, new))) if new.starts_with('"') => {
                add('-', old);
                add('+', new);
            }
            _ => {}
        }
    }
    found
}

#[test]
fn lists_differ_as_terraform_prints_it() {
    let Some(folder) = testdata("1-diff/bridge-detailed-diff") else { return };
    let (mut met, mut not_met) = (0, BTreeSet::new());
    for (name, golden) in cases(&folder, &["DetailedDiffList"]) {
        // Terraform compares lists of objects by position.
        let is_of_objects = name.contains("block") || name.contains("nested_attribute");
        let mode = if is_of_objects { ListMode::Index } else { ListMode::Ordered };
        let options = Options { lists: vec![(place("/props"), mode)], ..Options::default() };
        let document = |side: &str| {
            let list = go_list(&golden, side).map(|list| {
                let items = list.iter().map(|item| match is_of_objects {
                    true => object(vec![("nestedProp", string(item))]),
                    false => string(item),
                });
                ("props", Value::List(items.collect()))
            });
            file(&text(&object(list.into_iter().collect())), &json_options())
        };
        let (old, new) = (document("initialValue"), document("changeValue"));
        let (old, new) = (Side::read(old.view()).expect("good"), Side::read(new.view()).expect("good"));
        let mut diff = Diff::of(&old, &new, &options).expect("they can be compared");
        let mut found = Leaves::new();
        for change in diff.front().expect("they can be compared") {
            let (old, new) = (change.difference.revealed_old(), change.difference.revealed_new());
            let sides = [('-', old), ('+', new)];
            for (sign, value) in sides {
                value.into_iter().for_each(|(value, _)| leaves_of(sign, &value.to_value(), &mut found));
            }
        }
        match found == printed(&golden) {
            true => met += 1,
            false => drop(not_met.insert(name)),
        }
    }
    assert!(met > 190, "{met} met, {not_met:#?}");
    check("bridge-lists", met, &not_met);
}
