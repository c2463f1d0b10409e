//! §24.6 Names of attributes from the types that are in a stream themselves.

use crate::limits;
use crate::tape::{Stream, Tag};
use std::collections::HashMap;
use std::rc::Rc;

/// Types of which a type inherits attributes.
const PARENTS: usize = 64;

/// The object types of a stream, each read once.
pub(crate) struct Definitions<'s> {
    stream: &'s Stream<'s>,
    names: HashMap<u32, Rc<[&'s str]>>,
    /// The steps left. Without them, attributes have positions.
    steps: u64,
}

impl<'s> Definitions<'s> {
    pub(crate) fn new(stream: &'s Stream<'s>) -> Definitions<'s> {
        let steps = limits::DEFINITION_STEPS.saturating_mul(stream.len() as u64);
        let steps = steps.saturating_add(limits::DEFINITION_STEPS_MIN);
        Definitions { stream, names: HashMap::new(), steps }
    }

    /// The attributes of the type at a place, in the order of its constructor: those that are
    /// required first. Empty if the definition is not understood.
    pub(crate) fn names_of(&mut self, at: u32) -> Rc<[&'s str]> {
        if let Some(names) = self.names.get(&at) {
            return Rc::clone(names);
        }
        let names: Rc<[&str]> = self.read(at).unwrap_or_default().into();
        self.names.insert(at, Rc::clone(&names));
        names
    }

    fn read(&mut self, at: u32) -> Option<Vec<&'s str>> {
        let mut chain = vec![at];
        while chain.len() < PARENTS
            && let Some(hash) = chain.last().and_then(|at| self.init_hash(*at))
            && let Some(parent) = self.member(hash, "parent")?
        {
            chain.push(self.stream.resolved(parent));
        }
        let (mut required, mut optional) = (Vec::new(), Vec::new());
        for at in chain.into_iter().rev() {
            let Some(hash) = self.init_hash(at) else { continue };
            let Some(attributes) = self.member(hash, "attributes")? else { continue };
            for (name, value) in self.entries(self.stream.resolved(attributes))? {
                let value = self.stream.resolved(value);
                let kind = self.member(value, "kind")?;
                let kind = kind.map(|kind| self.stream.bytes(self.stream.entry(kind)));
                if matches!(kind, Some(b"derived" | b"constant")) {
                    continue;
                }
                let has_value = self.member(value, "value")?.is_some();
                let is_word = name.starts_with(|first: char| first.is_ascii_lowercase() || first == '_')
                    && !name.starts_with("__p");
                let is_known = required.contains(&name) || optional.contains(&name);
                if !is_word || is_known || required.len() + optional.len() == limits::ATTRIBUTES {
                    return None;
                }
                match has_value || kind == Some(b"given_or_derived") {
                    true => optional.push(name),
                    false => required.push(name),
                }
            }
        }
        required.append(&mut optional);
        Some(required)
    }

    /// The hash that initializes an object type.
    fn init_hash(&self, at: u32) -> Option<u32> {
        let entry = self.stream.entry(at);
        let is_type = entry.tag() == Tag::Object && self.stream.header(entry) == ("Pcore::ObjectType", 1);
        is_type.then(|| self.stream.resolved(at + 1))
    }

    /// The entries of a hash with texts as keys. `None` if there are no steps left.
    fn entries(&mut self, at: u32) -> Option<Vec<(&'s str, u32)>> {
        let stream = self.stream;
        let entry = stream.entry(at);
        let mut entries = Vec::new();
        let mut key = at + 1;
        for _ in 0..if entry.tag() == Tag::Map { entry.count() } else { 0 } {
            let value = stream.end_of(key);
            let end = stream.end_of(value);
            self.steps = self.steps.checked_sub(u64::from(end - key))?;
            let text = Some(stream.entry(key)).filter(|entry| entry.tag() == Tag::Str);
            if let Some(Ok(text)) = text.map(|text| str::from_utf8(stream.bytes(text))) {
                entries.push((text, value));
            }
            key = end;
        }
        Some(entries)
    }

    /// The value of a key of a hash, if it has one. `None` if there are no steps left.
    fn member(&mut self, at: u32, key: &str) -> Option<Option<u32>> {
        let entries = self.entries(at)?;
        Some(entries.into_iter().find(|(name, _)| *name == key).map(|(_, value)| value))
    }
}
