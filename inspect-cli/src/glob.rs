//! Patterns for keys: `*` matches any text, `?` one character.

use crate::failure::Failure;
use crate::limits::MOST_WITH_ANY;

/// A pattern of keys. Without `*` and `?` it matches every key that contains it.
#[derive(Clone, Debug)]
pub(crate) struct Glob {
    /// The text before the first `*`, between two, and after the last.
    pieces: Vec<Piece>,
}

/// Part of a pattern that matches a fixed number of characters.
#[derive(Clone, Debug)]
enum Piece {
    Text(String),
    /// With at least one `?`.
    Characters(Vec<char>),
}

impl Glob {
    /// Parses the pattern `text`.
    pub(crate) fn new(text: &str) -> Result<Glob, Failure> {
        if !text.contains(['*', '?']) {
            return Ok(Glob { pieces: ["", text, ""].map(|text| Piece::Text(text.to_owned())).into() });
        }
        let pieces: Vec<Piece> = text.split('*').map(Piece::new).collect();
        let between = pieces.get(1..pieces.len() - 1).unwrap_or_default();
        match between.iter().map(Piece::steps).max() {
            Some(steps) if steps > MOST_WITH_ANY => {
                let message = format!("the pattern has {steps} characters, including `?`, between two `*`");
                let hint = format!("at most {MOST_WITH_ANY} are allowed; put a `*` between them");
                Err(Failure::usage(message).with_hint(hint))
            }
            _ => Ok(Glob { pieces }),
        }
    }

    /// Whether all of `key` matches.
    pub(crate) fn matches(&self, key: &str) -> bool {
        let [first, between @ .., last] = &self.pieces[..] else {
            return self.pieces.iter().all(|piece| piece.begins(key) == Some(key.len()));
        };
        let Some(mut at) = first.begins(key) else { return false };
        for piece in between {
            // Taking the first place is always right: it leaves most of the key.
            match piece.find(&key[at..]) {
                Some(end) => at += end,
                None => return false,
            }
        }
        last.ends(&key[at..])
    }
}

impl Piece {
    fn new(text: &str) -> Piece {
        match text.contains('?') {
            true => Piece::Characters(text.chars().collect()),
            false => Piece::Text(text.to_owned()),
        }
    }

    /// The number of steps for each character of a search.
    fn steps(&self) -> usize {
        match self {
            Piece::Text(_) => 1,
            Piece::Characters(piece) => piece.len(),
        }
    }

    /// The end of the piece, if `text` begins with it.
    fn begins(&self, text: &str) -> Option<usize> {
        match self {
            Piece::Text(piece) => text.starts_with(piece.as_str()).then_some(piece.len()),
            Piece::Characters(piece) => {
                let mut rest = text.chars();
                let is_there = piece.iter().all(|&c| rest.next().is_some_and(|other| c == '?' || c == other));
                is_there.then(|| text.len() - rest.as_str().len())
            }
        }
    }

    /// The end of the first occurrence in `text`.
    fn find(&self, text: &str) -> Option<usize> {
        match self {
            Piece::Text(piece) => text.find(piece.as_str()).map(|at| at + piece.len()),
            Piece::Characters(_) => {
                text.char_indices().find_map(|(at, _)| self.begins(&text[at..]).map(|end| at + end))
            }
        }
    }

    /// Whether `text` ends with the piece.
    fn ends(&self, text: &str) -> bool {
        match self {
            Piece::Text(piece) => text.ends_with(piece.as_str()),
            Piece::Characters(piece) => {
                let last = text.char_indices().rev().nth(piece.len() - 1);
                last.is_some_and(|(at, _)| self.begins(&text[at..]).is_some())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn matches(pattern: &str, key: &str) -> bool {
        Glob::new(pattern).unwrap().matches(key)
    }

    #[test]
    fn a_star_stands_for_any_text_and_a_question_mark_for_one_character() {
        let pattern = "aws:*/inst?nce:*";
        assert!(matches(pattern, "aws:ec2/instance:Instance"));
        assert!(!matches(pattern, "aws:ec2/instnce:Instance"));
        assert!(!matches(pattern, "x-aws:ec2/instance:Instance"));
        assert!(matches("*", ""));
        assert!(!matches("?", ""));
        assert!(matches("?", "\u{1f965}"));
        assert!(!matches("a*a", "a"));
        assert!(matches("a*b*c", "a-b-b-c"));
        assert!(!matches("a*b*c", "a-c-b"));
    }

    #[test]
    fn a_text_without_wildcards_matches_where_it_occurs() {
        assert!(matches("ec2", "aws:ec2/instance"));
        assert!(!matches("ec3", "aws:ec2/instance"));
        assert!(matches("", ""));
    }

    #[test]
    fn many_stars_do_not_take_exponential_time() {
        assert!(!matches(&"*a".repeat(50), &format!("{}b", "a".repeat(2000))));
    }

    #[test]
    fn what_takes_many_steps_for_each_character_is_not_long() {
        let any = "?".repeat(MOST_WITH_ANY);
        assert!(matches(&format!("*{any}*{any}"), &"a".repeat(2 * MOST_WITH_ANY)));
        assert!(matches(&format!("{any}?*"), &"a".repeat(2 * MOST_WITH_ANY)));
        assert!(matches(&format!("*?{any}"), &"a".repeat(2 * MOST_WITH_ANY)));
        assert!(matches(&format!("?{any}"), &"a".repeat(1 + MOST_WITH_ANY)));
        let lines = Glob::new(&format!("*{any}\u{1f965}*")).unwrap_err().to_lines();
        assert_eq!(
            lines.trim_end(),
            "the pattern has 1025 characters, including `?`, between two `*`\n  = at most 1024 are allowed; put a `*` between them"
        );
    }

    /// A simple reference implementation, for short patterns.
    fn means(pattern: &[char], key: &[char]) -> bool {
        match (pattern, key) {
            ([], key) => key.is_empty(),
            (['*', rest @ ..], key) => (0..=key.len()).any(|at| means(rest, &key[at..])),
            ([c, rest @ ..], [first, others @ ..]) => (*c == '?' || c == first) && means(rest, others),
            (_, []) => false,
        }
    }

    proptest! {
        #[test]
        fn a_pattern_matches_what_it_means(pattern in "[*?][aé*?]{0,7}", key in "[aéb]{0,9}") {
            let [pattern_text, key_text] = [&pattern, &key].map(|text| text.chars().collect::<Vec<_>>());
            prop_assert_eq!(matches(&pattern, &key), means(&pattern_text, &key_text));
        }
    }
}
