//! §15.8 Walks along the paths of constant tables.
//!
//! The paths are texts as in a landmark rule (§8.1): `/key`, `/*` for each entry or item, and
//! `(/…)*` for levels that may be repeated. They are compared with keys as they are, so a walk has
//! no cost before its first value. A rule would be parsed, and compiled into a matcher, first.

use crate::landmark::Trail;
use crate::node::{Kind, Node};

/// A path, and the offset in it of what the values below a value are compared with. That is the
/// slash of a segment, or the end of the path.
#[derive(Clone, Copy)]
struct Rest {
    row: usize,
    path: &'static str,
    at: usize,
    /// The offset of the end of that segment.
    end: usize,
}

impl Rest {
    fn new(row: usize, path: &'static str, at: usize) -> Rest {
        let bytes = path.as_bytes().get(at + 1..).unwrap_or_default();
        let length = bytes.iter().position(|byte| b"/()".contains(byte)).unwrap_or(bytes.len());
        Rest { row, path, at, end: at + 1 + length }
    }

    /// Adds what can follow `at`, an offset at which a segment may begin. A group is entered, left
    /// out or repeated.
    fn push_from(self, at: usize, rests: &mut Vec<Rest>) {
        let around = match self.path.as_bytes().get(at) {
            Some(b'(') => Some((at + 1, self.path[at..].find(")*").map(|end| at + end + 2))),
            Some(b')') => Some((self.path[..at].rfind('(').map_or(0, |start| start + 1), Some(at + 2))),
            _ => None,
        };
        match around {
            Some((inside, after)) => {
                rests.push(Rest::new(self.row, self.path, inside));
                if let Some(after) = after {
                    self.push_from(after, rests);
                }
            }
            None => rests.push(Rest::new(self.row, self.path, at)),
        }
    }

    /// The offset after the next segment, if it matches.
    fn after(self, trail: Trail<'_>) -> Option<usize> {
        let segment = self.path.as_bytes().get(self.at + 1..self.end)?;
        let is_same = match trail {
            _ if segment == b"*" => true,
            Trail::Entry(key) => key.as_bytes() == segment,
            _ => false,
        };
        is_same.then_some(self.end)
    }

    fn is_end(self) -> bool {
        self.at == self.path.len()
    }
}

/// The values in a container, with the steps to them.
pub(super) type Children<'a, N> = Box<dyn Iterator<Item = (Trail<'a>, N)> + 'a>;

pub(super) fn children<'a, N: Node<'a>>(value: N) -> Option<Children<'a, N>> {
    match value.kind() {
        Kind::Object => Some(Box::new(value.entries().map(|(key, value)| (Trail::Entry(key), value)))),
        Kind::List => Some(Box::new(value.numbered_items().map(|(index, item)| (Trail::Item(index), item)))),
        _ => None,
    }
}

/// Calls `each` with every value that one of the paths leads to: its path, the value, and the
/// number of the table's path. Visits the values on the ways there, without recursion.
pub(super) fn visit<'a, N: Node<'a>>(
    root: N,
    paths: impl Iterator<Item = &'static str>,
    each: &mut dyn FnMut(&[Trail<'a>], N, usize),
) {
    let mut rests = Vec::new();
    for (row, path) in paths.enumerate() {
        Rest::new(row, path, 0).push_from(0, &mut rests);
    }
    let mut path: Vec<Trail<'a>> = Vec::new();
    // The open containers, each with the rests that its values are compared with.
    let mut open: Vec<(Children<'a, N>, std::ops::Range<usize>)> = Vec::new();
    let mut next = Some((root, 0));
    loop {
        if let Some((value, first)) = next.take() {
            let here = first..rests.len();
            for rest in rests[here.clone()].iter().filter(|rest| rest.is_end()) {
                each(&path, value, rest.row);
            }
            let goes_on = rests[here.clone()].iter().any(|rest| !rest.is_end());
            if let Some(values) = goes_on.then(|| children(value)).flatten() {
                open.push((values, here));
            }
        }
        let depth = open.len();
        let Some((values, around)) = open.last_mut() else { return };
        let Some((trail, value)) = values.next() else {
            open.pop();
            continue;
        };
        rests.truncate(around.end);
        for number in around.clone() {
            let rest = rests[number];
            if let Some(after) = rest.after(trail) {
                rest.push_from(after, &mut rests);
            }
        }
        if rests.len() > around.end {
            path.truncate(depth - 1);
            path.push(trail);
            next = Some((value, around.end));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;
    use crate::landmark::{LandmarkRule, Walk};

    /// The same as a walk under a rule.
    #[test]
    fn a_walk_meets_what_a_landmark_rule_finds() {
        const PATHS: [&str; 6] =
            ["/a", "/*", "/a/*/b", "/a(/b/*)*/c", "/x(/*)*/y", "/configuration(/a/*/b)*/*"];
        let mut seed = 1_u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        fn grow(depth: u32, random: &mut dyn FnMut(u64) -> u64) -> Value {
            const KEYS: [&str; 9] = ["a", "b", "c", "x", "y", "configuration", "*", "a/b", "(/b/*)*"];
            match random(if depth == 0 { 1 } else { 4 }) {
                0 => Value::Null,
                1 => Value::List((0..random(4)).map(|_| grow(depth - 1, random)).collect()),
                _ => Value::Object(
                    KEYS.iter()
                        .filter_map(|key| match random(2) {
                            0 => Some(((*key).to_owned(), grow(depth - 1, random))),
                            _ => None,
                        })
                        .collect(),
                ),
            }
        }
        let mut count = 0;
        for _ in 0..300 {
            let document = grow(6, &mut random);
            for path in PATHS {
                let mut met = Vec::new();
                visit(&document, [path].into_iter(), &mut |path, _, _| met.push(path.to_vec()));
                met.dedup();
                let rule = LandmarkRule::parse(&[path], None, &[]).unwrap();
                let (mut found, mut way) = (Vec::new(), Vec::new());
                for visited in Walk::new(&rule, &document) {
                    way.truncate(visited.depth.saturating_sub(1));
                    if visited.depth > 0 {
                        way.push(visited.trail);
                    }
                    if visited.class.is_some() {
                        found.push(way.clone());
                    }
                }
                assert_eq!(met, found, "{path} in {document}");
                count += met.len();
            }
        }
        assert!(count > 1000, "{count}");
    }
}
