//! §19.3 The machine: frames, calls, and the loop that runs instructions.
//!
//! Nothing here recurses with the program: calls, initializers and accessors are frames of the
//! machine.

mod call;
mod construct;
mod declare;
mod exception;
mod initialize;
mod intrinsic;
mod item;
mod json;
mod member;
mod operate;
mod pointer;
mod property;
mod resource;
mod run;
mod serialize;
mod step;
mod token;
mod unwind;
mod value;
mod variable;

pub(crate) use resource::{Host, Known, RegisteredResource};

use crate::code::Code;
use crate::error::{EvalErrorKind, Frame as TraceFrame};
use crate::heap::{CellId, Closure, Heap, ObjectId, TextId, Value};
use crate::limits::{Limit, Limits};
use crate::names::{Name, Names};
use crate::note::Note;
use crate::program::Program;
use hashbrown::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

/// The reasons why an instruction does not end as usual.
pub(crate) enum Stop {
    /// An exception, which the program may handle.
    Throw(Value),
    /// The program waits for a value that is not known in this round of a deployment.
    Suspended,
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

/// The action after an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// The next one.
    Next,
    /// A frame was pushed or popped.
    Frame,
    /// A frame was pushed; the same instruction is repeated after it.
    Again,
}

/// A call that has not returned.
struct Frame {
    code: Rc<Code>,
    next: usize,
    /// The position of its first variable on the stack.
    base: usize,
    /// The height of the stack after its return.
    floor: usize,
    function: u32,
    captures: Option<Rc<[CellId]>>,
    finish: Finish,
    /// The number of completions before the call.
    completions: usize,
}

/// The use of a call's result.
#[derive(Clone, Copy, Debug)]
enum Finish {
    Push,
    /// This value is the result.
    Replace(Value),
    /// The result is called with the values from this stack position on. The first of them was the
    /// object.
    Call {
        floor: usize,
        arguments: usize,
    },
    /// The object that was constructed is the result.
    Construct {
        object: ObjectId,
        class: u32,
    },
    /// The end of an initializer: readonly properties of this object freeze.
    Initialize(ObjectId),
}

/// A region that handles exceptions.
struct Handler {
    frame: usize,
    catch: Option<u32>,
    finally: Option<u32>,
    height: usize,
    completions: usize,
}

/// The continuation after a `finally` clause.
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
    urns: HashMap<Arc<str>, u32>,
    pub(crate) alloc: Arc<str>,
    /// The output of the program.
    pub(crate) log: String,
    /// Places where the graph may differ from the intent of the program.
    pub(crate) notes: Vec<Note>,
    pub(crate) steps: u64,
    output_bytes: usize,
    literals: HashMap<Box<str>, TextId>,
    conversions: HashMap<(Name, Name), bool>,
    frames: Vec<Frame>,
    stack: Vec<Value>,
    handlers: Vec<Handler>,
    completions: Vec<Completion>,
    /// Classes whose declaration has begun, each because of an interface of the previous one.
    declaring: usize,
    /// The places at which the use of a stand-in was noted.
    stand_ins: HashSet<(u32, usize)>,
    /// The last exception caused by an unknown value.
    unexpected: Option<TextId>,
    /// The calls that were active when the last exception was thrown.
    trace: Vec<TraceFrame>,
}

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
            stand_ins: HashSet::new(),
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

    /// Initializes a module, unless that has already been done.
    pub(crate) fn run_module(&mut self, module: u32) -> Step {
        if self.ready_module(module)? == Flow::Again {
            self.run()?;
        }
        Ok(())
    }

    /// Initializes a class, unless that has already been done.
    pub(crate) fn run_class(&mut self, class: u32) -> Step {
        while self.ready_class(class)? == Flow::Again {
            self.run()?;
        }
        Ok(())
    }

    fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("an instruction belongs to a frame")
    }

    /// The value at `depth` below the top of the stack.
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

    /// Counts the work of one instruction that costs as much as several.
    pub(crate) fn charge(&mut self, steps: u64) -> Step {
        self.steps = self.steps.saturating_add(steps);
        if self.steps > self.limits.steps { Err(Limit::Steps.into()) } else { Ok(()) }
    }
}
