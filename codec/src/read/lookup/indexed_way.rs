//! Finds the path to a landmark by the rule and the index (§8.4), without reading the landmarks
//! before it.

use super::LandmarkView;
use super::ways::Step;
use crate::read::view::{Content, ValueView};
use crate::wire::ids::Ordinal;
use coconut_format::error::DecodeError;
use coconut_format::landmark::{KeyRule, Pattern, Segment, Step as PatternStep, Trail};
use std::borrow::Cow;

impl<'a> LandmarkView<'a> {
    /// Returns the path from the root to its value, if the rule and the index determine it.
    ///
    /// Reads the containers around the landmark, but none of the landmarks before it in the
    /// innermost. `None` if the file has no index, the pattern can repeat levels, or some
    /// neighbouring items are not landmarks. Then only a walk finds the path
    /// ([`Ways`](super::Ways)).
    #[doc(hidden)]
    pub fn indexed_way(&self) -> Result<Option<Vec<Step<'a>>>, DecodeError> {
        if self.document.landmark_tables().is_none() {
            return Ok(None);
        }
        let Some(levels) = self.levels()? else { return Ok(None) };
        let (mut way, parent_levels) = match self.parent()? {
            None => (Vec::new(), Vec::new()),
            Some(parent) => match (parent.levels()?, parent.indexed_way()?) {
                (Some(levels), Some(way)) => (way, levels),
                _ => return Ok(None),
            },
        };
        // Each parent has a shorter pattern, so this ends.
        let Some(inner) = levels.strip_prefix(&parent_levels[..]) else { return Ok(None) };
        let Some((last, containers)) = inner.split_last() else {
            return Ok((levels.is_empty() && way.is_empty()).then_some(way));
        };
        let mut around = way.last().map_or(self.document.root(), |(_, value)| *value);
        for level in containers {
            let Segment::Entry(key) = level else { return Ok(None) };
            let Content::Object(object) = around.content()? else { return Ok(None) };
            let Some((found, value)) = object.entry(key)? else { return Ok(None) };
            way.push((Trail::Entry(found), value));
            around = value;
        }
        let value = self.value()?;
        match self.trail_in(around, last, value)? {
            Some(trail) if value.offset() > around.offset() => {
                way.push((trail, value));
                Ok(Some(way))
            }
            _ => Ok(None),
        }
    }

    /// Returns whether the object that contains it has an entry `key`, if the index determines
    /// that. The landmark's key must be its entry name, and all other entries must be such
    /// landmarks. Reads none of them.
    ///
    /// `count` is the number of entries of the object.
    pub fn has_sibling(&self, key: &str, count: usize) -> Result<Option<bool>, DecodeError> {
        let rule = self.document.header().rule()?;
        let is_named =
            |class: u8| rule.patterns().get(usize::from(class)).map(Pattern::key) == Some(&KeyRule::Name);
        let class = self.class()?;
        let is_in_any = self.levels()?.and_then(|levels| levels.last().copied()) == Some(&Segment::Any);
        let is_known = self.document.landmark_tables().is_some() && is_named(class) && is_in_any;
        if !is_known || self.siblings()?.1 != count {
            return Ok(None);
        }
        let parent = self.parent()?;
        let full = match (parent, rule.join()) {
            (Some(parent), Some(join)) => Cow::Owned(format!("{}{join}{key}", parent.key()?)),
            _ => Cow::Borrowed(key),
        };
        let around = parent.map(|parent| parent.ordinal);
        for found in self.document.get_all(&full)? {
            if found.class()? == class && self.document.parent_of(found.ordinal)? == around {
                return Ok(Some(true));
            }
        }
        Ok(Some(false))
    }

    /// The levels of its pattern, unless some can repeat.
    fn levels(&self) -> Result<Option<Vec<&'a Segment>>, DecodeError> {
        let document = self.document;
        let rule = document.header().rule()?;
        let pattern: Option<&'a Pattern> = rule.patterns().get(usize::from(self.class()?));
        let level = |step: &'a PatternStep| match step {
            PatternStep::One(segment) => Some(segment),
            PatternStep::Repeat(_) => None,
        };
        Ok(pattern.and_then(|pattern| pattern.path().steps().iter().map(level).collect()))
    }

    /// The last step of the path, in the container `around`.
    fn trail_in(
        &self,
        around: ValueView<'a>,
        last: &Segment,
        value: ValueView<'a>,
    ) -> Result<Option<Trail<'a>>, DecodeError> {
        match (last, around.content()?) {
            (Segment::Entry(key), Content::Object(object)) => {
                let entry = object.entry(key)?.filter(|(_, found)| found.offset() == value.offset());
                Ok(entry.map(|(key, _)| Trail::Entry(key)))
            }
            (Segment::Any, Content::Object(_)) => {
                let patterns = self.document.header().rule()?.patterns();
                let is_named =
                    patterns.get(usize::from(self.class()?)).map(Pattern::key) == Some(&KeyRule::Name);
                match self.own_key()? {
                    Cow::Borrowed(key) if is_named => Ok(Some(Trail::Entry(key))),
                    _ => Ok(None),
                }
            }
            (Segment::Any, Content::List(list)) => {
                // If there are as many landmarks as items, all items are landmarks.
                let (before, all) = self.siblings()?;
                Ok((all == list.len()).then_some(Trail::Item(before)))
            }
            _ => Ok(None),
        }
    }

    /// The number of landmarks of its class directly in its parent: those before it, and all.
    fn siblings(&self) -> Result<(usize, usize), DecodeError> {
        let document = self.document;
        if document.header().rule()?.patterns().len() == 1 && !document.has_nested_landmarks()? {
            return Ok((self.ordinal.index(), document.landmark_count()? as usize));
        }
        let (mut next, end) = match document.parent_of(self.ordinal)? {
            Some(parent) => (parent.next(), document.end_of(parent)?),
            None => (Ordinal(0), Ordinal(document.landmark_count()?)),
        };
        let (class, mut before, mut all) = (self.class()?, 0usize, 0usize);
        while next < end {
            let Some(sibling) = document.landmark(next.0)? else { break };
            if sibling.class()? == class {
                all = all.saturating_add(1);
                before = before.saturating_add(usize::from(next < self.ordinal));
            }
            next = document.end_of(next)?;
        }
        Ok((before, all))
    }
}
