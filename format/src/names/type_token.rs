//! §11.2 Type tokens. The text that names a type.
//!
//! ```text
//! Type     = Primitive | Token | "*" Type | "[]" Type | "map[" Type "]" Type | Function
//! Function = "(" [ Type *( "," Type ) [ "," ] ] ")" [ Type ]
//! ```
//!
//! There is no white space and no escape. A function without a result type returns nothing. A comma
//! may precede the closing parenthesis; printing keeps it.

use std::fmt;

use super::{NameError, NameErrorKind, Token};
use crate::limits::MAX_TYPE_DEPTH;

/// A type, as named by variables, parameters and casts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TypeToken {
    /// A built-in type.
    Primitive(Primitive),
    /// A class, by its token. Until 2017-02-08, classes of the same module were named without
    /// package and module.
    Named(Token),
    /// `*T`.
    Pointer(Box<TypeToken>),
    /// `[]T`.
    Array(Box<TypeToken>),
    /// `map[K]V`.
    Map(Box<TypeToken>, Box<TypeToken>),
    /// `(P,P)R`.
    Function(Box<FunctionType>),
}

/// The type of a function or lambda.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunctionType {
    /// The types of the parameters, in order.
    pub parameters: Vec<TypeToken>,
    /// Whether the text has a comma after its last parameter. The comma is insignificant.
    pub trailing_comma: bool,
    /// The result type; `None` if there is no result.
    pub result: Option<TypeToken>,
}

/// Declares [`Primitive`] with the text of each variant.
macro_rules! primitives {
    ($( $(#[doc = $doc:literal])+ $name:ident = $text:literal; )+) => {
        /// A built-in type.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Primitive { $( $(#[doc = $doc])+ $name, )+ }

        impl Primitive {
            /// The text of the type token.
            pub fn as_str(self) -> &'static str {
                match self { $( Primitive::$name => $text, )+ }
            }

            /// The primitive with this text.
            pub fn from_text(text: &str) -> Option<Primitive> {
                match text { $( $text => Some(Primitive::$name), )+ _ => None }
            }
        }
    };
}

primitives! {
    /// Any object; members are checked when the package is verified.
    Object = "object";
    /// `true` or `false`.
    Bool = "bool";
    /// An IEEE 754 double.
    Number = "number";
    /// A text.
    String = "string";
    /// Only `null`.
    Null = "null";
    /// Any value; members are looked up when the program runs.
    Dynamic = "dynamic";
    /// The name of `dynamic` until 2017-02-10.
    Any = "any";
}

impl TypeToken {
    /// Checks the whole text.
    ///
    /// # Errors
    /// The first place where the text is not a type.
    pub fn parse(text: &str) -> Result<TypeToken, NameError> {
        let mut parser = Parser { text, at: 0 };
        let parsed = parser.parse_type(0)?;
        if parser.at < text.len() {
            return Err(parser.fault(NameErrorKind::LeftOver));
        }
        Ok(parsed)
    }

    /// Whether the type is looked up at run time: `dynamic`, or `any` in the oldest packages.
    pub fn is_dynamic(&self) -> bool {
        matches!(self, TypeToken::Primitive(Primitive::Dynamic | Primitive::Any))
    }
}

impl fmt::Display for TypeToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TypeToken::Primitive(primitive) => f.write_str(primitive.as_str()),
            TypeToken::Named(token) => token.fmt(f),
            TypeToken::Pointer(element) => write!(f, "*{element}"),
            TypeToken::Array(element) => write!(f, "[]{element}"),
            TypeToken::Map(key, element) => write!(f, "map[{key}]{element}"),
            TypeToken::Function(function) => function.fmt(f),
        }
    }
}

impl fmt::Display for FunctionType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        for (index, parameter) in self.parameters.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            write!(f, "{comma}{parameter}")?;
        }
        f.write_str(if self.trailing_comma { ",)" } else { ")" })?;
        match &self.result {
            Some(result) => result.fmt(f),
            None => Ok(()),
        }
    }
}

impl std::str::FromStr for TypeToken {
    type Err = NameError;

    fn from_str(text: &str) -> Result<TypeToken, NameError> {
        TypeToken::parse(text)
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl Parser<'_> {
    fn parse_type(&mut self, depth: usize) -> Result<TypeToken, NameError> {
        if depth > MAX_TYPE_DEPTH {
            return Err(self.fault(NameErrorKind::TooDeep));
        }
        if self.accept("*") {
            return Ok(TypeToken::Pointer(Box::new(self.parse_type(depth + 1)?)));
        }
        if self.accept("[]") {
            return Ok(TypeToken::Array(Box::new(self.parse_type(depth + 1)?)));
        }
        if self.accept("map[") {
            let key = Box::new(self.parse_type(depth + 1)?);
            self.expect("]", "`]` after the key type")?;
            return Ok(TypeToken::Map(key, Box::new(self.parse_type(depth + 1)?)));
        }
        if self.accept("(") {
            return Ok(TypeToken::Function(Box::new(self.parse_function(depth + 1)?)));
        }
        self.parse_undecorated()
    }

    /// The rest of a function type after its opening parenthesis.
    fn parse_function(&mut self, depth: usize) -> Result<FunctionType, NameError> {
        let mut function = FunctionType { parameters: Vec::new(), trailing_comma: false, result: None };
        while !self.accept(")") {
            if !function.parameters.is_empty() {
                self.expect(",", "`,` or `)` after the parameter type")?;
                if self.accept(")") {
                    function.trailing_comma = true;
                    break;
                }
            }
            function.parameters.push(self.parse_type(depth)?);
        }
        let goes_on = !matches!(self.rest().bytes().next(), None | Some(b']' | b',' | b')'));
        if goes_on {
            function.result = Some(self.parse_type(depth)?);
        }
        Ok(function)
    }

    /// A primitive or a token: everything up to the delimiter that ends it.
    fn parse_undecorated(&mut self) -> Result<TypeToken, NameError> {
        let rest = self.rest();
        let length = rest.find([']', ',', ')']).unwrap_or(rest.len());
        let name = &rest[..length];
        let parsed = match Primitive::from_text(name) {
            Some(primitive) => TypeToken::Primitive(primitive),
            None => {
                let token = Token::parse(name);
                TypeToken::Named(token.map_err(|e| NameError::new(e.kind, self.at + e.at, self.text))?)
            }
        };
        self.at += length;
        Ok(parsed)
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn accept(&mut self, delimiter: &str) -> bool {
        let found = self.rest().starts_with(delimiter);
        if found {
            self.at += delimiter.len();
        }
        found
    }

    fn expect(&mut self, delimiter: &str, expected: &'static str) -> Result<(), NameError> {
        if self.accept(delimiter) { Ok(()) } else { Err(self.fault(NameErrorKind::Delimiter(expected))) }
    }

    fn fault(&self, kind: NameErrorKind) -> NameError {
        NameError::new(kind, self.at, self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> (NameErrorKind, usize) {
        let error = TypeToken::parse(text).expect_err("should be refused");
        (error.kind, error.at)
    }

    fn named(text: &str) -> TypeToken {
        TypeToken::Named(Token::parse(text).expect("a token"))
    }

    #[test]
    fn parses_decorations_from_left_to_right() {
        let number = || Box::new(TypeToken::Primitive(Primitive::Number));
        assert_eq!(
            TypeToken::parse("map[a:b:C][]number"),
            Ok(TypeToken::Map(Box::new(named("a:b:C")), Box::new(TypeToken::Array(number()))))
        );
        assert_eq!(TypeToken::parse("*number"), Ok(TypeToken::Pointer(number())));
    }

    #[test]
    fn parses_the_deepest_type_of_the_original_tests() {
        let text = "*[]map[string]map[()*(bool,string,test/package:test/module:Crazy)number][][]test/package:test/module:Crazy";
        let parsed = TypeToken::parse(text).expect("valid");
        assert_eq!(parsed.to_string(), text);
        let TypeToken::Pointer(array) = parsed else { panic!("a pointer") };
        let TypeToken::Array(outer) = *array else { panic!("to an array") };
        let TypeToken::Map(_, inner) = *outer else { panic!("of a map") };
        let TypeToken::Map(key, value) = *inner else { panic!("of a map") };
        assert_eq!(value.to_string(), "[][]test/package:test/module:Crazy");
        let TypeToken::Function(function) = *key else { panic!("keyed by a function") };
        assert_eq!(function.parameters, []);
        let Some(TypeToken::Pointer(result)) = function.result else { panic!("that returns a pointer") };
        let TypeToken::Function(result) = *result else { panic!("to a function") };
        assert_eq!(result.parameters[2], named("test/package:test/module:Crazy"));
        assert_eq!(result.result, Some(TypeToken::Primitive(Primitive::Number)));
    }

    #[test]
    fn a_function_may_return_nothing_and_keeps_its_trailing_comma() {
        for text in ["()", "(dynamic)", "(dynamic,dynamic)number", "(string,)bool", "[]()", "map[()]string"] {
            assert_eq!(TypeToken::parse(text).expect(text).to_string(), text);
        }
        let TypeToken::Function(function) = TypeToken::parse("(string,)").expect("valid") else { panic!() };
        assert!(function.trailing_comma && function.result.is_none());
    }

    #[test]
    fn local_class_names_of_the_oldest_packages_parse() {
        assert_eq!(TypeToken::parse("Point"), Ok(named("Point")));
        assert_eq!(TypeToken::parse("[]__object"), Ok(TypeToken::Array(Box::new(named("__object")))));
    }

    #[test]
    fn rejects_a_broken_type_where_it_breaks() {
        assert_eq!(fault(""), (NameErrorKind::Missing, 0));
        assert_eq!(fault("[]"), (NameErrorKind::Missing, 2));
        assert_eq!(fault("map[string"), (NameErrorKind::Delimiter("`]` after the key type"), 10));
        assert_eq!(fault("(string"), (NameErrorKind::Delimiter("`,` or `)` after the parameter type"), 7));
        assert_eq!(fault("string]"), (NameErrorKind::LeftOver, 6));
        assert_eq!(fault("string[]"), (NameErrorKind::Character, 6));
        assert_eq!(fault("[]a:9:C"), (NameErrorKind::Start, 4));
        assert_eq!(fault("(,)"), (NameErrorKind::Missing, 1));
    }

    #[test]
    fn rejects_a_type_that_is_nested_too_deeply() {
        let deepest = format!("{}string", "[]".repeat(MAX_TYPE_DEPTH));
        assert_eq!(TypeToken::parse(&deepest).expect("at the limit").to_string(), deepest);
        assert_eq!(fault(&format!("[]{deepest}")), (NameErrorKind::TooDeep, 130));
    }
}
