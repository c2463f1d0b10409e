//! §14.1 Which name was probably meant.

/// Keys longer than this are not compared.
const LONGEST: usize = 1024;

/// How many keys are compared letter by letter: those that share most at both ends.
const CANDIDATES: usize = 8;

/// The key that is most like `wanted`, if any is so like it that a typing mistake explains the difference.
///
/// Linear in the number of keys: each is compared at its ends only, and the best few then letter by letter. A
/// mistake is at most one letter in four.
pub(super) fn nearest<'k>(wanted: &str, keys: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    let mut nearest = Nearest::to(wanted);
    keys.for_each(|key| nearest.look_at(key));
    nearest.found()
}

/// The search for the key that is most like one, as it looks at one key after the other.
pub(super) struct Nearest<'w, K> {
    wanted: &'w str,
    /// How much each shares with it, most first.
    candidates: Vec<(usize, K)>,
}

impl<'w, K: AsRef<str>> Nearest<'w, K> {
    pub(super) fn to(wanted: &'w str) -> Nearest<'w, K> {
        Nearest { wanted, candidates: Vec::new() }
    }

    pub(super) fn look_at<'k, T>(&mut self, key: &'k T)
    where
        T: AsRef<str> + ?Sized,
        K: From<&'k T>,
    {
        let text = key.as_ref();
        let is_comparable = self.wanted.len() <= LONGEST && text.len() <= LONGEST && text != self.wanted;
        if !is_comparable {
            return;
        }
        let shared = shared_ends(self.wanted.as_bytes(), text.as_bytes());
        let least = self.candidates.last().map(|(least, _)| *least);
        if self.candidates.len() < CANDIDATES || least.is_some_and(|least| shared > least) {
            let place = self.candidates.partition_point(|(other, _)| *other >= shared);
            self.candidates.insert(place, (shared, key.into()));
            self.candidates.truncate(CANDIDATES);
        }
    }

    pub(super) fn wanted(&self) -> &'w str {
        self.wanted
    }

    pub(super) fn found(self) -> Option<K> {
        let wanted = self.wanted;
        let most = wanted.chars().count() / 4;
        let with_distance = self.candidates.into_iter().map(|(_, key)| (distance(wanted, key.as_ref()), key));
        with_distance
            .min_by_key(|(distance, _)| *distance)
            .filter(|(distance, _)| *distance <= most)
            .map(|(_, key)| key)
    }
}

/// How many bytes two texts have in common at their ends, both together.
fn shared_ends(a: &[u8], b: &[u8]) -> usize {
    let shortest = a.len().min(b.len());
    let front = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let back = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    (front + back).min(shortest)
}

/// How many letters must be put in, left out or changed to make `b` of `a` (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (above, a) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = above + 1;
        for (at, &b) in b.iter().enumerate() {
            let changed = diagonal + usize::from(a != b);
            diagonal = row[at + 1];
            row[at + 1] = changed.min(diagonal + 1).min(row[at] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distance_counts_letters() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("é", "e"), 1);
        assert_eq!(distance("same", "same"), 0);
    }

    #[test]
    fn finds_the_key_with_the_right_delimiter() {
        let keys = [
            "urn:x:prod::m:index::net/vpc:VPC::main",
            "urn:x:prod::m:index::net/subnet:Subnet::main",
            "urn:x:prod::m:index::net/subnet:Subnet::other",
        ];
        let wanted = "urn:x:prod::m:index::net/subnet/Subnet::main";
        assert_eq!(nearest(wanted, keys.into_iter()), Some(keys[1]));
    }

    #[test]
    fn the_first_of_equally_near_keys_is_taken() {
        assert_eq!(nearest("abcdx", ["abcda", "abcdb"].into_iter()), Some("abcda"));
    }

    #[test]
    fn nothing_is_near_a_wholly_different_key() {
        assert_eq!(nearest("subnet", ["bucket", "role"].into_iter()), None);
        assert_eq!(nearest("abc", ["abd"].into_iter()), None);
    }
}
