//! Results of programs, as text or compiled.

use crate::destination::Destination;
use coco_inspect::{Console, Failure};
use coconut_codec::compile::{CompileOptions, compile};
use coconut_codec::event::push;
use coconut_codec::text::json::{JsonStyle, Printer};
use coconut_format::Value;

/// Whether a result is compiled: the name of its file says so.
pub(crate) fn is_compiled(destination: &Destination) -> bool {
    match destination {
        Destination::File(path) => path.extension().is_some_and(|end| end == "coco"),
        Destination::Stdout => false,
    }
}

/// The text of a document, on one line for machines.
pub(crate) fn printed(document: &Value, is_line: bool) -> Result<Vec<u8>, Failure> {
    let style = if is_line { JsonStyle::Minified } else { JsonStyle::Pretty { indent: 2 } };
    let mut printer = Printer::new(Vec::new(), style).with_final_newline();
    push(document, &mut printer).map_err(Failure::from)?;
    printer.finish().map_err(|error| Failure::printing(&error))
}

/// The compiled form of a document that goes to `destination`.
pub(crate) fn compiled(
    text: &[u8],
    destination: &Destination,
    console: &Console,
) -> Result<Vec<u8>, Failure> {
    let compiled = compile(text, &CompileOptions::default())
        .map_err(|error| Failure::compiling(&destination.name(), text, &error, console.reveal))?;
    Ok(compiled.bytes)
}
