//! Calls of the library that the compiler adds, conditions, and values that are used twice.

use super::{Lowerer, Typed};
use crate::ids::ModuleRef;
use crate::il::{
    Il, Node, binary, expression_statement, identifier, invoke, load, null, string, token, type_token,
};
use crate::static_type::Type;
use crate::unit::{Space, Symbol};
use oxc_ast::ast::{self, Expression, LogicalOperator, UnaryOperator};
use oxc_span::{GetSpan, Span};

/// A value that is used more than once: its variable, and the statements that set it.
pub(super) struct Kept<'a> {
    name: &'a str,
    statements: Vec<Node<'a>>,
}

impl<'a> Kept<'a> {
    pub(super) fn load(&self, place: Option<Span>) -> Node<'a> {
        load(self.name, place)
    }

    /// The statements that set the variable.
    pub(super) fn into_statements(self) -> Vec<Node<'a>> {
        self.statements
    }

    /// `value`, after the variable is set.
    pub(super) fn before(self, value: Node<'a>, place: Option<Span>) -> Node<'a> {
        Node::new("SequenceExpression")
            .with("prelude", Il::from(self.statements))
            .with("value", value)
            .at_maybe(place)
    }
}

/// A choice between two values.
pub(super) fn choice<'a>(condition: Node<'a>, yes: Node<'a>, no: Node<'a>, place: Option<Span>) -> Node<'a> {
    Node::new("ConditionalExpression")
        .with("condition", condition)
        .with("consequent", yes)
        .with("alternate", no)
        .at_maybe(place)
}

impl<'a> Lowerer<'_, 'a> {
    /// Whether the meaning of the language is kept where that of an operator of packages differs.
    pub(super) fn is_mended(&self) -> bool {
        !self.is_compatible() && !self.is_library
    }

    /// A call of a function of the library.
    pub(super) fn helper(&mut self, name: &str, arguments: Vec<Node<'a>>, place: Option<Span>) -> Typed<'a> {
        let (function, ty) = self.helper_function(name, place);
        let result = match ty {
            Type::Function(signature) => signature.result.clone(),
            _ => Type::Dynamic,
        };
        (invoke(function, arguments, place), result)
    }

    /// A function of the library as a value.
    pub(super) fn helper_function(&mut self, name: &str, place: Option<Span>) -> Typed<'a> {
        let Some(library) = self.unit.library else { return (null(place), Type::Dynamic) };
        self.unit.uses_helpers.set(true);
        let ty = match self.unit.exported(ModuleRef::Own(library), name, Space::Value) {
            Some(symbol @ Symbol::Member(_)) => self.unit.type_of_symbol(&symbol),
            _ => Type::Dynamic,
        };
        let token = self.unit.joined(self.unit.module(library).token, name);
        (load(token, place), ty)
    }

    /// A name that no program can contain.
    pub(super) fn made_up_name(&mut self, meaning: &str) -> &'a str {
        self.made_up += 1;
        self.text(&format!(".{meaning}{}", self.made_up))
    }

    /// Keeps a value in a variable.
    pub(super) fn keep(&mut self, value: Node<'a>, meaning: &str) -> Kept<'a> {
        let name = self.made_up_name(meaning);
        let local = Node::new("LocalVariable")
            .with("name", identifier(name, None))
            .with("type", type_token("dynamic", None));
        let declaration = Node::new("LocalVariableDeclaration").with("local", local);
        let set = self.initialization(token(name, None), None, value);
        Kept { name, statements: vec![declaration, set] }
    }

    /// An expression as a condition, which must be a bool in a package.
    pub(super) fn condition_of(&mut self, expression: &'a Expression<'a>) -> Node<'a> {
        if !self.is_mended() {
            return self.expression(expression, None).0;
        }
        let span = expression.span();
        match expression {
            Expression::ParenthesizedExpression(inner) => self.condition_of(&inner.expression),
            Expression::LogicalExpression(operation) if operation.operator != LogicalOperator::Coalesce => {
                let left = self.condition_of(&operation.left);
                let right = self.condition_of(&operation.right);
                binary(operation.operator.as_str(), left, right, Some(span))
            }
            Expression::UnaryExpression(operation) if operation.operator == UnaryOperator::LogicalNot => {
                let operand = self.condition_of(&operation.argument);
                self.unary_node("!", false, operand, Some(span))
            }
            expression => {
                let (node, ty) = self.expression(expression, None);
                self.as_condition(node, &ty)
            }
        }
    }

    pub(super) fn as_condition(&mut self, node: Node<'a>, ty: &Type<'a>) -> Node<'a> {
        let place = node.place();
        match ty {
            Type::Bool => node,
            Type::Instance(_)
            | Type::Array(_)
            | Type::Literal(_)
            | Type::Index(_)
            | Type::Function(_)
            | Type::Map(_) => binary("!=", node, null(None), place),
            _ => self.helper("truthy", vec![node], place).0,
        }
    }

    /// `left && right` and `left || right` as values.
    pub(super) fn logical_value(&mut self, operation: &'a ast::LogicalExpression<'a>) -> Typed<'a> {
        let place = Some(operation.span);
        let (left, left_type) = self.expression(&operation.left, None);
        let (right, right_type) = self.expression(&operation.right, None);
        if operation.operator != LogicalOperator::Coalesce
            && left_type == Type::Bool
            && right_type == Type::Bool
        {
            return (binary(operation.operator.as_str(), left, right, place), Type::Bool);
        }
        let kept = self.keep(left, "left");
        let value = kept.load(place);
        let node = match operation.operator {
            LogicalOperator::Coalesce => {
                choice(binary("!=", kept.load(place), null(None), place), value, right, place)
            }
            LogicalOperator::And => {
                let condition = self.as_condition(kept.load(place), &left_type);
                choice(condition, right, value, place)
            }
            LogicalOperator::Or => {
                let condition = self.as_condition(kept.load(place), &left_type);
                choice(condition, value, right, place)
            }
        };
        let ty = match operation.operator {
            LogicalOperator::Coalesce => self.unit.union([left_type.non_null(), right_type]),
            _ => self.unit.union([left_type, right_type]),
        };
        (kept.before(node, place), ty)
    }

    /// `left + right`, which joins texts if one of them is a text.
    pub(super) fn sum(&mut self, left: Typed<'a>, right: Typed<'a>, place: Option<Span>) -> Typed<'a> {
        let ((left, left_type), (right, right_type)) = (left, right);
        match (left_type == Type::String, right_type == Type::String) {
            (true, true) => (binary("+", left, right, place), Type::String),
            (true, false) => {
                let right = self.as_text(right, &right_type);
                (binary("+", left, right, place), Type::String)
            }
            (false, true) => {
                let left = self.as_text(left, &left_type);
                (binary("+", left, right, place), Type::String)
            }
            (false, false) if left_type == Type::Number && right_type == Type::Number => {
                (binary("+", left, right, place), Type::Number)
            }
            (false, false) => self.helper("add", vec![left, right], place),
        }
    }

    /// A value that is added to a text.
    pub(super) fn as_text(&mut self, value: Node<'a>, ty: &Type<'a>) -> Node<'a> {
        if *ty == Type::String || !self.is_mended() {
            return value;
        }
        let place = value.place();
        self.helper("text", vec![value], place).0
    }

    /// A list of values that are computed already.
    pub(super) fn list_of(&self, items: Vec<Node<'a>>, place: Option<Span>) -> Node<'a> {
        Node::new("ArrayLiteral")
            .with("elemType", type_token("dynamic", None))
            .with("elements", items)
            .at_maybe(place)
    }

    /// A string of the compiler.
    pub(super) fn word(&self, word: &str, place: Option<Span>) -> Node<'a> {
        string(self.text(word), place)
    }

    /// Runs an expression for its effect.
    pub(super) fn effect(&self, value: Node<'a>) -> Node<'a> {
        let place = value.place();
        expression_statement(value, place)
    }
}
