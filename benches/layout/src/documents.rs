//! The measured documents.

use coconut_codec::text::json::{self, JsonOptions, JsonStyle, Printer};
use coconut_tests::generate::{checkpoint, package, provider_schema, terraform_state};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A document as JSON text.
pub(crate) struct Document {
    pub(crate) name: String,
    pub(crate) text: String,
    /// Bytes of the text without white space.
    pub(crate) minified: usize,
}

impl Document {
    /// `None` if the text is not JSON.
    fn new(name: &str, text: String) -> Option<Document> {
        let mut printer = Printer::new(Vec::new(), JsonStyle::Minified);
        json::read(text.as_bytes(), &mut printer, &JsonOptions::default()).ok()?;
        let minified = printer.finish().expect("a vector takes any bytes").len();
        Some(Document { name: name.to_owned(), text, minified })
    }
}

pub(crate) fn generated() -> Vec<Document> {
    let documents = [
        ("checkpoint, 1,000 resources", checkpoint(1000)),
        ("checkpoint, 20,000 resources", checkpoint(20_000)),
        ("state, 1,200 instances", terraform_state(1200)),
        ("provider schema, 600 types", provider_schema(600)),
        ("package, 1,000 members", package(1000)),
    ];
    documents.into_iter().filter_map(|(name, text)| Document::new(name, text)).collect()
}

const CORPUS: [(&str, &str); 9] = [
    ("AWS provider schema 5.100", "tf-provider-schema/tool-made/aws-5.100.0.provider-schema.json"),
    ("plan, 2,630 changes", "tfplan/tool-made/driftctl-configs-x10.plan.json"),
    ("kubernetes schema 3.7", "pulumi/tests__testdata__codegen__kubernetes-3.7.2.json"),
    ("kubernetes schema 2022", "pulumi/schema/kubernetes/2022-07-12-f93f9b6c.schema.json"),
    ("datadog schema", "pulumi/schema/datadog/2023-11-21-e59a075a.schema.json"),
    ("github schema", "pulumi/schema/github/2026-08-14-a6e4906e.schema.json"),
    ("aws-native schema 2021", "pulumi/schema/aws-native/2021-11-22-33d7946b.schema.json"),
    (
        "package `lambdas`, 2017-05",
        "coconut/coconut/cmd__cocojs__tests__output__basic__lambdas__Cocopack.json",
    ),
    ("plan, 263 changes", "tfplan/tool-made/driftctl-configs-x1.plan.json"),
];

fn corpus_folder() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let folder = std::env::var_os("COCONUT_CORPUS").map_or(beside, PathBuf::from);
    folder.is_dir().then_some(folder)
}

pub(crate) fn corpus() -> Vec<Document> {
    let Some(folder) = corpus_folder() else { return Vec::new() };
    let read = |(name, path): &(&str, &str)| {
        let text = std::fs::read_to_string(folder.join(path)).ok()?;
        Document::new(name, text)
    };
    CORPUS.iter().filter_map(read).collect()
}

/// The compiled Coconut 2017 packages, without duplicates.
pub(crate) fn packages_of_2017() -> Vec<Document> {
    let Some(folder) = corpus_folder() else { return Vec::new() };
    let index = std::fs::read_to_string(folder.join("INDEX.tsv")).unwrap_or_default();
    let mut distinct: BTreeMap<String, Document> = BTreeMap::new();
    for row in index.lines() {
        let columns: Vec<&str> = row.split('\t').collect();
        let (Some(file), Some(&"pack"), Some(&"json-ok")) = (columns.first(), columns.get(1), columns.get(8))
        else {
            continue;
        };
        let Ok(text) = std::fs::read_to_string(folder.join(file)) else { continue };
        if let Some(document) = Document::new(file, text.clone()) {
            distinct.entry(text).or_insert(document);
        }
    }
    distinct.into_values().collect()
}
