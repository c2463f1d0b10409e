//! §16.2 The resources before and after a plan, paired as the plan records.

use crate::value::identity::{Evidence, Pairing, SameResource, Unit};
use coconut_format::node::Node;
use std::collections::{HashMap, VecDeque};

/// An address, and the key that distinguishes the objects there that are only waiting to be
/// deleted.
type Place<'u> = (&'u str, Option<&'u str>);

/// Pairs each resource with the one at its old address, or at its own if it records no other. A
/// moved resource frees its address for a new resource.
pub(super) fn by_plan<'a, N: Node<'a>, M: Node<'a>>(
    old: &[Unit<'a, N>],
    new: &[Unit<'a, M>],
    has_moves: bool,
) -> Pairing {
    let mut free: HashMap<Place<'_>, VecDeque<usize>> = HashMap::new();
    for (n, unit) in old.iter().enumerate() {
        free.entry((&*unit.key, deposed(unit.node))).or_default().push_back(n);
    }
    let mut take = |key, unit: &Unit<'a, M>| free.get_mut(&(key, deposed(unit.node)))?.pop_front();
    let mut found = Pairing::default();
    let mut is_paired = vec![false; old.len()];
    // M1 and M2
    let moved = new.iter().enumerate().filter_map(|(n, unit)| Some((n, unit, old_address(unit)?)));
    let moved = moved.filter_map(|(n, unit, address)| Some((take(address, unit)?, n, Evidence::Alias)));
    let mut pairs: Vec<(usize, usize, Evidence)> = moved.collect();
    pairs.retain(|_| has_moves);
    for (n, unit) in new.iter().enumerate().filter(|(_, unit)| old_address(unit).is_none()) {
        // M3, otherwise M4 and M5
        let partner = if is_created(unit.node) { None } else { take(&*unit.key, unit) };
        pairs.extend(partner.map(|partner| (partner, n, Evidence::Key)));
    }
    let mut is_made = vec![true; new.len()];
    for (old, new, why) in pairs {
        (is_paired[old], is_made[new]) = (true, false);
        found.same.push(SameResource::new(old, new, why));
    }
    found.created = (0..new.len()).filter(|&n| is_made[n]).collect();
    found.deleted = (0..old.len()).filter(|&n| !is_paired[n]).collect();
    found
}

/// The previous address of a resource, if it differs.
fn old_address<'a, N: Node<'a>>(unit: &Unit<'a, N>) -> Option<&'a str> {
    let address = unit.node.get("previous_address").and_then(Node::as_str);
    address.filter(|address| *address != unit.key)
}

fn deposed<'a, N: Node<'a>>(node: N) -> Option<&'a str> {
    node.get("deposed").and_then(Node::as_str)
}

/// Whether the plan only creates it.
fn is_created<'a, N: Node<'a>>(node: N) -> bool {
    node.get("planned").and_then(Node::as_str) == Some("create")
}
