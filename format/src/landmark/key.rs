//! Keys of landmarks (§8.1): an entry's own name, a field, or a text assembled from several fields.

use std::borrow::Cow;
use std::fmt;

use super::escaped::Escaped;
use crate::node::{Kind, Node};

/// The source of a landmark's key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyRule {
    /// The key of the landmark's entry in its object. List items have no such key, so they are not
    /// landmarks.
    Name,
    /// The string at this field. A value without it is not a landmark.
    Field(KeyField),
    /// A text with fields in it, for documents that spread a name over several fields.
    ///
    /// An optional part is empty if one of its fields is missing. If a field of another part is
    /// missing, the value is not a landmark. A Terraform resource is
    /// `({module}.)({mode=data}.){type}.{name}`.
    Template(Vec<TemplatePart>),
}

/// A part of a [`KeyRule::Template`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplatePart {
    /// A required piece.
    Always(Piece),
    /// `(…)`: either all of these pieces or nothing.
    Optional(Vec<Piece>),
    /// `(…|once)`: the same, and nothing if the key so far ends with their text.
    Once(Vec<Piece>),
}

/// A piece of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Literal text.
    Text(String),
    /// `{field}`: the string field.
    Field(KeyField),
    /// `{field|json}`: the string or integer field as JSON text, so that `0` and `"0"` are
    /// different keys.
    Json(KeyField),
    /// `{field|modules}`: for a list of strings that begins with `root`, each of the others with
    /// `module.` before it and `.` between them. A list without others has no such text.
    Modules(KeyField),
    /// `{field=text}`: `text`, if the string field has this value.
    Equal {
        /// The place of the field.
        field: KeyField,
        /// Its required value.
        text: String,
    },
}

/// The place of a field in a landmark: the keys of the entries on the path to it. Usually one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyField {
    first: String,
    rest: Vec<String>,
}

impl KeyField {
    /// The entry `name` of the landmark itself.
    pub(super) fn named(name: String) -> KeyField {
        KeyField { first: name, rest: Vec::new() }
    }

    /// The field at the end of these steps; at least one.
    pub(super) fn new(mut steps: Vec<String>) -> KeyField {
        let first = steps.remove(0);
        KeyField { first, rest: steps }
    }

    /// The keys of the entries on the path to it, from the outside in; at least one.
    pub fn steps(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.first.as_str()).chain(self.rest.iter().map(String::as_str))
    }

    /// Its name, if it is an entry of the landmark itself.
    pub fn name(&self) -> Option<&str> {
        self.rest.is_empty().then_some(&self.first)
    }

    /// The value of this field in `value`.
    #[inline(never)]
    pub fn of<'a, N: Node<'a>>(&self, value: N) -> Option<N> {
        self.rest.iter().try_fold(value.get(&self.first)?, |value, step| value.get(step))
    }
}

impl fmt::Display for KeyField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Escaped(&self.first))?;
        self.rest.iter().try_for_each(|step| write!(f, "/{}", Escaped(step)))
    }
}

impl KeyRule {
    /// The number of pieces. Each costs a field lookup at every value that may be a landmark.
    pub fn pieces(&self) -> usize {
        match self {
            KeyRule::Name => 0,
            KeyRule::Field(_) => 1,
            KeyRule::Template(parts) => parts.iter().map(TemplatePart::pieces).sum(),
        }
    }

    /// The own key of `value`, which is the entry `name` of an object, or not an entry if `name` is
    /// `None`. `None` if the value is not a landmark.
    pub fn of<'a, N: Node<'a>>(&self, name: Option<&'a str>, value: N) -> Option<Cow<'a, str>> {
        match self {
            KeyRule::Name => name.map(Cow::Borrowed),
            KeyRule::Field(field) => Some(Cow::Borrowed(field.of(value)?.as_str()?)),
            // A template with only optional parts would match any value.
            KeyRule::Template(_) if value.kind() != Kind::Object => None,
            KeyRule::Template(parts) => {
                let mut key = String::new();
                for part in parts {
                    match part {
                        TemplatePart::Always(piece) => piece.write(value, &mut key)?,
                        TemplatePart::Optional(pieces) | TemplatePart::Once(pieces) => {
                            let before = key.len();
                            let written = pieces.iter().try_for_each(|piece| piece.write(value, &mut key));
                            let is_again = || {
                                let (earlier, own) = key.split_at(before);
                                matches!(part, TemplatePart::Once(_)) && earlier.ends_with(own)
                            };
                            if written.is_none() || is_again() {
                                key.truncate(before);
                            }
                        }
                    }
                }
                Some(Cow::Owned(key))
            }
        }
    }

    /// Whether `value` is a landmark: whether it has an own key. Reads only the necessary texts.
    pub fn is_of<'a, N: Node<'a>>(&self, name: Option<&'a str>, value: N) -> bool {
        match self {
            KeyRule::Name => name.is_some(),
            KeyRule::Field(field) => field.of(value).is_some_and(|field| field.kind() == Kind::String),
            KeyRule::Template(parts) => {
                let has = |part: &TemplatePart| match part {
                    TemplatePart::Always(piece) => piece.is_in(value),
                    TemplatePart::Optional(_) | TemplatePart::Once(_) => true,
                };
                value.kind() == Kind::Object && parts.iter().all(has)
            }
        }
    }
}

impl TemplatePart {
    fn pieces(&self) -> usize {
        match self {
            TemplatePart::Always(_) => 1,
            TemplatePart::Optional(pieces) | TemplatePart::Once(pieces) => pieces.len(),
        }
    }
}

impl Piece {
    /// Whether `value` has the field that this piece needs.
    fn is_in<'a, N: Node<'a>>(&self, value: N) -> bool {
        match self {
            Piece::Text(_) => true,
            Piece::Field(field) => field.of(value).is_some_and(|field| field.kind() == Kind::String),
            Piece::Json(field) => {
                field.of(value).is_some_and(|field| matches!(field.kind(), Kind::String | Kind::Integer))
            }
            Piece::Modules(field) => {
                field.of(value).is_some_and(|path| push_modules(path, &mut String::new()).is_some())
            }
            Piece::Equal { field, text } => field.of(value).and_then(Node::as_str) == Some(text),
        }
    }

    /// Appends the text of this piece for `value`. `None` if its field is missing or of another
    /// kind.
    fn write<'a, N: Node<'a>>(&self, value: N, key: &mut String) -> Option<()> {
        match self {
            Piece::Text(text) => key.push_str(text),
            Piece::Field(field) => key.push_str(field.of(value)?.as_str()?),
            Piece::Json(field) => {
                let field = field.of(value)?;
                match field.as_str() {
                    Some(text) => push_json_string(text, key),
                    None => key.push_str(&field.as_integer()?.to_string()),
                }
            }
            Piece::Modules(field) => push_modules(field.of(value)?, key)?,
            Piece::Equal { field, text } => {
                if field.of(value)?.as_str()? != text {
                    return None;
                }
                key.push_str(text);
            }
        }
        Some(())
    }
}

/// Appends the address of a module of Terraform, whose path `["root", "a", "b"]` is
/// `module.a.module.b`. `None` for another value, and for the root module.
fn push_modules<'a, N: Node<'a>>(path: N, key: &mut String) -> Option<()> {
    if path.kind() != Kind::List {
        return None;
    }
    let mut names = path.items().map(Node::as_str);
    if names.next()?? != "root" {
        return None;
    }
    let mut dot = "";
    for name in names {
        key.extend([dot, "module.", name?]);
        dot = ".";
    }
    (!dot.is_empty()).then_some(())
}

/// Appends `text` as a JSON string: `\"`, `\\`, the five short escapes, `\u00xx` for other control
/// characters, and everything else unchanged.
fn push_json_string(text: &str, json: &mut String) {
    json.push('"');
    for c in text.chars() {
        match c {
            '"' => json.push_str("\\\""),
            '\\' => json.push_str("\\\\"),
            '\u{8}' => json.push_str("\\b"),
            '\t' => json.push_str("\\t"),
            '\n' => json.push_str("\\n"),
            '\u{c}' => json.push_str("\\f"),
            '\r' => json.push_str("\\r"),
            control if control < ' ' => json.push_str(&format!("\\u{:04x}", u32::from(control))),
            plain => json.push(plain),
        }
    }
    json.push('"');
}

impl fmt::Display for KeyRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeyRule::Name => Ok(()),
            KeyRule::Field(field) => write!(f, "[{field}]"),
            KeyRule::Template(parts) => {
                f.write_str("[")?;
                for part in parts {
                    match part {
                        TemplatePart::Always(piece) => write!(f, "{piece}")?,
                        TemplatePart::Optional(pieces) | TemplatePart::Once(pieces) => {
                            f.write_str("(")?;
                            pieces.iter().try_for_each(|piece| write!(f, "{piece}"))?;
                            f.write_str(if matches!(part, TemplatePart::Once(_)) { "|once)" } else { ")" })?;
                        }
                    }
                }
                f.write_str("]")
            }
        }
    }
}

impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Piece::Text(text) => write!(f, "{}", Escaped(text)),
            Piece::Field(field) => write!(f, "{{{field}}}"),
            Piece::Json(field) => write!(f, "{{{field}|json}}"),
            Piece::Modules(field) => write!(f, "{{{field}|modules}}"),
            Piece::Equal { field, text } => write!(f, "{{{field}={}}}", Escaped(text)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Pattern;
    use super::*;
    use crate::value::Value;

    fn object(entries: &[(&str, &str)]) -> Value {
        Value::Object(entries.iter().map(|&(k, v)| (k.to_owned(), Value::String(v.to_owned()))).collect())
    }

    #[track_caller]
    fn key(pattern: &str, value: &Value) -> Option<String> {
        let parsed = Pattern::parse(pattern).unwrap();
        assert_eq!(parsed.to_string(), pattern);
        let key = parsed.key().of(Some("entry"), value).map(Cow::into_owned);
        assert_eq!(parsed.key().is_of(Some("entry"), value), key.is_some());
        key
    }

    const ADDRESS: &str = "/resources/*[({module}.)({mode=data}.){type}.{name}]";

    #[test]
    fn a_template_makes_terraform_addresses() {
        let managed = object(&[("mode", "managed"), ("type", "aws_vpc"), ("name", "main")]);
        assert_eq!(key(ADDRESS, &managed).unwrap(), "aws_vpc.main");
        let data = object(&[("module", "module.a"), ("mode", "data"), ("type", "aws_ami"), ("name", "b")]);
        assert_eq!(key(ADDRESS, &data).unwrap(), "module.a.data.aws_ami.b");
    }

    #[test]
    fn a_value_without_a_required_field_is_not_a_landmark() {
        assert_eq!(key(ADDRESS, &object(&[("type", "aws_vpc")])), None);
        assert_eq!(key("/*[urn]", &Value::Object(vec![("urn".into(), Value::Null)])), None);
    }

    #[test]
    fn a_field_may_be_inside_of_entries() {
        let inside = |value: Value| Value::Object(vec![("metadata".into(), value)]);
        let named = inside(object(&[("name", "web"), ("namespace", "shop")]));
        assert_eq!(key("/*[metadata/name]", &named).unwrap(), "web");
        assert_eq!(key("/*[({metadata/namespace}~1){metadata/name}]", &named).unwrap(), "shop/web");
        let global = inside(object(&[("name", "web")]));
        assert_eq!(key("/*[({metadata/namespace}~1){metadata/name}]", &global).unwrap(), "web");
        assert_eq!(key("/*[{metadata/name|json}]", &global).unwrap(), "\"web\"");
        assert_eq!(key("/*[({metadata/name=web}!)]", &global).unwrap(), "web!");
        for without in [Value::String("web".into()), Value::List(vec![object(&[("name", "web")])])] {
            assert_eq!(key("/*[metadata/name]", &inside(without.clone())), None);
            assert_eq!(key("/*[{metadata/name|json}]", &inside(without)), None);
        }
        assert_eq!(key("/*[metadata/name]", &object(&[("metadata/name", "web")])), None);
        assert_eq!(key("/*[metadata~1name]", &object(&[("metadata/name", "web")])).unwrap(), "web");
    }

    #[test]
    fn only_objects_have_keys_from_fields() {
        assert_eq!(key("/*[({a})]", &object(&[])).unwrap(), "");
        assert_eq!(key("/*[({a})]", &Value::Null), None);
        assert_eq!(key("/*[({a})]", &Value::List(Vec::new())), None);
    }

    #[test]
    fn an_index_keeps_its_kind() {
        let pattern = "/*[~[{index_key|json}~]]";
        let indexed = |index| Value::Object(vec![("index_key".into(), index)]);
        assert_eq!(key(pattern, &indexed(Value::Integer(0u64.into()))).unwrap(), "[0]");
        assert_eq!(key(pattern, &indexed(Value::String("0".into()))).unwrap(), "[\"0\"]");
        assert_eq!(
            key(pattern, &indexed(Value::String("a\"\n\u{1}é".into()))).unwrap(),
            "[\"a\\\"\\n\\u0001é\"]"
        );
        assert_eq!(key(pattern, &indexed(Value::Null)), None);
    }

    #[test]
    fn a_path_of_modules_is_their_address() {
        let of = |path: Value| Value::Object(vec![("path".into(), path)]);
        let list = |names: &[&str]| {
            of(Value::List(names.iter().map(|name| Value::String((*name).to_owned())).collect()))
        };
        let pattern = "/modules/*[{path|modules}]";
        assert_eq!(key(pattern, &list(&["root", "a"])).unwrap(), "module.a");
        assert_eq!(key(pattern, &list(&["root", "a", "b"])).unwrap(), "module.a.module.b");
        for none in [list(&["root"]), list(&[]), list(&["a", "b"]), of(Value::String("root".into()))] {
            assert_eq!(key(pattern, &none), None);
        }
        let mixed = of(Value::List(vec![Value::String("root".into()), Value::Null]));
        assert_eq!(key(pattern, &mixed), None);
        assert_eq!(key("/modules/*[({path|modules}.){n}]", &object(&[("n", "x")])).unwrap(), "x");
    }

    #[test]
    fn a_part_that_comes_once_is_not_repeated() {
        let of = |address: &str, index: Value| {
            Value::Object(vec![("address".into(), Value::String(address.into())), ("index".into(), index)])
        };
        let (zero, one) = (Value::Integer(0u64.into()), Value::Integer(1u64.into()));
        let pattern = "/*[{address}(~[{index|json}~]|once)]";
        assert_eq!(key(pattern, &of("a.b", zero.clone())).unwrap(), "a.b[0]");
        assert_eq!(key(pattern, &of("a.b[0]", zero.clone())).unwrap(), "a.b[0]");
        assert_eq!(key(pattern, &of("a.b[0]", one)).unwrap(), "a.b[0][1]");
        assert_eq!(key(pattern, &of("a.b[\"k\"]", Value::String("k".into()))).unwrap(), "a.b[\"k\"]");
        assert_eq!(key(pattern, &of("module.a[0].b", zero)).unwrap(), "module.a[0].b[0]");
        assert_eq!(key(pattern, &of("a.b", Value::Null)).unwrap(), "a.b");
    }

    #[test]
    fn an_entry_name_needs_an_entry() {
        let pattern = Pattern::parse("/resources/*").unwrap();
        assert_eq!(pattern.key().of(Some("a"), &Value::Null).as_deref(), Some("a"));
        assert_eq!(pattern.key().of(None, &Value::Null), None);
    }
}
