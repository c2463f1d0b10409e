//! Values that the reader produces from YAML, and texts that it refuses.

use super::*;
use crate::event::{ValueSink, push};
use crate::text::TextPosition;
use crate::text::json::{self, JsonOptions};
use coconut_format::Value;

fn read_with(text: &str, options: &YamlOptions) -> Result<(Value, Vec<Lint>), SourceError> {
    let mut sink = ValueSink::new();
    let lints = read(text.as_bytes(), &mut sink, options)?;
    Ok((sink.finish().expect("a text that was read is one whole document"), lints))
}

pub(super) fn value(text: &str) -> Value {
    match read_with(text, &YamlOptions::default()) {
        Ok((value, _)) => value,
        Err(error) => panic!("{}", error.render("text", text.as_bytes())),
    }
}

pub(super) fn error(text: &str) -> SourceError {
    match read_with(text, &YamlOptions::default()) {
        Ok((value, _)) => panic!("{text:?} was read as {value:?}"),
        Err(error) => error,
    }
}

/// The value of a JSON text, for expectations.
pub(super) fn json(text: &str) -> Value {
    let mut sink = ValueSink::new();
    json::read(text.as_bytes(), &mut sink, &JsonOptions::default()).expect("the expectation is JSON");
    sink.finish().expect("the expectation is one document")
}

fn lints(text: &str) -> Vec<(LintKind, u32, u32)> {
    let (_, lints) = read_with(text, &YamlOptions::default()).expect("the text is legal");
    lints.iter().map(|lint| (lint.kind, lint.at.line, lint.at.column)).collect()
}

/// Asserts the kind of an error and its place, which `‸` marks in the text.
#[track_caller]
pub(super) fn assert_error(marked: &str, expected: SourceErrorKind) {
    let offset = marked.find('‸').expect("the text has a mark");
    let error = error(&marked.replacen('‸', "", 1));
    assert_eq!(error.kind(), &expected, "in {marked}");
    assert_eq!(error.at().offset, offset as u64, "the place in {marked}");
    assert!(error.hint().is_some());
}

#[track_caller]
pub(super) fn assert_code(marked: &str, code: &str) {
    let offset = marked.find('‸').expect("the text has a mark");
    let error = error(&marked.replacen('‸', "", 1));
    assert_eq!((error.code(), error.at().offset), (code, offset as u64), "in {marked}");
}

mod scalars {
    use super::*;

    #[test]
    fn words_of_yaml_1_1_are_strings_with_a_lint() {
        assert_eq!(
            value("c: NO\nd: yes\ne: on\nf: y"),
            json(r#"{"c": "NO", "d": "yes", "e": "on", "f": "y"}"#)
        );
        assert_eq!(
            lints("c: NO\nd: yes\ne: on\nf: y"),
            [1, 2, 3, 4].map(|line| (LintKind::YamlBoolean, line, 4))
        );
        assert_eq!(lints("c: 'NO'"), []);
    }

    #[test]
    fn a_float_that_looks_like_a_version_is_a_float_with_a_lint() {
        assert_eq!(value("v: 1.10"), json(r#"{"v": 1.1}"#));
        assert_eq!(lints("v: 1.10"), [(LintKind::YamlVersion, 1, 4)]);
        assert_eq!(lints("v: \"1.10\""), []);
    }

    #[test]
    fn digits_that_a_number_would_change_are_strings() {
        assert_eq!(value("id: 012345678901234567890"), json(r#"{"id": "012345678901234567890"}"#));
        assert_eq!(value("o: 012"), json(r#"{"o": "012"}"#));
        assert_eq!(value("u: 1_000"), json(r#"{"u": "1_000"}"#));
        assert_eq!(lints("- 012\n- 1_000"), [(LintKind::YamlNumber, 1, 3), (LintKind::YamlNumber, 2, 3)]);
    }

    #[test]
    fn numbers_out_of_range_are_errors() {
        assert_code("a: 1\nbig: ‸18446744073709551616", "NUM-RANGE");
        assert_code("- é: ‸1e400", "NUM-RANGE");
        assert_eq!(error("a: [1, {big: 1e400}]").path(), "/a/1/big");
    }

    #[test]
    fn characters_that_cannot_be_printed_are_errors_where_yaml_has_none() {
        let is_everywhere = |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{a0}'..);
        let noncharacters = ['\u{fffe}', '\u{ffff}'];
        for c in ('\0'..='\u{a0}').chain(['\u{feff}', '\u{fffd}', '\u{10ffff}']).chain(noncharacters) {
            let fits = is_everywhere(c) && !noncharacters.contains(&c);
            let character =
                || SourceErrorKind::YamlCharacter { character: format!("U+{:04X}", u32::from(c)).into() };
            if c >= ' ' && c != '\'' {
                assert_eq!(
                    value(&format!("- 'a{c}'\n")),
                    Value::List(vec![Value::String(format!("a{c}"))]),
                    "{c:?}"
                );
            } else if !fits {
                assert_error(&format!("- 'a‸{c}'\n"), character());
            }
            if !fits {
                assert_error(&format!("- é # ‸{c}\n- b"), character());
                assert_error(&format!("- 'é'\n- b‸{c}"), character());
            } else if c > ' ' && c != '\u{feff}' {
                assert_eq!(value(&format!("- é # {c}\n")), json("[\"é\"]"), "{c:?} in a comment");
            }
        }
    }

    #[test]
    fn what_a_printer_writes_has_only_characters_that_are_allowed() {
        for c in ('\0'..='\u{a0}').chain(['\u{2028}', '\u{feff}', '\u{fffe}', '\u{ffff}']) {
            let expected = Value::Object(vec![(format!("k{c}"), Value::String(format!("{c}v\n{c}")))]);
            let mut printer = YamlPrinter::new(Vec::new());
            push(&expected, &mut printer).unwrap();
            let text = String::from_utf8(printer.finish().unwrap()).unwrap();
            assert_eq!(value(&text), expected, "{text:?}");
        }
    }

    #[test]
    fn numbers_that_are_not_finite_are_errors() {
        assert_code("x: ‸.inf", "NUM-NONFINITE");
        assert_code("- ‸.nan", "NUM-NONFINITE");
        assert_eq!(value("- '.inf'"), json(r#"[".inf"]"#));
    }

    #[test]
    fn core_values() {
        assert_eq!(
            value(
                "[~, null, , True, 0x10, 0o17, -5, 1e3, '', 'it''s', \"\\u00e9\\n\", plain text]"
                    .replace(", ,", ",")
                    .as_str()
            ),
            json(r#"[null, null, true, 16, 15, -5, 1e3, "", "it's", "é\n", "plain text"]"#)
        );
        assert_eq!(value("a:\nb: -0"), json(r#"{"a": null, "b": -0.0}"#));
        assert_eq!(value("a: |\n  x\n  y\nb: >-\n  x\n  y\n"), json(r#"{"a": "x\ny\n", "b": "x y"}"#));
    }

    #[test]
    fn characters_are_checked_in_the_quotes_after_tags_and_anchors() {
        assert_eq!(
            value("a: !!str \"\u{7f}\"\nb: &é # '\n  !!str\t'\u{7f}'"),
            json(r#"{"a": "\u007f", "b": "\u007f"}"#)
        );
        assert_code("b: &x \"a\"\nc: ‸\u{7f}\n", "SRC-YAML-CHAR");
        assert_code("[!!str 'é', &x \"a\", ‸\u{7f}]\n", "SRC-YAML-CHAR");
    }

    #[test]
    fn a_byte_order_mark_is_passed_over_with_a_lint() {
        assert_eq!(value("\u{feff}a: 1"), json(r#"{"a": 1}"#));
        assert_eq!(lints("\u{feff}a: no"), [(LintKind::ByteOrderMark, 1, 1), (LintKind::YamlBoolean, 1, 4)]);
    }
}

mod keys {
    use super::*;

    #[test]
    fn denote_their_text_as_written() {
        assert_eq!(
            value("1: a\n0x1: b\ntrue: c\n~: d\n1.50: e\n'q': f\non: g"),
            json(r#"{"1": "a", "0x1": "b", "true": "c", "~": "d", "1.50": "e", "q": "f", "on": "g"}"#)
        );
        assert_eq!(lints("on: {y: 1}"), []);
    }

    #[test]
    fn twice_in_one_object_are_an_error_with_both_places() {
        let error = error("x:\n  a: 1\n  b: 2\n  \"a\": 3\n");
        assert_eq!(error.kind(), &SourceErrorKind::DuplicateKey { key: "a".into() });
        assert_eq!((error.at().line, error.at().column), (4, 3));
        assert_eq!(error.related().map(|at| (at.line, at.column)), Some((2, 3)));
        assert_eq!(error.path(), "/x/a");
        assert_code("1: a\n‸'1': b", "SRC-DUPKEY");
        assert_eq!(value("- {a: 1}\n- {a: 2, b: {a: 3}}"), json(r#"[{"a": 1}, {"a": 2, "b": {"a": 3}}]"#));
    }

    #[test]
    fn twice_in_one_object_come_before_later_faults() {
        for text in [
            "a: 1\n‸a: 9007199254740993.0",
            "x: 0\na: [{c: 1}, {b: 1, ‸b: {d: 1, d: *none}}]",
            "a: 1\n‸a:\n  b: 1\n  b: 2\n",
            "- a: 1\n  ‸a: !x 1",
            "a: 1\n‸a: 1\n? [b]\n: 1",
            "é: 1\n‸é: \"",
        ] {
            assert_code(text, "SRC-DUPKEY");
        }
        assert_eq!(error("- x: {a: 1, a: {b: 1e400}}").path(), "/0/x/a");
        assert_code("a: ‸9007199254740993.0\na: 1", "NUM-PRECISION");
        assert_code("a: {b: ‸*none, b: 1}\na: 1", "SRC-YAML-ANCHOR");
    }

    #[test]
    fn must_be_scalars() {
        assert_error("? ‸[a]\n: 1", SourceErrorKind::YamlKey { found: "a list" });
        assert_error("{‸{.Args.Name}: 1}", SourceErrorKind::YamlKey { found: "an object" });
        assert_error("a: &x 1\n‸*x : 2", SourceErrorKind::YamlKey { found: "an alias" });
        assert_code(": x".replace(": x", "‸: x").as_str(), "SRC-YAML-KEY");
    }

    #[test]
    fn may_have_anchors_if_they_are_texts() {
        assert_eq!(value("&k key: 1\nb: *k"), json(r#"{"key": 1, "b": "key"}"#));
        let found = "an alias to a value that is not a text";
        assert_eq!(error("&k 17: 1\nb: *k").kind(), &SourceErrorKind::YamlKey { found });
        assert_eq!(error("&k <<: {a: 1}\nb: *k").kind(), &SourceErrorKind::YamlKey { found });
    }

    #[test]
    fn may_have_core_tags() {
        assert_eq!(value("!!str 17: a\n!!int 18: b"), json(r#"{"17": "a", "18": "b"}"#));
        assert_eq!(error("!ref x: a").code(), "SRC-YAML-TAG");
        assert_eq!(error("!!int x: a").kind(), &SourceErrorKind::YamlTagMismatch { tag: "!!int" });
    }
}

#[test]
fn the_tag_that_says_nothing_leaves_a_collection_what_it_is() {
    // YAML 1.2, chapter 6.9.1: with this tag, a scalar is a string.
    assert_eq!(
        value("- ! {a: 1}\n- ! [b]\n- !\n  c: ! 1\n- ! ~\n- !\n- ! &x\n  - d"),
        json(r#"[{"a": 1}, ["b"], {"c": "1"}, "~", "", ["d"]]"#)
    );
    assert_eq!(error("- !!str {a: 1}").kind(), &SourceErrorKind::YamlTagMismatch { tag: "!!str" });
    assert_eq!(value("- !x {a: 1}"), json(r#"[{"x": {"a": 1}}]"#));
}

mod merges {
    use super::*;

    #[test]
    fn keys_written_in_the_object_win() {
        assert_eq!(
            value("b: &b {x: 1, y: 2}\nc:\n  <<: *b\n  y: 3\n  z: 4"),
            json(r#"{"b": {"x": 1, "y": 2}, "c": {"x": 1, "y": 3, "z": 4}}"#)
        );
        assert_eq!(value("- &b {x: 1}\n- {x: 2, <<: *b}"), json(r#"[{"x": 1}, {"x": 2}]"#));
    }

    #[test]
    fn earlier_objects_of_a_list_win() {
        assert_eq!(
            value("- &a {x: 1, y: 1}\n- &b {y: 2, z: 2}\n- {<<: [*a, *b, {w: 3, x: 3}], v: 0}"),
            json(r#"[{"x": 1, "y": 1}, {"y": 2, "z": 2}, {"x": 1, "y": 1, "z": 2, "w": 3, "v": 0}]"#)
        );
    }

    #[test]
    fn merged_objects_may_merge_others() {
        assert_eq!(
            value("- &a {k: a, x: 1}\n- &b {<<: *a, k: b}\n- {<<: *b, y: 2}\n- {<<: {<<: *b, k: d}}"),
            json(
                r#"[{"k": "a", "x": 1}, {"x": 1, "k": "b"}, {"x": 1, "k": "b", "y": 2}, {"x": 1, "k": "d"}]"#
            )
        );
    }

    #[test]
    fn of_anything_but_objects_are_errors() {
        assert_error("a: &a 1\nb:\n  <<: ‸*a", SourceErrorKind::YamlMerge { found: "a scalar" });
        assert_error("<<: ‸text", SourceErrorKind::YamlMerge { found: "a scalar" });
        assert_error("<<: [{a: 1}, ‸[]]", SourceErrorKind::YamlMerge { found: "a list" });
        assert_error("a: &a [{x: 1}]\nb: {<<: ‸*a}", SourceErrorKind::YamlMerge { found: "a list" });
        assert_code("{<<: {a: 1}, ‸<<: {b: 1}}", "SRC-DUPKEY");
    }

    #[test]
    fn need_a_plain_key() {
        assert_eq!(value("'<<': 1"), json(r#"{"<<": 1}"#));
        assert_eq!(value("!!str <<: 1"), json(r#"{"<<": 1}"#));
        assert_eq!(value("- <<"), json(r#"["<<"]"#));
    }
}

mod aliases {
    use super::*;

    #[test]
    fn are_expanded() {
        assert_eq!(
            value("a: &a [1, {b: &b x}]\nc: *a\nd: [*b, *b]"),
            json(r#"{"a": [1, {"b": "x"}], "c": [1, {"b": "x"}], "d": ["x", "x"]}"#)
        );
    }

    #[test]
    fn denote_the_last_anchor_of_their_name() {
        assert_eq!(value("[&a 1, *a, &a 2, *a]"), json("[1, 1, 2, 2]"));
    }

    #[test]
    fn need_an_anchor_before_them() {
        assert_error("a: ‸*b\nb: &b 1", SourceErrorKind::YamlAnchor);
    }

    #[test]
    fn inside_their_own_value_are_errors() {
        assert_error("a: &a [1, ‸*a]", SourceErrorKind::YamlCycle);
        assert_error("&a\nb: {<<: ‸*a}", SourceErrorKind::YamlCycle);
    }

    /// Nine levels of nine aliases each: 442 bytes that expand to some 400 million values.
    fn bomb() -> String {
        let mut text =
            "a: &a [\"lol\",\"lol\",\"lol\",\"lol\",\"lol\",\"lol\",\"lol\",\"lol\",\"lol\"]\n".to_owned();
        for (outer, inner) in ('b'..='i').zip('a'..) {
            text += &format!("{outer}: &{outer} [{}]\n", vec![format!("*{inner}"); 9].join(","));
        }
        text
    }

    #[test]
    fn are_counted_before_they_are_expanded() {
        let text = bomb();
        let mut sink = json::Printer::new(Vec::new(), json::JsonStyle::Minified);
        let error = read(text.as_bytes(), &mut sink, &YamlOptions::default()).unwrap_err();
        let limit = limits::ALIAS_MIN;
        assert_eq!((error.kind(), error.at().line), (&SourceErrorKind::YamlExpansion { limit }, 6));
        assert_eq!(sink.finish().expect("memory takes all bytes"), b"", "something was pushed");
    }

    #[test]
    fn may_add_as_much_as_the_limit_and_no_more() {
        // One list of one string of two bytes: 8 + 8 + 2.
        let text = "- &a [xy]\n- *a\n- *a";
        let limited = |expansion| read_with(text, &YamlOptions { expansion, ..YamlOptions::default() });
        assert_eq!(limited(36).map(|(value, _)| value), Ok(json(r#"[["xy"], ["xy"], ["xy"]]"#)));
        let error = limited(35).unwrap_err();
        assert_eq!((error.code(), error.at().line), ("SRC-YAML-EXPAND", 3));
    }

    /// A text of `length` bytes whose aliases add `added` bytes. They repeat one string, and parts
    /// of it.
    fn adding(added: usize, length: usize) -> String {
        // Each alias adds the string and 8.
        let (mut text, mut left) = (String::new(), added);
        for (name, each) in [("a", 4_096), ("b", 64)] {
            let count = left / each - 1;
            text += &format!("- &{name} {}\n{}", "x".repeat(each - 8), format!("- *{name}\n").repeat(count));
            left -= count * each;
        }
        text += &format!("- &c {}\n- *c\n", "x".repeat(left - 8));
        assert!(text.len() < length, "{} bytes", text.len());
        let comment = format!("#{}", "-".repeat(length - text.len() - 1));
        text + &comment
    }

    #[test]
    fn may_add_to_a_text_in_proportion_to_it() {
        const KIB: usize = 1 << 10;
        const MIB: usize = 1 << 20;
        let bounds = [
            (16 * KIB, 4 * MIB),
            (256 * KIB, 4 * MIB),
            (256 * KIB + 1, 4 * MIB + 16),
            (MIB, 16 * MIB),
            (4 * MIB, 64 * MIB),
            (8 * MIB, 64 * MIB),
        ];
        for (length, most) in bounds {
            let limit = most as u64;
            assert_eq!(limits::max_alias_bytes(length), limit, "of {length} bytes");
            for added in [most - 1, most] {
                let text = adding(added, length);
                assert!(read_with(&text, &YamlOptions::default()).is_ok(), "{added} of {length} bytes");
            }
            let error = error(&adding(most + 1, length));
            assert_eq!(error.kind(), &SourceErrorKind::YamlExpansion { limit }, "of {length} bytes");
        }
    }

    #[test]
    fn count_in_merges_too() {
        let mut text = "- &m0 {k: 1}\n".to_owned();
        for level in 0..60 {
            text += &format!("- &m{} {{<<: [*m{level}, *m{level}]}}\n", level + 1);
        }
        assert_eq!(error(&text).code(), "SRC-YAML-EXPAND");
    }
}

mod tags {
    use super::*;

    #[test]
    fn of_the_core_schema_are_honoured() {
        assert_eq!(
            value(
                "[!!str 17, !!int \"17\", !!float 1, !!bool true, !!null '', !!seq [1], !!map {a: 1}, ! 5]"
            ),
            json(r#"["17", 17, 1.0, true, null, [1], {"a": 1}, "5"]"#)
        );
        assert_eq!(value("!<tag:yaml.org,2002:str> 17"), json("\"17\""));
        assert_eq!(lints("[!!str no, !!float 1.10]"), []);
    }

    #[test]
    fn that_do_not_fit_their_value_are_errors() {
        for (text, tag) in [
            ("!!int x", "!!int"),
            ("!!bool 1", "!!bool"),
            ("!!seq {}", "!!seq"),
            ("!!map []", "!!map"),
            ("!!str []", "!!str"),
        ] {
            assert_eq!(error(text).kind(), &SourceErrorKind::YamlTagMismatch { tag }, "{text}");
        }
    }

    #[test]
    fn of_all_other_kinds_become_keys_of_objects() {
        for (text, expected) in [
            ("a: !reset []", r#"{"a": {"reset": []}}"#),
            ("a: !reset null", r#"{"a": {"reset": "null"}}"#),
            ("a: !reset", r#"{"a": {"reset": ""}}"#),
            ("a: !override {b: !x 1}", r#"{"a": {"override": {"b": {"x": "1"}}}}"#),
            ("- !Name\n  b: 1\n- !Other\n  - 2", r#"[{"Name": {"b": 1}}, {"Other": [2]}]"#),
            ("!!binary aGk=", r#"{"!!binary": "aGk="}"#),
            ("a: !!python/tuple [ls]", r#"{"a": {"!!python/tuple": ["ls"]}}"#),
            ("%TAG !e! tag:e.org,2017:\n---\n!e!x y", r#"{"!<tag:e.org,2017:x>": "y"}"#),
            ("a: !<tag:e.org,2017:x> y", r#"{"a": {"!<tag:e.org,2017:x>": "y"}}"#),
            ("a: &b !x y\nc: *b", r#"{"a": {"x": "y"}, "c": {"x": "y"}}"#),
            ("a: !Ref b\nc: !GetAtt d.e", r#"{"a": {"Ref": "b"}, "c": {"Fn::GetAtt": ["d", "e"]}}"#),
        ] {
            assert_eq!(value(text), json(expected), "{text}");
            assert!(lints(text).iter().any(|(kind, ..)| *kind == LintKind::YamlTag), "{text}");
        }
        assert_eq!(
            lints("a: !x\n- !y 012\n- yes".replace("a: !x\n", "").as_str()),
            [(LintKind::YamlTag, 1, 3), (LintKind::YamlBoolean, 2, 3)]
        );
        let tag = |tag: &str| SourceErrorKind::YamlTag { tag: tag.into() };
        assert_error("a:\n  ‸!x b: c\n", tag("!x"));
        assert_error("‸!!binary b: c\n", tag("tag:yaml.org,2002:binary"));
    }
}

/// §17.5
mod owners {
    use super::*;

    #[test]
    fn decide_each_document_of_a_stream() {
        let text = "v: 0400\n---\nv: 0400\nspec: {on: yes}\nkind: Pod\napiVersion: v1\n---\nv: yes\n";
        let expected = r#"[{"v": "0400"}, {"v": 256, "spec": {"true": true}, "kind": "Pod", "apiVersion": "v1"}, {"v": "yes"}]"#;
        assert_eq!(value(text), json(expected));
        assert_eq!(lints(text), [(LintKind::YamlNumber, 1, 4), (LintKind::YamlBoolean, 8, 4)]);
    }

    #[test]
    fn decide_in_lists_objects_aliases_and_merges() {
        let text = "apiVersion: v1\nkind: Pod\nx: &x {m: 0644, l: [yes, 'yes', !!str yes]}\ny: {<<: *x, o: off}\nz: *x\n";
        let x = r#"{"m": 420, "l": [true, "yes", "yes"]}"#;
        let y = r#"{"m": 420, "l": [true, "yes", "yes"], "o": false}"#;
        // The key `y` is a boolean, too.
        let expected = format!(r#"{{"apiVersion": "v1", "kind": "Pod", "x": {x}, "true": {y}, "z": {x}}}"#);
        assert_eq!(value(text), json(&expected));
        assert_eq!(lints(text), []);
    }

    #[test]
    fn are_known_by_the_keys_of_the_root() {
        for (text, expected) in [
            ("apiVersion: 1\nkind: x\nv: yes", "\"yes\""),
            ("a: {apiVersion: v1, kind: x}\nv: yes", "\"yes\""),
            ("apiVersion: v1\nkind: x\nResources: {}\nv: 1:30", "\"1:30\""),
            ("AWSTemplateFormatVersion: 2010-09-09\nv: 1:30", "90"),
            ("services: {a: &s {build: .}, b: *s}\nv: 0400", "256"),
            ("services: {a: {ports: []}}\nnetworks: {}\nv: 0400", "256"),
            ("services: {a: {ports: []}}\nv: 0400", "\"0400\""),
            ("services: [image]\nv: 0400", "\"0400\""),
        ] {
            assert_eq!(value(text).get("v"), Some(&json(expected)), "{text}");
        }
    }

    #[test]
    fn equal_keys_after_conversion_are_duplicates() {
        assert_error(
            "apiVersion: v1\nkind: x\ndata: {yes: 1, ‸on: 2}\n",
            SourceErrorKind::DuplicateKey { key: "true".into() },
        );
        assert_eq!(value("data: {yes: 1, on: 2}"), json(r#"{"data": {"yes": 1, "on": 2}}"#));
    }

    #[test]
    fn what_a_tool_leaves_as_text_keeps_its_finding() {
        let text = "services: {a: {image: i, tty: yes, mode: 0440, v: 1.10}}";
        assert_eq!(lints(text), [(LintKind::YamlBoolean, 1, 31), (LintKind::YamlVersion, 1, 51)]);
    }
}

/// §17.1
mod short_tags {
    use super::*;

    /// The value under `/Resources/x` of a template.
    fn in_template(text: &str) -> Value {
        let template = format!("AWSTemplateFormatVersion: 2010-09-09\nResources:\n  x: {text}\n");
        value(&template).get("Resources").and_then(|all| all.get("x")).cloned().expect("it exists")
    }

    #[test]
    fn become_their_long_forms() {
        for (text, expected) in [
            ("!Ref Bucket", r#"{"Ref": "Bucket"}"#),
            ("!Condition c", r#"{"Condition": "c"}"#),
            ("!GetAtt a.b.c", r#"{"Fn::GetAtt": ["a", "b.c"]}"#),
            ("!GetAtt 'a.b'", r#"{"Fn::GetAtt": ["a", "b"]}"#),
            ("!GetAtt a", r#"{"Fn::GetAtt": ["a"]}"#),
            ("!GetAtt [a, !Ref b]", r#"{"Fn::GetAtt": ["a", {"Ref": "b"}]}"#),
            ("!Sub '${a}-b'", r#"{"Fn::Sub": "${a}-b"}"#),
            ("!Sub 17", r#"{"Fn::Sub": "17"}"#),
            ("!Sub |\n    l1\n    l2", r#"{"Fn::Sub": "l1\nl2\n"}"#),
            ("!GetAZs ''", r#"{"Fn::GetAZs": ""}"#),
            ("!GetAZs", r#"{"Fn::GetAZs": ""}"#),
            ("!And []", r#"{"Fn::And": []}"#),
            ("!Join ['-', [a, 1, true]]", r#"{"Fn::Join": ["-", ["a", 1, true]]}"#),
            ("!Base64 {Fn::Sub: x}", r#"{"Fn::Base64": {"Fn::Sub": "x"}}"#),
            (
                "!Transform {Name: n, Parameters: {p: !Ref q}}",
                r#"{"Fn::Transform": {"Name": "n", "Parameters": {"p": {"Ref": "q"}}}}"#,
            ),
            (
                "!If\n  - c\n  - !Not [!Equals [!Ref a, b]]\n  - - !Select [0, !Split [',', !ImportValue i]]\n  - end",
                r#"{"Fn::If": ["c", {"Fn::Not": [{"Fn::Equals": [{"Ref": "a"}, "b"]}]}, [{"Fn::Select": [0, {"Fn::Split": [",", {"Fn::ImportValue": "i"}]}]}], "end"]}"#,
            ),
            ("!<!Ref> a", r#"{"Ref": "a"}"#),
            ("2010-09-09", r#""2010-09-09""#),
        ] {
            assert_eq!(in_template(text), json(expected), "{text}");
        }
    }

    #[test]
    fn have_anchors_and_merge_as_their_long_forms() {
        let text = "Resources:\n  a: &a !Ref b\n  c: *a\n  d: {<<: &e !If [x], y: z}\n  f: *e\n";
        let expected = r#"{"Resources": {"a": {"Ref": "b"}, "c": {"Ref": "b"}, "d": {"Fn::If": ["x"], "y": "z"}, "f": {"Fn::If": ["x"]}}}"#;
        assert_eq!(value(text), json(expected));
        assert_error("Resources: &a !If [‸*a]", SourceErrorKind::YamlCycle);
    }

    #[test]
    fn have_a_finding_outside_of_templates() {
        assert_eq!(lints("a: !Ref b\nc: !GetAtt d.e\n"), [1, 2].map(|line| (LintKind::YamlTag, line, 4)));
        assert_eq!(lints("Resources: !Ref a\n---\nb: !Ref c\n"), [(LintKind::YamlTag, 3, 4)]);
        // The last key shows it.
        assert_eq!(lints("a: !Ref b\nResources: {}"), []);
        assert_eq!(lints("Resources:\n  a: !Rain::Embed b\n  c: !Ref d\n"), [(LintKind::YamlTag, 2, 6)]);
        let rain = r#"{"Resources": {"a": {"Rain::Embed": "b"}}}"#;
        assert_eq!(value("Resources:\n  a: !Rain::Embed b\n"), json(rain));
        assert_eq!(value("Resources: {a: !ref b}"), json(r#"{"Resources": {"a": {"ref": "b"}}}"#));
    }

    #[test]
    fn are_refused_as_keys() {
        let tag = |tag: &str| SourceErrorKind::YamlTag { tag: tag.into() };
        assert_error("Resources:\n  ‸!Ref a: b\n", tag("!Ref"));
        assert_eq!(error("Resources:\n  ? !If [a]\n  : b\n").code(), "SRC-YAML-KEY");
    }

    #[test]
    fn are_known_everywhere_or_nowhere_on_request() {
        let with = |tags| YamlOptions { tags, ..YamlOptions::default() };
        let (value, _) = read_with("- !Ref a", &with(YamlTags::CloudFormation)).unwrap();
        assert_eq!(value, json(r#"[{"Ref": "a"}]"#));
        let fault = read_with("Resources: !Ref a", &with(YamlTags::Core)).unwrap_err();
        assert_eq!(fault.kind(), &SourceErrorKind::YamlTag { tag: "!Ref".into() });
    }

    #[test]
    fn count_as_levels() {
        let options = YamlOptions { depth: 3, ..YamlOptions::default() };
        assert!(read_with("Resources: {a: !Ref b}", &options).is_ok());
        for text in ["Resources: {a: !If [b]}", "Resources: {a: !GetAtt b.c}", "Resources: {a: {b: !Ref c}}"]
        {
            assert_eq!(read_with(text, &options).unwrap_err().code(), "SRC-DEPTH", "{text}");
        }
    }
}

mod structure {
    use super::*;

    #[test]
    fn several_documents_are_a_list() {
        for (text, expected) in [
            ("a: 1\n---\nb: 2", r#"[{"a": 1}, {"b": 2}]"#),
            ("--- 1\n...\n--- x\n---\n[true]\n--- {}\n", r#"[1, "x", [true], {}]"#),
            (
                "---\n# Source: a.yaml\na: 1\n---\n# Source: b.yaml\n---\n# c\nb: |\n  x\n---\n",
                r#"[{"a": 1}, {"b": "x\n"}]"#,
            ),
            ("~\n---\n''\n", r#"[null, ""]"#),
            ("--- !!str |\n é\n---\n1\n", "[\"é\\n\", 1]"),
            ("a: &x 1\nb: *x\n---\na: &x 2\nb: *x\n", r#"[{"a": 1, "b": 1}, {"a": 2, "b": 2}]"#),
        ] {
            assert_eq!(value(text), json(expected), "{text:?}");
        }
    }

    #[test]
    fn one_document_is_no_list_whatever_empty_ones_are_around() {
        for text in ["---\na: 1\n...\n# the end\n", "---\n---\na: 1\n---\n# nothing\n", "a: 1\n---\n"] {
            assert_eq!(value(text), json(r#"{"a": 1}"#), "{text:?}");
        }
        for text in ["---\n", "---\n---\n", "---\n# a\n---\n# b\n"] {
            assert_eq!(value(text), json("null"), "{text:?}");
        }
    }

    #[test]
    fn faults_of_later_documents_have_their_places_and_paths() {
        let fault = error("a: 1\n---\nb: 2\n---\nc:\n- .inf\n");
        assert_eq!((fault.at().line, fault.path()), (6, "/2/c/0"));
        let fault = error("a: 1\n---\nb: 2\nb: 3\n");
        assert_eq!((fault.code(), fault.path(), fault.at().line), ("SRC-DUPKEY", "/1/b", 4));
        assert_error("a: &x 1\n---\nb: ‸*x\n", SourceErrorKind::YamlAnchor);
        let version = || SourceErrorKind::YamlVersion { version: "2.0".into() };
        assert_error("a: 1\n...\n%YAML ‸2.0\n---\nb: 2\n", version());
        assert_eq!(value("a: |\n %YAML 2.0\n---\nb: 2\n").as_list().map(<[_]>::len), Some(2));
    }

    #[test]
    fn the_list_of_documents_is_a_level() {
        let options = YamlOptions { depth: 2, ..YamlOptions::default() };
        assert!(read_with("[[1]]\n", &options).is_ok());
        assert!(read_with("[1]\n---\n[1]\n", &options).is_ok());
        for (text, offset) in [("[[1]]\n---\n[1]\n", 10), ("[1]\n---\n[[1]]\n", 9)] {
            let fault = read_with(text, &options).unwrap_err();
            assert_eq!((fault.code(), fault.at().offset), ("SRC-DEPTH", offset), "{text:?}");
        }
    }

    #[test]
    fn no_document_is_an_error() {
        for text in ["", "\n\n", "# nothing here\n"] {
            assert_eq!(error(text).kind(), &SourceErrorKind::YamlEmpty, "{text:?}");
        }
        assert_eq!(value("---\n"), json("null"));
    }

    #[test]
    fn places_count_bytes_whatever_the_characters_and_line_ends_are() {
        let text = "\u{feff}# ü\r\n\"é\": '😀'\r\nb: |\r\n  ö\r\n  \u{2028}\r\nc: [\u{a0}x, 'y\r\n\r\n  z'] # é\rd: no";
        let (_, lints) = read_with(text, &YamlOptions::default()).expect("the text is legal");
        let [_, lint] = lints[..] else { panic!("{lints:?}") };
        assert_eq!(lint.at, TextPosition { offset: text.len() as u64 - 2, line: 9, column: 4 });
        assert_eq!(TextPosition::of(text.as_bytes(), text.len() - 2), lint.at);
    }

    #[test]
    fn a_tab_in_the_indentation_is_an_error_at_the_tab() {
        assert_error("a:\n‸\tb: 1", SourceErrorKind::YamlTab);
        assert_error("a:\n  b: 1\n‸\tc: 2", SourceErrorKind::YamlTab);
        assert_error("a:\n  - x\n  ‸\t- y", SourceErrorKind::YamlTab);
    }

    #[test]
    fn broken_syntax_has_its_place() {
        assert_code("a: b‸: c", "SRC-YAML");
        assert_code("db: ‸@votes", "SRC-YAML");
        assert_eq!(error("a:\n  - 1\n b: 2").at().line, 3);
        assert_eq!(error("a: [1, 2\n").code(), "SRC-YAML");
        assert_eq!(error("x: {y: [1, 'é', @]}").path(), "/x/y/2");
    }

    #[test]
    fn a_colon_without_a_blank_after_it_is_named() {
        for marked in
            ["{a‸:[b]}", "{é: 1, a‸:{b: 1}}", "a‸:\tb", "é: 1\na‸:\t\tb: c", "- a‸:\t- b", "? a\n‸:\tb"]
        {
            assert_error(marked, SourceErrorKind::YamlColon);
        }
        assert_eq!(value("{\"a\":[b], c: [d]}"), json(r#"{"a": ["b"], "c": ["d"]}"#));
        assert_eq!(value("a: \tb\nc:\t\"d\"\ne:\t[1]"), json(r#"{"a": "b", "c": "d", "e": [1]}"#));
    }

    #[test]
    fn an_escape_of_no_character_is_named() {
        let kind = |escape: &str| SourceErrorKind::YamlEscape { escape: escape.into() };
        assert_error(r#"{"smile": "‸\ud83d\ude00"}"#, kind(r"\ud83d"));
        assert_error("- 'é'\n- &x !!str \"é \\\\ \\x41\n\n  ‸\\uDE00\"", kind(r"\uDE00"));
        assert_error(r#"a: "\U0001f600‸\U00110000""#, kind(r"\U00110000"));
        assert_eq!(value(r#"["\U0001f600", "\\ud83d", '\ud83d']"#), json(r#"["😀", "\\ud83d", "\\ud83d"]"#));
        assert_code(r#"‸"\ud8""#, "SRC-YAML");
    }

    #[test]
    fn size_has_no_limit() {
        let resource = |n: usize| {
            format!("- urn: urn:p:s::t:a/b:C::r-{n}\n  custom: true\n  inputs: {{acl: private, size: {n}}}\n")
        };
        let text: String = (0..20_000).map(resource).collect();
        let Value::List(resources) = value(&text) else { panic!("not a list") };
        let last = r#"{"urn": "urn:p:s::t:a/b:C::r-19999", "custom": true, "inputs": {"acl": "private", "size": 19999}}"#;
        assert_eq!((resources.len(), resources.last()), (20_000, Some(&json(last))));
    }

    #[test]
    fn nesting_has_a_limit() {
        let options = YamlOptions { depth: 2, ..YamlOptions::default() };
        assert!(read_with("a: [1]", &options).is_ok());
        let error = read_with("a: [[1]]", &options).unwrap_err();
        assert_eq!((error.kind(), error.at().offset), (&SourceErrorKind::Depth { limit: 2 }, 4));
        // Aliases count with their contents.
        let error = read_with("- &a [1]\n- [*a]", &options).unwrap_err();
        assert_eq!((error.kind(), error.at().offset), (&SourceErrorKind::Depth { limit: 2 }, 12));
        let block = "- ".repeat(600) + "x";
        assert_eq!(super::error(&block).kind(), &SourceErrorKind::Depth { limit: 512 });
        assert_eq!(super::error(&"[".repeat(100_000)).code(), "SRC-DEPTH");
    }

    #[test]
    fn a_refusal_of_the_sink_has_place_and_path() {
        /// An output that accepts nothing.
        struct Full;
        impl std::io::Write for Full {
            fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
                Err(std::io::Error::other("no space"))
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        // The printer passes its text on before the first value after 64 KiB.
        let text = format!("a:\n- {}\n- y", "x".repeat(70_000));
        let mut printer = json::Printer::new(Full, json::JsonStyle::Minified);
        let error = read(text.as_bytes(), &mut printer, &YamlOptions::default()).unwrap_err();
        assert_eq!(error.kind(), &SourceErrorKind::Output { text: "no space".into() });
        assert_eq!((error.at(), error.path()), (TextPosition { offset: 70_008, line: 3, column: 3 }, "/a/1"));
    }
}

mod properties {
    use super::*;
    use crate::event::push;
    use crate::text::json::tests::properties::any_value;
    use crate::text::json::{JsonStyle, Printer};
    use proptest::prelude::*;

    proptest! {
        /// JSON without duplicate keys is YAML with the same meaning, except for characters that
        /// YAML excludes.
        #[test]
        fn json_text_denotes_the_same_in_yaml(document in any_value(), pretty: bool) {
            let style = if pretty { JsonStyle::Pretty { indent: 2 } } else { JsonStyle::Minified };
            let mut printer = Printer::new(Vec::new(), style);
            push(&document, &mut printer).expect("memory takes all finite values");
            let text = String::from_utf8(printer.finish().expect("memory takes all bytes")).expect("JSON is UTF-8");
            prop_assume!(text.chars().all(is_printable_in_yaml));
            let read = read_with(&text, &YamlOptions::default()).map(|(value, _)| value);
            prop_assert_eq!(read, Ok(document), "{}", text);
        }

        #[test]
        fn no_text_makes_the_reader_panic(text in prop_oneof!["[a-c0-9:,&*!<>|'\"{}\\[\\] \n\t#%@`é~?.-]{0,60}", tokens()]) {
            if let Err(error) = read_with(&text, &YamlOptions::default()) {
                prop_assert!(error.at().offset <= text.len() as u64);
                prop_assert!(!error.render("text", text.as_bytes()).is_empty());
            }
        }
    }

    /// Texts that get further than random characters.
    fn tokens() -> impl Strategy<Value = String> {
        let token = prop::sample::select(vec![
            "<<: ", "&a ", "&b ", "*a", "*b", "{", "}", "[", "]", ", ", ": ", "a", "b: ", "\n", "\n  ", "- ",
            "? ", "!!int ", "!!str ", "!x ", "1", "'", "|\n", "---\n", "\t", "é",
        ]);
        prop::collection::vec(token, 0..16).prop_map(|tokens| tokens.concat())
    }

    /// `c-printable` of YAML 1.2 §5.1, without the byte order mark and the line ends that YAML
    /// folds.
    fn is_printable_in_yaml(c: char) -> bool {
        matches!(c, '\n' | ' '..='~' | '\u{a0}'..='\u{2027}' | '\u{202a}'..='\u{d7ff}' | '\u{e000}'..='\u{fefe}' | '\u{ff00}'..='\u{fffd}' | '\u{10000}'..)
    }
}
