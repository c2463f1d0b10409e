//! `coco cache warm`: compiles sources ahead of time.

use crate::commands::build::{in_parallel, sources_below};
use crate::fleet::{Answer, FleetArguments, Level, PublishArguments};
use crate::loading::{LoaderOptions, Subject, fallback_json, fallbacks_json, warn_of, warn_once};
use clap::Args;
use coconut_codec::loader::{Fallback, Loader, Origin};
use coconut_format::Value;
use coconut_report::json::{list, object, report, text};
use coconut_report::{Exit, Failure};
use coconut_shell::Console;
use coconut_shell::open::Stored;
use coconut_shell::rules::Rules;
use std::num::NonZero;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Compile sources into the cache
///
/// Accepts packages, sources, and folders with *.json, *.yaml, *.yml and *.tfstate files. A file of
/// a package is stored under the name of the package. Skips sources that are already in the cache.
/// A compiled file beside a source is not used: the cache stores only documents that were compiled
/// here.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../../tests/help/cache.trycmd"))]
pub(crate) struct Warm {
    /// Packages, files and folders
    #[arg(required = true, value_name = "SRC")]
    sources: Vec<PathBuf>,
    /// Number of parallel compiles (default: number of CPUs; at most 4 per CPU)
    #[arg(short, long, value_name = "N", hide_short_help = true)]
    jobs: Option<NonZero<usize>>,
    #[command(flatten)]
    loader: LoaderOptions,
    #[command(flatten)]
    fleet: FleetArguments,
    #[command(flatten)]
    publishing: PublishArguments,
}

/// A loaded document. It is in the cache if possible.
struct Warmed {
    name: String,
    origin: Origin,
    fleet: Option<Answer>,
    /// `None` if there was nothing to publish.
    published: Option<Result<&'static str, Fallback>>,
    fallbacks: Vec<Fallback>,
}

impl Warm {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        let started = Instant::now();
        let loader = self.loader.clone().for_warming().loader(Rules::of_process(console)?);
        let level = self.fleet.level();
        self.publishing.check(&level)?;
        let mut subjects = Vec::new();
        for argument in &self.sources {
            match argument.is_dir() {
                true => subjects
                    .extend(sources_below(argument)?.iter().map(|path| subject(&loader, path.clone()))),
                false => subjects.push(Subject::of(argument)),
            }
        }
        let workers = self.jobs.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZero::get);
        let reveal = console.reveal;
        let results =
            in_parallel(&subjects, workers, console, |subject| self.warm(&loader, &level, subject, reveal));
        let (mut warmed, mut failures) = (Vec::new(), Vec::new());
        for result in results {
            match result {
                Ok(document) => warmed.push(document),
                Err(failure) => failures.push(failure),
            }
        }
        let compiled = warmed.iter().filter(|document| document.origin.name() == "source").count();
        let uncached = warmed.iter().filter(|document| !document.is_warm()).count();
        if console.json {
            console.print_json(&report("cache-warm", [("documents", list(&warmed, Warmed::to_json))]))?;
        } else {
            warn_of(console, warmed.iter().flat_map(|document| &document.fallbacks));
            warn_of_publishing(console, &warmed);
            console.note(&summary(&warmed, compiled, started.elapsed()));
        }
        Ok(match console.report(&failures) {
            Exit::Good if uncached > 0 => Exit::Negative,
            exit => exit,
        })
    }
}

impl Warm {
    /// Loads from the cache, otherwise from the fleet, otherwise from the local files.
    fn warm(
        &self,
        loader: &Loader,
        level: &Level,
        subject: &Subject,
        reveal: bool,
    ) -> Result<Warmed, Failure> {
        if let Subject::File(path) = subject
            && let Stored::Neither(error) = Stored::at(path)
        {
            return Err(Failure::from(error).in_file(&subject.name()));
        }
        let visit = level.pull(loader, subject);
        let loaded = subject.load(loader, reveal)?;
        let published = match self.publishing.is_wanted() {
            true => level.publish(loader, &visit).transpose(),
            false => None,
        };
        let fleet = visit.answer().cloned();
        let passed = fleet.iter().filter_map(|answer| answer.fallback.clone());
        let fallbacks = passed.chain(loaded.fallbacks).collect();
        Ok(Warmed { name: subject.name(), origin: loaded.origin, fleet, published, fallbacks })
    }
}

/// Warns once that nothing could be published. This is not a failure: the cache itself is warm.
fn warn_of_publishing(console: &mut Console, warmed: &[Warmed]) {
    let mut said: Vec<&Fallback> = warmed.iter().flat_map(|document| &document.fallbacks).collect();
    for document in warmed {
        if let Some(Err(fault)) = &document.published
            && !said.contains(&fault)
        {
            warn_once(console, fault, "it is in the cache of this machine only");
            said.push(fault);
        }
    }
}

fn summary(warmed: &[Warmed], compiled: usize, took: Duration) -> String {
    let count = warmed.len();
    let mut text = format!("{count} loaded, {compiled} of them compiled");
    let fetched = warmed.iter().filter(|document| document.is_fetched()).count();
    if warmed.iter().any(|document| document.fleet.is_some()) {
        text.push_str(&format!(", {fetched} fetched"));
    }
    let published: Vec<_> = warmed.iter().filter_map(|document| document.published.as_ref()).collect();
    if !published.is_empty() {
        let written = published.iter().filter(|published| matches!(published, Ok("written"))).count();
        text.push_str(&format!(", {written} published"));
    }
    format!("{text}, in {}", crate::numbers::time(took))
}

/// The package of a source, otherwise the file itself.
fn subject(loader: &Loader, source: PathBuf) -> Subject {
    match loader.search().package_of(&source) {
        Some(reference) => Subject::Package(reference),
        None => Subject::File(source),
    }
}

impl Warmed {
    /// Whether the next load compiles nothing. If compiled forms are required, one next to its
    /// source is not in the cache, and is sufficient.
    fn is_warm(&self) -> bool {
        self.origin.is_cached() || self.origin.name() == "precompiled"
    }

    fn is_fetched(&self) -> bool {
        self.fleet.as_ref().is_some_and(|answer| answer.bytes.is_some())
    }

    fn to_json(&self) -> Value {
        let (published, fault) = match &self.published {
            Some(Ok(published)) => (text(*published), Value::Null),
            Some(Err(fault)) => (Value::Null, fallback_json(fault)),
            None => (Value::Null, Value::Null),
        };
        object([
            ("name", text(&self.name)),
            // `cache`, `precompiled` or `source`.
            ("origin", text(self.origin.name())),
            // Whether the next load will find the document in the cache.
            ("cached", Value::Bool(self.origin.is_cached())),
            ("fleet", self.fleet.as_ref().map_or(Value::Null, Answer::to_json)),
            ("published", published),
            ("publishing_fault", fault),
            ("fallbacks", fallbacks_json(&self.fallbacks)),
        ])
    }
}
