//! §15.9 Every rule for graphs against documents that obey it and documents that break it.
//!
//! `cases/verify/RULE/good_*.json` has no findings at all. `bad_*.json` has those listed in the
//! `.expected` file next to it, one line each, including one of the rule. With `COCONUT_BLESS=1`
//! these files are written again.

use std::fs;
use std::path::Path;

use coconut_format::landmark::Dialect;
use coconut_format::verify::GRAPH_RULES;
use coconut_format::verify::verify_graph;

use super::documents::{assert_is_text_of, cases, parse};

#[test]
fn documents_have_the_findings_of_their_cases() {
    for rule in GRAPH_RULES {
        let (mut good, mut bad) = (0, 0);
        for case in cases(&format!("verify/{}", rule.id)) {
            let text = findings(&case);
            let name = case.file_name().and_then(|name| name.to_str()).unwrap();
            if name.starts_with("good_") {
                good += 1;
                assert_eq!(text, "", "{}", case.display());
            } else {
                bad += 1;
                assert_is_text_of(&case, &text);
                assert!(text.contains(&format!(" {} at ", rule.id)), "{} breaks {}", case.display(), rule.id);
            }
        }
        assert!(good > 0 && bad > 0, "{} has {good} good and {bad} bad cases", rule.id);
    }
}

/// The findings of a case, one line each.
fn findings(case: &Path) -> String {
    let document = parse(&fs::read(case).unwrap()).unwrap();
    let dialect = Dialect::of(&document).unwrap_or_else(|| panic!("{} has no dialect", case.display()));
    verify_graph(&document, dialect).iter().map(|finding| format!("{finding}\n")).collect()
}
