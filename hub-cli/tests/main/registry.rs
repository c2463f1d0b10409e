//! Commands against a registry.

use crate::proxy::{Fault, Proxy};
use crate::running::{Place, Registry, package};
use coconut_testing::missing;
use std::fs;
use std::process::Stdio;

#[test]
fn a_document_goes_to_a_registry_and_back() {
    let Some(registry) = Registry::start() else { return missing("docker-registry") };
    let (place, document) = (Place::new(), package("aws", 50));
    let file = place.file("aws.coco", &document).display().to_string();
    let source = place.file("aws.json", r#"{"name": "aws"}"#).display().to_string();
    let reference = format!("oci://{}/acme/aws:1.0.0", registry.address);
    let pushed = place.good(&["push", &file, &reference, "--source", &source]);
    assert!(pushed.starts_with(&format!("{reference}@sha256:")), "{pushed}");
    assert_eq!(place.good(&["push", &file, &reference, "--source", &source]), pushed, "the same again");
    assert_eq!(place.good(&["resolve", &reference]), pushed);
    assert_eq!(place.good(&["ls", &format!("oci://{}/acme/aws", registry.address)]), "1.0.0");

    let other = Place::new();
    other.good(&["pull", &pushed, "-o", "got.coco"]);
    assert_eq!(fs::read(other.path().join("got.coco")).unwrap(), document);
    let report = other.report(&["pull", &reference]);
    assert_eq!(report["documents"][0]["was_cached"], true);
    assert_eq!(report["documents"][0]["title"], "aws.coco");
    let path = report["documents"][0]["path"].as_str().unwrap();
    assert_eq!(fs::read(path).unwrap(), document);
    assert_eq!(other.cached(), [std::path::PathBuf::from(path)]);
}

#[test]
fn a_release_is_copied_to_a_directory_and_to_another_registry() {
    let (Some(registry), Some(other)) = (Registry::start(), Registry::start()) else {
        return missing("docker-registry");
    };
    let place = Place::new();
    let paths = ["aws", "gcp"]
        .map(|name| place.file(&format!("{name}.coco"), package(name, 9)).display().to_string());
    let first = format!("oci://{}/acme/all:1", registry.address);
    let pushed = place.good(&["push", &paths[0], &paths[1], &first]);
    let digest = pushed.rsplit_once('@').unwrap().1;
    let copied = place.good(&["copy", &first, "oci-layout:carried"]);
    assert_eq!(copied, format!("oci-layout:carried:1@{digest}"));
    let second = format!("oci://{}/mirror/all:one", other.address);
    let copied = place.good(&["copy", "oci-layout:carried:1", &second]);
    assert_eq!(copied, format!("{second}@{digest}"));
    let again = place.report(&["copy", &first, &second]);
    assert_eq!(again["copied_blobs"], 0);
    let far = Place::new();
    far.good(&["pull", &second, "--name", "gcp.coco", "-o", "gcp.coco"]);
    assert_eq!(fs::read(far.path().join("gcp.coco")).unwrap(), package("gcp", 9));
}

#[test]
fn things_that_are_not_there_are_named() {
    let Some(mut registry) = Registry::start() else { return missing("docker-registry") };
    let place = Place::new();
    let file = place.file("aws.coco", package("aws", 3)).display().to_string();
    let base = format!("oci://{}/acme/aws", registry.address);
    place.good(&["push", &file, &format!("{base}:1")]);
    let absent = ("HUB-ABSENT".to_owned(), 1);
    let digest = format!("sha256:{}", "0".repeat(64));
    for missing in [format!("{base}:2"), format!("{base}x:1"), format!("{base}@{digest}")] {
        assert_eq!(place.failure(&["pull", &missing]), absent, "{missing}");
    }
    assert_eq!(place.failure(&["ls", &format!("{base}x")]), absent);
    registry.kill();
    assert_eq!(place.failure(&["pull", &format!("{base}:1")]), ("HUB-UNREACHABLE".to_owned(), 2));
}

#[test]
fn a_tag_that_is_moved_does_not_move_a_digest() {
    let Some(registry) = Registry::start() else { return missing("docker-registry") };
    let place = Place::new();
    let push = |modules| {
        let file = place.file("aws.coco", package("aws", modules)).display().to_string();
        place.good(&["push", &file, &format!("oci://{}/aws:1", registry.address)])
    };
    let (first, second) = (push(3), push(4));
    assert_ne!(first, second);
    let far = Place::new();
    far.good(&["pull", &first, "-o", "got.coco"]);
    assert_eq!(fs::read(far.path().join("got.coco")).unwrap(), package("aws", 3));
}

#[test]
fn off_line_there_is_only_the_cache() {
    let Some(mut registry) = Registry::start() else { return missing("docker-registry") };
    let place = Place::new();
    let file = place.file("aws.coco", package("aws", 3)).display().to_string();
    let reference = format!("oci://{}/aws:1", registry.address);
    let pushed = place.good(&["push", &file, &reference]);
    let offline = ("HUB-OFFLINE".to_owned(), 2);
    assert_eq!(place.failure(&["pull", "--offline", &pushed]), offline);
    place.good(&["pull", &pushed]);
    registry.kill();
    place.good(&["pull", "--offline", &pushed, "-o", "got.coco"]);
    assert_eq!(fs::read(place.path().join("got.coco")).unwrap(), package("aws", 3));
    assert_eq!(place.failure(&["pull", "--offline", &reference]), offline, "a tag is not a version");
}

#[test]
fn a_damaged_document_of_the_cache_is_fetched_again() {
    let Some(registry) = Registry::start() else { return missing("docker-registry") };
    let (place, document) = (Place::new(), package("aws", 3));
    let file = place.file("aws.coco", &document).display().to_string();
    let reference = place.good(&["push", &file, &format!("oci://{}/aws:1", registry.address)]);
    place.good(&["pull", &reference]);
    let cached = place.cached();
    let mut damaged = document.clone();
    damaged[300] ^= 1;
    fs::write(&cached[0], damaged).unwrap();
    assert_eq!(place.report(&["pull", &reference])["documents"][0]["was_cached"], false);
    assert_eq!(fs::read(&cached[0]).unwrap(), document);
}

#[test]
fn many_pulls_of_one_document_fetch_it_once() {
    let Some(registry) = Registry::start() else { return missing("docker-registry") };
    let place = Place::new();
    let file = place.file("aws.coco", package("aws", 2000)).display().to_string();
    let proxy = Proxy::start(&registry.address, |_| Fault::Pass);
    let pushed = place.good(&["push", &file, &format!("oci://{}/aws:1", registry.address)]);
    let digest = pushed.rsplit_once('@').unwrap().1;
    let reference = format!("oci://{}/aws@{digest}", proxy.address);
    let pulls: Vec<_> = (0..200)
        .map(|_| {
            let mut command = place.command(&["pull", &reference]);
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    for pull in pulls {
        let output = pull.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    assert_eq!(proxy.count("GET", "/blobs/"), 1);
}
