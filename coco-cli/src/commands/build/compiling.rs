//! Parallel compilation of many sources.

use super::report::BuiltDocument;
use super::sources::{Job, compiled_already};
use crate::destination::Destination;
use crate::loading::with_progress;
use coconut_codec::compile::{CompileOptions, Compiled, compile};
use coconut_codec::read::file::DocumentFile;
use coconut_codec::read::stream::Budget;
use coconut_codec::read::view::Content;
use coconut_codec::text::SourceFormat;
use coconut_codec::text::json::{JsonStyle, Printer};
use coconut_report::Failure;
use coconut_shell::Console;
use coconut_shell::open::{is_document, name_of, open_checked, read, source_format};
use coconut_shell::rules::Rules;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::collections::HashSet;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Settings for all sources of a run.
pub(super) struct Compiler {
    pub(super) options: CompileOptions,
    /// The team's rules, unless the command line defines the landmarks.
    pub(super) rules: Rules,
    /// Whether errors may show the text of a source that names secrets.
    pub(super) reveal: bool,
}

/// A compiled document and its entry in the report.
pub(super) struct Built {
    pub(super) bytes: Vec<u8>,
    pub(super) document: BuiltDocument,
}

impl Compiler {
    fn options_for(&self, source: &Path, format: SourceFormat) -> CompileOptions {
        let mut options = CompileOptions { format: Some(format), ..self.options.clone() };
        if !self.rules.is_empty() {
            options.landmarks = self.rules.landmarks_of(source);
        }
        options
    }

    /// Reads and compiles one source.
    pub(super) fn compile(&self, job: &Job) -> Result<Built, Failure> {
        let (source, text) = (name_of(&job.source), read(&job.source)?);
        if is_document(&source, &text) {
            // The remains of a truncated document may be text.
            open_checked(text, &source, self.reveal)?;
            return Err(compiled_already(&source));
        }
        let format = source_format(&source, &text, self.options.format)
            .map_err(|error| Failure::from(error).in_file(&source))?;
        let options = self.options_for(&job.source, format);
        let compiled = compile(&text, &options)
            .map_err(|error| Failure::compiling(&source, &text, &error, self.reveal))?;
        let Compiled { bytes, document_type, dialect, landmarks, lints, .. } = compiled;
        if options.strip_locations && document_type != "cocopack" {
            let message = "--strip-locations needs a package";
            return Err(Failure::usage(message).in_file(&source));
        }
        let document = BuiltDocument {
            source,
            output: job.destination.name(),
            document_type,
            dialect,
            profile: options.profile.name(),
            landmarks,
            source_bytes: text.len() as u64,
            bytes: bytes.len() as u64,
            warnings: lints,
        };
        Ok(Built { bytes, document })
    }
}

impl Compiler {
    /// Reads and compiles one source. A list becomes one document for each item, with the key of
    /// the item in its name, otherwise its number.
    pub(super) fn compile_split(&self, job: &Job) -> Result<Vec<(Destination, Built)>, Failure> {
        let Destination::File(output) = &job.destination else {
            return Err(Failure::usage("--split needs files as outputs").with_hint("name a folder with -o"));
        };
        let whole = self.compile(job)?;
        let items = items_of(&whole.bytes).map_err(|failure| failure.in_file(&whole.document.source))?;
        let Some(items) = items else { return Ok(vec![(job.destination.clone(), whole)]) };
        let options = self.options_for(&job.source, SourceFormat::Json);
        let mut names = HashSet::new();
        let mut built = Vec::with_capacity(items.len());
        for (number, text) in (1..).zip(items) {
            let compiled = compile(&text, &options)
                .map_err(|error| Failure::compiling(&whole.document.source, &text, &error, self.reveal))?;
            let name = key_of(&compiled.bytes)?.filter(|name| !names.contains(name));
            let name = name.unwrap_or_else(|| format!("{number}"));
            let destination = Destination::File(part_path(output, &name));
            names.insert(name);
            let document = BuiltDocument {
                source: whole.document.source.clone(),
                output: destination.name(),
                document_type: compiled.document_type,
                dialect: compiled.dialect,
                profile: options.profile.name(),
                landmarks: compiled.landmarks,
                source_bytes: text.len() as u64,
                bytes: compiled.bytes.len() as u64,
                warnings: compiled.lints,
            };
            built.push((destination, Built { bytes: compiled.bytes, document }));
        }
        Ok(built)
    }
}

/// The items of a document that is a list, each as JSON.
fn items_of(document: &[u8]) -> Result<Option<Vec<Vec<u8>>>, Failure> {
    let file = DocumentFile::from_data(document)?;
    let Content::List(list) = file.view().root().content()? else { return Ok(None) };
    let mut items = Vec::new();
    for item in list.items() {
        let mut printer = Printer::new(Vec::new(), JsonStyle::Minified);
        item?.stream(&mut printer, Budget::default())?;
        items.push(printer.finish().expect("memory takes all bytes"));
    }
    Ok(Some(items))
}

/// The key of a document that is a landmark itself, as a part of a file name.
fn key_of(document: &[u8]) -> Result<Option<String>, Failure> {
    let file = DocumentFile::from_data(document)?;
    let view = file.view();
    if view.header().landmarks != 1 {
        return Ok(None);
    }
    let Some(landmark) = view.landmark(0)? else { return Ok(None) };
    let is_kept = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
    let name: String = landmark.key()?.chars().map(|c| if is_kept(c) { c } else { '-' }).collect();
    Ok(Some(name).filter(|name| !name.is_empty() && name.len() <= LONGEST_NAME))
}

/// The maximum number of bytes of a key in a file name.
const LONGEST_NAME: usize = 100;

/// The path of one document of several: `a.yaml.NAME.coco` next to `a.yaml.coco`.
fn part_path(whole: &Path, name: &str) -> PathBuf {
    let stem = whole.file_stem().unwrap_or_default().to_string_lossy();
    whole.with_file_name(format!("{stem}.{name}.coco"))
}

/// Threads per processor. More threads only use memory that the work needs under a memory limit.
const WORKERS_PER_PROCESSOR: usize = 4;

/// Runs all of `jobs` with up to this many workers, which take the next one from a shared queue.
/// Returns the results in the order of the jobs.
///
/// This thread is one of the workers. If the system provides no threads, it does all jobs.
pub(crate) fn in_parallel<J: Sync, T: Send>(
    jobs: &[J],
    workers: usize,
    console: &Console,
    work: impl Fn(&J) -> Result<T, Failure> + Sync,
) -> Vec<Result<T, Failure>> {
    let progress = progress_bar(jobs.len(), console);
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<Result<T, Failure>>>> = jobs.iter().map(|_| Mutex::new(None)).collect();
    let do_jobs = || {
        while let Some((job, slot)) = {
            let index = next.fetch_add(1, Ordering::Relaxed);
            jobs.get(index).zip(results.get(index))
        } {
            let result = work(job);
            *slot.lock().expect("a slot has one writer") = Some(result);
            progress.inc(1);
        }
    };
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let workers = workers.min(jobs.len()).min(processors.saturating_mul(WORKERS_PER_PROCESSOR));
    thread::scope(|scope| {
        for _ in 1..workers {
            if thread::Builder::new().spawn_scoped(scope, do_jobs).is_err() {
                break;
            }
        }
        match jobs.len() {
            1 => with_progress(console, "compiling", do_jobs),
            _ => do_jobs(),
        }
    });
    progress.finish_and_clear();
    let finished = |slot: Mutex<Option<_>>| slot.into_inner().ok().flatten();
    results.into_iter().map(|slot| finished(slot).expect("each job was taken and done")).collect()
}

/// A progress bar on standard error, shown on terminals only.
fn progress_bar(jobs: usize, console: &Console) -> ProgressBar {
    let target = match console.is_chatty() && jobs > 1 {
        true => ProgressDrawTarget::stderr(),
        false => ProgressDrawTarget::hidden(),
    };
    let style =
        ProgressStyle::with_template("{bar:40} {pos}/{len}").unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::with_draw_target(Some(jobs as u64), target).with_style(style)
}
