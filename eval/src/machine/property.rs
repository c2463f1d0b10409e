//! §19.4 Properties: of objects, arrays, texts, modules and classes.

use super::{Finish, Flow, Machine, Step, Stop};
use crate::code::Code;
use crate::heap::{
    Body, CLASS, Closure, LATENT, METHOD, ObjectId, Place, Properties, READONLY, Unknown, Value,
};
use crate::intrinsics::Intrinsic;
use crate::limits::Limit;
use crate::names::Name;
use crate::program::Found;
use std::rc::Rc;

/// A property that was found.
pub(super) enum Got {
    Value(Value),
    /// A function of the prototype, which gets the object as `this`.
    Method(Closure),
    /// A function that gives the value.
    Getter(Option<ObjectId>),
}

impl Machine<'_> {
    /// A property of an object or of its prototypes. An own property that a program set is itself.
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

    fn got(
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
            let ty = Rc::clone(self.heap.text(ty));
            let element = self.names.number(&ty);
            let unknown = Unknown { element, sources: vec![object], derived: false };
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

    /// The prototype of a class that is among the globals at this place.
    fn class_value(&mut self, globals: ObjectId, position: usize) -> Step<Value> {
        let name = self.heap.object(globals).properties.at(position).name;
        let module = self.program.modules.iter().position(|module| module.globals == globals);
        let Some(module) = module.and_then(|module| u32::try_from(module).ok()) else {
            return Ok(Value::Null);
        };
        let text = self.names.text(name).to_string();
        let class = self.declare_class(module, &text)?;
        Ok(Value::Object(self.program.class(class).prototype))
    }

    pub(super) fn global_value(&mut self, module: u32, position: usize) -> Step<Value> {
        let globals = self.program.module(module).globals;
        let property = self.heap.object(globals).properties.at(position);
        match property.flags & CLASS {
            0 => Ok(property.value),
            _ => self.class_value(globals, position),
        }
    }

    fn found_value(&mut self, found: Found) -> Step<Value> {
        Ok(match found {
            Found::Module(module) => Value::Object(self.program.module(module).exports),
            Found::Class(class) => Value::Object(self.program.class(class).prototype),
            Found::Global { module, position } => self.global_value(module, position as usize)?,
            Found::Static { class, position } => {
                let statics = self.program.class(class).statics;
                self.heap.object(statics).properties.at(position as usize).value
            }
        })
    }

    /// Begins the initializers that a token needs first.
    fn ready(&mut self, found: Found) -> Step<Flow> {
        match found {
            Found::Module(module) | Found::Global { module, .. } => self.ready_module(module),
            Found::Class(class) => self.ready_module(self.program.class(class).module),
            Found::Static { class, .. } => self.ready_class(class),
        }
    }

    pub(super) fn load_token(&mut self, site: u32) -> Step<Flow> {
        let found = self.resolve(site)?;
        if self.ready(found)? == Flow::Again {
            return Ok(Flow::Again);
        }
        if let Found::Static { class, position } = found {
            let statics = self.program.class(class).statics;
            let name = self.heap.object(statics).properties.at(position as usize).name;
            let floor = self.stack.len();
            return self.load_property(Value::Object(statics), name, false, floor);
        }
        let value = self.found_value(found)?;
        self.stack.push(value);
        Ok(Flow::Next)
    }

    /// The value on the stack stays there.
    pub(super) fn store_token(&mut self, site: u32) -> Step<Flow> {
        let found = self.resolve(site)?;
        if self.ready(found)? == Flow::Again {
            return Ok(Flow::Again);
        }
        let value = self.top(0);
        match found {
            Found::Global { module, position } => {
                let globals = self.program.module(module).globals;
                self.set_position(globals, position as usize, value)?;
                Ok(Flow::Next)
            }
            Found::Static { class, position } => {
                let statics = self.program.class(class).statics;
                let name = self.heap.object(statics).properties.at(position as usize).name;
                let floor = self.stack.len() - 1;
                self.store_property(Value::Object(statics), name, value, floor)
            }
            Found::Module(_) | Found::Class(_) => {
                let token = self.program.sites[site as usize].token;
                let text = format!("'{}' is no variable", self.names.text(token));
                Err(self.exception(&text))
            }
        }
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
                    Some(self.unknown_of(dynamic, &[value])?)
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

    /// Calls a getter or setter. Its arguments are on the stack.
    fn call_accessor(
        &mut self,
        accessor: ObjectId,
        this: ObjectId,
        floor: usize,
        arguments: usize,
        finish: Finish,
    ) -> Step<Flow> {
        let Body::Function(closure) = &self.heap.object(accessor).body else { return Ok(Flow::Next) };
        let closure = Closure { this: Some(this), ..closure.clone() };
        self.call_closure(&closure, floor, arguments, finish)
    }

    /// The function that a member of an array or a text is.
    fn builtin_member(&self, value: Value, name: Name) -> Option<Intrinsic> {
        match (value, name) {
            (Value::Text(_), Name::TO_LOWER) => Some(Intrinsic::TextToLower),
            (Value::Text(_), Name::TO_UPPER) => Some(Intrinsic::TextToUpper),
            (Value::Text(_), Name::SPLIT) => Some(Intrinsic::TextSplit),
            (_, Name::PUSH) if self.items(value).is_some() => Some(Intrinsic::ArrayPush),
            (_, Name::POP) if self.items(value).is_some() => Some(Intrinsic::ArrayPop),
            _ => None,
        }
    }

    /// Members that arrays and texts have without properties.
    fn builtin(&mut self, value: Value, name: Name) -> Step<Option<Value>> {
        if name == Name::LENGTH {
            return Ok(self.length(value));
        }
        let Some(intrinsic) = self.builtin_member(value, name) else { return Ok(None) };
        let function = self.builtin_function(intrinsic);
        let cell = self.heap.add_cell(value)?;
        let closure = Closure { function, this: None, captures: Some(vec![cell].into()) };
        Ok(Some(Value::Object(self.function_object(closure)?)))
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
            Body::Unknown(_) => return Err(self.unexpected_unknown(target)),
            Body::Module(_) | Body::Function(_) | Body::Pointer(_) => return Err(self.no_target(target)),
            Body::Array(_) if name == Name::LENGTH => {
                self.set_length(object, value)?;
                self.stack.truncate(floor);
                self.stack.push(value);
                return Ok(Flow::Next);
            }
            _ => {}
        }
        // An accessor of the object or of a prototype gets the value.
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

    fn readonly(&mut self, name: Name) -> Stop {
        let text = format!("'{}' is readonly and has its value already", self.names.text(name));
        self.exception(&text)
    }

    fn no_target(&mut self, target: Value) -> Stop {
        let ty = self.type_of(target);
        let text = format!("a value of type '{}' has no properties to assign to", self.names.text(ty));
        self.exception(&text)
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

    /// Object, key and value are on the stack. An unknown key makes the whole literal unknown.
    pub(super) fn init_computed(&mut self) -> Step {
        let (object, key, value) = (self.top(2), self.top(1), self.top(0));
        let at = self.stack.len() - 2;
        self.stack.truncate(at);
        if self.heap.unknown(key).is_some() {
            let dynamic = self.names.number("dynamic");
            *self.top_mut() = self.unknown_of(dynamic, &[key, object])?;
            return Ok(());
        }
        let name = self.name_of(key)?;
        self.init_property(object, name, value)
    }

    /// The name that a value is, as the key of a property.
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

    pub(super) fn load_index(&mut self, tolerant: bool) -> Step<Flow> {
        let (object, key) = (self.top(1), self.top(0));
        let floor = self.stack.len() - 2;
        if self.heap.unknown(object).is_some() || self.heap.unknown(key).is_some() {
            let dynamic = self.names.number("dynamic");
            let value = self.unknown_of(dynamic, &[object, key])?;
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

    pub(super) fn store_index(&mut self) -> Step<Flow> {
        let (object, key, value) = (self.top(2), self.top(1), self.top(0));
        let floor = self.stack.len() - 3;
        if self.heap.unknown(key).is_some() {
            return Err(self.unexpected_unknown(key));
        }
        if let (Value::Object(id), true, Value::Number(number)) = (object, self.items(object).is_some(), key)
        {
            let Some(index) = index(number) else {
                let text = format!("{} is no index of an array", crate::text::number(number));
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

    /// Makes an array at least this long.
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

    /// The object that `.super` is, with members looked for from the base class on.
    fn super_property(&mut self, name: Name, code: &Code) -> Step<(ObjectId, Option<Got>)> {
        let frame = self.frames.last().expect("an instruction belongs to a frame");
        let function = self.program.function(frame.function);
        let this = match function.has_this {
            true => self.stack[frame.base + function.parameters.len()],
            false => {
                let names = match &function.source {
                    crate::program::FunctionSource::Lambda { outer, .. } => outer.as_slice(),
                    _ => &[],
                };
                let at = names.iter().position(|name| matches!(*name, Name::THIS | Name::SUPER));
                match (at, &frame.captures) {
                    (Some(at), Some(captures)) => self.heap.cells[captures[at].0 as usize],
                    _ => Value::Null,
                }
            }
        };
        let Value::Object(this) = self.cell_value(this) else { return Err(self.null_object()) };
        let base = code.class.and_then(|class| self.program.class(class).base);
        let Some(base) = base else { return Ok((this, None)) };
        let from = self.program.class(base).prototype;
        let mut at = Some(from);
        while let Some(holder) = at {
            let current = self.heap.object(holder);
            if let Some(position) = current.properties.position(name) {
                let property = *current.properties.at(position);
                return Ok((this, Some(self.got(this, holder, position, property)?)));
            }
            at = current.prototype;
        }
        Ok((this, None))
    }

    pub(super) fn load_super(&mut self, name: Name, code: &Rc<Code>) -> Step<Flow> {
        let (this, got) = self.super_property(name, code)?;
        let value = match got {
            Some(Got::Value(value)) => value,
            Some(Got::Method(closure)) => Value::Object(self.function_object(closure)?),
            Some(Got::Getter(Some(getter))) => {
                let floor = self.stack.len();
                return self.call_accessor(getter, this, floor, 0, Finish::Push);
            }
            Some(Got::Getter(None)) | None => return Err(self.not_defined(name)),
        };
        self.stack.push(value);
        Ok(Flow::Next)
    }

    pub(super) fn call_super(&mut self, name: Name, arguments: usize, code: &Rc<Code>) -> Step<Flow> {
        let floor = self.stack.len() - arguments;
        let (this, got) = self.super_property(name, code)?;
        match got {
            Some(Got::Method(closure)) => self.call_closure(&closure, floor, arguments, Finish::Push),
            Some(Got::Value(value)) => self.call_value(value, floor, arguments),
            Some(Got::Getter(getter)) => self.call_result(getter, this, name, floor, arguments),
            // A base class without a constructor has nothing to do.
            None if name == Name::CTOR && arguments == 0 => {
                self.stack.push(Value::Null);
                Ok(Flow::Next)
            }
            None => Err(self.not_defined(name)),
        }
    }

    /// Calls what a getter returns. The arguments are on the stack already.
    fn call_result(
        &mut self,
        getter: Option<ObjectId>,
        this: ObjectId,
        name: Name,
        floor: usize,
        arguments: usize,
    ) -> Step<Flow> {
        let Some(getter) = getter else { return Err(self.not_defined(name)) };
        self.call_accessor(getter, this, self.stack.len(), 0, Finish::Call { floor, arguments })
    }

    pub(super) fn call_member(&mut self, name: Name, arguments: usize) -> Step<Flow> {
        let floor = self.stack.len() - 1 - arguments;
        let object = self.stack[floor];
        self.call_property(object, name, false, floor, arguments)
    }

    /// Object and key are under the arguments.
    pub(super) fn call_index(&mut self, tolerant: bool, arguments: usize) -> Step<Flow> {
        let floor = self.stack.len() - 2 - arguments;
        let (object, key) = (self.stack[floor], self.stack[floor + 1]);
        if self.heap.unknown(object).is_some() {
            return Err(self.unexpected_unknown(object));
        }
        if let (Some(items), Value::Number(number)) = (self.items(object), key) {
            let item = index(number).and_then(|index| items.get(index)).copied();
            return self.call_value(item.unwrap_or(Value::Null), floor, arguments);
        }
        let name = self.name_of(key)?;
        self.call_property(object, name, tolerant, floor, arguments)
    }

    fn call_property(
        &mut self,
        object: Value,
        name: Name,
        tolerant: bool,
        floor: usize,
        arguments: usize,
    ) -> Step<Flow> {
        let callee = match object {
            Value::Null | Value::Empty => return Err(self.null_object()),
            Value::Object(id) => {
                if let Body::Unknown(_) = self.heap.object(id).body {
                    return Err(self.unexpected_unknown(object));
                }
                match self.property(id, name)? {
                    Some(Got::Method(closure)) => {
                        return self.call_closure(&closure, floor, arguments, Finish::Push);
                    }
                    Some(Got::Value(value)) => Some(value),
                    Some(Got::Getter(getter)) => return self.call_result(getter, id, name, floor, arguments),
                    None => None,
                }
            }
            _ => None,
        };
        let builtin = if callee.is_none() { self.builtin_member(object, name) } else { None };
        if let Some(intrinsic) = builtin {
            self.check_round()?;
            let value = self.intrinsic(intrinsic, Some(object), floor, arguments)?;
            self.stack.truncate(floor);
            self.stack.push(value.unwrap_or(Value::Null));
            return Ok(Flow::Next);
        }
        match callee {
            Some(callee) => self.call_value(callee, floor, arguments),
            None if tolerant => self.call_value(Value::Null, floor, arguments),
            None => Err(self.not_defined(name)),
        }
    }

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

    /// Readonly properties that were initialized keep their values. Functions do in any case.
    pub(super) fn freeze(&mut self, object: ObjectId) {
        let readonly = self.readonly_globals(object);
        for name in readonly {
            if let Some(property) = self.heap.object_mut(object).properties.get_mut(name) {
                property.flags |= READONLY;
            }
        }
    }

    /// The readonly variables of a module or class, whose globals or statics these are.
    fn readonly_globals(&mut self, object: ObjectId) -> Vec<Name> {
        let readonly = |node: &coconut_format::il::SyntaxNode| -> Vec<String> {
            let all = node.entries("members").filter(|(_, tree)| tree.flag("readonly"));
            all.map(|(name, _)| name.to_owned()).collect()
        };
        let names = match self.program.modules.iter().find(|module| module.globals == object) {
            Some(module) => readonly(&module.node),
            None => match self.program.classes.iter().find(|class| class.statics == object) {
                Some(class) => {
                    let node = &self.program.module(class.module).node;
                    crate::program::member_of(node, &class.name).map(readonly).unwrap_or_default()
                }
                None => Vec::new(),
            },
        };
        names.iter().map(|name| self.names.number(name)).collect()
    }
}

/// A number as an index: cut toward zero, 0 or more.
pub(super) fn index(number: f64) -> Option<usize> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked before")]
    let index = (number > -1.0 && number < 4e9).then_some(number as usize);
    index
}
