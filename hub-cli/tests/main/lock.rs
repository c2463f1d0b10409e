//! The lock file.

use crate::running::{Place, Registry};
use coconut_codec::compile::{CompileOptions, compile};
use coconut_codec::loader::{CompiledForms, LoadErrorKind, Loader, LockFault, Origin, Proof, SearchPath};
use coconut_testing::missing;
use serde_json::Value;
use std::fs;

/// A package of this version.
fn version(name: &str, version: &str) -> Vec<u8> {
    let source = format!(r#"{{"name": "{name}", "version": "{version}", "modules": {{"m": {{}}}}}}"#);
    compile(source.as_bytes(), &CompileOptions::default()).unwrap().bytes
}

fn push(place: &Place, registry: &Registry, name: &str, tag: &str) -> String {
    let file = place.file("pushed.coco", version(name, tag)).display().to_string();
    place.good(&["push", &file, &format!("oci://{}/acme/{name}:{tag}", registry.address)])
}

/// A loader that looks for packages as the tools do.
fn loader(place: &Place) -> Loader {
    let search = SearchPath::default().workspace(place.path()).locked_in(place.path().join("cache"));
    Loader::builder().search(search).compiled_forms(CompiledForms::Use).build()
}

fn version_of(place: &Place, package: &str) -> String {
    let loaded = loader(place).load(package).unwrap();
    assert!(matches!(loaded.origin, Origin::Precompiled { proof: Proof::Locked, .. }), "{:?}", loaded.origin);
    loaded.document.value("/version").unwrap().unwrap().as_str().unwrap().unwrap().to_owned()
}

#[test]
fn a_locked_package_is_found_by_its_name_and_nowhere_else() {
    let Some(registry) = Registry::start() else { return missing("docker-registry") };
    let place = Place::new();
    push(&place, &registry, "aws", "1.0.0");
    let reference = format!("oci://{}/acme/aws:1.0.0", registry.address);
    place.good(&["lock", &format!("aws={reference}")]);
    // A folder of the same name does not decide the version.
    place.file("aws/Cocopack.json", r#"{"name": "aws", "version": "9.0.0", "modules": {}}"#);
    assert_eq!(version_of(&place, "aws"), "1.0.0");
    assert_eq!(version_of(&place, "aws#>=1.0.0 <2.0.0"), "1.0.0");
    let fault = |package: &str| match *loader(&place).load(package).unwrap_err().kind {
        LoadErrorKind::Locked { fault, .. } => fault,
        other => panic!("{other}"),
    };
    let (wanted, locked) = (">=2.0.0".to_owned(), "1.0.0".to_owned());
    assert_eq!(fault("aws#>=2.0.0"), LockFault::Version { wanted, locked });
    let layer = place.cached().pop().unwrap();
    let whole = fs::read(&layer).unwrap();
    fs::write(&layer, version("aws", "1.0.1")).unwrap();
    let error = loader(&place).load("aws").unwrap_err();
    assert_eq!(error.fallbacks[0].reason.code(), "LOAD-DIGEST", "another document is not used");
    fs::remove_file(&layer).unwrap();
    assert_eq!(fault("aws"), LockFault::Missing { reference });
    place.good(&["pull", "--locked"]);
    assert_eq!(fs::read(&layer).unwrap(), whole);
    assert_eq!(version_of(&place, "aws"), "1.0.0");
    place.file("coco.lock", r#"{"version": 2, "packages": {}}"#);
    assert_eq!(fault("aws"), LockFault::Invalid { what: "it has another version than 1".to_owned() });
}

#[test]
fn only_packages_of_the_file_are_used_if_that_is_demanded() {
    let place = Place::new();
    place.file("aws/Cocopack.json", r#"{"name": "aws", "modules": {}}"#);
    let search = SearchPath::default().workspace(place.path());
    assert!(Loader::builder().search(search.clone()).build().load("aws").is_ok());
    let error = Loader::builder().search(search.locked()).build().load("aws").unwrap_err();
    assert_eq!(error.code(), "LOAD-LOCKED");
}

#[test]
fn a_lock_is_the_same_until_it_is_written_again() {
    let Some(mut registry) = Registry::start() else { return missing("docker-registry") };
    let place = Place::new();
    let first = push(&place, &registry, "aws", "1.0.0");
    let reference = format!("oci://{}/acme/aws:1.0.0", registry.address);
    place.good(&["lock", &reference]);
    let text = fs::read_to_string(place.path().join("coco.lock")).unwrap();
    let lock: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(lock["packages"]["aws"]["reference"], reference.as_str());
    assert_eq!(format!("{reference}@{}", lock["packages"]["aws"]["manifest"].as_str().unwrap()), first);
    place.good(&["check"]);
    // The tag is moved.
    let file = place.file("moved.coco", version("aws", "1.0.0-moved")).display().to_string();
    let moved = place.good(&["push", &file, &reference]);
    let checked = place.run(&["check"]);
    assert_eq!(checked.status, 1);
    assert!(checked.stdout.starts_with("moved    aws  "), "{}", checked.stdout);
    assert_eq!(place.report(&["pull", "--locked", &reference])["documents"][0]["reference"], first.as_str());
    assert_eq!(place.failure(&["pull", "--locked", &moved]), ("HUB-LOCKED".to_owned(), 1));
    let other = format!("oci://{}/acme/gcp:1", registry.address);
    assert_eq!(place.failure(&["pull", "--locked", &other]), ("HUB-LOCKED".to_owned(), 1));
    place.good(&["lock"]);
    place.good(&["check"]);
    assert_eq!(version_of(&place, "aws"), "1.0.0-moved");
    registry.kill();
    place.good(&["pull", "--locked", "--offline"]);
    place.good(&["check", "--offline"]);
    fs::remove_dir_all(place.path().join("cache/hub-v1/layers")).unwrap();
    assert_eq!(place.failure(&["pull", "--locked", "--offline"]), ("HUB-OFFLINE".to_owned(), 2));
    assert_eq!(place.run(&["check", "--offline"]).status, 1);
}

#[test]
fn dependencies_get_the_newest_version_that_they_admit() {
    let Some(registry) = Registry::start() else { return missing("docker-registry") };
    let place = Place::new();
    for tag in ["1.0.0", "1.2.0", "1.10.0", "2.0.0", "1.11.0-beta"] {
        push(&place, &registry, "aws", tag);
    }
    let manifest = r#"{"name": "shop", "modules": {}, "dependencies": {"aws": "aws#>=1.0.0 <2.0.0"}}"#;
    place.file("Cocopack.json", manifest);
    let hub = format!("oci://{}/acme", registry.address);
    assert_eq!(place.failure(&["lock", "--manifest", "Cocopack.json"]), ("HUB-REFERENCE".to_owned(), 2));
    place.good(&["lock", "--manifest", "Cocopack.json", "--hub", &hub]);
    assert_eq!(version_of(&place, "aws"), "1.10.0");
    let absent = r#"{"name": "shop", "modules": {}, "dependencies": {"aws": "aws#>=3.0.0"}}"#;
    place.file("Cocopack.json", absent);
    let locked = place.failure(&["lock", "--manifest", "Cocopack.json", "--hub", &hub]);
    assert_eq!(locked, ("HUB-ABSENT".to_owned(), 1));
    assert_eq!(version_of(&place, "aws"), "1.10.0", "the file is as before");
}

#[test]
fn a_package_is_locked_under_its_own_name() {
    let Some(registry) = Registry::start() else { return missing("docker-registry") };
    let place = Place::new();
    push(&place, &registry, "aws", "1.0.0");
    let reference = format!("oci://{}/acme/aws:1.0.0", registry.address);
    assert_eq!(place.failure(&["lock", &format!("gcp={reference}")]), ("HUB-ARTIFACT".to_owned(), 4));
    let file = place.file("graph.coco", compile(b"{\"a\": 1}", &CompileOptions::default()).unwrap().bytes);
    let graph = format!("oci://{}/acme/graph:1", registry.address);
    place.good(&["push", &file.display().to_string(), &graph]);
    assert_eq!(place.failure(&["lock", &graph]), ("HUB-ARTIFACT".to_owned(), 4));
    assert!(!place.path().join("coco.lock").exists());
    place.file("coco.lock", "{");
    assert_eq!(place.failure(&["lock"]), ("HUB-LOCK-FILE".to_owned(), 4));
    assert_eq!(place.failure(&["pull", "--locked"]), ("HUB-LOCK-FILE".to_owned(), 4));
}
