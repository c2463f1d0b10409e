//! Lookups with tables and without, and errors for wrong tables.

use super::*;
use crate::compile::{CompileOptions, LandmarkChoice, compile};
use crate::crafted::{Crafted, repair};
use crate::read::file::DocumentFile;
use crate::wire::directory::Part;
use crate::wire::header::Profile;
use coconut_format::error::ErrorKind;
use coconut_format::landmark::LandmarkRule;

/// Returns a list of objects of two shapes and one object that is not a record. A key follows
/// nested, constant and integer values.
pub(super) fn file() -> DocumentFile<Vec<u8>> {
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
fn a_key_is_found_at_any_position_in_the_record() {
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

/// An expected landmark.
struct Row {
    key: String,
    own_key: String,
    class: u8,
    parent: Option<u32>,
    children: Vec<u32>,
    /// Target and number of the pattern.
    edges: Vec<(u32, u8)>,
}

/// Groups of two members, `a` and `b`. One member of the second group occurs twice. Each `a` needs
/// that of the next group and likes its group. The first `a` needs the duplicate member.
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

pub(super) fn ordinals(landmarks: Vec<LandmarkView<'_>>) -> Vec<u32> {
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
        assert_eq!(landmark.value().unwrap().entry() as u64, landmark.offset());
        assert_eq!(landmark.class(), Ok(row.class));
        assert_eq!(landmark.own_key().unwrap(), row.own_key);
        assert_eq!(landmark.key().unwrap(), row.key);
        assert_eq!(view.parent_of(Ordinal(ordinal)), Ok(row.parent.map(Ordinal)));
        assert_eq!(ordinals(landmark.parent().unwrap().into_iter().collect()), Vec::from_iter(row.parent));
        assert_eq!(ordinals(landmark.children().unwrap()), row.children, "of {}", row.key);
        assert_eq!(landmark.has_children(), Ok(!row.children.is_empty()), "{}", row.key);
        for (inner, other) in (0..).zip(rows) {
            let is_within = inner == ordinal || other.parent == Some(ordinal);
            assert_eq!(
                view.is_within(Ordinal(inner), Ordinal(ordinal)),
                Ok(is_within),
                "{} in {}",
                other.key,
                row.key
            );
        }
        let kinds = ["needs", "likes"];
        let edges: Vec<_> = row.edges.iter().map(|&(to, n)| (to, n, kinds[usize::from(n)])).collect();
        assert_eq!(ends(landmark.dependencies().unwrap()), edges, "of {}", row.key);
        let targets: Vec<u32> =
            checked.range(Ordinal(ordinal)).map(|edge| checked.target(edge).unwrap().0).collect();
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
    assert_eq!((landmark.class(), view.parent_of(Ordinal(7))), (Ok(0), Ok(None)));
    assert!(landmark.children().unwrap().is_empty());
    assert!(landmark.dependencies().unwrap().is_empty() && landmark.dependents().unwrap().is_empty());
    let edges = view.checked_edges().unwrap();
    assert_eq!((edges.range(Ordinal(7)), edges.target(0)), (0..0, None));
    assert!(view.frame.made_index.get().is_none());
}

#[test]
fn edges_without_an_index_are_those_of_the_document() {
    let rule = LandmarkRule::parse(&["/*"], None, &["needs=0/needs"]).unwrap();
    let mut crafted = Crafted::with_rule(rule, b"\x95\xc2\xa1a\x93\xc2\xa5needs\xa1b\xa1b\xc0");
    let [.., root] = crafted.elements();
    let file = crafted.file();
    let edges = file.view().checked_edges().unwrap();
    assert_eq!(
        (edges.range(Ordinal(0)), edges.target(0), edges.range(Ordinal(1))),
        (0..1, Some(Ordinal(1)), 1..1)
    );
    let landmark = |n: u32| file.view().landmark(n).unwrap().unwrap();
    assert_eq!(ends(landmark(0).dependencies().unwrap()), [(1, 0, "needs")]);
    assert_eq!(ends(landmark(1).dependents().unwrap()), [(0, 0, "needs")]);

    // An index without tables of edges means that there are no edges.
    let offsets = [2, 14].map(|offset| u32::try_from(root + offset).unwrap().to_le_bytes()).concat();
    crafted.tables = vec![(Part::LANDMARK_OFFSETS.0, 0, offsets)];
    let file = crafted.file();
    assert_eq!(file.view().checked_edges().unwrap().range(Ordinal(0)), 0..0);
    for landmark in file.view().landmarks().unwrap().map(Result::unwrap) {
        assert!(landmark.dependencies().unwrap().is_empty() && landmark.dependents().unwrap().is_empty());
    }
    assert!(file.view().frame.made_graph.get().is_none());
    let differs = ErrorKind::IndexDiffers { table: Part::DEPENDENCY_STARTS.0 };
    let directory = file.view().frame.directory.start as u64;
    assert_eq!(file.view().check_integrity().map(drop), Err(differs.at(directory)));
}

/// Each pair of neighbouring starts is valid, so only the total shows the fault.
#[test]
fn starts_that_repeat_edges_are_refused_once_too_many_edges_were_met() {
    let good = grouped(20, Profile::Full);
    let all = good.view().checked_edges().unwrap();
    let count = all.range(Ordinal(good.view().landmark_count().unwrap() - 1)).end;
    assert!(count > 0);
    assert_eq!(good.view().check_edges_met(1 << 22), Ok(()));

    let table = good.view().frame.directory.get(Part::DEPENDENCY_STARTS).unwrap().start;
    let mut bytes = good.view().data.get(0..good.view().data.len()).unwrap().to_vec();
    bytes[table + 4..table + 12].copy_from_slice(&[count, 0].map(u32::to_le_bytes).concat());
    repair(&mut bytes);
    let lies = DocumentFile::from_data(bytes).unwrap();
    let first = lies.view().landmark(0).unwrap().unwrap();
    assert_eq!(first.dependencies().unwrap().len(), count as usize);
    let differs = ErrorKind::IndexDiffers { table: Part::DEPENDENCY_STARTS.0 }.at(table as u64 + 8);
    assert_eq!(lies.view().check_edges_met(count as usize), Ok(()));
    assert_eq!(lies.view().check_edges_met(count as usize + 1), Err(differs));

    // Landmarks with equal edges may share them, in a file without tables, too.
    let transport = grouped(20, Profile::Transport);
    let too_many = ErrorKind::TooMany { what: "edges", count: (1 << 22) + 1, limit: 1 << 22 };
    let root = transport.view().frame.root.start as u64;
    assert_eq!(transport.view().check_edges_met(1 << 22), Ok(()));
    assert_eq!(transport.view().check_edges_met((1 << 22) + 1), Err(too_many.at(root)));
}

#[test]
fn the_longest_key_is_tried_first() {
    let ways = |name| key_and_pointer(name).collect::<Vec<_>>();
    let expected = [("a:b/c:D/0/x", ""), ("a:b/c:D/0", "/x"), ("a:b/c:D", "/0/x"), ("a:b", "/c:D/0/x")];
    assert_eq!(ways("a:b/c:D/0/x"), expected);
    assert_eq!(ways("/resources/0"), [("/resources/0", ""), ("/resources", "/0")]);
    assert_eq!(ways(""), []);
}
