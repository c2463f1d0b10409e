//! Artifacts that a stranger has made.

use crate::proxy::{Fault, Proxy};
use crate::running::{Place, package};
use serde_json::{Value, json};
use std::fs;

const INDEX: &str = "application/vnd.oci.image.index.v1+json";
const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const PACK: &str = "application/vnd.coconut.pack.v1";

fn digest(bytes: &[u8]) -> String {
    coconut_hub::Digest::of(bytes).to_string()
}

/// A layout that is written by hand.
struct Layout<'p>(&'p Place);

impl Layout<'_> {
    fn blob(&self, bytes: &[u8]) -> (String, usize) {
        self.0.file(&format!("evil/blobs/{}", digest(bytes).replace(':', "/")), bytes);
        (digest(bytes), bytes.len())
    }

    /// A manifest with a document under this title. Returns its descriptor.
    fn document(&self, document: &[u8], title: &str) -> Value {
        self.blob(b"{}");
        let (layer, size) = self.blob(document);
        let manifest = json!({"schemaVersion": 2, "mediaType": MANIFEST, "artifactType": PACK,
            "config": {"mediaType": "application/vnd.oci.empty.v1+json", "digest": digest(b"{}"), "size": 2},
            "layers": [{"mediaType": "application/vnd.coconut+msgpack", "digest": layer, "size": size,
                "annotations": {"org.opencontainers.image.title": title}}]});
        self.entry(MANIFEST, &manifest)
    }

    fn index(&self, manifests: &[Value]) -> Value {
        self.entry(INDEX, &json!({"schemaVersion": 2, "mediaType": INDEX, "manifests": manifests}))
    }

    fn entry(&self, media_type: &str, content: &Value) -> Value {
        let (digest, size) = self.blob(content.to_string().as_bytes());
        json!({"mediaType": media_type, "digest": digest, "size": size,
            "artifactType": content["artifactType"], "annotations": {}})
    }

    /// Lists an entry under the tag `1`.
    fn finish(&self, entry: &Value) {
        let mut entry = entry.clone();
        entry["annotations"] = json!({"org.opencontainers.image.ref.name": "1"});
        if entry["artifactType"].is_null() {
            entry.as_object_mut().unwrap().remove("artifactType");
        }
        self.0.file("evil/index.json", json!({"schemaVersion": 2, "manifests": [entry]}).to_string());
        self.0.file("evil/oci-layout", r#"{"imageLayoutVersion": "1.0.0"}"#);
    }
}

fn titled(mut entry: Value, title: &str) -> Value {
    entry["annotations"] = json!({"org.opencontainers.image.title": title});
    entry
}

#[test]
fn a_title_chooses_no_file_outside_and_replaces_no_other_kind_of_file() {
    let place = Place::new();
    let layout = Layout(&place);
    let titles =
        ["../out", "/tmp/out", ".bashrc", "..", "", "a\u{1b}[2Jb", "C:\\out", "Makefile", "good.coco"];
    let entries: Vec<Value> = (1..)
        .zip(titles)
        .map(|(modules, title)| titled(layout.document(&package("a", modules), title), title))
        .collect();
    layout.finish(&layout.index(&entries));
    fs::create_dir(place.path().join("got")).unwrap();
    place.file("got/Makefile", "all:");
    place.file("got/.bashrc", "PS1=x");
    place.good(&["pull", "oci-layout:evil:1", "-o", "got"]);
    assert_eq!(fs::read_to_string(place.path().join("got/Makefile")).unwrap(), "all:");
    assert_eq!(fs::read_to_string(place.path().join("got/.bashrc")).unwrap(), "PS1=x");
    let names = fs::read_dir(place.path().join("got")).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    let by_digest = |name: &String| name.len() == 69 && name.ends_with(".coco");
    assert_eq!(names.iter().filter(|name| by_digest(name)).count(), 7, "{names:?}");
    names.retain(|name| !by_digest(name));
    assert_eq!(names, [".bashrc", "Makefile", "Makefile.coco", "good.coco"]);
}

#[test]
fn two_documents_of_one_name_are_refused_before_either_is_written() {
    let place = Place::new();
    let layout = Layout(&place);
    let entry = |modules| titled(layout.document(&package("a", modules), "a.coco"), "a.coco");
    layout.finish(&layout.index(&[entry(1), entry(2)]));
    fs::create_dir(place.path().join("got")).unwrap();
    assert_eq!(place.failure(&["pull", "oci-layout:evil:1", "-o", "got"]), ("HUB-ARTIFACT".to_owned(), 4));
    assert_eq!(fs::read_dir(place.path().join("got")).unwrap().count(), 0);
}

#[test]
fn an_index_of_the_same_manifest_costs_it_once() {
    let place = Place::new();
    let layout = Layout(&place);
    let document = layout.document(&package("a", 1), "a.coco");
    // Without counting, these are 60 to the power of 4 manifests.
    let mut entry = document;
    for _ in 0..4 {
        entry = layout.index(&vec![entry; 60]);
    }
    layout.finish(&entry);
    assert_eq!(place.report(&["copy", "oci-layout:evil:1", "oci-layout:copy:1"])["copied_blobs"], 2);
    for _ in 0..2 {
        entry = layout.index(&[entry]);
    }
    layout.finish(&entry);
    assert_eq!(place.failure(&["copy", "oci-layout:evil:1", "oci-layout:deep:1"]).0, "HUB-ARTIFACT");
    assert_eq!(place.failure(&["pull", "oci-layout:evil:1"]).0, "HUB-ARTIFACT");
}

#[test]
fn a_manifest_that_is_an_index_too_is_neither() {
    let place = Place::new();
    let layout = Layout(&place);
    let document = layout.document(&package("a", 1), "a.coco");
    for media_type in [Some(MANIFEST), Some(INDEX), None] {
        let mut both = json!({"schemaVersion": 2, "config": document, "layers": [], "manifests": [document]});
        if let Some(media_type) = media_type {
            both["mediaType"] = media_type.into();
        }
        layout.finish(&layout.entry(MANIFEST, &both));
        assert_eq!(place.failure(&["pull", "oci-layout:evil:1"]).0, "HUB-ANSWER", "{media_type:?}");
    }
}

#[test]
fn an_endless_list_of_manifests_ends() {
    let place = Place::new();
    let layout = Layout(&place);
    let mut entry = layout.document(&package("a", 1), "a.coco");
    entry["annotations"] = json!({});
    let entries: Vec<Value> = (0..5000)
        .map(|n| {
            let mut entry = entry.clone();
            entry["digest"] = digest(format!("{n}").as_bytes()).into();
            entry
        })
        .collect();
    layout.finish(&layout.index(&entries));
    assert_eq!(place.failure(&["pull", "oci-layout:evil:1"]), ("HUB-LIMIT".to_owned(), 7));
}

#[test]
fn referrers_that_lead_in_a_circle_are_copied_once() {
    let place = Place::new();
    let layout = Layout(&place);
    let document = layout.document(&package("a", 1), "a.coco");
    layout.finish(&document);
    // Every manifest has the first one as a referrer.
    let read = |path: String| fs::read(place.path().join("evil/blobs").join(path.replace(':', "/"))).unwrap();
    let manifest = String::from_utf8(read(document["digest"].as_str().unwrap().to_owned())).unwrap();
    let layer = String::from_utf8_lossy(&package("a", 1)).into_owned();
    let list = json!({"schemaVersion": 2, "mediaType": INDEX, "manifests": [document]}).to_string();
    let blobs = layer;
    let proxy = Proxy::start("127.0.0.1:1", move |asked| {
        let body = match &asked.path {
            path if path.contains("/referrers/") => list.clone(),
            path if path.contains("/manifests/") => manifest.clone(),
            path if path.ends_with(&digest(b"{}")) => "{}".to_owned(),
            _ => blobs.clone(),
        };
        Fault::Answer(200, vec![], body)
    });
    let from = format!("oci://{}/a:1", proxy.address);
    // The layer is not text, so the copy fails at it, or ends: it must not go on.
    let ended = place.run(&["copy", &from, "oci-layout:copy:1"]);
    assert!(ended.status == 0 || proxy.asked().len() < 20, "{}", proxy.asked().len());
}

#[cfg(unix)]
#[test]
fn links_and_pipes_of_a_layout_lead_to_nothing_else() {
    use std::os::unix::fs::symlink;
    let place = Place::new();
    let layout = Layout(&place);
    let document = layout.document(&package("a", 1), "a.coco");
    layout.finish(&document);
    let layer = digest(&package("a", 1)).replace(':', "/");
    let path = place.path().join("evil/blobs").join(layer);
    let secret = place.file("secret", vec![b'x'; package("a", 1).len()]);
    fs::remove_file(&path).unwrap();
    symlink(&secret, &path).unwrap();
    assert_eq!(place.failure(&["pull", "oci-layout:evil:1"]).0, "HUB-DIGEST", "a link to another file");
    for target in ["/dev/zero", "/", "missing"] {
        fs::remove_file(&path).unwrap();
        symlink(target, &path).unwrap();
        place.failure(&["pull", "oci-layout:evil:1"]);
    }
    for name in [path, place.path().join("evil/index.json"), place.path().join("evil/oci-layout")] {
        fs::remove_file(&name).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&name).status().unwrap();
        assert!(made.success());
        let ended = place.run(&["--json", "pull", "oci-layout:evil:1"]);
        assert_ne!(ended.status, 0, "{}", name.display());
    }
    assert!(place.cached().is_empty());
}

#[test]
fn a_damaged_blob_of_a_layout_is_replaced_by_the_next_copy() {
    let place = Place::new();
    let file = place.file("a.coco", package("a", 5)).display().to_string();
    place.good(&["push", &file, "oci-layout:good:1"]);
    place.good(&["copy", "oci-layout:good:1", "oci-layout:copy:1"]);
    let layer = digest(&package("a", 5)).replace(':', "/");
    let path = place.path().join("copy/blobs").join(layer);
    for again in [["copy", "oci-layout:good:1", "oci-layout:copy:1"], ["push", &file, "oci-layout:copy:1"]] {
        let mut bytes = fs::read(&path).unwrap();
        bytes[100] ^= 1;
        fs::write(&path, bytes).unwrap();
        place.good(&again);
        assert!(fs::read(&path).unwrap() == package("a", 5), "{again:?}");
    }
}
