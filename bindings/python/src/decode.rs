//! Documents and values as objects of Python.

use crate::error::Fault;
use crate::objects::{Object, integer};
use coconut_codec::event::{EventSink, SinkError};
use coconut_codec::read::file::DocumentView;
use coconut_codec::read::stream::Budget;
use coconut_codec::read::tree::{TreeContent, TreeValue};
use coconut_codec::read::view::ValueView;
use coconut_codec::secrets::{Redaction, SECRET};
use coconut_codec::text::json::JsonStyle;
use coconut_format::Integer;
use coconut_format::graph::{PathSet, Place};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyList, PyString};
use std::collections::HashMap;

/// The whole document. A value that is stored once and occurs at many places is one object, unless
/// a part of it is secret at some of them.
pub(crate) fn document<'py>(
    py: Python<'py>,
    view: DocumentView<'_>,
    redaction: &Redaction,
) -> Result<Object<'py>, PyErr> {
    let tree = view.tree().map_err(|error| Fault::from(error).raised(py))?;
    let places = redaction.places();
    let place = if redaction.is_empty() { Place::Outside } else { places.root() };
    let mut decoder = Decoder { py, places, texts: HashMap::default(), shared: Vec::new() };
    decoder.value(tree.root(), place)
}

struct Decoder<'py, 'p> {
    py: Python<'py>,
    places: &'p PathSet,
    /// The texts so far, by their places in the file.
    texts: HashMap<*const u8, Bound<'py, PyString>, Addresses>,
    /// The shared values so far, by their numbers.
    shared: Vec<Option<Object<'py>>>,
}

impl<'py> Decoder<'py, '_> {
    /// Recursive, since documents have at most 512 levels (§9.1).
    fn value(&mut self, value: TreeValue<'_, '_>, place: Place) -> PyResult<Object<'py>> {
        if place == Place::Inside {
            return Ok(PyString::new(self.py, SECRET).into_any());
        }
        let number = value.shared_number().filter(|_| place == Place::Outside);
        if let Some(known) = number.and_then(|number| self.shared.get(number)?.as_ref()) {
            return Ok(known.clone());
        }
        let made = match value.content() {
            TreeContent::Null => self.py.None().into_bound(self.py),
            TreeContent::Bool(value) => PyBool::new(self.py, value).to_owned().into_any(),
            TreeContent::Integer(value) => integer(self.py, value)?,
            TreeContent::Float(value) => PyFloat::new(self.py, value).into_any(),
            TreeContent::String(text) => self.text(text).into_any(),
            TreeContent::List(list) => {
                let made = PyList::empty(self.py);
                for (index, item) in list.iter().enumerate() {
                    made.append(self.value(item, self.places.enter_item(place, index))?)?;
                }
                made.into_any()
            }
            TreeContent::Object(object) => {
                let made = PyDict::new(self.py);
                for (key, value) in object.iter() {
                    let value = self.value(value, self.places.enter_key(place, key))?;
                    made.set_item(self.text(key), value)?;
                }
                made.into_any()
            }
        };
        if let Some(number) = number {
            if self.shared.len() <= number {
                self.shared.resize(number + 1, None);
            }
            self.shared[number] = Some(made.clone());
        }
        Ok(made)
    }

    /// A text of the file. The file has each repeated one once, so its address identifies it.
    fn text(&mut self, text: &str) -> Bound<'py, PyString> {
        const LONGEST: usize = 64;
        if text.len() > LONGEST || text.is_empty() {
            return PyString::new(self.py, text);
        }
        let made = self.texts.entry(text.as_ptr()).or_insert_with(|| PyString::new(self.py, text));
        made.clone()
    }
}

/// The hash of addresses, which are distinct already.
#[derive(Clone, Copy, Default)]
struct Addresses;

impl std::hash::BuildHasher for Addresses {
    type Hasher = Address;

    fn build_hasher(&self) -> Address {
        Address(0)
    }
}

struct Address(u64);

impl std::hash::Hasher for Address {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0 << 8 | u64::from(byte);
        }
    }

    fn write_usize(&mut self, address: usize) {
        // The table uses the highest and the lowest bits.
        self.0 = (address as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(26);
    }
}

/// A value of a document at this place of the redaction, expanded within the budget of the file.
pub(crate) fn value<'py>(
    py: Python<'py>,
    view: ValueView<'_>,
    redaction: &Redaction,
    place: Place,
) -> PyResult<Object<'py>> {
    if place == Place::Inside {
        return Ok(PyString::new(py, SECRET).into_any());
    }
    let mut sink = PythonSink { py, open: Vec::new(), done: None, error: None };
    let budget = Budget::held(view.document().length() as u64);
    let streamed = view.stream(&mut redaction.sink_at(place, &mut sink), budget);
    match (sink.error, streamed) {
        (Some(error), _) => Err(error),
        (None, Err(error)) => Err(Fault::from(error).raised(py)),
        (None, Ok(())) => Ok(sink.done.expect("a stream is one value")),
    }
}

/// Builds objects of Python from events.
struct PythonSink<'py> {
    py: Python<'py>,
    open: Vec<Open<'py>>,
    done: Option<Object<'py>>,
    error: Option<PyErr>,
}

enum Open<'py> {
    List(Bound<'py, PyList>),
    Dict(Bound<'py, PyDict>, Option<Bound<'py, PyString>>),
}

impl<'py> PythonSink<'py> {
    fn put(&mut self, value: PyResult<Object<'py>>) -> Result<(), SinkError> {
        let put = value.and_then(|value| match self.open.last_mut() {
            None => {
                self.done = Some(value);
                Ok(())
            }
            Some(Open::List(list)) => list.append(value),
            Some(Open::Dict(dict, key)) => dict.set_item(key.take(), value),
        });
        put.map_err(|error| {
            let text = error.to_string();
            self.error = Some(error);
            SinkError::Output(text)
        })
    }

    fn end(&mut self) -> Result<(), SinkError> {
        match self.open.pop() {
            Some(Open::List(list)) => self.put(Ok(list.into_any())),
            Some(Open::Dict(dict, _)) => self.put(Ok(dict.into_any())),
            None => Ok(()),
        }
    }
}

impl EventSink for PythonSink<'_> {
    fn null(&mut self) -> Result<(), SinkError> {
        self.put(Ok(self.py.None().into_bound(self.py)))
    }

    fn bool(&mut self, value: bool) -> Result<(), SinkError> {
        self.put(Ok(PyBool::new(self.py, value).to_owned().into_any()))
    }

    fn integer(&mut self, value: Integer) -> Result<(), SinkError> {
        self.put(integer(self.py, value))
    }

    fn float(&mut self, value: f64) -> Result<(), SinkError> {
        self.put(Ok(PyFloat::new(self.py, value).into_any()))
    }

    fn string(&mut self, value: &str) -> Result<(), SinkError> {
        self.put(Ok(PyString::new(self.py, value).into_any()))
    }

    fn begin_list(&mut self) -> Result<(), SinkError> {
        self.open.push(Open::List(PyList::empty(self.py)));
        Ok(())
    }

    fn end_list(&mut self) -> Result<(), SinkError> {
        self.end()
    }

    fn begin_object(&mut self) -> Result<(), SinkError> {
        self.open.push(Open::Dict(PyDict::new(self.py), None));
        Ok(())
    }

    fn key(&mut self, key: &str) -> Result<(), SinkError> {
        if let Some(Open::Dict(_, next)) = self.open.last_mut() {
            *next = Some(PyString::new(self.py, key));
        }
        Ok(())
    }

    fn end_object(&mut self) -> Result<(), SinkError> {
        self.end()
    }
}

/// The layout of JSON text: on one line, or with this many spaces for each level.
pub(crate) fn json_style(indent: Option<u8>) -> JsonStyle {
    indent.map_or(JsonStyle::Minified, |indent| JsonStyle::Pretty { indent })
}
