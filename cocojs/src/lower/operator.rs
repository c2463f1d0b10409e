//! Operators that compute a value.

use super::{Lowerer, Typed};
use crate::il::{Node, binary, null, type_token};
use crate::static_type::Type;
use crate::unit::{ForeignMember, Space, Symbol};
use oxc_ast::ast::{self, BinaryOperator, Expression, LogicalOperator, UnaryOperator};
use oxc_span::{GetSpan, Span};

impl<'a> Lowerer<'_, 'a> {
    pub(super) fn binary(&mut self, operation: &'a ast::BinaryExpression<'a>) -> Typed<'a> {
        let span = operation.span;
        if operation.operator == BinaryOperator::Instanceof {
            return self.instance_test(operation);
        }
        if self.is_mended() && operation.operator == BinaryOperator::In {
            let (key, _) = self.expression(&operation.left, None);
            let (object, _) = self.expression(&operation.right, None);
            return self.helper("contains", vec![object, key], Some(span));
        }
        if self.is_mended() && operation.operator == BinaryOperator::ShiftRightZeroFill {
            return (self.refuse(span, "`>>>`", "use `>>`"), Type::Number);
        }
        let Some(operator) = binary_operator(operation.operator) else {
            return (self.refuse(span, "`in`", "compare the property with `undefined`"), Type::Bool);
        };
        let (left, left_type) = self.expression(&operation.left, None);
        let (right, right_type) = self.expression(&operation.right, None);
        if self.is_mended() && operator == "+" {
            return self.sum((left, left_type), (right, right_type), Some(span));
        }
        if self.is_mended() && operator == "%" {
            return self.helper("remainder", vec![left, right], Some(span));
        }
        // The rules of packages (§14.10) order only numbers; an evaluation orders texts, too.
        let (left, right) = match operator {
            "<" | "<=" | ">" | ">=" if self.is_mended() => {
                (untyped_text(left, &left_type), untyped_text(right, &right_type))
            }
            _ => (left, right),
        };
        let ty = match operator {
            "<" | "<=" | ">" | ">=" | "==" | "!=" => Type::Bool,
            "+" if left_type.is_text() || right_type.is_text() => Type::String,
            "+" if left_type == Type::Dynamic || right_type == Type::Dynamic => Type::Dynamic,
            _ => Type::Number,
        };
        (binary(operator, left, right, Some(span)), ty)
    }

    fn instance_test(&mut self, operation: &'a ast::BinaryExpression<'a>) -> Typed<'a> {
        let class = match self.unit.symbol_of(self.module, &operation.right, Space::Value) {
            Some(Symbol::Member(member)) => Some(self.unit.member_token(member)),
            Some(Symbol::Foreign(ForeignMember::Class(class))) => Some(self.unit.class(class).token),
            _ => match &operation.right {
                Expression::Identifier(name) if self.is_compatible() => {
                    Some(self.unit.library_token(name.name.as_str()))
                }
                Expression::Identifier(name) if !self.is_library => {
                    let class = self.unit.helper_class(name.name.as_str());
                    class.map(|class| self.unit.class(class).token)
                }
                _ => None,
            },
        };
        let (value, _) = self.expression(&operation.left, None);
        let Some(class) = class else {
            let help = "name a class that is declared or imported";
            return (
                self.refuse(operation.right.span(), "`instanceof` with a value that is not a class", help),
                Type::Bool,
            );
        };
        let node =
            Node::new("IsInstExpression").with("expression", value).with("type", type_token(class, None));
        (node, Type::Bool)
    }

    pub(super) fn logical(&mut self, operation: &'a ast::LogicalExpression<'a>) -> Typed<'a> {
        if self.is_mended() {
            return self.logical_value(operation);
        }
        let operator = match operation.operator {
            LogicalOperator::And => "&&",
            LogicalOperator::Or => "||",
            LogicalOperator::Coalesce => {
                let help = "compare with `null` first";
                return (self.refuse(operation.span, "`??`", help), Type::Dynamic);
            }
        };
        let (left, left_type) = self.expression(&operation.left, None);
        let (right, right_type) = self.expression(&operation.right, None);
        let ty = match operator {
            "&&" => right_type,
            _ => self.unit.union([left_type, right_type]),
        };
        (binary(operator, left, right, Some(operation.span)), ty)
    }

    pub(super) fn unary(&mut self, operation: &'a ast::UnaryExpression<'a>) -> Typed<'a> {
        let span = operation.span;
        let (operator, ty) = match operation.operator {
            UnaryOperator::UnaryPlus => ("+", Type::Number),
            UnaryOperator::UnaryNegation => ("-", Type::Number),
            UnaryOperator::BitwiseNot => ("~", Type::Number),
            UnaryOperator::LogicalNot if self.is_mended() => {
                let operand = self.condition_of(&operation.argument);
                return (self.unary_node("!", false, operand, Some(span)), Type::Bool);
            }
            UnaryOperator::LogicalNot => ("!", Type::Bool),
            UnaryOperator::Typeof => {
                let (operand, _) = self.expression(&operation.argument, None);
                if self.is_mended() {
                    let (node, _) = self.helper("typeName", vec![operand], Some(span));
                    return (node, Type::String);
                }
                return (Node::new("TypeOfExpression").with("expression", operand).at(span), Type::String);
            }
            UnaryOperator::Void => {
                return (self.refuse(span, "`void`", "use `undefined`"), Type::Null);
            }
            UnaryOperator::Delete if self.is_mended() => {
                let help = "assign `undefined`, or make an object without the property";
                return (self.refuse(span, "`delete`", help), Type::Bool);
            }
            UnaryOperator::Delete => {
                let (target, _) = self.expression(&operation.argument, None);
                let node = Node::new("BinaryOperatorExpression")
                    .with("left", target)
                    .with("operator", "=")
                    .with("right", null(None))
                    .at(span);
                return (node, Type::Bool);
            }
        };
        let (operand, _) = self.expression(&operation.argument, None);
        (self.unary_node(operator, false, operand, Some(span)), ty)
    }

    pub(super) fn unary_node(
        &self,
        operator: &'a str,
        postfix: bool,
        operand: Node<'a>,
        place: Option<Span>,
    ) -> Node<'a> {
        Node::new("UnaryOperatorExpression")
            .with("postfix", postfix)
            .with("operator", operator)
            .with("operand", operand)
            .at_maybe(place)
    }
}

/// A text as a value whose type is known only when the program runs.
fn untyped_text<'a>(node: Node<'a>, ty: &Type<'a>) -> Node<'a> {
    if !ty.is_text() {
        return node;
    }
    let place = node.place();
    Node::new("CastExpression")
        .with("expression", node)
        .with("type", type_token("dynamic", None))
        .at_maybe(place)
}

fn binary_operator(operator: BinaryOperator) -> Option<&'static str> {
    Some(match operator {
        BinaryOperator::Equality | BinaryOperator::StrictEquality => "==",
        BinaryOperator::Inequality | BinaryOperator::StrictInequality => "!=",
        BinaryOperator::ShiftRight | BinaryOperator::ShiftRightZeroFill => ">>",
        BinaryOperator::In | BinaryOperator::Instanceof => return None,
        operator => operator.as_str(),
    })
}
