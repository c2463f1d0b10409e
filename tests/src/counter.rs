//! A sink that counts.

use coconut_codec::event::{EventSink, SinkError};
use coconut_format::Integer;

/// Counts what it receives, and keeps none of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counter {
    /// All events: a list or an object has two, and each key has one.
    pub events: u64,
    /// Scalars, lists and objects.
    pub values: u64,
}

impl Counter {
    fn value(&mut self) -> Result<(), SinkError> {
        self.values += 1;
        self.other()
    }

    fn other(&mut self) -> Result<(), SinkError> {
        self.events += 1;
        Ok(())
    }
}

impl EventSink for Counter {
    fn null(&mut self) -> Result<(), SinkError> {
        self.value()
    }

    fn bool(&mut self, _: bool) -> Result<(), SinkError> {
        self.value()
    }

    fn integer(&mut self, _: Integer) -> Result<(), SinkError> {
        self.value()
    }

    fn float(&mut self, _: f64) -> Result<(), SinkError> {
        self.value()
    }

    fn string(&mut self, _: &str) -> Result<(), SinkError> {
        self.value()
    }

    fn begin_list(&mut self) -> Result<(), SinkError> {
        self.value()
    }

    fn end_list(&mut self) -> Result<(), SinkError> {
        self.other()
    }

    fn begin_object(&mut self) -> Result<(), SinkError> {
        self.value()
    }

    fn key(&mut self, _: &str) -> Result<(), SinkError> {
        self.other()
    }

    fn end_object(&mut self) -> Result<(), SinkError> {
        self.other()
    }
}
