//! The text of a function as the compilers of 2017 wrote it: without types, in the language of
//! 2009, in the layout of TypeScript.
//!
//! This has only the syntax whose output is certain. The text of any other function is that of the
//! program.

use crate::source::Source;
use oxc_ast::ast::{
    self, Argument, BindingPatternKind, Expression, ForStatementInit, Statement, VariableDeclarationKind,
};
use oxc_span::{GetSpan, Span};

/// The text of an arrow function; `None` if it is not certain.
pub(super) fn text_of_arrow(arrow: &ast::ArrowFunctionExpression<'_>, source: &Source<'_>) -> Option<String> {
    let text = source.slice(arrow.span);
    // Comments are kept at places that depend on the lines around.
    if text.contains("//") || text.contains("/*") {
        return None;
    }
    let mut printer = Printer { source, out: String::from("("), indent: 0, names: Vec::new() };
    printer.arrow(arrow)?;
    printer.out.push_str(");\n");
    Some(printer.out)
}

struct Printer<'s> {
    source: &'s Source<'s>,
    out: String,
    indent: usize,
    /// Declared names. A second one may get another name.
    names: Vec<String>,
}

impl Printer<'_> {
    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn line(&mut self) {
        self.out.push('\n');
        self.out.push_str(&"    ".repeat(self.indent));
    }

    fn is_one_line(&self, span: Span) -> bool {
        !self.source.slice(span).contains(['\n', '\r'])
    }

    fn declare(&mut self, name: &str) -> Option<()> {
        if self.names.iter().any(|known| known == name) {
            return None;
        }
        self.names.push(name.to_owned());
        self.push(name);
        Some(())
    }

    fn arrow(&mut self, arrow: &ast::ArrowFunctionExpression<'_>) -> Option<()> {
        if arrow.r#async {
            return None;
        }
        self.push("function ");
        self.parameters(&arrow.params)?;
        match (arrow.expression, arrow.body.statements.first()) {
            (true, Some(Statement::ExpressionStatement(value))) => {
                self.push(" { return ");
                self.expression(&value.expression)?;
                self.push("; }");
                Some(())
            }
            (true, _) => None,
            (false, _) => self.body(&arrow.body),
        }
    }

    fn function(&mut self, function: &ast::Function<'_>) -> Option<()> {
        if function.r#async || function.generator {
            return None;
        }
        self.push("function ");
        if let Some(name) = &function.id {
            self.declare(name.name.as_str())?;
        }
        self.parameters(&function.params)?;
        self.body(function.body.as_deref()?)
    }

    fn parameters(&mut self, parameters: &ast::FormalParameters<'_>) -> Option<()> {
        if parameters.rest.is_some() {
            return None;
        }
        self.push("(");
        for (number, parameter) in parameters.items.iter().enumerate() {
            if number > 0 {
                self.push(", ");
            }
            match &parameter.pattern.kind {
                BindingPatternKind::BindingIdentifier(name) => self.declare(name.name.as_str())?,
                _ => return None,
            }
        }
        self.push(")");
        Some(())
    }

    fn body(&mut self, body: &ast::FunctionBody<'_>) -> Option<()> {
        if !body.directives.is_empty() {
            return None;
        }
        self.push(" {");
        match self.is_one_line(body.span) {
            true => {
                for statement in &body.statements {
                    self.push(" ");
                    self.statement(statement)?;
                }
                self.push(" }");
            }
            false => self.lines(&body.statements)?,
        }
        Some(())
    }

    fn lines(&mut self, statements: &[Statement<'_>]) -> Option<()> {
        self.indent += 1;
        for statement in statements {
            self.line();
            self.statement(statement)?;
        }
        self.indent -= 1;
        self.line();
        self.push("}");
        Some(())
    }

    fn statement(&mut self, statement: &Statement<'_>) -> Option<()> {
        match statement {
            Statement::BlockStatement(block) => {
                self.push("{");
                match block.body.is_empty() && self.is_one_line(block.span) {
                    true => self.push(" }"),
                    false => self.lines(&block.body)?,
                }
            }
            Statement::ExpressionStatement(statement) => {
                // One that begins so would be another statement.
                if matches!(statement.expression, Expression::ParenthesizedExpression(_)) {
                    return None;
                }
                self.expression(&statement.expression)?;
                self.push(";");
            }
            Statement::VariableDeclaration(variables) => {
                self.variables(variables)?;
                self.push(";");
            }
            Statement::FunctionDeclaration(function) => self.function(function)?,
            Statement::ReturnStatement(statement) => {
                self.with_value("return", statement.argument.as_ref())?;
            }
            Statement::ThrowStatement(statement) => {
                self.with_value("throw", Some(&statement.argument))?;
            }
            Statement::IfStatement(statement) => {
                self.push("if (");
                self.expression(&statement.test)?;
                self.push(")");
                self.embedded(&statement.consequent)?;
                if let Some(other) = &statement.alternate {
                    self.line();
                    self.push("else");
                    match other {
                        Statement::IfStatement(_) => {
                            self.push(" ");
                            self.statement(other)?;
                        }
                        other => self.embedded(other)?,
                    }
                }
            }
            Statement::WhileStatement(statement) => {
                self.push("while (");
                self.expression(&statement.test)?;
                self.push(")");
                self.embedded(&statement.body)?;
            }
            Statement::ForStatement(statement) => {
                self.push("for (");
                match &statement.init {
                    Some(ForStatementInit::VariableDeclaration(variables)) => self.variables(variables)?,
                    Some(init) => self.expression(init.as_expression()?)?,
                    None => {}
                }
                self.push(";");
                for part in [&statement.test, &statement.update] {
                    if let Some(part) = part {
                        self.push(" ");
                        self.expression(part)?;
                    }
                    if std::ptr::eq(part, &statement.test) {
                        self.push(";");
                    }
                }
                self.push(")");
                self.embedded(&statement.body)?;
            }
            Statement::BreakStatement(statement) if statement.label.is_none() => self.push("break;"),
            Statement::ContinueStatement(statement) if statement.label.is_none() => self.push("continue;"),
            _ => return None,
        }
        Some(())
    }

    fn with_value(&mut self, word: &str, value: Option<&Expression<'_>>) -> Option<()> {
        self.push(word);
        if let Some(value) = value {
            self.push(" ");
            self.expression(value)?;
        }
        self.push(";");
        Some(())
    }

    /// A statement after a condition.
    fn embedded(&mut self, statement: &Statement<'_>) -> Option<()> {
        match statement {
            Statement::BlockStatement(_) => {
                self.push(" ");
                self.statement(statement)
            }
            statement => {
                self.indent += 1;
                self.line();
                self.statement(statement)?;
                self.indent -= 1;
                Some(())
            }
        }
    }

    fn variables(&mut self, variables: &ast::VariableDeclaration<'_>) -> Option<()> {
        if matches!(variables.kind, VariableDeclarationKind::Using | VariableDeclarationKind::AwaitUsing) {
            return None;
        }
        self.push("var ");
        for (number, declarator) in variables.declarations.iter().enumerate() {
            if number > 0 {
                self.push(", ");
            }
            let BindingPatternKind::BindingIdentifier(name) = &declarator.id.kind else { return None };
            self.declare(name.name.as_str())?;
            if let Some(value) = &declarator.init {
                self.push(" = ");
                self.expression(value)?;
            }
        }
        Some(())
    }

    fn expression(&mut self, expression: &Expression<'_>) -> Option<()> {
        let is_function = matches!(
            expression,
            Expression::FunctionExpression(_)
                | Expression::ArrowFunctionExpression(_)
                | Expression::CallExpression(_)
        );
        if !is_function && !self.is_one_line(expression.span()) {
            return None;
        }
        match expression {
            Expression::BooleanLiteral(_)
            | Expression::NullLiteral(_)
            | Expression::NumericLiteral(_)
            | Expression::StringLiteral(_)
            | Expression::Identifier(_) => {
                let text = self.source.slice(expression.span()).to_owned();
                self.push(&text);
            }
            Expression::ParenthesizedExpression(inner) => {
                self.push("(");
                self.expression(&inner.expression)?;
                self.push(")");
            }
            Expression::TSNonNullExpression(inner) => self.expression(&inner.expression)?,
            Expression::ArrowFunctionExpression(arrow) => self.arrow(arrow)?,
            Expression::FunctionExpression(function) => self.function(function)?,
            Expression::StaticMemberExpression(member) if !member.optional => {
                self.expression(&member.object)?;
                self.push(".");
                self.push(member.property.name.as_str());
            }
            Expression::ComputedMemberExpression(member) if !member.optional => {
                self.expression(&member.object)?;
                self.push("[");
                self.expression(&member.expression)?;
                self.push("]");
            }
            Expression::CallExpression(call) if !call.optional => {
                self.expression(&call.callee)?;
                self.arguments(&call.arguments)?;
            }
            Expression::NewExpression(new) => {
                self.push("new ");
                self.expression(&new.callee)?;
                self.arguments(&new.arguments)?;
            }
            Expression::ArrayExpression(list) => {
                self.push("[");
                for (number, element) in list.elements.iter().enumerate() {
                    if number > 0 {
                        self.push(", ");
                    }
                    self.expression(element.as_expression()?)?;
                }
                self.push("]");
            }
            Expression::BinaryExpression(operation) => {
                self.expression(&operation.left)?;
                self.push(&format!(" {} ", operation.operator.as_str()));
                self.expression(&operation.right)?;
            }
            Expression::LogicalExpression(operation)
                if operation.operator != ast::LogicalOperator::Coalesce =>
            {
                self.expression(&operation.left)?;
                self.push(&format!(" {} ", operation.operator.as_str()));
                self.expression(&operation.right)?;
            }
            Expression::ConditionalExpression(choice) => {
                self.expression(&choice.test)?;
                self.push(" ? ");
                self.expression(&choice.consequent)?;
                self.push(" : ");
                self.expression(&choice.alternate)?;
            }
            Expression::AssignmentExpression(assignment) if !assignment.operator.is_logical() => {
                self.target(assignment.left.as_simple_assignment_target()?)?;
                self.push(&format!(" {} ", assignment.operator.as_str()));
                self.expression(&assignment.right)?;
            }
            Expression::UpdateExpression(update) => {
                if update.prefix {
                    self.push(update.operator.as_str());
                }
                self.target(&update.argument)?;
                if !update.prefix {
                    self.push(update.operator.as_str());
                }
            }
            Expression::UnaryExpression(operation) => {
                let word = operation.operator.as_str();
                self.push(word);
                if word.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
                    self.push(" ");
                }
                self.expression(&operation.argument)?;
            }
            _ => return None,
        }
        Some(())
    }

    fn arguments(&mut self, arguments: &[Argument<'_>]) -> Option<()> {
        self.push("(");
        for (number, argument) in arguments.iter().enumerate() {
            if number > 0 {
                self.push(", ");
            }
            self.expression(argument.as_expression()?)?;
        }
        self.push(")");
        Some(())
    }

    fn target(&mut self, target: &ast::SimpleAssignmentTarget<'_>) -> Option<()> {
        match target {
            ast::SimpleAssignmentTarget::AssignmentTargetIdentifier(name) => self.push(name.name.as_str()),
            ast::SimpleAssignmentTarget::StaticMemberExpression(member) => {
                self.expression(&member.object)?;
                self.push(".");
                self.push(member.property.name.as_str());
            }
            _ => return None,
        }
        Some(())
    }
}
