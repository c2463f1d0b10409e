//! §19.3 The loop that runs instructions.

use super::operate;
use super::unwind::Unwound;
use super::{Flow, Machine, Step, Stop};
use crate::code::{Op, Operand, UnaryOp};
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
            let (ops, numbers) = (&*code.ops, &*code.numbers);
            let (base, mut next) = (frame.base, frame.next);
            // Instructions from here on are not counted yet. They are, when another one than the
            // next follows.
            let mut counted = next;
            loop {
                let op = &ops[next];
                next += 1;
                match *op {
                    Op::Null => self.stack.push(Value::Null),
                    Op::Bool(value) => self.stack.push(Value::Bool(value)),
                    Op::Number(number) => self.stack.push(Value::Number(numbers[number as usize])),
                    Op::Text(text) => self.stack.push(Value::Text(text)),
                    Op::Pop => drop(self.stack.pop()),
                    Op::Dup => self.stack.push(self.top(0)),
                    Op::Load(variable) => {
                        let value = self.local(base + variable as usize);
                        self.stack.push(value);
                    }
                    Op::Store(variable) => self.stack[base + variable as usize] = self.top(0),
                    Op::Set(variable) => {
                        let value = self.pop();
                        self.stack[base + variable as usize] = value;
                    }
                    Op::Declare(variable) => self.stack[base + variable as usize] = Value::Null,
                    Op::Jump(target) => {
                        self.count(next, &mut counted);
                        if (target as usize) < next {
                            self.frame().next = next;
                            self.check_round()?;
                        }
                        next = target as usize;
                        counted = next;
                    }
                    Op::JumpUnless(target) => match self.pop() {
                        Value::Bool(true) => {}
                        Value::Bool(false) => {
                            self.count(next, &mut counted);
                            next = target as usize;
                            counted = next;
                        }
                        other => {
                            self.pause(next, &mut counted);
                            return Err(self.no_condition(other));
                        }
                    },
                    Op::Compute { op, left, right } => {
                        let right = self.operand(right, base, numbers);
                        let left = self.operand(left, base, numbers);
                        let result = match operate::fast(op, left, right) {
                            Some(result) => result,
                            None => {
                                self.pause(next, &mut counted);
                                self.binary(op, left, right)?
                            }
                        };
                        self.stack.push(result);
                    }
                    Op::Assign { op, left, right, variable } => {
                        let right = self.operand(right, base, numbers);
                        let left = self.operand(left, base, numbers);
                        let result = match operate::fast(op, left, right) {
                            Some(result) => result,
                            None => {
                                self.pause(next, &mut counted);
                                self.binary(op, left, right)?
                            }
                        };
                        self.stack[base + usize::from(variable)] = result;
                    }
                    Op::Branch { op, left, right, target } => {
                        let right = self.operand(right, base, numbers);
                        let left = self.operand(left, base, numbers);
                        let is_true = match operate::compared(op, left, right) {
                            Some(is_true) => is_true,
                            None => {
                                self.pause(next, &mut counted);
                                match self.binary(op, left, right)? {
                                    Value::Bool(is_true) => is_true,
                                    other => return Err(self.no_condition(other)),
                                }
                            }
                        };
                        if !is_true {
                            self.count(next, &mut counted);
                            next = target as usize;
                            counted = next;
                        }
                    }
                    Op::Step { variable, op } => {
                        let at = base + variable as usize;
                        let result = match (self.local(at), op) {
                            (Value::Number(number), UnaryOp::Increment) => Value::Number(number + 1.0),
                            (Value::Number(number), UnaryOp::Decrement) => Value::Number(number - 1.0),
                            (value, op) => {
                                self.pause(next, &mut counted);
                                self.unary(op, value)?
                            }
                        };
                        self.stack[at] = result;
                    }
                    Op::LoadName { lookup, .. } if code.lookups[lookup as usize].global.get().is_some() => {
                        let lookup = &code.lookups[lookup as usize];
                        let position = lookup.global.get().unwrap_or_default() as usize;
                        let value = self.global_value(code.module, position)?;
                        self.stack.push(value);
                    }
                    op => {
                        self.pause(next, &mut counted);
                        let flow = match op {
                            Op::Call(arguments) => self.call(usize::from(arguments))?,
                            Op::Return => {
                                let value = self.pop();
                                self.return_value(value)?
                            }
                            op => self.step(op, &code, base)?,
                        };
                        match flow {
                            Flow::Next => {
                                next = self.frame().next;
                                counted = next;
                            }
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

    /// Counts the instructions before `next`.
    #[inline]
    fn count(&mut self, next: usize, counted: &mut usize) {
        self.steps += (next - *counted) as u64;
        *counted = next;
    }

    /// Keeps the place, for an instruction that may end in another one than the next.
    #[inline]
    fn pause(&mut self, next: usize, counted: &mut usize) {
        self.count(next, counted);
        self.frame().next = next;
    }

    /// A variable of the frame that no lambda shares.
    #[inline]
    fn local(&self, at: usize) -> Value {
        match self.stack[at] {
            Value::Empty => Value::Null,
            value => value,
        }
    }

    #[inline]
    fn operand(&mut self, operand: Operand, base: usize, numbers: &[f64]) -> Value {
        match operand {
            Operand::Stack => self.pop(),
            Operand::Variable(variable) => self.local(base + usize::from(variable)),
            Operand::Number(number) => Value::Number(numbers[usize::from(number)]),
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
