//! §19.4 Constructing objects.

use super::{Finish, Flow, Machine, Step, Stop};
use crate::code::Construction;
use crate::heap::{Body, Closure, Object, ObjectId, Properties, Property, READONLY, Value};
use crate::names::Name;

impl Machine<'_> {
    /// `new` with its arguments on the stack.
    pub(super) fn construct(&mut self, construction: &Construction) -> Step<Flow> {
        let arguments = usize::from(construction.arguments);
        let floor = self.stack.len() - arguments;
        if let Some(class) = self.find_class(construction.ty)? {
            if self.ready_class(class)? == Flow::Again {
                return Ok(Flow::Again);
            }
            return self.construct_class(class, floor, arguments, &construction.names);
        }
        let text = self.names.text(construction.ty).to_string();
        if arguments == 1 && text.starts_with("map[") {
            return self.construct_map(construction.ty);
        }
        if arguments > 0 {
            let text = format!("'{text}' has no constructor that takes arguments");
            return Err(self.exception(&text));
        }
        let value = match text.starts_with("[]") {
            true => self.array(construction.ty, Vec::new())?,
            false => Value::Object(self.plain(construction.ty)?),
        };
        self.stack.push(value);
        Ok(Flow::Next)
    }

    /// A map built from the pairs on the stack, which are one array of arrays.
    fn construct_map(&mut self, ty: Name) -> Step<Flow> {
        let map = Value::Object(self.plain(ty)?);
        let pairs = match self.top(0) {
            Value::Null => Vec::new(),
            other if self.heap.unknown(other).is_some() => return Err(self.unexpected_unknown(other)),
            other => match self.items(other) {
                Some(items) => items.clone(),
                None => return Err(self.no_pairs()),
            },
        };
        self.charge(pairs.len() as u64)?;
        for pair in pairs {
            let Some(&[key, value]) = self.items(pair).map(Vec::as_slice) else {
                return Err(self.no_pairs());
            };
            let name = self.name_of(key)?;
            self.init_property(map, name, value)?;
        }
        *self.top_mut() = map;
        Ok(Flow::Next)
    }

    fn no_pairs(&mut self) -> Stop {
        self.exception("a map is constructed from an array of pairs of a key and a value")
    }

    pub(super) fn construct_class(
        &mut self,
        class: u32,
        floor: usize,
        arguments: usize,
        names: &[Option<Name>],
    ) -> Step<Flow> {
        let definition = self.program.class(class);
        let (ty, prototype) = (definition.token, definition.prototype);
        let (constructor, is_record) = (definition.constructor, definition.is_record);
        let body = Body::Plain;
        let object = self.heap.add(Object {
            ty,
            prototype: Some(prototype),
            properties: Properties::default(),
            body,
        })?;
        if let Some(function) = constructor {
            let closure = Closure { function, this: Some(object), captures: None };
            return self.call_closure(&closure, floor, arguments, Finish::Construct { object, class });
        }
        if arguments > 0 {
            let primary = self.program.class(class).primary.clone();
            for at in 0..arguments {
                let value = self.stack[self.stack.len() - arguments + at];
                // Arguments without names are the primary members in their order.
                let name = names.get(at).copied().flatten().or_else(|| primary.get(at).copied());
                let Some(name) = name.filter(|name| is_record && primary.contains(name)) else {
                    let text =
                        format!("'{}' has no constructor that takes this argument", self.names.text(ty));
                    return Err(self.exception(&text));
                };
                self.init_property(Value::Object(object), name, value)?;
            }
        }
        self.constructed(object, class)?;
        self.stack.truncate(floor);
        self.stack.push(Value::Object(object));
        Ok(Flow::Next)
    }

    /// Runs after the constructor: registers a resource and freezes readonly properties.
    pub(super) fn constructed(&mut self, object: ObjectId, class: u32) -> Step {
        if self.program.class(class).is_resource {
            self.register(object, class)?;
        }
        for at in 0..self.program.class(class).readonly.len() {
            let name = self.program.class(class).readonly[at];
            match self.heap.object_mut(object).properties.get_mut(name) {
                Some(property) => property.flags |= READONLY,
                None => {
                    let Some(super::property::Got::Value(value)) = self.property(object, name)? else {
                        continue;
                    };
                    self.add_property(object, name, READONLY, value)?;
                }
            }
        }
        Ok(())
    }

    /// The prototype property of an object.
    pub(super) fn inherited(&self, object: ObjectId, name: Name) -> Option<Property> {
        let mut at = self.heap.object(object).prototype;
        while let Some(holder) = at {
            let current = self.heap.object(holder);
            if let Some(property) = current.properties.get(name) {
                return Some(*property);
            }
            at = current.prototype;
        }
        None
    }

    /// The type of an object literal. A literal of a class has the type of the class, but not its
    /// prototype.
    pub(super) fn literal_type(&mut self, ty: Name) -> Step<Name> {
        Ok(match self.find_class(ty)? {
            Some(class) => self.program.class(class).token,
            None => ty,
        })
    }
}
