//! Generated programs, and all known ones, run.

use coconut_codec::event::ValueSink;
use coconut_codec::text::SourceFormat;
use coconut_codec::text::json::{self, JsonOptions};
use coconut_codec::text::yaml::{self, YamlOptions};
use coconut_eval::{Evaluator, Options, PackageSource, Packages, Snapshot, SourceError};
use coconut_format::Package;
use coconut_tests::fuzz_bodies::evaluate;
use coconut_tests::generate::Random;
use coconut_tests::{corpus, is_deep};
use std::collections::BTreeMap;
use std::fs;
use std::rc::Rc;

#[test]
fn programs_by_seed_end_in_a_result_an_exception_or_a_limit() {
    let mut random = Random::new(3);
    for run in 0..if is_deep() { 100_000 } else { 3_000 } {
        let length = 100 + random.below(1_900);
        let data: Vec<u8> = (0..length).map(|_| random.next().to_le_bytes()[0]).collect();
        println!("run {run}");
        evaluate(&data);
    }
}

/// Packages of the corpus, by name. If several have one name, the first is used.
struct Library(Vec<Rc<Package>>);

impl Packages for Library {
    fn package(&self, name: &str) -> Result<Option<Rc<dyn PackageSource + '_>>, SourceError> {
        Ok(self.0.iter().find(|package| package.name() == Some(name)).map(|package| Rc::clone(package) as _))
    }
}

/// A set of packages with one more in front.
struct First<'l>(Rc<Package>, &'l Library);

impl Packages for First<'_> {
    fn package(&self, name: &str) -> Result<Option<Rc<dyn PackageSource + '_>>, SourceError> {
        if self.0.name() == Some(name) { Ok(Some(Rc::clone(&self.0) as _)) } else { self.1.package(name) }
    }
}

#[test]
fn every_package_of_the_corpus_runs_or_ends_in_an_error() {
    let Some(corpus) = corpus() else { return };
    let index = fs::read_to_string(corpus.join("INDEX.tsv")).expect("the index is text");
    let rows = index.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let packs = rows.filter(|row| row.get(1) == Some(&"pack"));
    let mut library = Library(Vec::new());
    for row in packs {
        let text = fs::read(corpus.join(row[0])).expect("the file is there");
        let mut sink = ValueSink::new();
        let is_read = match SourceFormat::of_text(&text) {
            SourceFormat::Json => json::read(&text, &mut sink, &JsonOptions::default()).is_ok(),
            SourceFormat::Yaml => yaml::read(&text, &mut sink, &YamlOptions::default()).is_ok(),
        };
        let value = sink.finish().filter(|_| is_read);
        library.0.extend(value.and_then(|value| Package::from_value(value).ok()).map(Rc::new));
    }
    let mut options = Options::default();
    options.limits.steps = 20_000_000;
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for package in &library.0 {
        let name = package.name().unwrap_or_default();
        let packages = First(Rc::clone(package), &library);
        let code = match Evaluator::new(&packages).evaluate(name, &options) {
            Ok(outcome) => {
                let snapshot = Snapshot::from_value(&outcome.graph()).expect("an evaluation makes graphs");
                assert_eq!(snapshot.len(), outcome.resources().count(), "{name}");
                "runs"
            }
            Err(error) => error.code(),
        };
        *counts.entry(code).or_default() += 1;
    }
    println!("{counts:?}");
    assert_eq!(counts.values().sum::<usize>(), library.0.len());
    assert!(library.0.len() >= 400 && counts["runs"] >= 250, "{counts:?}");
}
