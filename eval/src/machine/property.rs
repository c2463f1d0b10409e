//! §19.4 Properties: of objects, arrays, texts, modules and classes.

use super::{Finish, Flow, Machine, Step};
use crate::heap::{Body, CLASS, Closure, LATENT, METHOD, ObjectId, READONLY, Unknown, Value};
use crate::names::Name;
use std::sync::Arc;

/// The result of looking up a property.
pub(super) enum Got {
    Value(Value),
    /// A function of the prototype, which is called with the object as `this`.
    Method(Closure),
    /// A function that returns the value.
    Getter(Option<ObjectId>),
}

impl Machine<'_> {
    /// A property of an object or of its prototypes. An own property set by the program is returned
    /// as it is.
    pub(super) fn property(&mut self, object: ObjectId, name: Name) -> Step<Option<Got>> {
        let mut at = Some(object);
        while let Some(holder) = at {
            let current = self.heap.object(holder);
            if let Some(position) = current.properties.position(name) {
                let property = *current.properties.at(position);
                return self.got(object, holder, position, property).map(Some);
            }
            at = current.prototype;
        }
        if let Body::Module(module) = self.heap.object(object).body {
            let text = self.names.text(name).to_string();
            let Some(referent) = self.export_of(module, &text) else { return Ok(None) };
            let referent = self.names.number(&referent);
            let Some(found) = self.find(referent)? else { return Ok(None) };
            return Ok(Some(Got::Value(self.found_value(found)?)));
        }
        Ok(None)
    }

    pub(super) fn got(
        &mut self,
        object: ObjectId,
        holder: ObjectId,
        position: usize,
        property: crate::heap::Property,
    ) -> Step<Got> {
        if property.flags & CLASS != 0 {
            return Ok(Got::Value(self.class_value(holder, position)?));
        }
        if property.flags & LATENT != 0 {
            let Value::Text(ty) = property.value else { return Ok(Got::Value(Value::Null)) };
            let ty = Arc::clone(self.heap.text(ty));
            let element = self.names.number(&ty);
            let unknown = Unknown { element, sources: vec![object], derived: false, stand_in: None };
            return Ok(Got::Value(self.unknown_value(unknown)?));
        }
        if property.flags & METHOD != 0
            && let Value::Object(id) = property.value
        {
            match &self.heap.object(id).body {
                Body::Accessor { getter, .. } => return Ok(Got::Getter(*getter)),
                Body::Function(closure) if closure.this.is_some() && holder != object => {
                    return Ok(Got::Method(Closure { this: Some(object), ..closure.clone() }));
                }
                _ => {}
            }
        }
        Ok(Got::Value(property.value))
    }

    /// A member of a stand-in that is not a function; null if it has none of this name.
    pub(super) fn data_member(&mut self, of: Value, name: Name) -> Step<Option<Value>> {
        Ok(match of {
            Value::Object(object) if self.items(of).is_none() => match self.property(object, name)? {
                Some(Got::Value(value)) => Some(value),
                Some(_) => None,
                None => Some(Value::Null),
            },
            Value::Null | Value::Empty => None,
            _ if name == Name::LENGTH => self.length(of),
            _ => Some(Value::Null),
        })
    }

    /// Pushes a property after cutting the stack to `floor`.
    pub(super) fn load_property(
        &mut self,
        value: Value,
        name: Name,
        tolerant: bool,
        floor: usize,
    ) -> Step<Flow> {
        let result = match value {
            Value::Null | Value::Empty => return Err(self.null_object()),
            Value::Text(_) => self.builtin(value, name)?,
            Value::Object(object) => {
                if let Body::Unknown(_) = self.heap.object(object).body {
                    let dynamic = self.names.number("dynamic");
                    let stand_in = self.stand_in(value);
                    let stand_in = stand_in.map(|of| self.data_member(of, name)).transpose()?.flatten();
                    Some(self.unknown_with(dynamic, &[value], stand_in)?)
                } else {
                    match self.property(object, name)? {
                        Some(Got::Value(value)) => Some(value),
                        Some(Got::Method(closure)) => Some(Value::Object(self.function_object(closure)?)),
                        Some(Got::Getter(getter)) => {
                            let Some(getter) = getter else { return Err(self.not_defined(name)) };
                            self.stack.truncate(floor);
                            return self.call_accessor(getter, object, floor, 0, Finish::Push);
                        }
                        None => self.builtin(value, name)?,
                    }
                }
            }
            _ => None,
        };
        match result {
            Some(value) => {
                self.stack.truncate(floor);
                self.stack.push(value);
                Ok(Flow::Next)
            }
            None if tolerant => {
                self.stack.truncate(floor);
                self.stack.push(Value::Null);
                Ok(Flow::Next)
            }
            None => Err(self.not_defined(name)),
        }
    }

    /// Stores a property after cutting the stack to `floor`, and pushes the value.
    pub(super) fn store_property(
        &mut self,
        target: Value,
        name: Name,
        value: Value,
        floor: usize,
    ) -> Step<Flow> {
        let object = match target {
            Value::Null | Value::Empty => return Err(self.null_object()),
            Value::Object(object) => object,
            _ => return Err(self.no_target(target)),
        };
        match &self.heap.object(object).body {
            Body::Unknown(_) => {
                let target = self.required(target)?;
                return self.store_property(target, name, value, floor);
            }
            Body::Module(_) | Body::Function(_) | Body::Pointer(_) => return Err(self.no_target(target)),
            Body::Array(_) if name == Name::LENGTH => {
                self.set_length(object, value)?;
                self.stack.truncate(floor);
                self.stack.push(value);
                return Ok(Flow::Next);
            }
            _ => {}
        }
        // An accessor of the object or of a prototype receives the value.
        let mut at = Some(object);
        while let Some(holder) = at {
            let current = self.heap.object(holder);
            if let Some(property) = current.properties.get(name) {
                if property.flags & METHOD != 0
                    && let Value::Object(id) = property.value
                    && let Body::Accessor { setter, .. } = self.heap.object(id).body
                {
                    let Some(setter) = setter else { return Err(self.readonly(name)) };
                    self.stack.truncate(floor);
                    self.stack.push(value);
                    return self.call_accessor(setter, object, floor, 1, Finish::Replace(value));
                }
                if property.flags & READONLY != 0 {
                    return Err(self.readonly(name));
                }
                break;
            }
            at = current.prototype;
        }
        self.note_late_assignment(object, name)?;
        match self.heap.object(object).properties.position(name) {
            Some(position) => self.set_position(object, position, value)?,
            None => self.add_property(object, name, 0, value)?,
        }
        self.stack.truncate(floor);
        self.stack.push(value);
        Ok(Flow::Next)
    }

    pub(super) fn set_position(&mut self, object: ObjectId, position: usize, value: Value) -> Step {
        let property = self.heap.object_mut(object).properties.at_mut(position);
        if property.flags & READONLY != 0 {
            let name = property.name;
            return Err(self.readonly(name));
        }
        property.value = value;
        property.flags &= !LATENT;
        Ok(())
    }

    /// A property of a literal.
    pub(super) fn init_property(&mut self, object: Value, name: Name, value: Value) -> Step {
        let Value::Object(object) = object else { return Ok(()) };
        if let Body::Unknown(_) = self.heap.object(object).body {
            return Ok(());
        }
        match self.heap.object(object).properties.position(name) {
            Some(position) => self.set_position(object, position, value),
            None => self.add_property(object, name, 0, value),
        }
    }

    /// The object, the key and the value are on the stack. An unknown key without a stand-in makes
    /// the whole literal unknown.
    pub(super) fn init_computed(&mut self) -> Step {
        let (object, key, value) = (self.top(2), self.top(1), self.top(0));
        let at = self.stack.len() - 2;
        self.stack.truncate(at);
        if self.stand_in(key).is_none() {
            let dynamic = self.names.number("dynamic");
            *self.top_mut() = self.unknown_of(dynamic, &[key, object])?;
            return Ok(());
        }
        let name = self.name_of(key)?;
        self.init_property(object, name, value)
    }
}
