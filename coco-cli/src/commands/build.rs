//! `coco pack build`: compiles sources into documents.

mod compiling;
mod landmark_options;
mod report;
mod sources;

use crate::destination::{Content, Destination, WriteOptions};
use clap::Args;
use clap::builder::TypedValueParser;
use coconut_codec::Profile;
use coconut_codec::compile::{CompileOptions, LandmarkChoice};
use coconut_codec::text::{SourceFormat, YamlTags};
use coconut_report::{Exit, Failure, code};
use coconut_shell::Console;
use coconut_shell::choice::{choice, choice_of};
use coconut_shell::rules::Rules;
use compiling::Compiler;
pub(crate) use compiling::in_parallel;
use landmark_options::LandmarkOptions;
pub(super) use landmark_options::dialect_names;
use report::{BuildReport, BuiltDocument};
pub(crate) use sources::sources_below;
use sources::{Job, Sources};
use std::num::NonZero;
use std::path::PathBuf;
use std::time::Instant;

/// Compile JSON and YAML sources
///
/// Compiles JSON and YAML files, and all *.json, *.jsonl, *.ndjson, *.yaml, *.yml and *.tfstate
/// files in folders, even if they are compressed (.gz, .zst). Skips compiled files, hidden folders
/// and symlinked folders. Several YAML documents in a file, and JSON Lines, become a list.
///
/// Without -o, each document is written beside its source. `.coco` replaces `.json` in the name,
/// and follows any other ending: a.json becomes a.coco, and a.yaml becomes a.yaml.coco.
///
/// A file is replaced as a whole or not at all. Existing files that are not Coconut documents are
/// replaced only with --force. An output never overwrites a source. An error in one source does not
/// stop the others.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../tests/help/pack-build.trycmd"))]
pub(crate) struct Build {
    /// Files and folders; `-` is standard input
    #[arg(required = true, value_name = "SRC")]
    sources: Vec<PathBuf>,
    /// Output file or folder; `-` is standard output
    ///
    /// It is a folder if it ends in `/`, if such a folder exists, or if there are several sources.
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Storage profile
    #[arg(long, value_name = "PROFILE", default_value = "full", value_parser = profiles())]
    profile: Profile,
    /// Document type (default: detected from the content)
    ///
    /// It is cocopack, cocogl, document, or another name.
    #[arg(long = "type", value_name = "TYPE")]
    document_type: Option<String>,
    /// Omit every `loc` of a package
    ///
    /// The document is smaller, but no longer equal to the source.
    #[arg(long)]
    strip_locations: bool,
    /// Store a digest of each landmark
    ///
    /// Large documents can then be compared without reading all of them.
    #[arg(long)]
    digests: bool,
    /// Format of the sources (default: detected)
    ///
    /// It is detected from the name and the content.
    #[arg(long, value_name = "FORMAT", value_parser = formats())]
    format: Option<SourceFormat>,
    /// How to read YAML tags that are not of the core schema
    ///
    /// Default: `!Name x` becomes {"Name": "x"}, and `!Sub x` the long form of CloudFormation.
    #[arg(long, value_name = "TAGS", hide_short_help = true, value_parser = tags())]
    yaml_tags: Option<YamlTags>,
    /// Write one document for each item of a source
    ///
    /// Its name contains the key or number of the item: a.yaml becomes a.yaml.KEY.coco.
    #[arg(long)]
    split: bool,
    /// Write nothing; exit with 1 if an output is missing or differs
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    write: WriteOptions,
    /// Number of parallel compiles (default: number of CPUs; at most 4 per CPU)
    #[arg(short, long, value_name = "N", hide_short_help = true)]
    jobs: Option<NonZero<usize>>,
    #[command(flatten)]
    landmarks: LandmarkOptions,
}

/// The profiles of a document.
pub(crate) fn profiles() -> impl TypedValueParser<Value = Profile> {
    choice_of(&[
        (Profile::Full, "full", "Shared strings, shapes and values, index and block checksums"),
        (Profile::Plain, "plain", "Ordinary msgpack maps and strings, with index and block checksums"),
        (
            Profile::Transport,
            "transport",
            "Like `full`, without the parts that a receiver can rebuild: to compress and send",
        ),
    ])
}

/// The formats of a source.
fn formats() -> impl TypedValueParser<Value = SourceFormat> {
    choice(&[SourceFormat::Json, SourceFormat::Yaml], SourceFormat::name, |_| "")
}

/// The treatments of YAML tags that are not of the core schema.
fn tags() -> impl TypedValueParser<Value = YamlTags> {
    let template = "As by default, but every document is a template of CloudFormation";
    choice_of(&[
        (YamlTags::CloudFormation, "cloudformation", template),
        (YamlTags::Core, "core", "Refuse them"),
    ])
}

impl Build {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        let started = Instant::now();
        let options = self.compile_options()?;
        let rules = match options.landmarks {
            LandmarkChoice::Detect => Rules::of_process(console)?,
            _ => Rules::default(),
        };
        let compiler = Compiler { options, rules, reveal: console.reveal };
        let sources =
            Sources::find(&self.sources, self.output.as_deref(), self.write.durable && !self.check)?;
        let prints_document = sources.jobs.iter().any(|job| job.destination == Destination::Stdout);
        if prints_document {
            Destination::Stdout.check_report(console)?;
        }
        let work = |job: &Job| self.build(&compiler, job);
        let workers = self.jobs.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZero::get);
        let results = in_parallel(&sources.jobs, workers, console, work);
        let report = BuildReport::new(results, sources.passed_over, sources.collisions);
        report.warnings(console);
        if matches!(compiler.options.landmarks, LandmarkChoice::Rule(_)) {
            report.warn_without_landmarks(console);
        }
        if !prints_document {
            report.print(console, self.check, started.elapsed())?;
        }
        Ok(console.report(&report.failures))
    }

    fn compile_options(&self) -> Result<CompileOptions, Failure> {
        Ok(CompileOptions {
            format: self.format,
            document_type: self.document_type.clone(),
            landmarks: self.landmarks.choice()?,
            profile: self.profile,
            digests: self.digests,
            strip_locations: self.strip_locations,
            yaml_tags: self.yaml_tags.unwrap_or_default(),
        })
    }

    fn build(&self, compiler: &Compiler, job: &Job) -> Result<Vec<BuiltDocument>, Failure> {
        if self.split {
            let mut documents = Vec::new();
            for (destination, built) in compiler.compile_split(job)? {
                match self.check {
                    true => check_output(&destination, &built.bytes)?,
                    false => {
                        destination.check(Content::Binary, self.write)?;
                        destination.write_bytes(
                            Content::Binary,
                            self.write,
                            job.kept.as_ref(),
                            &built.bytes,
                        )?;
                    }
                }
                documents.push(built.document);
            }
            return Ok(documents);
        }
        if !self.check {
            job.destination.check(Content::Binary, self.write)?;
        }
        let built = compiler.compile(job)?;
        match self.check {
            true => check_output(&job.destination, &built.bytes)?,
            false => {
                job.destination.write_bytes(Content::Binary, self.write, job.kept.as_ref(), &built.bytes)?;
            }
        }
        Ok(vec![built.document])
    }
}

/// Compares the output with the result of compiling its source now.
fn check_output(destination: &Destination, bytes: &[u8]) -> Result<(), Failure> {
    let Destination::File(path) = destination else {
        return Err(Failure::usage("--check needs a file to compare with"));
    };
    let stale = |message: &str| {
        Err(Failure::negative(code::STALE, message)
            .in_file(&destination.name())
            .with_hint("compile it again with `coco pack build`"))
    };
    match coconut_codec::bytes::input::read(path) {
        Ok(found) if found == bytes => Ok(()),
        Ok(_) => stale("the source now compiles to a different document"),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            stale("the compiled document is missing")
        }
        Err(error) => Err(Failure::reading(path, &error)),
    }
}
