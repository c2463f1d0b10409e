//! Parses numbers from text (§4.1): integers, floats, and those that are refused.
//!
//! A number without fraction and exponent is an integer, from −2^63 to 2^64−1, except `-0`. All
//! others are float64.
//!
//! A float is accepted if the shortest decimal that reads back to the same float64 denotes the same
//! value as the text. So `0.1`, `1.10`, `1E2` and `5e-324` are numbers. But `1e400`,
//! `9007199254740993.0` and thirty digits are not, because a reader would get a different value. If
//! two shortest decimals are equally near to the float64, the one with the even last digit counts,
//! as in ECMAScript.

use super::error::SourceErrorKind;
use coconut_format::Integer;

/// A number of the value model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    Integer(Integer),
    Float(f64),
}

const INTEGER_RANGE: &str = "an integer from -9223372036854775808 to 18446744073709551615";
const FLOAT_RANGE: &str = "a float64, at most 1.7976931348623157e308 in size";
const FLOAT_TINY: &str = "a float64, at least 5e-324 in size or zero";

/// The integer of `digits` (ASCII digits only, any number of leading zeros) with its sign.
///
/// `-0` is not an integer but the float −0.0, as in JSON.
pub(super) fn integer(negative: bool, digits: &str) -> Result<Number, SourceErrorKind> {
    let magnitude: u64 = digits.parse().map_err(|_| out_of_range())?;
    signed(negative, magnitude)
}

/// The integer of digits in another base.
#[cfg(feature = "yaml")]
pub(super) fn unsigned(digits: &str, radix: u32) -> Result<Number, SourceErrorKind> {
    let magnitude = u64::from_str_radix(digits, radix).map_err(|_| out_of_range())?;
    Ok(Number::Integer(magnitude.into()))
}

/// The number of a magnitude and a sign.
#[inline]
pub(super) fn signed(negative: bool, magnitude: u64) -> Result<Number, SourceErrorKind> {
    if !negative {
        return Ok(Number::Integer(magnitude.into()));
    }
    match 0i64.checked_sub_unsigned(magnitude) {
        Some(0) => Ok(Number::Float(-0.0)),
        Some(value) => Ok(Number::Integer(value.into())),
        None => Err(out_of_range()),
    }
}

#[cold]
fn out_of_range() -> SourceErrorKind {
    SourceErrorKind::NumberRange { expected: INTEGER_RANGE }
}

/// The float64 that `text` denotes: a sign, digits with at most one point, an exponent.
///
/// All except one digit are optional.
pub(super) fn float(text: &str) -> Result<f64, SourceErrorKind> {
    let written = Decimal::of(text);
    // The standard library reads five digits of an exponent, and zeros of the mantissa can
    // compensate for more than that.
    let value: f64 = match text.len() > usize::from(u16::MAX) {
        true => written.to_text(text.starts_with('-')).parse(),
        false => text.parse(),
    }
    .expect("the grammar of the caller is that of `f64`");
    if value.is_infinite() {
        return Err(SourceErrorKind::NumberRange { expected: FLOAT_RANGE });
    }
    if value == 0.0 && !written.is_zero() {
        return Err(SourceErrorKind::NumberRange { expected: FLOAT_TINY });
    }
    let mut buffer = zmij::Buffer::new();
    let shortest = buffer.format_finite(value);
    if written != Decimal::of(shortest) {
        return Err(SourceErrorKind::NumberPrecision { nearest: shortest.into() });
    }
    Ok(value)
}

/// The value of a decimal text without its sign: `0.d₁d₂d₃… × 10^exponent`. Neither the first nor
/// the last digit is 0.
#[derive(Clone, Copy)]
pub(super) struct Decimal<'t> {
    /// The digits from the first to the last nonzero one, including the point if it is between
    /// them. Empty for zero.
    significant: &'t [u8],
    /// Saturates far beyond the exponents of float64 and the length of any text.
    exponent: i64,
}

impl<'t> Decimal<'t> {
    /// Parses the grammar that [`float`] accepts.
    pub(super) fn of(text: &'t str) -> Decimal<'t> {
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa.as_bytes(), saturating_exponent(exponent)),
            None => (text.as_bytes(), 0),
        };
        let is_significant = |byte: &u8| matches!(byte, b'1'..=b'9');
        let Some(first) = mantissa.iter().position(is_significant) else {
            return Decimal { significant: &[], exponent: 0 };
        };
        let last = mantissa.iter().rposition(is_significant).expect("there is a first");
        let point = mantissa.iter().position(|&byte| byte == b'.').unwrap_or(mantissa.len());
        // The point is `shift` digits after the place just before the first significant digit.
        let shift = if point > first { (point - first) as i64 } else { point as i64 - first as i64 + 1 };
        Decimal { significant: &mantissa[first..=last], exponent: exponent.saturating_add(shift) }
    }

    fn is_zero(self) -> bool {
        self.significant.is_empty()
    }

    /// The same value without leading and trailing zeros. All exponents beyond those of floats are
    /// equivalent.
    fn to_text(self, is_negative: bool) -> String {
        const BEYOND: i64 = 9999;
        let sign = if is_negative { "-" } else { "" };
        let digits: String = self.digits().map(char::from).collect();
        format!("{sign}0.{digits}e{}", self.exponent.clamp(-BEYOND, BEYOND))
    }

    /// The significant digits as ASCII, in order.
    pub(super) fn digits(self) -> impl Iterator<Item = u8> + 't {
        self.significant.iter().copied().filter(|&byte| byte != b'.')
    }

    /// The position of the point: after this many digits, or that many zeros before the first if it
    /// is negative.
    pub(super) fn exponent(self) -> i64 {
        self.exponent
    }
}

impl PartialEq for Decimal<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.exponent == other.exponent && self.digits().eq(other.digits())
    }
}

/// Parses `[+-]?[0-9]+`. A number that does not fit is so large that its exact value is irrelevant.
fn saturating_exponent(text: &str) -> i64 {
    const LARGE: i64 = i64::MAX / 4;
    text.parse().map_or(if text.starts_with('-') { -LARGE } else { LARGE }, |exponent: i64| {
        exponent.clamp(-LARGE, LARGE)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn range(expected: &'static str) -> SourceErrorKind {
        SourceErrorKind::NumberRange { expected }
    }

    fn nearest(text: &str) -> SourceErrorKind {
        SourceErrorKind::NumberPrecision { nearest: text.into() }
    }

    #[test]
    fn zeros_and_an_exponent_may_take_each_other_back_however_many_there_are() {
        for zeros in [10, 65_000, 66_000, 700_001, 1_000_000] {
            let many = "0".repeat(zeros);
            assert_eq!(float(&format!("-1{many}e-{zeros}")), Ok(-1.0), "{zeros}");
            assert_eq!(float(&format!("0.{many}25e{zeros}")), Ok(0.25), "{zeros}");
            assert_eq!(float(&format!("0.{many}e{zeros}")), Ok(0.0), "{zeros}");
            assert_eq!(float(&format!("-0.{many}")), Ok(-0.0), "{zeros}");
            assert_eq!(float(&format!("1{many}e-{}", zeros + 400)), Err(range(FLOAT_TINY)), "{zeros}");
            assert_eq!(float(&format!("0.{many}1e{}", zeros + 400)), Err(range(FLOAT_RANGE)), "{zeros}");
        }
    }

    #[test]
    fn integers_reach_from_i64_min_to_u64_max() {
        assert_eq!(integer(false, "18446744073709551615"), Ok(Number::Integer(u64::MAX.into())));
        assert_eq!(integer(false, "18446744073709551616"), Err(range(INTEGER_RANGE)));
        assert_eq!(integer(true, "9223372036854775808"), Ok(Number::Integer(i64::MIN.into())));
        assert_eq!(integer(true, "9223372036854775809"), Err(range(INTEGER_RANGE)));
        assert_eq!(integer(true, "1"), Ok(Number::Integer((-1i64).into())));
    }

    #[test]
    fn minus_zero_is_a_float() {
        let Ok(Number::Float(zero)) = integer(true, "0") else { panic!("not a float") };
        assert_eq!(zero.to_bits(), (-0.0f64).to_bits());
    }

    #[test]
    fn accepts_what_a_float64_denotes_exactly_by_its_shortest_decimal() {
        for (text, value) in [
            ("0.1", 0.1),
            ("1.10", 1.1),
            ("1E2", 100.0),
            ("5e-324", 5e-324),
            ("1.7976931348623157e308", f64::MAX),
            ("100000000000000000000.0", 1e20),
            ("0.000001e6", 1.0),
            ("12300e-2", 123.0),
            ("0.0", 0.0),
            ("0e999999999999999999999", 0.0),
            (".5", 0.5),
            ("1.", 1.0),
            ("-2.50", -2.5),
        ] {
            assert_eq!(float(text), Ok(value), "{text}");
        }
        assert_eq!(float("-0.0").map(f64::to_bits), Ok((-0.0f64).to_bits()));
    }

    #[test]
    fn refuses_floats_beyond_the_range() {
        assert_eq!(float("1e400"), Err(range(FLOAT_RANGE)));
        assert_eq!(float("-1e99999999999999999999"), Err(range(FLOAT_RANGE)));
        assert_eq!(float("1e-400"), Err(range(FLOAT_TINY)));
        assert_eq!(float("1e-99999999999999999999"), Err(range(FLOAT_TINY)));
    }

    #[test]
    fn refuses_digits_that_a_float64_would_change() {
        assert_eq!(float("9007199254740993.0"), Err(nearest("9007199254740992.0")));
        assert_eq!(float("0.10000000000000000000000000001"), Err(nearest("0.1")));
        assert_eq!(float("0.1000000000000000055511151231257827"), Err(nearest("0.1")));
        assert_eq!(float("3e-324"), Err(nearest("5e-324")));
    }

    /// Whether two decimals of the shortest length may be equally near. Then std returns the upper
    /// one; this code returns the even one.
    fn may_be_tie(value: f64) -> bool {
        let shortest = format!("{value:e}");
        let digits = shortest.bytes().take_while(|&byte| byte != b'e').filter(u8::is_ascii_digit).count();
        format!("{value:.digits$e}").split('e').next().is_some_and(|mantissa| mantissa.ends_with('5'))
    }

    #[test]
    fn of_two_shortest_decimals_the_even_one_counts() {
        // Both denote the float64 whose exact value is 95728136185680.125.
        assert_eq!(float("95728136185680.12"), Ok(95_728_136_185_680.12));
        assert_eq!(float("95728136185680.13"), Err(nearest("95728136185680.12")));
    }

    proptest! {
        /// Any shortest decimal is accepted in all spellings, but never with one more digit.
        #[test]
        fn accepts_a_shortest_decimal_in_every_spelling(bits: u64, zeros in 0usize..4, shift in 0i32..9) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite() && value != 0.0 && !may_be_tie(value));
            let scientific = format!("{value:e}");
            let (mantissa, exponent) = scientific.split_once('e').expect("`{:e}` prints an exponent");
            let exponent: i32 = exponent.parse().expect("`{:e}` prints a small number");
            let point = if mantissa.contains('.') { "" } else { "." };
            let padding = "0".repeat(zeros);

            let padded = format!("{mantissa}{point}{padding}e{exponent}");
            prop_assert_eq!(float(&padded), Ok(value));

            let (sign, digits) = match mantissa.strip_prefix('-') { Some(rest) => ("-", rest), None => ("", mantissa) };
            let digits: String = digits.chars().filter(|&c| c != '.').collect();
            let leading = "0".repeat(shift as usize);
            let shifted = format!("{sign}0.{leading}{digits}E{:+}", exponent + shift + 1);
            prop_assert_eq!(float(&shifted), Ok(value));

            let longer = format!("{mantissa}{point}00000000000000000001e{exponent}");
            prop_assert!(float(&longer).is_err(), "{} was accepted", longer);
        }

        /// The same rule with std alone: accepted iff std's shortest `{:e}` has the same digits and
        /// exponent.
        #[test]
        fn agrees_with_an_oracle_on_short_decimals(digits in "[0-9]{1,20}", fraction in "[0-9]{1,20}", exponent in -330i32..320) {
            let text = format!("{digits}.{fraction}e{exponent}");
            let all = format!("{digits}{fraction}");
            let significant = all.trim_start_matches('0').trim_end_matches('0');
            let leading = all.len() - all.trim_start_matches('0').len();
            let written = (significant.to_owned(), i64::from(exponent) + digits.len() as i64 - leading as i64 - 1);
            let value: f64 = text.parse().expect("a decimal");
            prop_assume!(!may_be_tie(value));
            let scientific = format!("{value:e}");
            let kept = match scientific.split_once('e') {
                _ if significant.is_empty() => true,
                Some((mantissa, exponent)) if value != 0.0 => {
                    let mantissa: String = mantissa.chars().filter(|&c| c != '.').collect();
                    (mantissa.trim_end_matches('0').to_owned(), exponent.parse().expect("small")) == written
                }
                _ => false,
            };
            prop_assert_eq!(float(&text).is_ok(), kept, "{}", text);
        }
    }
}
