//! Real documents: those named by the user, and some from a folder of them, next to the repository
//! or in `COCONUT_CORPUS`.

use crate::documents::Document;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};

/// The name here, and the path in the corpus.
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

/// The documents below `work`, minified. Empty if there is no corpus.
pub(crate) fn documents(work: &Path) -> Result<Vec<Document>> {
    let Some(folder) = folder() else { return Ok(Vec::new()) };
    let read = |(name, path): (&str, &str)| Document::new(work, name, || minified(&folder.join(path)));
    DOCUMENTS.into_iter().map(read).collect()
}

/// Minifies the document in the file `path`, for [`named`] to find.
pub(crate) fn make_named(work: &Path, path: &Path) -> Result<()> {
    let (text, name) = (minified(path)?, name_of(path)?);
    let document = Document::new(work, &name, || Ok(text.clone()))?;
    if *document.text() != *text.as_bytes() {
        // Another document had that name before: all its forms are stale.
        fs::remove_dir_all(work.join(&name))?;
        Document::new(work, &name, || Ok(text))?;
    }
    Ok(())
}

/// The document created from the file `path`. Does not read the file: its memory would count in the
/// peaks of all processes that this one starts.
pub(crate) fn named(work: &Path, path: &Path) -> Result<Document> {
    Document::new(work, &name_of(path)?, || bail!("the document was not made before"))
}

/// The name of a document: that of its file and the folder of the file.
fn name_of(path: &Path) -> Result<String> {
    let name = path.file_stem().context("the name of a JSON file is needed")?.to_string_lossy();
    Ok(match path.parent().and_then(Path::file_name) {
        Some(folder) => format!("{}-{name}", folder.to_string_lossy()),
        None => name.into_owned(),
    })
}

fn minified(path: &Path) -> Result<String> {
    let text = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let value: serde_json::Value =
        serde_json::from_slice(&text).with_context(|| format!("{} is not JSON", path.display()))?;
    Ok(serde_json::to_string(&value)?)
}
