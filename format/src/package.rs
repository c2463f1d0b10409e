//! §12 Packages. The metadata and the modules of one compiled package.

#[cfg(feature = "verify")]
mod build;

#[cfg(feature = "verify")]
pub use build::{PackageBuilder, PackageError};

use crate::il::{self, Era, Module, PackageDialect, SyntaxKind, SyntaxNode, SyntaxWalk, WalkEvent};
use crate::names::{NameError, PackageUrl};
use crate::value::Value;

/// §12.1 The key of the extension for data without a field in the format. Each definition may have
/// it.
pub const EXTENSION: &str = "x-facets";

/// A package: the typed form of a `cocopack` document.
///
/// It keeps the whole document in its original order: [`to_value`](Package::to_value) returns
/// exactly the original value. Reading does not check the rules of §14; `verify::verify_package`
/// does.
///
/// ```
/// use coconut_format::{Package, Value};
///
/// let document = Value::Object(vec![("name".into(), Value::String("my/cluster".into()))]);
/// let package = Package::from_value(document.clone()).expect("an object");
/// assert_eq!(package.name(), Some("my/cluster"));
/// assert_eq!(package.to_value(), document);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    root: SyntaxNode,
}

impl Package {
    /// Reads a package from its document.
    ///
    /// Costs one pass; texts and lists are moved, not copied. Values that are nested deeper than
    /// [`MAX_DEPTH`](crate::limits::MAX_DEPTH) stay undecoded.
    ///
    /// # Errors
    ///
    /// The value itself, if it is not an object.
    pub fn from_value(value: Value) -> Result<Package, Value> {
        match value {
            Value::Object(entries) => Ok(Package { root: il::decode_record(SyntaxKind::Package, entries) }),
            other => Err(other),
        }
    }

    /// The document that the package was read from, or that a built package represents.
    pub fn to_value(&self) -> Value {
        self.root.to_value()
    }

    /// The root of the tree, of kind [`SyntaxKind::Package`].
    pub fn root(&self) -> &SyntaxNode {
        &self.root
    }

    /// The package as a typed view.
    #[doc(hidden)]
    pub fn view(&self) -> il::Package<'_> {
        il::Package::of(&self.root).expect("the root of a package is of kind `Package`")
    }

    /// The text under `name`.
    pub fn name(&self) -> Option<&str> {
        self.view().name()
    }

    /// The names of the declared dependencies with their references, in document order.
    pub fn dependencies(&self) -> impl Iterator<Item = (&str, Result<PackageUrl, NameError>)> {
        texts(self.view().dependencies()).map(|(name, url)| (name, PackageUrl::parse(url)))
    }

    /// Alternative names of modules, with the modules they refer to, in document order.
    pub fn aliases(&self) -> impl Iterator<Item = (&str, &str)> {
        texts(self.view().aliases())
    }

    /// The modules, in document order.
    #[doc(hidden)]
    pub fn modules(&self) -> impl Iterator<Item = (&str, Module<'_>)> {
        self.view().modules().filter_map(|(name, node)| Some((name, Module::of(node)?)))
    }

    /// The module with this name or alias. An alias of an alias is not followed.
    #[doc(hidden)]
    pub fn module(&self, name: &str) -> Option<Module<'_>> {
        let by_name =
            |wanted: &str| self.modules().find(|(name, _)| *name == wanted).map(|(_, module)| module);
        by_name(name).or_else(|| {
            let (_, target) = self.aliases().find(|(alias, _)| *alias == name)?;
            by_name(target)
        })
    }

    /// The dialects that have every form used in the package; empty if it mixes forms of different
    /// dialects.
    ///
    /// Costs a walk over the package.
    pub fn dialects(&self) -> Era {
        let nodes = SyntaxWalk::new(&self.root).filter_map(|step| match step {
            WalkEvent::Enter(node) => Some(node),
            WalkEvent::Leave(_) => None,
        });
        nodes.map(SyntaxNode::era).fold(Era::ALL, Era::intersection)
    }

    /// The newest dialect that the package can be in. The package is checked against it.
    ///
    /// If forms are mixed, it is the newest one with the oldest form.
    pub fn newest_dialect(&self) -> PackageDialect {
        self.dialects().until
    }
}

/// The entries of an object that are texts.
fn texts(value: Option<&Value>) -> impl Iterator<Item = (&str, &str)> {
    let entries = value.and_then(Value::as_object).unwrap_or_default();
    entries.iter().filter_map(|(key, value)| Some((key.as_str(), value.as_str()?)))
}
