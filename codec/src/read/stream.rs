//! Streams a compiled document as events (§4), for printing it and for building other trees.
//!
//! ```
//! use coconut_codec::compile::{CompileOptions, compile};
//! use coconut_codec::read::file::DocumentFile;
//! use coconut_codec::event::ValueSink;
//! use coconut_codec::read::stream::{Budget, StreamError};
//! use coconut_format::ErrorKind;
//!
//! let bytes = compile(br#"[1, 2, 3]"#, &CompileOptions::default())?.bytes;
//! let file = DocumentFile::from_data(bytes)?;
//! let mut sink = ValueSink::new();
//! file.view().stream(&mut sink, Budget::default())?;
//! assert_eq!(sink.finish().and_then(|value| Some(value.as_list()?.len())), Some(3));
//!
//! // The expanded size is known before the first event.
//! let little = Budget::default().values(3).bytes(100);
//! let refused = file.view().stream(&mut ValueSink::new(), little);
//! let refused = refused.expect_err("the list is also a value");
//! let StreamError::Decode(error) = refused else { panic!("it is the fault of the file") };
//! assert_eq!(error.kind(), ErrorKind::Nodes { count: 4, limit: 3 });
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod held;
mod meter;
mod plan;
mod value;

use crate::event::{EventSink, SinkError};
use crate::limits;
use crate::msgpack::TakeShort;
use crate::read::file::DocumentView;
use crate::read::measure::Survey;
use crate::read::short::{read_key_with, read_with};
use crate::read::tables::{SlotForm, Tables};
use crate::read::walk::{Left, Open, Place, Visitor, Walk};
use crate::wire::directory::Part;
use crate::wire::ids::{ShapeId, SharedId, StringId};
use crate::wire::shapes::{SlotKind, ValueSlot};
use crate::wire::value::{Form, ext_integer};
use coconut_format::error::DecodeError;
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub use meter::Meter;
use plan::{Action, Plans};
use std::fmt;
use value::Spent;
pub(crate) use value::ViewSink;

/// The limit on the expanded size of a stream (§9). The default is 256 Mi values and 16 GiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Budget {
    /// Maximum number of values.
    pub values: u64,
    /// Maximum number of bytes of text.
    pub bytes: u64,
}

crate::setters::setters! {
    Budget: values: u64, bytes: u64
}

impl Default for Budget {
    fn default() -> Self {
        Budget { values: limits::STREAM_VALUES, bytes: limits::STREAM_BYTES }
    }
}

/// The reason why a stream ended early: a fault of the file or of the sink.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum StreamError {
    /// The file is damaged, or expands beyond the budget.
    Decode(DecodeError),
    /// The sink refused an event.
    Sink(SinkError),
}

impl StreamError {
    /// Returns the stable code, for machines.
    pub fn code(&self) -> &'static str {
        match self {
            StreamError::Decode(error) => error.code(),
            StreamError::Sink(error) => error.code(),
        }
    }
}

coconut_format::explained!(StreamError);

/// Shows the inner error's message, so [`source`](std::error::Error::source) does not return it
/// again.
impl fmt::Display for StreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StreamError::Decode(error) => error.fmt(f),
            StreamError::Sink(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for StreamError {}

impl From<DecodeError> for StreamError {
    fn from(error: DecodeError) -> Self {
        StreamError::Decode(error)
    }
}

impl From<SinkError> for StreamError {
    fn from(error: SinkError) -> Self {
        StreamError::Sink(error)
    }
}

impl DocumentView<'_> {
    /// Emits the whole document into `sink`.
    ///
    /// Surveys the document first. Emits nothing if the document is damaged or exceeds the budget.
    ///
    /// Costs two passes over the stored bytes and one over the expanded values. Takes memory
    /// for the tables of strings and shapes, for the open levels, and for one record of each shape.
    ///
    /// ```
    /// use coconut_codec::event::ValueSink;
    /// use coconut_codec::read::stream::Budget;
    /// use coconut_codec::{Document, to_vec};
    ///
    /// let file = Document::from_data(to_vec(&[1, 2, 3])?)?;
    /// let mut sink = ValueSink::new();
    /// file.view().stream(&mut sink, Budget::default())?;
    /// assert_eq!(sink.finish(), Some(file.view().to_value()?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn stream<S: EventSink>(&self, sink: &mut S, budget: Budget) -> Result<(), StreamError> {
        let tables = Tables::read(*self)?;
        let survey = Survey::of(*self, &tables)?;
        let root = self.element(Part::ROOT);
        survey.check(budget.values, budget.bytes, root.start)?;
        sink.begin_document();
        ValueStreams::new(*self, &tables, &survey).value(root.start, &mut Events(sink))
    }
}

impl<'a> DocumentView<'a> {
    /// Returns the data for the fast way through the document, if a walk by views would not find an
    /// error. Views find strings, shapes and shared values by the offset tables, and emit
    /// everything before the first error.
    fn fast_way(&self, budget: Budget) -> Option<(Tables<'a>, Survey)> {
        let tables = Tables::read(*self).ok()?;
        let survey = Survey::of(*self, &tables).ok()?;
        self.check_offset_tables().ok()?;
        survey.check(budget.values, budget.bytes, self.element(Part::ROOT).start).ok()?;
        Some((tables, survey))
    }
}

/// A sink like [`EventSink`] that also receives the number of entries of each container, in
/// advance.
pub(crate) trait CountedSink {
    /// See [`EventSink::begin_document`].
    fn begin_document(&mut self) {}
    fn scalar(&mut self, form: &Form<'_>, tables: &Tables<'_>) -> Result<(), SinkError>;
    fn begin_list(&mut self, count: u32) -> Result<(), SinkError>;
    fn end_list(&mut self) -> Result<(), SinkError>;
    fn begin_object(&mut self, count: u32) -> Result<(), SinkError>;
    /// A key, and the key's id if it is in the string table.
    fn key(&mut self, key: &str, id: Option<StringId>) -> Result<(), SinkError>;
    fn end_object(&mut self) -> Result<(), SinkError>;
    /// See [`EventSink::begin_run`].
    fn begin_run(&mut self, _number: u64) -> Result<bool, SinkError> {
        Ok(false)
    }
    fn end_run(&mut self) {}
}

/// Streams the values of a surveyed document one by one.
pub(crate) struct ValueStreams<'s, 'd> {
    document: DocumentView<'d>,
    tables: &'s Tables<'d>,
    plans: Plans,
    survey: &'s Survey,
}

impl<'s, 'd> ValueStreams<'s, 'd> {
    pub(crate) fn new(document: DocumentView<'d>, tables: &'s Tables<'d>, survey: &'s Survey) -> Self {
        ValueStreams { document, tables, plans: Plans::new(tables), survey }
    }

    /// Sends the value of the root that begins at `start` to `sink`.
    pub(crate) fn value<S: CountedSink>(&self, start: usize, sink: &mut S) -> Result<(), StreamError> {
        let cursor = self.document.cursor(start, self.document.element(Part::ROOT).end);
        self.walk(Place { cursor, bound: SharedId::NO_BOUND }, SlotKind::Plain, sink)
    }

    /// Sends the value at `place` to `sink`.
    fn walk<S: CountedSink>(
        &self,
        mut place: Place<'d>,
        slot: ValueSlot,
        sink: &mut S,
    ) -> Result<(), StreamError> {
        let ValueStreams { document, tables, ref plans, survey } = *self;
        let shared = &survey.shared;
        let mut streamer = Streamer { document, tables, plans, shared, sink, references: Vec::new() };
        Walk::new().visit(&mut streamer, &mut place, slot)
    }
}

struct Events<'s, S>(&'s mut S);

impl<S: EventSink> CountedSink for Events<'_, S> {
    fn begin_document(&mut self) {
        self.0.begin_document();
    }

    #[inline(always)]
    fn scalar(&mut self, form: &Form<'_>, tables: &Tables<'_>) -> Result<(), SinkError> {
        match *form {
            Form::Null => self.0.null(),
            Form::Bool(value) => self.0.bool(value),
            Form::Integer(value) => self.0.integer(value),
            Form::Float(value) => self.0.float(value),
            Form::String(text) => self.0.string(text),
            Form::StringId(id) => self.0.numbered_string(id.0, tables.strings[id.index()]),
            Form::Shared(_) | Form::List(_) | Form::Object(_) | Form::Record(_) => Ok(()),
        }
    }

    #[inline]
    fn begin_list(&mut self, _: u32) -> Result<(), SinkError> {
        self.0.begin_list()
    }

    #[inline]
    fn end_list(&mut self) -> Result<(), SinkError> {
        self.0.end_list()
    }

    #[inline]
    fn begin_object(&mut self, _: u32) -> Result<(), SinkError> {
        self.0.begin_object()
    }

    #[inline]
    fn key(&mut self, key: &str, id: Option<StringId>) -> Result<(), SinkError> {
        match id {
            Some(id) => self.0.numbered_key(id.0, key),
            None => self.0.key(key),
        }
    }

    #[inline]
    fn end_object(&mut self) -> Result<(), SinkError> {
        self.0.end_object()
    }

    #[inline]
    fn begin_run(&mut self, number: u64) -> Result<bool, SinkError> {
        self.0.begin_run(number)
    }

    #[inline]
    fn end_run(&mut self) {
        self.0.end_run();
    }
}

struct Streamer<'t, 'a, S> {
    document: DocumentView<'a>,
    tables: &'t Tables<'a>,
    plans: &'t Plans,
    /// The start of each shared value.
    shared: &'t [usize],
    sink: &'t mut S,
    /// For each open container reached by a reference: the position where the container around it
    /// continues.
    references: Vec<Place<'a>>,
}

/// The way by which a container was reached.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
#[repr(usize)]
enum Reached {
    #[default]
    InPlace,
    ByReference,
}

/// Visits a surveyed document, so levels and values are within their limits.
impl<'a, S: CountedSink> Visitor<'a> for Streamer<'_, 'a, S> {
    type Error = StreamError;
    type Note = Reached;
    type Slot = ValueSlot;

    #[inline(always)]
    fn key(&mut self, place: &mut Place<'a>, _: usize, _: &Reached) -> Result<(), StreamError> {
        let (key, id) = read_key_with(&mut place.cursor, self.tables)?;
        Ok(self.sink.key(key, id)?)
    }

    /// Emits everything that is equal in all records, up to the next value.
    #[inline(always)]
    fn slot(&mut self, next: &mut usize, end: usize) -> Result<Option<ValueSlot>, StreamError> {
        while *next < end {
            let action = self.plans.action(*next);
            *next += 1;
            match action {
                Action::Value { is_integer: false } => return Ok(Some(SlotKind::Plain)),
                Action::Value { is_integer: true } => return Ok(Some(SlotKind::Integer)),
                Action::Nested(shape) => return Ok(Some(SlotKind::Nested(shape))),
                Action::Run { end } => {
                    self.same_in_all_records(*next, end as usize)?;
                    *next = end as usize;
                }
                action => self.act(action)?,
            }
        }
        Ok(None)
    }

    #[inline(always)]
    fn value(
        &mut self,
        place: &mut Place<'a>,
        slot: ValueSlot,
        _: &Reached,
    ) -> Result<Option<Open<Reached>>, StreamError> {
        let is_integer = match slot {
            SlotKind::Plain => false,
            SlotKind::Integer => true,
            SlotKind::Nested(shape) => return Ok(Some(self.open_record(shape, Reached::InPlace))),
        };
        let mut refusal = None;
        let push = PushShort { sink: self.sink, tables: self.tables, is_integer, refusal: &mut refusal };
        let is_pushed = place.cursor.short(push).is_ok();
        match refusal {
            Some(refusal) => Err(refusal.into()),
            None if is_pushed => Ok(None),
            None => self.any_value(place, is_integer),
        }
    }

    #[inline(always)]
    fn end(&mut self, open: Open<Reached>, place: &mut Place<'a>) -> Result<(), StreamError> {
        match open.left {
            Left::List(_) => self.sink.end_list()?,
            Left::Object { .. } => self.sink.end_object()?,
            // The plan of the record has ended it.
            Left::Record { .. } => {}
        }
        if open.note == Reached::ByReference {
            self.sink.end_run();
            *place = self.references.pop().expect("a shared value was reached from somewhere");
        }
        Ok(())
    }
}

impl<'a, S: CountedSink> Streamer<'_, 'a, S> {
    /// Emits a run of events implied by a shape for all its records.
    ///
    /// Runs are numbered by their position among the plans. Lower numbers belong to shared values.
    #[inline]
    fn same_in_all_records(&mut self, start: usize, end: usize) -> Result<(), SinkError> {
        if self.sink.begin_run((self.shared.len() + start) as u64)? {
            return Ok(());
        }
        let plans = self.plans;
        plans.actions(start, end).iter().try_for_each(|&action| self.act(action))?;
        self.sink.end_run();
        Ok(())
    }

    fn act(&mut self, action: Action) -> Result<(), SinkError> {
        match action {
            Action::BeginObject(count) => self.sink.begin_object(count),
            Action::EndObject => self.sink.end_object(),
            Action::Key(slot) => {
                let slot = self.tables.slot(slot as usize);
                self.sink.key(slot.key, slot.key_id)
            }
            Action::Constant(slot) => match &self.tables.slot(slot as usize).form {
                SlotForm::Constant(form) => self.sink.scalar(form, self.tables),
                _ => Ok(()),
            },
            // These need the cursor.
            Action::Run { .. } | Action::Value { .. } | Action::Nested(_) => Ok(()),
        }
    }

    /// Emits a scalar, or begins a container and returns it.
    fn any_value(
        &mut self,
        place: &mut Place<'a>,
        is_integer: bool,
    ) -> Result<Option<Open<Reached>>, StreamError> {
        match read_with(&mut place.cursor, self.tables, is_integer, place.bound) {
            Err(error) => Err(error.into()),
            Ok(Form::Shared(id)) => {
                if self.sink.begin_run(id.into())? {
                    return Ok(None);
                }
                self.references.push(*place);
                let cursor = self.document.cursor(self.shared[id.index()], self.document.frame.shared.end);
                *place = Place { cursor, bound: id };
                match read_with(&mut place.cursor, self.tables, false, id) {
                    Err(error) => Err(error.into()),
                    Ok(ref form) => self.open(form, Reached::ByReference),
                }
            }
            Ok(ref form) => self.open(form, Reached::InPlace),
        }
    }

    /// Emits a scalar, or begins a container and returns it. The survey has checked that shared
    /// values are containers.
    #[inline]
    fn open(&mut self, form: &Form<'a>, reached: Reached) -> Result<Option<Open<Reached>>, StreamError> {
        let left = match *form {
            Form::List(count) => {
                self.sink.begin_list(count)?;
                Left::list(count)
            }
            Form::Object(count) => {
                self.sink.begin_object(count)?;
                Left::object(count)
            }
            Form::Record(shape) => return Ok(Some(self.open_record(shape, reached))),
            _ => {
                self.sink.scalar(form, self.tables)?;
                return Ok(None);
            }
        };
        Ok(Some(Open { left, note: reached }))
    }

    fn open_record(&self, shape: ShapeId, reached: Reached) -> Open<Reached> {
        let (next, end) = self.plans.of(shape);
        Open { left: Left::Record { next, end }, note: reached }
    }
}

/// Emits scalars in short forms, the majority of values. Each form has its own code path, without
/// building an intermediate value.
struct PushShort<'s, 't, 'a, S> {
    sink: &'s mut S,
    tables: &'t Tables<'a>,
    is_integer: bool,
    /// The error of the sink. Kept apart from the result, which then fits in one word.
    refusal: &'s mut Option<SinkError>,
}

impl<S: CountedSink> PushShort<'_, '_, '_, S> {
    #[inline(always)]
    fn push(self, form: Form<'_>) -> Result<(), Self> {
        if let Err(refusal) = self.sink.scalar(&form, self.tables) {
            *self.refusal = Some(refusal);
        }
        Ok(())
    }
}

impl<'a, S: CountedSink> TakeShort<'a> for PushShort<'_, '_, 'a, S> {
    type Value = ();

    #[inline]
    fn null(self) -> Result<(), Self> {
        self.push(Form::Null)
    }

    #[inline]
    fn bool(self, value: bool) -> Result<(), Self> {
        self.push(Form::Bool(value))
    }

    #[inline]
    fn unsigned(self, number: u16) -> Result<(), Self> {
        if self.is_integer || self.tables.plain {
            return self.push(Form::Integer(u64::from(number).into()));
        }
        match usize::from(number) < self.tables.strings.len() {
            true => self.push(Form::StringId(StringId(number.into()))),
            false => Err(self),
        }
    }

    #[inline]
    fn ext(self, code: i8, body: &'a [u8]) -> Result<(), Self> {
        match ext_integer(code, body) {
            Ok(integer) if !self.tables.plain => self.push(Form::Integer(integer)),
            _ => Err(self),
        }
    }

    #[inline]
    fn string(self, bytes: &'a [u8]) -> Result<(), Self> {
        match std::str::from_utf8(bytes) {
            Ok(text) => self.push(Form::String(text)),
            Err(_) => Err(self),
        }
    }
}
