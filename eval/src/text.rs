//! Texts of numbers and values, for `printf`, `toString` and messages.

use crate::heap::{Body, Heap, Value};
use crate::names::Names;
use std::fmt::Write as _;

/// The shortest text that reads back as this number; integers have no fraction.
pub(crate) fn number(number: f64) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    format!("{number}")
}

/// A value as readable text, cut at about `most` bytes. Strings are quoted.
pub(crate) fn condensed(heap: &Heap, names: &Names, value: Value, most: usize) -> String {
    let mut text = String::new();
    let mut writer = Writer { heap, names, most, open: Vec::new() };
    writer.write(&mut text, value);
    text
}

struct Writer<'m> {
    heap: &'m Heap,
    names: &'m Names,
    most: usize,
    /// The objects that contain the current one.
    open: Vec<u32>,
}

/// The maximum nesting written.
const LEVELS: usize = 32;

impl Writer<'_> {
    fn write(&mut self, text: &mut String, value: Value) {
        if text.len() > self.most {
            if !text.ends_with('…') {
                text.push('…');
            }
            return;
        }
        match value {
            Value::Empty | Value::Null | Value::Cell(_) => text.push_str("null"),
            Value::Bool(flag) => drop(write!(text, "{flag}")),
            Value::Number(value) => text.push_str(&number(value)),
            Value::Text(id) => quote(text, self.heap.text(id)),
            Value::Object(id) => {
                if self.open.contains(&id.0) || self.open.len() >= LEVELS {
                    return text.push('…');
                }
                self.open.push(id.0);
                self.object(text, id);
                self.open.pop();
            }
        }
    }

    fn object(&mut self, text: &mut String, id: crate::heap::ObjectId) {
        let object = self.heap.object(id);
        match &object.body {
            Body::Array(items) => {
                text.push('[');
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        text.push(',');
                    }
                    self.write(text, *item);
                    if text.len() > self.most {
                        break;
                    }
                }
                text.push(']');
            }
            Body::Plain => {
                let ty = self.names.text(object.ty);
                let _ = write!(text, "{ty}{{");
                let mut first = true;
                for property in object.properties.iter() {
                    if property.flags & crate::heap::METHOD != 0 {
                        continue;
                    }
                    if !first {
                        text.push(',');
                    }
                    first = false;
                    text.push_str(self.names.text(property.name));
                    text.push('=');
                    self.write(text, property.value);
                    if text.len() > self.most {
                        break;
                    }
                }
                text.push('}');
            }
            _ => drop(write!(text, "<{}>", self.names.text(object.ty))),
        }
    }
}

/// A text in quotes, with the escapes of JSON.
pub(crate) fn quote(text: &mut String, content: &str) {
    text.push('"');
    for c in content.chars() {
        match c {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            c if c < ' ' => drop(write!(text, "\\u{:04x}", u32::from(c))),
            c => text.push(c),
        }
    }
    text.push('"');
}
