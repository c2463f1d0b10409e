//! Round trips of Rust values through files, the tables of the module row by row, and errors with
//! their places.

mod agreement;
mod errors;
mod files;
mod passed_over;
mod rows;

use super::{Limits, Reader, from_slice, from_view};
use crate::compile::{CompileOptions, compile_serialize, to_vec};
use crate::event::ValueSink;
use crate::read::file::DocumentFile;
use crate::wire::header::Profile;
use crate::write::interner::Interned;
use crate::write::{Writer, WriterOptions};
use coconut_format::Value;
use coconut_format::explain::ErrorClass;
use serde::de::{DeserializeOwned, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::json;
use std::collections::{BTreeMap, LinkedList};
use std::fmt::{self, Debug};

const PROFILES: [Profile; 3] = [Profile::Full, Profile::Plain, Profile::Transport];

/// The document of `value`.
fn document<T: Serialize + ?Sized>(value: &T) -> Value {
    let mut sink = ValueSink::new();
    super::to_events(value, &mut sink).unwrap();
    sink.finish().unwrap()
}

/// The file of `value`.
fn file<T: Serialize + ?Sized>(value: &T, profile: Profile) -> DocumentFile<Vec<u8>> {
    let options = WriterOptions { profile, ..WriterOptions::new("document") };
    let bytes = Writer::new(options).to_bytes(&Interned::from_serialize(value).unwrap()).unwrap();
    DocumentFile::from_data(bytes).unwrap()
}

/// Asserts that `value` comes back from a file of each profile, with the shared parts looked up one
/// by one and read whole.
#[track_caller]
fn assert_round_trip<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) {
    for profile in PROFILES {
        let file = file(value, profile);
        let root = file.view().root();
        let reader = Reader::new(file.view());
        // The first reads look parts up, the later ones have read the tables.
        for _ in 0..64 {
            assert_eq!(reader.read::<T>(root).as_ref(), Ok(value), "profile {}", profile.name());
        }
        assert_eq!(from_view::<T>(root).as_ref(), Ok(value), "profile {}", profile.name());
    }
}

/// A `DocumentFile` of JSON text.
fn file_of_json(text: &str) -> DocumentFile<Vec<u8>> {
    let compiled = crate::compile::compile(text.as_bytes(), &CompileOptions::default()).unwrap();
    DocumentFile::from_data(compiled.bytes).unwrap()
}

/// `levels` nested lists.
#[derive(Debug, PartialEq, Serialize, serde::Deserialize)]
struct Deep(Vec<Deep>);

fn deep(levels: u32) -> Deep {
    (1..levels).fold(Deep(vec![]), |inner, _| Deep(vec![inner]))
}

#[test]
fn reads_128_levels_and_refuses_one_more() {
    // Half of the default stack of threads.
    let small_stack = std::thread::Builder::new().stack_size(1 << 20);
    let test = small_stack.spawn(|| {
        let file_128 = file(&deep(128), Profile::Full);
        assert_eq!(from_view::<Deep>(file_128.view().root()), Ok(deep(128)));
        assert!(serde_json::to_string(&file_128.view().root()).is_ok());

        let file_129 = file(&deep(129), Profile::Full);
        let error = from_view::<Deep>(file_129.view().root()).unwrap_err();
        assert!(error.to_string().starts_with("LIM-DEPTH: nested deeper than 128 levels"), "{error}");
        assert_eq!(error.path(), "/0".repeat(128));
        let error = serde_json::to_string(&file_129.view().root()).unwrap_err();
        assert!(error.to_string().starts_with("LIM-DEPTH: nested deeper than 128 levels"), "{error}");
    });
    test.unwrap().join().unwrap();
}

#[test]
fn to_vec_writes_what_from_slice_reads() {
    assert_eq!(from_slice::<Deep>(&to_vec(&deep(128)).unwrap()), Ok(deep(128)));

    let error = to_vec(&deep(129)).unwrap_err();
    assert_eq!((error.code(), error.class()), ("LIM-DEPTH", ErrorClass::Limit));
    assert_eq!(error.to_string(), format!("nested deeper than 128 levels, in `{}`", "/0".repeat(128)));
    assert!(error.hint().is_some_and(|hint| hint.contains("`compile_serialize`")));

    let options = CompileOptions::default();
    let bytes = compile_serialize(&deep(512), &options).unwrap().bytes;
    let file = DocumentFile::from_data(&bytes[..]).unwrap();
    assert_eq!(file.header().depth, 512);
    let error = compile_serialize(&deep(513), &options).unwrap_err();
    assert_eq!((error.code(), error.hint()), ("LIM-DEPTH", None));
}

#[test]
fn other_limits_can_be_set() {
    let file = file(&deep(129), Profile::Full);
    let limits = Limits { depth: 129, ..Limits::default() };
    let reader = Reader::new(file.view()).with_limits(limits);
    assert_eq!(reader.read::<Deep>(file.view().root()), Ok(deep(129)));
}

#[test]
fn the_expansion_of_a_small_file_is_limited() {
    let mut nested = json!(["xyz", "uvw"]);
    for _ in 0..40 {
        nested = json!([nested, nested]);
        // Each level is written once and referred to twice.
        if nested.to_string().len() > 4096 {
            break;
        }
    }
    let file = file(&nested, Profile::Full);
    assert!(file.view().bytes().len() < 1024);
    let read = |limits| {
        let reader = Reader::new(file.view()).with_limits(limits);
        reader.read::<serde_json::Value>(file.view().root())
    };
    assert_eq!(read(Limits::default()), Ok(nested));
    let error = read(Limits { values: 100, ..Limits::default() }).unwrap_err();
    assert!(error.to_string().starts_with("LIM-NODES: expands to 101 values, the limit is 100"), "{error}");
    let error = read(Limits { bytes: 100, ..Limits::default() }).unwrap_err();
    assert!(error.to_string().starts_with("LIM-BYTES: expands to 101 bytes, the limit is 100"), "{error}");
}

#[test]
fn text_is_limited_to_256_mebibytes_or_16_bytes_per_byte_of_the_file() {
    assert_eq!(Limits::default(), Limits { depth: 128, values: 64 << 20, bytes: 1 << 28 });
    assert_eq!(Limits::held(16 << 20), Limits::default());
    let larger = Limits { bytes: (1 << 28) + 16, ..Limits::default() };
    assert_eq!(Limits::held((16 << 20) + 1), larger);
    let larger = Limits { depth: 128, values: (64 << 20) + 1, bytes: (1 << 30) + 16 };
    assert_eq!(Limits::held((64 << 20) + 1), larger);

    /// A text that does not keep anything.
    #[derive(Debug)]
    struct Seen;
    impl<'de> Deserialize<'de> for Seen {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Seen, D::Error> {
            <&str>::deserialize(deserializer).map(|_| Seen)
        }
    }
    let text = "x".repeat(1 << 16);
    let [most, more] = [1 << 12, (1 << 12) + 1].map(|count| file(&vec![&text; count], Profile::Full));
    assert_eq!(from_view::<Vec<Seen>>(most.view().root()).map(|read| read.len()), Ok(1 << 12));
    let error = from_view::<Vec<Seen>>(more.view().root()).unwrap_err();
    let expected = "LIM-BYTES: expands to 268435457 bytes, the limit is 268435456";
    assert!(error.to_string().starts_with(expected), "{error}");
    assert_eq!(error.path(), "/4096");
    let error = Vec::<Seen>::deserialize(more.view().root()).unwrap_err();
    assert!(error.to_string().starts_with(expected), "{error}");
    let reader = Reader::new(more.view()).with_limits(Limits { bytes: 1 << 29, ..Limits::default() });
    assert_eq!(reader.read::<Vec<Seen>>(more.view().root()).map(|read| read.len()), Ok((1 << 12) + 1));
}

/// Number of values read when `document` is read as a `T`. A limit of one less must be refused.
#[track_caller]
fn values_of<T: DeserializeOwned + Debug>(document: &impl Serialize) -> u64 {
    let counts = PROFILES.map(|profile| {
        let file = file(document, profile);
        let read = |values| {
            let reader = Reader::new(file.view()).with_limits(Limits { values, ..Limits::default() });
            reader.read::<T>(file.view().root())
        };
        let count = (0..200).find(|&values| read(values).is_ok()).unwrap();
        let error = read(count - 1).unwrap_err().to_string();
        let limit = count - 1;
        assert!(
            error.starts_with(&format!("LIM-NODES: expands to {count} values, the limit is {limit}")),
            "{error}"
        );
        count
    });
    assert!(counts.iter().all(|&count| count == counts[0]), "{counts:?}");
    counts[0]
}

#[test]
fn every_value_that_is_read_counts_in_every_type() {
    #[derive(Debug, serde::Deserialize)]
    struct Unit;
    #[derive(Debug, serde::Deserialize)]
    struct Empty {}
    #[derive(Debug, serde::Deserialize)]
    struct Newtype(#[expect(dead_code, reason = "it is read")] Option<u8>);
    let nulls = [[None::<u8>; 3]; 2];
    assert_eq!(values_of::<Vec<Vec<Option<u8>>>>(&nulls), 9);
    assert_eq!(values_of::<Vec<Vec<Option<Option<u8>>>>>(&nulls), 9);
    assert_eq!(values_of::<Vec<Vec<Newtype>>>(&nulls), 9);
    assert_eq!(values_of::<Vec<Vec<()>>>(&nulls), 9);
    assert_eq!(values_of::<Vec<Vec<Unit>>>(&nulls), 9);
    assert_eq!(values_of::<serde_json::Value>(&nulls), 9);
    assert_eq!(values_of::<Vec<Option<u8>>>(&[Some(1), None, Some(2)]), 4);
    assert_eq!(values_of::<Vec<Empty>>(&[BTreeMap::<u8, u8>::new(), BTreeMap::new()]), 3);
    assert_eq!(values_of::<Vec<[u8; 0]>>(&[[0u8; 0]; 3]), 4);
    assert_eq!(values_of::<Vec<String>>(&["", ""]), 3);
    // Each value is a constant of a shape.
    let records = vec![BTreeMap::from([("k", None::<u8>), ("l", Some(1))]); 5];
    assert_eq!(values_of::<Vec<BTreeMap<String, Option<u8>>>>(&records), 16);
}

/// Reads like its content.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize)]
struct Newtype<T>(T);

/// A key that does not keep anything.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct IgnoredKey;

impl<'de> Deserialize<'de> for IgnoredKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<IgnoredKey, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| IgnoredKey)
    }
}

/// Requests bytes or the name of a variant, and accepts a list or a string.
#[derive(Debug)]
struct Asked<const FOR_BYTES: bool>;

impl<'de, const FOR_BYTES: bool> Deserialize<'de> for Asked<FOR_BYTES> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match FOR_BYTES {
            true => deserializer.deserialize_bytes(Asked),
            false => deserializer.deserialize_identifier(Asked),
        }
    }
}

impl<'de, const FOR_BYTES: bool> Visitor<'de> for Asked<FOR_BYTES> {
    type Value = Self;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("anything")
    }

    fn visit_bytes<E>(self, _: &[u8]) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self, A::Error> {
        while items.next_element::<Self>()?.is_some() {}
        Ok(self)
    }
}

#[test]
fn a_value_that_is_inspected_and_then_read_as_something_else_counts_once() {
    assert_eq!(values_of::<Vec<Asked<true>>>(&["a", "b"]), 3);
    assert_eq!(values_of::<Vec<Asked<true>>>(&[["a", "b"], ["c", "d"]]), 7);
    assert_eq!(values_of::<Vec<Asked<false>>>(&["a", "b"]), 3);
    assert_eq!(values_of::<Vec<Asked<false>>>(&[["a", "b"], ["c", "d"]]), 7);
}

#[test]
fn keys_that_are_held_count_without_their_values() {
    type Keyed<V> = Vec<BTreeMap<String, V>>;
    /// A field that is ignored keeps nothing.
    #[derive(Debug, serde::Deserialize)]
    struct Empty {}
    let records = vec![BTreeMap::from([("k", None::<u8>), ("l", Some(1))]); 5];
    assert_eq!(values_of::<Keyed<IgnoredAny>>(&records), 16);
    assert_eq!(values_of::<Vec<BTreeMap<Option<char>, IgnoredAny>>>(&records), 16);
    assert_eq!(values_of::<Vec<BTreeMap<Box<str>, Option<IgnoredAny>>>>(&records), 16);
    assert_eq!(values_of::<Vec<Empty>>(&records), 6);
    // All different, since a reference to a shared value is also a value.
    let lists = [[("k", [1, 2]), ("l", [3, 4])], [("k", [5, 6]), ("l", [7, 8])]].map(BTreeMap::from);
    assert_eq!(values_of::<Keyed<IgnoredAny>>(&lists), 7);
    // A key and its kept value count as one.
    assert_eq!(values_of::<Keyed<Vec<IgnoredAny>>>(&lists), 15);
    assert_eq!(values_of::<Keyed<(u8, IgnoredAny)>>(&lists), 15);
    assert_eq!(values_of::<Keyed<Empty>>(&[BTreeMap::from([("k", &records[0])])]), 3);
    assert_eq!(values_of::<Keyed<BTreeMap<char, IgnoredAny>>>(&[BTreeMap::from([("k", &records[0])])]), 5);

    /// A key of a map that keeps unknown names.
    #[derive(Debug, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize)]
    #[serde(field_identifier, rename_all = "lowercase")]
    enum Name {
        K,
        Other(String),
    }
    assert_eq!(values_of::<Vec<BTreeMap<Name, IgnoredAny>>>(&records), 16);
    assert_eq!(values_of::<Vec<BTreeMap<Newtype<Name>, IgnoredAny>>>(&records), 16);
    // The result of an ignored value may be kept without its key.
    assert_eq!(values_of::<Vec<BTreeMap<IgnoredKey, IgnoredAny>>>(&records), 16);
    // An ignored value without a key is not the value of an entry: the content of a variant, and
    // the values after a constant.
    #[derive(Debug, serde::Deserialize)]
    enum Content {
        A(IgnoredAny),
        B(IgnoredAny),
    }
    let contents: Vec<_> =
        (0..20).map(|n| json!({ "k": { "A": n * 1000 }, "l": { "B": n.to_string() } })).collect();
    assert_eq!(values_of::<Keyed<Content>>(&contents), 61);
    #[derive(Debug, serde::Deserialize)]
    #[serde(untagged)]
    enum Scalar {
        Text(#[expect(dead_code, reason = "it is read")] String),
        Number(#[expect(dead_code, reason = "it is read")] u32),
    }
    let constants: Vec<_> = (0..20).map(|n| json!([{ "n": n + 1000, "k": "c" }, n])).collect();
    assert_eq!(values_of::<Vec<(BTreeMap<String, Scalar>, IgnoredAny)>>(&constants), 101);
    assert_eq!(values_of::<Vec<(BTreeMap<String, IgnoredAny>, IgnoredAny)>>(&constants), 101);
    assert_eq!(
        values_of::<Keyed<Option<BTreeMap<String, Vec<IgnoredAny>>>>>(&[json!({ "k": { "l": [1, 2] } })]),
        6
    );
    // Fields of structs and of variants are not keys of maps.
    #[derive(Debug, serde::Deserialize)]
    enum Variant {
        V {},
    }
    assert_eq!(values_of::<Vec<Variant>>(&[BTreeMap::from([("V", &records[0])])]), 3);

    let file = file_of_json(r#"[{"k": [1], "l": 2}]"#);
    let reader = Reader::new(file.view()).with_limits(Limits { values: 3, ..Limits::default() });
    let error = reader.read::<Keyed<IgnoredAny>>(file.view().root()).unwrap_err();
    let at = file.view().root().pointer("/0/l").unwrap().unwrap().offset();
    let expected = format!("LIM-NODES: expands to 4 values, the limit is 3 at byte {at}, in `/0/l`");
    assert_eq!(error.to_string(), expected);
}

/// Keeps something from an ignored value.
#[derive(Debug, serde::Deserialize)]
#[serde(from = "IgnoredAny")]
struct Present(#[expect(dead_code, reason = "it takes memory")] u64);

impl From<IgnoredAny> for Present {
    fn from(_: IgnoredAny) -> Self {
        Present(1)
    }
}

/// Values of objects, without their keys.
#[derive(Debug)]
struct Values;

impl<'de> Deserialize<'de> for Values {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Values)
    }
}

impl<'de> Visitor<'de> for Values {
    type Value = Self;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    /// Reads the first value, and leaves the others.
    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self, A::Error> {
        entries.next_entry::<IgnoredAny, Present>()?;
        while entries.next_key::<IgnoredAny>()?.is_some() {}
        Ok(self)
    }
}

#[test]
fn items_that_may_be_held_count_while_they_are_ignored() {
    #[derive(Debug, serde::Deserialize)]
    #[serde(transparent)]
    struct Cached {
        #[expect(dead_code, reason = "it is read")]
        value: IgnoredAny,
        #[serde(skip)]
        #[expect(dead_code, reason = "it takes memory")]
        cache: Option<String>,
    }
    /// Its field is ignored, and takes no memory of its own.
    #[derive(Debug, serde::Deserialize)]
    struct Record {
        #[expect(dead_code, reason = "it is read")]
        k: Present,
    }
    let lists = json!([["a", null, [1, 2]], [{ "k": 1 }, 70_000, 1.5]]);
    assert_eq!(values_of::<Vec<LinkedList<IgnoredAny>>>(&lists), 9);
    assert_eq!(values_of::<Vec<Vec<Box<IgnoredAny>>>>(&lists), 9);
    assert_eq!(values_of::<Vec<Vec<Option<Box<IgnoredAny>>>>>(&lists), 9);
    assert_eq!(values_of::<Vec<Vec<Newtype<IgnoredAny>>>>(&lists), 9);
    assert_eq!(values_of::<Vec<Vec<Present>>>(&lists), 9);
    assert_eq!(values_of::<Vec<Vec<Cached>>>(&lists), 9);
    assert_eq!(values_of::<Vec<[Present; 3]>>(&lists), 9);
    assert_eq!(values_of::<Vec<IgnoredAny>>(&lists), 3);
    // Each reference to a shared value counts.
    let shared = vec![[70_000, 80_000, 90_000]; 4];
    assert_eq!(values_of::<Vec<LinkedList<IgnoredAny>>>(&[&shared]), 6);
    // Constants and nested records, which may take no byte.
    let record = |n: u32| json!({ "k": { "l": "constant", "m": n }, "l": "constant" });
    let records: Vec<_> = (0..5).map(record).collect();
    assert_eq!(values_of::<Vec<Present>>(&records), 6);
    assert_eq!(values_of::<Vec<BTreeMap<String, Present>>>(&records), 16);
    assert_eq!(values_of::<Vec<Record>>(&records), 6);
    // A value that is not requested keeps nothing if its key does not.
    assert_eq!(values_of::<Vec<Values>>(&records), 11);
    let lists: Vec<_> = (0..5).map(|n| json!({ "k": [n, n], "l": [n] })).collect();
    assert_eq!(values_of::<Vec<Values>>(&lists), 11);

    let file = file_of_json(r#"["a", [1], 2]"#);
    let reader = Reader::new(file.view()).with_limits(Limits { values: 3, ..Limits::default() });
    let error = reader.read::<LinkedList<IgnoredAny>>(file.view().root()).unwrap_err();
    let at = file.view().root().pointer("/2").unwrap().unwrap().offset();
    let expected = format!("LIM-NODES: expands to 4 values, the limit is 3 at byte {at}, in `/2`");
    assert_eq!(error.to_string(), expected);
}

#[test]
fn a_reader_reads_values_of_other_files_too() {
    // Strings in the string table, so that the other file has other strings with the same ids.
    let [one, two] = ["one", "two"].map(|text| file(&[text; 3], Profile::Full));
    assert_eq!(one.view().frame.strings.count(one.view().data, None), Ok(1));
    let reader = Reader::new(one.view());
    assert_eq!(reader.read(two.view().root()), Ok(["two"; 3]));
    assert_eq!(reader.read(one.view().root()), Ok(["one"; 3]));
}

#[test]
fn a_type_may_ignore_unknown_fields() {
    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Some {
        b: u32,
        d: BTreeMap<String, bool>,
    }
    let text = r#"[{"a": [1, {"x": []}], "b": 2, "c": {"y": "z"}, "d": {"e": true}, "f": null},
                   {"a": [1, {"x": []}], "b": 3, "c": {"y": "w"}, "d": {"e": false}, "f": "end"}]"#;
    let file = file_of_json(text);
    let read: Vec<Some> = from_view(file.view().root()).unwrap();
    let d = |value| BTreeMap::from([("e".to_owned(), value)]);
    assert_eq!(read, [Some { b: 2, d: d(true) }, Some { b: 3, d: d(false) }]);
}
