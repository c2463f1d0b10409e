//! Packages in YAML, from the tests of the original toolchain.

use coconut_codec::event::ValueSink;

use coconut_codec::text::yaml;
use coconut_format::Package;
use coconut_format::verify::{Severity, verify_package};
use coconut_tests::corpus;

/// A part of a file's name, and the rules broken by the package, in the order of the findings.
///
/// The first rows are test data of the original binder and compiler, in the three eras of their
/// names. Their complaints are among the `original` numbers of the rules. The others are examples
/// of design documents that the toolchain of their time refused.
const EXPECTED: &[(&str, &[&str])] = &[
    ("bad__missing_package_name__", &["TREE-MISSING"]),
    ("bad__empty_package_name__", &["TREE-MISSING"]),
    ("bad__empty_package_name_2__", &["PKG-NAME"]),
    ("bad__dep_semver__", &["PKG-URL", "PKG-URL", "PKG-URL"]),
    ("bad__type_not_found__", &["SYM-TYPE"]),
    ("__packages.md__manifest.yaml", &["TREE-KEY", "PKG-URL"]),
    ("__nutpack.md__manifest.yaml", &["TREE-TYPE", "TREE-MISSING"]),
];

#[test]
fn packages_in_yaml_break_the_rules_that_the_original_tests_name() {
    let Some(corpus) = corpus() else { return };
    let index = std::fs::read_to_string(corpus.join("INDEX.tsv")).expect("the corpus has an index");
    let files = index.lines().filter_map(|line| line.split('\t').next());
    let mut checked = vec![0; EXPECTED.len()];
    for file in files.filter(|file| file.ends_with(".yaml")) {
        let Some(row) = EXPECTED.iter().position(|(part, _)| file.contains(part)) else { continue };
        let text = std::fs::read(corpus.join(file)).expect("a file of the index");
        let mut sink = ValueSink::new();
        yaml::read(&text, &mut sink, &yaml::YamlOptions::default()).expect(file);
        let package = Package::from_value(sink.finish().expect("one document")).expect("an object");
        let findings = verify_package(&package, &[]);
        let errors = findings.iter().filter(|finding| finding.severity() == Severity::Error);
        assert_eq!(errors.map(|finding| finding.rule.id).collect::<Vec<_>>(), EXPECTED[row].1, "{file}");
        checked[row] += 1;
    }
    for (count, (part, _)) in checked.into_iter().zip(EXPECTED) {
        assert!(count > 0, "no file of the corpus is named {part}");
    }
}
