//! The functions that open documents.

use crate::document::Document;
use crate::error::detached;
use crate::opened::{in_memory, of_loaded, of_loading, opened};
use coconut_codec::Loader;
use pyo3::prelude::*;
use std::borrow::Cow;
use std::path::PathBuf;

/// Open a compiled document, or a source in JSON or YAML.
///
/// A compiled document stays on the disk: a lookup reads some kilobytes. A source is compiled and
/// kept in the cache of the user, so that the next `open` of it only compares its size and times;
/// `cache=False` compiles it in memory. With `reveal=True`, secrets are shown.
///
/// Raises `FormatError` if the file is not a valid document, and `OSError` if it cannot be read.
///
/// >>> import coconut_format, json, os, tempfile
/// >>> path = os.path.join(tempfile.mkdtemp(), "net.json")
/// >>> with open(path, "w") as file:
/// ...     json.dump({"vertices": {"web": {"port": 80}}}, file)
/// >>> coconut_format.open(path, cache=False)["web"]["port"]
/// 80
#[pyfunction]
#[pyo3(signature = (path, *, reveal = false, cache = true))]
pub(crate) fn open(py: Python<'_>, path: PathBuf, reveal: bool, cache: bool) -> PyResult<Document> {
    detached(py, || opened(&path, reveal, cache)).map(Document::new)
}

/// Open a document in memory: the bytes of a compiled document, or the text of a source.
///
/// `name` stands for the file in messages, and its ending for the format of a source.
///
/// >>> import coconut_format
/// >>> coconut_format.from_bytes(b"vertices: {web: {port: 80}}", name="net.yaml").to_python()
/// {'vertices': {'web': {'port': 80}}}
#[pyfunction]
#[pyo3(signature = (data, *, name = None, reveal = false))]
pub(crate) fn from_bytes(
    py: Python<'_>,
    data: Cow<'_, [u8]>,
    name: Option<&str>,
    reveal: bool,
) -> PyResult<Document> {
    let name = name.unwrap_or("<bytes>");
    detached(py, || in_memory(name, &data, reveal)).map(Document::new)
}

/// Load a package by its name, such as `aws` or `aws#1.2.3`.
///
/// Searches the workspace around the folder `start` (default: the current one), then the folders of
/// the user, and uses the cache of the user. `Document.origin` tells which form was used:
/// `cache`, `precompiled` or `source`.
///
/// >>> import coconut_format, os, tempfile
/// >>> workspace = tempfile.mkdtemp()
/// >>> os.makedirs(os.path.join(workspace, ".coconut"))
/// >>> os.makedirs(os.path.join(workspace, "shop"))
/// >>> with open(os.path.join(workspace, "shop", "Cocopack.json"), "w") as file:
/// ...     _ = file.write('{"name": "shop", "modules": {}}')
/// >>> coconut_format.load("shop", workspace).pointer("/name")
/// 'shop'
#[pyfunction]
#[pyo3(signature = (package, start = None, *, reveal = false))]
pub(crate) fn load(
    py: Python<'_>,
    package: &str,
    start: Option<PathBuf>,
    reveal: bool,
) -> PyResult<Document> {
    let loaded = detached(py, || {
        let start = start.unwrap_or_else(|| PathBuf::from("."));
        let loaded = Loader::for_workspace(&start).load(package);
        let loaded = loaded.map_err(|error| of_loading(package, &error, reveal))?;
        Ok(of_loaded(package.to_owned(), loaded, reveal))
    });
    loaded.map(Document::new)
}
