//! The types of declarations, found when they are needed.

use crate::ids::{ClassId, MemberId, ModuleId, ModuleRef};
use crate::lower::Lowerer;
use crate::static_type::{Signature, Type};
use crate::unit::{ClassSource, Constructor, Declared, Element, ElementKind, ForeignMember, Symbol, Unit};
use oxc_ast::ast;
use std::rc::Rc;

impl<'a> Unit<'a> {
    /// The type of this key, computed at most once. A type that depends on itself is unknown.
    pub(crate) fn inferred_once(&self, key: (ModuleId, u32), infer: impl FnOnce() -> Type<'a>) -> Type<'a> {
        if let Some(ty) = self.inferred.borrow().get(&key) {
            return ty.clone();
        }
        self.inferred.borrow_mut().insert(key, Type::Dynamic);
        let ty = infer();
        self.inferred.borrow_mut().insert(key, ty.clone());
        ty
    }

    /// The type of a name that has this target.
    pub(crate) fn type_of_symbol(&self, symbol: &Symbol<'a>) -> Type<'a> {
        match symbol {
            Symbol::Member(member) => self.type_of_member(*member),
            Symbol::Module(module) => Type::Module(*module),
            Symbol::Foreign(ForeignMember::Class(class)) => Type::Statics(*class),
            Symbol::Foreign(ForeignMember::Value(_, ty)) => ty.clone(),
            Symbol::Foreign(ForeignMember::Type(_)) => Type::Dynamic,
        }
    }

    /// The type of a definition of a module as a value.
    pub(crate) fn type_of_member(&self, member: MemberId) -> Type<'a> {
        let member = self.member(member);
        match member.declared {
            Declared::Variable { declarator, name, .. } => {
                if let ast::BindingPatternKind::BindingIdentifier(_) = &declarator.id.kind {
                    self.inferred_once((member.module, name.span.start), || {
                        self.variable_type(member.module, declarator)
                    })
                } else {
                    Type::Dynamic
                }
            }
            Declared::Function(function) => {
                Type::Function(Rc::new(self.function_signature(member.module, None, function)))
            }
            Declared::Class(class) => Type::Statics(class),
            Declared::Value(value) => {
                let key = (member.module, oxc_span::GetSpan::span(value).start);
                self.inferred_once(key, || self.inferred_value(member.module, None, value).widened())
            }
            Declared::Alias(_) | Declared::Enum => Type::Dynamic,
        }
    }

    fn variable_type(&self, module: ModuleId, declarator: &'a ast::VariableDeclarator<'a>) -> Type<'a> {
        match (&declarator.id.type_annotation, &declarator.init) {
            (Some(annotation), _) => self.annotated(module, &annotation.type_annotation),
            (None, Some(value)) => self.inferred_value(module, None, value).widened(),
            (None, None) => Type::Dynamic,
        }
    }

    /// The type of an expression at the top of a module, or of a class in it.
    pub(crate) fn inferred_value(
        &self,
        module: ModuleId,
        class: Option<ClassId>,
        value: &'a ast::Expression<'a>,
    ) -> Type<'a> {
        let mut lowerer = Lowerer::silent(self, module, class);
        lowerer.expression(value, None).1
    }

    /// The signature of a function of a module or class.
    pub(crate) fn function_signature(
        &self,
        module: ModuleId,
        class: Option<ClassId>,
        function: &'a ast::Function<'a>,
    ) -> Signature<'a> {
        let result = match &function.return_type {
            Some(annotation) => self.annotated(module, &annotation.type_annotation),
            None => self.inferred_once((module, function.span.start), || {
                Lowerer::silent(self, module, class).result_of(function)
            }),
        };
        self.signature_of(module, &function.params, result)
    }

    /// The type of a member of a class.
    pub(crate) fn type_of_element(&self, class: ClassId, element: &Element<'a>) -> Type<'a> {
        self.maybe_null(self.type_when_set(class, element), element.is_optional)
    }

    fn type_when_set(&self, class: ClassId, element: &Element<'a>) -> Type<'a> {
        let ModuleRef::Own(module) = self.class(class).module else {
            return match &element.kind {
                ElementKind::Known(ty) => self.resolved(ty.clone()),
                _ => Type::Dynamic,
            };
        };
        match element.kind {
            ElementKind::Property { annotation: Some(annotation), .. } => self.annotated(module, annotation),
            ElementKind::Property { annotation: None, value: Some(value) } => {
                let key = (module, oxc_span::GetSpan::span(value).start);
                self.inferred_once(key, || self.inferred_value(module, Some(class), value).widened())
            }
            ElementKind::Property { .. } => Type::Dynamic,
            ElementKind::Method(function) => {
                Type::Function(Rc::new(self.function_signature(module, Some(class), function)))
            }
            ElementKind::Signature(method) => {
                let result = match &method.return_type {
                    Some(annotation) => self.annotated(module, &annotation.type_annotation),
                    None => Type::Dynamic,
                };
                Type::Function(Rc::new(self.signature_of(module, &method.params, result)))
            }
            ElementKind::Accessor { getter, setter } => self.accessor_type(module, class, getter, setter),
            ElementKind::Known(ref ty) => ty.clone(),
        }
    }

    pub(crate) fn accessor_type(
        &self,
        module: ModuleId,
        class: ClassId,
        getter: Option<&'a ast::Function<'a>>,
        setter: Option<&'a ast::Function<'a>>,
    ) -> Type<'a> {
        match (getter, setter) {
            (Some(getter), _) => self.function_signature(module, Some(class), getter).result,
            (None, Some(setter)) => {
                let signature = self.function_signature(module, Some(class), setter);
                signature.parameters.into_iter().next().map_or(Type::Dynamic, |parameter| parameter.ty)
            }
            (None, None) => Type::Dynamic,
        }
    }

    /// The type of all properties of an interface with an index signature.
    pub(crate) fn index_type(&self, class: ClassId) -> Option<Type<'a>> {
        let info = self.class(class);
        let (ClassSource::Interface(interface), ModuleRef::Own(module)) = (info.source, info.module) else {
            return None;
        };
        interface.body.body.iter().find_map(|member| match member {
            ast::TSSignature::TSIndexSignature(index) => {
                Some(self.annotated(module, &index.type_annotation.type_annotation))
            }
            _ => None,
        })
    }

    /// The signature of the constructor of a class, which may be that of its base.
    pub(crate) fn constructor_of(&self, class: ClassId) -> Option<Signature<'a>> {
        const LONGEST_CHAIN: usize = 1000;
        let mut at = class;
        for _ in 0..LONGEST_CHAIN {
            let info = self.class(at);
            match (&info.constructor, info.module) {
                (Some(Constructor::Own(function)), ModuleRef::Own(module)) => {
                    return Some(self.signature_of(module, &function.params, Type::Void));
                }
                (Some(Constructor::Foreign(signature)), _) => return Some((**signature).clone()),
                _ => {}
            }
            match self.base(at) {
                Some(base) => at = base,
                None if self.has_unknown_base(at) => return None,
                None => break,
            }
        }
        Some(Signature {
            parameters: Vec::new(),
            result: Type::Void,
            is_annotation: false,
            is_complete: true,
            is_foreign: false,
        })
    }

    /// Whether a class extends something that is not known.
    pub(crate) fn has_unknown_base(&self, class: ClassId) -> bool {
        let info = self.class(class);
        let has_base = match &info.source {
            ClassSource::Class(class) => class.super_class.is_some(),
            ClassSource::Interface(interface) => !interface.extends.is_empty(),
            ClassSource::Foreign { base, .. } => base.is_some(),
        };
        has_base && self.base(class).is_none()
    }

    /// The members of types of the language.
    pub(crate) fn builtin_member(&self, ty: &Type<'a>, name: &str) -> Option<Type<'a>> {
        let function = |result: Type<'a>| {
            let signature = Signature {
                parameters: Vec::new(),
                result,
                is_annotation: false,
                is_complete: false,
                is_foreign: false,
            };
            Type::Function(Rc::new(signature))
        };
        Some(match (ty, name) {
            (Type::String | Type::Array(_), "length") | (Type::Map(_), "size") => Type::Number,
            (Type::String, "charCodeAt" | "indexOf" | "lastIndexOf" | "search" | "localeCompare") => {
                function(Type::Number)
            }
            (Type::String, "startsWith" | "endsWith" | "includes") => function(Type::Bool),
            (Type::String, "split") => function(Type::array(Type::String)),
            (
                Type::String,
                "charAt" | "concat" | "replace" | "slice" | "substring" | "substr" | "toLowerCase"
                | "toUpperCase" | "trim" | "toString" | "repeat" | "padStart" | "padEnd" | "normalize",
            )
            | (Type::Array(_), "join" | "toString")
            | (Type::Number | Type::Bool, "toString")
            | (Type::Number, "toFixed") => function(Type::String),
            (Type::Array(_), "push" | "unshift" | "indexOf" | "lastIndexOf" | "findIndex") => {
                function(Type::Number)
            }
            (Type::Array(element), "pop" | "shift" | "find") => function((**element).clone()),
            (Type::Array(_), "slice" | "concat" | "filter" | "reverse" | "sort" | "splice") => {
                function(ty.clone())
            }
            (Type::Array(_), "every" | "some" | "includes") => function(Type::Bool),
            (Type::Array(_), "forEach") | (Type::Map(_), "forEach" | "clear") => function(Type::Void),
            (Type::Map(types), "get") => function(types.1.clone()),
            (Type::Map(_), "set") => function(ty.clone()),
            (Type::Map(_), "has" | "delete") => function(Type::Bool),
            _ => return None,
        })
    }
}
