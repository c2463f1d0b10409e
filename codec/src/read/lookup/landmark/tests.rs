//! Accessors of landmarks, and errors for wrong tables or records.

use super::super::tests::{file, ordinals};
use super::*;
use crate::compile::{CompileOptions, LandmarkChoice, compile};
use crate::crafted::Crafted;
use crate::limits;
use crate::read::file::DocumentFile;
use coconut_format::landmark::LandmarkRule;

/// Returns the landmark that tables would put at this offset.
fn at(view: DocumentView<'_>, ordinal: u32, offset: usize) -> LandmarkView<'_> {
    LandmarkView { document: view, offset, ordinal: Ordinal(ordinal) }
}

#[test]
fn a_joined_key_is_compared_part_by_part() {
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
        let found = landmark(n).field_of_record("id", &SearchMeter::of(file.view())).unwrap().unwrap();
        assert_eq!(found.bytes(file.view()), Ok(key.as_bytes()));
        assert_eq!(landmark(n).own_key(), Ok(Cow::Borrowed(key.as_str())));
        let compare =
            |other: &str| landmark(n).compare_own_key(other, &SearchMeter::of(file.view())).unwrap();
        let expected = [Ordering::Equal, Ordering::Greater, Ordering::Less];
        assert_eq!([key.as_str(), "id", "x"].map(compare), expected);
    }
    assert!(
        landmark(60).field_of_record("id", &SearchMeter::of(file.view())).unwrap().is_none(),
        "its keys stand in place"
    );
    assert_eq!(landmark(60).own_key().unwrap(), "alone");
}

/// Returns a file with this rule and these tables. It holds the objects `a` and `b`, each with one
/// entry. Their entries begin 6 and 13 bytes after the root.
fn two_objects(rule: &[&str], tables: &[(Part, Vec<u8>)]) -> (DocumentFile<Vec<u8>>, usize) {
    let rule = LandmarkRule::parse(rule, Some("/"), &[]).unwrap();
    let root = b"\x95\xc2\xa1a\x93\xc2\xa1x\xc0\xa1b\x93\xc2\xa1y\xc0";
    let mut crafted = Crafted::with_rule(rule, root);
    crafted.tables = tables.iter().map(|(part, bytes)| (part.0, 0, bytes.clone())).collect();
    let [.., root] = crafted.elements();
    (crafted.file(), root)
}

/// Returns the table of the offsets of the entries of [`two_objects`].
fn offsets(rule: &[&str]) -> (Part, Vec<u8>) {
    let (_, root) = two_objects(rule, &[]);
    let at = |offset: usize| u32::try_from(root + offset).unwrap().to_le_bytes();
    (Part::LANDMARK_OFFSETS, [at(6), at(13)].concat())
}

const BOTH: [&str; 2] = ["/a/*", "/b/*"];

#[test]
fn classes_come_from_their_table_or_without_an_index_from_the_document() {
    let classes_of = |tables: &[(Part, Vec<u8>)]| {
        let (file, root) = two_objects(&BOTH, tables);
        let landmarks = [(0, 6), (1, 13)].map(|(n, offset)| at(file.view(), n, root + offset));
        landmarks.map(|landmark| (landmark.class(), landmark.own_key().map(Cow::into_owned)))
    };
    let own = |class, key: &str| (Ok(class), Ok(key.to_owned()));
    assert_eq!(classes_of(&[]), [own(0, "x"), own(1, "y")]);
    assert_eq!(classes_of(&[offsets(&BOTH)]), [own(0, "x"), own(0, "y")], "without a table all are 0");
    let good = (Part::LANDMARK_CLASSES, vec![0, 1]);
    assert_eq!(classes_of(&[offsets(&BOTH), good]), [own(0, "x"), own(1, "y")]);
    // Only verification detects a wrong table.
    let lies = (Part::LANDMARK_CLASSES, vec![1, 2]);
    let [first, second] = classes_of(&[offsets(&BOTH), lies]);
    assert_eq!(first, own(1, "x"));
    let (file, _) = two_objects(&BOTH, &[offsets(&BOTH), (Part::LANDMARK_CLASSES, vec![1, 2])]);
    let table = file.view().frame.directory.get(Part::LANDMARK_CLASSES).unwrap().start as u64;
    let no_class = ErrorKind::IndexRange { table: Part::LANDMARK_CLASSES.0 }.at(table + 1);
    assert_eq!(second, (Err(no_class.clone()), Err(no_class)));
}

#[test]
fn claims_of_a_table_without_a_rule_are_refused_at_their_entry() {
    let (file, _) = two_objects(&[], &[offsets(&[])]);
    let view = file.view();
    let entry = view.frame.directory.get(Part::LANDMARK_OFFSETS).unwrap().start as u64 + 4;
    let differs = ErrorKind::IndexDiffers { table: Part::LANDMARK_OFFSETS.0 };
    assert_eq!(view.landmark(1).unwrap().unwrap().own_key().map(drop), Err(differs.at(entry)));
}

#[test]
fn a_rule_with_one_class_needs_no_index_for_it() {
    let (file, root) = two_objects(&["/a/*"], &[offsets(&["/a/*"])]);
    assert_eq!(at(file.view(), 0, root + 6).class(), Ok(0));
    assert!(file.view().frame.made_index.get().is_none());
}

#[test]
fn without_a_key_index_the_keys_of_the_tables_are_searched() {
    let entry = |parent: u32, end: u32| [parent.to_le_bytes(), end.to_le_bytes()].concat();
    let tree = [entry(u32::MAX, 2), entry(0, 2)].concat();
    let (file, _) = two_objects(&BOTH, &[offsets(&BOTH), (Part::LANDMARK_TREE, tree)]);
    let view = file.view();
    let found = |key| view.get_all(key).map(|found| found.iter().map(|one| one.ordinal).collect::<Vec<_>>());
    assert_eq!(found("x"), Ok(vec![Ordinal(0)]));
    assert_eq!((found("y"), found("x/y")), (Ok(vec![]), Ok(vec![Ordinal(1)])), "as the tables say");
    assert!(view.frame.made_index.get().is_none());
}

/// Returns the file of [`two_objects`] with a key index whose only slot, for the key `x`, has this
/// offset after the root. Also returns the offset of the slot.
fn with_slot(offset: usize) -> (DocumentFile<Vec<u8>>, u64) {
    let (_, root) = two_objects(&["/a/*"], &[]);
    let number = |number: usize| u32::try_from(number).unwrap().to_le_bytes();
    let slot = [crate::wire::keys::hash("x").to_le_bytes(), number(root + offset)].concat();
    let tables = [
        (Part::LANDMARK_OFFSETS, number(root + if offset == 0 { 0 } else { 6 }).to_vec()),
        (Part::KEY_BUCKETS, [number(0), number(1)].concat()),
        (Part::KEY_SLOTS, slot),
    ];
    let (file, _) = two_objects(&["/a/*"], &tables);
    let at = file.view().frame.directory.get(Part::KEY_SLOTS).unwrap().start as u64;
    (file, at)
}

#[test]
fn a_slot_leads_to_a_landmark_of_the_tables_which_has_a_key() {
    let get = |offset| {
        let (file, at) = with_slot(offset);
        let found = file.view().get_all("x").map(|found| found.len());
        found.map_err(|error| error.kind().at(error.offset() - at))
    };
    let table = Part::KEY_SLOTS.0;
    assert_eq!(get(6), Ok(1));
    assert_eq!(get(13), Err(ErrorKind::IndexRange { table }.at(0)), "of no entry of the tables");
    assert_eq!(get(9999), Err(ErrorKind::IndexRange { table }.at(0)), "outside of the root");
    assert_eq!(get(0), Err(ErrorKind::IndexDiffers { table }.at(0)), "the root has no key");
}

#[test]
fn a_rule_that_is_not_understood_keeps_only_lookups_from_working() {
    let good = two_objects(&["/a/*"], &[offsets(&["/a/*"])]).0;
    let mut bytes = good.view().bytes().to_vec();
    let rule = bytes.windows(5).position(|window| window == b"\xa4/a/*").unwrap();
    bytes[rule + 4] = b'(';
    crate::crafted::repair(&mut bytes);
    let file = DocumentFile::from_data(bytes).unwrap();
    let view = file.view();
    let refused = ErrorKind::NewerRule.at(rule as u64);
    assert_eq!(view.check_values(), Ok(()));
    assert_eq!(view.get_all("x").map(drop), Err(refused.clone()));
    assert_eq!(view.landmark(0).map(drop), Err(refused.clone()));
    assert_eq!(view.landmark_count().map(drop), Err(refused.clone()));
    assert_eq!(view.keys().and_then(|mut keys| keys.read_next().map(drop)), Err(refused.clone()));
    assert_eq!(view.check_integrity().map(drop), Err(refused));
}

#[test]
fn a_place_without_a_landmark_is_reported() {
    for tables in [&[][..], &[offsets(&BOTH)]] {
        let (file, root) = two_objects(&BOTH, tables);
        let view = file.view();
        let range = |part: Part, at: usize| ErrorKind::IndexRange { table: part.0 }.at(at as u64);
        // At the entry of the table, or else at the place itself.
        let entry = view.frame.directory.get(Part::LANDMARK_OFFSETS).map(|table| table.start);
        let no_key = |at: usize| {
            let table = Part::LANDMARK_OFFSETS.0;
            Err(ErrorKind::IndexDiffers { table }.at(entry.unwrap_or(at) as u64))
        };
        let end = root + 16;
        for outside in [root - 1, end] {
            let landmark = at(view, 0, outside);
            assert_eq!(landmark.value().map(drop), Err(range(Part::LANDMARK_OFFSETS, outside)));
            let key = landmark.key_by(&KeyRule::Name, &SearchMeter::of(view));
            assert_eq!(key.map(drop), no_key(outside));
        }
        // The root is an object. Its last byte is a null.
        for inside in [root, end - 1] {
            assert!(at(view, 0, inside).value().is_ok());
            let key = at(view, 0, inside).key_by(&KeyRule::Name, &SearchMeter::of(view));
            assert_eq!(key.map(drop), no_key(inside));
        }
        assert_eq!(at(view, 0, root + 6).key_by(&KeyRule::Name, &SearchMeter::of(view)).unwrap(), "x");
    }
}

/// Returns a list of these items, in a file with the strings `s` and `id`; the second is the key.
/// One shape has only that key, the other has it after two values.
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
    // An item, the string read from it as a record, and its key.
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
    for ((bytes, in_record, key), place) in forms.into_iter().zip(places) {
        let landmark = at(file.view(), 0, place);
        let found = landmark.field_of_record("id", &SearchMeter::of(file.view())).unwrap();
        let found = found.map(|found| found.bytes(file.view()).unwrap());
        assert_eq!(found, in_record.map(str::as_bytes), "{bytes:02x?}");
        let no_key = ErrorKind::IndexDiffers { table: Part::LANDMARK_OFFSETS.0 }.at(place as u64);
        assert_eq!(landmark.own_key(), key.map(Cow::Borrowed).ok_or(no_key), "{bytes:02x?}");
    }
}

#[test]
fn a_key_from_a_template_is_joined() {
    let rule = LandmarkRule::parse(&["/items/*[{type}.{name}]"], None, &[]).unwrap();
    let options = CompileOptions { landmarks: LandmarkChoice::Rule(rule), ..CompileOptions::default() };
    let items: Vec<String> =
        (0..20).map(|n| format!(r#"{{"type": "t{}", "name": "n{n}"}}"#, n % 2)).collect();
    let text = format!(r#"{{"items": [{}]}}"#, items.join(","));
    let file = DocumentFile::from_data(compile(text.as_bytes(), &options).unwrap().bytes).unwrap();
    let landmark = file.view().landmark(7).unwrap().unwrap();
    assert_eq!((landmark.own_key().unwrap(), landmark.key().unwrap()), ("t1.n7".into(), "t1.n7".into()));
    assert_eq!(ordinals(file.view().get_all("t0.n12").unwrap()), [12]);
    // The list of items is not an object.
    let list = file.view().root().field("items").unwrap().unwrap();
    let entry = file.view().frame.directory.get(Part::LANDMARK_OFFSETS).unwrap().start as u64;
    let no_key = ErrorKind::IndexDiffers { table: Part::LANDMARK_OFFSETS.0 }.at(entry);
    assert_eq!(at(file.view(), 0, list.entry()).own_key(), Err(no_key));
}

#[test]
fn a_record_without_the_width_of_its_shape_has_no_key() {
    let (file, places) = items(&[b"\x93\x00\xa3key\xc0", b"\x91\x01", b"\x92\x07\xc0"]);
    let landmark = |n: usize| at(file.view(), 0, places[n]);
    assert!(landmark(0).field_of_record("id", &SearchMeter::of(file.view())).unwrap().is_none());
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
        at(view, 0, offset).field_of_record("id", &SearchMeter::of(view)).unwrap().is_some()
    };
    assert!(!has_field(file.view(), shared + 1) && has_field(file.view(), root));
    // One of two patterns.
    let choice = LandmarkChoice::Rule(rule(&["/*[id]", "/a/*[id]"]));
    let mut crafted = Crafted::with_choice(Profile::Full, choice, b"\x92\x00\xa3key");
    crafted.shapes = b"\x91\x91\xa2id".to_vec();
    let root = crafted.elements()[3];
    assert!(!has_field(crafted.file().view(), root));
    // In profile plain, the same bytes are a list.
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

/// Returns an object with one key of `length` bytes. By the tables, its only entry is `count`
/// landmarks, each inside the previous one.
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
        vec![(Part::LANDMARK_OFFSETS.0, 0, offsets), (Part::LANDMARK_TREE.0, 0, tree.flatten().collect())];
    crafted.file()
}

#[test]
fn a_landmark_is_inside_at_most_512_landmarks() {
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
fn a_full_key_with_its_joins_has_at_most_256_mib() {
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
fn keys_requested_one_by_one_can_share_a_limit() {
    let length = 1 << 20;
    let file = in_each_other(1, length);
    let landmark = file.view().landmark(0).unwrap().unwrap();
    let meter = SearchMeter::of(file.view());
    let limit = limits::search_budget(file.view().data.len());
    let each = length as u64 / limits::BYTES_PER_STEP;
    for _ in 0..limit / each {
        assert_eq!(landmark.key_within(&meter).map(|key| key.len()), Ok(length));
    }
    let root = file.view().root().offset();
    assert_eq!(landmark.key_within(&meter), Err(ErrorKind::Work { limit }.at(root)));
    assert_eq!(landmark.key().map(|key| key.len()), Ok(length), "a limit of its own");
}
