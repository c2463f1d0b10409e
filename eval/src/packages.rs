//! §19.1 Sources of packages.

use coconut_codec::Document;
use coconut_codec::event::ValueSink;
use coconut_codec::read::file::Storage;
use coconut_codec::read::package::PackView;
use coconut_codec::read::stream::Budget;
use coconut_codec::read::view::ValueView;
use coconut_format::il::{SyntaxKind, SyntaxNode};
use coconut_format::{Package, Value};
use std::error::Error;
use std::rc::Rc;

/// The error of a package that cannot be read.
pub type SourceError = Box<dyn Error + Send + Sync>;

/// A package from which an evaluation decodes only the modules it uses.
pub trait PackageSource {
    /// The name of the package.
    fn name(&self) -> &str;

    /// The module to which an alias refers.
    fn alias(&self, name: &str) -> Option<String>;

    /// A module, decoded.
    ///
    /// # Errors
    /// Fails if the package is damaged or cannot be read.
    fn module(&self, name: &str) -> Result<Option<SyntaxNode>, SourceError>;

    /// The reference to the dependency of this name, if the package declares it.
    fn dependency(&self, _name: &str) -> Option<String> {
        None
    }
}

/// The packages that a program may refer to.
pub trait Packages {
    /// The package with this name. It is requested at most once.
    ///
    /// # Errors
    /// Fails if the package exists but cannot be read.
    fn package(&self, name: &str) -> Result<Option<Rc<dyn PackageSource + '_>>, SourceError>;
}

/// A package in memory.
impl PackageSource for Package {
    fn name(&self) -> &str {
        Package::name(self).unwrap_or_default()
    }

    fn alias(&self, name: &str) -> Option<String> {
        let alias = self.aliases().find(|(alias, _)| *alias == name).map(|(_, module)| module);
        // Before aliases existed, the package named its default module.
        let early = || self.view().default_module().filter(|_| name == ".default");
        alias.or_else(early).map(str::to_owned)
    }

    fn module(&self, name: &str) -> Result<Option<SyntaxNode>, SourceError> {
        Ok(Package::module(self, name).map(|module| coconut_format::il::NodeView::node(module).clone()))
    }

    fn dependency(&self, name: &str) -> Option<String> {
        let found = self.dependencies().find(|(dependency, _)| *dependency == name);
        Some(found?.1.ok()?.to_string())
    }
}

/// A package in a compiled file that something else keeps open. Only the parts in use are decoded.
///
/// [`LoadedPackage`] owns its file.
#[derive(Debug)]
pub struct ViewedPackage<'a> {
    view: PackView<'a>,
    names: Names,
}

impl<'a> ViewedPackage<'a> {
    /// The package of this view.
    ///
    /// # Errors
    /// Fails if the name or the aliases cannot be read.
    pub fn new(view: PackView<'a>) -> Result<ViewedPackage<'a>, SourceError> {
        Ok(ViewedPackage { view, names: Names::of(view)? })
    }
}

/// A package that owns its compiled file, so it can be stored and returned. Only the parts in use
/// are decoded.
///
/// ```
/// use coconut_codec::{CompileOptions, Document, compile};
/// use coconut_eval::{LoadedPackage, PackageSource};
///
/// let source = br#"{"name": "my/net", "modules": {"index": {"kind": "Module"}}}"#;
/// let file = Document::from_data(compile(source, &CompileOptions::default())?.bytes)?;
/// let package = LoadedPackage::new(file)?;
/// assert_eq!(package.name(), "my/net");
/// assert!(package.module("index").is_ok_and(|module| module.is_some()));
/// # Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
/// ```
#[derive(Debug)]
pub struct LoadedPackage<D: Storage> {
    document: Document<D>,
    names: Names,
}

impl<D: Storage> LoadedPackage<D> {
    /// The package in this document.
    ///
    /// # Errors
    /// Fails if the document is not a package, and if the name or the aliases cannot be read.
    pub fn new(document: Document<D>) -> Result<LoadedPackage<D>, SourceError> {
        let view = PackView::of(document.view()).ok_or("the document is not a package")?;
        Ok(LoadedPackage { names: Names::of(view)?, document })
    }
}

/// The texts of a package that an evaluation may request at any time.
#[derive(Debug)]
struct Names {
    name: String,
    aliases: Vec<(String, String)>,
    dependencies: Vec<(String, String)>,
}

impl Names {
    fn of(view: PackView<'_>) -> Result<Names, SourceError> {
        let name = view.name()?.unwrap_or_default().to_owned();
        let mut aliases = texts(view, "aliases")?;
        if let Some(module) = view.root().text("default")? {
            aliases.push((".default".to_owned(), module.to_owned()));
        }
        Ok(Names { name, aliases, dependencies: texts(view, "dependencies")? })
    }

    fn alias(&self, name: &str) -> Option<String> {
        self.aliases.iter().find(|(alias, _)| alias == name).map(|(_, module)| module.clone())
    }

    fn dependency(&self, name: &str) -> Option<String> {
        let found = self.dependencies.iter().find(|(dependency, _)| dependency == name);
        found.map(|(_, reference)| reference.clone())
    }
}

/// The strings of an object of the package.
fn texts(view: PackView<'_>, key: &str) -> Result<Vec<(String, String)>, SourceError> {
    let Some(found) = view.root().value(key)? else { return Ok(Vec::new()) };
    let Value::Object(entries) = owned(found)? else { return Ok(Vec::new()) };
    let text = |(key, value): (String, Value)| Some((key, value.as_str()?.to_owned()));
    Ok(entries.into_iter().filter_map(text).collect())
}

fn owned(view: ValueView<'_>) -> Result<Value, SourceError> {
    let mut sink = ValueSink::new();
    view.stream(&mut sink, Budget::default())?;
    sink.finish().ok_or_else(|| "the module ends early".into())
}

fn module(view: PackView<'_>, name: &str) -> Result<Option<SyntaxNode>, SourceError> {
    let Some(module) = view.module(name)? else { return Ok(None) };
    if module.kind() != SyntaxKind::Module {
        return Ok(None);
    }
    Ok(SyntaxNode::from_value(owned(module.view())?).ok())
}

impl PackageSource for ViewedPackage<'_> {
    fn name(&self) -> &str {
        &self.names.name
    }

    fn alias(&self, name: &str) -> Option<String> {
        self.names.alias(name)
    }

    fn module(&self, name: &str) -> Result<Option<SyntaxNode>, SourceError> {
        module(self.view, name)
    }

    fn dependency(&self, name: &str) -> Option<String> {
        self.names.dependency(name)
    }
}

impl<D: Storage> PackageSource for LoadedPackage<D> {
    fn name(&self) -> &str {
        &self.names.name
    }

    fn alias(&self, name: &str) -> Option<String> {
        self.names.alias(name)
    }

    fn module(&self, name: &str) -> Result<Option<SyntaxNode>, SourceError> {
        PackView::of(self.document.view()).map_or(Ok(None), |view| module(view, name))
    }

    fn dependency(&self, name: &str) -> Option<String> {
        self.names.dependency(name)
    }
}

/// A list of packages, for small programs and tests.
#[derive(Default)]
pub struct PackageList<'a>(Vec<Rc<dyn PackageSource + 'a>>);

impl<'a> PackageList<'a> {
    /// Creates an empty list.
    pub fn new() -> PackageList<'a> {
        PackageList::default()
    }

    /// Adds a package. If two have the same name, the first one is used.
    pub fn add(&mut self, package: impl PackageSource + 'a) {
        self.0.push(Rc::new(package));
    }
}

impl std::fmt::Debug for PackageList<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.0.iter().map(|package| package.name().to_owned())).finish()
    }
}

impl Packages for PackageList<'_> {
    fn package(&self, name: &str) -> Result<Option<Rc<dyn PackageSource + '_>>, SourceError> {
        Ok(self.0.iter().find(|package| package.name() == name).map(|package| Rc::clone(package) as _))
    }
}
