//! Functions that depend on our value type. All others come from the interpreter.

use super::language::text_of;
use super::number::Number;
use super::operators::{self, Error, error};
use super::paths;
use super::program::{Data, Function, Note};
use super::regex::{self, Group, Part};
use super::steps;
use super::value::{Opened, Val, ValSink, sorted};
use coconut_codec::text::RefuseDuplicateKeys;
use coconut_codec::text::json::{self, JsonOptions};
use jaq_core::native::{bome, run, unary, v};
use jaq_core::{Cv, ValR};
use jaq_std::ValT as _;

/// The functions, for the compiler.
pub(super) fn functions() -> impl Iterator<Item = Function> {
    let all: Box<[jaq_core::native::Filter<jaq_core::RunPtr<Data>>]> = Box::new([
        ("length", v(0), |cv| bome(length(cv.1))),
        ("tojson", v(0), |cv| bome(Ok(Val::text(cv.1.to_string())))),
        ("fromjson", v(0), |cv| bome(parsed(&cv.1))),
        ("tonumber", v(0), |cv| bome(number_of(cv.1))),
        ("contains", v(1), |cv| unary(cv, |value, part| contains(&value, &part).map(Val::Bool))),
        ("has", v(1), |cv| unary(cv, |value, key| has(&value, &key).map(Val::Bool))),
        ("indices", v(1), |cv| unary(cv, |value, part| indices(&value, &part))),
        ("bsearch", v(1), |cv| unary(cv, searched)),
        ("join", v(1), |cv| unary(cv, joined)),
        ("delpaths", v(1), |cv| unary(cv, without_paths)),
        ("implode", v(0), |cv| bome(imploded(cv.1))),
        ("type", v(0), |cv| bome(Ok(Val::text(cv.1.kind())))),
        ("keys", v(0), |cv| bome(keys(cv.1))),
        ("nan", v(0), |_| bome(Ok(Val::Number(Number::Float(f64::NAN))))),
        ("infinite", v(0), |_| bome(Ok(Val::Number(Number::Float(f64::INFINITY))))),
        ("abs", v(0), |cv| bome(Ok(absolute(cv.1)))),
        ("decode_base64", v(0), |cv| bome(from_base64(&cv.1))),
        ("builtins", v(0), |_| bome(Ok(super::program::builtins()))),
        ("ltrimstr", v(1), |cv| {
            unary(cv, |text, part| Ok(trimmed(text, &part, |text, part| text.strip_prefix(part))))
        }),
        ("rtrimstr", v(1), |cv| {
            unary(cv, |text, part| Ok(trimmed(text, &part, |text, part| text.strip_suffix(part))))
        }),
        ("matches", v(2), |cv| bome(parts_of(cv, |part| matches!(part, Part::Match(_))))),
        ("split_", v(2), |cv| bome(parts_of(cv, |part| matches!(part, Part::Other(_))))),
        ("split_matches", v(2), |cv| bome(parts_of(cv, |_| true))),
        ("tsv_cell", v(0), |cv| bome(Ok(escaped_for_tsv(&cv.1)))),
        ("debug_empty", v(0), |cv| {
            (cv.0.data().notes)(Note::Json(&format!("[\"DEBUG:\",{}]\n", cv.1)));
            Box::new(std::iter::empty())
        }),
        ("stderr_empty", v(0), |cv| {
            match &cv.1 {
                Val::String(text) => (cv.0.data().notes)(Note::Text(text)),
                other => (cv.0.data().notes)(Note::Json(&format!("{other}\n"))),
            }
            Box::new(std::iter::empty())
        }),
    ]);
    all.into_vec().into_iter().map(|function| run::<Data>(function))
}

/// The parts of a text by a regular expression: matches as lists of objects, other texts.
fn parts_of((mut context, text): Cv<'_, Data>, is_wanted: fn(&Part<'_>) -> bool) -> ValR<Val> {
    let (flags, pattern) = (context.pop_var(), context.pop_var());
    let is_text = |value: &Val| format!("{} cannot be matched, as it is not a string", value.described());
    let subject = text_of(&text, &is_text(&text))?;
    let (pattern, flags) = (text_of(&pattern, &is_text(&pattern))?, text_of(&flags, &is_text(&flags))?);
    let parts = regex::parts(subject, pattern, flags).map_err(error)?;
    let shown = parts.into_iter().filter(is_wanted).map(|part| match part {
        Part::Other(text) => Val::text(text),
        Part::Match(groups) => groups.into_iter().map(object_of).collect(),
    });
    Ok(shown.collect())
}

/// A group of a match. One that takes no part in it has the offset -1, as in `jq`.
fn object_of(Group { found, name }: Group<'_>) -> Val {
    let (offset, length, text) = match found {
        Some((offset, text)) => (Val::from(offset), text.chars().count(), Val::text(text)),
        None => (Val::from(-1isize), 0, Val::Null),
    };
    let entries = [("offset", offset), ("length", Val::from(length)), ("string", text)];
    let name = name.map(|name| ("name", Val::text(name)));
    Val::of_entries(entries.into_iter().chain(name).map(|(key, value)| (key.to_owned(), value)))
}

pub(super) fn length(value: Val) -> ValR<Val> {
    Ok(match value {
        Val::Null => Val::from(0usize),
        Val::Number(number) => Val::Number(number.absolute()),
        Val::String(text) => Val::from(text.chars().count()),
        Val::View(view) => Val::from(view.length()),
        Val::List(items) => Val::from(items.len()),
        Val::Object(entries) => Val::from(entries.len()),
        Val::Bool(_) => return Err(error(format_args!("{} has no length", value.described()))),
    })
}

/// Reads a text as JSON, with the reader of sources and its limits.
fn parsed(value: &Val) -> ValR<Val> {
    let message = || format!("{} cannot be parsed as JSON", value.described());
    let text = text_of(value, &message())?;
    steps::are_exceeded(text.len() as u64 / 8);
    match text.trim() {
        "nan" | "NaN" => return Ok(Val::Number(Number::Float(f64::NAN))),
        "" => return Err(error(message())),
        _ => {}
    }
    let mut sink = RefuseDuplicateKeys::new(ValSink::default());
    let options = JsonOptions::default().byte_order_mark(false);
    match json::read(text.as_bytes(), &mut sink, &options) {
        Ok(_) => sink.into_inner().into_value().ok_or_else(|| error(message())),
        Err(fault) => {
            let at = fault.at();
            Err(error(format_args!(
                "{}: {} at line {}, column {}",
                message(),
                fault.kind(),
                at.line,
                at.column
            )))
        }
    }
}

fn number_of(value: Val) -> ValR<Val> {
    let number = match &value {
        Val::Number(_) => return Ok(value),
        Val::String(text) if text.bytes().all(|byte| b"+-.0123456789eE".contains(&byte)) => {
            Number::parse(text)
        }
        Val::String(text) if text.as_str() == "nan" => Some(Number::Float(f64::NAN)),
        Val::String(_) => None,
        _ => return Err(error(format_args!("{} cannot be parsed as a number", value.described()))),
    };
    let failure = || error(format_args!("{} cannot be parsed as a number", value.described()));
    number.map(Val::Number).ok_or_else(failure)
}

fn absolute(value: Val) -> Val {
    match value {
        Val::Number(number) => Val::Number(number.absolute()),
        other => other,
    }
}

/// Decodes base64, with or without padding; web tokens have none.
fn from_base64(value: &Val) -> ValR<Val> {
    let text = text_of(value, "only a string can be decoded from base64")?;
    steps::are_exceeded(text.len() as u64 / 16);
    let digits = text.trim_end_matches('=').bytes().map(|byte| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    });
    let invalid = || error(format_args!("{} is not valid base64 data", value.described()));
    let digits: Vec<u8> = digits.collect::<Option<_>>().ok_or_else(invalid)?;
    let mut bytes = Vec::with_capacity(digits.len() / 4 * 3 + 2);
    for group in digits.chunks(4) {
        let bits = group.iter().fold(0u32, |bits, &digit| bits << 6 | u32::from(digit));
        let bits = bits << (6 * (4 - group.len()));
        match group.len() {
            1 => return Err(error(format_args!("{} trailing base64 byte found", value.described()))),
            count => bytes.extend_from_slice(&bits.to_be_bytes()[1..count]),
        }
    }
    Ok(Val::text(String::from_utf8_lossy(&bytes)))
}

fn contains(value: &Val, part: &Val) -> Result<bool, Error> {
    steps::are_exceeded(1);
    if value.kind() != part.kind() {
        let (value, part) = (value.described(), part.described());
        return Err(error(format_args!("{value} and {part} cannot have their containment checked")));
    }
    Ok(match (value.clone().opened(), part.clone().opened()) {
        (Opened::Other(Val::String(text)), Opened::Other(Val::String(part))) => text.contains(part.as_str()),
        (Opened::List(items), Opened::List(parts)) => parts.iter().all(|part| {
            items.iter().any(|item| item.kind() == part.kind() && contains(item, part).unwrap_or_default())
        }),
        (Opened::Object(entries), Opened::Object(parts)) => parts.iter().all(|(key, part)| {
            let value = entries.get(key);
            value
                .is_some_and(|value| value.kind() == part.kind() && contains(value, part).unwrap_or_default())
        }),
        (value, part) => Val::from(value) == Val::from(part),
    })
}

fn has(value: &Val, key: &Val) -> Result<bool, Error> {
    match (value.kind(), key) {
        ("object", Val::String(_)) => paths::indexed(value.clone(), key).map(|found| found.is_some()),
        ("array", Val::Number(number)) => {
            let is_before = number.as_float() < 0.0;
            Ok(!is_before && paths::indexed(value.clone(), key)?.is_some())
        }
        (kind, key) => Err(error(format_args!("Cannot check whether {kind} has a {} key", key.kind()))),
    }
}

/// The places of a part in a text or a list.
pub(super) fn indices(value: &Val, part: &Val) -> ValR<Val> {
    let found: Vec<usize> = match (value.clone().opened(), part.clone().opened()) {
        (Opened::Other(Val::Null), _) => return Ok(Val::Null),
        (Opened::Other(Val::String(text)), Opened::Other(Val::String(part))) => places_in(&text, &part),
        (Opened::List(items), Opened::List(parts)) if parts.is_empty() => {
            steps::are_exceeded(items.len() as u64);
            return Ok(Val::Null);
        }
        (Opened::List(items), Opened::List(parts)) => {
            steps::are_exceeded((items.len() * parts.len()) as u64);
            let windows = items.windows(parts.len()).enumerate();
            windows.filter(|(_, window)| *window == &parts[..]).map(|(index, _)| index).collect()
        }
        (Opened::List(items), other) => {
            let other = Val::from(other);
            steps::are_exceeded(items.len() as u64);
            let all = items.iter().enumerate();
            all.filter(|(_, item)| **item == other).map(|(index, _)| index).collect()
        }
        (value, part) => {
            let (value, part) = (Val::from(value), Val::from(part));
            return Err(error(format_args!(
                "Cannot determine indices of {} in {}",
                part.kind(),
                value.kind()
            )));
        }
    };
    Ok(Val::list(found.into_iter().map(Val::from).collect()))
}

/// The places of a part in a text, in characters. They may overlap.
fn places_in(text: &str, part: &str) -> Vec<usize> {
    steps::are_exceeded(text.len() as u64);
    if part.is_empty() {
        return Vec::new();
    }
    let starts = text.char_indices().enumerate();
    let found = starts.filter(|(_, (at, _))| text[*at..].starts_with(part));
    found.map(|(index, _)| index).collect()
}

/// The place of a value in a sorted list, or where it would be, as a negative number.
fn searched(value: Val, wanted: Val) -> ValR<Val> {
    let Opened::List(items) = value.clone().opened() else {
        return Err(error(format_args!("{} cannot be searched from", value.described())));
    };
    steps::are_exceeded(u64::from(items.len().max(1).ilog2()));
    Ok(match items.binary_search(&wanted) {
        Ok(found) => Val::from(found),
        Err(place) => Val::Number(Number::Integer(-1 - place as i128)),
    })
}

fn joined(value: Val, separator: Val) -> ValR<Val> {
    let items: Vec<Val> = match value.opened() {
        Opened::List(items) => paths::owned(items).collect(),
        Opened::Object(entries) => entries.values().cloned().collect(),
        Opened::Other(other) => return Err(paths::cannot_iterate(&other)),
    };
    let separator = match (&separator, items.len()) {
        (Val::String(text), _) => text.as_str(),
        (Val::Null, _) | (_, 0) => "",
        _ => return (Val::text("") + separator).and(Err(error("the separator must be a string"))),
    };
    let mut text = String::new();
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            text.push_str(separator);
        }
        match item {
            Val::Null => {}
            Val::String(item) => text.push_str(&item),
            item @ (Val::Number(_) | Val::Bool(_)) => text.push_str(&item.to_string()),
            item => return Val::text(text) + item,
        }
        operators::check_text(text.len())?;
        steps::are_exceeded(1);
    }
    Ok(Val::text(text))
}

/// Removes paths, the last first, so that they stay valid.
fn without_paths(value: Val, paths: Val) -> ValR<Val> {
    let Opened::List(mut list) = paths.opened() else {
        return Err(error("Paths must be specified as an array"));
    };
    std::rc::Rc::make_mut(&mut list).sort_unstable();
    let mut value = value;
    for path in list.iter().rev() {
        let Opened::List(path) = path.clone().opened() else {
            return Err(error("Path must be specified as an array"));
        };
        value = paths::without(value, &path)?;
    }
    Ok(value)
}

fn imploded(value: Val) -> ValR<Val> {
    let items: Vec<Val> = value.into_seq().map_err(|_| error("implode input must be an array"))?;
    let mut text = String::new();
    for item in items {
        let Val::Number(number) = item else {
            let item = item.described();
            return Err(error(format_args!(
                "{item} can't be imploded, unicode codepoint needs to be numeric"
            )));
        };
        let code = number.floor().and_then(|code| u32::try_from(code).ok());
        text.push(code.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    Ok(Val::text(text))
}

pub(super) fn keys(value: Val) -> ValR<Val> {
    match value.opened() {
        Opened::List(items) => Ok(Val::list((0..items.len()).map(Val::from).collect())),
        Opened::Object(entries) => {
            let keys = sorted(&entries).into_iter().map(|(key, _)| Val::text(&**key));
            Ok(Val::list(keys.collect()))
        }
        Opened::Other(other) => Err(error(format_args!("{} has no keys", other.described()))),
    }
}

/// Strips a text at one end. Other values are unchanged.
fn trimmed(value: Val, part: &Val, strip: for<'t> fn(&'t str, &str) -> Option<&'t str>) -> Val {
    let (Val::String(text), Val::String(part)) = (&value, part) else { return value };
    strip(text, part).map(Val::text).unwrap_or_else(|| value.clone())
}

/// A cell of `@tsv`.
fn escaped_for_tsv(value: &Val) -> Val {
    let Val::String(text) = value else { return value.clone() };
    let escaped = text.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r");
    Val::text(escaped)
}
