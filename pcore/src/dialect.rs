//! §24.3 Dialects: the writers whose streams differ.

use crate::code::Code;

coconut_format::named! {
    /// A writer. Nothing in a stream names its writer, but the meaning of two codes and the
    /// numbering of both tables depend on it.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Dialect, ALL {
        /// Puppet 4.6 to 4.8: code 0x37 is a secret.
        Ruby48 = "ruby-4.8";
        /// Puppet 4.9 to 5.3: code 0x37 is bytes.
        Ruby49 = "ruby-4.9";
        /// Puppet 5.4 and later, with URIs.
        Ruby54 = "ruby-5.4";
        /// pcore-java 0.1.
        Java01 = "java-0.1";
    }
    /// The name in commands and documents.
    pub fn name;
}

impl Dialect {
    /// The dialect with this name.
    pub fn named(name: &str) -> Option<Dialect> {
        Dialect::ALL.into_iter().find(|dialect| dialect.name() == name)
    }

    /// Whether its writer has this code.
    pub fn has(self, code: Code) -> bool {
        match code {
            Code::Uri => self == Dialect::Ruby54,
            Code::SensitiveStart => self != Dialect::Ruby48,
            _ => true,
        }
    }

    pub(crate) fn is_java(self) -> bool {
        self == Dialect::Java01
    }

    /// Whether 0x37 is a secret whose value is in the payload.
    pub(crate) fn has_sensitive_payloads(self) -> bool {
        self == Dialect::Ruby48
    }

    /// Whether the writer gives this scalar a slot of the inner table.
    pub(crate) fn has_inner_slot(self, code: Code) -> bool {
        match code {
            Code::Default | Code::Timestamp | Code::Timespan | Code::Version => self.is_java(),
            Code::Symbol => false,
            _ => true,
        }
    }

    /// Whether the writer gives a secret a slot of the outer table.
    pub(crate) fn counts_sensitive(self) -> bool {
        self.is_java()
    }

    /// The code with which the writer stores bytes.
    pub(crate) fn bytes_code(self) -> Code {
        if self.is_java() { Code::Binary } else { Code::Base64 }
    }
}
