//! §1 The landmark rules (§8.1) that this process has parsed, by their texts.
//!
//! For programs without the table of dialects. Parsing takes two fifths of the instructions of
//! opening a file.

use super::rule::Texts;
use coconut_format::error::DecodeError;
use coconut_format::landmark::LandmarkRule;
use std::sync::OnceLock;

/// Maximum number of kept rules: programs usually have files of a few kinds. Further rules are
/// parsed for each file.
#[cfg(not(feature = "graphs"))]
const KNOWN: usize = 8;

#[cfg(not(feature = "graphs"))]
static RULES: [OnceLock<(Texts, LandmarkRule)>; KNOWN] = [const { OnceLock::new() }; KNOWN];

/// Returns the rule of these texts, and keeps it for the next file.
#[cfg(not(feature = "graphs"))]
pub(super) fn parse(texts: &Texts) -> Result<LandmarkRule, DecodeError> {
    parse_among(&RULES, texts)
}

fn parse_among(
    rules: &[OnceLock<(Texts, LandmarkRule)>],
    texts: &Texts,
) -> Result<LandmarkRule, DecodeError> {
    let mut known = rules.iter().map_while(OnceLock::get);
    if let Some((_, rule)) = known.find(|(other, _)| other.is_same(texts)) {
        return Ok(rule.clone());
    }
    let rule = texts.parse()?;
    if let Some(free) = rules.iter().find(|place| place.get().is_none()) {
        // Another thread may hold it. Then this rule is not kept.
        let _ = free.set((texts.clone(), rule.clone()));
    }
    Ok(rule)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(pattern: &str, at: u64) -> Texts {
        Texts { patterns: vec![(pattern.to_owned(), at)], ..Texts::default() }
    }

    #[test]
    fn rules_are_known_by_their_texts_wherever_these_are() {
        let rules: [OnceLock<(Texts, LandmarkRule)>; 2] = [const { OnceLock::new() }; 2];
        let kept = || rules.iter().map_while(OnceLock::get).map(|(texts, _)| texts.patterns[0].0.clone());
        for (pattern, at, expected) in [
            ("/a/*", 7, &["/a/*"][..]),
            ("/a/*", 9, &["/a/*"]),
            ("/b/*", 7, &["/a/*", "/b/*"]),
            ("/c/*", 7, &["/a/*", "/b/*"]),
            ("/a/*", 7, &["/a/*", "/b/*"]),
        ] {
            let rule = parse_among(&rules, &texts(pattern, at)).unwrap();
            assert_eq!(rule, LandmarkRule::parse(&[pattern], None, &[]).unwrap());
            assert!(kept().eq(expected.iter().copied()), "{pattern}");
        }
        let joined = Texts { join: Some(":".to_owned()), ..texts("/a/*", 7) };
        assert_eq!(parse_among(&rules, &joined).unwrap().join(), Some(":"));
    }

    #[test]
    fn a_faulty_rule_is_refused_at_its_own_place_each_time() {
        let rules = [const { OnceLock::new() }; 2];
        for at in [7, 9] {
            assert_eq!(parse_among(&rules, &texts("a", at)).unwrap_err().offset(), at);
        }
        assert!(rules[0].get().is_none());
    }
}
