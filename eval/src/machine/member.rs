//! §19.4 Calls of members, and members of base classes.

use super::property::Got;
use super::{Finish, Flow, Machine, Step};
use crate::code::Code;
use crate::heap::{Body, Closure, ObjectId, Value};
use crate::intrinsics::Intrinsic;
use crate::names::Name;
use crate::program::{Function, FunctionSource, Parameter};
use std::rc::Rc;

impl Machine<'_> {
    /// The function for a member of an array or a string.
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

    /// Members of arrays and strings, which have no properties.
    pub(super) fn builtin(&mut self, value: Value, name: Name) -> Step<Option<Value>> {
        if name == Name::LENGTH {
            return Ok(self.length(value));
        }
        let Some(intrinsic) = self.builtin_member(value, name) else { return Ok(None) };
        let function = self.builtin_function(intrinsic);
        let cell = self.heap.add_cell(value)?;
        let closure = Closure { function, this: None, captures: Some(vec![cell].into()) };
        Ok(Some(Value::Object(self.function_object(closure)?)))
    }

    /// The object of `.super`. Its members are looked up from the base class on.
    fn super_property(&mut self, name: Name, code: &Code) -> Step<(ObjectId, Option<Got>)> {
        let frame = self.frames.last().expect("an instruction belongs to a frame");
        let function = self.program.function(frame.function);
        let this = match function.has_this {
            true => self.stack[frame.base + function.parameters.len()],
            false => {
                let names = match &function.source {
                    FunctionSource::Lambda { outer, .. } => outer.as_slice(),
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
            // A base class without a constructor needs no call.
            None if name == Name::CTOR && arguments == 0 => {
                self.stack.push(Value::Null);
                Ok(Flow::Next)
            }
            None => Err(self.not_defined(name)),
        }
    }

    /// Calls the result of a getter. The arguments are already on the stack.
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

    /// Calls a getter or setter. Its arguments are on the stack.
    pub(super) fn call_accessor(
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

    pub(super) fn call_member(&mut self, name: Name, arguments: usize) -> Step<Flow> {
        let floor = self.stack.len() - 1 - arguments;
        let object = self.stack[floor];
        self.call_property(object, name, false, floor, arguments)
    }

    pub(super) fn call_property(
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
                    return self.call_stand_in(object, name, floor, arguments);
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

    /// Calls a member of the string or array that stands in for an unknown value. The result is
    /// unknown, too.
    fn call_stand_in(&mut self, object: Value, name: Name, floor: usize, arguments: usize) -> Step<Flow> {
        let stand_in = self.stand_in(object);
        let found = stand_in.and_then(|of| Some((of, self.builtin_member(of, name)?)));
        let Some((of, intrinsic)) = found else { return Err(self.unexpected_unknown(object)) };
        self.check_round()?;
        let value = self.intrinsic(intrinsic, Some(of), floor, arguments)?.unwrap_or(Value::Null);
        let element = self.type_of(value);
        let value = self.unknown_with(element, &[object], Some(value))?;
        self.stack.truncate(floor);
        self.stack.push(value);
        Ok(Flow::Next)
    }

    /// The function for a member of arrays or strings.
    pub(super) fn builtin_function(&mut self, intrinsic: Intrinsic) -> u32 {
        let known =
            self.program.functions.iter().position(|function| {
                function.intrinsic == Some(intrinsic) && &*function.token == "<builtin>"
            });
        if let Some(known) = known {
            return u32::try_from(known).unwrap_or(u32::MAX);
        }
        let signature = self.names.number("()dynamic");
        self.program.functions.push(Function {
            token: "<builtin>".into(),
            signature,
            parameters: Vec::<Parameter>::new(),
            module: 0,
            class: None,
            has_this: false,
            intrinsic: Some(intrinsic),
            source: FunctionSource::Module { member: "".into() },
            code: None,
        });
        u32::try_from(self.program.functions.len() - 1).unwrap_or(u32::MAX)
    }

    pub(super) fn length(&mut self, value: Value) -> Option<Value> {
        if let Value::Text(id) = value {
            // Checked at the next iteration or call.
            self.steps += self.heap.text(id).len() as u64 / 64;
        }
        #[expect(clippy::cast_precision_loss, reason = "arrays and texts are far shorter")]
        let length = match value {
            Value::Text(id) => self.heap.text(id).chars().count() as f64,
            other => self.items(other)?.len() as f64,
        };
        Some(Value::Number(length))
    }
}
