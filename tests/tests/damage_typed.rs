//! §7, §9 Files that were changed and have matching checksums again, read into Rust types: an
//! error, or the values of the views.

use super::readers::damage::{damage, wanted};
use coconut_codec::Profile;
use coconut_codec::compile::{CompileOptions, compile};
use coconut_codec::event::push;
use coconut_codec::read::file::DocumentFile;
use coconut_codec::read::view::{Content, ValueView};
use coconut_codec::serde::from_view;
use coconut_codec::text::json::{JsonStyle, Printer};
use coconut_format::{DecodeError, Value};
use coconut_tests::checksums::repair;
use coconut_tests::generate::Random;
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use std::collections::BTreeMap;

/// The number of changed files read in an ordinary run.
const CHANGED: usize = 6_000;

/// A resource, with a type for each form of values.
#[derive(Debug, PartialEq, Deserialize)]
struct Resource {
    urn: String,
    #[serde(rename = "type")]
    kind: Kind,
    replicas: Option<u32>,
    offset: i64,
    weight: f64,
    pair: (u8, String),
    tags: BTreeMap<String, String>,
    #[serde(default)]
    children: Vec<Resource>,
    #[serde(flatten)]
    rest: BTreeMap<String, serde_json::Value>,
}

#[derive(Debug, PartialEq, Deserialize)]
enum Kind {
    Custom,
    Component(String),
    Provider { version: String, plugin: Option<bool> },
}

/// A stack that ignores most of its fields.
#[derive(Debug, PartialEq, Deserialize)]
struct Stack {
    name: String,
    resources: Vec<Named>,
}

#[derive(Debug, PartialEq, Deserialize)]
struct Named {
    urn: String,
    weight: f64,
}

/// A stack of several resources, some of which are equal.
fn document() -> String {
    let resource = |n: usize, kind: &str, children: &str| {
        format!(
            r#"{{"urn":"urn:{n}","type":{kind},"replicas":{},"offset":{},"weight":{}.5,"pair":[{n},"p"],
                "tags":{{"Name":"a name of some length","owner":"o{}"}},"children":[{children}],
                "more":{{"list":[1,null,true,"x"],"of":{{"n":{n}}}}}}}"#,
            if n.is_multiple_of(2) { "null" } else { "7" },
            n as i64 * -1000,
            n,
            n % 3,
        )
    };
    let kinds = [r#""Custom""#, r#"{"Component":"c"}"#, r#"{"Provider":{"version":"1","plugin":true}}"#];
    let inner = resource(9, kinds[1], "");
    let resources: Vec<String> =
        (0..12).map(|n| resource(n, kinds[n % 3], if n % 4 == 0 { &inner } else { "" })).collect();
    format!(r#"{{"name":"stack","resources":[{}]}}"#, resources.join(","))
}

/// The value through lazy views alone.
fn viewed(view: ValueView<'_>) -> Result<Value, DecodeError> {
    Ok(match view.content()? {
        Content::Null => Value::Null,
        Content::Bool(value) => Value::Bool(value),
        Content::Integer(value) => Value::Integer(value),
        Content::Float(value) => Value::Float(value),
        Content::String(text) => Value::String(text.to_owned()),
        Content::List(list) => Value::List(list.items().map(|item| viewed(item?)).collect::<Result<_, _>>()?),
        Content::Object(object) => {
            let entry = |entry: Result<(&str, ValueView<'_>), DecodeError>| {
                let (key, value) = entry?;
                Ok((key.to_owned(), viewed(value)?))
            };
            Value::Object(object.iter().map(entry).collect::<Result<_, DecodeError>>()?)
        }
    })
}

/// The result of serde_json for the text of a value.
fn of_text<T: DeserializeOwned>(value: &Value) -> Result<T, serde_json::Error> {
    let mut printer = Printer::new(Vec::new(), JsonStyle::Minified);
    push(value, &mut printer).expect("a vector takes all");
    serde_json::from_slice(&printer.finish().expect("a vector takes all"))
}

/// Reads the file into a type. The result must equal that for the text of the views. A type that
/// reads only a part may not notice a fault of another part.
fn assert_as_viewed<T: DeserializeOwned + PartialEq + std::fmt::Debug>(
    file: &DocumentFile<Vec<u8>>,
    is_whole: bool,
    what: &str,
) -> bool {
    let Ok(typed) = from_view::<T>(file.view().root()) else { return false };
    match viewed(file.view().root()) {
        Ok(value) => match of_text::<T>(&value) {
            Ok(expected) => assert_eq!(typed, expected, "{what}"),
            // Equal keys are refused by one of them, and accepted by the other.
            Err(error) => assert!(file.view().check_values().is_err(), "{what}: {error}"),
        },
        Err(error) => assert!(!is_whole, "{what}: the views say {error}, the type {typed:?}"),
    }
    true
}

#[test]
fn types_read_the_values_of_views_or_nothing() {
    let files: Vec<(&str, Vec<u8>)> = Profile::ALL
        .into_iter()
        .map(|profile| {
            let options = CompileOptions { profile, ..CompileOptions::default() };
            (profile.name(), compile(document().as_bytes(), &options).expect("a good document").bytes)
        })
        .collect();
    let (mut random, mut read, mut refused) = (Random::new(27), 0, 0);
    for number in 0..wanted(CHANGED) {
        let (name, bytes) = random.pick(&files);
        let (changes, mut bytes) = damage(&mut random, bytes);
        repair(&mut bytes);
        let what = format!("{number}, {name}{changes}");
        let Ok(file) = DocumentFile::from_data(bytes) else { continue };
        // An ignored value is skipped, whatever it is.
        let _: Result<IgnoredAny, _> = from_view(file.view().root());
        let all = assert_as_viewed::<serde_json::Value>(&file, true, &what);
        read += usize::from(all);
        refused += usize::from(!all);
        assert_as_viewed::<StackOfResources>(&file, true, &what);
        assert_as_viewed::<Stack>(&file, false, &what);
    }
    assert!(read > 1000 && refused > 1000, "{read} read, {refused} refused");
}

/// A stack that reads everything.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct StackOfResources {
    name: String,
    resources: Vec<Resource>,
}
