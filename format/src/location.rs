//! §13.2 Source locations. The places of nodes in source files.

use std::fmt;
use std::sync::Arc;

/// A span of a source file. Cloning is cheap: the locations of one package share their file names.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Location {
    /// The path as given to the compiler, normally relative to the project.
    pub file: Option<Arc<str>>,
    /// The first character.
    pub start: Position,
    /// The end; absent when the location is a point.
    pub end: Option<Position>,
}

/// A place in a text. Both numbers normally count from 1, but early documents count columns from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
}

/// Serializes the first character: `file` or null, `line` and `column`.
#[cfg(feature = "serde")]
impl serde::Serialize for Location {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap as _;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("file", &self.file.as_deref())?;
        map.serialize_entry("line", &self.start.line)?;
        map.serialize_entry("column", &self.start.column)?;
        map.end()
    }
}

impl fmt::Display for Location {
    /// `index.ts:3:14`, the form that editors and terminals make clickable.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = self.file.as_deref().unwrap_or("<unknown>");
        write!(f, "{file}:{}:{}", self.start.line, self.start.column)
    }
}
