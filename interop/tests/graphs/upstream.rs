//! Results of other tools for the same sources. `unmet.tsv` lists the differences with their
//! reasons.

use super::*;
use std::collections::BTreeSet;

/// The test data with this name, if the corpus is present.
fn folder(name: &str) -> Option<PathBuf> {
    coconut_testing::testdata(&format!("2-interchange/{name}"))
}

/// The reason why a case is not met, if it is not.
fn unmet(case: &str) -> bool {
    let table = include_str!("unmet.tsv");
    table.lines().skip(1).any(|line| line.split('\t').next() == Some(case))
}

#[test]
fn imports_are_those_of_the_converter_of_pulumi() {
    let Some(folder) = folder("tfstate-to-pulumi-import") else { return };
    let mut mappings = Mappings::default();
    let mut known = BTreeSet::new();
    for path in files_below(&folder.join("mappings")) {
        let mapping = read(&path);
        mappings.add(&mapping);
        known.extend(mapping.get("name").and_then(Value::as_str).map(str::to_owned));
    }
    let options = ConversionOptions { mappings: Some(&mappings), ..ConversionOptions::default() };
    let mut compared = 0;
    for case in (folder.join("states")).read_dir().unwrap().map(|entry| entry.unwrap().path()) {
        let name = case.file_name().unwrap().to_string_lossy().into_owned();
        let (found, _) =
            converted_with(&read(&case.join("tfstate.json")), Target::PulumiImport, &options).unwrap();
        let text =
            |value: &Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        // Without the mapping of its provider, a type is only guessed.
        let expected = read(&case.join("import.json"));
        let type_of = |value: &Value, key: &str| {
            let token = text(value, key);
            let is_known = token.split(':').next().is_some_and(|package| known.contains(package));
            if is_known || token.starts_with("kubernetes:") { token } else { String::new() }
        };
        let expected: BTreeSet<[String; 4]> = expected
            .as_list()
            .unwrap_or_default()
            .iter()
            .map(|one| [type_of(one, "Type"), text(one, "Name"), text(one, "ID"), text(one, "LogicalName")])
            .collect();
        let found: BTreeSet<[String; 4]> = found
            .get("resources")
            .and_then(Value::as_list)
            .unwrap()
            .iter()
            .map(|one| [type_of(one, "type"), text(one, "name"), text(one, "id"), text(one, "logicalName")])
            .collect();
        assert_eq!(found == expected, !unmet(&name), "{name}: {found:?} instead of {expected:?}");
        compared += 1;
    }
    assert!(compared >= 5, "{compared}");
}

/// A state without the fields that newer versions ignore, as upstream compares it.
fn comparable(state: &Value) -> BTreeSet<String> {
    let mut lines = BTreeSet::new();
    let text =
        |value: &Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    for (name, output) in state.get("outputs").and_then(Value::as_object).unwrap_or_default() {
        let part = |key: &str| output.get(key).map(ToString::to_string);
        lines.insert(format!("{name} {:?} {:?} {:?}", part("value"), part("type"), part("sensitive")));
    }
    for resource in state.get("resources").and_then(Value::as_list).unwrap_or_default() {
        let provider = text(resource, "provider");
        // Both names of one provider.
        let provider = match provider.split_once("provider[\"") {
            Some((_, address)) => address.trim_end_matches("\"]").rsplit('/').next().unwrap().to_owned(),
            None => provider.split_once("provider.").map_or(provider.clone(), |(_, name)| name.to_owned()),
        };
        let head = ["module", "mode", "type", "name"].map(|key| text(resource, key)).join(" ");
        for instance in resource.get("instances").and_then(Value::as_list).unwrap_or_default() {
            let Value::Object(fields) = instance else { panic!("an instance is an object") };
            let mut fields: Vec<String> = fields
                .iter()
                .filter(|(key, value)| key != "each" && value.as_list().is_none_or(|list| !list.is_empty()))
                .map(|(key, value)| match value {
                    Value::Object(entries) => {
                        let mut entries: Vec<String> =
                            entries.iter().map(|(key, value)| format!("{key}={value}")).collect();
                        entries.sort();
                        format!("{key}={entries:?}")
                    }
                    value => format!("{key}={value}"),
                })
                .collect();
            fields.sort();
            lines.insert(format!("{head} {provider} {fields:?}"));
        }
    }
    lines
}

#[test]
fn old_states_become_the_results_of_terraform_and_opentofu() {
    let corpus = coconut_testing::corpus().map(|corpus| corpus.join("tfstate")).filter(|path| path.is_dir());
    let folders = [corpus, folder("tofu-state-upgrade")];
    let mut compared = 0;
    for path in folders.iter().flatten().flat_map(|folder| files_below(folder)) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let Some(case) = name.strip_suffix(".in.tfstate") else { continue };
        let expected = path.with_file_name(format!("{case}.out.tfstate"));
        let source = read(&path);
        if Form::of(&source) != Some(Form::OldTerraformState) {
            continue;
        }
        let (found, _) = converted(&source, Target::TerraformState).unwrap();
        assert_eq!(Form::of(&found), Some(Form::TerraformState));
        if !expected.is_file() {
            continue;
        }
        let (found, expected) = (comparable(&found), comparable(&read(&expected)));
        assert_eq!(found == expected, !unmet(case), "{case}: {found:#?} instead of {expected:#?}");
        compared += 1;
    }
    assert!(folders.iter().flatten().next().is_none() || compared >= 1, "{compared}");
}

/// The output of `terraform show` without nulls, which need the schemas of providers.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::List(items) => Value::List(items.iter().map(without_nulls).collect()),
        Value::Object(entries) => {
            let mut kept: Vec<(String, Value)> = entries
                .iter()
                .filter(|(_, value)| *value != Value::Null)
                .map(|(key, value)| (key.clone(), without_nulls(value)))
                .collect();
            kept.sort_by(|(one, _), (other, _)| one.cmp(other));
            Value::Object(kept)
        }
        other => other.clone(),
    }
}

#[test]
fn states_are_shown_as_terraform_shows_them() {
    let Some(folder) = folder("tofu-show-state/show-json-state") else { return };
    let mut compared = 0;
    for case in folder.read_dir().unwrap().map(|entry| entry.unwrap().path()) {
        let name = format!("show {}", case.file_name().unwrap().to_string_lossy());
        let state = case.join("terraform.tfstate");
        let source = std::fs::read(&state).ok().and_then(|text| oracle::read(&text).ok());
        let found = source.and_then(|source| converted(&source, Target::TerraformShow).ok());
        let found = found.map(|(document, _)| without_nulls(&document));
        let expected = without_nulls(&read(&case.join("output.json")));
        assert_eq!(found.as_ref() == Some(&expected), !unmet(&name), "{name}: {found:?}\n{expected:?}");
        compared += 1;
    }
    assert!(compared >= 3, "{compared}");
}

#[test]
fn states_of_opentofu_lead_through_a_graph_to_themselves() {
    let Some(folder) = folder("tofu-state-upgrade") else { return };
    for path in files_below(&folder) {
        let Some(source) = std::fs::read(&path).ok().and_then(|text| oracle::read(&text).ok()) else {
            continue;
        };
        if Form::of(&source) != Some(Form::TerraformState) {
            continue;
        }
        let (graph, _) = converted(&source, Target::CocoGl).unwrap();
        let (back, findings) = converted(&graph, Target::TerraformState).unwrap();
        assert!(back == source && findings.is_empty(), "{}", path.display());
    }
}

/// The result of the migration tool for shown states: its resources of one type, or all of them
/// with the stack and its providers.
const SHOWN: [(&str, &str, usize); 7] = [
    ("bucket_state.json", "", 3),
    ("tofu_state.json", "", 24),
    ("tofu_state_two_buckets.json", "aws:s3/bucket:Bucket", 2),
    ("tofu_state_nested_modules.json", "aws:s3/bucket:Bucket", 4),
    ("tofu_random_sensitive_state.json", "random:index/randomPassword:RandomPassword", 1),
    ("tofu_corrupted_state.json", "random:index/randomPassword:RandomPassword", 1),
    ("unknown_provider_state.json", "random:index/randomString:RandomString", 1),
];

#[test]
fn shown_states_become_the_resources_of_the_tool_that_migrates() {
    let Some(folder) = folder("tfstate-to-pulumi-state/pkg/testdata") else { return };
    let mut mappings = Mappings::default();
    for mapping in [
        r#"{"resources": {"aws_s3_bucket": {"tok": "aws:s3/bucket:Bucket"}}}"#,
        r#"{"resources": {"random_password": {"tok": "random:index/randomPassword:RandomPassword"},
            "random_string": {"tok": "random:index/randomString:RandomString"}}}"#,
    ] {
        mappings.add(&oracle::read(mapping.as_bytes()).unwrap());
    }
    let options =
        ConversionOptions { mappings: Some(&mappings), stack: Some("dev"), project: Some("example") };
    let mut compared = 0;
    for (name, resource_type, count) in SHOWN {
        let path = folder.join(name);
        if !path.is_file() {
            continue;
        }
        let source = read(&path);
        assert_eq!(Form::of(&source), Some(Form::TerraformShow), "{name}");
        let (found, _) = converted_with(&source, Target::PulumiExport, &options).unwrap();
        let resources = resolve(&found, "/deployment/resources").and_then(Value::as_list).unwrap();
        let text = |one: &Value, key: &str| one.get(key).and_then(Value::as_str).unwrap().to_owned();
        let of_type: Vec<&Value> = resources
            .iter()
            .filter(|one| resource_type.is_empty() || text(one, "type") == resource_type)
            .collect();
        let urns: BTreeSet<String> = of_type.iter().map(|one| text(one, "urn")).collect();
        assert_eq!((of_type.len(), urns.len()), (count, count), "{name}");
        if name.contains("sensitive") {
            let secret = resolve(of_type[0], "/outputs/result/4dabf18193072939515e22adb298388d");
            assert!(secret.is_some(), "{name}: {}", self::text(of_type[0]));
        }
        compared += 1;
    }
    assert!(compared >= 3, "{compared}");
}

/// The output of a Go test for a resource, for the parts on their own lines.
fn printed<'t>(golden: &'t str, field: &str) -> Vec<&'t str> {
    let lines = golden.lines().map(str::trim).filter_map(|line| line.strip_prefix(field));
    lines.filter_map(|rest| rest.split('"').nth(1)).collect()
}

#[test]
fn states_become_resources_with_the_names_and_ids_of_the_tool_that_migrates() {
    let Some(folder) = folder("tfstate-to-pulumi-state/pkg/statefile/testdata") else { return };
    let mapping = br#"{"name": "random", "resources":
        {"random_string": {"tok": "random:index/randomString:RandomString"}}}"#;
    let mut mappings = Mappings::default();
    assert_eq!(mappings.add(&oracle::read(mapping).unwrap()), 1);
    let options =
        ConversionOptions { mappings: Some(&mappings), stack: Some("dev"), project: Some("example") };
    let mut compared = 0;
    for golden in files_below(&folder.join("TestTranslateResource")) {
        let case = golden.file_stem().unwrap().to_string_lossy().into_owned();
        let state = folder.join(&case).join("terraform.tfstate");
        if !state.is_file() {
            continue;
        }
        let golden = std::fs::read_to_string(golden).unwrap();
        let (found, _) = converted_with(&read(&state), Target::PulumiExport, &options).unwrap();
        let resources = resolve(&found, "/deployment/resources").and_then(Value::as_list).unwrap();
        let is_own = |one: &&Value| one.get("outputs").is_some() && one.get("id").is_some();
        let text = |one: &Value, key: &str| one.get(key).and_then(Value::as_str).unwrap().to_owned();
        let found: Vec<[String; 3]> = resources
            .iter()
            .filter(is_own)
            .map(|one| {
                let urn = text(one, "urn");
                [text(one, "id"), urn.rsplit("::").next().unwrap().to_owned(), text(one, "type")]
            })
            .collect();
        let fields = ["ID:", "Name:", "Type:"].map(|field| printed(&golden, field));
        let expected: Vec<[String; 3]> = (0..fields[0].len())
            .map(|number| fields.each_ref().map(|values| values[number].to_owned()))
            .collect();
        assert_eq!(found == expected, !unmet(&case), "{case}: {found:?} instead of {expected:?}");
        compared += 1;
    }
    assert!(compared >= 1, "{compared}");
}
