//! §19.3 The loop that runs instructions.

use super::operate;
use super::unwind::Unwound;
use super::{Flow, Machine, Step, Stop};
use crate::code::Op;
use crate::heap::Value;
use crate::limits::Limit;
use std::rc::Rc;

/// Steps that an exception counts for: its trace is made.
const THROW: u64 = 64;

impl Machine<'_> {
    /// Runs until the frames that are there now have returned.
    pub(super) fn run(&mut self) -> Step {
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

    /// Called at least once for each round of a loop and each call, so that nothing runs for ever.
    pub(super) fn check_round(&mut self) -> Step {
        if self.steps > self.limits.steps {
            return Err(Limit::Steps.into());
        }
        // A jump out of an expression may leave values of it behind.
        if self.stack.len() > self.limits.heap_bytes / size_of::<Value>() {
            return Err(Limit::Heap.into());
        }
        Ok(())
    }
}
