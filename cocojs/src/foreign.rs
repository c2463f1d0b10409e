//! Other packages: their exports, classes and types, decoded when a program names them.

use crate::ids::{ClassId, ModuleRef};
use crate::packages::ForeignModule;
use crate::static_type::{ParameterType, Signature, Type};
use crate::unit::{ClassInfo, ClassSource, Constructor, Element, ElementKind, ForeignMember, Symbol, Unit};
use coconut_codec::read::package::{IlView, PackView};
use coconut_format::error::DecodeError;
use coconut_format::il::SyntaxKind;
use std::collections::HashMap;
use std::rc::Rc;

/// The most exports that are followed from one name to its definition.
const LONGEST_CHAIN: usize = 100;

impl<'a> Unit<'a> {
    /// The module of another package. `None` if it does not exist.
    pub(crate) fn foreign_module(&self, package: &str, module: &str) -> Option<ModuleRef> {
        let loaded = self.packages.package(package).ok()?;
        let view = PackView::of(loaded.view())?;
        let node = view.module(module).ok().flatten()?;
        let name = node.node("name").ok().flatten().and_then(|name| name.text("ident").ok().flatten())?;
        let token = self.joined(package, name);
        let known = self.foreign.borrow().iter().position(|module| module.token == token);
        if let Some(number) = known {
            return Some(ModuleRef::Foreign(number));
        }
        let exports = self.exports_of(node).ok()?;
        let loaded = Rc::clone(&loaded);
        let mut foreign = self.foreign.borrow_mut();
        foreign.push(Rc::new(ForeignModule { token, loaded, exports }));
        Some(ModuleRef::Foreign(foreign.len() - 1))
    }

    fn exports_of(&self, module: IlView<'_>) -> Result<Vec<(&'a str, &'a str)>, DecodeError> {
        let mut exports = Vec::new();
        for export in module.entries("exports")? {
            let (name, node) = export?;
            if let Some(referent) = node.token("referent")? {
                exports.push((self.text(name), self.text(referent)));
            }
        }
        Ok(exports)
    }

    pub(crate) fn foreign_at(&self, number: usize) -> Rc<ForeignModule<'a>> {
        Rc::clone(&self.foreign.borrow()[number])
    }

    /// The definition of an export of another package.
    pub(crate) fn foreign_export(&self, module: usize, name: &str) -> Option<Symbol<'a>> {
        let module = self.foreign_at(module);
        let (_, token) = module.exports.iter().find(|(key, _)| *key == name)?;
        self.foreign_symbol(token)
    }

    /// The definition with this token, in whatever package it is.
    pub(crate) fn foreign_symbol(&self, token: &'a str) -> Option<Symbol<'a>> {
        let mut token = token;
        for _ in 0..LONGEST_CHAIN {
            let mut parts = token.split(':');
            let (package, module) = (parts.next()?, parts.next()?);
            let found = self.foreign_module(package, module)?;
            let Some(name) = parts.next() else { return Some(Symbol::Module(found)) };
            let ModuleRef::Foreign(number) = found else { return None };
            let foreign = self.foreign_at(number);
            let view = PackView::of(foreign.loaded.view())?;
            if let Some(node) = view.module(module).ok()??.entries("members").ok().and_then(|mut members| {
                members.find_map(|member| member.ok().filter(|(key, _)| *key == name).map(|(_, node)| node))
            }) {
                return self.foreign_definition(token, found, node).ok().flatten().map(Symbol::Foreign);
            }
            token = foreign.exports.iter().find(|(key, referent)| *key == name && *referent != token)?.1;
        }
        None
    }

    fn foreign_definition(
        &self,
        token: &'a str,
        module: ModuleRef,
        node: IlView<'_>,
    ) -> Result<Option<ForeignMember<'a>>, DecodeError> {
        Ok(match node.kind() {
            SyntaxKind::Class => Some(self.foreign_class(token, module, node)?),
            SyntaxKind::ModuleProperty => {
                let ty = node.token("type")?.map_or(Type::Dynamic, |ty| self.type_of_token(ty));
                Some(ForeignMember::Value(token, ty))
            }
            SyntaxKind::ModuleMethod => {
                let signature = self.foreign_signature(node)?;
                Some(ForeignMember::Value(token, Type::Function(Rc::new(signature))))
            }
            _ => None,
        })
    }

    /// Decodes a class once. A class without members stands for the type that it extends.
    fn foreign_class(
        &self,
        token: &'a str,
        module: ModuleRef,
        node: IlView<'_>,
    ) -> Result<ForeignMember<'a>, DecodeError> {
        let base = node.token("extends")?.map(|base| self.text(base));
        if let (None, Some(target)) = (node.value("members")?, base) {
            return Ok(ForeignMember::Type(self.text(target)));
        }
        if let Some(class) = self.class_of_token(token) {
            return Ok(ForeignMember::Class(class));
        }
        let mut elements = HashMap::new();
        let mut constructor = None;
        // The types of members may name the class itself.
        let id = self.add_class(ClassInfo {
            module,
            name: token.rsplit(':').next().unwrap_or(token),
            token,
            source: ClassSource::Foreign {
                base,
                is_interface: node.flag("interface")? || node.flag("record")?,
            },
            elements: HashMap::new(),
            constructor: None,
            is_open: true,
        });
        for member in node.entries("members")? {
            let (name, member) = member?;
            if name == ".ctor" {
                constructor = Some(Constructor::Foreign(Rc::new(self.foreign_signature(member)?)));
                continue;
            }
            let ty = match member.kind() {
                SyntaxKind::ClassMethod => Type::Function(Rc::new(self.foreign_signature(member)?)),
                _ => member.token("type")?.map_or(Type::Dynamic, |ty| self.type_of_token(ty)),
            };
            let element = Element {
                is_static: member.flag("static")?,
                is_optional: member.flag("optional")?,
                kind: ElementKind::Known(ty),
            };
            elements.insert(self.text(name), element);
        }
        self.replace_class(id, |class| ClassInfo { elements, constructor, is_open: false, ..class });
        Ok(ForeignMember::Class(id))
    }

    fn foreign_signature(&self, function: IlView<'_>) -> Result<Signature<'a>, DecodeError> {
        let mut parameters = Vec::new();
        for parameter in function.nodes("parameters")? {
            let parameter = parameter?;
            let name = parameter.node("name")?.map(|name| name.text("ident")).transpose()?.flatten();
            parameters.push(ParameterType {
                name: self.text(name.unwrap_or_default()),
                ty: parameter.token("type")?.map_or(Type::Dynamic, |ty| self.type_of_token(ty)),
                // The format does not record which parameters may be left out.
                is_optional: true,
                is_rest: false,
            });
        }
        let result = function.token("returnType")?.map_or(Type::Void, |ty| self.type_of_token(ty));
        Ok(Signature { parameters, result, is_annotation: false, is_complete: true, is_foreign: true })
    }

    /// The type with this token.
    pub(crate) fn type_of_token(&self, token: &str) -> Type<'a> {
        match token {
            "string" => return Type::String,
            "number" => return Type::Number,
            "bool" => return Type::Bool,
            "object" => return Type::Object,
            "dynamic" => return Type::Dynamic,
            _ => {}
        }
        if let Some(element) = token.strip_prefix("[]") {
            return Type::array(self.type_of_token(element));
        }
        if let Some((key, value)) = token.strip_prefix("map[").and_then(|rest| rest.split_once(']')) {
            return Type::Map(Rc::new((self.type_of_token(key), self.type_of_token(value))));
        }
        match token.matches(':').count() {
            2 if !token.starts_with('(') => Type::Named(self.text(token)),
            _ => Type::Dynamic,
        }
    }

    /// The type that a token of another package stands for, once its members are needed.
    pub(crate) fn resolved(&self, ty: Type<'a>) -> Type<'a> {
        let Type::Named(token) = ty else { return ty };
        if let Some(class) = self.class_of_token(token) {
            return Type::Instance(class);
        }
        match self.foreign_symbol(token) {
            Some(Symbol::Foreign(ForeignMember::Class(class))) => Type::Instance(class),
            Some(Symbol::Foreign(ForeignMember::Type(target))) if target != token => {
                self.resolved(self.type_of_token(target))
            }
            _ => ty,
        }
    }

    /// The class with this token, of any package.
    pub(crate) fn any_class(&self, token: &'a str) -> Option<ClassId> {
        match self.resolved(Type::Named(token)) {
            Type::Instance(class) => Some(class),
            _ => None,
        }
    }
}
