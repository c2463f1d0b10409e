use super::*;
use crate::compile::{CompileOptions, LandmarkChoice, compile};
use crate::crafted::Crafted;
use crate::read::file::DocumentFile;
use crate::wire::directory::Part;
use crate::wire::header::Profile;
use coconut_format::error::ErrorKind;
use coconut_format::landmark::LandmarkRule;
use proptest::prelude::*;

/// Returns a document of groups that have members, all with keys.
fn grouped(groups: &[(String, Vec<String>)], profile: Profile) -> DocumentFile<Vec<u8>> {
    let named = |name: &str| serde_json::json!({ "id": name });
    let group = |(name, members): &(String, Vec<String>)| {
        let members: Vec<_> = members.iter().map(|member| named(member)).collect();
        serde_json::json!({ "id": name, "members": members })
    };
    let text = serde_json::json!({ "groups": groups.iter().map(group).collect::<Vec<_>>() }).to_string();
    let rule = LandmarkRule::parse(&["/groups/*[id]", "/groups/*/members/*[id]"], Some("/"), &[]).unwrap();
    let landmarks = LandmarkChoice::Rule(rule);
    let options = CompileOptions { profile, landmarks, ..CompileOptions::default() };
    DocumentFile::from_data(compile(text.as_bytes(), &options).unwrap().bytes).unwrap()
}

/// Returns the offsets and ordinals of the landmarks found, and whether there is one, several or
/// none.
fn described(found: &Lookup<'_>) -> (&'static str, Vec<(u64, u32)>) {
    let place = |landmark: &LandmarkView<'_>| (landmark.offset(), landmark.ordinal().unwrap());
    match found {
        Lookup::Missing => ("missing", Vec::new()),
        Lookup::Found(landmark) => ("found", vec![place(landmark)]),
        Lookup::Ambiguous(landmarks) => ("ambiguous", landmarks.iter().map(place).collect()),
    }
}

fn assert_same_answers(file: &DocumentFile<Vec<u8>>, key: &str) {
    let view = file.view();
    let table = view.key_table().unwrap();
    assert_eq!(described(&table.get_unique(key)), described(&view.get_unique(key).unwrap()), "{key:?}");
    let [found, expected] = [table.get_all(key), view.get_all(key).unwrap()].map(Lookup::Ambiguous);
    assert_eq!(described(&found), described(&expected), "{key:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn answers_what_the_file_answers(
        groups in prop::collection::vec(
            ("[ab/]{0,2}|(a|b){253,257}", prop::collection::vec("[ab]{0,2}|long key {30}|(a|/){62,66}|a{300}", 0..6)),
            0..8,
        ),
        absent in prop::collection::vec("[ab/]{0,5}", 8),
        profile in prop::sample::select(vec![Profile::Full, Profile::Transport, Profile::Plain]),
    ) {
        let file = grouped(&groups, profile);
        let own = groups.iter().map(|(group, _)| group.clone());
        let joined = groups
            .iter()
            .flat_map(|(group, members)| members.iter().map(move |member| format!("{group}/{member}")));
        for key in own.chain(joined).chain(absent) {
            assert_same_answers(&file, &key);
        }
    }
}

#[test]
fn landmarks_with_one_key_are_found_in_document_order() {
    for profile in [Profile::Full, Profile::Transport] {
        let names = ["a", "b", "a", "c", "b", "a"];
        let groups: Vec<_> = names.map(|name| (name.to_owned(), vec!["m".to_owned()])).to_vec();
        let file = grouped(&groups, profile);
        let table = file.view().key_table().unwrap();
        let ordinals = |key| described(&table.get_unique(key)).1.into_iter().map(|(_, ordinal)| ordinal);
        let ordinals =
            ["a", "b", "c", "a/m", "b/m", "c/m", "m", ""].map(|key| ordinals(key).collect::<Vec<_>>());
        let [a, b, c] = [vec![0, 4, 10], vec![2, 8], vec![6]];
        let inside = |groups: &[u32]| groups.iter().map(|ordinal| ordinal + 1).collect::<Vec<_>>();
        let expected = [inside(&a), inside(&b), inside(&c), Vec::new(), Vec::new()];
        assert_eq!(ordinals, [vec![a, b, c], expected.to_vec()].concat()[..]);
        assert!(matches!(table.get_unique("c"), Lookup::Found(_)), "one among others that are several");
    }
}

#[test]
fn a_landmark_found_in_the_table_is_that_of_the_file() {
    let names: Vec<_> = (0..40).map(|n| (format!("group {n}"), Vec::new())).collect();
    let file = grouped(&names, Profile::Full);
    let table = file.view().key_table().unwrap();
    for (name, _) in &names {
        let Lookup::Found(landmark) = table.get_unique(name) else { panic!("{name}") };
        assert_eq!(landmark.key().unwrap(), name.as_str());
        let Lookup::Found(same) = file.view().get_unique(name).unwrap() else { panic!("{name}") };
        assert_eq!(landmark.value().unwrap().offset(), same.value().unwrap().offset());
    }
}

#[test]
fn a_document_without_landmarks_has_an_empty_table() {
    for profile in [Profile::Full, Profile::Transport] {
        let file = grouped(&[], profile);
        let table = file.view().key_table().unwrap();
        assert!(matches!(table.get_unique(""), Lookup::Missing));
        assert_eq!(table.memory_bytes(), size_of::<Table>());
    }
}

#[test]
fn a_table_takes_memory_for_keys_and_places_only() {
    let names: Vec<_> = (0..1000).map(|n| (format!("group {n:04}"), Vec::new())).collect();
    let file = grouped(&names, Profile::Full);
    let table = file.view().key_table().unwrap();
    // A record has a key of 10 bytes, and a head.
    let records = table.memory_bytes() - size_of::<Table>() - table.table.places.allocation_size();
    assert!((10 * 1000..=32 * 1000).contains(&records), "{records}");
    // Four bytes per key and one for the hash table, which may be less than half full.
    assert!((5 * 1000..12 * 1000).contains(&table.table.places.allocation_size()));
}

#[test]
fn landmarks_with_duplicate_keys_take_at_most_16_bytes_each() {
    let names: Vec<_> = (0..100).map(|n| (format!("group {}", n % 40), Vec::new())).collect();
    let file = grouped(&names, Profile::Full);
    let table = file.view().key_table().unwrap();
    // A record has 16 bytes and a key of 7 or 8.
    let (least, most) = (40 * 8 + 60 * 4, 40 * 24 + 60 * 16);
    let records = table.memory_bytes() - size_of::<Table>() - table.table.places.allocation_size();
    assert!((least..=most).contains(&records), "{records}");
}

#[test]
fn long_keys_in_parts_are_found_and_no_others() {
    // Full keys on both sides of their threshold, and own keys on both sides of theirs.
    for (group, member) in
        [(250, 4), (250, 5), (250, 6), (300, 63), (300, 64), (191, 64), (190, 64), (0, 300)]
    {
        let (group, member) = ("g".repeat(group), "m".repeat(member));
        let groups = [
            (group.clone(), vec![member.clone(), format!("{member}x")]),
            ("other".into(), vec![member.clone()]),
        ];
        let file = grouped(&groups, Profile::Full);
        let key = format!("{group}/{member}");
        let same_length = [format!("x{}", &key[1..]), format!("{}x", &key[1..]), key.replace("/", "-")];
        let others = [&key[1..], &key[..key.len() - 1], &format!("{key}x"), &format!("{key}xx"), &member];
        for key in others
            .into_iter()
            .chain([&*key, "other", &format!("other/{member}")])
            .chain(same_length.iter().map(|key| &**key))
        {
            assert_same_answers(&file, key);
        }
        assert!(matches!(file.view().key_table().unwrap().get_unique(&key), Lookup::Found(_)));
    }
}

#[test]
fn nested_long_keys_take_memory_for_their_own_parts() {
    let members = |own: &str| (0..1000).map(|n| format!("{own}{n:03}")).collect::<Vec<_>>();
    let long = "k".repeat(50_000);
    let bytes = |groups: &[(String, Vec<String>)]| {
        grouped(groups, Profile::Full).view().key_table().unwrap().memory_bytes()
    };
    // One long key before many, and many before the same long key. Place, head and parts take at
    // most 64 bytes per key.
    let before_many = bytes(&[(long.clone(), members("m"))]);
    let behind_many: Vec<_> =
        members(&"g".repeat(10)).into_iter().map(|group| (group, vec![long.clone()])).collect();
    assert!(before_many < long.len() + 1000 * 64 + 4096, "{before_many}");
    let behind_many = bytes(&behind_many);
    assert!(behind_many < 2 * long.len() + 2000 * 64 + 4096, "{behind_many}");
}

#[test]
fn long_own_keys_count_as_memory_of_the_table() {
    let member = "m".repeat(300);
    let groups: Vec<_> = (0..100).map(|n| (format!("group {n:03}"), vec![member.clone()])).collect();
    let file = grouped(&groups, Profile::Full);
    let table = file.view().key_table().unwrap();
    // The own key is stored once, and each of 200 records has 32 bytes at most.
    let places = table.table.places.allocation_size();
    let records = table.memory_bytes() - size_of::<Table>() - places - member.len();
    assert!((100 * 9..=200 * 32).contains(&records), "{records}");
}

/// The table has room for all keys from the start. Only a table that grew would hash its keys
/// again.
#[test]
fn the_key_of_each_record_is_joined_from_its_parts() {
    let groups = ["a", &"g".repeat(300), &"h".repeat(190)].map(|group| {
        (group.to_owned(), vec!["m".to_owned(), "n".repeat(63), "o".repeat(64), "p".repeat(300)])
    });
    let file = grouped(&groups, Profile::Full);
    let table = file.view().key_table().unwrap();
    let own = groups.iter().flat_map(|(group, members)| {
        let members = members.iter().map(move |member| format!("{group}/{member}"));
        std::iter::once(group.clone()).chain(members)
    });
    let expected: Vec<_> = (0..).zip(own).collect();
    let mut found: Vec<_> = table
        .table
        .places
        .iter()
        .map(|&place| {
            let key = String::from_utf8(table.table.records.key(place)).unwrap();
            (table.table.records.at(place).unwrap().ordinal.0, key)
        })
        .collect();
    found.sort_unstable();
    assert_eq!(found, expected);
}

#[test]
fn different_keys_have_different_hashes() {
    let hasher = RandomState::default();
    let hashes = [&b""[..], b"a", b"b", b"ab"].map(|key| hash(&hasher, key));
    assert!(hashes.iter().enumerate().all(|(n, hash)| !hashes[..n].contains(hash)), "{hashes:x?}");
    assert_eq!(hash(&hasher, b"ab"), hashes[3]);
}

#[test]
fn an_unreadable_key_is_the_error_of_the_table() {
    let rule = LandmarkRule::parse(&["/*[id]"], None, &[]).unwrap();
    // A list of two objects, the second without a key, and a table that lists both.
    let mut crafted = Crafted::with_rule(rule, b"\x93\xc0\x93\xc2\xa2id\xa1k\x93\xc2\xa2no\xa1k");
    let [.., root] = crafted.elements();
    let at = |offset: usize| u32::try_from(root + offset).unwrap().to_le_bytes();
    crafted.tables = vec![(Part::LANDMARK_OFFSETS.0, 0, [at(2), at(9)].concat())];
    let file = crafted.file();
    let entry = file.view().frame.directory.get(Part::LANDMARK_OFFSETS).unwrap().start as u64 + 4;
    let error = ErrorKind::IndexDiffers { table: Part::LANDMARK_OFFSETS.0 }.at(entry);
    assert_eq!(file.view().key_table().map(drop), Err(error));
}
