//! Destructuring: patterns to loads of parts.

use super::{Lowerer, Typed};
use crate::declare::{key_name, name_span};
use crate::il::{Node, binary, find, null, string};
use crate::static_type::Type;
use oxc_ast::ast::{
    self, AssignmentTarget, AssignmentTargetMaybeDefault, AssignmentTargetProperty, BindingPatternKind,
    PropertyKey,
};
use oxc_span::{GetSpan, Span};

/// A name that a pattern binds, with its value.
pub(super) struct Part<'a> {
    pub(super) name: &'a str,
    pub(super) place: Span,
    /// The place of the pattern that binds the name.
    pub(super) span: Span,
    pub(super) value: Node<'a>,
    pub(super) ty: Type<'a>,
}

impl<'a> Lowerer<'_, 'a> {
    /// The names of a pattern, with the parts of `value`. Adds statements that must run before to
    /// `before`.
    pub(super) fn parts(
        &mut self,
        pattern: &'a ast::BindingPattern<'a>,
        value: Typed<'a>,
        before: &mut Vec<Node<'a>>,
    ) -> Vec<Part<'a>> {
        let mut parts = Vec::new();
        self.collect_parts(pattern, value, before, &mut parts);
        parts
    }

    fn collect_parts(
        &mut self,
        pattern: &'a ast::BindingPattern<'a>,
        (value, ty): Typed<'a>,
        before: &mut Vec<Node<'a>>,
        parts: &mut Vec<Part<'a>>,
    ) {
        let span = pattern.span();
        match &pattern.kind {
            BindingPatternKind::BindingIdentifier(name) => {
                parts.push(Part { name: name.name.as_str(), place: name_span(name), span, value, ty });
            }
            BindingPatternKind::AssignmentPattern(default) => {
                let (value, ty) = self.with_default((value, ty), &default.right, span, before);
                self.collect_parts(&default.left, (value, ty), before, parts);
            }
            BindingPatternKind::ObjectPattern(object) => {
                let whole = self.kept_load(value, before, span);
                let mut names = Vec::new();
                for property in &object.properties {
                    let (key, part_type) = self.part_key(&property.key, property.computed, &ty, &mut names);
                    let part = find(Some(whole.clone()), key, Some(property.span));
                    self.collect_parts(&property.value, (part, part_type), before, parts);
                }
                if let Some(rest) = &object.rest {
                    let names = self.list_of(names, Some(rest.span));
                    let value = self.helper("without", vec![whole, names], Some(rest.span)).0;
                    self.collect_parts(&rest.argument, (value, Type::Dynamic), before, parts);
                }
            }
            BindingPatternKind::ArrayPattern(array) => {
                let whole = self.kept_list((value, &ty), before, span);
                for (number, part) in array.elements.iter().enumerate() {
                    let Some(part) = part else { continue };
                    let index = self.index(number);
                    let load = find(Some(whole.clone()), index, Some(part.span()));
                    self.collect_parts(part, (load, element_type(&ty, number)), before, parts);
                }
                if let Some(rest) = &array.rest {
                    let from = self.index(array.elements.len());
                    let value = self.helper("slice", vec![whole, from, null(None)], Some(rest.span)).0;
                    self.collect_parts(&rest.argument, (value, Type::Dynamic), before, parts);
                }
            }
        }
    }

    /// A part, or the other value if it is null.
    fn with_default(
        &mut self,
        (value, ty): Typed<'a>,
        other: &'a ast::Expression<'a>,
        span: Span,
        before: &mut Vec<Node<'a>>,
    ) -> Typed<'a> {
        let kept = self.keep(value, "part");
        let load = kept.load(Some(span));
        before.extend(kept.into_statements());
        let (other, other_type) = self.expression(other, None);
        let test = binary("!=", load.clone(), null(None), Some(span));
        let value = super::mended::choice(test, load, other, Some(span));
        (value, self.unit.union([ty.non_null(), other_type]))
    }

    /// The key of a part of an object, and the type of the part. Adds the key to `names`.
    fn part_key(
        &mut self,
        key: &'a PropertyKey<'a>,
        is_computed: bool,
        of: &Type<'a>,
        names: &mut Vec<Node<'a>>,
    ) -> Typed<'a> {
        match key_name(self.unit.arena, key).filter(|_| !is_computed) {
            Some((name, place)) => {
                names.push(string(name, Some(place)));
                (string(name, Some(place)), self.property_type(of, name).unwrap_or(Type::Dynamic))
            }
            None => match key.as_expression() {
                Some(key) => {
                    let key = self.expression(key, None).0;
                    let kept = self.keep(key, "key");
                    let load = kept.load(None);
                    names.push(load.clone());
                    let place = load.place();
                    (kept.before(load, place), Type::Dynamic)
                }
                None => (null(None), Type::Dynamic),
            },
        }
    }

    /// `pattern = value`: assigns the parts in their order. The result is the whole value.
    pub(super) fn pattern_assignment(
        &mut self,
        target: &'a AssignmentTarget<'a>,
        value: &'a ast::Expression<'a>,
        span: Span,
    ) -> Typed<'a> {
        let (value, ty) = self.expression(value, None);
        let kept = self.keep(value, "whole");
        let load = kept.load(Some(span));
        let mut prelude = kept.into_statements();
        self.assign(target, (load.clone(), ty.clone()), span, &mut prelude);
        let node = Node::new("SequenceExpression").with("prelude", prelude).with("value", load).at(span);
        (node, ty)
    }

    /// Adds the statements that assign a value to a target, which may be a pattern.
    pub(super) fn assign(
        &mut self,
        target: &'a AssignmentTarget<'a>,
        (value, ty): Typed<'a>,
        place: Span,
        statements: &mut Vec<Node<'a>>,
    ) {
        let span = target.span();
        match target {
            AssignmentTarget::ArrayAssignmentTarget(array) => {
                let whole = self.kept_list((value, &ty), statements, span);
                for (number, part) in array.elements.iter().enumerate() {
                    let Some(part) = part else { continue };
                    let load = find(Some(whole.clone()), self.index(number), Some(part.span()));
                    self.assign_part(part, (load, element_type(&ty, number)), statements);
                }
                if let Some(rest) = &array.rest {
                    let from = self.index(array.elements.len());
                    let value = self.helper("slice", vec![whole, from, null(None)], Some(rest.span)).0;
                    self.assign(&rest.target, (value, Type::Dynamic), rest.span, statements);
                }
            }
            AssignmentTarget::ObjectAssignmentTarget(object) => {
                let whole = self.kept_load(value, statements, span);
                let mut names = Vec::new();
                for property in &object.properties {
                    self.assign_property(property, (&whole, &ty), &mut names, statements);
                }
                if let Some(rest) = &object.rest {
                    let names = self.list_of(names, Some(rest.span));
                    let value = self.helper("without", vec![whole, names], Some(rest.span)).0;
                    self.assign(&rest.target, (value, Type::Dynamic), rest.span, statements);
                }
            }
            target => {
                let (target, _) = self.assigned(target);
                statements.push(self.effect(binary("=", target, value, Some(place))));
            }
        }
    }

    fn assign_part(
        &mut self,
        part: &'a AssignmentTargetMaybeDefault<'a>,
        value: Typed<'a>,
        statements: &mut Vec<Node<'a>>,
    ) {
        match part {
            AssignmentTargetMaybeDefault::AssignmentTargetWithDefault(default) => {
                let value = self.with_default(value, &default.init, default.span, statements);
                self.assign(&default.binding, value, default.span, statements);
            }
            part => {
                if let Some(target) = part.as_assignment_target() {
                    self.assign(target, value, part.span(), statements);
                }
            }
        }
    }

    fn assign_property(
        &mut self,
        property: &'a AssignmentTargetProperty<'a>,
        (whole, ty): (&Node<'a>, &Type<'a>),
        names: &mut Vec<Node<'a>>,
        statements: &mut Vec<Node<'a>>,
    ) {
        match property {
            AssignmentTargetProperty::AssignmentTargetPropertyIdentifier(property) => {
                let (name, place) = (property.binding.name.as_str(), property.binding.span);
                names.push(string(name, Some(place)));
                let part = find(Some(whole.clone()), string(name, Some(place)), Some(property.span));
                let mut value = (part, self.property_type(ty, name).unwrap_or(Type::Dynamic));
                if let Some(default) = &property.init {
                    value = self.with_default(value, default, property.span, statements);
                }
                let target = self.assigned_name(name, place).0;
                statements.push(self.effect(binary("=", target, value.0, Some(property.span))));
            }
            AssignmentTargetProperty::AssignmentTargetPropertyProperty(property) => {
                let (key, ty) = self.part_key(&property.name, property.computed, ty, names);
                let part = find(Some(whole.clone()), key, Some(property.span));
                self.assign_part(&property.binding, (part, ty), statements);
            }
        }
    }

    /// A load of a list that is used several times: of the items, if the value may be another.
    fn kept_list(
        &mut self,
        (value, ty): (Node<'a>, &Type<'a>),
        before: &mut Vec<Node<'a>>,
        span: Span,
    ) -> Node<'a> {
        let value = match self.unit.resolved(ty.clone().non_null()) {
            Type::Array(_) | Type::Tuple(_) => value,
            _ => self.helper("items", vec![value], Some(span)).0,
        };
        self.kept_load(value, before, span)
    }

    /// A load of a value that is used several times.
    fn kept_load(&mut self, value: Node<'a>, before: &mut Vec<Node<'a>>, span: Span) -> Node<'a> {
        let kept = self.keep(value, "whole");
        let load = kept.load(Some(span));
        before.extend(kept.into_statements());
        load
    }

    /// The number of an item.
    pub(super) fn index(&self, number: usize) -> Node<'a> {
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        Node::new("NumberLiteral").with("value", f64::from(number))
    }
}

/// The type of an item of a list.
fn element_type<'a>(list: &Type<'a>, number: usize) -> Type<'a> {
    match list {
        Type::Array(element) => (**element).clone(),
        Type::Tuple(elements) => elements.get(number).cloned().unwrap_or(Type::Dynamic),
        _ => Type::Dynamic,
    }
}
