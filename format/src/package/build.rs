//! §12 Building packages of the newest dialect.

use super::Package;
use crate::explain::ErrorClass;
use crate::il::{BuildError, Field, NodeBuilder, SyntaxKind, SyntaxNode};
use crate::names::{ModuleName, PackageName, PackageUrl};
use crate::value::Value;
use crate::verify::{Finding, Severity, verify_package};
use std::fmt;

/// Builds a package from checked names and built modules. Returns only packages that satisfy the
/// rules of §14.
///
/// ```
/// use coconut_format::il::{SyntaxKind, NodeBuilder};
/// use coconut_format::names::{ModuleName, PackageName, PackageUrl};
/// use coconut_format::package::PackageBuilder;
///
/// let name = NodeBuilder::new(SyntaxKind::Identifier).set("ident", "index").finish()?;
/// let module = NodeBuilder::new(SyntaxKind::Module).set("name", name).finish()?;
/// let package = PackageBuilder::new(&PackageName::parse("my/cluster")?)
///     .dependency(&PackageName::parse("aws")?, &PackageUrl::Any)
///     .module(&ModuleName::parse("index")?, module)
///     .alias(".default", "index")
///     .finish()?;
/// assert_eq!(package.module(".default").map(|module| module.members().count()), Some(0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct PackageBuilder {
    name: String,
    metadata: Vec<(String, String)>,
    dependencies: Vec<(String, Value)>,
    modules: Vec<(String, SyntaxNode)>,
    aliases: Vec<(String, Value)>,
}

impl PackageBuilder {
    /// Begins a package.
    pub fn new(name: &PackageName) -> PackageBuilder {
        PackageBuilder {
            name: name.to_string(),
            metadata: Vec::new(),
            dependencies: Vec::new(),
            modules: Vec::new(),
            aliases: Vec::new(),
        }
    }

    /// Sets `description`, `author`, `website` or `license`.
    #[must_use]
    pub fn metadata(mut self, key: &str, text: &str) -> PackageBuilder {
        self.metadata.push((key.to_owned(), text.to_owned()));
        self
    }

    /// Declares a package that tokens may refer to.
    #[must_use]
    pub fn dependency(mut self, name: &PackageName, url: &PackageUrl) -> PackageBuilder {
        self.dependencies.push((name.to_string(), Value::String(url.to_string())));
        self
    }

    /// Adds a module, a node of kind [`SyntaxKind::Module`].
    #[must_use]
    pub fn module(mut self, name: &ModuleName, module: SyntaxNode) -> PackageBuilder {
        self.modules.push((name.to_string(), module));
        self
    }

    /// Gives a module another name.
    #[must_use]
    pub fn alias(mut self, alias: &str, module: &str) -> PackageBuilder {
        self.aliases.push((alias.to_owned(), Value::String(module.to_owned())));
        self
    }

    /// Returns the package. Parts that were not set are absent.
    ///
    /// Verifies it without its dependencies: tokens into them are not looked up, so
    /// [`verify_package`] with the dependencies may still report findings. Ignores warnings.
    ///
    /// # Errors
    ///
    /// An unknown metadata key, anything set twice, a node that is not a module, or the first
    /// violated rule.
    pub fn finish(self) -> Result<Package, PackageError> {
        let package = self.assemble().map_err(PackageError::Part)?;
        let mut findings = verify_package(&package, &[]).into_iter();
        match findings.find(|finding| finding.severity() == Severity::Error) {
            Some(finding) => Err(PackageError::Rule(Box::new(finding))),
            None => Ok(package),
        }
    }

    /// Returns the package without checking any rule.
    pub(crate) fn assemble(self) -> Result<Package, BuildError> {
        let mut root = NodeBuilder::new(SyntaxKind::Package).set("name", self.name.as_str());
        for (key, text) in &self.metadata {
            root = root.set(key, text.as_str());
        }
        for (key, entries) in [("dependencies", self.dependencies), ("aliases", self.aliases)] {
            reject_repeated(&entries)?;
            if !entries.is_empty() {
                root = root.set(key, Field::Value(Value::Object(entries)));
            }
        }
        reject_repeated(&self.modules)?;
        if !self.modules.is_empty() {
            root = root.set("modules", self.modules);
        }
        Ok(Package { root: root.finish()? })
    }
}

/// The reasons why a package cannot be built.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum PackageError {
    /// Its root would not be a package.
    Part(BuildError),
    /// It violates a rule: the first error that verification finds.
    Rule(Box<Finding>),
}

impl fmt::Display for PackageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PackageError::Part(error) => error.fmt(f),
            PackageError::Rule(finding) => finding.fmt(f),
        }
    }
}

impl std::error::Error for PackageError {}

impl PackageError {
    /// Returns the stable code, for machines: that of the part, or the id of the rule.
    pub fn code(&self) -> &'static str {
        match self {
            PackageError::Part(error) => error.code(),
            PackageError::Rule(finding) => finding.rule.id,
        }
    }

    /// Returns the party at fault: the program that builds the package.
    pub fn class(&self) -> ErrorClass {
        ErrorClass::Caller
    }

    /// Returns the remedy: the hint of the finding.
    pub fn hint(&self) -> Option<&str> {
        match self {
            PackageError::Part(error) => error.hint(),
            PackageError::Rule(finding) => finding.hint.as_deref(),
        }
    }

    /// Returns the meaning of the code and the remedy.
    pub fn explanation(&self) -> Option<&'static str> {
        match self {
            PackageError::Part(error) => error.explanation(),
            PackageError::Rule(finding) => Some(finding.rule.explanation),
        }
    }
}

fn reject_repeated<T>(entries: &[(String, T)]) -> Result<(), BuildError> {
    for (index, (key, _)) in entries.iter().enumerate() {
        if entries[..index].iter().any(|(earlier, _)| earlier == key) {
            return Err(BuildError::Twice { kind: SyntaxKind::Package, key: key.clone() });
        }
    }
    Ok(())
}
