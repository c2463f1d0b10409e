//! The content of the index of a walked document, and its limits.

use super::edges::resolve;
use super::*;
use coconut_format::Value;
use coconut_format::landmark::{FoundEdge, LandmarkRule, Trail, Walk};

/// All edges: where they start, where they lead to, and their kinds.
fn listed(index: &Index) -> Vec<(u32, u32, u8)> {
    let [edges, reversed] = index.edges.as_ref().unwrap();
    let of = |rows: &Rows, ordinal: u32| rows.of(Ordinal(ordinal)).to_vec();
    let all = (0..)
        .take(index.len())
        .flat_map(|from| of(edges, from).into_iter().map(move |(to, kind)| (from, to.0, kind)));
    let all: Vec<_> = all.collect();
    let back = (0..)
        .take(index.len())
        .flat_map(|to| of(reversed, to).into_iter().map(move |(from, kind)| (from.0, to, kind)));
    let mut back: Vec<_> = back.collect();
    back.sort_unstable();
    assert_eq!(all, back);
    all
}

/// The edges of these references, unless distinct rows have more than `most`.
fn resolved(
    found: &[FoundEdge<'_>],
    rule: &LandmarkRule,
    index: &mut Index,
    most: usize,
) -> Result<Vec<(u32, u32, u8)>, TooMuch> {
    let references = resolve(found, rule, index);
    index.add_edges(&references, most, most).map(|()| listed(index))
}

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
        Index::within(most, found, |_| 0).map(|index| listed(&index).len())
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
    let mut index = Index { keys, ..Index::default() };
    let found = ["a", "c", "b", "a", "b"].map(|target| FoundEdge { source: 1, number: 7, target });
    let edges = [0, 1, 2, 3].map(|to| (1, to, 7));
    let rule = rule_with_edge_7("");
    for most in [4, 5] {
        assert_eq!(
            resolved(&found, &rule, &mut index, most).as_deref(),
            Ok(&edges[..]),
            "3 + 0 + 1 of {most}"
        );
    }
    for most in [0, 3] {
        let too_much = TooMuch { what: "edges", count: 4, limit: most as u64 };
        assert_eq!(resolved(&found, &rule, &mut index, most), Err(too_much));
    }
}

#[test]
fn landmarks_with_equal_edges_share_a_row_in_both_directions() {
    // 100 landmarks with one key and 100 with another. Each of the first refers to all others, by
    // two edges. The last one also refers to itself.
    let keys = FullKeys::new((0..200).map(|n| if n < 100 { "a" } else { "b" }).chain(["c"]), None, &[]);
    let mut index = Index { keys, ..Index::default() };
    let rule = rule_with_edge_7("");
    let edge = |source, number, target| FoundEdge { source, number, target };
    let mut found: Vec<_> = (0..100).flat_map(|from| [edge(from, 7, "b"), edge(from, 3, "b")]).collect();
    found.extend([edge(200, 7, "b"), edge(200, 3, "b"), edge(200, 7, "c")]);
    assert_eq!(resolved(&found, &rule, &mut index, 600).unwrap().len(), 100 * 200 + 201);
    let [edges, reversed] = index.edges.as_ref().unwrap();
    let rows = |rows: &Rows| (rows.places.len(), rows.edges.len(), rows.are_shorter_shared());
    assert_eq!(rows(edges), (3, 200 + 201, true), "with that of no edges");
    assert_eq!(rows(reversed), (3, 202 + 1, true), "sources of two edges each");
    let too_much = TooMuch { what: "edges", count: 401, limit: 400 };
    assert_eq!(resolved(&found, &rule, &mut index, 400), Err(too_much));
}

#[test]
fn the_edges_of_the_other_direction_have_the_same_limit() {
    // Six groups of 100 landmarks refer to 64 landmarks by their keys: each set of groups to one.
    let names: Vec<String> =
        (0..64).map(|set| format!("t{set}")).chain((0..600).map(|n| format!("s{n}"))).collect();
    let keys = FullKeys::new(names.iter().map(String::as_str), None, &[]);
    let mut index = Index { keys, ..Index::default() };
    let sets = |group: u32| (0..64usize).filter(move |set| set >> group & 1 == 1);
    let found = (0..600).flat_map(|n| sets(n / 100).map(move |set| (64 + n, set)));
    let found: Vec<_> =
        found.map(|(source, set)| FoundEdge { source, number: 7, target: &names[set] }).collect();
    let rule = rule_with_edge_7("");
    let too_much = TooMuch { what: "edges", count: 600 * 32, limit: 600 * 32 - 1 };
    assert_eq!(resolved(&found, &rule, &mut index, 600 * 32 - 1), Err(too_much));
    assert_eq!(resolved(&found, &rule, &mut index, 600 * 32).unwrap().len(), 600 * 32);
    assert_eq!(index.edges.as_ref().unwrap()[0].edges.len(), 6 * 32);
    assert_eq!(index.most_edges(), 600 * 32);
}

/// A rule whose edge 7 reads strings in this way.
fn rule_with_edge_7(reading: &str) -> LandmarkRule {
    let edges: Vec<String> = (0..8).map(|n| format!("e=0/b{n}{reading}")).collect();
    LandmarkRule::parse(&["/a".to_owned()], None, &edges).unwrap()
}

#[test]
fn a_reference_without_instance_keys_leads_to_the_outermost_landmarks() {
    // Two instances of a module, a resource in each, with instances of it; and one without.
    let own = ["m[0].r", "[0]", "[\"k\"]", "m[1].r", "[0]", "q", "", "x[[0]0]", "x[0]", "y[0]"];
    let parents =
        [None, Some(0), Some(0), None, Some(3), None, Some(5), None, None, None].map(|p| p.map(Ordinal));
    let keys = FullKeys::new(own.into_iter(), Some(""), &parents);
    let mut index = Index { keys, parents: parents.to_vec(), ..Index::default() };
    let rule = rule_with_edge_7("<[");
    let mut targets = |text: &'static str| {
        let found = [FoundEdge { source: 9, number: 7, target: text }];
        let edges = resolved(&found, &rule, &mut index, 9).unwrap();
        assert!(edges.iter().all(|&(from, _, kind)| (from, kind) == (9, 7)));
        edges.iter().map(|&(_, to, _)| to).collect::<Vec<_>>()
    };
    assert_eq!(targets("m.r"), [0, 3]);
    assert_eq!(targets("m[0].r"), [0]);
    assert_eq!(targets("m[0].r[0]"), [1]);
    assert_eq!(targets("m.r[0]"), [0; 0], "the text is taken as it is");
    assert_eq!(targets("q"), [5], "the inner one has the same key");
    assert_eq!(targets("x[0]"), [7, 8], "one by what is left of its key, one by its key");
    assert_eq!(targets("x"), [8]);
    assert_eq!(targets("y"), [9], "a landmark may name itself");
    assert_eq!(targets("z"), [0; 0]);

    // Two texts may lead to one landmark. The edge is created once, but counted twice.
    let found = ["m.r", "m[0].r", "m.r"].map(|target| FoundEdge { source: 5, number: 7, target });
    assert_eq!(resolved(&found, &rule, &mut index, 3), Ok(vec![(5, 0, 7), (5, 3, 7)]));
    let too_much = TooMuch { what: "edges", count: 3, limit: 2 };
    assert_eq!(resolved(&found, &rule, &mut index, 2), Err(too_much));
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
    let names = "${a}".repeat(1 << 16);
    let rule = LandmarkRule::parse(&["/a"], None, &["e=0/b<{"]).unwrap();
    let document = Value::Object(vec![("a".into(), Value::Object(vec![("b".into(), Value::String(names))]))]);
    let found = Walk::new(&rule, &document).map(|visited| visited.edges);
    let found = found.max_by_key(|edges| edges.iter().count()).unwrap();
    assert_eq!(found.iter().count(), 1 << 16);
    let references = |most| {
        let mut references = found.clone();
        references.truncate(most);
        references
    };
    let visited = |key: Option<usize>, edges: usize| Visited {
        node: &null,
        trail: Trail::Root,
        depth: 0,
        class: None,
        landmark: key.map(|length| {
            let key = text[..length].into();
            coconut_format::landmark::Landmark { class: 0, parent: None, key, node: &null }
        }),
        edges: references(edges),
    };
    let most = Most { landmarks: 90, references: 5 << 16, full_key_bytes: 5 << 20, edges: 0 };
    let count =
        |count: usize, key, edges| bounded_within(most, (0..count).map(|_| visited(key, edges))).count();
    assert_eq!(count(99, Some(1), 0), 91);
    assert_eq!(count(99, Some(1 << 20), 0), 6);
    let all = bounded_within(most, (0..99).map(|_| visited(None, 1 << 16))).map(|visited| visited.edges);
    let counts: Vec<usize> = all.map(|edges| edges.iter().count()).collect();
    assert_eq!((counts.len(), counts.last()), (6, Some(&1)), "the last is cut where it exceeds");
    let rule = LandmarkRule::parse(&["/a"], None, &[]).unwrap();
    let found = bounded(std::iter::once(visited(Some(1), 0)));
    assert_eq!(Landmarks::of_walk(&rule, found).entries().len(), 1);
}
