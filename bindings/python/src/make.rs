//! Compiled documents of sources, of values, and of documents in other forms.

use crate::document::Document;
use crate::error::{Fault, detached};
use crate::objects::of_value;
use crate::opened::{Opened, in_memory};
use coconut_codec::bytes::pipe::read_any;
use coconut_codec::bytes::replace::replace;
use coconut_codec::compile::{CompileOptions, writer_options};
use coconut_codec::write::Writer;
use coconut_codec::write::interner::{Interned, Interner};
use coconut_format::Value;
use coconut_interop::graph::{ConversionOptions, Form, GraphError, Target, push_graph};
use coconut_report::json::{list, object, text};
use coconut_report::{Exit, Failure};
use coconut_shell::open::name_of;
use coconut_surface::write::{ConvertError, PackageOptions, push_package};
use coconut_surface::{Dialect, read_whole};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// Compile a source in JSON or YAML: a path, or text as `bytes`.
///
/// Returns the bytes of the compiled document, or writes them to `output`, which is replaced as a
/// whole. Raises `FormatError` for an invalid text, with its line and column.
///
/// >>> import coconut_format
/// >>> compiled = coconut_format.compile(b'{"vertices": {"web": {"port": 80}}}')
/// >>> coconut_format.from_bytes(compiled)["web"]["port"]
/// 80
#[pyfunction]
#[pyo3(signature = (source, output = None))]
pub(crate) fn compile<'py>(
    py: Python<'py>,
    source: &Bound<'py, PyAny>,
    output: Option<PathBuf>,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let source = match (source.extract::<Cow<'_, [u8]>>(), source.extract::<PathBuf>()) {
        (Ok(text), _) => Origin::Text(text.into_owned()),
        (_, Ok(path)) => Origin::Path(path),
        _ => return Err(PyTypeError::new_err("expected a path or bytes")),
    };
    let bytes = detached(py, || {
        let opened = source.compiled()?;
        put(opened.view().bytes(), output.as_deref())
    })?;
    Ok(bytes.map(|bytes| PyBytes::new(py, &bytes)))
}

enum Origin {
    Text(Vec<u8>),
    Path(PathBuf),
}

impl Origin {
    fn compiled(&self) -> Result<Opened, Fault> {
        match self {
            Origin::Text(text) => in_memory("<bytes>", text, false),
            Origin::Path(path) => {
                let text = read_any(path).map_err(|error| Fault::system(path, error))?;
                in_memory(&name_of(path), &text, false)
            }
        }
    }
}

/// Writes bytes to a file, or returns them if there is none.
fn put(bytes: &[u8], output: Option<&Path>) -> Result<Option<Vec<u8>>, Fault> {
    match output {
        None => Ok(Some(bytes.to_vec())),
        Some(path) => {
            replace(path, bytes).map_err(|error| Fault::system(path, error))?;
            Ok(None)
        }
    }
}

/// Compile a value of Python: what `json.dumps` accepts, without NaN.
///
/// >>> import coconut_format
/// >>> coconut_format.from_bytes(coconut_format.dumps({"a": [1, 2.5, None]})).to_json()
/// '{"a":[1,2.5,null]}'
#[pyfunction]
pub(crate) fn dumps<'py>(py: Python<'py>, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    let options = pyo3::types::PyDict::new(py);
    options.set_item("allow_nan", false)?;
    options.set_item("ensure_ascii", false)?;
    let text: String = py.import("json")?.call_method("dumps", (value,), Some(&options))?.extract()?;
    let opened = detached(py, || in_memory("<value>.json", text.as_bytes(), false))?;
    Ok(PyBytes::new(py, opened.view().bytes()))
}

/// Convert a document to another form with the same meaning.
///
/// | `to` | result |
/// |---|---|
/// | `cocogl` | a Coconut 2017 resource graph |
/// | `pulumi-export`, `pulumi-checkpoint`, `pulumi-import` | a graph for Pulumi |
/// | `terraform-state`, `terraform-show` | a graph for Terraform |
/// | `cocopack` | a package, of the schema of a provider |
///
/// The result has the secrets of the source, and they stay marked. Read `findings`: each loss and
/// each assumption is one of them.
///
/// >>> import coconut_format
/// >>> state = {"version": 4, "terraform_version": "1.9.0", "serial": 1, "lineage": "x"}
/// >>> state = coconut_format.dumps({**state, "resources": []})
/// >>> result = coconut_format.convert(coconut_format.from_bytes(state), "cocogl")
/// >>> result.document.document_type, result.source_form
/// ('cocogl', 'terraform-state')
#[pyfunction]
#[pyo3(signature = (document, to, *, stack = None, project = None, name = None))]
pub(crate) fn convert(
    py: Python<'_>,
    document: &Document,
    to: &str,
    stack: Option<&str>,
    project: Option<&str>,
    name: Option<&str>,
) -> PyResult<Conversion> {
    let opened = &*document.0;
    let (converted, findings, source_form) = detached(py, || match graph_target(to) {
        Some(target) => graph(opened, target, &ConversionOptions { stack, project, mappings: None }),
        None if to == "cocopack" => package(opened, PackageOptions { name, base: None }),
        None => Err(Failure::usage(format!("documents have no form `{to}`"))
            .with_hint("`help(coconut_format.convert)` lists the forms")
            .into()),
    })?;
    let findings = of_value(py, &findings)?.unbind();
    Ok(Conversion { document: Py::new(py, Document::new(converted))?, findings, source_form })
}

/// The result of `convert`.
#[pyclass(frozen, get_all, module = "coconut_format")]
pub(crate) struct Conversion {
    /// The document in the new form. `to_json` and `compile` of its text write it.
    document: Py<Document>,
    /// The losses and assumptions: dictionaries with `code`, `message`, `subject`, `pointer`.
    findings: Py<PyAny>,
    /// The form of the source.
    source_form: &'static str,
}

#[pymethods]
impl Conversion {
    /// The bytes of the compiled result, with all of its secrets.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.document.get().0.view().bytes())
    }
}

fn graph_target(to: &str) -> Option<Target> {
    [
        Target::CocoGl,
        Target::PulumiExport,
        Target::PulumiCheckpoint,
        Target::PulumiImport,
        Target::TerraformState,
        Target::TerraformShow,
    ]
    .into_iter()
    .find(|target| target.name() == to)
}

type Converted = (Opened, Value, &'static str);

fn graph(opened: &Opened, target: Target, options: &ConversionOptions<'_>) -> Result<Converted, Fault> {
    let tree = opened.view().tree().map_err(|error| opened.failed(error))?;
    let from = Form::of(tree.root()).map_or("", Form::name);
    let mut interner = Interner::new();
    let findings = push_graph(tree.root(), target, options, &mut interner).map_err(|error| {
        opened.failed(match error {
            GraphError::Sink(error) => Failure::from(error),
            other => Failure::new(Exit::Decode, other.code(), other.to_string()),
        })
    })?;
    let findings = list(&findings, |finding| {
        object([
            ("code", text(finding.kind.code())),
            ("message", text(finding.to_string())),
            ("subject", text(&finding.subject)),
            ("pointer", text(&finding.pointer)),
        ])
    });
    Ok((written(opened, &interner.finish().map_err(Failure::from)?)?, findings, from))
}

fn package(opened: &Opened, options: PackageOptions<'_>) -> Result<Converted, Fault> {
    let tree = opened.view().tree().map_err(|error| opened.failed(error))?;
    let package = read_whole(tree.root()).map_err(|error| {
        let code = error.rule().map_or(coconut_format::code::SOURCE, |rule| rule.id);
        opened.failed(Failure::new(Exit::Decode, code, error.to_string()).with_hint(error.hint()))
    })?;
    if package.dialect == Dialect::CocoPack {
        return Err(opened.failed(Failure::usage("the document is already a package")));
    }
    let mut interner = Interner::new();
    let findings = push_package(&package, options, &mut interner).map_err(|error| {
        opened.failed(match error {
            ConvertError::Sink(error) => Failure::from(error),
            other => Failure::new(Exit::Limit, other.code(), other.to_string()),
        })
    })?;
    let findings = list(&findings, |finding| {
        object([
            ("code", text(finding.kind.code())),
            ("message", text(finding.to_string())),
            ("subject", text(&finding.token)),
            ("pointer", text(&finding.pointer)),
        ])
    });
    Ok((written(opened, &interner.finish().map_err(Failure::from)?)?, findings, package.dialect.name()))
}

/// The compiled form of a result. It shows its secrets where the source does.
fn written(source: &Opened, document: &Interned) -> Result<Opened, Fault> {
    let writer = Writer::new(writer_options(document, &CompileOptions::default(), None));
    let bytes = writer.to_bytes(document).map_err(|error| Failure::from(&error))?;
    in_memory(&source.name, &bytes, source.reveal)
}
