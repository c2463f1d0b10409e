//! Vertices declared inside one another.

use super::*;
use std::borrow::Cow;
use std::cell::Cell;

/// Vertices each declared inside the previous one, and dependent on the first.
struct Chain {
    vertices: u32,
    asked: Cell<u64>,
}

impl Adjacency for Chain {
    fn vertices(&self) -> u32 {
        self.vertices
    }

    fn degree(&self, _: u32) -> u32 {
        1
    }

    fn target(&self, _: u32, _: u32) -> Option<u32> {
        Some(0)
    }
}

impl Connected for Chain {
    fn key(&self, vertex: u32) -> Cow<'_, str> {
        vertex.to_string().into()
    }

    fn parent(&self, vertex: u32) -> Option<u32> {
        self.asked.set(self.asked.get() + 1);
        vertex.checked_sub(1)
    }
}

#[test]
fn the_claimed_depth_of_vertices_does_not_matter() {
    const VERTICES: u32 = 100_000;
    let chain = Chain { vertices: VERTICES, asked: Cell::new(0) };
    let dialect = Dialect::named("pulumi-checkpoint").unwrap();
    let mut breaches = Listing::default();
    verify_connections(&chain, dialect, &mut breaches);
    // All refer to a vertex around them, and so to themselves.
    let selves = breaches.kept().iter().filter(|breach| breach.rule.id == GRF_SELF.id);
    assert_eq!(selves.count(), VERTICES as usize);
    let asked = chain.asked.get();
    assert!(asked <= 4 * u64::from(VERTICES), "asked {asked} times for {VERTICES} parents");
}

/// Vertices declared inside themselves, and inside one another in a cycle.
struct Circle;

impl Adjacency for Circle {
    fn vertices(&self) -> u32 {
        3
    }

    fn degree(&self, _: u32) -> u32 {
        1
    }

    fn target(&self, vertex: u32, _: u32) -> Option<u32> {
        [Some(1), Some(2), Some(2)][vertex as usize]
    }
}

impl Connected for Circle {
    fn key(&self, vertex: u32) -> Cow<'_, str> {
        vertex.to_string().into()
    }

    fn parent(&self, vertex: u32) -> Option<u32> {
        [Some(1), Some(0), Some(2)][vertex as usize]
    }
}

#[test]
fn vertices_that_claim_to_be_in_one_another_are_followed_to_earlier_ones() {
    let dialect = Dialect::named("pulumi-checkpoint").unwrap();
    let mut breaches = Listing::default();
    verify_connections(&Circle, dialect, &mut breaches);
    let selves: Vec<GraphPlace> = breaches
        .kept()
        .iter()
        .filter(|breach| breach.rule.id == GRF_SELF.id)
        .map(|breach| breach.at)
        .collect();
    assert_eq!(selves, [GraphPlace::Vertex(2)]);
}
