//! Patterns for keys: `*` stands for any text, `?` for one character.

/// A pattern of keys. Without `*` and `?` it matches every key that contains it.
#[derive(Clone, Debug)]
pub(crate) struct Glob(Vec<char>);

impl Glob {
    /// The pattern that `text` states.
    pub(crate) fn new(text: &str) -> Glob {
        match text.contains(['*', '?']) {
            true => Glob(text.chars().collect()),
            false => Glob(format!("*{text}*").chars().collect()),
        }
    }

    /// Whether all of `key` matches. Costs at most the product of both lengths.
    pub(crate) fn matches(&self, key: &str) -> bool {
        let pattern = &self.0;
        let key: Vec<char> = key.chars().collect();
        let (mut at, mut next) = (0, 0);
        // Where to go on when a text after the last `*` does not match: one character further.
        let mut retry: Option<(usize, usize)> = None;
        while at < key.len() {
            match pattern.get(next) {
                Some('*') => {
                    retry = Some((next, at));
                    next += 1;
                }
                Some(&c) if c == '?' || c == key[at] => {
                    at += 1;
                    next += 1;
                }
                _ => match retry {
                    Some((star, from)) => {
                        retry = Some((star, from + 1));
                        (at, next) = (from + 1, star + 1);
                    }
                    None => return false,
                },
            }
        }
        pattern[next..].iter().all(|&c| c == '*')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_text_and_a_question_mark_for_one_character() {
        let glob = Glob::new("aws:*/inst?nce:*");
        assert!(glob.matches("aws:ec2/instance:Instance"));
        assert!(!glob.matches("aws:ec2/instnce:Instance"));
        assert!(!glob.matches("x-aws:ec2/instance:Instance"));
        assert!(Glob::new("*").matches(""));
        assert!(!Glob::new("?").matches(""));
        assert!(Glob::new("a*b*c").matches("a-b-b-c"));
        assert!(!Glob::new("a*b*c").matches("a-c-b"));
    }

    #[test]
    fn a_text_without_wildcards_matches_where_it_occurs() {
        assert!(Glob::new("ec2").matches("aws:ec2/instance"));
        assert!(!Glob::new("ec3").matches("aws:ec2/instance"));
    }

    #[test]
    fn many_stars_do_not_take_exponential_time() {
        let glob = Glob::new(&"*a".repeat(50));
        assert!(!glob.matches(&format!("{}b", "a".repeat(2000))));
    }
}
