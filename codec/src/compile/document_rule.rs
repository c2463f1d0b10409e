//! Landmark rules for documents that have certain entries.

use super::LandmarkChoice;
use coconut_format::landmark::{Dialect, LandmarkRule};
use coconut_format::node::Node;
use std::cell::LazyCell;

/// A landmark rule, and the documents that it applies to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentRule {
    /// The keys that the root object must have. If empty, the rule applies to every document.
    pub keys: Vec<String>,
    /// Whether it also applies to documents with a detected dialect.
    pub over_dialect: bool,
    /// The rule.
    pub rule: LandmarkRule,
}

impl LandmarkChoice {
    /// The choice for the document at `root`: never [`ByDocument`](LandmarkChoice::ByDocument).
    pub(crate) fn for_root<'a, N: Node<'a>>(&self, root: N) -> LandmarkChoice {
        let LandmarkChoice::ByDocument(rules) = self else { return self.clone() };
        let has_dialect = LazyCell::new(|| Dialect::of(root).is_some());
        let is_meant = |rule: &&DocumentRule| {
            let has_keys = rule.keys.iter().all(|key| root.get(key).is_some());
            has_keys && (rule.over_dialect || !*has_dialect)
        };
        let chosen = rules.iter().find(is_meant);
        chosen.map_or(LandmarkChoice::Detect, |chosen| LandmarkChoice::Rule(chosen.rule.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::{CompileOptions, compile};

    fn rule(keys: &[&str], over_dialect: bool, pattern: &str) -> DocumentRule {
        let keys = keys.iter().map(|&key| key.to_owned()).collect();
        let rule = LandmarkRule::parse(&[pattern], None, &[]).unwrap();
        DocumentRule { keys, over_dialect, rule }
    }

    /// The dialect and the number of landmarks.
    fn compiled(text: &str, rules: &[DocumentRule]) -> (Option<String>, u64) {
        let landmarks = LandmarkChoice::ByDocument(rules.into());
        let compiled = compile(text.as_bytes(), &CompileOptions { landmarks, ..CompileOptions::default() });
        let compiled = compiled.unwrap();
        (compiled.dialect, compiled.landmarks)
    }

    #[test]
    fn the_first_rule_whose_keys_are_all_there_counts() {
        let rules = [rule(&["hosts", "site"], false, "/hosts/*"), rule(&["hosts"], false, "/none/*")];
        assert_eq!(compiled(r#"{"hosts":{"a":1,"b":2},"site":1}"#, &rules), (None, 2));
        assert_eq!(compiled(r#"{"hosts":{"a":1,"b":2}}"#, &rules), (None, 0));
        assert_eq!(compiled(r#"[{"hosts":{"a":1}}]"#, &rules), (None, 0));
        assert_eq!(compiled(r#"{"hosts":{"a":1}}"#, &[rule(&[], false, "/hosts/*")]), (None, 1));
    }

    #[test]
    fn a_document_keeps_its_dialect_unless_the_rule_goes_before_it() {
        let text = r#"{"name":"p","modules":{"m":{"loc":null}}}"#;
        let detected = compiled(text, &[]);
        assert_eq!(compiled(text, &[rule(&["modules"], false, "/nothing/*")]), detected);
        assert_eq!(compiled(text, &[rule(&["modules"], true, "/nothing/*")]), (None, 0));
    }
}
