//! §14.1 Finds the places in a source text of the values that findings name.

use super::error::PositionSweep;
use super::{SourceError, SourceFormat, TextPosition, json};
use crate::event::{EventSink, SinkError};
use crate::pointer_trie::PointerTrie;
use coconut_format::Integer;
use std::ops::Range;

/// A stretch of a source text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// Its first character.
    pub start: TextPosition,
    /// The place after its last character.
    pub end: TextPosition,
}

/// Finds the values named by JSON pointers. Costs one more pass of the reader, without a tree of
/// values.
///
/// Returns `None` for a pointer without a target. The place of a YAML alias is that of its anchor.
/// A build without the feature `yaml` finds nothing in YAML.
///
/// ```
/// # #[cfg(feature = "tooling")] {
/// use coconut_codec::text::{SourceFormat, locate};
///
/// let text = b"{\n  \"ports\": [80, 443]\n}";
/// let found = locate(text, SourceFormat::Json, &["/ports/1", "/hosts"])?;
/// let port = found[0].expect("it is in the text");
/// assert_eq!((port.start.line, port.start.column, port.end.column), (2, 17, 20));
/// assert_eq!(found[1], None);
/// # }
/// # Ok::<(), coconut_codec::text::SourceError>(())
/// ```
///
/// # Errors
///
/// Those of the reader, for an invalid text.
pub fn locate<S: AsRef<str>>(
    text: &[u8],
    format: SourceFormat,
    pointers: &[S],
) -> Result<Vec<Option<Stretch>>, SourceError> {
    if pointers.is_empty() {
        return Ok(Vec::new());
    }
    let wanted = PointerTrie::new(pointers);
    let found = match format {
        SourceFormat::Json => json::read_documents(|options| {
            let mut locator = Locator::new(&wanted);
            json::read(text, &mut locator, options)?;
            Ok(locator.found)
        })?,
        #[cfg(feature = "yaml")]
        SourceFormat::Yaml => super::yaml::find(text, &wanted, &super::yaml::YamlOptions::default())?,
        #[cfg(not(feature = "yaml"))]
        SourceFormat::Yaml => vec![None; pointers.len()],
    };
    Ok(stretches(text, &found))
}

/// Converts byte ranges to lines and columns, in one sweep over the text.
fn stretches(text: &[u8], found: &[Option<Range<usize>>]) -> Vec<Option<Stretch>> {
    let mut offsets: Vec<usize> = found.iter().flatten().flat_map(|range| [range.start, range.end]).collect();
    offsets.sort_unstable();
    offsets.dedup();
    let mut sweep = PositionSweep::new(text);
    let positions: Vec<TextPosition> = offsets.iter().map(|&offset| sweep.at(offset)).collect();
    let position = |offset: usize| {
        let place = offsets.binary_search(&offset).expect("every offset of a range was listed");
        positions[place]
    };
    let stretch = |range: &Range<usize>| Stretch { start: position(range.start), end: position(range.end) };
    found.iter().map(|range| range.as_ref().map(stretch)).collect()
}

/// Records the start and end of the requested values, and drops everything else.
struct Locator<'p> {
    wanted: &'p PointerTrie,
    /// Indexed by the number of the pointer. The first of equal keys counts, as in views.
    found: Vec<Option<Range<usize>>>,
    open: Vec<Open>,
    /// The bytes of the next event.
    span: Range<usize>,
    /// The place of the entry with the latest key.
    entry: Option<usize>,
}

/// An open list or object.
struct Open {
    place: Option<usize>,
    start: usize,
    /// In a list, the index of the next item.
    next_item: Option<usize>,
}

impl<'p> Locator<'p> {
    fn new(wanted: &'p PointerTrie) -> Locator<'p> {
        let found = vec![None; wanted.count()];
        Locator { wanted, found, open: Vec::new(), span: 0..0, entry: None }
    }

    /// The place of the next value, if a pointer leads to or through it.
    fn next_place(&mut self) -> Option<usize> {
        match self.open.last_mut() {
            None => Some(PointerTrie::ROOT),
            Some(Open { next_item: None, .. }) => self.entry.take(),
            Some(Open { place, next_item: Some(index), .. }) => {
                let item = *index;
                *index += 1;
                self.wanted.item((*place)?, item)
            }
        }
    }

    fn scalar(&mut self) -> Result<(), SinkError> {
        let place = self.next_place();
        self.note(place, self.span.clone());
        Ok(())
    }

    fn begin(&mut self, next_item: Option<usize>) -> Result<(), SinkError> {
        let place = self.next_place();
        self.open.push(Open { place, start: self.span.start, next_item });
        Ok(())
    }

    fn end(&mut self) -> Result<(), SinkError> {
        if let Some(Open { place, start, .. }) = self.open.pop() {
            self.note(place, start..self.span.end);
        }
        Ok(())
    }

    fn note(&mut self, place: Option<usize>, range: Range<usize>) {
        for &pointer in place.map_or(&[][..], |place| self.wanted.at(place)) {
            self.found[pointer].get_or_insert_with(|| range.clone());
        }
    }
}

impl EventSink for Locator<'_> {
    fn span(&mut self, span: Range<usize>) {
        self.span = span;
    }

    fn null(&mut self) -> Result<(), SinkError> {
        self.scalar()
    }

    fn bool(&mut self, _: bool) -> Result<(), SinkError> {
        self.scalar()
    }

    fn integer(&mut self, _: Integer) -> Result<(), SinkError> {
        self.scalar()
    }

    fn float(&mut self, _: f64) -> Result<(), SinkError> {
        self.scalar()
    }

    fn string(&mut self, _: &str) -> Result<(), SinkError> {
        self.scalar()
    }

    fn begin_list(&mut self) -> Result<(), SinkError> {
        self.begin(Some(0))
    }

    fn end_list(&mut self) -> Result<(), SinkError> {
        self.end()
    }

    fn begin_object(&mut self) -> Result<(), SinkError> {
        self.begin(None)
    }

    fn key(&mut self, key: &str) -> Result<(), SinkError> {
        let around = self.open.last().and_then(|open| open.place);
        self.entry = around.and_then(|place| self.wanted.entry(place, key));
        Ok(())
    }

    fn end_object(&mut self) -> Result<(), SinkError> {
        self.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn leads_to(text: &str, format: SourceFormat, pointer: &str, expected: Option<&str>) {
        let found = locate(text.as_bytes(), format, &["/not/there", pointer]).unwrap();
        let bytes = |position: TextPosition| usize::try_from(position.offset).unwrap();
        let found = found[1].map(|stretch| &text[bytes(stretch.start)..bytes(stretch.end)]);
        assert_eq!(found, expected, "{pointer}");
    }

    #[test]
    fn every_value_of_json_has_its_place() {
        let text = " {\"a\": [1, {\"b\": \"]\\\"}\"}, [], -2.5e3 ], \"c/d~\": {\"\\u0065\": null} , \"\": true, \"a\": 0}";
        for (pointer, expected) in [
            ("", Some(text.trim())),
            ("/a", Some("[1, {\"b\": \"]\\\"}\"}, [], -2.5e3 ]")),
            ("/a/0", Some("1")),
            ("/a/1/b", Some("\"]\\\"}\"")),
            ("/a/2", Some("[]")),
            ("/a/3", Some("-2.5e3")),
            ("/c~1d~0/e", Some("null")),
            ("/", Some("true")),
            ("/b", None),
            ("/a/4", None),
            ("/a/2/0", None),
            ("/a/0/0", None),
            ("/a/00", None),
        ] {
            leads_to(text, SourceFormat::Json, pointer, expected);
        }
    }

    #[cfg(feature = "yaml")]
    #[test]
    fn every_value_of_yaml_has_its_place() {
        let text = "é: # first\n  - x y # not it\n  - {b: [1, 2]}\nbase: &base\n  p: 1\n  q: 'two'\n\nuse:\n  <<: *base\n  q: 3\nsame: *base\n";
        for (pointer, expected) in [
            ("/é", Some("- x y # not it\n  - {b: [1, 2]}")),
            ("/é/0", Some("x y")),
            ("/é/1", Some("{b: [1, 2]}")),
            ("/é/1/b/1", Some("2")),
            ("/base/q", Some("'two'")),
            ("/base", Some("&base\n  p: 1\n  q: 'two'")),
            ("/use/p", Some("1")),
            ("/use/q", Some("3")),
            ("/same/q", Some("'two'")),
            ("/same/z", None),
        ] {
            leads_to(text, SourceFormat::Yaml, pointer, expected);
        }
    }

    #[cfg(feature = "yaml")]
    #[test]
    fn a_list_at_the_end_of_yaml_has_places() {
        for text in ["- [a]", "x:\n- y\n- [a]\n", "[]"] {
            leads_to(text, SourceFormat::Yaml, "/9", None);
        }
        leads_to("x:\n- y\n- [a]\n", SourceFormat::Yaml, "/x/1/0", Some("a"));
    }

    #[test]
    fn places_are_counted_in_lines_and_characters() {
        let text = "{\r\n \"\u{e9}\": \"\u{e9}\u{e9}\", \"b\": 1}";
        let found = locate(text.as_bytes(), SourceFormat::Json, &["/b", "/\u{e9}"]).unwrap();
        let columns = |stretch: Stretch| (stretch.start.line, stretch.start.column, stretch.end.column);
        assert_eq!(columns(found[0].unwrap()), (2, 18, 19));
        assert_eq!(columns(found[1].unwrap()), (2, 7, 11));
    }
}
