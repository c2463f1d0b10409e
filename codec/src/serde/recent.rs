//! The most recently read strings of a document, and their neighbours (§5.4).
//!
//! One resource of a checkpoint has a hundred strings including keys, about sixty of them distinct.
//! Most are neighbours in the string table, because ids are assigned in order of appearance (§4.5).
//! Remembering them saves a tenth of the cycles of finding and reading one resource of 20,000.

use crate::wire::ids::StringId;
use std::cell::Cell;

/// Some strings, each with its id, by the lowest bits of the id.
pub(super) struct RecentStrings<'a>([Cell<Recent<'a>>; PLACES]);

#[derive(Clone, Copy)]
enum Recent<'a> {
    Nothing,
    /// A neighbour of a string that was looked up. A third of these are never read, so UTF-8 is
    /// checked on reading.
    Beside(StringId, &'a [u8]),
    Text(StringId, &'a str),
}

const PLACES: usize = 128;

impl<'a> RecentStrings<'a> {
    pub(super) fn new() -> Self {
        RecentStrings([const { Cell::new(Recent::Nothing) }; PLACES])
    }

    /// String `id`, if it is remembered and UTF-8.
    #[inline]
    pub(super) fn get(&self, id: StringId) -> Option<&'a str> {
        let place = self.place_of(id);
        match place.get() {
            Recent::Text(known, text) if known == id => Some(text),
            Recent::Beside(known, bytes) if known == id => {
                let text = simdutf8::basic::from_utf8(bytes).ok()?;
                place.set(Recent::Text(id, text));
                Some(text)
            }
            _ => None,
        }
    }

    pub(super) fn note(&self, id: StringId, text: &'a str) {
        self.place_of(id).set(Recent::Text(id, text));
    }

    /// Stores a neighbour of a string that was looked up.
    pub(super) fn note_beside(&self, id: StringId, bytes: &'a [u8]) {
        self.place_of(id).set(Recent::Beside(id, bytes));
    }

    #[inline]
    fn place_of(&self, id: StringId) -> &Cell<Recent<'a>> {
        &self.0[id.index() % PLACES]
    }
}
