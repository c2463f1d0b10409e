//! Literals of scalars, arrays, objects and templates.

use super::{Lowerer, Typed};
use crate::declare::key_name;
use crate::fault::FaultCode;
use crate::il::{Node, load, null, token, type_token};
use crate::static_type::Type;
use oxc_ast::ast::{self, ArrayExpressionElement, ObjectPropertyKind, PropertyKind};
use oxc_span::{GetSpan, Span};
use std::rc::Rc;

/// The text of a number, as JavaScript prints it.
pub(crate) fn number_text(number: f64) -> String {
    let magnitude = number.abs();
    if number == 0.0 || (1e-6..1e21).contains(&magnitude) {
        return format!("{number}");
    }
    let text = format!("{number:e}");
    match text.split_once('e') {
        Some((digits, exponent)) if !exponent.starts_with('-') => format!("{digits}e+{exponent}"),
        _ => text,
    }
}

/// A string of the source.
pub(super) fn text_literal<'a>(value: &'a str, span: Span) -> Node<'a> {
    Node::new("StringLiteral").with("raw", value).with("value", value).at(span)
}

/// `left + right` in a template.
fn joined<'a>(left: Node<'a>, right: Node<'a>, span: Span) -> Node<'a> {
    Node::new("BinaryOperatorExpression")
        .with("left", left)
        .with("operator", "+")
        .with("right", right)
        .at(span)
}

fn object_node<'a>(properties: Vec<Node<'a>>, span: Span) -> Node<'a> {
    Node::new("ObjectLiteral")
        .with("type", type_token("dynamic", None))
        .with("properties", properties)
        .at(span)
}

impl<'a> Lowerer<'_, 'a> {
    pub(super) fn boolean_literal(&self, literal: &ast::BooleanLiteral) -> Typed<'a> {
        let raw = if literal.value { "true" } else { "false" };
        (Node::new("BoolLiteral").with("raw", raw).with("value", literal.value).at(literal.span), Type::Bool)
    }

    pub(super) fn null_literal(&self, literal: &ast::NullLiteral) -> Typed<'a> {
        (Node::new("NullLiteral").with("raw", "null").at(literal.span), Type::Null)
    }

    pub(super) fn number_literal(&self, literal: &'a ast::NumericLiteral<'a>) -> Typed<'a> {
        if !literal.value.is_finite() {
            return (self.refuse(literal.span, "a number this large", ""), Type::Number);
        }
        let raw = self.text(&number_text(literal.value));
        (
            Node::new("NumberLiteral").with("raw", raw).with("value", literal.value).at(literal.span),
            Type::Number,
        )
    }

    /// A template is a chain of `+`. All its parts have the place of the whole.
    pub(super) fn template(&mut self, template: &'a ast::TemplateLiteral<'a>) -> Typed<'a> {
        let span = template.span;
        let mut parts =
            template.quasis.iter().map(|part| part.value.cooked.as_ref().unwrap_or(&part.value.raw).as_str());
        let mut result = text_literal(parts.next().unwrap_or(""), span);
        for (expression, tail) in template.expressions.iter().zip(parts) {
            let (value, ty) = self.expression(expression, None);
            let value = self.as_text(value, &ty);
            let part = match tail {
                "" if !self.is_compatible() => value,
                tail => joined(value, text_literal(tail, span), span),
            };
            result = joined(result, part, span);
        }
        (result, Type::String)
    }

    pub(super) fn array(
        &mut self,
        array: &'a ast::ArrayExpression<'a>,
        expected: Option<&Type<'a>>,
    ) -> Typed<'a> {
        if self.is_mended() && array.elements.iter().any(ArrayExpressionElement::is_spread) {
            return self.spread_array(array);
        }
        let mut nodes = Vec::with_capacity(array.elements.len());
        let mut types = Vec::with_capacity(array.elements.len());
        for (number, element) in array.elements.iter().enumerate() {
            let expected = match expected {
                Some(Type::Array(element)) => Some((**element).clone()),
                Some(Type::Tuple(elements)) => elements.get(number).cloned(),
                _ => None,
            };
            let (node, ty) = match element {
                ArrayExpressionElement::SpreadElement(spread) => (
                    self.refuse(spread.span, "a spread element", "call `concat` or add elements in a loop"),
                    Type::Dynamic,
                ),
                ArrayExpressionElement::Elision(hole) => (null(Some(hole.span)), Type::Null),
                element => match element.as_expression() {
                    Some(element) => self.expression(element, expected.as_ref()),
                    None => (null(Some(element.span())), Type::Dynamic),
                },
            };
            nodes.push(node);
            types.push(ty);
        }
        let (ty, element) = match expected {
            Some(tuple @ Type::Tuple(_)) => (tuple.clone(), "dynamic"),
            // The elements of an expected array of tuples are tuples.
            Some(Type::Array(element)) if matches!(**element, Type::Tuple(_)) => {
                (Type::Array(element.clone()), "object")
            }
            _ => {
                let element = self.element_type(types);
                (Type::array(element.clone()), self.unit.type_token(&element).unwrap_or("dynamic"))
            }
        };
        let node = Node::new("ArrayLiteral")
            .with("elemType", type_token(element, None))
            .with("elements", nodes)
            .at(array.span);
        (node, ty)
    }

    /// An array with spread elements: all its parts joined.
    fn spread_array(&mut self, array: &'a ast::ArrayExpression<'a>) -> Typed<'a> {
        let (mut parts, mut single, mut types) = (Vec::new(), Vec::new(), Vec::new());
        for element in &array.elements {
            if let ArrayExpressionElement::SpreadElement(spread) = element {
                if !single.is_empty() {
                    parts.push(self.list_of(std::mem::take(&mut single), Some(array.span)));
                }
                let (node, ty) = self.expression(&spread.argument, None);
                match ty {
                    Type::Array(element) => {
                        types.push((*element).clone());
                        parts.push(node);
                    }
                    _ => {
                        types.push(Type::Dynamic);
                        parts.push(self.helper("items", vec![node], Some(spread.span)).0);
                    }
                }
                continue;
            }
            let (node, ty) = match element.as_expression() {
                Some(element) => self.expression(element, None),
                None => (null(Some(element.span())), Type::Null),
            };
            single.push(node);
            types.push(ty);
        }
        if !single.is_empty() {
            parts.push(self.list_of(single, Some(array.span)));
        }
        let parts = self.list_of(parts, Some(array.span));
        (self.helper("concat", vec![parts], Some(array.span)).0, Type::array(self.unit.union(types)))
    }

    /// The type of the elements of a literal. A class stands for those derived from it.
    fn element_type(&self, types: Vec<Type<'a>>) -> Type<'a> {
        // The type of `{}` is that of every value.
        if self.is_compatible()
            && let Some(empty) =
                types.iter().find(|ty| matches!(ty, Type::Literal(properties) if properties.is_empty()))
        {
            return empty.clone();
        }
        match self.unit.union(types) {
            Type::Union(types) => {
                let is_derived =
                    |ty: &Type<'a>| types.iter().any(|base| ty != base && self.is_derived(ty, base));
                self.unit.union(types.iter().filter(|ty| !is_derived(ty)).cloned())
            }
            ty => ty,
        }
    }

    fn is_derived(&self, ty: &Type<'a>, base: &Type<'a>) -> bool {
        let (Type::Instance(class), Type::Instance(base)) = (ty, base) else { return false };
        let mut at = self.unit.base(*class);
        for _ in 0..100 {
            match at {
                Some(class) if class == *base => return true,
                Some(class) => at = self.unit.base(class),
                None => return false,
            }
        }
        false
    }

    pub(super) fn object(
        &mut self,
        object: &'a ast::ObjectExpression<'a>,
        expected: Option<&Type<'a>>,
    ) -> Typed<'a> {
        let (mut parts, mut nodes, mut types) =
            (Vec::new(), Vec::with_capacity(object.properties.len()), Vec::new());
        let mut is_open = false;
        for property in &object.properties {
            match property {
                ObjectPropertyKind::ObjectProperty(property) => {
                    nodes.push(self.property(property, expected, &mut types));
                }
                ObjectPropertyKind::SpreadProperty(spread) if self.is_mended() => {
                    parts.push(object_node(std::mem::take(&mut nodes), object.span));
                    let (node, ty) = self.expression(&spread.argument, None);
                    match ty {
                        Type::Literal(properties) if !properties.is_empty() => {
                            types.extend(properties.iter().cloned());
                        }
                        _ => is_open = true,
                    }
                    parts.push(node);
                }
                ObjectPropertyKind::SpreadProperty(spread) => {
                    nodes.push(self.refuse(spread.span, "a spread of properties", ""));
                }
            }
        }
        if let (Some(expected), false, true) = (expected, is_open, self.is_mended()) {
            self.check_properties(object, expected, &types);
        }
        let ty = Type::Literal(Rc::new(if is_open { Vec::new() } else { types }));
        let node = object_node(nodes, object.span);
        if parts.is_empty() {
            return (node, ty);
        }
        parts.push(node);
        let parts = self.list_of(parts, Some(object.span));
        (self.helper("merge", vec![parts], Some(object.span)).0, ty)
    }

    /// Reports properties that a literal of a known type lacks, and those that the type lacks.
    fn check_properties(
        &self,
        object: &'a ast::ObjectExpression<'a>,
        expected: &Type<'a>,
        found: &[(&'a str, Type<'a>)],
    ) {
        let Type::Instance(class) = self.unit.resolved(expected.clone().non_null()) else { return };
        if !self.unit.class(class).is_interface() || self.has_unknown_part(class) {
            return;
        }
        let is_computed = |property: &ObjectPropertyKind<'a>| match property {
            ObjectPropertyKind::ObjectProperty(property) => property.computed,
            ObjectPropertyKind::SpreadProperty(_) => true,
        };
        if object.properties.iter().any(is_computed) {
            return;
        }
        let known = self.unit.all_elements(class);
        let name = self.unit.class(class).name;
        let mut missing: Vec<&str> = known
            .iter()
            .filter(|(key, element)| !element.is_optional && !found.iter().any(|(found, _)| found == key))
            .map(|(key, _)| *key)
            .collect();
        missing.sort_unstable();
        if !missing.is_empty() {
            let names = missing.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            let message = format!("an object of type `{name}` needs {names}");
            self.fault(FaultCode::Property, object.span, message, "add what is missing");
        }
        for property in &object.properties {
            let ObjectPropertyKind::ObjectProperty(property) = property else { continue };
            let Some((key, place)) = key_name(self.unit.arena, &property.key) else { continue };
            if !known.iter().any(|(known, _)| *known == key) {
                let message = format!("type `{name}` has no property `{key}`");
                let help = self.suggestion(key, known.iter().map(|(key, _)| *key).collect());
                self.fault(FaultCode::Member, place, message, &help);
            }
        }
    }

    fn property(
        &mut self,
        property: &'a ast::ObjectProperty<'a>,
        expected: Option<&Type<'a>>,
        types: &mut Vec<(&'a str, Type<'a>)>,
    ) -> Node<'a> {
        if property.kind != PropertyKind::Init {
            let help = "use a method, or a class with an accessor";
            return self.refuse(property.span, "an accessor of an object literal", help);
        }
        if property.method && self.is_compatible() {
            return self.refuse(property.span, "a method of an object literal", "");
        }
        let name = key_name(self.unit.arena, &property.key).filter(|_| !property.computed);
        let Some((name, name_span)) = name else {
            let Some(key) = property.key.as_expression() else {
                return self.refuse(property.span, "a private name of a property", "");
            };
            let (value, _) = self.expression(&property.value, None);
            let (key, _) = self.expression(key, None);
            return Node::new("ObjectLiteralComputedProperty")
                .with("property", key)
                .with("value", value)
                .at(property.span);
        };
        let (value, ty) = match property.shorthand && self.is_compatible() {
            // Always a local name, as in 2017.
            true => (
                load(name, Some(name_span)),
                self.local(name).map_or(Type::Dynamic, |local| local.ty.clone()),
            ),
            false => {
                let expected = expected.and_then(|ty| self.property_type(ty, name));
                self.expression(&property.value, expected.as_ref())
            }
        };
        types.push((name, ty.widened()));
        Node::new("ObjectLiteralNamedProperty")
            .with("property", token(name, None))
            .with("value", value)
            .at(property.span)
    }

    /// The type of a property of a type, if it is known.
    pub(super) fn property_type(&self, ty: &Type<'a>, name: &str) -> Option<Type<'a>> {
        match ty {
            Type::Literal(properties) => {
                properties.iter().find(|(key, _)| *key == name).map(|(_, ty)| ty.clone())
            }
            Type::Instance(class) => {
                let (owner, element) = self.unit.element(*class, name)?;
                Some(self.unit.type_of_element(owner, &element))
            }
            Type::Index(element) => Some((**element).clone()),
            Type::Map(types) => Some(types.1.clone()),
            _ => None,
        }
    }
}
