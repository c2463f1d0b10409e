//! Real schemas: whole providers, and pairs of versions with the changes found by other tools.

use coconut_codec::compile::{CompileOptions, compile};
use coconut_codec::read::file::DocumentFile;
use coconut_codec::read::view::WatchedView;
use coconut_surface::{self as surface, ApiError, Dialect, Level, Renames, Role};
use coconut_testing::{corpus, oracle, testdata};
use std::cell::Cell;
use std::path::Path;

#[test]
fn a_compiled_schema_has_the_model_of_its_source() {
    let Some(corpus) = corpus() else { return };
    let source = corpus.join("tf-provider-schema/tool-made/aws-5.100.0.provider-schema.json");
    let text = std::fs::read(source).unwrap();
    let document = oracle::read(&text).unwrap();
    let of_source = surface::read(&document).unwrap();
    let compiled = compile(&text, &CompileOptions::default()).unwrap();
    let file = DocumentFile::from_data(compiled.bytes).unwrap();
    let fault = Cell::new(None);
    let started = std::time::Instant::now();
    let of_file = surface::read(WatchedView::new(file.view().root(), &fault)).unwrap();
    eprintln!("view {:?} {:?} of source {:?}", started.elapsed(), of_file.size(), of_source.size());
    assert_eq!(fault.take(), None);
    let found = surface::compare(&of_source, &of_file, &Renames::default(), Level::Exact);
    assert_eq!(found.changes, []);
    let of_role = |role| of_file.of_role(role).count();
    assert_eq!((of_role(Role::Class), of_role(Role::Function), of_role(Role::Provider)), (1526, 618, 1));
}

/// The lines of changes between two files of another tool's test data, with the metadata of its
/// bridge.
fn changes_of_pair(old: &Path, new: &Path, metadata: Option<&Path>) -> Vec<String> {
    let document = |path: &Path| oracle::read(&std::fs::read(path).unwrap()).unwrap();
    let (old, new, metadata) = (document(old), document(new), metadata.map(document));
    let (old, new) = (surface::read(&old).unwrap(), surface::read(&new).unwrap());
    let renames = metadata.as_ref().map(|metadata| Renames::of_bridge(metadata).unwrap());
    let found = surface::compare(&old, &new, &renames.unwrap_or_default(), Level::Exact);
    found.changes.iter().map(|change| format!("{change}\n")).collect()
}

#[test]
fn the_changes_that_schema_tools_finds_between_two_versions_of_aws() {
    let Some(folder) = testdata("1-diff/schema-tools/testdata/compare-v2/aws-mini") else { return };
    let metadata = folder.join("metadata-v7.0.0.json");
    let lines = changes_of_pair(
        &folder.join("schema-v6.83.0.json"),
        &folder.join("schema-v7.0.0.json"),
        Some(&metadata),
    );
    let expected = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/api/schema-tools-aws-mini.changes");
    if std::env::var_os("COCONUT_BLESS").is_some() {
        std::fs::write(&expected, lines.concat()).unwrap();
    }
    assert_eq!(std::fs::read_to_string(expected).unwrap(), lines.concat());
}

#[test]
fn every_schema_of_the_corpus_has_a_model() {
    let Some(corpus) = corpus() else { return };
    let index = std::fs::read_to_string(corpus.join("INDEX.tsv")).unwrap();
    let mut read = std::collections::BTreeMap::<(&str, &str), usize>::new();
    for row in index.lines().skip(1) {
        let mut cells = row.split('\t');
        let (file, kind) = (cells.next().unwrap(), cells.next().unwrap());
        let Ok(text) = std::fs::read(corpus.join(file)) else { continue };
        let Ok(document) = oracle::read(&text) else { continue };
        if let Some(dialect) = Dialect::of(&document) {
            let model = surface::read(&document);
            let outcome = match &model {
                Ok(package) => {
                    let found = surface::compare(package, package, &Renames::default(), Level::Exact);
                    assert_eq!(found.changes, [], "{file}");
                    dialect.name()
                }
                Err(error) => {
                    assert!(matches!(error, ApiError::Empty(Dialect::CocoPack)), "{file}: {error}");
                    "refused"
                }
            };
            *read.entry((outcome, kind)).or_default() += 1;
        } else if ["pulumi-schema", "tf-provider-schema", "cfn-resource-schema"].contains(&kind) {
            panic!("{file} is not recognised");
        }
    }
    let count = |outcome, kind| read.get(&(outcome, kind)).copied().unwrap_or_default();
    assert_eq!(count("cloudformation-registry", "cfn-resource-schema"), 120);
    assert_eq!(count("pulumi-schema", "pulumi-schema"), 8);
    assert!(count("cocopack", "pack") > 100, "{read:?}");
}
