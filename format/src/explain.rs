//! Explains each error code (§10): its meaning, the party at fault, and the remedy.

/// One or more paragraphs for each code, below a heading with the code: `## ENV-EMPTY`.
#[doc(hidden)]
pub const TEXTS: &str = include_str!("explain/texts.md");

/// Returns the explanation of a code and its remedy, in one or more paragraphs of lines of at most
/// 100 characters. Codes of verification rules are explained by their `verify::Rule`.
///
/// Costs a search through all texts, so use it for messages, not for control flow.
///
/// ```
/// use coconut_format::explain::explanation;
///
/// assert!(explanation("ENV-EMPTY").expect("it has a text").starts_with("The file is empty"));
/// assert_eq!(explanation("NO-SUCH-CODE"), None);
/// ```
pub fn explanation(code: &str) -> Option<&'static str> {
    let mut sections = TEXTS.split("\n## ").skip(1);
    sections.find_map(|section| {
        let (heading, text) = section.split_once('\n')?;
        (heading.trim() == code).then(|| text.trim())
    })
}

/// The party at fault for an error. A program can map it to an exit code or a status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ErrorClass {
    /// The file is not a document: source text, an archive, a document of an old format.
    Foreign,
    /// The file is a document that needs a newer reader.
    Newer,
    /// The file is a document with damaged bytes.
    Damaged,
    /// The file or the value exceeds a limit, whatever its content.
    Limit,
    /// The content is invalid: a source text, a package, a graph, a Rust value.
    Content,
    /// The caller named something that does not exist, or called in the wrong order.
    Caller,
    /// The system failed: a file cannot be read or written, or a service does not answer.
    Io,
}

/// Codes whose class differs from that of their prefix.
const EXCEPTIONS: &[(ErrorClass, &[&str])] = &[
    (
        ErrorClass::Newer,
        &["ENV-NEWER", "TRL-NEWER", "PRT-NEWER", "PRT-CRITICAL", "HDR-REQUIRES", "SNAP-NEWER"],
    ),
    (
        ErrorClass::Foreign,
        &[
            "ENV-RAW",
            "ENV-TEXT",
            "ENV-COMPRESSED",
            "ENV-BOM",
            "ENV-START",
            "ENV-FOREIGN",
            "ENV-ENCODING",
            "ENV-OLDER",
        ],
    ),
    (ErrorClass::Damaged, &["CACHE-SEAL", "CACHE-SWAPPED"]),
    (ErrorClass::Limit, &["SRC-DEPTH", "SRC-YAML-EXPAND", "SRC-YAML-AHEAD", "EVL-LIMIT", "FLEET-SIZE"]),
    (ErrorClass::Content, &["NUM-RANGE", "NUM-PRECISION", "LOAD-NAME", "LOAD-VERSION", "LOAD-COMPILE"]),
    (ErrorClass::Caller, &["CACHE-HOME", "CACHE-RELATIVE", "FLEET-LOCATION", "SNAP-CHANGED"]),
    (ErrorClass::Io, &["SRC-OUTPUT", "LOAD-READ", "OUTPUT"]),
];

/// The class of all other codes, by the part before the first hyphen.
const PREFIXES: &[(ErrorClass, &[&str])] = &[
    (
        ErrorClass::Damaged,
        &[
            "ENV", "MSG", "STR", "NUM", "PAY", "HDR", "TRL", "PRT", "SUM", "SHP", "SHR", "VAL", "IDX", "LMK",
            "DIG",
        ],
    ),
    (ErrorClass::Limit, &["LIM"]),
    (
        ErrorClass::Caller,
        &["USAGE", "KEY", "PATH", "SINK", "SOURCE", "LOAD", "CODE", "BUILD", "RULE", "NOT", "NO"],
    ),
    (ErrorClass::Io, &["FILE", "CACHE", "FLEET", "SNAP", "TERMINAL", "GIT"]),
];

impl ErrorClass {
    /// Returns the class of a code. An unlisted code is about content, like those of sources and
    /// rules.
    pub fn of(code: &str) -> ErrorClass {
        let prefix = code.split('-').next().unwrap_or_default();
        let class_in = |lists: &[(ErrorClass, &[&str])], wanted: &str| {
            lists.iter().find(|(_, codes)| codes.contains(&wanted)).map(|(class, _)| *class)
        };
        class_in(EXCEPTIONS, code).or_else(|| class_in(PREFIXES, prefix)).unwrap_or(ErrorClass::Content)
    }

    /// Returns the remedy for an error of this class, as an imperative without a full stop. `None`
    /// if that depends on the error.
    pub fn hint(self) -> Option<&'static str> {
        match self {
            ErrorClass::Foreign => Some("name a compiled document, or compile this file first"),
            ErrorClass::Newer => {
                Some("use a newer version of this library, or compile the source with this one")
            }
            ErrorClass::Damaged => {
                Some("get the file again from where it was made, or compile its source again")
            }
            ErrorClass::Limit | ErrorClass::Content | ErrorClass::Caller | ErrorClass::Io => None,
        }
    }
}

/// Implements `class`, `hint` and `explanation` of an error type by its `code`.
#[doc(hidden)]
#[macro_export]
macro_rules! explained {
    ($($type:ty),+ $(,)?) => {
        $(
            impl $type {
                /// Returns the party at fault.
                pub fn class(&self) -> $crate::explain::ErrorClass {
                    $crate::explain::ErrorClass::of(self.code())
                }

                /// Returns the general remedy, as an imperative without a full stop.
                pub fn hint(&self) -> Option<&'static str> {
                    self.class().hint()
                }

                /// Returns the meaning of the code and the remedy, in some paragraphs.
                pub fn explanation(&self) -> Option<&'static str> {
                    $crate::explain::explanation(self.code())
                }
            }
        )+
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    #[test]
    fn every_code_of_a_document_has_a_class_and_a_text() {
        for code in ErrorKind::CODES {
            let expected = matches!(
                ErrorClass::of(code),
                ErrorClass::Foreign | ErrorClass::Newer | ErrorClass::Damaged | ErrorClass::Limit
            );
            assert!(expected, "{code} is {:?}", ErrorClass::of(code));
            assert!(explanation(code).is_some_and(|text| text.ends_with('.')), "{code}");
        }
    }

    #[test]
    fn exceptions_go_before_prefixes() {
        for (code, class) in [
            ("ENV-EMPTY", ErrorClass::Damaged),
            ("ENV-TEXT", ErrorClass::Foreign),
            ("TRL-NEWER", ErrorClass::Newer),
            ("LIM-DEPTH", ErrorClass::Limit),
            ("SRC-JSON", ErrorClass::Content),
            ("SRC-DEPTH", ErrorClass::Limit),
            ("NUM-FORM", ErrorClass::Damaged),
            ("NUM-RANGE", ErrorClass::Content),
            ("GRF-CYCLE", ErrorClass::Content),
            ("KEY-AMBIGUOUS", ErrorClass::Caller),
            ("CACHE-OWNER", ErrorClass::Io),
            ("CACHE-HOME", ErrorClass::Caller),
        ] {
            assert_eq!(ErrorClass::of(code), class, "{code}");
        }
    }

    #[test]
    fn every_exception_is_a_code_with_a_text() {
        for (_, codes) in EXCEPTIONS {
            for code in *codes {
                assert!(explanation(code).is_some(), "{code}");
            }
        }
    }
}
