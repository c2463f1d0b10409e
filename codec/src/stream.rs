//! §4 A compiled document as a stream of events: for printing it, and for making trees of other kinds.

use crate::decode::{ShapeSlot, SlotForm, Step, Survey, Tables, key, plain_step, step};
use crate::event::{EventSink, SinkError};
use crate::file::DocumentView;
use crate::limits;
use crate::msgpack::Cursor;
use crate::view::{Content, ValueView};
use crate::wire::directory::Part;
use coconut_format::error::{DecodeError, ErrorKind};
use std::fmt;

/// How much a stream may expand to (§9). The default is 256 Mi values and 16 GiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Values.
    pub values: u64,
    /// Bytes of text.
    pub bytes: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Budget { values: limits::STREAM_VALUES, bytes: limits::STREAM_BYTES }
    }
}

/// Why a stream ended early: the file's fault or the sink's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StreamError {
    /// The file is damaged, or expands beyond the budget.
    Decode(DecodeError),
    /// The sink refused an event.
    Sink(SinkError),
}

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
    /// Pushes the whole document into `sink`.
    ///
    /// First surveys the document: nothing is pushed of one that is damaged or exceeds the budget. Costs two
    /// passes over the stored bytes and one over the expanded values; memory for the tables of strings and
    /// shapes, and for the open levels.
    pub fn stream<S: EventSink>(&self, sink: &mut S, budget: Budget) -> Result<(), StreamError> {
        let tables = Tables::read(*self)?;
        let survey = Survey::of(*self, &tables)?;
        let root = self.element(Part::ROOT);
        survey.check(budget.values, budget.bytes, root.start)?;
        stream_root(*self, &tables, &survey, &mut Events(sink))
    }
}

/// Receives a document as [`EventSink`] does, with the number of entries of each container in front.
pub(crate) trait CountedSink {
    fn scalar(&mut self, step: Step<'_>, tables: &Tables<'_>) -> Result<(), SinkError>;
    fn begin_list(&mut self, count: u32) -> Result<(), SinkError>;
    fn end_list(&mut self) -> Result<(), SinkError>;
    fn begin_object(&mut self, count: u32) -> Result<(), SinkError>;
    /// A key, and its id if it is in the string table.
    fn key(&mut self, key: &str, id: Option<u32>) -> Result<(), SinkError>;
    fn end_object(&mut self) -> Result<(), SinkError>;
}

/// Pushes a surveyed document.
pub(crate) fn stream_root<S: CountedSink>(
    document: DocumentView<'_>,
    tables: &Tables<'_>,
    survey: &Survey,
    sink: &mut S,
) -> Result<(), StreamError> {
    let root = document.element(Part::ROOT);
    let cursor = document.cursor(root.start, root.end);
    let streamer = Streamer { document, tables, shared: &survey.shared, sink, stack: Vec::new() };
    streamer.run(cursor, u32::MAX)
}

struct Events<'s, S>(&'s mut S);

impl<S: EventSink> CountedSink for Events<'_, S> {
    #[inline]
    fn scalar(&mut self, step: Step<'_>, tables: &Tables<'_>) -> Result<(), SinkError> {
        match step {
            Step::Null => self.0.null(),
            Step::Bool(value) => self.0.bool(value),
            Step::Integer(value) => self.0.integer(value),
            Step::Float(value) => self.0.float(value),
            Step::String(text) => self.0.string(text),
            Step::StringId(id) => self.0.numbered_string(id, tables.strings[id as usize]),
            Step::Shared(_) | Step::List(_) | Step::Object(_) | Step::Record(_) => Ok(()),
        }
    }

    fn begin_list(&mut self, _: u32) -> Result<(), SinkError> {
        self.0.begin_list()
    }

    fn end_list(&mut self) -> Result<(), SinkError> {
        self.0.end_list()
    }

    fn begin_object(&mut self, _: u32) -> Result<(), SinkError> {
        self.0.begin_object()
    }

    #[inline]
    fn key(&mut self, key: &str, id: Option<u32>) -> Result<(), SinkError> {
        match id {
            Some(id) => self.0.numbered_key(id, key),
            None => self.0.key(key),
        }
    }

    fn end_object(&mut self) -> Result<(), SinkError> {
        self.0.end_object()
    }
}

impl ValueView<'_> {
    /// Pushes this value into `sink`.
    ///
    /// Reads only what the value needs, which is what one wants of one landmark of many; for whole documents
    /// [`DocumentView::stream`] is faster. The budget is counted while pushing, so a value that exceeds it has
    /// been pushed in part.
    pub fn stream<S: EventSink>(&self, sink: &mut S, budget: Budget) -> Result<(), StreamError> {
        let mut spent = Spent::default();
        let mut stack: Vec<ViewFrame<'_>> = Vec::new();
        let mut value = Some(*self);
        loop {
            if let Some(view) = value.take() {
                let at = view.offset();
                spent.value(budget, at)?;
                match view.content()? {
                    Content::Null => sink.null()?,
                    Content::Bool(value) => sink.bool(value)?,
                    Content::Integer(value) => sink.integer(value)?,
                    Content::Float(value) => sink.float(value)?,
                    Content::String(value) => {
                        spent.text(value, budget, at)?;
                        sink.string(value)?;
                    }
                    Content::List(list) => {
                        sink.begin_list()?;
                        stack.push(ViewFrame::List(list.items()));
                    }
                    Content::Object(object) => {
                        sink.begin_object()?;
                        stack.push(ViewFrame::Object(object.iter()));
                    }
                }
                if stack.len() > limits::DEPTH as usize {
                    let limit = limits::DEPTH.into();
                    return Err(ErrorKind::Depth { limit }.at(at).into());
                }
            }
            match stack.last_mut() {
                None => return Ok(()),
                Some(ViewFrame::List(items)) => match items.next() {
                    Some(item) => value = Some(item?),
                    None => {
                        sink.end_list()?;
                        stack.pop();
                    }
                },
                Some(ViewFrame::Object(entries)) => match entries.next() {
                    Some(entry) => {
                        let (key, view) = entry?;
                        spent.text(key, budget, view.offset())?;
                        sink.key(key)?;
                        value = Some(view);
                    }
                    None => {
                        sink.end_object()?;
                        stack.pop();
                    }
                },
            }
        }
    }
}

/// What a lazy stream has pushed so far, counted as a survey counts it.
#[derive(Default)]
struct Spent {
    values: u64,
    bytes: u64,
}

impl Spent {
    fn value(&mut self, budget: Budget, at: u64) -> Result<(), DecodeError> {
        self.values = self.values.saturating_add(1);
        match self.values > budget.values {
            true => Err(ErrorKind::Nodes { count: self.values, limit: budget.values }.at(at)),
            false => self.bytes(1, budget, at),
        }
    }

    fn text(&mut self, text: &str, budget: Budget, at: u64) -> Result<(), DecodeError> {
        self.bytes(text.len() as u64, budget, at)
    }

    fn bytes(&mut self, count: u64, budget: Budget, at: u64) -> Result<(), DecodeError> {
        self.bytes = self.bytes.saturating_add(count);
        match self.bytes > budget.bytes {
            true => Err(ErrorKind::Bytes { count: self.bytes, limit: budget.bytes }.at(at)),
            false => Ok(()),
        }
    }
}

enum ViewFrame<'a> {
    List(crate::view::Items<'a>),
    Object(crate::view::Entries<'a>),
}

struct Streamer<'t, 'a, S> {
    document: DocumentView<'a>,
    tables: &'t Tables<'a>,
    /// Where each shared value begins.
    shared: &'t [usize],
    sink: &'t mut S,
    stack: Vec<Frame<'t, 'a>>,
}

/// An open container.
struct Frame<'t, 'a> {
    left: Left<'t, 'a>,
    /// Where the surrounding container goes on, when this one was reached by a reference.
    back: Option<(Cursor<'a>, u32)>,
}

enum Left<'t, 'a> {
    List(u32),
    Object(u32),
    Record(std::slice::Iter<'t, ShapeSlot<'a>>),
}

impl<'t, 'a, S: CountedSink> Streamer<'t, 'a, S> {
    /// The value at the cursor and everything in it. The survey has bounded both levels and values.
    ///
    /// The innermost container is in hand, not on the stack, while its scalars pass by: most values are scalars.
    fn run(mut self, mut cursor: Cursor<'a>, mut bound: u32) -> Result<(), StreamError> {
        let Some(mut frame) = self.value(&mut cursor, false, &mut bound)? else { return Ok(()) };
        loop {
            match self.advance(&mut frame.left, &mut cursor, &mut bound)? {
                Some(inner) => self.stack.push(std::mem::replace(&mut frame, inner)),
                None => {
                    match frame.left {
                        Left::List(_) => self.sink.end_list()?,
                        Left::Object(_) | Left::Record(_) => self.sink.end_object()?,
                    }
                    if let Some((before, before_bound)) = frame.back {
                        (cursor, bound) = (before, before_bound);
                    }
                    match self.stack.pop() {
                        Some(around) => frame = around,
                        None => return Ok(()),
                    }
                }
            }
        }
    }

    /// Goes on to the next container in this one, which is returned, or to the end of this one.
    #[inline]
    fn advance(
        &mut self,
        left: &mut Left<'t, 'a>,
        cursor: &mut Cursor<'a>,
        bound: &mut u32,
    ) -> Result<Option<Frame<'t, 'a>>, StreamError> {
        let mut inner = None;
        match left {
            Left::List(left) => {
                while inner.is_none() && *left > 0 {
                    *left -= 1;
                    inner = self.value(cursor, false, bound)?;
                }
            }
            Left::Object(left) => {
                while inner.is_none() && *left > 0 {
                    *left -= 1;
                    let key = key(cursor, self.tables, self.tables.plain)?;
                    self.sink.key(key, None)?;
                    inner = self.value(cursor, false, bound)?;
                }
            }
            Left::Record(slots) => {
                while inner.is_none()
                    && let Some(slot) = slots.next()
                {
                    self.sink.key(slot.key, slot.key_id)?;
                    match slot.form {
                        SlotForm::Plain => inner = self.value(cursor, false, bound)?,
                        SlotForm::Integer => inner = self.value(cursor, true, bound)?,
                        SlotForm::Constant(step) => self.sink.scalar(step, self.tables)?,
                        SlotForm::Nested(shape) => inner = Some(self.open_record(shape, None)?),
                    }
                }
            }
        }
        Ok(inner)
    }

    /// A scalar, or a container that is begun and returned.
    #[inline]
    fn value(
        &mut self,
        cursor: &mut Cursor<'a>,
        integer: bool,
        bound: &mut u32,
    ) -> Result<Option<Frame<'t, 'a>>, StreamError> {
        let mut back = None;
        let mut step = self.read(cursor, integer, *bound)?;
        if let Step::Shared(id) = step {
            back = Some((*cursor, *bound));
            *cursor = self.document.cursor(self.shared[id as usize], self.document.frame.shared.end);
            *bound = id;
            step = self.read(cursor, false, id)?;
        }
        match step {
            Step::List(count) => {
                self.sink.begin_list(count)?;
                Ok(Some(Frame { left: Left::List(count), back }))
            }
            Step::Object(count) => {
                self.sink.begin_object(count)?;
                Ok(Some(Frame { left: Left::Object(count), back }))
            }
            Step::Record(shape) => self.open_record(shape, back).map(Some),
            // The survey has seen that shared values are containers.
            scalar => {
                self.sink.scalar(scalar, self.tables)?;
                Ok(None)
            }
        }
    }

    #[inline]
    fn read(&self, cursor: &mut Cursor<'a>, integer: bool, bound: u32) -> Result<Step<'a>, DecodeError> {
        match self.tables.plain {
            true => plain_step(cursor),
            false => step(cursor, self.tables, integer, bound),
        }
    }

    fn open_record(
        &mut self,
        shape: u32,
        back: Option<(Cursor<'a>, u32)>,
    ) -> Result<Frame<'t, 'a>, StreamError> {
        let slots = self.tables.slots(self.tables.shape(shape));
        self.sink.begin_object(u32::try_from(slots.len()).unwrap_or(u32::MAX))?;
        Ok(Frame { left: Left::Record(slots.iter()), back })
    }
}
