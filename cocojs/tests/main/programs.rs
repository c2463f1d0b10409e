//! Runs programs. Each is compiled, verified and evaluated, and checks itself: a check that fails
//! throws. The graph of its resources is in a file with the name of the program. The programs in
//! `rows` have one for each row of §22; their graphs are what an engine of JavaScript computes.

use cocojs::{Options, Target, build};
use coconut_codec::event::ValueSink;
use coconut_codec::text::json::{JsonStyle, Printer};
use coconut_eval::{Evaluator, PackageList};
use coconut_format::verify::{Severity, verify_package};
use coconut_format::{Package, Value};
use std::fs;
use std::path::{Path, PathBuf};

fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs")
}

/// The package of the folder.
pub(crate) fn package(folder: &Path, options: &Options) -> Result<Package, String> {
    let mut sink = ValueSink::new();
    build(folder, options, &mut sink).map_err(|faults| {
        faults.iter().map(|fault| format!("{}: {fault}\n", fault.code.text())).collect::<String>()
    })?;
    Ok(Package::from_value(sink.finish().unwrap()).unwrap())
}

/// A file with the package that has the base class of resources.
pub(crate) fn base_package(folder: &Path) -> (PathBuf, Package) {
    let package = package(&programs().join("coconut"), &Options::default()).unwrap();
    let file = folder.join("coconut.json");
    let mut printer = Printer::new(Vec::new(), JsonStyle::Minified);
    coconut_codec::event::push(&package.to_value(), &mut printer).unwrap();
    fs::write(&file, printer.finish().unwrap()).unwrap();
    (file, package)
}

/// The folder of a program with one module.
pub(crate) fn write_program(folder: &Path, text: &str) -> PathBuf {
    let program = folder.join("program");
    fs::create_dir(&program).unwrap();
    fs::write(program.join("Coconut.yaml"), "name: program\ndependencies:\n    coconut: \"*\"\n").unwrap();
    fs::write(program.join("index.ts"), text).unwrap();
    program
}

/// The graph of a program.
fn graph(text: &str, target: Target) -> Result<Value, String> {
    let folder = tempfile::tempdir().unwrap();
    let program = write_program(folder.path(), text);
    let (file, base) = base_package(folder.path());
    let package = package(&program, &Options { target, packages: vec![file], ..Options::default() })?;
    let findings = verify_package(&package, &[&base]);
    if target == Target::Current {
        let errors = findings.iter().filter(|finding| finding.severity() == Severity::Error);
        let errors: Vec<String> = errors
            .map(|finding| format!("{}: {} at {}", finding.rule.id, finding.message(), finding.path))
            .collect();
        if !errors.is_empty() {
            return Err(errors.join("\n"));
        }
    }
    let mut packages = PackageList::new();
    packages.add(package);
    packages.add(base);
    let outcome = Evaluator::new(&packages).evaluate("program", &coconut_eval::Options::default());
    outcome.map(|outcome| outcome.graph()).map_err(|error| format!("{error:?}"))
}

fn text(value: &Value) -> String {
    let mut printer = Printer::new(Vec::new(), JsonStyle::Pretty { indent: 2 }).with_final_newline();
    coconut_codec::event::push(value, &mut printer).unwrap();
    String::from_utf8(printer.finish().unwrap()).unwrap()
}

#[test]
fn programs_compile_verify_and_run() {
    let mut wrong = Vec::new();
    let (own, rows) = (fs::read_dir(programs()).unwrap(), fs::read_dir(programs().join("rows")).unwrap());
    for entry in own.chain(rows) {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "ts") {
            continue;
        }
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let found = match graph(&fs::read_to_string(&path).unwrap(), Target::Current) {
            Ok(graph) => text(&graph),
            Err(error) => {
                wrong.push(format!("{name}: {error}"));
                continue;
            }
        };
        let file = path.with_extension("json");
        if std::env::var_os("COCONUT_BLESS").is_some() {
            fs::write(&file, &found).unwrap();
        }
        if fs::read_to_string(&file).unwrap_or_default() != found {
            wrong.push(format!("{name}: the graph is {found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
