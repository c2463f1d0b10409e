//! §15.3 URNs: the keys of resources in Coconut, Lumi and Pulumi graphs.
//!
//! ```text
//! Urn    = [ "urn:" Scheme ":" ] Namespace "::" Allocation "::" Type "::" Name
//! Scheme = "coconut" | "lumi" | "pulumi"
//! ```
//!
//! * *Namespace*: the environment; in Pulumi the stack.
//! * *Allocation*: the module that created the resource (`my/cluster:index`), later its package or
//!   project.
//! * *Type*: the type token. In Pulumi, the types of the parents precede it, each followed by `$`.
//! * *Name*: the rest of the text, `::` included.

use std::fmt;

/// The suffix that the Coconut 2017 planner appended to the key of a resource being replaced. It
/// was never stored.
const REPLACEMENT_SUFFIX: &str = "#<new-id(replace)>";

/// The separator of the parts.
const SEPARATOR: &str = "::";

/// A resource name with its four parts. Borrows its text, and prints as that text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Urn<'t> {
    text: &'t str,
    scheme: Scheme,
    namespace: &'t str,
    allocation: &'t str,
    qualified_type: &'t str,
    name: &'t str,
    is_replacement: bool,
}

/// The system that the URN belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// No prefix: the monikers of February 2017.
    Moniker,
    /// `urn:coconut:`, March to May 2017.
    Coconut,
    /// `urn:lumi:`, May to September 2017.
    Lumi,
    /// `urn:pulumi:`, from September 2017.
    Pulumi,
}

impl Scheme {
    /// All schemes.
    pub const ALL: [Scheme; 4] = [Scheme::Coconut, Scheme::Lumi, Scheme::Pulumi, Scheme::Moniker];

    /// The scheme of a text; `None` if it begins with `urn:` and an unknown scheme.
    fn of(text: &str) -> Option<Scheme> {
        let scheme = Scheme::ALL.into_iter().find(|scheme| text.starts_with(scheme.prefix()));
        scheme.filter(|&scheme| scheme != Scheme::Moniker || !text.starts_with("urn:"))
    }

    /// The prefix of all URNs of this scheme.
    pub fn prefix(self) -> &'static str {
        match self {
            Scheme::Moniker => "",
            Scheme::Coconut => "urn:coconut:",
            Scheme::Lumi => "urn:lumi:",
            Scheme::Pulumi => "urn:pulumi:",
        }
    }
}

/// The reasons why a text is not a URN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum UrnErrorKind {
    /// `urn:` with an unknown scheme.
    UnknownScheme,
    /// Fewer than four parts.
    Parts {
        /// The number of parts.
        found: usize,
    },
    /// A part other than the name is empty.
    EmptyPart {
        /// The part.
        part: &'static str,
    },
}

/// The reason why a text is not a URN, and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UrnError {
    kind: UrnErrorKind,
    position: usize,
}

impl<'t> Urn<'t> {
    /// Parses a URN.
    ///
    /// Does not check the grammar of the parts. The tools that wrote such files never did, and real
    /// names contain any character.
    pub fn parse(text: &'t str) -> Result<Urn<'t>, UrnError> {
        let mut scan = UrnScan::default();
        scan.go_on(text);
        scan.urn(text)
    }

    /// The whole text.
    pub fn as_str(self) -> &'t str {
        self.text
    }

    /// The system that the URN belongs to.
    pub fn scheme(self) -> Scheme {
        self.scheme
    }

    /// The environment or stack.
    pub fn namespace(self) -> &'t str {
        self.namespace
    }

    /// The module, package or project that created the resource.
    pub fn allocation(self) -> &'t str {
        self.allocation
    }

    /// The type with the types of the parents, `a:b:Parent$c:d:Child`.
    pub fn qualified_type(self) -> &'t str {
        self.qualified_type
    }

    /// The resource's own type token, `c:d:Child`.
    pub fn type_token(self) -> &'t str {
        self.qualified_type.rsplit('$').next().unwrap_or(self.qualified_type)
    }

    /// Whether this is the resource's own type token. Reads only that part of the type.
    pub(crate) fn has_type_token(self, token: &str) -> bool {
        let above = self.qualified_type.strip_suffix(token);
        above.is_some_and(|above| (above.is_empty() || above.ends_with('$')) && !token.contains('$'))
    }

    /// The types of the parents, the outermost first.
    pub fn parent_types(self) -> impl Iterator<Item = &'t str> {
        let parents = self.qualified_type.rsplit_once('$').map(|(parents, _)| parents.split('$'));
        parents.into_iter().flatten()
    }

    /// The name of the resource among those of its type.
    pub fn name(self) -> &'t str {
        self.name
    }

    /// Whether it names a resource that will replace another.
    pub fn is_replacement(self) -> bool {
        self.is_replacement
    }

    /// The key without the suffix of a replacement: the key of the existing resource.
    pub fn without_replacement(self) -> &'t str {
        self.text.strip_suffix(REPLACEMENT_SUFFIX).unwrap_or(self.text)
    }
}

/// The separators of a URN in the scanned part of a text: many keys may begin with one long text.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct UrnScan {
    /// The number of separators found, and their places.
    found: usize,
    separators: [usize; 3],
    /// The place to continue.
    from: usize,
}

impl UrnScan {
    /// Continues in `text`, which begins with any previously scanned text.
    pub(crate) fn go_on(&mut self, text: &str) {
        let scheme = Scheme::of(text).map_or(0, |scheme| scheme.prefix().len());
        self.from = self.from.max(scheme);
        while self.found < self.separators.len() {
            let rest = text.as_bytes().get(self.from..).unwrap_or_default();
            match rest.windows(SEPARATOR.len()).position(|window| window == SEPARATOR.as_bytes()) {
                Some(at) => {
                    self.separators[self.found] = self.from + at;
                    self.found += 1;
                    self.from += at + SEPARATOR.len();
                }
                None => {
                    self.from += rest.len().saturating_sub(SEPARATOR.len() - 1);
                    return;
                }
            }
        }
    }

    /// The part of the scan that is valid for all texts that begin with `text`. Empty if they may
    /// have another scheme.
    pub(crate) fn before_more_than(self, text: &str) -> UrnScan {
        let longest = Scheme::ALL.iter().map(|scheme| scheme.prefix().len()).max().unwrap_or_default();
        if text.len() < longest { UrnScan::default() } else { self }
    }

    /// The URN of `text`, which was scanned last.
    pub(crate) fn urn(self, text: &str) -> Result<Urn<'_>, UrnError> {
        let scheme = Scheme::of(text).ok_or_else(|| UrnErrorKind::UnknownScheme.at("urn:".len()))?;
        if self.found < self.separators.len() {
            return Err(UrnErrorKind::Parts { found: self.found + 1 }.at(text.len()));
        }
        let mut position = scheme.prefix().len();
        let mut parts = [""; 3];
        for ((part, &end), name) in
            parts.iter_mut().zip(&self.separators).zip(["namespace", "allocation", "type"])
        {
            *part = &text[position..end];
            if part.is_empty() {
                return Err(UrnErrorKind::EmptyPart { part: name }.at(position));
            }
            position = end + SEPARATOR.len();
        }
        let [namespace, allocation, qualified_type] = parts;
        let name = &text[position..];
        let (name, is_replacement) = match name.strip_suffix(REPLACEMENT_SUFFIX) {
            Some(name) => (name, true),
            None => (name, false),
        };
        Ok(Urn { text, scheme, namespace, allocation, qualified_type, name, is_replacement })
    }
}

impl fmt::Display for Urn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text)
    }
}

impl UrnErrorKind {
    #[cold]
    fn at(self, position: usize) -> UrnError {
        UrnError { kind: self, position }
    }
}

impl UrnError {
    /// The kind of error.
    pub fn kind(&self) -> UrnErrorKind {
        self.kind
    }

    /// The byte offset in the text.
    pub fn position(&self) -> usize {
        self.position
    }
}

impl fmt::Display for UrnErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UrnErrorKind::UnknownScheme => f.write_str("expected `coconut`, `lumi` or `pulumi` after `urn:`"),
            UrnErrorKind::Parts { found } => write!(f, "expected 4 parts between `::`, found {found}"),
            UrnErrorKind::EmptyPart { part } => write!(f, "the {part} is empty"),
        }
    }
}

impl fmt::Display for UrnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.kind, self.position)
    }
}

impl std::error::Error for UrnError {}
impl std::error::Error for UrnErrorKind {}

impl UrnError {
    /// Returns the stable code, for machines.
    pub fn code(&self) -> &'static str {
        crate::code::URN_FORM
    }
}

crate::explained!(UrnError);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_urn_of_every_scheme_has_the_same_four_parts() {
        for scheme in Scheme::ALL {
            let text = format!(
                "{}namespace::foo:bar/baz::bang:boom/fizzle:MajorResource::a-swell-resource",
                scheme.prefix()
            );
            let urn = Urn::parse(&text).unwrap();
            assert_eq!(urn.scheme(), scheme);
            assert_eq!(urn.namespace(), "namespace");
            assert_eq!(urn.allocation(), "foo:bar/baz");
            assert_eq!(urn.type_token(), "bang:boom/fizzle:MajorResource");
            assert_eq!(urn.name(), "a-swell-resource");
            assert_eq!((urn.to_string(), urn.as_str()), (text.clone(), &*text));
        }
    }

    #[test]
    fn a_qualified_type_ends_in_the_own_type() {
        let urn = Urn::parse("urn:pulumi:dev::web::my:a:Top$my:b:Mid$aws:s3:Bucket::logs").unwrap();
        assert_eq!(urn.type_token(), "aws:s3:Bucket");
        assert_eq!(urn.qualified_type(), "my:a:Top$my:b:Mid$aws:s3:Bucket");
        assert_eq!(urn.parent_types().collect::<Vec<_>>(), ["my:a:Top", "my:b:Mid"]);
        let plain = Urn::parse("urn:pulumi:dev::web::aws:s3:Bucket::logs").unwrap();
        assert_eq!(plain.parent_types().count(), 0);
    }

    #[test]
    fn a_name_may_hold_the_separator() {
        let urn = Urn::parse("urn:pulumi:dev::web::k:v1:Pod::ns::pod").unwrap();
        assert_eq!(urn.name(), "ns::pod");
    }

    #[test]
    fn a_replacement_is_told_from_the_replaced_resource() {
        let urn = Urn::parse("urn:coconut:dev::m:index::aws:s3:Bucket::b#<new-id(replace)>").unwrap();
        assert!(urn.is_replacement());
        assert_eq!(urn.name(), "b");
        let replaced = Urn::parse(urn.without_replacement()).unwrap();
        assert!(!replaced.is_replacement());
        assert_eq!(replaced.as_str(), "urn:coconut:dev::m:index::aws:s3:Bucket::b");
    }

    #[test]
    fn a_urn_is_the_same_in_any_number_of_scans() {
        let texts = [
            "urn:pulumi:a::b::t$c:d:E::f::g",
            "urn:pulumi:::::a:::b::",
            "urn:coconut:a::b::c",
            "urn:isbn:a::b::c::d",
            "a::b::c::d#<new-id(replace)>",
            ":::::::",
            "urn:lumi:é::è::ê::n#<new-id(replace)>",
        ];
        for text in texts {
            for (first, _) in text.char_indices() {
                for (second, _) in text.char_indices().filter(|(second, _)| *second >= first) {
                    let mut scan = UrnScan::default();
                    for end in [first, second, text.len()] {
                        scan.go_on(&text[..end]);
                        assert_eq!(
                            scan.urn(&text[..end]),
                            Urn::parse(&text[..end]),
                            "{first} {second} {text}"
                        );
                        scan = if end < text.len() { scan.before_more_than(&text[..end]) } else { scan };
                    }
                }
            }
        }
    }

    #[test]
    fn a_beginning_is_scanned_again_only_while_another_scheme_may_follow() {
        // `urn:coconut:` has twelve bytes. A separator can begin at the last scanned byte.
        for (text, expected) in
            [("a::b::c::d", 0), ("a::b::c::de", 0), ("a::b::c::def", 9), ("a::b:cdefghij", 12)]
        {
            let mut scan = UrnScan::default();
            scan.go_on(text);
            assert_eq!(scan.before_more_than(text).from, expected, "{text}");
        }
    }

    #[test]
    fn a_type_token_follows_the_types_of_the_parents() {
        for qualified_type in ["a:b:C", "a:b:C$d:e:F", "$", "a$", "é$è"] {
            let text = format!("urn:pulumi:s::p::{qualified_type}::n");
            let urn = Urn::parse(&text).unwrap();
            for token in ["a:b:C", "d:e:F", "e:F", "", "$", "a$", "a", "è", "C$d:e:F", "a:b:C$d:e:F"] {
                assert_eq!(urn.has_type_token(token), urn.type_token() == token, "{token} {text}");
            }
        }
    }

    #[test]
    fn refuses_other_schemes_fewer_parts_and_empty_parts() {
        let refused = |text: &str| {
            let error = Urn::parse(text).unwrap_err();
            (error.kind(), error.position())
        };
        assert_eq!(refused("urn:isbn:a::b::c::d"), (UrnErrorKind::UnknownScheme, 4));
        assert_eq!(refused("urn:pulumi:a::b::c"), (UrnErrorKind::Parts { found: 3 }, 18));
        assert_eq!(refused("VPC"), (UrnErrorKind::Parts { found: 1 }, 3));
        assert_eq!(refused("urn:lumi:a::::c::d"), (UrnErrorKind::EmptyPart { part: "allocation" }, 12));
    }

    #[test]
    fn an_error_tells_the_expected_text_and_its_place() {
        let said = |text| Urn::parse(text).unwrap_err().to_string();
        assert_eq!(said("urn:isbn:a::b"), "expected `coconut`, `lumi` or `pulumi` after `urn:` at byte 4");
        assert_eq!(said("urn:pulumi:a::b"), "expected 4 parts between `::`, found 2 at byte 15");
        assert_eq!(said("urn:lumi:a::b::::d"), "the type is empty at byte 15");
    }
}
