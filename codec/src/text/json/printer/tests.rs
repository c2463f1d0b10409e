//! Printing JSON: both styles, escapes, numbers, and repeated texts and runs.

use super::*;
use crate::event::push;
use crate::replay;
use coconut_format::Value;

fn printed(value: &Value, style: JsonStyle) -> String {
    let mut printer = Printer::new(Vec::new(), style);
    push(value, &mut printer).expect("a printer into memory takes all finite values");
    String::from_utf8(printer.finish().expect("memory takes all bytes")).expect("JSON text is UTF-8")
}

fn sample() -> Value {
    let pair = Value::List(vec![Value::Integer(1u64.into()), Value::Bool(false)]);
    Value::Object(vec![
        ("empty".into(), Value::List(vec![Value::List(vec![]), Value::Object(vec![])])),
        ("pair".into(), pair),
        ("o".into(), Value::Object(vec![("x".into(), Value::Null)])),
    ])
}

#[test]
fn minified_has_no_space() {
    assert_eq!(
        printed(&sample(), JsonStyle::Minified),
        r#"{"empty":[[],{}],"pair":[1,false],"o":{"x":null}}"#
    );
}

#[test]
fn pretty_is_laid_out_as_json_stringify_does() {
    let expected = r#"{
  "empty": [
    [],
    {}
  ],
  "pair": [
    1,
    false
  ],
  "o": {
    "x": null
  }
}"#;
    assert_eq!(printed(&sample(), JsonStyle::Pretty { indent: 2 }), expected);
    let expected = expected.replace("  ", "    ");
    assert_eq!(printed(&sample(), JsonStyle::Pretty { indent: 4 }), expected);
    assert_eq!(printed(&Value::Object(vec![]), JsonStyle::Pretty { indent: 4 }), "{}");
}

#[test]
fn only_quotes_backslashes_and_controls_are_escaped() {
    let text = "\"\\/\u{8}\u{c}\n\r\t\0\u{1f}\u{7f}<é\u{2028}😀";
    assert_eq!(
        printed(&Value::String(text.into()), JsonStyle::Minified),
        "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\u{7f}<é\u{2028}😀\""
    );
}

#[test]
fn floats_are_laid_out_as_in_javascript_but_stay_floats() {
    for (value, text) in [
        (0.5, "0.5"),
        (123.456, "123.456"),
        (0.000001, "0.000001"),
        (0.0000012, "0.0000012"),
        (0.0000001, "1e-7"),
        (1.5e-7, "1.5e-7"),
        (1.5e21, "1.5e+21"),
        (1e21, "1e+21"),
        (f64::MAX, "1.7976931348623157e+308"),
        (5e-324, "5e-324"),
        (123456789012345680000.0, "123456789012345680000.0"),
        (1e20, "100000000000000000000.0"),
        (1.0, "1.0"),
        (-1.0, "-1.0"),
        (0.0, "0.0"),
        (-0.0, "-0.0"),
    ] {
        assert_eq!(printed(&Value::Float(value), JsonStyle::Minified), text);
    }
}

#[test]
fn floats_are_written_alike_whole_and_digit_by_digit() {
    // The layout changes near some powers of ten and of two; test all of them and their neighbours.
    let tens = (-330..=308).map(|exponent| format!("1e{exponent}").parse::<f64>().unwrap());
    let twos = (-1074..=1023).map(|exponent| 2f64.powi(exponent));
    for value in tens.chain(twos).flat_map(|value| [value, value * 0.3, value.next_down(), value.next_up()]) {
        for value in [value, -value] {
            let (mut whole, mut digits) = (Vec::new(), Vec::new());
            write_float(value, &mut whole);
            write_digits(zmij::Buffer::new().format_finite(value), &mut digits);
            assert_eq!(String::from_utf8(whole), String::from_utf8(digits), "{value:e}");
        }
    }
}

#[test]
fn integers_keep_all_digits() {
    for (value, text) in [
        (Integer::from(u64::MAX), "18446744073709551615"),
        (Integer::from(i64::MIN), "-9223372036854775808"),
        (Integer::from(0u64), "0"),
    ] {
        assert_eq!(printed(&Value::Integer(value), JsonStyle::Minified), text);
    }
}

#[test]
fn a_document_longer_than_the_buffer_is_whole() {
    let item = "x".repeat(1000);
    let list = Value::List(vec![Value::String(item.clone()); 200]);
    let expected = format!("[{}]", vec![format!("\"{item}\""); 200].join(","));
    assert_eq!(printed(&list, JsonStyle::Minified), expected);
}

#[test]
fn a_line_feed_ends_the_document_on_request() {
    let mut printer = Printer::new(Vec::new(), JsonStyle::Minified).with_final_newline();
    printer.null().expect("memory takes all bytes");
    assert_eq!(printer.finish().expect("memory takes all bytes"), b"null\n");
}

#[test]
fn a_numbered_text_is_written_alike_each_time() {
    let mut printer = Printer::new(Vec::new(), JsonStyle::Minified);
    printer.begin_object().unwrap();
    for number in [0, u32::MAX, 0, u32::MAX] {
        printer.numbered_key(number, "a\"b").unwrap();
        printer.numbered_string(7, "").unwrap();
    }
    printer.end_object().unwrap();
    let text = String::from_utf8(printer.finish().unwrap()).unwrap();
    assert_eq!(text, r#"{"a\"b":"","a\"b":"","a\"b":"","a\"b":""}"#);
}

#[test]
fn numbered_texts_beyond_the_memory_are_written_in_full() {
    let mut printer = Printer::new(Vec::new(), JsonStyle::Minified);
    let long = "x".repeat(replay::BYTES);
    printer.begin_list().unwrap();
    for (number, text) in [(0, "short"), (1, &long), (1, &long), (0, "short")] {
        printer.numbered_string(number, text).unwrap();
    }
    printer.end_list().unwrap();
    let text = String::from_utf8(printer.finish().unwrap()).unwrap();
    assert!(text == format!(r#"["short","{long}","{long}","short"]"#), "four texts, in order");
}

#[test]
fn texts_that_push_each_other_out_of_the_memory_are_written_all_the_same() {
    let mut printer = Printer::new(Vec::new(), JsonStyle::Minified);
    let texts: Vec<String> = (0..6).map(|n| n.to_string().repeat(replay::BYTES / 5)).collect();
    printer.begin_list().unwrap();
    for number in (0..6).chain(0..6) {
        printer.numbered_string(number, &texts[number as usize]).unwrap();
    }
    printer.end_list().unwrap();
    let text = String::from_utf8(printer.finish().unwrap()).unwrap();
    let items: Vec<String> = texts.iter().chain(&texts).map(|text| format!("\"{text}\"")).collect();
    assert!(text == format!("[{}]", items.join(",")), "twelve texts, in order");
}

/// Pushes a run in several places: one of a whole value, and one of the beginning of a value.
fn push_runs<S: EventSink>(sink: &mut S, taken: &mut Vec<bool>) -> Result<(), SinkError> {
    sink.begin_list()?;
    for _ in 0..2 {
        for _ in 0..2 {
            taken.push(sink.begin_run(0)?);
            if taken.last() == Some(&false) {
                sink.begin_object()?;
                sink.key("a")?;
                sink.begin_list()?;
                sink.null()?;
                sink.null()?;
                sink.end_list()?;
                sink.end_object()?;
                sink.end_run();
            }
        }
        taken.push(sink.begin_run(1)?);
        if taken.last() == Some(&false) {
            sink.begin_object()?;
            sink.key("b")?;
            sink.end_run();
        }
    }
    sink.bool(true)?;
    sink.end_object()?;
    sink.end_object()?;
    sink.end_list()
}

#[test]
fn a_run_that_comes_again_is_written_from_memory() {
    let mut printer = Printer::new(Vec::new(), JsonStyle::Minified);
    let mut taken = Vec::new();
    push_runs(&mut printer, &mut taken).unwrap();
    let text = String::from_utf8(printer.finish().unwrap()).unwrap();
    let run = r#"{"a":[null,null]}"#;
    // The second object begins as a value of the first. As events this is not a document, but as
    // text it shows both.
    assert_eq!(text, format!(r#"[{run},{run},{{"b":{run},{run},{{"b":true}}}}]"#));
    assert_eq!(taken, [false, true, false, true, true, true]);
}

#[test]
fn a_run_at_another_depth_is_indented_anew() {
    let mut printer = Printer::new(Vec::new(), JsonStyle::Pretty { indent: 1 });
    let mut taken = Vec::new();
    printer.begin_list().unwrap();
    for _ in 0..2 {
        for _ in 0..2 {
            taken.push(printer.begin_run(7).unwrap());
            if taken.last() == Some(&false) {
                printer.begin_list().unwrap();
                printer.null().unwrap();
                printer.end_list().unwrap();
                printer.end_run();
            }
        }
        printer.begin_list().unwrap();
    }
    (0..3).for_each(|_| printer.end_list().unwrap());
    let text = String::from_utf8(printer.finish().unwrap()).unwrap();
    let expected =
        "[\n [\n  null\n ],\n [\n  null\n ],\n [\n  [\n   null\n  ],\n  [\n   null\n  ],\n  []\n ]\n]";
    assert_eq!((text.as_str(), taken), (expected, vec![false, true, false, true]));
}

#[test]
fn a_run_longer_than_the_buffer_is_not_kept() {
    let mut printer = Printer::new(Vec::new(), JsonStyle::Minified);
    let item = "x".repeat(FULL);
    printer.begin_list().unwrap();
    for _ in 0..2 {
        assert_eq!(printer.begin_run(0), Ok(false));
        printer.begin_list().unwrap();
        printer.string(&item).unwrap();
        printer.null().unwrap();
        printer.end_list().unwrap();
        printer.end_run();
    }
    printer.end_list().unwrap();
    let text = String::from_utf8(printer.finish().unwrap()).unwrap();
    assert!(text == format!(r#"[["{item}",null],["{item}",null]]"#), "two runs, in order");
}

#[test]
fn refuses_floats_that_are_not_finite_before_writing_anything() {
    let mut printer = Printer::new(Vec::new(), JsonStyle::Minified);
    assert_eq!(printer.float(f64::INFINITY), Err(SinkError::NonFinite));
    assert_eq!(printer.finish().expect("memory takes all bytes"), b"");
}
