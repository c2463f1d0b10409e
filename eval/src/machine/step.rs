//! §19.3 The instructions outside the main loop.

use super::{Completion, Flow, Handler, Machine, Step, Stop};
use crate::code::{Code, Op};
use crate::heap::{Place, Value};
use crate::limits::Limit;
use std::rc::Rc;
use std::sync::Arc;

impl Machine<'_> {
    /// All instructions except those that [`Machine::run_until_stop`] handles itself. Separate from
    /// it, so that its variables stay in registers.
    #[inline(never)]
    pub(super) fn step(&mut self, op: Op, code: &Rc<Code>, base: usize) -> Step<Flow> {
        match op {
            Op::Dup2 => {
                let (second, first) = (self.top(1), self.top(0));
                self.stack.extend([second, first]);
            }
            Op::Under1 => {
                let at = self.stack.len() - 2;
                self.stack.insert(at, self.top(0));
            }
            Op::Under2 => {
                let at = self.stack.len() - 3;
                self.stack.insert(at, self.top(0));
            }
            Op::LoadCell(variable) => {
                let value = self.cell_value(self.stack[base + variable as usize]);
                self.stack.push(value);
            }
            Op::StoreCell(variable) => {
                let cell = self.cell_of(base + variable as usize)?;
                self.heap.cells[cell.0 as usize] = self.top(0);
            }
            Op::DeclareCell(variable) => {
                self.stack[base + variable as usize] = Value::Cell(self.heap.add_cell(Value::Null)?);
            }
            Op::LoadOuter(outer) => {
                let cell = self.outer(outer);
                let value = self.cell_value(Value::Cell(cell));
                self.stack.push(value);
            }
            Op::StoreOuter(outer) => {
                let cell = self.outer(outer);
                self.heap.cells[cell.0 as usize] = self.top(0);
            }
            Op::LoadName { lookup, tolerant } => {
                return self.load_name(&code.lookups[lookup as usize], tolerant, base);
            }
            Op::StoreName(lookup) => return self.store_name(&code.lookups[lookup as usize], None, base),
            Op::LoadNamed { lookup, tolerant } => {
                let name = self.pop();
                let name = self.name_of(name)?;
                let lookup = &code.lookups[lookup as usize];
                return self.load_named(lookup, name, tolerant, base);
            }
            Op::StoreNamed(lookup) => {
                let name = self.top(1);
                let name = self.name_of(name)?;
                let flow = self.store_name(&code.lookups[lookup as usize], Some(name), base)?;
                let value = self.pop();
                *self.top_mut() = value;
                return Ok(flow);
            }
            Op::LoadToken(site) => return self.load_token(site),
            Op::StoreToken(site) => return self.store_token(site),
            Op::LoadMember(name) => {
                let object = self.top(0);
                let floor = self.stack.len() - 1;
                // A type may have members that an object without a class lacks.
                return self.load_property(object, name, true, floor);
            }
            Op::StoreMember(name) => {
                let (object, value) = (self.top(1), self.top(0));
                let floor = self.stack.len() - 2;
                return self.store_property(object, name, value, floor);
            }
            Op::LoadSuper(name) => return self.load_super(name, code),
            Op::LoadIndex { tolerant } => return self.load_index(tolerant),
            Op::StoreIndex => return self.store_index(),
            Op::CallMember { name, arguments } => return self.call_member(name, usize::from(arguments)),
            Op::CallSuper { name, arguments } => return self.call_super(name, usize::from(arguments), code),
            Op::CallIndex { tolerant, arguments } => {
                return self.call_index(tolerant, usize::from(arguments));
            }
            Op::New(construction) => return self.construct(&code.constructions[construction as usize]),
            Op::Object { ty, properties } => {
                let ty = self.literal_type(ty)?;
                let object = self.plain(ty)?;
                self.heap.object_mut(object).properties.reserve(usize::from(properties));
                self.stack.push(Value::Object(object));
            }
            Op::Init(name) => {
                let value = self.pop();
                self.init_property(self.top(0), name, value)?;
            }
            Op::InitComputed => self.init_computed()?,
            Op::Array(array) => {
                let (ty, count) = code.arrays[array as usize];
                let at = self.stack.len() - count as usize;
                if count as usize > self.limits.array_items {
                    return Err(Limit::Array.into());
                }
                let items = self.stack.split_off(at);
                let array = self.array(ty, items)?;
                self.stack.push(array);
            }
            Op::SizedArray(ty) => self.sized_array(ty)?,
            Op::Unary(op) => {
                let value = self.top(0);
                *self.top_mut() = self.unary(op, value)?;
            }
            Op::Same => {
                let (mut left, mut right) = (self.pop(), self.pop());
                if self.host.suspends()
                    && (self.heap.unknown(left).is_some() || self.heap.unknown(right).is_some())
                {
                    return Err(Stop::Suspended);
                }
                for side in [&mut left, &mut right] {
                    if self.stand_in(*side).is_some() {
                        *side = self.required(*side)?;
                    }
                }
                if let (Value::Text(left), Value::Text(right)) = (left, right) {
                    let bytes = self.heap.text(left).len().min(self.heap.text(right).len());
                    self.charge(bytes as u64 / 64)?;
                }
                let same = self.same(left, right);
                self.stack.push(Value::Bool(same));
            }
            Op::And(target) => self.decide(false, target)?,
            Op::Or(target) => self.decide(true, target)?,
            Op::Closure(lambda) => self.closure(&code.lambdas[lambda as usize], base)?,
            Op::Try(region) => {
                let region = code.regions[region as usize];
                self.handlers.push(Handler {
                    frame: self.frames.len() - 1,
                    catch: region.catch,
                    finally: region.finally,
                    height: self.stack.len(),
                    completions: self.completions.len(),
                });
            }
            Op::EndTry(target) => self.end_try(target),
            Op::CatchUnless(catch) => {
                let (ty, target) = code.catches[catch as usize];
                let value = self.top(0);
                if !self.converts_value(value, ty)? {
                    self.frame().next = target as usize;
                }
            }
            Op::Rethrow | Op::Throw => return Err(Stop::Throw(self.pop())),
            Op::EndFinally => return self.end_finally(),
            Op::Leave(leave) => {
                let leave = code.leaves[leave as usize];
                let kept = self.completions.len().saturating_sub(leave.completions as usize);
                self.completions.truncate(kept);
                return self.complete(Completion::Leave { handlers: leave.handlers, target: leave.target });
            }
            Op::ReturnNothing => return self.return_value(Value::Null),
            Op::Import(site) => return self.import(site),
            Op::Cast(ty) => {
                let value = self.top(0);
                if !self.converts_value(value, ty)? {
                    let from = self.type_of(value);
                    let text = format!(
                        "cannot cast object of type '{}' to '{}'",
                        self.names.text(from),
                        self.names.text(ty)
                    );
                    return Err(self.exception(&text));
                }
            }
            Op::IsInstance(ty) => {
                let value = self.top(0);
                let is_instance = self.is_instance(value, ty)?;
                *self.top_mut() = Value::Bool(is_instance);
            }
            Op::TypeOf => {
                let ty = self.type_of(self.top(0));
                let text = self.heap.add_text(Arc::clone(self.names.text(ty)))?;
                *self.top_mut() = Value::Text(text);
            }
            Op::AddressOfCell(variable) => {
                let cell = self.cell_of(base + variable as usize)?;
                let value = self.pointer(Place::Cell(cell), self.heap.cells[cell.0 as usize])?;
                self.stack.push(value);
            }
            Op::AddressOfOuter(outer) => {
                let cell = self.outer(outer);
                let value = self.pointer(Place::Cell(cell), self.heap.cells[cell.0 as usize])?;
                self.stack.push(value);
            }
            Op::AddressOfToken(site) => return self.address_of_token(site),
            Op::AddressOfMember(name) => self.address_of_member(name)?,
            Op::AddressOfIndex => self.address_of_index()?,
            Op::LoadPointer => return self.load_pointer(),
            Op::StorePointer => return self.store_pointer(),
            Op::Fail(text) => return Err(Stop::Throw(Value::Text(text))),
            Op::Null
            | Op::Bool(_)
            | Op::Number(_)
            | Op::Text(_)
            | Op::Pop
            | Op::Dup
            | Op::Load(_)
            | Op::Store(_)
            | Op::Declare(_)
            | Op::Jump(_)
            | Op::JumpUnless(_)
            | Op::Compute { .. }
            | Op::Branch { .. }
            | Op::Assign { .. }
            | Op::Set(_)
            | Op::Step { .. }
            | Op::Call(_)
            | Op::Return => unreachable!("the loop runs these itself"),
        }
        Ok(Flow::Next)
    }

    /// `&&` and `||`: the left operand is the result if it is `deciding`.
    fn decide(&mut self, deciding: bool, target: u32) -> Step {
        match self.top(0) {
            Value::Bool(value) if value == deciding => self.frame().next = target as usize,
            Value::Bool(_) => drop(self.pop()),
            other if self.condition(other)? == deciding => self.frame().next = target as usize,
            _ => drop(self.pop()),
        }
        Ok(())
    }
}
