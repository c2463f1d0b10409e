//! Declarations: the names that a module defines, imports and exports.

use crate::fault::FaultCode;
use crate::ids::{MemberId, ModuleId, ModuleRef};
use crate::unit::{
    Binding, ClassInfo, ClassSource, Constructor, Declared, Element, ElementKind, Export, Member, Unit,
};
use oxc_allocator::Allocator;
use oxc_ast::ast::{
    self, BindingPatternKind, ClassElement, Declaration, ExportDefaultDeclarationKind,
    ImportDeclarationSpecifier, MethodDefinitionKind, Statement, TSSignature,
};
use oxc_span::Span;
use std::collections::HashMap;

/// Declares the names of all modules.
pub(crate) fn declare_all(unit: &mut Unit<'_>) {
    for number in 0..unit.modules.len() {
        let mut declarer = Declarer { unit, module: ModuleId(number) };
        let body = &declarer.unit.modules[number].ast.body;
        for statement in body {
            declarer.statement(statement);
        }
    }
}

struct Declarer<'u, 'a> {
    unit: &'u mut Unit<'a>,
    module: ModuleId,
}

impl<'a> Declarer<'_, 'a> {
    fn statement(&mut self, statement: &'a Statement<'a>) {
        match statement {
            Statement::ImportDeclaration(import) => self.import(import),
            Statement::ExportNamedDeclaration(export) => match &export.declaration {
                Some(declaration) => {
                    for name in self.declaration(declaration) {
                        self.export(Export::Local { name, local: name });
                    }
                }
                None => self.export_names(export),
            },
            Statement::ExportDefaultDeclaration(export) => self.export_default(export),
            Statement::ExportAllDeclaration(export) => {
                let Some(from) = self.module_of(export.source.value.as_str()) else { return };
                match &export.exported {
                    Some(name) => {
                        let name = name.name().as_str();
                        self.export(Export::Namespace { name, from });
                    }
                    None => self.export(Export::All(from)),
                }
            }
            statement => {
                if let Some(declaration) = statement.as_declaration() {
                    self.declaration(declaration);
                }
            }
        }
    }

    fn module_of(&self, specifier: &str) -> Option<ModuleRef> {
        self.unit.module(self.module).imports.get(specifier).copied()
    }

    fn export(&mut self, export: Export<'a>) {
        self.unit.modules[self.module.0].exports.push(export);
    }

    fn import(&mut self, import: &'a ast::ImportDeclaration<'a>) {
        let Some(from) = self.module_of(import.source.value.as_str()) else { return };
        for specifier in import.specifiers.iter().flatten() {
            let (local, binding) = match specifier {
                ImportDeclarationSpecifier::ImportSpecifier(specifier) => {
                    let name = specifier.imported.name().as_str();
                    (&specifier.local, Binding::Import { from, name })
                }
                ImportDeclarationSpecifier::ImportDefaultSpecifier(specifier) => {
                    (&specifier.local, Binding::Import { from, name: "default" })
                }
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(specifier) => {
                    (&specifier.local, Binding::Namespace(from))
                }
            };
            self.bind(local.name.as_str(), local.span, binding, true, true);
        }
    }

    fn export_names(&mut self, export: &'a ast::ExportNamedDeclaration<'a>) {
        let from = export.source.as_ref().map(|source| self.module_of(source.value.as_str()));
        for specifier in &export.specifiers {
            let (name, local) = (specifier.exported.name().as_str(), specifier.local.name().as_str());
            match from {
                Some(Some(from)) => self.export(Export::From { name, from, source: local }),
                Some(None) => {}
                None => self.export(Export::Local { name, local }),
            }
        }
    }

    fn export_default(&mut self, export: &'a ast::ExportDefaultDeclaration<'a>) {
        let member = match &export.declaration {
            ExportDefaultDeclarationKind::FunctionDeclaration(function) => {
                let name = function.id.as_ref().map_or("default", |id| id.name.as_str());
                self.member(name, function.span, Declared::Function(function))
            }
            ExportDefaultDeclarationKind::ClassDeclaration(class) => self.class(class),
            ExportDefaultDeclarationKind::TSInterfaceDeclaration(interface) => self.interface(interface),
            declaration => match declaration.as_expression() {
                Some(value) => self.member("default", export.span, Declared::Value(value)),
                None => return,
            },
        };
        self.export(Export::Default(member));
    }

    /// Declares, and returns the names.
    fn declaration(&mut self, declaration: &'a Declaration<'a>) -> Vec<&'a str> {
        match declaration {
            Declaration::VariableDeclaration(variables) => {
                let kind = variables.kind;
                let mut names = Vec::new();
                for declarator in &variables.declarations {
                    for name in bound_names(&declarator.id) {
                        let text = name.name.as_str();
                        self.member(text, name.span, Declared::Variable { declarator, name, kind });
                        names.push(text);
                    }
                }
                names
            }
            Declaration::FunctionDeclaration(function) => {
                let Some(id) = &function.id else { return Vec::new() };
                // A declaration without body is an overload of the function that follows.
                if function.body.is_some() || function.declare {
                    self.member(id.name.as_str(), id.span, Declared::Function(function));
                }
                vec![id.name.as_str()]
            }
            Declaration::ClassDeclaration(class) => {
                self.class(class);
                class.id.iter().map(|id| id.name.as_str()).collect()
            }
            Declaration::TSInterfaceDeclaration(interface) => {
                self.interface(interface);
                vec![interface.id.name.as_str()]
            }
            Declaration::TSTypeAliasDeclaration(alias) => {
                self.member(alias.id.name.as_str(), alias.id.span, Declared::Alias(alias));
                vec![alias.id.name.as_str()]
            }
            Declaration::TSEnumDeclaration(declaration) => {
                let id = &declaration.id;
                self.member(id.name.as_str(), id.span, Declared::Enum);
                vec![id.name.as_str()]
            }
            _ => Vec::new(),
        }
    }

    fn member(&mut self, name: &'a str, span: Span, declared: Declared<'a>) -> MemberId {
        let id = MemberId(self.unit.members.len());
        let (is_value, is_type) = match &declared {
            Declared::Variable { .. } | Declared::Function(_) | Declared::Value(_) => (true, false),
            Declared::Alias(_) => (false, true),
            Declared::Enum => (true, true),
            Declared::Class(class) => match self.unit.class(*class).source {
                ClassSource::Interface(_) => (false, true),
                _ => (true, true),
            },
        };
        self.unit.members.push(Member { module: self.module, name, declared });
        self.bind(name, span, Binding::Member(id), is_value, is_type);
        id
    }

    fn bind(&mut self, name: &'a str, span: Span, binding: Binding<'a>, is_value: bool, is_type: bool) {
        let module = &mut self.unit.modules[self.module.0];
        let mut is_double = false;
        if is_value {
            is_double |= module.values.insert(name, binding).is_some();
        }
        if is_type {
            is_double |= module.types.insert(name, binding).is_some();
        }
        if is_double {
            let message = format!("`{name}` is declared twice");
            self.unit.fault(
                self.module,
                FaultCode::Duplicate,
                span,
                message,
                Some("rename one of them".to_owned()),
            );
        }
    }

    fn class(&mut self, class: &'a ast::Class<'a>) -> MemberId {
        let name = class.id.as_ref().map_or("default", |id| id.name.as_str());
        let constructor = class.body.body.iter().find_map(|element| match element {
            ClassElement::MethodDefinition(method)
                if method.kind == MethodDefinitionKind::Constructor && method.value.body.is_some() =>
            {
                Some(Constructor::Own(&method.value))
            }
            _ => None,
        });
        let info = ClassInfo {
            module: ModuleRef::Own(self.module),
            name,
            token: self.unit.joined(self.unit.module(self.module).token, name),
            source: ClassSource::Class(class),
            elements: class_elements(self.unit.arena, class),
            constructor,
            is_open: class
                .body
                .body
                .iter()
                .any(|element| matches!(element, ClassElement::TSIndexSignature(_))),
        };
        let id = self.unit.add_class(info);
        self.member(name, class.id.as_ref().map_or(class.span, |id| id.span), Declared::Class(id))
    }

    fn interface(&mut self, interface: &'a ast::TSInterfaceDeclaration<'a>) -> MemberId {
        let name = interface.id.name.as_str();
        let info = ClassInfo {
            module: ModuleRef::Own(self.module),
            name,
            token: self.unit.joined(self.unit.module(self.module).token, name),
            source: ClassSource::Interface(interface),
            elements: interface_elements(self.unit.arena, &interface.body.body),
            constructor: None,
            is_open: interface.extends.len() > 1
                || interface
                    .body
                    .body
                    .iter()
                    .any(|element| matches!(element, TSSignature::TSIndexSignature(_))),
        };
        let id = self.unit.add_class(info);
        self.member(name, interface.id.span, Declared::Class(id))
    }
}

/// The names that a pattern binds, in their order.
pub(crate) fn bound_names<'a>(pattern: &'a ast::BindingPattern<'a>) -> Vec<&'a ast::BindingIdentifier<'a>> {
    let mut names = Vec::new();
    collect_names(pattern, &mut names);
    names
}

fn collect_names<'a>(pattern: &'a ast::BindingPattern<'a>, names: &mut Vec<&'a ast::BindingIdentifier<'a>>) {
    match &pattern.kind {
        BindingPatternKind::BindingIdentifier(name) => names.push(name),
        BindingPatternKind::ObjectPattern(object) => {
            for property in &object.properties {
                collect_names(&property.value, names);
            }
            if let Some(rest) = &object.rest {
                collect_names(&rest.argument, names);
            }
        }
        BindingPatternKind::ArrayPattern(array) => {
            for element in array.elements.iter().flatten() {
                collect_names(element, names);
            }
            if let Some(rest) = &array.rest {
                collect_names(&rest.argument, names);
            }
        }
        BindingPatternKind::AssignmentPattern(default) => collect_names(&default.left, names),
    }
}

/// The place of a name. The parser counts the annotation to it.
pub(crate) fn name_span(name: &ast::BindingIdentifier<'_>) -> Span {
    let length = u32::try_from(name.name.len()).unwrap_or(u32::MAX);
    Span::new(name.span.start, name.span.start.saturating_add(length).min(name.span.end))
}

/// The name of a private member in a package.
pub(crate) fn private_name<'a>(arena: &'a Allocator, name: &ast::PrivateIdentifier<'_>) -> &'a str {
    arena.alloc_concat_strs_array([".", name.name.as_str()])
}

/// The name of a property, unless it is computed.
pub(crate) fn key_name<'a>(arena: &'a Allocator, key: &'a ast::PropertyKey<'a>) -> Option<(&'a str, Span)> {
    match key {
        ast::PropertyKey::StaticIdentifier(name) => Some((name.name.as_str(), name.span)),
        // Other members may have the same name.
        ast::PropertyKey::PrivateIdentifier(name) => Some((private_name(arena, name), name.span)),
        ast::PropertyKey::StringLiteral(name) => Some((name.value.as_str(), name.span)),
        ast::PropertyKey::NumericLiteral(number) => Some((number.raw.as_ref()?.as_str(), number.span)),
        _ => None,
    }
}

fn class_elements<'a>(arena: &'a Allocator, class: &'a ast::Class<'a>) -> HashMap<&'a str, Element<'a>> {
    let mut elements: HashMap<&'a str, Element<'a>> = HashMap::new();
    for element in &class.body.body {
        match element {
            ClassElement::MethodDefinition(method) => {
                if method.kind == MethodDefinitionKind::Constructor {
                    for parameter in &method.value.params.items {
                        if parameter.accessibility.is_some() || parameter.readonly {
                            for name in bound_names(&parameter.pattern) {
                                let annotation = annotation_of(&parameter.pattern);
                                let kind = ElementKind::Property { annotation, value: None };
                                let element = Element { is_static: false, is_optional: false, kind };
                                elements.insert(name.name.as_str(), element);
                            }
                        }
                    }
                    continue;
                }
                let Some((name, _)) = key_name(arena, &method.key) else { continue };
                let function: &'a ast::Function<'a> = &method.value;
                let kind = match (method.kind, elements.get(name).map(|element| &element.kind)) {
                    (MethodDefinitionKind::Get, Some(ElementKind::Accessor { setter, .. })) => {
                        ElementKind::Accessor { getter: Some(function), setter: *setter }
                    }
                    (MethodDefinitionKind::Get, _) => {
                        ElementKind::Accessor { getter: Some(function), setter: None }
                    }
                    (MethodDefinitionKind::Set, Some(ElementKind::Accessor { getter, .. })) => {
                        ElementKind::Accessor { getter: *getter, setter: Some(function) }
                    }
                    (MethodDefinitionKind::Set, _) => {
                        ElementKind::Accessor { getter: None, setter: Some(function) }
                    }
                    _ => ElementKind::Method(function),
                };
                elements
                    .insert(name, Element { is_static: method.r#static, is_optional: method.optional, kind });
            }
            ClassElement::PropertyDefinition(property) => {
                let Some((name, _)) = key_name(arena, &property.key) else { continue };
                let annotation =
                    property.type_annotation.as_ref().map(|annotation| &annotation.type_annotation);
                let kind = ElementKind::Property { annotation, value: property.value.as_ref() };
                elements.insert(
                    name,
                    Element { is_static: property.r#static, is_optional: property.optional, kind },
                );
            }
            _ => {}
        }
    }
    elements
}

/// The annotation of a pattern, or of the name in it that has a default.
pub(crate) fn annotation_of<'a>(pattern: &'a ast::BindingPattern<'a>) -> Option<&'a ast::TSType<'a>> {
    match (&pattern.type_annotation, &pattern.kind) {
        (Some(annotation), _) => Some(&annotation.type_annotation),
        (None, BindingPatternKind::AssignmentPattern(default)) => annotation_of(&default.left),
        _ => None,
    }
}

pub(crate) fn interface_elements<'a>(
    arena: &'a Allocator,
    signatures: &'a [TSSignature<'a>],
) -> HashMap<&'a str, Element<'a>> {
    let mut elements = HashMap::new();
    for signature in signatures {
        let (key, is_optional, kind) = match signature {
            TSSignature::TSPropertySignature(property) => {
                let annotation =
                    property.type_annotation.as_ref().map(|annotation| &annotation.type_annotation);
                let kind = ElementKind::Property { annotation, value: None };
                (&property.key, property.optional, kind)
            }
            TSSignature::TSMethodSignature(method) => {
                (&method.key, method.optional, ElementKind::Signature(method))
            }
            _ => continue,
        };
        if let Some((name, _)) = key_name(arena, key) {
            elements.insert(name, Element { is_static: false, is_optional, kind });
        }
    }
    elements
}
