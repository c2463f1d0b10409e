//! Identifiers: which texts are ones, and new ones like a text.

use std::collections::{HashMap, HashSet};

/// Words of the language, and global names that a program does not redefine.
#[rustfmt::skip]
const RESERVED: [&str; 78] = [
    "abstract", "any", "arguments", "as", "async", "await", "boolean", "break", "case", "catch", "class",
    "clearInterval", "clearTimeout", "console", "const", "constructor", "continue", "debugger", "declare",
    "default", "delete", "do", "else", "enum", "eval", "export", "extends", "false", "fetch", "finally",
    "for", "from", "function", "get", "global", "globalThis", "if", "implements", "import", "in",
    "instanceof", "interface", "let", "module", "namespace", "new", "null", "number", "object", "of",
    "package", "private", "process", "protected", "public", "require", "return", "set", "setInterval",
    "setTimeout", "static", "string", "super", "switch", "symbol", "this", "throw", "true", "try", "type",
    "typeof", "undefined", "var", "void", "while", "window", "with", "yield",
];

/// Names of the language that begin with a capital. A module may declare them, but readers know
/// them as something else.
const GLOBALS: [&str; 20] = [
    "Array", "Boolean", "Date", "Error", "Function", "Infinity", "JSON", "Map", "Math", "NaN", "Number",
    "Object", "Promise", "Proxy", "Record", "Reflect", "RegExp", "Set", "String", "Symbol",
];

/// The longest identifier that is made from a text.
const LONGEST: usize = 48;

/// Whether a text may name anything in a program.
pub(crate) fn is_identifier(text: &str) -> bool {
    let mut bytes = text.bytes();
    let is_first = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    bytes.next().is_some_and(is_first)
        && bytes.all(|byte| is_first(byte) || byte.is_ascii_digit())
        && RESERVED.binary_search(&text).is_err()
}

/// Whether it is the name of something that every program has.
pub(crate) fn is_global(name: &str) -> bool {
    GLOBALS.binary_search(&name).is_ok()
}

/// The words of a text, joined as `oneTwo`. Empty if it has no letters and digits of ASCII.
pub(crate) fn camel_case(text: &str) -> String {
    let mut name = joined(text);
    // The first word is in lower case: `VPC` becomes `vpc`, and `VpcId` becomes `vpcId`.
    let capitals = name.bytes().take_while(u8::is_ascii_uppercase).count();
    let end = match capitals {
        0 | 1 => capitals,
        all if all == name.len() || !name.as_bytes()[all].is_ascii_lowercase() => all,
        more => more - 1,
    };
    name[..end].make_ascii_lowercase();
    name
}

/// The words of a text, joined as `OneTwo`.
pub(crate) fn pascal_case(text: &str) -> String {
    let mut name = joined(text);
    if let Some(first) = name.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    name
}

fn joined(text: &str) -> String {
    let mut name = String::new();
    for word in text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
        if name.len() >= LONGEST {
            break;
        }
        let are_digits = [name.bytes().next_back(), word.bytes().next()]
            .into_iter()
            .all(|byte| byte.is_some_and(|byte| byte.is_ascii_digit()));
        if are_digits {
            name.push('_');
        }
        let (first, rest) = word.split_at(1);
        match name.is_empty() {
            true => name.push_str(first),
            false => name.push_str(&first.to_ascii_uppercase()),
        }
        name.push_str(rest);
    }
    name.truncate(LONGEST);
    name
}

/// The names of one scope.
#[derive(Debug, Default)]
pub(crate) struct Identifiers {
    taken: HashSet<String>,
    /// The last number used for each repeated name.
    numbers: HashMap<String, u64>,
}

impl Identifiers {
    /// A scope in which the names of the language are taken.
    pub(crate) fn with_globals() -> Identifiers {
        Identifiers { taken: GLOBALS.map(str::to_owned).into(), numbers: HashMap::new() }
    }

    /// Whether a name can be used as it is.
    pub(crate) fn is_free(&self, name: &str) -> bool {
        is_identifier(name) && !self.taken.contains(name)
    }

    /// A new name like this one.
    pub(crate) fn make(&mut self, like: &str) -> String {
        let stem = match like.bytes().next() {
            None => "value".to_owned(),
            Some(b'0'..=b'9') => format!("_{like}"),
            Some(_) if is_identifier(like) => like.to_owned(),
            Some(_) => format!("{like}_"),
        };
        let mut name = stem.clone();
        while !self.taken.insert(name.clone()) {
            let number = self.numbers.entry(stem.clone()).or_insert(1);
            *number += 1;
            let is_digit = stem.bytes().next_back().is_some_and(|byte| byte.is_ascii_digit());
            name = format!("{stem}{}{number}", if is_digit { "_" } else { "" });
        }
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_words_are_sorted() {
        assert!(RESERVED.is_sorted() && GLOBALS.is_sorted());
    }

    #[test]
    fn names_are_like_their_texts() {
        let cases = [
            ("subnet-a", "subnetA"),
            ("VPC", "vpc"),
            ("VpcId", "vpcId"),
            ("IAMRole", "iamRole"),
            ("default_6_66_2", "default6_66_2"),
            ("aws_vpc.main[0]", "awsVpcMain0"),
            ("größe", "grE"),
            ("…", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(camel_case(text), expected, "{text}");
        }
        assert_eq!(pascal_case("shop-network"), "ShopNetwork");
    }

    #[test]
    fn new_names_differ_from_all_before() {
        let mut names = Identifiers::default();
        let made = ["a", "a", "a2", "a", "class", "", "1"].map(|like| names.make(like));
        assert_eq!(made, ["a", "a2", "a2_2", "a3", "class_", "value", "_1"]);
    }
}
