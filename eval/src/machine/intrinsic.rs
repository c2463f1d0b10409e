//! §19.8 Implementations of the intrinsics.

use super::{Finish, Flow, Machine, Step, Stop};
use crate::heap::{Body, Closure, Value};
use crate::intrinsics::Intrinsic;
use crate::limits::Limit;
use crate::names::Name;
use crate::text;
use sha1::{Digest, Sha1};
use std::fmt::Write as _;
use std::sync::Arc;

impl Machine<'_> {
    /// The result, or `None` if a new frame will return it.
    pub(super) fn intrinsic(
        &mut self,
        intrinsic: Intrinsic,
        receiver: Option<Value>,
        floor: usize,
        count: usize,
    ) -> Step<Option<Value>> {
        let given = self.stack.len() - count;
        // A member of a value receives the value as its first argument.
        let argument = |machine: &Self, at: usize| match (receiver, at) {
            (Some(receiver), 0) => receiver,
            (Some(_), at) => machine.stack.get(given + at - 1).copied().unwrap_or(Value::Null),
            (None, at) => machine.stack.get(given + at).copied().unwrap_or(Value::Null),
        };
        let first = argument(self, 0);
        if let Value::Text(id) = first
            && intrinsic != Intrinsic::TextLength
        {
            self.charge(self.heap.text(id).len() as u64 / 16)?;
        }
        if self.heap.unknown(first).is_some()
            && matches!(
                intrinsic,
                Intrinsic::ArrayLength
                    | Intrinsic::TextLength
                    | Intrinsic::TextToLower
                    | Intrinsic::TextToUpper
                    | Intrinsic::ObjectKeys
                    | Intrinsic::Sha1
            )
        {
            return self.of_unknown(intrinsic, first).map(Some);
        }
        let value = match intrinsic {
            Intrinsic::IsFunction => {
                let is_function = matches!(first, Value::Object(id) if matches!(self.heap.object(id).body, Body::Function(_)));
                Value::Bool(is_function)
            }
            Intrinsic::DynamicInvoke => {
                let arguments = [0, 1, 2].map(|at| argument(self, at));
                return self.dynamic_invoke(arguments, floor);
            }
            Intrinsic::DefaultIfComputed => match self.heap.unknown(first) {
                // Otherwise the graph would depend on the round.
                Some(_) if self.host.suspends() => return Err(Stop::Suspended),
                Some(_) => argument(self, 1),
                None => first,
            },
            Intrinsic::ObjectKeys => self.object_keys(first)?,
            Intrinsic::Print => {
                let line = text::condensed(&self.heap, &self.names, first, self.limits.text_bytes);
                self.heap.take(line.len())?;
                self.log.push_str(&line);
                self.log.push('\n');
                Value::Null
            }
            Intrinsic::ToText => {
                let line = text::condensed(&self.heap, &self.names, first, self.limits.text_bytes);
                self.text(&line)?
            }
            Intrinsic::Sha1 => match first {
                Value::Text(id) => {
                    let digest = Sha1::digest(self.heap.text(id).as_bytes());
                    let mut hex = String::with_capacity(40);
                    for byte in digest {
                        let _ = write!(hex, "{byte:02x}");
                    }
                    self.text(&hex)?
                }
                _ => return Err(self.exception("a single string is expected")),
            },
            Intrinsic::JsonStringify => self.stringify(first)?,
            Intrinsic::JsonParse => self.parse(first)?,
            Intrinsic::SerializeClosure => self.serialize_closure(first)?,
            Intrinsic::ArrayLength | Intrinsic::TextLength => {
                let length = self.length(first);
                match length {
                    Some(length) => length,
                    None => return Err(self.receiver("an array or a string")),
                }
            }
            Intrinsic::ArraySetLength => match (first, self.items(first).is_some()) {
                (Value::Object(id), true) => {
                    self.set_length(id, argument(self, 1))?;
                    Value::Null
                }
                _ => return Err(self.receiver("an array")),
            },
            Intrinsic::ArrayPush => match (first, self.items(first).map(Vec::len)) {
                (Value::Object(id), Some(length)) => {
                    self.set_item(id, length, argument(self, 1))?;
                    Value::Null
                }
                _ => return Err(self.receiver("an array")),
            },
            Intrinsic::ArrayPop => match (first, self.items(first).is_some()) {
                (Value::Object(id), true) => match &mut self.heap.object_mut(id).body {
                    Body::Array(items) => {
                        items.pop().filter(|v| !matches!(v, Value::Empty)).unwrap_or(Value::Null)
                    }
                    _ => Value::Null,
                },
                _ => return Err(self.receiver("an array")),
            },
            Intrinsic::TextToLower | Intrinsic::TextToUpper => match first {
                Value::Text(id) => {
                    let content = Arc::clone(self.heap.text(id));
                    let changed = match intrinsic {
                        Intrinsic::TextToLower => content.to_lowercase(),
                        _ => content.to_uppercase(),
                    };
                    self.text(&changed)?
                }
                _ => return Err(self.receiver("a string")),
            },
            Intrinsic::TextSplit => match (first, argument(self, 1)) {
                (Value::Text(content), Value::Text(separator)) => {
                    let (content, separator) =
                        (Arc::clone(self.heap.text(content)), Arc::clone(self.heap.text(separator)));
                    let pieces: Vec<&str> = match separator.is_empty() {
                        true => content.split("").filter(|piece| !piece.is_empty()).collect(),
                        false => content.split(&*separator).collect(),
                    };
                    if pieces.len() > self.limits.array_items {
                        return Err(Limit::Array.into());
                    }
                    let mut items = Vec::with_capacity(pieces.len());
                    for piece in pieces {
                        items.push(self.text(piece)?);
                    }
                    let ty = self.names.number("[]string");
                    self.array(ty, items)?
                }
                _ => return Err(self.receiver("a string, and so must be the separator")),
            },
        };
        Ok(Some(value))
    }

    /// A function of one unknown value. Its result is unknown, too.
    fn of_unknown(&mut self, intrinsic: Intrinsic, value: Value) -> Step<Value> {
        let stand_in = match self.stand_in(value) {
            Some(known) => {
                let floor = self.stack.len();
                self.stack.push(known);
                let result =
                    self.intrinsic(intrinsic, None, floor, 1).map(|value| value.unwrap_or(Value::Null));
                self.stack.truncate(floor);
                self.attempted(result)?
            }
            None => None,
        };
        let element = match intrinsic {
            Intrinsic::Sha1 => "string",
            Intrinsic::ObjectKeys => "[]string",
            _ if stand_in.is_none() => return Err(self.unexpected_unknown(value)),
            Intrinsic::ArrayLength | Intrinsic::TextLength => "number",
            _ => "string",
        };
        let element = self.names.number(element);
        self.unknown_with(element, &[value], stand_in)
    }

    pub(super) fn receiver(&mut self, what: &str) -> Stop {
        let text = format!("the receiver must be {what}");
        self.exception(&text)
    }

    /// Calls `f` with `this` and with the elements of an array as arguments.
    fn dynamic_invoke(&mut self, given: [Value; 3], floor: usize) -> Step<Option<Value>> {
        let [mut callee, mut this, mut rest] = given;
        let items = loop {
            let items = match rest {
                Value::Null | Value::Empty => &[][..],
                other => match self.items(other) {
                    Some(items) => items,
                    None => return Err(self.receiver("a function, and its arguments an array")),
                },
            };
            if !self.is_dynamic_invoke(callee) {
                break items.to_vec();
            }
            // It calls itself with the elements: this needs no frame of the machine.
            let item = |at: usize| items.get(at).copied().unwrap_or(Value::Null);
            [callee, this, rest] = [item(0), item(1), item(2)];
            self.charge(1)?;
        };
        self.stack.truncate(floor);
        let count = items.len();
        self.charge(count as u64 / 16)?;
        self.stack.extend(
            items.into_iter().map(|item| if matches!(item, Value::Empty) { Value::Null } else { item }),
        );
        if let Value::Object(id) = callee
            && let Body::Function(closure) = &self.heap.object(id).body
        {
            let this = match this {
                Value::Object(this) => Some(this),
                _ => closure.this,
            };
            let closure = Closure { this, ..closure.clone() };
            if let Some(flow) = self.resource_query(&closure, floor, count)? {
                debug_assert_eq!(flow, Flow::Next, "a query begins no frame");
                return Ok(Some(self.top(0)));
            }
            return match self.call_closure(&closure, floor, count, Finish::Push)? {
                Flow::Frame => Ok(None),
                // The function was an intrinsic itself, and its result is on the stack.
                _ => Ok(Some(self.top(0))),
            };
        }
        let ty = self.type_of(callee);
        let text = format!("a function expected as target of an invoke, got '{}'", self.names.text(ty));
        Err(self.exception(&text))
    }

    fn is_dynamic_invoke(&self, callee: Value) -> bool {
        let Value::Object(id) = callee else { return false };
        let Body::Function(closure) = &self.heap.object(id).body else { return false };
        self.program.function(closure.function).intrinsic == Some(Intrinsic::DynamicInvoke)
    }

    fn object_keys(&mut self, value: Value) -> Step<Value> {
        let mut keys = Vec::new();
        match value {
            Value::Object(id) => {
                if self.items(value).is_some() {
                    keys.push(Name::LENGTH);
                }
                keys.extend(self.heap.object(id).properties.iter().map(|property| property.name));
            }
            _ => return Err(self.null_object()),
        }
        let mut items = Vec::with_capacity(keys.len());
        for key in keys {
            let text = Arc::clone(self.names.text(key));
            items.push(self.text(&text)?);
        }
        let ty = self.names.number("[]string");
        self.array(ty, items)
    }
}
