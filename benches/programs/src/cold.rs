//! A program against a large library, as a process that does nothing else.
//!
//! The packages are compiled files, from which a process reads the modules that the program uses.

use crate::ours::median;
use coconut_codec::bytes::paged::PagedFile;
use coconut_codec::compile::{CompileOptions, compile};
use coconut_codec::read::file::DocumentFile;
use coconut_codec::read::package::PackView;
use coconut_eval::{Evaluator, Options, PackageList, ViewedPackage};
use coconut_format::Value;
use cpu_time::ProcessTime;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// The program, and the libraries that it uses, below the folder of results.
const PROGRAM: &str = "programs/lumi__scenarios-aws-webserver/Lumipack.json";
const LIBRARIES: [&str; 4] = ["R__aws", "R__lumi", "R__lumijs", "R__lumirt"];

/// The resources of the program.
const RESOURCES: usize = 2;

/// The time of the job in processes, and the size of the library.
pub(crate) fn measure(golden: &Path, rounds: usize) -> Result<String, Box<dyn Error>> {
    let folder = std::env::temp_dir().join(format!("coconut-programs-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let measured = in_folder(golden, &folder, rounds);
    std::fs::remove_dir_all(&folder)?;
    measured
}

fn in_folder(golden: &Path, folder: &Path, rounds: usize) -> Result<String, Box<dyn Error>> {
    let mut files = Vec::new();
    let mut compiled = |name: &str, text: &[u8]| -> Result<(), Box<dyn Error>> {
        let path = folder.join(name).with_extension("coco");
        std::fs::write(&path, compile(text, &CompileOptions::default())?.bytes)?;
        files.push(path);
        Ok(())
    };
    compiled("program", &std::fs::read(golden.join(PROGRAM))?)?;
    let mut largest = 0;
    for library in LIBRARIES {
        let packed = golden.join("libs").join(library).join("Lumipack.json.xz");
        let text = Command::new("xz").arg("-dc").arg(packed).output()?.stdout;
        largest = largest.max(text.len());
        compiled(library, &text)?;
    }
    let (mut cpu, mut wall) = (Vec::new(), Vec::new());
    for round in 0..=rounds {
        let start = Instant::now();
        let output = Command::new(std::env::current_exe()?).arg("cold").args(&files).output()?;
        let took = start.elapsed();
        let nanos = String::from_utf8(output.stdout)?;
        let nanos = nanos.trim().parse().map_err(|_| String::from_utf8_lossy(&output.stderr).into_owned())?;
        if round > 0 {
            wall.push(took);
            cpu.push(Duration::from_nanos(nanos));
        }
    }
    let megabytes = largest / 1_000_000;
    Ok(format!(
        "cold process, webserver against a library of {megabytes} MB: {:.1} of the processor, {:.1} by the clock (30 at most)",
        median(&mut cpu),
        median(&mut wall)
    ))
}

/// The work of the process: evaluates the first package, and prints its time in nanoseconds.
pub(crate) fn run(files: &[PathBuf]) -> Result<u128, Box<dyn Error>> {
    let files: Vec<DocumentFile<PagedFile>> =
        files.iter().map(DocumentFile::open_paged).collect::<Result<_, _>>()?;
    let mut packages = PackageList::new();
    let mut name = None;
    for file in &files {
        let view = PackView::of(file.view()).ok_or("it is no package")?;
        name = name.or(view.name()?);
        packages.add(ViewedPackage::new(view).map_err(|error| error.to_string())?);
    }
    let mut options = Options::default();
    "lumi".clone_into(&mut options.scheme);
    let region = Value::String("us-west-2".to_owned());
    options.configuration.push(("aws:config:region".to_owned(), region));
    let outcome = Evaluator::new(&packages).evaluate(name.ok_or("it has no name")?, &options)?;
    let resources = outcome.resources().count();
    if resources != RESOURCES {
        return Err(format!("{resources} resources").into());
    }
    Ok(ProcessTime::now().as_duration().as_nanos())
}
