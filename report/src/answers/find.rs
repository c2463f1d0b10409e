//! Places of a text in values and keys.

mod needle;
mod occurrences;

pub use needle::Needle;
pub use occurrences::{Landmarks, Occurrence, Occurrences, Part};

use crate::failure::{Exit, Failure};
use crate::glob::Glob;
use crate::json::{members, number, optional, text};
use crate::name_filter::NameFilter;
use crate::select::type_of;
use crate::source::Source;
use crate::streamed::Report;
use coconut_codec::read::file::DocumentView;
use coconut_codec::read::tree::TextScope;
use coconut_codec::secrets::{HiddenKeys, Redaction};
use coconut_format::Value;
use std::cell::Cell;
use std::io::Write;
use std::ops::ControlFlow;

/// The texts to find, and where.
#[derive(Clone, Copy)]
pub struct FindQuestion<'q> {
    /// The texts.
    pub needle: &'q Needle,
    /// Whether keys and values are searched.
    pub scope: TextScope,
    /// The landmarks to search in.
    pub within: &'q Within,
    /// Maximum number of places. The search ends after them.
    pub limit: u64,
}

impl FindQuestion<'_> {
    /// Calls `show` with each place, in document order. Without `reveal`, secrets are not searched.
    pub fn each(
        &self,
        document: DocumentView<'_>,
        reveal: bool,
        show: &mut dyn FnMut(&mut Landmarks<'_>, &Occurrence<'_, '_>) -> Result<(), Failure>,
    ) -> Result<PlaceCount, Failure> {
        let tree = document.tree()?;
        let redaction = Redaction::of_tree(document, &tree, reveal)?;
        let search = tree.search(self.scope, |text| self.needle.matches(text));
        let places = Occurrences::new(document, &tree, &search, self.scope, redaction.places());
        self.within.meet(document, &redaction)?;
        let mut found = PlaceCount::default();
        places.each(|landmarks, occurrence| {
            if !self.within.has(landmarks) {
                return Ok(ControlFlow::Continue(()));
            }
            if found.count >= self.limit {
                found.is_cut = true;
                return Ok(ControlFlow::Break(()));
            }
            found.count += 1;
            show(landmarks, occurrence).map(ControlFlow::Continue)
        })?;
        Ok(found)
    }

    /// Writes the places as JSON, or only their number. The schema is `schemas/find.json`.
    pub fn write_json(
        &self,
        source: Source<'_>,
        only_count: bool,
        reveal: bool,
        out: &mut dyn Write,
    ) -> Result<PlaceCount, Failure> {
        let mut report = Report::begin(out, "find", [("file", text(source.name))])?;
        let found = match only_count {
            true => self.each(source.view, reveal, &mut |_, _| Ok(()))?,
            false => {
                report.begin_list("places")?;
                let show = &mut |landmarks: &mut Landmarks<'_>, occurrence: &Occurrence<'_, '_>| {
                    report.item(&item(landmarks, occurrence)?)
                };
                let found = self.each(source.view, reveal, show)?;
                report.end_list()?;
                found
            }
        };
        for (key, value) in &found.to_members() {
            report.member(key, value)?;
        }
        report.end()?;
        Ok(found)
    }
}

/// The number of places.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlaceCount {
    /// The number of places, at most the limit of the question.
    pub count: u64,
    /// Whether there are more.
    pub is_cut: bool,
}

impl PlaceCount {
    /// No place is a negative answer.
    pub fn exit(self) -> Exit {
        if self.count > 0 || self.is_cut { Exit::Good } else { Exit::Negative }
    }

    fn to_members(self) -> [(&'static str, Value); 2] {
        [("count", number(self.count)), ("truncated", Value::Bool(self.is_cut))]
    }
}

/// The landmarks to search in.
pub struct Within {
    keys: Vec<Glob>,
    types: NameFilter,
    /// Whether a document contains a landmark with such a key, and one with such a type.
    is_met: Cell<bool>,
}

impl Within {
    /// The landmarks with one of these keys and one of these types. No key means any, and so does
    /// no type.
    pub fn of(keys: &[String], types: &[String]) -> Result<Within, Failure> {
        let keys = keys.iter().map(|key| Glob::new(key)).collect::<Result<_, _>>()?;
        Ok(Within { keys, types: NameFilter::of_types(types)?, is_met: Cell::new(false) })
    }

    /// Whether a searched document has such a landmark.
    pub fn is_met(&self) -> bool {
        self.is_met.get()
    }

    fn is_all(&self) -> bool {
        self.keys.is_empty() && self.types.is_all()
    }

    fn is_key(&self, key: &str) -> bool {
        self.keys.is_empty() || self.keys.iter().any(|glob| glob.matches(key))
    }

    /// Records whether this document contains anything to search.
    fn meet(&self, document: DocumentView<'_>, redaction: &Redaction) -> Result<(), Failure> {
        let (mut has_key, mut has_type) = (self.is_all(), self.is_all());
        if !self.is_met.get() && !self.is_all() {
            let hidden = HiddenKeys::of(document, redaction)?;
            let mut keys = document.keys()?;
            while let Some((landmark, key)) = keys.read_next()?.filter(|_| !has_key || !has_type) {
                has_key = has_key || self.is_key(hidden.shown(landmark, key)?);
                has_type = has_type || self.types.is_all() || self.types.has(&type_of(landmark)?);
            }
        }
        self.is_met.set(self.is_met.get() || has_key && has_type);
        Ok(())
    }

    fn has(&self, landmarks: &Landmarks<'_>) -> bool {
        let has = self.is_all() || landmarks.any(|key| self.is_key(key), |name| self.types.has(name));
        self.is_met.set(self.is_met.get() || has);
        has
    }
}

fn item(landmarks: &mut Landmarks<'_>, occurrence: &Occurrence<'_, '_>) -> Result<Value, Failure> {
    let (key, own_number) = match landmarks.innermost(occurrence.pointer)? {
        Some((key, number)) => (Some(key.to_owned()), number),
        None => (None, None),
    };
    Ok(members([
        ("key", Some(optional(key))),
        ("number", own_number.map(|own| number(u64::from(own)))),
        ("pointer", Some(text(landmarks.within(occurrence.pointer)))),
        ("path", Some(text(occurrence.pointer))),
        ("in", Some(text(if occurrence.part == Part::Key { "key" } else { "value" }))),
        ("text", Some(text(occurrence.text))),
    ]))
}
