//! Type annotations to types, and types to tokens.

use crate::declare::{annotation_of, bound_names, key_name};
use crate::ids::ModuleId;
use crate::static_type::{ParameterType, Signature, Type};
use crate::unit::{Declared, ForeignMember, Space, Symbol, Unit};
use oxc_ast::ast::{self, TSLiteral, TSSignature, TSType, TSTypeName};
use std::rc::Rc;

/// Types of the library that have no form of their own in packages.
const LIBRARY_TYPES: [&str; 20] = [
    "Boolean",
    "Number",
    "String",
    "Symbol",
    "Function",
    "Date",
    "Error",
    "RegExp",
    "Promise",
    "PromiseLike",
    "ReadonlyArray",
    "Set",
    "WeakMap",
    "WeakSet",
    "Iterable",
    "Iterator",
    "IterableIterator",
    "EvalError",
    "RangeError",
    "TypeError",
];

impl<'a> Unit<'a> {
    /// The type that an annotation names.
    pub(crate) fn annotated(&self, module: ModuleId, annotation: &'a TSType<'a>) -> Type<'a> {
        match annotation {
            TSType::TSBooleanKeyword(_) => Type::Bool,
            TSType::TSNumberKeyword(_) => Type::Number,
            TSType::TSStringKeyword(_) | TSType::TSTemplateLiteralType(_) => Type::String,
            TSType::TSNullKeyword(_) | TSType::TSUndefinedKeyword(_) => Type::Null,
            TSType::TSVoidKeyword(_) => Type::Void,
            TSType::TSObjectKeyword(_) => Type::Object,
            TSType::TSParenthesizedType(inner) => self.annotated(module, &inner.type_annotation),
            TSType::TSTypeOperatorType(inner) if inner.operator == ast::TSTypeOperatorOperator::Readonly => {
                self.annotated(module, &inner.type_annotation)
            }
            TSType::TSLiteralType(literal) => match &literal.literal {
                TSLiteral::BooleanLiteral(_) => Type::Bool,
                TSLiteral::NumericLiteral(_) | TSLiteral::UnaryExpression(_) => Type::Number,
                TSLiteral::StringLiteral(_) | TSLiteral::TemplateLiteral(_) => Type::String,
                TSLiteral::BigIntLiteral(_) => Type::Dynamic,
            },
            TSType::TSArrayType(array) => Type::array(self.annotated(module, &array.element_type)),
            TSType::TSTupleType(tuple) => {
                let elements = tuple.element_types.iter();
                let types = elements.map(|element| {
                    element.as_ts_type().map_or(Type::Dynamic, |ty| self.annotated(module, ty))
                });
                Type::Tuple(Rc::new(types.collect()))
            }
            TSType::TSUnionType(types) => self.union(types.types.iter().map(|ty| self.annotated(module, ty))),
            TSType::TSFunctionType(function) => {
                let result = self.annotated(module, &function.return_type.type_annotation);
                let mut signature = self.signature_of(module, &function.params, result);
                signature.is_annotation = true;
                Type::Function(Rc::new(signature))
            }
            TSType::TSTypeLiteral(literal) => {
                if let [TSSignature::TSIndexSignature(index)] = &literal.members[..] {
                    return Type::Index(Rc::new(
                        self.annotated(module, &index.type_annotation.type_annotation),
                    ));
                }
                let is_open = literal.members.iter().any(|member| {
                    !matches!(member, TSSignature::TSPropertySignature(_) | TSSignature::TSMethodSignature(_))
                });
                if is_open {
                    return Type::Literal(Rc::default());
                }
                let mut properties = Vec::new();
                for member in &literal.members {
                    if let TSSignature::TSPropertySignature(property) = member
                        && let Some((name, _)) = key_name(self.arena, &property.key)
                    {
                        let annotation = property.type_annotation.as_ref();
                        let ty = annotation.map_or(Type::Dynamic, |annotation| {
                            self.annotated(module, &annotation.type_annotation)
                        });
                        properties.push((name, ty));
                    }
                }
                Type::Literal(Rc::new(properties))
            }
            TSType::TSTypeReference(reference) => self.referenced(module, reference),
            TSType::TSTypeQuery(query) => match query.expr_name.as_ts_type_name() {
                Some(name) => match self.symbol_of_type_name(module, name, Space::Value) {
                    Some(symbol) => self.type_of_symbol(&symbol),
                    None => Type::Dynamic,
                },
                None => Type::Dynamic,
            },
            _ => Type::Dynamic,
        }
    }

    fn referenced(&self, module: ModuleId, reference: &'a ast::TSTypeReference<'a>) -> Type<'a> {
        if let Some(symbol) = self.symbol_of_type_name(module, &reference.type_name, Space::Type) {
            return self.type_named_by(&symbol);
        }
        let TSTypeName::IdentifierReference(name) = &reference.type_name else { return Type::Dynamic };
        let mut arguments = reference
            .type_arguments
            .iter()
            .flat_map(|arguments| &arguments.params)
            .map(|argument| self.annotated(module, argument));
        match name.name.as_str() {
            "Array" => Type::array(arguments.next().unwrap_or(Type::Dynamic)),
            "ReadonlyArray" if !self.target.is_compatible() => {
                Type::array(arguments.next().unwrap_or(Type::Dynamic))
            }
            "Record" if !self.target.is_compatible() => {
                Type::Index(Rc::new(arguments.nth(1).unwrap_or(Type::Dynamic)))
            }
            "Map" => {
                let mut next = || arguments.next().unwrap_or(Type::Dynamic);
                Type::Map(Rc::new((next(), next())))
            }
            "Object" => Type::Object,
            name if self.target.is_compatible() && LIBRARY_TYPES.contains(&name) => {
                Type::Named(self.library_token(name))
            }
            // A type parameter.
            name if self.target.is_compatible() => Type::Named(name),
            name => self.helper_class(name).map_or(Type::Dynamic, Type::Instance),
        }
    }

    /// The type that a name of a type stands for.
    pub(crate) fn type_named_by(&self, symbol: &Symbol<'a>) -> Type<'a> {
        match symbol {
            Symbol::Member(id) => {
                let member = self.member(*id);
                match member.declared {
                    Declared::Class(class) => Type::Instance(class),
                    Declared::Alias(alias) => {
                        let key = (member.module, alias.span.start);
                        self.inferred_once(key, || self.annotated(member.module, &alias.type_annotation))
                    }
                    Declared::Enum => match self.target.is_compatible() {
                        true => Type::Named(self.member_token(*id)),
                        false => Type::Dynamic,
                    },
                    _ => Type::Dynamic,
                }
            }
            Symbol::Foreign(ForeignMember::Class(class)) => Type::Instance(*class),
            Symbol::Foreign(ForeignMember::Type(token)) => self.resolved(self.type_of_token(token)),
            Symbol::Foreign(_) | Symbol::Module(_) => Type::Dynamic,
        }
    }

    /// The target of a name in a type.
    pub(crate) fn symbol_of_type_name(
        &self,
        module: ModuleId,
        name: &TSTypeName<'a>,
        space: Space,
    ) -> Option<Symbol<'a>> {
        match name {
            TSTypeName::IdentifierReference(name) => self.find(module, name.name.as_str(), space),
            TSTypeName::QualifiedName(qualified) => {
                match self.symbol_of_type_name(module, &qualified.left, Space::Value)? {
                    Symbol::Module(of) => self.exported(of, qualified.right.name.as_str(), space),
                    _ => None,
                }
            }
            TSTypeName::ThisExpression(_) => None,
        }
    }

    /// The signature of these parameters.
    pub(crate) fn signature_of(
        &self,
        module: ModuleId,
        parameters: &'a ast::FormalParameters<'a>,
        result: Type<'a>,
    ) -> Signature<'a> {
        let mut types = Vec::with_capacity(parameters.items.len());
        for parameter in &parameters.items {
            let pattern = &parameter.pattern;
            types.push(ParameterType {
                name: bound_names(pattern).first().map_or("", |name| name.name.as_str()),
                ty: self.maybe_null(self.parameter_type(module, pattern), pattern.optional),
                is_optional: pattern.optional
                    || matches!(pattern.kind, ast::BindingPatternKind::AssignmentPattern(_)),
                is_rest: false,
            });
        }
        if let Some(rest) = &parameters.rest {
            let name = bound_names(&rest.argument).first().map_or("", |name| name.name.as_str());
            let ty = self.parameter_type(module, &rest.argument);
            types.push(ParameterType { name, ty, is_optional: true, is_rest: true });
        }
        Signature { parameters: types, result, is_annotation: false, is_complete: true, is_foreign: false }
    }

    /// A type that may also be null.
    pub(crate) fn maybe_null(&self, ty: Type<'a>, is_optional: bool) -> Type<'a> {
        match is_optional && !self.target.is_compatible() {
            true => self.union([ty, Type::Null]),
            false => ty,
        }
    }

    fn parameter_type(&self, module: ModuleId, pattern: &'a ast::BindingPattern<'a>) -> Type<'a> {
        match annotation_of(pattern) {
            Some(annotation) => self.annotated(module, annotation),
            None => match &pattern.kind {
                ast::BindingPatternKind::AssignmentPattern(default) => {
                    self.inferred_value(module, None, &default.right).widened()
                }
                _ => Type::Dynamic,
            },
        }
    }

    /// The token of a type; `None` for `void`.
    pub(crate) fn type_token(&self, ty: &Type<'a>) -> Option<&'a str> {
        if !self.target.is_compatible() {
            return self.safe_token(ty);
        }
        Some(match ty {
            Type::Dynamic | Type::Module(_) => "dynamic",
            Type::Void => return None,
            Type::Null | Type::Literal(_) | Type::Index(_) => self.target.literal_type(),
            Type::String => "string",
            Type::Number => "number",
            Type::Bool => "bool",
            Type::Object | Type::Tuple(_) => "object",
            Type::Array(element) => {
                self.arena.alloc_concat_strs_array(["[]", self.type_token(element).unwrap_or("dynamic")])
            }
            Type::Map(types) => {
                let [key, value] = [&types.0, &types.1].map(|ty| self.type_token(ty).unwrap_or("dynamic"));
                self.arena.alloc_concat_strs_array(["map[", key, "]", value])
            }
            Type::Function(signature) if signature.is_annotation => self.target.literal_type(),
            Type::Function(signature) => self.signature_token(signature),
            Type::Instance(class) | Type::Statics(class) => self.class(*class).token,
            Type::Named(token) => token,
            Type::Union(types) => return self.union_token(types),
        })
    }

    /// The token of a type as far as packages can check it. Types of the language that are equal in
    /// structure are different types in a package, so these are `dynamic`.
    fn safe_token(&self, ty: &Type<'a>) -> Option<&'a str> {
        let scalar = |ty: &Type<'a>| if ty.is_primitive() { self.safe_token(ty) } else { None };
        Some(match ty {
            Type::Void => return None,
            Type::String => "string",
            Type::Number => "number",
            Type::Bool => "bool",
            Type::Array(element) => {
                self.arena.alloc_concat_strs_array(["[]", scalar(element).unwrap_or("dynamic")])
            }
            Type::Map(types) => {
                let [key, value] = [&types.0, &types.1].map(|ty| scalar(ty).unwrap_or("dynamic"));
                self.arena.alloc_concat_strs_array(["map[", key, "]", value])
            }
            Type::Instance(class) | Type::Statics(class) if !self.class(*class).is_interface() => {
                self.class(*class).token
            }
            Type::Named(token) => match self.resolved(Type::Named(token)) {
                Type::Named(token) => token,
                ty => return self.safe_token(&ty),
            },
            _ => "dynamic",
        })
    }

    /// The token of a function. The compilers of 2017 did not know the types of parameters.
    pub(crate) fn signature_token(&self, signature: &Signature<'a>) -> &'a str {
        let parameters = vec!["dynamic"; signature.parameters.len()].join(",");
        let result = self.type_token(&signature.result).unwrap_or("");
        self.arena.alloc_concat_strs_array(["(", &parameters, ")", result])
    }

    /// One type stands for a union if all others are primitive, as the compilers of 2017 decided.
    fn union_token(&self, types: &[Type<'a>]) -> Option<&'a str> {
        let mut result = None;
        for ty in types {
            if *ty == Type::Null {
                continue;
            }
            if result.is_some() && !ty.is_primitive() {
                return Some("dynamic");
            }
            result = Some(ty);
        }
        result.map_or(Some("dynamic"), |ty| self.type_token(ty))
    }
}
