//! The conformance vectors of `spec/vectors` against the Rust reader: values of the good ones, kind
//! and offset of the bad ones at every level.

use coconut_codec::Profile;
use coconut_codec::event::ValueSink;
use coconut_codec::read::file::{DocumentFile, DocumentView};
use coconut_codec::read::lookup::{EdgeView, LandmarkView};
use coconut_codec::read::stream::{Budget, StreamError};
use coconut_codec::text::{EnvelopedError, EnvelopedSource, json};
use coconut_codec::write::interner::Interner;
use coconut_codec::write::{Writer, WriterOptions};
use coconut_format::envelope::{Encoding, EnvelopeView};
use coconut_format::{DecodeError, Value};
use coconut_tests::vectors::{Vector, vectors};
use std::fs;
use std::ops::Range;

fn json_value(text: &[u8]) -> Value {
    let mut sink = ValueSink::new();
    json::read(text, &mut sink, &json::JsonOptions::default()).expect("the JSON beside a vector is good");
    sink.finish().expect("one document")
}

fn source_value(source: &EnvelopedSource<'_>) -> Result<Value, EnvelopedError> {
    let (sink, _) = source.read(ValueSink::new())?;
    Ok(sink.finish().expect("one document"))
}

fn decode(view: DocumentView<'_>) -> Result<Value, DecodeError> {
    let mut sink = ValueSink::new();
    match view.stream(&mut sink, Budget::default()) {
        Ok(()) => Ok(sink.finish().expect("one document")),
        Err(StreamError::Decode(error)) => Err(error),
        Err(error) => panic!("{error}"),
    }
}

/// The decoded results of a lookup.
fn get(view: DocumentView<'_>, key: &str) -> Result<Vec<Value>, DecodeError> {
    let mut values = Vec::new();
    for landmark in view.get_all(key)? {
        assert_eq!(landmark.key()?, key);
        let mut sink = ValueSink::new();
        match landmark.value()?.stream(&mut sink, Budget::default()) {
            Ok(()) => values.push(sink.finish().expect("one value")),
            Err(StreamError::Decode(error)) => return Err(error),
            Err(error) => panic!("{error}"),
        }
    }
    Ok(values)
}

/// The ordinals of the landmarks directly inside those with a key.
fn children(view: DocumentView<'_>, key: &str) -> Result<Vec<u32>, DecodeError> {
    let mut ordinals = Vec::new();
    for landmark in view.get_all(key)? {
        for child in landmark.children()? {
            ordinals.push(child.ordinal()?);
        }
    }
    Ok(ordinals)
}

/// The edges from a landmark, or to it.
type Edges = for<'a> fn(&LandmarkView<'a>) -> Result<Vec<EdgeView<'a>>, DecodeError>;

const DIRECTIONS: [(&str, Edges); 2] =
    [("deps", |landmark| landmark.dependencies()), ("rdeps", |landmark| landmark.dependents())];

/// The ordinals at the other ends of the edges of the landmarks of a key.
fn ends(view: DocumentView<'_>, key: &str, edges: Edges) -> Result<Vec<u32>, DecodeError> {
    let mut ordinals = Vec::new();
    for landmark in view.get_all(key)? {
        for edge in edges(&landmark)? {
            ordinals.push(edge.landmark.ordinal()?);
        }
    }
    Ok(ordinals)
}

fn pointed<'v>(value: &'v Value, pointer: &str) -> &'v Value {
    let keys = coconut_format::pointer::keys(pointer).expect("a pointer");
    keys.fold(value, |value, key| match value {
        Value::List(items) => &items[key.parse::<usize>().expect("an index")],
        _ => value.get(&key).expect("the pointer of a vector leads somewhere"),
    })
}

fn said<T>(result: &Result<T, DecodeError>) -> String {
    match result {
        Ok(_) => "accepted".to_owned(),
        Err(error) => format!("{} @ {}", error.kind().code(), error.offset()),
    }
}

#[test]
fn good_vectors_equal_their_json() {
    let vectors = vectors("good");
    assert!(vectors.len() >= 60, "{} good vectors", vectors.len());
    let mut faults = Vec::new();
    for vector in &vectors {
        let expected = json_value(&fs::read(vector.path.with_extension("json")).expect("JSON beside it"));
        if let Err(fault) = check_good(vector, &expected) {
            faults.push(format!("{}: {fault}", vector.name));
        }
    }
    assert!(faults.is_empty(), "{} of {}:\n{}", faults.len(), vectors.len(), faults.join("\n"));
}

fn check_good(vector: &Vector, expected: &Value) -> Result<(), String> {
    let envelope = EnvelopeView::parse(&vector.bytes).map_err(|error| error.to_string())?;
    if envelope.encoding() == Encoding::Json {
        let source = EnvelopedSource::open(&vector.bytes).map_err(|error| error.to_string())?;
        source.check_digest().map_err(|error| error.to_string())?;
        let found = source_value(&source).map_err(|error| error.to_string())?;
        return if found == *expected { Ok(()) } else { Err("another value".to_owned()) };
    }
    let file = DocumentFile::from_data(&vector.bytes[..]).map_err(|error| error.to_string())?;
    let view = file.view();
    if decode(view).map_err(|error| error.to_string())? != *expected {
        return Err("another value".to_owned());
    }
    let tree = view.tree().map_err(|error| error.to_string())?;
    if tree.to_value() != *expected {
        return Err("another value in the tree".to_owned());
    }
    let (bytes, values) = (tree.arena_bytes(), tree.stored_nodes());
    if bytes > 24 * values {
        return Err(format!("{bytes} bytes of memory for {values} stored values"));
    }
    view.check_integrity().map_err(|error| format!("verify: {error}"))?;
    check_lookups(vector, view, expected).map_err(|error| error.to_string())
}

fn check_lookups(vector: &Vector, view: DocumentView<'_>, expected: &Value) -> Result<(), DecodeError> {
    let mut keys: Vec<&str> = vector.all("get").map(|(key, _)| key).collect();
    keys.dedup();
    for key in keys {
        let pointers = vector.all("get").filter(|(other, _)| *other == key).map(|(_, pointer)| pointer);
        let expected: Vec<&Value> = pointers.map(|pointer| pointed(expected, pointer)).collect();
        let found = get(view, key)?;
        assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{}: get {key}", vector.name);
    }
    for (_, key) in vector.all("absent") {
        assert!(view.get_all(key)?.is_empty(), "{}: {key} is absent", vector.name);
    }
    for (key, class) in vector.all("class") {
        let landmark = view.get_all(key)?[0];
        assert_eq!(landmark.class()?.to_string(), class, "{}: class of {key}", vector.name);
    }
    for (key, expected) in vector.all("children") {
        let inner = view.get_all(key)?[0].children()?;
        let keys: Result<Vec<_>, _> = inner.iter().map(LandmarkView::key).collect();
        assert_eq!(keys?.join(", "), expected, "{}: children of {key}", vector.name);
    }
    for ((name, there), (_, back)) in DIRECTIONS.into_iter().zip(DIRECTIONS.into_iter().rev()) {
        for (key, edges) in vector.all(name) {
            let mut found = Vec::new();
            for edge in there(&view.get_all(key)?[0])? {
                found.push(format!("{} {}", edge.landmark.key()?, edge.kind));
                let back = back(&edge.landmark)?;
                let ordinals: Result<Vec<u32>, _> = back.iter().map(|edge| edge.landmark.ordinal()).collect();
                let own = view.get_all(key)?[0].ordinal()?;
                assert!(ordinals?.contains(&own), "{}: back to {key}", vector.name);
            }
            // An empty key at the beginning of the list has no blank before it.
            assert_eq!(found.join(", ").trim_start(), edges, "{}: {name} {key}", vector.name);
        }
    }
    Ok(())
}

/// §5.14, in each profile, and again from the result.
#[test]
fn rewriters_keep_the_parts_and_keys_that_they_do_not_know() {
    let mut rewritten = 0;
    // Another name of a producer makes the longest possible header too long.
    for vector in vectors("good").into_iter().filter(|vector| vector.name != "payload-header-65536") {
        let Some((_, parts)) = vector.all("kept").next() else { continue };
        let keys = vector.all("kept-keys").next().map_or("", |(_, keys)| keys);
        let dropped = vector.all("dropped").next().map_or("", |(_, parts)| parts);
        let first = DocumentFile::from_data(vector.bytes.clone()).expect("a good vector");
        assert_eq!(
            listed(first.view().kept().expect("it is whole").dropped_parts()),
            dropped,
            "{}",
            vector.name
        );
        let (mut file, profiles) = (first.clone(), [Profile::Full, Profile::Plain, Profile::Transport]);
        for profile in profiles.into_iter().chain(profiles) {
            let mut interner = Interner::new();
            file.view().stream(&mut interner, Budget::default()).expect("a good vector");
            let header = file.header();
            let options = WriterOptions {
                profile,
                rule: header.rule().expect("a known rule").clone(),
                kept: file.view().kept().expect("it is whole"),
                ..WriterOptions::new(&header.document_type)
            };
            let document = interner.finish().expect("one document");
            file = DocumentFile::from_data(Writer::new(options).to_bytes(&document).unwrap()).unwrap();
            file.view().check_integrity().unwrap_or_else(|error| panic!("{}: {error}", vector.name));
            let kept = file.view().kept().expect("it is whole");
            assert_eq!(listed(&kept.parts().collect::<Vec<_>>()), parts, "{}", vector.name);
            assert_eq!(kept.keys().collect::<Vec<_>>().join(", "), keys, "{}", vector.name);
            assert!(kept.dropped_parts().is_empty());
            assert_eq!(unknown(&file), kept_of(&unknown(&first), dropped), "{}", vector.name);
            assert_eq!(
                (file.header().digest, &file.header().optional),
                (first.header().digest, &first.header().optional)
            );
            rewritten += 1;
        }
    }
    assert!(rewritten >= 60, "{rewritten} files");
}

fn listed(numbers: &[u8]) -> String {
    numbers.iter().map(u8::to_string).collect::<Vec<_>>().join(", ")
}

/// The number, the flag and the bytes of each unknown part.
fn unknown(file: &DocumentFile<Vec<u8>>) -> Vec<(u8, bool, Vec<u8>)> {
    let parts = file.view().parts().expect("a good file");
    let unknown = parts.iter().filter(|part| part.name == "unknown");
    let bytes = |span: &Range<u64>| file.data()[span.start as usize..span.end as usize].to_vec();
    unknown.map(|part| (part.number, part.is_dropped_on_rewrite, bytes(&part.span))).collect()
}

fn kept_of(parts: &[(u8, bool, Vec<u8>)], dropped: &str) -> Vec<(u8, bool, Vec<u8>)> {
    assert_eq!(listed(&parts.iter().filter(|part| part.1).map(|part| part.0).collect::<Vec<_>>()), dropped);
    parts.iter().filter(|part| !part.1).cloned().collect()
}

#[test]
fn landmarks_without_a_place_are_found_without_the_rest() {
    let refusals = |folder| {
        let found = vectors(folder).into_iter().filter_map(|vector| {
            let file = DocumentFile::from_data(&vector.bytes[..]).ok()?;
            let refused = said(&file.view().check_landmarks());
            Some((vector, refused))
        });
        found.collect::<Vec<_>>()
    };
    for (vector, said) in refusals("good") {
        assert_eq!(said, "accepted", "{}", vector.name);
    }
    let bad = refusals("bad").into_iter().filter(|(vector, _)| vector.name.starts_with("index-place-"));
    let mut count = 0;
    for (vector, said) in bad {
        assert_eq!(Some(&said[..]), vector.expectation("verify"), "{}", vector.name);
        count += 1;
    }
    assert_eq!(count, 3);
}

#[test]
fn bad_vectors_are_refused_at_the_recorded_place_and_level() {
    let vectors = vectors("bad");
    assert!(vectors.len() >= 90, "{} bad vectors", vectors.len());
    let mut faults = Vec::new();
    for vector in &vectors {
        if let Some(source) = source_of(vector) {
            faults.extend(source_faults(vector, &source));
            continue;
        }
        let file = DocumentFile::from_data(&vector.bytes[..]);
        let mut compare = |level: &str, found: String| {
            let expected = vector.expectation(level).unwrap_or("accepted");
            if found != expected {
                faults.push(format!("{}: {level}: expected {expected}, found {found}", vector.name));
            }
        };
        compare("open", said(&file));
        let Ok(file) = file else {
            let expected = vector.expectation("open").unwrap_or_default();
            compare("decode", expected.to_owned());
            compare("verify", expected.to_owned());
            continue;
        };
        let view = file.view();
        let decoded = decode(view);
        compare("decode", said(&view.check_values()));
        // Values that are expanded, and trees, have budgets that the level does not have.
        if vector.expectation("decode").is_some() || !vector.name.starts_with("limit-") {
            compare("decode", said(&decoded));
            compare("decode", said(&view.tree()));
        }
        compare("verify", said(&view.check_integrity()));
        for what in ["get", "children", "deps", "rdeps"] {
            for (key, expected) in vector.all(what) {
                let found = match what {
                    "get" => said(&get(view, key)),
                    "children" => said(&children(view, key)),
                    "deps" => said(&ends(view, key, DIRECTIONS[0].1)),
                    _ => said(&ends(view, key, DIRECTIONS[1].1)),
                };
                if found != expected {
                    faults.push(format!("{}: {what} {key}: expected {expected}, found {found}", vector.name));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// The source text of a vector with encoding `+json`, if its envelope is good.
fn source_of(vector: &Vector) -> Option<EnvelopedSource<'_>> {
    let source = EnvelopedSource::open(&vector.bytes).ok()?;
    (source.envelope().encoding() == Encoding::Json).then_some(source)
}

fn source_faults(vector: &Vector, source: &EnvelopedSource<'_>) -> Vec<String> {
    let decoded = source_value(source).map(drop);
    let verified = decoded.clone().and_then(|()| Ok(source.check_digest().map(drop)?));
    let levels = [("open", Ok(())), ("decode", decoded), ("verify", verified)];
    let compare = |(level, result): (&str, Result<(), EnvelopedError>)| {
        let found = match result {
            Ok(()) => "accepted".to_owned(),
            Err(error) => format!("{} @ {}", error.code(), error.offset()),
        };
        let expected = vector.expectation(level).unwrap_or("accepted");
        (found != expected).then(|| format!("{}: {level}: expected {expected}, found {found}", vector.name))
    };
    levels.into_iter().filter_map(compare).collect()
}
