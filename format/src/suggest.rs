//! Suggestions for a missing key.
//!
//! A request for one key gets all similar keys ([`near_keys`]), which requires a close comparison
//! with every key. A document may contain many dangling references, and all tools use one rule for
//! them (§15.9): they find the nearest key by comparing the ends of each.

/// Maximum number of suggested keys.
const SUGGESTIONS: usize = 5;

/// Number of keys that [`Nearest`] compares letter by letter: those that share most at both ends.
const CANDIDATES: usize = 8;

/// Maximum bytes of a compared key. Typing errors occur in short keys; `ls` finds longer ones.
#[doc(hidden)]
pub const COMPARED: usize = 1024;

/// At most five distinct keys nearest to `wanted`, best first. They differ only in the case of
/// ASCII letters, end with it, contain it, or are a few typing errors away.
///
/// Costs a comparison with every key. Keys of a very different length, and those of more than
/// 1 KiB, are skipped.
///
/// ```
/// use coconut_format::suggest::near_keys;
///
/// let keys = ["aws:ec2:Subnet", "aws:ec2:Vpc"].map(str::to_owned);
/// assert_eq!(near_keys("aws:ec2:Subent", keys.into_iter()), ["aws:ec2:Subnet"]);
/// ```
pub fn near_keys(wanted: &str, keys: impl Iterator<Item = String>) -> Vec<String> {
    if wanted.len() > COMPARED {
        return Vec::new();
    }
    // The table of all other letters would be 15 kB of a program.
    let lower = wanted.to_ascii_lowercase();
    let mut found: Vec<(usize, String)> = Vec::new();
    for key in keys.filter(|key| key.len() <= COMPARED) {
        if let Some(distance) = distance(&lower, &key.to_ascii_lowercase()) {
            keep_best(&mut found, (distance, key));
        }
    }
    found.into_iter().map(|(_, key)| key).collect()
}

/// The key most similar to `wanted`, if typing errors can explain the difference.
pub(crate) fn nearest<'k>(wanted: &str, keys: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    let mut nearest = Nearest::to(wanted);
    keys.for_each(|key| nearest.look_at(key));
    nearest.found()
}

/// A search for the key most similar to `wanted`, one key after another.
///
/// Linear in the number of keys: each is compared only at its ends, and then the best few letter by
/// letter. At most one letter in four may be wrong.
pub(crate) struct Nearest<'w, K> {
    wanted: &'w str,
    /// The best keys, each with its number of shared bytes, highest first.
    candidates: Vec<(usize, K)>,
}

impl<'w, K: AsRef<str>> Nearest<'w, K> {
    pub(crate) fn to(wanted: &'w str) -> Nearest<'w, K> {
        Nearest { wanted, candidates: Vec::new() }
    }

    pub(crate) fn look_at<'k, T>(&mut self, key: &'k T)
    where
        T: AsRef<str> + ?Sized,
        K: From<&'k T>,
    {
        let text = key.as_ref();
        let is_comparable = self.wanted.len() <= COMPARED && text.len() <= COMPARED && text != self.wanted;
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

    pub(crate) fn wanted(&self) -> &'w str {
        self.wanted
    }

    pub(crate) fn found(self) -> Option<K> {
        let wanted = self.wanted;
        let most = wanted.chars().count() / 4;
        let near = self
            .candidates
            .into_iter()
            .filter_map(|(_, key)| edits_within(wanted, key.as_ref(), most).map(|edits| (edits, key)));
        near.min_by_key(|(edits, _)| *edits).map(|(_, key)| key)
    }
}

/// The number of bytes that two texts share at both ends together.
fn shared_ends(a: &[u8], b: &[u8]) -> usize {
    let shortest = a.len().min(b.len());
    let front = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let back = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    (front + back).min(shortest)
}

/// Adds a key to the best ones, which are sorted and distinct.
fn keep_best(found: &mut Vec<(usize, String)>, key: (usize, String)) {
    let place = found.partition_point(|known| *known < key);
    if place < SUGGESTIONS && found.get(place) != Some(&key) {
        found.insert(place, key);
        found.truncate(SUGGESTIONS);
    }
}

/// The distance of `key` from `wanted`, both in lower case; `None` if it is too far.
fn distance(wanted: &str, key: &str) -> Option<usize> {
    const CONTAINS: usize = 2;
    if wanted == key {
        return Some(0);
    }
    if key.ends_with(wanted) && !wanted.is_empty() {
        return Some(1);
    }
    let letters = wanted.chars().count();
    // At least one letter must match.
    let allowed = (letters / 4).clamp(1, 8).min(letters.saturating_sub(1));
    let edits = edits_within(wanted, key, allowed).map(|edits| edits + CONTAINS);
    // The search of the standard library would be 3 kB of a program, for at most 1 KiB of text.
    let mut parts = key.as_bytes().windows(wanted.len().max(1));
    let is_wanted = |part: &[u8]| part.first() == wanted.as_bytes().first() && part == wanted.as_bytes();
    match letters >= 3 && parts.any(is_wanted) {
        true => Some(edits.map_or(CONTAINS, |edits| edits.min(CONTAINS))),
        false => edits,
    }
}

/// The number of characters to insert, delete or replace to turn `a` into `b`; `None` if more than
/// `limit`.
///
/// Costs `limit` steps for each character: a path with so few edits stays near the diagonal.
fn edits_within(a: &str, b: &str, limit: usize) -> Option<usize> {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > limit {
        return None;
    }
    let far = limit + 1;
    let mut row: Vec<usize> = (0..b.len() + 1).map(|edits| edits.min(far)).collect();
    for (i, &c) in a.iter().enumerate() {
        let (first, last) = (i.saturating_sub(limit), b.len().min(i + 1 + limit));
        // The cell to the left of the band was inside it one row earlier.
        let mut diagonal = row[first];
        row[first] = if first == 0 { (i + 1).min(far) } else { far };
        let mut least = row[first];
        for j in first..last {
            let replaced = diagonal + usize::from(c != b[j]);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1).min(far);
            least = least.min(row[j + 1]);
        }
        if least > limit {
            return None;
        }
    }
    row.last().copied().filter(|&edits| edits <= limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(wanted: &str, keys: &[&str]) -> Vec<String> {
        near_keys(wanted, keys.iter().map(|key| (*key).to_owned()))
    }

    #[test]
    fn case_comes_before_endings_and_endings_before_typing_errors() {
        let keys = ["aws:ec2:Subnet", "subnet", "Subnets", "Vpc", "sbunet"];
        assert_eq!(near("SUBNET", &keys), ["subnet", "aws:ec2:Subnet", "Subnets"]);
        assert_eq!(near("subnot", &keys), ["subnet"]);
    }

    #[test]
    fn unrelated_keys_are_not_near() {
        assert_eq!(near("gateway", &["subnet", "vpc"]), [""; 0]);
        assert_eq!(near("a", &["b", "", "ab"]), [""; 0]);
        assert_eq!(near("", &["b"]), [""; 0]);
    }

    #[test]
    fn edits_are_counted_up_to_the_limit() {
        assert_eq!(edits_within("kitten", "sitting", 3), Some(3));
        assert_eq!(edits_within("kitten", "sitting", 2), None);
        assert_eq!(edits_within("", "ab", 2), Some(2));
        assert_eq!(edits_within("é", "e", 1), Some(1));
        assert_eq!(edits_within("same", "same", 0), Some(0));
    }

    #[test]
    fn edits_near_the_diagonal_are_those_of_the_whole_table() {
        /// The number of edits by the whole table, row by row.
        fn edits(a: &[char], b: &[char]) -> usize {
            let mut table = vec![(0..=b.len()).collect::<Vec<_>>()];
            for (i, c) in a.iter().enumerate() {
                let mut row = vec![i + 1];
                for (j, d) in b.iter().enumerate() {
                    row.push((table[i][j] + usize::from(c != d)).min(table[i][j + 1] + 1).min(row[j] + 1));
                }
                table.push(row);
            }
            table[a.len()][b.len()]
        }
        let words: Vec<String> = (0..243u32)
            .map(|n| (0..5).map(|at| char::from(b'a' + (n / 3u32.pow(at) % 3) as u8)).collect::<String>())
            .map(|word| word.trim_end_matches('a').to_owned())
            .collect();
        for (a, b) in words.iter().flat_map(|a| words.iter().map(move |b| (a, b))) {
            let (c, d): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
            for limit in [0, 1, 2, 5] {
                let expected = Some(edits(&c, &d)).filter(|&edits| edits <= limit);
                assert_eq!(edits_within(a, b, limit), expected, "{a} {b} within {limit}");
            }
        }
    }

    #[test]
    fn keys_longer_than_a_kib_are_not_compared() {
        let (longest, longer) = ("k".repeat(1024), "k".repeat(1025));
        assert_eq!(near(&longest, &[&longest, &longer]), [&longest[..]]);
        assert_eq!(near(&longer, &[&longest, &longer]), [""; 0]);
    }

    #[test]
    fn the_nearest_key_has_the_right_delimiter() {
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
    fn no_wholly_different_key_is_nearest() {
        assert_eq!(nearest("subnet", ["bucket", "role"].into_iter()), None);
        assert_eq!(nearest("abc", ["abd"].into_iter()), None);
    }
}
