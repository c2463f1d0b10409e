//! Assigns ids (§4.5): decides which items get one, and which get a short one.
//!
//! Frequent strings, shapes and shared values come first. The first 128 ids take one byte (the
//! first 32 for shared values), and their entries are together in one page of the file. The others
//! follow in order of first appearance, so the entries needed by one record are also together.

use super::Tuning;
use super::ancestors::Ancestors;
use super::shapes::{ShapeIndex, Shapes, Slot, keys_of};
use super::sharing::Sharing;
use crate::msgpack::str_len;
use crate::wire::ids::{ShapeId, SharedId, StringId};
use crate::write::interner::{ContainerIndex, Handle, Interned, StringIndex};
use std::cmp::Reverse;

/// The ids of a document.
pub(crate) struct Numbering {
    /// Strings of the table, by id.
    pub(crate) strings: Vec<StringIndex>,
    /// [`UNPLACED`] for strings that are written inline.
    string_ids: Vec<u32>,
    /// Shapes by id; nested ones before those that nest them.
    pub(crate) shapes: Vec<ShapeIndex>,
    shape_ids: Vec<u32>,
    /// Shared values by id; each after those it refers to.
    pub(crate) shared: Vec<ContainerIndex>,
    /// [`UNPLACED`] for containers that are not shared values.
    shared_ids: Vec<u32>,
}

impl Numbering {
    pub(crate) fn choose(
        document: &Interned,
        ancestors: &Ancestors,
        sharing: &Sharing,
        shapes: &Shapes,
        tuning: &Tuning,
    ) -> Numbering {
        let counts = Counts::of(document, ancestors, sharing, shapes);
        let (strings, string_ids) = number_strings(document, &counts.strings, tuning);
        let (shapes, shape_ids) = number_shapes(shapes, &counts.shapes, tuning);
        let (shared, shared_ids) = number_shared(document, sharing, tuning);
        Numbering { strings, string_ids, shapes, shape_ids, shared, shared_ids }
    }

    /// The id of a string, unless it is written inline.
    pub(crate) fn string(&self, index: StringIndex) -> Option<StringId> {
        Some(self.string_ids[index.0 as usize]).filter(|&id| id != UNPLACED).map(StringId)
    }

    pub(crate) fn shape(&self, index: ShapeIndex) -> ShapeId {
        ShapeId(self.shape_ids[index.position()])
    }

    /// The id of a container, if [`Sharing`] made it a shared value.
    pub(crate) fn shared_value(&self, index: ContainerIndex) -> Option<SharedId> {
        Some(self.shared_ids[index.0 as usize]).filter(|&id| id != UNPLACED).map(SharedId)
    }
}

/// Number of times that each string and each shape id will be written.
struct Counts {
    strings: Vec<u32>,
    shapes: Vec<u32>,
}

impl Counts {
    fn of(document: &Interned, ancestors: &Ancestors, sharing: &Sharing, shapes: &Shapes) -> Counts {
        let mut counts =
            Counts { strings: vec![0; document.strings.len()], shapes: vec![0; shapes.list.len()] };
        for shape in &shapes.list {
            keys_of(document, shape).iter().for_each(|&key| counts.string(key, 1));
            for slot in &shape.slots {
                match *slot {
                    Slot::Constant(value) => counts.value(sharing, shapes, value, 1),
                    Slot::Nested(inner) => counts.shapes[inner.position()] += 1,
                    Slot::Plain | Slot::Integer => {}
                }
            }
        }
        counts.value(sharing, shapes, document.root(), 1);
        for index in document.containers() {
            match sharing.emissions(index) {
                0 => {}
                weight => counts.container(document, sharing, shapes, index, weight),
            }
        }
        for place in ancestors.places() {
            counts.container(document, sharing, shapes, place.container, 1);
        }
        counts
    }

    fn container(
        &mut self,
        document: &Interned,
        sharing: &Sharing,
        shapes: &Shapes,
        index: ContainerIndex,
        weight: u32,
    ) {
        let children = document.children(index);
        let Some(shape) = shapes.of(index) else {
            document.keys(index).unwrap_or_default().iter().for_each(|&key| self.string(key, weight));
            children.iter().for_each(|&child| self.value(sharing, shapes, child, weight));
            return;
        };
        for (&child, slot) in children.iter().zip(&shapes.get(shape).slots) {
            if *slot == Slot::Plain {
                self.value(sharing, shapes, child, weight);
            }
        }
    }

    /// Counts a value at the place where its header is written.
    fn value(&mut self, sharing: &Sharing, shapes: &Shapes, value: Handle, weight: u32) {
        if let Some(string) = value.string() {
            self.string(string, weight);
        } else if let Some(container) = value.container()
            && let Some(shape) = shapes.of(container)
        {
            let weight = if sharing.is_shared(container) { 1 } else { weight };
            let count = &mut self.shapes[shape.position()];
            *count = count.saturating_add(weight);
        }
    }

    fn string(&mut self, index: StringIndex, weight: u32) {
        let count = &mut self.strings[index.0 as usize];
        *count = count.saturating_add(weight);
    }
}

/// Minimum number of uses for strings that come first, sorted by frequency.
const FREQUENT: u32 = 16;

fn number_strings(document: &Interned, counts: &[u32], tuning: &Tuning) -> (Vec<StringIndex>, Vec<u32>) {
    let mut chosen: Vec<StringIndex> = (0u32..)
        .zip(counts)
        .filter(|&(index, &count)| {
            let length = document.text_length(StringIndex(index));
            worth_a_table_entry(count, str_len(length), tuning)
        })
        .map(|(index, _)| StringIndex(index))
        .collect();
    let rank = |index: &StringIndex| {
        let count = counts[index.0 as usize];
        (Reverse(if tuning.frequent_first && count >= FREQUENT { count } else { 0 }), *index)
    };
    chosen.sort_by_key(rank);
    let mut ids = vec![UNPLACED; counts.len()];
    for (id, index) in (0u32..).zip(&chosen) {
        ids[index.0 as usize] = id;
    }
    (chosen, ids)
}

/// Whether an entry and `count` references are smaller than `count` copies of `size` bytes.
fn worth_a_table_entry(count: u32, size: usize, tuning: &Tuning) -> bool {
    let reference = if count >= FREQUENT { 1 } else { 2 };
    let copies = u64::from(count) * size as u64;
    count >= tuning.string_min_uses && copies > size as u64 + reference * u64::from(count)
}

fn number_shapes(shapes: &Shapes, counts: &[u32], tuning: &Tuning) -> (Vec<ShapeIndex>, Vec<u32>) {
    let mut order: Vec<ShapeIndex> = (0u32..).map(ShapeIndex::new).take(counts.len()).collect();
    if tuning.frequent_first {
        order.sort_by_key(|&index| (Reverse(counts[index.position()]), index));
    }
    let mut placed = Placed::new(counts.len());
    for index in order {
        placed.place(index.number(), |index, visit| {
            for slot in &shapes.get(ShapeIndex::new(index)).slots {
                if let Slot::Nested(inner) = slot {
                    visit(inner.number());
                }
            }
        });
    }
    (placed.order.into_iter().map(ShapeIndex::new).collect(), placed.ids)
}

/// Minimum number of uses for shared values that come first.
const FREQUENT_SHARED: u32 = 16;

fn number_shared(document: &Interned, sharing: &Sharing, tuning: &Tuning) -> (Vec<ContainerIndex>, Vec<u32>) {
    let mut order: Vec<ContainerIndex> =
        document.containers().filter(|&index| sharing.is_shared(index)).collect();
    order.sort_by_key(|&index| {
        let uses = sharing.uses(index);
        (Reverse(if tuning.frequent_first && uses >= FREQUENT_SHARED { uses } else { 0 }), index)
    });
    let mut placed = Placed::new(document.container_count());
    for index in order {
        placed.place(index.0, |index, visit| {
            shared_below(document, sharing, ContainerIndex(index), visit);
        });
    }
    (placed.order.into_iter().map(ContainerIndex).collect(), placed.ids)
}

/// Visits the shared values that the entry of `index` refers to, through children that are written
/// in it.
fn shared_below(document: &Interned, sharing: &Sharing, index: ContainerIndex, visit: &mut dyn FnMut(u32)) {
    let mut stack = vec![index];
    while let Some(index) = stack.pop() {
        for child in document.children(index).iter().filter_map(|child| child.container()) {
            match sharing.is_shared(child) {
                true => visit(child.0),
                false => stack.push(child),
            }
        }
    }
}

/// Items in an order that puts each after the items it needs.
struct Placed {
    order: Vec<u32>,
    ids: Vec<u32>,
}

const UNPLACED: u32 = u32::MAX;

impl Placed {
    fn new(count: usize) -> Placed {
        Placed { order: Vec::new(), ids: vec![UNPLACED; count] }
    }

    /// Places `item` after the items that it needs. `needs` calls back for each direct need; needs
    /// form no cycle.
    fn place(&mut self, item: u32, needs: impl Fn(u32, &mut dyn FnMut(u32))) {
        let mut stack = vec![item];
        while let Some(&top) = stack.last() {
            let before = stack.len();
            if self.ids[top as usize] == UNPLACED {
                needs(top, &mut |need| {
                    if self.ids[need as usize] == UNPLACED {
                        stack.push(need);
                    }
                });
            }
            if stack.len() == before {
                stack.pop();
                if self.ids[top as usize] == UNPLACED {
                    self.ids[top as usize] = u32::try_from(self.order.len()).expect("no more than items");
                    self.order.push(top);
                }
            }
        }
    }
}
