//! Dangling references (§8.6). The index omits them, so an answer from the index alone looks
//! complete when it is not.

use super::Ways;
use crate::limits;
use crate::read::file::DocumentView;
use crate::read::tree::TreeOnDemand;
use crate::read::view::node::WatchedView;
use coconut_format::error::{DecodeError, ErrorKind};
use coconut_format::landmark::{Dialect, EdgePattern, Reading, Walk, without_instances};
use coconut_format::node::Node;
use coconut_format::pointer::Pointer;
use foldhash::fast::{FixedState, RandomState};
use hashbrown::{HashMap, HashSet};
use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::hash::BuildHasher as _;

/// The dangling references of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DanglingReferences {
    /// The total number.
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
    /// The meaning of the edge that it would form, for instance `parent`.
    pub kind: String,
    /// The key that it refers to.
    pub target: String,
    /// The JSON pointer of the reference.
    pub pointer: String,
}

impl DocumentView<'_> {
    /// Counts the dangling references. Returns the first `most` of those from landmarks for which
    /// `is_wanted` holds. It receives their ordinals.
    ///
    /// Walks all places where the rule allows references. An empty string refers to nothing. Omits
    /// references that may lead out of a document of its dialect (§15.1).
    ///
    /// # Errors
    ///
    /// Fails if a value cannot be read, or if the document expands to more than a search may visit
    /// (§9).
    #[doc(hidden)]
    pub fn dangling_references(
        &self,
        most: usize,
        is_wanted: impl FnMut(u32) -> bool,
    ) -> Result<DanglingReferences, DecodeError> {
        TreeOnDemand::new(*self).dangling_references(most, is_wanted)
    }

    /// Does the same for the references of only these landmarks, given by ordinals. Costs a walk
    /// over their values.
    #[doc(hidden)]
    pub fn dangling_references_of(
        &self,
        most: usize,
        landmarks: &BTreeSet<u32>,
    ) -> Result<DanglingReferences, DecodeError> {
        let rule = self.header().rule()?;
        let (fault, looked_at) = (Cell::new(None), Cell::new(0));
        let mut search = Search::of(*self, most, |from| landmarks.contains(&from));
        let mut ways = Ways::from_root(*self);
        for &ordinal in landmarks.iter().filter(|_| !rule.edges().is_empty()) {
            let Some(landmark) = self.landmark(ordinal)? else { continue };
            // The walk over the landmark around it also visits it.
            let mut around = landmark.parent()?;
            let mut is_visited = false;
            while let Some(parent) = around.filter(|_| !is_visited) {
                is_visited = landmarks.contains(&parent.ordinal()?);
                around = parent.parent()?;
            }
            if is_visited {
                continue;
            }
            let value = WatchedView::new(landmark.value()?, &fault).counting(&looked_at);
            let before = search.found.first.len();
            // The views count themselves.
            search.walk(Walk::of_landmark(rule, value, landmark.class()?, ordinal), &looked_at, |_| 0)?;
            if let Some(error) = fault.take() {
                return Err(error);
            }
            let new = &mut search.found.first[before..];
            if !new.is_empty() {
                let mut place = Pointer::root();
                ways.next_to(landmark)?.iter().for_each(|(trail, _)| trail.push_to(&mut place));
                let place = String::from(&place);
                new.iter_mut().for_each(|reference| reference.pointer.insert_str(0, &place));
            }
        }
        search.found.count = search.found.wanted;
        Ok(search.found)
    }
}

impl TreeOnDemand<'_> {
    /// Does the same as [`DocumentView::dangling_references`] in the tree of the document.
    pub fn dangling_references(
        &self,
        most: usize,
        is_wanted: impl FnMut(u32) -> bool,
    ) -> Result<DanglingReferences, DecodeError> {
        let document = self.document();
        let rule = document.header().rule()?;
        if rule.edges().is_empty() {
            return Ok(DanglingReferences::default());
        }
        // Building a tree and walking it takes a fraction of the time of a walk over views.
        let (root, looked_at) = (self.get()?.root(), Cell::new(0));
        let mut search = Search::of(document, most, is_wanted);
        // Most documents have no dangling references. Then no place of a reference is needed.
        search.ends.dangling = Some(dangling_targets(document, root, &looked_at)?);
        if search.ends.dangling.as_ref().is_some_and(HashSet::is_empty) {
            return Ok(search.found);
        }
        looked_at.set(0);
        search.walk(Walk::new(rule, root), &looked_at, |node| node.width() as u64)?;
        Ok(search.found)
    }
}

/// A target, and whether it may lack instance keys.
type TargetText<'a> = (&'a str, bool);

/// The distinct targets without a landmark, from one walk. `looked_at` counts its steps.
fn dangling_targets<'t, N: Node<'t>>(
    document: DocumentView<'_>,
    root: N,
    looked_at: &Cell<u64>,
) -> Result<HashSet<TargetText<'t>>, DecodeError> {
    let (rule, hasher) = (document.header().rule()?, RandomState::default());
    let names_instances = rule.edges().iter().any(|edge| *edge.reading() == Reading::Instances);
    let (mut keys, mut configured) =
        (HashSet::<u64, FixedState>::default(), HashSet::<u64, FixedState>::default());
    let mut targets: HashSet<TargetText<'t>> = HashSet::new();
    let budget = Budget::of(document, looked_at);
    // The key of the last landmark, and where those of the landmarks around it end.
    let (mut key, mut around, mut ordinals) = (String::new(), Vec::<(u32, usize)>::new(), 0..);
    for visited in Walk::new(rule, root) {
        budget.spend(visited.node.width() as u64)?;
        if let Some(landmark) = &visited.landmark {
            while around.pop_if(|(ordinal, _)| landmark.parent != Some(*ordinal)).is_some() {}
            let parent = around.last().and_then(|(_, end)| Some((*end, rule.join()?)));
            key.truncate(parent.map_or(0, |(end, _)| end));
            key.push_str(parent.map_or("", |(_, join)| join));
            key.push_str(&landmark.key);
            budget.spend(key.len() as u64 / 32)?;
            around.extend(ordinals.next().map(|ordinal| (ordinal, key.len())));
            // The only instance of a resource has the key of the resource.
            if parent.is_none_or(|(end, _)| end < key.len()) {
                keys.insert(hasher.hash_one(&*key));
                let address = if names_instances { without_instances(&key) } else { Cow::Borrowed(&*key) };
                if address.len() < key.len() {
                    configured.insert(hasher.hash_one(&*address));
                }
            }
        }
        for edge in visited.edges.iter().filter(|edge| !edge.target.is_empty()) {
            budget.spend(1)?;
            let reading = rule.edges().get(usize::from(edge.number)).map(EdgePattern::reading);
            targets.insert((edge.target, reading == Some(&Reading::Instances)));
        }
    }
    targets.retain(|(target, is_configured)| {
        let hash = hasher.hash_one(target);
        !(keys.contains(&hash) || *is_configured && configured.contains(&hash))
    });
    Ok(targets)
}

/// The steps that a search may take.
struct Budget<'c> {
    looked_at: &'c Cell<u64>,
    most: u64,
    root: u64,
}

impl Budget<'_> {
    fn of<'c>(document: DocumentView<'_>, looked_at: &'c Cell<u64>) -> Budget<'c> {
        let most = limits::search_budget(document.data.len());
        Budget { looked_at, most, root: document.root().offset() }
    }

    fn spend(&self, steps: u64) -> Result<(), DecodeError> {
        self.looked_at.set(self.looked_at.get().saturating_add(steps));
        match self.looked_at.get() > self.most {
            true => Err(ErrorKind::Work { limit: self.most }.at(self.root)),
            false => Ok(()),
        }
    }
}

/// A search for dangling references.
struct Search<'d, 'a, W> {
    document: DocumentView<'d>,
    ends: Ends<'d, 'a>,
    dialect: Option<&'static Dialect>,
    most: usize,
    is_wanted: W,
    found: DanglingReferences,
}

impl<'d: 'a, 'a, W: FnMut(u32) -> bool> Search<'d, 'a, W> {
    fn of(document: DocumentView<'d>, most: usize, is_wanted: W) -> Search<'d, 'a, W> {
        let dialect = document.header().dialect.as_deref().and_then(Dialect::named);
        let (ends, found) = (Ends::of(document), DanglingReferences::default());
        Search { document, ends, dialect, most, is_wanted, found }
    }

    /// Adds the references found by a walk. `looked_at` counts its steps, with those that each
    /// value costs.
    fn walk<'w: 'a, N: Node<'w>>(
        &mut self,
        walk: Walk<'_, 'w, N>,
        looked_at: &Cell<u64>,
        cost: impl Fn(N) -> u64,
    ) -> Result<(), DecodeError> {
        let rule = self.document.header().rule()?;
        let budget = Budget::of(self.document, looked_at);
        let mut pointer = Pointer::root();
        for visited in walk {
            budget.spend(cost(visited.node))?;
            pointer.truncate(visited.depth.saturating_sub(1));
            visited.trail.push_to(&mut pointer);
            for edge in visited.edges.iter().filter(|edge| !edge.target.is_empty()) {
                // A string can contain very many references.
                budget.spend(1)?;
                let Some(pattern) = rule.edges().get(usize::from(edge.number)) else { continue };
                let is_elsewhere =
                    |dialect: &Dialect| dialect.may_lead_elsewhere(pattern.kind(), edge.target);
                if self.ends.has(edge.target, *pattern.reading() == Reading::Instances)?
                    || self.dialect.is_some_and(is_elsewhere)
                {
                    continue;
                }
                self.found.count += 1;
                if !(self.is_wanted)(edge.source) {
                    continue;
                }
                self.found.wanted += 1;
                if self.found.first.len() < self.most {
                    self.found.first.push(DanglingReference {
                        from: edge.source,
                        kind: pattern.kind().to_owned(),
                        target: edge.target.to_owned(),
                        pointer: (&pointer).into(),
                    });
                }
            }
        }
        Ok(())
    }
}

/// The possible targets of references.
struct Ends<'d, 'a> {
    document: DocumentView<'d>,
    /// Whether there is a landmark for each requested target.
    known: HashMap<&'a str, bool>,
    /// The targets without a landmark, if they are known beforehand.
    dangling: Option<HashSet<TargetText<'a>>>,
    /// Hashes of the keys without instance keys, if these differ from the keys. Built on first use.
    configured: Option<HashSet<u64, FixedState>>,
    hasher: RandomState,
}

impl<'d, 'a> Ends<'d, 'a> {
    fn of(document: DocumentView<'d>) -> Ends<'d, 'a> {
        let (known, hasher) = (HashMap::new(), RandomState::default());
        Ends { document, known, dangling: None, configured: None, hasher }
    }

    /// Whether a reference to `target` leads to a landmark: by its key or, if `is_configured`, by
    /// its key without instance keys.
    fn has(&mut self, target: &'a str, is_configured: bool) -> Result<bool, DecodeError> {
        if let Some(dangling) = &self.dangling {
            return Ok(!dangling.contains(&(target, is_configured)));
        }
        let has_key = match self.known.get(target) {
            Some(&has_key) => has_key,
            None => {
                let has_key = match self.document.key_index() {
                    Some(index) => self.document.has_key(&index, target)?,
                    None => !self.document.made_index()?.with_key(target).is_empty(),
                };
                self.known.insert(target, has_key);
                has_key
            }
        };
        if has_key || !is_configured {
            return Ok(has_key);
        }
        let configured = match self.configured.take() {
            Some(configured) => configured,
            None => {
                let mut configured = HashSet::default();
                let mut keys = self.document.keys()?;
                while let Some((_, key)) = keys.read_next()? {
                    let without = without_instances(key);
                    if without.len() < key.len() {
                        configured.insert(self.hasher.hash_one(&*without));
                    }
                }
                configured
            }
        };
        let has_key = configured.contains(&self.hasher.hash_one(target));
        self.configured = Some(configured);
        Ok(has_key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Profile;
    use crate::compile::{CompileOptions, LandmarkChoice, compile};
    use crate::read::file::DocumentFile;
    use coconut_format::landmark::LandmarkRule;

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
            let of_one = file.view().dangling_references_of(1, &BTreeSet::from([1])).unwrap();
            assert_eq!((of_one.count, of_one.wanted, of_one.first), (2, 2, found.first));
            let all = file.view().dangling_references(9, |_| true).unwrap();
            let both = file.view().dangling_references_of(9, &BTreeSet::from([0, 1])).unwrap();
            assert_eq!(both, all);
            let targets: Vec<&str> = all.first.iter().map(|reference| &*reference.target).collect();
            assert_eq!(targets, ["gone", "lost", "gone"]);
        }
    }

    #[test]
    fn a_reference_without_instance_keys_leads_to_the_instances() {
        let rule = LandmarkRule::parse(&["/*[address]"], None, &["needs=0/needs<["]).unwrap();
        let options = CompileOptions { landmarks: LandmarkChoice::Rule(rule), ..CompileOptions::default() };
        let text = r#"[{"address": "m[0].a[1]"}, {"address": "b", "needs": "m.a"}, {"address": "c", "needs": "m[0].a"}]"#;
        let compiled = compile(text.as_bytes(), &options).unwrap();
        let file = DocumentFile::from_data(&compiled.bytes[..]).unwrap();
        let found = file.view().dangling_references(9, |_| true).unwrap();
        let places: Vec<&str> = found.first.iter().map(|reference| &*reference.pointer).collect();
        assert_eq!((found.count, places), (1, vec!["/2/needs"]));
    }

    #[test]
    fn references_of_instances_are_theirs_and_counted_once() {
        let text = r#"{"version": 4, "terraform_version": "1", "resources": [
            {"mode": "managed", "type": "t", "name": "a", "instances": [
                {"index_key": 0, "dependencies": ["t.x"]}, {"index_key": 1, "dependencies": ["t.x", "t.y"]}]},
            {"mode": "managed", "type": "t", "name": "b", "instances": [{"dependencies": ["t.a", "t.z"]}]}]}"#;
        let compiled = compile(text.as_bytes(), &CompileOptions::default()).unwrap();
        let file = DocumentFile::from_data(&compiled.bytes[..]).unwrap();
        let of = |ordinals: &[u32]| {
            let found = file.view().dangling_references_of(9, &ordinals.iter().copied().collect()).unwrap();
            found
                .first
                .iter()
                .map(|reference| (reference.from, reference.pointer.clone()))
                .collect::<Vec<_>>()
        };
        let place = |resource: u32, instance: u32, n: u32| {
            format!("/resources/{resource}/instances/{instance}/dependencies/{n}")
        };
        assert_eq!(of(&[2]), [(2, place(0, 1, 0)), (2, place(0, 1, 1))]);
        assert_eq!(of(&[0, 1, 2]), [(1, place(0, 0, 0)), (2, place(0, 1, 0)), (2, place(0, 1, 1))]);
        assert_eq!(of(&[3]), [(3, place(1, 0, 1))]);
        assert_eq!(of(&[0]), []);
        let all = file.view().dangling_references(9, |_| true).unwrap();
        assert_eq!(all, file.view().dangling_references_of(9, &(0..4).collect()).unwrap());
    }

    #[test]
    fn what_may_lead_out_of_a_template_is_not_counted() {
        let text = r#"{"Resources": {"A": {"Type": "T", "x": {"Ref": "AWS::Region"}, "y": {"Ref": "Gone"},
            "z": {"Fn::GetAtt": ["A", "Arn"]}}}}"#;
        let compiled = compile(text.as_bytes(), &CompileOptions::default()).unwrap();
        let file = DocumentFile::from_data(&compiled.bytes[..]).unwrap();
        let found = file.view().dangling_references(9, |_| true).unwrap();
        let targets: Vec<&str> = found.first.iter().map(|reference| &*reference.target).collect();
        assert_eq!((found.count, targets), (1, vec!["Gone"]));
    }

    #[test]
    fn a_document_without_edges_has_no_references() {
        let compiled = compile(br#"{"a": "b"}"#, &CompileOptions::default()).unwrap();
        let file = DocumentFile::from_data(&compiled.bytes[..]).unwrap();
        assert_eq!(file.view().dangling_references(9, |_| true), Ok(DanglingReferences::default()));
    }
}
