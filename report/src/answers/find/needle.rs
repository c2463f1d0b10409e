//! The texts for which `find` searches.

use crate::failure::Failure;
use coconut_format::truncated::Truncated;
use regex::{Regex, RegexBuilder};
use std::ops::Range;

/// Texts, words or regular expressions. A text matches if it contains one of them.
pub struct Needle {
    patterns: Vec<Regex>,
}

impl Needle {
    /// Any of these texts.
    ///
    /// # Errors
    ///
    /// `USAGE` for an expression that cannot be compiled, or is too large.
    pub fn new(
        texts: &[String],
        is_regex: bool,
        is_word: bool,
        ignores_case: bool,
    ) -> Result<Needle, Failure> {
        let build = |pattern: &str, text: &str| {
            let built = RegexBuilder::new(pattern).case_insensitive(ignores_case).build();
            built.map_err(|error| {
                let failure = Failure::usage(format!("`{}` is not a regular expression", Truncated(text)));
                failure.with_hint(reason(&error))
            })
        };
        let as_word = |pattern: String| match is_word {
            true => format!(r"\b{{start-half}}(?:{pattern})\b{{end-half}}"),
            false => pattern,
        };
        let patterns = match is_regex {
            true => texts.iter().map(|text| {
                // Compiled alone first: combined with other text, `a)(b` would be another
                // expression.
                build(text, text)?;
                build(&as_word(text.clone()), text)
            }),
            // One search for all of them.
            false => {
                let any: Vec<String> = texts.iter().map(|text| regex::escape(text)).collect();
                return Ok(Needle { patterns: vec![build(&as_word(any.join("|")), &texts.join("|"))?] });
            }
        };
        Ok(Needle { patterns: patterns.collect::<Result<_, _>>()? })
    }

    /// Whether a text contains one of them.
    pub fn matches(&self, text: &str) -> bool {
        self.patterns.iter().any(|pattern| pattern.is_match(text))
    }

    /// The first match in a text that contains one.
    pub fn first(&self, text: &str) -> Range<usize> {
        let first = self.patterns.iter().filter_map(|pattern| pattern.find(text));
        first.map(|found| found.range()).min_by_key(|range| range.start).unwrap_or_default()
    }

    /// All matches, ascending by their starts. Those of two expressions may overlap.
    pub fn all(&self, text: &str) -> Vec<Range<usize>> {
        let each = |pattern: &Regex| pattern.find_iter(text).map(|found| found.range()).collect::<Vec<_>>();
        let mut all: Vec<Range<usize>> = self.patterns.iter().flat_map(each).collect();
        all.sort_by_key(|range| (range.start, range.end));
        all
    }
}

/// The fault of an expression: the last line of the report, which is the only one without a
/// drawing.
fn reason(error: &regex::Error) -> String {
    match error {
        regex::Error::CompiledTooBig(limit) => format!("it takes more than {limit} bytes when compiled"),
        error => {
            let text = error.to_string();
            let last = text.lines().last().unwrap_or_default();
            last.trim_start_matches("error: ").to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(texts: &[&str], [is_regex, is_word, ignores_case]: [bool; 3], text: &str) -> bool {
        let texts: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
        Needle::new(&texts, is_regex, is_word, ignores_case).unwrap().matches(text)
    }

    #[test]
    fn a_text_is_not_an_expression_and_matches_inside() {
        assert!(matches(&["a.c"], [false; 3], "xa.cx"));
        assert!(!matches(&["a.c"], [false; 3], "abc"));
        assert!(matches(&["no", "b|c"], [false; 3], "ab|cd"));
        assert!(!matches(&["ABC"], [false; 3], "abc"));
        assert!(matches(&["ABC"], [false, false, true], "abc"));
    }

    #[test]
    fn a_word_has_no_adjacent_letters() {
        for (text, is_match) in [("sg-1", true), ("a sg-1.", true), ("sg-12", false), ("xsg-1", false)] {
            assert_eq!(matches(&["sg-1"], [false, true, false], text), is_match, "{text}");
        }
        assert!(matches(&["-1"], [false, true, false], "sg -1 x"));
        assert!(matches(&["a", "b c"], [false, true, false], "x b c"));
    }

    #[test]
    fn an_expression_counts_alone() {
        assert!(matches(&["^a+$"], [true, false, false], "aaa"));
        assert!(matches(&["b|c"], [true, true, false], "x c"));
        assert!(!matches(&["b|c"], [true, true, false], "xc"));
        for wrong in ["a)(b", "(", "[a", "*"] {
            assert!(Needle::new(&[wrong.to_owned()], true, true, false).is_err(), "{wrong}");
        }
        assert!(Needle::new(&["(?:a{1000}){1000}".to_owned()], true, false, false).is_err());
    }
}
