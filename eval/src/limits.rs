//! §19.9 Limits of evaluation.

use std::fmt;

/// The limits of one evaluation. Each has its own error, which the program cannot catch.
///
/// Limits are counted in the same way on every platform. So a program that stays within its limits
/// on one machine does so on all.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// Instructions.
    pub steps: u64,
    /// Nested calls.
    pub call_depth: usize,
    /// Bytes of all objects and strings created. Nothing is freed before the end.
    pub heap_bytes: usize,
    /// Bytes of one string.
    pub text_bytes: usize,
    /// Elements of one array.
    pub array_items: usize,
    /// Properties of one object.
    pub object_properties: usize,
    /// Resources of the graph.
    pub resources: usize,
    /// Bytes of all properties of the graph, approximately as written.
    pub output_bytes: usize,
    /// Nesting of one property of a resource.
    pub value_depth: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            steps: 1_000_000_000,
            call_depth: 1_000,
            heap_bytes: 512 << 20,
            text_bytes: 16 << 20,
            array_items: 4 << 20,
            object_properties: 1 << 20,
            resources: 1 << 20,
            output_bytes: 256 << 20,
            value_depth: 500,
        }
    }
}

coconut_format::named! {
    /// A limit that was exceeded, for use in messages.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum Limit {
        /// [`Limits::steps`].
        Steps = "instructions";
        /// [`Limits::call_depth`].
        CallDepth = "nested calls";
        /// [`Limits::heap_bytes`].
        Heap = "bytes of objects and texts";
        /// [`Limits::text_bytes`].
        Text = "bytes in one text";
        /// [`Limits::array_items`].
        Array = "elements in one array";
        /// [`Limits::object_properties`].
        Object = "properties in one object";
        /// [`Limits::resources`].
        Resources = "resources";
        /// [`Limits::output_bytes`].
        Output = "bytes of properties in the graph";
        /// [`Limits::value_depth`].
        ValueDepth = "levels in one property of a resource";
    }
    fn text;
}

impl Limits {
    /// The value of this limit.
    pub fn of(&self, limit: Limit) -> u64 {
        match limit {
            Limit::Steps => self.steps,
            Limit::CallDepth => self.call_depth as u64,
            Limit::Heap => self.heap_bytes as u64,
            Limit::Text => self.text_bytes as u64,
            Limit::Array => self.array_items as u64,
            Limit::Object => self.object_properties as u64,
            Limit::Resources => self.resources as u64,
            Limit::Output => self.output_bytes as u64,
            Limit::ValueDepth => self.value_depth as u64,
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}
