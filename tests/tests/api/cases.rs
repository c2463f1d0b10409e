//! Pairs of documents in `api/cases`, each with its list of changes.

use coconut_format::Value;
use coconut_surface::{self as surface, ApiError, Dialect, Level, Renames, Severity};
use coconut_testing::oracle;
use std::path::Path;

fn case(name: &str) -> (Value, Value, std::path::PathBuf) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/api/cases");
    let text = std::fs::read(folder.join(format!("{name}.json"))).unwrap();
    let document = oracle::read(&text).unwrap();
    let half = |key| document.get(key).unwrap().clone();
    (half("old"), half("new"), folder.join(format!("{name}.changes")))
}

/// Compares the pair and the list with the file, which `COCONUT_BLESS=1` rewrites.
fn check(name: &str, dialect: Dialect) {
    let (old, new, expected) = case(name);
    assert_eq!((Dialect::of(&old), Dialect::of(&new)), (Some(dialect), Some(dialect)));
    let (old, new) = (surface::read(&old).unwrap(), surface::read(&new).unwrap());
    let found = surface::compare(&old, &new, &Renames::default(), Level::Exact);
    let lines: Vec<String> = found.changes.iter().map(|change| format!("{change}\n")).collect();
    if std::env::var_os("COCONUT_BLESS").is_some() {
        std::fs::write(&expected, lines.concat()).unwrap();
    }
    assert_eq!(std::fs::read_to_string(expected).unwrap(), lines.concat());
    for same in [&old, &new] {
        assert_eq!(surface::compare(same, same, &Renames::default(), Level::Exact).changes, []);
    }
}

#[test]
fn changes_of_a_terraform_provider() {
    check("terraform", Dialect::Terraform);
}

/// Terraform Cloud writes plans with the schemas of their providers.
#[test]
fn a_plan_that_contains_schemas_is_not_a_schema() {
    let (schema, _, _) = case("terraform");
    assert_eq!(Dialect::of(&schema), Some(Dialect::Terraform));
    for key in
        ["plan_format_version", "planned_values", "resource_changes", "resource_drift", "output_changes"]
    {
        let Value::Object(mut entries) = schema.clone() else { panic!("a schema is an object") };
        entries.push((key.to_owned(), Value::Null));
        let plan = Value::Object(entries);
        assert_eq!(
            (Dialect::of(&plan), surface::read(&plan).err()),
            (None, Some(ApiError::NoSchema)),
            "{key}"
        );
    }
}

#[test]
fn changes_of_a_pulumi_schema() {
    check("pulumi", Dialect::Pulumi);
}

#[test]
fn changes_of_a_pulumi_schema_as_a_whole() {
    check("pulumi-whole", Dialect::Pulumi);
}

#[test]
fn changes_of_a_cloudformation_type() {
    check("cloudformation", Dialect::CloudFormation);
}

#[test]
fn changes_of_a_custom_resource_definition() {
    check("kubernetes-crd", Dialect::KubernetesCrd);
}

#[test]
fn changes_of_a_kubernetes_api() {
    check("kubernetes-openapi", Dialect::KubernetesOpenApi);
}

#[test]
fn changes_of_a_package_of_2017() {
    check("cocopack", Dialect::CocoPack);
}

#[test]
fn changes_that_are_compared_as_a_whole() {
    check("kubernetes-crd-settings", Dialect::KubernetesCrd);
    check("cloudformation-settings", Dialect::CloudFormation);
    check("pulumi-settings", Dialect::Pulumi);
    check("cocopack-programs", Dialect::CocoPack);
}

#[test]
fn every_rule_is_met_in_a_case() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/api/cases");
    let lists = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let lists: Vec<String> = lists
        .filter(|path| path.extension().is_some_and(|end| end == "changes"))
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    let lists = lists.concat();
    let missing: Vec<&str> = surface::ApiRule::all()
        .map(|rule| rule.id)
        .filter(|id| !lists.contains(&format!(" {id} ")) && *id != "API-EMPTY")
        .collect();
    assert_eq!(missing, [""; 0]);
}

#[test]
fn a_level_omits_changes_that_do_not_count_for_it() {
    let (old, new, _) = case("pulumi");
    let (old, new) = (surface::read(&old).unwrap(), surface::read(&new).unwrap());
    let count = |level| {
        let found = surface::compare(&old, &new, &Renames::default(), level);
        assert!(found.changes.iter().all(|change| change.rule.category <= level));
        (found.count(Severity::Breaking), found.changes.len())
    };
    let [wire, source, exact] = Level::ALL.map(count);
    assert!(wire < source && source < exact, "{wire:?} {source:?} {exact:?}");
}

#[test]
fn a_document_that_is_empty_or_not_a_schema_is_refused() {
    let read = |text: &str| {
        let document = oracle::read(text.as_bytes()).unwrap();
        surface::read(&document).map(|package| package.definitions.len())
    };
    for text in ["{}", "[]", "null", r#"{"name": "a"}"#, r#"{"resources": {"a": {"type": "b"}}}"#] {
        assert_eq!(read(text), Err(ApiError::NoSchema), "{text}");
    }
    for (text, dialect) in [
        (r#"{"format_version": "1.0", "provider_schemas": {}}"#, Dialect::Terraform),
        (
            r#"{"format_version": "1.0", "provider_schemas": {"a": {"provider": {"block": {}}}}}"#,
            Dialect::Terraform,
        ),
        (r#"{"name": "a", "language": {}, "provider": {}}"#, Dialect::Pulumi),
        (r#"{"name": "a", "modules": {}}"#, Dialect::CocoPack),
        (r#"{"swagger": "2.0", "definitions": {}}"#, Dialect::KubernetesOpenApi),
    ] {
        assert_eq!(read(text), Err(ApiError::Empty(dialect)), "{text}");
        assert_eq!(ApiError::Empty(dialect).rule().map(|rule| rule.id), Some("API-EMPTY"));
    }
}

#[test]
fn types_that_nest_too_deep_are_refused() {
    let nested = |depth: usize| {
        let of = format!("{}\"string\"{}", "[\"list\",".repeat(depth), "]".repeat(depth));
        let block = format!("{{\"attributes\": {{\"a\": {{\"type\": {of}}}}}}}");
        let text = format!(
            "{{\"provider_schemas\": {{\"p\": {{\"resource_schemas\": {{\"p_a\": {{\"block\": {block}}}}}}}}}}}"
        );
        let document = oracle::read(text.as_bytes()).unwrap();
        surface::read(&document).map(drop)
    };
    assert_eq!(nested(63), Ok(()));
    assert_eq!(nested(64), Err(ApiError::TooDeep { token: "p_a".into() }));
}

#[test]
fn definitions_have_pointers_into_their_documents() {
    for name in ["terraform", "pulumi", "cloudformation", "kubernetes-crd", "kubernetes-openapi", "cocopack"]
    {
        let (old, _, _) = case(name);
        let package = surface::read(&old).unwrap();
        for definition in &package.definitions {
            let pointer = package.pointer(definition);
            let mut keys = coconut_format::pointer::keys(&pointer).unwrap();
            let found = keys.try_fold(&old, |value, key| value.get(&key));
            assert!(found.is_some(), "{name}: {} is not at {pointer}", definition.token);
        }
    }
}
