//! The landmarks of a document (§8.1), found by walking it: for lookups in files without index
//! tables if the features that build whole indexes are off.
//!
//! Finds and refuses the same as [`Index::landmarks_of`](crate::index::Index), but keeps no keys.
//! So each lookup reads the keys of all landmarks, instead of only the first one.

use crate::limits;
use crate::read::file::DocumentView;
use crate::read::view::node::WatchedView;
use crate::read::view::{Content, Entries, Items, Same, ValueView};
use crate::wire::directory::Part;
use crate::wire::ids::Ordinal;
use coconut_format::error::{DecodeError, ErrorKind};
use coconut_format::landmark::{LandmarkRule, RuleMatcher, State};
use foldhash::fast::RandomState;
use hashbrown::HashSet;
use std::cell::Cell;
use std::ops::Range;

/// The landmarks of a document, by ordinal.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    /// The start of each landmark in the file.
    pub(crate) offsets: Vec<u64>,
    pub(crate) classes: Vec<u8>,
    pub(crate) parents: Vec<Option<Ordinal>>,
}

impl Scan {
    /// Walks a document. Refuses the document if more than `most` visits are needed.
    pub(crate) fn landmarks_of(document: DocumentView<'_>, most: u64) -> Result<Scan, DecodeError> {
        let rule = document.header().rule()?;
        if rule.is_empty() {
            return Ok(Scan::default());
        }
        let mut search = Search {
            document,
            rule,
            matcher: RuleMatcher::of_landmarks(rule),
            root: document.element(Part::ROOT),
            most,
            looked_at: Cell::new(0),
            passed: HashSet::default(),
            open: Vec::new(),
            found: Scan::default(),
            lengths: Vec::new(),
            own_bytes: 0,
            full_bytes: 0,
        };
        let root = Place { view: document.root(), name: None, in_record: false };
        let mut next = Some((root, search.matcher.root(), None));
        while let Some((place, state, owner)) = next {
            search.visit(&place, state, owner)?;
            let (count, limit) = (search.found.len() as u64, limits::LANDMARKS as u64);
            if count > limit {
                return Err(search.too_many("landmarks", count, limit));
            }
            next = if search.own_bytes > limits::FULL_KEY_BYTES { None } else { search.next()? };
        }
        match search.full_bytes > limits::FULL_KEY_BYTES {
            true => Err(search.too_many("bytes of full keys", search.full_bytes, limits::FULL_KEY_BYTES)),
            false => Ok(search.found),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.offsets.len()
    }
}

struct Search<'a> {
    document: DocumentView<'a>,
    rule: &'a LandmarkRule,
    matcher: RuleMatcher,
    root: Range<usize>,
    most: u64,
    looked_at: Cell<u64>,
    /// The entered shared values. Equal findings count once.
    passed: HashSet<(Same, State), RandomState>,
    open: Vec<Open<'a>>,
    found: Scan,
    /// The length of each full key.
    lengths: Vec<u64>,
    own_bytes: u64,
    full_bytes: u64,
}

/// A value, and its place in the value around it.
struct Place<'a> {
    view: ValueView<'a>,
    /// The key, if it is an entry of an object.
    name: Option<&'a str>,
    in_record: bool,
}

/// An object or list, with its unvisited values.
struct Open<'a> {
    values: Values<'a>,
    state: State,
    is_only: bool,
    owner: Option<Ordinal>,
}

enum Values<'a> {
    Entries { entries: Entries<'a>, in_record: bool },
    Items(Items<'a>),
}

impl<'a> Search<'a> {
    /// Returns the next value that can be or contain a landmark.
    fn next(&mut self) -> Result<Option<(Place<'a>, State, Option<Ordinal>)>, DecodeError> {
        while let Some(open) = self.open.last_mut() {
            let Some(place) = open.values.next(&self.looked_at)? else {
                self.open.pop();
                continue;
            };
            let state = match place.name {
                Some(key) if open.is_only => self.matcher.enter_only_key(open.state, key),
                Some(key) => self.matcher.enter_key(open.state, key),
                None => self.matcher.enter_item(open.state),
            };
            if !state.is_dead() {
                return Ok(Some((place, state, open.owner)));
            }
        }
        Ok(None)
    }

    fn visit(&mut self, place: &Place<'a>, state: State, around: Option<Ordinal>) -> Result<(), DecodeError> {
        let depth = self.open.len();
        let class = self.matcher.landmark(state);
        let key = match class {
            Some(class) => self.key_length(place, class)?,
            None => None,
        };
        let ordinal = Ordinal(u32::try_from(self.found.len()).unwrap_or(u32::MAX));
        self.enter(place.view, state, if key.is_some() { Some(ordinal) } else { around })?;
        // A template can repeat a text shared by all landmarks.
        self.count(key.unwrap_or_default() / limits::BYTES_PER_STEP);
        if self.looked_at.get() > self.most {
            return Err(ErrorKind::Work { limit: self.most }.at(self.root.start as u64));
        }
        // Finding the end of a value that is too deep would require visiting all of it, level by
        // level.
        if depth >= limits::DEPTH as usize && place.view.kind()?.is_container() {
            return Err(ErrorKind::Depth { limit: limits::DEPTH.into() }.at(place.view.offset()));
        }
        if let (Some(length), Some(class)) = (key, class) {
            let offset = place.view.landmark_offset(place.in_record, &self.root)?;
            self.add(offset, class, around, length);
        }
        Ok(())
    }

    /// Returns the length of the key of a value, if it is a landmark.
    fn key_length(&self, place: &Place<'a>, class: u8) -> Result<Option<u64>, DecodeError> {
        let Some(pattern) = self.rule.patterns().get(usize::from(class)) else { return Ok(None) };
        let fault = Cell::new(None);
        let node = WatchedView::new(place.view, &fault).counting(&self.looked_at);
        let length = pattern.key().of(place.name, node).map(|key| key.len() as u64);
        fault.take().map_or(Ok(length), Err)
    }

    /// Enters a value if it can contain a landmark and was not entered before.
    fn enter(
        &mut self,
        view: ValueView<'a>,
        state: State,
        owner: Option<Ordinal>,
    ) -> Result<(), DecodeError> {
        if !self.matcher.leads_on(state) {
            return Ok(());
        }
        if let Some(same) = view.same_everywhere()? {
            // At most one entry is stored per byte of the file.
            let is_full = self.passed.len() >= self.document.data.len();
            if !is_full && !self.passed.insert((same, state)) {
                return Ok(());
            }
        }
        let (values, width) = match view.content()? {
            Content::Object(object) => {
                (Values::Entries { entries: object.iter(), in_record: object.is_record() }, object.len())
            }
            Content::List(list) => (Values::Items(list.items()), list.len()),
            _ => return Ok(()),
        };
        self.open.push(Open { values, state, is_only: width == 1, owner });
        Ok(())
    }

    fn add(&mut self, offset: u64, class: u8, around: Option<Ordinal>, own: u64) {
        let above = match (self.rule.join(), around) {
            (Some(join), Some(around)) => {
                self.lengths.get(around.index()).map_or(0, |length| length.saturating_add(join.len() as u64))
            }
            _ => 0,
        };
        let length = own.saturating_add(above);
        self.lengths.push(length);
        self.own_bytes = self.own_bytes.saturating_add(own);
        self.full_bytes = self.full_bytes.saturating_add(length);
        self.found.offsets.push(offset);
        self.found.classes.push(class);
        self.found.parents.push(around);
    }

    fn count(&self, steps: u64) {
        count(&self.looked_at, steps);
    }

    #[cold]
    fn too_many(&self, what: &'static str, count: u64, limit: u64) -> DecodeError {
        ErrorKind::TooMany { what, count, limit }.at(self.root.start as u64)
    }
}

impl<'a> Values<'a> {
    /// Returns the next value. Counts it, and the bytes skipped to reach it.
    fn next(&mut self, looked_at: &Cell<u64>) -> Result<Option<Place<'a>>, DecodeError> {
        let steps = |bytes: usize| 1 + bytes as u64 / limits::BYTES_PER_STEP;
        match self {
            Values::Entries { entries, in_record } => {
                let before = entries.reached();
                let Some(entry) = entries.next() else { return Ok(None) };
                let key = entry.as_ref().map_or(0, |(key, _)| key.len());
                count(looked_at, steps(key.saturating_add(entries.reached().saturating_sub(before))));
                let (key, view) = entry?;
                Ok(Some(Place { view, name: Some(key), in_record: *in_record }))
            }
            Values::Items(items) => {
                let before = items.reached();
                let Some(item) = items.next() else { return Ok(None) };
                count(looked_at, steps(items.reached().saturating_sub(before)));
                Ok(Some(Place { view: item?, name: None, in_record: false }))
            }
        }
    }
}

fn count(looked_at: &Cell<u64>, steps: u64) {
    looked_at.set(looked_at.get().saturating_add(steps));
}
