//! §14.5 Types. The meaning of type tokens, and conversions between types.

use std::fmt;
use std::rc::Rc;

use super::symbols::{ClassRef, Miss, Site, Symbol, Symbols};
use crate::il::{Function, LocalVariable, SyntaxNode, Variable};
use crate::names::{NameError, Primitive, TokenParts, TypeToken};

/// The type of an expression or a definition.
///
/// Decorated types are compared by structure, classes by identity.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Ty<'a> {
    /// Unknown. Nothing is concluded from it, so that one mistake gives one finding.
    Unseen,
    Dynamic,
    Object,
    Bool,
    Number,
    String,
    Null,
    Class(ClassRef<'a>),
    Pointer(Rc<Ty<'a>>),
    Array(Rc<Ty<'a>>),
    Map(Rc<(Ty<'a>, Ty<'a>)>),
    Function(Rc<FunctionTy<'a>>),
    /// The result of a call of a function without a result.
    Nothing,
}

/// The type of a callable value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FunctionTy<'a> {
    pub(super) parameters: Vec<Ty<'a>>,
    pub(super) result: Option<Ty<'a>>,
}

/// The reasons why a type token is not a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TypeMiss {
    Syntax(NameError),
    /// The class does not exist, or cannot be named from here.
    Symbol(Miss),
    /// A name without a package that is not a primitive.
    NoPrimitive,
    /// The token names a variable, a function or a module.
    NoClass,
}

impl Ty<'_> {
    /// Whether the values are unknown before the program runs.
    pub(super) fn is_open(&self) -> bool {
        matches!(self, Ty::Unseen | Ty::Dynamic)
    }
}

impl<'a> Symbols<'a> {
    /// The type of a token at `site`.
    pub(super) fn resolve_type(&self, token: &'a str, site: Site<'a>) -> Result<Ty<'a>, TypeMiss> {
        // Class names come from the text of the document, which outlives the parsed token.
        let parsed = TypeToken::parse(token).map_err(TypeMiss::Syntax)?;
        self.lower(&parsed, token, site)
    }

    /// The same, but the unknown type for a token that is not a type.
    pub(super) fn type_or_unseen(&self, token: Option<&'a str>, site: Site<'a>) -> Ty<'a> {
        token.and_then(|token| self.resolve_type(token, site).ok()).unwrap_or(Ty::Unseen)
    }

    /// `text` is the whole token. The depth of `parsed` is bounded by the parser, and so is the
    /// recursion.
    fn lower(&self, parsed: &TypeToken, text: &'a str, site: Site<'a>) -> Result<Ty<'a>, TypeMiss> {
        let lower = |element: &TypeToken| self.lower(element, text, site);
        Ok(match parsed {
            TypeToken::Primitive(primitive) => match primitive {
                Primitive::Object => Ty::Object,
                Primitive::Bool => Ty::Bool,
                Primitive::Number => Ty::Number,
                Primitive::String => Ty::String,
                Primitive::Null => Ty::Null,
                Primitive::Dynamic | Primitive::Any => Ty::Dynamic,
            },
            TypeToken::Named(token) => self.lower_class(token.as_str(), text, site)?,
            TypeToken::Pointer(element) => Ty::Pointer(Rc::new(lower(element)?)),
            TypeToken::Array(element) => Ty::Array(Rc::new(lower(element)?)),
            TypeToken::Map(key, element) => Ty::Map(Rc::new((lower(key)?, lower(element)?))),
            TypeToken::Function(function) => {
                let parameters = function.parameters.iter().map(lower).collect::<Result<_, _>>()?;
                let result = function.result.as_ref().map(lower).transpose()?;
                Ty::Function(Rc::new(FunctionTy { parameters, result }))
            }
        })
    }

    fn lower_class(&self, name: &str, text: &'a str, site: Site<'a>) -> Result<Ty<'a>, TypeMiss> {
        if !self.resolves_from(site) {
            return Ok(Ty::Unseen);
        }
        let start = text.find(name).expect("the parsed name is a part of the text");
        let token = TokenParts::parse(&text[start..start + name.len()]).expect("parsed before");
        if matches!(token, TokenParts::Simple { .. }) {
            return Err(TypeMiss::NoPrimitive);
        }
        match self.resolve(token, site).map_err(TypeMiss::Symbol)? {
            Symbol::Member(member) => member.as_class().map(Ty::Class).ok_or(TypeMiss::NoClass),
            Symbol::Unseen => Ok(Ty::Unseen),
            Symbol::Module | Symbol::ClassMember(..) => Err(TypeMiss::NoClass),
        }
    }

    /// The type of a function or method according to its declaration.
    pub(super) fn function_type(&self, function: impl Function<'a>, site: Site<'a>) -> FunctionTy<'a> {
        let parameters = function.parameters().map(|node| self.variable_type(node, site)).collect();
        let result = function.return_type().map(|token| self.type_or_unseen(Some(token), site));
        FunctionTy { parameters, result }
    }

    /// The declared type of a local variable.
    pub(super) fn variable_type(&self, node: &'a SyntaxNode, site: Site<'a>) -> Ty<'a> {
        self.type_or_unseen(LocalVariable::of(node).and_then(Variable::type_token), site)
    }

    /// Whether a value of type `from` may be used where one of type `to` is required.
    pub(super) fn converts(&self, from: &Ty<'a>, to: &Ty<'a>) -> bool {
        match (from, to) {
            _ if from == to => true,
            (Ty::Nothing, _) | (_, Ty::Nothing) => false,
            (Ty::Unseen | Ty::Dynamic | Ty::Null, _) => true,
            (_, Ty::Unseen | Ty::Dynamic | Ty::Null | Ty::Object) => true,
            (Ty::Class(class), Ty::Class(wanted)) => self.may_derive(*class, *wanted),
            (Ty::Pointer(element), to) => self.converts(element, to),
            (Ty::Array(from), Ty::Array(to)) => matches_loosely(from, to),
            (Ty::Map(from), Ty::Map(to)) => {
                matches_loosely(&from.0, &to.0) && matches_loosely(&from.1, &to.1)
            }
            (Ty::Function(from), Ty::Function(to)) => self.function_converts(from, to),
            _ => false,
        }
    }

    /// Whether the number of parameters is the same, each is at least as general, and the result at
    /// most as general.
    pub(super) fn function_converts(&self, from: &FunctionTy<'a>, to: &FunctionTy<'a>) -> bool {
        let mut pairs = from.parameters.iter().zip(&to.parameters);
        from.parameters.len() == to.parameters.len()
            && pairs.all(|(from, to)| self.converts(to, from))
            && match (&from.result, &to.result) {
                (Some(from), Some(to)) => self.converts(from, to),
                (None, Some(_)) => false,
                (_, None) => true,
            }
    }
}

/// Whether element types of arrays and maps match. They do not convert: they are equal, or one side
/// is dynamic.
fn matches_loosely(from: &Ty<'_>, to: &Ty<'_>) -> bool {
    from == to || from.is_open() || to.is_open()
}

impl fmt::Display for Ty<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ty::Unseen => f.write_str("unknown"),
            Ty::Dynamic => f.write_str("dynamic"),
            Ty::Object => f.write_str("object"),
            Ty::Bool => f.write_str("bool"),
            Ty::Number => f.write_str("number"),
            Ty::String => f.write_str("string"),
            Ty::Null => f.write_str("null"),
            Ty::Class(class) => class.fmt(f),
            Ty::Pointer(element) => write!(f, "*{element}"),
            Ty::Array(element) => write!(f, "[]{element}"),
            Ty::Map(map) => write!(f, "map[{}]{}", map.0, map.1),
            Ty::Function(function) => function.fmt(f),
            Ty::Nothing => f.write_str("no value"),
        }
    }
}

impl fmt::Display for FunctionTy<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parameters: Vec<String> = self.parameters.iter().map(Ty::to_string).collect();
        write!(f, "({})", parameters.join(","))?;
        match &self.result {
            Some(result) => result.fmt(f),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;
    use crate::package::Package;

    #[test]
    fn conversion_follows_the_list_of_the_specification() {
        let package = Package::from_value(Value::Object(Vec::new())).expect("an object");
        let symbols = Symbols::new(&package, &[]);
        let site = Site { package: "", module: "" };
        let converts = |from: &'static str, to: &'static str| {
            let [from, to] = [from, to].map(|token| symbols.resolve_type(token, site).expect(token));
            symbols.converts(&from, &to)
        };
        for (from, to) in [
            ("number", "number"),
            ("dynamic", "number"),
            ("number", "dynamic"),
            ("any", "string"),
            ("null", "[]string"),
            ("[]string", "object"),
            ("*number", "number"),
            ("**number", "number"),
            ("[]string", "[]dynamic"),
            ("[]dynamic", "[]string"),
            ("map[string]number", "map[string]dynamic"),
            ("(object)string", "(string)object"),
            ("()string", "()"),
        ] {
            assert!(converts(from, to), "`{from}` should convert to `{to}`");
        }
        for (from, to) in [
            ("number", "string"),
            ("object", "string"),
            ("number", "*number"),
            ("[]string", "[]object"),
            ("[]string", "string"),
            ("map[string]number", "map[number]number"),
            ("(string)string", "(object)string"),
            ("()", "()string"),
            ("(string)", "()"),
            ("()object", "()string"),
        ] {
            assert!(!converts(from, to), "`{from}` should not convert to `{to}`");
        }
    }

    #[test]
    fn the_result_of_a_function_without_one_converts_to_nothing() {
        let package = Package::from_value(Value::Object(Vec::new())).expect("an object");
        let symbols = Symbols::new(&package, &[]);
        for to in [Ty::Dynamic, Ty::Object, Ty::Null, Ty::Unseen] {
            assert!(!symbols.converts(&Ty::Nothing, &to), "{to}");
        }
    }
}
