//! §19.2 Items of arrays by number, and properties with computed names.

use super::{Flow, Machine, Step};
use crate::heap::{Body, ObjectId, Value};
use crate::limits::Limit;
use crate::names::Name;

impl Machine<'_> {
    pub(super) fn load_index(&mut self, tolerant: bool) -> Step<Flow> {
        let (object, key) = (self.top(1), self.top(0));
        let floor = self.stack.len() - 2;
        if self.heap.unknown(object).is_some() || self.heap.unknown(key).is_some() {
            let dynamic = self.names.number("dynamic");
            let stand_in = match (self.stand_in(object), self.stand_in(key)) {
                (Some(of), Some(key)) => self.data_item(of, key)?,
                _ => None,
            };
            let value = self.unknown_with(dynamic, &[object, key], stand_in)?;
            self.stack.truncate(floor);
            self.stack.push(value);
            return Ok(Flow::Next);
        }
        if let (Some(items), Value::Number(number)) = (self.items(object), key) {
            let item = index(number).and_then(|index| items.get(index)).copied();
            let value = match item {
                Some(Value::Empty) | None if tolerant => Value::Null,
                Some(Value::Empty) | None => {
                    let name = self.name_of(key)?;
                    return Err(self.not_defined(name));
                }
                Some(value) => value,
            };
            self.stack.truncate(floor);
            self.stack.push(value);
            return Ok(Flow::Next);
        }
        if matches!(object, Value::Null | Value::Empty) {
            return Err(self.null_object());
        }
        let name = self.name_of(key)?;
        self.load_property(object, name, tolerant, floor)
    }

    /// An item or member of a stand-in that is not a function; null if it has none.
    fn data_item(&mut self, of: Value, key: Value) -> Step<Option<Value>> {
        if let (Some(items), Value::Number(number)) = (self.items(of), key) {
            let item = index(number).and_then(|index| items.get(index)).copied();
            return Ok(item.filter(|item| !matches!(item, Value::Empty)).or(Some(Value::Null)));
        }
        match key {
            Value::Text(_) | Value::Number(_) => {
                let name = self.name_of(key)?;
                self.data_member(of, name)
            }
            _ => Ok(None),
        }
    }

    pub(super) fn store_index(&mut self) -> Step<Flow> {
        let (object, key, value) = (self.top(2), self.top(1), self.top(0));
        let floor = self.stack.len() - 3;
        let (object, key) = (self.required(object)?, self.required(key)?);
        if let (Value::Object(id), true, Value::Number(number)) = (object, self.items(object).is_some(), key)
        {
            let Some(index) = index(number) else {
                let text = format!("{} is not an array index", crate::text::number(number));
                return Err(self.exception(&text));
            };
            self.set_item(id, index, value)?;
            self.stack.truncate(floor);
            self.stack.push(value);
            return Ok(Flow::Next);
        }
        if matches!(object, Value::Null | Value::Empty) {
            return Err(self.null_object());
        }
        let name = self.name_of(key)?;
        self.store_property(object, name, value, floor)
    }

    pub(super) fn set_item(&mut self, array: ObjectId, index: usize, value: Value) -> Step {
        self.grow(array, index + 1)?;
        if let Body::Array(items) = &mut self.heap.object_mut(array).body {
            items[index] = value;
        }
        Ok(())
    }

    /// Extends an array to at least this length.
    fn grow(&mut self, array: ObjectId, length: usize) -> Step {
        if length > self.limits.array_items {
            return Err(Limit::Array.into());
        }
        let Body::Array(items) = &self.heap.object(array).body else { return Ok(()) };
        let more = length.saturating_sub(items.len());
        self.heap.take(more * size_of::<Value>())?;
        if let Body::Array(items) = &mut self.heap.object_mut(array).body
            && items.len() < length
        {
            items.resize(length, Value::Empty);
        }
        Ok(())
    }

    pub(super) fn set_length(&mut self, array: ObjectId, value: Value) -> Step {
        let length = match value {
            Value::Number(number) => index(number),
            _ => None,
        };
        let Some(length) = length else {
            return Err(self.exception("invalid array size, must be 0 or more"));
        };
        self.grow(array, length)?;
        if let Body::Array(items) = &mut self.heap.object_mut(array).body {
            items.truncate(length);
        }
        Ok(())
    }

    pub(super) fn sized_array(&mut self, ty: Name) -> Step {
        let size = self.top(0);
        if self.heap.unknown(size).is_some() {
            *self.top_mut() = self.unknown_of(ty, &[size])?;
            return Ok(());
        }
        let length = match size {
            Value::Number(number) => index(number),
            _ => None,
        };
        let Some(length) = length else {
            return Err(self.exception("invalid array size, must be 0 or more"));
        };
        if length > self.limits.array_items {
            return Err(Limit::Array.into());
        }
        *self.top_mut() = self.array(ty, vec![Value::Empty; length])?;
        Ok(())
    }

    /// The object and the key are below the arguments.
    pub(super) fn call_index(&mut self, tolerant: bool, arguments: usize) -> Step<Flow> {
        let floor = self.stack.len() - 2 - arguments;
        let (object, key) = (self.stack[floor], self.stack[floor + 1]);
        let key = self.required(key)?;
        if self.stand_in(object).is_none() {
            return Err(self.unexpected_unknown(object));
        }
        if let (Some(items), Value::Number(number)) = (self.items(object), key) {
            let item = index(number).and_then(|index| items.get(index)).copied();
            return self.call_value(item.unwrap_or(Value::Null), floor, arguments);
        }
        let name = self.name_of(key)?;
        self.call_property(object, name, tolerant, floor, arguments)
    }
}

/// A number as an index: truncated toward zero, 0 or more.
pub(super) fn index(number: f64) -> Option<usize> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked before")]
    let index = (number > -1.0 && number < 4e9).then_some(number as usize);
    index
}
