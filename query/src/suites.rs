//! The test suites of `jq`, if they are present, and the list of cases that differ.
//!
//! A case is a program, an input, and outputs, each on a line; after `%%FAIL`, a program that must
//! not compile. `tests/cases/jq-deviations.tsv` lists the suite and the first line of each case
//! that differs, with the reason. A case that no longer differs must be removed, so the list can
//! only shrink. `COCONUT_BLESS=1` writes the cases that differ now, for review.

use super::filter::Filter;
use super::run::Run;
use super::value::{Val, ValSink};
use coconut_codec::text::json::{self, JsonOptions};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

const SUITES: [&str; 6] = ["jq", "man", "onig", "manonig", "base64", "uri"];

struct Case<'t> {
    line: usize,
    program: &'t str,
    /// The input and the outputs; `None` if the program must not compile.
    lines: Option<(&'t str, Vec<&'t str>)>,
}

fn cases(text: &str) -> Vec<Case<'_>> {
    let is_ignored = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
    let mut cases = Vec::new();
    let mut lines = (1..).zip(text.lines()).peekable();
    while let Some((line, program)) = lines.next() {
        if is_ignored(program) {
            continue;
        }
        if program.starts_with("%%FAIL") {
            if let Some((line, program)) = lines.next() {
                cases.push(Case { line, program, lines: None });
            }
            while lines.next_if(|(_, text)| !text.trim().is_empty()).is_some() {}
            continue;
        }
        let input = lines.next().map_or("null", |(_, input)| input);
        let mut outputs = Vec::new();
        while let Some((_, output)) = lines.next_if(|(_, text)| !text.trim().is_empty()) {
            if !is_ignored(output) {
                outputs.push(output);
            }
        }
        cases.push(Case { line, program, lines: Some((input, outputs)) });
    }
    cases
}

/// The reason why a case differs, or `None`.
fn difference(case: &Case<'_>) -> Option<String> {
    let compiled = Filter::compile(case.program, &["$ARGS".to_owned()]);
    let Some((input, outputs)) = &case.lines else {
        return compiled.is_ok().then(|| "compiles".to_owned());
    };
    let filter = match compiled {
        Ok(filter) => filter,
        Err(failure) => return Some(failure.message().to_owned()),
    };
    let Some(input) = value(input) else { return Some("the input is not JSON".to_owned()) };
    let mut found = Vec::new();
    let run = Run {
        filter: &filter,
        source: None,
        reveal: false,
        notes: &|_| (),
        most_steps: 3_000_000,
        name: "suite",
    };
    let ended = run.on(input, vec![Val::Null], |value| {
        found.push(value);
        Ok(found.len() < 1000)
    });
    let expected: Option<Vec<Val>> = outputs.iter().map(|output| value(output)).collect();
    let Some(expected) = expected else { return Some("an output is not JSON".to_owned()) };
    // NaN is not equal to itself.
    let is_same = |one: &Val, other: &Val| one == other || one.to_string() == other.to_string();
    let is_equal =
        found.len() == expected.len() && found.iter().zip(&expected).all(|(one, other)| is_same(one, other));
    match ended {
        // The suites do not define an error after the last output.
        _ if is_equal => None,
        Err(failure) => Some(format!("{}: {}", failure.code(), failure.message())),
        Ok(_) => {
            let found: Vec<String> = found.iter().map(Val::to_string).collect();
            Some(format!("found {}", found.join(" ")))
        }
    }
}

fn value(text: &str) -> Option<Val> {
    let mut sink = ValSink::default();
    let text = text.trim().trim_start_matches('\u{feff}');
    json::read(text.as_bytes(), &mut sink, &JsonOptions::default().depth(100_000)).ok()?;
    sink.into_value()
}

fn listed(path: &Path) -> BTreeMap<(String, usize), String> {
    let text = fs::read_to_string(path).expect("the list is part of the repository");
    let rows = text.lines().skip(1).map(|row| {
        let mut cells = row.split('\t');
        let mut next = || cells.next().expect("a row has three cells").to_owned();
        let (suite, line, reason) = (next(), next(), next());
        ((suite, line.parse().expect("a line is a number")), reason)
    });
    rows.collect()
}

#[test]
fn the_suites_of_jq_pass_except_for_the_listed_cases() {
    let Some(folder) = coconut_testing::testdata("3-query/jq") else { return };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/jq-deviations.tsv");
    let listed = listed(&path);
    let mut found = BTreeMap::new();
    for suite in SUITES {
        let text = fs::read_to_string(folder.join(format!("{suite}.test"))).expect("it can be read");
        let cases = cases(&text);
        assert!(cases.len() >= 10, "{suite}");
        for case in cases {
            // Cases call themselves deeply.
            let differs = std::thread::scope(|scope| {
                let run = std::thread::Builder::new().stack_size(256 << 20);
                run.spawn_scoped(scope, || difference(&case)).expect("there is memory").join()
            });
            let differs =
                differs.unwrap_or_else(|_| Some("the filter met a fault of the interpreter".to_owned()));
            if let Some(difference) = differs {
                found.insert((suite.to_owned(), case.line), (case.program.to_owned(), difference));
            }
        }
    }
    if std::env::var_os("COCONUT_BLESS").is_some() {
        let mut text = "suite\tline\treason\n".to_owned();
        for (known, (_, difference)) in &found {
            let reason = listed.get(known).cloned().unwrap_or_else(|| difference.clone());
            text.push_str(&format!("{}\t{}\t{}\n", known.0, known.1, reason.replace(['\t', '\n'], " ")));
        }
        fs::write(&path, text).expect("the list can be written");
        return;
    }
    let new: Vec<_> = found.iter().filter(|(known, _)| !listed.contains_key(known)).collect();
    assert!(new.is_empty(), "these cases differ: {new:#?}");
    let old: Vec<_> = listed.keys().filter(|known| !found.contains_key(known)).collect();
    assert!(old.is_empty(), "these cases differ no longer; take them out: {old:?}");
}
