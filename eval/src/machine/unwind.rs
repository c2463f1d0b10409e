//! §19.6 Leaving statements: exceptions, and jumps through `finally` clauses.

use super::{Completion, Flow, Handler, Machine, Step, Stop};
use crate::heap::Value;

/// The destination of an exception.
pub(super) enum Unwound {
    Catch,
    Finally,
    Nothing,
}

impl Machine<'_> {
    /// Continues at the innermost handler of an exception.
    pub(super) fn unwind(&mut self, value: Value) -> Unwound {
        while let Some(handler) = self.handlers.pop() {
            let (catch, finally) = match (handler.catch, handler.finally) {
                (None, None) => continue,
                clauses => clauses,
            };
            self.frames.truncate(handler.frame + 1);
            self.stack.truncate(handler.height);
            self.completions.truncate(handler.completions);
            return match (catch, finally) {
                (Some(catch), finally) => {
                    if finally.is_some() {
                        self.handlers.push(Handler { catch: None, ..handler });
                    }
                    self.stack.push(value);
                    self.frame().next = catch as usize;
                    Unwound::Catch
                }
                (None, finally) => {
                    self.completions.push(Completion::Throw(value));
                    self.frame().next = finally.unwrap_or_default() as usize;
                    Unwound::Finally
                }
            };
        }
        Unwound::Nothing
    }

    /// The end of a `try` clause, or of a `catch` clause before a `finally`.
    pub(super) fn end_try(&mut self, target: u32) {
        let handler = self.handlers.pop();
        match handler.and_then(|handler| handler.finally) {
            Some(finally) => {
                self.completions.push(Completion::Next(target));
                self.frame().next = finally as usize;
            }
            None => self.frame().next = target as usize,
        }
    }

    pub(super) fn end_finally(&mut self) -> Step<Flow> {
        match self.completions.pop() {
            Some(Completion::Next(target)) => {
                self.frame().next = target as usize;
                Ok(Flow::Next)
            }
            Some(Completion::Throw(value)) => Err(Stop::Throw(value)),
            Some(other) => self.complete(other),
            None => Ok(Flow::Next),
        }
    }

    /// Returns or jumps, through the `finally` clauses on the way.
    pub(super) fn complete(&mut self, completion: Completion) -> Step<Flow> {
        let frame = self.frames.len() - 1;
        let mut left = match &completion {
            Completion::Leave { handlers, .. } => *handlers,
            _ => u32::MAX,
        };
        while left > 0 && self.handlers.last().is_some_and(|handler| handler.frame == frame) {
            let Some(handler) = self.handlers.pop() else { break };
            left -= 1;
            self.completions.truncate(handler.completions.min(self.completions.len()));
            if let Some(finally) = handler.finally {
                self.stack.truncate(handler.height);
                self.completions.push(match completion {
                    Completion::Leave { target, .. } => Completion::Leave { handlers: left, target },
                    other => other,
                });
                self.frame().next = finally as usize;
                return Ok(Flow::Next);
            }
        }
        match completion {
            Completion::Leave { target, .. } | Completion::Next(target) => {
                self.frame().next = target as usize;
                Ok(Flow::Next)
            }
            Completion::Return(value) => self.return_value(value),
            Completion::Throw(value) => Err(Stop::Throw(value)),
        }
    }
}
