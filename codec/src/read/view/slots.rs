//! Finds frequently requested keys of records (§6.2) without reading the slots before them.
//!
//! To find a key, a view reads the slots of a shape up to the key, and their names. Records of one
//! shape repeat that work. So after some searches, the names of all slots of the shape are kept,
//! each with the place of its value in a record.

use super::ValueView;
use super::object::LongTexts;
use super::shape::ShapeHeader;
use crate::read::file::DocumentView;
use crate::wire::ids::{ShapeId, SharedId};
use crate::wire::shapes::SlotKind;
use coconut_format::error::DecodeError;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

/// Number of shapes for which slots are kept: those with the lowest ids. Writers give low ids to
/// frequent shapes.
const SHAPES: usize = 128;

/// Number of searches of a shape before its slots are kept. Keeping them costs about as much as
/// five searches.
const SEARCHES: u8 = 16;

/// Maximum number of slots. Few shapes have more.
const MOST_SLOTS: u32 = 256;

/// Maximum bytes of all names of a shape.
const MOST_NAMES: usize = 4096;

/// The kept slots of a file.
#[derive(Debug)]
pub(super) struct KeptSlots {
    searches: [AtomicU8; SHAPES],
    /// Allocated for the first shape that is kept.
    kept: OnceLock<Box<[SlotsOfShape]>>,
}

/// Empty for a shape whose slots cannot be kept.
type SlotsOfShape = OnceLock<Box<[KeptSlot]>>;

/// A slot of a shape.
#[derive(Debug)]
struct KeptSlot {
    name: Box<str>,
    /// The number of values of a record before the value of this slot.
    before: u32,
    kind: SlotKind,
}

impl KeptSlots {
    pub(super) fn new() -> KeptSlots {
        KeptSlots { searches: [const { AtomicU8::new(0) }; SHAPES], kept: OnceLock::new() }
    }

    /// Counts a search. Returns whether there were enough to keep the slots of this shape.
    fn is_frequent(&self, ShapeId(id): ShapeId) -> bool {
        let Some(searches) = self.searches.get(id as usize) else { return false };
        // Relaxed, and not atomic as a whole: an uncounted search does no harm.
        match searches.load(Ordering::Relaxed) {
            SEARCHES.. => true,
            count => {
                searches.store(count + 1, Ordering::Relaxed);
                false
            }
        }
    }

    fn place(&self, ShapeId(id): ShapeId) -> Option<&SlotsOfShape> {
        let kept = self.kept.get_or_init(|| (0..SHAPES).map(|_| OnceLock::new()).collect());
        kept.get(id as usize)
    }
}

/// The kept slots of one shape, to find keys of its records.
#[derive(Clone, Copy)]
pub(super) struct Search<'a> {
    slots: &'a [KeptSlot],
    /// End of the part of shapes, which contains constants.
    end: usize,
}

impl<'a> Search<'a> {
    /// `None` for shapes that are not searched often.
    pub(super) fn of(document: DocumentView<'a>, shape: ShapeHeader<'a>) -> Option<Search<'a>> {
        let known = document.kept_slots()?;
        if !known.is_frequent(shape.id) {
            return None;
        }
        let slots = known.place(shape.id)?.get_or_init(|| read_slots(document, shape).unwrap_or_default());
        (!slots.is_empty()).then_some(Search { slots, end: shape.cursor.end() })
    }

    /// Returns the values under `keys` in the record whose first value is `first`. If keys of the
    /// record are equal, the first counts.
    pub(super) fn find<const N: usize>(
        self,
        first: ValueView<'a>,
        keys: [&str; N],
    ) -> Result<[Option<ValueView<'a>>; N], DecodeError> {
        let (mut found, mut left) = ([None; N], N);
        let (mut values, mut passed) = (first.cursor(), 0);
        for slot in self.slots {
            for (key, found) in keys.iter().zip(&mut found) {
                if found.is_none() && is_same(&slot.name, key) {
                    values.skip(slot.before.saturating_sub(passed).into())?;
                    passed = slot.before;
                    *found = Some(first.in_slot(values.position(), slot.kind, self.end));
                    left -= 1;
                }
            }
            if left == 0 {
                break;
            }
        }
        Ok(found)
    }
}

/// Compares the last bytes first: comparing short texts is a call, which takes longer than all
/// other work for a slot.
#[inline]
fn is_same(name: &str, key: &str) -> bool {
    name.len() == key.len() && name.as_bytes().last() == key.as_bytes().last() && name == key
}

impl<'a> ValueView<'a> {
    /// Returns the value of a slot of this kind, of a record with `self` as its first value. The
    /// value begins at `position`, unless it is in the part of shapes, which ends at `end`.
    pub(super) fn in_slot(&self, position: usize, kind: SlotKind, end: usize) -> ValueView<'a> {
        let value = self.moved(position);
        match kind {
            SlotKind::Plain => value,
            SlotKind::Integer => ValueView { slot: SlotKind::Integer, ..value },
            SlotKind::Nested(inner) => ValueView { slot: SlotKind::Nested(inner), ..value },
            SlotKind::Constant(position) => ValueView { position, end, bound: SharedId(0), ..value },
        }
    }
}

/// Reads all slots of a shape. `None` if they cannot be kept. Each search then reads them and
/// reports their faults.
fn read_slots<'a>(document: DocumentView<'a>, shape: ShapeHeader<'a>) -> Option<Box<[KeptSlot]>> {
    if shape.slots > MOST_SLOTS {
        return None;
    }
    let (mut before, mut left) = (0u32, MOST_NAMES);
    let mut names = LongTexts::default();
    let mut slots = Vec::with_capacity(shape.slots as usize);
    for slot in shape.slots() {
        let slot = slot.ok()?;
        let name = names.resolve(slot.key, document).ok()?;
        left = left.checked_sub(name.len())?;
        slots.push(KeptSlot { name: name.into(), before, kind: slot.kind });
        before = before.checked_add(document.slot_width(slot.kind, shape.cursor.position()).ok()?)?;
    }
    Some(slots.into_boxed_slice())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::{CompileOptions, compile};
    use crate::crafted::Crafted;
    use crate::read::file::DocumentFile;
    use crate::read::view::ObjectView;
    use crate::wire::header::Profile;

    fn rows(file: &DocumentFile<Vec<u8>>) -> Vec<ObjectView<'_>> {
        let list = file.view().root().as_list().unwrap().unwrap();
        list.items().map(|row| row.unwrap().as_object().unwrap().unwrap()).collect()
    }

    #[test]
    fn kept_slots_lead_to_the_values_that_reading_them_finds() {
        let row = |n: usize| {
            format!(
                r#"{{"id": {n}, "kind": "constant", "at": {{"x": {n}, "y": "t{n}"}}, "name": "n{n}", "list": [{n}], "last": -1{n}}}"#
            )
        };
        let text = format!("[{}]", (0..60).map(row).collect::<Vec<_>>().join(","));
        let file =
            DocumentFile::from_data(compile(text.as_bytes(), &CompileOptions::default()).unwrap().bytes);
        let file = file.unwrap();
        let rows = rows(&file);
        assert!(rows[0].is_record());
        let keys = ["last", "at", "absent", "kind", "id", "list", "name", "id"];
        let read = |row: &ObjectView<'_>| {
            let value = |value: Option<ValueView<'_>>| value.map(|value| value.to_value().unwrap());
            let one = keys.map(|key| value(row.get(key).unwrap()));
            let many = row.get_many(keys).unwrap().map(value);
            assert_eq!(one, many);
            one
        };
        // The searches in the first rows are too few to keep anything.
        let before: Vec<_> = rows[..1].iter().map(read).collect();
        rows.iter().for_each(|row| drop(read(row)));
        let Some(kept) = file.view().kept_slots() else { panic!("records were stepped over") };
        assert!(kept.kept.get().is_some());
        assert_eq!(rows[..1].iter().map(read).collect::<Vec<_>>(), before);
        for (n, row) in rows.iter().enumerate() {
            let [last, at, absent, kind, id, list, name, again] = row.get_many(keys).unwrap();
            assert!(absent.is_none());
            let n = n as u64;
            let integer = |value: Option<ValueView<'_>>| value.unwrap().as_u64().unwrap();
            assert_eq!((integer(id), integer(again)), (Some(n), Some(n)));
            assert_eq!(last.unwrap().as_i64().unwrap(), Some(-format!("1{n}").parse::<i64>().unwrap()));
            assert_eq!(kind.unwrap().as_str().unwrap(), Some("constant"));
            assert_eq!(name.unwrap().as_str().unwrap(), Some(&*format!("n{n}")));
            assert_eq!(list.unwrap().as_list().unwrap().unwrap().len(), 1);
            assert_eq!(integer(at.unwrap().pointer("/x").unwrap()), Some(n));
        }
    }

    #[test]
    fn shapes_with_many_slots_or_long_names_are_not_kept() {
        for (keys, name) in [(300, "key".to_owned()), (20, "k".repeat(300))] {
            let row = |first: usize| {
                let entries = (1..keys).map(|n| format!(r#", "{name}{n}": {n}"#));
                format!(r#"{{"{name}0": {first}{}}}"#, entries.collect::<String>())
            };
            let text = format!("[{}]", (0..40).map(row).collect::<Vec<_>>().join(","));
            let bytes = compile(text.as_bytes(), &CompileOptions::default()).unwrap().bytes;
            let file = DocumentFile::from_data(bytes).unwrap();
            for (number, row) in rows(&file).iter().enumerate() {
                let value = |n: usize| row.get(&format!("{name}{n}")).unwrap().unwrap().as_u64().unwrap();
                assert_eq!((value(0), value(7)), (Some(number as u64), Some(7)));
            }
            let Some(kept) = file.view().kept_slots() else { panic!("records were stepped over") };
            let kept = kept.kept.get().expect("there were enough searches");
            assert!(kept.iter().all(|slots| slots.get().is_none_or(|slots| slots.is_empty())));
        }
    }

    /// A list of forty records of a shape, with `slots`.
    fn crafted(slots: &[u8], record: &[u8]) -> DocumentFile<Vec<u8>> {
        let mut crafted =
            Crafted::of(Profile::Full, &[&b"\xdc\x00\x29\xc0"[..], &record.repeat(40)].concat());
        crafted.strings = b"\x92\xa1a\xa1b".to_vec();
        crafted.shapes = [&b"\x91"[..], slots].concat();
        crafted.file()
    }

    #[test]
    fn the_first_of_equal_keys_counts_and_damage_is_found_where_it_was() {
        // Two slots with the same key.
        let file = crafted(b"\x92\x00\x00", b"\x93\x00\xc2\xc3");
        for row in rows(&file) {
            assert_eq!(row.get("a").unwrap().unwrap().as_bool(), Ok(Some(false)));
        }
        // The second slot names a missing string: an error for all except the first.
        let file = crafted(b"\x92\x00\x07", b"\x93\x00\xc2\xc3");
        for row in rows(&file) {
            assert_eq!(row.get("a").unwrap().unwrap().as_bool(), Ok(Some(false)));
            let error = row.get("b").map(drop).expect_err("the key cannot be read");
            assert_eq!(error.code(), "STR-RANGE");
        }
    }
}
