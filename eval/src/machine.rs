//! §19.3 The machine: frames, calls, and the loop that runs instructions.
//!
//! Nothing here recurses with the program: calls, initializers and accessors are frames of our own.

mod construct;
mod declare;
mod intrinsic;
mod operate;
mod property;
mod resource;
mod unwind;

pub(crate) use resource::{Host, Known, RegisteredResource};

use crate::code::{Code, Lookup, Op, Variable};
use crate::error::{EvalErrorKind, Frame as TraceFrame};
use crate::heap::{Body, CellId, Closure, Heap, Object, ObjectId, Place, Properties, TextId, Unknown, Value};
use crate::limits::{Limit, Limits};
use crate::lower::Lowering;
use crate::names::{Name, Names};
use crate::program::{Found, Function, Program, State};
use hashbrown::HashMap;
use std::rc::Rc;
use unwind::Unwound;

/// Why an instruction did not end as usual.
pub(crate) enum Stop {
    /// An exception, which the program may handle.
    Throw(Value),
    Limit(Limit),
    Error(Box<EvalErrorKind>),
}

impl From<Limit> for Stop {
    fn from(limit: Limit) -> Stop {
        Stop::Limit(limit)
    }
}

impl From<EvalErrorKind> for Stop {
    fn from(kind: EvalErrorKind) -> Stop {
        Stop::Error(Box::new(kind))
    }
}

pub(crate) type Step<T = ()> = Result<T, Stop>;

/// What comes after an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// The next one.
    Next,
    /// A frame was begun or ended.
    Frame,
    /// A frame was begun, and after it this instruction comes again.
    Again,
}

/// A call that has not returned.
struct Frame {
    code: Rc<Code>,
    next: usize,
    /// Where its variables begin on the stack.
    base: usize,
    /// What is left of the stack when it returns.
    floor: usize,
    function: u32,
    captures: Option<Rc<[CellId]>>,
    finish: Finish,
    /// How many completions there were before it.
    completions: usize,
}

/// What becomes of the result of a call.
#[derive(Clone, Copy, Debug)]
enum Finish {
    Push,
    /// This value is the result.
    Replace(Value),
    /// The result is called with the values from this place of the stack on; what is there first
    /// was the object.
    Call {
        floor: usize,
        arguments: usize,
    },
    /// The object that was constructed is the result.
    Construct {
        object: ObjectId,
        class: u32,
    },
    /// An initializer: readonly properties of this object freeze.
    Initialize(ObjectId),
}

/// A region that an exception ends in.
struct Handler {
    frame: usize,
    catch: Option<u32>,
    finally: Option<u32>,
    height: usize,
    completions: usize,
}

/// What follows a `finally` clause.
enum Completion {
    Next(u32),
    Throw(Value),
    Return(Value),
    Leave { handlers: u32, target: u32 },
}

pub(crate) struct Machine<'p> {
    pub(crate) program: Program<'p>,
    pub(crate) heap: Heap,
    pub(crate) names: Names,
    pub(crate) limits: &'p Limits,
    pub(crate) host: &'p mut dyn Host,
    pub(crate) resources: Vec<RegisteredResource>,
    /// By object.
    resource_numbers: HashMap<ObjectId, u32>,
    urns: HashMap<Rc<str>, u32>,
    pub(crate) alloc: Rc<str>,
    /// What the program printed.
    pub(crate) log: String,
    /// Places where the graph may not be what the program means.
    pub(crate) notes: Vec<crate::Note>,
    pub(crate) steps: u64,
    output_bytes: usize,
    literals: HashMap<Box<str>, TextId>,
    conversions: HashMap<(Name, Name), bool>,
    frames: Vec<Frame>,
    stack: Vec<Value>,
    handlers: Vec<Handler>,
    completions: Vec<Completion>,
    /// Classes that are being declared, each because of an interface of the one before.
    declaring: usize,
    /// The last exception that an unknown value led to.
    unexpected: Option<TextId>,
    /// The calls that had not returned when the last exception was thrown.
    trace: Vec<TraceFrame>,
}

/// About what a name takes besides its text.
const NAME_BYTES: usize = 64;

/// Steps that an exception counts for: its trace is made.
const THROW: u64 = 64;

/// Frames of a trace that are kept at each end.
const TRACE: usize = 16;

impl<'p> Machine<'p> {
    pub(crate) fn new(program: Program<'p>, limits: &'p Limits, host: &'p mut dyn Host) -> Machine<'p> {
        Machine {
            program,
            heap: Heap::new(limits.heap_bytes),
            names: Names::new(),
            limits,
            host,
            resources: Vec::new(),
            resource_numbers: HashMap::new(),
            urns: HashMap::new(),
            alloc: "".into(),
            log: String::new(),
            notes: Vec::new(),
            steps: 0,
            output_bytes: 0,
            literals: HashMap::new(),
            conversions: HashMap::new(),
            frames: Vec::new(),
            stack: Vec::new(),
            handlers: Vec::new(),
            completions: Vec::new(),
            declaring: 0,
            unexpected: None,
            trace: Vec::new(),
        }
    }

    /// Calls a function without `this`, and runs until it returns.
    pub(crate) fn run_function(&mut self, function: u32, arguments: &[Value]) -> Step<Value> {
        let floor = self.stack.len();
        self.stack.extend_from_slice(arguments);
        let closure = Closure { function, this: None, captures: None };
        self.call_closure(&closure, floor, arguments.len(), Finish::Push)?;
        self.run()?;
        Ok(self.stack.pop().unwrap_or(Value::Null))
    }

    /// Initializes a module, if that was not done before.
    pub(crate) fn run_module(&mut self, module: u32) -> Step {
        if self.ready_module(module)? == Flow::Again {
            self.run()?;
        }
        Ok(())
    }

    /// Initializes a class, if that was not done before.
    pub(crate) fn run_class(&mut self, class: u32) -> Step {
        while self.ready_class(class)? == Flow::Again {
            self.run()?;
        }
        Ok(())
    }

    /// The calls that have not returned, or had not when the exception was thrown.
    pub(crate) fn take_trace(&mut self) -> Vec<TraceFrame> {
        match self.trace.is_empty() {
            true => self.trace_now(),
            false => std::mem::take(&mut self.trace),
        }
    }

    fn trace_now(&self) -> Vec<TraceFrame> {
        let count = self.frames.len();
        let frame = |frame: &Frame| TraceFrame {
            function: self.program.function(frame.function).token.to_string(),
            location: frame.code.location(frame.next.saturating_sub(1)).cloned(),
        };
        let all = self.frames.iter().rev().enumerate();
        all.filter(|(at, _)| *at < TRACE || at + TRACE >= count).map(|(_, f)| frame(f)).collect()
    }

    /// Runs until the frames that are there now have returned.
    fn run(&mut self) -> Step {
        loop {
            match self.run_until_stop() {
                Ok(()) => return Ok(()),
                Err(Stop::Throw(value)) => {
                    self.charge(THROW)?;
                    if self.trace.is_empty() {
                        self.trace = self.trace_now();
                    }
                    match self.unwind(value) {
                        Unwound::Nothing => return Err(Stop::Throw(value)),
                        Unwound::Finally => {}
                        Unwound::Catch => {
                            self.trace.clear();
                            self.note_caught(value)?;
                        }
                    }
                }
                Err(other) => return Err(other),
            }
        }
    }

    fn run_until_stop(&mut self) -> Step {
        'frames: loop {
            let Some(frame) = self.frames.last() else { return Ok(()) };
            let code = Rc::clone(&frame.code);
            let (base, mut next) = (frame.base, frame.next);
            loop {
                let op = code.ops[next];
                next += 1;
                self.steps += 1;
                match op {
                    Op::Null => self.stack.push(Value::Null),
                    Op::Bool(value) => self.stack.push(Value::Bool(value)),
                    Op::Number(number) => self.stack.push(Value::Number(code.numbers[number as usize])),
                    Op::Text(text) => self.stack.push(Value::Text(text)),
                    Op::Pop => drop(self.stack.pop()),
                    Op::Dup => self.stack.push(self.top(0)),
                    Op::Load(variable) => {
                        let value = self.stack[base + variable as usize];
                        self.stack.push(if matches!(value, Value::Empty) { Value::Null } else { value });
                    }
                    Op::Store(variable) => self.stack[base + variable as usize] = self.top(0),
                    Op::Declare(variable) => self.stack[base + variable as usize] = Value::Null,
                    Op::Jump(target) => {
                        let target = target as usize;
                        if target < next {
                            self.frame().next = next;
                            self.check_round()?;
                        }
                        next = target;
                    }
                    Op::JumpUnless(target) => match self.pop() {
                        Value::Bool(true) => {}
                        Value::Bool(false) => next = target as usize,
                        other => {
                            self.frame().next = next;
                            return Err(self.no_condition(other));
                        }
                    },
                    Op::Binary(op) => {
                        let (left, right) = (self.top(1), self.top(0));
                        let result = match (left, right) {
                            (Value::Number(left), Value::Number(right)) => operate::fast(op, left, right),
                            _ => None,
                        };
                        let result = match result {
                            Some(result) => result,
                            None => {
                                self.frame().next = next;
                                self.binary(op, left, right)?
                            }
                        };
                        self.stack.pop();
                        *self.top_mut() = result;
                    }
                    op => {
                        self.frame().next = next;
                        match self.step(op, &code, base)? {
                            Flow::Next => next = self.frame().next,
                            Flow::Frame => continue 'frames,
                            Flow::Again => {
                                // The new frame is on top of the one that comes again.
                                let at = self.frames.len() - 2;
                                self.frames[at].next -= 1;
                                continue 'frames;
                            }
                        }
                    }
                }
            }
        }
    }

    fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("an instruction belongs to a frame")
    }

    /// The value that is `depth` below the top.
    #[inline]
    fn top(&self, depth: usize) -> Value {
        self.stack[self.stack.len() - 1 - depth]
    }

    #[inline]
    fn top_mut(&mut self) -> &mut Value {
        self.stack.last_mut().expect("lowering leaves a value")
    }

    #[inline]
    fn pop(&mut self) -> Value {
        self.stack.pop().unwrap_or(Value::Null)
    }

    /// Counts work that one instruction does as many.
    pub(crate) fn charge(&mut self, steps: u64) -> Step {
        self.steps = self.steps.saturating_add(steps);
        if self.steps > self.limits.steps { Err(Limit::Steps.into()) } else { Ok(()) }
    }

    /// The number of a name that the program made. Names are never given back.
    pub(crate) fn intern(&mut self, text: &str) -> Step<Name> {
        if let Some(known) = self.names.find(text) {
            return Ok(known);
        }
        self.heap.take(text.len() + NAME_BYTES)?;
        Ok(self.names.number(text))
    }

    /// Called at least once for each round of a loop and each call, so that nothing runs for ever.
    fn check_round(&mut self) -> Step {
        if self.steps > self.limits.steps {
            return Err(Limit::Steps.into());
        }
        // A jump out of an expression may leave values of it behind.
        if self.stack.len() > self.limits.heap_bytes / size_of::<Value>() {
            return Err(Limit::Heap.into());
        }
        Ok(())
    }

    /// Every instruction but those that [`Machine::run_until_stop`] runs itself.
    fn step(&mut self, op: Op, code: &Rc<Code>, base: usize) -> Step<Flow> {
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
                // A type may have members that an object without a class does not have.
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
            Op::Call(arguments) => {
                let floor = self.stack.len() - 1 - usize::from(arguments);
                let callee = self.stack[floor];
                return self.call_value(callee, floor, usize::from(arguments));
            }
            Op::CallMember { name, arguments } => return self.call_member(name, usize::from(arguments)),
            Op::CallSuper { name, arguments } => return self.call_super(name, usize::from(arguments), code),
            Op::CallIndex { tolerant, arguments } => {
                return self.call_index(tolerant, usize::from(arguments));
            }
            Op::New(construction) => return self.construct(&code.constructions[construction as usize]),
            Op::Object(ty) => {
                let ty = self.literal_type(ty)?;
                let object = self.plain(ty)?;
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
                let (left, right) = (self.pop(), self.pop());
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
            Op::Return => {
                let value = self.pop();
                return self.return_value(value);
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
                let text = self.heap.add_text(Rc::clone(self.names.text(ty)))?;
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
            | Op::Binary(_) => unreachable!("the loop runs these itself"),
        }
        Ok(Flow::Next)
    }

    /// The value of a variable of a frame, which may be in a cell.
    fn cell_value(&self, value: Value) -> Value {
        let value = match value {
            Value::Cell(cell) => self.heap.cells[cell.0 as usize],
            other => other,
        };
        if matches!(value, Value::Empty) { Value::Null } else { value }
    }

    /// The cell of a variable, made if it was not declared yet.
    fn cell_of(&mut self, at: usize) -> Step<CellId> {
        match self.stack[at] {
            Value::Cell(cell) => Ok(cell),
            other => {
                let cell = self.heap.add_cell(other)?;
                self.stack[at] = Value::Cell(cell);
                Ok(cell)
            }
        }
    }

    fn outer(&mut self, outer: u32) -> CellId {
        self.frame().captures.as_ref().expect("the lambda took it along")[outer as usize]
    }

    /// A variable that may not be declared yet: then `Empty`.
    fn variable(&mut self, variable: Variable, base: usize) -> Value {
        match variable {
            Variable::Local(local) => self.stack[base + local as usize],
            Variable::Cell(local) => match self.stack[base + local as usize] {
                Value::Cell(cell) => self.heap.cells[cell.0 as usize],
                other => other,
            },
            Variable::Outer(outer) => {
                let cell = self.outer(outer);
                self.heap.cells[cell.0 as usize]
            }
        }
    }

    fn set_variable(&mut self, variable: Variable, base: usize, value: Value) -> Step {
        match variable {
            Variable::Local(local) => self.stack[base + local as usize] = value,
            Variable::Cell(local) => {
                let cell = self.cell_of(base + local as usize)?;
                self.heap.cells[cell.0 as usize] = value;
            }
            Variable::Outer(outer) => {
                let cell = self.outer(outer);
                self.heap.cells[cell.0 as usize] = value;
            }
        }
        Ok(())
    }

    /// §19.4 A name that is looked up when it is used: variables around the place, then the globals
    /// of the module.
    fn load_name(&mut self, lookup: &Lookup, tolerant: bool, base: usize) -> Step<Flow> {
        for &(_, variable) in &lookup.candidates {
            let value = self.variable(variable, base);
            if !matches!(value, Value::Empty) {
                self.stack.push(value);
                return Ok(Flow::Next);
            }
        }
        match lookup.name {
            Some(name) => self.load_global(name, tolerant),
            None => Ok(Flow::Next),
        }
    }

    fn load_named(&mut self, lookup: &Lookup, name: Name, tolerant: bool, base: usize) -> Step<Flow> {
        self.steps += lookup.candidates.len() as u64 / 8;
        for &(other, variable) in &lookup.candidates {
            let value = self.variable(variable, base);
            if other == name && !matches!(value, Value::Empty) {
                self.stack.push(value);
                return Ok(Flow::Next);
            }
        }
        self.load_global(name, tolerant)
    }

    fn load_global(&mut self, name: Name, tolerant: bool) -> Step<Flow> {
        let module = self.frame().code.module;
        let globals = self.program.module(module).globals;
        match self.heap.object(globals).properties.position(name) {
            Some(position) => {
                let value = self.global_value(module, position)?;
                self.stack.push(value);
                Ok(Flow::Next)
            }
            None if tolerant => {
                self.stack.push(Value::Null);
                Ok(Flow::Next)
            }
            None => Err(self.not_defined(name)),
        }
    }

    /// The value on the stack stays there.
    fn store_name(&mut self, lookup: &Lookup, named: Option<Name>, base: usize) -> Step<Flow> {
        let value = self.top(0);
        let name = named.or(lookup.name);
        for &(other, variable) in &lookup.candidates {
            if Some(other) == name
                && (Some(variable) == lookup.fallback
                    || !matches!(self.variable(variable, base), Value::Empty))
            {
                let is_made = Some(variable) == lookup.fallback
                    && matches!(self.variable(variable, base), Value::Empty);
                // A global of this name comes before a variable that is only about to be made.
                if !(is_made && self.global_position(name).is_some()) {
                    self.set_variable(variable, base, value)?;
                    return Ok(Flow::Next);
                }
            }
        }
        let Some(name) = name else { return Ok(Flow::Next) };
        let module = self.frame().code.module;
        let globals = self.program.module(module).globals;
        match self.heap.object(globals).properties.position(name) {
            Some(position) => self.set_position(globals, position, value)?,
            None => self.add_property(globals, name, 0, value)?,
        }
        Ok(Flow::Next)
    }

    fn global_position(&mut self, name: Option<Name>) -> Option<usize> {
        let module = self.frame().code.module;
        let globals = self.program.module(module).globals;
        self.heap.object(globals).properties.position(name?)
    }

    fn closure(&mut self, lambda: &crate::code::Lambda, base: usize) -> Step {
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

    fn function_object(&mut self, closure: Closure) -> Step<ObjectId> {
        let ty = self.program.function(closure.function).signature;
        let body = Body::Function(closure);
        Ok(self.heap.add(Object { ty, prototype: None, properties: Properties::default(), body })?)
    }

    /// Begins a call. Its arguments are the last `arguments` values on the stack, and the stack is
    /// cut to `floor` when it returns.
    fn call_closure(
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
            token: Rc::clone(&function.token),
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
        // The code takes about as much memory as its instructions.
        self.heap.take(code.ops.len() * (size_of::<Op>() + 4))?;
        let code = Rc::new(code);
        self.program.functions[number as usize].code = Some(Rc::clone(&code));
        Ok(code)
    }

    /// Calls any value. It is at `floor` of the stack, and its arguments after it.
    fn call_value(&mut self, callee: Value, floor: usize, arguments: usize) -> Step<Flow> {
        if let Value::Object(id) = callee {
            match &self.heap.object(id).body {
                Body::Function(closure) => {
                    let closure = closure.clone();
                    if let Some(flow) = self.resource_query(&closure, floor, arguments)? {
                        return Ok(flow);
                    }
                    return self.call_closure(&closure, floor, arguments, Finish::Push);
                }
                // To call a class is to construct.
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

    /// Ends the call that runs now.
    fn return_value(&mut self, value: Value) -> Step<Flow> {
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

    /// An exception of the language: a text.
    fn exception(&mut self, text: &str) -> Stop {
        match self.heap.add_text(text.into()) {
            Ok(text) => Stop::Throw(Value::Text(text)),
            Err(limit) => limit.into(),
        }
    }

    fn not_defined(&mut self, name: Name) -> Stop {
        let text = format!("name '{}' is not defined", self.names.text(name));
        self.exception(&text)
    }

    fn null_object(&mut self) -> Stop {
        self.exception("target object is null")
    }

    /// §19.5 An unknown where a value is needed now.
    fn unexpected_unknown(&mut self, value: Value) -> Stop {
        let ty = self.type_of(value);
        let text =
            format!("unexpected computed value '{}', a concrete value is required", self.names.text(ty));
        let stop = self.exception(&text);
        if let Stop::Throw(Value::Text(text)) = stop {
            self.unexpected = Some(text);
        }
        stop
    }

    /// A program that handles the exception of an unknown value may make another graph once the
    /// value is known.
    fn note_caught(&mut self, value: Value) -> Step {
        match value {
            Value::Text(text) if self.unexpected == Some(text) => self.note(
                "an unknown value was needed here, and the program handled it; the graph may change"
                    .to_owned(),
            ),
            _ => Ok(()),
        }
    }

    fn no_condition(&mut self, value: Value) -> Stop {
        if self.heap.unknown(value).is_some() {
            return self.unexpected_unknown(value);
        }
        let ty = self.type_of(value);
        let text = format!("a condition is true or false, not a value of type '{}'", self.names.text(ty));
        self.exception(&text)
    }

    /// `&&` and `||`: the left operand is the result if it is `deciding`.
    fn decide(&mut self, deciding: bool, target: u32) -> Step {
        match self.top(0) {
            Value::Bool(value) if value == deciding => self.frame().next = target as usize,
            Value::Bool(_) => drop(self.pop()),
            other => return Err(self.no_condition(other)),
        }
        Ok(())
    }

    pub(crate) fn plain(&mut self, ty: Name) -> Step<ObjectId> {
        let body = Body::Plain;
        Ok(self.heap.add(Object { ty, prototype: None, properties: Properties::default(), body })?)
    }

    pub(crate) fn array(&mut self, ty: Name, items: Vec<Value>) -> Step<Value> {
        let body = Body::Array(items);
        let object = Object { ty, prototype: None, properties: Properties::default(), body };
        Ok(Value::Object(self.heap.add(object)?))
    }

    pub(crate) fn text(&mut self, text: &str) -> Step<Value> {
        if text.len() > self.limits.text_bytes {
            return Err(Limit::Text.into());
        }
        Ok(Value::Text(self.heap.add_text(text.into())?))
    }

    /// A value that is computed from these, some of which are unknown.
    fn unknown_of(&mut self, element: Name, from: &[Value]) -> Step<Value> {
        let mut sources: Vec<ObjectId> = Vec::new();
        for value in from {
            if let Some(unknown) = self.heap.unknown(*value) {
                sources.extend(&unknown.sources);
            }
        }
        sources.sort_unstable();
        sources.dedup();
        self.unknown_value(Unknown { element, sources, derived: true })
    }

    fn unknown_value(&mut self, unknown: Unknown) -> Step<Value> {
        let text = format!("{}.computed", self.names.text(unknown.element));
        let ty = self.intern(&text)?;
        let body = Body::Unknown(Box::new(unknown));
        Ok(Value::Object(self.heap.add(Object {
            ty,
            prototype: None,
            properties: Properties::default(),
            body,
        })?))
    }

    fn import(&mut self, site: u32) -> Step<Flow> {
        let module = match self.resolve(site)? {
            Found::Module(module) | Found::Global { module, .. } => module,
            Found::Class(class) | Found::Static { class, .. } => self.program.class(class).module,
        };
        if self.ready_module(module)? == Flow::Again {
            return Ok(Flow::Again);
        }
        self.stack.push(Value::Object(self.program.module(module).exports));
        Ok(Flow::Next)
    }

    /// Begins the initializer of a module, if it did not begin before.
    pub(crate) fn ready_module(&mut self, module: u32) -> Step<Flow> {
        if self.program.module(module).state == State::Begun {
            return Ok(Flow::Next);
        }
        self.program.modules[module as usize].state = State::Begun;
        let (init, globals) = (self.program.module(module).init, self.program.module(module).globals);
        self.begin_initializer(init, globals)
    }

    fn begin_initializer(&mut self, init: Option<u32>, object: ObjectId) -> Step<Flow> {
        match init {
            Some(function) => {
                let closure = Closure { function, this: None, captures: None };
                let floor = self.stack.len();
                self.call_closure(&closure, floor, 0, Finish::Initialize(object))?;
                Ok(Flow::Again)
            }
            None => {
                self.freeze(object);
                Ok(Flow::Next)
            }
        }
    }

    /// Begins the next initializer that a class needs: of its module, its base classes, itself.
    pub(crate) fn ready_class(&mut self, class: u32) -> Step<Flow> {
        if self.program.class(class).state == State::New
            && self.ready_module(self.program.class(class).module)? == Flow::Again
        {
            return Ok(Flow::Again);
        }
        while self.program.class(class).state == State::New {
            // The innermost base class that was not initialized comes first. Classes of a circle
            // are refused when they are declared.
            let mut first = class;
            while let Some(base) = self.program.class(first).base
                && self.program.class(base).state == State::New
            {
                first = base;
            }
            if self.ready_module(self.program.class(first).module)? == Flow::Again {
                return Ok(Flow::Again);
            }
            self.program.classes[first as usize].state = State::Begun;
            let (init, statics) = (self.program.class(first).init, self.program.class(first).statics);
            if self.begin_initializer(init, statics)? == Flow::Again {
                return Ok(Flow::Again);
            }
        }
        Ok(Flow::Next)
    }
}
