//! `Document` and `Landmark`.

use crate::answers::{self, Question};
use crate::decode::{self, json_style};
use crate::drawing;
use crate::error::{Fault, detached};
use crate::objects::{of_json, of_value};
use crate::opened::Opened;
use crate::value::{Here, at_pointer};
use coconut_codec::read::lookup::{LandmarkView, Ways};
use coconut_codec::read::stream::Budget;
use coconut_codec::secrets::Redaction;
use coconut_codec::text::json::Printer;
use coconut_format::error::DecodeError;
use coconut_format::graph::Place;
use coconut_format::truncated::Truncated;
use coconut_report::json::text;
use coconut_report::relations::Direction;
use coconut_report::select::{Classes, landmarks_named};
use coconut_report::{Exit, Failure, code};
use pyo3::IntoPyObjectExt as _;
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};
use std::sync::Arc;

/// A document: a mapping from the keys of its landmarks to their values.
///
/// `open`, `from_bytes` and `load` return one. It is immutable, and threads may share it. Only the
/// parts in use are read, each with its checksum. `verify` checks all of it.
///
/// >>> import coconut_format
/// >>> state = b'''{"version": 4, "terraform_version": "1.9.0", "resources": [
/// ...   {"mode": "managed", "type": "net", "name": "a", "instances": [
/// ...     {"attributes": {"cidr": "10.0.0.0/8"}}]},
/// ...   {"mode": "managed", "type": "host", "name": "b", "instances": [
/// ...     {"attributes": {"password": "x"}, "dependencies": ["net.a"],
/// ...      "sensitive_attributes": [[{"type": "get_attr", "value": "password"}]]}]}]}'''
/// >>> document = coconut_format.from_bytes(state, name="prod.tfstate")
/// >>> document["net.a"]["instances"][0]["attributes"]["cidr"]
/// '10.0.0.0/8'
/// >>> document["host.b"].pointer("/instances/0/attributes/password")
/// '[secret]'
/// >>> [resource["key"] for resource in document.rdeps("net.a")["resources"]]
/// ['host.b']
#[pyclass(frozen, mapping, module = "coconut_format")]
pub(crate) struct Document(pub(crate) Arc<Opened>);

impl Document {
    pub(crate) fn new(opened: Opened) -> Document {
        Document(Arc::new(opened))
    }

    fn failed(&self, py: Python<'_>, failure: impl Into<Failure>) -> PyErr {
        self.0.failed(failure).raised(py)
    }

    /// The value of a landmark, with the secrets in it.
    fn here(&self, landmark: LandmarkView<'_>) -> Result<Here, DecodeError> {
        let view = landmark.value()?;
        if self.0.reveal {
            let none = Arc::new(Redaction::default());
            let place = none.places().root();
            return Ok(Here::new(&self.0, view, &none, place));
        }
        // From the second lookup on, one search for all secrets costs less than one for each.
        if self.0.was_searched()
            && let Ok(redaction) = self.0.redaction()
            && redaction.is_empty()
        {
            return Ok(Here::new(&self.0, view, redaction, Place::Outside));
        }
        let document = self.0.view();
        let way = match landmark.indexed_way()? {
            Some(way) => way,
            None => Ways::from_root(document).next_to(landmark)?.to_vec(),
        };
        let redaction = Arc::new(Redaction::of_value_in(document, Some(landmark), &way, false)?);
        let place = redaction.place_of(&way);
        Ok(Here::new(&self.0, view, &redaction, place))
    }

    fn root_here(&self) -> Result<Here, DecodeError> {
        let redaction = self.0.redaction()?;
        Ok(Here::new(&self.0, self.0.view().root(), redaction, redaction.places().root()))
    }

    /// The first landmark of a key.
    fn first(&self, key: &str) -> Result<LandmarkView<'_>, Failure> {
        if let Some(&first) = self.0.view().get_all(key)?.first() {
            return Ok(first);
        }
        let document = self.0.view();
        let named = landmarks_named(document, key, Classes::named(document, None)?)?;
        let failure = Failure::negative(code::KEY_MISSING, "no landmark has this as its full key");
        let keys = named.iter().map(|landmark| self.landmark_of(*landmark).map(|landmark| landmark.key));
        let keys = keys.collect::<Result<Vec<_>, _>>()?;
        let near = keys.iter().map(text).collect();
        Err(failure.with_list("near", near, Vec::new()).with_hint(format!("use {}", keys.join(" or "))))
    }

    fn shown<'py>(&self, py: Python<'py>, landmark: LandmarkView<'_>) -> PyResult<Bound<'py, PyAny>> {
        self.here(landmark).map_err(|error| self.failed(py, error))?.shown(py)
    }

    fn landmark_of(&self, landmark: LandmarkView<'_>) -> Result<Landmark, DecodeError> {
        let hidden = self.0.hidden_keys()?;
        let (key, own_key) = (landmark.key()?, landmark.own_key()?);
        let parent = landmark.parent()?.map(|parent| parent.ordinal()).transpose()?;
        Ok(Landmark {
            key: hidden.shown(landmark, &key)?.to_owned(),
            own_key: hidden.shown(landmark, &own_key)?.to_owned(),
            class_: landmark.class()?,
            parent,
            ordinal: landmark.ordinal()?,
        })
    }

    fn at(&self, ordinal: u32) -> Result<Option<LandmarkView<'_>>, DecodeError> {
        self.0.view().landmark(ordinal)
    }
}

#[pymethods]
impl Document {
    /// The first landmark of this key in document order. Raises `MissingKey`, a `KeyError`, which
    /// names similar keys.
    fn __getitem__<'py>(&self, py: Python<'py>, key: &str) -> PyResult<Bound<'py, PyAny>> {
        let landmark = self.first(key).map_err(|failure| self.failed(py, failure))?;
        self.shown(py, landmark)
    }

    /// The first landmark of this key, or `default`.
    #[pyo3(signature = (key, default = None))]
    fn get<'py>(
        &self,
        py: Python<'py>,
        key: &str,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let all = self.0.view().get_all(key).map_err(|error| self.failed(py, error))?;
        match all.first() {
            Some(&landmark) => self.shown(py, landmark),
            None => Ok(default.unwrap_or_else(|| py.None().into_bound(py))),
        }
    }

    /// All landmarks of this key, in document order. Keys need not be unique.
    fn get_all<'py>(&self, py: Python<'py>, key: &str) -> PyResult<Bound<'py, PyList>> {
        let all = self.0.view().get_all(key).map_err(|error| self.failed(py, error))?;
        let values: Vec<_> = all.into_iter().map(|one| self.shown(py, one)).collect::<PyResult<_>>()?;
        PyList::new(py, values)
    }

    /// The only landmark of this key. Raises `AmbiguousKey` if there are several.
    fn get_unique<'py>(&self, py: Python<'py>, key: &str) -> PyResult<Bound<'py, PyAny>> {
        let all = self.0.view().get_all(key).map_err(|error| self.failed(py, error))?;
        match all.len() {
            0 | 1 => self.__getitem__(py, key),
            count => {
                let message = format!("{count} landmarks have the key `{}`", Truncated(key));
                let failure = Failure::new(Exit::Negative, code::KEY_AMBIGUOUS, message);
                Err(self.failed(py, failure.with_hint("`get_all` returns all of them")))
            }
        }
    }

    fn __contains__(&self, py: Python<'_>, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        match key.extract::<&str>() {
            Ok(key) => {
                let all = self.0.view().get_all(key).map_err(|error| self.failed(py, error))?;
                Ok(!all.is_empty())
            }
            Err(_) => Ok(false),
        }
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.0.view().landmark_count().map_err(|error| self.failed(py, error))? as usize)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.keys(py)?.try_iter()?.into_any())
    }

    /// The keys of all landmarks, in document order. A key that comes from a secret reads as
    /// `"[secret]"`.
    fn keys<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let all = PyList::empty(py);
        let failed = |error| self.failed(py, error);
        let hidden = self.0.hidden_keys().map_err(failed)?;
        let mut keys = self.0.view().keys().map_err(failed)?;
        while let Some((landmark, key)) = keys.read_next().map_err(failed)? {
            all.append(hidden.shown(landmark, key).map_err(failed)?)?;
        }
        Ok(all)
    }

    /// The values of all landmarks, in document order.
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.each(py, |landmark| self.shown(py, landmark))
    }

    /// The keys with their values, in document order.
    fn items<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.each(py, |landmark| {
            let key = self.landmark_of(landmark).map_err(|error| self.failed(py, error))?.key;
            (key, self.shown(py, landmark)?).into_bound_py_any(py)
        })
    }

    /// The landmarks without their values, in document order.
    fn landmarks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.each(py, |landmark| {
            self.landmark_of(landmark).map_err(|error| self.failed(py, error))?.into_bound_py_any(py)
        })
    }

    /// The landmark with this number, without its value.
    fn landmark(&self, py: Python<'_>, ordinal: u32) -> PyResult<Landmark> {
        let found = self.at(ordinal).and_then(|found| found.map(|one| self.landmark_of(one)).transpose());
        found.map_err(|error| self.failed(py, error))?.ok_or_else(|| PyIndexError::new_err(ordinal))
    }

    /// The value of the landmark with this number.
    fn value<'py>(&self, py: Python<'py>, ordinal: u32) -> PyResult<Bound<'py, PyAny>> {
        match self.at(ordinal).map_err(|error| self.failed(py, error))? {
            Some(landmark) => self.shown(py, landmark),
            None => Err(PyIndexError::new_err(ordinal)),
        }
    }

    /// The landmarks directly inside one, which is given as itself, its number, or its key.
    fn children<'py>(&self, py: Python<'py>, parent: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let failed = |error| self.failed(py, error);
        let ordinal = match (parent.cast::<Landmark>(), parent.extract::<u32>()) {
            (Ok(landmark), _) => landmark.get().ordinal,
            (_, Ok(ordinal)) => ordinal,
            _ => match parent.extract::<&str>() {
                Ok(key) => {
                    let first = self.first(key).map_err(|failure| self.failed(py, failure))?;
                    first.ordinal().map_err(failed)?
                }
                Err(_) => return Err(PyTypeError::new_err("expected a landmark, a number or a key")),
            },
        };
        let Some(parent) = self.at(ordinal).map_err(failed)? else {
            return Err(PyIndexError::new_err(ordinal));
        };
        let children = parent.children().map_err(failed)?;
        let children = children.into_iter().map(|child| self.landmark_of(child));
        PyList::new(py, children.collect::<Result<Vec<_>, _>>().map_err(failed)?)
    }

    /// The JSON pointer of the landmark with this number. Reads the keys before it.
    fn pointer_of(&self, py: Python<'_>, ordinal: u32) -> PyResult<String> {
        let failed = |error| self.failed(py, error);
        let Some(landmark) = self.at(ordinal).map_err(failed)? else {
            return Err(PyIndexError::new_err(ordinal));
        };
        let redaction = self.0.redaction().map_err(failed)?;
        let mut ways = Ways::from_root(self.0.view());
        let way = ways.next_to(landmark).map_err(failed)?;
        Ok(redaction.pointer(way, way.len()))
    }

    /// The keys and edge kinds of what the resource refers to directly.
    fn dependencies(&self, py: Python<'_>, key: &str) -> PyResult<Vec<(String, String)>> {
        detached(py, || answers::edges(&self.0, key, Direction::Dependencies))
    }

    /// The keys and edge kinds of what refers to the resource directly.
    fn dependents(&self, py: Python<'_>, key: &str) -> PyResult<Vec<(String, String)>> {
        detached(py, || answers::edges(&self.0, key, Direction::Dependents))
    }

    /// The root value.
    #[getter]
    fn root<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.root_here().map_err(|error| self.failed(py, error))?.shown(py)
    }

    /// The value at a JSON pointer from the root, such as `/resources/3/type`. Raises `KeyError` if
    /// there is none.
    fn pointer<'py>(&self, py: Python<'py>, pointer: &str) -> PyResult<Bound<'py, PyAny>> {
        at_pointer(&self.root_here().map_err(|error| self.failed(py, error))?, py, pointer)
    }

    /// The whole document as objects of Python.
    ///
    /// A value that the file stores once and uses at many places is one object, so treat the result
    /// as read-only. `json.loads(document.to_json())` makes one without shared objects.
    fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let redaction = self.0.redaction().map_err(|error| self.failed(py, error))?;
        decode::document(py, self.0.view(), redaction)
    }

    /// The whole document as JSON text, on one line or with this many spaces for each level.
    #[pyo3(signature = (indent = None))]
    fn to_json(&self, py: Python<'_>, indent: Option<u8>) -> PyResult<String> {
        detached(py, || {
            let opened = &*self.0;
            let redaction = opened.redaction().map_err(|error| opened.failed(error))?;
            let mut printer = Printer::new(Vec::new(), json_style(indent));
            let mut sink = redaction.sink_at(redaction.places().root(), &mut printer);
            let streamed = opened.view().stream(&mut sink, Budget::default());
            streamed.map_err(|error| opened.failed(error))?;
            let text = printer.finish().map_err(Fault::from)?;
            Ok(String::from_utf8(text).expect("a printer writes UTF-8"))
        })
    }

    /// The SHA-256 of the document's values (§4.7), computed. It does not depend on the layout.
    fn digest<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let digest = detached(py, || self.0.view().root().digest().map_err(|error| self.0.failed(error)))?;
        Ok(PyBytes::new(py, &digest))
    }

    /// Check everything: checksums, values, index, digest (§10). Raises `FormatError`.
    ///
    /// Verify files of foreign origin once. Otherwise only the parts in use are checked.
    fn verify(&self, py: Python<'_>) -> PyResult<()> {
        detached(py, || match self.0.view().check_integrity() {
            Ok(_) => Ok(()),
            Err(error) => Err(self.0.failed(error)),
        })
    }

    /// Facts about the file and its contents, as `coco info --json`.
    fn info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let report = detached(py, || answers::info(&self.0))?;
        of_value(py, &report)
    }

    /// All that the resource depends on, directly or indirectly, as `coco deps --json`.
    ///
    /// The key may be shortened, as far as it names one resource. `depth` is the number of edges to
    /// follow. `kinds` and `types` select edges and resources; `limit` cuts the list.
    #[pyo3(signature = (key, *, depth = None, kinds = Vec::new(), types = Vec::new(), limit = None))]
    fn deps<'py>(
        &self,
        py: Python<'py>,
        key: &str,
        depth: Option<u32>,
        kinds: Vec<String>,
        types: Vec<String>,
        limit: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let question = Question { key, depth, kinds: &kinds, types: &types, limit };
        let json = detached(py, || answers::related(&self.0, &question, Direction::Dependencies))?;
        of_json(py, &json)
    }

    /// All that depends on the resource, directly or indirectly, as `coco rdeps --json`. The
    /// arguments are those of `deps`.
    #[pyo3(signature = (key, *, depth = None, kinds = Vec::new(), types = Vec::new(), limit = None))]
    fn rdeps<'py>(
        &self,
        py: Python<'py>,
        key: &str,
        depth: Option<u32>,
        kinds: Vec<String>,
        types: Vec<String>,
        limit: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let question = Question { key, depth, kinds: &kinds, types: &types, limit };
        let json = detached(py, || answers::related(&self.0, &question, Direction::Dependents))?;
        of_json(py, &json)
    }

    /// The number of dependents of resources, by distance and by type, as `coco impact --json`.
    #[pyo3(signature = (*keys, depth = None, kinds = Vec::new(), stop_at = Vec::new()))]
    fn impact<'py>(
        &self,
        py: Python<'py>,
        keys: Vec<String>,
        depth: Option<u32>,
        kinds: Vec<String>,
        stop_at: Vec<String>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let json = detached(py, || answers::impact(&self.0, &keys, depth, &kinds, &stop_at))?;
        of_json(py, &json)
    }

    /// The places of a text in values and keys: a list of dictionaries, as in `coco find --json`.
    ///
    /// Secret texts are not searched. `word` matches whole words, `regex` takes the text for a
    /// regular expression. `types` searches only in resources of these types.
    #[pyo3(signature = (text, *, word = false, regex = false, ignore_case = false, types = Vec::new(),
        limit = None))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords of Python")]
    fn find<'py>(
        &self,
        py: Python<'py>,
        text: String,
        word: bool,
        regex: bool,
        ignore_case: bool,
        types: Vec<String>,
        limit: Option<u64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let match_as = answers::Match { word, regex, ignore_case };
        let json = detached(py, || answers::find(&self.0, text, match_as, &types, limit))?;
        of_json(py, &json)?.get_item("places")
    }

    /// The results of a jq filter, as a list.
    ///
    /// Only the values that the filter uses are decoded, and it sees no secrets. A filter that only
    /// selects, such as `.a[] | select(.b == 1)`, runs here. Any other one is a program, so it runs
    /// in a process of its own, with limits: `timeout` in seconds, `max_memory` in MiB in addition
    /// to the document, `max_steps` of the interpreter.
    ///
    /// Raises `QueryError` for a filter that cannot be compiled or that fails, and `LimitError`.
    ///
    /// >>> import coconut_format
    /// >>> document = coconut_format.from_bytes(b'{"a": [{"b": 1, "c": 2}, {"b": 3, "c": 4}]}')
    /// >>> document.query(".a[].b"), document.query(".a | map(.b * .c) | add")
    /// ([1, 3], [14])
    #[pyo3(signature = (filter, *, timeout = 60, max_memory = 1024, max_steps = 100_000_000))]
    fn query<'py>(
        &self,
        py: Python<'py>,
        filter: &str,
        timeout: u64,
        max_memory: u64,
        max_steps: u64,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Some(lines) = detached(py, || answers::query_here(&self.0, filter, max_steps))? {
            return answers::results(py, &lines);
        }
        let supervise = py.import("coconut_format._query")?.getattr("supervise")?;
        let bytes = detached(py, || Ok(self.0.view().bytes()))?;
        let document = PyBytes::new(py, bytes);
        supervise.call1((&self.0.name, document, filter, self.0.reveal, timeout, max_memory, max_steps))
    }

    /// A picture of the resources and the edges between them: the text of an `html` page that works
    /// offline, of an `svg` image, or in the languages `dot`, `mermaid`, `d2` and `graphml`.
    ///
    /// With `changed`, an older document, changes have colours. `focus` draws only the
    /// neighbourhood of a key, up to `depth` edges away.
    #[pyo3(signature = (form = "html", *, changed = None, focus = None, depth = None,
        types = Vec::new(), collapse = "none"))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords of Python")]
    fn graph(
        &self,
        py: Python<'_>,
        form: &str,
        changed: Option<&Document>,
        focus: Option<String>,
        depth: Option<u32>,
        types: Vec<String>,
        collapse: &str,
    ) -> PyResult<String> {
        let part = drawing::Part { focus, depth, types, collapse };
        let older = changed.map(|older| Arc::clone(&older.0));
        detached(py, || drawing::drawn(&self.0, older.as_deref(), form, &part))
    }

    /// The name for messages: the path, as it was given.
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    /// The form that was read: `file` or `memory`; for what was loaded, `cache`, `precompiled` or
    /// `source`.
    #[getter]
    fn origin(&self) -> &'static str {
        self.0.origin
    }

    /// The compiled forms that were not used, with the reasons.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.0.notes.clone()
    }

    /// The document type: `document`, `cocopack` or `cocogl`.
    #[getter]
    fn document_type(&self) -> &str {
        &self.0.view().header().document_type
    }

    /// The dialect that the writer recognised, such as `terraform-state-4`.
    #[getter]
    fn dialect(&self) -> Option<&str> {
        self.0.view().header().dialect.as_deref()
    }

    fn __repr__(&self) -> String {
        let dialect = self.dialect().unwrap_or(self.document_type());
        format!("<Document {:?}: {dialect}>", self.0.name)
    }

    /// The picture for a notebook.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<Option<String>> {
        detached(py, || drawing::frame(&self.0, None))
    }

    /// Does nothing: the file is closed with the last value of it. For `with` statements.
    fn close(&self) {}

    fn __enter__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __exit__(&self, _kind: &Bound<'_, PyAny>, _error: &Bound<'_, PyAny>, _trace: &Bound<'_, PyAny>) {}
}

impl Document {
    fn each<'py>(
        &self,
        py: Python<'py>,
        mut made: impl FnMut(LandmarkView<'_>) -> PyResult<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let all = PyList::empty(py);
        let count = self.0.view().landmark_count().map_err(|error| self.failed(py, error))?;
        for ordinal in 0..count {
            if let Some(landmark) = self.at(ordinal).map_err(|error| self.failed(py, error))? {
                all.append(made(landmark)?)?;
            }
        }
        Ok(all)
    }
}

/// The names of a landmark, without its value.
#[pyclass(frozen, get_all, module = "coconut_format")]
pub(crate) struct Landmark {
    /// The full key.
    key: String,
    /// The key without those of the landmarks around it.
    own_key: String,
    /// The number of its pattern in the landmark rule.
    class_: u8,
    /// The number of the landmark around it.
    parent: Option<u32>,
    /// Its number in document order.
    ordinal: u32,
}

#[pymethods]
impl Landmark {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<Landmark {} {}>", self.ordinal, PyString::new(py, &self.key).repr()?))
    }
}
