//! §19.8 Lambdas as data: their texts and their captured variables.

use super::{Machine, Step};
use crate::heap::{Body, ObjectId, Value};
use crate::limits::Limit;
use crate::names::Name;
use crate::program::FunctionSource;
use hashbrown::HashMap;
use std::sync::Arc;

impl Machine<'_> {
    /// The text of a lambda, and the values of its captured variables.
    pub(super) fn serialize_closure(&mut self, value: Value) -> Step<Value> {
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
        let (module, signature) = (function.module, Arc::clone(self.names.text(function.signature)));
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
        let mut variables: Vec<(Arc<str>, Name, Value)> = Vec::new();
        for (at, name) in outer.iter().enumerate() {
            let value =
                closure.captures.as_ref().map_or(Value::Null, |cells| self.heap.cells[cells[at].0 as usize]);
            variables.push((Arc::clone(self.names.text(*name)), *name, value));
        }
        // Names resolved at run time may be variables of the module.
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
                variables.push((Arc::clone(self.names.text(name)), name, value));
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
                    Body::Function(closure) => {
                        let function = self.program.function(closure.function);
                        if !matches!(function.source, FunctionSource::Lambda { .. }) {
                            return Ok(Value::Object(self.plain(dynamic)?));
                        }
                        ("closure", Value::Object(self.serialized_function(id, seen, depth)?))
                    }
                    Body::Unknown(unknown) => {
                        // 2017 had an object without properties here.
                        let mut unknown = unknown.clone();
                        if unknown.stand_in.is_none() {
                            unknown.stand_in = Some(Value::Object(self.plain(dynamic)?));
                        }
                        ("json", self.unknown_value(*unknown)?)
                    }
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
                        let names = self.data_names(id);
                        self.charge(names.len() as u64)?;
                        let entry = self.plain(dynamic)?;
                        seen.insert(id, entry);
                        let content = self.plain(dynamic)?;
                        for name in names {
                            let value = self.data_value(id, name)?;
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
