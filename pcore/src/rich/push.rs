//! §24.6 From a stream to rich data.

use super::attributes::{Model, names_of};
use super::definition::Definitions;
use super::members::{FORM, REFERENCE, SCALARS, TYPE, VALUE, forms};
use super::scalars::{base64, timespan, timestamp};
use crate::code::Code;
use crate::tape::{Entry, Stream, Tag, place};
use coconut_codec::event::{EventSink, SinkError};
use coconut_format::Integer;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

impl Stream<'_> {
    /// Pushes the document of a stream.
    ///
    /// One value without references is the document itself. Otherwise, the document is a graph: its
    /// `vertices` are the values that references lead to, by their number in the stream, and the
    /// values that are not in others. Nothing is expanded, so costs and memory are linear in the
    /// stream.
    ///
    /// ```
    /// use coconut_codec::event::ValueSink;
    /// use coconut_format::Value;
    /// use coconut_pcore::Stream;
    ///
    /// // [array [sensitive "s"]]
    /// let stream = Stream::read(b"\xd4\x10\x01\xc7\x00\x14\xa1s", None)?;
    /// let mut sink = ValueSink::new();
    /// stream.push(&mut sink).expect("it has no duplicate keys");
    /// let Some(Value::List(items)) = sink.finish() else { panic!("it is a list") };
    /// assert_eq!(items[0].get("__ptype").and_then(Value::as_str), Some("Sensitive"));
    /// # Ok::<(), coconut_pcore::PcoreError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of the sink: nesting of more than 512 levels, for example.
    pub fn push<S: EventSink>(&self, sink: &mut S) -> Result<(), SinkError> {
        let has_old_program = self.headers.iter().any(|header| {
            header.count == Model::OLD_PROGRAM && &*self.names[header.name as usize] == "Puppet::AST::Program"
        });
        let mut pusher = Pusher {
            stream: self,
            sink,
            model: Model::of(self.dialect, has_old_program),
            vertices: BTreeSet::new(),
            ends: HashMap::new(),
            secrets: BTreeSet::new(),
            definitions: Definitions::new(self),
        };
        match self.is_document() {
            true => pusher.value(self.values[0]).map(|_| ()),
            false => pusher.graph(),
        }
    }

    /// Whether the only value is the document itself.
    fn is_document(&self) -> bool {
        let [root] = self.values[..] else { return false };
        self.shared.is_empty() && (self.is_tabulated || self.is_plain) && !self.looks_like_graph(root)
    }

    /// Whether a hash would be read as the document of a graph.
    fn looks_like_graph(&self, root: u32) -> bool {
        if !matches!(self.entry(root).tag(), Tag::Map | Tag::PlainMap) {
            return false;
        }
        let mut key = root + 1;
        for _ in 0..self.entry(root).count() {
            if self.entry(key).tag() == Tag::Str && self.bytes(self.entry(key)) == b"pcore" {
                return true;
            }
            key = self.end_of(self.end_of(key));
        }
        false
    }
}

struct Pusher<'s, S> {
    stream: &'s Stream<'s>,
    sink: &'s mut S,
    model: Model,
    vertices: BTreeSet<u32>,
    /// The places after the vertices.
    ends: HashMap<u32, u32>,
    /// The vertices that are a part of a secret.
    secrets: BTreeSet<u32>,
    /// The attributes of object types in the stream, by their places.
    definitions: Definitions<'s>,
}

impl<'s, S: EventSink> Pusher<'s, S> {
    /// The document of a graph.
    fn graph(&mut self) -> Result<(), SinkError> {
        let stream = self.stream;
        let is_container = |at: &&u32| stream.children(stream.entry(**at)) > 0;
        self.vertices = stream.shared.clone();
        if !stream.shared.is_empty() {
            self.vertices.extend(stream.values.iter().filter(is_container));
        }
        self.find_ends();
        self.find_secrets();
        self.sink.begin_object()?;
        self.sink.key("pcore")?;
        self.sink.begin_object()?;
        self.text("dialect", stream.dialect.name())?;
        if !stream.is_tabulated {
            self.sink.key("tabulated")?;
            self.sink.bool(false)?;
        }
        self.sink.end_object()?;
        self.sink.key("values")?;
        self.sink.begin_list()?;
        for &at in &stream.values {
            self.value(at)?;
        }
        self.sink.end_list()?;
        let vertices: Vec<u32> = self.vertices.iter().copied().collect();
        if !vertices.is_empty() {
            self.sink.key("vertices")?;
            self.sink.begin_object()?;
            for at in vertices {
                self.sink.key(&at.to_string())?;
                if !self.secrets.contains(&at) {
                    self.content(at)?;
                    continue;
                }
                // A part of a secret is marked as one, too, because it has another place.
                self.begin_typed("Sensitive")?;
                self.sink.key(VALUE)?;
                self.content(at)?;
                self.text(FORM, forms::VERTEX)?;
                self.sink.end_object()?;
            }
            self.sink.end_object()?;
        }
        self.sink.end_object()
    }

    /// Finds the ends of all vertices in one pass.
    fn find_ends(&mut self) {
        let stream = self.stream;
        let mut open: Vec<(u32, u64)> = Vec::new();
        for (at, entry) in stream.tape.iter().enumerate() {
            open.push((place(at), stream.children(*entry)));
            while let Some((owner, 0)) = open.last().copied() {
                open.pop();
                if self.vertices.contains(&owner) {
                    self.ends.insert(owner, place(at) + 1);
                }
                if let Some((_, left)) = open.last_mut() {
                    *left -= 1;
                }
            }
        }
    }

    /// Finds the vertices that secrets lead to. Visits each value at most once.
    fn find_secrets(&mut self) {
        let stream = self.stream;
        let mut is_seen = vec![false; stream.tape.len()];
        let secrets = stream
            .tape
            .iter()
            .zip(0..)
            .filter(|(entry, _)| matches!(entry.tag(), Tag::Sensitive | Tag::SensitivePayload));
        let mut pending: Vec<u32> = secrets.map(|(_, at)| at + 1).collect();
        while let Some(start) = pending.pop() {
            let (mut at, mut left) = (start, 1);
            while left > 0 && !std::mem::replace(&mut is_seen[at as usize], true) {
                let entry = stream.entry(at);
                if self.vertices.contains(&at) {
                    self.secrets.insert(at);
                }
                if entry.tag() == Tag::Reference {
                    pending.push(entry.low_bits());
                }
                left = left - 1 + stream.children(entry);
                at += 1;
            }
        }
    }

    /// Pushes the value at a place, or a reference to it. Returns the place after it.
    fn value(&mut self, at: u32) -> Result<u32, SinkError> {
        if self.vertices.contains(&at) {
            self.reference(at)?;
            return Ok(self.ends.get(&at).copied().unwrap_or_else(|| self.stream.end_of(at)));
        }
        self.content(at)
    }

    fn reference(&mut self, target: u32) -> Result<(), SinkError> {
        self.sink.begin_object()?;
        self.text(REFERENCE, &target.to_string())?;
        self.sink.end_object()
    }

    /// Pushes the value at a place. Returns the place after it.
    fn content(&mut self, at: u32) -> Result<u32, SinkError> {
        let stream = self.stream;
        let entry = stream.entry(at);
        match entry.tag() {
            Tag::Array => self.items(at + 1, entry.number()),
            Tag::PlainArray if stream.is_plain => self.items(at + 1, entry.number()),
            Tag::PlainArray => {
                self.begin_typed("Array")?;
                self.sink.key(VALUE)?;
                let end = self.items(at + 1, entry.number())?;
                self.text(FORM, forms::PLAIN)?;
                self.sink.end_object()?;
                Ok(end)
            }
            Tag::Map | Tag::PlainMap => self.map(at, entry),
            Tag::Object => self.object(at, entry),
            Tag::TypedObject => self.typed_object(at, entry),
            Tag::Sensitive | Tag::SensitivePayload => {
                self.begin_typed("Sensitive")?;
                self.sink.key(VALUE)?;
                let end = self.value(at + 1)?;
                self.sink.end_object()?;
                Ok(end)
            }
            Tag::Reference => {
                self.reference(entry.low_bits())?;
                Ok(at + 1)
            }
            _ => {
                self.scalar(entry)?;
                Ok(at + 1)
            }
        }
    }

    fn items(&mut self, mut at: u32, count: u64) -> Result<u32, SinkError> {
        self.sink.begin_list()?;
        for _ in 0..count {
            at = self.value(at)?;
        }
        self.sink.end_list()?;
        Ok(at)
    }

    /// A hash is an object if all keys are texts that mean nothing else, and otherwise a list of
    /// keys and values.
    fn map(&mut self, at: u32, entry: Entry) -> Result<u32, SinkError> {
        let stream = self.stream;
        let is_foreign = entry.tag() == Tag::PlainMap && !stream.is_plain;
        if is_foreign || !entry.has_text_keys(stream.is_plain) {
            self.begin_typed("Hash")?;
            self.sink.key(VALUE)?;
            let end = self.items(at + 1, entry.count() * 2)?;
            if is_foreign {
                self.text(FORM, forms::PLAIN)?;
            }
            self.sink.end_object()?;
            return Ok(end);
        }
        self.sink.begin_object()?;
        let mut at = at + 1;
        for _ in 0..entry.count() {
            let key = str::from_utf8(stream.bytes(stream.entry(at))).unwrap_or_default();
            self.sink.key(key)?;
            at = self.value(at + 1)?;
        }
        self.sink.end_object()?;
        Ok(at)
    }

    fn object(&mut self, at: u32, entry: Entry) -> Result<u32, SinkError> {
        let (name, count) = self.stream.header(entry);
        self.begin_typed(name)?;
        // The form of 0x31 has the name of the attribute.
        let names = if name == "Pcore::TypeReferenceType" { &[] } else { names_of(self.model, name) };
        let end = self.attributes(at + 1, count.into(), names)?;
        if SCALARS.contains(&name) {
            self.text(FORM, forms::OBJECT)?;
        }
        self.sink.end_object()?;
        Ok(end)
    }

    fn typed_object(&mut self, at: u32, entry: Entry) -> Result<u32, SinkError> {
        self.sink.begin_object()?;
        self.sink.key(TYPE)?;
        let definition = self.stream.resolved(at + 1);
        let first = self.value(at + 1)?;
        let names = self.definitions.names_of(definition);
        let end = self.attributes(first, entry.number(), &names)?;
        self.sink.end_object()?;
        Ok(end)
    }

    /// The values of attributes, by name if it is known, otherwise by position.
    fn attributes(&mut self, mut at: u32, count: u64, names: &[&str]) -> Result<u32, SinkError> {
        for position in 0..count {
            let name = usize::try_from(position).ok().and_then(|position| names.get(position));
            match name {
                Some(name) => self.sink.key(name)?,
                None => self.sink.key(&position.to_string())?,
            }
            at = self.value(at)?;
        }
        Ok(at)
    }

    fn scalar(&mut self, entry: Entry) -> Result<(), SinkError> {
        let stream = self.stream;
        match entry.tag() {
            Tag::Nil => self.sink.null(),
            Tag::False => self.sink.bool(false),
            Tag::True => self.sink.bool(true),
            Tag::Integer => self.sink.integer(Integer::from(entry.small_integer())),
            Tag::Wide => self.sink.integer(stream.wide[entry.index()]),
            Tag::Float => self.float(stream.floats[entry.index()], None),
            Tag::Float32 => self.float(f32::from_bits(entry.low_bits()).into(), Some(forms::FLOAT_32)),
            Tag::Str => match str::from_utf8(stream.bytes(entry)) {
                Ok(text) => self.sink.string(text),
                Err(_) => self.typed("String", &base64(stream.bytes(entry)), None),
            },
            Tag::Bin => self.typed("Binary", &base64(stream.bytes(entry)), Some(forms::BYTES)),
            Tag::Binary => {
                let form = (stream.dialect.bytes_code() != Code::Binary).then_some(forms::BINARY);
                self.typed("Binary", &base64(stream.bytes(entry)), form)
            }
            Tag::Base64 => {
                let form = (stream.dialect.bytes_code() != Code::Base64).then_some(forms::BASE64);
                let text = String::from_utf8_lossy(stream.bytes(entry));
                self.typed("Binary", &text, form)
            }
            Tag::Timestamp => {
                let time = stream.times[entry.index()];
                match timestamp(time) {
                    Some(text) => self.typed("Timestamp", &text, None),
                    None => self.time("Timestamp", time.seconds, time.nanoseconds),
                }
            }
            Tag::Timespan => {
                let time = stream.times[entry.index()];
                match time.seconds {
                    i64::MIN => self.time("Timespan", time.seconds, time.nanoseconds),
                    _ => self.typed("Timespan", &timespan(time), None),
                }
            }
            Tag::Default => {
                self.begin_typed("Default")?;
                self.sink.end_object()
            }
            _ => self.text_scalar(entry),
        }
    }

    /// A scalar of an extension with a text.
    fn text_scalar(&mut self, entry: Entry) -> Result<(), SinkError> {
        let bytes = self.stream.bytes(entry);
        let (text, form) = match str::from_utf8(bytes) {
            Ok(text) => (Cow::Borrowed(text), None),
            Err(_) => (Cow::Owned(base64(bytes)), Some(forms::BYTES)),
        };
        let name = entry.code().and_then(Code::text_type).unwrap_or("String");
        if entry.tag() != Tag::TypeReference {
            return self.typed(name, &text, form);
        }
        self.begin_typed(name)?;
        self.text("type_string", &text)?;
        if let Some(form) = form {
            self.text(FORM, form)?;
        }
        self.sink.end_object()
    }

    /// A float that is not finite has a text, because JSON has no such numbers.
    fn float(&mut self, value: f64, form: Option<&str>) -> Result<(), SinkError> {
        if value.is_finite() && form.is_none() {
            return self.sink.float(value);
        }
        self.begin_typed("Float")?;
        self.sink.key(VALUE)?;
        match value {
            _ if value.is_nan() => self.sink.string("NaN")?,
            f64::INFINITY => self.sink.string("Infinity")?,
            f64::NEG_INFINITY => self.sink.string("-Infinity")?,
            _ => self.sink.float(value)?,
        }
        if let Some(form) = form {
            self.text(FORM, form)?;
        }
        self.sink.end_object()
    }

    /// A time that has no text, as seconds and nanoseconds.
    fn time(&mut self, name: &str, seconds: i64, nanoseconds: u32) -> Result<(), SinkError> {
        self.begin_typed(name)?;
        self.sink.key(VALUE)?;
        self.sink.begin_list()?;
        self.sink.integer(Integer::from(seconds))?;
        self.sink.integer(Integer::from(u64::from(nanoseconds)))?;
        self.sink.end_list()?;
        self.sink.end_object()
    }

    fn typed(&mut self, name: &str, value: &str, form: Option<&str>) -> Result<(), SinkError> {
        self.begin_typed(name)?;
        self.text(VALUE, value)?;
        if let Some(form) = form {
            self.text(FORM, form)?;
        }
        self.sink.end_object()
    }

    fn begin_typed(&mut self, name: &str) -> Result<(), SinkError> {
        self.sink.begin_object()?;
        self.text(TYPE, name)
    }

    fn text(&mut self, key: &str, value: &str) -> Result<(), SinkError> {
        self.sink.key(key)?;
        self.sink.string(value)
    }
}
