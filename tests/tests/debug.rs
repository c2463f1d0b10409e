//! `Debug` of views, files and errors: bounded, and without the content of the document.

use coconut_codec::bytes::paged::PagedFile;
use coconut_codec::cache::Cache;
use coconut_codec::compile::{CompileOptions, compile};
use coconut_codec::loader::{Loader, SearchPath};
use coconut_codec::read::file::DocumentFile;
use coconut_codec::read::graph::GraphView;
use coconut_codec::read::lookup::Ways;
use coconut_codec::read::package::PackView;
use coconut_codec::read::stream::{Budget, Meter};
use coconut_codec::read::view::Content;
use coconut_format::envelope::EnvelopeView;
use coconut_format::graph::Graph;
use std::fmt::{Debug, Write};
use std::fs;

/// A text that no `Debug` output may contain.
const SECRET: &str = "s3cret";

/// The maximum number of characters that a `Debug` may print.
const MOST: usize = 300;

#[track_caller]
fn check(shown: &dyn Debug) {
    let text = format!("{shown:?}");
    assert!(text.len() < MOST, "{} characters: {}…", text.len(), &text[..MOST]);
    assert!(!text.contains(SECRET), "{text}");
    // Bytes in decimal: `s3cr`.
    assert!(!text.contains("115, 51, 99, 114"), "{text}");
}

/// A graph of a thousand vertices with secrets. Two of them have the same key.
fn graph() -> String {
    let mut text = String::from(r##"{"package": "my/cluster:*", "vertices": {"##);
    for number in 0..1000 {
        let key = format!("{SECRET}-{number}");
        write!(
            text,
            r##""{key}": {{"type": "aws:ec2/vpc:Vpc", "properties": {{"password": "{SECRET}",
            "list": [1, 2, "{SECRET}"], "of": {{"#ref": "{SECRET}-{}"}}}}}},"##,
            number + 1
        )
        .unwrap();
    }
    write!(text, r#""{SECRET}-1000": {{"type": "aws:ec2/vpc:Vpc"}}}}}}"#).unwrap();
    text
}

fn compiled(text: &str) -> Vec<u8> {
    let compiled = compile(text.as_bytes(), &CompileOptions::default()).unwrap();
    check(&compiled);
    compiled.bytes
}

#[test]
fn views_of_a_graph_print_no_content() {
    let bytes = compiled(&graph());
    let file = DocumentFile::from_data(bytes.clone()).unwrap();
    let view = file.view();
    check(&file);
    check(&view);
    check(&EnvelopeView::parse(&bytes).unwrap());
    let root = view.root();
    check(&root);
    let vertices = root.pointer("/vertices").unwrap().unwrap();
    let Content::Object(object) = vertices.content().unwrap() else { panic!("an object") };
    check(&vertices.content());
    check(&object);
    check(&object.iter());
    let key = format!("{SECRET}-7");
    let resource = object.get(&key).unwrap().unwrap();
    check(&resource);
    let list = resource.pointer("/properties/list").unwrap().unwrap();
    let Content::List(items) = list.content().unwrap() else { panic!("a list") };
    check(&items);
    check(&items.items());
    check(&list.pointer("/2").unwrap().unwrap().content());

    let landmark = view.get_all(&key).unwrap()[0];
    check(&landmark);
    check(&view.get_unique(&key));
    check(&view.named(&key, |_| Ok(true)));
    check(&view.key_table());
    check(&view.keys());
    check(&view.tree());
    let tree = view.tree().unwrap();
    check(&tree.root());
    check(&tree.root().content());
    check(&tree.root().get("vertices").unwrap().content());
    check(&Meter::new(view, Budget::default()));
    check(&Ways::from_root(view));

    let graph = GraphView::of(view).unwrap();
    check(&graph);
    let resource = graph.resource(7).unwrap().unwrap();
    check(&resource);
    check(&resource.dependencies());
    check(&graph.in_dependency_order());
    let dialect = graph.dialect().unwrap();
    let walked = Graph::new(tree.root(), dialect);
    check(&walked);
    check(&walked.landmarks());
    check(&walked.resources().next());
}

#[test]
fn many_landmarks_of_one_key_are_a_number() {
    let resource = format!(r#"{{"urn": "urn:pulumi:a::b::t::{SECRET}", "type": "t", "custom": true}}"#);
    let list = vec![resource; 1000].join(",");
    let text = format!(
        r#"{{"version": 3, "deployment": {{"manifest": {{"time": "", "magic": "", "version": ""}}, "resources": [{list}]}}}}"#
    );
    let file = DocumentFile::from_data(compiled(&text)).unwrap();
    let found = file.view().get_unique(&format!("urn:pulumi:a::b::t::{SECRET}"));
    check(&found);
    assert_eq!(format!("{:?}", found.unwrap()), "Ambiguous(1000 landmarks)");
}

#[test]
fn views_of_a_package_print_no_content() {
    let members: Vec<String> = (0..500)
        .map(|number| format!(r#""{SECRET}{number}": {{"kind": "class", "members": {{}}}}"#))
        .collect();
    let text =
        format!(r#"{{"name": "p", "modules": {{"{SECRET}": {{"members": {{{}}}}}}}}}"#, members.join(","));
    let file = DocumentFile::from_data(compiled(&text)).unwrap();
    let package = PackView::of(file.view()).unwrap();
    check(&package);
    check(&package.root());
    check(&package.root().children());
    check(&package.root().children().next());
    check(&package.members().unwrap().next());
}

#[test]
fn files_and_loaders_print_no_content() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.coco");
    fs::write(&path, compiled(&graph())).unwrap();
    check(&DocumentFile::open(&path).unwrap());
    let paged = DocumentFile::open_paged(&path).unwrap();
    check(&paged);
    check(&paged.view().root());
    check(&PagedFile::open(&path).unwrap());

    let source = folder.path().join("graph.json");
    fs::write(&source, graph()).unwrap();
    let loader = Loader::builder()
        .search(SearchPath::default().workspace(folder.path()))
        .cache(Cache::for_workspace(folder.path()))
        .build();
    check(&loader);
    check(&loader.load_file(&source).unwrap());
    fs::write(&source, format!("{{\"open\": {}", graph())).unwrap();
    let error = loader.load_file(&source).unwrap_err();
    check(&error);
    check(&error.kind);
}
