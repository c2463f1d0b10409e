//! §16.3 The lists of Kubernetes that its own schema pairs by keys.

use crate::differences::file;
use coconut_codec::compile::CompileOptions;
use coconut_codec::text::SourceFormat;
use coconut_format::Value;
use coconut_format::diff::{ListMode, ListRules, Scope};
use coconut_testing::testdata;
use std::fs;

/// The kind of an object with such a part, and where the part is in it.
fn around(part: &str) -> (&'static str, &'static str) {
    match part {
        "ObjectMeta" => ("Pod", "/metadata"),
        "Initializers" => ("Pod", "/metadata/initializers"),
        "Container" => ("Pod", "/spec/containers/0"),
        "ServiceSpec" => ("Service", "/spec"),
        _ if part.ends_with("Status") => ("Pod", "/status"),
        _ if part.ends_with("Spec") => ("Pod", "/spec/template/spec"),
        _ => ("Pod", ""),
    }
}

#[test]
fn lists_of_kubernetes_are_paired_by_the_keys_of_its_schema() {
    let Some(folder) = testdata("1-diff/structured-merge-diff") else { return };
    let text = fs::read(folder.join("k8s-schema.yaml")).expect("the schema can be read");
    let options = CompileOptions { format: Some(SourceFormat::Yaml), ..CompileOptions::default() };
    let schema = file(&text, &options);
    let schema = schema.view().tree().expect("it was just written").root().to_value();
    let text_of = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let (mut count, mut wrong) = (0, Vec::new());
    for part in schema.get("types").and_then(Value::as_list).expect("a schema has types") {
        let fields = part.get("map").and_then(|map| map.get("fields")).and_then(Value::as_list);
        let name = text_of(part, "name").expect("a type has a name");
        let own = name.rsplit('.').next().unwrap_or_default();
        for field in fields.unwrap_or_default() {
            let Some(list) = field.get("type").and_then(|kind| kind.get("list")) else { continue };
            if text_of(list, "elementRelationship").as_deref() != Some("associative") {
                continue;
            }
            let keys: Vec<&str> = list
                .get("keys")
                .and_then(Value::as_list)
                .unwrap_or_default()
                .iter()
                .filter_map(Value::as_str)
                .collect();
            let (kind, place) = around(own);
            let place = format!("{place}/{}", text_of(field, "name").expect("a field has a name"));
            let scope = Scope { dialect: Some("kubernetes"), resource_type: Some(kind), is_front: false };
            let rules = ListRules::of(&scope, &[]);
            let is_so = match (rules.of_place(&place).first(), &keys[..]) {
                (Some(ListMode::Set), []) => true,
                // Newer schemas have a second key.
                (Some(ListMode::Key(found)), [..]) => {
                    !keys.is_empty() && found.iter().zip(&keys).all(|(a, b)| a.split('=').next() == Some(*b))
                }
                // They run one after the other.
                (Some(ListMode::OrderedKey(found)), ["name"]) => {
                    place.ends_with("/initContainers") && found[..] == ["name"]
                }
                // Without a rule, the names of items are their keys.
                (None, ["name"]) => true,
                _ => false,
            };
            count += 1;
            if !is_so {
                wrong.push(format!("{name}: {place} by {keys:?}"));
            }
        }
    }
    assert!(count > 30, "{count} lists");
    assert!(wrong.is_empty(), "{wrong:#?}");
}
