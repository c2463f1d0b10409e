//! Trees to events, with places as lines and columns.

use crate::il::{Il, Node};
use crate::source::{Position, Source};
use coconut_codec::event::{EventSink, SinkError};

fn push<S: EventSink>(value: &Il<'_>, source: &Source<'_>, sink: &mut S) -> Result<(), SinkError> {
    match value {
        Il::Node(node) => push_node(node, source, sink),
        Il::List(items) => {
            sink.begin_list()?;
            for item in items {
                push(item, source, sink)?;
            }
            sink.end_list()
        }
        Il::Map(entries) => {
            sink.begin_object()?;
            for (key, entry) in entries {
                sink.key(key)?;
                push(entry, source, sink)?;
            }
            sink.end_object()
        }
        Il::Text(text) => sink.string(text),
        Il::Number(number) => push_number(*number, sink),
        Il::Bool(is) => sink.bool(*is),
        Il::Place(span) => {
            sink.begin_object()?;
            sink.key("file")?;
            sink.string(source.path)?;
            for (key, offset) in [("start", span.start), ("end", span.end)] {
                let Position { line, column } = source.position(offset);
                sink.key(key)?;
                sink.begin_object()?;
                sink.key("line")?;
                sink.integer(i64::from(line).into())?;
                sink.key("column")?;
                sink.integer(i64::from(column).into())?;
                sink.end_object()?;
            }
            sink.end_object()
        }
    }
}

/// Pushes a node, which is from `source`.
pub(crate) fn push_node<S: EventSink>(
    node: &Node<'_>,
    source: &Source<'_>,
    sink: &mut S,
) -> Result<(), SinkError> {
    sink.begin_object()?;
    sink.key("kind")?;
    sink.string(node.kind)?;
    for (key, field) in &node.fields {
        // Helpers of the compiler have no place in the program.
        if *key == "loc" && source.is_made_up() {
            continue;
        }
        sink.key(key)?;
        push(field, source, sink)?;
    }
    sink.end_object()
}

/// Whole numbers are integers, as `JSON.stringify` prints them.
fn push_number<S: EventSink>(number: f64, sink: &mut S) -> Result<(), SinkError> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() <= EXACT {
        #[expect(clippy::cast_possible_truncation, reason = "the number is whole and small enough")]
        return sink.integer((number as i64).into());
    }
    sink.float(number)
}
