//! A sink with helpers and a limit on the number of values copied into it.

use coconut_codec::event::{EventSink, SinkError};
use coconut_codec::limits::STREAM_VALUES;
use coconut_format::node::{Kind, Node};

/// A sink, and the number of values that it may still receive. Shared values can make a small
/// document very large.
pub(crate) struct Output<'s> {
    pub(crate) sink: &'s mut dyn EventSink,
    left: u64,
}

impl<'s> Output<'s> {
    pub(crate) fn new(sink: &'s mut dyn EventSink) -> Output<'s> {
        Output { sink, left: STREAM_VALUES }
    }

    pub(crate) fn begin(&mut self) -> Result<(), SinkError> {
        self.sink.begin_object()
    }

    pub(crate) fn end(&mut self) -> Result<(), SinkError> {
        self.sink.end_object()
    }

    pub(crate) fn key(&mut self, key: &str) -> Result<(), SinkError> {
        self.sink.key(key)
    }

    pub(crate) fn text(&mut self, key: &str, text: &str) -> Result<(), SinkError> {
        self.key(key)?;
        self.sink.string(text)
    }

    pub(crate) fn flag(&mut self, key: &str, truth: bool) -> Result<(), SinkError> {
        self.key(key)?;
        self.sink.bool(truth)
    }

    pub(crate) fn number(&mut self, key: &str, number: u64) -> Result<(), SinkError> {
        self.key(key)?;
        self.sink.integer(number.into())
    }

    /// Pushes an entry with an unchanged value.
    pub(crate) fn entry<'a, N: Node<'a>>(&mut self, key: &str, value: N) -> Result<(), SinkError> {
        self.key(key)?;
        self.value(value)
    }

    /// Pushes a value. Recurses once per level; a document has at most 512 (§9.1).
    pub(crate) fn value<'a, N: Node<'a>>(&mut self, node: N) -> Result<(), SinkError> {
        match node.kind() {
            Kind::List => {
                self.count()?;
                self.sink.begin_list()?;
                for item in node.items() {
                    self.value(item)?;
                }
                self.sink.end_list()
            }
            Kind::Object => {
                self.count()?;
                self.begin()?;
                for (key, value) in node.entries() {
                    self.entry(key, value)?;
                }
                self.end()
            }
            _ => self.scalar(node),
        }
    }

    /// Pushes a value that contains no other values.
    pub(crate) fn scalar<'a, N: Node<'a>>(&mut self, node: N) -> Result<(), SinkError> {
        self.count()?;
        match node.kind() {
            Kind::Bool => self.sink.bool(node.as_bool().unwrap_or_default()),
            Kind::Integer => match node.as_integer() {
                Some(number) => self.sink.integer(number),
                None => self.sink.null(),
            },
            Kind::Float => self.sink.float(node.as_float().unwrap_or_default()),
            Kind::String => self.sink.string(node.as_str().unwrap_or_default()),
            Kind::Null | Kind::List | Kind::Object => self.sink.null(),
        }
    }

    /// Counts a value against the limit.
    pub(crate) fn count(&mut self) -> Result<(), SinkError> {
        self.left = self.left.checked_sub(1).ok_or(SinkError::TooMany { what: "values" })?;
        Ok(())
    }

    /// Pushes a document, but calls `replaced` for the value at `path`. If there is no such value,
    /// the document is unchanged.
    pub(crate) fn value_with<'a, N: Node<'a>, E: From<SinkError>>(
        &mut self,
        node: N,
        path: &[&str],
        replaced: &mut dyn FnMut(&mut Self, N) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some((first, rest)) = path.split_first() else { return replaced(self, node) };
        if node.kind() != Kind::Object {
            return Ok(self.value(node)?);
        }
        self.begin()?;
        for (key, value) in node.entries() {
            self.key(key)?;
            match key == *first {
                true => self.value_with(value, rest, replaced)?,
                false => self.value(value)?,
            }
        }
        Ok(self.end()?)
    }
}
