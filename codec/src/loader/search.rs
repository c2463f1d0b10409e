//! The places of packages, and the names of their files.

use super::dot_directory::{DOT_DIRECTORY, is_trusted_directory};
use super::error::{LoadError, LoadErrorKind};
use super::locked::{self, LOCK_FILE, lock_file_around};
use super::near_miss::NearMiss;
use crate::compile::compiled_path;
use coconut_format::names::{PackageReference, PackageUrl};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{self, Path, PathBuf};

/// The directory of packages, in that of a workspace.
const PACKAGES: &str = "packs";

/// The environment variable that names the directory of an installation.
const ROOT_VARIABLE: &str = "COCONUT";

/// Maximum number of near misses in an error.
const NEAR_MISSES: usize = 8;

/// The places to search for packages, in this order:
///
/// ```text
/// WORKSPACE             WORKSPACE/.coconut/packs
/// HOME/.coconut/packs   ROOT/lib
/// ```
///
/// A package that the file `coco.lock` names is found in the cache of registries, and in none of
/// these places. The file is that of the workspace, or the nearest one around the start.
///
/// In each place a package is in `BASE/NAME`, or otherwise in `NAME`. The first directory that
/// contains a source or a compiled document is the package. Later ones are not visited, whatever
/// their versions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchPath {
    places: Vec<PathBuf>,
    files: PackageFiles,
    /// The directory around which there is no workspace.
    outside: Option<PathBuf>,
    /// The lock file of packages from registries, which may not exist.
    lock: Option<PathBuf>,
    is_locked: bool,
    /// The cache with their documents, if it is not that of the user.
    locked_in: Option<PathBuf>,
}

/// The names of the files of a package, in its directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackageFiles {
    /// The name without extension: `Cocopack`.
    pub stem: String,
    /// The directories of sources, in order: `.coconut/bin`, then the directory itself.
    pub source_directories: Vec<PathBuf>,
    /// Extensions of sources, in order: `json`, `yaml`, `yml`.
    pub source_extensions: Vec<String>,
    /// The directories of precompiled documents: `.coconut/bin`, then the directory itself.
    pub binary_directories: Vec<PathBuf>,
    /// Extension of precompiled documents: `coco`. Documents with the full name of the source are
    /// also found ([`compiled_path`]).
    pub binary_extension: String,
}

impl Default for PackageFiles {
    fn default() -> Self {
        let directories = || vec![Path::new(DOT_DIRECTORY).join("bin"), PathBuf::new()];
        PackageFiles {
            stem: "Cocopack".to_owned(),
            source_directories: directories(),
            source_extensions: ["json", "yaml", "yml"].map(str::to_owned).to_vec(),
            binary_directories: directories(),
            binary_extension: "coco".to_owned(),
        }
    }
}

/// The files of a package or document. Paths are absolute.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Site {
    /// The source, if it exists.
    pub source: Option<PathBuf>,
    /// Precompiled documents that exist, in the order in which they are tried.
    pub binaries: Vec<PathBuf>,
    /// Other sources beside it, with a later extension. They are not used.
    pub others: Vec<PathBuf>,
    /// The SHA-256 that the lock file demands of the one precompiled document.
    pub locked: Option<[u8; 32]>,
}

impl SearchPath {
    /// Adds a workspace and its packages.
    #[must_use]
    pub fn workspace(self, workspace: &Path) -> Self {
        let packages = workspace.join(DOT_DIRECTORY).join(PACKAGES);
        let lock = workspace.join(LOCK_FILE);
        self.place(workspace.to_owned()).place(packages).lock_file(lock)
    }

    /// Sets the lock file of packages from registries. It may not exist.
    #[must_use]
    pub fn lock_file(mut self, lock: PathBuf) -> Self {
        self.lock = Some(path::absolute(&lock).unwrap_or(lock));
        self
    }

    /// Sets the cache with the documents of the lock file, instead of that of the user.
    #[must_use]
    pub fn locked_in(mut self, cache: PathBuf) -> Self {
        self.locked_in = Some(cache);
        self
    }

    /// Refuses packages that the lock file does not name.
    #[must_use]
    pub fn locked(mut self) -> Self {
        self.is_locked = true;
        self
    }

    /// Adds the packages of a home directory.
    #[must_use]
    pub fn home(self, home: &Path) -> Self {
        self.place(home.join(DOT_DIRECTORY).join(PACKAGES))
    }

    /// Adds the packages of an installation.
    #[must_use]
    pub fn root(self, root: &Path) -> Self {
        self.place(root.join("lib"))
    }

    /// Adds a directory of packages, after the others.
    #[must_use]
    pub fn place(mut self, directory: PathBuf) -> Self {
        // The result must not depend on the working directory at the time of the load.
        self.places.push(path::absolute(&directory).unwrap_or(directory));
        self
    }

    /// Sets other names for the files of packages.
    #[must_use]
    pub fn files(mut self, files: PackageFiles) -> Self {
        self.files = files;
        self
    }

    /// The workspace around `start`, then the directories in `HOME` and `COCONUT`.
    ///
    /// The workspace is the nearest directory, `start` or above it, that has a directory `.coconut`
    /// of this user or the administrator. Without one, `start` is not searched, and the error of a
    /// package that is not found says so. To search a directory that is no workspace, use
    /// [`place`](SearchPath::place).
    pub fn for_user(start: &Path) -> SearchPath {
        let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let mut search = SearchPath::default();
        match workspace_around(start) {
            Some(workspace) => search = search.workspace(&workspace),
            None => search.outside = Some(path::absolute(start).unwrap_or_else(|_| start.to_owned())),
        }
        if let Some(lock) = lock_file_around(start) {
            search = search.lock_file(lock);
        }
        if let Some(home) = variable("HOME") {
            search = search.home(Path::new(&home));
        }
        match variable(ROOT_VARIABLE) {
            Some(root) => search.root(Path::new(&root)),
            None => search,
        }
    }

    /// The places, in order.
    pub fn places(&self) -> &[PathBuf] {
        &self.places
    }

    /// The document that the lock file names, or the first directory that holds the package.
    pub fn find(&self, package: &PackageReference) -> Result<Site, LoadError> {
        let directories = self.directories(package)?;
        let cache = self.locked_in.as_deref();
        let found = self.lock.as_deref().map_or(Ok(None), |lock| locked::find(lock, cache, package));
        if let Some(found) = found.map_err(|kind| kind.after(Vec::new()))? {
            return Ok(Site { binaries: vec![found.path], locked: Some(found.sha_256), ..Site::default() });
        }
        if self.is_locked {
            return Err(locked::unknown(self.lock.as_deref(), package).after(Vec::new()));
        }
        for directory in &directories {
            let site = self.site_in(directory);
            if site != Site::default() {
                return Ok(site);
            }
        }
        let mut near: Vec<NearMiss> =
            directories.iter().flat_map(|directory| self.near_misses(directory)).collect();
        near.truncate(NEAR_MISSES);
        let (package, searched, outside) = (package.to_string(), directories, self.outside.clone());
        Err(LoadErrorKind::NotFound { package, searched, near, outside }.after(Vec::new()))
    }

    /// The package whose load would find the source at `source`.
    pub fn package_of(&self, source: &Path) -> Option<PackageReference> {
        let source = path::absolute(source).ok()?;
        let inner = self.files.source_directories.iter();
        let directories = inner.filter_map(|inner| strip_suffix(source.parent()?, inner));
        let names = directories.flat_map(|directory| {
            let places = self.places.iter().filter_map(move |place| directory.strip_prefix(place).ok());
            places.filter_map(|name| name.to_str()).map(str::to_owned)
        });
        // A place can be inside another. The name is relative to the innermost.
        let mut names: Vec<String> = names.collect();
        names.sort_by_key(String::len);
        names.into_iter().filter_map(|name| PackageUrl::parse(&name).ok()).find_map(|url| match url {
            PackageUrl::Package(reference) => {
                let found = self.find(&reference).ok()?.source?;
                (found == source).then_some(reference)
            }
            PackageUrl::Any => None,
        })
    }

    /// The directories that may contain the package.
    ///
    /// The grammar of names permits `.` and `..`, and that of bases nearly everything. Neither may
    /// escape the places.
    fn directories(&self, package: &PackageReference) -> Result<Vec<PathBuf>, LoadError> {
        let base = package.base.as_deref().map(|base| base.trim_end_matches('/'));
        for part in package.name.as_str().split('/').chain(base) {
            if !is_plain(part) {
                return Err(LoadErrorKind::Reference { part: part.to_owned() }.after(Vec::new()));
            }
        }
        let mut directories = Vec::new();
        for place in &self.places {
            if let Some(base) = base {
                directories.push(place.join(base).join(package.name.as_str()));
            }
            directories.push(place.join(package.name.as_str()));
        }
        Ok(directories)
    }

    fn site_in(&self, directory: &Path) -> Site {
        let PackageFiles {
            stem,
            source_directories,
            source_extensions,
            binary_directories,
            binary_extension,
        } = &self.files;
        let mut sources = source_directories.iter().flat_map(|inner| {
            let inner = directory.join(inner);
            source_extensions.iter().map(move |extension| inner.join(format!("{stem}.{extension}")))
        });
        let source = sources.find(|path| is_there(path));
        let others = source.iter().flat_map(|source| {
            let beside = source_extensions.iter().map(|extension| source.with_extension(extension));
            beside.filter(move |path| path != source && is_there(path))
        });
        let others = others.collect();
        // Without a source, any of them is acceptable.
        let made_of: Vec<PathBuf> = match &source {
            Some(source) => vec![source.clone()],
            None => source_extensions.iter().map(|extension| format!("{stem}.{extension}").into()).collect(),
        };
        let mut names: Vec<OsString> = vec![format!("{stem}.{binary_extension}").into()];
        for name in made_of.iter().map(|source| compiled_name(source)) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let binaries = binary_directories
            .iter()
            .flat_map(|inner| names.iter().map(move |name| directory.join(inner).join(name)));
        // Without a source, a folder of that name would make this directory the package.
        let is_candidate = |path: &PathBuf| if source.is_some() { is_occupied(path) } else { is_there(path) };
        Site { binaries: binaries.filter(is_candidate).collect(), source, others, locked: None }
    }

    /// The site of a document, given its source.
    pub(super) fn site_of_source(&self, source: &Path) -> Result<Site, LoadError> {
        let absolute = path::absolute(source);
        let source = absolute.map_err(|error| LoadErrorKind::reading(source, &error).after(Vec::new()))?;
        let directory = source.parent().unwrap_or(&source);
        let name = compiled_name(&source);
        let binaries = self.files.binary_directories.iter().map(|inner| directory.join(inner).join(&name));
        let binaries = binaries.filter(|path| *path != source && is_occupied(path)).collect();
        let is_absent = fs::metadata(&source).is_err_and(|error| is_absence(&error));
        Ok(Site { binaries, source: (!is_absent).then_some(source), ..Site::default() })
    }

    /// Files with the right name in the wrong case, or with another extension.
    fn near_misses(&self, directory: &Path) -> Vec<NearMiss> {
        let PackageFiles { stem, source_directories, source_extensions, .. } = &self.files;
        let expected = format!("{stem}.{}", source_extensions.first().map_or("json", String::as_str));
        let is_near = |name: &OsString| {
            let found = Path::new(name).file_stem().and_then(OsStr::to_str);
            found.is_some_and(|found| found.eq_ignore_ascii_case(stem))
        };
        source_directories
            .iter()
            .map(|inner| directory.join(inner))
            .filter_map(|inner| Some((fs::read_dir(&inner).ok()?, inner)))
            .flat_map(|(entries, inner)| {
                let names = entries.filter_map(|entry| Some(entry.ok()?.file_name()));
                names.filter(is_near).map(move |name| inner.join(name))
            })
            .map(|path| NearMiss { path, expected: expected.clone() })
            .collect()
    }
}

/// The file name of the document that is compiled from this source.
fn compiled_name(source: &Path) -> OsString {
    compiled_path(source).file_name().unwrap_or_default().to_owned()
}

/// `path` without the directories of `suffix` at its end.
fn strip_suffix<'p>(path: &'p Path, suffix: &Path) -> Option<&'p Path> {
    path.ends_with(suffix).then(|| path.ancestors().nth(suffix.components().count()))?
}

/// Whether a part of a reference is one ordinary directory name.
fn is_plain(part: &str) -> bool {
    let is_safe = |c: char| !c.is_control() && !matches!(c, '/' | '\\' | ':');
    !matches!(part, "" | "." | "..") && part.chars().all(is_safe)
}

/// A file that cannot be inspected counts as existing. The load then fails instead of using another
/// package.
fn is_there(path: &Path) -> bool {
    match fs::metadata(path) {
        Ok(metadata) => metadata.is_file(),
        Err(error) => !is_absence(&error),
    }
}

/// Whether there is anything at the path. A folder or a pipe in place of a compiled document is
/// reported when it cannot be read as one.
fn is_occupied(path: &Path) -> bool {
    fs::metadata(path).map_or_else(|error| !is_absence(&error), |_| true)
}

/// Whether the error means that the path does not or cannot exist.
fn is_absence(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidFilename, NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory | InvalidFilename)
}

/// The nearest directory upwards with a `.coconut` that belongs to this user or the administrator.
/// One that another user created in a parent directory, as in `/tmp`, does not count, whatever its
/// target.
fn workspace_around(start: &Path) -> Option<PathBuf> {
    let start = path::absolute(start).ok()?;
    let is_workspace = |directory: &&Path| is_trusted_directory(&directory.join(DOT_DIRECTORY));
    start.ancestors().find(is_workspace).map(Path::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use coconut_format::names::PackageUrl;

    fn reference(text: &str) -> PackageReference {
        match PackageUrl::parse(text).unwrap() {
            PackageUrl::Package(reference) => reference,
            PackageUrl::Any => panic!("`{text}` names no package"),
        }
    }

    fn put(root: &Path, path: &str) -> PathBuf {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "{}").unwrap();
        path
    }

    #[test]
    fn places_are_searched_in_the_order_of_the_reference() {
        let search =
            SearchPath::default().workspace(Path::new("/w")).home(Path::new("/h")).root(Path::new("/r"));
        let directories = search.directories(&reference("hub.com/ns/aws")).unwrap();
        let expected = [
            "/w/hub.com/ns/aws",
            "/w/ns/aws",
            "/w/.coconut/packs/hub.com/ns/aws",
            "/w/.coconut/packs/ns/aws",
            "/h/.coconut/packs/hub.com/ns/aws",
            "/h/.coconut/packs/ns/aws",
            "/r/lib/hub.com/ns/aws",
            "/r/lib/ns/aws",
        ];
        assert_eq!(directories, expected.map(PathBuf::from));
    }

    #[test]
    fn finds_the_source_by_directory_and_extension() {
        let folder = tempfile::tempdir().unwrap();
        let search = SearchPath::default().workspace(folder.path());
        let source = |package| search.find(&reference(package)).unwrap().source;
        let yml = put(folder.path(), "a/Cocopack.yml");
        assert_eq!(source("a"), Some(yml));
        let yaml = put(folder.path(), "a/Cocopack.yaml");
        assert_eq!(source("a"), Some(yaml));
        let compiled = put(folder.path(), "a/.coconut/bin/Cocopack.json");
        assert_eq!(source("a"), Some(compiled));
    }

    #[test]
    fn a_package_may_have_nothing_but_a_binary() {
        let folder = tempfile::tempdir().unwrap();
        let binary = put(folder.path(), ".coconut/packs/a/.coconut/bin/Cocopack.coco");
        let site = SearchPath::default().workspace(folder.path()).find(&reference("a")).unwrap();
        assert_eq!(site, Site { binaries: vec![binary], ..Site::default() });
    }

    #[test]
    fn a_document_with_the_whole_name_of_its_source_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let search = SearchPath::default().workspace(folder.path());
        let named = put(folder.path(), "a/Cocopack.yaml.coco");
        let site = || search.find(&reference("a")).unwrap();
        assert_eq!(site(), Site { binaries: vec![named.clone()], ..Site::default() });
        let yaml = put(folder.path(), "a/Cocopack.yaml");
        let expected = Site { source: Some(yaml.clone()), binaries: vec![named], ..Site::default() };
        assert_eq!(site(), expected);
        let json = put(folder.path(), "a/Cocopack.json");
        let expected = Site { source: Some(json), others: vec![yaml], ..Site::default() };
        assert_eq!(site(), expected, "the binary is of another source");
    }

    #[test]
    fn only_the_document_of_a_source_is_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let search = SearchPath::default();
        let sources = ["x.json", "x.yaml", "terraform.tfstate", "terraform.tfstate.backup"];
        for source in sources.map(|name| put(folder.path(), name)) {
            let compiled = compiled_path(&source);
            put(folder.path(), compiled.to_str().unwrap());
            assert_eq!(search.site_of_source(&source).unwrap().binaries, [compiled]);
        }
    }

    #[test]
    fn what_is_in_the_place_of_a_precompiled_document_is_a_candidate_beside_a_source() {
        let folder = tempfile::tempdir().unwrap();
        let search = SearchPath::default().workspace(folder.path());
        put(folder.path(), "a/Cocopack.coco/file");
        assert!(search.find(&reference("a")).is_err(), "a folder is not a package");
        let source = put(folder.path(), "a/Cocopack.json");
        let occupied = [folder.path().join("a/Cocopack.coco")];
        assert_eq!(search.find(&reference("a")).unwrap().binaries, occupied);
        let compiled = compiled_path(&source);
        assert_eq!(search.site_of_source(&source).unwrap().binaries, [compiled]);
    }

    #[test]
    fn the_first_place_hides_the_others() {
        let folder = tempfile::tempdir().unwrap();
        put(folder.path(), ".coconut/packs/a/Cocopack.json");
        let first = put(folder.path(), "a/Cocopack.yaml");
        let site = SearchPath::default().workspace(folder.path()).find(&reference("a")).unwrap();
        assert_eq!(site.source, Some(first));
    }

    #[test]
    fn a_source_leads_back_to_its_package() {
        let folder = tempfile::tempdir().unwrap();
        let search = SearchPath::default().workspace(folder.path());
        let name = |path: &Path| search.package_of(path).map(|reference| reference.to_string());
        let hidden = put(folder.path(), ".coconut/packs/hub.com/ns/a/Cocopack.json");
        assert_eq!(name(&hidden).as_deref(), Some("hub.com/ns/a"));
        let compiled = put(folder.path(), "b/.coconut/bin/Cocopack.json");
        let behind = put(folder.path(), "b/Cocopack.json");
        let other = put(folder.path(), "b/other.json");
        assert_eq!(name(&compiled).as_deref(), Some("b"));
        assert_eq!((name(&behind), name(&other)), (None, None));
    }

    #[cfg(unix)]
    #[test]
    fn what_a_stranger_has_put_above_is_no_workspace() {
        use std::os::unix::fs::{lchown, symlink};
        const STRANGER: u32 = 54_321;
        let folder = tempfile::tempdir().unwrap();
        let (above, start) = (folder.path().join("above"), folder.path().join("above/start"));
        fs::create_dir_all(&start).unwrap();
        let found = above.join(DOT_DIRECTORY);
        fs::create_dir(&found).unwrap();
        assert_eq!(workspace_around(&start).as_ref(), Some(&above));
        if lchown(&found, Some(STRANGER), None).is_err() {
            coconut_testing::skip("right to give files to another user");
            return;
        }
        assert_ne!(workspace_around(&start).as_ref(), Some(&above));
        // A link to a directory of this user still belongs to the other user.
        fs::remove_dir(&found).unwrap();
        symlink(folder.path(), &found).unwrap();
        assert_eq!(workspace_around(&start).as_ref(), Some(&above));
        lchown(&found, Some(STRANGER), None).unwrap();
        assert_ne!(workspace_around(&start).as_ref(), Some(&above));
    }

    #[test]
    fn names_what_was_probably_meant() {
        let folder = tempfile::tempdir().unwrap();
        let wrong_case = put(folder.path(), "a/cocopack.json");
        let error = SearchPath::default().workspace(folder.path()).find(&reference("a")).unwrap_err();
        let LoadErrorKind::NotFound { near, .. } = *error.kind else { panic!("{error}") };
        assert_eq!(near, [NearMiss { path: wrong_case, expected: "Cocopack.json".to_owned() }]);
    }

    #[test]
    fn an_absent_workspace_is_named_in_the_error() {
        let folder = tempfile::tempdir().unwrap();
        put(folder.path(), "a/Cocopack.json");
        let error = SearchPath::for_user(folder.path()).find(&reference("a")).unwrap_err();
        let LoadErrorKind::NotFound { outside, .. } = &*error.kind else { panic!("{error}") };
        assert_eq!(outside.as_deref(), Some(folder.path()));
        let expected =
            format!("\n  no workspace (a folder with `.coconut`) at or above {}", folder.path().display());
        assert!(error.to_string().ends_with(&expected), "{error}");
        fs::create_dir(folder.path().join(DOT_DIRECTORY)).unwrap();
        assert!(SearchPath::for_user(folder.path()).find(&reference("a")).is_ok());
    }

    #[test]
    fn no_part_of_a_reference_leads_out_of_the_places() {
        let search = SearchPath::default().workspace(Path::new("/w"));
        for hostile in ["../../etc/passwd", "./a", "../a", "c:x./a", "a\\b./c", "a\n./b"] {
            let error = search.find(&reference(hostile)).unwrap_err();
            assert_eq!(error.kind.code(), "LOAD-REFERENCE", "{hostile}");
        }
    }
}
