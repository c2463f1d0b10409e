//! §19.7 Pointers to variables, properties and items.

use super::item::index;
use super::{Flow, Machine, Step};
use crate::heap::{Body, Place, Properties, Value};
use crate::limits::Limit;
use crate::names::Name;
use crate::program::Found;

impl Machine<'_> {
    pub(super) fn pointer(&mut self, place: Place, value: Value) -> Step<Value> {
        let ty = self.type_of(value);
        let ty = format!("*{}", self.names.text(ty));
        let ty = self.intern(&ty)?;
        let body = Body::Pointer(place);
        let object = crate::heap::Object { ty, prototype: None, properties: Properties::default(), body };
        Ok(Value::Object(self.heap.add(object)?))
    }

    pub(super) fn address_of_token(&mut self, site: u32) -> Step<Flow> {
        let found = self.resolve(site)?;
        if self.ready(found)? == Flow::Again {
            return Ok(Flow::Again);
        }
        let (holder, position) = match found {
            Found::Global { module, position } => (self.program.module(module).globals, position as usize),
            Found::Static { class, position } => (self.program.class(class).statics, position as usize),
            Found::Module(_) | Found::Class(_) => {
                return Err(self.exception("only a variable has an address"));
            }
        };
        let property = *self.heap.object(holder).properties.at(position);
        let value = self.pointer(Place::Property(holder, property.name), property.value)?;
        self.stack.push(value);
        Ok(Flow::Next)
    }

    pub(super) fn address_of_member(&mut self, name: Name) -> Step {
        let object = self.top(0);
        match object {
            Value::Object(id) if self.heap.unknown(object).is_none() => {
                let value =
                    self.heap.object(id).properties.get(name).map_or(Value::Null, |found| found.value);
                *self.top_mut() = self.pointer(Place::Property(id, name), value)?;
                Ok(())
            }
            Value::Object(_) => Err(self.unexpected_unknown(object)),
            _ => Err(self.null_object()),
        }
    }

    pub(super) fn address_of_index(&mut self) -> Step {
        let (object, key) = (self.top(1), self.top(0));
        self.stack.pop();
        if let (Value::Object(id), Some(items), Value::Number(number)) = (object, self.items(object), key)
            && let Some(at) = index(number)
        {
            let value = items.get(at).copied().unwrap_or(Value::Null);
            let Ok(element) = u32::try_from(at) else { return Err(Limit::Array.into()) };
            *self.top_mut() = self.pointer(Place::Element(id, element), value)?;
            return Ok(());
        }
        let name = self.name_of(key)?;
        self.address_of_member(name)
    }

    fn place_of(&mut self, pointer: Value) -> Step<Place> {
        if let Value::Object(id) = pointer {
            match self.heap.object(id).body {
                Body::Pointer(place) => return Ok(place),
                Body::Unknown(_) => return Err(self.unexpected_unknown(pointer)),
                _ => {}
            }
        }
        let ty = self.type_of(pointer);
        let text = format!("a pointer expected, got '{}'", self.names.text(ty));
        Err(self.exception(&text))
    }

    pub(super) fn load_pointer(&mut self) -> Step<Flow> {
        let pointer = self.top(0);
        let floor = self.stack.len() - 1;
        let value = match self.place_of(pointer)? {
            Place::Cell(cell) => self.cell_value(Value::Cell(cell)),
            Place::Property(object, name) => {
                return self.load_property(Value::Object(object), name, true, floor);
            }
            Place::Element(array, at) => {
                let items = self.items(Value::Object(array));
                let item = items.and_then(|items| items.get(at as usize)).copied();
                item.filter(|item| !matches!(item, Value::Empty)).unwrap_or(Value::Null)
            }
        };
        *self.top_mut() = value;
        Ok(Flow::Next)
    }

    /// Pointer and value are on the stack.
    pub(super) fn store_pointer(&mut self) -> Step<Flow> {
        let (pointer, value) = (self.top(1), self.top(0));
        let floor = self.stack.len() - 2;
        match self.place_of(pointer)? {
            Place::Cell(cell) => self.heap.cells[cell.0 as usize] = value,
            Place::Property(object, name) => {
                return self.store_property(Value::Object(object), name, value, floor);
            }
            Place::Element(array, at) => self.set_item(array, at as usize, value)?,
        }
        self.stack.truncate(floor);
        self.stack.push(value);
        Ok(Flow::Next)
    }
}
