//! Choice of the shapes of a document (§6.2).
//!
//! Objects with the same key list become records of one shape. They become records of several
//! shapes if one key (for instance `kind`) distinguishes them: within such a group, other keys are
//! often constant or always integers. A constant costs nothing.

use super::Tuning;
use super::ancestors::Ancestors;
use super::sharing::Sharing;
use crate::limits;
use crate::write::interner::{ContainerIndex, Handle, Interned, KeyListIndex, Kind, StringIndex};
use foldhash::fast::RandomState;
use hashbrown::HashMap;
use std::num::NonZeroU32;

/// Index into [`Shapes::list`], in order of creation: a shape nests only earlier ones.
///
/// Stored plus one, so that an `Option` of it takes no more memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ShapeIndex(NonZeroU32);

impl ShapeIndex {
    /// The index of shape `number`. There are far fewer than 2^32, since each shape has objects,
    /// which are also numbered.
    pub(crate) fn new(number: u32) -> ShapeIndex {
        ShapeIndex(NonZeroU32::MIN.saturating_add(number))
    }

    pub(crate) fn number(self) -> u32 {
        self.0.get() - 1
    }

    pub(crate) fn position(self) -> usize {
        self.number() as usize
    }
}

/// One shape: a slot for each key.
pub(crate) struct Shape {
    pub(crate) keys: KeyListIndex,
    pub(crate) slots: Vec<Slot>,
}

/// Encoding of the value under one key of a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Slot {
    /// Any value.
    Plain,
    /// A plain integer in the file is an integer here, not a reference.
    Integer,
    /// The values of an object of that shape, without header.
    Nested(ShapeIndex),
    /// Nothing is stored in the record: the value is this scalar.
    Constant(Handle),
}

/// The shapes of a document, and the shape of each object that is a record.
pub(crate) struct Shapes {
    pub(crate) list: Vec<Shape>,
    /// By container.
    of: Vec<Option<ShapeIndex>>,
}

impl Shapes {
    pub(crate) fn choose(
        document: &Interned,
        ancestors: &Ancestors,
        sharing: &Sharing,
        tuning: &Tuning,
    ) -> Shapes {
        let mut choice = Choice {
            document,
            sharing,
            tuning,
            in_place: slots_of_ancestors(document, ancestors),
            shapes: Shapes { list: Vec::new(), of: vec![None; document.container_count()] },
        };
        let groups = Groups::of(document, ancestors, sharing);
        let mut order: Vec<KeyListIndex> =
            (0..document.key_lists.len()).filter_map(KeyListIndex::at).collect();
        // Embeddable ones first, innermost first, so that their shapes exist when others nest them.
        // Stable.
        order.sort_by_key(|&keys| sharing.embedded_round(keys).unwrap_or(u8::MAX));
        for keys in order {
            choice.divide(keys, groups.members(keys));
        }
        choice.shapes
    }

    pub(crate) fn of(&self, index: ContainerIndex) -> Option<ShapeIndex> {
        self.of[index.0 as usize]
    }

    pub(crate) fn get(&self, index: ShapeIndex) -> &Shape {
        &self.list[index.position()]
    }
}

/// An object and the number of times that it is written.
#[derive(Clone, Copy)]
struct Member {
    object: ContainerIndex,
    weight: u32,
}

/// The written objects of each key list, in one vector. Growing vectors took twice as much memory.
struct Groups {
    members: Vec<Member>,
    /// The objects of key list `i` are in `members` from bound `i` to bound `i + 1`.
    bounds: Vec<usize>,
}

impl Groups {
    fn of(document: &Interned, ancestors: &Ancestors, sharing: &Sharing) -> Groups {
        let mut counts = vec![0; document.key_lists.len()];
        Self::each(document, ancestors, sharing, |keys, _| counts[keys.position()] += 1);
        let ends = counts.iter().scan(0, |end, count| {
            *end += count;
            Some(*end)
        });
        let bounds: Vec<usize> = [0].into_iter().chain(ends).collect();
        let mut next = bounds.clone();
        let none = Member { object: ContainerIndex(0), weight: 0 };
        let mut members = vec![none; bounds[counts.len()]];
        Self::each(document, ancestors, sharing, |keys, member| {
            let place = &mut next[keys.position()];
            members[*place] = member;
            *place += 1;
        });
        Groups { members, bounds }
    }

    /// Calls `add` with each written object and its key list.
    fn each(
        document: &Interned,
        ancestors: &Ancestors,
        sharing: &Sharing,
        mut add: impl FnMut(KeyListIndex, Member),
    ) {
        let places = ancestors.places().iter().filter(|place| !place.holds_landmarks);
        let objects = document.containers().map(|object| (object, sharing.emissions(object)));
        for (object, weight) in
            objects.filter(|&(_, weight)| weight > 0).chain(places.map(|place| (place.container, 1)))
        {
            if let Some(keys) = document.key_list(object) {
                add(keys, Member { object, weight });
            }
        }
    }

    fn members(&self, keys: KeyListIndex) -> &[Member] {
        &self.members[self.bounds[keys.position()]..self.bounds[keys.position() + 1]]
    }
}

/// Whether a slot holds an ancestor of a landmark in some object, by position among the keys of all
/// key lists.
fn slots_of_ancestors(document: &Interned, ancestors: &Ancestors) -> Vec<bool> {
    let mut slots = vec![false; document.key_lists.key_count()];
    for place in ancestors.places() {
        if let Some(keys) = document.key_list(place.container) {
            let start = document.key_lists.start(keys);
            for entry in place.entries.iter().filter(|entry| entry.place.is_some()) {
                slots[start + entry.child as usize] = true;
            }
        }
    }
    slots
}

struct Choice<'a> {
    document: &'a Interned,
    sharing: &'a Sharing,
    tuning: &'a Tuning,
    in_place: Vec<bool>,
    shapes: Shapes,
}

/// Maximum number of distinct values of a discriminator. More values would distinguish objects no
/// better than the objects themselves.
const DISCRIMINATOR_VALUES: usize = 256;

impl Choice<'_> {
    /// Makes the shapes of one key list.
    fn divide(&mut self, keys: KeyListIndex, members: &[Member]) {
        match self.discriminator(keys, members) {
            None => self.make(keys, members),
            Some((position, values)) => {
                let mut parts: HashMap<Handle, Vec<Member>, RandomState> = HashMap::default();
                let mut rest = Vec::new();
                for &member in members {
                    let value = self.document.children(member.object)[position];
                    match values.contains(&value) {
                        true => parts.entry(value).or_default().push(member),
                        false => rest.push(member),
                    }
                }
                for value in values {
                    self.make(keys, &parts[&value]);
                }
                self.make(keys, &rest);
            }
        }
    }

    /// The key whose values distinguish the objects best, and those of its values that justify a
    /// separate shape, in order of first appearance.
    fn discriminator(&self, keys: KeyListIndex, members: &[Member]) -> Option<(usize, Vec<Handle>)> {
        if !self.tuning.discriminators {
            return None;
        }
        let width = self.document.key_lists.keys(keys).len();
        let shape_cost = 5 + 3 * width as u64 / 2;
        let mut best: Option<(u64, usize, Vec<Handle>)> = None;
        for position in 0..width {
            let Some(tally) = self.tally(members, position) else { continue };
            if tally.len() < 2 {
                continue;
            }
            let paying = tally.iter().filter(|(_, weight)| *weight > shape_cost);
            let gain: u64 = paying.clone().map(|(_, weight)| weight - shape_cost).sum();
            if gain > best.as_ref().map_or(0, |(gain, ..)| *gain) {
                best = Some((gain, position, paying.map(|(value, _)| *value).collect()));
            }
        }
        best.map(|(_, position, values)| (position, values))
    }

    /// The distinct strings under one key with their weights, in order of first appearance. `None`
    /// if there are too many, or values of other kinds.
    fn tally(&self, members: &[Member], position: usize) -> Option<Vec<(Handle, u64)>> {
        let mut tally: Vec<(Handle, u64)> = Vec::new();
        let mut index: HashMap<Handle, usize, RandomState> = HashMap::default();
        for member in members {
            let value = self.document.children(member.object)[position];
            value.string()?;
            let at = *index.entry(value).or_insert(tally.len());
            if at == tally.len() {
                if at == DISCRIMINATOR_VALUES {
                    return None;
                }
                tally.push((value, 0));
            }
            tally[at].1 += u64::from(member.weight);
        }
        Some(tally)
    }

    /// Makes one shape from `members`, if that saves bytes and readers accept one more.
    fn make(&mut self, keys: KeyListIndex, members: &[Member]) {
        let weight: u64 = members.iter().map(|member| u64::from(member.weight)).sum();
        if weight < 2 || self.shapes.list.len() >= limits::SHAPES {
            return;
        }
        let width = self.document.key_lists.keys(keys).len();
        let slots = (0..width).map(|position| self.slot(keys, members, position, weight)).collect();
        let index =
            ShapeIndex::new(u32::try_from(self.shapes.list.len()).expect("fewer shapes than containers"));
        self.shapes.list.push(Shape { keys, slots });
        for member in members {
            self.shapes.of[member.object.0 as usize] = Some(index);
        }
    }

    fn slot(&self, keys: KeyListIndex, members: &[Member], position: usize, weight: u64) -> Slot {
        if self.in_place[self.document.key_lists.start(keys) + position] {
            return Slot::Plain;
        }
        let mut values = members.iter().map(|member| self.document.children(member.object)[position]);
        let first = values.clone().next().expect("a group has members");
        if self.tuning.constant_slots && first.container().is_none() && values.clone().all(|v| v == first) {
            let saved = self.constant_size(first);
            if weight * saved > saved + 2 {
                return Slot::Constant(first);
            }
        }
        if self.tuning.integer_slots
            && values.clone().any(Handle::is_integer)
            && values.clone().all(|value| self.fits_integer_slot(value))
        {
            return Slot::Integer;
        }
        match self.nested_shape(first) {
            Some(shape) if values.all(|value| self.nested_shape(value) == Some(shape)) => Slot::Nested(shape),
            _ => Slot::Plain,
        }
    }

    fn constant_size(&self, value: Handle) -> u64 {
        match self.document.kind(value) {
            Kind::Null | Kind::Bool(_) => 1,
            Kind::Float(_) => 9,
            _ => 2,
        }
    }

    /// In an integer slot, a string must be inline, and a shared value is impossible.
    fn fits_integer_slot(&self, value: Handle) -> bool {
        !matches!(self.document.kind(value), Kind::String(_) | Kind::Container(_))
    }

    fn nested_shape(&self, value: Handle) -> Option<ShapeIndex> {
        let object = value.container()?;
        self.sharing.embedded_round(self.document.key_list(object)?)?;
        self.shapes.of(object)
    }
}

/// The key strings of a shape.
pub(crate) fn keys_of<'d>(document: &'d Interned, shape: &Shape) -> &'d [StringIndex] {
    document.key_lists.keys(shape.keys)
}
