//! §19.8 What intrinsics do.

use super::{Finish, Flow, Machine, Step};
use crate::heap::{Body, Closure, METHOD, ObjectId, Value};
use crate::intrinsics::Intrinsic;
use crate::limits::Limit;
use crate::names::Name;
use crate::program::{Function, FunctionSource, Parameter};
use crate::text;
use hashbrown::HashMap;
use sha1::{Digest, Sha1};
use std::fmt::Write as _;
use std::rc::Rc;

impl Machine<'_> {
    /// The function that a member of arrays or texts is.
    pub(super) fn builtin_function(&mut self, intrinsic: Intrinsic) -> u32 {
        let known =
            self.program.functions.iter().position(|function| {
                function.intrinsic == Some(intrinsic) && &*function.token == "<builtin>"
            });
        if let Some(known) = known {
            return u32::try_from(known).unwrap_or(u32::MAX);
        }
        let signature = self.names.number("()dynamic");
        self.program.functions.push(Function {
            token: "<builtin>".into(),
            signature,
            parameters: Vec::<Parameter>::new(),
            module: 0,
            class: None,
            has_this: false,
            intrinsic: Some(intrinsic),
            source: FunctionSource::Module { member: "".into() },
            code: None,
        });
        u32::try_from(self.program.functions.len() - 1).unwrap_or(u32::MAX)
    }

    /// The result, or `None` if a frame was begun whose result it is.
    pub(super) fn intrinsic(
        &mut self,
        intrinsic: Intrinsic,
        receiver: Option<Value>,
        floor: usize,
        count: usize,
    ) -> Step<Option<Value>> {
        let given = self.stack.len() - count;
        // A member of a value has it as its first argument.
        let argument = |machine: &Self, at: usize| match (receiver, at) {
            (Some(receiver), 0) => receiver,
            (Some(_), at) => machine.stack.get(given + at - 1).copied().unwrap_or(Value::Null),
            (None, at) => machine.stack.get(given + at).copied().unwrap_or(Value::Null),
        };
        let first = argument(self, 0);
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
                other if self.heap.unknown(other).is_some() => {
                    let string = self.names.number("string");
                    self.unknown_of(string, &[other])?
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
                    let content = Rc::clone(self.heap.text(id));
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
                        (Rc::clone(self.heap.text(content)), Rc::clone(self.heap.text(separator)));
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

    fn receiver(&mut self, what: &str) -> super::Stop {
        let text = format!("the receiver must be {what}");
        self.exception(&text)
    }

    pub(super) fn length(&mut self, value: Value) -> Option<Value> {
        if let Value::Text(id) = value {
            // Checked at the next round or call.
            self.steps += self.heap.text(id).len() as u64 / 64;
        }
        #[expect(clippy::cast_precision_loss, reason = "arrays and texts are far shorter")]
        let length = match value {
            Value::Text(id) => self.heap.text(id).chars().count() as f64,
            other => self.items(other)?.len() as f64,
        };
        Some(Value::Number(length))
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
            // It calls itself with the elements: no frame of ours is needed for that.
            let item = |at: usize| items.get(at).copied().unwrap_or(Value::Null);
            [callee, this, rest] = [item(0), item(1), item(2)];
            self.charge(1)?;
        };
        self.stack.truncate(floor);
        let count = items.len();
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
                // It was an intrinsic itself, and its result is on the stack.
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
            Value::Object(_) if self.heap.unknown(value).is_some() => {
                let ty = self.names.number("[]string");
                return self.unknown_of(ty, &[value]);
            }
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
            let text = Rc::clone(self.names.text(key));
            items.push(self.text(&text)?);
        }
        let ty = self.names.number("[]string");
        self.array(ty, items)
    }

    /// JSON as the original writes it: with a blank inside of brackets and after colons.
    fn stringify(&mut self, value: Value) -> Step<Value> {
        let mut text = String::new();
        let mut unknown = Vec::new();
        self.stringify_into(&mut text, value, &mut Vec::new(), &mut unknown)?;
        self.charge(text.len() as u64 / 16)?;
        if unknown.is_empty() {
            return self.text(&text);
        }
        let string = self.names.number("string");
        self.unknown_of(string, &unknown)
    }

    /// Recursion is bounded by the limit on levels.
    fn stringify_into(
        &mut self,
        text: &mut String,
        value: Value,
        open: &mut Vec<ObjectId>,
        unknown: &mut Vec<Value>,
    ) -> Step {
        if text.len() > self.limits.text_bytes {
            return Err(Limit::Text.into());
        }
        match value {
            Value::Empty | Value::Null | Value::Cell(_) => text.push_str("null"),
            Value::Bool(flag) => drop(write!(text, "{flag}")),
            Value::Number(number) if number.is_finite() => text.push_str(&text::number(number)),
            Value::Number(_) => text.push_str("null"),
            Value::Text(id) => text::quote(text, self.heap.text(id)),
            Value::Object(id) => {
                if self.heap.unknown(value).is_some() {
                    unknown.push(value);
                    return Ok(());
                }
                if open.contains(&id) {
                    return Err(self.exception("cannot convert an object with a cycle to JSON"));
                }
                if open.len() >= self.limits.value_depth {
                    return Err(Limit::ValueDepth.into());
                }
                open.push(id);
                if let Some(items) = self.items(value).cloned() {
                    text.push('[');
                    for (at, item) in items.into_iter().enumerate() {
                        text.push_str(if at == 0 { " " } else { ", " });
                        self.stringify_into(text, item, open, unknown)?;
                    }
                    text.push(']');
                } else {
                    let properties: Vec<(Name, Value)> = self
                        .heap
                        .object(id)
                        .properties
                        .iter()
                        .filter(|property| property.flags & METHOD == 0)
                        .map(|property| (property.name, property.value))
                        .collect();
                    text.push('{');
                    let mut first = true;
                    for (name, value) in properties {
                        if matches!(value, Value::Object(id) if matches!(self.heap.object(id).body, Body::Function(_)))
                        {
                            continue;
                        }
                        text.push_str(if first { " " } else { ", " });
                        first = false;
                        text::quote(text, &Rc::clone(self.names.text(name)));
                        text.push_str(": ");
                        self.stringify_into(text, value, open, unknown)?;
                    }
                    text.push_str(if first { "}" } else { " }" });
                }
                open.pop();
            }
        }
        Ok(())
    }

    fn parse(&mut self, value: Value) -> Step<Value> {
        let text = match value {
            Value::Text(id) => Rc::clone(self.heap.text(id)),
            other if self.heap.unknown(other).is_some() => {
                let dynamic = self.names.number("dynamic");
                return self.unknown_of(dynamic, &[other]);
            }
            _ => return Err(self.exception("a single string is expected")),
        };
        let mut sink = coconut_codec::event::ValueSink::new();
        let options = coconut_codec::text::json::JsonOptions::default();
        let read = coconut_codec::text::json::read(text.as_bytes(), &mut sink, &options);
        match (read, sink.finish()) {
            (Ok(_), Some(value)) => self.add_json(&value),
            (Err(error), _) => {
                let text = format!("no JSON: {error}");
                Err(self.exception(&text))
            }
            (Ok(_), None) => Err(self.exception("no JSON: the text is empty")),
        }
    }

    /// Recursion is bounded: JSON of more than 512 levels is refused when it is read.
    pub(crate) fn add_json(&mut self, value: &coconut_format::Value) -> Step<Value> {
        use coconut_format::Value as Json;
        Ok(match value {
            Json::Null => Value::Null,
            Json::Bool(flag) => Value::Bool(*flag),
            Json::Integer(integer) => Value::Number(integer.as_f64()),
            Json::Float(number) => Value::Number(*number),
            Json::String(text) => self.text(text)?,
            Json::List(items) => {
                let mut values = Vec::with_capacity(items.len());
                for item in items {
                    values.push(self.add_json(item)?);
                }
                let ty = self.names.number("[]dynamic");
                self.array(ty, values)?
            }
            Json::Object(entries) => {
                let ty = self.names.number("dynamic");
                let object = self.plain(ty)?;
                for (key, value) in entries {
                    let value = self.add_json(value)?;
                    let name = self.text(key)?;
                    let name = self.name_of(name)?;
                    self.init_property(Value::Object(object), name, value)?;
                }
                Value::Object(object)
            }
        })
    }

    /// The text of a lambda, and the values of the variables that it takes along.
    fn serialize_closure(&mut self, value: Value) -> Step<Value> {
        let mut seen = HashMap::new();
        match value {
            Value::Object(id) if matches!(self.heap.object(id).body, Body::Function(_)) => {
                Ok(Value::Object(self.serialized_function(id, &mut seen, 0)?))
            }
            _ => Err(self.receiver("a function")),
        }
    }

    fn serialized_function(
        &mut self,
        id: ObjectId,
        seen: &mut HashMap<ObjectId, ObjectId>,
        depth: usize,
    ) -> Step<ObjectId> {
        if let Some(&known) = seen.get(&id) {
            return Ok(known);
        }
        if depth >= self.limits.value_depth {
            return Err(Limit::ValueDepth.into());
        }
        let Body::Function(closure) = &self.heap.object(id).body else {
            return Err(self.receiver("a function"));
        };
        let closure = closure.clone();
        let function = self.program.function(closure.function);
        let FunctionSource::Lambda { text, language, outer } = &function.source else {
            return Err(self.exception("only a lambda can be serialized"));
        };
        let (text, language, outer) = (text.clone(), language.clone(), outer.clone());
        let (module, signature) = (function.module, Rc::clone(self.names.text(function.signature)));
        let dynamic = self.names.number("dynamic");
        let result = self.plain(dynamic)?;
        seen.insert(id, result);
        let code = self.text(text.as_deref().unwrap_or_default())?;
        let signature = self.text(&signature)?;
        let language = self.text(language.as_deref().unwrap_or_default())?;
        let environment = self.plain(dynamic)?;
        for (key, value) in [
            ("code", code),
            ("signature", signature),
            ("language", language),
            ("environment", Value::Object(environment)),
        ] {
            let name = self.names.number(key);
            self.add_property(result, name, 0, value)?;
        }
        let mut variables: Vec<(Rc<str>, Name, Value)> = Vec::new();
        for (at, name) in outer.iter().enumerate() {
            let value =
                closure.captures.as_ref().map_or(Value::Null, |cells| self.heap.cells[cells[at].0 as usize]);
            variables.push((Rc::clone(self.names.text(*name)), *name, value));
        }
        // Names that are looked up when they are used may be variables of the module.
        let lookups: Vec<Name> = self
            .program
            .function(closure.function)
            .code
            .as_ref()
            .map_or(Vec::new(), |code| code.lookups.iter().filter_map(|lookup| lookup.name).collect());
        let globals = self.program.module(module).globals;
        for name in lookups {
            if variables.iter().any(|(_, other, _)| *other == name) {
                continue;
            }
            if let Some(position) = self.heap.object(globals).properties.position(name) {
                let value = self.global_value(module, position)?;
                variables.push((Rc::clone(self.names.text(name)), name, value));
            }
        }
        variables.sort_by(|one, other| one.0.cmp(&other.0));
        for (_, name, value) in variables {
            let entry = self.serialized(value, seen, depth + 1)?;
            self.add_property(environment, name, 0, entry)?;
        }
        Ok(result)
    }

    fn serialized(
        &mut self,
        value: Value,
        seen: &mut HashMap<ObjectId, ObjectId>,
        depth: usize,
    ) -> Step<Value> {
        if depth >= self.limits.value_depth {
            return Err(Limit::ValueDepth.into());
        }
        let dynamic = self.names.number("dynamic");
        let (key, content) = match value {
            Value::Object(id) => {
                if let Some(&known) = seen.get(&id)
                    && !matches!(self.heap.object(id).body, Body::Function(_))
                {
                    return Ok(Value::Object(known));
                }
                match &self.heap.object(id).body {
                    Body::Function(_) => {
                        ("closure", Value::Object(self.serialized_function(id, seen, depth)?))
                    }
                    Body::Unknown(_) => ("json", value),
                    Body::Array(items) => {
                        let items = items.clone();
                        let entry = self.plain(dynamic)?;
                        seen.insert(id, entry);
                        let mut entries = Vec::with_capacity(items.len());
                        for item in items {
                            entries.push(self.serialized(item, seen, depth + 1)?);
                        }
                        let ty = self.names.number("[]dynamic");
                        let entries = self.array(ty, entries)?;
                        let name = self.names.number("arr");
                        self.add_property(entry, name, 0, entries)?;
                        return Ok(Value::Object(entry));
                    }
                    _ => {
                        let properties: Vec<(Name, Value)> =
                            self.heap.object(id).properties.iter().map(|p| (p.name, p.value)).collect();
                        let entry = self.plain(dynamic)?;
                        seen.insert(id, entry);
                        let content = self.plain(dynamic)?;
                        for (name, value) in properties {
                            let value = self.serialized(value, seen, depth + 1)?;
                            self.add_property(content, name, 0, value)?;
                        }
                        let name = self.names.number("obj");
                        self.add_property(entry, name, 0, Value::Object(content))?;
                        return Ok(Value::Object(entry));
                    }
                }
            }
            Value::Empty => ("json", Value::Null),
            scalar => ("json", scalar),
        };
        let entry = self.plain(dynamic)?;
        let name = self.names.number(key);
        self.add_property(entry, name, 0, content)?;
        Ok(Value::Object(entry))
    }
}
