//! §19.4 Variables: of the frame, of enclosing functions, and names resolved at run time.

use super::{Flow, Machine, Step};
use crate::code::{Lookup, Variable};
use crate::heap::{CellId, Value};
use crate::names::Name;

impl Machine<'_> {
    /// The value of a variable of a frame, which may be in a cell.
    pub(super) fn cell_value(&self, value: Value) -> Value {
        let value = match value {
            Value::Cell(cell) => self.heap.cells[cell.0 as usize],
            other => other,
        };
        if matches!(value, Value::Empty) { Value::Null } else { value }
    }

    /// The cell of a variable, created if it was not declared yet.
    pub(super) fn cell_of(&mut self, at: usize) -> Step<CellId> {
        match self.stack[at] {
            Value::Cell(cell) => Ok(cell),
            other => {
                let cell = self.heap.add_cell(other)?;
                self.stack[at] = Value::Cell(cell);
                Ok(cell)
            }
        }
    }

    pub(super) fn outer(&mut self, outer: u32) -> CellId {
        self.frame().captures.as_ref().expect("the lambda captured it")[outer as usize]
    }

    /// A variable that may be undeclared: then `Empty`.
    pub(super) fn variable(&mut self, variable: Variable, base: usize) -> Value {
        match variable {
            Variable::Local(local) => self.stack[base + local as usize],
            Variable::Cell(local) => match self.stack[base + local as usize] {
                Value::Cell(cell) => self.heap.cells[cell.0 as usize],
                other => other,
            },
            Variable::Outer(outer) => {
                let cell = self.outer(outer);
                self.heap.cells[cell.0 as usize]
            }
        }
    }

    fn set_variable(&mut self, variable: Variable, base: usize, value: Value) -> Step {
        match variable {
            Variable::Local(local) => self.stack[base + local as usize] = value,
            Variable::Cell(local) => {
                let cell = self.cell_of(base + local as usize)?;
                self.heap.cells[cell.0 as usize] = value;
            }
            Variable::Outer(outer) => {
                let cell = self.outer(outer);
                self.heap.cells[cell.0 as usize] = value;
            }
        }
        Ok(())
    }

    /// §19.4 A name resolved at run time: enclosing variables, then the globals of the module.
    pub(super) fn load_name(&mut self, lookup: &Lookup, tolerant: bool, base: usize) -> Step<Flow> {
        for &(_, variable) in &lookup.candidates {
            let value = self.variable(variable, base);
            if !matches!(value, Value::Empty) {
                self.stack.push(value);
                return Ok(Flow::Next);
            }
        }
        let Some(name) = lookup.name else { return Ok(Flow::Next) };
        if lookup.candidates.is_empty() {
            let module = self.frame().code.module;
            let globals = self.program.module(module).globals;
            let position = self.heap.object(globals).properties.position(name);
            lookup.global.set(position.and_then(|position| u32::try_from(position).ok()));
        }
        self.load_global(name, tolerant)
    }

    pub(super) fn load_named(
        &mut self,
        lookup: &Lookup,
        name: Name,
        tolerant: bool,
        base: usize,
    ) -> Step<Flow> {
        self.steps += lookup.candidates.len() as u64 / 8;
        for &(other, variable) in &lookup.candidates {
            let value = self.variable(variable, base);
            if other == name && !matches!(value, Value::Empty) {
                self.stack.push(value);
                return Ok(Flow::Next);
            }
        }
        self.load_global(name, tolerant)
    }

    fn load_global(&mut self, name: Name, tolerant: bool) -> Step<Flow> {
        let module = self.frame().code.module;
        let globals = self.program.module(module).globals;
        match self.heap.object(globals).properties.position(name) {
            Some(position) => {
                let value = self.global_value(module, position)?;
                self.stack.push(value);
                Ok(Flow::Next)
            }
            None if tolerant => {
                self.stack.push(Value::Null);
                Ok(Flow::Next)
            }
            None => Err(self.not_defined(name)),
        }
    }

    /// The value on the stack stays there.
    pub(super) fn store_name(&mut self, lookup: &Lookup, named: Option<Name>, base: usize) -> Step<Flow> {
        let value = self.top(0);
        let name = named.or(lookup.name);
        for &(other, variable) in &lookup.candidates {
            if Some(other) == name
                && (Some(variable) == lookup.fallback
                    || !matches!(self.variable(variable, base), Value::Empty))
            {
                let is_made = Some(variable) == lookup.fallback
                    && matches!(self.variable(variable, base), Value::Empty);
                // A global of this name comes before a variable that would have to be created.
                if !(is_made && self.global_position(name).is_some()) {
                    self.set_variable(variable, base, value)?;
                    return Ok(Flow::Next);
                }
            }
        }
        let Some(name) = name else { return Ok(Flow::Next) };
        let module = self.frame().code.module;
        let globals = self.program.module(module).globals;
        match self.heap.object(globals).properties.position(name) {
            Some(position) => self.set_position(globals, position, value)?,
            None => self.add_property(globals, name, 0, value)?,
        }
        Ok(Flow::Next)
    }

    fn global_position(&mut self, name: Option<Name>) -> Option<usize> {
        let module = self.frame().code.module;
        let globals = self.program.module(module).globals;
        self.heap.object(globals).properties.position(name?)
    }
}
