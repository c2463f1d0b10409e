//! YAML text, both directions: [`read`] accepts the subset of YAML 1.2 with the values of JSON, a
//! [`YamlPrinter`] writes the values that it receives.
//!
//! * Scalars follow the core schema, with the lints of [`LintKind`] where YAML 1.1 differs: `no` is
//!   a string, `1.10` a float, `012` a string. Numbers follow the same rule as in JSON (§4.1).
//! * In documents of Kubernetes, Compose and CloudFormation, scalars follow the rules of their
//!   tools (§17.5).
//! * A key is a scalar and denotes its text as written: `1: x` has the key `"1"`, `~: x` the key
//!   `"~"`. In a document of Kubernetes it denotes the text of its value.
//! * Aliases are expanded, after counting their expansion.
//! * The end of the text counts as the end of its last line. So a block scalar there ends with a
//!   line end unless it strips line ends, as in the YAML test suite (JEF9, L24T). Some readers omit
//!   that line end, among them PyYAML and libyaml.
//! * A plain key `<<` merges other objects, as YAML 1.1 defines it: keys of the object itself win,
//!   then earlier merged objects win over later ones. Merged keys take the position of `<<`.
//! * The tags of the core schema are known. A value with another tag becomes an object with the tag
//!   as its key, or the long form if it is a short tag of CloudFormation ([`YamlTags`]).
//! * Several documents are read as a list. Empty ones are omitted; if a single one remains, it is
//!   the document itself.
//! * A `%YAML` directive with a major version other than 1 is refused; another minor version is
//!   ignored.
//! * Characters that cannot be printed are refused, as YAML 1.2 §5.1 requires.
//! * Duplicate keys are refused, whatever the sink does. So is an alias inside its own anchor.
//!
//! Comments, styles and anchors are not kept.

mod characters;
mod owner;
mod patched_input;
mod printer;
mod scalar;
mod short_tags;
mod stream;
mod tree;
mod walk;

pub use super::YamlTags;
pub use printer::YamlPrinter;
#[cfg(any(test, feature = "tooling"))]
#[doc(hidden)]
pub use stream::is_stream;
#[cfg(not(any(test, feature = "tooling")))]
pub(crate) use stream::is_stream;

use super::error::{BYTE_ORDER_MARK, PositionSweep, SourceError, SourceErrorKind};
use super::lint::{Lint, LintKind};
use super::utf8;
use crate::event::EventSink;
use crate::limits;
use crate::pointer_trie::PointerTrie;
use std::ops::Range;

/// Limits of [`read`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct YamlOptions {
    /// Maximum number of open lists and objects, with aliases expanded. A merge counts as one
    /// level. Brackets of the flow style also have a limit of 255.
    pub depth: u32,
    /// Maximum number of bytes that aliases may add to the document: 8 per value, and the text of
    /// strings and keys.
    ///
    /// [`limits::max_alias_bytes`] of the text applies if it is lower.
    pub expansion: u64,
    /// The known tags other than those of the core schema.
    pub tags: YamlTags,
}

crate::setters::setters! {
    YamlOptions: depth: u32, expansion: u64, tags: YamlTags
}

impl Default for YamlOptions {
    /// 512 levels as in JSON, 64 MiB of expanded aliases, and tags detected from the documents.
    fn default() -> Self {
        YamlOptions { depth: 512, expansion: limits::ALIAS_MAX, tags: YamlTags::default() }
    }
}

/// Pushes the document in `text` into `sink`, in document order; several documents become a list.
/// Returns findings about valid but suspicious text.
///
/// Builds a flat tree first, because a merge depends on the keys that follow it. Pushes nothing if
/// the text is refused.
///
/// | part of the tree | memory |
/// |---|---|
/// | a value that is written in the text (aliases are not expanded) | about 48 bytes |
/// | an anchor | 32 bytes more |
/// | the name of an anchor | about 70 bytes and its own |
/// | a scalar that tools read differently, until its document ends | 32 bytes more |
/// | a string with escapes, of several lines or in block style | its own, at least 32 bytes |
/// | a list or object in brackets that may be a key | up to [`limits::YAML_AHEAD`] tokens |
///
/// # Errors
///
/// The first place where the text is not UTF-8, is not YAML, or breaks a rule of the list above.
/// Also each refusal of the sink.
pub fn read<S: EventSink>(
    text: &[u8],
    sink: &mut S,
    options: &YamlOptions,
) -> Result<Vec<Lint>, SourceError> {
    let valid = utf8::check(text)?;
    let source = Source { text, content: valid.strip_prefix('\u{FEFF}').unwrap_or(valid) };
    let tree = tree::build(source, options).map_err(|error| *error)?;
    walk::push(source, &tree, sink).map_err(|error| *error)?;
    Ok(source.lints(&tree.lints))
}

/// Finds the values that `wanted` names. The place of an alias is that of its anchor. The place of
/// a merged entry is where it is written.
pub(super) fn find(
    text: &[u8],
    wanted: &PointerTrie,
    options: &YamlOptions,
) -> Result<Vec<Option<Range<usize>>>, SourceError> {
    let valid = utf8::check(text)?;
    let source = Source { text, content: valid.strip_prefix('\u{FEFF}').unwrap_or(valid) };
    let tree = tree::build(source, options).map_err(|error| *error)?;
    Ok(source.byte_ranges(walk::find(&tree, wanted)))
}

/// A text whose places are counted in characters, as in the YAML parser.
#[derive(Clone, Copy)]
struct Source<'t> {
    text: &'t [u8],
    /// The text without a byte order mark.
    content: &'t str,
}

impl Source<'_> {
    /// The byte offset of the character number `index` of the content.
    fn offset(self, index: usize) -> usize {
        let start = self.text.len() - self.content.len();
        let chars = self.content.char_indices().nth(index);
        start + chars.map_or(self.content.len(), |(offset, _)| offset)
    }

    /// The same places in bytes, without white space at their ends. Costs one pass over the
    /// content.
    fn byte_ranges(self, found: Vec<Option<Range<usize>>>) -> Vec<Option<Range<usize>>> {
        let mut indexes: Vec<usize> =
            found.iter().flatten().flat_map(|range| [range.start, range.end]).collect();
        indexes.sort_unstable();
        indexes.dedup();
        let ends = self.content.char_indices().map(|(offset, _)| offset).chain([self.content.len()]);
        let mut wanted = indexes.iter().peekable();
        let offsets: Vec<usize> = ends
            .enumerate()
            .filter_map(|(index, offset)| wanted.next_if_eq(&&index).map(|_| offset))
            .collect();
        let offset = |index: usize| match indexes.binary_search(&index) {
            Ok(place) => offsets.get(place).copied().unwrap_or(self.content.len()),
            Err(_) => self.content.len(),
        };
        let before = self.text.len() - self.content.len();
        let in_bytes = |range: Range<usize>| {
            let (start, end) = (offset(range.start), offset(range.end));
            let length = self.content[start..end.max(start)].trim_end().len();
            before + start..before + start + length
        };
        found.into_iter().map(|range| range.map(in_bytes)).collect()
    }

    #[cold]
    fn error(self, kind: SourceErrorKind, index: usize, pointer: String) -> Box<SourceError> {
        Box::new(SourceError::new(kind, self.text, self.offset(index)).within(pointer))
    }

    /// The findings with their places. `found` is in the order of the text.
    fn lints(self, found: &[(LintKind, usize)]) -> Vec<Lint> {
        let mut sweep = PositionSweep::new(self.text);
        let mut lints = Vec::new();
        if self.text.starts_with(BYTE_ORDER_MARK) {
            lints.push(Lint { kind: LintKind::ByteOrderMark, at: PositionSweep::new(self.text).at(0) });
        }
        let mut chars = self.content.char_indices();
        let (mut next, mut offset) = (0, 0);
        for &(kind, index) in found {
            // Two findings may be at one place.
            if let Some(between) = index.checked_sub(next) {
                offset = chars.nth(between).map_or(self.content.len(), |(offset, _)| offset);
                next = index + 1;
            }
            let start = self.text.len() - self.content.len();
            lints.push(Lint { kind, at: sweep.at(start + offset) });
        }
        lints
    }
}

#[cfg(test)]
mod tests;
