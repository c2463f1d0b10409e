//! §19.3 Calls and the use of their results.

use super::{Completion, Finish, Flow, Frame, Machine, Step};
use crate::code::{Code, Op, Variable};
use crate::heap::{Body, Closure, Object, ObjectId, Properties, Value};
use crate::limits::Limit;
use crate::lower::Lowering;
use crate::program::Function;
use std::rc::Rc;
use std::sync::Arc;

impl Machine<'_> {
    pub(super) fn closure(&mut self, lambda: &crate::code::Lambda, base: usize) -> Step {
        let mut cells = Vec::with_capacity(lambda.captures.len());
        for &variable in &lambda.captures {
            cells.push(match variable {
                Variable::Local(local) | Variable::Cell(local) => self.cell_of(base + local as usize)?,
                Variable::Outer(outer) => self.outer(outer),
            });
        }
        let captures = (!cells.is_empty()).then(|| cells.into());
        let value = self.function_object(Closure { function: lambda.function, this: None, captures })?;
        self.stack.push(Value::Object(value));
        Ok(())
    }

    pub(super) fn function_object(&mut self, closure: Closure) -> Step<ObjectId> {
        let ty = self.program.function(closure.function).signature;
        let body = Body::Function(closure);
        Ok(self.heap.add(Object { ty, prototype: None, properties: Properties::default(), body })?)
    }

    /// Begins a call. Its arguments are the last `arguments` values on the stack, which is cut to
    /// `floor` when the call returns.
    pub(super) fn call_closure(
        &mut self,
        closure: &Closure,
        floor: usize,
        arguments: usize,
        finish: Finish,
    ) -> Step<Flow> {
        self.check_round()?;
        let function = self.program.function(closure.function);
        if let Some(intrinsic) = function.intrinsic {
            let receiver = closure.captures.as_ref().map(|captures| self.heap.cells[captures[0].0 as usize]);
            let value = self.intrinsic(intrinsic, receiver, floor, arguments)?;
            let Some(value) = value else { return Ok(Flow::Frame) };
            self.stack.truncate(floor);
            return self.finish_call(finish, value);
        }
        let expected = function.parameters.len();
        if expected != arguments {
            let text = format!("`{}` takes {expected} arguments, not {arguments}", function.token);
            return Err(self.exception(&text));
        }
        if self.frames.len() >= self.limits.call_depth {
            return Err(Limit::CallDepth.into());
        }
        let has_this = function.has_this;
        let code = match &function.code {
            Some(code) => Rc::clone(code),
            None => self.lower(closure.function)?,
        };
        let base = self.stack.len() - arguments;
        if has_this {
            self.stack.push(closure.this.map_or(Value::Null, Value::Object));
        }
        self.stack.resize(base + code.variables as usize, Value::Empty);
        for &variable in &code.shared_parameters {
            if (variable as usize) < arguments + usize::from(has_this) {
                self.cell_of(base + variable as usize)?;
            }
        }
        let captures = closure.captures.clone();
        let completions = self.completions.len();
        self.frames.push(Frame {
            code,
            next: 0,
            base,
            floor,
            function: closure.function,
            captures,
            finish,
            completions,
        });
        Ok(Flow::Frame)
    }

    fn lower(&mut self, number: u32) -> Step<Rc<Code>> {
        let mut functions = std::mem::take(&mut self.program.functions);
        let mut sites = std::mem::take(&mut self.program.sites);
        let function = &functions[number as usize];
        let (parameters, has_this) = (function.parameters.clone(), function.has_this);
        let module = Rc::clone(&self.program.module(function.module).node);
        self.steps += module.entries("members").count() as u64 / 16;
        let tree = self.program.tree(function, &module);
        let body = tree.and_then(|tree| tree.node("body"));
        let description = Function {
            token: Arc::clone(&function.token),
            signature: function.signature,
            parameters: Vec::new(),
            module: function.module,
            class: function.class,
            has_this,
            intrinsic: None,
            source: function.source.clone(),
            code: None,
        };
        let mut lowering = Lowering::new(
            &mut self.names,
            &mut self.heap,
            &mut sites,
            &mut functions,
            &mut self.literals,
            &description,
        );
        let code = lowering.function(&parameters, has_this, body);
        self.program.functions = functions;
        self.program.sites = sites;
        let code = code?;
        // The code needs about as much memory as its instructions.
        self.heap.take(code.ops.len() * (size_of::<Op>() + 4))?;
        let code = Rc::new(code);
        self.program.functions[number as usize].code = Some(Rc::clone(&code));
        Ok(code)
    }

    /// Calls the value below this many arguments.
    #[inline]
    pub(super) fn call(&mut self, arguments: usize) -> Step<Flow> {
        let floor = self.stack.len() - 1 - arguments;
        let callee = self.stack[floor];
        self.call_value(callee, floor, arguments)
    }

    /// Calls any value. It is at position `floor` of the stack, followed by its arguments.
    pub(super) fn call_value(&mut self, callee: Value, floor: usize, arguments: usize) -> Step<Flow> {
        if let Value::Object(id) = callee {
            match &self.heap.object(id).body {
                Body::Function(closure) => {
                    let closure = closure.clone();
                    if let Some(flow) = self.resource_query(&closure, floor, arguments)? {
                        return Ok(flow);
                    }
                    return self.call_closure(&closure, floor, arguments, Finish::Push);
                }
                // Calling a class constructs an instance.
                Body::Prototype(class) => {
                    let class = *class;
                    return self.construct_class(class, floor, arguments, &[]);
                }
                Body::Unknown(_) => return Err(self.unexpected_unknown(callee)),
                _ => {}
            }
        }
        let ty = self.type_of(callee);
        let text = format!("a function expected as target of an invoke, got '{}'", self.names.text(ty));
        Err(self.exception(&text))
    }

    /// Ends the current call.
    pub(super) fn return_value(&mut self, value: Value) -> Step<Flow> {
        let frame = self.frames.len() - 1;
        match self.handlers.last() {
            Some(handler) if handler.frame == frame => self.complete(Completion::Return(value)),
            _ => {
                let Some(frame) = self.frames.pop() else { return Ok(Flow::Frame) };
                self.stack.truncate(frame.floor);
                self.completions.truncate(frame.completions);
                self.finish_call(frame.finish, value)?;
                Ok(Flow::Frame)
            }
        }
    }

    fn finish_call(&mut self, finish: Finish, value: Value) -> Step<Flow> {
        match finish {
            Finish::Push => self.stack.push(value),
            Finish::Call { floor, arguments } => return self.call_value(value, floor, arguments),
            Finish::Replace(value) => self.stack.push(value),
            Finish::Construct { object, class } => {
                self.constructed(object, class)?;
                self.stack.push(Value::Object(object));
            }
            Finish::Initialize(object) => self.freeze(object),
        }
        Ok(Flow::Next)
    }
}
