//! Whole processes: start, read the file, answer, exit. The same answer from each.

use crate::documents::Document;
use crate::measure::{Effort, Figures};
use crate::report::{Goal, Row};
use anyhow::{Context, Result};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

/// A command line that answers one question.
struct Program {
    job: &'static str,
    name: &'static str,
    ours: bool,
    command: Vec<String>,
}

/// A resource type of a schema that is not also a data source.
pub(crate) fn key(document: &Document) -> &'static str {
    match document.name.as_str() {
        "aws-schema" => "aws_vpc_ipam_pool_cidr_allocation",
        _ => "cloud_type_1234",
    }
}

/// The commands that answer questions about a schema.
fn readers(document: &Document) -> Result<Vec<Program>> {
    let key = key(document);
    let json = document.path("json").display().to_string();
    let coco = document.path("coco").display().to_string();
    let own = tool()?.display().to_string();
    let path = format!(".provider_schemas[].resource_schemas.{key}");
    let python = |library: &str| {
        format!(
            "import {library} as j,sys\nd=j.loads(open(sys.argv[1],'rb').read())\n\
             v=next(iter(d['provider_schemas'].values()))['resource_schemas']['{key}']\nprint(j.dumps(v))"
        )
    };
    let node = format!(
        "const d=JSON.parse(require('fs').readFileSync(process.argv[1]));\
         console.log(JSON.stringify(Object.values(d.provider_schemas)[0].resource_schemas.{key}))"
    );
    let list: Vec<(&'static str, &'static str, bool, Vec<String>)> = vec![
        ("process get", "coconut", true, vec![own.clone(), "get".into(), coco.clone(), key.into()]),
        ("process get", "jq", false, vec!["jq".into(), "-c".into(), path, json.clone()]),
        (
            "process get",
            "Python json",
            false,
            vec!["python3".into(), "-c".into(), python("json"), json.clone()],
        ),
        (
            "process get",
            "Python orjson",
            false,
            vec!["python3".into(), "-c".into(), python("orjson"), json.clone()],
        ),
        (
            "process get",
            "Python msgspec",
            false,
            vec![
                "python3".into(),
                "-c".into(),
                python("msgspec.json").replace("loads", "decode").replace("dumps", "encode"),
                json.clone(),
            ],
        ),
        ("process get", "Node JSON.parse", false, vec!["node".into(), "-e".into(), node, json.clone()]),
        ("process dump", "coconut", true, vec![own, "dump".into(), coco]),
        ("process dump", "jq", false, vec!["jq".into(), ".".into(), json]),
    ];
    let program = |(job, name, ours, command)| Program { job, name, ours, command };
    Ok(list.into_iter().map(program).collect())
}

/// The commands that compile: a process that does nothing else, and `coco`, if `COCO` is its path.
fn compilers(document: &Document) -> Result<Vec<Program>> {
    let json = document.path("json").display().to_string();
    let program = |name, ours, command| Program { job: COMPILE, name, ours, command };
    let alone = vec![small_program()?.display().to_string(), "compile".into(), json.clone()];
    let mut list = vec![program("coconut", true, alone)];
    if let Ok(coco) = std::env::var("COCO") {
        let words = ["pack", "build", &json, "-o", "-"].map(str::to_owned);
        list.push(program(COMMAND, false, [coco].into_iter().chain(words).collect()));
    }
    Ok(list)
}

/// The job of a process that compiles.
pub(crate) const COMPILE: &str = "process compile";
/// The command that does the job.
pub(crate) const COMMAND: &str = "coco pack build";

/// `coco-inspect` at the path in `COCO_INSPECT`, or the small program instead.
fn tool() -> Result<PathBuf> {
    match std::env::var_os("COCO_INSPECT") {
        Some(path) => Ok(path.into()),
        None => small_program(),
    }
}

fn small_program() -> Result<PathBuf> {
    let beside = std::env::current_exe()?.with_file_name("coconut-tool");
    beside.exists().then_some(beside).context("coconut-tool was not built")
}

/// Measures the commands that answer questions about a schema. Returns the rows of each job.
pub(crate) fn measure_readers(document: &Document, effort: Effort) -> Result<Vec<Vec<Row>>> {
    measure(readers(document)?, &["process get", "process dump"], document, effort)
}

/// Measures the commands that compile.
pub(crate) fn measure_compilers(document: &Document, effort: Effort) -> Result<Vec<Vec<Row>>> {
    measure(compilers(document)?, &[COMPILE], document, effort)
}

/// Measures all installed commands, taking turns.
fn measure(
    programs: Vec<Program>,
    jobs: &[&'static str],
    document: &Document,
    effort: Effort,
) -> Result<Vec<Vec<Row>>> {
    let mut installed: Vec<(Program, Vec<(Duration, u64)>)> = Vec::new();
    for program in programs {
        match run(&program.command) {
            Ok(first) => installed.push((program, vec![first])),
            Err(error) => println!("{} cannot do it here: {error:#}", program.name),
        }
    }
    for _ in 0..effort.rounds {
        for (program, times) in &mut installed {
            times.push(run(&program.command)?);
        }
    }
    let goals = |job, name| match (job, name) {
        ("process get", "jq") => Some(Goal { must: 50.0, aim: 100.0 }),
        ("process dump", "jq") => Some(Goal { must: 5.0, aim: 10.0 }),
        _ => None,
    };
    let figures = installed.iter_mut().map(|(program, times)| {
        times.sort_unstable();
        let peak = times.iter().map(|&(_, peak)| peak).max();
        let (median, minimum) = (times[times.len() / 2].0.as_secs_f64(), times[0].0.as_secs_f64());
        let note = "processor time, start of the process included";
        (program.job, program.ours, peak, Figures { name: program.name, note, median, minimum, drop: 0.0 })
    });
    let figures: Vec<_> = figures.collect();
    let rows_of = |job: &'static str| {
        let of_job = figures.iter().filter(move |(other, ..)| *other == job);
        let ours = of_job.clone().find(|(_, ours, ..)| *ours);
        of_job.filter_map(move |(_, _, peak, one)| {
            let row = Row::new(job, &document.name, one, &ours?.3, goals(job, one.name));
            Some(Row { peak_kib: *peak, ..row })
        })
    };
    Ok(jobs.iter().map(|job| rows_of(job).collect()).collect())
}

/// Processor time and peak memory in KiB of one run.
fn run(command: &[String]) -> Result<(Duration, u64)> {
    let child = Command::new(&command[0])
        .args(&command[1..])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("cannot start {}", command[0]))?;
    let (status, usage) = wait(child.id())?;
    anyhow::ensure!(status == 0, "{} ended with status {status}", command[0]);
    Ok((duration(usage.ru_utime)? + duration(usage.ru_stime)?, u64::try_from(usage.ru_maxrss)?))
}

fn duration(time: libc::timeval) -> Result<Duration> {
    Ok(Duration::from_secs(time.tv_sec.try_into()?) + Duration::from_micros(time.tv_usec.try_into()?))
}

/// Waits for a child of this process. Returns its status and its resource use, which the standard
/// library does not report.
fn wait(id: u32) -> Result<(i32, libc::rusage)> {
    let (mut status, mut usage) = (0, std::mem::MaybeUninit::<libc::rusage>::zeroed());
    let id = libc::pid_t::try_from(id)?;
    // SAFETY: both pointers are valid for the call, and zeroes are a valid `rusage`.
    let (ended, usage) =
        unsafe { (libc::wait4(id, &mut status, 0, usage.as_mut_ptr()), usage.assume_init()) };
    anyhow::ensure!(ended == id, "the child cannot be waited for");
    Ok((status, usage))
}
