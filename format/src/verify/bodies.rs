//! §14.8 Bodies. Scopes, labels and statements.

use super::conversion::Ty;
use std::collections::{HashMap, HashSet};

use super::package::Verifier;
use super::package_rules as rules;
use crate::il::{
    Definition, Function, LocalVariable, ReturnStatement, SyntaxKind, SyntaxNode, Variable, View,
};
use crate::names::special;

/// The state inside the functions around the current node.
#[derive(Default)]
pub(super) struct Bodies<'a> {
    /// The functions, outermost first; more than one if lambdas nest.
    functions: Vec<FunctionBody<'a>>,
    scopes: Vec<Scope<'a>>,
}

struct FunctionBody<'a> {
    name: &'a str,
    is_lambda: bool,
    /// Whether `.this` and `.super` are meaningful here.
    has_this: bool,
    result: Option<Ty<'a>>,
    /// The first visible scope: a lambda also sees those of its parents.
    first_scope: usize,
    /// Labels around the current statement, and all labels used in the function.
    open_labels: Vec<&'a str>,
    used_labels: HashSet<&'a str>,
    loops: usize,
    switches: usize,
}

#[derive(Default)]
struct Scope<'a> {
    locals: HashMap<&'a str, Ty<'a>>,
}

impl<'a> Verifier<'a> {
    /// Opens scopes, declares variables, follows labels.
    pub(super) fn enter_body(&mut self, node: &'a SyntaxNode, name: &'a str) {
        match node.view() {
            View::ModuleMethod(function) => self.open_function(function, name),
            View::ClassMethod(method) => self.open_function(method, name),
            View::LambdaExpression(lambda) => self.open_function(lambda, name),
            View::LocalVariable(variable) => self.declare(variable),
            View::LabeledStatement(labeled) => self.open_label(labeled.label()),
            View::BreakStatement(jump) => {
                self.check_jump(node, jump.label().or(jump.label_for_reader()), "label");
            }
            View::ContinueStatement(jump) => {
                self.check_jump(node, jump.label().or(jump.label_for_reader()), "label");
            }
            _ => {}
        }
        if opens_scope(node.kind()) {
            self.bodies.scopes.push(Scope::default());
        }
        if let Some(function) = self.bodies.functions.last_mut() {
            match node.kind() {
                SyntaxKind::WhileStatement | SyntaxKind::ForStatement => function.loops += 1,
                SyntaxKind::SwitchStatement => function.switches += 1,
                _ => {}
            }
        }
    }

    /// Checks the rules that depend on the types of the parts, then closes the opened scopes.
    pub(super) fn leave_body(&mut self, node: &'a SyntaxNode) {
        self.check_statement(node);
        self.leave_expression(node);
        if opens_scope(node.kind()) {
            self.bodies.scopes.pop();
        }
        if let Some(function) = self.bodies.functions.last_mut() {
            match node.kind() {
                SyntaxKind::WhileStatement | SyntaxKind::ForStatement => function.loops -= 1,
                SyntaxKind::SwitchStatement => function.switches -= 1,
                SyntaxKind::LabeledStatement => {
                    function.open_labels.pop();
                }
                SyntaxKind::ModuleMethod | SyntaxKind::ClassMethod | SyntaxKind::LambdaExpression => {
                    self.bodies.scopes.truncate(function.first_scope);
                    self.bodies.functions.pop();
                }
                _ => {}
            }
        }
    }

    fn open_function(&mut self, function: impl Function<'a>, name: &'a str) {
        let node = function.node();
        let is_lambda = node.kind() == SyntaxKind::LambdaExpression;
        let parent = self.bodies.functions.last().filter(|_| is_lambda);
        let has_this = match parent {
            Some(parent) => parent.has_this,
            None => node.kind() == SyntaxKind::ClassMethod && !node.flag("static"),
        };
        let result = self.symbols.function_type(function, self.site).result;
        self.bodies.functions.push(FunctionBody {
            name: parent.map_or(name, |parent| parent.name),
            is_lambda,
            has_this,
            result,
            first_scope: self.bodies.scopes.len(),
            open_labels: Vec::new(),
            used_labels: HashSet::new(),
            loops: 0,
            switches: 0,
        });
        self.bodies.scopes.push(Scope::default());
    }

    /// A parameter, a local variable or a caught exception.
    fn declare(&mut self, variable: LocalVariable<'a>) {
        let Some(name) = variable.name() else { return };
        let ty = self.symbols.type_or_unseen(variable.type_token(), self.site);
        let Some(scope) = self.bodies.scopes.last_mut() else { return };
        let is_new = scope.locals.insert(name, ty).is_none();
        if !is_new {
            let finding = self.finding(&rules::SYM_TWICE, &["name"]);
            self.report(finding.found(format!("a second `{name}` in one scope")));
        }
    }

    fn open_label(&mut self, label: Option<&'a str>) {
        let label = label.unwrap_or("?");
        let Some(function) = self.bodies.functions.last_mut() else { return };
        function.open_labels.push(label);
        let is_new = function.used_labels.insert(label);
        if !is_new {
            let finding = self.finding(&rules::STM_LABEL, &["label"]);
            self.report(finding.found(format!("a second `{label}` in one function")));
        }
    }

    /// Checks that a jump has a target: its label, or a loop or switch around it.
    fn check_jump(&mut self, node: &'a SyntaxNode, label: Option<&'a str>, key: &str) {
        let Some(function) = self.bodies.functions.last() else { return };
        let is_break = node.kind() == SyntaxKind::BreakStatement;
        match label {
            Some(label) if !function.open_labels.contains(&label) => {
                let key = if node.get(key).is_some() { key } else { "identifier" };
                let finding = self.finding(&rules::STM_TARGET, &[key]);
                self.report(finding.expected("a label around the statement").found(format!("`{label}`")));
            }
            Some(_) => {}
            None if function.loops > 0 || (is_break && function.switches > 0) => {}
            None => {
                let expected = if is_break { "a loop or switch around it" } else { "a loop around it" };
                let finding = self.finding(&rules::STM_OUTSIDE, &[]);
                self.report(finding.expected(expected));
            }
        }
    }

    fn check_statement(&mut self, node: &'a SyntaxNode) {
        match node.view() {
            View::IfStatement(statement) => self.check_condition(statement.condition()),
            View::WhileStatement(statement) => self.check_condition(statement.condition()),
            View::ForStatement(statement) => self.check_condition(statement.condition()),
            View::ReturnStatement(statement) => self.check_return(statement),
            _ => {}
        }
    }

    /// Checks that a condition converts to bool.
    pub(super) fn check_condition(&mut self, condition: Option<&'a SyntaxNode>) {
        let ty = self.type_of(condition);
        if !self.symbols.converts(&ty, &Ty::Bool) {
            let finding = self.finding(&rules::STM_CONDITION, &["condition"]);
            self.report(finding.expected("`bool`").found(format!("`{ty}`")));
        }
    }

    /// Checks that a function with a result returns a value of its type, and one without a result
    /// returns no value.
    fn check_return(&mut self, statement: ReturnStatement<'a>) {
        let Some(function) = self.bodies.functions.last() else { return };
        let (expected, found, path): (String, String, &[&str]) =
            match (&function.result, statement.expression()) {
                (None, None) => return,
                (Some(result), None) => (format!("a value of type `{result}`"), "none".to_owned(), &[]),
                (None, Some(_)) => ("no value".to_owned(), "one".to_owned(), &["expression"]),
                (Some(result), Some(expression)) => {
                    let ty = self.type_of(Some(expression));
                    if self.symbols.converts(&ty, result) {
                        return;
                    }
                    (format!("`{result}`"), format!("`{ty}`"), &["expression"])
                }
            };
        let finding = self.finding(&rules::STM_RETURN, path);
        self.report(finding.expected(expected).found(found));
    }

    /// The type of the local variable with this name. The innermost scope is searched first, and
    /// those of a lambda's parents last.
    pub(super) fn local(&self, name: &str) -> Option<Ty<'a>> {
        let has_this = self.bodies.functions.last().is_some_and(|function| function.has_this);
        match name {
            special::THIS if has_this => return Some(self.class.map_or(Ty::Unseen, Ty::Class)),
            special::SUPER if has_this => return self.base_of_this(),
            _ => {}
        }
        self.visible_scopes().find_map(|scope| scope.locals.get(name)).cloned()
    }

    /// The visible scopes, innermost first.
    fn visible_scopes(&self) -> impl Iterator<Item = &Scope<'a>> {
        let outermost = self.bodies.functions.iter().rev().find(|function| !function.is_lambda);
        let first = outermost.map_or(0, |function| function.first_scope);
        self.bodies.scopes[first..].iter().rev()
    }

    /// The local variable that was probably intended.
    pub(super) fn suggest_local(&self, name: &str) -> Option<String> {
        self.suggest(name, self.visible_scopes().flat_map(|scope| scope.locals.keys().copied()))
    }

    fn base_of_this(&self) -> Option<Ty<'a>> {
        let token = self.class?.class.extends()?;
        Some(self.symbols.type_or_unseen(Some(token), self.site))
    }

    /// Whether the current function may still set read-only variables.
    pub(super) fn is_initializing(&self) -> bool {
        let function = self.bodies.functions.last();
        function.is_some_and(|function| matches!(function.name, special::INIT | special::CONSTRUCTOR))
    }
}

/// Functions open their scope in `open_function`, with the parameters in it.
fn opens_scope(kind: SyntaxKind) -> bool {
    matches!(
        kind,
        SyntaxKind::Block | SyntaxKind::ForStatement | SyntaxKind::TryCatchClause | SyntaxKind::TryCatchBlock
    )
}
