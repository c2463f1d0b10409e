//! Compiling many sources at the same time.

use super::report::BuiltDocument;
use super::sources::Job;
use super::strip_locations::StripLocations;
use crate::document::Input;
use crate::failure::Failure;
use crate::screen::Screen;
use coconut_codec::SourceRecord;
use coconut_codec::compile::{CompileError, CompileOptions, writer_options};
use coconut_codec::event::EventSink;
use coconut_codec::read::file::DocumentFile;
use coconut_codec::text::json::{self, JsonOptions};
use coconut_codec::text::yaml::{self, YamlOptions};
use coconut_codec::text::{Lint, SourceError, SourceFormat};
use coconut_codec::write::interner::{Interned, Interner};
use coconut_codec::write::{Writer, WriterOptions};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use sha2::{Digest, Sha256};
use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// How sources are compiled.
pub(super) struct Compiler {
    pub(super) options: CompileOptions,
    pub(super) strip_locations: bool,
}

/// A compiled document, and what is to be said about it.
pub(super) struct Built {
    pub(super) bytes: Vec<u8>,
    pub(super) document: BuiltDocument,
}

impl Compiler {
    /// Reads and compiles one source.
    pub(super) fn compile(&self, job: &Job) -> Result<Built, Failure> {
        let input = Input::read(&job.source)?;
        let format = input.source_format(self.options.format)?;
        let failed = |error: CompileError| Failure::compiling(&input.name, &input.bytes, &error);
        let (interned, lints) = self.read(&input.bytes, format).map_err(|error| failed(error.into()))?;
        let source = SourceRecord {
            format: format.name().to_owned(),
            bytes: input.bytes.len() as u64,
            sha_256: Sha256::digest(&input.bytes).into(),
        };
        let options = writer_options(&interned, &self.options, Some(source));
        if self.strip_locations && options.document_type != "cocopack" {
            let message = "--strip-locations is for packages, which this is not";
            return Err(Failure::usage(message).in_file(&input.name));
        }
        let bytes = Writer::new(options.clone()).to_bytes(&interned).map_err(|error| failed(error.into()))?;
        let landmarks = landmark_count(&input.name, &bytes)?;
        let WriterOptions { document_type, dialect, profile, .. } = options;
        let document = BuiltDocument {
            source: input.name,
            output: job.destination.name(),
            document_type,
            dialect,
            profile: profile.name(),
            landmarks,
            source_bytes: input.bytes.len() as u64,
            bytes: bytes.len() as u64,
            warnings: lints.iter().map(Into::into).collect(),
        };
        Ok(Built { bytes, document })
    }

    fn read(&self, text: &[u8], format: SourceFormat) -> Result<(Interned, Vec<Lint>), SourceError> {
        let mut interner = Interner::new();
        let lints = match self.strip_locations {
            true => read_into(text, format, &mut StripLocations::new(&mut interner))?,
            false => read_into(text, format, &mut interner)?,
        };
        Ok((interner.finish(), lints))
    }
}

fn read_into(text: &[u8], format: SourceFormat, sink: &mut impl EventSink) -> Result<Vec<Lint>, SourceError> {
    match format {
        SourceFormat::Json => json::read(text, sink, &JsonOptions::default()),
        SourceFormat::Yaml => yaml::read(text, sink, &YamlOptions::default()),
    }
}

fn landmark_count(name: &str, bytes: &[u8]) -> Result<u64, Failure> {
    let file = DocumentFile::from_data(bytes).map_err(|error| Failure::decoding(name, &error))?;
    Ok(file.header().landmarks)
}

/// More threads than this for each processor only take memory: under a limit, what the work needs.
const WORKERS_PER_PROCESSOR: usize = 4;

/// Does all of `jobs` with up to this many workers, which take the next one from a shared queue. Results are in the
/// order of the jobs, whoever was done first.
///
/// This thread is one of the workers: where the system gives no others, it does all.
pub(crate) fn in_parallel<J: Sync, T: Send>(
    jobs: &[J],
    workers: usize,
    screen: &Screen,
    work: impl Fn(&J) -> Result<T, Failure> + Sync,
) -> Vec<Result<T, Failure>> {
    let progress = progress_bar(jobs.len(), screen);
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

/// Shown on terminals only, on standard error.
fn progress_bar(jobs: usize, screen: &Screen) -> ProgressBar {
    let target = match screen.is_chatty() && jobs > 1 {
        true => ProgressDrawTarget::stderr(),
        false => ProgressDrawTarget::hidden(),
    };
    let style =
        ProgressStyle::with_template("{bar:40} {pos}/{len}").unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::with_draw_target(Some(jobs as u64), target).with_style(style)
}
