//! §19.8 JSON of values, and values of JSON.

use super::{Machine, Step};
use crate::heap::{Body, METHOD, ObjectId, Value};
use crate::limits::Limit;
use crate::names::Name;
use crate::text;
use std::fmt::Write as _;
use std::sync::Arc;

impl Machine<'_> {
    /// JSON in the notation of the original: with a blank after brackets, commas and colons. In the
    /// text that stands in for an unknown one, unknown parts are `{}`, as in 2017.
    pub(super) fn stringify(&mut self, value: Value) -> Step<Value> {
        let mut text = String::new();
        let mut unknown = Vec::new();
        self.stringify_into(&mut text, value, &mut Vec::new(), &mut unknown)?;
        self.charge(text.len() as u64 / 16)?;
        if unknown.is_empty() {
            return self.text(&text);
        }
        let string = self.names.number("string");
        let stand_in = self.text(&text)?;
        self.unknown_with(string, &unknown, Some(stand_in))
    }

    /// Recursion is bounded by the limit on levels.
    fn stringify_into(
        &mut self,
        text: &mut String,
        value: Value,
        open: &mut Vec<ObjectId>,
        unknown: &mut Vec<Value>,
    ) -> Step {
        if text.len() > self.limits.text_bytes {
            return Err(Limit::Text.into());
        }
        match value {
            Value::Empty | Value::Null | Value::Cell(_) => text.push_str("null"),
            Value::Bool(flag) => drop(write!(text, "{flag}")),
            Value::Number(number) if number.is_finite() => text.push_str(&text::number(number)),
            Value::Number(_) => text.push_str("null"),
            Value::Text(id) => text::quote(text, self.heap.text(id)),
            Value::Object(id) => {
                if let Some(part) = self.heap.unknown(value) {
                    let stand_in = part.stand_in;
                    unknown.push(value);
                    return match stand_in {
                        Some(stand_in) => self.stringify_into(text, stand_in, open, unknown),
                        None => {
                            text.push_str("{}");
                            Ok(())
                        }
                    };
                }
                if open.contains(&id) {
                    return Err(self.exception("cannot convert an object with a cycle to JSON"));
                }
                if open.len() >= self.limits.value_depth {
                    return Err(Limit::ValueDepth.into());
                }
                open.push(id);
                if let Some(items) = self.items(value).cloned() {
                    self.charge(items.len() as u64 / 16)?;
                    text.push('[');
                    for (at, item) in items.into_iter().enumerate() {
                        text.push_str(if at == 0 { " " } else { ", " });
                        self.stringify_into(text, item, open, unknown)?;
                    }
                    text.push(']');
                } else {
                    let properties: Vec<(Name, Value)> = self
                        .heap
                        .object(id)
                        .properties
                        .iter()
                        .filter(|property| property.flags & METHOD == 0)
                        .map(|property| (property.name, property.value))
                        .collect();
                    // Functions among them count for nothing.
                    self.charge(properties.len() as u64)?;
                    text.push('{');
                    let mut first = true;
                    for (name, value) in properties {
                        if matches!(value, Value::Object(id) if matches!(self.heap.object(id).body, Body::Function(_)))
                        {
                            continue;
                        }
                        text.push_str(if first { " " } else { ", " });
                        first = false;
                        text::quote(text, &Arc::clone(self.names.text(name)));
                        text.push_str(": ");
                        self.stringify_into(text, value, open, unknown)?;
                    }
                    text.push('}');
                }
                open.pop();
            }
        }
        Ok(())
    }

    pub(super) fn parse(&mut self, value: Value) -> Step<Value> {
        let text = match value {
            Value::Text(id) => Arc::clone(self.heap.text(id)),
            other if self.heap.unknown(other).is_some() => {
                let stand_in = match self.stand_in(other) {
                    Some(known) => {
                        let result = self.parse(known);
                        self.attempted(result)?
                    }
                    None => None,
                };
                let dynamic = self.names.number("dynamic");
                return self.unknown_with(dynamic, &[other], stand_in);
            }
            _ => return Err(self.exception("a single string is expected")),
        };
        let mut sink = coconut_codec::event::ValueSink::new();
        let options = coconut_codec::text::json::JsonOptions::default();
        let read = coconut_codec::text::json::read(text.as_bytes(), &mut sink, &options);
        match (read, sink.finish()) {
            (Ok(_), Some(value)) => self.add_json(&value),
            (Err(error), _) => {
                let text = format!("no JSON: {error}");
                Err(self.exception(&text))
            }
            (Ok(_), None) => Err(self.exception("invalid JSON: the text is empty")),
        }
    }

    /// Recursion is bounded: JSON nested deeper than 512 levels is refused by the reader.
    pub(crate) fn add_json(&mut self, value: &coconut_format::Value) -> Step<Value> {
        use coconut_format::Value as Json;
        Ok(match value {
            Json::Null => Value::Null,
            Json::Bool(flag) => Value::Bool(*flag),
            Json::Integer(integer) => Value::Number(integer.as_f64()),
            Json::Float(number) => Value::Number(*number),
            Json::String(text) => self.text(text)?,
            Json::List(items) => {
                let mut values = Vec::with_capacity(items.len());
                for item in items {
                    values.push(self.add_json(item)?);
                }
                let ty = self.names.number("[]dynamic");
                self.array(ty, values)?
            }
            Json::Object(entries) => {
                let ty = self.names.number("dynamic");
                let object = self.plain(ty)?;
                for (key, value) in entries {
                    let value = self.add_json(value)?;
                    let name = self.text(key)?;
                    let name = self.name_of(name)?;
                    self.init_property(Value::Object(object), name, value)?;
                }
                Value::Object(object)
            }
        })
    }
}
