//! `.a`, `.[1]`, `.[1:3]`: reading and changing parts of a value.

use super::number::Number;
use super::operators::{Error, error, step};
use super::steps;
use super::value::{Entries, Opened, Val};
use jaq_core::path::Opt;
use jaq_core::{Exn, ValR, ValX};
use std::ops::Range;
use std::rc::Rc;

/// The maximum length of a list that an assignment may create.
const ITEMS: i128 = 536_870_911;

/// The value at `index`, if there is one. An error if the value cannot have any.
pub(crate) fn indexed(value: Val, index: &Val) -> Result<Option<Val>, Error> {
    step()?;
    match (&value, index) {
        (_, Val::Object(_)) if !matches!(value.kind(), "object") => {
            let (start, end) = bounds(index);
            sliced(value, start.as_ref()..end.as_ref()).map(Some)
        }
        (Val::Null, Val::String(_) | Val::Number(_) | Val::Null) => Ok(None),
        (Val::View(view), Val::String(key)) if !view.is_list() => Ok(view.entry(key)),
        (Val::Object(entries), Val::String(key)) => Ok(entries.get(key.as_str()).cloned()),
        (Val::View(view), Val::Number(number)) if view.is_list() => {
            Ok(place_of(*number, view.length()).and_then(|index| view.item(index)))
        }
        (Val::List(items), Val::Number(number)) => {
            Ok(place_of(*number, items.len()).and_then(|index| items.get(index).cloned()))
        }
        (_, Val::List(_) | Val::View(_)) if value.kind() == "array" && index.kind() == "array" => {
            super::natives::indices(&value, index).map(Some)
        }
        _ => Err(cannot_index(&value, index)),
    }
}

fn cannot_index(value: &Val, index: &Val) -> Error {
    error(format_args!("Cannot index {} with {}", value.kind(), index.described()))
}

/// The position in a list of this length. `None` if it is outside.
fn place_of(number: Number, length: usize) -> Option<usize> {
    let index = number.floor()?;
    let length = i128::try_from(length).unwrap_or_default();
    let index = if index < 0 { index.checked_add(length)? } else { index };
    usize::try_from(index).ok().filter(|_| index < length)
}

/// The part of a text or list in this range.
pub(crate) fn sliced(value: Val, range: Range<Option<&Val>>) -> ValR<Val> {
    step()?;
    match value.opened() {
        Opened::Other(Val::Null) => Ok(Val::Null),
        Opened::Other(Val::String(text)) => {
            let characters = span(&range, text.chars().count())?;
            let skipped = text.chars().skip(characters.start).take(characters.len());
            Ok(Val::text(skipped.collect::<String>()))
        }
        Opened::List(items) => {
            let span = span(&range, items.len())?;
            steps::are_exceeded(span.len() as u64);
            Ok(Val::list(items.get(span).unwrap_or_default().to_vec()))
        }
        other => Err(error(format_args!("Cannot index {} with object", Val::from(other).kind()))),
    }
}

/// The positions in a range.
fn span(range: &Range<Option<&Val>>, length: usize) -> Result<Range<usize>, Error> {
    let bound = |bound: Option<&Val>, default: usize, round: fn(Number) -> Option<i128>| match bound {
        None | Some(Val::Null) => Ok(default),
        Some(Val::Number(number)) => {
            let Some(at) = round(*number) else { return Ok(default) };
            let length = i128::try_from(length).unwrap_or_default();
            let at = if at < 0 { at.saturating_add(length) } else { at };
            Ok(usize::try_from(at.clamp(0, length)).unwrap_or_default())
        }
        Some(_) => Err(error("Start and end indices of an array slice must be numbers")),
    };
    let start = bound(range.start, 0, Number::floor)?;
    let end = bound(range.end, length, Number::ceiling)?;
    Ok(start..end.max(start))
}

/// The bounds in an object that stands for a range.
fn bounds(range: &Val) -> (Option<Val>, Option<Val>) {
    match range {
        Val::Object(entries) => (entries.get("start").cloned(), entries.get("end").cloned()),
        _ => (None, None),
    }
}

/// Replaces the value at `index` by the first result of `f`, or removes it without a result.
pub(crate) fn changed_at<'a, I: Iterator<Item = ValX<'a, Val>>>(
    value: Val,
    index: &Val,
    opt: Opt,
    f: impl Fn(Val) -> I,
) -> ValX<'a, Val> {
    step()?;
    if matches!(index, Val::Object(_)) && value.kind() != "object" {
        let (start, end) = bounds(index);
        return changed_in(value, start.as_ref()..end.as_ref(), opt, f);
    }
    match (value.opened(), index) {
        (Opened::Other(Val::Null), Val::String(key)) => Ok(match f(Val::Null).next().transpose()? {
            Some(new) => Val::object([(Rc::from(key.as_str()), new)].into_iter().collect()),
            None => Val::Null,
        }),
        (Opened::Other(Val::Null), Val::Number(number)) => {
            let grown = changed_item(Rc::default(), *number, f)?;
            Ok(match grown {
                Val::List(items) if items.is_empty() => Val::Null,
                grown => grown,
            })
        }
        (Opened::Object(mut entries), Val::String(key)) => {
            let old = entries.get(key.as_str()).cloned();
            let entries_left = Rc::make_mut(&mut entries);
            match f(old.unwrap_or_default()).next().transpose()? {
                Some(new) => {
                    entries_left.insert(key.as_str().into(), new);
                }
                None => {
                    entries_left.shift_remove(key.as_str());
                }
            }
            Ok(Val::Object(entries))
        }
        (Opened::List(items), Val::Number(number)) => changed_item(items, *number, f),
        (Opened::List(_), Val::List(_) | Val::View(_)) if index.kind() == "array" => {
            Err(error("Cannot update field at array index of array").into())
        }
        (value, index) => opt.fail(value.into(), |value: Val| Exn::from(cannot_index(&value, index))),
    }
}

/// Replaces an item. A list is extended if necessary.
fn changed_item<'a, I: Iterator<Item = ValX<'a, Val>>>(
    mut items: Rc<Vec<Val>>,
    number: Number,
    f: impl Fn(Val) -> I,
) -> ValX<'a, Val> {
    let Some(wanted) = number.floor() else {
        return Err(error("Cannot set array element at NaN index").into());
    };
    let length = i128::try_from(items.len()).unwrap_or_default();
    let at = if wanted < 0 { wanted + length } else { wanted };
    let old = usize::try_from(at).ok().and_then(|at| items.get(at)).cloned();
    let new = f(old.clone().unwrap_or_default()).next().transpose()?;
    let Ok(at) = usize::try_from(at) else {
        return match new {
            Some(_) => Err(error("Out of bounds negative array index").into()),
            None => Ok(Val::List(items)),
        };
    };
    if wanted > ITEMS {
        return Err(error("Array index too large").into());
    }
    let all = Rc::make_mut(&mut items);
    match (old, new) {
        (Some(_), Some(new)) => all[at] = new,
        (Some(_), None) => {
            all.remove(at);
        }
        (None, Some(new)) => {
            if steps::are_exceeded((at - all.len()) as u64) {
                return Err(error("the list is too long").into());
            }
            all.resize(at, Val::Null);
            all.push(new);
        }
        (None, None) => {}
    }
    Ok(Val::List(items))
}

/// Replaces the items in a range by those of the first result of `f`.
pub(crate) fn changed_in<'a, I: Iterator<Item = ValX<'a, Val>>>(
    value: Val,
    range: Range<Option<&Val>>,
    opt: Opt,
    f: impl Fn(Val) -> I,
) -> ValX<'a, Val> {
    let mut items = match value.opened() {
        Opened::List(items) => items,
        Opened::Other(Val::Null) => Rc::default(),
        Opened::Other(Val::String(text)) => {
            return opt.fail(Val::String(text), |_| Exn::from(error("Cannot update string slices")));
        }
        other => {
            let message = |value: Val| error(format_args!("Cannot index {} with object", value.kind()));
            return opt.fail(other.into(), |value| Exn::from(message(value)));
        }
    };
    let span = span(&range, items.len())?;
    let part = Val::list(items.get(span.clone()).unwrap_or_default().to_vec());
    let new = match f(part).next().transpose()?.map(Val::opened) {
        None => Rc::default(),
        Some(Opened::List(new)) => new,
        Some(_) => return Err(error("A slice of an array can only be assigned another array").into()),
    };
    Rc::make_mut(&mut items).splice(span, new.iter().cloned());
    Ok(Val::List(items))
}

/// Replaces each item or value by the first result of `f`, or removes it if there is no result.
pub(crate) fn changed<'a, I: Iterator<Item = ValX<'a, Val>>>(
    value: Val,
    opt: Opt,
    f: impl Fn(Val) -> I,
) -> ValX<'a, Val> {
    match value.opened() {
        Opened::List(items) => {
            let mut new = Vec::with_capacity(items.len());
            for item in owned(items) {
                if let Some(item) = f(item).next() {
                    new.push(item?);
                }
            }
            Ok(Val::list(new))
        }
        Opened::Object(entries) => {
            let mut new = Entries::with_capacity_and_hasher(entries.len(), Default::default());
            for (key, value) in entries.iter() {
                if let Some(value) = f(value.clone()).next() {
                    new.insert(Rc::clone(key), value?);
                }
            }
            Ok(Val::object(new))
        }
        Opened::Other(other) => opt.fail(other, |value| Exn::from(cannot_iterate(&value))),
    }
}

/// The error of `.[]`.
pub(crate) fn cannot_iterate(value: &Val) -> Error {
    match value {
        Val::Null => error("Cannot iterate over null"),
        value => error(format_args!("Cannot iterate over {}", value.described())),
    }
}

/// The items of a list, without copies if it has no other owner.
pub(crate) fn owned(items: Rc<Vec<Val>>) -> std::vec::IntoIter<Val> {
    Rc::unwrap_or_clone(items).into_iter()
}

/// Removes the value at a path. A missing value is not an error.
pub(crate) fn without(value: Val, path: &[Val]) -> ValR<Val> {
    let Some((first, rest)) = path.split_first() else { return Ok(Val::Null) };
    let remove = |inner: Val| -> Result<Option<Val>, Error> {
        match rest {
            [] => Ok(None),
            rest => without(inner, rest).map(Some),
        }
    };
    match indexed(value.clone(), first)? {
        None => Ok(value),
        Some(inner) if inner == Val::Null && !rest.is_empty() => Ok(value),
        Some(inner) => {
            let new = remove(inner)?;
            let once = |_: Val| new.clone().map(Ok).into_iter();
            changed_at(value, first, Opt::Essential, once).map_err(|exception| {
                exception.get_err().unwrap_or_else(|_| error("a path cannot be removed"))
            })
        }
    }
}
