//! Full keys, assembled from own keys on demand (§8.1). Stored full keys would take up to 512 times
//! as much when nested.

use std::borrow::Cow;

/// Landmarks with their own keys, and the number of the landmark around each.
pub trait OwnKeys {
    /// The own key of landmark `ordinal`; `None` after the last.
    fn own_key(&self, ordinal: u32) -> Option<&str>;

    /// The landmark around it, which has a lower ordinal.
    fn parent_of(&self, ordinal: u32) -> Option<u32>;

    /// The text between a full key and the own key after it; `None` if own keys are full keys.
    fn join(&self) -> Option<&str>;

    /// The parts of the full key of landmark `ordinal`, in order.
    fn key_parts(&self, ordinal: u32) -> Vec<&str> {
        let mut parts: Vec<&str> = self.own_key(ordinal).into_iter().collect();
        let Some(join) = self.join() else { return parts };
        let mut at = ordinal;
        while let Some(parent) = self.parent_of(at) {
            parts.push(join);
            parts.extend(self.own_key(parent));
            at = parent;
        }
        parts.reverse();
        parts
    }

    /// The full key of landmark `ordinal`.
    fn whole_key(&self, ordinal: u32) -> Cow<'_, str> {
        match (self.join(), self.parent_of(ordinal)) {
            (Some(_), Some(_)) => Cow::Owned(self.key_parts(ordinal).concat()),
            _ => Cow::Borrowed(self.own_key(ordinal).unwrap_or_default()),
        }
    }

    /// The full keys in the order of the ordinals, one at a time. Each costs the bytes of its own
    /// key.
    fn each_key(&self) -> EachKey<'_, Self> {
        EachKey { keys: self, next: 0, around: Vec::new(), key: String::new() }
    }
}

/// See [`OwnKeys::each_key`].
#[derive(Debug)]
pub struct EachKey<'k, K: ?Sized> {
    keys: &'k K,
    next: u32,
    /// The landmarks around the last one, outermost first, and itself, with the lengths of their
    /// full keys in bytes.
    around: Vec<(u32, usize)>,
    /// The full key of the last one.
    key: String,
}

impl<K: OwnKeys + ?Sized> EachKey<'_, K> {
    /// The next full key; `None` after the last.
    pub fn read_next(&mut self) -> Option<&str> {
        self.read_next_within().map(|(key, _)| key)
    }

    /// The next full key. Also returns the landmark around it and the length of that landmark's
    /// full key, if it is a prefix of this one.
    pub fn read_next_within(&mut self) -> Option<(&str, Option<(u32, usize)>)> {
        let ordinal = self.next;
        let own = self.keys.own_key(ordinal)?;
        self.next += 1;
        let Some(join) = self.keys.join() else { return Some((own, None)) };
        let parent = self.keys.parent_of(ordinal);
        while self.around.pop_if(|&mut (around, _)| Some(around) != parent).is_some() {}
        match (parent, self.around.last()) {
            (None, _) => self.key.clear(),
            (Some(_), Some(&(_, length))) => self.key.truncate(length),
            // That landmark was already left. This happens only with tables that are not in
            // document order.
            (Some(parent), None) => self.key = self.keys.whole_key(parent).into_owned(),
        }
        if parent.is_some() {
            self.key.push_str(join);
        }
        self.key.push_str(own);
        let around = self.around.last().copied();
        self.around.push((ordinal, self.key.len()));
        Some((&self.key, around))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Own keys, the landmarks around them, and a join.
    struct Keys(&'static [(&'static str, Option<u32>)], Option<&'static str>);

    impl OwnKeys for Keys {
        fn own_key(&self, ordinal: u32) -> Option<&str> {
            Some(self.0.get(ordinal as usize)?.0)
        }

        fn parent_of(&self, ordinal: u32) -> Option<u32> {
            self.0.get(ordinal as usize)?.1
        }

        fn join(&self) -> Option<&str> {
            self.1
        }
    }

    /// Three levels, and then two and one again.
    const NESTED: [(&str, Option<u32>); 6] =
        [("a", None), ("bc", Some(0)), ("", Some(1)), ("d", Some(1)), ("é", Some(0)), ("f", None)];

    fn whole_keys(keys: &Keys) -> Vec<Cow<'_, str>> {
        (0..).take(keys.0.len()).map(|ordinal| keys.whole_key(ordinal)).collect()
    }

    fn each_key(keys: &Keys) -> Vec<String> {
        let mut each = keys.each_key();
        (0..=keys.0.len()).map_while(|_| each.read_next().map(str::to_owned)).collect()
    }

    #[test]
    fn a_full_key_begins_with_those_around_it() {
        let keys = Keys(&NESTED, Some("::"));
        let expected = ["a", "a::bc", "a::bc::", "a::bc::d", "a::é", "f"];
        assert_eq!(whole_keys(&keys), expected);
        assert_eq!(each_key(&keys), expected);
        assert_eq!(keys.key_parts(3), ["a", "::", "bc", "::", "d"]);
    }

    #[test]
    fn own_keys_are_full_keys_without_a_join() {
        let keys = Keys(&NESTED, None);
        let expected = ["a", "bc", "", "d", "é", "f"];
        assert_eq!(whole_keys(&keys), expected);
        assert_eq!(each_key(&keys), expected);
        assert_eq!(keys.key_parts(3), ["d"]);
    }

    #[test]
    fn a_full_key_comes_with_the_landmark_around_it_and_the_bytes_of_its_key() {
        let arounds = |join| {
            let keys = Keys(&NESTED, join);
            let mut each = keys.each_key();
            NESTED.map(|_| each.read_next_within().unwrap().1)
        };
        assert_eq!(arounds(Some("::")), [None, Some((0, 1)), Some((1, 5)), Some((1, 5)), Some((0, 1)), None]);
        assert_eq!(arounds(None), [None; 6]);
    }

    #[test]
    fn a_landmark_that_was_left_begins_keys_all_the_same() {
        let keys =
            Keys(&[("a", None), ("b", Some(0)), ("c", None), ("d", Some(1)), ("e", Some(3))], Some("."));
        let expected = ["a", "a.b", "c", "a.b.d", "a.b.d.e"];
        assert_eq!(whole_keys(&keys), expected);
        assert_eq!(each_key(&keys), expected);
    }
}
