//! §15.8 Events without secrets.

use crate::event::{EventSink, SinkError};
use coconut_format::Integer;
use coconut_format::graph::{PathSet, Place};
use std::collections::HashMap;

/// The text in place of each secret.
pub const SECRET: &str = "[secret]";

/// Passes events on, with [`SECRET`] for every value that must not be shown.
#[derive(Debug)]
pub struct RedactingSink<'p, S> {
    /// `None` if nothing is secret.
    places: Option<&'p PathSet>,
    inner: S,
    /// The place of the next value, in an object or at the start.
    next: Place,
    open: Vec<Open>,
    /// The number of open containers in the secret that is being skipped.
    hidden: u32,
    /// Runs that have not ended.
    open_runs: Vec<OpenRun>,
    /// The runs announced to `inner`, by number, with the number of containers that each leaves
    /// open.
    left_open: HashMap<u64, usize>,
}

/// A run that has not ended.
#[derive(Debug)]
enum OpenRun {
    /// Its events are passed on as if there were no run.
    Unannounced,
    /// Its number, and the number of containers open before it.
    Announced(u64, usize),
}

/// An open container.
#[derive(Debug)]
struct Open {
    place: Place,
    /// The number of the next item, in a list.
    item: Option<usize>,
}

impl<'p, S> RedactingSink<'p, S> {
    /// Wraps `inner` for a value at `place`, whose secrets are at `places`.
    pub(super) fn new(places: &'p PathSet, place: Place, inner: S) -> RedactingSink<'p, S> {
        RedactingSink {
            places: (!places.is_empty()).then_some(places),
            inner,
            next: place,
            open: Vec::new(),
            hidden: 0,
            open_runs: Vec::new(),
            left_open: HashMap::new(),
        }
    }

    /// The wrapped sink.
    pub fn into_inner(self) -> S {
        self.inner
    }
}

impl<S: EventSink> RedactingSink<'_, S> {
    /// The place of the current value.
    fn place(&mut self, places: &PathSet) -> Place {
        match self.open.last_mut() {
            Some(Open { place, item: Some(item) }) => {
                let index = *item;
                *item += 1;
                places.enter_item(*place, index)
            }
            _ => self.next,
        }
    }

    fn scalar(&mut self, push: impl FnOnce(&mut S) -> Result<(), SinkError>) -> Result<(), SinkError> {
        let Some(places) = self.places else { return push(&mut self.inner) };
        if self.hidden > 0 {
            return Ok(());
        }
        match self.place(places) {
            Place::Inside => self.inner.string(SECRET),
            _ => push(&mut self.inner),
        }
    }

    fn begin(
        &mut self,
        item: Option<usize>,
        push: impl FnOnce(&mut S) -> Result<(), SinkError>,
    ) -> Result<(), SinkError> {
        let Some(places) = self.places else { return push(&mut self.inner) };
        if self.hidden > 0 {
            self.hidden += 1;
            return Ok(());
        }
        match self.place(places) {
            Place::Inside => {
                self.hidden = 1;
                self.inner.string(SECRET)
            }
            place => {
                self.open.push(Open { place, item });
                push(&mut self.inner)
            }
        }
    }

    fn end(&mut self, push: impl FnOnce(&mut S) -> Result<(), SinkError>) -> Result<(), SinkError> {
        if self.hidden > 0 {
            self.hidden -= 1;
            return Ok(());
        }
        self.open.pop();
        push(&mut self.inner)
    }
}

impl<S: EventSink> EventSink for RedactingSink<'_, S> {
    fn null(&mut self) -> Result<(), SinkError> {
        self.scalar(S::null)
    }

    fn bool(&mut self, value: bool) -> Result<(), SinkError> {
        self.scalar(|inner| inner.bool(value))
    }

    fn integer(&mut self, value: Integer) -> Result<(), SinkError> {
        self.scalar(|inner| inner.integer(value))
    }

    fn float(&mut self, value: f64) -> Result<(), SinkError> {
        self.scalar(|inner| inner.float(value))
    }

    fn string(&mut self, value: &str) -> Result<(), SinkError> {
        self.scalar(|inner| inner.string(value))
    }

    fn begin_list(&mut self) -> Result<(), SinkError> {
        self.begin(Some(0), S::begin_list)
    }

    fn end_list(&mut self) -> Result<(), SinkError> {
        self.end(S::end_list)
    }

    fn begin_object(&mut self) -> Result<(), SinkError> {
        self.begin(None, S::begin_object)
    }

    fn key(&mut self, key: &str) -> Result<(), SinkError> {
        if self.hidden > 0 {
            return Ok(());
        }
        if let (Some(places), Some(open)) = (self.places, self.open.last()) {
            self.next = places.enter_key(open.place, key);
        }
        self.inner.key(key)
    }

    fn end_object(&mut self) -> Result<(), SinkError> {
        self.end(S::end_object)
    }

    fn begin_document(&mut self) {
        self.left_open.clear();
        self.inner.begin_document();
    }

    fn numbered_string(&mut self, number: u32, text: &str) -> Result<(), SinkError> {
        self.scalar(|inner| inner.numbered_string(number, text))
    }

    fn numbered_key(&mut self, number: u32, text: &str) -> Result<(), SinkError> {
        match self.places {
            None => self.inner.numbered_key(number, text),
            Some(_) => self.key(text),
        }
    }

    /// Shared data occurs in several places, some of which may be secret. A run is announced only
    /// if no container around it is on the path to a secret.
    fn begin_run(&mut self, number: u64) -> Result<bool, SinkError> {
        if self.places.is_none() {
            return self.inner.begin_run(number);
        }
        let is_outside = self.open.last().is_some_and(|open| open.place == Place::Outside);
        if self.hidden > 0 || !is_outside {
            self.open_runs.push(OpenRun::Unannounced);
            return Ok(false);
        }
        if self.inner.begin_run(number)? {
            let left_open = self.left_open.get(&number).copied().unwrap_or_default();
            let open = || Open { place: Place::Outside, item: None };
            self.next = Place::Outside;
            self.open.extend(std::iter::repeat_with(open).take(left_open));
            return Ok(true);
        }
        self.open_runs.push(OpenRun::Announced(number, self.open.len()));
        Ok(false)
    }

    fn end_run(&mut self) {
        if self.places.is_none() {
            return self.inner.end_run();
        }
        if let Some(OpenRun::Announced(number, before)) = self.open_runs.pop() {
            self.left_open.insert(number, self.open.len().saturating_sub(before));
            self.inner.end_run();
        }
    }
}
