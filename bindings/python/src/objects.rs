//! Values of Rust as objects of Python.

use coconut_format::{Integer, Value};
use pyo3::IntoPyObjectExt as _;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString};

/// An object of Python.
pub(crate) type Object<'py> = Bound<'py, PyAny>;

/// A value of Rust.
pub(crate) fn of_value<'py>(py: Python<'py>, value: &Value) -> PyResult<Object<'py>> {
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(value) => PyBool::new(py, *value).to_owned().into_any(),
        Value::Integer(value) => integer(py, *value)?,
        Value::Float(value) => PyFloat::new(py, *value).into_any(),
        Value::String(text) => PyString::new(py, text).into_any(),
        Value::List(items) => {
            let made = PyList::empty(py);
            items.iter().try_for_each(|item| made.append(of_value(py, item)?))?;
            made.into_any()
        }
        Value::Object(entries) => {
            let made = PyDict::new(py);
            entries.iter().try_for_each(|(key, value)| made.set_item(key, of_value(py, value)?))?;
            made.into_any()
        }
    })
}

/// JSON text, which the libraries wrote.
pub(crate) fn of_json<'py>(py: Python<'py>, json: &[u8]) -> PyResult<Object<'py>> {
    let text = String::from_utf8_lossy(json);
    py.import("json")?.getattr("loads")?.call1((&*text,))
}

/// An integer of any size of the format.
pub(crate) fn integer(py: Python<'_>, value: Integer) -> PyResult<Object<'_>> {
    match (value.as_i64(), value.as_u64()) {
        (Some(value), _) => value.into_bound_py_any(py),
        (None, Some(value)) => value.into_bound_py_any(py),
        // The only place where these are rare enough for text.
        (None, None) => py.get_type::<PyInt>().call1((value.to_string(),)),
    }
}
