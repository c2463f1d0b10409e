//! Packages that a program may use: those given by their files, and those found by name.

use crate::manifest::Manifest;
use coconut_codec::cache::Cache;
use coconut_codec::loader::{LoadErrorKind, Loaded, Loader, SearchPath};
use coconut_codec::read::file::{DocumentFile, DocumentView};
use coconut_codec::read::package::PackView;
use coconut_shell::open::begins_with_media_type;
use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// A package in memory.
pub(crate) enum Held {
    /// From a source, or from the cache.
    Loaded(Box<Loaded>),
    /// From a compiled file that was named.
    File(DocumentFile<Vec<u8>>),
}

impl Held {
    fn of_file(loader: &Loader, path: &Path) -> Result<Held, String> {
        let bytes = fs::read(path).map_err(|error| format!("cannot read: {error}"))?;
        if begins_with_media_type(&bytes) {
            let document = DocumentFile::from_data(bytes).map_err(|error| error.to_string())?;
            document.view().check_integrity().map_err(|error| error.to_string())?;
            return Ok(Held::File(document));
        }
        loader.load_file(path).map(|loaded| Held::Loaded(Box::new(loaded))).map_err(|error| error.to_string())
    }

    pub(crate) fn view(&self) -> DocumentView<'_> {
        match self {
            Held::Loaded(loaded) => loaded.document.view(),
            Held::File(document) => document.view(),
        }
    }
}

/// The packages that a program may use.
pub(crate) struct ForeignPackages {
    loader: Loader,
    /// The references of the manifest, by name.
    references: HashMap<String, String>,
    found: RefCell<HashMap<String, Result<Rc<Held>, Unfound>>>,
}

/// The reason why a package was not found by its name.
#[derive(Clone, Debug)]
pub(crate) enum Unfound {
    /// No place has it.
    Nowhere,
    /// It is there, and cannot be used. Another one of its name must not be used instead.
    Refused(String),
}

/// A module of another package.
pub(crate) struct ForeignModule<'a> {
    pub(crate) token: &'a str,
    pub(crate) loaded: Rc<Held>,
    /// The tokens of the exports, by name.
    pub(crate) exports: Vec<(&'a str, &'a str)>,
}

impl ForeignPackages {
    /// The packages given by their files, and those that are found by name: the ones of `coco.lock`
    /// in the cache of registries, others in the places of packages.
    pub(crate) fn new(
        search: SearchPath,
        given: &[PathBuf],
        manifest: &Manifest,
    ) -> Result<ForeignPackages, String> {
        let loader = Loader::builder().search(search).cache(Cache::for_user()).build();
        let references = manifest.references().map(|(name, text)| (name.to_owned(), text.to_owned()));
        let mut found = HashMap::new();
        for path in given {
            let loaded =
                Held::of_file(&loader, path).map_err(|error| format!("{}: {error}", path.display()))?;
            let package = PackView::of(loaded.view());
            let name = package.and_then(|package| package.name().ok().flatten()).map(str::to_owned);
            let Some(name) = name else { return Err(format!("`{}` is not a package", path.display())) };
            found.insert(name, Ok(Rc::new(loaded)));
        }
        Ok(ForeignPackages { loader, references: references.collect(), found: RefCell::new(found) })
    }

    /// The package of this name.
    pub(crate) fn package(&self, name: &str) -> Result<Rc<Held>, Unfound> {
        if let Some(known) = self.found.borrow().get(name) {
            return known.clone();
        }
        let package = self.load(name);
        self.found.borrow_mut().insert(name.to_owned(), package.clone());
        package
    }

    fn load(&self, name: &str) -> Result<Rc<Held>, Unfound> {
        let reference = self.references.get(name).map_or(name, String::as_str);
        let loaded = self.loader.load(reference).map_err(|error| match &*error.kind {
            LoadErrorKind::NotFound { .. } => Unfound::Nowhere,
            _ => Unfound::Refused(error.to_string()),
        })?;
        match PackView::of(loaded.document.view()) {
            Some(_) => Ok(Rc::new(Held::Loaded(Box::new(loaded)))),
            None => Err(Unfound::Nowhere),
        }
    }
}
