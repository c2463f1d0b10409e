//! The operators of filters, with the rules and the errors of `jq`.

use super::number::Number;
use super::steps::{self, Fault};
use super::value::{Entries, Opened, Val};
use jaq_core::ValR;
use std::ops::{Add, Div, Mul, Neg, Rem, Sub};
use std::rc::Rc;

/// An error of a filter.
pub(crate) type Error = jaq_core::Error<Val>;

/// An error with this message.
pub(crate) fn error(message: impl std::fmt::Display) -> Error {
    Error::new(Val::text(message.to_string()))
}

/// The maximum size of a text in bytes. Larger ones are refused before they are allocated.
const TEXT_BYTES: usize = 1 << 31;

fn cannot(one: &Val, other: &Val, what: &str) -> Error {
    error(format_args!("{} and {} cannot be {what}", one.described(), other.described()))
}

impl Add for Val {
    type Output = ValR<Val>;

    fn add(self, other: Val) -> ValR<Val> {
        step()?;
        match (self, other) {
            (Val::Null, value) | (value, Val::Null) => Ok(value),
            (Val::Number(one), Val::Number(other)) => Ok(Val::Number(one.add(other))),
            (Val::String(mut one), Val::String(other)) => {
                check_text(one.len().saturating_add(other.len()))?;
                Rc::make_mut(&mut one).push_str(&other);
                Ok(Val::String(one))
            }
            (one, other) => match (one.opened(), other.opened()) {
                (Opened::List(mut one), Opened::List(other)) => {
                    steps::are_exceeded(other.len() as u64);
                    Rc::make_mut(&mut one).extend(other.iter().cloned());
                    Ok(Val::List(one))
                }
                (Opened::Object(mut one), Opened::Object(other)) => {
                    steps::are_exceeded(other.len() as u64);
                    let entries = other.iter().map(|(key, value)| (Rc::clone(key), value.clone()));
                    Rc::make_mut(&mut one).extend(entries);
                    Ok(Val::Object(one))
                }
                (one, other) => Err(cannot(&one.into(), &other.into(), "added")),
            },
        }
    }
}

impl Sub for Val {
    type Output = ValR<Val>;

    fn sub(self, other: Val) -> ValR<Val> {
        step()?;
        match (self, other) {
            (Val::Number(one), Val::Number(other)) => Ok(Val::Number(one.subtract(other))),
            (one, other) => match (one.opened(), other.opened()) {
                (Opened::List(one), Opened::List(other)) => Ok(Val::List(without(one, &other))),
                (one, other) => Err(cannot(&one.into(), &other.into(), "subtracted")),
            },
        }
    }
}

impl Mul for Val {
    type Output = ValR<Val>;

    fn mul(self, other: Val) -> ValR<Val> {
        step()?;
        match (self, other) {
            (Val::Number(one), Val::Number(other)) => Ok(Val::Number(one.multiply(other))),
            (Val::String(text), Val::Number(count)) | (Val::Number(count), Val::String(text)) => {
                repeated(&text, count)
            }
            (one, other) => match (one.opened(), other.opened()) {
                (Opened::Object(mut one), Opened::Object(other)) => {
                    merge(&mut one, &other);
                    Ok(Val::Object(one))
                }
                (one, other) => Err(cannot(&one.into(), &other.into(), "multiplied")),
            },
        }
    }
}

impl Div for Val {
    type Output = ValR<Val>;

    fn div(self, other: Val) -> ValR<Val> {
        step()?;
        match (&self, &other) {
            (Val::Number(one), Val::Number(by)) => {
                let zero = || cannot(&self, &other, "divided because the divisor is zero");
                one.divide(*by).map(Val::Number).ok_or_else(zero)
            }
            (Val::String(text), Val::String(separator)) => Ok(split(text, separator)),
            _ => Err(cannot(&self, &other, "divided")),
        }
    }
}

impl Rem for Val {
    type Output = ValR<Val>;

    fn rem(self, other: Val) -> ValR<Val> {
        step()?;
        match (&self, &other) {
            (Val::Number(one), Val::Number(by)) => {
                let zero = || cannot(&self, &other, "divided (remainder) because the divisor is zero");
                one.remainder(*by).map(Val::Number).ok_or_else(zero)
            }
            _ => Err(cannot(&self, &other, "divided (remainder)")),
        }
    }
}

impl Neg for Val {
    type Output = ValR<Val>;

    fn neg(self) -> ValR<Val> {
        match self {
            Val::Number(number) => Ok(Val::Number(number.negated())),
            other => Err(error(format_args!("{} cannot be negated", other.described()))),
        }
    }
}

impl From<Opened> for Val {
    fn from(opened: Opened) -> Val {
        match opened {
            Opened::List(items) => Val::List(items),
            Opened::Object(entries) => Val::Object(entries),
            Opened::Other(other) => other,
        }
    }
}

/// Counts one operation. Fails when the run must end, so that an endless filter stops here.
pub(super) fn step() -> Result<(), Error> {
    match steps::are_exceeded(1) {
        true => Err(error("the filter took too many steps")),
        false => Ok(()),
    }
}

/// `items - others`: the items that equal none of the others.
fn without(mut items: Rc<Vec<Val>>, others: &[Val]) -> Rc<Vec<Val>> {
    steps::are_exceeded((items.len() + others.len()) as u64);
    let mut others: Vec<&Val> = others.iter().collect();
    others.sort_unstable();
    Rc::make_mut(&mut items).retain(|item| others.binary_search(&item).is_err());
    items
}

/// Ends the run before a text is created that exceeds any memory limit.
pub(crate) fn check_text(bytes: usize) -> Result<(), Error> {
    match bytes > TEXT_BYTES {
        true => {
            steps::raise(Fault::Size);
            Err(error("the text is too long"))
        }
        false => Ok(()),
    }
}

/// `text * count`: null for a count below 0.
fn repeated(text: &str, count: Number) -> ValR<Val> {
    let Some(count) = count.floor().filter(|&count| count >= 0) else { return Ok(Val::Null) };
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    let bytes = text.len().saturating_mul(count);
    check_text(bytes)?;
    steps::are_exceeded(bytes as u64 / 64);
    Ok(Val::text(text.repeat(count)))
}

/// `one * other`: objects under the same key are merged, other values are replaced.
fn merge(one: &mut Rc<Entries>, other: &Entries) {
    let one = Rc::make_mut(one);
    for (key, value) in other {
        if steps::are_exceeded(1) {
            return;
        }
        let merged = match one.get(key).map(|known| (known.clone().opened(), value.clone().opened())) {
            Some((Opened::Object(mut inner), Opened::Object(value))) => {
                merge(&mut inner, &value);
                Val::Object(inner)
            }
            _ => value.clone(),
        };
        one.insert(Rc::clone(key), merged);
    }
}

/// `text / separator`: the parts between separators, and characters for an empty one.
pub(crate) fn split(text: &str, separator: &str) -> Val {
    steps::are_exceeded(text.len() as u64 / 16);
    let parts: Vec<Val> = match (text, separator) {
        ("", _) => Vec::new(),
        (text, "") => text.chars().map(|c| Val::text(c.to_string())).collect(),
        (text, separator) => text.split(separator).map(Val::text).collect(),
    };
    Val::list(parts)
}
