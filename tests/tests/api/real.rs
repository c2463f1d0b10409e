//! Real schemas: whole providers, and pairs of versions with the changes that others found.

use coconut_codec::compile::{CompileOptions, compile};
use coconut_codec::read::file::DocumentFile;
use coconut_codec::read::view::WatchedView;
use coconut_format::api::{self, Level, Renames, Role};
use coconut_testing::{corpus, oracle};
use std::cell::Cell;

#[test]
fn a_compiled_schema_has_the_model_of_its_source() {
    let Some(corpus) = corpus() else { return };
    let source = corpus.join("tf-provider-schema/tool-made/aws-5.100.0.provider-schema.json");
    let text = std::fs::read(source).unwrap();
    let document = oracle::read(&text).unwrap();
    let of_source = api::read(&document).unwrap();
    let compiled = compile(&text, &CompileOptions::default()).unwrap();
    let file = DocumentFile::from_data(compiled.bytes).unwrap();
    let fault = Cell::new(None);
    let started = std::time::Instant::now();
    let of_file = api::read(WatchedView::new(file.view().root(), &fault)).unwrap();
    eprintln!("view {:?} {:?} of source {:?}", started.elapsed(), of_file.size(), of_source.size());
    assert_eq!(fault.take(), None);
    let found = api::compare(&of_source, &of_file, &Renames::default(), Level::Exact);
    assert_eq!(found.changes, []);
    let of_role = |role| of_file.of_role(role).count();
    assert_eq!((of_role(Role::Class), of_role(Role::Function), of_role(Role::Provider)), (1526, 618, 1));
}
