//! §22.6 Names of types: those that nothing declares are faults.

use crate::fault::{FaultCode, similar};
use crate::ids::ModuleId;
use crate::unit::{Space, Symbol, Unit};
use oxc_ast::ast::{self, Expression, TSTypeName};
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan, Span};
use std::collections::HashSet;

/// Types of the language. `const` is the one of `as const`.
#[rustfmt::skip]
const LANGUAGE: [&str; 41] = [
    "Array", "ArrayLike", "Awaited", "Boolean", "Capitalize", "ConstructorParameters", "Date", "Error",
    "Exclude", "Extract", "Function", "InstanceType", "Iterable", "IterableIterator", "Lowercase", "Map",
    "NonNullable", "Number", "Object", "Omit", "Parameters", "Partial", "Pick", "Promise", "PromiseLike",
    "PropertyKey", "Readonly", "ReadonlyArray", "ReadonlyMap", "ReadonlySet", "Record", "RegExp", "Required",
    "ReturnType", "Set", "String", "Symbol", "ThisType", "Uncapitalize", "Uppercase", "const",
];

/// Types that programs write, in place of the objects of the language with these names.
const SUGGESTED: [(&str, &str); 4] =
    [("Boolean", "boolean"), ("Number", "number"), ("Object", "object"), ("String", "string")];

/// Reports the types of a module that nothing declares.
pub(crate) fn check(unit: &Unit<'_>, module: ModuleId) {
    let ast = unit.module(module).ast;
    let mut declared = Declared::default();
    declared.visit_program(ast);
    Names { unit, module, declared: &declared.0 }.visit_program(ast);
}

/// The types that a module declares anywhere. A parameter of a type counts everywhere in it.
#[derive(Default)]
struct Declared<'a>(HashSet<&'a str>);

impl<'a> Visit<'a> for Declared<'a> {
    fn visit_ts_type_parameter(&mut self, parameter: &ast::TSTypeParameter<'a>) {
        self.0.insert(parameter.name.name.as_str());
        walk::walk_ts_type_parameter(self, parameter);
    }

    fn visit_ts_type_alias_declaration(&mut self, alias: &ast::TSTypeAliasDeclaration<'a>) {
        self.0.insert(alias.id.name.as_str());
        walk::walk_ts_type_alias_declaration(self, alias);
    }

    fn visit_ts_interface_declaration(&mut self, interface: &ast::TSInterfaceDeclaration<'a>) {
        self.0.insert(interface.id.name.as_str());
        walk::walk_ts_interface_declaration(self, interface);
    }

    fn visit_ts_enum_declaration(&mut self, declaration: &ast::TSEnumDeclaration<'a>) {
        self.0.insert(declaration.id.name.as_str());
        walk::walk_ts_enum_declaration(self, declaration);
    }

    fn visit_class(&mut self, class: &ast::Class<'a>) {
        self.0.extend(class.id.as_ref().map(|id| id.name.as_str()));
        walk::walk_class(self, class);
    }
}

struct Names<'u, 'a> {
    unit: &'u Unit<'a>,
    module: ModuleId,
    declared: &'u HashSet<&'a str>,
}

impl<'a> Visit<'a> for Names<'_, 'a> {
    fn visit_ts_type_reference(&mut self, reference: &ast::TSTypeReference<'a>) {
        self.type_name(&reference.type_name);
        walk::walk_ts_type_reference(self, reference);
    }

    fn visit_ts_class_implements(&mut self, implements: &ast::TSClassImplements<'a>) {
        self.type_name(&implements.expression);
        walk::walk_ts_class_implements(self, implements);
    }

    fn visit_ts_interface_heritage(&mut self, heritage: &ast::TSInterfaceHeritage<'a>) {
        if let Expression::Identifier(name) = &heritage.expression {
            self.name(name.name.as_str(), name.span);
        }
        walk::walk_ts_interface_heritage(self, heritage);
    }
}

impl<'a> Names<'_, 'a> {
    fn type_name(&self, name: &TSTypeName<'a>) {
        match name {
            TSTypeName::IdentifierReference(name) => self.name(name.name.as_str(), name.span),
            TSTypeName::QualifiedName(qualified) => {
                let unit = self.unit;
                let module = match unit.symbol_of_type_name(self.module, &qualified.left, Space::Value) {
                    Some(Symbol::Module(module)) => module,
                    _ => return,
                };
                let member = qualified.right.name.as_str();
                if unit.exported(module, member, Space::Type).is_none() {
                    let message =
                        format!("module `{}` does not export `{member}`", unit.module_token(module));
                    let near = similar(member, unit.exported_names(module));
                    self.fault(FaultCode::Export, qualified.right.span(), message, near);
                }
            }
            TSTypeName::ThisExpression(_) => {}
        }
    }

    fn name(&self, name: &'a str, span: Span) {
        let module = self.unit.module(self.module);
        // An import that leads nowhere is reported at its place.
        let is_known = self.declared.contains(name)
            || module.types.contains_key(name)
            || LANGUAGE.binary_search(&name).is_ok();
        if !is_known {
            let names = self.declared.iter().chain(module.types.keys()).chain(&LANGUAGE).copied();
            let suggested =
                |name| SUGGESTED.iter().find(|(of, _)| *of == name).map_or(name, |(_, suggested)| *suggested);
            let message = format!("the type `{name}` is not declared");
            self.fault(FaultCode::Name, span, message, similar(name, names.map(suggested).collect()));
        }
    }

    fn fault(&self, code: FaultCode, span: Span, message: String, near: Option<String>) {
        let help = near.map(|near| format!("did you mean `{near}`?"));
        let help = help.or_else(|| (code == FaultCode::Name).then(|| "declare or import it".to_owned()));
        self.unit.fault(self.module, code, span, message, help);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_types_of_the_language_are_sorted() {
        assert!(LANGUAGE.is_sorted());
    }
}
