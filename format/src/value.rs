//! Values (§4). The common data model of JSON, YAML and Coconut files.

#[cfg(feature = "serde")]
mod serde;

use std::fmt::{self, Write};

/// An owned document: the value of a JSON text, without loss.
///
/// Objects keep the order of their keys, and integers differ from floats (`1` is not `1.0`). Unlike
/// a lazy view over a file, a `Value` owns every string. It is meant for tests, tools and small
/// documents, and costs an allocation per string. Equality is exact: key order counts, and `-0.0`
/// differs from `0.0`.
///
/// Dropping, cloning and comparing recurse once per level. The 512 levels that a document may have
/// (§9.1) take up to 96 KiB of stack, and 512 KiB in a build without optimisation.
#[derive(Clone, Debug)]
pub enum Value {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number without fraction or exponent, from −2^63 to 2^64−1.
    Integer(Integer),
    /// Any other number. Always finite.
    Float(f64),
    /// A text.
    String(String),
    /// An ordered list.
    List(Vec<Value>),
    /// Key and value pairs in document order. Keys are distinct in a valid document.
    Object(Vec<(String, Value)>),
}

impl Value {
    /// The value under `key` if this is an object with that key. Linear in the number of keys.
    pub fn get(&self, key: &str) -> Option<&Value> {
        match self {
            Value::Object(entries) => entries.iter().find(|(k, _)| k == key).map(|(_, v)| v),
            _ => None,
        }
    }

    /// The text if this is a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// The entries if this is an object.
    pub fn as_object(&self) -> Option<&[(String, Value)]> {
        match self {
            Value::Object(entries) => Some(entries),
            _ => None,
        }
    }

    /// The items if this is a list.
    pub fn as_list(&self) -> Option<&[Value]> {
        match self {
            Value::List(items) => Some(items),
            _ => None,
        }
    }
}

/// Conversions from Rust types. Floats must be finite: documents cannot contain others.
macro_rules! from {
    ($($(#[$doc:meta])* $type:ty: |$from:ident| $value:expr;)+) => {
        $($(#[$doc])* impl From<$type> for Value {
            fn from($from: $type) -> Value {
                $value
            }
        })+
    };
}

from! {
    bool: |value| Value::Bool(value);
    u32: |value| Value::Integer(u64::from(value).into());
    i32: |value| Value::Integer(i64::from(value).into());
    u64: |value| Value::Integer(value.into());
    i64: |value| Value::Integer(value.into());
    Integer: |value| Value::Integer(value);
    f64: |value| Value::Float(value);
    &str: |value| Value::String(value.to_owned());
    String: |value| Value::String(value);
    Vec<Value>: |value| Value::List(value);
    Vec<(String, Value)>: |value| Value::Object(value);
}

/// Collects items into a list.
impl FromIterator<Value> for Value {
    fn from_iter<I: IntoIterator<Item = Value>>(items: I) -> Value {
        Value::List(items.into_iter().collect())
    }
}

/// Collects entries into an object, in their order.
///
/// ```
/// use coconut_format::Value;
///
/// let value = Value::from_iter([("port", Value::from(80u64)), ("name", "web".into())]);
/// assert_eq!(value.to_string(), r#"{"port":80,"name":"web"}"#);
/// ```
impl<K: Into<String>> FromIterator<(K, Value)> for Value {
    fn from_iter<I: IntoIterator<Item = (K, Value)>>(entries: I) -> Value {
        Value::Object(entries.into_iter().map(|(key, value)| (key.into(), value)).collect())
    }
}

/// Prints JSON text on one line. Recurses once per level. A float has a point or an exponent, and
/// the fewest digits that read back to it. A non-finite one becomes `null`.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => f.write_str("null"),
            Value::Bool(value) => value.fmt(f),
            Value::Integer(value) => value.fmt(f),
            Value::Float(value) if value.is_finite() => write!(f, "{value:?}"),
            Value::Float(_) => f.write_str("null"),
            Value::String(text) => write_string(text, f),
            Value::List(items) => {
                f.write_char('[')?;
                for (index, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if index > 0 { "," } else { "" })?;
                }
                f.write_char(']')
            }
            Value::Object(entries) => {
                f.write_char('{')?;
                for (index, (key, value)) in entries.iter().enumerate() {
                    f.write_str(if index > 0 { "," } else { "" })?;
                    write_string(key, f)?;
                    write!(f, ":{value}")?;
                }
                f.write_char('}')
            }
        }
    }
}

/// A string of JSON: quotes, backslashes and control characters are escaped.
fn write_string(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_char('"')?;
    for character in text.chars() {
        match character {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            control if control < ' ' => write!(f, "\\u{:04x}", u32::from(control))?,
            other => f.write_char(other)?,
        }
    }
    f.write_char('"')
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Value::Null, Value::Null) => true,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Integer(a), Value::Integer(b)) => a == b,
            (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
            (Value::String(a), Value::String(b)) => a == b,
            (Value::List(a), Value::List(b)) => a == b,
            (Value::Object(a), Value::Object(b)) => a == b,
            _ => false,
        }
    }
}

impl Eq for Value {}

/// An integer from −2^63 to 2^64−1: the union of `i64` and `u64`, which msgpack can represent
/// exactly.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Integer(Repr);

/// Non-negative numbers have only one form, so derived equality is numeric equality.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Repr {
    NonNegative(u64),
    Negative(i64),
}

impl Integer {
    /// The value as `u64`, unless it is negative.
    pub fn as_u64(self) -> Option<u64> {
        match self.0 {
            Repr::NonNegative(n) => Some(n),
            Repr::Negative(_) => None,
        }
    }

    /// The nearest float.
    #[expect(clippy::cast_precision_loss, reason = "the caller requests the nearest float")]
    pub fn as_f64(self) -> f64 {
        match (self.as_i64(), self.as_u64()) {
            (Some(value), _) => value as f64,
            (None, Some(value)) => value as f64,
            (None, None) => 0.0,
        }
    }

    /// The value as `i64`, unless it is 2^63 or more.
    pub fn as_i64(self) -> Option<i64> {
        match self.0 {
            Repr::NonNegative(n) => i64::try_from(n).ok(),
            Repr::Negative(n) => Some(n),
        }
    }
}

impl From<u64> for Integer {
    fn from(n: u64) -> Self {
        Integer(Repr::NonNegative(n))
    }
}

impl From<i64> for Integer {
    fn from(n: i64) -> Self {
        match u64::try_from(n) {
            Ok(n) => Integer(Repr::NonNegative(n)),
            Err(_) => Integer(Repr::Negative(n)),
        }
    }
}

impl From<Integer> for i128 {
    fn from(n: Integer) -> Self {
        match n.0 {
            Repr::NonNegative(n) => n.into(),
            Repr::Negative(n) => n.into(),
        }
    }
}

impl PartialOrd for Integer {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Integer {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        i128::from(*self).cmp(&i128::from(*other))
    }
}

impl fmt::Display for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Repr::NonNegative(n) => n.fmt(f),
            Repr::Negative(n) => n.fmt(f),
        }
    }
}

impl fmt::Debug for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_rust_become_values_and_are_shown_as_json() {
        let list =
            Value::from_iter([Value::from(true), 7u32.into(), (-7i32).into(), 0.5.into(), 1e300.into()]);
        let value = Value::from_iter([
            ("list", list),
            ("a \"quote\" \\ \n \u{1}", "é".into()),
            ("max", u64::MAX.into()),
            ("none", Value::Null),
            ("empty", Vec::<Value>::new().into()),
            ("nan", f64::NAN.into()),
        ]);
        assert_eq!(
            value.to_string(),
            r#"{"list":[true,7,-7,0.5,1e300],"a \"quote\" \\ \n \u0001":"é","max":18446744073709551615,"none":null,"empty":[],"nan":null}"#
        );
    }

    #[test]
    fn one_and_one_point_zero_differ() {
        assert_ne!(Value::Integer(1u64.into()), Value::Float(1.0));
    }

    #[test]
    fn negative_zero_differs_from_zero() {
        assert_ne!(Value::Float(-0.0), Value::Float(0.0));
    }

    #[test]
    fn signed_and_unsigned_forms_of_one_number_are_equal() {
        assert_eq!(Integer::from(7u64), Integer::from(7i64));
        assert!(Integer::from(-1i64) < Integer::from(u64::MAX));
        assert_eq!(Integer::from(i64::MIN).to_string(), "-9223372036854775808");
    }

    #[test]
    fn an_integer_is_given_in_the_types_that_can_hold_it() {
        let both = |n: Integer| (n.as_u64(), n.as_i64());
        assert_eq!(both(7u64.into()), (Some(7), Some(7)));
        assert_eq!(both((-7i64).into()), (None, Some(-7)));
        assert_eq!(both((1u64 << 63).into()), (Some(1 << 63), None));
        assert_eq!(both((i64::MAX as u64).into()), (Some(i64::MAX as u64), Some(i64::MAX)));
    }

    #[test]
    fn an_integer_is_shown_as_its_digits() {
        assert_eq!(
            format!("{:?}", [Integer::from(u64::MAX), Integer::from(-5i64)]),
            "[18446744073709551615, -5]"
        );
    }

    #[test]
    fn key_order_is_part_of_the_value() {
        let ab = Value::Object(vec![("a".into(), Value::Null), ("b".into(), Value::Null)]);
        let ba = Value::Object(vec![("b".into(), Value::Null), ("a".into(), Value::Null)]);
        assert_ne!(ab, ba);
    }
}
