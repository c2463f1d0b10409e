//! §16.4 Whether rules refer to places of lists.

use crate::side::Node;
use crate::value::PlacePattern;
use crate::{Compared, Diff};
use coconut_format::landmark::Trail;
use coconut_format::node::{Kind, Node as _};
use coconut_format::pointer::Pointer;
use std::collections::HashSet;

/// The maximum number of lists and objects visited for one place.
const MOST_VISITED: usize = 1 << 20;

impl Diff<'_> {
    /// Returns whether there is a list at such a place, in a resource or outside resources. Rules
    /// for other places have no effect.
    ///
    /// Walks the expanded documents. If they have more than a million lists and objects, the result
    /// may be `true` although there is no such list.
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

/// Whether there is a list at such a place in a value, ignoring the values in `without`.
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
