//! §19.3 The loop that runs instructions.

use super::operate;
use super::unwind::Unwound;
use super::{Flow, Machine, Step, Stop};
use crate::code::{BinaryOp, Op, Operand, UnaryOp};
use crate::heap::Value;
use crate::limits::Limit;
use std::rc::Rc;

/// Steps counted for an exception, because its trace is built.
const THROW: u64 = 64;

impl Machine<'_> {
    /// Runs until the frames that exist now have returned.
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
            // Instructions from here on are counted when an instruction other than the next one
            // follows.
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
                    Op::Load(variable) => match self.stack[base + variable as usize] {
                        Value::Number(number) => self.stack.push(Value::Number(number)),
                        Value::Empty => self.stack.push(Value::Null),
                        value => self.stack.push(value),
                    },
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
                            if !self.condition(other)? {
                                next = target as usize;
                                counted = next;
                            }
                        }
                    },
                    Op::Compute { op, left, right } => {
                        let both = self.numbers_of(left, right, base, numbers);
                        match both.and_then(|(left, right)| operate::arithmetic(op, left, right)) {
                            Some(number) => {
                                self.drop_operands(left, right);
                                self.stack.push(Value::Number(number));
                            }
                            None => {
                                self.pause(next, &mut counted);
                                let result = self.compute(op, left, right, base, numbers)?;
                                self.stack.push(result);
                            }
                        }
                    }
                    Op::Assign { op, left, right, variable } => {
                        let at = base + usize::from(variable);
                        let both = self.numbers_of(left, right, base, numbers);
                        match both.and_then(|(left, right)| operate::arithmetic(op, left, right)) {
                            Some(number) => {
                                self.drop_operands(left, right);
                                self.stack[at] = Value::Number(number);
                            }
                            None => {
                                self.pause(next, &mut counted);
                                self.stack[at] = self.compute(op, left, right, base, numbers)?;
                            }
                        }
                    }
                    Op::Branch { op, left, right, target } => {
                        let both = self.numbers_of(left, right, base, numbers);
                        let is_true = match both.and_then(|(left, right)| operate::compared(op, left, right))
                        {
                            Some(is_true) => {
                                self.drop_operands(left, right);
                                is_true
                            }
                            None => {
                                self.pause(next, &mut counted);
                                match self.compute(op, left, right, base, numbers)? {
                                    Value::Bool(is_true) => is_true,
                                    other => self.condition(other)?,
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
                        match (&mut self.stack[at], op) {
                            (Value::Number(number), UnaryOp::Increment) => *number += 1.0,
                            (Value::Number(number), UnaryOp::Decrement) => *number -= 1.0,
                            _ => {
                                self.pause(next, &mut counted);
                                let value = self.local(at);
                                self.stack[at] = self.unary(op, value)?;
                            }
                        }
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
                                // The new frame is above the one whose instruction is repeated.
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

    /// Saves the position, for an instruction that may continue elsewhere.
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

    /// Both operands, if they are numbers. Operands on the stack stay there.
    #[inline]
    fn numbers_of(&self, left: Operand, right: Operand, base: usize, numbers: &[f64]) -> Option<(f64, f64)> {
        // Only the needed word is read. Reading a whole value waits until both of its words are
        // stored.
        let at = |place: usize| match &self.stack[place] {
            Value::Number(number) => Some(*number),
            _ => None,
        };
        let number = |operand: Operand, depth: usize| match operand {
            Operand::Number(number) => Some(numbers[usize::from(number)]),
            Operand::Variable(variable) => at(base + usize::from(variable)),
            Operand::Stack => at(self.stack.len() - 1 - depth),
        };
        let above = usize::from(right == Operand::Stack);
        Some((number(left, above)?, number(right, 0)?))
    }

    #[inline]
    fn drop_operands(&mut self, left: Operand, right: Operand) {
        let count = usize::from(left == Operand::Stack) + usize::from(right == Operand::Stack);
        self.stack.truncate(self.stack.len() - count);
    }

    /// The result for any operands, and for rare operators.
    #[inline(never)]
    fn compute(
        &mut self,
        op: BinaryOp,
        left: Operand,
        right: Operand,
        base: usize,
        numbers: &[f64],
    ) -> Step<Value> {
        let right = self.operand(right, base, numbers);
        let left = self.operand(left, base, numbers);
        self.binary(op, left, right)
    }

    fn operand(&mut self, operand: Operand, base: usize, numbers: &[f64]) -> Value {
        match operand {
            Operand::Stack => self.pop(),
            Operand::Variable(variable) => self.local(base + usize::from(variable)),
            Operand::Number(number) => Value::Number(numbers[usize::from(number)]),
        }
    }

    /// Called at least once for each iteration of a loop and each call, so that no program runs
    /// forever.
    pub(super) fn check_round(&mut self) -> Step {
        if self.steps > self.limits.steps {
            return Err(Limit::Steps.into());
        }
        // A jump out of an expression may leave its values on the stack.
        if self.stack.len() > self.limits.heap_bytes / size_of::<Value>() {
            return Err(Limit::Heap.into());
        }
        Ok(())
    }
}
