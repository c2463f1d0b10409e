//! §24.6 From rich data to a stream.

use super::attributes::{Model, names_of};
use super::members::{FORM, OLD_TYPE, OLD_VALUE, REFERENCE, SCALARS, TYPE, VALUE, forms, is_reserved};
use super::scalars::{decoded, is_base64, timespan_of, timestamp_of};
use crate::code::Code;
use crate::dialect::Dialect;
use crate::envelope::Encoding;
use crate::error::{PcoreError, PcoreErrorKind};
use crate::limits;
use crate::tape::{Entry, ObjectHeader, Stream, Tag, Time, place, text_tag};
use coconut_format::Integer;
use coconut_format::node::{Kind, Node};
use coconut_format::pointer::{push_index, push_key};
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

impl Stream<'static> {
    /// The stream of a document: one that [`push`](Stream::push) made, rich data of Puppet, or any
    /// other JSON.
    ///
    /// Attributes are put into the order of their type, if it is known to the dialect. Otherwise
    /// their order counts. Costs one pass, and memory for all texts.
    ///
    /// # Errors
    ///
    /// [`PcoreErrorKind::Rich`] for members of rich data that mean nothing, with the JSON pointer
    /// of the value; limits of streams.
    pub fn from_rich<'n, N: Node<'n>>(root: N, dialect: Dialect) -> Result<Stream<'static>, PcoreError> {
        let mut parser = Parser {
            dialect,
            data: Vec::new(),
            tape: Vec::new(),
            values: Vec::new(),
            wide: Vec::new(),
            floats: Vec::new(),
            times: Vec::new(),
            names: Vec::new(),
            headers: Vec::new(),
            shared: BTreeSet::new(),
            header_numbers: HashMap::new(),
            name_numbers: HashMap::new(),
            vertices: HashMap::new(),
            places: HashMap::new(),
            has_places: false,
            model: Model::of(dialect, has_old_program(root)),
            path: String::new(),
            levels: 0,
        };
        let mut is_tabulated = true;
        match graph_of(root) {
            Some((header, values)) => {
                is_tabulated = header.get("tabulated").and_then(Node::as_bool).unwrap_or(true);
                let vertices = root.get("vertices");
                for (key, value) in vertices.into_iter().flat_map(Node::entries) {
                    parser.vertices.insert(key, Vertex { value, place: None });
                }
                parser.path.push_str("/values");
                for (index, value) in values.items().enumerate() {
                    parser.values.push(place(parser.tape.len()));
                    parser.within_index(index, |parser| parser.value(value))?;
                }
                if parser.values.is_empty() {
                    return Err(parser.fault("a stream has a value"));
                }
            }
            None => {
                let mut left = limits::VALUES;
                parser.has_places = has_local_references(root, limits::DEPTH, &mut left);
                parser.values.push(0);
                parser.value(root)?;
            }
        }
        Ok(Stream {
            dialect,
            encoding: Encoding::Msgpack,
            envelope: None,
            data: Cow::Owned(parser.data),
            tape: parser.tape,
            values: parser.values,
            wide: parser.wide,
            floats: parser.floats,
            times: parser.times,
            names: parser.names,
            headers: parser.headers,
            shared: parser.shared,
            is_tabulated,
            is_plain: false,
        })
    }
}

/// The header and the values of the document of a graph.
fn graph_of<'n, N: Node<'n>>(root: N) -> Option<(N, N)> {
    let header = root.get("pcore").filter(|header| header.kind() == Kind::Object)?;
    header.get("dialect")?.as_str()?;
    let values = root.get("values").filter(|values| values.kind() == Kind::List)?;
    Some((header, values))
}

/// Whether a syntax tree is of the model before Puppet 5.0.
fn has_old_program<'n, N: Node<'n>>(root: N) -> bool {
    let is_old = |node: N| {
        node.get(TYPE).and_then(Node::as_str) == Some("Puppet::AST::Program")
            && node.get("source_text").is_some()
    };
    let vertices = root.get("vertices").into_iter().flat_map(Node::entries);
    is_old(root) || vertices.take(limits::DEPTH).any(|(_, vertex)| is_old(vertex))
}

/// Whether there is a reference by path, as Puppet writes it.
///
/// Visits at most `left` values. A document with more is refused later.
fn has_local_references<'n, N: Node<'n>>(node: N, levels: usize, left: &mut usize) -> bool {
    if levels == 0 || *left == 0 {
        return false;
    }
    *left -= 1;
    match node.kind() {
        Kind::List => node.items().any(|item| has_local_references(item, levels - 1, left)),
        Kind::Object => {
            node.get(TYPE).and_then(Node::as_str) == Some("LocalRef")
                || node.entries().any(|(_, value)| has_local_references(value, levels - 1, left))
        }
        _ => false,
    }
}

/// A value that references lead to.
struct Vertex<N> {
    value: N,
    /// Its place in the stream, once it has one.
    place: Option<u32>,
}

struct Parser<'n, N> {
    dialect: Dialect,
    data: Vec<u8>,
    tape: Vec<Entry>,
    values: Vec<u32>,
    wide: Vec<Integer>,
    floats: Vec<f64>,
    times: Vec<Time>,
    names: Vec<Box<str>>,
    headers: Vec<ObjectHeader>,
    shared: BTreeSet<u32>,
    header_numbers: HashMap<ObjectHeader, u32>,
    name_numbers: HashMap<Box<str>, u32>,
    vertices: HashMap<&'n str, Vertex<N>>,
    /// The places of containers by their pointers, if there are references by path.
    places: HashMap<String, u32>,
    has_places: bool,
    model: Model,
    path: String,
    levels: usize,
}

impl<'n, N: Node<'n>> Parser<'n, N> {
    fn fault(&self, fault: &'static str) -> PcoreError {
        PcoreErrorKind::Rich { fault }.at(0).at_path(&self.path)
    }

    fn within_key<T>(
        &mut self,
        key: &str,
        read: impl FnOnce(&mut Self) -> Result<T, PcoreError>,
    ) -> Result<T, PcoreError> {
        let length = self.path.len();
        push_key(&mut self.path, key);
        let result = read(self)?;
        self.path.truncate(length);
        Ok(result)
    }

    fn within_index<T>(
        &mut self,
        index: usize,
        read: impl FnOnce(&mut Self) -> Result<T, PcoreError>,
    ) -> Result<T, PcoreError> {
        let length = self.path.len();
        push_index(&mut self.path, index);
        let result = read(self)?;
        self.path.truncate(length);
        Ok(result)
    }

    fn push(&mut self, entry: Entry) -> Result<(), PcoreError> {
        if self.tape.len() >= limits::VALUES {
            let limit = limits::VALUES as u64;
            return Err(PcoreErrorKind::Limit { what: "values", limit }.at(0).at_path(&self.path));
        }
        self.tape.push(entry);
        Ok(())
    }

    fn text(&mut self, tag: Tag, bytes: &[u8]) -> Result<(), PcoreError> {
        let at = u32::try_from(self.data.len()).ok();
        let entry = at.and_then(|at| Entry::text(tag, at, bytes.len()));
        let limit = limits::TEXT_BYTES;
        let fault = PcoreErrorKind::Limit { what: "bytes of a text, or of all texts", limit };
        let entry = entry.ok_or_else(|| fault.at(0).at_path(&self.path))?;
        self.data.extend_from_slice(bytes);
        self.push(entry)
    }

    fn value(&mut self, node: N) -> Result<(), PcoreError> {
        match node.kind() {
            Kind::Null => self.push(Entry::bare(Tag::Nil)),
            Kind::Bool => {
                let tag = if node.as_bool() == Some(true) { Tag::True } else { Tag::False };
                self.push(Entry::bare(tag))
            }
            Kind::Integer => self.integer(node.as_integer().unwrap_or(Integer::from(0_u64))),
            Kind::Float => self.float(node.as_float().unwrap_or_default()),
            Kind::String => self.text(Tag::Str, node.as_str().unwrap_or_default().as_bytes()),
            Kind::List => self.nested(|parser| parser.list(Tag::Array, node)),
            Kind::Object => self.nested(|parser| parser.object(node)),
        }
    }

    fn nested(&mut self, read: impl FnOnce(&mut Self) -> Result<(), PcoreError>) -> Result<(), PcoreError> {
        if self.levels >= limits::DEPTH {
            let limit = limits::DEPTH as u64;
            return Err(PcoreErrorKind::Limit { what: "levels of nesting", limit }.at(0).at_path(&self.path));
        }
        if self.has_places {
            self.places.insert(self.path.clone(), place(self.tape.len()));
        }
        self.levels += 1;
        read(self)?;
        self.levels -= 1;
        Ok(())
    }

    fn integer(&mut self, value: Integer) -> Result<(), PcoreError> {
        let entry = Entry::integer(value).unwrap_or_else(|| {
            self.wide.push(value);
            Entry::new(Tag::Wide, self.wide.len() as u64 - 1)
        });
        self.push(entry)
    }

    fn float(&mut self, value: f64) -> Result<(), PcoreError> {
        self.floats.push(value);
        self.push(Entry::new(Tag::Float, self.floats.len() as u64 - 1))
    }

    fn list(&mut self, tag: Tag, list: N) -> Result<(), PcoreError> {
        self.push(Entry::new(tag, list.width() as u64))?;
        self.items(list)
    }

    fn items(&mut self, list: N) -> Result<(), PcoreError> {
        for (index, item) in list.items().enumerate() {
            self.within_index(index, |parser| parser.value(item))?;
        }
        Ok(())
    }

    fn object(&mut self, node: N) -> Result<(), PcoreError> {
        if let Some(key) = node.get(REFERENCE).filter(|_| node.width() == 1) {
            return match key.as_str() {
                Some(key) => self.reference(key),
                None => Err(self.fault("the key of a reference is a text")),
            };
        }
        for (name, value) in [(TYPE, VALUE), (OLD_TYPE, OLD_VALUE)] {
            let Some(of) = node.get(name) else { continue };
            return match (of.as_str(), of.kind()) {
                (Some(of), _) => self.typed(of, node, name, node.get(value)),
                (None, Kind::Object) => self.typed_object(node, of, name),
                _ => Err(self.fault("a type is a name or an object")),
            };
        }
        self.push(Entry::new(Tag::Map, node.width() as u64).with_keys(true, false))?;
        for (key, value) in node.entries() {
            self.text(Tag::Str, key.as_bytes())?;
            self.within_key(key, |parser| parser.value(value))?;
        }
        Ok(())
    }

    /// A reference to a vertex. The first one is the vertex itself.
    fn reference(&mut self, key: &str) -> Result<(), PcoreError> {
        let here = place(self.tape.len());
        let Some(vertex) = self.vertices.get_mut(key) else {
            return Err(self.fault("there is no vertex of this key"));
        };
        match vertex.place {
            Some(at) => self.refer(at),
            None => {
                vertex.place = Some(here);
                let form = vertex.value.get(FORM).and_then(Node::as_str);
                // The mark of a secret belongs to the document, not to the stream.
                let value = match (form, vertex.value.get(VALUE)) {
                    (Some(forms::VERTEX), Some(value)) => value,
                    _ => vertex.value,
                };
                // Its pointer begins anew.
                let path = std::mem::replace(&mut self.path, String::from("/vertices"));
                self.within_key(key, |parser| parser.value(value))?;
                self.path = path;
                Ok(())
            }
        }
    }

    fn refer(&mut self, place: u32) -> Result<(), PcoreError> {
        self.shared.insert(place);
        self.push(Entry::new(Tag::Reference, place.into()))
    }

    /// A value with the name of a type.
    fn typed(&mut self, name: &str, node: N, type_key: &str, value: Option<N>) -> Result<(), PcoreError> {
        let form = node.get(FORM).and_then(Node::as_str);
        if name == "Pcore::TypeReferenceType"
            && let Some(text) = node.get("type_string")
        {
            return self.text_of(Tag::TypeReference, Some(text), form);
        }
        if !SCALARS.contains(&name) || form == Some(forms::OBJECT) {
            return self.named_object(name, node, type_key);
        }
        match name {
            "Default" => self.push(Entry::bare(Tag::Default)),
            "Sensitive" => {
                let value = value.ok_or_else(|| self.fault("a Sensitive has a `__pvalue`"))?;
                self.sensitive(value)
            }
            "Hash" => {
                let list = value.filter(|value| value.kind() == Kind::List);
                let list = list.filter(|list| list.width().is_multiple_of(2));
                let list =
                    list.ok_or_else(|| self.fault("the `__pvalue` of a Hash is a list of keys and values"))?;
                let tag = if form == Some(forms::PLAIN) { Tag::PlainMap } else { Tag::Map };
                let keys = list.items().step_by(2);
                let mut texts: Vec<&str> = keys.filter_map(Node::as_str).collect();
                let count = list.width() as u64 / 2;
                let has_reserved = texts.iter().any(|text| is_reserved(text.as_bytes(), count));
                let are_texts = texts.len() as u64 == count;
                texts.sort_unstable();
                if texts.windows(2).any(|pair| pair[0] == pair[1]) {
                    return Err(PcoreErrorKind::DuplicateKey.at(0).at_path(&self.path));
                }
                self.push(Entry::new(tag, count).with_keys(are_texts, has_reserved))?;
                self.within_key(VALUE, |parser| parser.items(list))
            }
            "Array" => {
                let list = value.filter(|value| value.kind() == Kind::List);
                let list = list.ok_or_else(|| self.fault("the `__pvalue` of an Array is a list"))?;
                let tag = if form == Some(forms::PLAIN) { Tag::PlainArray } else { Tag::Array };
                self.within_key(VALUE, |parser| parser.list(tag, list))
            }
            "String" => self.encoded(Tag::Str, value),
            "Binary" => self.binary(value, form),
            "Float" => self.typed_float(value, form),
            "Timestamp" => self.time(Tag::Timestamp, value),
            "Timespan" => self.time(Tag::Timespan, value),
            "LocalRef" => self.local_reference(value),
            _ => {
                let code = Code::ALL.iter().find(|code| code.text_type() == Some(name));
                let tag = code.and_then(|code| text_tag(*code)).unwrap_or(Tag::Comment);
                self.text_of(tag, value, form)
            }
        }
    }

    fn text_of(&mut self, tag: Tag, value: Option<N>, form: Option<&str>) -> Result<(), PcoreError> {
        match value.and_then(Node::as_str) {
            Some(_) if form == Some(forms::BYTES) => self.encoded(tag, value),
            Some(text) => self.text(tag, text.as_bytes()),
            None => Err(self.fault("the `__pvalue` of this type is a text")),
        }
    }

    fn encoded(&mut self, tag: Tag, value: Option<N>) -> Result<(), PcoreError> {
        let bytes = value.and_then(Node::as_str).and_then(|text| decoded(text.as_bytes()));
        match bytes {
            Some(bytes) => self.text(tag, &bytes),
            None => Err(self.fault("the `__pvalue` is not strict Base64")),
        }
    }

    fn sensitive(&mut self, value: N) -> Result<(), PcoreError> {
        if !self.dialect.has_sensitive_payloads() {
            self.push(Entry::new(Tag::Sensitive, 1))?;
            return self.within_key(VALUE, |parser| parser.value(value));
        }
        self.push(Entry::new(Tag::SensitivePayload, 1))?;
        let here = self.tape.len();
        self.within_key(VALUE, |parser| parser.value(value))?;
        match self.tape.get(here).map(|entry| entry.tag()) {
            Some(tag) if tag <= Tag::Bin => Ok(()),
            _ => Err(self.fault("a secret is a text, a number or a boolean in ruby-4.8")),
        }
    }

    fn binary(&mut self, value: Option<N>, form: Option<&str>) -> Result<(), PcoreError> {
        let code = match form {
            Some(forms::BYTES) => return self.encoded(Tag::Bin, value),
            Some(forms::BINARY) if !self.dialect.has_sensitive_payloads() => Code::Binary,
            Some(forms::BASE64) => Code::Base64,
            _ => self.dialect.bytes_code(),
        };
        match code {
            Code::Binary => self.encoded(Tag::Binary, value),
            _ => match value.and_then(Node::as_str).filter(|text| is_base64(text.as_bytes())) {
                Some(text) => self.text(Tag::Base64, text.as_bytes()),
                None => Err(self.fault("the `__pvalue` is not strict Base64")),
            },
        }
    }

    fn typed_float(&mut self, value: Option<N>, form: Option<&str>) -> Result<(), PcoreError> {
        let number = value.and_then(|value| match value.as_str() {
            Some("NaN") => Some(f64::NAN),
            Some("Infinity") => Some(f64::INFINITY),
            Some("-Infinity") => Some(f64::NEG_INFINITY),
            Some(_) => None,
            None => value.as_float().or_else(|| value.as_integer().map(Integer::as_f64)),
        });
        let number = number.ok_or_else(|| self.fault("the `__pvalue` of a Float is a number or NaN"))?;
        match form {
            Some(forms::FLOAT_32) => {
                #[expect(clippy::cast_possible_truncation, reason = "the form is of 32 bits")]
                let bits = (number as f32).to_bits();
                self.push(Entry::new(Tag::Float32, bits.into()))
            }
            _ => self.float(number),
        }
    }

    fn time(&mut self, tag: Tag, value: Option<N>) -> Result<(), PcoreError> {
        let time = value.and_then(|value| match value.as_str() {
            Some(text) if tag == Tag::Timestamp => timestamp_of(text),
            Some(text) => timespan_of(text).map(|(time, _)| time),
            None => {
                let mut numbers = value.items().map(Node::as_integer);
                let seconds = numbers.next()??.as_i64()?;
                let nanoseconds = u32::try_from(numbers.next()??.as_u64()?).ok()?;
                let is_pair = numbers.next().is_none() && nanoseconds < 1_000_000_000;
                is_pair.then_some(Time { seconds, nanoseconds })
            }
        });
        let time = time.ok_or_else(|| self.fault("the `__pvalue` is not a time"))?;
        self.times.push(time);
        self.push(Entry::new(tag, self.times.len() as u64 - 1))
    }

    /// A reference by path: `$['a'][0]`.
    fn local_reference(&mut self, value: Option<N>) -> Result<(), PcoreError> {
        let pointer = value.and_then(Node::as_str).and_then(pointer_of);
        match pointer.and_then(|pointer| self.places.get(&pointer).copied()) {
            Some(place) => self.refer(place),
            None => Err(self.fault("a LocalRef leads to no list, hash or object before it")),
        }
    }

    /// An object by the name of its type, with its attributes in the order of the type.
    fn named_object(&mut self, name: &str, node: N, type_key: &str) -> Result<(), PcoreError> {
        let is_word = |segment: &str| {
            let mut letters = segment.chars();
            letters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
                && letters.all(|letter| letter.is_alphanumeric() || letter == '_')
        };
        if name.len() > limits::NAME_BYTES || !name.split("::").all(is_word) {
            return Err(self.fault("the name of a type has segments that are words, with `::` between"));
        }
        let attributes = self.attributes_of(node, type_key, names_of(self.model, name))?;
        let number = match self.name_numbers.get(name) {
            Some(&number) => number,
            None => {
                let number = place(self.names.len());
                self.names.push(name.into());
                self.name_numbers.insert(name.into(), number);
                number
            }
        };
        let count = u32::try_from(attributes.len()).unwrap_or(u32::MAX);
        let header = ObjectHeader { name: number, count };
        let headers = &mut self.headers;
        let number = *self.header_numbers.entry(header).or_insert_with(|| {
            headers.push(header);
            place(headers.len()) - 1
        });
        self.push(Entry::new(Tag::Object, number.into()))?;
        self.put_attributes(attributes)
    }

    fn typed_object(&mut self, node: N, definition: N, type_key: &str) -> Result<(), PcoreError> {
        let attributes = self.attributes_of(node, type_key, &[])?;
        self.push(Entry::new(Tag::TypedObject, attributes.len() as u64))?;
        self.within_key(type_key, |parser| parser.value(definition))?;
        self.put_attributes(attributes)
    }

    fn put_attributes(&mut self, attributes: Vec<(&'n str, N)>) -> Result<(), PcoreError> {
        for (key, value) in attributes {
            self.within_key(key, |parser| parser.value(value))?;
        }
        Ok(())
    }

    /// The attributes of an object. Those with names are put into their order, and no attribute
    /// before another can be missing, because a stream has no names.
    fn attributes_of(
        &self,
        node: N,
        type_key: &str,
        names: &[&str],
    ) -> Result<Vec<(&'n str, N)>, PcoreError> {
        let own = node.entries().filter(|(key, _)| *key != type_key && *key != FORM);
        let mut attributes: Vec<(&'n str, N)> = own.collect();
        let position = |key: &str| {
            let number = || key.parse::<usize>().ok().filter(|_| !key.starts_with('+'));
            names.iter().position(|name| *name == key).or_else(number)
        };
        if names.is_empty() {
            return Ok(attributes);
        }
        if attributes.iter().any(|(key, _)| position(key).is_none()) {
            return Err(self.fault("the type has no attribute of one of these names"));
        }
        attributes.sort_by_key(|(key, _)| position(key));
        let is_complete =
            attributes.iter().enumerate().all(|(number, (key, _))| position(key) == Some(number));
        match is_complete {
            true => Ok(attributes),
            false => Err(self.fault("an attribute before another one is missing")),
        }
    }
}

/// The JSON pointer of a path like `$['a'][0]`.
fn pointer_of(path: &str) -> Option<String> {
    let mut rest = path.strip_prefix('$')?;
    let mut pointer = String::new();
    while !rest.is_empty() {
        rest = rest.strip_prefix('[')?;
        if let Some(quoted) = rest.strip_prefix('\'') {
            let mut key = String::new();
            let mut letters = quoted.char_indices();
            let end = loop {
                match letters.next()? {
                    (at, '\'') => break at,
                    (_, '\\') => {
                        let (_, letter) = letters.next()?;
                        if !matches!(letter, '\'' | '\\') {
                            key.push('\\');
                        }
                        key.push(letter);
                    }
                    (_, letter) => key.push(letter),
                }
            };
            push_key(&mut pointer, &key);
            rest = quoted.get(end + 1..)?.strip_prefix(']')?;
        } else {
            let (number, after) = rest.split_once(']')?;
            push_index(&mut pointer, number.parse::<u32>().ok()?);
            rest = after;
        }
    }
    Some(pointer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_pointers() {
        assert_eq!(pointer_of("$").as_deref(), Some(""));
        assert_eq!(pointer_of(r"$['a/b'][10]['it\'s']").as_deref(), Some("/a~1b/10/it's"));
        for path in ["a", "$[", "$['a'", "$[x]", "$['a']b"] {
            assert_eq!(pointer_of(path), None, "{path}");
        }
    }
}
