//! §24.2 Extension codes.

/// Declares the codes once: the enum, both directions, and the names.
///
/// `Regexp = 0x30, "regexp";` makes the variant, its code and its name in listings.
macro_rules! codes {
    ($( $(#[$meta:meta])* $Code:ident = $number:literal, $name:literal; )+) => {
        /// A code of §24.2.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Code { $( $(#[$meta])* $Code = $number, )+ }

        impl Code {
            /// All of them, in the order of their numbers.
            pub const ALL: &[Code] = &[$(Code::$Code),+];

            /// The code with this number. `None` if the number is reserved.
            pub fn of(number: u64) -> Option<Code> {
                match number { $( $number => Some(Code::$Code), )+ _ => None }
            }

            /// The name in listings.
            pub fn name(self) -> &'static str {
                match self { $( Code::$Code => $name, )+ }
            }
        }
    };
}

codes! {
    /// A back reference into the inner table.
    InnerTabulation = 0x00, "inner reference";
    /// A back reference into the outer table.
    Tabulation = 0x01, "reference";
    /// An array, by the number of its items.
    ArrayStart = 0x10, "array";
    /// A hash, by the number of its entries.
    MapStart = 0x11, "hash";
    /// An object, by the name of its type and the number of its attributes.
    PcoreObjectStart = 0x12, "object";
    /// An object whose type follows as a value.
    ObjectStart = 0x13, "object of a type that follows";
    /// A secret; its value follows.
    SensitiveStart = 0x14, "sensitive";
    /// The value `default`.
    Default = 0x20, "default";
    /// A comment, which is a value like others.
    Comment = 0x21, "comment";
    /// A regular expression, without its flags.
    Regexp = 0x30, "regexp";
    /// The text of a type that is not resolved.
    TypeReference = 0x31, "type reference";
    /// A symbol of Ruby.
    Symbol = 0x32, "symbol";
    /// A point in time.
    Timestamp = 0x33, "timestamp";
    /// A duration.
    Timespan = 0x34, "timespan";
    /// A semantic version.
    Version = 0x35, "version";
    /// A range of semantic versions.
    VersionRange = 0x36, "version range";
    /// Bytes. In `ruby-4.8` a secret, with its value in the payload.
    Binary = 0x37, "binary";
    /// Bytes as Base64.
    Base64 = 0x38, "base64";
    /// A URI.
    Uri = 0x39, "uri";
}

impl Code {
    /// The number in a stream.
    pub fn number(self) -> u8 {
        self as u8
    }

    /// The name of the type of such a scalar in rich data. `None` if it is not a scalar with a
    /// text.
    pub(crate) fn text_type(self) -> Option<&'static str> {
        Some(match self {
            Code::Comment => "Comment",
            Code::Regexp => "Regexp",
            Code::TypeReference => "Pcore::TypeReferenceType",
            Code::Symbol => "Symbol",
            Code::Version => "SemVer",
            Code::VersionRange => "SemVerRange",
            Code::Uri => "URI",
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_leads_back_to_its_code() {
        let known: Vec<Code> = (0..=0x80).filter_map(Code::of).collect();
        assert_eq!(known, Code::ALL);
        assert!(Code::ALL.iter().all(|code| Code::of(code.number().into()) == Some(*code)));
    }
}
