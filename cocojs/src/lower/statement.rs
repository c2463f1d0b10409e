//! Statements.

use super::Lowerer;
use crate::declare::{bound_names, name_span};
use crate::il::{
    Il, Node, assignment, binary, block, boolean, expression_statement, identifier, null, return_statement,
    token, type_token,
};
use crate::static_type::Type;
use oxc_allocator::Vec as ArenaVec;
use oxc_ast::ast::{self, BindingPatternKind, ForStatementInit, Statement, VariableDeclarationKind};
use oxc_span::{GetSpan, Span};

impl<'a> Lowerer<'_, 'a> {
    /// The statements of a block or body, in the scope around.
    pub(super) fn statements(&mut self, statements: &'a ArenaVec<'a, Statement<'a>>) -> Vec<Node<'a>> {
        self.announce(statements);
        if !self.is_mended() {
            return statements.iter().map(|statement| self.statement(statement)).collect();
        }
        // Functions are visible in the whole block.
        let mut nodes = Vec::with_capacity(statements.len());
        for statement in statements {
            if let Statement::FunctionDeclaration(function) = statement {
                nodes.extend(self.declared_function(function));
            }
        }
        for statement in statements {
            match statement {
                Statement::FunctionDeclaration(_) => {}
                statement => nodes.push(self.statement(statement)),
            }
        }
        nodes
    }

    /// A function that is declared in a block: a variable with a lambda.
    fn declared_function(&mut self, function: &'a ast::Function<'a>) -> Vec<Node<'a>> {
        let Some(name) = &function.id else { return Vec::new() };
        // A declaration without body is an overload of the function that follows.
        if function.body.is_none() {
            return Vec::new();
        }
        let (lambda, ty) = self.closure(function, function.span);
        let (text, place) = (name.name.as_str(), name_span(name));
        self.settle(text, ty, false);
        let local = Node::new("LocalVariable")
            .with("name", identifier(text, Some(place)))
            .with("type", type_token("dynamic", None));
        let declaration = Node::new("LocalVariableDeclaration").with("local", local);
        vec![declaration, self.initialization(token(text, Some(place)), None, lambda)]
    }

    /// Declares the names of a block, which are visible before their declarations.
    fn announce(&mut self, statements: &'a ArenaVec<'a, Statement<'a>>) {
        for statement in statements {
            match statement {
                Statement::VariableDeclaration(variables) => {
                    let is_const = variables.kind == VariableDeclarationKind::Const;
                    for declarator in &variables.declarations {
                        for name in bound_names(&declarator.id) {
                            self.declare(name.name.as_str(), Type::Dynamic, is_const);
                        }
                    }
                }
                Statement::FunctionDeclaration(function) => {
                    if let Some(name) = &function.id {
                        self.declare(name.name.as_str(), Type::Dynamic, false);
                    }
                }
                _ => {}
            }
        }
    }

    pub(super) fn directives(&self, directives: &'a ArenaVec<'a, ast::Directive<'a>>) -> Vec<Node<'a>> {
        if !self.is_compatible() {
            return Vec::new();
        }
        let statement = |directive: &'a ast::Directive<'a>| {
            let literal = &directive.expression;
            let text = super::literal::text_literal(literal.value.as_str(), literal.span);
            expression_statement(text, Some(directive.span))
        };
        directives.iter().map(statement).collect()
    }

    pub(super) fn statement(&mut self, statement: &'a Statement<'a>) -> Node<'a> {
        let span = statement.span();
        let refused = || Node::new("EmptyStatement");
        self.deeper(span, |lowerer| lowerer.statement_here(statement), refused)
    }

    fn statement_here(&mut self, statement: &'a Statement<'a>) -> Node<'a> {
        match statement {
            Statement::BlockStatement(block) => self.block(block),
            Statement::ExpressionStatement(statement) => {
                self.is_dropped = true;
                let (expression, _) = self.expression(&statement.expression, None);
                expression_statement(expression, Some(statement.span))
            }
            Statement::VariableDeclaration(variables) => self.local_variables(variables),
            Statement::FunctionDeclaration(function) => {
                let (function, _) = self.local_function(function, function.span);
                expression_statement(function, None)
            }
            Statement::IfStatement(statement) => self.condition(statement),
            Statement::ReturnStatement(statement) => self.returned(statement),
            Statement::ThrowStatement(statement) => {
                let (value, _) = self.expression(&statement.argument, None);
                Node::new("ThrowStatement").with("expression", value).at(statement.span)
            }
            Statement::ForOfStatement(statement) if self.is_mended() => {
                self.scoped(|lowerer| lowerer.for_of(statement))
            }
            Statement::ForInStatement(statement) if self.is_mended() => {
                self.scoped(|lowerer| lowerer.for_in(statement))
            }
            Statement::WhileStatement(statement) => {
                let condition = self.condition_of(&statement.test);
                let body = self.as_block(&statement.body);
                Node::new("WhileStatement").with("condition", condition).with("body", body).at(statement.span)
            }
            Statement::DoWhileStatement(statement) => self.do_while(statement),
            Statement::ForStatement(statement) => self.scoped(|lowerer| lowerer.for_loop(statement)),
            Statement::SwitchStatement(statement) => self.switch(statement),
            Statement::TryStatement(statement) => self.try_catch(statement),
            Statement::BreakStatement(statement) => {
                let label =
                    statement.label.as_ref().map(|label| identifier(label.name.as_str(), Some(label.span)));
                Node::new("BreakStatement").maybe("label", label).at(statement.span)
            }
            Statement::ContinueStatement(statement) => {
                let label =
                    statement.label.as_ref().map(|label| identifier(label.name.as_str(), Some(label.span)));
                Node::new("ContinueStatement").maybe("label", label).at(statement.span)
            }
            Statement::LabeledStatement(statement) => {
                let label = identifier(statement.label.name.as_str(), Some(statement.label.span));
                let body = self.statement(&statement.body);
                self.labelled(label, body, statement.span)
            }
            Statement::EmptyStatement(statement) => Node::new("EmptyStatement").at(statement.span),
            Statement::DebuggerStatement(statement) => Node::new("EmptyStatement").at(statement.span),
            statement => self.refused_statement(statement),
        }
    }

    /// A statement with a label. That of a loop comes after the variables that the loop needs.
    fn labelled(&self, label: Node<'a>, mut body: Node<'a>, span: Span) -> Node<'a> {
        let with_label = |body: Node<'a>| {
            Node::new("LabeledStatement").with("label", label).with("statement", body).at(span)
        };
        let is_loop = |node: &Node<'a>| matches!(node.kind, "WhileStatement" | "ForStatement");
        if self.is_mended()
            && body.kind == "Block"
            && body.place().is_none()
            && let Some(Il::List(statements)) = body.field_mut("statements")
            && matches!(statements.last(), Some(Il::Node(last)) if is_loop(last))
            && let Some(Il::Node(last)) = statements.pop()
        {
            statements.push(with_label(last).into());
            return body;
        }
        with_label(body)
    }

    fn refused_statement(&mut self, statement: &'a Statement<'a>) -> Node<'a> {
        let top = "move the declaration to the top of the module";
        let (what, help) = match statement {
            Statement::ForInStatement(_) => ("`for … in`", ""),
            Statement::ForOfStatement(_) => ("`for … of`", ""),
            Statement::WithStatement(_) => ("`with`", "name the object"),
            Statement::ClassDeclaration(_) => ("a class inside a block", top),
            Statement::TSInterfaceDeclaration(_) => ("an interface inside a block", top),
            Statement::TSTypeAliasDeclaration(_) => ("a type inside a block", top),
            Statement::TSEnumDeclaration(_) => ("an enum", "use constants"),
            Statement::TSModuleDeclaration(_) | Statement::TSGlobalDeclaration(_) => {
                ("a namespace", "use a module of its own")
            }
            Statement::TSExportAssignment(_) => ("`export =`", "use `export default`"),
            Statement::TSImportEqualsDeclaration(_) => ("`import … =`", "use an import declaration"),
            Statement::TSNamespaceExportDeclaration(_) => ("`export as namespace`", "remove it"),
            _ => ("this declaration", "move it to the top of the module"),
        };
        self.refuse(statement.span(), what, help);
        Node::new("EmptyStatement")
    }

    pub(super) fn block(&mut self, statement: &'a ast::BlockStatement<'a>) -> Node<'a> {
        self.blocks += 1;
        let node = self.scoped(|lowerer| block(lowerer.statements(&statement.body)).at(statement.span));
        self.blocks -= 1;
        node
    }

    fn as_block(&mut self, statement: &'a Statement<'a>) -> Node<'a> {
        let node = self.statement(statement);
        match node.kind {
            "Block" => node,
            _ => block(vec![node]).at(statement.span()),
        }
    }

    /// The declarations of a statement, and the initial values.
    fn local_variables(&mut self, variables: &'a ast::VariableDeclaration<'a>) -> Node<'a> {
        let is_const = variables.kind == VariableDeclarationKind::Const;
        let mut statements = Vec::new();
        for declarator in &variables.declarations {
            let BindingPatternKind::BindingIdentifier(name) = &declarator.id.kind else {
                if let (Some(value), true) = (&declarator.init, self.is_mended()) {
                    let value = self.expression(value, None);
                    let mut before = Vec::new();
                    let parts = self.parts(&declarator.id, value, &mut before);
                    statements.extend(before);
                    for part in parts {
                        statements.extend(self.local_part(part, is_const));
                    }
                    continue;
                }
                self.refuse(declarator.id.span(), "a pattern in a declaration", "");
                for name in bound_names(&declarator.id) {
                    self.settle(name.name.as_str(), Type::Dynamic, is_const);
                }
                continue;
            };
            let (value, ty) = self.initial_value(declarator);
            self.settle(name.name.as_str(), ty.clone(), is_const);
            let token_text = self.unit.type_token(&ty).unwrap_or("dynamic");
            let local = Node::new("LocalVariable")
                .with("name", identifier(name.name.as_str(), Some(name_span(name))))
                .with("type", type_token(token_text, Some(declarator.span)))
                .maybe("readonly", is_const.then_some(true));
            statements.push(Node::new("LocalVariableDeclaration").with("local", local));
            if let Some(value) = value {
                statements.push(self.initialization(
                    token(name.name.as_str(), Some(name_span(name))),
                    None,
                    value,
                ));
            }
        }
        if variables.kind == VariableDeclarationKind::Var && self.is_mended() {
            self.check_var(variables);
        }
        match statements.len() {
            1 => statements.remove(0),
            _ => {
                let place = statements.last().and_then(Node::place);
                Node::new("MultiStatement").with("statements", statements).at_maybe(place)
            }
        }
    }

    /// Refuses a `var` that is also visible outside of its block.
    fn check_var(&self, variables: &'a ast::VariableDeclaration<'a>) {
        if self.blocks > 0 {
            self.refuse(variables.span, "`var` in a block", "use `let`");
        }
    }

    /// The initial value of a variable and its type.
    pub(super) fn initial_value(
        &mut self,
        declarator: &'a ast::VariableDeclarator<'a>,
    ) -> (Option<Node<'a>>, Type<'a>) {
        self.erase_annotation(&declarator.id);
        let annotated = declarator
            .id
            .type_annotation
            .as_ref()
            .map(|annotation| self.unit.annotated(self.module_id(), &annotation.type_annotation));
        let value = declarator.init.as_ref().map(|value| self.expression(value, annotated.as_ref()));
        match (annotated, value) {
            (Some(ty), value) => (value.map(|(value, _)| value), ty),
            (None, Some((value, ty))) => (Some(value), ty.widened()),
            (None, None) => (None, Type::Dynamic),
        }
    }

    /// `name = value;` with the place of the value.
    pub(super) fn initialization(
        &self,
        name: Node<'a>,
        object: Option<Node<'a>>,
        value: Node<'a>,
    ) -> Node<'a> {
        let place = value.place();
        let target =
            Node::new("LoadLocationExpression").maybe("object", object).with("name", name).at_maybe(place);
        expression_statement(assignment(target, value), place)
    }

    fn condition(&mut self, statement: &'a ast::IfStatement<'a>) -> Node<'a> {
        let condition = self.condition_of(&statement.test);
        let consequent = self.statement(&statement.consequent);
        let alternate = statement.alternate.as_ref().map(|alternate| self.statement(alternate));
        Node::new("IfStatement")
            .with("condition", condition)
            .with("consequent", consequent)
            .maybe("alternate", alternate)
            .at(statement.span)
    }

    fn returned(&mut self, statement: &'a ast::ReturnStatement<'a>) -> Node<'a> {
        let value = statement.argument.as_ref().map(|value| {
            let (value, ty) = self.expression(value, None);
            self.note_returned(ty);
            value
        });
        // In a package, all returns of a function have a value, or none has one.
        let is_missing = value.is_none() && self.is_mended() && self.gives_values.last() == Some(&true);
        let value = value.or_else(|| {
            is_missing.then(|| {
                self.note_returned(Type::Null);
                null(Some(statement.span))
            })
        });
        return_statement(value, Some(statement.span))
    }

    fn do_while(&mut self, statement: &'a ast::DoWhileStatement<'a>) -> Node<'a> {
        if self.is_mended() {
            return self.mended_do_while(statement);
        }
        let body = self.statement(&statement.body);
        let (condition, _) = self.expression(&statement.test, None);
        let negated = Node::new("UnaryOperatorExpression").with("operator", "!").with("operand", condition);
        let exit = Node::new("IfStatement")
            .with("condition", negated)
            .with("consequent", Node::new("BreakStatement"));
        let body = block(vec![body, exit]).at(statement.body.span());
        Node::new("WhileStatement")
            .with("condition", boolean(true, None))
            .with("body", body)
            .at(statement.span)
    }

    /// A loop with the test at the end. `continue` goes to the test.
    fn mended_do_while(&mut self, statement: &'a ast::DoWhileStatement<'a>) -> Node<'a> {
        let place = Some(statement.span);
        let first = self.keep(boolean(true, None), "first");
        let condition = self.condition_of(&statement.test);
        let repeats = binary("||", first.load(None), condition, place);
        let reset = binary("=", first.load(None), boolean(false, None), None);
        let body = block(vec![expression_statement(reset, None), self.statement(&statement.body)])
            .at(statement.body.span());
        let repeat =
            Node::new("WhileStatement").with("condition", repeats).with("body", body).at(statement.span);
        let mut statements = first.into_statements();
        statements.push(repeat);
        block(statements)
    }

    fn for_loop(&mut self, statement: &'a ast::ForStatement<'a>) -> Node<'a> {
        let outer = self.locals.len();
        let init = statement.init.as_ref().map(|init| match init {
            ForStatementInit::VariableDeclaration(variables) => {
                let is_const = variables.kind == VariableDeclarationKind::Const;
                for declarator in &variables.declarations {
                    for name in bound_names(&declarator.id) {
                        self.declare(name.name.as_str(), Type::Dynamic, is_const);
                    }
                }
                self.local_variables(variables)
            }
            init => self.expression_as_statement(init.as_expression(), init.span()),
        });
        self.share(outer);
        let condition = statement.test.as_ref().map(|test| self.condition_of(test));
        let post =
            statement.update.as_ref().map(|update| self.expression_as_statement(Some(update), update.span()));
        let body = self.statement(&statement.body);
        let node = Node::new("ForStatement")
            .maybe("init", init)
            .maybe("condition", condition)
            .maybe("post", post)
            .with("body", body)
            .at(statement.span);
        block(vec![node])
    }

    fn expression_as_statement(
        &mut self,
        expression: Option<&'a ast::Expression<'a>>,
        span: Span,
    ) -> Node<'a> {
        match expression {
            Some(expression) => expression_statement(self.expression(expression, None).0, Some(span)),
            None => Node::new("EmptyStatement"),
        }
    }

    fn switch(&mut self, statement: &'a ast::SwitchStatement<'a>) -> Node<'a> {
        let (value, _) = self.expression(&statement.discriminant, None);
        let cases = self.scoped(|lowerer| {
            let mut cases = Vec::with_capacity(statement.cases.len());
            let ordered = lowerer.ordered_cases(statement);
            for (number, case) in ordered.iter().enumerate() {
                let clause = case.test.as_ref().map(|test| lowerer.expression(test, None).0);
                let mut body = lowerer.statements(&case.consequent);
                // The last clause of the source does not continue with a default before it.
                let was_last = case.span.end == statement.cases.last().map_or(0, |last| last.span.end);
                if was_last && number + 1 < ordered.len() && !case.consequent.last().is_some_and(is_jump) {
                    body.push(Node::new("BreakStatement"));
                }
                let body = block(body);
                cases.push(
                    Node::new("SwitchCase").maybe("clause", clause).with("consequent", body).at(case.span),
                );
            }
            cases
        });
        Node::new("SwitchStatement").with("expression", value).with("cases", cases).at(statement.span)
    }

    /// The clauses with the default last: in a package, it matches at its own position.
    fn ordered_cases(&self, statement: &'a ast::SwitchStatement<'a>) -> Vec<&'a ast::SwitchCase<'a>> {
        let mut cases: Vec<_> = statement.cases.iter().collect();
        let Some(at) = cases.iter().position(|case| case.test.is_none()) else { return cases };
        if !self.is_mended() || at + 1 == cases.len() {
            return cases;
        }
        let ends = |case: &ast::SwitchCase<'a>| case.consequent.last().is_some_and(is_jump);
        if ends(cases[at]) && (at == 0 || ends(cases[at - 1])) {
            let default = cases.remove(at);
            cases.push(default);
        } else {
            let help = "move `default` to the end, or end it and the clause before it with `break`";
            self.refuse(cases[at].span, "a `default` with clauses that fall through", help);
        }
        cases
    }

    fn try_catch(&mut self, statement: &'a ast::TryStatement<'a>) -> Node<'a> {
        let clauses: Vec<Node<'a>> =
            statement.handler.iter().map(|handler| self.scoped(|lowerer| lowerer.catch(handler))).collect();
        let finally = statement.finalizer.as_ref().map(|finalizer| self.block(finalizer));
        let body = self.block(&statement.block);
        Node::new("TryCatchFinally")
            .with("tryClause", body)
            .with("catchClauses", clauses)
            .maybe("finallyClause", finally)
            .at(statement.span)
    }

    fn catch(&mut self, handler: &'a ast::CatchClause<'a>) -> Node<'a> {
        let exception = handler.param.as_ref().map(|parameter| match &parameter.pattern.kind {
            BindingPatternKind::BindingIdentifier(name) => {
                self.declare(name.name.as_str(), Type::Dynamic, false);
                Node::new("LocalVariable")
                    .with("name", identifier(name.name.as_str(), Some(name_span(name))))
                    .with("type", type_token("dynamic", Some(parameter.span)))
                    .at(parameter.span)
            }
            _ => self.refuse(
                parameter.span,
                "a pattern as an exception",
                "name the exception, and its parts in the block",
            ),
        });
        let body = self.block(&handler.body);
        Node::new("TryCatchClause").with("body", body).maybe("exception", exception).at(handler.span)
    }
}

/// Whether a statement never continues with the next one.
fn is_jump(statement: &Statement<'_>) -> bool {
    match statement {
        Statement::BreakStatement(_)
        | Statement::ContinueStatement(_)
        | Statement::ReturnStatement(_)
        | Statement::ThrowStatement(_) => true,
        Statement::BlockStatement(block) => block.body.last().is_some_and(is_jump),
        _ => false,
    }
}
