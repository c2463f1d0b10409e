//! Optional chaining.

use super::mended::Kept;
use super::{Lowerer, Typed};
use crate::declare::private_name;
use crate::il::{binary, find, null};
use crate::static_type::Type;
use oxc_ast::ast::{self, Expression};
use oxc_span::GetSpan;

impl<'a> Lowerer<'_, 'a> {
    /// `a?.b`, `a?.[b]` and `a?.()`: null if the object before is null.
    pub(super) fn chain(&mut self, chain: &'a ast::ChainExpression<'a>) -> Typed<'a> {
        let mut guards = Vec::new();
        let (mut node, ty) = match &chain.expression {
            ast::ChainElement::CallExpression(call) => self.chained_call(call, &mut guards),
            ast::ChainElement::TSNonNullExpression(inner) => self.chained(&inner.expression, &mut guards),
            element => match element.as_member_expression() {
                Some(member) => self.chained_member(member, &mut guards),
                None => (null(Some(chain.span)), Type::Dynamic),
            },
        };
        let place = Some(chain.span);
        for guard in guards.into_iter().rev() {
            let test = binary("==", guard.load(place), null(None), place);
            let value = super::mended::choice(test, null(None), node, place);
            node = guard.before(value, place);
        }
        (node, self.unit.union([ty, Type::Null]))
    }

    fn chained(&mut self, expression: &'a Expression<'a>, guards: &mut Vec<Kept<'a>>) -> Typed<'a> {
        match expression {
            Expression::CallExpression(call) => self.chained_call(call, guards),
            Expression::TSNonNullExpression(inner) => self.chained(&inner.expression, guards),
            expression => match expression.as_member_expression() {
                Some(member) => self.chained_member(member, guards),
                None => self.expression(expression, None),
            },
        }
    }

    fn guarded(&mut self, (node, ty): Typed<'a>, is_optional: bool, guards: &mut Vec<Kept<'a>>) -> Typed<'a> {
        if !is_optional {
            return (node, ty);
        }
        let place = node.place();
        let kept = self.keep(node, "link");
        let load = kept.load(place);
        guards.push(kept);
        (load, ty.non_null())
    }

    fn chained_member(
        &mut self,
        member: &'a ast::MemberExpression<'a>,
        guards: &mut Vec<Kept<'a>>,
    ) -> Typed<'a> {
        let object = member.object();
        if self.module_named_by(object).is_some() {
            return match member {
                ast::MemberExpression::StaticMemberExpression(member) => self.member(member),
                _ => {
                    (self.refuse(member.span(), "a module as a value", "name a member of it"), Type::Dynamic)
                }
            };
        }
        let lowered = self.chained(object, guards);
        let (object, ty) = self.guarded(lowered, member.optional(), guards);
        match member {
            ast::MemberExpression::StaticMemberExpression(member) => {
                let (name, place) = (member.property.name.as_str(), member.property.span);
                self.loaded_member(object, &ty, name, place, member.span)
            }
            ast::MemberExpression::PrivateFieldExpression(member) => {
                let (name, place) = (private_name(self.unit.arena, &member.field), member.field.span);
                self.loaded_member(object, &ty, name, place, member.span)
            }
            ast::MemberExpression::ComputedMemberExpression(member) => {
                let (key, _) = self.expression(&member.expression, None);
                let element = match ty {
                    Type::Array(element) => (*element).clone(),
                    _ => Type::Dynamic,
                };
                (find(Some(object), key, Some(member.span)), element)
            }
        }
    }

    fn chained_call(&mut self, call: &'a ast::CallExpression<'a>, guards: &mut Vec<Kept<'a>>) -> Typed<'a> {
        let lowered = self.chained(&call.callee, guards);
        let function = self.guarded(lowered, call.optional, guards);
        self.call_of(function, call)
    }
}
