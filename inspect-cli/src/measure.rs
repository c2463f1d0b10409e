//! How large the parts of a document would be as minified JSON, and what recurs in it.

use coconut_codec::event::{EventSink, SinkError};
use coconut_codec::source::json::{JsonStyle, Printer};
use coconut_format::Integer;
use std::collections::HashMap;

/// Counts what it receives.
///
/// Keeps every distinct key, and every distinct string with its uses.
#[derive(Debug, Default)]
pub(crate) struct Measure {
    /// Bytes of the document as minified JSON.
    pub(crate) bytes: u64,
    /// Values.
    pub(crate) values: u64,
    pub(crate) keys: HashMap<String, Tally>,
    pub(crate) texts: HashMap<String, Tally>,
    open: Vec<Open>,
    /// The key whose value comes next, and where it began.
    key: Option<(String, u64)>,
}

/// How often something occurs, and the bytes of all its occurrences together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) count: u64,
    pub(crate) bytes: u64,
}

impl Tally {
    fn add(&mut self, bytes: u64) {
        self.count += 1;
        self.bytes += bytes;
    }
}

/// An open list or object.
#[derive(Debug)]
struct Open {
    is_object: bool,
    /// Items or entries so far.
    width: u64,
    /// The key that it is the value of, and the bytes before that.
    key: Option<(String, u64)>,
}

impl Measure {
    /// A comma, if something was there before.
    fn begin_value(&mut self) {
        self.values += 1;
        if let Some(open) = self.open.last_mut().filter(|open| !open.is_object) {
            self.bytes += u64::from(open.width > 0);
            open.width += 1;
        }
    }

    fn scalar(&mut self, bytes: u64) {
        self.begin_value();
        self.bytes += bytes;
        let key = self.key.take();
        self.end_value(key);
    }

    fn end_value(&mut self, key: Option<(String, u64)>) {
        if let Some((key, before)) = key {
            let bytes = self.bytes - before;
            self.keys.entry(key).or_default().add(bytes);
        }
    }

    fn begin(&mut self, is_object: bool) {
        self.begin_value();
        self.bytes += 1;
        let key = self.key.take();
        self.open.push(Open { is_object, width: 0, key });
    }

    fn end(&mut self) {
        self.bytes += 1;
        let key = self.open.pop().and_then(|open| open.key);
        self.end_value(key);
    }
}

impl EventSink for Measure {
    fn null(&mut self) -> Result<(), SinkError> {
        self.scalar(4);
        Ok(())
    }

    fn bool(&mut self, value: bool) -> Result<(), SinkError> {
        self.scalar(if value { 4 } else { 5 });
        Ok(())
    }

    fn integer(&mut self, value: Integer) -> Result<(), SinkError> {
        self.scalar(value.to_string().len() as u64);
        Ok(())
    }

    fn float(&mut self, value: f64) -> Result<(), SinkError> {
        let mut printer = Printer::new(Vec::new(), JsonStyle::Minified);
        printer.float(value)?;
        let text = printer.finish().map_err(|error| SinkError::Output(error.to_string()))?;
        self.scalar(text.len() as u64);
        Ok(())
    }

    fn string(&mut self, value: &str) -> Result<(), SinkError> {
        let bytes = json_length(value);
        match self.texts.get_mut(value) {
            Some(tally) => tally.add(bytes),
            None => self.texts.entry(value.to_owned()).or_default().add(bytes),
        }
        self.scalar(bytes);
        Ok(())
    }

    fn begin_list(&mut self) -> Result<(), SinkError> {
        self.begin(false);
        Ok(())
    }

    fn end_list(&mut self) -> Result<(), SinkError> {
        self.end();
        Ok(())
    }

    fn begin_object(&mut self) -> Result<(), SinkError> {
        self.begin(true);
        Ok(())
    }

    fn key(&mut self, key: &str) -> Result<(), SinkError> {
        let before = self.bytes;
        if let Some(open) = self.open.last_mut() {
            self.bytes += u64::from(open.width > 0);
            open.width += 1;
        }
        // The key, and a colon.
        self.bytes += json_length(key) + 1;
        self.key = Some((key.to_owned(), before));
        Ok(())
    }

    fn end_object(&mut self) -> Result<(), SinkError> {
        self.end();
        Ok(())
    }
}

/// Bytes of a string in JSON, quotes included, with the escapes of `JSON.stringify`.
fn json_length(text: &str) -> u64 {
    let escapes = text.bytes().map(|byte| match byte {
        b'"' | b'\\' | 0x08 | b'\t' | b'\n' | 0x0c | b'\r' => 1,
        0..0x20 => 5,
        _ => 0,
    });
    text.len() as u64 + 2 + escapes.sum::<u64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use coconut_codec::source::json;

    fn measured(text: &str) -> Measure {
        let mut measure = Measure::default();
        json::read(text.as_bytes(), &mut measure, &json::JsonOptions::default()).unwrap();
        measure
    }

    #[test]
    fn a_minified_text_has_its_own_length() {
        for text in [
            "null",
            r#"{"a":[1,-2.5,true,false,{}],"b\"\n\u0001":[[]],"c":"é\\"}"#,
            "[[],[],{\"x\":{\"y\":\"z\"},\"w\":0}]",
        ] {
            assert_eq!(measured(text).bytes, text.len() as u64, "{text}");
        }
    }

    #[test]
    fn keys_and_texts_are_tallied_with_all_their_bytes() {
        let measure = measured(r#"{"a":{"b":"x"},"c":[{"b":"xy"},"x"]}"#);
        assert_eq!(measure.values, 7);
        assert_eq!(measure.keys["b"], Tally { count: 2, bytes: 7 + 8 });
        assert_eq!(measure.keys["a"], Tally { count: 1, bytes: 13 });
        assert_eq!(measure.texts["x"], Tally { count: 2, bytes: 6 });
    }
}
