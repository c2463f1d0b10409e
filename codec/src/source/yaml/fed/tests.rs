//! Where the parser alone would read something else, or hold too much.

use crate::source::error::SourceErrorKind;
use crate::source::yaml::tests::{assert_code, assert_error, json, value};
use coconut_format::Value;

mod a_last_line_without_an_end {
    use super::*;

    /// Asserts the value of `text` behind the key `k`, without an end of the last line and with each.
    #[track_caller]
    fn assert_text(text: &str, expected: &str) {
        let expected = Value::Object(vec![("k".to_owned(), Value::String(expected.to_owned()))]);
        for end in ["", "\n", "\r\n", "\r"] {
            assert_eq!(value(&format!("k: {text}{end}")), expected, "{text:?} with {end:?}");
        }
    }

    #[test]
    fn of_blanks_adds_nothing_to_a_block_scalar_that_is_clipped() {
        for blanks in ["", " ", "  "] {
            assert_text(&format!("|\n  text\n{blanks}"), "text\n");
            assert_text(&format!(">\n  a\n  b\n{blanks}"), "a b\n");
            assert_text(&format!("|-\n  text\n{blanks}"), "text");
            assert_text(&format!("|\n  text\n\n{blanks}"), "text\n");
        }
        assert_text("|\n  ", "");
        assert_text("|-\n    ", "");
    }

    #[test]
    fn is_kept_where_all_are() {
        // JEF9 of the YAML test suite.
        assert_eq!(value("- |+\n   "), json(r#"["\n"]"#));
        assert_text("|+\n  text\n  ", "text\n\n");
        assert_text("|+\n  text\n ", "text\n\n");
        assert_text("|+\n  text\n\n  ", "text\n\n\n");
    }

    #[test]
    fn ends_with_the_text() {
        assert_text("|\n  text", "text\n");
        assert_text("|+\n  text", "text\n");
        assert_text("|-\n  text", "text");
        assert_text(">\n  a\n  b", "a b\n");
        // L24T of the YAML test suite: blanks beyond the indentation are content.
        assert_text("|\n  x\n   ", "x\n \n");
        assert_text("|-\n  x\n   ", "x\n ");
        assert_text("|1\n    ", "   \n");
        assert_eq!(value("--- |\ntext"), json(r#""text\n""#));
        assert_eq!(value("--- |1-"), json(r#""""#));
    }

    #[test]
    fn moves_no_place() {
        assert_error("a: 1\nb: ‸.inf", SourceErrorKind::NonFinite);
        assert_code("é: [1, 2‸", "SRC-YAML");
        assert_code("é: |\n  x\n ‸b", "SRC-YAML");
        assert_error("é:\n‸\tb: 1", SourceErrorKind::YamlTab);
        assert_error("é:\n‸\tb", SourceErrorKind::YamlTab);
    }
}

mod a_block_scalar {
    use super::*;

    #[test]
    fn without_indentation_ends_where_a_document_begins() {
        for sign in ["|", ">", "|-", ">+", "| # é", "!!str |", "&é\n!!str # é\n>"] {
            for marker in ["‸---", "‸--- |\nother", "‸--- other", "‸---\tother", "‸---\n"] {
                for text in ["", "é\n", "text\n\n", "text\r\n a\r\n"] {
                    let marked = format!("--- {sign}\n{text}{marker}");
                    assert_error(&marked, SourceErrorKind::YamlDocuments);
                }
            }
        }
        assert_error("|\n‸--- x", SourceErrorKind::YamlDocuments);
        assert_error("--- |\ntext\n...\n‸--- |\nother\n", SourceErrorKind::YamlDocuments);
    }

    #[test]
    fn may_hold_what_is_no_marker() {
        assert_eq!(value("--- |\n---x\n ---\n-- -\n"), json(r#""---x\n ---\n-- -\n""#));
        assert_eq!(value("--- |\n ---\n --- x\n"), json(r#""---\n--- x\n""#));
        assert_eq!(value("k: |\n  ---\n  --- x\n"), json(r#"{"k": "---\n--- x\n"}"#));
        assert_eq!(value("--- |\ntext\n...\n# the end\n"), json(r#""text\n""#));
    }

    #[test]
    fn cannot_stand_in_brackets() {
        let begins_with = |sign: char| SourceErrorKind::Yaml {
            message: format!("text without quotes may not begin with `{sign}` here").into(),
        };
        for marked in
            ["[‸|a, b]", "{‸|a: 1}", "[a: ‸|]", "k: [‸!!str |-\n a\n]", "[\"é\", ‸&x |a]", "{? ‸|a : b}"]
        {
            assert_error(marked, begins_with('|'));
        }
        for marked in ["{c: ‸>\nd}", "- [‸>a]"] {
            assert_error(marked, begins_with('>'));
        }
        for marked in ["[‸?]", "{a: ‸?}", "[‸?, a]"] {
            assert_error(marked, begins_with('?'));
        }
        assert_eq!(
            value("[a |b, a>b, ?b, '|', \">\", a\n |b]"),
            json(r#"["a |b", "a>b", "?b", "|", ">", "a |b"]"#)
        );
    }
}
