//! §12 Building packages of the newest dialect.

use super::Package;
use crate::il::{BuildError, Field, Kind, Node, NodeBuilder};
use crate::names::{ModuleName, PackageName, PackageUrl};
use crate::value::Value;

/// Makes a package out of checked names and built modules.
///
/// ```
/// use coconut_format::il::{Kind, NodeBuilder};
/// use coconut_format::names::{ModuleName, PackageName, PackageUrl};
/// use coconut_format::package::PackageBuilder;
///
/// let name = NodeBuilder::new(Kind::Identifier).set("ident", "index").finish()?;
/// let module = NodeBuilder::new(Kind::Module).set("name", name).finish()?;
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
    modules: Vec<(String, Node)>,
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

    /// Adds a module, a node of kind [`Kind::Module`].
    #[must_use]
    pub fn module(mut self, name: &ModuleName, module: Node) -> PackageBuilder {
        self.modules.push((name.to_string(), module));
        self
    }

    /// Gives a module another name.
    #[must_use]
    pub fn alias(mut self, alias: &str, module: &str) -> PackageBuilder {
        self.aliases.push((alias.to_owned(), Value::String(module.to_owned())));
        self
    }

    /// The package. Parts that were not set are absent.
    ///
    /// # Errors
    /// A metadata key that packages do not have, anything set twice, or a module that is none.
    pub fn finish(self) -> Result<Package, BuildError> {
        let mut root = NodeBuilder::new(Kind::Package).set("name", self.name.as_str());
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

fn reject_repeated<T>(entries: &[(String, T)]) -> Result<(), BuildError> {
    for (index, (key, _)) in entries.iter().enumerate() {
        if entries[..index].iter().any(|(earlier, _)| earlier == key) {
            return Err(BuildError::Twice { kind: Kind::Package, key: key.clone() });
        }
    }
    Ok(())
}
