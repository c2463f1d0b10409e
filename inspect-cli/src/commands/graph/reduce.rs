//! Leaves out arrows that follow from longer ways (transitive reduction).

use super::picture::{Link, Picture};
use crate::code;
use crate::failure::{Exit, Failure};
use coconut_format::graph::{Adjacency as _, Edge, Edges};

/// Steps of a reduction. A picture that needs more would take minutes and is unreadable.
const MOST_STEPS: u64 = 1 << 30;

/// The arrows without those between boxes that are also connected by a longer way.
///
/// Arrows of boxes in a circle stay, because of several reductions none is the right one.
pub(super) fn reduced(picture: &Picture) -> Result<Vec<Link>, Failure> {
    let number = |at: usize| u32::try_from(at).expect("a document has fewer resources than 2^24");
    let count = picture.vertices.len();
    let edges: Vec<Edge> = picture
        .links
        .iter()
        .map(|link| Edge { source: number(link.from), target: number(link.to), number: 0 })
        .collect();
    let edges = Edges::new(number(count), &edges);
    let components = edges.components();
    let mut sizes = vec![0u32; count];
    components.iter().for_each(|&first| sizes[first as usize] += 1);
    let is_in_circle = |vertex: u32| sizes[components[vertex as usize] as usize] > 1;
    let order = ranks(&edges, &components);
    // For each box, the last one from which it was reached.
    let (mut reached_from, mut steps) = (vec![u32::MAX; count], 0);
    let mut stays = Vec::with_capacity(picture.links.len());
    for source in 0..number(count) {
        let targets: Vec<u32> = edges.of(source).map(|edge| edge.target).collect();
        // Nothing leads from a box to one of a higher rank.
        let lowest = targets.iter().map(|&target| order[target as usize]).min().unwrap_or_default();
        let mut open: Vec<u32> = match targets.len() {
            0 | 1 => Vec::new(),
            _ => targets.clone(),
        };
        while let Some(vertex) = open.pop() {
            steps += 1;
            for edge in edges.of(vertex) {
                steps += 1;
                let at = edge.target as usize;
                if reached_from[at] != source && order[at] >= lowest && edge.target != source {
                    reached_from[at] = source;
                    open.push(edge.target);
                }
            }
            if steps > MOST_STEPS {
                let message = "the picture has too many arrows to be reduced";
                let failure = Failure::new(Exit::Limit, code::GRAPH_SIZE, message);
                return Err(failure.with_hint("select a part with --focus or --type, or use --collapse type"));
            }
        }
        stays.extend(targets.iter().map(|&target| {
            is_in_circle(source) || is_in_circle(target) || reached_from[target as usize] != source
        }));
    }
    // The arrows are sorted by the boxes that they start at, as the edges are.
    let links = picture.links.iter().zip(stays).filter(|(_, stays)| *stays);
    Ok(links.map(|(link, _)| link.clone()).collect())
}

/// A number for each box that is higher than those of all boxes that it leads to, except in
/// circles, where all have one number.
fn ranks(edges: &Edges, components: &[u32]) -> Vec<u32> {
    let condensed: Vec<Edge> = (0..edges.vertices())
        .flat_map(|vertex| edges.of(vertex))
        .map(|edge| Edge {
            source: components[edge.source as usize],
            target: components[edge.target as usize],
            number: 0,
        })
        .filter(|edge| edge.source != edge.target)
        .collect();
    let order = Edges::new(edges.vertices(), &condensed).topological_order().unwrap_or_default();
    let mut rank_of = vec![0; components.len()];
    (0..).zip(&order).for_each(|(rank, &first)| rank_of[first as usize] = rank);
    components.iter().map(|&first| rank_of[first as usize]).collect()
}

#[cfg(test)]
mod tests {
    use super::super::picture::Vertex;
    use super::*;

    fn reduced_pairs(count: usize, pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
        let vertex = |at: usize| Vertex { id: format!("n{at}"), count: 1, ..Vertex::default() };
        let mut links: Vec<Link> =
            pairs.iter().map(|&(from, to)| Link { from, to, kinds: Vec::new() }).collect();
        links.sort_by_key(|link| (link.from, link.to));
        let picture = Picture { vertices: (0..count).map(vertex).collect(), links };
        reduced(&picture).unwrap().iter().map(|link| (link.from, link.to)).collect()
    }

    #[test]
    fn an_arrow_beside_a_longer_way_is_left_out() {
        assert_eq!(reduced_pairs(3, &[(0, 1), (1, 2), (0, 2)]), [(0, 1), (1, 2)]);
        assert_eq!(reduced_pairs(3, &[(2, 1), (1, 0), (2, 0)]), [(1, 0), (2, 1)]);
        let diamond = [(0, 1), (0, 2), (1, 3), (2, 3)];
        assert_eq!(reduced_pairs(4, &diamond), diamond);
        let all: Vec<(usize, usize)> =
            (0..20).flat_map(|to| (to + 1..20).map(move |from| (from, to))).collect();
        let chain: Vec<(usize, usize)> = (1..20).map(|from| (from, from - 1)).collect();
        assert_eq!(reduced_pairs(20, &all), chain);
    }

    #[test]
    fn arrows_of_a_circle_stay() {
        let circle = [(0, 1), (0, 2), (1, 2), (2, 0)];
        assert_eq!(reduced_pairs(3, &circle), circle);
        assert_eq!(
            reduced_pairs(4, &[(0, 1), (1, 0), (2, 3), (0, 3), (0, 2)]),
            [(0, 1), (0, 2), (0, 3), (1, 0), (2, 3)]
        );
    }
}
