//! The YAML documents of a text as a flat list of nodes: scalars resolved, aliases counted but not
//! expanded, keys distinct, tags in their long forms.

use super::owner::Owner;
use super::patched_input::PatchedInput;
use super::scalar::{self, CoreTag, Scalar};
use super::{Source, YamlOptions, YamlTags, characters, short_tags};
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

/// The nodes of all documents, each before its contents.
pub(super) struct Tree<'t> {
    /// The first is a list of the documents.
    pub(super) nodes: Vec<Node<'t>>,
    /// The value of the text: the list of its documents, or the only one.
    pub(super) root: usize,
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
    /// The key `<<`. Its value is an object, an alias to one, or a list of these.
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

    /// The node that an alias stands for, or the node itself.
    pub(super) fn resolve(&self, node: usize) -> usize {
        match self.nodes[node].content {
            Content::Alias { target } => target,
            _ => node,
        }
    }

    /// The keys and values of an object, without those that it merges. Empty for other nodes.
    fn entries(&self, object: usize) -> impl Iterator<Item = (usize, usize)> {
        let end = match self.nodes[object].content {
            Content::Object { end, .. } => end,
            _ => 0,
        };
        let within = move |key: usize| (key < end).then_some(key);
        let keys = std::iter::successors(within(object + 1), move |&key| within(self.after(key + 1)));
        keys.map(|key| (key, key + 1))
    }

    /// The value of a key of an object, with an alias resolved.
    fn entry(&self, object: usize, key: &str) -> Option<usize> {
        self.entries(object).find(|&(node, _)| self.key(node) == key).map(|(_, value)| self.resolve(value))
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

/// Reads the documents of `source`.
pub(super) fn build<'t>(source: Source<'t>, options: &YamlOptions) -> Step<Tree<'t>> {
    let documents = Node { content: Content::List { end: 0 }, at: 0, end: 0 };
    let mut builder = Builder {
        source,
        options,
        tree: Tree { nodes: vec![documents], root: 0, lints: Vec::new() },
        open: Vec::new(),
        keys: Vec::new(),
        anchors: Vec::new(),
        aliased: 0,
        ended: 0,
        document: 0,
        is_empty: true,
        kept: 0,
        height: 0,
        undecided: Vec::new(),
        short_tags: Vec::new(),
        first_lint: 0,
    };
    match builder.documents() {
        Ok(()) => Ok(builder.tree),
        Err(error) => Err(builder.first_fault(error)),
    }
}

/// The lines of a text before its documents.
struct Directives<'t> {
    source: Source<'t>,
    /// The unread lines, and the offset of their first character.
    lines: std::str::Split<'t, [char; 2]>,
    at: usize,
}

impl<'t> Directives<'t> {
    fn new(source: Source<'t>) -> Self {
        Directives { source, lines: source.content.split(['\n', '\r']), at: 0 }
    }

    /// Checks the version of YAML (1.2, chapter 6.8.1). A higher major version is refused, a higher
    /// minor version is read as 1.2. Only directives and comments are in `before`, which ends where
    /// a document begins. Documents are passed in their order.
    fn check_version(&mut self, before: Range<usize>) -> Step<()> {
        while self.at < before.end {
            let Some(line) = self.lines.next() else { break };
            let is_directive = |rest: &&str| self.at >= before.start && rest.starts_with([' ', '\t']);
            if let Some(written) = line.strip_prefix("%YAML").filter(is_directive) {
                let version = written.trim_start_matches([' ', '\t']);
                let version = version.split([' ', '\t']).next().unwrap_or_default();
                let major = version.split('.').next().unwrap_or_default();
                if major.trim_start_matches('0') != "1" {
                    // The characters before the version take one byte each.
                    let inside = line.find(version).unwrap_or_default();
                    let kind = SourceErrorKind::YamlVersion { version: version.into() };
                    return Err(self.source.error(kind, self.at + inside, String::new()));
                }
            }
            self.at += line.chars().count() + 1;
        }
        Ok(())
    }
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
    /// Bytes added to the document by the aliases so far.
    aliased: u64,
    /// The end of the most recently ended value.
    ended: usize,
    /// The node of the document that is being read.
    document: usize,
    /// Whether it is empty.
    is_empty: bool,
    /// The number of nonempty documents before it.
    kept: usize,
    /// Levels of the deepest document so far.
    height: u32,
    /// The scalars and keys of this document whose values depend on its owner.
    undecided: Vec<Undecided<'t>>,
    /// The places of the short tags of this document.
    short_tags: Vec<usize>,
    /// The number of findings in the documents before it.
    first_lint: usize,
}

/// A plain scalar or key with several readings.
enum Undecided<'t> {
    Value {
        node: usize,
        /// The text, if the node does not have it.
        text: Option<Cow<'t, str>>,
    },
    Key {
        node: usize,
        object: usize,
    },
}

/// An open list or object.
struct Frame {
    node: usize,
    anchor: usize,
    place: Place,
    /// Whether its value is merged into the object around it.
    merged: bool,
    /// Whether it was created for a short tag, so that it ends with the value in it.
    is_implied: bool,
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
    fn documents(&mut self) -> Step<()> {
        let source = self.source;
        characters::check_everywhere(source)?;
        let mut unquoted = characters::Unquoted::new(source);
        let input = PatchedInput::new(source);
        let mut events = input.events();
        let mut directives = Directives::new(source);
        let (mut documents, mut last_end) = (0, 0);
        loop {
            let event = events.next().map_err(|(kind, at)| self.error(kind, at))?;
            let Some((event, Range { start: at, end })) = event else { break };
            match event {
                Event::DocumentStart(_) => {
                    directives.check_version(last_end..at)?;
                    documents += 1;
                    self.begin_document();
                }
                Event::DocumentEnd => {
                    last_end = end;
                    self.end_document()?;
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
                    self.is_empty &= plain && text.is_empty() && tag.is_none() && anchor == 0;
                    let written = Written { text, plain, tag: tag.as_deref() };
                    match self.long_form(written.tag, at) {
                        None => {
                            self.scalar(written, anchor, at)?;
                            self.ends_at(end);
                        }
                        Some(key) => self.scalar_of_tag(key, written.text, anchor, at..end)?,
                    }
                }
                Event::SequenceStart(anchor, tag) => {
                    self.is_empty = false;
                    self.begin_tagged(Content::List { end: 0 }, tag.as_deref(), anchor, at)?;
                }
                Event::MappingStart(anchor, tag) => {
                    self.is_empty = false;
                    let object = Content::Object { end: 0, merges: false };
                    self.begin_tagged(object, tag.as_deref(), anchor, at)?;
                }
                Event::SequenceEnd | Event::MappingEnd => self.end(at..end)?,
                Event::Nothing | Event::StreamStart | Event::StreamEnd => {}
            }
        }
        unquoted.finish()?;
        if documents == 0 {
            return Err(source.error(SourceErrorKind::YamlEmpty, 0, String::new()));
        }
        self.choose_root();
        Ok(())
    }

    fn begin_document(&mut self) {
        self.is_empty = true;
        self.document = self.tree.nodes.len();
        // The parser also forgets anchors between documents.
        self.anchors.clear();
        self.undecided.clear();
        self.short_tags.clear();
        self.first_lint = self.tree.lints.len();
    }

    /// Ends a document, whose owner is then known. Omits an empty one.
    fn end_document(&mut self) -> Step<()> {
        if self.is_empty {
            self.tree.nodes.truncate(self.document);
            return Ok(());
        }
        self.decide()?;
        self.kept += 1;
        if self.kept == 2 {
            // From now on, the previous documents are in a list.
            let (limit, first) = (self.options.depth, self.tree.nodes[self.document].at);
            if u64::from(self.height) + 1 > u64::from(limit) {
                return Err(self.source.error(SourceErrorKind::Depth { limit }, first, String::new()));
            }
        }
        Ok(())
    }

    /// The value of the text is the list of its documents, or the only one, or null.
    fn choose_root(&mut self) {
        let after = self.tree.nodes.len();
        if self.kept == 0 {
            self.tree.nodes.push(Node { content: Content::Null, at: self.ended, end: self.ended });
        }
        if self.kept < 2 {
            self.tree.root = 1;
            return;
        }
        let (at, end) = (self.tree.nodes[1].at, self.ended);
        self.tree.nodes[0] = Node { content: Content::List { end: after }, at, end };
    }

    /// Gives the scalars and keys of the document that has just ended the values that its owner
    /// reads, and drops findings that the owner's rules answer.
    fn decide(&mut self) -> Step<()> {
        let owner = self.owner();
        let undecided = std::mem::take(&mut self.undecided);
        // Places in the order of the text, as the findings are.
        let mut answered = Vec::new();
        let mut changed = Vec::new();
        for scalar in undecided {
            match scalar {
                Undecided::Value { node, text } => {
                    if self.decide_value(owner, node, text) {
                        answered.push(self.tree.nodes[node].at);
                    }
                }
                Undecided::Key { node, object } if owner == Owner::Kubernetes => {
                    if let Some(key) = Owner::key_of_kubernetes(self.tree.key(node)) {
                        self.tree.nodes[node].content = Content::Text(key);
                        changed.push(object);
                    }
                }
                Undecided::Key { .. } => {}
            }
        }
        if owner == Owner::CloudFormation {
            answered.append(&mut self.short_tags);
            answered.sort_unstable();
        }
        self.drop_lints(&answered);
        changed.sort_unstable();
        changed.dedup();
        changed.into_iter().try_for_each(|object| self.check_keys(object))
    }

    /// Sets the value that `owner` reads. Returns whether it is no string.
    fn decide_value(&mut self, owner: Owner, node: usize, text: Option<Cow<'t, str>>) -> bool {
        let content = &mut self.tree.nodes[node].content;
        let (text, core) = match (text, &mut *content) {
            (Some(text), Content::Integer(value)) => (text, Scalar::Integer(*value)),
            (Some(text), Content::Float(value)) => (text, Scalar::Float(*value)),
            (None, Content::Text(text)) => (std::mem::take(text), Scalar::Text),
            _ => return false,
        };
        let value = owner.value(&text, core);
        *content = content_of(value, text);
        !matches!(value, Scalar::Text)
    }

    /// Removes the findings about unexpected types at these places.
    fn drop_lints(&mut self, answered: &[usize]) {
        let mut answered = answered.iter().peekable();
        let mut kept = self.first_lint;
        for index in self.first_lint..self.tree.lints.len() {
            let (kind, at) = self.tree.lints[index];
            while answered.next_if(|&&place| place < at).is_some() {}
            if answered.peek() != Some(&&at) || kind == LintKind::YamlVersion {
                self.tree.lints[kept] = (kind, at);
                kept += 1;
            }
        }
        self.tree.lints.truncate(kept);
    }

    /// Refuses two equal keys of an object that has ended.
    fn check_keys(&self, object: usize) -> Step<()> {
        let mut keys: Vec<usize> = self.tree.entries(object).map(|(key, _)| key).collect();
        let Some((first, second)) = first_duplicate(&mut keys, |node| self.tree.key(node)) else {
            return Ok(());
        };
        let key = self.tree.key(second);
        let (first, second) = (self.tree.nodes[first].at, self.tree.nodes[second].at);
        let mut pointer = String::new();
        push_key(&mut pointer, key);
        let error = self.source.error(SourceErrorKind::DuplicateKey { key: key.into() }, second, pointer);
        Err(Box::new(error.related_to(self.source.text, self.source.offset(first))))
    }

    /// The owner of the document that has just ended.
    fn owner(&self) -> Owner {
        let tree = &self.tree;
        let has = |key: &str, is_wanted: fn(&Content<'_>) -> bool| {
            tree.entry(self.document, key).is_some_and(|value| is_wanted(&tree.nodes[value].content))
        };
        let is_text = |content: &Content<'_>| matches!(content, Content::Text(_));
        if has("apiVersion", is_text) && has("kind", is_text) {
            return Owner::Kubernetes;
        }
        let is_template = match self.options.tags {
            YamlTags::CloudFormation => true,
            YamlTags::Core => false,
            YamlTags::Detect => short_tags::TEMPLATE_KEYS.iter().any(|key| has(key, |_| true)),
        };
        match is_template {
            true => Owner::CloudFormation,
            false if self.is_compose() => Owner::Compose,
            false => Owner::Core,
        }
    }

    /// Whether the document has the keys by which the dialect `compose` is known.
    fn is_compose(&self) -> bool {
        const OF_SERVICE: [&str; 6] = ["image", "build", "extends", "command", "depends_on", "provider"];
        const BESIDE_SERVICES: [&str; 3] = ["include", "networks", "volumes"];
        let tree = &self.tree;
        let Some(services) = tree.entry(self.document, "services") else { return false };
        if !matches!(tree.nodes[services].content, Content::Object { .. }) {
            return false;
        }
        BESIDE_SERVICES.iter().any(|key| tree.entry(self.document, key).is_some())
            || tree.entries(services).any(|(_, service)| {
                OF_SERVICE.iter().any(|key| tree.entry(tree.resolve(service), key).is_some())
            })
    }

    /// The key of the object that a value with this tag becomes, if it is not of the core schema.
    fn long_form(&mut self, tag: Option<&Tag>, at: usize) -> Option<Cow<'static, str>> {
        // A key has no long form.
        if self.options.tags == YamlTags::Core || self.is_at_key() {
            return None;
        }
        let tag = [&*tag?.handle, &*tag?.suffix].concat();
        if CoreTag::named(&tag).is_some() {
            return None;
        }
        self.tree.lints.push((LintKind::YamlTag, at));
        let Some(key) = short_tags::long_form(&tag) else {
            return Some(short_tags::key_of_unknown(&tag).into());
        };
        self.short_tags.push(at);
        Some(key.into())
    }

    fn is_at_key(&self) -> bool {
        matches!(self.open.last(), Some(Frame { place: Place::Key { .. }, .. }))
    }

    /// Begins the object for a tag, up to the value of its key.
    fn begin_long_form(&mut self, key: Cow<'static, str>, anchor: usize, at: usize) -> Step<()> {
        self.begin(Content::Object { end: 0, merges: false }, None, anchor, at)?;
        self.imply();
        self.key(Written { text: key, plain: false, tag: None }, 0, at)
    }

    /// Makes the innermost list or object end with the next value that ends.
    fn imply(&mut self) {
        if let Some(frame) = self.open.last_mut() {
            frame.is_implied = true;
        }
    }

    /// A scalar with a tag that is not of the core schema. It is a string, whatever it looks like.
    fn scalar_of_tag(
        &mut self,
        key: Cow<'static, str>,
        text: Cow<'t, str>,
        anchor: usize,
        place: Range<usize>,
    ) -> Step<()> {
        let is_attribute = key == short_tags::GET_ATTRIBUTE;
        self.begin_long_form(key, anchor, place.start)?;
        let (first, rest) = match is_attribute {
            true => {
                self.begin(Content::List { end: 0 }, None, 0, place.start)?;
                self.imply();
                split_at_dot(text)
            }
            false => (text, None),
        };
        for text in std::iter::once(first).chain(rest) {
            self.scalar(Written { text, plain: false, tag: None }, 0, place.start)?;
            self.ends_at(place.end);
        }
        self.end_implied()
    }

    /// Opens a list or object, inside the object for its tag unless that is of the core schema.
    fn begin_tagged(
        &mut self,
        content: Content<'t>,
        tag: Option<&Tag>,
        anchor: usize,
        at: usize,
    ) -> Step<()> {
        match self.long_form(tag, at) {
            None => self.begin(content, tag, anchor, at),
            Some(key) => {
                self.begin_long_form(key, anchor, at)?;
                self.begin(content, None, 0, at)
            }
        }
    }

    /// Closes everything that ends with the value that has just ended.
    fn end_implied(&mut self) -> Step<()> {
        while let Some(Frame { is_implied: true, .. }) = self.open.last() {
            self.close(0..0)?;
        }
        Ok(())
    }

    fn scalar(&mut self, written: Written<'t, '_>, anchor: usize, at: usize) -> Step<()> {
        if self.is_at_key() {
            return self.key(written, anchor, at);
        }
        let value = self.resolve(&written, at)?;
        if written.plain && written.tag.is_none() {
            self.tree.lints.extend(scalar::lint(&written.text, value).map(|kind| (kind, at)));
            if Owner::disagree_about(&written.text, value) {
                let text = (value != Scalar::Text).then(|| written.text.clone());
                self.undecided.push(Undecided::Value { node: self.tree.nodes.len(), text });
            }
        }
        let content = content_of(value, written.text);
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
            // An alias to the key has its value. So the value must be the text of the key, or the
            // key would have two meanings.
            let value = self.resolve(&written, at)?;
            if anchor > 0 && (is_merge || value != Scalar::Text) {
                let found = "an alias to a value that is not a text";
                return Err(self.error(SourceErrorKind::YamlKey { found }, at));
            }
        }
        let node = self.tree.nodes.len();
        if untagged && anchor == 0 && !is_merge && Owner::key_of_kubernetes(&written.text).is_some() {
            let object = self.open.last().map_or(node, |frame| frame.node);
            self.undecided.push(Undecided::Key { node, object });
        }
        let content = if is_merge { Content::Merge } else { Content::Text(written.text) };
        let extent = Extent { weight: weight_of(&content), height: 0 };
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
        if self.is_at_key() {
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
        if self.is_at_key() {
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
        let extent = Extent { weight, height: 0 };
        self.open.push(Frame { node, anchor, place, merged, is_implied: false, extent });
        Ok(())
    }

    /// The scalar that was just put ends here.
    fn ends_at(&mut self, end: usize) {
        if let Some(node) = self.tree.nodes.last_mut() {
            node.end = end;
        }
        self.ended = end;
    }

    /// Closes the innermost list or object, and the object for its tag.
    fn end(&mut self, place: Range<usize>) -> Step<()> {
        self.close(place)?;
        self.end_implied()
    }

    /// Closes the innermost list or object. `place` is that of its closing bracket, or empty if
    /// there is none.
    fn close(&mut self, place: Range<usize>) -> Step<()> {
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
            // A list that is written out is merged as its objects; its items are checked one by
            // one.
            Content::List { .. } if !in_list && target == node => Ok(()),
            _ => {
                let found = self.tree.kind_name(target);
                Err(self.error(SourceErrorKind::YamlMerge { found }, self.tree.nodes[node].at))
            }
        }
    }

    /// Records the end of a value, and its size.
    fn finished(&mut self, extent: Extent) {
        let Some(frame) = self.open.last_mut() else {
            self.height = self.height.max(extent.height);
            return;
        };
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
        // From the second document on, all are in a list.
        let around = u64::from(self.kept > 0);
        if self.open.len() as u64 + around + u64::from(height) > u64::from(limit) {
            return Err(self.error(SourceErrorKind::Depth { limit }, at));
        }
        Ok(())
    }

    /// `found`, or the first duplicate key before it. Keys are compared when their object ends, so
    /// the keys of open objects are still unchecked.
    #[cold]
    fn first_fault(&mut self, found: Box<SourceError>) -> Box<SourceError> {
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
        if self.kept > 0 {
            push_index(&mut pointer, self.kept);
        }
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

/// The text before the first dot, and the text after it.
fn split_at_dot(text: Cow<'_, str>) -> (Cow<'_, str>, Option<Cow<'_, str>>) {
    match text {
        Cow::Borrowed(text) => match text.split_once('.') {
            Some((first, rest)) => (first.into(), Some(rest.into())),
            None => (text.into(), None),
        },
        Cow::Owned(text) => match text.split_once('.') {
            Some((first, rest)) => (first.to_owned().into(), Some(rest.to_owned().into())),
            None => (text.into(), None),
        },
    }
}

/// The content of a scalar with this value and text.
fn content_of(value: Scalar, text: Cow<'_, str>) -> Content<'_> {
    match value {
        Scalar::Null => Content::Null,
        Scalar::Bool(value) => Content::Bool(value),
        Scalar::Integer(value) => Content::Integer(value),
        Scalar::Float(value) => Content::Float(value),
        Scalar::Text => Content::Text(text),
    }
}

fn weight_of(content: &Content<'_>) -> u64 {
    const VALUE: u64 = 8;
    match content {
        Content::Text(text) => VALUE + text.len() as u64,
        _ => VALUE,
    }
}
