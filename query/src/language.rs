//! The operations on values that the interpreter of the language requires.

use super::number::Number;
use super::operators::{Error, error, step};
use super::paths;
use super::steps;
use super::value::{Entries, Opened, Val};
use jaq_core::box_iter::{BoxIter, box_once};
use jaq_core::path::Opt;
use jaq_core::val::Range;
use jaq_core::{ValR, ValX};
use std::rc::Rc;

impl From<bool> for Val {
    fn from(value: bool) -> Val {
        Val::Bool(value)
    }
}

impl From<isize> for Val {
    fn from(value: isize) -> Val {
        Val::Number(Number::Integer(value as i128))
    }
}

impl From<usize> for Val {
    fn from(value: usize) -> Val {
        Val::Number(Number::Integer(value as i128))
    }
}

impl From<f64> for Val {
    fn from(value: f64) -> Val {
        Val::Number(Number::of_result(value))
    }
}

impl From<String> for Val {
    fn from(text: String) -> Val {
        Val::text(text)
    }
}

impl From<Range<Val>> for Val {
    fn from(range: Range<Val>) -> Val {
        let bounds = [("start", range.start), ("end", range.end)];
        let bounds = bounds.map(|(key, bound)| (key.into(), bound.unwrap_or_default()));
        Val::object(bounds.into_iter().collect())
    }
}

impl FromIterator<Val> for Val {
    fn from_iter<I: IntoIterator<Item = Val>>(items: I) -> Val {
        let mut list = Vec::new();
        for item in items {
            // A list that a filter collects may never end.
            if steps::are_exceeded(1) {
                break;
            }
            list.push(item);
        }
        Val::list(list)
    }
}

impl jaq_core::ValT for Val {
    fn from_num(text: &str) -> ValR<Val> {
        let number = Number::parse(text).map(Val::Number);
        number.ok_or_else(|| error(format_args!("cannot parse `{text}` as a number")))
    }

    fn from_map<I: IntoIterator<Item = (Val, Val)>>(entries: I) -> ValR<Val> {
        let mut object = Entries::with_hasher(Default::default());
        for (key, value) in entries {
            match key {
                Val::String(key) => object.insert(key.as_str().into(), value),
                other => {
                    let message = format!("Cannot use {} as object key", other.described());
                    return Err(error(message));
                }
            };
        }
        steps::are_exceeded(object.len() as u64);
        Ok(Val::object(object))
    }

    fn key_values(self) -> BoxIter<'static, ValR<(Val, Val), Val>> {
        if let Err(error) = step() {
            return box_once(Err(error));
        }
        match self.opened() {
            Opened::List(items) => {
                Box::new(paths::owned(items).enumerate().map(|(index, item)| Ok((Val::from(index), item))))
            }
            Opened::Object(entries) => Box::new(
                Rc::unwrap_or_clone(entries).into_iter().map(|(key, value)| Ok((Val::text(&*key), value))),
            ),
            Opened::Other(other) => box_once(Err(paths::cannot_iterate(&other))),
        }
    }

    fn values(self) -> Box<dyn Iterator<Item = ValR<Val>>> {
        if let Err(error) = step() {
            return box_once(Err(error));
        }
        match self.opened() {
            Opened::List(items) => Box::new(paths::owned(items).map(Ok)),
            Opened::Object(entries) => Box::new(Rc::unwrap_or_clone(entries).into_values().map(Ok)),
            Opened::Other(other) => box_once(Err(paths::cannot_iterate(&other))),
        }
    }

    fn index(self, index: &Val) -> ValR<Val> {
        paths::indexed(self, index).map(Option::unwrap_or_default)
    }

    fn range(self, range: Range<&Val>) -> ValR<Val> {
        paths::sliced(self, range)
    }

    fn map_values<'a, I: Iterator<Item = ValX<'a, Val>>>(
        self,
        opt: Opt,
        f: impl Fn(Val) -> I,
    ) -> ValX<'a, Val> {
        paths::changed(self, opt, f)
    }

    fn map_index<'a, I: Iterator<Item = ValX<'a, Val>>>(
        self,
        index: &Val,
        opt: Opt,
        f: impl Fn(Val) -> I,
    ) -> ValX<'a, Val> {
        paths::changed_at(self, index, opt, f)
    }

    fn map_range<'a, I: Iterator<Item = ValX<'a, Val>>>(
        self,
        range: Range<&Val>,
        opt: Opt,
        f: impl Fn(Val) -> I,
    ) -> ValX<'a, Val> {
        paths::changed_in(self, range, opt, f)
    }

    fn as_bool(&self) -> bool {
        !matches!(self, Val::Null | Val::Bool(false))
    }

    fn into_string(self) -> Val {
        match self {
            text @ Val::String(_) => text,
            other => Val::text(other.to_string()),
        }
    }
}

impl jaq_std::ValT for Val {
    fn into_seq<S: FromIterator<Val>>(self) -> Result<S, Val> {
        match self.opened() {
            Opened::List(items) => Ok(paths::owned(items).collect()),
            other => Err(other.into()),
        }
    }

    fn is_int(&self) -> bool {
        matches!(self, Val::Number(number) if number.as_integer().is_some())
    }

    fn as_isize(&self) -> Option<isize> {
        match self {
            Val::Number(number) => number.as_integer()?.try_into().ok(),
            _ => None,
        }
    }

    fn as_f64(&self) -> Option<f64> {
        match self {
            Val::Number(number) => Some(number.as_float()),
            _ => None,
        }
    }

    fn is_utf8_str(&self) -> bool {
        matches!(self, Val::String(_))
    }

    fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Val::String(text) => Some(text.as_bytes()),
            _ => None,
        }
    }

    fn as_sub_str(&self, part: &[u8]) -> Val {
        Val::text(String::from_utf8_lossy(part))
    }

    fn from_utf8_bytes(bytes: impl AsRef<[u8]> + Send + 'static) -> Val {
        Val::text(String::from_utf8_lossy(bytes.as_ref()))
    }
}

/// The text of a value, or the error that it is not a string.
pub(crate) fn text_of<'v>(value: &'v Val, message: &str) -> Result<&'v str, Error> {
    match value {
        Val::String(text) => Ok(text),
        _ => Err(error(message)),
    }
}
