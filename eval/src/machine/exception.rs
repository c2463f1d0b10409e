//! §19.6 Exceptions of the language and their stack traces.

use super::{Frame, Machine, Step, Stop};
use crate::error::Frame as TraceFrame;
use crate::heap::Value;
use crate::names::Name;
use std::sync::Arc;

/// The number of frames of a trace kept at each end.
const TRACE: usize = 16;

impl Machine<'_> {
    /// The calls that are active, or were active when the exception was thrown.
    pub(crate) fn take_trace(&mut self) -> Vec<TraceFrame> {
        match self.trace.is_empty() {
            true => self.trace_now(),
            false => std::mem::take(&mut self.trace),
        }
    }

    pub(crate) fn trace_now(&self) -> Vec<TraceFrame> {
        let count = self.frames.len();
        let frame = |frame: &Frame| TraceFrame {
            function: self.program.function(frame.function).token.to_string(),
            location: frame.code.location(frame.next.saturating_sub(1)).cloned(),
        };
        let all = self.frames.iter().rev().enumerate();
        all.filter(|(at, _)| *at < TRACE || at + TRACE >= count).map(|(_, f)| frame(f)).collect()
    }

    /// An exception of the language: a string.
    pub(super) fn exception(&mut self, text: &str) -> Stop {
        match self.heap.add_text(text.into()) {
            Ok(text) => Stop::Throw(Value::Text(text)),
            Err(limit) => limit.into(),
        }
    }

    pub(super) fn not_defined(&mut self, name: Name) -> Stop {
        let text = format!("name '{}' is not defined", self.names.text(name));
        self.exception(&text)
    }

    /// A token that cannot be resolved.
    #[cold]
    pub(super) fn nothing_named(&mut self, token: Name) -> Stop {
        let text = Arc::clone(self.names.text(token));
        let package = text.split(':').next().unwrap_or_default();
        match self.program.packages.get(package) {
            Some(None) => {
                self.exception(&format!("name '{text}' is not defined: there is no package '{package}'"))
            }
            _ => self.not_defined(token),
        }
    }

    pub(super) fn null_object(&mut self) -> Stop {
        self.exception("target object is null")
    }

    pub(super) fn readonly(&mut self, name: Name) -> Stop {
        let text = format!("'{}' is readonly and already has its value", self.names.text(name));
        self.exception(&text)
    }

    pub(super) fn no_target(&mut self, target: Value) -> Stop {
        let ty = self.type_of(target);
        let text = format!("a value of type '{}' has no properties to assign to", self.names.text(ty));
        self.exception(&text)
    }

    /// §19.5 An unknown value where a known one is required.
    pub(super) fn unexpected_unknown(&mut self, value: Value) -> Stop {
        if self.host.suspends() {
            return Stop::Suspended;
        }
        let ty = self.type_of(value);
        let text =
            format!("unexpected computed value '{}', a concrete value is required", self.names.text(ty));
        let stop = self.exception(&text);
        if let Stop::Throw(Value::Text(text)) = stop {
            self.unexpected = Some(text);
        }
        stop
    }

    /// A program that handles the exception of an unknown value may build another graph once the
    /// value is known.
    pub(super) fn note_caught(&mut self, value: Value) -> Step {
        match value {
            Value::Text(text) if self.unexpected == Some(text) => self.note(
                "an unknown value was needed here, and the program handled it; the graph may change"
                    .to_owned(),
            ),
            _ => Ok(()),
        }
    }

    /// A condition that is not a known bool.
    #[cold]
    pub(super) fn condition(&mut self, value: Value) -> Step<bool> {
        match self.stand_in(value) {
            Some(Value::Bool(flag)) => {
                self.required(value)?;
                Ok(flag)
            }
            _ => Err(self.no_condition(value)),
        }
    }

    #[cold]
    pub(super) fn no_condition(&mut self, value: Value) -> Stop {
        if self.heap.unknown(value).is_some() {
            return self.unexpected_unknown(value);
        }
        let ty = self.type_of(value);
        let text = format!("a condition is true or false, not a value of type '{}'", self.names.text(ty));
        self.exception(&text)
    }
}
