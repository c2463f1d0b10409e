//! Conversion between an owned [`Value`] and events, without recursion.

use crate::event::{EventSink, SinkError};
use coconut_format::{Integer, Value};

/// Builds a [`Value`] from the events it receives.
///
/// Refuses events in the wrong order ([`SinkError::Order`]), and then has no document.
///
/// Costs an allocation per string, list and object. Keeps duplicate keys. To refuse them, put a
/// `text::RefuseDuplicateKeys` before it.
#[derive(Debug, Default)]
pub struct ValueSink {
    open: Vec<Open>,
    /// The document, after its last event.
    finished: Option<Value>,
}

/// An open list or object.
#[derive(Debug)]
enum Open {
    List(Vec<Value>),
    Object {
        entries: Vec<(String, Value)>,
        /// The key of the next value.
        key: Option<String>,
    },
}

impl ValueSink {
    /// A sink that has received nothing.
    pub fn new() -> ValueSink {
        ValueSink::default()
    }

    /// The document, if the events were one whole document.
    pub fn finish(self) -> Option<Value> {
        self.finished.filter(|_| self.open.is_empty())
    }

    fn put(&mut self, value: Value) -> Result<(), SinkError> {
        match self.open.last_mut() {
            None if self.finished.is_some() => return Err(SinkError::Order { expected: "no further value" }),
            None => self.finished = Some(value),
            Some(Open::List(items)) => items.push(value),
            Some(Open::Object { entries, key }) => match key.take() {
                Some(key) => entries.push((key, value)),
                None => return Err(SinkError::Order { expected: "a key" }),
            },
        }
        Ok(())
    }

    /// Refuses a list or object where no value is allowed.
    fn check_begin(&self) -> Result<(), SinkError> {
        match self.open.last() {
            Some(Open::Object { key: None, .. }) => Err(SinkError::Order { expected: "a key" }),
            None if self.finished.is_some() => Err(SinkError::Order { expected: "no further value" }),
            _ => Ok(()),
        }
    }
}

impl EventSink for ValueSink {
    fn null(&mut self) -> Result<(), SinkError> {
        self.put(Value::Null)
    }

    fn bool(&mut self, value: bool) -> Result<(), SinkError> {
        self.put(Value::Bool(value))
    }

    fn integer(&mut self, value: Integer) -> Result<(), SinkError> {
        self.put(Value::Integer(value))
    }

    fn float(&mut self, value: f64) -> Result<(), SinkError> {
        if !value.is_finite() {
            return Err(SinkError::NonFinite);
        }
        self.put(Value::Float(value))
    }

    fn string(&mut self, value: &str) -> Result<(), SinkError> {
        self.put(Value::String(value.to_owned()))
    }

    fn begin_list(&mut self) -> Result<(), SinkError> {
        self.check_begin()?;
        self.open.push(Open::List(Vec::new()));
        Ok(())
    }

    fn end_list(&mut self) -> Result<(), SinkError> {
        match self.open.pop() {
            Some(Open::List(items)) => self.put(Value::List(items)),
            _ => Err(SinkError::Order { expected: "the end of no list" }),
        }
    }

    fn begin_object(&mut self) -> Result<(), SinkError> {
        self.check_begin()?;
        self.open.push(Open::Object { entries: Vec::new(), key: None });
        Ok(())
    }

    fn key(&mut self, key: &str) -> Result<(), SinkError> {
        match self.open.last_mut() {
            Some(Open::Object { key: next, .. }) if next.is_none() => *next = Some(key.to_owned()),
            Some(Open::Object { .. }) => return Err(SinkError::Order { expected: "the value of a key" }),
            _ => return Err(SinkError::Order { expected: "no key" }),
        }
        Ok(())
    }

    fn end_object(&mut self) -> Result<(), SinkError> {
        match self.open.pop() {
            Some(Open::Object { entries, key: None }) => self.put(Value::Object(entries)),
            _ => Err(SinkError::Order { expected: "the end of no object" }),
        }
    }
}

/// Pushes `value` into `sink`, in document order. The stack is on the heap, with one entry per open
/// list or object.
///
/// # Errors
///
/// Those of the sink.
pub fn push<S: EventSink + ?Sized>(value: &Value, sink: &mut S) -> Result<(), SinkError> {
    let mut open = Vec::new();
    push_head(value, sink, &mut open)?;
    while let Some(rest) = open.last_mut() {
        let next = match rest {
            Rest::List(items) => items.next(),
            Rest::Object(entries) => match entries.next() {
                Some((key, value)) => {
                    sink.key(key)?;
                    Some(value)
                }
                None => None,
            },
        };
        match (next, rest) {
            (Some(value), _) => push_head(value, sink, &mut open)?,
            (None, Rest::List(_)) => {
                sink.end_list()?;
                open.pop();
            }
            (None, Rest::Object(_)) => {
                sink.end_object()?;
                open.pop();
            }
        }
    }
    Ok(())
}

/// The remaining part of an open list or object.
enum Rest<'v> {
    List(std::slice::Iter<'v, Value>),
    Object(std::slice::Iter<'v, (String, Value)>),
}

/// Pushes a scalar, or the beginning of a list or object.
fn push_head<'v, S: EventSink + ?Sized>(
    value: &'v Value,
    sink: &mut S,
    open: &mut Vec<Rest<'v>>,
) -> Result<(), SinkError> {
    match value {
        Value::Null => sink.null(),
        Value::Bool(value) => sink.bool(*value),
        Value::Integer(value) => sink.integer(*value),
        Value::Float(value) => sink.float(*value),
        Value::String(value) => sink.string(value),
        Value::List(items) => {
            open.push(Rest::List(items.iter()));
            sink.begin_list()
        }
        Value::Object(entries) => {
            open.push(Rest::Object(entries.iter()));
            sink.begin_object()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_comes_back_from_its_events() {
        let value = Value::Object(vec![
            ("list".into(), Value::List(vec![Value::Null, Value::Bool(true), Value::List(vec![])])),
            ("object".into(), Value::Object(vec![("x".into(), Value::Float(-0.0))])),
            ("".into(), Value::Integer(u64::MAX.into())),
        ]);
        let mut sink = ValueSink::new();
        push(&value, &mut sink).expect("a value sink takes all finite values");
        assert_eq!(sink.finish(), Some(value));
    }

    #[test]
    fn refuses_a_float_that_is_not_finite() {
        assert_eq!(push(&Value::Float(f64::NAN), &mut ValueSink::new()), Err(SinkError::NonFinite));
    }

    #[test]
    fn refuses_events_in_the_wrong_order() {
        let expected = |expected| Err(SinkError::Order { expected });
        let mut sink = ValueSink::new();
        assert_eq!(sink.key("a"), expected("no key"));
        assert_eq!(sink.end_list(), expected("the end of no list"));
        assert_eq!(sink.end_object(), expected("the end of no object"));
        sink.begin_object().unwrap();
        assert_eq!(sink.null(), expected("a key"));
        assert_eq!(sink.begin_list(), expected("a key"));
        sink.key("a").unwrap();
        assert_eq!(sink.key("b"), expected("the value of a key"));
        let mut sink = ValueSink::new();
        sink.null().unwrap();
        assert_eq!(sink.null(), expected("no further value"));
        assert_eq!(sink.begin_object(), expected("no further value"));
    }

    #[test]
    fn an_unfinished_document_is_none() {
        let mut sink = ValueSink::new();
        sink.begin_list().expect("a value sink takes lists");
        assert_eq!(sink.finish(), None);
    }
}
