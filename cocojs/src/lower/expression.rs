//! Expressions.

use super::{Lowerer, Typed};
use crate::declare::private_name;
use crate::ids::ModuleId;
use crate::il::{Node, expression_statement, find, null, type_token};
use crate::static_type::Type;
use oxc_ast::ast::{self, Expression};
use oxc_span::{GetSpan, Span};

impl<'a> Lowerer<'_, 'a> {
    /// Lowers an expression. `expected` is the type that its context requires, if it has one.
    pub(crate) fn expression(
        &mut self,
        expression: &'a Expression<'a>,
        expected: Option<&Type<'a>>,
    ) -> Typed<'a> {
        let span = expression.span();
        let refused = || (null(Some(span)), Type::Dynamic);
        self.is_value = !std::mem::replace(&mut self.is_dropped, false);
        self.deeper(span, |lowerer| lowerer.expression_here(expression, expected), refused)
    }

    fn expression_here(&mut self, expression: &'a Expression<'a>, expected: Option<&Type<'a>>) -> Typed<'a> {
        match expression {
            Expression::BooleanLiteral(literal) => self.boolean_literal(literal),
            Expression::NullLiteral(literal) => self.null_literal(literal),
            Expression::NumericLiteral(literal) => self.number_literal(literal),
            Expression::StringLiteral(literal) => {
                (super::literal::text_literal(literal.value.as_str(), literal.span), Type::String)
            }
            Expression::TemplateLiteral(template) => self.template(template),
            Expression::ArrayExpression(array) => self.array(array, expected),
            Expression::ObjectExpression(object) => self.object(object, expected),
            Expression::Identifier(name) => self.name(name.name.as_str(), name.span),
            Expression::ThisExpression(this) => self.this_object(this.span),
            Expression::Super(base) => self.base_object(base.span),
            Expression::StaticMemberExpression(member) => self.member(member),
            Expression::ComputedMemberExpression(member) => self.computed_member(member),
            Expression::PrivateFieldExpression(member) => {
                let field = &member.field;
                self.member_of(&member.object, private_name(self.unit.arena, field), field.span, member.span)
            }
            Expression::CallExpression(call) => self.call(call),
            Expression::NewExpression(new) => self.new_object(new, expected),
            Expression::ArrowFunctionExpression(arrow) => self.arrow(arrow, expected),
            Expression::FunctionExpression(function) => self.local_function(function, function.span),
            Expression::ParenthesizedExpression(inner) => self.expression(&inner.expression, expected),
            Expression::TSNonNullExpression(inner) => {
                self.erased.push(Span::new(inner.expression.span().end, inner.span.end));
                let (node, ty) = self.expression(&inner.expression, expected);
                (node, ty.non_null())
            }
            Expression::TSTypeAssertion(cast) => {
                self.cast(&cast.expression, &cast.type_annotation, cast.span)
            }
            Expression::TSAsExpression(cast) => self.cast(&cast.expression, &cast.type_annotation, cast.span),
            Expression::TSSatisfiesExpression(inner) => {
                self.erased.push(Span::new(inner.expression.span().end, inner.span.end));
                self.expression(&inner.expression, expected)
            }
            Expression::TSInstantiationExpression(inner) => self.expression(&inner.expression, expected),
            Expression::AssignmentExpression(assignment) => self.assignment(assignment),
            Expression::BinaryExpression(operation) => self.binary(operation),
            Expression::LogicalExpression(operation) => self.logical(operation),
            Expression::UnaryExpression(operation) => self.unary(operation),
            Expression::UpdateExpression(operation) => self.update(operation),
            Expression::ChainExpression(chain) if self.is_mended() => self.chain(chain),
            Expression::PrivateInExpression(test) if self.is_mended() => {
                let (object, _) = self.expression(&test.right, None);
                let name = self.word(private_name(self.unit.arena, &test.left), Some(test.left.span));
                self.helper("contains", vec![object, name], Some(test.span))
            }
            Expression::ConditionalExpression(choice) => self.conditional(choice, expected),
            Expression::SequenceExpression(sequence) => self.sequence(sequence),
            expression => self.refused_expression(expression),
        }
    }

    fn refused_expression(&mut self, expression: &'a Expression<'a>) -> Typed<'a> {
        let (what, help) = match expression {
            Expression::AwaitExpression(waiting) if self.code.is_some() => {
                let (value, _) = self.expression(&waiting.argument, None);
                self.refuse(waiting.span, "`await`", "");
                return (value, Type::Dynamic);
            }
            Expression::AwaitExpression(_) => ("`await`", "packages run without waiting; remove it"),
            Expression::YieldExpression(_) => ("`yield`", "return a list instead"),
            Expression::BigIntLiteral(_) => ("a literal of a big integer", "use a number or a string"),
            Expression::RegExpLiteral(_) => ("a regular expression", "use functions of strings"),
            Expression::TaggedTemplateExpression(_) => {
                ("a tagged template", "call the function with a string")
            }
            Expression::ClassExpression(_) => {
                ("a class as an expression", "declare the class at the top of the module")
            }
            Expression::ImportExpression(_) => ("`import()`", "use an import declaration"),
            Expression::MetaProperty(_) => ("`import.meta` or `new.target`", ""),
            Expression::ChainExpression(_) => ("optional chaining", "compare with `null` first"),
            Expression::PrivateInExpression(_) => ("`#name in object`", ""),
            _ => ("this expression", ""),
        };
        (self.refuse(expression.span(), what, help), Type::Dynamic)
    }

    pub(super) fn computed_member(&mut self, member: &'a ast::ComputedMemberExpression<'a>) -> Typed<'a> {
        let (object, ty) = self.expression(&member.object, None);
        let (key, key_type) = self.expression(&member.expression, None);
        let is_text = ty.is_text();
        let element = match (ty.non_null(), key_type.clone()) {
            (Type::Array(element), Type::Number | Type::Dynamic) => (*element).clone(),
            (Type::Index(element), _) => (*element).clone(),
            (Type::String, Type::Number) => Type::String,
            (Type::Instance(class), _) if self.unit.index_type(class).is_some() => {
                self.unit.index_type(class).unwrap_or(Type::Dynamic)
            }
            (ty, _) => match &member.expression {
                Expression::StringLiteral(name) => {
                    self.property_type(&ty, name.value.as_str()).unwrap_or(Type::Dynamic)
                }
                _ => Type::Dynamic,
            },
        };
        if is_text && self.is_mended() && matches!(key_type, Type::Number) {
            return (self.helper("character", vec![object, key], Some(member.span)).0, Type::String);
        }
        (find(Some(object), key, Some(member.span)), element)
    }

    fn cast(&mut self, value: &'a Expression<'a>, annotation: &'a ast::TSType<'a>, span: Span) -> Typed<'a> {
        let inner = value.span();
        for place in [Span::new(span.start, inner.start), Span::new(inner.end, span.end)] {
            self.erased.push(place);
        }
        let is_const = matches!(annotation, ast::TSType::TSTypeReference(reference)
            if reference.type_name.to_string() == "const");
        let ty = self.unit.annotated(self.module, annotation);
        if is_const && !self.is_compatible() {
            return self.expression(value, None);
        }
        let (value, from) = self.expression(value, Some(&ty));
        let token = self.unit.type_token(&ty).unwrap_or("dynamic");
        // A cast of the language changes no value. It is checked only if a class is named.
        let is_checked = matches!(&ty, Type::Instance(class) if !self.unit.class(*class).is_interface());
        if self.is_mended() && (!is_checked || from == ty) {
            return (value, ty);
        }
        let node = Node::new("CastExpression")
            .with("expression", value)
            .with("type", type_token(token, Some(span)))
            .at(span);
        (node, ty)
    }

    fn conditional(
        &mut self,
        choice: &'a ast::ConditionalExpression<'a>,
        expected: Option<&Type<'a>>,
    ) -> Typed<'a> {
        let condition = self.condition_of(&choice.test);
        let (consequent, left) = self.expression(&choice.consequent, expected);
        let (alternate, right) = self.expression(&choice.alternate, expected);
        let node = Node::new("ConditionalExpression")
            .with("condition", condition)
            .with("consequent", consequent)
            .with("alternate", alternate)
            .at(choice.span);
        (node, self.unit.union([left, right]))
    }

    /// `a, b, c`. The compilers of 2017 had the parts in the wrong roles.
    fn sequence(&mut self, sequence: &'a ast::SequenceExpression<'a>) -> Typed<'a> {
        let parts: Vec<Typed<'a>> =
            sequence.expressions.iter().map(|expression| self.expression(expression, None)).collect();
        let last = parts.last().map_or(Type::Dynamic, |(_, ty)| ty.clone());
        let mut nodes: Vec<Node<'a>> = parts.into_iter().map(|(node, _)| node).collect();
        if self.is_compatible() {
            let value = nodes.remove(0);
            let place = match (nodes.first().and_then(Node::place), value.place()) {
                (Some(start), Some(end)) => Some(Span::new(start.start, end.end)),
                (start, end) => start.or(end),
            };
            let node =
                Node::new("SequenceExpression").with("prelude", nodes).with("value", value).at_maybe(place);
            return (node, last);
        }
        let value = nodes.pop().unwrap_or_else(|| null(None));
        let prelude: Vec<Node<'a>> = nodes
            .into_iter()
            .map(|node| {
                let place = node.place();
                expression_statement(node, place)
            })
            .collect();
        let node =
            Node::new("SequenceExpression").with("prelude", prelude).with("value", value).at(sequence.span);
        (node, last)
    }

    /// The module that is lowered.
    pub(super) fn module_id(&self) -> ModuleId {
        self.module
    }
}
