//! §19.6 Statements.

use super::{JumpTarget, Lowered, Lowering, Scope};
use crate::code::{Leave, Op, Region};
use crate::limits::Limit;
use crate::names::Name;
use coconut_format::Value as Json;
use coconut_format::il::{SyntaxKind, SyntaxNode};

impl Lowering<'_> {
    pub(super) fn statement(&mut self, node: &SyntaxNode) -> Lowered {
        let before = self.enter(node);
        let labels = std::mem::take(&mut self.body().labels);
        let result = match node.kind() {
            SyntaxKind::Block => {
                // A label on a block belongs to the loop inside it, as compilers write it.
                self.body().labels = labels;
                self.body().scopes.push(Scope::default());
                let result = self.statements(node);
                self.body().scopes.pop();
                result
            }
            SyntaxKind::MultiStatement => {
                self.body().labels = labels;
                self.statements(node)
            }
            SyntaxKind::LocalVariableDeclaration => self.declaration(node),
            SyntaxKind::ExpressionStatement => match node.node("expression") {
                Some(expression) => self.effect(expression),
                None => self.fail("a statement without an expression"),
            },
            SyntaxKind::IfStatement => self.if_statement(node),
            SyntaxKind::WhileStatement => self.while_statement(node, labels),
            SyntaxKind::ForStatement => self.for_statement(node, labels),
            SyntaxKind::SwitchStatement => self.switch(node, labels),
            SyntaxKind::LabeledStatement => self.labeled(node, labels),
            SyntaxKind::BreakStatement => self.leave(node, false),
            SyntaxKind::ContinueStatement => self.leave(node, true),
            SyntaxKind::ReturnStatement => match node.node("expression") {
                Some(value) => {
                    self.expression(value)?;
                    self.emit(Op::Return);
                    Ok(())
                }
                None => {
                    self.emit(Op::ReturnNothing);
                    Ok(())
                }
            },
            SyntaxKind::ThrowStatement => {
                match node.node("expression") {
                    Some(value) => self.expression(value)?,
                    None => drop(self.emit(Op::Null)),
                }
                self.emit(Op::Throw);
                Ok(())
            }
            SyntaxKind::TryCatchFinally => self.try_statement(node),
            SyntaxKind::Import => self.import(node),
            SyntaxKind::EmptyStatement => Ok(()),
            // Some compilers emit expressions as statements.
            _ if is_expression(node.kind()) => self.effect(node),
            kind => self.fail(&format!("a node `{kind}` is not a statement")),
        };
        let body = self.body();
        body.location = before;
        body.labels.clear();
        result
    }

    fn statements(&mut self, node: &SyntaxNode) -> Lowered {
        node.nodes("statements").try_for_each(|statement| self.statement(statement))
    }

    fn declaration(&mut self, node: &SyntaxNode) -> Lowered {
        let Some(local) = node.node("local") else { return self.fail("a declaration without a variable") };
        let Some(name) = local.token("name") else { return self.fail("a variable without a name") };
        let name = self.name(name);
        let variable = self.declare(name);
        self.emit(Op::Declare(variable));
        if let Some(value) = local.value("default") {
            self.constant(value)?;
            self.emit(Op::Store(variable));
            self.emit(Op::Pop);
        }
        Ok(())
    }

    /// A scalar of the document.
    fn constant(&mut self, value: &Json) -> Lowered {
        let op = match value {
            Json::Bool(value) => Op::Bool(*value),
            Json::Integer(integer) => self.number(integer.as_f64()),
            Json::Float(value) => self.number(*value),
            Json::String(text) => Op::Text(self.literal(text)?),
            Json::Null | Json::List(_) | Json::Object(_) => Op::Null,
        };
        self.emit(op);
        Ok(())
    }

    pub(super) fn number(&mut self, value: f64) -> Op {
        let numbers = &mut self.body().code.numbers;
        numbers.push(value);
        Op::Number(u32::try_from(numbers.len() - 1).unwrap_or(u32::MAX))
    }

    fn if_statement(&mut self, node: &SyntaxNode) -> Lowered {
        self.needed(node, "condition")?;
        let unless = self.emit(Op::JumpUnless(0));
        if let Some(consequent) = node.node("consequent") {
            self.statement(consequent)?;
        }
        match node.node("alternate") {
            Some(alternate) => {
                let end = self.emit(Op::Jump(0));
                self.patch(unless);
                self.statement(alternate)?;
                self.patch(end);
            }
            None => self.patch(unless),
        }
        Ok(())
    }

    fn while_statement(&mut self, node: &SyntaxNode, labels: Vec<Name>) -> Lowered {
        let condition = node.node("condition").or_else(|| node.node("test"));
        let body = node.node("body").or_else(|| node.node("block"));
        self.repeat(condition, body, None, labels)
    }

    fn for_statement(&mut self, node: &SyntaxNode, labels: Vec<Name>) -> Lowered {
        if let Some(init) = node.node("init") {
            self.statement(init)?;
        }
        self.repeat(node.node("condition"), node.node("body"), node.node("post"), labels)
    }

    fn repeat(
        &mut self,
        condition: Option<&SyntaxNode>,
        body: Option<&SyntaxNode>,
        post: Option<&SyntaxNode>,
        labels: Vec<Name>,
    ) -> Lowered {
        let start = self.here();
        let mut end = None;
        if let Some(condition) = condition {
            self.expression(condition)?;
            end = Some(self.emit(Op::JumpUnless(0)));
        }
        self.open(labels, true, false);
        if let Some(body) = body {
            self.statement(body)?;
        }
        let (breaks, continues) = self.close();
        continues.into_iter().for_each(|jump| self.patch(jump));
        if let Some(post) = post {
            self.statement(post)?;
        }
        self.emit(Op::Jump(start));
        breaks.into_iter().chain(end).for_each(|jump| self.patch(jump));
        Ok(())
    }

    fn switch(&mut self, node: &SyntaxNode, labels: Vec<Name>) -> Lowered {
        self.needed(node, "expression")?;
        let cases: Vec<&SyntaxNode> = node.nodes("cases").collect();
        // All tests come first, since a case falls through to the next one. A case without a test
        // matches at its place, and the clauses after it are never reached.
        let mut starts = Vec::new();
        let mut is_open = true;
        for case in &cases {
            let Some(clause) = case.node("clause") else {
                self.emit(Op::Pop);
                starts.push(Some(self.emit(Op::Jump(0))));
                is_open = false;
                break;
            };
            self.emit(Op::Dup);
            self.expression(clause)?;
            self.emit(Op::Same);
            let next = self.emit(Op::JumpUnless(0));
            self.emit(Op::Pop);
            starts.push(Some(self.emit(Op::Jump(0))));
            self.patch(next);
        }
        starts.resize(cases.len(), None);
        let none = is_open.then(|| {
            self.emit(Op::Pop);
            self.emit(Op::Jump(0))
        });
        self.open(labels, false, true);
        for (case, start) in cases.iter().zip(starts) {
            if let Some(start) = start {
                self.patch(start);
            }
            if let Some(consequent) = case.node("consequent") {
                self.statement(consequent)?;
            }
        }
        let (breaks, _) = self.close();
        breaks.into_iter().chain(none).for_each(|jump| self.patch(jump));
        Ok(())
    }

    fn labeled(&mut self, node: &SyntaxNode, mut labels: Vec<Name>) -> Lowered {
        let Some(label) = node.token("label") else { return self.fail("a label without a name") };
        labels.push(self.name(label));
        let Some(statement) = node.node("statement") else { return Ok(()) };
        self.open(labels.clone(), false, false);
        self.body().labels = labels;
        self.statement(statement)?;
        let (breaks, _) = self.close();
        breaks.into_iter().for_each(|jump| self.patch(jump));
        Ok(())
    }

    fn open(&mut self, labels: Vec<Name>, is_loop: bool, is_switch: bool) {
        let target =
            JumpTarget::Statement { labels, is_loop, is_switch, breaks: Vec::new(), continues: Vec::new() };
        self.body().jumps.push(target);
    }

    fn close(&mut self) -> (Vec<usize>, Vec<usize>) {
        match self.body().jumps.pop() {
            Some(JumpTarget::Statement { breaks, continues, .. }) => (breaks, continues),
            _ => (Vec::new(), Vec::new()),
        }
    }

    /// `break` and `continue`.
    fn leave(&mut self, node: &SyntaxNode, continues: bool) -> Lowered {
        let label = node.token("label").or_else(|| node.token("identifier")).map(str::to_owned);
        let label = label.map(|label| self.name(&label));
        let (mut handlers, mut completions) = (0, 0);
        let mut found = None;
        for (at, target) in self.body().jumps.iter().enumerate().rev() {
            match target {
                JumpTarget::Handler => handlers += 1,
                JumpTarget::Finally => completions += 1,
                JumpTarget::Statement { labels, is_loop, is_switch, .. } => {
                    let fits = match (label, continues) {
                        (None, true) => *is_loop,
                        (None, false) => *is_loop || *is_switch,
                        (Some(label), true) => *is_loop && labels.contains(&label),
                        (Some(label), false) => labels.contains(&label),
                    };
                    if fits {
                        found = Some(at);
                        break;
                    }
                }
            }
        }
        let Some(found) = found else {
            let word = if continues { "continue" } else { "break" };
            return self.fail(&format!("`{word}` does not match any enclosing statement"));
        };
        let jump = if handlers == 0 && completions == 0 {
            self.emit(Op::Jump(0))
        } else {
            let leaves = &mut self.body().code.leaves;
            leaves.push(Leave { handlers, completions, target: 0 });
            let leave = u32::try_from(leaves.len() - 1).unwrap_or(u32::MAX);
            self.emit(Op::Leave(leave))
        };
        if let JumpTarget::Statement { breaks, continues: next, .. } = &mut self.body().jumps[found] {
            let jumps = if continues { next } else { breaks };
            jumps.push(jump);
        }
        Ok(())
    }

    fn try_statement(&mut self, node: &SyntaxNode) -> Lowered {
        let body = node.node("tryClause").or_else(|| node.node("tryBlock"));
        let clauses: Vec<&SyntaxNode> = node.nodes("catchClauses").chain(node.nodes("catchBlocks")).collect();
        let finally = node.node("finallyClause").or_else(|| node.node("finallyBlock"));
        let region = self.body().code.regions.len();
        self.body().code.regions.push(Region { catch: None, finally: None });
        self.emit(Op::Try(u32::try_from(region).unwrap_or(u32::MAX)));
        self.body().jumps.push(JumpTarget::Handler);
        if let Some(body) = body {
            self.statement(body)?;
        }
        self.body().jumps.pop();
        let mut ends = vec![self.emit(Op::EndTry(0))];
        if !clauses.is_empty() {
            let catch = self.here();
            self.body().code.regions[region].catch = Some(catch);
            // The `finally` clause must still run when a `catch` clause is left.
            if finally.is_some() {
                self.body().jumps.push(JumpTarget::Handler);
            }
            for clause in clauses {
                ends.push(self.catch_clause(clause, finally.is_some())?);
            }
            self.emit(Op::Rethrow);
            if finally.is_some() {
                self.body().jumps.pop();
            }
        }
        if let Some(finally) = finally {
            let start = self.here();
            self.body().code.regions[region].finally = Some(start);
            self.body().jumps.push(JumpTarget::Finally);
            self.statement(finally)?;
            self.body().jumps.pop();
            self.emit(Op::EndFinally);
        }
        ends.into_iter().for_each(|end| self.patch(end));
        Ok(())
    }

    /// Lowers one clause; the thrown value is on the stack. Returns the jump at its end.
    fn catch_clause(&mut self, clause: &SyntaxNode, has_finally: bool) -> Result<usize, Limit> {
        let before = self.enter(clause);
        self.body().scopes.push(Scope::default());
        let exception = clause.node("exception");
        let ty = match exception {
            Some(exception) if exception.kind() == SyntaxKind::TypeToken => exception.text("tok"),
            Some(exception) => exception.token("type"),
            None => None,
        };
        let mut next = None;
        if let Some(ty) = ty {
            let ty = self.name(ty);
            let catches = &mut self.body().code.catches;
            catches.push((ty, 0));
            let catch = u32::try_from(catches.len() - 1).unwrap_or(u32::MAX);
            next = Some(self.emit(Op::CatchUnless(catch)));
        }
        if let Some(name) = exception.and_then(|exception| exception.token("name")) {
            let name = self.name(name);
            let variable = self.declare(name);
            self.emit(Op::Declare(variable));
            self.emit(Op::Store(variable));
        }
        self.emit(Op::Pop);
        if let Some(body) = clause.node("body").or_else(|| clause.node("block")) {
            self.statement(body)?;
        }
        let end = if has_finally { self.emit(Op::EndTry(0)) } else { self.emit(Op::Jump(0)) };
        if let Some(next) = next {
            self.patch(next);
        }
        self.body().scopes.pop();
        self.body().location = before;
        Ok(end)
    }

    fn import(&mut self, node: &SyntaxNode) -> Lowered {
        let Some(referent) = node.token("referent") else { return self.fail("an import without a token") };
        let site = self.site(referent);
        self.emit(Op::Import(site));
        if let Some(name) = node.token("name").or_else(|| node.token("identifier")) {
            let name = self.name(name);
            let lookup = self.lookup(Some(name), true)?;
            self.emit(Op::StoreName(lookup));
        }
        self.emit(Op::Pop);
        Ok(())
    }

    /// The expression under `key`, or an instruction that throws.
    pub(super) fn needed(&mut self, node: &SyntaxNode, key: &str) -> Lowered {
        match node.node(key) {
            Some(expression) => self.expression(expression),
            None => self.fail(&format!("a node `{}` has no `{key}`", node.kind())),
        }
    }
}

fn is_expression(kind: SyntaxKind) -> bool {
    kind.name().ends_with("Expression") || kind.name().ends_with("Literal")
}
