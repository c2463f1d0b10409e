//! Patterns for keys: `*` matches any text, `?` one character, `[a-c]` one of these, `{a,b}` any.

use crate::failure::Failure;
use crate::limits::{MOST_ALTERNATIVES, MOST_WITH_ANY};

/// A pattern of keys. Without `*`, `?`, `[…]` and `{…,…}` it matches every key that contains it.
///
/// Addresses have brackets, too. So `[…]` also matches itself.
#[derive(Clone, Debug)]
pub struct Glob {
    alternatives: Vec<Alternative>,
    ignores_case: bool,
}

/// A pattern without braces.
#[derive(Clone, Debug)]
struct Alternative {
    /// The text before the first `*`, between two, and after the last.
    pieces: Vec<Piece>,
}

/// A part of a pattern that matches a fixed number of characters.
#[derive(Clone, Debug)]
enum Piece {
    Text(String),
    /// With at least one `?` or `[…]`.
    Characters(Vec<Character>),
}

#[derive(Clone, Debug)]
enum Character {
    Any,
    One(char),
    /// One character in any of these ranges, or, if the flag is set, in none of them.
    Class(Vec<(char, char)>, bool),
}

impl Glob {
    /// Parses the pattern `text`.
    pub fn new(text: &str) -> Result<Glob, Failure> {
        Glob::with_case(text, false)
    }

    /// Parses the pattern `text`. It may ignore the case of letters.
    pub fn with_case(text: &str, ignores_case: bool) -> Result<Glob, Failure> {
        let text = if ignores_case { text.to_lowercase() } else { text.to_owned() };
        let mut alternatives = Vec::new();
        for text in expanded(&text)? {
            let has_class = class_at(&text).is_some();
            if !text.contains(['*', '?']) {
                alternatives.push(Alternative::containing(&text));
            }
            for as_classes in [false, true] {
                if text.contains(['*', '?']) && !as_classes || has_class && as_classes {
                    alternatives.push(Alternative::new(&text, as_classes)?);
                }
            }
        }
        Ok(Glob { alternatives, ignores_case })
    }

    /// Whether all of `key` matches.
    pub fn matches(&self, key: &str) -> bool {
        match self.ignores_case {
            true => {
                let key = key.to_lowercase();
                self.alternatives.iter().any(|alternative| alternative.matches(&key))
            }
            false => self.alternatives.iter().any(|alternative| alternative.matches(key)),
        }
    }
}

/// The patterns to which one with braces expands.
fn expanded(text: &str) -> Result<Vec<String>, Failure> {
    let (mut done, mut pending) = (Vec::new(), vec![text.to_owned()]);
    while let Some(text) = pending.pop() {
        if done.len() + pending.len() >= MOST_ALTERNATIVES {
            let message = format!("the pattern expands to more than {MOST_ALTERNATIVES} patterns");
            return Err(Failure::usage(message).with_hint("use fewer braces"));
        }
        let Some((before, inner, after)) = braces(&text) else {
            done.push(text);
            continue;
        };
        pending.extend(inner.split(',').rev().map(|one| format!("{before}{one}{after}")));
    }
    Ok(done)
}

/// The first braces with a comma, and without inner braces.
fn braces(text: &str) -> Option<(&str, &str, &str)> {
    let ends = text.match_indices('}').map(|(end, _)| end);
    ends.into_iter().find_map(|end| {
        let start = text[..end].rfind('{')?;
        let inner = &text[start + 1..end];
        let is_list = inner.contains(',') && !inner.contains('}');
        is_list.then_some((&text[..start], inner, &text[end + 1..]))
    })
}

/// The first character class in `text`: its start, the class, and its end.
fn class_at(text: &str) -> Option<(usize, Character, usize)> {
    let start = text.find('[')?;
    let inner = &text[start + 1..];
    let (inner, is_not) = match inner.strip_prefix(['!', '^']) {
        Some(inner) => (inner, true),
        None => (inner, false),
    };
    // A bracket in the first position is a member.
    let length = inner.char_indices().skip(1).find(|&(_, c)| c == ']').map(|(at, _)| at)?;
    let end = text.len() - inner.len() + length + 1;
    let members: Vec<char> = inner[..length].chars().collect();
    let (mut ranges, mut rest) = (Vec::new(), &members[..]);
    while let [first, after @ ..] = rest {
        rest = match after {
            ['-', last, after @ ..] => {
                ranges.push((*first, *last));
                after
            }
            after => {
                ranges.push((*first, *first));
                after
            }
        };
    }
    Some((start, Character::Class(ranges, is_not), end))
}

impl Alternative {
    fn containing(text: &str) -> Alternative {
        Alternative { pieces: ["", text, ""].map(|text| Piece::Text(text.to_owned())).into() }
    }

    fn new(text: &str, with_classes: bool) -> Result<Alternative, Failure> {
        let pieces = Piece::all(text, with_classes);
        let between = pieces.get(1..pieces.len() - 1).unwrap_or_default();
        match between.iter().map(Piece::steps).max() {
            Some(steps) if steps > MOST_WITH_ANY => {
                let message = format!("the pattern has {steps} characters, including `?`, between two `*`");
                let hint = format!("at most {MOST_WITH_ANY} are allowed; put a `*` between them");
                Err(Failure::usage(message).with_hint(hint))
            }
            _ => Ok(Alternative { pieces }),
        }
    }

    fn matches(&self, key: &str) -> bool {
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

impl Character {
    fn is(&self, other: char) -> bool {
        match self {
            Character::Any => true,
            Character::One(c) => *c == other,
            Character::Class(ranges, is_not) => {
                ranges.iter().any(|&(first, last)| (first..=last).contains(&other)) != *is_not
            }
        }
    }
}

impl Piece {
    /// The pieces of a pattern, between its `*`. A `*` in a class is a member.
    fn all(text: &str, with_classes: bool) -> Vec<Piece> {
        let (mut pieces, mut piece, mut rest) = (Vec::new(), Vec::new(), text);
        let mut end = |piece: &mut Vec<Character>| pieces.push(Piece::of(std::mem::take(piece)));
        while let Some(c) = rest.chars().next() {
            if with_classes && let Some((0, class, length)) = class_at(rest) {
                piece.push(class);
                rest = &rest[length..];
                continue;
            }
            match c {
                '*' => end(&mut piece),
                '?' => piece.push(Character::Any),
                c => piece.push(Character::One(c)),
            }
            rest = &rest[c.len_utf8()..];
        }
        end(&mut piece);
        pieces
    }

    fn of(characters: Vec<Character>) -> Piece {
        let text = characters.iter().map(|character| match character {
            Character::One(c) => Some(*c),
            _ => None,
        });
        match text.collect() {
            Some(text) => Piece::Text(text),
            None => Piece::Characters(characters),
        }
    }

    /// The number of steps for each character of a search.
    fn steps(&self) -> usize {
        match self {
            Piece::Text(_) => 1,
            Piece::Characters(piece) => piece.iter().map(Character::steps).sum(),
        }
    }

    /// The end of the piece, if `text` begins with it.
    fn begins(&self, text: &str) -> Option<usize> {
        match self {
            Piece::Text(piece) => text.starts_with(piece.as_str()).then_some(piece.len()),
            Piece::Characters(piece) => {
                let mut rest = text.chars();
                let is_there = piece.iter().all(|wanted| rest.next().is_some_and(|other| wanted.is(other)));
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

impl Character {
    fn steps(&self) -> usize {
        match self {
            Character::Class(ranges, _) => ranges.len().max(1),
            _ => 1,
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
    fn a_star_matches_any_text_and_a_question_mark_one_character() {
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
    fn a_text_without_wildcards_matches_anywhere() {
        assert!(matches("ec2", "aws:ec2/instance"));
        assert!(!matches("ec3", "aws:ec2/instance"));
        assert!(matches("", ""));
    }

    #[test]
    fn many_stars_do_not_take_exponential_time() {
        assert!(!matches(&"*a".repeat(50), &format!("{}b", "a".repeat(2000))));
    }

    #[test]
    fn pieces_with_many_steps_per_character_are_not_long() {
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

    #[test]
    fn a_class_is_one_of_its_members_or_its_own_text() {
        assert!(matches("web-[1-3]*", "web-2.x"));
        assert!(!matches("web-[1-3]*", "web-4.x"));
        assert!(matches("web-[!1-3]*", "web-4.x"));
        assert!(matches("*.a[0]", "aws_subnet.a[0]"));
        assert!(matches("*.a[0]", "aws_subnet.a0"));
        assert!(matches("a[*]", "a[7]"));
        assert!(matches("a[0]", "aws.a[0].b"), "without `*` and `?` it is also a text");
        assert!(matches("[]x]?", "]b"));
        assert!(matches("a[b*", "a[bc"));
        assert!(matches("*[?]", "x?"));
    }

    #[test]
    fn braces_are_alternatives() {
        let pattern = "aws_{vpc,sub{net,domain}}.*";
        for (key, is_match) in
            [("aws_vpc.a", true), ("aws_subnet.a", true), ("aws_subdomain.a", true), ("aws_web.a", false)]
        {
            assert_eq!(matches(pattern, key), is_match, "{key}");
        }
        assert!(matches("{a,b}", "xbx"), "without `*` each is a text");
        assert!(matches("{a}*", "{a}b"));
        assert!(Glob::new(&"{a,b}".repeat(20)).is_err());
    }

    #[test]
    fn the_case_of_letters_can_be_ignored() {
        let glob = Glob::with_case("*:VPC::*", true).unwrap();
        assert!(glob.matches("urn:x:Vpc::A") && !matches("*:VPC::*", "urn:x:Vpc::A"));
        assert!(Glob::with_case("ÄB", true).unwrap().matches("xäbx"));
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
        fn a_pattern_matches_its_meaning(pattern in "[*?][aé*?]{0,7}", key in "[aéb]{0,9}") {
            let [pattern_text, key_text] = [&pattern, &key].map(|text| text.chars().collect::<Vec<_>>());
            prop_assert_eq!(matches(&pattern, &key), means(&pattern_text, &key_text));
        }
    }
}
