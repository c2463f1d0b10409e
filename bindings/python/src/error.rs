//! Failures as exceptions.

use coconut_format::Value;
use coconut_report::Failure;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::io;
use std::path::Path;

use crate::objects::of_value;

/// A failure of the libraries, or of the system.
///
/// Work without the lock of the interpreter cannot make exceptions, so it returns this.
pub(crate) enum Fault {
    Failed(Box<Failure>),
    System { error: io::Error, file: String },
}

impl Fault {
    /// A file cannot be read or written.
    pub(crate) fn system(path: &Path, error: io::Error) -> Fault {
        match error.kind() {
            io::ErrorKind::FileTooLarge => Failure::reading(path, &error).into(),
            _ => Fault::System { error, file: path.to_string_lossy().into_owned() },
        }
    }

    /// The exception.
    pub(crate) fn raised(self, py: Python<'_>) -> PyErr {
        match self {
            Fault::Failed(failure) => exception(py, &failure.to_value()).unwrap_or_else(|error| error),
            Fault::System { error, file } => {
                let text = error.to_string();
                let text = text.split(" (os error").next().unwrap_or_default().to_owned();
                PyOSError::new_err((error.raw_os_error(), text, file))
            }
        }
    }
}

impl<E: Into<Failure>> From<E> for Fault {
    fn from(error: E) -> Fault {
        Fault::Failed(Box::new(error.into()))
    }
}

/// Runs work without the lock of the interpreter. Other threads of Python run meanwhile.
pub(crate) fn detached<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, Fault> + Send,
) -> PyResult<T> {
    py.detach(work).map_err(|fault| fault.raised(py))
}

fn exception(py: Python<'_>, facts: &Value) -> PyResult<PyErr> {
    let facts = of_value(py, facts)?;
    let of_facts = py.import("coconut_format._errors")?.getattr("of_facts")?;
    let exception = of_facts.call1((facts.cast::<PyDict>()?,))?;
    Ok(PyErr::from_value(exception))
}
