//! Values that are read when they are used.

use crate::decode::{self, json_style};
use crate::error::{Fault, detached};
use crate::objects::integer;
use crate::opened::Opened;
use coconut_codec::read::stream::Budget;
use coconut_codec::read::view::{Content, ListView, ObjectView, ValuePlace, ValueView};
use coconut_codec::secrets::{Redaction, SECRET};
use coconut_codec::text::json::Printer;
use coconut_format::graph::Place;
use coconut_format::pointer;
use coconut_report::Failure;
use pyo3::IntoPyObjectExt as _;
use pyo3::exceptions::{PyIndexError, PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyList, PySlice, PyString};
use std::sync::Arc;

/// The place of a value in an open document, and relative to its secrets. Never inside one.
#[derive(Clone)]
pub(crate) struct Here {
    pub(crate) opened: Arc<Opened>,
    at: ValuePlace,
    redaction: Arc<Redaction>,
    place: Place,
}

impl Here {
    pub(crate) fn new(
        opened: &Arc<Opened>,
        view: ValueView<'_>,
        redaction: &Arc<Redaction>,
        place: Place,
    ) -> Here {
        Here { opened: Arc::clone(opened), at: view.place(), redaction: Arc::clone(redaction), place }
    }

    fn view(&self) -> ValueView<'_> {
        self.opened.view().value_at(self.at)
    }

    fn failed(&self, py: Python<'_>, failure: impl Into<Failure>) -> PyErr {
        self.opened.failed(failure).raised(py)
    }

    /// The value as Python sees it: a scalar, or a container that is not read yet.
    pub(crate) fn shown<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        if self.place == Place::Inside {
            return Ok(PyString::new(py, SECRET).into_any());
        }
        Ok(match self.view().content().map_err(|error| self.failed(py, error))? {
            Content::Null => py.None().into_bound(py),
            Content::Bool(value) => PyBool::new(py, value).to_owned().into_any(),
            Content::Integer(value) => integer(py, value)?,
            Content::Float(value) => PyFloat::new(py, value).into_any(),
            Content::String(text) => PyString::new(py, text).into_any(),
            Content::List(_) => List(self.clone()).into_bound_py_any(py)?,
            Content::Object(_) => Object(self.clone()).into_bound_py_any(py)?,
        })
    }

    /// A value in this one.
    fn inside(&self, view: ValueView<'_>, place: Place) -> Here {
        Here { at: view.place(), place, ..self.clone() }
    }

    fn entry(&self, key: &str, view: ValueView<'_>) -> Here {
        self.inside(view, self.redaction.places().enter_key(self.place, key))
    }

    fn item(&self, index: usize, view: ValueView<'_>) -> Here {
        self.inside(view, self.redaction.places().enter_item(self.place, index))
    }

    /// The value at a JSON pointer. Secrets have no children.
    pub(crate) fn pointer(&self, pointer: &str) -> Result<Option<Here>, Failure> {
        let Some(keys) = pointer::keys(pointer) else { return Ok(None) };
        let mut here = self.clone();
        for key in keys {
            let next = match here.place {
                Place::Inside => None,
                _ => match here.view().content()? {
                    Content::Object(object) => object.get(&key)?.map(|value| here.entry(&key, value)),
                    Content::List(list) => list.named(&key)?.map(|(index, item)| here.item(index, item)),
                    _ => None,
                },
            };
            match next {
                Some(next) => here = next,
                None => return Ok(None),
            }
        }
        Ok(Some(here))
    }

    pub(crate) fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        decode::value(py, self.view(), &self.redaction, self.place)
    }

    pub(crate) fn to_json(&self, py: Python<'_>, indent: Option<u8>) -> PyResult<String> {
        detached(py, || {
            let mut printer = Printer::new(Vec::new(), json_style(indent));
            let mut sink = self.redaction.sink_at(self.place, &mut printer);
            let view = self.view();
            view.stream(&mut sink, Budget::default()).map_err(|error| self.opened.failed(error))?;
            let text = printer.finish().map_err(Fault::from)?;
            Ok(String::from_utf8(text).expect("a printer writes UTF-8"))
        })
    }

    fn object(&self) -> Result<ObjectView<'_>, Fault> {
        match self.view().content().map_err(|error| self.opened.failed(error))? {
            Content::Object(object) => Ok(object),
            _ => Err(Failure::usage("the value is not an object").into()),
        }
    }

    fn list(&self) -> Result<ListView<'_>, Fault> {
        match self.view().content().map_err(|error| self.opened.failed(error))? {
            Content::List(list) => Ok(list),
            _ => Err(Failure::usage("the value is not a list").into()),
        }
    }

    /// Equal to what Python makes of it.
    fn equals(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let own = self.to_python(py)?;
        if let Ok(other) = other.cast::<Object>() {
            return own.eq(other.get().0.to_python(py)?);
        }
        match other.cast::<List>() {
            Ok(other) => own.eq(other.get().0.to_python(py)?),
            Err(_) => own.eq(other),
        }
    }
}

/// An object in a document: a mapping whose values are read when they are used.
///
/// It keeps its document open. Each access reads the file again, so keep what you use often.
/// `to_python` makes a `dict`, which nothing else refers to. A secret is the text `"[secret]"`.
///
/// >>> import coconut_format
/// >>> web = coconut_format.from_bytes(b'{"vertices": {"web": {"port": 80, "on": true}}}')["web"]
/// >>> web["port"], web.get("host"), "on" in web, len(web), list(web)
/// (80, None, True, 2, ['port', 'on'])
/// >>> web == {"port": 80, "on": True}
/// True
#[pyclass(frozen, mapping, module = "coconut_format")]
pub(crate) struct Object(Here);

#[pymethods]
impl Object {
    fn __getitem__<'py>(&self, py: Python<'py>, key: &str) -> PyResult<Bound<'py, PyAny>> {
        match self.entry(py, key)? {
            Some(found) => found.shown(py),
            None => Err(PyKeyError::new_err(key.to_owned())),
        }
    }

    /// The value under `key`, or `default`.
    #[pyo3(signature = (key, default = None))]
    fn get<'py>(
        &self,
        py: Python<'py>,
        key: &str,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match self.entry(py, key)? {
            Some(found) => found.shown(py),
            None => Ok(default.unwrap_or_else(|| py.None().into_bound(py))),
        }
    }

    fn __contains__(&self, py: Python<'_>, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        match key.extract::<&str>() {
            Ok(key) => Ok(self.entry(py, key)?.is_some()),
            Err(_) => Ok(false),
        }
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.0.object().map_err(|fault| fault.raised(py))?.len())
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.keys(py)?.try_iter()?.into_any())
    }

    /// The keys, in document order.
    fn keys<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.each(py, |key, _| Ok(PyString::new(py, key).into_any()))
    }

    /// The values, in document order.
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.each(py, |key, value| self.0.entry(key, value).shown(py))
    }

    /// The keys with their values, in document order.
    fn items<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.each(py, |key, value| (key, self.0.entry(key, value).shown(py)?).into_bound_py_any(py))
    }

    /// The value at a JSON pointer from here, such as `/tags/0`. Raises `KeyError` if there is
    /// none.
    fn pointer<'py>(&self, py: Python<'py>, pointer: &str) -> PyResult<Bound<'py, PyAny>> {
        at_pointer(&self.0, py, pointer)
    }

    /// A `dict` with all that is in the object.
    fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.0.to_python(py)
    }

    /// The JSON text, on one line or with this many spaces for each level.
    #[pyo3(signature = (indent = None))]
    fn to_json(&self, py: Python<'_>, indent: Option<u8>) -> PyResult<String> {
        self.0.to_json(py, indent)
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        self.0.equals(py, other)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<Object with {} entries>", self.__len__(py)?))
    }
}

impl Object {
    fn entry(&self, py: Python<'_>, key: &str) -> PyResult<Option<Here>> {
        let object = self.0.object().map_err(|fault| fault.raised(py))?;
        let found = object.get(key).map_err(|error| self.0.failed(py, error))?;
        Ok(found.map(|value| self.0.entry(key, value)))
    }

    fn each<'py>(
        &self,
        py: Python<'py>,
        mut made: impl FnMut(&str, ValueView<'_>) -> PyResult<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let all = PyList::empty(py);
        for entry in self.0.object().map_err(|fault| fault.raised(py))?.iter() {
            let (key, value) = entry.map_err(|error| self.0.failed(py, error))?;
            all.append(made(key, value)?)?;
        }
        Ok(all)
    }
}

/// A list in a document: a sequence whose items are read when they are used.
///
/// Finding an item takes a walk over the items before it; a loop over the list does not.
///
/// >>> import coconut_format
/// >>> web = coconut_format.from_bytes(b'{"vertices": {"web": {"ports": [80, 443]}}}')["web"]
/// >>> ports = web["ports"]
/// >>> ports[-1], len(ports), list(ports), ports == [80, 443]
/// (443, 2, [80, 443], True)
#[pyclass(frozen, sequence, module = "coconut_format")]
pub(crate) struct List(Here);

#[pymethods]
impl List {
    fn __getitem__<'py>(&self, py: Python<'py>, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if index.is_instance_of::<PySlice>() {
            return self.all(py)?.as_any().get_item(index);
        }
        if !index.is_instance_of::<PyInt>() {
            return Err(PyTypeError::new_err("the index of a list is an integer or a slice"));
        }
        let list = self.0.list().map_err(|fault| fault.raised(py))?;
        let (index, length) = (index.extract::<isize>()?, list.len());
        let at = if index < 0 { length.checked_add_signed(index) } else { usize::try_from(index).ok() };
        let found = match at {
            Some(at) => list.get(at).map_err(|error| self.0.failed(py, error))?.map(|item| (at, item)),
            None => None,
        };
        match found {
            Some((at, item)) => self.0.item(at, item).shown(py),
            None => Err(PyIndexError::new_err(format!("{index} of {length} items"))),
        }
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.0.list().map_err(|fault| fault.raised(py))?.len())
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.all(py)?.try_iter()?.into_any())
    }

    fn __contains__(&self, py: Python<'_>, item: &Bound<'_, PyAny>) -> PyResult<bool> {
        self.all(py)?.contains(item)
    }

    /// The index of the first item that equals `value`. Raises `ValueError` if there is none.
    fn index(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<usize> {
        self.all(py)?.index(value)
    }

    /// The number of items that equal `value`.
    fn count(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<usize> {
        self.all(py)?.call_method1("count", (value,))?.extract()
    }

    fn __reversed__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.all(py)?.call_method0("__reversed__")
    }

    /// The value at a JSON pointer from here, such as `/0/name`. Raises `KeyError` if there is
    /// none.
    fn pointer<'py>(&self, py: Python<'py>, pointer: &str) -> PyResult<Bound<'py, PyAny>> {
        at_pointer(&self.0, py, pointer)
    }

    /// A `list` with all that is in the list.
    fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.0.to_python(py)
    }

    /// The JSON text, on one line or with this many spaces for each level.
    #[pyo3(signature = (indent = None))]
    fn to_json(&self, py: Python<'_>, indent: Option<u8>) -> PyResult<String> {
        self.0.to_json(py, indent)
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        self.0.equals(py, other)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<List of {} items>", self.__len__(py)?))
    }
}

impl List {
    /// All items, which are not read yet.
    fn all<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let all = PyList::empty(py);
        for (index, item) in self.0.list().map_err(|fault| fault.raised(py))?.items().enumerate() {
            let item = item.map_err(|error| self.0.failed(py, error))?;
            all.append(self.0.item(index, item).shown(py)?)?;
        }
        Ok(all)
    }
}

/// The value at a pointer, as Python sees it.
pub(crate) fn at_pointer<'py>(here: &Here, py: Python<'py>, pointer: &str) -> PyResult<Bound<'py, PyAny>> {
    match here.pointer(pointer).map_err(|failure| here.failed(py, failure))? {
        Some(found) => found.shown(py),
        None => Err(PyKeyError::new_err(pointer.to_owned())),
    }
}
