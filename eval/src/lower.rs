//! §19.3 Lowering of trees to instructions.
//!
//! A function is lowered when it is first called. This recurses once per node of its body, and no
//! document has more than 512 levels (§9.1).

mod expression;
mod fuse;
mod statement;
mod target;

use crate::code::{Code, Lookup, Op, Variable};
use crate::heap::{Heap, TextId};
use crate::limits::Limit;
use crate::names::{Name, Names};
use crate::program::{Function, Parameter, Site};
use coconut_format::il::SyntaxNode;
use hashbrown::HashMap;
use std::cell::Cell;
use std::sync::Arc;

/// The state of lowering: its inputs and its results.
pub(crate) struct Lowering<'m> {
    pub(crate) names: &'m mut Names,
    pub(crate) heap: &'m mut Heap,
    pub(crate) sites: &'m mut Vec<Site>,
    pub(crate) functions: &'m mut Vec<Function>,
    /// Literal strings by their text, so that each is allocated once.
    pub(crate) literals: &'m mut HashMap<Box<str>, TextId>,
    module: u32,
    class: Option<u32>,
    /// The token of the function, for messages about its lambdas.
    token: Arc<str>,
    /// The enclosing functions of the lowered place, outermost first.
    bodies: Vec<Body>,
}

/// A function during its lowering.
#[derive(Default)]
struct Body {
    code: Code,
    variables: Vec<LocalVariable>,
    scopes: Vec<Scope>,
    /// The variables that this lambda captures from the enclosing function.
    outer: Vec<(Name, Variable)>,
    jumps: Vec<JumpTarget>,
    /// Labels of the next statement.
    labels: Vec<Name>,
    location: u32,
}

struct LocalVariable {
    is_shared: bool,
}

#[derive(Default)]
struct Scope {
    variables: Vec<(Name, u32)>,
}

/// A statement that `break` and `continue` can name, or a region that they leave.
enum JumpTarget {
    /// A loop, a switch or a labeled statement. The lists are jumps to be patched.
    Statement { labels: Vec<Name>, is_loop: bool, is_switch: bool, breaks: Vec<usize>, continues: Vec<usize> },
    /// Inside a `try` or a `catch` that has a handler.
    Handler,
    /// Inside a `finally`.
    Finally,
}

type Lowered = Result<(), Limit>;

impl<'m> Lowering<'m> {
    pub(crate) fn new(
        names: &'m mut Names,
        heap: &'m mut Heap,
        sites: &'m mut Vec<Site>,
        functions: &'m mut Vec<Function>,
        literals: &'m mut HashMap<Box<str>, TextId>,
        function: &Function,
    ) -> Lowering<'m> {
        Lowering {
            names,
            heap,
            sites,
            functions,
            literals,
            module: function.module,
            class: function.class,
            token: Arc::clone(&function.token),
            bodies: Vec::new(),
        }
    }

    /// The code of a function with this body.
    pub(crate) fn function(
        &mut self,
        parameters: &[Parameter],
        has_this: bool,
        body: Option<&SyntaxNode>,
    ) -> Result<Code, Limit> {
        self.begin(parameters, has_this);
        if let Some(body) = body {
            self.statement(body)?;
        }
        self.emit(Op::ReturnNothing);
        Ok(self.end().0)
    }

    fn begin(&mut self, parameters: &[Parameter], has_this: bool) {
        let mut body = Body { scopes: vec![Scope::default()], ..Body::default() };
        body.code.module = self.module;
        body.code.class = self.class;
        self.bodies.push(body);
        for parameter in parameters {
            self.declare(parameter.name);
        }
        if has_this {
            let this = self.declare(Name::THIS);
            // Both names refer to the same object; only the lookup of members differs.
            self.body().scopes[0].variables.push((Name::SUPER, this));
        }
    }

    /// The code, and the variables captured from the enclosing function.
    fn end(&mut self) -> (Code, Vec<(Name, Variable)>) {
        let mut body = self.bodies.pop().expect("begun before");
        body.code.variables = u32::try_from(body.variables.len()).unwrap_or(u32::MAX);
        // Sharing of a variable may be detected after instructions that use it.
        let is_shared = |variable: u32| body.variables[variable as usize].is_shared;
        for op in &mut body.code.ops {
            *op = match *op {
                Op::Load(variable) if is_shared(variable) => Op::LoadCell(variable),
                Op::Store(variable) if is_shared(variable) => Op::StoreCell(variable),
                Op::Declare(variable) if is_shared(variable) => Op::DeclareCell(variable),
                other => other,
            };
        }
        let settle = |variable: &mut Variable| {
            if let Variable::Local(local) = *variable
                && is_shared(local)
            {
                *variable = Variable::Cell(local);
            }
        };
        for lookup in &mut body.code.lookups {
            lookup.candidates.iter_mut().for_each(|(_, variable)| settle(variable));
            lookup.fallback.iter_mut().for_each(settle);
        }
        for lambda in &mut body.code.lambdas {
            lambda.captures.iter_mut().for_each(settle);
        }
        body.code.shared_parameters =
            (0..body.code.variables).filter(|&variable| is_shared(variable)).collect();
        fuse::fuse(&mut body.code);
        (body.code, body.outer)
    }

    fn body(&mut self) -> &mut Body {
        self.bodies.last_mut().expect("a function is being lowered")
    }

    fn emit(&mut self, op: Op) -> usize {
        let body = self.body();
        body.code.ops.push(op);
        body.code.places.push(body.location);
        body.code.ops.len() - 1
    }

    /// The position of the next instruction.
    fn here(&mut self) -> u32 {
        u32::try_from(self.body().code.ops.len()).unwrap_or(u32::MAX)
    }

    /// Makes the jump at `at` lead to the next instruction.
    fn patch(&mut self, at: usize) {
        let target = self.here();
        self.patch_to(at, target);
    }

    fn patch_to(&mut self, at: usize, target: u32) {
        let body = self.body();
        match &mut body.code.ops[at] {
            Op::Jump(place) | Op::JumpUnless(place) | Op::And(place) | Op::Or(place) | Op::EndTry(place) => {
                *place = target;
            }
            Op::CatchUnless(catch) => body.code.catches[*catch as usize].1 = target,
            Op::Leave(leave) => body.code.leaves[*leave as usize].target = target,
            other => unreachable!("{other:?} is not a jump"),
        }
    }

    /// Makes the location of `node` that of the instructions to come, and returns the previous one.
    fn enter(&mut self, node: &SyntaxNode) -> u32 {
        let body = self.body();
        let before = body.location;
        if let Some(location) = node.location() {
            body.code.locations.push(location.clone());
            body.location = u32::try_from(body.code.locations.len()).unwrap_or(0);
        }
        before
    }

    fn declare(&mut self, name: Name) -> u32 {
        let body = self.body();
        let variable = u32::try_from(body.variables.len()).unwrap_or(u32::MAX);
        body.variables.push(LocalVariable { is_shared: false });
        body.scopes.last_mut().expect("a function has a scope").variables.push((name, variable));
        variable
    }

    /// The variable of this name, if one is known at this place.
    fn resolve(&mut self, name: Name) -> Option<Variable> {
        self.resolve_in(self.bodies.len() - 1, name)
    }

    fn resolve_in(&mut self, depth: usize, name: Name) -> Option<Variable> {
        let body = &self.bodies[depth];
        let found = body.scopes.iter().rev().find_map(|scope| {
            scope.variables.iter().rev().find(|(other, _)| *other == name).map(|(_, variable)| *variable)
        });
        if let Some(variable) = found {
            return Some(Variable::Local(variable));
        }
        if let Some(at) = body.outer.iter().position(|(other, _)| *other == name) {
            return Some(Variable::Outer(u32::try_from(at).unwrap_or(u32::MAX)));
        }
        let around = self.resolve_in(depth.checked_sub(1)?, name)?;
        if let Variable::Local(variable) = around {
            self.bodies[depth - 1].variables[variable as usize].is_shared = true;
        }
        let outer = &mut self.bodies[depth].outer;
        outer.push((name, around));
        Some(Variable::Outer(u32::try_from(outer.len() - 1).unwrap_or(u32::MAX)))
    }

    /// All names that are known at this place, innermost first.
    fn visible(&self) -> Vec<Name> {
        let mut names = Vec::new();
        for body in self.bodies.iter().rev() {
            for scope in body.scopes.iter().rev() {
                names.extend(scope.variables.iter().rev().map(|(name, _)| *name));
            }
        }
        let mut seen = hashbrown::HashSet::new();
        names.retain(|name| seen.insert(*name));
        names
    }

    /// A name resolved at run time. With `creates`, an assignment may create the variable.
    fn lookup(&mut self, name: Option<Name>, creates: bool) -> Result<u32, Limit> {
        let names = name.map_or_else(|| self.visible(), |name| vec![name]);
        let mut candidates: Vec<(Name, Variable)> =
            names.into_iter().filter_map(|name| Some((name, self.resolve(name)?))).collect();
        // A variable created by an assignment belongs to the scope around the assignment. At the
        // top level of a module, that is the module.
        let is_top = self.bodies.len() == 1 && self.body().scopes.len() <= 2 && self.class.is_none();
        let mut fallback = None;
        if let (true, Some(name), true, false) = (creates, name, candidates.is_empty(), is_top) {
            let variable = Variable::Local(self.declare(name));
            candidates.push((name, variable));
            fallback = Some(variable);
        }
        // A computed name may refer to any of very many variables.
        self.heap.take(candidates.len() * size_of::<(Name, Variable)>())?;
        let lookups = &mut self.body().code.lookups;
        lookups.push(Lookup { name, candidates, fallback, global: Cell::default() });
        Ok(u32::try_from(lookups.len() - 1).unwrap_or(u32::MAX))
    }

    fn name(&mut self, text: &str) -> Name {
        self.names.number(text)
    }

    fn literal(&mut self, text: &str) -> Result<TextId, Limit> {
        if let Some(&id) = self.literals.get(text) {
            return Ok(id);
        }
        let id = self.heap.add_text(text.into())?;
        self.literals.insert(text.into(), id);
        Ok(id)
    }

    fn site(&mut self, token: &str) -> u32 {
        let token = self.name(token);
        self.sites.push(Site::new(token));
        u32::try_from(self.sites.len() - 1).unwrap_or(u32::MAX)
    }

    /// Emits an instruction that throws, because the tree has no meaning here.
    fn fail(&mut self, text: &str) -> Lowered {
        let text = self.literal(text)?;
        self.emit(Op::Fail(text));
        Ok(())
    }
}
