//! The differences of two documents.

use crate::document::Document;
use crate::drawing;
use crate::error::{Fault, detached};
use crate::objects::of_json;
use crate::opened::Opened;
use coconut_diff::value::Moves;
use coconut_diff::{Diff as Comparison, Options, Side, Strict, is_of_unknown_kind, is_same_document};
use coconut_report::Failure;
use coconut_report::diff::{Documents, Filter, Form, IgnoreRule, NamedDocument, Selection, Shape};
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
    let wanted = Wanted { keys, types, paths, ignore, exact, full };
    let (json, is_any) = detached(py, || wanted.written(&old, &new, Form::Json))?;
    let report = of_json(py, &json)?.cast_into::<PyDict>()?;
    Ok(Diff { old, new, wanted, is_any, report: report.unbind() })
}

/// The question of a comparison.
struct Wanted {
    keys: Vec<String>,
    types: Vec<String>,
    paths: Vec<String>,
    ignore: Vec<String>,
    exact: bool,
    full: bool,
}

impl Wanted {
    /// The answer in a form, and whether anything differs.
    fn written(&self, old: &Opened, new: &Opened, form: Form) -> Result<(Vec<u8>, bool), Fault> {
        let reveals = old.reveal && new.reveal;
        let rules = self.ignore.iter().map(|rule| IgnoreRule::parse(rule)).collect::<Result<_, Failure>>()?;
        let mut filter = Filter::new(Selection {
            keys: &self.keys,
            types: &self.types,
            paths: &self.paths,
            rules,
            is_full: self.full,
            ..Selection::default()
        })?;
        let shape = Shape {
            form,
            is_full: self.full,
            reveals,
            max_changes: if form == Form::Json { usize::MAX } else { Shape::default().max_changes },
            ..Shape::default()
        };
        let documents = Documents {
            old: NamedDocument::new(&old.name, old.view()),
            new: NamedDocument::new(&new.name, new.view()),
            are_parts: false,
        };
        let mut out = Vec::new();
        if !filter.selects_resources() && is_same_document(old.view(), new.view()) {
            old.view().check_blocks().map_err(|error| old.failed(error))?;
            documents.write_equal(&mut filter, &shape, &mut out)?;
            return Ok((out, false));
        }
        let [a, b] = Side::read_both(old.view(), new.view());
        let (a, b) = (a.map_err(|error| old.failed(error))?, b.map_err(|error| new.failed(error))?);
        let is_plain = is_of_unknown_kind(old.view()) && is_of_unknown_kind(new.view());
        let options = Options {
            is_exact: self.exact,
            moves: Moves::USUAL,
            lists: Vec::new(),
            is_full: self.full || !self.paths.is_empty(),
            reveals,
            strict: Strict { forms: is_plain, ..Strict::default() },
        };
        let mut found = Comparison::of(&a, &b, &options).map_err(|error| new.failed(error))?;
        let counted = documents.write(&mut found, &mut filter, &shape, &mut out, &mut |_| {})?;
        Ok((out, counted.is_any()))
    }

    fn text(&self, old: &Opened, new: &Opened, form: Form) -> Result<String, Fault> {
        let (text, _) = self.written(old, new, form)?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }
}

/// The changes between two documents, which `diff` returns. It is true if there are any.
///
/// `str(changes)` is the text of `coco diff`. The structure of the entries is that of
/// `coco diff --json`; `coco schema diff` describes it.
#[pyclass(frozen, module = "coconut_format")]
pub(crate) struct Diff {
    old: Arc<Opened>,
    new: Arc<Opened>,
    wanted: Wanted,
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
        detached(py, || self.wanted.text(&self.old, &self.new, Form::Markdown))
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        detached(py, || self.wanted.text(&self.old, &self.new, Form::Text))
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
    fn member<'py>(&self, py: Python<'py>, key: &str) -> PyResult<Bound<'py, PyAny>> {
        match self.report.bind(py).get_item(key)? {
            Some(member) => Ok(member),
            None => Ok(PyList::empty(py).into_any()),
        }
    }
}
