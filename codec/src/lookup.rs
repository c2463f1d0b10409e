//! §8.5 Landmarks: looking them up, and going from one to another.

mod listing;
mod table;

pub use listing::{Keys, Work};
pub use table::KeyTable;

use crate::file::DocumentView;
use crate::index::{Extent, Index, most_looked_at};
use crate::limits;
use crate::msgpack::{Cursor, Token};
use crate::view::{Content, ValueView};
use crate::wire::directory::Part;
use crate::wire::edges::{CheckedEdges, EdgeTables};
use crate::wire::header::Profile;
use crate::wire::keys::{KeyIndex, hash};
use crate::wire::landmarks::LandmarkTables;
use coconut_format::error::{DecodeError, ErrorKind};
use coconut_format::landmark::Key;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::ControlFlow;
use std::sync::OnceLock;

/// A value that can be looked up, in a file. `Copy`; its body is not read.
#[derive(Clone, Copy, Debug)]
pub struct LandmarkView<'a> {
    document: DocumentView<'a>,
    offset: usize,
    ordinal: Option<u32>,
}

/// What [`DocumentView::get_unique`] finds.
#[derive(Clone, Debug)]
pub enum Lookup<'a> {
    /// No landmark has the key.
    Missing,
    /// Exactly one has it.
    Found(LandmarkView<'a>),
    /// Several have it, here in document order: qualify the key by class.
    Ambiguous(Vec<LandmarkView<'a>>),
}

/// An edge between two landmarks.
#[derive(Clone, Copy, Debug)]
pub struct EdgeView<'a> {
    /// The landmark at the other end.
    pub landmark: LandmarkView<'a>,
    /// The number of the edge pattern in the header's rule.
    pub number: u8,
    /// What the edge means, for instance `parent`.
    pub kind: &'a str,
}

impl<'a> DocumentView<'a> {
    /// All landmarks whose full key is `key`, in document order.
    ///
    /// With an index, costs some tens of nanoseconds and the pages it touches, whatever the size of the file;
    /// without one (small files, profile `transport`), the first lookup walks the document.
    pub fn get_all(&self, key: &str) -> Result<Vec<LandmarkView<'a>>, DecodeError> {
        let mut found = Vec::new();
        self.find(key, |landmark| found.push(landmark))?;
        Ok(found)
    }

    /// The one landmark whose full key is `key`; or none, or which they are.
    ///
    /// Costs what [`get_all`](Self::get_all) does. A program that asks an open file for about as many keys as it has, or
    /// more, finds them five to twenty times as fast in a [`KeyTable`], which [`key_table`](Self::key_table) makes.
    pub fn get_unique(&self, key: &str) -> Result<Lookup<'a>, DecodeError> {
        let mut first = None;
        let mut others = Vec::new();
        self.find(key, |landmark| match first {
            None => first = Some(landmark),
            Some(_) => others.push(landmark),
        })?;
        Ok(match first {
            None => Lookup::Missing,
            Some(landmark) if others.is_empty() => Lookup::Found(landmark),
            Some(landmark) => {
                others.insert(0, landmark);
                Lookup::Ambiguous(others)
            }
        })
    }

    fn find(&self, key: &str, mut each: impl FnMut(LandmarkView<'a>)) -> Result<(), DecodeError> {
        let Some(index) = self.key_index() else {
            let index = self.made_index()?;
            let work = Work::of(*self);
            for &ordinal in index.with_key(key) {
                let landmark = self.made_landmark(index, ordinal);
                // Tables that a file has without the key index can say otherwise.
                if let Some(tables) = self.landmark_tables()
                    && landmark.compare_key(key, &work)?.is_ne()
                {
                    return Err(tables.differs(ordinal));
                }
                each(landmark);
            }
            return Ok(());
        };
        self.find_indexed(&index, key, |landmark| {
            each(landmark);
            ControlFlow::Continue(())
        })
    }

    fn find_indexed(
        &self,
        index: &KeyIndex<'_>,
        key: &str,
        mut each: impl FnMut(LandmarkView<'a>) -> ControlFlow<()>,
    ) -> Result<(), DecodeError> {
        // Slots of a file that was never verified may all lead to one place, however far its key lies behind it.
        let work = Work::of(*self);
        let compare = |offset| self.landmark_at(offset).compare_key(key, &work);
        index.each_with_key(hash(key), compare, |offset| each(self.landmark_at(offset)))
    }

    /// Whether some landmark in this index has the full key `key`.
    pub(crate) fn has_key(&self, index: &KeyIndex<'_>, key: &str) -> Result<bool, DecodeError> {
        let mut has_key = false;
        self.find_indexed(index, key, |_| {
            has_key = true;
            ControlFlow::Break(())
        })?;
        Ok(has_key)
    }

    /// The landmark that begins at `offset`.
    pub(crate) fn landmark_at(&self, offset: usize) -> LandmarkView<'a> {
        LandmarkView { document: *self, offset, ordinal: None }
    }

    /// How many landmarks there are.
    pub fn landmark_count(&self) -> Result<u32, DecodeError> {
        match self.landmark_tables() {
            Some(tables) => Ok(tables.count()),
            None => Ok(u32::try_from(self.made_index()?.len()).unwrap_or(u32::MAX)),
        }
    }

    /// Landmark `ordinal` in document order.
    pub fn landmark(&self, ordinal: u32) -> Result<Option<LandmarkView<'a>>, DecodeError> {
        let Some(tables) = self.landmark_tables() else {
            let index = self.made_index()?;
            return Ok(((ordinal as usize) < index.len()).then(|| self.made_landmark(index, ordinal)));
        };
        match ordinal < tables.count() {
            true => self.indexed_landmark(&tables, ordinal).map(Some),
            false => Ok(None),
        }
    }

    /// Landmark `ordinal` of a file that has these tables.
    #[inline]
    fn indexed_landmark(
        &self,
        tables: &LandmarkTables<'_>,
        ordinal: u32,
    ) -> Result<LandmarkView<'a>, DecodeError> {
        let offset = tables.offset(ordinal)?;
        Ok(LandmarkView { document: *self, offset, ordinal: Some(ordinal) })
    }

    /// All landmarks in document order. Reads the tables and nothing else; [`keys`](Self::keys) has their keys, too.
    pub fn landmarks(
        &self,
    ) -> Result<impl Iterator<Item = Result<LandmarkView<'a>, DecodeError>> + use<'a>, DecodeError> {
        let document = *self;
        let count = self.landmark_count()?;
        let tables = self.landmark_tables();
        Ok((0..count).filter_map(move |ordinal| match &tables {
            Some(tables) => Some(document.indexed_landmark(tables, ordinal)),
            None => document.landmark(ordinal).transpose(),
        }))
    }

    /// All edges by the landmark that they start at, checked.
    pub(crate) fn checked_edges(&self) -> Result<Cow<'a, CheckedEdges<'a>>, DecodeError> {
        match (self.landmark_tables(), self.edge_tables()) {
            (Some(landmarks), Some([edges, _])) => edges.checked(landmarks.count()).map(Cow::Owned),
            (Some(landmarks), None) if self.header().rule.edges().is_empty() => {
                Ok(Cow::Owned(CheckedEdges::of(&[], landmarks.count() as usize)))
            }
            _ => Ok(Cow::Borrowed(self.made_graph()?.checked_edges())),
        }
    }

    /// For who follows edges of many landmarks of a file that nobody verified: refuses it when `met` of them are more than it has in
    /// one direction, of landmarks that are all different.
    ///
    /// Each edge is one of one landmark, unless tables lie. Then a file of 900 kB can have 200 million. Costs next to nothing
    /// until that shows, and then a pass over the tables.
    pub fn check_edges_met(&self, met: usize) -> Result<(), DecodeError> {
        // Edges that a walk found have been counted.
        if let (Some(landmarks), Some(tables)) = (self.landmark_tables(), self.edge_tables())
            && tables.iter().any(|tables| met > tables.count())
        {
            tables.iter().try_for_each(|tables| tables.checked(landmarks.count()).map(drop))?;
        }
        Ok(())
    }

    /// The landmark around landmark `ordinal`.
    pub(crate) fn parent_of(&self, ordinal: u32) -> Result<Option<u32>, DecodeError> {
        match self.landmark_tables() {
            Some(tables) => tables.parent(ordinal),
            None => Ok(self.made_index()?.parents.get(ordinal as usize).copied().flatten()),
        }
    }

    /// The first ordinal behind `ordinal` that is not inside it.
    pub(crate) fn end_of(&self, ordinal: u32) -> Result<u32, DecodeError> {
        match self.landmark_tables() {
            Some(tables) => tables.end(ordinal),
            None => Ok(self.made_index()?.end(ordinal)),
        }
    }

    /// Whether landmark `inner` is `outer` or lies in it. Looks at one entry of a table, or at a parent for each level.
    pub(crate) fn is_within(&self, inner: u32, outer: u32) -> Result<bool, DecodeError> {
        if let Some(tables) = self.landmark_tables() {
            return Ok((outer..tables.end(outer)?).contains(&inner));
        }
        let mut around = Some(inner);
        while let Some(at) = around.filter(|&at| at > outer) {
            around = self.parent_of(at)?;
        }
        Ok(around == Some(outer))
    }

    /// Whether some landmark lies in another.
    pub(crate) fn has_nested_landmarks(&self) -> Result<bool, DecodeError> {
        match self.landmark_tables() {
            Some(tables) => Ok(tables.tree.is_some()),
            None => Ok(self.made_index()?.parents.iter().any(Option::is_some)),
        }
    }

    /// The landmarks that were found by walking the document.
    fn made_index(&self) -> Result<&'a Index, DecodeError> {
        match self.frame.made_graph.get() {
            Some(index) => Ok(index),
            None => self.made(&self.frame.made_index, Extent::Landmarks),
        }
    }

    /// The landmarks and edges that were found by walking the document.
    fn made_graph(&self) -> Result<&'a Index, DecodeError> {
        match self.header().rule.edges().is_empty() {
            true => self.made_index(),
            false => self.made(
                &self.frame.made_graph,
                Extent::WithEdges { most_edges: limits::edges_of(self.data.len()) },
            ),
        }
    }

    fn made(&self, place: &'a OnceLock<Index>, extent: Extent) -> Result<&'a Index, DecodeError> {
        if let Some(index) = place.get() {
            return Ok(index);
        }
        let index = Index::of_document(*self, extent, most_looked_at(self.data.len()))?;
        Ok(place.get_or_init(|| index))
    }

    fn made_landmark(&self, index: &Index, ordinal: u32) -> LandmarkView<'a> {
        let offset = index.offsets.get(ordinal as usize).copied().unwrap_or_default();
        let offset = usize::try_from(offset).unwrap_or(usize::MAX);
        LandmarkView { document: *self, offset, ordinal: Some(ordinal) }
    }
}

impl<'a> LandmarkView<'a> {
    /// The document that the landmark belongs to.
    pub fn document(&self) -> DocumentView<'a> {
        self.document
    }

    /// §8.2 Where the landmark begins in the file: at its key, or at its value.
    pub fn offset(&self) -> u64 {
        self.offset as u64
    }

    /// Its number in document order.
    pub fn ordinal(&self) -> Result<u32, DecodeError> {
        if let Some(ordinal) = self.ordinal {
            return Ok(ordinal);
        }
        let found = match self.document.landmark_tables() {
            Some(tables) => tables.ordinal_at(self.offset)?,
            None => {
                let offsets = &self.document.made_index()?.offsets;
                let found = offsets.binary_search(&(self.offset as u64)).ok();
                found.and_then(|ordinal| u32::try_from(ordinal).ok())
            }
        };
        let at = self.offset as u64;
        found.ok_or_else(|| ErrorKind::IndexRange { table: Part::LANDMARK_OFFSETS.0 }.at(at))
    }

    /// The number of its pattern in the header's rule.
    pub fn class(&self) -> Result<u8, DecodeError> {
        let ordinal = self.ordinal()?;
        let has_one_class = self.document.header().rule.patterns().len() <= 1;
        match self.document.landmark_tables() {
            Some(tables) if tables.classes.is_some() || has_one_class => tables.class(ordinal),
            _ => Ok(self.document.made_index()?.classes.get(ordinal as usize).copied().unwrap_or_default()),
        }
    }

    /// The innermost landmark around it.
    pub fn parent(&self) -> Result<Option<LandmarkView<'a>>, DecodeError> {
        let ordinal = self.ordinal()?;
        match self.document.parent_of(ordinal)? {
            Some(parent) => self.document.landmark(parent),
            None => Ok(None),
        }
    }

    /// Whether some landmark is inside it.
    pub fn has_children(&self) -> Result<bool, DecodeError> {
        let ordinal = self.ordinal()?;
        Ok(self.document.end_of(ordinal)? > ordinal.saturating_add(1))
    }

    /// The landmarks directly inside it, in document order.
    pub fn children(&self) -> Result<Vec<LandmarkView<'a>>, DecodeError> {
        let ordinal = self.ordinal()?;
        let end = self.document.end_of(ordinal)?;
        let mut children = Vec::new();
        let mut next = ordinal.saturating_add(1);
        while next < end {
            children.extend(self.document.landmark(next)?);
            next = self.document.end_of(next)?;
        }
        Ok(children)
    }

    /// Its value. An entry of an object begins at its key; no object, which every landmark with a key from its
    /// fields is, begins with a string or an id.
    pub fn value(&self) -> Result<ValueView<'a>, DecodeError> {
        let root = &self.document.frame.root;
        if !root.range().contains(&self.offset) {
            return Err(ErrorKind::IndexRange { table: Part::LANDMARK_OFFSETS.0 }.at(self.offset as u64));
        }
        let mut cursor = self.document.cursor(self.offset, root.end);
        // By its token and not its first byte: an id in a signed form is read as what it means (§3.3).
        let position = match cursor.token()? {
            Token::Str(_) | Token::Unsigned(_) => cursor.position(),
            _ => self.offset,
        };
        Ok(ValueView::at(self.document, self.offset, position, root.end, u32::MAX))
    }

    /// Its own key, without those of its parents. Costs a walk over what stands before the key in the value; who wants
    /// the keys of all landmarks has them from [`DocumentView::keys`].
    pub fn own_key(&self) -> Result<Cow<'a, str>, DecodeError> {
        self.own_key_within(&Work::of(self.document))
    }

    fn own_key_within(&self, work: &Work) -> Result<Cow<'a, str>, DecodeError> {
        if let [pattern] = self.document.header().rule.patterns() {
            return self.key_by(pattern.key(), work);
        }
        let class = usize::from(self.class()?);
        let pattern = self.document.header().rule.patterns().get(class);
        match pattern {
            Some(pattern) => self.key_by(pattern.key(), work),
            None => Err(ErrorKind::IndexRange { table: Part::LANDMARK_CLASSES.0 }.at(self.offset as u64)),
        }
    }

    fn key_by(&self, rule: &Key, work: &Work) -> Result<Cow<'a, str>, DecodeError> {
        let key = self.any_key_by(rule, work)?;
        work.find_landmark();
        work.step_over(key.len());
        work.check()?;
        Ok(key)
    }

    fn any_key_by(&self, rule: &Key, work: &Work) -> Result<Cow<'a, str>, DecodeError> {
        let missing = || ErrorKind::IndexRange { table: Part::KEY_SLOTS.0 }.at(self.offset as u64);
        match rule {
            Key::Name => {
                let root = &self.document.frame.root;
                if !root.range().contains(&self.offset) {
                    return Err(missing());
                }
                let key = ValueView::at(self.document, self.offset, self.offset, root.end, u32::MAX);
                match key.content()? {
                    Content::String(text) => Ok(Cow::Borrowed(text)),
                    _ => Err(missing()),
                }
            }
            Key::Field(field) => match self.field_of_record(field, work)? {
                Some(RecordText::Inline(cursor, bytes)) => cursor.text(bytes).map(Cow::Borrowed),
                Some(RecordText::Id(id, at)) => self.document.string(id, at).map(Cow::Borrowed),
                None => self.field_of_object(field, work),
            },
            template => {
                let key = crate::index::key_of(template, self.value()?, work.looked_at())?;
                key.map(Cow::Owned).ok_or_else(missing)
            }
        }
    }

    /// How its own key compares with `key`, bytewise.
    fn compare_own_key(&self, key: &str, work: &Work) -> Result<Ordering, DecodeError> {
        if let [pattern] = self.document.header().rule.patterns()
            && let Key::Field(field) = pattern.key()
            && let Some(found) = self.field_of_record(field, work)?
            && found.bytes(self.document)? == key.as_bytes()
        {
            work.find_landmark();
            work.step_over(key.len());
            work.check()?;
            return Ok(Ordering::Equal);
        }
        Ok(self.own_key_within(work)?.as_bytes().cmp(key.as_bytes()))
    }

    /// The string under `field` of a list item that is a record. Read with one cursor: this is what a lookup by key
    /// spends its time on. `None` where the item is something else, or the file has several patterns.
    fn field_of_record(&self, field: &str, work: &Work) -> Result<Option<RecordText<'a>>, DecodeError> {
        let document = self.document;
        let root = &document.frame.root;
        let header = document.header();
        let fits = header.rule.patterns().len() == 1 && header.profile != Profile::Plain;
        if !fits || !root.range().contains(&self.offset) {
            return Ok(None);
        }
        let mut cursor = document.cursor(self.offset, root.end);
        let Some(count) = cursor.array_count()? else { return Ok(None) };
        let at = cursor.position();
        let shape = match cursor.short_id() {
            Some(shape) => shape.into(),
            None => match cursor.token()? {
                Token::Unsigned(shape) => shape,
                _ => return Ok(None),
            },
        };
        if count.checked_sub(1) != Some(document.shape_width(shape, at)?) {
            return Ok(None);
        }
        let Some(position) = document.key_position(shape, field, at)? else { return Ok(None) };
        // The key is often the first value.
        if position > 0 {
            cursor.skip(position.into())?;
        }
        let at = cursor.position();
        work.step_over(at.saturating_sub(self.offset));
        if let Some(id) = cursor.short_id() {
            return Ok(Some(RecordText::Id(id.into(), at)));
        }
        match cursor.token()? {
            Token::Str(bytes) => Ok(Some(RecordText::Inline(cursor, bytes))),
            Token::Unsigned(id) => Ok(Some(RecordText::Id(id, at))),
            _ => Ok(None),
        }
    }

    fn field_of_object(&self, field: &str, work: &Work) -> Result<Cow<'a, str>, DecodeError> {
        let missing = || ErrorKind::IndexRange { table: Part::KEY_SLOTS.0 }.at(self.offset as u64);
        match self.value()?.content()? {
            Content::Object(object) => match object.get_counting(field, work.looked_at())? {
                Some(value) => match value.content()? {
                    Content::String(text) => Ok(Cow::Borrowed(text)),
                    _ => Err(missing()),
                },
                None => Err(missing()),
            },
            _ => Err(missing()),
        }
    }

    /// Its full key: own keys from the outside in, with the rule's join between them.
    pub fn key(&self) -> Result<Cow<'a, str>, DecodeError> {
        self.key_within(&Work::of(self.document))
    }

    /// The same where the keys of several landmarks are asked for: `work` bounds what they cost together (§9).
    pub fn key_within(&self, work: &Work) -> Result<Cow<'a, str>, DecodeError> {
        let Some(join) = self.document.header().rule.join() else { return self.own_key_within(work) };
        let mut parts = self.key_parts(work)?;
        if let [own] = &mut parts[..] {
            return Ok(std::mem::take(own));
        }
        let length = parts.iter().map(|part| part.len() + join.len()).fold(0, usize::saturating_add);
        if length > limits::STRING_BYTES {
            let (length, limit) = (length as u64, limits::STRING_BYTES as u64);
            return Err(ErrorKind::StringLength { length, limit }.at(self.offset as u64));
        }
        Ok(Cow::Owned(parts.join(join)))
    }

    /// The own keys of the landmarks around it and its own, from the outside in.
    fn key_parts(&self, work: &Work) -> Result<Vec<Cow<'a, str>>, DecodeError> {
        let mut parts = vec![self.own_key_within(work)?];
        let mut around = self.parent()?;
        while let Some(parent) = around {
            // A table that was made to can claim any number of parents; a document has one a level at most.
            if parts.len() > limits::DEPTH as usize {
                return Err(ErrorKind::IndexRange { table: Part::LANDMARK_TREE.0 }.at(self.offset as u64));
            }
            parts.push(parent.own_key_within(work)?);
            around = parent.parent()?;
        }
        parts.reverse();
        Ok(parts)
    }

    /// How its full key compares with `key`, bytewise.
    fn compare_key(&self, key: &str, work: &Work) -> Result<Ordering, DecodeError> {
        match self.document.header().rule.join() {
            Some(join) => Ok(compare_joined(&self.key_parts(work)?, join, key)),
            None => self.compare_own_key(key, work),
        }
    }

    /// What it refers to: the edges that start at it, by target and kind.
    pub fn dependencies(&self) -> Result<Vec<EdgeView<'a>>, DecodeError> {
        let tables = self.document.edge_tables().map(|[dependencies, _]| dependencies);
        self.edges(tables, |index| index.edges.as_deref().unwrap_or_default())
    }

    /// What refers to it: the edges that lead to it, by source and kind.
    pub fn dependents(&self) -> Result<Vec<EdgeView<'a>>, DecodeError> {
        let tables = self.document.edge_tables().map(|[_, dependents]| dependents);
        self.edges(tables, |index| &index.reversed_edges)
    }

    fn edges(
        &self,
        tables: Option<EdgeTables<'a>>,
        of: impl Fn(&'a Index) -> &'a [crate::wire::edges::Edge],
    ) -> Result<Vec<EdgeView<'a>>, DecodeError> {
        let document = self.document;
        let ordinal = self.ordinal()?;
        let rule = &document.header().rule;
        if rule.edges().is_empty() {
            return Ok(Vec::new());
        }
        let view_of = |landmark: LandmarkView<'a>, number: u8| {
            let kind = rule.edges().get(usize::from(number)).map(coconut_format::landmark::EdgePattern::kind);
            kind.map(|kind| EdgeView { landmark, number, kind })
        };
        match (tables, document.landmark_tables()) {
            (Some(tables), Some(landmarks)) => {
                let own = tables.of(ordinal)?;
                let mut edges = Vec::with_capacity(own.len());
                for edge in tables.edges(own, landmarks.count(), rule.edges().len())? {
                    let (target, number) = edge?;
                    edges.extend(view_of(document.indexed_landmark(&landmarks, target)?, number));
                }
                Ok(edges)
            }
            _ => {
                let all = of(document.made_graph()?);
                let first = all.partition_point(|edge| edge.from < ordinal);
                let mut edges = Vec::new();
                for edge in all.iter().skip(first).take_while(|edge| edge.from == ordinal) {
                    let landmark = document.landmark(edge.to)?;
                    edges.extend(landmark.and_then(|landmark| view_of(landmark, edge.kind)));
                }
                Ok(edges)
            }
        }
    }
}

/// A string in a record, not yet known to be UTF-8.
enum RecordText<'a> {
    /// Its bytes, and the cursor behind it.
    Inline(Cursor<'a>, &'a [u8]),
    /// Its id in the string table, and where that stands.
    Id(u64, usize),
}

impl<'a> RecordText<'a> {
    #[inline]
    fn bytes(&self, document: DocumentView<'a>) -> Result<&'a [u8], DecodeError> {
        match *self {
            RecordText::Inline(_, bytes) => Ok(bytes),
            RecordText::Id(id, at) => match document.near_string(id) {
                Some(bytes) => Ok(bytes),
                None => document.string_cursor(id, at)?.str_bytes(),
            },
        }
    }
}

/// How `parts` with `join` between them compare with `key`, without putting them together.
fn compare_joined(parts: &[Cow<'_, str>], join: &str, key: &str) -> Ordering {
    let mut rest = key.as_bytes();
    for (index, part) in parts.iter().enumerate() {
        let separator = if index > 0 { join } else { "" };
        for piece in [separator.as_bytes(), part.as_bytes()] {
            let (head, tail) = rest.split_at(piece.len().min(rest.len()));
            let ordering = piece.cmp(head);
            if ordering.is_ne() {
                return ordering;
            }
            rest = tail;
        }
    }
    match rest {
        [] => Ordering::Equal,
        _ => Ordering::Less,
    }
}

#[cfg(test)]
mod tests;
