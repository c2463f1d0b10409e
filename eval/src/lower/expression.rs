//! §19.7 Expressions.

use super::target::Target;
use super::{Lowered, Lowering};
use crate::code::{BinaryOp, Construction, Lambda, Op, Operand, UnaryOp};
use crate::program::{Function, FunctionSource, parameters_of, signature_of};
use coconut_format::il::{SyntaxKind, SyntaxNode};
use coconut_format::names::literal_key;
use std::rc::Rc;

impl Lowering<'_> {
    /// Pushes the value of an expression.
    pub(super) fn expression(&mut self, node: &SyntaxNode) -> Lowered {
        let before = self.enter(node);
        let result = self.value(node);
        self.body().location = before;
        result
    }

    /// Evaluates an expression for its effect.
    pub(super) fn effect(&mut self, node: &SyntaxNode) -> Lowered {
        let before = self.enter(node);
        let result = match node.kind() {
            // The old value is not needed, so it is not kept.
            SyntaxKind::UnaryOperatorExpression if step(node).is_some() => self.step(node, false),
            _ => self.value(node),
        };
        self.emit(Op::Pop);
        self.body().location = before;
        result
    }

    fn value(&mut self, node: &SyntaxNode) -> Lowered {
        match node.kind() {
            SyntaxKind::NullLiteral => drop(self.emit(Op::Null)),
            SyntaxKind::BoolLiteral => drop(self.emit(Op::Bool(node.flag("value")))),
            SyntaxKind::NumberLiteral => {
                let value = match node.value("value") {
                    Some(coconut_format::Value::Integer(integer)) => integer.as_f64(),
                    Some(coconut_format::Value::Float(value)) => *value,
                    _ => 0.0,
                };
                let op = self.number(value);
                self.emit(op);
            }
            SyntaxKind::StringLiteral => {
                let text = self.literal(node.text("value").unwrap_or_default())?;
                self.emit(Op::Text(text));
            }
            SyntaxKind::ArrayLiteral => return self.array(node),
            SyntaxKind::ObjectLiteral => return self.object(node),
            SyntaxKind::LoadLocationExpression
            | SyntaxKind::LoadDynamicExpression
            | SyntaxKind::TryLoadDynamicExpression
            | SyntaxKind::LoadVariableExpression => {
                if let Some(target) = self.target(node, false)? {
                    self.load(target);
                }
            }
            SyntaxKind::NewExpression => return self.construction(node),
            SyntaxKind::InvokeFunctionExpression => return self.call(node),
            SyntaxKind::LambdaExpression => return self.lambda(node),
            SyntaxKind::UnaryOperatorExpression => return self.unary(node),
            SyntaxKind::BinaryOperatorExpression => return self.binary(node),
            SyntaxKind::CastExpression | SyntaxKind::IsInstExpression => {
                self.needed(node, "expression")?;
                let Some(ty) = node.token("type") else { return self.fail("a conversion without a type") };
                let ty = self.name(ty);
                let is_cast = node.kind() == SyntaxKind::CastExpression;
                self.emit(if is_cast { Op::Cast(ty) } else { Op::IsInstance(ty) });
            }
            SyntaxKind::TypeOfExpression => {
                self.needed(node, "expression")?;
                self.emit(Op::TypeOf);
            }
            SyntaxKind::ConditionalExpression => {
                self.needed(node, "condition")?;
                let unless = self.emit(Op::JumpUnless(0));
                self.needed(node, "consequent")?;
                let end = self.emit(Op::Jump(0));
                self.patch(unless);
                self.needed(node, "alternate")?;
                self.patch(end);
            }
            SyntaxKind::SequenceExpression => return self.sequence(node),
            kind => return self.fail(&format!("a node `{kind}` is not an expression")),
        }
        Ok(())
    }

    fn sequence(&mut self, node: &SyntaxNode) -> Lowered {
        // Nested functions are declared in a prelude, and are known in the scope around it.
        for item in node.nodes("prelude") {
            self.statement(item)?;
        }
        let mut early = node.nodes("expressions").peekable();
        if early.peek().is_some() {
            while let Some(expression) = early.next() {
                match early.peek() {
                    Some(_) => self.effect(expression)?,
                    None => self.expression(expression)?,
                }
            }
            return Ok(());
        }
        self.needed(node, "value")
    }

    fn array(&mut self, node: &SyntaxNode) -> Lowered {
        let element = node.token("elemType").map(|element| format!("[]{element}"));
        let ty = element.or_else(|| node.token("type").map(str::to_owned));
        let ty = self.name(ty.as_deref().unwrap_or("[]dynamic"));
        let elements: Vec<&SyntaxNode> = node.nodes("elements").collect();
        match (node.node("size"), elements.is_empty()) {
            (Some(size), true) => {
                self.expression(size)?;
                self.emit(Op::SizedArray(ty));
            }
            (size, _) => {
                // If there are elements, the size is only evaluated for its effects.
                if let Some(size) = size {
                    self.effect(size)?;
                }
                for element in &elements {
                    self.expression(element)?;
                }
                let arrays = &mut self.body().code.arrays;
                arrays.push((ty, u32::try_from(elements.len()).unwrap_or(u32::MAX)));
                let array = u32::try_from(arrays.len() - 1).unwrap_or(u32::MAX);
                self.emit(Op::Array(array));
            }
        }
        Ok(())
    }

    fn object(&mut self, node: &SyntaxNode) -> Lowered {
        let ty = self.name(node.token("type").unwrap_or("object"));
        let properties = u16::try_from(node.nodes("properties").count()).unwrap_or(u16::MAX);
        self.emit(Op::Object { ty, properties });
        for property in node.nodes("properties") {
            let before = self.enter(property);
            if property.kind() == SyntaxKind::ObjectLiteralComputedProperty {
                self.needed(property, "property")?;
                self.needed(property, "value")?;
                self.emit(Op::InitComputed);
            } else {
                let token = property.token("property").or_else(|| property.token("name"));
                let Some(token) = token else { return self.fail("a property without a name") };
                let name = self.name(literal_key(node.token("type"), token));
                self.needed(property, "value")?;
                self.emit(Op::Init(name));
            }
            self.body().location = before;
        }
        Ok(())
    }

    fn lambda(&mut self, node: &SyntaxNode) -> Lowered {
        let parameters = parameters_of(node, self.names);
        self.begin(&parameters, false);
        if let Some(body) = node.node("body") {
            self.statement(body)?;
        }
        self.emit(Op::ReturnNothing);
        let (code, outer) = self.end();
        let signature = signature_of(node, self.names);
        let function = Function {
            token: format!("{}:<lambda>", self.token).into(),
            signature,
            parameters,
            module: self.module,
            class: self.class,
            has_this: false,
            intrinsic: None,
            source: FunctionSource::Lambda {
                text: node.text("sourceText").map(Into::into),
                language: node.text("sourceLanguage").map(Into::into),
                outer: outer.iter().map(|(name, _)| *name).collect(),
            },
            code: Some(Rc::new(code)),
        };
        self.functions.push(function);
        let function = u32::try_from(self.functions.len() - 1).unwrap_or(u32::MAX);
        let captures = outer.into_iter().map(|(_, variable)| variable).collect();
        let lambdas = &mut self.body().code.lambdas;
        lambdas.push(Lambda { function, captures });
        let lambda = u32::try_from(lambdas.len() - 1).unwrap_or(u32::MAX);
        self.emit(Op::Closure(lambda));
        Ok(())
    }

    fn call(&mut self, node: &SyntaxNode) -> Lowered {
        let arguments: Vec<&SyntaxNode> = arguments_of(node).map(|(_, argument)| argument).collect();
        let Ok(count) = u16::try_from(arguments.len()) else {
            return self.fail("a call of more than 65,535 arguments");
        };
        let function = node.node("function");
        let callee = match function {
            Some(function) if is_place(function) => {
                let before = self.enter(function);
                let target = self.target(function, false)?;
                self.body().location = before;
                target
            }
            Some(function) => {
                self.expression(function)?;
                None
            }
            None => return self.fail("a call without a function"),
        };
        let op = match callee {
            Some(Target::Member(name)) => Op::CallMember { name, arguments: count },
            Some(Target::Super(name)) => Op::CallSuper { name, arguments: count },
            Some(Target::Index { tolerant }) => Op::CallIndex { tolerant, arguments: count },
            Some(target) => {
                self.load(target);
                Op::Call(count)
            }
            None => Op::Call(count),
        };
        arguments.into_iter().try_for_each(|argument| self.expression(argument))?;
        self.emit(op);
        Ok(())
    }

    fn construction(&mut self, node: &SyntaxNode) -> Lowered {
        let Some(ty) = node.token("type") else { return self.fail("`new` without a type") };
        let ty = self.name(ty);
        let mut names = Vec::new();
        for (name, argument) in arguments_of(node) {
            names.push(name.map(|name| self.name(name)));
            self.expression(argument)?;
        }
        let Ok(arguments) = u16::try_from(names.len()) else {
            return self.fail("a call of more than 65,535 arguments");
        };
        let constructions = &mut self.body().code.constructions;
        constructions.push(Construction { ty, arguments, names });
        let construction = u32::try_from(constructions.len() - 1).unwrap_or(u32::MAX);
        self.emit(Op::New(construction));
        Ok(())
    }

    fn unary(&mut self, node: &SyntaxNode) -> Lowered {
        if step(node).is_some() {
            return self.step(node, node.flag("postfix"));
        }
        let op = match node.text("operator") {
            Some("+") => UnaryOp::Plus,
            Some("-") => UnaryOp::Minus,
            Some("!") => UnaryOp::Not,
            Some("~") => UnaryOp::Complement,
            Some("*") => {
                self.needed(node, "operand")?;
                self.emit(Op::LoadPointer);
                return Ok(());
            }
            Some("&") => return self.address(node),
            operator => {
                let text = format!("there is no unary operator `{}`", operator.unwrap_or_default());
                return self.fail(&text);
            }
        };
        self.needed(node, "operand")?;
        self.emit(Op::Unary(op));
        Ok(())
    }

    /// `++` and `--`. With `keeps_old`, the result is the old value.
    fn step(&mut self, node: &SyntaxNode, keeps_old: bool) -> Lowered {
        let Some(op) = step(node) else { return Ok(()) };
        let Some(operand) = node.node("operand") else { return self.fail("an operator without an operand") };
        let Some(target) = self.target(operand, true)? else { return Ok(()) };
        match target.operands() {
            1 => drop(self.emit(Op::Dup)),
            2 => drop(self.emit(Op::Dup2)),
            _ => {}
        }
        self.load(target);
        if keeps_old {
            self.emit(match target.operands() {
                0 => Op::Dup,
                1 => Op::Under1,
                _ => Op::Under2,
            });
        }
        self.emit(Op::Unary(op));
        self.store(target);
        if keeps_old {
            self.emit(Op::Pop);
        }
        Ok(())
    }

    fn binary(&mut self, node: &SyntaxNode) -> Lowered {
        let operator = node.text("operator").unwrap_or_default();
        match operator {
            "=" => {
                let Some(left) = node.node("left") else { return self.fail("an assignment to nothing") };
                let target = self.target(left, true)?;
                self.needed(node, "right")?;
                if let Some(target) = target {
                    self.store(target);
                }
                return Ok(());
            }
            "&&" | "||" => {
                self.needed(node, "left")?;
                let jump = self.emit(if operator == "&&" { Op::And(0) } else { Op::Or(0) });
                self.needed(node, "right")?;
                self.patch(jump);
                return Ok(());
            }
            _ => {}
        }
        if let Some(op) = BinaryOp::from_text(operator) {
            self.needed(node, "left")?;
            self.needed(node, "right")?;
            self.emit(Op::Compute { op, left: Operand::Stack, right: Operand::Stack });
            return Ok(());
        }
        let compound = operator.strip_suffix('=').and_then(BinaryOp::from_text).filter(|op| !op.compares());
        let Some(op) = compound else {
            return self.fail(&format!("there is no binary operator `{operator}`"));
        };
        let Some(left) = node.node("left") else { return self.fail("an assignment to nothing") };
        let Some(target) = self.target(left, true)? else { return Ok(()) };
        match target.operands() {
            1 => drop(self.emit(Op::Dup)),
            2 => drop(self.emit(Op::Dup2)),
            _ => {}
        }
        self.load(target);
        self.needed(node, "right")?;
        self.emit(Op::Compute { op, left: Operand::Stack, right: Operand::Stack });
        self.store(target);
        Ok(())
    }
}

/// `++` and `--`.
fn step(node: &SyntaxNode) -> Option<UnaryOp> {
    match node.text("operator")? {
        "++" => Some(UnaryOp::Increment),
        "--" => Some(UnaryOp::Decrement),
        _ => None,
    }
}

/// Names and values of arguments, in any dialect.
fn arguments_of(node: &SyntaxNode) -> impl Iterator<Item = (Option<&str>, &SyntaxNode)> {
    node.nodes("arguments").filter_map(|argument| match argument.kind() {
        SyntaxKind::CallArgument => argument.node("expr").map(|value| (argument.token("name"), value)),
        _ => Some((None, argument)),
    })
}

fn is_place(node: &SyntaxNode) -> bool {
    matches!(
        node.kind(),
        SyntaxKind::LoadLocationExpression
            | SyntaxKind::LoadDynamicExpression
            | SyntaxKind::TryLoadDynamicExpression
            | SyntaxKind::LoadVariableExpression
    )
}
