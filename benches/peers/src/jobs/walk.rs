//! All edges of a graph, from each resource to its dependencies.

use super::Job;
use crate::checkpoint::Checkpoint;
use crate::documents::Document;
use crate::measure::{Contender, Sample};
use coconut_codec::read::file::DocumentFile;
use std::collections::HashMap;

/// The job on a checkpoint.
pub(crate) fn job(document: &Document) -> Job<'_> {
    let contenders = vec![
        Contender::new("coconut", "from the index of an open file", || {
            let file = DocumentFile::from_data(document.map("coco")).expect("a good file");
            move || Sample::of(|| walk(&file))
        }),
        Contender::new(
            "serde_json typed",
            "from a tree in memory: URNs looked up in a map made before",
            || {
                let all: Checkpoint = serde_json::from_slice(&document.text()).expect("JSON");
                let resources = all.checkpoint.latest.resources;
                let numbers: HashMap<String, usize> = resources
                    .iter()
                    .zip(0..)
                    .map(|(resource, number)| (resource.urn.clone(), number))
                    .collect();
                move || {
                    Sample::of(|| {
                        let targets = resources.iter().flat_map(|resource| &resource.dependencies);
                        targets.filter_map(|urn| numbers.get(urn)).sum::<usize>()
                    })
                }
            },
        ),
    ];
    let file = DocumentFile::from_data(document.map("coco")).expect("a good file");
    let edges = walk(&file);
    Job { name: "walk edges", document, ours: "coconut", contenders, goals: Vec::new(), items: Some(edges) }
}

/// The number of edges.
pub(crate) fn walk<D: AsRef<[u8]>>(file: &DocumentFile<D>) -> u64 {
    let view = file.view();
    let landmarks = view.landmarks().expect("a good file").map(|landmark| landmark.expect("a good file"));
    landmarks.map(|landmark| landmark.dependencies().expect("a good file").len() as u64).sum()
}
