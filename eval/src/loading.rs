//! §19.1 Packages found by a loader.

use crate::packages::{LoadedPackage, PackageSource, Packages, SourceError};
use coconut_codec::loader::{LoadErrorKind, Loader};
use std::rc::Rc;

/// The packages that a [`Loader`] finds. Each is loaded when a program first refers to it, and its
/// modules are decoded when they are used.
///
/// A name that no place of the loader has is an unknown package of the program. A package that
/// exists but cannot be loaded is an error of the evaluation, and so is damage that shows later. To
/// exclude that, give the loader [`Freshness::Content`](coconut_codec::loader::Freshness::Content).
#[derive(Debug)]
pub struct LoaderPackages {
    loader: Loader,
}

impl LoaderPackages {
    /// The packages of this loader.
    pub fn new(loader: Loader) -> LoaderPackages {
        LoaderPackages { loader }
    }

    /// The loader.
    pub fn loader(&self) -> &Loader {
        &self.loader
    }
}

impl Packages for LoaderPackages {
    fn package(&self, name: &str) -> Result<Option<Rc<dyn PackageSource + '_>>, SourceError> {
        match self.loader.load(name) {
            Ok(loaded) => Ok(Some(Rc::new(LoadedPackage::new(loaded.document)?))),
            Err(error) if matches!(*error.kind, LoadErrorKind::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}
