//! Loads documents by the name of their package, from the first of these that is good:
//!
//! ```text
//! cached entry ──▶ precompiled document beside the source ──▶ source, compiled and then cached
//!      mapped       verified at each load, used where it is          the truth
//! ```
//!
//! The cache only holds what was compiled here, and what came from a fleet. A precompiled document
//! is used only for this one path. Its file and its folder must belong to this user or the
//! administrator, and no other user may write to them. Nothing proves that its content matches its
//! source, so it is trusted as much as its folder.
//!
//! The source is authoritative. A fault in a compiled form is a reason to try the next one, never
//! an error. The result is the same as from the source alone. The reasons are returned with the
//! document, as values; nothing is printed.
//!
//! A compiled form never hides a source that has become invalid, because it is used only if it was
//! compiled from exactly this source ([`Freshness`]).
//!
//! Concurrent loads of one source compile it once, even in different processes that share a cache.
//! The others wait for the first, for a limited time ([`LoaderBuilder::patience`]).
//!
//! A load never waits for a network. A separate step with a deadline first copies entries of other
//! machines into the cache: see the crate `coconut-fleet`.
//!
//! ```
//! use coconut_codec::cache::Cache;
//! use coconut_codec::loader::{Loader, Origin, SearchPath};
//!
//! # let workspace = tempfile::tempdir()?;
//! # let workspace = workspace.path();
//! let package = workspace.join("aws");
//! std::fs::create_dir(&package)?;
//! std::fs::write(package.join("Cocopack.json"), r#"{"name": "aws", "modules": {"ec2": {}}}"#)?;
//!
//! let loader = Loader::builder()
//!     .search(SearchPath::default().workspace(workspace))
//!     .cache(Cache::for_workspace(workspace))
//!     .build();
//! let loaded = loader.load("aws#latest")?;
//! assert_eq!(loaded.document.header().document_type, "cocopack");
//! assert!(matches!(loaded.origin, Origin::Source { .. }));
//! # #[cfg(unix)]
//! assert!(matches!(loader.load("aws#latest")?.origin, Origin::Cached { .. }));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod as_package;
mod cache_state;
mod dot_directory;
mod error;
mod explain;
mod fallback;
mod fleet;
mod fleet_fault;
mod freshness;
mod lock_fault;
mod locked;
mod near_miss;
mod notes;
mod origin;
mod plan;
mod precompiled;
mod search;
mod turns;
mod workspace_file;

pub use as_package::AsPackage;
pub use cache_state::{CacheState, Input};
pub use error::{LoadError, LoadErrorKind, ReadError};
pub use explain::{Explanation, LoadPath};
pub use fallback::{Fallback, FallbackReason};
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub use fleet::RemoteRequest;
pub use fleet_fault::FleetFault;
pub use freshness::Freshness;
pub use lock_fault::LockFault;
#[cfg(feature = "tooling")]
pub use locked::{LOCK_FILE, LOCK_VERSION};
pub use near_miss::NearMiss;
pub use origin::{Origin, Proof};
pub use search::{PackageFiles, SearchPath, Site};
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub use workspace_file::{WorkspaceFile, own_file, workspace_file};

use crate::bounded_debug::bounded_debug;
use crate::bytes::expand::expanded;
use crate::bytes::input;
use crate::cache::{Cache, DocumentBytes, EntryInputs, Identity, options_digest};
use crate::compile::{CompileOptions, LandmarkChoice, compile};
use crate::read::file::{DocumentFile, DocumentView};
use crate::read::view::Content;
use crate::text::SourceFormat;
use coconut_format::error::DecodeError;
use coconut_format::explain::ErrorClass;
use coconut_format::names::PackageReference;
use notes::note_fault;
use plan::Choice;
use std::path::{Path, PathBuf};
use std::time::Duration;
use turns::Turns;

/// Loads documents. It can be shared between threads.
#[derive(Default)]
pub struct Loader {
    search: SearchPath,
    cache: Option<Cache>,
    compiled_forms: CompiledForms,
    freshness: Freshness,
    options: CompileOptions,
    landmarks_of: Option<Box<LandmarksOf>>,
    /// The time that a load waits for another of the same source, if the caller has set it.
    patience: Option<Duration>,
    turns: Turns,
}

/// Chooses the landmarks of the source at a path.
type LandmarksOf = dyn Fn(&Path) -> LandmarkChoice + Send + Sync;

bounded_debug!(
    Loader,
    |loader| has_cache: loader.cache.is_some(),
    compiled_forms: loader.compiled_forms,
    freshness: loader.freshness,
);

/// Whether compiled forms are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum CompiledForms {
    /// Sources are compiled in memory. The cache and precompiled documents are not used.
    Ignore,
    /// Entries of the cache are used, and sources otherwise. Precompiled documents are not used.
    Cached,
    /// Good compiled forms are used, and sources otherwise.
    #[default]
    Use,
    /// No source is compiled. A load without a good compiled form is an error.
    Require,
}

/// Builds a [`Loader`].
#[derive(Debug, Default)]
pub struct LoaderBuilder {
    loader: Loader,
}

impl LoaderBuilder {
    /// The places to search for packages. None by default.
    #[must_use]
    pub fn search(mut self, search: SearchPath) -> Self {
        self.loader.search = search;
        self
    }

    /// The cache of compiled forms. None by default.
    #[must_use]
    pub fn cache(mut self, cache: Cache) -> Self {
        self.loader.cache = Some(cache);
        self
    }

    /// Whether compiled forms are used.
    #[must_use]
    pub fn compiled_forms(mut self, compiled_forms: CompiledForms) -> Self {
        self.loader.compiled_forms = compiled_forms;
        self
    }

    /// The proof required that a compiled form is not older than its source.
    #[must_use]
    pub fn freshness(mut self, freshness: Freshness) -> Self {
        self.loader.freshness = freshness;
        self
    }

    /// The options of compiling sources.
    #[must_use]
    pub fn options(mut self, options: CompileOptions) -> Self {
        self.loader.options = options;
        self
    }

    /// Chooses the landmarks of each source by its path, instead of those of the options.
    #[must_use]
    pub fn landmarks_of(
        mut self,
        landmarks_of: impl Fn(&Path) -> LandmarkChoice + Send + Sync + 'static,
    ) -> Self {
        self.loader.landmarks_of = Some(Box::new(landmarks_of));
        self
    }

    /// The time that a load waits while another thread or process compiles the same source. After
    /// that it compiles the source as well. Default: five seconds, plus a quarter of a second for
    /// each megabyte.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.loader.patience = Some(patience);
        self
    }

    /// Builds the loader. Opens nothing yet.
    pub fn build(self) -> Loader {
        self.loader
    }
}

/// A loaded document. It does not depend on the loader or the cache.
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Loaded {
    /// The document.
    pub document: DocumentFile<DocumentBytes>,
    /// Its origin.
    pub origin: Origin,
    /// The compiled forms and other sources that were not used, with the reasons. Empty if all is
    /// well.
    pub fallbacks: Vec<Fallback>,
    request: Request,
}

bounded_debug!(
    Loaded,
    |loaded| document: loaded.document,
    fallbacks: loaded.fallbacks.len(),
);

/// A request for a document.
#[derive(Clone, Debug)]
struct Request {
    identity: Identity,
    /// The name that the document must have.
    name: Option<String>,
    /// The version that must be at `/version`, if the document has one.
    version: Option<String>,
    /// The source, or the compiled form if there is no source.
    source: PathBuf,
    site: Site,
}

impl Loader {
    /// A builder with nothing set. Such a loader finds no packages, and
    /// [`load_file`](Loader::load_file) compiles every time.
    pub fn builder() -> LoaderBuilder {
        LoaderBuilder::default()
    }

    /// The places to search for packages.
    pub fn search(&self) -> &SearchPath {
        &self.search
    }

    /// The cache, if one is set and compiled forms are used.
    pub fn cache(&self) -> Option<&Cache> {
        self.cache.as_ref().filter(|_| self.compiled_forms != CompiledForms::Ignore)
    }

    /// A loader for programs in a workspace. It searches the workspace around `start`, then the
    /// directories of the user. It uses the cache of the user.
    ///
    /// A workspace is a directory with a directory `.coconut` in it ([`SearchPath::for_user`]).
    ///
    /// ```
    /// use coconut_codec::Loader;
    ///
    /// # let workspace = tempfile::tempdir()?;
    /// # let package = workspace.path().join("aws");
    /// # std::fs::create_dir(&package)?;
    /// # std::fs::create_dir(workspace.path().join(".coconut"))?;
    /// # std::fs::write(package.join("Cocopack.json"), r#"{"name": "aws", "modules": {}}"#)?;
    /// # let start = workspace.path();
    /// let loaded = Loader::for_workspace(start).load("aws")?;
    /// assert_eq!(loaded.document.value("/name")?.expect("it has a name").as_str()?, Some("aws"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn for_workspace(start: &Path) -> Loader {
        Loader::builder().search(SearchPath::for_user(start)).cache(Cache::for_user()).build()
    }

    /// Loads a package: a text such as `aws` or `aws#1.2.3`, or a [`PackageReference`].
    ///
    /// A warm load costs some tens of microseconds under [`Freshness::Stat`], and an additional
    /// pass of SHA-256 over the source under [`Freshness::Content`]. Only the frame and the name of
    /// the document are read, so damage may show later, when it is used: see
    /// [`read`](Loader::read).
    pub fn load<P: AsPackage>(&self, package: P) -> Result<Loaded, LoadError> {
        self.load_request(self.find(&*package.reference()?)?)
    }

    /// Loads the document whose source is the JSON or YAML file at `path`.
    pub fn load_file(&self, path: &Path) -> Result<Loaded, LoadError> {
        self.load_request(self.request_of_file(path)?)
    }

    /// Loads the document whose source is the file at `path`, and calls `get` on it as
    /// [`read`](Loader::read) does.
    ///
    /// ```
    /// use coconut_codec::{DecodeError, Loader};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("state.json");
    /// std::fs::write(&path, r#"{"name": "a", "size": 3}"#)?;
    /// let loader = Loader::builder().build();
    /// let (size, _) = loader.read_file(&path, |document| {
    ///     document.root().pointer("/size")?.map_or(Ok(None), |size| size.as_u64())
    /// })?;
    /// assert_eq!(size, Some(3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`read`](Loader::read).
    pub fn read_file<T, E>(
        &self,
        path: &Path,
        get: impl FnMut(DocumentView<'_>) -> Result<T, E>,
    ) -> Result<(T, Loaded), ReadError<E>> {
        self.read_loaded(self.load_file(path).map_err(ReadError::Load)?, get)
    }

    /// Loads a package and calls `get` on it.
    ///
    /// If `get` fails, the document is verified. If it proves to be damaged only then, it goes into
    /// quarantine, and `get` is called again with the document compiled from the source. Damage is
    /// never an error of the program. Other errors of `get` are returned as they are.
    ///
    /// # Errors
    ///
    /// [`ReadError::Load`] if nothing could be loaded, and [`ReadError::Get`] with the error of
    /// `get`.
    pub fn read<T, E>(
        &self,
        package: impl AsPackage,
        get: impl FnMut(DocumentView<'_>) -> Result<T, E>,
    ) -> Result<(T, Loaded), ReadError<E>> {
        self.read_loaded(self.load(package).map_err(ReadError::Load)?, get)
    }

    fn read_loaded<T, E>(
        &self,
        loaded: Loaded,
        mut get: impl FnMut(DocumentView<'_>) -> Result<T, E>,
    ) -> Result<(T, Loaded), ReadError<E>> {
        let error = match get(loaded.document.view()) {
            Ok(value) => return Ok((value, loaded)),
            Err(error) => error,
        };
        let is_source = matches!(loaded.origin, Origin::Source { .. });
        let damage = loaded.document.view().check_integrity().err();
        let Some(damage) = damage.filter(|damage| !is_source && !is_limit(damage)) else {
            return Err(ReadError::Get(error));
        };
        let loaded = self.reload(loaded, damage).map_err(ReadError::Load)?;
        match get(loaded.document.view()) {
            Ok(value) => Ok((value, loaded)),
            Err(error) => Err(ReadError::Get(error)),
        }
    }

    /// Loads the document again from its source, after reading it has failed with `error`. A cached
    /// entry goes into quarantine.
    pub fn reload(&self, loaded: Loaded, error: DecodeError) -> Result<Loaded, LoadError> {
        let Loaded { origin, mut fallbacks, request, .. } = loaded;
        let path = origin.path().to_owned();
        // Exceeding a limit does not prove damage, and the document from the source would exceed it
        // again.
        if is_limit(&error) || matches!(origin, Origin::Source { .. }) {
            return Err(LoadErrorKind::Decode { path, error }.after(fallbacks));
        }
        if let (Origin::Cached { key, .. }, Some(cache)) = (&origin, self.cache()) {
            cache.quarantine(key);
        }
        fallbacks.push(Fallback { binary: path, reason: FallbackReason::Damaged(error) });
        match self.choose_source(&request) {
            Ok(source) => self.load_source(&request, source, fallbacks),
            Err(kind) => Err(kind.after(fallbacks)),
        }
    }

    fn find(&self, package: &PackageReference) -> Result<Request, LoadError> {
        use coconut_format::names::VersionSpec;
        let site = self.search.find(package)?;
        let version = match &package.version {
            Some(VersionSpec::Exact(version)) => Some(version.to_string()),
            _ => None,
        };
        let name = Some(package.name.as_str().to_owned());
        let named = site.source.clone().or_else(|| site.binaries.first().cloned());
        let source = named.unwrap_or_default();
        Ok(Request { identity: Identity::from(package), name, version, source, site })
    }

    fn request_of_file(&self, path: &Path) -> Result<Request, LoadError> {
        let site = self.search.site_of_source(path)?;
        let source = path.to_owned();
        Ok(Request { identity: Identity::File, name: None, version: None, source, site })
    }

    /// Carries out the [`plan`](Loader::plan).
    fn load_request(&self, request: Request) -> Result<Loaded, LoadError> {
        let plan = self.plan(&request)?;
        let fallbacks = self.carry_out(&request.identity, plan.notes);
        let (document, origin) = match plan.choice {
            Choice::Cached(document, origin) => (document, origin),
            Choice::Precompiled { document, binary, proof } => {
                (document, Origin::Precompiled { binary, proof })
            }
            Choice::Source(source) => {
                return match plan.source {
                    Some(known) => self.load_in_turn(&request, source, known, fallbacks),
                    // Compiled forms are not to be used, so no digest was computed.
                    None => self.load_source(&request, source, fallbacks),
                };
            }
            Choice::Nothing(kind) => return Err(kind.after(fallbacks)),
        };
        Ok(Loaded { document, origin, fallbacks, request })
    }

    /// Compiles the source, and puts the result into the cache.
    fn load_source(
        &self,
        request: &Request,
        source: &Path,
        mut fallbacks: Vec<Fallback>,
    ) -> Result<Loaded, LoadError> {
        let document = match self.compile_source(request, source) {
            Ok(document) => document,
            Err(kind) => return Err(kind.after(fallbacks)),
        };
        // The digest of the compiled text: the file may have changed since it was identified.
        let stored = document.header().source.as_ref().is_some_and(|record| {
            let inputs = self.source_inputs(&request.identity, source, record.sha_256);
            self.keep(document.data().as_ref(), &inputs, &mut fallbacks)
        });
        let origin = Origin::Source { source: source.to_owned(), stored };
        Ok(Loaded { document, origin, fallbacks, request: request.clone() })
    }

    fn compile_source(
        &self,
        request: &Request,
        source: &Path,
    ) -> Result<DocumentFile<DocumentBytes>, LoadErrorKind> {
        let path = source.to_owned();
        let read = input::read(source).and_then(|bytes| Ok(expanded(&bytes)?.into_owned()));
        let text = read.map_err(|error| LoadErrorKind::reading(source, &error))?;
        // The remains of a truncated document may be text.
        if source.extension().is_some_and(|extension| extension == "coco")
            && let Err(error) = DocumentFile::from_data(&text[..])
        {
            return Err(LoadErrorKind::Decode { path, error });
        }
        let bytes = match compile(&text, &self.options_for(source)) {
            Ok(compiled) => DocumentBytes::from(compiled.bytes),
            Err(error) => return Err(LoadErrorKind::Source { path, text, error: Box::new(error) }),
        };
        let document = match DocumentFile::from_data(bytes) {
            Ok(document) => document,
            Err(error) => return Err(LoadErrorKind::Decode { path, error }),
        };
        match compare_names(document.view(), request) {
            Ok(()) => Ok(document),
            Err(reason) => Err(LoadErrorKind::WrongPackage { path, reason }),
        }
    }

    /// Puts a document into the cache. Returns whether it is in the cache now.
    fn keep(&self, document: &[u8], inputs: &EntryInputs<'_>, fallbacks: &mut Vec<Fallback>) -> bool {
        let Some(cache) = self.cache() else { return false };
        match cache.put(inputs, document) {
            Ok(()) => true,
            Err(fault) => {
                note_fault(cache, fault, fallbacks);
                false
            }
        }
    }

    fn source_inputs<'a>(&self, identity: &'a Identity, source: &Path, digest: [u8; 32]) -> EntryInputs<'a> {
        let options = options_digest(&self.options_for(source));
        EntryInputs { identity, digest, options }
    }

    /// The options, with the format implied by the name of the source and the landmarks chosen for
    /// its path.
    fn options_for(&self, source: &Path) -> CompileOptions {
        let by_name = source.file_name().and_then(|name| SourceFormat::of_name(name.to_str()?));
        let mut options = CompileOptions { format: self.options.format.or(by_name), ..self.options.clone() };
        if let Some(landmarks_of) = &self.landmarks_of {
            options.landmarks = landmarks_of(source);
        }
        options
    }
}

/// Opens the bytes of an entry, and checks its header and its name.
fn open(
    bytes: DocumentBytes,
    request: &Request,
    inputs: &EntryInputs<'_>,
) -> Result<DocumentFile<DocumentBytes>, FallbackReason> {
    let document = DocumentFile::from_data(bytes).map_err(FallbackReason::Damaged)?;
    precompiled::compare_source(document.header(), &inputs.digest)?;
    precompiled::compare_producer(document.header())?;
    compare_names(document.view(), request)?;
    Ok(document)
}

fn is_limit(error: &DecodeError) -> bool {
    error.class() == ErrorClass::Limit
}

/// Refuses a document that is not the requested package.
fn compare_names(document: DocumentView<'_>, request: &Request) -> Result<(), FallbackReason> {
    let text = |pointer| {
        let value = document.root().pointer(pointer)?;
        Ok(match value.map(|value| value.content()).transpose()? {
            Some(Content::String(text)) => Some(text.to_owned()),
            _ => None,
        })
    };
    if let Some(expected) = &request.name {
        let found = text("/name").map_err(FallbackReason::Damaged)?;
        if found.as_ref() != Some(expected) {
            return Err(FallbackReason::Name { expected: expected.clone(), found });
        }
    }
    // Coconut 2017 packages contain no version. If there is one, it counts.
    if let Some(expected) = &request.version
        && let Some(found) = text("/version").map_err(FallbackReason::Damaged)?
        && found != *expected
    {
        return Err(FallbackReason::Version { expected: expected.clone(), found });
    }
    Ok(())
}
