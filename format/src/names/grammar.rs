//! §11.1 The three grammars of names, and a checked text for each.
//!
//! ```text
//! Name        = [A-Za-z_.][A-Za-z0-9_.]*          identifiers, members, types
//! ModuleName  = Name *( "/" Name )                modules, environments
//! PackageName = Part *( "/" Part )                packages
//! Part        = a Name that may have "-" after its start
//! ```

use std::fmt;
use std::ops::Range;

use super::{NameError, NameErrorKind};

/// The characters allowed in a name other than letters, digits, `_` and `.`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Grammar {
    Name,
    ModuleName,
    PackageName,
}

impl Grammar {
    /// Checks that `text[range]` is, as a whole, one name. Offsets of errors count from the start
    /// of `text`.
    pub(super) fn check(self, text: &str, range: Range<usize>) -> Result<(), NameError> {
        let mut at_start = true;
        for (offset, c) in text[range.clone()].char_indices() {
            let at = range.start + offset;
            match c {
                'A'..='Z' | 'a'..='z' | '_' | '.' => at_start = false,
                '/' if self != Grammar::Name && !at_start => at_start = true,
                '0'..='9' if !at_start => {}
                '-' if self == Grammar::PackageName && !at_start => {}
                _ if at_start => return Err(NameError::new(NameErrorKind::Start, at, text)),
                _ => return Err(NameError::new(NameErrorKind::Character, at, text)),
            }
        }
        if at_start {
            return Err(NameError::new(NameErrorKind::Missing, range.end, text));
        }
        Ok(())
    }
}

/// Declares a checked text for one grammar.
macro_rules! name_types {
    ($( $(#[doc = $doc:literal])+ $name:ident; )+) => { $(
        $(#[doc = $doc])+
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Box<str>);

        impl $name {
            /// Checks the whole text.
            ///
            /// # Errors
            /// The first character that the grammar does not allow, or the end if a name is
            /// missing.
            pub fn parse(text: &str) -> Result<$name, NameError> {
                Grammar::$name.check(text, 0..text.len())?;
                Ok($name(text.into()))
            }

            /// The text exactly as parsed.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl std::str::FromStr for $name {
            type Err = NameError;

            fn from_str(text: &str) -> Result<$name, NameError> {
                $name::parse(text)
            }
        }
    )+ };
}

name_types! {
    /// The name of an identifier, a member or a type: `Instance`, `.ctor`.
    Name;
    /// The name of a module, with `/` between its parts: `ec2/instance`.
    ModuleName;
    /// The name of a package: `basic/maps`, `my-package`.
    PackageName;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault<T: fmt::Debug>(result: Result<T, NameError>) -> (NameErrorKind, usize) {
        let error = result.expect_err("should be refused");
        (error.kind, error.at)
    }

    #[test]
    fn accepts_simple_names() {
        for text in ["simple", "SiMplE", "simple0", "_", "s1MPl3_", "_s1MPl3", ".ctor", "a.b"] {
            assert_eq!(Name::parse(text).expect(text).as_str(), text);
        }
    }

    #[test]
    fn accepts_qualified_module_names_that_are_not_simple_names() {
        for text in ["namespace/complex", "_naMeSpace0/coMpl3x32", "n_ameSpace3/moRenam3sp4ce/_Complex5"] {
            assert_eq!(ModuleName::parse(text).expect(text).to_string(), text);
            assert_eq!(
                fault(Name::parse(text)),
                (NameErrorKind::Character, text.find('/').expect("a slash"))
            );
        }
    }

    #[test]
    fn rejects_names_with_the_place_of_the_bad_character() {
        assert_eq!(fault(ModuleName::parse("0_s1MPl3")), (NameErrorKind::Start, 0));
        assert_eq!(fault(ModuleName::parse("namespace/0complex")), (NameErrorKind::Start, 10));
        assert_eq!(fault(ModuleName::parse("s!mple")), (NameErrorKind::Character, 1));
        assert_eq!(fault(ModuleName::parse("namesp@ce/complex")), (NameErrorKind::Character, 6));
        assert_eq!(
            fault(ModuleName::parse("namespace/morenamespace/compl#x")),
            (NameErrorKind::Character, 29)
        );
        assert_eq!(fault(Name::parse("größe")), (NameErrorKind::Character, 2));
    }

    #[test]
    fn rejects_a_missing_name_at_the_end() {
        assert_eq!(fault(Name::parse("")), (NameErrorKind::Missing, 0));
        assert_eq!(fault(ModuleName::parse("a/")), (NameErrorKind::Missing, 2));
        assert_eq!(fault(ModuleName::parse("a//b")), (NameErrorKind::Start, 2));
        assert_eq!(fault(ModuleName::parse("/a")), (NameErrorKind::Start, 0));
    }

    #[test]
    fn only_package_names_may_have_dashes_and_not_first() {
        assert_eq!(PackageName::parse("test/my-package").expect("valid").as_str(), "test/my-package");
        assert_eq!(fault(ModuleName::parse("my-module")), (NameErrorKind::Character, 2));
        assert_eq!(fault(PackageName::parse("test/-x")), (NameErrorKind::Start, 5));
    }
}
