//! §16.5 Differences as patches: RFC 6902, and RFC 7396.

use crate::value::align::common;
use crate::value::list::tokens_of;
use crate::value::same::{Sameness, TooMuchWork};
use coconut_format::node::{Kind, Node};
use coconut_format::pointer::{keys, push_index, push_key};
use coconut_format::value::Value;
use std::collections::{HashMap, HashSet};

/// One operation of a patch. With only an old value it removes, with only a new one it adds, and
/// with both it replaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation<N, M> {
    /// The place in the old document, which is still valid when the operation is applied.
    pub path: String,
    /// The place in the new document.
    pub new_path: String,
    /// The old value.
    pub old: Option<N>,
    /// The new value.
    pub new: Option<M>,
}

/// The work left: a comparison, or an operation to emit.
struct Task<N, M> {
    operation: Operation<N, M>,
    is_done: bool,
}

impl<N, M> Task<N, M> {
    fn new((path, new_path): (String, String), old: Option<N>, new: Option<M>) -> Task<N, M> {
        let is_done = old.is_none() || new.is_none();
        Task { operation: Operation { path, new_path, old, new }, is_done }
    }
}

/// The maximum number of steps when searching for the longest common subsequence.
const MOST_STEPS: u64 = 20_000_000;

/// The operations that change `old` into `new`, in an order that keeps all places valid.
///
/// The result has the values of `new`, possibly with another order of keys. `sameness` must
/// distinguish forms of numbers.
pub fn operations<'a, N: Node<'a>, M: Node<'a>>(
    old: N,
    new: M,
    sameness: &mut Sameness,
) -> Result<Vec<Operation<N, M>>, TooMuchWork> {
    let mut found = Vec::new();
    let mut tasks = vec![Task::new(Default::default(), Some(old), Some(new))];
    while let Some(Task { operation, is_done }) = tasks.pop() {
        let (Some(old), Some(new), false) = (operation.old, operation.new, is_done) else {
            found.push(operation);
            continue;
        };
        if sameness.is_same(old, new)? {
            continue;
        }
        let places = (&*operation.path, &*operation.new_path);
        match (old.kind(), new.kind()) {
            (Kind::Object, Kind::Object) => entries(places, old, new, &mut tasks, sameness)?,
            (Kind::List, Kind::List) => items(places, old, new, &mut tasks, sameness)?,
            _ => found.push(operation),
        }
    }
    Ok(found)
}

fn entries<'a, N: Node<'a>, M: Node<'a>>(
    (path, new_path): (&str, &str),
    old: N,
    new: M,
    tasks: &mut Vec<Task<N, M>>,
    sameness: &mut Sameness,
) -> Result<(), TooMuchWork> {
    sameness.spend(old.width().saturating_add(new.width()))?;
    let of_new: HashMap<&str, M> = new.entries().collect();
    let of_old: HashSet<&str> = old.entries().map(|(key, _)| key).collect();
    let at = |key: &str| {
        let (mut path, mut new_path) = (path.to_owned(), new_path.to_owned());
        push_key(&mut path, key);
        push_key(&mut new_path, key);
        (path, new_path)
    };
    let first = tasks.len();
    for (key, value) in old.entries() {
        match of_new.get(key) {
            None => tasks.push(Task::new(at(key), Some(value), None)),
            Some(&other) if sameness.is_same(value, other)? => {}
            Some(&other) => tasks.push(Task::new(at(key), Some(value), Some(other))),
        }
    }
    let added = new.entries().filter(|(key, _)| !of_old.contains(key));
    tasks.extend(added.map(|(key, value)| Task::new(at(key), None, Some(value))));
    tasks[first..].reverse();
    Ok(())
}

/// From the last item to the first, so that earlier positions stay valid.
fn items<'a, N: Node<'a>, M: Node<'a>>(
    (path, new_path): (&str, &str),
    old: N,
    new: M,
    tasks: &mut Vec<Task<N, M>>,
    sameness: &mut Sameness,
) -> Result<(), TooMuchWork> {
    let (old, new): (Vec<N>, Vec<M>) = (old.items().collect(), new.items().collect());
    sameness.spend(old.len().saturating_add(new.len()))?;
    let [a, b] = tokens_of(&old, &new, sameness)?;
    // Without a common subsequence, all items are compared by position.
    let pairs =
        common(&a, &b, MOST_STEPS).unwrap_or_else(|| (0..old.len().min(new.len())).map(|n| (n, n)).collect());
    let at = |index: usize, new_index: usize| {
        let (mut path, mut new_path) = (path.to_owned(), new_path.to_owned());
        push_index(&mut path, index);
        push_index(&mut new_path, new_index);
        (path, new_path)
    };
    let ends = pairs.iter().copied().chain([(old.len(), new.len())]);
    let mut next = (0, 0);
    for (x, y) in ends {
        // Items without a partner are replaced one by one; the rest is removed or added.
        let both = (x - next.0).min(y - next.1);
        for n in 0..both {
            let (a, b) = (next.0 + n, next.1 + n);
            tasks.push(Task::new(at(a, b), Some(old[a]), Some(new[b])));
        }
        tasks.extend((next.0 + both..x).map(|n| Task::new(at(n, next.1 + both), Some(old[n]), None)));
        // Each is inserted before the item that was there, and the last one is inserted first.
        tasks.extend((next.1 + both..y).map(|n| Task::new(at(x, n), None, Some(new[n]))));
        if x < old.len() && y < new.len() && !sameness.is_same(old[x], new[y])? {
            tasks.push(Task::new(at(x, y), Some(old[x]), Some(new[y])));
        }
        next = (x + 1, y + 1);
    }
    Ok(())
}

/// The patch of RFC 7396 that changes `old` into `new`. `Err` contains the first place where this
/// is impossible: an entry of an object in `new` is `null`. `copy` creates the values from their
/// places.
pub fn merge_patch<'a, N: Node<'a>, M: Node<'a>, E: From<TooMuchWork>>(
    old: N,
    new: M,
    sameness: &mut Sameness,
    copy: &mut dyn FnMut(&str, M) -> Result<Value, E>,
) -> Result<Result<Value, String>, E> {
    let mut patch = Value::Object(Vec::new());
    let mut pending: Vec<(String, N, M)> = vec![(String::new(), old, new)];
    while let Some((path, old, new)) = pending.pop() {
        if old.kind() != Kind::Object || new.kind() != Kind::Object {
            if let Some(below) = null_below(&path, new) {
                return Ok(Err(below));
            }
            put(&mut patch, &path, copy(&path, new)?);
            continue;
        }
        sameness.spend(old.width().saturating_add(new.width()))?;
        let of_old: HashMap<&str, N> = old.entries().collect();
        let of_new: HashSet<&str> = new.entries().map(|(key, _)| key).collect();
        let at = |key: &str| {
            let mut path = path.clone();
            push_key(&mut path, key);
            path
        };
        for (key, _) in old.entries().filter(|(key, _)| !of_new.contains(key)) {
            put(&mut patch, &at(key), Value::Null);
        }
        let first = pending.len();
        for (key, value) in new.entries() {
            match of_old.get(key) {
                Some(&before) if sameness.is_same(before, value)? => {}
                Some(&before) => pending.push((at(key), before, value)),
                None => {
                    let path = at(key);
                    if let Some(below) = null_below(&path, value) {
                        return Ok(Err(below));
                    }
                    put(&mut patch, &path, copy(&path, value)?);
                }
            }
        }
        pending[first..].reverse();
    }
    Ok(Ok(patch))
}

/// Inserts a value at a path of objects, and creates missing ones.
fn put(patch: &mut Value, path: &str, value: Value) {
    let mut place = patch;
    for step in keys(path).into_iter().flatten() {
        if !matches!(place, Value::Object(_)) {
            *place = Value::Object(Vec::new());
        }
        let Value::Object(entries) = place else { return };
        let index = entries.iter().position(|(key, _)| *key == *step).unwrap_or_else(|| {
            entries.push((step.into_owned(), Value::Object(Vec::new())));
            entries.len() - 1
        });
        place = &mut entries[index].1;
    }
    *place = value;
}

/// The first `null` at a place or in the objects below it, but not in lists.
fn null_below<'a, N: Node<'a>>(path: &str, value: N) -> Option<String> {
    let mut pending = vec![(path.to_owned(), value)];
    while let Some((path, value)) = pending.pop() {
        if value.kind() == Kind::Null && !path.is_empty() {
            return Some(path);
        }
        let first = pending.len();
        for (key, below) in
            value.entries().filter(|(_, below)| matches!(below.kind(), Kind::Null | Kind::Object))
        {
            let mut path = path.clone();
            push_key(&mut path, key);
            pending.push((path, below));
        }
        pending[first..].reverse();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::apply::{apply_merge_patch, apply_patch};
    use crate::value::same::Strictness;

    /// Values of a small alphabet, so that many of their parts are equal.
    struct Dice(u64);

    impl Dice {
        fn roll(&mut self, below: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % below
        }

        fn value(&mut self, depth: u32, has_nulls: bool) -> Value {
            let text = |n: u64| Value::String(format!("t{n}"));
            match self.roll(if depth == 0 { 5 } else { 9 }) {
                0 if has_nulls => Value::Null,
                0 | 1 => Value::Bool(self.roll(2) == 0),
                2 => Value::Integer(self.roll(3).into()),
                3 => Value::Float(self.roll(3) as f64),
                4 => text(self.roll(4)),
                5 | 6 => {
                    let items = (0..self.roll(6)).map(|_| self.value(depth - 1, has_nulls)).collect();
                    Value::List(items)
                }
                7 => {
                    let mut items = Vec::new();
                    for n in 0..self.roll(5) {
                        if self.roll(3) > 0 {
                            let name = ("name".to_owned(), text(n));
                            let entries = vec![name, ("a/b~".to_owned(), self.value(depth - 1, has_nulls))];
                            items.push(Value::Object(entries));
                        }
                    }
                    Value::List(items)
                }
                _ => {
                    let mut entries = Vec::new();
                    for n in 0..5 {
                        if self.roll(2) == 0 {
                            entries.push((format!("k{n}"), self.value(depth - 1, has_nulls)));
                        }
                    }
                    Value::Object(entries)
                }
            }
        }
    }

    fn sameness() -> Sameness {
        Sameness::new(Strictness::VALUES, u64::MAX)
    }

    fn as_json(operations: &[Operation<&Value, &Value>]) -> Value {
        let text = |text: &str| Value::String(text.to_owned());
        let operations = operations.iter().map(|operation| {
            let op = match (operation.old, operation.new) {
                (None, _) => "add",
                (_, None) => "remove",
                _ => "replace",
            };
            let mut entries = vec![("op".to_owned(), text(op)), ("path".to_owned(), text(&operation.path))];
            entries.extend(operation.new.map(|new| ("value".to_owned(), new.clone())));
            Value::Object(entries)
        });
        Value::List(operations.collect())
    }

    #[test]
    fn a_patch_makes_the_new_value_of_the_old_one() {
        let mut dice = Dice(1);
        for _ in 0..3_000 {
            let (old, new) = (dice.value(4, true), dice.value(4, true));
            let found = operations(&old, &new, &mut sameness()).unwrap();
            let patched = apply_patch(&old, &as_json(&found)).unwrap();
            assert_eq!(sameness().is_same(&patched, &new), Ok(true), "{old:?} {new:?} {patched:?}");
            assert_eq!(operations(&old, &old, &mut sameness()).map(|found| found.len()), Ok(0));
        }
    }

    #[test]
    fn a_merge_patch_makes_the_new_value_or_names_the_null() {
        let mut dice = Dice(2);
        let mut refused = 0;
        for n in 0..3_000 {
            let has_nulls = n % 2 == 0;
            let (old, new) = (dice.value(4, true), dice.value(4, has_nulls));
            let mut copy = |_: &str, value: &Value| Ok::<_, TooMuchWork>(value.clone());
            match merge_patch(&old, &new, &mut sameness(), &mut copy).unwrap() {
                Ok(patch) => {
                    let patched = apply_merge_patch(&old, &patch);
                    assert_eq!(sameness().is_same(&patched, &new), Ok(true), "{old:?} {new:?} {patch:?}");
                }
                Err(path) => {
                    refused += 1;
                    assert!(has_nulls && !path.is_empty());
                }
            }
        }
        assert!(refused > 10, "{refused}");
    }

    #[test]
    fn inserting_at_the_front_of_a_list_is_one_operation() {
        let list =
            |numbers: std::ops::Range<u64>| Value::List(numbers.map(|n| Value::Integer(n.into())).collect());
        let (old, new) = (list(1..1_000), list(0..1_000));
        assert_eq!(operations(&old, &new, &mut sameness()).map(|found| found.len()), Ok(1));
    }
}
