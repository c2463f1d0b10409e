//! Real documents, where a folder of them is at hand: beside the repository, or in `COCONUT_CORPUS`.

use crate::documents::Document;
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// Name here, and place in the corpus.
const DOCUMENTS: [(&str, &str); 4] = [
    ("aws-schema", "tf-provider-schema/tool-made/aws-5.100.0.provider-schema.json"),
    ("plan", "tfplan/tool-made/driftctl-configs-x10.plan.json"),
    ("datadog-schema", "pulumi/schema/datadog/2023-11-21-e59a075a.schema.json"),
    ("lambdas-package", "coconut/coconut/cmd__cocojs__tests__output__basic__lambdas__Cocopack.json"),
];

fn folder() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let folder = std::env::var_os("COCONUT_CORPUS").map_or(beside, PathBuf::from);
    folder.is_dir().then_some(folder)
}

/// The documents below `work`, minified. None where there is no corpus.
pub(crate) fn documents(work: &Path) -> Result<Vec<Document>> {
    let Some(folder) = folder() else { return Ok(Vec::new()) };
    let read = |(name, path): (&str, &str)| {
        Document::new(work, name, || {
            let text = fs::read(folder.join(path)).with_context(|| format!("cannot read {path}"))?;
            let value: serde_json::Value = serde_json::from_slice(&text)?;
            Ok(serde_json::to_string(&value)?)
        })
    };
    DOCUMENTS.into_iter().map(read).collect()
}
