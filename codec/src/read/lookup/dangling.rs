//! References that lead nowhere (§8.6). The index leaves them out, so an answer from the index alone
//! looks complete when it is not.

use crate::limits;
use crate::read::file::DocumentView;
use crate::read::index::check_expansion;
use crate::read::view::WatchedView;
use coconut_format::error::{DecodeError, ErrorKind};
use coconut_format::landmark::{EdgePattern, Walk};
use coconut_format::pointer::Pointer;
use hashbrown::HashMap;
use std::cell::Cell;

/// The references of a document that lead nowhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DanglingReferences {
    /// The number of all of them.
    pub count: u64,
    /// The number of those from wanted landmarks.
    pub wanted: u64,
    /// The first of those from wanted landmarks, in document order.
    pub first: Vec<DanglingReference>,
}

/// A reference to a key that no landmark has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DanglingReference {
    /// The ordinal of the landmark that it starts at.
    pub from: u32,
    /// The meaning of the edge that it would make, for instance `parent`.
    pub kind: String,
    /// The key that it refers to.
    pub target: String,
    /// The JSON pointer of the reference.
    pub pointer: String,
}

impl DocumentView<'_> {
    /// Counts the references that lead nowhere, and returns the first `most` of those that start at
    /// landmarks for which `is_wanted` holds. It receives their ordinals.
    ///
    /// Walks all places where the rule allows references. An empty string refers to nothing.
    ///
    /// # Errors
    ///
    /// Fails if a value cannot be read, and if the document expands to more than a search may visit
    /// (§9).
    pub fn dangling_references(
        &self,
        most: usize,
        mut is_wanted: impl FnMut(u32) -> bool,
    ) -> Result<DanglingReferences, DecodeError> {
        let rule = &self.header().rule;
        let mut dangling = DanglingReferences::default();
        if rule.edges().is_empty() {
            return Ok(dangling);
        }
        check_expansion(*self)?;
        let budget = limits::search_budget(self.data.len());
        let (fault, looked_at) = (Cell::new(None), Cell::new(0));
        let root = WatchedView::new(self.root(), &fault).counting(&looked_at);
        let mut known: HashMap<&str, bool> = HashMap::new();
        let mut pointer = Pointer::root();
        for visited in Walk::new(rule, root) {
            pointer.truncate(visited.depth.saturating_sub(1));
            visited.trail.push_to(&mut pointer);
            if looked_at.get() > budget {
                return Err(ErrorKind::Work { limit: budget }.at(self.root().offset()));
            }
            for edge in visited.edges.iter().filter(|edge| !edge.target.is_empty()) {
                let leads_on = match known.get(edge.target) {
                    Some(&leads_on) => leads_on,
                    None => {
                        let leads_on = self.leads_on(edge.target)?;
                        known.insert(edge.target, leads_on);
                        leads_on
                    }
                };
                if leads_on {
                    continue;
                }
                dangling.count += 1;
                if !is_wanted(edge.source) {
                    continue;
                }
                dangling.wanted += 1;
                if dangling.first.len() < most {
                    let kind = rule.edges().get(usize::from(edge.number)).map_or("", EdgePattern::kind);
                    dangling.first.push(DanglingReference {
                        from: edge.source,
                        kind: kind.to_owned(),
                        target: edge.target.to_owned(),
                        pointer: (&pointer).into(),
                    });
                }
            }
        }
        match fault.take() {
            Some(error) => Err(error),
            None => Ok(dangling),
        }
    }

    /// Whether a reference to `target` leads to a landmark.
    fn leads_on(&self, target: &str) -> Result<bool, DecodeError> {
        match self.key_index() {
            Some(index) => self.has_key(&index, target),
            None => Ok(!self.made_index()?.with_key(target).is_empty()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Profile;
    use crate::compile::{CompileOptions, compile};
    use crate::read::file::DocumentFile;

    #[test]
    fn references_that_lead_nowhere_are_counted_with_their_places() {
        let text = r##"{"vertices": {
            "a": {"type": "t", "x": {"#ref": "b"}, "y": [{"#ref": "gone"}, {"#ref": ""}]},
            "b": {"type": "t", "x": {"#ref": "lost"}, "y": {"#ref": "gone"}}}}"##;
        for profile in Profile::ALL {
            let options = CompileOptions { profile, ..CompileOptions::default() };
            let compiled = compile(text.as_bytes(), &options).unwrap();
            let file = DocumentFile::from_data(&compiled.bytes[..]).unwrap();
            let found = file.view().dangling_references(1, |ordinal| ordinal == 1).unwrap();
            assert_eq!((found.count, found.wanted), (3, 2));
            let first = DanglingReference {
                from: 1,
                kind: "ref".to_owned(),
                target: "lost".to_owned(),
                pointer: "/vertices/b/x/#ref".to_owned(),
            };
            assert_eq!(found.first, [first]);
            let all = file.view().dangling_references(9, |_| true).unwrap();
            let targets: Vec<&str> = all.first.iter().map(|reference| &*reference.target).collect();
            assert_eq!(targets, ["gone", "lost", "gone"]);
        }
    }

    #[test]
    fn a_document_without_edges_has_no_references() {
        let compiled = compile(br#"{"a": "b"}"#, &CompileOptions::default()).unwrap();
        let file = DocumentFile::from_data(&compiled.bytes[..]).unwrap();
        assert_eq!(file.view().dangling_references(9, |_| true), Ok(DanglingReferences::default()));
    }
}
