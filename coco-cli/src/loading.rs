//! Loads packages by name, through the cache.

use crate::failure::of_loading;
use clap::Args;
use clap::builder::TypedValueParser;
use coconut_codec::cache::Cache;
use coconut_codec::loader::{
    CompiledForms, Explanation, Fallback, FallbackReason, Freshness, LoadErrorKind, Loaded, Loader,
    LoaderBuilder, Origin, Proof, SearchPath,
};
use coconut_format::Value;
use coconut_format::error::DecodeError;
use coconut_format::names::{PackageReference, PackageUrl};
use coconut_report::Failure;
use coconut_report::json::{list, object, text};
use coconut_shell::Console;
use coconut_shell::choice::choice_of;
use coconut_shell::console::visible;
use coconut_shell::open::{self, Access, Documents, Opened, Storage, Stored};
use coconut_shell::rules::Rules;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// Options for finding and loading packages.
#[derive(Clone, Debug, Args)]
pub(crate) struct LoaderOptions {
    /// Compile sources in memory; use neither the cache nor precompiled documents
    #[arg(long, conflicts_with = "require_binary", help_heading = "Loading")]
    no_binary: bool,
    /// Do not use compiled files beside sources; use the cache, or compile
    #[arg(long, conflicts_with = "require_binary", help_heading = "Loading")]
    no_precompiled: bool,
    /// Compile nothing; fail if there is no valid compiled form
    #[arg(long, help_heading = "Loading")]
    require_binary: bool,
    /// How to check that a compiled form is up to date
    #[arg(long, value_name = "POLICY", default_value = "stat", help_heading = "Loading",
        value_parser = proofs())]
    freshness: Freshness,
    /// Use only packages that `coco.lock` names
    #[arg(long, help_heading = "Loading")]
    locked: bool,
    /// Workspace folder (default: the one around the current folder)
    #[arg(long, value_name = "DIR", help_heading = "Loading")]
    workspace: Option<PathBuf>,
}

/// The ways in which a compiled form proves that it is up to date.
fn proofs() -> impl TypedValueParser<Value = Freshness> {
    choice_of(&[
        (Freshness::Content, "content", "Hash the source"),
        (Freshness::Stat, "stat", "Compare size and times where these are reliable, else hash"),
        (Freshness::Trust, "trust", "Do not check"),
    ])
}

/// An argument: a file, or a package.
#[derive(Clone, Debug)]
pub(crate) enum Subject {
    File(PathBuf),
    Package(PackageReference),
}

/// How documents are found: files directly, sources and packages through the cache.
#[derive(Clone, Debug, Args)]
pub(crate) struct Packages {
    #[command(flatten)]
    loader: LoaderOptions,
    /// Do not use or fill the cache
    #[arg(long, help_heading = "Loading")]
    no_cache: bool,
}

impl Documents for Packages {
    fn open(&self, argument: &Path, access: Access, console: &mut Console) -> Result<Opened, Failure> {
        let subject = Subject::of(argument);
        if let Subject::File(path) = &subject {
            match Stored::at(path) {
                Stored::Source => {}
                Stored::Neither(error) => return Err(Failure::from(error).in_file(&subject.name())),
                Stored::Document | Stored::Pcore | Stored::Otherwise => {
                    return open::open(path, access, console);
                }
            }
        }
        self.load(&subject, access, console)
    }

    /// A package has priority over a folder of its name.
    fn is_folder(&self, argument: &Path) -> bool {
        let is_called_like_a_folder = argument.to_string_lossy().ends_with(std::path::is_separator);
        argument.is_dir() && match Subject::of(argument) {
            Subject::Package(package) if !is_called_like_a_folder => {
                self.loader.search().find(&package).is_err_and(
                    |error| matches!(&*error.kind, LoadErrorKind::NotFound { near, .. } if near.is_empty()),
                )
            }
            Subject::File(_) | Subject::Package(_) => true,
        }
    }
}

impl Packages {
    /// Loads from the best place available. For `Access::Whole`, damage is found before use, and
    /// then the source is used.
    fn load(&self, subject: &Subject, access: Access, console: &mut Console) -> Result<Opened, Failure> {
        let rules = Rules::of_process(console)?;
        let loader = match self.no_cache {
            true => self.loader.builder(rules).build(),
            false => self.loader.loader(rules),
        };
        let started = Instant::now();
        let reading = format!("reading {}", subject.name());
        let mut loaded = with_progress(console, &reading, || subject.load(&loader, console.reveal))?;
        if access == Access::Whole
            && let Err(error) = check_copy(&loaded)
        {
            let reloaded = loader.reload(loaded, error);
            loaded = reloaded.map_err(|error| of_loading(&subject.name(), &error, console.reveal))?;
        }
        warn_of(console, &loaded.fallbacks);
        if loaded.origin.proof() == Some(Proof::SourceAbsent) {
            let binary = loaded.origin.path().display();
            console.note(&format!("there is no source to compare {binary} with"));
        }
        let compiled = matches!(loaded.origin, Origin::Source { .. }).then(|| started.elapsed());
        let bytes = Storage::new(loaded.document.data().clone());
        let opened = Opened::of_source(&subject.name(), bytes, compiled, compiled.is_none())?;
        opened.warn_of_source(console);
        Ok(opened)
    }
}

/// Finds damage since the document was compiled or verified.
///
/// The seal of an entry states that this user's tools compiled it, or verified all that a fleet
/// sent. So only its bytes are compared with their checksums, and nothing is derived again. Other
/// documents were compiled or completely verified by this load.
fn check_copy(loaded: &Loaded) -> Result<(), DecodeError> {
    match loaded.origin {
        Origin::Cached { .. } => loaded.document.view().check_blocks(),
        Origin::Precompiled { .. } | Origin::Source { .. } => Ok(()),
    }
}

/// Does some work, and shows on a terminal that it goes on, with the time it has taken.
pub(crate) fn with_progress<T>(console: &Console, what: &str, work: impl FnOnce() -> T) -> T {
    /// Most work is done by then.
    const PATIENCE: Duration = Duration::from_millis(300);
    const STEP: Duration = Duration::from_millis(100);
    if !console.is_chatty() || !io::stderr().is_terminal() {
        return work();
    }
    let (end, ended) = mpsc::channel::<()>();
    let goes_on = move |time| ended.recv_timeout(time) == Err(RecvTimeoutError::Timeout);
    let show = move || {
        if !goes_on(PATIENCE) {
            return;
        }
        let style = ProgressStyle::with_template("{spinner} {msg}, {elapsed}");
        let style = style.unwrap_or_else(|_| ProgressStyle::default_spinner());
        let spinner = ProgressBar::new_spinner().with_style(style).with_message(visible(what).to_string());
        spinner.tick();
        while goes_on(STEP) {
            spinner.tick();
        }
        spinner.finish_and_clear();
    };
    thread::scope(|scope| {
        // Without a thread, nothing is shown.
        let _shown = thread::Builder::new().spawn_scoped(scope, show);
        let result = work();
        drop(end);
        result
    })
}

impl LoaderOptions {
    /// The same, for filling the cache: with forms compiled here, not with those next to a source.
    pub(crate) fn for_warming(self) -> LoaderOptions {
        LoaderOptions { no_precompiled: true, ..self }
    }

    /// A loader that compiles sources with these rules.
    pub(crate) fn loader(&self, rules: Rules) -> Loader {
        self.builder(rules).cache(Cache::for_user()).build()
    }

    fn search(&self) -> SearchPath {
        let search = match &self.workspace {
            Some(workspace) => SearchPath::default().workspace(workspace),
            None => SearchPath::for_user(Path::new(".")),
        };
        if self.locked { search.locked() } else { search }
    }

    fn builder(&self, rules: Rules) -> LoaderBuilder {
        let forms = match self {
            LoaderOptions { no_binary: true, .. } => CompiledForms::Ignore,
            LoaderOptions { require_binary: true, .. } => CompiledForms::Require,
            LoaderOptions { no_precompiled: true, .. } => CompiledForms::Cached,
            _ => CompiledForms::Use,
        };
        let builder = Loader::builder().search(self.search()).compiled_forms(forms).freshness(self.freshness);
        builder.landmarks_of(move |path| rules.landmarks_of(path))
    }
}

impl Subject {
    /// A file if the name has the form of one or a file of this name exists (folders do not count).
    /// Otherwise a package, if the name is valid for one.
    pub(crate) fn of(argument: &Path) -> Subject {
        let is_called_like_a_file = argument.is_absolute()
            || argument.starts_with(".")
            || argument.starts_with("..")
            || Stored::is_called_like_one(argument);
        let is_path =
            argument.as_os_str() == "-" || is_called_like_a_file || (argument.exists() && !argument.is_dir());
        match argument.to_str().filter(|_| !is_path).map(PackageUrl::parse) {
            Some(Ok(PackageUrl::Package(reference))) => Subject::Package(reference),
            _ => Subject::File(argument.to_owned()),
        }
    }

    pub(crate) fn name(&self) -> String {
        match self {
            Subject::File(path) => open::name_of(path),
            Subject::Package(reference) => reference.to_string(),
        }
    }

    pub(crate) fn load(&self, loader: &Loader, reveal: bool) -> Result<Loaded, Failure> {
        let loaded = match self {
            Subject::File(path) => loader.load_file(path),
            Subject::Package(reference) => loader.load(reference),
        };
        loaded.map_err(|error| of_loading(&self.name(), &error, reveal))
    }

    /// The cache entry that a load would use.
    #[cfg(feature = "fleet")]
    pub(crate) fn remote_request(
        &self,
        loader: &Loader,
    ) -> Result<Option<coconut_codec::loader::RemoteRequest>, coconut_codec::loader::LoadError> {
        match self {
            Subject::File(path) => loader.remote_request_for_file(path),
            Subject::Package(reference) => loader.remote_request(reference),
        }
    }

    pub(crate) fn explain(&self, loader: &Loader, reveal: bool) -> Result<Explanation, Failure> {
        let explanation = match self {
            Subject::File(path) => loader.explain_file(path),
            Subject::Package(reference) => loader.explain(reference),
        };
        explanation.map_err(|error| of_loading(&self.name(), &error, reveal))
    }
}

/// Warns once per reason that a compiled form was not used. This is not a failure, because the
/// source gives the result.
pub(crate) fn warn_of<'f>(console: &mut Console, fallbacks: impl IntoIterator<Item = &'f Fallback>) {
    let mut said: Vec<&Fallback> = Vec::new();
    for fallback in fallbacks {
        if !said.iter().any(|known| fallback.repeats(known)) {
            let consequence = match fallback.reason {
                FallbackReason::OtherSource { .. } => "keep one of them",
                _ => "the source is used instead",
            };
            warn_once(console, fallback, consequence);
            said.push(fallback);
        }
    }
}

/// Warns with the reason, the file if there is one, and the consequence.
pub(crate) fn warn_once(console: &mut Console, fallback: &Fallback, consequence: &str) {
    let Fallback { reason, binary } = fallback;
    let place = match binary.as_os_str().is_empty() {
        true => String::new(),
        false => format!("\n --> {}", visible(&binary.to_string_lossy())),
    };
    console.warn(Some(reason.code()), &format!("{}{place}\n  = {consequence}", visible(&reason.to_string())));
}

/// The compiled forms that were not used, for a report.
pub(crate) fn fallbacks_json<'f>(fallbacks: impl IntoIterator<Item = &'f Fallback>) -> Value {
    list(fallbacks, fallback_json)
}

pub(crate) fn fallback_json(fallback: &Fallback) -> Value {
    object([
        ("code", text(fallback.reason.code())),
        ("binary", text(fallback.binary.to_string_lossy())),
        ("reason", text(fallback.reason.to_string())),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_the_form_of_a_file_is_not_a_package() {
        for file in ["-", "missing/aws.json", "./aws", "../aws", "/aws", "a.coco", "9", "Cargo.toml"] {
            assert!(matches!(Subject::of(Path::new(file)), Subject::File(_)), "{file}");
        }
        for package in ["aws", "aws#1.0.6", "github.com/ns/aws", "git://github.com/ns/aws#>=1.0.6"] {
            let Subject::Package(reference) = Subject::of(Path::new(package)) else { panic!("{package}") };
            assert_eq!(reference.to_string(), package);
        }
    }
}
