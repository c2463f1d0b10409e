//! Image layouts: ours, and those of other tools.

use crate::running::{Place, files_below, package};
use coconut_testing::testdata;
use serde_json::{Value, json};
use std::fs;

/// The digest of a file, as registries write it.
fn digest(bytes: &[u8]) -> String {
    coconut_hub::Digest::of(bytes).to_string()
}

#[test]
fn a_layout_that_we_write_is_one_of_the_image_specification() {
    let place = Place::new();
    let files = [("aws.coco", package("aws", 3)), ("gcp.coco", package("gcp", 2))];
    let paths = files.each_ref().map(|(name, bytes)| place.file(name, bytes).display().to_string());
    place.good(&["push", &paths[0], "oci-layout:hub:one", "--annotation", "version=1.0.0"]);
    place.good(&["push", &paths[0], &paths[1], "oci-layout:hub:both"]);

    let layout = place.path().join("hub");
    assert_eq!(fs::read_to_string(layout.join("oci-layout")).unwrap(), r#"{"imageLayoutVersion":"1.0.0"}"#);
    for blob in files_below(&layout.join("blobs")) {
        let name = blob.file_name().unwrap().to_str().unwrap().to_owned();
        assert_eq!(digest(&fs::read(&blob).unwrap()), format!("sha256:{name}"), "{}", blob.display());
    }
    let read =
        |path: &str| -> Value { serde_json::from_slice(&fs::read(layout.join(path)).unwrap()).unwrap() };
    let index = read("index.json");
    conforms(&index, "image-index");
    let blob = |descriptor: &Value| {
        let text = descriptor["digest"].as_str().unwrap().replace(':', "/");
        (read(&format!("blobs/{text}")), fs::metadata(layout.join("blobs").join(text)).unwrap().len())
    };
    let mut kinds = Vec::new();
    let mut left: Vec<Value> = index["manifests"].as_array().unwrap().clone();
    while let Some(entry) = left.pop() {
        let (content, size) = blob(&entry);
        assert_eq!(entry["size"], json!(size));
        assert_eq!(entry["mediaType"], content["mediaType"]);
        assert_eq!(entry["artifactType"], content["artifactType"]);
        kinds.push(content["artifactType"].as_str().unwrap().to_owned());
        match content.get("manifests") {
            Some(manifests) => {
                conforms(&content, "image-index");
                left.extend(manifests.as_array().unwrap().clone());
            }
            None => conforms(&content, "image-manifest"),
        }
    }
    kinds.sort();
    let pack = "application/vnd.coconut.pack.v1";
    assert_eq!(kinds, [pack, pack, pack, "application/vnd.coconut.release.v1"]);
}

/// Checks a document by a schema in `tests/schemas`: of the JSON Schema language, the words that
/// these need.
#[track_caller]
fn conforms(value: &Value, schema: &str) {
    let path = format!("{}/tests/schemas/{schema}.json", env!("CARGO_MANIFEST_DIR"));
    let schema: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let mut faults = Vec::new();
    check(value, &schema, &schema, "", &mut faults);
    assert!(faults.is_empty(), "{faults:?}\n{value:#}");
}

fn check(value: &Value, schema: &Value, root: &Value, at: &str, faults: &mut Vec<String>) {
    if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
        let target = root.pointer(name.trim_start_matches('#')).expect("the schema has this definition");
        return check(value, target, root, at, faults);
    }
    let mut expect = |is_good: bool, what: &str| {
        if !is_good {
            faults.push(format!("{at}: {what}"));
        }
    };
    match schema.get("type").and_then(Value::as_str) {
        Some("object") => expect(value.is_object(), "not an object"),
        Some("array") => expect(value.is_array(), "not a list"),
        Some("string") => expect(value.is_string(), "not a text"),
        Some("integer") => expect(value.is_u64(), "not a number"),
        _ => {}
    }
    if let Some(expected) = schema.get("const") {
        expect(value == expected, &format!("not {expected}"));
    }
    if let Some(pattern) = schema.get("pattern").and_then(Value::as_str) {
        let text = value.as_str().unwrap_or_default();
        let (begin, length) = (text.split('/').next().unwrap_or_default(), text.len());
        let fits = match pattern {
            "media-type" => text.split('/').count() == 2 && !begin.is_empty() && length < 256,
            "sha256" => coconut_hub::Digest::parse(text).is_some(),
            other => panic!("an unknown pattern {other}"),
        };
        expect(fits, "not of the pattern");
    }
    if let Some(least) = schema.get("minItems").and_then(Value::as_u64) {
        expect(value.as_array().map_or(0, Vec::len) as u64 >= least, "too few items");
    }
    for name in schema.get("required").and_then(Value::as_array).into_iter().flatten() {
        expect(value.get(name.as_str().unwrap()).is_some(), &format!("no {name}"));
    }
    for (name, member) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        if let Some(found) = value.get(name) {
            check(found, member, root, &format!("{at}/{name}"), faults);
        }
    }
    if let (Some(item), Some(items)) = (schema.get("items"), value.as_array()) {
        for (n, found) in items.iter().enumerate() {
            check(found, item, root, &format!("{at}/{n}"), faults);
        }
    }
    if let (Some(every), Some(members)) = (schema.get("additionalProperties"), value.as_object()) {
        let known = schema.get("properties").and_then(Value::as_object);
        for (name, found) in
            members.iter().filter(|(name, _)| known.is_none_or(|known| !known.contains_key(*name)))
        {
            check(found, every, root, &format!("{at}/{name}"), faults);
        }
    }
}

#[test]
fn the_digest_of_a_manifest_depends_on_its_content_alone() {
    let (one, other) = (Place::new(), Place::new());
    let push = |place: &Place| {
        let file = place.file("aws.coco", package("aws", 3)).display().to_string();
        let arguments = ["push", &file, "oci-layout:hub:1", "--annotation", "b=2", "--annotation", "a=1"];
        place.good(&arguments).rsplit_once('@').unwrap().1.to_owned()
    };
    let digest = push(&one);
    assert_eq!(push(&one), digest);
    assert_eq!(push(&other), digest);
    let file = other.file("aws.coco", package("aws", 3)).display().to_string();
    let mut dated = other.command(&["push", &file, "oci-layout:hub:2"]);
    dated.env("SOURCE_DATE_EPOCH", "1700000000");
    assert_eq!(crate::running::ended(dated).status, 0);
    let found = other.report(&["resolve", "oci-layout:hub:2"]);
    let digits = found["reference"].as_str().unwrap().rsplit_once(':').unwrap().1.to_owned();
    let manifest = fs::read_to_string(other.path().join("hub/blobs/sha256").join(digits)).unwrap();
    assert!(manifest.contains(r#""org.opencontainers.image.created":"2023-11-14T22:13:20Z""#), "{manifest}");
}

/// A layout as `oras` writes it: an indented manifest, and a layer among others.
#[test]
fn a_layout_of_another_tool_is_read() {
    let place = Place::new();
    let document = package("aws", 3);
    let blobs = |bytes: &[u8]| {
        let name = digest(bytes).replace(':', "/");
        place.file(&format!("hub/blobs/{name}"), bytes);
    };
    let readme = b"read me".as_slice();
    [b"{}".as_slice(), &document, readme].into_iter().for_each(blobs);
    let layer = |media_type: &str, bytes: &[u8], title: &str| {
        json!({"mediaType": media_type, "digest": digest(bytes), "size": bytes.len(),
            "annotations": {"org.opencontainers.image.title": title}})
    };
    let manifest = json!({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "artifactType": "application/vnd.coconut.pack.v1",
        "config": {"mediaType": "application/vnd.oci.empty.v1+json", "digest": digest(b"{}"), "size": 2,
            "data": "e30="},
        "layers": [layer("text/plain", readme, "README"), layer("application/vnd.coconut+msgpack", &document, "aws.coco")],
        "annotations": {"org.opencontainers.image.created": "2026-11-01T00:00:00Z"},
    });
    let manifest = serde_json::to_vec_pretty(&manifest).unwrap();
    blobs(&manifest);
    let index = json!({"schemaVersion": 2, "manifests": [{
        "mediaType": "application/vnd.oci.image.manifest.v1+json", "digest": digest(&manifest),
        "size": manifest.len(), "annotations": {"org.opencontainers.image.ref.name": "1.0.0"}}]});
    place.file("hub/index.json", index.to_string());
    place.file("hub/oci-layout", r#"{"imageLayoutVersion": "1.0.0"}"#);
    place.good(&["pull", "oci-layout:hub:1.0.0", "-o", "got.coco"]);
    assert_eq!(fs::read(place.path().join("got.coco")).unwrap(), document);
    assert_eq!(place.good(&["ls", "oci-layout:hub"]), "1.0.0");
}

#[test]
fn an_image_of_another_kind_is_refused() {
    let Some(folder) = testdata("7-oci") else { return };
    let manifest = fs::read(folder.join("oci-client/manifest.json")).unwrap();
    let place = Place::new();
    place.file(&format!("hub/blobs/{}", digest(&manifest).replace(':', "/")), &manifest);
    place.file("hub/index.json", r#"{"schemaVersion": 2, "manifests": []}"#);
    place.file("hub/oci-layout", r#"{"imageLayoutVersion": "1.0.0"}"#);
    let reference = format!("oci-layout:hub@{}", digest(&manifest));
    assert_eq!(place.failure(&["pull", &reference]), ("HUB-ARTIFACT".to_owned(), 4));
    assert_eq!(place.good(&["resolve", &reference]), reference);
}

#[test]
fn damage_of_a_layout_is_found() {
    let place = Place::new();
    let file = place.file("aws.coco", package("aws", 500)).display().to_string();
    place.good(&["push", &file, "oci-layout:hub:1"]);
    let blobs = files_below(&place.path().join("hub/blobs"));
    let layer = blobs.iter().max_by_key(|blob| fs::metadata(blob).unwrap().len()).unwrap();
    let bytes = fs::read(layer).unwrap();
    let pull = || place.failure(&["pull", "oci-layout:hub:1", "-o", "got.coco"]);
    let mut flipped = bytes.clone();
    flipped[100] ^= 1;
    fs::write(layer, &flipped).unwrap();
    assert_eq!(pull(), ("HUB-DIGEST".to_owned(), 4));
    fs::write(layer, &bytes[1..]).unwrap();
    assert_eq!(pull(), ("HUB-SIZE".to_owned(), 4));
    fs::remove_file(layer).unwrap();
    assert_eq!(pull(), ("HUB-ABSENT".to_owned(), 1));
    fs::write(place.path().join("hub/index.json"), "{").unwrap();
    assert_eq!(pull(), ("HUB-LAYOUT".to_owned(), 4));
    fs::remove_file(place.path().join("hub/oci-layout")).unwrap();
    assert_eq!(pull(), ("HUB-LAYOUT".to_owned(), 4));
    assert!(place.cached().is_empty());
    assert!(!place.path().join("got.coco").exists());
}

#[test]
fn a_document_of_a_release_is_chosen_by_its_name() {
    let place = Place::new();
    let names = ["aws", "gcp"];
    let paths = names.map(|name| place.file(&format!("{name}.coco"), package(name, 2)).display().to_string());
    place.good(&["push", &paths[0], &paths[1], "oci-layout:hub:1"]);
    assert_eq!(place.failure(&["pull", "oci-layout:hub:1", "-o", "x"]), ("HUB-ARTIFACT".to_owned(), 4));
    place.good(&["pull", "oci-layout:hub:1", "--name", "gcp", "-o", "x"]);
    assert_eq!(fs::read(place.path().join("x")).unwrap(), package("gcp", 2));
    fs::create_dir(place.path().join("all")).unwrap();
    place.good(&["pull", "oci-layout:hub:1", "-o", "all"]);
    assert_eq!(fs::read(place.path().join("all/aws.coco")).unwrap(), package("aws", 2));
    assert_eq!(place.failure(&["pull", "oci-layout:hub:1", "--name", "az"]), ("HUB-ARTIFACT".to_owned(), 4));
}

#[test]
fn only_whole_documents_of_the_full_profile_are_published() {
    let place = Place::new();
    let mut damaged = package("aws", 3);
    damaged[200] ^= 1;
    let file = place.file("aws.coco", damaged).display().to_string();
    assert_eq!(place.failure(&["push", &file, "oci-layout:hub:1"]), ("HUB-DOCUMENT".to_owned(), 4));
    let options = coconut_codec::compile::CompileOptions {
        profile: coconut_codec::Profile::Transport,
        ..Default::default()
    };
    let small = coconut_codec::compile::compile(br#"{"name": "a", "modules": {}}"#, &options).unwrap().bytes;
    let file = place.file("small.coco", small).display().to_string();
    assert_eq!(place.failure(&["push", &file, "oci-layout:hub:1"]), ("HUB-PROFILE".to_owned(), 2));
    assert!(!place.path().join("hub").exists());
}
