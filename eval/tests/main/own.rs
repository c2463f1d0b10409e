//! Programs written for this project, some of them hostile: one file each, with the expected
//! result.

use crate::golden::{parse, sorted};
use coconut_eval::{EvalErrorKind, Evaluator, Options, PackageList, Resource};
use coconut_format::{Package, Value};
use std::path::Path;

fn check(case: &str, file: &Value) {
    let packages: Vec<Package> = file
        .get("packages")
        .and_then(Value::as_list)
        .expect("packages")
        .iter()
        .map(|package| Package::from_value(package.clone()).expect("a package"))
        .collect();
    let name = packages[0].name().expect("a name").to_owned();
    let mut list = PackageList::new();
    packages.into_iter().for_each(|package| list.add(package));
    let mut options = Options::default();
    (options.limits.steps, options.limits.heap_bytes, options.limits.resources) =
        (8_000_000, 64 << 20, 10_000);
    let outcome = Evaluator::new(&list).evaluate(&name, &options);
    let expected = |key: &str| file.get("expected").and_then(|expected| expected.get(key));
    let text = |key: &str| expected(key).and_then(Value::as_str);
    match &outcome {
        Err(error) => {
            let kind = format!("{:?}", error.kind());
            match error.kind() {
                EvalErrorKind::Thrown(thrown) => assert_eq!(Some(thrown.as_str()), text("thrown"), "{case}"),
                EvalErrorKind::Limit { limit, .. } => {
                    assert_eq!(Some(&*format!("{limit:?}")), text("limit"), "{case}");
                }
                _ => assert_eq!(Some(error.code()), text("error"), "{case}: {kind}"),
            }
            if let Some(log) = text("log") {
                assert_eq!(error.log(), log, "{case}");
            }
            if let Some(place) = text("at") {
                let location = error.trace().first().and_then(|frame| frame.location.clone());
                assert_eq!(location.map(|location| location.to_string()).as_deref(), Some(place), "{case}");
            }
        }
        Ok(outcome) => {
            let result = expected("result").unwrap_or_else(|| panic!("{case}: {:?}", outcome.result()));
            assert_eq!(sorted(outcome.result()), sorted(result), "{case}");
            if let Some(log) = text("log") {
                assert_eq!(outcome.log(), log, "{case}");
            }
            let texts = |value: &Value| -> Vec<String> {
                let items = value.as_list().expect("a list").iter();
                items.map(|item| item.as_str().expect("a text").to_owned()).collect()
            };
            let urns: Vec<&str> = outcome.resources().map(Resource::urn).collect();
            assert_eq!(urns, expected("urns").map(texts).unwrap_or_default(), "{case}");
            for (urn, of) in expected("dependencies").and_then(Value::as_object).unwrap_or_default() {
                let resource = outcome.resources().find(|resource| resource.urn() == urn).expect(urn);
                assert_eq!(resource.dependencies().collect::<Vec<_>>(), texts(of), "{case}: {urn}");
            }
            let notes = expected("notes").map_or(0, |_| 1);
            assert_eq!(outcome.notes().len(), notes, "{case}: {:?}", outcome.notes());
        }
    }
}

#[test]
fn programs_of_our_own_end_as_their_files_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file").path()).collect();
    files.sort();
    assert!(files.len() >= 24, "{}", files.len());
    for path in files {
        let case = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        println!("{case}");
        check(&case, &parse(&std::fs::read(&path).expect("it can be read")));
    }
}
