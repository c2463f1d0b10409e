//! Values as bytes (§4): references, records, shared values. Profile `plain` has its own emitter.

use super::ancestors::{Ancestors, Entry, PlaceIndex};
use super::numbering::Numbering;
use super::output::Output;
use super::shapes::{ShapeIndex, Shapes, Slot, keys_of};
use super::texts::put_text;
use crate::msgpack::{put_array_header, put_bool, put_float, put_nil, put_plain_integer};
use crate::wire::value::{
    put_ext_integer, put_list_head, put_object_head, put_record_head, put_shape_id, put_shared, put_string_id,
};
use crate::write::interner::{ContainerIndex, Handle, Interned, Kind, StringIndex};

/// Appends values of one document to `out`, one after another.
pub(super) struct Emitter<'p, 'w> {
    document: &'p Interned,
    ancestors: &'p Ancestors,
    shapes: &'p Shapes,
    numbering: &'p Numbering,
    pub(super) out: Output<'w>,
    /// Offset of each landmark in the file, by ordinal.
    pub(crate) landmarks: Vec<u64>,
    stack: Vec<Frame<'p>>,
}

/// A container whose header is written, but whose values are not.
struct Frame<'p> {
    children: &'p [Handle],
    next: usize,
    /// For an object without shape: the keys to write before its values.
    keys: Option<&'p [StringIndex]>,
    /// The slots of a record.
    slots: Option<&'p [Slot]>,
    /// For an ancestor: its place, and its next entry.
    place: Option<(PlaceIndex, usize)>,
}

impl<'p, 'w> Emitter<'p, 'w> {
    pub(crate) fn new(
        document: &'p Interned,
        ancestors: &'p Ancestors,
        shapes: &'p Shapes,
        numbering: &'p Numbering,
        out: Output<'w>,
    ) -> Self {
        let (landmarks, stack) = (Vec::new(), Vec::new());
        Emitter { document, ancestors, shapes, numbering, out, landmarks, stack }
    }

    /// Writes the root, with the ancestors of landmarks in place.
    pub(crate) fn root(&mut self) {
        if self.ancestors.root_is_landmark() {
            self.landmarks.push(self.out.len() as u64);
        }
        match self.ancestors.root() {
            Some(place) => self.open(self.ancestors.place(place).container, Some(place)),
            None => self.value(self.document.root(), Slot::Plain),
        }
        while self.step() {
            self.out.pass_on();
        }
    }

    /// Writes a string in full: an entry of the string table.
    pub(crate) fn text(&mut self, index: StringIndex) {
        put_text(self.document, index, &mut self.out.bytes);
    }

    /// Writes a shared container in full: an entry of the shared part.
    pub(crate) fn entry(&mut self, index: ContainerIndex) {
        self.open(index, None);
        while self.step() {
            self.out.pass_on();
        }
    }

    /// Writes one entry of the shape table.
    pub(crate) fn shape(&mut self, index: ShapeIndex) {
        let shape = self.shapes.get(index);
        put_array_header(&mut self.out.bytes, shape.slots.len());
        for (&key, slot) in keys_of(self.document, shape).iter().zip(&shape.slots) {
            match *slot {
                Slot::Plain => {}
                Slot::Integer => put_array_header(&mut self.out.bytes, 1),
                Slot::Nested(_) => put_array_header(&mut self.out.bytes, 2),
                Slot::Constant(_) => put_array_header(&mut self.out.bytes, 3),
            }
            self.string(key);
            match *slot {
                Slot::Plain | Slot::Integer => {}
                Slot::Nested(inner) => put_shape_id(&mut self.out.bytes, self.numbering.shape(inner)),
                Slot::Constant(value) => {
                    put_nil(&mut self.out.bytes);
                    self.value(value, Slot::Plain);
                }
            }
        }
    }

    /// Writes children of the innermost open container up to the next container.
    ///
    /// Returns `false` if nothing is open. During scalars the frame is in a local variable, not on
    /// the stack.
    fn step(&mut self) -> bool {
        let Some(mut frame) = self.stack.pop() else { return false };
        while let Some(&child) = frame.children.get(frame.next) {
            let position = frame.next;
            frame.next += 1;
            let slot = frame.slots.map_or(Slot::Plain, |slots| slots[position]);
            let entry = self.entry_at(&mut frame, position);
            if entry.is_some_and(|entry| entry.is_landmark) {
                // A landmark begins at its key, so that a lookup finds both together.
                self.landmarks.push(self.out.len() as u64);
            }
            if let Some(keys) = frame.keys {
                self.string(keys[position]);
            }
            let Some(container) = child.container() else {
                self.value(child, slot);
                continue;
            };
            self.stack.push(frame);
            match entry.and_then(|entry| entry.place) {
                Some(place) => self.open(container, Some(place)),
                None => self.value(child, slot),
            }
            return true;
        }
        true
    }

    /// The entry of the child at `position` of a frame, if it is an ancestor or a landmark.
    #[inline]
    fn entry_at(&self, frame: &mut Frame<'p>, position: usize) -> Option<Entry> {
        let (place, next) = frame.place.as_mut()?;
        let entry = *self.ancestors.place(*place).entries.get(*next)?;
        let is_here = entry.child as usize == position;
        *next += usize::from(is_here);
        is_here.then_some(entry)
    }

    fn value(&mut self, value: Handle, slot: Slot) {
        match self.document.kind(value) {
            _ if matches!(slot, Slot::Constant(_)) => {}
            Kind::Null => put_nil(&mut self.out.bytes),
            Kind::Bool(value) => put_bool(&mut self.out.bytes, value),
            Kind::Float(value) => put_float(&mut self.out.bytes, value),
            Kind::Integer(value) => match slot {
                Slot::Integer => put_plain_integer(&mut self.out.bytes, value),
                _ => put_ext_integer(&mut self.out.bytes, value),
            },
            Kind::String(index) => self.string(index),
            Kind::Container(index) => match slot {
                Slot::Nested(shape) => self.push(index, None, Some(&self.shapes.get(shape).slots), None),
                _ => match self.numbering.shared_value(index) {
                    Some(id) => put_shared(&mut self.out.bytes, id),
                    None => self.open(index, None),
                },
            },
        }
    }

    fn string(&mut self, index: StringIndex) {
        match self.numbering.string(index) {
            Some(id) => put_string_id(&mut self.out.bytes, id),
            None => self.text(index),
        }
    }

    /// Writes the header of a container. [`step`](Self::step) writes its values.
    fn open(&mut self, index: ContainerIndex, place: Option<PlaceIndex>) {
        let keys = self.document.keys(index);
        let count = self.document.children(index).len();
        let shapes = self.shapes;
        let in_place = place.is_some_and(|place| self.ancestors.place(place).holds_landmarks);
        match (keys, shapes.of(index).filter(|_| !in_place)) {
            (Some(_), Some(shape)) => {
                let slots = &shapes.get(shape).slots;
                put_record_head(&mut self.out.bytes, self.numbering.shape(shape), width(slots, shapes));
                self.push(index, None, Some(slots), place);
            }
            (Some(_), None) => {
                put_object_head(&mut self.out.bytes, count);
                self.push(index, keys, None, place);
            }
            (None, _) => {
                put_list_head(&mut self.out.bytes, count);
                self.push(index, None, None, place);
            }
        }
    }

    fn push(
        &mut self,
        index: ContainerIndex,
        keys: Option<&'p [StringIndex]>,
        slots: Option<&'p [Slot]>,
        place: Option<PlaceIndex>,
    ) {
        let children = self.document.children(index);
        self.stack.push(Frame { children, next: 0, keys, slots, place: place.map(|place| (place, 0)) });
    }
}

/// Number of values of a record after its shape id. Nesting is a few levels deep.
fn width(slots: &[Slot], shapes: &Shapes) -> usize {
    slots
        .iter()
        .map(|slot| match slot {
            Slot::Plain | Slot::Integer => 1,
            Slot::Constant(_) => 0,
            Slot::Nested(inner) => width(&shapes.get(*inner).slots, shapes),
        })
        .sum()
}
