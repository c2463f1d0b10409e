//! Checks in advance whether values emitted one by one stay within a budget (§9.2).

use super::{Budget, Spent};
use crate::bounded_debug::bounded_debug;
use crate::limits;
use crate::read::file::DocumentView;
use crate::read::measure::Sizes;
use crate::read::view::ValueView;
use coconut_format::error::{DecodeError, ErrorKind};

/// The rest of a budget for values of a document, before they are emitted.
///
/// Unlike [`ValueView::stream`], which counts emitted values, it expands nothing. Shared content is
/// measured once, however often it occurs. Costs time and memory for the parts of the file that the
/// values need.
///
/// Values that are nested in each other, or are the same, are measured one by one. The work is
/// limited to 16 values per byte of the file (at least 4 Mi).
pub struct Meter<'a> {
    sizes: Sizes<'a>,
    spent: Spent,
    /// The sum of the levels of all values so far.
    levels: u64,
    /// The work allowed before another value is refused, and the start of the root, used as the
    /// offset of the error.
    most: u64,
    root: u64,
}

bounded_debug!(Meter<'_>, |meter| work: meter.sizes.looked_at(), most: meter.most);

impl<'a> Meter<'a> {
    /// Creates a meter for values of `document` that share this budget.
    pub fn new(document: DocumentView<'a>, budget: Budget) -> Meter<'a> {
        let (most, root) = (limits::search_budget(document.data.len()), document.frame.root.start as u64);
        Meter { sizes: Sizes::new(document), spent: Spent::new(budget), levels: 0, most, root }
    }

    /// Counts a value as [`ValueView::stream`] does. Refuses it if the total exceeds the budget, or
    /// if the values before it took too much work. In a hostile file, the tables can point any
    /// number of landmarks at all of its bytes.
    pub fn value(&mut self, value: ValueView<'a>) -> Result<(), DecodeError> {
        if self.sizes.looked_at() > self.most {
            return Err(ErrorKind::Work { limit: self.most }.at(self.root));
        }
        let size = self.sizes.of(value)?;
        self.levels = self.levels.saturating_add(self.sizes.levels());
        self.spent.add_values(size.values, value.offset())?;
        self.spent.add_bytes(size.text, value.offset())
    }

    /// Returns a lower bound of the text length of all values so far, in bytes. It assumes each
    /// value on its own line, indented by this many blanks per level.
    pub fn indented(&self, blanks: u64) -> u64 {
        self.spent.bytes.saturating_add(self.levels.saturating_mul(blanks))
    }

    /// Counts a text printed beside a value, such as its key. An error has the offset `at`.
    pub fn beside(&mut self, text: &str, at: u64) -> Result<(), DecodeError> {
        self.spent.text(text, at)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Events;
    use super::*;
    use crate::Profile;
    use crate::compile::{CompileOptions, compile};
    use crate::crafted::Crafted;
    use crate::read::file::DocumentFile;
    use crate::read::view::Content;
    use crate::write::interner::Interner;

    /// Returns records with nested ones and constants, shared lists in shared objects, long texts
    /// and keys, and all kinds of scalars.
    fn document() -> String {
        let mut text =
            r#"{"leaf":"a leaf of some length","n":-12,"same":{"kind":"k","at":{"line":1,"x":2.5}}}"#
                .to_owned();
        for level in 0..5 {
            text = format!(
                r#"{{"level":{level},"left":{text},"kind":"k","right":[{text},null,{text},[true,"{level}"],[],{{}}]}}"#
            );
        }
        let long = "long".repeat(100);
        let record = |n| {
            format!(r#"{{"id":{n},"t":"{long}","in":{{"c":"constant","d":{{"n":{n}}}}},"{long}":1e300}}"#)
        };
        let records: Vec<String> = (0..40).map(record).collect();
        format!(
            r#"[{text},[{}],{{"only":18446744073709551615,"{long}":"{long}"}},"{long}",7]"#,
            records.join(",")
        )
    }

    /// The sum of the levels of all values in a value, computed one by one.
    fn levels_of(value: ValueView<'_>) -> u64 {
        let mut pending = vec![(value, 0)];
        let mut levels = 0;
        while let Some((value, level)) = pending.pop() {
            levels += level;
            match value.content().unwrap() {
                Content::List(list) => pending.extend(list.items().map(|item| (item.unwrap(), level + 1))),
                Content::Object(object) => {
                    pending.extend(object.iter().map(|entry| (entry.unwrap().1, level + 1)));
                }
                _ => {}
            }
        }
        levels
    }

    #[test]
    fn a_meter_counts_each_value_like_a_stream() {
        for profile in Profile::ALL {
            let options = CompileOptions { profile, ..CompileOptions::default() };
            let bytes = compile(document().as_bytes(), &options).unwrap().bytes;
            let file = DocumentFile::from_data(&bytes[..]).unwrap();
            let (view, budget) = (file.view(), Budget::default());
            let mut meter_of_all = Meter::new(view, budget);
            let (mut pending, mut count) = (vec![view.root()], 0);
            while let Some(value) = pending.pop() {
                count += 1;
                let (mut spent, before) = (Spent::new(budget), meter_of_all.spent);
                value.walk_views(&mut Events(&mut Interner::new()), &mut spent).unwrap();
                let mut meter = Meter::new(view, budget);
                meter.value(value).unwrap();
                let found = meter.spent;
                assert_eq!((found.values, found.bytes), (spent.values, spent.bytes), "at {}", value.offset());
                assert_eq!(meter.indented(2), spent.bytes + 2 * levels_of(value), "at {}", value.offset());
                // Values measured earlier do not change the result.
                meter_of_all.value(value).unwrap();
                let all = meter_of_all.spent;
                let added = (all.values - before.values, all.bytes - before.bytes);
                assert_eq!(added, (spent.values, spent.bytes), "at {}", value.offset());
                match value.content().unwrap() {
                    Content::List(list) => pending.extend(list.items().map(Result::unwrap)),
                    Content::Object(object) => pending.extend(object.iter().map(|entry| entry.unwrap().1)),
                    _ => {}
                }
            }
            assert!(count > 1000, "{count} values");
        }
    }

    #[test]
    fn repeated_visits_of_stored_values_are_limited() {
        // A list of 999 bytes, one of two strings of 3,200 bytes, and one of 64 levels of one
        // nested object each. The text counts as much as a power of two of values, so the limit is
        // reached exactly.
        let nested = 64;
        let list = [&b"\xdc\x03\xe8\xc0"[..], &[0xc3; 999]].concat();
        let texts = [&b"\x93\xc0"[..], &[&b"\xda\x0c\x80"[..], &[b't'; 3200]].concat().repeat(2)].concat();
        let mut crafted = Crafted::of(
            Profile::Full,
            &[&b"\x95\xc0"[..], &list, &texts, b"\x92", &[nested], &[0xc0], b"\xda\x1f\xdd", &[b't'; 8157]]
                .concat(),
        );
        let slot = |id: u8| [&b"\x91\x92\xa1n"[..], &[id]].concat();
        crafted.shapes =
            [&b"\xdc\x00\x41\x91\xa1n"[..], &(0..nested).flat_map(slot).collect::<Vec<_>>()].concat();
        let file = crafted.file();
        let root = crafted.elements()[3] as u64;
        let Content::List(items) = file.view().root().content().unwrap() else { panic!("it is a list") };
        // The visited values, and the bytes read.
        for (number, looked_at, bytes) in [(0, 1000, 1003), (1, 3, 6408), (2, 66, 3), (3, 1, 8160)] {
            let item = items.get(number).unwrap().unwrap();
            let mut meter = Meter::new(file.view(), Budget { values: u64::MAX, bytes: u64::MAX });
            let times = limits::SEARCH_MIN / (looked_at + bytes / limits::BYTES_PER_STEP) + 1;
            for _ in 0..times {
                assert_eq!(meter.value(item), Ok(()), "item {number}");
            }
            let refused = ErrorKind::Work { limit: limits::SEARCH_MIN }.at(root);
            assert_eq!(meter.value(item), Err(refused), "item {number}");
        }
    }

    #[test]
    fn values_share_a_budget_with_texts_printed_beside_them() {
        let bytes = compile(br#"["abc",["de"]]"#, &CompileOptions::default()).unwrap().bytes;
        let file = DocumentFile::from_data(&bytes[..]).unwrap();
        let Content::List(list) = file.view().root().content().unwrap() else { panic!("it is a list") };
        let items: Vec<_> = list.items().map(Result::unwrap).collect();
        let last = items[1].offset();
        // A value takes one byte, and its text its own length.
        let metered = |values, bytes| {
            let mut meter = Meter::new(file.view(), Budget { values, bytes });
            meter.value(items[0])?;
            meter.beside("12", last)?;
            meter.value(items[1])
        };
        assert_eq!(metered(3, 4 + 2 + 4), Ok(()));
        assert_eq!(metered(2, 10), Err(ErrorKind::Nodes { count: 3, limit: 2 }.at(last)));
        assert_eq!(metered(3, 9), Err(ErrorKind::Bytes { count: 10, limit: 9 }.at(last)));
        assert_eq!(metered(3, 5), Err(ErrorKind::Bytes { count: 6, limit: 5 }.at(last)));
    }
}
