//! Functions: parameters, bodies, results, and functions as values.

use super::{Lowerer, Typed};
use crate::declare::{annotation_of, name_span};
use crate::il::{
    Il, Node, assignment, binary, block, expression_statement, identifier, load, null, return_statement,
    token, type_token,
};
use crate::static_type::{ParameterType, Signature, Type};
use oxc_ast::ast::{self, BindingPatternKind, Statement};
use oxc_ast_visit::Visit;
use oxc_span::{GetSpan, Span};
use oxc_syntax::scope::ScopeFlags;
use std::rc::Rc;

/// The parts of a function.
pub(super) struct Function<'a> {
    pub(super) parameters: Vec<Node<'a>>,
    pub(super) body: Option<Node<'a>>,
    pub(super) signature: Signature<'a>,
    pub(super) return_type: Option<Node<'a>>,
}

/// The parts of syntax that functions have in common.
#[derive(Clone, Copy)]
pub(super) struct Syntax<'a> {
    pub(super) parameters: &'a ast::FormalParameters<'a>,
    pub(super) body: Option<&'a ast::FunctionBody<'a>>,
    pub(super) return_type: Option<&'a ast::TSTypeAnnotation<'a>>,
    /// Whether the body is an expression.
    pub(super) is_expression: bool,
    pub(super) is_constructor: bool,
}

impl<'a> Syntax<'a> {
    pub(super) fn of(function: &'a ast::Function<'a>) -> Syntax<'a> {
        Syntax {
            parameters: &function.params,
            body: function.body.as_deref(),
            return_type: function.return_type.as_deref(),
            is_expression: false,
            is_constructor: false,
        }
    }
}

impl<'a> Lowerer<'_, 'a> {
    /// The type of the values that a function returns.
    pub(crate) fn result_of(&mut self, function: &'a ast::Function<'a>) -> Type<'a> {
        self.function(Syntax::of(function), None).signature.result
    }

    /// Refuses what functions of packages cannot do.
    pub(super) fn check_function(&mut self, is_async: bool, is_generator: bool, span: Span) {
        if is_generator {
            self.refuse(span, "a generator", "return a list instead");
        }
        if is_async {
            self.refuse(
                span,
                "an `async` function",
                "packages run without waiting; remove `async` and `await`",
            );
        }
    }

    /// Lowers a function. `expected` has the types of parameters that have no annotation.
    pub(super) fn function(&mut self, syntax: Syntax<'a>, expected: Option<&Signature<'a>>) -> Function<'a> {
        let blocks = std::mem::take(&mut self.blocks);
        let function = self.scoped(|lowerer| lowerer.function_in_scope(syntax, expected));
        self.blocks = blocks;
        function
    }

    fn function_in_scope(&mut self, syntax: Syntax<'a>, expected: Option<&Signature<'a>>) -> Function<'a> {
        let mut parameters = Vec::with_capacity(syntax.parameters.items.len());
        let mut types = Vec::with_capacity(syntax.parameters.items.len());
        let mut defaults = Vec::new();
        // Names of parameters are declared inside the function.
        self.returns.push(Vec::new());
        let gives_values = match syntax.return_type {
            Some(annotation) => {
                self.unit.annotated(self.module_id(), &annotation.type_annotation) != Type::Void
            }
            None => syntax.body.is_some_and(gives_value),
        };
        self.gives_values.push(gives_values);
        for (number, parameter) in syntax.parameters.items.iter().enumerate() {
            let expected = expected.and_then(|signature| signature.parameters.get(number));
            let (node, ty) = self.parameter(parameter, expected, &mut defaults);
            parameters.push(node);
            types.push(ty);
        }
        if let Some(rest) = &syntax.parameters.rest {
            match &rest.argument.kind {
                BindingPatternKind::BindingIdentifier(name) if self.is_mended() => {
                    let annotation = annotation_of(&rest.argument);
                    let ty = annotation.map_or_else(
                        || Type::array(Type::Dynamic),
                        |annotation| self.unit.annotated(self.module_id(), annotation),
                    );
                    let name_text = name.name.as_str();
                    self.declare(name_text, ty.clone(), false);
                    let token = self.unit.type_token(&ty).unwrap_or("dynamic");
                    let node = Node::new("LocalVariable")
                        .with("name", identifier(name_text, Some(name_span(name))))
                        .with("type", type_token(token, Some(rest.span)));
                    parameters.push(node);
                    types.push(ParameterType { name: name_text, ty, is_optional: true, is_rest: true });
                }
                _ => {
                    self.refuse(rest.span, "this rest parameter", "take a list instead");
                }
            }
        }
        if syntax.is_constructor {
            self.prologue = defaults.len();
        }
        let body = syntax.body.map(|body| self.body(body, syntax.is_expression, defaults));
        let returned = self.returns.pop().unwrap_or_default();
        self.gives_values.pop();
        if let Some(annotation) = syntax.return_type {
            self.erased.push(annotation.span);
        }
        let result = match syntax.return_type {
            Some(annotation) => self.unit.annotated(self.module_id(), &annotation.type_annotation),
            None if body.is_none() => Type::Dynamic,
            None if returned.is_empty() => Type::Void,
            None => self.unit.union(returned).widened(),
        };
        let return_type = match syntax.is_constructor {
            true => None,
            false => self.unit.type_token(&result).map(|token| type_token(token, None)),
        };
        let signature = Signature {
            parameters: types,
            result,
            is_annotation: false,
            is_complete: true,
            is_foreign: false,
        };
        Function { parameters, body, signature, return_type }
    }

    fn parameter(
        &mut self,
        parameter: &'a ast::FormalParameter<'a>,
        expected: Option<&ParameterType<'a>>,
        defaults: &mut Vec<Node<'a>>,
    ) -> (Node<'a>, ParameterType<'a>) {
        let (pattern, default) = match &parameter.pattern.kind {
            BindingPatternKind::AssignmentPattern(default) => (&default.left, Some(&default.right)),
            _ => (&parameter.pattern, None),
        };
        self.erase_annotation(pattern);
        self.erase_annotation(&parameter.pattern);
        let annotation = annotation_of(&parameter.pattern);
        let annotated = annotation.map(|annotation| {
            let ty = self.unit.annotated(self.module_id(), annotation);
            self.unit.maybe_null(ty, parameter.pattern.optional)
        });
        let default = default.map(|default| self.expression(default, annotated.as_ref()));
        let ty = match (annotated, &default, expected) {
            (Some(ty), ..) => ty,
            (None, Some((_, ty)), _) => ty.clone().widened(),
            (None, None, Some(expected)) => expected.ty.clone(),
            (None, None, None) => Type::Dynamic,
        };
        let (name, place) = match &pattern.kind {
            BindingPatternKind::BindingIdentifier(name) => (name.name.as_str(), name_span(name)),
            _ if self.is_mended() => (self.made_up_name("parameter"), pattern.span()),
            _ => {
                self.refuse(pattern.span(), "a pattern as a parameter", "");
                ("", pattern.span())
            }
        };
        self.declare(name, ty.clone(), false);
        let is_optional = parameter.pattern.optional || default.is_some();
        if let Some((value, _)) = default {
            let value_place = value.place();
            let target = Node::new("LoadLocationExpression")
                .with("name", token(name, Some(place)))
                .at_maybe(value_place);
            let set = expression_statement(assignment(target, value), value_place);
            defaults.push(match self.is_mended() {
                true => {
                    let test = binary("==", load(name, None), null(None), value_place);
                    Node::new("IfStatement")
                        .with("condition", test)
                        .with("consequent", block(vec![set]))
                        .at_maybe(value_place)
                }
                false => set,
            });
        }
        if !matches!(pattern.kind, BindingPatternKind::BindingIdentifier(_)) && self.is_mended() {
            let whole = (load(name, Some(place)), ty.clone());
            let parts = self.parts(pattern, whole, defaults);
            for part in parts {
                self.declare(part.name, Type::Dynamic, false);
                defaults.extend(self.local_part(part, false));
            }
        }
        let span = parameter.span;
        let token = self.unit.type_token(&ty).unwrap_or("dynamic");
        let node = Node::new("LocalVariable")
            .with("name", identifier(name, Some(place)))
            .with("type", type_token(token, Some(span)))
            .maybe("attributes", self.attributes(&parameter.decorators));
        (node, ParameterType { name, ty, is_optional, is_rest: false })
    }

    fn body(
        &mut self,
        body: &'a ast::FunctionBody<'a>,
        is_expression: bool,
        defaults: Vec<Node<'a>>,
    ) -> Node<'a> {
        let mut statements = defaults;
        if let (true, Some(Statement::ExpressionStatement(value))) = (is_expression, body.statements.first())
        {
            let (value, ty) = self.expression(&value.expression, None);
            self.note_returned(ty);
            statements.push(return_statement(Some(value), None));
            return block(statements);
        }
        statements.extend(self.directives(&body.directives));
        statements.extend(self.statements(&body.statements));
        block(statements).at(body.span)
    }

    pub(super) fn note_returned(&mut self, ty: Type<'a>) {
        if let Some(returned) = self.returns.last_mut() {
            returned.push(ty);
        }
    }

    /// Leaves the type of a pattern out of the text of a function, and `?` before it.
    pub(super) fn erase_annotation(&mut self, pattern: &'a ast::BindingPattern<'a>) {
        let start = match &pattern.kind {
            BindingPatternKind::BindingIdentifier(name) => Some(name_span(name).end),
            _ => None,
        };
        match (&pattern.type_annotation, start) {
            (Some(annotation), Some(start)) => self.erased.push(Span::new(start, annotation.span.end)),
            (Some(annotation), None) => self.erased.push(annotation.span),
            (None, Some(start)) if pattern.optional => self.erased.push(Span::new(start, start + 1)),
            (None, _) => {}
        }
    }

    /// The text of a function without its types.
    fn text_of(&mut self, span: Span) -> &'a str {
        let source = &self.unit.module(self.module_id()).source;
        let mut places: Vec<Span> =
            self.erased.iter().filter(|place| span.contains_inclusive(**place)).copied().collect();
        if places.is_empty() {
            return source.slice(span);
        }
        places.sort_by_key(|place| place.start);
        let (mut text, mut at) = (String::new(), span.start);
        for place in places {
            if place.start >= at {
                text.push_str(source.slice(Span::new(at, place.start)));
                at = place.end;
            }
        }
        text.push_str(source.slice(Span::new(at, span.end)));
        self.text(&text)
    }

    /// A function that is given to another package, which may run it elsewhere: its text counts. If
    /// packages cannot run it, its body only names the captured variables, and throws.
    pub(super) fn code(
        &mut self,
        function: &'a ast::Expression<'a>,
        expected: Option<&Type<'a>>,
    ) -> Typed<'a> {
        let outer = (self.code.replace(self.returns.len()), std::mem::take(&mut self.mentioned));
        let before = self.unit.faults.borrow().len();
        let (mut node, ty) = self.expression(function, expected);
        let mentioned = std::mem::replace(&mut self.mentioned, outer.1);
        self.code = outer.0;
        if self.unit.faults.borrow().len() == before || node.field("sourceText").is_none() {
            return (node, ty);
        }
        self.unit.faults.borrow_mut().truncate(before);
        let mut statements = Vec::new();
        for name in mentioned {
            let (load, _) = self.name(name, function.span());
            statements.push(expression_statement(load, None));
        }
        let text = crate::il::string("this function runs only where it is deployed", None);
        statements.push(Node::new("ThrowStatement").with("expression", text));
        if let Some(body) = node.field_mut("body") {
            *body = block(statements).into();
        }
        (node, ty)
    }

    pub(super) fn arrow(
        &mut self,
        arrow: &'a ast::ArrowFunctionExpression<'a>,
        expected: Option<&Type<'a>>,
    ) -> Typed<'a> {
        self.check_function(arrow.r#async, false, arrow.span);
        let syntax = Syntax {
            parameters: &arrow.params,
            body: Some(&arrow.body),
            return_type: arrow.return_type.as_deref(),
            is_expression: arrow.expression,
            is_constructor: false,
        };
        let expected = match expected {
            Some(Type::Function(signature)) => Some(Rc::clone(signature)),
            _ => None,
        };
        let Function { mut parameters, body, signature, return_type } =
            self.function(syntax, expected.as_deref());
        if let (Some(expected), true) = (&expected, self.is_mended()) {
            // The function takes all arguments that it will be called with.
            for _ in parameters.len()..expected.parameters.len() {
                let name = identifier(self.made_up_name("unused"), None);
                parameters.push(
                    Node::new("LocalVariable").with("name", name).with("type", type_token("dynamic", None)),
                );
            }
        }
        let mut signature = signature;
        if let Some(expected) = expected.as_ref().filter(|_| self.is_mended()) {
            signature.parameters.extend(expected.parameters.iter().skip(signature.parameters.len()).cloned());
        }
        let text = match self.unit.target {
            crate::target::Target::Coconut2017 => None,
            crate::target::Target::Lumi2017 => {
                let source = &self.unit.module(self.module_id()).source;
                match super::es5::text_of_arrow(arrow, source) {
                    Some(text) => Some(self.text(&text)),
                    None => Some(self.text_of(arrow.span)),
                }
            }
            crate::target::Target::Current => Some(self.text_of(arrow.span)),
        };
        let node = Node::new("LambdaExpression")
            .with("parameters", parameters)
            .maybe("body", body)
            .maybe("returnType", return_type)
            .maybe("sourceText", text)
            .maybe("sourceLanguage", text.map(|_| ".js"))
            .at(arrow.span);
        (node, Type::Function(Rc::new(signature)))
    }

    /// A function expression, or a function declared in a block. If it has a name, the function is
    /// assigned to a local variable of that name.
    pub(super) fn local_function(&mut self, function: &'a ast::Function<'a>, span: Span) -> Typed<'a> {
        if self.is_mended() {
            return self.closure(function, span);
        }
        self.check_function(function.r#async, function.generator, span);
        let name = function.id.as_ref();
        let this = std::mem::replace(&mut self.this, Type::Dynamic);
        let Function { parameters, body, signature, return_type } = match name {
            Some(name) if function.is_expression() => self.scoped(|lowerer| {
                lowerer.declare(name.name.as_str(), Type::Dynamic, true);
                lowerer.function(Syntax::of(function), None)
            }),
            _ => self.function(Syntax::of(function), None),
        };
        self.this = this;
        let lambda = Node::new("LambdaExpression")
            .with("parameters", parameters)
            .maybe("body", body)
            .maybe("returnType", return_type)
            .at(span);
        let ty = Type::Function(Rc::new(signature.clone()));
        let Some(name) = name else { return (lambda, ty) };
        let (text, place) = (name.name.as_str(), Some(name.span));
        let local = Node::new("LocalVariable")
            .with("name", identifier(text, place))
            .with("type", type_token(self.unit.signature_token(&signature), None))
            .with("readonly", true)
            .at_maybe(place);
        let declaration = Node::new("LocalVariableDeclaration").with("local", local).at(span);
        let target = Node::new("LoadLocationExpression").with("name", token(text, place)).at(span);
        let value = Node::new("BinaryOperatorExpression")
            .with("left", target)
            .with("operator", "=")
            .with("right", lambda);
        let node = Node::new("SequenceExpression")
            .with("prelude", Il::List(vec![declaration.into()]))
            .with("value", value)
            .at(span);
        if !function.is_expression() {
            self.settle(text, ty.clone(), true);
        }
        (node, ty)
    }

    /// A function expression, or the value of a function that is declared in a block.
    pub(super) fn closure(&mut self, function: &'a ast::Function<'a>, span: Span) -> Typed<'a> {
        self.check_function(function.r#async, function.generator, span);
        let this = std::mem::replace(&mut self.this, Type::Dynamic);
        let own = function.id.as_ref().filter(|_| function.is_expression());
        let kept = own.map(|name| (name.name.as_str(), name_span(name)));
        let lowered = self.scoped(|lowerer| {
            if let Some((name, _)) = kept {
                lowerer.declare(name, Type::Dynamic, true);
            }
            lowerer.function(Syntax::of(function), None)
        });
        self.this = this;
        let text = self.text_of(span);
        let lambda = Node::new("LambdaExpression")
            .with("parameters", lowered.parameters)
            .maybe("body", lowered.body)
            .maybe("returnType", lowered.return_type)
            .with("sourceText", text)
            .with("sourceLanguage", ".js")
            .at(span);
        let ty = Type::Function(Rc::new(lowered.signature));
        // The name of a function expression is visible in the function.
        let Some((name, place)) = kept else { return (lambda, ty) };
        let local = Node::new("LocalVariable")
            .with("name", identifier(name, Some(place)))
            .with("type", type_token("dynamic", None));
        let declaration = Node::new("LocalVariableDeclaration").with("local", local);
        let set = self.initialization(token(name, Some(place)), None, lambda);
        let node = Node::new("SequenceExpression")
            .with("prelude", vec![declaration, set])
            .with("value", load(name, Some(place)))
            .at(span);
        (node, ty)
    }

    /// Decorators of a definition.
    pub(super) fn attributes(&mut self, decorators: &'a [ast::Decorator<'a>]) -> Option<Vec<Node<'a>>> {
        if decorators.is_empty() {
            return None;
        }
        let mut nodes = Vec::with_capacity(decorators.len());
        for decorator in decorators {
            let function = match &decorator.expression {
                ast::Expression::CallExpression(call) if !self.is_compatible() => &call.callee,
                function => function,
            };
            let name = match self.unit.symbol_of(self.module_id(), function, crate::unit::Space::Value) {
                Some(crate::unit::Symbol::Member(member)) => self.unit.member_token(member),
                Some(crate::unit::Symbol::Foreign(crate::unit::ForeignMember::Value(token, _))) => token,
                _ => {
                    self.refuse(decorator.span, "a decorator that is not a function of a module", "");
                    continue;
                }
            };
            nodes.push(Node::new("Attribute").with("decorator", token(name, None)));
        }
        Some(nodes)
    }
}

/// Whether a function body has a `return` with a value.
fn gives_value(body: &ast::FunctionBody<'_>) -> bool {
    struct Search(bool);
    impl<'a> Visit<'a> for Search {
        fn visit_return_statement(&mut self, statement: &ast::ReturnStatement<'a>) {
            self.0 |= statement.argument.is_some();
        }

        fn visit_function(&mut self, _: &ast::Function<'a>, _: ScopeFlags) {}

        fn visit_arrow_function_expression(&mut self, _: &ast::ArrowFunctionExpression<'a>) {}
    }
    let mut search = Search(false);
    search.visit_function_body(body);
    search.0
}
