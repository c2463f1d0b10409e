//! Expressions.

use super::mended::Kept;
use super::{Lowerer, Typed};
use crate::declare::private_name;
use crate::fault::FaultCode;
use crate::ids::ModuleId;
use crate::il::{
    Node, arguments_of, binary, expression_statement, find, invoke, load, null, token, type_token,
};
use crate::static_type::{Signature, Type};
use crate::unit::{ForeignMember, Space, Symbol};
use oxc_ast::ast::{
    self, Argument, AssignmentOperator, AssignmentTarget, BinaryOperator, Expression, LogicalOperator,
    SimpleAssignmentTarget, UnaryOperator, UpdateOperator,
};
use oxc_span::{GetSpan, Span};
use std::rc::Rc;

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

    fn computed_member(&mut self, member: &'a ast::ComputedMemberExpression<'a>) -> Typed<'a> {
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
            return (self.helper("at", vec![object, key], Some(member.span)).0, Type::String);
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

    fn call(&mut self, call: &'a ast::CallExpression<'a>) -> Typed<'a> {
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

    /// `a?.b`, `a?.[b]` and `a?.()`: null if the object before is null.
    fn chain(&mut self, chain: &'a ast::ChainExpression<'a>) -> Typed<'a> {
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

    fn base_call(&mut self, call: &'a ast::CallExpression<'a>, span: Span) -> Typed<'a> {
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

    fn new_object(&mut self, new: &'a ast::NewExpression<'a>, expected: Option<&Type<'a>>) -> Typed<'a> {
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
    fn refuse_late(&self, span: Span, what: &str, help: &str) {
        if !self.is_compatible() {
            self.refuse(span, what, help);
        }
    }

    fn assignment(&mut self, assignment: &'a ast::AssignmentExpression<'a>) -> Typed<'a> {
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
                self.check_assignable(name.name.as_str(), name.span);
                self.name(name.name.as_str(), name.span)
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

    fn binary(&mut self, operation: &'a ast::BinaryExpression<'a>) -> Typed<'a> {
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

    fn logical(&mut self, operation: &'a ast::LogicalExpression<'a>) -> Typed<'a> {
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

    fn unary(&mut self, operation: &'a ast::UnaryExpression<'a>) -> Typed<'a> {
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

    fn update(&mut self, operation: &'a ast::UpdateExpression<'a>) -> Typed<'a> {
        let operator = match operation.operator {
            UpdateOperator::Increment => "++",
            UpdateOperator::Decrement => "--",
        };
        let (operand, _) = self.simple_target(&operation.argument);
        (self.unary_node(operator, !operation.prefix, operand, Some(operation.span)), Type::Number)
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
