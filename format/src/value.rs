//! Values (§4). The tree that JSON, YAML and Coconut files all denote.

use std::fmt;

/// An owned document: the value of a JSON text, with nothing lost that JSON can express.
///
/// Objects keep the order of their keys, and integers differ from floats (`1` is not `1.0`). Unlike
/// a lazy view over a file, a `Value` owns every string. It is a convenience for tests, tools and
/// small documents, and costs an allocation per string. Equality is exact: key order counts, and
/// `-0.0` differs from `0.0`.
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
    /// The value under `key` if this is an object that has it. Linear in the number of keys.
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

    /// One word for the kind of value, as error messages use it.
    pub fn kind_name(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Bool(_) => "bool",
            Value::Integer(_) => "integer",
            Value::Float(_) => "float",
            Value::String(_) => "string",
            Value::List(_) => "list",
            Value::Object(_) => "object",
        }
    }
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

/// An integer from −2^63 to 2^64−1: the union of `i64` and `u64`, which is what msgpack can carry
/// exactly.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Integer(Repr);

/// Non-negative numbers have one form only, so that derived equality is numeric equality.
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
    #[expect(clippy::cast_precision_loss, reason = "the nearest float is what is asked for")]
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
