//! §17.5 The values that the tools of a document give to its plain scalars and keys.
//!
//! The tool that reads a document decides what `0400` or `yes` in it means. So documents of
//! Kubernetes, Compose and CloudFormation follow the rules of their tools. All others follow the
//! core schema ([`scalar`](super::scalar)).
//!
//! §17.5 has the table, with the source of each rule.

use super::scalar::{self, Form, Scalar};
use crate::text::number;
use coconut_format::Integer;
use std::borrow::Cow;

/// The tool whose rules a document follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    Core,
    Kubernetes,
    Compose,
    CloudFormation,
}

impl Owner {
    /// The value of a plain scalar without a tag. `core` is its value in the core schema.
    ///
    /// A number without an exact value is a string.
    pub(super) fn value(self, text: &str, core: Scalar) -> Scalar {
        match self {
            Owner::Core => core,
            Owner::Kubernetes => through_json(go(text, core, Words::Booleans)),
            Owner::Compose => go(text, core, Words::Strings),
            Owner::CloudFormation => python(text, core),
        }
    }

    /// Whether the tools disagree about a plain scalar with the value `core` in the core schema.
    pub(super) fn disagree_about(text: &str, core: Scalar) -> bool {
        let may_differ =
            text.starts_with(|c: char| matches!(c, '0'..='9' | '+' | '-' | '.') || is_word_start(c));
        let is_plain_integer =
            text.bytes().all(|byte| byte.is_ascii_digit()) && (!text.starts_with('0') || text == "0");
        may_differ
            && !is_plain_integer
            && [Owner::Kubernetes, Owner::Compose, Owner::CloudFormation]
                .iter()
                .any(|owner| owner.value(text, core) != core)
    }

    /// The text of a plain key for Kubernetes, if it differs from the written one: the conversion
    /// to JSON prints the value of the key. The other tools keep keys as written.
    pub(super) fn key_of_kubernetes(text: &str) -> Option<Cow<'static, str>> {
        // Most keys begin with a letter. Some of these are words.
        if !text.starts_with(|c: char| matches!(c, '0'..='9' | '+' | '-' | '.') || is_word_start(c)) {
            return None;
        }
        let core = scalar::plain(text).ok()?;
        let key: Cow<'static, str> = match go(text, core, Words::Booleans) {
            Scalar::Bool(true) => "true".into(),
            Scalar::Bool(false) => "false".into(),
            Scalar::Integer(value) => value.to_string().into(),
            Scalar::Float(value) => go_key(value).into(),
            Scalar::Null | Scalar::Text => return None,
        };
        (key != text).then_some(key)
    }
}

/// Whether a word that is a boolean in YAML 1.1 may begin with this character.
fn is_word_start(c: char) -> bool {
    matches!(c, 'y' | 'Y' | 'n' | 'N' | 'o' | 'O' | 't' | 'T' | 'f' | 'F')
}

/// Whether words such as `yes` are booleans.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Words {
    Booleans,
    Strings,
}

/// The value for go-yaml (`resolve.go`).
fn go(text: &str, core: Scalar, words: Words) -> Scalar {
    if matches!(core, Scalar::Null | Scalar::Bool(_)) {
        return core;
    }
    if words == Words::Booleans
        && let Some(value) = old_boolean(text)
    {
        return Scalar::Bool(value);
    }
    match text.bytes().next() {
        Some(b'.') => core,
        Some(b'0'..=b'9' | b'+' | b'-') => {
            let digits = without_underscores(text);
            go_integer(&digits).or_else(|| go_float(&digits)).unwrap_or(Scalar::Text)
        }
        _ => Scalar::Text,
    }
}

/// The integer of a text for `strconv.ParseInt` and `ParseUint` with base 0.
fn go_integer(text: &str) -> Option<Scalar> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (digits, radix) = match unsigned.as_bytes() {
        [b'0', b'b' | b'B', _, ..] => (&unsigned[2..], 2),
        [b'0', b'o' | b'O', _, ..] => (&unsigned[2..], 8),
        [b'0', b'x' | b'X', _, ..] => (&unsigned[2..], 16),
        [b'0', _, ..] => (&unsigned[1..], 8),
        _ => (unsigned, 10),
    };
    integer(text.starts_with('-'), digits, radix)
}

/// The integer of digits in a base. −0 is 0.
fn integer(is_negative: bool, digits: &str, radix: u32) -> Option<Scalar> {
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return None;
    }
    let magnitude = u64::from_str_radix(digits, radix).ok()?;
    let value: Integer = match is_negative {
        false => magnitude.into(),
        true => 0i64.checked_sub_unsigned(magnitude)?.into(),
    };
    Some(Scalar::Integer(value))
}

/// The float of a text that matches `yamlStyleFloat` of go-yaml. It may have leading zeros.
fn go_float(text: &str) -> Option<Scalar> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if unsigned.starts_with(['+', '-']) {
        return None;
    }
    let whole = unsigned.bytes().take_while(u8::is_ascii_digit).count();
    let zeros = unsigned[..whole].bytes().take_while(|&byte| byte == b'0').count();
    let kept = &unsigned[zeros.min(whole.saturating_sub(1))..];
    match scalar::number_form(kept)? {
        Form::Decimal | Form::Float => {}
        Form::Radix(_) => return None,
    }
    let sign = if text.starts_with('-') { "-" } else { "" };
    number::float(&[sign, kept].concat()).ok().map(Scalar::Float)
}

/// The value after its conversion to JSON by the library of Go, and back by Kubernetes: a float
/// without a fraction is an integer.
fn through_json(value: Scalar) -> Scalar {
    // From here on, Go prints an exponent.
    const EXPONENTS: f64 = 1e21;
    match value {
        Scalar::Float(float) if float.fract() == 0.0 && float.abs() < EXPONENTS => {
            let digits = format!("{:.0}", float.abs());
            integer(float.is_sign_negative(), &digits, 10).unwrap_or(value)
        }
        _ => value,
    }
}

/// A float as key: `strconv.FormatFloat(value, 'g', -1, 32)`.
#[expect(clippy::cast_possible_truncation, reason = "the converter prints keys as float32")]
fn go_key(value: f64) -> String {
    const WITHOUT_EXPONENT: std::ops::Range<i32> = -4..6;
    let value = value as f32;
    let scientific = format!("{value:e}");
    let Some((mantissa, exponent)) = scientific.split_once('e') else { return scientific };
    let Ok(exponent) = exponent.parse::<i32>() else { return scientific };
    if WITHOUT_EXPONENT.contains(&exponent) {
        return format!("{value}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.unsigned_abs())
}

/// The value for PyYAML (`resolver.py`, `constructor.py`).
fn python(text: &str, core: Scalar) -> Scalar {
    if matches!(core, Scalar::Null | Scalar::Bool(_)) {
        return core;
    }
    // `y` and `n` are strings in PyYAML.
    if let Some(value) = old_boolean(text).filter(|_| text.len() > 1) {
        return Scalar::Bool(value);
    }
    if !text.starts_with(|c: char| matches!(c, '0'..='9' | '+' | '-' | '.')) {
        return Scalar::Text;
    }
    python_integer(text).or_else(|| python_float(text)).unwrap_or(Scalar::Text)
}

fn python_integer(text: &str) -> Option<Scalar> {
    let (is_negative, unsigned) = (text.starts_with('-'), text.strip_prefix(['+', '-']).unwrap_or(text));
    let digits = without_underscores(unsigned);
    match unsigned.as_bytes() {
        [b'0', b'b', ..] => integer(is_negative, &digits[2..], 2),
        [b'0', b'x', ..] => integer(is_negative, &digits[2..], 16),
        [b'0', rest @ ..] if !rest.is_empty() => integer(is_negative, &digits, 8),
        [b'0'] => integer(is_negative, &digits, 10),
        [b'1'..=b'9', ..] if unsigned.contains(':') => {
            let (first, rest) = unsigned.split_once(':')?;
            let first: u64 = without_underscores(first).parse().ok()?;
            let total = rest
                .split(':')
                .try_fold(first, |total, part| total.checked_mul(60)?.checked_add(sixtieth(part)?))?;
            integer(is_negative, &total.to_string(), 10)
        }
        [b'1'..=b'9', ..] => integer(is_negative, &digits, 10),
        _ => None,
    }
}

/// A place in base 60: `[0-5]?[0-9]`.
fn sixtieth(part: &str) -> Option<u64> {
    let is_written = matches!(part.as_bytes(), [b'0'..=b'9'] | [b'0'..=b'5', b'0'..=b'9']);
    is_written.then(|| part.parse().ok())?
}

fn python_float(text: &str) -> Option<Scalar> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.')?;
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
    // An exponent has a sign.
    let has_exponent = exponent.is_none_or(|exponent| {
        let digits = exponent.strip_prefix(['+', '-']).unwrap_or_default();
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    });
    let has_sign = unsigned.len() < text.len();
    let begins_with_digit = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    let is_float = match whole.is_empty() {
        true => !has_sign && begins_with_digit(fraction),
        false => begins_with_digit(whole) && is_digits(whole),
    };
    if !(is_float && is_digits(fraction) && has_exponent) {
        return base_60_float(text);
    }
    let written = without_underscores(text);
    let written = written.strip_prefix('+').unwrap_or(&written);
    number::float(written).ok().map(Scalar::Float)
}

/// A float in base 60, such as `1:30.5`.
fn base_60_float(text: &str) -> Option<Scalar> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (places, fraction) = unsigned.split_once('.')?;
    let (first, rest) = places.split_once(':')?;
    if !first.starts_with(|c: char| c.is_ascii_digit())
        || !fraction.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_')
    {
        return None;
    }
    let first: u64 = without_underscores(first).parse().ok()?;
    let total =
        rest.split(':').try_fold(first, |total, part| total.checked_mul(60)?.checked_add(sixtieth(part)?))?;
    let sign = if text.starts_with('-') { "-" } else { "" };
    number::float(&format!("{sign}{total}.{}", without_underscores(fraction))).ok().map(Scalar::Float)
}

/// The value of `yes`, `no`, `on`, `off`, `y` and `n` in their three spellings.
fn old_boolean(text: &str) -> Option<bool> {
    match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => Some(true),
        "n" | "N" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => Some(false),
        _ => None,
    }
}

fn without_underscores(text: &str) -> Cow<'_, str> {
    match text.contains('_') {
        true => text.replace('_', "").into(),
        false => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use crate::text::yaml::tests::{json, value};
    use coconut_format::Value;

    /// The scalars of the registry, each in a document of every owner.
    #[test]
    fn each_owner_reads_its_own_values() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../spec/model/registry/yaml-scalars.tsv");
        let table = std::fs::read_to_string(path).unwrap();
        let beginnings = [
            "apiVersion: v1\nkind: ConfigMap\n",
            "services: {web: {image: i}}\n",
            "Resources: {a: {Type: t}}\n",
            "other: 1\n",
        ];
        for row in table.lines().skip(1) {
            let cells: Vec<&str> = row.split('\t').collect();
            let [written, kubernetes, key, compose, cloudformation, other] = cells[..] else {
                panic!("{row}")
            };
            for (beginning, expected) in beginnings.iter().zip([kubernetes, compose, cloudformation, other]) {
                for text in [format!("{beginning}v: {written}\n"), format!("v: {written}\n{beginning}")] {
                    assert_eq!(value(&text).get("v"), Some(&json(expected)), "{text}");
                }
            }
            let keyed = value(&format!("{}data:\n  {written}: x\n", beginnings[0]));
            let data = keyed.get("data").and_then(Value::as_object).unwrap();
            assert_eq!(data[0].0, *key, "{written} as key");
        }
    }
}
