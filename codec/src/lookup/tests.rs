//! What is found, with tables and without, and what is said of tables that lie.

use super::*;
use crate::compile::{CompileOptions, LandmarkChoice, compile};
use crate::crafted::Crafted;
use crate::file::DocumentFile;
use coconut_format::landmark::LandmarkRule;

/// A list of objects of two shapes, with a key that follows nested, constant and integer values, and one object
/// that is no record.
fn file() -> DocumentFile<Vec<u8>> {
    let item = |n: usize| match n % 2 {
        0 => {
            format!(r#"{{"kind":"even","at":{{"line":{n},"file":"f{}"}},"id":"id {n}","n":{n}}}"#, n % 3)
        }
        _ => format!(r#"{{"n":{n},"list":[{n}],"id":"id {n}"}}"#),
    };
    let items: Vec<String> = (0..60).map(item).chain([r#"{"id":"alone"}"#.to_owned()]).collect();
    let text = format!(r#"{{"items":[{}]}}"#, items.join(","));
    let rule = LandmarkRule::parse(&["/items/*[id]"], None, &[]).unwrap();
    let options = CompileOptions { landmarks: LandmarkChoice::Rule(rule), ..CompileOptions::default() };
    DocumentFile::from_data(compile(text.as_bytes(), &options).unwrap().bytes).unwrap()
}

#[test]
fn a_key_is_found_wherever_its_field_stands_in_the_record() {
    let file = file();
    for n in 0..60 {
        let key = format!("id {n}");
        let Lookup::Found(landmark) = file.view().get_unique(&key).unwrap() else { panic!("{key}") };
        assert_eq!(landmark.ordinal().unwrap(), n);
        assert_eq!(landmark.key().unwrap(), key);
    }
    assert!(matches!(file.view().get_unique("alone").unwrap(), Lookup::Found(_)));
    assert!(matches!(file.view().get_unique("id 60").unwrap(), Lookup::Missing));
}

/// A landmark as it should be.
struct Row {
    key: String,
    own_key: String,
    class: u8,
    parent: Option<u32>,
    children: Vec<u32>,
    /// Target and number of the pattern.
    edges: Vec<(u32, u8)>,
}

/// Groups of two members, `a` and `b`; one of the second group is there twice. Each `a` needs that of the next group
/// and likes its group; that of the first needs the one that is there twice.
fn rows(groups: u32) -> Vec<Row> {
    let first_of = |group: u32| 3 * group + u32::from(group > 1);
    let mut rows = Vec::new();
    for group in 0..groups {
        let at = first_of(group);
        let members = if group == 1 { vec!["a", "b", "b"] } else { vec!["a", "b"] };
        let children: Vec<u32> = (at + 1..).take(members.len()).collect();
        let (key, own_key) = (format!("g{group}"), format!("g{group}"));
        rows.push(Row { key, own_key, class: 0, parent: None, children, edges: Vec::new() });
        for member in members {
            let next = first_of((group + 1) % groups) + 1;
            let edges = match (member, group) {
                ("a", 0) => vec![(at, 1), (next + 1, 0), (next + 2, 0)],
                ("a", _) if next < at => vec![(next, 0), (at, 1)],
                ("a", _) => vec![(at, 1), (next, 0)],
                _ => Vec::new(),
            };
            let (key, own_key) = (format!("g{group}/{member}"), member.to_owned());
            rows.push(Row { key, own_key, class: 1, parent: Some(at), children: Vec::new(), edges });
        }
    }
    rows
}

const PATTERNS: [&str; 2] = ["/groups/*", "/groups/*/members/*[id]"];
const EDGES: [&str; 2] = ["needs=1/needs", "likes=1/likes"];

fn grouped(groups: u32, profile: Profile) -> DocumentFile<Vec<u8>> {
    let group = |n: u32| {
        let needed = if n == 0 { "g1/b".to_owned() } else { format!("g{}/a", (n + 1) % groups) };
        let again = if n == 1 { r#", {"id": "b"}"# } else { "" };
        let member = format!(r#"{{"id": "a", "needs": "{needed}", "likes": "g{n}"}}"#);
        format!(r#""g{n}": {{"members": [{member}, {{"id": "b"}}{again}]}}"#)
    };
    let groups: Vec<String> = (0..groups).map(group).collect();
    let text = format!(r#"{{"groups": {{{}}}}}"#, groups.join(","));
    let rule = LandmarkRule::parse(&PATTERNS, Some("/"), &EDGES).unwrap();
    let options =
        CompileOptions { profile, landmarks: LandmarkChoice::Rule(rule), ..CompileOptions::default() };
    DocumentFile::from_data(compile(text.as_bytes(), &options).unwrap().bytes).unwrap()
}

fn ordinals(landmarks: Vec<LandmarkView<'_>>) -> Vec<u32> {
    landmarks.into_iter().map(|landmark| landmark.ordinal().unwrap()).collect()
}

fn ends(edges: Vec<EdgeView<'_>>) -> Vec<(u32, u8, &str)> {
    edges.into_iter().map(|edge| (edge.landmark.ordinal().unwrap(), edge.number, edge.kind)).collect()
}

fn assert_rows(file: &DocumentFile<Vec<u8>>, rows: &[Row]) {
    let view = file.view();
    let count = u32::try_from(rows.len()).unwrap();
    assert_eq!(view.landmark_count(), Ok(count));
    assert_eq!(view.has_nested_landmarks(), Ok(true));
    assert!(view.landmark(count).unwrap().is_none());
    let all = view.landmarks().unwrap().map(|landmark| landmark.unwrap()).collect();
    assert_eq!(ordinals(all), (0..count).collect::<Vec<_>>());
    let checked = view.checked_edges().unwrap();
    for (ordinal, row) in (0..).zip(rows) {
        let landmark = view.landmark(ordinal).unwrap().unwrap();
        assert_eq!(landmark.ordinal(), Ok(ordinal));
        // As who comes to it by its place alone sees it.
        let by_place = view.landmark_at(usize::try_from(landmark.offset()).unwrap());
        assert_eq!(by_place.ordinal(), Ok(ordinal));
        assert_eq!(by_place.offset(), landmark.offset());
        assert_eq!(landmark.value().unwrap().entry() as u64, landmark.offset());
        assert_eq!(landmark.class(), Ok(row.class));
        assert_eq!(landmark.own_key().unwrap(), row.own_key);
        assert_eq!(landmark.key().unwrap(), row.key);
        assert_eq!(view.parent_of(ordinal), Ok(row.parent));
        assert_eq!(ordinals(landmark.parent().unwrap().into_iter().collect()), Vec::from_iter(row.parent));
        assert_eq!(ordinals(landmark.children().unwrap()), row.children, "of {}", row.key);
        assert_eq!(landmark.has_children(), Ok(!row.children.is_empty()), "{}", row.key);
        for (inner, other) in (0..).zip(rows) {
            let is_within = inner == ordinal || other.parent == Some(ordinal);
            assert_eq!(view.is_within(inner, ordinal), Ok(is_within), "{} in {}", other.key, row.key);
        }
        let kinds = ["needs", "likes"];
        let edges: Vec<_> = row.edges.iter().map(|&(to, n)| (to, n, kinds[usize::from(n)])).collect();
        assert_eq!(ends(landmark.dependencies().unwrap()), edges, "of {}", row.key);
        let targets: Vec<u32> = checked.range(ordinal).map(|edge| checked.target(edge).unwrap()).collect();
        assert_eq!(targets, row.edges.iter().map(|&(to, _)| to).collect::<Vec<_>>());
        let mut dependents: Vec<(u32, u8, &str)> = Vec::new();
        for (from, other) in (0..).zip(rows) {
            let here = other.edges.iter().filter(|&&(to, _)| to == ordinal);
            dependents.extend(here.map(|&(_, n)| (from, n, kinds[usize::from(n)])));
        }
        assert_eq!(ends(landmark.dependents().unwrap()), dependents, "of {}", row.key);
        let same_key: Vec<u32> =
            (0..).zip(rows).filter(|(_, other)| other.key == row.key).map(|(n, _)| n).collect();
        assert_eq!(ordinals(view.get_all(&row.key).unwrap()), same_key);
        match view.get_unique(&row.key).unwrap() {
            Lookup::Found(found) => assert_eq!(vec![found.ordinal().unwrap()], same_key),
            Lookup::Ambiguous(found) => {
                assert!(same_key.len() > 1);
                assert_eq!(ordinals(found), same_key);
            }
            Lookup::Missing => panic!("{}", row.key),
        }
    }
    for missing in ["", "g", "g0/", "/a", "g0/c", "g0/aa", "g0a", "g0//a", "a"] {
        assert!(view.get_all(missing).unwrap().is_empty(), "{missing}");
        assert!(matches!(view.get_unique(missing), Ok(Lookup::Missing)), "{missing}");
    }
}

#[test]
fn landmarks_and_edges_are_the_same_with_tables_and_without() {
    for (groups, profile, has_tables) in [
        (20, Profile::Full, true),
        (20, Profile::Plain, true),
        (20, Profile::Transport, false),
        (4, Profile::Full, false),
    ] {
        let file = grouped(groups, profile);
        assert_eq!(file.view().key_index().is_some(), has_tables, "{groups} groups, {}", profile.name());
        assert_rows(&file, &rows(groups));
        let frame = file.view().frame;
        let made = (frame.made_index.get().is_some(), frame.made_graph.get().is_some());
        assert_eq!(made, (!has_tables, !has_tables), "tables need no walk");
    }
}

#[test]
fn an_index_tells_whether_it_has_a_key() {
    let file = grouped(20, Profile::Full);
    let index = file.view().key_index().unwrap();
    let has_key = |key: &str| file.view().has_key(&index, key);
    assert_eq!(["g7", "g7/a", "g1/b"].map(has_key), [Ok(true), Ok(true), Ok(true)]);
    assert_eq!(["g20", "a", ""].map(has_key), [Ok(false), Ok(false), Ok(false)]);
}

#[test]
fn a_document_without_edges_or_parents_says_so_without_a_walk() {
    let file = file();
    let view = file.view();
    assert_eq!(view.has_nested_landmarks(), Ok(false));
    let landmark = view.landmark(7).unwrap().unwrap();
    assert_eq!((landmark.class(), view.parent_of(7)), (Ok(0), Ok(None)));
    assert!(landmark.children().unwrap().is_empty());
    assert!(landmark.dependencies().unwrap().is_empty() && landmark.dependents().unwrap().is_empty());
    let edges = view.checked_edges().unwrap();
    assert_eq!((edges.range(7), edges.target(0)), (0..0, None));
    assert!(view.frame.made_index.get().is_none());
}

#[test]
fn a_joined_key_is_compared_without_putting_it_together() {
    let compare = |parts: &[&str], key| {
        let parts: Vec<Cow<'_, str>> = parts.iter().map(|&part| part.into()).collect();
        compare_joined(&parts, "::", key)
    };
    for (parts, joined) in
        [(&["ab"][..], "ab"), (&["a", "b"], "a::b"), (&["", "b", ""], "::b::"), (&[""], "")]
    {
        let others =
            ["", "a", "ab", "aba", "a:", "a::", "a::b", "a::ba", "a::c", "b", ":", "::b", "::b::", "::b::c"];
        for key in others {
            assert_eq!(compare(parts, key), joined.cmp(key), "{joined:?} and {key:?}");
        }
    }
}

#[test]
fn the_key_of_a_record_is_read_where_its_shape_says() {
    let file = file();
    let landmark = |n: u32| file.view().landmark(n).unwrap().unwrap();
    for n in [0, 1, 58, 59] {
        let key = format!("id {n}");
        let found = landmark(n).field_of_record("id", &Work::of(file.view())).unwrap().unwrap();
        assert_eq!(found.bytes(file.view()), Ok(key.as_bytes()));
        assert_eq!(landmark(n).own_key(), Ok(Cow::Borrowed(key.as_str())));
        let compare = |other: &str| landmark(n).compare_own_key(other, &Work::of(file.view())).unwrap();
        let expected = [Ordering::Equal, Ordering::Greater, Ordering::Less];
        assert_eq!([key.as_str(), "id", "x"].map(compare), expected);
    }
    assert!(
        landmark(60).field_of_record("id", &Work::of(file.view())).unwrap().is_none(),
        "its keys stand in place"
    );
    assert_eq!(landmark(60).own_key().unwrap(), "alone");
}

/// The objects `a` and `b`, each with one entry, in a file with these rule and tables. Their entries begin 6 and 13
/// bytes behind the root.
fn two_objects(rule: &[&str], tables: &[(Part, Vec<u8>)]) -> (DocumentFile<Vec<u8>>, usize) {
    let rule = LandmarkRule::parse(rule, Some("/"), &[]).unwrap();
    let root = b"\x95\xc2\xa1a\x93\xc2\xa1x\xc0\xa1b\x93\xc2\xa1y\xc0";
    let mut crafted = Crafted::with_rule(rule, root);
    crafted.tables = tables.iter().map(|(part, bytes)| (*part, 0, bytes.clone())).collect();
    let [.., root] = crafted.elements();
    (crafted.file(), root)
}

/// The table of where the entries of [`two_objects`] begin.
fn offsets(rule: &[&str]) -> (Part, Vec<u8>) {
    let (_, root) = two_objects(rule, &[]);
    let at = |offset: usize| u32::try_from(root + offset).unwrap().to_le_bytes();
    (Part::LANDMARK_OFFSETS, [at(6), at(13)].concat())
}

const BOTH: [&str; 2] = ["/a/*", "/b/*"];

#[test]
fn classes_come_from_their_table_or_else_from_the_document() {
    let classes_of = |tables: &[(Part, Vec<u8>)]| {
        let (file, root) = two_objects(&BOTH, tables);
        let landmarks = [6, 13].map(|offset| file.view().landmark_at(root + offset));
        landmarks.map(|landmark| (landmark.class(), landmark.own_key().map(Cow::into_owned)))
    };
    let own = |class, key: &str| (Ok(class), Ok(key.to_owned()));
    assert_eq!(classes_of(&[]), [own(0, "x"), own(1, "y")]);
    assert_eq!(classes_of(&[offsets(&BOTH)]), [own(0, "x"), own(1, "y")]);
    // A table that lies is found out by who verifies.
    let lies = (Part::LANDMARK_CLASSES, vec![1, 2]);
    let [first, second] = classes_of(&[offsets(&BOTH), lies]);
    assert_eq!(first, own(1, "x"));
    let (_, root) = two_objects(&BOTH, &[]);
    let no_class = ErrorKind::IndexRange { table: Part::LANDMARK_CLASSES.0 }.at(root as u64 + 13);
    assert_eq!(second, (Ok(2), Err(no_class)));
}

#[test]
fn a_class_is_not_looked_for_where_there_is_one() {
    let (file, root) = two_objects(&["/a/*"], &[offsets(&["/a/*"])]);
    assert_eq!(file.view().landmark_at(root + 6).class(), Ok(0));
    assert!(file.view().frame.made_index.get().is_none());
}

#[test]
fn a_tree_that_gives_a_landmark_another_key_differs() {
    let entry = |parent: u32, end: u32| [parent.to_le_bytes(), end.to_le_bytes()].concat();
    let tree = [entry(u32::MAX, 2), entry(0, 2)].concat();
    let (file, _) = two_objects(&BOTH, &[offsets(&BOTH), (Part::LANDMARK_TREE, tree)]);
    let view = file.view();
    assert_eq!(view.get_all("x").map(|found| found.len()), Ok(1));
    let table = Part::LANDMARK_TREE;
    let at = view.frame.directory.get(table).unwrap().start as u64 + 8;
    let differs = ErrorKind::IndexDiffers { table: table.0 }.at(at);
    assert_eq!(view.get_all("y").map(|found| found.len()), Err(differs));
}

#[test]
fn a_place_that_is_no_landmark_is_named() {
    for tables in [&[][..], &[offsets(&BOTH)]] {
        let (file, root) = two_objects(&BOTH, tables);
        let view = file.view();
        let range = |part: Part, at: usize| ErrorKind::IndexRange { table: part.0 }.at(at as u64);
        for offset in [0, 5, 7, 14] {
            let landmark = view.landmark_at(root + offset);
            assert_eq!(landmark.ordinal(), Err(range(Part::LANDMARK_OFFSETS, root + offset)));
        }
        let end = root + 16;
        for outside in [root - 1, end] {
            let landmark = view.landmark_at(outside);
            assert_eq!(landmark.value().map(drop), Err(range(Part::LANDMARK_OFFSETS, outside)));
            assert_eq!(
                landmark.key_by(&Key::Name, &Work::of(view)).map(drop),
                Err(range(Part::KEY_SLOTS, outside))
            );
        }
        // The root is an object, and its last byte a null.
        for inside in [root, end - 1] {
            assert!(view.landmark_at(inside).value().is_ok());
            let no_key = view.landmark_at(inside).key_by(&Key::Name, &Work::of(view)).map(drop);
            assert_eq!(no_key, Err(range(Part::KEY_SLOTS, inside)));
        }
        assert_eq!(view.landmark_at(root + 6).key_by(&Key::Name, &Work::of(view)).unwrap(), "x");
    }
}

/// A list of these items in a file with the strings `s` and `id`, of which the second is the key, and the shapes of
/// that key alone and of it behind two values.
fn items(items: &[&[u8]]) -> (DocumentFile<Vec<u8>>, Vec<usize>) {
    let rule = LandmarkRule::parse(&["/*[id]"], None, &[]).unwrap();
    let mut root = vec![0xdc, 0, u8::try_from(items.len() + 1).unwrap(), 0xc0];
    let starts: Vec<usize> = items
        .iter()
        .map(|item| {
            root.extend_from_slice(item);
            root.len() - item.len()
        })
        .collect();
    let mut crafted = Crafted::with_rule(rule, &root);
    crafted.strings = b"\x92\xa1s\xa2id".to_vec();
    crafted.shapes = b"\x93\x91\x01\x92\x00\xa2id\x91\x91\x01".to_vec();
    let [.., root] = crafted.elements();
    (crafted.file(), starts.into_iter().map(|start| root + start).collect())
}

#[test]
fn a_key_is_a_string_in_place_or_of_the_table() {
    // What is read in a record, and the key.
    let forms = [
        (&b"\x92\x00\xa3key"[..], Some("key"), Some("key")),
        (b"\x92\x00\x00", Some("s"), Some("s")),
        // Ids in a signed form.
        (b"\x92\xd0\x00\xa3key", Some("key"), Some("key")),
        (b"\x92\x00\xd0\x00", Some("s"), Some("s")),
        (b"\x93\x01\xc0\xa3key", Some("key"), Some("key")),
        (b"\x93\xc2\x01\xa3key", None, Some("key")),
        (b"\x93\xc2\x01\x00", None, Some("s")),
        // An integer slot, a null, no key at all, and a list.
        (b"\x92\x02\x05", None, None),
        (b"\x92\x00\xc0", None, None),
        (b"\x93\xc2\x00\x00", None, None),
        (b"\x92\xc0\x00", None, None),
    ];
    let (file, places) = items(&forms.map(|(bytes, ..)| bytes));
    for ((bytes, in_record, key), at) in forms.into_iter().zip(places) {
        let landmark = file.view().landmark_at(at);
        let found = landmark.field_of_record("id", &Work::of(file.view())).unwrap();
        let found = found.map(|found| found.bytes(file.view()).unwrap());
        assert_eq!(found, in_record.map(str::as_bytes), "{bytes:02x?}");
        let no_key = ErrorKind::IndexRange { table: Part::KEY_SLOTS.0 }.at(at as u64);
        assert_eq!(landmark.own_key(), key.map(Cow::Borrowed).ok_or(no_key), "{bytes:02x?}");
    }
}

#[test]
fn a_key_from_a_template_is_put_together() {
    let rule = LandmarkRule::parse(&["/items/*[{type}.{name}]"], None, &[]).unwrap();
    let options = CompileOptions { landmarks: LandmarkChoice::Rule(rule), ..CompileOptions::default() };
    let items: Vec<String> =
        (0..20).map(|n| format!(r#"{{"type": "t{}", "name": "n{n}"}}"#, n % 2)).collect();
    let text = format!(r#"{{"items": [{}]}}"#, items.join(","));
    let file = DocumentFile::from_data(compile(text.as_bytes(), &options).unwrap().bytes).unwrap();
    let landmark = file.view().landmark(7).unwrap().unwrap();
    assert_eq!((landmark.own_key().unwrap(), landmark.key().unwrap()), ("t1.n7".into(), "t1.n7".into()));
    assert_eq!(ordinals(file.view().get_all("t0.n12").unwrap()), [12]);
    // The list of items is no object.
    let list = file.view().root().field("items").unwrap().unwrap();
    let no_key = ErrorKind::IndexRange { table: Part::KEY_SLOTS.0 }.at(list.entry() as u64);
    assert_eq!(file.view().landmark_at(list.entry()).own_key(), Err(no_key));
}

#[test]
fn a_record_that_has_not_the_width_of_its_shape_has_no_key() {
    let (file, places) = items(&[b"\x93\x00\xa3key\xc0", b"\x91\x01", b"\x92\x07\xc0"]);
    let landmark = |n: usize| file.view().landmark_at(places[n]);
    assert!(landmark(0).field_of_record("id", &Work::of(file.view())).unwrap().is_none());
    let arity = |expected, found| ErrorKind::ShapeArity { expected, found };
    assert_eq!(landmark(0).own_key(), Err(arity(1, 2).at(places[0] as u64)));
    assert_eq!(landmark(1).own_key(), Err(arity(2, 0).at(places[1] as u64)));
    let missing = ErrorKind::ShapeRange { id: 7, count: 3 };
    assert_eq!(landmark(2).own_key(), Err(missing.at(places[2] as u64 + 1)));
}

#[test]
fn only_records_of_the_one_pattern_are_read_as_such() {
    // A record in the part before the root.
    let rule = |patterns: &[&str]| LandmarkRule::parse(patterns, None, &[]).unwrap();
    let mut crafted = Crafted::with_rule(rule(&["/*[id]"]), b"\x92\x00\xa3key");
    crafted.shapes = b"\x91\x91\xa2id".to_vec();
    crafted.shared = b"\x91\x92\x00\xa3key".to_vec();
    let [_, _, shared, root] = crafted.elements();
    let file = crafted.file();
    let has_field = |view: DocumentView<'_>, offset: usize| {
        view.landmark_at(offset).field_of_record("id", &Work::of(view)).unwrap().is_some()
    };
    assert!(!has_field(file.view(), shared + 1) && has_field(file.view(), root));
    // One of two patterns.
    let choice = LandmarkChoice::Rule(rule(&["/*[id]", "/a/*[id]"]));
    let mut crafted = Crafted::with_choice(Profile::Full, choice, b"\x92\x00\xa3key");
    crafted.shapes = b"\x91\x91\xa2id".to_vec();
    let root = crafted.elements()[3];
    assert!(!has_field(crafted.file().view(), root));
    // In profile plain the same is a list.
    let choice = LandmarkChoice::Rule(rule(&["/*[id]"]));
    let crafted = Crafted::with_choice(Profile::Plain, choice, b"\x92\x00\xa3key");
    let root = crafted.elements()[3];
    assert!(!has_field(crafted.file().view(), root));
}

#[test]
fn a_key_of_profile_plain_is_found_in_its_map() {
    let rule = LandmarkRule::parse(&["/items/*[id]"], None, &[]).unwrap();
    let landmarks = LandmarkChoice::Rule(rule);
    let options = CompileOptions { landmarks, profile: Profile::Plain, ..CompileOptions::default() };
    let text = br#"{"items": [{"id": "a"}, {"id": "b"}]}"#;
    let plain = DocumentFile::from_data(compile(text, &options).unwrap().bytes).unwrap();
    assert_eq!(plain.view().landmark(1).unwrap().unwrap().own_key().unwrap(), "b");
}

#[test]
fn edges_without_tables_are_those_of_the_document() {
    let rule = LandmarkRule::parse(&["/*"], None, &["needs=0/needs"]).unwrap();
    let mut crafted = Crafted::with_rule(rule, b"\x95\xc2\xa1a\x93\xc2\xa5needs\xa1b\xa1b\xc0");
    let [.., root] = crafted.elements();
    let offsets = [2, 14].map(|offset| u32::try_from(root + offset).unwrap().to_le_bytes()).concat();
    crafted.tables = vec![(Part::LANDMARK_OFFSETS, 0, offsets)];
    let file = crafted.file();
    let edges = file.view().checked_edges().unwrap();
    assert_eq!((edges.range(0), edges.target(0), edges.range(1)), (0..1, Some(1), 1..1));
    let landmark = |n: u32| file.view().landmark(n).unwrap().unwrap();
    assert_eq!(ends(landmark(0).dependencies().unwrap()), [(1, 0, "needs")]);
    assert_eq!(ends(landmark(1).dependents().unwrap()), [(0, 0, "needs")]);
}

/// An object of one key of this length, whose only entry is so many landmarks by the tables, each in the one before.
fn in_each_other(count: u32, length: usize) -> DocumentFile<Vec<u8>> {
    let rule = LandmarkRule::parse(&["(/*)*/*"], Some("/"), &[]).unwrap();
    let mut crafted = Crafted::with_rule(rule, b"\x93\xc2\x00\xc0");
    let bytes = u32::try_from(length).unwrap().to_be_bytes();
    crafted.strings = [&[0x91, 0xdb][..], &bytes, &vec![b'k'; length]].concat();
    let [.., root] = crafted.elements();
    let entry = u32::try_from(root + 2).unwrap().to_le_bytes();
    let offsets = entry.repeat(usize::try_from(count).unwrap());
    let tree = (0..count).flat_map(|n| [n.wrapping_sub(1).to_le_bytes(), count.to_le_bytes()]);
    crafted.tables =
        vec![(Part::LANDMARK_OFFSETS, 0, offsets), (Part::LANDMARK_TREE, 0, tree.flatten().collect())];
    crafted.file()
}

#[test]
fn a_landmark_is_in_512_others_at_most() {
    let file = in_each_other(600, 1);
    let key = |ordinal: u32| file.view().landmark(ordinal).unwrap().unwrap().key();
    for ordinal in [0, 1, 512] {
        assert_eq!(key(ordinal).unwrap(), vec!["k"; ordinal as usize + 1].join("/"));
    }
    let at = file.view().landmark(0).unwrap().unwrap().offset();
    let endless = ErrorKind::IndexRange { table: Part::LANDMARK_TREE.0 }.at(at);
    assert_eq!((key(513), key(599)), (Err(endless.clone()), Err(endless)));
}

#[test]
fn a_full_key_has_256_mib_at_most_with_a_join_behind_each_part() {
    let key_of = |length: usize| {
        let file = in_each_other(256, length);
        let landmark = file.view().landmark(255).unwrap().unwrap();
        landmark.key().map(|key| key.len()).map_err(|error| error.kind())
    };
    let mebi = 1 << 20;
    assert_eq!(key_of(mebi - 1), Ok(limits::STRING_BYTES - 1));
    let length = 256 * (mebi as u64 + 1);
    assert_eq!(key_of(mebi), Err(ErrorKind::StringLength { length, limit: limits::STRING_BYTES as u64 }));
}

#[test]
fn keys_that_are_asked_for_one_by_one_can_share_their_limit() {
    let length = 1 << 20;
    let file = in_each_other(1, length);
    let landmark = file.view().landmark(0).unwrap().unwrap();
    let work = Work::of(file.view());
    let limit = most_looked_at(file.view().data.len());
    let each = length as u64 / limits::BYTES_LIKE_A_VALUE;
    for _ in 0..limit / each {
        assert_eq!(landmark.key_within(&work).map(|key| key.len()), Ok(length));
    }
    let root = file.view().root().offset();
    assert_eq!(landmark.key_within(&work), Err(ErrorKind::Nodes { count: limit + 1, limit }.at(root)));
    assert_eq!(landmark.key().map(|key| key.len()), Ok(length), "a limit of its own");
}
