//! §16.4 Patterns of places: JSON pointers in which `*` matches one step and `**` any number.

use coconut_format::graph::{PathSet, Place};
use coconut_format::node::{Kind, Node};
use coconut_format::pointer;

/// A pattern of JSON pointers, for rules about differences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacePattern {
    steps: Vec<PatternStep>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum PatternStep {
    /// The step with this text.
    Text(String),
    /// Any step: `*`.
    One,
    /// Any number of steps, including zero: `**`.
    Any,
}

/// A pattern that is neither empty nor begins with `/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAPlace;

impl PlacePattern {
    /// Parses a pattern. The empty pattern is the root.
    pub fn parse(text: &str) -> Result<PlacePattern, NotAPlace> {
        let steps = pointer::keys(text).ok_or(NotAPlace)?.map(|step| match &*step {
            "*" => PatternStep::One,
            "**" => PatternStep::Any,
            _ => PatternStep::Text(step.into_owned()),
        });
        Ok(PlacePattern { steps: steps.collect() })
    }

    /// Whether the place matches the pattern.
    pub fn is(&self, place: &str) -> bool {
        self.reaches(place, false)
    }

    /// Whether the place matches the pattern, or is below a match.
    pub fn covers(&self, place: &str) -> bool {
        self.reaches(place, true)
    }

    fn reaches(&self, place: &str, or_below: bool) -> bool {
        let Some(keys) = pointer::keys(place) else { return false };
        let mut at = self.start();
        for key in keys {
            if or_below && self.is_end(&at) {
                return true;
            }
            at = self.after(&at, &key);
        }
        self.is_end(&at)
    }

    /// Whether a place in a value matches. The value is at `place`, and `around` among the secrets.
    ///
    /// A secret matches if a value in it could, because its contents must not be shown. After
    /// `left` values, the rest matches, too.
    pub fn is_in<'a, N: Node<'a>>(
        &self,
        place: &str,
        (value, around): (N, Place),
        secrets: &PathSet,
        left: &mut u64,
    ) -> bool {
        let Some(mut keys) = pointer::keys(place) else { return false };
        let at = keys.try_fold(self.start(), |at, key| {
            let at = self.after(&at, &key);
            at.contains(&true).then_some(at)
        });
        let mut open: Vec<_> = at.into_iter().map(|at| (value, around, at)).collect();
        while let Some((value, around, at)) = open.pop() {
            if self.is_end(&at) || around == Place::Inside || *left == 0 {
                return true;
            }
            *left -= 1;
            let mut visit = |key: &str, below: N, around| {
                let at = self.after(&at, key);
                if at.contains(&true) {
                    open.push((below, around, at));
                }
            };
            match value.kind() {
                Kind::List => value.items().enumerate().for_each(|(index, item)| {
                    visit(&index.to_string(), item, secrets.enter_item(around, index));
                }),
                Kind::Object => {
                    value
                        .entries()
                        .for_each(|(key, below)| visit(key, below, secrets.enter_key(around, key)));
                }
                _ => {}
            }
        }
        false
    }

    /// All alternatives of the pattern at the root: `at[n]` is set if `n` steps are matched.
    fn start(&self) -> Vec<bool> {
        let mut at = vec![false; self.steps.len() + 1];
        at[0] = true;
        self.pass_any(&mut at);
        at
    }

    /// Follows all alternatives at once by one step of a place.
    fn after(&self, at: &[bool], key: &str) -> Vec<bool> {
        let mut next = vec![false; at.len()];
        for (n, step) in self.steps.iter().enumerate().filter(|&(n, _)| at[n]) {
            match step {
                PatternStep::Any => next[n] = true,
                PatternStep::One => next[n + 1] = true,
                PatternStep::Text(text) if *text == *key => next[n + 1] = true,
                PatternStep::Text(_) => {}
            }
        }
        self.pass_any(&mut next);
        next
    }

    fn is_end(&self, at: &[bool]) -> bool {
        at[self.steps.len()]
    }

    /// A `**` may match zero steps.
    fn pass_any(&self, at: &mut [bool]) {
        for (n, step) in self.steps.iter().enumerate() {
            if at[n] && *step == PatternStep::Any {
                at[n + 1] = true;
            }
        }
    }
}

/// Whether `text` matches `pattern`, in which each `*` matches any text.
pub(crate) fn is_like(pattern: &str, text: &str) -> bool {
    let mut pieces = pattern.split('*');
    let Some(mut rest) = text.strip_prefix(pieces.next().unwrap_or_default()) else { return false };
    let mut pieces: Vec<&str> = pieces.collect();
    let Some(last) = pieces.pop() else { return rest.is_empty() };
    for piece in pieces {
        match rest.find(piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(text: &str) -> PlacePattern {
        PlacePattern::parse(text).unwrap()
    }

    #[test]
    fn stars_stand_for_steps() {
        assert!(pattern("/a/*/c").is("/a/b/c") && !pattern("/a/*/c").is("/a/c"));
        assert!(pattern("/a/**/c").is("/a/c") && pattern("/a/**/c").is("/a/b/b/c"));
        assert!(!pattern("/a/**/c").is("/a/c/d") && pattern("/a/**/c").covers("/a/c/d"));
        assert!(pattern("").is("") && !pattern("").is("/a") && pattern("").covers("/a"));
        assert!(pattern("/a~1b").is("/a~1b") && !pattern("/a~1b").is("/a/b"));
        assert_eq!(PlacePattern::parse("a"), Err(NotAPlace));
    }

    #[test]
    fn many_stars_take_no_time() {
        let long = "/a".repeat(2_000);
        assert!(!pattern(&"/**/a".repeat(40)).is(&format!("{long}/b")));
    }

    #[test]
    fn a_text_with_stars_is_like_many() {
        assert!(is_like("aws:*", "aws:ec2/vpc:Vpc") && is_like("*", "") && is_like("a*c*e", "abcde"));
        assert!(!is_like("a*c", "ab") && !is_like("a", "ab") && !is_like("aa*aa", "aaa"));
    }
}
