//! §11.1 Tokens. The text that names a definition in any package.
//!
//! ```text
//! Token        = Simple | Module | ModuleMember | ClassMember
//! Simple       = PackageName                 a local variable, a property, or a whole package
//! Module       = PackageName ":" ModuleName
//! ModuleMember = Module ":" Name
//! ClassMember  = ModuleMember ":" Name
//! ```
//!
//! Until 2017-02-08 the parts were joined as `package:module/Member.member`. Such a text is also a
//! valid token here, because its last two parts look like a module name. Only resolution can
//! distinguish them.

use std::fmt;
use std::ops::Range;

use super::grammar::Grammar;
use super::{NameError, NameErrorKind};

/// The name of a package, module, member, class member or local variable.
///
/// It owns its text. [`TokenParts`] is the borrowed form, without an allocation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Token(Box<str>);

/// A token, split into its parts. The number of colons determines the variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenParts<'a> {
    /// No colon. Its place determines whether it is a local name, a property or a package.
    Simple {
        /// The whole text.
        name: &'a str,
    },
    /// `package:module`.
    Module {
        /// The package.
        package: &'a str,
        /// The module in it.
        module: &'a str,
    },
    /// `package:module:member`.
    ModuleMember {
        /// The package.
        package: &'a str,
        /// The module in it.
        module: &'a str,
        /// The variable, function or class in it.
        member: &'a str,
    },
    /// `package:module:class:member`.
    ClassMember {
        /// The package.
        package: &'a str,
        /// The module in it.
        module: &'a str,
        /// The class in it.
        class: &'a str,
        /// The property or method of the class.
        member: &'a str,
    },
}

impl<'a> TokenParts<'a> {
    /// Splits a token and checks every part. Costs one pass over the text.
    ///
    /// # Errors
    ///
    /// The first part that violates its grammar, or a fourth colon.
    pub fn parse(text: &'a str) -> Result<TokenParts<'a>, NameError> {
        let mut ends = [text.len(); 4];
        let mut count = 0;
        for (at, _) in text.match_indices(':') {
            if count == 3 {
                return Err(NameError::new(NameErrorKind::TooManyParts, at, text));
            }
            ends[count] = at;
            count += 1;
        }
        let span = |part: usize| -> Range<usize> {
            let start = if part == 0 { 0 } else { ends[part - 1] + 1 };
            start..ends[part]
        };
        let grammars = [Grammar::PackageName, Grammar::ModuleName, Grammar::Name, Grammar::Name];
        for (part, grammar) in grammars.into_iter().enumerate().take(count + 1) {
            grammar.check(text, span(part))?;
        }
        let part = |index: usize| &text[span(index)];
        Ok(match count {
            0 => TokenParts::Simple { name: text },
            1 => TokenParts::Module { package: part(0), module: part(1) },
            2 => TokenParts::ModuleMember { package: part(0), module: part(1), member: part(2) },
            _ => {
                TokenParts::ClassMember { package: part(0), module: part(1), class: part(2), member: part(3) }
            }
        })
    }

    /// The token of a class member with any name. The name of a property is text: a source language
    /// may write it in quotes, with hyphens or colons (`"x-amazon-apigateway-integration"`).
    pub fn of_class_member(text: &'a str) -> Option<TokenParts<'a>> {
        let mut colons = text.match_indices(':').map(|(at, _)| at);
        let end = colons.nth(2)?;
        let member = &text[end + 1..];
        match TokenParts::parse(&text[..end]) {
            Ok(TokenParts::ModuleMember { package, module, member: class }) if !member.is_empty() => {
                Some(TokenParts::ClassMember { package, module, class, member })
            }
            _ => None,
        }
    }

    /// The package part; `None` for a token without a colon, whose part may not be a package.
    pub fn package(self) -> Option<&'a str> {
        match self {
            TokenParts::Simple { .. } => None,
            TokenParts::Module { package, .. }
            | TokenParts::ModuleMember { package, .. }
            | TokenParts::ClassMember { package, .. } => Some(package),
        }
    }
}

/// The name of the member in the token of a member of a type: `member` of
/// `package:module:class:member` (in which it may contain colons), `length` of `string:length`.
pub fn member_name(token: &str) -> &str {
    let is_decorated = token.starts_with(['[', '*', '(']) || token.starts_with("map[");
    let member = if is_decorated { None } else { token.splitn(4, ':').nth(3) };
    member.unwrap_or_else(|| token.rsplit(':').next().unwrap_or(token))
}

/// Whether the keys of an object literal of this type are tokens of class members (§11.1). In all
/// others they are text.
pub(crate) fn has_member_keys(ty: Option<&str>) -> bool {
    ty.is_some_and(|ty| matches!(TokenParts::parse(ty), Ok(TokenParts::ModuleMember { .. })))
}

/// The key of a property in an object literal of this type: the text of `token` as it is, or the
/// member that it names.
pub fn literal_key<'a>(ty: Option<&str>, token: &'a str) -> &'a str {
    let member = if has_member_keys(ty) { token.splitn(4, ':').nth(3) } else { None };
    member.unwrap_or(token)
}

impl Token {
    /// Checks the whole text.
    ///
    /// # Errors
    /// As [`TokenParts::parse`].
    pub fn parse(text: &str) -> Result<Token, NameError> {
        TokenParts::parse(text)?;
        Ok(Token(text.into()))
    }

    /// The text exactly as parsed.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The token, split into its parts. Costs another pass over the text.
    pub fn parts(&self) -> TokenParts<'_> {
        TokenParts::parse(&self.0).expect("checked when the token was made")
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::str::FromStr for Token {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Token, NameError> {
        Token::parse(text)
    }
}

/// A token that names a module: `package:module`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModuleToken {
    text: Box<str>,
    colon: usize,
}

impl ModuleToken {
    /// Checks the whole text.
    ///
    /// # Errors
    ///
    /// As [`TokenParts::parse`], and also for a token that does not have two parts.
    pub fn parse(text: &str) -> Result<ModuleToken, NameError> {
        match TokenParts::parse(text)? {
            TokenParts::Simple { .. } => Err(NameError::new(NameErrorKind::TooFewParts, text.len(), text)),
            TokenParts::Module { package, .. } => Ok(ModuleToken { text: text.into(), colon: package.len() }),
            TokenParts::ModuleMember { package, module, .. }
            | TokenParts::ClassMember { package, module, .. } => {
                let second_colon = package.len() + 1 + module.len();
                Err(NameError::new(NameErrorKind::TooManyParts, second_colon, text))
            }
        }
    }

    /// The text exactly as parsed.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The package part.
    pub fn package(&self) -> &str {
        &self.text[..self.colon]
    }

    /// The module part.
    pub fn module(&self) -> &str {
        &self.text[self.colon + 1..]
    }
}

impl fmt::Display for ModuleToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault<T: fmt::Debug>(result: Result<T, NameError>) -> (NameErrorKind, usize) {
        let error = result.expect_err("should be refused");
        (error.kind, error.at)
    }

    #[test]
    fn the_number_of_colons_decides_what_a_token_names() {
        assert_eq!(TokenParts::parse(".this"), Ok(TokenParts::Simple { name: ".this" }));
        assert_eq!(
            TokenParts::parse("basic/maps:index"),
            Ok(TokenParts::Module { package: "basic/maps", module: "index" })
        );
        assert_eq!(
            TokenParts::parse("my-pkg:a/b:C:.ctor"),
            Ok(TokenParts::ClassMember { package: "my-pkg", module: "a/b", class: "C", member: ".ctor" })
        );
    }

    #[test]
    fn a_token_prints_as_it_was_read() {
        for text in ["x", "a:b", "a/b-c:d/e:f", "a:b:c:d"] {
            assert_eq!(Token::parse(text).expect(text).to_string(), text);
        }
    }

    #[test]
    fn rejects_a_fifth_part_at_its_colon() {
        assert_eq!(fault(Token::parse("a:b:c:d:e")), (NameErrorKind::TooManyParts, 7));
    }

    #[test]
    fn each_part_follows_its_own_grammar() {
        assert_eq!(fault(Token::parse("a:b-c")), (NameErrorKind::Character, 3));
        assert_eq!(fault(Token::parse("a:b:c/d")), (NameErrorKind::Character, 5));
        assert_eq!(fault(Token::parse("a:b:c:")), (NameErrorKind::Missing, 6));
        assert_eq!(fault(Token::parse(":b")), (NameErrorKind::Missing, 0));
        assert_eq!(fault(Token::parse("a::b")), (NameErrorKind::Missing, 2));
    }

    #[test]
    fn the_older_delimiters_still_parse() {
        assert_eq!(
            TokenParts::parse("basic/maps:index/C.x"),
            Ok(TokenParts::Module { package: "basic/maps", module: "index/C.x" })
        );
    }

    #[test]
    fn a_module_token_has_exactly_two_parts() {
        let token = ModuleToken::parse("my/cluster:index").expect("two parts");
        assert_eq!((token.package(), token.module()), ("my/cluster", "index"));
        assert_eq!(fault(ModuleToken::parse("a")), (NameErrorKind::TooFewParts, 1));
        assert_eq!(fault(ModuleToken::parse("a:bc:d")), (NameErrorKind::TooManyParts, 4));
    }
}
