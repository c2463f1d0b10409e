//! §25.1 The order of resources: each one after those on which it depends.

use super::ResourceState;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// Sorts the resources. Those that do not depend on each other keep their order, and so do those
/// that depend on each other in a circle. A dependency on a URN means its live resource.
pub(super) fn sort(resources: &mut Vec<ResourceState>) {
    let live: HashMap<&str, usize> = (0..)
        .zip(resources.iter())
        .filter(|(_, resource)| !resource.is_condemned())
        .map(|(at, resource)| (resource.urn(), at))
        .collect();
    let mut open = vec![0usize; resources.len()];
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); resources.len()];
    for (at, resource) in resources.iter().enumerate() {
        let used = resource.relations().filter_map(|urn| live.get(urn).copied());
        for used in used.filter(|used| *used != at) {
            open[at] += 1;
            users[used].push(at);
        }
    }
    let mut ready: BinaryHeap<Reverse<usize>> =
        (0..open.len()).filter(|at| open[*at] == 0).map(Reverse).collect();
    let mut order = Vec::with_capacity(open.len());
    while let Some(Reverse(at)) = ready.pop() {
        order.push(at);
        for &user in &users[at] {
            open[user] -= 1;
            if open[user] == 0 {
                ready.push(Reverse(user));
            }
        }
    }
    let mut is_placed = vec![false; open.len()];
    order.iter().for_each(|&at| is_placed[at] = true);
    order.extend((0..open.len()).filter(|at| !is_placed[*at]));
    let mut all: Vec<Option<ResourceState>> = std::mem::take(resources).into_iter().map(Some).collect();
    resources.extend(order.into_iter().filter_map(|at| all[at].take()));
}
