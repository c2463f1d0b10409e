//! Destructuring: patterns to loads of parts.

use super::{Lowerer, Typed};
use crate::declare::{key_name, name_span};
use crate::il::{Node, binary, find, null, string};
use crate::static_type::Type;
use oxc_ast::ast::{self, BindingPatternKind};
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
                let kept = self.keep(value, "part");
                let load = kept.load(Some(span));
                before.extend(kept.into_statements());
                let (other, other_type) = self.expression(&default.right, None);
                let test = binary("!=", load.clone(), null(None), Some(span));
                let value = super::mended::choice(test, load, other, Some(span));
                let ty = self.unit.union([ty.non_null(), other_type]);
                self.collect_parts(&default.left, (value, ty), before, parts);
            }
            BindingPatternKind::ObjectPattern(object) => {
                let whole = self.kept_load(value, before, span);
                let mut names = Vec::new();
                for property in &object.properties {
                    let (key, part_type) =
                        match key_name(self.unit.arena, &property.key).filter(|_| !property.computed) {
                            Some((name, place)) => {
                                names.push(string(name, Some(place)));
                                (
                                    string(name, Some(place)),
                                    self.property_type(&ty, name).unwrap_or(Type::Dynamic),
                                )
                            }
                            None => match property.key.as_expression() {
                                Some(key) => (self.expression(key, None).0, Type::Dynamic),
                                None => (null(None), Type::Dynamic),
                            },
                        };
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
                let whole = self.kept_load(value, before, span);
                let element = |number: usize| match &ty {
                    Type::Array(element) => (**element).clone(),
                    Type::Tuple(elements) => elements.get(number).cloned().unwrap_or(Type::Dynamic),
                    _ => Type::Dynamic,
                };
                for (number, part) in array.elements.iter().enumerate() {
                    let Some(part) = part else { continue };
                    let index = self.index(number);
                    let load = find(Some(whole.clone()), index, Some(part.span()));
                    self.collect_parts(part, (load, element(number)), before, parts);
                }
                if let Some(rest) = &array.rest {
                    let from = self.index(array.elements.len());
                    let value = self.helper("slice", vec![whole, from, null(None)], Some(rest.span)).0;
                    self.collect_parts(&rest.argument, (value, Type::Dynamic), before, parts);
                }
            }
        }
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
