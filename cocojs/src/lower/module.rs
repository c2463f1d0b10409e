//! Modules: members, exports, and the statements that run when a module is initialized.

use super::Lowerer;
use super::function::Syntax;
use crate::declare::{bound_names, name_span};
use crate::ids::{ModuleId, ModuleRef};
use crate::il::{Il, Node, block, identifier, token, type_token};
use crate::unit::{Binding, Declared, Space, Symbol, Unit};
use oxc_ast::ast::{
    self, BindingPatternKind, Declaration, ExportDefaultDeclarationKind, ImportOrExportKind, Statement,
};
use oxc_span::{GetSpan, Span};

/// Lowers a module.
pub(crate) fn lower_module<'a>(unit: &Unit<'a>, id: ModuleId) -> Node<'a> {
    let module = unit.module(id);
    let mut parts = Parts {
        lowerer: Lowerer::new(unit, id),
        members: Vec::new(),
        exports: Vec::new(),
        statements: Vec::new(),
    };
    for directive in parts.lowerer.directives(&module.ast.directives) {
        parts.statements.push(directive);
    }
    for statement in &module.ast.body {
        parts.top_statement(statement);
    }
    let Parts { mut members, exports, statements, .. } = parts;
    let function = |name: &'a str, statements: Vec<Node<'a>>| {
        Node::new("ModuleMethod").with("name", identifier(name, None)).with("body", block(statements))
    };
    if !statements.is_empty() {
        members.push((".init", function(".init", statements).into()));
    }
    // Each file of the language can be run. The statements at the top are in the initializer.
    members.push((".main", function(".main", Vec::new()).into()));
    let start = first_token(module.ast, module.source.text);
    let end = u32::try_from(module.source.text.len()).unwrap_or(u32::MAX);
    Node::new("Module")
        .with("name", identifier(module.name, None))
        .with("exports", Il::Map(exports))
        .with("members", Il::Map(members))
        .at(Span::new(start, end))
}

/// The place after white space and comments.
fn first_token(program: &ast::Program<'_>, text: &str) -> u32 {
    let end = u32::try_from(text.len()).unwrap_or(u32::MAX);
    let mut at = program.hashbang.as_ref().map_or(0, |line| line.span.end);
    let mut comments = program.comments.iter();
    loop {
        let rest = text.get(at as usize..).unwrap_or_default();
        let blank = rest.len()
            - rest
                .trim_start_matches(|character: char| character.is_whitespace() || character == '\u{feff}')
                .len();
        at = at.saturating_add(u32::try_from(blank).unwrap_or(u32::MAX)).min(end);
        match comments.next() {
            Some(comment) if comment.span.start == at => at = comment.span.end,
            _ => return at,
        }
    }
}

struct Parts<'u, 'a> {
    lowerer: Lowerer<'u, 'a>,
    members: Vec<(&'a str, Il<'a>)>,
    exports: Vec<(&'a str, Il<'a>)>,
    statements: Vec<Node<'a>>,
}

impl<'a> Parts<'_, 'a> {
    fn unit(&self) -> &Unit<'a> {
        self.lowerer.unit
    }

    fn top_statement(&mut self, statement: &'a Statement<'a>) {
        match statement {
            Statement::ImportDeclaration(import) => self.import(import),
            Statement::ExportNamedDeclaration(export) => match &export.declaration {
                Some(declaration) => {
                    for (name, place) in self.declaration(declaration, export.span) {
                        self.export_own(name, place, export.span);
                    }
                }
                None => self.export_names(export),
            },
            Statement::ExportDefaultDeclaration(export) => self.export_default(export),
            Statement::ExportAllDeclaration(export) => self.export_all(export),
            statement => match statement.as_declaration() {
                Some(declaration) => {
                    self.declaration(declaration, statement.span());
                }
                None => {
                    let node = self.lowerer.statement(statement);
                    if node.kind != "EmptyStatement" {
                        self.statements.push(node);
                    }
                }
            },
        }
    }

    fn module_of(&self, source: &ast::StringLiteral<'a>) -> Option<ModuleRef> {
        self.unit().module(self.lowerer.module_id()).imports.get(source.value.as_str()).copied()
    }

    fn import(&mut self, import: &'a ast::ImportDeclaration<'a>) {
        let is_type = import.import_kind == ImportOrExportKind::Type && !self.lowerer.is_compatible();
        let Some(specifiers) = &import.specifiers else { return };
        let Some(module) = self.module_of(&import.source) else { return };
        self.check_imported(module, specifiers);
        if !is_type {
            let referent = token(self.unit().module_token(module), Some(import.source.span));
            self.statements.push(Node::new("Import").with("referent", referent));
        }
    }

    /// Reports names that the imported module does not export.
    fn check_imported(&self, from: ModuleRef, specifiers: &'a [ast::ImportDeclarationSpecifier<'a>]) {
        for specifier in specifiers {
            let (name, span) = match specifier {
                ast::ImportDeclarationSpecifier::ImportSpecifier(specifier) => {
                    (specifier.imported.name().as_str(), specifier.imported.span())
                }
                ast::ImportDeclarationSpecifier::ImportDefaultSpecifier(specifier) => {
                    ("default", specifier.span)
                }
                ast::ImportDeclarationSpecifier::ImportNamespaceSpecifier(_) => continue,
            };
            self.check_exported(from, name, span);
        }
    }

    fn check_exported(&self, from: ModuleRef, name: &str, span: Span) -> bool {
        let unit = self.unit();
        let is_known = unit.exported(from, name, Space::Value).is_some()
            || unit.exported(from, name, Space::Type).is_some();
        if !is_known {
            let message = format!("module `{}` does not export `{name}`", unit.module_token(from));
            let help = self.lowerer.suggestion(name, unit.exported_names(from));
            self.lowerer.fault(crate::fault::FaultCode::Export, span, message, &help);
        }
        is_known
    }

    /// Lowers a declaration, and returns the names with their places.
    fn declaration(&mut self, declaration: &'a Declaration<'a>, span: Span) -> Vec<(&'a str, Option<Span>)> {
        match declaration {
            Declaration::VariableDeclaration(variables)
                if !variables.declare || self.lowerer.is_compatible() =>
            {
                self.variables(variables)
            }
            Declaration::FunctionDeclaration(function) if !function.declare => {
                let Some(name) = &function.id else { return Vec::new() };
                let named = vec![(name.name.as_str(), Some(name.span))];
                // A declaration without body is an overload of the function that follows.
                if function.body.is_none() {
                    return Vec::new();
                }
                self.function(function, name.name.as_str(), Some(name.span), span);
                named
            }
            Declaration::ClassDeclaration(class) if !class.declare => {
                let name = class.id.as_ref().map_or("default", |id| id.name.as_str());
                self.class(class, name, span);
                vec![(name, class.id.as_ref().map(|id| id.span))]
            }
            Declaration::TSInterfaceDeclaration(interface) => {
                let name = interface.id.name.as_str();
                if let Some(id) = self.class_id(name, Space::Type) {
                    let node = self.lowerer.interface_node(id, interface, span);
                    self.members.push((name, node.into()));
                }
                vec![(name, Some(interface.id.span))]
            }
            Declaration::TSTypeAliasDeclaration(alias) => {
                let ty = self.unit().annotated(self.lowerer.module_id(), &alias.type_annotation);
                let token_text = self.unit().type_token(&ty).unwrap_or("dynamic");
                let name = (alias.id.name.as_str(), Some(alias.id.span));
                let node = Node::new("Class")
                    .with("name", identifier(name.0, name.1))
                    .with("extends", type_token(token_text, Some(span)))
                    .at(span);
                self.members.push((name.0, node.into()));
                vec![name]
            }
            Declaration::TSEnumDeclaration(declaration) if self.lowerer.is_mended() => {
                vec![self.enumeration(declaration, span)]
            }
            declaration => {
                let (what, help) = match declaration {
                    Declaration::TSEnumDeclaration(_) => ("an enum", ""),
                    Declaration::TSModuleDeclaration(_) | Declaration::TSGlobalDeclaration(_) => {
                        ("a namespace", "use a module of its own")
                    }
                    Declaration::TSImportEqualsDeclaration(_) => {
                        ("`import … =`", "use an import declaration")
                    }
                    _ => ("`declare`", "import the name from a package"),
                };
                self.lowerer.refuse(declaration.span(), what, help);
                Vec::new()
            }
        }
    }

    fn class_id(&self, name: &str, space: Space) -> Option<crate::ids::ClassId> {
        let module = self.unit().module(self.lowerer.module_id());
        let names = if space == Space::Value { &module.values } else { &module.types };
        match names.get(name)? {
            Binding::Member(member) => match self.unit().member(*member).declared {
                Declared::Class(class) => Some(class),
                _ => None,
            },
            _ => None,
        }
    }

    fn class(&mut self, class: &'a ast::Class<'a>, name: &'a str, span: Span) {
        if let Some(id) = self.class_id(name, Space::Value) {
            let node = self.lowerer.class_node(id, class, span);
            self.members.push((name, node.into()));
        }
    }

    fn function(&mut self, function: &'a ast::Function<'a>, name: &'a str, place: Option<Span>, span: Span) {
        self.lowerer.check_function(function.r#async, function.generator, function.span);
        let lowered = self.lowerer.function(Syntax::of(function), None);
        let node = Node::new("ModuleMethod")
            .with("name", identifier(name, place))
            .with("parameters", lowered.parameters)
            .maybe("body", lowered.body)
            .maybe("returnType", lowered.return_type)
            .at(span);
        self.members.push((name, node.into()));
    }

    fn variables(&mut self, variables: &'a ast::VariableDeclaration<'a>) -> Vec<(&'a str, Option<Span>)> {
        let is_const = variables.kind == ast::VariableDeclarationKind::Const;
        let mut names = Vec::new();
        for declarator in &variables.declarations {
            let BindingPatternKind::BindingIdentifier(name) = &declarator.id.kind else {
                if let (Some(value), true) = (&declarator.init, self.lowerer.is_mended()) {
                    names.extend(self.parts(declarator, value, is_const));
                    continue;
                }
                self.lowerer.refuse(declarator.id.span(), "a pattern in a declaration", "");
                names.extend(
                    bound_names(&declarator.id).iter().map(|name| (name.name.as_str(), Some(name.span))),
                );
                continue;
            };
            let (text, place) = (name.name.as_str(), Some(name_span(name)));
            let (value, ty) = self.lowerer.initial_value(declarator);
            self.unit().inferred.borrow_mut().insert((self.lowerer.module_id(), name.span.start), ty.clone());
            let token_text = self.unit().type_token(&ty).unwrap_or("dynamic");
            let property = Node::new("ModuleProperty")
                .with("name", identifier(text, place))
                .maybe("readonly", is_const.then_some(true))
                .with("type", type_token(token_text, Some(declarator.span)));
            self.members.push((text, property.into()));
            if let Some(value) = value {
                let token = token(self.own_token(text), place);
                self.statements.push(self.lowerer.initialization(token, None, value));
            }
            names.push((text, place));
        }
        names
    }

    /// Variables that a pattern declares.
    fn parts(
        &mut self,
        declarator: &'a ast::VariableDeclarator<'a>,
        value: &'a ast::Expression<'a>,
        is_const: bool,
    ) -> Vec<(&'a str, Option<Span>)> {
        let value = self.lowerer.expression(value, None);
        let mut before = Vec::new();
        let parts = self.lowerer.parts(&declarator.id, value, &mut before);
        self.statements.extend(before);
        let mut names = Vec::new();
        for part in parts {
            let property = Node::new("ModuleProperty")
                .with("name", identifier(part.name, Some(part.place)))
                .maybe("readonly", is_const.then_some(true))
                .with("type", type_token("dynamic", Some(part.span)));
            self.members.push((part.name, property.into()));
            let token = token(self.own_token(part.name), Some(part.place));
            self.statements.push(self.lowerer.initialization(token, None, part.value));
            names.push((part.name, Some(part.place)));
        }
        names
    }

    /// An enum is an object with the values of its members, and the names of its numbers.
    fn enumeration(
        &mut self,
        declaration: &'a ast::TSEnumDeclaration<'a>,
        span: Span,
    ) -> (&'a str, Option<Span>) {
        let mut properties = Vec::new();
        let mut next = Some(0.0);
        let mut numbers: Vec<(&str, f64)> = Vec::new();
        for member in &declaration.body.members {
            let name = member.id.static_name().as_str();
            let name = self.unit().text(name);
            let number = |number: f64| Node::new("NumberLiteral").with("value", number).at(member.span);
            let value = match &member.initializer {
                Some(value) if constant(value, &numbers).is_some() => {
                    let value = constant(value, &numbers).unwrap_or_default();
                    next = Some(value + 1.0);
                    properties.push((
                        self.unit().text(&super::literal::number_text(value)),
                        super::literal::text_literal(name, member.span),
                    ));
                    numbers.push((name, value));
                    number(value)
                }
                Some(value @ (ast::Expression::StringLiteral(_) | ast::Expression::TemplateLiteral(_))) => {
                    next = None;
                    self.lowerer.expression(value, None).0
                }
                Some(value) => {
                    let help = "give the member a number or a string";
                    next = None;
                    self.lowerer.refuse(value.span(), "a computed member of an enum", help)
                }
                None => match next {
                    Some(value) => {
                        next = Some(value + 1.0);
                        properties.push((
                            self.unit().text(&super::literal::number_text(value)),
                            super::literal::text_literal(name, member.span),
                        ));
                        numbers.push((name, value));
                        number(value)
                    }
                    None => self.lowerer.refuse(
                        member.span,
                        "a member without a value after one that is not a number",
                        "give it a value",
                    ),
                },
            };
            properties.push((name, value));
        }
        let property = |(name, value): (&'a str, Node<'a>)| {
            Node::new("ObjectLiteralNamedProperty")
                .with("property", token(name, None))
                .with("value", value)
                .at(declaration.span)
        };
        let object = Node::new("ObjectLiteral")
            .with("type", type_token("dynamic", None))
            .with("properties", properties.into_iter().map(property).collect::<Vec<_>>())
            .at(declaration.span);
        let (name, place) = (declaration.id.name.as_str(), Some(declaration.id.span));
        let member = Node::new("ModuleProperty")
            .with("name", identifier(name, place))
            .with("readonly", true)
            .with("type", type_token("dynamic", Some(span)));
        self.members.push((name, member.into()));
        let token = token(self.own_token(name), place);
        self.statements.push(self.lowerer.initialization(token, None, object));
        (name, place)
    }

    fn own_token(&self, name: &str) -> &'a str {
        self.unit().joined(self.unit().module(self.lowerer.module_id()).token, name)
    }

    fn export(&mut self, name: &'a str, node: Node<'a>) {
        if !self.exports.iter().any(|(known, _)| *known == name) {
            self.exports.push((name, node.into()));
        }
    }

    fn export_own(&mut self, name: &'a str, place: Option<Span>, span: Span) {
        let node = Node::new("Export")
            .with("name", identifier(name, place))
            .with("referent", token(self.own_token(name), place))
            .at(span);
        self.export(name, node);
    }

    fn export_default(&mut self, export: &'a ast::ExportDefaultDeclaration<'a>) {
        let name = match &export.declaration {
            ExportDefaultDeclarationKind::FunctionDeclaration(function) => {
                let (name, place) =
                    function.id.as_ref().map_or(("default", None), |id| (id.name.as_str(), Some(id.span)));
                self.function(function, name, place, export.span);
                name
            }
            ExportDefaultDeclarationKind::ClassDeclaration(class) => {
                let name = class.id.as_ref().map_or("default", |id| id.name.as_str());
                self.class(class, name, export.span);
                name
            }
            ExportDefaultDeclarationKind::TSInterfaceDeclaration(interface) => {
                let name = interface.id.name.as_str();
                if let Some(id) = self.class_id(name, Space::Type) {
                    let node = self.lowerer.interface_node(id, interface, export.span);
                    self.members.push((name, node.into()));
                }
                name
            }
            declaration => {
                let Some(value) = declaration.as_expression().filter(|_| !self.lowerer.is_compatible())
                else {
                    self.lowerer.refuse(export.span, "`export default` of a value", "export a declaration");
                    return;
                };
                let (value, ty) = self.lowerer.expression(value, None);
                let token_text = self.unit().type_token(&ty.widened()).unwrap_or("dynamic");
                let property = Node::new("ModuleProperty")
                    .with("name", identifier("default", None))
                    .with("readonly", true)
                    .with("type", type_token(token_text, Some(export.span)));
                self.members.push(("default", property.into()));
                let token = token(self.own_token("default"), None);
                self.statements.push(self.lowerer.initialization(token, None, value));
                "default"
            }
        };
        let node = Node::new("Export")
            .with("name", identifier("default", None))
            .with("referent", token(self.own_token(name), None))
            .at(export.span);
        self.export("default", node);
    }

    fn export_names(&mut self, export: &'a ast::ExportNamedDeclaration<'a>) {
        let from = export.source.as_ref().map(|source| self.module_of(source));
        for specifier in &export.specifiers {
            let (name, place) = (specifier.exported.name().as_str(), Some(specifier.exported.span()));
            let (source, source_span) = (specifier.local.name().as_str(), specifier.local.span());
            let token_text = match from {
                Some(Some(module)) => {
                    self.check_exported(module, source, source_span);
                    self.unit().joined(self.unit().module_token(module), source)
                }
                Some(None) => continue,
                None => match self.exported_token(source, source_span) {
                    Some(token) => token,
                    None => continue,
                },
            };
            let node = Node::new("Export")
                .with("name", identifier(name, place))
                .with("referent", token(token_text, Some(source_span)))
                .at(specifier.span);
            self.export(name, node);
        }
    }

    /// The token of a name of this module that is exported.
    fn exported_token(&self, name: &'a str, span: Span) -> Option<&'a str> {
        let unit = self.unit();
        let module = self.lowerer.module_id();
        let symbol = unit.find(module, name, Space::Value).or_else(|| unit.find(module, name, Space::Type));
        match symbol {
            Some(Symbol::Module(module)) => Some(unit.module_token(module)),
            Some(Symbol::Member(member)) if unit.member(member).module == module => {
                Some(self.own_token(name))
            }
            Some(Symbol::Member(member)) => match self.lowerer.is_compatible() {
                true => Some(self.own_token(name)),
                false => Some(unit.member_token(member)),
            },
            Some(Symbol::Foreign(member)) => Some(match member {
                crate::unit::ForeignMember::Class(class) => unit.class(class).token,
                crate::unit::ForeignMember::Type(token) | crate::unit::ForeignMember::Value(token, _) => {
                    token
                }
            }),
            None => {
                let message = format!("`{name}` is not declared");
                let known = unit.module(module).values.keys().copied().collect();
                let help = self.lowerer.suggestion(name, known);
                self.lowerer.fault(crate::fault::FaultCode::Name, span, message, &help);
                None
            }
        }
    }

    fn export_all(&mut self, export: &'a ast::ExportAllDeclaration<'a>) {
        let Some(module) = self.module_of(&export.source) else { return };
        let module_token = self.unit().module_token(module);
        if let Some(name) = &export.exported {
            let node = Node::new("Export")
                .with("name", identifier(name.name().as_str(), Some(name.span())))
                .with("referent", token(module_token, Some(export.span)))
                .at(export.span);
            self.export(name.name().as_str(), node);
            return;
        }
        for name in self.unit().exported_names(module) {
            let node = Node::new("Export")
                .with("name", identifier(name, None))
                .with("referent", token(self.unit().joined(module_token, name), Some(export.span)))
                .at(export.span);
            self.export(name, node);
        }
    }
}

/// The number of a constant expression. `known` has the members before it. Recursion is bounded by
/// the levels of the parser.
fn constant(value: &ast::Expression<'_>, known: &[(&str, f64)]) -> Option<f64> {
    use ast::{BinaryOperator as Binary, Expression, UnaryOperator as Unary};
    // JavaScript truncates the operands of these operators to 32 bits.
    #[expect(clippy::cast_possible_truncation, reason = "the number fits after it is truncated")]
    let bits = |number: f64| (number.abs() <= f64::from(i32::MAX)).then_some(number as i32);
    let number = match value {
        Expression::NumericLiteral(literal) => literal.value,
        Expression::ParenthesizedExpression(inner) => constant(&inner.expression, known)?,
        Expression::Identifier(name) => known.iter().find(|(member, _)| *member == name.name)?.1,
        Expression::UnaryExpression(operation) => {
            let operand = constant(&operation.argument, known)?;
            match operation.operator {
                Unary::UnaryPlus => operand,
                Unary::UnaryNegation => -operand,
                Unary::BitwiseNot => f64::from(!bits(operand)?),
                _ => return None,
            }
        }
        Expression::BinaryExpression(operation) => {
            let (left, right) = (constant(&operation.left, known)?, constant(&operation.right, known)?);
            match operation.operator {
                Binary::Addition => left + right,
                Binary::Subtraction => left - right,
                Binary::Multiplication => left * right,
                Binary::Division => left / right,
                Binary::BitwiseOR => f64::from(bits(left)? | bits(right)?),
                Binary::BitwiseAnd => f64::from(bits(left)? & bits(right)?),
                Binary::BitwiseXOR => f64::from(bits(left)? ^ bits(right)?),
                Binary::ShiftLeft => f64::from(bits(left)?.wrapping_shl(u32::try_from(bits(right)?).ok()?)),
                Binary::ShiftRight => f64::from(bits(left)?.wrapping_shr(u32::try_from(bits(right)?).ok()?)),
                _ => return None,
            }
        }
        _ => return None,
    };
    number.is_finite().then_some(number)
}
