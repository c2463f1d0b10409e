//! Assignments and their targets.

use super::{Lowerer, Typed};
use crate::declare::private_name;
use crate::fault::FaultCode;
use crate::il::{Node, binary, null};
use crate::static_type::Type;
use oxc_ast::ast::{self, AssignmentOperator, AssignmentTarget, SimpleAssignmentTarget, UpdateOperator};
use oxc_span::{GetSpan, Span};

impl<'a> Lowerer<'_, 'a> {
    pub(super) fn assignment(&mut self, assignment: &'a ast::AssignmentExpression<'a>) -> Typed<'a> {
        if self.is_mended() && assignment.left.is_assignment_target_pattern() {
            return self.pattern_assignment(&assignment.left, &assignment.right, assignment.span);
        }
        if self.is_mended()
            && let Some(result) = self.mended_assignment(assignment)
        {
            return result;
        }
        let Some(operator) = assignment_operator(assignment.operator) else {
            let help = "write the condition and the assignment separately";
            return (self.refuse(assignment.span, "a logical assignment", help), Type::Dynamic);
        };
        let (target, target_type) = self.target(&assignment.left);
        let (value, ty) = self.expression(&assignment.right, Some(&target_type));
        let result = match operator {
            "=" => ty,
            "+=" if target_type.is_text() || ty.is_text() => Type::String,
            _ => Type::Number,
        };
        (binary(operator, target, value, Some(assignment.span)), result)
    }

    /// Assignments whose operator packages do not have, or have with another meaning.
    fn mended_assignment(&mut self, assignment: &'a ast::AssignmentExpression<'a>) -> Option<Typed<'a>> {
        let place = Some(assignment.span);
        match assignment.operator {
            AssignmentOperator::Assign => return None,
            AssignmentOperator::ShiftRightZeroFill => {
                let node = self.refuse(assignment.span, "`>>>=`", "use `>>=`");
                return Some((node, Type::Number));
            }
            _ => {}
        }
        let (target, target_type) = self.assigned(&assignment.left);
        if !is_repeatable(&target) {
            let help = "assign to a variable, or to a property of one";
            let node = self.refuse(assignment.span, "an assignment that computes its target", help);
            return Some((node, Type::Dynamic));
        }
        let (value, ty) = self.expression(&assignment.right, Some(&target_type));
        let (result, result_type) = match assignment.operator {
            AssignmentOperator::Addition => self.sum((target.clone(), target_type), (value, ty), place),
            AssignmentOperator::Remainder => self.helper("remainder", vec![target.clone(), value], place),
            AssignmentOperator::LogicalNullish => {
                let test = binary("!=", target.clone(), null(None), place);
                (
                    super::mended::choice(test, target.clone(), value, place),
                    self.unit.union([target_type.non_null(), ty]),
                )
            }
            AssignmentOperator::LogicalAnd => {
                let test = self.as_condition(target.clone(), &target_type);
                (
                    super::mended::choice(test, value, target.clone(), place),
                    self.unit.union([target_type, ty]),
                )
            }
            AssignmentOperator::LogicalOr => {
                let test = self.as_condition(target.clone(), &target_type);
                (
                    super::mended::choice(test, target.clone(), value, place),
                    self.unit.union([target_type, ty]),
                )
            }
            operator => {
                let operator = assignment_operator(operator).unwrap_or("=");
                (binary(operator.trim_end_matches('='), target.clone(), value, place), Type::Number)
            }
        };
        Some((binary("=", target, result, place), result_type))
    }

    /// The target of an assignment, lowered as a load.
    pub(super) fn assigned(&mut self, target: &'a AssignmentTarget<'a>) -> Typed<'a> {
        self.target(target)
    }

    fn target(&mut self, target: &'a AssignmentTarget<'a>) -> Typed<'a> {
        match target.as_simple_assignment_target() {
            Some(target) => self.simple_target(target),
            None => {
                let help = "assign the parts one by one";
                (self.refuse(target.span(), "a pattern as the target of an assignment", help), Type::Dynamic)
            }
        }
    }

    fn simple_target(&mut self, target: &'a SimpleAssignmentTarget<'a>) -> Typed<'a> {
        match target {
            SimpleAssignmentTarget::AssignmentTargetIdentifier(name) => {
                self.assigned_name(name.name.as_str(), name.span)
            }
            SimpleAssignmentTarget::StaticMemberExpression(member) => self.member(member),
            SimpleAssignmentTarget::ComputedMemberExpression(member) => self.computed_member(member),
            SimpleAssignmentTarget::PrivateFieldExpression(member) => {
                let field = &member.field;
                self.member_of(&member.object, private_name(self.unit.arena, field), field.span, member.span)
            }
            SimpleAssignmentTarget::TSNonNullExpression(inner) => self.expression(&inner.expression, None),
            SimpleAssignmentTarget::TSAsExpression(inner) => self.expression(&inner.expression, None),
            SimpleAssignmentTarget::TSSatisfiesExpression(inner) => self.expression(&inner.expression, None),
            SimpleAssignmentTarget::TSTypeAssertion(inner) => self.expression(&inner.expression, None),
        }
    }

    /// A variable that is assigned to.
    pub(super) fn assigned_name(&mut self, name: &'a str, span: Span) -> Typed<'a> {
        self.check_assignable(name, span);
        self.name(name, span)
    }

    fn check_assignable(&self, name: &str, span: Span) {
        let help = "declare it with `let`";
        if let Some(local) = self.local(name) {
            if local.is_const {
                self.fault(FaultCode::Constant, span, format!("`{name}` is a constant"), help);
            }
            return;
        }
        let module = self.unit.module(self.module);
        match module.values.get(name) {
            Some(crate::unit::Binding::Member(member)) => match self.unit.member(*member).declared {
                crate::unit::Declared::Variable { kind, .. }
                    if kind != ast::VariableDeclarationKind::Const => {}
                crate::unit::Declared::Variable { .. } => {
                    self.fault(FaultCode::Constant, span, format!("`{name}` is a constant"), help);
                }
                _ => {
                    let help = "assign to a variable";
                    self.fault(FaultCode::Constant, span, format!("`{name}` is not a variable"), help);
                }
            },
            Some(_) => {
                let help = "export a function that assigns to it, and call that";
                self.fault(FaultCode::Constant, span, format!("`{name}` is imported"), help);
            }
            None => {}
        }
    }

    pub(super) fn update(&mut self, operation: &'a ast::UpdateExpression<'a>) -> Typed<'a> {
        let operator = match operation.operator {
            UpdateOperator::Increment => "++",
            UpdateOperator::Decrement => "--",
        };
        let (operand, _) = self.simple_target(&operation.argument);
        (self.unary_node(operator, !operation.prefix, operand, Some(operation.span)), Type::Number)
    }
}

fn assignment_operator(operator: AssignmentOperator) -> Option<&'static str> {
    Some(match operator {
        AssignmentOperator::ShiftRight | AssignmentOperator::ShiftRightZeroFill => ">>=",
        AssignmentOperator::LogicalAnd
        | AssignmentOperator::LogicalOr
        | AssignmentOperator::LogicalNullish => {
            return None;
        }
        operator => operator.as_str(),
    })
}

/// Whether a target can be loaded before it is assigned to, without doing anything twice.
fn is_repeatable(target: &Node<'_>) -> bool {
    match target.kind {
        "InvokeFunctionExpression" | "NewExpression" | "SequenceExpression" | "LambdaExpression" => false,
        "UnaryOperatorExpression" | "BinaryOperatorExpression" => false,
        _ => target.fields.iter().all(|(_, field)| match field {
            crate::il::Il::Node(node) => is_repeatable(node),
            _ => true,
        }),
    }
}
