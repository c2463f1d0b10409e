//! §15.1 Each dialect against small documents and the corpus: recognition, keys, edges, and
//! references to missing landmarks.
//!
//! `cases/dialects/*.json` has its landmarks in the `.expected` file next to it. With
//! `COCONUT_BLESS=1` these files are written again.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use coconut_codec::Profile;
use coconut_codec::compile::{CompileOptions, compile};
use coconut_codec::read::file::DocumentFile;
use coconut_codec::read::verify::verify_document;
use coconut_codec::text::SourceFormat;
use coconut_format::graph::Graph;
use coconut_format::landmark::{DIALECTS, Dialect, Landmarks, automatic_rule};
use coconut_format::verify::verify_graph;

use super::documents::{assert_is_text_of, cases, files_below, parse};
use coconut_tests::corpus;

/// Edges as sources, kinds and targets.
type Edges = BTreeSet<(u32, String, u32)>;

#[test]
fn documents_have_the_landmarks_and_edges_of_their_cases() {
    let mut met = BTreeSet::new();
    for case in cases("dialects") {
        let text = fs::read(&case).unwrap();
        let document = parse(&text).unwrap();
        let dialect = Dialect::of(&document).unwrap_or_else(|| panic!("{} has no dialect", case.display()));
        met.insert(dialect.name);
        let mut described = format!("{}, a {}\n", dialect.name, dialect.document_type);
        for (number, profile) in Profile::ALL.into_iter().enumerate() {
            let options = CompileOptions { profile, ..CompileOptions::default() };
            let compiled = compile(&text, &options).unwrap();
            let file = DocumentFile::from_data(compiled.bytes).unwrap();
            file.view().check_integrity().unwrap();
            let (landmarks, edges) = landmarks_of(&file);
            assert_eq!(graph_edges(&document, dialect), edges, "{} as {}", case.display(), profile.name());
            let found: Vec<String> = findings(&document, dialect);
            let of_file = verify_document(file.view(), &[]).unwrap();
            let of_file: Vec<String> = of_file.iter().map(|found| found.finding.to_string()).collect();
            assert_eq!(found, of_file, "{} as {}", case.display(), profile.name());
            let found = landmarks + &found.iter().map(|found| format!("{found}\n")).collect::<String>();
            match number {
                0 => described += &found,
                _ => assert!(described.ends_with(&found), "{} as {}", case.display(), profile.name()),
            }
        }
        assert_is_text_of(&case, &described);
    }
    let new = DIALECTS.iter().map(|dialect| dialect.name).filter(|name| !met.contains(name));
    // The rules for graphs have cases for these.
    let others = ["package", "pulumi-checkpoint", "pulumi-export", "pulumi-environment", "pulumi-deployment"];
    let others =
        others.into_iter().chain(["coconut-environment", "coconut-snapshot", "mugl-snapshot", "mugl-graph"]);
    assert_eq!(new.collect::<BTreeSet<_>>(), others.collect());
}

/// The landmarks of a file, a line each, with their edges below; and the edges.
fn landmarks_of(file: &DocumentFile<Vec<u8>>) -> (String, Edges) {
    let (mut text, mut edges) = (String::new(), Edges::new());
    for landmark in file.view().landmarks().unwrap() {
        let landmark = landmark.unwrap();
        text += &format!("{} {}\n", landmark.class().unwrap(), landmark.key().unwrap());
        for edge in landmark.dependencies().unwrap() {
            text += &format!("    {} {}\n", edge.kind, edge.landmark.key().unwrap());
            let ends = [landmark, edge.landmark].map(|landmark| landmark.ordinal().unwrap());
            edges.insert((ends[0], edge.kind.to_owned(), ends[1]));
        }
    }
    (text, edges)
}

fn graph_edges(document: &coconut_format::Value, dialect: &'static Dialect) -> Edges {
    let graph = Graph::new(document, dialect);
    let edges = graph.resources().flat_map(|resource| {
        let to = |(kind, target): (&str, coconut_format::graph::Resource<'_, '_, _>)| {
            (resource.ordinal(), kind.to_owned(), target.ordinal())
        };
        graph.dependencies(resource).map(to).collect::<Vec<_>>()
    });
    edges.collect()
}

fn findings(document: &coconut_format::Value, dialect: &'static Dialect) -> Vec<String> {
    match dialect.document_type {
        "cocogl" => verify_graph(document, dialect).iter().map(ToString::to_string).collect(),
        _ => Vec::new(),
    }
}

/// Per folder of the corpus and dialect: files, files without a landmark, landmarks.
///
/// * Graphs without a landmark have no resources.
/// * The documents without a dialect are JSON Schemas, projects, settings and lists of tests.
const COUNTS: [(&str, &str, [usize; 3]); 26] = [
    ("cfn-resource-schema", "cloudformation-registry", [120, 0, 1870]),
    ("cloudformation", "cloudformation", [42, 0, 623]),
    ("coconut", "cloudformation", [1, 0, 9]),
    ("coconut", "coconut-environment", [7, 6, 1]),
    ("coconut", "coconut-snapshot", [3, 0, 12]),
    ("coconut", "mugl-graph", [2, 0, 6]),
    ("coconut", "mugl-snapshot", [1, 0, 4]),
    ("coconut", "none", [208, 208, 0]),
    ("coconut", "package", [404, 0, 3698]),
    ("coconut", "pulumi-environment", [4, 0, 148]),
    ("kubernetes", "kubernetes", [20, 0, 22]),
    ("pulumi", "none", [5, 3, 62]),
    ("pulumi", "pulumi-checkpoint", [8, 0, 240]),
    ("pulumi", "pulumi-deployment", [2, 0, 179]),
    ("pulumi", "pulumi-environment", [3, 0, 105]),
    ("pulumi", "pulumi-export", [39, 0, 173]),
    ("pulumi", "pulumi-schema", [15, 0, 16343]),
    ("pulumi-engine-events", "pulumi-events", [5, 0, 109]),
    ("puppet-catalog", "puppet-catalog", [8, 0, 95]),
    ("tf-provider-schema", "terraform-provider-schema", [2, 0, 2147]),
    ("tfplan", "terraform-plan", [57, 0, 3108]),
    ("tfplan", "terraform-plan-values", [4, 1, 26]),
    ("tfstate", "terraform-state-3", [5, 3, 2]),
    ("tfstate", "terraform-state-4", [104, 2, 267]),
    ("tfstate-show", "terraform-show", [2, 0, 19]),
    ("tfstate-show", "terraform-show-0.12", [1, 0, 2]),
];

#[test]
fn the_corpus_has_the_known_keys() {
    let Some(corpus) = corpus() else { return };
    let mut counts: BTreeMap<(String, String), [usize; 3]> = BTreeMap::new();
    for path in files_below(&corpus) {
        let folder = path.strip_prefix(&corpus).unwrap().iter().next().unwrap().to_str().unwrap().to_owned();
        let is_json =
            |path: &Path| matches!(path.extension().and_then(|e| e.to_str()), Some("json" | "tfstate"));
        let text = fs::read(&path).unwrap();
        let document = match is_json(&path) {
            true => parse(&text).ok().or_else(|| json_lines(&text)),
            // Most of these have tags, which only the YAML reader handles.
            false if folder == "cloudformation" => continue,
            false => yaml(&text),
        };
        let Some(document) = document else { continue };
        let (name, rule) = match Dialect::of(&document) {
            Some(dialect) => (dialect.name.to_owned(), dialect.rule(&document)),
            None => ("none".to_owned(), automatic_rule(&document, |_| 1)),
        };
        let landmarks = Landmarks::find(&rule, &document).entries().len();
        let count = counts.entry((folder, name)).or_default();
        let of_file = [1, usize::from(landmarks == 0), landmarks];
        count.iter_mut().zip(of_file).for_each(|(sum, count)| *sum += count);
    }
    let counts: Vec<_> =
        counts.iter().map(|((folder, name), counts)| (folder.as_str(), name.as_str(), *counts)).collect();
    assert_eq!(counts, COUNTS);
}

fn json_lines(text: &[u8]) -> Option<coconut_format::Value> {
    let lines = text.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    lines.map(|line| parse(line).ok()).collect::<Option<Vec<_>>>().map(coconut_format::Value::List)
}

fn yaml(text: &[u8]) -> Option<coconut_format::Value> {
    let options = CompileOptions { format: Some(SourceFormat::Yaml), ..CompileOptions::default() };
    let compiled = compile(text, &options).ok()?;
    DocumentFile::from_data(compiled.bytes).ok()?.view().to_value().ok()
}
