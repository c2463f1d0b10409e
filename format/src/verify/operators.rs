//! §14.10 Operators. Their operands and results.

use std::rc::Rc;

use super::conversion::Ty;
use super::package::Verifier;
use super::package_rules as rules;
use crate::il::{BinaryOperatorExpression, SyntaxKind, SyntaxNode, UnaryOperatorExpression};

/// The group of an operator with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BinaryGroup {
    /// `+`: adds numbers or joins strings.
    Add,
    /// Computes a number from two numbers.
    Arithmetic,
    /// Compares two numbers.
    Order,
    /// Compares any two values.
    Equality,
    /// Computes a bool from two bools.
    Logic,
    /// `=`.
    Assign,
    /// `+=`.
    AssignSum,
    /// Arithmetic and assignment.
    AssignArithmetic,
}

impl BinaryGroup {
    /// The group of an operator; `None` for an unknown one.
    pub(super) fn of(operator: &str) -> Option<BinaryGroup> {
        Some(match operator {
            "+" => BinaryGroup::Add,
            "-" | "*" | "/" | "%" | "**" | "<<" | ">>" | "&" | "|" | "^" => BinaryGroup::Arithmetic,
            "<" | "<=" | ">" | ">=" => BinaryGroup::Order,
            "==" | "!=" => BinaryGroup::Equality,
            "&&" | "||" => BinaryGroup::Logic,
            "=" => BinaryGroup::Assign,
            "+=" => BinaryGroup::AssignSum,
            "-=" | "*=" | "/=" | "%=" | "**=" | "<<=" | ">>=" | "&=" | "|=" | "^=" => {
                BinaryGroup::AssignArithmetic
            }
            _ => return None,
        })
    }
}

impl<'a> Verifier<'a> {
    pub(super) fn unary(&mut self, operation: UnaryOperatorExpression<'a>) -> Ty<'a> {
        let Some(operator) = operation.operator() else { return Ty::Unseen };
        let is_step = matches!(operator, "++" | "--");
        let ty = self.type_of(operation.operand());
        if operation.is_postfix() && !is_step {
            let finding = self.finding(&rules::EXP_POSTFIX, &["postfix"]);
            self.report(finding.expected(format!("`{operator}` before its operand")));
        }
        match operator {
            "*" => match ty {
                Ty::Pointer(element) => element.as_ref().clone(),
                ty if ty.is_open() => Ty::Unseen,
                other => {
                    self.report_operand("a pointer", &other);
                    Ty::Unseen
                }
            },
            "&" => {
                if !operation.operand().is_none_or(is_place) {
                    let finding = self.finding(&rules::EXP_ADDRESS, &["operand"]);
                    self.report(finding.expected("a load or a dereference"));
                }
                Ty::Pointer(Rc::new(ty))
            }
            "!" => {
                if !self.symbols.converts(&ty, &Ty::Bool) {
                    self.report_operand("`bool`", &ty);
                }
                Ty::Bool
            }
            "+" | "-" | "~" | "++" | "--" => {
                if is_step {
                    self.check_place("operand", operation.operand());
                }
                if !self.symbols.converts(&ty, &Ty::Number) {
                    self.report_operand("`number`", &ty);
                }
                Ty::Number
            }
            unknown => self.report_operator(unknown),
        }
    }

    pub(super) fn binary(&mut self, operation: BinaryOperatorExpression<'a>) -> Ty<'a> {
        let Some(operator) = operation.operator() else { return Ty::Unseen };
        let Some(group) = BinaryGroup::of(operator) else { return self.report_operator(operator) };
        let left = self.type_of(operation.left());
        let right = self.type_of(operation.right());
        match group {
            BinaryGroup::Add => self.sum(left, &right),
            BinaryGroup::Arithmetic => self.both([&left, &right], &Ty::Number, Ty::Number),
            BinaryGroup::Order => self.both([&left, &right], &Ty::Number, Ty::Bool),
            BinaryGroup::Logic => self.both([&left, &right], &Ty::Bool, Ty::Bool),
            BinaryGroup::Equality => Ty::Bool,
            BinaryGroup::Assign => {
                self.check_target(operation);
                if !self.symbols.converts(&right, &left) {
                    self.report_assignment(&left, &right);
                }
                left
            }
            BinaryGroup::AssignSum => {
                self.check_target(operation);
                self.sum(left, &right)
            }
            BinaryGroup::AssignArithmetic => {
                self.check_target(operation);
                if !self.symbols.converts(&left, &Ty::Number) {
                    let finding = self.finding(&rules::EXP_NUMERIC, &["left"]);
                    self.report(finding.expected("`number`").found(format!("`{left}`")));
                } else if !self.symbols.converts(&right, &left) {
                    self.report_assignment(&left, &right);
                }
                left
            }
        }
    }

    /// The type of a sum: numbers are added and strings joined. A type known only at run time may
    /// be either.
    fn sum(&mut self, left: Ty<'a>, right: &Ty<'a>) -> Ty<'a> {
        match left {
            Ty::Number | Ty::String => {
                if !self.symbols.converts(right, &left) {
                    self.report_side("right", &format!("`{left}`"), right);
                }
                left
            }
            left if left.is_open() || left == Ty::Null => {
                if matches!(right, Ty::Number | Ty::String) {
                    right.clone()
                } else {
                    left
                }
            }
            left => {
                self.report_side("left", "`number` or `string`", &left);
                Ty::Unseen
            }
        }
    }

    fn both(&mut self, sides: [&Ty<'a>; 2], wanted: &Ty<'a>, result: Ty<'a>) -> Ty<'a> {
        for (key, ty) in ["left", "right"].into_iter().zip(sides) {
            if !self.symbols.converts(ty, wanted) {
                self.report_side(key, &format!("`{wanted}`"), ty);
            }
        }
        result
    }

    /// Checks that the target of an assignment can be assigned to at this point.
    fn check_target(&mut self, operation: BinaryOperatorExpression<'a>) {
        self.check_place("left", operation.left());
    }

    fn check_place(&mut self, key: &str, operand: Option<&'a SyntaxNode>) {
        let Some(operand) = operand else { return };
        if !is_place(operand) {
            let finding = self.finding(&rules::EXP_PLACE, &[key]);
            self.report(finding.expected("a load or a dereference").found(format!("`{}`", operand.kind())));
        } else if !self.is_initializing() && self.loads_readonly(operand) {
            let finding = self.finding(&rules::EXP_READONLY, &[key]);
            self.report(finding.found("a read-only variable"));
        }
    }

    fn report_operand(&mut self, expected: &str, found: &Ty<'a>) {
        let finding = self.finding(&rules::EXP_UNARY, &["operand"]);
        self.report(finding.expected(expected).found(format!("`{found}`")));
    }

    fn report_side(&mut self, key: &str, expected: &str, found: &Ty<'a>) {
        let finding = self.finding(&rules::EXP_BINARY, &[key]);
        self.report(finding.expected(expected).found(format!("`{found}`")));
    }

    fn report_assignment(&mut self, left: &Ty<'a>, right: &Ty<'a>) {
        let finding = self.finding(&rules::EXP_ASSIGN, &["right"]);
        self.report(finding.expected(format!("`{left}`")).found(format!("`{right}`")));
    }

    fn report_operator(&mut self, operator: &str) -> Ty<'a> {
        let finding = self.finding(&rules::NAME_OPERATOR, &["operator"]);
        self.report(finding.found(format!("`{operator}`")));
        Ty::Unseen
    }
}

/// Whether the expression denotes a place that can hold a value.
fn is_place(expression: &SyntaxNode) -> bool {
    match expression.kind() {
        SyntaxKind::LoadVariableExpression
        | SyntaxKind::LoadLocationExpression
        | SyntaxKind::LoadDynamicExpression
        | SyntaxKind::TryLoadDynamicExpression => true,
        SyntaxKind::UnaryOperatorExpression => expression.text("operator") == Some("*"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operator_of_the_language_has_a_group() {
        let operators = [
            "+", "-", "*", "/", "%", "**", "<<", ">>", "&", "|", "^", "=", "+=", "-=", "*=", "/=", "%=",
            "**=", "<<=", ">>=", "&=", "|=", "^=", "&&", "||", "<", "<=", ">", ">=", "==", "!=",
        ];
        for operator in operators {
            assert!(BinaryGroup::of(operator).is_some(), "{operator}");
        }
        for operator in ["===", "!==", ">>>", "??", ""] {
            assert_eq!(BinaryGroup::of(operator), None, "{operator}");
        }
    }
}
