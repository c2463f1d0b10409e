//! §4.6 Values as ordinary msgpack maps, arrays, strings and integers: profile `plain`, and the
//! canonical value stream (§4.7).

use super::ancestors::{Ancestors, PlaceIndex};
use super::texts::put_text;
use crate::msgpack::{put_array_header, put_bool, put_float, put_map_header, put_nil, put_plain_integer};
use crate::write::interner::{ContainerIndex, Handle, Interned, Kind, StringIndex};

/// Appends one document to `out`.
///
/// Copies repeated parts from the bytes that are already written. Real documents repeat themselves,
/// and a copy takes at most a tenth of the time.
pub(super) struct PlainEmitter<'p> {
    document: &'p Interned,
    ancestors: &'p Ancestors,
    pub(super) out: Vec<u8>,
    /// Offset of each landmark in `out`, by ordinal.
    pub(super) landmarks: Vec<u64>,
    /// Number of written bytes that are no longer in `out`.
    dropped: u64,
    /// Range of the bytes of each container that has been written outside the ancestors.
    written: Vec<Span>,
    /// Base of the spans in `written`.
    base: u64,
    stack: Vec<Frame<'p>>,
}

/// A range. Empty if it is unknown or too far from its base for eight bytes.
///
/// There is a span for each container, so it must be small. A container with an unknown span is not
/// copied.
#[derive(Clone, Copy, Default)]
struct Span {
    start: u32,
    end: u32,
}

/// A container whose header is written, but whose values are not.
struct Frame<'p> {
    container: ContainerIndex,
    start: u64,
    children: std::slice::Iter<'p, Handle>,
    /// Empty for a list.
    keys: std::slice::Iter<'p, StringIndex>,
    place: Option<Visit>,
}

/// Progress in writing the children of a container.
enum Filled<'p> {
    /// Written up to this inner container.
    Before(Frame<'p>),
    /// Written up to the requested length.
    Enough,
    All,
}

/// A visit to an ancestor.
#[derive(Clone, Copy)]
struct Visit {
    place: PlaceIndex,
    /// Position of the next child.
    child: u32,
    /// Index of the next entry of the place.
    entry: usize,
}

impl<'p> PlainEmitter<'p> {
    pub(super) fn new(document: &'p Interned, ancestors: &'p Ancestors, out: Vec<u8>) -> Self {
        let written = vec![Span::default(); document.container_count()];
        let (landmarks, stack) = (Vec::new(), Vec::new());
        PlainEmitter { document, ancestors, out, landmarks, dropped: 0, written, base: 0, stack }
    }

    /// Begins with the root; [`write_until`](Self::write_until) continues.
    pub(super) fn begin(&mut self) {
        if self.ancestors.root_is_landmark() {
            self.landmarks.push(self.out.len() as u64);
        }
        let root = match (self.ancestors.root(), self.document.root().container()) {
            (Some(place), _) => self.open(self.ancestors.place(place).container, Some(place)),
            (None, Some(container)) => self.open(container, None),
            (None, None) => return self.scalar(self.document.root()),
        };
        self.stack.push(root);
    }

    /// Begins with a value, without landmarks; [`write_until`](Self::write_until) continues.
    pub(super) fn begin_value(&mut self, value: Handle) {
        match value.container() {
            Some(container) => {
                let frame = self.open(container, None);
                self.stack.push(frame);
            }
            None => self.scalar(value),
        }
    }

    /// Continues until `out` has `length` bytes. Returns `false` if the document is complete.
    ///
    /// One value can exceed `length`: a scalar by its own bytes, and a copy by at most `length`.
    /// During scalars the innermost container is in a local variable, not on the stack.
    pub(super) fn write_until(&mut self, length: usize) -> bool {
        if self.out.len() >= length {
            return true;
        }
        let Some(mut frame) = self.stack.pop() else { return false };
        while self.out.len() < length {
            match self.fill(&mut frame, length) {
                Filled::Before(inner) => self.stack.push(std::mem::replace(&mut frame, inner)),
                Filled::Enough => {}
                Filled::All => match self.stack.pop() {
                    Some(around) => frame = around,
                    None => return false,
                },
            }
        }
        self.stack.push(frame);
        true
    }

    /// Writes children of a container up to the next container.
    #[inline]
    fn fill(&mut self, frame: &mut Frame<'p>, length: usize) -> Filled<'p> {
        for &child in frame.children.by_ref() {
            let place = frame.place.as_mut().and_then(|visit| self.visit(visit));
            if let Some(&key) = frame.keys.next() {
                self.string(key);
            }
            match child.container() {
                None => self.scalar(child),
                Some(container) => match self.known(container).filter(|_| place.is_none()) {
                    Some((start, end)) => {
                        self.out.extend_from_within(start..end);
                        // Copies of copies grow without bound.
                        if self.out.len() >= length {
                            return Filled::Enough;
                        }
                    }
                    None => return Filled::Before(self.open(container, place)),
                },
            }
        }
        if frame.place.is_none() {
            self.written[frame.container.0 as usize] = self.span_from(frame.start).unwrap_or_default();
        }
        Filled::All
    }

    /// Removes the bytes that have been written from `out`.
    pub(super) fn drop_written(&mut self) {
        self.dropped = self.position();
        self.out.clear();
        if self.dropped - self.base > u64::from(u32::MAX / 2) {
            self.base = self.dropped;
            self.written.fill(Span::default());
        }
    }

    /// The span from a position to the end of the written bytes.
    #[inline]
    fn span_from(&self, start: u64) -> Option<Span> {
        let from_base = |position: u64| u32::try_from(position.checked_sub(self.base)?).ok();
        Some(Span { start: from_base(start)?, end: from_base(self.position())? })
    }

    fn position(&self) -> u64 {
        self.dropped + self.out.len() as u64
    }

    /// Range in `out` of the bytes of a container that was written before.
    #[inline]
    fn known(&self, container: ContainerIndex) -> Option<(usize, usize)> {
        let Span { start, end } = self.written[container.0 as usize];
        let in_out = |position: u32| (self.base + u64::from(position)).checked_sub(self.dropped);
        let start = usize::try_from(in_out(start)?).ok()?;
        let end = usize::try_from(in_out(end)?).ok()?;
        (start < end).then_some((start, end))
    }

    /// Records the next child of a place if it is a landmark. Returns the child's own place.
    #[inline]
    fn visit(&mut self, visit: &mut Visit) -> Option<PlaceIndex> {
        let entry = self.ancestors.place(visit.place).entries.get(visit.entry);
        let entry = entry.filter(|entry| entry.child == visit.child);
        visit.child += 1;
        let entry = entry?;
        visit.entry += 1;
        if entry.is_landmark {
            // A landmark begins at its key, so that a lookup finds both together.
            self.landmarks.push(self.out.len() as u64);
        }
        entry.place
    }

    #[inline]
    fn scalar(&mut self, value: Handle) {
        match self.document.kind(value) {
            Kind::Null => put_nil(&mut self.out),
            Kind::Bool(value) => put_bool(&mut self.out, value),
            Kind::Float(value) => put_float(&mut self.out, value),
            Kind::Integer(value) => put_plain_integer(&mut self.out, value),
            Kind::String(index) => self.string(index),
            Kind::Container(_) => {}
        }
    }

    #[inline]
    fn string(&mut self, index: StringIndex) {
        put_text(self.document, index, &mut self.out);
    }

    /// Writes the header of a container. [`fill`](Self::fill) writes its values.
    #[inline]
    fn open(&mut self, container: ContainerIndex, place: Option<PlaceIndex>) -> Frame<'p> {
        let start = self.position();
        let children = self.document.children(container);
        let keys = self.document.keys(container);
        match keys {
            Some(_) => put_map_header(&mut self.out, children.len()),
            None => put_array_header(&mut self.out, children.len()),
        }
        let keys = keys.unwrap_or_default().iter();
        let place = place.map(|place| Visit { place, child: 0, entry: 0 });
        Frame { container, start, children: children.iter(), keys, place }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::EventSink;
    use crate::write::interner::Interner;

    #[test]
    fn a_container_far_from_the_base_of_spans_is_written_all_the_same() {
        let mut interner = Interner::new();
        interner.begin_list().unwrap();
        for _ in 0..9 {
            interner.begin_list().unwrap();
            interner.string("ab").unwrap();
            interner.end_list().unwrap();
        }
        interner.end_list().unwrap();
        let document = interner.finish().unwrap();
        let ancestors = Ancestors::empty();
        for dropped in [0, u32::MAX / 2 - 5, u32::MAX - 5].map(u64::from) {
            let mut emitter = PlainEmitter::new(&document, &ancestors, Vec::new());
            emitter.dropped = dropped;
            emitter.begin();
            let mut written = Vec::new();
            while emitter.write_until(9) {
                written.extend_from_slice(&emitter.out);
                emitter.drop_written();
            }
            written.extend_from_slice(&emitter.out);
            assert_eq!(written, [&[0x99][..], &b"\x91\xa2ab".repeat(9)].concat(), "{dropped} bytes before");
        }
    }
}
