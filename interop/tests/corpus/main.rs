//! Edges of real documents, compared with the same edges computed another way. Skipped where the
//! corpus is absent.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use coconut_codec::compile::{CompileOptions, LandmarkChoice, compile};
use coconut_codec::read::file::DocumentFile;
use coconut_codec::text::SourceFormat;
use coconut_format::Value;
use coconut_interop::{Import, Options, Source, System, import, infer, system_of};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

mod cloudformation;
mod kustomize;
mod plans;
mod puppet;
mod states;

/// The corpus, or the test data beside it.
fn folder(name: &str) -> Option<PathBuf> {
    let corpus = coconut_testing::corpus()?;
    let folder = match name.strip_prefix("testdata/") {
        Some(name) => corpus.parent()?.join("testdata").join(name),
        None => corpus.join(name),
    };
    folder.exists().then_some(folder)
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut pending) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = pending.pop() {
        for entry in folder.read_dir().unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { pending.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}

/// The value of a file, if it is a document.
fn value(path: &Path) -> Option<Value> {
    let text = std::fs::read(path).unwrap();
    let options = CompileOptions { landmarks: LandmarkChoice::None, ..CompileOptions::default() };
    let format = SourceFormat::of_name(&path.to_string_lossy()).or(Some(SourceFormat::Json));
    let compiled = compile(&text, &CompileOptions { format, ..options }).ok()?;
    let file = DocumentFile::from_data(compiled.bytes).unwrap();
    Some(file.view().tree().unwrap().to_value())
}

fn imported<'v>(system: System, root: &'v Value) -> Import<'v, &'v Value> {
    import(system, &[Source { name: "", root }], &Options::default()).unwrap()
}

/// Edges as texts: `from kind to`, by keys.
fn edges(import: &Import<'_, &Value>) -> BTreeSet<String> {
    let key = |number: u32| &import.resources()[number as usize].key;
    let text =
        |edge: &coconut_interop::Edge| format!("{} {} {}", key(edge.from), edge.kind.name(), key(edge.to));
    import.edges().iter().map(text).collect()
}

#[test]
fn recognised_documents_belong_to_their_system() {
    let systems = [
        ("kubernetes", Some(System::Kubernetes)),
        ("tfplan", Some(System::Plan)),
        ("puppet-catalog", Some(System::Puppet)),
        ("testdata/2-interchange/compose", Some(System::Compose)),
        ("pulumi", None),
        ("cloudformation", Some(System::CloudFormation)),
        ("tf-provider-schema", None),
        ("tfstate-show", None),
        ("coconut", None),
    ];
    for (name, expected) in systems {
        let Some(folder) = folder(name) else { continue };
        let mut others = Vec::new();
        let mut count = 0;
        for path in files_below(&folder) {
            let is_text = |ending: &str| path.to_string_lossy().ends_with(ending);
            if ![".json", ".yaml", ".yml", ".tfstate"].iter().any(|ending| is_text(ending)) {
                continue;
            }
            let Some(root) = value(&path) else { continue };
            count += 1;
            let found = system_of(&root);
            if found != expected {
                others.push((path, found));
            }
        }
        // Some examples are empty or are not a whole document.
        let few = count / 8 + 2;
        assert!(count > 0 && others.len() <= few, "{name}: {others:?} of {count}");
        if expected.is_none() {
            // The one template beside packages, which its own system recognises, and output of
            // Terraform 0.12.
            others.retain(|(path, found)| {
                let is_named = |name: &str| path.to_string_lossy().ends_with(name);
                match found {
                    Some(System::CloudFormation) => !is_named("services__voting.template.yaml"),
                    Some(System::TerraformState) => !is_named("show-json-state/modules/output.json"),
                    _ => true,
                }
            });
            assert!(others.is_empty(), "{name}: {others:?}");
        }
    }
}

#[test]
fn compose_files_have_the_dependencies_that_they_list() {
    let Some(folder) = folder("testdata/2-interchange/compose") else { return };
    let mut compared = 0;
    for path in files_below(&folder) {
        let Some(root) = value(&path).filter(|root| system_of(root) == Some(System::Compose)) else {
            continue;
        };
        let import = infer(&root).unwrap().unwrap();
        let services = root.get("services").and_then(Value::as_object).unwrap();
        let mut expected = BTreeSet::new();
        for (name, service) in services {
            let listed: Vec<&str> = match service.get("depends_on") {
                Some(Value::List(names)) => names.iter().filter_map(Value::as_str).collect(),
                Some(Value::Object(entries)) => entries.iter().map(|(name, _)| &**name).collect(),
                _ => Vec::new(),
            };
            let known = listed.into_iter().filter(|other| services.iter().any(|(name, _)| name == other));
            expected.extend(known.map(|other| format!("{name} depends-on {other}")));
        }
        let found: BTreeSet<String> =
            edges(&import).into_iter().filter(|edge| edge.contains(" depends-on ")).collect();
        assert_eq!(found, expected, "{}", path.display());
        compared += expected.len();
    }
    assert!(compared >= 5, "{compared}");
}

#[test]
fn manifests_refer_to_accounts_and_pods_of_their_namespace() {
    let Some(folder) = folder("kubernetes") else { return };
    let objects: Vec<Value> = files_below(&folder)
        .iter()
        .filter(|path| path.extension().is_some_and(|extension| extension == "yaml"))
        .filter_map(|path| value(path))
        .collect();
    let text = |value: &Value, path: &str| -> Option<String> {
        let value = path.split('/').try_fold(value, |value, key| value.get(key))?;
        value.as_str().map(str::to_owned)
    };
    // Each binding and each Prometheus names accounts; each account in the input is an edge.
    let mut expected = BTreeSet::new();
    let key = |object: &Value| {
        let namespace = text(object, "metadata/namespace").map(|text| text + "/").unwrap_or_default();
        format!("{}/{namespace}{}", text(object, "kind").unwrap(), text(object, "metadata/name").unwrap())
    };
    let all: Vec<&Value> = objects
        .iter()
        .flat_map(|object| match object.get("items").and_then(Value::as_list) {
            Some(items) => items.iter().collect::<Vec<_>>(),
            None => vec![object],
        })
        .collect();
    let accounts: BTreeMap<(String, String), String> = all
        .iter()
        .filter(|object| text(object, "kind").as_deref() == Some("ServiceAccount"))
        .map(|object| {
            let name = text(object, "metadata/name").unwrap();
            ((text(object, "metadata/namespace").unwrap(), name), key(object))
        })
        .collect();
    for object in &all {
        for subject in object.get("subjects").and_then(Value::as_list).unwrap_or_default() {
            let pair = text(subject, "namespace").zip(text(subject, "name"));
            if let Some(account) = pair.and_then(|pair| accounts.get(&pair)) {
                expected.insert(format!("{} subject {account}", key(object)));
            }
        }
        let pair = text(object, "metadata/namespace").zip(text(object, "spec/serviceAccountName"));
        if let Some(account) = pair.and_then(|pair| accounts.get(&pair)) {
            expected.insert(format!("{} service-account {account}", key(object)));
        }
    }
    let sources: Vec<Source<'_, &Value>> = objects.iter().map(|root| Source { name: "", root }).collect();
    let import = import(System::Kubernetes, &sources, &Options::default()).unwrap();
    let found: BTreeSet<String> = edges(&import)
        .into_iter()
        .filter(|edge| edge.contains(" subject ") || edge.contains(" service-account "))
        .collect();
    assert_eq!(found, expected);
    assert!(!expected.is_empty());
}
