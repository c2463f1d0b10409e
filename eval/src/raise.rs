//! §19.12 Raising: conversion of a graph to a program that creates it again.
//!
//! Required result: an evaluation of the raised program has the URNs, types, properties and
//! references of the graph. A finding reports each part that a program cannot express.

mod draft;
mod expression;
mod literal;
mod nodes;
mod packages;
mod stub;
mod text;

pub use text::ProgramText;

use crate::snapshot::{Snapshot, SnapshotError};
use coconut_format::Value as Json;
use coconut_format::graph::secret_places;
use coconut_format::landmark::{DIALECTS, Dialect};
use coconut_format::package::{Package, PackageError};
use draft::{Draft, ProgramForm};
use expression::Expression;
use std::error::Error;
use std::fmt;

/// A program that creates a graph, and the packages it needs. The program is a package, or the
/// sources of one.
#[derive(Clone, Debug)]
pub struct Raised<P = Package> {
    program: P,
    stubs: Vec<Package>,
    scheme: String,
    environment: String,
    resources: usize,
    findings: Vec<RaiseFinding>,
}

/// A difference between a raised program and its graph.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RaiseFinding {
    /// The URN of the resource.
    pub urn: String,
    /// The kind of the part that the program cannot express.
    pub kind: RaiseFindingKind,
    /// The difference, and the replacement in the program.
    pub text: String,
}

coconut_format::named! {
    /// The kind of a part that a raised program cannot express.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum RaiseFindingKind {
        /// The resource is not in the program.
        LeftOut = "left-out";
        /// It has more dependencies than the program can express.
        Dependencies = "dependencies";
        /// A reference becomes a plain value.
        Reference = "reference";
        /// A value in the program is different.
        Value = "value";
    }
    /// The name.
    pub fn as_str;
}

/// The reason why a graph cannot be raised.
#[derive(Debug)]
#[non_exhaustive]
pub enum RaiseError {
    /// The document has no resources.
    Snapshot(SnapshotError),
    /// The program would break a rule of packages.
    Package(PackageError),
}

impl fmt::Display for RaiseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RaiseError::Snapshot(error) => error.fmt(f),
            RaiseError::Package(error) => write!(f, "the graph does not give a valid package: {error}"),
        }
    }
}

impl Error for RaiseError {}

impl Raised {
    /// Raises a graph of any kind that [`Snapshot::from_value`] reads. The program marks its
    /// secrets, too.
    ///
    /// # Errors
    /// Fails if the document is not a graph, or if its names do not give a package.
    pub fn of(graph: &Json) -> Result<Raised, RaiseError> {
        raised(graph, ProgramForm::Package, |_, _, program, _| program)
    }
}

impl Raised<ProgramText> {
    /// Raises a graph to sources (§22). The classes of the program's own package are among them.
    /// The text contains secrets as they are.
    ///
    /// # Errors
    /// Those of [`Raised::of`].
    pub fn text_of(graph: &Json) -> Result<Raised<ProgramText>, RaiseError> {
        raised(graph, ProgramForm::Text, |draft, values, _, stubs| {
            let dependencies: Vec<&str> = stubs.iter().filter_map(Package::name).collect();
            draft.program_text(values, &dependencies)
        })
    }
}

fn raised<P>(
    graph: &Json,
    form: ProgramForm,
    program_of: impl FnOnce(&Draft<'_>, &[Expression], Package, &[Package]) -> P,
) -> Result<Raised<P>, RaiseError> {
    let secrets = secret_places(graph, Dialect::of(graph).unwrap_or(&DIALECTS[0]));
    let snapshot = Snapshot::signed(graph, &secrets).map_err(RaiseError::Snapshot)?;
    let mut draft = Draft::of(&snapshot, form);
    let values = draft.values();
    let mut packages = draft.packages(&values).map_err(RaiseError::Package)?;
    let package = packages.remove(0);
    let program = program_of(&draft, &values, package, &packages);
    let Draft { home, resources, findings, .. } = draft;
    Ok(Raised {
        program,
        stubs: packages,
        scheme: home.scheme,
        environment: home.environment,
        resources: resources.len(),
        findings,
    })
}

impl<P> Raised<P> {
    /// The program. Its function `.init` constructs one resource after the other.
    pub fn program(&self) -> &P {
        &self.program
    }

    /// Packages with the classes of the resources, as far as the graph shows them, and their base
    /// class. They replace the real packages.
    pub fn stubs(&self) -> &[Package] {
        &self.stubs
    }

    /// The scheme of the URNs, to pass as an option of the evaluation.
    pub fn scheme(&self) -> &str {
        &self.scheme
    }

    /// The environment of the URNs, to pass as an option of the evaluation.
    pub fn environment(&self) -> &str {
        &self.environment
    }

    /// The number of resources that the program creates.
    pub fn resources(&self) -> usize {
        self.resources
    }

    /// The differences between the program and the graph, in the order of the graph.
    pub fn findings(&self) -> &[RaiseFinding] {
        &self.findings
    }
}
