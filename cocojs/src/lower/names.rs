//! Loads of names and members.

use super::{Lowerer, Typed};
use crate::fault::{FaultCode, similar};
use crate::ids::{ClassId, MemberId, ModuleRef};
use crate::il::{Node, find, load, null, string, token as token_node};
use crate::static_type::Type;
use crate::unit::{Binding, Declared, ForeignMember, Space, Symbol};
use oxc_ast::ast::{self, Expression, VariableDeclarationKind};
use oxc_span::Span;

impl<'a> Lowerer<'_, 'a> {
    /// Notes a name outside of the code that is lowered.
    fn mention(&mut self, name: &'a str) {
        let Some(functions) = self.code else { return };
        let is_outside = match self.local(name) {
            Some(local) => local.functions <= functions,
            None => self.unit.find(self.module, name, Space::Value).is_some(),
        };
        if is_outside && !self.mentioned.contains(&name) {
            self.mentioned.push(name);
        }
    }

    /// A name as an expression.
    pub(super) fn name(&mut self, name: &'a str, span: Span) -> Typed<'a> {
        self.mention(name);
        if let Some(local) = self.local(name) {
            if local.is_shared && local.functions < self.returns.len() && self.is_mended() {
                let help = "copy it to a `const` in the loop, and use that in the function";
                self.refuse(span, "a variable of a loop in a function", help);
            }
            return (load(name, Some(span)), local.ty.clone());
        }
        if name == "undefined" {
            return (null(Some(span)), Type::Null);
        }
        let is_imported = matches!(
            self.unit.module(self.module).values.get(name),
            Some(Binding::Import { .. } | Binding::Namespace(_))
        );
        match self.unit.find(self.module, name, Space::Value) {
            Some(symbol) => self.symbol(&symbol, name, is_imported, span),
            None if is_imported => (null(Some(span)), Type::Dynamic),
            None => self.global(name, span),
        }
    }

    fn symbol(&mut self, symbol: &Symbol<'a>, name: &'a str, is_imported: bool, span: Span) -> Typed<'a> {
        match symbol {
            Symbol::Member(member) => {
                let ty = self.unit.type_of_member(*member);
                if self.unit.target.finds_own_names_late() && !is_imported {
                    return (find(None, string(name, Some(span)), Some(span)), ty);
                }
                (load(self.token_of(*member), Some(span)), ty)
            }
            Symbol::Foreign(ForeignMember::Value(token, ty)) => (load(token, Some(span)), ty.clone()),
            Symbol::Foreign(ForeignMember::Class(class)) => {
                (load(self.unit.class(*class).token, Some(span)), Type::Statics(*class))
            }
            Symbol::Foreign(ForeignMember::Type(_)) => {
                (self.refuse(span, "a type as a value", ""), Type::Dynamic)
            }
            Symbol::Module(module) => {
                let node = self.refuse(span, "a module as a value", "name a member of it");
                (node, Type::Module(*module))
            }
        }
    }

    /// The compilers of 2017 did not find the module of a `var`.
    fn token_of(&self, member: MemberId) -> &'a str {
        match self.unit.member(member).declared {
            Declared::Variable { kind: VariableDeclarationKind::Var, .. } if self.is_compatible() => {
                self.unit.member(member).name
            }
            _ => self.unit.member_token(member),
        }
    }

    /// A name that the program does not declare.
    fn global(&mut self, name: &'a str, span: Span) -> Typed<'a> {
        if self.is_compatible() {
            let token = self.unit.library_token(name);
            let node = match self.unit.target.finds_own_names_late() {
                true => find(None, string(name, Some(span)), Some(span)),
                false => load(token, Some(span)),
            };
            return (node, Type::Dynamic);
        }
        if let Some(help) = super::builtin::excluded(name) {
            return (self.refuse(span, &format!("`{name}`"), help), Type::Dynamic);
        }
        if let Some(helper) = super::builtin::global_function(name) {
            return self.helper_function(helper, Some(span));
        }
        let message = format!("`{name}` is not declared");
        let names = self.unit.module(self.module).values.keys().copied();
        let known = names.chain(self.locals.iter().map(|local| local.name)).collect();
        let help = self.suggestion(name, known);
        self.fault(
            FaultCode::Name,
            span,
            message,
            if help.is_empty() { "declare or import it" } else { &help },
        );
        (null(Some(span)), Type::Dynamic)
    }

    /// The module that an expression names.
    pub(super) fn module_named_by(&self, expression: &Expression<'a>) -> Option<ModuleRef> {
        let mut first = expression;
        while let Expression::StaticMemberExpression(member) = first {
            first = &member.object;
        }
        match first {
            Expression::Identifier(name) if self.local(name.name.as_str()).is_none() => {}
            _ => return None,
        }
        match self.unit.symbol_of(self.module, expression, Space::Value)? {
            Symbol::Module(module) => Some(module),
            _ => None,
        }
    }

    /// `object.name`.
    pub(super) fn member(&mut self, member: &'a ast::StaticMemberExpression<'a>) -> Typed<'a> {
        let (name, name_span) = (member.property.name.as_str(), member.property.span);
        self.member_of(&member.object, name, name_span, member.span)
    }

    pub(super) fn member_of(
        &mut self,
        object: &'a Expression<'a>,
        name: &'a str,
        name_span: Span,
        span: Span,
    ) -> Typed<'a> {
        if let Some(module) = self.module_named_by(object) {
            return self.module_member(module, name, name_span, span);
        }
        let (object, ty) = self.expression(object, None);
        self.loaded_member(object, &ty, name, name_span, span)
    }

    fn module_member(&mut self, module: ModuleRef, name: &'a str, name_span: Span, span: Span) -> Typed<'a> {
        let token = self.unit.joined(self.unit.module_token(module), name);
        match self.unit.exported(module, name, Space::Value) {
            Some(symbol) => {
                let ty = self.unit.type_of_symbol(&symbol);
                let token = match (&symbol, self.is_compatible()) {
                    (Symbol::Member(member), false) => self.token_of(*member),
                    (Symbol::Foreign(ForeignMember::Value(token, _)), false) => token,
                    (Symbol::Foreign(ForeignMember::Class(class)), false) => self.unit.class(*class).token,
                    _ => token,
                };
                let load = Node::new("LoadLocationExpression")
                    .with("name", token_node(token, Some(name_span)))
                    .at(span);
                (load, ty)
            }
            None => {
                let message = format!("module `{}` does not export `{name}`", self.unit.module_token(module));
                let help = self.suggestion(name, self.unit.exported_names(module));
                self.fault(FaultCode::Export, name_span, message, &help);
                (null(Some(span)), Type::Dynamic)
            }
        }
    }

    /// `object.name` for an object that is lowered already.
    pub(super) fn loaded_member(
        &mut self,
        object: Node<'a>,
        ty: &Type<'a>,
        name: &'a str,
        name_span: Span,
        span: Span,
    ) -> Typed<'a> {
        let ty = &self.unit.resolved(ty.clone().non_null());
        let token = self.unit.type_token(ty).unwrap_or("dynamic");
        let member_type = match ty {
            Type::Statics(class) | Type::Instance(class) => {
                let found = self.unit.element(*class, name);
                found.map(|(owner, element)| self.unit.type_of_element(owner, &element))
            }
            Type::Literal(_) | Type::Index(_) => self.property_type(ty, name),
            ty => self.unit.builtin_member(ty, name),
        };
        let member_type = member_type.unwrap_or(Type::Dynamic);
        if let (Type::Map(_), "size", true) = (ty, name, self.is_mended()) {
            let keys = self.helper("objectKeys", vec![object], Some(span)).0;
            return (find(Some(keys), string("length", Some(name_span)), Some(span)), Type::Number);
        }
        if matches!(token, "dynamic" | "object") {
            return (find(Some(object), string(name, Some(name_span)), Some(span)), member_type);
        }
        let (Type::Instance(class) | Type::Statics(class)) = ty else {
            let node = match self.is_compatible() {
                true => {
                    let token = self.unit.joined(token, name);
                    Node::new("LoadLocationExpression")
                        .with("object", object)
                        .with("name", token_node(token, Some(name_span)))
                        .at(span)
                }
                false => find(Some(object), string(name, Some(name_span)), Some(span)),
            };
            return (node, member_type);
        };
        let found = self.unit.element(*class, name);
        let is_static = found.as_ref().is_some_and(|(_, element)| element.is_static);
        if found.is_none() && !self.is_compatible() {
            return self.unknown_member(object, *class, name, name_span, span);
        }
        let token = self.unit.joined(token, name);
        let node = match is_static {
            true => Node::new("LoadLocationExpression"),
            false => Node::new("LoadLocationExpression").with("object", object),
        };
        (node.with("name", token_node(token, Some(name_span))).at(span), member_type)
    }

    fn unknown_member(
        &mut self,
        object: Node<'a>,
        class: ClassId,
        name: &'a str,
        name_span: Span,
        span: Span,
    ) -> Typed<'a> {
        if !self.unit.class(class).is_open && !self.has_unknown_part(class) {
            let message = format!("class `{}` has no member `{name}`", self.unit.class(class).name);
            let mut names = Vec::new();
            let mut at = Some(class);
            while let Some(class) = at.filter(|_| names.len() < 10_000) {
                names.extend(self.unit.class(class).elements.keys().copied());
                at = self.unit.base(class);
            }
            let help = self.suggestion(name, names);
            self.fault(FaultCode::Member, name_span, message, &help);
        }
        (find(Some(object), string(name, Some(name_span)), Some(span)), Type::Dynamic)
    }

    pub(super) fn has_unknown_part(&self, class: ClassId) -> bool {
        let mut at = Some(class);
        for _ in 0..100 {
            match at {
                Some(class) if self.unit.has_unknown_base(class) || self.unit.class(class).is_open => {
                    return true;
                }
                Some(class) => at = self.unit.base(class),
                None => return false,
            }
        }
        true
    }

    /// `super.name`, and `super` itself.
    pub(super) fn base_object(&mut self, span: Span) -> Typed<'a> {
        let ty = self.class.and_then(|class| self.unit.base(class)).map_or(Type::Dynamic, Type::Instance);
        (load(".super", Some(span)), ty)
    }

    pub(super) fn this_object(&self, span: Span) -> Typed<'a> {
        if self.this == Type::Dynamic && self.is_mended() {
            let help = "use an arrow function in a class, or name the object";
            return (self.refuse(span, "`this` outside of a class", help), Type::Dynamic);
        }
        (load(".this", Some(span)), self.this.clone())
    }

    /// Advice that names the most similar name.
    pub(super) fn suggestion(&self, name: &str, known: Vec<&'a str>) -> String {
        similar(name, known).map_or_else(String::new, |near| format!("did you mean `{near}`?"))
    }
}
