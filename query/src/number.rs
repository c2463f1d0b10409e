//! Numbers of filters: exact integers, and floats.

use coconut_format::{Integer, Value};
use std::cmp::Ordering;
use std::fmt;

/// A number. The integers of documents, from −2^63 to 2^64−1, and all results between −2^127 and
/// 2^127 are exact. The results of all other operations are floats.
///
/// A float of a document stays one: `1.0` is printed with its point. A float that *results* from an
/// operation and has no fraction becomes an integer, because filters are written for `jq`, which
/// has only one kind of number.
#[derive(Clone, Copy, Debug)]
pub enum Number {
    Integer(i128),
    Float(f64),
}

use Number::{Float, Integer as Int};

/// Floats below this have an exact integer.
const EXACT: f64 = 9_007_199_254_740_992.0;

impl Number {
    /// The number written in a filter.
    pub(crate) fn parse(text: &str) -> Option<Number> {
        match text.parse().map(Int) {
            Ok(integer) => Some(integer),
            Err(_) => text.parse().ok().map(Float),
        }
    }

    /// The result of an operation with floats.
    #[expect(clippy::cast_possible_truncation, reason = "it is in the range of exact integers")]
    pub(crate) fn of_result(float: f64) -> Number {
        let is_negative_zero = float == 0.0 && float.is_sign_negative();
        match float.fract() == 0.0 && float.abs() < EXACT && !is_negative_zero {
            true => Int(float as i128),
            false => Float(float),
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "a float is wanted")]
    pub(crate) fn as_float(self) -> f64 {
        match self {
            Int(integer) => integer as f64,
            Float(float) => float,
        }
    }

    /// The integer, if there is no fraction.
    #[expect(clippy::cast_possible_truncation, reason = "it is in the range of exact integers")]
    pub(crate) fn as_integer(self) -> Option<i128> {
        match self {
            Int(integer) => Some(integer),
            Float(float) if float.fract() == 0.0 && float.abs() <= EXACT => Some(float as i128),
            Float(_) => None,
        }
    }

    /// The integer below, as `jq` indexes lists. `None` for NaN.
    pub(crate) fn floor(self) -> Option<i128> {
        self.rounded(f64::floor)
    }

    /// The integer above, for the end of a range.
    pub(crate) fn ceiling(self) -> Option<i128> {
        self.rounded(f64::ceil)
    }

    #[expect(clippy::cast_possible_truncation, reason = "saturates, and positions are far below")]
    fn rounded(self, round: fn(f64) -> f64) -> Option<i128> {
        match self {
            Int(integer) => Some(integer),
            Float(float) if float.is_nan() => None,
            Float(float) => Some(round(float) as i128),
        }
    }

    /// The integer of 64 bits that `%` computes with.
    #[expect(clippy::cast_possible_truncation, reason = "saturates, as in `jq`")]
    fn truncated(self) -> i128 {
        match self {
            Int(integer) => integer,
            Float(float) => i128::from(float as i64),
        }
    }

    pub(crate) fn is_nan(self) -> bool {
        matches!(self, Float(float) if float.is_nan())
    }

    /// The value that a document can have. Infinities become the largest floats, and NaN null.
    pub(crate) fn to_value(self) -> Value {
        match self {
            Int(integer) => match (u64::try_from(integer), i64::try_from(integer)) {
                (Ok(unsigned), _) => Value::Integer(unsigned.into()),
                (_, Ok(signed)) => Value::Integer(signed.into()),
                _ => Value::Float(self.as_float()),
            },
            Float(float) if float.is_nan() => Value::Null,
            Float(float) => Value::Float(float.clamp(f64::MIN, f64::MAX)),
        }
    }

    pub(crate) fn add(self, other: Number) -> Number {
        self.with(other, i128::checked_add, |one, other| one + other)
    }

    pub(crate) fn subtract(self, other: Number) -> Number {
        self.with(other, i128::checked_sub, |one, other| one - other)
    }

    pub(crate) fn multiply(self, other: Number) -> Number {
        self.with(other, i128::checked_mul, |one, other| one * other)
    }

    /// `None` if the divisor is zero.
    pub(crate) fn divide(self, other: Number) -> Option<Number> {
        if other.as_float() == 0.0 {
            return None;
        }
        let exact = |one: i128, other| match one.checked_rem(other) {
            Some(0) => one.checked_div(other),
            _ => None,
        };
        Some(self.with(other, exact, |one, other| one / other))
    }

    /// The remainder of the division without fractions. `None` if the divisor is zero then.
    pub(crate) fn remainder(self, other: Number) -> Option<Number> {
        if self.is_nan() || other.is_nan() {
            return Some(Float(f64::NAN));
        }
        match other.truncated() {
            0 => None,
            other => Some(Int(self.truncated().checked_rem(other).unwrap_or_default())),
        }
    }

    pub(crate) fn negated(self) -> Number {
        match self {
            Int(0) => Int(0),
            Int(integer) => integer.checked_neg().map_or_else(|| Float(-self.as_float()), Int),
            Float(float) => Float(-float),
        }
    }

    pub(crate) fn absolute(self) -> Number {
        match self {
            Int(integer) => integer.checked_abs().map_or_else(|| Float(self.as_float().abs()), Int),
            Float(float) => Float(float.abs()),
        }
    }

    fn with(
        self,
        other: Number,
        exact: impl FnOnce(i128, i128) -> Option<i128>,
        rounded: impl FnOnce(f64, f64) -> f64,
    ) -> Number {
        let integer = match (self, other) {
            (Int(one), Int(other)) => exact(one, other),
            _ => None,
        };
        integer.map_or_else(|| Number::of_result(rounded(self.as_float(), other.as_float())), Int)
    }
}

impl From<Integer> for Number {
    fn from(integer: Integer) -> Number {
        Int(integer.into())
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Number) -> bool {
        !self.is_nan() && self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Number {}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Number) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Number {
    /// NaN is below every number, itself included, as in `jq`.
    fn cmp(&self, other: &Number) -> Ordering {
        match (self, other) {
            (Int(one), Int(other)) => one.cmp(other),
            _ if self.is_nan() => Ordering::Less,
            _ if other.is_nan() => Ordering::Greater,
            _ => self.as_float().partial_cmp(&other.as_float()).unwrap_or(Ordering::Equal),
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Int(integer) => integer.fmt(f),
            Float(_) => self.to_value().fmt(f),
        }
    }
}
