//! §4.1 Source texts.

use coconut_codec::event::{ValueSink, push};
use coconut_codec::text::json::{self, JsonOptions, JsonStyle, Printer};
use coconut_codec::text::yaml::{self, YamlOptions};
use coconut_codec::text::{SourceError, SourceFormat, TextPosition};
use coconut_format::Value;

/// A JSON text that is read prints to a text with the same value, which prints to itself.
pub fn json(data: &[u8]) {
    SourceFormat::of_text(data);
    match json_value(data) {
        Ok(value) => comes_back(&value),
        Err(error) => check_place(&error, data),
    }
}

/// The same for YAML, which prints as JSON. A text that both readers accept as JSON has one value.
pub fn yaml(data: &[u8]) {
    let mut sink = ValueSink::new();
    match yaml::read(data, &mut sink, &YamlOptions::default()) {
        Ok(_) => {
            let value = sink.finish().expect("a text that is read is one document");
            comes_back(&value);
            // A tab may indent JSON but not YAML, and a long key may not be one in YAML. So the
            // values are compared only if both read one.
            if let Ok(other) = json_value(data) {
                assert_eq!(value, other, "as YAML and as JSON");
            }
        }
        Err(error) => check_place(&error, data),
    }
}

fn json_value(text: &[u8]) -> Result<Value, SourceError> {
    let mut sink = ValueSink::new();
    json::read(text, &mut sink, &JsonOptions::default())?;
    Ok(sink.finish().expect("a text that is read is one document"))
}

fn printed(value: &Value, style: JsonStyle) -> Vec<u8> {
    let mut printer = Printer::new(Vec::new(), style);
    push(value, &mut printer).expect("memory takes any text");
    printer.finish().expect("memory takes any text")
}

fn comes_back(value: &Value) {
    let minified = printed(value, JsonStyle::Minified);
    let again = json_value(&minified).expect("a text just printed");
    assert_eq!(&again, value, "the value after printing");
    assert_eq!(printed(&again, JsonStyle::Minified), minified, "printing is stable");
}

fn check_place(error: &SourceError, text: &[u8]) {
    let at = error.at();
    let offset = usize::try_from(at.offset).expect("an offset in memory");
    assert!(offset <= text.len(), "{error} is after the end");
    assert_eq!(TextPosition::of(text, offset), at, "line and column of {error}");
    assert!(!error.render("name", text).is_empty());
}
