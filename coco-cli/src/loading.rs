//! Packages by their names, through the cache.

use crate::failure::Failure;
use crate::screen::{Screen, on_one_line};
use clap::{Args, ValueEnum};
use coconut_codec::cache::Cache;
use coconut_codec::loader::{
    CompiledForms, Explanation, Fallback, Freshness, Loaded, Loader, LoaderBuilder, SearchPath,
};
use coconut_format::names::{PackageReference, PackageUrl};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// How packages are found and loaded.
#[derive(Clone, Debug, Args)]
pub(crate) struct LoaderOptions {
    /// Compile sources in memory, and use neither the cache nor precompiled documents
    #[arg(long, conflicts_with = "require_binary")]
    no_binary: bool,
    /// Compile nothing, and fail where there is no good compiled form
    #[arg(long)]
    require_binary: bool,
    /// How a compiled form proves that it is not older than its source
    #[arg(long, value_name = "POLICY", default_value = "content")]
    freshness: FreshnessName,
    /// The workspace, if it is not the one around the current folder
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
}

/// How a compiled form proves that it is not older than its source.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum FreshnessName {
    /// By the digest of the source
    Content,
    /// By what the file system says of the source, where that proves something
    Stat,
    /// Not at all
    Trust,
}

/// What a command line names: a file, or a package.
#[derive(Clone, Debug)]
pub(crate) enum Subject {
    File(PathBuf),
    Package(PackageReference),
}

/// A compiled form that was passed over.
#[derive(Debug, Serialize)]
pub(crate) struct FallbackJson {
    code: &'static str,
    binary: String,
    reason: String,
}

impl LoaderOptions {
    pub(crate) fn loader(&self) -> Loader {
        self.builder().cache(Cache::for_user()).build()
    }

    pub(crate) fn loader_without_cache(&self) -> Loader {
        self.builder().build()
    }

    fn builder(&self) -> LoaderBuilder {
        let search = match &self.workspace {
            Some(workspace) => SearchPath::default().workspace(workspace),
            None => SearchPath::for_user(Path::new(".")),
        };
        let forms = match (self.no_binary, self.require_binary) {
            (true, _) => CompiledForms::Ignore,
            (_, true) => CompiledForms::Require,
            _ => CompiledForms::Use,
        };
        let freshness = match self.freshness {
            FreshnessName::Content => Freshness::Content,
            FreshnessName::Stat => Freshness::Stat,
            FreshnessName::Trust => Freshness::Trust,
        };
        Loader::builder().search(search).compiled_forms(forms).freshness(freshness)
    }
}

impl Subject {
    /// A file if there is one of this name, which a folder is not, or if it is called like one; else a package, if the
    /// name can be one's.
    pub(crate) fn of(argument: &Path) -> Subject {
        const EXTENSIONS: [&str; 5] = ["coco", "json", "tfstate", "yaml", "yml"];
        let extension = argument.extension().and_then(|extension| extension.to_str());
        let is_called_like_a_file = argument.is_absolute()
            || argument.starts_with(".")
            || argument.starts_with("..")
            || extension.is_some_and(|extension| EXTENSIONS.contains(&extension));
        let is_path =
            argument.as_os_str() == "-" || is_called_like_a_file || (argument.exists() && !argument.is_dir());
        match argument.to_str().filter(|_| !is_path).map(PackageUrl::parse) {
            Some(Ok(PackageUrl::Package(reference))) => Subject::Package(reference),
            _ => Subject::File(argument.to_owned()),
        }
    }

    pub(crate) fn name(&self) -> String {
        match self {
            Subject::File(path) => path.to_string_lossy().into_owned(),
            Subject::Package(reference) => reference.to_string(),
        }
    }

    pub(crate) fn load(&self, loader: &Loader) -> Result<Loaded, Failure> {
        let loaded = match self {
            Subject::File(path) => loader.load_file(path),
            Subject::Package(reference) => loader.load(reference),
        };
        loaded.map_err(|error| Failure::loading(&self.name(), &error))
    }

    /// The entry of the cache that a load would look for.
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

    pub(crate) fn explain(&self, loader: &Loader) -> Result<Explanation, Failure> {
        let explanation = match self {
            Subject::File(path) => loader.explain_file(path),
            Subject::Package(reference) => loader.explain(reference),
        };
        explanation.map_err(|error| Failure::loading(&self.name(), &error))
    }
}

/// Says once why each compiled form was passed over. The result is the one of the source, so it is no failure.
pub(crate) fn warn_of<'f>(screen: &Screen, fallbacks: impl IntoIterator<Item = &'f Fallback>) {
    let mut said: Vec<&Fallback> = Vec::new();
    for fallback in fallbacks {
        if !said.iter().any(|known| fallback.repeats(known)) {
            warn_once(screen, fallback, "the source is used instead");
            said.push(fallback);
        }
    }
}

/// The reason, the file if there is one, and what follows from it.
pub(crate) fn warn_once(screen: &Screen, fallback: &Fallback, consequence: &str) {
    let Fallback { reason, binary } = fallback;
    let place = match binary.as_os_str().is_empty() {
        true => String::new(),
        false => format!("\n --> {}", on_one_line(&binary.to_string_lossy())),
    };
    screen.warn(reason.code(), &format!("{reason}{place}\n  = {consequence}"));
}

impl From<&Fallback> for FallbackJson {
    fn from(fallback: &Fallback) -> Self {
        FallbackJson {
            code: fallback.reason.code(),
            binary: fallback.binary.to_string_lossy().into_owned(),
            reason: fallback.reason.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_called_like_a_file_is_no_package() {
        for file in ["-", "missing/aws.json", "./aws", "../aws", "/aws", "a.coco", "9", "Cargo.toml"] {
            assert!(matches!(Subject::of(Path::new(file)), Subject::File(_)), "{file}");
        }
        for package in ["aws", "aws#1.0.6", "github.com/ns/aws", "git://github.com/ns/aws#>=1.0.6"] {
            let Subject::Package(reference) = Subject::of(Path::new(package)) else { panic!("{package}") };
            assert_eq!(reference.to_string(), package);
        }
    }
}
