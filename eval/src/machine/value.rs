//! §19.2 Values created by the machine.

use super::{Machine, Step, Stop};
use crate::heap::{Body, Object, ObjectId, Properties, Unknown, Value};
use crate::limits::Limit;
use crate::names::Name;
use std::sync::Arc;

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
        self.unknown_with(element, from, None)
    }

    /// The same with a value that stands in for it.
    pub(super) fn unknown_with(
        &mut self,
        element: Name,
        from: &[Value],
        stand_in: Option<Value>,
    ) -> Step<Value> {
        let stand_in = stand_in.and_then(|value| self.stand_in(value));
        let mut sources: Vec<ObjectId> = Vec::new();
        for value in from {
            if let Some(unknown) = self.heap.unknown(*value) {
                sources.extend(&unknown.sources);
            }
        }
        sources.sort_unstable();
        sources.dedup();
        self.unknown_value(Unknown { element, sources, derived: true, stand_in })
    }

    /// The value itself if it is known, otherwise the value that stands in for it.
    pub(super) fn stand_in(&self, value: Value) -> Option<Value> {
        match self.heap.unknown(value) {
            Some(unknown) => unknown.stand_in,
            None => Some(value),
        }
    }

    /// The value that stands in for an unknown one where a value is required. The graph may change
    /// once it is known, so this is noted once for each place.
    pub(super) fn required(&mut self, value: Value) -> Step<Value> {
        let Some(unknown) = self.heap.unknown(value) else { return Ok(value) };
        let Some(stand_in) = unknown.stand_in.filter(|_| !self.host.suspends()) else {
            return Err(self.unexpected_unknown(value));
        };
        let place = self.frames.last().map(|frame| (frame.function, frame.next));
        if place.is_some_and(|place| self.stand_ins.insert(place)) {
            self.heap.take(size_of::<(u32, usize)>())?;
            self.note(
                "an unknown value was needed here, and a placeholder was used; the graph may change"
                    .to_owned(),
            )?;
        }
        Ok(stand_in)
    }

    /// The result for the values that stand in, if there is one.
    pub(super) fn attempted(&mut self, result: Step<Value>) -> Step<Option<Value>> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(Stop::Throw(_) | Stop::Suspended) => Ok(None),
            Err(other) => Err(other),
        }
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
                let text = Arc::clone(self.heap.text(text));
                self.intern(&text)
            }
            Value::Number(number) => self.intern(&crate::text::number(number)),
            other if self.heap.unknown(other).is_some() => {
                let name = self.required(other)?;
                self.name_of(name)
            }
            other => {
                let ty = self.type_of(other);
                let text = format!("a name is a string, not a value of type '{}'", self.names.text(ty));
                Err(self.exception(&text))
            }
        }
    }
}
