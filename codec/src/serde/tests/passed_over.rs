//! Types that discard errors, and types that do not read all offered values. All other values are
//! still read correctly, or reading fails.

use super::{PROFILES, file, file_of_json};
use crate::read::file::DocumentFile;
use crate::serde::{Limits, Reader, from_view};
use crate::wire::header::Profile;
use serde::de::{DeserializeSeed, EnumAccess, Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::json;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

/// A value, or `None` if it is not a `T`.
#[derive(Debug, PartialEq)]
struct Lenient<T>(Option<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Lenient<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Lenient(T::deserialize(deserializer).ok()))
    }
}

/// Does not read its value.
#[derive(Debug, PartialEq)]
struct Unread;

impl<'de> Deserialize<'de> for Unread {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Ok(Unread)
    }
}

#[derive(Debug, PartialEq, Deserialize)]
enum Variant {
    A(u8),
    B,
}

/// The error of reading `document`, in all profiles, up to its place in the file.
#[track_caller]
fn error_of<T: for<'de> Deserialize<'de> + fmt::Debug>(document: &serde_json::Value) -> String {
    let errors = PROFILES.map(|profile| {
        let error = from_view::<T>(file(document, profile).view().root()).unwrap_err();
        error.to_string().split(" at byte ").next().unwrap().to_owned()
    });
    assert!(errors.iter().all(|error| *error == errors[0]), "{errors:?}");
    errors[0].clone()
}

#[track_caller]
fn assert_reads<T: for<'de> Deserialize<'de> + fmt::Debug + PartialEq>(
    document: &serde_json::Value,
    expected: &T,
) {
    for profile in PROFILES {
        let read = from_view::<T>(file(document, profile).view().root());
        assert_eq!(read.as_ref(), Ok(expected), "{document}, profile {}", profile.name());
    }
}

#[test]
fn reading_continues_after_an_error_in_a_scalar() {
    let numbers = vec![Lenient(Some(1)), Lenient(None), Lenient(Some(2)), Lenient(None), Lenient(Some(3))];
    assert_reads::<Vec<Lenient<u32>>>(&json!([1, "x", 2, null, 3]), &numbers);
    assert_reads::<Vec<Lenient<u32>>>(&json!([1, [], 2, {}, 3]), &numbers);
}

#[test]
fn an_error_in_the_middle_of_a_value_ends_the_reading() {
    let sequence = "invalid type: sequence, expected u32";
    assert_eq!(error_of::<Vec<Lenient<u32>>>(&json!([[7, 8], 9, "x"])), sequence);
    assert_eq!(error_of::<Vec<Lenient<u32>>>(&json!([1, [7, 8]])), sequence);
    assert_eq!(error_of::<Lenient<u32>>(&json!([7, 8])), sequence);
    // A shared value, from which the walk returns.
    assert_eq!(error_of::<Vec<Lenient<u32>>>(&json!([[70_000, 80_000], [70_000, 80_000], 9])), sequence);
    assert_eq!(error_of::<BTreeMap<String, Lenient<u32>>>(&json!({ "a": [7, 8], "b": 9 })), sequence);
    let map = "invalid type: map, expected u32";
    assert_eq!(error_of::<Vec<Lenient<u32>>>(&json!([{ "a": 1 }, 9])), map);
    let item = "invalid type: string \"x\", expected u32";
    assert_eq!(error_of::<Vec<Lenient<Vec<u32>>>>(&json!([[1, "x", 2], [3]])), item);
    let length = "invalid length 3, expected fewer items in the list";
    assert_eq!(error_of::<Vec<Lenient<(u32, u32)>>>(&json!([[1, 2, 3], [4, 5]])), length);
    let variant = "invalid type: sequence, expected a string, or an object with one entry";
    assert_eq!(error_of::<Vec<Lenient<Variant>>>(&json!([["A"], "B"])), variant);
    let entries = "invalid length 2, expected an object with one entry";
    assert_eq!(error_of::<Vec<Lenient<Variant>>>(&json!([{ "A": 1, "B": 2 }, "B"])), entries);
    // At the end of a value there is nothing left to lose.
    let read = vec![Lenient(None), Lenient(Some(vec![3]))];
    assert_reads::<Vec<Lenient<Vec<u32>>>>(&json!([[1, "x"], [3]]), &read);
    let variants = vec![Lenient(Some(Variant::A(1))), Lenient(None), Lenient(Some(Variant::B))];
    assert_reads::<Vec<Lenient<Variant>>>(&json!([{ "A": 1 }, { "A": "x" }, "B"]), &variants);
}

#[test]
fn reading_continues_after_the_content_of_an_unknown_variant() {
    let read = vec![Lenient(None), Lenient(None)];
    assert_reads::<Vec<Lenient<Variant>>>(&json!([{ "Z": "B" }, "A"]), &read);
    let read = vec![Lenient(None), Lenient(Some(Variant::B)), Lenient(Some(Variant::A(1)))];
    assert_reads::<Vec<Lenient<Variant>>>(&json!([{ "Z": ["B", { "A": 2 }] }, "B", { "A": 1 }]), &read);
    assert_reads::<(Lenient<Variant>, u8, u8)>(&json!([{ "Z": 7 }, 8, 9]), &(Lenient(None), 8, 9));
    let read = vec![(Lenient(None), 8), (Lenient(None), 10)];
    assert_reads::<Vec<(Lenient<Variant>, u8)>>(&json!([[{ "Z": 7 }, 8], [{ "Z": 9 }, 10]]), &read);
    // Levels are left as they were entered.
    let document = serde_json::Value::Array(vec![json!({ "Z": 7 }); 200]);
    let read = (0..200).map(|_| Lenient(None)).collect();
    assert_reads::<Vec<Lenient<Variant>>>(&document, &read);
}

#[test]
fn the_error_that_ended_the_reading_is_repeated() {
    /// Keeps the result of each of four items.
    struct Items<'r>(&'r RefCell<Vec<String>>);
    impl<'de> DeserializeSeed<'de> for Items<'_> {
        type Value = ();
        fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
            deserializer.deserialize_seq(self)
        }
    }
    impl<'de> Visitor<'de> for Items<'_> {
        type Value = ();
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list")
        }
        fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
            for _ in 0..4 {
                let item = items.next_element::<Option<u8>>();
                self.0.borrow_mut().push(item.map_or_else(|e| e.to_string(), |item| format!("{item:?}")));
            }
            Ok(())
        }
    }
    let file = file_of_json("[1, [2, 3, 4], null, 5]");
    let root = file.view().root();
    let at = root.pointer("/1").unwrap().unwrap().offset();
    let items = RefCell::default();
    let error = Reader::new(file.view()).read_seed(Items(&items), root).unwrap_err();
    // With its path the first time, and then with its place alone, since later values have other
    // paths.
    let again = format!("invalid type: sequence, expected u8 at byte {at}");
    assert_eq!((error.to_string(), error.offset(), error.path()), (again.clone(), Some(at), ""));
    // Once in place of all remaining items, so that a type that continues after errors terminates.
    let first = format!("{again}, in `/1`");
    assert_eq!(items.into_inner(), ["Some(Some(1))", &first, &again, "None"]);
}

#[test]
fn a_discarded_error_is_shown_only_in_its_own_value() {
    #[derive(Debug, Deserialize)]
    struct Record {
        #[expect(dead_code, reason = "reading the following bytes fails")]
        a: Lenient<u8>,
        #[expect(dead_code, reason = "reading it fails")]
        b: u8,
    }
    let file = file_of_json(r#"[{"a": [1, 2], "b": 3}]"#);
    let root = file.view().root();
    let at = root.pointer("/0/a").unwrap().unwrap().offset();
    let error = from_view::<Vec<Record>>(root).unwrap_err();
    assert_eq!(error.to_string(), format!("invalid type: sequence, expected u8 at byte {at}"));
    assert_eq!((error.offset(), error.path()), (Some(at), ""));
    // This one was not discarded by a type.
    let error = from_view::<Vec<BTreeMap<String, u8>>>(root).unwrap_err();
    let expected = format!("invalid type: sequence, expected u8 at byte {at}, in `/0/a`");
    assert_eq!((error.to_string(), error.path()), (expected, "/0/a"));
    // The same for damage.
    let reader = Reader::new(file.view());
    let reader = reader.with_limits(Limits { values: 2, ..Limits::default() });
    let error = reader.read::<Vec<Record>>(root).unwrap_err();
    let expected = format!("LIM-NODES: expands to 3 values, the limit is 2 at byte {at}");
    assert_eq!((error.to_string(), error.path()), (expected, ""));
}

/// Texts, or `None` if they cannot be read.
fn lenient<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<String>>, D::Error> {
    Ok(Vec::deserialize(deserializer).ok())
}

#[derive(Debug, Deserialize)]
struct Texts {
    #[serde(deserialize_with = "lenient")]
    #[expect(dead_code, reason = "reading it fails")]
    a: Option<Vec<String>>,
    #[expect(dead_code, reason = "it is missed")]
    b: u8,
}

#[test]
fn a_later_error_does_not_hide_the_one_that_ended_the_reading() {
    let texts: Vec<_> = (0..3000).map(|n| format!("string number {n}")).collect();
    for profile in PROFILES {
        for document in [json!({ "a": texts }), json!({ "a": texts, "b": 7 }), json!([texts])] {
            let file = file(&document, profile);
            let root = file.view().root();
            let reader = Reader::new(file.view()).with_limits(Limits { values: 100, ..Limits::default() });
            // The root, the list, and 98 of its items.
            let list = if document.is_array() { "/0" } else { "/a" };
            let at = root.pointer(&format!("{list}/98")).unwrap().unwrap().offset();
            let error = reader.read::<Texts>(root).unwrap_err();
            let expected = format!("LIM-NODES: expands to 101 values, the limit is 100 at byte {at}");
            assert_eq!((error.to_string(), error.offset(), error.path()), (expected, Some(at), ""));

            let mut bytes = file.data().clone();
            let place = bytes.windows(18).rposition(|window| window == b"string number 1500").unwrap();
            bytes[place] ^= 1;
            if profile == Profile::Transport {
                // Its checksum is compared before anything is read.
                assert!(DocumentFile::from_data(bytes).is_err());
                continue;
            }
            let damaged = DocumentFile::from_data(bytes).unwrap();
            let error = from_view::<Texts>(damaged.view().root()).unwrap_err();
            assert!(error.to_string().starts_with("SUM-MISMATCH: "), "{error}");
            assert_eq!((error.offset(), error.path()), (Some(place as u64 / 4096 * 4096), ""));
            let whole = from_view::<serde_json::Value>(damaged.view().root()).unwrap_err();
            assert_eq!((error.kind(), error.offset()), (whole.kind(), whole.offset()));
        }
    }
}

/// A type that replaces every error also receives the one that ended the reading. The result is its
/// own words for all others.
#[test]
fn an_error_of_the_type_does_not_hide_the_one_that_ended_the_reading() {
    #[derive(Debug)]
    struct Worded;
    impl<'de> Deserialize<'de> for Worded {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Worded, D::Error> {
            Vec::<u8>::deserialize(deserializer).map(|_| Worded).map_err(|_| D::Error::custom("no bytes"))
        }
    }
    assert_eq!(error_of::<Vec<Worded>>(&json!([["x", 1], [2]])), "invalid type: string \"x\", expected u8");
    assert_eq!(error_of::<(Worded, u8)>(&json!([["x", 1], 2])), "invalid type: string \"x\", expected u8");
    assert_eq!(error_of::<Vec<Worded>>(&json!([["x"], [2]])), "no bytes");
}

/// A shared value is left before its end. The path and the place of the error that ends the reading
/// are those of the reference.
#[test]
fn a_shared_value_that_does_not_fit_has_the_place_of_its_reference() {
    let row = [70_000, 80_000, 90_000];
    let document = json!([row, row, row]);
    for profile in PROFILES {
        let file = file(&document, profile);
        let root = file.view().root();
        let pair = "invalid length 3, expected fewer items in the list";
        let error = from_view::<Vec<(u32, u32)>>(root).unwrap_err();
        let at = error.offset().unwrap();
        assert_eq!(error.to_string(), format!("{pair} at byte {at}, in `/0`"), "profile {}", profile.name());
        let error = from_view::<Vec<Lenient<(u32, u32)>>>(root).unwrap_err();
        assert_eq!(error.to_string(), format!("{pair} at byte {at}"), "profile {}", profile.name());
        let variant = "invalid type: sequence, expected a string, or an object with one entry";
        let error = from_view::<Vec<Variant>>(root).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("{variant} at byte {at}, in `/0`"),
            "profile {}",
            profile.name()
        );
        let error = from_view::<Vec<Lenient<Variant>>>(root).unwrap_err();
        assert_eq!(error.to_string(), format!("{variant} at byte {at}"), "profile {}", profile.name());
    }
}

#[test]
fn values_that_a_type_does_not_read_are_skipped() {
    for unread in [json!(1), json!("x"), json!([1, [2]]), json!({ "a": { "b": 1 } }), json!(null)] {
        assert_reads::<(Unread, u8)>(&json!([unread, 7]), &(Unread, 7));
        assert_reads::<(Option<u8>, Vec<Unread>, u8)>(
            &json!([1, [unread, unread], 7]),
            &(Some(1), vec![Unread, Unread], 7),
        );
        let map = BTreeMap::from([("a".to_owned(), Unread), ("b".to_owned(), Unread)]);
        assert_reads::<(BTreeMap<String, Unread>, u8)>(&json!([{ "a": unread, "b": unread }, 7]), &(map, 7));
        let records = json!([{ "k": unread, "l": 1 }, { "k": unread, "l": 2 }, { "k": unread, "l": 3 }]);
        #[derive(Debug, PartialEq, Deserialize)]
        struct Record {
            k: Unread,
            l: u8,
        }
        assert_reads::<Vec<Record>>(&records, &[1, 2, 3].map(|l| Record { k: Unread, l }).into());
    }
}

#[test]
fn keys_without_their_values_and_variants_without_their_content_are_read() {
    /// The keys of an object.
    #[derive(Debug, PartialEq)]
    struct Keys(Vec<String>);
    impl<'de> Deserialize<'de> for Keys {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Keys, D::Error> {
            struct KeysVisitor;
            impl<'de> Visitor<'de> for KeysVisitor {
                type Value = Keys;
                fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str("an object")
                }
                fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Keys, A::Error> {
                    let mut keys = Vec::new();
                    while let Some(key) = entries.next_key()? {
                        keys.push(key);
                    }
                    Ok(Keys(keys))
                }
            }
            deserializer.deserialize_map(KeysVisitor)
        }
    }
    let keys = Keys(vec!["a".to_owned(), "b".to_owned(), "c".to_owned()]);
    assert_reads::<(Keys, u8)>(&json!([{ "a": "x", "b": ["y"], "c": 1 }, 7]), &(keys, 7));

    /// The name of a variant.
    #[derive(Debug, PartialEq)]
    struct Name(String);
    impl<'de> Deserialize<'de> for Name {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Name, D::Error> {
            struct NameVisitor;
            impl<'de> Visitor<'de> for NameVisitor {
                type Value = Name;
                fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str("a variant")
                }
                fn visit_enum<A: EnumAccess<'de>>(self, variant: A) -> Result<Name, A::Error> {
                    variant.variant_seed(PhantomData).map(|(name, _)| Name(name))
                }
            }
            deserializer.deserialize_enum("", &[], NameVisitor)
        }
    }
    assert_reads::<(Name, u8)>(&json!([{ "A": [1, 2] }, 7]), &(Name("A".to_owned()), 7));
}

thread_local! {
    /// Values and keys that were read as [`Any`], and errors in place of them.
    static ASKED: Cell<(u32, u32)> = const { Cell::new((0, 0)) };
}

/// Any value or key. Discards all errors, and continues after them in lists and objects.
#[derive(Debug)]
struct Any;

impl<'de> Deserialize<'de> for Any {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Any, D::Error> {
        let (values, errors) = ASKED.get();
        ASKED.set((values + 1, errors));
        Ok(deserializer.deserialize_any(AnyVisitor).unwrap_or(Any))
    }
}

struct AnyVisitor;

impl AnyVisitor {
    /// Whether something is left.
    fn goes_on<T, E>(next: Result<Option<T>, E>) -> bool {
        let (values, errors) = ASKED.get();
        ASKED.set((values, errors + u32::from(next.is_err())));
        !matches!(next, Ok(None))
    }
}

impl<'de> Visitor<'de> for AnyVisitor {
    type Value = Any;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }
    fn visit_str<E>(self, _: &str) -> Result<Any, E> {
        Ok(Any)
    }
    fn visit_u64<E>(self, _: u64) -> Result<Any, E> {
        Ok(Any)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Any, A::Error> {
        while Self::goes_on(items.next_element::<Any>()) {}
        assert_eq!(items.size_hint(), Some(0));
        Ok(Any)
    }
    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Any, A::Error> {
        while Self::goes_on(entries.next_entry::<Any, Any>()) {}
        assert_eq!(entries.size_hint(), Some(0));
        Ok(Any)
    }
}

/// Reads `document`, whose value at `place` is one more than `limits` allow (by profile).
///
/// The result must be that error, whatever the types discard. The number of requests before it, and
/// of errors in place of more values, must be `expected`.
#[track_caller]
fn assert_ends(document: &serde_json::Value, limits: [u64; 3], place: &str, expected: (u32, u32)) {
    for (profile, limit) in PROFILES.into_iter().zip(limits) {
        let file = file(document, profile);
        let root = file.view().root();
        let at = root.pointer(place).unwrap().unwrap().offset();
        ASKED.set((0, 0));
        let reader = Reader::new(file.view()).with_limits(Limits { values: limit, ..Limits::default() });
        let error = reader.read::<Any>(root).unwrap_err();
        let count = limit + 1;
        let message = format!("LIM-NODES: expands to {count} values, the limit is {limit} at byte {at}");
        assert_eq!((error.to_string(), error.offset()), (message, Some(at)), "profile {}", profile.name());
        assert_eq!(ASKED.get(), expected, "{document}, profile {}", profile.name());
    }
}

#[test]
fn no_values_are_read_after_an_error_that_ended_the_reading() {
    let lists = json!([[[[10, 11], 20, 21], 30, 31], 40, 41]);
    assert_ends(&lists, [3; 3], "/0/0/0", (4, 3));
    // One has no more items, and its end.
    assert_ends(&lists, [5; 3], "/0/0/0/1", (6, 3));
    // The same for keys.
    let objects =
        json!({ "a": { "a": { "a": { "a": 1, "b": 2 }, "b": 3, "c": 4 }, "b": 5, "c": 6 }, "b": 7, "c": 8 });
    assert_ends(&objects, [3; 3], "/a/a/a", (7, 3));
    assert_ends(&objects, [5; 3], "/a/a/a/b", (11, 3));
    // Records, with constants that have no bytes to miss.
    let record = |n: u32| json!({ "k": [n], "l": "constant", "m": 1, "n": null });
    let records = json!([record(1), record(2), record(3), record(4)]);
    assert_ends(&records, [3; 3], "/0/k/0", (5, 2));
    assert_ends(&records, [9; 3], "/1/k/0", (15, 2));
    // Shared values, from which the walk returns. A reference is a value.
    let shared = json!([[70_000, 80_000, 90_000], [70_000, 80_000, 90_000], [70_000, 80_000, 90_000], 9]);
    assert_ends(&shared, [9, 7, 9], "/1/1", (8, 2));
    let shared = json!({ "k": ["shared", 70_000], "l": ["shared", 70_000], "m": { "k": ["shared", 70_000], "n": 1 }, "o": 9 });
    assert_ends(&shared, [7, 5, 7], "/l/0", (8, 2));
}

#[test]
fn an_error_that_ended_the_reading_is_the_result_even_if_a_list_is_left() {
    /// The first item of a list, or the value of the first entry of an object.
    #[derive(Debug)]
    struct First;
    impl<'de> Deserialize<'de> for First {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<First, D::Error> {
            deserializer.deserialize_any(FirstVisitor)
        }
    }
    struct FirstVisitor;
    impl<'de> Visitor<'de> for FirstVisitor {
        type Value = First;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list or object")
        }
        fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<First, A::Error> {
            _ = items.next_element::<u8>();
            assert_eq!(items.size_hint(), Some(0));
            Ok(First)
        }
        fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<First, A::Error> {
            _ = entries.next_entry::<String, u8>();
            assert_eq!(entries.size_hint(), Some(0));
            // A missing key here is not a fault of the type either.
            assert!(entries.next_key::<String>().is_err());
            let error = entries.next_value::<u8>().unwrap_err().to_string();
            assert!(error.starts_with("invalid type: sequence, expected u8"), "{error}");
            Ok(First)
        }
    }
    let sequence = "invalid type: sequence, expected u8";
    assert_eq!(error_of::<First>(&json!([[1, 2], 3, 4])), sequence);
    assert_eq!(error_of::<First>(&json!({ "a": [1, 2], "b": 3, "c": 4 })), sequence);
}
