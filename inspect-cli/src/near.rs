//! Keys that somebody may have meant.

/// How many keys are suggested.
const SUGGESTIONS: usize = 5;

/// The keys nearest to `wanted`, best first: those that differ in case only, that end with it, that contain it, and
/// those a few typing errors away.
///
/// Costs a comparison with every key; keys whose length is too different are passed over.
pub(crate) fn near_keys(wanted: &str, keys: impl Iterator<Item = String>) -> Vec<String> {
    let lower = wanted.to_lowercase();
    let mut found: Vec<(usize, String)> = Vec::new();
    for key in keys {
        let Some(distance) = distance(&lower, &key.to_lowercase()) else { continue };
        found.push((distance, key));
        if found.len() > 64 * SUGGESTIONS {
            keep_best(&mut found);
        }
    }
    keep_best(&mut found);
    found.into_iter().map(|(_, key)| key).collect()
}

fn keep_best(found: &mut Vec<(usize, String)>) {
    found.sort();
    found.dedup();
    found.truncate(SUGGESTIONS);
}

/// How far `key` is from `wanted`, both in lower case; `None` if too far.
fn distance(wanted: &str, key: &str) -> Option<usize> {
    const CONTAINS: usize = 2;
    if wanted == key {
        return Some(0);
    }
    if key.ends_with(wanted) && !wanted.is_empty() {
        return Some(1);
    }
    let allowed = (wanted.chars().count() / 4).clamp(1, 8);
    let edits = edits_within(wanted, key, allowed).map(|edits| edits + CONTAINS);
    match wanted.chars().count() >= 3 && key.contains(wanted) {
        true => Some(edits.map_or(CONTAINS, |edits| edits.min(CONTAINS))),
        false => edits,
    }
}

/// How many characters must be inserted, deleted or replaced to make `b` of `a`; `None` if more than `limit`.
fn edits_within(a: &str, b: &str, limit: usize) -> Option<usize> {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > limit {
        return None;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, &c) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &d) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(c != d);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
        if row.iter().all(|&edits| edits > limit) {
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
    fn nothing_is_near_to_something_else() {
        assert_eq!(near("gateway", &["subnet", "vpc"]), [""; 0]);
    }

    #[test]
    fn edits_are_counted_up_to_the_limit() {
        assert_eq!(edits_within("kitten", "sitting", 3), Some(3));
        assert_eq!(edits_within("kitten", "sitting", 2), None);
        assert_eq!(edits_within("", "ab", 2), Some(2));
    }
}
