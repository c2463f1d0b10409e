//! Reassembles the readable parts of a damaged document.

use coconut_codec::event::ValueSink;
use coconut_codec::read::file::DocumentView;
use coconut_codec::read::lookup::LandmarkView;
use coconut_codec::read::stream::{Budget, StreamError};
use coconut_codec::read::view::{Content, ValueView};
use coconut_format::landmark::{KeyRule, Segment, Step, Trail};
use coconut_format::pointer::{push_index, push_key};
use coconut_format::{DecodeError, Value};
use coconut_report::{Exit, Failure};
use std::collections::HashSet;

/// The undamaged and the damaged parts of a document.
pub(super) struct Rebuilt {
    pub(super) value: Value,
    /// The number of landmarks that the index lists.
    pub(super) landmarks: u64,
    /// The damaged landmarks.
    pub(super) lost: Vec<LostLandmark>,
    /// Places outside landmarks where something is missing.
    pub(super) gaps: Vec<Gap>,
}

/// A damaged landmark. It is omitted, unless it contains others.
pub(super) struct LostLandmark {
    pub(super) ordinal: u32,
    /// Its key, if readable.
    pub(super) key: Option<String>,
    pub(super) fault: DecodeError,
}

/// A container with missing parts.
pub(super) struct Gap {
    pub(super) pointer: String,
    pub(super) fault: DecodeError,
}

impl Rebuilt {
    pub(super) fn is_whole(&self) -> bool {
        self.lost.is_empty() && self.gaps.is_empty()
    }
}

/// Reads everything readable. Fails if that is nothing, or too much for memory.
pub(super) fn rebuild(document: DocumentView<'_>) -> Result<Rebuilt, Failure> {
    let budget = Budget::owned(document.length() as u64);
    let (mut lost, mut landmarks, mut left_out) = (Vec::new(), Vec::new(), HashSet::new());
    // Without an index, landmarks are found by reading everything, which may fail.
    for landmark in document.landmarks().into_iter().flatten().map_while(Result::ok) {
        landmarks.push(landmark);
        if let Err(fault) = landmark.value().and_then(|value| damage(value, budget).map_or(Ok(()), Err)) {
            let key = landmark.key().ok().map(std::borrow::Cow::into_owned);
            lost.push(LostLandmark { ordinal: landmark.ordinal()?, key, fault });
            if let (Ok(value), Ok(false)) = (landmark.value(), landmark.has_children()) {
                left_out.insert(value.offset());
            }
        }
    }
    let mut rebuilding =
        Rebuilding { document, budget, landmarks: &landmarks, left_out, way: Vec::new(), gaps: Vec::new() };
    let (count, root) = (landmarks.len() as u64, document.root());
    let value = match rebuilding.value(root)? {
        Some(value) => value,
        // The fault that leaves nothing readable.
        None => whole(root, budget)?.unwrap_or(Value::Null),
    };
    Ok(Rebuilt { value, landmarks: count, lost, gaps: rebuilding.gaps })
}

/// The fault that prevents reading the value, if any. A limit is not one.
fn damage(value: ValueView<'_>, budget: Budget) -> Option<DecodeError> {
    match whole(value, budget) {
        Err(StreamError::Decode(fault)) if !is_limit(&fault) => Some(fault),
        _ => None,
    }
}

fn whole(value: ValueView<'_>, budget: Budget) -> Result<Option<Value>, StreamError> {
    let mut sink = ValueSink::new();
    value.stream(&mut sink, budget)?;
    Ok(sink.finish())
}

fn is_limit(fault: &DecodeError) -> bool {
    Failure::from(fault.clone()).exit() == Exit::Limit
}

struct Rebuilding<'a, 'l> {
    document: DocumentView<'a>,
    budget: Budget,
    /// In document order.
    landmarks: &'l [LandmarkView<'a>],
    /// The places of values that are damaged landmarks.
    left_out: HashSet<u64>,
    /// The path from the root to the current value.
    way: Vec<Trail<'a>>,
    gaps: Vec<Gap>,
}

impl<'a> Rebuilding<'a, '_> {
    /// The value without unreadable parts. `None` if nothing remains.
    fn value(&mut self, value: ValueView<'a>) -> Result<Option<Value>, Failure> {
        if self.left_out.contains(&value.offset()) {
            return Ok(None);
        }
        match whole(value, self.budget) {
            Ok(whole) => return Ok(whole),
            Err(StreamError::Decode(fault)) if !is_limit(&fault) => {}
            Err(error) => return Err(error.into()),
        }
        match value.content() {
            Ok(Content::Object(object)) => {
                let mut entries = Vec::new();
                let (mut last, mut left) = (value.offset(), object.len());
                for entry in object.iter() {
                    match entry {
                        Ok((key, child)) => {
                            (last, left) = (child.offset(), left.saturating_sub(1));
                            let rebuilt = self.child(Trail::Entry(key), child)?;
                            entries.extend(rebuilt.map(|value| (key.to_owned(), value)));
                        }
                        Err(fault) => {
                            let found = self.landmarks_after(last, value.offset());
                            if found.len() < left {
                                self.miss(fault);
                            }
                            for landmark in found {
                                entries.extend(self.entry(landmark)?);
                            }
                            break;
                        }
                    }
                }
                Ok(Some(Value::Object(entries.into_iter().collect())))
            }
            Ok(Content::List(list)) => {
                let mut items = Vec::new();
                let (mut last, mut left) = (value.offset(), list.len());
                for item in list.items() {
                    match item {
                        Ok(child) => {
                            (last, left) = (child.offset(), left.saturating_sub(1));
                            items.extend(self.child(Trail::Item(items.len()), child)?);
                        }
                        Err(fault) => {
                            let found = self.landmarks_after(last, value.offset());
                            if found.len() < left {
                                self.miss(fault);
                            }
                            for child in found.into_iter().filter_map(|landmark| landmark.value().ok()) {
                                items.extend(self.child(Trail::Item(items.len()), child)?);
                            }
                            break;
                        }
                    }
                }
                Ok(Some(Value::List(items)))
            }
            Ok(_) => Ok(None),
            Err(fault) => {
                self.miss(fault);
                Ok(None)
            }
        }
    }

    fn child(&mut self, trail: Trail<'a>, value: ValueView<'a>) -> Result<Option<Value>, Failure> {
        self.way.push(trail);
        let rebuilt = self.value(value);
        self.way.pop();
        rebuilt
    }

    /// A landmark that is an entry of an object, if its name can be read.
    fn entry(&mut self, landmark: LandmarkView<'a>) -> Result<Option<(String, Value)>, Failure> {
        let is_named = self.pattern_of(landmark).is_some_and(|(_, key)| *key == KeyRule::Name);
        let (Ok(std::borrow::Cow::Borrowed(name)), Ok(value), true) =
            (landmark.own_key(), landmark.value(), is_named)
        else {
            return Ok(None);
        };
        let rebuilt = self.child(Trail::Entry(name), value)?;
        Ok(rebuilt.map(|value| (name.to_owned(), value)))
    }

    /// The landmarks directly in the container at `around`, after the byte `last`: those whose
    /// pattern leads into it, for the last parent that begins before it.
    fn landmarks_after(&self, last: u64, around: u64) -> Vec<LandmarkView<'a>> {
        let inside = self.landmarks.iter().copied().filter(|landmark| self.leads_into(*landmark));
        let parent_of = |landmark: LandmarkView<'a>| {
            landmark
                .parent()
                .ok()
                .flatten()
                .map_or((0, None), |parent| (parent.offset(), parent.ordinal().ok()))
        };
        let with_parents: Vec<_> = inside
            .map(|landmark| (parent_of(landmark), landmark))
            .filter(|((at, _), _)| *at <= around)
            .collect();
        let parent = with_parents.iter().map(|(parent, _)| *parent).max();
        let is_after = |landmark: &LandmarkView<'a>| landmark.offset() > last;
        let own = with_parents.into_iter().filter(|(own, _)| Some(*own) == parent);
        own.map(|(_, landmark)| landmark).filter(is_after).collect()
    }

    /// Whether the pattern of the landmark leads to any child of the current value.
    fn leads_into(&self, landmark: LandmarkView<'a>) -> bool {
        let Some((steps, _)) = self.pattern_of(landmark) else { return false };
        let Some((Step::One(Segment::Any), above)) = steps.split_last() else { return false };
        let fits = |(step, trail): (&Step, &Trail<'_>)| match (step, trail) {
            (Step::One(Segment::Any), _) => true,
            (Step::One(Segment::Entry(key)), Trail::Entry(found)) => key == found,
            _ => false,
        };
        above.len() == self.way.len() && above.iter().zip(&self.way).all(fits)
    }

    fn pattern_of(&self, landmark: LandmarkView<'a>) -> Option<(&'a [Step], &'a KeyRule)> {
        let rule = self.document.header().rule().ok()?;
        let pattern = rule.patterns().get(usize::from(landmark.class().ok()?))?;
        Some((pattern.path().steps(), pattern.key()))
    }

    fn miss(&mut self, fault: DecodeError) {
        let mut pointer = String::new();
        for trail in &self.way {
            match trail {
                Trail::Root => {}
                Trail::Entry(key) => push_key(&mut pointer, key),
                Trail::Item(index) => push_index(&mut pointer, *index),
            }
        }
        // Landmarks are reported by their keys.
        self.gaps.push(Gap { pointer, fault });
    }
}
