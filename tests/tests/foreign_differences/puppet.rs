//! §16.3 Catalogs of Puppet that octocatalog-diff compares, and differences as it lists them.

use super::{check, text, value};
use crate::differences::{differences, file};
use coconut_codec::compile::CompileOptions;
use coconut_codec::text::SourceFormat;
use coconut_diff::Options;
use coconut_format::Value;
use coconut_testing::testdata;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Differences: a sign, the resource, and the parameter that contains the change.
type Rows = BTreeSet<(char, String, String)>;

fn json_options() -> CompileOptions {
    CompileOptions { format: Some(SourceFormat::Json), ..CompileOptions::default() }
}

/// The resources of a catalog with their parameters, by key.
fn parameters(catalog: &Value) -> BTreeMap<String, BTreeMap<String, Value>> {
    let data = catalog.get("data").unwrap_or(catalog);
    let resources = data.get("resources").and_then(Value::as_list).unwrap_or_default();
    let of = |resource: &Value| {
        let part = |name: &str| resource.get(name).and_then(Value::as_str).map(str::to_owned);
        let parameters = resource.get("parameters").and_then(Value::as_object).unwrap_or_default();
        Some((format!("{}[{}]", part("type")?, part("title")?), parameters.iter().cloned().collect()))
    };
    resources.iter().filter_map(of).collect()
}

/// The items of a list, or a value alone, in any order.
fn references(value: &Value) -> Vec<String> {
    let items = value.as_list().unwrap_or(std::slice::from_ref(value));
    let mut texts: Vec<String> = items.iter().map(|item| format!("{item:?}")).collect();
    texts.sort();
    texts
}

/// A separate comparison: resources by type and title, and their parameters by name.
fn expected(old: &Value, new: &Value) -> Rows {
    let (old, new) = (parameters(old), parameters(new));
    let mut rows = Rows::new();
    for key in old.keys().chain(new.keys()) {
        let (before, after) = match (old.get(key), new.get(key)) {
            (Some(before), Some(after)) => (before, after),
            (None, _) => {
                rows.insert(('+', key.clone(), String::new()));
                continue;
            }
            (_, None) => {
                rows.insert(('-', key.clone(), String::new()));
                continue;
            }
        };
        for name in before.keys().chain(after.keys()) {
            let is_reference = ["before", "notify", "require", "subscribe"].contains(&name.as_str());
            let is_same = match (before.get(name), after.get(name)) {
                (Some(a), Some(b)) if is_reference => references(a) == references(b),
                (a, b) => a == b,
            };
            if !is_same {
                rows.insert(('~', key.clone(), name.clone()));
            }
        }
    }
    rows
}

/// Our result: the parameters among the differences that count.
fn found(old: &Value, new: &Value) -> Rows {
    let document = |value: &Value| file(&text(value), &json_options());
    let found = differences(&document(old), &document(new), &Options::default()).expect("good");
    let mut rows = Rows::new();
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    for resource in found["resources"].as_array().into_iter().flatten() {
        match resource[0].as_str() {
            Some("created") => drop(rows.insert(('+', text(&resource[1]), String::new()))),
            Some("deleted") => drop(rows.insert(('-', text(&resource[1]), String::new()))),
            _ => {}
        }
    }
    for resource in found["changes"].as_array().into_iter().flatten() {
        for change in resource[1].as_array().into_iter().flatten().filter(|change| change[1] == "value") {
            let pointer = text(&change[2]);
            if let Some(below) = pointer.strip_prefix("/parameters/") {
                let name = below.split('/').next().unwrap_or_default();
                rows.insert(('~', text(&resource[0]), name.to_owned()));
            }
        }
    }
    rows
}

fn read(path: &Path) -> Value {
    value(&fs::read(path).expect("a case can be read"))
}

#[test]
fn catalogs_differ_in_the_places_of_their_parameters() {
    let Some(folder) = testdata("1-diff/octocatalog-diff/catalogs") else { return };
    let pairs = [
        ("catalog-1", "catalog-2"),
        ("catalog-1-v4", "catalog-2-v4"),
        ("catalog-empty", "catalog-1"),
        ("catalog-1", "default-catalog-v3"),
        ("filter-single-item-array-1", "filter-single-item-array-2"),
        ("ignore-tags-old", "ignore-tags-new"),
        ("ignore-type-title-attr-1", "ignore-type-title-attr-2"),
        ("include-tags-old", "include-tags-new"),
        ("reference-validation-broken", "reference-validation-broken-2"),
        ("regression-fixnum-1", "regression-fixnum-2"),
    ];
    let (mut met, mut not_met) = (0, BTreeSet::new());
    for (old, new) in pairs {
        let (before, after) =
            (read(&folder.join(format!("{old}.json"))), read(&folder.join(format!("{new}.json"))));
        for (name, old, new) in
            [(format!("{old} {new}"), &before, &after), (format!("{new} {old}"), &after, &before)]
        {
            let (found, expected) = (found(old, new), expected(old, new));
            match found == expected {
                true => met += 1,
                false => {
                    eprintln!("{name}: {found:#?}\nand not {expected:#?}");
                    not_met.insert(name);
                }
            }
        }
    }
    check("octocatalog-pairs", met, &not_met);
}

/// The catalogs for a list of differences.
fn catalogs_of(rows: &[Value]) -> (Value, Value) {
    let mut sides: [BTreeMap<(String, String), Vec<(String, Value)>>; 2] = Default::default();
    for row in rows {
        let row = row.as_list().expect("a difference is a list");
        let place: Vec<&str> = row[1].as_str().expect("it has a place").split('\u{c}').collect();
        for (side, value) in sides.iter_mut().zip(&row[2..4]) {
            let parameters = side.entry((place[0].to_owned(), place[1].to_owned())).or_default();
            if !matches!(value, Value::Null) {
                parameters.push((place[3].to_owned(), value.clone()));
            }
        }
    }
    let string = |text: &str| Value::String(text.to_owned());
    let catalog = |side: BTreeMap<(String, String), Vec<(String, Value)>>| {
        let resources = side.into_iter().map(|((token, title), parameters)| {
            Value::Object(vec![
                ("type".to_owned(), string(&token)),
                ("title".to_owned(), string(&title)),
                ("parameters".to_owned(), Value::Object(parameters)),
            ])
        });
        let data = vec![("resources".to_owned(), Value::List(resources.collect()))];
        Value::Object(vec![
            ("document_type".to_owned(), string("Catalog")),
            ("data".to_owned(), Value::Object(data)),
        ])
    };
    let [old, new] = sides;
    (catalog(old), catalog(new))
}

#[test]
fn each_difference_in_a_list_of_octocatalog_diff_is_found() {
    let Some(folder) = testdata("1-diff/octocatalog-diff") else { return };
    for name in ["changed-and-added", "mountpoint", "string-equality"] {
        let rows = read(&folder.join(format!("diffs/{name}.json")));
        let rows = rows.as_list().expect("it is a list of differences");
        let (old, new) = catalogs_of(rows);
        let expected: Rows = rows
            .iter()
            .filter_map(Value::as_list)
            .filter(|row| row[2] != row[3])
            .map(|row| {
                let place: Vec<&str> = row[1].as_str().unwrap_or_default().split('\u{c}').collect();
                ('~', format!("{}[{}]", place[0], place[1]), place[3].to_owned())
            })
            .collect();
        assert_eq!(found(&old, &new), expected, "{name}");
        if name == "changed-and-added" {
            let catalogs =
                ["catalog-1", "catalog-2"].map(|name| read(&folder.join(format!("catalogs/{name}.json"))));
            assert!(found(&catalogs[0], &catalogs[1]).is_superset(&expected), "{expected:?}");
        }
    }
}
