//! Leaves out arrows that are implied by longer paths (transitive reduction).

use crate::{Link, Picture};
use coconut_format::graph::{Adjacency as _, Edge, Edges};
use coconut_report::{Exit, Failure, code};

/// The maximum number of steps. A picture that needs more would take minutes and is unreadable.
const MOST_STEPS: u64 = 1 << 30;

/// The arrows without edges between boxes that are also connected by a longer path of edges of the
/// same kind. A parent is not a dependency, so a path over parents does not imply a dependency.
///
/// Edges of boxes in a circle stay, because there are several equally valid reductions.
pub(super) fn reduced(picture: &Picture) -> Result<Vec<Link>, Failure> {
    let mut kinds: Vec<&str> = Vec::new();
    for (kind, _) in picture.links.iter().flat_map(|link| &link.kinds) {
        if !kinds.contains(&kind.as_str()) {
            kinds.push(kind);
        }
    }
    let mut links: Vec<Link> = picture.links.iter().map(|link| Link { kinds: Vec::new(), ..*link }).collect();
    let mut steps = 0;
    for kind in kinds {
        let of_kind = |link: &Link| link.kinds.iter().find(|(name, _)| name == kind).cloned();
        let found = (0..).zip(&picture.links).filter_map(|(at, link)| Some((at, of_kind(link)?)));
        let (places, counts): (Vec<usize>, Vec<(String, u32)>) = found.unzip();
        let ends = |&at: &usize| picture.links.get(at).map(|link| (link.from, link.to));
        let pairs: Vec<(usize, usize)> = places.iter().filter_map(ends).collect();
        let stays = that_stay(picture.vertices.len(), &pairs, &mut steps)?;
        for ((at, counted), stays) in places.into_iter().zip(counts).zip(stays) {
            if let Some(link) = links.get_mut(at).filter(|_| stays) {
                link.kinds.push(counted);
            }
        }
    }
    links.retain(|link| !link.kinds.is_empty());
    Ok(links)
}

/// For each of these edges, sorted by their first boxes, whether it is not implied by the others.
fn that_stay(count: usize, pairs: &[(usize, usize)], steps: &mut u64) -> Result<Vec<bool>, Failure> {
    let number = |at: usize| u32::try_from(at).expect("a document has fewer resources than 2^24");
    let edges: Vec<Edge> = pairs
        .iter()
        .map(|&(from, to)| Edge { source: number(from), target: number(to), number: 0 })
        .collect();
    let edges = Edges::new(number(count), &edges);
    let components = edges.components();
    let mut sizes = vec![0u32; count];
    components.iter().for_each(|&first| sizes[first as usize] += 1);
    let is_in_circle = |vertex: u32| sizes[components[vertex as usize] as usize] > 1;
    let order = ranks(&edges, &components);
    // For each box, the last one from which it was reached.
    let mut reached_from = vec![u32::MAX; count];
    let mut stays = Vec::with_capacity(pairs.len());
    for source in 0..number(count) {
        let targets: Vec<u32> = edges.of(source).map(|edge| edge.target).collect();
        // No edge leads from a box to one of a higher rank.
        let lowest = targets.iter().map(|&target| order[target as usize]).min().unwrap_or_default();
        let mut open: Vec<u32> = match targets.len() {
            0 | 1 => Vec::new(),
            _ => targets.clone(),
        };
        while let Some(vertex) = open.pop() {
            *steps += 1;
            for edge in edges.of(vertex) {
                *steps += 1;
                let at = edge.target as usize;
                if reached_from[at] != source && order[at] >= lowest && edge.target != source {
                    reached_from[at] = source;
                    open.push(edge.target);
                }
            }
            if *steps > MOST_STEPS {
                let message = "the picture has too many arrows to be reduced";
                let failure = Failure::new(Exit::Limit, code::GRAPH_SIZE, message);
                return Err(failure.with_hint("select a part with --focus or --type, or use --collapse type"));
            }
        }
        stays.extend(targets.iter().map(|&target| {
            is_in_circle(source) || is_in_circle(target) || reached_from[target as usize] != source
        }));
    }
    Ok(stays)
}

/// A number for each box that is higher than those of all boxes reachable from it. In circles, all
/// boxes have one number.
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
    use super::*;
    use crate::Vertex;

    fn reduced_pairs(count: usize, pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
        let pairs: Vec<(usize, usize, &str)> = pairs.iter().map(|&(from, to)| (from, to, "kind")).collect();
        reduced_kinds(count, &pairs).into_iter().map(|(from, to, _)| (from, to)).collect()
    }

    fn reduced_kinds(count: usize, edges: &[(usize, usize, &str)]) -> Vec<(usize, usize, String)> {
        let vertex = |at: usize| Vertex { id: format!("n{at}"), count: 1, ..Vertex::default() };
        let mut links: Vec<Link> = Vec::new();
        let mut edges = edges.to_vec();
        edges.sort_unstable();
        for (from, to, kind) in edges {
            match links.last_mut().filter(|link| (link.from, link.to) == (from, to)) {
                Some(link) => link.kinds.push((kind.to_owned(), 1)),
                None => links.push(Link { from, to, kinds: vec![(kind.to_owned(), 1)] }),
            }
        }
        let picture = Picture { vertices: (0..count).map(vertex).collect(), links, boxes: Vec::new() };
        let reduced = reduced(&picture).unwrap();
        let kinds = |link: Link| link.kinds.into_iter().map(move |(kind, _)| (link.from, link.to, kind));
        reduced.into_iter().flat_map(kinds).collect()
    }

    #[test]
    fn an_edge_follows_only_from_edges_of_its_kind() {
        let edges = [(0, 1, "parent"), (1, 2, "parent"), (0, 2, "dependency"), (0, 2, "parent")];
        let expected = [(0, 1, "parent"), (0, 2, "dependency"), (1, 2, "parent")];
        let expected: Vec<_> = expected.iter().map(|&(from, to, kind)| (from, to, kind.to_owned())).collect();
        assert_eq!(reduced_kinds(3, &edges), expected);
    }

    #[test]
    fn an_arrow_parallel_to_a_longer_path_is_left_out() {
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
