//! §16.5 Patches applied to values: RFC 6902, and RFC 7396.

use crate::limits::{COPIED_BYTES, COPIED_VALUES, PATCH_STEPS};
use crate::value::same::{Sameness, Strictness};
use coconut_format::limits::MAX_DEPTH;
use coconut_format::pointer::{is_well_escaped, keys, unescape};
use coconut_format::value::Value;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::{fmt, mem, slice};

/// The reason why a patch cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchError {
    /// The position of the operation, from 0.
    pub operation: usize,
    /// The kind of the error.
    pub kind: PatchErrorKind,
}

/// The kind of the error in an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PatchErrorKind {
    /// The patch is not a list of objects, or an operation lacks an entry or has a malformed one.
    Form(&'static str),
    /// The document has no value at this place.
    Missing(String),
    /// The value at this place differs from the expected one.
    Test(String),
    /// A value cannot be moved into itself.
    IntoItself(String),
    /// Repeated copies would have too many values, or too much text.
    TooLarge,
    /// The value at this place would be deeper than a document may be.
    TooDeep(String),
    /// Finding the places and moving later list items took too many steps.
    TooMuchWork,
}

impl fmt::Display for PatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "operation {}: ", self.operation)?;
        match &self.kind {
            PatchErrorKind::Form(what) => f.write_str(what),
            PatchErrorKind::Missing(path) => write!(f, "there is no value at `{path}`"),
            PatchErrorKind::Test(path) => write!(f, "the value at `{path}` is not the expected one"),
            PatchErrorKind::IntoItself(path) => {
                write!(f, "the value at `{path}` cannot be moved into itself")
            }
            PatchErrorKind::TooLarge => write!(
                f,
                "its copies have more than {COPIED_VALUES} values or {} MiB of text in all",
                COPIED_BYTES >> 20
            ),
            PatchErrorKind::TooMuchWork => write!(f, "gave up after {PATCH_STEPS} steps"),
            PatchErrorKind::TooDeep(path) => {
                write!(f, "the value at `{path}` would be deeper than {MAX_DEPTH} levels")
            }
        }
    }
}

impl std::error::Error for PatchError {}

impl PatchError {
    /// Returns the stable code, for machines.
    pub fn code(&self) -> &'static str {
        match self.kind {
            PatchErrorKind::TooLarge => "LIM-NODES",
            PatchErrorKind::TooDeep(_) => "LIM-DEPTH",
            PatchErrorKind::TooMuchWork => "LIM-WORK",
            _ => coconut_format::code::PATCH_FORM,
        }
    }
}

coconut_format::explained!(PatchError);

/// Applies the operations of RFC 6902 one after the other. If one fails, none is applied.
///
/// An operation visits the entries of an object up to its own, and moves the later items of a list.
/// After 2^32 such steps it gives up.
pub fn apply_patch(document: &Value, patch: &Value) -> Result<Value, PatchError> {
    let form = |operation, what| PatchError { operation, kind: PatchErrorKind::Form(what) };
    let operations = patch.as_list().ok_or_else(|| form(0, "a patch must be a list of operations"))?;
    let (mut result, mut room) = (document.clone(), Room::default());
    for (n, operation) in operations.iter().enumerate() {
        apply(&mut result, operation, &mut room).map_err(|kind| PatchError { operation: n, kind })?;
    }
    Ok(result)
}

/// The number of items moved in the time of one key comparison.
const MOVED_IN_A_STEP: usize = 8;

/// The remaining budget for copies and work. Repeated copies would double a document with each
/// operation.
struct Room {
    values: usize,
    bytes: usize,
    steps: u64,
}

impl Default for Room {
    fn default() -> Room {
        Room { values: COPIED_VALUES, bytes: COPIED_BYTES, steps: PATCH_STEPS }
    }
}

impl Room {
    fn spend(&mut self, steps: usize) -> Result<(), PatchErrorKind> {
        self.steps = self.steps.checked_sub(steps as u64).ok_or(PatchErrorKind::TooMuchWork)?;
        Ok(())
    }

    /// The position of a key. Each entry visited before it is a step.
    fn position(&mut self, entries: &[(String, Value)], key: &str) -> Result<Option<usize>, PatchErrorKind> {
        let found = entries.iter().position(|(name, _)| name == key);
        self.spend(found.unwrap_or(entries.len()))?;
        Ok(found)
    }

    /// Reserves the budget for a copy of this value.
    fn take(&mut self, value: &Value) -> Option<()> {
        let mut pending = vec![value];
        while let Some(value) = pending.pop() {
            self.values = self.values.checked_sub(1)?;
            match value {
                Value::String(text) => self.bytes = self.bytes.checked_sub(text.len())?,
                Value::List(items) => pending.extend(items),
                Value::Object(entries) => {
                    for (key, value) in entries {
                        self.bytes = self.bytes.checked_sub(key.len())?;
                        pending.push(value);
                    }
                }
                _ => {}
            }
        }
        Some(())
    }
}

/// Whether the value at this path stays within the maximum depth of a document.
fn fits(path: &str, value: &Value) -> bool {
    let mut pending = vec![(value, 1 + path.matches('/').count())];
    while let Some((value, level)) = pending.pop() {
        match value {
            Value::List(_) | Value::Object(_) if level > MAX_DEPTH => return false,
            Value::List(items) => pending.extend(items.iter().map(|item| (item, level + 1))),
            Value::Object(entries) => pending.extend(entries.iter().map(|(_, below)| (below, level + 1))),
            _ => {}
        }
    }
    true
}

fn apply(document: &mut Value, operation: &Value, room: &mut Room) -> Result<(), PatchErrorKind> {
    let text = |key: &str| operation.get(key).and_then(Value::as_str);
    let path = text("path").ok_or(PatchErrorKind::Form("`path` must be a string"))?;
    if [Some(path), text("from")].into_iter().flatten().any(|path| !is_well_escaped(path)) {
        return Err(PatchErrorKind::Form("`~` in a pointer must be `~0` or `~1`"));
    }
    let value = || operation.get("value").ok_or(PatchErrorKind::Form("`value` is missing"));
    let from = || text("from").ok_or(PatchErrorKind::Form("`from` must be a string"));
    match text("op") {
        Some("add") => add(document, path, value()?.clone(), room),
        Some("remove") => remove(document, path, room).map(drop),
        Some("replace") => {
            let (place, value) = (find(document, path, room)?, value()?);
            if !fits(path, value) {
                return Err(PatchErrorKind::TooDeep(path.to_owned()));
            }
            *place = value.clone();
            Ok(())
        }
        Some("move") => {
            let from = from()?;
            if path.strip_prefix(from).is_some_and(|below| below.starts_with('/')) {
                return Err(PatchErrorKind::IntoItself(from.to_owned()));
            }
            let moved = remove(document, from, room)?;
            add(document, path, moved, room)
        }
        Some("copy") => {
            let copied = find(document, from()?, room)?;
            room.take(copied).ok_or(PatchErrorKind::TooLarge)?;
            let copy = copied.clone();
            add(document, path, copy, room)
        }
        Some("test") => {
            let found = &*find(document, path, room)?;
            let mut sameness = Sameness::new(Strictness::default(), u64::MAX);
            match sameness.is_same(found, value()?) {
                Ok(true) => Ok(()),
                _ => Err(PatchErrorKind::Test(path.to_owned())),
            }
        }
        _ => Err(PatchErrorKind::Form("`op` must be one of add, remove, replace, move, copy, test")),
    }
}

/// The position to which a step leads in a list of this length.
fn position(step: &str, length: usize) -> Option<usize> {
    let is_number = !step.is_empty() && step.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number || step.len() > 1 && step.starts_with('0') {
        return None;
    }
    step.parse().ok().filter(|&index| index < length)
}

fn find<'v>(document: &'v mut Value, path: &str, room: &mut Room) -> Result<&'v mut Value, PatchErrorKind> {
    let missing = || PatchErrorKind::Missing(path.to_owned());
    let mut value = document;
    for step in keys(path).ok_or_else(missing)? {
        value = match value {
            Value::Object(entries) => {
                let index = room.position(entries, &step)?.ok_or_else(missing)?;
                &mut entries[index].1
            }
            Value::List(items) => {
                let index = position(&step, items.len()).ok_or_else(missing)?;
                &mut items[index]
            }
            _ => return Err(missing()),
        };
    }
    Ok(value)
}

/// The container of a place, and the last step.
fn around<'v, 'p>(
    document: &'v mut Value,
    path: &'p str,
    room: &mut Room,
) -> Result<(&'v mut Value, Cow<'p, str>), PatchErrorKind> {
    let (above, last) = path.rsplit_once('/').ok_or_else(|| PatchErrorKind::Missing(path.to_owned()))?;
    Ok((find(document, above, room)?, unescape(last)))
}

fn add(document: &mut Value, path: &str, value: Value, room: &mut Room) -> Result<(), PatchErrorKind> {
    if !fits(path, &value) {
        return Err(PatchErrorKind::TooDeep(path.to_owned()));
    }
    if path.is_empty() {
        *document = value;
        return Ok(());
    }
    let (container, last) = around(document, path, room)?;
    match container {
        Value::Object(entries) => match room.position(entries, &last)? {
            Some(index) => entries[index].1 = value,
            None => entries.push((last.into_owned(), value)),
        },
        Value::List(items) if last == "-" => items.push(value),
        Value::List(items) => match position(&last, items.len() + 1) {
            Some(index) => {
                room.spend((items.len() - index) / MOVED_IN_A_STEP)?;
                items.insert(index, value);
            }
            None => return Err(PatchErrorKind::Missing(path.to_owned())),
        },
        _ => return Err(PatchErrorKind::Missing(path.to_owned())),
    }
    Ok(())
}

fn remove(document: &mut Value, path: &str, room: &mut Room) -> Result<Value, PatchErrorKind> {
    let missing = || PatchErrorKind::Missing(path.to_owned());
    if path.is_empty() {
        return Ok(mem::replace(document, Value::Null));
    }
    let (container, last) = around(document, path, room)?;
    match container {
        Value::Object(entries) => {
            let index = room.position(entries, &last)?.ok_or_else(missing)?;
            room.spend((entries.len() - index) / MOVED_IN_A_STEP)?;
            Ok(entries.remove(index).1)
        }
        Value::List(items) => {
            let index = position(&last, items.len()).ok_or_else(missing)?;
            room.spend((items.len() - index) / MOVED_IN_A_STEP)?;
            Ok(items.remove(index))
        }
        _ => Err(missing()),
    }
}

/// Applies a patch of RFC 7396: entries of objects are merged, `null` removes an entry, and any
/// other value replaces the old one.
pub fn apply_merge_patch(document: &Value, patch: &Value) -> Value {
    let Value::Object(changes) = patch else { return patch.clone() };
    let mut around: Vec<Merged<'_>> = Vec::new();
    let mut object = Merged::new(document.clone(), 0, changes);
    loop {
        match object.next_inside() {
            Some(inside) => around.push(mem::replace(&mut object, inside)),
            None => {
                let (slot, value) = (object.slot, object.finish());
                let Some(outer) = around.pop() else { return value };
                object = outer;
                object.entries[slot].1 = value;
            }
        }
    }
}

/// An object with replaced, added and removed entries. Each is found once, so that the work is the
/// sum of both sizes, not their product.
struct Merged<'p> {
    entries: Vec<(String, Value)>,
    /// The number of its entry in the containing object.
    slot: usize,
    changes: slice::Iter<'p, (String, Value)>,
    /// The numbers of the entries named by the patch.
    found: HashMap<&'p str, usize>,
    removed: HashSet<&'p str>,
}

impl<'p> Merged<'p> {
    /// A value that is not an object becomes an empty one.
    fn new(value: Value, slot: usize, changes: &'p [(String, Value)]) -> Merged<'p> {
        let entries = if let Value::Object(entries) = value { entries } else { Vec::new() };
        let named: HashSet<&str> = changes.iter().map(|(key, _)| key.as_str()).collect();
        let mut found = HashMap::new();
        for (number, (key, _)) in entries.iter().enumerate() {
            if let Some(&key) = named.get(key.as_str()) {
                found.entry(key).or_insert(number);
            }
        }
        Merged { entries, slot, changes: changes.iter(), found, removed: HashSet::new() }
    }

    /// Applies changes up to the next one inside an object, and returns that object.
    fn next_inside(&mut self) -> Option<Merged<'p>> {
        for (key, change) in self.changes.by_ref() {
            if *change == Value::Null {
                self.removed.insert(key);
                continue;
            }
            let slot = *self.found.entry(key).or_insert_with(|| {
                self.entries.push((key.clone(), Value::Null));
                self.entries.len() - 1
            });
            let value = &mut self.entries[slot].1;
            match change {
                Value::Object(changes) => {
                    return Some(Merged::new(mem::replace(value, Value::Null), slot, changes));
                }
                _ => *value = change.clone(),
            }
        }
        None
    }

    fn finish(mut self) -> Value {
        if !self.removed.is_empty() {
            self.entries.retain(|(key, _)| !self.removed.contains(key.as_str()));
        }
        Value::Object(self.entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operations(count: usize, operation: &[(&str, &str)]) -> Value {
        let entries = operation.iter().map(|(key, text)| ((*key).to_owned(), Value::String((*text).into())));
        let operation = Value::Object(entries.collect());
        Value::List(vec![operation; count])
    }

    fn document() -> Value {
        let items = Value::List(vec![Value::String("x".into())]);
        Value::Object(vec![("a".to_owned(), items)])
    }

    #[test]
    fn a_tilde_in_a_pointer_is_part_of_an_escape() {
        let kind = PatchErrorKind::Form("`~` in a pointer must be `~0` or `~1`");
        for entry in [("path", "/~2"), ("path", "/a~"), ("from", "/~")] {
            let wrong = operations(1, &[("op", "copy"), ("from", "/a"), ("path", "/b"), entry]);
            let wrong = match wrong {
                Value::List(mut items) => {
                    if let Some(Value::Object(entries)) = items.first_mut() {
                        let given = entries.pop().expect("it was just added");
                        entries.retain(|(key, _)| *key != given.0);
                        entries.push(given);
                    }
                    Value::List(items)
                }
                other => other,
            };
            let error = apply_patch(&document(), &wrong).unwrap_err();
            assert_eq!(error, PatchError { operation: 0, kind: kind.clone() }, "{entry:?}");
        }
    }

    #[test]
    fn copies_of_copies_end_at_a_limit() {
        let doubling = operations(60, &[("op", "copy"), ("from", "/a"), ("path", "/a/-")]);
        // A list with n copies has 2^n lists and strings: the sum exceeds 2^22 with the 21st.
        let error = apply_patch(&document(), &doubling).unwrap_err();
        assert_eq!(error, PatchError { operation: 21, kind: PatchErrorKind::TooLarge });
        assert_eq!(error.code(), "LIM-NODES");
    }

    #[test]
    fn a_patch_ends_after_a_number_of_steps() {
        let list = Value::List(vec![Value::Null; 800]);
        let path = Value::String("/0".into());
        let operation = Value::Object(vec![
            ("op".to_owned(), Value::String("add".into())),
            ("path".to_owned(), path),
            ("value".to_owned(), Value::Null),
        ]);
        let mut room = Room { steps: 250, ..Room::default() };
        let mut document = list;
        assert_eq!(apply(&mut document, &operation, &mut room), Ok(()));
        assert_eq!(apply(&mut document, &operation, &mut room), Ok(()));
        assert_eq!(room.steps, 50);
        assert_eq!(apply(&mut document, &operation, &mut room), Err(PatchErrorKind::TooMuchWork));
        let error = PatchError { operation: 2, kind: PatchErrorKind::TooMuchWork };
        assert_eq!(error.code(), "LIM-WORK");
        assert_eq!(error.to_string(), "operation 2: gave up after 4294967296 steps");
    }

    #[test]
    fn values_are_as_deep_as_documents_may_be_and_no_deeper() {
        let wrapping = |count| operations(count, &[("op", "copy"), ("from", ""), ("path", "/a")]);
        assert!(apply_patch(&document(), &wrapping(MAX_DEPTH - 2)).is_ok());
        let error = apply_patch(&document(), &wrapping(MAX_DEPTH)).unwrap_err();
        let kind = PatchErrorKind::TooDeep("/a".to_owned());
        assert_eq!(error, PatchError { operation: MAX_DEPTH - 2, kind });
        assert_eq!(error.code(), "LIM-DEPTH");
    }

    /// When each entry of the patch was searched in the whole document, this took minutes.
    #[test]
    fn a_merge_patch_of_many_entries_is_applied_in_their_order() {
        const MANY: usize = 200_000;
        let entries = |numbers: std::ops::Range<usize>, value: &dyn Fn(usize) -> Value| {
            Value::Object(numbers.map(|number| (format!("k{number}"), value(number))).collect())
        };
        let inside = |text: &str| Value::Object(vec![(text.to_owned(), Value::Bool(true))]);
        let document = entries(0..MANY, &|_| inside("old"));
        let patch = entries(1..MANY + 2, &|number| match number % 3 {
            0 => Value::Null,
            1 => inside("new"),
            _ => Value::Bool(false),
        });
        let Value::Object(patched) = apply_merge_patch(&document, &patch) else { panic!("an object") };
        let expected = (0..MANY + 2).filter(|number| *number == 0 || number % 3 != 0);
        assert!(patched.iter().map(|(key, _)| key.clone()).eq(expected.map(|number| format!("k{number}"))));
        let both = Value::Object(["old", "new"].map(|text| (text.to_owned(), Value::Bool(true))).into());
        assert_eq!(
            patched[..3].iter().map(|(_, value)| value).collect::<Vec<_>>(),
            [&inside("old"), &both, &Value::Bool(false)]
        );
        // It was not in the document.
        assert_eq!(patched.last(), Some(&(format!("k{MANY}"), Value::Bool(false))));
    }
}
