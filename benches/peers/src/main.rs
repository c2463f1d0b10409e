//! Measures Coconut and its peers: the same documents, the same results, taking turns.
//!
//! ```text
//! coconut-peers [--rounds N] [--resources N,N…] [--large N,N…] [--only JOB] [--no-memory]
//!               [--quick] [--document FILE]… [--write FOLDER]
//! coconut-peers instructions [--bless]
//! ```
//!
//! Documents are generated, with fixed seeds, below `target/peers`. Real ones are added if there is
//! a corpus. `--document` measures only the named ones.

#![deny(unsafe_op_in_unsafe_fn)]

mod bounds;
mod checkpoint;
mod corpus;
mod documents;
mod forms;
mod instructions;
mod jobs;
mod measure;
mod memory;
mod processes;
mod report;
mod rows;
#[rustfmt::skip]
mod rows_capnp;
#[rustfmt::skip]
mod rows_flatbuffers;
mod sizes;
mod tree;

use anyhow::{Context, Result, bail};
use coconut_codec::Profile;
use documents::Document;
use jobs::Job;
use measure::Effort;
use report::{Goal, Report, Row};
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match &arguments[..] {
        ["memory", job, document, contender] => with_job(job, document, |job| {
            println!("{}", memory::run_once(job, contender)?);
            Ok(())
        }),
        ["run", job, document, contender, runs] => {
            with_job(job, document, |job| instructions::run(job, contender, runs.parse()?))
        }
        ["instructions", rest @ ..] => {
            let document = checkpoint(COUNTED_RESOURCES)?;
            make_forms(&document, Some(COUNTED_RESOURCES))?;
            instructions::compare(&document, COUNTED_RESOURCES, rest.contains(&"--bless"))
        }
        ["prepare", options @ ..] => prepare(&Options::parse(options)?),
        options => {
            let parsed = Options::parse(options)?;
            // In another process, because a process passes its peak memory on to those that it
            // starts.
            let made = Command::new(std::env::current_exe()?).arg("prepare").args(options).status()?;
            anyhow::ensure!(made.success(), "the documents cannot be made");
            measure_all(&parsed)
        }
    }
}

/// Resources of the checkpoint whose instructions are counted.
const COUNTED_RESOURCES: usize = 1000;

struct Options<'a> {
    effort: Effort,
    resources: Vec<usize>,
    only: &'a str,
    memory: bool,
    /// Checkpoints so large that this project does only the jobs whose time must not grow with
    /// them.
    large: Vec<usize>,
    /// JSON files to measure in place of all others.
    named: Vec<PathBuf>,
    write: Option<PathBuf>,
}

impl<'a> Options<'a> {
    fn parse(arguments: &[&'a str]) -> Result<Options<'a>> {
        let mut options = Options {
            effort: Effort { rounds: 7 },
            resources: vec![1000, 20_000],
            only: "",
            memory: true,
            large: vec![200_000, 1_000_000],
            named: Vec::new(),
            write: None,
        };
        let mut arguments = arguments.iter();
        while let Some(&name) = arguments.next() {
            let mut value = || arguments.next().with_context(|| format!("{name} needs a value"));
            match name {
                "--rounds" => options.effort.rounds = value()?.parse()?,
                "--resources" => options.resources = counts(value()?)?,
                "--large" => options.large = counts(value()?)?,
                "--quick" => options.large.clear(),
                "--document" => options.named.push(PathBuf::from(value()?)),
                "--only" => options.only = value()?,
                "--write" => options.write = Some(PathBuf::from(value()?)),
                "--no-memory" => options.memory = false,
                _ => bail!("`{name}` is not an option"),
            }
        }
        if !options.named.is_empty() {
            options.large.clear();
        }
        Ok(options)
    }
}

fn counts(list: &str) -> Result<Vec<usize>> {
    Ok(list.split(',').map(str::parse).collect::<Result<_, _>>()?)
}

fn work() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/peers")
}

fn checkpoint(resources: usize) -> Result<Document> {
    let name = format!("checkpoint-{resources}");
    Document::new(&work(), &name, || Ok(coconut_tests::generate::checkpoint(resources)))
}

/// The documents that every contender gets, with the number of resources of those that are
/// checkpoints.
fn documents(options: &Options<'_>) -> Result<Vec<(Document, Option<usize>)>> {
    use coconut_tests::generate;
    if !options.named.is_empty() {
        let named = options.named.iter().map(|path| Ok((corpus::named(&work(), path)?, None)));
        return named.collect();
    }
    let checkpoints = options.resources.iter().map(|&count| Ok((checkpoint(count)?, Some(count))));
    let mut documents = checkpoints.collect::<Result<Vec<_>>>()?;
    let others = [
        Document::new(&work(), rows::NAME, || Ok(serde_json::to_string(&rows::rows())?))?,
        Document::new(&work(), "provider-schema", || Ok(generate::provider_schema(1500)))?,
        Document::new(&work(), "package-1000", || Ok(generate::package(1000)))?,
        Document::new(&work(), "package-20000", || Ok(generate::package(20_000)))?,
    ];
    documents.extend(others.into_iter().chain(corpus::documents(&work())?).map(|document| (document, None)));
    Ok(documents)
}

fn make_forms(document: &Document, resources: Option<usize>) -> Result<()> {
    if document.name == rows::NAME {
        return rows::make_forms(document);
    }
    forms::make(document)?;
    match resources {
        Some(_) => forms::make_typed(document),
        None => Ok(()),
    }
}

fn prepare(options: &Options<'_>) -> Result<()> {
    for &resources in &options.large {
        forms::make_own(&checkpoint(resources)?, "coco", Profile::Full)?;
    }
    options.named.iter().try_for_each(|path| corpus::make_named(&work(), path))?;
    documents(options)?.iter().try_for_each(|(document, resources)| make_forms(document, *resources))
}

/// Runs `action` on the job of that name on the document of that name.
fn with_job(name: &str, document: &str, action: impl FnOnce(Job<'_>) -> Result<()>) -> Result<()> {
    let resources = document.strip_prefix("checkpoint-").and_then(|number| number.parse().ok());
    let document = Document::new(&work(), document, || bail!("the document was not made before"))?;
    let job = jobs::all(&document, resources).into_iter().find(|job| job.name == name);
    action(job.context("no such job")?)
}

fn measure_all(options: &Options<'_>) -> Result<()> {
    let documents = documents(options)?;
    let mut report = Report { machine: machine(), ..Report::default() };
    // A schema with thousands of types is typical for a lookup of one: the real one, else the
    // generated one.
    let schema = ["aws-schema", "provider-schema"].iter().find_map(|name| {
        documents.iter().map(|(document, _)| document).find(|document| document.name == *name)
    });
    if let Some(schema) = schema
        && "process".contains(options.only)
    {
        for rows in processes::measure_readers(schema, options.effort)? {
            report.add(rows);
        }
    }
    // Before any measurement in this process, whose peak would count as theirs.
    for (document, _) in documents.iter().filter(|(document, _)| document.size("json") >= bounds::LARGE) {
        if processes::COMPILE.contains(options.only) {
            for rows in processes::measure_compilers(document, options.effort)? {
                report.add(rows);
            }
        }
    }
    for (document, resources) in &documents {
        for job in jobs::all(document, *resources) {
            if job.name.contains(options.only) {
                report.add(measure_job(job, options)?);
            }
        }
        report.sizes.extend(sizes::of(document)?);
    }
    let large = options.large.iter().map(|&resources| Ok((checkpoint(resources)?, resources)));
    let large = large.collect::<Result<Vec<_>>>()?;
    for (document, resources) in &large {
        for job in jobs::of_large(document, *resources) {
            if job.name.contains(options.only) {
                report.add(measure_job(job, options)?);
            }
        }
    }
    let measured =
        documents.iter().map(|(document, _)| document).chain(large.iter().map(|(document, _)| document));
    report.bounds = bounds::of(&report, &measured.collect::<Vec<_>>());
    report.print_bounds();
    report.print_sizes();
    report.print_verdicts();
    match &options.write {
        Some(folder) => report.write(folder),
        None => Ok(()),
    }
}

fn measure_job(job: Job<'_>, options: &Options<'_>) -> Result<Vec<Row>> {
    let (name, document, goals, items) = (job.name, job.document, job.goals.clone(), job.items);
    let mut peaks = Vec::new();
    for contender in &job.contenders {
        peaks.push(if options.memory { Some(memory::peak(&job, contender.name)?) } else { None });
    }
    let ours = job.ours;
    let figures = measure::measure(job.contenders, options.effort);
    let ours = figures.iter().find(|figures| figures.name == ours).context("every job is done by Coconut")?;
    let row = |(figures, peak): (&measure::Figures, Option<u64>)| {
        let goal = goals.iter().find(|(peer, ..)| *peer == figures.name);
        let goal = goal.map(|&(_, must, aim)| Goal { must, aim });
        Row { peak_kib: peak, items, ..Row::new(name, &document.name, figures, ours, goal) }
    };
    Ok(figures.iter().zip(peaks).map(row).collect())
}

/// Processor, cores and kernel, if known.
fn machine() -> String {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let processors = read("/proc/cpuinfo");
    let model = processors.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or("unknown");
    let cores = processors.lines().filter(|line| line.starts_with("processor")).count();
    let kernel = read("/proc/sys/kernel/osrelease");
    format!("{} × {cores}, Linux {}", model.trim_start_matches([':', '\t', ' ']), kernel.trim())
}
