//! §14 One fault, one finding: documents are changed in one place, and the fault is reported
//! exactly, in the text and in the compiled document alike.

use coconut_codec::compile::{CompileOptions, compile};
use coconut_codec::event::{ValueSink, push};
use coconut_codec::read::file::DocumentFile;
use coconut_codec::read::verify::{LocatedFinding, verify_document};
use coconut_codec::text::json::{JsonOptions, JsonStyle, Printer, read};
use coconut_codec::text::{RefuseDuplicateKeys, SourceFormat, locate};
use coconut_format::landmark::Dialect;
use coconut_format::pointer::unescape;
use coconut_format::verify::{Finding, verify_graph, verify_package};
use coconut_format::{Package, Value};
use coconut_tests::generate::package;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// The document in a text, if it can be compiled.
fn parse(text: &[u8]) -> Option<Value> {
    let mut sink = RefuseDuplicateKeys::new(ValueSink::new());
    read(text, &mut sink, &JsonOptions::default()).ok()?;
    sink.into_inner().finish()
}

fn print(value: &Value) -> Vec<u8> {
    let mut printer = Printer::new(Vec::new(), JsonStyle::Minified);
    push(value, &mut printer).expect("a value prints");
    printer.finish().expect("memory takes all bytes")
}

/// The rules that the source breaks.
fn in_source(value: &Value) -> Vec<Finding> {
    match Dialect::of(value) {
        Some(dialect) if dialect.document_type == "cocopack" => {
            verify_package(&Package::from_value(value.clone()).expect("an object"), &[])
        }
        Some(dialect) if dialect.document_type == "cocogl" => verify_graph(value, dialect),
        _ => Vec::new(),
    }
}

/// The rules that the document breaks. The source and the compiled document must agree on findings,
/// their order and their places.
fn findings(name: &str, value: &Value) -> Vec<Finding> {
    let text = print(value);
    let expected = in_source(value);
    let compiled = compile(&text, &CompileOptions::default()).expect("what was printed compiles");
    let file = DocumentFile::from_data(&compiled.bytes[..]).expect("a compiled document opens");
    let located = verify_document(file.view(), &[]).expect("a compiled document can be verified");
    let found: Vec<&Finding> = located.iter().map(|located| &located.finding).collect();
    assert_eq!(found, expected.iter().collect::<Vec<_>>(), "{name}");
    let pointers: Vec<&str> = expected.iter().map(|finding| finding.path.as_str()).collect();
    let places = locate(&text, SourceFormat::Json, &pointers).expect("the text is as before");
    for (LocatedFinding { finding, offset }, place) in located.iter().zip(places) {
        let value = file.view().root().pointer(&finding.path).expect("it can be read");
        assert_eq!(value.map(|value| value.offset()), Some(*offset), "{name}: {finding}");
        assert!(place.is_some(), "{name}: {finding}");
    }
    expected
}

/// `RULE pointer: expected / found / hint` of the findings that `changed` has and `whole` has not.
fn added(name: &str, whole: &Value, changed: &Value) -> Vec<String> {
    let before = findings(name, whole);
    let after = findings(name, changed);
    let new = after.into_iter().filter(|finding| !before.contains(finding));
    let text = |part: Option<String>| part.unwrap_or_else(|| "-".to_owned());
    new.map(|Finding { rule, path, expected, found, hint, .. }| {
        format!("{} {path}: {} / {} / {}", rule.id, text(expected), text(found), text(hint))
    })
    .collect()
}

fn at<'v>(value: &'v mut Value, pointer: &str) -> &'v mut Value {
    pointer.split('/').skip(1).fold(value, |value, segment| match value {
        Value::Object(entries) => {
            let segment = unescape(segment);
            let entry = entries.iter_mut().find(|(key, _)| *key == segment);
            &mut entry.unwrap_or_else(|| panic!("no {segment} in {pointer}")).1
        }
        Value::List(items) => &mut items[segment.parse::<usize>().expect("an index")],
        _ => panic!("nothing below {segment} in {pointer}"),
    })
}

fn with(value: &Value, change: impl FnOnce(&mut Value)) -> Value {
    let mut changed = value.clone();
    change(&mut changed);
    changed
}

fn set(value: &mut Value, pointer: &str, text: &str) {
    *at(value, pointer) = Value::String(text.to_owned());
}

fn drop_key(value: &mut Value, pointer: &str, key: &str) {
    let Value::Object(entries) = at(value, pointer) else { panic!("no object at {pointer}") };
    entries.retain(|(other, _)| other != key);
}

fn urn(number: usize) -> String {
    format!("urn:pulumi:s::p::t:m:T::r{number}")
}

/// A deployment of `count` resources, each depending on the three before it.
fn deployment(count: usize) -> Value {
    let mut text = String::from(r#"{"manifest":{},"resources":["#);
    for number in 0..count {
        let needed: Vec<String> =
            (number.saturating_sub(3)..number).map(|other| format!("\"{}\"", urn(other))).collect();
        let comma = if number == 0 { "" } else { "," };
        write!(
            text,
            r#"{comma}{{"urn":"{}","type":"t:m:T","custom":true,"inputs":{{"size":{number}}},"dependencies":[{}]}}"#,
            urn(number),
            needed.join(",")
        )
        .expect("a string takes any text");
    }
    text.push_str("]}");
    parse(text.as_bytes()).expect("JSON")
}

const SIZES: [usize; 2] = [10, 300];

#[test]
fn a_renamed_reference_is_named_with_the_key_that_was_meant() {
    for size in SIZES {
        let whole = deployment(size);
        let changed =
            with(&whole, |value| set(value, "/resources/7/dependencies/1", "urn:pulumi:s::p::t:m:T::r5x"));
        assert_eq!(
            added("deployment", &whole, &changed),
            [
                "GRF-REF /resources/7/dependencies/1: - / `urn:pulumi:s::p::t:m:T::r5x` / did you mean `urn:pulumi:s::p::t:m:T::r5`?"
            ]
        );
    }
}

#[test]
fn a_resource_without_its_key_is_missed_by_those_that_need_it() {
    for size in SIZES {
        let whole = deployment(size);
        let changed = with(&whole, |value| drop_key(value, "/resources/2", "urn"));
        let found = added("deployment", &whole, &changed);
        let places: Vec<&str> =
            found.iter().map(|finding| finding.split(':').next().expect("a part")).collect();
        assert_eq!(
            places,
            [
                "GRF-REF /resources/3/dependencies/2",
                "GRF-REF /resources/4/dependencies/1",
                "GRF-REF /resources/5/dependencies/0",
                "GRF-FIELD /resources/2"
            ]
        );
    }
}

#[test]
fn a_resource_without_its_type_lacks_it() {
    for size in SIZES {
        let whole = deployment(size);
        let changed = with(&whole, |value| drop_key(value, "/resources/0", "type"));
        assert_eq!(
            added("deployment", &whole, &changed),
            ["GRF-FIELD /resources/0: `type` of kind string / a resource without it / -"]
        );
    }
}

#[test]
fn two_swapped_resources_are_out_of_order() {
    for size in SIZES {
        let whole = deployment(size);
        let changed = with(&whole, |value| {
            let Value::List(resources) = at(value, "/resources") else { panic!("a list") };
            resources.swap(4, 5);
        });
        assert_eq!(
            added("deployment", &whole, &changed),
            ["GRF-ORDER /resources/4: - / `urn:pulumi:s::p::t:m:T::r4` after it / -"]
        );
    }
}

#[test]
fn a_closed_cycle_is_given_whole() {
    for size in SIZES {
        let whole = deployment(size);
        let changed = with(&whole, |value| set(value, "/resources/4/dependencies/0", &urn(8)));
        assert_eq!(
            added("deployment", &whole, &changed),
            ["GRF-CYCLE /resources/4: - / `urn:pulumi:s::p::t:m:T::r4` → `urn:pulumi:s::p::t:m:T::r8` → \
              `urn:pulumi:s::p::t:m:T::r5` → `urn:pulumi:s::p::t:m:T::r4` / -"]
        );
    }
}

#[test]
fn a_resource_that_needs_itself_and_one_with_a_taken_key_are_named() {
    for size in SIZES {
        let whole = deployment(size);
        let itself = with(&whole, |value| set(value, "/resources/6/dependencies/2", &urn(6)));
        assert_eq!(added("deployment", &whole, &itself), ["GRF-SELF /resources/6: - / - / -"]);
        let last = size - 1;
        let taken = with(&whole, |value| set(value, &format!("/resources/{last}/urn"), &urn(0)));
        assert_eq!(
            added("deployment", &whole, &taken),
            [format!("GRF-KEY /resources/{last}: - / `{}` / -", urn(0))]
        );
    }
}

#[test]
fn a_renamed_type_token_of_a_package_is_named() {
    let whole = parse(package(60).as_bytes()).expect("JSON");
    let place = "/modules/m0/members/C0/members/p0/type";
    let changed = with(&whole, |value| set(value, &format!("{place}/tok"), "generated:m0:C9x"));
    assert_eq!(
        added("package", &whole, &changed),
        [
            "SYM-TYPE /modules/m0/members/C0/members/p0/type/tok: - / `generated:m0:C9x` / its module has no such class"
        ]
    );
}

#[test]
fn a_dropped_name_of_a_package_is_named() {
    let whole = parse(package(60).as_bytes()).expect("JSON");
    let changed = with(&whole, |value| drop_key(value, "/modules/m1/members/C5", "name"));
    assert_eq!(
        added("package", &whole, &changed),
        ["TREE-MISSING /modules/m1/members/C5: `name`, a node `Identifier` / a `Class` without it / -"]
    );
}

#[test]
fn a_cycle_of_classes_of_a_package_is_named() {
    let whole = parse(package(60).as_bytes()).expect("JSON");
    let changed = with(&whole, |value| {
        set(value, "/modules/m0/members/C0/extends/tok", "generated:m0:C1");
        set(value, "/modules/m0/members/C1/extends/tok", "generated:m0:C0");
    });
    assert_eq!(
        added("package", &whole, &changed),
        [
            "CLS-CYCLE /modules/m0/members/C0/extends: - / `generated:m0:C0` above itself / -",
            "CLS-CYCLE /modules/m0/members/C1/extends: - / `generated:m0:C1` above itself / -"
        ]
    );
}

/// All JSON files below a folder, sorted by path.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let (mut files, mut pending) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(path) = pending.pop() {
        match fs::read_dir(&path) {
            Ok(entries) => pending.extend(entries.map(|entry| entry.expect("a readable entry").path())),
            Err(_) => files.push(path),
        }
    }
    files.retain(|path| path.extension().is_some_and(|ending| ending == "json" || ending == "tfstate"));
    files.sort();
    files
}

/// The documents of the cases and of the corpus that have rules, none of more than 1 MiB.
fn documents() -> Vec<(String, Value)> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = files_below(&here.join("cases"));
    files.extend(coconut_tests::corpus().iter().flat_map(|corpus| files_below(corpus)));
    files.retain(|path| path.metadata().is_ok_and(|file| file.len() <= 1 << 20));
    let documents = files.into_iter().filter_map(|path| {
        let value = parse(&fs::read(&path).ok()?)?;
        Dialect::of(&value)?;
        Some((path.display().to_string(), value))
    });
    documents.collect()
}

#[test]
fn every_document_has_the_same_findings_in_both_forms() {
    let documents = documents();
    assert!(documents.len() > 100, "{} documents", documents.len());
    for (name, value) in &documents {
        findings(name, value);
    }
}

/// Changes a letter in the first string of each document that refers to a resource by its key.
#[test]
fn a_renamed_reference_of_a_real_graph_is_found_in_both_forms() {
    let mut renamed = 0;
    for (name, value) in documents() {
        let dialect = Dialect::of(&value).expect("it was chosen for its dialect");
        if !dialect.name.starts_with("pulumi-") {
            continue;
        }
        let Some(resources) = dialect.patterns[0].strip_suffix("/*[urn]") else { continue };
        let mut changed = value.clone();
        let Value::List(items) = at(&mut changed, resources) else { continue };
        let Some(index) =
            items.iter().position(|item| item.get("parent").is_some_and(|key| key.as_str().is_some()))
        else {
            continue;
        };
        let place = format!("{resources}/{index}/parent");
        let Value::String(parent) = at(&mut changed, &place) else { continue };
        parent.push('x');
        renamed += 1;
        let found = added(&name, &value, &changed);
        assert!(
            found.iter().any(|finding| finding.starts_with(&format!("GRF-REF {place}:"))),
            "{name}: {found:?}"
        );
    }
    println!("{renamed} graphs with a renamed parent");
}

/// An address of the configuration leads to instances whose keys end in their instance key, even in
/// a document with an index.
#[test]
fn configured_addresses_lead_to_instances_in_both_forms() {
    let instance = |n: usize| {
        let before = n.checked_sub(1).map_or(String::new(), |before| format!(r#""t.r{before}""#));
        format!(
            r#"{{"address": "t.r{n}[0]", "mode": "managed", "type": "t", "name": "r{n}", "index": 0, "depends_on": [{before}]}}"#
        )
    };
    let instances: Vec<String> = (0..20).map(instance).collect();
    let text = format!(
        r#"{{"format_version": "1.0", "terraform_version": "1.0.0", "values": {{"root_module": {{"resources": [{}]}}}}}}"#,
        instances.join(",")
    );
    let value = parse(text.as_bytes()).expect("it is good");
    assert_eq!(Dialect::of(&value).map(|dialect| dialect.name), Some("terraform-show"));
    assert_eq!(findings("a state", &value), []);
}
