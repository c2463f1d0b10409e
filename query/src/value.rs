//! The values of filters: places in a document that are opened on demand, and values computed by a
//! filter.

use super::number::Number;
use super::steps;
use super::view::View;
use coconut_codec::event::{EventSink, SinkError};
use coconut_codec::text::json::{self, JsonOptions};
use coconut_format::Integer;
use coconut_report::failure::Failure;
use indexmap::IndexMap;
use std::cmp::Ordering;
use std::fmt;
use std::rc::Rc;

/// A value of a filter.
///
/// Scalars are decoded immediately. Containers of a document stay views until a filter reads their
/// contents; then one level is decoded.
#[derive(Clone, Debug, Default)]
pub enum Val {
    /// Null.
    #[default]
    Null,
    /// True or false.
    Bool(bool),
    /// A number.
    Number(Number),
    /// Shared, and extended in place if it has no other owner.
    String(Rc<String>),
    /// A list.
    List(Rc<Vec<Val>>),
    /// An object.
    Object(Rc<Entries>),
    /// A list or object of a document.
    View(View),
}

/// The entries of an object, in their order.
pub(crate) type Entries = IndexMap<Rc<str>, Val, foldhash::fast::RandomState>;

/// A container with one level decoded, or a scalar.
pub(crate) enum Opened {
    List(Rc<Vec<Val>>),
    Object(Rc<Entries>),
    Other(Val),
}

impl Val {
    /// A text.
    pub fn text(text: impl Into<String>) -> Val {
        Val::String(Rc::new(text.into()))
    }

    /// A number.
    pub fn number(number: usize) -> Val {
        Val::from(number)
    }

    /// Reads JSON, and numbers as `jq` writes them.
    pub fn of_json(text: &str) -> Option<Val> {
        let mut sink = ValSink::default();
        match json::read(text.as_bytes(), &mut sink, &JsonOptions::default()) {
            Ok(_) => sink.into_value(),
            Err(_) => Number::parse(text).map(Val::Number),
        }
    }

    /// Whether it is false or null.
    pub fn is_false(&self) -> bool {
        matches!(self, Val::Null | Val::Bool(false))
    }

    /// A list.
    pub fn list(items: Vec<Val>) -> Val {
        Val::List(Rc::new(items))
    }

    pub(crate) fn object(entries: Entries) -> Val {
        Val::Object(Rc::new(entries))
    }

    /// An object.
    pub fn of_entries(entries: impl IntoIterator<Item = (String, Val)>) -> Val {
        Val::object(entries.into_iter().map(|(key, value)| (Rc::from(key), value)).collect())
    }

    /// Decodes one level of a view.
    pub(crate) fn opened(self) -> Opened {
        match self {
            Val::List(items) => Opened::List(items),
            Val::Object(entries) => Opened::Object(entries),
            Val::View(view) => view.opened(),
            other => Opened::Other(other),
        }
    }

    /// The value that a segment of a JSON pointer names.
    pub(crate) fn step(&self, segment: &str) -> Option<Val> {
        match self {
            Val::View(view) if !view.is_list() => view.entry(segment),
            Val::View(view) => view.item(segment.parse().ok()?),
            Val::List(items) => items.get(segment.parse::<usize>().ok()?).cloned(),
            Val::Object(entries) => entries.get(segment).cloned(),
            _ => None,
        }
    }

    /// The word of `jq` for the kind of value.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Val::Null => "null",
            Val::Bool(_) => "boolean",
            Val::Number(_) => "number",
            Val::String(_) => "string",
            Val::List(_) => "array",
            Val::Object(_) => "object",
            Val::View(view) if view.is_list() => "array",
            Val::View(_) => "object",
        }
    }

    /// The kind and the beginning of the value, for errors.
    pub(crate) fn described(&self) -> String {
        format!("{} ({})", self.kind(), Beginning::of(self))
    }

    /// Passes the value to `sink`, level by level, without recursion of its own on views. Fails at
    /// a part that is damaged or exceeds the limit of steps.
    pub fn push<S: EventSink>(&self, sink: &mut S) -> Result<(), Failure> {
        match self {
            Val::Null => sink.null()?,
            Val::Bool(value) => sink.bool(*value)?,
            Val::Number(number) => coconut_codec::event::push(&number.to_value(), sink)?,
            Val::String(text) => sink.string(text)?,
            Val::List(items) => {
                sink.begin_list()?;
                items.iter().try_for_each(|item| item.push(sink))?;
                sink.end_list()?;
            }
            Val::Object(entries) => {
                sink.begin_object()?;
                for (key, value) in entries.iter() {
                    sink.key(key)?;
                    value.push(sink)?;
                }
                sink.end_object()?;
            }
            Val::View(view) => {
                let opened = Val::from(view.opened());
                steps::check()?;
                opened.push(sink)?;
            }
        }
        Ok(())
    }

    fn rank(&self) -> u8 {
        match self {
            Val::Null => 0,
            Val::Bool(false) => 1,
            Val::Bool(true) => 2,
            Val::Number(_) => 3,
            Val::String(_) => 4,
            Val::List(_) => 5,
            Val::View(view) if view.is_list() => 5,
            Val::Object(_) | Val::View(_) => 6,
        }
    }
}

/// The keys in the order of their bytes, as `jq` sorts them.
pub(crate) fn sorted(entries: &Entries) -> Vec<(&Rc<str>, &Val)> {
    let mut sorted: Vec<_> = entries.iter().collect();
    sorted.sort_unstable_by_key(|(key, _)| *key);
    sorted
}

impl PartialEq for Val {
    fn eq(&self, other: &Val) -> bool {
        match (self, other) {
            (Val::Number(one), Val::Number(other)) => one == other,
            (Val::String(one), Val::String(other)) => one == other,
            (Val::View(one), Val::View(other)) if one.is_same(other) => true,
            (Val::Null | Val::Bool(_) | Val::Number(_) | Val::String(_), _)
            | (_, Val::Null | Val::Bool(_) | Val::Number(_) | Val::String(_)) => self.rank() == other.rank(),
            _ => match (self.clone().opened(), other.clone().opened()) {
                (Opened::List(one), Opened::List(other)) => one == other,
                (Opened::Object(one), Opened::Object(other)) => one == other,
                _ => false,
            },
        }
    }
}

impl Eq for Val {}

impl PartialOrd for Val {
    fn partial_cmp(&self, other: &Val) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Val {
    /// The order of `jq`: objects first by their sorted keys, then by the values of these.
    fn cmp(&self, other: &Val) -> Ordering {
        match (self, other) {
            (Val::Number(one), Val::Number(other)) => return one.cmp(other),
            (Val::String(one), Val::String(other)) => return one.cmp(other),
            (Val::View(one), Val::View(other)) if one.is_same(other) => return Ordering::Equal,
            _ if self.rank() != other.rank() => return self.rank().cmp(&other.rank()),
            _ => {}
        }
        match (self.clone().opened(), other.clone().opened()) {
            (Opened::List(one), Opened::List(other)) => one.cmp(&other),
            (Opened::Object(one), Opened::Object(other)) => {
                let (one, other) = (sorted(&one), sorted(&other));
                let keys = one.iter().map(|(key, _)| key).cmp(other.iter().map(|(key, _)| key));
                keys.then_with(|| {
                    one.iter().map(|(_, value)| value).cmp(other.iter().map(|(_, value)| value))
                })
            }
            _ => Ordering::Equal,
        }
    }
}

/// Compact JSON.
impl fmt::Display for Val {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use fmt::Write as _;
        match self {
            Val::Null => f.write_str("null"),
            Val::Bool(value) => value.fmt(f),
            Val::Number(number) => number.fmt(f),
            Val::String(text) => write_string(text, f),
            Val::List(items) => {
                f.write_char('[')?;
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        f.write_char(',')?;
                    }
                    item.fmt(f)?;
                }
                f.write_char(']')
            }
            Val::Object(entries) => {
                f.write_char('{')?;
                for (index, (key, value)) in entries.iter().enumerate() {
                    if index > 0 {
                        f.write_char(',')?;
                    }
                    write_string(key, f)?;
                    f.write_char(':')?;
                    value.fmt(f)?;
                }
                f.write_char('}')
            }
            Val::View(view) => match view.opened() {
                Opened::List(items) => Val::List(items).fmt(f),
                Opened::Object(entries) => Val::Object(entries).fmt(f),
                Opened::Other(other) => other.fmt(f),
            },
        }
    }
}

/// Writes a text as JSON. Escapes only what JSON requires.
pub(crate) fn write_string(text: &str, out: &mut impl fmt::Write) -> fmt::Result {
    out.write_char('"')?;
    let mut start = 0;
    for (at, byte) in text.bytes().enumerate() {
        let escape = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            8 => "\\b",
            12 => "\\f",
            0..32 => "",
            _ => continue,
        };
        out.write_str(&text[start..at])?;
        match escape {
            "" => write!(out, "\\u{byte:04x}")?,
            escape => out.write_str(escape)?,
        }
        start = at + 1;
    }
    out.write_str(&text[start..])?;
    out.write_char('"')
}

/// The characters of `text` that fit in `limit` bytes.
pub(crate) fn start_of(text: &str, limit: usize) -> &str {
    let mut end = limit.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// The beginning of a value as JSON, cut as `jq` cuts it in errors. Stops writing there.
struct Beginning(String);

/// The number of bytes of a value shown in an error of `jq`.
const SHOWN: usize = 29;

impl Beginning {
    fn of(value: &Val) -> String {
        let mut beginning = Beginning(String::new());
        let is_whole = fmt::Write::write_fmt(&mut beginning, format_args!("{value}")).is_ok();
        let mut text = beginning.0;
        if is_whole && text.len() <= SHOWN {
            return text;
        }
        let end = if matches!(value, Val::String(_)) { "...\"" } else { "..." };
        text.truncate(start_of(&text, SHOWN - end.len()).len());
        text + end
    }
}

impl fmt::Write for Beginning {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = (4 * SHOWN).saturating_sub(self.0.len());
        self.0.push_str(start_of(text, room));
        if self.0.len() > SHOWN { Err(fmt::Error) } else { Ok(()) }
    }
}

/// Receives the events of a text as a value.
#[derive(Default)]
pub(crate) struct ValSink {
    open: Vec<(Val, Option<Rc<str>>)>,
    root: Option<Val>,
}

impl ValSink {
    /// The value, if it was received completely.
    pub(crate) fn into_value(self) -> Option<Val> {
        self.root
    }

    fn add(&mut self, value: Val) -> Result<(), SinkError> {
        match self.open.last_mut() {
            None => self.root = Some(value),
            Some((Val::List(items), _)) => Rc::make_mut(items).push(value),
            Some((Val::Object(entries), key)) => {
                if let Some(key) = key.take() {
                    Rc::make_mut(entries).insert(key, value);
                }
            }
            Some(_) => return Err(SinkError::Order { expected: "a value" }),
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), SinkError> {
        match self.open.pop() {
            Some((value, _)) => self.add(value),
            None => Err(SinkError::Order { expected: "an open list or object" }),
        }
    }
}

impl EventSink for ValSink {
    fn null(&mut self) -> Result<(), SinkError> {
        self.add(Val::Null)
    }

    fn bool(&mut self, value: bool) -> Result<(), SinkError> {
        self.add(Val::Bool(value))
    }

    fn integer(&mut self, value: Integer) -> Result<(), SinkError> {
        self.add(Val::Number(value.into()))
    }

    fn float(&mut self, value: f64) -> Result<(), SinkError> {
        self.add(Val::Number(Number::Float(value)))
    }

    fn string(&mut self, value: &str) -> Result<(), SinkError> {
        self.add(Val::text(value))
    }

    fn begin_list(&mut self) -> Result<(), SinkError> {
        self.open.push((Val::List(Rc::default()), None));
        Ok(())
    }

    fn end_list(&mut self) -> Result<(), SinkError> {
        self.end()
    }

    fn begin_object(&mut self) -> Result<(), SinkError> {
        self.open.push((Val::Object(Rc::default()), None));
        Ok(())
    }

    fn key(&mut self, key: &str) -> Result<(), SinkError> {
        match self.open.last_mut() {
            Some((_, next)) => {
                *next = Some(key.into());
                Ok(())
            }
            None => Err(SinkError::Order { expected: "a value" }),
        }
    }

    fn end_object(&mut self) -> Result<(), SinkError> {
        self.end()
    }
}
