//! §8.5 The keys of all landmarks, and what looking for keys may cost.

use super::LandmarkView;
use crate::file::DocumentView;
use crate::index::{Index, most_looked_at};
use crate::limits;
use crate::wire::directory::Part;
use coconut_format::error::{DecodeError, ErrorKind};
use std::cell::Cell;

/// All landmarks in document order with their full keys, one after the other.
///
/// Unlike asking each [`LandmarkView`] for its [key](LandmarkView::key), reads the own key of each landmark once,
/// however many lie in it. What is looked at on the way to them is bounded in proportion to the file, whatever its tables
/// say; the bound has room for stepping over each byte once on each of 512 levels.
#[derive(Debug)]
pub struct Keys<'a> {
    document: DocumentView<'a>,
    /// Where the file has no tables that say what there is.
    made: Option<&'a Index>,
    next: u32,
    count: u32,
    /// The landmarks around the last one, outermost first, and itself.
    around: Vec<Around>,
    /// The full key of the last one.
    key: String,
    /// Bytes of all full keys so far.
    bytes: u64,
    work: Work,
}

#[derive(Clone, Copy, Debug)]
struct Around {
    ordinal: u32,
    /// Bytes of its full key.
    length: usize,
}

impl<'a> DocumentView<'a> {
    /// The full keys of all landmarks.
    pub fn keys(&self) -> Result<Keys<'a>, DecodeError> {
        let made = match self.landmark_tables() {
            Some(_) => None,
            None => Some(self.made_index()?),
        };
        Ok(Keys {
            document: *self,
            made,
            next: 0,
            count: self.landmark_count()?,
            around: Vec::new(),
            key: String::new(),
            bytes: 0,
            work: Work::of(*self),
        })
    }
}

impl<'a> Keys<'a> {
    /// The next landmark and its full key; `None` behind the last.
    ///
    /// # Errors
    ///
    /// What keeps a key from being read, and the limits of §9: to step over more than what a document can need, or to
    /// make longer keys than an index may hold.
    pub fn read_next(&mut self) -> Result<Option<(LandmarkView<'a>, &str)>, DecodeError> {
        let ordinal = self.next;
        let Some(landmark) = self.document.landmark(ordinal)?.filter(|_| ordinal < self.count) else {
            return Ok(None);
        };
        self.next = ordinal.saturating_add(1);
        if let Some(index) = self.made {
            return Ok(index.keys.get(ordinal as usize).map(|key| (landmark, key.as_str())));
        }
        match self.document.header().rule.join() {
            Some(join) => {
                self.go_out_to(self.document.parent_of(ordinal)?, landmark)?;
                let length = self.around.last().map(|around| around.length);
                self.key.truncate(length.unwrap_or_default());
                self.key.push_str(if length.is_some() { join } else { "" });
            }
            None => self.key.clear(),
        }
        self.key.push_str(&landmark.own_key_within(&self.work)?);
        if self.document.header().rule.join().is_some() {
            self.around.push(Around { ordinal, length: self.key.len() });
        }
        self.check_length(landmark)?;
        Ok(Some((landmark, &self.key)))
    }

    /// Leaves the landmarks that the next one is not inside of.
    fn go_out_to(&mut self, parent: Option<u32>, landmark: LandmarkView<'a>) -> Result<(), DecodeError> {
        while self.around.last().is_some_and(|around| Some(around.ordinal) != parent) {
            self.around.pop();
        }
        let is_impossible = self.around.is_empty() && parent.is_some();
        if is_impossible {
            let tables = self.document.landmark_tables();
            let ordinal = landmark.ordinal()?;
            return Err(tables.map_or_else(
                || ErrorKind::IndexDiffers { table: Part::LANDMARK_TREE.0 }.at(landmark.offset()),
                |tables| tables.differs(ordinal),
            ));
        }
        if self.around.len() > limits::DEPTH as usize {
            return Err(ErrorKind::IndexRange { table: Part::LANDMARK_TREE.0 }.at(landmark.offset()));
        }
        Ok(())
    }

    fn check_length(&mut self, landmark: LandmarkView<'_>) -> Result<(), DecodeError> {
        let (length, limit) = (self.key.len() as u64, limits::STRING_BYTES as u64);
        if length > limit {
            return Err(ErrorKind::StringLength { length, limit }.at(landmark.offset()));
        }
        self.bytes = self.bytes.saturating_add(length);
        let (count, limit) = (self.bytes, limits::FULL_KEY_BYTES);
        match count > limit {
            true => {
                let at = self.document.element(Part::ROOT).start as u64;
                Err(ErrorKind::TooMany { what: "bytes of full keys", count, limit }.at(at))
            }
            false => Ok(()),
        }
    }
}

/// How much was looked at on the way to keys, and how much there may be (§9).
#[derive(Debug)]
pub struct Work {
    looked_at: Cell<u64>,
    most: u64,
    /// Where the root begins, at which the error is.
    root: u64,
}

impl Work {
    /// Nothing yet, of what there may be in this document.
    #[inline]
    pub fn of(document: DocumentView<'_>) -> Work {
        let (most, root) = (most_looked_at(document.data.len()), document.frame.root.start as u64);
        Work { looked_at: Cell::new(0), most, root }
    }

    /// Counts entries.
    pub(super) fn looked_at(&self) -> &Cell<u64> {
        &self.looked_at
    }

    #[inline]
    pub(super) fn step_over(&self, bytes: usize) {
        self.looked_at.set(self.looked_at.get().saturating_add(bytes as u64 / limits::BYTES_LIKE_A_VALUE));
    }

    /// Refuses more than there may be.
    #[inline]
    pub(super) fn check(&self) -> Result<(), DecodeError> {
        match self.looked_at.get() > self.most {
            true => {
                let (count, limit) = (self.most.saturating_add(1), self.most);
                Err(ErrorKind::Nodes { count, limit }.at(self.root))
            }
            false => Ok(()),
        }
    }
}
