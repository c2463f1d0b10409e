//! Calls, their arguments, and new objects.

use super::{Lowerer, Typed};
use crate::fault::FaultCode;
use crate::il::{Node, arguments_of, invoke, load, null, token, type_token};
use crate::static_type::{Signature, Type};
use crate::unit::Space;
use oxc_ast::ast::{self, Argument, Expression};
use oxc_span::{GetSpan, Span};
use std::rc::Rc;

impl<'a> Lowerer<'_, 'a> {
    /// The arguments of a call.
    fn arguments(
        &mut self,
        arguments: &'a [Argument<'a>],
        signature: Option<&Signature<'a>>,
        is_foreign: bool,
    ) -> Vec<Node<'a>> {
        let mut nodes = Vec::with_capacity(arguments.len());
        for (number, argument) in arguments.iter().enumerate() {
            let expected = signature.and_then(|signature| {
                let parameter = signature.parameters.get(number).or(signature.parameters.last())?;
                match (parameter.is_rest, &parameter.ty) {
                    (true, Type::Array(element)) => Some((**element).clone()),
                    _ => Some(parameter.ty.clone()),
                }
            });
            nodes.push(match argument.as_expression() {
                Some(argument) => {
                    let is_function = matches!(
                        argument,
                        Expression::ArrowFunctionExpression(_) | Expression::FunctionExpression(_)
                    );
                    let (node, ty) = match is_foreign && is_function && self.is_mended() {
                        true => self.code(argument, expected.as_ref()),
                        false => self.expression(argument, expected.as_ref()),
                    };
                    match expected {
                        // Functions take all arguments that they are called with.
                        Some(Type::Function(signature))
                            if self.is_mended() && matches!(ty, Type::Function(_)) =>
                        {
                            self.fitted(node, &ty, signature.parameters.len())
                        }
                        _ => node,
                    }
                }
                None => self.refuse(argument.span(), "a spread argument", "name the arguments one by one"),
            });
        }
        nodes
    }

    pub(super) fn call(&mut self, call: &'a ast::CallExpression<'a>) -> Typed<'a> {
        if let Expression::Super(base) = &call.callee {
            return self.base_call(call, base.span);
        }
        if let Some(result) = self.builtin_call(call) {
            return result;
        }
        let (function, ty) = self.expression(&call.callee, None);
        self.call_of((function, ty), call)
    }

    /// A call of a function that is lowered already.
    pub(super) fn call_of(
        &mut self,
        (function, ty): Typed<'a>,
        call: &'a ast::CallExpression<'a>,
    ) -> Typed<'a> {
        let signature = match &ty {
            Type::Function(signature) => Some(Rc::clone(signature)),
            _ => None,
        };
        if self.is_mended() && call.arguments.iter().any(Argument::is_spread) && signature.is_none() {
            return self.spread_call(function, call);
        }
        let name = match &call.callee {
            Expression::Identifier(name) => name.name.as_str(),
            Expression::StaticMemberExpression(member) => member.property.name.as_str(),
            _ => "the function",
        };
        let arguments = self.checked_arguments(&call.arguments, signature.as_deref(), name, call.span);
        let result = signature.map_or(Type::Dynamic, |signature| signature.result.clone());
        (invoke(function, arguments, Some(call.span)), result)
    }

    /// A call with a list of arguments.
    fn spread_call(&mut self, function: Node<'a>, call: &'a ast::CallExpression<'a>) -> Typed<'a> {
        let list = self.argument_list(&call.arguments, call.span);
        self.helper("dynamicInvoke", vec![function, null(None), list], Some(call.span))
    }

    /// Arguments as one list. Those that are spread are lists already.
    pub(super) fn argument_list(&mut self, arguments: &'a [Argument<'a>], span: Span) -> Node<'a> {
        let place = Some(span);
        let mut parts = Vec::new();
        for argument in arguments {
            match (argument, argument.as_expression()) {
                (Argument::SpreadElement(spread), _) => {
                    let (list, _) = self.expression(&spread.argument, None);
                    parts.push(self.helper("items", vec![list], place).0);
                }
                (_, Some(argument)) => {
                    let (value, _) = self.expression(argument, None);
                    parts.push(self.list_of(vec![value], place));
                }
                (_, None) => {}
            }
        }
        let parts = self.list_of(parts, place);
        self.helper("concat", vec![parts], place).0
    }

    /// The arguments of a call whose function is known. Checks their number, adds null for those
    /// that are left out, and collects those of a rest parameter.
    fn checked_arguments(
        &mut self,
        arguments: &'a [Argument<'a>],
        signature: Option<&Signature<'a>>,
        name: &str,
        span: Span,
    ) -> Vec<Node<'a>> {
        let is_foreign = signature.is_some_and(|signature| signature.is_foreign);
        if self.is_mended()
            && let Some(signature) = signature.filter(|signature| signature.is_complete)
            && let Some((rest, parameters)) = signature.parameters.split_last()
            && let Some(spread) = arguments.iter().position(Argument::is_spread)
            && rest.is_rest
            && spread >= parameters.len()
        {
            // All that belongs to the rest parameter is one list.
            let (fixed, list) = arguments.split_at(parameters.len());
            let mut nodes = self.arguments(fixed, Some(signature), is_foreign);
            nodes.push(self.argument_list(list, span));
            return nodes;
        }
        let mut nodes = self.arguments(arguments, signature, is_foreign);
        let Some(signature) = signature.filter(|signature| self.is_mended() && signature.is_complete) else {
            return nodes;
        };
        let (parameters, rest) = match signature.parameters.split_last() {
            Some((last, parameters)) if last.is_rest => (parameters, true),
            _ => (&signature.parameters[..], false),
        };
        let least = parameters.iter().take_while(|parameter| !parameter.is_optional).count();
        let most = if rest { usize::MAX } else { parameters.len() };
        if nodes.len() < least || nodes.len() > most {
            self.wrong_count(span, name, nodes.len(), least, most);
            return nodes;
        }
        while nodes.len() < parameters.len() {
            nodes.push(null(None));
        }
        if rest {
            let collected = nodes.split_off(parameters.len());
            nodes.push(self.list_of(collected, Some(span)));
        }
        nodes
    }

    pub(super) fn base_call(&mut self, call: &'a ast::CallExpression<'a>, span: Span) -> Typed<'a> {
        let base = self.class.and_then(|class| self.base_token(class));
        let signature = self
            .class
            .and_then(|class| self.unit.base(class))
            .and_then(|base| self.unit.constructor_of(base));
        let arguments = self.checked_arguments(&call.arguments, signature.as_ref(), "super", call.span);
        let Some(base) = base else {
            return (self.refuse(span, "`super` outside of a derived class", ""), Type::Void);
        };
        let name = self.unit.joined(base, ".ctor");
        let function = Node::new("LoadLocationExpression")
            .with("object", load(".super", Some(span)))
            .with("name", token(name, None))
            .at(span);
        (invoke(function, arguments, Some(call.span)), Type::Void)
    }

    pub(super) fn new_object(
        &mut self,
        new: &'a ast::NewExpression<'a>,
        expected: Option<&Type<'a>>,
    ) -> Typed<'a> {
        if let (Expression::Identifier(name), true) = (&new.callee, self.is_mended())
            && name.name == "Error"
            && self.unit.symbol_of(self.module, &new.callee, Space::Value).is_none()
        {
            return self.error_object(new);
        }
        let (ty, signature) = self.constructed(new, expected);
        let name = match &ty {
            Type::Instance(class) => self.unit.class(*class).name,
            _ => "the constructor",
        };
        let arguments = self.checked_arguments(&new.arguments, signature.as_ref(), name, new.span);
        if let (Type::Instance(class), true) = (&ty, self.is_mended())
            && self.unit.class(*class).is_abstract()
        {
            let message = format!("`{name}` is abstract");
            self.fault(FaultCode::Refused, new.span, message, "construct a class that is derived from it");
        }
        let token = self.unit.type_token(&ty).unwrap_or("dynamic");
        let node = Node::new("NewExpression")
            .with("type", type_token(token, Some(new.callee.span())))
            .with("arguments", arguments_of(arguments))
            .at(new.span);
        (node, ty)
    }

    /// The type of a new object, and the signature of its constructor.
    fn constructed(
        &mut self,
        new: &'a ast::NewExpression<'a>,
        expected: Option<&Type<'a>>,
    ) -> (Type<'a>, Option<Signature<'a>>) {
        let is_local =
            matches!(&new.callee, Expression::Identifier(name) if self.local(name.name.as_str()).is_some());
        if !is_local && let Some(symbol) = self.unit.symbol_of(self.module, &new.callee, Space::Value) {
            return match self.unit.type_of_symbol(&symbol) {
                Type::Statics(class) => (Type::Instance(class), self.unit.constructor_of(class)),
                _ => {
                    let help = "construct a class that is declared or imported";
                    self.refuse_late(new.callee.span(), "`new` with a value that is not a class", help);
                    (Type::Dynamic, None)
                }
            };
        }
        let Expression::Identifier(name) = &new.callee else { return (Type::Dynamic, None) };
        let mut arguments = new
            .type_arguments
            .iter()
            .flat_map(|arguments| &arguments.params)
            .map(|argument| self.unit.annotated(self.module, argument));
        let next = &mut || arguments.next();
        match name.name.as_str() {
            "Map" => {
                let types = match (next(), expected) {
                    (Some(key), _) => Rc::new((key, next().unwrap_or(Type::Dynamic))),
                    (None, Some(Type::Map(types))) => Rc::clone(types),
                    (None, _) => Rc::new((Type::Dynamic, Type::Dynamic)),
                };
                let entry = Type::Tuple(Rc::new(vec![types.0.clone(), types.1.clone()]));
                let parameter = crate::static_type::ParameterType {
                    name: "entries",
                    ty: Type::array(entry),
                    is_optional: true,
                    is_rest: false,
                };
                let signature = Signature {
                    parameters: vec![parameter],
                    result: Type::Void,
                    is_annotation: false,
                    is_complete: true,
                    is_foreign: false,
                };
                (Type::Map(types), Some(signature))
            }
            "Array" => (Type::array(next().unwrap_or(Type::Dynamic)), None),
            "Object" => (Type::Object, None),
            name if self.is_compatible() => (Type::Named(self.unit.library_token(name)), None),
            name if let Some(class) = self.unit.helper_class(name) => {
                (Type::Instance(class), self.unit.constructor_of(class))
            }
            name => match super::builtin::excluded(name) {
                Some(help) => {
                    self.refuse(new.callee.span(), &format!("`{name}`"), help);
                    (Type::Dynamic, None)
                }
                None => {
                    let message = format!("`{name}` is not declared");
                    self.fault(FaultCode::Name, new.callee.span(), message, "declare or import it");
                    (Type::Dynamic, None)
                }
            },
        }
    }

    /// Refuses, unless the compilers of 2017 are reproduced.
    pub(super) fn refuse_late(&self, span: Span, what: &str, help: &str) {
        if !self.is_compatible() {
            self.refuse(span, what, help);
        }
    }
}
