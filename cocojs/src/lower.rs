//! Syntax to IL. One [`Lowerer`] is in one module. It knows the local names that are visible, and
//! computes the type of each expression with its node.

mod assignment;
mod builtin;
mod call;
mod chain;
mod class;
mod es5;
mod expression;
mod function;
mod literal;
mod mended;
mod module;
mod names;
mod operator;
mod pattern;
mod repeat;
mod statement;

pub(crate) use module::lower_module;

use crate::fault::FaultCode;
use crate::ids::{ClassId, ModuleId};
use crate::il::{Node, null};
use crate::static_type::Type;
use crate::unit::Unit;
use oxc_span::Span;

/// The deepest nesting of expressions and statements.
const DEEPEST: u32 = 400;

/// A node and the type of its value.
pub(crate) type Typed<'a> = (Node<'a>, Type<'a>);

pub(crate) struct Lowerer<'u, 'a> {
    unit: &'u Unit<'a>,
    module: ModuleId,
    /// The class whose members are lowered.
    class: Option<ClassId>,
    /// The type of `this`.
    this: Type<'a>,
    locals: Vec<Local<'a>>,
    /// The types that the functions around return, the innermost last.
    returns: Vec<Vec<Type<'a>>>,
    /// Whether these functions return values at all.
    gives_values: Vec<bool>,
    /// Whether faults are left to another pass.
    is_silent: bool,
    depth: u32,
    /// Whether the library of helpers is lowered, which uses the operators of packages.
    is_library: bool,
    /// Whether the value of the next expression is dropped, and whether that of the last is not.
    is_dropped: bool,
    is_value: bool,
    /// The number of statements that the last constructor begins with, for its parameters.
    prologue: usize,
    /// The places of types, which the texts of functions leave out.
    erased: Vec<Span>,
    /// The number of functions around code that runs elsewhere, while it is lowered.
    code: Option<usize>,
    /// The names outside of that code that it mentions.
    mentioned: Vec<&'a str>,
    /// The number of blocks around, in the innermost function.
    blocks: u32,
    /// The number of names that were made up in this module.
    made_up: u32,
}

/// A name in a function or block.
#[derive(Clone, Debug)]
struct Local<'a> {
    name: &'a str,
    ty: Type<'a>,
    is_const: bool,
    /// The number of functions around the declaration.
    functions: usize,
    /// Whether all rounds of a loop share the variable, unlike in the language.
    is_shared: bool,
}

impl<'u, 'a> Lowerer<'u, 'a> {
    pub(crate) fn new(unit: &'u Unit<'a>, module: ModuleId) -> Lowerer<'u, 'a> {
        Lowerer {
            unit,
            module,
            class: None,
            this: Type::Dynamic,
            locals: Vec::new(),
            returns: Vec::new(),
            gives_values: Vec::new(),
            is_silent: false,
            depth: 0,
            is_library: unit.library == Some(module),
            is_dropped: false,
            is_value: true,
            prologue: 0,
            erased: Vec::new(),
            code: None,
            mentioned: Vec::new(),
            blocks: 0,
            made_up: 0,
        }
    }

    /// A lowerer that only finds types.
    pub(crate) fn silent(unit: &'u Unit<'a>, module: ModuleId, class: Option<ClassId>) -> Lowerer<'u, 'a> {
        let this = class.map_or(Type::Dynamic, Type::Instance);
        Lowerer { class, this, is_silent: true, ..Lowerer::new(unit, module) }
    }

    fn fault(&self, code: FaultCode, span: Span, message: impl Into<String>, help: &str) {
        if !self.is_silent {
            let help = Some(help.to_owned()).filter(|help| !help.is_empty());
            self.unit.fault(self.module, code, span, message.into(), help);
        }
    }

    /// Refuses a construct, for which nothing can be written.
    fn refuse(&self, span: Span, what: &str, help: &str) -> Node<'a> {
        self.fault(FaultCode::Refused, span, format!("{what} cannot be written in a package"), help);
        null(Some(span))
    }

    fn is_compatible(&self) -> bool {
        self.unit.target.is_compatible()
    }

    fn text(&self, text: &str) -> &'a str {
        self.unit.text(text)
    }

    /// Lowers what is nested one level deeper.
    fn deeper<T>(
        &mut self,
        span: Span,
        lower: impl FnOnce(&mut Self) -> T,
        refused: impl FnOnce() -> T,
    ) -> T {
        if self.depth >= DEEPEST {
            self.fault(
                FaultCode::Depth,
                span,
                "the program is nested too deeply here",
                "use variables for parts of it",
            );
            return refused();
        }
        self.depth += 1;
        let result = lower(self);
        self.depth -= 1;
        result
    }

    fn declare(&mut self, name: &'a str, ty: Type<'a>, is_const: bool) {
        self.locals.push(Local { name, ty, is_const, functions: self.returns.len(), is_shared: false });
    }

    /// Sets the type of a name that is declared already in the innermost scope, or declares it.
    fn settle(&mut self, name: &'a str, ty: Type<'a>, is_const: bool) {
        match self.locals.iter_mut().rev().find(|local| local.name == name) {
            Some(local) => (local.ty, local.is_const) = (ty, is_const),
            None => self.declare(name, ty, is_const),
        }
    }

    /// Marks the names declared since there were `from` as shared by all rounds of a loop.
    fn share(&mut self, from: usize) {
        for local in self.locals.iter_mut().skip(from) {
            local.is_shared = true;
        }
    }

    fn local(&self, name: &str) -> Option<&Local<'a>> {
        self.locals.iter().rev().find(|local| local.name == name)
    }

    /// Lowers in a scope of its own.
    fn scoped<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.locals.len();
        let result = lower(self);
        self.locals.truncate(outer);
        result
    }
}
