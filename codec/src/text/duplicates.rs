//! Refuses duplicate keys and long texts, for sinks that do not check them.

use crate::event::{EventSink, SinkError};
use coconut_format::Integer;

/// Passes events to another sink, and refuses duplicate keys and long texts.
///
/// * An object with two equal keys is refused when it ends.
/// * A string or key longer than a compiled document allows (§9) is refused at once.
///
/// The interner of compiled documents already refuses these; printers and
/// [`ValueSink`](crate::event::ValueSink) do not. Keeps a copy of all keys of the open objects.
/// Costs n·log n comparisons per object, so no choice of keys can make it slow.
#[derive(Debug)]
pub struct RefuseDuplicateKeys<S> {
    sink: S,
    /// The keys of all open objects, one after the other.
    text: String,
    /// The end of each key in `text`. A key begins at the end of the previous one.
    ends: Vec<usize>,
    /// For each open object, the number of keys of outer objects, which come before its own.
    objects: Vec<usize>,
    /// The positions of the keys of the ending object, used to sort them.
    order: Vec<usize>,
}

impl<S> RefuseDuplicateKeys<S> {
    /// Wraps `sink`.
    pub fn new(sink: S) -> RefuseDuplicateKeys<S> {
        RefuseDuplicateKeys {
            sink,
            text: String::new(),
            ends: Vec::new(),
            objects: Vec::new(),
            order: Vec::new(),
        }
    }

    /// The wrapped sink.
    pub fn into_inner(self) -> S {
        self.sink
    }

    /// The key at a position among those of all open objects.
    fn key_at(&self, position: usize) -> &str {
        let start = if position == 0 { 0 } else { self.ends[position - 1] };
        &self.text[start..self.ends[position]]
    }
}

/// The first of `keys` that repeats an earlier one, after the key that it repeats.
///
/// Sorts `keys` by the text that `text_of` returns, and equal ones by their own values.
pub(super) fn first_duplicate<'k>(
    keys: &mut [usize],
    text_of: impl Fn(usize) -> &'k str,
) -> Option<(usize, usize)> {
    keys.sort_unstable_by(|&a, &b| text_of(a).cmp(text_of(b)).then(a.cmp(&b)));
    let equal = |pair: &&[usize]| text_of(pair[0]) == text_of(pair[1]);
    let found = keys.windows(2).filter(equal).map(|pair| (pair[1], pair[0])).min();
    found.map(|(second, first)| (first, second))
}

impl<S: EventSink> EventSink for RefuseDuplicateKeys<S> {
    fn null(&mut self) -> Result<(), SinkError> {
        self.sink.null()
    }

    fn bool(&mut self, value: bool) -> Result<(), SinkError> {
        self.sink.bool(value)
    }

    fn integer(&mut self, value: Integer) -> Result<(), SinkError> {
        self.sink.integer(value)
    }

    fn float(&mut self, value: f64) -> Result<(), SinkError> {
        self.sink.float(value)
    }

    fn string(&mut self, value: &str) -> Result<(), SinkError> {
        SinkError::check_string(value)?;
        self.sink.string(value)
    }

    fn begin_list(&mut self) -> Result<(), SinkError> {
        self.sink.begin_list()
    }

    fn end_list(&mut self) -> Result<(), SinkError> {
        self.sink.end_list()
    }

    fn begin_object(&mut self) -> Result<(), SinkError> {
        self.objects.push(self.ends.len());
        self.sink.begin_object()
    }

    fn key(&mut self, key: &str) -> Result<(), SinkError> {
        SinkError::check_key(key)?;
        self.text.push_str(key);
        self.ends.push(self.text.len());
        self.sink.key(key)
    }

    fn end_object(&mut self) -> Result<(), SinkError> {
        let first = self.objects.pop().expect("the caller ends only an object that is open");
        let mut order = std::mem::take(&mut self.order);
        order.clear();
        order.extend(first..self.ends.len());
        let duplicate = first_duplicate(&mut order, |position| self.key_at(position));
        self.order = order;
        if let Some((one, other)) = duplicate {
            let key = self.key_at(other).into();
            return Err(SinkError::DuplicateKey { key, first: one - first, second: other - first });
        }
        self.ends.truncate(first);
        self.text.truncate(self.ends.last().copied().unwrap_or(0));
        self.sink.end_object()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{ValueSink, push};
    use crate::limits;
    use coconut_format::Value;

    fn object(keys: &[&str]) -> Value {
        Value::Object(keys.iter().map(|&key| (key.to_owned(), Value::Null)).collect())
    }

    fn refusal(value: &Value) -> Option<SinkError> {
        push(value, &mut RefuseDuplicateKeys::new(ValueSink::new())).err()
    }

    #[test]
    fn the_second_key_is_the_first_that_repeats_one() {
        assert_eq!(
            refusal(&object(&["c", "b", "a", "b", "c", "a"])),
            Some(SinkError::DuplicateKey { key: "b".into(), first: 1, second: 3 })
        );
        assert_eq!(
            refusal(&object(&["a", "a", "a"])),
            Some(SinkError::DuplicateKey { key: "a".into(), first: 0, second: 1 })
        );
    }

    #[test]
    fn equal_keys_of_different_objects_are_no_duplicates() {
        let value = Value::Object(vec![
            ("a".into(), object(&["a", "b"])),
            ("b".into(), Value::List(vec![object(&["a", ""]), object(&["a", "b"])])),
        ]);
        assert_eq!(refusal(&value), None);
    }

    #[test]
    fn an_outer_object_keeps_its_keys_after_an_inner_one_ended() {
        let value = Value::Object(vec![
            ("a".into(), Value::Null),
            ("b".into(), object(&["x", "y"])),
            ("a".into(), Value::Null),
        ]);
        assert_eq!(refusal(&value), Some(SinkError::DuplicateKey { key: "a".into(), first: 0, second: 2 }));
    }

    #[test]
    fn strings_and_keys_have_the_limits_of_compiled_documents() {
        for (length, refused) in [(limits::KEY_BYTES, false), (limits::KEY_BYTES + 1, true)] {
            let expected = refused.then_some(SinkError::StringLength { length, limit: limits::KEY_BYTES });
            assert_eq!(refusal(&object(&[&"k".repeat(length)])), expected, "a key of {length} bytes");
        }
        for (length, refused) in [(limits::STRING_BYTES, false), (limits::STRING_BYTES + 1, true)] {
            let expected = refused.then_some(SinkError::StringLength { length, limit: limits::STRING_BYTES });
            let string = Value::String("s".repeat(length));
            assert_eq!(refusal(&string), expected, "a string of {length} bytes");
        }
    }

    #[test]
    fn a_prefix_is_not_a_duplicate() {
        assert_eq!(refusal(&object(&["ab", "a", "", "b"])), None);
    }
}
