//! §16.1 Equality of values, and numbers that distinguish most unequal ones.

pub use coconut_format::limits::TooMuchWork;
use coconut_format::node::{Kind, Node};
use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher as _;

/// The parts of a value that count as differences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Strictness {
    /// Whether the order of keys counts, and whether `1` differs from `1.0`.
    pub is_exact: bool,
    /// Whether `1` differs from `1.0`, even if it would not by the rule above.
    pub has_kinds: bool,
}

impl Strictness {
    /// Everything counts.
    pub const EXACT: Strictness = Strictness { is_exact: true, has_kinds: true };
    /// Values count; the order of keys does not.
    pub const VALUES: Strictness = Strictness { is_exact: false, has_kinds: true };

    /// Whether another order of items or another form of a value may be ignored.
    pub(super) fn is_by_meaning(self) -> bool {
        !self.is_exact && !self.has_kinds
    }

    /// Everything counts, or only differences with a meaning.
    pub fn of(is_exact: bool) -> Strictness {
        if is_exact { Strictness::EXACT } else { Strictness::default() }
    }
}

/// Compares values of one old and one new tree, and caches the results.
///
/// Values that a tree stores once are compared once, however often they occur. Does not recurse.
#[derive(Debug)]
pub struct Sameness {
    strictness: Strictness,
    /// Pairs of shared values that were compared, by [`Strictness::is_exact`].
    known: [HashMap<(usize, usize), bool>; 2],
    hashes: [HashMap<usize, u64>; 2],
    seed: RandomState,
    left: u64,
}

/// One of the two trees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tree {
    /// The old tree.
    Old,
    /// The new tree.
    New,
}

enum Task<N, M> {
    Pair(N, M),
    /// All parts of this pair were found to be equal.
    Done(usize, usize),
}

/// The maximum number of keys searched one by one; a wider object gets a table.
const FEW_KEYS: usize = 16;

/// The number of bytes of text that cost as much as a value.
const BYTES_PER_STEP: usize = 32;

impl Sameness {
    /// Creates an empty cache. At most `most` values are visited.
    pub fn new(strictness: Strictness, most: u64) -> Sameness {
        Sameness {
            strictness,
            known: Default::default(),
            hashes: Default::default(),
            seed: RandomState::new(),
            left: most,
        }
    }

    /// The parts that count as differences.
    pub fn strictness(&self) -> Strictness {
        self.strictness
    }

    /// Counts steps of work.
    pub fn spend(&mut self, steps: usize) -> Result<(), TooMuchWork> {
        self.left = self.left.checked_sub(steps as u64).ok_or(TooMuchWork)?;
        Ok(())
    }

    /// Whether two values are equal.
    pub fn is_same<'a, N: Node<'a>, M: Node<'a>>(&mut self, old: N, new: M) -> Result<bool, TooMuchWork> {
        self.is_same_by(old, new, self.strictness)
    }

    /// Whether two values are equal, including all orders and forms.
    pub fn is_identical<'a, N: Node<'a>, M: Node<'a>>(
        &mut self,
        old: N,
        new: M,
    ) -> Result<bool, TooMuchWork> {
        self.is_same_by(old, new, Strictness::EXACT)
    }

    fn is_same_by<'a, N: Node<'a>, M: Node<'a>>(
        &mut self,
        old: N,
        new: M,
        strictness: Strictness,
    ) -> Result<bool, TooMuchWork> {
        let which = usize::from(strictness.is_exact);
        let mut tasks = vec![Task::Pair(old, new)];
        while let Some(task) = tasks.pop() {
            let (old, new) = match task {
                Task::Pair(old, new) => (old, new),
                Task::Done(old, new) => {
                    self.known[which].insert((old, new), true);
                    continue;
                }
            };
            if !self.is_same_here(old, new, strictness, &mut tasks)? {
                // The remaining tasks contain this pair.
                let open = tasks.into_iter().filter_map(|task| match task {
                    Task::Done(old, new) => Some(((old, new), false)),
                    Task::Pair(..) => None,
                });
                self.known[which].extend(open);
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Compares one level, and adds the levels below to `tasks`.
    fn is_same_here<'a, N: Node<'a>, M: Node<'a>>(
        &mut self,
        old: N,
        new: M,
        strictness: Strictness,
        tasks: &mut Vec<Task<N, M>>,
    ) -> Result<bool, TooMuchWork> {
        self.spend(1)?;
        let kind = old.kind();
        if kind != new.kind() {
            return Ok(!strictness.is_exact && !strictness.has_kinds && is_same_number(old, new));
        }
        if !kind.is_container() {
            if kind == Kind::String {
                let length = old.as_str().map_or(0, str::len);
                self.spend(length / BYTES_PER_STEP)?;
            }
            return Ok(is_same_scalar(old, new));
        }
        if old.width() != new.width() {
            return Ok(false);
        }
        if let (Some(a), Some(b)) = (old.stored_once_as(), new.stored_once_as()) {
            match self.known[usize::from(strictness.is_exact)].get(&(a, b)) {
                Some(&known) => return Ok(known),
                None => tasks.push(Task::Done(a, b)),
            }
        }
        if kind == Kind::List {
            tasks.extend(old.items().zip(new.items()).map(|(old, new)| Task::Pair(old, new)));
            return Ok(true);
        }
        let first = tasks.len();
        let mut entries = old.entries().zip(new.entries());
        let is_aligned = entries.all(|((key, old), (other, new))| {
            tasks.push(Task::Pair(old, new));
            key == other
        });
        if is_aligned {
            return Ok(true);
        }
        tasks.truncate(first);
        if strictness.is_exact {
            return Ok(false);
        }
        self.spend(old.width())?;
        let table: Option<HashMap<&str, M>> = (new.width() > FEW_KEYS).then(|| new.entries().collect());
        for (key, value) in old.entries() {
            let other = match &table {
                Some(table) => table.get(key).copied(),
                None => new.get(key),
            };
            match other {
                Some(other) => tasks.push(Task::Pair(value, other)),
                None => return Ok(false),
            }
        }
        Ok(true)
    }

    /// A number that is equal for equal values of both trees. Different values may share a number,
    /// but cannot be constructed on purpose.
    pub fn hash<'a, N: Node<'a>>(&mut self, value: N, tree: Tree) -> Result<u64, TooMuchWork> {
        enum Step<N> {
            Value(N),
            Close { kind: Kind, width: usize, keys: usize, stored_once_as: Option<usize> },
        }
        let mut steps = vec![Step::Value(value)];
        let (mut keys, mut done): (Vec<u64>, Vec<u64>) = (Vec::new(), Vec::new());
        while let Some(step) = steps.pop() {
            let value = match step {
                Step::Value(value) => value,
                Step::Close { kind, width, keys: first_key, stored_once_as } => {
                    let parts = done.split_off(done.len() - width);
                    let names = keys.split_off(first_key);
                    let hash = match (kind, self.strictness.is_exact) {
                        (Kind::Object, false) => {
                            let entries = names.iter().zip(&parts).map(|entry| self.seed.hash_one(entry));
                            let sum = entries.fold(0u64, u64::wrapping_add);
                            self.seed.hash_one((6u8, width, sum))
                        }
                        _ => self.seed.hash_one((kind as u8, names, &parts)),
                    };
                    if let Some(number) = stored_once_as {
                        self.hashes[tree as usize].insert(number, hash);
                    }
                    done.push(hash);
                    continue;
                }
            };
            self.spend(1)?;
            let kind = value.kind();
            if !kind.is_container() {
                done.push(self.scalar_hash(value)?);
                continue;
            }
            let stored_once_as = value.stored_once_as();
            if let Some(&known) = stored_once_as.and_then(|number| self.hashes[tree as usize].get(&number)) {
                done.push(known);
                continue;
            }
            let width = value.width();
            steps.push(Step::Close { kind, width, keys: keys.len(), stored_once_as });
            let first = steps.len();
            match kind {
                Kind::Object => {
                    for (key, value) in value.entries() {
                        // The keys of inner objects are removed before this object ends.
                        keys.push(self.seed.hash_one(key));
                        steps.push(Step::Value(value));
                    }
                }
                _ => steps.extend(value.items().map(Step::Value)),
            }
            steps[first..].reverse();
        }
        Ok(done.pop().unwrap_or_default())
    }

    /// A number for an entry with this number, independent of the order of entries.
    pub(super) fn number_of_entry(&self, key: &str, number: u64) -> u64 {
        self.seed.hash_one((key, number))
    }

    fn scalar_hash<'a, N: Node<'a>>(&mut self, value: N) -> Result<u64, TooMuchWork> {
        let seed = &self.seed;
        let of_float = |float: f64| seed.hash_one((3u8, float.to_bits()));
        Ok(match value.kind() {
            Kind::Bool => seed.hash_one((1u8, value.as_bool())),
            Kind::Integer => match value.as_integer() {
                Some(number) if !self.strictness.is_exact => of_float(number.as_f64() + 0.0),
                number => seed.hash_one((2u8, number)),
            },
            Kind::Float => match value.as_float().unwrap_or_default() {
                float if self.strictness.is_exact => of_float(float),
                float => of_float(float + 0.0),
            },
            Kind::String => {
                let text = value.as_str().unwrap_or_default();
                let hash = seed.hash_one((4u8, text));
                self.spend(text.len() / BYTES_PER_STEP)?;
                hash
            }
            Kind::Null | Kind::List | Kind::Object => seed.hash_one(0u8),
        })
    }
}

/// Whether two scalars of one kind are equal.
pub(super) fn is_same_scalar<'a, N: Node<'a>, M: Node<'a>>(old: N, new: M) -> bool {
    match old.kind() {
        Kind::Bool => old.as_bool() == new.as_bool(),
        Kind::Integer => old.as_integer() == new.as_integer(),
        Kind::Float => old.as_float().map(f64::to_bits) == new.as_float().map(f64::to_bits),
        Kind::String => old.as_str() == new.as_str(),
        Kind::Null | Kind::List | Kind::Object => true,
    }
}

/// Whether an integer and a float are the same number.
pub(super) fn is_same_number<'a, N: Node<'a>, M: Node<'a>>(old: N, new: M) -> bool {
    let is_both = |integer: coconut_format::Integer, float: f64| {
        // Beyond 2^53, several integers share the nearest float.
        integer.as_f64().abs() <= 9_007_199_254_740_992.0 && integer.as_f64() == float
    };
    match (old.as_integer(), new.as_integer()) {
        (Some(integer), None) => new.as_float().is_some_and(|float| is_both(integer, float)),
        (None, Some(integer)) => old.as_float().is_some_and(|float| is_both(integer, float)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coconut_format::value::Value;

    fn object(entries: &[(&str, Value)]) -> Value {
        Value::Object(entries.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect())
    }

    fn is_same(old: &Value, new: &Value, is_exact: bool) -> bool {
        let mut sameness = Sameness::new(Strictness::of(is_exact), 1_000);
        let same = sameness.is_same(old, new).unwrap();
        let equal = sameness.hash(old, Tree::Old) == sameness.hash(new, Tree::New);
        assert!(!same || equal, "the same values have one number");
        same
    }

    #[test]
    fn order_of_keys_and_form_of_numbers_count_only_exactly() {
        let one = Value::Integer(1u64.into());
        let a = object(&[("a", one.clone()), ("b", Value::List(vec![one.clone()]))]);
        let b = object(&[("b", Value::List(vec![Value::Float(1.0)])), ("a", one.clone())]);
        assert!(is_same(&a, &b, false) && !is_same(&a, &b, true) && is_same(&a, &a, true));
        assert!(!is_same(&one, &Value::Bool(true), false));
        let wide = |reversed: bool| {
            let mut entries: Vec<(String, Value)> = (0..40).map(|n| (n.to_string(), Value::Null)).collect();
            if reversed {
                entries.reverse();
            }
            Value::Object(entries)
        };
        assert!(is_same(&wide(false), &wide(true), false));
    }

    #[test]
    fn work_is_limited() {
        let list = Value::List(vec![Value::Null; 1_000]);
        let mut sameness = Sameness::new(Strictness::default(), 1_000);
        assert_eq!(sameness.is_same(&list, &list), Err(TooMuchWork));
        assert_eq!(Sameness::new(Strictness::default(), 9).hash(&list, Tree::Old), Err(TooMuchWork));
    }
}
