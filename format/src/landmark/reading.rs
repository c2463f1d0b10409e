//! The references in a string at the end of an edge's path (§8.1).

use std::borrow::Cow;
use std::fmt;

use super::escaped::Escaped;

/// The ways to read a string as references to landmarks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    /// The whole string is a key.
    Whole,
    /// `<Text`: the key is the part before the last such text: Pulumi writes a provider as
    /// `urn::id`. A string without the text is the key itself.
    BeforeLast(String),
    /// `<<Text`: the key is the part before the first such text: CloudFormation writes an attribute
    /// as `Resource.Attribute.Part`.
    BeforeFirst(String),
    /// `<{`: each `${name}` in the string is a key, up to its first `.` or `[`. A name that begins
    /// with `!` is not a key.
    Names,
    /// `<[`: the string names a landmark without its instance keys.
    Instances,
}

impl Reading {
    /// The references in `text`, in order.
    pub fn references<'t>(&self, text: &'t str) -> References<'t> {
        let before = |cut: Option<usize>| References::One(Some(&text[..cut.unwrap_or(text.len())]));
        match self {
            Reading::Whole | Reading::Instances => References::One(Some(text)),
            Reading::BeforeLast(separator) => before(text.rfind(separator.as_str())),
            Reading::BeforeFirst(separator) => before(text.find(separator.as_str())),
            Reading::Names => References::Names(text),
        }
    }
}

impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reading::Whole => Ok(()),
            Reading::BeforeLast(separator) => write!(f, "<{}", Escaped(separator)),
            Reading::BeforeFirst(separator) => write!(f, "<<{}", Escaped(separator)),
            Reading::Names => f.write_str("<{"),
            Reading::Instances => f.write_str("<["),
        }
    }
}

/// The references in a string. Created by [`Reading::references`].
#[derive(Clone, Debug)]
pub enum References<'t> {
    /// One reference, until it is returned.
    One(Option<&'t str>),
    /// Each name in the rest of the string.
    Names(&'t str),
}

impl<'t> Iterator for References<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        let left = match self {
            References::One(one) => return one.take(),
            References::Names(left) => left,
        };
        loop {
            let (_, after) = left.split_once("${")?;
            let (name, after) = after.split_once('}')?;
            *left = after;
            let name = &name[..name.find(['.', '[']).unwrap_or(name.len())];
            if !name.is_empty() && !name.starts_with('!') {
                return Some(name);
            }
        }
    }
}

/// `key` without instance keys: without each `[n]` of ASCII digits and each `["…"]` of a JSON
/// string, from left to right. Any other bracket stays.
///
/// A Terraform address of a resource or an instance becomes the address in the configuration.
pub fn without_instances(key: &str) -> Cow<'_, str> {
    let (mut kept, mut last) = (String::new(), 0);
    let mut at = 0;
    while let Some(bracket) = key[at..].find('[').map(|found| at + found) {
        match instance_key(&key[bracket..]) {
            // Most have one, at their end: then nothing is copied.
            Some(length) if last == 0 && bracket + length == key.len() => {
                return Cow::Borrowed(&key[..bracket]);
            }
            Some(length) => {
                kept.push_str(&key[last..bracket]);
                at = bracket + length;
                last = at;
            }
            None => at = bracket + 1,
        }
    }
    match last {
        0 => Cow::Borrowed(key),
        _ => Cow::Owned(kept + &key[last..]),
    }
}

/// The length of the instance key at the start of `text`, brackets included.
pub fn instance_key(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('[')?.as_bytes();
    let length = match inner.first()? {
        b'"' => 1 + string_length(&inner[1..])?,
        _ => inner.iter().take_while(|byte| byte.is_ascii_digit()).count(),
    };
    (length > 0 && inner.get(length) == Some(&b']')).then_some(length + "[]".len())
}

/// The bytes up to and including the closing quote of a JSON string.
pub(crate) fn string_length(string: &[u8]) -> Option<usize> {
    let mut is_escaped = false;
    for (at, byte) in string.iter().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn read(reading: &Reading, text: &str, expected: &[&str]) {
        assert_eq!(reading.references(text).collect::<Vec<_>>(), expected, "{text}");
    }

    #[test]
    fn a_reference_ends_before_the_last_or_the_first_separator() {
        let last = Reading::BeforeLast("::".into());
        read(&last, "urn:pulumi:s::p::t::n::4f", &["urn:pulumi:s::p::t::n"]);
        read(&last, "plain", &["plain"]);
        let first = Reading::BeforeFirst(".".into());
        read(&first, "Nested.Outputs.X", &["Nested"]);
        read(&first, "plain", &["plain"]);
        read(&first, ".x", &[""]);
        read(&Reading::Whole, "a.b", &["a.b"]);
    }

    #[test]
    fn each_name_in_a_string_is_a_reference() {
        let names = |text, expected: &[&str]| read(&Reading::Names, text, expected);
        names("arn:${A}:${B.Arn}/${C[0].d}", &["A", "B", "C"]);
        names("${A}${A}", &["A", "A"]);
        names("${!Literal} ${} ${.x} ${[0]} $ { } ${A", &[]);
        names("${a${b}", &["a${b"]);
        names("$${a} }${b }", &["a", "b "]);
        names("A", &[]);
        names("${!a}${b}", &["b"]);
        names("${a!}", &["a!"]);
    }

    #[test]
    fn instance_keys_are_numbers_and_strings_in_brackets() {
        let without = |key, expected| assert_eq!(without_instances(key), expected, "{key}");
        without("module.a[0].aws_vpc.b[12]", "module.a.aws_vpc.b");
        without(r#"module.a["x].y[0]"].t.b["q\"]"]"#, "module.a.t.b");
        without(r#"t["\\"]"#, "t");
        without("t.b", "t.b");
        without("[0]", "");
        without("", "");
        for kept in
            ["t[]", "t[a]", "t[0", "t[", "t[0a]", r#"t["a]"#, r#"t["a"b]"#, r#"t["a\"]"#, "t[-1]", "t[٣]"]
        {
            without(kept, kept);
        }
        // Once, from left to right: the remaining text may look like an instance key again.
        without("[[0]0]", "[0]");
        without(r#"["a[0]"#, r#"["a"#);
        without("é[0]é", "éé");
    }
}
