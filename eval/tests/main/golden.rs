//! The location of the recorded results, and how to read them.

use coconut_codec::event::ValueSink;
use coconut_codec::text::json::{self, JsonOptions};
use coconut_eval::{Options, PackageList};
use coconut_format::{Package, Value};
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) fn parse(bytes: &[u8]) -> Value {
    let mut sink = ValueSink::new();
    json::read(bytes, &mut sink, &JsonOptions::default()).expect("it is JSON");
    sink.finish().expect("one document")
}

pub(crate) fn read(path: &Path) -> Value {
    parse(&std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

/// The folders in a folder, by name.
pub(crate) fn folders(folder: &Path) -> Vec<(String, PathBuf)> {
    let entries = std::fs::read_dir(folder).expect("a folder of results");
    let mut all: Vec<(String, PathBuf)> = entries
        .map(|entry| entry.expect("an entry"))
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path()))
        .collect();
    all.sort();
    all
}

/// The libraries of an engine: `R` or `C4`.
pub(crate) fn libraries(golden: &Path, engine: &str) -> Vec<Package> {
    let of_engine = folders(&golden.join("libs")).into_iter().filter(|(name, _)| name.starts_with(engine));
    let packed =
        of_engine.flat_map(|(_, folder)| folders(&folder)).filter(|(name, _)| name.ends_with(".json.xz"));
    packed
        .map(|(name, path)| {
            let output = Command::new("xz").arg("-dc").arg(&path).output().expect("xz is there");
            assert!(output.status.success(), "{name}");
            Package::from_value(parse(&output.stdout)).expect("a package")
        })
        .collect()
}

/// The package in a folder.
pub(crate) fn package(folder: &Path) -> Package {
    let file =
        ["Lumipack.json", "Cocopack.json"].iter().map(|name| folder.join(name)).find(|path| path.exists());
    Package::from_value(read(&file.expect("a package"))).expect("a package")
}

/// A program with the libraries of its engine.
pub(crate) struct Bound {
    pub(crate) name: String,
    pub(crate) packages: PackageList<'static>,
    pub(crate) options: Options,
}

pub(crate) fn bind(program: Package, libraries: &[Package], scheme: &str) -> Bound {
    let name = program.name().expect("it has a name").to_owned();
    let mut packages = PackageList::new();
    packages.add(program);
    libraries.iter().for_each(|library| packages.add(library.clone()));
    let mut options = Options::default();
    scheme.clone_into(&mut options.scheme);
    Bound { name, packages, options }
}

/// The program `case` of the results, with the configuration with which it ran.
pub(crate) fn bind_golden(case: &str, folder: &Path, golden: &Path) -> Bound {
    let (engine, scheme) = if case.starts_with("coconut__") { ("C4", "coconut") } else { ("R", "lumi") };
    let mut bound = bind(package(folder), &libraries(golden, engine), scheme);
    if case.contains("aws") {
        let region = ("aws:config:region".to_owned(), Value::String("us-west-2".to_owned()));
        bound.options.configuration.push(region);
    }
    bound
}

/// A value with sorted keys, without the parts that are not compared.
pub(crate) fn sorted(value: &Value) -> Value {
    match value {
        Value::List(items) => Value::List(items.iter().map(sorted).collect()),
        Value::Object(entries) => {
            let mut entries: Vec<(String, Value)> =
                entries.iter().map(|(key, value)| (key.clone(), sorted(value))).collect();
            entries.sort_by(|one, other| one.0.cmp(&other.0));
            Value::Object(entries)
        }
        Value::Float(number) if number.fract() == 0.0 && number.abs() < 1e15 =>
        {
            #[expect(clippy::cast_possible_truncation, reason = "checked")]
            Value::Integer((*number as i64).into())
        }
        other => other.clone(),
    }
}
