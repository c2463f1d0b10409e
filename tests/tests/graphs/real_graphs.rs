//! §15 Graphs of other tools, read with their dialects.

use std::collections::BTreeMap;
use std::fs;

use coconut_format::graph::Graph;
use coconut_format::landmark::Dialect;
use coconut_format::verify::verify_graph;

use super::documents::{files_below, parse};
use coconut_tests::corpus;

const FOLDERS: [&str; 5] = ["coconut", "pulumi", "tfplan", "tfstate", "tfstate-show"];

/// Per dialect: files, resources, edges, references to missing resources, files with secrets.
const COUNTS: [(&str, [usize; 5]); 14] = [
    ("coconut-environment", [7, 1, 0, 0, 0]),
    ("coconut-snapshot", [3, 12, 10, 2, 0]),
    ("mugl-graph", [2, 6, 5, 2, 0]),
    ("mugl-snapshot", [1, 4, 4, 0, 0]),
    ("pulumi-checkpoint", [8, 240, 184, 0, 2]),
    ("pulumi-deployment", [2, 179, 0, 164, 2]),
    ("pulumi-environment", [7, 253, 150, 0, 0]),
    ("pulumi-export", [39, 173, 318, 2, 15]),
    ("terraform-plan", [57, 3108, 0, 0, 9]),
    ("terraform-plan-values", [4, 26, 0, 0, 0]),
    ("terraform-show", [2, 19, 13, 2, 1]),
    ("terraform-show-0.12", [1, 2, 0, 0, 0]),
    ("terraform-state-3", [5, 2, 0, 0, 0]),
    ("terraform-state-4", [104, 267, 47, 204, 35]),
];

/// Per rule: findings. Many states were cut down for tests, which leaves dependencies on removed
/// resources.
const FINDINGS: [(&str, usize); 4] =
    [("GRF-DEPENDENCY", 206), ("GRF-KEY", 48), ("GRF-ORDER", 333), ("GRF-REF", 170)];

#[test]
fn real_graphs_have_the_known_resources_and_edges() {
    let Some(corpus) = corpus() else { return };
    let mut counts: BTreeMap<&str, [usize; 5]> = BTreeMap::new();
    let mut findings: BTreeMap<&str, usize> = BTreeMap::new();
    for path in FOLDERS.iter().flat_map(|folder| files_below(&corpus.join(folder))) {
        let Ok(document) = parse(&fs::read(&path).unwrap()) else { continue };
        let Some(dialect) = Dialect::of(&document).filter(|dialect| dialect.document_type == "cocogl") else {
            continue;
        };
        let graph = Graph::new(&document, dialect);
        let edges: usize = graph.resources().map(|resource| graph.dependencies(resource).count()).sum();
        let has_secrets = !graph.secret_places().is_empty();
        let facts = graph.facts();
        let of_file =
            [1, graph.landmarks().entries().len(), edges, facts.dangling.len(), usize::from(has_secrets)];
        let of_dialect = counts.entry(dialect.name).or_default();
        of_dialect.iter_mut().zip(of_file).for_each(|(sum, count)| *sum += count);
        for finding in verify_graph(&document, dialect) {
            *findings.entry(finding.rule.id).or_default() += 1;
        }
    }
    assert_eq!(counts.into_iter().collect::<Vec<_>>(), COUNTS);
    assert_eq!(findings.into_iter().collect::<Vec<_>>(), FINDINGS);
}
