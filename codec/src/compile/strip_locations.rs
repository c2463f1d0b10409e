//! Removes the source locations from the programs of packages.

use crate::event::{EventSink, SinkError};
use coconut_format::Integer;

/// Passes on a package without the `loc` of its nodes.
///
/// A `loc` in a map of names, for instance a class member of that name, is not a location and
/// stays. So does free data of the program, such as default values and compiler settings.
pub(super) struct StripLocations<'s, S> {
    sink: &'s mut S,
    open: Vec<Place>,
    /// The kind of the next value.
    next: Place,
    skipped: Skipped,
}

/// The kind of an open value, which decides the meaning of its keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// A node, or a list of nodes.
    Node,
    /// An object whose keys are names.
    Names,
    /// Data of the program.
    Data,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Skipped {
    /// Nothing is left out at present.
    No,
    /// The next value.
    Next,
    /// A value with this many open levels.
    Inside(usize),
}

impl<'s, S: EventSink> StripLocations<'s, S> {
    pub(super) fn new(sink: &'s mut S) -> Self {
        StripLocations { sink, open: Vec::new(), next: Place::Node, skipped: Skipped::No }
    }

    /// Passes on a scalar.
    fn scalar(&mut self, pass: impl FnOnce(&mut S) -> Result<(), SinkError>) -> Result<(), SinkError> {
        match self.skipped {
            Skipped::No => pass(self.sink),
            Skipped::Next => {
                self.skipped = Skipped::No;
                Ok(())
            }
            Skipped::Inside(_) => Ok(()),
        }
    }

    fn begin(&mut self, pass: impl FnOnce(&mut S) -> Result<(), SinkError>) -> Result<(), SinkError> {
        match self.skipped {
            Skipped::No => {
                self.open.push(self.next);
                pass(self.sink)
            }
            Skipped::Next => {
                self.skipped = Skipped::Inside(1);
                Ok(())
            }
            Skipped::Inside(levels) => {
                self.skipped = Skipped::Inside(levels + 1);
                Ok(())
            }
        }
    }

    fn end(&mut self, pass: impl FnOnce(&mut S) -> Result<(), SinkError>) -> Result<(), SinkError> {
        match self.skipped {
            Skipped::Inside(1) => {
                self.skipped = Skipped::No;
                Ok(())
            }
            Skipped::Inside(levels) => {
                self.skipped = Skipped::Inside(levels - 1);
                Ok(())
            }
            Skipped::No | Skipped::Next => {
                self.open.pop();
                // Items of a list have the kind of the list. Each key decides it again.
                self.next = self.open.last().copied().unwrap_or(Place::Node);
                pass(self.sink)
            }
        }
    }
}

/// The kind of the value under `key` of a node.
fn place_under(key: &str) -> Place {
    match key {
        "modules" | "members" | "exports" | "dependencies" | "aliases" => Place::Names,
        "default" | "settings" => Place::Data,
        _ => Place::Node,
    }
}

impl<S: EventSink> EventSink for StripLocations<'_, S> {
    fn null(&mut self) -> Result<(), SinkError> {
        self.scalar(S::null)
    }

    fn bool(&mut self, value: bool) -> Result<(), SinkError> {
        self.scalar(|sink| sink.bool(value))
    }

    fn integer(&mut self, value: Integer) -> Result<(), SinkError> {
        self.scalar(|sink| sink.integer(value))
    }

    fn float(&mut self, value: f64) -> Result<(), SinkError> {
        self.scalar(|sink| sink.float(value))
    }

    fn string(&mut self, value: &str) -> Result<(), SinkError> {
        self.scalar(|sink| sink.string(value))
    }

    fn begin_list(&mut self) -> Result<(), SinkError> {
        self.begin(S::begin_list)
    }

    fn end_list(&mut self) -> Result<(), SinkError> {
        self.end(S::end_list)
    }

    fn begin_object(&mut self) -> Result<(), SinkError> {
        self.begin(S::begin_object)
    }

    fn key(&mut self, key: &str) -> Result<(), SinkError> {
        if self.skipped != Skipped::No {
            return Ok(());
        }
        match self.open.last() {
            Some(Place::Node) if key == "loc" => {
                self.skipped = Skipped::Next;
                return Ok(());
            }
            Some(Place::Names) => self.next = Place::Node,
            Some(Place::Data) => self.next = Place::Data,
            Some(Place::Node) | None => self.next = place_under(key),
        }
        self.sink.key(key)
    }

    fn end_object(&mut self) -> Result<(), SinkError> {
        self.end(S::end_object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::json::{self, JsonOptions, JsonStyle, Printer};

    #[track_caller]
    fn strips(source: &str, expected: &str) {
        let mut printer = Printer::new(Vec::new(), JsonStyle::Minified);
        let mut strip = StripLocations::new(&mut printer);
        json::read(source.as_bytes(), &mut strip, &JsonOptions::default()).unwrap();
        assert_eq!(String::from_utf8(printer.finish().unwrap()).unwrap(), expected);
    }

    #[test]
    fn nodes_lose_their_locations_at_every_level() {
        strips(
            r#"{"name":"p","modules":{"m":{"kind":"Module","members":{},"loc":{"start":{"line":1}}}},"loc":[[1],{}]}"#,
            r#"{"name":"p","modules":{"m":{"kind":"Module","members":{}}}}"#,
        );
        strips(
            r#"{"modules":{"m":{"body":{"statements":[{"kind":"A","loc":{"x":[1]}},{"kind":"B","loc":null}]}}}}"#,
            r#"{"modules":{"m":{"body":{"statements":[{"kind":"A"},{"kind":"B"}]}}}}"#,
        );
    }

    #[test]
    fn a_name_that_is_loc_stays() {
        strips(
            r#"{"modules":{"loc":{"members":{"loc":{"kind":"P","loc":1},"members":{"loc":2}}}}}"#,
            r#"{"modules":{"loc":{"members":{"loc":{"kind":"P"},"members":{}}}}}"#,
        );
    }

    #[test]
    fn data_of_the_program_stays() {
        strips(
            r#"{"modules":{"m":{"members":{"v":{"default":{"loc":{"loc":1}},"loc":2}}}}}"#,
            r#"{"modules":{"m":{"members":{"v":{"default":{"loc":{"loc":1}}}}}}}"#,
        );
    }
}
