//! Texts that the unpatched parser would read differently or buffer as a whole.

use super::Watched;
use crate::limits;
use crate::text::error::SourceErrorKind;
use crate::text::yaml::tests::{assert_code, assert_error, error, json, value};
use coconut_format::Value;
use saphyr_parser::{Input, StrInput};
use std::cell::Cell;

mod a_last_line_without_an_end {
    use super::*;

    /// Asserts the value of `text` after the key `k`, without a line end at the end of the text and
    /// with each.
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

mod texts {
    use crate::text::yaml::tree::{Content, build};
    use crate::text::yaml::{Source, YamlOptions};
    use std::borrow::Cow;

    /// Number of texts of the tree that are not borrowed from the source.
    fn copies(text: &str) -> (usize, usize) {
        let source = Source { text: text.as_bytes(), content: text };
        let tree = build(source, &YamlOptions::default()).unwrap();
        let texts = tree.nodes.iter().filter_map(|node| match &node.content {
            Content::Text(text) => Some(matches!(text, Cow::Owned(_))),
            _ => None,
        });
        let are_copies: Vec<bool> = texts.collect();
        (are_copies.iter().filter(|is_copy| **is_copy).count(), are_copies.len())
    }

    #[test]
    fn are_borrowed_from_the_source_if_they_are_the_same_there() {
        for properties in
            ["", "!!str ", "! ", "&a ", "&é !!str ", "!<tag:yaml.org,2002:str>\t&a ", "!!str # é\n  &a\n  "]
        {
            for text in ["x", "'x'", "\"x\"", "'x y'"] {
                let item = format!("- {properties}{text}\n");
                assert_eq!(copies(&item.repeat(3)), (0, 3), "{item}");
            }
            assert_eq!(copies(&format!("{{{properties}x: y}}\n")), (0, 2), "{properties}");
            assert_eq!(copies(&format!("[{properties}x y, {properties}z]")), (0, 2), "{properties}");
        }
        assert_eq!(copies("- !!str\n- &a !!str\n- \"\"\n"), (0, 3));
        assert_eq!(copies("[!!str , !!str , &a !!str ,]"), (0, 3));
        // These are spelled differently in the source.
        assert_eq!(copies("- \"\\x41\"\n- 'it''s'\n- a\n  b\n- |\n  x\n  y\n"), (4, 4));
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
        assert_eq!(value("--- |\ntext\n...\n--- |\nother\n"), json(r#"["text\n", "other\n"]"#));
    }

    #[test]
    fn that_is_indented_ends_before_the_next_document_and_is_read_first() {
        let tag = || SourceErrorKind::YamlTagMismatch { tag: "!!int" };
        assert_error("--- ‸!!int |\n é\n---\n", tag());
        assert_eq!(value("--- !!str |\n é\n---\n"), json("\"é\\n\""));
    }

    #[test]
    fn may_hold_what_is_no_marker() {
        assert_eq!(value("--- |\n---x\n ---\n-- -\n"), json(r#""---x\n ---\n-- -\n""#));
        assert_eq!(value("--- |\n ---\n --- x\n"), json(r#""---\n--- x\n""#));
        assert_eq!(value("k: |\n  ---\n  --- x\n"), json(r#"{"k": "---\n--- x\n"}"#));
        assert_eq!(value("--- |\ntext\n...\n# the end\n"), json(r#""text\n""#));
    }

    #[test]
    fn cannot_be_in_brackets() {
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

mod what_is_read_ahead {
    use super::*;

    /// `count` values in brackets: twice as many tokens, plus one.
    fn list(count: usize) -> String {
        format!("[{}a]", "a,".repeat(count - 1))
    }

    /// The longest list that may be a key. One token less would be its last value.
    fn longest() -> String {
        let list = format!("[{}]", "a,".repeat(limits::YAML_AHEAD as usize / 2 - 1));
        assert_eq!(list.matches(['[', 'a', ',', ']']).count(), limits::YAML_AHEAD as usize);
        list
    }

    #[test]
    fn has_a_limit_where_a_key_is_allowed() {
        for before in ["- ", "k:\n  ", "!!seq ", "&é ", "[", "{a: b, c: [", "--- # é\n- "] {
            let after = before.matches('[').map(|_| "]").collect::<String>()
                + if before.contains('{') { "}" } else { "" };
            let limit = limits::YAML_AHEAD;
            // A tag or an anchor is a token, and the place of its value. In brackets the next token
            // is also needed.
            let marked = match before.find(['!', '&']) {
                Some(_) => format!("‸{before}"),
                None => format!("{before}‸"),
            };
            let (longest, too_long) = match before.find(['!', '&', '[']) {
                Some(_) => (list(limit as usize / 2 - 1), longest()),
                None => (longest(), list(limit as usize / 2)),
            };
            assert_ne!(value(&format!("{before}{longest}{after}\n")), Value::Null, "after {before:?}");
            assert_error(&format!("{marked}{too_long}{after}"), SourceErrorKind::YamlAhead { limit });
        }
    }

    #[test]
    fn beyond_the_limit_is_refused_at_its_first_whatever_the_parser_was_at() {
        let limit = limits::YAML_AHEAD;
        let texts = "a,".repeat(limit as usize / 2);
        for before in [
            "- ‸",
            "k:\n  ‸",
            "‸!!seq ",
            "‸&é ",
            "a: é\n? ‸",
            "[‸",
            "[é, ‸",
            "- é\n# ‘\n- # x\n  ‸",
            "- - ‸",
            "é: |\n  -\na:\n  ‸",
            "- - é\n- ‸",
        ] {
            for list in ["[", "[[], ", "[b, ", "[!!str b, "] {
                for end in ["", "]", "a]\n: x"] {
                    assert_error(
                        &format!("{before}{list}{texts}{end}"),
                        SourceErrorKind::YamlAhead { limit },
                    );
                }
            }
        }
    }

    #[test]
    fn has_none_where_nothing_can_be_a_key() {
        let list = list(limits::YAML_AHEAD as usize);
        let beginnings = [
            "",
            "# é\n\n  ",
            "\u{feff}",
            "---\n",
            "--- ",
            " # é\r\n--- # é\r\n# x\r\n\r\n",
            "k: ",
            "{\"k\":",
            "- a: ",
        ];
        for before in beginnings {
            let after = if before.contains('{') { "}" } else { "" };
            assert_ne!(value(&format!("{before}{list}{after}")), Value::Null, "after {before:?}");
        }
        let scalar = "x y\n ".repeat(limits::YAML_AHEAD as usize + 1);
        for text in [scalar.clone(), format!("'{scalar}'"), format!("\"{scalar}\""), format!("|\n {scalar}")]
        {
            assert!(matches!(value(&text), Value::String(_)));
        }
    }

    #[test]
    fn counts_for_each_value_alone() {
        let item = format!("[{}a]", "a,".repeat(9_999));
        let Value::List(items) = value(&format!("[{}{item}]", format!("{item},").repeat(99))) else {
            panic!()
        };
        assert_eq!((items.len(), items.last()), (100, Some(&json(&item.replace('a', "\"a\"")))));
    }
}

mod a_document_in_brackets {
    use super::*;

    #[test]
    fn has_the_places_of_the_text() {
        for before in ["", "# é\n\n  ", "---\n", "--- # é\r\n\r\n# x\n ", "\u{feff}# é\n"] {
            assert_error(&format!("{before}[é, ‸.inf]\n"), SourceErrorKind::NonFinite);
            assert_error(&format!("{before}{{é: ‸*x}}"), SourceErrorKind::YamlAnchor);
            assert_error(&format!("{before}{{é: 1}}\n---\n[‸.inf]"), SourceErrorKind::NonFinite);
            assert_code(&format!("{before}[é, [1]‸"), "SRC-YAML");
        }
    }

    #[test]
    fn denotes_what_it_denotes() {
        assert_eq!(value("[a]"), json(r#"["a"]"#));
        assert_eq!(value("---\n# c\n{a: 1, 'b': [c\n  d]} # e\n...\n"), json(r#"{"a": 1, "b": ["c d"]}"#));
        assert_eq!(value("---[a]\n"), json(r#""---[a]""#));
        assert_eq!(value("---# a\n[a]\n"), json(r##""---# a [a]""##));
        assert_eq!(value(" --- [a]\n"), json(r#""--- [a]""#));
        assert_eq!(value("\t[a]\n"), json(r#"["a"]"#));
        assert_eq!(error("#x\n]").code(), "SRC-YAML");
    }

    #[test]
    fn is_no_key() {
        assert_error("# é\n‸[a] : b", SourceErrorKind::YamlKey { found: "a list" });
        assert_error("---\n‸{a: 1}: b", SourceErrorKind::YamlKey { found: "an object" });
        assert_error("‸{{ .Values.x }}: b", SourceErrorKind::YamlKey { found: "an object" });
        assert_code("[a]‸b: c", "SRC-YAML");
    }
}

#[test]
fn a_byte_order_mark_before_a_bracket_is_where_none_may_be() {
    for marked in ["# ‸\u{feff}\n[1]", "# ‸\u{feff}\n--- {a: 1}", "# ‸\u{feff}\na: 1"] {
        assert_code(marked, "SRC-YAML");
    }
    assert_eq!(value("\u{feff}# a\n[1]"), json("[1]"));
}

#[test]
fn a_tab_is_named_where_it_indents() {
    for marked in [
        "é: |\n‸\ttext",
        "é: | #\tx\n‸\ttext",
        "é: |\n‸\t\n\ttext",
        "é: >\n‸\t",
        "é: a\tb\n‸\tc",
        "é: a\tb\r\n\t\r\n‸\tc\td",
        "é: 'a\tb\n‸\tc'",
        "é:\n‸\tb:\tc",
        "é:\n  b: c\n‸\td: e\n\tf: g",
        "- é\n‸\t- b\n\t- c",
        // Here only the following text is refused.
        "é: 'x'\n  ‸\tb: 1",
        "é:\n  - 'x'\n ‸\t- b",
        "? ‸\té",
    ] {
        assert_error(marked, SourceErrorKind::YamlTab);
    }
}

#[test]
fn the_input_hands_out_characters_as_those_of_the_text() {
    let ahead = Cell::new(0);
    let mut input = Watched { text: StrInput::new("éa\n"), ahead: &ahead };
    assert_eq!(input.raw_read_ch(), 'é');
    assert_eq!([input.raw_read_non_breakz_ch(), input.raw_read_non_breakz_ch()], [Some('a'), None]);
    assert_eq!([input.raw_read_ch(), input.raw_read_ch()], ['\n', '\0']);
}

#[test]
fn a_long_key_and_many_directives_are_called_that() {
    use crate::text::error::SourceErrorKind;
    let fault = |text: &str| {
        let error = crate::text::yaml::read(
            text.as_bytes(),
            &mut crate::event::ValueSink::new(),
            &crate::text::yaml::YamlOptions::default(),
        );
        error.expect_err("it is refused").kind().clone()
    };
    let says = |kind: SourceErrorKind, part: &str| match kind {
        SourceErrorKind::Yaml { message } => assert!(message.contains(part), "{message}"),
        other => panic!("{other:?}"),
    };
    for key in ["k".repeat(1025), format!("'{}'", "k".repeat(1100))] {
        says(fault(&format!("a: 1\nb:\n  {key}: 1\n")), "write `? ` before it");
        assert!(
            crate::text::yaml::read(
                format!("a: 1\nb:\n  ? {key}\n  : 1\n").as_bytes(),
                &mut crate::event::ValueSink::new(),
                &crate::text::yaml::YamlOptions::default(),
            )
            .is_ok()
        );
    }
    says(fault("a: b: 1\n"), "mapping values are not allowed");
    let directives = "%FOO bar\n".repeat(limits::YAML_AHEAD as usize + 2);
    says(fault(&format!("{directives}---\na: 1\n")), "directives before the document");
}
