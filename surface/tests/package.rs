//! Translations of other systems' schemas to packages and to Pulumi schemas.

use coconut_codec::event::ValueSink;
use coconut_format::verify::verify_as_package;
use coconut_format::{Kind, Node, Value};
use coconut_surface::write::{
    ConvertError, LOST, Outliner, PackageOptions, StreamError, TranslationFinding, push_package,
    push_package_by_parts, push_pulumi_schema, source_places,
};
use coconut_surface::{self as surface, Direction, Level, Package, Renames, Role, Severity};
use coconut_testing::{corpus, oracle, testdata};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

fn read(path: impl AsRef<Path>) -> Value {
    let path = path.as_ref();
    let text = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    oracle::read(&text).expect("it is there")
}

/// The case files of §20, each with two schemas.
fn case(name: &str) -> [Value; 2] {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/tests/api/cases");
    let document = read(folder.join(format!("{name}.json")));
    ["old", "new"].map(|key| document.get(key).expect("it is there").clone())
}

const DIALECTS: [&str; 5] = ["terraform", "pulumi", "cloudformation", "kubernetes-crd", "kubernetes-openapi"];

fn as_package(schema: &Value) -> (Value, Vec<TranslationFinding>) {
    let package = surface::read_whole(schema).expect("it is there");
    let mut sink = ValueSink::new();
    let findings = push_package(&package, PackageOptions::default(), &mut sink).expect("it is there");
    (sink.finish().expect("it is there"), findings)
}

fn as_pulumi_schema(package: &Value) -> (Value, Vec<TranslationFinding>) {
    let package = surface::read_whole(package).expect("it is there");
    let mut sink = ValueSink::new();
    let findings = push_pulumi_schema(&package, &mut sink).expect("it is there");
    (sink.finish().expect("it is there"), findings)
}

/// The package of a schema. Checks that there are no findings and that the result is the same each
/// time.
fn checked_package(schema: &Value) -> (Value, Vec<TranslationFinding>) {
    let (package, findings) = as_package(schema);
    assert_eq!(verify_as_package(package.clone(), &[]), []);
    assert_eq!(as_package(schema).0, package);
    (package, findings)
}

/// The package of a text that is read in parts; `None` if it must be read as a whole.
fn by_parts(text: &[u8]) -> Option<(Value, Vec<TranslationFinding>)> {
    let mut outliner = Outliner::new();
    text.chunks(1000).for_each(|piece| outliner.feed(piece));
    let outline = outliner.finish()?;
    let mut sink = ValueSink::new();
    let at = |offset: u64| usize::try_from(offset).expect("it is in a text");
    let part = |range: Range<u64>, into: &mut Vec<u8>| {
        into.extend_from_slice(&text[at(range.start)..at(range.end)]);
        Ok::<_, ()>(())
    };
    match push_package_by_parts(&outline, part, PackageOptions::default(), &mut sink) {
        Ok((_, findings)) => Some((sink.finish().expect("it is there"), findings)),
        Err(StreamError::Unfit) => None,
        Err(error) => panic!("{error:?}"),
    }
}

#[test]
fn a_schema_by_the_part_becomes_the_package_of_the_whole() {
    for (name, schema) in DIALECTS.iter().flat_map(|name| case(name).map(|schema| (name, schema))) {
        let fits = matches!(*name, "terraform" | "pulumi");
        let found = by_parts(text(&schema).as_bytes());
        assert_eq!(found.is_some(), fits, "{name}");
        assert!(found.is_none_or(|found| found == as_package(&schema)), "{name}");
    }
}

/// A Terraform schema of one module with this many bytes. Records of several resources would share
/// a name, and names are not legal.
fn schema_of_one_module(bytes: usize) -> String {
    const RESOURCES: usize = 60;
    let doc = "x".repeat(bytes / RESOURCES);
    let object = r#"["object", {"d-e": "string"}]"#;
    let resource = |number: usize| {
        let parent = number / 2;
        let (name, attribute) = match number % 2 {
            0 => (format!("big_one_r{parent}"), "b_c"),
            _ => (format!("big_one_r{parent}_b"), "c"),
        };
        format!(
            r#""{name}": {{"block": {{"description": "{doc}",
            "attributes": {{"{attribute}": {{"type": {object}, "optional": true}}}}}}}}"#
        )
    };
    let [resources, data] = [0, 1].map(|from| (from..RESOURCES).map(resource).collect::<Vec<_>>().join(","));
    format!(
        r#"{{"format_version": "1.0", "provider_schemas": {{"r/n/big": {{"provider": {{"block": {{}}}},
        "data_source_schemas": {{{data}}}, "resource_schemas": {{{resources}}}}}}}}}"#
    )
}

#[test]
fn a_module_that_is_read_in_parts_is_that_of_the_whole() {
    let schema = schema_of_one_module(3 << 20);
    let (package, findings) = by_parts(schema.as_bytes()).expect("it is there");
    let whole = as_package(&oracle::read(schema.as_bytes()).expect("it is there"));
    assert!(findings.len() > 100, "{}", findings.len());
    assert_eq!(findings, whole.1);
    assert!(package == whole.0);
}

#[test]
fn types_that_stand_for_others_are_known_in_each_part() {
    let doc = "x".repeat(3 << 20);
    let schema = format!(
        r##"{{"name": "a", "types": {{
        "a:m:Text": {{"type": "string", "enum": [{{"value": "x"}}]}},
        "a:m:Number": {{"type": "integer", "enum": [{{"value": 1}}]}},
        "a:m:Any": {{"enum": [{{"value": 1}}, {{"value": "1"}}]}},
        "a:m:List": {{"type": "array", "items": {{"$ref": "#/types/a:m:Text"}}}},
        "a:m:Object": {{"type": "object", "properties": {{"x": {{"$ref": "#/types/a:m:List"}}}}}}}},
        "resources": {{
        "a:m:One": {{"description": "{doc}", "properties": {{"x": {{"$ref": "#/types/a:m:Text"}}}}}},
        "a:n:Two": {{"description": "{doc}", "properties": {{
            "t": {{"$ref": "#/types/a:m:Text"}}, "n": {{"$ref": "#/types/a:m:Number"}},
            "a": {{"$ref": "#/types/a:m:Any"}}, "l": {{"$ref": "#/types/a:m:List"}},
            "o": {{"$ref": "#/types/a:m:Object"}}, "r": {{"$ref": "#/resources/a:m:One"}}}}}}}}}}"##
    );
    let found = by_parts(schema.as_bytes()).expect("it is there");
    assert!(found == as_package(&oracle::read(schema.as_bytes()).expect("it is there")));
}

#[test]
fn a_text_that_is_faulty_or_not_a_schema_is_left_to_the_whole_reader() {
    for text in [
        r#"{"name": "a", "resources": {"x": {}}}"#,
        r#"{"name": "a", "resources": {"a:b:C": {"properties": {"x": nothing}}}}"#,
        r#"{"name": "a", "resources": {"a:b:C": {"properties": {"x": {}, "x": {}}}}}"#,
        r#"{"name": "a", "resources": {"a:b:C": {}, "a:b:C": {}}}"#,
        r#"{"name": "a", "resources": {"a:b:C": {}}, "types": {"a:b:D": {}"#,
        r#"{"resources": {"a": {"type": "t"}}, "package": "p"}"#,
    ] {
        assert!(by_parts(text.as_bytes()).is_none(), "{text}");
    }
}

/// A document as indented JSON.
fn text(value: &Value) -> String {
    use coconut_codec::text::json::{JsonStyle, Printer};
    let mut bytes = Vec::new();
    let mut printer = Printer::new(&mut bytes, JsonStyle::Pretty { indent: 2 }).with_final_newline();
    coconut_codec::event::push(value, &mut printer).expect("it is there");
    printer.finish().expect("it is there");
    String::from_utf8(bytes).expect("it is there")
}

/// Compares a result with its file, which `COCONUT_BLESS=1` rewrites.
fn check_file(name: &str, found: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/package").join(name);
    if std::env::var_os("COCONUT_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().expect("it is there")).expect("it is there");
        std::fs::write(&path, found).expect("it is there");
    }
    assert_eq!(std::fs::read_to_string(path).expect("it is there"), found);
}

#[test]
fn each_dialect_has_a_package_that_keeps_the_rules() {
    for name in DIALECTS {
        for schema in case(name) {
            checked_package(&schema);
        }
        let (package, findings) = checked_package(&case(name)[0]);
        let lines: Vec<String> =
            findings.iter().map(|one| format!("{} {one} at {}\n", one.kind.code(), one.pointer)).collect();
        check_file(&format!("{name}.cocopack.json"), &text(&package));
        check_file(&format!("{name}.findings"), &lines.concat());
    }
}

#[test]
fn a_package_becomes_a_pulumi_schema() {
    for name in DIALECTS {
        let (package, _) = checked_package(&case(name)[1]);
        let (schema, _) = as_pulumi_schema(&package);
        assert_eq!(surface::Dialect::of(&schema), Some(surface::Dialect::Pulumi), "{name}");
        check_file(&format!("{name}.pulumi.json"), &text(&schema));
    }
    let (schema, findings) = as_pulumi_schema(&case("cocopack")[1]);
    check_file("cocopack.pulumi.json", &text(&schema));
    let lines: Vec<String> = findings.iter().map(|one| format!("{} {one}\n", one.kind.code())).collect();
    check_file("cocopack.findings", &lines.concat());
}

#[test]
fn changes_of_schemas_are_changes_of_their_packages() {
    // A breaking change of the schema is breaking for its package, too.
    for name in DIALECTS {
        let schemas = case(name);
        let packages = schemas.each_ref().map(|schema| checked_package(schema).0);
        let breaking = |documents: &[Value; 2]| {
            let [old, new] =
                documents.each_ref().map(|document| surface::read(document).expect("it is there"));
            let found = surface::compare(&old, &new, &Renames::default(), Level::Exact);
            let rules = found.changes.iter().filter(|change| change.severity == Severity::Breaking);
            rules.map(|change| change.rule.id).collect::<BTreeSet<&str>>()
        };
        let (of_schemas, of_packages) = (breaking(&schemas), breaking(&packages));
        // In a package, the arguments of a function are a record, whose members are properties. A
        // package has no settings (§20.1): that a schema was closed is known from the schema alone.
        let other = ["API-CLOSED", "API-SIGNATURE", "API-INPUT-GONE", "API-OUTPUT-GONE", "API-RENAMED"];
        for rule in of_schemas.iter().filter(|rule| !other.contains(rule)) {
            assert!(of_packages.contains(rule), "{name}: {rule} is not in {of_packages:?}");
        }
    }
}

#[test]
fn illegal_names_are_changed_and_reported() {
    let schema = r#"{"provider_schemas": {"acme/my cloud": {"resource_schemas": {
        "cloud_a-b": {"block": {"attributes": {"x-y": {"type": "string", "optional": true},
            "x_y": {"type": "string", "optional": true}, "9": {"type": "bool", "optional": true}}}},
        "cloud_a_b": {"block": {}}, "cloud_A.b": {"block": {}}}}}}"#;
    let (package, findings) = checked_package(&oracle::read(schema.as_bytes()).expect("it is there"));
    let told: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert_eq!(package.get("name").and_then(Value::as_str), Some("my_cloud"));
    assert_eq!(
        told,
        [
            "`cloud_A.b` is named `index:AB_1`",
            "`x-y` of `cloud_a-b` is named `x_y`",
            "`x_y` of `cloud_a-b` is named `x_y_2`",
            "`9` of `cloud_a-b` is named `_9`",
        ]
    );
}

#[test]
fn enums_without_a_name_give_way_to_types_and_to_each_other() {
    let schema = r##"{"typeName": "Acme::Desk::Call", "definitions": {
        "Kind": {"type": "string", "pattern": "a|b"},
        "Part": {"type": "object", "properties": {"ab": {"enum": ["x"], "type": "string"},
            "a_b": {"enum": ["y"], "type": "string"}}}},
        "properties": {"Kind": {"type": "string", "enum": ["a", "b"]},
            "Used": {"$ref": "#/definitions/Kind"}, "Part": {"$ref": "#/definitions/Part"}},
        "readOnlyProperties": [], "primaryIdentifier": ["/properties/Kind"]}"##;
    let (package, _) = checked_package(&oracle::read(schema.as_bytes()).expect("it is there"));
    let (schema, findings) = as_pulumi_schema(&package);
    let types = schema.get("types").and_then(Value::as_object).expect("it is there");
    let tokens: Vec<&str> = types.iter().map(|(token, _)| &**token).collect();
    assert!(tokens.contains(&"Acme:Desk:CallKind_2"), "{tokens:?}");
    let told: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert!(
        told.contains(&"`Kind` of `Acme:Desk:Call` is named `Acme:Desk:CallKind_2`".to_owned()),
        "{told:?}"
    );
}

#[test]
fn a_pulumi_schema_has_its_tokens_again_after_a_package() {
    let schema = r##"{"name": "a-b", "meta": {"moduleFormat": "(.*)(?:/[^/]*)"}, "types": {
        "a-b:index/T:T": {"type": "object", "properties": {"x": {"type": "string"}}}},
        "resources": {"a-b:index/r:R": {"properties": {"t": {"$ref": "#/types/a-b:index%2FT:T"}},
            "inputProperties": {"t": {"$ref": "#/types/a-b:index%2FT:T", "willReplaceOnChanges": true}}}},
        "functions": {"a-b:index/getR:getR": {"inputs": {"properties": {"x": {"type": "string"}}},
            "outputs": {"properties": {"t": {"$ref": "#/types/a-b:index%2FT:T"}}}},
            "pulumi:providers:a-b/config": {"inputs": {"properties": {"x": {"type": "string"}}}}}}"##;
    let schema = oracle::read(schema.as_bytes()).expect("it is there");
    let (package, _) = checked_package(&schema);
    let (back, findings) = as_pulumi_schema(&package);
    assert_eq!(findings, []);
    assert_eq!(back.get("meta"), schema.get("meta"));
    let [old, new] = [&schema, &back].map(|document| surface::read(document).expect("it is there"));
    assert_eq!(surface::compare(&old, &new, &Renames::default(), Level::Exact).changes, []);
    // If the package has another name, each token uses it, which is reported.
    let mut sink = ValueSink::new();
    let options = PackageOptions { name: Some("c"), ..PackageOptions::default() };
    push_package(&old, options, &mut sink).expect("it is there");
    let (renamed, findings) = as_pulumi_schema(&sink.finish().expect("it is there"));
    let resources = renamed.get("resources").and_then(Value::as_object).expect("it is there");
    assert_eq!(resources[0].0, "c:index/r:R");
    let told: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert!(told.contains(&"`c:index:R` is named `c:index/r:R`".to_owned()), "{told:?}");
}

/// For each token of a class: its members with their directions.
fn members(package: &Package<'_>, role: Role) -> BTreeMap<String, BTreeSet<String>> {
    let of = |members| package.members(members).iter().map(|member| plain(member.name)).collect();
    package
        .of_role(role)
        .map(|one| (plain(one.token.rsplit(':').next().expect("it is there")), of(one.members)))
        .collect()
}

/// A name without the difference between `snake_case` and `camelCase`, and without a plural ending.
fn plain(name: &str) -> String {
    let letters: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    letters.to_ascii_lowercase().trim_end_matches('s').to_owned()
}

/// Pulumi schemas that a bridge generated from provider schemas.
fn bridged() -> Vec<(PathBuf, Value)> {
    let mut pending: Vec<PathBuf> = testdata("2-interchange/provider-to-pulumi-schema").into_iter().collect();
    let mut found = Vec::new();
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            let entries = path.read_dir().expect("it can be listed");
            pending.extend(entries.map(|entry| entry.expect("it can be listed").path()));
        } else if let Ok(schema) = oracle::read(&std::fs::read(&path).expect("it is there"))
            && surface::Dialect::of(&schema) == Some(surface::Dialect::Pulumi)
            && surface::read(&schema).is_ok()
        {
            found.push((path, schema));
        }
    }
    found
}

#[test]
fn pulumi_schemas_that_a_bridge_made_survive_the_way_through_a_package() {
    for (path, schema) in bridged() {
        let path = path.display();
        let (package, findings) = checked_package(&schema);
        let names: Vec<&TranslationFinding> = findings.iter().filter(|one| one.kind.code() != LOST).collect();
        assert!(names.is_empty(), "{path}: {names:?}");
        let (back, _) = as_pulumi_schema(&package);
        let (before, after) =
            (surface::read(&schema).expect("it is there"), surface::read(&back).expect("it is there"));
        for role in [Role::Class, Role::Function] {
            let (before, after) = (members(&before, role), members(&after, role));
            for (token, members) in &before {
                assert_eq!(Some(members), after.get(token), "{path}: {token}");
            }
        }
        // Each type has its members, unless it is only a name for another type.
        let (of_types, after_types) = (members(&before, Role::Type), members(&after, Role::Type));
        for (token, members) in &of_types {
            assert_eq!(Some(members), after_types.get(token), "{path}: {token}");
        }
        let inputs = |package: &Package<'_>| {
            let all = package.of_role(Role::Class).flat_map(|class| package.members(class.members));
            all.filter(|member| member.direction == Direction::In && member.is_required).count()
        };
        assert_eq!(inputs(&before), inputs(&after), "{path}");
    }
}

/// The figures of `schema-tools stats`: resources, functions, and inputs and outputs of resources,
/// including the properties of referenced types.
fn stats(schema: &Value) -> [usize; 4] {
    let entries =
        |value: &Value, key: &str| value.get(key).map_or(0, |one| one.as_object().map_or(0, <[_]>::len));
    let of = |key: &str| schema.get(key).and_then(Value::as_object).unwrap_or_default();
    let types: BTreeMap<&str, &Value> = of("types").iter().map(|(token, one)| (&**token, one)).collect();
    let (mut inputs, mut outputs, mut names, mut seen) = (0, 0, BTreeSet::new(), BTreeSet::new());
    for (token, resource) in of("resources") {
        let parts: Vec<&str> = token.split(':').collect();
        // The configuration and the provider are classes of a package, too.
        if matches!(parts[1..], ["index", "Config" | "Provider"]) {
            continue;
        }
        let module = parts[1]
            .split_once('/')
            .filter(|(_, rest)| !rest.contains('/'))
            .map_or(parts[1], |(first, _)| first);
        if !names.insert((module, parts[2])) {
            continue;
        }
        inputs += entries(resource, "inputProperties");
        outputs += entries(resource, "properties");
        let mut pending: Vec<&Value> =
            ["inputProperties", "properties"].iter().filter_map(|key| resource.get(key)).collect();
        while let Some(bag) = pending.pop() {
            for (_, property) in bag.as_object().unwrap_or_default() {
                let Some(reference) = property.get("$ref").and_then(Value::as_str) else { continue };
                let token = reference.trim_start_matches("#/types/").replace("%2F", "/");
                let Some((token, found)) = types.get_key_value(&*token) else { continue };
                if seen.insert(*token) {
                    inputs += entries(found, "properties");
                    outputs += entries(found, "properties");
                    pending.extend(found.get("properties"));
                }
            }
        }
    }
    [names.len(), of("functions").len(), inputs, outputs]
}

#[test]
fn figures_of_pulumi_schemas_stay_on_the_way_through_a_package() {
    let of_corpus =
        corpus().map(|corpus| corpus.join("pulumi/schema/github/2026-08-14-a6e4906e.schema.json"));
    let of_corpus = of_corpus.filter(|path| path.is_file()).map(|path| (path.clone(), read(&path)));
    for (path, schema) in bridged().into_iter().chain(of_corpus) {
        let (package, _) = as_package(&schema);
        assert_eq!(stats(&as_pulumi_schema(&package).0), stats(&schema), "{}", path.display());
    }
}

#[test]
fn every_schema_of_the_corpus_becomes_a_package_without_findings() {
    let Some(corpus) = corpus() else { return };
    let index = std::fs::read_to_string(corpus.join("INDEX.tsv")).expect("it is there");
    let (mut count, mut in_parts) = (0, 0);
    for row in index.lines().skip(1) {
        let mut cells = row.split('\t');
        let (file, kind) = (cells.next().expect("it is there"), cells.next().expect("it is there"));
        if !["pulumi-schema", "cfn-resource-schema", "tf-provider-schema"].contains(&kind) {
            continue;
        }
        let source = std::fs::read(corpus.join(file)).expect("it is there");
        let Ok(document) = oracle::read(&source) else { continue };
        if document.kind() != Kind::Object || surface::read(&document).is_err() {
            continue;
        }
        let (package, findings) = as_package(&document);
        count += 1;
        if let Some(found) = by_parts(&source) {
            assert!(found == (package.clone(), findings), "{file}");
            in_parts += 1;
        }
        // Verifying the largest schema takes a minute without optimization.
        if kind == "tf-provider-schema" && std::env::var_os("COCONUT_DEEP").is_none() {
            continue;
        }
        let findings = verify_as_package(package, &[]);
        assert_eq!(findings.first().map(ToString::to_string), None, "{file}");
    }
    assert!(count > 120 && in_parts > 8, "{count}, {in_parts}");
}

#[test]
fn the_configuration_and_the_provider_come_back_as_such() {
    let schema = oracle::read(
        br##"{"name": "cloud", "config": {"variables": {"region": {"type": "string"}, "token": {"type": "string",
                "secret": true}}, "defaults": ["region"]},
            "provider": {"inputProperties": {"region": {"type": "string"}}, "requiredInputs": ["region"]},
            "resources": {"cloud:index:Vm": {"inputProperties": {"name": {"type": "string"}}}}}"##,
    )
    .expect("it is JSON");
    let (package, findings) = checked_package(&schema);
    assert_eq!(findings, []);
    let (back, findings) = as_pulumi_schema(&package);
    assert_eq!(findings, []);
    let text = |key: &str| back.get(key).map(ToString::to_string).unwrap_or_default();
    for key in ["region", "token", "defaults"] {
        assert!(text("config").contains(key), "{key}: {}", text("config"));
    }
    assert!(text("provider").contains("requiredInputs"), "{}", text("provider"));
    let names: Vec<&str> = back
        .get("resources")
        .and_then(Value::as_object)
        .unwrap_or_default()
        .iter()
        .map(|(token, _)| &**token)
        .collect();
    assert_eq!(names, ["cloud:index:Vm"]);
    assert_eq!(members_in(&back), members_in(&schema));
}

/// The number of members of the provider and its configuration, and the number of required ones.
fn members_in(schema: &Value) -> [usize; 2] {
    let package = surface::read(schema).expect("it is there");
    let all = || package.of_role(Role::Provider).flat_map(|one| package.members(one.members));
    [all().count(), all().filter(|member| member.is_required).count()]
}

#[test]
fn very_many_names_that_become_equal_are_distinguished() {
    const COUNT: u32 = 40_000;
    let property = |number: u32| {
        let name = char::from_u32(0x4e00 + number % 20_000).expect("it is there");
        format!(r#""{name}{}": {{"type": "string"}}"#, "é".repeat((number / 20_000) as usize))
    };
    let properties: Vec<String> = (0..COUNT).map(property).collect();
    let schema = format!(
        r#"{{"name": "a", "resources": {{"a:m:R": {{"properties": {{{}}}}}}}}}"#,
        properties.join(",")
    );
    let (package, findings) = as_package(&oracle::read(schema.as_bytes()).expect("it is there"));
    assert_eq!(findings.len(), COUNT as usize);
    let path = ["modules", "m", "members", "R", "members"];
    let members = path.iter().fold(&package, |value, key| value.get(key).expect("it is there"));
    let names: BTreeSet<&str> = Node::entries(members).map(|(name, _)| name).collect();
    assert_eq!(names.len(), COUNT as usize);
    for name in ["_", "__20000", "__", "___20000"] {
        assert!(names.contains(name), "{name}");
    }
}

#[test]
fn names_for_types_that_double_at_each_step_are_refused() {
    // Each type is a list of the next one and the next one itself: 2^60 parts without names.
    let alias = |number: u32| {
        let next = format!(r##"{{"$ref": "#/types/a:m:T{}"}}"##, number + 1);
        format!(
            r#""a:m:T{number}": {{"type": "array", "items":
            {{"oneOf": [{next}, {{"type": "array", "items": {next}}}]}}}}"#
        )
    };
    let aliases: Vec<String> = (0..60).map(alias).collect();
    let schema =
        format!(r#"{{"name": "a", "types": {{{}}}, "resources": {{"a:m:R": {{}}}}}}"#, aliases.join(","));
    let schema = oracle::read(schema.as_bytes()).expect("it is there");
    let package = surface::read(&schema).expect("it is there");
    let error =
        push_package(&package, PackageOptions::default(), &mut ValueSink::new()).expect_err("it is large");
    assert_eq!(error, ConvertError::TooManyParts { limit: 1 << 24 });
    assert_eq!(error.code(), "CNV-SIZE");
}

#[test]
fn losses_in_a_pulumi_schema_are_reported_with_their_place_in_the_schema() {
    let schema = oracle::read(
        br#"{"provider_schemas": {"host/acme/cloud": {"resource_schemas": {"cloud_vm": {"block": {
            "attributes": {"tags": {"type": ["set", "string"], "optional": true}},
            "block_types": {"disk": {"nesting_mode": "set", "block": {"attributes": {
                "sizes": {"type": ["set", "number"], "optional": true}}}}}}}}}}}"#,
    )
    .expect("it is JSON");
    let (package, _) = as_package(&schema);
    let (_, lost) = as_pulumi_schema(&package);
    let model = surface::read(&schema).expect("it is there");
    let places = source_places(&model, PackageOptions::default()).expect("it is small");
    let found: BTreeSet<(String, String)> = lost.iter().map(|one| places[&one.token].clone()).collect();
    let pointer = "/provider_schemas/host~1acme~1cloud/resource_schemas/cloud_vm";
    assert_eq!(found, BTreeSet::from([("cloud_vm".to_owned(), pointer.to_owned())]));
    assert_eq!(lost.len(), 3, "{lost:?}");
}

#[test]
fn differences_between_an_input_and_its_output_are_restored() {
    let schema = oracle::read(
        br#"{"name": "acme", "version": "1.0.0", "resources": {"acme:index:Disk": {
            "properties": {"size": {"type": "string"}, "key": {"type": "string", "secret": true},
                           "name": {"type": "string"}, "same": {"type": "array", "items": {"type": "string"}},
                           "old": {"type": "string", "deprecationMessage": "use name"}},
            "required": ["size"],
            "inputProperties": {"size": {"oneOf": [{"type": "string"}, {"type": "number"}]}, "key": {"type": "string"},
                                "name": {"type": "string"}, "same": {"type": "array", "items": {"type": "string"}},
                                "old": {"type": "string"}},
            "requiredInputs": ["size", "name"]}}}"#,
    )
    .expect("it is JSON");
    let (package, findings) = checked_package(&schema);
    assert_eq!(findings, []);
    let path = ["modules", "index", "members", "Disk", "members"];
    let members = path.iter().fold(&package, |value, key| value.get(key).expect("it is there"));
    let output = |name: &str| {
        let facets = members.get(name).and_then(|member| member.get("x-facets"));
        facets.and_then(|facets| facets.get("output")).map(text)
    };
    assert_eq!(output("size").as_deref(), Some("{\n  \"type\": \"string\"\n}\n"));
    assert_eq!(output("key").as_deref(), Some("{\n  \"secret\": true\n}\n"));
    assert_eq!(output("name").as_deref(), Some("{\n  \"optional\": true\n}\n"));
    assert_eq!(output("old").as_deref(), Some("{\n  \"deprecated\": \"use name\"\n}\n"));
    assert_eq!(output("same"), None);
    let (back, findings) = as_pulumi_schema(&package);
    assert_eq!(findings, []);
    let [old, new] = [&schema, &back].map(|document| surface::read(document).expect("it is there"));
    assert_eq!(surface::compare(&old, &new, &Renames::default(), Level::Exact).changes, []);
}
