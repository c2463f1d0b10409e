//! §19.4 Tokens: variables of modules, static members, classes.

use super::{Flow, Machine, Step};
use crate::heap::{CLASS, ObjectId, Value};
use crate::program::Found;

impl Machine<'_> {
    /// The prototype of the class at this index of the globals.
    pub(super) fn class_value(&mut self, globals: ObjectId, position: usize) -> Step<Value> {
        let name = self.heap.object(globals).properties.at(position).name;
        let module = self.program.modules.iter().position(|module| module.globals == globals);
        let Some(module) = module.and_then(|module| u32::try_from(module).ok()) else {
            return Ok(Value::Null);
        };
        let text = self.names.text(name).to_string();
        let class = self.declare_class(module, &text)?;
        Ok(Value::Object(self.program.class(class).prototype))
    }

    #[inline]
    pub(super) fn global_value(&mut self, module: u32, position: usize) -> Step<Value> {
        let globals = self.program.module(module).globals;
        let property = self.heap.object(globals).properties.at(position);
        match property.flags & CLASS {
            0 => Ok(property.value),
            _ => self.class_value(globals, position),
        }
    }

    pub(super) fn found_value(&mut self, found: Found) -> Step<Value> {
        Ok(match found {
            Found::Module(module) => Value::Object(self.program.module(module).exports),
            Found::Class(class) => Value::Object(self.program.class(class).prototype),
            Found::Global { module, position } => self.global_value(module, position as usize)?,
            Found::Static { class, position } => {
                let statics = self.program.class(class).statics;
                self.heap.object(statics).properties.at(position as usize).value
            }
        })
    }

    pub(super) fn load_token(&mut self, site: u32) -> Step<Flow> {
        let found = self.resolve(site)?;
        if self.ready(found)? == Flow::Again {
            return Ok(Flow::Again);
        }
        if let Found::Static { class, position } = found {
            let statics = self.program.class(class).statics;
            let name = self.heap.object(statics).properties.at(position as usize).name;
            let floor = self.stack.len();
            return self.load_property(Value::Object(statics), name, false, floor);
        }
        let value = self.found_value(found)?;
        self.stack.push(value);
        Ok(Flow::Next)
    }

    /// The value on the stack stays there.
    pub(super) fn store_token(&mut self, site: u32) -> Step<Flow> {
        let found = self.resolve(site)?;
        if self.ready(found)? == Flow::Again {
            return Ok(Flow::Again);
        }
        let value = self.top(0);
        match found {
            Found::Global { module, position } => {
                let globals = self.program.module(module).globals;
                self.set_position(globals, position as usize, value)?;
                Ok(Flow::Next)
            }
            Found::Static { class, position } => {
                let statics = self.program.class(class).statics;
                let name = self.heap.object(statics).properties.at(position as usize).name;
                let floor = self.stack.len() - 1;
                self.store_property(Value::Object(statics), name, value, floor)
            }
            Found::Module(_) | Found::Class(_) => {
                let token = self.program.sites[site as usize].token;
                let text = format!("'{}' is not a variable", self.names.text(token));
                Err(self.exception(&text))
            }
        }
    }
}
