//! The keys of all landmarks (§8.5), and the limit on the work of finding keys.

use super::{LandmarkView, SearchMeter};
use crate::bounded_debug::bounded_debug;
#[cfg(feature = "graphs")]
use crate::index::EachKey;
use crate::limits;
use crate::read::file::DocumentView;
use crate::wire::directory::Part;
use crate::wire::ids::Ordinal;
use coconut_format::error::{DecodeError, ErrorKind};
#[cfg(feature = "graphs")]
use coconut_format::landmark::OwnKeys;

/// Iterates over all landmarks in document order, with their full keys.
///
/// Reads the own key of each landmark once, however many landmarks are inside it. Repeated calls of
/// [`LandmarkView::key`] would read it for each of them.
///
/// The work is limited in proportion to the file, whatever its tables contain. The limit allows
/// stepping over each byte once on each of 512 levels.
pub struct Keys<'a> {
    document: DocumentView<'a>,
    /// Used if the file has no landmark tables.
    #[cfg(feature = "graphs")]
    made: Option<EachKey<'a>>,
    next: Ordinal,
    /// The landmarks around the last one, outermost first, and the last one itself.
    around: Vec<Around>,
    /// The full key of the last landmark.
    key: String,
    /// Total bytes of all full keys so far.
    bytes: u64,
    meter: SearchMeter,
}

bounded_debug!(Keys<'_>, |keys| next: keys.next.0, depth: keys.around.len());

#[derive(Clone, Copy, Debug)]
struct Around {
    ordinal: Ordinal,
    /// Bytes of its full key.
    length: usize,
}

impl<'a> DocumentView<'a> {
    /// Lists all landmarks with their full keys. Costs one key read per landmark, and nothing
    /// before the first.
    ///
    /// The list does not implement `Iterator`, because each key is borrowed until the next is read:
    ///
    /// ```
    /// use coconut_codec::compile::{CompileOptions, compile};
    /// use coconut_codec::read::file::DocumentFile;
    ///
    /// let source = br#"{"vertices":{"web":{"port":80},"db":{"port":5432}}}"#;
    /// let file = DocumentFile::from_data(compile(source, &CompileOptions::default())?.bytes)?;
    /// let mut keys = file.view().keys()?;
    /// let mut found = Vec::new();
    /// while let Some((_landmark, key)) = keys.read_next()? {
    ///     found.push(key.to_owned());
    /// }
    /// assert_eq!(found, ["web", "db"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn keys(&self) -> Result<Keys<'a>, DecodeError> {
        #[cfg(feature = "graphs")]
        let made = match self.landmark_tables() {
            Some(_) => None,
            None => Some(self.made_index()?.keys.each_key()),
        };
        Ok(Keys {
            document: *self,
            #[cfg(feature = "graphs")]
            made,
            next: Ordinal(0),
            around: Vec::new(),
            key: String::new(),
            bytes: 0,
            meter: SearchMeter::of(*self),
        })
    }
}

impl<'a> Keys<'a> {
    /// Returns the next landmark and its full key, or `None` after the last.
    ///
    /// # Errors
    ///
    /// Fails if a key cannot be read, and at the limits of §9:
    ///
    /// - it would step over more bytes than a document can require,
    /// - the keys are longer than an index may contain.
    pub fn read_next(&mut self) -> Result<Option<(LandmarkView<'a>, &str)>, DecodeError> {
        Ok(self.read_next_within()?.map(|(landmark, key, _)| (landmark, key)))
    }

    /// Like [`read_next`](Self::read_next). Also returns the landmark around it with the length of
    /// its full key, if that key is a prefix of this one.
    #[expect(clippy::type_complexity, reason = "its parts are read at once")]
    pub(super) fn read_next_within(
        &mut self,
    ) -> Result<Option<(LandmarkView<'a>, &str, Option<(Ordinal, usize)>)>, DecodeError> {
        let ordinal = self.next;
        let join = self.document.header().rule()?.join();
        let Some(landmark) = self.document.landmark(ordinal.0)? else { return Ok(None) };
        self.next = ordinal.next();
        #[cfg(feature = "graphs")]
        if self.made.is_some() {
            let key = self.made.as_mut().and_then(EachKey::read_next_within);
            return Ok(key.map(|(key, around)| {
                (landmark, key, around.map(|(ordinal, length)| (Ordinal(ordinal), length)))
            }));
        }
        match join {
            Some(join) => {
                self.go_out_to(self.document.parent_of(ordinal)?, landmark)?;
                let length = self.around.last().map(|around| around.length);
                self.key.truncate(length.unwrap_or_default());
                self.key.push_str(if length.is_some() { join } else { "" });
            }
            None => self.key.clear(),
        }
        self.key.push_str(&landmark.own_key_within(&self.meter)?);
        let around = self.around.last().map(|around| (around.ordinal, around.length));
        if join.is_some() {
            self.around.push(Around { ordinal, length: self.key.len() });
        }
        self.check_length(landmark)?;
        Ok(Some((landmark, &self.key, around)))
    }

    /// Leaves the landmarks that do not contain the next one.
    fn go_out_to(&mut self, parent: Option<Ordinal>, landmark: LandmarkView<'a>) -> Result<(), DecodeError> {
        while self.around.last().is_some_and(|around| Some(around.ordinal) != parent) {
            self.around.pop();
        }
        let is_impossible = self.around.is_empty() && parent.is_some();
        if is_impossible {
            let tables = self.document.landmark_tables();
            let ordinal = landmark.ordinal;
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
        let length = self.key.len() as u64;
        self.bytes = self.bytes.saturating_add(length);
        if let Some(error) = too_long(length) {
            return Err(error.at(landmark.offset()));
        }
        match too_long_together(self.bytes) {
            Some(error) => Err(error.at(self.document.element(Part::ROOT).start as u64)),
            None => Ok(()),
        }
    }
}

/// Returns an error if a key of `length` bytes is too long.
fn too_long(length: u64) -> Option<ErrorKind> {
    let limit = limits::STRING_BYTES as u64;
    (length > limit).then_some(ErrorKind::StringLength { length, limit })
}

/// Returns an error if keys of `count` bytes in total are too long.
fn too_long_together(count: u64) -> Option<ErrorKind> {
    let limit = limits::FULL_KEY_BYTES;
    (count > limit).then_some(ErrorKind::TooMany { what: "bytes of full keys", count, limit })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crafted::Crafted;
    use crate::read::file::DocumentFile;
    use coconut_format::landmark::LandmarkRule;
    use std::cell::Cell;

    /// Returns a file with three landmarks: objects with five fields, the last of which is the key.
    fn three() -> (DocumentFile<Vec<u8>>, u64) {
        let object =
            |key| [b"\x9b\xc2\xa1a\xc0\xa1b\xc0\xa1c\xc0\xa1d\xc0\xa2id\xa2k".as_slice(), &[key]].concat();
        let root = [&[0x94, 0xc0][..], &object(b'0'), &object(b'1'), &object(b'2')].concat();
        let crafted = Crafted::with_rule(LandmarkRule::parse(&["/*[id]"], None, &[]).unwrap(), &root);
        let [.., root] = crafted.elements();
        (crafted.file(), root as u64)
    }

    #[test]
    fn entries_before_a_key_are_counted_up_to_the_limit() {
        let (file, _) = three();
        let landmark = file.view().landmark(0).unwrap().unwrap();
        // Five entries, and four steps for the landmark itself.
        for most in [4, 8, 9, 10] {
            let meter = SearchMeter { looked_at: Cell::new(0), most, root: 9 };
            let too_much = Err(ErrorKind::Work { limit: most }.at(9));
            let expected = if most < 9 { too_much } else { Ok("k0".into()) };
            assert_eq!(landmark.key_within(&meter), expected, "{most} of work");
        }
    }

    #[test]
    fn keys_have_length_limits_alone_and_together() {
        let limit = limits::STRING_BYTES as u64;
        assert_eq!((too_long(limit - 1), too_long(limit)), (None, None));
        let error = ErrorKind::StringLength { length: limit + 1, limit };
        assert_eq!(too_long(limit + 1), Some(error));

        let (file, root) = three();
        let mut keys = file.view().keys().unwrap();
        // As if the keys of many other landmarks had been read before, leaving room for all except
        // two.
        let limit = limits::FULL_KEY_BYTES;
        keys.bytes = limit - 4;
        let landmarks = file.view().landmarks().unwrap().map(Result::unwrap);
        let checked: Vec<_> = landmarks
            .map(|landmark| {
                keys.key = "k0".to_owned();
                keys.check_length(landmark)
            })
            .collect();
        let error = ErrorKind::TooMany { what: "bytes of full keys", count: limit + 2, limit }.at(root);
        assert_eq!(checked, [Ok(()), Ok(()), Err(error)]);
    }

    /// Returns a file with these landmarks in tables. Each row has the offset after the start of
    /// the root, class, parent and end.
    fn with_tables(
        patterns: &[&str],
        root: &[u8],
        rows: &[(u32, u8, u32, u32)],
    ) -> (DocumentFile<Vec<u8>>, u32) {
        let mut crafted = Crafted::with_rule(LandmarkRule::parse(patterns, Some(":"), &[]).unwrap(), root);
        let [.., at] = crafted.elements();
        let at = u32::try_from(at).unwrap();
        let offsets = rows.iter().flat_map(|row| (at + row.0).to_le_bytes()).collect();
        let classes = rows.iter().map(|row| row.1).collect();
        let tree = rows.iter().flat_map(|row| [row.2.to_le_bytes(), row.3.to_le_bytes()].concat()).collect();
        crafted.tables = vec![(Part::LANDMARK_OFFSETS.0, 0, offsets)];
        if patterns.len() > 1 {
            crafted.tables.push((Part::LANDMARK_CLASSES.0, 0, classes));
        }
        crafted.tables.push((Part::LANDMARK_TREE.0, 0, tree));
        (crafted.file(), at)
    }

    /// Returns all keys up to the first error, and that error.
    fn listed(file: &DocumentFile<Vec<u8>>) -> (Vec<String>, Option<DecodeError>) {
        let mut keys = file.view().keys().unwrap();
        let mut listed = Vec::new();
        loop {
            match keys.read_next() {
                Ok(Some((_, key))) => listed.push(key.to_owned()),
                Ok(None) => return (listed, None),
                Err(error) => return (listed, Some(error)),
            }
        }
    }

    const NONE: u32 = u32::MAX;

    /// An object of three entries: `a` with `b` and `c` in it, `d`, and `e` with `f` in it.
    const NESTED: &[u8] = b"\x97\xc2\xa1a\x95\xc2\xa1b\xc0\xa1c\xc0\xa1d\xc0\xa1e\x93\xc2\xa1f\xc0";
    const ROWS: [(u32, u8, u32, u32); 6] =
        [(2, 0, NONE, 3), (6, 1, 0, 2), (9, 1, 0, 3), (12, 0, NONE, 4), (15, 0, NONE, 6), (19, 1, 4, 6)];

    #[test]
    fn keys_are_joined_to_those_around_them() {
        let (file, _) = with_tables(&["/*", "/*/*"], NESTED, &ROWS);
        assert_eq!(listed(&file), (["a", "a:b", "a:c", "d", "e", "e:f"].map(str::to_owned).to_vec(), None));
    }

    #[test]
    fn a_landmark_cannot_be_inside_one_that_has_ended() {
        let mut rows = ROWS;
        // `f` is declared inside `c`, but `e` is not.
        rows[5].2 = 2;
        let (file, _) = with_tables(&["/*", "/*/*"], NESTED, &rows);
        let tables = file.view().landmark_tables().unwrap();
        let (keys, error) = listed(&file);
        assert_eq!((keys.len(), error), (5, Some(tables.differs(Ordinal(5)))));
    }

    #[test]
    fn landmarks_nest_at_most_as_deep_as_documents() {
        let depth = limits::DEPTH;
        let rows: Vec<_> =
            (0..depth + 9).map(|n| (2, 0, n.checked_sub(1).unwrap_or(NONE), depth + 9)).collect();
        let (file, at) = with_tables(&["/*"], b"\x93\xc2\xa1a\xc0", &rows);
        let (keys, error) = listed(&file);
        // One more for the root of the document, which has no landmark around it.
        assert_eq!(keys.len(), depth as usize + 1);
        assert_eq!(keys.last(), Some(&vec!["a"; depth as usize + 1].join(":")));
        let refused = ErrorKind::IndexRange { table: Part::LANDMARK_TREE.0 }.at(u64::from(at) + 2);
        assert_eq!(error, Some(refused));
    }

    #[test]
    fn the_length_limit_of_all_keys_holds_for_tables() {
        let (file, _) = three();
        let mut keys = file.view().keys().unwrap();
        keys.bytes = limits::FULL_KEY_BYTES;
        // The index was made by a walk, which has already enforced the limit.
        assert_eq!(keys.read_next().unwrap().map(|(_, key)| key.to_owned()), Some("k0".to_owned()));
        let (file, at) = with_tables(&["/*", "/*/*"], NESTED, &ROWS);
        let mut keys = file.view().keys().unwrap();
        let limit = limits::FULL_KEY_BYTES;
        keys.bytes = limit;
        let error = ErrorKind::TooMany { what: "bytes of full keys", count: limit + 1, limit };
        assert_eq!(keys.read_next().map(drop), Err(error.at(at.into())));
    }
}
