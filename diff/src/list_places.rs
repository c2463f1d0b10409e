//! §16.4 Whether lists are at the places that rules name.

use crate::side::Node;
use crate::value::PlacePattern;
use crate::{Compared, Diff};
use coconut_format::landmark::Trail;
use coconut_format::node::{Kind, Node as _};
use coconut_format::pointer::Pointer;
use std::collections::HashSet;

/// Maximum number of lists and objects that are visited for a place.
const MOST_VISITED: usize = 1 << 20;

impl Diff<'_> {
    /// Returns whether a list is at such a place of a resource, or of what is outside of resources.
    /// Rules for other places describe nothing.
    ///
    /// Costs a walk over the expanded documents. In larger ones than a million lists and objects,
    /// the answer may be `true` although there is none.
    pub fn has_list_at(&self, place: &PlacePattern) -> bool {
        let mut left = MOST_VISITED;
        [&self.old, &self.new].iter().any(|compared| compared.has_list_at(place, &mut left))
    }
}

impl Compared<'_> {
    fn has_list_at(&self, place: &PlacePattern, left: &mut usize) -> bool {
        let nothing = HashSet::new();
        let units = &self.units.units;
        // Places of instances begin at their resource, which is visited once.
        let mut roots = units.iter().filter_map(|unit| match &unit.instance_of {
            None => Some(unit.node),
            Some(of) => (of.number == 0).then_some(of.node),
        });
        if roots.any(|root| has_list_at(root, place, &nothing, left)) {
            return true;
        }
        if self.units.is_one_value {
            return false;
        }
        let ways = (0..units.len()).map(|unit| {
            let mut pointer = Pointer::root();
            self.units.way(unit).for_each(|trail| trail.push_to(&mut pointer));
            pointer.as_str().to_owned()
        });
        has_list_at(self.side.root(), place, &ways.collect(), left)
    }
}

/// Whether a list is at such a place of a value, not counting what is in values `without`.
fn has_list_at(root: Node<'_>, place: &PlacePattern, without: &HashSet<String>, left: &mut usize) -> bool {
    let mut pending = vec![(root, Pointer::root())];
    while let Some((node, pointer)) = pending.pop() {
        if without.contains(pointer.as_str()) {
            continue;
        }
        if *left == 0 || (node.kind() == Kind::List && place.is(pointer.as_str())) {
            return true;
        }
        *left -= 1;
        let items = node.items().enumerate().map(|(index, item)| (Trail::Item(index), item));
        let entries = node.entries().map(|(key, value)| (Trail::Entry(key), value));
        for (trail, below) in items.chain(entries).filter(|(_, below)| below.kind().is_container()) {
            let mut way = pointer.clone();
            trail.push_to(&mut way);
            pending.push((below, way));
        }
    }
    false
}
