//! Classes and interfaces.

use super::Lowerer;
use super::function::Syntax;
use crate::declare::{bound_names, key_name, name_span};
use crate::ids::ClassId;
use crate::il::{Il, Node, block, expression_statement, identifier, load, token, type_token};
use crate::static_type::Type;
use crate::target::Target;
use crate::unit::{ForeignMember, Space, Symbol};
use oxc_ast::ast::{
    self, ClassElement, Expression, MethodDefinitionKind, TSAccessibility, TSMethodSignatureKind, TSSignature,
};
use oxc_span::{GetSpan, Span};

/// The members of a class while it is lowered, in their order.
#[derive(Default)]
struct Members<'a> {
    entries: Vec<(&'a str, Node<'a>)>,
}

impl<'a> Members<'a> {
    fn set(&mut self, name: &'a str, node: Node<'a>) {
        match self.get(name) {
            Some(entry) => *entry = node,
            None => self.entries.push((name, node)),
        }
    }

    fn get(&mut self, name: &str) -> Option<&mut Node<'a>> {
        self.entries.iter_mut().find(|(key, _)| *key == name).map(|(_, node)| node)
    }

    fn into_map(self) -> Il<'a> {
        Il::Map(self.entries.into_iter().map(|(name, node)| (name, node.into())).collect())
    }
}

/// Whether a statement calls the function with this token.
fn calls(statement: &Il<'_>, name: &str) -> bool {
    let Il::Node(statement) = statement else { return false };
    let Some(Il::Node(call)) = statement.field("expression") else { return false };
    let Some(Il::Node(function)) = call.field("function") else { return false };
    let Some(Il::Node(token)) = function.field("name") else { return false };
    matches!(token.field("tok"), Some(Il::Text(text)) if *text == name)
}

fn access(accessibility: Option<TSAccessibility>) -> &'static str {
    match accessibility {
        Some(TSAccessibility::Private) => "private",
        Some(TSAccessibility::Protected) => "protected",
        Some(TSAccessibility::Public) | None => "public",
    }
}

impl<'a> Lowerer<'_, 'a> {
    /// Lowers a class. `span` is the place of its whole declaration.
    pub(super) fn class_node(&mut self, id: ClassId, class: &'a ast::Class<'a>, span: Span) -> Node<'a> {
        let (outer_class, outer_this) = (self.class.replace(id), self.this.clone());
        let base = class.super_class.as_ref().map(|base| self.type_named(base));
        let attributes = self.attributes_of_2017(&class.decorators);
        let mut members = Members::default();
        self.methods(class, &mut members);
        self.accessors(class, &mut members);
        let (static_values, values) = self.properties(class, &mut members);
        if !static_values.is_empty() {
            let initializer = Node::new("ClassMethod")
                .with("name", identifier(".init", None))
                .with("static", true)
                .with("body", block(static_values));
            members.set(".init", initializer);
        }
        self.constructor(class, base, values, &mut members, span);
        let name = match &class.id {
            Some(id) => identifier(id.name.as_str(), Some(id.span)),
            None => identifier("default", None),
        };
        let implements: Vec<Node<'a>> = class
            .implements
            .iter()
            .filter_map(|implemented| {
                let symbol =
                    self.unit.symbol_of_type_name(self.module_id(), &implemented.expression, Space::Type)?;
                Some(type_token(self.token_of_symbol(&symbol)?, None))
            })
            .collect();
        (self.class, self.this) = (outer_class, outer_this);
        Node::new("Class")
            .with("name", name)
            .maybe("attributes", attributes)
            .with("members", members.into_map())
            .with("abstract", class.r#abstract)
            .maybe("extends", base.map(|base| type_token(base, None)))
            .maybe("implements", Some(implements).filter(|implements| !implements.is_empty()))
            .at(span)
    }

    /// Decorators of definitions other than parameters, which the first compiler did not keep.
    fn attributes_of_2017(&mut self, decorators: &'a [ast::Decorator<'a>]) -> Option<Vec<Node<'a>>> {
        match self.unit.target {
            Target::Coconut2017 => None,
            _ => self.attributes(decorators),
        }
    }

    fn token_of_symbol(&self, symbol: &Symbol<'a>) -> Option<&'a str> {
        match symbol {
            Symbol::Member(member) => Some(self.unit.member_token(*member)),
            Symbol::Foreign(ForeignMember::Class(class)) => Some(self.unit.class(*class).token),
            _ => None,
        }
    }

    /// The token of the base class.
    fn type_named(&mut self, expression: &'a Expression<'a>) -> &'a str {
        let module = self.module_id();
        let symbol = self
            .unit
            .symbol_of(module, expression, Space::Value)
            .or_else(|| self.unit.symbol_of(module, expression, Space::Type));
        if let Some(token) = symbol.and_then(|symbol| self.token_of_symbol(&symbol)) {
            return token;
        }
        if let (Expression::Identifier(name), true) = (expression, self.is_compatible()) {
            return self.unit.library_token(name.name.as_str());
        }
        self.refuse(expression.span(), "a base class that is neither declared nor imported", "");
        "dynamic"
    }

    /// The token of the base of a class.
    pub(super) fn base_token(&self, class: ClassId) -> Option<&'a str> {
        if let Some(base) = self.unit.base(class) {
            return Some(self.unit.class(base).token);
        }
        match &self.unit.class(class).source {
            crate::unit::ClassSource::Class(class) => match class.super_class.as_ref()? {
                Expression::Identifier(name) if self.is_compatible() => {
                    Some(self.unit.library_token(name.name.as_str()))
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn own_token(&self, name: &str) -> &'a str {
        let class = self.class.map_or("", |class| self.unit.class(class).token);
        self.unit.joined(class, name)
    }

    /// Sets the type of `this` for a member.
    fn enter_member(&mut self, is_static: bool) {
        self.this = match (self.class, is_static) {
            (Some(class), true) => Type::Statics(class),
            (Some(class), false) => Type::Instance(class),
            (None, _) => Type::Dynamic,
        };
    }

    fn methods(&mut self, class: &'a ast::Class<'a>, members: &mut Members<'a>) {
        for element in &class.body.body {
            match element {
                ClassElement::MethodDefinition(method)
                    if matches!(
                        method.kind,
                        MethodDefinitionKind::Method | MethodDefinitionKind::Constructor
                    ) =>
                {
                    if method.value.body.is_none()
                        && method.value.r#type == ast::FunctionType::TSEmptyBodyFunctionExpression
                        && method.r#type == ast::MethodDefinitionType::MethodDefinition
                        && !self.is_compatible()
                    {
                        // An overload of the method that follows.
                        continue;
                    }
                    if let Some((name, node)) = self.method(method) {
                        members.set(name, node);
                    }
                }
                ClassElement::StaticBlock(block) => {
                    self.refuse(block.span, "a static block", "initialize the static properties");
                }
                ClassElement::AccessorProperty(property) => {
                    self.refuse(property.span, "an `accessor` property", "write a getter and a setter");
                }
                _ => {}
            }
        }
    }

    fn method(&mut self, method: &'a ast::MethodDefinition<'a>) -> Option<(&'a str, Node<'a>)> {
        let function: &'a ast::Function<'a> = &method.value;
        let is_constructor = method.kind == MethodDefinitionKind::Constructor;
        let (name, place) = match key_name(self.unit.arena, &method.key).filter(|_| !method.computed) {
            _ if is_constructor => (".ctor", None),
            Some((name, span)) => (name, Some(span)),
            None => {
                self.refuse(method.key.span(), "a computed name of a member", "write the name");
                return None;
            }
        };
        self.check_function(function.r#async, function.generator, method.span);
        self.enter_member(method.r#static);
        let syntax = Syntax { is_constructor, ..Syntax::of(function) };
        let lowered = self.function(syntax, None);
        let attributes = self.attributes_of_2017(&method.decorators);
        let node = Node::new("ClassMethod")
            .with("name", identifier(name, place))
            .maybe("attributes", attributes)
            .with(
                "access",
                if method.key.is_private_identifier() { "private" } else { access(method.accessibility) },
            )
            .with("parameters", lowered.parameters)
            .maybe("body", lowered.body)
            .maybe("returnType", lowered.return_type)
            .with("static", method.r#static)
            .with("abstract", method.r#type == ast::MethodDefinitionType::TSAbstractMethodDefinition)
            .at(self.declared_span(method.span, &method.decorators));
        Some((name, node))
    }

    /// The place of a declaration with its decorators.
    fn declared_span(&self, span: Span, decorators: &[ast::Decorator<'a>]) -> Span {
        let start = decorators.first().map_or(span.start, |decorator| decorator.span.start.min(span.start));
        Span::new(start, span.end)
    }

    fn accessors(&mut self, class: &'a ast::Class<'a>, members: &mut Members<'a>) {
        for element in &class.body.body {
            let ClassElement::MethodDefinition(method) = element else { continue };
            let (key, prefix) = match method.kind {
                MethodDefinitionKind::Get => ("getter", "get_"),
                MethodDefinitionKind::Set => ("setter", "set_"),
                _ => continue,
            };
            let Some((name, mut accessor)) = self.method(method) else { continue };
            let place = key_name(self.unit.arena, &method.key).map(|(_, span)| span);
            let (parameters, result) = (accessor.field("parameters"), accessor.field("returnType"));
            let ty = match (key, parameters, result) {
                ("setter", Some(Il::List(parameters)), _) => match parameters.first() {
                    Some(Il::Node(parameter)) => parameter.field("type").cloned(),
                    _ => None,
                },
                (_, _, result) => result.cloned(),
            };
            let ty = ty.unwrap_or_else(|| type_token("dynamic", None).into());
            if let Some(name_field) = accessor.field_mut("name") {
                *name_field = identifier(self.text(&format!("{prefix}{name}")), None).into();
            }
            if members.get(name).is_none() {
                let property = Node::new("ClassProperty")
                    .with("name", identifier(name, place))
                    .with("type", ty)
                    .with("access", access(method.accessibility))
                    .at(self.declared_span(method.span, &method.decorators));
                members.set(name, property);
            }
            if let Some(property) = members.get(name) {
                property.fields.push((key, accessor.into()));
            }
        }
    }

    /// Adds the properties, and returns the initializations of static and of other ones.
    fn properties(
        &mut self,
        class: &'a ast::Class<'a>,
        members: &mut Members<'a>,
    ) -> (Vec<Node<'a>>, Vec<Node<'a>>) {
        let (mut static_values, mut values) = (Vec::new(), Vec::new());
        for element in &class.body.body {
            let ClassElement::PropertyDefinition(property) = element else { continue };
            let Some((name, name_span)) =
                key_name(self.unit.arena, &property.key).filter(|_| !property.computed)
            else {
                self.refuse(property.key.span(), "a computed name of a member", "write the name");
                continue;
            };
            self.enter_member(property.r#static);
            let annotation = property.type_annotation.as_ref();
            let annotated = annotation
                .map(|annotation| self.unit.annotated(self.module_id(), &annotation.type_annotation));
            let value = property.value.as_ref().map(|value| self.expression(value, annotated.as_ref()));
            let ty = match (annotated, &value) {
                (Some(ty), _) => ty,
                (None, Some((_, ty))) => ty.clone().widened(),
                (None, None) => Type::Dynamic,
            };
            let attributes = self.attributes_of_2017(&property.decorators);
            let span = self.declared_span(property.span, &property.decorators);
            let token_text = self.unit.type_token(&ty).unwrap_or("dynamic");
            let node = Node::new("ClassProperty")
                .with("name", identifier(name, Some(name_span)))
                .maybe("attributes", attributes)
                .with(
                    "access",
                    if property.key.is_private_identifier() {
                        "private"
                    } else {
                        access(property.accessibility)
                    },
                )
                .with("readonly", property.readonly)
                .with("optional", property.optional)
                .with("static", property.r#static)
                .with("type", type_token(token_text, Some(span)));
            members.set(name, node);
            if let Some((value, _)) = value {
                let object = (!property.r#static).then(|| load(".this", None));
                let name = token(self.own_token(name), Some(name_span));
                let statement = self.initialization(name, object, value);
                if property.r#static { static_values.push(statement) } else { values.push(statement) }
            }
        }
        (static_values, values)
    }

    /// Puts the initial values of properties into the constructor. Makes one up if there is none.
    fn constructor(
        &mut self,
        class: &'a ast::Class<'a>,
        base: Option<&'a str>,
        values: Vec<Node<'a>>,
        members: &mut Members<'a>,
        span: Span,
    ) {
        if self.is_mended() {
            return self.mended_constructor(class, base, values, members, span);
        }
        let is_needed = !values.is_empty() || self.unit.target != Target::Coconut2017;
        if members.get(".ctor").is_none() {
            if !is_needed {
                return;
            }
            let made_up = Node::new("ClassMethod")
                .with("name", identifier(".ctor", None))
                .with("access", "public")
                .with("body", block(Vec::new()).at(span));
            members.set(".ctor", made_up);
        }
        if values.is_empty() {
            return;
        }
        let place = Some(class.span);
        let base_call = base.map(|base| self.empty_base_call(base, place));
        let Some(Il::Node(body)) = members.get(".ctor").and_then(|constructor| constructor.field_mut("body"))
        else {
            return;
        };
        let Some(Il::List(statements)) = body.field_mut("statements") else { return };
        let mut at = 0;
        if let (Some(base_call), true) = (base_call, statements.is_empty()) {
            statements.push(base_call.into());
            at = 1;
        }
        statements.splice(at..at, values.into_iter().map(Il::Node));
    }

    /// As `constructor`, but the constructor of the base runs, and before the initial values.
    fn mended_constructor(
        &mut self,
        class: &'a ast::Class<'a>,
        base: Option<&'a str>,
        mut values: Vec<Node<'a>>,
        members: &mut Members<'a>,
        span: Span,
    ) {
        if members.get(".ctor").is_none() {
            let (parameters, mut statements) = match base {
                Some(base) => self.passed_on(base, span),
                None => (Vec::new(), Vec::new()),
            };
            statements.extend(values);
            let made_up = Node::new("ClassMethod")
                .with("name", identifier(".ctor", None))
                .with("access", "public")
                .with("parameters", parameters)
                .with("body", block(statements).at(span));
            members.set(".ctor", made_up);
            return;
        }
        self.parameter_properties(class, members, &mut values);
        let prologue = self.prologue;
        let base_constructor = base.map(|base| self.unit.joined(base, ".ctor"));
        let Some(Il::Node(body)) = members.get(".ctor").and_then(|constructor| constructor.field_mut("body"))
        else {
            return;
        };
        let Some(Il::List(statements)) = body.field_mut("statements") else { return };
        let is_base_call = |statement: &Il<'a>| base_constructor.is_some_and(|name| calls(statement, name));
        let call = statements.iter().position(is_base_call);
        if base.is_some() && call.is_none() {
            let help = "call `super(…)` as a statement of the constructor, before `this` is used";
            self.refuse(class.span, "a constructor of a derived class without `super`", help);
            return;
        }
        let at = call.map_or(prologue.min(statements.len()), |call| call + 1);
        statements.splice(at..at, values.into_iter().map(Il::Node));
    }

    /// The parameters of a constructor that passes them all on to that of the base, and the call.
    fn passed_on(&mut self, base: &'a str, span: Span) -> (Vec<Node<'a>>, Vec<Node<'a>>) {
        let id = self.class.and_then(|class| self.unit.base(class));
        let signature = id.and_then(|id| self.unit.constructor_of(id));
        let names: Vec<&'a str> = signature
            .into_iter()
            .flat_map(|signature| signature.parameters)
            .enumerate()
            .map(|(number, parameter)| match parameter.name {
                "" => self.text(&format!(".argument{number}")),
                name => name,
            })
            .collect();
        let parameter = |name: &&'a str| {
            Node::new("LocalVariable")
                .with("name", identifier(name, None))
                .with("type", type_token("dynamic", None))
        };
        let name = self.unit.joined(base, ".ctor");
        let function = Node::new("LoadLocationExpression")
            .with("object", load(".super", None))
            .with("name", token(name, None))
            .at(span);
        let arguments = names.iter().map(|name| load(name, None)).collect();
        let call = expression_statement(crate::il::invoke(function, arguments, Some(span)), Some(span));
        (names.iter().map(parameter).collect(), vec![call])
    }

    /// Properties that are declared as parameters of the constructor.
    fn parameter_properties(
        &mut self,
        class: &'a ast::Class<'a>,
        members: &mut Members<'a>,
        values: &mut Vec<Node<'a>>,
    ) {
        let constructor = class.body.body.iter().find_map(|element| match element {
            ClassElement::MethodDefinition(method)
                if method.kind == MethodDefinitionKind::Constructor && method.value.body.is_some() =>
            {
                Some(method)
            }
            _ => None,
        });
        let mut sets = Vec::new();
        for parameter in constructor.iter().flat_map(|method| &method.value.params.items) {
            if parameter.accessibility.is_none() && !parameter.readonly {
                continue;
            }
            for name in bound_names(&parameter.pattern) {
                let (text, place) = (name.name.as_str(), Some(name_span(name)));
                let ty = match self.class.and_then(|class| self.unit.element(class, text)) {
                    Some((owner, element)) => self.unit.type_of_element(owner, &element),
                    None => Type::Dynamic,
                };
                let token_text = self.unit.type_token(&ty).unwrap_or("dynamic");
                let node = Node::new("ClassProperty")
                    .with("name", identifier(text, place))
                    .with("access", access(parameter.accessibility))
                    .with("readonly", parameter.readonly)
                    .with("optional", false)
                    .with("static", false)
                    .with("type", type_token(token_text, Some(parameter.span)));
                members.set(text, node);
                let value = load(text, place);
                sets.push(self.initialization(
                    token(self.own_token(text), place),
                    Some(load(".this", None)),
                    value,
                ));
            }
        }
        values.splice(0..0, sets);
    }

    fn empty_base_call(&self, base: &'a str, place: Option<Span>) -> Node<'a> {
        let name = self.unit.joined(base, ".ctor");
        let function = Node::new("LoadLocationExpression")
            .with("object", load(".super", None))
            .with("name", token(name, None));
        expression_statement(Node::new("InvokeFunctionExpression").with("function", function), place)
    }

    /// Lowers an interface. `span` is the place of its whole declaration.
    pub(super) fn interface_node(
        &mut self,
        id: ClassId,
        interface: &'a ast::TSInterfaceDeclaration<'a>,
        span: Span,
    ) -> Node<'a> {
        let outer_class = self.class.replace(id);
        let mut members = Members::default();
        for signature in &interface.body.body {
            if let Some((name, node)) = self.signature(signature) {
                members.set(name, node.with("primary", true));
            }
        }
        let base = interface.extends.first().map(|base| self.type_named(&base.expression));
        self.class = outer_class;
        Node::new("Class")
            .with("name", identifier(interface.id.name.as_str(), Some(interface.id.span)))
            .with("members", members.into_map())
            .with("interface", true)
            .with("record", true)
            .maybe("extends", base.map(|base| type_token(base, None)))
            .at(span)
    }

    fn signature(&mut self, signature: &'a TSSignature<'a>) -> Option<(&'a str, Node<'a>)> {
        match signature {
            TSSignature::TSPropertySignature(property) => {
                let Some((name, name_span)) =
                    key_name(self.unit.arena, &property.key).filter(|_| !property.computed)
                else {
                    self.refuse(property.key.span(), "a computed name of a member", "write the name");
                    return None;
                };
                let annotation = property.type_annotation.as_ref();
                let ty = annotation.map_or(Type::Dynamic, |annotation| {
                    self.unit.annotated(self.module_id(), &annotation.type_annotation)
                });
                let token_text = self.unit.type_token(&ty).unwrap_or("dynamic");
                let node = Node::new("ClassProperty")
                    .with("name", identifier(name, Some(name_span)))
                    .with("access", "public")
                    .with("readonly", property.readonly)
                    .with("optional", property.optional)
                    .with("static", false)
                    .with("type", type_token(token_text, Some(property.span)));
                Some((name, node))
            }
            TSSignature::TSMethodSignature(method) => {
                let Some((name, name_span)) =
                    key_name(self.unit.arena, &method.key).filter(|_| !method.computed)
                else {
                    self.refuse(method.key.span(), "a computed name of a member", "write the name");
                    return None;
                };
                if method.kind != TSMethodSignatureKind::Method {
                    self.refuse(method.span, "an accessor of an interface", "declare a property");
                    return None;
                }
                let syntax = Syntax {
                    parameters: &method.params,
                    body: None,
                    return_type: method.return_type.as_deref(),
                    is_expression: false,
                    is_constructor: false,
                };
                let lowered = self.function(syntax, None);
                let node = Node::new("ClassMethod")
                    .with("name", identifier(name, Some(name_span)))
                    .with("access", "public")
                    .with("parameters", lowered.parameters)
                    .maybe("returnType", lowered.return_type)
                    .with("abstract", true)
                    .at(method.span);
                Some((name, node))
            }
            // The keys of a map are not members.
            TSSignature::TSIndexSignature(_) if !self.is_compatible() => None,
            signature => {
                self.refuse(
                    signature.span(),
                    "this member of an interface",
                    "declare a property with the type of a function",
                );
                None
            }
        }
    }
}
