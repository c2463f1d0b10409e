//! §19.2 Values created by the machine.

use super::{Machine, Step};
use crate::heap::{Body, Object, ObjectId, Properties, Unknown, Value};
use crate::limits::Limit;
use crate::names::Name;
use std::rc::Rc;

/// The approximate size of a name in addition to its text.
const NAME_BYTES: usize = 64;

impl Machine<'_> {
    pub(crate) fn plain(&mut self, ty: Name) -> Step<ObjectId> {
        let body = Body::Plain;
        Ok(self.heap.add(Object { ty, prototype: None, properties: Properties::default(), body })?)
    }

    pub(crate) fn array(&mut self, ty: Name, items: Vec<Value>) -> Step<Value> {
        let body = Body::Array(items);
        let object = Object { ty, prototype: None, properties: Properties::default(), body };
        Ok(Value::Object(self.heap.add(object)?))
    }

    pub(crate) fn text(&mut self, text: &str) -> Step<Value> {
        if text.len() > self.limits.text_bytes {
            return Err(Limit::Text.into());
        }
        Ok(Value::Text(self.heap.add_text(text.into())?))
    }

    /// A value computed from these values, some of which are unknown.
    pub(super) fn unknown_of(&mut self, element: Name, from: &[Value]) -> Step<Value> {
        let mut sources: Vec<ObjectId> = Vec::new();
        for value in from {
            if let Some(unknown) = self.heap.unknown(*value) {
                sources.extend(&unknown.sources);
            }
        }
        sources.sort_unstable();
        sources.dedup();
        self.unknown_value(Unknown { element, sources, derived: true })
    }

    pub(super) fn unknown_value(&mut self, unknown: Unknown) -> Step<Value> {
        let text = format!("{}.computed", self.names.text(unknown.element));
        let ty = self.intern(&text)?;
        let body = Body::Unknown(Box::new(unknown));
        Ok(Value::Object(self.heap.add(Object {
            ty,
            prototype: None,
            properties: Properties::default(),
            body,
        })?))
    }

    /// The number of a name created by the program. Names are never freed.
    pub(crate) fn intern(&mut self, text: &str) -> Step<Name> {
        self.charge(text.len() as u64 / 64)?;
        if let Some(known) = self.names.find(text) {
            return Ok(known);
        }
        self.heap.take(text.len() + NAME_BYTES)?;
        Ok(self.names.number(text))
    }

    /// The name that a value stands for as the key of a property.
    pub(super) fn name_of(&mut self, value: Value) -> Step<Name> {
        match value {
            Value::Text(text) => {
                let text = Rc::clone(self.heap.text(text));
                self.intern(&text)
            }
            Value::Number(number) => self.intern(&crate::text::number(number)),
            other if self.heap.unknown(other).is_some() => Err(self.unexpected_unknown(other)),
            other => {
                let ty = self.type_of(other);
                let text = format!("a name is a string, not a value of type '{}'", self.names.text(ty));
                Err(self.exception(&text))
            }
        }
    }
}
