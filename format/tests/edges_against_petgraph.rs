//! §15.6 Orders and cycles of random graphs, compared with another implementation of them.

use std::collections::BTreeSet;

use coconut_format::graph::{Adjacency, Edge, Edges};
use petgraph::algo::{is_cyclic_directed, tarjan_scc};
use petgraph::graph::{DiGraph, NodeIndex};
use proptest::prelude::*;

/// Graphs of up to 40 vertices, from none to three edges each: about half of them have cycles.
fn graphs() -> impl Strategy<Value = (u32, Vec<(u32, u32)>)> {
    (1u32..40).prop_flat_map(|vertices| {
        let edges = prop::collection::vec((0..vertices, 0..vertices), 0..vertices as usize * 3);
        (Just(vertices), edges)
    })
}

/// Both forms of a graph. Edges of a vertex to itself are omitted from petgraph's form, where they
/// count as cycles.
fn both(vertices: u32, pairs: &[(u32, u32)]) -> (Edges, DiGraph<(), ()>) {
    let edges: Vec<Edge> = pairs.iter().map(|&(source, target)| Edge { source, target, number: 0 }).collect();
    let mut graph = DiGraph::new();
    for _ in 0..vertices {
        graph.add_node(());
    }
    for &(source, target) in pairs.iter().filter(|(source, target)| source != target) {
        graph.add_edge(NodeIndex::new(source as usize), NodeIndex::new(target as usize), ());
    }
    (Edges::new(vertices, &edges), graph)
}

proptest! {
    #[test]
    fn shared_rows_have_the_answers_of_the_expanded_edges(
        (rows, edges) in (1u32..30).prop_flat_map(|vertices| {
            let rows = prop::collection::vec(0..vertices.div_ceil(4), vertices as usize);
            let edge = (0..vertices, 0..vertices, 0u8..2);
            (rows, prop::collection::btree_set(edge, 0..vertices as usize * 2))
        })
    ) {
        let edge = |&(source, target, number): &(u32, u32, u8)| Edge { source, target, number };
        let shared = Edges::shared(rows.clone(), &edges.iter().map(edge).collect::<Vec<_>>());
        let vertices = shared.vertices();
        let all: Vec<Edge> = (0..vertices)
            .flat_map(|vertex| {
                let row = rows[vertex as usize];
                let own = edges.iter().filter(move |&&(source, target, _)| source == row && target != vertex);
                own.map(edge).map(move |edge| Edge { source: vertex, ..edge })
            })
            .collect();
        let expanded = Edges::new(vertices, &all);
        let of = |edges: &Edges| -> Vec<Edge> { (0..vertices).flat_map(|vertex| edges.of(vertex)).collect() };
        prop_assert_eq!(of(&shared), of(&expanded));
        prop_assert_eq!(of(&shared.reversed()), of(&expanded.reversed()));
        prop_assert_eq!(of(&shared.reversed().reversed()), of(&expanded));
        prop_assert_eq!(shared.topological_order().is_some(), expanded.topological_order().is_some());
        prop_assert_eq!(shared.components(), expanded.components());
        let components = expanded.components();
        prop_assert_eq!(shared.cycles(&components), expanded.cycles(&components));
    }

    #[test]
    fn an_order_is_there_when_no_cycle_is((vertices, pairs) in graphs()) {
        let (edges, graph) = both(vertices, &pairs);
        let order = edges.topological_order();
        prop_assert_eq!(order.is_none(), is_cyclic_directed(&graph));
        if let Some(order) = order {
            let mut place = vec![usize::MAX; vertices as usize];
            order.iter().enumerate().for_each(|(at, &vertex)| place[vertex as usize] = at);
            prop_assert!(!place.contains(&usize::MAX) && order.len() == vertices as usize);
            for &(source, target) in pairs.iter().filter(|(source, target)| source != target) {
                prop_assert!(place[target as usize] < place[source as usize]);
            }
        }
    }

    #[test]
    fn components_are_the_same((vertices, pairs) in graphs()) {
        let (edges, graph) = both(vertices, &pairs);
        let labels = edges.components();
        for component in tarjan_scc(&graph) {
            let first = component.iter().map(|vertex| vertex.index()).min();
            for vertex in component {
                prop_assert_eq!(Some(labels[vertex.index()] as usize), first);
            }
        }
    }

    #[test]
    fn each_cycle_is_one_and_none_is_missing((vertices, pairs) in graphs()) {
        let (edges, graph) = both(vertices, &pairs);
        let known: BTreeSet<(u32, u32)> = pairs.iter().copied().collect();
        let cycles = edges.cycles(&edges.components());
        for cycle in &cycles {
            let next = cycle.iter().cycle().skip(1);
            prop_assert!(cycle.iter().zip(next).all(|(&source, &target)| known.contains(&(source, target))));
            let distinct: BTreeSet<u32> = cycle.iter().copied().collect();
            prop_assert_eq!(distinct.len(), cycle.len());
        }
        let mut firsts: Vec<usize> = tarjan_scc(&graph)
            .iter()
            .filter(|component| component.len() > 1)
            .filter_map(|component| component.iter().map(|vertex| vertex.index()).min())
            .collect();
        firsts.sort_unstable();
        prop_assert_eq!(cycles.iter().map(|cycle| cycle[0] as usize).collect::<Vec<_>>(), firsts);
    }

    #[test]
    fn reversed_twice_is_the_same_set_of_edges((vertices, pairs) in graphs()) {
        let (edges, _) = both(vertices, &pairs);
        let listed = |edges: &Edges| {
            let mut all: Vec<(u32, u32)> =
                (0..vertices).flat_map(|vertex| edges.of(vertex)).map(|edge| (edge.source, edge.target)).collect();
            all.sort_unstable();
            all
        };
        let mut expected = pairs.clone();
        expected.sort_unstable();
        prop_assert_eq!(&listed(&edges), &expected);
        prop_assert_eq!(&listed(&edges.reversed().reversed()), &expected);
    }
}
