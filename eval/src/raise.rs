//! §19.12 Raising: a graph as a program that makes it again.
//!
//! The law: an evaluation of the raised program has the URNs, types, properties and references of
//! the graph. Where a program cannot say something, a finding says so.

mod draft;
mod literal;
mod nodes;
mod packages;
mod stub;

use crate::snapshot::{Snapshot, SnapshotError};
use coconut_format::Value as Json;
use coconut_format::package::{Package, PackageError};
use draft::Draft;
use std::error::Error;
use std::fmt;

/// A program that makes a graph, and the packages that it needs.
#[derive(Clone, Debug)]
pub struct Raised {
    program: Package,
    stubs: Vec<Package>,
    scheme: String,
    environment: String,
    resources: usize,
    findings: Vec<RaiseFinding>,
}

/// What a raised program does not say as the graph does.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RaiseFinding {
    /// The URN of the resource.
    pub urn: String,
    /// What kind of thing the program cannot say.
    pub kind: RaiseFindingKind,
    /// What differs, and what the program says instead.
    pub text: String,
}

/// What a raised program cannot say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RaiseFindingKind {
    /// The resource is not in the program.
    LeftOut,
    /// It has another URN there.
    Urn,
    /// It has another type there.
    Type,
    /// It depends on more resources than its properties show.
    Dependencies,
    /// A reference is not one there.
    Reference,
    /// A value is another one there.
    Value,
}

impl RaiseFindingKind {
    /// The name.
    pub fn as_str(self) -> &'static str {
        match self {
            RaiseFindingKind::LeftOut => "left-out",
            RaiseFindingKind::Urn => "urn",
            RaiseFindingKind::Type => "type",
            RaiseFindingKind::Dependencies => "dependencies",
            RaiseFindingKind::Reference => "reference",
            RaiseFindingKind::Value => "value",
        }
    }
}

/// A graph that cannot be raised.
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
            RaiseError::Package(error) => write!(f, "the graph makes no valid package: {error}"),
        }
    }
}

impl Error for RaiseError {}

impl Raised {
    /// Raises a graph of any kind that [`Snapshot::from_value`] reads.
    ///
    /// # Errors
    /// The document is no graph, or its names make no package.
    pub fn of(graph: &Json) -> Result<Raised, RaiseError> {
        let snapshot = Snapshot::from_value(graph).map_err(RaiseError::Snapshot)?;
        let mut draft = Draft::of(&snapshot);
        let mut packages = draft.packages().map_err(RaiseError::Package)?;
        let program = packages.remove(0);
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

    /// The program. Its function `.init` constructs one resource after the other.
    pub fn program(&self) -> &Package {
        &self.program
    }

    /// Packages with the classes of the resources, as far as the graph shows them, and their base
    /// class. They stand in for the real ones.
    pub fn stubs(&self) -> &[Package] {
        &self.stubs
    }

    /// The scheme of the URNs, an option of the evaluation.
    pub fn scheme(&self) -> &str {
        &self.scheme
    }

    /// The environment of the URNs, an option of the evaluation.
    pub fn environment(&self) -> &str {
        &self.environment
    }

    /// How many resources the program makes.
    pub fn resources(&self) -> usize {
        self.resources
    }

    /// What the program does not say as the graph does, in the order of the graph.
    pub fn findings(&self) -> &[RaiseFinding] {
        &self.findings
    }
}
