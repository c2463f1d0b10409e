//! §19.4 Initializers of modules and classes. Each runs once, when it is first needed.

use super::{Finish, Flow, Machine, Step};
use crate::heap::{Closure, ObjectId, READONLY, Value};
use crate::names::Name;
use crate::program::{Found, State};

impl Machine<'_> {
    pub(super) fn import(&mut self, site: u32) -> Step<Flow> {
        let module = match self.resolve(site)? {
            Found::Module(module) | Found::Global { module, .. } => module,
            Found::Class(class) | Found::Static { class, .. } => self.program.class(class).module,
        };
        if self.ready_module(module)? == Flow::Again {
            return Ok(Flow::Again);
        }
        self.stack.push(Value::Object(self.program.module(module).exports));
        Ok(Flow::Next)
    }

    /// Begins the initializer of a module, unless it has already begun.
    pub(crate) fn ready_module(&mut self, module: u32) -> Step<Flow> {
        if self.program.module(module).state == State::Begun {
            return Ok(Flow::Next);
        }
        self.program.modules[module as usize].state = State::Begun;
        let (init, globals) = (self.program.module(module).init, self.program.module(module).globals);
        self.begin_initializer(init, globals)
    }

    fn begin_initializer(&mut self, init: Option<u32>, object: ObjectId) -> Step<Flow> {
        match init {
            Some(function) => {
                let closure = Closure { function, this: None, captures: None };
                let floor = self.stack.len();
                self.call_closure(&closure, floor, 0, Finish::Initialize(object))?;
                Ok(Flow::Again)
            }
            None => {
                self.freeze(object);
                Ok(Flow::Next)
            }
        }
    }

    /// Begins the next initializer needed by a class: of its module, its base classes, or itself.
    pub(crate) fn ready_class(&mut self, class: u32) -> Step<Flow> {
        if self.program.class(class).state == State::New
            && self.ready_module(self.program.class(class).module)? == Flow::Again
        {
            return Ok(Flow::Again);
        }
        while self.program.class(class).state == State::New {
            // The innermost base class that is not initialized comes first. Circles of classes are
            // refused at their declaration.
            let mut first = class;
            while let Some(base) = self.program.class(first).base
                && self.program.class(base).state == State::New
            {
                first = base;
            }
            if self.ready_module(self.program.class(first).module)? == Flow::Again {
                return Ok(Flow::Again);
            }
            self.program.classes[first as usize].state = State::Begun;
            let (init, statics) = (self.program.class(first).init, self.program.class(first).statics);
            if self.begin_initializer(init, statics)? == Flow::Again {
                return Ok(Flow::Again);
            }
        }
        Ok(Flow::Next)
    }

    /// Begins the initializers that a token requires.
    pub(super) fn ready(&mut self, found: Found) -> Step<Flow> {
        match found {
            Found::Module(module) | Found::Global { module, .. } => self.ready_module(module),
            Found::Class(class) => self.ready_module(self.program.class(class).module),
            Found::Static { class, .. } => self.ready_class(class),
        }
    }

    /// Initialized readonly properties keep their values. Functions always do.
    pub(super) fn freeze(&mut self, object: ObjectId) {
        let readonly = self.readonly_globals(object);
        for name in readonly {
            if let Some(property) = self.heap.object_mut(object).properties.get_mut(name) {
                property.flags |= READONLY;
            }
        }
    }

    /// The readonly variables of the module or class with these globals or statics.
    fn readonly_globals(&mut self, object: ObjectId) -> Vec<Name> {
        let readonly = |node: &coconut_format::il::SyntaxNode| -> Vec<String> {
            let all = node.entries("members").filter(|(_, tree)| tree.flag("readonly"));
            all.map(|(name, _)| name.to_owned()).collect()
        };
        let names = match self.program.modules.iter().find(|module| module.globals == object) {
            Some(module) => readonly(&module.node),
            None => match self.program.classes.iter().find(|class| class.statics == object) {
                Some(class) => {
                    let node = &self.program.module(class.module).node;
                    crate::program::member_of(node, &class.name).map(readonly).unwrap_or_default()
                }
                None => Vec::new(),
            },
        };
        names.iter().map(|name| self.names.number(name)).collect()
    }
}
