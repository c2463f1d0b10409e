//! The differences of two documents.

use crate::document::Document;
use crate::drawing;
use crate::error::{Fault, detached};
use crate::objects::of_json;
use crate::opened::Opened;
use coconut_report::diff::{Comparison, Form, NamedDocument};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::sync::Arc;

/// Compare two documents by meaning: resources by their keys, aliases and ids, lists by what they
/// mean, without the metadata of tools.
///
/// `keys`, `types` and `paths` select resources and places, as `--key`, `--type` and `--path` of
/// `coco diff`. `ignore` has rules such as `*::/tags`. With `exact`, every difference counts. With
/// `full`, created and deleted resources have all of their entries. Values marked as secret are
/// hidden, unless both documents were opened with `reveal=True`.
///
/// >>> import coconut_format
/// >>> def graph(size):
/// ...     resource = {"type": "t", "size": size}
/// ...     graph = {"package": "net:*", "vertices": {"a": resource}}
/// ...     return coconut_format.from_bytes(coconut_format.dumps(graph))
/// >>> old, new = graph(1), graph(2)
/// >>> changes = coconut_format.diff(old, new)
/// >>> bool(changes), changes.summary["changed"], changes.resources[0]["key"]
/// (True, 1, 'a')
#[pyfunction]
#[pyo3(signature = (old, new, *, keys = Vec::new(), types = Vec::new(), paths = Vec::new(),
    ignore = Vec::new(), exact = false, full = false))]
#[expect(clippy::too_many_arguments, reason = "they are keywords of Python")]
pub(crate) fn diff(
    py: Python<'_>,
    old: &Document,
    new: &Document,
    keys: Vec<String>,
    types: Vec<String>,
    paths: Vec<String>,
    ignore: Vec<String>,
    exact: bool,
    full: bool,
) -> PyResult<Diff> {
    let (old, new) = (Arc::clone(&old.0), Arc::clone(&new.0));
    let wanted = Comparison { keys, types, paths, ignore, exact, full };
    let (json, is_any) = detached(py, || written(&wanted, &old, &new, Form::Json))?;
    let report = of_json(py, &json)?.cast_into::<PyDict>()?;
    Ok(Diff { old, new, wanted, is_any, report: report.unbind() })
}

/// The answer in a form, and whether anything differs.
fn written(wanted: &Comparison, old: &Opened, new: &Opened, form: Form) -> Result<(Vec<u8>, bool), Fault> {
    let (a, b) = (NamedDocument::new(&old.name, old.view()), NamedDocument::new(&new.name, new.view()));
    let mut out = Vec::new();
    let counted = wanted.write(a, b, form, old.reveal && new.reveal, &mut out);
    let counted = counted.map_err(|failure| old.changed().or_else(|| new.changed()).unwrap_or(failure))?;
    Ok((out, counted.is_any()))
}

/// The changes between two documents, which `diff` returns. It is true if there are any.
///
/// `str(changes)` is the text of `coco diff`. The structure of the entries is that of
/// `coco diff --json`; `coco schema diff` describes it.
#[pyclass(frozen, module = "coconut_format")]
pub(crate) struct Diff {
    old: Arc<Opened>,
    new: Arc<Opened>,
    wanted: Comparison,
    is_any: bool,
    report: Py<PyDict>,
}

#[pymethods]
impl Diff {
    /// The changed resources, in the order of the new document; deleted ones last.
    #[getter]
    fn resources<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.member(py, "resources")
    }

    /// The changes outside all resources.
    #[getter]
    fn front<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.member(py, "front")
    }

    /// The numbers of changes of each kind.
    #[getter]
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.member(py, "summary")
    }

    /// The whole report as a `dict`.
    fn to_python<'py>(&self, py: Python<'py>) -> Bound<'py, PyDict> {
        self.report.bind(py).clone()
    }

    /// A table and folded details, for the comment of a pull request.
    fn to_markdown(&self, py: Python<'_>) -> PyResult<String> {
        self.text(py, Form::Markdown)
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        self.text(py, Form::Text)
    }

    fn __bool__(&self) -> bool {
        self.is_any
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.resources(py)?.len()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.resources(py)?.try_iter()?.into_any())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<Diff of {} resources>", self.__len__(py)?))
    }

    /// The picture of the new document with its changes, for a notebook.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<Option<String>> {
        detached(py, || drawing::frame(&self.new, Some(&self.old)))
    }
}

impl Diff {
    fn text(&self, py: Python<'_>, form: Form) -> PyResult<String> {
        let (text, _) = detached(py, || written(&self.wanted, &self.old, &self.new, form))?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    fn member<'py>(&self, py: Python<'py>, key: &str) -> PyResult<Bound<'py, PyAny>> {
        match self.report.bind(py).get_item(key)? {
            Some(member) => Ok(member),
            None => Ok(PyList::empty(py).into_any()),
        }
    }
}
