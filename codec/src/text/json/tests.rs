//! Texts that the reader accepts, and its errors about all others.

pub(in crate::text) mod properties;

use super::*;
use crate::event::ValueSink;
use crate::text::{LintKind, RefuseDuplicateKeys, SourceError, SourceErrorKind, TextPosition};
use coconut_format::Value;

fn value(text: impl AsRef<[u8]>) -> Result<Value, SourceError> {
    let mut sink = RefuseDuplicateKeys::new(ValueSink::new());
    read(text.as_ref(), &mut sink, &JsonOptions::default())?;
    Ok(sink.into_inner().finish().expect("a text that was read is one whole document"))
}

fn error(text: impl AsRef<[u8]>) -> SourceError {
    let text = text.as_ref();
    value(text).expect_err(&String::from_utf8_lossy(text))
}

/// The fault of a text and `line:column` of its place.
fn fault(text: &str) -> (JsonFault, String) {
    let error = error(text);
    assert_eq!(error.code(), "SRC-JSON");
    assert!(error.hint().is_some(), "{error} has no hint");
    let place = format!("{}:{}", error.at().line, error.at().column);
    match error.kind() {
        SourceErrorKind::Json { fault } => (fault.clone(), place),
        kind => panic!("{kind} is not a JSON fault"),
    }
}

/// Asserts a fault and its place. `‸` marks the place in the text, and is removed before reading.
#[track_caller]
fn assert_fault(marked: &str, expected: JsonFault) {
    let offset = marked.find('‸').expect("the text has a mark");
    let text = marked.replacen('‸', "", 1);
    let error = error(&text);
    assert_eq!(error.kind(), &SourceErrorKind::Json { fault: expected }, "in {marked}");
    assert_eq!(error.at().offset, offset as u64, "the place in {marked}");
    assert!(error.hint().is_some());
}

fn string(text: &str) -> Value {
    Value::String(text.into())
}

mod accepts {
    use super::*;

    #[test]
    fn every_kind_of_value() {
        let text = " { \"a\" : [ null , true , false , -1 , 2.5 , \"x\" , { } , [ ] ] } \r\n\t";
        let items = vec![
            Value::Null,
            Value::Bool(true),
            Value::Bool(false),
            Value::Integer((-1i64).into()),
            Value::Float(2.5),
            string("x"),
            Value::Object(vec![]),
            Value::List(vec![]),
        ];
        assert_eq!(value(text), Ok(Value::Object(vec![("a".into(), Value::List(items))])));
    }

    #[test]
    fn a_scalar_as_document() {
        assert_eq!(value("17"), Ok(Value::Integer(17u64.into())));
        assert_eq!(value("\"\""), Ok(string("")));
        assert_eq!(value("null"), Ok(Value::Null));
    }

    #[test]
    fn the_whole_range_of_integers() {
        assert_eq!(value("18446744073709551615"), Ok(Value::Integer(u64::MAX.into())));
        assert_eq!(value("9999999999999999999"), Ok(Value::Integer(9_999_999_999_999_999_999u64.into())));
        assert_eq!(value("-9223372036854775808"), Ok(Value::Integer(i64::MIN.into())));
    }

    #[test]
    fn minus_zero_as_a_float() {
        assert_eq!(value("-0"), Ok(Value::Float(-0.0)));
        assert_eq!(value("[0]"), Ok(Value::List(vec![Value::Integer(0u64.into())])));
    }

    #[test]
    fn floats_that_keep_their_value() {
        for (text, number) in [
            ("0.1", 0.1),
            ("1E2", 100.0),
            ("5e-324", 5e-324),
            ("1.10", 1.1),
            ("1.0", 1.0),
            ("-1.5e+3", -1500.0),
        ] {
            assert_eq!(value(text), Ok(Value::Float(number)), "{text}");
        }
    }

    #[test]
    fn every_escape() {
        assert_eq!(
            value(r#""\"\\\/\b\f\n\r\t\u0041\u00e9\uD83D\uDE00x""#),
            Ok(string("\"\\/\u{8}\u{c}\n\r\tAé😀x"))
        );
    }

    #[test]
    fn escapes_at_every_distance_from_a_run_of_eight() {
        for before in 0..20 {
            for after in 0..10 {
                let (a, b) = ("a".repeat(before), "é".repeat(after));
                assert_eq!(value(format!(r#""{a}\n{b}""#)), Ok(string(&format!("{a}\n{b}"))));
            }
        }
    }

    #[test]
    fn a_byte_order_mark_with_a_lint() {
        let lints = read(b"\xEF\xBB\xBF[1]", &mut ValueSink::new(), &JsonOptions::default());
        let lints = lints.expect("a byte order mark is legal");
        assert_eq!(
            lints.iter().map(|lint| (lint.kind, lint.at.offset)).collect::<Vec<_>>(),
            [(LintKind::ByteOrderMark, 0)]
        );
        assert_eq!(read(b"[1]", &mut ValueSink::new(), &JsonOptions::default()), Ok(vec![]));
        let without = JsonOptions { byte_order_mark: false, ..JsonOptions::default() };
        let refused = read(b"\xEF\xBB\xBF[1]", &mut ValueSink::new(), &without).unwrap_err();
        assert_eq!((refused.code(), refused.at().offset), ("SRC-JSON", 0));
    }

    #[test]
    fn nesting_up_to_the_limit() {
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(value(nested(512)).is_ok());
        let error = error(nested(513));
        assert_eq!((error.code(), error.at().offset), ("SRC-DEPTH", 512));
        let flat = JsonOptions { depth: 0, ..JsonOptions::default() };
        assert_eq!(read(b"1", &mut ValueSink::new(), &flat), Ok(vec![]));
        let error = read(b" {}", &mut ValueSink::new(), &flat).unwrap_err();
        assert_eq!((error.kind(), error.at().offset), (&SourceErrorKind::Depth { limit: 0 }, 1));
    }

    #[test]
    fn a_depth_that_would_overflow_a_recursive_reader() {
        let levels = 1_000_000;
        let text = "[".repeat(levels) + &"]".repeat(levels);
        let mut printer = Printer::new(Vec::new(), JsonStyle::Minified);
        read(text.as_bytes(), &mut printer, &JsonOptions { depth: u32::MAX, ..JsonOptions::default() })
            .expect("the limit allows it");
        assert_eq!(printer.finish().expect("memory takes all bytes"), text.as_bytes());
    }
}

mod examples_from_design_notes {
    //! Examples in documentation abbreviate and annotate JSON. The errors for pasted examples must
    //! help.

    use super::*;

    #[test]
    fn a_comma_before_the_end_of_an_object() {
        assert_fault(
            "{\n  \"node\": {\n    \"next\": [\n      { \"#ref\": \"x\" }\n    ]‸,\n  },\n  \"x\": {}\n}",
            JsonFault::TrailingComma,
        );
    }

    #[test]
    fn dots_for_what_was_left_out() {
        assert_fault("{\n  \"nodes\": {\n    ‸...,\n    \"a\": {}\n  }\n}", JsonFault::Ellipsis);
        assert_fault("[1, ‸...]", JsonFault::Ellipsis);
        assert_fault("[1 ‸… 9]", JsonFault::Ellipsis);
    }

    #[test]
    fn a_comment_for_the_body_of_an_object() {
        assert_fault(
            "{\n  \"name\": \"p\",\n  \"code\": {\n    ‸// the code goes here\n  }\n}",
            JsonFault::LineComment,
        );
    }

    #[test]
    fn a_comma_missing_at_the_end_of_a_line() {
        let text = "{\n  \"rules\": [\n    22\n  ]\n  \"net\": { \"#ref\": \"N\" }\n}";
        assert_eq!(fault(text), (JsonFault::MissingComma, "4:4".into()));
        let error = error(text);
        assert_eq!(error.path(), "/rules");
        assert_eq!(error.hint(), Some("insert `,` here"));
    }
}

mod commas_and_brackets {
    use super::*;

    #[test]
    fn a_missing_comma_is_where_it_should_be_inserted() {
        assert_fault("[1‸ 2]", JsonFault::MissingComma);
        assert_fault("[\"a\"‸\"b\"]", JsonFault::MissingComma);
        assert_fault("{\"a\":1‸\n\n \"b\":2}", JsonFault::MissingComma);
        assert_fault("[{}‸{}]", JsonFault::MissingComma);
        assert_fault("[true‸ false]", JsonFault::MissingComma);
        assert_fault("{\"a\": null‸ b: 1}", JsonFault::MissingComma);
    }

    #[test]
    fn a_comma_too_many() {
        assert_fault("[1‸,]", JsonFault::TrailingComma);
        assert_fault("{\"a\":1‸ ,\n}".replace("‸ ,", " ‸,").as_str(), JsonFault::TrailingComma);
        assert_fault("[‸,1]", JsonFault::ExtraComma);
        assert_fault("[1,‸,2]", JsonFault::ExtraComma);
        assert_fault("{‸,\"a\":1}", JsonFault::ExtraComma);
        assert_fault("{\"a\":1,‸,\"b\":2}", JsonFault::ExtraComma);
    }

    #[test]
    fn other_separators() {
        assert_fault("[1‸; 2]", JsonFault::Semicolon);
        assert_fault("{\"a\" ‸= 1}", JsonFault::EqualsSign);
        assert_fault("{\"a\" ‸=> 1}", JsonFault::EqualsSign);
    }

    #[test]
    fn colons() {
        assert_fault("{\"a\"‸ 1}", JsonFault::MissingColon);
        assert_fault("{\"a\"‸}", JsonFault::MissingColon);
        assert_fault("{\"a\"‸, \"b\"}", JsonFault::MissingColon);
        assert_fault("[\"a\"‸: 1]", JsonFault::ColonInList);
        assert_fault("{\"a\": \"b\"‸: 1}", JsonFault::SecondColon);
        assert_fault("{\"a\":‸ }", JsonFault::MissingValue);
        assert_fault("{\"a\":‸, \"b\": 1}", JsonFault::MissingValue);
        assert_fault("{‸: 1}", JsonFault::MissingKey);
    }

    #[test]
    fn brackets_that_do_not_match() {
        assert_fault("[1‸}", JsonFault::WrongClose { found: '}', close: ']' });
        assert_fault("{\"a\": 1‸]", JsonFault::WrongClose { found: ']', close: '}' });
        assert_fault("{‸]", JsonFault::WrongClose { found: ']', close: '}' });
        assert_fault("‸]", JsonFault::StrayClose { found: ']' });
        assert_fault("{}‸}", JsonFault::StrayClose { found: '}' });
        assert_eq!(error("[[1}").related().map(|place| place.offset), Some(1));
    }

    #[test]
    fn brackets_that_are_not_closed_name_where_they_were_opened() {
        assert_fault("{\"a\": [1, 2‸", JsonFault::Unclosed { open: '[', close: ']' });
        assert_fault("{\"a\": [1, 2]\n‸", JsonFault::Unclosed { open: '{', close: '}' });
        assert_fault("{\"a\":‸", JsonFault::Unclosed { open: '{', close: '}' });
        let error = error("[\n {\"a\": [1");
        assert_eq!(error.related().map(|place| (place.line, place.column)), Some((2, 8)));
    }

    #[test]
    fn text_after_the_document() {
        assert_fault("{} ‸{}", JsonFault::SecondDocument);
        assert_fault("{\"a\":1}\n‸{\"a\":2}\n", JsonFault::SecondDocument);
        assert_fault("1 ‸2", JsonFault::SecondDocument);
        assert_fault("[]‸,", JsonFault::TrailingText { found: Shown(',') });
        assert_fault("null ‸# no", JsonFault::HashComment);
    }

    #[test]
    fn no_document() {
        assert_fault("‸", JsonFault::Empty);
        assert_fault(" \n\t‸", JsonFault::Empty);
    }
}

/// §17.2
mod several_documents {
    use super::*;

    fn documents(text: &str) -> Result<Value, SourceError> {
        read_documents(|options| {
            let mut sink = RefuseDuplicateKeys::new(ValueSink::new());
            read(text.as_bytes(), &mut sink, options)?;
            Ok(sink.into_inner().finish().expect("a text that was read is whole"))
        })
    }

    #[track_caller]
    fn assert_refused(marked: &str, code: &str, path: &str) {
        let offset = marked.find('‸').expect("the text has a mark");
        let error = documents(&marked.replacen('‸', "", 1)).expect_err(marked);
        assert_eq!((error.code(), error.at().offset, error.path()), (code, offset as u64, path), "{marked}");
    }

    #[test]
    fn on_lines_of_their_own_are_a_list() {
        for (text, list) in [
            ("{\"a\":1}\n{\"a\":2}", "[{\"a\":1},{\"a\":2}]"),
            ("\u{feff}{}\r\n\r\n{}\n {} \n", "[{},{},{}]"),
            ("[1]\r[{}]\r", "[[1],[{}]]"),
            ("{\n \"a\": [\n]}\n{\n}\n", "[{\"a\":[]},{}]"),
        ] {
            assert_eq!(documents(text).unwrap(), value(list).unwrap(), "{text:?}");
        }
    }

    #[test]
    fn are_no_list_if_there_is_one() {
        for text in ["{}\n", "[1]", "7\n"] {
            assert_eq!(documents(text).unwrap(), value(text).unwrap());
        }
    }

    #[test]
    fn must_be_two_whole_objects_or_lists_on_lines() {
        for marked in [
            "{} ‸{}\n",
            "{}\n‸[]\n",
            "[]\n‸{}\n",
            "1\n‸2\n",
            "{}\n‸\"x\"\n",
            "{}\n‸{\"a\": tru}\n",
            "{}\n‸{\"a\": 1\n",
            "{}\n‸{\"a\": 1\n{}\n",
        ] {
            assert_refused(marked, "SRC-JSON", "");
            let error = documents(&marked.replacen('‸', "", 1)).unwrap_err();
            assert_eq!(error.kind(), &SourceErrorKind::Json { fault: JsonFault::SecondDocument }, "{marked}");
        }
        assert_refused("{}\n‸}\n", "SRC-JSON", "");
    }

    #[test]
    fn have_faults_of_their_own_after_the_second() {
        assert_refused("{}\n{}\n{\"a\": ‸tru}\n", "SRC-JSON", "/2/a");
        assert_refused("{}\n{}\n{}\n{\"a\": 1‸", "SRC-JSON", "/3/a");
        assert_refused("{}\n{} ‸{}\n", "SRC-JSON", "/1");
        assert_refused("{}\n{}\n‸# c\n", "SRC-JSON", "/1");
        assert_refused("{}\n{\"a\":1,‸\"a\":2}\n", "SRC-DUPKEY", "/1/a");
        assert_refused("{}\n{\"a\":‸1e999}\n", "NUM-RANGE", "/1/a");
    }

    #[test]
    fn are_a_level_of_nesting() {
        let options = |depth| JsonOptions { depth, several: true, ..JsonOptions::default() };
        let text = "[1]\n[1]\n";
        assert!(read(text.as_bytes(), &mut ValueSink::new(), &options(2)).is_ok());
        let error = read(text.as_bytes(), &mut ValueSink::new(), &options(1)).unwrap_err();
        assert_eq!((error.code(), error.at().offset), ("SRC-DEPTH", 0));
    }
}

mod habits_from_other_languages {
    use super::*;

    #[test]
    fn comments_of_all_kinds() {
        assert_fault("‸// x\n1", JsonFault::LineComment);
        assert_fault("[1, ‸/* two */ 2]", JsonFault::BlockComment);
        assert_fault("{\"a\": 1 ‸# one\n}", JsonFault::HashComment);
        assert_fault("{\"a\" ‸// key\n: 1}", JsonFault::LineComment);
    }

    #[test]
    fn quotation_marks() {
        for found in ['\'', '`', '“', '‘', '«'] {
            assert_fault(&format!("[‸{found}a{found}]"), JsonFault::QuotationMark { found });
            assert_fault(&format!("{{‸{found}a{found}: 1}}"), JsonFault::QuotationMark { found });
        }
    }

    #[test]
    fn words_without_quotes() {
        assert_fault("{‸name: 1}", JsonFault::UnquotedKey { word: "`name`".into() });
        assert_fault("{\"a\": 1, ‸$ref-x: 1}", JsonFault::UnquotedKey { word: "`$ref-x`".into() });
        assert_fault("{\"a\": ‸hello}", JsonFault::UnquotedString { word: "`hello`".into() });
        assert_fault("‸trueish", JsonFault::UnquotedString { word: "`trueish`".into() });
        let long = "w".repeat(100);
        let shown = format!("`{}…`", "w".repeat(40)).into();
        assert_fault(&format!("[‸{long}]"), JsonFault::UnquotedString { word: shown });
    }

    #[test]
    fn literals_of_other_languages() {
        let literal = |found: &str, expected| JsonFault::Literal { found: found.into(), expected };
        assert_fault("[‸True]", literal("`True`", "true"));
        assert_fault("[‸FALSE]", literal("`FALSE`", "false"));
        assert_fault("‸None", literal("`None`", "null"));
        assert_fault("‸nil", literal("`nil`", "null"));
        assert_fault("{\"a\": ‸undefined}", literal("`undefined`", "null"));
    }

    #[test]
    fn numbers_that_are_none() {
        let not_finite = |found: &str| JsonFault::NotFinite { found: found.into() };
        assert_fault("[‸NaN]", not_finite("`NaN`"));
        assert_fault("[‸Infinity]", not_finite("`Infinity`"));
        assert_fault("[‸-Infinity]", not_finite("`Infinity`"));
    }

    #[test]
    fn keys_that_are_no_strings() {
        assert_fault("{‸1: 2}", JsonFault::KeyNotString);
        assert_fault("{\"a\": 1, ‸[1]: 2}", JsonFault::KeyNotString);
        assert_fault("{‸{}: 2}", JsonFault::KeyNotString);
    }

    #[test]
    fn unusual_spaces() {
        assert_fault("[‸\u{a0}1]", JsonFault::Space { found: Shown('\u{a0}') });
        assert_fault("[1‸\u{c}]", JsonFault::Space { found: Shown('\u{c}') });
        assert_fault("{}‸\u{feff}", JsonFault::Space { found: Shown('\u{feff}') });
    }

    #[test]
    fn characters_that_begin_nothing() {
        assert_fault("[‸@]", JsonFault::Unexpected { found: Shown('@'), expected: "a value" });
        assert_fault("[1‸@]", JsonFault::Unexpected { found: Shown('@'), expected: "`,` or `]`" });
        assert_fault("{‸<}", JsonFault::Unexpected { found: Shown('<'), expected: "a key in double quotes" });
        assert_fault("{\"a\"‸/}", JsonFault::Unexpected { found: Shown('/'), expected: "`:`" });
        assert_fault("‸\0", JsonFault::Unexpected { found: Shown('\0'), expected: "a value" });
    }
}

mod numbers {
    use super::*;

    #[test]
    fn spelt_wrongly() {
        assert_fault("[‸+1]", JsonFault::PlusSign);
        assert_fault("[‸.5]", JsonFault::LeadingPoint);
        assert_fault("[-‸.5]", JsonFault::LeadingPoint);
        assert_fault("[1.‸]", JsonFault::TrailingPoint);
        assert_fault("[1.‸e5]", JsonFault::TrailingPoint);
        assert_fault("[‸01]", JsonFault::LeadingZero);
        assert_fault("[-‸00]", JsonFault::LeadingZero);
        assert_fault("[‸00.5]", JsonFault::LeadingZero);
        assert_fault("[-‸]", JsonFault::LoneMinus);
        assert_fault("[-‸-1]", JsonFault::LoneMinus);
        assert_fault("[1e‸]", JsonFault::EmptyExponent);
        assert_fault("[1.5E+‸x]", JsonFault::EmptyExponent);
        assert_fault("[0‸x10]", JsonFault::NotDecimal);
        assert_fault("[1‸_000]", JsonFault::DigitSeparator);
        assert_fault("[12‸abc]", JsonFault::NumberTail { found: Shown('a') });
        assert_fault("[1.2‸.3]", JsonFault::NumberTail { found: Shown('.') });
        assert_fault("[2017‸-03-10]", JsonFault::NumberTail { found: Shown('-') });
        assert_fault("[5‸é]", JsonFault::NumberTail { found: Shown('é') });
    }

    #[test]
    fn out_of_range() {
        for (text, path, offset) in [
            ("[1e400]", "/0", 1),
            ("[1e-400]", "/0", 1),
            ("[0, 18446744073709551616]", "/1", 4),
            ("{\"a\": -9223372036854775809}", "/a", 6),
            ("123456789012345678901234567890", "", 0),
        ] {
            let error = error(text);
            assert_eq!(
                (error.code(), error.path(), error.at().offset),
                ("NUM-RANGE", path, offset),
                "{text}"
            );
        }
    }

    #[test]
    fn more_precise_than_a_float() {
        let error = error("{\"big\": [9007199254740993.0]}");
        let kind = SourceErrorKind::NumberPrecision { nearest: "9007199254740992.0".into() };
        assert_eq!((error.kind(), error.path(), error.at().column), (&kind, "/big/0", 10));
    }
}

mod strings {
    use super::*;

    #[test]
    fn not_closed() {
        assert_fault("[\"abc‸", JsonFault::UnclosedString);
        assert_fault("[\"abc‸\n\", 1]", JsonFault::UnclosedString);
        assert_fault("{\"abc\\‸", JsonFault::UnclosedString);
        assert_fault("\"\\u12‸", JsonFault::UnclosedString);
        assert_eq!(error("[1, \"abc\n\"]").related().map(|place| place.offset), Some(4));
    }

    #[test]
    fn a_quotation_mark_inside() {
        assert_fault("[\"say \"‸hi\" now\"]", JsonFault::QuoteInString);
        assert_fault("{\"a\"‸b\": 1}", JsonFault::QuoteInString);
    }

    #[test]
    fn control_characters() {
        let control = |escape: &str| JsonFault::ControlCharacter { escape: escape.into() };
        assert_fault("[\"a‸\tb\"]", control("\\t"));
        assert_fault("[\"\\n‸\u{1}\"]", control("\\u0001"));
        assert_fault("[\"0123456789‸\0\"]", control("\\u0000"));
    }

    #[test]
    fn bad_escapes() {
        assert_fault(r#"["a\‸x41"]"#, JsonFault::Escape { found: Shown('x') });
        assert_fault(r#"["\‸'"]"#, JsonFault::Escape { found: Shown('\'') });
        assert_fault(r#"["\‸é"]"#, JsonFault::Escape { found: Shown('é') });
        assert_fault(r#"["\u12‸g4"]"#, JsonFault::ShortEscape);
        assert_fault(r#"["\u12‸"]"#, JsonFault::ShortEscape);
    }

    #[test]
    fn lone_surrogates() {
        assert_fault(r#"["ab‸\uD800"]"#, JsonFault::LoneSurrogate);
        assert_fault(r#"["‸\uDC00"]"#, JsonFault::LoneSurrogate);
        assert_fault(r#"["‸\uD83D\n"]"#, JsonFault::LoneSurrogate);
        assert_fault(r#"["‸\uD83D\uD83D\uDE00"]"#, JsonFault::LoneSurrogate);
        assert_fault(r#"{"‸\uDE00\uD83D": 1}"#, JsonFault::LoneSurrogate);
    }

    #[test]
    fn bytes_that_are_not_utf8() {
        let error = error(b"{\n\"a\": \"\xC3\xA9\xFF\"}");
        assert_eq!((error.code(), error.at().line, error.at().column), ("SRC-UTF8", 2, 8));
    }
}

mod duplicate_keys {
    use super::*;

    #[test]
    fn name_both_places() {
        let error = error("{\n  \"a\": 1,\n  \"b\": 2,\n  \"a\": 3\n}");
        assert_eq!(error.kind(), &SourceErrorKind::DuplicateKey { key: "a".into() });
        assert_eq!((error.at().line, error.at().column), (4, 3));
        assert_eq!(error.related().map(|place| (place.line, place.column)), Some((2, 3)));
        assert_eq!(error.path(), "/a");
    }

    #[test]
    fn are_found_however_they_are_spelt() {
        let error = error(r#"[{"x": {"a": 1, "n": {"a": 1}, "\u0061": 2}}]"#);
        assert_eq!(error.kind(), &SourceErrorKind::DuplicateKey { key: "a".into() });
        assert_eq!((error.at().offset, error.related().map(|place| place.offset)), (31, Some(8)));
        assert_eq!(error.path(), "/0/x/a");
    }

    #[test]
    fn come_before_later_faults() {
        let found = |text: &str| {
            let error = error(text);
            let TextPosition { offset, line, column } = error.at();
            (
                error.code(),
                (offset, line, column),
                error.related().map(|place| place.offset),
                error.path().to_owned(),
            )
        };
        let duplicate = |at, first, path: &str| ("SRC-DUPKEY", at, Some(first), path.to_owned());
        assert_eq!(found(r#"{"a":1,"a":9007199254740993.0}"#), duplicate((7, 1, 8), 1, "/a"));
        assert_eq!(found("{\"a\":1,\n\"\\u0061\":18446744073709551616}"), duplicate((8, 2, 1), 1, "/a"));
        // The first of the open ones, not the innermost.
        let two = r#"{"k":{"x":1},"l":[0,{"b":1,"b":{"c":1,"c":1e400}}]}"#;
        assert_eq!(found(two), duplicate((27, 1, 28), 21, "/l/1/b"));
        let outer = r#"{"a":1,"a":{"b":1,"b":2}}"#;
        assert_eq!(found(outer), duplicate((7, 1, 8), 1, "/a"));
        let deep = format!(r#"[{{"a":1,"a":{}"#, "[".repeat(512));
        assert_eq!(found(&deep), duplicate((8, 1, 9), 2, "/0/a"));
        let cut = r#"{"a":1,"b":{"a":0},"a"#;
        assert_ne!(found(cut).0, "SRC-DUPKEY", "a key that is not whole");
        assert_eq!(found(r#"{"a":1,"a" 1}"#), duplicate((7, 1, 8), 1, "/a"));
    }

    #[test]
    fn come_after_earlier_faults() {
        let place = |text: &str| (error(text).code(), error(text).at().offset);
        assert_eq!(place(r#"{"a":9007199254740993.0,"a":1}"#), ("NUM-PRECISION", 5));
        assert_eq!(place(r#"{"b":1,"a":{"c":1e400,"c":1,"a":1},"b":1}"#), ("NUM-RANGE", 16));
    }

    #[test]
    fn pass_if_the_sink_does_not_look_for_them() {
        assert_eq!(read(br#"{"a":1,"a":2}"#, &mut ValueSink::new(), &JsonOptions::default()), Ok(vec![]));
    }
}

mod paths {
    use super::*;

    #[test]
    fn lead_through_lists_and_objects_to_the_value() {
        assert_eq!(
            error(r#"{"z": {"q": 0}, "a/b": [0, [1], {"x\n": [{"k": 1}, @]}]}"#).path(),
            "/a~1b/2/x\n/1"
        );
    }

    #[test]
    fn stop_at_the_object_when_its_key_is_wrong() {
        assert_eq!(error(r#"{"o": {"a": 1, b: 2}}"#).path(), "/o");
    }

    #[test]
    fn are_empty_outside_of_the_document() {
        assert_eq!(error("{} 1").path(), "");
    }
}
