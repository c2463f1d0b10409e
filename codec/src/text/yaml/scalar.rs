//! The value of a YAML scalar by the core schema (YAML 1.2 §10.3), without guessing.
//!
//! | plain text | value |
//! |---|---|
//! | nothing, `~`, `null` `Null` `NULL` | null |
//! | `true` `True` `TRUE`, `false` `False` `FALSE` | boolean |
//! | digits with an optional sign, `0o17`, `0x1F` | integer |
//! | `1.5` `.5` `1.` `1e3` | float |
//! | `.inf` `.nan` and their forms | refused |
//! | everything else | string |
//!
//! One rule is stricter than the schema: a number with a needless leading zero (`012`, `007.5`) is
//! a string. It is more often a code than a number, and its zeros would be lost.

use crate::text::error::SourceErrorKind;
use crate::text::lint::LintKind;
use crate::text::number::{self, Number};
use coconut_format::Integer;

/// The value of a scalar. A string is the text itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Scalar {
    Null,
    Bool(bool),
    Integer(Integer),
    Float(f64),
    /// A string: the text itself.
    Text,
}

coconut_format::named! {
    /// The tags that a value may have.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(super) enum CoreTag, ALL {
        Str = "!!str";
        Int = "!!int";
        Float = "!!float";
        Bool = "!!bool";
        Null = "!!null";
        Map = "!!map";
        Seq = "!!seq";
    }
    /// The usual spelling of the tag.
    pub(super) fn shown;
}

/// The beginning of the full names of the tags of YAML.
pub(super) const CORE_PREFIX: &str = "tag:yaml.org,2002:";

impl CoreTag {
    /// The tag of a scalar with this full name, prefix and suffix together. `!`, which only means
    /// "not plain", counts as `!!str`.
    pub(super) fn named(name: &str) -> Option<CoreTag> {
        if name == "!" {
            return Some(CoreTag::Str);
        }
        let name = name.strip_prefix(CORE_PREFIX)?;
        CoreTag::ALL.into_iter().find(|tag| tag.shown().strip_prefix("!!") == Some(name))
    }
}

/// The value of a plain scalar without a tag.
pub(super) fn plain(text: &str) -> Result<Scalar, SourceErrorKind> {
    if let Some(value) = word(text) {
        return Ok(value);
    }
    match number_form(text) {
        Some(form) => form.value(text),
        None if is_not_finite(text) => Err(SourceErrorKind::NonFinite),
        None => Ok(Scalar::Text),
    }
}

/// The value of a scalar with a tag, in any quotes.
pub(super) fn tagged(tag: CoreTag, text: &str) -> Result<Scalar, SourceErrorKind> {
    let mismatch = SourceErrorKind::YamlTagMismatch { tag: tag.shown() };
    match (tag, word(text), number_form(text)) {
        (CoreTag::Str, ..) => Ok(Scalar::Text),
        (CoreTag::Null, Some(Scalar::Null), _) => Ok(Scalar::Null),
        (CoreTag::Bool, Some(Scalar::Bool(value)), _) => Ok(Scalar::Bool(value)),
        (CoreTag::Int, _, Some(form @ (Form::Decimal | Form::Radix(_)))) => form.value(text),
        (CoreTag::Float, _, Some(Form::Decimal | Form::Float)) => Form::Float.value(text),
        (CoreTag::Float, ..) if is_not_finite(text) => Err(SourceErrorKind::NonFinite),
        _ => Err(mismatch),
    }
}

/// The lint for a plain scalar without a tag that has the value `value`.
pub(super) fn lint(text: &str, value: Scalar) -> Option<LintKind> {
    match value {
        Scalar::Text if is_old_boolean(text) => Some(LintKind::YamlBoolean),
        Scalar::Text if is_old_number(text) => Some(LintKind::YamlNumber),
        Scalar::Float(_) => {
            let (_, fraction) = text.split_once('.')?;
            let is_version = fraction.len() > 1 && fraction.ends_with('0') && !fraction.contains(['e', 'E']);
            is_version.then_some(LintKind::YamlVersion)
        }
        _ => None,
    }
}

fn word(text: &str) -> Option<Scalar> {
    Some(match text {
        "" | "~" | "null" | "Null" | "NULL" => Scalar::Null,
        "true" | "True" | "TRUE" => Scalar::Bool(true),
        "false" | "False" | "FALSE" => Scalar::Bool(false),
        _ => return None,
    })
}

/// Notation of a number.
#[derive(Clone, Copy)]
pub(super) enum Form {
    /// A sign and digits.
    Decimal,
    /// `0o` or `0x` and digits of that base.
    Radix(u32),
    Float,
}

impl Form {
    /// The value of a text in this notation.
    fn value(self, text: &str) -> Result<Scalar, SourceErrorKind> {
        let number = match self {
            Form::Decimal => number::integer(text.starts_with('-'), text.trim_start_matches(['+', '-']))?,
            Form::Radix(radix) => number::unsigned(&text[2..], radix)?,
            Form::Float => Number::Float(number::float(text)?),
        };
        Ok(match number {
            Number::Integer(value) => Scalar::Integer(value),
            Number::Float(value) => Scalar::Float(value),
        })
    }
}

/// The notation of a text that is a number in the core schema.
pub(super) fn number_form(text: &str) -> Option<Form> {
    let is_digits = |text: &str, radix| !text.is_empty() && text.chars().all(|c| c.is_digit(radix));
    if let Some(digits) = text.strip_prefix("0x") {
        return is_digits(digits, 16).then_some(Form::Radix(16));
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return is_digits(digits, 8).then_some(Form::Radix(8));
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let has_digits = !whole.is_empty() || fraction.is_some_and(|fraction| !fraction.is_empty());
    let is_number = has_digits
        && all_digits(whole)
        && fraction.is_none_or(all_digits)
        && exponent
            .is_none_or(|exponent| is_digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent), 10));
    let has_needless_zero = whole.len() > 1 && whole.starts_with('0');
    match (fraction, exponent) {
        _ if !is_number || has_needless_zero => None,
        (None, None) => Some(Form::Decimal),
        _ => Some(Form::Float),
    }
}

fn is_not_finite(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN")
}

/// Words that are booleans in YAML 1.1 and strings in YAML 1.2.
fn is_old_boolean(text: &str) -> bool {
    #[rustfmt::skip]
    const WORDS: [&str; 16] = [
        "y", "Y", "yes", "Yes", "YES", "n", "N", "no", "No", "NO",
        "on", "On", "ON", "off", "Off", "OFF",
    ];
    WORDS.contains(&text)
}

/// Numbers of YAML 1.1 that are strings in YAML 1.2 or here: leading zeros, `1_000`, `0b1`, and
/// `1:30` in base 60.
fn is_old_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let begins_with_digit = unsigned.starts_with(|c: char| c.is_ascii_digit());
    let only = |separators: &[char]| unsigned.chars().all(|c| c.is_ascii_digit() || separators.contains(&c));
    let is_binary =
        unsigned.strip_prefix("0b").is_some_and(|rest| rest.chars().all(|c| matches!(c, '0' | '1' | '_')));
    let is_base_60 =
        only(&[':', '_']) && unsigned.split(':').skip(1).all(|part| matches!(part.parse::<u8>(), Ok(0..60)));
    begins_with_digit && (only(&['.', '_']) && unsigned.matches('.').count() <= 1 || is_binary || is_base_60)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integer(value: u64) -> Scalar {
        Scalar::Integer(value.into())
    }

    #[test]
    fn the_core_schema() {
        for text in ["", "~", "null", "Null", "NULL"] {
            assert_eq!(plain(text), Ok(Scalar::Null), "{text:?}");
        }
        for text in ["true", "True", "TRUE"] {
            assert_eq!(plain(text), Ok(Scalar::Bool(true)));
        }
        for text in ["false", "False", "FALSE"] {
            assert_eq!(plain(text), Ok(Scalar::Bool(false)));
        }
        for (text, value) in
            [("0", 0), ("17", 17), ("+5", 5), ("0o17", 15), ("0x1F", 31), ("18446744073709551615", u64::MAX)]
        {
            assert_eq!(plain(text), Ok(integer(value)), "{text}");
        }
        assert_eq!(plain("-5"), Ok(Scalar::Integer((-5i64).into())));
        for (text, value) in [
            ("1.5", 1.5),
            (".5", 0.5),
            ("1.", 1.0),
            ("-1e3", -1000.0),
            ("+0.1E-2", 0.001),
            ("0.0", 0.0),
            ("-0", -0.0),
        ] {
            assert_eq!(plain(text), Ok(Scalar::Float(value)), "{text}");
        }
    }

    #[test]
    fn everything_else_is_a_string() {
        for text in [
            "nULL",
            "tRUE",
            "no",
            "012",
            "-07",
            "007.5",
            "00",
            "1_000",
            "0b1",
            "0x",
            "0o8",
            "0X1f",
            "-0x1",
            ".",
            "+",
            "-",
            "e3",
            ".e3",
            "1e",
            "1e+",
            "1.2.3",
            "1:30",
            "inf",
            "nan",
            ".infinity",
            "+.nan",
            "2017-03-10",
            "٣",
            "1e٣",
            " 1",
        ] {
            assert_eq!(plain(text), Ok(Scalar::Text), "{text:?}");
        }
    }

    #[test]
    fn refuses_what_the_model_cannot_hold() {
        for text in [".inf", "-.Inf", "+.INF", ".nan", ".NaN", ".NAN"] {
            assert_eq!(plain(text), Err(SourceErrorKind::NonFinite), "{text}");
        }
        for text in ["18446744073709551616", "-9223372036854775809", "0x10000000000000000", "1e400"] {
            let error = plain(text).unwrap_err();
            assert_eq!(error.code(), "NUM-RANGE", "{text}");
        }
        assert_eq!(plain("9007199254740993.0").unwrap_err().code(), "NUM-PRECISION");
    }

    #[test]
    fn tags_decide_where_the_text_allows_it() {
        assert_eq!(tagged(CoreTag::Str, "17"), Ok(Scalar::Text));
        assert_eq!(tagged(CoreTag::Int, "0x10"), Ok(integer(16)));
        assert_eq!(tagged(CoreTag::Float, "17"), Ok(Scalar::Float(17.0)));
        assert_eq!(tagged(CoreTag::Bool, "true"), Ok(Scalar::Bool(true)));
        assert_eq!(tagged(CoreTag::Null, ""), Ok(Scalar::Null));
        assert_eq!(tagged(CoreTag::Float, ".inf"), Err(SourceErrorKind::NonFinite));
        for (tag, text) in [
            (CoreTag::Int, "1.5"),
            (CoreTag::Float, "0x10"),
            (CoreTag::Bool, "yes"),
            (CoreTag::Null, "x"),
            (CoreTag::Map, "x"),
        ] {
            assert_eq!(
                tagged(tag, text),
                Err(SourceErrorKind::YamlTagMismatch { tag: tag.shown() }),
                "{text}"
            );
        }
    }

    #[test]
    fn lints_say_where_older_readers_differ() {
        let lint_of = |text| lint(text, plain(text).expect("a value"));
        for text in ["y", "No", "ON", "off"] {
            assert_eq!(lint_of(text), Some(LintKind::YamlBoolean), "{text}");
        }
        for text in ["1.10", "-2.00", "0.50"] {
            assert_eq!(lint_of(text), Some(LintKind::YamlVersion), "{text}");
        }
        for text in ["012", "1_000", "0b11", "1:30", "12:00:59", "012345678901234567890", "01.5"] {
            assert_eq!(lint_of(text), Some(LintKind::YamlNumber), "{text}");
        }
        for text in [
            "1.0",
            "1.5",
            "1.50e3",
            "10",
            "true",
            "note",
            "1.2.3",
            "1:99",
            "2017-03-10",
            "80:x",
            "",
            "-",
            ":",
            "10.0.0.1",
        ] {
            assert_eq!(lint_of(text), None, "{text}");
        }
    }
}
