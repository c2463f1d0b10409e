//! The content of the index of a walked document, and its limits.

use super::*;
use coconut_format::Value;
use coconut_format::landmark::{LandmarkRule, Trail};

#[test]
fn the_limit_itself_is_allowed() {
    let limit = limits::FULL_KEY_BYTES;
    let check = |count| TooMuch::check("bytes of full keys", count, limit);
    assert_eq!((check(limit - 1), check(limit)), (Ok(()), Ok(())));
    let too_much = TooMuch { what: "bytes of full keys", count: limit + 1, limit };
    assert_eq!(check(limit + 1), Err(too_much));
}

#[test]
fn an_index_of_a_tree_is_refused_above_each_limit() {
    let text = |text: &str| Value::String(text.into());
    let object = |entries: Vec<(&str, Value)>| {
        Value::Object(entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    };
    // Two landmarks with the same key of one byte, and three references in the first. Two of those
    // are equal and lead to both landmarks.
    let references = Value::List(vec![text("k"), text("none"), text("k")]);
    let root = object(vec![
        ("a", object(vec![("name", text("k")), ("to", references)])),
        ("b", object(vec![("name", text("k"))])),
    ]);
    let rule = LandmarkRule::parse(&["/*[name]"], None, &["e=0/to/*"]).unwrap();
    let made = |most| {
        let found = Landmarks::find(&rule, &root);
        assert_eq!((found.entries().len(), found.edges().len(), found.full_key_bytes()), (2, 3, 2));
        Index::within(most, found, |_| 0).map(|index| index.edges.unwrap().len())
    };
    let enough = Most { landmarks: 2, references: 3, full_key_bytes: 2, edges: 2 };
    assert_eq!(made(enough), Ok(2));
    let too_much = |what, count| Err(TooMuch { what, count, limit: count - 1 });
    assert_eq!(made(Most { landmarks: 1, ..enough }), too_much("landmarks", 2));
    assert_eq!(made(Most { references: 2, ..enough }), too_much("references", 3));
    assert_eq!(made(Most { full_key_bytes: 1, ..enough }), too_much("bytes of full keys", 2));
    assert_eq!(made(Most { edges: 1, ..enough }), too_much("edges", 2));
    let most = Most { landmarks: 1 << 24, references: 1 << 27, full_key_bytes: 1 << 32, edges: 1 << 27 };
    assert_eq!(Most::default(), most);
}

#[test]
fn edges_to_ambiguous_keys_are_counted_before_they_are_made() {
    let keys = FullKeys::new(["a", "b", "a", "a"].into_iter(), None, &[]);
    let index = Index { keys, ..Index::default() };
    let found = ["a", "c", "b", "a", "b"].map(|target| FoundEdge { source: 1, number: 7, target });
    let edges = [0, 1, 2, 3].map(|to| Edge { from: Ordinal(1), to: Ordinal(to), kind: 7 });
    for most in [4, 5] {
        assert_eq!(resolve(&found, &index, most).as_deref(), Ok(&edges[..]), "3 + 0 + 1 of {most}");
    }
    for most in [0, 3] {
        let too_much = TooMuch { what: "edges", count: 4, limit: most as u64 };
        assert_eq!(resolve(&found, &index, most), Err(too_much));
    }
}

#[test]
fn a_landmark_ends_at_the_next_one_that_is_not_inside() {
    let parents = [None, Some(0), Some(1), Some(1), Some(0), None].map(|parent| parent.map(Ordinal)).to_vec();
    let index =
        Index { keys: FullKeys::new([""; 6].into_iter(), None, &parents), parents, ..Index::default() };
    assert_eq!([0, 1, 2, 3, 4, 5].map(|ordinal| index.end(Ordinal(ordinal)).0), [5, 4, 3, 4, 5, 6]);
}

#[test]
fn ordinals_are_found_by_their_key() {
    let keys = FullKeys::new(["b", "a", "b", "", "b", "a"].into_iter(), None, &[]);
    let index = Index { keys, ..Index::default() };
    let found = ["a", "b", "", "c"].map(|key| index.with_key(key));
    assert_eq!(
        found,
        [&[1, 5][..], &[0, 2, 4], &[3], &[]].map(|all| all.iter().copied().map(Ordinal).collect::<Vec<_>>())
    );
}

#[test]
fn a_walk_ends_after_the_first_landmark_reference_or_key_above_a_limit() {
    let null = Value::Null;
    let text = "x".repeat(1 << 20);
    let visited = |key: Option<usize>, edges: usize| Visited {
        node: &null,
        trail: Trail::Root,
        depth: 0,
        class: None,
        landmark: key.map(|length| {
            let key = text[..length].into();
            coconut_format::landmark::Landmark { class: 0, parent: None, key, node: &null }
        }),
        edges: vec![FoundEdge { source: 0, number: 0, target: "a" }; edges],
    };
    let most = limits::LANDMARKS;
    assert_eq!(bounded((0..most + 9).map(|_| visited(Some(1), 0))).count(), most + 1);
    let keys = usize::try_from(limits::FULL_KEY_BYTES >> 20).unwrap();
    assert_eq!(bounded((0..keys + 9).map(|_| visited(Some(1 << 20), 0))).count(), keys + 1);
    let (values, each) = (limits::EDGES >> 16, 1 << 16);
    assert_eq!(bounded((0..values + 9).map(|_| visited(None, each))).count(), values + 1);
    let rule = LandmarkRule::parse(&["/a"], None, &[]).unwrap();
    let found = bounded(std::iter::once(visited(Some(1), 0)));
    assert_eq!(Landmarks::of_walk(&rule, found).entries().len(), 1);
}
