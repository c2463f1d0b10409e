//! §15.4 Terraform addresses: the keys of resources in states and plans.
//!
//! ```text
//! Address = { "module." Name [ Index ] "." } [ "data." ] Type "." Name [ Index ]
//! Index   = "[" Number "]" | "[" JSON string "]"
//! ```

use crate::landmark::string_length;
use std::fmt;

/// The address of a resource or of one of its instances. Borrows its text, and prints as that text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Address<'t> {
    text: &'t str,
    module: Option<&'t str>,
    is_data: bool,
    resource_type: &'t str,
    name: &'t str,
    index: Option<&'t str>,
}

/// The error of a text that is not an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressError {
    expected: &'static str,
    position: usize,
}

impl<'t> Address<'t> {
    /// Parses `text` as an address.
    pub fn parse(text: &'t str) -> Result<Address<'t>, AddressError> {
        let mut parser = Parser { text, position: 0 };
        let mut module = None;
        let mut resource_type = parser.name("a resource type or `module`")?;
        while resource_type == "module" {
            parser.dot()?;
            parser.name("a module name")?;
            parser.index()?;
            module = Some(&text[..parser.position]);
            parser.dot()?;
            resource_type = parser.name("a resource type or `module`")?;
        }
        let is_data = resource_type == "data";
        if is_data {
            parser.dot()?;
            resource_type = parser.name("a resource type")?;
        }
        parser.dot()?;
        let name = parser.name("a resource name")?;
        let index = parser.index()?;
        match parser.position == text.len() {
            true => Ok(Address { text, module, is_data, resource_type, name, index }),
            false => Err(parser.expected("the end")),
        }
    }

    /// The whole text.
    pub fn as_str(self) -> &'t str {
        self.text
    }

    /// Its module, such as `module.a.module.b[0]`; `None` for the root module.
    pub fn module(self) -> Option<&'t str> {
        self.module
    }

    /// Whether it is a data source.
    pub fn is_data(self) -> bool {
        self.is_data
    }

    /// The resource type, `aws_vpc`.
    pub fn resource_type(self) -> &'t str {
        self.resource_type
    }

    /// The name in its module and type.
    pub fn name(self) -> &'t str {
        self.name
    }

    /// The index of the instance as JSON text, `0` or `"a"`, if it has one.
    pub fn index(self) -> Option<&'t str> {
        self.index
    }

    /// The address of the resource that this address is an instance of.
    pub fn without_index(self) -> &'t str {
        let brackets = self.index.map_or(0, |index| index.len() + "[]".len());
        &self.text[..self.text.len() - brackets]
    }
}

impl fmt::Display for Address<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text)
    }
}

impl AddressError {
    /// The byte offset in the text.
    pub fn position(&self) -> usize {
        self.position
    }
}

impl fmt::Display for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {} at byte {}", self.expected, self.position)
    }
}

impl std::error::Error for AddressError {}

impl AddressError {
    /// Returns the stable code, for machines.
    pub fn code(&self) -> &'static str {
        crate::code::NAME_FORM
    }
}

crate::explained!(AddressError);

struct Parser<'t> {
    text: &'t str,
    position: usize,
}

impl<'t> Parser<'t> {
    /// A name: letters of any script, digits, `_` and `-`, as in the configuration language. It
    /// does not begin with a digit.
    fn name(&mut self, expected: &'static str) -> Result<&'t str, AddressError> {
        let rest = &self.text[self.position..];
        let length =
            rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-')).unwrap_or(rest.len());
        let name = &rest[..length];
        match name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            true => {
                self.position += length;
                Ok(name)
            }
            false => Err(self.expected(expected)),
        }
    }

    fn dot(&mut self) -> Result<(), AddressError> {
        match self.text[self.position..].starts_with('.') {
            true => {
                self.position += 1;
                Ok(())
            }
            false => Err(self.expected("`.`")),
        }
    }

    /// The text between `[` and `]`, if they follow.
    fn index(&mut self) -> Result<Option<&'t str>, AddressError> {
        let Some(rest) = self.text[self.position..].strip_prefix('[') else {
            return Ok(None);
        };
        let length = match rest.strip_prefix('"') {
            Some(string) => string_length(string.as_bytes()).map(|length| length + 1),
            None => rest.find(|c: char| !c.is_ascii_digit()).filter(|&digits| digits > 0),
        };
        match length {
            Some(length) if rest[length..].starts_with(']') => {
                self.position += length + "[]".len();
                Ok(Some(&rest[..length]))
            }
            _ => Err(self.expected("`[`, a number or a string, and `]`")),
        }
    }

    fn expected(&self, expected: &'static str) -> AddressError {
        AddressError { expected, position: self.position }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_its_parts() {
        let text = r#"module.a["x].y"].module.b[0].data.aws_ami.main["eu-\"1\""]"#;
        let address = Address::parse(text).unwrap();
        assert_eq!(address.module(), Some(r#"module.a["x].y"].module.b[0]"#));
        assert!(address.is_data());
        assert_eq!(address.resource_type(), "aws_ami");
        assert_eq!(address.name(), "main");
        assert_eq!(address.index(), Some(r#""eu-\"1\"""#));
        assert_eq!(address.without_index(), r#"module.a["x].y"].module.b[0].data.aws_ami.main"#);
        assert_eq!(address.to_string(), text);
    }

    #[test]
    fn an_address_in_the_root_module_is_type_and_name() {
        let address = Address::parse("aws_vpc.main").unwrap();
        assert_eq!((address.module(), address.is_data(), address.index()), (None, false, None));
        assert_eq!(address.without_index(), "aws_vpc.main");
    }

    #[test]
    fn refuses_texts_that_are_not_addresses() {
        let refused = |text: &str| Address::parse(text).unwrap_err().to_string();
        assert_eq!(refused(""), "expected a resource type or `module` at byte 0");
        assert_eq!(refused("aws_vpc"), "expected `.` at byte 7");
        assert_eq!(refused("module.a"), "expected `.` at byte 8");
        assert_eq!(refused("aws_vpc.1main"), "expected a resource name at byte 8");
        assert_eq!(refused("a.b[]"), "expected `[`, a number or a string, and `]` at byte 3");
        assert_eq!(refused("a.b[\"x]"), "expected `[`, a number or a string, and `]` at byte 3");
        assert_eq!(refused("a.b.c"), "expected the end at byte 3");
    }
}
