//! Packages that a program may use: those given by their files, and those found by name.

use coconut_codec::cache::Cache;
use coconut_codec::loader::{Loaded, Loader, SearchPath};
use coconut_codec::read::package::PackView;
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;

/// The packages that a program may use.
pub(crate) struct ForeignPackages {
    loader: Loader,
    found: RefCell<HashMap<String, Option<Rc<Loaded>>>>,
}

/// A module of another package.
pub(crate) struct ForeignModule<'a> {
    pub(crate) token: &'a str,
    pub(crate) loaded: Rc<Loaded>,
    /// The tokens of the exports, by name.
    pub(crate) exports: Vec<(&'a str, &'a str)>,
}

impl ForeignPackages {
    /// The packages given by their files, and those that are found by name from `folder`.
    pub(crate) fn new(folder: &Path, given: &[std::path::PathBuf]) -> Result<ForeignPackages, String> {
        let loader = Loader::builder().search(SearchPath::for_user(folder)).cache(Cache::for_user()).build();
        let mut found = HashMap::new();
        for path in given {
            let loaded = loader.load_file(path).map_err(|error| format!("{}: {error}", path.display()))?;
            let package = PackView::of(loaded.document.view());
            let name = package.and_then(|package| package.name().ok().flatten()).map(str::to_owned);
            let Some(name) = name else { return Err(format!("`{}` is not a package", path.display())) };
            found.insert(name, Some(Rc::new(loaded)));
        }
        Ok(ForeignPackages { loader, found: RefCell::new(found) })
    }

    /// The package of this name.
    pub(crate) fn package(&self, name: &str) -> Option<Rc<Loaded>> {
        if let Some(known) = self.found.borrow().get(name) {
            return known.clone();
        }
        let loaded = self.loader.load(name).ok().map(Rc::new);
        let package = loaded.filter(|loaded| PackView::of(loaded.document.view()).is_some());
        self.found.borrow_mut().insert(name.to_owned(), package.clone());
        package
    }
}
