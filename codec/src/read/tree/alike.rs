//! Finds the common content of two documents in their bytes, before they are decoded.
//!
//! Two snapshots usually differ in a few resources. Decoding the others took most of the time and
//! memory of a comparison. So both files are first read in step: values stored identically stay
//! [closed](super::closed) in both trees.
//!
//! The key indexes suggest which values may be equal. They may be wrong: unequal values are
//! detected by comparison, and offsets that are not values are never reached when the tree is
//! built. A value is closed only after the same checks that building the tree performs. So an index
//! affects only the time, and each fault is still detected at the same place.

mod tokens;

use super::Tree;
use super::build::{self, is_text};
use super::closed::Known;
use super::names::Names;
use super::paired::{Paired, PairedShapes, Slots};
use crate::bytes::Bytes;
use crate::limits;
use crate::msgpack::{Cursor, Token};
use crate::read::file::DocumentView;
use crate::read::tables::Tables;
use crate::wire::directory::Part;
use crate::wire::distinct_keys::FEW_KEYS;
use crate::wire::ids::{ShapeId, SharedId};
use crate::wire::keys::KeyIndex;
use coconut_format::error::DecodeError;
use foldhash::fast::RandomState;
use hashbrown::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};

/// A document with loaded tables.
pub struct Begun<'a> {
    pub(super) document: DocumentView<'a>,
    pub(super) tables: Tables<'a>,
    /// Read once: a paged file may fail to be read now, but not the next time.
    pub(super) data: &'a [u8],
    /// The places of the shared values, and the end of the last one. `None` if they are not needed,
    /// or if a block of the file or this part is damaged.
    shared: Option<Vec<usize>>,
}

/// The values that are omitted when the tree is built.
#[derive(Debug, Default)]
pub struct Closing {
    /// In the order of the file. Some may be inside others, or not be values at all.
    pub(super) values: Vec<Known>,
    pub(super) together: u64,
}

/// Smaller values take less memory when decoded: about one node per two bytes.
const LEAST_BYTES: usize = 12;

/// Steps for each byte of both files. Each value is usually visited once.
const STEPS_PER_BYTE: u64 = 2;

impl<'a> Begun<'a> {
    /// Reads the tables of a document.
    pub fn new(document: DocumentView<'a>) -> Result<Begun<'a>, DecodeError> {
        let tables = Tables::read(document)?;
        Ok(Begun { document, tables, data: document.bytes(), shared: None })
    }

    /// Does the same, for reading in step with another document.
    pub fn to_compare(document: DocumentView<'a>) -> Result<Begun<'a>, DecodeError> {
        let begun = Begun::new(document)?;
        let shared = if begun.tables.plain { None } else { begun.places_of_shared() };
        Ok(Begun { shared, ..begun })
    }

    /// Reads the rest.
    pub fn finish(self, closing: Closing) -> Result<Tree<'a>, DecodeError> {
        build::build_rest(self, closing)
    }

    fn places_of_shared(&self) -> Option<Vec<usize>> {
        let data = Bytes::Whole(self.data);
        let [shared, root] = [Part::SHARED, Part::ROOT].map(|part| self.document.element(part));
        if let Some(blocks) = self.document.blocks() {
            blocks.ensure(&data, shared.start, shared.end).ok()?;
            blocks.ensure(&data, root.start, root.end).ok()?;
        }
        let mut cursor = Cursor::new(data, shared.start, shared.end, None);
        let count = cursor.array_header().ok()?;
        let mut places = Vec::with_capacity(count as usize + 1);
        for _ in 0..count {
            places.push(cursor.position());
            cursor.skip(1).ok()?;
        }
        places.push(cursor.position());
        Some(places)
    }

    fn key_index(&self) -> Option<KeyIndex<'a>> {
        self.document.key_index()
    }

    /// The key hashes of landmarks and their offsets, as recorded in the file.
    fn slots(&self, index: &KeyIndex<'a>) -> Option<impl Iterator<Item = (u32, usize)> + use<'a>> {
        let (width, bytes) = (if index.wide { 16 } else { 8 }, index.slots.whole().ok()?);
        Some(bytes.chunks_exact(width).map(|slot| {
            let number = |at: usize| slot[at..].first_chunk().map_or(0, |four| u32::from_le_bytes(*four));
            let high = if slot.len() > 8 { u64::from(number(12)) << 32 } else { 0 };
            let offset = high | u64::from(number(slot.len() - if slot.len() > 8 { 8 } else { 4 }));
            (number(0), usize::try_from(offset).unwrap_or(usize::MAX))
        }))
    }
}

/// Landmarks that may be equal in two files. They are compared in two halves, so that two threads
/// can share the work. The files may have more values in common.
pub struct Candidates<'t, 'a> {
    sides: [&'t Begun<'a>; 2],
    /// Their offsets, in the order of the old file.
    places: Vec<[usize; 2]>,
}

/// The equal values found in one half of the candidates.
#[derive(Default)]
pub struct Found {
    /// Values of each side, with equal ones at the same position.
    values: [Vec<Known>; 2],
    /// For each old shared value, one more than the id of the identical new one, and its levels.
    twins: Vec<(u32, u16)>,
    /// For each new shared value, whether an old one is identical.
    is_twin: Vec<bool>,
}

impl<'t, 'a> Candidates<'t, 'a> {
    /// The cost depends on the number of landmarks, not on the number of values.
    pub fn of(old: &'t Begun<'a>, new: &'t Begun<'a>) -> Candidates<'t, 'a> {
        let sides = [old, new];
        let has_shared = sides.iter().all(|side| side.shared.is_some());
        let places = if has_shared { candidates(sides) } else { Vec::new() };
        Candidates { sides, places }
    }

    /// Finds the equal values in the first or the second half.
    pub fn in_half(&self, is_second: bool) -> Found {
        let (first, second) = self.places.split_at(self.places.len() / 2);
        let step = Step::new(self.sides).filter(|_| !self.places.is_empty());
        step.map_or_else(Found::default, |step| step.values(if is_second { second } else { first }))
    }

    /// The findings of both halves.
    pub fn closing(&self, [first, second]: [Found; 2]) -> [Closing; 2] {
        static TOGETHER: AtomicU64 = AtomicU64::new(1);
        let Found { mut values, mut twins, mut is_twin } = first;
        let mut next = 0;
        for (values, more) in values.iter_mut().zip(second.values) {
            values.extend(more);
            next = 0;
            for known in values {
                known.twin = next;
                next += 1;
            }
        }
        // If both halves found a match for one shared value, the first counts.
        for (twin, &(other, height)) in twins.iter_mut().zip(&second.twins) {
            let Some(id) = other.checked_sub(1).filter(|_| twin.0 == 0) else { continue };
            if let Some(is_twin @ false) = is_twin.get_mut(id as usize) {
                (*is_twin, *twin) = (true, (other, height));
            }
        }
        self.add_shared(next, &twins, &mut values);
        let together = TOGETHER.fetch_add(1, Ordering::Relaxed);
        values.map(|mut values| {
            values.sort_unstable_by_key(|known| known.start);
            Closing { values, together }
        })
    }

    /// Adds the shared values that are equal.
    fn add_shared(&self, first: u32, twins: &[(u32, u16)], found: &mut [Vec<Known>; 2]) {
        let [Some(old), Some(new)] = self.sides.map(|side| side.shared.as_deref()) else { return };
        for (id, &(twin, height)) in twins.iter().enumerate() {
            let Some(other) = twin.checked_sub(1) else { continue };
            let places = [(old, id), (new, other as usize)].map(|(places, id)| (places[id], places[id + 1]));
            if places[0].1 - places[0].0 < LEAST_BYTES {
                continue;
            }
            let data = Bytes::Whole(self.sides[0].data);
            let is_object = !is_list(Cursor::new(data, places[0].0, places[0].1, None));
            let twin = first.saturating_add(u32::try_from(id).unwrap_or(u32::MAX));
            for (found, (start, end)) in found.iter_mut().zip(places) {
                found.push(Known { start, end, twin, height, is_object });
            }
        }
    }
}

/// Offsets of landmarks whose keys have the same hash, in the order of the old file.
fn candidates(sides: [&Begun<'_>; 2]) -> Vec<[usize; 2]> {
    let mut pairs = Vec::new();
    let [Some(old), Some(new)] = sides.map(|side| side.slots(&side.key_index()?)) else {
        return pairs;
    };
    let (mut old, mut new) = (old.peekable(), new.peekable());
    while let (Some(&(hash, a)), Some(&(other, b))) = (old.peek(), new.peek()) {
        if hash == other {
            pairs.push([a, b]);
        }
        if hash <= other {
            old.next();
        }
        if other <= hash {
            new.next();
        }
    }
    pairs.sort_unstable_by_key(|&[old, _]| old);
    pairs
}

/// Two files that are read in step.
struct Step<'t, 'a> {
    sides: [&'t Begun<'a>; 2],
    /// The places of their shared values.
    shared: [&'t [usize]; 2],
    slots: PairedShapes,
    names: Names<'t, 'a>,
    /// For each old shared value, one more than the id of the identical new one, and its levels.
    twins: Vec<(u32, u16)>,
    /// For each new shared value, whether an old one is identical.
    is_twin: Vec<bool>,
    /// Pairs that are not identical.
    others: HashSet<(u32, u32), RandomState>,
    /// Containers around the innermost open one.
    around: Vec<Open>,
    /// Values that wait for a pair of shared ones in them.
    waiting: Vec<Waiting<'a>>,
    /// The keys of open objects that are not records.
    keys: Vec<&'a [u8]>,
}

/// A pair of open containers.
#[derive(Clone, Copy)]
struct Open {
    /// Values that are still to be compared.
    left: u32,
    /// The slot of the next values.
    slot: usize,
    stride: usize,
    /// The number of keys before the first one of this object, if it has keys in place.
    first_key: Option<usize>,
    level: u32,
}

/// A pair of values that is being compared.
#[derive(Clone, Copy)]
struct Pair<'a> {
    cursors: [Cursor<'a>; 2],
    /// The ids, if the values are shared.
    ids: Option<[SharedId; 2]>,
    /// Shared values from these ids on cannot be referenced.
    bounds: [SharedId; 2],
    /// Containers that were open before.
    base: usize,
    depth: u32,
}

struct Waiting<'a> {
    pair: Pair<'a>,
    open: Open,
    /// The level of the reference.
    level: u32,
}

/// The next values of both files, up to the first difference.
enum Same {
    Scalar,
    /// Headers of arrays, with their counts.
    Arrays([u32; 2]),
    References([SharedId; 2]),
}

impl<'t, 'a> Step<'t, 'a> {
    fn new([old, new]: [&'t Begun<'a>; 2]) -> Option<Step<'t, 'a>> {
        let shared = [old.shared.as_deref()?, new.shared.as_deref()?];
        let bytes = old.data.len().saturating_add(new.data.len()) as u64;
        Some(Step {
            sides: [old, new],
            slots: PairedShapes::new(old.tables.shapes.len()),
            names: Names::new(&old.tables, &new.tables, STEPS_PER_BYTE.saturating_mul(bytes)),
            twins: vec![(0, 0); shared[0].len()],
            is_twin: vec![false; shared[1].len()],
            shared,
            others: HashSet::default(),
            around: Vec::new(),
            waiting: Vec::new(),
            keys: Vec::new(),
        })
    }

    /// The equal values at these places, and the shared values in them.
    fn values(mut self, candidates: &[[usize; 2]]) -> Found {
        let mut values = [0; 2].map(|_| Vec::with_capacity(candidates.len()));
        // Landmarks inside equal ones need no further work.
        let mut end = 0;
        for &places in candidates {
            if places[0] < end {
                continue;
            }
            let Some(known) = self.landmark(places) else { continue };
            end = known[0].end;
            if end - known[0].start < LEAST_BYTES {
                continue;
            }
            for (known, values) in known.into_iter().zip(&mut values) {
                values.push(known);
            }
        }
        Found { values, twins: self.twins, is_twin: self.is_twin }
    }

    /// The values of landmarks that begin at these offsets, if they are equal containers.
    fn landmark(&mut self, places: [usize; 2]) -> Option<[Known; 2]> {
        let mut cursors = [0, 1].map(|n| {
            let root = self.sides[n].document.element(Part::ROOT);
            root.contains(&places[n]).then(|| Cursor::new(self.bytes(n), places[n], root.end, None))
        });
        for cursor in &mut cursors {
            let cursor = cursor.as_mut()?;
            let mut ahead = *cursor;
            // The key of an entry.
            if let Token::Str(_) | Token::Unsigned(_) = ahead.token().ok()? {
                *cursor = ahead;
            }
        }
        let [Some(mut old), Some(mut new)] = cursors else { return None };
        let starts = [old.position(), new.position()];
        if ![&mut old, &mut new].iter_mut().all(|cursor| cursor.peek().is_ok_and(is_array)) {
            return None;
        }
        let bounds = [0, 1].map(|n| self.count(n));
        let pair = Pair { cursors: [old, new], ids: None, bounds, base: 0, depth: 0 };
        let (ends, height) = self.compare(pair)?;
        let is_object = !is_list(old);
        Some([0, 1].map(|n| Known { start: starts[n], end: ends[n], twin: 0, height, is_object }))
    }

    fn bytes(&self, n: usize) -> Bytes<'a> {
        Bytes::Whole(self.sides[n].data)
    }

    /// The number of shared values, which is the first unused id.
    fn count(&self, n: usize) -> SharedId {
        SharedId(u32::try_from(self.shared[n].len().saturating_sub(1)).unwrap_or(0))
    }

    /// Compares two values and everything they refer to. Returns their ends and their levels if
    /// they are equal and valid.
    fn compare(&mut self, pair: Pair<'a>) -> Option<([usize; 2], u16)> {
        self.around.clear();
        self.waiting.clear();
        self.keys.clear();
        let mut pair = pair;
        let found = self.run(&mut pair);
        if found.is_none() {
            // The waiting values contain this difference.
            let open = self.waiting.iter().map(|waiting| waiting.pair.ids).chain([pair.ids]);
            self.others.extend(open.flatten().map(|[old, new]| (old.0, new.0)));
        }
        found
    }

    fn run(&mut self, pair: &mut Pair<'a>) -> Option<([usize; 2], u16)> {
        let alone = Open { left: 1, slot: PairedShapes::ANY, stride: 0, first_key: None, level: 0 };
        let mut open = alone;
        loop {
            if open.left == 0 {
                if let Some(first) = open.first_key {
                    self.keys.truncate(first);
                }
                if self.around.len() > pair.base {
                    open = self.around.pop()?;
                    continue;
                }
                let height = u16::try_from(pair.depth).ok()?;
                let Some([old, new]) = pair.ids else {
                    return Some((pair.cursors.map(|cursor| cursor.position()), height));
                };
                self.twins[old.index()] = (new.0.checked_add(1)?, height);
                self.is_twin[new.index()] = true;
                let Waiting { pair: before, open: around, level } = self.waiting.pop()?;
                (*pair, open) = (before, around);
                pair.depth = build::checked(level.saturating_add(height.into()))?.max(pair.depth);
                continue;
            }
            self.names.spend(1).ok()?;
            open.left -= 1;
            if let Some(first) = open.first_key {
                self.key(&mut pair.cursors, first)?;
            }
            let slot = self.slots.get(open.slot);
            open.slot += open.stride;
            let level = open.level + u32::from(slot.levels);
            let is_integer = match slot.next {
                Paired::Both(is_integer) => is_integer,
                Paired::Constant { side, is_integer, constant } => {
                    let side = usize::from(side);
                    self.constant(&mut pair.cursors[side], (side, is_integer), constant as usize)?;
                    continue;
                }
                Paired::Nested { side, inner } => {
                    let side = usize::from(side);
                    let inner =
                        self.nested(&mut pair.cursors[side], (side, inner), level, &mut pair.depth)?;
                    self.around.push(std::mem::replace(&mut open, inner));
                    continue;
                }
            };
            match self.same(&mut pair.cursors, is_integer)? {
                Same::Scalar => {}
                Same::Arrays(counts) => {
                    let inner = self.open(&mut pair.cursors, counts, level, &mut pair.depth)?;
                    self.around.push(std::mem::replace(&mut open, inner));
                }
                Same::References(ids) => {
                    let known = self.known(ids, pair.bounds)?;
                    if let Some(height) = known {
                        pair.depth = build::checked(level.saturating_add(height.into()))?.max(pair.depth);
                        continue;
                    }
                    self.waiting.push(Waiting { pair: *pair, open, level });
                    *pair = self.shared_pair(ids);
                    open = alone;
                    if !pair.cursors.iter_mut().all(|cursor| cursor.peek().is_ok_and(is_array)) {
                        return None;
                    }
                }
            }
        }
    }

    /// The levels of two shared values that are equal; the inner `None` if that is not known.
    #[expect(clippy::option_option, reason = "the outer `None` means that they differ")]
    fn known(&self, [old, new]: [SharedId; 2], bounds: [SharedId; 2]) -> Option<Option<u16>> {
        if old >= bounds[0] || new >= bounds[1] {
            return None;
        }
        match self.twins[old.index()] {
            (0, _) if self.is_twin[new.index()] || self.others.contains(&(old.0, new.0)) => None,
            (0, _) => Some(None),
            (twin, height) => (twin - 1 == new.0).then_some(Some(height)),
        }
    }

    fn shared_pair(&self, ids: [SharedId; 2]) -> Pair<'a> {
        let cursors = [0, 1].map(|n| {
            let (start, end) = (self.shared[n][ids[n].index()], self.shared[n][ids[n].index() + 1]);
            Cursor::new(self.bytes(n), start, end, None)
        });
        Pair { cursors, ids: Some(ids), bounds: ids, base: self.around.len(), depth: 0 }
    }

    /// Compares the keys of the next entries. They must differ from the keys of earlier entries.
    fn key(&mut self, cursors: &mut [Cursor<'a>; 2], first: usize) -> Option<()> {
        let mut texts = [&b""[..]; 2];
        for (n, (text, cursor)) in texts.iter_mut().zip(cursors).enumerate() {
            *text = match cursor.token().ok()? {
                Token::Str(text) => text,
                Token::Unsigned(id) => {
                    let strings = &self.sides[n].tables.strings;
                    strings.get(usize::try_from(id).ok()?)?.as_bytes()
                }
                _ => return None,
            };
        }
        let [key, other] = texts;
        let is_new = key == other
            && key.len() <= limits::KEY_BYTES
            && is_text(key)
            && !self.keys[first..].contains(&key);
        self.keys.push(key);
        is_new.then_some(())
    }

    /// Opens a record of one side, whose other side stores the values of an object of shape `inner`
    /// in place.
    fn nested(
        &mut self,
        cursor: &mut Cursor<'a>,
        (side, inner): (usize, ShapeId),
        around: u32,
        depth: &mut u32,
    ) -> Option<Open> {
        let (Token::Array(count), Token::Unsigned(id)) = (cursor.token().ok()?, cursor.token().ok()?) else {
            return None;
        };
        let id = self.record(side, id, count)?;
        let (old, new) = if side == 0 { (id, inner) } else { (inner, id) };
        self.open_records(old, new, around + 1, depth)
    }

    /// The shape with this id, if its records have this number of items.
    fn record(&self, side: usize, id: u64, count: u32) -> Option<ShapeId> {
        let id = ShapeId::of(id)?;
        let shape = self.sides[side].tables.shapes.get(id.index())?;
        (shape.width.checked_add(1) == Some(count)).then_some(id)
    }

    fn open_records(&mut self, old: ShapeId, new: ShapeId, level: u32, depth: &mut u32) -> Option<Open> {
        let Slots { first, count } = self.slots.of(old, new, &mut self.names).ok()??;
        let implied = |side: usize, id: ShapeId| self.sides[side].tables.shape(id).implied_levels;
        let levels = level.saturating_add(implied(0, old).max(implied(1, new)));
        *depth = build::checked(levels)?.max(*depth);
        Some(Open { left: count, slot: first as usize, stride: 1, first_key: None, level })
    }

    /// Opens a pair of containers.
    fn open(
        &mut self,
        cursors: &mut [Cursor<'a>; 2],
        counts: [u32; 2],
        around: u32,
        depth: &mut u32,
    ) -> Option<Open> {
        let level = around + 1;
        let any = Open { left: 0, slot: PairedShapes::ANY, stride: 0, first_key: None, level };
        let open = match counts {
            [0, 0] => any,
            [0, _] | [_, 0] => return None,
            [of_old, of_new] => {
                let [old, new] = cursors;
                match (old.token().ok()?, new.token().ok()?) {
                    (Token::Nil, Token::Nil) if of_old == of_new => Open { left: of_old - 1, ..any },
                    (Token::Bool(false), Token::Bool(false)) if of_old == of_new && of_old % 2 == 1 => {
                        let left = of_old / 2;
                        // Checking that the keys of wide objects are distinct requires a table.
                        if left as usize > FEW_KEYS {
                            return None;
                        }
                        Open { left, first_key: Some(self.keys.len()), ..any }
                    }
                    (Token::Unsigned(a), Token::Unsigned(b)) => {
                        let (a, b) = (self.record(0, a, of_old)?, self.record(1, b, of_new)?);
                        return self.open_records(a, b, level, depth);
                    }
                    _ => return None,
                }
            }
        };
        *depth = build::checked(level)?.max(*depth);
        Some(open)
    }
}

fn is_array(first: u8) -> bool {
    matches!(first, 0x90..=0x9f | 0xdc | 0xdd)
}

/// Whether this valid array is a list.
fn is_list(mut array: Cursor<'_>) -> bool {
    match array.token() {
        Ok(Token::Array(0)) => true,
        _ => matches!(array.token(), Ok(Token::Nil)),
    }
}

#[cfg(feature = "tooling")]
#[cfg(test)]
mod tests;
