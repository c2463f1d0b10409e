//! Failures, as texts that JavaScript makes exceptions of.

use coconut_codec::event::EventSink;
use coconut_codec::text::json::{JsonStyle, Printer};
use coconut_format::Integer;
use coconut_format::error::DecodeError;
use wasm_bindgen::JsValue;

/// A failure as JSON.
#[derive(Debug)]
pub struct Fault(String);

impl Fault {
    /// A failure of this code, with the offset in the file if there is one.
    pub(crate) fn new(code: &str, message: &str, offset: Option<u64>) -> Fault {
        Fault(printed(|sink| {
            sink.begin_object()?;
            for (key, text) in [("code", code), ("message", message)] {
                sink.key(key)?;
                sink.string(text)?;
            }
            if let Some(offset) = offset {
                sink.key("offset")?;
                sink.integer(Integer::from(offset))?;
            }
            sink.end_object()
        }))
    }
}

impl From<DecodeError> for Fault {
    fn from(error: DecodeError) -> Fault {
        Fault::new(error.code(), &error.to_string(), Some(error.offset()))
    }
}

#[cfg(not(feature = "answers"))]
impl From<coconut_codec::read::stream::StreamError> for Fault {
    fn from(error: coconut_codec::read::stream::StreamError) -> Fault {
        match error {
            coconut_codec::read::stream::StreamError::Decode(error) => error.into(),
            coconut_codec::read::stream::StreamError::Sink(error) => {
                Fault::new(error.code(), &error.to_string(), None)
            }
        }
    }
}

#[cfg(feature = "answers")]
impl From<coconut_report::Failure> for Fault {
    fn from(failure: coconut_report::Failure) -> Fault {
        let line = coconut_report::json::to_line(&failure.to_value());
        Fault(String::from_utf8(line).expect("a printer writes UTF-8"))
    }
}

impl From<Fault> for JsValue {
    fn from(fault: Fault) -> JsValue {
        JsValue::from_str(&fault.0)
    }
}

/// JSON text on one line.
pub(crate) fn printed(
    write: impl FnOnce(&mut Printer<Vec<u8>>) -> Result<(), coconut_codec::event::SinkError>,
) -> String {
    let mut printer = Printer::new(Vec::new(), JsonStyle::Minified);
    write(&mut printer).expect("memory takes all that is written");
    text_of(printer)
}

/// The text that was printed.
pub(crate) fn text_of(printer: Printer<Vec<u8>>) -> String {
    let text = printer.finish().expect("memory takes all that is written");
    String::from_utf8(text).expect("a printer writes UTF-8")
}
