//! Compiling many sources at the same time.

use super::report::BuiltDocument;
use super::sources::Job;
use coco_inspect::open::{name_of, read, source_format};
use coco_inspect::{Console, Failure};
use coconut_codec::compile::{CompileOptions, Compiled, compile};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Settings for all sources of a run.
pub(super) struct Compiler {
    pub(super) options: CompileOptions,
    /// Whether errors may show the text of a source that names secrets.
    pub(super) reveal: bool,
}

/// A compiled document and what the report says about it.
pub(super) struct Built {
    pub(super) bytes: Vec<u8>,
    pub(super) document: BuiltDocument,
}

impl Compiler {
    /// Reads and compiles one source.
    pub(super) fn compile(&self, job: &Job) -> Result<Built, Failure> {
        let (source, text) = (name_of(&job.source), read(&job.source)?);
        let format = source_format(&source, &text, self.options.format)
            .map_err(|error| Failure::from(error).in_file(&source))?;
        let options = CompileOptions { format: Some(format), ..self.options.clone() };
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

/// Threads per processor. More only use memory that the work needs under a memory limit.
const WORKERS_PER_PROCESSOR: usize = 4;

/// Does all of `jobs` with up to this many workers, which take the next one from a shared queue.
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
        do_jobs();
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
