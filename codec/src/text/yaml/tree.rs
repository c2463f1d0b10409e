//! A YAML document as a flat list of nodes: scalars resolved, aliases counted and not expanded,
//! keys distinct.

use super::patched_input::PatchedInput;
use super::scalar::{self, CoreTag, Scalar};
use super::{Source, YamlOptions, characters};
use crate::limits;
use crate::text::duplicates::first_duplicate;
use crate::text::error::{SourceError, SourceErrorKind};
use crate::text::lint::LintKind;
use coconut_format::Integer;
use coconut_format::pointer::{push_index, push_key};
use saphyr_parser::{Event, ScalarStyle, Tag};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

/// The nodes of one document, each before its contents. The first is the document itself.
#[derive(Default)]
pub(super) struct Tree<'t> {
    pub(super) nodes: Vec<Node<'t>>,
    /// Findings with their character index, in the order of the text.
    pub(super) lints: Vec<(LintKind, usize)>,
}

pub(super) struct Node<'t> {
    pub(super) content: Content<'t>,
    /// Index of its first character.
    pub(super) at: usize,
    /// Index after its last character, or after white space that follows it.
    pub(super) end: usize,
}

pub(super) enum Content<'t> {
    Null,
    Bool(bool),
    Integer(Integer),
    Float(f64),
    /// A string, or a key.
    Text(Cow<'t, str>),
    /// The items follow, up to the node `end`.
    List {
        end: usize,
    },
    /// Keys and values follow alternately, up to the node `end`.
    Object {
        end: usize,
        /// Whether one of the keys is a `Merge`.
        merges: bool,
    },
    /// The same as the node `target`, which is not an alias and ended before.
    Alias {
        target: usize,
    },
    /// The key `<<`. Its value is an object, an alias of one, or a list of these.
    Merge,
}

impl Tree<'_> {
    /// The node after `node` and its contents.
    pub(super) fn after(&self, node: usize) -> usize {
        match self.nodes[node].content {
            Content::List { end } | Content::Object { end, .. } => end,
            _ => node + 1,
        }
    }

    /// The text of a key.
    pub(super) fn key(&self, node: usize) -> &str {
        match &self.nodes[node].content {
            Content::Text(text) => text,
            _ => "<<",
        }
    }

    fn kind_name(&self, node: usize) -> &'static str {
        match self.nodes[node].content {
            Content::List { .. } => "a list",
            Content::Object { .. } => "an object",
            Content::Alias { .. } => "an alias",
            _ => "a scalar",
        }
    }
}

type Step<T> = Result<T, Box<SourceError>>;

/// Reads the one document of `source`.
pub(super) fn build<'t>(source: Source<'t>, options: &YamlOptions) -> Step<Tree<'t>> {
    let mut builder = Builder {
        source,
        options,
        tree: Tree::default(),
        open: Vec::new(),
        keys: Vec::new(),
        anchors: Vec::new(),
        aliased: 0,
        ended: 0,
    };
    match builder.document() {
        Ok(()) => Ok(builder.tree),
        Err(error) => Err(builder.first_fault(error)),
    }
}

/// Checks the version of YAML (1.2, chapter 6.8.1). A higher major version is refused, a higher
/// minor version is read as 1.2. The document begins at the character `start`; only directives and
/// comments precede it.
fn check_version(source: Source<'_>, start: usize) -> Step<()> {
    let mut at = 0;
    for line in source.content.split(['\n', '\r']) {
        if at >= start {
            break;
        }
        if let Some(written) = line.strip_prefix("%YAML").filter(|rest| rest.starts_with([' ', '\t'])) {
            let version = written.trim_start_matches([' ', '\t']);
            let version = version.split([' ', '\t']).next().unwrap_or_default();
            let major = version.split('.').next().unwrap_or_default();
            if major.trim_start_matches('0') != "1" {
                // The characters before the version take one byte each.
                let before = line.find(version).unwrap_or_default();
                let kind = SourceErrorKind::YamlVersion { version: version.into() };
                return Err(source.error(kind, at + before, String::new()));
            }
        }
        at += line.chars().count() + 1;
    }
    Ok(())
}

/// A scalar as written in the text.
struct Written<'t, 'e> {
    text: Cow<'t, str>,
    plain: bool,
    tag: Option<&'e Tag>,
}

struct Builder<'t, 'o> {
    source: Source<'t>,
    options: &'o YamlOptions,
    tree: Tree<'t>,
    open: Vec<Frame>,
    /// The nodes of the keys of all open objects.
    keys: Vec<usize>,
    /// By the number that the parser assigns to an anchor.
    anchors: Vec<Option<Anchor>>,
    /// Bytes that the aliases so far add to the document.
    aliased: u64,
    /// The end of the value that ended last.
    ended: usize,
}

/// An open list or object.
struct Frame {
    node: usize,
    anchor: usize,
    place: Place,
    /// Whether its value is merged into the object around it.
    merged: bool,
    extent: Extent,
}

impl Frame {
    /// The position of its first key in the keys of the builder, if it is an object.
    fn first_key(&self) -> Option<usize> {
        match self.place {
            Place::Key { first_key } | Place::Value { first_key } => Some(first_key),
            Place::List { .. } => None,
        }
    }
}

/// Position in an open list or object.
enum Place {
    /// At this item.
    List { index: usize },
    /// At a key. Its keys begin at `first_key` in the keys of the builder.
    Key { first_key: usize },
    /// At the value of the last key.
    Value { first_key: usize },
}

/// Size of a value with its aliases expanded.
#[derive(Clone, Copy, Default)]
struct Extent {
    /// Bytes, as [`YamlOptions::expansion`] counts them.
    weight: u64,
    /// Levels of lists and objects.
    height: u32,
}

#[derive(Clone, Copy)]
struct Anchor {
    node: usize,
    /// `None` while the value is open.
    extent: Option<Extent>,
}

impl<'t> Builder<'t, '_> {
    fn document(&mut self) -> Step<()> {
        let source = self.source;
        characters::check_everywhere(source)?;
        let mut unquoted = characters::Unquoted::new(source);
        let input = PatchedInput::new(source);
        let mut events = input.events();
        let mut documents = 0;
        loop {
            let event = events.next().map_err(|(kind, at)| self.error(kind, at))?;
            let Some((event, Range { start: at, end })) = event else { break };
            match event {
                Event::DocumentStart(_) if documents > 0 => {
                    return Err(source.error(SourceErrorKind::YamlDocuments, at, String::new()));
                }
                Event::DocumentStart(_) => {
                    check_version(source, at)?;
                    documents += 1;
                }
                Event::Alias(anchor) => self.alias(anchor, at)?,
                Event::Scalar(text, style, anchor, tag) => {
                    let plain = style == ScalarStyle::Plain;
                    let mut begins = at;
                    if matches!(style, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted) {
                        begins = events.quote(at);
                        unquoted.pass_quoted(begins)?;
                    }
                    let text = events.text_of(text, style, begins);
                    self.scalar(Written { text, plain, tag: tag.as_deref() }, anchor, at)?;
                    self.ends_at(end);
                }
                Event::SequenceStart(anchor, tag) => {
                    self.begin(Content::List { end: 0 }, tag.as_deref(), anchor, at)?;
                }
                Event::MappingStart(anchor, tag) => {
                    self.begin(Content::Object { end: 0, merges: false }, tag.as_deref(), anchor, at)?;
                }
                Event::SequenceEnd | Event::MappingEnd => self.end(at..end)?,
                Event::Nothing | Event::StreamStart | Event::DocumentEnd | Event::StreamEnd => {}
            }
        }
        unquoted.finish()?;
        if documents == 0 {
            return Err(source.error(SourceErrorKind::YamlEmpty, 0, String::new()));
        }
        Ok(())
    }

    fn scalar(&mut self, written: Written<'t, '_>, anchor: usize, at: usize) -> Step<()> {
        if let Some(Frame { place: Place::Key { .. }, .. }) = self.open.last() {
            return self.key(written, anchor, at);
        }
        let value = self.resolve(&written, at)?;
        if written.plain && written.tag.is_none() {
            self.tree.lints.extend(scalar::lint(&written.text, value).map(|kind| (kind, at)));
        }
        let content = match value {
            Scalar::Null => Content::Null,
            Scalar::Bool(value) => Content::Bool(value),
            Scalar::Integer(value) => Content::Integer(value),
            Scalar::Float(value) => Content::Float(value),
            Scalar::Text => Content::Text(written.text),
        };
        let extent = Extent { weight: weight_of(&content), height: 0 };
        let node = self.put(content, at)?;
        self.remember(anchor, node, Some(extent));
        self.finished(extent);
        Ok(())
    }

    fn key(&mut self, written: Written<'t, '_>, anchor: usize, at: usize) -> Step<()> {
        let untagged = written.plain && written.tag.is_none();
        if untagged && written.text.is_empty() {
            return Err(self.error(SourceErrorKind::YamlKey { found: "nothing" }, at));
        }
        let is_merge = untagged && written.text == "<<";
        if anchor > 0 || written.tag.is_some() {
            // An alias of the key would have its value. So the value must be the text of the key,
            // or the key would denote two things.
            let value = self.resolve(&written, at)?;
            if anchor > 0 && (is_merge || value != Scalar::Text) {
                let found = "an anchor of something that is no text";
                return Err(self.error(SourceErrorKind::YamlKey { found }, at));
            }
        }
        let content = if is_merge { Content::Merge } else { Content::Text(written.text) };
        let extent = Extent { weight: weight_of(&content), height: 0 };
        let node = self.tree.nodes.len();
        self.tree.nodes.push(Node { content, at, end: at });
        self.remember(anchor, node, Some(extent));
        self.keys.push(node);
        if let Some(frame) = self.open.last_mut() {
            frame.extent.weight = frame.extent.weight.saturating_add(extent.weight);
            if let Place::Key { first_key } = frame.place {
                frame.place = Place::Value { first_key };
            }
            if let (true, Content::Object { merges, .. }) =
                (is_merge, &mut self.tree.nodes[frame.node].content)
            {
                *merges = true;
            }
        }
        Ok(())
    }

    fn alias(&mut self, anchor: usize, at: usize) -> Step<()> {
        if let Some(Frame { place: Place::Key { .. }, .. }) = self.open.last() {
            return Err(self.error(SourceErrorKind::YamlKey { found: "an alias" }, at));
        }
        let Some(&Some(Anchor { node: target, extent })) = self.anchors.get(anchor) else {
            return Err(self.error(SourceErrorKind::YamlAnchor, at));
        };
        let Some(extent) = extent else {
            return Err(self.error(SourceErrorKind::YamlCycle, at));
        };
        self.aliased = self.aliased.saturating_add(extent.weight);
        let limit = self.options.expansion.min(limits::max_alias_bytes(self.source.text.len()));
        if self.aliased > limit {
            return Err(self.error(SourceErrorKind::YamlExpansion { limit }, at));
        }
        self.check_depth(extent.height, at)?;
        self.put(Content::Alias { target }, at)?;
        self.finished(extent);
        Ok(())
    }

    /// Opens a list or object.
    fn begin(&mut self, content: Content<'t>, tag: Option<&Tag>, anchor: usize, at: usize) -> Step<()> {
        let (place, own_tag, found) = match content {
            Content::List { .. } => (Place::List { index: 0 }, CoreTag::Seq, "a list"),
            _ => (Place::Key { first_key: self.keys.len() }, CoreTag::Map, "an object"),
        };
        if let Some(Frame { place: Place::Key { .. }, .. }) = self.open.last() {
            return Err(self.error(SourceErrorKind::YamlKey { found }, at));
        }
        // Chapter 6.9.1: on a list or an object this tag adds nothing.
        let is_non_specific = |tag: &&Tag| [&*tag.handle, &*tag.suffix].concat() == "!";
        match self.tag(tag.filter(|tag| !is_non_specific(tag)), at)? {
            Some(tag) if tag != own_tag => {
                return Err(self.error(SourceErrorKind::YamlTagMismatch { tag: tag.shown() }, at));
            }
            _ => {}
        }
        self.check_depth(1, at)?;
        let merged = self.is_merged();
        let weight = weight_of(&content);
        let node = self.put(content, at)?;
        self.remember(anchor, node, None);
        self.open.push(Frame { node, anchor, place, merged, extent: Extent { weight, height: 0 } });
        Ok(())
    }

    /// The scalar that was just put ends here.
    fn ends_at(&mut self, end: usize) {
        if let Some(node) = self.tree.nodes.last_mut() {
            node.end = end;
        }
        self.ended = end;
    }

    /// Closes the innermost list or object. `place` is that of its closing bracket, or empty if
    /// there is none.
    fn end(&mut self, place: Range<usize>) -> Step<()> {
        let frame = self.open.last().expect("the parser ends only what it has begun");
        if let Place::Key { first_key } = frame.place {
            let mut keys = self.keys.split_off(first_key);
            let duplicate = first_duplicate(&mut keys, |node| self.tree.key(node));
            if let Some((first, second)) = duplicate {
                return Err(self.duplicate_key(self.open.len() - 1, first, second));
            }
        }
        let frame = self.open.pop().expect("it was just there");
        let after = self.tree.nodes.len();
        if !place.is_empty() {
            self.ended = place.end;
        }
        self.tree.nodes[frame.node].end = self.ended;
        if let Content::List { end } | Content::Object { end, .. } = &mut self.tree.nodes[frame.node].content
        {
            *end = after;
        }
        let extent = Extent { weight: frame.extent.weight, height: frame.extent.height + 1 };
        self.remember(frame.anchor, frame.node, Some(extent));
        self.finished(extent);
        Ok(())
    }

    /// Appends the node of a value, if its kind is allowed here.
    fn put(&mut self, content: Content<'t>, at: usize) -> Step<usize> {
        let node = self.tree.nodes.len();
        self.tree.nodes.push(Node { content, at, end: at });
        if self.is_merged() {
            self.check_merge(node)?;
        }
        Ok(node)
    }

    /// Whether the next value is merged into an object.
    fn is_merged(&self) -> bool {
        match self.open.last() {
            Some(Frame { place: Place::Value { .. }, .. }) => {
                let key = self.keys.last().map(|&key| &self.tree.nodes[key].content);
                matches!(key, Some(Content::Merge))
            }
            Some(Frame { place: Place::List { .. }, merged, .. }) => *merged,
            _ => false,
        }
    }

    fn check_merge(&self, node: usize) -> Step<()> {
        let target = match self.tree.nodes[node].content {
            Content::Alias { target } => target,
            _ => node,
        };
        let in_list = matches!(self.open.last(), Some(Frame { place: Place::List { .. }, .. }));
        match self.tree.nodes[target].content {
            Content::Object { .. } => Ok(()),
            // A list is merged as its objects, if it is written out; its items are checked one by
            // one.
            Content::List { .. } if !in_list && target == node => Ok(()),
            _ => {
                let found = self.tree.kind_name(target);
                Err(self.error(SourceErrorKind::YamlMerge { found }, self.tree.nodes[node].at))
            }
        }
    }

    /// Notes that a value has ended, and its size.
    fn finished(&mut self, extent: Extent) {
        let Some(frame) = self.open.last_mut() else { return };
        frame.extent.weight = frame.extent.weight.saturating_add(extent.weight);
        frame.extent.height = frame.extent.height.max(extent.height);
        match &mut frame.place {
            Place::List { index } => *index += 1,
            Place::Value { first_key } => frame.place = Place::Key { first_key: *first_key },
            Place::Key { .. } => {}
        }
    }

    fn remember(&mut self, anchor: usize, node: usize, extent: Option<Extent>) {
        // The parser numbers anchors from 1. A value without an anchor has 0.
        if anchor > 0 {
            if self.anchors.len() <= anchor {
                self.anchors.resize(anchor + 1, None);
            }
            self.anchors[anchor] = Some(Anchor { node, extent });
        }
    }

    fn resolve(&self, written: &Written<'_, '_>, at: usize) -> Step<Scalar> {
        let value = match self.tag(written.tag, at)? {
            Some(tag) => scalar::tagged(tag, &written.text),
            None if written.plain => scalar::plain(&written.text),
            None => Ok(Scalar::Text),
        };
        value.map_err(|kind| self.error(kind, at))
    }

    fn tag(&self, tag: Option<&Tag>, at: usize) -> Step<Option<CoreTag>> {
        let Some(tag) = tag else { return Ok(None) };
        match CoreTag::named(&format!("{}{}", tag.handle, tag.suffix)) {
            Some(core) => Ok(Some(core)),
            None => {
                let tag = format!("{}{}", tag.handle, tag.suffix).into();
                Err(self.error(SourceErrorKind::YamlTag { tag }, at))
            }
        }
    }

    fn check_depth(&self, height: u32, at: usize) -> Step<()> {
        let limit = self.options.depth;
        if self.open.len() as u64 + u64::from(height) > u64::from(limit) {
            return Err(self.error(SourceErrorKind::Depth { limit }, at));
        }
        Ok(())
    }

    /// `found`, or the first duplicate key before it. Keys are compared when their object ends, so
    /// those of the open objects have not been compared yet.
    #[cold]
    fn first_fault(&self, found: Box<SourceError>) -> Box<SourceError> {
        let mut keys = HashMap::new();
        let mut levels = self
            .open
            .iter()
            .enumerate()
            .filter_map(|(level, frame)| Some((level, frame.first_key()?)))
            .peekable();
        while let Some((level, first_key)) = levels.next() {
            keys.clear();
            let end = levels.peek().map_or(self.keys.len(), |&(_, first_key)| first_key);
            for &second in &self.keys[first_key..end] {
                if let Some(first) = keys.insert(self.tree.key(second), second) {
                    let duplicate = self.duplicate_key(level, first, second);
                    return if duplicate.at().offset < found.at().offset { duplicate } else { found };
                }
            }
        }
        found
    }

    /// Two equal keys of the object at level `levels`.
    #[cold]
    fn duplicate_key(&self, levels: usize, first: usize, second: usize) -> Box<SourceError> {
        let key = self.tree.key(second);
        let mut pointer = self.pointer_within(levels);
        push_key(&mut pointer, key);
        let (first, second) = (self.tree.nodes[first].at, self.tree.nodes[second].at);
        let error = self.source.error(SourceErrorKind::DuplicateKey { key: key.into() }, second, pointer);
        Box::new(error.related_to(self.source.text, self.source.offset(first)))
    }

    #[cold]
    fn error(&self, kind: SourceErrorKind, at: usize) -> Box<SourceError> {
        self.source.error(kind, at, self.pointer())
    }

    /// JSON pointer of the value that is being read, or of the object whose key is being read.
    #[cold]
    fn pointer(&self) -> String {
        self.pointer_within(self.open.len())
    }

    /// JSON pointer of the current entry of the `levels` outermost lists and objects.
    fn pointer_within(&self, levels: usize) -> String {
        let mut pointer = String::new();
        for (level, frame) in self.open.iter().enumerate().take(levels) {
            match frame.place {
                Place::List { index } => push_index(&mut pointer, index),
                Place::Key { .. } => {}
                Place::Value { .. } => {
                    // Its last key is just before the first key of the next inner object.
                    let inner = self.open[level + 1..].iter().find_map(Frame::first_key);
                    let keys = &self.keys[..inner.unwrap_or(self.keys.len())];
                    if let Some(&key) = keys.last() {
                        push_key(&mut pointer, self.tree.key(key));
                    }
                }
            }
        }
        pointer
    }
}

fn weight_of(content: &Content<'_>) -> u64 {
    const VALUE: u64 = 8;
    match content {
        Content::Text(text) => VALUE + text.len() as u64,
        _ => VALUE,
    }
}
