//! `coco cache warm`: compile before anybody waits for it.

use crate::command_line::examples;
use crate::commands::build::{in_parallel, sources_below};
use crate::failure::{Exit, Failure};
use crate::loading::{LoaderOptions, Subject, warn_of};
use crate::screen::{FORMAT_VERSION, Screen};
use clap::Args;
use coconut_codec::loader::{Fallback, Loader, Origin};
use serde::Serialize;
use std::num::NonZero;
use std::path::PathBuf;
use std::time::Instant;

/// Compile sources into the cache
///
/// Takes packages, sources, and folders with all *.json, *.yaml, *.yml and *.tfstate files in them. A file of a
/// package is kept under the name of the package. What is in the cache already is not compiled again.
#[derive(Debug, Args)]
#[command(after_long_help = examples(include_str!("../../../tests/commands/cache.md")))]
pub(crate) struct Warm {
    /// Packages, files and folders
    #[arg(required = true, value_name = "SRC")]
    sources: Vec<PathBuf>,
    /// How many documents are compiled at the same time; as many as there are processors if not given
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZero<usize>>,
    #[command(flatten)]
    loader: LoaderOptions,
}

#[derive(Serialize)]
struct WarmJson {
    format_version: u32,
    documents: Vec<WarmedJson>,
}

#[derive(Serialize)]
struct WarmedJson {
    name: String,
    /// `cache`, `precompiled` or `source`.
    origin: &'static str,
    /// Whether the next load will find it in the cache.
    cached: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fallbacks: Vec<crate::loading::FallbackJson>,
}

/// A document that was loaded, and is in the cache if that was possible.
struct Warmed {
    name: String,
    origin: Origin,
    fallbacks: Vec<Fallback>,
}

impl Warm {
    pub(crate) fn run(self, screen: &Screen) -> Result<Exit, Failure> {
        let started = Instant::now();
        let loader = self.loader.loader();
        let mut subjects = Vec::new();
        for argument in &self.sources {
            match argument.is_dir() {
                true => subjects
                    .extend(sources_below(argument)?.iter().map(|path| subject(&loader, path.clone()))),
                false => subjects.push(Subject::of(argument)),
            }
        }
        let workers = self.jobs.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZero::get);
        let results = in_parallel(&subjects, workers, screen, |subject| {
            let loaded = subject.load(&loader)?;
            Ok(Warmed { name: subject.name(), origin: loaded.origin, fallbacks: loaded.fallbacks })
        });
        let (mut warmed, mut failures) = (Vec::new(), Vec::new());
        for result in results {
            match result {
                Ok(document) => warmed.push(document),
                Err(failure) => failures.push(failure),
            }
        }
        warn_of(screen, warmed.iter().flat_map(|document| &document.fallbacks));
        let compiled = warmed.iter().filter(|document| document.origin.name() == "source").count();
        let uncached = warmed.iter().filter(|document| !document.is_cached()).count();
        if screen.is_json() {
            let documents = warmed.into_iter().map(WarmedJson::from).collect();
            screen.print_json(&WarmJson { format_version: FORMAT_VERSION, documents })?;
        } else {
            let (count, took) = (warmed.len(), crate::numbers::time(started.elapsed()));
            screen.note(&format!("{count} loaded, {compiled} of them compiled, in {took}"));
        }
        Ok(match screen.report(&failures) {
            Exit::Good if uncached > 0 => Exit::Negative,
            exit => exit,
        })
    }
}

/// The package that a source is the source of, or else the file.
fn subject(loader: &Loader, source: PathBuf) -> Subject {
    match loader.search().package_of(&source) {
        Some(reference) => Subject::Package(reference),
        None => Subject::File(source),
    }
}

impl Warmed {
    fn is_cached(&self) -> bool {
        !matches!(self.origin, Origin::Source { stored: false, .. })
    }
}

impl From<Warmed> for WarmedJson {
    fn from(warmed: Warmed) -> Self {
        let (origin, cached) = (warmed.origin.name(), warmed.is_cached());
        let fallbacks = warmed.fallbacks.iter().map(Into::into).collect();
        WarmedJson { name: warmed.name, origin, cached, fallbacks }
    }
}
